/* Compliant surfaces against closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contact/compliant/ellipse.h"
#include "math/mat3.h"
#include "support/bounds.h"
#include "support/soft_pair.h"
#include "support/soft_shapes.h"

static const double PI = 3.14159265358979323846;
static const double still[6] = {0, 0, 0, 0, 0, 0};

/* A brick of 0.2 x 0.1 m that stands `depth` deep in a plane, face on. */
typedef struct sole {
  soft_mesh mesh;
  pk_geometry *brick, *plane;
  soft_pair pair;
} sole;

static const double HALF[3] = {0.1, 0.05, 0.02}, AREA = 0.02;

static void open_sole(sole *s, double depth, pk_compliance_law law)
{
  s->mesh = soft_brick(HALF, 8);
  s->brick = soft_geometry(&s->mesh), s->plane = soft_shape(PK_SHAPE_PLANE, 0, 0, 0);
  soft_pair_open(&s->pair, s->brick, s->plane, law);
  s->pair.side[0].pose.pos[2] = HALF[2] - depth;
}

static void close_sole(sole *s)
{
  soft_pair_close(&s->pair);
  pk_geometry_destroy(s->brick);
  pk_geometry_destroy(s->plane);
  soft_mesh_free(&s->mesh);
}

/* ---- pressure ---- */

static void a_flat_sole_presses_with_stiffness_times_area_times_depth(void **state)
{
  (void)state;
  const double depth = 3e-4, K = 1e7 / 0.005 / 2, force = K * AREA * depth, dt = 1e-3;
  sole s;
  open_sole(&s, depth, PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION);
  assert_true(soft_pair_find(&s.pair) > 0);
  const pki_press at_rest = soft_pair_press(&s.pair, still, 0);
  assert_near(at_rest.wrench[5], force, 1e-12 * force);
  assert_near(at_rest.normal_force, force, 1e-12 * force);
  assert_near(at_rest.energy, 0.5 * force * depth, 1e-12 * force * depth);
  for (int k = 0; k < 5; k++) {
    assert_near(at_rest.wrench[k], 0, 1e-12 * force);
  }
  /* approaching with 0.1 m/s at c = 0.5 s/m, and a step ahead */
  const double down[6] = {0, 0, 0, 0, 0, -0.1};
  const pki_press moving = soft_pair_press(&s.pair, down, 0), ahead = soft_pair_press(&s.pair, down, dt);
  assert_near(moving.wrench[5], force * 1.05, 1e-12 * force);
  assert_near(moving.power, force * 0.05 * 0.1, 1e-12 * force);
  assert_near(ahead.wrench[5], K * AREA * (depth + 1e-4) * 1.05, 1e-12 * force);
  assert_near(ahead.slope[35], K * AREA * (dt * 1.05 + 0.5 * (depth + 1e-4)), 1e-11 * force);
  /* leaving faster than 1/c, and faster than the depth allows: nothing holds it */
  const double up[6] = {0, 0, 0, 0, 0, 2.1}, away[6] = {0, 0, 0, 0, 0, 0.4};
  assert_near(soft_pair_press(&s.pair, up, 0).wrench[5], 0, 0);
  assert_near(soft_pair_press(&s.pair, away, dt).wrench[5], 0, 0);
  assert_greater(soft_pair_press(&s.pair, away, 0).wrench[5], 0);
  close_sole(&s);
}

static void faces_that_a_step_closes_are_found_by_a_margin(void **state)
{
  (void)state;
  const double open = 1e-4, K = 1e9, dt = 1e-3, down[6] = {0, 0, 0, 0, 0, -0.5};
  sole s;
  open_sole(&s, -open, PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION);
  assert_int_equal(soft_pair_find(&s.pair), 0);
  s.pair.patch.margin = 1e-3;
  assert_true(soft_pair_find(&s.pair) > 0);
  assert_near(soft_pair_press(&s.pair, down, 0).normal_force, 0, 0);
  assert_near(soft_pair_press(&s.pair, still, dt).normal_force, 0, 0);
  assert_near(soft_pair_press(&s.pair, down, dt).wrench[5], K * AREA * (dt * 0.5 - open) * 1.25, 1e-9);
  close_sole(&s);
}

