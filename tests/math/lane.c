/* The lane type: every instruction set and lane count gives what plain doubles give. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "dynamics/kernels.h"
#include "math/lane_probe.h"
#include "math/variants.h"
#include "support/bounds.h"

PKI_DECLARE_VARIANTS(lane_probe, lane_probe)

/* The variants of one instruction set stand together, the one-lane variant first. */
static const lane_probe *const compiled[] = {PKI_VARIANTS(lane_probe)};
enum { COMPILED = sizeof compiled / sizeof compiled[0] };

/* NULL where this machine cannot run the variant. */
static const lane_probe *probe(int i)
{
  return pki_kernels_find(compiled[i]->isa, compiled[i]->lanes) ? compiled[i] : NULL;
}

static int same_bits(const double *a, const double *b, int n)
{
  return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static void masks_select_lane_by_lane(void **state)
{
  (void)state;
  const double a[8] = {1, -2, 3, -0.0, NAN, 5, INFINITY, 7}, b[8] = {2, -3, 3, 0.0, 1, NAN, 8, INFINITY};
  const int less[8] = {1, 0, 0, 0, 0, 0, 0, 1};
  for (int i = 0; i < COMPILED; i++) {
    const lane_probe *p = probe(i);
    for (int first = 0; p != NULL && first + p->lanes <= 8; first += p->lanes) {
      lane_basics out;
      memset(&out, 0xee, sizeof out);
      p->basics(a + first, b + first, &out);
      int any = 0;
      for (int l = 0; l < p->lanes; l++) {
        const int k = first + l;
        any |= less[k];
        assert_int_equal(out.less[l], less[k] ? -1 : 0);
        assert_true(same_bits(&out.select[l], less[k] ? &a[k] : &b[k], 1));
        assert_true(same_bits(&out.splat[l], &a[first], 1));
        assert_true(same_bits(&out.lane[l], &a[k], 1));
        assert_true(same_bits(&out.bits[l], &a[k], 1));
        assert_true(isnan(b[k]) ? isnan(out.set[l]) : out.set[l] == b[k] + l);
        const double magnitude = fabs(a[k]);
        assert_true(same_bits(&out.abs[l], &magnitude, 1));
        assert_true(isnan(a[k]) ? isnan(out.sqrt[l]) : out.sqrt[l] == sqrt(magnitude));
        assert_true(same_bits(&out.min[l], a[k] < b[k] ? &a[k] : &b[k], 1));
        assert_true(same_bits(&out.max[l], a[k] < b[k] ? &b[k] : &a[k], 1));
        assert_true(same_bits(&out.mask[l], l % 2 ? &a[k] : &b[k], 1));
        assert_true(isnan(a[k]) ? isnan(out.clamp[l]) : out.clamp[l] == fmax(-1.5, fmin(4, a[k])));
        assert_true(!isfinite(a[k]) || out.round[l] == rint(1.3 * a[k]));
        assert_true(!isfinite(a[k]) || out.floor[l] == floor(1.3 * a[k]));
      }
      assert_int_equal(out.any_less != 0, any);
    }
  }
}

/* Worst errors of sin and cos, of a variant, over x[n] (n a multiple of 8). */
static double worst_error(const lane_probe *p, const double *x, int n)
{
  double s[8], c[8], worst = 0;
  for (int i = 0; i < n; i += p->lanes) {
    p->sincos(x + i, s, c);
    for (int l = 0; l < p->lanes; l++) {
      const long double es = s[l] - sinl(x[i + l]), ec = c[l] - cosl(x[i + l]);
      assert_false(isnan(s[l]) || isnan(c[l]));
      worst = fmax(worst, (double)fmaxl(fabsl(es), fabsl(ec)));
    }
  }
  return worst;
}

enum { SWEEP = 160000 };

/* The worst over all variants that run here; all lanes of all counts must give the same bits. */
static double worst_of_all(const double *x)
{
  double worst = 0;
  for (int i = 0; i < COMPILED; i++) {
    const lane_probe *p = probe(i), *one = compiled[i / 3 * 3];
    if (p == NULL) {
      continue;
    }
    worst = fmax(worst, p->lanes == 1 ? worst_error(p, x, SWEEP) : 0);
    for (int k = 0; k < SWEEP; k += p->lanes) {
      double s[8], c[8], s1, c1;
      p->sincos(x + k, s, c);
      for (int l = 0; l < p->lanes; l++) {
        one->sincos(x + k + l, &s1, &c1);
        assert_true(same_bits(&s1, &s[l], 1) && same_bits(&c1, &c[l], 1));
      }
    }
  }
  return worst;
}

static void sin_and_cos_are_exact_to_a_rounding_near_zero_turns(void **state)
{
  (void)state;
  double *x = malloc(SWEEP * sizeof *x);
  for (int i = 0; i < SWEEP; i++) {
    x[i] = -10 + 20.0 * i / (SWEEP - 1);
  }
  double worst = worst_of_all(x);
  pki_random rng = pki_random_seeded(1);
  for (int i = 0; i < SWEEP; i++) {
    x[i] = pki_random_between(&rng, -1000, 1000);
  }
  worst = fmax(worst, worst_of_all(x));
  print_message("worst error up to 1000 rad: %.3g\n", worst);
  assert_less(worst, 1.5e-16);
  free(x);
}

static void sin_and_cos_are_exact_to_a_rounding_up_to_a_million(void **state)
{
  (void)state;
  double *x = malloc(SWEEP * sizeof *x);
  pki_random rng = pki_random_seeded(2);
  for (int i = 0; i < SWEEP; i++) {
    x[i] = pki_random_between(&rng, -1.6e6, 1.6e6);
  }
  const double worst = worst_of_all(x);
  print_message("worst error up to 1.6e6 rad: %.3g\n", worst);
  assert_less(worst, 2e-16);
  free(x);
}

/* Around k pi/2 one of the two crosses zero, around k pi/2 + pi/4 the reduction changes its
 * mind; there the last places of pi count. */
static void quarter_turns_keep_their_accuracy(void **state)
{
  (void)state;
  const long double eighth = 0.78539816339744830961566084581987572L;
  double *x = malloc(SWEEP * sizeof *x);
  pki_random rng = pki_random_seeded(3);
  for (int i = 0; i < SWEEP; i++) {
    const int most = i % 2 ? 40 : 2037000;
    const long double centre = eighth * (long double)(int)pki_random_between(&rng, -most, most);
    x[i] = (double)(centre + pki_random_between(&rng, -1, 1) * pow(10, pki_random_between(&rng, -17, -1)));
  }
  assert_less(worst_of_all(x), 2e-16);
  /* the one that nearly vanishes is right relative to itself */
  const lane_probe *one = compiled[0];
  for (int i = 0; i < SWEEP; i++) {
    const int k = 1 + i * 6;
    const double at = (double)(2 * eighth * k);
    double s, c;
    one->sincos(&at, &s, &c);
    const long double exact = k % 2 ? cosl(at) : sinl(at);
    assert_less(fabsl((k % 2 ? c : s) - exact), 2e-16L * fabsl(exact));
  }
  free(x);
}

static void tiny_angles_are_their_own_sines(void **state)
{
  (void)state;
  for (int i = 0; i < COMPILED; i++) {
    const lane_probe *p = probe(i);
    for (double x = 1e-9; p != NULL && x > 1e-300; x *= 0.1) {
      const double pair[8] = {x, -x, x, -x, x, -x, x, -x};
      double s[8], c[8];
      p->sincos(pair, s, c);
      assert_true(s[0] == x && c[0] == 1);
      assert_true(p->lanes == 1 || s[1] == -x);
    }
  }
}

static void zero_and_what_is_no_angle_stay_what_they_are(void **state)
{
  (void)state;
  const double x[8] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1, DBL_MAX, -DBL_MAX};
  for (int i = 0; i < COMPILED; i++) {
    const lane_probe *p = probe(i);
    for (int first = 0; p != NULL && first < 8; first += p->lanes) {
      double s[8], c[8];
      p->sincos(x + first, s, c);
      for (int l = 0; l < p->lanes; l++) {
        const double at = x[first + l];
        const int finite = isfinite(at);
        assert_true(finite ? fabs(s[l] - sin(at)) < 2e-16 : isnan(s[l]));
        assert_true(finite ? fabs(c[l] - cos(at)) < 2e-16 : isnan(c[l]));
        assert_true(at != 0 || (s[l] == 0 && c[l] == 1));
      }
    }
  }
}

