/* What sensors measure, without errors, against closed forms. */
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
#include "support/hinge.h"
#include "support/world.h"

static const double g = 9.81, mass = 2, pi = 3.141592653589793;

static pk_sensor sensor(const char *kind, int object)
{
  const pk_sensor s = {.kind = pk_sensing_kind_find(kind), .link = object, .dof = object};
  if (s.kind == NULL) {
    fail_msg("there is no kind \"%s\"", kind);
  }
  return s;
}

/* A world with sensors; all of it is freed by `end`. */
typedef struct rig {
  pk_model *model;
  pk_sensing *sensing;
  pk_terrain *ground;
  pk_sim *sim;
} rig;

static rig begin_rig(pk_model *model, const pk_sensor *list, int count, double dt, pk_terrain *ground)
{
  rig r = {.model = model, .ground = ground};
  pk_error err = {0};
  if (pk_sensing_create(model, list, count, 1, &r.sensing, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt, o.sensing = r.sensing;
  r.sim = start_world(model, ground, pk_material_default(), &o);
  return r;
}

static void end(rig *r)
{
  pk_sim_destroy(r->sim);
  pk_sensing_destroy(r->sensing);
  pk_terrain_destroy(r->ground);
  pk_model_destroy(r->model);
}

static pk_model *box(void)
{
  return solid_model(PK_SHAPE_BOX, (const double[]){0.4, 0.4, 0.2}, mass, (const double[]){0.1, 0.1, 0.1});
}

/* A box that lies on level ground. */
static rig resting_box(const pk_sensor *list, int count, double dt)
{
  rig r = begin_rig(box(), list, count, dt, slope_terrain(0));
  pk_sim_q(r.sim)[2] = 0.1;
  for (int i = 0; i < 20; i++) {
    must_step(r.sim);
  }
  return r;
}

static void an_imu_at_rest_reads_gravity_upwards(void **state)
{
  (void)state;
  pk_sensor list[] = {sensor("imu", 0), sensor("imu", 0)};
  list[1].name = "on its side", list[1].rpy[0] = pi / 2;
  rig r = resting_box(list, 2, 1e-3);
  const double *const a = pk_sim_readings(r.sim), *const side = a + 6;
  assert_near(a[0], 0, 1e-7), assert_near(a[1], 0, 1e-7), assert_near(a[2], g, 1e-7);
  assert_near(side[0], 0, 1e-7), assert_near(side[1], g, 1e-7), assert_near(side[2], 0, 1e-7);
  for (int i = 3; i < 6; i++) {
    assert_near(a[i], 0, 1e-7);
  }
  end(&r);
}

static void an_imu_that_falls_reads_nothing(void **state)
{
  (void)state;
  const pk_sensor imu = sensor("imu", 0);
  rig r = begin_rig(box(), &imu, 1, 1e-3, NULL);
  pk_sim_sense(r.sim);
  assert_near(pk_sim_readings(r.sim)[2], g, 1e-12); /* it was put there, and has not begun to move */
  must_step(r.sim);
  for (int i = 0; i < 6; i++) {
    assert_near(pk_sim_readings(r.sim)[i], 0, 1e-10);
  }
  end(&r);
}

static void an_imu_on_a_spinning_arm_feels_the_centripetal_acceleration(void **state)
{
  (void)state;
  const pk_joint_desc joint = hinge_joint();
  const double rate = 3, radius = 0.7, dt = 1e-3, angle = rate * dt;
  pk_model *m = hinge_model(&joint);
  pk_sensor imu = sensor("imu", m->nlink - 1);
  imu.position[0] = radius;
  rig r = begin_rig(m, &imu, 1, dt, NULL);
  pk_sim_u(r.sim)[0] = rate;
  for (int i = 0; i < 50; i++) {
    must_step(r.sim);
  }
  /* the difference of two velocities of a circle, in axes at its end */
  const double *const a = pk_sim_readings(r.sim);
  assert_near(a[0], -rate * radius * sin(angle) / dt, 1e-9);
  assert_near(a[1], rate * radius * (1 - cos(angle)) / dt, 1e-9);
  assert_near(a[0], -rate * rate * radius, 1e-4);
  assert_near(a[2], g, 1e-9);
  assert_near(a[5], rate, 1e-12);
  end(&r);
}

static void the_bandwidth_of_an_imu_is_that_of_a_first_order_filter(void **state)
{
  (void)state;
  const double dt = 1e-3, force = 5, bandwidth = 30, T = 1 / (2 * pi * bandwidth);
  pk_sensor imu = sensor("imu", 0);
  imu.part.bandwidth = bandwidth;
  rig r = begin_rig(box(), &imu, 1, dt, NULL);
  for (int i = 1; i <= 30; i++) {
    pk_sim_push(r.sim, 0, (const double[3]){0}, (const double[]){force, 0, mass * g});
    must_step(r.sim);
    assert_near(pk_sim_readings(r.sim)[0], force / mass * (1 - exp(-i * dt / T)), 1e-10);
    assert_near(pk_sim_readings(r.sim)[2], g, 1e-9);
  }
  end(&r);
}

static void encoders_count_and_difference_their_counts(void **state)
{
  (void)state;
  const pk_joint_desc joint = hinge_joint();
  const double dt = 1e-3, rate = 0.9;
  pk_sensor list[3] = {sensor("encoder", 0), sensor("encoder", 0), sensor("tachometer", 0)};
  pk_sensor_part_find("encoder-12bit", &list[0].part);
  list[1].name = "exact", list[1].velocity = PK_ENCODER_VELOCITY_EXACT;
  const double step = list[0].part.linear.resolution;
  assert_near(step, 2 * pi / 4096, 1e-15);
  rig r = begin_rig(hinge_model(&joint), list, 3, dt, NULL);
  pk_sim_u(r.sim)[0] = rate;
  double before = 0, moved = 0;
  for (int i = 0; i < 500; i++) {
    must_step(r.sim);
    const double *const e = pk_sim_readings(r.sim), q = pk_sim_q(r.sim)[0];
    assert_near(e[0], step * round(q / step), 1e-15);
    assert_near(e[1], (e[0] - before) / dt, 1e-9);
    assert_near(e[2], q, 0), assert_near(e[3], rate, 1e-12), assert_near(e[4], rate, 1e-12);
    before = e[0], moved += e[1] * dt;
  }
  assert_near(moved, pk_sim_readings(r.sim)[0], 1e-12);
  end(&r);
}

static void contact_sensors_carry_the_weight(void **state)
{
  (void)state;
  pk_sensor list[] = {sensor("switch", 0), sensor("switch", 0), sensor("contact-force", 0),
                      sensor("force-torque", 0)};
  list[0].threshold = mass * g - 0.1;
  list[1].threshold = mass * g + 0.1, list[1].name = "stiff";
  rig r = resting_box(list, 4, 1e-3);
  const double *const v = pk_sim_readings(r.sim);
  assert_near(v[0], 1, 0), assert_near(v[1], 0, 0);
  assert_near(v[2], 0, 1e-6), assert_near(v[3], 0, 1e-6), assert_near(v[4], mass * g, 1e-6);
  for (int i = 5; i < 11; i++) { /* nothing holds a free root */
    assert_near(v[i], 0, 1e-6);
  }
  end(&r);
}

/* The ankle of a robot that stands carries the ground's force less what hangs below it. */
static void a_force_torque_sensor_in_a_leg_shows_what_the_ground_does(void **state)
{
  (void)state;
  pk_model *m = starleth_model();
  int foot = -1;
  for (int i = 0; i < m->nlink && foot < 0; i++) {
    const bool leaf = strstr(m->links[i].name, "KFE") != NULL || strstr(m->links[i].name, "SHANK") != NULL ||
                      strstr(m->links[i].name, "shank") != NULL;
    foot = leaf ? i : -1;
  }
  if (foot < 0) {
    fail_msg("StarLETH has no shank");
    return;
  }
  const pk_sensor list[] = {sensor("force-torque", foot)};
  rig r = begin_rig(m, list, 1, 1e-3, slope_terrain(0));
  starleth_pose(r.sim, 0.42, true);
  for (int i = 0; i < 3000; i++) {
    must_step(r.sim);
  }
  pk_sim_contact contacts[64];
  const int n = pk_sim_contacts(r.sim, contacts, 64);
  double ground[3] = {0}, below = 0;
  for (int i = 0; i < m->nlink; i++) {
    int at = i;
    while (at >= 0 && at != foot) {
      at = m->links[at].parent;
    }
    below += at == foot ? m->links[i].inertia.mass : 0;
    for (int k = 0; k < n && at == foot; k++) {
      for (int e = 0; e < 3 && contacts[k].link == i; e++) {
        ground[e] += contacts[k].impulse[e] / 1e-3;
      }
    }
  }
  pk_kinematics_compute(pk_sim_workspace(r.sim), pk_sim_q(r.sim), NULL);
  const pk_pose pose = pk_link_pose(pk_sim_workspace(r.sim), foot);
  const double *const f = pk_sim_readings(r.sim);
  assert_greater(ground[2], 10);
  for (int i = 0; i < 3; i++) { /* world axes */
    const double force = pose.rot[3 * i] * f[0] + pose.rot[3 * i + 1] * f[1] + pose.rot[3 * i + 2] * f[2];
    assert_near(force, (i == 2 ? below * g : 0) - ground[i], 1e-3);
  }
  end(&r);
}

static void pose_and_velocity_are_those_of_the_place(void **state)
{
  (void)state;
  pk_sensor list[] = {sensor("pose", 0), sensor("velocity", 0), sensor("velocity", 0)};
  list[0].position[0] = 0.3, list[1].position[0] = 0.3;
  list[2].axes = PK_SENSOR_AXES_OWN, list[2].name = "own";
  rig r = begin_rig(box(), list, 3, 1e-3, NULL);
  double *const q = pk_sim_q(r.sim), *const u = pk_sim_u(r.sim);
  const double half = sqrt(0.5);
  memcpy(q, (const double[]){1, 2, 3, half, 0, 0, half}, 7 * sizeof *q); /* a quarter turn about z */
  memcpy(u, (const double[]){0.1, 0.2, 0.3, 0, 0, 2}, 6 * sizeof *u);
  pk_sim_sense(r.sim);
  static const double expected[] = {
      1, 2.3, 3, 0.70710678118654752, 0, 0, 0.70710678118654752, 0.1 - 0.6, 0.2, 0.3, 0, 0, 2, 0.2, -0.1, 0.3,
      0, 0,   2};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    assert_near(pk_sim_readings(r.sim)[i], expected[i], 1e-12);
  }
  end(&r);
}

static void rays_and_scans_find_the_ground(void **state)
{
  (void)state;
  const double angle = 0.2, height = 1.5;
  pk_sensor list[] = {sensor("ray", 0), sensor("ray", 0), sensor("height-scan", 0)};
  list[0].rpy[1] = pi / 2, list[0].reach = 10; /* its x axis points down */
  list[1].reach = 3, list[1].name = "ahead", list[1].rpy[1] = -0.1;
  list[2].points[0] = 5, list[2].points[1] = 3, list[2].spacing = 0.2, list[2].reach = 10;
  rig r = begin_rig(box(), list, 3, 1e-3, slope_terrain(angle));
  pk_sim_q(r.sim)[2] = height;
  pk_sim_sense(r.sim);
  const double *const v = pk_sim_readings(r.sim);
  assert_near(v[0], height, 1e-9);
  assert_near(v[1], 3, 0);
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 5; i++) {
      assert_near(v[2 + 5 * j + i], height + 0.2 * (i - 2) * tan(angle), 1e-9);
    }
  }
  end(&r);
}

