/* Where shapes touch meshes and height fields: as planes where these are flat, as solids where they are solid. */
#include "surfaces.h"

#include "support/allocations.h"
#include "support/bounds.h"

static void a_ball_touches_a_solid_at_the_signed_distance_of_its_centre(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(14);
  pk_geometry *solid[2] = {make_mesh(mesh_torus(1, 0.4, 20, 12), PK_SHAPE_MESH),
                           make_mesh(mesh_box(1, 0.7, 0.3, 0, 0, 0), PK_SHAPE_MESH)};
  int deep = 0, shallow = 0;
  for (int round = 0; round < PACE(4000, 300); round++) {
    const double r = pki_random_between(&rng, 0.01, 0.3), margin = 0.05;
    pk_geometry *ball = make_shape(PK_SHAPE_SPHERE, r, 0, 0);
    const pk_geometry *g = solid[round % 2];
    const pk_pose pose = random_pose(&rng, 1.5), here = random_pose(&rng, 0.1);
    double p[3] = {pose.pos[0] - here.pos[0], pose.pos[1] - here.pos[1], pose.pos[2] - here.pos[2]}, d, n[3];
    pki_mat3_apply_transposed(here.rot, p, p);
    pk_touch_point touch[PK_TOUCH_MOST];
    const int count = pki_surface_touch(ball, &pose, g, &here, margin, touch);
    check_touches(touch, count, margin, 1);
    const bool near = pki_geometry_point(g, p, r + margin, &d, n);
    assert_int_equal(count > 0, near);
    if (near) {
      assert_near(least_gap(touch, count), d - r, 1e-12);
      deep += d < 0, shallow += d >= 0;
    }
    pk_geometry_destroy(ball);
  }
  assert_greater(deep, PACE(100, 5));
  assert_greater(shallow, PACE(100, 5));
  pk_geometry_destroy(solid[0]);
  pk_geometry_destroy(solid[1]);
}

/* Each touch of the plane is a touch of the floor and the other way round. */
static void expect_same(const pk_touch_point *a, int na, const pk_touch_point *b, int nb)
{
  assert_int_equal(na, nb);
  for (int i = 0; i < na; i++) {
    bool found = false;
    for (int j = 0; j < nb && !found; j++) {
      double d = fabs(a[i].gap - b[j].gap);
      for (int k = 0; k < 3; k++) {
        d = fmax(d, fmax(fabs(a[i].normal[k] - b[j].normal[k]), fabs(a[i].point[0][k] - b[j].point[0][k])));
      }
      found = d < 1e-12;
    }
    assert_true(found);
  }
}

static void a_shape_on_a_flat_triangulated_floor_feels_a_plane(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(15);
  pk_geometry *shape[KINDS], *floor[4];
  make_kinds(0.5, shape);
  floor[0] = make_mesh(mesh_sheet(2, 60, &rng, NULL), PK_SHAPE_MESH); /* many small triangles */
  floor[1] = make_mesh(mesh_sheet(2, 2, &rng, NULL), PK_SHAPE_MESH);  /* few big ones */
  floor[2] = make_mesh(mesh_box(2, 2, 1, 0, 0, -1), PK_SHAPE_MESH);
  const double level[16 * 16] = {0};
  floor[3] =
      make(&(pk_geometry_desc){.kind = PK_SHAPE_HEIGHTS, .nx = 16, .ny = 16, .cell = 0.27, .heights = level});
  const pk_pose plane = pk_pose_identity();
  for (int round = 0; round < PACE(8000, 600); round++) {
    const pk_geometry *g = shape[round % KINDS];
    const pk_geometry *f = floor[round / KINDS % 4];
    const pk_pose where = f->kind == PK_SHAPE_HEIGHTS ? at(-2, -2, 0) : plane;
    /* flat on one of its sides, or any way round */
    pk_pose pose = random_pose(&rng, 1.2);
    if (round % 3 != 0) {
      const double yaw = pki_random_between(&rng, -3, 3),
                   tilt = round % 3 == 1 ? 0 : 1e-3 * pki_random_unit(&rng);
      const double q[4] = {cos(yaw), tilt, 0, sin(yaw)};
      pki_quat_to_mat3(q, pose.rot);
      if (g->kind == PK_SHAPE_CAPSULE) { /* lying */
        const double lie[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0};
        pki_mat3_mul(pose.rot, lie, pose.rot);
      }
    }
    /* gap between -1 mm and the margin */
    const double margin = 2e-3;
    pose.pos[2] = 0;
    pk_touch_point expected[PK_TOUCH_MOST], touch[PK_TOUCH_MOST];
    pk_proximity near;
    pk_geometry *half = make(&(pk_geometry_desc){.kind = PK_SHAPE_PLANE});
    bool within = false;
    assert_true(pki_closed_distance(g, &pose, half, &plane, INFINITY, &within, &near) && within);
    pk_geometry_destroy(half);
    pose.pos[2] = -near.distance + pki_random_between(&rng, -1e-3, margin);
    const int ne = pki_plane_touch(g, &pose, &plane, margin, expected);
    const int n = pki_surface_touch(g, &pose, f, &where, margin, touch);
    check_touches(touch, n, margin, 1);
    expect_same(expected, ne, touch, n);
    if (g->kind == PK_SHAPE_BOX && round % 3 == 1) {
      assert_int_equal(n, 4);
    }
  }
  destroy_kinds(shape);
  for (int i = 0; i < 4; i++) {
    pk_geometry_destroy(floor[i]);
  }
}

