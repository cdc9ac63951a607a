/* The plan of a walking biped: footsteps, the divergent component that they need, and the pressure that brings it there. */
#include <math.h>
#include <string.h>

#include "gait/biped.h"
#include "gait/step_adjust.h"
#include "math/mat3.h"

enum { STEPS_AHEAD = 4 };

static const double fixed_time = 0.08; /* s before its end in which a swing is not changed any more */
static const double ankle = 0.8; /* part of what the pressure in one sole can do that steps leave to it */

void pki_biped_pressure_of(const pki_biped_now *n, const pki_footstep *step, int foot, double out[2])
{
  const pk_biped_options *o = &n->b->options;
  pki_footstep_beside(step->at, o->pressure_forward, -pki_foot_side(foot) * o->pressure_inward, step->yaw,
                      out);
}

static void middle_of(const pki_biped_now *n, const pki_footstep *a, int foot, const pki_footstep *b,
                      double out[2])
{
  double p[2], q[2];
  pki_biped_pressure_of(n, a, foot, p);
  pki_biped_pressure_of(n, b, !foot, q);
  out[0] = 0.5 * (p[0] + q[0]), out[1] = 0.5 * (p[1] + q[1]);
}

/* The step after `stand`, which lands in `left` seconds. */
static pki_footstep next_step(const pki_biped_now *n, const pki_footstep *stand, int foot, double left)
{
  const pki_biped_state *s = n->s;
  const pk_biped_options *o = &n->b->options;
  const double time = o->swing + o->support;
  const pki_stride_goal goal = {.ahead = s->speed[0] * time,
                                .left = s->speed[1] * time,
                                .yaw = s->heading + s->speed[2] * left,
                                .width = s->width};
  return pki_footstep_next(stand, foot, &goal, &n->b->limits);
}

/* All that follows a swing of the other foot beside `stand`, which lands at `step`: double support and swings in turn, or the stop. */
static void add_steps(pki_biped_now *n, const pki_footstep *stand, int foot, const pki_footstep *step,
                      bool closes, double left)
{
  const pk_biped_options *o = &n->b->options;
  pki_divergent_plan *plan = &n->plan;
  pki_footstep from = *stand, to = *step;
  double p[2], q[2];
  pki_biped_pressure_of(n, &from, foot, p);
  if (closes) {
    middle_of(n, &from, foot, &to, q);
    pki_divergent_add(plan, o->shift, p, q);
    memcpy(plan->end, q, sizeof q);
    return;
  }
  for (int k = 0; k < STEPS_AHEAD; k++) {
    foot = !foot;
    pki_biped_pressure_of(n, &to, foot, q);
    pki_divergent_add(plan, o->support, p, q);
    pki_divergent_add(plan, o->swing, q, q);
    memcpy(p, q, sizeof p);
    left += o->support + o->swing;
    from = to;
    to = next_step(n, &from, foot, left);
  }
  memcpy(plan->end, p, sizeof p);
}

/* The plan of this phase and all that follow, from its beginning. */
static void build_plan(pki_biped_now *n, const pki_footstep *step, double length)
{
  const pki_biped_state *s = n->s;
  const pk_biped_options *o = &n->b->options;
  const pki_footstep *stand = &s->feet[s->stance];
  pki_divergent_plan *plan = &n->plan;
  double p[2], middle[2];
  plan->omega = n->omega;
  plan->count = 0;
  pki_biped_pressure_of(n, stand, s->stance, p);
  middle_of(n, &s->feet[PKI_LEFT], PKI_LEFT, &s->feet[PKI_RIGHT], middle);
  if (s->phase == PK_BIPED_STANDS) {
    memcpy(plan->end, middle, sizeof middle);
  } else if (s->phase == PK_BIPED_SHIFTS && s->last) {
    pki_divergent_add(plan, s->length, s->from, middle);
    memcpy(plan->end, middle, sizeof middle);
  } else if (s->phase == PK_BIPED_SHIFTS) {
    const double left = s->length - s->since + o->swing;
    pki_divergent_add(plan, s->length, s->from, p);
    pki_divergent_add(plan, o->swing, p, p);
    add_steps(n, stand, s->stance, step, false, left);
  } else {
    pki_divergent_add(plan, length, p, p);
    add_steps(n, stand, s->stance, step, s->closes, fmax(length - s->since, 0));
  }
}

/* ---- a push ---- */

/* Corners of a sole, drawn in by the margin, seen from above. */
static int find_corners(const pki_biped_now *n, int foot, double (*corners)[2])
{
  const pki_whole_foot *sole = &n->g->c->feet[foot];
  const pki_whole_foot_now *now = &n->foot[foot];
  for (int p = 0; p < sole->npoint; p++) {
    double off[3], arm[3];
    pki_sub3(sole->point[p], sole->middle, off);
    for (int k = 0; k < 3; k++) {
      off[k] = copysign(fmax(fabs(off[k]) - n->b->options.margin, 0), off[k]);
    }
    pki_mat3_apply(now->R, off, arm);
    corners[p][0] = now->at[0] + arm[0], corners[p][1] = now->at[1] + arm[1];
  }
  return sole->npoint;
}

/* How far the pressure can go from where it is planned, along the axes of a sole: least and most. */
static void find_room(const pki_biped_now *n, int foot, const double at[2], double least[2], double most[2])
{
  double corners[PKI_WHOLE_POINTS][2];
  const int count = find_corners(n, foot, corners);
  least[0] = least[1] = most[0] = most[1] = 0;
  for (int p = 0; p < count; p++) {
    double seen[2];
    pki_footstep_between(at, corners[p], n->s->feet[foot].yaw, seen);
    for (int k = 0; k < 2; k++) {
      least[k] = fmin(least[k], seen[k]), most[k] = fmax(most[k], seen[k]);
    }
  }
}

