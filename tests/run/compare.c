/* The grid of variants, how they are named, and what happens when one of them is wrong. */
#define _POSIX_C_SOURCE 200809L
#include "run/compare.h"

#include <math.h>

#include "run/page.h"
#include "support/bounds.h"

static pk_status plan(const char *const *vary, int nvary, pki_comparison *c, pk_error *err)
{
  const pki_compare_options options = {.vary = vary, .nvary = nvary, .duration = -1};
  return pki_compare_plan(&options, c, err);
}

static void the_last_key_changes_fastest(void **state)
{
  (void)state;
  static const char *const vary[] = {"controller.forward=0.1,0.2", "step.dt=1e-3,2e-3,4e-3"};
  pki_comparison c;
  pk_error err = {.message = ""};
  assert_int_equal(plan(vary, 2, &c, &err), PK_OK);
  assert_int_equal(c.count, 6);
  assert_string_equal(c.variants[0].name, "forward=0.1, dt=1e-3");
  assert_string_equal(c.variants[1].name, "forward=0.1, dt=2e-3");
  assert_string_equal(c.variants[5].name, "forward=0.2, dt=4e-3");
  assert_string_equal(c.variants[5].folder, "forward=0.2_dt=4e-3");
  pki_comparison_free(&c);
}

static void keys_that_end_alike_keep_their_full_names(void **state)
{
  (void)state;
  static const char *const vary[] = {"push.0.force=[1, 0, 0],[0, 1, 0]", "push.1.force=[2,0,0]"};
  pki_comparison c;
  pk_error err = {.message = ""};
  assert_int_equal(plan(vary, 2, &c, &err), PK_OK);
  assert_int_equal(c.count, 2);
  assert_string_equal(c.variants[1].name, "push.0.force=[0, 1, 0], push.1.force=[2,0,0]");
  assert_string_equal(c.variants[1].folder, "push.0.force=_0_1_0_push.1.force=_2_0_0_");
  pki_comparison_free(&c);
}

static void folders_are_safe_and_differ(void **state)
{
  (void)state;
  static const char *const vary[] = {"name=a/b,a b,../x,a?b"};
  pki_comparison c;
  pk_error err = {.message = ""};
  assert_int_equal(plan(vary, 1, &c, &err), PK_OK);
  for (int i = 0; i < c.count; i++) {
    assert_null(strchr(c.variants[i].folder, '/'));
    assert_true(c.variants[i].folder[0] != '.');
    for (int k = 0; k < i; k++) {
      assert_string_not_equal(c.variants[i].folder, c.variants[k].folder);
    }
  }
  pki_comparison_free(&c);
}

static void wrong_grids_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *vary[2];
    int n;
    pk_status status;
    const char *message;
  } cases[] = {
      {{"controller.forward"}, 1, PK_ERROR_ARGUMENT, "found 'controller.forward', expected KEY=A,B,..."},
      {{"=1"}, 1, PK_ERROR_ARGUMENT, "expected KEY=A,B,..."},
      {{"a="}, 1, PK_ERROR_ARGUMENT, "expected KEY=A,B,..."},
      {{"a=1,,2"}, 1, PK_ERROR_ARGUMENT, "'a=1,,2' has an empty value"},
      {{"a=1,"}, 1, PK_ERROR_ARGUMENT, "has an empty value"},
      {{"a=1,2", "a=3"}, 2, PK_ERROR_ARGUMENT, "'a' is varied twice"},
      {{NULL}, 0, PK_ERROR_ARGUMENT, "found 0 keys to vary"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pki_comparison c;
    pk_error err = {.message = ""};
    assert_int_equal(plan(cases[i].vary, cases[i].n, &c, &err), cases[i].status);
    if (!has(err.message, cases[i].message)) {
      fail_msg("'%s' does not say '%s'", err.message, cases[i].message);
    }
    pki_comparison_free(&c);
  }
  char many[4096] = "a=0";
  for (int i = 1; i < 100; i++) {
    snprintf(many + strlen(many), sizeof many - strlen(many), ",%d", i);
  }
  char other[4096];
  snprintf(other, sizeof other, "b%s", many + 1);
  pki_comparison c;
  pk_error err = {.message = ""};
  assert_int_equal(plan((const char *const[]){many, other}, 2, &c, &err), PK_ERROR_LIMIT);
  pki_comparison_free(&c);
}

