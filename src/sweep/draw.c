#include "sweep/draw.h"

#include <math.h>

#include "base/random.h"

const char *const pki_draw_words[] = {"sobol", "random"};
const char *const pki_draw_kind_words[] = {"uniform", "log-uniform", "normal"};

/* ---- Sobol ---- */

/* A primitive polynomial over GF(2), x^degree + a_1 x^(degree-1) + ... + a_(degree-1) x + 1, its inner coefficients as bits
 * of `a`, and the first `degree` direction numbers m_j (odd, below 2^j): Joe and Kuo's rows for dimensions 2 to 16. */
static const struct {
  int degree;
  uint32_t a, m[6];
} rows[PKI_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
};

/* v_j = m_j / 2^j as fractions of 2^32, by  m_j = xor_k 2^k a_k m_(j-k)  xor m_(j-degree)  for the rest. */
static void sobol_directions(int dimension, uint32_t v[PKI_SOBOL_BITS])
{
  if (dimension == 0) {
    for (int j = 0; j < PKI_SOBOL_BITS; j++) {
      v[j] = UINT32_C(1) << (31 - j);
    }
    return;
  }
  const int s = rows[dimension - 1].degree;
  const uint32_t a = rows[dimension - 1].a;
  for (int j = 0; j < PKI_SOBOL_BITS; j++) {
    if (j < s) {
      v[j] = rows[dimension - 1].m[j] << (31 - j);
      continue;
    }
    v[j] = v[j - s] ^ (v[j - s] >> s);
    for (int k = 1; k < s; k++) {
      v[j] ^= (a >> (s - 1 - k) & 1) != 0 ? v[j - k] : 0;
    }
  }
}

uint32_t pki_sobol(uint32_t index, int dimension)
{
  uint32_t v[PKI_SOBOL_BITS], x = 0;
  sobol_directions(dimension, v);
  for (int j = 0; j < PKI_SOBOL_BITS; j++) {
    x ^= (index >> j & 1) != 0 ? v[j] : 0;
  }
  return x;
}

/* ---- numbers ---- */

/* 64 bits of (seed, what, d). */
static uint64_t bits_of(int seed, uint64_t what, int dimension)
{
  pki_random r = pki_random_seeded((uint64_t)(unsigned)seed);
  r = pki_random_seeded(pki_random_bits(&r) ^ what);
  r = pki_random_seeded(pki_random_bits(&r) ^ (uint64_t)(unsigned)dimension);
  return pki_random_bits(&r);
}

double pki_draw_unit(pki_draw draw, int seed, uint32_t index, int dimension)
{
  if (draw == PKI_DRAW_RANDOM) {
    return ((double)(bits_of(seed, index, dimension) >> 12) + 0.5) * 0x1p-52;
  }
  /* all ones is no index that is drawn: the shift has bits of its own */
  const uint32_t shift = (uint32_t)(bits_of(seed, UINT64_MAX, dimension) >> 32);
  return ((double)(pki_sobol(index, dimension) ^ shift) + 0.5) * 0x1p-32;
}

double pki_normal_below(double x)
{
  return 0.5 * erfc(-x * 0.70710678118654752440);
}

double pki_normal_quantile(double u)
{
  /* bisection: the function rises, and 2^-60 of the interval is below what a double tells apart */
  double low = -40, high = 40;
  for (int k = 0; k < 70; k++) {
    const double middle = 0.5 * (low + high);
    if (pki_normal_below(middle) < u) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return 0.5 * (low + high);
}
