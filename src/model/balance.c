/* Moments of inertia that no body has, judged on bodies: links that fixed joints weld together are one, so that a part
 * of an odd shape, or with numbers that only make sense together with its neighbour's, is no fault. What is wrong is
 * mended where the robot's loader asks for it (pk_load_options.balance_inertia), and an error elsewhere. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "math/mat3.h"
#include "model/compile.h"
#include "model/inertia.h"

/* What the links of one body add up to. */
typedef struct merged {
  double moment[6]; /* about the body's centre of mass, body axes */
  int link;         /* the one to name: the first whose own moments no body has, else the first with any */
  int count;        /* links with mass or moments */
  bool named;       /* link is of the first sort */
} merged;

/* Sum about the common centre directly: the sum about the body's origin would lose small moments far from it. */
static void gather_merged(const pki_draft *d, merged *all)
{
  static const int row[6] = {0, 0, 0, 1, 1, 2}, col[6] = {0, 1, 2, 1, 2, 2};
  for (int i = 0; i < d->b->nlink; i++) {
    const pk_inertia *in = &d->b->links[i].desc.inertia;
    const int body = d->link_body[i];
    double lambda[3], I[6], c[3];
    const pki_moments own = pki_check_moments(in->moment, lambda);
    if (body < 0 || (in->mass == 0 && lambda[0] == 0 && lambda[2] == 0)) {
      continue;
    }
    merged *m = &all[body];
    const bool odd = own != PKI_MOMENTS_SOUND || in->mass == 0;
    if (m->count++ == 0 || (odd && !m->named)) {
      m->link = i;
      m->named = odd;
    }
    const double *sum = d->bodies[body].inertia;
    pki_mat3_apply(d->link_pose[i].rot, in->com, c);
    for (int k = 0; k < 3; k++) {
      c[k] += d->link_pose[i].pos[k] - (sum[0] != 0 ? sum[1 + k] / sum[0] : 0);
    }
    pki_sym3_rotate(d->link_pose[i].rot, in->moment, I);
    const double cc = pki_dot3(c, c);
    for (int e = 0; e < 6; e++) {
      m->moment[e] += I[e] + in->mass * ((row[e] == col[e] ? cc : 0) - c[row[e]] * c[col[e]]);
    }
  }
}

/* Replace the body's moments about its centre of mass. */
static void balance_body(pki_body *body, const double from[6], double lambda[3])
{
  double to[6];
  pki_balance_moments(from, to);
  pki_sym3_eigenvalues(to, lambda);
  for (int e = 0; e < 6; e++) {
    body->inertia[4 + e] += to[e] - from[e];
  }
}

/* A body with moments but no mass: a rotor, whose moments count where it turns. */
static void judge_massless(pki_draft *d, const merged *m)
{
  pk_builder *b = d->b;
  const pki_link *l = &b->links[m->link];
  if (!b->robots[l->robot].balance_inertia) {
    pki_builder_error(b, PK_ERROR_MASS, pki_link_where(d, m->link),
                      "link \"%s\" has no mass but moments of inertia: give it mass, or set both to zero",
                      l->desc.name);
  } else if (d->tree == NULL) {
    pki_builder_warn(b, l->robot, "moments-without-mass", PK_ERROR_MASS, pki_link_where(d, m->link),
                     "link \"%s\" has no mass but moments of inertia: they are used as they are",
                     l->desc.name);
  }
}

/* Moments that no body has. */
static void judge_odd(pki_draft *d, pki_body *body, const merged *m, pki_moments moments,
                      const double lambda[3])
{
  pk_builder *b = d->b;
  const pki_link *l = &b->links[m->link];
  const char *with = m->count > 1 ? " with the links that are fixed to it" : "";
  if (!b->robots[l->robot].balance_inertia) {
    pki_builder_error(b, PK_ERROR_MASS, pki_link_where(d, m->link),
                      "inertia of link \"%s\"%s has the principal moments %g, %g, %g: %s", l->desc.name, with,
                      lambda[0], lambda[1], lambda[2],
                      moments == PKI_MOMENTS_NEGATIVE ? "none may be negative"
                                                      : "no body has one above the sum of the others");
    return;
  }
  double after[3];
  balance_body(body, m->moment, after);
  if (d->tree == NULL) {
    pki_builder_warn(b, l->robot, "inertia-balanced", PK_ERROR_MASS, pki_link_where(d, m->link),
                     "inertia of link \"%s\"%s has the principal moments %g, %g, %g, which no body has (%s): "
                     "they are taken as %g, %g, %g",
                     l->desc.name, with, lambda[0], lambda[1], lambda[2],
                     moments == PKI_MOMENTS_NEGATIVE ? "one is negative"
                                                     : "one is above the sum of the others",
                     after[0], after[1], after[2]);
  }
}

static void judge_body(pki_draft *d, pki_body *body, const merged *m)
{
  double lambda[3];
  const pki_moments moments = pki_check_moments(m->moment, lambda);
  const bool tiny = fmax(-lambda[0], lambda[2]) < PKI_MOMENT_LEAST;
  if (m->count == 0 || !isfinite(lambda[0]) || !isfinite(lambda[2])) {
    return; /* too large: masses.c has words for it */
  }
  if (body->inertia[0] == 0 && !tiny) {
    judge_massless(d, m);
  }
  if (moments != PKI_MOMENTS_SOUND && !tiny) {
    judge_odd(d, body, m, moments, lambda);
  } else if (lambda[0] < 0) {
    double after[3]; /* -2e-35 is zero */
    balance_body(body, m->moment, after);
  }
  if (lambda[2] < PKI_MOMENT_LEAST * body->inertia[0] && d->tree == NULL) {
    const pki_link *l = &d->b->links[m->link];
    pki_builder_warn(d->b, l->robot, "point-mass", PK_ERROR_MASS, pki_link_where(d, m->link),
                     "link \"%s\" has mass but no moments of inertia: it is a point mass", l->desc.name);
  }
}

void pki_check_inertias(pki_draft *d)
{
  merged *all = calloc((size_t)d->nbody + 1, sizeof *all);
  if (all == NULL) {
    pki_builder_error(d->b, PK_ERROR_MEMORY, (pki_where){0}, "out of memory while the model is compiled");
    return;
  }
  gather_merged(d, all);
  for (int i = 0; i < d->nbody; i++) {
    judge_body(d, &d->bodies[i], &all[i]);
  }
  free(all);
}
