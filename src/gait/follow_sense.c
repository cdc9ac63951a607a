/* The motion now, the robot now, and which feet stand. */
#include <math.h>
#include <string.h>

#include "gait/follow.h"
#include "math/mat3.h"
#include "model/pose.h"

void pki_follow_foot_place(const pk_workspace *w, const pki_follow_foot *foot, pki_follow_place *out)
{
  const pk_model *m = pk_workspace_model(w);
  const pk_pose link = pk_link_pose(w, foot->sole.link),
                back = pki_pose_invert(&m->links[foot->sole.link].pose), body = pki_pose_mul(&link, &back);
  double arm[3], twist[6];
  memcpy(out->rot, body.rot, sizeof out->rot);
  pki_mat3_apply(body.rot, foot->sole.middle, arm);
  pki_along3(arm, 1, body.pos, out->at);
  pk_link_velocity(w, foot->sole.link, twist);
  pki_mat3_apply(link.rot, twist, out->rate);
  pk_link_point_velocity(w, foot->sole.link, out->at, out->rate + 3);
}

/* ---- time ---- */

static const double unknown_friction = 0.6; /* of a foot that has not touched the ground yet */

void pki_follow_start(const pki_follow *c, const pk_observation *seen, pki_follow_state *s)
{
  double R[9], rpy[3];
  pki_quat_to_mat3(seen->q + c->q + 3, R);
  pki_mat3_to_rpy(R, rpy);
  s->awake = 1;
  s->base = pki_whole_motion_start(&c->motion, seen->q + c->q, rpy[2]);
  pki_whole_motion_point first;
  pki_whole_motion_at(&c->motion, s->base, 0, &first);
  for (int f = 0; f < c->motion.feet; f++) {
    s->feet[f].mode = first.stands[f] ? PKI_FOLLOW_STANCE : PKI_FOLLOW_SWING;
    s->feet[f].normal[2] = 1;
    s->feet[f].friction = unknown_friction;
  }
}

/* A foot that the motion has on the ground is not there. */
static bool is_awaited(const pki_follow_now *now)
{
  bool awaited = false;
  for (int f = 0; f < now->c->motion.feet; f++) {
    awaited = awaited || (now->want.stands[f] && now->s->feet[f].mode == PKI_FOLLOW_REACH);
  }
  return awaited;
}

/* How fast the motion runs: it waits for feet that should have landed, and for a trunk that is behind. */
static double pace_of_time(const pki_follow_now *now)
{
  const pki_follow *c = now->c;
  const double *way = now->want.velocity, speed = hypot(way[0], way[1]);
  if (is_awaited(now) && now->s->waited < c->options.wait / c->pace) {
    return 0;
  }
  if (!(c->options.phase > 0) || !(speed > 0)) {
    return 1;
  }
  const double ahead =
      ((now->place[0] - now->want.place[0]) * way[0] + (now->place[1] - now->want.place[1]) * way[1]) /
      (speed * c->height);
  return fmin(fmax(1 + c->options.phase * ahead, 0.7), 1.3);
}

void pki_follow_tick(pki_follow_now *now)
{
  const pki_whole_motion *m = &now->c->motion;
  pki_follow_state *s = now->s;
  const double rate = pace_of_time(now), length = pki_whole_motion_length(m);
  s->waited = rate > 0 ? 0 : s->waited + now->dt;
  if (rate == 0 && s->waited >= now->c->options.wait / now->c->pace) {
    s->waited = INFINITY; /* it does not come: the motion goes on without it */
  }
  s->phase += rate * now->dt;
  while (m->repeats && s->phase >= length * (1 - 1e-12)) {
    s->phase = fmax(s->phase - length, 0);
    s->base = pki_whole_motion_next(m, s->base);
  }
  s->phase = fmin(s->phase, length);
}

/* ---- the motion and the robot ---- */

