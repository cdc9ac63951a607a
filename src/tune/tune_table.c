/* evaluations.csv: a row for each evaluation. */
#include <math.h>

#include "tune/tune.h"

static void add_cell(pki_text *out, double value)
{
  pki_text_add(out, ",");
  if (isfinite(value)) {
    pki_text_addf(out, "%.17g", value);
  }
}

/* Keys may hold commas and quotes. */
static void add_head(pki_text *out, const char *name)
{
  pki_text_add(out, ",\"");
  for (const char *c = name; *c != '\0'; c++) {
    pki_text_add(out, *c == '"' ? "\"" : "");
    pki_text_add_bytes(out, c, 1);
  }
  pki_text_add(out, "\"");
}

static void add_row(const pki_tune *tune, const pki_evaluation *e, int number, int search, const char *method,
                    pki_text *out)
{
  pki_text_addf(out, "%d,%d,%s", number, search, method);
  for (int i = 0; i < tune->nparameter; i++) {
    add_cell(out, e->value[i]);
  }
  add_cell(out, e->objective);
  add_cell(out, e->cost);
  pki_text_addf(out, ",%d,%d,%d,%d", e->fell, e->uncertified, e->failed, e->refused);
  for (int i = 0; i < pki_metric_count; i++) {
    add_cell(out, e->metric[i]);
  }
  pki_text_add(out, "\n");
}

pk_status pki_tune_csv(const pki_tune *tune, const pki_tune_result *result, const char *path, pk_error *err)
{
  pki_text text = {0};
  pki_text_add(&text, "evaluation,search,method");
  for (int i = 0; i < tune->nparameter; i++) {
    add_head(&text, tune->parameters[i].key);
  }
  pki_text_add(&text, ",objective,cost,worlds_fell,worlds_uncertified,worlds_failed,worlds_refused");
  for (int i = 0; i < pki_metric_count; i++) {
    pki_text_addf(&text, ",%s", pki_metrics[i].name);
  }
  pki_text_add(&text, "\n");
  if (result->count > 0) {
    add_row(tune, &result->list[0], 0, 0, "as-written", &text);
  }
  for (int k = 0; k < result->nleg; k++) {
    const pki_tune_leg *leg = &result->legs[k];
    for (int i = leg->first; i < leg->first + leg->count; i++) {
      add_row(tune, &result->list[i], i, k + 1, leg->method->name, &text);
    }
  }
  const pk_status status = pki_text_save(&text, path, err);
  pki_text_free(&text);
  return status;
}
