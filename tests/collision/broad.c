/* Broad phases: all ways find the pairs that all pairs of boxes tell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "collision/broad/broad.h"
#include "collision/help.h"
#include "support/allocations.h"

enum { MOST = 200000 };

typedef struct rig {
  pki_broad broad;
  void *memory;
} rig;

static rig rig_of(pk_broad_phase kind, int n)
{
  rig r;
  pki_arena counting = pki_arena_over(NULL, 0);
  pki_broad_carve(&r.broad, kind, n, &counting);
  r.memory = pki_aligned_alloc(counting.used + 64);
  memset(r.memory, 0xa5, counting.used + 64);
  pki_arena arena = pki_arena_over(r.memory, counting.used);
  pki_broad_carve(&r.broad, kind, n, &arena);
  assert_false(arena.overflow);
  assert_int_equal(arena.used, counting.used);
  return r;
}

/* The answer, by its definition. */
static int all_pairs(const pki_aabb *boxes, int n, pki_want_pair want, pki_box_pair *out)
{
  int count = 0;
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n; j++) {
      bool meet = want == NULL || want(i, j, NULL);
      for (int k = 0; k < 3; k++) {
        meet = meet && boxes[i].min[k] <= boxes[j].max[k] && boxes[j].min[k] <= boxes[i].max[k] &&
               boxes[i].min[k] <= boxes[i].max[k] && boxes[j].min[k] <= boxes[j].max[k];
      }
      if (meet) {
        out[count++] = (pki_box_pair){i, j};
      }
    }
  }
  return count;
}

static pki_aabb box_at(const double c[3], double half)
{
  return (pki_aabb){{c[0] - half, c[1] - half, c[2] - half}, {c[0] + half, c[1] + half, c[2] + half}};
}

/* Boxes of very different sizes among them planes, points and boxes that are none; they drift, and jump now and then. */
static void move_boxes(pki_random *rng, int round, pki_aabb *boxes, int n, double spread)
{
  for (int i = 0; i < n; i++) {
    double c[3];
    const bool jump = round == 0 || pki_random_unit(rng) < 0.02;
    for (int k = 0; k < 3; k++) {
      c[k] = jump ? pki_random_between(rng, -spread, spread)
                  : 0.5 * (boxes[i].min[k] + boxes[i].max[k]) + 0.02 * pki_random_normal(rng);
    }
    const double half = i % 7 == 0 ? 0 : exp(pki_random_between(rng, -3, 0.5));
    boxes[i] = box_at(c, half);
    if (i % 50 == 13) {
      boxes[i] = (pki_aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, pki_random_unit(rng)}};
    }
    if (i % 50 == 17 && round % 2 == 1) {
      boxes[i].min[i % 3] = NAN;
    }
    if (i % 50 == 18 && round % 3 == 1) {
      boxes[i].max[1] = boxes[i].min[1] - 1;
    }
    if (i % 50 == 19) {
      boxes[i] = box_at(c, 1e6);
    }
  }
}

static bool odd_ones(int a, int b, const void *user)
{
  (void)user;
  return ((a + b) & 1) != 0;
}

static void expect_same(rig *r, const pki_aabb *boxes, pki_want_pair want, pki_box_pair *found,
                        pki_box_pair *expected)
{
  const int n = all_pairs(boxes, r->broad.n, want, expected);
  const int count = pki_broad_pairs(&r->broad, boxes, want, NULL, found, MOST);
  assert_int_equal(count, n);
  assert_memory_equal(found, expected, (size_t)n * sizeof *found);
}

