/* The lane headers, compiled once for each instruction set and lane count, behind one table. */
#ifndef PK_TESTS_LANE_PROBE_H
#define PK_TESTS_LANE_PROBE_H

/* Numbers of an operation's input, in this order: vectors a b c, scalar s, matrices A B,
 * symmetric S, quaternion q, spatial f g. Lane l of number i is in[i * lanes + l]. */
enum {
  IN_a = 0,
  IN_b = 3,
  IN_c = 6,
  IN_s = 9,
  IN_A = 10,
  IN_B = 19,
  IN_S = 28,
  IN_q = 34,
  IN_f = 38,
  IN_g = 44,
  IN_COUNT = 50
};

/* Plain input, the same in every lane: vector p, matrix P. */
enum { PLAIN_p = 0, PLAIN_P = 3, PLAIN_COUNT = 12 };

/* Where each operation writes. */
enum {
  OUT_zero = 0,
  OUT_splat = 3,
  OUT_add = 6,
  OUT_sub = 9,
  OUT_scale = 12,
  OUT_add_scaled = 15,
  OUT_dot = 18,
  OUT_add_dot = 19,
  OUT_cross = 20,
  OUT_add_cross = 23,
  OUT_identity = 26,
  OUT_apply_plain = 35,
  OUT_apply = 38,
  OUT_apply_t = 41,
  OUT_cols = 44, /* A taken apart into columns and put together again */
  OUT_mul_plain = 53,
  OUT_mul = 62,
  OUT_from_quat = 71,
  OUT_sym_apply = 80,
  OUT_sym_rotate = 83,
  OUT_v6_zero = 89,
  OUT_v6_add = 95,
  OUT_v6_dot = 101,
  OUT_v6_add_scaled = 102,
  OUT_to_foot = 108,
  OUT_to_tip = 114,
  OUT_solve = 120,  /* (S + 4) x = b */
  OUT_choose = 123, /* a where a.x < b.x, else b; and else 0 */
  OUT_COUNT = 129
};

/* Results of the few masked operations on lanes a and b. */
typedef struct lane_basics {
  double splat[8], lane[8], set[8], select[8], abs[8], sqrt[8], bits[8], min[8], max[8], clamp[8], round[8],
      floor[8], mask[8];
  long long less[8];
  int any_less;
} lane_basics;

typedef struct lane_probe {
  const char *isa;
  int lanes;
  void (*basics)(const double *a, const double *b, lane_basics *out);
  void (*sincos)(const double *x, double *s, double *c);
  void (*exp)(const double *x, double *y);
  void (*atan2)(const double *y, const double *x, double *angle);
  void (*operations)(const double *in, const double *plain, double *out);
} lane_probe;

#endif
