/* S_H, (10) of Hardt and von Stryk 2003 after Koo and Yoon 1999: the angular momentum H_l about each edge l of the support against
 * the least that brings the robot over it as a point mass,
 *
 *   H_ref = m r sqrt(2 g (r - r_z))
 *
 * with r the distance of the centre of mass from the edge and r_z its height over it, and against the largest that the tip of a swing
 * leg can catch, H_max = (r x m v_tip) . e. Which of them counts is the branch of the edge (support.c). About an edge that is inclined by
 * an angle the weight turns with g cos(angle).
 *
 * r - r_z = r_h^2 / (r + r_z), so H_ref = m r r_h sqrt(2 g / (r + r_z)): the same number without the difference of nearly equal lengths,
 * smooth through r_h = 0, and negative where the centre of mass is outside already. */
#include <math.h>

#include "math/mat3.h"
#include "stability/stability.h"

static double reference_momentum(const pki_stance *s, const pki_edge_axes *axes,
                                 const pk_stability_edge *edge)
{
  const double r = hypot(edge->r_h, edge->r_z), g = s->g * pki_dot3(s->up, axes->u), m = s->in->mass;
  return edge->r_z > 0 ? m * r * edge->r_h * sqrt(2 * g / (r + edge->r_z))
                       : copysign(m * r * sqrt(2 * g * (r - edge->r_z)), edge->r_h);
}

static double edge_margin(const pk_stability_edge *e)
{
  switch (e->branch) {
  case PK_EDGE_BRANCH_BEFORE: return fmin(e->H - e->H_ref, e->H_max - e->H);
  case PK_EDGE_BRANCH_PAST:
  case PK_EDGE_BRANCH_BEHIND: return e->H_max - e->H;
  default: return e->H_ref - e->H;
  }
}

static void compute_s_h(const pki_stance *s, const pk_stability_options *options, pk_stability *out)
{
  const pk_stability_input *in = s->in;
  for (int i = 0; i < out->nedge; i++) {
    pk_stability_edge *edge = &out->edges[i];
    const pki_edge_axes axes = pki_edge_axes_of(s, edge);
    double arm[3], momentum[3];
    /* H = e . (L + (c - P) x m v) */
    pki_sub3(in->com, edge->from, arm);
    pki_cross3(arm, in->velocity, momentum);
    pki_along3(in->angular_momentum, in->mass, momentum, momentum);
    edge->H = pki_dot3(axes.e, momentum);
    edge->H_ref = reference_momentum(s, &axes, edge);
    const double arm_of_tip =
        options->tip_direction == PK_TIP_DIRECTION_HORIZONTAL ? edge->r_z : hypot(edge->r_h, edge->r_z);
    edge->H_max = in->mass * arm_of_tip * options->tip_speed;
    edge->s_h = edge_margin(edge);
    if (out->s_h_edge < 0 || edge->s_h < out->s_h) {
      out->s_h = edge->s_h;
      out->s_h_edge = i;
    }
  }
}

static const pki_stability_column columns[] = {{"margin", "kg m^2/s", offsetof(pk_stability, s_h)}, {0}};

const pki_stability_row pki_stability_s_h = {
    .name = "s_h",
    .doc = "S_H: angular momentum about support edges against what tips the robot over them",
    .columns = columns,
    .compute = compute_s_h};
