/* Semi-smooth Newton on the equations of Alart and Curnier (1991) inside a proximal-point loop, with W; the same in
 * velocities is newton_velocity.c. In the coordinates of scaled.h, with r_k of the last round, a round finds y with
 *
 *   y = P(r_k - kappa v),   v = W y + q,      P: r_N = max(x_N, 0),  r_T = P_disc(mu r_N)(x_T), boxes clamped
 *
 * whose solution solves the problem but for v = (r_k - y)/kappa: kappa grows from round to round while they succeed, and
 * falls when one does not. The step of a round is that of active_set.c with sigma = 1/kappa; it is halved until the
 * energy of what is left, (y - P)' W (y - P), falls. The iterate is P, which obeys the bounds of every row. */
#include <math.h>
#include <string.h>

#include "contact/solvers/newton.h"

enum {
  ROUND_STEPS = 40, /* Newton's, in one round */
  HALVINGS = 12,
  IDLE_ROUNDS =
      200 /* rounds that do not improve the residual by a tenth: what creeps may take tens of them */
};
/* kappa: what W + 1/kappa is not singular with to begin with, and where rounding ends; measured, tenfold growth and a later
 * start take more steps. */
static const double kappa_first = 100, kappa_growth = 3, kappa_fall = 0.1, kappa_most = 1e9,
                    kappa_least = 1e-3;
/* A round is good when its velocities are this part of the residual from those of its impulses. */
static const double round_part = 0.1;
static const double armijo = 1e-4;

pki_newton pki_newton_take(pki_arena *arena, const pk_contact_problem *p)
{
  const size_t stride = pki_dense_stride(pk_contact_size(p));
  pki_newton w;
  w.y = pki_arena_take(arena, stride, sizeof(double));
  w.v = pki_arena_take(arena, stride, sizeof(double));
  w.dy = pki_arena_take(arena, stride, sizeof(double));
  w.dv = pki_arena_take(arena, stride, sizeof(double));
  return w;
}

/* z->r = P(centre - kappa (v + t dv)), its velocities z->u; returns the energy of y + t dy - r. */
static double project_line_point(const pki_newton *w, pki_active_set *a, pki_scaled *z, double kappa,
                                 double t)
{
  const pk_contact_problem *p = z->p;
  const int first = 3 * p->ncontact, boxes = first + p->nbilateral;
  double energy = 0;
  for (int i = 0; i < z->n; i++) {
    a->d[i] = a->centre[i] - kappa * (w->v[i] + t * w->dv[i]);
  }
  for (int i = 0; i < p->ncontact; i++) {
    const double *x = a->d + 3 * i, normal = fmax(x[0], 0), limit = p->mu[i] * normal;
    const double size = sqrt(x[1] * x[1] + x[2] * x[2]), side = size <= limit ? 1 : limit / size;
    z->r[3 * i] = normal, z->r[3 * i + 1] = side * x[1], z->r[3 * i + 2] = side * x[2];
  }
  for (int i = first; i < z->n; i++) {
    z->r[i] = i < boxes ? a->d[i] : fmin(fmax(a->d[i], z->lower[i - boxes]), z->upper[i - boxes]);
  }
  pki_scaled_velocity(z);
  for (int i = 0; i < z->n; i++) {
    energy += (w->y[i] + t * w->dy[i] - z->r[i]) * (w->v[i] + t * w->dv[i] - z->u[i]);
  }
  return fmax(energy, 0);
}

/* One Newton step from y, whose P is in z->r and whose d is in a->d; false when nothing falls along it. */
static bool newton_step(pki_newton *w, pki_active_set *a, pki_scaled *z, double kappa, double energy)
{
  pki_active_set_choose(a, z, kappa);
  pki_active_set_soften(a, z, 1 / kappa);
  if (!pki_active_set_solve(a, z, PKI_FACTORS_PIVOTED)) {
    return false;
  }
  pki_scaled_velocity(z);
  for (int i = 0; i < z->n; i++) {
    w->dy[i] = z->r[i] - w->y[i], w->dv[i] = z->u[i] - w->v[i];
  }
  double t = 1;
  bool falls = false;
  for (int k = 0; k < HALVINGS && !falls; k++) {
    t = k > 0 ? 0.5 * t : 1;
    const double slope = 1 - armijo * t;
    falls = project_line_point(w, a, z, kappa, t) < slope * slope * energy;
  }
  for (int i = 0; i < z->n && falls; i++) {
    w->y[i] += t * w->dy[i], w->v[i] += t * w->dv[i];
  }
  return falls;
}

