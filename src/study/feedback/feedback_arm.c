/* Table II: the arm under sinusoids. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "control/reference.h"
#include "pronk/gait.h"
#include "study/feedback/feedback.h"

static bool has_track(pki_feedback_arm_method method)
{
  return method != PKI_ARM_LIMP && method != PKI_ARM_TORQUE;
}

/* ---- kinematic simulation ---- */

typedef struct kinematic_arm {
  pki_scenario *scenario;
  pki_world world;
  double *memory;
  pki_reference ref;
} kinematic_arm;

static pk_status open_kinematic(kinematic_arm *k, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pki_reference_table table = {0};
  *k = (kinematic_arm){0};
  pk_status status = pki_scenario_locate("ur10-sine", path, err);
  status = status == PK_OK ? pki_scenario_load(path, NULL, 0, &k->scenario, err) : status;
  status = status == PK_OK ? pki_world_create(k->scenario, &k->world, err) : status;
  if (status == PK_OK) {
    const pk_track_options *o = k->scenario->controller_options;
    const pki_reference_options followed = {.loop = o->loop, .ramp = o->ramp};
    status = pki_reference_read(o->file, k->world.model, &table, err);
    k->memory = status == PK_OK ? malloc(pki_reference_size(&table)) : NULL;
    if (status == PK_OK && k->memory == NULL) {
      status = pki_fail_memory(err, NULL);
    }
    status = status == PK_OK ? pki_reference_init(&table, &followed, k->memory, &k->ref, err) : status;
    pki_reference_free(&table);
  }
  return status;
}

enum { PKI_KINEMATIC_JOINTS = 8 /* of the arm, at most */ };

/* References at each step, accelerations integrated twice, no dynamics at all (the paper's section II-E). Returns the sum of the errors of all
 * joints at the starts of steps. */
static double follow_kinematic(kinematic_arm *k, double dt, long long steps)
{
  double *const q = pk_sim_q(k->world.sim), *const u = pk_sim_u(k->world.sim), start[PKI_KINEMATIC_JOINTS],
                error = 0;
  for (int j = 0; j < k->ref.joints; j++) {
    start[j] = q[k->world.model->dof_q[k->ref.dof[j]]];
  }
  for (long long i = 0; i < steps; i++) {
    const pki_reference_place place = pki_reference_find(&k->ref, (double)i * dt);
    for (int j = 0; j < k->ref.joints; j++) {
      const int dof = k->ref.dof[j], at = k->world.model->dof_q[dof];
      const pki_goal goal = pki_reference_from(&k->ref, place, pki_reference_at(&k->ref, place, j), start[j]);
      error += fabs(goal.q - q[at]);
      u[dof] += dt * goal.a;
      q[at] += dt * u[dof];
    }
  }
  return error;
}

/* Its time in s, and the mean error of a joint in rad. */
static pk_status run_kinematic(double dt, double seconds, double *time, double *error, pk_error *err)
{
  kinematic_arm k;
  pk_status status = open_kinematic(&k, err);
  if (status == PK_OK) {
    const long long steps = llround(seconds / dt);
    const double before = pki_clock();
    *error = follow_kinematic(&k, dt, steps) / (double)(steps * k.ref.joints);
    *time = pki_clock() - before;
  }
  free(k.memory);
  pki_world_free(&k.world);
  pki_scenario_destroy(k.scenario);
  return status;
}

/* ---- the table ---- */

/* Errors at all steps, the largest stable one, and what it is like there. */
static pk_status run_method(pki_feedback_data *d, pki_feedback_arm_method method, pk_error *err)
{
  const pki_feedback_case c = pki_feedback_arm_case(method);
  pki_feedback_arm_data *const a = &d->arm[method];
  pk_status status = PK_OK;
  pki_feedback_terms terms = {.seconds = d->seconds, .between = has_track(method)};
  for (int i = 0; i < PKI_FEEDBACK_STEPS && status == PK_OK; i++) {
    terms.dt = pki_feedback_steps[i];
    status = pki_feedback_simulate(&c, &terms, &a->cells[i], err);
  }
  status = status == PK_OK ? pki_feedback_limit(&c, d->seconds, &a->limit, err) : status;
  if (status == PK_OK && a->limit > 0) {
    terms.dt = a->limit;
    status = pki_feedback_simulate(&c, &terms, &a->at, err);
  }
  return status;
}