/* Feet and mass where the motion has them. */
static void sense_motion(pki_follow_now *now)
{
  const pki_follow *c = now->c;
  const pk_observation *seen = now->seen;
  const pk_model *m = seen->model;
  const pki_whole_motion_point *want = &now->want;
  memcpy(now->q_full, seen->q, (size_t)m->nq * sizeof(double));
  memcpy(now->u_full, seen->u, (size_t)m->nu * sizeof(double));
  memcpy(now->q_full + c->q, want->place, sizeof want->place);
  pki_quat_from_mat3(want->rot, now->q_full + c->q + 3);
  memcpy(now->u_full + c->u, want->velocity, sizeof want->velocity);
  memcpy(now->u_full + c->u + 3, want->turn_rate, sizeof want->turn_rate);
  for (int k = 0; k < c->motion.joints; k++) {
    const int dof = c->motion.dof[k];
    now->q_full[m->dof_q[dof]] = want->q[k];
    now->u_full[dof] = want->u[k];
  }
  pk_kinematics_compute(seen->workspace, now->q_full, now->u_full);
  pk_com_compute(seen->workspace, c->motion.robot, now->wanted_mass, now->wanted_mass_rate);
  for (int f = 0; f < c->motion.feet; f++) {
    pki_follow_foot_place(seen->workspace, &c->feet[f], &now->wanted_feet[f]);
  }
}

/* Feet and mass where they are, and how joints move the feet. */
static void sense_robot(pki_follow_now *now)
{
  const pki_follow *c = now->c;
  const pk_observation *seen = now->seen;
  pk_kinematics_compute(seen->workspace, seen->q, seen->u);
  pk_com_compute(seen->workspace, c->motion.robot, now->mass, now->mass_rate);
  const pk_pose trunk = pk_link_pose(seen->workspace, c->trunk);
  memcpy(now->rot, trunk.rot, sizeof now->rot);
  memcpy(now->place, trunk.pos, sizeof now->place);
  for (int f = 0; f < c->motion.feet; f++) {
    const pki_follow_foot *foot = &c->feet[f];
    const pk_pose back = pki_pose_invert(&seen->model->links[foot->sole.link].pose);
    double middle[3];
    pki_mat3_apply(back.rot, foot->sole.middle, middle);
    pki_along3(middle, 1, back.pos, middle);
    pki_follow_foot_place(seen->workspace, foot, &now->feet[f]);
    pk_link_jacobian(seen->workspace, foot->sole.link, middle, pki_follow_jacobian(now, f));
    pk_link_jacobian_dot_u(seen->workspace, foot->sole.link, middle, seen->u, now->bias + 6 * (size_t)f);
  }
}

/* Heading of the robot less that of the motion: of the rotation from one to the other the part about the vertical. */
static double heading_error(const pki_follow_now *now)
{
  double back[9], turn[9];
  pki_mat3_transpose(now->want.rot, back);
  pki_mat3_mul(now->rot, back, turn);
  return atan2(turn[3] - turn[1], turn[0] + turn[4]);
}

/* A motion that has been left too far behind goes along with the robot. */
static void yield_place(pki_follow_now *now)
{
  const double most = now->c->options.place_limit * now->c->height;
  const double x = now->mass[0] - now->wanted_mass[0], y = now->mass[1] - now->wanted_mass[1],
               size = hypot(x, y), part = size > most ? 1 - most / size : 0;
  now->s->base.place[0] += part * x, now->s->base.place[1] += part * y;
  const double moved[2] = {part * x, part * y};
  for (int k = 0; k < 2; k++) {
    now->want.place[k] += moved[k], now->wanted_mass[k] += moved[k];
    for (int f = 0; f < now->c->motion.feet; f++) {
      now->wanted_feet[f].at[k] += moved[k];
      now->s->feet[f].from[k] -= moved[k];
    }
  }
}

/* Errors of the pendulum in the motion's axes, and what its feedback answers. */
static void keep_balance(pki_follow_now *now)
{
  const pki_follow *c = now->c;
  const double cosine = cos(now->s->base.yaw), sine = sin(now->s->base.yaw);
  double off[PKI_BALANCE_STATES / 2][2], errors[PKI_BALANCE_STATES];
  for (int k = 0; k < 2; k++) {
    off[0][k] = now->mass[k] - now->wanted_mass[k];
    off[1][k] = now->mass_rate[k] - now->wanted_mass_rate[k];
    for (int f = 0; f < c->motion.feet; f++) {
      const bool stands = now->want.stands[f] && now->s->feet[f].mode != PKI_FOLLOW_SWING;
      off[2 + f][k] = stands ? now->feet[f].at[k] - now->wanted_feet[f].at[k] : 0;
    }
  }
  for (int i = 0; i < 2 + c->motion.feet; i++) {
    errors[2 * i] = cosine * off[i][0] + sine * off[i][1];
    errors[2 * i + 1] = cosine * off[i][1] - sine * off[i][0];
  }
  double push[2], places[PKI_WHOLE_MOTION_FEET][2];
  pki_balance_at(&c->balance, now->s->phase, errors, push, places);
  now->push[0] = cosine * push[0] - sine * push[1], now->push[1] = sine * push[0] + cosine * push[1];
  for (int f = 0; f < c->motion.feet; f++) {
    now->places[f][0] = cosine * places[f][0] - sine * places[f][1];
    now->places[f][1] = sine * places[f][0] + cosine * places[f][1];
  }
}

