/* Rows of Table I, of the long runs and of regularisation. */
#include <math.h>
#include <stdio.h>

#include "study/feedback/feedback.h"
#include "study/study_verdict.h"

/* The paper's Table I, of its own quadruped: largest step in s, mean error there in rad, running time in s; 0: none. */
static const struct {
  double step, error, time;
} leg_paper[PKI_LEG_METHODS] = {
    [PKI_LEG_PD] = {0.001, 3.80e-2, 24.84},
    [PKI_LEG_TORQUE] = {0.004, 9.05e-3, 4.97},
    [PKI_LEG_QP] = {0.1, 5.10e-2, 2.54},
};

/* The last row is a largest step of the paper's quadruped: no smaller than its, but for 5 % of the bisection. */
static void hold_step(const pki_feedback_data *d, double paper, pki_study_result *out)
{
  pki_study_hold_least(out, 0.95 * paper);
  if (d->quick) {
    pki_study_excuse(out, "%s", pki_study_quick);
  }
}

/* The last row is an error at the largest step: no worse than the paper's, where steps are alike. */
static void hold_error(const pki_feedback_data *d, int method, double step, pki_study_result *out)
{
  pki_study_hold_most(out, leg_paper[method].error);
  if (d->quick) {
    pki_study_excuse(out, "%s", pki_study_quick);
  } else if (step > 2 * leg_paper[method].step) {
    pki_study_excuse(out, "at %.3g times the paper's step, where its robot is unstable",
                     step / leg_paper[method].step);
  }
}

static double given(bool has, double value)
{
  return has && value > 0 ? value : NAN;
}

static void add_cells(const pki_feedback_leg_data *l, const char *section, const char *group,
                      const char *text, pki_study_result *out)
{
  for (int i = 0; i < PKI_FEEDBACK_STEPS; i++) {
    const pki_feedback_run *r = &l->cells[i];
    char id[32];
    snprintf(id, sizeof id, "%g/error", 1e3 * pki_feedback_steps[i]);
    pki_study_put(out, section, group, id, "rad", NAN, r->error, PKI_VERDICT_NONE,
                  "%s, %g ms: mean absolute error", text, 1e3 * pki_feedback_steps[i]);
    if (r->steps == 0 && !r->failed) {
      pki_study_note(out, "left out of a quick study");
    } else if (r->failed || r->fell) {
      pki_study_note(out, "%s at %.2f s", r->failed ? "fails" : "falls", r->ended);
    } else {
      pki_study_note(out, "torque %.3g N m, worst residual %.1e, %lld of %lld steps uncertified, %.3g m/s",
                     r->torque, r->residual, r->uncertified, r->steps, r->speed);
    }
    snprintf(id, sizeof id, "%g/slip", 1e3 * pki_feedback_steps[i]);
    pki_study_put(out, section, group, id, "mm", NAN, 1e3 * r->slip_mean, PKI_VERDICT_NONE,
                  "%s, %g ms: slip per stance", text, 1e3 * pki_feedback_steps[i]);
    pki_study_note(out, "largest of %lld stances %.3g mm", r->stances, 1e3 * r->slip);
  }
}

static void add_method(const pki_feedback_data *d, int scene, int method, pki_study_result *out)
{
  const pki_feedback_leg_data *l = &d->legs[scene][method];
  const bool own = scene == PKI_SCENE_LINKS; /* the paper's quadruped */
  const char *text = pki_leg_names[method].text;
  const double paper = leg_paper[method].step;
  char section[96], group[48];
  snprintf(section, sizeof section, "Table I: %s", pki_scene_names[scene].text);
  snprintf(group, sizeof group, "%s/%s", pki_scene_names[scene].id, pki_leg_names[method].id);
  pki_study_put(out, section, group, "step", "s", given(own, paper), l->limit, PKI_VERDICT_NONE,
                "%s: largest stable step", text);
  if (own && paper > 0) {
    hold_step(d, paper, out);
  }
  if (pki_feedback_is_dense((pki_feedback_leg_method)method)) {
    const int at = d->quick ? 2 : 0; /* the first of the steps that were run */
    const pki_dense_run *first = &l->dense[at];
    pki_study_note(out, "%s; at %g ms %lld of %lld problems solved, friction %.1e of what it could be",
                   method == PKI_LEG_MLCP ? "the paper: unstable at any" : "of five",
                   1e3 * pki_feedback_steps[at], first->solved, first->run.steps, first->friction);
  }
  pki_study_put(out, section, group, "error", "rad", given(own, leg_paper[method].error),
                l->limit > 0 ? l->at.error : NAN, PKI_VERDICT_NONE, "%s: mean absolute error there", text);
  if (own && leg_paper[method].error > 0) {
    hold_error(d, method, l->limit, out);
  }
  pki_study_put(out, section, group, "time", "s", given(own, leg_paper[method].time),
                l->limit > 0 ? l->wall : NAN, PKI_VERDICT_NONE, "%s: running time of %g s there", text,
                d->seconds);
  if (own && leg_paper[method].time > 0) {
    pki_study_excuse(out, "%s", pki_study_other_machine);
  }
  add_cells(l, section, group, text, out);
}

