/* Forces of the user's own: pushes with torques, in world and link axes, and functions of the state that are called within the step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/dynamics.h"
#include "pronk/model.h"
#include "pronk/sim.h"
#include "support/bounds.h"

static const double MASS = 2, INERTIA[3] = {0.1, 0.2, 0.3};

/* One free body without gravity; its link's axes are its principal ones. */
static pk_model *free_body(void)
{
  static const char text[] = "<robot name=\"body\"><link name=\"body\"><inertial><mass value=\"2\"/><inertia "
                             "ixx=\"0.1\" iyy=\"0.2\" "
                             "izz=\"0.3\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link></robot>";
  pk_builder *b = NULL;
  pk_error err = {0};
  pk_load_options o = pk_load_options_default();
  o.root = PK_ROOT_FREE;
  assert_int_equal(pk_builder_create(&b, NULL), PK_OK);
  pk_builder_set_gravity(b, (const double[3]){0, 0, 0});
  assert_int_equal(pk_builder_add_urdf_memory(b, text, sizeof text - 1, "body.urdf", &o, &err), PK_OK);
  pk_model *m = NULL;
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  return m;
}

static pk_sim *new_sim(const pk_model *m, pk_stepper stepper, double dt)
{
  pk_sim_options o = pk_sim_options_default();
  o.stepper = stepper, o.dt = dt;
  pk_sim *sim = NULL;
  pk_error err = {0};
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
  return sim;
}

/* ---- pushes ---- */

