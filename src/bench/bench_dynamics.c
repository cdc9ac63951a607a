/* `pronk bench dynamics`: the algorithms of smooth dynamics on robots and on chains of up to
 * 1000 links. For each model all engines are built from the same numbers and get the same
 * random states; they must agree before they are timed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "dynamics/states.h"
#include "measure/dynamics_pronk.h"
#include "measure/measure.h"
#include "measure/peer.h"
#include "model/locate.h"

/* Engines that differ by more than this do not compute the same. */
static const double largest_difference = 1e-6;

enum { ENGINES_MAX = 16, STATES = 16, STATES_LONG = 4, LINKS_LONG = 300, VELOCITIES_COMPILED = 60 };

/* A model: a robot by its name, or a chain. */
typedef struct subject {
  const char *name;
  int links; /* of a chain, 0: a robot */
} subject;

static const subject subjects[] = {
    {"starleth", 0},    {"coman", 0},       {"chain-10", 10},   {"chain-20", 20},     {"chain-50", 50},
    {"chain-100", 100}, {"chain-200", 200}, {"chain-500", 500}, {"chain-1000", 1000},
};

enum { SUBJECT_COUNT = sizeof subjects / sizeof subjects[0] };

static const char *const algorithm_names[PKI_ALGORITHM_COUNT] = {"rnea", "crba", "factor", "aba"};

/* One engine with one lane count, loaded with the subject's states. */
typedef struct engine {
  const char *name, *version;
  const pki_dynamics_peer *table;
  void *object;
  int lanes;
  pki_algorithm algorithm; /* that `run_engine` calls */
  double agreement;        /* with Pronk in that algorithm */
} engine;

typedef struct scene {
  const pki_bench_options *options;
  pki_bench_report *report;
  const subject *subject;
  pk_model *model;
  pki_states states;
  engine engines[ENGINES_MAX]; /* the first is Pronk with one lane */
  int nengine;
  double *reference, *other; /* [nu][nu] each: answers to compare */
} scene;

static void work_name(char name[64], const subject *s, int algorithm)
{
  snprintf(name, 64, "%s %s", algorithm_names[algorithm], s->name);
}

static bool wants_subject(const pki_bench_options *options, const subject *s)
{
  bool wanted = false;
  for (int k = 0; k < PKI_ALGORITHM_COUNT; k++) {
    char name[64];
    work_name(name, s, k);
    wanted = wanted || pki_bench_wants(options, name);
  }
  return wanted;
}

/* The compiled model of a subject. */
static pk_status build_model(const subject *s, pk_model **out, pk_error *err)
{
  if (s->links == 0) {
    char path[PKI_PATH_MAX];
    pk_load_options options = pk_load_options_default();
    options.load_meshes = false;
    const pk_status status = pki_model_locate(s->name, path, err);
    return status != PK_OK ? status : pk_model_load_urdf(path, &options, out, err);
  }
  pk_builder *b;
  pk_builder_create(&b, NULL);
  if (!b) {
    return pki_fail_memory(err, NULL);
  }
  pk_chain_options options = pk_chain_options_default();
  options.links = s->links;
  options.alternate = true;
  options.root = PK_ROOT_FIXED;
  pk_status status = pk_builder_add_chain(b, &options, err);
  if (status == PK_OK) {
    status = pk_builder_compile(b, out, err);
  }
  pk_builder_destroy(b);
  return status;
}

/* Build one engine and give it all states; an engine that cannot take the model gets a note. */
static void add_engine(scene *s, const char *name, const char *version, const pki_dynamics_peer *table,
                       int lanes)
{
  if (s->nengine == ENGINES_MAX) {
    return;
  }
  char message[400] = "";
  void *object = table->create(s->model, s->states.count, lanes, message, sizeof message);
  if (!object) {
    message[strcspn(message, "\n")] = '\0';
    pki_bench_add_note(s->report, "%s with %d lane%s left out on %s: %.120s", name, lanes,
                       lanes == 1 ? "" : "s", s->subject->name, message);
    return;
  }
  const size_t nq = (size_t)s->model->nq, nu = (size_t)s->model->nu;
  for (int k = 0; k < s->states.count; k++) {
    const size_t at = (size_t)k;
    const pki_dynamics_state state = {.q = s->states.q + at * nq,
                                      .u = s->states.u + at * nu,
                                      .tau = s->states.tau + at * nu,
                                      .a = s->states.a + at * nu};
    table->store(object, k, &state);
  }
  s->engines[s->nengine++] =
      (engine){.name = name, .version = version, .table = table, .object = object, .lanes = lanes};
}

