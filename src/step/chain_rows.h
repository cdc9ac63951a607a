/* The rows of one world on chains of unknowns (contact/rows/assembly.h): for what slots (kernels/rows.h) have no room for. Any number of
 * bodies and contacts; loops, cut and mimic joints; restitution; every law and every solver. The stages of kernels/step.c call these
 * through a table (kernels/row_store.h, kernels/chains.h), with one lane; the active set, command lines, joint friction, limits and
 * the rounds of a step are theirs.
 *
 * Velocities. With M~ = M + dt (d + g) the mass matrix that damping and gains are part of, u_f the velocity without impulses
 * and J the rows,
 *
 *   u_E = u_f + inv(M~) J' r,   xi = J u_f + eps J u_S + J inv(M~) J' r
 *
 * and r obeys the laws of pronk/contact.h. In the stabilised scheme a contact that is still open by a gap may close it, but not more:
 * its normal velocity counts from -gap/reach, reach being the time that the configuration still moves with u_E. A negative gap
 * never enters.
 *
 * Positions. What the velocities left below zero is projected out: min 1/2 D' M~ D with g + J_N D >= 0, and J_T D = 0 where feet
 * stick. Velocities stay as they are. */
#ifndef PKI_STEP_CHAIN_ROWS_H
#define PKI_STEP_CHAIN_ROWS_H

#include "step/world.h"

/* Of a model with constraints: their rows at the configuration q, where the workspace is already or not, and joint coordinates into
 * x [n]. */
void pki_chain_place_joints(pk_sim *sim, const double *q, bool placed, double *x);

/* Contact by a law that has forces (pki_law.force) at q and the state's velocities: out [nu] += J' lambda. */
pk_status pki_chain_add_forces(pk_sim *sim, const double *q, double *out, pk_step_info *info);

/* Compliant pairs of an explicit step, likewise. */
pk_status pki_chain_add_patches(pk_sim *sim, const double *q, double *out, pk_step_info *info);

/* What cut joints add to M; after g->joint.gain. */
void pki_chain_weigh_joints(pk_sim *sim, const pki_group *g);

/* u_free where nothing can be a row, in linear time and without a factor of M~; false: nothing was done. */
bool pki_chain_smooth_velocity(pk_sim *sim, pki_group *g, const double *q);

/* u_free from dt times the forces in it, the factor of M~ with the constraints in it, and g->drive; after `inertial`. */
void pki_chain_free_velocity(pk_sim *sim, pki_group *g);

/* The same with the slopes of compliant pairs as they are now, from M and drive of before. */
void pki_chain_stiffen(pk_sim *sim, pki_group *g);

/* The velocity u_free where nothing is a row, slopes of compliant pairs of moving bodies in it. */
void pki_chain_correct(pk_sim *sim, double *u);

/* Whether the laws of compliant pairs hold at u_end; if not, M~ and u_free are those of another linearisation: true. */
bool pki_chain_press(pk_sim *sim, pki_group *g, pk_step_info *info);

/* Contacts at q into contact.found, with their speeds at the start of the step. */
pk_status pki_chain_find(pk_sim *sim, pki_group *g, const double *q, pk_step_info *info);

/* A contact that is open waits until it has closed: the scheme as published, and impacts. */
bool pki_chain_waits(const pk_sim *sim, int contact);

/* The rows of the active set. */
bool pki_chain_has_rows(const pk_sim *sim, const pki_group *g);
void pki_chain_assemble(pk_sim *sim, const pki_group *g);

/* Impulses, which are kept for the next step; without any rows: none are. */
void pki_chain_solve(pk_sim *sim, pk_step_info *info);
void pki_chain_keep_nothing(pk_sim *sim);

/* u_E = u_f + inv(M~) J' r */
void pki_chain_respond(pk_sim *sim, const pki_group *g);

/* Gap at the start, friction and impulse of a contact that was found, after a solution; left as they are where it has no row. */
void pki_chain_load(const pk_sim *sim, int contact, double *gap, double *mu, double r[3]);

/* Problems of velocities that were solved until now are not the step's own: only what follows counts. */
void pki_chain_forget_certificate(pk_step_info *info);

/* Impulses and velocities of the step stand: what is left to say of them. */
void pki_chain_finish(pk_sim *sim, const pki_group *g, pk_step_info *info);

/* What the problems of velocities and of positions have in common (chain_positions.c). A row on joint coordinate k, its impulse between
 * bounds; the form of the problem that the options' solver reads, positions being solved by `auto` where it would need factors; the
 * assembled problem by that solver, once, as it is: the worst certificate of the step is kept, and where the tolerance is not met the
 * best impulses stand and the step is not certified. */
void pki_chain_add_joint(pk_sim *sim, int k, double sign, double lower, double upper, double compliance);
pki_form pki_chain_form(const pk_sim *sim, bool positions);
void pki_chain_solve_assembled(pk_sim *sim, bool velocities, pk_step_info *info);

/* Contacts at the workspace's configuration within a margin, for projections; contacts by forces are no rows: how deep they are goes
 * to *sunk. */
pk_status pki_chain_find_at_end(pk_sim *sim, double margin, double *sunk, pk_step_info *info);

/* Constraints are closed as well as projections make them. */
bool pki_chain_is_closed(const pk_sim *sim, const pk_step_info *info);

/* Move q by the shortest way, in the measure of M~, to where the constraints, what was found, and joint limits nearer than `band`
 * hold. */
void pki_chain_project(pk_sim *sim, pki_group *g, double band, double *q, pk_step_info *info);

#endif
