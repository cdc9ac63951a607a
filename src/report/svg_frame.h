/* One panel's plot area: from data to pixels. Inside of the SVG writer. */
#ifndef PKI_REPORT_SVG_FRAME_H
#define PKI_REPORT_SVG_FRAME_H

#include "report/svg.h"

enum { PKI_SVG_PALETTE = 7 };

/* In pixels; ranges in data units (their logarithms on log axes). */
typedef struct pki_svg_frame {
  double left, top, width, height;
  double x0, x1, y0, y1;
  bool log_x, log_y;
} pki_svg_frame;

/* The head of a picture: size, a name for those who cannot see it, style, paper. */
void pki_svg_open(pki_text *out, double width, double height, const char *called);

bool pki_svg_usable(double v, bool is_log);
double pki_svg_on_axis(double v, bool is_log);
double pki_svg_x(const pki_svg_frame *f, double x);
double pki_svg_y(const pki_svg_frame *f, double y);

/* Which of the palette's colours, from 0, a series has; and that colour. */
int pki_svg_color(const pki_svg_panel *panel, int series);
const char *pki_svg_color_name(int color);

/* A series as a line, points or bars. */
void pki_svg_draw(pki_text *out, const pki_svg_panel *panel, int series, const pki_svg_frame *f);

/* The rows of a legend that wraps at `width`, drawn from (left, y) down; out NULL: only counted. */
int pki_svg_legend(pki_text *out, const pki_svg_panel *panel, double left, double y, double width);

/* Pixels that a text of the legend's or title's size takes, roughly. */
double pki_svg_text_width(const char *text, double size);

#endif
