/* The paper's mixed linear complementarity problem, equations (2) to (7). With v = free + inv(M)(P'tau + N'f_N + F'f_F) put in, the unknowns are
 * tau within its limits, f_N, f_F and lambda at least zero, and
 *
 *   w_tau = P v - wanted,   w_N = N v + gap/dt,   w_F = F v + E lambda,   w_lambda = mu f_N - E' f_F
 *
 * F has a row for each side of the polygon in the place of the cone: cos a t_1 + sin a t_2. The gap is that of Stewart and Trinkle (2000), which the
 * paper cites; of a foot that touches it is zero. `shift` is added to the diagonal, as Tikhonov does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/feedback/feedback.h"

enum { RESPONDING = PKI_DENSE_JOINTS + PKI_DENSE_CONTACTS * (1 + PKI_DENSE_SIDES) };

/* Rows [P; N; F], their responses, and the problem. */
typedef struct mixed_problem {
  int rows, n; /* rows that forces act along; and all */
  double row[RESPONDING][PKI_DENSE_NU], response[RESPONDING][PKI_DENSE_NU];
  double M[PKI_DENSE_ROWS * PKI_DENSE_ROWS], q[PKI_DENSE_ROWS], lower[PKI_DENSE_ROWS], upper[PKI_DENSE_ROWS],
      z[PKI_DENSE_ROWS];
} mixed_problem;

static double dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

static void side_of(const pki_dense_step *s, int side, double out[2])
{
  const double angle = 2 * 3.14159265358979323846 * side / s->sides;
  out[0] = cos(angle), out[1] = sin(angle);
}

static void fill_rows(const pki_dense_step *s, mixed_problem *p)
{
  memset(p->row, 0, sizeof p->row);
  for (int i = 0; i < s->joints; i++) {
    p->row[p->rows++][s->dof[i]] = 1;
  }
  for (int c = 0; c < s->contacts; c++) {
    memcpy(p->row[p->rows++], s->N + c * s->nu, (size_t)s->nu * sizeof(double));
  }
  for (int c = 0; c < s->contacts; c++) {
    const double *t1 = s->T + (size_t)(2 * c) * (size_t)s->nu, *t2 = t1 + s->nu;
    for (int side = 0; side < s->sides; side++) {
      double along[2];
      side_of(s, side, along);
      for (int k = 0; k < s->nu; k++) {
        p->row[p->rows][k] = along[0] * t1[k] + along[1] * t2[k];
      }
      p->rows++;
    }
  }
  for (int i = 0; i < p->rows; i++) {
    for (int k = 0; k < s->nu; k++) {
      p->response[i][k] = dot(s->inverse + k * s->nu, p->row[i], s->nu);
    }
  }
}

static void fill_problem(const pki_dense_step *s, double shift, mixed_problem *p)
{
  const int normals = s->joints, sides = normals + s->contacts;
  const int n = p->n = p->rows + s->contacts;
  memset(p->M, 0, sizeof p->M);
  for (int i = 0; i < p->rows; i++) {
    for (int j = 0; j < p->rows; j++) {
      p->M[i * n + j] = dot(p->row[i], p->response[j], s->nu);
    }
    const bool joint = i < s->joints;
    p->q[i] = dot(p->row[i], s->free, s->nu) - (joint ? s->wanted[i] : 0) +
              (i >= normals && i < sides ? s->gap[i - normals] : 0);
    p->lower[i] = joint ? -s->most[i] : 0;
    p->upper[i] = joint ? s->most[i] : INFINITY;
  }
  for (int c = 0; c < s->contacts; c++) {
    const int lambda = p->rows + c;
    p->q[lambda] = 0, p->lower[lambda] = 0, p->upper[lambda] = INFINITY;
    p->M[lambda * n + normals + c] = s->friction;
    for (int side = 0; side < s->sides; side++) {
      const int row = sides + c * s->sides + side;
      p->M[row * n + lambda] = 1, p->M[lambda * n + row] = -1;
    }
  }
  for (int i = 0; i < n; i++) {
    p->M[i * n + i] += shift;
    p->z[i] = 0;
  }
}

/* Impulses, and the velocities that they make. */
static void read_result(const pki_dense_step *s, const mixed_problem *p, pki_dense_result *out)
{
  memcpy(out->v, s->free, (size_t)s->nu * sizeof(double));
  for (int i = 0; i < p->rows; i++) {
    for (int k = 0; k < s->nu; k++) {
      out->v[k] += p->z[i] * p->response[i][k];
    }
  }
  for (int i = 0; i < s->joints; i++) {
    out->motor[i] = p->z[i];
  }
  for (int c = 0; c < s->contacts; c++) {
    out->normal[c] = p->z[s->joints + c];
    for (int side = 0; side < s->sides; side++) {
      double along[2];
      side_of(s, side, along);
      const double f = p->z[s->joints + s->contacts + c * s->sides + side];
      out->tangent[c][0] += f * along[0];
      out->tangent[c][1] += f * along[1];
    }
  }
}

void pki_dense_mlcp(const pki_dense_step *s, double shift, pk_lcp_solver solver, pki_dense_result *out)
{
  *out = (pki_dense_result){.outcome = PK_LCP_OUTCOME_STALLED, .residual = INFINITY};
  mixed_problem *p = calloc(1, sizeof *p);
  if (p == NULL) {
    return;
  }
  fill_rows(s, p);
  fill_problem(s, shift, p);
  const pk_lcp lcp = {.n = p->n, .M = p->M, .q = p->q, .lower = p->lower, .upper = p->upper};
  pk_lcp_options options = pk_lcp_options_default();
  options.solver = solver;
  options.max_iterations = 2000;
  const size_t size = pk_lcp_solve_memsize(&lcp, &options);
  void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
  pk_lcp_result found = {.outcome = PK_LCP_OUTCOME_STALLED};
  if (memory != NULL) {
    out->solved = pk_lcp_solve(&lcp, &options, p->z, memory, &found) == PK_OK;
    out->outcome = found.outcome;
    out->residual = found.certificate.relative;
    read_result(s, p, out);
  }
  free(memory);
  free(p);
}