static void the_names_of_a_sliding_foot_stay(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(16);
  pk_geometry *foot[2] = {make_shape(PK_SHAPE_BOX, 0.2, 0.1, 0.05),
                          make_shape(PK_SHAPE_CYLINDER, 0.1, 0.05, 0)};
  pk_geometry *floor = make_mesh(mesh_sheet(2, 50, &rng, NULL), PK_SHAPE_MESH);
  const pk_pose here = pk_pose_identity();
  for (int which = 0; which < 2; which++) {
    pk_touch_point first[PK_TOUCH_MOST], touch[PK_TOUCH_MOST];
    pk_pose pose = at(-1, -0.5, 0.0249);
    const int n = pki_surface_touch(foot[which], &pose, floor, &here, 1e-3, first);
    assert_at_least(n, 4);
    for (int step = 0; step < 500; step++) {
      pose.pos[0] += 0.003, pose.pos[1] += 0.002;
      assert_int_equal(pki_surface_touch(foot[which], &pose, floor, &here, 1e-3, touch), n);
      for (int i = 0; i < n; i++) {
        assert_int_equal(touch[i].id, first[i].id);
      }
    }
    pk_geometry_destroy(foot[which]);
  }
  pk_geometry_destroy(floor);
}

/* A convex solid, once as a mesh and once as its hull: shallow overlaps are as deep. */
static void shallow_overlaps_of_a_convex_mesh_are_those_of_its_hull(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(17);
  pk_geometry *shape[KINDS];
  make_kinds(0.5, shape);
  pk_geometry *as_mesh = make_mesh(mesh_box(1, 0.8, 0.6, 0, 0, 0), PK_SHAPE_MESH);
  pk_geometry *as_hull = make_mesh(mesh_box(1, 0.8, 0.6, 0, 0, 0), PK_SHAPE_CONVEX);
  int count = 0, same = 0;
  for (int round = 0; round < PACE(6000, 400); round++) {
    const pk_geometry *g = shape[round % KINDS];
    pk_pose pose = random_pose(&rng, 1.5);
    const pk_pose here = random_pose(&rng, 0.2);
    const pki_convex a = pki_convex_of(g, &pose), b = pki_convex_of(as_hull, &here);
    pk_proximity near, found;
    assert_true(pki_gjk_distance(&a, &b, INFINITY, &near));
    /* bring it 1 to 10 mm in */
    const double depth = pki_random_between(&rng, 1e-3, 1e-2);
    if (near.distance < 1e-3) {
      continue;
    }
    for (int k = 0; k < 3; k++) {
      pose.pos[k] -= (near.distance + depth) * near.normal[k];
    }
    const pki_convex c = pki_convex_of(g, &pose);
    assert_true(pki_gjk_distance(&c, &b, INFINITY, &near));
    assert_true(pki_surface_distance(g, &pose, as_mesh, &here, INFINITY, &found));
    check_proximity(&found, 1);
    assert_less(found.distance, 0);
    /* edges of triangles within a face can hide a shorter way past its border, rarely */
    const double ratio = found.distance / near.distance;
    if (ratio < 0.25 || ratio > 4) {
      fail_msg("kind %d: depth %g as a mesh, %g as a hull (round %d)", g->kind, -found.distance,
               -near.distance, round);
    }
    same += fabs(found.distance - near.distance) < 1e-9;
    count++;
  }
  assert_greater(count, PACE(2000, 100));
  assert_greater(same, 0.97 * count);
  destroy_kinds(shape);
  pk_geometry_destroy(as_mesh);
  pk_geometry_destroy(as_hull);
}

