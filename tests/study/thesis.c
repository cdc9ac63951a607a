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
  int held = 0;
  for (int i = 0; i < result.nrow; i++) {
    held += result.rows[i].verdict == PKI_VERDICT_HOLDS;
    if (result.rows[i].verdict == PKI_VERDICT_MISSES) {
      print_error("%s: %g\n", result.rows[i].id, result.rows[i].measured);
    }
    assert_int_not_equal(result.rows[i].verdict, PKI_VERDICT_MISSES);
    assert_ptr_equal(pki_study_get(&result, result.rows[i].id), &result.rows[i]); /* ids are unique */
  }
  assert_int_equal(held, 5 + 5 + 5 + 1); /* certificates twice, energy, the jump */
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
    assert_greater(value(penalty, "given"), 100);
    assert_less(value(exact, "rise"), 0.1 * value(penalty, "rise"));
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

static void maps_count_every_run_once(void **state)
{
  (void)state;
  static const char *const outcomes[5] = {"stands", "falls", "inverted", "flies", "bursts"};
  static const char *const panels[4] = {"map/drop-01", "map/drop-05", "map/drop-15", "map/jump"};
  for (int p = 0; p < 4; p++) {
    double runs = 0;
    for (int o = 0; o < 5; o++) {
      runs += value(panels[p], outcomes[o]);
    }
    assert_true(runs == 4); /* of the quick study */
  }
  assert_at_least(value("map/drop-01", "stands"), 2); /* soft springs on both sides */
  assert_true(isnan(value("map/near", "jump")) && isnan(value("why/trot", "hard")));
  /* rolled by 0 and 0.2 rad, restitution 0 and 0.4: exact contact never makes a robot fly */
  assert_true(value("tilt/drop-05", "flies") == 0 && value("tilt/drop-05", "bursts") == 0);
}

static void it_leaves_a_report_and_all_thirty_figures(void **state)
{
  (void)state;
  static const char *const files[] = {"report.html", "survival.svg", "tilt.svg"};
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
      cmocka_unit_test(exact_contact_stands_and_jumps),
      cmocka_unit_test(contacts_take_energy_and_springs_make_it),
      cmocka_unit_test(the_edge_of_stability_is_that_of_a_foot),
      cmocka_unit_test(maps_count_every_run_once),
      cmocka_unit_test(it_leaves_a_report_and_all_thirty_figures),
  };
  return cmocka_run_group_tests(tests, run_quick, free_quick);
}
