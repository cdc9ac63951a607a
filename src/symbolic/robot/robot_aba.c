/* Articulated bodies in body axes (src/dynamics/kernels/aba.c has the same in world axes).
 *
 * Without armature what is left of an inertia after its hinge is eliminated has nothing about the hinge's axis,
 *
 *   IA - U U'/D = 0 there, because D = U_k;   with armature d it is d U/D,
 *
 * and what a free body leaves is nothing at all. */
#include <stdlib.h>

#include "model/motion.h"
#include "symbolic/robot/recursion.h"

typedef struct artic {
  pki_xs3 A;
  pki_x33 B;
  pki_xs3 C; /* n = A alpha + B acc, f = B' alpha + C acc */
} artic;

/* What the elimination of a body's joint leaves for the way out. */
typedef struct factor {
  int n;
  pki_x U[6][6], V[6][6]; /* by columns: IA S, and IA S inv(D) */
  pki_x D[36];            /* [n][n] factor of D (pki_robot_factor): of one axis 1/D */
  pki_x6 S[6];
  pki_x rest[6];
} factor;

static pki_x *vector_entry(pki_x6 *v, int k)
{
  pki_x3 *const half[2] = {&v->a, &v->l};
  return &half[k / 3]->v[k % 3];
}

static pki_x vector_value(const pki_x6 *v, int k)
{
  const pki_x3 *const half[2] = {&v->a, &v->l};
  return half[k / 3]->v[k % 3];
}

/* Entry (i, j) of the 6 x 6 matrix. */
static pki_x *artic_at(artic *I, int i, int j)
{
  if (i < 3 && j < 3) {
    return &I->A.s[pki_at(i, j)];
  }
  if (i >= 3 && j >= 3) {
    return &I->C.s[pki_at(i - 3, j - 3)];
  }
  return i < 3 ? &I->B.m[3 * i + j - 3] : &I->B.m[3 * j + i - 3];
}

static artic from_rigid(pki_graph *g, const pki_inertia_x *b)
{
  const pki_x o = pki_const(g, 0), *h = b->h.v;
  return (artic){b->I,
                 {{o, pki_neg(g, h[2]), h[1], h[2], o, pki_neg(g, h[0]), pki_neg(g, h[1]), h[0], o}},
                 {{b->m, o, o, b->m, o, b->m}}};
}

static void add_artic(pki_graph *g, artic *sum, const artic *b)
{
  sum->A = pki_xs3_plus(g, sum->A, &b->A);
  sum->C = pki_xs3_plus(g, sum->C, &b->C);
  for (int k = 0; k < 9; k++) {
    sum->B.m[k] = pki_plus(g, sum->B.m[k], b->B.m[k]);
  }
}

/* IA in the parent's axes, then seen from the foot of r:
 *   B_new = B + r~ C,   A_new = A + r~ B' + (r~ B_new')' */
static artic to_parent(pki_graph *g, const pki_lane_world_x *seat, const artic *I)
{
  artic out = {pki_symmetric_to_parent(g, seat, I->A), pki_matrix_to_parent(g, seat, I->B),
               pki_symmetric_to_parent(g, seat, I->C)};
  const pki_x33 C = pki_xs3_full(&out.C), old = out.B;
  const pki_x *r = seat->r.v;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int c = 0; c < 3; c++) {
      pki_x *const to = &out.B.m[3 * i + c];
      *to = pki_minus_times(g, pki_plus_times(g, *to, r[j], C.m[3 * k + c]), r[k], C.m[3 * j + c]);
    }
  }
  for (int i = 0; i < 3; i++) {
    for (int c = i; c < 3; c++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3, d = (c + 1) % 3, e = (c + 2) % 3;
      pki_x *const to = &out.A.s[pki_at(i, c)];
      *to = pki_minus_times(g, pki_plus_times(g, *to, r[j], old.m[3 * c + k]), r[k], old.m[3 * c + j]);
      *to = pki_minus_times(g, pki_plus_times(g, *to, r[d], out.B.m[3 * i + e]), r[e], out.B.m[3 * i + d]);
    }
  }
  return out;
}

/* ---- one axis ---- */

static int axis_of(const pki_lane_world_x *seat)
{
  return seat->axis + (seat->motion == PK_MOTION_PRISMATIC ? 3 : 0);
}

static void eliminate_axis(const pki_robot *robot, int i, artic *I, pki_x6 *force, const pki_x *tau,
                           factor *f)
{
  pki_graph *const g = robot->g;
  const int k = axis_of(&robot->seat[i]);
  const pki_x d = robot->diag[robot->m->body_u[i]],
              own = pki_times(g, pki_const(g, robot->m->body_gain[i]), tau[0]);
  const bool bare = pki_is_const(g, d, 0);
  const pki_x D = pki_plus(g, *artic_at(I, k, k), d);
  f->n = 1;
  f->D[0] = pki_inverse(g, D);
  f->rest[0] = pki_minus(g, own, vector_value(force, k));
  for (int j = 0; j < 6; j++) {
    f->U[0][j] = *artic_at(I, j, k);
    f->V[0][j] = j == k && bare ? pki_const(g, 1) : pki_times(g, f->U[0][j], f->D[0]);
  }
  for (int r = 0; r < 6; r++) {
    for (int c = r; c < 6; c++) {
      pki_x *const to = artic_at(I, r, c);
      *to = r == k   ? pki_times(g, d, f->V[0][c])
            : c == k ? pki_times(g, d, f->V[0][r])
                     : pki_minus_times(g, *to, f->U[0][r], f->V[0][c]);
    }
    pki_x *const p = vector_entry(force, r);
    *p = r == k && bare ? own : pki_plus_times(g, *p, f->rest[0], f->V[0][r]);
  }
}

