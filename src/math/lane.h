/* The lane type: one number in each of PKI_LANES worlds. This header is the only one that knows
 * about vectors; kernels are ordinary arithmetic on pk_r, compiled once for each instruction
 * set and lane count (cmake/kernels.cmake). Nothing here depends on the lane count but the
 * type, so every lane of every count rounds alike. */
#ifndef PKI_MATH_LANE_H
#define PKI_MATH_LANE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef PKI_LANES
#define PKI_LANES 1
#endif
#ifndef PKI_ISA
#define PKI_ISA base
#endif

/* pk_r: a real in each lane; pk_i: the same bits as unsigned integers, for masks and signs. */
#if PKI_LANES == 1
typedef double pk_r;
typedef uint64_t pk_i;
#else
typedef double pk_r __attribute__((vector_size(8 * PKI_LANES)));
typedef uint64_t pk_i __attribute__((vector_size(8 * PKI_LANES)));
#endif

/* Small pieces of kernels: structs of lanes pass through registers only when inlined. */
#define PKI_INLINE static inline __attribute__((always_inline))

/* Before a loop: where its count is known when it is compiled, it is written out; PKI_UNROLL_ALL: however long it is then. */
#ifdef __clang__
#define PKI_UNROLL _Pragma("clang loop unroll(enable) vectorize(disable)")
#define PKI_UNROLL_ALL _Pragma("clang loop unroll(full)")
#else
#define PKI_UNROLL _Pragma("GCC unroll 8")
#define PKI_UNROLL_ALL _Pragma("GCC unroll 16")
#endif

/* PKI_NAME(rnea) is pki_rnea_avx2_4 in the variant for AVX2 and 4 lanes. */
#define PKI_PASTE_(name, isa, lanes) pki_##name##_##isa##_##lanes
#define PKI_PASTE(name, isa, lanes) PKI_PASTE_(name, isa, lanes)
#define PKI_NAME(name) PKI_PASTE(name, PKI_ISA, PKI_LANES)

/* "avx2" in that variant. */
#define PKI_QUOTE_(x) #x
#define PKI_QUOTE(x) PKI_QUOTE_(x)
#define PKI_ISA_NAME PKI_QUOTE(PKI_ISA)

static inline pk_i pki_bits(pk_r x)
{
  pk_i i;
  memcpy(&i, &x, sizeof i);
  return i;
}

static inline pk_r pki_from_bits(pk_i i)
{
  pk_r x;
  memcpy(&x, &i, sizeof x);
  return x;
}

/* The same number in every lane. */
static inline pk_r pki_splat(double x)
{
#if PKI_LANES == 1
  return x;
#else
  return x - (pk_r){0};
#endif
}

static inline double pki_lane(pk_r x, int lane)
{
#if PKI_LANES == 1
  (void)lane;
  return x;
#else
  return x[lane];
#endif
}

static inline void pki_set_lane(pk_r *x, int lane, double value)
{
#if PKI_LANES == 1
  (void)lane;
  *x = value;
#else
  (*x)[lane] = value;
#endif
}

/* All ones where a < b, all zeros elsewhere. */
static inline pk_i pki_less(pk_r a, pk_r b)
{
#if PKI_LANES == 1
  return -(uint64_t)(a < b);
#else
  return (pk_i)(a < b);
#endif
}

/* a where the mask is set, b elsewhere. */
static inline pk_r pki_select(pk_i mask, pk_r a, pk_r b)
{
  return pki_from_bits((pki_bits(a) & mask) | (pki_bits(b) & ~mask));
}

static inline pk_i pki_mask_none(void)
{
  return pki_bits(pki_splat(0));
}

static inline pk_i pki_mask_all(void)
{
  return ~pki_mask_none();
}

/* All ones where a <= b. */
static inline pk_i pki_at_most(pk_r a, pk_r b)
{
#if PKI_LANES == 1
  return -(uint64_t)(a <= b);
#else
  return (pk_i)(a <= b);
#endif
}

/* x where the mask is set, zero elsewhere. */
static inline pk_r pki_where_set(pk_i mask, pk_r x)
{
  return pki_from_bits(pki_bits(x) & mask);
}

static inline pk_i *pki_masks(uint64_t *array)
{
  return (pk_i *)(void *)array;
}

static inline void pki_set_mask(pk_i *mask, int lane, bool on)
{
#if PKI_LANES == 1
  (void)lane;
  *mask = -(uint64_t)on;
#else
  (*mask)[lane] = -(uint64_t)on;
#endif
}

static inline int pki_any(pk_i mask)
{
#if PKI_LANES == 1
  return mask != 0;
#else
  uint64_t any = 0;
  for (int l = 0; l < PKI_LANES; l++) {
    any |= mask[l];
  }
  return any != 0;
#endif
}

