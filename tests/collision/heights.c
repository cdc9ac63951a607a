/* Height fields against dense sampling and against what can be written down. */
#include "collision/help.h"
#include "support/bounds.h"

enum { NX = 7, NY = 5, FINE = 40 };
static const double CELL = 0.25;

typedef struct field {
  double origin[3];
  double z[NY][NX];
} field;

static field random_field(pki_random *rng, double rough)
{
  field f;
  for (int k = 0; k < 3; k++) {
    f.origin[k] = pki_random_between(rng, -1, 1);
  }
  for (int j = 0; j < NY; j++) {
    for (int i = 0; i < NX; i++) {
      f.z[j][i] = pki_random_between(rng, -rough, rough);
    }
  }
  return f;
}

static pk_terrain *terrain_of(const field *f)
{
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  assert_int_equal(pk_terrain_add_heights(t, f->origin, NX, NY, CELL, &f->z[0][0], 5, NULL), PK_OK);
  return t;
}

/* The height over (x, y) in cells, cut along the diagonals from (i, j) to (i+1, j+1). */
static double height_over(const field *f, double x, double y)
{
  const int i = (int)fmin(floor(x), NX - 2), j = (int)fmin(floor(y), NY - 2);
  const double u = x - i, v = y - j;
  const double z00 = f->z[j][i], z10 = f->z[j][i + 1], z01 = f->z[j + 1][i], z11 = f->z[j + 1][i + 1];
  return u >= v ? (1 - u) * z00 + (u - v) * z10 + v * z11 : (1 - v) * z00 + (v - u) * z01 + u * z11;
}

static double squared(double x, double y, double z)
{
  return x * x + y * y + z * z;
}

/* Distance from p (m from the origin) to samples of the surface and of the sides. */
static double distance_by_sampling(const field *f, const double p[3])
{
  double best = INFINITY;
  for (int a = 0; a <= (NX - 1) * FINE; a++) {
    for (int b = 0; b <= (NY - 1) * FINE; b++) {
      const double x = (double)a / FINE, y = (double)b / FINE, z = height_over(f, x, y);
      const bool border = a == 0 || b == 0 || a == (NX - 1) * FINE || b == (NY - 1) * FINE;
      const double dz = border && p[2] < z ? 0 : z - p[2];
      best = fmin(best, squared(x * CELL - p[0], y * CELL - p[1], dz));
    }
  }
  return sqrt(best);
}

static void a_rough_field_agrees_with_dense_sampling(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(2);
  const double rough[3] = {0.02, 0.2, 0.6};
  for (int trial = 0; trial < 300; trial++) {
    const field f = random_field(&rng, rough[trial % 3]);
    pk_terrain *t = terrain_of(&f);
    double x[3], p[3];
    x[0] = pki_random_between(&rng, -0.3, (NX - 1) * CELL + 0.3);
    x[1] = pki_random_between(&rng, -0.3, (NY - 1) * CELL + 0.3);
    x[2] = pki_random_between(&rng, -0.7, 0.9);
    for (int k = 0; k < 3; k++) {
      p[k] = f.origin[k] + x[k], x[k] = p[k] - f.origin[k];
    }
    const pk_terrain_hit hit = pk_terrain_query(t, p, 100);
    const bool over = x[0] >= 0 && x[1] >= 0 && x[0] <= (NX - 1) * CELL && x[1] <= (NY - 1) * CELL;
    const bool inside = over && x[2] < height_over(&f, x[0] / CELL, x[1] / CELL);
    const double sampled = distance_by_sampling(&f, x);
    assert_true((hit.distance < 0) == inside);
    assert_int_equal(hit.material, 5);
    /* steepest slope sqrt(2) * 2 * rough / cell; half a diagonal of the fine grid */
    const double slope = sqrt(2) * 2 * rough[trial % 3] / CELL;
    const double spacing = sqrt(0.5) * CELL / FINE * hypot(1, slope);
    assert_at_most(fabs(hit.distance), sampled + 1e-11);
    assert_at_most(sampled, fabs(hit.distance) + spacing);
    check_distance(t, p, 1e-11);
    pk_terrain_destroy(t);
  }
}

