/* Single worlds of a batch: what is told of their steps, worlds that freeze and come back, into sims and back, pushes,
 * views. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/gait.h"
#include "support/bounds.h"
#include "support/fleet.h"
#include "support/pace.h"

enum { COUNT = 11 };

static const fleet_setting feet = {"feet", FLEET_FEET, 0,  FLEET_PLANE, FLEET_DROP, 0.5, PK_STEPPER_MOREAU,
                                   0,      2.5e-3,     60, true};
static const fleet_setting mixed = {
    "mixed", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_MIX, 0.3, PK_STEPPER_MOREAU, 0, 2.5e-3, 40, true};
static const fleet_setting held = {"held", FLEET_STARLETH,    FLEET_HOLD, FLEET_PLANE, FLEET_STANCE,
                                   0.8,    PK_STEPPER_MOREAU, 0,          2.5e-3,      40,
                                   true};

static void must_be_same(const fleet *f, pk_batch *b, int k, pk_sim *sim, pk_sim *probe)
{
  if (!fleet_is_same(f, b, k, sim, probe)) {
    fail_msg("world %d on %d lanes is not the world alone", k, pk_batch_lanes(b));
  }
}

/* ---- what is told ---- */

/* The figures of a batch are those of its worlds. */
static void check_figures(const fleet *f, int lanes, bool hard)
{
  const int steps = PACE(60, 45);
  pk_batch_info info, expected = {.worst_world = -1};
  double worst[COUNT] = {0}; /* of each world */
  pk_batch *b = fleet_batch(f, COUNT, lanes, 2);
  assert_int_equal(pk_batch_step(b, steps, &info), PK_OK);
  for (int k = 0; k < COUNT; k++) {
    pk_sim *sim = fleet_sim(f, k);
    pk_step_info one = {0};
    for (int i = 0; i < steps; i++) {
      assert_int_equal(pk_sim_step(sim, &one), PK_OK);
      expected.stepped++, expected.uncertified += !one.certified;
      worst[k] = fmax(worst[k], one.certificate.relative);
    }
    expected.worst = fmax(expected.worst, worst[k]);
    assert_at_most(fabs(pk_batch_world_residual(b, k) - one.certificate.relative), 1e-12);
    assert_int_equal(pk_batch_world_uncertified(b, k), pk_sim_uncertified(sim));
    pk_sim_destroy(sim);
  }
  assert_int_equal(info.stepped, expected.stepped);
  assert_int_equal(info.uncertified, expected.uncertified);
  assert_at_most(fabs(info.worst - expected.worst), 1e-12);
  assert_in_range(info.worst_world, 0, COUNT - 1);
  assert_at_most(fabs(worst[info.worst_world] - expected.worst), 1e-12); /* reports round in another way */
  assert_int_equal(info.frozen, 0);
  assert_true((info.uncertified > 0) == hard);
  assert_true(!hard ||
              info.impulses_alone + info.alone > 0); /* the scalar solvers tried, in the lane or out of it */
  assert_less(info.alone, info.stepped);
  assert_greater(info.worst, 0);
  pk_batch_destroy(b);
}

static void the_worst_residual_is_told_and_whose_it_is(void **state)
{
  (void)state;
  for (int hard = 0; hard < 2; hard++) {
    fleet f;
    fleet_make(&f, &feet);
    if (hard) { /* no solver gets there */
      f.options.tolerance = 1e-15, f.options.max_iterations = 1;
    }
    for (int lanes = 1; lanes <= 8; lanes += lanes == 1 ? 3 : 4) {
      check_figures(&f, lanes, hard);
    }
    fleet_free(&f);
  }
}

/* A step that left, and its one reason. */
static void must_have_left(const pk_batch_info *info, long long alone, pk_lane_exit why)
{
  assert_int_equal(info->alone, alone);
  for (int i = 0; i < PK_LANE_EXIT_COUNT; i++) {
    const long long expected = i == (int)why ? alone : 0;
    if (info->left[i] != expected) {
      fail_msg("%lld steps left the lanes for \"%s\", expected %lld of %lld", info->left[i],
               pk_lane_exit_name(i), expected, alone);
    }
  }
}

