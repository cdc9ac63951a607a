/* The quick StarLETH study: all configurations trot, the values that the study is held to hold, the rest is plausible. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "quick.h"
#include "study/starleth/starleth.h"
#include "study/study_verdict.h"
#include "support/bounds.h"

static pki_study_result result;
static char folder[] = "pronk-starleth-XXXXXX";

static int run_quick(void **state)
{
  (void)state;
  return run_quick_study("starleth", folder, &result) ? 0 : -1;
}

static int free_quick(void **state)
{
  (void)state;
  pki_study_free(&result);
  return 0;
}

static const pki_study_row *row(const char *group, const char *name, const char *id)
{
  char full[64];
  snprintf(full, sizeof full, "%s%s%s%s%s", group, name[0] ? "/" : "", name, id[0] ? "/" : "", id);
  const pki_study_row *r = pki_study_get(&result, full);
  if (r == NULL) {
    print_error("no row %s\n", full);
  }
  assert_non_null(r);
  return r;
}

static double value(const char *group, const char *name, const char *id)
{
  return row(group, name, id)->measured;
}

static void every_configuration_trots(void **state)
{
  (void)state;
  static const char *const names[12] = {"Cm",   "HmJ",  "HmS",  "HEJD", "HEJP", "HESD",
                                        "HESP", "HMJD", "HMJP", "HMSD", "HMSP", "default"};
  for (int i = 0; i < 12; i++) {
    assert_string_equal(pki_starleth_configs[i].name, names[i]);
    const pki_study_row *trots = row("table1", names[i], "trots");
    assert_less(fabs(trots->measured - 1.6), 1e-9);
    assert_int_equal(trots->verdict, PKI_VERDICT_HOLDS);
    assert_greater(value("table1", names[i], "rate"), 0);
    assert_greater(value("table1", names[i], "ratio"), 0);
    assert_greater(value("table1", names[i], "rtf"), 0);
    /* the parts are the step */
    double sum = 0;
    for (int p = PK_STEP_PART_CONTROL + 1; p < PK_STEP_PART_COUNT; p++) {
      sum += value("fig7", names[i], pk_step_part_name((pk_step_part)p));
    }
    assert_less(fabs(sum / value("fig7", names[i], "step") - 1), 1e-9);
  }
  assert_true(row("table1", "HMSP", "rate")->paper == 800);
  assert_less(fabs(row("table1", "Cm", "ratio")->paper - 8900.0 / 5400), 1e-12);
}

/* The same robot, controller and law: trunks stay together whatever the coordinates. */
static void all_of_them_go_the_same_way(void **state)
{
  (void)state;
  double first = 0;
  for (int i = 0; i < PKI_STARLETH_CONFIGS; i++) {
    double way;
    assert_int_equal(sscanf(row("table1", pki_starleth_configs[i].name, "trots")->note, "%lf m", &way), 1);
    first = i == 0 ? way : first;
    assert_greater(way, 0.25);
    assert_less(way, 0.6);
    assert_less(fabs(way - first), 0.1);
  }
}

static void the_robot_has_the_papers_parts(void **state)
{
  (void)state;
  static const char *const ids[] = {
      "bodies",      "hinges", "points", "minimal/velocities", "extended/rows", "maximal/velocities",
      "maximal/rows"};
  static const double paper[] = {13, 12, 16, 18, 20, 78, 60};
  for (int k = 0; k < 7; k++) {
    const pki_study_row *r = row("robot", ids[k], "");
    assert_true(r->paper == paper[k] && r->measured == paper[k]);
    assert_int_equal(r->verdict, PKI_VERDICT_HOLDS);
  }
}

/* Contacts at once: Gauss-Seidel has no more to go by than Jacobi, and the paper's limit. Exact rows leave the velocities of minimal
 * coordinates; sweeps over them are more. */
static void iterations_follow_the_coordinates(void **state)
{
  (void)state;
  const double hmj = value("fig6", "HmJ", "iterations"), hms = value("fig6", "HmS", "iterations");
  assert_near(hms, hmj, 0.02 * hmj);
  assert_near(value("fig6", "HEJD", "iterations"), hmj, 0.05 * hmj);
  assert_near(value("fig6", "HESD", "iterations"), hms, 0.05 * hms);
  assert_near(value("fig6", "HMSD", "iterations"), value("fig6", "HMJD", "iterations"), 1e-9);
  assert_greater(value("fig6", "HEJP", "iterations"), hmj);
  assert_greater(value("fig6", "HMJP", "iterations"), 2 * value("fig6", "HEJP", "iterations"));
  assert_less(value("fig6", "HMSP", "iterations"), value("fig6", "HMJP", "iterations"));
  assert_int_equal(row("fig6", "HmJ", "limit")->verdict, PKI_VERDICT_HOLDS);
  assert_int_equal(row("fig6", "HmS", "limit")->verdict, PKI_VERDICT_HOLDS);
  assert_near(value("fig6", "HmS", "limit"), value("fig6", "HmJ", "limit"), 0.11);
  assert_greater(value("fig6", "HmS", "limit-fine"), 1.5);
  assert_true(isnan(value("fig6", "HMJP", "limit")));
  assert_int_equal(row("fig6", "HMJP", "limit")->verdict, PKI_VERDICT_LEFT_OUT);
  assert_string_equal(row("fig6", "HMJP", "limit")->why, "left out by --quick");
}