static void move_axis(const pki_robot *robot, int i, const factor *f, pki_x6 *delta, pki_x *x)
{
  pki_graph *const g = robot->g;
  const int k = axis_of(&robot->seat[i]);
  /* the axis itself comes last: without armature V_k = 1, and it cancels */
  pki_x rate = pki_times(g, f->D[0], f->rest[0]);
  for (int j = 0; j < 6; j++) {
    if (j != k) {
      rate = pki_minus_times(g, rate, f->V[0][j], vector_value(delta, j));
    }
  }
  const pki_x along = vector_value(delta, k), joint = pki_minus_times(g, rate, f->V[0][k], along);
  x[0] = pki_times(g, pki_const(g, robot->m->body_gain[i]), joint);
  *vector_entry(delta, k) = pki_is_const(g, f->V[0][k], 1) ? rate : pki_plus(g, along, joint);
}

/* ---- several axes ---- */

static pki_x dot_spatial(pki_graph *g, const pki_x6 *a, const pki_x *b)
{
  return pki_x3_plus_dot(g, pki_x3_dot(g, a->a, (pki_x3){{b[0], b[1], b[2]}}), a->l,
                         (pki_x3){{b[3], b[4], b[5]}});
}

/* A free body without armature: in its own axes D is IA itself, and nothing is left. */
static bool is_free(const pki_robot *robot, int i)
{
  bool free = robot->seat[i].motion == PK_MOTION_FLOATING;
  for (int c = 0; c < 6 && free; c++) {
    free = pki_is_const(robot->g, robot->diag[robot->m->body_u[i] + c], 0);
  }
  return free;
}

static void eliminate_free(const pki_robot *robot, int i, artic *I, pki_x6 *force, const pki_x *tau,
                           factor *f)
{
  pki_graph *const g = robot->g;
  const pki_x6 own =
      pki_motion_rate(robot, i, tau); /* forces turn like rates: the columns are normal to each other */
  const pki_x zero = pki_const(g, 0);
  f->n = 6;
  for (int r = 0; r < 6; r++) {
    for (int c = 0; c <= r; c++) {
      f->D[6 * r + c] = *artic_at(I, r, c);
    }
    f->rest[r] = pki_minus(g, vector_value(&own, r), vector_value(force, r));
  }
  pki_robot_factor(g, 6, 0, f->D);
  for (int r = 0; r < 6; r++) {
    for (int c = r; c < 6; c++) {
      *artic_at(I, r, c) = zero;
    }
  }
  *force = own;
}

/* The body's acceleration is its own, whatever the parent does. */
static void move_free(const pki_robot *robot, int i, const factor *f, pki_x6 *delta, pki_x *x)
{
  pki_graph *const g = robot->g;
  const pki_x6 before = *delta;
  pki_x y[6], out[6] = {0};
  for (int k = 0; k < 6; k++) {
    y[k] = f->rest[k];
  }
  pki_robot_solve(g, 6, f->D, y);
  pki_x6 own = before;
  for (int k = 0; k < 6; k++) {
    *vector_entry(delta, k) = y[k];
    *vector_entry(&own, k) = pki_minus(g, y[k], vector_value(&before, k));
  }
  pki_motion_feel(robot, i, own, out);
  for (int c = 0; c < 6; c++) {
    x[c] = out[c];
  }
}

static void eliminate_columns(const pki_robot *robot, int i, artic *I, pki_x6 *force, const pki_x *tau,
                              factor *f)
{
  pki_graph *const g = robot->g;
  const int n = pki_motion_nu(robot->seat[i].motion);
  f->n = n;
  for (int c = 0; c < n; c++) {
    f->S[c] = pki_motion_column(robot, i, c);
    for (int r = 0; r < 6; r++) {
      pki_x row[6];
      for (int k = 0; k < 6; k++) {
        row[k] = *artic_at(I, r, k);
      }
      f->U[c][r] = dot_spatial(g, &f->S[c], row);
    }
    for (int e = 0; e <= c; e++) {
      f->D[c * n + e] = dot_spatial(g, &f->S[c], f->U[e]);
    }
    f->D[c * n + c] = pki_plus(g, f->D[c * n + c], robot->diag[robot->m->body_u[i] + c]);
    pki_x own[6];
    for (int k = 0; k < 6; k++) {
      own[k] = vector_value(force, k);
    }
    f->rest[c] = pki_minus(g, tau[c], dot_spatial(g, &f->S[c], own));
  }
  pki_robot_factor(g, n, 0, f->D);
  for (int r = 0; r < 6; r++) { /* V = U inv(D): each row of U is a right side */
    pki_x x[6];
    for (int c = 0; c < n; c++) {
      x[c] = f->U[c][r];
    }
    pki_robot_solve(g, n, f->D, x);
    for (int c = 0; c < n; c++) {
      f->V[c][r] = x[c];
    }
  }
  for (int c = 0; c < n; c++) {
    for (int r = 0; r < 6; r++) {
      for (int k = r; k < 6; k++) {
        pki_x *const to = artic_at(I, r, k);
        *to = pki_minus_times(g, *to, f->U[c][r], f->V[c][k]);
      }
      pki_x *const p = vector_entry(force, r);
      *p = pki_plus_times(g, *p, f->rest[c], f->V[c][r]);
    }
  }
}

