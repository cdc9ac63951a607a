/* Stride maps of worlds: closed forms of linear motion, symmetry, what controllers remember, and a rimless wheel on hard
 * contact. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/eigen.h"
#include "pronk/builder.h"
#include "pronk/floquet.h"
#include "support/bounds.h"
#include "support/hinge.h"
#include "support/world.h"

static const double pi = 3.14159265358979323846;

/* ---- a hinge of moment 1 under feedback that remembers ---- */

typedef struct gains {
  double kp, kd, ki;
} gains;

/* m' = m + dt q, tau = -kp q - kd u - ki m: one step of symplectic Euler is linear in (q, u, m). */
static pk_status feed_back(const pk_controller *self, const pk_observation *seen, void *state,
                           pk_command *commands)
{
  const gains *g = self->user;
  double *m = state;
  commands[0] = (pk_command){.tau = -g->kp * seen->q[0] - g->kd * seen->u[0] - g->ki * *m};
  *m += seen->dt * seen->q[0];
  return PK_OK;
}

/* The derivative of `steps` steps in (q, u, m). */
static void power_of_step(const gains *g, double dt, int steps, double out[9])
{
  const double one[9] = {1 - dt * dt * g->kp,
                         dt * (1 - dt * g->kd),
                         -dt * dt * g->ki,
                         -dt * g->kp,
                         1 - dt * g->kd,
                         -dt * g->ki,
                         dt,
                         0,
                         1};
  memcpy(out, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9 * sizeof *out);
  for (int s = 0; s < steps; s++) {
    double next[9] = {0};
    for (int i = 0; i < 27; i++) {
      next[i / 9 * 3 + i % 3] += one[i / 9 * 3 + i / 3 % 3] * out[i / 3 % 3 * 3 + i % 3];
    }
    memcpy(out, next, sizeof next);
  }
}

static void check_hinge(const gains *g, int strides)
{
  enum { STEPS = 40 };
  const double dt = 0.01;
  const pk_joint_desc joint = hinge_joint();
  pk_model *model = hinge_model(&joint);
  const pk_controller controller = {
      .name = "feedback", .state_size = sizeof(double), .update = feed_back, .user = g};
  pk_sim_options so = pk_sim_options_default();
  pk_sim *sim;
  pk_stride_map *stride;
  pk_floquet_options o = pk_floquet_options_default();
  pk_floquet f = {0};
  pki_eigen exact;
  double power[9];
  so.dt = dt, so.stepper = PK_STEPPER_EULER;
  assert_int_equal(pk_sim_create(model, &so, &sim, NULL), PK_OK);
  assert_int_equal(pk_sim_set_controller(sim, &controller, NULL), PK_OK);
  const pk_stride_options options = {.steps = STEPS, .threads = 1};
  assert_int_equal(pk_stride_map_create(sim, &controller, &options, &stride, NULL), PK_OK);
  o.strides = strides;
  assert_int_equal(pk_floquet_compute(pk_stride_map_get(stride), pk_stride_map_start(stride), &o, &f, NULL),
                   PK_OK);
  power_of_step(g, dt, STEPS, power);
  assert_true(pki_eigen_compute(power, 3, &exact));
  assert_int_equal(f.order, g->ki > 0 ? 3 : 0);
  assert_int_equal(f.count, g->ki > 0 ? 3 : 2);
  for (int k = 0; k < f.count; k++) {
    double nearest = INFINITY;
    for (int i = 0; i < 3; i++) {
      nearest = fmin(nearest, cabs(exact.value[i] - (f.multipliers[k].re + I * f.multipliers[k].im)));
    }
    assert_less(nearest, 1e-8);
  }
  pki_eigen_free(&exact);
  pk_floquet_free(&f);
  pk_stride_map_destroy(stride);
  pk_sim_destroy(sim);
  pk_model_destroy(model);
}

static void multipliers_of_a_hinge_are_powers_of_those_of_a_step(void **state)
{
  (void)state;
  check_hinge(&(const gains){.kp = 9, .kd = 1.5}, 4);
}

static void an_integrator_in_the_controller_is_found_though_states_do_not_show_it(void **state)
{
  (void)state;
  check_hinge(&(const gains){.kp = 9, .kd = 1.5, .ki = 3}, 4);
}

/* ---- symmetry ---- */

