#include "report/svg_box.h"

#include <math.h>

#include "report/svg_frame.h"
#include "report/ticks.h"

enum { TOP = 34, BOTTOM = 48, LEFT = 54, RIGHT = 12, POINTS = 40 };

double pki_quantile(const double *sorted, int n, double p)
{
  if (n == 0) {
    return NAN;
  }
  const double at = p * (n - 1);
  const int i = (int)floor(at);
  return i + 1 < n ? sorted[i] + (sorted[i + 1] - sorted[i]) * (at - i) : sorted[n - 1];
}

/* Quartiles and the last values within the whiskers. */
typedef struct box {
  double q1, q2, q3;
  int low, high;
} box;

static box box_of(const double *v, int n)
{
  box b = {pki_quantile(v, n, 0.25), pki_quantile(v, n, 0.5), pki_quantile(v, n, 0.75), 0, n - 1};
  while (v[b.low] < b.q1 - 1.5 * (b.q3 - b.q1)) {
    b.low++;
  }
  while (v[b.high] > b.q3 + 1.5 * (b.q3 - b.q1)) {
    b.high--;
  }
  return b;
}

/* All boxes and whiskers, and half as much again for points. */
static void find_range(const pki_svg_boxes *b, double range[2])
{
  double all[2] = {INFINITY, -INFINITY};
  range[0] = INFINITY;
  range[1] = -INFINITY;
  for (int i = 0; i < b->x.count; i++) {
    if (b->n[i] > 0) {
      const double *v = b->group[i];
      const box x = box_of(v, b->n[i]);
      range[0] = fmin(range[0], v[x.low]);
      range[1] = fmax(range[1], v[x.high]);
      all[0] = fmin(all[0], v[0]);
      all[1] = fmax(all[1], v[b->n[i] - 1]);
    }
  }
  if (range[0] > range[1]) {
    range[0] = all[0] = 0, range[1] = all[1] = 1;
  }
  const double span = range[1] - range[0];
  const double air = span > 0 ? 0.05 * span : fmax(fabs(range[0]), 1) * 0.1;
  range[0] = fmax(range[0] - 0.5 * span, all[0]) - air;
  range[1] = fmin(range[1] + 0.5 * span, all[1]) + air;
}

static void draw_axis(const pki_svg_boxes *b, const pki_svg_frame *f, pki_text *out)
{
  pki_ticks t;
  pki_ticks_linear(f->y0, f->y1, (int)fmax(2, f->height / 32), &t);
  pki_text_add(out, "<path class=\"grid\" d=\"");
  for (int i = 0; i < t.count; i++) {
    pki_text_addf(out, "M%.2f %.2fh%.2f", f->left, pki_svg_y(f, t.value[i]), f->width);
  }
  pki_text_addf(out, "\"/>\n<rect class=\"frame\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
                f->left, f->top, f->width, f->height);
  for (int i = 0; i < t.count; i++) {
    pki_text_addf(out, "<text class=\"tick\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">%s</text>\n",
                  f->left - 7, pki_svg_y(f, t.value[i]) + 4, t.label[i]);
  }
  if (t.exponent != 0) {
    char power[24];
    pki_power_of_ten(t.exponent, power, sizeof power);
    pki_text_addf(out, "<text class=\"tick\" x=\"%.2f\" y=\"%.2f\">× %s</text>\n", f->left + 4, f->top + 13,
                  power);
  }
  pki_svg_names_x(&b->x, f->left, f->width, f->top + f->height, out);
}

static void draw_point(double x, double y, int color, pki_text *out)
{
  pki_text_addf(out, "<circle class=\"f%d\" cx=\"%.2f\" cy=\"%.2f\" r=\"1.6\" fill=\"%s\" opacity=\".6\"/>\n",
                color, x, y, pki_svg_color_name(color - 1));
}