/* How far the round's velocities are from those of its impulses, m/s. */
static double velocity_defect(const pki_newton *w, const pki_scaled *z)
{
  double most = 0;
  for (int i = 0; i < z->n; i++) {
    most = fmax(most, fabs(w->v[i] - z->u[i]) / z->s[i]);
  }
  return most;
}

/* One round from the centre; its impulses are in z->r when it is good. True when the run must stop. */
static bool solve_round(pki_newton *w, pki_active_set *a, pki_scaled *z, pki_solve *run, double kappa,
                        bool *good)
{
  const size_t bytes = (size_t)z->n * sizeof(double);
  memcpy(z->r, a->centre, bytes);
  pki_scaled_velocity(z);
  memcpy(w->y, a->centre, bytes);
  memcpy(w->v, z->u, bytes);
  memset(w->dy, 0, bytes);
  memset(w->dv, 0, bytes);
  *good = false;
  for (int k = 0; k <= ROUND_STEPS; k++) {
    const double energy = project_line_point(w, a, z, kappa, 0);
    if (pki_scaled_check(z, run)) {
      return pki_solve_over(run); /* not finite: the round fails */
    }
    *good = k > 0 && velocity_defect(w, z) <= round_part * run->now_at;
    if (*good || k == ROUND_STEPS) {
      return false;
    }
    run->iterations++;
    if (!newton_step(w, a, z, kappa, energy)) {
      return pki_solve_exhausted(run);
    }
  }
  return false;
}

bool pki_newton_run(pki_newton *w, pki_active_set *a, pki_scaled *z, pki_solve *run, int steps)
{
  const int last = steps < run->limit - run->iterations ? run->iterations + steps : run->limit;
  double kappa = kappa_first, least = INFINITY;
  bool stop = false;
  memcpy(a->centre, z->r, (size_t)z->n * sizeof *a->centre);
  for (int idle = 0; !stop && idle < IDLE_ROUNDS && kappa >= kappa_least && run->iterations < last;) {
    bool good;
    stop = solve_round(w, a, z, run, kappa, &good);
    if (good) {
      memcpy(a->centre, z->r, (size_t)z->n * sizeof *a->centre);
    }
    kappa = good ? fmin(kappa_growth * kappa, kappa_most) : kappa_fall * kappa;
    idle = run->now_at < 0.9 * least ? 0 : idle + 1;
    least = fmin(least, run->now_at);
  }
  return stop;
}

static void solve_newton(pki_solve *run)
{
  const size_t mark = pki_arena_mark(&run->arena);
  pki_scaled z = pki_scaled_take(&run->arena, run->p);
  pki_active_set a = pki_active_set_take(&run->arena, run->p);
  pki_newton w = pki_newton_take(&run->arena, run->p);
  pki_scaled_begin(&z, run);
  pki_newton_run(&w, &a, &z, run, run->limit);
  pki_arena_release(&run->arena, mark);
}

static void reserve_newton(pki_arena *arena, const pk_contact_problem *p)
{
  pki_scaled_take(arena, p);
  pki_active_set_take(arena, p);
  pki_newton_take(arena, p);
}

const pki_solver_row pki_solver_newton = {.name = "newton",
                                          .doc = "Alart-Curnier semi-smooth Newton in a proximal-point loop",
                                          .solve = solve_newton,
                                          .reserve = reserve_newton,
                                          .reads_W = true,
                                          .velocity_form = PK_SOLVER_NEWTON_VELOCITY};
