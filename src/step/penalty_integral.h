/* The law penalty-integral: penalty contact with an integral of the depth (Drumwright 2008, which Ayit 2015 cites as the cure of
 * penalty's sinking in).
 *
 * A spring of stiffness c carries a weight m g at the depth m g/c, and only so. With d = -g_N the depth, since the contact began,
 *
 *   lambda_N = max(c_N d + c_I integral of d dt - d_N gamma_N, 0)
 *
 * the integral goes on growing until it carries the weight by itself and the depth is zero: in the steady state c_I integral = m g. A mass on
 * it is
 *
 *   m d''' + d_N d'' + c_N d' + c_I d = 0,   stable for c_N d_N > m c_I,
 *
 * and for a small c_I the depth goes as exp(-c_I t/c_N). The integral is that of the steps so far, this one included; in rk4 and the adaptive schemes it is held
 * through their stages (smooth_contact.h) and goes on where a step, or an internal one, has ended. It counts depths
 * above zero as negative ones, down to an integral of zero, while the contact is open by no more than pki_touching (a step's rounding would
 * end it otherwise); beyond, the contact has ended and its integral is forgotten: what comes back begins anew. So a contact that lifts
 * off is pushed for that way by the integral alone, at most.
 *
 * Friction is that of the law penalty (compliant.h). Drumwright's other part, many points on a contact's surface, is what Pronk's
 * shapes give by themselves: the corners of a face are contacts of their own. */
#ifndef PKI_STEP_PENALTY_INTEGRAL_H
#define PKI_STEP_PENALTY_INTEGRAL_H

#include "step/compliant.h"

extern const pki_law pki_law_penalty_integral;

#endif