/* A model's own code. Long chains have none: the factor of a chain's M grows with the cube of its length, and so does the time
 * to compile it. */
static void add_compiled(scene *s)
{
  if (s->model->nu > VELOCITIES_COMPILED) {
    return;
  }
  add_engine(s, "pronk compiled", pk_version(), pki_dynamics_compiled(), 1);
  if (s->nengine == 3) { /* what kept one lane from being compiled keeps four */
    add_engine(s, "pronk compiled", pk_version(), pki_dynamics_compiled(), 4);
  }
}

static void add_engines(scene *s, const pk_peer *const *peers, int npeer)
{
  add_engine(s, "pronk", pk_version(), pki_dynamics_pronk(), 1);
  if (s->nengine == 0) {
    return;
  }
  add_engine(s, "pronk", pk_version(), pki_dynamics_pronk(), 4);
  add_compiled(s);
  for (int i = 0; i < npeer; i++) {
    const pki_dynamics_peer *table = peers[i]->interface(PKI_DYNAMICS_INTERFACE);
    if (!table) {
      continue;
    }
    add_engine(s, peers[i]->name, peers[i]->version, table, 1);
    if (peers[i]->note[0]) {
      pki_bench_add_note(s->report, "%s %s: %s", peers[i]->name, peers[i]->version, peers[i]->note);
    }
  }
}

/* The answer of an engine to state `slot`. */
static void engine_answer(const engine *e, pki_algorithm algorithm, int slot, double *out)
{
  e->table->run(e->object, algorithm, slot / e->lanes);
  e->table->read(e->object, algorithm, slot % e->lanes, out);
}

/* Compare every engine with Pronk on one lane over all states; true when all agree. */
static bool check_agreement(scene *s, pki_algorithm algorithm)
{
  const size_t nu = (size_t)s->model->nu, size = algorithm == PKI_ALGORITHM_CRBA ? nu * nu : nu;
  for (int i = 0; i < s->nengine; i++) {
    s->engines[i].agreement = i == 0 ? NAN : 0.0;
  }
  for (int slot = 0; slot < s->states.count; slot++) {
    engine_answer(&s->engines[0], algorithm, slot, s->reference);
    for (int i = 1; i < s->nengine; i++) {
      if (!s->engines[i].table->calls[algorithm]) {
        continue;
      }
      engine_answer(&s->engines[i], algorithm, slot, s->other);
      s->engines[i].agreement =
          fmax(s->engines[i].agreement, pki_relative_difference(s->other, s->reference, size));
    }
  }
  bool agree = true;
  for (int i = 1; i < s->nengine; i++) {
    if (s->engines[i].agreement > largest_difference) {
      pki_bench_add_note(s->report,
                         "%s disagrees with Pronk on %s %s by %.1e relative, more than %.0e: not timed",
                         s->engines[i].name, algorithm_names[algorithm], s->subject->name,
                         s->engines[i].agreement, largest_difference);
      agree = false;
    }
  }
  return agree;
}

static void run_engine(void *user, int index)
{
  const engine *e = user;
  e->table->run(e->object, e->algorithm, index);
}

