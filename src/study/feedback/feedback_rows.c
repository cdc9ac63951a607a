/* Rows of Table II and of the map. */
#include <math.h>
#include <stdio.h>

#include "study/feedback/feedback.h"
#include "study/study_verdict.h"

/* The paper's Table II: largest step in s, mean error there in rad, running time in s; 0: none. */
static const struct {
  double step, error, time;
} arm_paper[PKI_ARM_METHODS] = {
    [PKI_ARM_PD] = {0.001, 1.01e-2, 357},
    [PKI_ARM_PD_GEARED] = {0.05, 1.74e-1, 24.6},
    [PKI_ARM_TORQUE] = {0.05, 2.85e-2, 6.51},
    [PKI_ARM_CONSTRAINT] = {0.1, 1.15e-1, 2.85},
    [PKI_ARM_LIMP] = {0.1, 0, 0},
};

static double given(double value)
{
  return value > 0 ? value : NAN;
}

static void add_method(const pki_feedback_data *d, int method, pki_study_result *out)
{
  static const char section[] = "Table II: UR10, sinusoids in all joints";
  const pki_feedback_arm_data *a = &d->arm[method];
  const char *text = pki_arm_names[method].text;
  const double paper = arm_paper[method].step, pd = d->arm[PKI_ARM_PD].wall_1;
  char group[48];
  snprintf(group, sizeof group, "ur10/%s", pki_arm_names[method].id);
  pki_study_put(out, section, group, "step", "s", given(paper), a->limit, PKI_VERDICT_NONE,
                "%s: largest stable step", text);
  if (method == PKI_ARM_LIMP) {
    pki_study_excuse(out, "the paper's cap of 0.1 s; here joints without control spin up");
  } else if (paper > 0) {
    pki_study_hold_least(out, 0.95 * paper);
  }
  pki_study_note(out, "%s",
                 method == PKI_ARM_LIMP ? "it falls and its joints spin freely; unstable: nine times the "
                                          "kinetic energy of the run at 0.5 ms"
                                        : "doubled from 1 ms, then halved to 5 %; at most 0.1 s");
  if (method != PKI_ARM_LIMP) {
    pki_study_put(out, section, group, "error", "rad", given(arm_paper[method].error), a->at.error,
                  PKI_VERDICT_NONE, "%s: mean absolute error there", text);
    if (arm_paper[method].error > 0) {
      pki_study_hold_most(out, arm_paper[method].error);
      pki_study_require(out, a->limit > 0, "a stable step");
    }
    pki_study_put(out, section, group, "error-1", "rad", NAN, a->cells[0].error, PKI_VERDICT_NONE,
                  "%s: mean absolute error at 1 ms", text);
    pki_study_put(out, section, group, "error-10", "rad", NAN,
                  pki_feedback_stable(&a->cells[2]) ? a->cells[2].error : NAN, PKI_VERDICT_NONE,
                  "%s: mean absolute error at 10 ms", text);
    pki_study_note(out, "%s", pki_feedback_stable(&a->cells[2]) ? "" : "unstable");
    pki_study_put(out, section, group, "torque", "N m", NAN, a->at.torque, PKI_VERDICT_NONE,
                  "%s: largest torque at the largest step", text);
  }
  pki_study_put(out, section, group, "time", "s", given(arm_paper[method].time), a->wall, PKI_VERDICT_NONE,
                "%s: running time of %g s at the largest step", text, d->seconds);
  pki_study_excuse(out, "%s", pki_study_other_machine);
  pki_study_note(out, "%.3g times the speed of explicit PD at 1 ms; the paper's machine was another",
                 pd / a->wall);
}

static void add_speed(const pki_feedback_data *d, pki_study_result *out)
{
  static const char section[] = "Speed at the same accuracy: UR10";
  const pki_feedback_run *pd = &d->arm[PKI_ARM_PD].cells[0];
  const double wall = d->turns[0], ratio = wall / d->turns[1];
  pki_study_put(out, section, "speed", "step", "s", 0.01, d->equal_dt, PKI_VERDICT_NONE,
                "step at which the constraint is as accurate as explicit PD at 1 ms");
  pki_study_hold_least(out, 0.01);
  pki_study_note(out, "errors at the ends of steps, as in the paper: %.2g rad of PD", pd->error);
  pki_study_put(out, section, "speed", "ratio", "", 39, ratio, PKI_VERDICT_NONE,
                "how many times faster it is then");
  pki_study_hold_least(out, 39);
  if (d->quick) {
    pki_study_excuse(out, "%s", pki_study_quick);
  }
  pki_study_note(out, "%.3g ms against %.3g ms for %g s, in turns, medians of 9", 1e3 * d->turns[1],
                 1e3 * wall, d->seconds);
  pki_study_put(out, section, "speed", "even-step", "s", NAN, d->even_dt, PKI_VERDICT_NONE,
                "the same with errors between steps too, along straight lines");
  pki_study_note(out,
                 "%.2g rad of PD; the chord of a sinusoid is off by its curvature times dt^2/12 in the mean",
                 pd->between);
  pki_study_put(out, section, "speed", "even-ratio", "", NAN, wall / d->turns[2], PKI_VERDICT_NONE,
                "how many times faster it is then");
  pki_study_put(out, section, "speed", "even-error", "rad", 1.01e-2,
                d->arm[PKI_ARM_CONSTRAINT].cells[PKI_FEEDBACK_STEPS - 1].between, PKI_VERDICT_NONE,
                "error of the constraint at 0.1 s, between steps too");
  pki_study_hold_most(out, 1.01e-2);
  pki_study_note(out, "beside that of the paper's PD at 1 ms");
  pki_study_put(out, section, "speed", "kinematic", "s", NAN, d->kinematic, PKI_VERDICT_NONE,
                "kinematic simulation at 1 ms: accelerations integrated twice, no dynamics");
  pki_study_note(out, "%.3g times the speed of explicit PD at 1 ms", wall / d->kinematic);
}

