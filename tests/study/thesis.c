/* The quick thesis study: what it is held to holds, values agree with each other and with closed forms. */
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
#include "study/thesis/thesis.h"
#include "support/bounds.h"

static pki_study_result result;
static char folder[] = "pronk-thesis-XXXXXX";

static int run_quick(void **state)
{
  (void)state;
  return run_quick_study("thesis", folder, &result) ? 0 : -1;
}

static int free_quick(void **state)
{
  (void)state;
  pki_study_free(&result);
  return 0;
}

static const pki_study_row *row(const char *group, const char *id)
{
  char full[64];
  snprintf(full, sizeof full, "%s/%s", group, id);
  const pki_study_row *r = pki_study_get(&result, full);
  if (r == NULL) {
    print_error("no row %s\n", full);
  }
  assert_non_null(r);
  return r;
}

static double value(const char *group, const char *id)
{
  return row(group, id)->measured;
}

static void everything_that_it_is_held_to_holds(void **state)
{
  (void)state;
  assert_judged(&result);
  /* certificates twice, energy, the jump; ends of exact runs and of both trots; the trot at ten times the step; the depth of
   * the edge; linear springs inside and outside of theirs; rolled falls: outcome and end */
  assert_int_equal(pki_study_count(&result, PKI_VERDICT_HOLDS), 5 + 5 + 5 + 1 + 4 + 1 + 1 + 2 + 4);
  /* the trot three times; outcomes near the scenarios' springs */
  assert_int_equal(pki_study_count(&result, PKI_VERDICT_LEFT_OUT), 3 + 4);
}

/* Each held row misses with a value out of its bounds. */
static void every_held_row_can_fail(void **state)
{
  (void)state;
  for (int i = 0; i < result.nrow; i++) {
    pki_study_row kept = result.rows[i];
    if (kept.verdict == PKI_VERDICT_HOLDS) {
      assert_true(pki_study_spoil(&result, kept.id));
      assert_false(pki_study_passes(&result));
      result.rows[i] = kept;
    }
  }
  assert_true(pki_study_passes(&result));
}

/* A fall ends where the legs are as long as at the start; no fall rises above its start; the jump is the thesis'. */
static void exact_contact_stands_and_jumps(void **state)
{
  (void)state;
  static const char *const falls[3] = {"drop-01/lcp-pyramid", "drop-05/lcp-pyramid", "drop-15/lcp-pyramid"};
  static const double from[3] = {0.845, 1.245, 2.245};
  for (int i = 0; i < 3; i++) {
    assert_less(fabs(value(falls[i], "top") - from[i]), 1e-4);
    assert_less(fabs(value(falls[i], "end") - 0.745), 5e-3);
  }
  assert_less(fabs(value("jump/lcp-pyramid", "top") - 2.2), 0.02);
  assert_true(row("jump/lcp-pyramid", "top")->paper == 2.2);
}

/* Contacts take what a fall had, m g h, and no more than a little of it is left after 3 s; springs have made some. */
static void contacts_take_energy_and_springs_make_it(void **state)
{
  (void)state;
  static const char *const ids[5] = {"trot", "drop-01", "drop-05", "drop-15", "jump"};
  for (int i = 0; i < 5; i++) {
    char exact[48], penalty[48];
    snprintf(exact, sizeof exact, "energy/%s/lcp-pyramid", ids[i]);
    snprintf(penalty, sizeof penalty, "energy/%s/penalty", ids[i]);
    assert_less(value(exact, "step"), 1e-9); /* in truth never above zero */
    assert_less(value(exact, "given"), 1);
    assert_less(value(exact, "rise"), 0.1 * value(penalty, "rise"));
  }
  for (int i = 2; i < 5; i++) { /* where landings are deeper than the springs are stable */
    char penalty[48];
    snprintf(penalty, sizeof penalty, "energy/%s/penalty", ids[i]);
    assert_greater(value(penalty, "given"), 100);
  }
  double at_end;
  assert_int_equal(
      sscanf(strstr(row("energy/drop-05/lcp-pyramid", "given")->note, ";") + 1, "%lf J", &at_end), 1);
  assert_less(at_end, -1);
  assert_greater(at_end, -96.8 * 9.81 * 0.5 * 1.05);
}

/* One foot on a spring: semi-implicit Euler ends at dt^2 k W = 4 and 2 dt d W = 4. W is at least that of the whole robot, and
 * at most that of a foot alone, which weighs 3.65 kg and is pushed along its axis. */
static void the_edge_of_stability_is_that_of_a_foot(void **state)
{
  (void)state;
  const double dt = 5e-4, W = 4 / (dt * dt * value("map/limit", "k"));
  assert_greater(W, 1 / 96.8);
  assert_less(W, 1 / 3.65);
  assert_less(fabs(value("map/limit", "d") / (2 / (dt * W)) - 1), 1e-12);
}

