#include "cli/print_summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/build.h"
#include "cli/cli.h"

static void add_certificate(cJSON *o, const pki_run_result *r)
{
  pki_json_number(o, "worst_residual", r->worst_residual);
  pki_json_number(o, "worst_residual_speed", r->worst_speed);
  cJSON_AddNumberToObject(o, "worst_step", (double)r->worst_step);
  pki_json_number(o, "worst_time", r->worst_time);
  cJSON_AddStringToObject(o, "worst_solver", r->worst_step > 0 ? pki_run_worst_solver(r) : "");
  cJSON_AddStringToObject(o, "judged_law", pk_judged_law_name(r->judged));
  pki_json_number(o, "worst_coulomb", r->worst_coulomb);
  cJSON_AddNumberToObject(o, "fell_back_steps", (double)r->fell_back);
  cJSON_AddNumberToObject(o, "collisions", (double)r->collisions);
  pki_json_number(o, "bound", r->bound);
  cJSON_AddNumberToObject(o, "uncertified_steps", (double)r->uncertified);
  cJSON_AddBoolToObject(o, "certified", pki_run_certified(r));
  cJSON_AddBoolToObject(o, "contacts_on_springs", pki_run_on_springs(r));
  cJSON_AddNumberToObject(o, "shifted_steps", (double)r->shifted);
  cJSON_AddNumberToObject(o, "largest_shift", r->shift);
  cJSON_AddNumberToObject(o, "stabilisation", r->stabilisation);
}

static void add_peaks(cJSON *o, const pki_run_result *r)
{
  cJSON *peaks = cJSON_AddObjectToObject(o, "peak_torques");
  for (int k = 0; k < r->ndof; k++) {
    const int joint = r->model->dof_joint[k];
    if (joint >= 0) {
      const pk_model_joint *j = &r->model->joints[joint];
      char name[256];
      snprintf(name, sizeof name, j->nu == 1 ? "%s" : "%s.%d", j->name, k - j->u);
      pki_json_number(peaks, name, r->peak[k]);
    }
  }
}

void pki_json_dynamics(cJSON *o, const char *dynamics, const char *not_compiled)
{
  cJSON_AddStringToObject(o, "dynamics", dynamics);
  if (not_compiled[0] != '\0') {
    cJSON_AddStringToObject(o, "not_compiled", not_compiled);
  }
}

/* What it came from, so that a file fits only what it belongs to. */
static void add_origin(cJSON *o, const pki_scenario *s, const pki_run_result *r)
{
  char text[32];
  cJSON_AddNumberToObject(o, "seed", s->seed);
  cJSON_AddStringToObject(o, "version", pk_version());
  cJSON_AddStringToObject(o, "isa", pk_isa_name());
  cJSON_AddStringToObject(o, "compiler", pki_build_compiler());
  snprintf(text, sizeof text, "%016llx", r->model_hash);
  cJSON_AddStringToObject(o, "model_hash", text);
  snprintf(text, sizeof text, "%016" PRIx64, pki_scenario_hash(s));
  cJSON_AddStringToObject(o, "scenario_hash", text);
}

/* Energies of actuators, all and by what became of them; nothing without actuators. */
static void add_actuators(cJSON *o, const pki_run_result *r)
{
  if (r->nactuator == 0) {
    return;
  }
  const pk_actuator_flow *f = &r->flow;
  const struct {
    const char *name;
    double value;
  } entries[] = {{"electrical", f->electrical},
                 {"regenerated", f->regenerated},
                 {"other", f->other},
                 {"joule", f->joule},
                 {"viscous", f->viscous},
                 {"rotor_friction", f->rotor_friction},
                 {"spring_damping", f->spring_damping},
                 {"gear", f->gear},
                 {"magnetic", f->magnetic},
                 {"rotor", f->rotor},
                 {"spring", f->spring},
                 {"mechanical", f->mechanical},
                 {"numerical", f->scheme},
                 {"residual", pk_actuator_flow_residual(f)},
                 {"hottest_winding", r->hottest},
                 {"joule_per_metre", pki_run_joule_per_metre(r)},
                 {"specific_resistance", pki_run_specific_resistance(r)},
                 {"electrical_cost_of_transport", pki_run_electrical_cost(r)}};
  cJSON *all = cJSON_AddObjectToObject(o, "actuators");
  cJSON_AddNumberToObject(all, "count", r->nactuator);
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
    pki_json_number(all, entries[i].name, entries[i].value);
  }
  if (r->has_battery) {
    cJSON *battery = cJSON_AddObjectToObject(o, "battery");
    pki_json_number(battery, "charge", r->charge);
    pki_json_number(battery, "given", r->battery.given);
    pki_json_number(battery, "taken_back", r->battery.taken_back);
    pki_json_number(battery, "lost", r->battery.lost);
    pki_json_number(battery, "braked", r->battery.braked);
    pki_json_number(battery, "overdrawn", r->battery.overdrawn);
  }
}

