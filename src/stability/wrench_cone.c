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
 * of six rows (column_simplex.h). With multipliers y = (y_f, y_m) and z = y_f + y_m x p, the generator of a contact that promises most is found in
 * closed form (friction_cone.h): the cone itself is solved over, not a pyramid, unless `sides` asks for one. What is left to promise bounds the
 * error (`gap`). Where slack does not vanish no forces give the wrench, however large. */
#include <math.h>

#include "math/mat3.h"
#include "stability/column_simplex.h"
#include "stability/friction_cone.h"

enum { ROWS = 6 };

/* Kinds of columns. */
enum { COLUMN_CONE = 1, COLUMN_GAIN, COLUMN_LOSS };

typedef struct cone_program {
  const pki_stance *stance;
  int sides;
  double length, size; /* m and N: scales of moments and forces */
  double depth[ROWS];  /* column of s */
} cone_program;

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

/* The wrench, and the column of s. */
static void set_rows(cone_program *c, double w[ROWS])
{
  const pki_stance *s = c->stance;
  const bool given = s->in->rate != NULL;
  for (int k = 0; k < 3 && given; k++) {
    w[k] = s->force[k] / c->size;
    w[3 + k] = s->moment[k] / (c->size * c->length);
  }
  for (int i = 0; i < s->in->ncontact; i++) {
    double one[ROWS], force[ROWS];
    if (pki_stance_supports(s, i)) {
      wrench_of(c, i, s->in->contacts[i].normal, one);
      wrench_of(c, i, s->in->contacts[i].force, force);
      for (int k = 0; k < ROWS; k++) {
        c->depth[k] += one[k];
        /* contacts that do not support have no part in it: springs of a compliant law can pull */
        w[k] += given ? 0 : force[k] / c->size;
      }
    }
  }
}

static double price_columns(const pki_column_program *p, const double *y, double *a, pki_column *column)
{
  const cone_program *c = p->user;
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
    const double promise = pki_best_generator(&s->in->contacts[i], c->sides, z, v);
    if (promise > best) {
      best = promise;
      *column = (pki_column){.kind = COLUMN_CONE};
      wrench_of(c, i, v, a);
    }
  }
  for (int k = 0; k < ROWS; k++) {
    depth += y[k] * c->depth[k];
  }
  const double gain =
      depth + (p->optimises ? 1 : 0); /* s upwards, whose cost is -1; downwards the other way round */
  if (fabs(gain) > best) {
    const int sign = gain > 0 ? 1 : -1;
    best = fabs(gain);
    *column = (pki_column){.kind = sign > 0 ? COLUMN_GAIN : COLUMN_LOSS, .cost = -sign};
    for (int k = 0; k < ROWS; k++) {
      a[k] = sign * c->depth[k];
    }
  }
  return best;
}

pki_wrench_result pki_wrench_cone(const pki_stance *stance, int sides)
{
  static const double none = 1e-7; /* of the weight */
  double memory[PKI_COLUMN_PROGRAM_SIZE(ROWS)], promise = INFINITY, margin = 0, carried = 0;
  cone_program c = {.stance = stance, .sides = sides};
  pki_column_program p;
  pki_column_program_init(&p, ROWS, memory);
  p.price = price_columns, p.user = &c;
  set_scales(&c);
  set_rows(&c, p.rhs);
  const pki_column_outcome outcome = pki_column_program_solve(&p, none, &promise);
  if (outcome != PKI_COLUMN_SOLVED) {
    const double limit = outcome == PKI_COLUMN_INFEASIBLE  ? -INFINITY
                         : outcome == PKI_COLUMN_UNBOUNDED ? INFINITY
                                                           : NAN;
    return (pki_wrench_result){.margin = limit, .gap = isnan(limit) ? NAN : 0, .pivots = p.pivots};
  }
  for (int k = 0; k < ROWS; k++) {
    const int kind = p.column[k].kind;
    margin += kind == COLUMN_GAIN ? p.value[k] : kind == COLUMN_LOSS ? -p.value[k] : 0;
    carried += kind == COLUMN_CONE ? fabs(p.value[k]) : 0;
  }
  return (pki_wrench_result){
      .margin = margin * c.size, .gap = promise * (carried + fabs(margin)) * c.size, .pivots = p.pivots};
}