static void reach_changes_nothing_but_whether_it_is_found(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  for (int trial = 0; trial < 2000; trial++) {
    const field f = random_field(&rng, 0.2);
    pk_terrain *t = terrain_of(&f);
    const double p[3] = {f.origin[0] + pki_random_between(&rng, -0.5, 2),
                         f.origin[1] + pki_random_between(&rng, -0.5, 1.5),
                         f.origin[2] + pki_random_between(&rng, -1, 1)};
    const pk_terrain_hit hit = pk_terrain_query(t, p, INFINITY);
    const double reach = pki_random_between(&rng, 0, 0.6);
    const pk_terrain_hit near = pk_terrain_query(t, p, reach);
    if (hit.distance > reach) {
      assert_no_hit(near);
    } else {
      assert_near(near.distance, hit.distance, 0);
      assert_near3(near.normal, hit.normal, 0);
    }
    pk_terrain_destroy(t);
  }
}

/* A field of one plane z = c + a x + b y. */
static field flat_field(double a, double b, double c)
{
  field f = {.origin = {0, 0, 0}};
  for (int j = 0; j < NY; j++) {
    for (int i = 0; i < NX; i++) {
      f.z[j][i] = c + a * i * CELL + b * j * CELL;
    }
  }
  return f;
}

/* Over every vertex, every edge, every diagonal, at any height, to the bit. */
static void a_flat_field_has_no_edges(void **state)
{
  (void)state;
  const field f = flat_field(0, 0, 0.125);
  pk_terrain *t = terrain_of(&f);
  const double heights[] = {0.5, 1e-3, 1e-9, 1e-12, 1e-16, 0, -1e-16, -1e-12, -1e-9, -1e-3};
  for (size_t h = 0; h < sizeof heights / sizeof *heights; h++) {
    for (int a = 1; a < 4 * (NX - 1); a++) {
      for (int b = 1; b < 4 * (NY - 1); b++) {
        const double z = 0.125 + heights[h];
        expect_hit(t, V3(a * CELL / 4, b * CELL / 4, z), z - 0.125, V3(0, 0, 1), 0);
        expect_hit(t, V3(nextafter(a * CELL / 4, a), b * CELL / 4, z), z - 0.125, V3(0, 0, 1), 0);
      }
    }
  }
  pk_terrain_destroy(t);
}

static void a_sloping_field_has_no_edges_either(void **state)
{
  (void)state;
  const double a = 0.3, b = -0.17, length = sqrt(1 + a * a + b * b);
  field f = flat_field(a, b, 0.1);
  f.origin[0] = 100.3, f.origin[1] = -7.77, f.origin[2] = 3.3;
  pk_terrain *t = terrain_of(&f);
  const double n[3] = {-a / length, -b / length, 1 / length};
  const double heights[] = {0.2, 1e-3, 1e-6, 1e-9, 1e-12, 0, -1e-12, -1e-9, -1e-6, -1e-3};
  for (size_t h = 0; h < sizeof heights / sizeof *heights; h++) {
    for (int i = 4; i < 4 * (NX - 2); i++) {
      for (int j = 4; j < 4 * (NY - 2); j++) {
        /* over a point of the surface: vertices, edges and diagonals among them */
        const double x = i * CELL / 4, y = j * CELL / 4, z = 0.1 + a * x + b * y;
        const double p[3] = {f.origin[0] + x + heights[h] * n[0], f.origin[1] + y + heights[h] * n[1],
                             f.origin[2] + z + heights[h] * n[2]};
        expect_hit(t, p, heights[h], n, 5e-14);
      }
    }
  }
  pk_terrain_destroy(t);
}

