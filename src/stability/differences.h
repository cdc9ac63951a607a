/* The derivatives of a return map and of its iterates, by central differences.
 *
 * D(h) = (P(x + h e) - P(x - h e)) / (2 h) = P' e + c_2 h^2 + c_4 h^4 + ...: changes h, h/2, h/4, ... are extrapolated to zero
 * by Neville's scheme in h^2 (Richardson 1911), and of the triangle of extrapolations that entry is taken for each direction whose
 * neighbours differ least from it; that difference is its error (Ridders 1982, Advances in Engineering Software 4: 75). Large
 * changes have terms of high order, small ones the rounding and the tolerances of the map: the entry that is taken lies on
 * the plateau between them. */
#ifndef PKI_STABILITY_DIFFERENCES_H
#define PKI_STABILITY_DIFFERENCES_H

#include "pronk/floquet.h"

typedef struct pki_differences {
  int n, strides, levels;
  double *J;     /* [strides][n][n] derivatives of the iterates P, P(P), ... */
  double *E;     /* [strides][n][n] their errors */
  double *plain; /* [levels][n][n] of P by plain central differences; NULL: there are none */
  double *image; /* [strides][nx] the iterates of x */
} pki_differences;

pk_status pki_differences_take(const pk_return_map *map, const double *x, const pk_floquet_options *options,
                               pki_differences *out, pk_error *err);
void pki_differences_free(pki_differences *differences);

#endif
