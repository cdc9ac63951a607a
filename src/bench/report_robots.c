/* The table and the JSON fields of `pronk bench robots`: one row of `figures` for each, in both. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "bench/bench.h"

typedef struct figure {
  const char *name; /* in JSON */
  const char *head; /* of its column */
  int width;
  size_t offset; /* of a double in the figures */
} figure;

static const figure figures[] = {
    {"us_per_step", "us/step", 9, offsetof(pki_bench_robots_figures, us)},
    {"alone", "alone", 8, offsetof(pki_bench_robots_figures, alone)},
    {"uncertified", "uncert", 8, offsetof(pki_bench_robots_figures, uncertified)},
    {"residual", "residual", 9, offsetof(pki_bench_robots_figures, residual)},
    {"frozen", "frozen", 6, offsetof(pki_bench_robots_figures, frozen)},
};

enum { FIGURES = sizeof figures / sizeof figures[0] };

static double value_of(const pki_bench_robots_figures *r, const figure *f)
{
  double value;
  memcpy(&value, (const char *)r + f->offset, sizeof value);
  return value;
}

static void print_head(const pki_bench_report *report, FILE *out)
{
  (void)report;
  fprintf(out, "\n%-15s %6s %7s %-14s %-18s %5s %9s %8s %6s", "work", "worlds", "threads", "engine", "config",
          "lanes", "steps/s", "spread", "ratio");
  for (int k = 0; k < FIGURES; k++) {
    fprintf(out, " %*s", figures[k].width, figures[k].head);
  }
  fputc('\n', out);
}

static void print_row(const pki_bench_report *report, int i, FILE *out)
{
  const pki_bench_result *r = &report->results[i];
  const bool is_new = i == 0 || strcmp(r[-1].work, r->work) != 0;
  char engine[48];
  snprintf(engine, sizeof engine, "%s %s", r->engine, r->version);
  fprintf(out, "%s%-15s %6d %7d %-14s %-18s %5d", is_new && i > 0 ? "\n" : "", is_new ? r->work : "",
          r->robots.worlds, r->threads, engine, r->config, r->lanes);
  pki_bench_print_number(out, 9, r->median);
  pki_bench_print_number(out, 8, r->spread);
  pki_bench_print_number(out, 6, r->ratio);
  for (int k = 0; k < FIGURES; k++) {
    pki_bench_print_number(out, figures[k].width, value_of(&r->robots, &figures[k]));
  }
  fputc('\n', out);
}

const pki_bench_table pki_bench_robots_table = {print_head, print_row,
                                                "Steps/s counts steps of single worlds: medians over rounds "
                                                "in which the engines take turns; spread is from the\n"
                                                "first to the third quartile. Ratio is to the fastest "
                                                "configuration of MuJoCo with the same worlds and threads.\n"
                                                "Worlds 1: one world that goes through its starts one after "
                                                "the other. Alone: part of the steps that lanes could\n"
                                                "not do; uncert: part of the steps above the tolerance; "
                                                "residual: the worst of all steps, relative; frozen: worlds\n"
                                                "that failed.\n"};

void pki_bench_add_robots(cJSON *object, const pki_bench_result *result)
{
  const pki_bench_robots_figures *r = &result->robots;
  pki_bench_add_number(object, "worlds", r->worlds);
  pki_bench_add_number(object, "steps", r->steps);
  pki_bench_add_number(object, "dt", r->dt);
  cJSON_AddStringToObject(object, "gains", r->gains);
  for (int k = 0; k < FIGURES; k++) {
    pki_bench_add_number(object, figures[k].name, value_of(r, &figures[k]));
  }
}
