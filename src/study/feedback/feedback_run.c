/* One run of a scenario at a step, and what is looked at. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "control/reference.h"
#include "pronk/gait.h"
#include "run/run.h"
#include "study/feedback/feedback.h"
#include "tune/step_limit.h"

enum { WORD = 64, FINE = 8, MOST_Q = 128, WARM = 3 };

/* A world that is watched. */
typedef struct feedback_track {
  const pki_feedback_terms *terms;
  pki_scenario *scenario;
  pki_world world;
  pki_watch watch;
  pki_run_result result;
  pki_slip_meter meter;
  double start[MOST_Q]; /* configuration at the start */
  bool settled;
  double from[2];         /* m, where the trunk was then */
  double between, points; /* rad, sum of errors between steps, and how many */
} feedback_track;

bool pki_feedback_stable(const pki_feedback_run *run)
{
  static const double most = 0.2; /* rad */
  return !run->failed && !run->fell && !(run->error > most);
}

/* ---- random starts ---- */

/* Joints, attitude and velocities are off at random; then the lowest foot is put on the ground. */
static void perturb_start(feedback_track *t)
{
  static const double joint = 0.1, tilt = 0.06, speed = 0.1, rate = 0.3; /* rad, rad, m/s, rad/s */
  const uint64_t place[2] = {20, (uint64_t)t->terms->start};
  pki_random random = pki_random_at(place, 2);
  pk_sim *sim = t->world.sim;
  const pk_model *m = t->world.model;
  double *const q = pk_sim_q(sim), *const u = pk_sim_u(sim), turn[MOST_Q] = {0}, moved[MOST_Q];
  for (int k = 0; k < m->nu; k++) {
    const bool trunk = m->dof_joint[k] < 0;
    turn[k] = pki_random_between(&random, -1, 1) * (trunk ? tilt : joint);
    u[k] = pki_random_between(&random, -1, 1) * (trunk ? speed : rate);
  }
  pk_config_add(m, q, turn, moved);
  memcpy(moved, q, 2 * sizeof *q); /* where it stands does not matter */
  memcpy(q, moved, (size_t)m->nq * sizeof *q);
  pk_workspace *w = pk_sim_workspace(sim);
  pk_kinematics_compute(w, q, NULL);
  pki_slip_begin(&t->meter, w, t->watch.feet, t->watch.nfoot, t->terms->dt);
  double lowest = INFINITY;
  for (int i = 0; i < t->meter.feet; i++) {
    lowest = fmin(lowest, t->meter.foot[i].centre[2] - t->meter.foot[i].radius);
  }
  q[2] -= lowest;
}

/* ---- a run ---- */

static pk_status open_feedback(const pki_feedback_case *c, const pki_feedback_terms *terms, feedback_track *t,
                               pk_error *err)
{
  char path[PKI_PATH_MAX], words[3][WORD];
  const char *sets[PKI_FEEDBACK_SETS + 3];
  int n = 0;
  *t = (feedback_track){.terms = terms};
  for (int i = 0; i < c->nset; i++) {
    sets[n++] = c->sets[i];
  }
  snprintf(words[0], WORD, "step.dt=%.12g", terms->dt);
  snprintf(words[1], WORD, "step.margin=%.12g", fmax(0.02, 1.5 * terms->dt));
  snprintf(words[2], WORD, "materials.rubber={friction: %.12g}", terms->friction);
  sets[n++] = words[0];
  if (c->legs) {
    sets[n++] = words[1];
  }
  if (terms->friction > 0) {
    sets[n++] = words[2];
  }
  pk_status status = pki_scenario_locate(c->scenario, path, err);
  status = status == PK_OK ? pki_scenario_load(path, sets, n, &t->scenario, err) : status;
  status = status == PK_OK ? pki_world_create(t->scenario, &t->world, err) : status;
  status = status == PK_OK ? pki_watch_begin(&t->watch, &t->world, 1e-8, &t->result, err) : status;
  if (status == PK_OK && t->world.model->nq > MOST_Q) {
    status = pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.file = path},
                      "the world has %d coordinates, the study expects at most %d", t->world.model->nq,
                      (int)MOST_Q);
  }
  if (status == PK_OK) {
    memcpy(t->start, pk_sim_q(t->world.sim), (size_t)t->world.model->nq * sizeof *t->start);
  }
  return status;
}

static void close_feedback(feedback_track *t)
{
  pki_run_result_free(&t->result);
  pki_watch_free(&t->watch);
  pki_world_free(&t->world);
  pki_scenario_destroy(t->scenario);
}

