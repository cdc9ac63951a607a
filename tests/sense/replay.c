/* Readings are the same to the bit: in a run that is repeated, in a batch on any lanes and threads, from a checkpoint. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/pronk.h"
#include "support/allocations.h"
#include "support/bounds.h"
#include "support/fleet.h"

enum { WORLDS = 11, STEPS = 120 };

static const fleet_setting settings[] = {
    {"trot", FLEET_STARLETH, FLEET_TROT, FLEET_PLANE, FLEET_STANCE, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, STEPS,
     true},
    {"all kinds", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_MIX, 0.1, PK_STEPPER_MOREAU, 0, 2.5e-3, STEPS, true},
    {"worlds that differ", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_VARIED, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3,
     STEPS, true},
    {"cut joints", FLEET_MAXIMAL, 0, FLEET_PLANE, FLEET_STANCE, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 20, false},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* One of each kind, with every error that it can have. */
static pk_sensing *all_sensors(const pk_model *model, bool motors)
{
  pk_sensor list[64];
  int n = 0;
  const pk_sensor_errors wrong = {
      .noise = 0.01, .bias = 0.1, .bias_walk = 0.1, .correlation = 2, .resolution = 1e-6, .range = 50};
  const int foot = model->nlink - 1;
  for (int i = 0; pk_sensing_kind_name(i) != NULL; i++) {
    const pk_sensing_kind *kind = pk_sensing_kind_find(pk_sensing_kind_name(i));
    if (kind->motor && !motors) {
      continue;
    }
    pk_sensor s = {.kind = kind,
                   .link = foot,
                   .dof = model->nu - 1,
                   .threshold = 5,
                   .reach = 3,
                   .points = {4, 3},
                   .spacing = 0.1,
                   .part = {.rate = 130, .latency = 0.01, .dropout = 0.1, .linear = wrong, .angular = wrong}};
    s.part.bandwidth = kind->attitude ? 0 : 60;
    list[n++] = s;
  }
  pk_sensor imu = {.kind = pk_sensing_kind_find("imu"), .link = 0, .position = {0.1, 0, 0}};
  pk_sensor_part_find("adis16448", &imu.part);
  list[n++] = imu;
  for (int k = 6; k < model->nu - 1; k++) {
    list[n] = (pk_sensor){.kind = pk_sensing_kind_find("encoder"), .dof = k};
    pk_sensor_part_find("encoder-14bit", &list[n++].part);
  }
  pk_sensing *out;
  pk_error err = {0};
  if (pk_sensing_create(model, list, n, 99, &out, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return out;
}

typedef struct rig {
  fleet f;
  pk_sensing *sensing;
  pk_actuation *motors; /* NULL: commands are forces */
} rig;

/* A motor behind a spring on each joint. */
static pk_actuation *make_motors(const pk_model *model)
{
  pk_motor_parameters p = pk_motor_parameters_default();
  p.resistance = 0.5, p.inductance = 1e-4, p.constant = 0.05, p.inertia = 1e-5, p.gear = 50, p.spring = 400;
  p.winding_resistance = 1, p.housing_resistance = 4, p.winding_capacity = 5, p.housing_capacity = 100;
  pk_actuator list[32];
  int n = 0;
  for (int k = 6; k < model->nu; k++) {
    list[n++] = (pk_actuator){.dof = k, .kind = pk_actuator_kind_find("sea"), .parameters = &p};
  }
  pk_actuation *out;
  assert_int_equal(pk_actuation_create(model, list, n, NULL, &out, NULL), PK_OK);
  return out;
}

static void begin_rig(rig *r, const fleet_setting *s, pk_sees sees)
{
  fleet_make(&r->f, s);
  const pk_model *model = r->f.model->tree != NULL ? r->f.model->tree : r->f.model;
  const bool motors = strcmp(s->name, "all kinds") == 0;
  r->motors = motors ? make_motors(model) : NULL;
  r->f.options.actuation = r->motors;
  r->sensing = all_sensors(model, motors);
  r->f.options.sensing = r->sensing;
  r->f.options.sees = sees;
}

static void end(rig *r)
{
  fleet_free(&r->f);
  pk_sensing_destroy(r->sensing);
  pk_actuation_destroy(r->motors);
}

static pk_sim *world_alone(const rig *r, int k)
{
  pk_sim *sim = fleet_sim(&r->f, k);
  pk_sim_set_stream(sim, (unsigned long long)k);
  return sim;
}

static void must_be_equal(const rig *r, const double *a, const double *b, const char *what)
{
  const int n = pk_sensing_values(r->sensing);
  for (int i = 0; i < n; i++) {
    if (memcmp(&a[i], &b[i], sizeof *a) != 0) {
      int s = pk_sensing_count(r->sensing) - 1;
      while (pk_sensing_at(r->sensing, s) > i) {
        s--;
      }
      fail_msg("%s, %s: number %d (%s) is %.17g and %.17g", r->f.of->name, what, i,
               pk_sensing_get(r->sensing, s).name, a[i], b[i]);
    }
  }
}

static void batches_read_what_the_same_worlds_read_alone(void **state)
{
  (void)state;
  static const int lanes[] = {1, 4, 8};
  for (int i = 0; i < SETTINGS * 2; i++) {
    rig r;
    const fleet_setting *s = &settings[i / 2];
    begin_rig(&r, s, i % 2 == 0 ? PK_SEES_TRUTH : PK_SEES_SENSORS);
    pk_sim *sims[WORLDS];
    bool runs[WORLDS];
    for (int k = 0; k < WORLDS; k++) {
      sims[k] = world_alone(&r, k);
      runs[k] = true;
      for (int e = 0; e < s->steps && runs[k]; e++) {
        runs[k] = pk_sim_step(sims[k], NULL) == PK_OK;
      }
    }
    for (int l = 0; l < 3; l++) {
      pk_batch *b = fleet_batch(&r.f, WORLDS, lanes[l], 2);
      for (int k = 0; k < WORLDS; k++) {
        pk_batch_set_stream(b, k, (unsigned long long)k);
      }
      pk_batch_step(b, s->steps / 2, NULL);
      pk_batch_step(b, s->steps - s->steps / 2, NULL);
      const pk_batch_view view = pk_batch_readings(b);
      assert_int_equal(view.n, pk_sensing_values(r.sensing));
      for (int k = 0; k < WORLDS; k++) {
        must_be_equal(&r, pk_batch_view_world(view, k), pk_sim_readings(sims[k]), "batch");
      }
      pk_batch_destroy(b);
    }
    for (int k = 0; k < WORLDS; k++) {
      pk_sim_destroy(sims[k]);
    }
    end(&r);
  }
}

static void a_run_goes_on_from_its_checkpoint(void **state)
{
  (void)state;
  for (int i = 0; i < SETTINGS; i++) {
    rig r;
    begin_rig(&r, &settings[i], i % 2 == 0 ? PK_SEES_SENSORS : PK_SEES_TRUTH);
    const int steps = settings[i].steps;
    pk_sim *a = world_alone(&r, 3), *b = world_alone(&r, 3), *again = world_alone(&r, 3);
    for (int e = 0; e < steps / 2; e++) {
      assert_int_equal(pk_sim_step(a, NULL), PK_OK);
      assert_int_equal(pk_sim_step(again, NULL), PK_OK);
    }
    pk_sim_set_stream(b, 77); /* the state tells */
    void *bytes = malloc(pk_sim_state_size(a));
    pk_error err = {0};
    pk_sim_get_state(a, bytes);
    if (pk_sim_set_state(b, bytes, pk_sim_state_size(a), &err) != PK_OK) {
      fail_msg("%s", err.message);
    }
    assert_true(pk_sim_get_stream(b) == 3);
    for (int e = 0; e < steps / 2; e++) {
      assert_int_equal(pk_sim_step(a, NULL), PK_OK);
      assert_int_equal(pk_sim_step(b, NULL), PK_OK);
      assert_int_equal(pk_sim_step(again, NULL), PK_OK);
      must_be_equal(&r, pk_sim_readings(a), pk_sim_readings(b), "checkpoint");
      must_be_equal(&r, pk_sim_readings(a), pk_sim_readings(again), "repeated");
    }
    free(bytes);
    pk_sim_destroy(a), pk_sim_destroy(b), pk_sim_destroy(again);
    end(&r);
  }
}

static void a_reset_repeats_a_run(void **state)
{
  (void)state;
  rig r;
  begin_rig(&r, &settings[0], PK_SEES_TRUTH);
  pk_sim *sim = world_alone(&r, 2);
  double *first = malloc((size_t)pk_sensing_values(r.sensing) * sizeof *first);
  if (first == NULL) {
    fail_msg("no memory");
    return;
  }
  for (int run = 0; run < 2; run++) {
    for (int e = 0; e < 40; e++) {
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    }
    if (run == 0) {
      memcpy(first, pk_sim_readings(sim), (size_t)pk_sensing_values(r.sensing) * sizeof *first);
      pk_sim_reset(sim);
      fleet_place(&r.f, sim, 2);
    }
  }
  must_be_equal(&r, first, pk_sim_readings(sim), "reset");
  free(first);
  pk_sim_destroy(sim);
  end(&r);
}

static void streams_differ(void **state)
{
  (void)state;
  rig r;
  begin_rig(&r, &settings[0], PK_SEES_TRUTH);
  pk_sim *a = fleet_sim(&r.f, 0), *b = fleet_sim(&r.f, 0);
  const int imu = pk_sensing_at(r.sensing, pk_sensing_find_on(r.sensing, "imu", 0, 0));
  pk_sim_set_stream(b, 1);
  assert_int_equal(pk_sim_step(a, NULL), PK_OK);
  assert_int_equal(pk_sim_step(b, NULL), PK_OK);
  for (int i = 0; i < 6; i++) {
    assert_true(pk_sim_readings(a)[imu + i] != pk_sim_readings(b)[imu + i]);
  }
  pk_sim_destroy(a), pk_sim_destroy(b);
  end(&r);
}

static void sensing_changes_nothing_but_readings(void **state)
{
  (void)state;
  rig r;
  begin_rig(&r, &settings[0], PK_SEES_TRUTH);
  pk_sim *with = fleet_sim(&r.f, 1);
  r.f.options.sensing = NULL;
  pk_sim *without = fleet_sim(&r.f, 1);
  assert_true(pk_sim_readings(without) == NULL);
  for (int e = 0; e < STEPS; e++) {
    assert_int_equal(pk_sim_step(with, NULL), PK_OK);
    assert_int_equal(pk_sim_step(without, NULL), PK_OK);
  }
  const size_t bytes = (size_t)r.f.model->nq * sizeof(double);
  assert_memory_equal(pk_sim_q(with), pk_sim_q(without), bytes);
  pk_sim_destroy(with), pk_sim_destroy(without);
  end(&r);
}

static void states_of_other_sensors_are_refused(void **state)
{
  (void)state;
  rig r;
  begin_rig(&r, &settings[0], PK_SEES_TRUTH);
  pk_sim *with = fleet_sim(&r.f, 1);
  r.f.options.sensing = NULL;
  pk_sim *without = fleet_sim(&r.f, 1);
  void *bytes = malloc(pk_sim_state_size(without));
  pk_error err = {0};
  pk_sim_get_state(without, bytes);
  assert_int_equal(pk_sim_set_state(with, bytes, pk_sim_state_size(without), &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "other sensors"));
  free(bytes);
  pk_sim_destroy(with), pk_sim_destroy(without);
  end(&r);
}

static void steps_with_sensors_allocate_nothing(void **state)
{
  (void)state;
  rig r;
  begin_rig(&r, &settings[0], PK_SEES_SENSORS);
  pk_sim *sim = world_alone(&r, 0);
  assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  const int before = allocations;
  for (int e = 0; e < 50; e++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  assert_int_equal(allocations, before);
  pk_sim_destroy(sim);
  end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(batches_read_what_the_same_worlds_read_alone),
      cmocka_unit_test(a_run_goes_on_from_its_checkpoint),
      cmocka_unit_test(a_reset_repeats_a_run),
      cmocka_unit_test(streams_differ),
      cmocka_unit_test(sensing_changes_nothing_but_readings),
      cmocka_unit_test(states_of_other_sensors_are_refused),
      cmocka_unit_test(steps_with_sensors_allocate_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
