/* StarLETH trots over rough ground and sees nothing but its sensors: a BMI088, encoders of 14 bits and foot switches, all
 * late by a step of 2.5 ms, and the state estimator between them and the controller. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gait/walker.h"
#include "math/mat3.h"
#include "pronk/base_estimator.h"
#include "pronk/heights.h"
#include "pronk/sensing.h"
#include "step/world.h"
#include "support/bounds.h"
#include "support/pace.h"

static const double dt = 2.5e-3;

/* ---- the robot's sensors ---- */

enum { SENSORS = 17 };

static pk_model *model;
static pk_sensing *sensing;
static pk_estimator *estimator;

static int equip(void **state)
{
  static const char *const feet[4] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  pk_sensor list[SENSORS] = {{.kind = pk_sensing_kind_find("imu")}};
  pk_error err = {.message = ""};
  (void)state;
  model = walker_model(&walker_starleth, false);
  list[0].link = model->robots[0].root_link;
  pk_sensor_part_find("bmi088", &list[0].part);
  list[0].position[0] = 0.05, list[0].position[2] = 0.03, list[0].rpy[2] = 0.5;
  for (int i = 0; i < 12; i++) {
    list[1 + i] = (pk_sensor){.kind = pk_sensing_kind_find("encoder"), .dof = 6 + i};
    pk_sensor_part_find("encoder-14bit", &list[1 + i].part);
  }
  for (int i = 0; i < 4; i++) {
    list[13 + i] = (pk_sensor){
        .kind = pk_sensing_kind_find("switch"), .link = pk_model_find_link(model, feet[i]), .threshold = 10};
  }
  for (int i = 0; i < SENSORS; i++) {
    list[i].part.latency = dt;
  }
  if (pk_sensing_create(model, list, SENSORS, 5, &sensing, &err) != PK_OK ||
      pk_base_estimator_create_sensing(model, sensing, NULL, &estimator, &err) != PK_OK) {
    print_error("%s\n", err.message);
    return -1;
  }
  pk_sensing_set_estimator(sensing, estimator);
  return 0;
}

static int put_away(void **state)
{
  (void)state;
  pk_base_estimator_destroy_sensing(estimator);
  pk_sensing_destroy(sensing);
  pk_model_destroy(model);
  return 0;
}

/* The ground of scenarios/starleth-rough.yaml, a part of it. */
static void rough(pk_terrain *terrain)
{
  const double corner[3] = {-8, -8, 0};
  pk_heights_pattern pattern = pk_heights_pattern_default();
  pk_heights h;
  pk_error err;
  pattern.function = PK_HEIGHTS_ROUGH, pattern.amplitude = 0.05, pattern.length = 0.8;
  if (pk_heights_generate(&pattern, 161, 161, 0.1, &h, &err) == PK_OK) {
    pk_terrain_add_heights(terrain, corner, h.nx, h.ny, h.cell, h.z, 0, &err);
    pk_heights_free(&h);
  }
}

static pk_sim_options sim_options(void)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt;
  o.sensing = sensing;
  o.sees = PK_SEES_SENSORS;
  return o;
}

static pk_locomotion_options trot(void)
{
  pk_locomotion_options o = pk_locomotion_options_default();
  o.gait = PK_GAIT_TROT, o.forward = 0.3, o.cycle = 0.8;
  return o;
}

/* ---- errors ---- */

typedef struct misses {
  double velocity, tilt; /* rms, m/s and rad */
  double drift, way;     /* m */
  int count;
} misses;

/* What the controller sees of the trunk against the truth of the same moment. */
static void add_miss(const pk_sim *sim, misses *sum)
{
  const double *q = sim->state.q, *u = sim->state.u, *sq = sim->state.seen, *su = sq + model->nq;
  double is[9], R[9], back[9], D[9], va[3], vb[3], off[3];
  pki_quat_to_mat3(q + 3, is);
  pki_quat_to_mat3(sq + 3, R);
  pki_mat3_transpose(is, back);
  pki_mat3_mul(R, back, D);
  pki_mat3_apply_transposed(R, su, va);
  pki_mat3_apply_transposed(is, u, vb);
  pki_sub3(va, vb, off);
  sum->velocity += pki_dot3(off, off);
  sum->tilt += 0.25 * ((D[7] - D[5]) * (D[7] - D[5]) + (D[2] - D[6]) * (D[2] - D[6]));
  pki_sub3(sq, q, off);
  sum->drift = pki_length3(off);
  sum->way += dt * hypot(u[0], u[1]);
  sum->count++;
}

