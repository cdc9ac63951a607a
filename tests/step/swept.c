/* No tunnelling: small and fast bodies do not pass through thin ones, whatever part of a step they meet in. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/mat3.h"
#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/pace.h"
#include "support/world.h"

static const double WEIGHTLESS[3] = {0, 0, 0}, DT = 2.5e-3, SPEED = 20, THICK = 1e-3;

typedef enum plate { GROUND, FREE, MESH, PLATES } plate;
static const char *const plate_names[PLATES] = {"ground", "free body", "mesh"};

static pk_mesh plate_mesh(void)
{
  static double vertex[8][3];
  static const int triangle[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                      {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (int c = 0; c < 8; c++) {
    vertex[c][0] = c & 1 ? 0.5 : -0.5, vertex[c][1] = c & 2 ? 0.5 : -0.5;
    vertex[c][2] = (c & 4 ? 0.5 : -0.5) * THICK;
  }
  return (pk_mesh){.nvertex = 8, .ntriangle = 12, .vertex = vertex[0], .triangle = triangle[0]};
}

typedef struct world {
  pk_model *model;
  pk_terrain *terrain;
  pk_sim *sim;
} world;

/* A ball above a plate of 1 m x 1 m at z = 0. */
static world make_world(plate kind, double radius, pk_stepper stepper, pk_material law, bool swept)
{
  const pk_mesh mesh = plate_mesh();
  const double mass = 0.1, moment = 0.4 * mass * radius * radius;
  const free_solid solids[2] = {
      {PK_SHAPE_SPHERE, {radius}, mass, {moment, moment, moment}, NULL},
      {kind == MESH ? PK_SHAPE_MESH : PK_SHAPE_BOX, {1, 1, THICK}, 10, {0.84, 0.84, 1.67}, &mesh}};
  world w = {.model = solids_model(solids, kind == GROUND ? 1 : 2, WEIGHTLESS)};
  pk_terrain_create(&w.terrain, NULL);
  pk_sim_options o = pk_sim_options_default();
  o.dt = DT, o.stepper = stepper, o.swept = swept;
  pk_error err;
  if (kind == GROUND) {
    pk_pose pose = pk_pose_identity();
    assert_int_equal(pk_terrain_add_box(w.terrain, &pose, solids[1].size, 0, &err), PK_OK);
  }
  w.sim = start_world(w.model, w.terrain, law, &o);
  assert_int_equal(pk_sim_set_body_material(w.sim, &law, &err), PK_OK);
  return w;
}

static void free_world(world *w)
{
  pk_sim_destroy(w->sim);
  pk_terrain_destroy(w->terrain);
  pk_model_destroy(w->model);
}

/* The ball's height over the plate's middle plane, in the plate's axes, and its rate. */
static double height(const world *w, double *rate)
{
  const double *q = pk_sim_q(w->sim), *u = pk_sim_u(w->sim);
  if (w->model->nbody == 1) {
    *rate = u[2];
    return q[2];
  }
  double R[9], spin[3], turn[3];
  pki_quat_to_mat3(q + 7 + 3, R);
  const double arm[3] = {q[0] - q[7], q[1] - q[8], q[2] - q[9]}, n[3] = {R[2], R[5], R[8]};
  pki_mat3_apply(R, u + 9, spin);
  pki_cross3(spin, arm, turn);
  *rate = 0;
  for (int k = 0; k < 3; k++) {
    *rate += n[k] * (u[k] - u[6 + k] - turn[k]);
  }
  return pki_dot3(arm, n);
}

