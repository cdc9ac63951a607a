/* The order of the study: scenarios, their problems, every solver on each. */
#include "study/solvers/solvers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pronk/contact_file.h"
#include "step/world.h"

/* Heaps are smaller than shipped, so that every solver can be tried on them. */
#define HEAP \
  "objects=[" \
  "{shape: box, size: [0.16, 0.12, 0.1], mass: 2, position: [0, 0, 0.3], count: [3, 3, 1], " \
  "spacing: [0.2, 0.2, 0.2], tumble: true}, " \
  "{shape: sphere, size: 0.07, mass: 1.5, position: [0, 0, 0.55], count: [3, 3, 1], spacing: [0.2, 0.2, " \
  "0.2]}, " \
  "{shape: capsule, size: [0.05, 0.12], mass: 1.5, position: [0, 0, 0.8], count: [3, 3, 1], " \
  "spacing: [0.2, 0.2, 0.2], tumble: true}]"
#define BIN \
  "terrain=[{shape: plane}, {shape: box, position: [0.5, 0, 0.3], size: [0.2, 1.2, 1.2]}, " \
  "{shape: box, position: [-0.5, 0, 0.3], size: [0.2, 1.2, 1.2]}, " \
  "{shape: box, position: [0, 0.5, 0.3], size: [1.2, 0.2, 1.2]}, " \
  "{shape: box, position: [0, -0.5, 0.3], size: [1.2, 0.2, 1.2]}]"

const pki_solvers_scenario pki_solvers_scenarios[PKI_SOLVERS_SCENARIOS] = {
    {"starleth-stand", "a quadruped stands", {NULL}, 2, 4, 4},
    {"starleth-trot", "trots", {NULL}, 10, 8, 12},
    {"starleth-slope", "trots up a slope", {NULL}, 8, 8, 0},
    {"starleth-steps", "climbs steps, is pushed", {NULL}, 12, 8, 0},
    {"starleth-push", "is pushed over, rolls, lies", {NULL}, 4, 8, 12},
    {"starleth-drop", "falls 3 m, lies", {NULL}, 4, 8, 8},
    {"arch", "six blocks", {NULL}, 1, 16, 1},
    {"arch", "the same with a key of 240 kg", {"objects.2.mass=240"}, 1, 16, 0},
    {"tower", "twenty blocks on top of each other", {NULL}, 0.5, 4, 1},
    {"balls", "27 balls of the lattice collapse", {"objects.0.count=[3, 3, 3]"}, 2, 4, 3},
    {"pile", "27 boxes, balls and capsules of the pile fall into a small bin", {HEAP, BIN}, 2, 16, 0},
};

/* --- one problem ----------------------------------------------------------------------- */

/* Called by the world: keep the first problem of the step that is asked for. */
typedef struct observer {
  pki_solvers_problem problem;
  bool wanted, taken;
} observer;

static void observe_problem(void *user, const pk_contact_problem *p, const double *r)
{
  observer *t = user;
  if (t->wanted && p->ncontact > 0) {
    t->taken = pki_solvers_take(&t->problem, p, r);
    t->wanted = false;
  }
}

static pki_solvers_record *new_record(pki_solvers_data *d)
{
  if (d->n == d->room) {
    const int room = d->room > 0 ? 2 * d->room : 64;
    pki_solvers_record *records = realloc(d->records, (size_t)room * sizeof *records);
    if (records == NULL) {
      return NULL;
    }
    d->records = records, d->room = room;
  }
  memset(&d->records[d->n], 0, sizeof d->records[0]);
  return &d->records[d->n];
}

/* Zero impulses are no work. */
static bool is_trivial(pki_solvers_problem *problem)
{
  memset(problem->other, 0, (size_t)pk_contact_size(&problem->p) * sizeof *problem->other);
  return pk_contact_certify(&problem->p, problem->other, problem->scratch).relative <= problem->tolerance;
}

static pk_status memory_out(pk_error *err)
{
  return pki_fail_memory(err, NULL);
}

/* The first of those that auto does not solve, for `pronk solve`. */
static pk_status save_unsolved(pki_solvers_data *d, const pki_solvers_problem *problem, pk_error *err)
{
  enum { MOST = 20 };
  char path[PKI_PATH_MAX];
  if (d->folder == NULL || d->saved == MOST) {
    return PK_OK;
  }
  snprintf(path, sizeof path, "%s/unsolved-%d.fc", d->folder, ++d->saved);
  return pk_contact_save(&problem->p, path, err);
}

/* Every solver on one problem; auto comes first, and its solution tells who slides. */
static pk_status try_all(pki_solvers_data *d, pki_solvers_problem *problem, int scenario, pk_error *err)
{
  if (is_trivial(problem)) {
    d->trivial++;
    return PK_OK;
  }
  pki_solvers_record *record = new_record(d);
  if (record == NULL) {
    return memory_out(err);
  }
  const pk_contact_problem *p = &problem->p;
  record->kind =
      (pki_solvers_kind){.scenario = scenario, .contacts = p->ncontact, .rows = pk_contact_size(p)};
  if (!pki_solvers_measure(p, &record->kind)) {
    return memory_out(err);
  }
  for (int start = 0; start < PKI_STARTS; start++) {
    for (int e = 0; e < PKI_SOLVERS; e++) {
      if (!pki_solvers_try(problem, &d->entrants[e], start, &record->tries[start][e])) {
        return memory_out(err);
      }
      if (start == PKI_COLD && e == PK_SOLVER_AUTO) {
        record->kind.slides = pki_solvers_slides(p, problem->other, problem->scratch);
      }
    }
  }
  d->n++;
  d->per_scenario[scenario]++;
  const bool solved =
      record->tries[PKI_COLD][PK_SOLVER_AUTO].solved && record->tries[PKI_WARM][PK_SOLVER_AUTO].solved;
  return solved ? PK_OK : save_unsolved(d, problem, err);
}

