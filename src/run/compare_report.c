/* The report over all variants: a table, what changed against the first, and curves on shared axes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "run/compare.h"
#include "run/report_data.h"
#include "run/run_output.h"

enum { CURVES = 14 }; /* seven colours, drawn through and dashed */

/* ---- tables ---- */

/* "+4.2 %" of a value against the first's. */
static void format_change(char *out, size_t size, double value, double first, bool both)
{
  const bool same = both && value == first;
  if (same) {
    snprintf(out, size, "0 %%");
  } else if (!both || !isfinite(value) || !isfinite(first) || fabs(first) < 1e-12) {
    snprintf(out, size, "—");
  } else {
    snprintf(out, size, "%+.3g %%", 100 * (value - first) / fabs(first));
  }
}

static void change_table(const pki_comparison *c, pki_report *report)
{
  enum { COLUMNS = 7, ROOM = 176 };
  static const char *const heads[COLUMNS] = {"variant", "distance", "speed", "energy",
                                             "work +",  "cost",     "peak"};
  const pki_variant *first = &c->variants[0];
  if (c->count < 2 || !first->ran) {
    return;
  }
  pki_table table;
  pki_table_begin(&table, heads, COLUMNS);
  for (int i = 1; i < c->count; i++) {
    const pki_variant *v = &c->variants[i];
    const double values[] = {v->result.distance,   v->speed, v->result.energy_in, v->result.positive_work,
                             v->cost_of_transport, v->peak};
    const double firsts[] = {first->result.distance,   first->speed,
                             first->result.energy_in,  first->result.positive_work,
                             first->cost_of_transport, first->peak};
    char cells[COLUMNS][ROOM];
    const char *row[COLUMNS];
    snprintf(cells[0], ROOM, "%s", v->name);
    row[0] = cells[0];
    for (int k = 0; k < 6; k++) {
      format_change(cells[k + 1], ROOM, values[k], firsts[k], v->ran);
      row[k + 1] = cells[k + 1];
    }
    pki_table_row(&table, row);
  }
  char title[256];
  snprintf(title, sizeof title, "Against the first, %s", first->name);
  pki_report_subheading(report, title);
  pki_report_table(report, &table);
  pki_table_free(&table);
}

/* Each variant has a report of its own beside this one. */
static void add_links(const pki_comparison *c, const char *folder, pki_report *report)
{
  char inside[PKI_PATH_MAX], path[PKI_PATH_MAX];
  pki_text *html = &report->html;
  pki_text_add(html, "<p class=\"note\">Reports of their own:");
  for (int i = 0; i < c->count; i++) {
    if (c->variants[i].ran && pki_path_join(inside, folder, c->variants[i].folder) &&
        pki_path_join(path, inside, "report.html") && pki_is_file(path)) {
      pki_text_add(html, " <a href=\"");
      pki_text_add_escaped(html, c->variants[i].folder);
      pki_text_add(html, "/report.html\">");
      pki_text_add_escaped(html, c->variants[i].name);
      pki_text_add(html, "</a>");
    }
  }
  pki_text_add(html, "</p>\n");
}

/* ---- what depends on one number ---- */

static bool is_number(const char *text, double *out)
{
  const char *at = text, *const end = text + strlen(text);
  return pki_parse_real(&at, end, out) && at == end && isfinite(*out);
}

static double variant_quantity(const pki_variant *v, int which)
{
  const double all[] = {v->speed, v->cost_of_transport,    v->result.positive_work,
                        v->peak,  (double)v->result.slips, v->result.worst_residual};
  return v->ran ? all[which] : NAN;
}

enum { LINES = 7 };

/* The first key with more than one value, all of them numbers, and the numbers, for free(). NULL: there is none. */
static double *numbered_key(const pki_comparison *c, int *key)
{
  for (int k = 0; k < c->nvary; k++) {
    const pki_vary *v = &c->vary[k];
    double *x = malloc(((size_t)v->count + 1) * sizeof *x);
    bool numbers = x != NULL && v->count > 1;
    for (int i = 0; i < v->count && numbers; i++) {
      numbers = is_number(v->values[i], &x[i]);
    }
    if (numbers) {
      *key = k;
      return x;
    }
    free(x);
  }
  return NULL;
}

