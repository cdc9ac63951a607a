/* What the drives that were chosen draw together: motions sample by sample, over all joints. */
#include <math.h>

#include "size/heat.h"
#include "size/sizing.h"

/* W of one joint at a sample. */
static double joint_power(const pki_drive_candidate *c, const pki_joint_duty *j, int sample)
{
  const double factor = isfinite(c->demand.winding) ? pki_heat_resistance(c->demand.winding) : 1;
  const pki_rotor_point p =
      pki_drive_at(&c->drive, j->speed[sample], j->acceleration[sample], j->torque[sample]);
  return pki_drive_power(&c->drive, &p, factor);
}

static double all_power(const pki_sizing *s, const pki_duty_motion *m, int sample)
{
  double power = 0;
  for (int i = 0; i < m->njoint; i++) {
    const pki_drive_candidate *c = pki_sizing_choice(s, m->joints[i].name);
    power += c != NULL ? joint_power(c, &m->joints[i], sample) : 0;
  }
  return power;
}

static void add_parts(pki_sizing *s)
{
  pki_size_supply *out = &s->supply;
  bool first = true;
  for (int i = 0; i < s->ngroup; i++) {
    const pki_drive_candidate *c = pki_group_choice(&s->groups[i]);
    if (c != NULL) {
      out->mass += c->demand.mass;
      out->price += c->demand.price;
      out->voltage = first || out->voltage == c->drive.voltage ? c->drive.voltage : 0;
      first = false;
    }
  }
}

void pki_sizing_add_supply(pki_sizing *s)
{
  pki_size_supply *out = &s->supply;
  *out = (pki_size_supply){.motion = -1};
  add_parts(s);
  for (int k = 0; k < s->duty.count; k++) {
    const pki_duty_motion *m = &s->duty.motions[k];
    const double length = pki_duty_motion_length(m);
    const double share = length > 0 ? pki_duty_share(&s->duty, k) / length : 0;
    for (int i = 0; i < m->n; i++) {
      const double power = all_power(s, m, i);
      out->power += share * m->span[i] * (power > 0 ? power : s->options.regeneration * power);
      if (power > out->input) {
        out->input = power;
        out->motion = k;
        out->time = m->time[i];
      }
    }
  }
  out->energy = out->power * s->options.duration;
  out->current = out->voltage > 0 ? out->input / out->voltage : NAN;
}
