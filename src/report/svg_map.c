#include "report/svg_map.h"

#include <math.h>
#include <stdio.h>

#include "report/svg_frame.h"

enum { TOP = 34, BOTTOM = 48, RIGHT = 70, BAR = 12 };

/* ---- colours ---- */

/* Straight lines between stops, in sRGB. */
static void color_of(pki_svg_scale scale, double u, int rgb[3])
{
  enum { STOPS = 9 };
  static const unsigned char stops[2][STOPS][3] = {
      {{68, 1, 84},
       {71, 44, 122},
       {59, 81, 139},
       {44, 113, 142},
       {33, 144, 141},
       {39, 173, 129},
       {92, 200, 99},
       {170, 220, 50},
       {253, 231, 37}},
      {{251, 246, 239},
       {254, 228, 200},
       {253, 205, 153},
       {252, 174, 107},
       {249, 139, 72},
       {236, 102, 55},
       {209, 64, 45},
       {168, 28, 40},
       {112, 6, 36}},
  };
  const double at = fmin(fmax(u, 0), 1) * (STOPS - 1);
  const int i = at >= STOPS - 1 ? STOPS - 2 : (int)at;
  for (int k = 0; k < 3; k++) {
    const double a = stops[scale][i][k], b = stops[scale][i + 1][k];
    rgb[k] = (int)lround(a + (b - a) * (at - i));
  }
}

/* ---- numbers ---- */

static void write_value(double value, const char *unit, bool with_unit, char *out, size_t size)
{
  if (unit != NULL && unit[0] == '%') {
    snprintf(out, size, "%.0f%s", 100 * value, with_unit ? " %" : "");
  } else {
    const bool has = with_unit && unit != NULL && unit[0] != '\0';
    snprintf(out, size, "%.3g%s%s", value, has ? " " : "", has ? unit : "");
  }
}

static void find_range(const pki_svg_map *m, double range[2])
{
  range[0] = m->least;
  range[1] = m->most;
  if (m->most > m->least) {
    return;
  }
  range[0] = INFINITY;
  range[1] = -INFINITY;
  for (int i = 0; i < m->x.count * m->y.count; i++) {
    if (isfinite(m->values[i])) {
      range[0] = fmin(range[0], m->values[i]);
      range[1] = fmax(range[1], m->values[i]);
    }
  }
  if (!(range[0] < range[1])) {
    range[0] = isfinite(range[0]) ? range[0] : 0;
    range[1] = range[0] + fmax(fabs(range[0]), 1) * 1e-3;
  }
}

/* ---- axes ---- */

static void add_label(const char *label, const char *unit, pki_text *out)
{
  pki_text_add_escaped(out, label);
  if (unit != NULL && unit[0] != '\0') {
    pki_text_add(out, " (");
    pki_text_add_escaped(out, unit);
    pki_text_add(out, ")");
  }
}

void pki_svg_names_x(const pki_svg_names *names, double left, double width, double bottom, pki_text *out)
{
  const double each = width / names->count;
  double widest = 8;
  for (int i = 0; i < names->count; i++) {
    widest = fmax(widest, pki_svg_text_width(names->names[i], 11) + 6);
  }
  const int skip = (int)fmax(1, ceil(widest / each));
  for (int i = 0; i < names->count; i += skip) {
    pki_text_addf(out, "<text class=\"tick\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">",
                  left + (i + 0.5) * each, bottom + 15);
    pki_text_add_escaped(out, names->names[i]);
    pki_text_add(out, "</text>\n");
  }
  pki_text_addf(out, "<text class=\"label\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">", left + width / 2,
                bottom + 36);
  add_label(names->label, names->unit, out);
  pki_text_add(out, "</text>\n");
}

void pki_svg_label_y(const char *label, const char *unit, double x, double middle, pki_text *out)
{
  pki_text_addf(
      out, "<text class=\"label\" transform=\"translate(%.2f %.2f) rotate(-90)\" text-anchor=\"middle\">", x,
      middle);
  add_label(label, unit, out);
  pki_text_add(out, "</text>\n");
}

static double widest_name(const pki_svg_names *names)
{
  double widest = 0;
  for (int i = 0; i < names->count; i++) {
    widest = fmax(widest, pki_svg_text_width(names->names[i], 11));
  }
  return fmin(widest, 110);
}

static void draw_y(const pki_svg_map *m, const pki_svg_frame *f, double widest, pki_text *out)
{
  const double each = f->height / m->y.count;
  const int skip = (int)fmax(1, ceil(15 / each));
  for (int i = 0; i < m->y.count; i += skip) {
    pki_text_addf(out, "<text class=\"tick\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">", f->left - 6,
                  f->top + f->height - (i + 0.5) * each + 4);
    pki_text_add_escaped(out, m->y.names[i]);
    pki_text_add(out, "</text>\n");
  }
  pki_svg_label_y(m->y.label, m->y.unit, f->left - widest - 16, f->top + f->height / 2, out);
}

