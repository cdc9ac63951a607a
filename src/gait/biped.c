/* The controller `biped`: walking of humanoids by whole-body control. */
#include "gait/biped.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "control/effort.h"
#include "math/mat3.h"
#include "pronk/dynamics.h"
#include "step/world.h"

static const double tilted = 0.5;      /* cosine of the tilt of one who has fallen */
static const double limp = 0.0906913;  /* m h^2 sqrt(g/h), damping after a fall */
static const double loading = 0.25;    /* part of a shift in which a foot takes its load, or leaves it */
static const double soft = 0.01;       /* of the weight of roll and pitch of a foot that does not lie flat */
static const double ground_time = 0.2; /* s, in which the height follows the ground */

/* ---- goals of the program ---- */

static void open_now(const pki_whole_body *c, const pk_observation *seen, const pki_whole_goals *g,
                     pki_whole_state *s, pki_biped_now *n)
{
  *n = (pki_biped_now){.b = c->plan, .s = pki_whole_body_memory(c, s), .g = g, .time = seen->time};
  n->period = c->controller.period > 0 ? c->controller.period : seen->dt;
  n->omega = sqrt(c->gravity / n->s->height);
  n->weight = c->mass * c->gravity;
  for (int k = 0; k < 2; k++) {
    n->xi[k] = g->mass[k] + g->rate[k] / n->omega;
    n->foot[k] = pki_whole_foot_at(g, k);
    n->load[k] = s->feet[k].load;
  }
}

/* A foot that has just landed takes its load, and one that will leave gives it up, over a part of the double support. */
static void limit_load(const pki_biped_now *n, int f)
{
  const pki_biped_state *s = n->s;
  const pki_whole_foot *foot = &n->g->c->feet[f];
  if (s->phase != PK_BIPED_SHIFTS || s->last) {
    return;
  }
  const double share = (f == s->stance ? s->since : s->length - s->since) / (loading * s->length);
  for (int p = foot->cone; p < foot->cone + foot->npoint && share < 1; p++) {
    n->g->w->limit[p * n->g->w->lanes + n->g->l] = n->weight * fmax(share, 0.02);
  }
}

/* While a sole does not lie flat, roll and pitch of the foot are free for the ground to turn it. */
static void soften_ankle(const pki_biped_now *n, int f)
{
  const pki_whole_lanes *w = n->g->w;
  for (int k = 0; k < 2 && n->g->s->feet[f].stands && !n->is_flat[f]; k++) {
    w->weight[(n->g->c->feet[f].row + k) * w->lanes + n->g->l] *= soft;
  }
}

static void aim_feet(pki_biped_now *n)
{
  for (int f = 0; f < 2; f++) {
    const bool swings = n->s->phase == PK_BIPED_SWINGS && f != n->s->stance;
    pki_whole_foot_goal to = {.stands = !swings};
    n->g->s->feet[f].stands = !swings;
    if (swings) {
      pki_biped_swing_step(n, f, &to);
    }
    pki_whole_ask_foot(n->g, f, &n->foot[f], &to);
    limit_load(n, f);
    soften_ankle(n, f);
  }
}

/* Upright, along the heading. */
static void aim_trunk(const pki_biped_now *n)
{
  const pki_biped_state *s = n->s;
  const bool walks = s->phase == PK_BIPED_SHIFTS || s->phase == PK_BIPED_SWINGS;
  const pk_pose by = pk_pose_from_xyz_rpy((double[3]){0}, (double[3]){0, n->b->options.lean, s->heading});
  double to[9], tilt[3], rates[3];
  const double turning[3] = {0, 0, walks ? s->speed[2] : 0};
  pki_mat3_mul(by.rot, s->trunk, to);
  pki_mat3_apply_transposed(to, turning, rates);
  pki_whole_ask_turn(n->g, to, rates, tilt);
  for (int k = 0; k < 3; k++) {
    pki_whole_ask_row(n->g, k, PK_WHOLE_BODY_PLACE, 0);
  }
}

/* omega^2 (x - p), and the height over the ground. */
static void aim_mass(const pki_biped_now *n)
{
  pki_biped_state *s = n->s;
  const pki_whole_goals *g = n->g;
  const pk_whole_body_gains *gain = &n->b->options.tasks[PK_WHOLE_BODY_MASS];
  const double both = 0.5 * (n->foot[0].at[2] + n->foot[1].at[2]);
  const double below = s->phase == PK_BIPED_SWINGS ? n->foot[s->stance].at[2] : both;
  s->ground += fmin(1, n->period / ground_time) * (below - s->ground);
  double b[3];
  for (int k = 0; k < 2; k++) {
    b[k] = n->omega * n->omega * (g->mass[k] - n->asked[k]);
  }
  b[2] = gain->kp * (s->ground + s->height - g->mass[2]) - gain->kd * g->rate[2];
  pki_whole_ask_mass(g, b);
}