static misses run_blind(unsigned stream, double seconds)
{
  const pk_sim_options o = sim_options();
  const pk_locomotion_options how = trot();
  walker w = walker_create(&o, &how, rough);
  misses sum = {0};
  double *q = pk_sim_q(w.sim);
  pk_sim_set_stream(w.sim, stream);
  q[0] = 0.3 * stream - 2, q[1] = 0.1 * stream, q[2] = 0.46;
  for (int n = 1; n * dt <= seconds; n++) {
    if (pk_sim_step(w.sim, NULL) != PK_OK) {
      fail_msg("the step %d failed", n);
    }
    add_miss(w.sim, &sum);
    pk_kinematics_compute(pk_sim_workspace(w.sim), q, NULL);
    if (pk_link_pose(pk_sim_workspace(w.sim), w.base).rot[8] < 0.5) {
      fail_msg("world %u fell at %g s", stream, n * dt);
    }
  }
  sum.velocity = sqrt(sum.velocity / sum.count), sum.tilt = sqrt(sum.tilt / sum.count);
  print_message("world %u: velocity %.4f m/s, tilt %.3f degrees rms; %.2f %% of %.1f m; height %.3f\n",
                stream, sum.velocity, sum.tilt * 57.29578, 100 * sum.drift / sum.way, sum.way, q[2]);
  walker_destroy(&w);
  return sum;
}

static void twenty_seconds_on_sensors_alone(void **state)
{
  (void)state;
  for (unsigned stream = 0; stream < PACE(5, 1); stream++) {
    const misses sum = run_blind(stream, PACE(20, 5));
    assert_less(sum.velocity, 0.05);
    assert_greater(sum.way, PACE(5, 1));
  }
}

/* Nobody finds out where the trunk is: it is where it was at the start. */
static void without_an_estimator_it_falls(void **state)
{
  (void)state;
  const pk_sim_options o = sim_options();
  const pk_locomotion_options how = trot();
  pk_sensing_set_estimator(sensing, NULL);
  walker w = walker_create(&o, &how, rough);
  bool fell = false;
  pk_sim_q(w.sim)[2] = 0.46;
  for (int n = 1; n * dt <= 20 && !fell; n++) {
    assert_int_equal(pk_sim_step(w.sim, NULL), PK_OK);
    const double *q = pk_sim_q(w.sim);
    fell = 1 - 2 * (q[4] * q[4] + q[5] * q[5]) < 0.5 || q[2] < 0.2;
  }
  walker_destroy(&w);
  pk_sensing_set_estimator(sensing, estimator);
  assert_true(fell);
}

