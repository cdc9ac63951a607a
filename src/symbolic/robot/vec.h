/* Vectors and 3x3 matrices of nodes. */
#ifndef PKI_SYMBOLIC_ROBOT_VEC_H
#define PKI_SYMBOLIC_ROBOT_VEC_H

#include "symbolic/graph/graph.h"

typedef struct pki_x3 {
  pki_x v[3];
} pki_x3;

typedef struct pki_x33 {
  pki_x m[9]; /* row-major */
} pki_x33;

typedef struct pki_xs3 {
  pki_x s[6]; /* symmetric: xx xy xz yy yz zz */
} pki_xs3;

typedef struct pki_x6 {
  pki_x3 a, l; /* angular and linear; moment and force */
} pki_x6;

/* Where entry (i, j) of a symmetric matrix stands. */
static inline int pki_at(int i, int j)
{
  static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  return at[i][j];
}

/* c + a b and c - a b: what becomes one instruction. */
static inline pki_x pki_plus_times(pki_graph *g, pki_x c, pki_x a, pki_x b)
{
  return pki_plus(g, c, pki_times(g, a, b));
}

static inline pki_x pki_minus_times(pki_graph *g, pki_x c, pki_x a, pki_x b)
{
  return pki_minus(g, c, pki_times(g, a, b));
}

static inline pki_x3 pki_x3_const(pki_graph *g, const double v[3])
{
  return (pki_x3){{pki_const(g, v[0]), pki_const(g, v[1]), pki_const(g, v[2])}};
}

static inline pki_x3 pki_x3_zero(pki_graph *g)
{
  return pki_x3_const(g, (const double[3]){0, 0, 0});
}

static inline pki_x6 pki_x6_zero(pki_graph *g)
{
  return (pki_x6){pki_x3_zero(g), pki_x3_zero(g)};
}

static inline pki_x3 pki_x3_plus(pki_graph *g, pki_x3 a, pki_x3 b)
{
  for (int k = 0; k < 3; k++) {
    a.v[k] = pki_plus(g, a.v[k], b.v[k]);
  }
  return a;
}

static inline pki_x3 pki_x3_minus(pki_graph *g, pki_x3 a, pki_x3 b)
{
  for (int k = 0; k < 3; k++) {
    a.v[k] = pki_minus(g, a.v[k], b.v[k]);
  }
  return a;
}

static inline pki_x3 pki_x3_scale(pki_graph *g, pki_x s, pki_x3 a)
{
  for (int k = 0; k < 3; k++) {
    a.v[k] = pki_times(g, s, a.v[k]);
  }
  return a;
}

/* c + s a */
static inline pki_x3 pki_x3_plus_scaled(pki_graph *g, pki_x3 c, pki_x s, pki_x3 a)
{
  for (int k = 0; k < 3; k++) {
    c.v[k] = pki_plus_times(g, c.v[k], s, a.v[k]);
  }
  return c;
}

/* c + a . b */
static inline pki_x pki_x3_plus_dot(pki_graph *g, pki_x c, pki_x3 a, pki_x3 b)
{
  for (int k = 0; k < 3; k++) {
    c = pki_plus_times(g, c, a.v[k], b.v[k]);
  }
  return c;
}

static inline pki_x pki_x3_dot(pki_graph *g, pki_x3 a, pki_x3 b)
{
  return pki_plus_times(g, pki_plus_times(g, pki_times(g, a.v[0], b.v[0]), a.v[1], b.v[1]), a.v[2], b.v[2]);
}

/* c + a x b */
static inline pki_x3 pki_x3_plus_cross(pki_graph *g, pki_x3 c, pki_x3 a, pki_x3 b)
{
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    c.v[k] = pki_minus_times(g, pki_plus_times(g, c.v[k], a.v[i], b.v[j]), a.v[j], b.v[i]);
  }
  return c;
}

static inline pki_x3 pki_x3_cross(pki_graph *g, pki_x3 a, pki_x3 b)
{
  pki_x3 c;
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    c.v[k] = pki_minus_times(g, pki_times(g, a.v[i], b.v[j]), a.v[j], b.v[i]);
  }
  return c;
}

static inline pki_x3 pki_x3_col(const pki_x33 *A, int k)
{
  return (pki_x3){{A->m[k], A->m[3 + k], A->m[6 + k]}};
}

static inline pki_x3 pki_x3_row(const pki_x33 *A, int k)
{
  return (pki_x3){{A->m[3 * k], A->m[3 * k + 1], A->m[3 * k + 2]}};
}

static inline pki_x33 pki_x33_const(pki_graph *g, const double m[9])
{
  pki_x33 A;
  for (int k = 0; k < 9; k++) {
    A.m[k] = pki_const(g, m[k]);
  }
  return A;
}

static inline pki_x33 pki_x33_identity(pki_graph *g)
{
  return pki_x33_const(g, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1});
}

/* c + A b */
static inline pki_x3 pki_x33_plus_apply(pki_graph *g, pki_x3 c, const pki_x33 *A, pki_x3 b)
{
  for (int k = 0; k < 3; k++) {
    c.v[k] = pki_x3_plus_dot(g, c.v[k], pki_x3_row(A, k), b);
  }
  return c;
}

static inline pki_x3 pki_x33_apply(pki_graph *g, const pki_x33 *A, pki_x3 b)
{
  pki_x3 out;
  for (int k = 0; k < 3; k++) {
    out.v[k] = pki_x3_dot(g, pki_x3_row(A, k), b);
  }
  return out;
}

static inline pki_x3 pki_x33_apply_t(pki_graph *g, const pki_x33 *A, pki_x3 b)
{
  pki_x3 out;
  for (int k = 0; k < 3; k++) {
    out.v[k] = pki_x3_dot(g, pki_x3_col(A, k), b);
  }
  return out;
}

static inline pki_x33 pki_x33_times(pki_graph *g, const pki_x33 *A, const pki_x33 *B)
{
  pki_x33 C;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      C.m[3 * i + j] = pki_x3_dot(g, pki_x3_row(A, i), pki_x3_col(B, j));
    }
  }
  return C;
}

static inline pki_x33 pki_x33_transposed(const pki_x33 *A)
{
  return (pki_x33){{A->m[0], A->m[3], A->m[6], A->m[1], A->m[4], A->m[7], A->m[2], A->m[5], A->m[8]}};
}

static inline pki_x33 pki_xs3_full(const pki_xs3 *S)
{
  const pki_x *s = S->s;
  return (pki_x33){{s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]}};
}

static inline pki_x3 pki_xs3_apply(pki_graph *g, const pki_xs3 *S, pki_x3 b)
{
  const pki_x33 A = pki_xs3_full(S);
  return pki_x33_apply(g, &A, b);
}

static inline pki_xs3 pki_xs3_plus(pki_graph *g, pki_xs3 a, const pki_xs3 *b)
{
  for (int k = 0; k < 6; k++) {
    a.s[k] = pki_plus(g, a.s[k], b->s[k]);
  }
  return a;
}

#endif
