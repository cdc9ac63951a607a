/* How deep the wrench that contacts give lies in the cone of those that they can give (Hirukawa 2006; Caron 2015), as Del Prete, Tonneau
 * and Mansard 2016 measure it:
 *
 *   maximise s   such that   sum_i [f_i; p_i x f_i] = w,   f_i - s n_i in K_i
 *
 * with K_i the friction cone of contact i: s is the normal force that every contact could lose while the wrench is still given. With
 * k_i = f_i - s n_i it is a linear program in the coefficients of the generators v = n + mu t(angle) of the cones and in s:
 *
 *   sum lambda [v; p x v] + s sum_i [n_i; p_i x n_i] = w,   lambda >= 0
 *
 * Its six rows are solved by the simplex method, of which only the six columns of the basis are ever kept: the best column to enter is
 * found in closed form. With multipliers y = (y_f, y_m) and z = y_f + y_m x p, the generator of a contact that promises most is the one
 * whose tangent points along the tangential part of z, and it promises z . n + mu |z_t|. So the cone itself is solved over, not a pyramid;
 * with `sides` the tangents are those of a pyramid within it. What is left to promise bounds the error (`gap`). Rows start with slack
 * variables, which a first phase drives out; when they do not vanish, no forces give the wrench, however large. Those of rows that contacts
 * cannot reach (all on one line) stay in the basis at zero. */
#include <math.h>
#include <string.h>

#include "math/lu.h"
#include "math/mat3.h"
#include "stability/stability.h"

enum { ROWS = 6, PIVOTS_MOST = 500 };

/* What a column of the basis belongs to. */
typedef enum column_kind { COLUMN_SLACK, COLUMN_CONE, COLUMN_GAIN, COLUMN_LOSS } column_kind;

typedef struct cone_program {
  const pki_stance *stance;
  int sides;
  double length, size;      /* m and N: scales of moments and forces */
  double w[ROWS];           /* the wrench, scaled */
  double depth[ROWS];       /* column of s */
  double basis[ROWS][ROWS]; /* [row][column] */
  double shaken[ROWS];      /* w moved by a hair, so that no basis is degenerate */
  column_kind kind[ROWS];   /* of each column of the basis */
  bool optimises;           /* second phase: s is maximised; first: slack is minimised */
  double lu[ROWS * ROWS];   /* factor of the basis */
  int pivot[ROWS];          /* of it */
  double value[ROWS];       /* variables of the basis */
} cone_program;

static double cost_of(const cone_program *c, column_kind kind)
{
  if (!c->optimises) {
    return kind == COLUMN_SLACK;
  }
  return kind == COLUMN_GAIN ? -1 : kind == COLUMN_LOSS;
}

/* [f; p x f] scaled, p from the centre of mass. */
static void wrench_of(const cone_program *c, int contact, const double f[3], double out[ROWS])
{
  double arm[3];
  pki_sub3(c->stance->in->contacts[contact].point, c->stance->in->com, arm);
  pki_cross3(arm, f, out + 3);
  for (int k = 0; k < 3; k++) {
    out[k] = f[k];
    out[3 + k] /= c->length;
  }
}

static void set_scales(cone_program *c)
{
  const pki_stance *s = c->stance;
  for (int i = 0; i < s->in->ncontact; i++) {
    double arm[3];
    pki_sub3(s->in->contacts[i].point, s->in->com, arm);
    c->length = pki_stance_supports(s, i) ? fmax(c->length, pki_length3(arm)) : c->length;
  }
  c->length = c->length > 0 ? c->length : 1;
  c->size = s->in->mass * s->g;
}