static void feet_carry_the_weight(void **state)
{
  (void)state;
  const double quarter = 26.82 * 9.81 / 4;
  static const char *const curves[5] = {"Cm", "HmJ", "damped-normal-quarter", "damped-quarter",
                                        "damped-eighth"};
  for (int k = 0; k < 5; k++) {
    assert_less(fabs(value("fig5", curves[k], "mean") / quarter - 1), 0.1);
    assert_greater(value("fig5", curves[k], "peak"), 2 * quarter);
  }
  assert_int_equal(row("fig5", "damped-normal-quarter", "ripple")->verdict, PKI_VERDICT_HOLDS);
  assert_less(value("fig5", "damped-eighth", "ripple"), 0.5 * value("fig5", "Cm", "ripple"));
  assert_greater(value("fig5", "damped-quarter", "ripple"), 10 * value("fig5", "Cm", "ripple"));
  /* half the weight on a spring of 30000 N/m */
  assert_less(fabs(value("sink", "Cm", "mean") - 1e3 * 2 * quarter / 30000), 0.5);
}

static void drift_is_the_papers_and_none_by_default(void **state)
{
  (void)state;
  assert_int_equal(row("drift/standing", "2.5ms", "")->verdict, PKI_VERDICT_HOLDS);
  assert_less(value("drift/standing", "1e-8", ""), 0.03 * value("drift/standing", "2.5ms", ""));
  assert_int_equal(row("drift/standing", "default", "")->verdict, PKI_VERDICT_HOLDS);
  assert_int_equal(row("sink", "default", "most")->verdict, PKI_VERDICT_HOLDS);
  assert_less(value("sink", "default", "most"), 1);
  assert_greater(value("sink", "HmJ", "most"), 0.1);
  /* exact: rounding; positions open all the same, more in maximal coordinates */
  assert_less(value("drift/bilateral-velocity", "HEJD", ""), 1e-3);
  assert_greater(value("drift/bilateral-velocity", "HEJP", ""), 1);
  assert_greater(value("drift/bilateral-gap", "HMJD", ""), 10 * value("drift/bilateral-gap", "HEJD", ""));
}

static void the_pushed_robot_falls_and_rests(void **state)
{
  (void)state;
  assert_true(value("push", "default", "rests") == 1);
  assert_int_equal(row("push", "default", "uncertified")->verdict, PKI_VERDICT_HOLDS);
  assert_true(value("push", "Cm", "rests") == 1);
  assert_less(value("push", "default", "penetration"), 1e-3);
  /* points lie down with Table 1's alpha; boxes and cylinders, whose contacts add up in G, do not */
  assert_true(value("push", "HmJ", "rests") == 1);
  assert_true(value("push", "HmS", "rests") == 1);
  assert_true(value("push", "HmJ-on-shapes", "rests") == 0);
  assert_true(isnan(value("push", "HMJP", "rests")));
}

static void configurations_agree(void **state)
{
  (void)state;
  assert_int_equal(row("agreement", "minimal", "")->verdict, PKI_VERDICT_HOLDS);
  assert_int_equal(row("agreement", "extended", "")->verdict, PKI_VERDICT_HOLDS);
  assert_greater(value("order", "maximal", ""), 0.9);
  assert_less(value("order", "maximal", ""), 1.2);
  assert_greater(value("order", "extended", ""), 0.8);
  for (int i = 0; i < result.nrow; i++) {
    assert_int_not_equal(result.rows[i].verdict, PKI_VERDICT_MISSES);
  }
  assert_true(pki_study_passes(&result)); /* every printed value has a verdict, or says why not */
}

static void ids_are_unique(void **state)
{
  (void)state;
  for (int i = 0; i < result.nrow; i++) {
    assert_ptr_equal(pki_study_get(&result, result.rows[i].id), &result.rows[i]);
  }
}

static void it_leaves_a_report_and_its_figures(void **state)
{
  (void)state;
  assert_non_null(strstr(result.summary.data, "Table 1"));
  static const char *const files[] = {"report.html", "force.svg", "iterations.svg", "time.svg"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    assert_int_equal(remove(path), 0); /* it was there */
  }
  assert_int_equal(rmdir(folder), 0); /* and nothing else */
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_configuration_trots),
      cmocka_unit_test(all_of_them_go_the_same_way),
      cmocka_unit_test(the_robot_has_the_papers_parts),
      cmocka_unit_test(iterations_follow_the_coordinates),
      cmocka_unit_test(feet_carry_the_weight),
      cmocka_unit_test(drift_is_the_papers_and_none_by_default),
      cmocka_unit_test(the_pushed_robot_falls_and_rests),
      cmocka_unit_test(configurations_agree),
      cmocka_unit_test(ids_are_unique),
      cmocka_unit_test(it_leaves_a_report_and_its_figures),
  };
  return cmocka_run_group_tests(tests, run_quick, free_quick);
}
