/* A figure is a grid of panels; a panel is a box with a title, a legend, a frame and two axes:
 *
 *      title
 *      -- legend
 *   y  +---------------+
 *      |  plot area    |
 *      +---------------+
 *             x
 *
 * A compact one has its legend beside the title, and may leave the x axis to the panel at the foot of its column.
 */
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>

#include "report/svg_frame.h"
#include "report/ticks.h"

/* Pixels around a plot area. */
typedef struct margins {
  double left, right, top, bottom;
  double title, legend;    /* heights of a title and of a legend's row */
  double x_label, y_label; /* how far the labels stand from the frame */
  double tick_space;       /* pixels between marks along y, at least */
} margins;

static const margins wide = {70, 18, 12, 50, 24, 18, 38, 52, 42},
                     compact = {58, 16, 6, 40, 18, 18, 33, 44, 30};

enum { TICK = 4 };

void pki_svg_range(const pki_svg_panel *panel, bool of_y, double *least, double *most)
{
  const pki_svg_axis *axis = of_y ? &panel->y : &panel->x;
  if (axis->most > axis->least && pki_svg_usable(axis->least, axis->log) &&
      pki_svg_usable(axis->most, axis->log)) {
    *least = axis->least;
    *most = axis->most;
    return;
  }
  double lo = INFINITY, hi = -INFINITY;
  for (int s = 0; s < panel->nseries; s++) {
    const bool bars = panel->series[s].style == PKI_SVG_BARS || panel->series[s].style == PKI_SVG_BANDS;
    for (int i = 0; i < panel->series[s].n && !(bars && of_y); i++) {
      const double x = panel->series[s].x[i], y = panel->series[s].y[i];
      if (pki_svg_usable(x, panel->x.log) && pki_svg_usable(y, panel->y.log)) {
        lo = fmin(lo, pki_svg_on_axis(of_y ? y : x, axis->log));
        hi = fmax(hi, pki_svg_on_axis(of_y || bars ? y : x, axis->log));
      }
    }
  }
  if (lo > hi) { /* nothing to show: an empty frame */
    lo = 0;
    hi = 1;
  }
  if (hi - lo <= 1e-14 * fmax(fabs(lo), fabs(hi))) { /* one value: put it in the middle */
    const double half = axis->log ? 0.5 : lo == 0 ? 1 : 0.1 * fabs(lo);
    lo -= half;
    hi += half;
  } else if (of_y) {
    const double air = 0.04 * (hi - lo);
    lo -= air;
    hi += air;
  }
  *least = axis->log ? pow(10, lo) : lo;
  *most = axis->log ? pow(10, hi) : hi;
}

/* ---- axes ---- */

/* Label, unit and what the ticks' labels share: "time (s)", "error (10⁻⁹ m)"; a unit alone has no brackets. */
static void write_axis_label(pki_text *out, const pki_svg_axis *axis, const pki_ticks *ticks)
{
  pki_text_add_escaped(out, axis->label ? axis->label : "");
  if (ticks->offset != 0) {
    pki_text_addf(out, " − %.*f", ticks->offset_digits, ticks->offset);
  }
  const bool alone = axis->label == NULL && ticks->offset == 0;
  const bool has_unit = axis->unit != NULL && axis->unit[0] != '\0';
  if (!has_unit && ticks->exponent == 0) {
    return;
  }
  pki_text_add(out, alone ? "" : " (");
  if (ticks->exponent != 0) {
    char power[24];
    pki_power_of_ten(ticks->exponent, power, sizeof power);
    pki_text_addf(out, "%s%s", power, has_unit ? " " : "");
  }
  pki_text_add_escaped(out, has_unit ? axis->unit : "");
  pki_text_add(out, alone ? "" : ")");
}

static void get_ticks(const pki_svg_axis *axis, double least, double most, double pixels, double each,
                      pki_ticks *t)
{
  const int want = (int)fmax(2, floor(pixels / each));
  if (axis->log) {
    pki_ticks_log(least, most, want, t);
  } else {
    pki_ticks_linear(least, most, want, t);
  }
}

/* Numbers below the frame, and the label. */
static void draw_x_axis(pki_text *out, const pki_svg_axis *axis, const pki_ticks *t, const pki_svg_frame *f,
                        const margins *m)
{
  for (int i = 0; i < t->count; i++) {
    pki_text_addf(out, "<text class=\"tick\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">%s</text>\n",
                  pki_svg_x(f, t->value[i]), f->top + f->height + TICK + 13, t->label[i]);
  }
  pki_text_addf(out, "<text class=\"label\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">",
                f->left + f->width / 2, f->top + f->height + m->x_label);
  write_axis_label(out, axis, t);
  pki_text_add(out, "</text>\n");
}

static void draw_y_axis(pki_text *out, const pki_svg_axis *axis, const pki_ticks *t, const pki_svg_frame *f,
                        const margins *m)
{
  for (int i = 0; i < t->count; i++) {
    pki_text_addf(out, "<text class=\"tick\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">%s</text>\n",
                  f->left - TICK - 3, pki_svg_y(f, t->value[i]) + 4, t->label[i]);
  }
  pki_text_addf(
      out, "<text class=\"label\" transform=\"translate(%.2f %.2f) rotate(-90)\" text-anchor=\"middle\">",
      f->left - m->y_label, f->top + f->height / 2);
  write_axis_label(out, axis, t);
  pki_text_add(out, "</text>\n");
}

