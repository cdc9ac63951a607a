/* Cut joints and loops in a model: what is compiled, and what is refused with which words. */
#include "model/build_help.h"
#include "support/bounds.h"

/* The world of three links with cuts and constraints, which a test sets. */
typedef struct extra {
  const char *cut; /* "*": all; NULL: none */
  pk_constraint_desc constraint;
} extra;

static pk_status compile_with(const world *w, const extra *e, pk_model **model, pk_error *err)
{
  pk_builder *b = describe(w);
  pk_status status = PK_OK;
  *model = NULL;
  if (e->cut != NULL) {
    status = pk_builder_cut_joint(b, strcmp(e->cut, "*") == 0 ? NULL : e->cut, err);
  }
  if (status == PK_OK && e->constraint.name != NULL) {
    status = pk_builder_add_constraint(b, &e->constraint, err);
  }
  if (status == PK_OK) {
    status = pk_builder_compile(b, model, err);
  }
  pk_builder_destroy(b);
  return status;
}

/* The same, which must succeed. */
static pk_model *must_compile(const world *w, const extra *e)
{
  pk_model *m = NULL;
  if (compile_with(w, e, &m, NULL) != PK_OK || m == NULL) {
    fail();
  }
  return m;
}

static world usual(void)
{
  return (world){.parts = {three_links()}, .nparts = 1, .gravity = {0, 0, -9.81}};
}

static void refuses(const world *w, const extra *e, const char *message)
{
  pk_model *model;
  pk_error err = {.message = ""};
  assert_int_not_equal(compile_with(w, e, &model, &err), PK_OK);
  assert_string_equal(err.message, message);
  assert_null(model);
}

static pk_constraint_desc between(pk_constraint_kind kind, const char *a, const char *b)
{
  pk_constraint_desc c = pk_constraint_desc_default();
  c.name = "loop", c.kind = kind, c.link[0] = a, c.link[1] = b, c.length = 0.5;
  return c;
}

static void a_cut_joint_frees_its_child_and_keeps_the_tree(void **state)
{
  (void)state;
  const world w = usual();
  pk_model *m = must_compile(&w, &(extra){.cut = "k"});
  assert_non_null(m->tree);
  assert_null(m->tree->tree);
  assert_int_equal(m->nbody, 3);
  assert_int_equal(m->nu, m->tree->nu - 1 + 6);
  assert_int_equal(m->nconstraint, 1);
  assert_int_equal(m->nbilateral, 5);
  assert_int_equal(m->ndrive, 1);
  assert_int_equal(m->nplan, m->nu + 6);
  const int k = pk_model_find_joint(m, "k"), j = pk_model_find_joint(m, "j");
  assert_int_equal(m->joints[k].constraint, 0);
  assert_int_equal(m->joints[k].q, -1);
  assert_int_equal(m->joints[j].constraint, -1);
  assert_int_equal(m->constraints[0].joint, k);
  assert_int_equal(m->body_parent[m->constraints[0].body[1]], -1);
  assert_true(pk_model_hash(m) != pk_model_hash(m->tree));
  pk_model_destroy(m);
}

static void kinds_lock_what_they_say(void **state)
{
  (void)state;
  static const int rows[PK_CONSTRAINT_KIND_COUNT] = {6, 3, 5, 5, 1};
  const world w = usual();
  for (int kind = 0; kind <= PK_CONSTRAINT_DISTANCE; kind++) {
    pk_model *m = must_compile(&w, &(extra){.constraint = between(kind, "a", "c")});
    assert_int_equal(m->nbilateral, rows[kind]);
    assert_int_equal(m->constraints[0].kind, kind);
    assert_null(m->tree);
    assert_int_equal(m->constraints[0].plan, 0); /* loops are eliminated last */
    pk_model_destroy(m);
    m = must_compile(&w, &(extra){.constraint = between(kind, NULL, "c")});
    assert_int_equal(m->constraints[0].body[0], -1);
    pk_model_destroy(m);
  }
}

/* A follower makes rows of M unions, a loop shifts them: M stays what it is without the loop. */
static void followers_and_loops_share_the_plan(void **state)
{
  (void)state;
  world w = usual();
  w.parts[0].joints[1].mimic = "j", w.parts[0].joints[1].mimic_multiplier = 0.5;
  double M[2][64], q[16] = {0.1, 0.2, 0.3, 1, 0, 0, 0, 0.4};
  for (int loop = 0; loop < 2; loop++) {
    extra e = {0};
    if (loop) {
      e.constraint = between(PK_CONSTRAINT_BALL, NULL, "c");
    }
    pk_model *m = must_compile(&w, &e);
    assert_int_equal(m->nu, 7);
    assert_int_equal(m->nplan, loop ? 10 : 7);
    pk_workspace *work;
    pk_workspace_create(m, &work, NULL);
    pk_mass_matrix(work, q, M[loop]);
    pk_workspace_destroy(work);
    pk_model_destroy(m);
  }
  for (int i = 0; i < 49; i++) {
    assert_less(fabs(M[0][i] - M[1][i]), 1e-14);
  }
  /* a follower that undoes its massless leader is found among the rows of a loop too */
  pk_joint_desc *j = &w.parts[0].joints[0], *k = &w.parts[0].joints[1];
  w.parts[0].links[1].inertia = (pk_inertia){0};
  j->kind = k->kind = PK_JOINT_CONTINUOUS;
  memcpy(k->axis, j->axis, sizeof k->axis);
  k->origin.pos[0] = 0.7, k->origin.pos[1] = k->origin.pos[2] = 0;
  k->mimic_multiplier = -1;
  refuses(&w, &(extra){.constraint = between(PK_CONSTRAINT_BALL, NULL, "a")},
          "joint \"j\" and the joints that mimic it cancel: together they move nothing that has inertia; "
          "give link \"b\" "
          "mass, or change a multiplier");
}

