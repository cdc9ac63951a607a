/* Every value of the study as a row beside the paper's. */
#include <math.h>
#include <stdio.h>

#include "study/starleth/starleth.h"

/* Where rows go: the section they stand in. */
typedef struct sheet {
  pki_study_result *result;
  const char *section;
} sheet;

static const pki_starleth_config *config_at(int i)
{
  return &pki_starleth_configs[i];
}

/* --- Table 1 --------------------------------------------------------------------------- */

static void add_table(const pki_starleth_data *d, pki_study_result *result)
{
  const sheet s = {result, "Table 1: the trot, evaluations per second"};
  const double want = 0.8 * d->cycles;
  for (int i = 0; i < PKI_STARLETH_CONFIGS; i++) {
    const pki_starleth_trot *t = &d->trots[i];
    const char *name = config_at(i)->name;
    const double hmj = d->trots[PKI_STARLETH_HMJ].rate, paper_hmj = config_at(PKI_STARLETH_HMJ)->rate;
    char group[32], text[256];
    snprintf(group, sizeof group, "table1/%s", name);
    pki_study_put(s.result, s.section, group, "trots", "s", d->quick ? NAN : 20, t->seconds,
                  pki_verdict_of(!t->fell && t->seconds > want - 0.01), "%s: trots without falling", name);
    pki_study_note(s.result,
                   "%.2f m forward; %lld steps reached the limit of iterations; largest residual %.1e",
                   t->distance, t->unfinished, t->residual);
    pki_study_put(s.result, s.section, group, "rate", "1/s", config_at(i)->rate, t->rate, PKI_VERDICT_NONE,
                  "%s: evaluations per second, controller not counted", name);
    pki_study_note(s.result, "another machine: compare the ratios to HmJ");
    pki_study_put(s.result, s.section, group, "ratio", "1", config_at(i)->rate / paper_hmj, t->rate / hmj,
                  PKI_VERDICT_NONE, "%s: evaluations per second over HmJ's", name);
    pki_starleth_explain_rate(d, i, text, sizeof text);
    pki_study_note(s.result, "%s", text);
    pki_study_put(s.result, s.section, group, "rtf", "1", config_at(i)->rtf, t->rtf, PKI_VERDICT_NONE,
                  "%s: real-time factor", name);
    pki_study_note(s.result, "another machine");
    if (config_at(i)->hard && i < PKI_STARLETH_PAPER) {
      pki_study_put(s.result, s.section, group, "impulse-rate", "1/s", NAN, t->impulse_rate, PKI_VERDICT_NONE,
                    "%s: evaluations per second, iterating in impulses with G", name);
      pki_study_note(s.result, "%s",
                     isnan(t->impulse_rate) ? pki_starleth_left_out
                                            : "the same iterates; G is small and cheap here");
    }
  }
}

/* --- figures --------------------------------------------------------------------------- */

static void add_forces(const pki_starleth_data *d, pki_study_result *result)
{
  static const char *const ids[PKI_STARLETH_CURVES] = {"fig5/Cm", "fig5/HmJ", "fig5/damped-quarter",
                                                       "fig5/damped-eighth"};
  static const char *const notes[PKI_STARLETH_CURVES] = {
      "the paper: coincides well with the hard one, oscillates", "impulses over dt",
      "the paper: damped out rapidly. Here it is not: dt d W is 2.95, and explicit damping ends at 2 (W of a "
      "foot: up to "
      "18.9 per kg)",
      "dt d W is 1.48: damped out, with a higher force at the impact than Cm, as in the paper"};
  const sheet s = {result, "Fig. 5: normal force of the left fore foot over a cycle"};
  for (int k = 0; k < PKI_STARLETH_CURVES; k++) {
    const pki_starleth_curve *c = &d->curves[k];
    pki_study_put(s.result, s.section, ids[k], "mean", "N", NAN, c->mean, PKI_VERDICT_NONE,
                  "%s: mean over eight cycles", c->name);
    pki_study_note(s.result, "a quarter of the weight is 65.8 N");
    pki_study_put(s.result, s.section, ids[k], "peak", "N", NAN, c->peak, PKI_VERDICT_NONE,
                  "%s: largest force", c->name);
    pki_study_note(s.result, "%s", notes[k]);
    if (k != 1) {
      pki_study_put(s.result, s.section, ids[k], "ripple", "N", NAN, c->ripple, PKI_VERDICT_NONE,
                    "%s: deviation from the hard curve, 50 to 350 ms after landing", c->name);
    }
  }
}

