#include "gait/stride.h"

#include <math.h>
#include <string.h>

#include "gait/locomotion.h"
#include "gait/stride_leg.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "math/smooth_step.h"

/* Times in sqrt(h/g), in which the plan of the trunk comes to its height, to a level attitude, to its velocities; and the
 * acceleration of the wanted speed, in g. */
static const double settle_height = 1, settle_attitude = 0.75, settle_speed = 0.3, speed_up = 0.05;

/* How long feet wait for others that are late, in half cycles. */
static const double longest_wait = 0.25;

/* Part of an error of the speed that the next strides make up for. */
static const double stride_gain = 0.15;

/* s sqrt(g/h): footholds change no faster than in this time. */
static const double settle_foothold = 0.12;

/* A foot that is nearer to the ground touches it, in heights. */
static const double touching = 1e-4;

/* Footholds are at most so far from where a leg hangs, in heights. */
static const double farthest = 0.35;

/* One update. */
typedef struct moment {
  const pki_stride_plan *p;
  pki_stride *s;
  const pk_observation *seen;
  double dt, pace; /* pace: sqrt(h/g) */

  /* ---- the robot as it is ---- */

  pk_pose trunk;
  double yaw, velocity[6]; /* of the trunk: linear, angular, world */
  double com[3], com_vel[3];
  double foot[PKI_STRIDE_LEGS][3]; /* m, centres, world */
  bool touches[PKI_STRIDE_LEGS];

  /* ---- the clock ---- */

  bool walks;
  bool stands[PKI_STRIDE_LEGS];
  bool down[PKI_STRIDE_LEGS]; /* they stand, or have landed early */
  bool replans;               /* others are down than in the last step */
  double since, left;         /* s, of the half cycle, at the start of the step */
  double wanted[2];           /* m/s, world */

  /* ---- the pendulum ---- */

  double ground;    /* m, height of the ground under the feet that stand */
  double middle[2]; /* m, of the feet that stand */
  double across[2]; /* unit, across their line; 0: there are not two */
  double tau, growth, lead;
  pk_pose foreseen; /* the trunk at the end of the step */
} moment;

/* How much of an error goes in a step when it goes in `time`. */
static double part_of(const moment *m, double time)
{
  return fmin(1, m->dt / (time * m->pace));
}

static void rotation_about_z(double yaw, double R[9])
{
  const double c = cos(yaw), s = sin(yaw);
  memcpy(R, (const double[9]){c, -s, 0, s, c, 0, 0, 0, 1}, 9 * sizeof *R);
}

/* ---- the plan ---- */

/* Every leg reaches its home. */
static pk_status check_reach(const pki_stride_plan *p, const pk_model *model, pk_error *err)
{
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    double angles[PK_LEG_HINGES] = {0, 0.7, -1.4};
    pk_pose foot = pk_leg_foot(&p->legs[i], angles);
    memcpy(foot.pos, p->home[i], sizeof foot.pos);
    if (pk_leg_solve(&p->legs[i], &foot, PK_LEG_NEAREST, angles, NULL) != PK_OK) {
      return pki_fail(err, PK_ERROR_REACH, (pki_where){.field = "height"},
                      "height is %g m, and the leg of \"%s\" does not reach the ground from there", p->height,
                      model->links[p->legs[i].link].name);
    }
  }
  return PK_OK;
}

/* Inertia of the robot in its stance, by its angular momentum when it turns as one. */
static pk_status measure_inertia(pki_stride_plan *p, const pk_model *model, pk_error *err)
{
  const pk_model_robot *robot = &model->robots[p->robot];
  double q[PKI_GAIT_BODIES * 7], u[PKI_GAIT_BODIES * 6] = {0}, momentum[6];
  pk_workspace *w;
  if (model->nq > PKI_GAIT_BODIES * 7 || model->nu > PKI_GAIT_BODIES * 6) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "feet"},
                    "the model has %d velocities, expected one robot of at most %d", model->nu,
                    PKI_GAIT_BODIES * 6);
  }
  const pk_status status = pk_workspace_create(model, &w, err);
  if (status != PK_OK) {
    return status;
  }
  memcpy(q, model->q0, (size_t)model->nq * sizeof *q);
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    double angles[PK_LEG_HINGES] = {0, 0.7, -1.4};
    const pk_pose unit = pk_pose_identity();
    pki_leg_place(&p->legs[i], &unit, p->home[i], angles);
    pk_leg_set(&p->legs[i], angles, q);
  }
  for (int k = 0; k < 3; k++) {
    u[robot->u + 3 + k] = 1;
    pk_kinematics_compute(w, q, u);
    pk_momentum_compute(w, p->robot, momentum);
    const pk_pose trunk = pk_link_pose(w, p->trunk);
    double own[3];
    pki_mat3_apply_transposed(trunk.rot, momentum, own);
    for (int i = 0; i < 3; i++) {
      p->inertia[3 * i + k] = own[i] / p->mass;
    }
    u[robot->u + 3 + k] = 0;
  }
  pk_workspace_destroy(w);
  return PK_OK;
}

