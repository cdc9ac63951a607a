/* Numbers of a robot that are chosen with its motion: closed forms, and what the optimum is sensitive to. */
#define _GNU_SOURCE /* setenv beside C17 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "optimize/motion/link_lengths.h"
#include "optimize/motion/robot_functions.h"
#include "optimize/motion/solution.h"
#include "pronk/builder.h"
#include "support/bounds.h"

static const double pi = 3.14159265358979323846;

/* A cart on rails along x. */
static pk_model *cart_model(double mass, double armature)
{
  pk_builder *b;
  pk_model *m;
  pk_error err;
  assert_int_equal(pk_builder_create(&b, &err), PK_OK);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FIXED;
  const pk_link_desc base = {.name = "base"},
                     cart = {.name = "cart", .inertia = {.mass = mass, .moment = {1, 0, 0, 1, 0, 1}}};
  pk_joint_desc rail = pk_joint_desc_default();
  rail.name = "rail", rail.kind = PK_JOINT_PRISMATIC, rail.parent = "base", rail.child = "cart";
  rail.armature = armature;
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &base, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &cart, &err), PK_OK);
  assert_int_equal(pk_builder_add_joint(b, &rail, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  return m;
}

/* The cart goes from rest at one place to rest at another. */
static pki_motion_problem move_cart(const pk_model *model, double from, double to, double time, int intervals)
{
  pki_motion_problem p;
  pki_motion_problem_default(&p, model);
  p.scheme = PKI_MOTION_HERMITE_SIMPSON;
  p.phases[0] = (pki_motion_phase){
      .name = "motion", .intervals = intervals, .shortest = time, .longest = time, .guess = time};
  p.nphase = 1;
  p.tolerance = 1e-10;
  p.q_start[0] = from, p.q_end[0] = to, p.v_start[0] = p.v_end[0] = 0;
  return p;
}

static pki_motion_design *add_design(pki_motion_problem *p, pki_design_kind kind, double lower, double upper,
                                     double start)
{
  pki_motion_design *d = &p->designs[p->ndesign++];
  *d = (pki_motion_design){.kind = kind, .name = "rail", .lower = lower, .upper = upper, .start = start};
  d->sign[0] = 1;
  return d;
}

static void solve(const pki_motion_problem *problem, pki_motion_solution *solution)
{
  pk_error err = {.message = ""};
  const pk_status status = pki_motion_solve(problem, NULL, solution, &err);
  if (status != PK_OK || !solution->solved) {
    const pki_motion_stage *s = &solution->stages[solution->nstage > 0 ? solution->nstage - 1 : 0];
    fail_msg("%s; %s %s", err.message, s->result.why != NULL ? s->result.why : "", s->worst);
  }
}

static double optimum(const pki_motion_problem *problem)
{
  pki_motion_solution solution;
  solve(problem, &solution);
  const double objective = solution.objective;
  pki_motion_solution_free(&solution);
  return objective;
}

/* ---- closed forms ---- */

/* From 0.3 m to 0.7 m in half a period of a free oscillation: k = m (pi/T)^2, about the middle, without any force. */
static void the_best_parallel_spring_is_the_resonant_one(void **state)
{
  (void)state;
  pk_model *m = cart_model(2, 0);
  pki_motion_problem p = move_cart(m, 0.3, 0.7, 0.5, 30);
  p.objective.torque = 1;
  const double without = optimum(&p);
  assert_near(without, 12 * 4 * 0.16 / 0.125, 1e-6 * without);
  add_design(&p, PKI_DESIGN_PARALLEL_STIFFNESS, 0, 1000, 10);
  add_design(&p, PKI_DESIGN_PARALLEL_REST, -1, 1, 0);
  pki_motion_solution s;
  solve(&p, &s);
  assert_int_equal(s.ndesign, 2);
  assert_near(s.design[0].value, 2 * pow(pi / 0.5, 2), 1e-4 * s.design[0].value);
  assert_near(s.design[1].value, 0.5, 1e-5);
  assert_true(s.objective < 1e-8 * without);
  pki_motion_solution_free(&s);
  pk_model_destroy(m);
}

/* A motor of inertia J behind a gear of N rad/m moves the mass m with the least heat where N^2 J = m, whatever the motion; with r = N/sqrt(m/J) the heat is
 * ((1 + r^2)/(2 r))^2 times the least. */
static void the_best_gear_matches_the_inertias(void **state)
{
  (void)state;
  enum { WITHOUT, WITH };
  for (int armature = WITHOUT; armature <= WITH;
       armature++) { /* the rotor stands in the place of the model's */
    pk_model *m = cart_model(5, armature == WITH ? 3 : 0);
    pki_motion_problem p = move_cart(m, 0, 1, 1, 10);
    const double J = 2e-5, N = sqrt(5 / J), R = 0.5, K = 0.04;
    p.motor[0] = (pki_motion_motor){.resistance = R,
                                    .constant = K,
                                    .gear = 100,
                                    .efficiency = 1,
                                    .speed = INFINITY,
                                    .stall = INFINITY,
                                    .inertia = J};
    p.objective.joule = 1;
    pki_motion_design *d = add_design(&p, PKI_DESIGN_GEAR, 10, 5000, 100);
    d->scan = 0.1;
    pki_motion_solution s;
    solve(&p, &s);
    const double least = 12 * R / (K * K) * 4 * 5 * J; /* (m + N^2 J)^2/N^2 = 4 m J */
    assert_near(s.design[0].value, N, 1e-5 * N);
    assert_near(s.objective, least, 1e-8 * least);
    assert_near(s.joule, least, 1e-8 * least);
    assert_near(s.design[0].slope * N / least, 0, 1e-6);
    for (int side = 0; side < 2; side++) {
      const double r = side == 0 ? 0.9 : 1.1, more = pow((1 + r * r) / (2 * r), 2);
      assert_near(s.design[0].at[side], r * s.design[0].value, 1e-9 * N);
      assert_near(s.design[0].scanned[side].objective / least, more, 1e-5);
      assert_near(s.design[0].scanned[side].joule / least, more, 1e-5);
    }
    pki_motion_solution_free(&s);
    pk_model_destroy(m);
  }
}

/* ---- a spring between the rotor and the load ---- */

enum { STATES = 4 };

/* x, v of the load m; theta, w of the rotor I; the spring k between them, the torque at the rotor. */
static void state_rate(const double z[STATES], double u, double m, double I, double k, double rate[STATES])
{
  rate[0] = z[1], rate[1] = k * (z[2] - z[0]) / m;
  rate[2] = z[3], rate[3] = (u - k * (z[2] - z[0])) / I;
}

/* z after the time T without a torque, by Runge and Kutta. */
static void let_go(double z[STATES], double m, double I, double k, double T)
{
  enum { STEPS = 4000 };
  const double h = T / STEPS;
  for (int step = 0; step < STEPS; step++) {
    double r[4][STATES], at[STATES];
    for (int s = 0; s < 4; s++) {
      const double part = s == 0 ? 0 : s == 3 ? h : h / 2;
      for (int i = 0; i < STATES; i++) {
        at[i] = z[i] + (s > 0 ? part * r[s - 1][i] : 0);
      }
      state_rate(at, 0, m, I, k, r[s]);
    }
    for (int i = 0; i < STATES; i++) {
      z[i] += h / 6 * (r[0][i] + 2 * r[1][i] + 2 * r[2][i] + r[3][i]);
    }
  }
}

/* x of A x = b by Gauss's elimination; A and b are overwritten. */
static void solve_small(int n, double A[STATES][STATES], double *b)
{
  for (int c = 0; c < n; c++) {
    for (int i = c + 1; i < n; i++) {
      const double factor = A[i][c] / A[c][c];
      for (int j = c; j < n; j++) {
        A[i][j] -= factor * A[c][j];
      }
      b[i] -= factor * b[c];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) {
      b[i] -= A[i][j] * b[j];
    }
    b[i] /= A[i][i];
  }
}

/* d1' inv(W) d2 of the Gramian W = integral of e^(A t) B B' e^(A' t), by Simpson's rule. */
static double gramian_product(double m, double I, double k, double T, const double d1[STATES],
                              const double d2[STATES])
{
  enum { PARTS = 200 };
  double W[STATES][STATES] = {{0}}, z[STATES] = {0, 0, 0, 1 / I}, x[STATES], sum = 0;
  for (int n = 0; n <= PARTS; n++) {
    const double weight = T / PARTS / 3 * (n == 0 || n == PARTS ? 1 : n % 2 != 0 ? 4 : 2);
    for (int i = 0; i < STATES; i++) {
      for (int j = 0; j < STATES; j++) {
        W[i][j] += weight * z[i] * z[j];
      }
    }
    let_go(z, m, I, k, T / PARTS);
  }
  memcpy(x, d2, sizeof x);
  solve_small(STATES, W, x);
  for (int i = 0; i < STATES; i++) {
    sum += d1[i] * x[i];
  }
  return sum;
}

/* The least integral of the squared rotor torque from rest at 0 to rest at d, where the deflections e_0, e_1 at the ends are free: the least
 * of a quadratic form in both. */
static double least_rotor_torque(double m, double I, double k, double T, double d)
{
  double column[3][STATES] = {{d, 0, d, 0}, {0, 0, 1, 0}, {0, 0, 1, 0}}; /* fixed part, e_0, e_1 */
  let_go(column[1], m, I, k, T);
  for (int i = 0; i < STATES; i++) {
    column[1][i] = -column[1][i];
  }
  double Q[STATES][STATES], b[STATES] = {0}, cost = gramian_product(m, I, k, T, column[0], column[0]);
  for (int i = 0; i < 2; i++) {
    b[i] = gramian_product(m, I, k, T, column[i + 1], column[0]);
    for (int j = 0; j < 2; j++) {
      Q[i][j] = gramian_product(m, I, k, T, column[i + 1], column[j + 1]);
    }
  }
  double e[STATES];
  memcpy(e, b, sizeof e);
  solve_small(2, Q, e);
  return cost - e[0] * b[0] - e[1] * b[1];
}

static void a_series_spring_costs_what_control_theory_says(void **state)
{
  (void)state;
  pk_model *m = cart_model(2, 0.5); /* the rotor of a joint without a motor's is its armature */
  for (int i = 0; i < 2; i++) {
    const double k = i == 0 ? 60 : 400;
    double found[2];
    for (int fine = 0; fine < 2; fine++) {
      pki_motion_problem p = move_cart(m, 0, 0.4, 0.8, fine == 0 ? 40 : 80);
      p.objective.torque = 1;
      add_design(&p, PKI_DESIGN_SERIES_STIFFNESS, k, k, k);
      found[fine] = optimum(&p);
    }
    /* grids converge with the fourth order */
    const double expected = least_rotor_torque(2, 0.5, k, 0.8, 0.4);
    assert_near((16 * found[1] - found[0]) / 15, expected, 1e-5 * expected);
    assert_near(found[1], expected, 1e-3 * expected);
  }
  pk_model_destroy(m);
}

/* ---- sensitivities ---- */

/* A cart with a motor, its lines and limits, springs on both sides and a gear. */
static pki_motion_problem driven_cart(const pk_model *model)
{
  pki_motion_problem p = move_cart(model, 0, 0.5, 0.8, 8);
  p.motor[0] = (pki_motion_motor){.resistance = 0.5,
                                  .constant = 0.04,
                                  .gear = 150,
                                  .efficiency = 0.9,
                                  .speed = 1.5,
                                  .stall = 40,
                                  .inertia = 2e-5,
                                  .damping = 1e-5,
                                  .peak = 12};
  p.motor_lines = true;
  p.objective = (pki_motion_objective){.joule = 1, .acceleration = 1e-3};
  return p;
}

static void slopes_are_those_of_problems_solved_again(void **state)
{
  (void)state;
  pk_model *m = cart_model(2, 0.1);
  const struct {
    pki_design_kind kind;
    double value;
  } rows[] = {{PKI_DESIGN_PARALLEL_STIFFNESS, 14},
              {PKI_DESIGN_PARALLEL_REST, 0.31},
              {PKI_DESIGN_SERIES_STIFFNESS, 300},
              {PKI_DESIGN_GEAR, 170}};
  enum { ROWS = sizeof rows / sizeof rows[0] };
  for (int which = 0; which < ROWS; which++) {
    double J[3];
    double slope = 0;
    const double h = 1e-3 * rows[which].value;
    for (int step = 0; step < 3; step++) {
      pki_motion_problem p = driven_cart(m);
      for (int i = 0; i < ROWS; i++) {
        const double value = rows[i].value + (i == which ? (step - 1) * h : 0);
        add_design(&p, rows[i].kind, value, value, value);
      }
      pki_motion_solution s;
      solve(&p, &s);
      J[step] = s.objective;
      slope = step == 1 ? s.design[which].slope : slope;
      pki_motion_solution_free(&s);
    }
    const double expected = (J[2] - J[0]) / (2 * h);
    assert_true(fabs(expected) * rows[which].value > 1e-3 * J[1]); /* otherwise this says nothing */
    assert_near(slope, expected, 1e-4 * fabs(expected));
  }
  pk_model_destroy(m);
}

/* At a bound the slope is that of the bound's multiplier: it would pay to move it. */
static void a_parameter_at_its_bound_has_a_slope_towards_it(void **state)
{
  (void)state;
  pk_model *m = cart_model(2, 0);
  pki_motion_problem p = move_cart(m, 0.3, 0.7, 0.5, 10);
  p.objective.torque = 1;
  const double most = pow(pi / 0.5, 2); /* half of the best */
  add_design(&p, PKI_DESIGN_PARALLEL_STIFFNESS, 0, most, 10)->scan = 0.1;
  add_design(&p, PKI_DESIGN_PARALLEL_REST, 0.5, 0.5, 0.5);
  pki_motion_solution s;
  solve(&p, &s);
  assert_near(s.design[0].value, most, 1e-6);
  assert_true(s.design[0].slope < 0);
  const pki_motion_costs *beside = s.design[0].scanned;
  assert_true(beside[1].objective < s.objective && s.objective < beside[0].objective);
  const double h = 0.1 * most, mean = (beside[1].objective - beside[0].objective) / (2 * h);
  assert_near(s.design[0].slope, mean, 0.02 * fabs(mean));
  pki_motion_solution_free(&s);
  pk_model_destroy(m);
}

/* A larger gear leaves more of the torque and less of the speed: margins are those of the motor at the joint. */
static void margins_are_those_of_the_gear_that_was_found(void **state)
{
  (void)state;
  pk_model *m = cart_model(2, 0);
  pki_motion_problem p = driven_cart(m);
  add_design(&p, PKI_DESIGN_GEAR, 20, 400, 150)->scan = 0.1;
  pki_motion_solution s;
  solve(&p, &s);
  const double N = s.design[0].value, stall = 40 * N / 150, speed = 1.5 * 150 / N, peak = 12 * N / 150;
  double line = INFINITY, torque = INFINITY;
  for (int i = 0; i < s.npoint; i++) {
    const double tau = fabs(s.points[i].motor_tau[0]), v = fabs(s.points[i].motor_v[0]);
    line = fmin(line, 1 - tau / stall - v / speed);
    torque = fmin(torque, 1 - tau / peak);
  }
  assert_near(s.line_margin, line, 1e-9);
  assert_near(s.torque_margin, torque, 1e-9);
  assert_true(line > -1e-6 && torque > -1e-6);
  assert_false(isnan(s.design[0].scanned[0].line_margin) || isnan(s.design[0].scanned[1].torque_margin));
  pki_motion_solution_free(&s);
  pk_model_destroy(m);
}

/* ---- lengths of links ---- */

static const double rod_mass = 1.5, rod_length = 0.6, rod_moment = 1.5 * 0.6 * 0.6 / 12;

/* A uniform rod that hangs on a hinge about y and turns about it. */
static pk_model *rod_model(void)
{
  pk_builder *b;
  pk_model *m;
  pk_error err;
  assert_int_equal(pk_builder_create(&b, &err), PK_OK);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FIXED;
  const pk_link_desc base = {.name = "base"},
                     rod = {.name = "rod",
                            .inertia = {.mass = rod_mass,
                                        .com = {0, 0, -rod_length / 2},
                                        .moment = {rod_moment, 0, 0, rod_moment, 0, 0}}};
  pk_joint_desc hinge = pk_joint_desc_default();
  hinge.name = "hinge", hinge.kind = PK_JOINT_CONTINUOUS, hinge.parent = "base", hinge.child = "rod";
  hinge.axis[0] = 0, hinge.axis[1] = 1;
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &base, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &rod, &err), PK_OK);
  assert_int_equal(pk_builder_add_joint(b, &hinge, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  return m;
}

/* From one side to the other; the end of the rod is a foot that never stands. */
static pki_motion_problem swing_rod(const pk_model *model, double amplitude, double time, int intervals)
{
  pki_motion_problem p = move_cart(model, amplitude, -amplitude, time, intervals);
  p.feet[0] = (pki_motion_foot){.name = "end", .body = 0, .at = {0, 0, -rod_length}};
  p.nfoot = 1;
  p.clearance = -1e4; /* it hangs below the ground */
  p.objective.torque = 1;
  return p;
}

static void a_stretched_rod_is_a_rod(void **state)
{
  (void)state;
  for (int constant = 0; constant < 2; constant++) {
    pk_model *m = rod_model();
    pki_motion_problem p = swing_rod(m, 0.3, 0.5, 2);
    const double c = 1.3, mass = constant ? rod_mass : c * rod_mass;
    add_design(&p, PKI_DESIGN_LENGTH, 0.5, 2, 1)->constant_mass = constant;
    assert_int_equal(pki_motion_validate(&p, NULL), PK_OK);
    pki_motion_robot *robot;
    assert_int_equal(pki_motion_robot_create(&p, &robot, NULL), PK_OK);
    const double in[4] = {0.4, 1.1, 2.2, 0.7}; /* q, v, a, tau */
    double found;
    assert_true(pki_motion_value(&p, &c, robot->dynamics, in, &found));
    const double L = c * rod_length;
    assert_near(found, mass * (L * L / 3 * 2.2 + 9.81 * L / 2 * sin(0.4)) - 0.7, 1e-12);
    double place[3];
    assert_true(pki_motion_value(&p, &c, robot->feet[0].place, in, place));
    assert_near(place[2], -L * cos(0.4), 1e-12);
    pki_motion_robot_destroy(robot);
    pki_lengths_apply(&p, m, &c); /* the same in numbers */
    assert_near(m->mass, mass, 1e-12);
    assert_near(m->body_inertia[3], -mass * L / 2, 1e-12);
    assert_near(m->body_inertia[7], mass * L * L / 3, 1e-12);
    assert_near(m->body_inertia[9], 0, 1e-12);
    assert_near(p.feet[0].at[2], -L, 1e-12);
    pk_model_destroy(m);
  }
}

/* Half the period of a pendulum: pi sqrt(2 L/(3 g)) (1 + A^2/16 + 11 A^4/3072). A rod of that length needs no torque. */
static void the_best_length_is_that_of_the_free_pendulum(void **state)
{
  (void)state;
  pk_model *m = rod_model();
  const double A = 0.3, T = 0.8, more = 1 + A * A / 16 + 11 * pow(A, 4) / 3072;
  pki_motion_problem p = swing_rod(m, A, T, 30);
  add_design(&p, PKI_DESIGN_LENGTH, 1.4, 2, 1.5); /* very short rods are light, and cost little, too */
  pki_motion_solution s;
  solve(&p, &s);
  const double L = 1.5 * 9.81 * pow(T / (pi * more), 2);
  assert_near(s.design[0].value * rod_length, L, 1e-4 * L);
  assert_true(s.objective < 1e-8);
  pki_motion_solution_free(&s);
  pk_model_destroy(m);
}

static void the_slope_of_a_length_is_that_of_problems_solved_again(void **state)
{
  (void)state;
  pk_model *m = rod_model();
  double J[3], slope = 0;
  const double c = 1.2, h = 1e-3;
  for (int step = 0; step < 3; step++) {
    pki_motion_problem p = swing_rod(m, 0.8, 0.5, 10);
    const double value = c + (step - 1) * h;
    add_design(&p, PKI_DESIGN_LENGTH, value, value, value);
    pki_motion_solution s;
    solve(&p, &s);
    J[step] = s.objective;
    slope = step == 1 ? s.design[0].slope : slope;
    pki_motion_solution_free(&s);
  }
  const double expected = (J[2] - J[0]) / (2 * h);
  assert_near(slope, expected, 1e-4 * fabs(expected));
  pk_model_destroy(m);
}

/* ---- what is wrong ---- */

static void expect_error(const pki_motion_problem *problem, const char *field, const char *message)
{
  pki_motion_problem p = *problem;
  pk_error err = {.message = ""};
  assert_int_equal(pki_motion_validate(&p, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, field);
  assert_non_null(strstr(err.message, message));
}

static void wrong_rows_are_told(void **state)
{
  (void)state;
  pk_model *m = cart_model(2, 0);
  const pki_motion_problem good = driven_cart(m);
  const struct {
    pki_design_kind kind;
    double lower, upper, start, scan;
    const char *field, *message;
  } rows[] = {
      {PKI_DESIGN_GEAR, 20, 10, 15, 0, "design[0]", "expected lower <= start <= upper"},
      {PKI_DESIGN_GEAR, 10, 20, 25, 0, "design[0]", "starts at 25"},
      {PKI_DESIGN_GEAR, 0, 20, 10, 0, "design[0]", "a gear of 0, expected at least 1e-06"},
      {PKI_DESIGN_SERIES_STIFFNESS, 0, 20, 10, 0, "design[0]", "a series-stiffness of 0"},
      {PKI_DESIGN_PARALLEL_STIFFNESS, -1, 20, 10, 0, "design[0]", "a parallel-stiffness of -1"},
      {PKI_DESIGN_GEAR, 10, 20, 15, 1, "design[0]", "a scan of 1"},
      {PKI_DESIGN_PARALLEL_REST, 0, 1, 0, 0, "design[0].joints", "has no parallel spring"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    pki_motion_problem p = good;
    add_design(&p, rows[i].kind, rows[i].lower, rows[i].upper, rows[i].start)->scan = rows[i].scan;
    expect_error(&p, rows[i].field, rows[i].message);
  }
  pki_motion_problem p = good;
  add_design(&p, PKI_DESIGN_GEAR, 10, 20, 15)->sign[0] = 0;
  expect_error(&p, "design", "row 1 has no joints");
  p = good;
  add_design(&p, PKI_DESIGN_GEAR, 10, 20, 15);
  add_design(&p, PKI_DESIGN_GEAR, 10, 20, 15);
  expect_error(&p, "design[1].joints", "the joint \"rail\" has a gear already");
  p = good;
  add_design(&p, PKI_DESIGN_GEAR, 10, 20, 15);
  p.objective.joule = 0;
  p.motor[0].resistance = NAN;
  expect_error(&p, "design[0].joints", "has no motor of the kind dc");
  p.tau_upper[0] = 0;
  p.designs[0].kind = PKI_DESIGN_SERIES_STIFFNESS;
  expect_error(&p, "design[0].joints", "the joint \"rail\" has no motor");
  p.locked[0] = true;
  expect_error(&p, "design[0].joints", "the joint \"rail\" is locked");
  pk_model_destroy(m);
}

static void a_link_without_an_end_has_no_length(void **state)
{
  (void)state;
  pk_model *m = rod_model();
  pki_motion_problem p = swing_rod(m, 0.3, 0.5, 2);
  add_design(&p, PKI_DESIGN_LENGTH, 0.5, 2, 1);
  p.nfoot = 0;
  expect_error(&p, "design[0].joints", "has neither one next joint nor a foot: it has no length");
  p.designs[0].lower = 0;
  expect_error(&p, "design[0]", "a length of 0, expected at least 0.01");
  pk_model_destroy(m);
}

int main(void)
{
  setenv("PRONK_PLUGINS", PK_BUILD_DIR "/plugins", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_parallel_spring_is_the_resonant_one),
      cmocka_unit_test(the_best_gear_matches_the_inertias),
      cmocka_unit_test(a_series_spring_costs_what_control_theory_says),
      cmocka_unit_test(slopes_are_those_of_problems_solved_again),
      cmocka_unit_test(a_parameter_at_its_bound_has_a_slope_towards_it),
      cmocka_unit_test(margins_are_those_of_the_gear_that_was_found),
      cmocka_unit_test(a_stretched_rod_is_a_rod),
      cmocka_unit_test(the_best_length_is_that_of_the_free_pendulum),
      cmocka_unit_test(the_slope_of_a_length_is_that_of_problems_solved_again),
      cmocka_unit_test(a_link_without_an_end_has_no_length),
      cmocka_unit_test(wrong_rows_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
