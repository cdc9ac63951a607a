/* Distance and depth of round shapes to the last digit.
 *
 * With h(n) the largest n'x over A - B, distance and depth both are where h is least over unit n. The border of A - B is
 * made of smooth pieces: sums of a vertex, a rim or an ellipsoid of each shape. On piece i the farthest point s_i(n) slides
 * with n, h_i = n's_i, and the second derivative H_i of h_i is known in closed form (convex.c). Along n + U d, U two unit
 * vectors across n,
 *
 *   h_i(d) = c_i + g_i'd + 1/2 d'(H_i - c_i I) d + ...,   c_i = n's_i,  g_i = U's_i
 *
 * and the least of the largest h_i over the pieces that hold the answer is where
 *
 *   sum l_i (g_i + (H_i - c_i I) d) = 0,  sum l_i = 1,  l_i >= 0,  all h_i equal:
 *
 * Newton's method for that, on one piece, two (an edge) or three (a face). Pieces with l_i < 0 go, a piece that reaches
 * farther at the end comes in. At the end sum l_i s_i = h n: the points of A and B, and with the support of all of A - B
 * the proof of h. */
#include <math.h>
#include <string.h>

#include "collision/narrow/minkowski.h"

enum { PIECES = 3, STEPS = 10, CHANGES = 4 };

typedef struct piece {
  int id[2];
  double a[3], b[3], w[3]; /* s = w = a - b */
  double c, g[2], H[3];    /* H: of the sphere's coordinates, c taken off */
  double share;            /* l */
} piece;

typedef struct newton {
  pki_difference *d;
  int count;
  piece piece[PIECES];
  double n[3], u[2][3];
} newton;

static bool has_piece(const newton *s, const pki_corner *c)
{
  for (int i = 0; i < s->count; i++) {
    if (s->piece[i].id[0] == c->piece[0] && s->piece[i].id[1] == c->piece[1]) {
      return true;
    }
  }
  return false;
}

/* False: there already, or no room. */
static bool add_piece(newton *s, const pki_corner *c)
{
  if (s->count == PIECES || has_piece(s, c)) {
    return false;
  }
  piece *const p = &s->piece[s->count++];
  memcpy(p->id, c->piece, sizeof p->id);
  memcpy(p->a, c->a, sizeof p->a);
  memcpy(p->b, c->b, sizeof p->b);
  return true;
}

static bool evaluate_pieces(newton *s)
{
  const double back[3] = {-s->n[0], -s->n[1], -s->n[2]};
  pki_across3(s->n, s->u[0]);
  pki_cross3(s->n, s->u[0], s->u[1]);
  for (int i = 0; i < s->count; i++) {
    piece *const p = &s->piece[i];
    double H[3];
    if (!pki_convex_slide(&s->d->a, s->n, s->u[0], s->u[1], p->id[0], p->a, p->H) ||
        !pki_convex_slide(&s->d->b, back, s->u[0], s->u[1], p->id[1], p->b, H)) {
      return false;
    }
    pki_sub3(p->a, p->b, p->w);
    p->c = pki_dot3(s->n, p->w);
    p->g[0] = pki_dot3(s->u[0], p->w), p->g[1] = pki_dot3(s->u[1], p->w);
    p->H[0] += H[0] - p->c, p->H[1] += H[1], p->H[2] += H[2] - p->c;
  }
  return true;
}

/* x from two equations; false: they say the same. */
static bool solve_2x2(const double A[4], const double b[2], double x[2])
{
  const double det = A[0] * A[3] - A[1] * A[2];
  const double size = (fabs(A[0]) + fabs(A[1])) * (fabs(A[2]) + fabs(A[3]));
  if (!(fabs(det) > 1e-9 * size)) {
    return false;
  }
  x[0] = (b[0] * A[3] - b[1] * A[1]) / det, x[1] = (A[0] * b[1] - A[2] * b[0]) / det;
  return true;
}

static bool step_one(piece *p, double d[2])
{
  const double A[4] = {p->H[0], p->H[1], p->H[1], p->H[2]}, b[2] = {-p->g[0], -p->g[1]};
  p->share = 1;
  /* a least value, not a saddle */
  return A[0] + A[3] > 0 && A[0] * A[3] > A[1] * A[2] && solve_2x2(A, b, d);
}

