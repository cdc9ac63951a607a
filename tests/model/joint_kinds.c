/* Joint kinds are rows of a table: what a row must keep to, and that a row is all that the builder, the compiler and
 * URDF need. The table of this program has the rows of support/toy_joints.c after the library's. */
#include "model/expect_help.h"
#include "model/motion.h"
#include "support/toy_joints.h"

/* ---- rows ---- */

static void check_parts(const pki_joint_type *type)
{
  int next = 0; /* velocity that a part may be the first to have */
  assert_in_range(type->nparts, 0, PKI_JOINT_PARTS);
  for (int i = 0; i < type->nparts; i++) {
    const pki_joint_part *p = &type->parts[i];
    const int n = pki_motion_nu(p->motion);
    assert_in_range(p->motion, 0, PK_MOTION_COUNT - 1);
    if (n == 1) {
      assert_in_range(p->axis, 0, 2);
      assert_true(isfinite(p->gain) && p->gain != 0);
    }
    if (p->coordinate < next) {
      assert_int_equal(n, 1);
      assert_true(pki_joint_part_shares(type, i));
    } else {
      assert_int_equal(p->coordinate, next);
      assert_false(pki_joint_part_shares(type, i));
      next += n;
    }
  }
}

static int kinds_called(const char *name)
{
  int count = 0;
  for (int i = 0; i < pki_joint_type_count; i++) {
    count += strcmp(pki_joint_types[i]->name, name) == 0;
  }
  return count;
}

static int kinds_written(const char *word)
{
  int count = 0;
  for (int i = 0; i < pki_joint_type_count * PKI_JOINT_WORDS; i++) {
    const char *other = pki_joint_types[i / PKI_JOINT_WORDS]->urdf[i % PKI_JOINT_WORDS];
    count += other != NULL && strcmp(other, word) == 0;
  }
  return count;
}

static void every_row_of_the_table_keeps_the_rules(void **state)
{
  (void)state;
  assert_int_equal(pki_joint_type_count, TOY_END);
  for (int i = 0; i < pki_joint_type_count; i++) {
    const pki_joint_type *type = pki_joint_types[i];
    assert_non_null(type);
    assert_true(type->doc != NULL && type->doc[0] != '\0');
    assert_int_equal(kinds_called(type->name), 1);
    for (int k = 0; k < PKI_JOINT_WORDS; k++) {
      assert_true(type->urdf[k] == NULL || kinds_written(type->urdf[k]) == 1);
    }
    check_parts(type);
    assert_true(!type->has_limits || pki_joint_nu((pk_joint_kind)i) == 1);
    assert_true(type->unlimited == NULL || (type->has_limits && kinds_called(type->unlimited) == 1));
  }
}

static void a_row_names_its_kind(void **state)
{
  (void)state;
#define CHECK_NAME(kind, name) assert_string_equal(pk_joint_kind_name((pk_joint_kind)kind), #name);
  PK_JOINT_KINDS(CHECK_NAME)
  TOY_JOINT_KINDS(CHECK_NAME)
#undef CHECK_NAME
  assert_string_equal(pk_joint_kind_name((pk_joint_kind)TOY_END), "unknown");
  assert_null(pki_joint_type_of((pk_joint_kind)TOY_END));
  assert_null(pki_joint_type_of((pk_joint_kind)-1));
}

