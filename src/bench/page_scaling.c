/* The page of `pronk bench scaling`: time against size in logarithmic axes, one plot for each growth, with what was fitted. */
#include <math.h>
#include <string.h>

#include "bench/page.h"
#include "bench/scaling_scene.h"

enum { SERIES_MAX = 12, POINTS_MAX = 16, NAME = 96 };

typedef struct line {
  char name[NAME];
  double x[POINTS_MAX], y[POINTS_MAX];
  int n;
  double fit_x[2], fit_y[2]; /* the power law through the last point */
  bool fitted;
} line;

/* The lines of one growth. */
static int collect_lines(const pki_bench_report *report, const char *growth, line *lines)
{
  int count = 0;
  for (int i = 0; i < report->nresult; i++) {
    const pki_bench_result *r = &report->results[i];
    char name[NAME];
    int k = 0;
    if (strcmp(r->scaling.series, growth) != 0 || !isfinite(r->median)) {
      continue;
    }
    if (isfinite(r->scaling.exponent)) {
      snprintf(name, sizeof name, "%.20s %.30s: power %.2f", r->engine, r->config, r->scaling.exponent);
    } else {
      snprintf(name, sizeof name, "%.20s %.30s", r->engine, r->config);
    }
    while (k < count && strcmp(lines[k].name, name) != 0) {
      k++;
    }
    if (k == SERIES_MAX || (k < count && lines[k].n == POINTS_MAX)) {
      continue;
    }
    if (k == count) {
      lines[k] = (line){0};
      memcpy(lines[k].name, name, sizeof name);
      count++;
    }
    line *l = &lines[k];
    l->x[l->n] = r->scaling.size;
    l->y[l->n++] = r->median;
    l->fitted = isfinite(r->scaling.exponent);
    l->fit_x[1] = r->scaling.size, l->fit_y[1] = r->median;
    l->fit_x[0] = l->x[0];
    l->fit_y[0] = r->median * pow(l->x[0] / r->scaling.size, r->scaling.exponent);
  }
  return count;
}

static void show_scaling_figure(pki_report *page, const char *growth, const char *label, const line *lines,
                                int count)
{
  pki_svg_series series[2 * SERIES_MAX];
  int n = 0;
  for (int k = 0; k < count; k++) {
    const line *l = &lines[k];
    series[n] = (pki_svg_series){.name = l->name, .x = l->x, .y = l->y, .n = l->n, .color = k + 1};
    series[n].style = PKI_SVG_LINE_POINTS;
    n++;
    if (l->fitted) {
      series[n] = (pki_svg_series){.x = l->fit_x, .y = l->fit_y, .n = 2, .color = k + 1};
      series[n].style = PKI_SVG_DASHED;
      n++;
    }
  }
  const pki_svg_panel panel = {.x = {.label = label, .log = true},
                               .y = {.label = "time of a step", .unit = "us", .log = true},
                               .series = series,
                               .nseries = n};
  const pki_svg_figure figure = {.id = growth, .panels = &panel, .npanels = 1, .width = 640, .height = 380};
  pki_report_figure(page, &figure,
                    "Dashed: the power law fitted to the larger half of the sizes, through the largest.");
}

pk_status pki_bench_save_scaling(const pki_bench_report *report, const char *path, pk_error *err)
{
  static const char *const heads[PKI_GROWTHS] = {"Links of a chain", "Balls on the ground",
                                                 "Robots that trot in one world"};
  static const char *const labels[PKI_GROWTHS] = {"links", "contacts", "robots"};
  line lines[SERIES_MAX];
  pki_report page;
  pki_page_begin(&page, "pronk bench scaling");
  for (int g = 0; g < PKI_GROWTHS; g++) {
    const int count = collect_lines(report, pki_growth_names[g], lines);
    char id[64];
    if (count > 0) {
      snprintf(id, sizeof id, "%s-section", pki_growth_names[g]);
      pki_report_section(&page, id, heads[g]);
      show_scaling_figure(&page, pki_growth_names[g], labels[g], lines, count);
    }
  }
  return pki_page_end(&page, report, path, err);
}