/* ---- cells ---- */

/* Whether every cell has room for its number: some with and some without would puzzle. */
static bool has_room(const pki_svg_map *m, const pki_svg_frame *f)
{
  const double w = f->width / m->x.count, h = f->height / m->y.count;
  bool room = h >= 13;
  for (int i = 0; i < m->x.count * m->y.count && room; i++) {
    char text[48];
    write_value(m->values[i], m->unit, false, text, sizeof text);
    room = !isfinite(m->values[i]) || pki_svg_text_width(text, 9) + 6 <= w;
  }
  return room;
}

static void draw_cell(const pki_svg_map *m, const pki_svg_frame *f, int ix, int iy, const double range[2],
                      bool numbers, pki_text *out)
{
  const double v = m->values[iy * m->x.count + ix], w = f->width / m->x.count, h = f->height / m->y.count;
  const double x = f->left + ix * w, y = f->top + f->height - (iy + 1) * h;
  char text[48];
  int rgb[3];
  if (!isfinite(v)) {
    return;
  }
  color_of(m->scale, (v - range[0]) / (range[1] - range[0]), rgb);
  pki_text_addf(out,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" shape-rendering=\"crispEdges\" "
                "fill=\"#%02x%02x%02x\"><title>",
                x, y, w + 0.3, h + 0.3, (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2]);
  write_value(v, m->unit, true, text, sizeof text);
  pki_text_add_escaped(out, m->x.label);
  pki_text_add(out, " ");
  pki_text_add_escaped(out, m->x.names[ix]);
  pki_text_add(out, ", ");
  pki_text_add_escaped(out, m->y.label);
  pki_text_add(out, " ");
  pki_text_add_escaped(out, m->y.names[iy]);
  pki_text_addf(out, ": %s</title></rect>\n", text);
  write_value(v, m->unit, false, text, sizeof text);
  if (numbers) {
    const bool dark = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] < 140;
    pki_text_addf(
        out,
        "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\" style=\"font-size:9px;fill:%s;pointer-events:"
        "none\">%s</text>\n",
        x + w / 2, y + h / 2 + 3.2, dark ? "#fff" : "#222", text);
  }
}

/* Which colour is which value. */
static void draw_scale(const pki_svg_map *m, const pki_svg_frame *f, const double range[2], pki_text *out)
{
  enum { STEPS = 40, MARKS = 5 };
  const double x = f->left + f->width + 12, each = f->height / STEPS;
  for (int i = 0; i < STEPS; i++) {
    int rgb[3];
    color_of(m->scale, (i + 0.5) / STEPS, rgb);
    pki_text_addf(out,
                  "<rect x=\"%.2f\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" shape-rendering=\"crispEdges\" "
                  "fill=\"#%02x%02x%02x\"/>\n",
                  x, f->top + f->height - (i + 1) * each, BAR, each + 0.3, (unsigned)rgb[0], (unsigned)rgb[1],
                  (unsigned)rgb[2]);
  }
  for (int i = 0; i < MARKS; i++) {
    char text[48];
    const double part = (double)i / (MARKS - 1);
    write_value(range[0] + (range[1] - range[0]) * part, m->unit, m->unit != NULL && m->unit[0] == '%', text,
                sizeof text);
    pki_text_addf(out, "<text class=\"tick\" x=\"%.2f\" y=\"%.2f\">%s</text>\n", x + BAR + 4,
                  f->top + f->height * (1 - part) + 4, text);
  }
}

void pki_svg_map_render(const pki_svg_map *map, pki_text *out)
{
  const double width = map->width > 0 ? map->width : 360, height = map->height > 0 ? map->height : 330;
  const double widest = widest_name(&map->y), left = widest + 36;
  const pki_svg_frame f = {
      .left = left, .top = TOP, .width = width - left - RIGHT, .height = height - TOP - BOTTOM};
  double range[2];
  find_range(map, range);
  pki_svg_open(out, width, height, map->title);
  pki_text_addf(out, "<text class=\"title\" x=\"%.2f\" y=\"20\">", f.left);
  const bool share = map->unit != NULL && map->unit[0] == '%';
  add_label(map->title, share ? NULL : map->unit, out);
  pki_text_add(out, "</text>\n");
  const bool numbers = has_room(map, &f);
  for (int i = 0; i < map->x.count * map->y.count; i++) {
    draw_cell(map, &f, i % map->x.count, i / map->x.count, range, numbers, out);
  }
  pki_text_addf(out, "<rect class=\"frame\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n", f.left,
                f.top, f.width, f.height);
  pki_svg_names_x(&map->x, f.left, f.width, f.top + f.height, out);
  draw_y(map, &f, widest, out);
  draw_scale(map, &f, range, out);
  pki_text_add(out, "</svg>\n");
}
