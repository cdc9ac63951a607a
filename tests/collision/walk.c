/* The walk from feature to feature against all pairs of features. */
#include "collision/narrow/narrow.h"
#include "help.h"
#include "support/bounds.h"
#include "support/pace.h"

/* ---- brute force: every vertex over every face, every edge with every edge ---- */

static void to_world(const pk_pose *p, const double *x, double out[3])
{
  pki_mat3_apply(p->rot, x, out);
  for (int k = 0; k < 3; k++) {
    out[k] += p->pos[k];
  }
}

static void minus(const double a[3], const double b[3], double out[3])
{
  for (int k = 0; k < 3; k++) {
    out[k] = a[k] - b[k];
  }
}

static double to_segment(const double x[3], const double a[3], const double b[3])
{
  double u[3], d[3];
  minus(b, a, u);
  minus(x, a, d);
  const double t = fmin(fmax(pki_dot3(d, u) / pki_dot3(u, u), 0), 1);
  for (int k = 0; k < 3; k++) {
    d[k] -= t * u[k];
  }
  return sqrt(pki_dot3(d, d));
}

/* Segments: the common perpendicular where it meets both, else an end. */
static double segment_distance(const double a[3], const double b[3], const double c[3], const double d[3])
{
  double least =
      fmin(fmin(to_segment(a, c, d), to_segment(b, c, d)), fmin(to_segment(c, a, b), to_segment(d, a, b)));
  double u[3], v[3], w[3], n[3], m[3];
  minus(b, a, u), minus(d, c, v), minus(c, a, w);
  pki_cross3(u, v, n);
  const double nn = pki_dot3(n, n);
  if (nn > 1e-20 * pki_dot3(u, u) * pki_dot3(v, v)) {
    pki_cross3(w, v, m);
    const double s = pki_dot3(m, n) / nn;
    pki_cross3(w, u, m);
    const double t = pki_dot3(m, n) / nn;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
      least = fmin(least, fabs(pki_dot3(w, n)) / sqrt(nn));
    }
  }
  return least;
}

enum { MOST = 200 };

/* Positive: the distance; 0: a vertex of a is inside b or an edge of a pierces a face of b. World vertices. */
static double one_way(const pki_hull *a, double (*va)[3], const pki_hull *b, double (*vb)[3],
                      const pk_pose *pose_b)
{
  double least = INFINITY, d[3], n[3], side[3], u[3];
  for (int f = 0; f < b->nface; f++) {
    pki_mat3_apply(pose_b->rot, b->plane + 4 * f, n);
    const int first = b->face_start[f], count = b->face_start[f + 1] - first;
    for (int e = 0; e < a->nedge; e++) {
      const double *x = va[a->edge[4 * e]], *y = va[a->edge[4 * e + 1]];
      minus(x, vb[b->loop[first]], d);
      const double hx = pki_dot3(d, n);
      minus(y, vb[b->loop[first]], d);
      const double hy = pki_dot3(d, n);
      /* both ends, and the place where the edge meets the plane */
      for (int place = 0; place < 3; place++) {
        const double t = place < 2 ? place : hx / (hx - hy);
        if (place == 2 && !(hx * hy < 0)) {
          continue;
        }
        bool over = true;
        for (int k = 0; k < count && over; k++) {
          const double *p = vb[b->loop[first + k]];
          minus(vb[b->loop[first + (k + 1) % count]], p, u);
          pki_cross3(u, n, side);
          for (int i = 0; i < 3; i++) {
            d[i] = x[i] + t * (y[i] - x[i]) - p[i];
          }
          over = pki_dot3(d, side) <= 0;
        }
        const double h = place < 2 ? (place ? hy : hx) : 0;
        if (over && h >= 0) {
          least = fmin(least, h);
        }
      }
    }
  }
  /* inside */
  for (int i = 0; i < a->nvertex; i++) {
    double most = -INFINITY;
    for (int f = 0; f < b->nface; f++) {
      pki_mat3_apply(pose_b->rot, b->plane + 4 * f, n);
      minus(va[i], vb[b->loop[b->face_start[f]]], d);
      most = fmax(most, pki_dot3(d, n));
    }
    least = most <= 0 ? 0 : least;
  }
  return least;
}

