/* What a batch was like, in numbers: quantities of all worlds, the worst of them, the summary, worlds.csv. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folders.h"
#include "run/run.h"
#include "run/run_batch.h"

const pki_batch_row pki_batch_rows[PKI_BATCH_QUANTITIES] = {
    [PKI_BATCH_DISTANCE] = {"distance", "distance", "m"},
    [PKI_BATCH_WORK] = {"positive_work", "work of the motors", "J"},
    [PKI_BATCH_COST] = {"cost_of_transport", "cost of transport", ""},
    [PKI_BATCH_TILT] = {"tilt_max", "largest tilt", "rad"},
    [PKI_BATCH_PEAK] = {"peak_torque", "largest torque", "N m"},
    [PKI_BATCH_RESIDUAL] = {"worst_residual", "worst residual", ""},
};

double pki_batch_value(const pki_batch_result *r, pki_batch_quantity what, int k)
{
  const pki_run_result *of = &r->of[k];
  switch (what) {
  case PKI_BATCH_DISTANCE: return of->distance;
  case PKI_BATCH_WORK: return of->positive_work;
  case PKI_BATCH_COST: return pki_run_cost_of_transport(of);
  case PKI_BATCH_TILT: return of->tilt_max;
  case PKI_BATCH_PEAK: return r->peak[k];
  default: return of->worst_residual;
  }
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double *pki_batch_sorted(const pki_batch_result *r, pki_batch_quantity what, int *n)
{
  double *out = malloc(((size_t)r->worlds + 1) * sizeof *out);
  *n = 0;
  for (int k = 0; k < r->worlds && out != NULL; k++) {
    const double x = pki_batch_value(r, what, k);
    out[*n] = x;
    *n += isfinite(x);
  }
  if (out != NULL) {
    qsort(out, (size_t)*n, sizeof *out, by_size);
  }
  return out;
}

/* ---- worlds that are worth a look ---- */

/* How bad it was: kinds first, then how much. */
static double world_badness(const pki_batch_result *r, int k)
{
  const pki_run_result *of = &r->of[k];
  if (of->status != PK_OK) {
    return 4e9 - of->duration;
  }
  if (of->uncertified > 0) {
    return 3e9 + fmin(of->worst_residual, 1);
  }
  return of->fell ? 2e9 - of->fell_at : of->tilt_max;
}

int pki_batch_worst(const pki_batch_result *r, int *out, int most)
{
  int n = 0;
  for (int k = 0; k < r->worlds; k++) {
    const double bad = world_badness(r, k);
    int at = n < most ? n++ : most;
    for (; at > 0 && bad > world_badness(r, out[at - 1]); at--) { /* worlds that are alike stay in order */
      if (at < most) {
        out[at] = out[at - 1];
      }
    }
    if (at < most) {
      out[at] = k;
    }
  }
  return n;
}

void pki_batch_replay(const pki_batch_result *r, int k, pki_text *out)
{
  const pki_scenario *s = r->world->scenario;
  pki_text_add(out, "pronk run ");
  pki_text_add_word(out, s->file);
  for (int i = 0; i < s->nset; i++) {
    pki_text_add(out, " --set ");
    pki_text_add_quoted(out, s->sets[i]);
  }
  pki_text_addf(out, " --set world=%d", k);
  if (r->asked_duration >= 0) {
    pki_text_addf(out, " --duration %.17g", r->asked_duration);
  }
  pki_text_addf(out, " -o out/%s-world-%d", s->name, k);
}

const char *pki_batch_ending(const pki_run_result *of, const char *otherwise)
{
  return of->status == PK_ERROR_LIMIT ? "more contacts than it has room for, or remembers"
         : of->status != PK_OK        ? pk_status_text(of->status)
         : of->uncertified > 0        ? "not certified"
         : of->fell                   ? "fell"
                                      : otherwise;
}

/* ---- the summary ---- */

enum { CELL = 160 };

__attribute__((format(printf, 3, 4))) static void add_row(pki_table *table, const char *name,
                                                          const char *format, ...)
{
  char cell[CELL];
  va_list args;
  va_start(args, format);
  vsnprintf(cell, sizeof cell, format, args);
  va_end(args);
  pki_table_row(table, (const char *const[]){name, cell});
}

static void add_quantity(const pki_batch_result *r, pki_batch_quantity what, pki_table *table)
{
  int n;
  double *x = pki_batch_sorted(r, what, &n);
  const char *unit = pki_batch_rows[what].unit;
  if (n > 0) {
    add_row(table, pki_batch_rows[what].name, "median %.4g%s%s (5 %%: %.4g, 95 %%: %.4g; %.4g to %.4g)",
            pki_quantile(x, n, 0.5), unit[0] ? " " : "", unit, pki_quantile(x, n, 0.05),
            pki_quantile(x, n, 0.95), x[0], x[n - 1]);
  }
  free(x);
}

