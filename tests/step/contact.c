/* Contact with known answers: falls, bounces, slopes, joint limits, joint friction. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/mat3.h"
#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/hinge.h"
#include "support/world.h"

static const double G = 9.81;

static pk_model *solid(pk_shape_kind kind, const double size[3], double mass, double moment)
{
  return solid_model(kind, size, mass, (const double[3]){moment, moment, moment});
}

static pk_sim *start(const pk_model *m, const pk_terrain *t, pk_material material, double dt)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt;
  o.tolerance = 1e-10;
  return start_world(m, t, material, &o);
}

static pk_step_info step(pk_sim *sim)
{
  const pk_step_info info = must_step(sim);
  assert_true(info.certified);
  assert_at_most(info.certificate.relative, 1e-10);
  return info;
}

static void a_falling_ball_stops_at_the_ground(void **state)
{
  (void)state;
  const double radius = 0.1;
  pk_model *m = solid(PK_SHAPE_SPHERE, (const double[3]){radius, 0, 0}, 2, 0.008);
  pk_terrain *t = slope_terrain(0);
  for (double dt = 1e-3; dt < 0.02; dt *= 2.7) {
    pk_sim *sim = start(m, t, (pk_material){.friction = 0.5}, dt);
    pk_sim_q(sim)[2] = 1.03;
    double lowest = 1;
    for (int i = 0; i < (int)(2 / dt); i++) {
      const pk_step_info info = step(sim);
      lowest = fmin(lowest, pk_sim_q(sim)[2] - radius);
      assert_less(info.penetration, 1e-9);
    }
    assert_greater(lowest, -1e-9);
    assert_less(fabs(pk_sim_q(sim)[2] - radius), 1e-9);
    assert_less(fabs(pk_sim_u(sim)[2]), 1e-12);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Restitution e: each arc is e^2 as high as the last; the time of the n-th landing is a sum of arcs. */
