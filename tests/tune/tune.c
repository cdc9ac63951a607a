/* Searches against a landscape that is known: a pendulum whose offset decays by a linear recurrence. */
#define _XOPEN_SOURCE 700
#include "tune/support.h"

#include <stdatomic.h>

#include "run/single_run.h"

/* ---- the landscape ---- */

/* The mean of |q| at the starts of 600 steps of Moreau's scheme with gains at the end of the step (docs/theory/stepping.md). */
static double mean_error(double kp, double kd, double q)
{
  const double inertia = 6.5, dt = 5e-3;
  double u = 0, sum = 0;
  for (int i = 0; i < 600; i++) {
    sum += fabs(q);
    const double middle = q + 0.5 * dt * u;
    u = (inertia * u - dt * kp * middle) / (inertia + dt * (kd + 0.5 * dt * kp));
    q = middle + 0.5 * dt * u;
  }
  return sum / 600;
}

/* The damping with the least error, to 1e-6: by thirds. */
static double best_damping(double kp)
{
  double low = 5, high = 200;
  while (high - low > 1e-6) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    if (mean_error(kp, a, 0.4) < mean_error(kp, b, 0.4)) {
      high = b;
    } else {
      low = a;
    }
  }
  return 0.5 * (low + high);
}

/* ---- runs ---- */

static atomic_int stop, runs, stop_at; /* stop_at: run from which on the stop is requested; 0: never */

pk_status __real_pki_run_single(const pki_single_run *run_once, bool *refused, pk_error *err);
pk_status __wrap_pki_run_single(const pki_single_run *run_once, bool *refused, pk_error *err);

pk_status __wrap_pki_run_single(const pki_single_run *run_once, bool *refused, pk_error *err)
{
  if (atomic_fetch_add(&runs, 1) + 1 == stop_at) {
    stop = 2;
  }
  return __real_pki_run_single(run_once, refused, err);
}

static pki_tune_result run_tune(pki_tune *t, const char *folder, int threads)
{
  pki_tune_result r;
  pk_error err = {.message = ""};
  const pki_tune_options options = {.folder = folder, .threads = threads, .stop = &stop};
  stop = 0;
  runs = 0;
  if (pki_folder_create(folder, &err) != PK_OK || pki_tune_check(t, &err) != PK_OK) {
    fail_msg("%s: %s: %s", err.file, err.field, err.message);
  }
  if (pki_tune_run(t, &options, &r, &err) != PK_OK) {
    fail_msg("%s: %s: %s", err.file, err.field, err.message);
  }
  return r;
}

static void write_all(const pki_tune *t, const pki_tune_result *r, const char *folder)
{
  char path[128];
  pk_error err;
  snprintf(path, sizeof path, "%s/evaluations.csv", folder);
  assert_int_equal(pki_tune_csv(t, r, path, &err), PK_OK);
  snprintf(path, sizeof path, "%s/best.yaml", folder);
  assert_int_equal(pki_tune_best(t, &r->list[r->best], path, &err), PK_OK);
  snprintf(path, sizeof path, "%s/report.html", folder);
  assert_int_equal(pki_tune_report(t, r, path, &err), PK_OK);
}

static void assert_same_results(const char *a, const char *b)
{
  static const char *const files[] = {"evaluations.csv", "best.yaml", "report.html"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char left[128], right[128];
    snprintf(left, sizeof left, "%s/%s", a, files[i]);
    snprintf(right, sizeof right, "%s/%s", b, files[i]);
    assert_same_file(left, right);
  }
}

/* ---- tests ---- */

static void an_evaluation_is_the_mean_error_of_its_run(void **state)
{
  (void)state;
  pki_tune t = begin_tune("sobol", 30);
  vary(&t, "controller.kp=50:300");
  vary(&t, "controller.kd=5:200:log");
  pki_tune_result r = run_tune(&t, "values", 2);
  assert_int_equal(r.count, 30);
  assert_int_equal(r.ran, 30);
  assert_true(r.list[0].as_written && r.list[0].value[0] == 162.5 && r.list[0].value[1] == 65);
  for (int i = 0; i < r.count; i++) {
    assert_true(pki_evaluation_is_good(&r.list[i]));
    const double expected = mean_error(r.list[i].value[0], r.list[i].value[1], 0.4);
    assert_near(r.list[i].objective, expected, 1e-12);
    assert_true(r.list[i].objective == r.list[i].cost);
  }
  pki_tune_result_free(&r);
  pki_tune_free(&t);
}

