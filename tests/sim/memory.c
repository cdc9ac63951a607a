/* What a world remembers (sim/memory.h): every row of the table is saved and comes back, goes into a batch and out of it, and a
 * step that fails leaves it as it was. */
#include "sim/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/sensing.h"
#include "sim/parameters.h"
#include "support/bounds.h"
#include "support/fleet.h"
#include "support/pace.h"
#include "support/world.h"

enum { WORLDS = 3 };

/* Kinds of worlds: each row is in use in some of them. */
typedef struct kind {
  fleet_setting of;
  bool chains, late, coded; /* rows on chains; commands act later; the model's own code */
  bool driven;              /* by motors, springs and a battery */
  pk_bilateral_method bilateral;
  bool sensed; /* it has sensors and an estimator */
} kind;

static const kind kinds[] = {
    {{"joints that rub", FLEET_RUBBING, 0, FLEET_PLANE, FLEET_WEAK, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 80,
      true},
     false,
     false,
     false,
     false,
     0,
     false},
    {{"joints that rub, on chains", FLEET_RUBBING, 0, FLEET_SLOPE, FLEET_WEAK, 0.6, PK_STEPPER_EULER, 0, 2e-3,
      80, false},
     true,
     false,
     false,
     false,
     0,
     false},
    {{"late commands", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_WEAK, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 60,
      true},
     false,
     true,
     false,
     false,
     0,
     false},
    {{"cut joints", FLEET_MAXIMAL, 0, FLEET_PLANE, FLEET_STANCE, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 20,
      false},
     false,
     false,
     false,
     false,
     PK_BILATERAL_METHOD_PROX,
     false},
    {{"springs", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_DROP, 0.6, PK_STEPPER_MOREAU, PK_CONTACT_LAW_COMPLIANT,
      5e-4, 300, false},
     false,
     false,
     false,
     false,
     0,
     false},
    {{"exact", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_DROP, 0.6, PK_STEPPER_MOREAU, PK_CONTACT_LAW_LCP_PYRAMID,
      2e-3, 80, false},
     false,
     false,
     false,
     false,
     0,
     false},
    {{"flight, rk4", FLEET_STARLETH, 0, FLEET_NOWHERE, FLEET_DROP, 0, PK_STEPPER_RK4, 0, 2e-3, 40, false},
     false,
     false,
     false,
     false,
     0,
     false},
    {{"an arm, ark", FLEET_UR10, 0, FLEET_NOWHERE, 0, 0, PK_STEPPER_ARK_EXPLICIT, 0, 2e-3, 20, false},
     false,
     false,
     false,
     false,
     0,
     false},
    {{"an arm, its own code", FLEET_UR10, 0, FLEET_NOWHERE, 0, 0, PK_STEPPER_MOREAU, 0, 2e-3, 20, true},
     false,
     false,
     true,
     false,
     0,
     false},
    {{"motors", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_WEAK, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 60, true},
     false,
     false,
     false,
     true,
     0,
     false},
    {{"motors on chains", FLEET_STARLETH, 0, FLEET_SLOPE, FLEET_WEAK, 0.6, PK_STEPPER_EULER, 0, 2.5e-3, 60,
      true},
     true,
     false,
     false,
     true,
     0,
     false},
    {{"motors in flight, rk4", FLEET_STARLETH, 0, FLEET_NOWHERE, FLEET_DROP, 0, PK_STEPPER_RK4, 0, 5e-4, 40,
      false},
     false,
     false,
     false,
     true,
     0,
     false},
    {{"sensors", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_WEAK, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 60, true},
     false,
     false,
     false,
     false,
     0,
     true},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Of the fleet that was made last. */
static pk_sensing *sensing;

/* It believes what it is shown, and counts how often. */
static void count_updates(const pk_estimator *self, const pk_sensing *sensors, double dt,
                          const double *readings, pk_workspace *workspace, double *state, double *q,
                          double *u)
{
  (void)self, (void)sensors, (void)dt, (void)readings, (void)workspace, (void)q, (void)u;
  state[0]++;
}

static const pk_estimator estimator = {.name = "counts", .nstate = 1, .update = count_updates};

static void make_sensors(const pk_model *model)
{
  pk_sensor list[] = {{.kind = pk_sensing_kind_find("imu")},
                      {.kind = pk_sensing_kind_find("encoder"), .dof = model->nu - 1},
                      {.kind = pk_sensing_kind_find("switch"), .link = model->nlink - 1}};
  pk_sensor_part_find("bmi088", &list[0].part);
  list[1].part.latency = 0.01;
  assert_int_equal(pk_sensing_create(model, list, 3, 1, &sensing, NULL), PK_OK);
  pk_sensing_set_estimator(sensing, &estimator);
}

static int destroy_sensors(void **state)
{
  (void)state;
  pk_sensing_destroy(sensing);
  sensing = NULL;
  return 0;
}

static void make_fleet(fleet *f, const kind *k)
{
  fleet_make(f, &k->of);
  destroy_sensors(NULL);
  if (k->sensed) {
    make_sensors(f->model);
    f->options.sensing = sensing, f->options.sees = PK_SEES_SENSORS;
  }
  f->options.bilateral = k->bilateral;
  f->options.max_latency = k->late ? 2 * k->of.dt : 0;
  if (k->coded) {
    fleet_compile(f);
  }
  if (k->driven) {
    fleet_drive(f);
  }
}

static pk_sim *make_world(const fleet *f, const kind *k, int world)
{
  pk_sim *sim = fleet_sim(f, world);
  sim->single.chains_only = k->chains;
  if (k->late) {
    assert_int_equal(pk_sim_set_latency(sim, k->of.dt, NULL), PK_OK);
  }
  return sim;
}

/* ---- rows ---- */

/* A world's rows and its state as bytes. */
typedef struct snapshot {
  size_t bytes[PKI_MEMORY_ROWS], size;
  void *rows[PKI_MEMORY_ROWS], *state;
} snapshot;

static snapshot take(const pk_sim *sim)
{
  snapshot s = {.size = pk_sim_state_size(sim)};
  s.state = malloc(s.size);
  memset(s.state, 0x5a, s.size);
  pk_sim_get_state(sim, s.state);
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    s.bytes[row] = pki_memory_used(sim, row) * pki_memory[row].size;
    s.rows[row] = malloc(s.bytes[row] + 1);
    if (s.bytes[row] > 0) {
      memcpy(s.rows[row], pki_memory_array(sim, row), s.bytes[row]);
    }
  }
  return s;
}

