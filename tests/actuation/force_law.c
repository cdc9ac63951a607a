/* Force laws of a user's own kind, at random: a step must end where the law and the joint's inertia meet, whichever pieces of the
 * law there are, with and without a joint limit, with rows in slots and on chains. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "actuation/force_law.h"
#include "pronk/dynamics.h"
#include "step/world.h"
#include "support/bounds.h"
#include "support/hinge.h"
#include "support/random_tree.h"

/* A kind that does what a law says which a test may change between steps. */
typedef struct given {
  const pk_force_law *law;
} given;

static void give_law(const void *parameters, const pk_actuator_input *in, const double *state,
                     pk_force_law *law)
{
  const given *g = parameters;
  (void)in, (void)state;
  *law = *g->law;
}

static const pk_actuator_kind given_kind = {
    .name = "given", .parameters_size = sizeof(given), .condense = give_law};

/* ---- laws at random ---- */

static double uniform(pki_random *r, double lower, double upper)
{
  return pki_random_between(r, lower, upper);
}

/* 0 to n - 1. */
static int pick(pki_random *r, int n)
{
  return (int)(pki_random_unit(r) * n);
}

/* 0, or any size up to the power of 10 that is given. */
static double random_slope(pki_random *r, double steepest)
{
  return pick(r, 5) == 0 ? 0 : pow(10, uniform(r, -3, steepest));
}

/* Infinite, or around zero, or on one side of it. */
static void random_limits(pki_random *r, double *low, double *high)
{
  const double middle = pick(r, 3) == 0 ? uniform(r, -30, 30) : 0, half = uniform(r, 0, 40);
  *low = pick(r, 4) == 0 ? -INFINITY : middle - half;
  *high = pick(r, 4) == 0 ? INFINITY : middle + half;
}

static pk_force_law random_law(pki_random *r, double steepest)
{
  pk_force_law l = pk_force_law_none();
  l.a = uniform(r, -100, 100) * (pick(r, 4) == 0 ? 1e4 : 1), l.g = random_slope(r, steepest);
  for (int j = 0; j < 2; j++) {
    random_limits(r, &l.low[j], &l.high[j]);
    l.slope[j] =
        pick(r, 4) == 0 ? l.g : random_slope(r, steepest); /* sometimes as steep as the line between */
  }
  if (pick(r, 3) == 0) {
    l.hold = uniform(r, -50, 50), l.hold_slope = random_slope(r, steepest);
    for (int e = 0; e < 3; e++) {
      l.rub[e] = uniform(r, 0.01, 20);
    }
  }
  return l;
}

/* ---- one joint ---- */

/* What stops the joint from going below zero. */
typedef enum stop { STOP_NOTHING, STOP_LIMIT, STOP_CONTACT } stop;

typedef struct rig {
  pk_model *model;
  pk_terrain *ground;
  pk_actuation *actuation;
  pk_sim *sim;
  pk_force_law law;
  given parameters;
} rig;

