/* Every value of the study as a row beside the paper's. */
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

/* --- the robot ------------------------------------------------------------------------- */

/* A count that has to be the paper's. */
static void add_count(const sheet *s, const char *group, const char *id, int paper, int ours,
                      const char *what)
{
  pki_study_put(s->result, s->section, group, id, "1", paper, ours, PKI_VERDICT_NONE, "%s", what);
  pki_study_hold_near(s->result, 0);
}

static void add_robot(const pki_starleth_data *d, pki_study_result *result)
{
  static const int paper[PKI_STARLETH_SETS][2] = {{18, 0}, {38, 20}, {78, 60}};
  const sheet s = {result, "The robot and its coordinates"};
  add_count(&s, "robot", "bodies", 13, d->bodies, "bodies");
  add_count(&s, "robot", "hinges", 12, d->hinges, "hinges");
  add_count(&s, "robot", "points", 4 + 12, d->points, "points of contact, at each foot and joint");
  for (int set = 0; set < PKI_STARLETH_SETS; set++) {
    char group[32];
    snprintf(group, sizeof group, "robot/%s", pki_starleth_set_names[set]);
    add_count(&s, group, "velocities", paper[set][0], d->sizes[set][0], "velocities");
    add_count(&s, group, "rows", paper[set][1], d->sizes[set][1], "bilateral rows");
  }
}

/* --- Table 1 --------------------------------------------------------------------------- */

static const char machine[] = "speed on another machine; compare the ratios to HmJ";
static const char load[] =
    "a ratio of speeds: it changes with the machine and what else it does; the note says where it comes from";

static void add_forms(const sheet *s, const char *group, const pki_starleth_trot *t, int config)
{
  static const char *const ids[PKI_STARLETH_FORMS] = {NULL, "impulse-rate", "fine-rate", "eliminated-rate"};
  static const char *const what[PKI_STARLETH_FORMS] = {
      NULL, "iterating in impulses with G", "normal before tangents", "bilateral rows eliminated with M"};
  for (int form = PKI_STARLETH_IMPULSES; form < PKI_STARLETH_FORMS; form++) {
    if (!pki_starleth_has_form(config_at(config), (pki_starleth_form)form)) {
      continue;
    }
    pki_study_put(s->result, s->section, group, ids[form], "1/s", NAN, t->form_rate[form], PKI_VERDICT_NONE,
                  "%s: evaluations per second, %s", config_at(config)->name, what[form]);
    if (isnan(t->form_rate[form])) {
      pki_study_note(s->result, "%s", pki_starleth_left_out);
    } else {
      pki_study_note(s->result, "%.0f sweeps a step, as published %.0f", t->form_iterations[form],
                     t->form_iterations[PKI_STARLETH_PUBLISHED]);
    }
  }
}

/* Speeds of a configuration. */
static void add_rates(const pki_starleth_data *d, const sheet *s, const char *group, int i)
{
  const pki_starleth_trot *t = &d->trots[i];
  const char *name = config_at(i)->name;
  const double hmj = d->trots[PKI_STARLETH_HMJ].rate, paper_hmj = config_at(PKI_STARLETH_HMJ)->rate;
  char text[256];
  pki_study_put(s->result, s->section, group, "rate", "1/s", config_at(i)->rate, t->rate, PKI_VERDICT_NONE,
                "%s: evaluations per second, controller not counted", name);
  pki_study_excuse(s->result, machine);
  pki_study_put(s->result, s->section, group, "ratio", "1", config_at(i)->rate / paper_hmj, t->rate / hmj,
                PKI_VERDICT_NONE, "%s: evaluations per second over HmJ's", name);
  pki_starleth_explain_rate(d, i, text, sizeof text);
  pki_study_note(s->result, "%s", text);
  pki_study_excuse(s->result, load);
  if (config_at(i)->hard && i < PKI_STARLETH_PAPER) {
    pki_study_put(s->result, s->section, group, "like-for-like", "1", config_at(i)->rate / paper_hmj,
                  pki_starleth_like_for_like(d, i), PKI_VERDICT_NONE,
                  "%s: the same if M, h and inv(M) were the paper's part of HmJ's step", name);
    pki_study_note(
        s->result,
        "what all but the sweeps takes counts as 112/73 of HmJ's sweeps in each: Cm's 112 us and the 73 us "
        "by which the paper's HmJ is longer");
    pki_study_excuse(s->result, load);
  }
  pki_study_put(s->result, s->section, group, "rtf", "1", config_at(i)->rtf, t->rtf, PKI_VERDICT_NONE,
                "%s: real-time factor", name);
  pki_study_excuse(s->result, machine);
}

static void add_table(const pki_starleth_data *d, pki_study_result *result)
{
  const sheet s = {result, "Table 1: the trot, evaluations per second"};
  const double want = 0.8 * d->cycles;
  for (int i = 0; i < PKI_STARLETH_CONFIGS; i++) {
    const pki_starleth_trot *t = &d->trots[i];
    char group[32];
    snprintf(group, sizeof group, "table1/%s", config_at(i)->name);
    pki_study_put(s.result, s.section, group, "trots", "s", d->quick ? NAN : 20, t->seconds, PKI_VERDICT_NONE,
                  "%s: trots without falling", config_at(i)->name);
    pki_study_note(s.result,
                   "%.2f m forward; %lld steps reached the limit of iterations; largest residual %.1e",
                   t->distance, t->unfinished, t->residual);
    pki_study_hold_least(s.result, want - 0.01);
    pki_study_require(s.result, !t->fell, "no fall");
    add_rates(d, &s, group, i);
    add_forms(&s, group, t, i);
  }
}

