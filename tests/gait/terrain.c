/* StarLETH trots over steps and slopes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gait/walker.h"
#include "support/bounds.h"
#include "support/pace.h"

static const double degree = 0.017453292519943295;
static double rise[2]; /* rad, of the slope along x and y */

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
  pk_terrain_add_stairs(terrain, start, 0.4, 0.03, 4, 20, 0, &err);
}

/* Up and down again. */
static void boxes(pk_terrain *terrain)
{
  rise[0] = rise[1] = 0;
  slope(terrain);
  for (int i = 0; i < 5; i++) {
    pk_pose pose = pk_pose_identity();
    pose.pos[0] = 0.9 * (i + 1), pose.pos[2] = 0.015;
    const double size[3] = {0.45, 4, 0.03};
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_climbs_steps_of_3_cm),
      cmocka_unit_test(it_steps_onto_boxes_and_down),
      cmocka_unit_test(it_trots_up_down_and_across_slopes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