static void drop(snapshot *s)
{
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    free(s->rows[row]);
  }
  free(s->state);
}

static bool is_same_row(const snapshot *a, const snapshot *b, int row)
{
  return a->bytes[row] == b->bytes[row] && memcmp(a->rows[row], b->rows[row], a->bytes[row]) == 0;
}

/* The world is as it was: row by row, and then all of its bytes. Parameters are no state: they may be asked for, too. */
static void must_be_same(const pk_sim *sim, const snapshot *was, bool parameters, const char *name,
                         const char *when)
{
  snapshot is = take(sim);
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    const bool asked = parameters || pki_memory[row].role != PKI_ROLE_PARAMETER;
    if (asked && !is_same_row(&is, was, row)) {
      fail_msg("%s: %s the row \"%s\" is another", name, when, pki_memory[row].name);
    }
  }
  if (is.size != was->size || memcmp(is.state, was->state, is.size) != 0) {
    fail_msg("%s: %s the rows are the same, the state is another", name, when);
  }
  drop(&is);
}

static bool has_content(const snapshot *s, int row)
{
  bool any = false;
  for (size_t i = 0; i < s->bytes[row]; i++) {
    any |= ((const unsigned char *)s->rows[row])[i] != 0;
  }
  return any;
}

/* ---- saved, and carried by batches ---- */

/* Values that are nobody else's, but such as the row's check lets through. */
static void write_pattern(pk_sim *sim, int row)
{
  const size_t bytes = pki_memory_used(sim, row) * pki_memory[row].size;
  unsigned char *const flags = pki_memory_array(sim, row);
  double *const numbers = (double *)(void *)flags;
  if (row == PKI_MEMORY_LAST || row == PKI_MEMORY_SPRINGS) {
    for (size_t i = 0; i < pki_memory_used(sim, row); i++) { /* partners stay */
      double *const point = row == PKI_MEMORY_LAST ? ((pki_contact *)(void *)flags)[i].point
                                                   : ((pki_spring *)(void *)flags)[i].anchor;
      for (int d = 0; d < 3; d++) {
        point[d] = row + 1 + (double)i / 64 + d / 4096.0;
      }
    }
  } else if (pki_memory[row].size % sizeof *numbers != 0) {
    for (size_t i = 0; i < bytes; i++) {
      flags[i] = i % 2 == 0;
    }
  } else {
    for (size_t i = 0; i < bytes / sizeof *numbers; i++) {
      numbers[i] = row + 1 + (double)i / 1024;
    }
  }
}

