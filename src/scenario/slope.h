/* A scenario on a slope. */
#ifndef PKI_SCENARIO_SLOPE_H
#define PKI_SCENARIO_SLOPE_H

#include "base/text.h"
#include "scenario/scenario.h"

/* The overrides that tilt a scenario's ground, models and objects by `angle` (rad) about the world's y axis: +x goes up.
 * Appended to `sets`, as lines. What cannot be tilted is a failure. */
pk_status pki_slope_sets(const pki_scenario *base, double angle, pki_text *sets, pk_error *err);

#endif
