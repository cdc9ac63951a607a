/* A pendulum in a folder of the test's own: its controller takes an offset of 0.4 rad away, e'' + (kd e' + kp e)/I = 0 with
 * I = 6.5 kg m^2. */
#ifndef TESTS_TUNE_SUPPORT_H
#define TESTS_TUNE_SUPPORT_H

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
#include "support/bounds.h"
#include "tune/tune.h"

static const char offset_scenario[] = "description: An offset that is taken away\n"
                                      "gravity: [0, 0, 0]\n"
                                      "duration: 3\n"
                                      "model: {model: pendulum, joints: {hinge: 0.4}}\n"
                                      "step: {dt: 5e-3}\n"
                                      "controller: {name: track, file: zero.csv, kp: 162.5, kd: 65}\n"
                                      "vary:\n"
                                      "  - {what: joint, joints: hinge, from: 0.1, to: 0.3}\n";

static char test_folder[64];

static inline void write_text(const char *name, const char *text)
{
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  assert_at_least(fputs(text, file), 0);
  assert_int_equal(fclose(file), 0);
}

/* Into a new folder, with offset.yaml. */
static inline int enter_folder(void **state)
{
  (void)state;
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  snprintf(test_folder, sizeof test_folder, "/tmp/pronk-tune-XXXXXX");
  if (mkdtemp(test_folder) == NULL || chdir(test_folder) != 0) {
    return -1;
  }
  write_text("zero.csv", "time, hinge\n0, 0\n");
  write_text("offset.yaml", offset_scenario);
  return 0;
}

static inline int leave_folder(void **state)
{
  (void)state;
  return chdir("/") == 0 && pki_folder_remove(test_folder) ? 0 : -1;
}

/* A tuning of offset.yaml for the least tracking error, without keys. */
static inline pki_tune begin_tune(const char *method, int evaluations)
{
  pki_tune t = {.duration = -1, .evaluations = evaluations, .starts = 2, .seed = 1, .tolerance = 1e-4};
  pk_error err = {.message = ""};
  t.objective.penalty = -1;
  if (pki_scenario_load("offset.yaml", NULL, 0, &t.base, &err) != PK_OK ||
      pki_objective_add(&t.objective, "tracking_error", &err) != PK_OK ||
      pki_tune_set_method(&t, method, &err) != PK_OK) {
    fail_msg("%s: %s: %s", err.file, err.field, err.message);
  }
  return t;
}

static inline void vary(pki_tune *t, const char *text)
{
  pk_error err = {.message = ""};
  if (pki_tune_add_parameter(t, text, &err) != PK_OK) {
    fail_msg("%s: %s", err.field, err.message);
  }
}

/* Bytes of a file, for free(). */
static inline char *read_whole(const char *path, size_t *size)
{
  char *bytes = pki_file_read(path, 1 << 26, size);
  if (bytes == NULL) {
    fail_msg("%s cannot be read", path);
  }
  return bytes;
}

static inline void assert_same_file(const char *a, const char *b)
{
  size_t na, nb;
  char *left = read_whole(a, &na), *right = read_whole(b, &nb);
  if (na != nb || memcmp(left, right, na) != 0) {
    fail_msg("%s and %s differ", a, b);
  }
  free(left), free(right);
}

#endif
