/* Distances to meshes and between them against brute force over all triangles. */
#include "support/bounds.h"
#include "surfaces.h"

static double brute_convex(const pk_geometry *shape, const pk_pose *pose, const pki_trimesh *t,
                           const pk_pose *at_t)
{
  const pki_convex c = pki_convex_of(shape, pose);
  double least = INFINITY;
  for (int i = 0; i < t->ntriangle; i++) {
    double points[9];
    for (int k = 0; k < 3; k++) {
      memcpy(points + 3 * k, t->vertex + 3 * t->triangle[3 * i + k], 3 * sizeof(double));
    }
    const pki_convex triangle = pki_convex_points(points, 3, at_t);
    pk_proximity near;
    assert_true(pki_gjk_distance(&c, &triangle, INFINITY, &near));
    least = fmin(least, near.distance);
  }
  return least;
}

static double hills(double x, double y)
{
  return 0.2 * sin(3 * x) * cos(2 * y);
}

static void convex_shapes_are_as_far_from_a_mesh_as_from_its_nearest_triangle(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(11);
  const double sizes[3] = {1, 1e-6, 1e6};
  for (int size = 0; size < 3; size++) {
    const double s = sizes[size];
    pk_geometry *shape[KINDS], *surface[2];
    make_kinds(s, shape);
    surface[0] = make_mesh(mesh_torus(s, 0.4 * s, 14, 9), PK_SHAPE_MESH);
    mesh sheet = mesh_sheet(1, 8, &rng, hills);
    for (int i = 0; i < 3 * sheet.nvertex; i++) {
      sheet.vertex[i] *= s;
    }
    surface[1] = make_mesh(sheet, PK_SHAPE_MESH);
    for (int round = 0; round < PACE(280, 30); round++) {
      const pk_geometry *a = shape[round % KINDS], *b = surface[round / KINDS % 2];
      const pk_pose pa = random_pose(&rng, 2 * s), pb = random_pose(&rng, s);
      pk_proximity near, back;
      const bool ok = pki_surface_distance(a, &pa, b, &pb, INFINITY, &near);
      assert_true(ok);
      check_proximity(&near, s);
      assert_true(pki_surface_distance(b, &pb, a, &pa, INFINITY, &back));
      assert_near(back.distance, near.distance, 0);
      assert_near(back.normal[0], -near.normal[0], 0);
      const double brute = brute_convex(a, &pa, b->mesh, &pb);
      if (near.distance > 0) {
        assert_near(near.distance, brute, 1e-9 * s);
        assert_true(pki_surface_distance(a, &pa, b, &pb, 1.001 * near.distance, &back));
        assert_false(pki_surface_distance(a, &pa, b, &pb, 0.999 * near.distance, &back));
      } else if (brute > 0) {
        assert_true(b->mesh->closed); /* inside */
        double d, n[3], centre[3];
        for (int k = 0; k < 3; k++) {
          centre[k] = pa.pos[k] - pb.pos[k];
        }
        pki_mat3_apply_transposed(pb.rot, centre, centre);
        assert_true(pki_geometry_point(b, centre, 0, &d, n));
        assert_less(d, 0);
      }
    }
    destroy_kinds(shape);
    pk_geometry_destroy(surface[0]);
    pk_geometry_destroy(surface[1]);
  }
}

/* Segment and triangle without GJK: the distance to a convex set is convex along a line. */
static void capsules_agree_with_a_search_along_their_axis(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(12);
  pk_geometry *capsule = make_shape(PK_SHAPE_CAPSULE, 0.1, 0.7, 0);
  pk_geometry *torus = make_mesh(mesh_torus(1, 0.4, 14, 9), PK_SHAPE_MESH);
  const pki_trimesh *t = torus->mesh;
  const pk_pose here = pk_pose_identity();
  for (int round = 0; round < PACE(300, 20); round++) {
    const pk_pose pose = random_pose(&rng, 2);
    double least = INFINITY;
    for (int i = 0; i < t->ntriangle; i++) {
      const int *v = t->triangle + 3 * i;
      double low = -0.35, high = 0.35, d[2] = {0, 0};
      for (int step = 0; step < 80; step++) {
        for (int side = 0; side < 2; side++) {
          const double z = side ? high - (high - low) / 3 : low + (high - low) / 3;
          double p[3], x[3];
          for (int k = 0; k < 3; k++) {
            p[k] = pose.pos[k] + z * pose.rot[3 * k + 2];
          }
          (void)pki_triangle_nearest(p, t->vertex + 3 * v[0], t->vertex + 3 * v[1], t->vertex + 3 * v[2],
                                     t->normal + 3 * i, x);
          const double r[3] = {p[0] - x[0], p[1] - x[1], p[2] - x[2]};
          d[side] = sqrt(pki_dot3(r, r));
        }
        if (d[0] < d[1]) {
          high -= (high - low) / 3;
        } else {
          low += (high - low) / 3;
        }
      }
      least = fmin(least, fmin(d[0], d[1]));
    }
    pk_proximity near;
    assert_true(pki_surface_distance(capsule, &pose, torus, &here, INFINITY, &near));
    if (near.distance > 0) {
      assert_near(near.distance, least - 0.1, 1e-7);
    }
  }
  pk_geometry_destroy(capsule);
  pk_geometry_destroy(torus);
}