/* Move the step and its time so that what the pressure in one sole cannot bring back is caught. */
static void move_step(pki_biped_now *n, const pki_divergent *planned)
{
  pki_biped_state *s = n->s;
  const pk_biped_options *o = &n->b->options;
  const pki_footstep *stand = &s->feet[s->stance];
  const double side = -pki_foot_side(s->stance), yaw = stand->yaw, T = o->swing;
  const double left = fmax(T - s->since, 0), able = ankle * (1 - exp(-n->omega * left));
  double u0[2], un[2], least[2], most[2], error[2], reference[2], landing[2], off[2];
  pki_biped_pressure_of(n, stand, s->stance, u0);
  pki_biped_pressure_of(n, &n->planned, !s->stance, un);
  find_room(n, s->stance, u0, least, most);
  pki_footstep_between(planned->at, n->xi, yaw, error);
  pki_footstep_between(u0, planned->at, yaw, reference);
  const pki_divergent then = pki_divergent_at(&n->plan, T);
  pki_step_problem p = {.omega = n->omega,
                        .elapsed = fmin(s->since, T),
                        .support = s->closes ? o->shift : o->support,
                        .time = T,
                        .soonest = fmax(o->soonest, s->since + fixed_time),
                        .latest = o->latest,
                        .time_weight = o->time_weight,
                        .offset_weight = o->offset_weight};
  pki_footstep_between(u0, un, yaw, p.step);
  pki_footstep_between(u0, then.at, yaw, landing);
  /* limits are of feet, the program's steps of their pressures */
  pki_footstep_between(n->planned.at, un, yaw, off);
  double own[2];
  pki_footstep_between(stand->at, u0, yaw, own);
  const double share = pki_step_share(p.omega, p.support);
  for (int k = 0; k < 2; k++) {
    const double spare = error[k] > 0 ? fmin(error[k], able * most[k]) : fmax(error[k], able * least[k]);
    p.xi[k] = reference[k] + error[k] - spare;
    p.offset[k] = landing[k] - share * p.step[k];
    off[k] -= own[k];
  }
  p.lower[0] = -o->reach + off[0], p.upper[0] = o->reach + off[0];
  p.lower[1] = (side > 0 ? o->narrow : -o->wide) + off[1];
  p.upper[1] = (side > 0 ? o->wide : -o->narrow) + off[1];
  const pki_step_choice to = pki_step_adjust(&p);
  pki_footstep_beside(n->planned.at, to.step[0] - p.step[0], to.step[1] - p.step[1], yaw, s->target.at);
  s->target.yaw = n->planned.yaw;
  s->length = to.time;
}

/* ---- the pressure ---- */

/* p = p_ref + (1 + gain/omega)(xi - xi_ref) and its integral: the error of xi then vanishes at the rate `gain`. */
static void find_pressure(pki_biped_now *n)
{
  pki_biped_state *s = n->s;
  const pk_biped_options *o = &n->b->options;
  const double k = 1 + o->gain / n->omega;
  double corners[2 * PKI_WHOLE_POINTS][2], p[2];
  for (int e = 0; e < 2; e++) {
    const double error = n->xi[e] - n->reference.at[e];
    p[e] = n->reference.pressure[e] + k * error + s->integral[e];
    if (s->phase != PK_BIPED_SWINGS || s->since < s->length) {
      s->integral[e] += o->integral * error * n->period;
      s->integral[e] = fmin(fmax(s->integral[e], -o->integral_limit), o->integral_limit);
    }
  }
  int count = 0;
  for (int f = 0; f < 2; f++) {
    count += s->phase != PK_BIPED_SWINGS || f == s->stance ? find_corners(n, f, corners + count) : 0;
  }
  pki_support_clamp(count, (const double(*)[2])corners, p, n->pressure);
  /* what is beyond the soles is up to turns of trunk and arms */
  const double beyond[2] = {p[0] - n->pressure[0], p[1] - n->pressure[1]}, far = hypot(beyond[0], beyond[1]);
  for (int e = 0; e < 2; e++) {
    n->asked[e] = n->pressure[e] + beyond[e] * (far > o->hips ? o->hips / far : 1);
  }
}

void pki_biped_plan(pki_biped_now *n)
{
  pki_biped_state *s = n->s;
  const pk_biped_options *o = &n->b->options;
  const double left =
      s->phase == PK_BIPED_SWINGS ? fmax(s->length - s->since, 0) : s->length - s->since + o->swing;
  n->planned = next_step(n, &s->feet[s->stance], s->stance, left);
  if (s->phase == PK_BIPED_SWINGS && s->since <= s->length - fixed_time) {
    build_plan(n, &n->planned, o->swing);
    if (o->adjust) {
      const pki_divergent planned = pki_divergent_at(&n->plan, s->since);
      move_step(n, &planned);
    } else {
      s->target = n->planned;
    }
  } else if (s->phase != PK_BIPED_SWINGS) {
    s->target = n->planned;
  }
  build_plan(n, &s->target, s->length);
  n->reference = pki_divergent_at(&n->plan, fmin(s->since, s->phase == PK_BIPED_STANDS ? 0 : s->length));
  find_pressure(n);
}
