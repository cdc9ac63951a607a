/* Maps of outcomes: a picture of coloured cells for each panel. */
#include <math.h>

#include "study/thesis/thesis.h"

enum { LEFT = 66, TOP = 66, CELL = 30, BELOW = 50, BETWEEN = 76 };

/* Okabe and Ito's colours, as in the other plots. */
static const char *const colours[PKI_THESIS_OUTCOMES + 1] = {"#009E73", "#E69F00", "#CC79A7",
                                                             "#56B4E9", "#D55E00", "#eeeeee"};

typedef struct picture {
  const pki_thesis_map *map;
  const char *title, *x_label, *y_label;
  const char *panels[PKI_THESIS_PANELS];
  bool powers; /* ticks are powers of ten */
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
  static const double wide[PKI_THESIS_OUTCOMES + 1] = {80, 100, 110, 80, 90, 80};
  double x = LEFT;
  for (int o = 0; o <= PKI_THESIS_OUTCOMES; o++) {
    pki_text_addf(
        out,
        "<rect x=\"%g\" y=\"12\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%g\" y=\"22\">%s</text>\n",
        x, colours[o], x + 17, pki_thesis_outcome_names[o]);
    x += wide[o];
  }
}

static void draw_tick(const picture *p, double value, double x, double y, const char *anchor, pki_text *out)
{
  const double power = log10(value);
  if (!p->powers) {
    pki_text_addf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%g</text>\n", x, y, anchor, value);
  } else if (fabs(power - round(power)) < 1e-6) {
    pki_text_addf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">1e%.0f</text>\n", x, y, anchor, power);
  }
}

static void draw_axes(const picture *p, int panel, pki_text *out)
{
  const double x0 = panel_x(p, panel), y0 = panel_bottom(p);
  pki_text_addf(out, "<text x=\"%.1f\" y=\"%d\" font-weight=\"bold\">%s</text>\n", x0, TOP - 10,
                p->panels[panel]);
  for (int i = 0; i < p->map->nx; i++) {
    draw_tick(p, p->map->x[i], x0 + (i + 0.5) * CELL, y0 + 15, "middle", out);
  }
  for (int i = 0; i < p->map->ny; i++) {
    draw_tick(p, p->map->y[i], x0 - 6, y0 - (i + 0.5) * CELL + 4, "end", out);
  }
  pki_text_addf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                x0 + 0.5 * CELL * p->map->nx, y0 + 34, p->x_label);
  const double yx = x0 - 46, yy = y0 - 0.5 * CELL * p->map->ny;
  pki_text_addf(
      out,
      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 %.1f %.1f)\">%s</text>\n",
      yx, yy, yx, yy, p->y_label);
}

static void draw_cells(const picture *p, int panel, pki_text *out)
{
  const double x0 = panel_x(p, panel), y0 = panel_bottom(p);
  for (int iy = 0; iy < p->map->ny; iy++) {
    for (int ix = 0; ix < p->map->nx; ix++) {
      const int o = p->map->cells[panel][iy][ix];
      pki_text_addf(out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"%s\"><title>%.3g, %.3g: "
                    "%s</title></rect>\n",
                    x0 + ix * CELL, y0 - (iy + 1) * CELL, CELL - 1, CELL - 1, colours[o], p->map->x[ix],
                    p->map->y[iy], pki_thesis_outcome_names[o]);
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

/* Two cells a decade, from 1e4 and from 10 on. */
static double x_of_stiffness(const picture *p, int panel, double k)
{
  return panel_x(p, panel) + CELL * (2 * (log10(k) - 4) + 0.5);
}

static double y_of_damping(const picture *p, double d)
{
  return panel_bottom(p) - CELL * (2 * (log10(d) - 1) + 0.5);
}

/* Where one foot alone is on the edge of stability: dt^2 k W + 2 dt d W = 4. */
static void draw_stability_edge(const picture *p, int panel, double W, pki_text *out)
{
  const double dt = 5e-4, least = 7, ends = 1.7e5, most = (4 - 2 * dt * least * W) / (dt * dt * W);
  pki_text_add(out, "<path fill=\"none\" stroke=\"#222\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\" d=\"");
  const char *letter = "M";
  for (int i = 0; i <= 200; i++) {
    const double k = 6e3 * pow(most / 6e3, i / 200.0), d = (4 - dt * dt * k * W) / (2 * dt * W);
    if (d < ends && d > 0.999 * least) {
      pki_text_addf(out, "%s%.1f %.1f", letter, x_of_stiffness(p, panel, k), y_of_damping(p, d));
      letter = "L";
    }
  }
  pki_text_add(out, "\"/>\n");
}

void pki_thesis_survival_svg(const pki_thesis_data *d, pki_text *out)
{
  const picture p = {.map = &d->survival,
                     .title = "Penalty: outcome over stiffness and damping",
                     .x_label = "stiffness k, N/m",
                     .y_label = "damping d, N s/m",
                     .panels = {"Fall from 0.1 m", "Fall from 0.5 m", "Fall from 1.5 m", "Jump"},
                     .powers = true};
  begin_picture(&p, out);
  for (int panel = 0; panel < d->survival.npanel; panel++) {
    for (int i = 0; i < d->survival.nx * d->survival.ny; i++) {
      const int ix = i % d->survival.nx, iy = i / d->survival.nx;
      if (pki_thesis_cell_agrees(&d->survival, ix, iy)) {
        pki_text_addf(
            out,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"8\" fill=\"none\" stroke=\"#000\" stroke-width=\"2\"/>\n",
            panel_x(&p, panel) + (ix + 0.5) * CELL, panel_bottom(&p) - (iy + 0.5) * CELL);
      }
    }
    draw_stability_edge(&p, panel, d->foot_inverse_mass, out);
    const double x = x_of_stiffness(&p, panel, pki_thesis_stiffness),
                 y = y_of_damping(&p, pki_thesis_damping);
    pki_text_addf(out, "<path d=\"M%.1f %.1f l10 10 m0 -10 l-10 10\" stroke=\"#000\" stroke-width=\"2\"/>\n",
                  x - 5, y - 5);
  }
  pki_text_add(out, "</svg>\n");
}

void pki_thesis_tilt_svg(const pki_thesis_data *d, pki_text *out)
{
  const picture p = {.map = &d->tilt,
                     .title = "Exact contact: outcome over tilt and restitution",
                     .x_label = "roll at the start, rad",
                     .y_label = "restitution",
                     .panels = {"Fall from 0.5 m", "Fall from 1.5 m"}};
  begin_picture(&p, out);
  pki_text_add(out, "</svg>\n");
}
