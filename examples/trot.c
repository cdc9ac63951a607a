/* StarLETH trots, and every step is certified.
 *
 *   trot models/starleth/starleth.urdf
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pronk/pronk.h>

static void check(pk_status status, const pk_error *err)
{
  if (status != PK_OK) {
    fprintf(stderr, "%s: %s\n", pk_status_text(status), err->message);
    exit(2);
  }
}

/* Hips 0.41 m above the foot points: hind legs bend the other way. */
static void stand_up(pk_sim *sim)
{
  const pk_model *m = pk_sim_model(sim);
  pk_sim_q(sim)[2] = 0.435;
  for (int j = 0; j < m->njoint; j++) {
    const double fore = j < 6 ? 1 : -1, angles[3] = {0, 0.73431 * fore, -1.34115 * fore};
    pk_sim_q(sim)[m->joints[j].q] = angles[j % 3];
  }
}

int main(int argc, char **argv)
{
  pk_error err = {0};
  pk_model *model = NULL;
  pk_sim *sim = NULL;
  pk_controller *trot = NULL;
  pk_terrain *ground = NULL;
  const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
  if (argc != 2) {
    fprintf(stderr, "usage: trot models/starleth/starleth.urdf\n");
    return 2;
  }
  check(pk_terrain_create(&ground, &err), &err);
  check(pk_terrain_add_plane(ground, origin, up, 0, &err), &err);
  pk_sim_options options = pk_sim_options_default();
  pk_locomotion_options gait = pk_locomotion_options_default();
  options.dt = 2.5e-3;
  gait.gait = PK_GAIT_TROT;
  gait.forward = 0.3; /* m/s */

  pk_step_info info;
  double worst = 0;
  check(pk_model_load_urdf(argv[1], NULL, &model, &err), &err);
  check(pk_locomotion_create(model, &gait, &trot, &err), &err);
  check(pk_sim_create(model, &options, &sim, &err), &err);
  check(pk_sim_set_terrain(sim, ground, NULL, 0, &err), &err);
  check(pk_sim_set_controller(sim, trot, &err), &err);
  stand_up(sim);
  while (pk_sim_time(sim) < 10 && pk_sim_step(sim, &info) == PK_OK) {
    worst = fmax(worst, info.certificate.relative);
  }
  printf("%.2f m in %.0f s, %lld steps not certified, the worst %.0e\n", pk_sim_q(sim)[0], pk_sim_time(sim),
         pk_sim_uncertified(sim), worst);
  pk_sim_destroy(sim);
  pk_locomotion_destroy(trot);
  pk_terrain_destroy(ground);
  pk_model_destroy(model);
  return 0;
}
