/* Sensors of a model against closed forms: a point mass on an arm along x, on a hinge of a fixed base. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/pronk.h"
#include "support/bounds.h"

enum { VALUES = 64 };

static const double g = 9.81, mass = 2, arm = 0.3, rate = 4;

/* The arm with a site at the mass, another at the hinge, and what they measure. */
typedef struct rig {
  pk_builder *b;
  pk_model *m;
  pk_workspace *w;
  double values[VALUES];
} rig;

static void add_sensor(pk_builder *b, const char *name, pk_sensor_kind kind, pk_sensor_place place,
                       const char *at)
{
  const pk_sensor_desc s = {.name = name, .kind = kind, .place = place, .at = at};
  assert_int_equal(pk_builder_add_sensor(b, &s, NULL), PK_OK);
}

static void add_site(pk_builder *b, const char *name, double x)
{
  pk_site_desc site = pk_site_desc_default();
  site.name = name, site.link = "arm", site.pose.pos[0] = x;
  site.kind = PK_SHAPE_SPHERE, site.size[0] = 0.1;
  assert_int_equal(pk_builder_add_site(b, &site, NULL), PK_OK);
}

static rig make_rig(const double axis[3])
{
  rig r = {0};
  pk_joint_desc hinge = pk_joint_desc_default();
  pk_robot_desc robot = pk_robot_desc_default();
  const pk_link_desc base = {.name = "base"};
  const pk_link_desc link = {.name = "arm", .inertia = {.mass = mass, .com = {arm, 0, 0}}};
  robot.root = PK_ROOT_FIXED;
  hinge.name = "hinge", hinge.kind = PK_JOINT_CONTINUOUS, hinge.parent = "base", hinge.child = "arm";
  memcpy(hinge.axis, axis, sizeof hinge.axis);
  assert_int_equal(pk_builder_create(&r.b, NULL), PK_OK);
  assert_int_equal(pk_builder_add_robot(r.b, &robot, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(r.b, &base, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(r.b, &link, NULL), PK_OK);
  assert_int_equal(pk_builder_add_joint(r.b, &hinge, NULL), PK_OK);
  add_site(r.b, "tip", arm), add_site(r.b, "root", 0);
  add_sensor(r.b, "acc", PK_SENSOR_ACCELEROMETER, PK_SENSOR_PLACE_SITE, "tip");
  add_sensor(r.b, "gyro", PK_SENSOR_GYRO, PK_SENSOR_PLACE_SITE, "tip");
  add_sensor(r.b, "vel", PK_SENSOR_VELOCIMETER, PK_SENSOR_PLACE_SITE, "tip");
  add_sensor(r.b, "force", PK_SENSOR_FORCE, PK_SENSOR_PLACE_SITE, "root");
  add_sensor(r.b, "torque", PK_SENSOR_TORQUE, PK_SENSOR_PLACE_SITE, "root");
  add_sensor(r.b, "touch", PK_SENSOR_TOUCH, PK_SENSOR_PLACE_SITE, "tip");
  add_sensor(r.b, "com", PK_SENSOR_SUBTREECOM, PK_SENSOR_PLACE_LINK, "base");
  add_sensor(r.b, "linvel", PK_SENSOR_SUBTREELINVEL, PK_SENSOR_PLACE_LINK, "base");
  assert_int_equal(pk_builder_compile(r.b, &r.m, NULL), PK_OK);
  assert_int_equal(pk_workspace_create(r.m, &r.w, NULL), PK_OK);
  assert_at_most(r.m->nsensordata, VALUES);
  return r;
}

static void free_rig(rig *r)
{
  pk_workspace_destroy(r->w);
  pk_model_destroy(r->m);
  pk_builder_destroy(r->b);
}

static void assert_sensor(const rig *r, const char *name, double x, double y, double z)
{
  const double expected[3] = {x, y, z};
  const pk_model_sensor *s = &r->m->sensors[pk_model_find_sensor(r->m, name)];
  for (int k = 0; k < s->dim; k++) {
    assert_near(r->values[s->first + k], expected[k], 1e-13);
  }
}

static void an_arm_held_level_carries_its_weight(void **state)
{
  (void)state;
  rig r = make_rig((const double[]){0, 1, 0});
  pk_sensors_read(r.w, &(pk_sensor_input){.q = (const double[]){0}, .u = (const double[]){0}}, r.values);
  assert_sensor(&r, "acc", 0, 0, g);
  assert_sensor(&r, "force", 0, 0, mass * g);
  assert_sensor(&r, "torque", 0, -mass * g * arm, 0);
  assert_sensor(&r, "com", arm, 0, 0);
  free_rig(&r);
}

static void an_arm_that_turns_is_pulled_inwards(void **state)
{
  (void)state;
  rig r = make_rig((const double[]){0, 0, 1});
  const double a = 3, q = 0.7;
  pk_sensors_read(r.w, &(pk_sensor_input){.q = &q, .u = &rate, .a = &a}, r.values);
  assert_sensor(&r, "acc", -rate * rate * arm, a * arm, g);
  assert_sensor(&r, "gyro", 0, 0, rate);
  assert_sensor(&r, "vel", 0, rate * arm, 0);
  assert_sensor(&r, "force", -mass * rate * rate * arm, mass * a * arm, mass * g);
  assert_sensor(&r, "torque", 0, -mass * g * arm, mass * a * arm * arm);
  assert_sensor(&r, "linvel", -rate * arm * sin(q), rate * arm * cos(q), 0);
  free_rig(&r);
}

static void a_contact_relieves_the_hinge_and_is_felt_where_it_is(void **state)
{
  (void)state;
  rig r = make_rig((const double[]){0, 1, 0});
  const double dt = 0.01;
  pk_sim_contact c = {.link = pk_model_find_link(r.m, "arm"),
                      .other_link = -1,
                      .point = {arm, 0, -0.05},
                      .normal = {0, 0, 1},
                      .impulse = {0, 0, mass * g * dt}};
  const pk_sensor_input in = {
      .q = (const double[]){0}, .u = (const double[]){0}, .contacts = &c, .ncontact = 1, .dt = dt};
  pk_sensors_read(r.w, &in, r.values);
  assert_sensor(&r, "touch", mass * g, 0, 0);
  assert_sensor(&r, "force", 0, 0, 0);
  assert_sensor(&r, "torque", 0, 0, 0);
  c.point[0] = 0;
  pk_sensors_read(r.w, &in, r.values);
  assert_sensor(&r, "touch", 0, 0, 0);
  assert_sensor(&r, "torque", 0, -mass * g * arm, 0);
  free_rig(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arm_held_level_carries_its_weight),
      cmocka_unit_test(an_arm_that_turns_is_pulled_inwards),
      cmocka_unit_test(a_contact_relieves_the_hinge_and_is_felt_where_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
