/* The static margin: the least horizontal distance of the centre of mass from an edge of the support (McGhee and Frank 1968). */
#include "stability/stability.h"

static void compute_static_margin(const pki_stance *s, const pk_stability_options *options, pk_stability *out)
{
  (void)options;
  out->static_margin = pki_support_margin(s, out, s->in->com);
}

static const pki_stability_column columns[] = {{"margin", "m", offsetof(pk_stability, static_margin)},
                                               {"gcom_x", "m", offsetof(pk_stability, gcom[0])},
                                               {"gcom_y", "m", offsetof(pk_stability, gcom[1])},
                                               {"gcom_z", "m", offsetof(pk_stability, gcom[2])},
                                               {0}};

const pki_stability_row pki_stability_static_margin = {
    .name = "static_margin",
    .doc = "least distance of the centre of mass on the ground from an edge of the support, and where it is",
    .columns = columns,
    .compute = compute_static_margin};
