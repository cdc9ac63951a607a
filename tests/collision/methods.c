/* Narrow methods agree, pair by pair, on distances and on where shapes touch. Exact ones within rounding; volumes within sqrt(3)/2 of a cell, which is
 * what interpolation of a signed distance on a grid can be off at most. */
#include "collision/shapes.h"

#include "collision/narrow/method.h"

static const pk_narrow_method exact[] = {PK_NARROW_METHOD_GJK, PK_NARROW_METHOD_FEATURES,
                                         PK_NARROW_METHOD_TREES};
enum { EXACT = sizeof exact / sizeof *exact };

/* A polytope with its forms of all methods. */
typedef struct body {
  pk_geometry *geometry;
  pki_narrow_form form[PK_NARROW_METHOD_COUNT];
} body;

static body body_of(pk_geometry *geometry, double cell)
{
  body b = {.geometry = geometry};
  const pki_narrow_form_options o = {.cell = cell, .margin = 0.05};
  for (int m = 0; m < PK_NARROW_METHOD_COUNT; m++) {
    pk_error err;
    if (pki_narrow_form_make((pk_narrow_method)m, geometry, &o, &b.form[m], &err) != PK_OK) {
      fail_msg("%s", err.message);
    }
  }
  return b;
}

static void free_body(body *b)
{
  for (int m = 0; m < PK_NARROW_METHOD_COUNT; m++) {
    pki_narrow_form_free(&b->form[m]);
  }
  pk_geometry_destroy(b->geometry);
}

static pki_side side_of(const body *b, const pk_pose *pose, pk_narrow_method m)
{
  return (pki_side){b->geometry, pose, &b->form[m]};
}

static bool distance(const body *a, const pk_pose *pose_a, const body *b, const pk_pose *pose_b,
                     pk_narrow_method m, double reach, pk_proximity *out)
{
  const pki_side x = side_of(a, pose_a, m), y = side_of(b, pose_b, m);
  pki_pair_memory memory = {{0, 0}};
  return pki_distance_by(m, &x, &y, reach, &memory, out);
}

static int touch(const body *a, const pk_pose *pose_a, const body *b, const pk_pose *pose_b,
                 pk_narrow_method m, double margin, pk_touch_point out[PK_TOUCH_MOST])
{
  const pki_side x = side_of(a, pose_a, m), y = side_of(b, pose_b, m);
  pki_pair_memory memory = {{0, 0}};
  return pki_touch_by(m, &x, &y, margin, &memory, out);
}

static double least_gap(const pk_touch_point *t, int n)
{
  double least = INFINITY;
  for (int i = 0; i < n; i++) {
    least = fmin(least, t[i].gap);
  }
  return least;
}

/* The same pair by all exact methods: distances to 1e-9 apart, and to the depth of the touch that trees measure (which is
 * local, so never less than the depth that EPA finds) where they overlap. */
static int compare_exact(const body *a, const body *b, int pairs, unsigned seed)
{
  pki_random rng = pki_random_seeded(seed);
  int apart = 0;
  for (int i = 0; i < pairs; i++) {
    const pk_pose pose_a = random_pose(&rng, 0.12), pose_b = random_pose(&rng, 0.12);
    pk_proximity p[EXACT];
    for (int m = 0; m < EXACT; m++) {
      assert_true(distance(a, &pose_a, b, &pose_b, exact[m], INFINITY, &p[m]));
    }
    assert_near(p[1].distance, p[0].distance, 1e-9);
    if (p[0].distance > 0) {
      apart++;
      assert_near(p[2].distance, p[0].distance, 1e-9);
      assert_near3(p[1].normal, p[0].normal, 1e-5);
    } else {
      assert_at_most(p[2].distance, 1e-9);
    }
  }
  return apart;
}

static void exact_methods_agree_on_boxes_hulls_and_convex_meshes(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  double cloud[3 * 24];
  random_points(&rng, 24, V3(0.1, 0.07, 0.05), cloud);
  body box = body_of(shape(PK_SHAPE_BOX, 0.2, 0.12, 0.08), 0.02), hull = body_of(convex_of(cloud, 24), 0.02);
  int apart = compare_exact(&box, &box, 400, 1);
  apart += compare_exact(&box, &hull, 400, 2) + compare_exact(&hull, &hull, 400, 3);
  print_message("%d of 1200 pairs are apart\n", apart);
  assert_in_range(apart, 200, 1000);
  free_body(&box);
  free_body(&hull);
}

