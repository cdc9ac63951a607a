#include "tune/objective.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

pk_status pki_objective_add(pki_objective *objective, const char *text, pk_error *err)
{
  pki_objective *o = objective;
  const pki_where where = {.field = "--metric"};
  char name[64];
  const char *equals = strchr(text, '='), *end = text + strlen(text);
  const size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
  double weight = 1;
  snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), text);
  const int metric = pki_metric_find(name);
  if (metric < 0) {
    const char *words[PKI_METRIC_MAX];
    for (int i = 0; i < pki_metric_count; i++) {
      words[i] = pki_metrics[i].name;
    }
    const char *nearest = pki_nearest_word(name, words, pki_metric_count);
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "there is no metric '%s'%s%s%s (pronk list metrics)", name,
                    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  }
  const char *cursor = equals != NULL ? equals + 1 : end;
  if (equals != NULL &&
      (!pki_parse_real(&cursor, end, &weight) || cursor != end || !isfinite(weight) || weight == 0)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "the weight of %s is '%s', expected a number other than zero", name, equals + 1);
  }
  if (o->nterm == PKI_OBJECTIVE_TERMS) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "more than %d metrics", PKI_OBJECTIVE_TERMS);
  }
  for (int i = 0; i < o->nterm; i++) {
    if (o->metric[i] == metric) {
      return pki_fail(err, PK_ERROR_ARGUMENT, where, "%s comes twice", name);
    }
  }
  o->metric[o->nterm] = metric;
  o->weight[o->nterm++] = weight;
  return PK_OK;
}

double pki_objective_value(const pki_objective *objective, const pki_record *record)
{
  double sum = record->outcome == PKI_OUTCOME_RAN ? 0 : NAN;
  for (int i = 0; i < objective->nterm; i++) {
    sum += objective->weight[i] * record->metric[objective->metric[i]];
  }
  return isfinite(sum) ? sum : NAN;
}

pki_penalty pki_objective_penalty(const pki_objective *objective, double value_as_written)
{
  const bool known = isfinite(value_as_written) && value_as_written != 0;
  const double usual = known ? 10 * fabs(value_as_written) : 1;
  const double given = objective->penalty;
  return (pki_penalty){.fall = given >= 0 ? given : usual, .lost = fmax(given, usual)};
}

double pki_objective_cost(const pki_objective *objective, const pki_penalty *penalty,
                          const pki_record *record, double duration)
{
  const double value = pki_objective_value(objective, record), length = fmax(duration, 1e-12);
  const double ended = record->metric[pki_metric_find("simulated")];
  if (isnan(value)) {
    const bool began = record->outcome != PKI_OUTCOME_REFUSED && isfinite(ended);
    return 2 * penalty->lost * (2 - (began ? fmin(ended / length, 1) : 0));
  }
  double cost = objective->maximise ? -value : value;
  if (record->metric[pki_metric_find("fell")] > 0) {
    cost += penalty->fall * (2 - fmin(record->metric[pki_metric_find("fell_at")] / length, 1));
  }
  return cost + (record->metric[pki_metric_find("uncertified")] > 0 ? penalty->fall : 0);
}

void pki_objective_text(const pki_objective *objective, pki_text *out)
{
  for (int i = 0; i < objective->nterm; i++) {
    const double weight = objective->weight[i], size = fabs(weight);
    pki_text_add(out, i == 0 ? (weight < 0 ? "-" : "") : weight < 0 ? " - " : " + ");
    if (size != 1) {
      pki_text_addf(out, "%.6g ", size);
    }
    pki_text_add(out, pki_metrics[objective->metric[i]].name);
  }
}

const char *pki_objective_unit(const pki_objective *objective)
{
  return objective->nterm == 1 && objective->weight[0] == 1 ? pki_metrics[objective->metric[0]].unit : "";
}
