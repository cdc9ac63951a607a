/* Pairs of shapes through pk_geometry_distance and pk_geometry_touch: every combination, proven by certificates that do not
 * know how the answer was found (support/certify.h). With an argument: PRONK_PAIRS random pairs of each combination. */
#include <stdio.h>

#include "collision/help.h"
#include "collision/narrow/narrow.h"
#include "pronk/collision.h"
#include "support/allocations.h"
#include "support/bounds.h"
#include "support/certify.h"
#include "support/pace.h"

static const pk_shape_kind kinds[] = {PK_SHAPE_SPHERE,   PK_SHAPE_CAPSULE, PK_SHAPE_ELLIPSOID,
                                      PK_SHAPE_CYLINDER, PK_SHAPE_CONE,    PK_SHAPE_BOX,
                                      PK_SHAPE_CONVEX};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int asked; /* 0: few */

static int pairs(int otherwise)
{
  return asked > 0 ? asked : otherwise;
}

/* What was found over many pairs, lengths relative to the shapes. */
typedef struct tally {
  double outside, gap, better, turned, normal;
  int apart, undecided;
} tally;

static void fail_pair(const char *what, const certify_shape *s, const pk_proximity *p, int number)
{
  fail_msg("%s and %s, pair %d: %s (distance %.17g, normal %g %g %g)", pk_shape_kind_name(s[0].desc.kind),
           pk_shape_kind_name(s[1].desc.kind), number, what, p->distance, p->normal[0], p->normal[1],
           p->normal[2]);
}

/* Both orders of a pair. */
static void check_pair(certify_shape s[2], int number, double tolerance, double exact, tally *t)
{
  pk_geometry *const a = certify_geometry(&s[0]), *const b = certify_geometry(&s[1]);
  assert_true(a != NULL && b != NULL);
  const double size = s[0].size + s[1].size;
  pk_proximity p, q;
  const int before = allocations;
  assert_true(pk_geometry_distance(a, &s[0].pose, b, &s[1].pose, INFINITY, &p));
  assert_true(pk_geometry_distance(b, &s[1].pose, a, &s[0].pose, INFINITY, &q));
  assert_int_equal(allocations, before);
  pk_geometry_destroy(a);
  pk_geometry_destroy(b);
  const certificate c = certify(&s[0], &s[1], &p, tolerance * size), d = certify(&s[1], &s[0], &q, 0);
  if (!(c.consistency <= 1e-9 * fmax(1, size)) || !(d.consistency <= 1e-9 * fmax(1, size))) {
    fail_pair("points and distance disagree", s, &p, number);
  }
  if (!(c.outside <= 2e-6 * size) || !(d.outside <= 2e-6 * size)) {
    fail_pair("a point is not on its shape", s, &p, number);
  }
  if (!(c.gap <= exact * size) || !(d.gap <= exact * size) || !(c.better <= 1e-7 * size)) {
    fail_pair("not the distance", s, &p, number);
  }
  if (!(fabs(p.distance - q.distance) <= 1e-7 * size)) {
    fail_pair("the other order differs", s, &p, number);
  }
  if (p.distance > 1e-3 * size) { /* the angle to the true normal is at most this */
    t->normal = fmax(t->normal, sqrt(2 * c.gap / p.distance));
    if (t->normal > 1e-4) {
      fail_pair("not the normal", s, &p, number);
    }
    t->apart++;
  }
  t->outside = fmax(t->outside, c.outside / size);
  t->gap = fmax(t->gap, c.gap / size);
  t->better = fmax(t->better, c.better / size);
  t->turned = fmax(t->turned, fabs(p.distance - q.distance) / size);
  t->undecided += !c.decided;
}

/* Random shapes of two kinds, at most a little apart. */
static void random_pair(pki_random *rng, pk_shape_kind first, pk_shape_kind second, double least, double most,
                        certify_shape s[2])
{
  certify_random(rng, first, least, most, &s[0]);
  certify_random(rng, second, least, most, &s[1]);
  double u[3];
  for (int k = 0; k < 3; k++) {
    u[k] = pki_random_normal(rng);
    s[0].pose.pos[k] = pki_random_between(rng, -1, 1) * most;
  }
  const double far = pki_random_between(rng, 0, 1.1) * (s[0].size + s[1].size) / sqrt(pki_dot3(u, u));
  for (int k = 0; k < 3; k++) {
    s[1].pose.pos[k] = s[0].pose.pos[k] + far * u[k];
  }
}