void pki_json_stability(cJSON *object, const pk_stability_sum *sum)
{
  pki_json_number(object, "time", sum->time);
  pki_json_number(object, "supported", sum->supported);
  cJSON *measures = cJSON_AddObjectToObject(object, "measures");
  for (int i = 0; i < PK_STABILITY_MEASURE_COUNT; i++) {
    const pk_stability_measure measure = (pk_stability_measure)i;
    cJSON *row = cJSON_AddObjectToObject(measures, pk_stability_measure_name(measure));
    cJSON_AddStringToObject(row, "unit", pk_stability_measure_unit(measure));
    pki_json_number(row, "least", pk_stability_least(sum, measure));
    pki_json_number(row, "at", sum->counted[i] > 0 ? sum->least_at[i] : NAN);
    pki_json_number(row, "mean", pk_stability_mean(sum, measure));
  }
  pki_json_number(object, "js1", sum->supported > 0 ? sum->js1 : NAN);
  pki_json_number(object, "js1_mean", pk_stability_mean_js1(sum));
  pki_json_number(object, "js2", pk_stability_js2(sum));
}

cJSON *pki_run_json(const pki_scenario *s, const pki_run_result *r)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "scenario", s->name);
  cJSON_AddStringToObject(o, "file", s->file);
  pki_json_number(o, "duration", r->duration);
  cJSON_AddNumberToObject(o, "steps", (double)r->steps);
  pki_json_number(o, "dt", s->step.dt);
  pki_json_number(o, "real_time_factor", r->real_time_factor);
  pki_json_number(o, "wall", r->wall);
  cJSON_AddBoolToObject(o, "fell", r->fell);
  cJSON_AddItemToObject(o, "fell_at", r->fell ? cJSON_CreateNumber(r->fell_at) : cJSON_CreateNull());
  pki_json_number(o, "distance", r->distance);
  pki_json_number(o, "path", r->path);
  pki_json_number(o, "mean_speed", r->duration > 0 ? r->distance / r->duration : 0);
  pki_json_number(o, "height", r->height);
  pki_json_number(o, "height_min", r->height_min);
  pki_json_number(o, "height_max", r->height_max);
  pki_json_number(o, "tilt_max", r->tilt_max);
  pki_json_number(o, "velocity_error", pki_run_velocity_error(r));
  pki_json_number(o, "tilt_error", pki_run_tilt_error(r));
  pki_json_number(o, "tracking_error", pki_tracking_error_mean(&r->tracking));
  pki_json_number(o, "tracking_error_rms", pki_tracking_error_rms(&r->tracking));
  pki_json_number(o, "tracking_error_max", pki_tracking_error_most(&r->tracking));
  add_certificate(o, r);
  pki_json_number(o, "energy_in", r->energy_in);
  pki_json_number(o, "positive_work", r->positive_work);
  pki_json_number(o, "push_work", r->push_work);
  pki_json_number(o, "energy_start", r->energy_start);
  pki_json_number(o, "energy_end", r->energy_end);
  pki_json_number(o, "cost_of_transport", pki_run_cost_of_transport(r));
  add_actuators(o, r);
  if (r->has_stability) {
    pki_json_stability(cJSON_AddObjectToObject(o, "stability"), &r->stability);
  }
  pki_json_number(o, "contacts_mean", r->mean_contacts);
  cJSON_AddNumberToObject(o, "contacts_max", r->most_contacts);
  pki_json_number(o, "penetration", r->penetration);
  if (r->has_soft) {
    pki_json_number(o, "compression", r->compression);
    pki_json_number(o, "pressure", r->pressure);
  }
  cJSON_AddNumberToObject(o, "objects", r->nobject);
  cJSON_AddNumberToObject(o, "object_speed", r->object_speed);
  cJSON_AddNumberToObject(o, "slips", (double)r->slips);
  pki_json_number(o, "slip_time", r->slip_time);
  pki_json_number(o, "slip_distance", r->slip_distance);
  add_peaks(o, r);
  cJSON_AddStringToObject(o, "status", pk_status_text(r->status));
  cJSON_AddStringToObject(o, "stopped", r->stopped);
  cJSON_AddBoolToObject(o, "interrupted", r->interrupted);
  pki_json_dynamics(o, r->dynamics, r->not_compiled);
  add_origin(o, s, r);
  return o;
}

bool pki_run_save_json(const char *folder, const pki_scenario *s, const pki_run_result *r,
                       const char *command)
{
  char path[PKI_PATH_MAX];
  cJSON *json = pki_run_json(s, r);
  char *printed = cJSON_Print(json);
  cJSON_Delete(json);
  pki_text text = {0};
  pk_error err = {.message = "out of memory"};
  pki_text_addf(&text, "%s\n", printed != NULL ? printed : "");
  const bool good = printed != NULL && pki_path_join(path, folder, "summary.json") &&
                    pki_text_save(&text, path, &err) == PK_OK;
  if (!good) {
    pki_complain_error(command, &err);
  }
  cJSON_free(printed);
  pki_text_free(&text);
  return good;
}
