/* The zero-moment point (Vukobratovic): where on the ground the wrench of all contacts has no horizontal moment. With c the centre of
 * mass at height c_z over flat ground and L its angular momentum this is
 *
 *   p_x = c_x - (m c_z c_x'' + L_y') / (m (g + c_z''))
 *   p_y = c_y - (m c_z c_y'' - L_x') / (m (g + c_z'')) */
#include "stability/stability.h"

static void compute_zmp(const pki_stance *s, const pk_stability_options *options, pk_stability *out)
{
  (void)options;
  pki_stance_centre(s, s->force, s->moment, out->zmp);
  out->zmp_margin = pki_support_margin(s, out, out->zmp);
}

static const pki_stability_column columns[] = {{"margin", "m", offsetof(pk_stability, zmp_margin)},
                                               {"x", "m", offsetof(pk_stability, zmp[0])},
                                               {"y", "m", offsetof(pk_stability, zmp[1])},
                                               {"z", "m", offsetof(pk_stability, zmp[2])},
                                               {0}};

const pki_stability_row pki_stability_zmp = {
    .name = "zmp",
    .doc = "zero-moment point: its margin within the support, where it is",
    .columns = columns,
    .compute = compute_zmp};
