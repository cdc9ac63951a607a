/* Factors and solutions of elimination.h, panel by panel. A row of six is one vector of eight numbers, the last two zero: six
 * products of a number and a vector take one node's part from a row of another. */
#include "contact/linear/elimination.h"

#include <math.h>
#include <string.h>

#include "math/lane.h"

typedef double vec __attribute__((vector_size(64), aligned(64)));

enum { SIX = PKI_NODE_MAX, LINE = PKI_PANEL_LINE };

/* ---- the matrix ---- */

/* Where the block below node j that belongs to node i begins in its panel. */
static size_t block_of(const pki_elimination *e, int i, int j)
{
  const int w = e->width[j], *below = e->below + e->below_begin[j];
  int rows = w;
  for (int k = 0; below[k] != i; k++) {
    rows += e->width[below[k]];
  }
  return e->panel[j] + (size_t)(rows * pki_panel_stride(w));
}

/* out [6][8] += Y_a' C Y_b of a contact between free bodies. */
static void add_product_six(double *out, const double *Ya, const double *Yb, const double C[9])
{
  vec *rows = (vec *)out;
  vec columns[3] = {{0}, {0}, {0}};
  for (int j = 0; j < SIX; j++) {
    columns[0][j] = Yb[3 * j], columns[1][j] = Yb[3 * j + 1], columns[2][j] = Yb[3 * j + 2];
  }
  for (int i = 0; i < SIX; i++, Ya += 3) {
    const double a = Ya[0] * C[0] + Ya[1] * C[3] + Ya[2] * C[6];
    const double b = Ya[0] * C[1] + Ya[1] * C[4] + Ya[2] * C[7];
    const double c = Ya[0] * C[2] + Ya[1] * C[5] + Ya[2] * C[8];
    rows[i] += a * columns[0] + b * columns[1] + c * columns[2];
  }
}

/* out [wa][stride of wb] += Y_a' C Y_b; `lanes` rows. */
static void add_product(double *restrict out, const double *restrict Ya, int wa, const double *restrict Yb,
                        int wb, const double C[9], int lanes)
{
  if (wa == SIX && wb == SIX && lanes == 3) {
    add_product_six(out, Ya, Yb, C);
    return;
  }
  for (int i = 0; i < wa; i++, out += pki_panel_stride(wb)) {
    double row[3] = {0, 0, 0};
    for (int d = 0; d < lanes; d++) {
      for (int k = 0; k < lanes; k++) {
        row[k] += Ya[lanes * i + d] * C[3 * d + k];
      }
    }
    for (int j = 0; j < wb; j++) {
      double sum = 0;
      for (int k = 0; k < lanes; k++) {
        sum += row[k] * Yb[lanes * j + k];
      }
      out[j] += sum;
    }
  }
}

static void add_group(const pki_elimination *e, int group, const double *C)
{
  const pki_sparse *s = e->s;
  const int lanes = group < s->contacts ? 3 : 1, to = s->start[group + 1];
  const double *Y = lanes == 3 ? s->Y3 : s->Y1 - s->start[s->contacts];
  const double transposed[9] = {C[0], C[3], C[6], C[1], C[4], C[7], C[2], C[5], C[8]};
  for (int ea = s->start[group]; ea < to; ea += e->width[e->node[s->col[ea]]]) {
    for (int eb = s->start[group]; eb < to; eb += e->width[e->node[s->col[eb]]]) {
      const int a = e->node[s->col[ea]], b = e->node[s->col[eb]], wa = e->width[a], wb = e->width[b];
      const double *Ya = Y + (ptrdiff_t)lanes * ea, *Yb = Y + (ptrdiff_t)lanes * eb;
      if (a == b) {
        add_product(e->L + e->panel[a], Ya, wa, Yb, wb, C, lanes);
      } else if (e->place[b] < e->place[a]) {
        const size_t at = block_of(e, a, b);
        add_product(e->L + at, Ya, wa, Yb, wb, C, lanes);
        if (!e->symmetric) {
          add_product(e->U + at, Ya, wa, Yb, wb, transposed, lanes); /* block (b, a), transposed */
        }
      }
    }
  }
}

static void fill_panels(pki_elimination *e, const double *diagonal, const double *C)
{
  e->symmetric = true;
  for (int g = 0; g < e->s->contacts; g++) {
    const double *c = C + 9 * (size_t)g;
    e->symmetric &= c[1] == c[3] && c[2] == c[6] && c[5] == c[7];
  }
  memset(e->L, 0, e->used * sizeof *e->L);
  if (!e->symmetric) {
    memset(e->U, 0, e->used * sizeof *e->U);
  }
  for (int i = 0; i < e->nodes; i++) {
    for (int c = 0; c < e->width[i]; c++) {
      e->L[e->panel[i] + (size_t)(c * pki_panel_stride(e->width[i]) + c)] = diagonal[e->first[i] + c];
    }
  }
  for (int g = 0; g < e->s->groups; g++) {
    const double *c = C + 9 * (size_t)g;
    if (c[0] != 0 || (g < e->s->contacts && (c[4] != 0 || c[8] != 0))) {
      add_group(e, g, c);
    }
  }
}

