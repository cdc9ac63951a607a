/* StarLETH stands on a plane, its legs held by gains, and the ground says how much it carries.
 *
 *   stand models/starleth/starleth.urdf
 */
#include <math.h>
#include <stdio.h>

#include <pronk/pronk.h>

/* Bend the legs and hold them there. */
static void hold_legs(pk_sim *sim)
{
  const pk_model *m = pk_sim_model(sim);
  for (int j = 0; j < m->njoint; j++) {
    const int leg = j / 3, fore = leg < 2 ? 1 : -1; /* LF, RF, LH, RH: HAA, HFE, KFE each */
    const double angles[3] = {0, 0.6 * fore, -1.2 * fore};
    const pk_model_joint *joint = &m->joints[j];
    pk_sim_q(sim)[joint->q] = angles[j % 3];
    pk_sim_commands(sim)[joint->u] =
        (pk_command){.q_des = angles[j % 3], .kp = 200, .kd = 5, .tau_max = joint->effort};
  }
}

int main(int argc, char **argv)
{
  pk_model *model = NULL;
  pk_sim *sim = NULL;
  pk_error err;
  pk_terrain *ground = NULL;
  const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
  const pk_material rubber = {.friction = 0.8};
  if (argc != 2) {
    fprintf(stderr, "usage: stand models/starleth/starleth.urdf\n");
    return 2;
  }
  if (pk_model_load_urdf(argv[1], NULL, &model, &err) != PK_OK || model->njoint != 12 ||
      pk_terrain_create(&ground, &err) != PK_OK ||
      pk_terrain_add_plane(ground, origin, up, 0, &err) != PK_OK ||
      pk_sim_create(model, NULL, &sim, &err) != PK_OK ||
      pk_sim_set_terrain(sim, ground, &rubber, 1, &err) != PK_OK) {
    fprintf(stderr, "%s\n", model && model->njoint != 12 ? "this robot has not twelve joints" : err.message);
    return 2;
  }
  pk_sim_q(sim)[2] = 0.48; /* a little above its stance */
  hold_legs(sim);

  pk_step_info info = {0};
  pk_status status = PK_OK;
  double worst = 0;
  for (int i = 0; i < 3000 && status == PK_OK; i++) {
    status = pk_sim_step(sim, &info);
    worst = fmax(worst, info.certificate.relative);
  }
  printf("after %.1f s: trunk at %.4f m, worst certificate %.1e (%s)\n", pk_sim_time(sim), pk_sim_q(sim)[2],
         worst, pk_status_text(status));

  /* the ground alone: a leg that touches the trunk carries nothing */
  pk_sim_contact contacts[16];
  const int count = pk_sim_contacts(sim, contacts, 16);
  const double dt = pk_sim_options_default().dt;
  for (int i = 0; i < count && i < 16; i++) {
    if (contacts[i].other_link < 0) {
      printf("  %-8s %6.2f N\n", model->links[contacts[i].link].name, contacts[i].impulse[2] / dt);
    }
  }
  pk_sim_destroy(sim);
  pk_terrain_destroy(ground);
  pk_model_destroy(model);
  return status == PK_OK ? 0 : 1;
}
