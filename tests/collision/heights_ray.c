/* Rays and triangles of height fields against brute force. */
#include "collision/help.h"

#include "collision/shapes/heights.h"
#include "support/bounds.h"
#include "support/pace.h"

enum { NX = 9, NY = 6 };

typedef struct field {
  double cell, z[NY][NX];
  pki_heights *h;
} field;

static void make(field *f, pki_random *rng, double cell, double rough)
{
  f->cell = cell;
  for (int k = 0; k < NX * NY; k++) {
    f->z[k / NX][k % NX] = pki_random_between(rng, -rough, rough);
  }
  const pk_geometry_desc desc = {
      .kind = PK_SHAPE_HEIGHTS, .nx = NX, .ny = NY, .cell = cell, .heights = &f->z[0][0]};
  assert_int_equal(pki_heights_create(&desc, &f->h, NULL), PK_OK);
}

/* ---- triangles, from the picture in heights.h ---- */

static void corners(const field *f, int index, double p[3][3], int name[3])
{
  const int i = index / 2 % (NX - 1), j = index / 2 / (NX - 1), upper = index % 2;
  const int at[3][2] = {{i, j}, {i + 1, j + upper}, {i + 1 - upper, j + 1}};
  for (int k = 0; k < 3; k++) {
    p[k][0] = at[k][0] * f->cell, p[k][1] = at[k][1] * f->cell, p[k][2] = f->z[at[k][1]][at[k][0]];
    name[k] = at[k][1] * NX + at[k][0];
  }
}

enum { TRIANGLES = 2 * (NX - 1) * (NY - 1) };

static void normal_of(const double p[3][3], double n[3])
{
  const double a[3] = {p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]};
  const double b[3] = {p[2][0] - p[0][0], p[2][1] - p[0][1], p[2][2] - p[0][2]};
  pki_cross3(a, b, n);
  const double length = sqrt(pki_dot3(n, n));
  for (int k = 0; k < 3; k++) {
    n[k] /= length;
  }
}

/* ---- rays ---- */

/* Möller and Trumbore: where a ray meets a triangle, INFINITY: it does not; `slack` widens the triangle. */
static double meet(const double p[3][3], const double o[3], const double d[3], double slack)
{
  const double a[3] = {p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]};
  const double b[3] = {p[2][0] - p[0][0], p[2][1] - p[0][1], p[2][2] - p[0][2]};
  const double s[3] = {o[0] - p[0][0], o[1] - p[0][1], o[2] - p[0][2]};
  double h[3], q[3];
  pki_cross3(d, b, h);
  const double det = pki_dot3(a, h);
  if (det == 0) {
    return INFINITY;
  }
  pki_cross3(s, a, q);
  const double u = pki_dot3(s, h) / det, v = pki_dot3(d, q) / det, t = pki_dot3(b, q) / det;
  return u >= -slack && v >= -slack && u + v <= 1 + slack && t >= 0 ? t : INFINITY;
}

/* The first of the triangles and of the sides, which are two triangles for each piece of the border, far down. */
static double brute(const field *f, const double o[3], const double d[3], double slack)
{
  double best = INFINITY;
  for (int index = 0; index < TRIANGLES; index++) {
    double p[3][3];
    int name[3];
    corners(f, index, p, name);
    best = fmin(best, meet((const double(*)[3])p, o, d, slack));
  }
  const double deep = -1e3 * f->cell;
  for (int side = 0; side < 4; side++) {
    const int along = side < 2 ? NX - 1 : NY - 1;
    for (int k = 0; k < along; k++) {
      const int fixed = side % 2 == 0 ? 0 : side < 2 ? NY - 1 : NX - 1;
      const int i0 = side < 2 ? k : fixed, j0 = side < 2 ? fixed : k;
      const int i1 = side < 2 ? k + 1 : fixed, j1 = side < 2 ? fixed : k + 1;
      const double c = f->cell, a[3] = {i0 * c, j0 * c, f->z[j0][i0]}, b[3] = {i1 * c, j1 * c, f->z[j1][i1]};
      const double one[3][3] = {{a[0], a[1], a[2]}, {b[0], b[1], b[2]}, {a[0], a[1], deep}};
      const double two[3][3] = {{a[0], a[1], deep}, {b[0], b[1], deep}, {b[0], b[1], b[2]}};
      best = fmin(best, fmin(meet(one, o, d, slack), meet(two, o, d, slack)));
    }
  }
  return best;
}