static void steps_that_lanes_cannot_do_are_counted(void **state)
{
  (void)state;
  fleet f;
  pk_batch_info info;
  fleet_make(&f, &feet);
  pk_batch *b = fleet_batch(&f, COUNT, 4, 1);
  for (int k = 0; k < COUNT; k++) { /* in the air nothing stands in the way */
    pk_batch_view_world(pk_batch_q(b), k)[2] = 3;
  }
  assert_int_equal(pk_batch_step(b, 10, &info), PK_OK);
  must_have_left(&info, 0, PK_LANE_EXIT_NONE);
  /* a push is for lanes */
  assert_int_equal(pk_batch_push(b, 3, 0, (const double[3]){0}, (const double[3]){0, 0, 5}), PK_OK);
  assert_int_equal(pk_batch_step(b, 10, &info), PK_OK);
  must_have_left(&info, 0, PK_LANE_EXIT_NONE);
  assert_int_equal(info.stepped, 10 * COUNT);
  /* a foot that comes from far, faster than 8 m/s: once, then it has landed */
  pk_batch_view_world(pk_batch_q(b), 3)[2] = 0.5, pk_batch_view_world(pk_batch_u(b), 3)[2] = -30;
  assert_int_equal(pk_batch_step(b, 3, &info), PK_OK);
  must_have_left(&info, info.alone, PK_LANE_EXIT_FAST);
  assert_greater(info.alone, 0);
  assert_at_most(info.alone, 3);
  /* a command that is none: the step leaves, fails alone and is not counted; 1e301 is a number, but none for lanes */
  ((pk_command *)(void *)pk_batch_view_world(pk_batch_commands(b), 5))[8].kp = -1;
  ((pk_command *)(void *)pk_batch_view_world(pk_batch_commands(b), 6))[8] =
      (pk_command){.q_des = 1e301, .tau_max = 5};
  assert_int_equal(pk_batch_step(b, 1, &info), PK_OK);
  must_have_left(&info, 1, PK_LANE_EXIT_COMMAND);
  assert_int_equal(info.frozen, 1);
  assert_int_equal(info.stepped, COUNT - 1);
  pk_batch_destroy(b);
  fleet_free(&f);
}

/* What all worlds share decides for all of them: a law, a scheme, a material that bounces. */
static void worlds_that_are_not_made_for_lanes_say_so(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    fleet f;
    pk_batch_info info;
    fleet_make(&f, &feet);
    f.options.law = i == 0 ? PK_CONTACT_LAW_COMPLIANT : PK_CONTACT_LAW_HARD;
    f.options.implicit = i == 1 ? PK_IMPLICIT_FORCES_NONE : PK_IMPLICIT_FORCES_ALL;
    f.options.contact = i == 2 ? PK_CONTACT_GEHRING_2014 : PK_CONTACT_STABILISED;
    f.material.restitution_n = i == 3 ? 0.5 : 0;
    f.options.dt = 5e-4;
    pk_batch *b = fleet_batch(&f, COUNT, 4, 1);
    assert_int_equal(pk_batch_step(b, 5, &info), PK_OK);
    must_have_left(&info, 5 * COUNT, PK_LANE_EXIT_WORLD);
    pk_step_info one;
    pk_sim *sim = fleet_sim(&f, 0);
    assert_int_equal(pk_sim_step(sim, &one), PK_OK);
    assert_int_equal(one.left, PK_LANE_EXIT_WORLD);
    pk_sim_destroy(sim);
    pk_batch_destroy(b);
    fleet_free(&f);
  }
  assert_string_equal(pk_lane_exit_name(PK_LANE_EXIT_WORLD), "world");
  assert_string_equal(pk_lane_exit_name(PK_LANE_EXIT_COUNT), "unknown");
}

/* ---- worlds that freeze ---- */

/* How a world is spoilt, and what is said of it. */
typedef struct harm {
  const char *what;
  int view; /* 0: q, 1: u, 2: commands */
  int at;
  double value;
  pk_status status;
} harm;

enum { COMMAND = sizeof(pk_command) / sizeof(double) }; /* numbers of one */

