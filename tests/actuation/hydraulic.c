/* The hydraulic cylinder against an integration of its equations that is written here, by SUNDIALS; its orders, its stiffness, and
 * the force that its supply allows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>

#include "actuation/rig.h"
#include "support/bounds.h"
#include "support/hinge.h"

enum { PRESSURE_A, PRESSURE_B, OPENING, SPOOL };

/* HyQ's cylinder on the lever of its leg, at mid-stroke where the hinge is at zero. Dry friction is left out: smooth schemes know
 * none. */
static pk_hydraulic_parameters leg_cylinder(void)
{
  pk_hydraulic_parameters p = pk_hydraulic_parameters_default();
  p.side_a = 0.322, p.side_b = 0.045, p.friction = 0;
  p.retracted = sqrt(0.322 * 0.322 + 0.045 * 0.045) - 0.5 * p.stroke;
  return p;
}

/* A cylinder on a joint, stepped as options say. */
static rig rig_with(const pk_joint_desc *joint, const pk_hydraulic_parameters *p, pk_sim_options o)
{
  rig r = {.model = hinge_model(joint)};
  const pk_actuator one = {.kind = pk_actuator_kind_find("hydraulic"), .parameters = p};
  assert_int_equal(pk_actuation_create(r.model, &one, 1, NULL, &r.actuation, NULL), PK_OK);
  o.actuation = r.actuation;
  assert_int_equal(pk_sim_create(r.model, &o, &r.sim, NULL), PK_OK);
  return r;
}

/* ---- the reference ---- */

/* sqrt with a sign, smooth within 1e4 Pa of zero. */
static double root(double drop)
{
  return drop / pow(drop * drop + 1e8, 0.25);
}

typedef struct reference {
  pk_hydraulic_parameters p;
  double opening; /* that is asked for */
} reference;

/* (x, u, p_A, p_B, y, y') of a hinge of unit inertia. */
static int reference_rate(realtype t, N_Vector state, N_Vector rate, void *user)
{
  const reference *r = user;
  const pk_hydraulic_parameters *p = &r->p;
  const double *s = N_VGetArrayPointer(state), pA = s[2], pB = s[3], y = s[4];
  double *d = N_VGetArrayPointer(rate);
  (void)t;
  /* law of cosines; the arm is the derivative of the length */
  const double angle = p->angle + s[0], a = p->side_a, b = p->side_b;
  const double length = sqrt(a * a + b * b - 2 * a * b * cos(angle)), arm = a * b * sin(angle) / length;
  const double out = length - p->retracted, v = arm * s[1];
  const double K = p->rated_flow / sqrt(p->rated_drop);
  const double QA = y >= 0 ? K * y * root(p->supply - pA) : K * y * root(pA - p->tank);
  const double QB = y >= 0 ? K * y * root(pB - p->tank) : K * y * root(p->supply - pB);
  const double leak = p->leakage * (pA - pB), w = 2 * acos(-1) * p->spool_frequency;
  d[0] = s[1];
  d[1] = arm * (p->area_a * pA - p->area_b * pB - p->damping * v);
  d[2] = p->bulk / (p->dead_a + p->area_a * out) * (QA - p->area_a * v - leak);
  d[3] = p->bulk / (p->dead_b + p->area_b * (p->stroke - out)) * (p->area_b * v + leak - QB);
  d[4] = s[5];
  d[5] = w * w * (r->opening - y) - 2 * p->spool_damping * w * s[5];
  return 0;
}

static void integrate_reference(reference *r, double until, double out[6])
{
  SUNContext context;
  assert_int_equal(SUNContext_Create(NULL, &context), 0);
  N_Vector y = N_VNew_Serial(6, context);
  double *s = N_VGetArrayPointer(y);
  const double half = 0.5 * (r->p.supply + r->p.tank),
               start[6] = {0, 0, half * r->p.area_b / r->p.area_a, half};
  for (int i = 0; i < 6; i++) {
    s[i] = start[i];
  }
  void *ark = ERKStepCreate(reference_rate, 0, y, context);
  assert_int_equal(ERKStepSetUserData(ark, r), 0);
  assert_int_equal(ERKStepSetOrder(ark, 8), 0);
  assert_int_equal(ERKStepSStolerances(ark, 1e-13, 1e-13), 0);
  assert_int_equal(ERKStepSetMaxNumSteps(ark, 10000000), 0);
  assert_int_equal(ERKStepSetStopTime(ark, until), 0);
  realtype t = 0;
  assert_true(ERKStepEvolve(ark, until, y, &t, ARK_NORMAL) >= 0);
  for (int i = 0; i < 6; i++) {
    out[i] = s[i];
  }
  ERKStepFree(&ark);
  N_VDestroy(y);
  SUNContext_Free(&context);
}

