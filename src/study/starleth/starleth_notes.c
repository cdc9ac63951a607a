/* Why a value is not the paper's, said with what was measured. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/starleth/starleth.h"

/* Part of a step that is iteration. */
static double solve_share(const pki_starleth_trot *t)
{
  return t->parts[PK_STEP_PART_SOLVE].mean / t->step.mean;
}

/* us of one sweep. */
static double sweep_time(const pki_starleth_trot *t)
{
  return 1e6 * t->parts[PK_STEP_PART_SOLVE].mean / fmax(t->iterations, 1);
}

/* us of one of the paper's, if it makes as many as are made here and the rest of its step takes as long as Cm's. */
static double paper_sweep(const pki_starleth_data *d, int config)
{
  const double rest = 1e6 / pki_starleth_configs[0].rate;
  return (1e6 / pki_starleth_configs[config].rate - rest) / fmax(d->trots[config].iterations, 1);
}

static double smooth_time(const pki_starleth_trot *t)
{
  return 1e6 * (t->parts[PK_STEP_PART_DYNAMICS].mean + t->parts[PK_STEP_PART_FACTOR].mean);
}

double pki_starleth_like_for_like(const pki_starleth_data *d, int config)
{
  const double cm = 1 / pki_starleth_configs[0].rate, hmj = 1 / pki_starleth_configs[PKI_STARLETH_HMJ].rate;
  const double sweeps = d->trots[PKI_STARLETH_HMJ].parts[PK_STEP_PART_SOLVE].mean;
  const double rest = sweeps * cm / (hmj - cm);
  return (sweeps + rest) / (d->trots[config].parts[PK_STEP_PART_SOLVE].mean + rest);
}

void pki_starleth_explain_rate(const pki_starleth_data *d, int config, char *out, size_t size)
{
  const pki_starleth_config *c = &pki_starleth_configs[config];
  const pki_starleth_trot *t = &d->trots[config], *hmj = &d->trots[PKI_STARLETH_HMJ];
  const double paper = c->rate / pki_starleth_configs[PKI_STARLETH_HMJ].rate, ours = t->rate / hmj->rate;
  const bool near = ours > paper / 2 && ours < 2 * paper;
  if (config == PKI_STARLETH_DEFAULT) {
    snprintf(
        out, size,
        "warm starts and exact single contacts: %.1f sweeps a step instead of %.0f, to a residual of 1e-8",
        t->iterations, hmj->iterations);
  } else if (near) {
    snprintf(out, size, "within a factor of 2; the machines differ, the ratios compare");
  } else if (!c->hard) {
    snprintf(out, size,
             "M, h and the factor take %.1f us here, so the %.0f sweeps of HmJ are %.0f %% of its step; the "
             "paper's "
             "step of Cm, without any, took 112 us of HmJ's 185",
             smooth_time(hmj), hmj->iterations, 100 * solve_share(hmj));
  } else if (c->set == PKI_STARLETH_MINIMAL) {
    snprintf(out, size, "%.0f sweeps of %.2f us (HmJ: %.0f of %.2f us)", t->iterations, sweep_time(t),
             hmj->iterations, sweep_time(hmj));
  } else if (c->prox) {
    snprintf(out, size,
             "%.0f sweeps of %.2f us are %.0f %% of the step (HmJ: %.0f of %.2f us). With as many the "
             "paper's takes %.2f us "
             "(HmJ: %.2f): a sweep over all rows costs %.1f of HmJ's there, %.1f here, where HmJ's is no "
             "more than its arithmetic",
             t->iterations, sweep_time(t), 100 * solve_share(t), hmj->iterations, sweep_time(hmj),
             paper_sweep(d, config), paper_sweep(d, PKI_STARLETH_HMJ),
             paper_sweep(d, config) / paper_sweep(d, PKI_STARLETH_HMJ), sweep_time(t) / sweep_time(hmj));
  } else {
    snprintf(out, size,
             "%.0f sweeps of %.2f us, G_B and its factor among them, are %.0f %% of the step (HmJ: %.0f of "
             "%.2f us)",
             t->iterations, sweep_time(t), 100 * solve_share(t), hmj->iterations, sweep_time(hmj));
    const double once = t->form_rate[PKI_STARLETH_ELIMINATED] / hmj->rate;
    const size_t used = strlen(out);
    if (isfinite(once)) {
      snprintf(out + used, size - used, "; with the constraints eliminated once the ratio is %.2f", once);
    }
  }
}

void pki_starleth_explain_push(const pki_starleth_push *p, bool jor_at_table, char *out, size_t size)
{
  if (!p->done) {
    snprintf(out, size, "%s", pki_starleth_left_out);
  } else if (!p->finite) {
    snprintf(out, size, "runs away from %.2f s on, with %d contacts: %s", p->trouble, p->trouble_contacts,
             jor_at_table
                 ? "several contacts of one body add up in G, and Jacobi's alpha must stay below 2 over the "
                   "spectral radius of G/diag G; chosen from G it does (next row)"
                 : "the iteration diverged");
  } else {
    snprintf(out, size,
             "trunk at %.1e at the end; up to %d contacts; largest residual %.1e, %lld steps not certified",
             p->speed, p->contacts, p->residual, p->uncertified);
  }
}