typedef void (*make_pair)(pki_random *rng, pk_shape_kind first, pk_shape_kind second, certify_shape s[2]);

/* `tolerance`: as certify() takes it, 0: depths may be the shortest nearby only. `exact`: of distance along the normal.
 * Both relative to the shapes. */
static void check_all(make_pair make, int count, double tolerance, double exact, bool print)
{
  for (int i = 0; i < KINDS; i++) {
    for (int j = i; j < KINDS; j++) {
      pki_random rng = pki_random_seeded((uint64_t)(100 * i + j));
      tally t = {0};
      for (int k = 0; k < count; k++) {
        certify_shape s[2];
        make(&rng, kinds[i], kinds[j], s);
        check_pair(s, k, tolerance, exact, &t);
      }
      if (print) {
        printf(
            "%-9s %-9s %6d apart  outside %.1e  gap %.1e  deeper than needed %.1e  turned %.1e  normal %.1e"
            "  undecided %d\n",
            pk_shape_kind_name(kinds[i]), pk_shape_kind_name(kinds[j]), t.apart, t.outside, t.gap, t.better,
            t.turned, t.normal, t.undecided);
        fflush(stdout);
      }
      assert_at_most(t.undecided, count / 10 + 5);
    }
  }
}

static void make_usual(pki_random *rng, pk_shape_kind first, pk_shape_kind second, certify_shape s[2])
{
  random_pair(rng, first, second, 0.05, 1, s);
}

static void random_pairs_of_all_kinds_are_proven_right(void **state)
{
  (void)state;
  check_all(make_usual, pairs(PACE(150, 10)), 3e-7, 1e-11, asked > 0);
}

static void make_needles(pki_random *rng, pk_shape_kind first, pk_shape_kind second, certify_shape s[2])
{
  random_pair(rng, first, second, 1e-6, 1, s);
}

static void needles_and_plates_are_no_harder(void **state)
{
  (void)state;
  check_all(make_needles, PACE(20, 3), 1e-5, 1e-10, false);
}

static void make_tiny(pki_random *rng, pk_shape_kind first, pk_shape_kind second, certify_shape s[2])
{
  random_pair(rng, first, second, 1e-6, 1e-6, s);
}

static void make_huge(pki_random *rng, pk_shape_kind first, pk_shape_kind second, certify_shape s[2])
{
  random_pair(rng, first, second, 1e6, 1e6, s);
}

static void micrometres_and_megametres_are_as_exact(void **state)
{
  (void)state;
  check_all(make_tiny, PACE(20, 3), 1e-5, 1e-10, false);
  check_all(make_huge, PACE(20, 3), 1e-5, 1e-10, false);
}

/* A grain on a mountain: sizes differ by 1e9. */
static void make_grain(pki_random *rng, pk_shape_kind first, pk_shape_kind second, certify_shape s[2])
{
  random_pair(rng, first, second, 1e-3, 1e-3, s);
  certify_shape big[2];
  random_pair(rng, first, second, 1e6, 1e6, big);
  const pk_pose pose = s[1].pose;
  s[1] = big[1];
  s[1].pose = pose;
  s[1].pose.pos[2] += pki_random_between(rng, -1.1, 1.1) * s[1].size;
}

static void sizes_may_differ_by_a_thousand_million(void **state)
{
  (void)state;
  check_all(make_grain, PACE(20, 3), 0, 1e-10, false);
}

static void make_aligned(pki_random *rng, pk_shape_kind first, pk_shape_kind second, certify_shape s[2])
{
  certify_aligned(rng, first, 1, &s[0]);
  certify_aligned(rng, second, 1, &s[1]);
  if (pki_random_bits(rng) % 8 == 0) {
    memcpy(s[1].pose.pos, s[0].pose.pos, sizeof s[1].pose.pos);
  }
}

static void shapes_that_touch_align_or_coincide_are_proven_right(void **state)
{
  (void)state;
  check_all(make_aligned, PACE(400, 30), 0, 1e-10, false);
  check_all(make_aligned, PACE(15, 2), 1e-5, 1e-10, false);
}