/* What the lines against a key are: one for each combination of the others, called by it. */
typedef struct lines {
  int key, step; /* variants whose values of the key are neighbours stand `step` apart */
  int count;
  int first[LINES];
  char name[LINES][PKI_VARIANT_NAME];
} lines;

static void find_lines(const pki_comparison *c, int key, lines *out)
{
  *out = (lines){.key = key, .step = 1};
  for (int k = key + 1; k < c->nvary; k++) {
    out->step *= c->vary[k].count;
  }
  for (int i = 0; i < c->count && out->count < LINES; i++) {
    if (c->variants[i].choice[key] != 0) {
      continue;
    }
    char *name = out->name[out->count];
    size_t used = 0;
    for (int k = 0; k < c->nvary; k++) {
      if (k != key && used < PKI_VARIANT_NAME) {
        used += (size_t)snprintf(name + used, PKI_VARIANT_NAME - used, "%s%s=%s", used > 0 ? ", " : "",
                                 c->vary[k].label, c->vary[k].values[c->variants[i].choice[k]]);
      }
    }
    out->first[out->count++] = i;
  }
}

/* One quantity against the key; y: room for all points. */
static void draw_dependence(const pki_comparison *c, const lines *l, int which, const char *title,
                            const double *x, double *y, pki_report *report)
{
  const int n = c->vary[l->key].count;
  pki_svg_series series[LINES];
  int any = 0;
  for (int i = 0; i < l->count; i++) {
    for (int k = 0; k < n; k++) {
      y[i * n + k] = variant_quantity(&c->variants[l->first[i] + k * l->step], which);
      any += isfinite(y[i * n + k]);
    }
    series[i] = (pki_svg_series){.name = l->name[i][0] != '\0' ? l->name[i] : NULL,
                                 .x = x,
                                 .y = y + (size_t)i * (size_t)n,
                                 .n = n,
                                 .style = PKI_SVG_LINE_POINTS};
  }
  char id[32];
  snprintf(id, sizeof id, "by-%d", which);
  const pki_svg_panel panel = {
      .title = title, .x = {.label = c->vary[l->key].label}, .series = series, .nseries = l->count};
  const pki_svg_figure figure = {
      .id = id, .panels = &panel, .npanels = 1, .width = 350, .height = 200, .compact = true};
  if (any > 1) {
    pki_report_panel(report, &figure);
  }
}

/* The results against a key with numbers for values. */
static void report_dependence(const pki_comparison *c, pki_report *report)
{
  static const char *const titles[] = {
      "Speed (m/s)", "Cost of transport", "Positive work (J)", "Peak torque (N m)",
      "Slips",       "Worst certificate"};
  int key = 0;
  double *x = numbered_key(c, &key);
  double *y = x != NULL ? malloc(LINES * (size_t)c->vary[key].count * sizeof *y) : NULL;
  if (y != NULL) {
    lines l;
    find_lines(c, key, &l);
    pki_report_section(report, "dependence", "Results by value");
    pki_report_panels_begin(report);
    for (int k = 0; k < 6; k++) {
      draw_dependence(c, &l, k, titles[k], x, y, report);
    }
    pki_report_panels_end(report, NULL);
  }
  free(x);
  free(y);
}

/* ---- curves ---- */

typedef struct curve {
  double *x, *y; /* NULL: none */
  int n;
} curve;

/* A curve of one variant: a column of a channel, or something summed over its columns. */
typedef struct kind {
  const char *id, *title, *caption;
  bool log;
  bool force; /* the zero before the first step is none: left out */
  pk_status (*read)(const pk_recording *recording, curve *out, pk_error *err);
} kind;

/* Columns of a channel that `take` accepts, summed and scaled. A name that ends in '/' is that of the first channel
 * below it. */
