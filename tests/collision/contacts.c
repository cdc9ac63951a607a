/* The features of a model, and where they meet the ground. */
#include "collision/help.h"

#include "collision/contacts.h"
#include "collision/terrain.h"
#include "dynamics/workspace.h"
#include "support/allocations.h"

/* ---- models ---- */

enum { MOST = 64 };

static void add_body(pk_builder *b, const char *name, pk_root_kind root, const pk_shape_desc *shapes,
                     int nshape)
{
  pk_robot_desc robot = pk_robot_desc_default();
  robot.name = name, robot.prefix = name, robot.root = root;
  const pk_link_desc link = {.name = "l", .inertia = {.mass = 1, .moment = {1, 0, 0, 1, 0, 1}}};
  assert_int_equal(pk_builder_add_robot(b, &robot, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &link, NULL), PK_OK);
  for (int i = 0; i < nshape; i++) {
    pk_shape_desc shape = shapes[i];
    shape.link = "l";
    pk_error err;
    if (pk_builder_add_shape(b, &shape, &err) != PK_OK) {
      fail_msg("%s", err.message);
    }
  }
}

static pk_model *compile(pk_builder *b)
{
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return m;
}

/* A free body with these shapes. */
static pk_model *free_body(const pk_shape_desc *shapes, int nshape)
{
  pk_builder *b = pk_builder_create();
  add_body(b, "r", PK_ROOT_FREE, shapes, nshape);
  return compile(b);
}

static pk_shape_desc shape_of(pk_shape_kind kind, double a, double b, double c)
{
  return (pk_shape_desc){.kind = kind, .pose = pk_pose_identity(), .size = {a, b, c}};
}

/* ---- features ---- */

/* Exactly one feature is at this place, with this radius. */
static void expect_feature(const pki_feature *features, int n, const double centre[3], double radius)
{
  int found = 0;
  for (int i = 0; i < n; i++) {
    const double d[3] = {features[i].centre[0] - centre[0], features[i].centre[1] - centre[1],
                         features[i].centre[2] - centre[2]};
    found += pki_dot3(d, d) < 1e-24 && features[i].radius == radius;
  }
  if (found != 1) {
    fail_msg("%d features at (%g, %g, %g)", found, centre[0], centre[1], centre[2]);
  }
}

static int features_of(const pk_model *m, pki_feature *out)
{
  const int n = pki_features_count(m);
  assert_in_range(n, 0, MOST);
  pki_features_fill(m, out);
  return n;
}

