/* The chain generator: n equal rods, as asked, and errors that name the option. */
#include "model/build_help.h"

#include <stdio.h>

#include "model/chain.h"
#include "model/compile.h"
#include "support/bounds.h"

static pk_model *chain(pk_chain_options options)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *m = NULL;
  assert_int_equal(pk_builder_add_chain(b, &options, NULL), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  pk_builder_destroy(b);
  return m;
}

static void the_default_is_ten_links_on_a_fixed_base(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *m = NULL;
  assert_int_equal(pk_builder_add_chain(b, NULL, NULL), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  int count;
  pk_builder_diagnostics(b, &count);
  assert_int_equal(count, 0);
  pk_builder_destroy(b);
  assert_int_equal(m->nbody, 10);
  assert_int_equal(m->nu, 10);
  assert_int_equal(m->nlink, 11);
  assert_int_equal(m->robots[0].root, PK_ROOT_FIXED);
  assert_string_equal(m->robots[0].name, "chain");
  assert_near(m->mass, 10, 1e-14);
  for (int i = 0; i < 10; i++) {
    char name[16];
    snprintf(name, sizeof name, "joint%d", i + 1);
    assert_string_equal(m->joints[i].name, name);
    assert_int_equal(m->body_parent[i], i - 1);
    assert_int_equal(m->body_axis[i], i % 2 == 0 ? 1 : 0); /* y, x, y, ... */
    assert_near(m->body_pos[3 * i + 2], i == 0 ? 0 : -0.3, 0);
  }
  pk_model_destroy(m);
}

/* A rod of length L, radius L/20, that hangs from its joint. */
static void links_are_slender_rods(void **state)
{
  (void)state;
  const double L = 0.5, mass = 2, r = L / 20;
  pk_model *m = chain((pk_chain_options){.links = 3, .length = L, .mass = mass, .root = PK_ROOT_FIXED});
  const double across = mass * (L * L / 3 + r * r / 4), along = mass * r * r / 2; /* about the joint */
  const double expected[10] = {mass, 0, 0, -mass * L / 2, across, 0, 0, across, 0, along};
  for (int i = 0; i < 3; i++) {
    assert_all_near(m->body_inertia + 10 * i, expected, 10, 1e-15);
    assert_int_equal(m->body_axis[i], 1); /* all y */
  }
  pk_model_destroy(m);
}

static void a_free_chain_has_a_rod_for_a_base(void **state)
{
  (void)state;
  pk_model *m = chain((pk_chain_options){.links = 2, .length = 1, .mass = 1, .root = PK_ROOT_FREE});
  assert_int_equal(m->nbody, 3);
  assert_int_equal(m->nu, 8);
  assert_near(m->mass, 3, 1e-15);
  assert_near(m->body_pos[3 + 2], -1, 0); /* the first joint is at the foot of the base */
  pk_model_destroy(m);
}

/* The same small angle in every joint of a hanging chain: the tip is where geometry puts it. */
static void rods_hang_end_to_end(void **state)
{
  (void)state;
  enum { LINKS_IN_CHAIN = 5 };
  pk_model *m =
      chain((pk_chain_options){.links = LINKS_IN_CHAIN, .length = 0.4, .mass = 1, .root = PK_ROOT_FIXED});
  double q[LINKS_IN_CHAIN], x = 0, z = 0, angle = 0;
  for (int i = 0; i < LINKS_IN_CHAIN; i++) {
    q[i] = 0.1;
    angle += i < LINKS_IN_CHAIN - 1 ? q[i] : 0; /* origin of the last link */
    x -= i < LINKS_IN_CHAIN - 1 ? 0.4 * sin(angle) : 0, z -= i < LINKS_IN_CHAIN - 1 ? 0.4 * cos(angle) : 0;
  }
  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  pk_kinematics_compute(w, q, NULL);
  const pk_pose pose = pk_link_pose(w, pk_model_find_link(m, "link5"));
  const double expected[3] = {x, 0, z};
  assert_all_near(pose.pos, expected, 3, 1e-15);
  pk_workspace_destroy(w);
  pk_model_destroy(m);
}

static void the_longest_chain_fills_the_plan(void **state)
{
  (void)state;
  for (int is_free = 0; is_free < 2; is_free++) {
    const pk_root_kind root = is_free ? PK_ROOT_FREE : PK_ROOT_FIXED;
    /* entries of M for the limit and one more, by the count that a short chain confirms */
    const int links[3] = {9, pki_chain_limit(root), pki_chain_limit(root) + 1};
    long long entries[3];
    for (int i = 0; i < 3; i++) {
      const long long nu = links[i] + (is_free ? 6 : 0);
      entries[i] = nu * (nu + 1) / 2;
    }
    pk_chain_options o = pk_chain_options_default();
    o.links = links[0], o.root = root;
    pk_model *m = chain(o);
    assert_int_equal(m->nM, entries[0]);
    assert_at_most(entries[1], PKI_PLAN_MAX);
    assert_greater(entries[2], PKI_PLAN_MAX);
    pk_model_destroy(m);
  }
}

static void wrong_options_are_named(void **state)
{
  (void)state;
  const struct {
    pk_chain_options options;
    const char *field, *message;
  } rows[] = {
      {{.links = 0, .length = 1, .mass = 1, .root = PK_ROOT_FIXED},
       "links",
       "links is 0, expected 1 to 11584"},
      {{.links = -1, .length = 1, .mass = 1, .root = PK_ROOT_FIXED},
       "links",
       "links is -1, expected 1 to 11584"},
      {{.links = 11585, .length = 1, .mass = 1, .root = PK_ROOT_FIXED},
       "links",
       "links is 11585, expected 1 to 11584"},
      {{.links = 11579, .length = 1, .mass = 1, .root = PK_ROOT_FREE},
       "links",
       "links is 11579, expected 1 to 11578"},
      {{.links = 1, .length = 0, .mass = 1, .root = PK_ROOT_FIXED},
       "length",
       "length is 0 m and mass 1 kg, expected positive numbers"},
      {{.links = 1, .length = NAN, .mass = 1, .root = PK_ROOT_FIXED},
       "length",
       "length is nan m and mass 1 kg, expected positive numbers"},
      {{.links = 1, .length = 1, .mass = -1, .root = PK_ROOT_FIXED},
       "mass",
       "length is 1 m and mass -1 kg, expected positive numbers"},
      {{.links = 1, .length = 1, .mass = INFINITY, .root = PK_ROOT_FIXED},
       "mass",
       "length is 1 m and mass inf kg, expected positive numbers"},
      {{.links = 1, .length = 1, .mass = 1, .root = PK_ROOT_AUTO},
       "root",
       "the root of a chain is fixed or free"},
      {{.links = 1, .length = 1, .mass = 1, .root = PK_ROOT_CHAIN},
       "root",
       "the root of a chain is fixed or free"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    pk_builder *b;
    pk_builder_create(&b, NULL);
    pk_error err;
    assert_int_equal(pk_builder_add_chain(b, &rows[i].options, &err), PK_ERROR_ARGUMENT);
    assert_string_equal(err.field, rows[i].field);
    assert_string_equal(err.message, rows[i].message);
    /* nothing was added */
    pk_model *m;
    assert_int_equal(pk_builder_compile(b, &m, &err), PK_ERROR_MODEL);
    assert_string_equal(err.message, "there is no link: a world needs at least one robot");
    pk_builder_destroy(b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_default_is_ten_links_on_a_fixed_base), cmocka_unit_test(links_are_slender_rods),
      cmocka_unit_test(a_free_chain_has_a_rod_for_a_base),        cmocka_unit_test(rods_hang_end_to_end),
      cmocka_unit_test(the_longest_chain_fills_the_plan),         cmocka_unit_test(wrong_options_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