/* The derivative of half a second of a turning body in flight, at a heading. */
static void derivative_at_heading(double heading, int n, double *J)
{
  pk_model *model =
      solid_model(PK_SHAPE_BOX, (const double[]){0.3, 0.2, 0.1}, 2, (const double[]){0.01, 0.02, 0.025});
  pk_sim *sim;
  pk_stride_map *stride;
  pk_floquet_options o = pk_floquet_options_default();
  pk_floquet f = {0};
  int neutral[3];
  const double c = cos(heading / 2), s = sin(heading / 2), tilt = 0.3;
  assert_int_equal(pk_sim_create(model, NULL, &sim, NULL), PK_OK);
  double *q = pk_sim_q(sim), *u = pk_sim_u(sim);
  /* turned by the heading after a tilt about x; velocities turned with it */
  const double place[7] = {3, -2, 9, c * cos(tilt), c * sin(tilt), s * sin(tilt), s * cos(tilt)};
  memcpy(q, place, sizeof place);
  u[0] = cos(heading) * 1.2, u[1] = sin(heading) * 1.2, u[2] = 0.4;
  u[3] = 0.7, u[4] = -1.1, u[5] = 2.0;
  const pk_stride_options options = {.steps = 500};
  assert_int_equal(pk_stride_map_create(sim, NULL, &options, &stride, NULL), PK_OK);
  assert_int_equal(pk_stride_map_get(stride)->n, n);
  o.nneutral = pk_stride_map_neutral(stride, neutral), o.neutral = neutral;
  assert_int_equal(o.nneutral, 3);
  assert_int_equal(pk_floquet_compute(pk_stride_map_get(stride), pk_stride_map_start(stride), &o, &f, NULL),
                   PK_OK);
  assert_int_equal(f.nneutral, 3);
  assert_true(f.neutral[0] && f.neutral[1] && f.neutral[5]);
  memcpy(J, f.derivative, (size_t)(n * n) * sizeof *J);
  pk_floquet_free(&f);
  pk_stride_map_destroy(stride);
  pk_sim_destroy(sim);
  pk_model_destroy(model);
}

static void place_and_heading_are_neutral_and_derivatives_do_not_depend_on_them(void **state)
{
  double a[144], b[144];
  (void)state;
  derivative_at_heading(0, 12, a);
  derivative_at_heading(2.1, 12, b);
  for (int i = 0; i < 144; i++) {
    assert_near(a[i], b[i], 1e-7);
  }
}

static void directions_have_names(void **state)
{
  pk_model *model =
      solid_model(PK_SHAPE_BOX, (const double[]){0.3, 0.2, 0.1}, 2, (const double[]){0.01, 0.02, 0.025});
  pk_sim *sim;
  pk_stride_map *stride;
  char name[64];
  (void)state;
  assert_int_equal(pk_sim_create(model, NULL, &sim, NULL), PK_OK);
  assert_int_equal(pk_stride_map_create(sim, NULL, &(const pk_stride_options){.steps = 1}, &stride, NULL),
                   PK_OK);
  pk_stride_map_direction(stride, 5, name, sizeof name);
  assert_string_equal(name + strlen(name) - 4, " yaw");
  pk_stride_map_direction(stride, 6, name, sizeof name);
  assert_string_equal(name + strlen(name) - 3, " vx");
  pk_stride_map_destroy(stride);
  pk_sim_destroy(sim);
  pk_model_destroy(model);
}

static void strides_without_steps_are_refused(void **state)
{
  const pk_joint_desc joint = hinge_joint();
  pk_model *model = hinge_model(&joint);
  pk_sim *sim;
  pk_stride_map *stride;
  pk_error err = {0};
  (void)state;
  assert_int_equal(pk_sim_create(model, NULL, &sim, NULL), PK_OK);
  assert_int_equal(pk_stride_map_create(sim, NULL, &(const pk_stride_options){0}, &stride, &err),
                   PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "steps is 0, expected those of one stride, at least 1");
  assert_null(stride);
  pk_sim_destroy(sim);
  pk_model_destroy(model);
}

/* ---- a rimless wheel on hard contact ---- */

enum { SPOKES = 8 };
static const double slope = 0.08, share = 0.8, gravity = 9.81, tip = 1e-6;

/* A wheel of 1 kg with spokes of 1 m that end in small spheres, on two sliders and a hinge: it moves in the plane. */
static pk_model *wheel_model(void)
{
  char text[8192];
  int n = snprintf(
      text, sizeof text,
      "<robot name='wheel'><link name='world'/><link name='a'/><link name='b'/><link name='hub'><inertial>"
      "<mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='%.17g' iyz='0' izz='1'/></inertial>",
      1 / share - 1);
  for (int k = 0; k < SPOKES; k++) {
    const double angle = 2 * pi * k / SPOKES;
    n += snprintf(
        text + n, sizeof text - (size_t)n,
        "<collision><origin xyz='%.17g 0 %.17g'/><geometry><sphere radius='%g'/></geometry></collision>",
        sin(angle), -cos(angle), tip);
  }
  snprintf(
      text + n, sizeof text - (size_t)n,
      "</link><joint name='x' type='prismatic'><parent link='world'/><child link='a'/><axis xyz='1 0 0'/>"
      "<limit lower='-1000' upper='1000' effort='0' velocity='1000'/></joint>"
      "<joint name='z' type='prismatic'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>"
      "<limit lower='-1000' upper='1000' effort='0' velocity='1000'/></joint>"
      "<joint name='turn' type='continuous'><parent link='b'/><child link='hub'/><axis xyz='0 1 "
      "0'/></joint></robot>");
  pk_builder *b;
  pk_model *model = NULL;
  pk_error err = {0};
  pk_builder_create(&b, NULL);
  pk_builder_set_gravity(b, (const double[]){gravity * sin(slope), 0, -gravity * cos(slope)});
  assert_int_equal(pk_builder_add_urdf_memory(b, text, strlen(text), "wheel.urdf", NULL, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &model, &err), PK_OK);
  pk_builder_destroy(b);
  return model;
}

