/* Quadrupeds go over steps and slopes: StarLETH trots, and three robots in all gaits on slopes, in the steadier ones over steps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gait/gaits.h"
#include "gait/walker.h"
#include "support/bounds.h"
#include "support/pace.h"

static const double degree = 0.017453292519943295;
static double rise[2];      /* rad, of the slope along x and y */
static double riser = 0.03; /* m, of stairs and boxes */

static void slope(pk_terrain *terrain)
{
  const double origin[3] = {0, 0, 0}, normal[3] = {-tan(rise[0]), -tan(rise[1]), 1};
  pk_error err;
  pk_terrain_add_plane(terrain, origin, normal, 0, &err);
}

static void stairs(pk_terrain *terrain)
{
  rise[0] = rise[1] = 0;
  slope(terrain);
  const double start[3] = {0.6, 0, 0};
  pk_error err;
  pk_terrain_add_stairs(terrain, start, 0.4, riser, 4, 20, 0, &err);
}

/* Up and down again. */
static void boxes(pk_terrain *terrain)
{
  rise[0] = rise[1] = 0;
  slope(terrain);
  for (int i = 0; i < 5; i++) {
    pk_pose pose = pk_pose_identity();
    pose.pos[0] = 0.9 * (i + 1), pose.pos[2] = 0.5 * riser;
    const double size[3] = {0.45, 4, riser};
    pk_error err;
    pk_terrain_add_box(terrain, &pose, size, 0, &err);
  }
}

static walker_facts walk(const char *what, walker_ground *ground, double dt, pk_contact_scheme scheme,
                         double speed)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt;
  o.contact = scheme;
  pk_locomotion_options options = pk_locomotion_options_default();
  options.gait = PK_GAIT_TROT;
  options.forward = speed;
  options.period = dt == 1e-3 ? 2e-3 : 2.5e-3;
  walker w = walker_create(&o, &options, ground);
  walker_place(&w, rise[0], rise[1]);
  walker_facts f;
  assert_true(walker_run(&w, 2, NULL, &f));
  assert_true(walker_run(&w, PACE(16, 5), NULL, &f));
  walker_print(what, &f);
  assert_int_equal(f.uncertified, 0);
  assert_at_most(
      f.others,
      (ground == slope ? 0 : 0.1 * f.steps)); /* shanks brush the edges of steps: 8 % of the steps */
  assert_near(f.speed[0], speed, 0.05 * speed);
  assert_less(fabs(f.speed[1]), 0.01);
  walker_destroy(&w);
  return f;
}

static void it_climbs_steps_of_3_cm(void **state)
{
  (void)state;
  const walker_facts a = walk("stairs", stairs, 2.5e-3, PK_CONTACT_STABILISED, 0.25);
  const walker_facts b = walk("stairs, 1 ms", stairs, 1e-3, PK_CONTACT_STABILISED, 0.25);
  const walker_facts c = walk("stairs, paper", stairs, 2.5e-3, PK_CONTACT_GEHRING_2014, 0.25);
  /* ten steps and more, or two */
  assert_greater(fmin(a.height[1], fmin(b.height[1], c.height[1])), 0.435 + PACE(0.25, 0.05));
  assert_less(fmax(a.tilt, fmax(b.tilt, c.tilt)), 8 * degree);
}

static void it_steps_onto_boxes_and_down(void **state)
{
  (void)state;
  const walker_facts a = walk("boxes", boxes, 2.5e-3, PK_CONTACT_STABILISED, 0.25);
  const walker_facts b = walk("boxes, 1 ms", boxes, 1e-3, PK_CONTACT_STABILISED, 0.25);
  const walker_facts c = walk("boxes, gehring-2014", boxes, 2.5e-3, PK_CONTACT_GEHRING_2014, 0.25);
  assert_less(fmax(a.tilt, fmax(b.tilt, c.tilt)), 6 * degree);
  assert_greater(fmin(a.margin, fmin(b.margin, c.margin)), 0.03);
  /* up by nearly the 3 cm of a box, and back on the ground */
  assert_greater(fmin(a.height[1], fmin(b.height[1], c.height[1])), 0.435 + 0.025);
  assert_less(fmax(a.height[0], fmax(b.height[0], c.height[0])), 0.44);
}