/* Joints as at the start; arms against the legs. */
static void aim_joints(const pki_biped_now *n)
{
  const pki_whole_body *c = n->g->c;
  const pki_biped_state *s = n->s;
  const double h = s->height, cs = cos(s->heading), sn = sin(s->heading);
  const double way = cs * (n->foot[PKI_LEFT].at[0] - n->foot[PKI_RIGHT].at[0]) +
                     sn * (n->foot[PKI_LEFT].at[1] - n->foot[PKI_RIGHT].at[1]);
  const double rate = cs * (n->foot[PKI_LEFT].rate[3] - n->foot[PKI_RIGHT].rate[3]) +
                      sn * (n->foot[PKI_LEFT].rate[4] - n->foot[PKI_RIGHT].rate[4]);
  for (int j = 0; j < c->nact; j++) {
    pki_goal to = {.q = n->g->s->numbers[j]};
    for (int f = 0; f < 2; f++) {
      const double swing = -pki_foot_side(f) * n->b->arm_sign[f] * n->b->options.arm_swing / h;
      if (n->b->arm[f] == j) {
        to.q += swing * way;
        to.u += swing * rate;
      }
    }
    pki_whole_ask_joint(n->g, j, &to);
  }
}

static void write_biped_report(const pki_biped_now *n)
{
  pki_biped_state *s = n->s;
  pk_biped_report *r = &s->report;
  r->phase = s->phase;
  r->stance = s->stance;
  r->length = s->length;
  r->heading = s->heading;
  for (int k = 0; k < 2; k++) {
    r->divergent[k] = n->xi[k];
    r->reference[k] = n->reference.at[k];
    r->pressure[k] = n->pressure[k];
    r->planned[k] = n->planned.at[k];
    r->target[k] = s->target.at[k];
  }
}

static void aim_biped(const pki_whole_body *c, const pk_observation *seen, pki_whole_state *whole,
                      const pki_whole_lanes *w, int l)
{
  const pki_whole_goals g = pki_whole_goals_at(c, seen->time, whole, w, l);
  pki_biped_now n;
  open_now(c, seen, &g, whole, &n);
  /* the vertical in the axes of the trunk at the start and now */
  const double up = n.s->trunk[6] * g.R[6] + n.s->trunk[7] * g.R[7] + n.s->trunk[8] * g.R[8];
  if (up < tilted) {
    n.s->phase = PK_BIPED_FALLEN;
  }
  pki_biped_feel_soles(&n, seen);
  pki_biped_tick(&n);
  pki_biped_plan(&n);
  aim_joints(&n);
  aim_feet(&n);
  aim_trunk(&n);
  aim_mass(&n);
  write_biped_report(&n);
}

/* Commands make up for what drives take. Whoever has fallen gets damping only. */
static void finish_biped(const pki_whole_body *c, const pki_whole_lanes *w, int l, pki_whole_state *s,
                         pk_command *commands)
{
  const pki_biped *b = c->plan;
  const pki_biped_state *state = pki_whole_body_memory(c, s);
  const double h = c->height, damping = limp * c->mass * h * h * sqrt(c->gravity / h);
  for (int j = 0; j < c->nact; j++) {
    const int u = c->u + c->act[j];
    if (state->phase == PK_BIPED_FALLEN) {
      commands[u] = (pk_command){.kd = damping};
      pki_command_limit(&commands[u], w->work.model->dof_effort[u]);
    } else {
      commands[u].tau += b->options.drive_damping * w->u[u * w->lanes + l];
    }
  }
}

static const pki_whole_planner biped_planner = {.name = "biped",
                                                .plan_size = sizeof(pki_biped),
                                                .memory = sizeof(pki_biped_state),
                                                .start = pki_biped_start,
                                                .aim = aim_biped,
                                                .finish = finish_biped};

/* ---- making one ---- */

/* A robot at its start, and what its trunk has for ahead and left there. */
typedef struct start_pose {
  const pki_whole_body *c;
  const pk_model *m;
  pk_workspace *work;
  double *q;
  double ahead[2], left[2]; /* world, horizontal */
} start_pose;

static void close_start(start_pose *p)
{
  pk_workspace_destroy(p->work);
  free(p->q);
}