/* Time one algorithm on all engines that offer it. */
static bool time_algorithm(scene *s, pki_algorithm algorithm)
{
  const pki_measure_options normal = {.round = 2e-3, .total = 1.5, .least = 5, .most = 101};
  const pki_measure_options quick = {.round = 5e-4, .total = 0.1, .least = 3, .most = 21};
  pki_entrant entrants[ENGINES_MAX];
  engine *engines[ENGINES_MAX];
  int count = 0;
  for (int i = 0; i < s->nengine; i++) {
    engine *e = &s->engines[i];
    if (!e->table->calls[algorithm]) {
      continue;
    }
    e->algorithm = algorithm;
    if (algorithm == PKI_ALGORITHM_FACTOR) {
      e->table->prepare_factor(e->object, 0);
      e->agreement = NAN;
    }
    engines[count] = e;
    entrants[count++] = (pki_entrant){.run = run_engine, .user = e, .inputs = s->states.count / e->lanes};
  }
  if (!pki_measure(entrants, count, s->options->quick ? &quick : &normal)) {
    return false;
  }

  double single = NAN;
  for (int i = 0; i < count; i++) {
    pki_bench_result *r = pki_bench_add_result(s->report);
    if (!r) {
      return false;
    }
    work_name(r->work, s->subject, algorithm);
    r->engine = engines[i]->name;
    r->version = engines[i]->version;
    r->config = engines[i]->table->calls[algorithm];
    r->lanes = engines[i]->lanes;
    r->threads = 1;
    r->unit = "us/call";
    r->median = 1e6 * entrants[i].median;
    r->spread = 1e6 * entrants[i].spread;
    r->per_robot = r->median / r->lanes;
    if (i == 0 && engines[i] == &s->engines[0]) {
      single = r->per_robot;
    }
    r->ratio = r->per_robot / single;
    r->agreement = engines[i]->agreement;
    r->links = s->model->nbody;
    r->per_link = r->per_robot / r->links;
  }
  return true;
}

static pk_status run_works(scene *s, pk_error *err)
{
  /* Accelerations first: engines that disagree there are not worth timing. */
  const bool agree = check_agreement(s, PKI_ALGORITHM_ABA);
  if (!agree) {
    s->report->failed = true;
    return PK_OK;
  }
  for (int k = 0; k < PKI_ALGORITHM_COUNT; k++) {
    char name[64];
    work_name(name, s->subject, k);
    if (!pki_bench_wants(s->options, name) || !s->engines[0].table->calls[k]) {
      continue;
    }
    pki_bench_progress(name);
    if (k != PKI_ALGORITHM_FACTOR && !check_agreement(s, (pki_algorithm)k)) {
      s->report->failed = true;
      continue;
    }
    if (!time_algorithm(s, (pki_algorithm)k)) {
      return pki_fail_memory(err, NULL);
    }
    pki_bench_show(s->report);
  }
  return PK_OK;
}

/* Everything about one model. */
static pk_status run_subject(const pki_bench_options *options, const subject *what,
                             const pk_peer *const *peers, int npeer, pki_bench_report *report, pk_error *err)
{
  scene s = {.options = options, .report = report, .subject = what};
  pki_bench_progress(what->name);
  pk_status status = build_model(what, &s.model, err);
  if (status != PK_OK || !s.model) {
    return status;
  }
  const size_t square = (size_t)s.model->nu * (size_t)s.model->nu;
  s.reference = calloc(square, sizeof *s.reference);
  s.other = calloc(square, sizeof *s.other);
  const bool has_states =
      pki_states_create(&s.states, s.model, what->links > LINKS_LONG ? STATES_LONG : STATES, 1);
  if (s.reference && s.other && has_states) {
    add_engines(&s, peers, npeer);
  }
  status = s.nengine > 0 ? run_works(&s, err)
                         : pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory on %s", what->name);
  for (int i = 0; i < s.nengine; i++) {
    s.engines[i].table->destroy(s.engines[i].object);
  }
  pki_states_destroy(&s.states);
  free(s.reference);
  free(s.other);
  pk_model_destroy(s.model);
  return status;
}

pk_status pki_bench_dynamics(const pki_bench_options *options, pki_bench_report *report, pk_error *err)
{
  const pk_peer *peers[ENGINES_MAX];
  const int npeer = pki_peers_load(peers, ENGINES_MAX);
  if (npeer == 0) {
    pki_bench_add_note(report, "no other engine was found: docs/bench.md tells how to get some");
  }
  for (int i = 0; i < SUBJECT_COUNT; i++) {
    if (!wants_subject(options, &subjects[i])) {
      continue;
    }
    const pk_status status = run_subject(options, &subjects[i], peers, npeer, report, err);
    if (status != PK_OK) {
      return status;
    }
  }
  return PK_OK;
}
