/* One run of the lift: forces on the box, angles of the right arm, and what of them the paper tells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actuation/actuation.h"
#include "base/clock.h"
#include "math/mat3.h"
#include "math/smooth_step.h"
#include "scenario/scenario.h"
#include "study/coman/coman.h"

enum { MOST_CONTACTS = 64 };

static const char *const arm[PKI_COMAN_ARM] = {"RShSag", "RShLat", "RShYaw", "RElbj"};

static const double mass = 1.5;   /* kg, of the box */
static const double window = 0.2; /* s, at the end, over which means are taken */
static const double calm = 0.5;   /* s, after which the table's force is averaged */
static const double part_of_weight = 0.01;

/* What stepping needs. */
typedef struct lift {
  pki_scenario *scenario;
  pki_world world;
  pk_workspace *work;
  int box, waist, wrist[2], foot[2]; /* links, right ones first */
  int dof[PKI_COMAN_ARM];
  double wall;
  double box_speed, window_speed; /* m/s, vertical: now, at the start of the last window */
} lift;

static void close_lift(lift *l)
{
  pk_workspace_destroy(l->work);
  pki_world_free(&l->world);
  pki_scenario_destroy(l->scenario);
}

/* Links and joints by name; false: some is missing. */
static bool find_names(lift *l)
{
  const pk_model *m = l->world.model;
  const struct {
    const char *name;
    int *to;
  } links[] = {{"box", &l->box},          {"Waist", &l->waist},   {"r_wrist", &l->wrist[0]},
               {"l_wrist", &l->wrist[1]}, {"RFoot", &l->foot[0]}, {"LFoot", &l->foot[1]}};
  bool found = true;
  for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
    *links[i].to = pk_model_find_link(m, links[i].name);
    found = found && *links[i].to >= 0;
  }
  for (int k = 0; k < PKI_COMAN_ARM; k++) {
    const int joint = pk_model_find_joint(m, arm[k]);
    l->dof[k] = joint >= 0 ? m->joints[joint].u : -1;
    found = found && l->dof[k] >= 0;
  }
  return found && l->world.actuation != NULL;
}

/* What was opened before a failure is closed by close_lift, too. */
static pk_status open_lift(const pki_coman_variant *v, lift *l, pk_error *err)
{
  char path[PKI_PATH_MAX];
  int nset = 0;
  *l = (lift){0};
  while (nset < PKI_COMAN_SETS && v->sets[nset] != NULL) {
    nset++;
  }
  pk_status status = pki_scenario_locate(v->scenario, path, err);
  status = status == PK_OK ? pki_scenario_load(path, v->sets, nset, &l->scenario, err) : status;
  status = status == PK_OK ? pki_world_create(l->scenario, &l->world, err) : status;
  if (status != PK_OK) {
    return status;
  }
  if (!find_names(l)) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.file = path},
                    "no lift of a link \"box\" by COMAN's wrists on actuators");
  }
  pki_world_compile(&l->world, NULL);
  return pk_workspace_create(l->world.model, &l->work, err);
}

static pk_status make_curves(pki_coman_curves *c, long long steps, pk_error *err)
{
  double *block = calloc((size_t)steps * PKI_COMAN_CHANNELS, sizeof *block);
  if (block == NULL) {
    return pki_fail_memory(err, "curves");
  }
  for (int i = 0; i < PKI_COMAN_CHANNELS; i++) {
    c->values[i] = block + (size_t)steps * (size_t)i;
  }
  return PK_OK;
}

void pki_coman_lift_free(pki_coman_lift *out)
{
  free(out->curves.values[0]);
  *out = (pki_coman_lift){0};
}

/* ---- a point of the curves ---- */

/* Slip of a contact: the part of the relative velocity in its tangent plane. */
static double slip_of(const lift *l, const pk_sim_contact *c)
{
  double a[3], b[3];
  pk_link_point_velocity(l->work, c->link, c->point, a);
  pk_link_point_velocity(l->work, c->other_link, c->point, b);
  const double v[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]}, n = pki_dot3(v, c->normal);
  return sqrt(fmax(0, pki_dot3(v, v) - n * n));
}