/* Beyond 1.6e6 the C library computes; a lane beside one that is far keeps its own bits. */
static void far_angles_go_to_the_c_library_lane_by_lane(void **state)
{
  (void)state;
  const double x[8] = {0.5, 1.7e6, -1.7e6, 1.5999e6, 1e15, -3, 1e300, 1.6e6};
  for (int i = 0; i < COMPILED; i++) {
    const lane_probe *p = probe(i), *one = compiled[i / 3 * 3];
    for (int first = 0; p != NULL && first < 8; first += p->lanes) {
      double s[8], c[8], s1, c1;
      p->sincos(x + first, s, c);
      for (int l = 0; l < p->lanes; l++) {
        one->sincos(x + first + l, &s1, &c1);
        assert_true(same_bits(&s1, &s[l], 1) && same_bits(&c1, &c[l], 1));
        const int far = fabs(x[first + l]) > 1.6e6;
        assert_true(!far || (s[l] == sin(x[first + l]) && c[l] == cos(x[first + l])));
      }
    }
  }
}

/* Worst error of exp relative to itself and of atan2, over x[n] and y[n]; all lanes of all counts give the same bits. */
static void worst_of_exp_and_atan2(const double *x, const double *y, int n, double worst[2])
{
  for (int i = 0; i < COMPILED; i++) {
    const lane_probe *p = probe(i), *one = compiled[i / 3 * 3];
    for (int k = 0; p != NULL && k < n; k += p->lanes) {
      double e[8], a[8], e1, a1;
      p->exp(x + k, e);
      p->atan2(y + k, x + k, a);
      for (int l = 0; l < p->lanes; l++) {
        const double xl = x[k + l], yl = y[k + l];
        one->exp(&xl, &e1);
        one->atan2(&yl, &xl, &a1);
        assert_true(same_bits(&e1, &e[l], 1) && same_bits(&a1, &a[l], 1));
        worst[0] = fmax(worst[0], (double)fabsl(e1 / expl(xl) - 1));
        worst[1] = fmax(worst[1], (double)fabsl(a1 - atan2l(yl, xl)));
      }
    }
  }
}