/* Along q = g_0 - g_1 the pieces are made equal, across it h falls. */
static bool step_two(piece *p, double d[2])
{
  const double q[2] = {p[0].g[0] - p[1].g[0], p[0].g[1] - p[1].g[1]}, square = q[0] * q[0] + q[1] * q[1];
  const double from = -(q[0] * p[1].g[0] + q[1] * p[1].g[1]) / square;
  if (!isfinite(from)) {
    return false;
  }
  const double l = fmin(fmax(from, 0), 1);
  double H[3];
  for (int k = 0; k < 3; k++) {
    H[k] = l * p[0].H[k] + (1 - l) * p[1].H[k];
  }
  const double t = (p[1].c - p[0].c) / square, r[2] = {-q[1], q[0]};
  d[0] = t * q[0], d[1] = t * q[1];
  const double bend = H[0] * r[0] * r[0] + 2 * H[1] * r[0] * r[1] + H[2] * r[1] * r[1];
  const double slope =
      r[0] * (p[1].g[0] + H[0] * d[0] + H[1] * d[1]) + r[1] * (p[1].g[1] + H[1] * d[0] + H[2] * d[1]);
  if (!(bend > 0)) {
    return false;
  }
  d[0] -= slope / bend * r[0], d[1] -= slope / bend * r[1];
  p[0].share =
      -(q[0] * (p[1].g[0] + H[0] * d[0] + H[1] * d[1]) + q[1] * (p[1].g[1] + H[1] * d[0] + H[2] * d[1])) /
      square;
  p[1].share = 1 - p[0].share;
  return true;
}

/* Three pieces are equal in one direction only. */
static bool step_three(piece *p, double d[2])
{
  const double A[4] = {p[0].g[0] - p[2].g[0], p[0].g[1] - p[2].g[1], p[1].g[0] - p[2].g[0],
                       p[1].g[1] - p[2].g[1]};
  const double T[4] = {A[0], A[2], A[1], A[3]};
  double l[2];
  if (!solve_2x2(A, (double[2]){p[2].c - p[0].c, p[2].c - p[1].c}, d) ||
      !solve_2x2(T, (double[2]){-p[2].g[0], -p[2].g[1]}, l)) {
    return false;
  }
  p[0].share = l[0], p[1].share = l[1], p[2].share = 1 - l[0] - l[1];
  return true;
}

/* The next step and the shares. */
static bool support_newton_step(newton *s, double d[2])
{
  return evaluate_pieces(s) && (s->count == 1   ? step_one(s->piece, d)
                                : s->count == 2 ? step_two(s->piece, d)
                                                : step_three(s->piece, d));
}

/* Newton's steps on the pieces there are. */
static bool iterate_pieces(newton *s)
{
  for (int i = 0; i < STEPS; i++) {
    double d[2];
    if (!support_newton_step(s, d)) {
      return false;
    }
    const double length = sqrt(d[0] * d[0] + d[1] * d[1]);
    if (!(length < 1)) {
      return false;
    }
    pki_along3(s->n, d[0], s->u[0], s->n);
    pki_along3(s->n, d[1], s->u[1], s->n);
    const double scale = 1 / sqrt(1 + length * length);
    for (int k = 0; k < 3; k++) {
      s->n[k] *= scale;
    }
    if (length < 2e-8) { /* what is left is its square */
      return support_newton_step(s, d);
    }
  }
  return false;
}

/* Without the piece that pulls the wrong way; false: none does. */
static bool drop_wrong_piece(newton *s)
{
  int worst = 0;
  for (int i = 1; i < s->count; i++) {
    worst = s->piece[i].share < s->piece[worst].share ? i : worst;
  }
  if (!(s->piece[worst].share < 0)) {
    return false;
  }
  s->piece[worst] = s->piece[--s->count];
  return true;
}

static void write_least_support(const newton *s, pki_least *out)
{
  *out = (pki_least){.h = -INFINITY};
  memcpy(out->normal, s->n, sizeof out->normal);
  for (int i = 0; i < s->count; i++) {
    const piece *const p = &s->piece[i];
    pki_along3(out->a, p->share, p->a, out->a);
    pki_along3(out->b, p->share, p->b, out->b);
    out->h = fmax(out->h, p->c);
  }
}

bool pki_least_find(pki_difference *d, const pki_corner *const corner[], int count, const double start[3],
                    double scale, pki_least *out)
{
  newton s = {.d = d};
  bool whole = true;
  memcpy(s.n, start, sizeof s.n);
  for (int i = 0; i < count; i++) {
    whole = (add_piece(&s, corner[i]) || has_piece(&s, corner[i])) && whole;
  }
  for (int change = 0; change < CHANGES; change++) {
    if (!iterate_pieces(&s)) {
      return false;
    }
    if (drop_wrong_piece(&s)) {
      whole = false;
      continue;
    }
    write_least_support(&s, out);
    out->whole = whole;
    pki_corner c;
    pki_difference_support(d, s.n, &c);
    const double h = pki_dot3(s.n, c.w);
    if (h <= out->h + 1e-13 * fabs(out->h) + 1e-15 * scale) {
      double beside[3];
      pki_sub3(out->a, out->b, beside);
      pki_along3(beside, -out->h, s.n, beside);
      out->h = fmax(h, out->h);
      return pki_length3(beside) <= 1e-11 * scale;
    }
    if (!add_piece(&s, &c)) {
      return false;
    }
  }
  return false;
}