/* The least height that the ball has at the end of a step; its rate when it has bounced, otherwise at the end. */
static double shoot(world *w, double from, const double v[3], double *rate)
{
  double *q = pk_sim_q(w->sim), *u = pk_sim_u(w->sim), least = INFINITY, now, bounced = NAN;
  pk_sim_reset(w->sim);
  q[0] = from * v[0] / v[2], q[1] = from * v[1] / v[2], q[2] = from; /* towards the plate's middle */
  memcpy(u, v, 3 * sizeof *v);
  for (int i = 0; i < 12; i++) {
    const pk_step_info info = must_step(w->sim);
    assert_true(info.certified);
    least = fmin(least, height(w, &now));
    bounced = isnan(bounced) && now > 0.01 * SPEED ? now : bounced;
  }
  *rate = isnan(bounced) ? now : bounced;
  return least;
}

static void a_fast_ball_does_not_pass_a_thin_plate(void **state)
{
  (void)state;
  static const double ways[3][3] = {{0, 0, -1}, {0.5, 0, -0.8660254}, {-0.6, 0.5, -0.62}};
  int passed = 0;
  for (int c = 0; c < PLATES * 2 * 2 * 3 * 2; c++) {
    const plate kind = (plate)(c % PLATES);
    const pk_stepper stepper = c / PLATES % 2 ? PK_STEPPER_EULER : PK_STEPPER_MOREAU;
    const double radius = c / PLATES / 2 % 2 ? 0.02 : 0.01, e = c / PLATES / 4 / 3 ? 0.5 : 0;
    const double *way = ways[c / PLATES / 4 % 3];
    const double v[3] = {SPEED * way[0], SPEED * way[1], SPEED * way[2]};
    double worst = INFINITY, slowest = INFINITY, fastest = -INFINITY;
    world w = make_world(kind, radius, stepper, (pk_material){.friction = 0.3, .restitution_n = e}, true);
    world without = make_world(kind, radius, stepper, (pk_material){.friction = 0.3}, false);
    for (int k = 0; k < 25; k++) { /* through a step and a half, the first of them touching */
      double rate, gone;
      worst = fmin(worst, shoot(&w, radius + 0.5 * THICK + 0.003 * k, v, &rate));
      slowest = fmin(slowest, rate), fastest = fmax(fastest, rate);
      passed += shoot(&without, radius + 0.5 * THICK + 0.003 * k, v, &gone) < 0;
    }
    const double sunk = radius + 0.5 * THICK - worst;
    print_message("%s, radius %g, %s, e %g, way %d: sunk in by %.1e m, leaves at %.9g to %.9g m/s\n",
                  plate_names[kind], radius, stepper == PK_STEPPER_EULER ? "euler" : "moreau", e,
                  c / PLATES / 4 % 3, sunk, slowest, fastest);
    assert_less(sunk, 1e-6);
    const double close =
        kind != GROUND && way[0] != 0 ? 1e-3 : 1e-6; /* plates that are hit off their middle turn */
    assert_less(fabs(slowest + e * v[2]), close * SPEED);
    assert_less(fabs(fastest + e * v[2]), close * SPEED);
    free_world(&w), free_world(&without);
  }
  print_message("without swept contacts %d pass\n", passed);
  assert_greater(passed, 100);
}

/* Two balls that would change places in a step; a stick that turns fast. */
static void fast_bodies_do_not_pass_each_other(void **state)
{
  (void)state;
  const free_solid balls[2] = {{PK_SHAPE_SPHERE, {0.01}, 0.1, {4e-6, 4e-6, 4e-6}, NULL},
                               {PK_SHAPE_SPHERE, {0.01}, 0.3, {12e-6, 12e-6, 12e-6}, NULL}};
  pk_model *m = solids_model(balls, 2, WEIGHTLESS);
  pk_sim_options o = pk_sim_options_default();
  pk_sim *sim;
  pk_error err;
  o.dt = DT;
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_body_material(sim, &(pk_material){.restitution_n = 1}, &err), PK_OK);
  for (int k = 0; k < 30; k++) {
    pk_sim_reset(sim);
    pk_sim_q(sim)[0] = -0.05 - 0.004 * k, pk_sim_q(sim)[7] = 0.05;
    pk_sim_u(sim)[0] = SPEED, pk_sim_u(sim)[6] = -SPEED;
    for (int i = 0; i < 10; i++) {
      must_step(sim);
      assert_greater(pk_sim_q(sim)[7] - pk_sim_q(sim)[0], 0.02 - 1e-8);
    }
    /* v' = (m v + M V + M e (V - v))/(m + M) */
    assert_less(fabs(pk_sim_u(sim)[0] + 2 * SPEED), 1e-6);
    assert_less(fabs(pk_sim_u(sim)[6]), 1e-6);
  }
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

