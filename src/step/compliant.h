/* Laws of springs.
 *
 * Compliant contact: springs and dampers between the contact point P and an anchor P_0 (Gehring et al. 2014,
 * algorithm 1), evaluated at (q_M, u_S) and added to the forces of the step. With g_N <= 0 the gap, gamma the velocity
 * of the point and g_T the tangential part of P - P_0,
 *
 *   lambda_N = max(-c_N g_N - d_N gamma_N, 0)
 *   stick:  lambda_T = -c_T g_T - d_T gamma_T, and when that reaches mu lambda_N: slip
 *   slip:   lambda_T = -mu lambda_N gamma_T/|gamma_T|; it ends when gamma_T vanishes, or when the force that a
 *           spring to P_0 would give is below mu lambda_N; then P_0 := P, and the next step sticks
 *
 * Line 3 as printed tests the force of slipping itself, which is mu lambda_N and would end every slip at once; the trial
 * force takes its place, and line 9 is repeated while slipping. In finite steps gamma_T hardly meets zero: it has
 * vanished when it is small or has turned round. The anchor of a ball that rolls goes along with the rolling. Viscous
 * friction of the material, -mu_v gamma_T, is ours, and added in both.
 *
 * Penalty contact (Ayit 2015, section 5.3, which has no equations; these are ours) has the same normal force, and friction
 * is a spring that gives way, with viscous friction beside it:
 *
 *   lambda_T = f - mu_v gamma_T,  f = t when |t| <= mu lambda_N, else mu lambda_N t/|t|,  t = -c_T g_T - d_T gamma_T
 *
 * where it gives way P_0 follows, so that the spring alone holds f: g_T = -f/c_T. */
#ifndef PKI_STEP_COMPLIANT_H
#define PKI_STEP_COMPLIANT_H

#include "step/world.h"

/* What all of them read. */
#define PKI_SPRING_READS "viscous stiffness_n stiffness_t stiffness_cubic damping_n damping_t"

/* A law of springs: lambda (normal, tangents) of one contact at the velocity v in its axes, and its memory `since` s after that in s. */
typedef void pki_spring_law(const pk_sim_options *o, double since, const pki_contact *f, const pk_material *m,
                            const double v[3], pki_spring *s, double lambda[3]);

/* out [nu] += J' lambda of the contacts found, which become the last contacts. With `hovering` a contact that has a spring keeps it
 * until it is open by more than pki_touching. `since`: as of pki_law.force. */
void pki_add_spring_forces(pk_sim *sim, pki_spring_law *law, bool hovering, double since, double *out);

/* The penalty law, with s->push added to the force of the normal spring. */
pki_spring_law pki_penalty_law;

/* The step succeeded: its anchors are those of the next step. */
void pki_compliant_commit(pk_sim *sim);

#endif
