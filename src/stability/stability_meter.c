/* The stability of a robot of a sim, step by step. */
#include <stdlib.h>
#include <string.h>

#include "stability/stability.h"
#include "step/world.h"

struct pk_stability_meter {
  pk_sim *sim;
  int robot;
  pk_stability_options options;
  pk_stability now;
  pk_stability_sum sum;
  double *u, *a; /* [nu] velocities at the start of the step that comes next; their rates */
};

pk_status pk_stability_meter_create(pk_sim *sim, int robot, const pk_stability_options *options,
                                    pk_stability_meter **out, pk_error *err)
{
  const pk_stability_options o = options != NULL ? *options : pk_stability_options_default();
  *out = NULL;
  const pk_status status = pk_stability_options_validate(&o, err);
  if (status != PK_OK) {
    return status;
  }
  if (robot < 0 || robot >= sim->model->nrobot) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "robot"}, "robot is %d, expected 0 to %d",
                    robot, sim->model->nrobot - 1);
  }
  pk_stability_meter *m = calloc(1, sizeof *m);
  double *memory = calloc(2 * (size_t)sim->model->nu + 1, sizeof *memory);
  if (m == NULL || memory == NULL) {
    free(m);
    free(memory);
    return pki_fail_memory(err, "the stability meter");
  }
  m->sim = sim, m->robot = robot, m->options = o;
  m->u = memory, m->a = memory + sim->model->nu;
  pki_stability_clear(&m->now);
  pk_stability_meter_begin(m);
  *out = m;
  return PK_OK;
}

void pk_stability_meter_destroy(pk_stability_meter *m)
{
  if (m != NULL) {
    free(m->u);
    free(m);
  }
}

void pk_stability_meter_begin(pk_stability_meter *m)
{
  memcpy(m->u, m->sim->state.u, (size_t)m->sim->model->nu * sizeof *m->u);
}

const pk_stability *pk_stability_meter_step(pk_stability_meter *m)
{
  const double dt = m->sim->options.dt, *u = m->sim->state.u;
  for (int k = 0; k < m->sim->model->nu; k++) {
    m->a[k] = (u[k] - m->u[k]) / dt;
  }
  /* a state that cannot be measured leaves NAN, which sums skip */
  (void)pk_sim_stability(m->sim, m->robot, m->a, &m->options, &m->now, NULL);
  pk_stability_add(&m->sum, &m->now, pk_sim_time(m->sim), dt);
  pk_stability_meter_begin(m);
  return &m->now;
}

const pk_stability *pk_stability_meter_last(const pk_stability_meter *m)
{
  return &m->now;
}

pk_stability_sum *pk_stability_meter_sum(pk_stability_meter *m)
{
  return &m->sum;
}