static void what_a_kind_is_follows_from_its_parts(void **state)
{
  (void)state;
  static const struct {
    int kind, nq, nu;
    bool has_axis, can_be_cut;
    const char *lengths; /* m: the velocity is a travel, r: a turn */
  } rows[] = {
      {PK_JOINT_FIXED, 0, 0, false, false, ""},       {PK_JOINT_REVOLUTE, 1, 1, true, true, "r"},
      {PK_JOINT_CONTINUOUS, 1, 1, true, true, "r"},   {PK_JOINT_PRISMATIC, 1, 1, true, true, "m"},
      {PK_JOINT_PLANAR, 3, 3, true, true, "mmr"},     {PK_JOINT_FLOATING, 7, 6, false, true, "mmmrrr"},
      {PK_JOINT_SPHERICAL, 4, 3, false, true, "rrr"}, {TOY_SCREW, 1, 1, true, false, "r"},
      {TOY_UNIVERSAL, 2, 2, true, false, "rr"},       {TOY_CYLINDRICAL, 2, 2, true, true, "mr"},
      {TOY_HOMOKINETIC, 2, 2, true, false, "rr"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const pk_joint_kind kind = (pk_joint_kind)rows[i].kind;
    assert_int_equal(pki_joint_nq(kind), rows[i].nq);
    assert_int_equal(pki_joint_nu(kind), rows[i].nu);
    assert_int_equal(pki_joint_moves(kind), rows[i].nu > 0);
    assert_int_equal(pki_joint_has_axis(kind), rows[i].has_axis);
    assert_int_equal(pki_joint_can_be_cut(kind), rows[i].can_be_cut);
    for (int k = 0; k < rows[i].nu; k++) {
      assert_int_equal(pki_joint_is_length(kind, k), rows[i].lengths[k] == 'm');
    }
  }
}

/* ---- the builder and the compiler ---- */

static void a_new_kind_compiles_to_its_parts(void **state)
{
  (void)state;
  world w = one_robot();
  pk_joint_desc *j = &w.parts[0].joints[0], *k = &w.parts[0].joints[1];
  j->kind = (pk_joint_kind)TOY_SCREW, j->lower = -2, j->upper = 3, j->damping = 4;
  j->axis[0] = 0, j->axis[1] = -1;
  k->kind = (pk_joint_kind)TOY_UNIVERSAL, k->lower = -5, k->upper = 6;
  pk_model *m = compile(&w);
  /* the free root, the screw's turn and travel, the two hinges */
  assert_int_equal(m->nbody, 5);
  assert_int_equal(m->nu, 6 + 1 + 2);
  assert_int_equal(m->nq, 7 + 1 + 2);
  assert_int_equal(m->joints[0].nu, 1);
  assert_int_equal(m->joints[0].body, 2);
  static const int motion[5] = {PK_MOTION_FLOATING, PK_MOTION_REVOLUTE, PK_MOTION_PRISMATIC,
                                PK_MOTION_REVOLUTE, PK_MOTION_REVOLUTE};
  static const int axis[5] = {0, 1, 1, 1, 2}, q[5] = {0, 7, 7, 8, 9}, u[5] = {0, 6, 6, 7, 8};
  static const double gain[5] = {1, -1, -TOY_PITCH, 1, 1};
  for (int i = 0; i < 5; i++) {
    assert_int_equal(m->body_motion[i], motion[i]);
    assert_int_equal(m->body_axis[i], axis[i]);
    assert_int_equal(m->body_q[i], q[i]);
    assert_int_equal(m->body_u[i], u[i]);
    assert_near(m->body_gain[i], gain[i], 0);
    assert_near(m->body_inertia[10 * i], i == 1 || i == 3 ? 0 : 1, 0);
  }
  assert_true(m->has_mimic);
  assert_near(m->dof_lower[6], -2, 0);
  assert_near(m->dof_upper[6], 3, 0);
  assert_near(m->dof_damping[6], 4, 0); /* once, whatever the parts */
  assert_true(isinf(m->dof_lower[7]) && isinf(m->dof_upper[8]));
  assert_int_equal(m->dof_q[6], 7);
  pk_model_destroy(m);
}

static void a_screw_leads_and_follows(void **state)
{
  (void)state;
  world w = one_robot();
  w.parts[0].joints[0].kind = w.parts[0].joints[1].kind = (pk_joint_kind)TOY_SCREW;
  pk_joint_desc *k = &w.parts[0].joints[1];
  k->mimic = "j", k->mimic_multiplier = -3, k->mimic_offset = 0.5;
  pk_model *m = compile(&w);
  assert_int_equal(m->nu, 7);
  for (int i = 1; i < 5; i++) {
    assert_int_equal(m->body_u[i], 6);
    assert_int_equal(m->body_q[i], 7);
  }
  assert_near(m->body_gain[3], -3, 0);
  assert_near(m->body_gain[4], -3 * TOY_PITCH, 1e-17);
  assert_near(m->body_offset[3], 0.5, 0);
  assert_near(m->body_offset[4], 0.5 * TOY_PITCH, 1e-17);
  pk_model_destroy(m);

  w.parts[0].joints[0].kind = (pk_joint_kind)TOY_UNIVERSAL;
  expect_error(&w, PK_ERROR_MODEL, 12, "k",
               "joint \"k\" (screw) mimics \"j\" (universal): both must have one coordinate");
}

static void refuse_to_cut(pk_joint_kind kind, const char *message)
{
  world w = one_robot();
  w.parts[0].joints[1].kind = kind;
  pk_builder *b = describe(&w);
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  assert_int_equal(pk_builder_cut_joint(b, NULL, NULL), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_ERROR_MODEL);
  assert_string_equal(err.message, message);
  pk_builder_destroy(b);
}

static void a_kind_that_no_constraint_stands_for_is_not_cut(void **state)
{
  (void)state;
  refuse_to_cut((pk_joint_kind)TOY_SCREW,
                "joint \"k\" (screw) cannot be cut: no constraint stands for its motion");
  refuse_to_cut((pk_joint_kind)TOY_UNIVERSAL,
                "joint \"k\" (universal) cannot be cut: no constraint stands for its motion");
}

static void a_kind_beyond_the_table_is_refused(void **state)
{
  (void)state;
  world w = one_robot();
  w.parts[0].njoint = 0;
  pk_builder *b = describe(&w);
  pk_joint_desc joint = three_links().joints[0];
  joint.kind = (pk_joint_kind)TOY_END;
  pk_error err = {.message = ""};
  assert_int_equal(pk_builder_add_joint(b, &joint, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "joint \"j\" needs a kind, a parent link and a child link");
  pk_builder_destroy(b);
}

/* ---- URDF ---- */

#define LINK(name) \
  "<link name='" name "'><inertial><mass value='1'/>" \
  "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>\n"
#define JOINED(type, inside) \
  "<robot name='r'>\n" LINK("a") LINK("b") "<joint name='j' type='" type \
                                           "'><parent link='a'/><child link='b'/>" \
                                           "<axis xyz='0 0 1'/>" inside "</joint></robot>"

static pk_status load_with(const char *text, const pk_load_options *options, pk_model **model, pk_error *err)
{
  pk_builder *b = NULL;
  assert_int_equal(pk_builder_create(&b, NULL), PK_OK);
  pk_status status = pk_builder_add_urdf_memory(b, text, strlen(text), "t.urdf", options, err);
  status = status == PK_OK ? pk_builder_compile(b, model, err) : status;
  pk_builder_destroy(b);
  return status;
}

static pk_status load(const char *text, pk_model **model, pk_error *err)
{
  return load_with(text, NULL, model, err);
}

static void urdf_reads_the_words_of_a_row(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int kind;
  } rows[] = {{JOINED("screw", "<limit lower='-1' upper='2'/>"), TOY_SCREW},
              {JOINED("helical", "<limit lower='-1' upper='2'/>"), TOY_SCREW},
              {JOINED("universal", ""), TOY_UNIVERSAL}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    pk_model *m = NULL;
    pk_error err = {.message = ""};
    if (load(rows[i].text, &m, &err) != PK_OK || m == NULL) {
      fail_msg("%s", err.message);
      return;
    }
    assert_int_equal(m->joints[0].kind, rows[i].kind);
    const bool is_screw = rows[i].kind == TOY_SCREW;
    assert_true(is_screw ? m->dof_lower[0] == -1 && m->dof_upper[0] == 2 : isinf(m->dof_lower[0]));
    assert_near(m->joints[0].axis[2], 1, 0);
    pk_model_destroy(m);
  }
}

static void urdf_asks_for_what_a_row_needs(void **state)
{
  (void)state;
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  pk_load_options strict = pk_load_options_default();
  strict.strict = true;
  assert_int_equal(load_with(JOINED("screw", ""), &strict, &m, &err), PK_ERROR_MODEL);
  assert_non_null(strstr(err.message, "a screw joint without <limit>: the joint has no limits"));
  /* otherwise that is a warning, and it has none */
  assert_int_equal(load(JOINED("screw", ""), &m, &err), PK_OK);
  if (m == NULL) {
    fail_msg("no model");
    return;
  }
  assert_true(isinf(m->dof_lower[0]) && isinf(m->dof_upper[0]));
  pk_model_destroy(m);
  assert_int_equal(load(JOINED("univesal", ""), &m, &err), PK_ERROR_SYNTAX);
  assert_non_null(
      strstr(err.message, "unknown joint type \"univesal\"; did you mean \"universal\"?: expected fixed, "));
  assert_non_null(strstr(err.message, ", screw, universal, cylindrical or homokinetic"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_of_the_table_keeps_the_rules),
      cmocka_unit_test(a_row_names_its_kind),
      cmocka_unit_test(what_a_kind_is_follows_from_its_parts),
      cmocka_unit_test(a_new_kind_compiles_to_its_parts),
      cmocka_unit_test(a_screw_leads_and_follows),
      cmocka_unit_test(a_kind_that_no_constraint_stands_for_is_not_cut),
      cmocka_unit_test(a_kind_beyond_the_table_is_refused),
      cmocka_unit_test(urdf_reads_the_words_of_a_row),
      cmocka_unit_test(urdf_asks_for_what_a_row_needs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