/* Normal impulses on the feet in the last step, N s. */
static void read_pushes(const feedback_track *t, double push[PKI_FEEDBACK_FEET])
{
  for (int i = 0; i < t->meter.feet; i++) {
    push[i] = 0;
    for (int k = 0; k < t->watch.ncontact; k++) {
      double impulse[3];
      if (pk_sim_contact_carries(&t->watch.contacts[k], t->world.model, t->meter.foot[i].link, impulse,
                                 NULL)) {
        push[i] += impulse[2];
      }
    }
  }
}

/* Errors along the straight lines between the ends of a step: references of a table at times between. */
static void measure_between(feedback_track *t, const pki_reference *ref)
{
  const double dt = t->terms->dt, end = pk_sim_time(t->world.sim);
  const pk_model *m = t->world.model;
  for (int i = 1; i <= FINE; i++) {
    const double part = (double)i / FINE;
    const pki_reference_place place = pki_reference_find(ref, end - dt + part * dt);
    for (int k = 0; k < ref->joints; k++) {
      const int at = m->dof_q[ref->dof[k]];
      const pki_goal goal = pki_reference_from(ref, place, pki_reference_at(ref, place, k), t->start[at]);
      const double q = (1 - part) * t->watch.q_before[at] + part * t->watch.q[at];
      t->between += fabs(goal.q - q);
      t->points++;
    }
  }
}

/* Speed and slip are counted from now on. */
static void settle(feedback_track *t)
{
  t->settled = true;
  t->from[0] = t->watch.now.pos[0], t->from[1] = t->watch.now.pos[1];
  pki_slip_restart(&t->meter);
}

/* Nothing that could still be called motion: a joint that is faster than 100 rad/s, or many steps without a solution. */
static bool is_lost(const feedback_track *t)
{
  static const double fastest = 100;
  static const long long unsolved = 10;
  bool lost = t->result.uncertified > unsolved;
  for (int k = 0; k < t->watch.model->nu && !lost; k++) {
    lost = t->watch.model->dof_joint[k] >= 0 && fabs(t->watch.u[k]) > fastest;
  }
  return lost;
}

static void step_through(feedback_track *t, const pki_reference *ref)
{
  const pki_feedback_terms *terms = t->terms;
  const long long steps = llround(terms->seconds / terms->dt);
  pk_workspace *w = pk_sim_workspace(t->world.sim);
  pk_kinematics_compute(w, pk_sim_q(t->world.sim), NULL);
  pki_slip_begin(&t->meter, w, t->watch.feet, t->watch.nfoot, t->terms->dt);
  while (t->result.status == PK_OK && t->result.steps < steps && !t->result.fell) {
    double push[PKI_FEEDBACK_FEET];
    if (!t->settled && pk_sim_time(t->world.sim) >= terms->settle - 1e-9) {
      settle(t);
    }
    const double before = pki_clock();
    t->result.status = pki_world_step(&t->world, &t->watch.info);
    t->result.wall += pki_clock() - before;
    if (t->result.status != PK_OK) {
      break;
    }
    pki_watch_step(&t->watch, &t->result);
    read_pushes(t, push);
    pk_kinematics_compute(w, pk_sim_q(t->world.sim), NULL);
    pki_slip_step(&t->meter, w, push);
    if (ref != NULL) {
      measure_between(t, ref);
    }
    if (is_lost(t)) {
      t->result.status = PK_ERROR_CONVERGENCE;
      break;
    }
  }
  pki_slip_end(&t->meter);
}

static void conclude_run(feedback_track *t, pki_feedback_run *out)
{
  const pki_run_result *r = &t->result;
  const double time = pk_sim_time(t->world.sim), *p = t->watch.now.pos;
  *out = (pki_feedback_run){.dt = t->terms->dt,
                            .steps = r->steps,
                            .uncertified = r->uncertified,
                            .failed = r->status != PK_OK,
                            .fell = r->fell,
                            .ended = time,
                            .residual = r->worst_residual,
                            .error = pki_tracking_error_mean(&r->tracking),
                            .between = t->points > 0 ? t->between / t->points : NAN,
                            .speed = NAN,
                            .slip = t->meter.most,
                            .slip_mean = t->meter.stances > 0 ? t->meter.sum / (double)t->meter.stances : NAN,
                            .stances = t->meter.stances,
                            .bad = t->meter.bad,
                            .wall = r->wall};
  if (t->settled && time > t->terms->settle) {
    out->speed = hypot(p[0] - t->from[0], p[1] - t->from[1]) / (time - t->terms->settle);
  }
  for (int k = 0; k < r->ndof; k++) {
    out->torque = fmax(out->torque, r->peak[k]);
  }
}

