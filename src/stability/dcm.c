/* The divergent component of motion (Takenaka 2009, Englsberger 2015), c + v / omega with omega = sqrt(g / h) and h the height of the centre
 * of mass over the ground; and the capture point under it (Pratt 2006), onto which a pendulum of constant height would have to step to
 * come to rest. */
#include <math.h>

#include "math/mat3.h"
#include "stability/stability.h"

static void compute_dcm(const pki_stance *s, const pk_stability_options *options, pk_stability *out)
{
  (void)options;
  const double height = pki_dot3(s->in->com, s->up) - s->ground;
  pki_along3(s->in->com, height > 0 ? sqrt(height / s->g) : NAN, s->in->velocity, out->dcm);
  pki_stance_on_ground(s, out->dcm, out->capture_point);
  out->capture_margin = pki_support_margin(s, out, out->capture_point);
}

static const pki_stability_column columns[] = {{"margin", "m", offsetof(pk_stability, capture_margin)},
                                               {"x", "m", offsetof(pk_stability, dcm[0])},
                                               {"y", "m", offsetof(pk_stability, dcm[1])},
                                               {"z", "m", offsetof(pk_stability, dcm[2])},
                                               {"ground_z", "m", offsetof(pk_stability, capture_point[2])},
                                               {0}};

const pki_stability_row pki_stability_dcm = {.name = "dcm",
                                             .doc =
                                                 "divergent component of motion: the margin of the capture "
                                                 "point under it, where it is, how high the ground is",
                                             .columns = columns,
                                             .compute = compute_dcm};
