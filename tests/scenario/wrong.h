/* Wrong scenarios in tables: each with its line, its key, and what is said of it. */
#ifndef TESTS_SCENARIO_WRONG_H
#define TESTS_SCENARIO_WRONG_H

#include "scenario/help.h"

typedef struct wrong {
  const char *text;
  int line;
  const char *field, *message; /* message NULL: whatever it is */
} wrong;

#define REST "model: starleth\nduration: 1\n" /* two lines that make a scenario */

static inline void expect_wrong(const wrong *c, pk_status status, const pk_error *err)
{
  if (status == PK_OK || (c->message != NULL && strcmp(err->message, c->message) != 0) ||
      err->line != c->line || strcmp(err->field, c->field) != 0) {
    fail_msg("\n%s\ngave     %d %s: %s\nexpected %d %s: %s", c->text, err->line, err->field, err->message,
             c->line, c->field, c->message);
  }
  assert_string_equal(err->file, PK_SOURCE_DIR "/scenarios/a.yaml");
  assert_true(err->message[0] != '\0');
}

/* Refused while they are read. */
static inline void refuse_scenarios(const wrong *cases, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    pki_scenario *s = NULL;
    pk_error err = {.message = ""};
    expect_wrong(&cases[i], read_scenario(cases[i].text, NULL, &s, &err), &err);
    assert_null(s);
    assert_int_not_equal(read_scenario(cases[i].text, NULL, &s, NULL), PK_OK);
  }
}

/* Refused when their world is made. */
static inline void refuse_worlds(const wrong *cases, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    pki_scenario *s = good_scenario(cases[i].text, NULL);
    pki_world w;
    pk_error err = {.message = ""};
    expect_wrong(&cases[i], pki_world_create(s, &w, &err), &err);
    assert_int_not_equal(pki_world_create(s, &w, NULL), PK_OK);
    pki_scenario_destroy(s);
  }
}

#endif
