/* Small worlds for tests of contact: one free solid, a tilted ground, StarLETH. Whatever fails to be made fails the
 * test. */
#ifndef PK_TESTS_WORLD_H
#define PK_TESTS_WORLD_H

#include "pronk/sim.h"

/* One free solid with one collision shape, its moments along its axes. */
pk_model *solid_model(pk_shape_kind kind, const double size[3], double mass, const double moment[3]);

/* Several free solids, named b0_solid, b1_solid, ...; gravity NULL: down. */
typedef struct free_solid {
  pk_shape_kind kind;
  double size[3], mass, moment[3];
  const pk_mesh *mesh;
} free_solid;
pk_model *solids_model(const free_solid *solids, int n, const double gravity[3]);

/* The half-space below a plane through the origin, tilted about y: downhill is +x. */
pk_terrain *slope_terrain(double angle);

/* A world on that ground, all of one material. */
pk_sim *start_world(const pk_model *m, const pk_terrain *t, pk_material material, const pk_sim_options *o);

pk_model *starleth_model(void);

/* Its legs bent, the trunk at that height; commands hold the pose (kp 200, kd 5, 30 N m) when `held`. */
void starleth_pose(pk_sim *sim, double height, bool held);

/* One step; it must succeed. */
pk_step_info must_step(pk_sim *sim);

/* The largest |u|. */
double fastest(pk_sim *sim);

#endif
