/* A figure is a grid of panels; a panel is a box with a title, a legend row, a frame and
 * two axes:
 *
 *      title
 *      -- legend
 *   y  +---------------+
 *      |  plot area    |
 *      +---------------+
 *             x
 */
#include "record/svg.h"

#include <math.h>
#include <stdlib.h>

#include "record/ticks.h"

enum { LEFT = 70, RIGHT = 18, BOTTOM = 50, TITLE = 24, LEGEND = 20, TOP = 12, TICK = 4 };

static const char *const palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000"};
enum { PALETTE = sizeof palette / sizeof palette[0] };

/* One panel's plot area in pixels and its ranges in data units (their logarithms on log axes). */
typedef struct frame {
  double left, top, width, height;
  double x0, x1, y0, y1;
  bool log_x, log_y;
} frame;

static bool usable(double v, bool is_log)
{
  return isfinite(v) && (!is_log || v > 0);
}

static double on_axis(double v, bool is_log)
{
  return is_log ? log10(v) : v;
}

static double pixel_x(const frame *f, double x)
{
  return f->left + f->width * (on_axis(x, f->log_x) - f->x0) / (f->x1 - f->x0);
}

static double pixel_y(const frame *f, double y)
{
  return f->top + f->height * (f->y1 - on_axis(y, f->log_y)) / (f->y1 - f->y0);
}

