/* The next step of a robot that is pushed. */
#include "gait/step_adjust.h"

#include <math.h>

#include "base/error.h"
#include "control/cone_program.h"

double pki_step_share(double omega, double support)
{
  const double x = omega * support;
  return x > 1e-6 ? -expm1(-x) / x : 1 - 0.5 * x;
}

pki_step_choice pki_step_adjust(const pki_step_problem *p)
{
  const double share = pki_step_share(p->omega, p->support), tau = exp(p->omega * p->time);
  _Alignas(64) double H[9] = {0}, g[3], lower[3], upper[3], x[3];
  _Alignas(64) double memory[256]; /* more than pki_cone_program_size of three numbers */
  /* unknowns u_x, u_y and s = T's tau over the planned one; b = grow s - share u */
  double grow[2];
  const double w = p->offset_weight;
  H[8] = p->time_weight, g[2] = -p->time_weight;
  for (int k = 0; k < 2; k++) {
    grow[k] = p->xi[k] * exp(-p->omega * p->elapsed) * tau;
    H[4 * k] = 1 + w * share * share;
    H[3 * k + 2] = -w * share * grow[k];
    H[8] += w * grow[k] * grow[k];
    g[k] = -p->step[k] + w * share * p->offset[k];
    g[2] -= w * grow[k] * p->offset[k];
    lower[k] = p->lower[k], upper[k] = p->upper[k];
    x[k] = p->step[k];
  }
  lower[2] = exp(p->omega * (p->soonest - p->time));
  upper[2] = fmax(lower[2], exp(p->omega * (p->latest - p->time)));
  x[2] = 1;
  const pki_cone_program program = {.boxes = 3, .H = H, .g = g, .lower = lower, .upper = upper};
  pki_cone_result how;
  const bool warm = false;
  PK_ASSERT(sizeof memory >= pki_cone_program_size(3, 0, 1));
  pki_cone_kernels_get(1)->solve(&program, &warm, x, memory, &how);
  pki_step_choice out = {.time = p->time + log(x[2]) / p->omega};
  for (int k = 0; k < 2; k++) {
    out.step[k] = x[k];
    out.offset[k] = grow[k] * x[2] - share * x[k];
  }
  return out;
}
