/* The compliant law: springs, dampers, anchors, stick and slip. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/world.h"

static const double G = 9.81, BOX[3] = {0.4, 0.3, 0.1}, MOMENT[3] = {0.025, 0.043, 0.0625}, MASS = 3;
static const double BALL[3] = {0.008, 0.008, 0.008};

static pk_sim_options compliant_options(double dt)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt, o.law = PK_CONTACT_LAW_COMPLIANT;
  return o;
}

static void run(pk_sim *sim, int steps)
{
  for (int i = 0; i < steps; i++) {
    must_step(sim);
  }
}

/* A box on its four corners, pushed at the height of the ground so that it does not tip. */
static void run_pushed(pk_sim *sim, double force, int steps)
{
  const double point[3] = {0, 0, -0.05}, f[3] = {force, 0, 0};
  for (int i = 0; i < steps; i++) {
    pk_sim_push(sim, 0, point, f);
    must_step(sim);
  }
}

static void a_ball_and_a_block_settle_where_the_springs_carry_them(void **state)
{
  (void)state;
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = compliant_options(1e-3);
  o.stiffness_n = 20000;
  for (int k = 0; k < 2; k++) {
    pk_model *m = k ? solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT)
                    : solid_model(PK_SHAPE_SPHERE, (const double[3]){0.05, 0, 0}, MASS, BALL);
    pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.5}, &o);
    pk_sim_q(sim)[2] = 0.08;
    run(sim, 5000);
    const int springs = k ? 4 : 1;
    const double sunk = MASS * G / (springs * o.stiffness_n);
    const pk_step_info info = must_step(sim);
    print_message("%d springs: sunk by %.9f m, closed form %.9f m\n", springs, 0.05 - pk_sim_q(sim)[2], sunk);
    assert_less(fabs(0.05 - pk_sim_q(sim)[2] - sunk), 1e-9);
    assert_less(fabs(info.penetration - sunk), 1e-9);
    assert_int_equal(info.contacts, springs);
    pk_sim_contact contacts[8];
    double carried = 0;
    assert_int_equal(pk_sim_contacts(sim, contacts, 8), springs);
    for (int i = 0; i < springs; i++) {
      carried += contacts[i].impulse[2] / o.dt;
    }
    assert_less(fabs(carried - MASS * G), 1e-6);
    pk_sim_destroy(sim);
    pk_model_destroy(m);
  }
  pk_terrain_destroy(t);
}

static void friction_holds_with_its_deflection_below_the_cone_and_slips_above(void **state)
{
  (void)state;
  const double mu = 0.5;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0);
  const pk_sim_options o = compliant_options(5e-4);
  pk_sim *sim = start_world(m, t, (pk_material){.friction = mu}, &o);
  pk_sim_q(sim)[2] = 0.05 - MASS * G / (4 * o.stiffness_n);
  for (double part = 0.3; part < 1; part += 0.3) {
    const double force = part * mu * MASS * G, exact = force / (4 * o.stiffness_t);
    for (int i = 1; i <= 1000; i++) { /* gently: a sudden force would overshoot */
      run_pushed(sim, (part - 0.3 + 0.3e-3 * i) * mu * MASS * G, 1);
    }
    run_pushed(sim, force, 8000);
    print_message("%2.0f %% of the cone: moved by %.9f m, closed form %.9f m\n", 100 * part, pk_sim_q(sim)[0],
                  exact);
    assert_less(fabs(pk_sim_q(sim)[0] - exact), 1e-9);
  }
  run_pushed(sim, 0, 8000);
  assert_less(fabs(pk_sim_q(sim)[0]), 1e-9); /* the anchor is where it was */
  const double force = 1.3 * mu * MASS * G, exact = (force - mu * MASS * G) / MASS;
  run_pushed(sim, force, 200);
  const double v = pk_sim_u(sim)[0];
  run_pushed(sim, force, 1000);
  print_message("above the cone: %.6f m/s^2, closed form %.6f m/s^2\n", (pk_sim_u(sim)[0] - v) / 0.5, exact);
  assert_less(fabs((pk_sim_u(sim)[0] - v) / 0.5 - exact), 1e-3 * exact);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Slip goes on until the velocity vanishes, not for one step; then a new anchor holds. */
