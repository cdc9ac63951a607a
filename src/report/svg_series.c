/* What a panel shows: lines, points, bars, and their legend. */
#include <math.h>
#include <stdlib.h>

#include "report/svg_frame.h"
#include "report/table.h"
#include "report/thin.h"

bool pki_svg_usable(double v, bool is_log)
{
  return isfinite(v) && (!is_log || v > 0);
}

double pki_svg_on_axis(double v, bool is_log)
{
  return is_log ? log10(v) : v;
}

/* Far outside points would overflow a renderer's numbers; the clip hides the difference. */
static double clamp_pixel(double pixel)
{
  return fmin(fmax(pixel, -1e5), 1e5);
}

double pki_svg_x(const pki_svg_frame *f, double x)
{
  return clamp_pixel(f->left + f->width * (pki_svg_on_axis(x, f->log_x) - f->x0) / (f->x1 - f->x0));
}

double pki_svg_y(const pki_svg_frame *f, double y)
{
  return clamp_pixel(f->top + f->height * (f->y1 - pki_svg_on_axis(y, f->log_y)) / (f->y1 - f->y0));
}

const char *pki_svg_color_name(int color)
{
  static const char *const palette[PKI_SVG_PALETTE] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                       "#E69F00", "#56B4E9", "#000000"};
  return palette[color];
}

int pki_svg_color(const pki_svg_panel *panel, int series)
{
  const int chosen = panel->series[series].color;
  return (chosen > 0 ? chosen - 1 : series) % PKI_SVG_PALETTE;
}

/* ---- lines ---- */

static bool can_draw(const pki_svg_frame *f, const pki_svg_series *s, int i)
{
  return pki_svg_usable(s->x[i], f->log_x) && pki_svg_usable(s->y[i], f->log_y);
}

/* True when a sample and its neighbours lie to the same side of the frame: nothing to draw. */
static bool is_beside(const pki_svg_frame *f, const pki_svg_series *s, int i)
{
  int left = 0, right = 0, all = 0;
  for (int k = i > 0 ? i - 1 : 0; k <= i + 1 && k < s->n; k++) {
    const double x = pki_svg_on_axis(s->x[k], f->log_x);
    left += x < f->x0;
    right += x > f->x1;
    all++;
  }
  return left == all || right == all;
}

/* Room for a piece of line in pixels and for what thinning keeps of it. */
typedef struct piece {
  double *x, *y;
  int *keep, n;
} piece;

/* Lines with several points for each pixel lose what nobody can see. */
static void write_piece(pki_text *out, piece *p, double width)
{
  const bool dense = p->n > width;
  int count = p->n;
  if (p->n > 4 * width) {
    count = pki_thin_columns(p->x, p->y, p->n, p->keep);
    for (int i = 0; i < count; i++) {
      p->x[i] = p->x[p->keep[i]];
      p->y[i] = p->y[p->keep[i]];
    }
  }
  if (dense) {
    count = pki_thin_path(p->x, p->y, count, 0.15, p->keep);
  }
  for (int i = 0; i < count; i++) {
    const int k = dense ? p->keep[i] : i;
    pki_text_addf(out, "%s%.2f %.2f", i > 0 ? "L" : "M", p->x[k], p->y[k]);
  }
  p->n = 0;
}

static void draw_line(pki_text *out, const pki_svg_series *s, const pki_svg_frame *f, int color)
{
  const size_t n = (size_t)(s->n > 0 ? s->n : 1);
  piece p = {malloc(n * sizeof *p.x), malloc(n * sizeof *p.y), malloc(n * sizeof *p.keep), 0};
  if (p.x == NULL || p.y == NULL || p.keep == NULL) {
    out->failed = true;
  } else {
    pki_text_addf(out, "<path class=\"line s%d\"%s stroke=\"%s\" d=\"", color + 1,
                  s->style == PKI_SVG_DASHED ? " stroke-dasharray=\"6 4\"" : "", pki_svg_color_name(color));
    for (int i = 0; i < s->n; i++) {
      if (can_draw(f, s, i) && !is_beside(f, s, i)) {
        p.x[p.n] = pki_svg_x(f, s->x[i]);
        p.y[p.n++] = pki_svg_y(f, s->y[i]);
      } else { /* a gap */
        write_piece(out, &p, f->width);
      }
    }
    write_piece(out, &p, f->width);
    pki_text_add(out, "\"/>\n");
  }
  free(p.x);
  free(p.y);
  free(p.keep);
}

/* ---- points and bars ---- */

