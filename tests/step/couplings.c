/* Couplings of joint coordinates: a linear one is a mimic joint, a square one moves as virtual work says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/build_help.h"
#include "pronk/sim.h"
#include "support/bounds.h"

/* Links a, b, c on a fixed base; k is coupled to j by a polynomial, or follows it. */
static pk_model *pair_of_hinges(const double polynomial[5], bool mimic, const char *x)
{
  world w = one_robot();
  w.parts[0].robot.root = PK_ROOT_FIXED;
  if (mimic) {
    w.parts[0].joints[1].mimic = "j";
    w.parts[0].joints[1].mimic_multiplier = polynomial[1], w.parts[0].joints[1].mimic_offset = polynomial[0];
  }
  pk_builder *b = describe(&w);
  if (!mimic) {
    pk_constraint_desc c = pk_constraint_desc_default();
    c.name = "c", c.kind = PK_CONSTRAINT_COUPLING, c.joint[0] = "k", c.joint[1] = x;
    memcpy(c.polynomial, polynomial, sizeof c.polynomial);
    assert_int_equal(pk_builder_add_constraint(b, &c, NULL), PK_OK);
  }
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return m;
}

static pk_sim *started(const pk_model *m, double dt)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt, o.stepper = PK_STEPPER_EULER;
  pk_sim *sim;
  assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
  return sim;
}