/* What the estimator remembers is part of a world's state. */
static void a_state_goes_on_as_the_world_did(void **state)
{
  (void)state;
  enum { BEFORE = 500, AFTER = 300 };
  pk_sim_options o = sim_options();
  const pk_locomotion_options how = trot();
  pk_error err = {.message = ""};
  double q[2][64];
  o.max_contacts = 32;
  walker w = walker_create(&o, &how, rough);
  pk_sim_q(w.sim)[2] = 0.46;
  void *bytes = malloc(pk_sim_state_size(w.sim));
  if (bytes == NULL) {
    fail_msg("no memory");
    return;
  }
  for (int n = 0; n < BEFORE + AFTER; n++) {
    if (n == BEFORE) {
      pk_sim_get_state(w.sim, bytes);
    }
    assert_int_equal(pk_sim_step(w.sim, NULL), PK_OK);
  }
  memcpy(q[0], w.sim->state.seen, (size_t)model->nq * sizeof q[0][0]);
  pk_sim_reset(w.sim);
  if (pk_sim_set_state(w.sim, bytes, pk_sim_state_size(w.sim), &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  for (int n = 0; n < AFTER; n++) {
    assert_int_equal(pk_sim_step(w.sim, NULL), PK_OK);
  }
  memcpy(q[1], w.sim->state.seen, (size_t)model->nq * sizeof q[0][0]);
  assert_memory_equal(q[0], q[1], (size_t)model->nq * sizeof q[0][0]);
  free(bytes);
  walker_destroy(&w);
}

/* ---- many of them ---- */

static void place_world(int k, double *q, const double *stance)
{
  memcpy(q, stance, (size_t)model->nq * sizeof *q);
  q[0] = 0.1 * (k % 32) - 1.6, q[1] = 0.1 * (double)(k / 32) - 1, q[2] = 0.46;
  const double half = 0.1 * k;
  q[3] = cos(half), q[4] = q[5] = 0, q[6] = sin(half);
}

/* Worlds of a batch, each with noise of its own, against the same worlds alone: the whole state, estimates included. */
static void compare_worlds(int worlds, int lanes, int steps, int every)
{
  const pk_sim_options o = sim_options();
  const pk_locomotion_options how = trot();
  pk_error err = {.message = ""};
  walker w = walker_create(&o, &how, rough);
  double stance[64];
  memcpy(stance, pk_sim_q(w.sim), (size_t)model->nq * sizeof stance[0]);
  pk_batch_options options = pk_batch_options_default();
  options.worlds = worlds, options.lanes = lanes, options.sim = o;
  pk_batch *batch;
  if (pk_batch_create(w.model, &options, &batch, &err) != PK_OK ||
      pk_batch_set_terrain(batch, w.terrain, NULL, 0, &err) != PK_OK ||
      pk_batch_set_controller(batch, w.controller, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  for (int k = 0; k < worlds; k++) {
    place_world(k, pk_batch_view_world(pk_batch_q(batch), k), stance);
  }
  pk_batch_info info;
  assert_int_equal(pk_batch_step(batch, steps, &info), PK_OK);
  assert_int_equal(info.frozen, 0);
  const pk_sim_options chosen = pk_batch_sim_options(batch);
  pk_sim *sim, *probe;
  assert_int_equal(pk_sim_create(w.model, &chosen, &sim, &err), PK_OK);
  assert_int_equal(pk_sim_create(w.model, &chosen, &probe, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, w.terrain, NULL, 0, &err), PK_OK);
  assert_int_equal(pk_sim_set_controller(sim, w.controller, &err), PK_OK);
  for (int k = 0; k < worlds; k += every) {
    pk_sim_reset(sim);
    pk_sim_set_stream(sim, (unsigned long long)k);
    place_world(k, pk_sim_q(sim), stance);
    for (int n = 0; n < steps; n++) {
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    }
    assert_int_equal(pk_batch_get(batch, k, probe, &err), PK_OK);
    const size_t nu = (size_t)model->nu, nq = (size_t)model->nq;
    assert_memory_equal(pk_sim_q(sim), pk_sim_q(probe), nq * sizeof(double));
    assert_memory_equal(pk_sim_u(sim), pk_sim_u(probe), nu * sizeof(double));
    assert_memory_equal(sim->state.seen, probe->state.seen, (nq + nu) * sizeof(double));
    assert_memory_equal(sim->state.estimate, probe->state.estimate, sizeof(pk_base_estimator_state));
    assert_memory_equal(pk_sim_readings(sim), pk_sim_readings(probe),
                        (size_t)pk_sensing_values(sensing) * sizeof(double));
  }
  pk_sim_destroy(sim);
  pk_sim_destroy(probe);
  pk_batch_destroy(batch);
  walker_destroy(&w);
}

static void blind_worlds_of_a_batch_do_as_worlds_alone(void **state)
{
  (void)state;
  compare_worlds(64, 0, PACE(600, 200), 1);
  compare_worlds(13, 4, PACE(400, 200), 1);
  compare_worlds(9, 1, PACE(400, 200), 1);
}

static int long_steps = PACE(40, 20);

static void a_thousand_worlds_do_so_too(void **state)
{
  (void)state;
  compare_worlds(1024, 0, long_steps, PACE(1, 16));
}

int main(int argc, char **argv)
{
  const bool is_long = argc > 1 && strcmp(argv[1], "long") == 0;
  if (is_long && getenv("PRONK_LONG") == NULL) {
    puts("PRONK_LONG is not set");
    return 77;
  }
  long_steps = is_long ? 8000 : long_steps;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twenty_seconds_on_sensors_alone),
      cmocka_unit_test(without_an_estimator_it_falls),
      cmocka_unit_test(a_state_goes_on_as_the_world_did),
      cmocka_unit_test(blind_worlds_of_a_batch_do_as_worlds_alone),
      cmocka_unit_test(a_thousand_worlds_do_so_too),
  };
  return cmocka_run_group_tests_name("a blind trot", tests, equip, put_away);
}
