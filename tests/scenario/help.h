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

#include "base/random.h"
#include "scenario/scenario.h"

/* Plain ground, for robots that fall on it. */
#define GROUND "terrain: [{shape: plane, material: rubber}]\nmaterials: {rubber: {friction: 0.8}}\n"

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

/* The joints of a robot on a free root, and the first velocities of that root, off by random numbers. */
static inline void start_at_random(pki_world *w, uint64_t seed, double joints, double speed, int velocities)
{
  pki_random rng = pki_random_seeded(seed);
  for (int i = 7; i < w->model->nq; i++) {
    pk_sim_q(w->sim)[i] += pki_random_between(&rng, -joints, joints);
  }
  for (int i = 0; i < velocities; i++) {
    pk_sim_u(w->sim)[i] += pki_random_between(&rng, -speed, speed);
  }
}

#endif