static void a_tilted_sole_has_the_moment_of_its_pressure(void **state)
{
  (void)state;
  /* pressure p = K (d + t x), t = tan of the tilt: moment about y through the middle -K t b l^3/12 */
  const double depth = 2e-3, tilt = 1e-3, K = 1e9;
  sole s;
  open_sole(&s, depth, PK_COMPLIANCE_LAW_ELASTIC_MESH);
  s.pair.surface[0].stiffness = s.pair.surface[1].stiffness = K;
  double *R = s.pair.side[0].pose.rot;
  R[0] = R[8] = cos(tilt), R[2] = sin(tilt), R[6] = -sin(tilt);
  soft_pair_find(&s.pair);
  const double middle[3] = {-HALF[2] * R[2], 0, 0}; /* of the face below */
  double at_middle[6];
  const pki_press out = soft_pair_press(&s.pair, still, 0);
  soft_wrench_at(&s.pair, out.wrench, middle, at_middle);
  /* a triangle as a point misses its own second moment, h^2/18 of its area along a side h = l/8: 1/96 of l^2/12 */
  const double exact = -K * tilt * 0.1 * 0.2 * 0.2 * 0.2 / 12;
  assert_near(at_middle[1], exact * (1 - 1.0 / 96), 1e-5 * fabs(exact));
  const double force = K * AREA * (HALF[2] * cos(tilt) - (HALF[2] - depth));
  assert_near(at_middle[5], force, 1e-9 * force);
  close_sole(&s);
}

static void layers_are_springs_in_series(void **state)
{
  (void)state;
  const double depth = 3e-4;
  sole s;
  open_sole(&s, depth, PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION);
  pk_compliance *foot = &s.pair.surface[0], *ground = &s.pair.surface[1];
  foot->stiffness = 1e6, foot->layer = 2e-3, foot->dissipation = 0.3;       /* K_1 = 5e8 */
  ground->stiffness = 6e6, ground->layer = 4e-3, ground->dissipation = 0.7; /* K_2 = 1.5e9 */
  soft_pair_find(&s.pair);
  const double K = 5e8 * 1.5e9 / 2e9, share = 0.75;
  assert_near(soft_pair_press(&s.pair, still, 0).wrench[5], K * AREA * depth, 1e-12 * K * AREA * depth);
  /* damping by shares; forces act where the layers meet, 3/4 of the depth up from the face */
  assert_near(s.pair.patch.law[0].dissipation, 0.75 * 0.3 + 0.25 * 0.7, 1e-15);
  assert_near(s.pair.patch.at[2] + s.pair.patch.arm[2][0], -depth + share * depth, 1e-15);
  /* a layer of 0 is as thick as the other */
  ground->layer = 0;
  soft_pair_find(&s.pair);
  assert_near(soft_pair_press(&s.pair, still, 0).wrench[5], 5e8 * 3e9 / 3.5e9 * AREA * depth,
              1e-12 * K * AREA);
  /* rigid ground leaves the foot's layer alone */
  s.pair.side[1].surface = NULL;
  soft_pair_find(&s.pair);
  assert_near(soft_pair_press(&s.pair, still, 0).wrench[5], 5e8 * AREA * depth, 1e-12 * K * AREA);
  assert_near(s.pair.patch.at[2] + s.pair.patch.arm[2][0], 0, 1e-15);
  close_sole(&s);
}

/* The force of springs on a sphere's area in a plane: int (g - R (1 - cos)) dA = pi R g^2, by Archimedes. */
static double ball_on_plane_error(int levels)
{
  const double R = 0.1, depth = 0.02, K = 1e9;
  soft_mesh mesh = soft_ball(R, levels);
  pk_geometry *ball = soft_geometry(&mesh), *plane = soft_shape(PK_SHAPE_PLANE, 0, 0, 0);
  soft_pair p;
  soft_pair_open(&p, ball, plane, PK_COMPLIANCE_LAW_ELASTIC_MESH);
  p.surface[0].stiffness = K;
  p.side[0].pose.pos[2] = R - depth;
  soft_pair_find(&p);
  const double error = soft_pair_press(&p, still, 0).wrench[5] / (K * PI * R * depth * depth) - 1;
  soft_pair_close(&p);
  pk_geometry_destroy(ball);
  pk_geometry_destroy(plane);
  soft_mesh_free(&mesh);
  return fabs(error);
}

