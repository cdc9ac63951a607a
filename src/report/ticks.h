/* Where an axis is marked: round numbers for linear axes, decades for logarithmic ones,
 * with labels short enough to read. */
#ifndef PKI_REPORT_TICKS_H
#define PKI_REPORT_TICKS_H

enum { PKI_TICKS_MAX = 24 };

typedef struct pki_ticks {
  int count;
  double value[PKI_TICKS_MAX];
  char label[PKI_TICKS_MAX][24];
  /* What all labels share, to be written once beside the axis: value = label * 10^exponent + offset. */
  int exponent;
  double offset;
  int offset_digits; /* decimals that the offset needs */
} pki_ticks;

/* About `want` multiples of 1, 2 or 5 times a power of ten within [least, most]. */
void pki_ticks_linear(double least, double most, int want, pki_ticks *out);

/* Powers of ten within [least, most], thinned to about `want`; 2 and 5 times them where there
 * are fewer than two decades. least > 0. */
void pki_ticks_log(double least, double most, int want, pki_ticks *out);

/* "10⁻⁹" into `out`. */
void pki_power_of_ten(int exponent, char *out, int size);

#endif
