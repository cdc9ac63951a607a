/* A fixed point over cone programs (Acary, Cadoux, Lemarechal, Malick 2011). With s_i = mu_i |u_Ti|
 * held, the problem is the optimality of a convex program,
 *
 *   min 1/2 r' W r + (q + s e_N)' r   over r in the friction cones,
 *
 * which always has a solution when the cones leave room; s follows its own velocities from program to
 * program. Each program is solved by accelerated projected gradients with restarts (Nesterov;
 * O'Donoghue, Candes 2015). Slow and steady: the last resort. */
#include <math.h>
#include <string.h>

#include "contact/solvers/solver.h"

typedef struct aclm {
  double *y, *next, *s, *velocity; /* [n] */
} aclm;

static aclm take_aclm(pki_arena *arena, const pk_contact_problem *p)
{
  const size_t n = (size_t)pk_contact_size(p);
  aclm a;
  a.y = pki_arena_take(arena, n, sizeof(double));
  a.next = pki_arena_take(arena, n, sizeof(double));
  a.s = pki_arena_take(arena, n, sizeof(double));
  a.velocity = pki_arena_take(arena, n, sizeof(double));
  return a;
}

static void reserve_aclm(pki_arena *arena, const pk_contact_problem *p)
{
  take_aclm(arena, p);
}

/* Projection onto the cone, in place. */
static void onto_cone(double mu, double *x)
{
  const double t = hypot(x[1], x[2]);
  if (t <= mu * x[0] && x[0] >= 0) {
    return;
  }
  const double n = mu * t <= -x[0] ? 0 : (x[0] + mu * t) / (1 + mu * mu);
  const double scale = n > 0 ? mu * n / t : 0;
  x[0] = n, x[1] *= scale, x[2] *= scale;
}

/* next = P(y - step (W y + q + s)) */
static void gradient_step(const pk_contact_problem *p, aclm *a, double step)
{
  const int n = pk_contact_size(p);
  for (int i = 0; i < n; i++) {
    const double shift = i < 3 * p->ncontact && i % 3 == 0 ? a->s[i / 3] : 0;
    a->next[i] = a->y[i] - step * (pki_row_dot(p, i, a->y) + p->q[i] + shift);
  }
  for (int i = 0; i < p->ncontact; i++) {
    onto_cone(p->mu[i], a->next + 3 * i);
  }
  for (int i = 3 * p->ncontact; i < n; i++) {
    a->next[i] = pki_clamp_box(p, i, a->next[i]);
  }
}

/* One convex program, a number of accelerated steps from r. */
static void cone_program(pki_solve *run, aclm *a, double step, int steps)
{
  const int n = pk_contact_size(run->p);
  double *r = run->r, theta = 1;
  memcpy(a->y, r, (size_t)n * sizeof *r);
  for (int k = 0; k < steps && !pki_solve_exhausted(run); k++, run->iterations++) {
    gradient_step(run->p, a, step);
    double turned = 0;
    for (int i = 0; i < n; i++) {
      turned += (a->y[i] - a->next[i]) * (a->next[i] - r[i]);
    }
    theta = turned > 0 ? 1 : theta; /* momentum points uphill: begin again */
    const double after = 0.5 * (1 + sqrt(1 + 4 * theta * theta)), beta = turned > 0 ? 0 : (theta - 1) / after;
    for (int i = 0; i < n; i++) {
      a->y[i] = a->next[i] + beta * (a->next[i] - r[i]);
      r[i] = a->next[i];
    }
    theta = after;
  }
}

static void solve_aclm(pki_solve *run)
{
  const pk_contact_problem *p = run->p;
  const size_t mark = pki_arena_mark(&run->arena);
  aclm a = take_aclm(&run->arena, p);
  const double step = 0.9 / fmax(pki_spectral_radius(p, false, a.y, a.next), 1e-300);
  do {
    pk_contact_velocity(p, run->r, a.velocity);
    for (int i = 0; i < p->ncontact; i++) {
      a.s[i] = p->mu[i] * hypot(a.velocity[3 * i + 1], a.velocity[3 * i + 2]);
    }
    cone_program(run, &a, step, 50);
  } while (!pki_solve_check(run));
  pki_arena_release(&run->arena, mark);
}

const pki_solver_row pki_solver_aclm = {.name = "aclm",
                                        .doc = "fixed point over cone programs",
                                        .solve = solve_aclm,
                                        .reserve = reserve_aclm,
                                        .reads_W = true};