static void every_way_finds_the_pairs_of_scenes_in_motion(void **state)
{
  (void)state;
  pki_box_pair *found = malloc(MOST * sizeof *found), *expected = malloc(MOST * sizeof *expected);
  pki_aabb *boxes = malloc(400 * sizeof *boxes);
  const int sizes[] = {0, 1, 2, 3, 17, 400};
  for (int s = 0; s < 6; s++) {
    for (int kind = PK_BROAD_PHASE_AUTO; kind < PK_BROAD_PHASE_COUNT; kind++) {
      pki_random rng = pki_random_seeded(7);
      rig r = rig_of((pk_broad_phase)kind, sizes[s]);
      assert_int_not_equal(r.broad.kind, PK_BROAD_PHASE_AUTO);
      for (int round = 0; round < 40; round++) {
        move_boxes(&rng, round, boxes, sizes[s], 4);
        if (round == 25) {
          pki_broad_reset(&r.broad);
        }
        expect_same(&r, boxes, round < 25 ? NULL : odd_ones, found, expected);
      }
      pki_aligned_free(r.memory);
    }
  }
  free(boxes), free(found), free(expected);
}

static bool of_two_families(int a, int b, const void *user)
{
  (void)user;
  return a / 3 % 7 != b / 3 % 7;
}

static void boxes_of_one_family_never_meet(void **state)
{
  (void)state;
  enum { N = 400 };
  pki_box_pair *found = malloc(MOST * sizeof *found), *expected = malloc(MOST * sizeof *expected);
  static pki_aabb boxes[N];
  static int family[N];
  for (int i = 0; i < N; i++) {
    family[i] = i / 3 % 7 - 1;
  }
  for (int kind = PK_BROAD_PHASE_AUTO; kind < PK_BROAD_PHASE_COUNT; kind++) {
    pki_random rng = pki_random_seeded(8);
    rig r = rig_of((pk_broad_phase)kind, N);
    r.broad.family = family;
    for (int round = 0; round < 40; round++) {
      move_boxes(&rng, round, boxes, N, 4);
      const int n = all_pairs(boxes, N, of_two_families, expected);
      assert_int_equal(pki_broad_pairs(&r.broad, boxes, NULL, NULL, found, MOST), n);
      assert_memory_equal(found, expected, (size_t)n * sizeof *found);
    }
    pki_aligned_free(r.memory);
  }
  free(found), free(expected);
}

/* A body with very many shapes in one place, and a ground of very many planes: with a tree that becomes a list, or
 * questions about all pairs of a family, this does not end within the test's time. */
static void very_many_boxes_of_one_family_are_passed_over(void **state)
{
  (void)state;
  enum { N = 200000 };
  pki_aabb *boxes = malloc(N * sizeof *boxes);
  int *family = malloc(N * sizeof *family);
  pki_box_pair found[10];
  for (int huge = 0; huge < 2; huge++) {
    for (int i = 0; i < N; i++) {
      boxes[i] = box_at((double[3]){0, 0, 0}, 1);
      if (huge) {
        boxes[i] = (pki_aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, 0}};
      }
      family[i] = 4;
    }
    boxes[7] = box_at((double[3]){100, 0, 100}, 1);
    boxes[N / 2] = box_at((double[3]){101, 0, 100}, 1);
    family[7] = 5;
    rig r = rig_of(PK_BROAD_PHASE_TREE, N);
    r.broad.family = family;
    for (int again = 0; again < 3; again++) {
      boxes[7].min[0] -= again, boxes[7].max[0] -= again;
      assert_int_equal(pki_broad_pairs(&r.broad, boxes, NULL, NULL, found, 10), again < 2);
      assert_true(again == 2 || (found[0].a == 7 && found[0].b == N / 2));
    }
    pki_aligned_free(r.memory);
  }
  free(boxes), free(family);
}

static void boxes_that_touch_overlap(void **state)
{
  (void)state;
  const pki_aabb boxes[] = {{{0, 0, 0}, {1, 1, 1}},
                            {{1, 1, 1}, {2, 2, 2}},
                            {{1 + 1e-15, 3, 0}, {2, 4, 1}},
                            {{2, 2, 2}, {2, 2, 2}},
                            {{0, 0, 1.0000000000000002}, {0.5, 0.5, 2}}};
  const pki_box_pair expected[] = {{0, 1}, {1, 3}};
  for (int kind = PK_BROAD_PHASE_EXHAUSTIVE; kind < PK_BROAD_PHASE_COUNT; kind++) {
    pki_box_pair found[10];
    rig r = rig_of((pk_broad_phase)kind, 5);
    for (int again = 0; again < 3; again++) {
      assert_int_equal(pki_broad_pairs(&r.broad, boxes, NULL, NULL, found, 10), 2);
      assert_memory_equal(found, expected, sizeof expected);
    }
    pki_aligned_free(r.memory);
  }
}