/* The same with noise of the size at which touching and apart are hard to tell. */
static void make_nearly_aligned(pki_random *rng, pk_shape_kind first, pk_shape_kind second,
                                certify_shape s[2])
{
  make_aligned(rng, first, second, s);
  const double noise = pow(10, -pki_random_between(rng, 5, 17));
  for (int k = 0; k < 3; k++) {
    s[1].pose.pos[k] += noise * pki_random_between(rng, -1, 1);
  }
}

static void hardly_touching_is_no_harder(void **state)
{
  (void)state;
  check_all(make_nearly_aligned, PACE(300, 30), 0, 1e-6, false);
}

static void far_from_the_origin_only_the_places_lose_digits(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(9);
  for (int i = 0; i < KINDS; i++) {
    for (int j = 0; j < KINDS; j++) {
      certify_shape s[2];
      make_usual(&rng, kinds[i], kinds[j], s);
      for (int k = 0; k < 3; k++) { /* places that both origins can hold exactly */
        s[0].pose.pos[k] = floor(s[0].pose.pos[k] * 1024) / 1024;
        s[1].pose.pos[k] = floor(s[1].pose.pos[k] * 1024) / 1024;
      }
      pk_geometry *const a = certify_geometry(&s[0]), *const b = certify_geometry(&s[1]);
      pk_proximity near, far;
      assert_true(pk_geometry_distance(a, &s[0].pose, b, &s[1].pose, INFINITY, &near));
      for (int k = 0; k < 3; k++) {
        s[0].pose.pos[k] += 1048576;
        s[1].pose.pos[k] += 1048576;
      }
      assert_true(pk_geometry_distance(a, &s[0].pose, b, &s[1].pose, INFINITY, &far));
      assert_near(far.distance, near.distance, 1e-9);
      assert_near3(far.normal, near.normal, 1e-6);
      pk_geometry_destroy(a);
      pk_geometry_destroy(b);
    }
  }
}

/* ---- half-spaces ---- */

static pk_geometry *make_plane(void)
{
  pk_geometry *g = NULL;
  pk_error err;
  assert_int_equal(pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_PLANE}, &g, &err), PK_OK);
  return g;
}

static void half_spaces_meet_the_lowest_point_of_a_shape(void **state)
{
  (void)state;
  pk_geometry *const plane = make_plane();
  for (int i = 0; i < KINDS; i++) {
    pki_random rng = pki_random_seeded((uint64_t)i);
    for (int n = 0; n < pairs(PACE(1000, 100)); n++) {
      certify_shape s;
      certify_random(&rng, kinds[i], 0.05, 1, &s);
      s.pose = random_pose(&rng, 2);
      const pk_pose ground = random_pose(&rng, 2);
      const double up[3] = {ground.rot[2], ground.rot[5], ground.rot[8]}, down[3] = {-up[0], -up[1], -up[2]};
      double lowest[3];
      certify_support(&s, down, lowest);
      double height = 0;
      for (int k = 0; k < 3; k++) {
        height += up[k] * (lowest[k] - ground.pos[k]);
      }
      pk_geometry *const g = certify_geometry(&s);
      pk_proximity p;
      assert_true(pk_geometry_distance(g, &s.pose, plane, &ground, INFINITY, &p));
      assert_near(p.distance, height, 1e-12);
      assert_near3(p.normal, up, 1e-12);
      assert_less(certify_outside(&s, p.point[0]), 1e-12);
      assert_true(pk_geometry_distance(plane, &ground, g, &s.pose, INFINITY, &p));
      assert_near(p.distance, height, 1e-12);
      assert_near3(p.normal, down, 1e-12);
      if (height > 0.01) {
        assert_false(pk_geometry_distance(g, &s.pose, plane, &ground, height - 0.01, &p));
      }
      pk_geometry_destroy(g);
    }
  }
  pk_geometry_destroy(plane);
}

static void ground_never_meets_ground(void **state)
{
  (void)state;
  const double heights[4] = {0};
  pk_geometry *const plane = make_plane(), *field = NULL;
  pk_error err;
  const pk_geometry_desc desc = {.kind = PK_SHAPE_HEIGHTS, .nx = 2, .ny = 2, .cell = 1, .heights = heights};
  assert_int_equal(pk_geometry_create(&desc, &field, &err), PK_OK);
  const pk_pose here = pk_pose_identity();
  pk_proximity p;
  pk_touch_point touch[PK_TOUCH_MOST];
  const pk_geometry *const ground[2] = {plane, field};
  for (int i = 0; i < 4; i++) {
    assert_false(pk_geometry_distance(ground[i % 2], &here, ground[i / 2], &here, INFINITY, &p));
    assert_int_equal(pk_geometry_touch(ground[i % 2], &here, ground[i / 2], &here, 1, touch), 0);
  }
  pk_geometry_destroy(plane);
  pk_geometry_destroy(field);
}