/* A world that has stepped, and then has recognisable values in every row; parameters that no other world has. */
static pk_sim *patterned(const fleet *f, const kind *k)
{
  pk_sim *sim = make_world(f, k, 0);
  for (int i = 0; i < k->of.steps; i++) {
    must_step(sim);
  }
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    if (pki_memory[row].role != PKI_ROLE_PARAMETER) {
      write_pattern(sim, row);
    }
  }
  sim->state.n.pushed = true;
  for (int body = 0; body < f->model->nbody; body++) {
    assert_int_equal(pk_sim_scale_mass(sim, body, 1.25 + body / 64.0, NULL), PK_OK);
  }
  if (k->driven) {
    assert_int_equal(pk_sim_scale_motor(sim, 3, PK_MOTOR_VALUE_CONSTANT, 1.1, NULL), PK_OK);
  }
  return sim;
}

static void every_row_is_saved_reset_and_comes_back(void **state)
{
  (void)state;
  bool seen[PKI_MEMORY_ROWS] = {false};
  for (int i = 0; i < KINDS; i++) {
    const kind *k = &kinds[i];
    fleet f;
    make_fleet(&f, k);
    pk_sim *sim = patterned(&f, k), *other = make_world(&f, k, 1);
    snapshot was = take(sim);
    pk_sim_reset(sim);
    snapshot reset = take(sim);
    for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
      seen[row] |= was.bytes[row] > 0;
      const bool parameter = pki_memory[row].role == PKI_ROLE_PARAMETER;
      if (was.bytes[row] > 0 && is_same_row(&was, &reset, row) != parameter) {
        fail_msg("%s: a reset %s the row \"%s\"", k->of.name, parameter ? "changes" : "keeps",
                 pki_memory[row].name);
      }
    }
    assert_int_equal(pk_sim_set_state(sim, was.state, was.size, NULL), PK_OK);
    must_be_same(sim, &was, true, k->of.name, "after a reset and its state");
    must_step(other);
    assert_int_equal(pk_sim_set_state(other, was.state, was.size, NULL), PK_OK);
    must_be_same(other, &was, false, k->of.name, "in another world");
    drop(&was), drop(&reset);
    pk_sim_destroy(sim), pk_sim_destroy(other);
    fleet_free(&f);
  }
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    if (!seen[row]) {
      fail_msg("no world uses the row \"%s\": add a kind that does", pki_memory[row].name);
    }
  }
}

static void a_batch_carries_every_row(void **state)
{
  (void)state;
  for (int i = 0; i < KINDS; i++) {
    const kind *k = &kinds[i];
    fleet f;
    snapshot beside[WORLDS];
    make_fleet(&f, k);
    pk_batch *b = fleet_batch_keeping(&f, WORLDS, 1, 1, f.options.max_contacts);
    pk_sim *sim = patterned(&f, k), *other = make_world(&f, k, 1);
    for (int world = 0; world < WORLDS; world++) {
      assert_int_equal(pk_batch_get(b, world, other, NULL), PK_OK);
      beside[world] = take(other);
    }
    snapshot was = take(sim);
    assert_int_equal(pk_batch_set(b, 1, sim, NULL), PK_OK);
    must_be_same(sim, &was, true, k->of.name, "after it was set in a batch");
    for (int world = WORLDS - 1; world >= 0; world--) {
      assert_int_equal(pk_batch_get(b, world, other, NULL), PK_OK);
      must_be_same(other, world == 1 ? &was : &beside[world], true, k->of.name, "out of a batch");
      drop(&beside[world]);
    }
    drop(&was);
    pk_batch_destroy(b);
    pk_sim_destroy(sim), pk_sim_destroy(other);
    fleet_free(&f);
  }
}

/* ---- steps that fail ---- */

/* Which rows had content when a step failed. */
typedef struct witness {
  bool seen[PKI_MEMORY_ROWS];
  int failures;
} witness;

/* A step has ended with a status, which must be this one, and the world is as it was, but that its commands have set out: those that
 * act late. */