static void nested_and_equal_boxes_do_no_harm(void **state)
{
  (void)state;
  enum { N = 300 };
  pki_box_pair *found = malloc(MOST * sizeof *found), *expected = malloc(MOST * sizeof *expected);
  static pki_aabb boxes[N];
  for (int kind = PK_BROAD_PHASE_EXHAUSTIVE; kind < PK_BROAD_PHASE_COUNT; kind++) {
    rig r = rig_of((pk_broad_phase)kind, N);
    for (int i = 0; i < N; i++) { /* sizes from 1e-20 to 1e20 m about one place */
      boxes[i] = box_at((double[3]){1, 2, 3}, pow(10, -20 + i * 40.0 / N));
    }
    expect_same(&r, boxes, NULL, found, expected);
    for (int i = 0; i < N; i++) {
      boxes[i] = box_at((double[3]){1e6, 2, 3}, 1e-6);
    }
    expect_same(&r, boxes, NULL, found, expected);
    for (int i = 0; i < N; i++) { /* far out and tiny */
      boxes[i] = box_at((double[3]){1e12 + i, -1e12, 1e9}, 1e-9);
    }
    expect_same(&r, boxes, NULL, found, expected);
    pki_aligned_free(r.memory);
  }
  free(found), free(expected);
}

static void more_pairs_than_there_is_room_for_are_counted(void **state)
{
  (void)state;
  enum { N = 60, ALL = N * (N - 1) / 2 };
  pki_aabb boxes[N];
  pki_box_pair found[100];
  for (int i = 0; i < N; i++) {
    boxes[i] = box_at((double[3]){0.001 * i, 0, 0}, 1);
  }
  for (int kind = PK_BROAD_PHASE_EXHAUSTIVE; kind < PK_BROAD_PHASE_COUNT; kind++) {
    rig r = rig_of((pk_broad_phase)kind, N);
    for (int again = 0; again < 3; again++) {
      memset(found, 0xff, sizeof found);
      assert_int_equal(pki_broad_pairs(&r.broad, boxes, NULL, NULL, found, 99), ALL);
      assert_int_equal(found[99].a, -1);
      for (int i = 1; i < 99; i++) {
        assert_true(found[i].a > found[i - 1].a ||
                    (found[i].a == found[i - 1].a && found[i].b > found[i - 1].b));
      }
    }
    pki_aligned_free(r.memory);
  }
}

static void searching_allocates_nothing(void **state)
{
  (void)state;
  static pki_aabb boxes[200];
  static pki_box_pair found[MOST / 10];
  for (int kind = PK_BROAD_PHASE_EXHAUSTIVE; kind < PK_BROAD_PHASE_COUNT; kind++) {
    pki_random rng = pki_random_seeded(3);
    rig r = rig_of((pk_broad_phase)kind, 200);
    for (int round = 0; round < 5; round++) {
      move_boxes(&rng, round, boxes, 200, 4);
      const int before = allocations;
      pki_broad_pairs(&r.broad, boxes, NULL, NULL, found, MOST / 10);
      assert_int_equal(allocations, before);
    }
    pki_aligned_free(r.memory);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_way_finds_the_pairs_of_scenes_in_motion),
      cmocka_unit_test(boxes_of_one_family_never_meet),
      cmocka_unit_test(very_many_boxes_of_one_family_are_passed_over),
      cmocka_unit_test(boxes_that_touch_overlap),
      cmocka_unit_test(nested_and_equal_boxes_do_no_harm),
      cmocka_unit_test(more_pairs_than_there_is_room_for_are_counted),
      cmocka_unit_test(searching_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