static void what_is_deep_inside_a_solid_finds_a_way_out(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(18);
  pk_geometry *shape[KINDS];
  make_kinds(0.5, shape);
  pk_geometry *block = make_mesh(mesh_box(1, 0.8, 0.6, 0, 0, 0), PK_SHAPE_MESH);
  const pk_pose here = pk_pose_identity();
  for (int round = 0; round < PACE(2000, 200); round++) {
    const pk_geometry *g = shape[round % KINDS];
    pk_pose pose = random_pose(&rng, 0.5);
    pk_touch_point touch[PK_TOUCH_MOST];
    pk_proximity near;
    const int n = pki_surface_touch(g, &pose, block, &here, 1e-3, touch);
    assert_greater(n, 0);
    check_touches(touch, n, 1e-3, 1);
    assert_true(pki_surface_distance(g, &pose, block, &here, INFINITY, &near));
    assert_less(near.distance, 0);
    /* walking it gets out, a few times if need be */
    for (int step = 0; step < 8 && near.distance < -1e-9; step++) {
      for (int k = 0; k < 3; k++) {
        pose.pos[k] -= near.distance * near.normal[k];
      }
      assert_true(pki_surface_distance(g, &pose, block, &here, INFINITY, &near));
    }
    assert_greater(near.distance, -1e-6);
  }
  destroy_kinds(shape);
  pk_geometry_destroy(block);
}

static void a_sheet_pushes_to_the_side_where_the_middle_is(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(19);
  pk_geometry *sheet = make_mesh(mesh_sheet(1, 7, &rng, NULL), PK_SHAPE_MESH);
  pk_geometry *box = make_shape(PK_SHAPE_BOX, 0.3, 0.3, 0.1);
  const pk_pose here = pk_pose_identity();
  for (int round = 0; round < 400; round++) {
    const double z = pki_random_between(&rng, 0.001, 0.049) * (round % 2 ? 1 : -1);
    const pk_pose pose = at(pki_random_between(&rng, -0.7, 0.7), pki_random_between(&rng, -0.7, 0.7), z);
    pk_touch_point touch[PK_TOUCH_MOST];
    const int n = pki_surface_touch(box, &pose, sheet, &here, 1e-3, touch);
    assert_int_equal(n, 4);
    for (int i = 0; i < n; i++) {
      assert_near3(touch[i].normal, V3(0, 0, z > 0 ? 1 : -1), 1e-12);
      assert_near(touch[i].gap, fabs(z) - 0.05, 1e-12);
    }
  }
  pk_geometry_destroy(sheet);
  pk_geometry_destroy(box);
}

static void a_thin_plate_pushes_back_to_where_the_box_came_from(void **state)
{
  (void)state;
  pk_geometry *plate = make_mesh(mesh_box(1, 1, 0.0005, 0, 0, 0), PK_SHAPE_MESH);
  pk_geometry *box = make_shape(PK_SHAPE_BOX, 0.3, 0.3, 0.1);
  const pk_pose here = pk_pose_identity();
  for (int side = -1; side <= 1; side += 2) {
    const pk_pose pose = at(0.3, 0.1, side * 0.04);
    pk_touch_point touch[PK_TOUCH_MOST];
    const int n = pki_surface_touch(box, &pose, plate, &here, 1e-3, touch);
    assert_int_equal(n, 4);
    for (int i = 0; i < n; i++) {
      assert_near3(touch[i].normal, V3(0, 0, side), 1e-12);
      assert_near(touch[i].gap, -0.0105, 1e-12);
    }
  }
  pk_geometry_destroy(plate);
  pk_geometry_destroy(box);
}

