/* A thousand StarLETHs fall on a plane, each in its own way, and most of them stand in the end.
 *
 *   batch models/starleth/starleth.urdf
 */
#include <math.h>
#include <stdio.h>

#include <pronk/pronk.h>

enum { WORLDS = 1024, STEPS = 400 };

/* Numbers between -1 and 1 that look random, the same in every run. */
static double noise(unsigned *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* Legs bent and held, the trunk somewhere above its stance, a little tilted. */
static void place(const pk_model *m, pk_batch *batch, int k)
{
  unsigned seed = 7u + (unsigned)k;
  double *q = pk_batch_view_world(pk_batch_q(batch), k), *u = pk_batch_view_world(pk_batch_u(batch), k);
  pk_command *commands = (pk_command *)(void *)pk_batch_view_world(pk_batch_commands(batch), k);
  q[2] = 0.55 + 0.05 * noise(&seed);
  q[3] = 1, q[4] = 0.15 * noise(&seed), q[5] = 0.15 * noise(&seed);
  u[0] = 0.5 * noise(&seed), u[1] = 0.5 * noise(&seed);
  for (int j = 0; j < m->njoint; j++) {
    const int leg = j / 3, fore = leg < 2 ? 1 : -1; /* LF, RF, LH, RH: HAA, HFE, KFE each */
    const double angles[3] = {0, 0.6 * fore, -1.2 * fore};
    const pk_model_joint *joint = &m->joints[j];
    q[joint->q] = angles[j % 3] + 0.05 * noise(&seed);
    commands[joint->u] = (pk_command){.q_des = angles[j % 3], .kp = 200, .kd = 5, .tau_max = joint->effort};
  }
}

int main(int argc, char **argv)
{
  pk_model *model = NULL;
  pk_batch *batch = NULL;
  pk_error err;
  pk_terrain *ground = NULL;
  const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
  pk_batch_options options = pk_batch_options_default();
  options.worlds = WORLDS;
  options.sim.dt = 2.5e-3;
  if (argc != 2) {
    fprintf(stderr, "usage: batch models/starleth/starleth.urdf\n");
    return 2;
  }
  if (pk_model_load_urdf(argv[1], NULL, &model, &err) != PK_OK || model->njoint != 12 ||
      pk_terrain_create(&ground, &err) != PK_OK ||
      pk_terrain_add_plane(ground, origin, up, 0, &err) != PK_OK ||
      pk_batch_create(model, &options, &batch, &err) != PK_OK ||
      pk_batch_set_terrain(batch, ground, NULL, 0, &err) != PK_OK) {
    fprintf(stderr, "%s\n", model && model->njoint != 12 ? "this robot has not twelve joints" : err.message);
    return 2;
  }
  for (int k = 0; k < WORLDS; k++) {
    place(model, batch, k);
  }

  pk_batch_info info;
  pk_batch_step(batch, STEPS, &info);
  int standing = 0;
  for (int k = 0; k < WORLDS; k++) {
    const double *q = pk_batch_view_world(pk_batch_q(batch), k);
    standing += q[2] > 0.3 && fabs(q[4]) < 0.3 && fabs(q[5]) < 0.3;
  }
  printf("%lld steps on %d lanes, %.1f %% of them alone\n", info.stepped, pk_batch_lanes(batch),
         100.0 * (double)info.alone / (double)info.stepped);
  printf("after %.1f s %d of %d stand; worst certificate %.1e in world %d, %lld steps above the tolerance, "
         "%d frozen\n",
         pk_batch_world_time(batch, 0), standing, WORLDS, info.worst, info.worst_world, info.uncertified,
         info.frozen);
  pk_batch_destroy(batch);
  pk_terrain_destroy(ground);
  pk_model_destroy(model);
  return info.frozen == 0 ? 0 : 1;
}
