/* Rows of accuracy, robustness and agreement. */
#include <math.h>
#include <stdio.h>

#include "study/starleth/starleth.h"
#include "study/study_verdict.h"

/* Where rows go: the section they stand in. */
typedef struct sheet {
  pki_study_result *result;
  const char *section;
} sheet;

static const pki_starleth_config *config_at(int i)
{
  return &pki_starleth_configs[i];
}

/* --- drift -------------------------------------------------------------------------- */

static void add_standing(const pki_starleth_data *d, pki_study_result *result)
{
  static const char *const ids[PKI_STARLETH_STEPS] = {"2.5ms", "1.25ms", "0.625ms"};
  const sheet s = {result, "Accuracy: drift and sinking in"};
  for (int k = 0; k < PKI_STARLETH_STEPS; k++) {
    pki_study_put(s.result, s.section, "drift/standing", ids[k], "um/min", 750, d->drift[k], PKI_VERDICT_NONE,
                  "HmJ at %g ms: standing feet sink", 1e3 * d->drift_dt[k]);
    pki_study_hold_part(s.result, 0.25);
    if (isnan(d->drift[k])) {
      pki_study_excuse(s.result, "%s", pki_starleth_left_out);
    } else {
      pki_study_note(
          s.result,
          "what the stop rule leaves of iterations that start from zero, a velocity that does not depend "
          "on the step");
    }
  }
  pki_study_put(s.result, s.section, "drift/standing", "1e-8", "um/min", NAN, d->drift_fine, PKI_VERDICT_NONE,
                "HmJ with T_rel = T_abs = 1e-8: standing feet sink");
  pki_study_note(s.result, "a hundredth of the tolerance, %.3g of the drift", d->drift_fine / d->drift[0]);
  pki_study_put(s.result, s.section, "drift/standing", "default", "um/min", NAN, d->drift_default,
                PKI_VERDICT_NONE, "default at 2.5 ms: standing feet sink");
  pki_study_hold_between(s.result, -1, 1);
}

static void add_sinking(const pki_starleth_data *d, pki_study_result *result)
{
  const sheet s = {result, "Accuracy: drift and sinking in"};
  const pki_starleth_trot *cm = &d->trots[0], *hmj = &d->trots[PKI_STARLETH_HMJ],
                          *own = &d->trots[PKI_STARLETH_DEFAULT];
  pki_study_put(s.result, s.section, "sink", "Cm/mean", "mm", 4.4, 1e3 * cm->stance, PKI_VERDICT_NONE,
                "Cm: depth of the deepest foot, mean");
  pki_study_note(s.result, "half the weight on c = 30000 N/m: 4.39 mm");
  pki_study_hold_part(s.result, 0.1);
  pki_study_put(s.result, s.section, "sink", "Cm/most", "mm", NAN, 1e3 * cm->penetration, PKI_VERDICT_NONE,
                "Cm: deepest");
  pki_study_put(s.result, s.section, "sink", "HmJ/most", "mm", NAN, 1e3 * hmj->penetration, PKI_VERDICT_NONE,
                "HmJ: deepest");
  pki_study_note(
      s.result,
      "a foot is seen when it is below ground in the middle of a step: up to a step of travel at its "
      "landing speed");
  pki_study_put(s.result, s.section, "sink", "default/most", "um", NAN, 1e6 * own->penetration,
                PKI_VERDICT_NONE, "default: deepest");
  pki_study_hold_most(s.result, 1);
}

/* The paper does not say which configuration, which trot and which measure; a velocity of rows that are solved exactly can only be
 * smaller than any of them. */
