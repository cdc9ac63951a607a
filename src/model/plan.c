/* The elimination plan: which entries of the lower triangle of M are kept.
 *
 * M_ij is not zero only when one of the two coordinates moves what the other moves: j is an
 * ancestor of i in the tree. Factoring from the last row to the first (M = L' L, Featherstone
 * 2008, section 8.2) then fills nothing. A mimic follower moves the tree from two places at
 * once; rows become unions of ancestor sets, and the fill is found by symbolic elimination. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/compile.h"
#include "model/motion.h"

static void report_size(pki_draft *d)
{
  pki_builder_error(d->b, PK_ERROR_LIMIT, (pki_where){0},
                    "the mass matrix would keep more than %d entries: the tree is too deep for %d velocities",
                    PKI_PLAN_MAX, d->nu);
}

/* Entries of a tree in which every body has coordinates of its own; false: out of memory. */
static bool count_tree(const pki_draft *d, size_t *total)
{
  *total = 0;
  int *length = malloc(((size_t)d->nbody + 1) * sizeof *length); /* coordinates up to and with the body */
  if (length == NULL) {
    return false;
  }
  for (int i = 0; i < d->nbody; i++) {
    const int n = pki_motion_nu(d->bodies[i].motion);
    const int above = d->bodies[i].parent >= 0 ? length[d->bodies[i].parent] : 0;
    length[i] = above + n;
    *total += (size_t)above * (size_t)n + (size_t)(n * (n + 1) / 2);
  }
  free(length);
  return true;
}

/* Rows of a tree: the parent's row, then the body's own coordinates. */
static bool plan_tree(pki_draft *d)
{
  size_t total;
  if (!count_tree(d, &total)) {
    return false;
  }
  if (total > PKI_PLAN_MAX) {
    report_size(d);
    return true;
  }
  d->M_col = malloc((total + 1) * sizeof *d->M_col);
  if (d->M_col == NULL) {
    return false;
  }
  for (int i = 0; i < d->nbody; i++) {
    const pki_body *body = &d->bodies[i];
    for (int k = 0; k < pki_motion_nu(body->motion); k++) {
      const int row = body->u + k;
      /* the row before it in the chain: the last of the parent, or the one just written */
      int above = row - 1;
      if (k == 0) {
        const pki_body *parent = body->parent >= 0 ? &d->bodies[body->parent] : NULL;
        above = parent ? parent->u + pki_motion_nu(parent->motion) - 1 : -1;
      }
      d->M_row[row] = d->nM;
      if (above >= 0) {
        const int n = d->M_row[above + 1] - d->M_row[above];
        memcpy(d->M_col + d->nM, d->M_col + d->M_row[above], (size_t)n * sizeof *d->M_col);
        d->nM += n;
      }
      d->M_col[d->nM++] = row;
      d->M_row[row + 1] = d->nM;
    }
  }
  return true;
}

/* A dense lower-triangular bit per entry: plain, and bounded, for models with followers. */
static void mark_chain(const pki_draft *d, int body, uint8_t *bits, int *chain)
{
  int n = 0;
  for (int at = body; at >= 0; at = d->bodies[at].parent) {
    for (int k = 0; k < pki_motion_nu(d->bodies[at].motion); k++) {
      chain[n++] = d->bodies[at].u + k;
    }
  }
  /* pairs with the body's own coordinates; ancestors pair when they are visited themselves */
  for (int k = 0; k < pki_motion_nu(d->bodies[body].motion); k++) {
    for (int e = 0; e < n; e++) {
      const int a = d->bodies[body].u + k, c = chain[e];
      bits[(size_t)(a > c ? a : c) * (size_t)d->nu + (size_t)(a > c ? c : a)] = 1;
    }
  }
}

static bool plan_mimic(pki_draft *d)
{
  const size_t nu = (size_t)d->nu;
  size_t total;
  if (!count_tree(d, &total)) {
    return false;
  }
  if (nu * nu > PKI_PLAN_MAX || total > PKI_PLAN_MAX) {
    report_size(d);
    return true;
  }
  int longest = 0;
  for (int i = 0; i < d->nbody; i++) {
    longest += pki_motion_nu(d->bodies[i].motion);
  }
  uint8_t *bits = calloc(nu * nu, 1);
  int *chain = malloc(((size_t)longest + 1) * sizeof *chain);
  bool ok = bits != NULL && chain != NULL;
  total = 0;
  if (ok) {
    for (int i = 0; i < d->nbody; i++) {
      mark_chain(d, i, bits, chain);
    }
    for (size_t k = nu; k-- > 0;) {
      /* eliminating k couples every pair of columns of its row: the row of the last of them takes
       * over the others, and passes them on when its own turn comes */
      size_t last = k;
      for (size_t j = 0; j <= k; j++) {
        total += bits[k * nu + j];
        last = j < k && bits[k * nu + j] ? j : last;
      }
      for (size_t j = 0; last < k && j <= last; j++) {
        bits[last * nu + j] |= bits[k * nu + j];
      }
    }
    d->M_col = malloc((total + 1) * sizeof *d->M_col);
    ok = d->M_col != NULL;
  }
  for (size_t k = 0; ok && k < nu; k++) {
    d->M_row[k] = d->nM;
    for (size_t j = 0; j <= k; j++) {
      if (bits[k * nu + j]) {
        d->M_col[d->nM++] = (int)j;
      }
    }
    d->M_row[k + 1] = d->nM;
  }
  free(bits), free(chain);
  return ok;
}

bool pki_compile_plan(pki_draft *d)
{
  d->M_row = calloc((size_t)d->nu + 1, sizeof *d->M_row);
  if (d->M_row == NULL) {
    return false;
  }
  return d->has_mimic ? plan_mimic(d) : plan_tree(d);
}