static void it_trots_up_down_and_across_slopes(void **state)
{
  (void)state;
  static const double slopes[4][2] = {{10, 0}, {-10, 0}, {0, 10}, {0, -10}};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 2; k++) {
      rise[0] = slopes[i][0] * degree, rise[1] = slopes[i][1] * degree;
      char name[64];
      snprintf(name, sizeof name, "slope %g, %g deg%s", slopes[i][0], slopes[i][1], k ? ", paper" : "");
      const walker_facts f =
          walk(name, slope, 2.5e-3, k ? PK_CONTACT_GEHRING_2014 : PK_CONTACT_STABILISED, 0.2);
      assert_near(f.tilt, 10 * degree, 0.6 * degree);
      assert_greater(f.margin, 0.03);
      assert_less(f.torque, 30);
    }
  }
}

/* A robot in a gait at half the speed that it is meant for. */
static walker_facts go(const walker_robot *robot, pk_gait gait, walker_ground *ground, double lift,
                       double time)
{
  const char *what = ground == slope ? "slope" : ground == stairs ? "stairs" : "boxes";
  char name[64];
  pk_locomotion_options options = pk_locomotion_options_default();
  options.gait = gait;
  options.forward = 0.49 * pki_gaits[gait]->speed[1] * sqrt(9.81 * robot->height);
  options.lift = lift;
  walker w = walker_create_robot(robot, NULL, &options, ground);
  walker_place(&w, rise[0], rise[1]);
  walker_facts f, early;
  snprintf(name, sizeof name, "%s, %s, %s", robot->model, pki_gaits[gait]->name, what);
  assert_true(walker_run(&w, 2, NULL, &early));
  assert_true(walker_run(&w, time, NULL, &f));
  walker_print(name, &f);
  assert_int_equal(early.uncertified + f.uncertified, 0);
  /* within a cycle the speed of a crawl goes up and down by a centimetre in a second */
  assert_near(f.speed[0], options.forward, 0.12 * options.forward + 0.01);
  f.saturated += early.saturated;
  walker_destroy(&w);
  return f;
}

/* Up, down and across 10 degrees. Gaits with flight pitch by 7 degrees; across the slope trunks of gaits with lateral pairs roll. */
static void all_gaits_hold_on_slopes_of_10_degrees(void **state)
{
  (void)state;
  static const double slopes[3][2] = {{10, 0}, {-10, 0}, {0, 10}};
  static const walker_robot *const robots[3] = {&walker_starleth, &walker_anymal, &walker_quadruped15};
  for (int r = 0; r < 3; r++) {
    for (int gait = PK_GAIT_TROT; gait <= PK_GAIT_PRONK; gait += PACE(1, 4)) {
      /* StarLETH, whose legs are the weakest, on all of them */
      for (int i = r == 0 ? 0 : gait % 3; i < (r == 0 ? 3 : gait % 3 + 1); i++) {
        rise[0] = slopes[i][0] * degree, rise[1] = slopes[i][1] * degree;
        const walker_facts f = go(robots[r], (pk_gait)gait, slope, 0, PACE(4, 3));
        assert_int_equal(f.others, 0);
        assert_less(f.slip, 1.5e-3);
        assert_less(f.tilt, (i == 2 ? 22 : 18) * degree);
        assert_at_most(f.saturated, 2);
      }
    }
  }
}

/* Feet are lifted by 10 cm. What is not here does not hold, or not always: faster gaits, and StarLETH's trot over boxes. */
static void steady_gaits_climb_steps_of_5_cm(void **state)
{
  (void)state;
  static const struct {
    const walker_robot *robot;
    pk_gait gait;
  } runs[] = {{&walker_starleth, PK_GAIT_CRAWL}, {&walker_starleth, PK_GAIT_WALK},
              {&walker_starleth, PK_GAIT_AMBLE}, {&walker_anymal, PK_GAIT_CRAWL},
              {&walker_anymal, PK_GAIT_WALK},    {&walker_anymal, PK_GAIT_AMBLE},
              {&walker_anymal, PK_GAIT_TROT},    {&walker_quadruped15, PK_GAIT_CRAWL}};
  riser = 0.05;
  rise[0] = rise[1] = 0;
  for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k += PACE(1, 3)) {
    for (int i = 0; i < 2; i++) {
      const walker_facts f = go(runs[k].robot, runs[k].gait, i ? stairs : boxes, 0.1, PACE(12, 5));
      assert_less(f.tilt, 20 * degree);
      assert_less(f.slip, 6e-3);
      assert_at_most(f.saturated, 10);
    }
  }
  riser = 0.03;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_climbs_steps_of_3_cm),
      cmocka_unit_test(it_steps_onto_boxes_and_down),
      cmocka_unit_test(it_trots_up_down_and_across_slopes),
      cmocka_unit_test(all_gaits_hold_on_slopes_of_10_degrees),
      cmocka_unit_test(steady_gaits_climb_steps_of_5_cm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
