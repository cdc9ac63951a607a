#include "step/law.h"

#include "step/compliant.h"
#include "step/exact.h"
#include "step/resting.h"

const pki_law pki_laws[PK_CONTACT_LAW_COUNT] = {
    [PK_CONTACT_LAW_HARD] =
        {.name = "hard",
         .doc = "unilateral contact, Coulomb friction on the disc, Newton's impacts; no sinking in"},
    [PK_CONTACT_LAW_COMPLIANT] =
        {.name = "compliant",
         .doc = "springs and dampers to an anchor point, stick and slip (Gehring et al. "
                "2014, algorithm 1); explicit, needs small steps",
         .force = pki_compliant_forces},
    [PK_CONTACT_LAW_PENALTY] =
        {.name = "penalty",
         .doc = "springs and dampers with Coulomb and viscous friction, the baseline of Ayit 2015; "
                "explicit, adds energy where it is stiff",
         .force = pki_penalty_forces},
    [PK_CONTACT_LAW_EXACT_LCP] =
        {.name = "exact-lcp",
         .doc = "a linear complementarity problem: impulses with restitution, friction on a pyramid "
                "along the slip, viscous friction (Ayit 2015)",
         .prepare = pki_exact_align,
         .shift = pki_exact_shift,
         .solve = pki_exact_solve},
};

/* exact-lcp with `resting: acceleration`: collisions and resting contact as two problems. */
static const pki_law exact_in_accelerations = {.name = "exact-lcp",
                                               .prepare = pki_exact_align,
                                               .collide = pki_resting_collide,
                                               .shift = pki_resting_shift,
                                               .solve = pki_exact_solve,
                                               .finish = pki_resting_add_hits,
                                               .needs_solution = true,
                                               .joins_closed = true};

const pki_law *pki_law_of(const pk_sim_options *o)
{
  const bool accelerations =
      o->law == PK_CONTACT_LAW_EXACT_LCP && o->resting == PK_CONTACT_RESTING_ACCELERATION;
  return accelerations ? &exact_in_accelerations : &pki_laws[o->law];
}
