/* What may differ from world to world of one model: inertias of bodies, a factor on friction, latency of commands.
 *
 * Inertias stand in the parameter block that the kernels read (dynamics/kernels.h), and beside them regrouped for a model's own
 * code: that is done once, when they are set. Controllers are shown the model's: what
 * differs in a world is what they do not know.
 *
 * Which inertias are allowed. A body is possible when its mass is positive and its moments about the centre of mass obey
 * the rules of solids. That all can move is a statement about the whole tree (model/masses.c), which the model
 * has passed. With S the spatial inertia of a body and S_0 the model's, S >= eps S_0 for every body gives M >= eps M_0 and,
 * Schur complements being monotone, articulated inertias that are at least eps times the model's: what could
 * move still can, followers and constraints included. So each body is checked by itself, against its own S_0, eps = 1e-3. */
#ifndef PKI_SIM_PARAMETERS_H
#define PKI_SIM_PARAMETERS_H

#include "step/world.h"

/* All parameters of a world as numbers, which were those of a world of the same model and options: how many, out, in.
 * Commands on their way are state and not among them. */
size_t pki_parameters_size(const pk_sim *sim);
void pki_parameters_save(const pk_sim *sim, double *out);
void pki_parameters_load(pk_sim *sim, const double *in);

/* Another choice of the option `code` for a sim that is there. */
pk_status pki_sim_use_code(pk_sim *sim, const pk_code *code, pk_error *err);

/* Steps for which commands are kept; 0: all act at once. */
int pki_latency_room(const pk_sim_options *options);

/* Commands on their way (pki_sim_state.queue). */
typedef struct pki_latency {
  pk_command *queue;
  int room, late; /* steps that are kept; from command to action, less than room */
} pki_latency;

/* The commands of a step set out; those that arrive come back. */
const pk_command *pki_latency_through(const pki_latency *l, const pk_command *commands, int joints,
                                      long long step);

/* The same of a sim: they act. */
void pki_latency_pass(pk_sim *sim);

#endif
