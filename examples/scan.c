/* A height scan: rays down from a grid around the robot's trunk, as a locomotion controller sees stairs before it.
 *
 *   scan models/starleth/starleth.urdf
 */
#include <stdio.h>

#include <pronk/pronk.h>

enum { ROWS = 9, COLUMNS = 13 };

int main(int argc, char **argv)
{
  pk_model *model = NULL;
  pk_sim *sim = NULL;
  pk_error err;
  pk_terrain *ground = NULL;
  const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1}, foot[3] = {0.5, 0, 0};
  if (argc != 2) {
    fprintf(stderr, "usage: scan ROBOT.urdf\n");
    return 2;
  }
  if (pk_model_load_urdf(argv[1], NULL, &model, &err) != PK_OK || pk_terrain_create(&ground, &err) != PK_OK ||
      pk_terrain_add_plane(ground, origin, up, 0, &err) != PK_OK ||
      pk_terrain_add_stairs(ground, foot, 0.25, 0.1, 2, 3, 0, &err) != PK_OK ||
      pk_sim_create(model, NULL, &sim, &err) != PK_OK ||
      pk_sim_set_terrain(sim, ground, NULL, 0, &err) != PK_OK) {
    fprintf(stderr, "%s\n", err.message);
    return 2;
  }
  pk_sim_q(sim)[2] = 0.48;

  /* heights before and beside it, m; the trunk itself is transparent, legs are not: '*' */
  const double down[3] = {0, 0, -1}, top = 2;
  for (int j = ROWS - 1; j >= 0; j--) {
    for (int i = 0; i < COLUMNS; i++) {
      const double from[3] = {0.1 * i, 0.1 * (j - ROWS / 2), top};
      pk_ray_hit hit;
      if (pk_sim_ray(sim, from, down, 10, 0, &hit)) {
        printf(" %5.2f%c", top - hit.distance, hit.link >= 0 ? '*' : ' ');
      } else {
        printf("   --  ");
      }
    }
    putchar('\n');
  }
  pk_sim_destroy(sim);
  pk_terrain_destroy(ground);
  pk_model_destroy(model);
  return 0;
}
