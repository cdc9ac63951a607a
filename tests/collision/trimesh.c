/* Meshes made ready: what is refused, what is mended, and what their tree answers against brute force. */
#include "help.h"

#include "collision/shapes/trimesh.h"
#include "meshes.h"
#include "support/bounds.h"
#include "support/pace.h"

static pki_trimesh *ready(const mesh *m)
{
  pki_trimesh *t = NULL;
  pk_error err = {PK_OK, 0, "", "", ""};
  const pk_mesh view = mesh_view(m);
  if (pki_trimesh_create(&view, &t, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return t;
}

static pki_trimesh *ready_free(mesh m)
{
  pki_trimesh *t = ready(&m);
  mesh_free(&m);
  return t;
}

static void expect_status(const mesh *m, pk_status status, const char *part)
{
  pki_trimesh *t = (pki_trimesh *)1;
  pk_error err = {PK_OK, 0, "", "", ""};
  const pk_mesh view = mesh_view(m);
  assert_int_equal(pki_trimesh_create(&view, &t, &err), status);
  assert_null(t);
  if (strstr(err.message, part) == NULL) {
    fail_msg("'%s' does not say '%s'", err.message, part);
  }
}

static void expect_error(const mesh *m, const char *part)
{
  expect_status(m, PK_ERROR_MESH, part);
}

static double volume_of(const pki_trimesh *t)
{
  double sum = 0, c[3];
  for (int i = 0; i < t->ntriangle; i++) {
    const int *v = t->triangle + 3 * i;
    pki_cross3(t->vertex + 3 * v[1], t->vertex + 3 * v[2], c);
    sum += pki_dot3(t->vertex + 3 * v[0], c) / 6;
  }
  return sum;
}

/* ---- errors ---- */

static void bad_meshes_are_refused_with_what_was_found(void **state)
{
  (void)state;
  mesh m = mesh_box(1, 1, 1, 0, 0, 0);
  m.vertex[7] = NAN;
  expect_error(&m, "coordinate y of vertex 2 is nan");
  m.vertex[7] = -INFINITY;
  expect_error(&m, "coordinate y of vertex 2 is -inf");
  m.vertex[7] = 1e31;
  expect_error(&m, "up to 1e+30");
  m.vertex[7] = 1;
  m.triangle[4] = 8;
  expect_error(&m, "triangle 1 names vertex 8; the vertices are 0 to 7");
  m.triangle[4] = -1;
  expect_error(&m, "triangle 1 names vertex -1");
  m.triangle[4] = 2;
  m.ntriangle = 0;
  expect_error(&m, "8 vertices and 0 triangles");
  m.ntriangle = 12, m.nvertex = 0;
  expect_error(&m, "0 vertices");
  m.nvertex = 8, m.ntriangle = 20000001;
  expect_status(&m, PK_ERROR_LIMIT, "at most 20000000");
  m.ntriangle = 12;
  for (int i = 0; i < 24; i++) {
    m.vertex[i] = i % 3 == 0 ? i : 0;
  }
  expect_error(&m, "none of the mesh's 12 triangles has an area");
  mesh_free(&m);
}

/* ---- repairs ---- */

static void a_box_has_eight_corners_twelve_triangles_and_an_inside(void **state)
{
  (void)state;
  pki_trimesh *t = ready_free(mesh_box(1, 2, 3, 5, 0, 0));
  assert_int_equal(t->nvertex, 8);
  assert_int_equal(t->ntriangle, 12);
  assert_true(t->closed);
  assert_near(t->size, 6, 0);
  int flat = 0, convex = 0;
  for (int i = 0; i < 12; i++) {
    pki_triangle one;
    pki_trimesh_triangle(t, i, &one);
    for (int k = 0; k < 3; k++) {
      flat += one.edge[k] == PKI_EDGE_FLAT, convex += one.edge[k] == PKI_EDGE_CONVEX;
    }
    /* outward */
    assert_greater(pki_dot3(one.normal, one.point[0]) - 5 * one.normal[0], 0.9);
  }
  assert_int_equal(flat, 12);
  assert_int_equal(convex, 24);
  assert_true(pki_trimesh_inside(t, V3(5, 0, 0)));
  assert_true(pki_trimesh_inside(t, V3(5.99, 1.99, -2.99)));
  assert_false(pki_trimesh_inside(t, V3(6.01, 0, 0)));
  assert_false(pki_trimesh_inside(t, V3(0, 0, 0)));
  pki_trimesh_destroy(t);
}

static void corners_at_one_place_become_one(void **state)
{
  (void)state;
  mesh box = mesh_box(1, 1, 1, 0, 0, 0), soup = mesh_room(36, 12);
  for (int i = 0; i < 36; i++) {
    memcpy(soup.vertex + 3 * i, box.vertex + 3 * box.triangle[i], 3 * sizeof(double));
    soup.triangle[i] = i;
  }
  soup.vertex[0] *= 1;
  pki_trimesh *t = ready_free(soup);
  assert_int_equal(t->nvertex, 8);
  assert_true(t->closed);
  pki_trimesh_destroy(t);
  mesh_free(&box);
}

static void triangles_without_area_and_repeated_ones_are_left_out(void **state)
{
  (void)state;
  mesh box = mesh_box(1, 1, 1, 0, 0, 0), extra = mesh_room(8, 4);
  memcpy(extra.vertex, box.vertex, 24 * sizeof(double));
  /* two corners equal; the same as another, turned on; a line; repeated again */
  const int more[12] = {0, 0, 1, 2, 1, 0, 0, 0, 0, 1, 0, 2};
  memcpy(extra.triangle, more, sizeof more);
  pki_trimesh *t = ready_free(mesh_join(box, extra));
  assert_int_equal(t->ntriangle, 12);
  assert_true(t->closed);
  pki_trimesh_destroy(t);
}

static void slivers_that_fill_joints_leave_the_mesh_closed(void **state)
{
  (void)state;
  /* the edge 0-1 of a box is cut at its middle on one side; a triangle without area fills the joint */
  mesh m = mesh_box(1, 1, 1, 0, 0, 0), more = mesh_room(9, 14);
  memcpy(more.vertex, m.vertex, 24 * sizeof(double));
  more.vertex[24] = 0, more.vertex[25] = -1, more.vertex[26] = -1;
  memcpy(more.triangle, m.triangle, 36 * sizeof(int));
  /* triangle 4 is 0 1 4: becomes 0 8 4, 8 1 4; sliver 0 1 8 */
  const int cut[3][3] = {{0, 8, 4}, {8, 1, 4}, {0, 1, 8}};
  memcpy(more.triangle + 12, cut[0], sizeof cut[0]);
  memcpy(more.triangle + 36, cut[1], 2 * sizeof cut[0]);
  mesh_free(&m);
  pki_trimesh *t = ready_free(more);
  assert_int_equal(t->ntriangle, 13);
  assert_true(t->closed);
  for (int i = 0; i < 3 * 13; i++) {
    assert_at_least(t->neighbour[i], 0);
  }
  pki_trimesh_destroy(t);
}

static void inside_out_and_mixed_up_meshes_are_turned(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(1);
  for (int round = 0; round < 20; round++) {
    mesh m = mesh_torus(1, 0.4, 12, 8);
    if (round == 0) {
      mesh_turn_all(&m);
    }
    for (int i = 0; round > 0 && i < m.ntriangle; i++) {
      if (pki_random_unit(&rng) < 0.1 * round) {
        mesh_turn(&m, i);
      }
    }
    pki_trimesh *t = ready_free(m);
    assert_true(t->closed);
    assert_greater(volume_of(t), 2);
    assert_true(pki_trimesh_inside(t, V3(1, 0, 0)));
    pki_trimesh_destroy(t);
  }
}

static void a_hollow_stays_a_hollow_and_a_second_solid_is_turned(void **state)
{
  (void)state;
  for (int turned = 0; turned < 2; turned++) {
    mesh inner = mesh_box(1, 1, 1, 0, 0, 0);
    mesh_turn_all(&inner);
    mesh m = mesh_join(mesh_box(2, 2, 2, 0, 0, 0), inner);
    if (turned) {
      mesh_turn_all(&m);
    }
    pki_trimesh *t = ready_free(m);
    assert_near(volume_of(t), 64 - 8, 1e-12);
    assert_false(pki_trimesh_inside(t, V3(0, 0, 0)));
    assert_true(pki_trimesh_inside(t, V3(1.5, 0, 0)));
    pki_trimesh_destroy(t);
  }
  mesh second = mesh_box(1, 1, 1, 5, 0, 0);
  mesh_turn_all(&second);
  pki_trimesh *t = ready_free(mesh_join(mesh_box(2, 2, 2, 0, 0, 0), second));
  assert_near(volume_of(t), 64 + 8, 1e-12);
  assert_true(pki_trimesh_inside(t, V3(5, 0, 0)));
  pki_trimesh_destroy(t);
}

static void solids_that_share_an_edge_or_overlap_keep_their_inside(void **state)
{
  (void)state;
  /* edge x = 1, y = 1 belongs to four triangles */
  pki_trimesh *t = ready_free(mesh_join(mesh_box(1, 1, 1, 0, 0, 0), mesh_box(1, 1, 1, 2, 2, 0)));
  assert_true(t->closed);
  assert_int_equal(t->nvertex, 14);
  assert_true(pki_trimesh_inside(t, V3(0, 0, 0)) && pki_trimesh_inside(t, V3(2, 2, 0)));
  assert_false(pki_trimesh_inside(t, V3(2, 0, 0)));
  int none = 0;
  for (int i = 0; i < 3 * t->ntriangle; i++) {
    none += t->neighbour[i] < 0;
  }
  assert_int_equal(none, 4);
  pki_trimesh_destroy(t);
  t = ready_free(mesh_join(mesh_box(1, 1, 1, 0, 0, 0), mesh_box(1, 1, 1, 0.5, 0.5, 0.5)));
  assert_true(t->closed && pki_trimesh_inside(t, V3(0.3, 0.3, 0.3)));
  pki_trimesh_destroy(t);
}

static void a_wall_between_solids_goes_and_a_sheet_from_both_sides_is_a_sheet(void **state)
{
  (void)state;
  /* boxes side by side share two triangles, one each way round once the diagonals agree */
  mesh m = mesh_join(mesh_box(1, 1, 1, 0, 0, 0), mesh_box(1, 1, 1, 2, 0, 0));
  const int left[2][3] = {{8, 12, 10}, {10, 12, 14}}, right[2][3] = {{1, 3, 5}, {3, 7, 5}};
  memcpy(m.triangle + 3 * (12 + 8), left, sizeof left);
  memcpy(m.triangle + 3 * 10, right, sizeof right);
  pki_trimesh *t = ready_free(m);
  assert_int_equal(t->ntriangle, 20);
  assert_true(t->closed);
  assert_near(volume_of(t), 16, 1e-12);
  pki_trimesh_destroy(t);

  mesh sheet = mesh_room(4, 4);
  const double corner[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  const int both[12] = {0, 1, 2, 0, 2, 3, 0, 2, 1, 0, 3, 2};
  memcpy(sheet.vertex, corner, sizeof corner);
  memcpy(sheet.triangle, both, sizeof both);
  t = ready_free(sheet);
  assert_int_equal(t->ntriangle, 2);
  assert_false(t->closed);
  pki_trimesh_destroy(t);
}

static void a_moebius_strip_is_open_and_harms_nobody(void **state)
{
  (void)state;
  mesh m = mesh_room(40, 40);
  for (int i = 0; i < 20; i++) {
    const double u = 6.283185307179586 * i / 20;
    for (int s = 0; s < 2; s++) {
      double *x = m.vertex + 3 * (2 * i + s);
      const double w = s ? 0.3 : -0.3, r = 1 + w * cos(u / 2);
      x[0] = r * cos(u), x[1] = r * sin(u), x[2] = w * sin(u / 2);
    }
    const int a = 2 * i, b = 2 * i + 1, c = i < 19 ? 2 * i + 2 : 1, d = i < 19 ? 2 * i + 3 : 0;
    const int cell[6] = {a, c, b, b, c, d};
    memcpy(m.triangle + 6 * i, cell, sizeof cell);
  }
  pki_trimesh *t = ready_free(m);
  assert_int_equal(t->ntriangle, 40);
  assert_false(t->closed);
  assert_false(pki_trimesh_inside(t, V3(1, 0, 0)));
  pki_trimesh_destroy(t);
}

/* ---- queries against all triangles ---- */

/* Independent of the code under test: by the seven regions (Ericson, "Real-Time Collision Detection", 2005, 5.1.5). */
static double brute_distance(const pki_trimesh *t, int i, const double p[3])
{
  const double *x[3];
  for (int k = 0; k < 3; k++) {
    x[k] = t->vertex + 3 * t->triangle[3 * i + k];
  }
  double ab[3], ac[3], ap[3], q[3];
  for (int k = 0; k < 3; k++) {
    ab[k] = x[1][k] - x[0][k], ac[k] = x[2][k] - x[0][k], ap[k] = p[k] - x[0][k];
  }
  /* the best of the face's foot by normal equations and of finely chosen ... the three sides */
  const double aa = pki_dot3(ab, ab), bb = pki_dot3(ac, ac), cc = pki_dot3(ab, ac), d = pki_dot3(ab, ap),
               e = pki_dot3(ac, ap), det = aa * bb - cc * cc;
  const double u = (bb * d - cc * e) / det, v = (aa * e - cc * d) / det;
  double least = INFINITY;
  if (u >= 0 && v >= 0 && u + v <= 1) {
    for (int k = 0; k < 3; k++) {
      q[k] = ap[k] - u * ab[k] - v * ac[k];
    }
    least = sqrt(pki_dot3(q, q));
  }
  for (int k = 0; k < 3; k++) {
    const double *a = x[k], *b = x[(k + 1) % 3];
    double s = 0, l = 0;
    for (int c = 0; c < 3; c++) {
      s += (p[c] - a[c]) * (b[c] - a[c]), l += (b[c] - a[c]) * (b[c] - a[c]);
    }
    s = fmin(fmax(s / l, 0), 1);
    for (int c = 0; c < 3; c++) {
      q[c] = p[c] - a[c] - s * (b[c] - a[c]);
    }
    least = fmin(least, sqrt(pki_dot3(q, q)));
  }
  return least;
}

/* Winding number: the sum of solid angles over 4 pi (van Oosterom and Strackee, "The solid angle of a plane triangle",
 * 1983). */
static double solid_angles(const pki_trimesh *t, const double p[3])
{
  double sum = 0;
  for (int i = 0; i < t->ntriangle; i++) {
    double r[3][3], l[3], c[3];
    for (int k = 0; k < 3; k++) {
      for (int a = 0; a < 3; a++) {
        r[k][a] = t->vertex[3 * t->triangle[3 * i + k] + a] - p[a];
      }
      l[k] = sqrt(pki_dot3(r[k], r[k]));
    }
    pki_cross3(r[1], r[2], c);
    sum += atan2(pki_dot3(r[0], c), l[0] * l[1] * l[2] + pki_dot3(r[0], r[1]) * l[2] +
                                        pki_dot3(r[1], r[2]) * l[0] + pki_dot3(r[2], r[0]) * l[1]);
  }
  return sum / 6.283185307179586;
}

static void check_queries(pki_trimesh *t, pki_random *rng, int count)
{
  for (int round = 0; round < count; round++) {
    double p[3], along[3], near[3], least = INFINITY;
    for (int k = 0; k < 3; k++) {
      const double low = t->node[0].box.min[k], high = t->node[0].box.max[k];
      p[k] = pki_random_between(rng, low - 0.2 * t->size, high + 0.2 * t->size);
      along[k] = pki_random_normal(rng);
    }
    const double length = sqrt(pki_dot3(along, along));
    for (int i = 0; i < t->ntriangle; i++) {
      least = fmin(least, brute_distance(t, i, p));
    }
    const int at = pki_trimesh_nearest(t, p, INFINITY, near);
    const double r[3] = {p[0] - near[0], p[1] - near[1], p[2] - near[2]};
    assert_near(sqrt(pki_dot3(r, r)), least, 1e-12 * t->size);
    assert_near(brute_distance(t, at, near), 0, 1e-12 * t->size);
    assert_at_least(pki_trimesh_nearest(t, p, least * 1.0001, near), 0);
    assert_less(pki_trimesh_nearest(t, p, least * 0.9999, near), 0);
    if (t->closed) {
      assert_int_equal(pki_trimesh_inside(t, p), solid_angles(t, p) > 0.5);
    }
    /* the ray ends where a nearest point is; nothing lies before it: solve each triangle by Cramer's rule */
    double first = INFINITY, found = INFINITY;
    for (int k = 0; k < 3; k++) {
      along[k] /= length;
    }
    for (int i = 0; i < t->ntriangle; i++) {
      const double *a = t->vertex + 3 * t->triangle[3 * i], *b = t->vertex + 3 * t->triangle[3 * i + 1],
                   *c = t->vertex + 3 * t->triangle[3 * i + 2];
      const double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]},
                   f[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]},
                   s[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
      double h[3], q[3];
      pki_cross3(along, f, h);
      pki_cross3(s, e, q);
      const double det = pki_dot3(e, h), u = pki_dot3(s, h) / det, v = pki_dot3(along, q) / det,
                   d = pki_dot3(f, q) / det;
      if (u >= 0 && v >= 0 && u + v <= 1 && d >= 0) {
        first = fmin(first, d);
      }
    }
    const int hit = pki_trimesh_ray(t, p, along, INFINITY, &found);
    assert_int_equal(hit >= 0, isfinite(first));
    if (hit >= 0) {
      assert_near(found, first, 1e-9 * t->size);
      double more = 0;
      assert_less(pki_trimesh_ray(t, p, along, first * 0.999, &more), 0);
    }
  }
}

static double hills(double x, double y)
{
  return 0.3 * sin(3 * x) * cos(2 * y);
}

static void nearest_points_rays_and_insides_agree_with_all_triangles(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(2);
  mesh soup = mesh_room(300, 100);
  for (int i = 0; i < 900; i++) {
    soup.vertex[i] = pki_random_unit(&rng) + (i / 9 % 3 == 0 ? 0 : soup.vertex[i >= 3 ? i - 3 : i] * 0.1);
    soup.triangle[i / 3] = i / 3;
  }
  pki_trimesh *t[] = {ready_free(mesh_torus(1, 0.4, 30, 16)),
                      ready_free(mesh_ball(2, 20, 11)),
                      ready_free(mesh_box(1e-6, 2e-6, 3e-6, 0, 0, 1e-5)),
                      ready_free(mesh_box(1e6, 2e6, 0.5e6, 1e6, 0, 0)),
                      ready_free(mesh_join(mesh_ball(1, 12, 8), mesh_torus(0.9, 0.3, 12, 8))),
                      ready_free(mesh_sheet(1, 12, &rng, hills)),
                      ready_free(soup)};
  assert_true(t[4]->closed && !t[5]->closed && !t[6]->closed);
  for (int i = 0; i < 7; i++) {
    check_queries(t[i], &rng, PACE(1000, 100));
    pki_trimesh_destroy(t[i]);
  }
}

static void rays_at_edges_and_corners_do_not_slip_through(void **state)
{
  (void)state;
  pki_trimesh *t = ready_free(mesh_box(1, 1, 1, 0, 0, 0));
  double d = 0;
  for (int k = 0; k < 8; k++) {
    const double from[3] = {0, 0, 0}, s = 1 / sqrt(3);
    assert_at_least(pki_trimesh_ray(t, from, V3(k & 1 ? s : -s, k & 2 ? s : -s, k & 4 ? s : -s), 10, &d), 0);
    assert_near(d, sqrt(3), 1e-14);
  }
  assert_at_least(pki_trimesh_ray(t, V3(0, 0, 3), V3(0, 0, -1), 10, &d),
                  0); /* along the diagonal of a side */
  assert_near(d, 2, 0);
  assert_less(pki_trimesh_ray(t, V3(0, 0, 3), V3(0, 0, -1), 1.9, &d), 0);
  assert_less(pki_trimesh_ray(t, V3(0, 0, 3), V3(0, 0, 1), 10, &d), 0);
  pki_trimesh_destroy(t);
}

static bool collect(const pki_triangle *one, void *user)
{
  int *seen = user;
  assert_less(seen[0], one->index); /* in order */
  seen[0] = one->index;
  seen[1]++;
  return true;
}

static void triangles_near_a_box_come_in_order_and_none_is_missing(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  pk_geometry g = {.kind = PK_SHAPE_MESH, .mesh = ready_free(mesh_torus(1, 0.4, 30, 16))};
  const pki_trimesh *t = g.mesh;
  for (int round = 0; round < 300; round++) {
    pki_aabb box;
    for (int k = 0; k < 3; k++) {
      const double a = pki_random_between(&rng, -1.5, 1.5), b = pki_random_between(&rng, 0, 0.8);
      box.min[k] = a - b, box.max[k] = a + b;
    }
    int seen[2] = {-1, 0}, expected = 0;
    pki_triangles_near(&g, &box, collect, seen);
    for (int i = 0; i < t->ntriangle; i++) {
      bool meets = true;
      for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int c = 0; c < 3; c++) {
          low = fmin(low, t->vertex[3 * t->triangle[3 * i + c] + k]);
          high = fmax(high, t->vertex[3 * t->triangle[3 * i + c] + k]);
        }
        meets = meets && low <= box.max[k] && high >= box.min[k];
      }
      expected += meets;
    }
    assert_int_equal(seen[1], expected);
  }
  pki_trimesh_destroy(g.mesh);
}

