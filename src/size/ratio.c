#include "size/ratio.h"

#include <math.h>

static pki_drive drive_of(const pki_ratio_search *s, double ratio)
{
  pki_drive d = s->drive;
  d.gear.ratio = ratio;
  return d;
}

/* Sum over joints of mean squared torques, or the largest torque. */
static double cost_of(const pki_ratio_search *s, double ratio, bool peak)
{
  const pki_drive d = drive_of(s, ratio);
  double cost = 0;
  for (int j = 0; j < s->count; j++) {
    for (int k = 0; k < s->duty->count; k++) {
      const pki_duty_motion *m = &s->duty->motions[k];
      const pki_joint_duty *load = pki_duty_joint(m, s->joints[j]);
      const double part = pki_duty_share(s->duty, k) / fmax(pki_duty_motion_length(m), 1e-300);
      for (int i = 0; load != NULL && i < m->n; i++) {
        const double t = pki_drive_at(&d, load->speed[i], load->acceleration[i], load->torque[i]).torque;
        cost = peak ? fmax(cost, fabs(t)) : cost + part * m->span[i] * t * t;
      }
    }
  }
  return cost;
}

/* How near the worst line is; of a winding that runs away, whose line is infinitely far, the torque that heats it. */
static double worst_use(const pki_ratio_search *s, double ratio)
{
  static const double beyond = 1e9;
  pki_line worst = PKI_LINE_CONTINUOUS;
  const pki_drive d = drive_of(s, ratio);
  const pki_demand demand = pki_demand_of(&d, s->duty, s->joints, s->count, s->options);
  const double margin = pki_demand_margin(&demand, &worst);
  return isfinite(margin) ? -margin : beyond * (1 + demand.rms);
}

static double rms_cost(const pki_ratio_search *s, double ratio)
{
  return cost_of(s, ratio, false);
}

static double peak_cost(const pki_ratio_search *s, double ratio)
{
  return cost_of(s, ratio, true);
}

/* Golden section in the logarithm of the ratio: costs fall and then rise, as J N a rises and T/N falls. */
static double find_least(const pki_ratio_search *s, double (*cost)(const pki_ratio_search *s, double ratio))
{
  const double golden = (sqrt(5) - 1) / 2;
  double a = log(s->from), b = log(s->to);
  double x = b - golden * (b - a), y = a + golden * (b - a);
  double fx = cost(s, exp(x)), fy = cost(s, exp(y));
  for (int i = 0; i < 90 && b - a > 1e-13; i++) {
    if (fx <= fy) {
      b = y, y = x, fy = fx;
      x = b - golden * (b - a);
      fx = cost(s, exp(x));
    } else {
      a = x, x = y, fx = fy;
      y = a + golden * (b - a);
      fy = cost(s, exp(y));
    }
  }
  return exp((a + b) / 2);
}

double pki_ratio_best(const pki_ratio_search *s, bool peak)
{
  return find_least(s, peak ? peak_cost : rms_cost);
}

static bool fits(const pki_ratio_search *s, double ratio)
{
  const pki_drive d = drive_of(s, ratio);
  const pki_demand demand = pki_demand_of(&d, s->duty, s->joints, s->count, s->options);
  return pki_demand_fits(&demand, s->options->margin);
}

/* The last ratio that fits on the way from one that does to one that does not. */
static double edge_between(const pki_ratio_search *s, double good, double bad)
{
  for (int i = 0; i < 60 && fabs(bad - good) > 1e-13 * good; i++) {
    const double middle = (good + bad) / 2;
    if (fits(s, middle)) {
      good = middle;
    } else {
      bad = middle;
    }
  }
  return good;
}

bool pki_ratio_range(const pki_ratio_search *s, double *least, double *largest)
{
  enum { STEPS = 96 };
  const double factor = pow(s->to / s->from, 1.0 / STEPS);
  double ratio = s->from, first = NAN, last = NAN;
  for (int i = 0; i <= STEPS; i++, ratio *= factor) {
    if (fits(s, ratio)) {
      first = isnan(first) ? ratio : first;
      last = ratio;
    }
  }
  if (isnan(first)) { /* those that fit may be closer together than the steps */
    ratio = find_least(s, worst_use);
    if (!fits(s, ratio)) {
      return false;
    }
    first = last = ratio;
  }
  *least = first > s->from ? edge_between(s, first, fmax(first / factor, s->from)) : first;
  *largest = last < s->to / sqrt(factor) ? edge_between(s, last, fmin(last * factor, s->to)) : s->to;
  return true;
}
