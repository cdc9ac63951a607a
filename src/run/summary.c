#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "actuation/actuation.h"
#include "model/joint_type.h"
#include "model/trunk_link.h"
#include "run/run.h"
#include "step/world.h"

enum { CELL = 96 };

__attribute__((format(printf, 3, 4))) static void add_summary_row(pki_table *table, const char *what,
                                                                  const char *format, ...)
{
  char text[2 * CELL];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  pki_table_row(table, (const char *const[]){what, text});
}

double pki_run_force_limit(const pki_run_result *r, int dof)
{
  double limit = r->model->dof_effort[dof];
  for (int i = 0; r->actuation != NULL && i < r->actuation->count; i++) {
    const pk_actuator *a = &r->actuation->list[i].actuator;
    const pk_motor_parameters *motor = a->parameters;
    const pk_torque_parameters *torque = a->parameters;
    if (a->dof == dof && pki_is_sea(a->kind)) {
      limit = INFINITY; /* its spring swings beyond what the motor makes */
    } else if (a->dof == dof && pki_is_motor(a->kind) && motor->current > 0) {
      limit = fmin(limit, motor->gear * motor->constant * motor->current);
    } else if (a->dof == dof && strcmp(a->kind->name, "torque") == 0 && torque->limit > 0) {
      limit = fmin(limit, torque->limit);
    }
  }
  return limit;
}

int pki_run_hardest_joint(const pki_run_result *r)
{
  const pk_model *m = r->model;
  int most = -1;
  double share = -1;
  for (int k = 0; k < r->ndof; k++) {
    const double limit = pki_run_force_limit(r, k);
    const double s = isfinite(limit) && limit > 0 ? r->peak[k] / limit : r->peak[k] * 1e-9;
    if (m->dof_joint[k] >= 0 && s > share) {
      share = s;
      most = k;
    }
  }
  return most;
}

/* Weight times distance, J; NAN where there is none to speak of. */
static double transport_of(const pki_run_result *r)
{
  const double *g = r->model->gravity;
  /* objects lie about, they are not carried */
  const double weight = r->mass * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  return r->distance > 0.05 && weight > 0 ? weight * r->distance : NAN;
}

double pki_run_cost_of_transport(const pki_run_result *r)
{
  return r->positive_work / transport_of(r);
}

double pki_run_electrical_cost(const pki_run_result *r)
{
  return r->nmotor > 0 ? (r->has_battery ? r->battery.given : r->flow.electrical) / transport_of(r) : NAN;
}

double pki_run_joule_per_metre(const pki_run_result *r)
{
  return r->nmotor > 0 && r->distance > 0.05 ? r->effort.joule / r->distance : NAN;
}

double pki_run_specific_resistance(const pki_run_result *r)
{
  return r->nactuator > 0 && r->distance > 0.05 ? r->effort.specific_resistance : NAN;
}

static void torque_row(const pki_run_result *r, pki_table *table)
{
  const pk_model *m = r->model;
  const int most = pki_run_hardest_joint(r);
  if (most < 0) {
    return;
  }
  const double limit = pki_run_force_limit(r, most);
  char of[CELL] = "";
  if (isfinite(limit)) {
    snprintf(of, sizeof of, " of %.4g", limit);
  }
  const pk_model_joint *j = &m->joints[m->dof_joint[most]];
  const bool force = pki_joint_is_length(j->kind, most - j->u);
  add_summary_row(table, force ? "peak force" : "peak torque", "%.4g%s %s at %s", r->peak[most], of,
                  force ? "N" : "N m", m->joints[m->dof_joint[most]].name);
}

/* What joints with a reference missed it by. */
static void tracking_row(const pki_run_result *r, pki_table *table)
{
  const double mean = pki_tracking_error_mean(&r->tracking);
  if (!isnan(mean)) {
    add_summary_row(table, "tracking error", "%.3g on average, %.3g at most (rad or m, of joints)", mean,
                    pki_tracking_error_most(&r->tracking));
  }
}