pk_status pki_stride_init(pki_stride_plan *plan, const pk_model *model,
                          const char *const feet[PKI_STRIDE_LEGS], double height, pk_error *err)
{
  static const char *const defaults[PKI_STRIDE_LEGS] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  pki_locomotion c = {.options = pk_locomotion_options_default()};
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    c.options.feet[i] = feet != NULL && feet[i] != NULL ? feet[i] : defaults[i];
  }
  c.options.height = height;
  const double *g = model->gravity;
  if (!(g[2] < 0) || g[0] != 0 || g[1] != 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "motion"},
                    "gravity is (%g, %g, %g) m/s^2, expected one along -z: a trot is planned on level ground",
                    g[0], g[1], g[2]);
  }
  pk_status status = pki_legs_find(&c, model, err);
  plan->trunk = c.trunk, plan->robot = c.robot, plan->mass = c.mass;
  plan->gravity = pki_length3(model->gravity);
  plan->height = height > 0 ? height : c.height;
  for (int i = 0; i < PKI_STRIDE_LEGS && status == PK_OK; i++) {
    plan->radius[i] = c.legs[i].radius;
    status = pk_leg_init(&plan->legs[i], model, PK_LEG_POINT, c.legs[i].foot, c.legs[i].centre, err);
    plan->home[i][0] = c.legs[i].hip[0], plan->home[i][1] = c.legs[i].hip[1];
    plan->home[i][2] = plan->radius[i] - plan->height;
    plan->ahead[i] = plan->legs[i].axis[1][1] > 0 ? -1 : 1;
  }
  status = status == PK_OK ? check_reach(plan, model, err) : status;
  return status == PK_OK ? measure_inertia(plan, model, err) : status;
}

/* ---- the robot as it is ---- */

/* A foot touches the ground where a contact of the last step still is one, loaded or not: its ball is no farther from the plane of that
 * contact than a little. */
static bool touches_ground(const moment *m, int leg)
{
  for (int i = 0; i < m->seen->ncontact; i++) {
    const pk_sim_contact *c = &m->seen->contacts[i];
    double n[3], arm[3];
    if (pk_sim_contact_carries(c, m->seen->model, m->p->legs[leg].link, NULL, n)) {
      pki_sub3(m->foot[leg], c->point, arm);
      if (pki_dot3(n, arm) + c->gap - m->p->radius[leg] < touching * m->p->height) {
        return true;
      }
    }
  }
  return m->s->begun == 0; /* it begins on its feet */
}

static void look_at_robot(moment *m)
{
  const pki_stride_plan *p = m->p;
  pk_workspace *w = m->seen->workspace;
  pk_kinematics_compute(w, m->seen->q, m->seen->u);
  m->trunk = pk_link_pose(w, p->trunk);
  double twist[6];
  pk_link_velocity(w, p->trunk, twist); /* its own axes, angular first */
  pki_mat3_apply(m->trunk.rot, twist + 3, m->velocity);
  pki_mat3_apply(m->trunk.rot, twist, m->velocity + 3);
  pk_com_compute(w, p->robot, m->com, m->com_vel);
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    const pk_pose link = pk_link_pose(w, p->legs[i].link);
    pki_mat3_apply(link.rot, p->legs[i].point, m->foot[i]);
    for (int k = 0; k < 3; k++) {
      m->foot[i][k] += link.pos[k];
    }
    m->touches[i] = touches_ground(m, i);
  }
  m->yaw = atan2(m->trunk.rot[3], m->trunk.rot[0]);
}