static void trees_of_hostile_meshes_are_not_deep(void **state)
{
  (void)state;
  /* triangles at 2^-k: each cut takes off few; and thousands at one place */
  mesh m = mesh_room(3 * 2000, 2000);
  for (int i = 0; i < 2000; i++) {
    const double s = i < 1000 ? ldexp(1, -i / 12) : 1e-3 * (1 + 1e-6 * i);
    const double x[9] = {s, 0, 0, s, s * 1e-1, 0, s, 0, s * 1e-1};
    memcpy(m.vertex + 9 * i, x, sizeof x);
    for (int k = 0; k < 3; k++) {
      m.triangle[3 * i + k] = 3 * i + k;
    }
  }
  pki_trimesh *t = ready_free(m);
  int *depth = calloc((size_t)t->nnode, sizeof *depth), leaves = 0;
  for (int i = 0; i < t->nnode; i++) {
    if (t->node[i].count == 0) {
      depth[t->node[i].first] = depth[t->node[i].first + 1] = depth[i] + 1;
    } else {
      assert_at_most(t->node[i].count, 4);
      leaves += t->node[i].count;
    }
    assert_less(depth[i], PKI_TREE_DEPTH);
  }
  assert_int_equal(leaves, t->ntriangle);
  free(depth);
  pki_trimesh_destroy(t);
}