static double brute(const pki_hull *a, const pk_pose *pose_a, const pki_hull *b, const pk_pose *pose_b)
{
  static double va[MOST][3], vb[MOST][3];
  for (int i = 0; i < a->nvertex; i++) {
    to_world(pose_a, a->vertex + 3 * i, va[i]);
  }
  for (int i = 0; i < b->nvertex; i++) {
    to_world(pose_b, b->vertex + 3 * i, vb[i]);
  }
  double least = fmin(one_way(a, va, b, vb, pose_b), one_way(b, vb, a, va, pose_a));
  for (int e = 0; e < a->nedge && least > 0; e++) {
    for (int f = 0; f < b->nedge; f++) {
      least = fmin(least, segment_distance(va[a->edge[4 * e]], va[a->edge[4 * e + 1]], vb[b->edge[4 * f]],
                                           vb[b->edge[4 * f + 1]]));
    }
  }
  return least;
}

/* ---- shapes ---- */

/* Box, or the hull of n points near an ellipsoid. */
static pki_hull *random_hull(pki_random *rng, int n)
{
  double half[3], points[3 * MOST];
  for (int k = 0; k < 3; k++) {
    half[k] = pki_random_between(rng, 0.1, 1);
  }
  if (n == 8) {
    return pki_hull_box(half);
  }
  for (int i = 0; i < n; i++) {
    double x[3], length = 0;
    for (int k = 0; k < 3; k++) {
      x[k] = pki_random_normal(rng);
      length += x[k] * x[k];
    }
    for (int k = 0; k < 3; k++) {
      points[3 * i + k] = half[k] * x[k] / sqrt(length);
    }
  }
  pki_hull *hull = NULL;
  assert_int_equal(pki_hull_create(points, n, &hull, NULL), PK_OK);
  return hull;
}

static int features(const pki_hull *h)
{
  return h->nvertex + h->nedge + h->nface;
}

static int random_feature(pki_random *rng, const pki_hull *h)
{
  return 1 + (int)(pki_random_unit(rng) * features(h));
}

/* What the answer must be: the distance, and points that it joins. */
static void check(const pk_proximity *p, double expected)
{
  assert_near(p->distance, expected, 1e-9);
  assert_near(pki_dot3(p->normal, p->normal), 1, 1e-12);
  double d[3];
  minus(p->point[0], p->point[1], d);
  for (int k = 0; k < 3; k++) {
    assert_near(d[k], p->distance * p->normal[k], 1e-9);
  }
}

static void compare(pki_random *rng, int pairs, int na, int nb, int *apart, int *missed)
{
  pki_hull *a = random_hull(rng, na), *b = random_hull(rng, nb);
  for (int i = 0; i < pairs; i++) {
    const pk_pose pose_a = random_pose(rng, 1), pose_b = random_pose(rng, 1);
    const double expected = brute(a, &pose_a, b, &pose_b);
    for (int start = 0; start < 3; start++) {
      pki_pair_memory memory = {{0, 0}};
      if (start) {
        memory.feature[0] = random_feature(rng, a), memory.feature[1] = random_feature(rng, b);
      }
      pk_proximity p;
      if (pki_walk_distance(a, &pose_a, b, &pose_b, &memory, &p, NULL)) {
        assert_greater(expected, 0);
        check(&p, expected);
        /* at its own answer it stays */
        int steps;
        const pki_pair_memory kept = memory;
        assert_true(pki_walk_distance(a, &pose_a, b, &pose_b, &memory, &p, &steps));
        assert_int_equal(steps, 0);
        assert_memory_equal(&kept, &memory, sizeof kept);
      } else {
        *missed += expected > 0;
      }
      *apart += expected > 0;
    }
  }
  pki_hull_destroy(a);
  pki_hull_destroy(b);
}

static void equals_all_pairs_of_features(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(1);
  int apart = 0, missed = 0;
  for (int i = 0; i < PACE(60, 6); i++) {
    compare(&rng, PACE(30, 10), 8, 8, &apart, &missed);
    compare(&rng, PACE(30, 10), 4, 8, &apart, &missed);
    compare(&rng, PACE(20, 5), 4 + i % 20, 4 + i % 9, &apart, &missed);
  }
  for (int i = 0; i < PACE(10, 1); i++) {
    compare(&rng, 2, 200, 200 - 10 * i, &apart, &missed);
    compare(&rng, 2, 200, 8, &apart, &missed);
  }
  /* it never gives up on shapes that are apart */
  if (apart < PACE(2000, 200) || missed) {
    fail_msg("%d apart, %d missed", apart, missed);
  }
}

