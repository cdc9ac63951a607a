/* Motions whose optimum is known: closed forms, and references of the literature to the digits that they have. */
#define _GNU_SOURCE /* setenv beside C17 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "optimize/motion/solution.h"
#include "support/bounds.h"
#include "support/named_model.h"

/* A cart of mass m on rails along x, with a rod of mass rod_mass, all of it `length` away from a hinge about y, hanging down at zero; rod_mass 0: no
 * rod. */
static pk_model *cart_model(double mass, double rod_mass, double length)
{
  pk_builder *b;
  pk_model *m;
  pk_error err;
  assert_int_equal(pk_builder_create(&b, &err), PK_OK);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FIXED;
  const pk_link_desc base = {.name = "base"},
                     cart = {.name = "cart", .inertia = {.mass = mass, .moment = {1, 0, 0, 1, 0, 1}}},
                     rod = {.name = "rod", .inertia = {.mass = rod_mass, .com = {0, 0, -length}}};
  pk_joint_desc rail = pk_joint_desc_default(), hinge = pk_joint_desc_default();
  rail.name = "rail", rail.kind = PK_JOINT_PRISMATIC, rail.parent = "base", rail.child = "cart";
  hinge.name = "hinge", hinge.kind = PK_JOINT_CONTINUOUS, hinge.parent = "cart", hinge.child = "rod";
  hinge.axis[0] = 0, hinge.axis[1] = -1; /* x of the tip grows with the angle, as in the source */
  hinge.effort = 0;
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &base, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &cart, &err), PK_OK);
  assert_int_equal(pk_builder_add_joint(b, &rail, &err), PK_OK);
  if (rod_mass > 0) {
    assert_int_equal(pk_builder_add_link(b, &rod, &err), PK_OK);
    assert_int_equal(pk_builder_add_joint(b, &hinge, &err), PK_OK);
  }
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  return m;
}

/* One phase of a given time without feet. */
static pki_motion_problem flight_of(const pk_model *model, double time, int intervals)
{
  pki_motion_problem p;
  pki_motion_problem_default(&p, model);
  p.phases[0] = (pki_motion_phase){
      .name = "motion", .intervals = intervals, .shortest = time, .longest = time, .guess = time};
  p.nphase = 1;
  p.tolerance = 1e-10;
  return p;
}

static double solve(const pki_motion_problem *problem, pki_motion_solution *solution)
{
  pk_error err = {0};
  const pk_status status = pki_motion_solve(problem, NULL, solution, &err);
  if (status != PK_OK || !solution->solved) {
    const pki_motion_stage *s = &solution->stages[solution->nstage > 0 ? solution->nstage - 1 : 0];
    fail_msg("%s; %s %s", err.message, s->result.why != NULL ? s->result.why : "", s->worst);
  }
  return solution->objective;
}

static double optimum(const pki_motion_problem *problem)
{
  pki_motion_solution solution;
  const double objective = solve(problem, &solution);
  pki_motion_solution_free(&solution);
  return objective;
}

static void a_mass_moved_in_a_second_takes_twelve_on_any_grid(void **state)
{
  (void)state;
  pk_model *m = cart_model(1, 0, 0);
  for (int n = 1; n < 20; n += 6) {
    pki_motion_problem p = flight_of(m, 1, n);
    p.q_start[0] = p.v_start[0] = p.v_end[0] = 0, p.q_end[0] = 1;
    p.objective.torque = 1;
    assert_near(optimum(&p), 12, 1e-8);
  }
  pk_model_destroy(m);
}

static void a_mass_moved_with_unit_force_takes_two_seconds(void **state)
{
  (void)state;
  pk_model *m = cart_model(1, 0, 0);
  pki_motion_problem p = flight_of(m, 2.2, 1);
  for (int k = 0; k < 2; k++) { /* a phase of each sign: the switch is free */
    p.phases[k] = (pki_motion_phase){.intervals = 2, .shortest = 0.1, .longest = 10, .guess = 1.1};
  }
  p.nphase = 2;
  p.q_start[0] = p.v_start[0] = p.v_end[0] = 0, p.q_end[0] = 1;
  p.tau_upper[0] = 1;
  p.objective.time = 1;
  assert_near(optimum(&p), 2, 1e-7);
  pk_model_destroy(m);
}