static pk_status sum_columns(const pk_recording *recording, const char *name, const char *ending,
                             double scale, curve *out, pk_error *err)
{
  int count = 0;
  const pk_recorder_channel *channels = pk_recording_channels(recording, &count);
  const char *found = name;
  for (int i = count - 1; i >= 0 && name[strlen(name) - 1] == '/'; i--) {
    found = strncmp(channels[i].name, name, strlen(name)) == 0 ? channels[i].name : found;
  }
  pki_curves c;
  const pk_status status = pki_curves_read(recording, found, &c, err);
  bool any = false;
  for (int k = 0; k < c.columns && c.n > 0; k++) {
    const char *column = c.channel->column[k];
    const size_t length = strlen(column), tail = strlen(ending);
    if (length < tail || strcmp(column + length - tail, ending) != 0 || (length > tail && ending[0] != '.')) {
      continue;
    }
    double *sum = c.values, *v = c.values + (size_t)k * (size_t)c.n;
    for (int i = 0; i < c.n; i++) { /* into the first column, which is read before or as it is written */
      sum[i] = (any ? sum[i] : 0) + scale * v[i];
    }
    any = true;
  }
  if (any) {
    *out = (curve){c.time, c.values, c.n};
    c.time = c.values = NULL;
  }
  pki_curves_free(&c);
  return status;
}

static pk_status read_height(const pk_recording *recording, curve *out, pk_error *err)
{
  return sum_columns(recording, "trunk/", "z", 1, out, err);
}

static pk_status read_pitch(const pk_recording *recording, curve *out, pk_error *err)
{
  return sum_columns(recording, "trunk/", "pitch", 57.29577951308232, out, err);
}

static pk_status read_forces(const pk_recording *recording, curve *out, pk_error *err)
{
  return sum_columns(recording, "feet", ".normal", 1, out, err);
}

static pk_status read_residual(const pk_recording *recording, curve *out, pk_error *err)
{
  return sum_columns(recording, "solver", "residual", 1, out, err);
}

static pk_status read_power(const pk_recording *recording, curve *out, pk_error *err)
{
  pki_report_source source;
  pki_curves force = {0}, u = {0};
  pk_status status = pki_report_open(recording, NULL, &source, err);
  status = status == PK_OK ? pki_curves_read(recording, "joints/force", &force, err) : status;
  status = status == PK_OK ? pki_curves_read(recording, "state/u", &u, err) : status;
  if (status == PK_OK && source.njoint > 0 && force.n > 0 && force.n == u.n) {
    double *power = calloc((size_t)force.n, sizeof *power);
    for (int j = 0; j < source.njoint && power != NULL; j++) {
      const pki_report_joint *joint = &source.joints[j];
      for (int i = 0; joint->force >= 0 && joint->u >= 0 && i < force.n; i++) {
        power[i] += pki_curve(&force, joint->force)[i] * pki_curve(&u, joint->u)[i];
      }
    }
    if (power == NULL) {
      status = pki_fail_memory(err, "the report");
    } else {
      *out = (curve){force.time, power, force.n};
      force.time = NULL;
    }
  }
  pki_curves_free(&force);
  pki_curves_free(&u);
  pki_report_close(&source);
  return status;
}

static const kind kinds[] = {
    {"height", "Trunk height (m)", "Height of the first robot's root link.", false, false, read_height},
    {"pitch", "Trunk pitch (°)", "Pitch of the first robot's root link.", false, false, read_pitch},
    {"forces", "Normal forces of all feet (N)",
     "Force of the ground along the contact normals, summed over the feet.", false, true, read_forces},
    {"power", "Power of all joints (W)", "Torque times rate, summed over the joints.", false, true,
     read_power},
    {"residual", "Certificate", "Relative residual of each step's contact problems.", true, false,
     read_residual},
};

static pk_status read_variant(const pki_variant *v, const char *folder, const kind *what, curve *out,
                              pk_error *err)
{
  char inside[PKI_PATH_MAX], path[PKI_PATH_MAX];
  pk_recording *recording = NULL;
  if (!pki_path_join(inside, folder, v->folder) || !pki_path_join(path, inside, PKI_RECORDING_FILE)) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "the folder's name is too long");
  }
  if (!pki_is_file(path)) { /* the scenario records nothing */
    return PK_OK;
  }
  pk_status status = pk_recording_open(path, &recording, err);
  status = status == PK_OK ? what->read(recording, out, err) : status;
  pk_recording_close(recording);
  return status;
}

