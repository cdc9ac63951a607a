/* Samples as a whole: counts, the worst of them, levels of parameters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep_report.h"

/* ---- the worst ---- */

typedef struct ranked {
  int record;
  int kind; /* 0: a step failed, 1: fell, 2: neither */
  double by;
} ranked;

/* Failed steps first, then falls, the soonest first, then the largest tilt; the smaller number first among equals. */
static int compare_ranked(const void *a, const void *b)
{
  const ranked *x = a, *y = b;
  if (x->kind != y->kind) {
    return x->kind < y->kind ? -1 : 1;
  }
  if (x->by != y->by) {
    return x->by < y->by ? -1 : 1;
  }
  return x->record < y->record ? -1 : x->record > y->record;
}

static bool find_worst(pki_samples *s)
{
  const int fell = pki_metric_find("fell"), fell_at = pki_metric_find("fell_at"),
            tilt = pki_metric_find("tilt_max"), simulated = pki_metric_find("simulated");
  ranked *order = calloc((size_t)s->count + 1, sizeof *order);
  s->worst = calloc((size_t)s->sweep->replays + 1, sizeof *s->worst);
  int n = 0;
  for (int i = 0; i < s->count && order != NULL; i++) {
    const pki_record *r = &s->record[i];
    const bool failed = r->outcome == PKI_OUTCOME_FAILED, down = r->metric[fell] > 0;
    if (r->outcome != PKI_OUTCOME_REFUSED) {
      const double by = failed ? r->metric[simulated] : down ? r->metric[fell_at] : -r->metric[tilt];
      order[n++] = (ranked){i, failed ? 0 : down ? 1 : 2, isnan(by) ? 0 : by};
    }
  }
  if (n > 1) {
    qsort(order, (size_t)n, sizeof *order, compare_ranked);
  }
  for (int i = 0; i < n && i < s->sweep->replays && s->worst != NULL; i++) {
    s->worst[s->nworst++] = order[i].record;
  }
  const bool good = order != NULL && s->worst != NULL;
  free(order);
  return good;
}

pk_status pki_samples_read(const pki_sweep *sweep, const pki_store *store, pki_samples *out, pk_error *err)
{
  const int fell = pki_metric_find("fell"), uncertified = pki_metric_find("uncertified");
  *out = (pki_samples){.sweep = sweep};
  out->record = calloc((size_t)store->finished + 1, sizeof *out->record);
  for (long long i = 0; i < sweep->count && out->record != NULL; i++) {
    pki_record *r = &out->record[out->count];
    if (pki_store_get(store, i, r)) {
      out->count++;
      out->ran += r->outcome == PKI_OUTCOME_RAN;
      out->refused += r->outcome == PKI_OUTCOME_REFUSED;
      out->failed += r->outcome == PKI_OUTCOME_FAILED;
      out->fell += r->metric[fell] > 0;
      out->uncertified += r->metric[uncertified] > 0;
    }
  }
  if (out->record == NULL || !find_worst(out)) {
    pki_samples_free(out);
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory for %lld samples", store->finished);
  }
  return PK_OK;
}

void pki_samples_free(pki_samples *samples)
{
  free(samples->record);
  free(samples->worst);
  *samples = (pki_samples){0};
}

/* ---- levels ---- */

/* From which to which value the parts go; false: the parameter has no numbers. */
static bool span_of(const pki_sweep_parameter *p, double span[2], bool *ratios)
{
  *ratios = p->log != 0;
  if (p->count > 0) {
    span[0] = INFINITY, span[1] = -INFINITY;
    for (int i = 0; i < p->count; i++) {
      span[0] = fmin(span[0], p->value[i]);
      span[1] = fmax(span[1], p->value[i]);
    }
    return isfinite(span[0]) && isfinite(span[1]);
  }
  *ratios = p->random == PKI_DRAW_LOG_UNIFORM;
  span[0] = isfinite(p->from) ? p->from : p->mean - 3 * p->deviation;
  span[1] = isfinite(p->to) ? p->to : p->mean + 3 * p->deviation;
  return true;
}

/* Two draws at least for each part, as far as that goes. */
static int parts_of(int draws)
{
  const int parts = draws / 2;
  return parts < 2 ? 2 : parts < PKI_LEVELS_DRAWN ? parts : PKI_LEVELS_DRAWN;
}

static bool is_listed(const pki_sweep_parameter *p)
{
  return p->count > 0 && p->count <= PKI_LEVELS_MOST;
}

void pki_levels_of(const pki_sweep *sweep, int parameter, pki_levels *levels)
{
  const pki_sweep_parameter *p = &sweep->parameters[parameter];
  const bool angle = strcmp(p->unit, "rad") == 0;
  const double scale = angle ? 57.29577951308232 : 1;
  double span[2] = {0, 1};
  bool ratios = false;
  const bool numbers = span_of(p, span, &ratios);
  *levels = (pki_levels){.log = ratios && !angle,
                         .count = is_listed(p)   ? p->count
                                  : p->count > 0 ? PKI_LEVELS_MOST / 2
                                                 : parts_of(sweep->samples)};
  snprintf(levels->label, sizeof levels->label, "%s", p->name);
  snprintf(levels->unit, sizeof levels->unit, "%s", angle ? "°" : p->unit);
  for (int i = 0; i < levels->count; i++) {
    const double part = (i + 0.5) / levels->count;
    const double middle = !numbers       ? NAN
                          : is_listed(p) ? p->value[i]
                          : ratios       ? span[0] * pow(span[1] / span[0], part)
                                         : span[0] + (span[1] - span[0]) * part;
    /* what is left of a zero after rounding */
    levels->middle[i] = fabs(middle) < 1e-9 * fabs(span[1] - span[0]) ? 0 : middle * scale;
    if (is_listed(p) && isnan(p->value[i])) {
      snprintf(levels->name[i], sizeof levels->name[i], "%.20s", p->text[i]);
    } else {
      snprintf(levels->name[i], sizeof levels->name[i], "%.3g", levels->middle[i]);
    }
    levels->names[i] = levels->name[i];
  }
}

int pki_level_at(const pki_sweep *sweep, int parameter, const pki_levels *levels,
                 const pki_sweep_point *point)
{
  const pki_sweep_parameter *p = &sweep->parameters[parameter];
  double span[2];
  bool ratios;
  if (is_listed(p) || !span_of(p, span, &ratios)) {
    return point->level[parameter] * levels->count / (p->count > 0 ? p->count : 1);
  }
  const double v = point->value[parameter];
  const double part =
      ratios ? log(v / span[0]) / log(span[1] / span[0]) : (v - span[0]) / (span[1] - span[0]);
  const int level = (int)floor(part * levels->count);
  return level < 0 ? 0 : level < levels->count ? level : levels->count - 1;
}
