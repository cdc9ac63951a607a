/* How fast the error of each scheme falls with the step, on a spinning free base with swinging legs:
 * nothing is constant, and the quaternion turns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/sim.h"
#include "support/bounds.h"

enum { NQ_MAX = 64, NU_MAX = 64 };

typedef struct end_state {
  double q[NQ_MAX], u[NU_MAX];
} end_state;

static pk_model *starleth(void)
{
  pk_model *model = NULL;
  pk_error err = {.message = ""};
  const pk_status status =
      pk_model_load_urdf(PK_SOURCE_DIR "/models/starleth/starleth.urdf", NULL, &model, &err);
  if (status != PK_OK) {
    print_error("%s\n", err.message);
  }
  assert_int_equal(status, PK_OK);
  return model;
}

/* A tumbling robot whose legs swing. */
static void set_motion(pk_sim *sim)
{
  const pk_model *m = pk_sim_model(sim);
  double *q = pk_sim_q(sim), *u = pk_sim_u(sim);
  q[2] = 1;
  const double start[6] = {0.3, -0.2, 0.5, 2.0, 1.5, -2.5};
  memcpy(u, start, sizeof start);
  for (int k = 6; k < m->nu; k++) {
    q[m->dof_q[k]] = 0.3 * sin(k);
    u[k] = 2 * cos(2 * k);
  }
}

static end_state run(const pk_model *model, pk_stepper stepper, double dt, double duration)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt;
  o.stepper = stepper;
  o.rtol = 1e-12, o.atol = 1e-13;
  o.joint_limits = false; /* smooth motion: the legs swing through */
  pk_sim *sim;
  pk_error err;
  assert_int_equal(pk_sim_create(model, &o, &sim, &err), PK_OK);
  set_motion(sim);
  const int steps = (int)lround(duration / dt);
  for (int i = 0; i < steps; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  end_state end;
  memcpy(end.q, pk_sim_q(sim), (size_t)model->nq * sizeof(double));
  memcpy(end.u, pk_sim_u(sim), (size_t)model->nu * sizeof(double));
  pk_sim_destroy(sim);
  return end;
}

/* Distance on the group, positions and velocities together. */
static double distance(const pk_model *m, const end_state *a, const end_state *b)
{
  double v[NU_MAX], sum = 0;
  pk_config_subtract(m, a->q, b->q, v);
  for (int k = 0; k < m->nu; k++) {
    sum += v[k] * v[k] + (a->u[k] - b->u[k]) * (a->u[k] - b->u[k]);
  }
  return sqrt(sum);
}

/* The slope of log(error) against log(dt) over three halvings, by least squares. */
static double slope(const pk_model *m, pk_stepper stepper, const end_state *truth, double dt)
{
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const int n = 4;
  for (int i = 0; i < n; i++, dt /= 2) {
    const end_state end = run(m, stepper, dt, 0.25);
    const double x = log(dt), y = log(distance(m, &end, truth));
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void each_scheme_has_its_order(void **state)
{
  (void)state;
  pk_model *m = starleth();
  assert_in_range(m->nu, 18, 18);
  /* the truth: rk4 at a step so fine that its error is rounding */
  const end_state truth = run(m, PK_STEPPER_RK4, 0.25 / 8192, 0.25);
  const struct {
    pk_stepper stepper;
    double dt, order;
  } rows[] = {
      {PK_STEPPER_EULER, 0.25 / 512, 1}, {PK_STEPPER_MOREAU, 0.25 / 512, 1}, {PK_STEPPER_RK4, 0.25 / 64, 4}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const double found = slope(m, rows[i].stepper, &truth, rows[i].dt);
    print_message("stepper %d: order %.3f\n", (int)rows[i].stepper, found);
    assert_less(fabs(found - rows[i].order), 0.1);
  }
  pk_model_destroy(m);
}

static void adaptive_steppers_meet_their_tolerance(void **state)
{
  (void)state;
  pk_model *m = starleth();
  const end_state truth = run(m, PK_STEPPER_RK4, 0.25 / 8192, 0.25);
  const end_state explicit_end = run(m, PK_STEPPER_ARK_EXPLICIT, 0.05, 0.25);
  const end_state implicit_end = run(m, PK_STEPPER_ARK_IMPLICIT, 0.05, 0.25);
  print_message("explicit %.2g, implicit %.2g\n", distance(m, &explicit_end, &truth),
                distance(m, &implicit_end, &truth));
  assert_less(distance(m, &explicit_end, &truth), 1e-9);
  assert_less(distance(m, &implicit_end, &truth), 1e-9);
  pk_model_destroy(m);
}

/* No outer force but gravity, none when it is off: momentum stays, over a long time. */
static void adaptive_integration_conserves_momentum(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err;
  pk_model *m;
  pk_builder_set_gravity(b, (const double[3]){0, 0, 0});
  assert_int_equal(pk_builder_add_urdf(b, PK_SOURCE_DIR "/models/starleth/starleth.urdf", NULL, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  pk_sim_options o = pk_sim_options_default();
  o.stepper = PK_STEPPER_ARK_EXPLICIT;
  o.dt = 0.1, o.rtol = 1e-10, o.atol = 1e-12, o.joint_limits = false;
  pk_sim *sim;
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
  set_motion(sim);
  pk_workspace *w = pk_sim_workspace(sim);
  double before[6], after[6], size = 0;
  pk_kinematics_compute(w, pk_sim_q(sim), pk_sim_u(sim));
  pk_momentum_compute(w, -1, before);
  const double energy = pk_energy_compute(w, pk_sim_u(sim)).kinetic;
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  pk_kinematics_compute(w, pk_sim_q(sim), pk_sim_u(sim));
  pk_momentum_compute(w, -1, after);
  double worst = 0;
  for (int r = 0; r < 6; r++) {
    size = fmax(size, fabs(before[r]));
    worst = fmax(worst, fabs(after[r] - before[r]));
  }
  const double lost = fabs(pk_energy_compute(w, pk_sim_u(sim)).kinetic - energy) / energy;
  print_message("after %g s: momentum off by %.2g of %.2g, energy by %.2g\n", pk_sim_time(sim), worst, size,
                lost);
  assert_less(worst, o.rtol * size);
  assert_less(lost, 1e-8);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_scheme_has_its_order),
      cmocka_unit_test(adaptive_steppers_meet_their_tolerance),
      cmocka_unit_test(adaptive_integration_conserves_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