static void exp_and_atan2_are_exact_to_a_few_roundings(void **state)
{
  (void)state;
  double *x = malloc(2 * SWEEP * sizeof *x), *y = x + SWEEP, worst[2] = {0, 0};
  pki_random rng = pki_random_seeded(6);
  for (int round = 0; round < 3; round++) {
    const double size = round == 0 ? 1 : round == 1 ? 30 : 700;
    for (int i = 0; i < SWEEP; i++) {
      x[i] = pki_random_between(&rng, -size, size);
      y[i] = pki_random_between(&rng, -size, size) * (i % 3 == 0 ? 1e-6 : i % 3 == 1 ? 1 : 1e5);
    }
    worst_of_exp_and_atan2(x, y, SWEEP, worst);
  }
  print_message("worst error of exp %.3g of itself, of atan2 %.3g rad\n", worst[0], worst[1]);
  assert_less(worst[0], 2.2e-16);
  assert_less(worst[1], 5.5e-16);
  free(x);
}

static void exp_and_atan2_know_their_corners(void **state)
{
  (void)state;
  const double pi = 3.14159265358979323846;
  const double x[8] = {0, -708, 709, 1e6, -INFINITY, NAN, 1, -0.0}, big = exp(709), small = exp(-708);
  const double exps[8] = {1, small, big, big, small, NAN, exp(1), 1};
  const double py[8] = {0, 0, 1, -1, 0, 1, -1, NAN}, px[8] = {1, -1, 0, 0, 0, 1, -1, 1};
  const double angles[8] = {0, pi, pi / 2, -pi / 2, 0, pi / 4, -0.75 * pi, NAN};
  for (int i = 0; i < COMPILED; i++) {
    const lane_probe *p = probe(i);
    for (int first = 0; p != NULL && first < 8; first += p->lanes) {
      double e[8], a[8];
      p->exp(x + first, e);
      p->atan2(py + first, px + first, a);
      for (int l = 0; l < p->lanes; l++) {
        const double to = exps[first + l], angle = angles[first + l];
        assert_true(isnan(to) ? isnan(e[l]) : fabs(e[l] - to) <= 2.2e-16 * to);
        assert_true(isnan(angle) ? isnan(a[l]) : fabs(a[l] - angle) < 5.5e-16);
      }
    }
  }
}

