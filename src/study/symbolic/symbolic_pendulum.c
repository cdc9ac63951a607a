/* Table 1 and Fig. 3 with the accelerations of generated code, and of the generic kernels in the same run. */
#include <math.h>
#include <stdio.h>

#include "study/symbolic/symbolic.h"

static const char *const ways[2] = {"generic kernels", "generated code"};

static double steps_of(const pki_pendulum_case *c)
{
  return c->duration / c->dt;
}

static bool is_left_out(const pki_symbolic_data *d, int step)
{
  return d->quick && step == PKI_PENDULUM_STEPS - 1;
}

/* Steps of one model with one kind of accelerations. */
static double work_of(const pki_symbolic_data *d, int bodies)
{
  const pki_pendulum_case rotation = pki_pendulum_rotation_case();
  double work = bodies == rotation.bodies ? steps_of(&rotation) : 0;
  for (int s = 0; s < PKI_PENDULUM_STEPS; s++) {
    const pki_pendulum_case c = pki_pendulum_table_case(bodies, s);
    work += is_left_out(d, s) ? 0 : steps_of(&c);
  }
  return work;
}

double pki_symbolic_swing_work(const pki_symbolic_data *d)
{
  return 2 * (work_of(d, 1) + work_of(d, 2));
}

static pk_status run_pendulum(const pk_model *model, const pki_pendulum_case *c, pki_pendulum_cell *out,
                              pki_pendulum_history *history, pki_study_progress *j, pk_error *err)
{
  snprintf(j->what, sizeof j->what, "%s pendulum by %s, step %g", c->bodies == 1 ? "single" : "double",
           ways[c->code != NULL], c->dt);
  const pki_study_watch watch = pki_study_part_begin(j, steps_of(c));
  const pk_status status = pki_pendulum_measure(model, c, &watch, out, history, err);
  pki_study_part_end(j);
  return status;
}

/* One model with one kind of accelerations: its cells, and the revolutions of the double pendulum. */
static pk_status swing_all(pki_symbolic_data *d, const pk_model *model, int bodies, const pk_code *code,
                           pki_study_progress *j, pk_error *err)
{
  const int way = code != NULL;
  pki_pendulum_cell *cells = (way ? d->generated : d->generic)[bodies - 1];
  pk_status status = PK_OK;
  for (int s = 0; s < PKI_PENDULUM_STEPS && status == PK_OK; s++) {
    pki_pendulum_case c = pki_pendulum_table_case(bodies, s);
    c.code = code;
    if (!is_left_out(d, s)) {
      status = run_pendulum(model, &c, &cells[s], NULL, j, err);
    }
  }
  if (status == PK_OK && bodies == 2) {
    pki_pendulum_cell unused;
    pki_pendulum_case c = pki_pendulum_rotation_case();
    c.code = code;
    status = pki_pendulum_history_create(&d->rotation[way], (int)lround(steps_of(&c)) + 1, err);
    status = status == PK_OK ? run_pendulum(model, &c, &unused, &d->rotation[way], j, err) : status;
    d->period_error[way] = pki_pendulum_period_error(&d->rotation[way], d->period);
  }
  return status;
}

pk_status pki_symbolic_swing(pki_symbolic_data *d, pki_study_progress *progress, pk_error *err)
{
  d->period = pki_pendulum_rotation_period();
  d->period_error[0] = d->period_error[1] = NAN;
  for (int i = 0; i < 2 * PKI_PENDULUM_STEPS; i++) {
    const pki_pendulum_cell none = {NAN, NAN, NAN};
    d->generic[i / PKI_PENDULUM_STEPS][i % PKI_PENDULUM_STEPS] = none;
    d->generated[i / PKI_PENDULUM_STEPS][i % PKI_PENDULUM_STEPS] = none;
  }
  pk_status status = PK_OK;
  for (int bodies = 1; bodies <= 2 && status == PK_OK; bodies++) {
    pk_model *model = NULL;
    pk_code *code = NULL;
    pk_error why = {0}; /* the engines of Fig. 4 say it already */
    status = pki_pendulum_load(bodies, &model, err);
    status = status == PK_OK ? swing_all(d, model, bodies, NULL, progress, err) : status;
    if (status == PK_OK && pk_code_open(model, NULL, &code, &why) == PK_OK) {
      status = swing_all(d, model, bodies, code, progress, err);
      pk_code_close(code);
    } else if (status == PK_OK) {
      pki_study_part_begin(progress, work_of(d, bodies));
      pki_study_part_end(progress);
    }
    pk_model_destroy(model);
  }
  return status;
}
