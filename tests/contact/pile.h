/* Piles of rocks as contact problems with W alone: bodies at random places, each touching its neighbours at points that scatter, the
 * lowest ones the ground. W may be made unsymmetric, each entry by a random part, as in published problems whose W was computed
 * with iterations. */
#ifndef TEST_CONTACT_PILE_H
#define TEST_CONTACT_PILE_H

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "pronk/contact.h"

typedef struct pile {
  pk_contact_problem p;
  double *W, *q, *mu;
  int *row, *col;
  /* of the rocks */
  int bodies;
  double (*centre)[3];
  double *weight; /* [6 bodies] 1/M */
  double *v;      /* [6 bodies] */
} pile;

typedef struct pile_shape {
  uint64_t seed;
  int bodies, contacts;
  double mu;
  /* Part by which entries of W are off at most. */
  double skew;
} pile_shape;

static void pile_free(pile *a)
{
  void *const parts[] = {a->W, a->q, a->mu, a->row, a->col, a->centre, a->weight, a->v};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    free(parts[i]);
  }
}

static double pile_distance(const pile *a, int i, int j)
{
  const double *x = a->centre[i], *y = a->centre[j];
  return (x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]);
}

/* The k-th neighbour of rock j; -1, the ground, where that is nearer. */
static int pile_neighbour(const pile *a, int j, int k)
{
  int found = -1;
  double last = 0;
  for (int turn = 0; turn <= k; turn++) {
    double least = INFINITY;
    for (int i = 0; i < a->bodies; i++) {
      const double d = pile_distance(a, i, j);
      if (i != j && d > last && d < least) {
        least = d, found = i;
      }
    }
    last = least;
  }
  return a->centre[j][2] * a->centre[j][2] < last / 4 ? -1 : found;
}

static void pile_unit(double v[3])
{
  const double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  v[0] /= size, v[1] /= size, v[2] /= size;
}

static void pile_cross(const double a[3], const double b[3], double out[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Normal and tangents of a contact that pushes rock j away from i, and where it is. */
static void pile_frame(pki_random *rng, const pile *a, int i, int j, double axis[3][3], double at[3])
{
  for (int d = 0; d < 3; d++) {
    const double to = a->centre[j][d], from = i >= 0 ? a->centre[i][d] : d == 2 ? -to : to;
    axis[0][d] = to - from;
    at[d] = (to + from) / 2 + pki_random_between(rng, -0.02, 0.02);
  }
  pile_unit(axis[0]);
  for (int d = 0; d < 3; d++) {
    axis[0][d] += pki_random_between(rng, -0.3, 0.3);
  }
  pile_unit(axis[0]);
  const double other[3] = {fabs(axis[0][0]) < 0.7, fabs(axis[0][0]) >= 0.7, 0};
  pile_cross(axis[0], other, axis[1]);
  pile_unit(axis[1]);
  pile_cross(axis[0], axis[1], axis[2]);
}

/* The row of a direction: six numbers of one rock. */
static void pile_row(const pile *a, int body, const double at[3], const double axis[3], double sign,
                     double *J)
{
  const double *c = a->centre[body], arm[3] = {at[0] - c[0], at[1] - c[1], at[2] - c[2]};
  double turn[3];
  pile_cross(arm, axis, turn);
  for (int d = 0; d < 3; d++) {
    J[6 * body + d] = sign * axis[d], J[6 * body + 3 + d] = sign * turn[d];
  }
}

static void pile_rocks(pki_random *rng, pile *a)
{
  const double side = 0.1 * cbrt(a->bodies);
  for (int b = 0; b < a->bodies; b++) {
    const double mass = pki_random_between(rng, 0.2, 5), inertia = mass * 0.4 * 0.05 * 0.05;
    for (int d = 0; d < 3; d++) {
      a->centre[b][d] = pki_random_between(rng, 0, side);
      a->weight[6 * b + d] = 1 / mass;
      a->weight[6 * b + 3 + d] = 1 / (inertia * pki_random_between(rng, 0.5, 2));
      a->v[6 * b + d] = pki_random_between(rng, -0.05, 0.05) - (d == 2 ? 9.81 * 5e-3 : 0);
      a->v[6 * b + 3 + d] = pki_random_between(rng, -1, 1);
    }
  }
}

static void pile_matrix(pki_random *rng, pile *a, const double *J, double skew)
{
  const int n = 3 * a->p.ncontact, nu = 6 * a->bodies;
  int at = 0;
  for (int i = 0; i < n; i++) {
    a->row[i] = at;
    a->q[i] = 0;
    for (int k = 0; k < nu; k++) {
      a->q[i] += J[i * nu + k] * a->v[k];
    }
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < nu; k++) {
        sum += J[i * nu + k] * a->weight[k] * J[j * nu + k];
      }
      if (sum != 0) {
        a->col[at] = j;
        a->W[at++] = sum * (i == j ? 1 : 1 + skew * pki_random_between(rng, -1, 1));
      }
    }
  }
  a->row[n] = at;
}

static void pile_make(const pile_shape *shape, pile *a)
{
  pki_random rng = pki_random_seeded(shape->seed);
  const size_t n = 3 * (size_t)shape->contacts, nu = 6 * (size_t)shape->bodies;
  *a = (pile){.bodies = shape->bodies};
  a->W = calloc(n * n, sizeof(double)), a->col = calloc(n * n, sizeof(int)),
  a->row = calloc(n + 1, sizeof(int));
  a->q = calloc(n, sizeof(double)), a->mu = calloc(n, sizeof(double));
  a->centre = calloc((size_t)shape->bodies, sizeof *a->centre);
  a->weight = calloc(nu, sizeof(double)), a->v = calloc(nu, sizeof(double));
  double *J = calloc(n * nu, sizeof(double));
  a->p = (pk_contact_problem){
      .ncontact = shape->contacts, .W_row = a->row, .W_col = a->col, .W = a->W, .q = a->q, .mu = a->mu};
  pile_rocks(&rng, a);
  for (int c = 0; c < shape->contacts; c++) {
    const int j = c % shape->bodies, i = pile_neighbour(a, j, c / shape->bodies);
    double axis[3][3], at[3];
    a->mu[c] = shape->mu;
    pile_frame(&rng, a, i, j, axis, at);
    for (int d = 0; d < 3; d++) {
      double *row = J + (3 * (size_t)c + (size_t)d) * nu;
      pile_row(a, j, at, axis[d], 1, row);
      if (i >= 0) {
        pile_row(a, i, at, axis[d], -1, row);
      }
    }
  }
  pile_matrix(&rng, a, J, shape->skew);
  free(J);
}

#endif
