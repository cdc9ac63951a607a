/* The certificate: how far the laws of a problem are from being met by given impulses. It
 * shares no code with the solvers but the product W r. */
#include <float.h>
#include <math.h>

#include "contact/problem/problem.h"

const char *pk_judged_law_name(pk_judged_law law)
{
  static const char *const names[PK_JUDGED_LAW_COUNT] = {"coulomb", "pyramid", "square", "norm", "none"};
  return (unsigned)law < PK_JUDGED_LAW_COUNT ? names[law] : "unknown";
}

static double tangential_length(double x, double y)
{
  return sqrt(x * x + y * y);
}

/* Projection onto the friction cone |x_T| <= mu x_N. */
static void project_cone(double mu, const double x[3], double out[3])
{
  const double t = tangential_length(x[1], x[2]);
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
  const double x[3] = {r[0] - rho * (u[0] + mu * tangential_length(u[1], u[2])), r[1] - rho * u[1],
                       r[2] - rho * u[2]};
  double p[3];
  project_cone(mu, x, p);
  return sqrt((r[0] - p[0]) * (r[0] - p[0]) + (r[1] - p[1]) * (r[1] - p[1]) + (r[2] - p[2]) * (r[2] - p[2]));
}

static void raise_to(double *most, double value)
{
  *most = value > *most || isnan(value) ? value : *most;
}

static void note_residual(pk_contact_certificate *c, double residual, int row)
{
  if (residual > c->residual || isnan(residual)) {
    c->residual = residual;
    c->worst = row;
  }
}

/* W_ii, from the array when there is one. */
static double diagonal_of(const pk_contact_problem *p, const double *diagonal, int i)
{
  return diagonal ? diagonal[i] : pki_diagonal(p, i);
}

/* |F|/rho of one contact, rho = 3/tr W_ii */
static double contact_residual(const pk_contact_problem *p, const double *w, int i, const double *r,
                               const double *u)
{
  const int c = 3 * i;
  const double rho = 3 / (diagonal_of(p, w, c) + diagonal_of(p, w, c + 1) + diagonal_of(p, w, c + 2));
  return natural_residual(p->mu[i], r + c, u + c, rho) / rho;
}

/* |F|/rho of a bilateral row, or of a box: r - clamp(r - rho u), rho = 1/W_ll. */
static double single_residual(const pk_contact_problem *p, const double *diagonal, int row, const double *r,
                              const double *u)
{
  const int box = row - 3 * p->ncontact - p->nbilateral;
  if (box < 0) {
    return fabs(u[row]);
  }
  const double w = diagonal_of(p, diagonal, row);
  const double moved = fmin(fmax(r[row] - u[row] / w, p->lower[box]), p->upper[box]);
  return fabs(r[row] - moved) * w;
}

double pki_contact_residual(const pk_contact_problem *p, const double *diagonal, const double *r,
                            const double *u)
{
  const int n = pk_contact_size(p);
  double most = 0;
  for (int i = 0; i < p->ncontact; i++) {
    raise_to(&most, contact_residual(p, diagonal, i, r, u));
  }
  for (int i = 3 * p->ncontact; i < n; i++) {
    raise_to(&most, single_residual(p, diagonal, i, r, u));
  }
  return most;
}

void pki_contact_residuals(const pk_contact_problem *p, const double *diagonal, const double *r,
                           const double *u, double *residual)
{
  const int groups = pk_contact_size(p) - 2 * p->ncontact;
  for (int g = 0; g < groups; g++) {
    residual[g] = g < p->ncontact ? contact_residual(p, diagonal, g, r, u)
                                  : single_residual(p, diagonal, pki_first_row(p, g), r, u);
  }
}

double pki_contact_scale(const pk_contact_problem *p)
{
  const int n = pk_contact_size(p);
  double most = PKI_SPEED_FLOOR;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(p->q[i]));
  }
  return most;
}

/* The law of one contact in parts. */
static void certify_contact(const pk_contact_problem *p, const double *w, int i, const double *r,
                            const double *u, pk_contact_certificate *c)
{
  const double wn = diagonal_of(p, w, 3 * i), mu = p->mu[i];
  const double wt = 0.5 * (diagonal_of(p, w, 3 * i + 1) + diagonal_of(p, w, 3 * i + 2));
  const double t = tangential_length(r[1], r[2]), slip = tangential_length(u[1], u[2]),
               limit = mu * fmax(r[0], 0);
  raise_to(&c->unilateral, fabs(fmin(u[0], r[0] * wn)));
  raise_to(&c->disc, fmax(t - limit, 0) * wt);
  /* friction that does not oppose the slip, and slip with friction to spare; each counts for no more
   * than the velocity that the friction in question stands for */
  const double astray = t > 0 ? slip + (u[1] * r[1] + u[2] * r[2]) / t : 0;
  raise_to(&c->dissipation, fmax(fmin(astray, t * wt), fmin(slip, fmax(limit - t, 0) * wt)));
}

pk_contact_certificate pki_certify_velocity(const pk_contact_problem *p, const double *diagonal,
                                            const double *r, const double *u)
{
  pk_contact_certificate c = {.worst = -1};
  const int n = pk_contact_size(p), first_box = 3 * p->ncontact + p->nbilateral;
  double siconos = 0, norm = 0;
  for (int i = 0; i < p->ncontact; i++) {
    note_residual(&c, contact_residual(p, diagonal, i, r, u), 3 * i);
    certify_contact(p, diagonal, i, r + 3 * i, u + 3 * i, &c);
    const double f = natural_residual(p->mu[i], r + 3 * i, u + 3 * i, 1);
    siconos += f * f;
  }
  for (int i = 3 * p->ncontact; i < n; i++) {
    const double residual = single_residual(p, diagonal, i, r, u);
    raise_to(i < first_box ? &c.bilateral : &c.box, residual);
    note_residual(&c, residual, i);
  }
  for (int i = 0; i < n; i++) {
    norm += p->q[i] * p->q[i];
  }
  c.relative = c.residual / pki_contact_scale(p);
  c.siconos = sqrt(siconos) / fmax(sqrt(norm), DBL_EPSILON);
  return c;
}

pk_contact_certificate pk_contact_certify(const pk_contact_problem *p, const double *r, double *u)
{
  pk_contact_velocity(p, r, u);
  return pki_certify_velocity(p, NULL, r, u);
}
