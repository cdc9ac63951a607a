/* The elimination plan: the ancestors for trees, the true pattern and all fill with followers. */
#include "model/build_help.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/compile.h"
#include "model/motion.h"
#include "support/bounds.h"
#include "support/random_tree.h"

enum { NU_MAX = 300 };

typedef struct pattern {
  unsigned char at[NU_MAX][NU_MAX];
} pattern;

/* Rows begin where the last one ended, columns ascend, the diagonal comes last. */
static void read_plan(const pk_model *m, pattern *plan)
{
  memset(plan, 0, sizeof *plan);
  assert_in_range(m->nu, 0, NU_MAX);
  assert_int_equal(m->M_row[0], 0);
  assert_int_equal(m->M_row[m->nu], m->nM);
  for (int k = 0; k < m->nu; k++) {
    assert_less(m->M_row[k], m->M_row[k + 1]);
    assert_int_equal(m->M_col[m->M_row[k + 1] - 1], k);
    for (int e = m->M_row[k]; e < m->M_row[k + 1]; e++) {
      assert_true(e == m->M_row[k] ? m->M_col[e] >= 0 : m->M_col[e] > m->M_col[e - 1]);
      plan->at[k][m->M_col[e]] = 1;
    }
  }
  int depth = 0;
  for (int k = 0; k < m->nu; k++) {
    int length = 1;
    for (int at = k; m->M_row[at + 1] - m->M_row[at] > 1; at = m->M_col[m->M_row[at + 1] - 2]) {
      length++;
    }
    depth = length > depth ? length : depth;
  }
  assert_int_equal(m->plan_depth, depth);
}

/* Entries of M = G' M_full G that can differ from zero: coordinates of a body and of its ancestors. */
static void mass_pattern(const pk_model *m, pattern *out)
{
  memset(out, 0, sizeof *out);
  for (int i = 0; i < m->nbody; i++) {
    for (int a = i; a >= 0; a = m->body_parent[a]) {
      for (int k = 0; k < pki_motion_nu(m->body_motion[i]); k++) {
        for (int e = 0; e < pki_motion_nu(m->body_motion[a]); e++) {
          const int r = m->body_u[i] + k, c = m->body_u[a] + e;
          out->at[r > c ? r : c][r > c ? c : r] = 1;
        }
      }
    }
  }
}

/* Dense symbolic elimination from the last row: all pairs of a row's columns become coupled. */
static void fill_pattern(pattern *p, int n)
{
  for (int k = n - 1; k >= 0; k--) {
    for (int i = 0; i < k; i++) {
      for (int j = 0; j <= i; j++) {
        p->at[i][j] |= p->at[k][i] & p->at[k][j];
      }
    }
  }
}

static void assert_same_pattern(const pattern *a, const pattern *b, int n)
{
  for (int i = 0; i < n; i++) {
    assert_memory_equal(a->at[i], b->at[i], (size_t)n);
  }
}

static void rows_of_trees_are_their_ancestors(void **state)
{
  (void)state;
  static pattern plan, expected;
  pki_random rng = pki_random_seeded(1);
  for (int round = 0; round < 300; round++) {
    const random_tree_options options = {
        .links = 1 + round % 30, .massless = round % 4 == 3, .root = (pk_root_kind)(1 + round % 3)};
    pk_model *m = random_tree(&rng, &options);
    read_plan(m, &plan);
    mass_pattern(m, &expected);
    assert_same_pattern(&plan, &expected, m->nu);
    fill_pattern(&expected, m->nu); /* nothing to fill */
    assert_same_pattern(&plan, &expected, m->nu);
    pk_model_destroy(m);
  }
}

static void rows_with_followers_hold_the_pattern_and_its_fill(void **state)
{
  (void)state;
  static pattern plan, expected;
  pki_random rng = pki_random_seeded(2);
  int with_mimic = 0, with_fill = 0;
  for (int round = 0; round < 300; round++) {
    const random_tree_options options = {
        .links = 5 + round % 30, .mimic = true, .root = (pk_root_kind)(1 + round % 3)};
    pk_model *m = random_tree(&rng, &options);
    read_plan(m, &plan);
    mass_pattern(m, &expected);
    int entries = 0;
    for (int k = 0; k < m->nu; k++) {
      for (int e = 0; e < m->nu; e++) {
        entries += expected.at[k][e];
      }
    }
    fill_pattern(&expected, m->nu);
    assert_same_pattern(&plan, &expected, m->nu);
    with_mimic += m->has_mimic, with_fill += m->nM > entries;
    pk_model_destroy(m);
  }
  assert_greater(with_mimic, 100);
  assert_greater(with_fill, 20);
}

/* What the plan leaves out is zero in the mass matrix itself. */
static void the_mass_matrix_is_zero_outside_the_plan(void **state)
{
  (void)state;
  static pattern plan;
  static double M[NU_MAX * NU_MAX], q[NU_MAX * 2];
  pki_random rng = pki_random_seeded(3);
  for (int round = 0; round < 100; round++) {
    const random_tree_options options = {
        .links = 5 + round % 20, .mimic = round % 2, .root = (pk_root_kind)(1 + round % 3)};
    pk_model *m = random_tree(&rng, &options);
    read_plan(m, &plan);
    random_config(&rng, m, q);
    pk_workspace *w;
    pk_workspace_create(m, &w, NULL);
    pk_mass_matrix(w, q, M);
    for (int i = 0; i < m->nu; i++) {
      for (int j = 0; j <= i; j++) {
        assert_true(plan.at[i][j] || M[i * m->nu + j] == 0);
        assert_true(M[i * m->nu + j] == M[j * m->nu + i]);
      }
    }
    pk_workspace_destroy(w);
    pk_model_destroy(m);
  }
}