/* 3 c x^2 dt^2 W + 2 dt d W = 4 at the depth of the row, with the W of the other rows. */
static void springs_that_harden_end_between_the_landings(void **state)
{
  (void)state;
  const double dt = 5e-4, W = 4 / (dt * dt * value("map/limit", "k")), x = 1e-3 * value("springs", "depth");
  assert_near(3 * pki_thesis_own.cubic * x * x * dt * dt * W + 2 * dt * pki_thesis_own.damping_n * W, 4,
              1e-9);
  assert_greater(x, dt * sqrt(2 * 9.81 * 0.1));
  assert_less(x, dt * sqrt(2 * 9.81 * 0.5));
}

/* The notes follow the results. */
static void words_follow_the_outcomes(void **state)
{
  (void)state;
  pki_thesis_data d = {.rolled_end = {-0.74, -0.74}};
  char text[192];
  d.runs[PKI_THESIS_DROP_05][PKI_THESIS_PENALTY].outcome = PKI_THESIS_FLIES;
  d.own[1].n[PKI_THESIS_FLIES] = 20, d.own[1].n[PKI_THESIS_BURSTS] = 5, d.own[1].n[PKI_THESIS_STANDS] = 7;
  pki_thesis_explain(&d, PKI_THESIS_DROP_05, PKI_THESIS_PENALTY, text, sizeof text);
  assert_string_equal(
      text, "As in the thesis; so are 25 of 32 runs with stiffnesses within 5 % and starts within 1 mm");
  d.runs[PKI_THESIS_DROP_05][PKI_THESIS_PENALTY].outcome = PKI_THESIS_STANDS;
  pki_thesis_explain(&d, PKI_THESIS_DROP_05, PKI_THESIS_PENALTY, text, sizeof text);
  assert_non_null(strstr(text, "Not as in the thesis"));
  d.runs[PKI_THESIS_DROP_15][PKI_THESIS_EXACT].outcome = PKI_THESIS_STANDS;
  d.rolled[1].n[PKI_THESIS_INVERTED] = 3, d.rolled[1].n[PKI_THESIS_STANDS] = 5;
  pki_thesis_explain(&d, PKI_THESIS_DROP_15, PKI_THESIS_EXACT, text, sizeof text);
  assert_non_null(
      strstr(text, "Not as in the thesis; from upright it lands on four feet, rolled by 0.6 rad 3 of 8"));
}

static void maps_count_every_run_once(void **state)
{
  (void)state;
  static const char *const outcomes[5] = {"stands", "falls", "inverted", "flies", "bursts"};
  static const char *const panels[4] = {"drop-01", "drop-05", "drop-15", "jump"};
  for (int p = 0; p < 8; p++) {
    char group[48];
    double runs = 0;
    snprintf(group, sizeof group, "map/%s/%s", p < 4 ? "linear" : "hardening", panels[p % 4]);
    for (int o = 0; o < 5; o++) {
      runs += value(group, outcomes[o]);
    }
    assert_true(runs == 4); /* of the quick study: two cells, two runs each */
  }
  assert_true(value("map/linear", "inside") == 100);
  assert_true(isnan(value("why/trot", "hard")));
  /* upright and rolled by 0.2 rad: exact contact never makes a robot fly */
  assert_true(value("tilt/drop-05", "flies") == 0 && value("tilt/drop-05", "bursts") == 0);
}

static void it_leaves_a_report_and_all_thirty_figures(void **state)
{
  (void)state;
  static const char *const files[] = {"report.html", "linear.svg", "hardening.svg", "tilt.svg"};
  char path[256];
  assert_non_null(strstr(result.summary.data, "Fall from 0.5 m"));
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    assert_int_equal(remove(path), 0); /* it was there */
  }
  for (int figure = 2; figure <= 31; figure++) {
    snprintf(path, sizeof path, "%s/fig-5-%d.svg", folder, figure);
    assert_int_equal(remove(path), 0);
  }
  assert_int_equal(rmdir(folder), 0); /* and nothing else */
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_that_it_is_held_to_holds),
      cmocka_unit_test(every_held_row_can_fail),
      cmocka_unit_test(exact_contact_stands_and_jumps),
      cmocka_unit_test(contacts_take_energy_and_springs_make_it),
      cmocka_unit_test(the_edge_of_stability_is_that_of_a_foot),
      cmocka_unit_test(springs_that_harden_end_between_the_landings),
      cmocka_unit_test(words_follow_the_outcomes),
      cmocka_unit_test(maps_count_every_run_once),
      cmocka_unit_test(it_leaves_a_report_and_all_thirty_figures),
  };
  return cmocka_run_group_tests(tests, run_quick, free_quick);
}
