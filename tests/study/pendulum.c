/* The pendulum study holds the bounds of Zobova et al. 2016, and its instruments measure what they say. */
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
#include "study/pendulum/pendulum.h"
#include "support/bounds.h"

static void theory_gives_the_known_period_in_two_ways(void **state)
{
  (void)state;
  const double agm = pki_pendulum_period_agm(10.0 / 49, 2.1),
               sum = pki_pendulum_period_quadrature(10.0 / 49, 2.1);
  assert_less(fabs(agm - 3.147033054308), 1e-12);
  assert_less(fabs(sum - agm), 1e-13);
  /* Without gravity a turn takes 2 pi / rate. */
  assert_less(fabs(pki_pendulum_period_agm(0, 2) - acos(-1)), 1e-15);
}

static void a_crossing_is_found_to_the_sixth_order(void **state)
{
  (void)state;
  /* sin(t) crosses 0.3; halving the step divides the error by about 2^6. */
  double error[2];
  for (int k = 0; k < 2; k++) {
    const double dt = k == 0 ? 0.4 : 0.2, root = asin(0.3), t = root - 0.3 * dt;
    const double a[3] = {sin(t), cos(t), -sin(t)}, b[3] = {sin(t + dt), cos(t + dt), -sin(t + dt)};
    error[k] = fabs(t + pki_pendulum_crossing(a, b, dt, 0.3) * dt - root);
  }
  assert_greater(error[0], 1e-10);
  assert_in_range((int)(error[0] / error[1]), 40, 200);
  const double t = asin(0.3) - 0.004;
  const double a[3] = {sin(t), cos(t), -sin(t)}, b[3] = {sin(t + 0.01), cos(t + 0.01), -sin(t + 0.01)};
  assert_less(fabs(pki_pendulum_crossing(a, b, 0.01, 0.3) - 0.4), 1e-12);
}

static void the_models_are_the_papers(void **state)
{
  (void)state;
  for (int bodies = 1; bodies <= 2; bodies++) {
    pk_error err = {0};
    pk_model *model = NULL;
    assert_int_equal(pki_pendulum_load(bodies, &model, &err), PK_OK);
    assert_int_equal(model->nu, bodies);
    assert_true(model->gravity[2] == -1);
    pk_model_destroy(model);
  }
}

static void a_model_with_other_numbers_is_refused(void **state)
{
  (void)state;
  char folder[] = "pronk-study-XXXXXX", path[256], file[300];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/pendulum", folder);
  pk_error err = {0};
  assert_int_equal(pki_folder_create(path, &err), PK_OK);
  pki_text urdf = {0};
  pki_text_add(
      &urdf,
      "<robot name=\"pendulum\"><link name=\"world\"/><link name=\"body\"><inertial><origin xyz=\"0 0 -1\"/>"
      "<mass value=\"1.1\"/><inertia ixx=\"5.5\" ixy=\"0\" ixz=\"0\" iyy=\"5.5\" iyz=\"0\" izz=\"5.5\"/>"
      "</inertial></link><joint name=\"hinge\" type=\"continuous\"><parent link=\"world\"/>"
      "<child link=\"body\"/><axis xyz=\"0 1 0\"/></joint></robot>\n");
  snprintf(file, sizeof file, "%s/pendulum.urdf", path);
  assert_int_equal(pki_text_save(&urdf, file, &err), PK_OK);
  pki_text_free(&urdf);
  setenv("PRONK_MODELS", folder, 1);
  pk_model *model = NULL;
  assert_int_equal(pki_pendulum_load(1, &model, &err), PK_ERROR_UNSUPPORTED);
  assert_non_null(strstr(err.message, "not the paper's model"));
  assert_null(model);
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  remove(file);
  rmdir(path);
  rmdir(folder);
}

static void the_quick_study_is_no_worse_than_the_paper(void **state)
{
  (void)state;
  char folder[] = "pronk-study-XXXXXX";
  pki_study_result result = {0};
  assert_true(run_quick_study("pendulum", folder, &result));

  static const struct {
    const char *id;
    double bound;
  } bounds[] = {{"table1/single/1e-2/energy", 3e-8}, {"table1/single/1e-4/energy", 1e-13},
                {"table1/double/1e-2/energy", 3e-8}, {"table1/double/1e-4/energy", 1e-13},
                {"swing/double/1e-2/energy", 3e-8},  {"swing/double/1e-4/energy", 1e-13},
                {"fig3/period-error", 5e-9}};
  for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
    const pki_study_row *row = pki_study_get(&result, bounds[i].id);
    assert_non_null(row);
    assert_at_least(row->measured, 0);
    assert_at_most(row->measured, bounds[i].bound);
    assert_int_equal(row->verdict, PKI_VERDICT_HOLDS);
  }
  const pki_study_row *left_out = pki_study_get(&result, "table1/single/1e-6/energy");
  assert_true(isnan(left_out->measured));
  assert_string_equal(left_out->note, "left out by --quick");
  left_out = pki_study_get(&result, "table1/double/1e-6/ode-rtf"); /* with ODE or without */
  assert_string_equal(left_out->note, "left out by --quick");
  assert_non_null(strstr(result.summary.data, "— at dt 1e-6: left out by --quick.\n"));
  assert_judged(&result);
  assert_non_null(strstr(result.summary.data, "Table 1"));

  static const char *const files[] = {"report.html", "period.svg", "height.svg", "energy.svg"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    assert_int_equal(remove(path), 0); /* it was there */
  }
  assert_int_equal(rmdir(folder), 0); /* and nothing else */
  pki_study_free(&result);
}

static void a_file_where_the_folder_should_be_is_an_error_at_once(void **state)
{
  (void)state;
  pki_text text = {0};
  pk_error err = {0};
  pki_text_add(&text, "in the way\n");
  assert_int_equal(pki_text_save(&text, "study_in_the_way", &err), PK_OK);
  pki_text_free(&text);
  double last = 0;
  const pki_study_options options = {
      .folder = "study_in_the_way", .quick = true, .progress = remember_progress, .user = &last};
  pki_study_result result = {0};
  assert_int_equal(pki_study_find("pendulum")->run(&options, &result, &err), PK_ERROR_FILE);
  assert_string_equal(err.file, "study_in_the_way");
  assert_true(last == 0);
  pki_study_free(&result);
  remove("study_in_the_way");
}

static void an_unknown_study_is_not_found(void **state)
{
  (void)state;
  int count;
  assert_non_null(pki_studies(&count));
  assert_at_least(count, 1);
  assert_null(pki_study_find("pendulums"));
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_PEERS", PK_BUILD_DIR "/peers", 0);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(theory_gives_the_known_period_in_two_ways),
      cmocka_unit_test(a_crossing_is_found_to_the_sixth_order),
      cmocka_unit_test(the_models_are_the_papers),
      cmocka_unit_test(a_model_with_other_numbers_is_refused),
      cmocka_unit_test(the_quick_study_is_no_worse_than_the_paper),
      cmocka_unit_test(a_file_where_the_folder_should_be_is_an_error_at_once),
      cmocka_unit_test(an_unknown_study_is_not_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