/* The table that the scenario's controller `track` follows. */
static pk_status open_reference(const feedback_track *t, pki_reference *ref, double **memory, pk_error *err)
{
  const pk_track_options *o = t->scenario->controller_options;
  const pki_reference_options followed = {.loop = o->loop, .ramp = o->ramp};
  pki_reference_table table;
  pk_status status = pki_reference_read(o->file, t->world.model, &table, err);
  *memory = status == PK_OK ? malloc(pki_reference_size(&table)) : NULL;
  if (status == PK_OK && *memory == NULL) {
    status = pki_fail_memory(err, NULL);
  }
  status = status == PK_OK ? pki_reference_init(&table, &followed, *memory, ref, err) : status;
  pki_reference_free(&table);
  return status;
}

pk_status pki_feedback_simulate(const pki_feedback_case *c, const pki_feedback_terms *terms,
                                pki_feedback_run *out, pk_error *err)
{
  feedback_track t;
  pki_reference ref;
  double *memory = NULL;
  pk_status status = open_feedback(c, terms, &t, err);
  if (status == PK_OK && terms->between) {
    status = open_reference(&t, &ref, &memory, err);
  }
  if (status == PK_OK) {
    if (terms->start > 0) {
      perturb_start(&t);
    }
    step_through(&t, memory != NULL ? &ref : NULL);
    pki_watch_end(&t.watch, &t.result);
    conclude_run(&t, out);
  }
  free(memory);
  close_feedback(&t);
  return status;
}

/* ---- steps and times ---- */

pk_status pki_feedback_limit(const pki_feedback_case *c, double seconds, double *out, pk_error *err)
{
  char path[PKI_PATH_MAX];
  const char *sets[PKI_FEEDBACK_SETS + 1];
  pki_scenario *scenario = NULL;
  pki_step_limit *found = malloc(sizeof *found);
  const pki_step_limit_options options = {
      .from = 1e-3, .cap = 0.1, .tolerance = 0.05, .factor = 3, .error = c->tolerated, .duration = seconds};
  *out = 0;
  if (found == NULL) {
    return pki_fail_memory(err, NULL);
  }
  memcpy(sets, c->sets, sizeof c->sets);
  sets[c->nset] = "step.margin=0.15"; /* of the largest step */
  const int nset = c->nset + c->legs;
  pk_status status = pki_scenario_locate(c->scenario, path, err);
  status = status == PK_OK ? pki_scenario_load(path, sets, nset, &scenario, err) : status;
  if (status == PK_OK) {
    status = pki_step_limit_find(scenario, &options, found, err);
    *out = status == PK_OK ? found->stable : 0;
    status = status == PK_ERROR_CONVERGENCE ? PK_OK : status; /* not even the reference is stable */
  }
  pki_scenario_destroy(scenario);
  free(found);
  return status;
}

static int compare_times(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Without anything that looks at it; the first steps warm it up. */
static pk_status time_run(const pki_feedback_case *c, const pki_feedback_terms *terms, double *out,
                          pk_error *err)
{
  feedback_track t;
  pk_status status = open_feedback(c, terms, &t, err);
  if (status == PK_OK) {
    const long long steps = llround(terms->seconds / terms->dt);
    const double before = pki_clock();
    for (long long i = 0; i < steps && pki_world_step(&t.world, NULL) == PK_OK; i++) {}
    *out = pki_clock() - before;
  }
  close_feedback(&t);
  return status;
}

pk_status pki_feedback_time(const pki_feedback_timing *runs, int count, double seconds, double *out,
                            pk_error *err)
{
  enum { TIMES = 9, MOST = 8 };
  double times[MOST][TIMES];
  pk_status status = PK_OK;
  for (int i = 0; i < TIMES * count && status == PK_OK;
       i++) { /* in turns: what disturbs the machine disturbs all */
    const pki_feedback_terms terms = {.dt = runs[i % count].dt, .seconds = seconds};
    status = time_run(&runs[i % count].run, &terms, &times[i % count][i / count], err);
  }
  for (int i = 0; i < count && status == PK_OK; i++) {
    qsort(times[i], TIMES, sizeof *times[i], compare_times);
    out[i] = times[i][TIMES / 2];
  }
  return status;
}