static const harm harms[] = {{"u", 1, 7, NAN, PK_ERROR_NONFINITE},
                             {"q", 0, 0, INFINITY, PK_ERROR_NONFINITE},
                             {"a joint", 0, 9, -NAN, PK_ERROR_NONFINITE},
                             {"torque", 2, COMMAND * 8, NAN, PK_ERROR_NONFINITE},
                             {"target", 2, COMMAND * 8 + 1, NAN, PK_ERROR_NONFINITE},
                             {"target without gain", 2, COMMAND * 2 + 1, NAN, PK_ERROR_NONFINITE},
                             {"gain", 2, COMMAND * 8 + 3, -1, PK_ERROR_ARGUMENT},
                             {"infinite gain", 2, COMMAND * 8 + 4, INFINITY, PK_ERROR_ARGUMENT},
                             {"limit", 2, COMMAND * 8 + 5, NAN, PK_ERROR_NONFINITE},
                             {"correction", 2, COMMAND * 8 + 6, -1, PK_ERROR_ARGUMENT}};

static pk_batch_view view_of(pk_batch *b, int which)
{
  return which == 0 ? pk_batch_q(b) : which == 1 ? pk_batch_u(b) : pk_batch_commands(b);
}

/* World `k` is spoilt: it stays as it is and says why, the others do not notice, and it comes back. */
static void check_harm(const fleet *f, const harm *h, int lanes, int k)
{
  const int steps = 10;
  pk_batch_info info;
  pk_batch *b = fleet_batch(f, COUNT, lanes, 1), *clean = fleet_batch(f, COUNT, lanes, 1);
  pk_sim *sim = fleet_sim(f, 0), *probe = fleet_sim(f, 0), *spoilt = fleet_sim(f, k);
  assert_int_equal(pk_batch_step(b, 5, NULL), PK_OK);
  assert_int_equal(pk_batch_step(clean, 5, NULL), PK_OK);
  pk_batch_view_world(view_of(b, h->view), k)[h->at] = h->value;
  /* a sim says the same, and goes nowhere */
  assert_int_equal(pk_batch_get(b, k, spoilt, NULL), PK_OK);
  assert_int_equal(pk_sim_step(spoilt, NULL), h->status);
  assert_int_equal(pk_batch_step(b, steps, &info), PK_OK);
  assert_int_equal(pk_batch_step(clean, steps, NULL), PK_OK);
  assert_int_equal(info.frozen, 1);
  assert_int_equal(info.stepped, steps * (COUNT - 1));
  for (int i = 0; i < COUNT; i++) {
    if (i == k) {
      assert_int_equal(pk_batch_world_status(b, i), h->status);
      must_be_same(f, b, i, spoilt, probe);
    } else {
      assert_int_equal(pk_batch_world_status(b, i), PK_OK);
      assert_int_equal(pk_batch_get(clean, i, sim, NULL), PK_OK);
      must_be_same(f, b, i, sim, probe);
    }
  }
  /* writing the number is not enough, setting the world is */
  assert_int_equal(pk_batch_get(clean, k, sim, NULL), PK_OK);
  assert_int_equal(pk_batch_set(b, k, sim, NULL), PK_OK);
  assert_int_equal(pk_batch_step(b, steps, &info), PK_OK);
  assert_int_equal(pk_batch_step(clean, steps, NULL), PK_OK);
  assert_int_equal(info.frozen, 0);
  assert_int_equal(pk_batch_get(clean, k, sim, NULL), PK_OK);
  must_be_same(f, b, k, sim, probe);
  pk_batch_destroy(b), pk_batch_destroy(clean);
  pk_sim_destroy(sim), pk_sim_destroy(probe), pk_sim_destroy(spoilt);
}

static void a_world_that_is_no_number_freezes_alone(void **state)
{
  (void)state;
  fleet f;
  fleet_make(&f, &feet);
  for (size_t i = 0; i < sizeof harms / sizeof harms[0]; i++) {
    check_harm(&f, &harms[i], i % 3 == 0 ? 1 : i % 3 == 1 ? 4 : 8, (int)(3 * i) % COUNT);
  }
  fleet_free(&f);
}

