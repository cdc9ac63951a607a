/* Where bodies meet each other, and that the way of searching does not matter. */
#include "collision/rig.h"

#include <stdio.h>

#include "support/allocations.h"
#include "support/bounds.h"

static void bodies_touch_in_the_middle_of_their_gap(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  const pk_shape_desc ball = shape_of(PK_SHAPE_SPHERE, 0.5, 0, 0);
  add_body(b, "a", PK_ROOT_FREE, &ball, 1);
  add_body(b, "b", PK_ROOT_FREE, &ball, 1);
  rig *r = rig_make(compile(b), PK_BROAD_PHASE_AUTO, MOST);
  pki_contact c[MOST];
  double q[14] = {2, 0, 0, 1, 0, 0, 0, 3.0625, 0, 0, 1, 0, 0, 0};
  assert_int_equal(find_q(r, q, 0.125, c), 1);
  expect_contact(&c[0], 0.0625, V3(2.53125, 0, 0), V3(-1, 0, 0), 1e-15);
  assert_int_equal(c[0].body, 0);
  assert_int_equal(c[0].other, 1);
  assert_int_equal(c[0].material, -1);
  assert_int_equal(c[0].geom[0], 0);
  assert_int_equal(c[0].geom[1], 1);
  assert_int_equal(find_q(r, q, 0.0624, c), 0);
  q[7] = 2.75; /* they overlap by a quarter */
  assert_int_equal(find_q(r, q, 0, c), 1);
  expect_contact(&c[0], -0.25, V3(2.375, 0, 0), V3(-1, 0, 0), 1e-15);
  rig_free(r);
}

static void what_is_fixed_in_the_world_is_ground_without_a_material(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  const pk_shape_desc ball = shape_of(PK_SHAPE_SPHERE, 0.5, 0, 0), box = shape_of(PK_SHAPE_BOX, 4, 4, 1);
  add_body(b, "table", PK_ROOT_FIXED, &box, 1);
  add_body(b, "a", PK_ROOT_FREE, &ball, 1);
  add_body(b, "wall", PK_ROOT_FIXED, &box, 1);
  add_body(b, "b", PK_ROOT_FREE, &ball, 1);
  rig *r = rig_make(compile(b), PK_BROAD_PHASE_AUTO, MOST);
  pki_contact c[MOST];
  const double q[14] = {0, 0, 1, 1, 0, 0, 0, 1.03125, 0, 1, 1, 0, 0, 0};
  const int n = find_q(r, q, 0.125, c);
  assert_int_equal(n, 3); /* the wall coincides with the table */
  expect_order(c, n);
  expect_contact(&c[0], 0, V3(0, 0, 0.5), V3(0, 0, 1), 1e-15);
  assert_int_equal(c[0].geom[0], 1);
  assert_int_equal(c[0].geom[1], 0);
  assert_int_equal(c[0].other, -1);
  assert_int_equal(c[0].material, -1);
  assert_int_equal(c[1].geom[1], 3);
  assert_int_equal(c[1].other, 1);
  rig_free(r);
}

enum { PILE = 90, FEW = 45 };