/* ---- what is asked ---- */

static void a_pose_that_is_not_finite_is_near_nothing(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  for (int i = 0; i < KINDS; i++) {
    certify_shape s[2];
    make_usual(&rng, kinds[i], PK_SHAPE_BOX, s);
    pk_geometry *const a = certify_geometry(&s[0]), *const b = certify_geometry(&s[1]);
    for (int k = 0; k < 12; k++) {
      for (int bad = 0; bad < 3; bad++) {
        pk_pose pose = s[0].pose;
        *(k < 3 ? &pose.pos[k] : &pose.rot[k - 3]) = bad == 0 ? NAN : bad == 1 ? INFINITY : -INFINITY;
        pk_proximity p;
        pk_touch_point touch[PK_TOUCH_MOST];
        assert_false(pk_geometry_distance(a, &pose, b, &s[1].pose, INFINITY, &p));
        assert_false(pk_geometry_distance(b, &s[1].pose, a, &pose, INFINITY, &p));
        assert_int_equal(pk_geometry_touch(a, &pose, b, &s[1].pose, 1, touch), 0);
      }
    }
    pk_geometry_destroy(a);
    pk_geometry_destroy(b);
  }
}

static void reach_decides_and_changes_nothing_else(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(4);
  for (int i = 0; i < KINDS; i++) {
    for (int j = 0; j < KINDS; j++) {
      for (int n = 0; n < 10; n++) {
        certify_shape s[2];
        make_usual(&rng, kinds[i], kinds[j], s);
        pk_geometry *const a = certify_geometry(&s[0]), *const b = certify_geometry(&s[1]);
        pk_proximity all, p;
        assert_true(pk_geometry_distance(a, &s[0].pose, b, &s[1].pose, INFINITY, &all));
        const double d = fmax(all.distance, 0);
        assert_true(pk_geometry_distance(a, &s[0].pose, b, &s[1].pose, d + 1e-9, &p));
        assert_near(p.distance, all.distance, 1e-12);
        assert_int_equal(pk_geometry_distance(a, &s[0].pose, b, &s[1].pose, d - 1e-9, &p), all.distance <= 0);
        assert_int_equal(pk_geometry_distance(a, &s[0].pose, b, &s[1].pose, -1, &p), all.distance <= 0);
        assert_false(pk_geometry_distance(a, &s[0].pose, b, &s[1].pose, NAN, &p));
        pk_geometry_destroy(a);
        pk_geometry_destroy(b);
      }
    }
  }
}

/* A pair that moves on and remembers gives what a pair without memory gives, in either order. */
static void memory_does_not_change_the_distance(void **state)
{
  (void)state;
  static const pk_shape_kind hulls[2] = {PK_SHAPE_BOX, PK_SHAPE_CONVEX};
  pki_random rng = pki_random_seeded(5);
  for (int n = 0; n < PACE(200, 20); n++) {
    certify_shape s[2];
    make_usual(&rng, hulls[n % 2], hulls[n / 2 % 2], s);
    pk_geometry *const a = certify_geometry(&s[0]), *const b = certify_geometry(&s[1]);
    pki_pair_memory one = {{0}}, other = {{0}};
    double v[3];
    for (int k = 0; k < 3; k++) {
      v[k] = pki_random_between(&rng, -0.01, 0.01);
    }
    for (int step = 0; step < 50; step++) {
      pk_proximity p, q, r;
      assert_true(pki_distance(a, &s[0].pose, b, &s[1].pose, INFINITY, &one, &p));
      assert_true(pki_distance(b, &s[1].pose, a, &s[0].pose, INFINITY, &other, &q));
      assert_true(pki_distance(a, &s[0].pose, b, &s[1].pose, INFINITY, NULL, &r));
      assert_near(p.distance, r.distance, 1e-10);
      assert_near(q.distance, r.distance, 1e-10);
      for (int k = 0; k < 3; k++) {
        s[0].pose.pos[k] += v[k];
      }
    }
    pk_geometry_destroy(a);
    pk_geometry_destroy(b);
  }
}

/* ---- touching ---- */

