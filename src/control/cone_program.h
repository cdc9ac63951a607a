/* Cone programs: the small convex problems of controllers that share forces and torques.
 *
 *   min 1/2 x' H x + g' x,   H symmetric, positive definite, dense
 *
 * over x = (b_1 .. b_m, f_1 .. f_k): numbers in boxes, lower <= b <= upper (infinite bounds are none), and contact forces of
 * three components, the normal one first, in truncated friction cones:
 *
 *   |f_T| <= mu f_N,   0 <= f_N <= limit
 *
 * The set K of all x is a product of small sets with known projections P, so x is the minimum if and only if it is a zero of
 * the natural map x - P(x - (H x + g)/d), for any scale d of each block. With d the largest diagonal number of H in
 * the block, its size is the residual that judges results:
 *
 *   residual = max_b sqrt(d_b) |x_b - P_b(x_b - (H x + g)_b / d_b)|  /  max(max_b sqrt(d_b) |x_b|, max_b |g_b| / sqrt(d_b))
 *
 * It has no unit, and rounding of H x alone is some n 1e-16 of it.
 *
 * The method is Newton's. In scaled numbers y = sqrt(d) x and with a step c below the inverse of the largest eigenvalue of H, the
 * forward-backward envelope (Patrinos and Bemporad 2013; Themelis, Stella and Patrinos 2018)
 *
 *   phi(y) = f(y) - c/2 |G|^2 + 1/(2c) |z - P(z)|^2,   G = H y + g,   z = y - c G
 *
 * has the minimum of the program for its only one, is convex because f is a convex quadratic function, and smooth:
 * its slope is (1 - c H) R(y) / c with the natural map R(y) = y - P(z). Newton's step of R,
 *
 *   (1 - Q + c Q H) d = -R,   Q in dP(z)
 *
 * is a descent direction of phi. Q is symmetric with eigenvalues q in 0 to 1 and known axes. In these axes rows with q = 0 say d = -R (the
 * bound is reached), and the others are H d + (1 - q)/(c q) d = -R/(c q): positive definite. The step is followed to where
 * the slope of phi along it vanishes; on a line R costs n operations, since H y and H d are known. For boxes alone
 * this is an active set method which changes many bounds at once and ends in the exact minimum; on curved cones it converges
 * quadratically (semismooth Newton: Qi and Sun 1993). With the active set of the last x it takes one round.
 *
 * Rounding can stop it where H is nearly singular in a direction that many bounds block. Then the fallback: the proximal point
 * method (Rockafellar 1976), x_(k+1) = argmin f(x) + rho/2 |y - y_k|^2, each of whose programs is well conditioned and solved
 * by the same rounds, with rho that falls while they succeed. It converges for every rho.
 *
 * Each lane is a program of its own. Lanes do not influence each other: a lane's result is the same to the bit whatever
 * others hold, and for every lane count. Lanes that nobody needs should repeat one that is needed. */
#ifndef PKI_CONTROL_CONE_PROGRAM_H
#define PKI_CONTROL_CONE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

enum { PKI_CONE_PROGRAM_LANES = 8 }; /* at most */

/* Numbers are lane-strided: element i of lane l of an array is [i * lanes + l]; n = boxes + 3 cones. 64-byte aligned. */
typedef struct pki_cone_program {
  int boxes, cones;
  const double *H;                /* [n][n]; of element (i, k) only k >= i is read */
  const double *g;                /* [n] */
  const double *lower, *upper;    /* [boxes], lower <= upper; NULL without boxes */
  const double *friction, *limit; /* [cones], zero or more; NULL without cones */
  double accuracy;                /* residual that is enough; 0: PKI_CONE_PROGRAM_ACCURACY */
} pki_cone_program;

/* How it went, of each lane. */
typedef struct pki_cone_result {
  double residual[PKI_CONE_PROGRAM_LANES]; /* by pki_cone_program_residual */
  int rounds[PKI_CONE_PROGRAM_LANES];      /* factorisations */
  bool fallback[PKI_CONE_PROGRAM_LANES];   /* the proximal point method was used */
} pki_cone_result;

/* A program counts as solved up to this residual; rounds aim at a hundredth of it. */
#define PKI_CONE_PROGRAM_ACCURACY 1e-10

typedef struct pki_cone_kernels {
  const char *isa;
  int lanes;
  /* x [n] holds a guess, the last solution of a program of these sizes, where `warm` is set for the lane; what it holds elsewhere
   * does not matter. What comes out lies in K. `memory` has pki_cone_program_size bytes, 64-byte aligned, in any state. */
  void (*solve)(const pki_cone_program *p, const bool *warm, double *x, void *memory, pki_cone_result *out);
} pki_cone_kernels;

/* Bytes of scratch for programs up to these sizes. */
size_t pki_cone_program_size(int boxes, int cones, int lanes);

/* The variant with the instruction set of pki_kernels_get(lanes); lanes is 1, 4 or 8. Never NULL. */
const pki_cone_kernels *pki_cone_kernels_get(int lanes);

/* The variant of a named instruction set, NULL when it is not built or the machine lacks it. */
const pki_cone_kernels *pki_cone_kernels_find(const char *isa, int lanes);

/* The judge of one lane's x, which knows no method. */
double pki_cone_program_residual(const pki_cone_program *p, int lanes, int lane, const double *x);

#endif
