/* The hard law, and which row the options of a world mean. */
#include "step/law.h"

#include <math.h>

#include "step/world.h"

const pki_law pki_law_hard = {
    .name = "hard",
    .doc = "unilateral contact, Coulomb friction on the disc, Newton's impacts; no sinking in",
    .reads = "restitution_n restitution_t impact relinearise landing_friction yield margin swept"};

const pki_law *pki_law_of(const pk_sim_options *o)
{
  const pki_law *law = pki_laws[o->law];
  return law->variant != NULL ? law->variant(o) : law;
}

pk_judged_law pki_judged_law(const pk_sim_options *o)
{
  const pki_law *law = pki_law_of(o);
  return law->force != NULL || !pki_steppers[o->stepper]->contact ? PK_JUDGED_LAW_NONE
         : law->judged != NULL                                    ? law->judged(o)
                                                                  : PK_JUDGED_LAW_COULOMB;
}

void pki_name_judged_law(const pk_sim *sim, pk_step_info *info)
{
  const pk_judged_law law = pki_judged_law(&sim->options);
  info->certificate.law = law;
  if (law == PK_JUDGED_LAW_COULOMB) {
    info->coulomb = info->certificate.residual;
    info->coulomb_relative = info->certificate.relative;
  } else if (law == PK_JUDGED_LAW_NONE) {
    info->coulomb = info->coulomb_relative = NAN;
  }
}