/* GJK takes round shapes too, in the place of closed forms. */
static void gjk_agrees_with_closed_forms(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(5);
  body ball = body_of(shape(PK_SHAPE_SPHERE, 0.06, 0, 0), 0),
       rod = body_of(shape(PK_SHAPE_CAPSULE, 0.03, 0.2, 0), 0),
       box = body_of(shape(PK_SHAPE_BOX, 0.2, 0.12, 0.08), 0.02);
  const body *all[] = {&ball, &rod, &box};
  for (int i = 0; i < 900; i++) {
    const body *a = all[i % 3], *b = all[i / 3 % 3];
    const pk_pose pose_a = random_pose(&rng, 0.15), pose_b = random_pose(&rng, 0.15);
    pk_proximity by_gjk, by_closed;
    assert_true(distance(a, &pose_a, b, &pose_b, PK_NARROW_METHOD_GJK, INFINITY, &by_gjk));
    assert_true(distance(a, &pose_a, b, &pose_b, PK_NARROW_METHOD_AUTO, INFINITY, &by_closed));
    assert_near(by_gjk.distance, by_closed.distance, 1e-8);
  }
  free_body(&ball);
  free_body(&rod);
  free_body(&box);
}

/* Near pairs, any way round, in three sizes of cells: the nearest touch is off by the bound at most, and exact ones are there. */
static void volumes_are_off_by_their_bound_at_most(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(7);
  double cloud[3 * 24], worst[3] = {0, 0, 0};
  static const double cells[3] = {0.02, 0.01, 0.005};
  random_points(&rng, 24, V3(0.1, 0.07, 0.05), cloud);
  for (int c = 0; c < 3; c++) {
    body box = body_of(shape(PK_SHAPE_BOX, 0.2, 0.12, 0.08), cells[c]),
         hull = body_of(convex_of(cloud, 24), cells[c]);
    int near = 0;
    for (int i = 0; near < 60 && i < 4000; i++) {
      const body *b = i % 2 ? &hull : &box;
      const pk_pose pose_a = random_pose(&rng, 0.1), pose_b = random_pose(&rng, 0.1);
      pk_proximity p;
      pk_touch_point t[PK_TOUCH_MOST];
      assert_true(distance(&box, &pose_a, b, &pose_b, PK_NARROW_METHOD_GJK, INFINITY, &p));
      if (p.distance < -1e-3 || p.distance > 0.01) {
        continue;
      }
      near++;
      const int n = touch(&box, &pose_a, b, &pose_b, PK_NARROW_METHOD_VOLUMES, 0.01 + cells[c], t);
      assert_greater(n, 0);
      worst[c] = fmax(worst[c], fabs(least_gap(t, n) - p.distance));
    }
    assert_int_equal(near, 60);
    print_message("cells of %g m: off by %.2g of a cell\n", cells[c], worst[c] / cells[c]);
    assert_at_most(worst[c], 0.5 * sqrt(3) * cells[c]);
    free_body(&box);
    free_body(&hull);
  }
}

/* Blocks flush on each other, or a little beside: the four corners carry, straight up, at their exact height. */
static void flush_blocks_touch_straight_up(void **state)
{
  (void)state;
  body block = body_of(shape(PK_SHAPE_BOX, 0.3, 0.2, 0.1), 0);
  static const double beside[] = {0, 1e-9, 1e-6, 1e-4, 0.02};
  for (int i = 0; i < 5; i++) {
    for (int m = 0; m < PK_NARROW_METHOD_COUNT; m++) {
      pk_pose low = pk_pose_identity(), high = low;
      high.pos[0] = beside[i], high.pos[1] = -0.5 * beside[i], high.pos[2] = 0.1;
      pk_touch_point t[PK_TOUCH_MOST];
      const int n = touch(&block, &high, &block, &low, (pk_narrow_method)m, 5e-3, t);
      double reach[2][2] = {{1, -1}, {1, -1}};
      assert_in_range(n, 4, 8);
      for (int k = 0; k < n; k++) {
        assert_near3(t[k].normal, V3(0, 0, 1), 1e-6);
        assert_at_least(t[k].gap, -1e-9);
        assert_at_most(t[k].gap,
                       1e-9 + 1.5 * beside[i]); /* beside a corner: the way to it, coordinate by coordinate */
        for (int c = 0; c < 2; c++) {
          reach[c][0] = fmin(reach[c][0], t[k].point[0][c]),
          reach[c][1] = fmax(reach[c][1], t[k].point[0][c]);
        }
      }
      assert_near(least_gap(t, n), 0, 1e-8);
      assert_near(reach[0][1] - reach[0][0], 0.3 - beside[i], 0.0101 + beside[i]);
      assert_near(reach[1][1] - reach[1][0], 0.2 - 0.5 * beside[i], 0.0101 + beside[i]);
    }
  }
  free_body(&block);
}