/* Millimetres, or metres when there are many. */
static void slip_row(const pki_run_result *r, pki_table *table)
{
  const bool far = r->slip_distance >= 1;
  add_summary_row(table, "slips", "%lld (%.3g s, %.3g %s)", r->slips, r->slip_time,
                  far ? r->slip_distance : 1e3 * r->slip_distance, far ? "m" : "mm");
}

static void trunk_rows(const pki_run_result *r, pki_table *table)
{
  if (r->nrobot == 0 || pki_model_trunk_is_fixed(r->model, 0)) {
    return; /* there is none, or it goes nowhere */
  }
  add_summary_row(table, "distance", "%.4g m (path %.4g m, mean speed %.4g m/s)", r->distance, r->path,
                  r->duration > 0 ? r->distance / r->duration : 0);
  add_summary_row(table, "trunk height", "%.5g m (%.5g to %.5g m)", r->height, r->height_min, r->height_max);
  add_summary_row(table, "largest tilt", "%.3g degrees", r->tilt_max * 57.29577951308232);
  if (r->fell) {
    add_summary_row(table, "fell", "yes, at %.4g s", r->fell_at);
  } else {
    add_summary_row(table, "fell", "no");
  }
}

static void estimate_row(const pki_run_result *r, pki_table *table)
{
  if (r->estimate_steps > 0) {
    add_summary_row(table, "trunk as seen",
                    "velocity %.3g m/s, tilt %.3g degrees off (rms), place %.3g m at the end",
                    pki_run_velocity_error(r), pki_run_tilt_error(r) * 57.29577951308232, r->estimate_drift);
  }
}

static void stability_rows(const pki_run_result *r, pki_table *table)
{
  for (int i = 0; i < PK_STABILITY_MEASURE_COUNT && r->has_stability; i++) {
    const pk_stability_measure measure = (pk_stability_measure)i;
    if (!isnan(pki_run_least_margin(r, measure))) {
      add_summary_row(table, pk_stability_measure_name(measure),
                      "%.4g %s at least, at %.5g s; %.4g on average", pki_run_least_margin(r, measure),
                      pk_stability_measure_unit(measure), r->stability.least_at[i],
                      pki_run_mean_margin(r, measure));
    }
  }
  if (!isnan(pki_run_js1(r))) {
    add_summary_row(table, "J_s1", "%.4g m^2 s (%.4g m^2 on average)", pki_run_js1(r), pki_run_mean_js1(r));
  }
}

static void tasks_row(const pki_run_result *r, pki_table *table)
{
  if (r->task_steps > 0) {
    add_summary_row(table, "tasks",
                    "limits held them back in %lld of %lld steps; mass missed by %.3g m/s^2 at most",
                    r->held_steps, r->task_steps, r->mass_missed);
  }
}

static void energy_rows(const pki_run_result *r, pki_table *table)
{
  add_summary_row(table, "mechanical energy", "%.5g J at the start, changed by %.4g J", r->energy_start,
                  r->energy_end - r->energy_start);
  if (r->nrobot > 0) {
    add_summary_row(table, "energy put in", "%.5g J (%.5g J of positive work)", r->energy_in,
                    r->positive_work);
  }
  if (r->push_work != 0) {
    add_summary_row(table, "work of pushes", "%.5g J", r->push_work);
  }
  if (!isnan(pki_run_cost_of_transport(r))) {
    add_summary_row(table, "cost of transport", "%.3g (positive work over weight and distance)",
                    pki_run_cost_of_transport(r));
  }
}

/* Whether the hottest winding was where the limit of its current falls. */
static const char *derating_text(const pki_run_result *r)
{
  double least = INFINITY;
  for (int i = 0; i < r->actuation->nmotor; i++) {
    const pk_motor_parameters *p = r->actuation->list[r->actuation->order[i]].actuator.parameters;
    least = p->temperature > 0 ? fmin(least, p->temperature - p->derating) : least;
  }
  return r->hottest > least ? ", where the limit of current falls" : "";
}

