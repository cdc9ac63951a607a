#include "sim/sim_control.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/match.h"
#include "sense/sensing.h"

bool pk_sim_contact_carries(const pk_sim_contact *c, const pk_model *model, int link, double impulse[3],
                            double normal[3])
{
  const bool first = c->link == link;
  if (!first && c->other_link != link) {
    return false;
  }
  if (c->other_link >= 0 && model->links[c->link].robot == model->links[c->other_link].robot) {
    return false;
  }
  for (int k = 0; k < 3; k++) {
    if (impulse != NULL) {
      impulse[k] = first ? c->impulse[k] : -c->impulse[k];
    }
    if (normal != NULL) {
      normal[k] = first ? c->normal[k] : -c->normal[k];
    }
  }
  return true;
}

/* What is wrong with a controller for this world. */
static pk_status check_controller(const pk_sim *sim, const pk_controller *c, pk_error *err)
{
  if (c == NULL) {
    return PK_OK;
  }
  const char *name = c->name != NULL ? c->name : "";
  if (c->update == NULL && c->update_group == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "update"},
                    "the controller \"%s\" has no function update, expected one that sets the commands",
                    name);
  }
  const double dt = sim->options.dt, steps = c->period / dt;
  if (!(c->period >= 0) || fabs(steps - round(steps)) > 1e-6 * fmax(steps, 1) || steps > 1e15) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "period"},
                    "the controller \"%s\" has a period of %g s, expected a whole number of steps of %g s, "
                    "as %g, or 0 for each step",
                    name, c->period, dt, dt * fmax(floor(steps), 1));
  }
  if (c->model == 0) {
    return PK_OK;
  }
  char what[80];
  snprintf(what, sizeof what, "the controller \"%.40s\"", name);
  return pki_model_match(pk_sim_joint_model(sim), c->model, "controller", what, err);
}

pk_status pk_sim_set_controller(pk_sim *sim, const pk_controller *controller, pk_error *err)
{
  long long every = 1;
  void *block = NULL, *scratch = NULL;
  const pk_status status = check_controller(sim, controller, err);
  if (status != PK_OK) {
    return status;
  }
  if (controller != NULL) {
    const double steps = controller->period / sim->options.dt;
    every = steps < 1 ? 1 : (long long)round(steps);
    block = controller->state_size > 0 ? pki_aligned_alloc(controller->state_size) : NULL;
    scratch = controller->scratch_size > 0 ? pki_aligned_alloc(controller->scratch_size) : NULL;
    if ((controller->state_size > 0 && block == NULL) || (controller->scratch_size > 0 && scratch == NULL)) {
      pki_aligned_free(block);
      pki_aligned_free(scratch);
      return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory for the controller \"%s\"",
                      controller->name != NULL ? controller->name : "");
    }
  }
  if (scratch != NULL) {
    memset(scratch, 0, controller->scratch_size);
  }
  pki_aligned_free(sim->control.state);
  pki_aligned_free(sim->control.scratch);
  sim->control.by = controller;
  sim->control.state = block;
  sim->control.scratch = scratch;
  sim->control.every = every;
  pki_control_reset(sim);
  return PK_OK;
}

pk_status pki_control_replace(pk_sim *sim, const pk_controller *controller, pk_error *err)
{
  const pk_controller *by = sim->control.by;
  if (by == NULL || by->update_group != controller->update_group || by->update != controller->update ||
      by->state_size != controller->state_size || by->scratch_size != controller->scratch_size ||
      by->period != controller->period) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "controller"},
                    "the controller \"%s\" cannot go on from the present one: start the world anew",
                    controller->name != NULL ? controller->name : "");
  }
  if (controller->scratch_size > 0) {
    memset(sim->control.scratch, 0, controller->scratch_size);
  }
  sim->control.by = controller;
  return PK_OK;
}

void pki_control_reset(pk_sim *sim)
{
  const pk_controller *by = sim->control.by;
  if (by == NULL) {
    return;
  }
  if (by->state_size > 0) {
    memset(sim->control.state, 0, by->state_size);
  }
  if (by->reset != NULL) {
    by->reset(by, pk_sim_joint_model(sim), sim->control.state);
  }
}

