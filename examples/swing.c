/* Give a robot a push and watch its energy.
 *
 *   swing models/pendulum/pendulum.urdf
 */
#include <stdio.h>

#include <pronk/pronk.h>

static double energy_of(pk_sim *sim)
{
  pk_workspace *w = pk_sim_workspace(sim);
  pk_kinematics_compute(w, pk_sim_q(sim), pk_sim_u(sim));
  const pk_energy e = pk_energy_compute(w, pk_sim_u(sim));
  return e.kinetic + e.potential;
}

int main(int argc, char **argv)
{
  pk_model *model = NULL;
  pk_sim *sim = NULL;
  pk_error err;
  if (argc != 2) {
    fprintf(stderr, "usage: swing MODEL.urdf\n");
    return 2;
  }
  if (pk_model_load_urdf(argv[1], NULL, &model, &err) != PK_OK) {
    fprintf(stderr, "%s:%d: %s\n", err.file, err.line, err.message);
    return 2;
  }
  printf("%d links, %d degrees of freedom, %.3f kg\n", model->nlink, model->nu, model->mass);

  pk_sim_options options = pk_sim_options_default();
  options.dt = 1e-3;
  options.stepper = PK_STEPPER_RK4;
  if (pk_sim_create(model, &options, &sim, &err) != PK_OK) {
    fprintf(stderr, "%s\n", err.message);
    pk_model_destroy(model);
    return 1;
  }

  pk_sim_u(sim)[0] = 1; /* the push: 1 rad/s or 1 m/s of the first coordinate */
  const double start = energy_of(sim);
  pk_status status = PK_OK;
  for (int i = 0; i < 1000 && status == PK_OK; i++) {
    status = pk_sim_step(sim, NULL);
  }
  printf("after %.3f s: q[0] = %.6f, energy changed by %.1e J (%s)\n", pk_sim_time(sim), pk_sim_q(sim)[0],
         energy_of(sim) - start, pk_status_text(status));
  pk_sim_destroy(sim);
  pk_model_destroy(model);
  return status == PK_OK ? 0 : 1;
}