/* Along kd there is one minimum, near 0.66 of critical damping. */
static void local_methods_find_the_best_damping(void **state)
{
  (void)state;
  static const char *const methods[] = {"bobyqa", "sbplx", "neldermead", "cobyla"};
  const double best = best_damping(162.5);
  assert_near(best, 0.66 * 2 * sqrt(162.5 * 6.5),
              1.5); /* as of the continuous system, and numerical damping */
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    pki_tune t = begin_tune(methods[i], 60);
    vary(&t, "controller.kd=5:200");
    pki_tune_result r = run_tune(&t, methods[i], 2);
    /* a thousandth of the range: cobyla's radius is no bound on the error */
    assert_near(r.list[r.best].value[0], best, 0.2);
    assert_at_most(r.list[r.best].objective, mean_error(162.5, best, 0.4) * (1 + 1e-5));
    assert_true(r.list[1].value[0] == 65); /* it begins where the scenario is */
    pki_tune_result_free(&r);
    pki_tune_free(&t);
  }
}

/* In two dimensions the best stiffness is the largest, with the damping that belongs to it. */
static void global_methods_find_the_best_corner(void **state)
{
  (void)state;
  static const char *const methods[] = {"sobol+bobyqa", "direct+bobyqa",   "crs+sbplx",
                                        "isres+bobyqa", "esch+neldermead", "mlsl"};
  const double damping = best_damping(300), least = mean_error(300, damping, 0.4);
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    pki_tune t = begin_tune(methods[i], 160);
    vary(&t, "controller.kp=50:300");
    vary(&t, "controller.kd=5:200:log");
    char folder[32];
    snprintf(folder, sizeof folder, "corner%zu", i);
    pki_tune_result r = run_tune(&t, folder, 2);
    assert_at_most(r.count, 160);
    const pki_evaluation *e = &r.list[r.best];
    if (!(e->objective <= least * 1.005) || !(e->objective >= least * (1 - 1e-9))) {
      fail_msg("%s: %.17g at %g, %g; the least is %.17g at 300, %g", methods[i], e->objective, e->value[0],
               e->value[1], least, damping);
    }
    pki_tune_result_free(&r);
    pki_tune_free(&t);
  }
}

static void maximising_finds_the_other_end(void **state)
{
  (void)state;
  pki_tune t = begin_tune("sobol+bobyqa", 40);
  vary(&t, "controller.kp=50:300");
  t.objective.maximise = true;
  pki_tune_result r = run_tune(&t, "largest", 2);
  assert_near(r.list[r.best].value[0], 50, 0.1);
  assert_true(r.list[r.best].cost == -r.list[r.best].objective);
  pki_tune_result_free(&r);
  pki_tune_free(&t);
}

/* The error is linear in the offset: the mean over worlds is that of the mean offset. */
static void worlds_are_averaged(void **state)
{
  (void)state;
  enum { WORLDS = 5 };
  pki_tune t = begin_tune("sobol", 4);
  vary(&t, "controller.kd=5:200");
  t.worlds = WORLDS;
  pki_world world = {0};
  pk_error err;
  double mean = 0;
  assert_int_equal(pki_world_create(t.base, &world, &err), PK_OK);
  for (int k = 0; k < WORLDS; k++) {
    mean += (0.4 + pki_varied_value(t.base, &world.varied[0], k)) / WORLDS;
  }
  pki_world_free(&world);
  pki_tune_result r = run_tune(&t, "worlds", 3);
  assert_int_equal(r.ran, 4 * WORLDS);
  assert_greater(mean, 0.5);
  for (int i = 0; i < r.count; i++) {
    const double kd = i == 0 ? 65 : r.list[i].value[0];
    assert_near(r.list[i].objective, mean_error(162.5, kd, mean), 1e-12);
  }
  pki_tune_result_free(&r);
  pki_tune_free(&t);
}

static void results_do_not_depend_on_threads(void **state)
{
  (void)state;
  static const char *const methods[] = {"sobol+sbplx", "crs+bobyqa", "mlsl", "isres+neldermead"};
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    char folder[3][32];
    for (int k = 0; k < 3; k++) {
      pki_tune t = begin_tune(methods[i], 70);
      vary(&t, "controller.kp=50:300");
      vary(&t, "controller.kd=5:200:log");
      t.starts = 3;
      t.worlds = 2;
      snprintf(folder[k], sizeof folder[k], "threads%zu-%d", i, k);
      pki_tune_result r = run_tune(&t, folder[k], k + 1);
      write_all(&t, &r, folder[k]);
      pki_tune_result_free(&r);
      pki_tune_free(&t);
    }
    assert_same_results(folder[0], folder[1]);
    assert_same_results(folder[0], folder[2]);
  }
}

