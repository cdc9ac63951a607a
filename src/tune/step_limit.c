#define _POSIX_C_SOURCE 200809L
#include "tune/step_limit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "pronk/dynamics.h"

const char *const pki_instability_words[PKI_INSTABILITIES] = {"stable", "failed", "fell",
                                                              "speed",  "energy", "error"};

/* Speeds below this say nothing about stability, rad/s and m/s. */
static const double slow = 0.1;

typedef struct limit_search {
  const pki_scenario *scenario;
  const pki_step_limit_options *options;
  pki_step_limit *out;
  double mass; /* kg, of its robots */
  bool reference_fell;
  double shown;
} limit_search;

/* ---- what is watched ---- */

/* Largest joint speed and kinetic energy so far. */
static void watch_motion(const pki_watch *w, pki_step_trial *trial)
{
  pk_sim *sim = w->world->sim;
  pk_workspace *workspace = pk_sim_workspace(sim);
  for (int k = 0; k < w->model->nu; k++) {
    if (w->model->dof_joint[k] >= 0) {
      trial->speed = fmax(trial->speed, fabs(w->u[k]));
    }
  }
  pk_kinematics_compute(workspace, pk_sim_q(sim), pk_sim_u(sim));
  trial->kinetic = fmax(trial->kinetic, pk_energy_compute(workspace, pk_sim_u(sim)).kinetic);
}

/* What can be seen before the run has ended. */
static pki_instability judge_motion(const limit_search *s, const pki_step_trial *trial)
{
  const double factor = s->options->factor;
  const pki_step_trial *reference = &s->out->trials[0];
  if (trial->reference) {
    return PKI_STABLE;
  }
  return trial->speed > factor * (reference->speed + slow) ? PKI_UNSTABLE_SPEED
         : trial->kinetic > factor * factor * (reference->kinetic + 0.5 * s->mass * slow * slow)
             ? PKI_UNSTABLE_ENERGY
             : PKI_STABLE;
}

static pki_instability judge_run(const limit_search *s, const pki_step_trial *trial,
                                 const pki_run_result *result)
{
  if (result->status != PK_OK) {
    return PKI_UNSTABLE_FAILED;
  }
  if (trial->verdict != PKI_STABLE) {
    return trial->verdict;
  }
  if (result->fell && !trial->reference && !s->reference_fell) {
    return PKI_UNSTABLE_FELL;
  }
  return trial->error > s->options->error ? PKI_UNSTABLE_ERROR : PKI_STABLE;
}

static void show_limit_progress(limit_search *s, const pki_step_trial *trial, double time, double end)
{
  const double now = pki_clock();
  if (s->options->progress == NULL || now - s->shown < 0.1) {
    return;
  }
  s->shown = now;
  char what[128];
  snprintf(what, sizeof what, "%s %.6g ms: %.1f/%g s", trial->reference ? "reference," : "step",
           1e3 * trial->dt, time, end);
  s->options->progress(s->options->user, end > 0 ? fmin(time / end, 1) : 1, what);
}

/* ---- one run ---- */

/* All steps, until one fails, the motion is out of bounds, or somebody asks to stop. */
static void run_steps(limit_search *s, pki_watch *w, pki_step_trial *trial, pki_run_result *r)
{
  const double duration = s->options->duration >= 0 ? s->options->duration : s->scenario->duration;
  const long long steps = (long long)ceil(duration / trial->dt - 1e-6);
  watch_motion(w, trial);
  while (r->steps < steps && trial->verdict == PKI_STABLE) {
    if (s->options->stop != NULL && *s->options->stop != 0) {
      r->interrupted = s->out->interrupted = true;
      break;
    }
    const double before = pki_clock();
    r->status = pki_world_step(w->world, &w->info);
    r->wall += pki_clock() - before;
    if (r->status != PK_OK) {
      pki_watch_explain(w, r, r->status, trial->message, sizeof trial->message);
      break;
    }
    pki_watch_step(w, r);
    watch_motion(w, trial);
    trial->verdict = judge_motion(s, trial);
    show_limit_progress(s, trial, pk_sim_time(w->world->sim), duration);
  }
  pki_watch_end(w, r);
}

static pk_status run_world(limit_search *s, pki_world *world, pki_step_trial *trial, pk_error *err)
{
  pki_watch watch = {0};
  pki_run_result result = {0};
  const double bound = s->scenario->certify > 0 ? s->scenario->certify : world->scenario->step.tolerance;
  const pk_status status = pki_watch_begin(&watch, world, bound, &result, err);
  if (status == PK_OK) {
    run_steps(s, &watch, trial, &result);
    trial->error = pki_tracking_error_mean(&result.tracking);
    trial->error_most = pki_tracking_error_most(&result.tracking);
    trial->slip = result.slip_distance;
    trial->wall = result.wall;
    trial->duration = result.duration;
    trial->steps = result.steps;
    trial->uncertified = result.uncertified;
    trial->verdict = judge_run(s, trial, &result);
    if (trial->reference) {
      s->mass = result.mass;
      s->reference_fell = result.fell;
    }
  }
  pki_run_result_free(&result);
  pki_watch_free(&watch);
  return status;
}

