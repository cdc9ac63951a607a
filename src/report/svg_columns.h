/* Columns in groups over a logarithmic axis: a value of each of several series in each of several groups.
 *
 *   pki_svg_columns c = {.title = "Errors", .x = {.label = "step", .unit = "ms", .names = steps, .count = 5},
 *                        .label = "error", .unit = "rad", .names = methods, .series = 3, .values = v};
 *   pki_svg_columns_render(&c, &text);
 *
 * Values that are not finite or not positive have no column; those below or above the axis end at its edge. Each column tells its value when it is
 * pointed at. */
#ifndef PKI_REPORT_SVG_COLUMNS_H
#define PKI_REPORT_SVG_COLUMNS_H

#include "report/svg_map.h"

enum { PKI_SVG_COLUMNS_SERIES = 7 };

typedef struct pki_svg_columns {
  const char *title;
  pki_svg_names x;          /* the groups */
  const char *label, *unit; /* of the values */
  const char *const *names; /* [series], for the legend */
  int series;               /* at most PKI_SVG_COLUMNS_SERIES */
  const double *values;     /* [series][x.count] */
  const bool *faint;        /* [series][x.count] drawn transparent; NULL: none */
  double least, most;       /* of the axis, above zero; both 0: what the data need */
  double width, height;     /* pixels; 0: 760 and 330 */
} pki_svg_columns;

void pki_svg_columns_render(const pki_svg_columns *columns, pki_text *out);

#endif
