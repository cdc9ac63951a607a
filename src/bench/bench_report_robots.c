/* The table and the JSON fields of `pronk bench robots`: one row of `figures` for each, in both. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "bench/bench.h"

/* What a figure is: the part of all steps that a counter (long long) is; the largest (double); a number (int). */
typedef enum figure_kind { PART, LARGEST, NUMBER } figure_kind;

typedef struct figure {
  const char *name; /* in JSON */
  const char *head; /* of its column */
  int width;
  figure_kind kind;
  size_t offset; /* in pk_batch_info */
} figure;

static const figure figures[] = {
    {"alone", "alone", 8, PART, offsetof(pk_batch_info, alone)},
    {"impulses_alone", "impulses", 8, PART, offsetof(pk_batch_info, impulses_alone)},
    {"uncertified", "uncert", 8, PART, offsetof(pk_batch_info, uncertified)},
    {"residual", "residual", 9, LARGEST, offsetof(pk_batch_info, worst)},
    {"shifted", "shifted", 8, PART, offsetof(pk_batch_info, shifted)},
    {"shift", "shift", 8, LARGEST, offsetof(pk_batch_info, shift)},
    {"frozen", "frozen", 6, NUMBER, offsetof(pk_batch_info, frozen)},
};

enum { FIGURES = sizeof figures / sizeof figures[0] };

static double value_of(const pki_bench_robots_figures *r, const figure *f)
{
  const char *at = (const char *)&r->info + f->offset;
  long long counter;
  double largest;
  int number;
  if (!r->ours) {
    return NAN;
  }
  switch (f->kind) {
  case LARGEST: memcpy(&largest, at, sizeof largest); return largest;
  case NUMBER: memcpy(&number, at, sizeof number); return number;
  default: memcpy(&counter, at, sizeof counter); return (double)counter / (double)r->info.stepped;
  }
}

static void print_head(const pki_bench_report *report, FILE *out)
{
  (void)report;
  fprintf(out, "\n%-15s %6s %7s %-14s %-18s %5s %9s %8s %6s %9s", "work", "worlds", "threads", "engine",
          "config", "lanes", "steps/s", "spread", "ratio", "us/step");
  for (int k = 0; k < FIGURES; k++) {
    fprintf(out, " %*s", figures[k].width, figures[k].head);
  }
  fputs(" why\n", out);
}

/* The part of the steps that left the lanes for one reason. */
static double fallback_share(const pki_bench_robots_figures *r, int why)
{
  return r->ours ? (double)r->info.left[why] / (double)r->info.stepped : NAN;
}

/* Why steps left the lanes: "fast 0.0012, rounds 0.0001". */
static void print_why(const pki_bench_robots_figures *r, FILE *out)
{
  const char *between = " ";
  for (int i = PK_LANE_EXIT_NONE + 1; i < PK_LANE_EXIT_COUNT; i++) {
    if (fallback_share(r, i) > 0) {
      fprintf(out, "%s%s %.2g", between, pk_lane_exit_name((pk_lane_exit)i), fallback_share(r, i));
      between = ", ";
    }
  }
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
  pki_bench_print_number(out, 9, 1e6 / r->median);
  for (int k = 0; k < FIGURES; k++) {
    pki_bench_print_number(out, figures[k].width, value_of(&r->robots, &figures[k]));
  }
  print_why(&r->robots, out);
  fputc('\n', out);
}

const pki_bench_table pki_bench_robots_table = {
    print_head, print_row,
    "Steps/s counts steps of single worlds: medians over rounds "
    "in which the engines take turns; spread is from the\n"
    "first to the third quartile. Ratio is to the fastest "
    "configuration of MuJoCo with the same worlds and threads.\n"
    "Worlds 1: one world that goes through its starts one after "
    "the other. Alone: part of the steps that lanes could\n"
    "not do, and why; impulses: part of those that stayed on lanes, but whose "
    "impulses the scalar solvers found;\n"
    "uncert: part above the tolerance; residual: the worst of all "
    "steps, relative; shifted: part with rows that nothing\n"
    "can move, shift: by how many m/s at most; frozen: worlds "
    "that failed.\n"};

void pki_bench_add_robots(cJSON *object, const pki_bench_result *result)
{
  const pki_bench_robots_figures *r = &result->robots;
  pki_bench_add_number(object, "worlds", r->worlds);
  pki_bench_add_number(object, "steps", r->steps);
  pki_bench_add_number(object, "dt", r->dt);
  cJSON_AddStringToObject(object, "gains", r->gains);
  pki_bench_add_number(object, "us_per_step", 1e6 / result->median);
  for (int k = 0; k < FIGURES; k++) {
    pki_bench_add_number(object, figures[k].name, value_of(r, &figures[k]));
  }
  cJSON *why = cJSON_AddObjectToObject(object, "alone_why");
  for (int i = PK_LANE_EXIT_NONE + 1; i < PK_LANE_EXIT_COUNT; i++) {
    pki_bench_add_number(why, pk_lane_exit_name((pk_lane_exit)i), fallback_share(r, i));
  }
}