static void add_bilateral(const pki_starleth_data *d, pki_study_result *result)
{
  static const char open[] =
      "the paper names neither the coordinates nor the measure, and the drift goes with them";
  const sheet s = {result, "Accuracy: drift of bilateral constraints in the trot"};
  for (int i = 0; i < PKI_STARLETH_PAPER; i++) {
    const pki_starleth_config *c = config_at(i);
    const pki_starleth_trot *t = &d->trots[i];
    if (c->set == PKI_STARLETH_MINIMAL) {
      continue;
    }
    pki_study_put(s.result, s.section, "drift/bilateral-gap", c->name, "um/min", 0.59, 1e6 * t->gap_rate,
                  PKI_VERDICT_NONE, "%s: growth of the largest gap (m or rad)", c->name);
    pki_study_excuse(s.result, open);
    pki_study_note(s.result, "%s",
                   c->set == PKI_STARLETH_MAXIMAL ? "bodies move along tangents: a joint that is kept in "
                                                    "velocities opens by half omega^2 r dt a second, "
                                                    "whatever the solver (HMJD/half-step)"
                   : c->prox ? "what the stop rule leaves of velocities adds up (HEJP/1e-8)"
                             : "what is left are the tangents of a slowly turning trunk (HEJD/in-place)");
    pki_study_put(s.result, s.section, "drift/bilateral-velocity", c->name, "um/min", 0.59,
                  1e6 * t->velocity_rate, PKI_VERDICT_NONE,
                  "%s: largest bilateral velocity, mean of the steps", c->name);
    if (c->prox) {
      pki_study_excuse(s.result, open);
      pki_study_note(s.result, "what the stop rule leaves, of the worst row (HEJP/1e-8)");
    } else {
      pki_study_note(s.result, "solved exactly in each sweep: rounding");
      pki_study_hold_most(s.result, 0.59);
    }
  }
}

static void add_evidence(const pki_starleth_data *d, pki_study_result *result)
{
  static const struct {
    const char *id, *what;
    int of; /* the configuration that it stands beside */
  } runs[PKI_STARLETH_EVIDENCE] = {{"HMJD/half-step", "HMJD at 1.25 ms", PKI_STARLETH_HMJD},
                                   {"HEJP/1e-8", "HEJP with T_rel = T_abs = 1e-8", PKI_STARLETH_HEJP},
                                   {"HEJD/in-place", "HEJD, trotting in place", PKI_STARLETH_HEJD}};
  const sheet s = {result, "Accuracy: drift of bilateral constraints in the trot"};
  for (int k = 0; k < PKI_STARLETH_EVIDENCE; k++) {
    const pki_starleth_trot *t = &d->trots[runs[k].of];
    const bool measured = !isnan(d->evidence_gap[k]);
    pki_study_put(s.result, s.section, "drift/bilateral-gap", runs[k].id, "um/min", NAN,
                  1e6 * d->evidence_gap[k], PKI_VERDICT_NONE, "%s: growth of the largest gap", runs[k].what);
    if (measured) {
      pki_study_note(s.result, "%.3g of %s's", d->evidence_gap[k] / t->gap_rate, config_at(runs[k].of)->name);
    } else {
      pki_study_note(s.result, "%s", pki_starleth_left_out);
    }
    pki_study_put(s.result, s.section, "drift/bilateral-velocity", runs[k].id, "um/min", NAN,
                  1e6 * d->evidence_velocity[k], PKI_VERDICT_NONE, "%s: largest bilateral velocity, mean",
                  runs[k].what);
  }
}

/* --- robustness and agreement ---------------------------------------------------------- */

/* held: it has to fall, to stay finite and to come to rest. */
static void add_push(const sheet *s, const char *group, const char *what, const pki_starleth_push *p,
                     const char *text, bool held)
{
  const bool stands = p->finite && p->fell && p->rests;
  pki_study_put(s->result, s->section, group, "rests", "1", NAN, p->done ? stands : NAN, PKI_VERDICT_NONE,
                "%s: falls, comes to rest, stays finite (1: yes)", what);
  if (held) {
    pki_study_hold_least(s->result, 1);
  }
  if (held && !p->done) {
    pki_study_excuse(s->result, "%s", text);
  } else {
    pki_study_note(s->result, "%s", text);
  }
  pki_study_put(s->result, s->section, group, "penetration", "mm", NAN,
                p->done && p->finite ? 1e3 * p->penetration : NAN, PKI_VERDICT_NONE, "%s: deepest", what);
  pki_study_note(s->result, "%s", !p->done ? text : !p->finite ? "the motion did not stay finite" : "");
}

