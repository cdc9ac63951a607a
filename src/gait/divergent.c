/* The divergent component of motion along pieces of the pressure's path. */
#include "gait/divergent.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

void pki_divergent_add(pki_divergent_plan *plan, double time, const double from[2], const double to[2])
{
  PK_ASSERT(plan->count < PKI_DIVERGENT_PIECES);
  pki_pressure_piece *piece = &plan->piece[plan->count++];
  piece->time = time;
  memcpy(piece->from, from, sizeof piece->from);
  memcpy(piece->to, to, sizeof piece->to);
}

/* xi `left` seconds before the end of a piece, at which it is `end`. */
static void find_before_end(double omega, const pki_pressure_piece *p, double left, const double end[2],
                            double xi[2])
{
  const double shrink = exp(-omega * left);
  for (int k = 0; k < 2; k++) {
    const double speed = (p->to[k] - p->from[k]) / p->time, lead = speed / omega;
    xi[k] = p->to[k] - speed * left + lead + (end[k] - p->to[k] - lead) * shrink;
  }
}

pki_divergent pki_divergent_at(const pki_divergent_plan *plan, double time)
{
  pki_divergent out = {.at = {plan->end[0], plan->end[1]}, .pressure = {plan->end[0], plan->end[1]}};
  double begins[PKI_DIVERGENT_PIECES + 1] = {0};
  for (int i = 0; i < plan->count; i++) {
    begins[i + 1] = begins[i] + plan->piece[i].time;
  }
  time = fmin(fmax(time, 0), begins[plan->count]);
  double end[2] = {plan->end[0], plan->end[1]};
  for (int i = plan->count - 1; i >= 0; i--) {
    const pki_pressure_piece *p = &plan->piece[i];
    if (time >= begins[i]) {
      const double left = begins[i + 1] - time;
      find_before_end(plan->omega, p, left, end, out.at);
      for (int k = 0; k < 2; k++) {
        out.pressure[k] = p->to[k] - (p->to[k] - p->from[k]) * left / p->time;
        out.rate[k] = plan->omega * (out.at[k] - out.pressure[k]);
      }
      break;
    }
    double start[2];
    find_before_end(plan->omega, p, p->time, end, start);
    memcpy(end, start, sizeof end);
  }
  return out;
}
