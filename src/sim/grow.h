/* Room for contacts. A step allocates nothing; one that meets more contacts than there is room for fails, and where the room
 * was left to the model it is made larger and the step is made again: its user does not see it. */
#ifndef PKI_SIM_GROW_H
#define PKI_SIM_GROW_H

#include "step/world.h"

/* All that has room for max_contacts, from an arena. */
void pki_room_carve(pk_sim *sim, const pk_model *model, const pk_sim_options *options, pki_arena *arena);

/* Room for `wanted` contacts or more, for a sim that grows, between steps; what the world remembers stays. False: the sim's
 * room is given, the law allows no more, or there is no memory; all is as it was. */
bool pki_room_grow(pk_sim *sim, int wanted);

#endif
