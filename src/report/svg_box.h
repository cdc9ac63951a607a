/* Box plots (Tukey 1977): how a quantity spreads in each of several groups. A box from the first to the third quartile, a
 * line at the median, whiskers to the last values within 1.5 times the box's height, points beyond. The picture shows
 * boxes and whiskers in full; points that are much farther away are counted at the edge. */
#ifndef PKI_REPORT_SVG_BOX_H
#define PKI_REPORT_SVG_BOX_H

#include "report/svg_map.h"

typedef struct pki_svg_boxes {
  const char *title;
  pki_svg_names x;            /* a name for each group */
  const char *unit;           /* of the values; NULL or "": none */
  const double *const *group; /* [x.count] values of each, rising */
  const int *n;               /* [x.count] how many; 0: no box */
  int color;                  /* 1, 2, ...: of the palette */
  double width, height;       /* pixels; 0: 360 and 270 */
} pki_svg_boxes;

/* The value below which a share `p` of n rising values lies, linear between neighbours; NAN of none. */
double pki_quantile(const double *sorted, int n, double p);

void pki_svg_boxes_render(const pki_svg_boxes *boxes, pki_text *out);

#endif
