/* The paper's optimisation in two stages.
 *
 * First a feasible point, N v + gap/dt >= 0 and P v = wanted; of all such points the one nearest to the free velocity in the metric of M. With multipliers it is
 *
 *   v = free + inv(M)(P'tau + N'f_N),   0 <= f_N  complementary to  N v + gap/dt >= 0,   P v = wanted
 *
 * Then friction f, along two tangents at each contact and within mu f_N along each, that takes the most energy and violates neither:
 *
 *   min 1/2 |v + inv(M) T'f|_M^2   over  P inv(M) T'f = 0,   N (v + inv(M) T'f) + gap/dt >= 0,   |f| <= mu f_N
 *
 * whose conditions of optimality, with multipliers y and z, are a complementarity problem with a semidefinite matrix too. A quadruped has twelve joints and, on four feet, eight
 * components of friction, which P inv(M) T' f = 0 leaves none of: this is why it skates. Both are solved by Lemke's method, which such problems do not defeat. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/feedback/feedback.h"

enum {
  TANGENTS = 2 * PKI_DENSE_CONTACTS,
  ROWS = PKI_DENSE_JOINTS + PKI_DENSE_CONTACTS + TANGENTS, /* [P; N; T] */
};

/* Rows and their responses W = R inv(M) R'. */
typedef struct dense_rows {
  int joints, normals, all; /* ends of the blocks */
  double row[ROWS][PKI_DENSE_NU], response[ROWS][PKI_DENSE_NU], W[ROWS][ROWS];
} dense_rows;

static double dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

static void fill_rows(const pki_dense_step *s, dense_rows *r)
{
  memset(r, 0, sizeof *r);
  r->joints = s->joints, r->normals = r->joints + s->contacts, r->all = r->normals + 2 * s->contacts;
  for (int i = 0; i < r->all; i++) {
    if (i < r->joints) {
      r->row[i][s->dof[i]] = 1;
    } else {
      const double *from = i < r->normals ? s->N + (i - r->joints) * s->nu : s->T + (i - r->normals) * s->nu;
      memcpy(r->row[i], from, (size_t)s->nu * sizeof(double));
    }
    for (int k = 0; k < s->nu; k++) {
      r->response[i][k] = dot(s->inverse + k * s->nu, r->row[i], s->nu);
    }
  }
  for (int i = 0; i < r->all; i++) {
    for (int j = 0; j < r->all; j++) {
      r->W[i][j] = dot(r->row[i], r->response[j], s->nu);
    }
  }
}

/* A problem of n unknowns by Lemke's method. */
static bool solve_lcp(int n, const double *M, const double *q, const double *lower, const double *upper,
                      double *z, pki_dense_result *out)
{
  const pk_lcp lcp = {.n = n, .M = M, .q = q, .lower = lower, .upper = upper};
  pk_lcp_options options = pk_lcp_options_default();
  const size_t size = pk_lcp_solve_memsize(&lcp, &options);
  void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
  pk_lcp_result found = {.outcome = PK_LCP_OUTCOME_STALLED};
  const bool solved = memory != NULL && pk_lcp_solve(&lcp, &options, z, memory, &found) == PK_OK;
  out->outcome = found.outcome;
  out->residual = fmax(out->residual, found.certificate.relative);
  free(memory);
  return solved;
}

static void add_response(const pki_dense_step *s, const dense_rows *r, int row, double impulse, double *v)
{
  for (int k = 0; k < s->nu; k++) {
    v[k] += impulse * r->response[row][k];
  }
}

/* The feasible velocity nearest to the free one. */
static bool find_feasible(const pki_dense_step *s, const dense_rows *r, pki_dense_result *out)
{
  double M[ROWS * ROWS] = {0}, q[ROWS] = {0}, lower[ROWS] = {0}, upper[ROWS] = {0}, z[ROWS] = {0};
  const int n = r->normals;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      M[i * n + j] = r->W[i][j];
    }
    const bool joint = i < r->joints;
    q[i] = dot(r->row[i], s->free, s->nu) + (joint ? -s->wanted[i] : s->gap[i - r->joints]);
    lower[i] = joint ? -INFINITY : 0;
    upper[i] = INFINITY;
  }
  const bool solved = solve_lcp(n, M, q, lower, upper, z, out);
  for (int i = 0; i < n; i++) {
    add_response(s, r, i, z[i], out->v);
    if (i < r->joints) {
      out->motor[i] = z[i];
    } else {
      out->normal[i - r->joints] = z[i];
    }
  }
  return solved;
}

/* Friction: unknowns f, y (free), z. */
static bool dissipate(const pki_dense_step *s, const dense_rows *r, pki_dense_result *out)
{
  double M[ROWS * ROWS] = {0}, q[ROWS] = {0}, lower[ROWS] = {0}, upper[ROWS] = {0}, x[ROWS] = {0};
  const int tangents = r->all - r->normals, n = tangents + r->normals;
  for (int i = 0; i < tangents; i++) {
    const int row = r->normals + i;
    const double most = s->friction * fmax(0, out->normal[i / 2]);
    for (int j = 0; j < tangents; j++) {
      M[i * n + j] = r->W[row][r->normals + j];
    }
    for (int j = 0; j < r->normals; j++) { /* multipliers of what must not be violated */
      M[i * n + tangents + j] = -r->W[row][j];
      M[(tangents + j) * n + i] = r->W[j][row];
    }
    q[i] = dot(r->row[row], out->v, s->nu);
    lower[i] = -most, upper[i] = most;
  }
  for (int j = 0; j < r->normals; j++) {
    const bool joint = j < r->joints;
    lower[tangents + j] = joint ? -INFINITY : 0;
    upper[tangents + j] = INFINITY;
    q[tangents + j] = joint ? 0 : fmax(0, dot(r->row[j], out->v, s->nu) + s->gap[j - r->joints]);
  }
  if (!solve_lcp(n, M, q, lower, upper, x, out)) {
    return false;
  }
  for (int i = 0; i < tangents; i++) {
    out->tangent[i / 2][i % 2] = x[i];
    add_response(s, r, r->normals + i, x[i], out->v);
  }
  return true;
}

void pki_dense_qp(const pki_dense_step *s, pki_dense_result *out)
{
  dense_rows r;
  *out = (pki_dense_result){.outcome = PK_LCP_OUTCOME_SOLVED};
  fill_rows(s, &r);
  memcpy(out->v, s->free, (size_t)s->nu * sizeof(double));
  out->solved = find_feasible(s, &r, out) && (s->contacts == 0 || dissipate(s, &r, out));
}