/* ---- factors ---- */

/* out [rows] -= A [rows] T, all rows of six. */
PKI_INLINE void subtract_six(double *out, const double *A, const vec *T, int rows)
{
  vec *to = (vec *)out;
  for (int r = 0; r < rows; r++, A += LINE) {
    const vec low = A[0] * T[0] + A[1] * T[1] + A[2] * T[2], high = A[3] * T[3] + A[4] * T[4] + A[5] * T[5];
    to[r] -= low + high;
  }
}

/* out [rows][wj] -= A [rows][wk] T [wk], each row of T a line. */
static void subtract_block_product(double *restrict out, const double *restrict A, const vec *T, int rows,
                                   int wj, int wk)
{
  const int to = pki_panel_stride(wj), from = pki_panel_stride(wk);
  for (int r = 0; r < rows; r++, out += to, A += from) {
    for (int c = 0; c < wj; c++) {
      for (int m = 0; m < wk; m++) {
        out[c] -= A[m] * T[m][c];
      }
    }
  }
}

/* T = P', a block of a panel: wj rows of wk. */
static void transpose_block(const double *P, int wj, int wk, vec *T)
{
  const vec *row = (const vec *)P;
  if (wj == SIX && wk == SIX) {
    for (int m = 0; m < SIX; m++) {
      T[m] = (vec){row[0][m], row[1][m], row[2][m], row[3][m], row[4][m], row[5][m]};
    }
    return;
  }
  for (int m = 0; m < wk; m++) {
    T[m] = (vec){0};
    for (int c = 0; c < wj; c++) {
      T[m][c] = P[c * pki_panel_stride(wk) + m];
    }
  }
}

/* The panel of j less what the node k before it takes; j is number `at` below k. With A_ij of rows i from j on,
 * A_ij -= L_ik U_kj and A_ji -= L_jk U_ki. */
static void update_panel(const pki_elimination *e, int j, int k, int at)
{
  const int wj = e->width[j], wk = e->width[k], *below = e->below + e->below_begin[k];
  const bool six = wj == SIX && wk == SIX;
  int before = wk;
  for (int i = 0; i < at; i++) {
    before += e->width[below[i]];
  }
  size_t from = e->panel[k] + (size_t)(before * pki_panel_stride(wk));
  vec Ukj[SIX], Ljk[SIX]; /* [wk][wj] */
  transpose_block(e->U + from, wj, wk, Ukj);
  if (!e->symmetric) {
    transpose_block(e->L + from, wj, wk, Ljk);
  }
  for (int i = at; i < e->below_count[k]; i++) {
    const int rows = e->width[below[i]];
    const size_t to = e->panel[j] + (size_t)(e->offset[below[i]] * pki_panel_stride(wj));
    if (six) {
      subtract_six(e->L + to, e->L + from, Ukj, rows);
    } else {
      subtract_block_product(e->L + to, e->L + from, Ukj, rows, wj, wk);
    }
    if (i > at && !e->symmetric && six) {
      subtract_six(e->U + to, e->U + from, Ljk, rows);
    } else if (i > at && !e->symmetric) {
      subtract_block_product(e->U + to, e->U + from, Ljk, rows, wj, wk);
    }
    from += (size_t)(rows * pki_panel_stride(wk));
  }
}

/* Rows below a panel's own block: those of L divided by U, those of U' by L'. U' = L diag(U) where all is symmetric. */
static void divide_rows_six(double *P, double *Q, int rows, const double inverse[SIX], bool symmetric)
{
  vec U[SIX], L[SIX]; /* rows of U and columns of L beyond the diagonal, the rest zero */
  for (int m = 0; m < SIX; m++) {
    vec row = {0}, column = {0};
    for (int c = m + 1; c < SIX; c++) {
      row[c] = P[m * LINE + c], column[c] = P[c * LINE + m];
    }
    U[m] = row, L[m] = column;
  }
  for (int r = SIX; r < rows; r++) {
    vec *l = (vec *)P + r, *u = (vec *)Q + r, x = *l, divided = {0}, y = *u;
    for (int m = 0; m < SIX; m++) {
      divided[m] = x[m] * inverse[m];
      x -= divided[m] * U[m];
    }
    for (int m = 0; !symmetric && m < SIX; m++) {
      y -= y[m] * L[m];
    }
    *l = divided, *u = symmetric ? x : y;
  }
}

static void divide_rows(double *restrict P, double *restrict Q, int w, int rows, const double *inverse,
                        bool symmetric)
{
  for (int r = w; r < rows; r++) {
    double *l = P + (ptrdiff_t)r * w, *u = Q + (ptrdiff_t)r * w;
    for (int c = 0; c < w; c++) {
      for (int m = 0; m < c; m++) {
        l[c] -= l[m] * P[m * w + c];
      }
      if (symmetric) {
        u[c] = l[c];
      } else {
        for (int m = 0; m < c; m++) {
          u[c] -= u[m] * P[c * w + m];
        }
      }
      l[c] *= inverse[c];
    }
  }
}