static void a_fine_ball_presses_as_its_cap_says(void **state)
{
  (void)state;
  const double coarse = ball_on_plane_error(3), middle = ball_on_plane_error(4),
               fine = ball_on_plane_error(5);
  /* second order: a quarter for each halving */
  assert_less(fine, 3e-3);
  assert_less(middle, 0.3 * coarse);
  assert_less(fine, 0.3 * middle);
}

/* Springs of stiffness K on a sphere of radius R in another of radius S, centres d apart: the axial part of
 * int K (S - r) dA, r the distance from the other's centre, by Simpson's rule. */
static double ball_in_ball(double K, double R, double S, double d)
{
  enum { N = 20000 };
  const double edge = acos((R * R + d * d - S * S) / (2 * R * d));
  double sum = 0;
  for (int i = 0; i <= N; i++) {
    const double angle = edge * i / N, axial = d - R * cos(angle), across = R * sin(angle);
    const double r = hypot(axial, across), weight = i == 0 || i == N ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * K * (S - r) * axial / r * 2 * PI * R * R * sin(angle);
  }
  return sum * edge / (3 * N);
}

static double ball_on_ball_error(int levels, bool both)
{
  const double R = 0.1, S = 0.07, d = 0.155, K = 1e9;
  soft_mesh mesh = soft_ball(R, levels), other = soft_ball(S, levels);
  pk_geometry *ball = soft_geometry(&mesh);
  pk_geometry *second = both ? soft_geometry(&other) : soft_shape(PK_SHAPE_SPHERE, S, 0, 0);
  soft_pair p;
  soft_pair_open(&p, ball, second, PK_COMPLIANCE_LAW_ELASTIC_MESH);
  p.surface[0].stiffness = p.surface[1].stiffness = K;
  p.side[1].pose.pos[0] = 0.6 * d, p.side[1].pose.pos[2] = 0.8 * d;
  soft_pair_find(&p);
  const double *w = soft_pair_press(&p, still, 0).wrench, along = 0.6 * w[3] + 0.8 * w[5];
  const double exact =
      both ? 0.5 * (ball_in_ball(K, R, S, d) + ball_in_ball(K, S, R, d)) : ball_in_ball(K, R, S, d);
  const double error = fabs(along / -exact - 1);
  soft_pair_close(&p);
  pk_geometry_destroy(ball);
  pk_geometry_destroy(second);
  soft_mesh_free(&mesh);
  soft_mesh_free(&other);
  return error;
}

static void balls_on_balls_converge_whether_the_other_is_a_mesh_or_a_sphere(void **state)
{
  (void)state;
  for (int both = 0; both < 2; both++) {
    const double coarse = ball_on_ball_error(3, both), fine = ball_on_ball_error(5, both);
    print_message("%s: %.2g, %.2g\n", both ? "two meshes" : "mesh and sphere", coarse, fine);
    assert_less(fine, 5e-3);
    assert_less(fine, 0.3 * coarse);
  }
}

