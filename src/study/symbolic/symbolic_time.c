/* Fig. 4: engines on one robot, their accelerations compared, then timed in turns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/states.h"
#include "measure/dynamics_pronk.h"
#include "measure/measure.h"
#include "measure/peer.h"
#include "study/symbolic/symbolic.h"

enum { PEERS_MAX = 16, STATES_TIMED = 16, FREE_ROOT = 6 };

/* One engine, loaded with the robot's states. */
typedef struct engine {
  const pki_dynamics_peer *table;
  void *object; /* NULL: not there */
  int lanes;
} engine;

typedef struct scene {
  const pk_model *model;
  pki_states states;
  engine engines[PKI_SYMBOLIC_ENGINES];
  double *answer, *other; /* [nu] */
} scene;

/* ---- engines ---- */

static void store_states(const scene *s, const engine *e)
{
  const size_t nq = (size_t)s->model->nq, nu = (size_t)s->model->nu;
  for (int k = 0; k < s->states.count; k++) {
    const size_t at = (size_t)k;
    e->table->store(e->object, k,
                    &(pki_dynamics_state){.q = s->states.q + at * nq,
                                          .u = s->states.u + at * nu,
                                          .tau = s->states.tau + at * nu,
                                          .a = s->states.a + at * nu});
  }
}

static void add_engine(pki_symbolic_data *d, scene *s, int which, const pki_dynamics_peer *table, int lanes)
{
  engine *e = &s->engines[which];
  char message[240] = "";
  *e = (engine){.table = table, .lanes = lanes};
  e->object = table->create(s->model, s->states.count, lanes, message, sizeof message);
  if (e->object != NULL) {
    store_states(s, e);
  } else {
    message[strcspn(message, "\n")] = '\0';
    snprintf(d->missing[which], sizeof d->missing[which], "%s", message);
  }
}

/* A peer by its name, when its plugin is there. */
static void add_peer(pki_symbolic_data *d, scene *s, int which)
{
  const pk_peer *peers[PEERS_MAX];
  const int count = pki_peers_load(peers, PEERS_MAX);
  snprintf(d->missing[which], sizeof d->missing[which], "its plugin was not found: install %s, then run make",
           which == PKI_SYMBOLIC_SIMBODY ? "libsimbody-dev" : "libmujoco-dev");
  for (int i = 0; i < count; i++) {
    const pki_dynamics_peer *table = strcmp(peers[i]->name, pki_symbolic_engines[which]) == 0
                                         ? peers[i]->interface(PKI_DYNAMICS_INTERFACE)
                                         : NULL;
    if (table != NULL) {
      d->missing[which][0] = '\0';
      snprintf(d->about[which], sizeof d->about[which], "%s %s%s%s.", pki_symbolic_titles[which],
               peers[i]->version, peers[i]->note[0] != '\0' ? ": " : "", peers[i]->note);
      add_engine(d, s, which, table, 1);
    }
  }
}

static void add_engines(pki_symbolic_data *d, scene *s)
{
  add_engine(d, s, PKI_SYMBOLIC_GENERIC, pki_dynamics_pronk(), 1);
  add_engine(d, s, PKI_SYMBOLIC_GENERATED, pki_dynamics_compiled(), 1);
  if (s->engines[PKI_SYMBOLIC_GENERATED].object != NULL) {
    add_engine(d, s, PKI_SYMBOLIC_GENERATED_4, pki_dynamics_compiled(), 4);
  } else {
    memcpy(d->missing[PKI_SYMBOLIC_GENERATED_4], d->missing[PKI_SYMBOLIC_GENERATED], sizeof d->missing[0]);
  }
  add_peer(d, s, PKI_SYMBOLIC_SIMBODY);
  add_peer(d, s, PKI_SYMBOLIC_MUJOCO);
}

/* ---- agreement ---- */

static void engine_accelerations(const engine *e, int slot, double *out)
{
  e->table->run(e->object, PKI_ALGORITHM_ABA, slot / e->lanes);
  e->table->read(e->object, PKI_ALGORITHM_ABA, slot % e->lanes, out);
}

/* The two averages of symbolic.h, in per cent. */
static void compare_engines(const scene *s, int which, pki_symbolic_size *size)
{
  const engine *mine = &s->engines[PKI_SYMBOLIC_GENERATED], *other = &s->engines[which];
  const size_t nu = (size_t)s->model->nu;
  double entries = 0, states = 0;
  for (int k = 0; k < s->states.count; k++) {
    engine_accelerations(mine, k, s->answer);
    engine_accelerations(other, k, s->other);
    for (size_t i = 0; i < nu; i++) {
      const double apart = fabs(s->answer[i] - s->other[i]);
      entries += apart > 0 ? apart / fabs(s->other[i]) : 0;
    }
    states += pki_relative_difference(s->answer, s->other, nu);
  }
  size->by_entry[which] = 100 * entries / ((double)nu * s->states.count);
  size->by_state[which] = 100 * states / s->states.count;
}

