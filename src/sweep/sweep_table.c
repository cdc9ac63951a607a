#include "sweep/sweep_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void pki_number_text(double value, char out[PKI_SWEEP_NUMBER])
{
  out[0] = '\0';
  for (int digits = 15; digits <= 17 && !isnan(value); digits++) {
    snprintf(out, PKI_SWEEP_NUMBER, "%.*g", digits, value);
    if (strtod(out, NULL) == value) {
      break;
    }
  }
}

/* RFC 4180: quotes where they are needed. */
static void add_cell(pki_text *out, const char *text)
{
  if (strpbrk(text, ",\"\r\n") == NULL) {
    pki_text_add(out, text);
    return;
  }
  pki_text_add(out, "\"");
  for (const char *c = text; *c != '\0'; c++) {
    pki_text_addf(out, *c == '"' ? "\"\"" : "%c", *c);
  }
  pki_text_add(out, "\"");
}

static void add_heads(const pki_sweep *s, pki_text *out)
{
  pki_text_add(out, "sample");
  for (int i = 0; i < s->nparameter; i++) {
    pki_text_addf(out, ",%s", s->parameters[i].name);
  }
  pki_text_add(out, s->seeds > 0 ? ",seed" : "");
  for (int i = 0; i < pki_metric_count; i++) {
    pki_text_addf(out, ",%s", pki_metrics[i].name);
  }
  pki_text_add(out, ",outcome,message\n");
}

static void add_row(const pki_sweep *s, const pki_record *r, pki_text *out)
{
  pki_sweep_point point;
  pki_sweep_sample(s, r->index, &point);
  pki_text_addf(out, "%lld", r->index);
  for (int i = 0; i < s->nparameter; i++) {
    pki_text_add(out, ",");
    add_cell(out, point.text[i]);
  }
  if (s->seeds > 0) {
    pki_text_addf(out, ",%d", point.seed);
  }
  for (int i = 0; i < pki_metric_count; i++) {
    char number[PKI_SWEEP_NUMBER];
    pki_number_text(r->metric[i], number);
    pki_text_addf(out, ",%s", number);
  }
  pki_text_addf(out, ",%s,", pki_outcome_words[r->outcome]);
  add_cell(out, r->message);
  pki_text_add(out, "\n");
}

pk_status pki_sweep_csv(const pki_sweep *sweep, const pki_store *store, const char *path, pk_error *err)
{
  pki_text text = {0};
  add_heads(sweep, &text);
  for (long long i = 0; i < sweep->count && !text.failed; i++) {
    pki_record record;
    if (pki_store_get(store, i, &record)) {
      add_row(sweep, &record, &text);
    }
  }
  const pk_status status = pki_text_save(&text, path, err);
  pki_text_free(&text);
  return status;
}