static void two_equal_bricks_press_as_one_area(void **state)
{
  (void)state;
  /* face on face with the same cells, both meshes have the same candidates: each face counts half */
  const double depth = 3e-4, K = 1e7 / 0.005 / 2;
  soft_mesh mesh = soft_brick(HALF, 40);
  pk_geometry *brick = soft_geometry(&mesh);
  for (int law = PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION; law <= PK_COMPLIANCE_LAW_ELASTIC_MESH; law++) {
    soft_pair p;
    soft_pair_open(&p, brick, brick, (pk_compliance_law)law);
    p.surface[0].stiffness = p.surface[1].stiffness = law == PK_COMPLIANCE_LAW_ELASTIC_MESH ? K : 1e7;
    p.side[0].pose.pos[2] = 2 * HALF[2] - depth;
    p.side[0].pose.pos[0] = 1e-5; /* edges do not lie in edges */
    p.side[0].pose.pos[1] = 2e-5;
    soft_pair_find(&p);
    /* the rim's side faces, cut but not inside, are in the candidates' area of both alike */
    assert_near(soft_pair_press(&p, still, 0).wrench[5], K * AREA * depth, 0.02 * K * AREA * depth);
    soft_pair_close(&p);
  }
  pk_geometry_destroy(brick);
  soft_mesh_free(&mesh);
}

/* ---- friction ---- */

static double step5(double x)
{
  return x <= 0 ? 0 : x >= 1 ? 1 : x * x * x * (10 - 15 * x + 6 * x * x);
}

/* Friction of the sole by its normal force while it slides with `speed`. */
static double sliding_friction(sole *s, double speed)
{
  const double slide[6] = {0, 0, 0, 0.6 * speed, 0.8 * speed, 0};
  const pki_press out = soft_pair_press(&s->pair, slide, 0);
  assert_near(out.wrench[3] * 0.8, out.wrench[4] * 0.6, 1e-12 * out.normal_force); /* against the slip */
  assert_near(out.power, -out.wrench[3] * slide[3] - out.wrench[4] * slide[4],
              1e-9 * out.normal_force * speed);
  return -(0.6 * out.wrench[3] + 0.8 * out.wrench[4]) / out.normal_force;
}

static void friction_follows_its_curve(void **state)
{
  (void)state;
  sole s;
  open_sole(&s, 3e-4, PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION);
  static const double speeds[] = {1e-7, 2e-4, 3e-3, 0.0099, 0.01, 0.0101, 0.018, 0.0299, 0.0301, 0.5};
  for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
    const double u = speeds[i], w = u / 0.01, mu_s = 1.1, mu_d = 0.9, mu_v = 0.5;
    const double expected[PK_COMPLIANCE_FRICTION_COUNT] = {
        [PK_COMPLIANCE_FRICTION_STRIBECK] = mu_s * step5(w) - (mu_s - mu_d) * step5((w - 1) / 2) + mu_v * u,
        [PK_COMPLIANCE_FRICTION_HOLLARS] = fmin(w, 1) * (mu_d + 2 * (mu_s - mu_d) / (1 + w * w)) + mu_v * u,
        [PK_COMPLIANCE_FRICTION_CONVEX] = mu_d * u / hypot(u, 1e-4) + mu_v * u};
    for (int friction = 0; friction < PK_COMPLIANCE_FRICTION_COUNT; friction++) {
      for (int k = 0; k < 2; k++) {
        s.pair.surface[k].friction = (pk_compliance_friction)friction;
        s.pair.surface[k].static_friction = mu_s, s.pair.surface[k].dynamic_friction = mu_d;
        s.pair.surface[k].viscous_friction = mu_v;
      }
      soft_pair_find(&s.pair);
      assert_near(sliding_friction(&s, u), expected[friction], 1e-12 * expected[friction] + 1e-16);
    }
  }
  close_sole(&s);
}

static void coefficients_of_two_surfaces_are_their_harmonic_mean(void **state)
{
  (void)state;
  sole s;
  open_sole(&s, 3e-4, PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION);
  s.pair.surface[0].static_friction = s.pair.surface[0].dynamic_friction = 1.9;
  s.pair.surface[1].static_friction = s.pair.surface[1].dynamic_friction = 0.9;
  soft_pair_find(&s.pair);
  assert_near(sliding_friction(&s, 1), 2 * 1.9 * 0.9 / 2.8, 1e-12);
  s.pair.surface[1].static_friction = s.pair.surface[1].dynamic_friction = 0; /* ice */
  soft_pair_find(&s.pair);
  assert_near(sliding_friction(&s, 1), 0, 0);
  close_sole(&s);
}