/* From rest, one step: m v = dt F, and about the body's axes I w = dt (torque + point x F). */
static void a_push_gives_its_momentum_and_its_moment(void **state)
{
  (void)state;
  const double dt = 1e-3, half = sqrt(0.5);
  pk_model *m = free_body();
  for (int own = 0; own < 2; own++) {
    pk_sim *sim = new_sim(m, PK_STEPPER_MOREAU, dt);
    memcpy(pk_sim_q(sim) + 3, (const double[4]){half, 0, 0, half},
           4 * sizeof(double)); /* a quarter turn about z */
    pk_push push = {.link = 0, .point = {0.1, 0.2, 0.3}, .force = {1, 2, 3}, .torque = {0.4, 0.5, 0.6}};
    push.own_axes = own;
    /* the link's x is the world's y, its y the world's -x */
    const double f[3] = {own ? -2 : 1, own ? 1 : 2, 3};
    const double b[3] = {own ? 1 : 2, own ? 2 : -1, 3}, t[3] = {own ? 0.4 : 0.5, own ? 0.5 : -0.4, 0.6};
    const double *p = push.point;
    const double moment[3] = {p[1] * b[2] - p[2] * b[1] + t[0], p[2] * b[0] - p[0] * b[2] + t[1],
                              p[0] * b[1] - p[1] * b[0] + t[2]};
    assert_int_equal(pk_sim_add_push(sim, &push), PK_OK);
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    for (int k = 0; k < 3; k++) {
      assert_near(pk_sim_u(sim)[k], dt * f[k] / MASS, 1e-15);
      assert_near(pk_sim_u(sim)[3 + k], dt * moment[k] / INERTIA[k], 1e-15);
    }
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK); /* it is spent */
    assert_near(pk_sim_u(sim)[0], dt * f[0] / MASS, 1e-15);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

static void a_push_with_a_wrong_link_or_number_is_refused(void **state)
{
  (void)state;
  pk_model *m = free_body();
  pk_sim *sim = new_sim(m, PK_STEPPER_MOREAU, 1e-3);
  assert_int_equal(pk_sim_add_push(sim, &(pk_push){.link = 1}), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_sim_add_push(sim, &(pk_push){.link = -1}), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_sim_add_push(sim, &(pk_push){.torque = {0, NAN, 0}}), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_sim_add_push(sim, &(pk_push){.force = {INFINITY, 0, 0}}), PK_ERROR_ARGUMENT);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

/* ---- functions ---- */

typedef struct law {
  double spring, drag; /* N/m, N s/m */
  int calls;
  double last; /* s */
} law;

/* A spring to the world's origin, and drag against the body's velocity, at its middle. */
static void pull(void *user, pk_sim *sim, double time, const double *q, const double *u)
{
  static const double middle[3] = {0, 0, 0};
  law *l = user;
  const pk_workspace *w = pk_sim_workspace(sim);
  const pk_pose pose = pk_link_pose(w, 0);
  double v[3], force[3];
  pk_link_point_velocity(w, 0, middle, v);
  for (int k = 0; k < 3; k++) {
    assert_near(pose.pos[k], q[k], 0);
    assert_near(v[k], u[k], 1e-15);
    force[k] = -l->spring * pose.pos[k] - l->drag * v[k];
  }
  l->calls++, l->last = time;
  assert_int_equal(pk_sim_push(sim, 0, middle, force), PK_OK);
}

/* Where a body on a spring is after 1 s, beside a cos w t. */
static double spring_error(const pk_model *m, pk_stepper stepper, int steps)
{
  law l = {.spring = 50};
  pk_sim *sim = new_sim(m, stepper, 1.0 / steps);
  pk_sim_set_force(sim, pull, &l);
  pk_sim_q(sim)[0] = 0.3;
  for (int k = 0; k < steps; k++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  const double error = fabs(pk_sim_q(sim)[0] - 0.3 * cos(sqrt(l.spring / MASS)));
  pk_sim_destroy(sim);
  return error;
}

/* A function that is evaluated at each stage has the scheme's order. */
static void a_spring_of_the_user_s_own_keeps_the_order_of_the_scheme(void **state)
{
  (void)state;
  static const struct {
    pk_stepper stepper;
    int steps;
    double order;
  } of[] = {{PK_STEPPER_EULER, 500, 1}, {PK_STEPPER_RK4, 50, 4}};
  pk_model *m = free_body();
  for (int i = 0; i < 2; i++) {
    const double coarse = spring_error(m, of[i].stepper, of[i].steps);
    const double fine = spring_error(m, of[i].stepper, 2 * of[i].steps);
    assert_near(log2(coarse / fine), of[i].order, 0.1);
  }
  assert_less(spring_error(m, PK_STEPPER_MOREAU, 4000), 1e-3);
  pk_model_destroy(m);
}

/* v = v_0 exp(-c t/m), and the energy that drag takes is the work of pushes. */
static void drag_of_the_user_s_own_takes_speed_and_energy(void **state)
{
  (void)state;
  static const pk_stepper steppers[] = {PK_STEPPER_EULER, PK_STEPPER_MOREAU, PK_STEPPER_RK4};
  static const int calls[] = {1, 1, 4};
  const double dt = 1e-3;
  pk_model *m = free_body();
  for (int s = 0; s < 3; s++) {
    law l = {.drag = 3};
    pk_sim *sim = new_sim(m, steppers[s], dt);
    pk_sim_set_force(sim, pull, &l);
    pk_sim_u(sim)[1] = 2;
    double work = 0;
    for (int k = 0; k < 500; k++) {
      pk_step_info info;
      assert_int_equal(pk_sim_step(sim, &info), PK_OK);
      work += info.push_work;
    }
    assert_near(pk_sim_u(sim)[1], 2 * exp(-3 * 0.5 / MASS), s == 2 ? 1e-10 : 2e-3);
    assert_near(work, 0.5 * MASS * (pk_sim_u(sim)[1] * pk_sim_u(sim)[1] - 4), 2e-3);
    assert_int_equal(l.calls, 500 * calls[s]);
    assert_near(l.last, s == 2 ? 0.5 : 0.499, 1e-12);
    pk_sim_set_force(sim, NULL, NULL); /* and nothing slows it down */
    const double v = pk_sim_u(sim)[1];
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    assert_near(pk_sim_u(sim)[1], v, 1e-15);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

/* What was pushed before the step acts in every stage beside the function's. */
static void pushes_and_functions_add_up(void **state)
{
  (void)state;
  const double dt = 1e-2;
  pk_model *m = free_body();
  for (int s = 0; s < 2; s++) {
    law l = {.drag = 0};
    pk_sim *sim = new_sim(m, s == 0 ? PK_STEPPER_MOREAU : PK_STEPPER_RK4, dt);
    pk_sim_set_force(sim, pull, &l);
    assert_int_equal(pk_sim_push(sim, 0, (const double[3]){0}, (const double[3]){6, 0, 0}), PK_OK);
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    assert_near(pk_sim_u(sim)[0], dt * 6 / MASS, 1e-15);
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    assert_near(pk_sim_u(sim)[0], dt * 6 / MASS, 1e-15);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_push_gives_its_momentum_and_its_moment),
      cmocka_unit_test(a_push_with_a_wrong_link_or_number_is_refused),
      cmocka_unit_test(a_spring_of_the_user_s_own_keeps_the_order_of_the_scheme),
      cmocka_unit_test(drag_of_the_user_s_own_takes_speed_and_energy),
      cmocka_unit_test(pushes_and_functions_add_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
