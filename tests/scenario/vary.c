/* Worlds that differ: numbers that depend on the seed, the world and the entry alone, worlds that are what was drawn for
 * them, robots that stand on the ground wherever they are put, entries that make no sense. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>

#include "scenario/help.h"
#include "sim/query.h"
#include "support/bounds.h"
#include "support/pace.h"

#define LEGS \
  "  joints: {LF_HFE: 0.7343, LF_KFE: -1.3412, RF_HFE: 0.7343, RF_KFE: -1.3412, LH_HFE: -0.7343, LH_KFE: " \
  "1.3412, RH_HFE: " \
  "-0.7343, RH_KFE: 1.3412}\n"

static const char *const rough =
    "model:\n"
    "  model: starleth\n"
    "  position: [0, 0, 0.5]\n" LEGS
    "terrain: [{shape: heights, position: [-12, -12, 0], cell: 0.1, nx: 241, ny: 241, function: rough, "
    "amplitude: 0.05, length: 0.8}]\n"
    "controller: {name: locomotion, gait: trot, forward: 0.3}\n"
    "disturb: [{link: base, every: 0.3, for: 0.1, force: 30}]\n"
    "step: {dt: 2.5e-3}\n"
    "seed: 5\n"
    "duration: 1\n"
    "vary:\n"
    "  - {what: mass, link: '*_SHANK', from: 0.8, to: 1.2}\n"
    "  - {what: payload, link: base, from: 0, to: 3, point: [0.1, 0, 0.1]}\n"
    "  - {what: friction, distribution: log-uniform, from: 0.25, to: 1}\n"
    "  - {what: latency, from: 0, to: 0.01}\n"
    "  - {what: position, from: -8, to: 8}\n"
    "  - {what: yaw, from: -3, to: 3}\n"
    "  - {what: joint, joints: '*_KFE', distribution: normal, mean: 0, deviation: 0.05, from: -0.1, to: "
    "0.1}\n"
    "  - {what: velocity, axis: x, distribution: normal, mean: 0.1, deviation: 0.2}\n"
    "  - {what: push, from: 0, to: 2}\n";

enum { NUMBERS = 4 + 1 + 1 + 1 + 2 + 1 + 4 + 1 + 1 };

/* ---- numbers ---- */

