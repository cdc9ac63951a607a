#include "sweep/metrics.h"

#include <math.h>
#include <string.h>

static double metric_fell(const pki_run_result *r)
{
  return r->fell;
}

static double fell_at(const pki_run_result *r)
{
  return r->fell ? r->fell_at : NAN;
}

static double metric_simulated(const pki_run_result *r)
{
  return r->duration;
}

static double metric_distance(const pki_run_result *r)
{
  return r->distance;
}

static double metric_speed(const pki_run_result *r)
{
  return r->duration > 0 ? r->distance / r->duration : NAN;
}

static double energy_in(const pki_run_result *r)
{
  return r->energy_in;
}

static double positive_work(const pki_run_result *r)
{
  return r->positive_work;
}

static double peak_torque(const pki_run_result *r)
{
  const int joint = pki_run_hardest_joint(r);
  return joint >= 0 ? r->peak[joint] : NAN;
}

/* 1: the limit was reached */
static double metric_effort(const pki_run_result *r)
{
  const int joint = pki_run_hardest_joint(r);
  const double limit = joint >= 0 ? pki_run_force_limit(r, joint) : 0;
  return limit > 0 && isfinite(limit) ? r->peak[joint] / limit : NAN;
}

static double metric_slips(const pki_run_result *r)
{
  return (double)r->slips;
}

static double slip_distance(const pki_run_result *r)
{
  return r->slip_distance;
}

static double tilt_max(const pki_run_result *r)
{
  return r->tilt_max;
}

static double height_min(const pki_run_result *r)
{
  return r->height_min;
}

static double tracking_error(const pki_run_result *r)
{
  return pki_tracking_error_mean(&r->tracking);
}

static double tracking_error_rms(const pki_run_result *r)
{
  return pki_tracking_error_rms(&r->tracking);
}

static double tracking_error_max(const pki_run_result *r)
{
  return pki_tracking_error_most(&r->tracking);
}

static double metric_penetration(const pki_run_result *r)
{
  return r->penetration;
}

static double worst_residual(const pki_run_result *r)
{
  return r->worst_step > 0 ? r->worst_residual : NAN;
}

static double metric_uncertified(const pki_run_result *r)
{
  return (double)r->uncertified;
}

static double metric_shifted(const pki_run_result *r)
{
  return (double)r->shifted;
}

static double electrical_energy(const pki_run_result *r)
{
  return r->nmotor > 0 ? r->flow.electrical : NAN;
}

static double joule_heat(const pki_run_result *r)
{
  return r->nmotor > 0 ? r->flow.joule : NAN;
}

static double regenerated_energy(const pki_run_result *r)
{
  return r->nmotor > 0 ? r->flow.regenerated : NAN;
}

static double hottest_winding(const pki_run_result *r)
{
  return r->nmotor > 0 ? r->hottest : NAN;
}

static double battery_charge(const pki_run_result *r)
{
  return r->has_battery ? r->charge : NAN;
}

/* The least and the mean margin of each stability measure. */
#define MARGINS(id, measured, unit) \
  static double least_##measured(const pki_run_result *r) \
  { \
    return pki_run_least_margin(r, id); \
  } \
  static double mean_##measured(const pki_run_result *r) \
  { \
    return pki_run_mean_margin(r, id); \
  }
PK_STABILITY_MEASURE_LIST(MARGINS)

#define MARGIN_METRICS(id, measured, unit) \
  {#measured "_min", unit, "least margin of that measure; none: the scenario has no section stability", \
   least_##measured}, \
      {#measured "_mean", unit, "its mean", mean_##measured},

const pki_metric pki_metrics[] = {
    {"fell", "", "1: the first robot's trunk fell", metric_fell},
    {"fell_at", "s", "when; none: it did not", fell_at},
    {"simulated", "s", "time; less than asked for when a step failed", metric_simulated},
    {"distance", "m", "from start to end, in the plane", metric_distance},
    {"speed", "m/s", "distance over time", metric_speed},
    {"energy_in", "J", "work of the joints", energy_in},
    {"positive_work", "J", "its positive part", positive_work},
    {"cost_of_transport", "", "positive work over weight and distance; none: no distance to speak of",
     pki_run_cost_of_transport},
    {"electrical_energy", "J", "of all motors; none: there are none", electrical_energy},
    {"joule_heat", "J", "of their windings", joule_heat},
    {"regenerated", "J", "that motors generated", regenerated_energy},
    {"electrical_cost_of_transport", "", "electrical energy over weight and distance",
     pki_run_electrical_cost},
    {"joule_per_metre", "J/m", "J_e1: heat of motors by torque, over distance", pki_run_joule_per_metre},
    {"specific_resistance", "s", "J_e2: power over weight and speed, added up", pki_run_specific_resistance},
    {"hottest_winding", "degC", "none: no motor warms", hottest_winding},
    {"battery_charge", "A s", "taken from the battery; none: there is none", battery_charge},
    {"peak_torque", "N m", "of the joint that came nearest to its limit", peak_torque},
    {"effort", "", "that torque over its limit", metric_effort},
    {"slips", "", "how often a foot began to slide", metric_slips},
    {"slip_distance", "m", "that feet slid, summed over feet", slip_distance},
    {"tilt_max", "rad", "largest tilt of the trunk from its upright", tilt_max},
    {"height_min", "m", "lowest height of the trunk", height_min},
    {"velocity_error", "m/s", "rms, of the trunk as a controller sees it by sensors; none: it sees the truth",
     pki_run_velocity_error},
    {"tilt_error", "rad", "likewise", pki_run_tilt_error},
    {"tracking_error", "rad",
     "mean distance of joints from where their commands want them (m, of those that slide); none: nowhere",
     tracking_error},
    {"tracking_error_rms", "rad", "the root of its mean square, which weighs large ones more",
     tracking_error_rms},
    {"tracking_error_max", "rad", "the largest such distance", tracking_error_max},
    PK_STABILITY_MEASURE_LIST(MARGIN_METRICS){
        "js1", "m^2 s", "J_s1: square of the distance from centre of mass to FRI on the ground, added up",
        pki_run_js1},
    {"js1_mean", "m^2", "its mean over the time with support", pki_run_mean_js1},
    {"js2", "kg m^2/s", "J_s2: minus the least S_H", pki_run_js2},
    {"penetration", "m", "deepest", metric_penetration},
    {"worst_residual", "", "relative residual of the worst step; none: no contact", worst_residual},
    {"uncertified", "", "steps above the bound", metric_uncertified},
    {"shifted", "", "steps with rows that nothing can move, which are not certified", metric_shifted},
};
const int pki_metric_count = sizeof pki_metrics / sizeof pki_metrics[0];
_Static_assert(sizeof pki_metrics / sizeof pki_metrics[0] <= PKI_METRIC_MAX, "room in a record");

int pki_metric_find(const char *name)
{
  for (int i = 0; i < pki_metric_count; i++) {
    if (strcmp(name, pki_metrics[i].name) == 0) {
      return i;
    }
  }
  return -1;
}