/* --- one scenario ---------------------------------------------------------------------- */

/* Heaviest over lightest body. */
static double mass_ratio(const pk_model *m)
{
  double least = INFINITY, most = 0;
  for (int b = 0; b < m->nbody; b++) {
    const double mass = m->body_inertia[10 * b];
    least = mass > 0 ? fmin(least, mass) : least;
    most = fmax(most, mass);
  }
  return most / least;
}

static pk_status run_world(pki_solvers_data *d, int scenario, pki_world *world, const pki_study_watch *watch,
                           pk_error *err)
{
  const pki_solvers_scenario *s = &pki_solvers_scenarios[scenario];
  const pk_sim_options *o = &world->scenario->step;
  const long long steps = llround(s->duration / o->dt);
  /* the few of a quick run come from the whole */
  const long long every = d->quick ? steps / (s->quick + 1) : s->every;
  observer t = {.problem = {.tolerance = o->tolerance, .max_iterations = o->max_iterations}};
  world->sim->contact.observer = (pki_problem_observer){observe_problem, &t};
  d->masses[scenario] = mass_ratio(world->model);
  pk_status status = PK_OK;
  for (long long k = 1; k <= steps && status == PK_OK; k++) {
    pk_step_info info;
    t.wanted = t.wanted || k % every == 0; /* in the air it waits for the next contact */
    t.taken = false;
    status = pki_world_step(world, &info);
    if (status != PK_OK) {
      pki_fail(err, status, (pki_where){.file = s->name}, "a step failed");
    } else if (t.problem.failed) {
      status = memory_out(err);
    } else if (t.taken) {
      status = try_all(d, &t.problem, scenario, err);
    }
    watch->tell(watch->user, (double)k / (double)steps);
  }
  pki_solvers_problem_free(&t.problem);
  return status;
}

static pk_status run_scenario(pki_solvers_data *d, int scenario, const pki_study_watch *watch, pk_error *err)
{
  const pki_solvers_scenario *s = &pki_solvers_scenarios[scenario];
  char path[PKI_PATH_MAX];
  pki_scenario *read = NULL;
  pki_world world = {0};
  const int nset = s->sets[0] == NULL ? 0 : s->sets[1] == NULL ? 1 : 2;
  pk_status status = pki_scenario_locate(s->name, path, err);
  status = status == PK_OK ? pki_scenario_load(path, s->sets, nset, &read, err) : status;
  status = status == PK_OK ? pki_world_create(read, &world, err) : status;
  status = status == PK_OK ? run_world(d, scenario, &world, watch, err) : status;
  pki_world_free(&world);
  pki_scenario_destroy(read);
  return status;
}

/* --- the study ------------------------------------------------------------------------- */

/* How long scenarios take beside each other. */
static double cost_of(const pki_solvers_data *d, int scenario)
{
  const pki_solvers_scenario *s = &pki_solvers_scenarios[scenario];
  return d->quick ? (s->quick > 0 ? s->duration : 0) : s->duration;
}

static pk_status run_scenarios(pki_solvers_data *d, const pki_study_options *options, pk_error *err)
{
  pki_study_progress j = {.options = options};
  for (int s = 0; s < PKI_SOLVERS_SCENARIOS; s++) {
    j.all += cost_of(d, s);
  }
  pk_status status = PK_OK;
  for (int s = 0; s < PKI_SOLVERS_SCENARIOS && status == PK_OK; s++) {
    if (cost_of(d, s) > 0) {
      snprintf(j.what, sizeof j.what, "%s", pki_solvers_scenarios[s].name);
      const pki_study_watch watch = pki_study_part_begin(&j, cost_of(d, s));
      status = run_scenario(d, s, &watch, err);
      pki_study_part_end(&j);
    }
  }
  return status;
}

static pk_status run_solvers_study(const pki_study_options *options, pki_study_result *result, pk_error *err)
{
  pk_status status = pki_folder_create(options->folder, err);
  if (status != PK_OK) {
    return status;
  }
  pki_solvers_data *d = calloc(1, sizeof *d);
  if (d == NULL) {
    return memory_out(err);
  }
  d->quick = options->quick;
  d->folder = options->folder;
  pki_solvers_entrants(d->entrants);
  status = run_scenarios(d, options, err);
  if (status == PK_OK) {
    pki_solvers_rows(d, result);
    status = pki_solvers_report(d, options, result, err);
  }
  if (status == PK_OK && result->failed) {
    status = memory_out(err);
  }
  free(d->records);
  free(d);
  return status;
}

const pki_study pki_solvers_study = {
    "solvers", "every contact solver and every LCP solver on the problems of running scenarios",
    "after Drumwright and Shell 2012", run_solvers_study};
