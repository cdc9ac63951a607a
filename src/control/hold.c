/* Keep a pose: PD on every joint coordinate, towards where it was at the first update. */
#include <stdlib.h>
#include <string.h>

#include "control/effort.h"
#include "control/gains.h"
#include "control/registry.h"

#define HOLD(name) #name, offsetof(pk_hold_options, name)
static const pk_field hold_fields[] = {
    {HOLD(period), PK_FIELD_REAL, "s", 0, 0, 1, NULL, "time between updates, whole steps; 0: each step"},
    {HOLD(kp), PK_FIELD_REAL, "N m/rad", 100, 0, 1e9, NULL, "stiffness"},
    {HOLD(kd), PK_FIELD_REAL, "N m s/rad", 2, 0, 1e9, NULL, "damping"},
    {HOLD(tau_max), PK_FIELD_REAL, "N m", INFINITY, 0, INFINITY, NULL,
     "largest torque, beside the model's effort limits; 0: none"},
    {HOLD(frequency), PK_FIELD_REAL, "Hz", 0, 0, 1e3, NULL,
     "kp and kd by each joint's inertia, critically damped, instead of those given; 0: as given"},
};
enum { HOLD_FIELDS = sizeof hold_fields / sizeof hold_fields[0] };

/* A joint that it holds: its velocity, coordinate, largest torque and gains. */
typedef struct hold_joint {
  int u, q;
  double most, kp, kd;
} hold_joint;

typedef struct hold {
  pk_controller controller;
  pk_hold_options options;
  int joints;
  hold_joint joint[];
} hold;

/* What it remembers: the pose, once it has seen it. */
typedef struct hold_state {
  double seen, pose[];
} hold_state;

static void hold_pose(const hold *h, const pk_observation *seen, hold_state *s, pk_command *commands)
{
  if (s->seen == 0) {
    memcpy(s->pose, seen->q, (size_t)seen->model->nq * sizeof s->pose[0]);
    s->seen = 1;
  }
  for (int k = 0; k < h->joints; k++) {
    const hold_joint *j = &h->joint[k];
    commands[j->u] = (pk_command){.q_des = s->pose[j->q], .kp = j->kp, .kd = j->kd};
    pki_command_limit(&commands[j->u], j->most);
  }
}

/* Nothing but memory to write: lanes would not help. */
static void update_group(const pk_controller *self, int count, const pk_observation *seen,
                         void *const *states, pk_command *const *commands, pk_status *status)
{
  for (int i = 0; i < count; i++) {
    hold_pose(self->user, &seen[i], states[i], commands[i]);
    status[i] = PK_OK;
  }
}

pk_hold_options pk_hold_options_default(void)
{
  pk_hold_options options;
  pki_fields_default(hold_fields, HOLD_FIELDS, &options, sizeof options);
  return options;
}

pk_status pk_hold_create(const pk_model *model, const pk_hold_options *options, pk_controller **out,
                         pk_error *err)
{
  *out = NULL;
  const pk_hold_options chosen = options ? *options : pk_hold_options_default();
  const pk_status status = pki_fields_validate(hold_fields, HOLD_FIELDS, &chosen, err);
  if (status != PK_OK) {
    return status;
  }
  double *gains = calloc(2 * (size_t)model->nu + 1, sizeof *gains),
         *kd = gains != NULL ? gains + model->nu : NULL;
  if (gains == NULL) {
    return pki_fail_memory(err, "a controller");
  }
  if (chosen.frequency > 0 && pki_gains_compute(model, chosen.frequency, gains, kd, err) != PK_OK) {
    free(gains);
    return PK_ERROR_MEMORY;
  }
  hold *h = malloc(sizeof *h + (size_t)model->nu * sizeof h->joint[0]);
  if (h == NULL) {
    free(gains);
    return pki_fail_memory(err, "a controller");
  }
  h->options = chosen;
  h->joints = 0;
  for (int k = 0; k < model->nu; k++) {
    /* free roots and spherical joints have no PD of their own; planar and chain roots have no motor */
    if (model->dof_q[k] >= 0 && model->dof_joint[k] >= 0) {
      const bool given = !(chosen.frequency > 0);
      h->joint[h->joints++] = (hold_joint){.u = k,
                                           .q = model->dof_q[k],
                                           .most = pki_effort_limit(model, k, chosen.tau_max),
                                           .kp = given ? chosen.kp : gains[k],
                                           .kd = given ? chosen.kd : kd[k]};
    }
  }
  free(gains);
  h->controller = (pk_controller){.name = "hold",
                                  .period = chosen.period,
                                  .model = pk_model_hash(model),
                                  .state_size = sizeof(hold_state) + (size_t)model->nq * sizeof(double),
                                  .update_group = update_group,
                                  .user = h};
  *out = &h->controller;
  return PK_OK;
}

void pk_hold_destroy(pk_controller *controller)
{
  pki_controller_destroy(controller);
}

static pk_status create_hold(const pk_model *model, const void *options, pk_controller **out, pk_error *err)
{
  return pk_hold_create(model, options, out, err);
}

static const char *const live_fields[] = {"kp", "kd", "tau_max", "frequency", NULL};

const pki_controller_row pki_controller_hold = {.name = "hold",
                                                .doc = "PD to the pose at the first update",
                                                .fields = hold_fields,
                                                .nfield = HOLD_FIELDS,
                                                .options_size = sizeof(pk_hold_options),
                                                .create = create_hold,
                                                .live = live_fields};
