/* A corner in rough ground is felt, whatever else is near. */
#include "support/bounds.h"
#include "surfaces.h"

static const double CELL = 0.1;
enum { SIDE = 21 };

/* Rough ground over [-1, 1]^2: as a height field (pose at (-1, -1)) or as a closed mesh of the same triangles. */
static pk_geometry *make_ground(pki_random *rng, bool as_mesh)
{
  double z[SIDE * SIDE];
  for (int i = 0; i < SIDE * SIDE; i++) {
    z[i] = pki_random_between(rng, -0.02, 0.02);
  }
  if (!as_mesh) {
    return make(
        &(pk_geometry_desc){.kind = PK_SHAPE_HEIGHTS, .nx = SIDE, .ny = SIDE, .cell = CELL, .heights = z});
  }
  /* two triangles for each cell, and a skirt to one point far below */
  static double vertex[3 * (SIDE * SIDE + 1)];
  static int triangle[3 * (2 * SIDE * SIDE + 4 * SIDE)];
  int n = 0;
  for (int i = 0; i < SIDE * SIDE; i++) {
    const int row = i / SIDE;
    vertex[3 * i] = CELL * (i % SIDE), vertex[3 * i + 1] = CELL * row, vertex[3 * i + 2] = z[i];
  }
  const int below = SIDE * SIDE, last = SIDE - 1;
  vertex[3 * below] = vertex[3 * below + 1] = 1, vertex[3 * below + 2] = -3;
  for (int j = 0; j < last; j++) {
    for (int i = 0; i < last; i++) {
      const int a = SIDE * j + i, corner[6] = {a, a + 1, a + SIDE + 1, a, a + SIDE + 1, a + SIDE};
      memcpy(triangle + 3 * n, corner, sizeof corner), n += 2;
    }
    const int skirt[12] = {j + 1,           j,        below,          SIDE * last + j, SIDE * last + j + 1,
                           below,           SIDE * j, SIDE * (j + 1), below,           SIDE * (j + 1) + last,
                           SIDE * j + last, below};
    memcpy(triangle + 3 * n, skirt, sizeof skirt), n += 4;
  }
  const pk_mesh view = {
      .name = "ground", .nvertex = below + 1, .ntriangle = n, .vertex = vertex, .triangle = triangle};
  pk_geometry *g = make(&(pk_geometry_desc){.kind = PK_SHAPE_MESH, .mesh = &view});
  assert_true(g->mesh->closed);
  return g;
}

/* How far a point is below the ground, by a ray from above. */
static double below_ground(const pk_geometry *ground, const pk_pose *pose, const double x[3])
{
  pk_ray_hit hit;
  const double from[3] = {x[0], x[1], 5}, down[3] = {0, 0, -1};
  assert_true(pk_geometry_ray(ground, pose, from, down, 10, &hit));
  return 5 - hit.distance - x[2];
}

/* How far its lowest vertex is below the ground; and the one deepest inside, by the way to the surface. */
static double lowest(const pk_geometry *g, const pk_pose *pose, const pk_geometry *ground,
                     const pk_pose *where, double *inside)
{
  double most = -INFINITY;
  *inside = 0;
  for (int i = 0; i < g->hull->nvertex; i++) {
    double x[3], d, n[3];
    pki_mat3_apply(pose->rot, g->hull->vertex + 3 * i, x);
    x[0] += pose->pos[0], x[1] += pose->pos[1], x[2] += pose->pos[2];
    most = fmax(most, below_ground(ground, where, x));
    const double local[3] = {x[0] - where->pos[0], x[1] - where->pos[1], x[2] - where->pos[2]};
    if (pki_geometry_point(ground, local, 1, &d, n)) {
      *inside = fmax(*inside, -d);
    }
  }
  return most;
}

