/* What the inverse of M costs against the number of links, and forward dynamics with and without M: floating point operations of the
 * generic kernels with one lane, counted instruction by instruction (measure/count.h), which no clock and no neighbour disturbs.
 *
 * Hardt and von Stryk 2002, section 2.2: composite rigid bodies assemble M and solve; articulated bodies need O(N), are superior beyond 7
 * to 8 links, and give inv(M) by recursion. On a chain, where M is full,
 *
 *   inv(M) recursive     factor the articulated inertias once, O(N); then a pass up and down for each column: O(N^2)
 *   inv(M) by factor     composite bodies O(N^2), L'L along the tree O(N^3), and N substitutions of O(N^2)
 *   inv(M) dense         the same M, Cholesky and N substitutions without regard to the tree
 *   forward, ABA         O(N)
 *   forward, CRBA        composite bodies, L'L and one substitution: N^3/6 of small operations beside the passes */
#include "study/symbolic/symbolic_inverse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/states.h"
#include "dynamics/workspace.h"
#include "math/cholesky.h"
#include "measure/count.h"
#include "study/study_verdict.h"

const int pki_inverse_links[PKI_INVERSE_SIZES] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48};
const char *const pki_inverse_ways[PKI_INVERSE_WAYS] = {"inverse-recursive", "inverse-factor",
                                                        "inverse-dense", "forward-aba", "forward-crba"};
const char *const pki_inverse_titles[PKI_INVERSE_WAYS] = {
    "inv(M), recursive", "inv(M), factor along the tree", "inv(M), dense Cholesky", "forward dynamics, ABA",
    "forward dynamics, CRBA"};

typedef struct inverse_job {
  pki_inverse_way way;
  pk_workspace *work;
  pki_states state;
  double *out, *M; /* [nu][nu] */
} inverse_job;

static void set_identity(double *out, int n)
{
  memset(out, 0, (size_t)(n * n) * sizeof *out);
  for (int k = 0; k < n; k++) {
    out[k * n + k] = 1;
  }
}

static void invert_by_factor(inverse_job *j, int n)
{
  pki_work *work = &j->work->work;
  pki_reset_diagonal(work);
  pk_kinematics_compute(j->work, j->state.q, NULL);
  j->work->kernels->crba(work);
  j->work->kernels->ltl_factor(work);
  set_identity(j->out, n);
  for (int k = 0; k < n; k++) {
    pki_plan_solve(j->work, j->out + k * n);
  }
}

static void run_job(void *user)
{
  inverse_job *j = user;
  const int n = pk_workspace_model(j->work)->nu;
  const pki_states *s = &j->state;
  switch (j->way) {
  case PKI_INVERSE_RECURSIVE: pk_mass_matrix_inverse(j->work, s->q, j->out); break;
  case PKI_INVERSE_FACTOR: invert_by_factor(j, n); break;
  case PKI_INVERSE_DENSE:
    pk_mass_matrix(j->work, s->q, j->M);
    pki_cholesky(j->M, n, n);
    set_identity(j->out, n);
    pki_cholesky_solve(j->M, n, n, j->out, n);
    break;
  case PKI_FORWARD_ABA:
    pk_forward_dynamics(j->work, PK_DYNAMICS_METHOD_ABA, s->q, s->u, s->tau, j->out);
    break;
  default: pk_forward_dynamics(j->work, PK_DYNAMICS_METHOD_CRBA, s->q, s->u, s->tau, j->out); break;
  }
}

static pk_status make_chain(int links, pk_model **out, pk_error *err)
{
  pk_builder *b = NULL;
  pk_chain_options o = pk_chain_options_default();
  o.links = links;
  *out = NULL;
  pk_status status = pk_builder_create(&b, err);
  status = status == PK_OK ? pk_builder_add_chain(b, &o, err) : status;
  status = status == PK_OK ? pk_builder_compile(b, out, err) : status;
  pk_builder_destroy(b);
  return status;
}

/* The way's result beside that of the recursion: both invert the same M. */
static void compare_ways(inverse_job *j, double *apart)
{
  const size_t n = (size_t)pk_workspace_model(j->work)->nu;
  double *first = malloc(n * n * sizeof *first);
  for (int way = 0; way <= PKI_INVERSE_DENSE && first != NULL; way++) {
    j->way = (pki_inverse_way)way;
    run_job(j);
    if (way == 0) {
      memcpy(first, j->out, n * n * sizeof *first);
    }
    *apart = fmax(*apart, pki_relative_difference(j->out, first, n * n));
  }
  free(first);
}

static pk_status count_chain(pki_inverse_data *d, int size, pk_error *err)
{
  pk_model *m = NULL;
  inverse_job j = {0};
  pk_status status = make_chain(pki_inverse_links[size], &m, err);
  if (status != PK_OK) {
    return status;
  }
  pk_workspace_create(m, &j.work, NULL);
  j.out = calloc((size_t)m->nu * (size_t)m->nu, sizeof *j.out);
  j.M = calloc((size_t)m->nu * (size_t)m->nu, sizeof *j.M);
  if (j.work == NULL || j.out == NULL || j.M == NULL || !pki_states_create(&j.state, m, 1, 7)) {
    status = pki_fail_memory(err, NULL);
  } else {
    compare_ways(&j, &d->apart);
  }
  for (int way = 0; way < PKI_INVERSE_WAYS && status == PK_OK; way++) {
    pki_count count;
    j.way = (pki_inverse_way)way;
    d->flops[way][size] = pki_count_run(run_job, &j, &count) ? count.flops : NAN;
  }
  pki_states_destroy(&j.state);
  free(j.out);
  free(j.M);
  pk_workspace_destroy(j.work);
  pk_model_destroy(m);
  return status;
}

