/* The law lcp-pyramid: contact as a linear complementarity problem (Ayit 2015, chapter 4).
 *
 * Rows are those of contact.h: for each contact its normal n and two tangents, t1 along the slip at the start of the
 * step where there is one; then joint rows. With W = J inv(M~) J' and r the impulses (force times dt),
 *
 *   velocity (4.40)       0 <= r_n  _|_  v_n(t + dt) = (W r + J u_f)_n + eps v_n(t) >= 0
 *   friction (4.22)       |r_t| <= mu r_n, v_t(t + dt) = 0 inside and against r_t at the bound, for each of t1 and t2: a
 *                         pyramid, whose bounds are multiples of another unknown (pk_lcp.findex)
 *   viscous friction      one more row on each tangent of a closed contact, r_v = -dt mu_v v_t(t + dt), whatever r_n: one
 *                         that lifts off is braked until its gap opens
 *
 * That is the default: collision with restitution (4.14) and resting contact in one problem, as in the thesis' program. With
 * `resting: acceleration` they are two (resting.h). Every matrix comes from the factor of M~; inv(M~) is never formed.
 *
 * With `cone: square` t1 stays where the surface has it. With `cone: norm` both tangents have one bound on their norm, viscous friction in it
 * (contact/lcp/norm_cone.h), which no linear solver knows.
 *
 * The certificate of the step is that of its own problem: pk_lcp_certify or pki_norm_cone_certify, relative to max(|q|_inf, 1e-3 m/s) as for
 * other laws. Beside it stands what Coulomb's law on the disc says of the same impulses without their viscous part. */
#ifndef PKI_STEP_LCP_PYRAMID_H
#define PKI_STEP_LCP_PYRAMID_H

#include "step/law.h"
#include "step/world.h"

/* Not more contacts than there may be: M is dense. */
pk_status pki_lcp_pyramid_check(const pk_model *model, const pk_sim_options *options, pk_error *err);

/* Contacts that a world can have whose law keeps a dense matrix (pki_law.room). */
int pki_dense_room(const pk_model *model, const pk_sim_options *options);

/* Take the arrays for problems with up to `rows` rows, `contacts` contacts among them, or what laws with a dense matrix share; nothing for
 * other laws. */
void pki_lcp_pyramid_carve(pki_lcp_pyramid *e, const pk_sim_options *options, int nu, int rows, int contacts,
                           pki_arena *arena);

/* Turn the tangents of the contacts found so that the first one is along the slip; with `cone: square` they stay. The twists are those of the start. */
void pki_lcp_pyramid_align(pk_sim *sim);

/* Solve the assembled problem of velocities; impulses into the assembly, certificates into the info. False: there is no
 * solution, or none was found. */
bool pki_lcp_pyramid_solve(pk_sim *sim, pk_step_info *info);

/* Which law of friction that is. */
pk_judged_law pki_lcp_pyramid_judged(const pk_sim_options *options);

/* The law, and its variant with `resting: acceleration` (resting.h). */
extern const pki_law pki_law_lcp_pyramid, pki_law_lcp_pyramid_in_accelerations;

#endif