static void add_contact(const lift *l, const pk_sim_contact *c, double dt, double *at, double grasp[2])
{
  const bool of_box = c->link == l->box || c->other_link == l->box;
  const double up = (c->link == l->box ? 1 : -1) * c->impulse[2] / dt;
  if (of_box) {
    at[PKI_COMAN_BOX_FORCE] += up;
    at[PKI_COMAN_TABLE_FORCE] += c->other_link < 0 ? up : 0;
  }
  for (int side = 0; side < 2; side++) {
    if (of_box && (c->link == l->wrist[side] || c->other_link == l->wrist[side])) {
      grasp[side] += fabs(pki_dot3(c->impulse, c->normal)) / dt;
      at[PKI_COMAN_SLIP] = fmax(at[PKI_COMAN_SLIP], slip_of(l, c));
      at[PKI_COMAN_SLIDES] = fmax(at[PKI_COMAN_SLIDES], c->slides);
    }
  }
  at[PKI_COMAN_FOOT] += c->link == l->foot[0] ? c->impulse[2] / dt : 0;
}

/* Everything after a step; the grasp of the left wrist comes back. */
static double observe(lift *l, double dt, double *at, pki_coman_lift *out)
{
  pk_sim *sim = l->world.sim;
  const pk_model *m = l->world.model;
  pk_sim_contact contacts[MOST_CONTACTS];
  const int found = pk_sim_contacts(sim, contacts, MOST_CONTACTS);
  double grasp[2] = {0, 0}, velocity[6];
  pk_kinematics_compute(l->work, pk_sim_q(sim), pk_sim_u(sim));
  for (int i = 0; i < found && i < MOST_CONTACTS; i++) {
    add_contact(l, &contacts[i], dt, at, grasp);
  }
  for (int k = 0; k < PKI_COMAN_ARM; k++) {
    const double x = pk_sim_q(sim)[m->dof_q[l->dof[k]]];
    at[PKI_COMAN_REFERENCE + k] = pk_sim_commands(sim)[l->dof[k]].q_des;
    at[PKI_COMAN_MOTOR + k] = x + pki_feedback_offset(l->world.actuation, pk_sim_actuation(sim), l->dof[k]);
    at[PKI_COMAN_JOINT + k] = x;
  }
  const pk_pose box = pk_link_pose(l->work, l->box), waist = pk_link_pose(l->work, l->waist);
  pk_link_point_velocity(l->work, l->box, box.pos, velocity);
  l->box_speed = velocity[2];
  at[PKI_COMAN_TIME] = pk_sim_time(sim);
  at[PKI_COMAN_GRASP] = grasp[0];
  at[PKI_COMAN_BOX_HEIGHT] = box.pos[2];
  at[PKI_COMAN_BOX_TILT] = 57.29577951308232 * acos(fmin(1, box.rot[8]));
  out->sway = fmax(out->sway, 57.29577951308232 * acos(fmin(1, waist.rot[8])));
  out->fell = out->fell || waist.pos[2] < 0.4;
  return grasp[1];
}

/* ---- what the curves tell ---- */

static double mean_between(const pki_coman_curves *c, pki_coman_channel which, double from, double to)
{
  double sum = 0;
  int n = 0;
  for (int i = 0; i < c->n; i++) {
    if (c->values[PKI_COMAN_TIME][i] > from && c->values[PKI_COMAN_TIME][i] <= to) {
      sum += c->values[which][i];
      n++;
    }
  }
  return n > 0 ? sum / n : NAN;
}

/* When the table's force was last off the weight before the touch, and last there at all. */
static void find_times(const pki_coman_curves *c, pki_coman_lift *out)
{
  const double least = part_of_weight * PKI_COMAN_WEIGHT, *time = c->values[PKI_COMAN_TIME];
  bool carries = false;
  out->settled = out->leave = 0;
  for (int i = 0; i < c->n; i++) {
    const double force = c->values[PKI_COMAN_TABLE_FORCE][i];
    if (!(time[i] >= out->touch) && fabs(force - PKI_COMAN_WEIGHT) > least) {
      out->settled = time[i];
    }
    carries = force > least;
    out->leave = carries ? time[i] : out->leave;
  }
  out->leave = carries ? NAN : out->leave;
}

double pki_coman_creep(double ratio)
{
  static const double transition = 0.01, friction = 1.1, viscous = 0.5;
  double low = 0, high = 1;
  if (!(ratio >= 0) || ratio > friction + viscous * transition) {
    return NAN;
  }
  for (int i = 0; i < 60; i++) {
    const double x = 0.5 * (low + high);
    const double held = friction * pki_smooth_step(x) + viscous * transition * x;
    if (held < ratio) {
      low = x;
    } else {
      high = x;
    }
  }
  return low * transition;
}