static void convex_friction_is_borne_by_the_load_at_the_start_of_a_step(void **state)
{
  (void)state;
  const double K = 1e9, depth = 3e-4, dt = 1e-3;
  sole s;
  open_sole(&s, depth, PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION);
  s.pair.surface[0].friction = s.pair.surface[1].friction = PK_COMPLIANCE_FRICTION_CONVEX;
  soft_pair_find(&s.pair);
  const double slide[6] = {0, 0, 0, 1, 0, -0.1}, mu = 0.8 / hypot(1, 1e-4);
  assert_near(soft_pair_press(&s.pair, slide, dt).wrench[3], -mu * K * AREA * depth, 1e-9);
  const double start[6] = {0, 0, 0, 0, 0, -0.2};
  pki_patch_lag(&s.pair.patch, start);
  assert_near(soft_pair_press(&s.pair, slide, dt).wrench[3], -mu * K * AREA * depth * 1.1, 1e-9);
  /* without a step there is nothing to lag */
  assert_near(soft_pair_press(&s.pair, slide, 0).wrench[3], -mu * K * AREA * depth * 1.05, 1e-9);
  close_sole(&s);
}

/* ---- Hertz ---- */

static void a_ball_on_a_plane_is_hertzs(void **state)
{
  (void)state;
  const double R = 0.05, x = 1e-4, k = 2e6;
  pk_geometry *ball = soft_shape(PK_SHAPE_SPHERE, R, 0, 0), *plane = soft_shape(PK_SHAPE_PLANE, 0, 0, 0);
  soft_pair p;
  soft_pair_open(&p, ball, plane, PK_COMPLIANCE_LAW_HERTZ);
  p.surface[0].stiffness = k, p.surface[0].dissipation = 0.4;
  p.side[1].surface = NULL;
  p.side[0].pose.pos[2] = R - x;
  assert_int_equal(soft_pair_find(&p), 1);
  const double force = 4.0 / 3 * k * sqrt(R) * pow(x, 1.5);
  const pki_press at_rest = soft_pair_press(&p, still, 0);
  assert_near(at_rest.wrench[5], force, 1e-12 * force);
  assert_near(at_rest.energy, 0.4 * force * x, 1e-12 * force * x);
  assert_near(p.patch.area[0], PI * R * x, 1e-12 * R * x);
  assert_near(p.patch.at[2], 0, 1e-15); /* the plane is rigid: all of the depth is the ball's */
  const double down[6] = {0, 0, 0, 0, 0, -0.1};
  assert_near(soft_pair_press(&p, down, 0).wrench[5], force * (1 + 1.5 * 0.4 * 0.1), 1e-12 * force);
  const double deeper = 4.0 / 3 * k * sqrt(R) * pow(x + 1e-5, 1.5);
  assert_near(soft_pair_press(&p, down, 1e-4).wrench[5], deeper * 1.06, 1e-12 * force);
  soft_pair_close(&p);
  pk_geometry_destroy(ball);
  pk_geometry_destroy(plane);
}

static void two_balls_share_the_depth_so_that_their_forces_are_equal(void **state)
{
  (void)state;
  const double R1 = 0.05, R2 = 0.02, x = 1e-4;
  pk_geometry *one = soft_shape(PK_SHAPE_SPHERE, R1, 0, 0), *two = soft_shape(PK_SHAPE_SPHERE, R2, 0, 0);
  soft_pair p;
  soft_pair_open(&p, one, two, PK_COMPLIANCE_LAW_HERTZ);
  p.surface[0].stiffness = 2e6, p.surface[1].stiffness = 7e6;
  p.side[0].pose.pos[0] = R1 + R2 - x;
  soft_pair_find(&p);
  const double force = soft_pair_press(&p, still, 0).wrench[3], R = R1 * R2 / (R1 + R2);
  /* where they meet tells how deep each gave way */
  const double given[2] = {p.patch.at[0] - (p.side[0].pose.pos[0] - R1), R2 - p.patch.at[0]};
  assert_near(given[0] + given[1], x, 1e-15);
  for (int i = 0; i < 2; i++) {
    assert_near(force, 4.0 / 3 * p.surface[i].stiffness * sqrt(R) * pow(given[i], 1.5), 1e-9 * force);
  }
  soft_pair_close(&p);
  pk_geometry_destroy(one);
  pk_geometry_destroy(two);
}

