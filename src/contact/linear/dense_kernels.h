/* Dense linear algebra of the contact solvers, compiled once for each instruction set (kernels/dense_kernel.c) and
 * chosen at run time. Results are the same bits for one instruction set, not between them.
 *
 * Matrices are row-major with rows of `stride` numbers, pki_dense_stride(n), aligned to 64 bytes. Columns n .. stride
 * hold zeros. A factorisation ends with false when `timer` (NULL: none) expires on the way. */
#ifndef PKI_CONTACT_LINEAR_DENSE_KERNELS_H
#define PKI_CONTACT_LINEAR_DENSE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/timer.h"

/* Numbers that a row is a multiple of: one cache line. */
enum { PKI_DENSE_LINE = 8 };

static inline size_t pki_dense_stride(int n)
{
  return ((size_t)n + PKI_DENSE_LINE - 1) / PKI_DENSE_LINE * PKI_DENSE_LINE;
}

typedef struct pki_dense_kernels {
  const char *isa;
  /* out [rows] = A [rows][stride] x, x [stride] padded with zeros. */
  void (*multiply)(const double *A, int rows, size_t stride, const double *x, double *out);
  /* A = L U without pivots, L unit below the diagonal. `line` [4 stride] is scratch, `inverse` [n] the reciprocal
   * pivots. False when a pivot is not a number or below `least` in size. */
  bool (*factor)(double *A, int n, size_t stride, double least, double *line, double *inverse,
                 pki_timer *timer);
  /* b := inv(A) b; b [stride]. */
  void (*solve)(const double *A, int n, size_t stride, const double *inverse, double *b);
  /* A = U' D U of a symmetric positive A, of which the upper half is read; U unit above the diagonal, times D. False
   * when a pivot is not positive. */
  bool (*factor_symmetric)(double *A, int n, size_t stride, double *line, double *inverse, pki_timer *timer);
  void (*solve_symmetric)(const double *A, int n, size_t stride, const double *inverse, double *b);
  /* P A = L U with partial pivoting; pivot[k] is the row that came to k. False when singular. */
  bool (*factor_pivoted)(double *A, int n, size_t stride, double *line, double *inverse, int *pivot,
                         pki_timer *timer);
  void (*solve_pivoted)(const double *A, int n, size_t stride, const double *inverse, const int *pivot,
                        double *b);
} pki_dense_kernels;

/* The variant of an instruction set, NULL when this machine or this build does not have it. */
const pki_dense_kernels *pki_dense_kernels_find(const char *isa);

/* The one that the dynamics kernels use. */
const pki_dense_kernels *pki_dense_kernels_get(void);

#endif