/* Two triangles: corners against faces, edges against edges, 0 where an edge pierces. */
static double segments(const double *p, const double *q, const double *r, const double *s)
{
  double least = INFINITY;
  /* coarse to fine over both parameters; convex */
  double c[2] = {0.5, 0.5}, h = 0.5;
  for (int step = 0; step < 60; step++) {
    double best[2] = {c[0], c[1]};
    for (int i = -2; i <= 2; i++) {
      for (int j = -2; j <= 2; j++) {
        const double u = fmin(fmax(c[0] + i * h / 2, 0), 1), v = fmin(fmax(c[1] + j * h / 2, 0), 1);
        double d = 0;
        for (int k = 0; k < 3; k++) {
          const double x = p[k] + u * (q[k] - p[k]) - r[k] - v * (s[k] - r[k]);
          d += x * x;
        }
        if (sqrt(d) < least) {
          least = sqrt(d), best[0] = u, best[1] = v;
        }
      }
    }
    c[0] = best[0], c[1] = best[1];
    h *= 0.7;
  }
  return least;
}

static bool pierces(const double *p, const double *q, const double *const t[3])
{
  double e[3], f[3], d[3], h[3], s[3], g[3];
  for (int k = 0; k < 3; k++) {
    e[k] = t[1][k] - t[0][k], f[k] = t[2][k] - t[0][k], d[k] = q[k] - p[k], s[k] = p[k] - t[0][k];
  }
  pki_cross3(d, f, h);
  pki_cross3(s, e, g);
  const double det = pki_dot3(e, h), u = pki_dot3(s, h) / det, v = pki_dot3(d, g) / det,
               w = pki_dot3(f, g) / det;
  return u >= 0 && v >= 0 && u + v <= 1 && w >= 0 && w <= 1;
}