static pk_status open_start(const pki_whole_body *c, const pk_model *m, start_pose *p, pk_error *err)
{
  *p = (start_pose){.c = c, .m = m, .q = malloc((size_t)m->nq * sizeof *p->q)};
  if (p->q == NULL) {
    return pki_fail_memory(err, "a controller");
  }
  const pk_status status = pk_workspace_create(m, &p->work, err);
  if (status != PK_OK) {
    close_start(p);
    return status;
  }
  memcpy(p->q, m->q0, (size_t)m->nq * sizeof *p->q);
  pk_kinematics_compute(p->work, p->q, NULL);
  const pk_pose trunk = pk_link_pose(p->work, m->robots[c->robot].root_link);
  const double heading = atan2(trunk.rot[3], trunk.rot[0]);
  p->ahead[0] = cos(heading), p->ahead[1] = sin(heading);
  p->left[0] = -p->ahead[1], p->left[1] = p->ahead[0];
  return PK_OK;
}

/* The first foot is the left one. */
static pk_status check_sides(const start_pose *p, pk_error *err)
{
  const int left = p->c->feet[PKI_LEFT].link, right = p->c->feet[PKI_RIGHT].link;
  const pk_pose a = pk_link_pose(p->work, left), b = pk_link_pose(p->work, right);
  const double apart = p->left[0] * (a.pos[0] - b.pos[0]) + p->left[1] * (a.pos[1] - b.pos[1]);
  return apart >= 0 ? PK_OK
                    : pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "feet"},
                               "\"%s\" is %.3g m to the right of \"%s\" at the start, expected the left "
                               "foot, then the right foot",
                               p->m->links[left].name, -apart, p->m->links[right].name);
}

/* Sum of mass times way ahead of all links of the robot. */
static double forward_moment(const start_pose *p)
{
  const pk_model *m = p->m;
  double sum = 0;
  pk_kinematics_compute(p->work, p->q, NULL);
  for (int i = 0; i < m->nlink; i++) {
    if (m->links[i].robot == p->c->robot && m->links[i].body >= 0) {
      double at[3];
      const pk_pose pose = pk_link_pose(p->work, i);
      pki_mat3_apply(pose.rot, m->links[i].inertia.com, at);
      sum += m->links[i].inertia.mass *
             (p->ahead[0] * (pose.pos[0] + at[0]) + p->ahead[1] * (pose.pos[1] + at[1]));
    }
  }
  return sum;
}

/* The sign of the angle by which the mass beyond a joint goes forward. */
static double find_forward(start_pose *p, int joint)
{
  double *angle = &p->q[p->m->dof_q[p->c->u + p->c->act[joint]]];
  const double kept = *angle, before = forward_moment(p);
  *angle += 0.1;
  const double sign = forward_moment(p) > before ? 1 : -1;
  *angle = kept;
  return sign;
}

/* The joint with a motor whose name is most like this one; NULL: none is like it. */
static const char *nearest_driven(const pki_whole_body *c, const pk_model *m, const char *name)
{
  const char *near = NULL;
  int least = 4;
  for (int j = 0; j < c->nact; j++) {
    const char *joint = m->joints[m->dof_joint[c->u + c->act[j]]].name;
    const int edits = pki_word_distance(name, joint);
    near = edits < least ? joint : near;
    least = edits < least ? edits : least;
  }
  return near;
}

/* The joint that swings an arm. */
static pk_status find_arm(start_pose *p, int side, pk_error *err)
{
  const pki_whole_body *c = p->c;
  const pk_model *m = p->m;
  pki_biped *b = c->plan;
  const char *name = b->options.arms[side];
  b->arm[side] = -1;
  if (name == NULL) {
    return PK_OK;
  }
  const int joint = pk_model_find_joint(m, name);
  for (int j = 0; j < c->nact && joint >= 0; j++) {
    b->arm[side] = m->dof_joint[c->u + c->act[j]] == joint ? j : b->arm[side];
  }
  if (b->arm[side] < 0) {
    const char *near = nearest_driven(c, m, name);
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "arms"},
                    "there is no joint \"%s\" with a motor in this robot to swing an arm%s%s%s", name,
                    near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  }
  if (side == PKI_RIGHT && b->arm[PKI_LEFT] == b->arm[PKI_RIGHT]) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "arms"},
                    "\"%s\" is given for both arms, expected one joint for each", name);
  }
  b->arm_sign[side] = find_forward(p, b->arm[side]);
  return PK_OK;
}

/* What the start pose tells: which foot is left, and which way arms go forward. */
static pk_status look_at_start(const pki_whole_body *c, const pk_model *m, pk_error *err)
{
  start_pose p;
  pk_status status = open_start(c, m, &p, err);
  if (status != PK_OK) {
    return status;
  }
  status = check_sides(&p, err);
  for (int f = 0; f < 2 && status == PK_OK; f++) {
    status = find_arm(&p, f, err);
  }
  close_start(&p);
  return status;
}

