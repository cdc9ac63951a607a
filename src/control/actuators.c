/* The model's actuators as commands. With the length l = J q + l0 and its rate v = J u, J the gear times what its joint's coordinate
 * does by q, the force on q is
 *
 *   J clamp(a0 + a1 l + a2 v),   a = gain c + bias
 *
 * whose part -J^2 a1 of q is a stiffness and -J^2 a2 of u a damping of the command where they are not negative. Limits that are
 * symmetric and of the only actuator of a coordinate are the command's limit; all others hold the force that the actuator has
 * at the start of the step. */
#include "pronk/actuators.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "control/effort.h"
#include "control/registry.h"
#include "step/world.h"

#define OPTION(name) #name, offsetof(pk_actuators_options, name)
static const pk_field actuators_fields[] = {
    {OPTION(period), PK_FIELD_REAL, "s", 0, 0, 1, NULL, "time between updates, whole steps; 0: each step"},
    {OPTION(keyframe), PK_FIELD_TEXT, "", 0, 0, sizeof((pk_actuators_options *)0)->keyframe - 1, NULL,
     "keyframe of the model whose control values it begins with; default: all zero"},
};
enum { ACTUATORS_FIELDS = sizeof actuators_fields / sizeof actuators_fields[0] };

typedef struct motors {
  pk_controller controller;
  double period;
  const pk_model *model;
  double *start; /* [nactuator] control values to begin with */
  bool *alone;   /* [nactuator] no other actuator drives its coordinate */
  bool *first;   /* [nactuator] no actuator before it drives its coordinate */
  double memory[];
} motors;

/* What a world remembers: [nactuator] control values, then their integrals. */
static double *ctrl_of(void *state)
{
  return state;
}

static double keep_between(double x, double lower, double upper)
{
  return x < lower ? lower : x > upper ? upper : x;
}

/* The coordinate that an actuator drives: its length is J q[dof_q[u]] + start. */
typedef struct drive {
  int u;
  double J, start;
} drive;

static drive drive_of(const pk_model *m, const pk_model_actuator *a)
{
  const pk_model_joint *joint = &m->joints[a->joint];
  const bool follows = joint->leader >= 0;
  return (drive){.u = joint->u,
                 .J = a->gear * (follows ? joint->multiplier : 1),
                 .start = a->gear * (follows ? joint->offset : 0)};
}

double pk_actuator_force(const pk_model *model, int actuator, double ctrl, const double *q, const double *u)
{
  const pk_model_actuator *a = &model->actuators[actuator];
  const drive d = drive_of(model, a);
  const double c = a->integrates ? ctrl : keep_between(ctrl, a->ctrl_lower, a->ctrl_upper);
  const double l = d.J * q[model->dof_q[d.u]] + d.start, v = d.J * u[d.u];
  const double force =
      (a->gain[0] + a->gain[1] * l + a->gain[2] * v) * c + a->bias[0] + a->bias[1] * l + a->bias[2] * v;
  return keep_between(force, a->force_lower, a->force_upper);
}

/* Its limits can be those of a command. */
static bool is_symmetric(const pk_model_actuator *a)
{
  return a->force_upper > 0 && a->force_lower == -a->force_upper;
}

/* One actuator at the value c joins the command of its coordinate. */
static void add_actuator(const motors *m, int i, double c, const pk_observation *seen, pk_command *command)
{
  const pk_model_actuator *a = &m->model->actuators[i];
  const drive d = drive_of(m->model, a);
  const double q = seen->q[m->model->dof_q[d.u]], u = seen->u[d.u];
  const double a1 = a->gain[1] * c + a->bias[1], a2 = a->gain[2] * c + a->bias[2];
  const bool free = isinf(a->force_lower) && isinf(a->force_upper),
             by_command = m->alone[i] && is_symmetric(a);
  const double force = pk_actuator_force(m->model, i, c, seen->q, seen->u);
  if (!free && !by_command && (force == a->force_lower || force == a->force_upper)) {
    command->tau += d.J * force;
    return;
  }
  /* J (a0 + a1 l0) + J^2 a1 q + J^2 a2 u; what would add energy stays as it is at the start */
  const double kp = fmax(0, -d.J * d.J * a1), kd = fmax(0, -d.J * d.J * a2);
  command->tau += d.J * (a->gain[0] * c + a->bias[0] + a1 * d.start);
  command->tau += (d.J * d.J * a1 + kp) * q + (d.J * d.J * a2 + kd) * u;
  command->kp += kp, command->kd += kd;
  if (by_command && !free) {
    command->tau_max = fmin(command->tau_max, fabs(d.J) * a->force_upper);
  }
}

/* The same force with the pose that it asks for in place of a torque, where there is a stiffness. */
static void name_pose(pk_command *command)
{
  if (command->kp > 0) {
    command->q_des = command->tau / command->kp;
    command->tau = 0;
  }
}