/* Crossed beams touch where their edges cross: no corner of one is in the other. */
static void crossed_beams_touch_at_four_crossings(void **state)
{
  (void)state;
  body beam = body_of(shape(PK_SHAPE_BOX, 0.4, 0.05, 0.05), 0.01);
  pk_pose low = pk_pose_identity(), high = low;
  high.pos[2] = 0.05 - 1e-4;
  const double turn[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  memcpy(high.rot, turn, sizeof turn);
  for (int m = 0; m < PK_NARROW_METHOD_COUNT; m++) {
    pk_touch_point t[PK_TOUCH_MOST];
    const int n = touch(&beam, &high, &beam, &low, (pk_narrow_method)m, 0.02, t);
    int quarter[4] = {0, 0, 0, 0};
    for (int k = 0; k < n; k++) {
      assert_near3(t[k].normal, V3(0, 0, 1), 1e-6);
      assert_near(t[k].gap, -1e-4, 2e-5);
      assert_near(fabs(t[k].point[0][0]), 0.025, 0.01);
      assert_near(fabs(t[k].point[0][1]), 0.025, 0.01);
      quarter[(t[k].point[0][0] > 0) + 2 * (t[k].point[0][1] > 0)]++;
    }
    for (int k = 0; k < 4; k++) {
      assert_greater(quarter[k], 0);
    }
  }
  free_body(&beam);
}

/* A pair that a method does not take goes the usual way, to the bit. */
static void other_pairs_go_the_usual_way(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(9);
  body can = body_of(shape(PK_SHAPE_CYLINDER, 0.06, 0.1, 0), 0),
       box = body_of(shape(PK_SHAPE_BOX, 0.2, 0.1, 0.1), 0.02);
  static const pk_narrow_method methods[] = {PK_NARROW_METHOD_FEATURES, PK_NARROW_METHOD_VOLUMES,
                                             PK_NARROW_METHOD_TREES};
  for (int i = 0; i < 200; i++) {
    const pk_pose pose_a = random_pose(&rng, 0.1), pose_b = random_pose(&rng, 0.1);
    pk_touch_point usual[PK_TOUCH_MOST], t[PK_TOUCH_MOST];
    const int n = touch(&can, &pose_a, &box, &pose_b, PK_NARROW_METHOD_AUTO, 0.02, usual);
    assert_int_equal(touch(&can, &pose_a, &box, &pose_b, methods[i % 3], 0.02, t), n);
    for (int k = 0; k < n; k++) {
      assert_near3(t[k].point[0], usual[k].point[0], 0);
      assert_near(t[k].gap, usual[k].gap, 0);
    }
  }
  free_body(&can);
  free_body(&box);
}

static void grids_that_are_too_fine_are_refused(void **state)
{
  (void)state;
  pk_geometry *slab = shape(PK_SHAPE_BOX, 100, 100, 0.01);
  const pki_narrow_form_options o = {.cell = 0, .margin = 0.02};
  pki_narrow_form form;
  pk_error err;
  assert_int_equal(pki_narrow_form_make(PK_NARROW_METHOD_VOLUMES, slab, &o, &form, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "cells of 0.0025 m with a margin of 9 make more than 16777216 nodes of a "
                                   "mesh of 100 m; choose larger ones");
  pki_narrow_form_free(&form);
  pk_geometry_destroy(slab);
}

/* A cell does not grow beyond its shape, so that one length serves small shapes and large ones. */
static void cells_are_no_longer_than_their_shape(void **state)
{
  (void)state;
  pk_geometry *block = shape(PK_SHAPE_BOX, 0.3, 0.2, 0.1);
  const pki_narrow_form_options o = {.cell = 100, .margin = 0.02};
  pki_narrow_form form;
  pk_error err;
  assert_int_equal(pki_narrow_form_make(PK_NARROW_METHOD_VOLUMES, block, &o, &form, &err), PK_OK);
  assert_near(form.volume->cell, 0.3, 1e-12);
  pki_narrow_form_free(&form);
  pk_geometry_destroy(block);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_methods_agree_on_boxes_hulls_and_convex_meshes),
      cmocka_unit_test(gjk_agrees_with_closed_forms),
      cmocka_unit_test(volumes_are_off_by_their_bound_at_most),
      cmocka_unit_test(flush_blocks_touch_straight_up),
      cmocka_unit_test(crossed_beams_touch_at_four_crossings),
      cmocka_unit_test(other_pairs_go_the_usual_way),
      cmocka_unit_test(grids_that_are_too_fine_are_refused),
      cmocka_unit_test(cells_are_no_longer_than_their_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
