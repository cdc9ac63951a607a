/* Links of one robot among each other: who collides, and what overlaps at the start. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/collision.h"
#include "support/bounds.h"

static void add_link(pk_builder *b, const char *name, double radius)
{
  const pk_link_desc link = {.name = name, .inertia = {.mass = 1, .moment = {0.01, 0, 0, 0.01, 0, 0.01}}};
  pk_shape_desc shape = {
      .link = name, .kind = PK_SHAPE_SPHERE, .pose = pk_pose_identity(), .size = {radius, 0, 0}};
  assert_int_equal(pk_builder_add_link(b, &link, NULL), PK_OK);
  assert_int_equal(pk_builder_add_shape(b, &shape, NULL), PK_OK);
}

static void add_slider(pk_builder *b, const char *parent, const char *child, double x)
{
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = child, joint.kind = PK_JOINT_PRISMATIC, joint.parent = parent, joint.child = child;
  joint.axis[0] = 1, joint.axis[1] = joint.axis[2] = 0;
  joint.lower = -10, joint.upper = 10, joint.origin.pos[0] = x;
  pk_error err = {.message = ""};
  if (pk_builder_add_joint(b, &joint, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
}

/* Beads of radius 0.1 m on a rail along x: a and b slide on the base, which is far below, c slides on b. */
static pk_model *rail(double a, double b, double c, const char *prefix)
{
  pk_builder *builder;
  pk_builder_create(&builder, NULL);
  pk_robot_desc robot = pk_robot_desc_default();
  pk_model *m = NULL;
  robot.name = "rail", robot.root = PK_ROOT_FIXED, robot.prefix = prefix;
  pk_builder_set_gravity(builder, (const double[3]){0, 0, 0});
  assert_int_equal(pk_builder_add_robot(builder, &robot, NULL), PK_OK);
  const pk_link_desc base = {.name = "base"};
  assert_int_equal(pk_builder_add_link(builder, &base, NULL), PK_OK);
  add_link(builder, "a", 0.1), add_link(builder, "b", 0.1), add_link(builder, "c", 0.1);
  add_slider(builder, "base", "a", a), add_slider(builder, "base", "b", b),
      add_slider(builder, "b", "c", c - b);
  pk_error err = {.message = ""};
  if (pk_builder_compile(builder, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(builder);
  return m;
}

static pk_sim *world_of(const pk_model *m, bool self)
{
  pk_sim_options o = pk_sim_options_default();
  pk_sim *sim = NULL;
  pk_error err = {.message = ""};
  o.self_collision = self;
  if (pk_sim_create(m, &o, &sim, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return sim;
}

static int link_of(const pk_sim *sim, const char *name)
{
  const int link = pk_model_find_link(pk_sim_model(sim), name);
  assert_at_least(link, 0);
  return link;
}

/* a flies at b: where it is after a second. */
static double fly(pk_sim *sim)
{
  pk_sim_u(sim)[0] = 1;
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  return pk_sim_q(sim)[0];
}

static void links_of_a_robot_stop_each_other(void **state)
{
  (void)state;
  pk_model *m = rail(0, 0.5, 0.9, NULL);
  pk_sim *on = world_of(m, true), *off = world_of(m, false);
  assert_int_equal(pk_sim_release_overlaps(on, NULL, 0), 0);
  assert_less(fabs(fly(off) - 1), 1e-9);
  /* no restitution: a and b go on together, b with c on it; momentum stays */
  const double x = fly(on), *u = pk_sim_u(on);
  assert_less(x, 0.9);
  const double total = u[0] + 2 * u[1] + u[2]; /* c moves with b and by itself */
  assert_less(fabs(total - 1), 1e-9);
  /* a and b are 0.2 m apart */
  const double gap = 0.5 + pk_sim_q(on)[1] - x - 0.2;
  assert_greater(gap, -1e-6);
  pk_sim_destroy(on);
  pk_sim_destroy(off);
  pk_model_destroy(m);
}

static void links_that_overlap_at_the_start_are_released_and_told(void **state)
{
  (void)state;
  pk_model *m = rail(0, 0.17, 0.05, NULL);
  pk_sim *sim = world_of(m, true);
  pk_sim_overlap_pair pairs[4];
  /* a with b by 3 cm, a with c by 15 cm; b and c are joined */
  assert_int_equal(pk_sim_release_overlaps(sim, pairs, 4), 2);
  for (int i = 0; i < 2; i++) {
    const bool b = pairs[i].link[1] == link_of(sim, "b");
    assert_int_equal(pairs[i].link[0], link_of(sim, "a"));
    assert_true(b || pairs[i].link[1] == link_of(sim, "c"));
    assert_less(fabs(pairs[i].depth - (b ? 0.03 : 0.15)), 1e-12);
  }
  assert_int_equal(pk_sim_release_overlaps(sim, pairs, 0), 2);
  assert_less(fabs(fly(sim) - 1), 1e-9); /* it passes */

  /* in another pose they are apart, and collide again */
  pk_sim_reset(sim);
  pk_sim_q(sim)[1] = 0.5;
  assert_int_equal(pk_sim_release_overlaps(sim, pairs, 4), 0);
  assert_less(fly(sim), 0.95);

  /* a pair that is switched off by name is no news; one that is forced collides though it overlaps */
  pk_sim_reset(sim);
  assert_int_equal(pk_sim_set_collision(sim, link_of(sim, "a"), link_of(sim, "b"), false, NULL), PK_OK);
  assert_int_equal(pk_sim_release_overlaps(sim, pairs, 4), 1);
  assert_int_equal(pairs[0].link[1], link_of(sim, "c"));
  assert_int_equal(pk_sim_set_collision(sim, link_of(sim, "a"), link_of(sim, "c"), true, NULL), PK_OK);
  assert_int_equal(pk_sim_release_overlaps(sim, pairs, 4), 0);
  assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  assert_greater(pk_sim_contacts(sim, NULL, 0), 0);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

static void touching_links_are_not_released(void **state)
{
  (void)state;
  pk_model *m = rail(0, 0.2 - 0.3e-6, 0.6, NULL); /* less than a millionth of the size of a link, 0.35 m */
  pk_sim *sim = world_of(m, true);
  assert_int_equal(pk_sim_release_overlaps(sim, NULL, 0), 0);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

static void pairs_and_groups_are_switched(void **state)
{
  (void)state;
  pk_model *m = rail(0, 0.5, 0.9, NULL);
  pk_sim *sim = world_of(m, true);
  const int a = link_of(sim, "a"), b = link_of(sim, "b"), c = link_of(sim, "c");
  assert_int_equal(pk_sim_set_collision(sim, b, a, false, NULL), PK_OK);
  assert_int_equal(pk_sim_set_collision(sim, c, a, false, NULL), PK_OK);
  assert_less(fabs(fly(sim) - 1), 1e-9);
  pk_sim_reset(sim); /* keeps it */
  assert_less(fabs(fly(sim) - 1), 1e-9);
  pk_sim_reset(sim);
  assert_int_equal(pk_sim_set_collision(sim, a, b, true, NULL), PK_OK);
  assert_less(fly(sim), 0.95);
  pk_sim_destroy(sim);

  sim = world_of(m, true);
  for (int i = 0; i < m->nshape; i++) {
    if (m->shapes[i].link == a) {
      assert_int_equal(pk_sim_set_group(sim, i, 2, 4, NULL), PK_OK);
    }
  }
  assert_less(fabs(fly(sim) - 1), 1e-9);
  pk_sim_destroy(sim);

  /* the whole robot off, one pair on */
  sim = world_of(m, false);
  assert_int_equal(pk_sim_set_collision(sim, a, b, true, NULL), PK_OK);
  assert_less(fly(sim), 0.95);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

static void what_cannot_be_is_refused(void **state)
{
  (void)state;
  pk_model *m = rail(0, 0.5, 0.9, NULL);
  pk_sim *sim = world_of(m, true);
  pk_error err;
  assert_int_equal(pk_sim_set_collision(sim, -1, 0, true, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "link_a");
  assert_int_equal(pk_sim_set_collision(sim, 0, m->nlink, false, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "link_b");
  assert_int_equal(pk_sim_set_collision(sim, 1, 1, true, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "they cannot collide"));
  assert_int_equal(pk_sim_set_group(sim, m->nshape, 1, 1, &err), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_sim_set_group(sim, -1, 1, 1, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "shape");
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

static void srdf_files_switch_pairs_off(void **state)
{
  (void)state;
  char path[] = PK_BUILD_DIR "/self_collision.srdf";
  pk_model *m = rail(0, 0.5, 0.9, "left_");
  pk_sim *sim = world_of(m, true);
  pk_error err;
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs("<robot name='rail'>\n<disable_collisions link1='a' link2='b' reason='User'/>\n"
        "<disable_collisions link1='a' link2='c'/>\n</robot>\n",
        f);
  fclose(f);
  /* without the prefix the links are not there, and nothing changes */
  assert_int_equal(pk_sim_load_srdf(sim, path, NULL, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "there is no link \"a\""));
  assert_int_equal(err.line, 2);
  assert_string_equal(err.file, path);
  assert_less(fly(sim), 0.95);
  pk_sim_reset(sim);
  assert_int_equal(pk_sim_load_srdf(sim, path, "left_", &err), PK_OK);
  assert_less(fabs(fly(sim) - 1), 1e-9);
  assert_int_equal(pk_sim_load_srdf(sim, PK_BUILD_DIR "/none.srdf", NULL, &err), PK_ERROR_FILE);
  remove(path);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(links_of_a_robot_stop_each_other),
      cmocka_unit_test(links_that_overlap_at_the_start_are_released_and_told),
      cmocka_unit_test(touching_links_are_not_released),
      cmocka_unit_test(pairs_and_groups_are_switched),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(srdf_files_switch_pairs_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
