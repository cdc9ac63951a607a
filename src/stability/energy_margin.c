/* The energy margin (Messuri and Klein 1985): the least energy m g (r - r_z) that brings the centre of mass over an edge of the support, with
 * r its distance from the edge and r_z its height over it; H_ref of the edge is r sqrt(2 m E). Negative where it is outside. */
#include <math.h>

#include "math/mat3.h"
#include "stability/stability.h"

static void compute_energy_margin(const pki_stance *s, const pk_stability_options *options, pk_stability *out)
{
  (void)options;
  for (int i = 0; i < out->nedge; i++) {
    pk_stability_edge *edge = &out->edges[i];
    const pki_edge_axes axes = pki_edge_axes_of(s, edge);
    const double r = hypot(edge->r_h, edge->r_z), weight = s->in->mass * s->g * pki_dot3(s->up, axes.u);
    /* r - r_z without the difference of nearly equal lengths */
    const double rise = edge->r_z > 0 ? edge->r_h * edge->r_h / (r + edge->r_z) : r - edge->r_z;
    edge->energy = copysign(weight * rise, edge->r_h);
    /* from a line the robot tips to either side */
    const double margin = out->ncorner == 2 ? -fabs(edge->energy) : edge->energy;
    out->energy_margin = i == 0 ? margin : fmin(out->energy_margin, margin);
  }
}

static const pki_stability_column columns[] = {{"margin", "J", offsetof(pk_stability, energy_margin)}, {0}};

const pki_stability_row pki_stability_energy_margin = {
    .name = "energy_margin",
    .doc = "least energy that brings the centre of mass over an edge of the support",
    .columns = columns,
    .compute = compute_energy_margin};