static void add_iterations(const pki_starleth_data *d, pki_study_result *result)
{
  const sheet s = {result, "Fig. 6: iterations against alpha"};
  for (int i = PKI_STARLETH_HMJ; i < PKI_STARLETH_PAPER; i++) {
    const pki_starleth_config *c = config_at(i);
    char group[32], text[256];
    snprintf(group, sizeof group, "fig6/%s", c->name);
    pki_study_put(s.result, s.section, group, "iterations", "1", NAN, d->trots[i].iterations,
                  PKI_VERDICT_NONE, "%s: mean iterations of a step at alpha %.1f", c->name, c->alpha);
    pki_study_note(s.result, "most in one step: %d", d->trots[i].most_iterations);
    pki_study_put(s.result, s.section, group, "limit", "1", 2 * c->alpha, d->sweeps[i].limit,
                  PKI_VERDICT_NONE, "%s: largest alpha at which every step converges", c->name);
    if (isnan(d->sweeps[i].limit)) {
      pki_study_note(s.result, "%s", pki_starleth_left_out);
    } else {
      pki_starleth_explain_limit(d, i, text, sizeof text);
      pki_study_note(s.result, "%s", text);
    }
  }
}

static void add_times(const pki_starleth_data *d, pki_study_result *result)
{
  const sheet s = {result, "Fig. 7: time of one step by part"};
  for (int i = 0; i < PKI_STARLETH_CONFIGS; i++) {
    const pki_starleth_trot *t = &d->trots[i];
    char group[32];
    snprintf(group, sizeof group, "fig7/%s", config_at(i)->name);
    pki_study_put(s.result, s.section, group, "step", "us", 1e6 / config_at(i)->rate, 1e6 * t->step.mean,
                  PKI_VERDICT_NONE, "%s: one step", config_at(i)->name);
    pki_study_note(s.result, "another machine; standard deviation %.1f us", 1e6 * t->step.deviation);
    for (int p = PK_STEP_PART_CONTROL + 1; p < PK_STEP_PART_COUNT; p++) {
      pki_study_put(s.result, s.section, group, pk_step_part_name((pk_step_part)p), "us", NAN,
                    1e6 * t->parts[p].mean, PKI_VERDICT_NONE, "%s: %s", config_at(i)->name,
                    pk_step_part_name((pk_step_part)p));
      pki_study_note(s.result, "standard deviation %.1f us", 1e6 * t->parts[p].deviation);
    }
  }
}

/* --- accuracy -------------------------------------------------------------------------- */

static void add_standing(const pki_starleth_data *d, pki_study_result *result)
{
  static const char *const ids[PKI_STARLETH_STEPS] = {"2.5ms", "1.25ms", "0.625ms"};
  const sheet s = {result, "Accuracy: drift and sinking in"};
  for (int k = 0; k < PKI_STARLETH_STEPS; k++) {
    pki_study_put(s.result, s.section, "drift/standing", ids[k], "um/min", 750, d->drift[k],
                  isnan(d->drift[k]) ? PKI_VERDICT_NONE
                                     : pki_verdict_of(fabs(d->drift[k] - 750) < 0.25 * 750),
                  "HmJ at %g ms: standing feet sink", 1e3 * d->drift_dt[k]);
    pki_study_note(s.result, "%s",
                   isnan(d->drift[k])
                       ? pki_starleth_left_out
                       : "what the stop rule leaves of iterations that start from zero, a velocity that "
                         "does not depend on the step; held to 25 %");
  }
  pki_study_put(s.result, s.section, "drift/standing", "1e-8", "um/min", NAN, d->drift_fine, PKI_VERDICT_NONE,
                "HmJ with T_rel = T_abs = 1e-8: standing feet sink");
  pki_study_note(s.result, "a hundredth of the tolerance, a hundredth of the drift");
  pki_study_put(s.result, s.section, "drift/standing", "default", "um/min", NAN, d->drift_default,
                pki_verdict_of(fabs(d->drift_default) < 1), "default at 2.5 ms: standing feet sink");
  pki_study_note(s.result, "held to 1 um/min");
  const pki_starleth_trot *cm = &d->trots[0], *hmj = &d->trots[PKI_STARLETH_HMJ],
                          *own = &d->trots[PKI_STARLETH_DEFAULT];
  pki_study_put(s.result, s.section, "sink", "Cm/mean", "mm", 4.4, 1e3 * cm->stance, PKI_VERDICT_NONE,
                "Cm: depth of the deepest foot, mean");
  pki_study_note(s.result, "half the weight on c = 30000 N/m: 4.39 mm");
  pki_study_put(s.result, s.section, "sink", "Cm/most", "mm", NAN, 1e3 * cm->penetration, PKI_VERDICT_NONE,
                "Cm: deepest");
  pki_study_put(s.result, s.section, "sink", "HmJ/most", "mm", NAN, 1e3 * hmj->penetration, PKI_VERDICT_NONE,
                "HmJ: deepest");
  pki_study_note(
      s.result,
      "a foot is seen when it is below ground in the middle of a step: up to a step of travel at its "
      "landing speed");
  pki_study_put(s.result, s.section, "sink", "default/most", "um", NAN, 1e6 * own->penetration,
                pki_verdict_of(own->penetration < 1e-6), "default: deepest");
  pki_study_note(s.result, "held to 1 um");
}