/* A scenario of a pendulum in a folder of its own, compared into FOLDER/out. */
static pki_comparison compare(const char *folder, const char *const *vary, int nvary)
{
  static const char *const sets[] = {"duration=0.2"};
  char scenario[128], out[128];
  snprintf(scenario, sizeof scenario, "%s/a.yaml", folder);
  snprintf(out, sizeof out, "%s/out", folder);
  FILE *file = fopen(scenario, "w");
  assert_non_null(file);
  fputs("name: swing\nmodel: {model: pendulum, joints: {hinge: 1}}\nduration: 1\n", file);
  fclose(file);
  const pki_compare_options options = {.scenario = scenario,
                                       .sets = sets,
                                       .nset = 1,
                                       .vary = vary,
                                       .nvary = nvary,
                                       .duration = -1,
                                       .folder = out};
  pki_comparison c;
  pk_error err = {.message = ""};
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  assert_int_equal(pki_compare_plan(&options, &c, &err), PK_OK);
  if (pki_compare_run(&options, &c, &err) != PK_OK) {
    fail_msg("%s: %s", err.file, err.message);
  }
  return c;
}

/* One that runs, two that are refused: the report has all three. */
static void what_is_refused_is_a_row(void **state)
{
  (void)state;
  static const char *const vary[] = {"model.joints.hinge=0.5,oops,<b>"};
  char folder[] = "pronk-compare-XXXXXX";
  assert_non_null(mkdtemp(folder));
  pki_comparison c = compare(folder, vary, 1);
  assert_int_equal(c.count, 3);
  assert_int_equal(c.bad, 2);
  assert_true(c.variants[0].ran && !c.variants[1].ran && !c.variants[2].ran);
  assert_less(fabs(c.variants[0].result.duration - 0.2), 1e-9);
  assert_true(has(c.variants[1].message, "oops"));
  char *page = read_page(folder, "out/report.html");
  check_page(page, 1);
  assert_true(has(page, "swing, compared") && has(page, "hinge=0.5") && has(page, "oops"));
  assert_true(has(page, "href=\"hinge=0.5/report.html\""));
  assert_false(has(page, "<b>"));
  free(page);
  pki_comparison_free(&c);
  remove_folder(folder);
}

/* Numbers are an axis, the other key's values are lines; all variants share the axes of their curves. */
static void numbers_become_an_axis(void **state)
{
  (void)state;
  static const char *const vary[] = {"seed=1,2", "model.joints.hinge=0.5,1,1.5"};
  char folder[] = "pronk-compare-XXXXXX";
  assert_non_null(mkdtemp(folder));
  pki_comparison c = compare(folder, vary, 2);
  assert_int_equal(c.count, 6);
  assert_int_equal(c.bad, 0);
  char *page = read_page(folder, "out/report.html");
  check_page(page, 1);
  assert_true(has(page, "<h2 id=\"dependence\">") && has(page, ">seed</text>"));
  assert_true(has(page, ">hinge=1.5</text>")); /* a line's name */
  assert_true(has(page, ">seed=2, hinge=1.5</td>") && has(page, "Against the first, seed=1, hinge=0.5"));
  assert_true(has(page, "Power of all joints") || has(page, "Trunk height"));
  free(page);
  pki_comparison_free(&c);
  remove_folder(folder);
}

static void motors_have_a_column_of_their_energy(void **state)
{
  (void)state;
  pki_variant two[2] = {{.name = "a", .ran = true}, {.name = "b", .ran = true}};
  const pki_comparison c = {.variants = two, .count = 2};
  for (int motors = 0; motors < 2; motors++) {
    pki_table table;
    two[1].result.nmotor = motors;
    two[1].result.flow.electrical = 12.5;
    pki_compare_table(&c, false, &table);
    assert_int_equal(table.columns, 11 + motors);
    assert_string_equal(table.cells[5], motors ? "electrical" : "cost");
    assert_string_equal(table.cells[table.columns + 5], motors ? "—" : "0");
    assert_string_equal(table.cells[2 * table.columns + 5], motors ? "12.5 J" : "0");
    pki_table_free(&table);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_key_changes_fastest),
      cmocka_unit_test(keys_that_end_alike_keep_their_full_names),
      cmocka_unit_test(folders_are_safe_and_differ),
      cmocka_unit_test(wrong_grids_are_refused),
      cmocka_unit_test(what_is_refused_is_a_row),
      cmocka_unit_test(numbers_become_an_axis),
      cmocka_unit_test(motors_have_a_column_of_their_energy),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  xmlCleanupParser();
  return failed;
}