static void a_ridge_and_a_valley_have_their_normals(void **state)
{
  (void)state;
  field f = flat_field(0, 0, 0);
  for (int j = 0; j < NY; j++) {
    f.z[j][3] = CELL; /* a roof of 45 degrees along y over x = 3 cells */
  }
  pk_terrain *t = terrain_of(&f);
  const double r = sqrt(0.5), x = 3 * CELL, y = 2.3 * CELL;
  expect_hit(t, V3(x, y, CELL + 0.1), 0.1, V3(0, 0, 1), 1e-15);
  expect_hit(t, V3(x - 0.1, y, CELL), 0.1 * r, V3(-r, 0, r), 1e-15);
  expect_hit(t, V3(x + 0.03, y, CELL + 0.04), 0.05, V3(0.6, 0, 0.8), 1e-14);
  /* exactly on the ridge, some normal of the two slopes, the same each time */
  const pk_terrain_hit on = pk_terrain_query(t, V3(x, y, CELL), 1);
  assert_near(on.distance, 0, 0);
  assert_near(on.normal[2], r, 1e-15);
  /* inside, below the foot of the roof: the edge between floor and slope is the nearest */
  expect_hit(t, V3(2 * CELL + 0.03, y, -0.1), -hypot(0.03, 0.1),
             V3(-0.03 / hypot(0.03, 0.1), 0, 0.1 / hypot(0.03, 0.1)), 1e-15);
  pk_terrain_destroy(t);
}

/* A few roundings away from vertices and edges, where directions say nothing, normals are still those
 * of the surface: slopes up to 2.3 have normals with z over 0.4. */
static void normals_at_edges_and_corners_are_never_noise(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(8);
  for (int trial = 0; trial < 200; trial++) {
    const field f = random_field(&rng, 0.2);
    pk_terrain *t = terrain_of(&f);
    for (int k = 0; k < 100; k++) {
      const int i = 1 + k % (NX - 2), j = 1 + k / 10 % (NY - 2);
      const double along = k % 3 ? pki_random_unit(&rng) : 0;
      const double z = f.z[j][i] + along * (f.z[j][i + 1] - f.z[j][i]);
      const double noise = 1e-15, p[3] = {f.origin[0] + (i + along) * CELL + noise * pki_random_normal(&rng),
                                          f.origin[1] + j * CELL + noise * pki_random_normal(&rng),
                                          f.origin[2] + z + noise * pki_random_normal(&rng)};
      const pk_terrain_hit hit = pk_terrain_query(t, p, 1);
      assert_near(hit.distance, 0, 1e-10 * CELL);
      assert_greater(hit.normal[2], 0.4);
    }
    pk_terrain_destroy(t);
  }
}

static void the_sides_of_a_field_are_walls_without_bottom(void **state)
{
  (void)state;
  const field f = flat_field(0, 0, 0);
  pk_terrain *t = terrain_of(&f);
  const double right = (NX - 1) * CELL, back = (NY - 1) * CELL, r = sqrt(0.5);
  expect_hit(t, V3(-0.5, 0.5, -20), 0.5, V3(-1, 0, 0), 0);
  expect_hit(t, V3(right + 0.25, back + 0.25, -20), 0.25 / r, V3(r, r, 0), 1e-15);
  expect_hit(t, V3(right + 0.25, 0.5, 0.25), 0.25 / r, V3(r, 0, r), 1e-15);
  expect_hit(t, V3(0.5, back - 0.0625, -20), -0.0625, V3(0, 1, 0), 0);
  expect_hit(t, V3(0.0625, 0.5, -20), -0.0625, V3(-1, 0, 0), 0);
  /* on the border, at the surface: the top */
  expect_hit(t, V3(0, 0.5, 0), 0, V3(0, 0, 1), 0);
  expect_hit(t, V3(right, back, 0), 0, V3(0, 0, 1), 0);
  pk_terrain_destroy(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rough_field_agrees_with_dense_sampling),
      cmocka_unit_test(reach_changes_nothing_but_whether_it_is_found),
      cmocka_unit_test(a_flat_field_has_no_edges),
      cmocka_unit_test(a_sloping_field_has_no_edges_either),
      cmocka_unit_test(a_ridge_and_a_valley_have_their_normals),
      cmocka_unit_test(normals_at_edges_and_corners_are_never_noise),
      cmocka_unit_test(the_sides_of_a_field_are_walls_without_bottom),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
