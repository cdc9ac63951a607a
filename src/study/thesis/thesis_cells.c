/* Maps of outcomes: a picture for each panel. A cell has a band of colour for each outcome, as wide as its share of the runs. */
#include <stdio.h>
#include <string.h>

#include "study/thesis/thesis.h"

enum { LEFT = 66, TOP = 66, CELL = 30, BELOW = 50, BETWEEN = 76 };

/* Okabe and Ito's colours, as in the other plots. */
static const char *const colours[PKI_THESIS_OUTCOMES] = {"#009E73", "#E69F00", "#CC79A7", "#56B4E9",
                                                         "#D55E00"};
static const char empty[] = "#eeeeee";

typedef struct picture {
  const pki_thesis_map *map;
  const char *title, *x_label, *y_label;
  const char *panels[PKI_THESIS_PANELS];
} picture;

/* The left edge and the bottom of a panel. */
static double panel_x(const picture *p, int panel)
{
  return LEFT + panel * (p->map->nx * CELL + BETWEEN);
}

static double panel_bottom(const picture *p)
{
  return TOP + p->map->ny * CELL;
}

static void draw_legend(pki_text *out)
{
  static const double wide[PKI_THESIS_OUTCOMES] = {80, 100, 110, 80, 90};
  double x = LEFT;
  for (int o = 0; o < PKI_THESIS_OUTCOMES; o++) {
    pki_text_addf(
        out,
        "<rect x=\"%g\" y=\"12\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%g\" y=\"22\">%s</text>\n",
        x, colours[o], x + 17, pki_thesis_outcome_names[o]);
    x += wide[o];
  }
}

static void draw_tick(double value, double x, double y, const char *anchor, pki_text *out)
{
  char text[32];
  snprintf(text, sizeof text, "%.3g", value);
  char *plus = strstr(text, "e+");
  if (plus != NULL) {
    memmove(plus + 1, plus + 2 + (plus[2] == '0'), strlen(plus + 2 + (plus[2] == '0')) + 1);
  }
  pki_text_addf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"10\" text-anchor=\"%s\">%s</text>\n", x, y,
                anchor, text);
}

static void draw_axes(const picture *p, int panel, pki_text *out)
{
  const double x0 = panel_x(p, panel), y0 = panel_bottom(p);
  pki_text_addf(out, "<text x=\"%.1f\" y=\"%d\" font-weight=\"bold\">%s</text>\n", x0, TOP - 10,
                p->panels[panel]);
  for (int i = 0; i < p->map->nx; i++) {
    draw_tick(p->map->x[i], x0 + (i + 0.5) * CELL, y0 + 15, "middle", out);
  }
  for (int i = 0; i < p->map->ny; i++) {
    draw_tick(p->map->y[i], x0 - 6, y0 - (i + 0.5) * CELL + 4, "end", out);
  }
  pki_text_addf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                x0 + 0.5 * CELL * p->map->nx, y0 + 34, p->x_label);
  const double yx = x0 - 46, yy = y0 - 0.5 * CELL * p->map->ny;
  pki_text_addf(
      out,
      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 %.1f %.1f)\">%s</text>\n",
      yx, yy, yx, yy, p->y_label);
}

/* Shares from left to right, in the order of the outcomes. */
static void draw_cell(const pki_thesis_shares *shares, double x, double y, pki_text *out)
{
  const int count = pki_thesis_sampled(shares);
  double done = 0;
  if (count == 0) {
    pki_text_addf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", x, y,
                  CELL - 1, CELL - 1, empty);
  }
  for (int o = 0; o < PKI_THESIS_OUTCOMES; o++) {
    const double wide = count > 0 ? (CELL - 1.0) * shares->n[o] / count : 0;
    if (wide > 0) {
      pki_text_addf(out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>%d of %d: "
                    "%s</title></rect>\n",
                    x + done, y, wide, CELL - 1, colours[o], shares->n[o], count,
                    pki_thesis_outcome_names[o]);
    }
    done += wide;
  }
}

