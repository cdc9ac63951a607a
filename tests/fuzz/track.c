/* Any bytes as a table of joint references. What is read is sound: times grow from 0, or sinusoids have periods;
 * numbers are finite, gains are none below zero, joints are the model's. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "control/reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static pk_model *model; /* a chain; lives as long as the process */

static void make_model(void)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  const pk_chain_options chain = pk_chain_options_default();
  pk_error err;
  if (b == NULL || pk_builder_add_chain(b, &chain, &err) != PK_OK ||
      pk_builder_compile(b, &model, &err) != PK_OK) {
    abort();
  }
  pk_builder_destroy(b);
}

static void check(const pki_reference_table *t)
{
  for (int i = 0; i < t->rows; i++) {
    if (!isfinite(t->time[i]) || (i == 0 ? t->time[i] != 0 : !(t->time[i] > t->time[i - 1]))) {
      abort();
    }
  }
  for (int i = 0; i < t->rows * t->joints; i++) {
    if (!isfinite(t->q[i])) {
      abort();
    }
  }
  if ((t->rows > 0) == (t->harmonics > 0)) {
    abort();
  }
  for (int i = 0; i < PKI_WAVE_ROWS * t->joints && t->harmonics > 0; i++) {
    if (!isfinite(t->wave[i]) || (i / t->joints == PKI_WAVE_PERIOD && !(t->wave[i] > 0))) {
      abort();
    }
  }
  for (int k = 0; k < t->joints; k++) {
    if (t->dof[k] < 0 || t->dof[k] >= model->nu) {
      abort();
    }
    for (int g = 0; g < PKI_REFERENCE_GAINS; g++) {
      if (t->gain[g * t->joints + k] < 0) { /* NaN: there is no such line */
        abort();
      }
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (model == NULL) {
    make_model();
  }
  pki_reference_table table;
  pk_error err = {.message = ""};
  const pk_status status = pki_reference_parse("fuzz.csv", (const char *)data, size, model, &table, &err);
  if ((status == PK_OK) != (err.message[0] == '\0')) {
    abort();
  }
  if (status == PK_OK) {
    check(&table);
  }
  pki_reference_free(&table);
  return 0;
}
