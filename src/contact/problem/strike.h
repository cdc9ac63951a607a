/* One collision at one contact, with Coulomb friction (Mirtich 1996, chapter 3; Stronge 1990; Bhatt and Koechling 1995).
 *
 * A collision takes no time: the impulse p [3] (normal, two tangents) grows from zero while nothing moves, and with it the relative
 * velocity of the two points that touch,
 *
 *   v(p) = v_0 + K p,   K the contact's own block of J inv(M) J'.
 *
 * Friction follows the slip of the moment. With the normal impulse p_n as the clock and s = v_T/|v_T|,
 *
 *   sliding   dp_T/dp_n = -mu s
 *   sticking  v_T stays zero: dp_T/dp_n is that of inv(K) e_n, where that is no more than mu
 *   otherwise the slip begins anew, in the one direction s in which d v_T/dp_n = K_TN - mu K_TT s points along s
 *
 * The normal force does the work W = integral of v_n dp_n: W is least, W_c < 0, at the end of compression (v_n = 0), and the collision ends
 * when e^2 of it has come back (Stronge): W = (1 - e^2) W_c. So e is a ratio of energies, e = 0 ends at v_n = 0, and as friction opposes the
 * slip throughout, no collision gains energy, which Newton's e does not promise. Where friction jams (K_NN < mu K_NT s: v_n sinks further
 * while p_n grows) the slip comes to its end first and the collision goes on: there is always an outcome, in Painleve's
 * region too.
 *
 * While the direction of the slip stays, v is linear in p_n, and stages end in closed form: for balls, in the plane, when sticking,
 * and once slip has begun anew. Where it turns, steps of Runge and Kutta's of order 4 follow it, each as long as |v_T| changes by a part of
 * itself. */
#ifndef PKI_CONTACT_PROBLEM_STRIKE_H
#define PKI_CONTACT_PROBLEM_STRIKE_H

/* The impulse p [3] of a collision at velocity v [3] with v[0] < 0; K [3][3] row-major, positive definite; mu >= 0, 0 <= e <= 1. */
void pki_strike(const double K[9], const double v[3], double mu, double e, double p[3]);

#endif