static void must_have_failed(const pk_sim *sim, pk_sim *twin, const snapshot *was, const pk_status status[2],
                             const char *name, const char *why, witness *w)
{
  if (status[0] != status[1]) {
    fail_msg("%s: a step with %s ends with \"%s\", expected \"%s\"", name, why, pk_status_text(status[0]),
             pk_status_text(status[1]));
  }
  assert_int_equal(pk_sim_set_state(twin, was->state, was->size, NULL), PK_OK);
  pki_latency_pass(twin);
  snapshot expected = take(twin);
  must_be_same(sim, &expected, true, name, why);
  drop(&expected);
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    w->seen[row] |= has_content(was, row);
  }
  w->failures++;
}

static void must_fail(pk_sim *sim, pk_sim *twin, const snapshot *was, pk_status status, const char *name,
                      const char *why, witness *w)
{
  pk_step_info info;
  const pk_status got = pk_sim_step(sim, &info);
  must_have_failed(sim, twin, was, (const pk_status[2]){got, status}, name, why, w);
}

/* It goes on to the bit as a world does that has seen no failure. */
static void must_go_on(pk_sim *sim, const snapshot *was, pk_sim *twin, const char *name)
{
  assert_int_equal(pk_sim_set_state(twin, was->state, was->size, NULL), PK_OK);
  for (int i = 0; i < 3; i++) {
    must_step(sim), must_step(twin);
    snapshot expected = take(twin);
    must_be_same(sim, &expected, true, name, "after a step that failed");
    drop(&expected);
  }
}

/* Forces whose accelerations are no numbers. */
static void fail_by_pushes(pk_sim *sim, pk_sim *twin, const char *name, witness *w)
{
  const pk_model *m = sim->model;
  const bool adaptive = pki_steppers[sim->options.stepper]->adaptive;
  snapshot was = take(sim);
  for (int link = m->nlink - 1; link >= 0; link -= 7) {
    static const double far[3] = {1, 2, 3}, force[3] = {1e308, -1e308, 1e308};
    if (m->links[link].body >= 0) {
      assert_int_equal(pk_sim_push(sim, link, far, force), PK_OK);
      must_fail(sim, twin, &was, adaptive ? PK_ERROR_CONVERGENCE : PK_ERROR_NONFINITE, name, "a huge push",
                w);
    }
  }
  must_go_on(sim, &was, twin, name);
  drop(&was);
}

/* A command that is none, and one that no numbers can follow. */
static void fail_by_commands(pk_sim *sim, pk_sim *twin, const char *name, witness *w)
{
  const bool adaptive = pki_steppers[sim->options.stepper]->adaptive, late = sim->late_room > 0;
  pk_command *c = &pk_sim_commands(sim)[sim->joints.n - 1];
  const pk_command right = *c;
  snapshot before = take(sim);
  for (int huge = 0; huge < (late ? 1 : 2); huge++) { /* late ones fail later */
    *c = huge ? (pk_command){.tau = 1e308, .tau_max = INFINITY} : (pk_command){.kp = -1};
    snapshot was = take(sim);
    if (huge) {
      must_fail(sim, twin, &was, adaptive ? PK_ERROR_CONVERGENCE : PK_ERROR_NONFINITE, name, "a huge torque",
                w);
    } else {
      assert_int_equal(pk_sim_step(sim, NULL), PK_ERROR_ARGUMENT);
      must_be_same(sim, &was, true, name, "a command that is none");
    }
    drop(&was);
  }
  *c = right;
  must_go_on(sim, &before, twin, name);
  drop(&before);
}

/* Commands that are others in every step. */
static void vary_commands(pk_sim *sim, const kind *k)
{
  for (int i = 0; i < sim->joints.n && k->late; i++) {
    sim->state.commands[i].u_des = 1e-3 * (double)(sim->state.n.steps + i);
  }
}

static void a_step_whose_numbers_are_not_finite_changes_nothing(void **state)
{
  (void)state;
  witness w = {.failures = 0};
  for (int i = 0; i < KINDS; i++) {
    const kind *k = &kinds[i];
    fleet f;
    make_fleet(&f, k);
    for (int world = 0; world < PACE(2, 1); world++) {
      pk_sim *sim = make_world(&f, k, world), *twin = make_world(&f, k, world);
      for (int step = 0; step < k->of.steps; step++) {
        vary_commands(sim, k);
        must_step(sim);
        if (step % 20 == 19) {
          fail_by_pushes(sim, twin, k->of.name, &w);
          if (!k->driven) { /* motors make no more than they can */
            fail_by_commands(sim, twin, k->of.name, &w);
          }
        }
      }
      pk_sim_destroy(sim), pk_sim_destroy(twin);
    }
    fleet_free(&f);
  }
  print_message("%d steps failed\n", w.failures);
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    if (!w.seen[row] && row != PKI_MEMORY_PUSHES) { /* they are spent */
      fail_msg("the row \"%s\" was empty whenever a step failed", pki_memory[row].name);
    }
  }
}