/* ---- the step response ---- */

static const double until = 0.04;

/* The valve is asked for an opening at the start: the largest difference of a state after `until`, each beside its size. */
static double response_error(rig *r, int steps, const double expected[6], double opening)
{
  static const double sizes[6] = {0.1, 5, 8e6, 8e6, 0.2, 100};
  pk_sim_commands(r->sim)[0].tau = opening;
  rig_run(r, steps);
  const double *s = pk_sim_actuation(r->sim);
  const double found[6] = {pk_sim_q(r->sim)[0], pk_sim_u(r->sim)[0], s[PRESSURE_A],
                           s[PRESSURE_B],       s[OPENING],          s[SPOOL]};
  double worst = 0;
  for (int i = 0; i < 6; i++) {
    worst = fmax(worst, fabs(found[i] - expected[i]) / sizes[i]);
  }
  return worst;
}

static void the_step_response_is_that_of_an_independent_integration(void **state)
{
  (void)state;
  static const double openings[] = {0.2, -0.15};
  for (size_t i = 0; i < 2; i++) {
    reference ref = {leg_cylinder(), openings[i]};
    double expected[6];
    integrate_reference(&ref, until, expected);
    assert_greater(fabs(expected[0]), 0.05); /* it has moved */
    rig r = rig_make("hydraulic", &ref.p, 0, PK_STEPPER_RK4, until / 20000);
    assert_less(response_error(&r, 20000, expected, openings[i]), 1e-8);
    rig_free(&r);
  }
}

static void the_adaptive_scheme_agrees_with_it(void **state)
{
  (void)state;
  reference ref = {leg_cylinder(), 0.2};
  double expected[6];
  integrate_reference(&ref, until, expected);
  pk_sim_options o = pk_sim_options_default();
  o.stepper = PK_STEPPER_ARK_IMPLICIT, o.dt = until / 4, o.rtol = 1e-12, o.atol = 1e-12;
  const pk_joint_desc joint = hinge_joint();
  rig r = rig_with(&joint, &ref.p, o);
  assert_less(response_error(&r, 4, expected, 0.2), 1e-8);
  rig_free(&r);
}

static void moreau_comes_to_it_at_first_order(void **state)
{
  (void)state;
  reference ref = {leg_cylinder(), 0.2};
  double expected[6], last = 0;
  integrate_reference(&ref, until, expected);
  for (int halving = 0; halving <= 4; halving++) {
    const int steps = 1000 << halving;
    rig r = rig_make("hydraulic", &ref.p, 0, PK_STEPPER_MOREAU, until / steps);
    const double error = response_error(&r, steps, expected, 0.2);
    if (halving > 0) {
      assert_near(last / error, 2, 0.2);
    }
    last = error;
    rig_free(&r);
  }
}

/* Steps of 2.5 ms are longer than the spool's and the oil's swings; the slow motion is that of small steps. */
static void it_is_stable_at_long_steps(void **state)
{
  (void)state;
  const pk_hydraulic_parameters p = leg_cylinder();
  double end[2];
  for (int i = 0; i < 2; i++) {
    const double dt = i == 0 ? 2.5e-3 : 2.5e-5;
    rig r = rig_make("hydraulic", &p, 0, PK_STEPPER_MOREAU, dt);
    for (int k = 0; k < (int)lround(2 / dt); k++) {
      pk_sim_commands(r.sim)[0].tau = 0.05 * sin(6 * k * dt);
      rig_run(&r, 1);
      assert_less(fabs(pk_sim_u(r.sim)[0]), 5);
      assert_less(fabs(pk_sim_actuation(r.sim)[PRESSURE_A]), p.supply);
    }
    end[i] = pk_sim_q(r.sim)[0];
    rig_free(&r);
  }
  assert_greater(fabs(end[1]), 0.1);
  assert_near(end[0], end[1], 0.02);
}

/* ---- force and stiffness ---- */

