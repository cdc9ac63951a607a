/* The study of symbolic dynamics: its robots are parts of COMAN, its instruments measure what they say, its report is
 * written with peers or a compiler or without. */
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

#include "base/file.h"
#include "dynamics/states.h"
#include "pronk/dynamics.h"
#include "quick.h"
#include "study/symbolic/symbolic.h"
#include "support/bounds.h"
#include "symbolic/robot/robot.h"

enum { STATES = 20, MOST = 40 };

static pk_model *load(const char *name)
{
  char path[256];
  pk_error err = {0};
  pk_model *model = NULL;
  pk_load_options options = pk_load_options_default();
  options.load_meshes = false;
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  assert_int_equal(pk_model_load_urdf(path, &options, &model, &err), PK_OK);
  return model;
}

static pk_model *part_of(const pk_model *model, int nbody)
{
  pk_error err = {0};
  pk_model *part = NULL;
  assert_int_equal(pki_symbolic_part(model, nbody, &part, &err), PK_OK);
  return part;
}

/* --- parts of a robot -------------------------------------------------------------------- */

static void the_part_with_all_bodies_is_the_robot(void **state)
{
  (void)state;
  pk_model *coman = load("coman"), *whole = part_of(coman, coman->nbody);
  pk_workspace *w[2];
  pk_workspace_create(coman, &w[0], NULL);
  pk_workspace_create(whole, &w[1], NULL);
  pki_states s;
  assert_int_equal(whole->nu, coman->nu);
  assert_less(fabs(whole->mass - coman->mass), 1e-14 * coman->mass);
  assert_true(pki_states_create(&s, coman, STATES, 7));
  for (size_t k = 0; k < STATES; k++) {
    const size_t nq = (size_t)coman->nq, nu = (size_t)coman->nu;
    double a[2][MOST];
    for (int i = 0; i < 2; i++) {
      pk_forward_dynamics(w[i], PK_DYNAMICS_METHOD_AUTO, s.q + k * nq, s.u + k * nu, s.tau + k * nu, a[i]);
    }
    assert_less(pki_relative_difference(a[1], a[0], nu), 1e-12);
  }
  for (int i = 0; i < coman->nu; i++) {
    assert_true(whole->dof_lower[i] == coman->dof_lower[i] && whole->dof_upper[i] == coman->dof_upper[i]);
  }
  pki_states_destroy(&s);
  pk_workspace_destroy(w[0]);
  pk_workspace_destroy(w[1]);
  pk_model_destroy(whole);
  pk_model_destroy(coman);
}

/* What hangs on a joint does not depend on the rest of the robot: its rows of M up to itself are the same. */
static void parts_are_the_papers_and_their_limbs_are_the_robots(void **state)
{
  (void)state;
  static const int dof[PKI_SYMBOLIC_SIZES] = {12, 18, 21, 29};
  static const int legs = 18; /* the torso's rows hold arms as well */
  pk_model *coman = load("coman");
  pk_workspace *whole;
  pk_workspace_create(coman, &whole, NULL);
  pki_states s;
  assert_true(pki_states_create(&s, coman, 1, 3));
  double M[MOST * MOST], mine[MOST * MOST];
  pk_mass_matrix(whole, s.q, M);
  for (int k = 0; k < PKI_SYMBOLIC_SIZES; k++) {
    pk_model *part = part_of(coman, pki_symbolic_bodies[k]);
    pk_workspace *w;
    pk_workspace_create(part, &w, NULL);
    assert_int_equal(part->nu, dof[k]);
    pk_mass_matrix(w, s.q, mine);
    for (int i = 6; i < part->nu && i < legs; i++) {
      for (int j = 0; j <= i; j++) {
        assert_less(fabs(mine[i * part->nu + j] - M[i * coman->nu + j]), 1e-13);
      }
    }
    pk_workspace_destroy(w);
    pk_model_destroy(part);
  }
  pki_states_destroy(&s);
  pk_workspace_destroy(whole);
  pk_model_destroy(coman);
}