/* A controller's period that the scenario gives is hardly a whole number of the steps that are tried. */
static bool has_period(const pki_scenario *s)
{
  const pki_node *node = s->controller_node != NULL && s->controller_node->kind == PKI_NODE_MAP
                             ? pki_node_find(s->controller_node, "period")
                             : NULL;
  double value = 0;
  const char *cursor = node != NULL ? node->text : "", *end = cursor + strlen(cursor);
  return cursor < end && pki_parse_real(&cursor, end, &value) && value > 0;
}

/* The scenario at another step. */
static pk_status read_at(const limit_search *s, double dt, pki_scenario **out, pk_error *err)
{
  const pki_scenario *base = s->scenario;
  const char **sets = calloc((size_t)base->nset + 2, sizeof *sets);
  char step[64];
  int count = 0;
  if (sets == NULL) {
    return pki_fail_memory(err, "a scenario");
  }
  for (int i = 0; i < base->nset; i++) {
    sets[count++] = base->sets[i];
  }
  snprintf(step, sizeof step, "step.dt=%.12g", dt);
  sets[count++] = step;
  if (s->out->follows_step) {
    sets[count++] = "controller.period=0";
  }
  const pk_status status = pki_scenario_parse(base->file, base->text, base->text_size, sets, count, out, err);
  free((void *)sets);
  return status;
}

static pk_status try_step(limit_search *s, double dt, pk_error *err)
{
  pki_step_limit *out = s->out;
  pki_step_trial *trial = &out->trials[out->count];
  pki_scenario *scenario = NULL;
  pki_world world = {0};
  pk_error own = {0};
  *trial = (pki_step_trial){.dt = dt, .reference = out->count == 0, .error = NAN, .error_most = NAN};
  pk_status status = read_at(s, dt, &scenario, &own);
  status = status == PK_OK ? pki_world_create(scenario, &world, &own) : status;
  if (status != PK_OK && status != PK_ERROR_MEMORY) {
    char line[sizeof own.message + 320];
    pki_error_line(&own, line, sizeof line);
    status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "step.dt"},
                      "the scenario is refused at a step of %.6g s: %s", dt, line);
  } else if (status != PK_OK) {
    *err = own;
  } else {
    pki_world_compile(&world, NULL);
    status = run_world(s, &world, trial, err);
  }
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  if (status == PK_OK && !out->interrupted) {
    out->count++;
    if (s->options->tried != NULL) {
      s->options->tried(s->options->user, trial);
    }
  }
  return status;
}

/* ---- doubling, halving ---- */

/* Whether the last one that was tried is stable; then the limits move. */
static void note_verdict(pki_step_limit *out)
{
  const pki_step_trial *last = &out->trials[out->count - 1];
  if (last->verdict == PKI_STABLE) {
    out->stable = fmax(out->stable, last->dt);
  } else {
    out->unstable = fmin(out->unstable, last->dt);
  }
}

/* The next step that is worth a run; 0: there is none. */
static double next_step(const pki_step_limit *l, const pki_step_limit_options *o)
{
  if (l->count == 1) {
    return o->from;
  }
  if (isinf(l->unstable)) {
    return l->stable < o->cap ? fmin(2 * l->stable, o->cap) : 0;
  }
  const bool narrow = l->unstable - l->stable <= o->tolerance * l->stable;
  return l->stable > 0 && !narrow ? 0.5 * (l->stable + l->unstable) : 0;
}

pk_status pki_step_limit_find(const pki_scenario *scenario, const pki_step_limit_options *options,
                              pki_step_limit *out, pk_error *err)
{
  limit_search s = {.scenario = scenario, .options = options, .out = out};
  *out = (pki_step_limit){.unstable = INFINITY, .follows_step = has_period(scenario)};
  pk_status status = try_step(&s, options->reference > 0 ? options->reference : 0.5 * options->from, err);
  if (status == PK_OK && !out->interrupted && out->trials[0].verdict != PKI_STABLE) {
    return pki_fail(err, PK_ERROR_CONVERGENCE, (pki_where){.field = "--reference"},
                    "the reference run at a step of %.6g s is not stable itself (%s%s%s): give a smaller "
                    "--reference, or --from",
                    out->trials[0].dt, pki_instability_words[out->trials[0].verdict],
                    out->trials[0].message[0] != '\0' ? ": " : "", out->trials[0].message);
  }
  for (double dt; status == PK_OK && !out->interrupted && out->count < PKI_STEP_TRIALS &&
                  (dt = next_step(out, options)) > 0;) {
    status = try_step(&s, dt, err);
    if (status == PK_OK && !out->interrupted) {
      note_verdict(out);
    }
  }
  return status;
}