/* Values beyond the whiskers: points, the farthest first when there are many; how many are out of the picture. */
static void draw_beyond(const double *v, int n, const box *b, double x, const pki_svg_frame *f, int color,
                        pki_text *out)
{
  int above = 0, below = 0;
  for (int i = 0, drawn = 0; i < b->low; i++) {
    below += v[i] < f->y0;
    if (v[i] >= f->y0 && drawn++ < POINTS) {
      draw_point(x, pki_svg_y(f, v[i]), color, out);
    }
  }
  for (int i = n - 1, drawn = 0; i > b->high; i--) {
    above += v[i] > f->y1;
    if (v[i] <= f->y1 && drawn++ < POINTS) {
      draw_point(x, pki_svg_y(f, v[i]), color, out);
    }
  }
  if (above > 0) {
    pki_text_addf(out,
                  "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\" class=\"tick\" "
                  "style=\"font-size:9px\">+%d</text>\n",
                  x, f->top + 9, above);
  }
  if (below > 0) {
    pki_text_addf(out,
                  "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\" class=\"tick\" "
                  "style=\"font-size:9px\">+%d</text>\n",
                  x, f->top + f->height - 3, below);
  }
}

static void draw_box(const pki_svg_boxes *b, int group, const pki_svg_frame *f, pki_text *out)
{
  const double *v = b->group[group];
  const int n = b->n[group], color = b->color > 0 ? b->color : 1;
  const box q = box_of(v, n);
  const double each = f->width / b->x.count, x = f->left + (group + 0.5) * each, half = fmin(0.32 * each, 16);
  const double y1 = pki_svg_y(f, q.q1), y2 = pki_svg_y(f, q.q2), y3 = pki_svg_y(f, q.q3);
  const char *name = pki_svg_color_name(color - 1);
  pki_text_addf(out, "<g><title>");
  pki_text_add_escaped(out, b->x.names[group]);
  pki_text_addf(out, ": median %.3g, quartiles %.3g and %.3g, from %.3g to %.3g, %d sample%s</title>\n", q.q2,
                q.q1, q.q3, v[0], v[n - 1], n, n == 1 ? "" : "s");
  pki_text_addf(out,
                "<path class=\"s%d\" stroke=\"%s\" fill=\"none\" d=\"M%.2f %.2fV%.2fM%.2f %.2fV%.2fM%.2f "
                "%.2fh%.2fM%.2f "
                "%.2fh%.2f\"/>\n",
                color, name, x, y1, pki_svg_y(f, v[q.low]), x, y3, pki_svg_y(f, v[q.high]), x - half / 2,
                pki_svg_y(f, v[q.low]), half, x - half / 2, pki_svg_y(f, v[q.high]), half);
  pki_text_addf(out,
                "<rect class=\"s%d f%d\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" stroke=\"%s\" "
                "fill=\"%s\" "
                "fill-opacity=\".25\"/>\n",
                color, color, x - half, y3, 2 * half, fmax(y1 - y3, 0.5), name, name);
  pki_text_addf(out, "<path class=\"s%d\" stroke=\"%s\" stroke-width=\"2.4\" d=\"M%.2f %.2fh%.2f\"/>\n",
                color, name, x - half, y2, 2 * half);
  draw_beyond(v, n, &q, x, f, color, out);
  pki_text_add(out, "</g>\n");
}

void pki_svg_boxes_render(const pki_svg_boxes *boxes, pki_text *out)
{
  const double width = boxes->width > 0 ? boxes->width : 360,
               height = boxes->height > 0 ? boxes->height : 270;
  double range[2];
  find_range(boxes, range);
  const pki_svg_frame f = {.left = LEFT,
                           .top = TOP,
                           .width = width - LEFT - RIGHT,
                           .height = height - TOP - BOTTOM,
                           .x1 = 1,
                           .y0 = range[0],
                           .y1 = range[1]};
  pki_svg_open(out, width, height, boxes->title);
  pki_text_addf(out, "<text class=\"title\" x=\"%.2f\" y=\"20\">", f.left);
  pki_text_add_escaped(out, boxes->title);
  if (boxes->unit != NULL && boxes->unit[0] != '\0') {
    pki_text_add(out, " (");
    pki_text_add_escaped(out, boxes->unit);
    pki_text_add(out, ")");
  }
  pki_text_add(out, "</text>\n");
  draw_axis(boxes, &f, out);
  for (int i = 0; i < boxes->x.count; i++) {
    if (boxes->n[i] > 0) {
      draw_box(boxes, i, &f, out);
    }
  }
  pki_text_add(out, "</svg>\n");
}
