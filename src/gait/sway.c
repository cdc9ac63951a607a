/* Where the trunk leans: a reference of its mass by preview of the zero moment point, seen from a frame that moves with the
 * wanted speed and looks along the heading. There the feet of a gait move in circles: each lies
 *
 *   s_i = hip_i + v (duty/2 - place_i) T
 *
 * from the middle while it stands, and the zero moment point should be their mean by weights that rise from zero and fall
 * to it at landing and leaving. A cart on a table (preview.c) then gives the motion of the mass; the pendulum does not depend
 * on a steady motion of its frame. For gaits with flight the reference fades out: nothing supports them then. */
#include <math.h>
#include <string.h>

#include "gait/locomotion.h"

static const double error_weight = 1, jerk_weight = 1e-3;
static const double fade[2] = {0.42, 0.48}; /* of duty: where support begins to count, and counts fully */
static const double edge = 0.25;            /* of a stance, until a foot counts fully */

void pki_sway_design(pki_locomotion *c)
{
  pki_preview_design(error_weight, jerk_weight, &c->preview);
}

/* The wanted zero moment point of one moment, along the heading. */
static void wanted_zmp(const pki_locomotion *c, const pki_walk *w, const pki_cpg *g, double out[2])
{
  double sum = 0, mean[2] = {0, 0};
  for (int i = 0; i < c->leg_count; i++) {
    const double place = pki_cpg_place(g, i);
    if (!pki_cpg_stance(g, i)) {
      continue;
    }
    const double load = g->late[i] ? 1 : fmin(1, fmin(place, g->duty - place) / (edge * g->duty));
    const double way = g->late[i] ? 0 : (0.5 * g->duty - place) * g->cycle;
    sum += load;
    for (int k = 0; k < 2; k++) {
      mean[k] += load * (c->legs[i].hip[k] + way * w->speed[k] - c->middle[k]);
    }
  }
  const double share = fmax(0, fmin(1, (g->duty - fade[0]) / (fade[1] - fade[0]))) / fmax(sum, 1);
  out[0] = share * mean[0], out[1] = share * mean[1];
}

/* From here on: as the carts will move. */
static void preview_sway(const pki_locomotion *c, pki_walk *w, double wanted[2][2 * PKI_PREVIEW])
{
  for (int axis = 0; axis < 2; axis++) {
    pki_cart cart = w->sway[axis];
    for (int j = 0; j <= PKI_PREVIEW; j++) {
      w->lean[j][axis] = cart.x[0];
      w->lean_rate[j][axis] = cart.x[1] / c->tau;
      if (j < PKI_PREVIEW) {
        pki_preview_step(&c->preview, wanted[axis] + j, &cart);
      }
    }
  }
}

void pki_sway_step(const pki_locomotion *c, pki_walk *w)
{
  const double step = PKI_PREVIEW_STEP * c->tau;
  w->sway_age += w->period;
  const bool first = !w->swaying;
  if (!first && w->sway_age < step) {
    return;
  }
  /* an update that is longer than a step makes several, all of which see what is wanted from now on */
  int steps = 0;
  while (!first && w->sway_age >= step) {
    w->sway_age -= step;
    steps++;
  }
  w->sway_age = first ? 0 : w->sway_age;
  w->swaying = true;
  double wanted[2][2 * PKI_PREVIEW];
  pki_cpg g = w->cpg;
  for (int j = 0; j < 2 * PKI_PREVIEW; j++) {
    double point[2];
    wanted_zmp(c, w, &g, point);
    wanted[0][j] = point[0], wanted[1][j] = point[1];
    pki_cpg_step(&g, &w->rhythm, step);
  }
  for (int i = 0; i < 2 * steps; i++) {
    pki_preview_step(&c->preview, wanted[i % 2], &w->sway[i % 2]);
  }
  for (int axis = 0; axis < 2; axis++) {
    memmove(wanted[axis], wanted[axis] + 1, (2 * PKI_PREVIEW - 1) * sizeof wanted[axis][0]);
  }
  preview_sway(c, w, wanted);
}

void pki_sway_rest(pki_walk *w)
{
  if (!w->swaying) {
    return;
  }
  w->swaying = false;
  w->sway_age = 0;
  memset(w->sway, 0, sizeof w->sway);
  memset(w->lean, 0, sizeof w->lean);
  memset(w->lean_rate, 0, sizeof w->lean_rate);
}

/* Place and rate `ahead` from now, world axes. */
void pki_sway_at(const pki_locomotion *c, const pki_walk *w, double ahead, double lean[2], double rate[2])
{
  const double at = fmin((w->sway_age + ahead) / (PKI_PREVIEW_STEP * c->tau), PKI_PREVIEW - 1e-9);
  const int j = (int)at;
  const double cosine = cos(w->heading), sine = sin(w->heading);
  double body[2], speed[2];
  for (int k = 0; k < 2; k++) {
    body[k] = w->lean[j][k] + (at - j) * (w->lean[j + 1][k] - w->lean[j][k]);
    speed[k] = w->lean_rate[j][k] + (at - j) * (w->lean_rate[j + 1][k] - w->lean_rate[j][k]);
  }
  lean[0] = cosine * body[0] - sine * body[1], lean[1] = sine * body[0] + cosine * body[1];
  rate[0] = cosine * speed[0] - sine * speed[1], rate[1] = sine * speed[0] + cosine * speed[1];
}