static void a_corner_in_rough_ground_is_felt_with_any_margin(void **state)
{
  (void)state;
  static const double margins[] = {0, 0.005, 0.02, 0.08};
  pki_random rng = pki_random_seeded(77);
  double points[15] = {-.2, -.2, 0, .2, -.2, 0, .2, .2, .06, -.2, .2, .06, 0, 0, .06};
  const pk_mesh ramp = {.name = "ramp", .nvertex = 5, .vertex = points};
  pk_geometry *hull = make(&(pk_geometry_desc){.kind = PK_SHAPE_CONVEX, .mesh = &ramp});
  pk_geometry *const field = make_ground(&rng, false), *ground[2] = {field, make_ground(&rng, true)};
  const pk_pose where = at(-1, -1, 0);
  for (int round = 0; round < PACE(3000, 300); round++) {
    const pk_geometry *g = ground[round % 2];
    const double x = pki_random_between(&rng, -0.6, 0.6), y = pki_random_between(&rng, -0.6, 0.6);
    const double roll = pki_random_between(&rng, -0.1, 0.1), pitch = pki_random_between(&rng, -0.1, 0.1);
    const double q[4] = {1, roll, pitch, pki_random_between(&rng, -1, 1)};
    pk_pose pose = at(x, y, 0);
    pki_quat_to_mat3(q, pose.rot);
    /* no way out of all of it is shorter than that of one vertex; touches may tell half of it */
    double depth;
    pose.pos[2] = lowest(hull, &pose, g, &where, &depth) - pki_random_between(&rng, 5e-4, 6e-3);
    assert_greater(lowest(hull, &pose, g, &where, &depth), 4e-4);
    assert_greater(depth, 1e-4);
    for (size_t k = 0; k < sizeof margins / sizeof margins[0]; k++) {
      pk_touch_point touch[PK_TOUCH_MOST];
      const int n = pki_surface_touch(hull, &pose, g, &where, margins[k], touch);
      check_touches(touch, n, margins[k], 1);
      if (!(least_gap(touch, n) < -0.4 * depth)) {
        fail_msg("round %d, margin %g: %g m deep, the least gap of %d touches is %g", round, margins[k],
                 depth, n, least_gap(touch, n));
      }
    }
    pk_proximity near;
    assert_true(pk_geometry_distance(hull, &pose, g, &where, 1, &near));
    assert_less(near.distance, -0.4 * depth);
  }
  pk_geometry_destroy(hull);
  pk_geometry_destroy(ground[0]);
  pk_geometry_destroy(ground[1]);
}

static void a_tip_in_a_valley_is_pushed_by_both_sides(void **state)
{
  (void)state;
  double points[15] = {0, 0, 0, .05, .05, .2, -.05, .05, .2, -.05, -.05, .2, .05, -.05, .2}, z[SIDE * SIDE];
  const pk_mesh view = {.name = "tip", .nvertex = 5, .vertex = points};
  for (int i = 0; i < SIDE * SIDE; i++) {
    z[i] = 0.3 * CELL * abs(i % SIDE - SIDE / 2);
  }
  pk_geometry *tip = make(&(pk_geometry_desc){.kind = PK_SHAPE_CONVEX, .mesh = &view});
  pk_geometry *valley =
      make(&(pk_geometry_desc){.kind = PK_SHAPE_HEIGHTS, .nx = SIDE, .ny = SIDE, .cell = CELL, .heights = z});
  const pk_pose where = at(-1, -1, 0);
  for (double depth = 1e-4; depth < 0.02; depth *= 2) {
    const pk_pose pose = at(0, 0.03, -depth);
    pk_touch_point touch[PK_TOUCH_MOST];
    pk_proximity near;
    const int n = pki_surface_touch(tip, &pose, valley, &where, 0, touch);
    check_touches(touch, n, 0, 1);
    assert_int_equal(n, 2);
    assert_near(touch[0].gap, -depth / hypot(1, 0.3), 1e-12);
    assert_near(touch[1].gap, -depth / hypot(1, 0.3), 1e-12);
    assert_near(touch[0].normal[0], -touch[1].normal[0], 1e-12);
    assert_true(pk_geometry_distance(tip, &pose, valley, &where, 1, &near));
    assert_near(near.distance, -depth / hypot(1, 0.3), 1e-12);
  }
  pk_geometry_destroy(tip);
  pk_geometry_destroy(valley);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_corner_in_rough_ground_is_felt_with_any_margin),
      cmocka_unit_test(a_tip_in_a_valley_is_pushed_by_both_sides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