static inline pk_r pki_abs(pk_r x)
{
  return pki_from_bits(pki_bits(x) & (uint64_t)INT64_MAX);
}

static inline pk_r pki_sqrt(pk_r x)
{
#if PKI_LANES == 1
  return sqrt(x);
#else
  pk_r y = x;
  for (int l = 0; l < PKI_LANES; l++) {
    y[l] = sqrt(x[l]);
  }
  return y;
#endif
}

/* Numbers of single worlds to lanes and back: lane l of to[k] = from[l][k], and to[l][k] = lane l of from[k], k < n. Four lanes
 * at a time are turned as blocks of four by four. */
#if PKI_LANES > 1
typedef double pki_four __attribute__((vector_size(32)));

static inline pki_four pki_four_at(const double *p)
{
  pki_four x;
  memcpy(&x, p, sizeof x);
  return x;
}

static inline void pki_turn_four(pki_four x[4])
{
  const pki_four a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
  const pki_four b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
  const pki_four c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6);
  const pki_four d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
  x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
#endif

static inline void pki_gather(const double *const *from, int n, double *to)
{
  int k = 0;
#if PKI_LANES > 1
  for (; k + 4 <= n; k += 4) {
    for (int l = 0; l < PKI_LANES; l += 4) {
      pki_four x[4] = {pki_four_at(from[l] + k), pki_four_at(from[l + 1] + k), pki_four_at(from[l + 2] + k),
                       pki_four_at(from[l + 3] + k)};
      pki_turn_four(x);
      for (int e = 0; e < 4; e++) {
        memcpy(to + (k + e) * PKI_LANES + l, &x[e], sizeof x[e]);
      }
    }
  }
#endif
  for (; k < n; k++) {
    for (int l = 0; l < PKI_LANES; l++) {
      to[k * PKI_LANES + l] = from[l][k];
    }
  }
}

static inline void pki_scatter(const double *from, int n, double *const *to)
{
  int k = 0;
#if PKI_LANES > 1
  for (; k + 4 <= n; k += 4) {
    for (int l = 0; l < PKI_LANES; l += 4) {
      pki_four x[4];
      for (int e = 0; e < 4; e++) {
        x[e] = pki_four_at(from + (k + e) * PKI_LANES + l);
      }
      pki_turn_four(x);
      for (int e = 0; e < 4; e++) {
        memcpy(to[l + e] + k, &x[e], sizeof x[e]);
      }
    }
  }
#endif
  for (; k < n; k++) {
    for (int l = 0; l < PKI_LANES; l++) {
      to[l][k] = from[k * PKI_LANES + l];
    }
  }
}

static inline pk_r pki_min(pk_r a, pk_r b)
{
  return pki_select(pki_less(a, b), a, b);
}

static inline pk_r pki_max(pk_r a, pk_r b)
{
  return pki_select(pki_less(a, b), b, a);
}

/* What is not a number stays so. */
static inline pk_r pki_clamp(pk_r x, pk_r least, pk_r most)
{
  const pk_r up = pki_select(pki_less(x, least), least, x);
  return pki_select(pki_less(most, up), most, up);
}

/* The nearest whole number, of halves the even one; |x| below 2^51. */
static inline pk_r pki_round(pk_r x)
{
  const double shift = 6755399441055744.0; /* 1.5 * 2^52 */
  return (x + shift) - shift;
}

/* The largest whole number that is not above x; |x| below 2^51. */
static inline pk_r pki_floor(pk_r x)
{
  const pk_r nearest = pki_round(x);
  return nearest - pki_where_set(pki_less(x, nearest), pki_splat(1));
}

/* exp, of numbers in -708 to 709; others are taken for the nearer end. x = k ln 2 + r with ln 2 in two parts, and fdlibm's
 * rational approximation of exp(r) (Sun Microsystems 2004): the error stays below one unit in the last place. */
