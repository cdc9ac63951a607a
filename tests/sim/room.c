/* Room for contacts: it grows where it was left to the model, and nobody sees it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "pronk/collision.h"
#include "support/bounds.h"
#include "support/world.h"

enum { FEET = 40, STEPS = 60 };

/* A table with 40 feet, boxes that stand on four corners each: 160 contacts. */
static pk_model *table_model(void)
{
  pk_builder *b;
  pk_error err = {.message = ""};
  pk_model *m = NULL;
  pk_builder_create(&b, &err);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FREE;
  pk_builder_add_robot(b, &robot, &err);
  const pk_link_desc link = {.name = "table", .inertia = {.mass = 20, .moment = {2, 0, 0, 2, 0, 3}}};
  pk_builder_add_link(b, &link, &err);
  for (int i = 0; i < FEET; i++) {
    pk_shape_desc foot = {
        .link = "table", .kind = PK_SHAPE_BOX, .pose = pk_pose_identity(), .size = {0.05, 0.05, 0.2}};
    foot.pose.pos[0] = 0.1 * (i % 8), foot.pose.pos[1] = 0.1 * (i / 8);
    assert_int_equal(pk_builder_add_shape(b, &foot, &err), PK_OK);
  }
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return m;
}

/* In the air, tilted: it comes down on some feet first. */
static void lift_table(pk_sim *sim)
{
  double *q = pk_sim_q(sim);
  q[2] = 0.13, q[3] = cos(0.02), q[4] = sin(0.02), q[5] = q[6] = 0;
}

static pk_sim *table_world(const pk_model *m, pk_terrain *t, int max_contacts)
{
  pk_sim_options o = pk_sim_options_default();
  o.max_contacts = max_contacts;
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.6}, &o);
  lift_table(sim);
  return sim;
}

static int step_until_more_than(pk_sim *sim, int contacts)
{
  for (int i = 0; i < 2000; i++) {
    must_step(sim);
    if (pk_sim_contacts(sim, NULL, 0) > contacts) {
      return i + 1;
    }
  }
  fail_msg("never more than %d contacts", contacts);
  return 0;
}

static void assert_same_state(pk_sim *a, pk_sim *b, const pk_model *m)
{
  assert_memory_equal(pk_sim_q(a), pk_sim_q(b), (size_t)m->nq * sizeof(double));
  assert_memory_equal(pk_sim_u(a), pk_sim_u(b), (size_t)m->nu * sizeof(double));
}

static void room_grows_and_the_steps_are_those_of_a_world_that_had_it(void **state)
{
  (void)state;
  pk_model *m = table_model();
  pk_terrain *t = slope_terrain(0);
  pk_sim *left = table_world(m, t, 0), *given = table_world(m, t, 1000);
  assert_int_equal(pk_sim_max_contacts(left), 128);
  const double *q = pk_sim_q(left);
  for (int n = step_until_more_than(left, 128) + STEPS, i = 0; i < n; i++) {
    must_step(given);
  }
  for (int i = 0; i < STEPS; i++) {
    must_step(left);
  }
  assert_int_equal(pk_sim_max_contacts(left), 256);
  assert_ptr_equal(pk_sim_q(left), q); /* what a user holds stays where it is */
  assert_same_state(left, given, m);
  assert_int_equal(pk_sim_contacts(left, NULL, 0), pk_sim_contacts(given, NULL, 0));
  assert_int_equal(pk_sim_uncertified(left), 0);
  pk_sim_destroy(left);
  pk_sim_destroy(given);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void states_from_before_and_after_go_back(void **state)
{
  (void)state;
  pk_model *m = table_model();
  pk_terrain *t = slope_terrain(0);
  pk_error err = {.message = ""};
  pk_sim *a = table_world(m, t, 0), *b = table_world(m, t, 0), *small = table_world(m, t, 128);
  const size_t before = pk_sim_state_size(a);
  void *first = malloc(before);
  pk_sim_get_state(a, first);
  step_until_more_than(a, 128);
  const size_t after = pk_sim_state_size(a);
  assert_less(before, after);
  void *second = malloc(after);
  pk_sim_get_state(a, second);
  /* into a world that has not grown yet */
  assert_int_equal(pk_sim_set_state(b, second, after, &err), PK_OK);
  assert_int_equal(pk_sim_max_contacts(b), 256);
  for (int i = 0; i < STEPS; i++) {
    must_step(a), must_step(b);
  }
  assert_same_state(a, b, m);
  /* one that may not */
  assert_int_equal(pk_sim_set_state(small, second, after, &err), PK_ERROR_LIMIT);
  assert_non_null(strstr(err.message, "contacts, this world has room for 128: raise max_contacts"));
  /* an older one into the grown world, named with its size or the world's */
  assert_int_equal(pk_sim_set_state(a, first, before, &err), PK_OK);
  assert_int_equal(pk_sim_set_state(b, first, pk_sim_state_size(b), &err), PK_OK);
  for (int i = 0; i < STEPS; i++) {
    must_step(a), must_step(b);
  }
  assert_same_state(a, b, m);
  free(first), free(second);
  pk_sim_destroy(a);
  pk_sim_destroy(b);
  pk_sim_destroy(small);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void must_fail(pk_sim *sim)
{
  pk_step_info info;
  for (int i = 0; i < 2000; i++) {
    const pk_status status = pk_sim_step(sim, &info);
    if (status != PK_OK) {
      assert_int_equal(status, PK_ERROR_LIMIT);
      assert_string_equal(info.term, "max_contacts");
      return;
    }
  }
  fail_msg("it never failed");
}

static void given_room_and_given_memory_do_not_grow(void **state)
{
  (void)state;
  pk_model *m = table_model();
  pk_terrain *t = slope_terrain(0);
  pk_error err = {.message = ""};
  pk_sim *sim = table_world(m, t, 128);
  must_fail(sim);
  pk_sim_destroy(sim);
  void *memory = pki_aligned_alloc(pk_sim_memsize(m, NULL));
  assert_int_equal(pk_sim_init(m, NULL, memory, &sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, t, NULL, 0, &err), PK_OK);
  lift_table(sim);
  must_fail(sim);
  pk_sim_destroy(sim);
  pki_aligned_free(memory);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(room_grows_and_the_steps_are_those_of_a_world_that_had_it),
      cmocka_unit_test(states_from_before_and_after_go_back),
      cmocka_unit_test(given_room_and_given_memory_do_not_grow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