static void a_ball_touches_in_one_point_of_the_same_name(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(6);
  for (int i = 0; i < KINDS; i++) {
    for (int n = 0; n < 50; n++) {
      certify_shape s[2];
      make_usual(&rng, PK_SHAPE_SPHERE, kinds[i], s);
      pk_geometry *const a = certify_geometry(&s[0]), *const b = certify_geometry(&s[1]);
      pk_proximity p;
      pk_touch_point t[PK_TOUCH_MOST], u[PK_TOUCH_MOST];
      const bool near = pk_geometry_distance(a, &s[0].pose, b, &s[1].pose, 0.1, &p);
      assert_int_equal(pk_geometry_touch(a, &s[0].pose, b, &s[1].pose, 0.1, t), near);
      assert_int_equal(pk_geometry_touch(b, &s[1].pose, a, &s[0].pose, 0.1, u), near);
      if (near) {
        assert_near(t[0].gap, p.distance, 0);
        assert_near3(t[0].normal, p.normal, 0);
        assert_near3(t[0].point[0], p.point[0], 0);
        assert_near3(t[0].point[1], p.point[1], 0);
        assert_int_equal(t[0].id, 0);
        assert_near(u[0].gap, t[0].gap, i == 0 ? 1e-15 : 0);
        assert_near3(u[0].point[1], t[0].point[0], i == 0 ? 1e-15 : 0);
        assert_near3(u[0].normal, V3(-t[0].normal[0], -t[0].normal[1], -t[0].normal[2]), 0);
      }
      pk_geometry_destroy(a);
      pk_geometry_destroy(b);
    }
  }
}

/* Whatever the pair, touch and distance tell the same story. */
static void touch_is_there_when_the_distance_is_within_the_margin(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(7);
  const double margin = 0.05;
  for (int i = 0; i < KINDS; i++) {
    for (int j = 0; j < KINDS; j++) {
      for (int n = 0; n < PACE(100, 20); n++) {
        certify_shape s[2];
        make_usual(&rng, kinds[i], kinds[j], s);
        pk_geometry *const a = certify_geometry(&s[0]), *const b = certify_geometry(&s[1]);
        pk_proximity p;
        pk_touch_point t[PK_TOUCH_MOST];
        const bool near = pk_geometry_distance(a, &s[0].pose, b, &s[1].pose, margin, &p);
        const int count = pk_geometry_touch(a, &s[0].pose, b, &s[1].pose, margin, t);
        assert_int_equal(count > 0, near);
        double least = INFINITY;
        for (int k = 0; k < count; k++) {
          least = fmin(least, t[k].gap);
          assert_at_most(t[k].gap, margin + 1e-12);
        }
        if (near) { /* the deepest is the distance; along a face's normal, 0.08 rad off at most, it is 1 - cos of it */
          assert_near(least, p.distance, 3.3e-3 * fabs(p.distance) + 1e-7 * (s[0].size + s[1].size));
        }
        pk_geometry_destroy(a);
        pk_geometry_destroy(b);
      }
    }
  }
}

static int check_many(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_pairs_of_all_kinds_are_proven_right),
      cmocka_unit_test(half_spaces_meet_the_lowest_point_of_a_shape),
  };
  asked = asked_pairs();
  return asked > 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}

int main(int argc, char **argv)
{
  (void)argv;
  if (argc > 1) {
    return check_many();
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_pairs_of_all_kinds_are_proven_right),
      cmocka_unit_test(needles_and_plates_are_no_harder),
      cmocka_unit_test(micrometres_and_megametres_are_as_exact),
      cmocka_unit_test(sizes_may_differ_by_a_thousand_million),
      cmocka_unit_test(shapes_that_touch_align_or_coincide_are_proven_right),
      cmocka_unit_test(hardly_touching_is_no_harder),
      cmocka_unit_test(far_from_the_origin_only_the_places_lose_digits),
      cmocka_unit_test(half_spaces_meet_the_lowest_point_of_a_shape),
      cmocka_unit_test(ground_never_meets_ground),
      cmocka_unit_test(a_pose_that_is_not_finite_is_near_nothing),
      cmocka_unit_test(reach_decides_and_changes_nothing_else),
      cmocka_unit_test(memory_does_not_change_the_distance),
      cmocka_unit_test(a_ball_touches_in_one_point_of_the_same_name),
      cmocka_unit_test(touch_is_there_when_the_distance_is_within_the_margin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