static void add_bilateral(const pki_starleth_data *d, pki_study_result *result)
{
  const sheet s = {result, "Accuracy: drift of bilateral constraints in the trot"};
  for (int i = 0; i < PKI_STARLETH_PAPER; i++) {
    const pki_starleth_config *c = config_at(i);
    const pki_starleth_trot *t = &d->trots[i];
    if (c->set == PKI_STARLETH_MINIMAL) {
      continue;
    }
    pki_study_put(s.result, s.section, "drift/bilateral-gap", c->name, "um/min", 0.59, 1e6 * t->gap_rate,
                  PKI_VERDICT_NONE, "%s: growth of the largest gap (m or rad)", c->name);
    pki_study_note(
        s.result, "%s",
        c->set == PKI_STARLETH_MAXIMAL
            ? "bodies move along tangents: a joint that is kept in velocities opens by half omega^2 r dt a "
              "second, "
              "whatever the solver. Half the step, half the drift (HMJD/half-step)"
        : c->prox ? "what the stop rule leaves of velocities adds up: at 1e-8 it is gone (HEJP/1e-8)"
                  : "hips turn slowly: the joint is nearly exact. Nearest to the paper, which does not say "
                    "which set "
                    "it measured");
    pki_study_put(s.result, s.section, "drift/bilateral-velocity", c->name, "um/min", 0.59,
                  1e6 * t->velocity_rate, PKI_VERDICT_NONE,
                  "%s: largest bilateral velocity, mean of the steps", c->name);
    pki_study_note(
        s.result, "%s",
        c->prox
            ? "what the stop rule leaves: proportional to its tolerance (HEJP/1e-8); the worst of all rows"
            : "eliminated exactly: rounding");
  }
  static const char *const why[2] = {"", "a hundredth of the tolerance, a hundredth of the velocity"};
  for (int k = 0; k < 2; k++) {
    static const char *const ids[2] = {"HMJD/half-step", "HEJP/1e-8"};
    static const char *const what[2] = {"HMJD at 1.25 ms", "HEJP with T_rel = T_abs = 1e-8"};
    pki_study_put(s.result, s.section, "drift/bilateral-gap", ids[k], "um/min", NAN, 1e6 * d->evidence_gap[k],
                  PKI_VERDICT_NONE, "%s: growth of the largest gap", what[k]);
    pki_study_note(s.result, "%s", isnan(d->evidence_gap[k]) ? pki_starleth_left_out : "");
    pki_study_put(s.result, s.section, "drift/bilateral-velocity", ids[k], "um/min", NAN,
                  1e6 * d->evidence_velocity[k], PKI_VERDICT_NONE, "%s: largest bilateral velocity, mean",
                  what[k]);
    pki_study_note(s.result, "%s", isnan(d->evidence_gap[k]) ? pki_starleth_left_out : why[k]);
  }
}

/* --- robustness and agreement ---------------------------------------------------------- */