pk_status pki_inverse_count(pki_inverse_data *d, int most, pk_error *err)
{
  pk_status status = PK_OK;
  d->sizes = 0;
  for (int i = 0; i < PKI_INVERSE_SIZES && pki_inverse_links[i] <= most && status == PK_OK; i++) {
    status = count_chain(d, i, err);
    d->sizes = i + 1;
  }
  return status;
}

double pki_inverse_power(const pki_inverse_data *d, pki_inverse_way way)
{
  const int last = d->sizes - 1, before = d->sizes - 3; /* about half as many links */
  return log(d->flops[way][last] / d->flops[way][before]) /
         log((double)pki_inverse_links[last] / pki_inverse_links[before]);
}

double pki_inverse_crossing(const pki_inverse_data *d, pki_inverse_way a, pki_inverse_way b)
{
  double found = NAN;
  for (int i = 1; i < d->sizes && isnan(found); i++) {
    const double before = d->flops[b][i - 1] - d->flops[a][i - 1], now = d->flops[b][i] - d->flops[a][i];
    if (before < 0 && now >= 0) {
      const double part = before / (before - now);
      found = pki_inverse_links[i - 1] + part * (pki_inverse_links[i] - pki_inverse_links[i - 1]);
    }
  }
  return found;
}

/* ---- rows ---- */

static void put_power(const pki_inverse_data *d, pki_inverse_way way, double theory, pki_study_result *r)
{
  static const double tolerance = 0.25;
  const double power = pki_inverse_power(d, way);
  const int last = d->sizes - 1;
  pki_study_put(r, "Cost against the number of links, chains (Hardt and von Stryk 2002, section 2.2)",
                "inverse", pki_inverse_ways[way], "1", theory, power, PKI_VERDICT_NONE,
                "%s: power of N from %d to %d links", pki_inverse_titles[way], pki_inverse_links[last - 2],
                pki_inverse_links[last]);
  pki_study_note(r, "%.0f operations with %d links", d->flops[way][last], pki_inverse_links[last]);
  if (isnan(power)) {
    pki_study_excuse(r, "instructions cannot be counted here");
  } else if (way == PKI_INVERSE_RECURSIVE || way == PKI_FORWARD_ABA) {
    pki_study_hold_most(r, theory + tolerance);
  } else {
    pki_study_excuse(r, "theory's power is that of large N");
  }
}

void pki_inverse_rows(const pki_inverse_data *d, pki_study_result *r)
{
  static const double theory[PKI_INVERSE_WAYS] = {2, 3, 3, 1, 3};
  const char *section = "Cost against the number of links, chains (Hardt and von Stryk 2002, section 2.2)";
  const double crossing = pki_inverse_crossing(d, PKI_FORWARD_ABA, PKI_FORWARD_CRBA);
  for (int way = 0; way < PKI_INVERSE_WAYS; way++) {
    put_power(d, (pki_inverse_way)way, theory[way], r);
  }
  pki_study_put(r, section, "inverse", "aba-over-crba", "links", 7.5, crossing, PKI_VERDICT_NONE,
                "links from which forward dynamics takes fewer operations by ABA than by CRBA");
  pki_study_note(
      r, "the paper: more than 7 to 8, of programs of 1982 and 1987; how well each is written counts");
  if (isnan(crossing)) {
    pki_study_excuse(r, "instructions cannot be counted here");
  } else {
    pki_study_hold_factor(r, 2);
  }
  pki_study_put(r, section, "inverse", "recursive-over-factor", "links", NAN,
                pki_inverse_crossing(d, PKI_INVERSE_RECURSIVE, PKI_INVERSE_FACTOR), PKI_VERDICT_NONE,
                "links from which inv(M) takes fewer operations by recursion than by the factor of M");
  pki_study_put(r, section, "inverse", "agreement", "1", NAN, d->apart, PKI_VERDICT_NONE,
                "largest relative difference of the three inverses, over all chains");
  pki_study_hold_most(r, 1e-8);
}

void pki_inverse_table(const pki_inverse_data *d, pki_table *table)
{
  const char *heads[1 + PKI_INVERSE_WAYS] = {"links"};
  memcpy(heads + 1, pki_inverse_titles, sizeof pki_inverse_titles);
  pki_table_begin(table, heads, 1 + PKI_INVERSE_WAYS);
  for (int i = 0; i < d->sizes; i++) {
    char text[1 + PKI_INVERSE_WAYS][32];
    const char *cells[1 + PKI_INVERSE_WAYS];
    snprintf(text[0], sizeof text[0], "%d", pki_inverse_links[i]);
    for (int way = 0; way < PKI_INVERSE_WAYS; way++) {
      snprintf(text[1 + way], sizeof text[0], "%.0f", d->flops[way][i]);
    }
    for (int k = 0; k <= PKI_INVERSE_WAYS; k++) {
      cells[k] = text[k];
    }
    pki_table_row(table, cells);
  }
}