static void draw_points(pki_text *out, const pki_svg_series *s, const pki_svg_frame *f, int color)
{
  pki_text_addf(out, "<g class=\"f%d\" fill=\"%s\">\n", color + 1, pki_svg_color_name(color));
  for (int i = 0; i < s->n; i++) {
    if (can_draw(f, s, i)) {
      const double px = pki_svg_x(f, s->x[i]), py = pki_svg_y(f, s->y[i]);
      if (fabs(px) < 1e5 && fabs(py) < 1e5) {
        pki_text_addf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2.4\"/>\n", px, py);
      }
    }
  }
  pki_text_add(out, "</g>\n");
}

/* Bars that no pixel parts are one. */
static void draw_bars(pki_text *out, const pki_svg_panel *panel, const pki_svg_series *s,
                      const pki_svg_frame *f, int color)
{
  const bool band = s->style == PKI_SVG_BANDS;
  const double each = f->height / (panel->nrow > 0 ? panel->nrow : 1);
  const double top = band ? f->top : f->top + each * (s->row + 0.18), height = band ? f->height : 0.64 * each;
  pki_text_addf(out, "<path class=\"f%d\" fill=\"%s\"%s d=\"", color + 1, pki_svg_color_name(color),
                band ? " fill-opacity=\".18\"" : "");
  for (int i = 0, next; i < s->n; i = next) {
    const double from = pki_svg_x(f, s->x[i]);
    double to = pki_svg_x(f, s->y[i]);
    for (next = i + 1; next < s->n && pki_svg_x(f, s->x[next]) - to < 0.25; next++) {
      to = pki_svg_x(f, s->y[next]);
    }
    pki_text_addf(out, "M%.2f %.2fh%.2fv%.2fh%.2fz", from, top, fmax(to - from, 0.5), height,
                  -fmax(to - from, 0.5));
  }
  pki_text_add(out, "\"/>\n");
}

void pki_svg_draw(pki_text *out, const pki_svg_panel *panel, int series, const pki_svg_frame *f)
{
  const pki_svg_series *s = &panel->series[series];
  const int color = pki_svg_color(panel, series);
  if (s->style == PKI_SVG_BARS || s->style == PKI_SVG_BANDS) {
    draw_bars(out, panel, s, f, color);
    return;
  }
  if (s->style != PKI_SVG_POINTS) {
    draw_line(out, s, f, color);
  }
  if (s->style == PKI_SVG_POINTS || s->style == PKI_SVG_LINE_POINTS) {
    draw_points(out, s, f, color);
  }
}

/* ---- the legend ---- */

double pki_svg_text_width(const char *text, double size)
{
  return 0.56 * size * pki_text_width(text);
}

static void draw_key(pki_text *out, const pki_svg_panel *panel, int series, double left, double y)
{
  const pki_svg_series *s = &panel->series[series];
  const int color = pki_svg_color(panel, series);
  if (s->style == PKI_SVG_POINTS) {
    pki_text_addf(out, "<circle class=\"f%d\" cx=\"%.2f\" cy=\"%.2f\" r=\"3\" fill=\"%s\"/>\n", color + 1,
                  left + 10, y - 4, pki_svg_color_name(color));
  } else if (s->style == PKI_SVG_BANDS) {
    pki_text_addf(out, "<path class=\"f%d\" fill=\"%s\" fill-opacity=\".3\" d=\"M%.2f %.2fh20v10h-20z\"/>\n",
                  color + 1, pki_svg_color_name(color), left, y - 9);
  } else {
    pki_text_addf(out, "<path class=\"line s%d\"%s stroke=\"%s\" d=\"M%.2f %.2fh20\"/>\n", color + 1,
                  s->style == PKI_SVG_DASHED ? " stroke-dasharray=\"6 4\"" : "", pki_svg_color_name(color),
                  left, y - 4);
  }
  pki_text_addf(out, "<text class=\"legend\" x=\"%.2f\" y=\"%.2f\">", left + 26, y);
  pki_text_add_escaped(out, s->name);
  pki_text_add(out, "</text>\n");
}

int pki_svg_legend(pki_text *out, const pki_svg_panel *panel, double left, double y, double width)
{
  enum { KEY = 26, GAP = 16, ROW = 18 };
  int rows = 0;
  double at = 0;
  for (int s = 0; s < panel->nseries; s++) {
    const char *name = panel->series[s].name;
    if (name == NULL) {
      continue;
    }
    const double needs = KEY + pki_svg_text_width(name, 12) + GAP;
    if (rows == 0 || at + needs - GAP > width) {
      at = 0;
      rows++;
    }
    if (out != NULL) {
      draw_key(out, panel, s, left + at, y + (rows - 1) * ROW);
    }
    at += needs;
  }
  return rows;
}
