/* The law impulse: every contact a train of collisions (Mirtich 1996, which Ayit 2015 cites as the simple and quick way).
 *
 * There is no problem that holds all contacts at once. Two points that touch and approach collide, by themselves, as if nothing
 * else touched: contact/problem/strike.h has the impulse, with Coulomb friction and Stronge's restitution. It changes the
 * velocities of all others by the columns of W, the next collision is where the approach is fastest then, and so on until none is
 * left. Two trains in a step:
 *
 *   colliding   at the velocities of the start, contacts with g_N <= 0, while one approaches faster than 4 g dt: e is the material's
 *               restitution where the approach of this very collision is faster than that, else 0
 *   resting     at the velocities that the step's forces would lead to, e = 0, gaps counted as in other laws (a contact may close its gap), until
 *               no approach is faster than `tolerance` times the scale of the certificate: Mirtich's micro-collisions, one train for the
 *               weight of each step
 *
 * Joint limits, joint friction, torque limits and bilateral rows that are not eliminated take their impulses between the collisions of the second
 * train, one row after the other as in projected Gauss-Seidel, and are not alone then: theirs can be taken back. Those of collisions cannot. So each
 * collision by itself obeys friction and loses energy, balls in a row hand on a blow as Newton's cradle does, and no problem is without a
 * solution; but contacts that rest together are left with more than they need: they part, and a foot that has been struck keeps what slip later
 * collisions give it. The certificate says by how much: it judges Coulomb's law with the sums of the impulses of the second train on the
 * step's problem. Friction along the surface has no restitution (restitution_t is not read), nor a viscous part. */
#ifndef PKI_STEP_IMPULSE_H
#define PKI_STEP_IMPULSE_H

#include "step/law.h"

extern const pki_law pki_law_impulse;

#endif
