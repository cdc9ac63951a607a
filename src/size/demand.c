#include "size/demand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "size/heat.h"

/* degrees C: what is warmer has run away. */
static const double MELTS = 1085;

const char *const pki_line_words[PKI_LINE_COUNT] = {"continuous", "peak", "voltage",  "heat",
                                                    "speed",      "gear", "gear_peak"};

pki_duty_options pki_duty_options_default(void)
{
  return (pki_duty_options){.duration = 3600, .ambient = NAN, .regeneration = 1, .margin = 0};
}

double pki_line_used(const pki_line_use *use)
{
  return use->needs / use->has;
}

double pki_demand_margin(const pki_demand *demand, pki_line *worst)
{
  double least = INFINITY;
  for (int i = 0; i < PKI_LINE_COUNT; i++) {
    const double margin = 1 - pki_line_used(&demand->lines[i]);
    if (margin < least) {
      least = margin;
      *worst = (pki_line)i;
    }
  }
  return least;
}

bool pki_demand_fits(const pki_demand *demand, double margin)
{
  pki_line worst = PKI_LINE_CONTINUOUS;
  return pki_demand_margin(demand, &worst) >= margin - 1e-12;
}

double pki_drive_power(const pki_drive *drive, const pki_rotor_point *point, double factor)
{
  const pk_motor_parameters *m = &drive->motor->motor;
  const double i = point->torque / m->constant;
  return factor * m->resistance * i * i + point->torque * point->speed;
}

/* ---- one joint ---- */

/* Needs of a line at a sample, where they are the largest so far. */
static void raise_use(pki_line_use *use, double needs, int motion, double time)
{
  if (!isnan(use->has) && !(needs <= use->needs)) {
    use->needs = needs;
    use->motion = motion;
    use->time = time;
  }
}

/* Means of squares over the duty: of torques at the rotor and at the gear's output. */
static void add_means(const pki_drive *d, const pki_duty *duty, const char *joint, double *rotor,
                      double *gear)
{
  *rotor = *gear = 0;
  for (int k = 0; k < duty->count; k++) {
    const pki_duty_motion *m = &duty->motions[k];
    const pki_joint_duty *j = pki_duty_joint(m, joint);
    const double length = pki_duty_motion_length(m), share = pki_duty_share(duty, k);
    for (int i = 0; j != NULL && length > 0 && i < m->n; i++) {
      const pki_rotor_point p = pki_drive_at(d, j->speed[i], j->acceleration[i], j->torque[i]);
      const double part = share * m->span[i] / length;
      *rotor += part * p.torque * p.torque;
      *gear += part * j->torque[i] * j->torque[i];
    }
  }
}

/* s of one cycle of all motions: each is stretched to its share of it. */
static double cycle_length(const pki_duty *duty)
{
  double length = 0;
  for (int k = 0; k < duty->count; k++) {
    length += pki_duty_motion_length(&duty->motions[k]);
  }
  return length;
}

/* One cycle: as a map where `state` is NULL, else from that state on, the warmest winding into *warmest. */
static pki_heat_map heat_cycle(const pki_drive *d, const pki_duty *duty, const char *joint, double ambient,
                               double state[2], double *warmest)
{
  const pk_motor_parameters *p = &d->motor->motor;
  const double cycle = cycle_length(duty);
  pki_heat_map map = {.M = {1, 0, 0, 1}};
  for (int k = 0; k < duty->count; k++) {
    const pki_duty_motion *m = &duty->motions[k];
    const pki_joint_duty *j = pki_duty_joint(m, joint);
    const double length = pki_duty_motion_length(m);
    const double stretch = length > 0 ? pki_duty_share(duty, k) * cycle / length : 0;
    for (int i = 0; i < m->n; i++) {
      const double torque =
          j != NULL ? pki_drive_at(d, j->speed[i], j->acceleration[i], j->torque[i]).torque : 0;
      const double current = torque / p->constant;
      const pki_heat_map one =
          pki_heat_of_sample(p, ambient, current * current * p->resistance, stretch * m->span[i]);
      if (state == NULL) {
        map = pki_heat_then(&map, &one);
      } else {
        pki_heat_apply(&one, state);
        *warmest = fmax(*warmest, state[0]);
      }
    }
  }
  return map;
}