static void motor_rows(const pki_run_result *r, pki_table *table)
{
  const pk_actuator_flow *f = &r->flow;
  add_summary_row(table, "electrical energy", "%.5g J (%.4g J generated and given back)", f->electrical,
                  f->regenerated);
  const double rubbed = f->viscous + f->rotor_friction + f->spring_damping + f->gear;
  const double least = 1e-9 * (fabs(f->electrical) + f->regenerated); /* less is rounding */
  add_summary_row(table, "heat of motors", "%.5g J of windings, %.4g J of friction and dampers", f->joule,
                  fabs(rubbed) > least ? rubbed : 0);
  if (!isnan(r->hottest)) {
    add_summary_row(table, "hottest winding", "%.4g degrees C%s", r->hottest, derating_text(r));
  }
  if (r->has_battery) {
    char of[CELL] = "", empty[CELL] = "";
    if (r->actuation->battery.capacity > 0) {
      snprintf(of, sizeof of, " of %.4g", r->actuation->battery.capacity);
    }
    if (r->empty_at >= 0) {
      snprintf(empty, sizeof empty, ", empty at %.4g s", r->empty_at);
    }
    add_summary_row(
        table, "battery", "%.4g%s A s used%s: %.5g J given, %.4g J lost inside, %.4g J to the brake%s",
        r->charge, of, empty, r->battery.given, r->battery.lost, r->battery.braked,
        r->battery.overdrawn > 1e-9 * fabs(r->battery.given) ? "; motors asked for more than it has" : "");
  }
}

static void actuator_rows(const pki_run_result *r, pki_table *table)
{
  if (r->nmotor > 0) {
    motor_rows(r, table);
  }
  if (r->nactuator > 0) {
    const double turned = fabs(r->flow.electrical) + r->flow.regenerated,
                 share = fabs(r->flow.scheme) / turned;
    char hint[CELL] = "";
    if (turned > 0 && share > 0.1) {
      snprintf(hint, sizeof hint,
               ": %.0f %% of the electrical energy, reduce step.dt or give springs damping", 100 * share);
    }
    add_summary_row(table, "at limits", "%.3g %% of the steps, some actuator by force, current or voltage",
                    100.0 * (double)r->at_limit / (double)(r->steps > 0 ? r->steps : 1));
    add_summary_row(table, "numerical loss", "%.3g J in %d actuator%s, closed to %.1e J%s", r->flow.scheme,
                    r->nactuator, r->nactuator == 1 ? "" : "s", fabs(pk_actuator_flow_residual(&r->flow)),
                    hint);
  }
  if (!isnan(pki_run_electrical_cost(r))) {
    add_summary_row(table, "electrical cost", "%.3g (electrical energy over weight and distance)",
                    pki_run_electrical_cost(r));
    add_summary_row(table, "J_e1", "%.4g J/m of heat by torque", pki_run_joule_per_metre(r));
  }
  if (!isnan(pki_run_specific_resistance(r))) {
    add_summary_row(table, "J_e2", "%.4g s of power over weight and speed", pki_run_specific_resistance(r));
  }
}

const char *pki_run_worst_solver(const pki_run_result *r)
{
  return pki_laws[r->law]->linear ? pk_lcp_solver_name((pk_lcp_solver)r->worst_solver)
                                  : pk_solver_name((pk_solver)r->worst_solver);
}

bool pki_run_on_springs(const pki_run_result *r)
{
  return pki_laws[r->law]->force != NULL && r->most_hard > 0;
}

bool pki_run_solves_contact(const pki_run_result *r)
{
  return pki_steppers[r->stepper]->contact || r->most_contacts == 0;
}

bool pki_run_certified(const pki_run_result *r)
{
  return r->status == PK_OK && r->uncertified == 0 && !pki_run_on_springs(r) && pki_run_solves_contact(r) &&
         isfinite(r->worst_residual) && isfinite(r->penetration);
}

