/* Scenarios in text, for the tests of this stage. */
#ifndef TESTS_SCENARIO_HELP_H
#define TESTS_SCENARIO_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenario/scenario.h"

/* A scenario of the tests' own, which may be wrong. Files named in it lie beside the models' folder. */
static inline pk_status read_scenario(const char *text, const char *set, pki_scenario **out, pk_error *err)
{
  const char *const sets[] = {set};
  return pki_scenario_parse(PK_SOURCE_DIR "/scenarios/a.yaml", text, strlen(text), sets, set != NULL, out,
                            err);
}

/* One that must be right. */
static inline pki_scenario *good_scenario(const char *text, const char *set)
{
  pki_scenario *s = NULL;
  pk_error err = {.message = ""};
  if (read_scenario(text, set, &s, &err) != PK_OK) {
    fail_msg("%s:%d: %s: %s", err.file, err.line, err.field, err.message);
  }
  return s;
}

static inline pki_world good_world(const pki_scenario *s)
{
  pki_world w;
  pk_error err = {.message = ""};
  if (pki_world_create(s, &w, &err) != PK_OK) {
    fail_msg("%s:%d: %s: %s", err.file, err.line, err.field, err.message);
  }
  return w;
}

#endif