/* Temperatures at the end of the work, the winding's as its largest in the last cycle. */
static void find_temperatures(const pki_drive *d, const pki_duty *duty, const char *joint,
                              const pki_duty_options *options, pki_demand *out)
{
  const pk_motor_parameters *p = &d->motor->motor;
  const double ambient = isnan(options->ambient) ? p->ambient : options->ambient, cycle = cycle_length(duty);
  out->winding = out->housing = NAN;
  if (!pki_heat_is_known(p) || !(cycle > 0)) {
    return;
  }
  const pki_heat_map map = heat_cycle(d, duty, joint, ambient, NULL, NULL);
  const double cycles = fmin(options->duration / cycle, 1e15);
  const pki_heat_map before = pki_heat_power(&map, cycles > 1 ? llround(cycles) - 1 : 0);
  double state[2] = {ambient, ambient}, warmest = ambient;
  pki_heat_apply(&before, state);
  heat_cycle(d, duty, joint, ambient, state, &warmest);
  out->winding = warmest < MELTS ? warmest : INFINITY;
  out->housing = state[1] < MELTS ? state[1] : INFINITY;
  if (p->temperature > 0) {
    /* nothing is left in air that is as warm as the winding may be; what does not move stays within that, too */
    out->lines[PKI_LINE_HEAT] = (pki_line_use){.has = fmax(p->temperature - ambient, 1e-9),
                                               .needs = out->winding - ambient,
                                               .motion = -1,
                                               .time = NAN};
  }
}

double pki_drive_warmth(const pki_drive *d, const pki_demand *demand)
{
  const double largest = d->motor->motor.temperature > 0 ? d->motor->motor.temperature : 200;
  return isnan(demand->winding) ? 1 : pki_heat_resistance(fmin(demand->winding, largest));
}

/* Lines that each sample is compared with, and powers. */
static void add_samples(const pki_drive *d, const pki_duty *duty, const char *joint,
                        const pki_duty_options *options, pki_demand *out)
{
  const pk_motor_parameters *p = &d->motor->motor;
  const double factor = pki_drive_warmth(d, out), R = factor * p->resistance;
  for (int k = 0; k < duty->count; k++) {
    const pki_duty_motion *m = &duty->motions[k];
    const pki_joint_duty *j = pki_duty_joint(m, joint);
    const double length = pki_duty_motion_length(m), share = pki_duty_share(duty, k);
    for (int i = 0; j != NULL && i < m->n; i++) {
      const pki_rotor_point r = pki_drive_at(d, j->speed[i], j->acceleration[i], j->torque[i]);
      const double power = pki_drive_power(d, &r, factor), current = r.torque / p->constant;
      const double part = length > 0 ? share * m->span[i] / length : 0, t = m->time[i];
      raise_use(&out->lines[PKI_LINE_PEAK], fabs(r.torque), k, t);
      raise_use(&out->lines[PKI_LINE_VOLTAGE], fabs(R * current + p->constant * r.speed), k, t);
      raise_use(&out->lines[PKI_LINE_SPEED], fabs(r.speed), k, t);
      raise_use(&out->lines[PKI_LINE_GEAR_PEAK], fabs(j->torque[i]), k, t);
      out->peak = fmax(out->peak, fabs(r.torque));
      out->speed = fmax(out->speed, fabs(r.speed));
      out->input = fmax(out->input, power);
      out->joule += part * R * current * current;
      out->power += part * (power > 0 ? power : options->regeneration * power);
    }
  }
}

/* A line that there may not be; 0 and NAN: there is none. */
static pki_line_use line_of(double has)
{
  return (pki_line_use){.has = has > 0 ? has : NAN, .needs = has > 0 ? 0 : NAN, .motion = -1, .time = NAN};
}