/* What laws other than Coulomb's leave to say. */
static void law_rows(const pki_run_result *r, pki_table *table)
{
  if (r->judged != PK_JUDGED_LAW_COULOMB && r->judged != PK_JUDGED_LAW_NONE && r->most_contacts > 0) {
    add_summary_row(table, "by Coulomb's law", "%.2e, the worst step, friction on the disc",
                    r->worst_coulomb);
  }
  if (r->fell_back > 0) {
    add_summary_row(table, "fell back", "%lld steps in velocities: accelerations had no solution",
                    r->fell_back);
  }
  if (r->collisions > 0) {
    add_summary_row(table, "collisions", "%lld, each on its own", r->collisions);
  }
}

static void contact_rows(const pki_run_result *r, pki_table *table)
{
  if (r->most_contacts > 0) {
    add_summary_row(table, "contacts", "%.3g on average, %d at most", r->mean_contacts, r->most_contacts);
    if (r->nrobot > 0) {
      slip_row(r, table);
    }
    if (r->most_hard > 0 || !r->has_soft) {
      add_summary_row(table, "deepest penetration", "%.2e m", r->penetration);
    }
  }
  if (r->has_soft) {
    add_summary_row(table, "soft surfaces", "deepest compression %.3g m, largest pressure %.4g Pa",
                    r->compression, r->pressure);
  }
  if (r->stabilisation > 0) {
    add_summary_row(table, "projections", "%.2e J of potential energy changed%s", r->stabilisation,
                    r->stabilisation_start > 1e-3
                        ? ": did something start in the ground or in another, or a loop open?"
                        : "");
  }
  if (!pki_run_solves_contact(r)) {
    add_summary_row(table, "certified", "nothing: the stepper %s integrates forces and solves no contact",
                    pki_steppers[r->stepper]->name);
    return;
  }
  if (r->worst_step > 0 && (r->most_contacts > 0 || r->worst_residual > 0)) {
    add_summary_row(table, "worst certificate",
                    "%.2e (%.2e m/s), step %lld at %.6g s, %s, %d contacts, law %s", r->worst_residual,
                    r->worst_speed, r->worst_step, r->worst_time, pki_run_worst_solver(r), r->worst_contacts,
                    pk_judged_law_name(r->judged));
  }
  law_rows(r, table);
  if (pki_run_on_springs(r)) {
    add_summary_row(table, "certified", "joint rows alone: contacts of the law %s are springs",
                    pki_laws[r->law]->name);
  }
  add_summary_row(table, "uncertified steps", "%lld above %.1e%s", r->uncertified, r->bound,
                  r->status != PK_OK ? "; the step that failed has no certificate" : "");
  if (r->shifted > 0) {
    add_summary_row(table, "rows shifted", "in %lld steps, by up to %.0e m/s: nothing can move them",
                    r->shifted, r->shift);
  }
}

void pki_run_table(const pki_run_result *result, pki_table *table)
{
  const pki_run_result *r = result;
  pki_table_begin(table, (const char *const[]){"quantity", "value"}, 2);
  add_summary_row(table, "simulated", "%.6g s in %lld steps", r->duration, r->steps);
  add_summary_row(table, "real-time factor", "%.*f (%.3g s of computing)", r->real_time_factor < 10 ? 2 : 0,
                  r->real_time_factor, r->wall);
  trunk_rows(r, table);
  estimate_row(r, table);
  tasks_row(r, table);
  stability_rows(r, table);
  if (r->nobject > 0) {
    add_summary_row(table, "objects", "%d, the fastest at %.3g m/s in the end", r->nobject, r->object_speed);
  }
  energy_rows(r, table);
  actuator_rows(r, table);
  torque_row(r, table);
  tracking_row(r, table);
  contact_rows(r, table);
  if (r->not_compiled[0] != '\0') {
    add_summary_row(table, "dynamics", "%s: %s", r->dynamics, r->not_compiled);
  } else {
    add_summary_row(table, "dynamics", "%s", r->dynamics);
  }
  if (r->stopped[0] != '\0') {
    add_summary_row(table, "stopped", "%s", r->stopped);
  }
}
