/* What stands must stand and what falls must come to rest: towers, arches, balls, heaps; and nothing passes through a
 * plate. The scenes are those of scenarios/, shorter and smaller; with an argument as they are. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>

#include "scenario/help.h"
#include "support/bounds.h"
#include "support/pace.h"

typedef struct scene {
  pki_scenario *scenario;
  pki_world world;
  double dt;
  int steps;
} scene;

static bool is_long;

/* A scenario by its name; `small` are changes that make it quick, NULL-terminated, and left out of the long form. */
static scene begin(const char *name, double duration, const char *const *small)
{
  char path[512];
  int nset = 0;
  pk_error err = {.message = ""};
  scene s = {0};
  snprintf(path, sizeof path, PK_SOURCE_DIR "/scenarios/%s.yaml", name);
  while (!is_long && small != NULL && small[nset] != NULL) {
    nset++;
  }
  if (pki_scenario_load(path, small, nset, &s.scenario, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  s.world = good_world(s.scenario);
  s.dt = s.scenario->step.dt;
  s.steps = (int)lround((is_long ? s.scenario->duration : duration) / s.dt);
  return s;
}

static void end(scene *s)
{
  pki_world_free(&s->world);
  pki_scenario_destroy(s->scenario);
}

/* One step, certified, with nothing deeper in another than `deepest`. */
static void step(scene *s, double deepest)
{
  pk_step_info info;
  const pk_status status = pki_world_step(&s->world, &info);
  if (status != PK_OK) {
    fail_msg("at %g s: %s, %s", pk_sim_time(s->world.sim), pk_status_text(status), info.term);
  }
  if (!info.certified || !(info.certificate.relative <= s->scenario->step.tolerance)) {
    fail_msg("at %g s: residual %g with %d contacts", pk_sim_time(s->world.sim), info.certificate.relative,
             info.contacts);
  }
  if (!(info.penetration <= deepest)) {
    fail_msg("at %g s: %g m deep", pk_sim_time(s->world.sim), info.penetration);
  }
}

/* Speed of the origin of object i. */
static double speed_of(const scene *s, int i)
{
  const double *v = pk_sim_u(s->world.sim) + s->world.model->robots[i].u;
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double fastest(const scene *s)
{
  double most = 0;
  for (int i = 0; i < s->world.model->nrobot; i++) {
    most = fmax(most, speed_of(s, i));
  }
  return most;
}

static int faster_than(const scene *s, double speed)
{
  int count = 0;
  for (int i = 0; i < s->world.model->nrobot; i++) {
    count += speed_of(s, i) > speed;
  }
  return count;
}

/* Nothing moves by more than `most` m in the whole scene. */
static void stands(scene *s, double most)
{
  const pk_model *m = s->world.model;
  double *q = pk_sim_q(s->world.sim), *start = malloc((size_t)m->nq * sizeof *start);
  memcpy(start, q, (size_t)m->nq * sizeof *start);
  for (int i = 0; i < s->steps; i++) {
    step(s, 1e-6);
  }
  for (int i = 0; i < m->nq; i++) {
    if (fabs(q[i] - start[i]) > most) {
      fail_msg("coordinate %d went from %.9f to %.9f", i, start[i], q[i]);
    }
  }
  free(start);
}

static void a_tower_of_twenty_blocks_stands(void **state)
{
  (void)state;
  scene s = begin("tower", PACE(3, 0.2), NULL);
  stands(&s, 1e-4);
  end(&s);
}

static void an_arch_of_three_two_and_one_blocks_stands(void **state)
{
  (void)state;
  scene s = begin("arch", PACE(4, 0.5), NULL);
  stands(&s, 1e-4);
  end(&s);
}

static void a_lattice_of_balls_settles(void **state)
{
  (void)state;
  static const char *const small[] = {"objects.0.count=[4, 4, 4]", "objects.0.jitter=1e-3", NULL};
  scene s = begin("balls", PACE(3, 0.15), small);
  for (int i = 0; i < s.steps; i++) {
    step(&s, 1e-3);
  }
  const double left = fastest(&s);
  end(&s);
  SKIP_WHEN_SLOW("that the balls come to rest");
  assert_less(left, 0.05); /* what is left rolls to and fro */
}

/* The lattice in its full size: hundreds of contacts of one island slide at once. More iterations than by default buy the last
 * certificates: 5000 leave 0 to 3 of 400 steps. */
static void a_lattice_that_collapses_is_certified_for_more_iterations(void **state)
{
  (void)state;
  static const char *const more[] = {"step.max_iterations=20000", NULL};
  scene s = begin("balls", PACE(1, 0.1), more);
  const int steps = (int)lround(PACE(1, 0.1) / s.dt);
  int uncertified = 0;
  double worst = 0;
  for (int i = 0; i < steps; i++) {
    pk_step_info info;
    assert_int_equal(pki_world_step(&s.world, &info), PK_OK);
    uncertified += !info.certified;
    worst = fmax(worst, info.certificate.relative);
  }
  print_message("%d of %d steps are not certified, the worst at %.1e\n", uncertified, steps, worst);
  assert_int_equal(uncertified, 0);
  end(&s);
}

static void a_heap_of_mixed_shapes_comes_to_rest_but_for_what_rolls(void **state)
{
  (void)state;
  static const char *const small[] = {
      "objects.0.count=[3, 3, 1]",       "objects.1.count=[3, 3, 1]",
      "objects.2.count=[3, 3, 1]",       "objects.3.count=[3, 3, 1]",
      "objects.4.count=[2, 1, 1]",       "objects.4.position=[0, -0.28, 1.42]",
      "objects.5.count=[2, 1, 1]",       "objects.5.position=[0, 0.28, 1.42]",
      "terrain.1.position=[0.55, 0, 0]", "terrain.2.position=[-0.55, 0, 0]",
      "terrain.3.position=[0, 0.55, 0]", "terrain.4.position=[0, -0.55, 0]",
      "terrain.5.position=[2, 0, 0]", /* out of the way */
      "terrain.6.position=[0, 4, 0]",    NULL};
  scene s = begin("pile", PACE(2, 0.3), small);
  for (int i = 0; i < s.steps; i++) {
    step(&s, 1e-3);
  }
  const double left = fastest(&s);
  const int moving = faster_than(&s, 0.05), count = s.world.model->nrobot;
  end(&s);
  SKIP_WHEN_SLOW("that the heap comes to rest");
  print_message("%d of %d bodies are faster than 0.05 m/s, the fastest has %.3f m/s\n", moving, count, left);
  /* nothing brakes a ball that rolls, and which one does is chance: a tenth of the 5 m/s that they fell with */
  assert_less(left, 0.5);
  assert_at_most(moving, (is_long ? 0.03 : 0.05) * count);
}

static void a_fast_ball_does_not_pass_a_thin_plate(void **state)
{
  (void)state;
  static const char *const ways[][3] = {
      {NULL},
      {"objects.0.size=0.02", NULL},
      {"step.stepper=euler", NULL},
      {"objects.0.velocity=[20, 7, 1]", NULL},
      {"objects.0.position=[-1.013, 0, 0.5]", NULL},
  };
  for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
    scene s = begin("shot", 0.3, ways[k]);
    const double radius = s.scenario->objects[0].size[0];
    double nearest = -1;
    for (int i = 0; i < s.steps; i++) {
      const double x = (step(&s, 1e-6), pk_sim_q(s.world.sim)[0]);
      nearest = fmax(nearest, x);
      assert_at_most(x, -0.0005 - radius + 1e-6);
    }
    assert_greater(nearest, -0.0005 - radius - 1e-3); /* it did arrive */
    end(&s);
  }
}

/* Contacts with the ground that carry, of links whose name holds `part`. */
static int carried_by(const scene *s, const char *part)
{
  enum { MOST = 128 };
  pk_sim_contact contacts[MOST];
  const int n = pk_sim_contacts(s->world.sim, contacts, MOST);
  int count = 0;
  for (int i = 0; i < n && i < MOST; i++) {
    const char *link = s->world.model->links[contacts[i].link].name;
    count += contacts[i].impulse[2] > 0 && contacts[i].other_link < 0 && strstr(link, part) != NULL;
  }
  return count;
}

static void a_robot_that_was_pushed_over_lies_on_its_trunk(void **state)
{
  (void)state;
  scene s = begin("starleth-push", PACE(5, 1), NULL);
  for (int i = 0; i < s.steps; i++) {
    step(&s, 1e-3);
  }
  const int corners = carried_by(&s, "base");
  const double height = pk_sim_q(s.world.sim)[2];
  end(&s);
  SKIP_WHEN_SLOW("how the robot lies in the end");
  assert_int_equal(corners, 4);
  assert_near(height, 0.076, 1e-6); /* on its back: the trunk is 0.152 m thick */
}

static void a_robot_that_gave_in_lies_on_its_legs(void **state)
{
  (void)state;
  static const char *const limp[] = {"controller.kp=0", "controller.kd=0.5", "push.0.force=[0, 60, 0]", NULL};
  scene s = begin("starleth-push", PACE(5, 1), limp);
  for (int i = 0; i < s.steps; i++) {
    step(&s, 1e-3);
  }
  const int thighs = carried_by(&s, "THIGH");
  end(&s);
  SKIP_WHEN_SLOW("how the robot lies in the end");
  assert_at_least(thighs, 1);
}

int main(int argc, char **argv)
{
  (void)argv;
  is_long = argc > 1;
  if (is_long && getenv("PRONK_LONG") == NULL) {
    puts("PRONK_LONG is not set");
    return 77;
  }
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  /* those that are the same in their long form are not in it: shots last 0.3 s, a limp robot is no scenario of its own */
  const struct CMUnitTest long_tests[] = {
      cmocka_unit_test(a_tower_of_twenty_blocks_stands),
      cmocka_unit_test(an_arch_of_three_two_and_one_blocks_stands),
      cmocka_unit_test(a_lattice_of_balls_settles),
      cmocka_unit_test(a_lattice_that_collapses_is_certified_for_more_iterations),
      cmocka_unit_test(a_heap_of_mixed_shapes_comes_to_rest_but_for_what_rolls),
      cmocka_unit_test(a_robot_that_was_pushed_over_lies_on_its_trunk),
  };
  if (is_long) {
    return cmocka_run_group_tests(long_tests, NULL, NULL);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tower_of_twenty_blocks_stands),
      cmocka_unit_test(an_arch_of_three_two_and_one_blocks_stands),
      cmocka_unit_test(a_lattice_of_balls_settles),
      cmocka_unit_test(a_lattice_that_collapses_is_certified_for_more_iterations),
      cmocka_unit_test(a_heap_of_mixed_shapes_comes_to_rest_but_for_what_rolls),
      cmocka_unit_test(a_fast_ball_does_not_pass_a_thin_plate),
      cmocka_unit_test(a_robot_that_was_pushed_over_lies_on_its_trunk),
      cmocka_unit_test(a_robot_that_gave_in_lies_on_its_legs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