static void a_robot_without_a_free_root_has_no_parts(void **state)
{
  (void)state;
  pk_model *arm = load("double_pendulum"), *part = NULL;
  pk_error err = {0};
  assert_int_equal(pki_symbolic_part(arm, 1, &part, &err), PK_ERROR_UNSUPPORTED);
  assert_non_null(strstr(err.message, "one robot with a free root"));
  assert_null(part);
  pk_model_destroy(arm);
}

/* --- instruments ------------------------------------------------------------------------- */

static void operations_fall_from_plain_to_normal_form_to_simplified(void **state)
{
  (void)state;
  pk_model *coman = load("coman"), *part = part_of(coman, pki_symbolic_bodies[0]);
  for (int i = 0; i < pki_robot_function_count(); i++) {
    pki_symbolic_count c;
    pk_error err = {0};
    assert_int_equal(pki_symbolic_count_function(part, pki_robot_function_name(i), &c, &err), PK_OK);
    assert_greater(c.plain, c.normal);
    assert_at_least(c.normal, c.simple);
    assert_at_least(c.simple, c.adds + c.muls);
    assert_greater(c.adds, 0);
    assert_greater(c.muls, 0);
    assert_greater(c.statements, 0);
    assert_greater(c.alive, 0);
    assert_greater(c.bytes, 0);
  }
  pki_symbolic_count c;
  pk_error err = {0};
  assert_int_equal(pki_symbolic_count_function(part, "abba", &c, &err), PK_ERROR_ARGUMENT);
  pk_model_destroy(part);
  pk_model_destroy(coman);
}

static void a_line_goes_through_times_that_lie_on_one(void **state)
{
  (void)state;
  static const int dof[PKI_SYMBOLIC_SIZES] = {12, 18, 21, 29};
  pki_symbolic_data *d = calloc(1, sizeof *d);
  assert_non_null(d);
  for (int i = 0; i < PKI_SYMBOLIC_SIZES; i++) {
    d->sizes[i].dof = dof[i];
    for (int e = 0; e < PKI_SYMBOLIC_ENGINES; e++) {
      d->sizes[i].median[e] = e == PKI_SYMBOLIC_MUJOCO ? NAN : 0.5 + 0.25 * e * dof[i];
    }
  }
  d->sizes[1].median[PKI_SYMBOLIC_SIMBODY] += 1;
  pki_symbolic_fit(d);
  for (int e = 0; e < PKI_SYMBOLIC_SIMBODY; e++) {
    assert_less(fabs(d->lines[e].slope - 0.25 * e), 1e-13);
    assert_less(fabs(d->lines[e].start - 0.5), 1e-12);
    assert_less(d->lines[e].off, 1e-13);
  }
  assert_greater(d->lines[PKI_SYMBOLIC_SIMBODY].off, 0.01);
  assert_true(isnan(d->lines[PKI_SYMBOLIC_MUJOCO].slope) && isnan(d->lines[PKI_SYMBOLIC_MUJOCO].off));
  free(d);
}

/* Results do not tell whose accelerations they are, but another model's are refused. */
static void a_pendulum_swings_by_the_code_that_it_is_given(void **state)
{
  (void)state;
  pk_model *model = NULL;
  pk_code *code = NULL;
  pk_error err = {0};
  pki_pendulum_cell cell;
  assert_int_equal(pki_pendulum_load(1, &model, &err), PK_OK);
  assert_int_equal(pk_code_open(model, NULL, &code, &err), PK_OK);
  pki_pendulum_case c = pki_pendulum_table_case(1, 0);
  c.code = code;
  assert_int_equal(pki_pendulum_measure(model, &c, NULL, &cell, NULL, &err), PK_OK);
  assert_less(cell.energy, 3e-8);
  pk_model_destroy(model);
  assert_int_equal(pki_pendulum_load(2, &model, &err), PK_OK);
  c = pki_pendulum_rotation_case();
  c.code = code;
  assert_int_equal(pki_pendulum_measure(model, &c, NULL, &cell, NULL, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "another model"));
  pk_code_close(code);
  pk_model_destroy(model);
}

/* --- the study --------------------------------------------------------------------------- */

static void remove_report(const char *folder)
{
  static const char *const files[] = {"report.html", "time.svg", "operations.svg", "inverse.svg",
                                      "period.svg"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    assert_int_equal(remove(path), 0); /* it was there */
  }
  assert_int_equal(rmdir(folder), 0); /* and nothing else */
}