/* The paper's mark for its own quadruped at 0.1 s, by Pronk's ways. */
static void add_marks(const pki_feedback_data *d, pki_study_result *out)
{
  static const char section[] = "The paper's mark: links at 0.1 s";
  for (int method = PKI_LEG_CONSTRAINT; method < PKI_LEG_METHODS; method++) {
    const pki_feedback_run *r = &d->legs[PKI_SCENE_LINKS][method].cells[PKI_FEEDBACK_STEPS - 1],
                           *qp = &d->legs[PKI_SCENE_LINKS][PKI_LEG_QP].cells[PKI_FEEDBACK_STEPS - 1];
    pki_study_put(out, section, "mark", pki_leg_names[method].id, "rad", 5.10e-2, r->error, PKI_VERDICT_NONE,
                  "%s: mean absolute error", pki_leg_names[method].text);
    pki_study_hold_most(out, 5.10e-2);
    pki_study_require(out, !r->failed && !r->fell, "no fall");
    pki_study_note(out, "slip per stance %.3g mm, of the paper's QP %.3g mm", 1e3 * r->slip_mean,
                   1e3 * qp->slip_mean);
  }
}

/* ---- the open problem ---- */

static void add_lasting(const pki_feedback_data *d, int motion, int step, pki_study_result *out)
{
  static const char *const names[2] = {"trot", "sinusoids"};
  static const double slips[2] = {1e-4, 1e-3}, errors[2] = {1e-3, 0.05}, wanted = 0.3; /* m, rad, m/s */
  const pki_feedback_run *r = &d->lasting[motion][step];
  const double ms = 1e3 * r->dt;
  char section[96], group[48];
  snprintf(section, sizeof section, "The open problem: StarLETH, two stages, 30 N m, %g s each",
           d->long_seconds);
  snprintf(group, sizeof group, "open/%s/%g", names[motion], ms);
  pki_study_put(out, section, group, "stands", "s", d->long_seconds, r->ended, PKI_VERDICT_NONE,
                "%s, %g ms: walks for", names[motion], ms);
  pki_study_hold_near(out, 1e-3);
  pki_study_require(out, !r->fell && !r->failed, "no fall");
  pki_study_put(out, section, group, "slip", "mm", 1e3 * slips[motion], 1e3 * r->slip, PKI_VERDICT_NONE,
                "%s, %g ms: slip of the worst stance", names[motion], ms);
  pki_study_hold_most(out, 1e3 * slips[motion]);
  pki_study_note(out, "of %lld stances; mean %.3g mm, above 1 mm in %lld", r->stances, 1e3 * r->slip_mean,
                 r->bad);
  pki_study_put(out, section, group, "error", "rad", errors[motion], r->error, PKI_VERDICT_NONE,
                "%s, %g ms: mean absolute error", names[motion], ms);
  pki_study_hold_most(out, errors[motion]);
  pki_study_put(out, section, group, "speed", "m/s", wanted, r->speed, PKI_VERDICT_NONE,
                "%s, %g ms: speed after 3 s", names[motion], ms);
  pki_study_hold_part(out, 0.1);
  pki_study_put(out, section, group, "uncertified", "steps", 0, (double)r->uncertified, PKI_VERDICT_NONE,
                "%s, %g ms: steps above 1e-8", names[motion], ms);
  pki_study_hold_most(out, 0);
  pki_study_require(out, !r->failed, "no failed step");
  pki_study_note(out, "worst %.1e of %lld steps", r->residual, r->steps);
  pki_study_put(out, section, group, "torque", "N m", 30, r->torque, PKI_VERDICT_NONE,
                "%s, %g ms: largest torque", names[motion], ms);
  pki_study_hold_most(out, 30 * (1 + 1e-9));
  pki_study_put(out, section, group, "pace", "", NAN, r->ended / r->wall, PKI_VERDICT_NONE,
                "%s, %g ms: times real time", names[motion], ms);
}

/* ---- regularisation ---- */

static void add_shift(const pki_feedback_data *d, int shift, int step, pki_study_result *out)
{
  static const char section[] = "The paper's MLCP with Tikhonov's term: StarLETH's trot, Dantzig";
  const pki_dense_run *r = &d->shifted[shift][step];
  const double ms = 1e3 * r->run.dt;
  char group[48];
  snprintf(group, sizeof group, "mlcp/%g/%g", pki_feedback_shifts[shift], ms);
  pki_study_put(out, section, group, "solved", "%", NAN,
                100.0 * (double)r->solved / fmax(1, (double)r->run.steps), PKI_VERDICT_NONE,
                "%g added, %g ms: steps that are solved", pki_feedback_shifts[shift], ms);
  pki_study_note(out, "%s at %.2f s; foot %.2g mm deep, torque up to %.3g N m",
                 r->run.failed ? "fails"
                 : r->run.fell ? "falls"
                               : "ends",
                 r->run.ended, 1e3 * r->sink, r->run.torque);
  pki_study_put(out, section, group, "error", "rad", NAN, r->run.error, PKI_VERDICT_NONE,
                "%g added, %g ms: mean absolute error", pki_feedback_shifts[shift], ms);
  pki_study_put(out, section, group, "slip", "mm", NAN, 1e3 * r->run.slip_mean, PKI_VERDICT_NONE,
                "%g added, %g ms: slip per stance", pki_feedback_shifts[shift], ms);
}

void pki_feedback_leg_rows(const pki_feedback_data *d, pki_study_result *result)
{
  for (int i = 0; i < 2 * PKI_FEEDBACK_LONG; i++) {
    add_lasting(d, i / PKI_FEEDBACK_LONG, i % PKI_FEEDBACK_LONG, result);
  }
  add_marks(d, result);
  for (int i = 0; i < PKI_SCENES * PKI_LEG_METHODS; i++) {
    add_method(d, i / PKI_LEG_METHODS, i % PKI_LEG_METHODS, result);
  }
  for (int i = 0; i < 2 * PKI_FEEDBACK_SHIFTS; i++) {
    add_shift(d, i / 2, i % 2, result);
  }
}
