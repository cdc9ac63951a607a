/* Queries between steps. */
#ifndef PKI_SIM_QUERY_H
#define PKI_SIM_QUERY_H

#include "step/world.h"

/* The model's shapes made ready, and what overlaps at the initial pose released; and the end of it. */
pk_status pki_sim_collide_init(pk_sim *sim, pk_error *err);
void pki_sim_collide_free(pk_sim *sim);

/* How deep links overlap before they are released, as a part of the world's length. */
static const double PKI_OVERLAP = 1e-6;

/* Pairs of links whose meshes overlap in the initial pose, or in nearly all poses, do not collide (exclude.c). The world is in its
 * first state before and after. */
pk_status pki_sim_exclude_by_design(pk_sim *sim, pk_error *err);

/* All colliders at the sim's configuration, unless they are there. Leaves kinematics there in the workspace. */
void pki_sim_place(pk_sim *sim);

/* The height of the ground at a place (x, y), m, the highest of what lies below the sky; false: there is none. Robots are not
 * ground. */
bool pki_sim_ground_height(pk_sim *sim, const double place[2], double *height);

/* Links of different robots, and links and the ground (link -1), that collide and overlap by more than `least` m as the world stands, at
 * most `most` into `out`; returns how many, -1: no memory. */
int pki_sim_intrusions(pk_sim *sim, double least, pk_sim_overlap_pair *out, int most);

/* PK_OK when two sims are of one model: of the same, or of equal ones, in what moves and in what collides; otherwise
 * PK_ERROR_ARGUMENT at `field`, where `what` names the other sim. */
pk_status pki_sim_match(const pk_sim *sim, const pk_sim *other, const char *field, const char *what,
                        pk_error *err);

/* Whether two sims of one model have the same ground, materials, surfaces, pairs and rules of who collides. */
bool pki_sim_collides_as(const pk_sim *sim, const pk_sim *other);

#endif
