#include "control/impulse_program.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"

/* Forces are chosen so that they are small beside what they move: this part of the response to each counts as an error. */
static const double regular = 1e-4;

typedef struct scratch {
  int n;                     /* unknowns, and velocities that are asked for */
  int feet, foot[PKI_IMPULSE_FEET]; /* that count in this round */
  double *u_free, *h, *move; /* [nu] */
  double *G;                 /* [n][nu] response to each unknown */
  double *A, *b, *weight;    /* [n][n], [n] what is asked for: A x = b; weights, squared */
  double *H, *g, *x;         /* the cone program */
  double *lower, *upper, *friction, *limit;
  double *q_row, *u_end;                    /* [nq], [nu] */
  pki_followed followed[PKI_IMPULSE_FEET];
  double pull[3 * PKI_IMPULSE_FEET]; /* multipliers: what is added to c, m/s */
  bool landed[PKI_IMPULSE_FEET];     /* in some round */
  void *cone;
} scratch;

static scratch take_scratch(int nu, int joints, int feet, pki_arena *arena)
{
  const size_t n = (size_t)(joints + 3 * feet), velocities = (size_t)nu, real = sizeof(double);
  scratch s = {.n = (int)n};
  s.u_free = pki_arena_take(arena, velocities, real);
  s.h = pki_arena_take(arena, velocities, real);
  s.move = pki_arena_take(arena, velocities, real);
  s.G = pki_arena_take(arena, n * velocities, real);
  s.A = pki_arena_take(arena, n * n, real);
  s.b = pki_arena_take(arena, n, real);
  s.weight = pki_arena_take(arena, n, real);
  s.H = pki_arena_take(arena, n * n, real);
  s.g = pki_arena_take(arena, n, real);
  s.x = pki_arena_take(arena, n, real);
  s.lower = pki_arena_take(arena, (size_t)joints, real);
  s.upper = pki_arena_take(arena, (size_t)joints, real);
  s.friction = pki_arena_take(arena, (size_t)feet, real);
  s.limit = pki_arena_take(arena, (size_t)feet, real);
  s.q_row = pki_arena_take(arena, velocities + 64, real);
  s.u_end = pki_arena_take(arena, velocities, real);
  s.cone = pki_arena_take(arena, pki_cone_program_size(joints, feet, 1), 1);
  return s;
}

size_t pki_impulse_program_size(int nu, int joints, int feet)
{
  pki_arena arena = pki_arena_over(NULL, 0);
  take_scratch(nu, joints, feet, &arena);
  return arena.used;
}

/* The factor of M with damping at the end of the step, the velocity without impulses, and the response to motors. */
static void find_responses(const pki_impulse_program *p, pk_workspace *w, const double *q, const double *u, scratch *s)
{
  const pk_model *m = w->model;
  pki_reset_diagonal(&w->work);
  for (int k = 0; k < m->nu; k++) {
    w->work.diag[k] += p->dt * (m->dof_damping[k] + p->dt * m->dof_stiffness[k]);
  }
  w->kernels->inertial(&w->work, q, u, s->h);
  w->kernels->ltl_factor(&w->work);
  for (int k = 0; k < m->nu; k++) {
    double force = -s->h[k] - m->dof_damping[k] * u[k];
    if (m->dof_stiffness[k] > 0) {
      force += m->dof_stiffness[k] * (m->dof_spring_ref[k] - q[m->dof_q[k]] - p->dt * u[k]);
    }
    s->u_free[k] = p->dt * force;
  }
  pki_plan_solve(w, s->u_free);
  for (int k = 0; k < m->nu; k++) {
    s->u_free[k] += u[k];
  }
  for (int i = 0; i < p->joints; i++) {
    double *const G = s->G + (size_t)i * (size_t)m->nu;
    memset(G, 0, (size_t)m->nu * sizeof *G);
    G[p->dof[i]] = 1;
    pki_plan_solve(w, G);
    s->lower[i] = -p->dt * p->most[i], s->upper[i] = p->dt * p->most[i];
  }
  pki_reset_diagonal(&w->work);
}

