/* Sweeps in a folder of the test's own. */
#ifndef TESTS_SWEEP_SUPPORT_H
#define TESTS_SWEEP_SUPPORT_H

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
#include "sweep/sweep.h"

/* A ball over a plane: cheap, with contact after a while. */
static const char ball_scenario[] =
    "duration: 0.05\n"
    "objects:\n"
    "  - {shape: sphere, size: 0.1, position: [0, 0, 0.12], velocity: [1, 0, 0]}\n"
    "terrain:\n"
    "  - {shape: plane, material: floor}\n"
    "materials:\n"
    "  floor: {friction: 0.5}\n"
    "step: {dt: 2.5e-3}\n";

static char test_folder[64];

static inline void write_text(const char *name, const char *text)
{
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  assert_at_least(fputs(text, file), 0);
  assert_int_equal(fclose(file), 0);
}

/* Into a new folder, with ball.yaml. */
static inline int enter_folder(void **state)
{
  (void)state;
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  snprintf(test_folder, sizeof test_folder, "/tmp/pronk-sweep-XXXXXX");
  if (mkdtemp(test_folder) == NULL || chdir(test_folder) != 0) {
    return -1;
  }
  write_text("ball.yaml", ball_scenario);
  return 0;
}

static inline int leave_folder(void **state)
{
  (void)state;
  return chdir("/") == 0 && pki_folder_remove(test_folder) ? 0 : -1;
}

/* A sweep that must be in order. */
static inline pki_sweep read_sweep(const char *text)
{
  pki_sweep s;
  pk_error err = {.message = ""};
  if (pki_sweep_parse("test.yaml", text, strlen(text), NULL, 0, &s, &err) != PK_OK) {
    fail_msg("%s:%d: %s: %s", err.file, err.line, err.field, err.message);
  }
  return s;
}

#endif