static void run(pk_sim *sim, int steps)
{
  for (int i = 0; i < steps; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
}

static void a_linear_one_moves_as_a_mimic_joint(void **state)
{
  (void)state;
  const double p[5] = {0.2, -1.5};
  double q[2], u[2];
  for (int mimic = 0; mimic < 2; mimic++) {
    pk_model *m = pair_of_hinges(p, mimic, "j");
    assert_int_equal(m->nu, mimic ? 1 : 2);
    pk_sim *sim = started(m, 1e-3);
    pk_sim_q(sim)[0] = 0.3, pk_sim_u(sim)[0] = 1;
    if (!mimic) {
      pk_sim_q(sim)[1] = 0.2 - 1.5 * 0.3, pk_sim_u(sim)[1] = -1.5;
    }
    run(sim, 500);
    q[mimic] = pk_sim_q(sim)[0], u[mimic] = pk_sim_u(sim)[0];
    if (!mimic) {
      assert_near(pk_sim_q(sim)[1], 0.2 - 1.5 * q[0], 1e-12);
      assert_near(pk_sim_u(sim)[1], -1.5 * u[0], 1e-11);
    }
    pk_sim_destroy(sim);
    pk_model_destroy(m);
  }
  assert_near(q[0], q[1], 1e-9);
  assert_near(u[0], u[1], 1e-8);
  assert_at_least(fabs(q[0] - 0.3), 0.01); /* it moved */
}

/* Two sliders of 1 kg on the base, x free, y = x^2 upright: a bead on a parabola. Its energy is that of
 * (1 + 4 x^2) x'^2/2 + g x^2. */
static pk_model *bead(void)
{
  world w = one_robot();
  part *p = &w.parts[0];
  p->robot.root = PK_ROOT_FIXED;
  for (int i = 0; i < 2; i++) {
    pk_joint_desc *joint = &p->joints[i];
    joint->kind = PK_JOINT_PRISMATIC, joint->parent = "a";
    joint->axis[0] = i == 0, joint->axis[1] = 0, joint->axis[2] = i == 1;
  }
  pk_builder *b = describe(&w);
  pk_constraint_desc c = pk_constraint_desc_default();
  c.name = "c", c.kind = PK_CONSTRAINT_COUPLING, c.joint[0] = "k", c.joint[1] = "j";
  c.polynomial[1] = 0, c.polynomial[2] = 1;
  assert_int_equal(pk_builder_add_constraint(b, &c, NULL), PK_OK);
  pk_model *m = NULL;
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  pk_builder_destroy(b);
  return m;
}

static void a_square_one_is_a_bead_on_a_parabola(void **state)
{
  (void)state;
  pk_model *m = bead();
  const double x0 = 0.4, dt = 1e-5, g = 9.81;
  pk_sim *sim = started(m, dt);
  pk_sim_q(sim)[0] = x0, pk_sim_q(sim)[1] = x0 * x0;
  for (int i = 0; i < 20; i++) {
    run(sim, 2000);
    const double x = pk_sim_q(sim)[0], v = pk_sim_u(sim)[0];
    assert_near(pk_sim_q(sim)[1], x * x, 1e-9);
    assert_near(0.5 * (1 + 4 * x * x) * v * v + g * x * x, g * x0 * x0, 2e-3);
  }
  pk_sim_destroy(sim);
  /* the first step by virtual work: (1 + 4 x^2) x'' = -2 g x */
  sim = started(m, 1e-6);
  pk_sim_q(sim)[0] = x0, pk_sim_q(sim)[1] = x0 * x0;
  run(sim, 1);
  assert_near(pk_sim_u(sim)[0] / 1e-6, -2 * g * x0 / (1 + 4 * x0 * x0), 1e-4);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

static void without_x_the_coordinate_stays(void **state)
{
  (void)state;
  const double p[5] = {0.25, 9};
  pk_model *m = pair_of_hinges(p, false, NULL);
  pk_sim *sim = started(m, 1e-3);
  pk_sim_q(sim)[1] = 0.25;
  run(sim, 500);
  assert_near(pk_sim_q(sim)[1], 0.25, 1e-12);
  assert_at_least(fabs(pk_sim_u(sim)[0]), 0.05);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

/* With followers at either end, p is in the coordinates of their leaders: 2 y + 0.1 = p(3 x - 0.2). */
static void followers_are_coupled_by_their_leaders(void **state)
{
  (void)state;
  world w = one_robot();
  part *p = &w.parts[0];
  add_link(p, "d"), add_link(p, "e");
  pk_joint_desc *d = add_joint(p, "dj", PK_JOINT_CONTINUOUS, "c", "d"),
                *e = add_joint(p, "ek", PK_JOINT_CONTINUOUS, "c", "e");
  d->mimic = "j", d->mimic_multiplier = 3, d->mimic_offset = -0.2;
  e->mimic = "k", e->mimic_multiplier = 2, e->mimic_offset = 0.1;
  pk_builder *b = describe(&w);
  pk_constraint_desc c = pk_constraint_desc_default();
  const double polynomial[5] = {1, -2, 3, 0.5, -0.25};
  c.name = "c", c.kind = PK_CONSTRAINT_COUPLING, c.joint[0] = "ek", c.joint[1] = "dj";
  memcpy(c.polynomial, polynomial, sizeof polynomial);
  assert_int_equal(pk_builder_add_constraint(b, &c, NULL), PK_OK);
  pk_model *m = NULL;
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  pk_builder_destroy(b);
  const double *found = m->constraints[0].polynomial;
  for (double x = -1; x <= 1; x += 0.25) {
    double value = 0, y = 0;
    for (int k = 4; k >= 0; k--) {
      value = value * (3 * x - 0.2) + polynomial[k], y = y * x + found[k];
    }
    assert_near(2 * y + 0.1, value, 1e-12);
  }
  assert_int_equal(m->constraints[0].dof[0], m->joints[pk_model_find_joint(m, "k")].u);
  assert_int_equal(m->constraints[0].dof[1], m->joints[pk_model_find_joint(m, "j")].u);
  pk_model_destroy(m);
}

static void refuses(const char *y, const char *x, const char *cut, const char *message)
{
  const world w = one_robot();
  pk_builder *b = describe(&w);
  pk_constraint_desc c = pk_constraint_desc_default();
  c.name = "c", c.kind = PK_CONSTRAINT_COUPLING, c.joint[0] = y, c.joint[1] = x;
  assert_int_equal(pk_builder_add_constraint(b, &c, NULL), PK_OK);
  if (cut != NULL) {
    assert_int_equal(pk_builder_cut_joint(b, cut, NULL), PK_OK);
  }
  pk_model *m;
  pk_error err = {.message = ""};
  assert_int_not_equal(pk_builder_compile(b, &m, &err), PK_OK);
  assert_string_equal(err.message, message);
  pk_builder_destroy(b);
}

static void what_cannot_be_coupled_is_named(void **state)
{
  (void)state;
  refuses("kk", "j", NULL, "coupled joint \"kk\" does not exist; did you mean \"k\"?");
  refuses("k", "k", NULL, "coupling \"c\" couples a coordinate to itself");
  refuses(
      "k", "j", "j",
      "coupling \"c\" is of joint \"j\" (continuous), expected a joint with one coordinate that is not cut");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_linear_one_moves_as_a_mimic_joint),
      cmocka_unit_test(a_square_one_is_a_bead_on_a_parabola),
      cmocka_unit_test(without_x_the_coordinate_stays),
      cmocka_unit_test(followers_are_coupled_by_their_leaders),
      cmocka_unit_test(what_cannot_be_coupled_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
