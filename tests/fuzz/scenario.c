/* Any bytes as a scenario: a scenario or a message, and an override on top. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What comes after the last zero byte is an override. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  if (text == NULL) {
    return 0;
  }
  memcpy(text, data, size);
  text[size] = '\0';
  size_t cut = size;
  while (cut > 0 && text[cut - 1] != '\0') {
    cut--;
  }
  const char *const sets[] = {text + cut};
  const size_t length = cut > 0 ? cut - 1 : size;
  pki_scenario *s = NULL;
  pk_error err = {PK_OK, 0, "", "", ""};
  const pk_status status = pki_scenario_parse("input.yaml", text, length, sets, cut > 0, &s, &err);
  if (status == PK_OK) {
    if (s == NULL || s->nmodel + s->nobject < 1 || pk_sim_options_validate(&s->step, NULL) != PK_OK) {
      abort();
    }
    (void)pki_scenario_hash(s);
  } else if (s != NULL || err.status != status || err.message[0] == '\0') {
    abort();
  }
  pki_scenario_destroy(s);
  free(text);
  return 0;
}
