/* Joints as a step sees them, whatever coordinates the world is computed in.
 *
 * Joint coordinate k belongs to the joint model: the model itself, or its tree when joints are cut. It is either one of
 * the world's own velocities, or a drive of a cut joint (contact/rows/bilateral.h). Commands, limits, friction and what
 * controllers see are all counted so. */
#ifndef PKI_STEP_JOINTS_H
#define PKI_STEP_JOINTS_H

#include "step/world.h"

/* Take the arrays from an arena; with a counting arena this counts. */
void pki_sim_joints_carve(pki_sim_joints *j, const pk_model *model, pki_arena *arena);

/* What each joint moves; once, when rotors are part of the work. */
void pki_sim_joints_weigh(pk_sim *sim);

/* Turns count on from the model's initial pose. */
void pki_sim_joints_reset(pk_sim *sim);

/* Joint coordinates of the state, into j->q and j->u. */
void pki_joints_observe(pk_sim *sim);

/* Of a model with constraints: their rows at the workspace's configuration q, and joint coordinates (where dof_q has one) into
 * x [n]. */
void pki_joints_update(pk_sim *sim, const double *q, double *x);

/* Joint velocities [n] of velocities u: u itself, or `out`. After pki_joints_update. */
const double *pki_joint_rates(const pk_sim *sim, const double *u, double *out);

/* The largest rate of a bilateral row. After pki_joints_update. */
double pki_bilateral_rate(const pk_sim *sim, const double *u);

/* The largest gap of a bilateral constraint. After pki_joints_update. */
double pki_bilateral_gap(const pk_sim *sim);

/* Rotors behind rigid gears join the inertia of joints in a work of the sim's model. */
void pki_add_rotors(const pk_sim *sim, pki_work *work);

/* ---- impulses of constraints that are eliminated ---- */

/* The first solve of u_free with the factor has been made. */
void pki_held_begin(pk_sim *sim);

/* What redundant rows have left of their rates in u is taken out; its impulses join `held`. */
void pki_held_refine(pk_sim *sim, double *u, double *held);

/* The response to the impulses of all other rows has been found: those of u_end. The step ends at u_free: those of u_free. */
void pki_held_respond(pk_sim *sim);
void pki_held_end_free(pk_sim *sim);

/* They are the world's, where no solver has found them. */
void pki_held_keep(pk_sim *sim);

#endif
