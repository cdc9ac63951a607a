/* Any bytes as a sizing study. What is read is sound: its numbers are finite and in their ranges, every motion has one source, and a present drive a
 * mass. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "size/size_study.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Motors are those of the tree. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  return setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
}

static void check(const pki_size_study *s)
{
  pki_schema_table table;
  if (!pki_size_table(0, &table) || pki_fields_validate(table.fields, *table.count, s, NULL) != PK_OK ||
      s->nmotion < 1 || s->ndrive < 1 ||
      !(s->rank.mass + s->rank.energy + s->rank.price + s->rank.heat > 0)) {
    abort();
  }
  for (int i = 0; i < s->nmotion; i++) {
    const pki_size_motion *m = &s->motions[i];
    if (m->source[pki_size_source_of(m)][0] == '\0' || !(m->weight > 0) || !(m->window.to > m->window.from)) {
      abort();
    }
  }
  for (int i = 0; i < s->npresent; i++) {
    if (!(s->present[i].mass >= 0 && isfinite(s->present[i].mass))) {
      abort();
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  pki_size_study *study = NULL;
  pki_problems problems = {0};
  pk_error err = {.message = ""};
  const pk_status status =
      pki_size_study_parse("input.yaml", (const char *)data, size, NULL, 0, &study, &problems);
  if (pki_problems_first(&problems, &err) != status || (status == PK_OK) != (err.message[0] == '\0') ||
      (status == PK_OK) != (study != NULL)) {
    abort();
  }
  if (study != NULL) {
    check(study);
  }
  pki_size_study_destroy(study);
  return 0;
}
