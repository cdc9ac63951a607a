/* Contacts of the schemes that integrate forces (rk4 and the adaptive ones): those of the laws of springs and of compliant
 * surfaces, evaluated at every stage.
 *
 * What a law of springs remembers of a contact (its anchor, stick or slip, its integral) is held through the stages, so that in a step
 * dy/dt = f(t, y) has one f. It is brought up to date where the step, or an internal one, has ended, with the state there:
 * a contact that is new has its anchor where it is then, a slip that has ended holds from there, a spring that gave way has
 * its new anchor. So a scheme keeps its order while contacts stay closed and stick, or slide without turning; closing,
 * opening, giving way and coming to rest are kinks in f, which no step is cut at, and each costs an error of the first or
 * second order of the step that it falls into (docs/theory/stepping.md). */
#ifndef PKI_STEP_SMOOTH_CONTACT_H
#define PKI_STEP_SMOOTH_CONTACT_H

#include "step/world.h"

/* A stage begins that may be taken back. */
void pki_smooth_contact_begin(pk_sim *sim);

/* A step begins. Where no spring is remembered, as in a world that was put into contact, springs begin where contacts are now.
 * `scratch` [nu]. */
pk_status pki_smooth_contact_start(pk_sim *sim, double *scratch);

/* out [nu] += J' f of all contacts at a stage, which counts with a weight in what compliant surfaces do in the step. `since` s have
 * passed from the state that springs remember to that whose memory this is; 0: it is held. */
pk_status pki_smooth_contact_add(pk_sim *sim, double since, const double *q, const double *u, double weight,
                                 double *out);

/* What was wrong at the last stage. */
pk_status pki_smooth_contact_explain(const pk_sim *sim, pk_step_info *info);

/* A step, or an internal one, of `since` s ended at q and u: what springs remember there, for the next; pki_compliant_commit makes
 * it theirs. `scratch` [nu]. */
pk_status pki_smooth_contact_settle(pk_sim *sim, double since, const double *q, const double *u,
                                    double *scratch);

/* The step has ended: contacts as they are seen. Joint limits are checked, too. */
pk_status pki_smooth_contact_end(pk_sim *sim, pk_step_info *info);

#endif
