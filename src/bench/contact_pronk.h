/* Pronk behind the table that its peers use. */
#ifndef PKI_BENCH_CONTACT_PRONK_H
#define PKI_BENCH_CONTACT_PRONK_H

#include "bench/contact_peer.h"
#include "pronk/sim.h"

const pki_contact_peer *pki_contact_pronk(void);

/* A world of the scene at its start, commands set but for their targets; options but for dt and limits are the caller's.
 * The ground must outlive it; both are NULL after a failure. */
pk_status pki_contact_sim_create(const pki_contact_scene *scene, const pk_sim_options *options,
                                 pk_terrain **ground, pk_sim **sim, pk_error *err);

/* The scene's gains and largest torques as commands [nu]. */
void pki_contact_set_gains(const pki_contact_scene *scene, pk_command *commands);

#endif