static const pki_study_row *row_of(const pki_study_result *result, const char *id)
{
  const pki_study_row *row = pki_study_get(result, id);
  assert_non_null(row);
  return row;
}

static void the_quick_study_holds_what_it_is_held_to(void **state)
{
  (void)state;
  char folder[] = "pronk-study-XXXXXX";
  pki_study_result result = {0};
  assert_true(run_quick_study("symbolic", folder, &result));
  static const char *const holds[] = {"agreement/generic/by-entry", "agreement/generic/by-state",
                                      "table1/single/1e-2/energy",  "table1/double/1e-4/energy",
                                      "fig3/period-error",          "operations/aba/normal"};
  for (size_t i = 0; i < sizeof holds / sizeof holds[0]; i++) {
    assert_int_equal(row_of(&result, holds[i])->verdict, PKI_VERDICT_HOLDS);
  }
  assert_judged(&result);
  /* Lanes give the same bits. */
  assert_true(row_of(&result, "agreement/generated-x4/by-entry")->measured == 0);
  assert_greater(row_of(&result, "fig4/29/generated")->measured, 0);
  assert_greater(row_of(&result, "code/29/machine")->measured, 1000);
  assert_greater(row_of(&result, "slope/generated")->measured, 0);
  assert_string_equal(row_of(&result, "fig4/18/generated")->note, "left out by --quick");
  assert_string_equal(row_of(&result, "table1/single/1e-6/energy")->note, "left out by --quick");
  const pki_study_row *missing = row_of(&result, "ratio/simbody");
  assert_true(isnan(missing->measured) && missing->paper == 3.5);
  assert_string_equal(missing->note, "its plugin was not found: install libsimbody-dev, then run make");
  assert_non_null(strstr(result.summary.data, "MuJoCo is left out: its plugin was not found"));
  assert_null(strstr(result.summary.data, "nan"));
  remove_report(folder);
  pki_study_free(&result);
}

static void without_a_compiler_the_rest_is_told(void **state)
{
  (void)state;
  char folder[] = "pronk-study-XXXXXX";
  pki_study_result result = {0};
  setenv("PRONK_CC", "/nowhere/cc", 1);
  assert_true(run_quick_study("symbolic", folder, &result));
  unsetenv("PRONK_CC");
  static const char *const unknown[] = {"fig4/29/generated", "agreement/generic/by-entry",
                                        "ratio/generic",     "table1/single/1e-2/energy",
                                        "fig3/period-error", "code/29/compile"};
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
    const pki_study_row *row = row_of(&result, unknown[i]);
    assert_true(isnan(row->measured));
    assert_true(row->verdict == PKI_VERDICT_NONE || row->verdict == PKI_VERDICT_LEFT_OUT);
    assert_non_null(strstr(row->note, "/nowhere/cc"));
  }
  assert_greater(row_of(&result, "fig4/29/generic")->measured, 0);
  assert_greater(row_of(&result, "operations/aba/simple")->measured, 0);
  assert_null(strstr(result.summary.data, "nan"));
  remove_report(folder);
  pki_study_free(&result);
}

int main(void)
{
  char cache[] = "/tmp/pronk-cache-XXXXXX";
  if (mkdtemp(cache) == NULL) {
    return 1;
  }
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_PEERS", PK_BUILD_DIR "/nowhere", 1);
  setenv("PRONK_CACHE", cache, 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_part_with_all_bodies_is_the_robot),
      cmocka_unit_test(parts_are_the_papers_and_their_limbs_are_the_robots),
      cmocka_unit_test(a_robot_without_a_free_root_has_no_parts),
      cmocka_unit_test(operations_fall_from_plain_to_normal_form_to_simplified),
      cmocka_unit_test(a_line_goes_through_times_that_lie_on_one),
      cmocka_unit_test(a_pendulum_swings_by_the_code_that_it_is_given),
      cmocka_unit_test(the_quick_study_holds_what_it_is_held_to),
      cmocka_unit_test(without_a_compiler_the_rest_is_told),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  pki_folder_remove(cache);
  return failed;
}
