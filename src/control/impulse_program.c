#include "control/impulse_program.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"

/* Forces are chosen so that they are small beside what they move: this part of the response to each counts as an error. */
static const double regular = 1e-4;

/* w, 1/m. */
static const double standing_weight = 30;

enum { ROUNDS = 8 };

/* Residual of the cone programs that is enough: feet then move by much less than they may. */
static const double accuracy = 1e-7;

/* m, or rad: rounds end when the motion changes by less, and standing feet move by less. */
static const double close = 1e-7;

typedef struct scratch {
  double changed; /* m or rad, by the last round: the motion of the step */
  int n;          /* unknowns, and velocities that are asked for */
  int boxes;      /* joints, and feet that land */
  int landing, lands[PKI_IMPULSE_FEET], standing, stands[PKI_IMPULSE_FEET]; /* in this round */
  double *u_free, *h, *move;                                                /* [nu] */
  double *G;              /* [n][nu] response to each unknown */
  double *A, *b, *weight; /* [n][n], [n] what is asked for: A x = b; weights, squared */
  double *H, *g, *x;      /* the cone program */
  double *lower, *upper, *friction, *limit;
  double *q_row, *u_end; /* [nq], [nu] */
  pki_followed followed[PKI_IMPULSE_FEET];
  double pull[3 * PKI_IMPULSE_FEET]; /* multipliers: what is added to c, m/s */
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
  s.lower = pki_arena_take(arena, (size_t)(joints + feet), real);
  s.upper = pki_arena_take(arena, (size_t)(joints + feet), real);
  s.friction = pki_arena_take(arena, (size_t)feet, real);
  s.limit = pki_arena_take(arena, (size_t)feet, real);
  s.q_row = pki_arena_take(arena, velocities + 64, real);
  s.u_end = pki_arena_take(arena, velocities, real);
  s.cone = pki_arena_take(arena, pki_cone_program_size(joints + feet, feet, 1), 1);
  return s;
}

size_t pki_impulse_program_size(int nu, int joints, int feet)
{
  pki_arena arena = pki_arena_over(NULL, 0);
  take_scratch(nu, joints, feet, &arena);
  return arena.used;
}

/* The factor of M with damping at the end of the step, the velocity without impulses, and the response to motors. */
static void find_responses(const pki_impulse_program *p, pk_workspace *w, const double *q, const double *u,
                           scratch *s)
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

/* Feet that land have an unknown each, after those of the joints, and those that stand three, after these. A foot lands that the motion u_end
 * would bring below the ground, or that pushes already (`foot`: impulses of the last round). All are followed to the end of the motion. */
static void choose_feet(const pki_impulse_program *p, pk_workspace *w, const double *q, const double *foot,
                        scratch *s)
{
  w->kernels->config_add(w->model, q, p->dt, s->u_end, s->q_row);
  w->kernels->kinematics(&w->work, s->q_row);
  s->landing = s->standing = 0;
  for (int i = 0; i < p->feet; i++) {
    pki_follow_measure(&w->work, 0, &s->followed[i]);
    if (!p->standing[i].lands) {
      s->friction[s->standing] = p->standing[i].friction, s->limit[s->standing] = INFINITY;
      s->stands[s->standing++] = i;
    } else if (foot[3 * i] > 0 || s->followed[i].moved[0] < 0) {
      s->lower[p->joints + s->landing] = 0, s->upper[p->joints + s->landing] = INFINITY;
      s->lands[s->landing++] = i;
    }
  }
  s->boxes = p->joints + s->landing;
  s->n = s->boxes + 3 * s->standing;
}

/* The row of foot i along its axis d: its response to all unknowns before it, and what it asks for. */
static void add_foot_row(pk_workspace *w, const pki_contact *c, int i, int d, int row, scratch *s)
{
  const int nu = w->model->nu;
  double *const G = s->G + (size_t)row * (size_t)nu;
  foot_column(w, c, s->followed[i].axes + 3 * d, s->move);
  s->b[row] = -(dot(s->move, s->u_free, nu) + s->followed[i].offset[d] + s->pull[3 * i + d]);
  s->weight[row] = standing_weight * standing_weight;
  memcpy(G, s->move, (size_t)nu * sizeof *G);
  pki_plan_solve(w, G);
  for (int k = 0; k <= row; k++) {
    s->A[row * s->n + k] = dot(s->move, s->G + (size_t)k * (size_t)nu, nu);
  }
}