/* Shapes of all kinds, each a body; some fixed in the world. */
static pk_model *pile_of(int count)
{
  static const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
  static const int sides[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  static const pk_mesh mesh = {
      .name = "cube", .nvertex = 8, .ntriangle = 12, .vertex = cube[0], .triangle = sides[0]};
  pk_builder *b;
  pk_builder_create(&b, NULL);
  for (int i = 0; i < count; i++) {
    static const pk_shape_kind kinds[] = {PK_SHAPE_SPHERE, PK_SHAPE_BOX,       PK_SHAPE_CAPSULE,
                                          PK_SHAPE_CONVEX, PK_SHAPE_ELLIPSOID, PK_SHAPE_CYLINDER,
                                          PK_SHAPE_BOX,    PK_SHAPE_CONE,      PK_SHAPE_MESH};
    char name[8];
    snprintf(name, sizeof name, "b%d", i);
    pk_shape_desc shape = shape_of(kinds[i % 9], 0.3, 0.5, 0.4);
    shape.mesh = shape.kind == PK_SHAPE_CONVEX || shape.kind == PK_SHAPE_MESH ? &mesh : NULL;
    add_body(b, name, i % 7 == 3 ? PK_ROOT_FIXED : PK_ROOT_FREE, &shape, 1);
  }
  return compile(b);
}

static pk_model *pile_model(void)
{
  return pile_of(PILE);
}

static int save_all(const pki_colliders *c, int32_t (*out)[PKI_MEMORY_INTS])
{
  for (int i = 0; i < c->nmemory; i++) {
    pki_colliders_save(c, i, out[i]);
  }
  return c->nmemory;
}

static void every_broad_phase_gives_the_same_contacts(void **state)
{
  (void)state;
  enum { ROOM = 2000 };
  static pki_contact found[PK_BROAD_PHASE_COUNT][ROOM];
  rig *r[PK_BROAD_PHASE_COUNT];
  for (int k = 0; k < PK_BROAD_PHASE_COUNT; k++) {
    r[k] = rig_make(pile_model(), (pk_broad_phase)k, ROOM);
    add_plane(r[k], V3(0, 0, -1), V3(0, 0, 1), 0);
    add_box(r[k], 0, 0, -1, V3(2, 2, 0.5));
    rig_ground(r[k]);
  }
  pki_random rng = pki_random_seeded(11);
  static double q[7 * PILE];
  const int nq = r[0]->model->nq;
  for (int i = 0; i < nq; i += 7) {
    for (int k = 0; k < 3; k++) {
      q[i + k] = pki_random_between(&rng, -1.4, 1.4);
    }
    pki_random_quaternion(&rng, q + i + 3);
  }
  int seen = 0;
  for (int step = 0; step < 12; step++) {
    int n[PK_BROAD_PHASE_COUNT], memories[PK_BROAD_PHASE_COUNT];
    static int32_t memory[PK_BROAD_PHASE_COUNT][ROOM][PKI_MEMORY_INTS];
    for (int k = 0; k < PK_BROAD_PHASE_COUNT; k++) {
      bool overflow;
      memset(found[k], 0, sizeof found[k]);
      memset(memory[k], 0, sizeof memory[k]);
      pk_kinematics_compute(r[k]->work, q, NULL);
      n[k] = pki_contacts_find(&r[k]->colliders, &r[k]->work->work, 0, 0.02, found[k], ROOM, &overflow);
      assert_false(overflow);
      memories[k] = save_all(&r[k]->colliders, memory[k]);
      assert_int_equal(n[k], n[0]);
      assert_int_equal(memories[k], memories[0]);
      assert_memory_equal(found[k], found[0], sizeof found[0]);
      assert_memory_equal(memory[k], memory[0], sizeof memory[0]);
    }
    expect_order(found[0], n[0]);
    seen += n[0];
    for (int i = 0; i < nq; i++) {
      q[i] += 0.02 * pki_random_normal(&rng);
    }
  }
  assert_greater(seen, 500);
  for (int k = 0; k < PK_BROAD_PHASE_COUNT; k++) {
    rig_free(r[k]);
  }
}

/* One world whose pairs sleep, one in which all are woken before each search. */
static void pairs_wake_in_time(void **state)
{
  (void)state;
  enum { ROOM = 2000, STEPS = 150 };
  static pki_contact found[2][ROOM];
  static double q[7 * PILE], u[7 * PILE];
  for (int many = 0; many < 2; many++) {
    rig *r[2];
    pki_random rng = pki_random_seeded(21);
    for (int k = 0; k < 2; k++) {
      r[k] = rig_make(many ? pile_model() : pile_of(FEW), PK_BROAD_PHASE_AUTO, ROOM);
      add_plane(r[k], V3(0, 0, -1), V3(0, 0, 1), 0);
      add_box(r[k], 0, 0, -1, V3(2, 2, 0.5));
      rig_ground(r[k]);
      assert_int_equal(r[k]->colliders.listed, !many);
    }
    const int nq = r[0]->model->nq;
    int seen = 0, changes = 0, last = 0;
    for (int i = 0; i < nq; i++) {
      q[i] = i % 7 < 3 ? pki_random_between(&rng, -3, 3) : pki_random_normal(&rng);
    }
    for (int step = 0; step < STEPS; step++) {
      int n[2];
      bool overflow;
      for (int k = 0; k < 2; k++) {
        memset(found[k], 0, sizeof found[k]);
        pk_kinematics_compute(r[k]->work, q, NULL);
        if (k == 1) {
          pki_colliders_refilter(&r[k]->colliders);
        }
        const double margin = step % 3 == 2 ? 0 : 0.02;
        n[k] = pki_contacts_find(&r[k]->colliders, &r[k]->work->work, 0, margin, found[k], ROOM, &overflow);
        assert_false(overflow);
      }
      assert_int_equal(n[0], n[1]);
      assert_memory_equal(found[0], found[1], sizeof found[0]);
      seen += n[0], changes += n[0] != last, last = n[0];
      for (int i = 0; i < nq; i++) { /* they fly through each other; now and then all jump */
        u[i] = step % 20 == 0 ? 0.03 * pki_random_normal(&rng) : u[i];
        q[i] += step % 50 == 49 ? pki_random_normal(&rng) : u[i];
        u[i] -= i % 7 < 3 ? 2e-4 * q[i] : 0;
      }
    }
    assert_greater(seen, 500);
    assert_greater(changes, STEPS / 4);
    rig_free(r[0]);
    rig_free(r[1]);
  }
}

static void a_bar_that_turns_in_place_wakes_its_pairs(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  const pk_shape_desc bar = shape_of(PK_SHAPE_BOX, 2, 0.0625, 0.0625),
                      ball = shape_of(PK_SHAPE_SPHERE, 0.0625, 0, 0);
  add_body(b, "bar", PK_ROOT_FREE, &bar, 1);
  add_body(b, "ball", PK_ROOT_FREE, &ball, 1);
  rig *r = rig_make(compile(b), PK_BROAD_PHASE_AUTO, MOST);
  pki_contact c[MOST];
  int touched = 0;
  for (int i = 0; i <= 200; i++) {
    const double a = 0.5 * acos(-1) * i / 200;
    const double q[14] = {0, 0, 0, cos(a / 2), 0, 0, sin(a / 2), 0, 0.9, 0, 1, 0, 0, 0};
    const double gap = 0.9 * cos(a) - 0.03125 - 0.0625;
    const int n = find_q(r, q, 0.02, c);
    assert_int_equal(n > 0, gap <= 0.02);
    touched += n > 0;
  }
  assert_greater(touched, 5);
  rig_free(r);
}

static void a_world_goes_on_from_what_its_pairs_remembered(void **state)
{
  (void)state;
  enum { ROOM = 2000 };
  static int32_t memory[ROOM][PKI_MEMORY_INTS];
  static pki_contact a[ROOM], b[ROOM];
  rig *r = rig_make(pile_model(), PK_BROAD_PHASE_AUTO, ROOM),
      *other = rig_make(pile_model(), PK_BROAD_PHASE_AUTO, ROOM);
  pki_random rng = pki_random_seeded(12);
  static double q[7 * PILE];
  bool overflow;
  for (int i = 0; i < r->model->nq; i += 7) {
    for (int k = 0; k < 3; k++) {
      q[i + k] = pki_random_between(&rng, -1.2, 1.2);
    }
    pki_random_quaternion(&rng, q + i + 3);
  }
  pk_kinematics_compute(r->work, q, NULL);
  pki_contacts_find(&r->colliders, &r->work->work, 0, 0.02, a, ROOM, &overflow);
  const int n = save_all(&r->colliders, memory);
  assert_greater(n, 10);
  for (int i = 0, last[2] = {-1, -1}; i < n; i++) {
    assert_true(pki_colliders_check(&other->colliders, memory[i], last));
    pki_colliders_load(&other->colliders, i, memory[i]);
  }
  /* what was kept comes back */
  pki_colliders_keep(&r->colliders);
  q[0] += 0.01;
  memset(a, 0, sizeof a), memset(b, 0, sizeof b);
  pk_kinematics_compute(r->work, q, NULL);
  pk_kinematics_compute(other->work, q, NULL);
  pki_contacts_find(&r->colliders, &r->work->work, 0, 0.02, a, ROOM, &overflow);
  pki_contacts_find(&other->colliders, &other->work->work, 0, 0.02, b, ROOM, &overflow);
  assert_memory_equal(a, b, sizeof a);
  pki_colliders_restore(&r->colliders);
  static int32_t again[ROOM][PKI_MEMORY_INTS];
  assert_int_equal(save_all(&r->colliders, again), n);
  assert_memory_equal(again, memory, (size_t)n * sizeof memory[0]);
  /* numbers that cannot be are refused */
  const int32_t bad[][PKI_MEMORY_INTS] = {{-1, 1, 0, 0}, {0, 9999, 0, 0}, {0, 1, 1000000, 0},
                                          {0, 1, 0, -1}, {1, 0, 0, 0},    {1, 1, 0, 0}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_false(pki_colliders_check(&r->colliders, bad[i], (int[2]){-1, -1}));
  }
  int last[2] = {-1, -1}; /* nor twice */
  assert_true(pki_colliders_check(&r->colliders, memory[0], last));
  assert_false(pki_colliders_check(&r->colliders, memory[0], last));
  rig_free(r);
  rig_free(other);
}

static void finding_contacts_allocates_nothing(void **state)
{
  (void)state;
  double z[16] = {0};
  assert_greater(allocations, 0); /* the counter counts */
  for (int k = 0; k < PK_BROAD_PHASE_COUNT; k++) {
    rig *r = rig_make(pile_model(), (pk_broad_phase)k, 1000);
    assert_int_equal(pk_terrain_add_stairs(r->terrain, V3(0, 0, 0), 0.25, 0.0625, 2, 4, 1, NULL), PK_OK);
    assert_int_equal(pk_terrain_add_heights(r->terrain, V3(-1, -1, 0), 4, 4, 0.5, z, 2, NULL), PK_OK);
    rig_ground(r);
    static pki_contact c[1000];
    double q[7 * PILE];
    bool overflow;
    for (int i = 0; i < r->model->nq; i++) {
      q[i] = i % 7 == 3 ? 1 : 0.01 * (i % 100);
    }
    pk_kinematics_compute(r->work, q, NULL);
    allocations = 0;
    assert_greater(pki_contacts_find(&r->colliders, &r->work->work, 0, 0.01, c, 1000, &overflow), 0);
    assert_int_equal(allocations, 0);
    allocations = 1;
    rig_free(r);
  }
}

static void the_room_for_pairs_grows_with_that_for_contacts(void **state)
{
  (void)state;
  enum { COUNT = 200 };
  const pk_shape_desc ball = shape_of(PK_SHAPE_SPHERE, 0.1, 0, 0);
  for (int many = 0; many < 2; many++) {
    pk_builder *b;
    pk_builder_create(&b, NULL);
    for (int i = 0; i < COUNT; i++) {
      char name[16];
      snprintf(name, sizeof name, "b%d", i);
      add_body(b, name, PK_ROOT_FREE, &ball, 1);
    }
    rig *r = rig_make(compile(b), PK_BROAD_PHASE_AUTO, many ? 1000 : 10);
    double q[7 * COUNT] = {0}; /* all in one place */
    for (int i = 0; i < COUNT; i++) {
      q[7 * i + 3] = 1;
    }
    pk_kinematics_compute(r->work, q, NULL);
    pki_colliders_move(&r->colliders, &r->work->work, 0);
    assert_int_equal(pki_colliders_pairs(&r->colliders, &r->work->work, 0, 0),
                     many ? COUNT * (COUNT - 1) / 2 : -1);
    rig_free(r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_touch_in_the_middle_of_their_gap),
      cmocka_unit_test(what_is_fixed_in_the_world_is_ground_without_a_material),
      cmocka_unit_test(every_broad_phase_gives_the_same_contacts),
      cmocka_unit_test(pairs_wake_in_time),
      cmocka_unit_test(a_bar_that_turns_in_place_wakes_its_pairs),
      cmocka_unit_test(a_world_goes_on_from_what_its_pairs_remembered),
      cmocka_unit_test(finding_contacts_allocates_nothing),
      cmocka_unit_test(the_room_for_pairs_grows_with_that_for_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