static void vector_operations_give_the_bits_of_plain_doubles(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(4);
  static double in1[8][IN_COUNT], out1[8][OUT_COUNT], in[8 * IN_COUNT], out[8 * OUT_COUNT];
  for (int round = 0; round < 2000; round++) {
    double plain[PLAIN_COUNT];
    for (int e = 0; e < PLAIN_COUNT; e++) {
      plain[e] = pki_random_normal(&rng);
    }
    for (int e = 0; e < 8 * IN_COUNT; e++) {
      in1[e / IN_COUNT][e % IN_COUNT] = pki_random_normal(&rng) * pow(10, pki_random_between(&rng, -3, 3));
    }
    for (int i = 0; i < COMPILED; i++) {
      const lane_probe *p = probe(i), *one = compiled[i / 3 * 3];
      if (p == NULL) {
        continue;
      }
      memset(out, 0xff, sizeof out);
      for (int l = 0; l < p->lanes; l++) {
        one->operations(in1[l], plain, out1[l]);
        for (int e = 0; e < IN_COUNT; e++) {
          in[e * p->lanes + l] = in1[l][e];
        }
      }
      p->operations(in, plain, out);
      for (int e = 0; e < OUT_COUNT * p->lanes; e++) {
        assert_true(same_bits(&out[e], &out1[e % p->lanes][e / p->lanes], 1));
      }
    }
  }
}

/* ---- the same operations by their definitions, in long double ---- */

typedef long double real;

static void define_cross(const real *a, const real *b, real *out)
{
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = a[j] * b[k] - a[k] * b[j];
  }
}

/* out[n][m] = A[n][k] B[k][m] */
static void define_mul(const real *A, const real *B, int n, int k, int m, real *out)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      out[i * m + j] = 0;
      for (int e = 0; e < k; e++) {
        out[i * m + j] += A[i * k + e] * B[e * m + j];
      }
    }
  }
}

static void define_transpose(const real *A, real *out)
{
  for (int i = 0; i < 9; i++) {
    out[i] = A[i % 3 * 3 + i / 3];
  }
}