/* J' of a direction at a foot, into out [nu]. */
static void foot_column(const pk_workspace *w, const pki_contact *c, const double axis[3], double *out)
{
  const double *o = w->work.origin + 3 * ((size_t)c->body + 1);
  const double arm[3] = {c->point[0] - o[0], c->point[1] - o[1], c->point[2] - o[2]};
  double wrench[6];
  pki_cross3(arm, axis, wrench);
  memcpy(wrench + 3, axis, 3 * sizeof *axis);
  memset(out, 0, (size_t)w->model->nu * sizeof *out);
  pki_add_wrench(&w->work, c->body, wrench, out);
}

static double dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

/* Feet that count in this round: those that stand, and those that land in the motion u_end. They are followed to its end. */
static void choose_feet(const pki_impulse_program *p, pk_workspace *w, const double *q, scratch *s)
{
  w->kernels->config_add(w->model, q, p->dt, s->u_end, s->q_row);
  w->kernels->kinematics(&w->work, s->q_row);
  s->feet = 0;
  for (int i = 0; i < p->feet; i++) {
    pki_follow_measure(&w->work, 0, &s->followed[i]);
    s->landed[i] |= p->standing[i].lands && s->followed[i].moved[0] < 0;
    if (!p->standing[i].lands || s->landed[i]) {
      s->friction[s->feet] = p->standing[i].lands ? 0 : p->standing[i].friction;
      s->limit[s->feet] = INFINITY;
      s->foot[s->feet++] = i;
    }
  }
  s->n = p->joints + 3 * s->feet;
}

/* Rows of feet at half of the motion, with their offsets, and their responses. */
static void take_feet(const pki_impulse_program *p, pk_workspace *w, const double *q, scratch *s)
{
  const pk_model *m = w->model;
  const int nu = m->nu;
  w->kernels->config_add(m, q, 0.5 * p->dt, s->u_end, s->q_row);
  w->kernels->kinematics(&w->work, s->q_row);
  w->kernels->velocities(&w->work, s->u_end);
  for (int f = 0; f < s->feet; f++) {
    const int i = s->foot[f];
    pki_contact c = p->standing[i].contact;
    pki_follow_rows(&w->work, 0, p->dt, &s->followed[i], &c);
    for (int d = 0; d < 3; d++) {
      const int row = p->joints + 3 * f + d;
      double *const G = s->G + (size_t)row * (size_t)nu;
      foot_column(w, &c, s->followed[i].axes + 3 * d, s->move);
      s->b[row] = -(dot(s->move, s->u_free, nu) + s->followed[i].offset[d] + s->pull[3 * i + d]);
      s->weight[row] = d == 0 || !p->standing[i].lands ? p->weight * p->weight : 0;
      memcpy(G, s->move, (size_t)nu * sizeof *G);
      pki_plan_solve(w, G);
      for (int k = 0; k <= row; k++) {
        s->A[row * s->n + k] = dot(s->move, s->G + (size_t)k * (size_t)nu, nu);
      }
    }
  }
}

/* A and b of what is asked for, with weights; H = A'A and g = -A'b. */
static void make_program(const pki_impulse_program *p, const pk_model *m, scratch *s)
{
  const int n = s->n;
  for (int i = 0; i < p->joints; i++) {
    s->b[i] = p->velocity[i] - s->u_free[p->dof[i]];
    s->weight[i] = 1;
    for (int k = 0; k < n; k++) {
      s->A[i * n + k] = s->G[(size_t)k * (size_t)m->nu + (size_t)p->dof[i]];
    }
  }
  for (int i = p->joints; i < n; i++) { /* W is symmetric */
    for (int k = i + 1; k < n; k++) {
      s->A[i * n + k] = s->A[k * n + i];
    }
  }
  memset(s->H, 0, (size_t)n * (size_t)n * sizeof *s->H);
  memset(s->g, 0, (size_t)n * sizeof *s->g);
  for (int r = 0; r < n; r++) {
    const double *const row = s->A + r * n, small = regular * row[r] * (r < p->joints ? 1 : p->weight);
    for (int i = 0; i < n && s->weight[r] > 0; i++) {
      const double a = s->weight[r] * row[i];
      for (int k = i; k < n; k++) {
        s->H[i * n + k] += a * row[k];
      }
      s->g[i] -= a * s->b[r];
    }
    s->H[r * n + r] += small * small;
  }
}