static double brute_triangles(const double a[3][3], const double b[3][3])
{
  double least = INFINITY;
  const double *const ta[3] = {a[0], a[1], a[2]}, *const tb[3] = {b[0], b[1], b[2]};
  for (int i = 0; i < 3; i++) {
    double na[3], nb[3], u[3], v[3], x[3];
    for (int side = 0; side < 2; side++) {
      const double(*t)[3] = side ? b : a;
      for (int k = 0; k < 3; k++) {
        u[k] = t[1][k] - t[0][k], v[k] = t[2][k] - t[0][k];
      }
      pki_cross3(u, v, side ? nb : na);
    }
    for (int k = 0; k < 3; k++) {
      x[k] = 0;
    }
    const double la = sqrt(pki_dot3(na, na)), lb = sqrt(pki_dot3(nb, nb));
    for (int k = 0; k < 3; k++) {
      na[k] /= la, nb[k] /= lb;
    }
    (void)pki_triangle_nearest(a[i], b[0], b[1], b[2], nb, x);
    double d = 0, e = 0;
    for (int k = 0; k < 3; k++) {
      d += (a[i][k] - x[k]) * (a[i][k] - x[k]);
    }
    (void)pki_triangle_nearest(b[i], a[0], a[1], a[2], na, x);
    for (int k = 0; k < 3; k++) {
      e += (b[i][k] - x[k]) * (b[i][k] - x[k]);
    }
    least = fmin(least, sqrt(fmin(d, e)));
    for (int j = 0; j < 3; j++) {
      least = fmin(least, segments(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
    }
    if (pierces(a[i], a[(i + 1) % 3], tb) || pierces(b[i], b[(i + 1) % 3], ta)) {
      return 0;
    }
  }
  return least;
}

static void meshes_are_as_far_from_each_other_as_their_nearest_triangles(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(13);
  pk_geometry *a = make_mesh(mesh_torus(1, 0.4, 5, 3), PK_SHAPE_MESH);
  pk_geometry *b = make_mesh(mesh_box(0.3, 0.4, 0.5, 0, 0, 0), PK_SHAPE_MESH);
  int apart = 0;
  for (int round = 0; round < PACE(60, 6); round++) {
    const pk_pose pa = random_pose(&rng, 1.5), pb = random_pose(&rng, 1.5);
    double least = INFINITY;
    for (int i = 0; i < a->mesh->ntriangle; i++) {
      for (int j = 0; j < b->mesh->ntriangle; j++) {
        double ta[3][3], tb[3][3];
        for (int k = 0; k < 3; k++) {
          pki_mat3_apply(pa.rot, a->mesh->vertex + 3 * a->mesh->triangle[3 * i + k], ta[k]);
          pki_mat3_apply(pb.rot, b->mesh->vertex + 3 * b->mesh->triangle[3 * j + k], tb[k]);
          for (int c = 0; c < 3; c++) {
            ta[k][c] += pa.pos[c], tb[k][c] += pb.pos[c];
          }
        }
        least = fmin(least, brute_triangles(ta, tb));
      }
    }
    pk_proximity near, back;
    assert_true(pki_surface_distance(a, &pa, b, &pb, INFINITY, &near));
    check_proximity(&near, 1);
    assert_true(pki_surface_distance(b, &pb, a, &pa, INFINITY, &back));
    if (least > 0 && near.distance > 0) {
      assert_near(near.distance, least, 1e-6);
      assert_near(back.distance, near.distance, 1e-12);
      apart++;
    } else {
      assert_at_most(near.distance, 0);
    }
    if (least == 0) {
      assert_less(near.distance, 0);
      assert_less(back.distance, 0);
    }
  }
  assert_greater(apart, PACE(20, 1));
  pk_geometry_destroy(a);
  pk_geometry_destroy(b);
}

static void a_convex_mesh_is_as_far_and_as_deep_as_its_hull(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(17);
  pk_geometry *shape[KINDS], *ball = make_mesh(mesh_ball(0.5, 9, 6), PK_SHAPE_MESH);
  pk_geometry *hull = make_mesh(mesh_ball(0.5, 9, 6), PK_SHAPE_CONVEX);
  make_kinds(1, shape);
  assert_true(ball->mesh->convex);
  int deep = 0;
  for (int round = 0; round < PACE(280, 30); round++) {
    const pk_geometry *a = shape[round % KINDS];
    const pk_pose pa = random_pose(&rng, 0.4), pb = random_pose(&rng, 0.4);
    pk_proximity near, other;
    assert_true(pk_geometry_distance(a, &pa, ball, &pb, INFINITY, &near));
    assert_true(pk_geometry_distance(a, &pa, hull, &pb, INFINITY, &other));
    check_proximity(&near, 1);
    assert_near(near.distance, other.distance, 1e-11);
    deep += near.distance < 0;
  }
  assert_greater(deep, PACE(50, 5));
  destroy_kinds(shape);
  pk_geometry_destroy(ball);
  pk_geometry_destroy(hull);
}

static void dents_holes_and_second_parts_are_not_convex(void **state)
{
  (void)state;
  mesh dented = mesh_ball(0.5, 9, 6), open = mesh_ball(0.5, 9, 6);
  for (int k = 0; k < 3; k++) {
    dented.vertex[3 * 20 + k] *= 1 - 1e-3;
  }
  open.ntriangle--;
  pk_geometry *all[] = {
      make_mesh(dented, PK_SHAPE_MESH), make_mesh(open, PK_SHAPE_MESH),
      make_mesh(mesh_torus(1, 0.4, 14, 9), PK_SHAPE_MESH),
      make_mesh(mesh_join(mesh_box(1, 1, 1, 0, 0, 0), mesh_box(1, 1, 1, 3, 0, 0)), PK_SHAPE_MESH),
      make_mesh(mesh_box(1, 2, 3, 0, 0, 0), PK_SHAPE_MESH)};
  for (int i = 0; i < 5; i++) {
    assert_int_equal(all[i]->mesh->convex, i == 4);
    pk_geometry_destroy(all[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(convex_shapes_are_as_far_from_a_mesh_as_from_its_nearest_triangle),
      cmocka_unit_test(capsules_agree_with_a_search_along_their_axis),
      cmocka_unit_test(meshes_are_as_far_from_each_other_as_their_nearest_triangles),
      cmocka_unit_test(a_convex_mesh_is_as_far_and_as_deep_as_its_hull),
      cmocka_unit_test(dents_holes_and_second_parts_are_not_convex),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