/* The same quantity of all variants in one panel. */
static pk_status curve_figure(const pki_comparison *c, const char *folder, const kind *what,
                              pki_report *report, pk_error *err)
{
  curve curves[CURVES] = {0};
  pki_svg_series series[CURVES];
  int count = 0;
  pk_status status = PK_OK;
  for (int i = 0; i < c->count && count < CURVES && status == PK_OK; i++) {
    if (!c->variants[i].ran) {
      continue;
    }
    curve *here = &curves[count];
    status = read_variant(&c->variants[i], folder, what, here, err);
    if (here->n > 0) {
      const int start = what->force && here->n > 1 && here->x[0] == 0 && here->y[0] == 0;
      series[count] = (pki_svg_series){.name = c->variants[i].name,
                                       .x = here->x + start,
                                       .y = here->y + start,
                                       .n = here->n - start,
                                       .color = i % 7 + 1,
                                       .style = i % CURVES < 7 ? PKI_SVG_LINE : PKI_SVG_DASHED};
      count++;
    }
  }
  if (status == PK_OK && count > 0) {
    const pki_svg_panel panel = {.title = what->title,
                                 .x = {.label = "time", .unit = "s"},
                                 .y = {.log = what->log},
                                 .series = series,
                                 .nseries = count,
                                 .time = true};
    pki_report_figure(
        report,
        &(pki_svg_figure){
            .id = what->id, .panels = &panel, .npanels = 1, .width = 1040, .height = 300, .compact = true},
        what->caption);
  }
  for (int i = 0; i < CURVES; i++) {
    free(curves[i].x);
    free(curves[i].y);
  }
  return status;
}

/* ---- the page ---- */

/* What was varied, in words. */
static void describe_variation(const pki_comparison *c, char *out, size_t size)
{
  size_t used = (size_t)snprintf(out, size, "%d variant%s:", c->count, c->count == 1 ? "" : "s");
  for (int i = 0; i < c->nvary && used < size; i++) {
    used += (size_t)snprintf(out + used, size - used, "%s %s =", i > 0 ? ";" : "", c->vary[i].key);
    for (int k = 0; k < c->vary[i].count && used < size; k++) {
      used += (size_t)snprintf(out + used, size - used, "%s %s", k > 0 ? "," : "", c->vary[i].values[k]);
    }
  }
}

pk_status pki_compare_report(const pki_comparison *c, const char *folder, pk_error *err)
{
  char path[PKI_PATH_MAX], title[128], text[512];
  if (!pki_path_join(path, folder, "report.html")) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "the folder's name is too long");
  }
  pki_report report = {0};
  pki_table table;
  int ran = 0;
  for (int i = 0; i < c->count; i++) {
    ran += c->variants[i].ran;
  }
  snprintf(title, sizeof title, "%s, compared", c->name[0] != '\0' ? c->name : "A scenario");
  describe_variation(c, text, sizeof text);
  pki_report_begin(&report, title, c->description);
  pki_report_paragraph(&report, text);
  pki_report_contents(&report);
  pki_report_section(&report, "results", "Results");
  pki_compare_table(c, c->bad > 0, &table);
  pki_report_table(&report, &table);
  pki_table_free(&table);
  pki_report_note(
      &report,
      "Energy: work of the joints; work +: its positive part; cost: of transport, positive work over "
      "weight and distance; peak: torque of the joint that came nearest to its limit; certificate: of the "
      "worst "
      "step; times real: simulated time over computing time.");
  add_links(c, folder, &report);
  change_table(c, &report);
  report_dependence(c, &report);
  pk_status status = PK_OK;
  if (ran > 0) {
    pki_report_section(&report, "curves", "Curves");
    if (ran > CURVES) {
      snprintf(text, sizeof text, "The first %d of %d variants.", CURVES, ran);
      pki_report_paragraph(&report, text);
    }
  }
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && status == PK_OK && ran > 0; i++) {
    status = curve_figure(c, folder, &kinds[i], &report, err);
  }
  status = status == PK_OK ? pki_report_save(&report, path, err) : status;
  pki_report_free(&report);
  return status;
}