/* A motor whose current loop makes the torque that is asked for, behind a rigid gear and behind a spring. */
static void sensors_of_motors_read_the_rotor_the_current_and_the_heat(void **state)
{
  (void)state;
  for (int spring = 0; spring < 2; spring++) {
    const pk_joint_desc joint = hinge_joint();
    pk_model *m = hinge_model(&joint);
    pk_motor_parameters p = pk_motor_parameters_default();
    p.resistance = 0.5, p.constant = 0.05, p.inertia = 1e-5, p.gear = 50, p.ambient = 20;
    p.winding_resistance = 1, p.housing_resistance = 4, p.winding_capacity = 5, p.housing_capacity = 100;
    p.spring = spring ? 300 : 0, p.spring_damping = 0;
    const pk_actuator motor = {.kind = pk_actuator_kind_find(spring ? "sea" : "dc"), .parameters = &p};
    const pk_sensor list[] = {sensor("motor-encoder", 0), sensor("motor-current", 0),
                              sensor("motor-temperature", 0)};
    pk_actuation *actuation;
    pk_sensing *sensing;
    pk_sim *sim;
    pk_sim_options o = pk_sim_options_default();
    assert_int_equal(pk_actuation_create(m, &motor, 1, NULL, &actuation, NULL), PK_OK);
    assert_int_equal(pk_sensing_create(m, list, 3, 1, &sensing, NULL), PK_OK);
    o.sensing = sensing;
    assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_ERROR_ARGUMENT); /* there is no motor */
    o.actuation = actuation;
    assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
    pk_sim_commands(sim)[0].tau = 3;
    for (int i = 0; i < 200; i++) {
      must_step(sim);
    }
    /* the spring's torque at the end of the step follows from its deflection there */
    const double *const v = pk_sim_readings(sim), tau = pk_sim_tau(sim)[0], q = pk_sim_q(sim)[0];
    const double current = 3 / (p.gear * p.constant), heated = current * current * p.resistance * 0.2;
    assert_near(v[0] / p.gear, q + (spring ? tau / p.spring : 0), spring ? 1e-3 : 1e-12);
    assert_near(v[2], current, 1e-9);
    assert_near(v[3] - 20, heated / p.winding_capacity, 0.05 * heated / p.winding_capacity);
    if (!spring) {
      assert_near(v[1], p.gear * pk_sim_u(sim)[0], 0.1);
      assert_near(tau, 3, 1e-9);
    }
    pk_sim_destroy(sim);
    pk_sensing_destroy(sensing);
    pk_actuation_destroy(actuation);
    pk_model_destroy(m);
  }
}