/* ---- times ---- */

static void run_engine(void *user, int index)
{
  const engine *e = user;
  e->table->run(e->object, PKI_ALGORITHM_ABA, index);
}

static bool time_engines(const pki_symbolic_data *d, scene *s, pki_symbolic_size *size)
{
  const pki_measure_options normal = {.round = 2e-3, .total = 3, .least = 21, .most = 201};
  const pki_measure_options quick = {.round = 5e-4, .total = 0.1, .least = 3, .most = 21};
  pki_entrant entrants[PKI_SYMBOLIC_ENGINES];
  int which[PKI_SYMBOLIC_ENGINES], count = 0;
  for (int i = 0; i < PKI_SYMBOLIC_ENGINES; i++) {
    engine *e = &s->engines[i];
    if (e->object != NULL) {
      which[count] = i;
      entrants[count++] = (pki_entrant){.run = run_engine, .user = e, .inputs = STATES_TIMED / e->lanes};
    }
  }
  if (!pki_measure(entrants, count, d->quick ? &quick : &normal)) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    const double scale = 1e6 / s->engines[which[i]].lanes;
    size->median[which[i]] = scale * entrants[i].median;
    size->spread[which[i]] = scale * entrants[i].spread;
  }
  return true;
}

/* ---- one robot ---- */

static bool begin_timing(const pki_symbolic_data *d, scene *s)
{
  const size_t nu = (size_t)s->model->nu;
  s->answer = calloc(nu, sizeof(double));
  s->other = calloc(nu, sizeof(double));
  if (s->answer == NULL || s->other == NULL || !pki_states_create(&s->states, s->model, d->states, 1)) {
    return false;
  }
  for (size_t k = 0; k < (size_t)d->states; k++) {
    memset(s->states.tau + k * nu, 0, FREE_ROOT * sizeof(double)); /* torques of joints only */
  }
  return true;
}

static void end_timing(scene *s)
{
  for (int i = 0; i < PKI_SYMBOLIC_ENGINES; i++) {
    if (s->engines[i].object != NULL) {
      s->engines[i].table->destroy(s->engines[i].object);
    }
  }
  pki_states_destroy(&s->states);
  free(s->answer);
  free(s->other);
}

pk_status pki_symbolic_measure(pki_symbolic_data *d, const pk_model *model, pki_symbolic_size *size,
                               const pki_study_watch *watch, pk_error *err)
{
  scene s = {.model = model};
  bool good = begin_timing(d, &s);
  if (good) {
    add_engines(d, &s);
    watch->tell(watch->user, 0.5);
    for (int i = 0; i < PKI_SYMBOLIC_ENGINES; i++) {
      if (i != PKI_SYMBOLIC_GENERATED && s.engines[i].object != NULL &&
          s.engines[PKI_SYMBOLIC_GENERATED].object != NULL) {
        compare_engines(&s, i, size);
      }
    }
    watch->tell(watch->user, 0.6);
    good = time_engines(d, &s, size);
  }
  end_timing(&s);
  return good ? PK_OK : pki_fail_memory(err, NULL);
}

/* Least squares over the sizes that were timed: t = start + slope n. */
static pki_symbolic_line fit_line(const pki_symbolic_data *d, int e)
{
  double count = 0, n = 0, t = 0, nn = 0, nt = 0, off = 0, most = 0;
  for (int i = 0; i < PKI_SYMBOLIC_SIZES; i++) {
    if (pki_symbolic_is_timed(d, i)) {
      count++;
      n += d->sizes[i].dof;
      t += d->sizes[i].median[e];
      nn += d->sizes[i].dof * (double)d->sizes[i].dof;
      nt += d->sizes[i].dof * d->sizes[i].median[e];
    }
  }
  const double slope = (count * nt - n * t) / (count * nn - n * n), start = (t - slope * n) / count;
  for (int i = 0; i < PKI_SYMBOLIC_SIZES; i++) {
    if (pki_symbolic_is_timed(d, i)) {
      off = fmax(off, fabs(d->sizes[i].median[e] - start - slope * d->sizes[i].dof));
      most = fmax(most, d->sizes[i].median[e]);
    }
  }
  return (pki_symbolic_line){
      .slope = slope, .start = start, .off = isnan(slope) || count < 3 ? NAN : off / most};
}

void pki_symbolic_fit(pki_symbolic_data *d)
{
  for (int e = 0; e < PKI_SYMBOLIC_ENGINES; e++) {
    d->lines[e] = fit_line(d, e);
  }
}