static inline pk_r pki_exp(pk_r x)
{
  const double shift = 6755399441055744.0, ln2_high = 6.93147180369123816490e-01,
               ln2_low = 1.90821492927058770002e-10;
  const pk_r in = pki_clamp(x, pki_splat(-708), pki_splat(709));
  const pk_r shifted = in * 1.44269504088896338700 + shift;
  const pk_r k = shifted - shift;
  const pk_r high = in - k * ln2_high, low = k * ln2_low;
  const pk_r r = high - low, t = r * r;
  const pk_r c = r - t * (1.66666666666666019037e-01 +
                          t * (-2.77777777770155933842e-03 +
                               t * (6.61375632143793436117e-05 +
                                    t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  const pk_r y = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
  return y * pki_from_bits((pki_bits(shifted) + 1023) << 52);
}

/* The angle of the point (x, y) from the x axis, -pi to pi; 0 at the origin. The smaller of |x|, |y| over the larger one,
 * again halved about pi/8, is at most tan(pi/8), where fdlibm's polynomial holds (Sun Microsystems 1993). The error stays
 * below 5.5e-16. The sign of a zero y is lost, x = -0 is 0, infinite ones give what is not a number. */
static inline pk_r pki_atan2(pk_r y, pk_r x)
{
  const double half_pi = 1.57079632679489655800, half_pi_low = 6.12323399573676603587e-17;
  const double quarter_pi = 7.85398163397448278999e-01, quarter_pi_low = 3.06161699786838301793e-17;
  const pk_r ax = pki_abs(x), ay = pki_abs(y);
  const pk_r zero = pki_splat(0);
  const pk_i steep = pki_less(ax, ay);
  const pk_r small = pki_select(steep, ax, ay), large = pki_select(steep, ay, ax);
  /* t = small/large, or (t - 1)/(t + 1) beyond tan(pi/8) */
  const pk_i far = pki_less(large * 0.41421356237309504880, small);
  const pk_r top = pki_select(far, small - large, small), bottom = pki_select(far, small + large, large);
  const pk_i origin = ~pki_less(bottom, zero) & ~pki_less(zero, bottom);
  const pk_r t = top / pki_select(origin, pki_splat(1), bottom);
  const pk_r z = t * t, w = z * z;
  const pk_r odd = z * (3.33333333333329318027e-01 +
                        w * (1.42857142725034663711e-01 +
                             w * (9.09088713343650656196e-02 +
                                  w * (6.66107313738753120669e-02 +
                                       w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
  const pk_r even = w * (-1.99999999998764832476e-01 +
                         w * (-1.11111104054623557880e-01 +
                              w * (-7.69187620504482999495e-02 +
                                   w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
  pk_r angle = pki_select(far, pki_splat(quarter_pi), zero) +
               (t - (t * (odd + even) - pki_select(far, pki_splat(quarter_pi_low), zero)));
  angle = pki_select(steep, half_pi - (angle - half_pi_low), angle);
  angle = pki_select(pki_less(x, zero), 2 * half_pi - (angle - 2 * half_pi_low), angle);
  return pki_select(pki_less(y, zero), -angle, angle);
}

/* sin and cos together. The argument is reduced by pi/2 in three parts of 33 bits, exact up to
 * 2^20 quarter turns; beyond that the C library takes over, lane by lane. On the reduced
 * interval |r| <= pi/4 the minimax polynomials are those of fdlibm (Sun Microsystems 1993).
 * The error stays below 1.5e-16 up to 1000 rad and below 2e-16 beyond; the sign of a zero is lost. */
static inline void pki_sincos(pk_r x, pk_r *sin_x, pk_r *cos_x)
{
  const double two_over_pi = 6.36619772367581382433e-01;
  const double p1 = 1.57079632673412561417e+00, p2 = 6.07710050630396597660e-11,
               p3 = 2.02226624879595063154e-21;
  const double shift = 6755399441055744.0; /* 1.5 * 2^52: adding it leaves the integer in the low bits */

  const pk_r shifted = x * two_over_pi + shift;
  const pk_i k = pki_bits(shifted);
  const pk_r n = shifted - shift;
  const pk_r r = ((x - n * p1) - n * p2) - n * p3;
  const pk_r z = r * r;

  const pk_r ps = -1.66666666666666324348e-01 +
                  z * (8.33333333332248946124e-03 +
                       z * (-1.98412698298579493134e-04 +
                            z * (2.75573137070700676789e-06 +
                                 z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))));
  const pk_r pc = 4.16666666666666019037e-02 +
                  z * (-1.38888888888741095749e-03 +
                       z * (2.48015872894767294178e-05 +
                            z * (-2.75573143513906633035e-07 +
                                 z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))));
  const pk_r s = r + r * z * ps;
  const pk_r c = 1.0 - (0.5 * z - z * z * pc);

  /* quadrant: odd ones swap sin and cos, the sign follows from the second bit */
  const pk_i swap = 0 - (k & 1);
  const pk_i sin_sign = (k & 2) << 62, cos_sign = ((k + 1) & 2) << 62;
  *sin_x = pki_from_bits(pki_bits(pki_select(swap, c, s)) ^ sin_sign);
  *cos_x = pki_from_bits(pki_bits(pki_select(swap, s, c)) ^ cos_sign);

  const pk_i far = pki_less(pki_splat(1.6e6), pki_abs(x));
  if (__builtin_expect(pki_any(far), 0)) {
    for (int l = 0; l < PKI_LANES; l++) {
      const double xl = pki_lane(x, l);
      if (fabs(xl) > 1.6e6) {
        pki_set_lane(sin_x, l, sin(xl));
        pki_set_lane(cos_x, l, cos(xl));
      }
    }
  }
}

#endif