/* What lanes could not do, and why. */
static void add_lanes(const pki_batch_result *r, pki_table *table)
{
  const double part = r->steps > 0 ? 100.0 / (double)r->steps : 0;
  char why[256] = "";
  size_t used = 0;
  for (int i = 0; i < PK_LANE_EXIT_COUNT; i++) {
    if (r->left[i] > 0 && used < sizeof why) {
      const int n = snprintf(why + used, sizeof why - used, "%s%s %.3g %%", used > 0 ? ", " : ": ",
                             pk_lane_exit_name((pk_lane_exit)i), part * (double)r->left[i]);
      used += n > 0 ? (size_t)n : 0;
    }
  }
  add_row(table, "off the lanes", "%.3g %% of the steps%s", part * (double)r->alone, why);
  add_row(table, "impulses off the lanes", "%.3g %% of the steps", part * (double)r->impulses_alone);
  if (r->shifted > 0) {
    add_row(table, "rows shifted", "in %lld steps, by up to %.0e m/s: nothing can move them", r->shifted,
            r->shift);
  }
}

void pki_batch_table(const pki_batch_result *r, pki_table *table)
{
  const double part = r->worlds > 0 ? 100.0 / r->worlds : 0;
  pki_table_begin(table, (const char *const[]){"", "value"}, 2);
  add_row(table, "worlds", "%d for %g s%s", r->worlds, r->duration, r->interrupted ? ", interrupted" : "");
  add_row(table, "fell", "%d (%.3g %%)", r->fell, part * r->fell);
  add_row(table, "frozen", "%d", r->frozen);
  add_row(table, "above the bound", "%lld of %lld steps, bound %g", r->uncertified, r->steps, r->bound);
  add_row(table, "worst certificate", "%.3g in world %d at %g s", r->worst, r->worst_world,
          r->worst_world >= 0 ? r->of[r->worst_world].worst_time : 0);
  for (int i = 0; i < PKI_BATCH_RESIDUAL; i++) {
    add_quantity(r, (pki_batch_quantity)i, table);
  }
  add_row(table, "speed", "%.4g steps/s, %.4g times real time", (double)r->steps / fmax(r->wall, 1e-9),
          (double)r->steps * r->world->scenario->step.dt / fmax(r->wall, 1e-9));
  add_row(table, "on", "%d lane%s, %d thread%s, %.3g kB for each world", r->lanes, r->lanes == 1 ? "" : "s",
          r->threads, r->threads == 1 ? "" : "s", (double)r->world_bytes / 1e3);
  add_lanes(r, table);
  const char *const why = r->world->not_compiled;
  add_row(table, "dynamics", "%s%s%s", pki_world_dynamics(r->world), why[0] != '\0' ? ": " : "", why);
}

/* ---- worlds.csv ---- */

/* A number that reads back as it is; nothing where there is none. */
static void add_number(pki_text *text, double x)
{
  if (isfinite(x)) {
    pki_text_addf(text, ",%.17g", x);
  } else {
    pki_text_add(text, ",");
  }
}

/* A head: its name and unit in quotes, since names may hold anything. */
static void add_head(pki_text *text, const char *name, const char *unit)
{
  pki_text_add(text, ",\"");
  for (const char *c = name; *c != '\0'; c++) {
    pki_text_addf(text, *c == '"' ? "\"%c" : "%c", *c);
  }
  pki_text_addf(text, "%s%s%s\"", unit[0] != '\0' ? " [" : "", unit, unit[0] != '\0' ? "]" : "");
}

pk_status pki_batch_csv(const pki_batch_result *r, const char *folder, pk_error *err)
{
  char path[PKI_PATH_MAX];
  const pki_world *w = r->world;
  pki_text text = {0};
  if (!pki_path_join(path, folder, "worlds.csv")) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "the folder's name is too long");
  }
  pki_text_add(&text, "world");
  for (int i = 0; i < w->nvaried; i++) {
    add_head(&text, w->varied[i].name, w->varied[i].unit);
  }
  pki_text_add(&text, ",status,duration [s],fell,fell_at [s],uncertified");
  for (int i = 0; i < PKI_BATCH_QUANTITIES; i++) {
    add_head(&text, pki_batch_rows[i].key, pki_batch_rows[i].unit);
  }
  pki_text_add(&text, ",energy_in [J],path [m],height [m],hottest_winding [degC]\n");
  for (int k = 0; k < r->worlds; k++) {
    const pki_run_result *of = &r->of[k];
    pki_text_addf(&text, "%d", k);
    for (int i = 0; i < w->nvaried; i++) {
      add_number(&text, pki_varied_value(w->scenario, &w->varied[i], k));
    }
    pki_text_addf(&text, ",\"%s\"", of->status == PK_OK ? "ok" : pk_status_text(of->status));
    add_number(&text, of->duration);
    pki_text_addf(&text, ",%d", of->fell);
    add_number(&text, of->fell ? of->fell_at : NAN);
    pki_text_addf(&text, ",%lld", of->uncertified);
    for (int i = 0; i < PKI_BATCH_QUANTITIES; i++) {
      add_number(&text, pki_batch_value(r, (pki_batch_quantity)i, k));
    }
    add_number(&text, of->energy_in), add_number(&text, of->path), add_number(&text, of->height);
    add_number(&text, of->hottest);
    pki_text_add(&text, "\n");
  }
  pk_status status = pki_folder_create(folder, err);
  status = status == PK_OK ? pki_text_save(&text, path, err) : status;
  pki_text_free(&text);
  return status;
}
