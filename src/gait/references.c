/* Oscillators of legs by themselves: what references.h offers of cpg.c. */
#include "pronk/references.h"

#include <math.h>

#include "base/error.h"
#include "gait/cpg.h"
#include "gait/gaits.h"

pk_status pk_rhythm_of_gait(pk_gait gait, int legs, double tau, pk_rhythm *out, pk_error *err)
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
  if ((legs != 4 && legs != 6) || !pki_gait_suits(row, legs)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "legs"},
                    "%s: there is no such gait on %d legs, expected four, or six where pairs land in waves",
                    row->name, legs);
  }
  *out = (pk_rhythm){.duty = row->duty, .cycle = row->cycle * tau};
  pki_gait_footfall(row, legs, out->footfall);
  return PK_OK;
}

void pk_cpg_start(pk_cpg *cpg, int legs, const pk_rhythm *rhythm)
{
  pki_cpg_start(cpg, legs, rhythm);
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