static void draw_cells(const picture *p, int panel, pki_text *out)
{
  const double x0 = panel_x(p, panel), y0 = panel_bottom(p);
  for (int iy = 0; iy < p->map->ny; iy++) {
    for (int ix = 0; ix < p->map->nx; ix++) {
      draw_cell(&p->map->cells[panel][iy][ix], x0 + ix * CELL, y0 - (iy + 1) * CELL, out);
    }
  }
}

static void begin_picture(const picture *p, pki_text *out)
{
  const double width = panel_x(p, p->map->npanel) - BETWEEN + 20, height = panel_bottom(p) + BELOW;
  pki_text_addf(
      out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
      "font-family=\"system-ui,'DejaVu Sans',sans-serif\" font-size=\"12\" "
      "fill=\"#222\">\n<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
      width, height, width, height, p->title);
  draw_legend(out);
  for (int i = 0; i < p->map->npanel; i++) {
    draw_axes(p, i, out);
    draw_cells(p, i, out);
  }
}

/* A ring around cells in which a run of each panel is more likely than not to show what the thesis saw. */
static void draw_rings(const picture *p, int panel, pki_text *out)
{
  for (int i = 0; i < p->map->nx * p->map->ny; i++) {
    const int ix = i % p->map->nx, iy = i / p->map->nx;
    if (pki_thesis_likelihood(p->map, ix, iy) > 0.5) {
      pki_text_addf(
          out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"8\" fill=\"none\" stroke=\"#000\" stroke-width=\"2\"/>\n",
          panel_x(p, panel) + (ix + 0.5) * CELL, panel_bottom(p) - (iy + 0.5) * CELL);
    }
  }
}

/* Steps between cells that are stable for one foot alone and cells that are not. */
static void draw_stability_edge(const pki_thesis_data *d, const picture *p, int panel, pki_text *out)
{
  const char *letter = "M";
  pki_text_add(out, "<path fill=\"none\" stroke=\"#222\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\" d=\"");
  for (int iy = 0; iy < p->map->ny; iy++) {
    int stable = 0;
    while (stable < p->map->nx && pki_thesis_sharpness(d, stable, iy) < 4) {
      stable++;
    }
    const double x = panel_x(p, panel) + stable * CELL, y = panel_bottom(p) - iy * CELL;
    pki_text_addf(out, "%s%.1f %.1fV%.1f", letter, x, y, y - CELL);
    letter = "L";
  }
  pki_text_add(out, "\"/>\n");
}

static void draw_map(const pki_thesis_data *d, const picture *p, bool edge, bool rings, pki_text *out)
{
  begin_picture(p, out);
  for (int panel = 0; panel < p->map->npanel; panel++) {
    if (rings) {
      draw_rings(p, panel, out);
    }
    if (edge) {
      draw_stability_edge(d, p, panel, out);
    }
  }
  pki_text_add(out, "</svg>\n");
}

void pki_thesis_linear_svg(const pki_thesis_data *d, pki_text *out)
{
  const picture p = {.map = &d->linear,
                     .title = "Linear springs: outcomes over stiffness and damping",
                     .x_label = "stiffness k, N/m",
                     .y_label = "damping d, N s/m",
                     .panels = {"Fall from 0.1 m", "Fall from 0.5 m", "Fall from 1.5 m", "Jump"}};
  draw_map(d, &p, true, true, out);
}

void pki_thesis_hardening_svg(const pki_thesis_data *d, pki_text *out)
{
  const picture p = {.map = &d->hardening,
                     .title = "Springs that harden: outcomes over stiffness and damping",
                     .x_label = "stiffness c, N/m^3",
                     .y_label = "damping d, N s/m",
                     .panels = {"Fall from 0.1 m", "Fall from 0.5 m", "Fall from 1.5 m", "Jump"}};
  draw_map(d, &p, false, true, out);
}

void pki_thesis_tilt_svg(const pki_thesis_data *d, pki_text *out)
{
  const picture p = {.map = &d->tilt,
                     .title = "Exact contact: outcomes over roll and restitution",
                     .x_label = "roll at the start, rad",
                     .y_label = "restitution",
                     .panels = {"Fall from 0.5 m", "Fall from 1.5 m"}};
  draw_map(d, &p, false, false, out);
}
