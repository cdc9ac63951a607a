/* Is there room? A box is moved along the ground beside a robot; what it would overlap is told.
 *
 *   overlap models/starleth/starleth.urdf
 */
#include <stdio.h>

#include <pronk/pronk.h>

int main(int argc, char **argv)
{
  pk_model *model = NULL;
  pk_sim *sim = NULL;
  pk_geometry *box = NULL;
  pk_error err;
  pk_terrain *ground = NULL;
  const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
  const pk_geometry_desc desc = {.kind = PK_SHAPE_BOX, .size = {0.2, 0.2, 0.2}};
  if (argc != 2) {
    fprintf(stderr, "usage: overlap ROBOT.urdf\n");
    return 2;
  }
  if (pk_model_load_urdf(argv[1], NULL, &model, &err) != PK_OK || pk_terrain_create(&ground, &err) != PK_OK ||
      pk_terrain_add_plane(ground, origin, up, 0, &err) != PK_OK ||
      pk_sim_create(model, NULL, &sim, &err) != PK_OK ||
      pk_sim_set_terrain(sim, ground, NULL, 0, &err) != PK_OK ||
      pk_geometry_create(&desc, &box, &err) != PK_OK) {
    fprintf(stderr, "%s\n", err.message);
    return 2;
  }
  pk_sim_q(sim)[2] = 0.48;

  for (int i = 0; i <= 5; i++) {
    pk_pose pose = pk_pose_identity();
    pose.pos[0] = 0.2 * i;
    pose.pos[2] = i < 5 ? 0.45 : 0.05; /* the last one stands in the ground */
    int found[16];
    const int count = pk_sim_overlap(sim, box, &pose, found, 16);
    printf("a box at (%.1f, 0, %.2f): %s", pose.pos[0], pose.pos[2], count == 0 ? "free" : "");
    for (int k = 0; k < count && k < 16; k++) {
      printf("%s%s", k > 0 ? ", " : "",
             found[k] >= 0 ? model->links[model->shapes[found[k]].link].name : "the ground");
    }
    putchar('\n');
  }
  pk_geometry_destroy(box);
  pk_sim_destroy(sim);
  pk_terrain_destroy(ground);
  pk_model_destroy(model);
  return 0;
}
