/* The ground of a scenario while it is made. */
#ifndef PKI_SCENARIO_SECTION_TERRAIN_H
#define PKI_SCENARIO_SECTION_TERRAIN_H

#include "pronk/collision.h"
#include "scenario/scenario.h"

/* How many heights the functions of one scenario may make, so that few letters do not fill a machine. */
enum { PKI_GROUND_GENERATED = 1 << 21 };

typedef struct pki_ground_maker {
  const pki_scenario *scenario;
  pk_terrain *terrain;
  double generated; /* heights by functions so far */
  uint64_t hash;    /* of what the scenario's files gave so far */
} pki_ground_maker;

/* Solids from files: a mesh or its hull; heights from a list, a file or a function. */
pk_status pki_ground_mesh(pki_ground_maker *maker, const pki_node *node, const pki_ground_solid *solid,
                          const pk_pose *pose, int material, pk_error *err);
pk_status pki_ground_heights(pki_ground_maker *maker, const pki_node *node, const pki_ground_solid *solid,
                             const pk_pose *pose, int material, pk_error *err);

#endif