/* Strides that carry the robot less far than they should get longer: by a part of what it was too slow in the last cycle. */
static void correct_speed(moment *m, double halves, double part)
{
  pki_stride *const s = m->s;
  if (!m->walks || halves + 1 == s->halves) {
    return;
  }
  const double time = m->seen->time - s->marks[0][0], c = cos(m->yaw), t = sin(m->yaw);
  const double x = m->com[0] - s->marks[0][1], y = m->com[1] - s->marks[0][2];
  const double wanted[2] = {part * m->p->forward, part * m->p->sideways};
  const double speed[2] = {(c * x + t * y) / time, (c * y - t * x) / time};
  const double most = 0.5 * hypot(m->p->forward, m->p->sideways);
  for (int k = 0; k < 2 && s->halves > 4 && part == 1; k++) {
    s->more[k] = fmin(fmax(s->more[k] + stride_gain * (wanted[k] - speed[k]), -most), most);
  }
  memcpy(s->marks[0], s->marks[1], sizeof s->marks[0]);
  s->marks[1][0] = m->seen->time, s->marks[1][1] = m->com[0], s->marks[1][2] = m->com[1];
  s->halves = halves + 1;
}

/* Which feet stand in the step, by the clock half way through it; the speed that is wanted. */
static void read_clock(moment *m)
{
  const pki_stride_plan *p = m->p;
  const double half = 0.5 * p->cycle, time = m->seen->time - p->start, middle = time + 0.5 * m->dt;
  m->walks = middle >= 0;
  const double halves = m->walks ? floor(middle / half) : 0;
  const bool first = fmod(halves, 2) == 0; /* left fore and right hind stand */
  m->since = m->walks ? time - halves * half : 0;
  m->left = half - m->since;
  bool landed = true;
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    m->stands[i] = !m->walks || first == (i == 0 || i == 3);
    landed &= !m->stands[i] || m->touches[i];
  }
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) { /* those that stood carry on until the others have landed */
    m->stands[i] |= p->kind == PKI_STRIDE_CONSISTENT && !landed && m->s->feet[i].stands != 0 &&
                    m->since < longest_wait * half;
  }
  const double full = hypot(p->forward, p->sideways), reached = speed_up * p->gravity * fmax(0, time);
  const double part = m->walks && full > 0 ? fmin(1, reached / full) : 0, c = cos(m->yaw), s = sin(m->yaw);
  correct_speed(m, halves, part);
  const double ahead = part * p->forward + m->s->more[0], aside = part * p->sideways + m->s->more[1];
  m->wanted[0] = c * ahead - s * aside;
  m->wanted[1] = s * ahead + c * aside;
}

/* ---- the pendulum ---- */

/* The line of the feet that stand. */
static void find_support(moment *m)
{
  int n = 0, first = 0, last = 0; /* two stand at least */
  m->middle[0] = m->middle[1] = m->ground = 0;
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    if (m->stands[i]) {
      first = n == 0 ? i : first, last = i, n++;
      m->middle[0] += m->foot[i][0], m->middle[1] += m->foot[i][1];
      m->ground += m->foot[i][2] - m->p->radius[i];
    }
  }
  m->middle[0] /= n, m->middle[1] /= n, m->ground /= n;
  const double x = m->foot[last][0] - m->foot[first][0], y = m->foot[last][1] - m->foot[first][1];
  const double size = hypot(x, y);
  m->across[0] = n == 2 ? -y / size : 0, m->across[1] = n == 2 ? x / size : 0;
}

static void measure_pendulum(moment *m)
{
  const double h = fmax(m->com[2] - m->ground, 0.1 * m->p->height), *I = m->p->inertia;
  const double c = cos(m->yaw), t = sin(m->yaw); /* the line in the trunk's axes */
  const double axis[2] = {c * m->across[1] - t * m->across[0], -t * m->across[1] - c * m->across[0]};
  const double own = I[0] * axis[0] * axis[0] + 2 * I[1] * axis[0] * axis[1] + I[4] * axis[1] * axis[1];
  m->tau = sqrt((h + own / h) / m->p->gravity);
  const double s = m->dt / m->tau;
  m->growth = 1 + 0.5 * s * s + s * sqrt(1 + 0.25 * s * s);
  m->lead = m->dt / (m->growth - 1);
}