/* Boxes in line, turned by right angles or sharing planes: faces, edges and corners tie everywhere. */
static void aligned_boxes_are_measured(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(2);
  pki_hull *a = pki_hull_box(V3(1, 1, 1)), *b = pki_hull_box(V3(1, 0.5, 2));
  for (int i = 0; i < PACE(3000, 300); i++) {
    pk_pose pose_a = pk_pose_identity(), pose_b = pk_pose_identity();
    double out[3], apart = 0;
    for (int k = 0; k < 3; k++) {
      pose_b.pos[k] = 0.5 * (int)(pki_random_unit(&rng) * 14 - 7);
      out[k] = fmax(fabs(pose_b.pos[k]) - 1 - (k == 0 ? 1 : k == 1 ? 0.5 : 2), 0);
      apart = hypot(apart, out[k]);
    }
    if (i % 2) { /* the same in another frame */
      const pk_pose turn = random_pose(&rng, 10);
      double x[3];
      to_world(&turn, pose_b.pos, x);
      pose_a = turn;
      pose_b = turn;
      memcpy(pose_b.pos, x, sizeof x);
    }
    pki_pair_memory memory = {{random_feature(&rng, a), random_feature(&rng, b)}};
    pk_proximity p;
    const bool found = pki_walk_distance(a, &pose_a, b, &pose_b, &memory, &p, NULL);
    if (apart == 0) {
      assert_true(!found || p.distance < 1e-9);
    } else if (found) {
      check(&p, apart);
    } else {
      fail_msg("gave up at %g", apart);
    }
  }
  pki_hull_destroy(a);
  pki_hull_destroy(b);
}

static void slow_motion_takes_few_steps(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  int total = 0, most = 0;
  const int turns = PACE(2000, 500);
  pki_hull *a = random_hull(&rng, 100), *b = random_hull(&rng, 100);
  pki_pair_memory memory = {{0, 0}};
  for (int i = 0; i < turns; i++) {
    /* about an axis by a degree in each step, 2.2 m away */
    const double angle = i * 3.14159265358979 / 180, half = 0.5 * angle;
    const double q[4] = {cos(half), sin(half) * 0.6, sin(half) * 0.48, sin(half) * 0.64};
    pk_pose pose_a = pk_pose_identity(), pose_b = pk_pose_identity();
    pki_quat_to_mat3(q, pose_a.rot);
    pose_b.pos[0] = 2.2;
    pk_proximity p;
    int steps;
    assert_true(pki_walk_distance(a, &pose_a, b, &pose_b, &memory, &p, &steps));
    total += i ? steps : 0;
    most = i && steps > most ? steps : most;
  }
  if (!(total < 3 * turns) || total == 0) {
    fail_msg("%g steps on average, %d at most", (double)total / turns, most);
  }
  pki_hull_destroy(a);
  pki_hull_destroy(b);
}

static void sizes_from_a_micrometre_to_a_thousand_kilometres_are_alike(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(4);
  for (int i = 0; i < 200; i++) {
    const double scale = pow(10, pki_random_between(&rng, -6, 6));
    pki_hull *one = pki_hull_box(V3(1, 0.5, 0.25)), *big = pki_hull_box(V3(scale, 0.5 * scale, 0.25 * scale));
    pk_pose pose_a = random_pose(&rng, 2), pose_b = random_pose(&rng, 2);
    pk_proximity p, q;
    pki_pair_memory memory = {{0, 0}}, again = memory;
    const bool apart = pki_walk_distance(one, &pose_a, one, &pose_b, &memory, &p, NULL);
    for (int k = 0; k < 3; k++) {
      pose_a.pos[k] *= scale, pose_b.pos[k] *= scale;
    }
    assert_int_equal(apart, pki_walk_distance(big, &pose_a, big, &pose_b, &again, &q, NULL));
    if (apart) {
      assert_near(q.distance / scale, p.distance, 1e-9);
    }
    pki_hull_destroy(one);
    pki_hull_destroy(big);
  }
}

static void a_memory_of_other_hulls_is_harmless(void **state)
{
  (void)state;
  pki_hull *a = pki_hull_box(V3(1, 1, 1));
  const pk_pose pose_a = pk_pose_identity();
  pk_pose pose_b = pose_a;
  pose_b.pos[0] = 3;
  static const int odd[] = {-2147483647, -1, 0, 26, 27, 2147483647};
  for (int i = 0; i < 6; i++) {
    pki_pair_memory memory = {{odd[i], odd[5 - i]}};
    pk_proximity p;
    assert_true(pki_walk_distance(a, &pose_a, a, &pose_b, &memory, &p, NULL));
    check(&p, 1);
    assert_true(pki_walk_distance(a, &pose_a, a, &pose_b, NULL, &p, NULL));
  }
  pki_hull_destroy(a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_all_pairs_of_features),
      cmocka_unit_test(aligned_boxes_are_measured),
      cmocka_unit_test(slow_motion_takes_few_steps),
      cmocka_unit_test(sizes_from_a_micrometre_to_a_thousand_kilometres_are_alike),
      cmocka_unit_test(a_memory_of_other_hulls_is_harmless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