/* R v = v + 2 w (e x v) + 2 e x (e x v) for the unit quaternion (w, e). */
static void define_quat(const real *q, real *R)
{
  const real norm = sqrtl(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const real w = q[0] / norm, e[3] = {q[1] / norm, q[2] / norm, q[3] / norm};
  for (int k = 0; k < 3; k++) {
    const real v[3] = {k == 0, k == 1, k == 2};
    real once[3], twice[3];
    define_cross(e, v, once);
    define_cross(e, once, twice);
    for (int i = 0; i < 3; i++) {
      R[3 * i + k] = v[i] + 2 * w * once[i] + 2 * twice[i];
    }
  }
}

/* (S + 4) x = b: by cofactors */
static void define_solve(const real *S, const real *b, real *x)
{
  real rows[3][3], cross[3][3], det = 0;
  for (int i = 0; i < 9; i++) {
    rows[i / 3][i % 3] = S[i] + (i % 4 == 0 ? 4 : 0);
  }
  for (int i = 0; i < 3; i++) {
    define_cross(rows[(i + 1) % 3], rows[(i + 2) % 3], cross[i]);
  }
  for (int i = 0; i < 3; i++) {
    det += rows[0][i] * cross[0][i];
  }
  for (int i = 0; i < 3; i++) {
    x[i] = (b[0] * cross[0][i] + b[1] * cross[1][i] + b[2] * cross[2][i]) / det;
  }
}

static void define_matrices(const real *n, const real *p, real *out)
{
  const real *b = n + IN_b, *A = n + IN_A, *e = n + IN_S;
  const real S[9] = {e[0], e[1], e[2], e[1], e[3], e[4], e[2], e[4], e[5]};
  real T[9], At[9], full[9];
  define_transpose(A, At);
  for (int i = 0; i < 9; i++) {
    out[OUT_identity + i] = i % 4 == 0;
    out[OUT_cols + i] = A[i];
  }
  define_mul(A, p + PLAIN_p, 3, 3, 1, out + OUT_apply_plain);
  define_mul(A, b, 3, 3, 1, out + OUT_apply);
  define_mul(At, b, 3, 3, 1, out + OUT_apply_t);
  define_mul(A, p + PLAIN_P, 3, 3, 3, out + OUT_mul_plain);
  define_mul(A, n + IN_B, 3, 3, 3, out + OUT_mul);
  define_quat(n + IN_q, out + OUT_from_quat);
  define_mul(S, b, 3, 3, 1, out + OUT_sym_apply);
  define_mul(A, S, 3, 3, 3, T);
  define_mul(T, At, 3, 3, 3, full);
  define_solve(S, b, out + OUT_solve);
  static const int entry[6] = {0, 1, 2, 4, 5, 8};
  for (int i = 0; i < 6; i++) {
    out[OUT_sym_rotate + i] = full[entry[i]];
  }
}

static void define_vectors(const real *n, const real *p, real *out)
{
  const real *a = n + IN_a, *b = n + IN_b, *c = n + IN_c, *f = n + IN_f, *g = n + IN_g, s = n[IN_s];
  real axb[3], axf[3], fxa[3];
  define_cross(a, b, axb);
  define_cross(a, f + 3, axf);
  define_cross(f, a, fxa);
  out[OUT_dot] = out[OUT_v6_dot] = 0;
  for (int i = 0; i < 3; i++) {
    out[OUT_zero + i] = 0;
    out[OUT_choose + i] = a[0] < b[0] ? a[i] : b[i];
    out[OUT_choose + 3 + i] = a[0] < b[0] ? a[i] : 0;
    out[OUT_splat + i] = p[PLAIN_p + i];
    out[OUT_add + i] = a[i] + b[i];
    out[OUT_sub + i] = a[i] - b[i];
    out[OUT_scale + i] = s * a[i];
    out[OUT_add_scaled + i] = c[i] + s * a[i];
    out[OUT_dot] += a[i] * b[i];
    out[OUT_cross + i] = axb[i];
    out[OUT_add_cross + i] = c[i] + axb[i];
    out[OUT_to_foot + i] = f[i] + axf[i];
    out[OUT_to_foot + 3 + i] = f[3 + i];
    out[OUT_to_tip + i] = f[i];
    out[OUT_to_tip + 3 + i] = f[3 + i] + fxa[i];
  }
  out[OUT_add_dot] = s + out[OUT_dot];
  for (int i = 0; i < 6; i++) {
    out[OUT_v6_zero + i] = 0;
    out[OUT_v6_add + i] = f[i] + g[i];
    out[OUT_v6_dot] += f[i] * g[i];
    out[OUT_v6_add_scaled + i] = f[i] + s * g[i];
  }
}

static void vector_operations_are_what_their_names_say(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(5);
  for (int round = 0; round < 1000; round++) {
    double in[IN_COUNT], plain[PLAIN_COUNT], out[OUT_COUNT];
    real n[IN_COUNT], p[PLAIN_COUNT], expected[OUT_COUNT];
    for (int e = 0; e < IN_COUNT; e++) {
      n[e] = in[e] = pki_random_between(&rng, -1, 1);
    }
    for (int e = 0; e < PLAIN_COUNT; e++) {
      p[e] = plain[e] = pki_random_between(&rng, -1, 1);
    }
    define_vectors(n, p, expected);
    define_matrices(n, p, expected);
    for (int i = 0; i < COMPILED; i += 3) {
      if (probe(i) == NULL) {
        continue;
      }
      compiled[i]->operations(in, plain, out);
      for (int e = 0; e < OUT_COUNT; e++) {
        assert_less(fabsl(out[e] - expected[e]), 4e-15L);
      }
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masks_select_lane_by_lane),
      cmocka_unit_test(sin_and_cos_are_exact_to_a_rounding_near_zero_turns),
      cmocka_unit_test(sin_and_cos_are_exact_to_a_rounding_up_to_a_million),
      cmocka_unit_test(quarter_turns_keep_their_accuracy),
      cmocka_unit_test(tiny_angles_are_their_own_sines),
      cmocka_unit_test(zero_and_what_is_no_angle_stay_what_they_are),
      cmocka_unit_test(far_angles_go_to_the_c_library_lane_by_lane),
      cmocka_unit_test(exp_and_atan2_are_exact_to_a_few_roundings),
      cmocka_unit_test(exp_and_atan2_know_their_corners),
      cmocka_unit_test(vector_operations_give_the_bits_of_plain_doubles),
      cmocka_unit_test(vector_operations_are_what_their_names_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
