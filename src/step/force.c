/* Joint forces, and the velocity at the end of a step.
 *
 * A command asks for clamp(tau + kp (q_des - q) + kd (u_des - u), -tau_max, tau_max). Taken at
 * the end of the step, q + reach u_end and u_end stand for q and u:
 *
 *   M (u_end - u) = dt (-h - d u_end + phi(u_end)),   phi_i = clamp(a_i - g_i u_i),
 *   a = tau + kp (q_des - q) + kd u_des,   g = kp reach + kd.
 *
 * phi decreases in u, so u_end minimises a strictly convex, piecewise quadratic function.
 * Without a limit in reach this is one solve with M + dt (d + g) on the diagonal. Otherwise
 * Newton's method on the same function with an exact line search ends after finitely many
 * steps: the limits are part of the solution, not a clipping after it. */
#include <math.h>
#include <string.h>

#include "step/sim.h"

enum { NEWTON_MAX = 100, BISECT_MAX = 60 };

static double clamp(double x, double most)
{
  return x > most ? most : x < -most ? -most : x;
}

/* The command's force law as a_i - g_i u_i before clamping. */
static void force_line(const pk_sim *sim, int k, const double *q, double reach, double *a, double *g)
{
  const pk_command *c = &sim->commands[k];
  const int at = sim->model->dof_q[k];
  const double kp = at >= 0 ? c->kp : 0;
  *a = c->tau + kp * (c->q_des - (at >= 0 ? q[at] : 0)) + c->kd * c->u_des;
  *g = kp * reach + c->kd;
}

void pki_joint_force(const pk_sim *sim, const double *q, const double *u, double *tau, double *out)
{
  const pk_model *m = sim->model;
  for (int k = 0; k < m->nu; k++) {
    double a, g;
    force_line(sim, k, q, 0, &a, &g);
    tau[k] = clamp(a - g * u[k], sim->commands[k].tau_max);
    out[k] = tau[k] - m->dof_damping[k] * u[k];
  }
}

void pki_smooth_acceleration(pk_workspace *w, const double *q, const double *u, const double *tau, double *a)
{
  if (!w->model->has_mimic) {
    w->kernels->aba(&w->work, q, u, tau, a);
    return;
  }
  double *h = w->scratch;
  w->kernels->rnea(&w->work, q, u, NULL, h);
  w->kernels->crba(&w->work);
  w->kernels->ltl_factor(&w->work);
  for (int k = 0; k < w->model->nu; k++) {
    a[k] = tau[k] - h[k];
  }
  w->kernels->ltl_solve(&w->work, a);
}

/* x = inv(M + diag) b at the configuration of the last call above. */
static void solve_again(pk_workspace *w, const double *b, double *x)
{
  if (w->model->has_mimic) {
    memcpy(x, b, (size_t)w->model->nu * sizeof *x);
    w->kernels->crba(&w->work);
    w->kernels->ltl_factor(&w->work);
    w->kernels->ltl_solve(&w->work, x);
  } else {
    w->kernels->aba_factor(&w->work);
    w->kernels->aba_solve(&w->work, b, -1, NULL, x);
  }
}

/* What Newton's method on the limits works with: vectors [nu]. */
typedef struct limits {
  const double *a, *g; /* the force lines */
  double *x;           /* u_end - u */
  double *Mx;          /* M x + dt h */
  double *F;           /* residual: Mx + dt d u_end - dt phi */
  double *dx, *Mdx;
} limits;

/* F at x + t dx; its product with dx comes back. */
static double residual(const pk_sim *sim, const limits *l, double t, double *F)
{
  const double dt = sim->options.dt;
  double slope = 0;
  for (int k = 0; k < sim->model->nu; k++) {
    const double u = sim->u[k] + l->x[k] + t * l->dx[k];
    const double phi = clamp(l->a[k] - l->g[k] * u, sim->commands[k].tau_max);
    F[k] = l->Mx[k] + t * l->Mdx[k] + dt * (sim->model->dof_damping[k] * u - phi);
    slope += F[k] * l->dx[k];
  }
  return slope;
}

/* Where the function is least along dx: its slope rises, so bisection finds the root. */
static double line_search(const pk_sim *sim, const limits *l, double *F)
{
  double lo = 0, hi = 1;
  if (residual(sim, l, 1, F) <= 0) {
    return 1;
  }
  for (int i = 0; i < BISECT_MAX; i++) {
    const double mid = 0.5 * (lo + hi);
    *(residual(sim, l, mid, F) > 0 ? &hi : &lo) = mid;
  }
  return lo;
}

static double largest(const double *v, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(v[i]));
  }
  return most;
}

