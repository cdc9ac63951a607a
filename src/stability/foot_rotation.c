/* The foot rotation indicator of Goswami 1999, (8) of Hardt and von Stryk 2003: the point S on the ground at which the ground reaction
 * would have to act so that no foot turned. With f_j, n_j the force and moment of foot j on the rest of the robot at O_j, and m_j, G_j
 * its mass and centre of mass,
 *
 *   sum_j (n_j + SO_j x f_j - SG_j x m_j g) = 0      in its horizontal components
 *
 * whose terms are moments (the paper calls them forces). f_j and n_j are what contacts give less what accelerates the foot: S is where
 * that difference acts. The inertia of feet is so left out on purpose, and feet without mass, or at rest, give the zero-moment
 * point. */
#include <math.h>

#include "math/mat3.h"
#include "stability/stability.h"

static void compute_fri(const pki_stance *s, const pk_stability_options *options, pk_stability *out)
{
  (void)options;
  const double *rate = s->in->foot_rate;
  double force[3], moment[3], about_com[3] = {0, 0, 0};
  if (rate != NULL) { /* its moment about the centre of mass: k - c x p */
    pki_cross3(s->in->com, rate + 3, about_com);
    pki_sub3(rate, about_com, about_com);
  }
  for (int k = 0; k < 3; k++) {
    force[k] = s->force[k] - (rate != NULL ? rate[3 + k] : 0);
    moment[k] = s->moment[k] - about_com[k];
  }
  pki_stance_centre(s, force, moment, out->fri);
  out->fri_margin = pki_support_margin(s, out, out->fri);
}

void pk_fri_compute(const pk_stability_foot *feet, int count, double g, double height, double point[3])
{
  double sum_x = 0, sum_y = 0, pressed = 0;
  for (int j = 0; j < count; j++) {
    const pk_stability_foot *o = &feet[j];
    const double *f = o->force, *n = o->moment, weight = o->mass * g, above = o->joint[2] - height;
    /* S_x = sum(O_x f_z - O_z f_x - n_y + m g G_x) / sum(f_z + m g), S_y = sum(O_y f_z - O_z f_y + n_x + m g G_y) / the same */
    sum_x += o->joint[0] * f[2] - above * f[0] - n[1] + weight * o->com[0];
    sum_y += o->joint[1] * f[2] - above * f[1] + n[0] + weight * o->com[1];
    pressed += f[2] + weight;
  }
  point[0] = pressed > 0 ? sum_x / pressed : NAN;
  point[1] = pressed > 0 ? sum_y / pressed : NAN;
  point[2] = pressed > 0 ? height : NAN;
}

static const pki_stability_column columns[] = {{"margin", "m", offsetof(pk_stability, fri_margin)},
                                               {"x", "m", offsetof(pk_stability, fri[0])},
                                               {"y", "m", offsetof(pk_stability, fri[1])},
                                               {"z", "m", offsetof(pk_stability, fri[2])},
                                               {0}};

const pki_stability_row pki_stability_fri = {
    .name = "fri",
    .doc = "foot rotation indicator: its margin within the support, where it is",
    .columns = columns,
    .compute = compute_fri};
