/* All measures of a stance. */
#include <math.h>

#include "math/mat3.h"
#include "stability/stability.h"

void pki_stability_clear(pk_stability *out)
{
  out->feet = out->ncontact = out->ncorner = out->nedge = 0;
  out->s_h_edge = -1;
  for (int i = 0; i < PK_STABILITY_MEASURE_COUNT; i++) {
    for (const pki_stability_column *c = pki_stability_rows[i]->columns; c->name != NULL; c++) {
      *(double *)(void *)((char *)out + c->at) = NAN;
    }
  }
  for (int k = 0; k < 3; k++) {
    out->up[k] = out->com[k] = out->capture_point[k] = NAN;
  }
  out->wrench_gap = NAN;
}

pk_status pk_stability_compute(const pk_stability_input *input, const pk_stability_options *options,
                               pk_stability *out, pk_error *err)
{
  const pk_stability_options o = options != NULL ? *options : pk_stability_options_default();
  pki_stance stance;
  pki_stability_clear(out);
  pk_status status = pk_stability_options_validate(&o, err);
  status = status == PK_OK ? pki_stance_init(&stance, input, &o, err) : status;
  if (status != PK_OK) {
    return status;
  }
  pki_support_init(&stance, out);
  for (int k = 0; k < 3; k++) {
    out->up[k] = stance.up[k];
    out->com[k] = input->com[k];
  }
  if (out->ncorner > 0) {
    pki_stance_on_ground(&stance, input->com, out->gcom);
  }
  for (int i = 0; i < PK_STABILITY_MEASURE_COUNT && out->ncorner > 0; i++) {
    if (o.measures == 0 || (o.measures >> i & 1) != 0) {
      pki_stability_rows[i]->compute(&stance, &o, out);
    }
  }
  return PK_OK;
}

double pk_stability_margin(const pk_stability *stability, pk_stability_measure measure)
{
  const bool known = (int)measure >= 0 && measure < PK_STABILITY_MEASURE_COUNT;
  return known ? pki_stability_value(stability, &pki_stability_rows[measure]->columns[0]) : NAN;
}

const char *pk_stability_measure_name(pk_stability_measure measure)
{
  const bool known = (int)measure >= 0 && measure < PK_STABILITY_MEASURE_COUNT;
  return known ? pki_stability_rows[measure]->name : NULL;
}

const char *pk_stability_measure_unit(pk_stability_measure measure)
{
  const bool known = (int)measure >= 0 && measure < PK_STABILITY_MEASURE_COUNT;
  return known ? pki_stability_rows[measure]->columns[0].unit : NULL;
}