/* Maximal coordinates of a chain: the plan grows with its length, not with its square. */
static void the_plan_of_maximal_coordinates_is_linear(void **state)
{
  (void)state;
  int entries[2];
  for (int k = 0; k < 2; k++) {
    pk_chain_options o = pk_chain_options_default();
    o.links = k ? 400 : 200;
    pk_builder *b;
    pk_builder_create(&b, NULL);
    pk_model *m = NULL;
    assert_int_equal(pk_builder_add_chain(b, &o, NULL), PK_OK);
    assert_int_equal(pk_builder_cut_joint(b, NULL, NULL), PK_OK);
    assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
    assert_int_equal(m->nu, 6 * o.links);
    entries[k] = m->nM;
    pk_model_destroy(m);
    pk_builder_destroy(b);
  }
  assert_less(entries[1], 2 * entries[0] + 100);
  assert_less(entries[0], 200 * 120); /* 12 unknowns each meet at most those of two bodies */
}

static void there_is_a_largest_number_of_constraints(void **state)
{
  (void)state;
  pk_builder *b;
  pk_error err = {.message = ""};
  pk_constraint_desc weld = pk_constraint_desc_default();
  weld.name = "weld", weld.line = 3;
  pk_builder_create(&b, NULL);
  for (int i = 0; i < 100000; i++) {
    assert_int_equal(pk_builder_add_constraint(b, &weld, NULL), PK_OK);
  }
  assert_int_equal(pk_builder_add_constraint(b, &weld, &err), PK_ERROR_LIMIT);
  assert_string_equal(err.message, "there are more than 100000 constraints");
  assert_int_equal(err.line, 3);
  pk_builder_destroy(b);
}

static void what_cannot_be_cut_is_named(void **state)
{
  (void)state;
  world w = usual();
  refuses(&w, &(extra){.cut = "kk"}, "cut joint \"kk\" does not exist; did you mean \"k\"?");
  w.parts[0].joints[1].kind = PK_JOINT_FIXED;
  refuses(&w, &(extra){.cut = "k"}, "joint \"k\" is fixed: there is nothing to cut");
  w = usual();
  w.parts[0].joints[1].mimic = "j";
  refuses(&w, &(extra){.cut = "j"},
          "joint \"j\" takes part in a mimic and cannot be cut: its coordinate is shared");
  refuses(&w, &(extra){.cut = "*"},
          "joint \"j\" takes part in a mimic and cannot be cut: its coordinate is shared");
  w = usual();
  w.parts[0].links[1].inertia = (pk_inertia){0};
  refuses(&w, &(extra){.cut = "*"},
          "link \"b\" has too little mass or inertia of its own to move alone when joint \"j\" is cut: give "
          "it more, or "
          "do not cut the joint");
}

static void a_constraint_that_means_nothing_is_refused(void **state)
{
  (void)state;
  const world w = usual();
  extra e = {.constraint = between(PK_CONSTRAINT_BALL, "a", "cc")};
  refuses(&w, &e, "constrained link \"cc\" does not exist; did you mean \"c\"?");
  e.constraint = between(PK_CONSTRAINT_BALL, "a", "a");
  refuses(&w, &e, "constraint \"loop\" joins a body to itself: its two links never move against each other");
  e.constraint = between(PK_CONSTRAINT_DISTANCE, "a", "c");
  e.constraint.length = 0;
  refuses(&w, &e,
          "the length of constraint \"loop\" is 0 m, expected a positive number: a ball holds two points "
          "together");
  e.constraint = between(PK_CONSTRAINT_KIND_COUNT, "a", "c");
  refuses(&w, &e, "the kind of constraint \"loop\" is 6, expected a pk_constraint_kind");
  e.constraint = between(PK_CONSTRAINT_WELD, "a", "c");
  e.constraint.frame[1].pos[2] = NAN;
  refuses(&w, &e, "a frame of constraint \"loop\" is not finite, or its matrix is no rotation");
  e.constraint = between(PK_CONSTRAINT_WELD, "a", "c");
  e.constraint.name = "";
  refuses(&w, &e, "a constraint needs a name");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cut_joint_frees_its_child_and_keeps_the_tree),
      cmocka_unit_test(kinds_lock_what_they_say),
      cmocka_unit_test(followers_and_loops_share_the_plan),
      cmocka_unit_test(the_plan_of_maximal_coordinates_is_linear),
      cmocka_unit_test(there_is_a_largest_number_of_constraints),
      cmocka_unit_test(what_cannot_be_cut_is_named),
      cmocka_unit_test(a_constraint_that_means_nothing_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
