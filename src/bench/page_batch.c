/* The page of `pronk bench batch`: speed against worlds, the roofline, all figures.
 *
 * The roofline (Williams, Waterman and Patterson 2009): with I operations for each byte that passes between memory and the
 * core, no program is faster than min(peak, I bandwidth). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/page.h"

enum { SERIES_MAX = 24, POINTS_MAX = 32, NAME = 64 };

/* Points of one line of a plot. */
typedef struct line {
  char name[NAME];
  double x[POINTS_MAX], y[POINTS_MAX];
  int n;
} line;

static bool in_phase(const pki_bench_result *r)
{
  return strstr(r->work, "in phase") != NULL;
}

static void add_point(line *lines, int *count, const char *name, double x, double y)
{
  int k = 0;
  while (k < *count && strcmp(lines[k].name, name) != 0) {
    k++;
  }
  if (k == SERIES_MAX) {
    return;
  }
  if (k == *count) {
    lines[k] = (line){0};
    snprintf(lines[k].name, sizeof lines[k].name, "%s", name);
    (*count)++;
  }
  if (lines[k].n < POINTS_MAX) {
    lines[k].x[lines[k].n] = x;
    lines[k].y[lines[k].n++] = y;
  }
}

static void show_batch_figure(pki_report *page, const char *id, const pki_svg_panel *like, const line *lines,
                              int count, pki_svg_style style, const char *caption)
{
  pki_svg_series series[SERIES_MAX];
  for (int k = 0; k < count; k++) {
    series[k] = (pki_svg_series){
        .name = lines[k].name, .x = lines[k].x, .y = lines[k].y, .n = lines[k].n, .style = style};
  }
  pki_svg_panel panel = *like;
  panel.series = series, panel.nseries = count;
  const pki_svg_figure figure = {.id = id, .panels = &panel, .npanels = 1, .width = 640, .height = 380};
  pki_report_figure(page, &figure, caption);
}

/* MuJoCo's fastest configuration of a work, as one line. */
static bool is_fastest(const pki_bench_report *report, const pki_bench_result *r)
{
  for (int i = 0; i < report->nresult; i++) {
    const pki_bench_result *other = &report->results[i];
    if (strcmp(other->work, r->work) == 0 && strcmp(other->engine, r->engine) == 0 &&
        other->median > r->median) {
      return false;
    }
  }
  return isfinite(r->median);
}

static void show_speed(pki_report *page, const pki_bench_report *report, line *lines)
{
  int count = 0;
  for (int i = 0; i < report->nresult; i++) {
    const pki_bench_result *r = &report->results[i];
    char name[NAME];
    const bool ours = strcmp(r->engine, "pronk") == 0;
    if (in_phase(r) || (!ours && !is_fastest(report, r))) {
      continue;
    }
    if (ours) {
      snprintf(name, sizeof name, "%d lane%s, %d thread%s", r->lanes, r->lanes == 1 ? "" : "s", r->threads,
               r->threads == 1 ? "" : "s");
    } else {
      snprintf(name, sizeof name, "%.20s's fastest, %d thread%s", r->engine, r->threads,
               r->threads == 1 ? "" : "s");
    }
    add_point(lines, &count, name, r->batch.worlds, r->median);
  }
  const pki_svg_panel panel = {.x = {.label = "worlds", .log = true},
                               .y = {.label = "robot-steps", .unit = "1/s", .log = true}};
  show_batch_figure(page, "speed", &panel, lines, count, PKI_SVG_LINE_POINTS,
                    "Steps of single robots in a second. Worlds are all over the cycle of the trot.");
}

