/* The force-angle measure of Papadopoulos and Rey 1996. With a_i the direction of edge i, l_i the perpendicular from the centre of mass
 * to it, and f, n force and moment there without ground reactions (gravity, pushes, inertia: what contacts carry),
 *
 *   f_i = (1 - a a') f,  n_i = a a' n,  f*_i = f_i + (l^_i x n_i) / |l_i|
 *
 * theta_i is the angle from l_i to f*_i, positive while f* passes inside the edge, d_i the distance of the edge from the line of f*; the
 * measure is the least theta_i d_i |f*_i|, zero when the robot begins to tip. */
#include <math.h>

#include "math/mat3.h"
#include "stability/stability.h"

/* theta d |f*| of an edge. */
static double edge_angle(const pki_stance *s, const pk_stability_edge *edge)
{
  const pki_edge_axes axes = pki_edge_axes_of(s, edge);
  const double *a = axes.e, r = hypot(edge->r_h, edge->r_z);
  /* l^ = -(r_h n + r_z u) / r */
  double l[3], moved[3], force[3], turned[3];
  for (int k = 0; k < 3; k++) {
    l[k] = -(edge->r_h * axes.n[k] + edge->r_z * axes.u[k]) / r;
  }
  const double n = -pki_dot3(s->moment, a), along = -pki_dot3(s->force, a);
  pki_cross3(l, a, moved);
  for (int k = 0; k < 3; k++) {
    force[k] = -s->force[k] - along * a[k] + moved[k] * n / r;
  }
  pki_cross3(l, force, turned);
  const double across = pki_dot3(turned, a), theta = atan2(across, pki_dot3(l, force));
  return theta * r * fabs(across); /* d |f*| = r |l^ x f*| */
}

static void compute_force_angle(const pki_stance *s, const pk_stability_options *options, pk_stability *out)
{
  (void)options;
  for (int i = 0; i < out->nedge; i++) {
    pk_stability_edge *edge = &out->edges[i];
    edge->force_angle = edge_angle(s, edge);
    /* from a line the robot tips to either side */
    const double margin = out->ncorner == 2 ? -fabs(edge->force_angle) : edge->force_angle;
    out->force_angle = i == 0 ? margin : fmin(out->force_angle, margin);
  }
}

static const pki_stability_column columns[] = {{"margin", "N m rad", offsetof(pk_stability, force_angle)},
                                               {0}};

const pki_stability_row pki_stability_force_angle = {
    .name = "force_angle",
    .doc =
        "force-angle measure: angle, distance and size of the net force about the edge that it is nearest to",
    .columns = columns,
    .compute = compute_force_angle};