/* No attitude at all, and one that is hardly any. */
static void a_world_without_attitude_freezes(void **state)
{
  (void)state;
  fleet f;
  pk_batch_info info;
  fleet_make(&f, &feet);
  pk_batch *b = fleet_batch(&f, 4, 4, 1);
  for (int k = 0; k < 2; k++) {
    double *q = pk_batch_view_world(pk_batch_q(b), k);
    q[3] = k * 1e-7, q[4] = q[5] = q[6] = 0;
  }
  assert_int_equal(pk_batch_step(b, 2, &info), PK_OK);
  assert_int_equal(info.frozen, 2);
  for (int k = 0; k < 4; k++) {
    assert_int_equal(pk_batch_world_status(b, k), k < 2 ? PK_ERROR_ARGUMENT : PK_OK);
  }
  pk_batch_destroy(b);
  fleet_free(&f);
}

/* A limit makes a number of anything: what is none must not get that far. */
static void a_torque_that_is_no_number_is_not_taken_for_its_limit(void **state)
{
  (void)state;
  const pk_command wrong[] = {
      {.tau = NAN, .tau_max = 5}, {.tau = -INFINITY, .tau_max = 5}, {.q_des = NAN, .tau_max = 5}};
  fleet f;
  fleet_make(&f, &mixed);
  for (int i = 0; i < 3; i++) {
    pk_batch *b = fleet_batch(&f, 4, 4, 1);
    pk_batch_set_controller(b, NULL, NULL);
    ((pk_command *)(void *)pk_batch_view_world(pk_batch_commands(b), 2))[8] = wrong[i];
    pk_batch_step(b, 1, NULL);
    assert_int_equal(pk_batch_world_status(b, 2), PK_ERROR_NONFINITE);
    assert_int_equal(pk_batch_world_status(b, 1), PK_OK);
    pk_batch_destroy(b);
    pk_sim *sim = fleet_sim(&f, 2);
    pk_sim_set_controller(sim, NULL, NULL);
    pk_sim_commands(sim)[8] = wrong[i];
    assert_int_equal(pk_sim_step(sim, NULL), PK_ERROR_NONFINITE);
    pk_sim_destroy(sim);
  }
  fleet_free(&f);
}

static void no_such_world_has_no_figures(void **state)
{
  (void)state;
  fleet f;
  fleet_make(&f, &mixed);
  pk_batch *b = fleet_batch(&f, 3, 4, 1);
  const int none[] = {-1, 3, 99999};
  for (int i = 0; i < 3; i++) {
    pk_sim_contact contact;
    assert_int_equal(pk_batch_world_status(b, none[i]), PK_ERROR_ARGUMENT);
    assert_true(pk_batch_world_time(b, none[i]) == 0 && pk_batch_world_residual(b, none[i]) == 0);
    assert_false(pk_batch_world_certified(b, none[i]));
    assert_int_equal(pk_batch_contacts(b, none[i], &contact, 1), 0);
  }
  pk_batch_destroy(b);
  fleet_free(&f);
}

static void a_world_with_too_many_contacts_freezes(void **state)
{
  (void)state;
  fleet f;
  pk_batch_info info;
  fleet_make(&f, &mixed);
  f.options.max_contacts = 4;
  pk_batch *b = fleet_batch(&f, 8, 4, 2);
  assert_int_equal(pk_batch_step(b, PACE(60, 40), &info), PK_OK);
  assert_greater(info.frozen, 0);
  assert_less(info.frozen, 8);
  int k = 0;
  while (pk_batch_world_status(b, k) == PK_OK) {
    k++;
  }
  assert_int_equal(pk_batch_world_status(b, k), PK_ERROR_LIMIT);
  assert_int_equal(pk_batch_world_status(b, 6), PK_OK); /* it stands */
  const double time = pk_batch_world_time(b, k);
  assert_int_equal(pk_batch_step(b, 10, &info), PK_OK);
  assert_true(pk_batch_world_time(b, k) == time);
  pk_batch_reset(b, k);
  assert_int_equal(pk_batch_world_status(b, k), PK_OK);
  assert_true(pk_batch_world_time(b, k) == 0);
  pk_batch_destroy(b);
  fleet_free(&f);
}

