/* Projected Jacobi and Gauss-Seidel in impulses (Gehring et al. 2014, equations 13 to 16):
 *
 *   r_N := max(r_N - alpha/W_NN xi_N, 0)
 *   r_T := P_disc(mu r_N)(r_T - alpha/W_TT xi_T)       W_TT the larger of the two diagonal values
 *   r_B := r_B - alpha/W_BB xi_B,   box rows clamped
 *
 * Jacobi takes all velocities before it changes an impulse; Gauss-Seidel takes each one with
 * what is known by then, the normal before the tangents. */
#include <math.h>

#include "contact/solver.h"

/* r_T - step u_T brought back onto the disc of radius `limit`. */
static void project_disc(double *r, const double *u, double step, double limit)
{
  const double x = r[0] - step * u[0], y = r[1] - step * u[1];
  const double size = hypot(x, y);
  const double scale = size > limit ? limit / size : 1;
  r[0] = scale * x, r[1] = scale * y;
}

static double tangent_diagonal(const pk_contact_problem *p, int contact)
{
  return fmax(pki_entry(p, 3 * contact + 1, 3 * contact + 1), pki_entry(p, 3 * contact + 2, 3 * contact + 2));
}

size_t pki_jor_memsize(const pk_contact_problem *p)
{
  return 2 * ((size_t)pk_contact_size(p) * sizeof(double) + PKI_ALIGN);
}

/* Jacobi converges for alpha below 2 over the spectral radius of inv(D) W. */
static double jor_alpha(pki_solve *run)
{
  const size_t n = (size_t)pk_contact_size(run->p), mark = pki_arena_mark(&run->arena);
  double *x = pki_arena_take(&run->arena, n, sizeof *x), *y = pki_arena_take(&run->arena, n, sizeof *y);
  const double radius = pki_spectral_radius(run->p, true, x, y);
  pki_arena_release(&run->arena, mark);
  return fmin(1, 1.2 / fmax(radius, 1e-300));
}

void pki_solve_jor(pki_solve *run)
{
  const pk_contact_problem *p = run->p;
  const int n = pk_contact_size(p);
  const double alpha = run->options->alpha > 0 ? run->options->alpha : jor_alpha(run);
  double *r = run->r;
  do {
    const double *u = run->u; /* W r + q from the last check */
    for (int i = 0; i < p->ncontact; i++) {
      double *ri = r + 3 * i;
      ri[0] = fmax(ri[0] - alpha / pki_entry(p, 3 * i, 3 * i) * u[3 * i], 0);
      project_disc(ri + 1, u + 3 * i + 1, alpha / tangent_diagonal(p, i), p->mu[i] * ri[0]);
    }
    for (int i = 3 * p->ncontact; i < n; i++) {
      r[i] = pki_clamp_box(p, i, r[i] - alpha / pki_entry(p, i, i) * u[i]);
    }
    run->iterations++;
  } while (!pki_solve_check(run));
}

enum { CHECK_EVERY = 4 }; /* sweeps between two looks of the judge, which cost as much as a sweep */

void pki_solve_sor(pki_solve *run)
{
  const pk_contact_problem *p = run->p;
  const int n = pk_contact_size(p);
  const double alpha = run->options->alpha > 0 ? run->options->alpha : 1;
  double *r = run->r;
  do {
    for (int k = 0; k < CHECK_EVERY && run->iterations < run->limit; k++, run->iterations++) {
      for (int i = 0; i < p->ncontact; i++) {
        double *ri = r + 3 * i;
        const double un = pki_row_dot(p, 3 * i, r) + p->q[3 * i];
        ri[0] = fmax(ri[0] - alpha / pki_entry(p, 3 * i, 3 * i) * un, 0);
        const double ut[2] = {pki_row_dot(p, 3 * i + 1, r) + p->q[3 * i + 1],
                              pki_row_dot(p, 3 * i + 2, r) + p->q[3 * i + 2]};
        project_disc(ri + 1, ut, alpha / tangent_diagonal(p, i), p->mu[i] * ri[0]);
      }
      for (int i = 3 * p->ncontact; i < n; i++) {
        r[i] = pki_clamp_box(p, i, r[i] - alpha / pki_entry(p, i, i) * (pki_row_dot(p, i, r) + p->q[i]));
      }
    }
  } while (!pki_solve_check(run));
}