static void every_shape_kind_has_its_features(void **state)
{
  (void)state;
  const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                             {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
  const int triangle[1][3] = {{0, 1, 2}};
  const pk_mesh mesh = {
      .name = "cube", .nvertex = 8, .ntriangle = 1, .vertex = cube[0], .triangle = triangle[0]};
  pk_shape_desc shapes[6] = {
      shape_of(PK_SHAPE_SPHERE, 0.1, 0, 0),   shape_of(PK_SHAPE_CAPSULE, 0.2, 1, 0),
      shape_of(PK_SHAPE_BOX, 2, 4, 6),        shape_of(PK_SHAPE_SPHERE, 0.3, 0, 0),
      shape_of(PK_SHAPE_CYLINDER, 0.5, 3, 0), shape_of(PK_SHAPE_MESH, 1, 1, 1),
  };
  /* turned so that z becomes x, and moved */
  const pk_pose turned = {.pos = {10, 0, 0}, .rot = {0, 0, 1, 0, 1, 0, -1, 0, 0}};
  shapes[1].pose = shapes[2].pose = shapes[4].pose = shapes[5].pose = turned;
  shapes[3].visual = true;
  shapes[5].mesh = &mesh;
  pk_builder *b = pk_builder_create();
  add_body(b, "fixed", PK_ROOT_FIXED, shapes, 2); /* does not move: no features */
  add_body(b, "free", PK_ROOT_FREE, shapes, 6);
  pk_model *m = compile(b);
  pki_feature f[MOST];
  assert_int_equal(features_of(m, f), 1 + 2 + 8 + 12 + 8);

  expect_feature(f, 1, V3(0, 0, 0), 0.1);
  expect_feature(f + 1, 2, V3(9.5, 0, 0), 0.2);
  expect_feature(f + 1, 2, V3(10.5, 0, 0), 0.2);
  for (int c = 0; c < 8; c++) {
    expect_feature(f + 3, 8, V3(c & 1 ? 13 : 7, c & 2 ? 2 : -2, c & 4 ? 1 : -1), 0);
    expect_feature(f + 23, 8, V3(c & 1 ? 11 : 10, c & 2 ? 1 : 0, c & 4 ? -1 : 0), 0);
  }
  for (int k = 0; k < 6; k++) {
    const double a = k * acos(-1) / 3;
    expect_feature(f + 11, 12, V3(8.5, 0.5 * sin(a), -0.5 * cos(a)), 0);
    expect_feature(f + 11, 12, V3(11.5, 0.5 * sin(a), -0.5 * cos(a)), 0);
  }
  for (int i = 0; i < 31; i++) {
    assert_int_equal(f[i].body, 0);
    assert_true(!m->shapes[f[i].shape].visual && m->shapes[f[i].shape].body == 0);
    assert_true(i == 0 || f[i].shape >= f[i - 1].shape);
  }
  pk_model_destroy(m);
}

static void a_capsule_without_length_is_one_ball(void **state)
{
  (void)state;
  const pk_shape_desc shape = shape_of(PK_SHAPE_CAPSULE, 0.2, 0, 0);
  pk_model *m = free_body(&shape, 1);
  pki_feature f[MOST];
  assert_int_equal(features_of(m, f), 1);
  expect_feature(f, 1, V3(0, 0, 0), 0.2);
  pk_model_destroy(m);
}

static void a_large_mesh_has_few_features_each_once(void **state)
{
  (void)state;
  enum { N = 1000 };
  static double vertex[N][3];
  pki_random rng = pki_random_seeded(4);
  for (int i = 0; i < N; i++) {
    const double x[3] = {pki_random_normal(&rng), pki_random_normal(&rng), pki_random_normal(&rng)};
    /* on a ball; every other vertex inside of it */
    const double scale = (i % 2 ? 0.5 : 1) / sqrt(pki_dot3(x, x));
    for (int k = 0; k < 3; k++) {
      vertex[i][k] = scale * x[k];
    }
  }
  const int triangle[3] = {0, 1, 2};
  const pk_mesh mesh = {.name = "m", .nvertex = N, .ntriangle = 1, .vertex = vertex[0], .triangle = triangle};
  pk_shape_desc shape = shape_of(PK_SHAPE_MESH, 1, 1, 1);
  shape.mesh = &mesh;
  pk_model *m = free_body(&shape, 1);
  pki_feature f[MOST];
  const int n = features_of(m, f);
  assert_in_range(n, 20, 26);
  for (int i = 0; i < n; i++) {
    assert_near(pki_dot3(f[i].centre, f[i].centre), 1, 1e-14);
    expect_feature(f, n, f[i].centre, 0);
  }
  pk_model_destroy(m);
}

/* ---- contacts ---- */

typedef struct rig {
  pk_model *model;
  pk_workspace *work;
  pk_terrain *terrain;
  pki_feature features[MOST];
  pki_feature_group groups[MOST];
  int nfeature, ngroup;
} rig;

static rig rig_of(pk_model *m)
{
  rig r = {.model = m, .work = pk_workspace_create(m), .terrain = pk_terrain_create()};
  r.nfeature = features_of(m, r.features);
  r.ngroup = pki_features_group(r.features, r.nfeature, r.groups);
  return r;
}

static rig rig_with(pk_shape_desc shape)
{
  return rig_of(free_body(&shape, 1));
}

static void rig_free(rig *r)
{
  pk_terrain_destroy(r->terrain);
  pk_workspace_destroy(r->work);
  pk_model_destroy(r->model);
}

/* Contacts with the body's origin at a place, its axes along the world's. */
static int find_at(const rig *r, const double place[3], double margin, pki_contact *out)
{
  const double q[7] = {place[0], place[1], place[2], 1, 0, 0, 0};
  bool overflow = true;
  pk_kinematics_compute(r->work, q, NULL);
  const int n = pki_contacts_find(&r->work->work, 0, r->features, r->groups, r->ngroup, r->terrain, margin,
                                  out, MOST, &overflow);
  assert_false(overflow);
  return n;
}

static void expect_frame(const pki_contact *c)
{
  double cross[3];
  pki_cross3(c->normal, c->tangent1, cross);
  assert_near3(cross, c->tangent2, 1e-15);
  assert_near(pki_dot3(c->normal, c->normal), 1, 1e-15);
  assert_near(pki_dot3(c->tangent1, c->tangent1), 1, 1e-15);
  assert_near(pki_dot3(c->normal, c->tangent1), 0, 1e-15);
}

static void expect_contact(const pki_contact *c, double gap, const double point[3], const double normal[3],
                           double tolerance)
{
  assert_near(c->gap, gap, tolerance);
  assert_near3(c->point, point, tolerance);
  assert_near3(c->normal, normal, tolerance);
  expect_frame(c);
}

static void a_ball_over_a_plane_has_its_gap(void **state)
{
  (void)state;
  rig r = rig_with(shape_of(PK_SHAPE_SPHERE, 0.25, 0, 0));
  assert_int_equal(pk_terrain_add_plane(r.terrain, V3(0, 0, 0), V3(0, 0, 1), 7, NULL), PK_OK);
  pki_contact c[MOST];
  assert_int_equal(find_at(&r, V3(3, 4, 0.375), 0.125, c), 1);
  expect_contact(&c[0], 0.125, V3(3, 4, 0.125), V3(0, 0, 1), 0);
  assert_near3(c[0].tangent1, V3(1, 0, 0), 0);
  assert_near3(c[0].tangent2, V3(0, 1, 0), 0);
  assert_int_equal(c[0].material, 7);
  assert_int_equal(c[0].id, 0);
  assert_int_equal(c[0].body, 0);
  assert_int_equal(find_at(&r, V3(3, 4, 0.376), 0.125, c), 0);
  assert_int_equal(find_at(&r, V3(3, 4, 0.125), 0, c), 1);
  expect_contact(&c[0], -0.125, V3(3, 4, -0.125), V3(0, 0, 1), 0);
  /* the centre below the ground */
  assert_int_equal(find_at(&r, V3(3, 4, -0.5), 0, c), 1);
  expect_contact(&c[0], -0.75, V3(3, 4, -0.75), V3(0, 0, 1), 0);
  rig_free(&r);
}

static void a_turned_box_touches_a_slope_with_its_corners(void **state)
{
  (void)state;
  const double a = 0.3, n[3] = {-sin(a), 0, cos(a)};
  rig r = rig_with(shape_of(PK_SHAPE_BOX, 0.4, 0.2, 0.1));
  assert_int_equal(pk_terrain_add_plane(r.terrain, V3(0, 0, 0), n, 0, NULL), PK_OK);
  /* its axes along the slope, its lower face 1 mm over it */
  const double lift = 0.051, q[7] = {lift * n[0], 0, lift * n[2], cos(a / 2), 0, -sin(a / 2), 0};
  pki_contact c[MOST];
  bool overflow;
  pk_kinematics_compute(r.work, q, NULL);
  const int count = pki_contacts_find(&r.work->work, 0, r.features, r.groups, r.ngroup, r.terrain, 0.002, c,
                                      MOST, &overflow);
  assert_int_equal(count, 4);
  for (int i = 0; i < 4; i++) {
    const double x = i & 1 ? 0.2 : -0.2, y = i & 2 ? 0.1 : -0.1;
    assert_int_equal(c[i].id, i); /* the four lower corners come first */
    expect_contact(&c[i], 0.001, V3(x * cos(a) + 0.001 * n[0], y, x * sin(a) + 0.001 * n[2]), n, 1e-15);
  }
  rig_free(&r);
}

static void a_ball_in_the_corner_of_a_step_has_two_contacts(void **state)
{
  (void)state;
  rig r = rig_with(shape_of(PK_SHAPE_SPHERE, 0.03125, 0, 0));
  assert_int_equal(pk_terrain_add_plane(r.terrain, V3(0, 0, 0), V3(0, 0, 1), 0, NULL), PK_OK);
  assert_int_equal(pk_terrain_add_stairs(r.terrain, V3(1, 0, 0), 0.25, 0.0625, 2, 4, 1, NULL), PK_OK);
  pki_contact c[MOST];
  for (int step = 0; step < 4; step++) {
    /* on the tread before riser `step`; the first tread is the plane */
    const double riser = 1 + 0.25 * step, tread = 0.0625 * step;
    const double x = riser - 0.03125 - 0.0009765625, z = tread + 0.03125 - 0.000244140625;
    assert_int_equal(find_at(&r, V3(x, 0.5, z), 0.005, c), 2);
    expect_contact(&c[0], -0.000244140625, V3(x, 0.5, z - 0.03125), V3(0, 0, 1), 0);
    expect_contact(&c[1], 0.0009765625, V3(x + 0.03125, 0.5, z), V3(-1, 0, 0), 0);
    assert_int_equal(c[0].geom[1] - r.model->nshape, step);
    assert_int_equal(c[1].geom[1] - r.model->nshape, step + 1);
    /* away from the riser only the tread */
    assert_int_equal(find_at(&r, V3(riser - 0.1, 0.5, z), 0.005, c), 1);
    assert_int_equal(c[0].geom[1] - r.model->nshape, step);
  }
  rig_free(&r);
}

/* A corner of a robot in a corner of the ground, touching or a little inside either. */
static void a_point_in_the_corner_of_a_step_has_two_contacts(void **state)
{
  (void)state;
  rig r = rig_with(shape_of(PK_SHAPE_SPHERE, 0.25, 0, 0));
  r.features[0].radius = 0;
  assert_int_equal(pk_terrain_add_plane(r.terrain, V3(0, 0, 0), V3(0, 0, 1), 0, NULL), PK_OK);
  assert_int_equal(pk_terrain_add_stairs(r.terrain, V3(1, 0, 0), 0.25, 0.0625, 2, 4, 1, NULL), PK_OK);
  const double gaps[] = {1e-3, 1e-6, 1e-9, 1e-15, 0, -1e-15, -1e-9, -1e-6, -1e-3};
  pki_contact c[MOST];
  for (int step = 0; step < 4; step++) {
    for (int i = 0; i < 81; i++) {
      const double gx = gaps[i / 9], gz = gaps[i % 9];
      const double place[3] = {1 + 0.25 * step - gx, 0.1, 0.0625 * step + gz};
      assert_int_equal(find_at(&r, place, 2e-3, c), 2);
      const int up = c[0].normal[2] == 1 ? 0 : 1;
      expect_contact(&c[up], gz, place, V3(0, 0, 1), 1e-15);
      expect_contact(&c[1 - up], gx, place, V3(-1, 0, 0), 1e-15);
    }
  }
  rig_free(&r);
}

static void a_valley_of_two_planes_holds_a_point_on_both_sides(void **state)
{
  (void)state;
  rig r = rig_with(shape_of(PK_SHAPE_SPHERE, 0.25, 0, 0));
  const double a = 0.1;
  assert_int_equal(pk_terrain_add_plane(r.terrain, V3(0, 0, 0), V3(-sin(a), 0, cos(a)), 0, NULL), PK_OK);
  assert_int_equal(pk_terrain_add_plane(r.terrain, V3(0, 0, 0), V3(sin(a), 0, cos(a)), 0, NULL), PK_OK);
  pki_contact c[MOST];
  for (int point = 0; point < 2; point++) {
    r.features[0].radius = point ? 0 : 0.25;
    assert_int_equal(find_at(&r, V3(1e-4, 0, r.features[0].radius / cos(a) + 1e-5), 1e-3, c), 2);
    assert_int_equal(find_at(&r, V3(0, 0, r.features[0].radius / cos(a) - 1e-5), 1e-3, c), 2);
  }
  rig_free(&r);
}

static void joints_between_solids_cannot_be_felt(void **state)
{
  (void)state;
  rig r = rig_with(shape_of(PK_SHAPE_SPHERE, 0.02, 0, 0));
  /* a plane, a box let into it, two boxes side by side on top of each other's level, a flush height field */
  pk_pose pose = pk_pose_identity();
  const double z[4] = {0, 0, 0, 0};
  pose.pos[2] = -0.5;
  assert_int_equal(pk_terrain_add_box(r.terrain, &pose, V3(2, 2, 1), 0, NULL), PK_OK);
  pose.pos[0] = 2;
  assert_int_equal(pk_terrain_add_box(r.terrain, &pose, V3(2, 2, 1), 0, NULL), PK_OK);
  assert_int_equal(pk_terrain_add_heights(r.terrain, V3(3, -1, 0), 2, 2, 2, z, 0, NULL), PK_OK);
  pki_contact c[MOST];
  for (int point = 0; point < 2; point++) {
    const double radius = r.features[0].radius = point ? 0 : 0.02;
    for (double x = -0.9; x < 4.9; x += 0.000977) {
      assert_int_equal(find_at(&r, V3(x, 0, radius + 1e-4), 0.005, c), 1);
      assert_near(c[0].gap, 1e-4, 1e-14);
      assert_near3(c[0].normal, V3(0, 0, 1), 0);
    }
    /* to the bit above the joints */
    assert_int_equal(find_at(&r, V3(1, 0, radius), 0.005, c), 1);
    assert_int_equal(find_at(&r, V3(3, 0, radius), 0.005, c), 1);
  }
  rig_free(&r);
}

static void surfaces_that_coincide_are_one_contact(void **state)
{
  (void)state;
  rig r = rig_with(shape_of(PK_SHAPE_SPHERE, 0.25, 0, 0));
  pk_pose pose = pk_pose_identity();
  pose.pos[2] = -1;
  assert_int_equal(pk_terrain_add_plane(r.terrain, V3(0, 0, 0), V3(0, 0, 1), 0, NULL), PK_OK);
  assert_int_equal(pk_terrain_add_plane(r.terrain, V3(0, 0, 0), V3(0, 0, 1), 0, NULL), PK_OK);
  assert_int_equal(pk_terrain_add_plane(r.terrain, V3(0, 0, 0), V3(1e-5, 0, 1), 0, NULL), PK_OK);
  assert_int_equal(pk_terrain_add_plane(r.terrain, V3(0, 0, -0.002), V3(0, 0, 1), 0, NULL), PK_OK);
  assert_int_equal(pk_terrain_add_box(r.terrain, &pose, V3(2, 2, 2), 0, NULL), PK_OK);
  pki_contact c[MOST];
  for (int point = 0; point < 2; point++) {
    r.features[0].radius = point ? 0 : 0.25;
    for (int k = -2; k <= 2; k++) {
      assert_int_equal(find_at(&r, V3(0, 0, r.features[0].radius + 1e-3 * k), 0.01, c), 1);
    }
  }
  rig_free(&r);
}

static void a_ball_over_a_height_field_has_its_gap(void **state)
{
  (void)state;
  enum { N = 9 };
  double z[N][N];
  for (int j = 0; j < N; j++) {
    for (int i = 0; i < N; i++) {
      z[j][i] = 0.1 * i * 0.5; /* slope 0.1 along x */
    }
  }
  rig r = rig_with(shape_of(PK_SHAPE_SPHERE, 0.125, 0, 0));
  assert_int_equal(pk_terrain_add_heights(r.terrain, V3(0, 0, 0), N, N, 0.5, z[0], 2, NULL), PK_OK);
  const double length = hypot(1, 0.1), n[3] = {-0.1 / length, 0, 1 / length};
  pki_contact c[MOST];
  for (double x = 0.5; x < 3.5; x += 0.125) {
    const double gap = 0.001, lift = 0.125 + gap;
    const double place[3] = {x + lift * n[0], 1.5, 0.1 * x + lift * n[2]};
    assert_int_equal(find_at(&r, place, 0.002, c), 1);
    expect_contact(&c[0], gap, V3(x + gap * n[0], 1.5, 0.1 * x + gap * n[2]), n, 1e-15);
    assert_int_equal(c[0].material, 2);
  }
  rig_free(&r);
}

/* Among many solids: the first is what a query finds, the rest follow in order, none twice. */
static void solids_near_a_point_come_in_order(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(7);
  int several = 0;
  for (int trial = 0; trial < 200; trial++) {
    pk_terrain *t = pk_terrain_create();
    for (int i = 0; i < 12; i++) {
      const pk_pose pose = random_pose(&rng, 0.7);
      assert_int_equal(pk_terrain_add_box(t, &pose, V3(0.5, 0.4, 0.3), i, NULL), PK_OK);
    }
    const double p[3] = {pki_random_between(&rng, -1, 1), pki_random_between(&rng, -1, 1),
                         pki_random_between(&rng, -1, 1)};
    const double reach = 0.4;
    pki_near near[PKI_NEAR_MOST];
    const int n = pki_terrain_near(t, p, reach, near);
    const pk_terrain_hit hit = pk_terrain_query(t, p, reach);
    assert_true((n > 0) == (hit.distance <= reach));
    for (int i = 0; i < n; i++) {
      assert_near(near[0].hit.distance, hit.distance, 0);
      assert_int_equal(near[i].hit.material, near[i].solid);
      assert_true(near[i].hit.distance <= reach);
      assert_true(i == 0 || near[i].hit.distance >= near[i - 1].hit.distance);
      several += i == 1;
    }
    pk_terrain_destroy(t);
  }
  assert_true(several > 50);
}

static void too_many_contacts_are_told(void **state)
{
  (void)state;
  rig r = rig_with(shape_of(PK_SHAPE_BOX, 1, 1, 1));
  assert_int_equal(pk_terrain_add_plane(r.terrain, V3(0, 0, 0), V3(0, 0, 1), 0, NULL), PK_OK);
  pki_contact c[5];
  bool overflow = true;
  const double q[7] = {0, 0, 0.5, 1, 0, 0, 0};
  memset(c, 0xa5, sizeof c);
  const pki_contact untouched = c[4];
  pk_kinematics_compute(r.work, q, NULL);
  const pki_work *w = &r.work->work;
  assert_int_equal(pki_contacts_find(w, 0, r.features, r.groups, r.ngroup, r.terrain, 0, c, 4, &overflow), 4);
  assert_false(overflow);
  assert_int_equal(pki_contacts_find(w, 0, r.features, r.groups, r.ngroup, r.terrain, 0, c, 3, &overflow), 3);
  assert_true(overflow);
  assert_int_equal(pki_contacts_find(w, 0, r.features, r.groups, r.ngroup, r.terrain, 0, c, 0, &overflow), 0);
  assert_true(overflow);
  assert_memory_equal(&c[4], &untouched, sizeof untouched);
  rig_free(&r);
}

static void each_lane_has_its_own_contacts(void **state)
{
  (void)state;
  enum { LANES = 4 };
  rig r = rig_with(shape_of(PK_SHAPE_BOX, 0.4, 0.2, 0.1));
  assert_int_equal(pk_terrain_add_plane(r.terrain, V3(0, 0, 0), V3(0, 0, 1), 0, NULL), PK_OK);
  const pki_kernels *k = pki_kernels_get(LANES);
  pki_work w;
  pki_arena count = pki_arena_over(NULL, 0);
  pki_work_carve(&w, r.model, LANES, &count);
  void *memory = pki_aligned_alloc(count.used);
  pki_arena arena = pki_arena_over(memory, count.used);
  pki_work_carve(&w, r.model, LANES, &arena);
  pki_random rng = pki_random_seeded(5);
  double q[LANES][7];
  _Alignas(64) double all[7 * LANES];
  for (int l = 0; l < LANES; l++) {
    q[l][0] = l, q[l][1] = -l, q[l][2] = 0.1;
    pki_random_quaternion(&rng, q[l] + 3);
    for (int e = 0; e < 7; e++) {
      all[e * LANES + l] = q[l][e];
    }
  }
  k->kinematics(&w, all);
  for (int l = 0; l < LANES; l++) {
    pki_contact one[MOST], lane[MOST];
    bool overflow;
    pk_kinematics_compute(r.work, q[l], NULL);
    const int n = pki_contacts_find(&r.work->work, 0, r.features, r.groups, r.ngroup, r.terrain, 0.1, one,
                                    MOST, &overflow);
    assert_true(n > 0);
    assert_int_equal(
        pki_contacts_find(&w, l, r.features, r.groups, r.ngroup, r.terrain, 0.1, lane, MOST, &overflow), n);
    for (int i = 0; i < n; i++) {
      assert_int_equal(lane[i].id, one[i].id);
      assert_near(lane[i].gap, one[i].gap, 1e-15);
      assert_near3(lane[i].point, one[i].point, 1e-15);
    }
  }
  pki_aligned_free(memory);
  rig_free(&r);
}

static void tangents_turn_smoothly_with_the_normal(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(6);
  for (int trial = 0; trial < 2000; trial++) {
    double q[4], R[9], turn[9];
    pki_contact c, next;
    pki_random_quaternion(&rng, q);
    pki_quat_to_mat3(q, R);
    for (int k = 0; k < 3; k++) {
      c.normal[k] = R[3 * k];
    }
    if (trial % 4 == 0) { /* walls: z is zero up to rounding, of either sign */
      const double length = hypot(c.normal[0], c.normal[1]);
      c.normal[0] /= length, c.normal[1] /= length;
      c.normal[2] = trial % 8 ? 1e-17 : -1e-17;
    }
    pki_tangents(c.normal, c.tangent1, c.tangent2);
    assert_near(pki_dot3(c.tangent1, c.tangent2), 0, 1e-14);
    assert_near(pki_dot3(c.tangent1, c.normal), 0, 1e-14);
    assert_near(pki_dot3(c.tangent2, c.normal), 0, 1e-14);
    assert_near(pki_dot3(c.tangent1, c.tangent1), 1, 1e-14);
    pki_cross3(c.normal, c.tangent1, turn);
    assert_near3(turn, c.tangent2, 1e-14);
    if (c.normal[2] < -0.89) {
      continue;
    }
    /* a small turn of the normal is a small turn of the tangents: 1 / (1 + z) bounds the rate */
    const double v[4] = {1, 1e-7 * pki_random_normal(&rng), 1e-7 * pki_random_normal(&rng), 0};
    pki_quat_to_mat3(v, turn);
    pki_mat3_apply(turn, c.normal, next.normal);
    pki_tangents(next.normal, next.tangent1, next.tangent2);
    assert_near3(next.tangent1, c.tangent1, 2e-5);
    assert_near3(next.tangent2, c.tangent2, 2e-5);
  }
}

static void finding_contacts_allocates_nothing(void **state)
{
  (void)state;
  double z[16] = {0};
  assert_true(allocations > 0); /* the counter counts */
  rig r = rig_with(shape_of(PK_SHAPE_BOX, 0.5, 0.5, 0.5));
  assert_int_equal(pk_terrain_add_stairs(r.terrain, V3(0, 0, 0), 0.25, 0.0625, 2, 4, 1, NULL), PK_OK);
  assert_int_equal(pk_terrain_add_heights(r.terrain, V3(-1, -1, 0), 4, 4, 0.5, z, 2, NULL), PK_OK);
  pki_contact c[MOST];
  allocations = 0;
  assert_true(find_at(&r, V3(0, 0, 0.25), 0.01, c) > 0);
  assert_int_equal(allocations, 0);
  rig_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_shape_kind_has_its_features),
      cmocka_unit_test(a_capsule_without_length_is_one_ball),
      cmocka_unit_test(a_large_mesh_has_few_features_each_once),
      cmocka_unit_test(a_ball_over_a_plane_has_its_gap),
      cmocka_unit_test(a_turned_box_touches_a_slope_with_its_corners),
      cmocka_unit_test(a_ball_in_the_corner_of_a_step_has_two_contacts),
      cmocka_unit_test(a_point_in_the_corner_of_a_step_has_two_contacts),
      cmocka_unit_test(a_valley_of_two_planes_holds_a_point_on_both_sides),
      cmocka_unit_test(joints_between_solids_cannot_be_felt),
      cmocka_unit_test(surfaces_that_coincide_are_one_contact),
      cmocka_unit_test(a_ball_over_a_height_field_has_its_gap),
      cmocka_unit_test(solids_near_a_point_come_in_order),
      cmocka_unit_test(too_many_contacts_are_told),
      cmocka_unit_test(each_lane_has_its_own_contacts),
      cmocka_unit_test(tangents_turn_smoothly_with_the_normal),
      cmocka_unit_test(finding_contacts_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