static void begin_program(cone_program *c)
{
  const pki_stance *s = c->stance;
  set_scales(c);
  for (int k = 0; k < 3; k++) {
    c->w[k] = s->force[k] / c->size;
    c->w[3 + k] = s->moment[k] / (c->size * c->length);
  }
  for (int i = 0; i < s->in->ncontact; i++) {
    double one[ROWS];
    if (pki_stance_supports(s, i)) {
      wrench_of(c, i, s->in->contacts[i].normal, one);
      for (int k = 0; k < ROWS; k++) {
        c->depth[k] += one[k];
      }
    }
  }
  static const double hair[ROWS] = {1.03e-10, -0.71e-10, 1.37e-10, 0.59e-10, -1.13e-10, 0.83e-10};
  for (int k = 0; k < ROWS; k++) {
    c->shaken[k] = c->w[k] + hair[k];
    c->basis[k][k] = c->shaken[k] < 0 ? -1 : 1;
    c->kind[k] = COLUMN_SLACK;
  }
}

/* x := inv(B) x, and x := inv(B') x with the factor. */
static void solve_basis(const cone_program *c, double x[ROWS])
{
  pki_lu_solve(c->lu, ROWS, c->pivot, x);
}

static bool factor_basis(cone_program *c, double transposed[ROWS * ROWS], int pivot[ROWS])
{
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < ROWS; j++) {
      c->lu[i * ROWS + j] = c->basis[i][j];
      transposed[i * ROWS + j] = c->basis[j][i];
    }
  }
  return pki_lu_factor(c->lu, ROWS, c->pivot) && pki_lu_factor(transposed, ROWS, pivot);
}

/* A unit tangent of a contact. */
static void first_tangent(const double n[3], double t[3])
{
  const int along = fabs(n[0]) < 0.9 ? 0 : 1;
  for (int k = 0; k < 3; k++) {
    t[k] = (k == along) - n[along] * n[k];
  }
  const double length = pki_length3(t);
  for (int k = 0; k < 3; k++) {
    t[k] /= length;
  }
}

/* The generator of a contact's cone that promises most for the multipliers' z, and what it promises. */
static double best_generator(const pk_stability_contact *contact, int sides, const double z[3], double v[3])
{
  const double along = pki_dot3(z, contact->normal), mu = contact->friction;
  double tangent[3];
  pki_along3(z, -along, contact->normal, tangent);
  const double size = pki_length3(tangent);
  if (sides == 0) {
    pki_along3(contact->normal, size > 0 ? mu / size : 0, tangent, v);
    return along + mu * size;
  }
  double t1[3], t2[3];
  first_tangent(contact->normal, t1);
  pki_cross3(contact->normal, t1, t2);
  /* the side nearest to the tangent's angle; sides stand at odd multiples of pi / sides */
  const double step = 2 * 3.14159265358979323846 / sides;
  const double angle = step * (floor(atan2(pki_dot3(z, t2), pki_dot3(z, t1)) / step) + 0.5);
  pki_along3(contact->normal, mu * cos(angle), t1, v);
  pki_along3(v, mu * sin(angle), t2, v);
  return pki_dot3(z, v);
}

/* The column that promises most, and what that is; its kind and the column come with it. */
static double price_columns(const cone_program *c, const double y[ROWS], column_kind *kind,
                            double column[ROWS])
{
  const pki_stance *s = c->stance;
  double best = 0, depth = 0;
  for (int i = 0; i < s->in->ncontact; i++) {
    double arm[3], z[3], v[3];
    if (!pki_stance_supports(s, i)) {
      continue;
    }
    pki_sub3(s->in->contacts[i].point, s->in->com, arm);
    pki_cross3(y + 3, arm, z); /* y_m . (p x v) = (y_m x p) . v */
    for (int k = 0; k < 3; k++) {
      z[k] = y[k] + z[k] / c->length;
    }
    const double promise = best_generator(&s->in->contacts[i], c->sides, z, v);
    if (promise > best) {
      best = promise;
      *kind = COLUMN_CONE;
      wrench_of(c, i, v, column);
    }
  }
  for (int k = 0; k < ROWS; k++) {
    depth += y[k] * c->depth[k];
  }
  const double gain = depth - cost_of(c, COLUMN_GAIN); /* s upwards; downwards the other way round */
  if (fabs(gain) > best) {
    const int sign = gain > 0 ? 1 : -1;
    best = fabs(gain);
    *kind = sign > 0 ? COLUMN_GAIN : COLUMN_LOSS;
    for (int k = 0; k < ROWS; k++) {
      column[k] = sign * c->depth[k];
    }
  }
  return best;
}

