/* Contacts followed through the motion of a step.
 *
 * Rows of a contact are linear in the velocities, and a long step is not: a foot that stands is at the end of an arc. So a step may take
 * its rows again, at the motion that they were solved for. With u_k the velocities of the last solution, J half way along their motion
 * q (+) dt/2 u_k, and phi_N the gap, phi_T the way along the surface since the start of the step, both at q (+) dt u_k,
 *
 *   row = J u + offset,   offset_N = phi_N/dt - J_N u_k,   offset_T = phi_T/dt - J_T u_k,
 *
 * (phi_N counts from the surface on for what begins below it: projections take that out, without a velocity),
 * so that at the fixed point u = u_k a row is the gap at the end, or the way of the contact in the step, over dt. The laws of contact then hold
 * for what they are about, and the form of the problem is as before (docs/theory/tracking.md).
 *
 * Of a ball on the ground the centre is followed, and how far it has rolled is no way along the surface: with the rotation vector theta of its
 * body, phi_T is the way of the centre less radius theta x n. Of all other shapes it is the point that touched at the start. */
#ifndef PKI_STEP_FOLLOW_H
#define PKI_STEP_FOLLOW_H

#include <stdbool.h>

#include "collision/world/contacts.h"

typedef struct pki_followed {
  int body, other;
  /* m, of a ball, whose centre is followed; 0: the point itself is. */
  double radius;
  /* Normal and tangents, world. */
  double axes[9];
  /* The followed point in the axes of the first and of the second body (of the world, where that is the ground). */
  double at[2][3];
  /* Rotation of the first body at the start, and the rotation vector that its twist would make of the step, rad; of balls. */
  double turn[9], spin[3];
  /* m, the contact's point at the start, world; and from the second body's point to the first's. */
  double point[3], apart[3];
  /* m, gap at the start. */
  double gap;
  /* m, after the motion: the gap, and the ways along the tangents since the start. */
  double moved[3];
  /* m/s, what the rows have beside J u. */
  double offset[3];
  /* It pushes at the end. */
  bool carries;
} pki_followed;

/* Begin to follow a contact, at the configuration and the twists of lane `lane` of the work; radius: of the ball that it is one of, 0: of none. */
void pki_follow_begin(const pki_work *w, int lane, double dt, const pki_contact *c, double radius,
                      pki_followed *out);

/* The contact's point goes back to where it was at the start. */
void pki_follow_back(const pki_followed *f, pki_contact *c);

/* Where it is at the configuration of the work: `moved`. */
void pki_follow_measure(const pki_work *w, int lane, pki_followed *f);

/* Rows at the configuration of the work: the contact's point goes there. `offset` by the twists in the work, which are those of the motion
 * that was measured. */
void pki_follow_rows(const pki_work *w, int lane, double dt, pki_followed *f, pki_contact *c);

#endif