static void summarise_lift(const lift *l, pki_coman_lift *out)
{
  const pki_coman_curves *c = &out->curves;
  const double end = c->n > 0 ? c->values[PKI_COMAN_TIME][c->n - 1] : 0, from = end - window;
  find_times(c, out);
  const double before = fmin(isnan(out->touch) ? end : out->touch, end);
  out->before = mean_between(c, PKI_COMAN_TABLE_FORCE, calm, before - 2 * out->dt);
  out->grasp = mean_between(c, PKI_COMAN_GRASP, from, end);
  out->feet = 2 * mean_between(c, PKI_COMAN_FOOT, from, end);
  if (out->leave < from) {
    out->after =
        mean_between(c, PKI_COMAN_BOX_FORCE, from, end) - mass * (l->box_speed - l->window_speed) / window;
    out->slip = mean_between(c, PKI_COMAN_SLIP, out->leave, end);
    out->slid = out->slip * (end - out->leave);
    out->creep = mean_between(c, PKI_COMAN_SLIP, from, end);
    out->creep_of_law = pki_coman_creep(0.5 * out->after / out->grasp);
    out->sliding = mean_between(c, PKI_COMAN_SLIDES, out->leave, end) * (end - out->leave);
  } else {
    out->after = out->slip = out->slid = out->creep = out->creep_of_law = out->sliding = NAN;
  }
  for (int i = 0; i < c->n; i++) {
    out->grasp_most = fmax(out->grasp_most, c->values[PKI_COMAN_GRASP][i]);
    if (c->values[PKI_COMAN_TIME][i] >= out->touch) {
      const int elbow = PKI_COMAN_ARM - 1;
      out->deflection = fmax(out->deflection, fabs(c->values[PKI_COMAN_MOTOR + elbow][i] -
                                                   c->values[PKI_COMAN_JOINT + elbow][i]));
    }
  }
  if (c->n > 0) {
    out->lifted = c->values[PKI_COMAN_BOX_HEIGHT][c->n - 1] - c->values[PKI_COMAN_BOX_HEIGHT][0];
    out->tilt = c->values[PKI_COMAN_BOX_TILT][c->n - 1];
  }
}

/* ---- the run ---- */

/* False: the step failed. */
static bool step_lift(lift *l, pki_coman_lift *out)
{
  pk_step_info info;
  double at[PKI_COMAN_CHANNELS] = {0};
  pki_coman_curves *c = &out->curves;
  const double before = pki_clock_thread();
  out->status = pki_world_step(&l->world, &info);
  l->wall += pki_clock_thread() - before;
  if (out->status != PK_OK) {
    return false;
  }
  out->uncertified += !info.certified;
  const double other = observe(l, out->dt, at, out);
  if (isnan(out->touch) && at[PKI_COMAN_GRASP] > 0 && other > 0) {
    out->touch = at[PKI_COMAN_TIME];
  }
  if (at[PKI_COMAN_TIME] <= l->scenario->duration - window + 0.5 * out->dt) {
    l->window_speed = l->box_speed;
  }
  for (int k = 0; k < PKI_COMAN_CHANNELS; k++) {
    c->values[k][c->n] = at[k];
  }
  c->n++;
  return true;
}

pk_status pki_coman_lift_run(const pki_coman_variant *variant, const pki_study_watch *watch,
                             pki_coman_lift *out, pk_error *err)
{
  lift l;
  *out = (pki_coman_lift){.touch = NAN};
  pk_status status = open_lift(variant, &l, err);
  if (status == PK_OK) {
    out->dt = l.scenario->step.dt;
    const long long steps = llround(l.scenario->duration / out->dt);
    status = make_curves(&out->curves, steps, err);
    for (long long i = 0; i < steps && status == PK_OK && step_lift(&l, out); i++) {
      if (watch != NULL && i % 100 == 0) {
        watch->tell(watch->user, (double)i / (double)steps);
      }
    }
  }
  if (status == PK_OK) {
    out->ran = true;
    out->factor = (double)out->curves.n * out->dt / l.wall;
    summarise_lift(&l, out);
  }
  close_lift(&l);
  return status;
}