/* A push with Table 1's alpha, and of Jacobi with alpha chosen from G where that one was not enough. */
static void add_pushes_of(const sheet *s, const char *name, const pki_starleth_push *p,
                          const pki_starleth_push *own, bool jor, bool held)
{
  char group[48], what[48], text[256];
  snprintf(group, sizeof group, "push/%s", name);
  pki_starleth_explain_push(p, jor, text, sizeof text);
  add_push(s, group, name, p, text, held);
  if (jor) {
    snprintf(group, sizeof group, "push/%s/alpha-from-G", name);
    snprintf(what, sizeof what, "%s, alpha chosen from G", name);
    pki_starleth_explain_push(own, false, text, sizeof text);
    add_push(s, group, what, own, p->done && p->finite ? "not needed: Table 1's alpha held" : text, false);
  }
}

static void add_pushes(const pki_starleth_data *d, pki_study_result *result)
{
  const sheet s = {result, "Robustness: 500 N for 0.2 s on the standing trunk"};
  const pki_starleth_push *own = &d->pushes[PKI_STARLETH_DEFAULT];
  for (int i = 0; i < PKI_STARLETH_CONFIGS; i++) {
    const bool jor = config_at(i)->hard && !config_at(i)->sor && i < PKI_STARLETH_PAPER;
    add_pushes_of(&s, config_at(i)->name, &d->pushes[i], &d->auto_pushes[i], jor, true);
  }
  pki_study_put(s.result, s.section, "push/default", "uncertified", "steps", NAN, (double)own->uncertified,
                PKI_VERDICT_NONE, "default: steps that miss a relative residual of 1e-8");
  pki_study_hold_most(s.result, 0);
  pki_study_note(s.result, "of %lld; most contacts %d", own->steps, own->contacts);
  add_pushes_of(&s, "HmJ-on-shapes", &d->shape_push, &d->shape_auto_push, true, false);
}

static void add_agreement(const pki_starleth_data *d, pki_study_result *result)
{
  const sheet s = {result, "Agreement of configurations"};
  for (int set = 0; set < PKI_STARLETH_SETS; set++) {
    const double apart = d->agreement[set];
    pki_study_put(s.result, s.section, "agreement", pki_starleth_set_names[set], "um", NAN, 1e6 * apart,
                  PKI_VERDICT_NONE, "%s coordinates: largest distance of trunks, 1 s of trot solved to 1e-10",
                  pki_starleth_set_names[set]);
    pki_study_hold_most(s.result, 10);
    if (isnan(apart)) {
      pki_study_excuse(s.result, "%s", pki_starleth_left_out);
    } else {
      pki_study_note(s.result, "jor, sor and auto, bilateral rows in each way; largest residual %.0e",
                     d->agreement_residual[set]);
    }
  }
  for (int set = PKI_STARLETH_EXTENDED; set < PKI_STARLETH_SETS; set++) {
    const double *a = d->apart[set];
    const double order = log2(a[0] / a[PKI_STARLETH_HALVINGS]) / PKI_STARLETH_HALVINGS;
    pki_study_put(s.result, s.section, "order", pki_starleth_set_names[set], "1", NAN, order,
                  PKI_VERDICT_NONE,
                  "%s to minimal coordinates: order of convergence over four halvings of dt",
                  pki_starleth_set_names[set]);
    pki_study_hold_least(s.result, 0.8);
    if (isnan(order)) {
      pki_study_excuse(s.result, "%s", pki_starleth_left_out);
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

void pki_starleth_accuracy(const pki_starleth_data *d, pki_study_result *result)
{
  add_standing(d, result);
  add_sinking(d, result);
  add_bilateral(d, result);
  add_evidence(d, result);
  add_pushes(d, result);
  add_agreement(d, result);
}