/* u_end by the unknowns, and what feet that shall stand still move. */
static void respond(const pki_impulse_program *p, const pk_model *m, scratch *s, pki_impulse_solution *out)
{
  memcpy(s->u_end, s->u_free, (size_t)m->nu * sizeof *s->u_end);
  for (int i = 0; i < s->n; i++) {
    for (int k = 0; k < m->nu; k++) {
      s->u_end[k] += s->x[i] * s->G[(size_t)i * (size_t)m->nu + (size_t)k];
    }
  }
  out->moved = 0;
  for (int row = p->joints; row < s->n; row++) {
    const int i = s->foot[(row - p->joints) / 3], d = (row - p->joints) % 3;
    /* A x - b holds the multipliers */
    const double moved = dot(s->A + row * s->n, s->x, s->n) - s->b[row] - s->pull[3 * i + d];
    if (!p->standing[i].lands) {
      s->pull[3 * i + d] += moved;
      out->moved = fmax(out->moved, p->dt * fabs(moved));
    }
  }
}

/* Unknowns of the feet that count, from the impulses of all feet, and back. */
static void gather_feet(const pki_impulse_program *p, scratch *s, const double *foot)
{
  for (int f = 0; f < s->feet; f++) {
    memcpy(s->x + p->joints + 3 * f, foot + 3 * s->foot[f], 3 * sizeof *foot);
  }
}

static void scatter_feet(const pki_impulse_program *p, const scratch *s, double *foot)
{
  memset(foot, 0, 3 * (size_t)p->feet * sizeof *foot);
  for (int f = 0; f < s->feet; f++) {
    memcpy(foot + 3 * s->foot[f], s->x + p->joints + 3 * f, 3 * sizeof *foot);
  }
}

void pki_impulse_program_solve(const pki_impulse_program *p, pk_workspace *w, const double *q, const double *u,
                               bool warm, void *memory, pki_impulse_solution *out)
{
  const pk_model *m = w->model;
  const pki_cone_kernels *kernels = pki_cone_kernels_get(1);
  pki_arena arena = pki_arena_over(memory, pki_impulse_program_size(m->nu, p->joints, p->feet));
  scratch s = take_scratch(m->nu, p->joints, p->feet, &arena);
  pki_cone_result result = {.residual = {0}};
  memcpy(s.x, out->impulse, (size_t)p->joints * sizeof *s.x);
  find_responses(p, w, q, u, &s);
  memcpy(s.u_end, u, (size_t)m->nu * sizeof *s.u_end);
  w->kernels->kinematics(&w->work, q);
  for (int i = 0; i < p->feet; i++) {
    pki_follow_begin(&w->work, 0, &p->standing[i].contact, p->standing[i].radius, &s.followed[i]);
  }
  for (int round = 0; round < p->rounds; round++) {
    choose_feet(p, w, q, &s);
    take_feet(p, w, q, &s);
    make_program(p, m, &s);
    gather_feet(p, &s, out->foot);
    const pki_cone_program program = {.boxes = p->joints,
                                      .cones = s.feet,
                                      .H = s.H,
                                      .g = s.g,
                                      .lower = s.lower,
                                      .upper = s.upper,
                                      .friction = s.friction,
                                      .limit = s.limit};
    kernels->solve(&program, &(bool){warm || round > 0}, s.x, s.cone, &result);
    scatter_feet(p, &s, out->foot);
    respond(p, m, &s, out);
  }
  out->residual = result.residual[0];
  memcpy(out->impulse, s.x, (size_t)p->joints * sizeof *s.x);
  for (int i = 0; i < p->joints; i++) {
    out->rate[i] = s.u_end[p->dof[i]];
  }
}