static void a_box_in_a_corner_touches_floor_and_walls(void **state)
{
  (void)state;
  /* a box with a hollow */
  mesh outer = mesh_box(2, 2, 1, 0, 0, 0), inner = mesh_box(1, 1, 0.5, 0, 0, 0);
  mesh_turn_all(&inner);
  pk_geometry *hollow = make_mesh(mesh_join(outer, inner), PK_SHAPE_MESH);
  pk_geometry *box = make_shape(PK_SHAPE_BOX, 0.4, 0.4, 0.4);
  const pk_pose here = pk_pose_identity(), pose = at(-0.8 - 1e-4, -0.8 - 2e-4, -0.3 - 3e-4);
  pk_touch_point touch[PK_TOUCH_MOST];
  const int n = pki_surface_touch(box, &pose, hollow, &here, 1e-3, touch);
  double gap[3] = {1, 1, 1};
  check_touches(touch, n, 1e-3, 1);
  for (int i = 0; i < n; i++) {
    const double *m = touch[i].normal;
    const int k = m[0] > 0.9 ? 0 : m[1] > 0.9 ? 1 : 2;
    assert_near(m[k], 1, 1e-9);
    gap[k] = fmin(gap[k], touch[i].gap);
  }
  assert_near3(gap, V3(-1e-4, -2e-4, -3e-4), 1e-9);
  pk_geometry_destroy(hollow);
  pk_geometry_destroy(box);
}

static void a_foot_over_the_edge_of_a_block_is_pushed_up_alone(void **state)
{
  (void)state;
  const double sizes[3] = {1, 1e-6, 1e6};
  for (int i = 0; i < 3; i++) {
    const double s = sizes[i];
    pk_geometry *block = make_mesh(mesh_box(s, s, 0.5 * s, 0, 0, -0.5 * s), PK_SHAPE_MESH);
    pk_geometry *foot[2] = {make_shape(PK_SHAPE_BOX, 0.2 * s, 0.1 * s, 0.05 * s),
                            make_shape(PK_SHAPE_CYLINDER, 0.1 * s, 0.05 * s, 0)};
    const pk_pose here = pk_pose_identity();
    for (int step = 0; step < 400; step++) {
      /* from the middle to where a tenth of it stands on the block */
      const pk_pose pose = at((0.5 + 0.0014 * step) * s, 0.3 * s, (0.025 - 1e-4) * s);
      for (int k = 0; k < 2; k++) {
        pk_touch_point touch[PK_TOUCH_MOST];
        const int n = pki_surface_touch(foot[k], &pose, block, &here, 1e-3 * s, touch);
        check_touches(touch, n, 1e-3 * s, s);
        assert_true(k == 0 ? n == 4 : n >= 3);
        double right = -INFINITY;
        for (int j = 0; j < n; j++) {
          assert_near3(touch[j].normal, V3(0, 0, 1), 1e-9);
          assert_near(touch[j].gap, -1e-4 * s, 1e-9 * s);
          right = fmax(right, touch[j].point[1][0]);
        }
        assert_near(right, k == 0 ? fmin(pose.pos[0] + 0.1 * s, s) : right, 1e-9 * s);
        assert_at_most(right, s * (1 + 1e-6));
      }
    }
    pk_geometry_destroy(block);
    pk_geometry_destroy(foot[0]);
    pk_geometry_destroy(foot[1]);
  }
}

static void the_border_of_a_sheet_is_an_edge(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(21);
  pk_geometry *sheet = make_mesh(mesh_sheet(1, 5, &rng, NULL), PK_SHAPE_MESH);
  pk_geometry *ball = make_shape(PK_SHAPE_SPHERE, 0.1, 0, 0), *box = make_shape(PK_SHAPE_BOX, 0.2, 0.2, 0.2);
  const pk_pose here = pk_pose_identity();
  for (int round = 0; round < 300; round++) {
    const double angle = pki_random_between(&rng, -1.5, 1.5), d = 0.1 + pki_random_between(&rng, -0.01, 0.01);
    pk_pose pose = at(1 + d * cos(angle), pki_random_between(&rng, -0.9, 0.9), d * sin(angle));
    pk_touch_point touch[PK_TOUCH_MOST];
    int n = pki_surface_touch(ball, &pose, sheet, &here, 0.02, touch);
    assert_int_equal(n, 1);
    assert_near(touch[0].gap, d - 0.1, 1e-12);
    assert_near3(touch[0].normal, V3(cos(angle), 0, sin(angle)), 1e-9);
    /* a box that the border has cut into leaves by the way it came */
    pose = at(1.095, pose.pos[1], pki_random_between(&rng, -0.05, 0.05));
    n = pki_surface_touch(box, &pose, sheet, &here, 0.001, touch);
    assert_greater(n, 0);
    for (int i = 0; i < n; i++) {
      assert_near3(touch[i].normal, V3(1, 0, 0), 1e-9);
      assert_near(touch[i].gap, -0.005, 1e-9);
    }
  }
  pk_geometry_destroy(sheet);
  pk_geometry_destroy(ball);
  pk_geometry_destroy(box);
}