pk_status pk_biped_create(const pk_model *model, const pk_biped_options *options, pk_controller **out,
                          pk_error *err)
{
  *out = NULL;
  const pk_biped_options chosen = options ? *options : pk_biped_options_default();
  pk_status status = pki_biped_validate(&chosen, err);
  if (status != PK_OK) {
    return status;
  }
  const pk_whole_body_options whole = pki_biped_whole(&chosen);
  pki_whole_body *c;
  status = pki_whole_body_make(model, &whole, &biped_planner, &c, err);
  if (status != PK_OK) {
    return status;
  }
  pki_biped *b = c->plan;
  b->options = chosen;
  b->limits = (pki_step_limits){.back = chosen.reach,
                                .ahead = chosen.reach,
                                .narrow = chosen.narrow,
                                .wide = chosen.wide,
                                .turn = pki_biped_turn};
  for (int f = 0; f < 2 && status == PK_OK; f++) {
    if (!c->is_free || c->feet[f].width != 6) {
      status = pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "feet"},
                        "\"%s\" is %s, expected a sole on a robot with a free trunk", chosen.feet[f],
                        c->is_free ? "a point" : "of a robot that is fixed to the world");
    }
  }
  status = status == PK_OK ? look_at_start(c, model, err) : status;
  if (status != PK_OK) {
    pki_controller_destroy(&c->controller);
    return status;
  }
  *out = &c->controller;
  return PK_OK;
}

void pk_biped_destroy(pk_controller *controller)
{
  pki_controller_destroy(controller);
}

/* What the controller of a world remembers there; NULL: it is no biped. */
static pki_biped_state *find_biped(const pk_sim *sim, const char *function, pk_error *err)
{
  const pk_controller *by = sim->control.by;
  const pki_whole_body *c = pki_whole_body_of(by);
  if (c != NULL && c->planner == &biped_planner) {
    return pki_whole_body_memory(c, sim->control.state);
  }
  pki_fail_controller(err, function, by, "pk_biped_create");
  return NULL;
}

pk_status pk_biped_set_speed(pk_sim *sim, double forward, double sideways, double turn, pk_error *err)
{
  pki_biped_state *s = find_biped(sim, "pk_biped_set_speed", err);
  if (s == NULL) {
    return PK_ERROR_ARGUMENT;
  }
  const pki_biped *b = ((const pki_whole_body *)sim->control.by->user)->plan;
  pk_biped_options chosen = b->options;
  chosen.forward = forward, chosen.sideways = sideways, chosen.turn = turn;
  const pk_status status = pki_biped_validate(&chosen, err);
  if (status == PK_OK) {
    s->has_speed = true;
    s->asked[0] = forward, s->asked[1] = sideways, s->asked[2] = turn;
  }
  return status;
}

pk_status pk_biped_get_report(const pk_sim *sim, pk_biped_report *out, pk_error *err)
{
  const pki_biped_state *s = find_biped(sim, "pk_biped_get_report", err);
  *out = s != NULL ? s->report : (pk_biped_report){0};
  return s != NULL ? PK_OK : PK_ERROR_ARGUMENT;
}

/* ---- its row ---- */

static pk_status create_biped(const pk_model *model, const void *options, pk_controller **out, pk_error *err)
{
  return pk_biped_create(model, options, out, err);
}

/* All numbers of the gait; weights are the program's. */
static const char *const live_fields[] = {
    "forward",         "sideways", "turn", "stop",    "acceleration", "swing",     "support",
    "shift",           "width",    "lift", "descent", "lean",         "arm_swing", "pressure_forward",
    "pressure_inward", "margin",   "gain", "reach",   "narrow",       "wide",      "soonest",
    "latest",          "friction", NULL};

/* A speed that was asked for counts more than those of `speeds`, which stand otherwise. */
static pk_status change_biped(pk_sim *sim, const void *before, const void *options, pk_error *err)
{
  const pk_biped_options *b = before, *o = options;
  const pki_biped_state *s = find_biped(sim, "a change of options", err);
  if (s == NULL) {
    return PK_ERROR_ARGUMENT;
  }
  const bool same = o->forward == b->forward && o->sideways == b->sideways && o->turn == b->turn;
  return same && !s->has_speed ? PK_OK : pk_biped_set_speed(sim, o->forward, o->sideways, o->turn, err);
}

const pki_controller_row pki_controller_biped = {
    .name = "biped",
    .doc = "a humanoid walks, turns, steps sideways and stops: footsteps, divergent component of motion, "
           "whole-body control",
    .fields = pki_biped_fields,
    .nfield = PKI_BIPED_FIELDS,
    .options_size = sizeof(pk_biped_options),
    .create = create_biped,
    .list = &pki_biped_changes,
    .live = live_fields,
    .change = change_biped};