static void add_push(const sheet *s, const char *group, const char *what, const pki_starleth_push *p,
                     const char *text, pki_verdict verdict)
{
  pki_study_put(s->result, s->section, group, "rests", "1", NAN,
                p->done ? p->finite && p->fell && p->rests : NAN, verdict,
                "%s: falls, comes to rest, stays finite (1: yes)", what);
  pki_study_note(s->result, "%s", text);
  pki_study_put(s->result, s->section, group, "penetration", "mm", NAN,
                p->done && p->finite ? 1e3 * p->penetration : NAN, PKI_VERDICT_NONE, "%s: deepest", what);
  pki_study_note(s->result, "%s", !p->done ? text : !p->finite ? "the motion did not stay finite" : "");
}

static void add_pushes(const pki_starleth_data *d, pki_study_result *result)
{
  const sheet s = {result, "Robustness: 500 N for 0.2 s on the standing trunk"};
  for (int i = 0; i < PKI_STARLETH_CONFIGS; i++) {
    const pki_starleth_push *p = &d->pushes[i], *own = &d->auto_pushes[i];
    const bool jor = config_at(i)->hard && !config_at(i)->sor && i < PKI_STARLETH_PAPER;
    const bool held = i == PKI_STARLETH_DEFAULT && p->done;
    char group[48], what[48], text[256];
    snprintf(group, sizeof group, "push/%s", config_at(i)->name);
    pki_starleth_explain_push(p, jor, text, sizeof text);
    add_push(&s, group, config_at(i)->name, p, text,
             held ? pki_verdict_of(p->finite && p->fell && p->rests) : PKI_VERDICT_NONE);
    if (jor) {
      snprintf(group, sizeof group, "push/%s/alpha-from-G", config_at(i)->name);
      snprintf(what, sizeof what, "%s, alpha chosen from G", config_at(i)->name);
      pki_starleth_explain_push(own, false, text, sizeof text);
      add_push(&s, group, what, own, p->done && p->finite ? "not needed: Table 1's alpha held" : text,
               PKI_VERDICT_NONE);
    }
    if (held) {
      pki_study_put(s.result, s.section, group, "uncertified", "steps", NAN, (double)p->uncertified,
                    pki_verdict_of(p->uncertified == 0), "%s: steps that miss a relative residual of 1e-8",
                    config_at(i)->name);
      pki_study_note(s.result, "of %lld; most contacts %d", p->steps, p->contacts);
    }
  }
}

static void add_agreement(const pki_starleth_data *d, pki_study_result *result)
{
  const sheet s = {result, "Agreement of configurations"};
  for (int set = 0; set < PKI_STARLETH_SETS; set++) {
    const double apart = d->agreement[set];
    pki_study_put(s.result, s.section, "agreement", pki_starleth_set_names[set], "um", NAN, 1e6 * apart,
                  isnan(apart) ? PKI_VERDICT_NONE : pki_verdict_of(apart < 1e-5),
                  "%s coordinates: largest distance of trunks, 1 s of trot solved to 1e-10",
                  pki_starleth_set_names[set]);
    if (isnan(apart)) {
      pki_study_note(s.result, "%s", pki_starleth_left_out);
    } else {
      pki_study_note(s.result, "jor, sor and auto, direct and prox; held to 10 um; largest residual %.0e",
                     d->agreement_residual[set]);
    }
  }
  for (int set = PKI_STARLETH_EXTENDED; set < PKI_STARLETH_SETS; set++) {
    const double *a = d->apart[set];
    const double order = log2(a[0] / a[PKI_STARLETH_HALVINGS]) / PKI_STARLETH_HALVINGS;
    pki_study_put(s.result, s.section, "order", pki_starleth_set_names[set], "1", NAN, order,
                  isnan(order) ? PKI_VERDICT_NONE : pki_verdict_of(order > 0.8),
                  "%s to minimal coordinates: order of convergence over four halvings of dt",
                  pki_starleth_set_names[set]);
    if (isnan(order)) {
      pki_study_note(s.result, "%s", pki_starleth_left_out);
    } else {
      pki_study_note(
          s.result,
          "trunks are %.1e, %.1e, %.1e, %.1e, %.1e m apart after 0.3 s of trot; Moreau's scheme depends on "
          "the "
          "coordinates at first order",
          a[0], a[1], a[2], a[3], a[4]);
    }
  }
}

void pki_starleth_rows(const pki_starleth_data *d, pki_study_result *result)
{
  add_table(d, result);
  add_forces(d, result);
  add_iterations(d, result);
  add_times(d, result);
  add_standing(d, result);
  add_bilateral(d, result);
  add_pushes(d, result);
  add_agreement(d, result);
}
