/* Rays, against marching by the signed distance of a point. */
#include "collision/shapes.h"

#include "support/bounds.h"
#include "support/pace.h"

/* The first place where the distance is below `skin`, step by step; -1: none within reach. */
static double march(const pk_geometry *g, const double from[3], const double along[3], double reach,
                    double skin)
{
  double t = 0;
  for (int i = 0; i < 100000 && t <= reach; i++) {
    const double p[3] = {from[0] + t * along[0], from[1] + t * along[1], from[2] + t * along[2]};
    double d, n[3];
    assert_true(pki_geometry_point(g, p, INFINITY, &d, n));
    if (d <= skin) {
      return t;
    }
    t += d;
  }
  return -1;
}

/* A random ray towards a shape, from near, far and inside. */
static void random_ray(pki_random *rng, const pk_geometry *g, int i, double from[3], double along[3])
{
  double target[3];
  random_direction(rng, from);
  const double far = i % 3 == 0 ? 10 : i % 3 == 1 ? 2 : 0.3;
  for (int k = 0; k < 3; k++) {
    from[k] = g->centre[k] + from[k] * far * g->bound;
    target[k] = pki_random_between(rng, g->box.min[k], g->box.max[k]);
    along[k] = target[k] - from[k];
  }
  if (i % 8 == 0) { /* along an axis */
    const int axis = (int)(pki_random_bits(rng) % 3);
    for (int k = 0; k < 3; k++) {
      along[k] = k == axis ? along[k] : 0;
      from[k] = k == axis ? from[k] : target[k];
    }
  }
  const double length = sqrt(pki_dot3(along, along));
  for (int k = 0; k < 3; k++) {
    along[k] /= length;
  }
}

static void rays_meet_what_marching_meets(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(1);
  int hits = 0, misses = 0, inside = 0;
  for (int round = 0; round < PACE(700, 140); round++) {
    pk_geometry *g = random_shape(&rng, CONVEX_KINDS[round % CONVEX_KIND_COUNT]);
    for (int i = 0; i < 40; i++) {
      double from[3], along[3], t, n[3], d, m[3], p[3];
      random_ray(&rng, g, i, from, along);
      const double skin = 1e-9, expected = march(g, from, along, 30 * g->bound, skin);
      const bool found = pki_geometry_ray_local(g, from, along, INFINITY, &t, n);
      if (found && t == 0) {
        pki_geometry_point(g, from, INFINITY, &d, m);
        assert_at_most(d, 0);
        assert_near3(n, V3(-along[0], -along[1], -along[2]), 0);
        inside++;
        continue;
      }
      if (!found) { /* a graze may come near */
        assert_true(expected < 0 || march(g, from, along, 30 * g->bound, -1e-9) < 0);
        misses++;
        continue;
      }
      hits++;
      for (int k = 0; k < 3; k++) {
        p[k] = from[k] + t * along[k];
      }
      pki_geometry_point(g, p, INFINITY, &d, m);
      assert_near(d, 0, 1e-13 * 30);
      assert_near(pki_dot3(n, n), 1, 1e-14);
      assert_at_most(pki_dot3(n, along), 1e-9);
      /* the first place: marching comes to a skin before it */
      assert_at_least(expected, 0);
      assert_at_most(expected, t + 1e-9);
      assert_at_most((t - expected) * fabs(pki_dot3(n, along)), 1e-4);
      double s = 0, q[3];
      assert_true(pki_geometry_point(g, V3(p[0] + 1e-7 * n[0], p[1] + 1e-7 * n[1], p[2] + 1e-7 * n[2]),
                                     INFINITY, &s, q));
      assert_near(s, 1e-7, 2e-11);
    }
    pk_geometry_destroy(g);
  }
  assert_greater(hits, 1000);
  assert_greater(misses, 100);
  assert_greater(inside, 100);
}

static void reach_and_far_starts(void **state)
{
  (void)state;
  pk_geometry *g = shape(PK_SHAPE_SPHERE, 1e-3, 0, 0);
  double t, n[3];
  assert_true(pki_geometry_ray_local(g, V3(-1e6, 0, 0), V3(1, 0, 0), INFINITY, &t, n));
  assert_near(t, 1e6 - 1e-3, 1e-9);
  assert_near3(n, V3(-1, 0, 0), 1e-9);
  assert_false(pki_geometry_ray_local(g, V3(-1, 0, 0), V3(1, 0, 0), 0.9, &t, n));
  assert_false(pki_geometry_ray_local(g, V3(-1, 0, 0), V3(-1, 0, 0), INFINITY, &t, n));
  assert_false(pki_geometry_ray_local(g, V3(-1, 0, 2e-3), V3(1, 0, 0), INFINITY, &t, n));
  assert_false(pki_geometry_ray_local(g, V3(NAN, 0, 0), V3(1, 0, 0), INFINITY, &t, n));
  pk_geometry_destroy(g);
}