/* Where the trunk will be at the end of the step: moved as planned, and fallen about the line of its feet as a pendulum falls. */
static void foresee_trunk(moment *m)
{
  const double h = fmax(m->com[2] - m->ground, 0.1 * m->p->height);
  double x = 0, v = 0, planned = 0, Q[9];
  for (int k = 0; k < 2; k++) {
    x += (m->com[k] - m->middle[k]) * m->across[k], v += m->com_vel[k] * m->across[k];
    planned += m->s->vel[k] * m->across[k];
  }
  const double fall = m->dt * (v + m->dt * x / (m->tau * m->tau) - planned);
  double turn[3] = {-fall / h * m->across[1], fall / h * m->across[0], 0}; /* z x across */
  for (int k = 0; k < 3; k++) {
    turn[k] += m->dt * m->s->omega[k];
    m->foreseen.pos[k] = m->trunk.pos[k] + m->dt * m->s->vel[k];
  }
  for (int k = 0; k < 2; k++) {
    m->foreseen.pos[k] += fall * m->across[k] * (m->trunk.pos[2] - m->ground) / h;
  }
  pki_rotation_exp(turn, Q);
  pki_mat3_mul(Q, m->trunk.rot, m->foreseen.rot);
}

/* ---- the plan of the trunk ---- */

/* Which feet are on the ground: those that stand by the clock, and those that have landed early. The plan begins anew when they change. */
static void note_feet(moment *m)
{
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    const pki_stride_foot *f = &m->s->feet[i];
    const bool stood = f->stands != 0 && m->s->begun != 0;
    const bool early = m->touches[i] && m->since > 0.5 * (m->since + m->left);
    m->down[i] = m->stands[i] || (!stood && (f->down != 0 || early));
    m->replans |= m->s->begun == 0 || m->down[i] != (f->down != 0);
  }
}

/* Feet on the ground stay where they are now, as far as the plan goes; those that leave it remember where. */
static void anchor_feet(const moment *m)
{
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    pki_stride_foot *const f = &m->s->feet[i];
    const bool comes = m->down[i] && f->down == 0, leaves = !m->down[i] && f->down != 0;
    if (leaves || (m->down[i] && m->replans)) {
      memcpy(f->at, m->foot[i], sizeof f->at);
      memcpy(f->shank, pk_link_pose(m->seen->workspace, m->p->legs[i].link).rot, sizeof f->shank);
      f->at[2] = m->down[i] && !m->touches[i] ? m->ground + m->p->radius[i] : f->at[2];
    }
    if (m->s->begun == 0 || (m->p->kind == PKI_STRIDE_CONSISTENT && (comes || leaves))) {
      pk_leg_get(&m->p->legs[i], m->seen->q, f->last);
    }
    f->stands = m->stands[i], f->down = m->down[i];
  }
}

/* The trunk moves on from where it is when other feet come to the ground: towards its height, a level attitude and its speed. */
static void plan_trunk(moment *m)
{
  const pki_stride_plan *p = m->p;
  pki_stride *s = m->s;
  if (m->replans) {
    memcpy(s->pos, m->trunk.pos, sizeof s->pos);
    memcpy(s->rot, m->trunk.rot, sizeof s->rot);
    memcpy(s->vel, m->velocity, sizeof s->vel);
    memcpy(s->omega, m->velocity + 3, sizeof s->omega);
  }
  double level[9], apart[9], turn[3], Q[9];
  rotation_about_z(atan2(s->rot[3], s->rot[0]), level);
  pki_rotation_mul_transposed(level, s->rot, apart);
  pki_rotation_log(apart, turn);
  const double attitude = part_of(m, settle_attitude) / m->dt, height = part_of(m, settle_height) / m->dt;
  const double vel[3] = {m->wanted[0], m->wanted[1], (m->ground + p->height - s->pos[2]) * height};
  const double omega[3] = {attitude * turn[0], attitude * turn[1],
                           attitude * turn[2] + (m->walks ? p->turn : 0)};
  for (int k = 0; k < 3; k++) {
    s->vel[k] += (vel[k] - s->vel[k]) * part_of(m, settle_speed);
    s->omega[k] += (omega[k] - s->omega[k]) * part_of(m, settle_speed);
    s->pos[k] += m->dt * s->vel[k];
    turn[k] = m->dt * s->omega[k];
  }
  pki_rotation_exp(turn, Q);
  pki_mat3_mul(Q, s->rot, s->rot);
}