static void unit(pki_random *rng, double d[3])
{
  double length;
  do {
    for (int k = 0; k < 3; k++) {
      d[k] = pki_random_between(rng, -1, 1);
    }
    length = sqrt(pki_dot3(d, d));
  } while (length < 0.1);
  for (int k = 0; k < 3; k++) {
    d[k] /= length;
  }
}

static void check_ray(const field *f, const double o[3], const double d[3])
{
  double t = -1, n[3], distance;
  const double scale = f->cell;
  const bool hit = pki_heights_ray(f->h, o, d, INFINITY, &t, n);
  if (pki_heights_point(f->h, o, INFINITY, &distance, n) && distance < -1e-9 * scale) {
    assert_true(hit && t == 0);
    return;
  }
  if (fabs(distance) <= 1e-9 * scale) {
    return; /* on the surface: in or out by rounding */
  }
  /* a ray through an edge of the border may pass or not */
  const double wide = brute(f, o, d, 1e-7), narrow = brute(f, o, d, -1e-7);
  if (!hit) {
    assert_true(isinf(narrow));
    return;
  }
  assert_at_least(t, wide - 1e-5 * scale);
  assert_at_most(t, narrow + 1e-5 * scale);
  if (fabs(wide - narrow) < 1e-9 * scale) {
    assert_near(t, wide, 1e-8 * scale);
  }
  /* the hit lies on the surface, which looks against the ray */
  (void)pki_heights_ray(f->h, o, d, INFINITY, &t, n);
  const double there[3] = {o[0] + t * d[0], o[1] + t * d[1], o[2] + t * d[2]};
  assert_true(pki_heights_point(f->h, there, INFINITY, &distance, (double[3]){0}));
  assert_near(distance, 0, 1e-9 * scale);
  assert_near(pki_dot3(n, n), 1, 1e-12);
  assert_less(pki_dot3(n, d), 1e-7);
  /* reach decides whether it is found and nothing else */
  double again, m[3];
  assert_false(pki_heights_ray(f->h, o, d, t * (1 - 1e-9) - 1e-12 * scale, &again, m));
  assert_true(pki_heights_ray(f->h, o, d, t * (1 + 1e-9) + 1e-12 * scale, &again, m));
  assert_near(again, t, 1e-12 * scale);
}

static void rays_find_what_all_triangles_find(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(11);
  const double cells[3] = {1e-6, 0.25, 1e5}, rough[3] = {0.01, 0.5, 3};
  for (int trial = 0; trial < PACE(60, 12); trial++) {
    field f;
    const double c = cells[trial % 3];
    make(&f, &rng, c, rough[trial / 3 % 3] * c);
    for (int k = 0; k < 400; k++) {
      double o[3] = {pki_random_between(&rng, -3, NX + 2) * c, pki_random_between(&rng, -3, NY + 2) * c,
                     pki_random_between(&rng, -4, 6) * c};
      double d[3];
      unit(&rng, d);
      /* along axes, diagonals, and down too */
      if (k % 4 == 1) {
        const int axis = k / 4 % 3;
        d[axis] = 0;
        const double length = sqrt(pki_dot3(d, d));
        d[0] /= length, d[1] /= length, d[2] /= length;
      } else if (k % 4 == 2) {
        d[0] = 0, d[1] = 0, d[2] = k / 4 % 2 ? 1 : -1;
      } else if (k % 4 == 3) {
        d[0] = k / 4 % 2 ? 0.6 : -0.6, d[1] = d[0], d[2] = -sqrt(1 - 0.72);
      }
      check_ray(&f, o, d);
    }
    pki_heights_destroy(f.h);
  }
}

/* Over vertices, edges and diagonals, where cells meet, a ray that goes down finds the ground. */
static void no_ray_slips_between_cells(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(12);
  field f;
  make(&f, &rng, 0.1, 0.05);
  for (int a = 0; a <= 4 * (NX - 1); a++) {
    for (int b = 0; b <= 4 * (NY - 1); b++) {
      const double target[3] = {a * 0.1 / 4, b * 0.1 / 4, -0.2};
      for (int k = 0; k < 20; k++) {
        const double o[3] = {pki_random_between(&rng, 0, 0.8), pki_random_between(&rng, 0, 0.5), 0.3};
        double d[3] = {target[0] - o[0], target[1] - o[1], target[2] - o[2]}, t, n[3];
        const double length = sqrt(pki_dot3(d, d));
        d[0] /= length, d[1] /= length, d[2] /= length;
        assert_true(pki_heights_ray(f.h, o, d, INFINITY, &t, n));
        assert_greater(t, 0);
        assert_less(t, length);
        const double down[3] = {0, 0, -1}, over[3] = {target[0], target[1], 1};
        assert_true(pki_heights_ray(f.h, over, down, INFINITY, &t, n));
      }
    }
  }
  pki_heights_destroy(f.h);
}