/* Bryson and Denham: x'' = u from 0 and 1 to 0 and -1 in a second below x = l, half the integral of u^2: 4/(9 l) for l <= 1/6. */
static void bryson_and_denham_cost_four_ninths_of_the_inverse_height(void **state)
{
  (void)state;
  pk_model *m = cart_model(1, 0, 0);
  pki_motion_problem p = flight_of(m, 1, 30); /* 3 l = 1/3 is a node: there the control has a corner */
  p.q_start[0] = p.q_end[0] = 0, p.v_start[0] = 1, p.v_end[0] = -1;
  p.q_upper[0] = 1.0 / 9;
  p.objective.torque = 0.5;
  assert_near(optimum(&p), 4, 1e-6);
  pk_model_destroy(m);
}

/* Kelly (2017), table of the cart and pole. */
static void the_cart_and_pole_swings_up_at_the_known_cost(void **state)
{
  (void)state;
  pk_model *m = cart_model(1, 0.3, 0.5);
  const struct {
    int intervals;
    double cost;
  } rows[] = {{20, 58.8169385256}, {40, 58.8125340236}, {80, 58.8079434065}};
  for (int i = 0; i < 3; i++) {
    pki_motion_problem p = flight_of(m, 2, rows[i].intervals);
    p.q_start[0] = p.q_start[1] = p.v_start[0] = p.v_start[1] = p.v_end[0] = p.v_end[1] = 0;
    p.q_end[0] = 1, p.q_end[1] = acos(-1.0);
    p.tau_upper[0] = 20, p.tau_upper[1] = 0;
    p.objective.torque = 1;
    assert_near(optimum(&p), rows[i].cost, 1e-6);
  }
  pk_model_destroy(m);
}

/* A step of RABBIT's biped with point feet and an ankle motor: 0.5 m in 0.7 s, least integral of squared torques. */
static double solve_five_links(const pk_model *m, int intervals, pki_motion_solution *s)
{
  pki_motion_problem p = flight_of(m, 0.7, intervals);
  p.closure = PKI_MOTION_HALF;
  assert_int_equal(pki_motion_add_foot(&p, "L_FOOT", NULL), PK_OK);
  assert_int_equal(pki_motion_add_foot(&p, "R_FOOT", NULL), PK_OK);
  for (int f = 0; f < 2; f++) {
    p.feet[f].radius = 0;
    p.feet[f].ankle = 1e6;
  }
  p.phases[0].stance = 1;
  p.stride_shortest = p.stride_longest = 1;
  p.friction = INFINITY;
  p.clearance = -1; /* the benchmark lets the foot swing through the floor */
  p.pose[1] = 0.7;  /* hips that high, knees bent */
  p.pose[3] = p.pose[5] = -0.25, p.pose[4] = p.pose[6] = 0.5;
  p.objective.torque = 1;
  return solve(&p, s);
}

/* The stance foot is held by its acceleration here and by coordinates in the benchmark: the limits of fine grids agree, to which both converge
 * with the fourth order. */
static void the_five_link_biped_walks_at_the_known_cost(void **state)
{
  (void)state;
  const double known[5] = {0.49638410, 0.08077894, -0.16449177, -0.35903130, -0.34871695};
  pk_model *m = named_model("five_link_biped");
  pki_motion_solution s;
  const double coarse = solve_five_links(m, 20, &s);
  pki_motion_solution_free(&s);
  const double fine = solve_five_links(m, 40, &s);
  assert_near((16 * fine - coarse) / 15, 264.8368363, 2e-6);
  const double *q = s.points[0].q, pitch = q[2]; /* absolute angles just after the strike */
  const double found[5] = {-(pitch + q[3] + q[4]), -(pitch + q[3]), -pitch, -(pitch + q[5]),
                           -(pitch + q[5] + q[6])};
  for (int k = 0; k < 5; k++) {
    assert_near(found[k], known[k], 1e-5);
  }
  pki_motion_solution_free(&s);
  pk_model_destroy(m);
}

int main(void)
{
  setenv("PRONK_PLUGINS", PK_BUILD_DIR "/plugins", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mass_moved_in_a_second_takes_twelve_on_any_grid),
      cmocka_unit_test(a_mass_moved_with_unit_force_takes_two_seconds),
      cmocka_unit_test(bryson_and_denham_cost_four_ninths_of_the_inverse_height),
      cmocka_unit_test(the_cart_and_pole_swings_up_at_the_known_cost),
      cmocka_unit_test(the_five_link_biped_walks_at_the_known_cost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
