/* From the number of a sample to its settings. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/number.h"
#include "base/text.h"
#include "scenario/slope.h"
#include "sweep/metrics.h"
#include "sweep/sweep.h"

/* ---- values ---- */

/* The value of a distribution at `u` of (0, 1). */
static double distribution_quantile(const pki_sweep_parameter *p, double u)
{
  if (p->random == PKI_DRAW_NORMAL) {
    const double low = pki_normal_below((p->from - p->mean) / p->deviation),
                 high = pki_normal_below((p->to - p->mean) / p->deviation);
    const double x = p->mean + p->deviation * pki_normal_quantile(low + u * (high - low));
    return fmin(fmax(x, p->from), p->to);
  }
  return p->random == PKI_DRAW_LOG_UNIFORM ? p->from * pow(p->to / p->from, u)
                                           : p->from + (p->to - p->from) * u;
}

void pki_sweep_sample(const pki_sweep *sweep, long long index, pki_sweep_point *out)
{
  const pki_sweep *s = sweep;
  const long long seeds = s->seeds > 0 ? s->seeds : 1, draws = s->samples > 0 ? s->samples : 1;
  const uint32_t draw = (uint32_t)(index / seeds % draws);
  long long rest = index / seeds / draws;
  out->index = index;
  out->seed = s->seeds > 0 ? (int)(((long long)s->base->seed + index % seeds) % INT32_MAX) : -1;
  for (int i = s->nparameter - 1; i >= 0; i--) {
    const pki_sweep_parameter *p = &s->parameters[i];
    if (p->count > 0) {
      out->level[i] = (int)(rest % p->count);
      rest /= p->count;
      out->value[i] = p->value[out->level[i]];
      out->text[i] = p->text[out->level[i]];
    } else {
      const double u = pki_draw_unit(s->draw, s->seed, draw, p->dimension);
      const int n = snprintf(out->number[i], PKI_SWEEP_NUMBER, "%.12g", distribution_quantile(p, u));
      const char *cursor = out->number[i];
      out->level[i] = -1;
      out->value[i] = NAN;
      pki_parse_real(&cursor, cursor + n, &out->value[i]);
      out->text[i] = out->number[i];
    }
  }
}

/* ---- overrides ---- */

/* All of them as lines: no override holds an end of line. */
static void add_lines(const pki_sweep *s, const pki_sweep_point *point, bool fixed, pki_text *out)
{
  for (int i = 0; i < s->nset && fixed; i++) {
    pki_text_addf(out, "%s\n", s->sets[i]);
  }
  for (int i = 0; i < s->nparameter; i++) {
    const pki_sweep_parameter *p = &s->parameters[i];
    if (p->as == PKI_SWEEP_AS_SLOPE) {
      pk_error ignored; /* it was tried when the file was read */
      pki_slope_sets(s->base, point->value[i], out, &ignored);
      continue;
    }
    for (int k = 0; k < (p->nkey > 0 ? p->nkey : 1); k++) {
      pki_text_addf(out, "%s=%s\n", p->nkey > 0 ? p->keys[k] : p->key, point->text[i]);
    }
  }
  if (point->seed >= 0) {
    pki_text_addf(out, "seed=%d\n", point->seed);
  }
}

char **pki_sweep_sets(const pki_sweep *sweep, const pki_sweep_point *point, int *count)
{
  pki_text lines = {0};
  *count = 0;
  add_lines(sweep, point, true, &lines);
  int most = 0;
  for (size_t i = 0; i < lines.size; i++) {
    most += lines.data[i] == '\n';
  }
  char **sets = lines.failed ? NULL : calloc((size_t)most + 1, sizeof *sets);
  for (char *at = lines.data; sets != NULL && *count < most;) {
    char *end = strchr(at, '\n');
    *end = '\0';
    sets[*count] = strdup(at);
    if (sets[(*count)++] == NULL) {
      pki_sweep_sets_free(sets, *count);
      sets = NULL;
    }
    at = end + 1;
  }
  pki_text_free(&lines);
  return sets;
}

void pki_sweep_sets_free(char **sets, int count)
{
  for (int i = 0; sets != NULL && i < count; i++) {
    free(sets[i]);
  }
  free(sets);
}

void pki_sweep_command(const pki_sweep *sweep, const pki_sweep_point *point, pki_text *out)
{
  int count;
  char **sets = pki_sweep_sets(sweep, point, &count);
  out->failed = out->failed || sets == NULL;
  pki_text_add(out, "pronk run ");
  pki_text_add_word(out, sweep->scenario_file);
  for (int i = 0; i < count && sets != NULL; i++) {
    pki_text_add(out, " --set ");
    pki_text_add_word(out, sets[i]);
  }
  if (sweep->duration >= 0) {
    pki_text_addf(out, " --duration %.12g", sweep->duration);
  }
  pki_sweep_sets_free(sets, count);
}

/* ---- identity ---- */

uint64_t pki_sweep_hash(const pki_sweep *sweep)
{
  uint64_t hash = PKI_HASH_START;
  pki_text lines = {0};
  hash = pki_hash_bytes(hash, &sweep->count, sizeof sweep->count);
  /* pki_scenario_hash leaves these two out: a checkpoint may go on for longer, samples may not */
  const double duration = sweep->duration >= 0 ? sweep->duration : sweep->base->duration;
  hash = pki_hash_bytes(hash, &duration, sizeof duration);
  hash = pki_hash_bytes(hash, &sweep->base->certify, sizeof sweep->base->certify);
  hash = pki_hash_bytes(hash, &sweep->level_hash, sizeof sweep->level_hash);
  for (int i = 0; i < pki_metric_count; i++) {
    hash = pki_hash_bytes(hash, pki_metrics[i].name, strlen(pki_metrics[i].name) + 1);
  }
  for (int i = 0; i < sweep->nset; i++) {
    hash = pki_hash_bytes(hash, sweep->sets[i], strlen(sweep->sets[i]) + 1);
  }
  for (int i = 0; i < sweep->nparameter; i++) {
    hash = pki_hash_bytes(hash, sweep->parameters[i].name, strlen(sweep->parameters[i].name) + 1);
  }
  for (long long i = 0; i < sweep->count; i++) {
    pki_sweep_point point;
    pki_sweep_sample(sweep, i, &point);
    lines.size = 0;
    add_lines(sweep, &point, false, &lines);
    hash = pki_hash_bytes(hash, lines.data != NULL ? lines.data : "", lines.size);
  }
  pki_text_free(&lines);
  return hash;
}