/* Names of rows in place of numbers. */
static void draw_rows(pki_text *out, const pki_svg_panel *panel, const pki_svg_frame *f)
{
  const double each = f->height / panel->nrow;
  for (int i = 0; i < panel->nrow; i++) {
    pki_text_addf(out, "<text class=\"tick\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">", f->left - TICK - 3,
                  f->top + each * (i + 0.5) + 4);
    pki_text_add_escaped(out, panel->rows[i]);
    pki_text_add(out, "</text>\n");
  }
}

static void draw_axes(pki_text *out, const pki_svg_panel *panel, const pki_svg_frame *f, const double x[2],
                      const double y[2], const margins *m, bool with_x)
{
  pki_ticks tx, ty = {0};
  get_ticks(&panel->x, x[0], x[1], f->width, 75, &tx);
  if (panel->nrow == 0) {
    get_ticks(&panel->y, y[0], y[1], f->height, m->tick_space, &ty);
  }
  /* Grid, then frame, so that the frame lies on top. */
  pki_text_add(out, "<path class=\"grid\" d=\"");
  for (int i = 0; i < tx.count; i++) {
    pki_text_addf(out, "M%.2f %.2fv%.2f", pki_svg_x(f, tx.value[i]), f->top, f->height);
  }
  for (int i = 0; i < ty.count; i++) {
    pki_text_addf(out, "M%.2f %.2fh%.2f", f->left, pki_svg_y(f, ty.value[i]), f->width);
  }
  pki_text_addf(out, "\"/>\n<rect class=\"frame\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
                f->left, f->top, f->width, f->height);
  if (with_x) {
    draw_x_axis(out, &panel->x, &tx, f, m);
  }
  if (panel->nrow > 0) {
    draw_rows(out, panel, f);
  } else {
    draw_y_axis(out, &panel->y, &ty, f, m);
  }
}

/* ---- panels ---- */

/* Margins of all panels of a figure: names of rows and long numbers ask for more room on the left. */
static margins margins_of(const pki_svg_figure *figure, double height)
{
  margins m = figure->compact ? compact : wide;
  double widest = 0, names = 0; /* pixels */
  bool labelled = false;
  for (int p = 0; p < figure->npanels; p++) {
    const pki_svg_panel *panel = &figure->panels[p];
    for (int i = 0; i < panel->nrow; i++) {
      names = fmax(names, pki_svg_text_width(panel->rows[i], 13) + 16); /* capitals are wide */
    }
    double y[2];
    pki_ticks t = {0};
    pki_svg_range(panel, true, &y[0], &y[1]);
    if (panel->nrow == 0) {
      get_ticks(&panel->y, y[0], y[1], height - m.top - m.title - m.bottom, m.tick_space, &t);
    }
    for (int i = 0; i < t.count; i++) {
      widest = fmax(widest, pki_svg_text_width(t.label[i], 11));
    }
    labelled =
        labelled || panel->y.label != NULL || panel->y.unit != NULL || t.exponent != 0 || t.offset != 0;
  }
  m.y_label = fmax(m.y_label, widest + TICK + 12);
  m.left = labelled ? fmax(m.left, m.y_label + 14) : fmax(m.left - 20, widest + TICK + 10);
  m.left = fmax(m.left, names);
  return m;
}

/* Title and legend; returns where the frame may begin. */
static double draw_head(pki_text *out, const pki_svg_panel *panel, double left, double top, double width,
                        const margins *m, bool is_compact)
{
  double y = top + m->top, beside = 0;
  if (panel->title != NULL) {
    pki_text_addf(out, "<text class=\"title\" x=\"%.2f\" y=\"%.2f\">", left, y + 8);
    pki_text_add_escaped(out, panel->title);
    pki_text_add(out, "</text>\n");
    y += m->title;
    beside = is_compact ? pki_svg_text_width(panel->title, 14) + 14 : 0;
  }
  const int rows = pki_svg_legend(NULL, panel, 0, 0, width - beside);
  if (rows == 0) {
    return y;
  }
  if (beside > 0 && rows == 1) { /* it fits beside the title */
    pki_svg_legend(out, panel, left + beside, y - m->title + 8, width - beside);
    return y;
  }
  return y + m->legend * pki_svg_legend(out, panel, left, y + 6, width);
}

/* The cursor of a panel along the run's time: hidden until the page moves it. */
static void draw_cursor(pki_text *out, const pki_svg_frame *f)
{
  pki_text_addf(out,
                "<path class=\"cursor\" data-left=\"%.2f\" data-width=\"%.2f\" data-from=\"%.9g\" "
                "data-to=\"%.9g\" d=\"M0 %.2fv%.2f\" visibility=\"hidden\"/>\n",
                f->left, f->width, f->x0, f->x1, f->top, f->height);
}