/* Against a stop with the valve open, the chambers come to the pressures of supply and tank. */
static void the_static_force_is_that_of_the_supply(void **state)
{
  (void)state;
  const pk_hydraulic_parameters p = leg_cylinder();
  for (int sign = -1; sign <= 1; sign += 2) {
    pk_joint_desc joint = hinge_joint();
    joint.kind = PK_JOINT_REVOLUTE, joint.lower = -0.1, joint.upper = 0.1;
    pk_sim_options o = pk_sim_options_default();
    o.dt = 1e-3;
    rig r = rig_with(&joint, &p, o);
    pk_sim_commands(r.sim)[0].tau = sign;
    rig_run(&r, 2000);
    const double *s = pk_sim_actuation(r.sim);
    /* less what drives the leakage through the valve */
    assert_near(s[sign > 0 ? PRESSURE_A : PRESSURE_B], p.supply, 1e4);
    assert_near(s[sign > 0 ? PRESSURE_B : PRESSURE_A], p.tank, 1e4);
    assert_less(s[sign > 0 ? PRESSURE_A : PRESSURE_B], p.supply);
    assert_greater(s[sign > 0 ? PRESSURE_B : PRESSURE_A], p.tank);
    const double angle = p.angle + pk_sim_q(r.sim)[0],
                 length = sqrt(0.322 * 0.322 + 0.045 * 0.045 - 2 * 0.322 * 0.045 * cos(angle));
    const double arm = 0.322 * 0.045 * sin(angle) / length;
    assert_near(pk_sim_tau(r.sim)[0], arm * (p.area_a * s[PRESSURE_A] - p.area_b * s[PRESSURE_B]), 1e-6);
    assert_near(pk_sim_u(r.sim)[0], 0, 1e-9);
    rig_free(&r);
  }
}

/* With the valve shut the oil is a spring, beta (A_A^2 / V_A + A_B^2 / V_B) at mid-stroke: a mass on it swings at its frequency. HyQ's
 * is about 8.4e6 N/m. */
static void shut_chambers_are_a_spring(void **state)
{
  (void)state;
  pk_hydraulic_parameters p = pk_hydraulic_parameters_default();
  p.friction = 0, p.damping = 0, p.leakage = 0;
  const double VA = p.dead_a + 0.5 * p.area_a * p.stroke, VB = p.dead_b + 0.5 * p.area_b * p.stroke;
  const double k = p.bulk * (p.area_a * p.area_a / VA + p.area_b * p.area_b / VB), w = sqrt(k);
  assert_near(k, 8.4e6, 0.5e6);
  rig r = rig_make("hydraulic", &p, 0, PK_STEPPER_RK4, 1e-6);
  const double u0 = 1e-3; /* 0.35 um of the stroke */
  pk_sim_u(r.sim)[0] = u0;
  double last = 0, crossed[2] = {0};
  for (int i = 1, n = 0; n < 2; i++) {
    rig_run(&r, 1);
    const double x = pk_sim_q(r.sim)[0];
    if (last < 0 && x >= 0) { /* upwards through zero, by interpolation */
      crossed[n++] = 1e-6 * (i - x / (x - last));
    }
    last = x;
  }
  const double found = 2 * acos(-1) / (crossed[1] - crossed[0]);
  assert_near(found / w, 1, 1e-5);
  rig_free(&r);
}

/* A loop on the force makes what the command asks, so that gains of a command bring the joint to its place; without leakage, for
 * which such a loop pays with an offset. */
static void a_force_loop_makes_the_force(void **state)
{
  (void)state;
  pk_hydraulic_parameters p = leg_cylinder();
  p.force_gain = 50, p.leakage = 0;
  rig r = rig_make("hydraulic", &p, 100, PK_STEPPER_MOREAU, 1e-3);
  pk_sim_commands(r.sim)[0] = (pk_command){.q_des = 0.2, .kp = 500, .kd = 20};
  rig_run(&r, 10000);
  assert_near(pk_sim_q(r.sim)[0], 0.2, 1e-6);
  assert_near(pk_sim_u(r.sim)[0], 0, 1e-6);
  rig_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_step_response_is_that_of_an_independent_integration),
      cmocka_unit_test(the_adaptive_scheme_agrees_with_it),
      cmocka_unit_test(moreau_comes_to_it_at_first_order),
      cmocka_unit_test(it_is_stable_at_long_steps),
      cmocka_unit_test(the_static_force_is_that_of_the_supply),
      cmocka_unit_test(shut_chambers_are_a_spring),
      cmocka_unit_test(a_force_loop_makes_the_force),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