/* x = the angular velocity when a spoke stands upright on the slope. */
static pk_status roll_on(const pk_return_map *map, const double *x, double *out)
{
  pk_sim *sim = map->user;
  const double spoke = 2 * pi / SPOKES;
  double before[2] = {0, x[0]};
  pk_sim_reset(sim);
  double *q = pk_sim_q(sim), *u = pk_sim_u(sim);
  q[0] = 0, q[1] = 1 + tip, q[2] = 0;
  u[0] = x[0] * (1 + tip), u[1] = 0, u[2] = x[0];
  for (int k = 0; k < 1000000; k++) {
    const pk_status status = pk_sim_step(sim, NULL);
    if (status != PK_OK || !(u[2] > 0)) {
      return PK_ERROR_CONVERGENCE;
    }
    if (q[2] >= spoke) {
      out[0] = before[1] + (u[2] - before[1]) * (spoke - before[0]) / (q[2] - before[0]);
      return PK_OK;
    }
    before[0] = q[2], before[1] = u[2];
  }
  return PK_ERROR_CONVERGENCE;
}

/* The wheel of rigid spokes: upright to upright, omega'^2 = upright^2 + mu^2 (omega^2 - upright^2). */
static double roll_exactly(double omega, double upright, double mu)
{
  return sqrt(upright * upright + mu * mu * (omega * omega - upright * upright));
}

/* In steps of dt a strike comes up to a step late, so that the map has teeth as high as dt times an acceleration: differences have to span
 * many of them. With a fixed span both the gait and the multiplier converge with the first power of dt. */
static void multipliers_of_a_wheel_on_hard_contact_converge_to_the_closed_form(void **state)
{
  const double mu = 1 + share * (cos(2 * pi / SPOKES) - 1), span = 0.15;
  /* after a strike omega^2 = mu^2 / (1 - mu^2) 4 (g/l) share sin(pi/n) sin(slope); upright it has climbed from -pi/n */
  const double after = mu * mu / (1 - mu * mu) * 4 * gravity * share * sin(pi / SPOKES) * sin(slope);
  const double upright = sqrt(after - 2 * gravity * share * (cos(slope) - cos(pi / SPOKES - slope)));
  const double exact =
      (roll_exactly(upright + span, upright, mu) - roll_exactly(upright - span, upright, mu)) / (2 * span);
  pk_model *model = wheel_model();
  pk_terrain *ground = slope_terrain(0);
  (void)state;
  assert_near(exact, mu * mu, 0.01); /* the span bends it a little */
  for (double dt = 2e-3; dt > 2e-5; dt /= 4) {
    pk_sim_options so = pk_sim_options_default();
    so.dt = dt;
    pk_sim *sim = start_world(model, ground, (pk_material){.friction = 2}, &so);
    const pk_return_map map = {.nx = 1, .n = 1, .apply = roll_on, .user = sim};
    pk_floquet_options o = pk_floquet_options_default();
    pk_floquet f = {0};
    o.step = span, o.levels = 2;
    assert_int_equal(pk_floquet_compute(&map, &upright, &o, &f, NULL), PK_OK);
    print_message("dt %g: gait off by %.3g, multiplier off by %.3g\n", dt, f.residual,
                  fabs(f.step_radius[0] - exact));
    assert_at_most(f.residual, 10 * dt);
    assert_at_most(fabs(f.step_radius[0] - exact), 10 * dt / span);
    pk_floquet_free(&f);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(ground);
  pk_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(multipliers_of_a_hinge_are_powers_of_those_of_a_step),
      cmocka_unit_test(an_integrator_in_the_controller_is_found_though_states_do_not_show_it),
      cmocka_unit_test(place_and_heading_are_neutral_and_derivatives_do_not_depend_on_them),
      cmocka_unit_test(directions_have_names),
      cmocka_unit_test(strides_without_steps_are_refused),
      cmocka_unit_test(multipliers_of_a_wheel_on_hard_contact_converge_to_the_closed_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