static void a_ray_from_inside_is_there_at_once(void **state)
{
  (void)state;
  const double z[4] = {1, 1, 1, 1};
  pki_heights *h;
  assert_int_equal(
      pki_heights_create(&(pk_geometry_desc){.nx = 2, .ny = 2, .cell = 1, .heights = z}, &h, NULL), PK_OK);
  double t, n[3];
  assert_true(pki_heights_ray(h, V3(0.5, 0.5, 0.875), V3(0, 0, 1), 10, &t, n));
  assert_near(t, 0, 0);
  assert_near3(n, V3(0, 0, -1), 0);
  assert_true(pki_heights_ray(h, V3(-1, 0.5, -1e6), V3(1, 0, 0), 10, &t, n));
  assert_near(t, 1, 0);
  assert_near3(n, V3(-1, 0, 0), 0);
  assert_false(pki_heights_ray(h, V3(-1, 0.5, -1e6), V3(1, 0, 0), 0.5, &t, n));
  assert_false(pki_heights_ray(h, V3(0.5, 0.5, 1.5), V3(0, 0, 1), INFINITY, &t, n));
  pki_heights_destroy(h);
}

/* ---- triangles near a box ---- */

typedef struct seen {
  const field *f;
  bool met[TRIANGLES];
  int last, count, most;
} seen;

static void check_edge(const field *f, const pki_triangle *t, int k)
{
  const int a = t->vertex[k], b = t->vertex[(k + 1) % 3];
  for (int other = 0; other < TRIANGLES; other++) {
    double p[3][3], n[3];
    int name[3];
    corners(f, other, p, name);
    for (int e = 0; e < 3; e++) {
      if (name[e] == b && name[(e + 1) % 3] == a) {
        normal_of((const double(*)[3])p, n);
        assert_near3(t->neighbour[k], n, 1e-12);
        /* the neighbour's third corner over this triangle's plane */
        const double *const third = p[(e + 2) % 3];
        const double arm[3] = {third[0] - t->point[k][0], third[1] - t->point[k][1],
                               third[2] - t->point[k][2]};
        const double over = pki_dot3(arm, t->normal);
        assert_int_equal(t->edge[k], over < 0 ? PKI_EDGE_CONVEX : PKI_EDGE_CONCAVE);
        return;
      }
    }
  }
  /* a side, which looks away from the triangle */
  double middle[2] = {0, 0};
  for (int c = 0; c < 3; c++) {
    middle[0] += t->point[c][0] / 3, middle[1] += t->point[c][1] / 3;
  }
  const double out[3] = {t->point[k][0] - middle[0], t->point[k][1] - middle[1], 0};
  assert_int_equal(t->edge[k], PKI_EDGE_CONVEX);
  assert_near(t->neighbour[k][2], 0, 0);
  assert_near(pki_dot3(t->neighbour[k], t->neighbour[k]), 1, 0);
  assert_greater(pki_dot3(t->neighbour[k], out), 0);
}

static bool look(const pki_triangle *t, void *user)
{
  seen *s = user;
  double p[3][3], n[3];
  int name[3];
  assert_greater(t->index, s->last);
  assert_less(t->index, TRIANGLES);
  s->last = t->index, s->met[t->index] = true, s->count++;
  corners(s->f, t->index, p, name);
  normal_of((const double(*)[3])p, n);
  assert_near3(t->normal, n, 1e-12);
  for (int k = 0; k < 3; k++) {
    assert_near3(t->point[k], p[k], 0);
    assert_int_equal(t->vertex[k], name[k]);
    check_edge(s->f, t, k);
  }
  return s->count < s->most;
}

