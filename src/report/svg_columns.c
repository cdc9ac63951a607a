#include "report/svg_columns.h"

#include <math.h>
#include <stdio.h>

#include "report/svg_frame.h"

enum { LEFT = 72, RIGHT = 16, TOP = 34, BOTTOM = 48, LINE = 18 };

/* Whole decades around the data. */
static void find_decades(const pki_svg_columns *c, double range[2])
{
  range[0] = INFINITY, range[1] = -INFINITY;
  if (c->most > c->least) {
    range[0] = log10(c->least), range[1] = log10(c->most);
    return;
  }
  for (int i = 0; i < c->series * c->x.count; i++) {
    if (isfinite(c->values[i]) && c->values[i] > 0) {
      range[0] = fmin(range[0], log10(c->values[i]));
      range[1] = fmax(range[1], log10(c->values[i]));
    }
  }
  range[0] = isfinite(range[0]) ? floor(range[0] - 0.05) : 0;
  range[1] = isfinite(range[1]) ? fmax(ceil(range[1]), range[0] + 1) : 1;
}

static double y_of(const pki_svg_frame *f, double value)
{
  const double part = (log10(value) - f->y0) / (f->y1 - f->y0);
  return f->top + f->height * (1 - fmin(fmax(part, 0), 1));
}

static void draw_decades(const pki_svg_columns *c, const pki_svg_frame *f, pki_text *out)
{
  const int skip = (int)fmax(1, ceil((f->y1 - f->y0) / 8));
  pki_text_add(out, "<path class=\"grid\" d=\"");
  for (int e = (int)ceil(f->y0); e <= f->y1; e += skip) {
    pki_text_addf(out, "M%.2f %.2fh%.2f", f->left, y_of(f, pow(10, e)), f->width);
  }
  pki_text_addf(out, "\"/>\n<rect class=\"frame\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
                f->left, f->top, f->width, f->height);
  for (int e = (int)ceil(f->y0); e <= f->y1; e += skip) {
    pki_text_addf(out, "<text class=\"tick\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">1e%d</text>\n",
                  f->left - 6, y_of(f, pow(10, e)) + 4, e);
  }
  pki_svg_label_y(c->label, c->unit, f->left - 48, f->top + f->height / 2, out);
}

static void draw_column(const pki_svg_columns *c, const pki_svg_frame *f, int series, int group,
                        pki_text *out)
{
  static const double used = 0.84; /* of a group's width */
  const int i = series * c->x.count + group;
  const double value = c->values[i], each = f->width / c->x.count, w = used * each / c->series,
               x = f->left + group * each + 0.5 * (1 - used) * each + series * w, y = y_of(f, value);
  const bool faint = c->faint != NULL && c->faint[i];
  pki_text_addf(out,
                "<rect class=\"f%d s%d\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" "
                "stroke=\"%s\" "
                "stroke-width=\"1\" fill-opacity=\"%s\"%s><title>",
                series + 1, series + 1, x + 0.5, y, w - 1.5, fmax(1, f->top + f->height - y),
                pki_svg_color_name(series), pki_svg_color_name(series), faint ? ".12" : ".9",
                faint ? " stroke-dasharray=\"3 2\"" : "");
  pki_text_add_escaped(out, c->names[series]);
  pki_text_add(out, ", ");
  pki_text_add_escaped(out, c->x.names[group]);
  pki_text_add(out, c->x.unit != NULL ? " " : "");
  pki_text_add_escaped(out, c->x.unit != NULL ? c->x.unit : "");
  pki_text_addf(out, ": %.3g ", value);
  pki_text_add_escaped(out, c->unit != NULL ? c->unit : "");
  pki_text_add(out, "</title></rect>\n");
}

/* Names below each other; returns how many lines they take. */
static int draw_legend(const pki_svg_columns *c, double left, double top, double width, pki_text *out)
{
  double x = 0;
  int line = 0;
  for (int i = 0; i < c->series; i++) {
    const double needs = pki_svg_text_width(c->names[i], 12) + 34;
    if (x > 0 && x + needs > width) {
      x = 0, line++;
    }
    if (out != NULL) {
      pki_text_addf(out,
                    "<rect class=\"f%d\" x=\"%.2f\" y=\"%.2f\" width=\"11\" height=\"11\" fill=\"%s\"/>\n",
                    i + 1, left + x, top + line * LINE, pki_svg_color_name(i));
      pki_text_addf(out, "<text class=\"tick\" x=\"%.2f\" y=\"%.2f\">", left + x + 16,
                    top + line * LINE + 10);
      pki_text_add_escaped(out, c->names[i]);
      pki_text_add(out, "</text>\n");
    }
    x += needs;
  }
  return line + 1;
}

void pki_svg_columns_render(const pki_svg_columns *c, pki_text *out)
{
  const double width = c->width > 0 ? c->width : 760, height = c->height > 0 ? c->height : 330;
  const int lines = draw_legend(c, LEFT, 0, width - LEFT - RIGHT, NULL);
  double range[2];
  find_decades(c, range);
  const pki_svg_frame f = {.left = LEFT,
                           .top = TOP + lines * LINE,
                           .width = width - LEFT - RIGHT,
                           .height = height - TOP - BOTTOM - lines * LINE,
                           .y0 = range[0],
                           .y1 = range[1]};
  pki_svg_open(out, width, height, c->title);
  pki_text_addf(out, "<text class=\"title\" x=\"%.2f\" y=\"20\">", f.left);
  pki_text_add_escaped(out, c->title);
  pki_text_add(out, "</text>\n");
  draw_legend(c, f.left, TOP - 4, f.width, out);
  draw_decades(c, &f, out);
  for (int group = 0; group < c->x.count; group++) {
    for (int series = 0; series < c->series; series++) {
      const double value = c->values[series * c->x.count + group];
      if (isfinite(value) && value > 0) {
        draw_column(c, &f, series, group, out);
      }
    }
  }
  pki_svg_names_x(&c->x, f.left, f.width, f.top + f.height, out);
  pki_text_add(out, "</svg>\n");
}