/* ---- footholds ---- */

/* Where the centre of a foot should land. */
static void find_foothold(const moment *m, int leg, double out[3])
{
  const pki_stride_plan *p = m->p;
  const double half = 0.5 * p->cycle, grown = pow(m->growth, m->left / m->dt);
  const double behind = half / (pow(m->growth, half / m->dt) - 1);
  const double yaw = m->yaw + p->turn * m->left, c = cos(yaw), s = sin(yaw);
  double run = 0, off[2], mean[2] = {0, 0};
  for (int k = 0; k < 2; k++) { /* across the line xi grows, along it the mass moves on */
    const double x = m->com[k] - m->middle[k], even = x + (m->lead + m->left) * m->com_vel[k];
    run += m->across[k] * ((x + m->lead * m->com_vel[k]) * grown - even);
  }
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    mean[0] += p->home[i][0] / PKI_STRIDE_LEGS, mean[1] += p->home[i][1] / PKI_STRIDE_LEGS;
  }
  for (int k = 0; k < 2; k++) {
    off[k] = m->lead * m->com_vel[k] + run * m->across[k] - behind * m->wanted[k];
  }
  const double scale = fmin(1, farthest * p->height / fmax(hypot(off[0], off[1]), 1e-9));
  const double home[2] = {p->home[leg][0] - mean[0], p->home[leg][1] - mean[1]};
  out[0] = m->com[0] + m->left * m->com_vel[0] + scale * off[0] + c * home[0] - s * home[1];
  out[1] = m->com[1] + m->left * m->com_vel[1] + scale * off[1] + s * home[0] + c * home[1];
  out[2] = m->ground + p->radius[leg];
}

/* ---- consistent references ---- */

static void stand_on(const moment *m, int leg, double *angles)
{
  pki_stride_foot *const f = &m->s->feet[leg];
  pki_rolling_foot foot = {.radius = m->p->radius[leg]};
  pk_pose trunk;
  memcpy(trunk.pos, m->s->pos, sizeof trunk.pos);
  memcpy(trunk.rot, m->s->rot, sizeof trunk.rot);
  memcpy(foot.at, f->at, sizeof foot.at);
  memcpy(foot.shank, f->shank, sizeof foot.shank);
  pki_leg_roll(&m->p->legs[leg], &trunk, &foot, angles);
  memcpy(f->at, foot.at, sizeof foot.at);
  memcpy(f->shank, foot.shank, sizeof foot.shank);
}

/* How far a swing has come by the end of the step, 0 to 1. */
static double swing_part(const moment *m)
{
  return fmin(fmax((m->since + m->dt) / (m->since + m->left), 0), 1);
}

static void swing_to_foothold(const moment *m, int leg, double *angles)
{
  const double s = swing_part(m), part = pki_smooth_step(s), *from = m->s->feet[leg].at;
  double target[3], place[3], *const aim = m->s->feet[leg].aim;
  find_foothold(m, leg, target);
  for (int k = 0; k < 3; k++) {
    aim[k] += (target[k] - aim[k]) * (m->since < m->dt ? 1 : part_of(m, settle_foothold));
    place[k] = from[k] + part * (aim[k] - from[k]);
  }
  place[2] += m->p->lift * 16 * s * s * (1 - s) * (1 - s);
  pki_leg_place(&m->p->legs[leg], &m->foreseen, place, angles);
}

/* ---- sinusoids ---- */

/* How far a foot will land from where its sinusoids end, which is half a stride ahead of its home; along the heading. */
static void aim_sinusoid(const moment *m, int leg, double stride)
{
  const double c = cos(m->yaw), s = sin(m->yaw), *home = m->p->home[leg], most = farthest * m->p->height;
  double target[3], off[2];
  find_foothold(m, leg, target);
  for (int k = 0; k < 2; k++) {
    off[k] = target[k] - m->trunk.pos[k] - m->left * m->com_vel[k];
  }
  const double to[2] = {c * off[0] + s * off[1] - home[0] - 0.5 * stride, -s * off[0] + c * off[1] - home[1]};
  for (int k = 0; k < 2; k++) {
    double *const aim = &m->s->feet[leg].toward[k];
    *aim += (fmin(fmax(to[k], -most), most) - *aim) * (m->since < m->dt ? 1 : part_of(m, settle_foothold));
  }
}