/* The paper's hypotheses as orders of largest steps. */
static void add_hypotheses(const pki_feedback_data *d, pki_study_result *out)
{
  static const char section[] = "Hypotheses: ratios of largest steps, UR10";
  static const struct {
    const char *id, *text;
    int more, less;
    double paper;
  } rows[] = {
      {"1", "1: inverse dynamics as controller over PD", PKI_ARM_TORQUE, PKI_ARM_PD, 50},
      {"2", "2: inverse dynamics as constraint over controller", PKI_ARM_CONSTRAINT, PKI_ARM_TORQUE, 2},
      {"3", "3: PD of the geared arm over PD", PKI_ARM_PD_GEARED, PKI_ARM_PD, 50},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const double ratio = d->arm[rows[i].more].limit / d->arm[rows[i].less].limit;
    pki_study_put(out, section, "hypothesis", rows[i].id, "", rows[i].paper, ratio, PKI_VERDICT_NONE, "%s",
                  rows[i].text);
    pki_study_hold_least(out, 1);
  }
  pki_study_note(out, "gains of the geared arm were tuned at 50 ms, those of the other at 1 ms");
}

void pki_feedback_arm_rows(const pki_feedback_data *d, pki_study_result *result)
{
  for (int i = 0; i < PKI_ARM_METHODS; i++) {
    add_method(d, i, result);
  }
  add_speed(d, result);
  pki_feedback_baseline_rows(d, result);
  add_hypotheses(d, result);
}

/* ---- the map ---- */

/* Starts that do not hold, and what can be said of them. */
typedef struct lost_starts {
  int lost, fell, certified, elsewhere;
} lost_starts;

static lost_starts count_lost(const pki_feedback_data *d, int panel)
{
  lost_starts n = {0};
  for (int i = 0; i < PKI_FEEDBACK_FRICTIONS * d->starts; i++) {
    const int friction = i / d->starts, start = i % d->starts;
    const pki_feedback_start *s = &d->map[panel][friction][start];
    bool near = friction > 0 && d->map[panel][friction - 1][start].held;
    near = near || (friction + 1 < PKI_FEEDBACK_FRICTIONS && d->map[panel][friction + 1][start].held);
    for (int other = 0; other < PKI_FEEDBACK_PANELS; other++) { /* the same motion at another step */
      near =
          near || (other != panel && pki_feedback_panels[other].scene == pki_feedback_panels[panel].scene &&
                   d->map[other][friction][start].held);
    }
    n.lost += !s->held;
    n.fell += s->fell;
    n.certified += !s->held && s->certified;
    n.elsewhere += !s->held && near;
  }
  return n;
}

void pki_feedback_map_rows(const pki_feedback_data *d, pki_study_result *out)
{
  static const char section[] = "Random starts and friction: two stages, StarLETH";
  for (int panel = 0; panel < PKI_FEEDBACK_PANELS; panel++) {
    const pki_feedback_panel *p = &pki_feedback_panels[panel];
    char group[48];
    snprintf(group, sizeof group, "map/%s", p->id);
    for (int i = 0; i < PKI_FEEDBACK_FRICTIONS; i++) {
      char id[32];
      snprintf(id, sizeof id, "%.1f", pki_feedback_frictions[i]);
      pki_study_put(out, section, group, id, "starts", NAN, pki_feedback_held(d, panel, i), PKI_VERDICT_NONE,
                    "%s, friction %s: starts that hold", p->text, id);
      pki_study_note(out, "of %d; no fall, slip of every stance below 1 mm after 1.2 s, all steps certified",
                     d->starts);
    }
    const lost_starts n = count_lost(d, panel);
    pki_study_put(out, section, group, "lost", "runs", NAN, n.lost, PKI_VERDICT_NONE,
                  "%s: runs that do not hold", p->text);
    pki_study_note(
        out, "of %d; %d fell, %d are certified in every step: what happens is what the laws of contact give",
        PKI_FEEDBACK_FRICTIONS * d->starts, n.fell, n.certified);
    pki_study_put(out, section, group, "near", "runs", NAN, n.elsewhere, PKI_VERDICT_NONE,
                  "%s: of them, those that hold nearby", p->text);
    pki_study_note(out, "at the next friction of the map, or at another step of it");
  }
}