static double hills(double x, double y)
{
  return 0.2 * sin(3 * x) * cos(2 * y);
}

static void what_is_near_a_surface_touches_it_at_its_distance(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(22);
  pk_geometry *shape[KINDS + 1], *surface[4];
  make_kinds(0.5, shape);
  shape[KINDS] = make_mesh(mesh_torus(0.2, 0.1, 8, 5), PK_SHAPE_MESH);
  surface[0] = make_mesh(mesh_torus(1, 0.4, 14, 9), PK_SHAPE_MESH);
  surface[1] = make_mesh(mesh_sheet(1, 8, &rng, hills), PK_SHAPE_MESH);
  surface[2] = make_mesh(mesh_box(1, 0.8, 0.6, 0, 0, 0), PK_SHAPE_MESH);
  double z[81];
  for (int i = 0; i < 81; i++) {
    z[i] = hills(i % 9, i / 9.0);
  }
  surface[3] =
      make(&(pk_geometry_desc){.kind = PK_SHAPE_HEIGHTS, .nx = 9, .ny = 9, .cell = 0.3, .heights = z});
  int count = 0;
  for (int round = 0; round < PACE(4000, 300); round++) {
    const pk_geometry *a = shape[round % (KINDS + 1)], *b = surface[round / (KINDS + 1) % 4];
    pk_pose pose = random_pose(&rng, 1.5);
    const pk_pose here = pk_pose_identity();
    pk_proximity near;
    assert_true(pki_surface_distance(a, &pose, b, &here, INFINITY, &near));
    if (near.distance < 0.02) {
      continue;
    }
    /* to 1 mm */
    const double margin = 2e-3;
    for (int k = 0; k < 3; k++) {
      pose.pos[k] -= (near.distance - 1e-3) * near.normal[k];
    }
    assert_true(pki_surface_distance(a, &pose, b, &here, INFINITY, &near));
    assert_near(near.distance, 1e-3, 1e-9);
    pk_touch_point touch[PK_TOUCH_MOST];
    const int before = allocations;
    const int n = pki_surface_touch(a, &pose, b, &here, margin, touch);
    assert_true(pki_surface_distance(b, &here, a, &pose, INFINITY, &near));
    assert_int_equal(allocations, before);
    check_touches(touch, n, margin, 1);
    /* faces that lean by up to 0.08 rad measure along their own normals */
    if (!(fabs(least_gap(touch, n) - near.distance) < 5e-6)) {
      fail_msg("round %d: kind %d on surface %d: %d touches, least gap %g", round, a->kind,
               round / (KINDS + 1) % 4, n, least_gap(touch, n));
    }
    count++;
  }
  assert_greater(count, PACE(1000, 50));
  destroy_kinds(shape);
  pk_geometry_destroy(shape[KINDS]);
  for (int i = 0; i < 4; i++) {
    pk_geometry_destroy(surface[i]);
  }
}

