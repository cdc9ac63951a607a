/* What joints carry: the force and moment by which each body, and all that hangs on it, is held.
 *
 * The inward pass of inverse dynamics (pki_kernels.rnea) leaves in work.force, for each body, what its own motion and that of all that it
 * carries take: sums of m (dv - g) and their moments about the body's origin, world axes. Each force from outside relieves the joints
 * between the body that it acts on and the root:
 *
 *   f_i = sum over j in the subtree of i of (m_j (dv_j - g) - f_outside_j)
 *
 * and likewise for moments. Along the axis of a joint this is the force of its motor less what the rotor's own inertia and friction take;
 * the other components are those of its bearing. */
#ifndef PKI_SENSE_LOADS_H
#define PKI_SENSE_LOADS_H

#include "sense/frames.h"

/* A force at a point and a moment (NULL: none), world, act on a body from outside. A body of -1 is the world: nothing. */
void pki_relieve_body(pk_workspace *w, int body, const double point[3], const double force[3],
                      const double moment[3]);

/* All contacts, whose impulses acted over dt. */
void pki_relieve_contacts(pk_workspace *w, const pk_sim_contact *contacts, int ncontact, double dt);

/* Moment about a point, then force, world axes, by which a body is held. */
void pki_load_at(const pk_workspace *w, int body, const double point[3], double load[6]);

/* The same of a link. One that is fixed to the link of its body is held within the body: forces from outside that are known by their
 * bodies alone, and mass that a world adds, count there for the link that has the body's name. */
void pki_held_wrench(const pk_workspace *w, const pk_sim_contact *contacts, int ncontact, double dt, int link,
                     const double point[3], double load[6]);

#endif
