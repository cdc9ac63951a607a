/* Ground from a file or from a function, and what a profile across it looks like.
 *
 *   ground                                  dunes
 *   ground scenarios/ground/hills.csv 0.1   heights from a file (PNG, text), 0.1 m apart
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pronk/pronk.h>

static double dune(double x, double y, void *user)
{
  return *(double *)user * sin(3 * x) * cos(2 * y);
}

int main(int argc, char **argv)
{
  double high = 0.1;
  pk_heights heights;
  pk_error err;
  pk_status status;
  if (argc == 3) {
    pk_heights_options options = pk_heights_options_default();
    options.cell = atof(argv[2]);
    status = pk_heights_load(argv[1], &options, &heights, &err);
  } else {
    status = pk_heights_sample(81, 61, 0.05, dune, &high, &heights, &err);
  }
  pk_terrain *ground = NULL;
  status = status == PK_OK ? pk_terrain_create(&ground, &err) : status;
  if (status == PK_OK) {
    const double corner[3] = {0, 0, 0};
    status = pk_terrain_add_heights(ground, corner, heights.nx, heights.ny, heights.cell, heights.z, 0, &err);
    pk_heights_free(&heights);
  }
  /* a log lies across it */
  const pk_pose pose = pk_pose_from_xyz_rpy((double[3]){2, 1.5, 0.1}, (double[3]){acos(0), 0, 0});
  const pk_geometry_desc cylinder = {.kind = PK_SHAPE_CYLINDER, .size = {0.1, 2}};
  if (status == PK_OK) {
    status = pk_terrain_add_geometry(ground, &pose, &cylinder, 0, &err);
  }
  if (status != PK_OK) {
    fprintf(stderr, "%s: %s\n", err.file, err.message);
    pk_terrain_destroy(ground);
    return 2;
  }
  for (double x = 0; x <= 4; x += 0.25) {
    const pk_terrain_hit hit = pk_terrain_query(ground, (double[3]){x, 1.5, 0.5}, INFINITY);
    printf("from (%.2f, 1.50, 0.50): %.3f m to the ground, normal (%5.2f, %5.2f, %5.2f)\n", x, hit.distance,
           hit.normal[0], hit.normal[1], hit.normal[2]);
  }
  pk_terrain_destroy(ground);
  return 0;
}