/* Shapes of all kinds that turn on their way, on plates of ground and free ones. */
static void nothing_passes_whatever_its_shape(void **state)
{
  (void)state;
  static const free_solid kinds[] = {
      {PK_SHAPE_CAPSULE, {0.01, 0.03}, 0.1, {2e-5, 2e-5, 5e-6}, NULL},
      {PK_SHAPE_BOX, {0.03, 0.02, 0.01}, 0.1, {4e-6, 8e-6, 1.1e-5}, NULL},
      {PK_SHAPE_CYLINDER, {0.015, 0.01}, 0.1, {7e-6, 7e-6, 1.2e-5}, NULL},
      {PK_SHAPE_ELLIPSOID, {0.02, 0.01, 0.015}, 0.1, {7e-6, 1.3e-5, 1e-5}, NULL},
      {PK_SHAPE_CONE, {0.02, 0.03}, 0.1, {8e-6, 8e-6, 1.2e-5}, NULL}};
  enum { KINDS = sizeof kinds / sizeof kinds[0] };
  pki_random rng = pki_random_seeded(11);
  for (int c = 0; c < 2 * KINDS; c++) {
    const bool ground = c % 2;
    const free_solid solids[2] = {kinds[c / 2], {PK_SHAPE_BOX, {1, 1, THICK}, 10, {0.84, 0.84, 1.67}, NULL}};
    pk_model *m = solids_model(solids, ground ? 1 : 2, WEIGHTLESS);
    pk_terrain *t;
    pk_terrain_create(&t, NULL);
    const pk_pose pose = pk_pose_identity();
    pk_error err;
    if (ground) {
      assert_int_equal(pk_terrain_add_box(t, &pose, solids[1].size, 0, &err), PK_OK);
    }
    pk_sim_options o = pk_sim_options_default();
    o.dt = DT;
    pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.5}, &o);
    world w = {m, t, sim};
    double least = INFINITY, rate;
    int uncertified = 0;
    for (int k = 0; k < PACE(60, 6); k++) {
      pk_sim_reset(sim);
      double *q = pk_sim_q(sim), *u = pk_sim_u(sim);
      pki_random_quaternion(&rng, q + 3);
      q[2] = 0.05 + 0.05 * pki_random_unit(&rng), u[2] = -SPEED;
      for (int e = 0; e < 3; e++) {
        u[e] += e < 2 ? 10 * pki_random_unit(&rng) - 5 : 0;
        u[3 + e] = 400 * pki_random_unit(&rng) - 200;
      }
      for (int i = 0; i < 8; i++) {
        uncertified += !must_step(sim).certified;
        least = fmin(least, height(&w, &rate));
      }
    }
    print_message("shape %d on %s: comes down to %.4f m, %d steps not certified\n", (int)kinds[c / 2].kind,
                  ground ? "ground" : "a free plate", least, uncertified);
    assert_greater(least, 0);
    assert_int_equal(uncertified, 0);
    free_world(&w);
  }
}

/* A block of corners; its triangles are those of the plate. */
static void block_corners(double *out, const double low[3], const double high[3])
{
  for (int c = 0; c < 8; c++) {
    for (int k = 0; k < 3; k++) {
      out[3 * c + k] = c >> k & 1 ? high[k] : low[k];
    }
  }
}