static void a_world_that_cannot_remember_its_contacts_freezes_where_it_is(void **state)
{
  (void)state;
  fleet f;
  pk_batch_info info;
  pk_error err;
  fleet_make(&f, &mixed);
  const int k = 3;
  f.options.max_contacts = 128;
  pk_batch *b = fleet_batch_keeping(&f, 8, 4, 2, 1), *all = fleet_batch_keeping(&f, 8, 4, 2, 128);
  assert_int_equal(pk_batch_keep(b), 8);        /* lanes want some */
  pk_batch_reset(b, k), pk_batch_reset(all, k); /* in the ground */
  pk_batch_step(b, 1, &info);
  pk_batch_step(all, 1, NULL);
  assert_int_equal(info.frozen, 1);
  assert_int_equal(pk_batch_world_status(b, k), PK_ERROR_LIMIT);
  assert_greater(pk_batch_contacts(all, k, NULL, 0), 8); /* the step itself was done */
  assert_memory_equal(pk_batch_view_world(pk_batch_q(b), k), pk_batch_view_world(pk_batch_q(all), k),
                      (size_t)f.model->nq * sizeof(double));
  pk_sim_options o = pk_batch_sim_options(all);
  pk_sim *sim;
  assert_int_equal(pk_sim_create(f.model, &o, &sim, &err), PK_OK);
  assert_int_equal(pk_batch_get(all, k, sim, &err), PK_OK);
  assert_int_equal(pk_batch_set(b, k, sim, &err), PK_ERROR_LIMIT);
  assert_non_null(strstr(err.message, "raise the option keep"));
  pk_sim_destroy(sim);
  pk_batch_destroy(b), pk_batch_destroy(all);
  fleet_free(&f);
}

/* ---- one world ---- */

/* A world that is reset begins as a sim that is reset, whoever goes on beside it. */
static void single_worlds_are_reset(void **state)
{
  (void)state;
  fleet f;
  fleet_make(&f, &held);
  pk_batch *b = fleet_batch(&f, COUNT, 4, 1);
  pk_sim *sim = fleet_sim(&f, 5), *probe = fleet_sim(&f, 0), *other = fleet_sim(&f, 6);
  assert_int_equal(pk_batch_step(b, 20, NULL), PK_OK);
  pk_batch_reset(b, 5);
  pk_batch_reset(b, -1), pk_batch_reset(b, COUNT); /* nobody */
  pk_sim_reset(sim);
  must_be_same(&f, b, 5, sim, probe);
  pk_batch_view_world(pk_batch_q(b), 5)[2] = pk_sim_q(sim)[2] = 0.8;
  for (int i = 0; i < 40; i++) {
    assert_int_equal(i < 20 ? pk_sim_step(sim, NULL) : PK_OK, PK_OK);
    assert_int_equal(pk_sim_step(other, NULL), PK_OK);
  }
  assert_int_equal(pk_batch_step(b, 20, NULL), PK_OK);
  must_be_same(&f, b, 5, sim, probe);
  must_be_same(&f, b, 6, other, probe);
  pk_batch_destroy(b);
  pk_sim_destroy(sim), pk_sim_destroy(probe), pk_sim_destroy(other);
  fleet_free(&f);
}

/* Out of a batch and into another one in any order, in the middle of their ways. */
static void worlds_move_between_batches(void **state)
{
  (void)state;
  fleet f;
  fleet_make(&f, &mixed);
  pk_batch *a = fleet_batch(&f, COUNT, 4, 1), *b = fleet_batch(&f, COUNT, 8, 2);
  pk_sim *sim = fleet_sim(&f, 0), *probe = fleet_sim(&f, 0);
  const int steps = PACE(40, 15);
  assert_int_equal(pk_batch_step(a, steps, NULL), PK_OK);
  for (int k = 0; k < COUNT; k++) {
    assert_int_equal(pk_batch_get(a, k, sim, NULL), PK_OK);
    assert_int_equal(pk_batch_set(b, COUNT - 1 - k, sim, NULL), PK_OK);
  }
  assert_int_equal(pk_batch_step(a, steps, NULL), PK_OK);
  assert_int_equal(pk_batch_step(b, steps, NULL), PK_OK);
  for (int k = 0; k < COUNT; k++) {
    assert_int_equal(pk_batch_get(a, k, sim, NULL), PK_OK);
    must_be_same(&f, b, COUNT - 1 - k, sim, probe);
  }
  pk_batch_destroy(a), pk_batch_destroy(b);
  pk_sim_destroy(sim), pk_sim_destroy(probe);
  fleet_free(&f);
}