static void states_set_by_hand_do_not_jolt_an_imu(void **state)
{
  (void)state;
  const pk_sensor imu = sensor("imu", 0);
  rig r = resting_box(&imu, 1, 1e-3);
  pk_sim_u(r.sim)[2] = 3; /* thrown up: from here on it falls */
  must_step(r.sim);
  assert_near(pk_sim_readings(r.sim)[2], 0, 1e-7);
  end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_imu_at_rest_reads_gravity_upwards),
      cmocka_unit_test(an_imu_that_falls_reads_nothing),
      cmocka_unit_test(an_imu_on_a_spinning_arm_feels_the_centripetal_acceleration),
      cmocka_unit_test(the_bandwidth_of_an_imu_is_that_of_a_first_order_filter),
      cmocka_unit_test(encoders_count_and_difference_their_counts),
      cmocka_unit_test(contact_sensors_carry_the_weight),
      cmocka_unit_test(a_force_torque_sensor_in_a_leg_shows_what_the_ground_does),
      cmocka_unit_test(pose_and_velocity_are_those_of_the_place),
      cmocka_unit_test(rays_and_scans_find_the_ground),
      cmocka_unit_test(sensors_of_motors_read_the_rotor_the_current_and_the_heat),
      cmocka_unit_test(states_set_by_hand_do_not_jolt_an_imu),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