/* All methods at 1 ms, then at their largest steps. */
static pk_status time_methods(pki_feedback_data *d, pk_error *err)
{
  pki_feedback_timing small[PKI_ARM_METHODS], large[PKI_ARM_METHODS];
  double times[2][PKI_ARM_METHODS];
  for (int i = 0; i < PKI_ARM_METHODS; i++) {
    small[i] = large[i] =
        (pki_feedback_timing){pki_feedback_arm_case((pki_feedback_arm_method)i), pki_feedback_steps[0]};
    large[i].dt = d->arm[i].limit > 0 ? d->arm[i].limit : pki_feedback_steps[0];
  }
  pk_status status = pki_feedback_time(small, PKI_ARM_METHODS, d->seconds, times[0], err);
  status = status == PK_OK ? pki_feedback_time(large, PKI_ARM_METHODS, d->seconds, times[1], err) : status;
  for (int i = 0; i < PKI_ARM_METHODS && status == PK_OK; i++) {
    d->arm[i].wall_1 = times[0][i];
    d->arm[i].wall = d->arm[i].limit > 0 ? times[1][i] : NAN;
  }
  return status;
}

/* The largest step at which the constraint is as accurate as explicit PD at 1 ms: at the ends of steps, as the paper measures, and between
 * them too. */
static pk_status match_accuracy(pki_feedback_data *d, bool between, double *dt, pk_error *err)
{
  static const double shrink = 0.9;
  const pki_feedback_case c = pki_feedback_arm_case(PKI_ARM_CONSTRAINT);
  const pki_feedback_run *pd = &d->arm[PKI_ARM_PD].cells[0];
  pki_feedback_terms terms = {.dt = 0.1, .seconds = d->seconds, .between = true};
  pk_status status = PK_OK;
  for (*dt = NAN; terms.dt > 1e-3 && status == PK_OK && isnan(*dt); terms.dt *= shrink) {
    pki_feedback_run run;
    status = pki_feedback_simulate(&c, &terms, &run, err);
    if (status == PK_OK && (between ? run.between <= pd->between : run.error <= pd->error)) {
      *dt = terms.dt;
    }
  }
  *dt = isnan(*dt) ? pki_feedback_steps[0] : *dt;
  return status;
}

static pk_status compare_speed(pki_feedback_data *d, pk_error *err)
{
  pk_status status = match_accuracy(d, false, &d->equal_dt, err);
  status = status == PK_OK ? match_accuracy(d, true, &d->even_dt, err) : status;
  const pki_feedback_case constraint = pki_feedback_arm_case(PKI_ARM_CONSTRAINT);
  const pki_feedback_timing runs[3] = {{pki_feedback_arm_case(PKI_ARM_PD), pki_feedback_steps[0]},
                                       {constraint, d->equal_dt},
                                       {constraint, d->even_dt}};
  return status == PK_OK ? pki_feedback_time(runs, 3, d->seconds, d->turns, err) : status;
}

pk_status pki_feedback_arm(pki_feedback_data *d, const pki_study_watch *watch, pk_error *err)
{
  pk_status status = PK_OK;
  for (int i = 0; i < PKI_ARM_METHODS && status == PK_OK; i++) {
    status = run_method(d, (pki_feedback_arm_method)i, err);
    watch->tell(watch->user, 0.8 * (i + 1) / PKI_ARM_METHODS);
  }
  /* Times, while nothing else runs. */
  status = status == PK_OK ? time_methods(d, err) : status;
  status = status == PK_OK
               ? run_kinematic(pki_feedback_steps[0], d->seconds, &d->kinematic, &d->kinematic_error, err)
               : status;
  const pki_feedback_terms fall = {.dt = 0.1, .seconds = d->long_seconds};
  for (int i = 0; i < PKI_FEEDBACK_SCHEMES && status == PK_OK; i++) {
    status = pki_feedback_limp_fall(&fall, i, d->quick ? 4 : 20, &d->limp[i], err);
  }
  return status == PK_OK ? compare_speed(d, err) : status;
}