static void numbers_have_their_distribution(void **state)
{
  (void)state;
  enum { MANY = 20000 };
  pki_scenario *s = good_scenario(rough, NULL);
  pki_world w = good_world(s);
  assert_int_equal(w.nvaried, NUMBERS);
  assert_string_equal(w.varied[0].name, "mass LF_SHANK");
  assert_string_equal(w.varied[4].name, "payload base");
  assert_string_equal(w.varied[7].name, "position x");
  assert_string_equal(w.varied[15].name, "push");
  for (int i = 0; i < w.nvaried; i++) {
    const pki_scenario_vary *v = &s->varies[w.varied[i].entry];
    double sum = 0, square = 0, least = INFINITY, most = -INFINITY;
    for (int k = 0; k < MANY; k++) {
      double x = pki_varied_value(s, &w.varied[i], k);
      x = v->distribution == PKI_LOG_UNIFORM ? log(x) : x;
      sum += x, square += x * x, least = fmin(least, x), most = fmax(most, x);
    }
    const double mean = sum / MANY, deviation = sqrt(square / MANY - mean * mean);
    if (v->what == PKI_VARY_VELOCITY) {
      assert_less(fabs(mean - 0.1), 0.01);
      assert_less(fabs(deviation - 0.2), 0.01);
    } else if (v->what == PKI_VARY_JOINT) { /* 5 % of them lie beyond two deviations */
      assert_true(least == -0.1 && most == 0.1);
      assert_less(fabs(mean), 0.002);
    } else {
      const double from = v->distribution == PKI_LOG_UNIFORM ? log(v->from) : v->from,
                   to = v->distribution == PKI_LOG_UNIFORM ? log(v->to) : v->to, width = to - from;
      assert_at_least(least, from - 1e-12);
      assert_at_most(most, to + 1e-12);
      assert_less(fabs(mean - 0.5 * (from + to)), 0.02 * width);
      assert_true(v->what == PKI_VARY_LATENCY || fabs(deviation - width / sqrt(12)) < 0.02 * width);
    }
  }
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* No two numbers, worlds or seeds have anything in common. */
static void numbers_are_independent(void **state)
{
  (void)state;
  enum { MANY = 4000 };
  pki_scenario *s = good_scenario(rough, NULL), *t = good_scenario(rough, "seed=6");
  pki_world w = good_world(s);
  for (int i = 0; i < w.nvaried; i++) {
    for (int j = 0; j <= i; j++) {
      double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
      for (int k = 0; k < MANY; k++) { /* i == j: the next world's; else another number of the same world */
        const double x = pki_varied_value(s, &w.varied[i], k),
                     y = i == j ? pki_varied_value(k % 2 ? s : t, &w.varied[i], k + 1)
                                : pki_varied_value(s, &w.varied[j], k);
        a += x, b += y, aa += x * x, bb += y * y, ab += x * y;
      }
      const double cov = ab / MANY - a / MANY * b / MANY,
                   var = (aa / MANY - a / MANY * a / MANY) * (bb / MANY - b / MANY * b / MANY);
      assert_less(fabs(cov), 0.08 * sqrt(var)); /* five deviations of chance */
    }
  }
  pki_world_free(&w);
  pki_scenario_destroy(s), pki_scenario_destroy(t);
}

/* ---- worlds ---- */

static void the_world_of_a_key_is_the_world_of_a_batch(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario(rough, NULL), *one = good_scenario(rough, "world=17");
  pki_world w = good_world(s), alone = good_world(one);
  assert_true(w.number == -1 && alone.number == 17 && w.push == 1 && alone.push != 1);
  const size_t size = pk_sim_state_size(w.sim);
  char *a = malloc(size), *b = malloc(size);
  for (int k = 3; k < 20; k += 7) { /* 3, 10, 17: whatever it was before, also after some steps */
    assert_int_equal(pki_world_vary(&w, k, NULL), PK_OK);
    for (int i = 0; i < 20; i++) {
      assert_int_equal(pki_world_step(&w, NULL), PK_OK);
    }
  }
  assert_int_equal(pki_world_vary(&w, 17, NULL), PK_OK);
  for (int i = 0; i < PACE(400, 60); i++) {
    pk_sim_get_state(w.sim, a), pk_sim_get_state(alone.sim, b);
    assert_memory_equal(a, b, size);
    assert_int_equal(pki_world_step(&w, NULL), PK_OK);
    assert_int_equal(pki_world_step(&alone, NULL), PK_OK);
  }
  pki_scenario *written = good_scenario(rough, NULL); /* and back to the one that is written */
  pki_world plain = good_world(written);
  assert_int_equal(pki_world_vary(&w, -1, NULL), PK_OK);
  pk_sim_get_state(w.sim, a), pk_sim_get_state(plain.sim, b);
  assert_memory_equal(a, b, size);
  assert_true(pk_sim_mass(w.sim, 0) == w.model->robots[0].mass ||
              pk_sim_mass(w.sim, 0) == pk_sim_mass(plain.sim, 0));
  assert_true(pk_sim_get_friction(w.sim) == 1 && pk_sim_get_latency(w.sim) == 0 && w.number == -1);
  free(a), free(b);
  pki_world_free(&w), pki_world_free(&alone), pki_world_free(&plain);
  pki_scenario_destroy(s), pki_scenario_destroy(one), pki_scenario_destroy(written);
}

static double number(const pki_world *w, const char *name, int k)
{
  for (int i = 0; i < w->nvaried; i++) {
    if (strcmp(w->varied[i].name, name) == 0) {
      return pki_varied_value(w->scenario, &w->varied[i], k);
    }
  }
  fail_msg("there is no \"%s\"", name);
  return 0;
}

static void a_world_has_the_numbers_that_were_drawn_for_it(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario(rough, NULL);
  pki_world w = good_world(s);
  const pk_model *m = w.model;
  const int shank = m->links[pk_model_find_link(m, "LF_SHANK")].body,
            base = m->links[pk_model_find_link(m, "base")].body,
            knee = m->joints[pk_model_find_joint(m, "LF_KFE")].q;
  double inertia[10];
  for (int k = 0; k < 20; k++) {
    assert_int_equal(pki_world_vary(&w, k, NULL), PK_OK);
    const double *q = pk_sim_q(w.sim), *u = pk_sim_u(w.sim);
    assert_int_equal(pk_sim_get_inertia(w.sim, shank, inertia), PK_OK);
    assert_true(inertia[0] == m->body_inertia[10 * shank] * number(&w, "mass LF_SHANK", k));
    assert_int_equal(pk_sim_get_inertia(w.sim, base, inertia), PK_OK);
    assert_less(fabs(inertia[0] - m->body_inertia[10 * base] - number(&w, "payload base", k)), 1e-12);
    assert_true(pk_sim_get_friction(w.sim) == number(&w, "friction", k));
    assert_less(fabs(pk_sim_get_latency(w.sim) - number(&w, "latency", k)), 1e-15);
    assert_less(fabs(q[0] - number(&w, "position x", k)), 1e-12);
    assert_less(fabs(q[1] - number(&w, "position y", k)), 1e-12);
    assert_less(fabs(2 * atan2(q[6], q[3]) - number(&w, "yaw", k)), 1e-9);
    assert_true(q[4] == 0 && q[5] == 0);
    assert_less(fabs(q[knee] + 1.3412 - number(&w, "joint LF_KFE", k)), 1e-12);
    assert_true(u[0] == number(&w, "velocity x", k) && u[1] == 0);
    assert_true(w.push == number(&w, "push", k));
  }
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* The least height of a foot over the ground below it. */
static double foot_height(pki_world *w)
{
  static const char *const feet[4] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  double least = INFINITY;
  for (int i = 0; i < 4; i++) {
    double ground;
    pk_kinematics_compute(pk_sim_workspace(w->sim), pk_sim_q(w->sim), NULL);
    const pk_pose at = pk_link_pose(pk_sim_workspace(w->sim), pk_model_find_link(w->model, feet[i]));
    assert_true(pki_sim_ground_height(w->sim, at.pos, &ground));
    least = fmin(least, at.pos[2] - ground);
  }
  return least;
}

static void robots_stand_on_the_ground_wherever_they_start(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario(rough, NULL);
  pki_world w = good_world(s);
  const double written = foot_height(&w);
  double low = INFINITY, high = -INFINITY;
  for (int k = 0; k < 40; k++) {
    assert_int_equal(pki_world_vary(&w, k, NULL), PK_OK);
    assert_less(fabs(foot_height(&w) - written), 1e-9);
    low = fmin(low, pk_sim_q(w.sim)[2]), high = fmax(high, pk_sim_q(w.sim)[2]);
  }
  assert_greater(high - low, 0.02); /* the ground is not level */
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* On a plane, turning and shifting the world changes nothing else. */
static void a_start_that_is_moved_and_turned_moves_the_same_way(void **state)
{
  (void)state;
  static const char *const plane =
      "model:\n"
      "  model: starleth\n"
      "  position: [0, 0, 0.52]\n"
      "  rpy: [0.05, 0.02, 0.3]\n" LEGS
      "objects: [{shape: box, size: [0.2, 0.2, 0.2], position: [0.9, 0.1, 0.4], velocity: [-1, 0, 0]}]\n"
      "terrain: [{shape: plane}]\n"
      "controller: hold\n"
      "duration: 1\n"
      "vary: [{what: position, axis: y, from: 3, to: 3}, {what: yaw, from: 0.5, to: 0.5}]\n";
  pki_scenario *s = good_scenario(plane, NULL), *t = good_scenario(plane, "world=0");
  pki_world a = good_world(s), b = good_world(t);
  for (int i = 0; i < 160; i++) {
    assert_int_equal(pki_world_step(&a, NULL), PK_OK);
    assert_int_equal(pki_world_step(&b, NULL), PK_OK);
  }
  const double c = cos(0.5), n = sin(0.5), *p = pk_sim_q(a.sim), *q = pk_sim_q(b.sim);
  for (int r = 0; r < 2; r++) {
    const int at = a.model->robots[r].q;
    assert_less(fabs(q[at] - (c * p[at] - n * p[at + 1])), 1e-6);
    assert_less(fabs(q[at + 1] - (n * p[at] + c * p[at + 1]) - 3), 1e-6);
    assert_less(fabs(q[at + 2] - p[at + 2]), 1e-6);
  }
  pki_world_free(&a), pki_world_free(&b);
  pki_scenario_destroy(s), pki_scenario_destroy(t);
}

static void disturbances_differ_from_world_to_world(void **state)
{
  (void)state;
  double x = 0, y = 0, twice = 0;
  for (int k = 0; k < 2000; k++) {
    double a[2], b[2];
    pki_disturb_direction(1, k, 0, 3, a);
    pki_disturb_direction(1, k + 1, 0, 3, b);
    x += a[0] / 2000, y += a[1] / 2000, twice += (a[0] * b[0] + a[1] * b[1]) / 2000;
  }
  assert_less(fabs(x), 0.08);
  assert_less(fabs(y), 0.08);
  assert_less(fabs(twice), 0.08);
}

/* ---- what makes no sense ---- */

#define REST \
  "duration: 1\nmodel: {model: starleth, position: [0, 0, 0.6]}\nterrain: [{shape: plane}]\nvary:\n"

static const struct {
  const char *text, *field, *message;
} wrong[] = {
    {REST "  - {from: 0, to: 1}\n", "vary.0", "the key \"what\" is missing: a word, what differs"},
    {REST "  - {what: mas, from: 0, to: 1}\n", "vary.0.what", "did you mean \"mass\"?"},
    {REST "  - {what: mass, from: 0.5, to: 1}\n", "vary.0", "mass needs the key \"link\""},
    {REST "  - {what: mass, link: base, from: 0, to: 1}\n", "vary.0.from",
     "from is 0, expected 0.001 to 1e+06 for mass"},
    {REST "  - {what: mass, link: bas, from: 0.5, to: 1}\n", "vary.0.link", "did you mean \"base\"?"},
    {REST "  - {what: mass, link: base, joints: '*', from: 0.5, to: 1}\n", "vary.0.joints",
     "joints has no meaning for mass"},
    {REST "  - {what: friction, from: 1}\n", "vary.0", "friction needs the key \"to\""},
    {REST "  - {what: friction, from: 1, to: 0.5}\n", "vary.0.to",
     "to is 0.5, expected no less than from, which is 1"},
    {REST "  - {what: friction, from: 0, to: 1, distribution: log-uniform}\n", "vary.0.from",
     "more than zero"},
    {REST "  - {what: friction, mean: 1, deviation: 0.1, distribution: normal}\n", "vary.0",
     "friction needs the key \"from\""},
    {REST "  - {what: friction, mean: 1, from: 0, to: 1}\n", "vary.0.mean",
     "mean has no meaning for uniform"},
    {REST "  - {what: latency, from: 0, to: 2}\n", "vary.0.to", "to is 2, expected 0 to 1 s for latency"},
    {REST "  - {what: latency, from: 0, to: 0.1}\n  - {what: latency, from: 0, to: 0.1}\n", "vary.1",
     "latency varies twice: a world has one"},
    {REST "  - {what: position, axis: z, from: 0, to: 1}\n", "vary.0.axis", "follows from the ground"},
    {REST "  - {what: joint, joints: knee, from: 0, to: 1}\n", "vary.0.joints", "there is no joint \"knee\""},
    {REST "  - {what: payload, link: base, from: -100, to: 1}\n", "vary.0.from", "is -8"},
    {"duration: 1\nmodel: pendulum\nvary:\n  - {what: yaw, from: 0, to: 1}\n", "vary.0",
     "yaw moves robots with a free root, but pendulum has a root that is fixed"},
    {"duration: 1\nmodel: {model: starleth, position: [0, 0, 0.8]}\nterrain: [{shape: box, size: [2, 2, "
     "0.1]}]\n"
     "world: 0\nvary:\n  - {what: position, from: 5, to: 6}\n",
     "world", "where not all of it has ground below: make the ground larger, or vary the position less"},
};

static void entries_that_make_no_sense_are_told(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    pki_scenario *s = NULL;
    pki_world w = {0};
    pk_error err = {.message = ""};
    pk_status status = pki_scenario_parse("s.yaml", wrong[i].text, strlen(wrong[i].text), NULL, 0, &s, &err);
    status = status == PK_OK ? pki_world_create(s, &w, &err) : status;
    if (status == PK_OK || strcmp(err.field, wrong[i].field) != 0 ||
        strstr(err.message, wrong[i].message) == NULL) {
      fail_msg("case %zu: at \"%s\": %s", i, err.field, err.message);
    }
    pki_world_free(&w);
    pki_scenario_destroy(s);
  }
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_have_their_distribution),
      cmocka_unit_test(numbers_are_independent),
      cmocka_unit_test(the_world_of_a_key_is_the_world_of_a_batch),
      cmocka_unit_test(a_world_has_the_numbers_that_were_drawn_for_it),
      cmocka_unit_test(robots_stand_on_the_ground_wherever_they_start),
      cmocka_unit_test(a_start_that_is_moved_and_turned_moves_the_same_way),
      cmocka_unit_test(disturbances_differ_from_world_to_world),
      cmocka_unit_test(entries_that_make_no_sense_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
