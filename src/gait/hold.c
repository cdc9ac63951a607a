/* Keep a pose: PD on every joint coordinate, towards where it was at the first update. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gait/registry.h"

typedef struct hold {
  pk_controller controller;
  pk_hold_options options;
} hold;

/* What it remembers: the pose, once it has seen it. */
typedef struct hold_state {
  double seen, pose[];
} hold_state;

static pk_status update(const pk_controller *self, const pk_observation *seen, void *state,
                        pk_command *commands)
{
  const pk_hold_options *o = self->user;
  const pk_model *m = seen->model;
  hold_state *s = state;
  if (s->seen == 0) {
    memcpy(s->pose, seen->q, (size_t)m->nq * sizeof s->pose[0]);
    s->seen = 1;
  }
  for (int k = 0; k < m->nu; k++) {
    /* free roots and spherical joints have no PD of their own; planar and chain roots have no motor */
    const int q = m->dof_q[k], joint = m->dof_joint[k];
    if (q >= 0 && joint >= 0) {
      commands[k] = (pk_command){
          .q_des = s->pose[q], .kp = o->kp, .kd = o->kd, .tau_max = fmin(o->tau_max, m->dof_effort[k])};
    }
  }
  return PK_OK;
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
  hold *h = malloc(sizeof *h);
  if (h == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for a controller");
  }
  h->options = chosen;
  h->controller = (pk_controller){.name = "hold",
                                  .period = chosen.period,
                                  .state_size = sizeof(hold_state) + (size_t)model->nq * sizeof(double),
                                  .update = update,
                                  .user = &h->options};
  *out = &h->controller;
  return PK_OK;
}

void pk_hold_destroy(pk_controller *controller)
{
  pki_controller_destroy(controller);
}
