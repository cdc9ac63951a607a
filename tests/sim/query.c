/* Closest points, rays and overlaps of a world as it stands. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/mat3.h"
#include "pronk/collision.h"
#include "support/allocations.h"
#include "support/bounds.h"

enum { BALLS = 20 };

typedef struct world {
  pk_model *model;
  pk_terrain *ground;
  pk_sim *sim;
} world;

/* Free balls of radius 0.1 to 0.3 m, each with a visual one around it, over a plane and a box. */
static world balls(void)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  world w = {0};
  pk_terrain_create(&w.ground, NULL);
  for (int i = 0; i < BALLS; i++) {
    char name[8];
    snprintf(name, sizeof name, "b%d", i);
    pk_robot_desc robot = pk_robot_desc_default();
    robot.name = robot.prefix = name, robot.root = PK_ROOT_FREE;
    const pk_link_desc link = {.name = "l", .inertia = {.mass = 1, .moment = {1, 0, 0, 1, 0, 1}}};
    pk_shape_desc shape = {.link = "l", .kind = PK_SHAPE_SPHERE, .pose = pk_pose_identity()};
    assert_int_equal(pk_builder_add_robot(b, &robot, NULL), PK_OK);
    assert_int_equal(pk_builder_add_link(b, &link, NULL), PK_OK);
    for (int visual = 1; visual >= 0; visual--) {
      shape.visual = visual, shape.size[0] = visual ? 1 : 0.1 + 0.01 * i;
      assert_int_equal(pk_builder_add_shape(b, &shape, NULL), PK_OK);
    }
  }
  const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1}, size[3] = {1, 1, 1};
  pk_pose pose = pk_pose_identity();
  pose.pos[0] = 3, pose.pos[2] = 0.5;
  pk_error err = {.message = ""};
  if (pk_builder_compile(b, &w.model, &err) != PK_OK || pk_sim_create(w.model, NULL, &w.sim, &err) != PK_OK ||
      pk_terrain_add_plane(w.ground, origin, up, 0, &err) != PK_OK ||
      pk_terrain_add_box(w.ground, &pose, size, 0, &err) != PK_OK ||
      pk_sim_set_terrain(w.sim, w.ground, NULL, 0, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return w;
}

static void free_world(world *w)
{
  pk_sim_destroy(w->sim);
  pk_terrain_destroy(w->ground);
  pk_model_destroy(w->model);
}

static void scatter(world *w, pki_random *rng)
{
  for (int i = 0; i < BALLS; i++) {
    for (int k = 0; k < 3; k++) {
      pk_sim_q(w->sim)[7 * i + k] = pki_random_between(rng, k == 2 ? 1.5 : -1, k == 2 ? 3 : 1);
    }
    pki_random_quaternion(rng, pk_sim_q(w->sim) + 7 * i + 3);
  }
}

/* The ball that a shape is: its centre, and its radius back. */
static double ball_of(const world *w, int shape, const double **centre)
{
  *centre = pk_sim_q(w->sim) + 7 * w->model->shapes[shape].body;
  return w->model->shapes[shape].size[0];
}

static void distances_follow_the_configuration(void **state)
{
  (void)state;
  world w = balls();
  pki_random rng = pki_random_seeded(1);
  for (int trial = 0; trial < 20; trial++) {
    scatter(&w, &rng);
    for (int a = 0; a < w.model->nshape; a++) {
      for (int b = 0; b < w.model->nshape; b++) {
        pk_proximity near;
        const bool solid = !w.model->shapes[a].visual && !w.model->shapes[b].visual && a != b;
        if (!solid) {
          assert_true(a == b || !pk_sim_distance(w.sim, a, b, INFINITY, &near));
          continue;
        }
        const double *p, *q, ra = ball_of(&w, a, &p), rb = ball_of(&w, b, &q);
        const double expected = sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                                     (p[2] - q[2]) * (p[2] - q[2])) -
                                ra - rb;
        assert_true(pk_sim_distance(w.sim, a, b, INFINITY, &near));
        assert_less(fabs(near.distance - expected), 1e-12);
        assert_int_equal(pk_sim_distance(w.sim, a, b, 0.5, &near), expected <= 0.5);
      }
    }
  }
  pk_proximity near;
  assert_false(pk_sim_distance(w.sim, -1, 1, INFINITY, &near));
  assert_false(pk_sim_distance(w.sim, 0, w.model->nshape, INFINITY, &near));
  free_world(&w);
}

