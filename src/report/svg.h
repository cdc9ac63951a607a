/* Line plots as SVG: panels with axes, round ticks, logarithmic axes, legends. One figure is
 * one picture; it is complete in itself and can stand in an HTML page beside others.
 *
 *   pki_svg_series s = {.name = "Pronk", .x = t, .y = z, .n = n};
 *   pki_svg_panel p = {.title = "Height", .x = {.label = "time", .unit = "s"},
 *                      .y = {.label = "height", .unit = "m"}, .series = &s, .nseries = 1};
 *   pki_svg_figure f = {.id = "height", .panels = &p, .npanels = 1};
 *   pki_svg_save(&f, "height.svg", &err);
 *
 * Values that are not finite (on a logarithmic axis: not positive) leave gaps. Colours are
 * those of Okabe and Ito (2008), which people with any colour vision can tell apart; each also has a class (s1, s2,
 * ...) by which a page can change it, as for a dark background. Long lines are thinned (thin.h).
 */
#ifndef PKI_REPORT_SVG_H
#define PKI_REPORT_SVG_H

#include "base/text.h"

typedef struct pki_svg_axis {
  const char *label; /* NULL: none */
  const char *unit;  /* NULL or "": none */
  bool log;
  double least, most; /* both 0: what the data need */
} pki_svg_axis;

typedef enum pki_svg_style {
  PKI_SVG_LINE,
  PKI_SVG_DASHED,
  PKI_SVG_POINTS,
  PKI_SVG_LINE_POINTS,
  PKI_SVG_BARS, /* from x[i] to y[i] along the x axis, in one of the panel's rows */
  PKI_SVG_BANDS /* likewise, pale and as high as the panel, behind what comes after them */
} pki_svg_style;

typedef struct pki_svg_series {
  const char *name; /* in the legend; NULL: not listed */
  const double *x, *y;
  int n;
  pki_svg_style style;
  int color; /* 0: by its place in the panel; 1, 2, ...: that colour of the palette */
  int row;   /* of bars, counted from the top */
} pki_svg_series;

typedef struct pki_svg_panel {
  const char *title; /* NULL: none */
  pki_svg_axis x, y;
  const pki_svg_series *series;
  int nseries;
  const char *const *rows; /* [nrow] names instead of a scale along y, for bars */
  int nrow;
  bool time; /* x is the time of the run: pages may draw a cursor there (class "cursor") */
} pki_svg_panel;

typedef struct pki_svg_figure {
  const char *id;    /* unique among the figures of one page; letters, digits, '-' */
  const char *title; /* NULL: none */
  const pki_svg_panel *panels;
  int npanels;
  int columns;          /* 0: all panels in one row, two at most */
  double width, height; /* of one panel in pixels; 0: 480 and 300 */
  bool compact;         /* small panels: narrow margins, title and legend in one line */
  bool share_x;         /* one x axis below each column, the same for all of its panels */
} pki_svg_figure;

/* The range that an axis shows: its own, or that of the data with a little air (y only). */
void pki_svg_range(const pki_svg_panel *panel, bool of_y, double *least, double *most);

/* Append the <svg> element (without an XML declaration) to `out`. */
void pki_svg_render(const pki_svg_figure *figure, pki_text *out);

/* Render into a file of its own. */
pk_status pki_svg_save(const pki_svg_figure *figure, const char *path, pk_error *err);

#endif