/* Two arms; a hinge at the end of one follows one at the end of the other. */
static void a_follower_couples_the_arm_it_sits_on(void **state)
{
  (void)state;
  world w = one_robot();
  part *p = &w.parts[0];
  p->robot.root = PK_ROOT_FIXED;
  add_link(p, "d"), add_link(p, "e");
  add_joint(p, "l", PK_JOINT_CONTINUOUS, "a", "d");
  add_joint(p, "m", PK_JOINT_CONTINUOUS, "d", "e")->mimic = "k";
  pk_model *m = compile(&w);
  /* u: j, k (with m), l; eliminating l couples k with itself, and k couples j with itself */
  static const int rows[4] = {0, 1, 3, 5}, cols[5] = {0, 0, 1, 1, 2};
  assert_int_equal(m->nu, 3);
  assert_int_equal(m->nM, 5);
  assert_memory_equal(m->M_row, rows, sizeof rows);
  assert_memory_equal(m->M_col, cols, sizeof cols);
  pk_model_destroy(m);
}

/* ---- size ---- */

static pk_builder *long_chain(int links)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_chain_options options = pk_chain_options_default();
  options.links = links;
  assert_int_equal(pk_builder_add_chain(b, &options, NULL), PK_OK);
  return b;
}

static void expect_too_deep(pk_builder *b, const char *message)
{
  pk_model *m;
  pk_error err;
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_ERROR_LIMIT);
  assert_string_equal(err.message, message);
  assert_null(m);
  pk_builder_destroy(b);
}

static void a_chain_of_six_thousand_links_is_not_too_deep(void **state)
{
  (void)state;
  pk_builder *b = long_chain(6000);
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(m->nM, 6000 * 6001 / 2);
  pk_model_destroy(m);
  pk_builder_destroy(b);
}

/* A chain by hand, as long as one likes; all joints may follow the first one. */
static pk_builder *endless_chain(int length, bool follow)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FIXED;
  pk_builder_add_robot(b, &robot, NULL);
  for (int i = 0; i <= length; i++) {
    char name[16], parent[16], joint_name[16];
    snprintf(name, sizeof name, "l%d", i);
    snprintf(parent, sizeof parent, "l%d", i - 1);
    snprintf(joint_name, sizeof joint_name, "j%d", i);
    pk_builder_add_link(b, &(pk_link_desc){.name = name, .inertia = sound_inertia()}, NULL);
    pk_joint_desc joint = pk_joint_desc_default();
    joint.name = joint_name, joint.parent = parent, joint.child = name,
    joint.mimic = follow && i > 1 ? "j1" : NULL;
    if (i > 0) {
      assert_int_equal(pk_builder_add_joint(b, &joint, NULL), PK_OK);
    }
  }
  return b;
}

static void a_chain_of_twenty_thousand_links_is_too_deep(void **state)
{
  (void)state;
  expect_too_deep(endless_chain(20000, false),
                  "the mass matrix would keep more than 67108864 entries: the tree is too deep "
                  "for 20000 velocities");
}

/* One coordinate, and still a deep tree. */
static void followers_do_not_hide_the_depth(void **state)
{
  (void)state;
  expect_too_deep(
      endless_chain(20000, true),
      "the mass matrix would keep more than 67108864 entries: the tree is too deep for 1 velocities");
}

/* Dense rows: the plan of a long chain with one follower takes quadratic, not cubic, time. */
static void a_long_chain_with_a_follower_is_planned_in_time(void **state)
{
  (void)state;
  enum { LENGTH = 6000 };
  pk_builder *b = long_chain(LENGTH);
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = "follower", joint.parent = "base", joint.child = "extra", joint.mimic = "joint1";
  pk_builder_add_link(b, &(pk_link_desc){.name = "extra", .inertia = sound_inertia()}, NULL);
  pk_builder_add_joint(b, &joint, NULL);
  pk_model *m = NULL;
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  assert_int_equal(m->nu, LENGTH);
  assert_int_equal(m->nM, LENGTH * (LENGTH + 1) / 2);
  pk_model_destroy(m);
  pk_builder_destroy(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_trees_are_their_ancestors),
      cmocka_unit_test(rows_with_followers_hold_the_pattern_and_its_fill),
      cmocka_unit_test(the_mass_matrix_is_zero_outside_the_plan),
      cmocka_unit_test(a_follower_couples_the_arm_it_sits_on),
      cmocka_unit_test(a_chain_of_six_thousand_links_is_not_too_deep),
      cmocka_unit_test(a_chain_of_twenty_thousand_links_is_too_deep),
      cmocka_unit_test(followers_do_not_hide_the_depth),
      cmocka_unit_test(a_long_chain_with_a_follower_is_planned_in_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