/* int_0^(pi/2) (1 - m sin^2)^power by the trapezoidal rule, which converges geometrically for periodic functions. */
static double elliptic_integral(double m, double power)
{
  enum { N = 20000 };
  double sum = 0;
  for (int i = 0; i < N; i++) {
    const double s = sin(PI / 2 * (i + 0.5) / N);
    sum += pow(1 - m * s * s, power);
  }
  return sum * PI / 2 / N;
}

static void the_ellipse_solves_hertzs_equations(void **state)
{
  (void)state;
  static const double ratios[] = {1, 1 + 1e-9, 1 + 1e-5, 1.01, 1.5, 3, 10, 200, 1e4};
  for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
    const pki_ellipse e = pki_contact_ellipse(5 * ratios[i], 5);
    const double m = 1 - 1 / (e.ratio * e.ratio);
    const double K = elliptic_integral(m, -0.5), E = elliptic_integral(m, 0.5);
    assert_near(e.sigma, PI / 2 * e.ratio * sqrt(E) / pow(K, 1.5), 1e-10 * e.sigma);
    assert_near(e.short_square, E / K, 1e-10);
    if (ratios[i] >= 1.01) {
      assert_near((e.ratio * e.ratio * E - K) / (K - E), ratios[i], 1e-8 * ratios[i]);
    } else { /* next to the circle: k = ratio^(2/3) */
      assert_near(e.ratio, pow(ratios[i], 2.0 / 3), 1e-10);
      assert_near(e.sigma, 1, 1e-9);
    }
  }
}

static void an_ellipsoid_of_equal_axes_is_a_ball(void **state)
{
  (void)state;
  pk_geometry *ball = soft_shape(PK_SHAPE_SPHERE, 0.05, 0, 0),
              *egg = soft_shape(PK_SHAPE_ELLIPSOID, 0.05, 0.05, 0.05),
              *plane = soft_shape(PK_SHAPE_PLANE, 0, 0, 0);
  double force[2];
  for (int i = 0; i < 2; i++) {
    soft_pair p;
    soft_pair_open(&p, i == 0 ? ball : egg, plane, PK_COMPLIANCE_LAW_HERTZ);
    p.side[0].pose.pos[2] = 0.0497;
    soft_pair_find(&p);
    force[i] = soft_pair_press(&p, still, 0).wrench[5];
    soft_pair_close(&p);
  }
  assert_near(force[0], force[1], 1e-9 * force[0]);
  pk_geometry_destroy(ball);
  pk_geometry_destroy(egg);
  pk_geometry_destroy(plane);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_flat_sole_presses_with_stiffness_times_area_times_depth),
      cmocka_unit_test(faces_that_a_step_closes_are_found_by_a_margin),
      cmocka_unit_test(a_tilted_sole_has_the_moment_of_its_pressure),
      cmocka_unit_test(layers_are_springs_in_series),
      cmocka_unit_test(a_fine_ball_presses_as_its_cap_says),
      cmocka_unit_test(balls_on_balls_converge_whether_the_other_is_a_mesh_or_a_sphere),
      cmocka_unit_test(two_equal_bricks_press_as_one_area),
      cmocka_unit_test(friction_follows_its_curve),
      cmocka_unit_test(coefficients_of_two_surfaces_are_their_harmonic_mean),
      cmocka_unit_test(convex_friction_is_borne_by_the_load_at_the_start_of_a_step),
      cmocka_unit_test(a_ball_on_a_plane_is_hertzs),
      cmocka_unit_test(two_balls_share_the_depth_so_that_their_forces_are_equal),
      cmocka_unit_test(the_ellipse_solves_hertzs_equations),
      cmocka_unit_test(an_ellipsoid_of_equal_axes_is_a_ball),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