static void big_meshes_are_made_and_asked(void **state)
{
  (void)state;
  const int n = PACE(700, 100);
  pki_trimesh *t = ready_free(mesh_torus(1, 0.4, n, n));
  assert_int_equal(t->ntriangle, 2 * n * n);
  assert_true(t->closed);
  assert_true(pki_trimesh_inside(t, V3(0, -1, 0.1)));
  double near[3];
  assert_at_least(pki_trimesh_nearest(t, V3(3, 0, 0), INFINITY, near), 0);
  assert_near3(near, V3(1.4, 0, 0), 1e-12);
  assert_less(pki_trimesh_nearest(t, V3(NAN, 0, 0), INFINITY, near), 0);
  assert_false(pki_trimesh_inside(t, V3(NAN, 0, 0)));
  pki_trimesh_destroy(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_meshes_are_refused_with_what_was_found),
      cmocka_unit_test(a_box_has_eight_corners_twelve_triangles_and_an_inside),
      cmocka_unit_test(corners_at_one_place_become_one),
      cmocka_unit_test(triangles_without_area_and_repeated_ones_are_left_out),
      cmocka_unit_test(slivers_that_fill_joints_leave_the_mesh_closed),
      cmocka_unit_test(inside_out_and_mixed_up_meshes_are_turned),
      cmocka_unit_test(a_hollow_stays_a_hollow_and_a_second_solid_is_turned),
      cmocka_unit_test(solids_that_share_an_edge_or_overlap_keep_their_inside),
      cmocka_unit_test(a_wall_between_solids_goes_and_a_sheet_from_both_sides_is_a_sheet),
      cmocka_unit_test(a_moebius_strip_is_open_and_harms_nobody),
      cmocka_unit_test(nearest_points_rays_and_insides_agree_with_all_triangles),
      cmocka_unit_test(rays_at_edges_and_corners_do_not_slip_through),
      cmocka_unit_test(triangles_near_a_box_come_in_order_and_none_is_missing),
      cmocka_unit_test(trees_of_hostile_meshes_are_not_deep),
      cmocka_unit_test(big_meshes_are_made_and_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