static void a_box_meets_the_triangles_that_reach_into_it_or_lie_over_it(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(13);
  for (int trial = 0; trial < PACE(200, 30); trial++) {
    field f;
    make(&f, &rng, 0.5, 0.4);
    pki_aabb box;
    for (int k = 0; k < 3; k++) {
      const double middle = pki_random_between(&rng, -1, k == 0 ? NX : k == 1 ? NY : 1) * 0.5;
      const double half = pki_random_between(&rng, 0, 1);
      box.min[k] = middle - half, box.max[k] = middle + half;
    }
    if (trial % 5 == 0) { /* on borders between cells */
      box.min[0] = 1, box.max[0] = 1, box.min[1] = 0.5, box.max[1] = 1.5;
    }
    seen s = {.f = &f, .last = -1, .most = TRIANGLES};
    pki_heights_triangles_near(f.h, &box, look, &s);
    for (int index = 0; index < TRIANGLES; index++) {
      double p[3][3], low[2], high[2], top = -INFINITY;
      int name[3];
      corners(&f, index, p, name);
      for (int k = 0; k < 2; k++) {
        low[k] = fmin(p[0][k], fmin(p[1][k], p[2][k])), high[k] = fmax(p[0][k], fmax(p[1][k], p[2][k]));
      }
      top = fmax(p[0][2], fmax(p[1][2], p[2][2]));
      const bool meets = low[0] <= box.max[0] && high[0] >= box.min[0] && low[1] <= box.max[1] &&
                         high[1] >= box.min[1] && top >= box.min[2];
      assert_int_equal(s.met[index], meets);
    }
    /* a visitor that has seen enough */
    if (s.count > 1) {
      seen one = {.f = &f, .last = -1, .most = 1};
      pki_heights_triangles_near(f.h, &box, look, &one);
      assert_int_equal(one.count, 1);
    }
    pki_heights_destroy(f.h);
  }
}

static bool flat(const pki_triangle *t, void *user)
{
  (void)user;
  for (int k = 0; k < 3; k++) {
    assert_true(t->edge[k] == PKI_EDGE_FLAT || t->neighbour[k][2] == 0);
  }
  return true;
}

static void a_plane_field_has_flat_edges_and_bounds_without_bottom(void **state)
{
  (void)state;
  double z[NX * NY];
  for (int k = 0; k < NX * NY; k++) {
    const int row = k / NX;
    z[k] = 0.3 * (k % NX) * 0.1 - 0.7 * row * 0.1 + 1e3;
  }
  pki_heights *h;
  const pk_geometry_desc desc = {.nx = NX, .ny = NY, .cell = 0.1, .heights = z};
  assert_int_equal(pki_heights_create(&desc, &h, NULL), PK_OK);
  pki_aabb box;
  pki_heights_bounds(h, &box);
  assert_near3(box.max, V3(0.8, 0.5, 1e3 + 0.24), 1e-12);
  assert_true(box.min[0] == 0 && box.min[1] == 0 && box.min[2] == -INFINITY);
  pki_heights_triangles_near(h, &box, flat, NULL);
  pki_heights_destroy(h);
}

static void a_field_refuses_what_it_cannot_hold(void **state)
{
  (void)state;
  const double z[4] = {0, 0, 0, 1e13};
  pki_heights *h;
  pk_error err;
  pk_geometry_desc desc = {.nx = 2, .ny = 2, .cell = 1, .heights = z};
  assert_int_equal(pki_heights_create(&desc, &h, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "heights[1][1] is 1e+13 m, expected 1e+12 m at most");
  assert_null(h);
  desc.cell = 1e12;
  assert_int_equal(pki_heights_create(&desc, &h, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(
      err.message,
      "cell is 1e+12 m and the field 2e+12 m long, expected 1e-12 m or more and 1e+12 m or less");
  desc.cell = 1, desc.nx = 1 << 30;
  assert_int_equal(pki_heights_create(&desc, &h, &err), PK_ERROR_LIMIT);
  assert_string_equal(err.message, "the field has 1073741824 x 2 heights, at most 67108864 are possible");
  desc.nx = 2, desc.heights = NULL;
  assert_int_equal(pki_heights_create(&desc, &h, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "there are no heights");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rays_find_what_all_triangles_find),
      cmocka_unit_test(no_ray_slips_between_cells),
      cmocka_unit_test(a_ray_from_inside_is_there_at_once),
      cmocka_unit_test(a_box_meets_the_triangles_that_reach_into_it_or_lie_over_it),
      cmocka_unit_test(a_plane_field_has_flat_edges_and_bounds_without_bottom),
      cmocka_unit_test(a_field_refuses_what_it_cannot_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