/* A ray against the balls, the plane z = 0 and the box [2.5, 3.5] x [-0.5, 0.5] x [0, 1], by hand. */
static double cast(const world *w, const double from[3], const double along[3], int skip, int *shape)
{
  double best = INFINITY;
  *shape = -2; /* nothing */
  for (int s = 0; s < w->model->nshape; s++) {
    const double *c, r = ball_of(w, s, &c);
    const double arm[3] = {c[0] - from[0], c[1] - from[1], c[2] - from[2]};
    const double t = pki_dot3(arm, along), square = pki_dot3(arm, arm) - t * t, root = r * r - square;
    if (w->model->shapes[s].visual || w->model->shapes[s].body == skip) {
      continue;
    }
    const double hit = pki_dot3(arm, arm) <= r * r ? 0 : root >= 0 && t > 0 ? t - sqrt(root) : INFINITY;
    if (hit < best) {
      best = hit, *shape = s;
    }
  }
  if (along[2] < 0 && -from[2] / along[2] < best) {
    best = -from[2] / along[2], *shape = -1;
  }
  double enter = 0, leave = INFINITY;
  const double low[3] = {2.5, -0.5, 0}, high[3] = {3.5, 0.5, 1};
  for (int k = 0; k < 3; k++) {
    const double a = (low[k] - from[k]) / along[k], b = (high[k] - from[k]) / along[k];
    enter = fmax(enter, fmin(a, b)), leave = fmin(leave, fmax(a, b));
  }
  if (enter <= leave && enter < best) {
    best = enter, *shape = -1;
  }
  return best;
}

static void rays_see_the_nearest_surface(void **state)
{
  (void)state;
  world w = balls();
  pki_random rng = pki_random_seeded(2);
  int hits = 0, on_ground = 0, skipped = 0;
  for (int trial = 0; trial < 4000; trial++) {
    if (trial % 50 == 0) {
      scatter(&w, &rng);
    }
    const int skip = trial % 3 != 0 ? trial % BALLS : -1;
    double from[3], along[3], length = pki_random_between(&rng, 0.1, 10);
    for (int k = 0; k < 3; k++) {
      from[k] = pki_random_between(&rng, k == 2 ? 0.2 : -2, k == 2 ? 4 : 2);
      along[k] = pki_random_normal(&rng);
    }
    const double norm = sqrt(pki_dot3(along, along));
    const double unit[3] = {along[0] / norm, along[1] / norm, along[2] / norm};
    const double scaled[3] = {length * along[0], length * along[1], length * along[2]};
    int shape, other;
    const double expected = cast(&w, from, unit, skip, &shape);
    pk_ray_hit hit;
    const bool seen = pk_sim_ray(w.sim, from, scaled, INFINITY, skip, &hit);
    assert_int_equal(seen, shape > -2);
    skipped += cast(&w, from, unit, -1, &other) < expected;
    if (seen) {
      hits++, on_ground += shape == -1;
      assert_less(fabs(hit.distance - expected), 1e-9);
      assert_int_equal(hit.shape, shape);
      assert_int_equal(hit.link, shape < 0 ? -1 : w.model->shapes[shape].link);
      assert_int_equal(hit.solid < 0, shape >= 0);
      assert_less(fabs(pki_dot3(hit.normal, hit.normal) - 1), 1e-12);
      assert_true(expected == 0 || pki_dot3(hit.normal, unit) <= 1e-9);
      assert_int_equal(pk_sim_ray(w.sim, from, scaled, expected * (1 - 1e-9) - 1e-9, skip, &hit), false);
    }
  }
  print_message("%d hits, %d on the ground, %d past one that is skipped\n", hits, on_ground, skipped);
  assert_greater(hits, 1000);
  assert_greater(on_ground, 200);
  assert_greater(skipped, 2);
  /* no ray at all */
  pk_ray_hit hit;
  const double from[3] = {0, 0, 1}, none[3] = {0, 0, 0}, nan[3] = {0, NAN, 1};
  assert_false(pk_sim_ray(w.sim, from, none, 1, -1, &hit));
  assert_false(pk_sim_ray(w.sim, from, nan, 1, -1, &hit));
  assert_false(pk_sim_ray(w.sim, nan, from, 1, -1, &hit));
  assert_false(pk_sim_ray(w.sim, from, from, NAN, -1, &hit));
  free_world(&w);
}