static void pushes_act_on_one_world(void **state)
{
  (void)state;
  fleet f;
  fleet_make(&f, &mixed);
  pk_batch *b = fleet_batch(&f, 8, 4, 1);
  pk_sim *probe = fleet_sim(&f, 0), *sims[8];
  static const double at[3] = {0.1, 0, 0.05}, force[3] = {20, -30, 10};
  for (int k = 0; k < 8; k++) {
    sims[k] = fleet_sim(&f, k);
  }
  for (int i = 0; i < 20; i++) {
    for (int k = 0; k < 8; k += 3) {
      assert_int_equal(pk_batch_push(b, k, 0, at, force), PK_OK);
      assert_int_equal(pk_sim_push(sims[k], 0, at, force), PK_OK);
    }
    for (int k = 0; k < 8; k++) {
      assert_int_equal(pk_sim_step(sims[k], NULL), PK_OK);
    }
    assert_int_equal(pk_batch_step(b, 1, NULL), PK_OK);
  }
  assert_int_equal(pk_batch_push(b, 8, 0, at, force), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_batch_push(b, -1, 0, at, force), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_batch_push(b, 0, 1000, at, force), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_batch_push(b, 0, 0, at, (const double[3]){NAN, 0, 0}), PK_ERROR_ARGUMENT);
  for (int k = 0; k < 8; k++) {
    must_be_same(&f, b, k, sims[k], probe);
    pk_sim_destroy(sims[k]);
  }
  pk_batch_destroy(b);
  pk_sim_destroy(probe);
  fleet_free(&f);
}

/* ---- what is refused ---- */