static void move_columns(const pki_robot *robot, const factor *f, pki_x6 *delta, pki_x *x)
{
  pki_graph *const g = robot->g;
  const pki_x6 before = *delta;
  for (int c = 0; c < f->n; c++) {
    x[c] = f->rest[c];
  }
  pki_robot_solve(g, f->n, f->D, x);
  for (int c = 0; c < f->n; c++) {
    x[c] = pki_minus(g, x[c], dot_spatial(g, &before, f->V[c]));
    delta->a = pki_x3_plus_scaled(g, delta->a, x[c], f->S[c].a);
    delta->l = pki_x3_plus_scaled(g, delta->l, x[c], f->S[c].l);
  }
}

/* ---- all bodies ---- */

static void eliminate_joint_x(const pki_robot *robot, int i, artic *I, pki_x6 *force, const pki_x *tau,
                              factor *f)
{
  if (robot->seat[i].motion <= PK_MOTION_PRISMATIC) {
    eliminate_axis(robot, i, I, force, tau, f);
  } else if (is_free(robot, i)) {
    eliminate_free(robot, i, I, force, tau, f);
  } else {
    eliminate_columns(robot, i, I, force, tau, f);
  }
}

static void move_joint(const pki_robot *robot, int i, const factor *f, pki_x6 *delta, pki_x *x)
{
  if (robot->seat[i].motion <= PK_MOTION_PRISMATIC) {
    move_axis(robot, i, f, delta, x);
  } else if (is_free(robot, i)) {
    move_free(robot, i, f, delta, x);
  } else {
    move_columns(robot, f, delta, x);
  }
}

/* What a parent's acceleration does to a body. */
static pki_x6 to_child(pki_graph *g, const pki_lane_world_x *seat, const pki_x6 *parent)
{
  return (pki_x6){pki_to_child(g, seat, parent->a),
                  pki_to_child(g, seat, pki_x3_plus_cross(g, parent->l, parent->a, seat->r))};
}

static void aba_sweep(const pki_robot *robot, pki_moving *moving, const pki_x *tau, artic *I, factor *f,
                      pki_x *a)
{
  pki_graph *const g = robot->g;
  const pk_model *m = robot->m;
  for (int i = 0; i < m->nbody; i++) {
    I[i] = from_rigid(g, &robot->grouped[i]);
  }
  for (int i = m->nbody - 1; i >= 0; i--) {
    const int p = m->body_parent[i];
    eliminate_joint_x(robot, i, &I[i], &moving[i].force, tau + m->body_u[i], &f[i]);
    if (p >= 0) {
      const artic given = to_parent(g, &robot->seat[i], &I[i]);
      const pki_x6 force = pki_force_to_parent(g, &robot->seat[i], moving[i].force);
      add_artic(g, &I[p], &given);
      moving[p].force =
          (pki_x6){pki_x3_plus(g, moving[p].force.a, force.a), pki_x3_plus(g, moving[p].force.l, force.l)};
    }
  }
  pki_x6 *const delta = calloc((size_t)m->nbody + 1, sizeof *delta);
  g->failed |= delta == NULL;
  for (int i = 0; i < m->nbody && delta != NULL; i++) {
    const int p = m->body_parent[i];
    delta[i] = p >= 0 ? to_child(g, &robot->seat[i], &delta[p]) : pki_x6_zero(g);
    move_joint(robot, i, &f[i], &delta[i], a + m->body_u[i]);
  }
  free(delta);
}

bool pki_robot_aba(const pki_robot *robot, const pki_x *u, const pki_x *tau, pki_x *a)
{
  const size_t n = (size_t)robot->m->nbody + 1;
  pki_moving *moving = calloc(n, sizeof *moving);
  artic *I = calloc(n, sizeof *I);
  factor *f = calloc(n, sizeof *f);
  const bool good = moving != NULL && I != NULL && f != NULL;
  if (good) {
    pki_robot_motion(robot, u, NULL, moving);
    aba_sweep(robot, moving, tau, I, f, a);
  }
  free(moving);
  free(I);
  free(f);
  return good && !pki_graph_failed(robot->g);
}