/* One panel in its box. */
typedef struct box {
  double left, top, width, height;
  bool with_x; /* it has an x axis of its own */
} box;

static void draw_panel(pki_text *out, const pki_svg_figure *figure, int index, const margins *m, box b)
{
  const pki_svg_panel *panel = &figure->panels[index];
  const double bottom = b.with_x ? m->bottom : 8, width = b.width - m->left - m->right;
  const double y = draw_head(out, panel, b.left + m->left, b.top, width, m, figure->compact);

  double range_x[2], range_y[2];
  pki_svg_range(panel, false, &range_x[0], &range_x[1]);
  pki_svg_range(panel, true, &range_y[0], &range_y[1]);
  const pki_svg_frame f = {.left = b.left + m->left,
                           .top = y,
                           .width = width,
                           .height = b.top + b.height - y - bottom,
                           .x0 = pki_svg_on_axis(range_x[0], panel->x.log),
                           .x1 = pki_svg_on_axis(range_x[1], panel->x.log),
                           .y0 = pki_svg_on_axis(range_y[0], panel->y.log),
                           .y1 = pki_svg_on_axis(range_y[1], panel->y.log),
                           .log_x = panel->x.log,
                           .log_y = panel->y.log};
  draw_axes(out, panel, &f, range_x, range_y, m, b.with_x);

  const char *id = figure->id ? figure->id : "figure";
  pki_text_addf(
      out, "<clipPath id=\"%s-%d\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/></clipPath>\n",
      id, index, f.left, f.top, f.width, f.height);
  pki_text_addf(out, "<g clip-path=\"url(#%s-%d)\">\n", id, index);
  for (int s = 0; s < panel->nseries; s++) {
    pki_svg_draw(out, panel, s, &f);
  }
  pki_text_add(out, "</g>\n");
  if (panel->time) {
    draw_cursor(out, &f);
  }
}

/* ---- figures ---- */

/* Presentation as a style sheet scoped by class; no script, nothing loaded from elsewhere. */
static const char style_sheet[] =
    "<style>.pk-plot{font-family:system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:12px;fill:#222}"
    ".pk-plot .figure{font-size:16px;font-weight:600}.pk-plot .title{font-size:13px;font-weight:600}"
    ".pk-plot .tick{font-size:11px;fill:#444}.pk-plot .grid{stroke:#e4e4e4;fill:none}"
    ".pk-plot .frame{stroke:#777;fill:none}.pk-plot .paper{fill:#fff}"
    ".pk-plot .cursor{stroke:#777;stroke-dasharray:3 2;fill:none}"
    ".pk-plot .line{fill:none;stroke-width:1.6;stroke-linejoin:round}</style>\n";

void pki_svg_open(pki_text *out, double width, double height, const char *called)
{
  pki_text_addf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pk-plot\" viewBox=\"0 0 %.0f %.0f\" "
                "width=\"%.0f\" height=\"%.0f\" role=\"img\" aria-label=\"",
                width, height, width, height);
  pki_text_add_escaped(out, called);
  pki_text_add(out, "\">\n");
  pki_text_add(out, style_sheet);
  pki_text_addf(out, "<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", width, height);
}

void pki_svg_render(const pki_svg_figure *figure, pki_text *out)
{
  const double width = figure->width > 0 ? figure->width : 480,
               height = figure->height > 0 ? figure->height : 300;
  const int columns = figure->columns > 0 ? figure->columns : figure->npanels > 1 ? 2 : 1;
  const int rows = (figure->npanels + columns - 1) / columns;
  const double head = figure->title != NULL ? 34 : 0;
  /* panels above a shared axis give up their own */
  const margins m = margins_of(figure, height);
  const double foot = figure->share_x ? m.bottom - 8 : 0;
  const double total_width = columns * width, total_height = rows * height + head + foot;
  const char *called = figure->title != NULL ? figure->title
                       : figure->npanels > 0 ? figure->panels[0].title
                                             : NULL;
  pki_svg_open(out, total_width, total_height,
               called != NULL       ? called
               : figure->id != NULL ? figure->id
                                    : "figure");
  if (figure->title != NULL) {
    pki_text_addf(out, "<text class=\"figure\" x=\"%.2f\" y=\"24\" text-anchor=\"middle\">", total_width / 2);
    pki_text_add_escaped(out, figure->title);
    pki_text_add(out, "</text>\n");
  }
  for (int i = 0; i < figure->npanels; i++) {
    const int row = i / columns, place = i % columns;
    const bool last = !figure->share_x || i + columns >= figure->npanels;
    const box b = {place * width, head + row * height, width, height + (last ? foot : 0), last};
    draw_panel(out, figure, i, &m, b);
  }
  pki_text_add(out, "</svg>\n");
}

pk_status pki_svg_save(const pki_svg_figure *figure, const char *path, pk_error *err)
{
  pki_text text = {0};
  pki_text_add(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  pki_svg_render(figure, &text);
  const pk_status status = pki_text_save(&text, path, err);
  pki_text_free(&text);
  return status;
}
