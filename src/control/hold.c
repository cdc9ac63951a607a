/* Keep a pose: PD on every joint coordinate, towards where it was at the first update. */
#include <stdlib.h>
#include <string.h>

#include "control/effort.h"
#include "control/registry.h"

/* A joint that it holds: its velocity, coordinate and largest torque. */
typedef struct hold_joint {
  int u, q;
  double most;
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

static pk_status update(const pk_controller *self, const pk_observation *seen, void *state,
                        pk_command *commands)
{
  const hold *h = self->user;
  hold_state *s = state;
  if (s->seen == 0) {
    memcpy(s->pose, seen->q, (size_t)seen->model->nq * sizeof s->pose[0]);
    s->seen = 1;
  }
  for (int k = 0; k < h->joints; k++) {
    const hold_joint *j = &h->joint[k];
    commands[j->u] = (pk_command){.q_des = s->pose[j->q], .kp = h->options.kp, .kd = h->options.kd};
    pki_command_limit(&commands[j->u], j->most);
  }
  return PK_OK;
}

/* Nothing but memory to write: lanes would not help. */
static void update_group(const pk_controller *self, int count, const pk_observation *seen,
                         void *const *states, pk_command *const *commands, pk_status *status)
{
  for (int i = 0; i < count; i++) {
    status[i] = update(self, &seen[i], states[i], commands[i]);
  }
}

pk_hold_options pk_hold_options_default(void)
{
  pk_hold_options options;
  memset(&options, 0, sizeof options);
  pki_fields_preset(pki_hold_fields, pki_hold_field_count, &options);
  return options;
}

pk_status pk_hold_create(const pk_model *model, const pk_hold_options *options, pk_controller **out,
                         pk_error *err)
{
  *out = NULL;
  const pk_hold_options chosen = options ? *options : pk_hold_options_default();
  const pk_status status = pki_fields_validate(pki_hold_fields, pki_hold_field_count, &chosen, err);
  if (status != PK_OK) {
    return status;
  }
  hold *h = malloc(sizeof *h + (size_t)model->nu * sizeof h->joint[0]);
  if (h == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for a controller");
  }
  h->options = chosen;
  h->joints = 0;
  for (int k = 0; k < model->nu; k++) {
    /* free roots and spherical joints have no PD of their own; planar and chain roots have no motor */
    if (model->dof_q[k] >= 0 && model->dof_joint[k] >= 0) {
      h->joint[h->joints++] =
          (hold_joint){.u = k, .q = model->dof_q[k], .most = pki_effort_limit(model, k, chosen.tau_max)};
    }
  }
  h->controller = (pk_controller){.name = "hold",
                                  .period = chosen.period,
                                  .model = pk_model_hash(model),
                                  .state_size = sizeof(hold_state) + (size_t)model->nq * sizeof(double),
                                  .update = update,
                                  .update_group = update_group,
                                  .user = h};
  *out = &h->controller;
  return PK_OK;
}

void pk_hold_destroy(pk_controller *controller)
{
  pki_controller_destroy(controller);
}
