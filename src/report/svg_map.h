/* Heat maps: a value for each pair of an x and a y, as coloured cells with a scale beside them.
 *
 *   pki_svg_map m = {.title = "Fell", .x = {.label = "speed", .unit = "m/s", .names = xs, .count = 10},
 *                    .y = {.label = "friction", .names = ys, .count = 8}, .values = v};
 *   pki_svg_map_render(&m, &text);
 *
 * Values that are not finite leave their cell empty. Each cell tells its value when it is pointed at; where there is
 * room for it, it is written there. Colours rise in lightness or fall, so that they can be told apart in grey. */
#ifndef PKI_REPORT_SVG_MAP_H
#define PKI_REPORT_SVG_MAP_H

#include "base/text.h"

typedef enum pki_svg_scale {
  PKI_SVG_SCALE_SEA,  /* dark blue over green to yellow (the stops of viridis, van der Walt and Smith 2015) */
  PKI_SVG_SCALE_HEAT, /* near white over orange to dark red: more is worse */
} pki_svg_scale;

/* Names along an axis of cells. */
typedef struct pki_svg_names {
  const char *label, *unit; /* unit NULL or "": none */
  const char *const *names; /* [count], from the left, from below */
  int count;
} pki_svg_names;

typedef struct pki_svg_map {
  const char *title;
  pki_svg_names x, y;
  const double *values; /* [y.count][x.count] */
  const char *unit;     /* of the values; NULL or "": none; "%": values are shares of 1 */
  pki_svg_scale scale;
  double least, most;   /* of the scale; both 0: what the data need */
  double width, height; /* pixels; 0: 360 and 330 */
} pki_svg_map;

void pki_svg_map_render(const pki_svg_map *map, pki_text *out);

/* The label of an axis and its unit below and beside a frame, and names at equal distances: those that fit. Shared with
 * box plots. */
void pki_svg_names_x(const pki_svg_names *names, double left, double width, double bottom, pki_text *out);
void pki_svg_label_y(const char *label, const char *unit, double x, double middle, pki_text *out);

#endif