/* Boxes that tumble on each other: pairs remember by which features they were apart. Every step fails once, and is then made. */
static void a_step_that_fails_leaves_what_pairs_of_shapes_remember(void **state)
{
  (void)state;
  enum { BOXES = 4 };
  static const double far[3] = {1, 2, 3}, force[3] = {1e308, -1e308, 1e308};
  const free_solid box = {PK_SHAPE_BOX, {0.2, 0.15, 0.1}, 1, {3e-3, 4e-3, 5e-3}, NULL};
  const free_solid boxes[BOXES] = {box, box, box, box};
  const pk_material rough = {.friction = 0.5};
  const pk_sim_options o = pk_sim_options_default();
  pk_model *m = solids_model(boxes, BOXES, NULL);
  pk_terrain *t = slope_terrain(0.1);
  pk_sim *sim = start_world(m, t, rough, &o), *twin = start_world(m, t, rough, &o);
  witness w = {.failures = 0};
  int remembering = 0;
  for (int i = 0; i < BOXES; i++) {
    double *const q = pk_sim_q(sim) + 7 * i;
    q[0] = 0.03 * (i % 2), q[1] = 0.02 * (i % 3), q[2] = 0.15 + 0.2 * i, q[4] = 0.2 * i, q[5] = 0.3 - 0.2 * i;
  }
  for (int step = 0; step < PACE(600, 400); step++) {
    snapshot was = take(sim);
    assert_int_equal(pk_sim_push(sim, step % BOXES, far, force), PK_OK);
    must_fail(sim, twin, &was, PK_ERROR_NONFINITE, "boxes", "a huge push", &w);
    remembering += sim->scene.colliders.nmemory > 0;
    must_step(sim);
    drop(&was);
  }
  print_message("%d steps failed, pairs remembered in %d\n", w.failures, remembering);
  assert_greater(remembering, 100);
  pk_sim_destroy(sim), pk_sim_destroy(twin);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Its worlds go on but for one, which is as it was. */
static void a_world_of_a_batch_whose_step_fails_is_frozen_as_it_was(void **state)
{
  (void)state;
  static const double far[3] = {1, 2, 3}, force[3] = {1e308, -1e308, 1e308};
  witness w = {.failures = 0};
  for (int i = 0; i < KINDS; i++) {
    const kind *k = &kinds[i];
    const pk_status status =
        pki_steppers[k->of.stepper]->adaptive ? PK_ERROR_CONVERGENCE : PK_ERROR_NONFINITE;
    fleet f;
    pk_batch_info how;
    make_fleet(&f, k);
    pk_batch *b = fleet_batch_keeping(&f, WORLDS, 1, 1, f.options.max_contacts);
    pk_sim *sim = make_world(&f, k, 0), *twin = make_world(&f, k, 1);
    assert_int_equal(pk_batch_step(b, k->of.steps, &how), PK_OK);
    assert_int_equal(how.frozen, 0);
    assert_int_equal(pk_batch_get(b, 1, sim, NULL), PK_OK);
    snapshot was = take(sim);
    assert_int_equal(pk_batch_push(b, 1, f.model->nlink - 1, far, force), PK_OK);
    pk_batch_step(b, 2, &how);
    assert_int_equal(how.frozen, 1);
    assert_int_equal(pk_batch_get(b, 1, sim, NULL), PK_OK);
    must_have_failed(sim, twin, &was, (const pk_status[2]){pk_batch_world_status(b, 1), status}, k->of.name,
                     "a huge push in a batch", &w);
    drop(&was);
    pk_batch_destroy(b);
    pk_sim_destroy(sim), pk_sim_destroy(twin);
    fleet_free(&f);
  }
}

/* Worlds that fall until their contacts do not fit, where the step begins or where it ends. */
static void a_step_with_more_contacts_than_fit_changes_nothing(void **state)
{
  (void)state;
  witness w = {.failures = 0};
  int touching = 0;
  for (int i = 0; i < KINDS; i++) {
    const kind *k = &kinds[i];
    for (int room = 1; room <= 6 && k->of.ground != FLEET_NOWHERE; room++) {
      fleet f;
      make_fleet(&f, k);
      f.options.max_contacts = room;
      pk_sim *sim = make_world(&f, k, room), *twin = make_world(&f, k, room);
      bool failed = false;
      for (int step = 0; step < 3 * k->of.steps && !failed; step++) {
        snapshot was = take(sim);
        const int before = pk_sim_contacts(sim, NULL, 0);
        const pk_status got = pk_sim_step(sim, NULL);
        if (got != PK_OK) {
          must_have_failed(sim, twin, &was, (const pk_status[2]){got, PK_ERROR_LIMIT}, k->of.name,
                           "too many contacts", &w);
          must_fail(sim, twin, &was, PK_ERROR_LIMIT, k->of.name, "too many contacts again", &w);
          touching += before > 0, failed = true;
        }
        drop(&was);
      }
      pk_sim_destroy(sim), pk_sim_destroy(twin);
      fleet_free(&f);
    }
  }
  print_message("%d steps failed, %d worlds touched the ground before\n", w.failures, touching);
  assert_greater(touching, 10);
  assert_true(w.seen[PKI_MEMORY_LAST] && w.seen[PKI_MEMORY_LAST_R] && w.seen[PKI_MEMORY_STICKS]);
  assert_true(w.seen[PKI_MEMORY_JOINT] && w.seen[PKI_MEMORY_LIMITED] && w.seen[PKI_MEMORY_SPRINGS]);
}

/* A ball rests, and a block comes down on four corners at once: one sweep finds the impulse of a ball, and none of theirs. */
static void a_step_without_a_solution_changes_nothing(void **state)
{
  (void)state;
  static const free_solid solids[2] = {{PK_SHAPE_SPHERE, {0.05, 0, 0}, 1, {1e-3, 1e-3, 1e-3}, NULL},
                                       {PK_SHAPE_BOX, {0.4, 0.3, 0.1}, 3, {0.025, 0.043, 0.0625}, NULL}};
  pk_sim_options o = pk_sim_options_default();
  o.law = PK_CONTACT_LAW_LCP_PYRAMID, o.resting = PK_CONTACT_RESTING_ACCELERATION;
  o.lcp = PK_LCP_CHOICE_PGS, o.max_iterations = 1, o.tolerance = 1e-14;
  pk_model *m = solids_model(solids, 2, NULL);
  pk_terrain *t = slope_terrain(0);
  const pk_material ice = {.friction = 0};
  pk_sim *sim = start_world(m, t, ice, &o), *twin = start_world(m, t, ice, &o);
  witness w = {.failures = 0};
  pk_sim_q(sim)[2] = 0.05, pk_sim_q(sim)[7] = 1, pk_sim_q(sim)[9] = 0.06;
  snapshot was = take(sim);
  pk_step_info info;
  pk_status got = pk_sim_step(sim, &info);
  for (int i = 0; i < 100 && got == PK_OK; i++) {
    drop(&was);
    was = take(sim);
    got = pk_sim_step(sim, &info);
  }
  assert_string_equal(info.term, "collision");
  must_have_failed(sim, twin, &was, (const pk_status[2]){got, PK_ERROR_CONVERGENCE}, "a block",
                   "a collision without an impulse", &w);
  must_fail(sim, twin, &was, PK_ERROR_CONVERGENCE, "a block", "a collision without an impulse", &w);
  assert_true(w.seen[PKI_MEMORY_LAST] && w.seen[PKI_MEMORY_LAST_R]);
  pk_sim_u(sim)[8] = 1; /* away from the ground both go on alike */
  drop(&was);
  was = take(sim);
  must_go_on(sim, &was, twin, "a block");
  drop(&was);
  pk_sim_destroy(sim), pk_sim_destroy(twin);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_is_saved_reset_and_comes_back),
      cmocka_unit_test(a_batch_carries_every_row),
      cmocka_unit_test(a_step_whose_numbers_are_not_finite_changes_nothing),
      cmocka_unit_test(a_step_that_fails_leaves_what_pairs_of_shapes_remember),
      cmocka_unit_test(a_world_of_a_batch_whose_step_fails_is_frozen_as_it_was),
      cmocka_unit_test(a_step_with_more_contacts_than_fit_changes_nothing),
      cmocka_unit_test(a_step_without_a_solution_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, destroy_sensors);
}
