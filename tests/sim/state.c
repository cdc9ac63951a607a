/* A world goes on to the bit from its saved state, in itself and in another world of its kind; the same world twice gives
 * the same bits, also in two threads at once; a state that does not fit is refused and changes nothing. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "pronk/gait.h"
#include "support/allocations.h"
#include "support/bounds.h"
#include "support/world.h"

enum { ROOM = 128 };

/* ---- worlds ---- */

typedef enum robot { PENDULUM, CHAIN, STARLETH, MAXIMAL, COMAN, HEAP } robot;
typedef enum driver { NOBODY, HOLD, TRACK, COMPUTED, TROT, CRAWL, GALLOP, JUMP } driver;

/* A world and how long it runs before and after its state is saved. */
typedef struct setting {
  const char *name;
  robot robot;
  driver driver;
  pk_sim_preset preset;
  pk_stepper stepper;
  pk_contact_law law;
  pk_bilateral_method bilateral;
  double dt, height, speed, bounce,
      tau_max; /* height of the trunk, its speed sideways; 0: no limit on torques */
  bool ground;
  int before, after;
  pk_contact_resting resting; /* of lcp-pyramid */
} setting;

static const setting settings[] = {
    {"rk4 with carried rounding", CHAIN, NOBODY, 0, PK_STEPPER_RK4, 0, 0, 1e-3, 0, 2, 0, 0, false, 300, 300,
     0},
    {"ark-explicit", CHAIN, NOBODY, 0, PK_STEPPER_ARK_EXPLICIT, 0, 0, 1e-2, 0, 2, 0, 0, false, 33, 40, 0},
    {"ark-implicit", CHAIN, NOBODY, 0, PK_STEPPER_ARK_IMPLICIT, 0, 0, 1e-2, 0, 2, 0, 0, false, 13, 20, 0},
    {"ark-explicit after its first step", PENDULUM, NOBODY, 0, PK_STEPPER_ARK_EXPLICIT, 0, 0, 1e-3, 0, 3, 0,
     0, false, 1, 20, 0},
    {"ark-implicit after its first step", PENDULUM, NOBODY, 0, PK_STEPPER_ARK_IMPLICIT, 0, 0, 1e-3, 0, 3, 0,
     0, false, 1, 20, 0},
    {"euler, smooth", CHAIN, NOBODY, 0, PK_STEPPER_EULER, 0, 0, 1e-3, 0, 2, 0, 0, false, 100, 100, 0},
    {"euler, drop", STARLETH, NOBODY, 0, PK_STEPPER_EULER, 0, 0, 1e-3, 0.47, 1, 0, 0, true, 130, 100, 0},
    {"drop that bounces", STARLETH, NOBODY, 0, PK_STEPPER_MOREAU, 0, 0, 1e-3, 0.47, 1, 0.4, 0, true, 130, 120,
     0},
    {"weak motors", STARLETH, HOLD, 0, PK_STEPPER_MOREAU, 0, 0, 1e-3, 0.44, 0, 0, 5, true, 100, 100, 0},
    {"compliant", STARLETH, HOLD, 0, PK_STEPPER_MOREAU, PK_CONTACT_LAW_COMPLIANT, 0, 5e-4, 0.44, 1, 0, 0,
     true, 100, 250, 0},
    {"penalty", STARLETH, HOLD, 0, PK_STEPPER_MOREAU, PK_CONTACT_LAW_PENALTY, 0, 5e-4, 0.44, 1, 0, 0, true,
     100, 250, 0},
    {"lcp-pyramid", STARLETH, HOLD, 0, PK_STEPPER_MOREAU, PK_CONTACT_LAW_LCP_PYRAMID, 0, 1e-3, 0.44, 1, 0.3,
     0, true, 100, 100, 0},
    {"gehring-2014", STARLETH, HOLD, PK_SIM_PRESET_GEHRING_2014, PK_STEPPER_MOREAU, 0, 0, 2.5e-3, 0.45, 0.5,
     0, 0, true, 60, 60, 0},
    {"maximal coordinates", MAXIMAL, HOLD, 0, PK_STEPPER_MOREAU, 0, PK_BILATERAL_METHOD_DIRECT, 1e-3, 0.44,
     0.5, 0, 0, true, 40, 40, 0},
    {"maximal coordinates, prox", MAXIMAL, HOLD, 0, PK_STEPPER_MOREAU, 0, PK_BILATERAL_METHOD_PROX, 1e-3,
     0.435, 0, 0, 0, true, 20, 12, 0},
    {"joints at their limits", COMAN, NOBODY, 0, PK_STEPPER_MOREAU, 0, 0, 2e-3, 0.5, 0, 0, 0, true, 100, 60,
     0},
    {"track", STARLETH, TRACK, 0, PK_STEPPER_MOREAU, 0, 0, 1e-3, 0.435, 0, 0, 0, true, 100, 60, 0},
    {"computed torques", PENDULUM, COMPUTED, 0, PK_STEPPER_MOREAU, 0, 0, 1e-3, 0, 1, 0, 0, false, 100, 60, 0},
    {"crawl", STARLETH, CRAWL, 0, PK_STEPPER_MOREAU, 0, 0, 2.5e-3, 0.435, 0, 0, 0, true, 300, 60, 0},
    {"gallop", STARLETH, GALLOP, 0, PK_STEPPER_MOREAU, 0, 0, 2.5e-3, 0.435, 0, 0, 0, true, 300, 60, 0},
    {"jump", STARLETH, JUMP, 0, PK_STEPPER_MOREAU, 0, 0, 2.5e-3, 0.435, 0, 0, 0, true, 200, 100, 0},
    {"trot", STARLETH, TROT, 0, PK_STEPPER_MOREAU, 0, 0, 2.5e-3, 0.435, 0, 0, 0, true, 450, 200, 0},
    {"a heap on the ground", HEAP, NOBODY, 0, PK_STEPPER_MOREAU, 0, 0, 2e-3, 0.06, 0.1, 0.2, 0, true, 60, 60,
     0},
    {"a heap in flight", HEAP, NOBODY, 0, PK_STEPPER_EULER, 0, 0, 2e-3, 0, 0.5, 0, 0, false, 60, 60, 0},
    {"a compliant heap", HEAP, NOBODY, 0, PK_STEPPER_MOREAU, PK_CONTACT_LAW_COMPLIANT, 0, 2e-4, 0.05, 0.1, 0,
     0, true, 200, 100, 0},
    {"a heap on springs", HEAP, NOBODY, 0, PK_STEPPER_EULER, PK_CONTACT_LAW_PENALTY, 0, 2e-4, 0.05, 0.1, 0, 0,
     true, 200, 100, 0},
    {"a heap of exact contact", HEAP, NOBODY, 0, PK_STEPPER_EULER, PK_CONTACT_LAW_LCP_PYRAMID, 0, 2e-3, 0.06,
     0.1, 0.2, 0, true, 60, 60, 0},
    {"exact contact in accelerations", STARLETH, NOBODY, 0, PK_STEPPER_EULER, PK_CONTACT_LAW_LCP_PYRAMID, 0,
     1e-3, 0.47, 0.2, 0, 0, true, 130, 60, PK_CONTACT_RESTING_ACCELERATION},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

typedef struct world {
  pk_model *model;
  pk_terrain *terrain;
  pk_controller *controller;
  void *memory;
  pk_sim *sim;
} world;

static pk_model *make_model(robot which)
{
  if (which == HEAP) {
    static const free_solid heap[5] = {{PK_SHAPE_BOX, {0.3, 0.2, 0.1}, 2, {0.0083, 0.0167, 0.0217}, NULL},
                                       {PK_SHAPE_BOX, {0.2, 0.2, 0.1}, 1, {0.0042, 0.0042, 0.0067}, NULL},
                                       {PK_SHAPE_SPHERE, {0.05}, 0.5, {5e-4, 5e-4, 5e-4}, NULL},
                                       {PK_SHAPE_CAPSULE, {0.05, 0.1}, 0.7, {2e-3, 2e-3, 7e-4}, NULL},
                                       {PK_SHAPE_CYLINDER, {0.06, 0.1}, 0.6, {1e-3, 1e-3, 1.1e-3}, NULL}};
    return solids_model(heap, 5, NULL);
  }
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  pk_status status;
  if (which == CHAIN || which == PENDULUM) {
    pk_chain_options o = pk_chain_options_default();
    o.links = which == CHAIN ? 4 : 1, o.root = which == CHAIN ? PK_ROOT_FREE : PK_ROOT_FIXED;
    status = pk_builder_add_chain(b, &o, &err);
  } else {
    status = pk_builder_add_urdf(b,
                                 which == COMAN ? PK_SOURCE_DIR "/models/coman/coman.urdf"
                                                : PK_SOURCE_DIR "/models/starleth/starleth.urdf",
                                 NULL, &err);
  }
  status = status == PK_OK && which == MAXIMAL ? pk_builder_cut_joint(b, NULL, &err) : status;
  status = status == PK_OK ? pk_builder_compile(b, &m, &err) : status;
  pk_builder_destroy(b);
  return status == PK_OK ? m : NULL;
}

static pk_controller *make_controller(const setting *s, const pk_model *m)
{
  pk_controller *c = NULL;
  if (s->driver == HOLD) {
    pk_hold_options o = pk_hold_options_default();
    o.tau_max = s->tau_max > 0 ? s->tau_max : o.tau_max;
    (void)pk_hold_create(m, &o, &c, NULL);
  } else if (s->driver == TRACK) {
    pk_track_options o = pk_track_options_default();
    o.ki = 50; /* its integrals are state */
    (void)pk_track_create(m, &o, &c, NULL);
  } else if (s->driver == COMPUTED) {
    pk_computed_torque_options o = pk_computed_torque_options_default();
    o.ki = 50;
    (void)pk_computed_torque_create(m, &o, &c, NULL);
  } else if (s->driver != NOBODY) {
    static const pk_gait gaits[] = {PK_GAIT_TROT, PK_GAIT_CRAWL, PK_GAIT_GALLOP, PK_GAIT_JUMP};
    pk_locomotion_options o = pk_locomotion_options_default();
    o.gait = gaits[s->driver - TROT], o.forward = 0.3, o.start = 0.1;
    (void)pk_locomotion_create(m, &o, &c, NULL);
  }
  return c;
}

static pk_sim_options options_of(const setting *s)
{
  pk_sim_options o = pk_sim_options_preset(s->preset);
  o.dt = s->dt, o.stepper = s->stepper, o.law = s->law, o.bilateral = s->bilateral;
  o.resting = s->resting, o.max_contacts = ROOM;
  return o;
}

/* A world at rest in memory full of rubbish: what is read before it was written shows. No asserts, for threads. */
static bool make_world(const setting *s, world *w)
{
  const pk_sim_options o = options_of(s);
  const pk_material ground = {.friction = 0.6, .restitution_n = s->bounce};
  *w = (world){.model = make_model(s->robot)};
  pk_terrain_create(&w->terrain, NULL);
  const size_t size = pk_sim_memsize(w->model, &o);
  w->memory = aligned_alloc(64, size);
  memset(w->memory, 0xa5, size);
  bool ok = pk_sim_init(w->model, &o, w->memory, &w->sim, NULL) == PK_OK;
  ok = ok &&
       pk_terrain_add_plane(w->terrain, (const double[3]){0}, (const double[3]){0, 0, 1}, 0, NULL) == PK_OK;
  ok = ok && (!s->ground || pk_sim_set_terrain(w->sim, w->terrain, &ground, 1, NULL) == PK_OK);
  w->controller = ok ? make_controller(s, pk_sim_joint_model(w->sim)) : NULL;
  return ok && (s->driver == NOBODY || w->controller != NULL) &&
         pk_sim_set_controller(w->sim, w->controller, NULL) == PK_OK;
}

static void free_world(world *w)
{
  pk_sim_destroy(w->sim);
  if (w->controller != NULL && strcmp(w->controller->name, "hold") == 0) {
    pk_hold_destroy(w->controller);
  } else if (w->controller != NULL && strcmp(w->controller->name, "track") == 0) {
    pk_track_destroy(w->controller);
  } else if (w->controller != NULL && strcmp(w->controller->name, "computed-torque") == 0) {
    pk_computed_torque_destroy(w->controller);
  } else if (w->controller != NULL) {
    pk_locomotion_destroy(w->controller);
  }
  pk_terrain_destroy(w->terrain);
  pk_model_destroy(w->model);
  free(w->memory);
}

/* Where it begins. */
static void place(const setting *s, world *w)
{
  static const double leg[3] = {0, 0.7343101344764329, -1.3411529067300831};
  double q[64], u[64];
  pk_sim_get_joints(w->sim, q, u);
  if (s->robot == HEAP) {
    static const double up[5] = {0, 0.105, 0.21, 0.37, 0.525};
    for (int i = 0; i < 5; i++) {
      q[7 * i] = 0.02 * (i % 2), q[7 * i + 1] = 0.01 * i, q[7 * i + 2] = s->height + up[i];
      u[6 * i + 2] = -s->speed * i;
      u[6 * i + 4] = s->speed;
    }
  } else if (s->robot == CHAIN || s->robot == PENDULUM) {
    q[0] = 0.5;
    for (int k = 0; k < pk_sim_joint_model(w->sim)->nu; k++) {
      u[k] = s->speed * sin(k + 1);
    }
  } else {
    q[2] = s->height, u[1] = s->speed;
    for (int i = 0; i < 12 && s->robot != COMAN; i++) {
      q[7 + i] = (i < 6 ? 1 : -1) * leg[i % 3];
    }
  }
  pk_sim_set_joints(w->sim, q, u);
}

static uint64_t hash_contacts(uint64_t hash, const pk_sim *sim)
{
  pk_sim_contact c[ROOM];
  const int n = pk_sim_contacts(sim, c, ROOM);
  hash = pki_hash_bytes(hash, &n, sizeof n);
  for (int i = 0; i < n; i++) {
    hash = pki_hash_bytes(hash, &c[i].link, sizeof c[i].link);
    hash = pki_hash_bytes(hash, c[i].point, sizeof c[i].point);
    hash = pki_hash_bytes(hash, c[i].normal, sizeof c[i].normal);
    hash = pki_hash_bytes(hash, c[i].impulse, sizeof c[i].impulse);
    hash = pki_hash_bytes(hash, &c[i].gap, sizeof c[i].gap);
  }
  return hash;
}

/* Steps, some of them pushed; a hash of all that can be seen of them, 0 when one fails. */
static uint64_t go(world *w, int steps)
{
  const pk_model *m = w->model, *joints = pk_sim_joint_model(w->sim);
  uint64_t hash = PKI_HASH_START;
  for (int i = 0; i < steps; i++) {
    if (i % 10 == 3) {
      (void)pk_sim_push(w->sim, 0, (const double[3]){0.1, 0, 0}, (const double[3]){3, 5, -2});
    }
    pk_step_info info;
    if (pk_sim_step(w->sim, &info) != PK_OK) {
      return 0;
    }
    hash = pki_hash_bytes(hash, pk_sim_q(w->sim), (size_t)m->nq * sizeof(double));
    hash = pki_hash_bytes(hash, pk_sim_u(w->sim), (size_t)m->nu * sizeof(double));
    hash = pki_hash_bytes(hash, pk_sim_tau(w->sim), (size_t)joints->nu * sizeof(double));
    hash = pki_hash_bytes(hash, &info.solver_iterations, sizeof info.solver_iterations);
    hash = hash_contacts(hash, w->sim);
  }
  return hash;
}

static world start(const setting *s)
{
  world w;
  if (!make_world(s, &w)) {
    fail_msg("%s: no world", s->name);
  }
  place(s, &w);
  return w;
}

static void *state_of(const world *w)
{
  void *state = malloc(pk_sim_state_size(w->sim));
  memset(state, 0x5a, pk_sim_state_size(w->sim));
  pk_sim_get_state(w->sim, state);
  return state;
}

static void must_set(world *w, const void *state)
{
  pk_error err = {.message = ""};
  if (pk_sim_set_state(w->sim, state, pk_sim_state_size(w->sim), &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
}

static void same_state(const world *w, const void *state)
{
  void *mine = state_of(w);
  assert_memory_equal(mine, state, pk_sim_state_size(w->sim));
  free(mine);
}

/* ---- exactness ---- */

static void every_world_goes_on_to_the_bit_from_its_state(void **state)
{
  (void)state;
  for (int i = 0; i < SETTINGS; i++) {
    const setting *s = &settings[i];
    world a = start(s), b = start(s);
    assert_true(go(&a, s->before) != 0);
    /* a push waits for the next step */
    assert_int_equal(pk_sim_push(a.sim, 0, (const double[3]){0}, (const double[3]){20, 0, 0}), PK_OK);
    void *saved = state_of(&a);
    const double time = pk_sim_time(a.sim);
    const uint64_t hash = go(&a, s->after);
    void *end = state_of(&a);
    if (hash == 0) {
      fail_msg("%s: a step failed", s->name);
    }
    must_set(&b, saved); /* another world, which has never stepped */
    same_state(&b, saved);
    assert_true(pk_sim_time(b.sim) == time);
    if (go(&b, s->after) != hash) {
      fail_msg("%s: another world goes on differently", s->name);
    }
    same_state(&b, end);
    must_set(&a, saved); /* the world itself, which was elsewhere */
    if (go(&a, s->after) != hash) {
      fail_msg("%s: the world itself goes on differently", s->name);
    }
    pk_sim_reset(a.sim);
    must_set(&a, saved);
    if (go(&a, s->after) != hash) {
      fail_msg("%s: after a reset it goes on differently", s->name);
    }
    same_state(&a, end);
    free(saved), free(end);
    free_world(&a), free_world(&b);
  }
}

/* The settings are not idle: there is something to remember. */
static void the_worlds_touch_bounce_and_saturate(void **state)
{
  (void)state;
  int saturated = 0, touching = 0;
  for (int i = 0; i < SETTINGS; i++) {
    const setting *s = &settings[i];
    world w = start(s);
    assert_true(go(&w, s->before) != 0);
    touching += pk_sim_contacts(w.sim, NULL, 0) > 0;
    int touched = 0;
    for (int k = 0; k < s->after; k++) {
      const pk_step_info info = must_step(w.sim);
      touched += info.contacts > 0;
      saturated += info.saturated > 0;
    }
    if (s->ground && touched == 0) {
      fail_msg("%s: nothing touches the ground after the state is saved", s->name);
    }
    free_world(&w);
  }
  assert_at_least(touching, 7);
  assert_at_least(saturated, 50);
}

/* ---- the same twice ---- */

typedef struct job {
  const setting *setting;
  uint64_t hash;
} job;

static void *run_job(void *user)
{
  job *j = user;
  world w;
  j->hash = 0;
  if (make_world(j->setting, &w)) {
    place(j->setting, &w);
    j->hash = go(&w, j->setting->before);
  }
  free_world(&w);
  return NULL;
}

static void repeated_runs_are_equal_to_the_bit_also_in_two_threads_at_once(void **state)
{
  (void)state;
  for (int i = 0; i < SETTINGS; i++) {
    job alone = {&settings[i], 0}, pair[2] = {{&settings[i], 0}, {&settings[i], 0}};
    pthread_t threads[2];
    run_job(&alone);
    for (int k = 0; k < 2; k++) {
      assert_int_equal(pthread_create(&threads[k], NULL, run_job, &pair[k]), 0);
    }
    for (int k = 0; k < 2; k++) {
      assert_int_equal(pthread_join(threads[k], NULL), 0);
    }
    if (alone.hash == 0 || pair[0].hash != alone.hash || pair[1].hash != alone.hash) {
      fail_msg("%s: %016llx alone, %016llx and %016llx in threads", settings[i].name,
               (unsigned long long)alone.hash, (unsigned long long)pair[0].hash,
               (unsigned long long)pair[1].hash);
    }
  }
}

/* ---- what does not fit ---- */

/* Refused, with these words in the message, and nothing has changed. */
static void refused(world *w, const void *bytes, size_t size, pk_status status, const char *words)
{
  void *before = state_of(w);
  pk_error err = {.message = ""};
  const pk_status got = pk_sim_set_state(w->sim, bytes, size, &err);
  if (got != status || strstr(err.message, words) == NULL) {
    fail_msg("status %d, expected %d with \"%s\": %s", (int)got, (int)status, words, err.message);
  }
  assert_string_equal(err.field, "state");
  same_state(w, before);
  free(before);
}

/* A state of `from` in a world of `to`. */
static void does_not_fit(const setting *from, const setting *to, const char *words)
{
  world a = start(from), b = start(to);
  assert_true(go(&a, 20) != 0 && go(&b, 20) != 0);
  void *saved = state_of(&a);
  refused(&b, saved, pk_sim_state_size(a.sim), PK_ERROR_ARGUMENT, words);
  free(saved);
  free_world(&a), free_world(&b);
}

static void a_state_of_another_model_is_refused(void **state)
{
  (void)state;
  const setting base = {"",   STARLETH, NOBODY, 0, PK_STEPPER_MOREAU, 0, 0, 1e-3, 0.435, 0, 0, 0,
                        true, 0,        0,      0};
  setting other = base;
  other.robot = COMAN, other.height = 1;
  does_not_fit(&other, &base, "this state is of another model: its hash is ");
  other = base;
  other.robot = MAXIMAL;
  does_not_fit(&other, &base, "this state is of another model");
}

static void a_state_of_other_options_is_refused(void **state)
{
  (void)state;
  const setting base = {"",   STARLETH, NOBODY, 0, PK_STEPPER_MOREAU, 0, 0, 1e-3, 0.435, 0, 0, 0,
                        true, 0,        0,      0};
  setting other = base;
  other.dt = 0.5e-3;
  does_not_fit(&other, &base,
               "this state was saved with the option dt 0.00050000000000000001, this world has 0.001");
  other = base;
  other.stepper = PK_STEPPER_EULER;
  does_not_fit(&other, &base, "this state was saved with the option stepper euler, this world has moreau");
  other = base;
  other.law = PK_CONTACT_LAW_COMPLIANT;
  does_not_fit(&other, &base, "this state was saved with the option law compliant, this world has hard");
}

static void a_state_of_another_controller_is_refused(void **state)
{
  (void)state;
  const setting base = {"",   STARLETH, HOLD, 0, PK_STEPPER_MOREAU, 0, 0, 2.5e-3, 0.435, 0, 0, 0,
                        true, 0,        0,    0};
  setting other = base;
  other.driver = TROT;
  does_not_fit(&other, &base, "this state has the controller \"locomotion\", this world has \"hold\"");
  other.driver = NOBODY;
  does_not_fit(&other, &base,
               "this state has no controller, this world has \"hold\": set the controller before");
  does_not_fit(&base, &other, "this state has the controller \"hold\", this world has none");
}

static void contacts_need_their_ground(void **state)
{
  (void)state;
  const setting base = {"", STARLETH, NOBODY, 0, PK_STEPPER_MOREAU, 0, 0, 1e-3, 0.43, 0, 0, 0, true, 0, 0, 0};
  setting other = base;
  other.ground = false;
  does_not_fit(&base, &other, "this state has contacts, but this world has no ground: set the terrain first");
}

static void measuring_time_makes_no_other_world(void **state)
{
  (void)state;
  const setting s = settings[0];
  world a = start(&s), b = start(&s);
  pk_sim_options o = options_of(&s);
  o.timing = true;
  pk_sim *timed;
  assert_int_equal(pk_sim_create(b.model, &o, &timed, NULL), PK_OK);
  void *saved = state_of(&a);
  assert_int_equal(pk_sim_set_state(timed, saved, pk_sim_state_size(timed), NULL), PK_OK);
  free(saved);
  pk_sim_destroy(timed);
  free_world(&a), free_world(&b);
}

static void bytes_that_are_no_state_are_refused_and_nothing_changes(void **state)
{
  (void)state;
  const setting s = {
      "",   STARLETH, HOLD, 0, PK_STEPPER_MOREAU, PK_CONTACT_LAW_COMPLIANT, 0, 1e-3, 0.43, 0, 0, 0,
      true, 0,        0,    0};
  world w = start(&s);
  assert_true(go(&w, 20) != 0);
  const size_t size = pk_sim_state_size(w.sim);
  unsigned char *saved = state_of(&w), *bad = malloc(size);
  assert_true(go(&w, 5) != 0);
  for (size_t cut = 0; cut < size; cut += cut < 700 ? 1 : 97) {
    refused(&w, saved, cut, PK_ERROR_SYNTAX, "bytes");
  }
  /* every bit of the header and of the first contacts: a message, or a state that can be read back */
  int taken = 0;
  for (size_t i = 0; i < size; i += i < 700 ? 1 : 13) {
    memcpy(bad, saved, size);
    bad[i] ^= 0x80;
    void *before = state_of(&w);
    pk_error err = {.message = ""};
    if (pk_sim_set_state(w.sim, bad, size, &err) != PK_OK) {
      assert_true(err.message[0] != '\0');
      same_state(&w, before);
    } else {
      taken++;
      must_set(&w, before);
    }
    free(before);
  }
  assert_greater(taken, 0); /* a number is as good as another */
  memcpy(bad, saved, size);
  bad[0] = 'X';
  refused(&w, bad, size, PK_ERROR_SYNTAX, "these bytes are no state of a world");
  memcpy(bad, saved, size);
  bad[8] = 10;
  refused(&w, bad, size, PK_ERROR_ARGUMENT, "this state has the format 10, this build reads 9");
  free(saved), free(bad);
  free_world(&w);
}

static void saving_and_setting_allocate_nothing(void **state)
{
  (void)state;
  world w = start(&settings[SETTINGS - 1]);
  assert_true(go(&w, 100) != 0);
  void *saved = state_of(&w);
  allocations = 0;
  pk_sim_get_state(w.sim, saved);
  must_set(&w, saved);
  assert_int_equal(allocations, 0);
  free(saved);
  free_world(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_world_goes_on_to_the_bit_from_its_state),
      cmocka_unit_test(the_worlds_touch_bounce_and_saturate),
      cmocka_unit_test(repeated_runs_are_equal_to_the_bit_also_in_two_threads_at_once),
      cmocka_unit_test(a_state_of_another_model_is_refused),
      cmocka_unit_test(a_state_of_other_options_is_refused),
      cmocka_unit_test(a_state_of_another_controller_is_refused),
      cmocka_unit_test(contacts_need_their_ground),
      cmocka_unit_test(measuring_time_makes_no_other_world),
      cmocka_unit_test(bytes_that_are_no_state_are_refused_and_nothing_changes),
      cmocka_unit_test(saving_and_setting_allocate_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
