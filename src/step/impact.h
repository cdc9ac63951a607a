/* Restitution: which coefficients the contacts of a step take, and what their impacts do to the energy.
 *
 * With M du = h dt + J' r, du = u_E - u_S, and any number e,
 *
 *   dT - dt h' u_e = r' J (u_E + e u_S) / (1 + e) - (1 - e) / (2 (1 + e)) |du|_M^2,   u_e = (u_E + e u_S) / (1 + e),
 *
 * because (u_E + u_S)/2 = u_e - (1 - e)/(2 (1 + e)) du. When every contact takes the same e in both directions the
 * first term is r' xi / (1 + e) <= 0, and no impact gains energy. With unequal coefficients it can be positive: Newton's
 * law with friction, or beside another contact, can gain energy (Kane 1984).
 *
 * A group is the contacts that M couples, those of one tree, and where contacts between bodies are active all of both
 * trees. The right side above, taken over one group, at the group's smallest or largest coefficient, whichever is
 * less, is the energy that its impacts gained. */
#ifndef PKI_STEP_IMPACT_H
#define PKI_STEP_IMPACT_H

#include "step/world.h"

/* Which velocities M and the constraints couple, [nu]: the first of each set names it; up [nplan] is the elimination
 * tree (contact/rows/assembly.h), root [nplan] scratch. */
void pki_impact_groups(const pk_model *model, const int *up, int *root, int *dof_group);

/* Nobody has gained energy yet. */
void pki_impact_begin(pk_sim *sim);

/* Coefficients of every group from the active contacts. */
void pki_impact_choose(pk_sim *sim);

/* Coefficients of contact i of those found: normal, tangent, tangent. */
void pki_impact_eps(const pk_sim *sim, int i, double eps[3]);

/* The gain of the step's impacts into the info, from the velocities and forces of the step's group; the diagonal of M~ is the
 * workspace's. True when a group must be solved again with one coefficient. */
bool pki_impact_gains(pk_sim *sim, const pki_group *g, pk_step_info *info);

#endif
