/* A return map as the functions of this stage use it: with every default filled in, for several states at once. */
#ifndef PKI_STABILITY_RETURN_MAP_H
#define PKI_STABILITY_RETURN_MAP_H

#include "pronk/floquet.h"

/* out [strides][count][nx]: iterates of each of x [count][nx]. PK_ERROR_NONFINITE: an iterate is not finite. */
pk_status pki_map_iterate(const pk_return_map *map, int count, int strides, const double *x, double *out,
                          pk_error *err);

void pki_map_add(const pk_return_map *map, const double *x, const double *d, double *out);
void pki_map_subtract(const pk_return_map *map, const double *a, const double *b, double *d);

/* Which directions the options call neutral: mask [n]. */
void pki_map_neutral(const pk_return_map *map, const pk_floquet_options *options, bool *mask);

/* The largest component of P(x) - x that is not neutral; d [n] becomes the difference, neutral components zero. */
double pki_map_residual(const pk_return_map *map, const bool *neutral, const double *x, const double *image,
                        double *d);

/* Options with their defaults in place of numbers that are 0 (floquet.c); NULL: all defaults. */
pk_floquet_options pki_floquet_options_fill(const pk_floquet_options *options);

/* Map and options fit each other; the first thing that does not, by name. */
pk_status pki_map_check(const pk_return_map *map, const pk_floquet_options *options, pk_error *err);

#endif