/* Where the sinusoids of a leg begin: its knee bends as it was found. */
static void find_stance(const moment *m, int leg)
{
  pki_stride_foot *const f = &m->s->feet[leg];
  const pk_pose unit = pk_pose_identity();
  double angles[PK_LEG_HINGES], place[3];
  pk_leg_get(&m->p->legs[leg], m->seen->q, angles);
  pki_leg_place(&m->p->legs[leg], &unit, m->p->home[leg], angles);
  memcpy(f->stance, angles, sizeof f->stance);
  memcpy(place, m->p->home[leg], sizeof place);
  place[2] += m->p->lift;
  pki_leg_place(&m->p->legs[leg], &unit, place, angles);
  f->bend = angles[2] - f->stance[2];
}

/* Some sinusoids for each hinge: the hip's are the first of a triangle, which would move the foot at constant speed while it stands; the knee's
 * the first of a half-wave, which would bend it while it swings and not at all while it stands. */
static void follow_sinusoids(const moment *m, int leg, double *angles)
{
  enum { HARMONICS = 4 };
  static const double pi = 3.14159265358979323846;
  const pki_stride_plan *p = m->p;
  pki_stride_foot *const f = &m->s->feet[leg];
  const double part = pki_smooth_step(swing_part(m)),
               stride = 0.5 * p->cycle * hypot(m->wanted[0], m->wanted[1]);
  const double phase = pi * (swing_part(m) + (m->stands[leg] ? 0 : 1));
  double turn = 0, size = 0, bend = 1 / pi - 0.5 * sin(phase);
  for (int k = 0; k < HARMONICS; k++) {
    const int odd = 2 * k + 1, even = 2 * k;
    turn += cos(odd * phase) / (odd * odd), size += 1.0 / (odd * odd);
    bend -= k > 0 ? 2 / pi * cos(even * phase) / (even * even - 1) : 0;
  }
  const pk_pose unit = pk_pose_identity();
  double place[3] = {0, 0, p->home[leg][2]};
  if (m->stands[leg]) {
    memcpy(f->shift, f->toward, sizeof f->shift);
  } else {
    aim_sinusoid(m, leg, stride);
  }
  for (int k = 0; k < 2; k++) {
    place[k] = p->home[leg][k] + f->shift[k] + (m->stands[leg] ? 0 : part * (f->toward[k] - f->shift[k]));
  }
  memcpy(angles, f->stance, sizeof f->stance);
  pki_leg_place(&p->legs[leg], &unit, place, angles);
  angles[1] += p->ahead[leg] * atan(0.5 * stride / -p->home[leg][2]) * turn / size;
  angles[2] += f->bend * bend;
}

/* ---- all ---- */

void pki_stride_update(const pki_stride_plan *plan, pki_stride *s, const pk_observation *seen,
                       pki_stride_goal *goal)
{
  moment m = {.p = plan, .s = s, .seen = seen, .dt = seen->dt};
  m.pace = sqrt(plan->height / plan->gravity);
  look_at_robot(&m);
  read_clock(&m);
  find_support(&m);
  measure_pendulum(&m);
  note_feet(&m);
  anchor_feet(&m);
  plan_trunk(&m);
  foresee_trunk(&m);
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    pki_stride_foot *const f = &s->feet[i];
    double angles[PK_LEG_HINGES];
    if (s->begun == 0) {
      find_stance(&m, i);
    }
    pk_leg_get(&plan->legs[i], seen->q, angles);
    if (plan->kind == PKI_STRIDE_SINUSOIDS && m.walks) {
      follow_sinusoids(&m, i, angles);
    } else if (f->down != 0) {
      stand_on(&m, i, angles);
    } else {
      swing_to_foothold(&m, i, angles);
    }
    for (int k = 0; k < PKI_STRIDE_HINGES; k++) {
      goal->q[i][k] = angles[k];
      goal->u[i][k] = (angles[k] - f->last[k]) / m.dt;
      f->last[k] = angles[k];
    }
    goal->stands[i] = f->down != 0 && m.touches[i];
    memcpy(goal->foot[i], m.foot[i], sizeof goal->foot[i]);
    goal->gap[i] = goal->stands[i] ? 0 : m.foot[i][2] - plan->radius[i] - m.ground;
  }
  s->begun = 1;
}
