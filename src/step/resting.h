/* The law lcp-pyramid with `resting: acceleration`: collision and resting contact as two problems.
 *
 * Collision (4.3)-(4.14), without friction, of all contacts with g_N <= 0 when one of them approaches:
 *
 *   0 <= p  _|_  W_nn p + (1 + eps) v_n(t) >= 0,   u := u + inv(M~) J_n' p
 *
 * eps is the smallest coefficient of those that approach, 0 below 4 g dt: with one eps for all no energy is gained.
 *
 * Resting (4.15)-(4.21): contacts that have stopped keep or gain distance. With a_j = J du/dt + dJ/dt u without contact,
 *
 *   0 <= F_n  _|_  a_n = (W F + a_j)_n >= 0
 *   sliding:  F_t = -mu F_n along the slip, which makes the problem unsymmetric: its column is W_n - mu W_t
 *   sticking: |F_t| <= mu F_n, and a_t stops what slip there is: v_t + dt a_t = 0
 *
 * The first row is taken over the step: v_n + dt a_n >= 0 with v_n >= 0 the speed at which the contact leaves, 0 for one that
 * has stopped. One that leaves gets a force only against coming back within the step: with v_n left out a force would keep up its speed
 * and give energy. A contact slides when its slip is more than mu dt |a_jn|: what friction against the forces of the step changes
 * within it. dJ/dt u is that of the body's point that touches; what rolling adds to it on a round shape is left to
 * the next collision.
 *
 * The sliding problem can have no solution, or several (Painleve): W_nn - mu W_nt may be negative. Where none is found the step is made with
 * the problem in velocities, which the thesis' own listing solves (4.40), friction on its cone instead of -mu F_n, and pk_step_info.fell_back
 * says so. */
#ifndef PKI_STEP_RESTING_H
#define PKI_STEP_RESTING_H

#include "step/lcp_pyramid.h"

/* Impulses of collisions before all else join those that the world remembers of its contacts. */
void pki_add_hits(pk_sim *sim);

/* The row is pki_law_lcp_pyramid_in_accelerations (exact.h). Collisions need the factor of M~; what is shifted needs the velocity
 * products of the accelerations (rnea) in the workspace. */

#endif
