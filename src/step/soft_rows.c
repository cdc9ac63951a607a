/* Compliant pairs of two moving bodies: rows of the step's problem; where it has no others, the problem is linear and is solved at once. */
#include <math.h>
#include <string.h>

#include "math/cholesky.h"
#include "step/soft.h"

/* Rows of a problem that is solved at once. */
enum { ROWS_MOST = 48 };

int pki_soft_between(const pk_sim *sim)
{
  const struct pki_soft *s = sim->scene.soft;
  int n = 0;
  for (int i = 0; i < s->npatch; i++) {
    n += s->patches[i].between;
  }
  return n;
}

int pki_soft_row_count(const pk_sim *sim)
{
  const struct pki_soft *s = sim->scene.soft;
  int n = 0;
  for (int i = 0; i < s->npatch; i++) {
    n += s->patches[i].nrow;
  }
  return n;
}

void pki_soft_add_rows(pk_sim *sim, const double *u_free)
{
  const struct pki_soft *s = sim->scene.soft;
  pki_assembly *a = &sim->contact.assembly;
  for (int i = 0; i < s->npatch; i++) {
    const pki_soft_patch *p = &s->patches[i];
    for (int n = 0; n < p->nrow; n++) {
      const int row = pk_contact_size(&a->problem);
      double V[6], q = 0;
      pki_twist_rows_add_bilateral(&p->rows, a, p->G[n], 1 / (sim->options.dt * p->D[n]));
      pki_twist_rows_velocity(&p->rows, a, u_free, V);
      for (int k = 0; k < 6; k++) {
        q += p->G[n][k] * (V[k] - p->twist[k]);
      }
      a->q[row] = q, a->r[row] = 0;
    }
  }
}

bool pki_soft_needs_rows(const pk_sim *sim)
{
  return 6 * pki_soft_between(sim) > ROWS_MOST;
}

/* Y = inv(L') J' and Z = inv(D) Y of a patch, angular and linear. */
static void whiten_patch(const pk_sim *sim, pki_soft_patch *p)
{
  const pk_workspace *w = sim->workspace;
  for (int part = 0; part < 2; part++) {
    for (int e = 0; e < p->rows.count; e++) {
      memcpy(p->Y[part] + 4 * e, p->rows.J + PKI_TWIST_ROW * e + 4 * part, 4 * sizeof(double));
    }
    w->kernels->whiten(&w->work, p->rows.cols, p->rows.count, p->Y[part], p->Z[part]);
  }
}

/* W [6][6] = J_a inv(M~) J_b' */
static void patch_response(const pki_soft_patch *a, const pki_soft_patch *b, double W[6][6])
{
  memset(W, 0, 6 * sizeof *W);
  for (int e = 0, f = 0; e < a->rows.count && f < b->rows.count;) {
    const int ka = a->rows.cols[e], kb = b->rows.cols[f];
    for (int i = 0; i < 6 && ka == kb; i++) {
      const double y = a->Y[i / 3][4 * e + i % 3];
      for (int k = 0; k < 3; k++) {
        W[i][k] += y * b->Z[0][4 * f + k];
        W[i][3 + k] += y * b->Z[1][4 * f + k];
      }
    }
    e += ka <= kb;
    f += kb <= ka;
  }
}

/* The block G_a' W G_b of the rows of two patches, into A [n][n] from (i, j) on. */
static void add_block(const pki_soft_patch *a, const pki_soft_patch *b, double *A, int n, int i, int j)
{
  double W[6][6], WG[6];
  patch_response(a, b, W);
  for (int c = 0; c < b->nrow; c++) {
    for (int k = 0; k < 6; k++) {
      WG[k] = 0;
      for (int d = 0; d < 6; d++) {
        WG[k] += W[k][d] * b->G[c][d];
      }
    }
    for (int r = 0; r < a->nrow; r++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) {
        sum += a->G[r][k] * WG[k];
      }
      A[(i + r) * n + j + c] = sum;
    }
  }
}

/* The problem of all rows: A r = x, of A the lower part. Returns how many there are. */
static int assemble_rows(pk_sim *sim, const double *u, double *A, double *x)
{
  const struct pki_soft *s = sim->scene.soft;
  const int n = pki_soft_row_count(sim);
  for (int i = 0, at = 0; i < s->npatch; at += s->patches[i++].nrow) {
    pki_soft_patch *p = &s->patches[i];
    double V[6];
    if (p->nrow == 0) {
      continue;
    }
    whiten_patch(sim, p);
    for (int j = 0, from = 0; j <= i; from += s->patches[j++].nrow) {
      if (s->patches[j].nrow > 0) {
        add_block(p, &s->patches[j], A, n, at, from);
      }
    }
    pki_twist_rows_velocity(&p->rows, &sim->contact.assembly, u, V);
    for (int r = 0; r < p->nrow; r++) {
      x[at + r] = 0;
      A[(at + r) * n + at + r] += 1 / (sim->options.dt * p->D[r]);
      for (int k = 0; k < 6; k++) {
        x[at + r] -= p->G[r][k] * (V[k] - p->twist[k]);
      }
    }
  }
  return n;
}

bool pki_soft_correct(pk_sim *sim, double *u)
{
  const struct pki_soft *s = sim->scene.soft;
  double A[ROWS_MOST * ROWS_MOST], x[ROWS_MOST];
  const int n = assemble_rows(sim, u, A, x), nu = sim->model->nu;
  if (n == 0) {
    return false;
  }
  pki_cholesky(A, n, n);
  pki_cholesky_solve(A, n, n, x, 1);
  memset(s->x, 0, (size_t)nu * sizeof *s->x);
  for (int i = 0, at = 0; i < s->npatch; at += s->patches[i++].nrow) {
    const pki_soft_patch *p = &s->patches[i];
    double f[6] = {0};
    for (int r = 0; r < p->nrow; r++) {
      for (int k = 0; k < 6; k++) {
        f[k] += x[at + r] * p->G[r][k];
      }
    }
    pki_twist_rows_add_force(&p->rows, &sim->contact.assembly, f, s->x);
  }
  pki_plan_solve(sim->workspace, s->x);
  for (int k = 0; k < nu; k++) {
    u[k] += s->x[k];
  }
  return true;
}