void pki_svg_range(const pki_svg_panel *panel, bool of_y, double *least, double *most)
{
  const pki_svg_axis *axis = of_y ? &panel->y : &panel->x;
  if (axis->most > axis->least && usable(axis->least, axis->log) && usable(axis->most, axis->log)) {
    *least = axis->least;
    *most = axis->most;
    return;
  }
  double lo = INFINITY, hi = -INFINITY;
  for (int s = 0; s < panel->nseries; s++) {
    for (int i = 0; i < panel->series[s].n; i++) {
      const double x = panel->series[s].x[i], y = panel->series[s].y[i];
      if (usable(x, panel->x.log) && usable(y, panel->y.log)) {
        lo = fmin(lo, on_axis(of_y ? y : x, axis->log));
        hi = fmax(hi, on_axis(of_y ? y : x, axis->log));
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

static const char *color_of(const pki_svg_panel *panel, int series)
{
  const int chosen = panel->series[series].color;
  return palette[(chosen > 0 ? chosen - 1 : series) % PALETTE];
}

/* Label, unit and what the ticks' labels share: "time (s)", "error (10⁻⁹ m)". */
static void write_axis_label(pki_text *out, const pki_svg_axis *axis, const pki_ticks *ticks)
{
  pki_text_add_escaped(out, axis->label ? axis->label : "");
  if (ticks->offset != 0) {
    pki_text_addf(out, " − %.*f", ticks->offset_digits, ticks->offset);
  }
  const bool has_unit = axis->unit != NULL && axis->unit[0] != '\0';
  if (!has_unit && ticks->exponent == 0) {
    return;
  }
  pki_text_add(out, " (");
  if (ticks->exponent != 0) {
    char power[24];
    pki_power_of_ten(ticks->exponent, power, sizeof power);
    pki_text_addf(out, "%s%s", power, has_unit ? " " : "");
  }
  pki_text_add_escaped(out, has_unit ? axis->unit : "");
  pki_text_add(out, ")");
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

static void draw_axes(pki_text *out, const pki_svg_panel *panel, const frame *f, const double x[2],
                      const double y[2])
{
  pki_ticks tx, ty;
  get_ticks(&panel->x, x[0], x[1], f->width, 75, &tx);
  get_ticks(&panel->y, y[0], y[1], f->height, 42, &ty);

  /* Grid, then frame, so that the frame lies on top. */
  pki_text_add(out, "<path class=\"grid\" d=\"");
  for (int i = 0; i < tx.count; i++) {
    pki_text_addf(out, "M%.2f %.2fv%.2f", pixel_x(f, tx.value[i]), f->top, f->height);
  }
  for (int i = 0; i < ty.count; i++) {
    pki_text_addf(out, "M%.2f %.2fh%.2f", f->left, pixel_y(f, ty.value[i]), f->width);
  }
  pki_text_addf(out, "\"/>\n<rect class=\"frame\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
                f->left, f->top, f->width, f->height);

  for (int i = 0; i < tx.count; i++) {
    pki_text_addf(out, "<text class=\"tick\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">%s</text>\n",
                  pixel_x(f, tx.value[i]), f->top + f->height + TICK + 13, tx.label[i]);
  }
  for (int i = 0; i < ty.count; i++) {
    pki_text_addf(out, "<text class=\"tick\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">%s</text>\n",
                  f->left - TICK - 3, pixel_y(f, ty.value[i]) + 4, ty.label[i]);
  }
  pki_text_addf(out, "<text class=\"label\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">",
                f->left + f->width / 2, f->top + f->height + 38);
  write_axis_label(out, &panel->x, &tx);
  pki_text_addf(
      out,
      "</text>\n<text class=\"label\" transform=\"translate(%.2f %.2f) rotate(-90)\" text-anchor=\"middle\">",
      f->left - 52, f->top + f->height / 2);
  write_axis_label(out, &panel->y, &ty);
  pki_text_add(out, "</text>\n");
}

/* A long line has many samples for each pixel column. Of those the first, the lowest, the
 * highest and the last draw the same picture. */
typedef struct column {
  int first, low, high, last;
} column;

static void add_point(pki_text *out, const frame *f, const pki_svg_series *s, int i, bool *pen_down)
{
  /* Far outside points would overflow a renderer's numbers; the clip hides the difference. */
  const double far = 1e5;
  const double px = fmin(fmax(pixel_x(f, s->x[i]), -far), far);
  const double py = fmin(fmax(pixel_y(f, s->y[i]), -far), far);
  pki_text_addf(out, "%s%.2f %.2f", *pen_down ? "L" : "M", px, py);
  *pen_down = true;
}

static void flush_column(pki_text *out, const frame *f, const pki_svg_series *s, const column *c,
                         bool *pen_down)
{
  add_point(out, f, s, c->first, pen_down);
  const int a = c->low < c->high ? c->low : c->high, b = c->low < c->high ? c->high : c->low;
  if (a > c->first && a < c->last) {
    add_point(out, f, s, a, pen_down);
  }
  if (b > a && b > c->first && b < c->last) {
    add_point(out, f, s, b, pen_down);
  }
  if (c->last > c->first) {
    add_point(out, f, s, c->last, pen_down);
  }
}

/* True when a sample and its neighbours lie to the same side of the frame: nothing to draw. */
static bool is_beside(const frame *f, const pki_svg_series *s, int i)
{
  int left = 0, right = 0, all = 0;
  for (int k = i > 0 ? i - 1 : 0; k <= i + 1 && k < s->n; k++) {
    const double x = on_axis(s->x[k], f->log_x);
    left += x < f->x0;
    right += x > f->x1;
    all++;
  }
  return left == all || right == all;
}

static void draw_line(pki_text *out, const pki_svg_series *s, const frame *f, const char *color)
{
  pki_text_addf(out, "<path class=\"line\"%s stroke=\"%s\" d=\"",
                s->style == PKI_SVG_DASHED ? " stroke-dasharray=\"6 4\"" : "", color);
  const bool thin = s->n > 4 * f->width;
  bool pen_down = false, open = false;
  column c = {0};
  for (int i = 0; i < s->n; i++) {
    if (!usable(s->x[i], f->log_x) || !usable(s->y[i], f->log_y) || is_beside(f, s, i)) {
      if (open) {
        flush_column(out, f, s, &c, &pen_down);
      }
      open = pen_down = false; /* a gap */
      continue;
    }
    const bool same = thin && open && floor(pixel_x(f, s->x[i])) == floor(pixel_x(f, s->x[c.first]));
    if (!same) {
      if (open) {
        flush_column(out, f, s, &c, &pen_down);
      }
      c = (column){i, i, i, i};
      open = true;
      continue;
    }
    c.low = s->y[i] < s->y[c.low] ? i : c.low;
    c.high = s->y[i] > s->y[c.high] ? i : c.high;
    c.last = i;
  }
  if (open) {
    flush_column(out, f, s, &c, &pen_down);
  }
  pki_text_add(out, "\"/>\n");
}

static void draw_points(pki_text *out, const pki_svg_series *s, const frame *f, const char *color)
{
  pki_text_addf(out, "<g fill=\"%s\">\n", color);
  for (int i = 0; i < s->n; i++) {
    if (usable(s->x[i], f->log_x) && usable(s->y[i], f->log_y)) {
      const double px = pixel_x(f, s->x[i]), py = pixel_y(f, s->y[i]);
      if (fabs(px) < 1e5 && fabs(py) < 1e5) {
        pki_text_addf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2.4\"/>\n", px, py);
      }
    }
  }
  pki_text_add(out, "</g>\n");
}

static void draw_legend(pki_text *out, const pki_svg_panel *panel, double left, double y)
{
  for (int s = 0; s < panel->nseries; s++) {
    const pki_svg_series *series = &panel->series[s];
    if (series->name == NULL) {
      continue;
    }
    const char *color = color_of(panel, s);
    if (series->style == PKI_SVG_POINTS) {
      pki_text_addf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3\" fill=\"%s\"/>\n", left + 10, y - 4, color);
    } else {
      pki_text_addf(out, "<path class=\"line\"%s stroke=\"%s\" d=\"M%.2f %.2fh20\"/>\n",
                    series->style == PKI_SVG_DASHED ? " stroke-dasharray=\"6 4\"" : "", color, left, y - 4);
    }
    pki_text_addf(out, "<text class=\"legend\" x=\"%.2f\" y=\"%.2f\">", left + 26, y);
    pki_text_add_escaped(out, series->name);
    pki_text_add(out, "</text>\n");
    int letters = 0; /* characters, not bytes */
    for (const char *c = series->name; *c != '\0'; c++) {
      letters += (*c & 0xC0) != 0x80;
    }
    left += 26 + 6.7 * letters + 16;
  }
}

static void draw_panel(pki_text *out, const pki_svg_figure *figure, int index, double left, double top,
                       double width, double height)
{
  const pki_svg_panel *panel = &figure->panels[index];
  bool has_legend = false;
  for (int s = 0; s < panel->nseries; s++) {
    has_legend = has_legend || panel->series[s].name != NULL;
  }
  double y = top + TOP;
  if (panel->title != NULL) {
    pki_text_addf(out, "<text class=\"title\" x=\"%.2f\" y=\"%.2f\">", left + LEFT, y + 8);
    pki_text_add_escaped(out, panel->title);
    pki_text_add(out, "</text>\n");
    y += TITLE;
  }
  if (has_legend) {
    draw_legend(out, panel, left + LEFT, y + 6);
    y += LEGEND;
  }

  double range_x[2], range_y[2];
  pki_svg_range(panel, false, &range_x[0], &range_x[1]);
  pki_svg_range(panel, true, &range_y[0], &range_y[1]);
  const frame f = {.left = left + LEFT,
                   .top = y,
                   .width = width - LEFT - RIGHT,
                   .height = top + height - y - BOTTOM,
                   .x0 = on_axis(range_x[0], panel->x.log),
                   .x1 = on_axis(range_x[1], panel->x.log),
                   .y0 = on_axis(range_y[0], panel->y.log),
                   .y1 = on_axis(range_y[1], panel->y.log),
                   .log_x = panel->x.log,
                   .log_y = panel->y.log};
  draw_axes(out, panel, &f, range_x, range_y);

  const char *id = figure->id ? figure->id : "figure";
  pki_text_addf(
      out, "<clipPath id=\"%s-%d\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/></clipPath>\n",
      id, index, f.left, f.top, f.width, f.height);
  pki_text_addf(out, "<g clip-path=\"url(#%s-%d)\">\n", id, index);
  for (int s = 0; s < panel->nseries; s++) {
    const pki_svg_style style = panel->series[s].style;
    if (style != PKI_SVG_POINTS) {
      draw_line(out, &panel->series[s], &f, color_of(panel, s));
    }
    if (style == PKI_SVG_POINTS || style == PKI_SVG_LINE_POINTS) {
      draw_points(out, &panel->series[s], &f, color_of(panel, s));
    }
  }
  pki_text_add(out, "</g>\n");
}

/* Presentation as a style sheet scoped by class; no script, nothing loaded from elsewhere. */
static const char style_sheet[] =
    "<style>.pk-plot{font-family:system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:12px;fill:#222}"
    ".pk-plot .figure{font-size:16px;font-weight:600}.pk-plot .title{font-size:13px;font-weight:600}"
    ".pk-plot .tick{font-size:11px;fill:#444}.pk-plot .grid{stroke:#e4e4e4;fill:none}"
    ".pk-plot .frame{stroke:#777;fill:none}"
    ".pk-plot .line{fill:none;stroke-width:1.6;stroke-linejoin:round}</style>\n";

void pki_svg_render(const pki_svg_figure *figure, pki_text *out)
{
  const double width = figure->width > 0 ? figure->width : 480,
               height = figure->height > 0 ? figure->height : 300;
  const int columns = figure->columns > 0 ? figure->columns : figure->npanels > 1 ? 2 : 1;
  const int rows = (figure->npanels + columns - 1) / columns;
  const double head = figure->title != NULL ? 34 : 0;
  const double total_width = columns * width, total_height = rows * height + head;
  pki_text_addf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pk-plot\" viewBox=\"0 0 %.0f %.0f\" "
                "width=\"%.0f\" height=\"%.0f\" role=\"img\">\n",
                total_width, total_height, total_width, total_height);
  pki_text_add(out, style_sheet);
  pki_text_addf(out, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", total_width, total_height);
  if (figure->title != NULL) {
    pki_text_addf(out, "<text class=\"figure\" x=\"%.2f\" y=\"24\" text-anchor=\"middle\">", total_width / 2);
    pki_text_add_escaped(out, figure->title);
    pki_text_add(out, "</text>\n");
  }
  for (int i = 0; i < figure->npanels; i++) {
    const int row = i / columns, place = i % columns;
    draw_panel(out, figure, i, place * width, head + row * height, width, height);
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
