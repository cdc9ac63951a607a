/* What a run adds up about actuators: energies of each, the battery's, costs of the gait, the hottest winding. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/watch.h"
#include "step/world.h"

const pk_actuation *pki_watch_actuation(const pki_watch *w)
{
  return w->world->sim->options.actuation;
}

bool pki_watch_has_battery(const pki_watch *w)
{
  const pk_actuation *a = pki_watch_actuation(w);
  return a != NULL && a->has_battery;
}

/* The constants of the n-th motor in this world. */
static const double *motor_constants(const pki_watch *w, int n)
{
  return w->world->sim->motors + (size_t)n * PKI_MOTOR_CONSTANTS;
}

pk_status pki_watch_actuators_begin(pki_watch *w, pki_run_result *r, pk_error *err)
{
  const pk_actuation *a = pki_watch_actuation(w);
  const size_t nu = (size_t)w->model->nu;
  r->hottest = NAN;
  if (a == NULL || a->count == 0) {
    return PK_OK;
  }
  r->nactuator = a->count, r->nmotor = a->nmotor, r->has_battery = a->has_battery;
  r->actuation = a, r->empty_at = -1;
  r->effort.slowest = 0.01; /* m/s: power over speed tells nothing of a robot that stands */
  w->effort_joints = calloc(nu + 1, sizeof *w->effort_joints);
  w->effort_rates = calloc(nu + 1, sizeof *w->effort_rates);
  if (w->effort_joints == NULL || w->effort_rates == NULL) {
    return pki_fail_memory(err, "the run");
  }
  for (int n = 0; n < a->nmotor; n++) {
    const double *c = motor_constants(w, n);
    w->effort_joints[a->list[a->order[n]].actuator.dof] =
        (pk_effort_joint){.resistance = c[PKI_MOTOR_R], .gear = 1, .constant = c[PKI_MOTOR_NK]};
  }
  return pk_energy_meter_create(w->world->sim, &w->meter, err);
}

/* The hottest winding of motors that warm. */
static double hottest_winding(const pki_watch *w)
{
  const pk_actuation *a = pki_watch_actuation(w);
  const double *state = pk_sim_actuation(w->world->sim);
  double most = NAN;
  for (int n = 0; n < a->nmotor; n++) {
    const bool warms = motor_constants(w, n)[PKI_MOTOR_C_WINDING] > 0;
    most = warms ? fmax(most, state[a->list[a->order[n]].state + PKI_MOTOR_STATE_WINDING]) : most;
  }
  return most;
}

/* Forces that add to an actuator's are no commands: their work is not in that of the commands. */
static void add_side_work(const pki_watch *w, pki_run_result *r)
{
  const pk_actuation *a = pki_watch_actuation(w);
  const pk_actuator_flow *last = pk_energy_meter_last(w->meter);
  for (int i = 0; i < a->count; i++) {
    r->energy_in += a->list[i].actuator.kind->adds ? last[i].mechanical : 0;
  }
}

void pki_watch_actuators_step(pki_watch *w, const double trunk_before[3], pki_run_result *r)
{
  if (w->meter == NULL) {
    return;
  }
  const pk_model *m = w->model;
  const double dt = w->world->scenario->step.dt, *g = m->gravity, *at = w->now.pos;
  const double weight = r->mass * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  pk_energy_meter_step(w->meter);
  r->flow = pk_energy_meter_sum(w->meter);
  r->battery = *pk_energy_meter_battery(w->meter);
  r->hottest = fmax(r->hottest, hottest_winding(w));
  r->charge = pk_sim_actuation(w->world->sim)[pki_battery_state(pki_watch_actuation(w)) + 1];
  r->at_limit += w->info.saturated > 0;
  const pk_battery *battery = &pki_watch_actuation(w)->battery;
  const bool empty = r->has_battery && battery->capacity > 0 && r->charge >= battery->capacity;
  r->empty_at = empty && r->empty_at < 0 ? pk_sim_time(w->world->sim) : r->empty_at;
  add_side_work(w, r);
  for (int k = 0; k < m->nu; k++) {
    w->effort_rates[k] = m->dof_joint[k] >= 0 ? 0.5 * (w->u_before[k] + w->u[k]) : 0;
  }
  pk_effort_add(&r->effort, w->effort_joints, m->nu, pk_sim_tau(w->world->sim), w->effort_rates, weight,
                hypot(at[0] - trunk_before[0], at[1] - trunk_before[1]) / dt, dt);
}

void pki_watch_actuators_free(pki_watch *w)
{
  pk_energy_meter_destroy(w->meter);
  free(w->effort_joints);
  free(w->effort_rates);
}

/* ---- checkpoints: energies of each actuator, then the battery's ---- */

static size_t flows_size(const pki_watch *w)
{
  return w->meter != NULL ? (size_t)pk_actuation_count(pki_watch_actuation(w)) * sizeof(pk_actuator_flow) : 0;
}

size_t pki_watch_actuators_size(const pki_watch *w)
{
  return w->meter != NULL ? flows_size(w) + sizeof(pk_battery_flow) : 0;
}

void pki_watch_actuators_save(const pki_watch *w, void *bytes)
{
  if (w->meter != NULL) {
    memcpy(bytes, pk_energy_meter_flows(w->meter), flows_size(w));
    memcpy((unsigned char *)bytes + flows_size(w), pk_energy_meter_battery(w->meter),
           sizeof(pk_battery_flow));
  }
}

void pki_watch_actuators_restore(pki_watch *w, const void *bytes)
{
  if (w->meter != NULL) {
    memcpy(pk_energy_meter_flows(w->meter), bytes, flows_size(w));
    memcpy(pk_energy_meter_battery(w->meter), (const unsigned char *)bytes + flows_size(w),
           sizeof(pk_battery_flow));
    pk_energy_meter_begin(w->meter);
  }
}

/* ---- for the report and the viewer ---- */

static void add_json_value(pki_text *out, const char *key, double value)
{
  pki_text_addf(out, ", \"%s\": ", key);
  pki_text_add_json_number(out, value);
}

void pki_watch_motors_json(const pki_watch *w, pki_text *out)
{
  const pk_actuation *a = pki_watch_actuation(w);
  for (int n = 0; a != NULL && n < a->nmotor; n++) {
    const pk_actuator *actuator = &a->list[a->order[n]].actuator;
    const double *c = motor_constants(w, n), bus = a->has_battery ? a->battery.full : INFINITY;
    pki_text_add(out, n == 0 ? "[{\"name\": " : ",\n {\"name\": ");
    pki_text_add_json_string(out, actuator->name);
    pki_text_addf(out, ", \"kind\": \"%s\"", actuator->kind->name);
    add_json_value(out, "constant", c[PKI_MOTOR_NK]);
    add_json_value(out, "resistance", c[PKI_MOTOR_R]);
    add_json_value(out, "voltage", fmin(c[PKI_MOTOR_VOLTAGE], bus));
    add_json_value(out, "current", fmin(c[PKI_MOTOR_CURRENT], c[PKI_MOTOR_LIMIT] / c[PKI_MOTOR_NK]));
    add_json_value(out, "ambient", c[PKI_MOTOR_AMBIENT]);
    add_json_value(out, "temperature", c[PKI_MOTOR_HOTTEST]);
    pki_text_add(out, n + 1 < a->nmotor ? "}" : "}]\n");
  }
}
