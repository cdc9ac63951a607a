/* Fewer points, the same picture: what a line needs at the size at which it is drawn. Points are in pixels. */
#ifndef PKI_REPORT_THIN_H
#define PKI_REPORT_THIN_H

/* Of each run of neighbours within one column of pixels the first, the lowest, the highest and the last, so that peaks
 * stay however short they are. keep: [n] room for indices, ascending. Returns how many. */
int pki_thin_columns(const double *x, const double *y, int n, int *keep);

/* Points such that the line through them passes all others within `tolerance` pixels, ends included; `keep` as above. */
int pki_thin_path(const double *x, const double *y, int n, double tolerance, int *keep);

#endif