static void a_ball_bounces_in_its_exact_arcs(void **state)
{
  (void)state;
  const double radius = 0.1, height = 1, dt = 1e-4, restitutions[3] = {0, 0.5, 1};
  pk_model *m = solid(PK_SHAPE_SPHERE, (const double[3]){radius, 0, 0}, 2, 0.008);
  pk_terrain *t = slope_terrain(0);
  for (int k = 0; k < 3; k++) {
    const double e = restitutions[k], fall = sqrt(2 * height / G);
    pk_sim *sim = start(m, t, (pk_material){.restitution_n = e}, dt);
    pk_sim_q(sim)[2] = height + radius;
    double top = 0;
    /* to the middle between the top of the first arc and the end of it */
    const int steps = (int)((fall + 1.5 * e * fall) / dt);
    for (int i = 0; i < steps; i++) {
      step(sim);
      if (i * dt > fall + 10 * dt) {
        top = fmax(top, pk_sim_q(sim)[2] - radius);
      }
    }
    /* a step of the fall's end, v dt, is the scale of what the landing can be off by; measured are 6 % of it and less */
    const double place = sqrt(2 * G * height) * dt;
    print_message("restitution %g: arc of %.6f m, exact %.6f m, v dt %.6f m\n", e, top, e * e * height,
                  place);
    assert_near(top, e * e * height, 0.1 * place);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A block at rest on a slope: four corners, twelve rows, six velocities. */
static pk_sim *block_on_slope(pk_model **m, pk_terrain **t, double angle, double mu, double dt)
{
  const double size[3] = {0.4, 0.3, 0.1};
  *m = solid(PK_SHAPE_BOX, size, 3, 0.03);
  *t = slope_terrain(angle);
  pk_sim *sim = start(*m, *t, (pk_material){.friction = mu}, dt);
  double *q = pk_sim_q(sim);
  q[0] = 0.5 * size[2] * sin(angle), q[2] = 0.5 * size[2] * cos(angle);
  q[3] = cos(0.5 * angle), q[5] = sin(0.5 * angle);
  return sim;
}

static void a_block_below_the_friction_angle_does_not_creep(void **state)
{
  (void)state;
  const double mu = 0.5;
  pk_model *m;
  pk_terrain *t;
  pk_sim *sim = block_on_slope(&m, &t, atan(0.99 * mu), mu, 2.5e-3);
  double before[7], worst = 0;
  for (int i = 0; i < 40; i++) {
    step(sim);
  }
  memcpy(before, pk_sim_q(sim), sizeof before);
  const int steps = (int)(60 / 2.5e-3);
  for (int i = 0; i < steps; i++) {
    step(sim);
  }
  for (int i = 0; i < 7; i++) {
    worst = fmax(worst, fabs(pk_sim_q(sim)[i] - before[i]));
  }
  print_message("moved %.2g m in 60 s at 99 %% of the friction angle\n", worst);
  assert_less(worst / 60, 1e-9);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void a_block_beyond_the_friction_angle_slides_as_in_closed_form(void **state)
{
  (void)state;
  const double mu = 0.5, angle = atan(1.2 * mu), dt = 1e-3, time = 1;
  pk_model *m;
  pk_terrain *t;
  pk_sim *sim = block_on_slope(&m, &t, angle, mu, dt);
  const double start_x = pk_sim_q(sim)[0], start_z = pk_sim_q(sim)[2];
  for (int i = 0; i < (int)lround(time / dt); i++) {
    step(sim);
  }
  const double way = hypot(pk_sim_q(sim)[0] - start_x, pk_sim_q(sim)[2] - start_z);
  const double exact = 0.5 * G * (sin(angle) - mu * cos(angle)) * time * time;
  print_message("slid %.9f m, closed form %.9f m\n", way, exact);
  assert_less(fabs(way - exact), 1e-6);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A hinge with limits and friction, turning about z: inertia 1. */
static pk_model *hinge(double lower, double upper, double friction)
{
  pk_joint_desc joint = hinge_joint();
  joint.kind = PK_JOINT_REVOLUTE;
  joint.lower = lower, joint.upper = upper, joint.friction = friction;
  return hinge_model(&joint);
}

static void a_joint_stops_at_its_limit_and_leaves_it_freely(void **state)
{
  (void)state;
  pk_model *m = hinge(-0.5, 0.7, 0);
  pk_sim_options o = pk_sim_options_default();
  pk_sim *sim;
  pk_error err;
  o.dt = 3e-3, o.tolerance = 1e-10;
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
  const double speeds[2] = {2, -2}, ends[2] = {0.7, -0.5};
  for (int k = 0; k < 2; k++) {
    pk_sim_u(sim)[0] = speeds[k];
    for (int i = 0; i < 400; i++) {
      step(sim);
      assert_less(pk_sim_q(sim)[0], 0.7 + 1e-9);
      assert_greater(pk_sim_q(sim)[0], -0.5 - 1e-9);
    }
    assert_less(fabs(pk_sim_q(sim)[0] - ends[k]), 1e-9);
    assert_less(fabs(pk_sim_u(sim)[0]), 1e-12);
  }
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

/* A piston lands: only the impulse of the same step drives the joint towards its limit, which must still hold
 * it. The weight above the foot may close the gap, but not more. */
static void a_landing_does_not_push_a_joint_beyond_its_limit(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err = {.message = ""};
  pk_model *m;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FREE;
  const pk_inertia inertia = {.mass = 1, .moment = {0.01, 0, 0, 0.01, 0, 0.01}};
  const pk_shape_desc ball = {
      .link = "foot", .kind = PK_SHAPE_SPHERE, .pose = pk_pose_identity(), .size = {0.05}};
  pk_joint_desc joint = pk_joint_desc_default();
  joint.kind = PK_JOINT_PRISMATIC, joint.name = "piston", joint.parent = "weight", joint.child = "foot";
  joint.axis[0] = 0, joint.axis[2] = 1, joint.lower = -1, joint.upper = 0.001;
  joint.origin.pos[2] = -0.5;
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &(pk_link_desc){.name = "weight", .inertia = inertia}, &err),
                   PK_OK);
  assert_int_equal(pk_builder_add_link(b, &(pk_link_desc){.name = "foot", .inertia = inertia}, &err), PK_OK);
  assert_int_equal(pk_builder_add_joint(b, &joint, &err), PK_OK);
  assert_int_equal(pk_builder_add_shape(b, &ball, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  pk_terrain *t = slope_terrain(0);
  pk_sim *sim = start(m, t, (pk_material){.friction = 0.5}, 1e-3);
  pk_sim_q(sim)[2] = 0.5505, pk_sim_u(sim)[2] = -5;
  double fastest = 0;
  for (int i = 0; i < 20; i++) {
    const pk_step_info info = step(sim);
    fastest = fmax(fastest, pk_sim_u(sim)[6]);
    assert_less(info.penetration, 1e-9);
  }
  assert_less(fastest, 0.001 / 0.5e-3 + 1e-6); /* the gap over the half step; 5 m/s without the limit */
  assert_less(fabs(pk_sim_u(sim)[2]), 1e-9);
  assert_less(fabs(pk_sim_u(sim)[6]), 1e-9);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A command that was at its limit may lose its gains, its limit or both. */
static void a_limited_command_can_change_its_kind(void **state)
{
  (void)state;
  pk_model *m = hinge(-10, 10, 0);
  const pk_stepper steppers[] = {PK_STEPPER_EULER, PK_STEPPER_MOREAU};
  for (int s = 0; s < 2; s++) {
    pk_sim_options o = pk_sim_options_default();
    o.stepper = steppers[s], o.dt = 1e-2;
    pk_sim *sim;
    pk_error err;
    assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
    pk_sim_commands(sim)[0] = (pk_command){.kp = 1e4, .q_des = 1, .tau_max = 0.5};
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    assert_less(fabs(pk_sim_u(sim)[0] - 0.5e-2), 1e-12);
    pk_sim_commands(sim)[0] = (pk_command){.tau = 0.2, .tau_max = 0.5};
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    assert_less(fabs(pk_sim_u(sim)[0] - 0.7e-2), 1e-12);
    pk_sim_commands(sim)[0] = (pk_command){.kp = 1e4, .q_des = -1, .tau_max = 0.5};
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    pk_sim_commands(sim)[0] = (pk_command){0};
    const double before = pk_sim_u(sim)[0];
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    assert_true(pk_sim_u(sim)[0] == before);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

/* Dry friction holds up to its value, brakes at its value, and stops for good. */
static void joint_friction_sticks_and_slides(void **state)
{
  (void)state;
  pk_model *m = hinge(-INFINITY, INFINITY, 0.5);
  pk_sim_options o = pk_sim_options_default();
  pk_sim *sim;
  pk_error err;
  o.tolerance = 1e-10;
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
  pk_sim_commands(sim)[0].tau = 0.49;
  for (int i = 0; i < 1000; i++) {
    step(sim);
  }
  assert_less(fabs(pk_sim_q(sim)[0]), 1e-14);
  pk_sim_commands(sim)[0].tau = 0.7;
  for (int i = 0; i < 1000; i++) {
    step(sim);
  }
  assert_less(fabs(pk_sim_u(sim)[0] - 0.2), 1e-12); /* (0.7 - 0.5) / I for 1 s */
  pk_sim_commands(sim)[0].tau = 0;
  for (int i = 0; i < 400; i++) {
    step(sim);
  }
  assert_less(fabs(pk_sim_u(sim)[0]), 1e-12); /* stopped at once, after 0.4 s */
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

/* StarLETH with its legs held by gains. */
static pk_sim *starleth(pk_model **m, const pk_terrain *t, double height)
{
  pk_error err = {.message = ""};
  assert_int_equal(pk_model_load_urdf(PK_SOURCE_DIR "/models/starleth/starleth.urdf", NULL, m, &err), PK_OK);
  pk_sim_options o = pk_sim_options_default();
  o.dt = 1e-3, o.tolerance = 1e-8;
  pk_sim *sim;
  assert_int_equal(pk_sim_create(*m, &o, &sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, t, NULL, 0, &err), PK_OK);
  pk_sim_q(sim)[2] = height;
  for (int leg = 0; leg < 4; leg++) {
    const double fore = leg < 2 ? 1 : -1, angles[3] = {0, 0.6 * fore, -1.2 * fore};
    for (int j = 0; j < 3; j++) {
      pk_sim_q(sim)[7 + 3 * leg + j] = angles[j];
      pk_sim_commands(sim)[6 + 3 * leg + j] =
          (pk_command){.kp = 200, .kd = 5, .q_des = angles[j], .tau_max = 30};
    }
  }
  return sim;
}

static void starleth_stands_without_drift(void **state)
{
  (void)state;
  pk_model *m;
  pk_terrain *t = slope_terrain(0);
  pk_sim *sim = starleth(&m, t, 0.48);
  double before[3], worst = 0, moved = 0, deepest = 0;
  for (int i = 0; i < 12000; i++) {
    pk_step_info info;
    assert_int_equal(pk_sim_step(sim, &info), PK_OK);
    worst = fmax(worst, info.certificate.relative);
    deepest = fmax(deepest, info.penetration);
    if (i == 6000) {
      memcpy(before, pk_sim_q(sim), sizeof before);
    }
  }
  for (int k = 0; k < 3; k++) {
    moved = fmax(moved, fabs(pk_sim_q(sim)[k] - before[k]));
  }
  print_message("worst certificate %.2g, deepest %.2g m, trunk moved %.2g m in 6 s\n", worst, deepest, moved);
  assert_at_most(worst, 1e-8);
  assert_less(deepest, 1e-8);
  assert_less(moved, 1e-7); /* 1 um in a minute */
  /* the ground carries the weight, foot by foot */
  pk_sim_contact contacts[8];
  double carried = 0;
  const int feet = pk_sim_contacts(sim, contacts, 8);
  assert_int_equal(feet, 4);
  for (int i = 0; i < feet; i++) {
    assert_non_null(strstr(m->links[contacts[i].link].name, "FOOT"));
    assert_true(contacts[i].normal[2] == 1);
    assert_less(fabs(contacts[i].point[2]), 1e-8);
    carried += contacts[i].impulse[2] / 1e-3;
  }
  assert_less(fabs(carried - m->mass * G), 1e-3);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* From 3 m onto its back and side: it comes to rest on its body, and every step is certified. */
static void starleth_falls_and_comes_to_rest(void **state)
{
  (void)state;
  pk_terrain *t = slope_terrain(0);
  for (int k = 0; k < 4; k++) {
    pk_model *m;
    pk_sim *sim = starleth(&m, t, 3);
    const double turn[4] = {cos(0.8 * k), 0.8 * sin(0.8 * k), 0.6 * sin(0.8 * k), 0};
    memcpy(pk_sim_q(sim) + 3, turn, sizeof turn);
    double worst = 0, speed = 0;
    for (int i = 0; i < 6000; i++) {
      pk_step_info info;
      assert_int_equal(pk_sim_step(sim, &info), PK_OK);
      worst = fmax(worst, info.certificate.relative);
      assert_true(info.certified);
      assert_less(info.penetration, 1e-6);
    }
    for (int i = 0; i < m->nu; i++) {
      speed = fmax(speed, fabs(pk_sim_u(sim)[i]));
    }
    print_message("attitude %d: worst certificate %.2g, speed %.2g\n", k, worst, speed);
    assert_at_most(worst, pk_sim_options_default().tolerance);
    assert_less(speed, 1e-5);
    pk_sim_destroy(sim);
    pk_model_destroy(m);
  }
  pk_terrain_destroy(t);
}

static void terrain_needs_a_stepper_that_knows_contact_and_sound_materials(void **state)
{
  (void)state;
  pk_model *m = solid(PK_SHAPE_SPHERE, (const double[3]){0.1, 0, 0}, 1, 0.01);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = pk_sim_options_default();
  pk_sim *sim;
  pk_error err;
  o.stepper = PK_STEPPER_RK4;
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, t, NULL, 0, &err), PK_ERROR_UNSUPPORTED);
  assert_string_equal(
      err.message,
      "the stepper \"rk4\" knows no contact of the law \"hard\": use \"moreau\" or \"euler\", "
      "a law of springs (\"compliant\", \"penalty\", \"penalty-integral\"), or set compliances first");
  pk_sim_destroy(sim);
  o.stepper = PK_STEPPER_MOREAU;
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
  pk_material bad = {.friction = -1};
  assert_int_equal(pk_sim_set_terrain(sim, t, &bad, 1, &err), PK_ERROR_ARGUMENT);
  bad = (pk_material){.restitution_n = 1.5};
  assert_int_equal(pk_sim_set_terrain(sim, t, &bad, 1, &err), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_sim_set_terrain(sim, t, &bad, 100, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "there are 100 materials, expected 1 to 64");
  const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
  assert_int_equal(pk_terrain_add_plane(t, origin, up, 2, &err), PK_OK);
  bad = (pk_material){.friction = 1};
  assert_int_equal(pk_sim_set_terrain(sim, t, &bad, 1, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "the terrain refers to material 2, but there are 1 (counted from 0)");
  assert_int_equal(pk_sim_set_terrain(sim, t, NULL, 0, &err), PK_OK);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void too_many_contacts_leave_the_state_as_it_was(void **state)
{
  (void)state;
  pk_model *m;
  pk_terrain *t = slope_terrain(0);
  const double size[3] = {0.4, 0.3, 0.1};
  m = solid(PK_SHAPE_BOX, size, 3, 0.03);
  pk_sim_options o = pk_sim_options_default();
  o.max_contacts = 3;
  pk_sim *sim;
  pk_error err;
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, t, NULL, 0, &err), PK_OK);
  pk_sim_q(sim)[2] = 0.05;
  const double before = pk_sim_q(sim)[2];
  pk_step_info info;
  assert_int_equal(pk_sim_step(sim, &info), PK_ERROR_LIMIT);
  assert_string_equal(info.term, "max_contacts");
  assert_int_equal(info.contacts, 3);
  assert_true(pk_sim_q(sim)[2] == before && pk_sim_u(sim)[2] == 0);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_falling_ball_stops_at_the_ground),
      cmocka_unit_test(a_ball_bounces_in_its_exact_arcs),
      cmocka_unit_test(a_block_below_the_friction_angle_does_not_creep),
      cmocka_unit_test(a_block_beyond_the_friction_angle_slides_as_in_closed_form),
      cmocka_unit_test(a_joint_stops_at_its_limit_and_leaves_it_freely),
      cmocka_unit_test(a_landing_does_not_push_a_joint_beyond_its_limit),
      cmocka_unit_test(a_limited_command_can_change_its_kind),
      cmocka_unit_test(joint_friction_sticks_and_slides),
      cmocka_unit_test(starleth_stands_without_drift),
      cmocka_unit_test(starleth_falls_and_comes_to_rest),
      cmocka_unit_test(terrain_needs_a_stepper_that_knows_contact_and_sound_materials),
      cmocka_unit_test(too_many_contacts_leave_the_state_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