/* The panel's own block becomes L (unit) and U; the rows below are divided. */
static bool finish_panel(const pki_elimination *e, int j, int rows)
{
  const int w = e->width[j], stride = pki_panel_stride(w);
  double *P = e->L + e->panel[j], *Q = e->U + e->panel[j], inverse[SIX];
  for (int c = 0; c < w; c++) {
    const double before = fabs(P[c * stride + c]);
    for (int r = 0; r < w; r++) {
      double sum = P[r * stride + c];
      for (int m = 0; m < (r < c ? r : c); m++) {
        sum -= P[r * stride + m] * P[m * stride + c];
      }
      P[r * stride + c] = r > c ? sum * inverse[c] : sum;
      if (r == c) {
        inverse[c] = 1 / sum;
        if (!(fabs(sum) > 1e-15 * before) || !isfinite(sum)) {
          return false;
        }
      }
    }
  }
  if (w == SIX) {
    divide_rows_six(P, Q, rows, inverse, e->symmetric);
  } else {
    divide_rows(P, Q, w, rows, inverse, e->symmetric);
  }
  return true;
}

enum { LOOK_EVERY = 16 }; /* nodes between two looks at the clock */

static bool factor_panels(pki_elimination *e, const double *diagonal, const double *C)
{
  fill_panels(e, diagonal, C);
  /* head: the nodes whose next row below is j; next links them, last counts how far they are */
  memset(e->head, 0xff, (size_t)e->nodes * sizeof(int));
  for (int k = 0; k < e->nodes; k++) {
    const int j = e->order[k], *below = e->below + e->below_begin[j];
    int rows = e->width[j];
    e->offset[j] = 0;
    for (int i = 0; i < e->below_count[j]; i++) {
      e->offset[below[i]] = rows;
      rows += e->width[below[i]];
    }
    for (int from = e->head[j], then; from >= 0; from = then) {
      then = e->next[from];
      update_panel(e, j, from, e->last[from]);
      if (++e->last[from] < e->below_count[from]) {
        const int to = e->below[e->below_begin[from] + e->last[from]];
        e->next[from] = e->head[to], e->head[to] = from;
      }
    }
    if (!finish_panel(e, j, rows) || (k % LOOK_EVERY == 0 && pki_timer_expired(e->timer))) {
      return false;
    }
    if (e->below_count[j] > 0) {
      e->last[j] = 0, e->next[j] = e->head[below[0]], e->head[below[0]] = j;
    }
  }
  return true;
}

/* ---- solutions ---- */

/* L y = b */
static void solve_lower(const pki_elimination *e, double *b)
{
  for (int k = 0; k < e->nodes; k++) {
    const int j = e->order[k], w = e->width[j], stride = pki_panel_stride(w);
    const int *below = e->below + e->below_begin[j];
    const double *P = e->L + e->panel[j];
    double *x = b + e->first[j];
    for (int r = 1; r < w; r++) {
      for (int c = 0; c < r; c++) {
        x[r] -= P[r * stride + c] * x[c];
      }
    }
    P += w * stride;
    for (int i = 0; i < e->below_count[j]; i++) {
      double *y = b + e->first[below[i]];
      for (int r = 0; r < e->width[below[i]]; r++, P += stride) {
        double sum = 0;
        for (int c = 0; c < w; c++) {
          sum += P[c] * x[c];
        }
        y[r] -= sum;
      }
    }
  }
}

/* x [w] -= U' y of one block below. */
PKI_INLINE void subtract_rows(const double *Q, int w, const double *y, int rows, double *x)
{
  for (int r = 0; r < rows; r++, Q += pki_panel_stride(w)) {
    for (int c = 0; c < w; c++) {
      x[c] -= Q[c] * y[r];
    }
  }
}

static void solve_panels(const pki_elimination *e, double *b)
{
  solve_lower(e, b);
  /* U x = y, from the last node back */
  for (int k = e->nodes - 1; k >= 0; k--) {
    const int j = e->order[k], w = e->width[j], stride = pki_panel_stride(w);
    const int *below = e->below + e->below_begin[j];
    const double *Q = e->U + e->panel[j] + w * stride, *P = e->L + e->panel[j];
    double x[SIX];
    memcpy(x, b + e->first[j], (size_t)w * sizeof *x);
    for (int i = 0; i < e->below_count[j]; i++) {
      const double *y = b + e->first[below[i]];
      const int rows = e->width[below[i]];
      if (w == SIX) {
        subtract_rows(Q, SIX, y, rows, x);
      } else {
        subtract_rows(Q, w, y, rows, x);
      }
      Q += rows * stride;
    }
    for (int r = w - 1; r >= 0; r--) {
      for (int c = r + 1; c < w; c++) {
        x[r] -= P[r * stride + c] * x[c];
      }
      x[r] /= P[r * stride + r];
    }
    memcpy(b + e->first[j], x, (size_t)w * sizeof *x);
  }
}

extern const pki_elimination_kernels PKI_NAME(elimination_kernels);
const pki_elimination_kernels PKI_NAME(elimination_kernels) = {
    .isa = PKI_ISA_NAME,
    .factor = factor_panels,
    .solve = solve_panels,
};
