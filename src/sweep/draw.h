/* Numbers to draw parameters with: sample i, dimension d -> a number in (0, 1), a function of seed, i and d alone.
 *
 * random: SplitMix64 of (seed, i, d). The mean of n samples has an error of about n^-1/2.
 *
 * sobol: Sobol's sequence (1967) in base 2 with the direction numbers of Joe and Kuo (2008, new-joe-kuo-6), for 16
 * dimensions. Bit j of i switches direction v_j:  x_i = xor of all v_j with bit j of i set. Of every 2^k samples
 * that begin at a multiple of 2^k, each interval [a 2^-k, (a+1) 2^-k) of each dimension holds exactly one: samples spread
 * evenly, and means have errors of about 1/n. A random digital shift (xor with bits of the seed) keeps this
 * property, makes the sequence depend on the seed, and takes the first point out of the corner. */
#ifndef PKI_SWEEP_DRAW_H
#define PKI_SWEEP_DRAW_H

#include <stdint.h>

typedef enum pki_draw { PKI_DRAW_SOBOL, PKI_DRAW_RANDOM, PKI_DRAW_COUNT } pki_draw;
extern const char *const pki_draw_words[];

typedef enum pki_draw_kind {
  PKI_DRAW_UNIFORM,
  PKI_DRAW_LOG_UNIFORM,
  PKI_DRAW_NORMAL,
  PKI_DRAW_KIND_COUNT
} pki_draw_kind;
extern const char *const pki_draw_kind_words[];

enum { PKI_SOBOL_DIMENSIONS = 16, PKI_SOBOL_BITS = 32 };

/* Point `index` of Sobol's sequence, unshifted, times 2^32. */
uint32_t pki_sobol(uint32_t index, int dimension);

/* In (0, 1), the ends excluded. */
double pki_draw_unit(pki_draw draw, int seed, uint32_t index, int dimension);

/* Where the normal distribution has reached `u` of (0, 1). */
double pki_normal_quantile(double u);

/* The share of the normal distribution below x. */
double pki_normal_below(double x);

#endif
