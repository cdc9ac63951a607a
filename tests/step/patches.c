/* Gaps of flat faces that stand with a corner below the surface. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collision/shapes/geometry.h"
#include "step/contact.h"
#include "support/bounds.h"

static const double TOUCHING = 1e-6;

/* The corners of a sole of 0.2 m by 0.1 m with these gaps, shape `shape` on a slope. */
static void sole(pki_contact c[4], int shape, const double gap[4])
{
  for (int i = 0; i < 4; i++) {
    const double x = i & 1 ? 0.1 : -0.1, y = i & 2 ? 0.05 : -0.05;
    c[i] = (pki_contact){.geom = {shape, 9}, .id = (unsigned)i, .other = -1, .gap = gap[i]};
    memcpy(c[i].normal, (const double[3]){0.6, 0, 0.8}, sizeof c[i].normal);
    pki_tangents(c[i].normal, c[i].tangent1, c[i].tangent2);
    for (int k = 0; k < 3; k++) {
      c[i].point[k] = 3 + x * c[i].tangent1[k] + y * c[i].tangent2[k];
    }
  }
}

static void expect_gaps(const pki_contact *c, int n, const double *gap, double tolerance)
{
  for (int i = 0; i < n; i++) {
    assert_near(c[i].gap, gap[i], tolerance);
  }
}

static void a_sole_that_rocks_on_a_diagonal_lies_flat(void **state)
{
  (void)state;
  pki_contact c[4];
  sole(c, 0, (const double[4]){-3e-9, 4e-8, 5e-8, -2e-9});
  pki_flatten_patches(c, 4, TOUCHING);
  expect_gaps(c, 4, (const double[4]){0, 0, 0, 0}, 1e-20);
}

/* The plane through the corners that are up, and the surface, is kept; what is below counts as on the surface. */
static void a_sole_on_its_edge_stays_on_its_edge(void **state)
{
  (void)state;
  pki_contact c[4];
  sole(c, 0, (const double[4]){-1e-8, 1e-3, 2e-8, 1e-3});
  pki_flatten_patches(c, 4, TOUCHING);
  expect_gaps(c, 4, (const double[4]){0, 1e-3, 0, 1e-3}, 1e-16);
}

/* One corner is d off the plane of the others. The best plane lies d/4 below the corner across from it, and is lifted by as much. */
static void the_plane_is_nowhere_below_the_surface(void **state)
{
  (void)state;
  const double d = 8e-7;
  pki_contact c[4];
  sole(c, 0, (const double[4]){-1e-8, 1e-3, 0, 1e-3 + d});
  pki_flatten_patches(c, 4, TOUCHING);
  expect_gaps(c, 4, (const double[4]){0, 1e-3 + d / 2, d / 2, 1e-3 + d}, 1e-16);
}

static void what_is_no_plane_is_left_alone(void **state)
{
  (void)state;
  const double warped[4] = {-1e-8, 1e-4, 3e-4, 1e-4}; /* 5e-5 away from any plane */
  const double above[4] = {0, 4e-8, 5e-8, 0}, rocking[4] = {-3e-9, 4e-8, 5e-8, -2e-9};
  pki_contact c[4];
  sole(c, 0, warped);
  pki_flatten_patches(c, 4, TOUCHING);
  expect_gaps(c, 4, warped, 0);
  sole(c, 0, above); /* nothing is below */
  pki_flatten_patches(c, 4, TOUCHING);
  expect_gaps(c, 4, above, 0);
  sole(c, 0, rocking); /* three points are always in a plane */
  pki_flatten_patches(c, 3, TOUCHING);
  expect_gaps(c, 3, rocking, 0);
  sole(c, 0, rocking); /* another face */
  memcpy(c[2].normal, (const double[3]){0, 0, 1}, sizeof c[2].normal);
  pki_flatten_patches(c, 4, TOUCHING);
  expect_gaps(c, 4, rocking, 0);
  sole(c, 0, rocking); /* corners in a line tell no plane */
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++) {
      c[i].point[k] = 0.01 * i * c[i].tangent1[k];
    }
  }
  pki_flatten_patches(c, 4, TOUCHING);
  expect_gaps(c, 4, rocking, 0);
}

static void each_pair_of_a_list_is_a_patch_of_its_own(void **state)
{
  (void)state;
  pki_contact c[8];
  const double still[4] = {0, 2e-7, 3e-7, 0};
  sole(c, 0, (const double[4]){-3e-9, 4e-8, 5e-8, -2e-9});
  sole(c + 4, 1, still);
  pki_flatten_patches(c, 8, TOUCHING);
  expect_gaps(c, 4, (const double[4]){0, 0, 0, 0}, 1e-20);
  expect_gaps(c + 4, 4, still, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sole_that_rocks_on_a_diagonal_lies_flat),
      cmocka_unit_test(a_sole_on_its_edge_stays_on_its_edge),
      cmocka_unit_test(the_plane_is_nowhere_below_the_surface),
      cmocka_unit_test(what_is_no_plane_is_left_alone),
      cmocka_unit_test(each_pair_of_a_list_is_a_patch_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