static void a_mesh_cube_on_a_mesh_cube_rests_on_its_corners(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(20);
  pk_geometry *low = make_mesh(mesh_box(1, 1, 0.5, 0, 0, -0.5), PK_SHAPE_MESH);
  pk_geometry *high = make_mesh(mesh_box(0.25, 0.25, 0.25, 0, 0, 0), PK_SHAPE_MESH);
  pk_geometry *same = make_mesh(mesh_box(1, 1, 0.5, 0, 0, 0.5), PK_SHAPE_MESH);
  for (int round = 0; round < 500; round++) {
    const pk_pose world = random_pose(&rng, 1);
    const double gap = pki_random_between(&rng, -1e-3, 1e-3), yaw = pki_random_between(&rng, -3, 3);
    pk_pose pose = at(pki_random_between(&rng, -0.5, 0.5), pki_random_between(&rng, -0.5, 0.5), 0.25 + gap),
            moved;
    const double q[4] = {cos(yaw), 0, 0, sin(yaw)};
    pki_quat_to_mat3(q, pose.rot);
    pki_mat3_mul(world.rot, pose.rot, moved.rot);
    pki_mat3_apply(world.rot, pose.pos, moved.pos);
    for (int k = 0; k < 3; k++) {
      moved.pos[k] += world.pos[k];
    }
    const double up[3] = {world.rot[2], world.rot[5], world.rot[8]}, down[3] = {-up[0], -up[1], -up[2]};
    pk_touch_point touch[PK_TOUCH_MOST];
    for (int turn = 0; turn < 2; turn++) {
      const int n = turn ? pki_surface_touch(low, &world, high, &moved, 2e-3, touch)
                         : pki_surface_touch(high, &moved, low, &world, 2e-3, touch);
      assert_int_equal(n, 4);
      for (int i = 0; i < n; i++) {
        assert_near(touch[i].gap, gap, 1e-12);
        assert_near3(touch[i].normal, turn ? down : up, 1e-9);
      }
    }
    /* corner on corner */
    pk_pose on = at(0, 0, gap);
    const pk_pose here = pk_pose_identity();
    const int n = pki_surface_touch(same, &on, low, &here, 2e-3, touch);
    assert_at_least(n, 4);
    for (int i = 0; i < n; i++) {
      assert_near3(touch[i].normal, V3(0, 0, 1), 1e-9);
      assert_near(touch[i].gap, gap, 1e-12);
    }
  }
  pk_geometry_destroy(low);
  pk_geometry_destroy(high);
  pk_geometry_destroy(same);
}

