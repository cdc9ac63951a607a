/* What the collision tests share. */
#ifndef PK_TESTS_COLLISION_HELP_H
#define PK_TESTS_COLLISION_HELP_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/mat3.h"
#include "pronk/terrain.h"
#include "support/bounds.h"

/* PRONK_PAIRS: how many pairs a test's long form checks; 0, and said so, when nobody asks for it. */
static inline int asked_pairs(void)
{
  const char *const text = getenv("PRONK_PAIRS");
  const int asked = text != NULL ? atoi(text) : 0;
  if (asked <= 0) {
    print_message("PRONK_PAIRS is not set\n");
  }
  return asked > 0 ? asked : 0;
}

#define V3(x, y, z) ((const double[3]){(x), (y), (z)})

static inline void assert_near3(const double found[3], const double expected[3], double tolerance)
{
  for (int k = 0; k < 3; k++) {
    if (!(fabs(found[k] - expected[k]) <= tolerance)) {
      fail_msg("found (%.17g, %.17g, %.17g), expected (%.17g, %.17g, %.17g)", found[0], found[1], found[2],
               expected[0], expected[1], expected[2]);
    }
  }
}

/* A query's answer: distance and normal within a tolerance (0: to the bit). */
static inline void expect_hit(const pk_terrain *t, const double point[3], double distance,
                              const double normal[3], double tolerance)
{
  const pk_terrain_hit hit = pk_terrain_query(t, point, 100);
  assert_near(hit.distance, distance, tolerance);
  assert_near3(hit.normal, normal, tolerance);
}

static inline void assert_no_hit(pk_terrain_hit hit)
{
  assert_true(isinf(hit.distance));
  assert_greater(hit.distance, 0);
  assert_int_equal(hit.material, -1);
  assert_near3(hit.normal, V3(0, 0, 0), 0);
}

/* What holds for every exact signed distance: the normal is a unit vector, the foot is on the surface, and
 * where the distance is smooth its gradient is the normal. */
static inline void check_distance(const pk_terrain *t, const double p[3], double tolerance)
{
  const pk_terrain_hit hit = pk_terrain_query(t, p, 100);
  assert_true(isfinite(hit.distance));
  assert_near(pki_dot3(hit.normal, hit.normal), 1, 1e-14);
  double foot[3], ahead[3];
  const double step = 1e-6;
  for (int k = 0; k < 3; k++) {
    foot[k] = p[k] - hit.distance * hit.normal[k];
    ahead[k] = p[k] + step * hit.normal[k];
  }
  assert_near(pk_terrain_query(t, foot, 100).distance, 0, tolerance);
  /* outwards the distance grows at rate one, everywhere outside; inside, up to the medial axis */
  const double later = pk_terrain_query(t, ahead, 100).distance;
  if (hit.distance < -2 * step) {
    assert_near(later - hit.distance, step, 1e-12);
  }
  assert_at_most(later - hit.distance, step + 1e-12);
}

static inline pk_pose random_pose(pki_random *rng, double far)
{
  double q[4];
  pk_pose pose;
  pki_random_quaternion(rng, q);
  pki_quat_to_mat3(q, pose.rot);
  for (int k = 0; k < 3; k++) {
    pose.pos[k] = pki_random_between(rng, -far, far);
  }
  return pose;
}

#endif