/* Rows of feet at half of the motion, with their offsets, and their responses. */
static void take_feet(const pki_impulse_program *p, pk_workspace *w, const double *q, scratch *s)
{
  w->kernels->config_add(w->model, q, 0.5 * p->dt, s->u_end, s->q_row);
  w->kernels->kinematics(&w->work, s->q_row);
  w->kernels->velocities(&w->work, s->u_end);
  for (int f = 0; f < s->landing + s->standing; f++) {
    const bool lands = f < s->landing;
    const int i = lands ? s->lands[f] : s->stands[f - s->landing];
    pki_contact c = p->standing[i].contact;
    pki_follow_rows(&w->work, 0, p->dt, &s->followed[i], &c);
    for (int d = 0; d < (lands ? 1 : 3); d++) {
      add_foot_row(w, &c, i, d, lands ? p->joints + f : s->boxes + 3 * (f - s->landing) + d, s);
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
  for (int i = p->joints; i < n; i++) { /* A is symmetric */
    for (int k = i + 1; k < n; k++) {
      s->A[i * n + k] = s->A[k * n + i];
    }
  }
  memset(s->H, 0, (size_t)n * (size_t)n * sizeof *s->H);
  memset(s->g, 0, (size_t)n * sizeof *s->g);
  for (int r = 0; r < n; r++) {
    const double *const row = s->A + r * n, small = regular * row[r] * sqrt(s->weight[r]);
    for (int i = 0; i < n; i++) {
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
  memcpy(s->move, s->u_end, (size_t)m->nu * sizeof *s->move);
  memcpy(s->u_end, s->u_free, (size_t)m->nu * sizeof *s->u_end);
  for (int i = 0; i < s->n; i++) {
    for (int k = 0; k < m->nu; k++) {
      s->u_end[k] += s->x[i] * s->G[(size_t)i * (size_t)m->nu + (size_t)k];
    }
  }
  out->moved = s->changed = 0;
  for (int k = 0; k < m->nu; k++) {
    s->changed = fmax(s->changed, p->dt * fabs(s->u_end[k] - s->move[k]));
  }
  for (int row = p->joints; row < s->n; row++) {
    const bool lands = row < s->boxes;
    double *const pull = lands ? &s->pull[3 * s->lands[row - p->joints]]
                               : &s->pull[3 * s->stands[(row - s->boxes) / 3] + (row - s->boxes) % 3];
    const double moved = dot(s->A + row * s->n, s->x, s->n) - s->b[row] - *pull; /* b has it already */
    if (!lands || s->x[row] > 0) {
      *pull += moved;
      out->moved = fmax(out->moved, p->dt * fabs(moved));
    }
  }
}

/* Unknowns of the feet that count, from the impulses of all feet, and back. */
static void gather_feet(const pki_impulse_program *p, scratch *s, const double *foot)
{
  for (int f = 0; f < s->landing; f++) {
    s->x[p->joints + f] = foot[3 * s->lands[f]];
  }
  for (int f = 0; f < s->standing; f++) {
    memcpy(s->x + s->boxes + 3 * f, foot + 3 * s->stands[f], 3 * sizeof *foot);
  }
}

static void scatter_feet(const pki_impulse_program *p, const scratch *s, double *foot)
{
  memset(foot, 0, 3 * (size_t)p->feet * sizeof *foot);
  for (int f = 0; f < s->landing; f++) {
    foot[3 * s->lands[f]] = s->x[p->joints + f];
  }
  for (int f = 0; f < s->standing; f++) {
    memcpy(foot + 3 * s->stands[f], s->x + s->boxes + 3 * f, 3 * sizeof *foot);
  }
}

void pki_impulse_program_solve(const pki_impulse_program *p, pk_workspace *w, const double *q,
                               const double *u, bool warm, void *memory, pki_impulse_solution *out)
{
  const pk_model *m = w->model;
  const pki_cone_kernels *kernels = pki_cone_kernels_get(1);
  pki_arena arena = pki_arena_over(memory, pki_impulse_program_size(m->nu, p->joints, p->feet));
  scratch s = take_scratch(m->nu, p->joints, p->feet, &arena);
  pki_cone_result result = {.residual = {0}};
  for (int i = 0; i < p->feet; i++) { /* nothing lands at first */
    out->foot[3 * i] = p->standing[i].lands ? 0 : out->foot[3 * i];
  }
  memcpy(s.x, out->impulse, (size_t)p->joints * sizeof *s.x);
  find_responses(p, w, q, u, &s);
  memcpy(s.u_end, u, (size_t)m->nu * sizeof *s.u_end);
  w->kernels->kinematics(&w->work, q);
  w->kernels->velocities(&w->work, u);
  for (int i = 0; i < p->feet; i++) {
    pki_follow_begin(&w->work, 0, p->dt, &p->standing[i].contact, p->standing[i].radius, &s.followed[i]);
  }
  bool settled = false;
  for (int round = 0; round < ROUNDS && !settled; round++) {
    choose_feet(p, w, q, out->foot, &s);
    take_feet(p, w, q, &s);
    make_program(p, m, &s);
    gather_feet(p, &s, out->foot);
    const pki_cone_program program = {.boxes = s.boxes,
                                      .cones = s.standing,
                                      .H = s.H,
                                      .g = s.g,
                                      .lower = s.lower,
                                      .upper = s.upper,
                                      .friction = s.friction,
                                      .limit = s.limit,
                                      .accuracy = accuracy};
    const bool guessed = warm || round > 0;
    kernels->solve(&program, &guessed, s.x, s.cone, &result);
    scatter_feet(p, &s, out->foot);
    respond(p, m, &s, out);
    settled = s.changed < close && out->moved < close;
  }
  out->residual = result.residual[0];
  memcpy(out->impulse, s.x, (size_t)p->joints * sizeof *s.x);
  for (int i = 0; i < p->joints; i++) {
    out->rate[i] = s.u_end[p->dof[i]];
  }
}
