/* Let the wind blow at a pendulum: a force of one's own that depends on the state, and what the hinge carries.
 *
 *   wind models/pendulum/pendulum.urdf
 */
#include <stdio.h>
#include <stdlib.h>

#include <pronk/pronk.h>

typedef struct wind {
  int link;
  double centre[3]; /* m, in the link's frame: where the wind takes hold */
  double speed[3];  /* m/s, of the air */
  double drag;      /* N s/m */
} wind;

/* Called within the step, by rk4 four times: drag against the velocity of the air. */
static void blow(void *user, pk_sim *sim, double time, const double *q, const double *u)
{
  const wind *w = user;
  double v[3], force[3];
  (void)time, (void)q, (void)u; /* the workspace is at q and u */
  pk_link_point_velocity(pk_sim_workspace(sim), w->link, w->centre, v);
  for (int k = 0; k < 3; k++) {
    force[k] = w->drag * (w->speed[k] - v[k]);
  }
  pk_sim_push(sim, w->link, w->centre, force);
}

int main(int argc, char **argv)
{
  pk_model *model = NULL;
  pk_sim *sim = NULL;
  pk_error err;
  if (argc != 2) {
    fprintf(stderr, "usage: wind MODEL.urdf\n");
    return 2;
  }
  if (pk_model_load_urdf(argv[1], NULL, &model, &err) != PK_OK) {
    fprintf(stderr, "%s:%d: %s\n", err.file, err.line, err.message);
    return 2;
  }
  pk_sim_options options = pk_sim_options_default();
  options.stepper = PK_STEPPER_RK4;
  double *loads = malloc(6 * (size_t)(model->njoint + 1) * sizeof *loads);
  if (loads == NULL || pk_sim_create(model, &options, &sim, &err) != PK_OK) {
    fprintf(stderr, "%s\n", loads == NULL ? "out of memory" : err.message);
    free(loads);
    pk_model_destroy(model);
    return 1;
  }

  wind breeze = {.link = model->nlink - 1, .centre = {0, 0, -1}, .speed = {2, 0, 0}, .drag = 1.5};
  pk_sim_set_force(sim, blow, &breeze);
  pk_status status = PK_OK;
  for (int i = 0; i < 60000 && status == PK_OK; i++) {
    status = pk_sim_step(sim, NULL);
  }
  pk_sim_joint_loads(sim, loads); /* at rest: drag times speed across, weight along */
  printf("after %.0f s: q[0] = %.6f, the first joint carries (%.3f, %.3f, %.3f) N (%s)\n", pk_sim_time(sim),
         pk_sim_q(sim)[0], loads[0], loads[1], loads[2], pk_status_text(status));
  free(loads);
  pk_sim_destroy(sim);
  pk_model_destroy(model);
  return status == PK_OK ? 0 : 1;
}