/* Meshes have no thickness to speak of: whatever moves is swept, and must feel floor and wall of one mesh at once. */
static void a_mesh_on_a_mesh_feels_floor_and_wall(void **state)
{
  (void)state;
  const pk_mesh slab = plate_mesh();
  double corner[24], room[48];
  int triangle[72];
  block_corners(corner, (double[3]){-0.1, -0.1, -0.1}, (double[3]){0.1, 0.1, 0.1});
  block_corners(room, (double[3]){-4, -4, -0.5}, (double[3]){4, 4, 0});
  block_corners(room + 24, (double[3]){0.5, -4, 0}, (double[3]){1, 4, 2});
  for (int k = 0; k < 72; k++) {
    triangle[k] = slab.triangle[k % 36] + 8 * (k / 36);
  }
  const pk_mesh cube = {.nvertex = 8, .ntriangle = 12, .vertex = corner, .triangle = slab.triangle};
  const pk_mesh ground = {.nvertex = 16, .ntriangle = 24, .vertex = room, .triangle = triangle};
  const free_solid solid = {PK_SHAPE_MESH, {1, 1, 1}, 1, {0.0067, 0.0067, 0.0067}, &cube};
  const pk_pose here = pk_pose_identity();
  pk_error err;
  world w = {.model = solids_model(&solid, 1, NULL)};
  pk_terrain_create(&w.terrain, NULL);
  assert_int_equal(pk_terrain_add_mesh(w.terrain, &here, &ground, 0, &err), PK_OK);
  pk_sim_options o = pk_sim_options_default();
  o.dt = DT;
  w.sim = start_world(w.model, w.terrain, (pk_material){.friction = 0.3}, &o);
  pki_random rng = pki_random_seeded(3);
  double lowest = 0, farthest = 0;
  for (int k = 0; k < PACE(12, 2); k++) {
    pk_sim_reset(w.sim);
    double *q = pk_sim_q(w.sim), *u = pk_sim_u(w.sim), R[9], x[3];
    q[2] = k < 2 ? 0.1 : 0.25, u[0] = k % 2 ? 8 : 3; /* the first two slide, the others tumble */
    for (int e = 0; e < 3 && k >= 2; e++) {
      u[3 + e] = pki_random_between(&rng, -20, 20);
    }
    for (int i = 0; i < 200; i++) {
      must_step(w.sim);
      pki_quat_to_mat3(q + 3, R);
      for (int c = 0; c < 8; c++) {
        pki_mat3_apply(R, corner + 3 * c, x);
        lowest = fmin(lowest, x[2] + q[2]), farthest = fmax(farthest, x[0] + q[0]);
      }
    }
  }
  print_message("comes down to %.1e m, into the wall by %.1e m\n", lowest, farthest - 0.5);
  assert_greater(lowest, -1e-6);
  assert_less(farthest, 0.5 + 1e-6);
  assert_greater(farthest, 0.4);
  free_world(&w);
}

/* Nothing is fast: the option changes no bit. */
static void slow_worlds_do_not_notice(void **state)
{
  (void)state;
  double end[2][2];
  for (int swept = 0; swept < 2; swept++) {
    world w = make_world(GROUND, 0.02, PK_STEPPER_MOREAU, (pk_material){.friction = 0.3}, swept);
    double *q = pk_sim_q(w.sim), *u = pk_sim_u(w.sim);
    q[2] = 0.05, u[0] = 0.1, u[2] = -0.5;
    for (int i = 0; i < 100; i++) {
      must_step(w.sim);
    }
    end[swept][0] = q[0], end[swept][1] = u[4];
    free_world(&w);
  }
  assert_memory_equal(end[0], end[1], sizeof end[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fast_ball_does_not_pass_a_thin_plate),
      cmocka_unit_test(fast_bodies_do_not_pass_each_other),
      cmocka_unit_test(nothing_passes_whatever_its_shape),
      cmocka_unit_test(a_mesh_on_a_mesh_feels_floor_and_wall),
      cmocka_unit_test(slow_worlds_do_not_notice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