static void crossed_bars_touch_at_their_edges_or_corners(void **state)
{
  (void)state;
  pk_geometry *bar = make_mesh(mesh_box(1, 0.1, 0.1, 0, 0, 0), PK_SHAPE_MESH);
  pk_pose here = pk_pose_identity(), pose = at(0.1, 0.05, 0.2 - 1e-4);
  const double turned[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  memcpy(pose.rot, turned, sizeof turned);
  pk_touch_point touch[PK_TOUCH_MOST];
  int n = pki_surface_touch(bar, &pose, bar, &here, 1e-3, touch);
  assert_int_equal(n, 4); /* no corner is near: four crossings of edges */
  for (int i = 0; i < n; i++) {
    assert_near3(touch[i].normal, V3(0, 0, 1), 1e-9);
    assert_near(touch[i].gap, -1e-4, 1e-12);
  }
  /* edge on edge: both turned by 45 degrees about themselves */
  const double c = sqrt(0.5), lower[9] = {1, 0, 0, 0, c, -c, 0, c, c};
  memcpy(here.rot, lower, sizeof lower);
  pki_mat3_mul(turned, lower, pose.rot);
  pose.pos[2] = 0.2 * sqrt(2) - 1e-4;
  n = pki_surface_touch(bar, &pose, bar, &here, 1e-3, touch);
  assert_int_equal(n, 1);
  assert_near(touch[0].gap, -1e-4, 1e-12);
  assert_near3(touch[0].normal, V3(0, 0, 1), 1e-9);
  pk_geometry_destroy(bar);
}

static void meshes_rest_on_height_fields(void **state)
{
  (void)state;
  const double level[36] = {0};
  pk_geometry *field =
      make(&(pk_geometry_desc){.kind = PK_SHAPE_HEIGHTS, .nx = 6, .ny = 6, .cell = 0.3, .heights = level});
  pk_geometry *cube = make_mesh(mesh_box(0.25, 0.25, 0.25, 0, 0, 0), PK_SHAPE_MESH);
  const pk_pose here = pk_pose_identity();
  for (int k = 0; k < 3; k++) {
    const double gap = (k - 1) * 1e-3;
    const pk_pose pose = at(0.7, 0.8, 0.25 + gap);
    pk_touch_point touch[PK_TOUCH_MOST];
    const int n = pki_surface_touch(cube, &pose, field, &here, 2e-3, touch);
    assert_int_equal(n, 4);
    for (int i = 0; i < n; i++) {
      assert_near(touch[i].gap, gap, 1e-12);
      assert_near3(touch[i].normal, V3(0, 0, 1), 1e-9);
    }
    pk_proximity near;
    assert_true(pki_surface_distance(field, &here, cube, &pose, INFINITY, &near));
    assert_near(near.distance, gap, 1e-12);
  }
  pk_proximity near;
  const pk_pose far = at(0.7, 0.8, 5);
  assert_true(pki_surface_distance(cube, &far, field, &here, INFINITY, &near));
  assert_near(near.distance, 4.75, 1e-12);
  assert_false(pki_surface_distance(cube, &far, field, &here, 4, &near));
  pk_geometry_destroy(field);
  pk_geometry_destroy(cube);
}

static void the_sides_of_a_height_field_are_walls(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(23);
  double z[36];
  for (int i = 0; i < 36; i++) {
    z[i] = 0.05 * pki_random_unit(&rng);
  }
  pk_geometry *field =
      make(&(pk_geometry_desc){.kind = PK_SHAPE_HEIGHTS, .nx = 6, .ny = 6, .cell = 0.3, .heights = z});
  pk_geometry *box = make_shape(PK_SHAPE_BOX, 0.4, 0.4, 0.4),
              *cube = make_mesh(mesh_box(0.2, 0.2, 0.2, 0, 0, 0), PK_SHAPE_MESH);
  const pk_pose here = pk_pose_identity();
  for (int round = 0; round < 400; round++) {
    const pk_geometry *g = round % 2 ? box : cube;
    const int side = round / 2 % 4;
    const double n[4][3] = {{0, -1, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}};
    const double gap = pki_random_between(&rng, -5e-3, 5e-3), along = pki_random_between(&rng, 0.3, 1.2);
    pk_pose pose = at(along, along, pki_random_between(&rng, -3, -0.3));
    pose.pos[side % 2 ? 0 : 1] = side == 1 || side == 2 ? 1.7 + gap : -0.2 - gap;
    pk_touch_point touch[PK_TOUCH_MOST];
    pk_proximity near;
    const int count = pki_surface_touch(g, &pose, field, &here, 6e-3, touch);
    assert_int_equal(count, 4);
    for (int i = 0; i < count; i++) {
      assert_near3(touch[i].normal, n[side], 1e-9);
      assert_near(touch[i].gap, gap, 1e-12);
    }
    assert_true(pki_surface_distance(g, &pose, field, &here, INFINITY, &near));
    assert_near(near.distance, gap, 1e-9);
  }
  pk_geometry_destroy(field);
  pk_geometry_destroy(box);
  pk_geometry_destroy(cube);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_touches_a_solid_at_the_signed_distance_of_its_centre),
      cmocka_unit_test(a_shape_on_a_flat_triangulated_floor_feels_a_plane),
      cmocka_unit_test(the_names_of_a_sliding_foot_stay),
      cmocka_unit_test(shallow_overlaps_of_a_convex_mesh_are_those_of_its_hull),
      cmocka_unit_test(what_is_deep_inside_a_solid_finds_a_way_out),
      cmocka_unit_test(a_sheet_pushes_to_the_side_where_the_middle_is),
      cmocka_unit_test(a_thin_plate_pushes_back_to_where_the_box_came_from),
      cmocka_unit_test(a_box_in_a_corner_touches_floor_and_walls),
      cmocka_unit_test(a_foot_over_the_edge_of_a_block_is_pushed_up_alone),
      cmocka_unit_test(the_border_of_a_sheet_is_an_edge),
      cmocka_unit_test(what_is_near_a_surface_touches_it_at_its_distance),
      cmocka_unit_test(a_mesh_cube_on_a_mesh_cube_rests_on_its_corners),
      cmocka_unit_test(crossed_bars_touch_at_their_edges_or_corners),
      cmocka_unit_test(meshes_rest_on_height_fields),
      cmocka_unit_test(the_sides_of_a_height_field_are_walls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