/* Diagonal of the Newton matrix: armature, damping, and the gains of joints below their limit. */
static void set_diagonal(pk_sim *sim, const limits *l)
{
  const double dt = sim->options.dt;
  pki_work *work = &sim->workspace->work;
  for (int k = 0; k < sim->model->nu; k++) {
    const double u = sim->u[k] + l->x[k];
    const bool free = fabs(l->a[k] - l->g[k] * u) < sim->commands[k].tau_max;
    work->diag[k] = work->params.armature[k] + dt * (sim->model->dof_damping[k] + (free ? l->g[k] : 0));
  }
}

/* Newton's method from a first guess x that ignored the limits. */
static pk_status meet_limits(pk_sim *sim, limits *l, pk_step_info *info)
{
  const int nu = sim->model->nu;
  const size_t bytes = (size_t)nu * sizeof(double);
  memset(l->dx, 0, bytes);
  memset(l->Mdx, 0, bytes);
  residual(sim, l, 0, l->F);
  const double scale = largest(l->Mx, nu) + largest(l->F, nu);
  for (int i = 0; i < NEWTON_MAX; i++) {
    if (largest(l->F, nu) <= 1e-13 * scale) {
      info->iterations = i;
      return PK_OK;
    }
    set_diagonal(sim, l);
    for (int k = 0; k < nu; k++) {
      l->Mdx[k] = -l->F[k];
    }
    solve_again(sim->workspace, l->Mdx, l->dx);
    for (int k = 0; k < nu; k++) {
      const double extra = sim->workspace->work.diag[k] - sim->workspace->work.params.armature[k];
      l->Mdx[k] -= extra * l->dx[k]; /* (M + extra) dx = -F */
    }
    const double t = line_search(sim, l, l->F);
    for (int k = 0; k < nu; k++) {
      l->x[k] += t * l->dx[k];
      l->Mx[k] += t * l->Mdx[k];
    }
    memset(l->dx, 0, bytes);
    memset(l->Mdx, 0, bytes);
    residual(sim, l, 0, l->F);
  }
  return PK_ERROR_CONVERGENCE;
}

/* Explicit: forces at the start of the step. */
static void end_velocity_explicit(pk_sim *sim, const double *q, double *u_end)
{
  const int nu = sim->model->nu;
  pki_work *work = &sim->workspace->work;
  double *force = pki_scratch(sim, 0), *acc = pki_scratch(sim, 1);
  memcpy(work->diag, work->params.armature, (size_t)nu * sizeof(double));
  pki_joint_force(sim, q, sim->u, sim->tau_next, force);
  pki_smooth_acceleration(sim->workspace, q, sim->u, force, acc);
  for (int k = 0; k < nu; k++) {
    u_end[k] = sim->u[k] + sim->options.dt * acc[k];
  }
}

pk_status pki_end_velocity(pk_sim *sim, const double *q, double reach, double *u_end, pk_step_info *info)
{
  const pk_model *m = sim->model;
  const double dt = sim->options.dt;
  if (sim->options.implicit == PK_IMPLICIT_NONE) {
    end_velocity_explicit(sim, q, u_end);
    return PK_OK;
  }
  pki_work *work = &sim->workspace->work;
  double *a = pki_scratch(sim, 0), *g = pki_scratch(sim, 1), *force = pki_scratch(sim, 2),
         *acc = pki_scratch(sim, 3);
  limits l = {.a = a,
              .g = g,
              .x = pki_scratch(sim, 4),
              .Mx = pki_scratch(sim, 5),
              .F = pki_scratch(sim, 6),
              .dx = pki_scratch(sim, 7),
              .Mdx = pki_scratch(sim, 8)};

  /* first as if there were no limits: (M + dt (d + g)) x = dt (a - (d + g) u - h) */
  for (int k = 0; k < m->nu; k++) {
    force_line(sim, k, q, reach, &a[k], &g[k]);
    work->diag[k] = work->params.armature[k] + dt * (m->dof_damping[k] + g[k]);
    force[k] = a[k] - (m->dof_damping[k] + g[k]) * sim->u[k];
  }
  pki_smooth_acceleration(sim->workspace, q, sim->u, force, acc);

  bool beyond = false;
  for (int k = 0; k < m->nu; k++) {
    l.x[k] = dt * acc[k];
    const double f = a[k] - g[k] * (sim->u[k] + l.x[k]);
    beyond |= fabs(f) > sim->commands[k].tau_max;
    /* M x + dt h from the equation just solved */
    l.Mx[k] = dt * force[k] - dt * (m->dof_damping[k] + g[k]) * l.x[k];
  }
  const pk_status status = beyond ? meet_limits(sim, &l, info) : PK_OK;
  for (int k = 0; k < m->nu; k++) {
    u_end[k] = sim->u[k] + l.x[k];
    const double f = a[k] - g[k] * u_end[k];
    sim->tau_next[k] = clamp(f, sim->commands[k].tau_max);
    info->saturated += fabs(f) >= sim->commands[k].tau_max;
  }
  return status;
}
