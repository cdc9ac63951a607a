/* Oscillators of legs by themselves: what references.h offers of cpg.c. */
#include "pronk/references.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "gait/cpg.h"
#include "gait/gaits.h"

pk_status pk_rhythm_of_gait(pk_gait gait, double tau, pk_rhythm *out, pk_error *err)
{
  if ((unsigned)gait >= PK_GAIT_COUNT || gait == PK_GAIT_STAND || gait == PK_GAIT_JUMP) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "gait"},
                    "gait is \"%s\", expected one that goes round: trot, crawl, walk, pace and their like",
                    (unsigned)gait < PK_GAIT_COUNT ? pki_gaits[gait]->name : "none");
  }
  if (!(tau > 0) || !isfinite(tau)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "tau"},
                    "tau is %g s, expected sqrt(h/g) of a height above 0", tau);
  }
  const pki_gait_row *row = pki_gaits[gait];
  *out = (pk_rhythm){.duty = row->duty, .cycle = row->cycle * tau};
  memcpy(out->footfall, row->footfall, sizeof out->footfall);
  return PK_OK;
}

void pk_cpg_start(pk_cpg *cpg, const pk_rhythm *rhythm)
{
  pki_cpg_start(cpg, rhythm);
}

void pk_cpg_step(pk_cpg *cpg, const pk_rhythm *goal, double dt)
{
  pki_cpg_step(cpg, goal, dt);
}

double pk_cpg_place(const pk_cpg *cpg, int leg)
{
  return pki_cpg_place(cpg, leg);
}

bool pk_cpg_stands(const pk_cpg *cpg, int leg)
{
  return pki_cpg_stance(cpg, leg);
}

double pk_cpg_distance(const pk_cpg *cpg, const pk_rhythm *rhythm)
{
  return pki_cpg_distance(cpg, rhythm);
}
