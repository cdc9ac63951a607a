/* The judge. It takes a problem and impulses and says how far the laws are from being met; it
 * shares no code with the solvers but the product W r. */
#include <float.h>
#include <math.h>

#include "contact/problem.h"

/* Projection onto the friction cone |x_T| <= mu x_N. */
static void project_cone(double mu, const double x[3], double out[3])
{
  const double t = hypot(x[1], x[2]);
  if (t <= mu * x[0] && x[0] >= 0) {
    out[0] = x[0], out[1] = x[1], out[2] = x[2];
  } else if (mu * t <= -x[0]) {
    out[0] = out[1] = out[2] = 0; /* in the polar cone */
  } else {
    const double n = (x[0] + mu * t) / (1 + mu * mu);
    out[0] = n, out[1] = mu * n * x[1] / t, out[2] = mu * n * x[2] / t;
  }
}

/* |r - P_K(r - rho (u + mu |u_T| e_N))| */
static double natural_residual(double mu, const double r[3], const double u[3], double rho)
{
  const double x[3] = {r[0] - rho * (u[0] + mu * hypot(u[1], u[2])), r[1] - rho * u[1], r[2] - rho * u[2]};
  double p[3];
  project_cone(mu, x, p);
  return sqrt((r[0] - p[0]) * (r[0] - p[0]) + (r[1] - p[1]) * (r[1] - p[1]) + (r[2] - p[2]) * (r[2] - p[2]));
}

static void raise(double *most, double value)
{
  *most = value > *most || isnan(value) ? value : *most;
}

static void judge(pk_certificate *c, double residual, int row)
{
  if (residual > c->residual || isnan(residual)) {
    c->residual = residual;
    c->worst = row;
  }
}

/* The law of one contact, as a whole and in parts. */
static void certify_contact(const pk_contact_problem *p, int i, const double *r, const double *u,
                            pk_certificate *c)
{
  double B[9];
  pki_block(p, i, B);
  const double trace = B[0] + B[4] + B[8], rho = 3 / trace, mu = p->mu[i];
  judge(c, natural_residual(mu, r, u, rho) / rho, 3 * i);

  const double t = hypot(r[1], r[2]), slip = hypot(u[1], u[2]), limit = mu * fmax(r[0], 0);
  raise(&c->unilateral, fabs(fmin(u[0], r[0] * B[0])));
  raise(&c->disc, fmax(t - limit, 0) * 0.5 * (B[4] + B[8]));
  /* friction that does not oppose the slip, and slip with friction to spare; each counts for no more
   * than the velocity that the friction in question stands for */
  const double wt = 0.5 * (B[4] + B[8]);
  const double astray = t > 0 ? slip + (u[1] * r[1] + u[2] * r[2]) / t : 0;
  raise(&c->dissipation, fmax(fmin(astray, t * wt), fmin(slip, fmax(limit - t, 0) * wt)));
}

pk_certificate pk_contact_certify(const pk_contact_problem *p, const double *r, double *u)
{
  pk_certificate c = {.worst = -1};
  const int n = pk_contact_size(p), first_box = 3 * p->ncontact + p->nbilateral;
  double most = 0, siconos = 0, norm = 0;
  pk_contact_velocity(p, r, u);
  for (int i = 0; i < p->ncontact; i++) {
    certify_contact(p, i, r + 3 * i, u + 3 * i, &c);
    const double f = natural_residual(p->mu[i], r + 3 * i, u + 3 * i, 1);
    siconos += f * f;
  }
  for (int i = 3 * p->ncontact; i < first_box; i++) {
    raise(&c.bilateral, fabs(u[i]));
    judge(&c, fabs(u[i]), i);
  }
  for (int i = first_box; i < n; i++) {
    /* r - clamp(r - rho u), divided by rho */
    const double rho = 1 / pki_entry(p, i, i), lower = p->lower[i - first_box],
                 upper = p->upper[i - first_box];
    const double moved = fmin(fmax(r[i] - rho * u[i], lower), upper);
    raise(&c.box, fabs(r[i] - moved) / rho);
    judge(&c, fabs(r[i] - moved) / rho, i);
  }
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(p->q[i]));
    norm += p->q[i] * p->q[i];
  }
  c.relative = c.residual / fmax(most, 1e-3);
  c.siconos = sqrt(siconos) / fmax(sqrt(norm), DBL_EPSILON);
  return c;
}