/* The roof, and each lane count with one thread and the most worlds. */
static void show_roofline(pki_report *page, const pki_bench_report *report, line *lines)
{
  const pki_peak *peak = &report->peak;
  const double ridge = peak->gflops / peak->bandwidth;
  int count = 0;
  double least = ridge / 10, most = ridge * 10;
  for (int i = 0; i < report->nresult; i++) {
    const pki_bench_result *r = &report->results[i];
    if (r->threads == 1 && !in_phase(r) && isfinite(r->batch.intensity) && isfinite(r->batch.gflops)) {
      char name[NAME];
      snprintf(name, sizeof name, "%d lane%s", r->lanes, r->lanes == 1 ? "" : "s");
      add_point(lines, &count, name, r->batch.intensity, r->batch.gflops);
      least = fmin(least, r->batch.intensity / 2), most = fmax(most, r->batch.intensity * 2);
    }
  }
  if (count == 0) {
    pki_report_paragraph(page, "Operations were not counted in this run: there is no roofline.");
    return;
  }
  pki_svg_series series[SERIES_MAX + 1];
  const double x[3] = {least, ridge, most}, y[3] = {least * peak->bandwidth, peak->gflops, peak->gflops};
  series[0] = (pki_svg_series){.name = "roof of one core", .x = x, .y = y, .n = 3, .style = PKI_SVG_LINE};
  for (int k = 0; k < count; k++) {
    series[k + 1] = (pki_svg_series){
        .name = lines[k].name, .x = lines[k].x, .y = lines[k].y, .n = lines[k].n, .style = PKI_SVG_POINTS};
  }
  const pki_svg_panel panel = {.x = {.label = "operations for each byte", .unit = "flop/B", .log = true},
                               .y = {.label = "speed", .unit = "GFLOP/s", .log = true},
                               .series = series,
                               .nseries = count + 1};
  const pki_svg_figure figure = {
      .id = "roofline", .panels = &panel, .npanels = 1, .width = 640, .height = 380};
  pki_report_figure(
      page, &figure,
      "Roofline of one core: peak by multiply-adds in registers, slope by a triad. Points are works with "
      "one thread, from 1 world (right) to the most (left). Bytes are the least that must pass: each "
      "world from memory and back once in a call; what passes more often is not measured.");
}

static void show_table(pki_report *page, const pki_bench_report *report)
{
  static const char *const heads[] = {"engine", "config",    "lanes",  "steps/s",  "spread",
                                      "ratio",  "per cpu s", "cycles", "residual", "uncert",
                                      "alone",  "bytes",     "flop",   "of peak"};
  enum { COLUMNS = sizeof heads / sizeof heads[0], FIRST = 3 };
  pki_table table;
  pki_table_begin(&table, heads, COLUMNS);
  for (int i = 0; i < report->nresult; i++) {
    const pki_bench_result *r = &report->results[i];
    const pki_bench_batch_figures *b = &r->batch;
    const double values[COLUMNS - FIRST] = {r->median, r->spread,   r->ratio,       b->per_cpu,
                                            b->cycles, b->residual, b->uncertified, b->alone,
                                            b->bytes,  b->flops,    b->of_peak};
    char numbers[COLUMNS - FIRST][32], lanes[16];
    const char *cells[COLUMNS] = {r->engine, r->config, lanes};
    snprintf(lanes, sizeof lanes, "%d", r->lanes);
    for (int k = 0; k < COLUMNS - FIRST; k++) {
      pki_page_number(numbers[k], values[k]);
      cells[FIRST + k] = numbers[k];
    }
    if (i == 0 || strcmp(r[-1].work, r->work) != 0) {
      pki_table_group(&table, r->work);
    }
    pki_table_row(&table, cells);
  }
  pki_report_table(page, &table);
  pki_table_free(&table);
}

pk_status pki_bench_save_batch(const pki_bench_report *report, const char *path, pk_error *err)
{
  pki_report page;
  line *lines = calloc(SERIES_MAX, sizeof *lines);
  if (!lines) {
    return pki_fail_memory(err, NULL);
  }
  pki_page_begin(&page, "pronk bench batch");
  pki_report_section(&page, "speed-section", "Speed");
  show_speed(&page, report, lines);
  pki_report_section(&page, "roofline-section", "Roofline");
  show_roofline(&page, report, lines);
  pki_report_section(&page, "figures", "Figures");
  show_table(&page, report);
  free(lines);
  return pki_page_end(&page, report, path, err);
}
