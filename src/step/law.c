/* The hard law, and which row the options of a world mean. */
#include "step/law.h"

const pki_law pki_law_hard = {
    .name = "hard",
    .doc = "unilateral contact, Coulomb friction on the disc, Newton's impacts; no sinking in",
    .reads = "restitution_n restitution_t impact relinearise landing_friction yield margin swept"};

const pki_law *pki_law_of(const pk_sim_options *o)
{
  const pki_law *law = pki_laws[o->law];
  return law->variant != NULL ? law->variant(o) : law;
}