static pk_status update(const pk_controller *self, const pk_observation *seen, void *state,
                        pk_command *commands)
{
  const motors *m = self->user;
  const int n = m->model->nactuator;
  double *ctrl = ctrl_of(state), *act = ctrl + n;
  for (int i = 0; i < n; i++) {
    commands[drive_of(m->model, &m->model->actuators[i]).u] = (pk_command){.tau_max = INFINITY};
  }
  for (int i = 0; i < n; i++) {
    const pk_model_actuator *a = &m->model->actuators[i];
    const double c = keep_between(ctrl[i], a->ctrl_lower, a->ctrl_upper);
    add_actuator(m, i, a->integrates ? act[i] : c, seen, &commands[drive_of(m->model, a).u]);
    if (a->integrates) {
      act[i] = keep_between(act[i] + (m->period > 0 ? m->period : seen->dt) * c, a->act_lower, a->act_upper);
    }
  }
  for (int i = 0; i < n; i++) {
    const int u = drive_of(m->model, &m->model->actuators[i]).u;
    if (m->first[i]) {
      name_pose(&commands[u]);
      pki_command_limit(&commands[u], fmin(commands[u].tau_max, m->model->dof_effort[u]));
    }
  }
  return PK_OK;
}

static void reset(const pk_controller *self, const pk_model *model, void *state)
{
  const motors *m = self->user;
  (void)model;
  memcpy(ctrl_of(state), m->start, (size_t)m->model->nactuator * sizeof *m->start);
}

pk_actuators_options pk_actuators_options_default(void)
{
  pk_actuators_options options;
  pki_fields_default(actuators_fields, ACTUATORS_FIELDS, &options, sizeof options);
  return options;
}

/* Control values of a keyframe, for the robots that it is of. */
static pk_status read_keyframe(const motors *m, const char *name, pk_error *err)
{
  if (name[0] == '\0') {
    return PK_OK;
  }
  const int at = pk_model_find_keyframe(m->model, name);
  if (at < 0) {
    return pki_fail(err, PK_ERROR_NAME, (pki_where){.field = "keyframe"},
                    "the model has no keyframe \"%.60s\"; it has %d", name, m->model->nkeyframe);
  }
  const pk_model_keyframe *key = &m->model->keyframes[at];
  memcpy(m->start + key->actuator, key->ctrl, (size_t)key->nctrl * sizeof *key->ctrl);
  return PK_OK;
}

/* Which actuators are the first or the only ones of their coordinate; false without memory. */
static bool find_alone(const motors *m)
{
  const pk_model *model = m->model;
  int *count = calloc((size_t)model->nu + 1, sizeof *count);
  for (int i = 0; i < model->nactuator && count != NULL; i++) {
    m->first[i] = count[drive_of(model, &model->actuators[i]).u]++ == 0;
  }
  for (int i = 0; i < model->nactuator && count != NULL; i++) {
    m->alone[i] = count[drive_of(model, &model->actuators[i]).u] == 1;
  }
  free(count);
  return count != NULL;
}

pk_status pk_actuators_create(const pk_model *model, const pk_actuators_options *options, pk_controller **out,
                              pk_error *err)
{
  *out = NULL;
  const pk_actuators_options chosen = options != NULL ? *options : pk_actuators_options_default();
  const size_t n = (size_t)model->nactuator;
  pk_status status = pki_fields_validate(actuators_fields, ACTUATORS_FIELDS, &chosen, err);
  if (status == PK_OK && n == 0) {
    status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "model"},
                      "the model has no actuators: use a file that has some, or another controller");
  }
  for (size_t i = 0; i < n && status == PK_OK; i++) {
    if (model->joints[model->actuators[i].joint].u < 0) {
      status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "model"},
                        "its joints are cut: make the controller for pk_sim_joint_model");
    }
  }
  if (status != PK_OK) {
    return status;
  }
  motors *m = calloc(1, sizeof *m + n * (sizeof *m->start + 2 * sizeof *m->alone));
  if (m == NULL) {
    return pki_fail_memory(err, "a controller");
  }
  m->model = model, m->period = chosen.period;
  m->start = m->memory, m->alone = (void *)(m->memory + n), m->first = m->alone + n;
  m->controller = (pk_controller){.name = "actuators",
                                  .period = chosen.period,
                                  .model = pk_model_hash(model),
                                  .state_size = 2 * n * sizeof(double),
                                  .reset = reset,
                                  .update = update,
                                  .user = m};
  status = find_alone(m) ? read_keyframe(m, chosen.keyframe, err) : pki_fail_memory(err, "a controller");
  if (status != PK_OK) {
    free(m);
    return status;
  }
  *out = &m->controller;
  return PK_OK;
}

void pk_actuators_destroy(pk_controller *controller)
{
  pki_controller_destroy(controller);
}

pk_status pk_actuators_set(pk_sim *sim, const double *ctrl, pk_error *err)
{
  const pk_controller *by = sim->control.by;
  if (by == NULL || by->update != update) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "sim"},
                    "its controller is %s, expected actuators: call pk_sim_set_controller first",
                    by != NULL ? by->name : "nobody");
  }
  const motors *m = by->user;
  for (int i = 0; i < m->model->nactuator; i++) {
    if (!isfinite(ctrl[i])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = m->model->actuators[i].name},
                      "the control value of actuator \"%s\" is not finite", m->model->actuators[i].name);
    }
  }
  memcpy(ctrl_of(sim->control.state), ctrl, (size_t)m->model->nactuator * sizeof *ctrl);
  return PK_OK;
}

static pk_status create_actuators(const pk_model *model, const void *options, pk_controller **out,
                                  pk_error *err)
{
  return pk_actuators_create(model, options, out, err);
}

const pki_controller_row pki_controller_actuators = {
    .name = "actuators",
    .doc = "the model's own actuators, at the control values of a keyframe",
    .fields = actuators_fields,
    .nfield = ACTUATORS_FIELDS,
    .options_size = sizeof(pk_actuators_options),
    .create = create_actuators};