/* Contacts of robots without sensors stay, first in the list; how many they are. */
static int keep_true_contacts(const pk_sensing *sensing, pk_sim_contact *contacts, int count)
{
  const pk_model_link *links = sensing->model->links;
  int kept = 0;
  for (int i = 0; i < count; i++) {
    const pk_sim_contact c = contacts[i];
    if (!sensing->sensed[links[c.link].robot] &&
        (c.other_link < 0 || !sensing->sensed[links[c.other_link].robot])) {
      contacts[kept++] = c;
    }
  }
  return kept;
}

/* What sensors show takes the place of the truth. */
static void see_by_sensors(const pk_sim *sim, pk_sim_contact *contacts, int room, pk_observation *o)
{
  const pk_sensing *sensing = sim->options.sensing;
  const double *const seen = o->q;
  o->u = seen + o->model->nq;
  o->tau = o->u + o->model->nu;
  if (sensing != NULL && sensing->switches) {
    const int kept = keep_true_contacts(sensing, contacts, o->ncontact);
    o->ncontact = kept + pki_see_contacts(sensing, o->readings, seen, o->dt, o->workspace, contacts + kept,
                                          room - kept);
  }
}

pk_observation pki_observe(const pk_sim *sim, const pki_observed *world)
{
  const bool truth = sim->options.sees == PK_SEES_TRUTH;
  pk_observation o = {.time = world->time,
                      .dt = sim->options.dt,
                      .model = pk_sim_joint_model(sim),
                      .q = truth ? world->q : world->seen,
                      .u = world->u,
                      .tau = world->tau,
                      .workspace = sim->joints.cut ? sim->joints.workspace : sim->workspace,
                      .contacts = world->contacts,
                      .ncontact = world->ncontact,
                      .sensing = sim->options.sensing,
                      .readings = sim->options.sensing != NULL ? world->readings : NULL,
                      .actuation = sim->options.actuation,
                      .actuator_states = sim->options.actuation != NULL ? world->actuator_states : NULL,
                      .scratch = sim->control.scratch};
  if (!truth) {
    see_by_sensors(sim, world->contacts, world->room, &o);
  }
  return o;
}

/* `update` of a controller that has update_group alone: a group of one. */
static pk_status update_by_group(const pk_controller *self, const pk_observation *seen, void *state,
                                 pk_command *commands)
{
  pk_status status = PK_OK;
  self->update_group(self, 1, seen, &state, &commands, &status);
  return status;
}

pk_status pki_control(pk_sim *sim, pk_step_info *info)
{
  const pk_controller *by = sim->control.by;
  if (by == NULL || sim->state.n.steps % sim->control.every != 0) {
    return PK_OK;
  }
  const bool cut = sim->joints.cut;
  const pki_observed world = {.time = pk_sim_time(sim),
                              .q = cut ? sim->joints.q : sim->state.q,
                              .u = cut ? sim->joints.u : sim->state.u,
                              .tau = sim->state.tau,
                              .contacts = sim->control.contacts,
                              .ncontact =
                                  pk_sim_contacts(sim, sim->control.contacts, sim->options.max_contacts),
                              .room = sim->options.max_contacts,
                              .readings = sim->state.readings,
                              .seen = sim->state.seen,
                              .actuator_states = sim->state.actuation};
  const pk_observation seen = pki_observe(sim, &world);
  /* it computes with the model's masses: what differs in a world is what it does not know */
  pki_params *const params = &seen.workspace->work.params;
  const pki_params own = *params;
  params->inertia = (double *)(uintptr_t)seen.model->body_inertia; /* it is only read */
  params->grouped = seen.workspace->grouped, params->varied = false;
  const pk_status status =
      (by->update != NULL ? by->update : update_by_group)(by, &seen, sim->control.state, sim->state.commands);
  *params = own;
  info->term = status == PK_OK ? info->term : "controller";
  return status;
}