static void a_slip_ends_when_the_velocity_vanishes(void **state)
{
  (void)state;
  const double mu = 0.4, v = 1.5, exact = v * v / (2 * mu * G);
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0);
  const pk_sim_options o = compliant_options(5e-4);
  pk_sim *sim = start_world(m, t, (pk_material){.friction = mu}, &o);
  pk_sim_q(sim)[2] = 0.05 - MASS * G / (4 * o.stiffness_n);
  pk_sim_u(sim)[0] = v;
  run(sim, 100);
  assert_less(fabs(v - pk_sim_u(sim)[0] - mu * G * 0.05), 0.02 * v);
  run(sim, 10000);
  const double rest = pk_sim_q(sim)[0];
  print_message("slid %.6f m, rigid closed form %.6f m, then %.1g m/s\n", rest, exact, fastest(sim));
  assert_less(fabs(rest - exact), 0.005);
  assert_less(fastest(sim), 1e-9);
  run_pushed(sim, 0.5 * mu * MASS * G, 8000);
  run(sim, 8000);
  assert_less(fabs(pk_sim_q(sim)[0] - rest), 1e-9); /* held by the new anchor, and back again */
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* With soft springs and no damper a new anchor would hold nothing for a while: a slip must not end before its time. */
static void a_slip_goes_on_while_there_is_velocity(void **state)
{
  (void)state;
  const double mu = 0.4, v = 1.5;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = compliant_options(5e-4);
  o.stiffness_t = 1000, o.damping_t = 0;
  pk_sim *sim = start_world(m, t, (pk_material){.friction = mu}, &o);
  pk_sim_q(sim)[2] = 0.05 - MASS * G / (4 * o.stiffness_n);
  pk_sim_u(sim)[0] = v;
  run(sim, 100);
  const double before = pk_sim_u(sim)[0];
  run(sim, 400);
  print_message("slip slows down by %.6f m/s^2, closed form %.6f m/s^2\n", (before - pk_sim_u(sim)[0]) / 0.2,
                mu * G);
  assert_less(fabs((before - pk_sim_u(sim)[0]) / 0.2 - mu * G), 1e-2 * mu * G);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Rolling moves the contact point over ground and ball alike: no spring may see it. Down a slope a ball goes with
 * g sin / (1 + I/(m r^2)). */
static void a_rolling_ball_is_not_held_by_its_anchor(void **state)
{
  (void)state;
  const double radius = 0.05, angle = 0.1, inertia = 0.4 * MASS * radius * radius;
  const double exact = G * sin(angle) / (1 + inertia / (MASS * radius * radius));
  pk_model *m = solid_model(PK_SHAPE_SPHERE, (const double[3]){radius, 0, 0}, MASS,
                            (const double[3]){inertia, inertia, inertia});
  pk_terrain *t = slope_terrain(angle);
  const pk_sim_options o = compliant_options(1e-3);
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.5}, &o);
  const double height = radius - MASS * G * cos(angle) / o.stiffness_n;
  pk_sim_q(sim)[0] = height * sin(angle), pk_sim_q(sim)[2] = height * cos(angle);
  run(sim, 1000);
  const double speed = hypot(pk_sim_u(sim)[0], pk_sim_u(sim)[2]);
  print_message("rolls at %.6f m/s after 1 s, closed form %.6f m/s\n", speed, exact);
  assert_less(fabs(speed - exact), 1e-2 * exact);
  assert_less(fabs(pk_sim_u(sim)[4] * radius - speed), 1e-2 * speed);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void starleth_stands_on_springs_at_two_steps_per_control_update(void **state)
{
  (void)state;
  pk_model *m = starleth_model();
  pk_terrain *t = slope_terrain(0);
  const pk_sim_options o = compliant_options(1.25e-3);
  pk_sim *sim = start_world(m, t, pk_material_default(), &o);
  double final[2][19];
  for (int k = 0; k < 2; k++) {
    pk_sim_reset(sim);
    starleth_pose(sim, 0.48, true);
    run(sim, 4000);
    memcpy(final[k], pk_sim_q(sim), sizeof final[k]);
  }
  assert_memory_equal(final[0], final[1], sizeof final[0]); /* a reset forgets the anchors */
  const pk_step_info info = must_step(sim);
  pk_sim_contact contacts[8];
  double carried = 0;
  const int feet = pk_sim_contacts(sim, contacts, 8);
  for (int i = 0; i < feet; i++) {
    carried += contacts[i].impulse[2] / o.dt;
  }
  print_message("%d feet carry %.4f N of %.4f N, sunk by %.3g m, speed %.2g\n", feet, carried, m->mass * G,
                info.penetration, fastest(sim));
  assert_int_equal(feet, 4);
  assert_less(fabs(carried - m->mass * G), 1e-3);
  assert_less(fastest(sim), 1e-6);
  assert_greater(info.penetration, 0.5 * m->mass * G / (4 * o.stiffness_n));
  assert_less(info.penetration, 2 * m->mass * G / (4 * o.stiffness_n));
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Joint limits stay hard beside soft ground: a limp StarLETH collapses onto its stops. */
static void joint_limits_hold_beside_compliant_contacts(void **state)
{
  (void)state;
  pk_model *m = starleth_model();
  pk_terrain *t = slope_terrain(0);
  const pk_sim_options o = compliant_options(5e-4);
  pk_sim *sim = start_world(m, t, pk_material_default(), &o);
  starleth_pose(sim, 0.48, false);
  double beyond = 0;
  int at_stop = 0;
  for (int i = 0; i < 3000; i++) {
    must_step(sim);
    for (int k = 6; k < m->nu; k++) {
      const double x = pk_sim_q(sim)[m->dof_q[k]];
      beyond = fmax(beyond, fmax(x - m->dof_upper[k], m->dof_lower[k] - x));
      at_stop += fabs(x - m->dof_upper[k]) < 1e-6 || fabs(x - m->dof_lower[k]) < 1e-6;
    }
  }
  print_message("joints at their stops in %d steps, beyond them by %.1g rad\n", at_stop, beyond);
  assert_greater(at_stop, 0);
  assert_less(beyond, 1e-8);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_and_a_block_settle_where_the_springs_carry_them),
      cmocka_unit_test(friction_holds_with_its_deflection_below_the_cone_and_slips_above),
      cmocka_unit_test(a_slip_ends_when_the_velocity_vanishes),
      cmocka_unit_test(a_slip_goes_on_while_there_is_velocity),
      cmocka_unit_test(a_rolling_ball_is_not_held_by_its_anchor),
      cmocka_unit_test(starleth_stands_on_springs_at_two_steps_per_control_update),
      cmocka_unit_test(joint_limits_hold_beside_compliant_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