/* --- figures --------------------------------------------------------------------------- */

static void add_curve(const pki_starleth_data *d, const sheet *s, int k)
{
  static const char *const ids[PKI_STARLETH_CURVES] = {"fig5/Cm", "fig5/HmJ", "fig5/damped-normal-quarter",
                                                       "fig5/damped-quarter", "fig5/damped-eighth"};
  const pki_starleth_curve *c = &d->curves[k], *cm = &d->curves[0], *hard = &d->curves[1];
  pki_study_put(s->result, s->section, ids[k], "mean", "N", NAN, c->mean, PKI_VERDICT_NONE,
                "%s: mean over eight cycles", c->name);
  pki_study_note(s->result, "a quarter of the weight is 65.8 N");
  if (k == 0) {
    pki_study_hold_between(s->result, 0.95 * hard->mean, 1.05 * hard->mean);
    pki_study_note(s->result,
                   "the paper: coincides well with the hard one. A quarter of the weight is 65.8 N");
  }
  pki_study_put(s->result, s->section, ids[k], "peak", "N", NAN, c->peak, PKI_VERDICT_NONE,
                "%s: largest force", c->name);
  if (k == PKI_STARLETH_DAMPED) {
    pki_study_note(s->result, "the paper: impacts generate higher forces");
    pki_study_hold_least(s->result, cm->peak);
  }
  pki_study_put(s->result, s->section, ids[k], "ripple", "N", NAN, c->ripple, PKI_VERDICT_NONE,
                "%s: swing about the mean over 27 ms, 110 to 350 ms after landing", c->name);
  if (k == 0) {
    pki_study_note(s->result,
                   "the paper: the low damping leads to oscillations; held to twice the hard curve's");
    pki_study_hold_least(s->result, 2 * hard->ripple);
  }
  if (k == PKI_STARLETH_DAMPED) {
    pki_study_note(s->result, "the paper: oscillations are damped out rapidly; held to half of Cm's");
    pki_study_hold_most(s->result, 0.5 * cm->ripple);
    pki_study_require(s->result, c->stays, "on its feet");
  }
}

static void add_forces(const pki_starleth_data *d, pki_study_result *result)
{
  const sheet s = {result, "Fig. 5: normal force of the left fore foot over a cycle"};
  for (int k = 0; k < PKI_STARLETH_CURVES; k++) {
    add_curve(d, &s, k);
  }
}

/* A limit of alpha. Table 1 has half of the paper's, to one digit, from another trot. */
static void add_limit(const sheet *s, const char *group, const char *id, const char *name,
                      const pki_starleth_sweep *sweep, double paper, const char *text)
{
  static const double part = 0.2;
  pki_study_put(s->result, s->section, group, id, "1", paper, sweep->limit, PKI_VERDICT_NONE,
                "%s: largest alpha at which every step converges", name);
  if (!isnan(paper)) {
    pki_study_hold_part(s->result, part);
  }
  if (isnan(sweep->limit)) {
    pki_study_excuse(s->result, "%s", pki_starleth_left_out);
  } else {
    pki_study_note(s->result, "%s; fewest sweeps at %.1f: %.0f", text, sweep->fastest,
                   isfinite(sweep->fastest) ? sweep->iterations[(int)lround(10 * sweep->fastest) - 1] : NAN);
  }
}

static void add_iterations(const pki_starleth_data *d, pki_study_result *result)
{
  const sheet s = {result, "Fig. 6: iterations against alpha"};
  for (int i = PKI_STARLETH_HMJ; i < PKI_STARLETH_PAPER; i++) {
    const pki_starleth_config *c = config_at(i);
    char group[32];
    snprintf(group, sizeof group, "fig6/%s", c->name);
    pki_study_put(s.result, s.section, group, "iterations", "1", NAN, d->trots[i].iterations,
                  PKI_VERDICT_NONE, "%s: mean iterations of a step at alpha %.1f", c->name, c->alpha);
    pki_study_note(s.result, "most in one step: %d", d->trots[i].most_iterations);
    add_limit(&s, group, "limit", c->name, &d->sweeps[i], 2 * c->alpha,
              "the paper took half of its limit as alpha");
  }
  add_limit(&s, "fig6/HmS", "limit-fine", "HmS, normal before tangents", &d->fine_sweep, NAN,
            "Gauss-Seidel of single rows converges for all alpha below 2, so the paper's 1.2 is one of whole "
            "contacts");
  add_limit(&s, "fig6/HMJD", "limit-eliminated", "HMJD, bilateral rows eliminated with M",
            &d->eliminated_sweep, NAN,
            "the steps r are those of minimal coordinates then, and so is the limit");
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
    pki_study_note(s.result, "standard deviation %.1f us", 1e6 * t->step.deviation);
    pki_study_excuse(s.result, machine);
    for (int p = PK_STEP_PART_CONTROL + 1; p < PK_STEP_PART_COUNT; p++) {
      pki_study_put(s.result, s.section, group, pk_step_part_name((pk_step_part)p), "us", NAN,
                    1e6 * t->parts[p].mean, PKI_VERDICT_NONE, "%s: %s", config_at(i)->name,
                    pk_step_part_name((pk_step_part)p));
      pki_study_note(s.result, "standard deviation %.1f us", 1e6 * t->parts[p].deviation);
    }
  }
}

void pki_starleth_rows(const pki_starleth_data *d, pki_study_result *result)
{
  add_robot(d, result);
  add_table(d, result);
  add_forces(d, result);
  add_iterations(d, result);
  add_times(d, result);
  pki_starleth_accuracy(d, result);
}
