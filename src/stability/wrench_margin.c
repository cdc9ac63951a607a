/* The wrench margin: wrench_cone.c. */
#include "stability/stability.h"

static void compute_wrench_margin(const pki_stance *s, const pk_stability_options *options, pk_stability *out)
{
  const pki_wrench_result found = pki_wrench_cone(s, options->friction_sides);
  out->wrench_margin = found.margin;
  out->wrench_gap = found.gap;
}

static const pki_stability_column columns[] = {{"margin", "N", offsetof(pk_stability, wrench_margin)}, {0}};

const pki_stability_row pki_stability_wrench_margin = {
    .name = "wrench_margin",
    .doc =
        "normal force that every contact could lose while friction cones still hold the robot, on any ground",
    .columns = columns,
    .compute = compute_wrench_margin};