/* A ball of 1 kg on a vertical slider, without weight. */
static pk_model *ball_on_slider(void)
{
  pk_builder *b;
  pk_model *m = NULL;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FIXED;
  const double weightless[3] = {0, 0, 0};
  const pk_link_desc base = {.name = "base"},
                     ball = {.name = "ball", .inertia = {.mass = 1, .moment = {0.1, 0, 0, 0.1, 0, 0.1}}};
  const pk_shape_desc shape = {
      .link = "ball", .kind = PK_SHAPE_SPHERE, .size = {0.1}, .pose = pk_pose_identity()};
  pk_joint_desc slider = pk_joint_desc_default();
  slider.name = "slider", slider.parent = "base", slider.child = "ball", slider.kind = PK_JOINT_PRISMATIC;
  slider.axis[0] = 0, slider.axis[2] = 1, slider.lower = -1e6, slider.upper = 1e6;
  assert_int_equal(pk_builder_create(&b, NULL), PK_OK);
  pk_builder_set_gravity(b, weightless);
  assert_int_equal(pk_builder_add_robot(b, &robot, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &base, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &ball, NULL), PK_OK);
  assert_int_equal(pk_builder_add_shape(b, &shape, NULL), PK_OK);
  assert_int_equal(pk_builder_add_joint(b, &slider, NULL), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  pk_builder_destroy(b);
  return m;
}

static pk_model *stopped_model(stop by)
{
  pk_joint_desc joint = hinge_joint();
  if (by == STOP_LIMIT) {
    joint.kind = PK_JOINT_REVOLUTE, joint.lower = 0, joint.upper = 1e6;
  }
  return by == STOP_CONTACT ? ball_on_slider() : hinge_model(&joint);
}

static void make_rig(rig *r, const pk_sim_options *base, stop by, bool chains)
{
  pk_error err = {.message = ""};
  r->model = stopped_model(by);
  r->ground = NULL;
  r->law = pk_force_law_none();
  r->parameters.law = &r->law;
  const pk_actuator one = {.kind = &given_kind, .parameters = &r->parameters};
  pk_sim_options o = *base;
  if (pk_actuation_create(r->model, &one, 1, NULL, &r->actuation, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  o.actuation = r->actuation;
  if (pk_sim_create(r->model, &o, &r->sim, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  r->sim->single.chains_only = chains;
  if (by == STOP_CONTACT) {
    const double floor[3] = {0, 0, -0.1}, up[3] = {0, 0, 1};
    assert_int_equal(pk_terrain_create(&r->ground, NULL), PK_OK);
    assert_int_equal(pk_terrain_add_plane(r->ground, floor, up, 0, NULL), PK_OK);
    assert_int_equal(pk_sim_set_terrain(r->sim, r->ground, NULL, 0, NULL), PK_OK);
  }
}

static void free_rig(rig *r)
{
  pk_sim_destroy(r->sim);
  pk_terrain_destroy(r->ground);
  pk_actuation_destroy(r->actuation);
  pk_model_destroy(r->model);
}

/* The u that solves u - u0 = dt f(u), between bounds that are a bit apart at last: f never rises. */
static double velocity_by_bisection(const pk_force_law *law, double u0, double dt)
{
  double low = u0, high = u0, width = 1;
  while (low - u0 > dt * pk_force_law_at(law, low)) {
    low -= width, width *= 2;
  }
  for (width = 1; high - u0 < dt * pk_force_law_at(law, high); width *= 2) {
    high += width;
  }
  for (int i = 0; i < 2000; i++) {
    const double middle = low + 0.5 * (high - low);
    if (middle <= low || middle >= high) {
      break;
    }
    *(middle - u0 < dt * pk_force_law_at(law, middle) ? &low : &high) = middle;
  }
  return low;
}

static void print_law(const pk_force_law *l, double u0, double dt)
{
  print_error(
      "u0 %.17g dt %g: a %.17g g %.17g low %g %g high %g %g slope %.17g %.17g hold %g %g rub %g %g %g\n", u0,
      dt, l->a, l->g, l->low[0], l->low[1], l->high[0], l->high[1], l->slope[0], l->slope[1], l->hold,
      l->hold_slope, l->rub[0], l->rub[1], l->rub[2]);
}

/* One step of a law from u0. The joint is at what stops it, if anything does. */
static void check_step(rig *r, double u0, stop by)
{
  const double dt = r->sim->options.dt;
  pk_step_info info = {0};
  pk_sim_q(r->sim)[0] = 0, pk_sim_u(r->sim)[0] = u0;
  if (pk_sim_step(r->sim, &info) != PK_OK || !info.certified) {
    print_law(&r->law, u0, dt);
    fail_msg("the step is not certified after %d rounds and %d iterations: %s", info.iterations,
             info.solver_iterations, info.term);
  }
  const double free = velocity_by_bisection(&r->law, u0, dt), u = pk_sim_u(r->sim)[0];
  const double expected = by != STOP_NOTHING ? fmax(free, 0) : free, tau = pk_sim_tau(r->sim)[0];
  const double scale = fabs(u0) + fabs(expected) + dt * fabs(r->law.a);
  const double at = pk_force_law_at(&r->law, u);
  /* several rows are solved by iterations, up to the residual that the certificate tells */
  const double bound = 1e-11 * scale + 10 * info.certificate.residual;
  if (!(fabs(u - expected) <= bound) || !(bound <= 1e-5 * (1 + scale)) ||
      !(fabs(tau - at) <= 1e-12 * (fabs(at) + fabs(r->law.a)))) {
    print_law(&r->law, u0, dt);
    fail_msg("u is %.17g, expected %.17g; tau is %.17g, expected %.17g; residual %g", u, expected, tau, at,
             info.certificate.residual);
  }
}

/* Laws one after the other on one joint, so that what a step remembers of limits is that of another law, and after a reset. */
static void check_laws(pk_stepper stepper, stop by, bool chains, int count)
{
  pki_random random = pki_random_seeded((uint64_t)(7 + 8 * (int)stepper + 2 * (int)by + chains));
  pk_sim_options o = pk_sim_options_default();
  o.stepper = stepper, o.dt = 2.5e-3, o.tolerance = 1e-12;
  rig r;
  make_rig(&r, &o, by, chains);
  for (int i = 0; i < count; i++) {
    r.law = random_law(&random, 8);
    const double u0 = uniform(&random, -10, by != STOP_NOTHING ? 0 : 10);
    if (i % 2 == 0) {
      pk_sim_reset(r.sim);
    }
    check_step(&r, u0, by);
  }
  free_rig(&r);
}

static void a_step_ends_where_the_law_meets_the_inertia(void **state)
{
  (void)state;
  check_laws(PK_STEPPER_EULER, STOP_NOTHING, false, 1000);
  check_laws(PK_STEPPER_MOREAU, STOP_NOTHING, false, 1000);
  check_laws(PK_STEPPER_EULER, STOP_NOTHING, true, 1000);
  check_laws(PK_STEPPER_MOREAU, STOP_NOTHING, true, 1000);
}

static void a_law_and_a_joint_limit_are_solved_together(void **state)
{
  (void)state;
  check_laws(PK_STEPPER_EULER, STOP_LIMIT, false, 1000);
  check_laws(PK_STEPPER_MOREAU, STOP_LIMIT, false, 1000);
  check_laws(PK_STEPPER_EULER, STOP_LIMIT, true, 1000);
  check_laws(PK_STEPPER_MOREAU, STOP_LIMIT, true, 1000);
}

static void a_law_and_a_contact_are_solved_together(void **state)
{
  (void)state;
  check_laws(PK_STEPPER_EULER, STOP_CONTACT, false, 1000);
  check_laws(PK_STEPPER_MOREAU, STOP_CONTACT, false, 1000);
  check_laws(PK_STEPPER_EULER, STOP_CONTACT, true, 1000);
  check_laws(PK_STEPPER_MOREAU, STOP_CONTACT, true, 1000);
}

/* Where forces are those of the start of the step, so is the law's. */
static void explicit_forces_are_those_of_the_start(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(3);
  pk_sim_options o = pk_sim_options_default();
  o.stepper = PK_STEPPER_EULER, o.dt = 1e-6, o.implicit = PK_IMPLICIT_FORCES_NONE;
  rig r;
  make_rig(&r, &o, STOP_NOTHING, false);
  for (int i = 0; i < 1000; i++) {
    r.law = random_law(&random, 8);
    const double u0 = uniform(&random, -10, 10), f = pk_force_law_at(&r.law, u0);
    pk_sim_u(r.sim)[0] = u0;
    assert_int_equal(pk_sim_step(r.sim, NULL), PK_OK);
    assert_near(pk_sim_tau(r.sim)[0], f, 1e-12 * fabs(f));
    assert_near(pk_sim_u(r.sim)[0], u0 + o.dt * f, 1e-12 * (fabs(u0) + o.dt * fabs(f)));
  }
  free_rig(&r);
}

/* ---- many joints ---- */

enum { MOST = 64 };

/* A random robot with a law on each of its hinges and sliders: forces are those of the laws at the end, and together with gravity and
 * inertia they make the change of velocity. */
static void check_robot(pki_random *random, bool chains)
{
  const random_tree_options tree = {.links = 7, .root = PK_ROOT_FIXED};
  pk_model *m = random_tree(random, &tree);
  pk_force_law laws[MOST];
  given parameters[MOST];
  pk_actuator list[MOST];
  int count = 0;
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_q[k] >= 0) {
      laws[count] = random_law(random, 3), parameters[count].law = &laws[count];
      list[count] = (pk_actuator){.dof = k, .kind = &given_kind, .parameters = &parameters[count]};
      count++;
    }
  }
  pk_actuation *a;
  pk_workspace *w;
  pk_sim *sim;
  pk_sim_options o = pk_sim_options_default();
  assert_int_equal(pk_actuation_create(m, list, count, NULL, &a, NULL), PK_OK);
  assert_int_equal(pk_workspace_create(m, &w, NULL), PK_OK);
  o.stepper = PK_STEPPER_EULER, o.dt = 2.5e-3, o.tolerance = 1e-12, o.actuation = a;
  assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
  sim->single.chains_only = chains;
  double q[2 * MOST], u[MOST], change[MOST], force[MOST];
  random_config(random, m, q), random_vector(random, m->nu, 3, u);
  memcpy(pk_sim_q(sim), q, (size_t)m->nq * sizeof *q), memcpy(pk_sim_u(sim), u, (size_t)m->nu * sizeof *u);
  pk_step_info info;
  assert_int_equal(pk_sim_step(sim, &info), PK_OK);
  if (!info.certified) {
    fail_msg("the step of %d joints is not certified after %d rounds and %d iterations", count,
             info.iterations, info.solver_iterations);
  }
  for (int k = 0; k < m->nu; k++) {
    change[k] = (pk_sim_u(sim)[k] - u[k]) / o.dt;
  }
  pk_inverse_dynamics(w, q, u, change, force);
  for (int i = 0; i < count; i++) {
    const int k = list[i].dof;
    const double end = pk_sim_u(sim)[k], tau = pk_force_law_at(&laws[i], end), damping = m->dof_damping[k];
    assert_near(pk_sim_tau(sim)[k], tau, 1e-12 * (fabs(tau) + fabs(laws[i].a)));
    assert_near(force[k] + damping * end, tau, 1e-6 * (1 + fabs(tau)));
  }
  pk_sim_destroy(sim), pk_workspace_destroy(w), pk_actuation_destroy(a), pk_model_destroy(m);
}

static void laws_of_many_joints_are_solved_together(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(12);
  for (int i = 0; i < 2000; i++) {
    check_robot(&random, i % 2 == 1);
  }
}

/* ---- rows ---- */

static double row_force(const pki_force_row *row, double u)
{
  return row->base_a - row->base_g * u + fmax(fmin(row->a - row->g * u, row->upper), row->lower);
}

/* A row between the free line and a limit is the law as long as the other pair of limits is far. */
static void a_row_between_a_line_and_its_limits_is_the_law(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(5);
  for (int i = 0; i < 1000; i++) {
    pk_force_law l = pk_force_law_none();
    const int j = pick(&random, 2);
    l.a = uniform(&random, -10, 10), l.slope[j] = uniform(&random, 0, 5);
    l.g = l.slope[j] + uniform(&random, 0.1, 5);
    l.low[j] = uniform(&random, -10, 0), l.high[j] = uniform(&random, 0, 10);
    const int low = PKI_PIECE_LOW0 + j, high = PKI_PIECE_HIGH0 + j;
    const pki_force_row row = pki_force_law_row(&l, PKI_PIECE_FREE, high, true);
    assert_int_equal(pki_force_law_next(&l, high, -1e3, true), PKI_PIECE_FREE);
    assert_int_equal(
        pki_force_law_next(&l, PKI_PIECE_FREE, (l.a - l.high[j]) / (l.g - l.slope[j]) + 1e-6, true), low);
    assert_int_equal(pki_force_law_next(&l, high, -1e3, false), -1);
    for (double u = -10; u <= 10; u += 0.5) {
      assert_near(row_force(&row, u), pk_force_law_at(&l, u), 1e-12 * (1 + fabs(u)) * 100);
    }
  }
}

/* A row between any two lines is the lower or the higher of them. */
static void a_row_between_two_lines_is_the_lower_or_the_higher(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(6);
  for (int i = 0; i < 1000; i++) {
    pk_force_law l = pk_force_law_none();
    for (int j = 0; j < 2; j++) {
      l.low[j] = uniform(&random, -10, 0), l.high[j] = uniform(&random, 0, 10);
      l.slope[j] = uniform(&random, 0, 5);
    }
    const bool lower = pick(&random, 2) == 1;
    const int one = lower ? PKI_PIECE_HIGH0 : PKI_PIECE_LOW0, other = one + 1;
    const pki_force_row row = pki_force_law_row(&l, one, other, lower);
    assert_greater(row.g, 0);
    for (double u = -10; u <= 10; u += 0.5) {
      const pki_force_piece p = pki_force_law_line(&l, one), q = pki_force_law_line(&l, other);
      const double x = p.a - p.g * u, y = q.a - q.g * u;
      assert_near(row_force(&row, u), lower ? fmin(x, y) : fmax(x, y), 1e-10);
      assert_near(pki_force_row_gap(&row, (lower ? x < y : x > y) ? &p : &q, u), 0, 0);
      assert_near(pki_force_row_gap(&row, (lower ? x < y : x > y) ? &q : &p, u),
                  lower ? fabs(x - y) : -fabs(x - y), 1e-10);
    }
  }
}

/* Lines of one slope have no row between them. */
static void lines_of_equal_slope_have_no_row(void **state)
{
  (void)state;
  pk_force_law l = pk_force_law_none();
  l.a = 1, l.g = 2, l.slope[0] = 2, l.low[0] = -3, l.high[0] = 3;
  assert_near(pki_force_law_row(&l, PKI_PIECE_FREE, PKI_PIECE_HIGH0, true).g, 0, 0);
}

/* What nobody asks of it: no force, at any speed; and friction inside holds between its two lines. */
static void a_law_is_what_its_header_says(void **state)
{
  (void)state;
  pk_force_law l = pk_force_law_none();
  assert_near(pk_force_law_at(&l, 1e9), 0, 0);
  l.a = 10, l.g = 2, l.high[0] = 6, l.high[1] = 20, l.slope[1] = 5;
  assert_near(pk_force_law_at(&l, 0), 6, 0);
  assert_near(pk_force_law_at(&l, 2.5), 5, 0);
  assert_near(pk_force_law_at(&l, 4), 0, 0); /* 20 - 5 u is the lowest */
  l = pk_force_law_none();
  l.hold = 1, l.hold_slope = 10, l.rub[0] = 3;
  assert_near(pk_force_law_at(&l, 0), 1, 0);
  assert_near(pk_force_law_at(&l, -5), 3, 0);
  assert_near(pk_force_law_at(&l, 5), -3, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_law_is_what_its_header_says),
      cmocka_unit_test(a_row_between_a_line_and_its_limits_is_the_law),
      cmocka_unit_test(a_row_between_two_lines_is_the_lower_or_the_higher),
      cmocka_unit_test(lines_of_equal_slope_have_no_row),
      cmocka_unit_test(a_step_ends_where_the_law_meets_the_inertia),
      cmocka_unit_test(a_law_and_a_joint_limit_are_solved_together),
      cmocka_unit_test(a_law_and_a_contact_are_solved_together),
      cmocka_unit_test(explicit_forces_are_those_of_the_start),
      cmocka_unit_test(laws_of_many_joints_are_solved_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