/* However often it is interrupted: in the end it is what it would have been, and no run was made twice. */
static void resuming_gives_what_an_undisturbed_search_gives(void **state)
{
  (void)state;
  static const int cuts[] = {1, 2, 11, 9, 17, 3};
  pki_tune t = begin_tune("crs+sbplx", 60);
  vary(&t, "controller.kp=50:300");
  vary(&t, "controller.kd=5:200:log");
  pki_tune_result whole = run_tune(&t, "whole", 2);
  write_all(&t, &whole, "whole");
  long long made = 0;
  for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
    stop_at = cuts[i];
    pki_tune_result r = run_tune(&t, "cut", 2);
    assert_true(r.interrupted);
    assert_less(r.count, whole.count);
    made += r.ran;
    if (r.best >= 0) { /* what there is can be read */
      write_all(&t, &r, "cut");
      pki_scenario *best = NULL;
      assert_int_equal(pki_scenario_load("cut/best.yaml", NULL, 0, &best, NULL), PK_OK);
      pki_scenario_destroy(best);
    }
    pki_tune_result_free(&r);
  }
  stop_at = 0;
  pki_tune_result r = run_tune(&t, "cut", 1);
  assert_false(r.interrupted);
  assert_int_equal(made + r.ran, whole.ran);
  assert_greater(made, 20);
  write_all(&t, &r, "cut");
  assert_same_results("whole", "cut");
  assert_int_equal(r.count, whole.count);
  pki_tune_result_free(&r);
  /* and once more, from what is there alone */
  r = run_tune(&t, "cut", 2);
  assert_int_equal(r.ran, 0);
  assert_int_equal(runs, 0);
  pki_tune_result_free(&r);
  pki_tune_result_free(&whole);
  pki_tune_free(&t);
}

static void note_error(void *user, const pki_world *world, const pki_run_result *result)
{
  (void)world;
  *(double *)user = pki_tracking_error_mean(&result->tracking);
}

/* best.yaml runs from any folder, to the bits of the evaluation. */
static void the_best_scenario_gives_the_best_value(void **state)
{
  (void)state;
  pki_tune t = begin_tune("sobol+bobyqa", 30);
  vary(&t, "controller.kp=50:300");
  vary(&t, "controller.kd=5:200:log");
  pki_tune_result r = run_tune(&t, "deep/er", 2);
  write_all(&t, &r, "deep/er");
  double error = 0;
  bool refused;
  pk_error err = {.message = ""};
  const pki_single_run once = {
      .file = "deep/er/best.yaml", .options = {.duration = -1}, .ran = note_error, .user = &error};
  if (__real_pki_run_single(&once, &refused, &err) != PK_OK) {
    fail_msg("%s:%d: %s: %s", err.file, err.line, err.field, err.message);
  }
  assert_true(error == r.list[r.best].objective);
  pki_tune_result_free(&r);
  pki_tune_free(&t);
}

/* Values at which the scenario is refused, or a run fails, are points like others, and never the best. */
static void refused_values_are_avoided(void **state)
{
  (void)state;
  pki_tune t = begin_tune("sobol+sbplx", 60);
  vary(&t, "controller.period=0:0.05"); /* a whole number of steps of 5 ms it is at the bounds alone */
  pki_tune_result r = run_tune(&t, "refused", 2);
  int refused = 0;
  for (int i = 0; i < r.count; i++) {
    refused += r.list[i].refused;
    if (r.list[i].refused > 0) {
      assert_true(isnan(r.list[i].objective));
      assert_true(strstr(r.list[i].message, "whole number of steps") != NULL);
      assert_at_least(r.list[i].cost, 4 * 10 * r.list[0].objective * (1 - 1e-12));
    }
  }
  assert_greater(refused, 0);
  assert_false(isnan(r.list[r.best].objective));
  pki_tune_result_free(&r);
  pki_tune_free(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_evaluation_is_the_mean_error_of_its_run),
      cmocka_unit_test(local_methods_find_the_best_damping),
      cmocka_unit_test(global_methods_find_the_best_corner),
      cmocka_unit_test(maximising_finds_the_other_end),
      cmocka_unit_test(worlds_are_averaged),
      cmocka_unit_test(results_do_not_depend_on_threads),
      cmocka_unit_test(resuming_gives_what_an_undisturbed_search_gives),
      cmocka_unit_test(the_best_scenario_gives_the_best_value),
      cmocka_unit_test(refused_values_are_avoided),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