static void overlaps_name_shapes_and_solids(void **state)
{
  (void)state;
  world w = balls();
  pki_random rng = pki_random_seeded(3);
  pk_geometry *probe = NULL;
  const double radius = 0.6;
  assert_int_equal(
      pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_SPHERE, .size = {radius}}, &probe, NULL),
      PK_OK);
  int found_all = 0, grounds = 0;
  for (int trial = 0; trial < 200; trial++) {
    scatter(&w, &rng);
    pk_pose pose = pk_pose_identity();
    for (int k = 0; k < 3; k++) {
      pose.pos[k] = pki_random_between(&rng, k == 2 ? 0 : -1, 3);
    }
    int found[64], expected = 0;
    const int n = pk_sim_overlap(w.sim, probe, &pose, found, 64);
    for (int s = 0; s < w.model->nshape; s++) {
      const double *c, r = ball_of(&w, s, &c);
      const double arm[3] = {c[0] - pose.pos[0], c[1] - pose.pos[1], c[2] - pose.pos[2]};
      const bool overlaps = !w.model->shapes[s].visual && sqrt(pki_dot3(arm, arm)) <= r + radius;
      bool told = false;
      for (int i = 0; i < n; i++) {
        told |= found[i] == s;
      }
      assert_int_equal(told, overlaps);
      expected += overlaps;
    }
    bool plane = false;
    for (int i = 0; i < n; i++) {
      plane |= found[i] == -1;
      expected += found[i] < 0;
      assert_at_least(found[i], -2);
    }
    assert_int_equal(plane, pose.pos[2] <= radius);
    assert_int_equal(n, expected);
    assert_int_equal(pk_sim_overlap(w.sim, probe, &pose, found, 1), n);
    found_all += n, grounds += plane;
  }
  assert_greater(found_all, 200);
  assert_greater(grounds, 10);
  pk_geometry_destroy(probe);
  free_world(&w);
}

static void queries_change_no_step_and_allocate_nothing(void **state)
{
  (void)state;
  world a = balls(), b = balls();
  pki_random rng = pki_random_seeded(4);
  scatter(&a, &rng);
  memcpy(pk_sim_q(b.sim), pk_sim_q(a.sim), (size_t)a.model->nq * sizeof(double));
  const size_t size = pk_sim_state_size(a.sim);
  void *first = calloc(1, size), *second = calloc(1, size);
  assert_greater(allocations, 0);
  for (int step = 0; step < 200; step++) {
    const double from[3] = {0.1, 0.2, 4}, down[3] = {0, 0, -1};
    pk_ray_hit hit;
    pk_proximity near;
    const int before = allocations;
    assert_true(pk_sim_ray(a.sim, from, down, 10, -1, &hit));
    (void)pk_sim_distance(a.sim, 1, 3, INFINITY, &near);
    assert_int_equal(allocations, before);
    assert_int_equal(pk_sim_step(a.sim, NULL), PK_OK);
    assert_int_equal(pk_sim_step(b.sim, NULL), PK_OK);
    pk_sim_get_state(a.sim, first);
    pk_sim_get_state(b.sim, second);
    assert_memory_equal(first, second, size);
  }
  free(first);
  free(second);
  free_world(&a);
  free_world(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances_follow_the_configuration),
      cmocka_unit_test(rays_see_the_nearest_surface),
      cmocka_unit_test(overlaps_name_shapes_and_solids),
      cmocka_unit_test(queries_change_no_step_and_allocate_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