/* Rays through rims, tips, edges and corners do not slip through to the other side. */
static void no_ray_slips_through_a_seam(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(2);
  for (int round = 0; round < PACE(20000, 3000); round++) {
    pk_geometry *g = random_shape(&rng, CONVEX_KINDS[1 + round % 3]);
    if (round % 4 == 0) {
      pk_geometry_destroy(g);
      g = random_shape(&rng, PK_SHAPE_CONE);
    }
    const double a = pki_random_between(&rng, 0, 7), tip = g->kind == PK_SHAPE_CONE && round % 8 == 0;
    const double seam[3] = {g->kind == PK_SHAPE_BOX ? g->half[0]
                            : tip                   ? 0
                                                    : g->radius * cos(a),
                            g->kind == PK_SHAPE_BOX ? g->half[1]
                            : tip                   ? 0
                                                    : g->radius * sin(a),
                            g->kind == PK_SHAPE_BOX    ? 0.1 * g->half[2]
                            : g->kind == PK_SHAPE_CONE ? (tip ? g->half_length : -g->half_length)
                                                       : g->half_length};
    /* through the seam to a place inside */
    const double in[3] = {0, 0, -0.3 * (g->half_length + g->half[2])};
    double from[3], along[3], t, n[3];
    for (int k = 0; k < 3; k++) {
      along[k] = in[k] - seam[k];
      from[k] = seam[k] - 3 * along[k];
    }
    const double length = sqrt(pki_dot3(along, along));
    for (int k = 0; k < 3; k++) {
      along[k] /= length;
    }
    assert_true(pki_geometry_ray_local(g, from, along, INFINITY, &t, n));
    assert_near(t, 3 * length, 1e-9);
    pk_geometry_destroy(g);
  }
}

static void thin_and_large_shapes_are_met(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  static const pk_shape_kind kinds[] = {PK_SHAPE_ELLIPSOID, PK_SHAPE_CYLINDER, PK_SHAPE_CONE, PK_SHAPE_BOX,
                                        PK_SHAPE_CAPSULE};
  for (int round = 0; round < 5000; round++) {
    const double size = pow(10, pki_random_between(&rng, -5, 6)),
                 thin = size * pow(10, pki_random_between(&rng, -4, 0));
    pk_geometry *g = shape(kinds[round % 5], round % 2 ? thin : size, round % 2 ? size : thin, size);
    double from[3], along[3], t, n[3], d, m[3];
    random_direction(&rng, from);
    for (int k = 0; k < 3; k++) {
      from[k] *= 3 * g->bound, along[k] = -from[k] / (3 * g->bound); /* to the middle */
    }
    assert_true(pki_geometry_ray_local(g, from, along, INFINITY, &t, n));
    const double p[3] = {from[0] + t * along[0], from[1] + t * along[1], from[2] + t * along[2]};
    assert_true(pki_geometry_point(g, p, INFINITY, &d, m));
    assert_near(d, 0, 1e-12 * g->bound);
    pk_geometry_destroy(g);
  }
}

static void a_ray_of_the_world_meets_a_shape_at_its_pose(void **state)
{
  (void)state;
  pk_geometry *g = shape(PK_SHAPE_BOX, 2, 4, 6), *plane = shape(PK_SHAPE_PLANE, 0, 0, 0);
  const pk_pose pose = {.pos = {10, 0, 0}, .rot = {0, -1, 0, 1, 0, 0, 0, 0, 1}}; /* a quarter turn about z */
  pk_ray_hit hit;
  assert_true(pk_geometry_ray(g, &pose, V3(0, 0.5, 0), V3(7, 0, 0), 100, &hit));
  assert_near(hit.distance, 8, 1e-14);
  assert_near3(hit.normal, V3(-1, 0, 0), 1e-14);
  assert_int_equal(hit.shape, -1);
  assert_int_equal(hit.link, -1);
  assert_int_equal(hit.solid, -1);
  assert_false(pk_geometry_ray(g, &pose, V3(0, 1.5, 0), V3(7, 0, 0), 100, &hit));
  assert_false(pk_geometry_ray(g, &pose, V3(0, 0, 0), V3(0, 0, 0), 100, &hit));
  assert_false(pk_geometry_ray(g, &pose, V3(0, 0, 0), V3(NAN, 0, 0), 100, &hit));
  assert_true(pk_geometry_ray(g, &pose, V3(10, 0, 0), V3(0, 0, 3), 100, &hit));
  assert_near(hit.distance, 0, 0);
  assert_near3(hit.normal, V3(0, 0, -1), 1e-15);
  assert_true(pk_geometry_ray(plane, &pose, V3(0, 0, 2), V3(1, 0, -1), 100, &hit));
  assert_near(hit.distance, sqrt(8), 1e-14);
  assert_near3(hit.normal, V3(0, 0, 1), 0);
  assert_false(pk_geometry_ray(plane, &pose, V3(0, 0, 2), V3(1, 0, 1), 100, &hit));
  assert_true(pk_geometry_ray(plane, &pose, V3(0, 0, -2), V3(1, 0, 0), 100, &hit));
  assert_near(hit.distance, 0, 0);
  pk_geometry_destroy(g), pk_geometry_destroy(plane);
}