static pki_demand demand_of_joint(const pki_drive *d, const pki_duty *duty, const char *joint,
                                  const pki_duty_options *options)
{
  const pk_motor_parameters *p = &d->motor->motor;
  pki_demand out = {.input = 0};
  double rotor, gear;
  for (int i = 0; i < PKI_LINE_COUNT; i++) {
    out.lines[i] = line_of(NAN);
  }
  add_means(d, duty, joint, &rotor, &gear);
  out.rms = sqrt(rotor);
  out.lines[PKI_LINE_CONTINUOUS] = line_of(pki_drive_continuous(d, options->ambient));
  out.lines[PKI_LINE_GEAR] = line_of(d->gear.torque);
  raise_use(&out.lines[PKI_LINE_CONTINUOUS], out.rms, -1, NAN);
  raise_use(&out.lines[PKI_LINE_GEAR], sqrt(gear), -1, NAN);
  find_temperatures(d, duty, joint, options, &out);
  out.lines[PKI_LINE_PEAK] = line_of(pki_drive_peak(d));
  out.lines[PKI_LINE_VOLTAGE] = line_of(pki_drive_volts(d));
  out.lines[PKI_LINE_SPEED] = line_of(pki_drive_fastest(d));
  out.lines[PKI_LINE_GEAR_PEAK] = line_of(d->gear.peak_torque);
  add_samples(d, duty, joint, options, &out);
  out.distance[0] = out.lines[PKI_LINE_CONTINUOUS].has - out.rms;
  out.distance[1] = out.lines[PKI_LINE_PEAK].has - out.peak;
  /* the torque that the volts which are left would add at standstill */
  out.distance[2] = (out.lines[PKI_LINE_VOLTAGE].has - out.lines[PKI_LINE_VOLTAGE].needs) * p->constant /
                    (pki_drive_warmth(d, &out) * p->resistance);
  return out;
}

/* ---- a group ---- */

/* The worst of both for lines, sums for powers. */
static void join_demand(pki_demand *all, const pki_demand *one, int joint)
{
  for (int i = 0; i < PKI_LINE_COUNT; i++) {
    if (joint == 0 || pki_line_used(&one->lines[i]) > pki_line_used(&all->lines[i])) {
      all->lines[i] = one->lines[i];
      all->lines[i].joint = joint;
    }
  }
  for (int i = 0; i < 3; i++) {
    all->distance[i] = joint == 0 ? one->distance[i] : fmin(all->distance[i], one->distance[i]);
  }
  all->rms = fmax(all->rms, one->rms);
  all->peak = fmax(all->peak, one->peak);
  all->speed = fmax(all->speed, one->speed);
  all->input = fmax(all->input, one->input);
  all->joule += one->joule;
  all->power += one->power;
  all->winding = joint == 0 ? one->winding : fmax(all->winding, one->winding);
  all->housing = joint == 0 ? one->housing : fmax(all->housing, one->housing);
}

pki_demand pki_demand_of(const pki_drive *drive, const pki_duty *duty, const char (*joints)[PKI_DUTY_NAME],
                         int count, const pki_duty_options *options)
{
  pki_demand all = {.input = 0};
  for (int k = 0; k < count; k++) {
    const pki_demand one = demand_of_joint(drive, duty, joints[k], options);
    join_demand(&all, &one, k);
  }
  all.armature = pki_drive_armature(drive);
  all.mass = count * pki_drive_mass(drive);
  all.price = count * pki_drive_price(drive);
  return all;
}

/* ---- in words ---- */

void pki_demand_reason(const pki_demand *demand, const pki_duty *duty, const char (*joints)[PKI_DUTY_NAME],
                       double margin, char *out, size_t size)
{
  static const struct {
    const char *what, *unit;
  } words[PKI_LINE_COUNT] = {
      {"rms torque", "N m for long"},
      {"torque", "N m by its current"},
      {"voltage", "V"},
      {"winding", "K above the air"},
      {"rotor's speed", "rad/s"},
      {"rms torque at the gear", "N m for long"},
      {"torque at the gear", "N m for short"},
  };
  pki_line worst = PKI_LINE_CONTINUOUS;
  out[0] = '\0';
  if (pki_demand_margin(demand, &worst) >= margin - 1e-12) {
    return;
  }
  const pki_line_use *use = &demand->lines[worst];
  if (isinf(use->needs)) {
    snprintf(out, size, "%s: runs away, %s", words[worst].what, joints[use->joint]);
    return;
  }
  char where[160] = "";
  if (use->motion >= 0) {
    snprintf(where, sizeof where, " at %.3g s of %s", use->time, duty->motions[use->motion].name);
  }
  snprintf(out, size, "%s: needs %.4g of %.4g %s, %s%s%s", words[worst].what, use->needs, use->has,
           words[worst].unit, joints[use->joint], where, use->needs <= use->has ? " (too near)" : "");
}