/* The column of the basis that leaves for one with these components; -1: none does, and nothing bounds the program. Slack that has vanished
 * must not grow again. */
static int leaving_column(const cone_program *c, const double change[ROWS])
{
  /* what the slack of a row that contacts cannot reach changes by is rounding, times the condition of the basis */
  static const double unreachable = 1e-5;
  int leaves = -1;
  double least = INFINITY;
  for (int k = 0; k < ROWS; k++) {
    const bool slack = c->optimises && c->kind[k] == COLUMN_SLACK;
    const double size = slack ? fabs(change[k]) : change[k];
    const double ratio = slack ? 0 : fmax(c->value[k], 0) / size;
    if (size > (slack ? unreachable : 1e-9) &&
        (ratio < least || (ratio == least && size > fabs(change[leaves])))) {
      least = ratio;
      leaves = k;
    }
  }
  return leaves;
}

static double largest_multiplier(const double y[ROWS])
{
  double most = 1;
  for (int k = 0; k < ROWS; k++) {
    most = fmax(most, fabs(y[k]));
  }
  return most;
}

/* The margin at the basis for the wrench itself, and how much of it slack variables give. */
static double read_margin(const cone_program *c, double *slack, double *carried)
{
  double x[ROWS], margin = 0;
  memcpy(x, c->w, sizeof x);
  solve_basis(c, x);
  *slack = *carried = 0;
  for (int k = 0; k < ROWS; k++) {
    margin += c->kind[k] == COLUMN_GAIN ? x[k] : c->kind[k] == COLUMN_LOSS ? -x[k] : 0;
    *slack += c->kind[k] == COLUMN_SLACK ? fabs(x[k]) : 0;
    *carried += c->kind[k] == COLUMN_CONE ? fabs(x[k]) : 0;
  }
  return margin;
}

/* Pivots of one phase until nothing promises more than a hair, which comes back; negative: nothing bounds the program. */
static double solve_phase(cone_program *c, int *pivots)
{
  static const double enough = 1e-12;
  double transposed[ROWS * ROWS], promise = INFINITY;
  int pivot[ROWS];
  for (int count = 0; count < PIVOTS_MOST; count++, ++*pivots) {
    double y[ROWS], column[ROWS], change[ROWS];
    column_kind kind = COLUMN_SLACK;
    if (!factor_basis(c, transposed, pivot)) {
      return NAN;
    }
    memcpy(c->value, c->shaken, sizeof c->value);
    solve_basis(c, c->value);
    for (int k = 0; k < ROWS; k++) {
      y[k] = cost_of(c, c->kind[k]);
    }
    pki_lu_solve(transposed, ROWS, pivot, y);
    promise = price_columns(c, y, &kind, column);
    if (promise <= enough * largest_multiplier(y)) {
      break;
    }
    memcpy(change, column, sizeof change);
    solve_basis(c, change);
    const int leaves = leaving_column(c, change);
    if (leaves < 0) {
      return -1;
    }
    for (int k = 0; k < ROWS; k++) {
      c->basis[k][leaves] = column[k];
    }
    c->kind[leaves] = kind;
  }
  return promise;
}

pki_wrench_result pki_wrench_cone(const pki_stance *stance, int sides)
{
  static const double none = 1e-7; /* of the weight */
  cone_program c = {.stance = stance, .sides = sides};
  pki_wrench_result result = {.margin = NAN, .gap = NAN};
  double slack, carried;
  begin_program(&c);
  if (isnan(solve_phase(&c, &result.pivots))) {
    return result;
  }
  read_margin(&c, &slack, &carried);
  if (slack > none) {
    result.margin = -INFINITY, result.gap = 0;
    return result;
  }
  c.optimises = true;
  const double promise = solve_phase(&c, &result.pivots);
  if (promise < 0) {
    result.margin = INFINITY, result.gap = 0;
    return result;
  }
  const double margin = read_margin(&c, &slack, &carried);
  result.margin = margin * c.size;
  result.gap = promise * (carried + fabs(margin)) * c.size;
  return result;
}