/* Meshes: closed ones as solids, sheets from both sides. */
static void meshes_are_met_as_their_hulls_are(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(4);
  pk_geometry *box = shape(PK_SHAPE_BOX, 1, 2, 3);
  int triangle[36];
  for (int f = 0; f < 6; f++) {
    const int *l = box->hull->loop + 4 * f, two[6] = {l[0], l[1], l[2], l[0], l[2], l[3]};
    memcpy(triangle + 6 * f, two, sizeof two);
  }
  const pk_mesh m = {
      .name = "box", .nvertex = 8, .ntriangle = 12, .vertex = box->hull->vertex, .triangle = triangle};
  pk_geometry *mesh = made(&(pk_geometry_desc){.kind = PK_SHAPE_MESH, .mesh = &m});
  for (int i = 0; i < 2000; i++) {
    double from[3], along[3], t, s, n[3], o[3];
    random_ray(&rng, box, i, from, along);
    const bool one = pki_geometry_ray_local(box, from, along, 20, &t, n);
    assert_int_equal(one, pki_geometry_ray_local(mesh, from, along, 20, &s, o));
    if (one) {
      assert_near(s, t, 1e-12);
      assert_near3(o, n, 1e-12);
    }
  }
  const pk_mesh one = {
      .name = "sheet", .nvertex = 8, .ntriangle = 1, .vertex = m.vertex, .triangle = (const int[3]){4, 5, 7}};
  pk_geometry *sheet = made(&(pk_geometry_desc){.kind = PK_SHAPE_MESH, .mesh = &one});
  double t, n[3];
  assert_true(pki_geometry_ray_local(sheet, V3(0.1, 0, 2), V3(0, 0, -1), 20, &t, n));
  assert_near3(n, V3(0, 0, 1), 0);
  assert_true(pki_geometry_ray_local(sheet, V3(0.1, 0, 0), V3(0, 0, 1), 20, &t, n));
  assert_near(t, 1.5, 1e-15);
  assert_near3(n, V3(0, 0, -1), 0);
  pk_geometry_destroy(box), pk_geometry_destroy(mesh), pk_geometry_destroy(sheet);
}

static void heights_are_met(void **state)
{
  (void)state;
  const double z[4] = {1, 1, 1, 1};
  pk_geometry *g =
      made(&(pk_geometry_desc){.kind = PK_SHAPE_HEIGHTS, .nx = 2, .ny = 2, .cell = 4, .heights = z});
  double t, n[3];
  assert_true(pki_geometry_ray_local(g, V3(1, 2, 3), V3(0, 0, -1), 20, &t, n));
  assert_near(t, 2, 1e-15);
  assert_near3(n, V3(0, 0, 1), 1e-15);
  assert_true(pki_geometry_ray_local(g, V3(1, 2, 0), V3(1, 0, 0), 20, &t, n));
  assert_near(t, 0, 0);
  assert_near3(n, V3(-1, 0, 0), 0);
  pk_geometry_destroy(g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rays_meet_what_marching_meets),
      cmocka_unit_test(reach_and_far_starts),
      cmocka_unit_test(no_ray_slips_through_a_seam),
      cmocka_unit_test(thin_and_large_shapes_are_met),
      cmocka_unit_test(a_ray_of_the_world_meets_a_shape_at_its_pose),
      cmocka_unit_test(meshes_are_met_as_their_hulls_are),
      cmocka_unit_test(heights_are_met),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