/* ---- contacts ---- */

static void feel_ground(pki_follow_now *now)
{
  const pki_follow *c = now->c;
  const pk_observation *seen = now->seen;
  for (int f = 0; f < c->motion.feet; f++) {
    pki_follow_step *step = &now->s->feet[f];
    step->touches = 0;
    for (int i = 0; i < seen->ncontact; i++) {
      double impulse[3], normal[3];
      if (pk_sim_contact_carries(&seen->contacts[i], seen->model, c->feet[f].sole.link, impulse, normal) &&
          normal[2] > 0.5 && pki_dot3(impulse, normal) > 0) {
        step->touches = 1;
        memcpy(step->normal, normal, sizeof normal);
        step->friction = seen->contacts[i].friction;
      }
    }
    step->quiet = step->touches ? 0 : step->quiet + now->dt;
  }
}

/* Where a foot that begins to swing is, from where the motion has it. */
static void begin_swing(pki_follow_now *now, int f)
{
  pki_follow_step *step = &now->s->feet[f];
  for (int k = 0; k < 2; k++) {
    step->from[k] = now->feet[f].at[k] - now->wanted_feet[f].at[k];
  }
}

static void set_mode(pki_follow_now *now, int f, pki_follow_mode mode)
{
  pki_follow_step *step = &now->s->feet[f];
  if (mode == step->mode) {
    step->since += now->dt;
    return;
  }
  if (mode == PKI_FOLLOW_SWING) {
    begin_swing(now, f);
  }
  step->mode = mode;
  step->since = 0;
}

/* A foot stands that touches where the motion has it stand, or from the middle of its swing on; one that lost the ground for a moment
 * is still taken to stand. One that should leave stays as long as another one is late. */
static void choose_modes(pki_follow_now *now)
{
  const pki_follow *c = now->c;
  const pki_whole_motion_point *want = &now->want;
  const double moment = 0.05 / c->pace, late = c->options.wait / c->pace;
  int missing = 0;
  for (int f = 0; f < c->motion.feet; f++) {
    const pki_follow_step *step = &now->s->feet[f];
    missing += want->stands[f] && step->quiet > moment;
  }
  for (int f = 0; f < c->motion.feet; f++) {
    const pki_follow_step *step = &now->s->feet[f];
    const bool stood = step->mode == PKI_FOLLOW_STANCE,
               feels = step->touches || (stood && step->quiet <= moment);
    pki_follow_mode mode = PKI_FOLLOW_REACH;
    if (!want->stands[f]) {
      const bool lands = step->mode != PKI_FOLLOW_REACH && want->since[f] > want->left[f];
      const bool stays = stood && missing > 0 && want->since[f] < late;
      mode = feels && (lands || stays) ? PKI_FOLLOW_STANCE : PKI_FOLLOW_SWING;
    } else if (feels) {
      mode = PKI_FOLLOW_STANCE;
    }
    set_mode(now, f, mode);
  }
}

/* The ground's height, from the feet that stand. */
static void find_ground(pki_follow_now *now)
{
  double off = 0;
  int count = 0;
  for (int f = 0; f < now->c->motion.feet; f++) {
    if (now->s->feet[f].mode == PKI_FOLLOW_STANCE && now->want.stands[f]) {
      off += now->feet[f].at[2] - now->wanted_feet[f].at[2];
      count++;
    }
  }
  if (count > 0) {
    now->s->ground += fmin(1, now->dt * now->c->pace) * (off / count - now->s->ground);
  }
}

void pki_follow_sense(pki_follow_now *now)
{
  pki_whole_motion_at(&now->c->motion, now->s->base, now->s->phase, &now->want);
  sense_motion(now);
  sense_robot(now);
  now->heading = heading_error(now);
  yield_place(now);
  feel_ground(now);
  choose_modes(now);
  find_ground(now);
  keep_balance(now);
}