static void other_sims_are_refused(void **state)
{
  (void)state;
  fleet f, other;
  pk_error err = {.message = ""};
  fleet_make(&f, &feet);
  fleet_make(&other, &held);
  pk_batch *b = fleet_batch(&f, 2, 4, 1);
  pk_sim *sim = fleet_sim(&f, 0), *stranger = fleet_sim(&other, 0);
  assert_int_equal(pk_batch_get(b, 2, sim, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "world is 2, expected 0 to 1");
  assert_int_equal(pk_batch_set(b, -1, sim, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "world is -1, expected 0 to 1");
  assert_int_equal(pk_batch_get(b, 0, stranger, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "sim");
  assert_non_null(strstr(err.message, "the sim is of another model: "));
  pk_sim_destroy(stranger);
  pk_sim_options o = pk_batch_sim_options(b);
  o.dt = 1e-3;
  assert_int_equal(pk_sim_create(f.model, &o, &stranger, &err), PK_OK);
  assert_int_equal(pk_batch_set(b, 0, stranger, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message,
                      "the sim's option dt is 0.001, the batch has 0.0025: take pk_batch_sim_options");
  assert_string_equal(err.field, "dt");
  pk_sim_destroy(stranger);
  /* another controller, another ground that it touches */
  pk_controller *hold;
  assert_int_equal(pk_hold_create(f.model, NULL, &hold, &err), PK_OK);
  assert_int_equal(pk_sim_set_controller(sim, hold, &err), PK_OK);
  assert_int_equal(pk_batch_set(b, 0, sim, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message,
                      "the sim has another controller than the batch: pk_batch_set_controller comes first");
  assert_int_equal(pk_sim_set_controller(sim, NULL, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, other.ground, NULL, 0, &err), PK_OK);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  assert_greater(pk_sim_contacts(sim, NULL, 0), 0);
  assert_int_equal(pk_batch_set(b, 0, sim, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message,
                      "the sim touches another ground than the batch's: pk_batch_set_terrain comes first");
  assert_int_equal(pk_batch_get(b, 0, sim, &err), PK_OK); /* it gets the batch's */
  assert_int_equal(pk_batch_set(b, 0, sim, &err), PK_OK);
  assert_int_equal(pk_batch_step(b, -1, NULL), PK_ERROR_ARGUMENT);
  pk_sim_destroy(sim);
  pk_hold_destroy(hold);
  pk_batch_destroy(b);
  fleet_free(&f), fleet_free(&other);
}

static void wrong_options_are_refused_by_name(void **state)
{
  (void)state;
  static const struct {
    int worlds, lanes, threads;
    double dt;
    const char *field;
  } wrong[] = {{0, 4, 1, 1e-3, "worlds"},     {-3, 4, 1, 1e-3, "worlds"}, {1, 2, 1, 1e-3, "lanes"},
               {1, 16, 1, 1e-3, "lanes"},     {1, -1, 1, 1e-3, "lanes"},  {1, 4, -1, 1e-3, "threads"},
               {1, 4, 5000, 1e-3, "threads"}, {1, 4, 1, -1, "dt"}};
  fleet f;
  fleet_make(&f, &feet);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    pk_batch_options o = pk_batch_options_default();
    pk_error err = {.message = ""};
    pk_batch *b = NULL;
    o.worlds = wrong[i].worlds, o.lanes = wrong[i].lanes, o.threads = wrong[i].threads,
    o.sim.dt = wrong[i].dt;
    assert_int_equal(pk_batch_create(f.model, &o, &b, &err), PK_ERROR_ARGUMENT);
    assert_null(b);
    assert_string_equal(err.field, wrong[i].field);
  }
  pk_batch_destroy(NULL);
  fleet_free(&f);
}

/* ---- views ---- */

static void views_are_where_the_worlds_are(void **state)
{
  (void)state;
  fleet f;
  fleet_make(&f, &feet);
  pk_batch *b = fleet_batch(&f, 5, 4, 1);
  const pk_batch_view views[4] = {pk_batch_q(b), pk_batch_u(b), pk_batch_commands(b), pk_batch_tau(b)};
  static const int n[4] = {19, 18, COMMAND * 18, 18};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(views[i].n, n[i]);
    assert_int_equal(views[i].worlds, 5);
    assert_true(views[i].stride == views[0].stride);
    assert_at_most(views[i].stride * 8, (ptrdiff_t)pk_batch_world_bytes(b));
    assert_ptr_equal(pk_batch_view_world(views[i], 3), views[i].data + 3 * views[i].stride);
  }
  pk_sim *sim = fleet_sim(&f, 3), *probe = fleet_sim(&f, 3);
  pk_sim_u(sim)[4] = pk_batch_view_world(views[1], 3)[4] = 0.7;
  pk_sim_commands(sim)[9].tau = ((pk_command *)(void *)pk_batch_view_world(views[2], 3))[9].tau = 1.5;
  assert_int_equal(pk_batch_step(b, 3, NULL), PK_OK);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  must_be_same(&f, b, 3, sim, probe);
  assert_ptr_equal(pk_batch_model(b), f.model);
  assert_int_equal(pk_batch_worlds(b), 5);
  pk_sim_destroy(sim), pk_sim_destroy(probe);
  pk_batch_destroy(b);
  fleet_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_worst_residual_is_told_and_whose_it_is),
      cmocka_unit_test(steps_that_lanes_cannot_do_are_counted),
      cmocka_unit_test(worlds_that_are_not_made_for_lanes_say_so),
      cmocka_unit_test(a_world_that_is_no_number_freezes_alone),
      cmocka_unit_test(a_world_without_attitude_freezes),
      cmocka_unit_test(a_torque_that_is_no_number_is_not_taken_for_its_limit),
      cmocka_unit_test(no_such_world_has_no_figures),
      cmocka_unit_test(a_world_with_too_many_contacts_freezes),
      cmocka_unit_test(a_world_that_cannot_remember_its_contacts_freezes_where_it_is),
      cmocka_unit_test(single_worlds_are_reset),
      cmocka_unit_test(worlds_move_between_batches),
      cmocka_unit_test(pushes_act_on_one_world),
      cmocka_unit_test(other_sims_are_refused),
      cmocka_unit_test(wrong_options_are_refused_by_name),
      cmocka_unit_test(views_are_where_the_worlds_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
