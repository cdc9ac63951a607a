/* Rows of the study: what the paper prints, what is held, what the optimum depends on. */
#include <math.h>
#include <stdio.h>

#include "study/hardt/hardt.h"
#include "study/study_verdict.h"

static void add_points(const pki_hardt_data *d, pki_study_result *out)
{
  static const char section[] = "Section 4.2 in three readings: a point mass at constant speed";
  for (int i = 0; i < PKI_HARDT_READINGS; i++) {
    const pki_hardt_numbers *r = &pki_hardt_readings[i];
    pki_study_put(out, section, "point", r->name, "kg m^2/s", r->expected, d->point[i], PKI_VERDICT_NONE,
                  "%s: %.3g m/s, period %.4g s: S_H where the side pair gives way to the diagonal one",
                  r->name, r->speed, r->period);
    pki_study_hold_near(out, 1e-3);
    pki_study_note(out, "stroke of a foot %.3g m; %s", r->speed * r->period / 2,
                   d->point[i] > 0 ? "it rolls over the edge, \"slightly\" as the paper says"
                                   : "it falls back");
  }
}

static void add_optimum(const pki_hardt_data *d, pki_study_result *out)
{
  static const char section[] = "The amble that is optimal in J_s2, reading B, full spatial model";
  const pki_hardt_motion *m = &d->motions[PKI_HARDT_JS2];
  pki_study_put(out, section, "js2", "violation", "", 1e-8, m->violation, PKI_VERDICT_NONE,
                "largest violation of a constraint, scaled");
  pki_study_hold_most(out, 1e-8);
  pki_study_require(out, m->solved, "solved");
  pki_study_note(out, "a local optimum from a cold start: %d problems, %d iterations; grid error %.2g",
                 m->problems, m->iterations, m->grid_error);
  pki_study_put(out, section, "js2", "seconds", "s", 300, m->seconds, PKI_VERDICT_NONE,
                "time of the whole ladder");
  pki_study_excuse(out, "%s", pki_study_other_machine);
  pki_study_note(out, "the paper: 5 to 20 minutes for each subproblem on a Pentium III of 900 MHz");
  pki_study_put(out, section, "js2", "warm", "s", 300, m->slowest, PKI_VERDICT_NONE,
                "slowest of its problems that start from the last one");
  pki_study_excuse(out, "%s", pki_study_other_machine);
  pki_study_put(out, section, "js2", "least", "kg m^2/s", NAN, m->least, PKI_VERDICT_NONE,
                "least S_H of the cycle");
  pki_study_hold_least(out, 0);
  pki_study_require(out, m->solved, "solved");
  pki_study_note(out, "the paper has it in a figure without values");
}

/* Figure 3 in words: what S_H does at switches and between them. */
static void add_shape(const pki_hardt_data *d, pki_study_result *out)
{
  static const char section[] = "Figure 3: S_H over the cycle";
  const pki_hardt_motion *m = &d->motions[PKI_HARDT_JS2];
  double side, fresh, above, past, unlike = 0, last, first, peak = -INFINITY;
  pki_hardt_switch(m, 0, &side, &fresh);
  pki_hardt_switch(m, 1, &above, &past);
  pki_hardt_switch(m, 2, &last, &first);
  for (int i = 0; i < m->n / 2; i++) {
    unlike = fmax(unlike, fabs(m->margin[i] - m->margin[m->n / 2 + i]));
    peak = m->phase[i] == 2 ? fmax(peak, m->margin[i]) : peak;
  }
  pki_study_put(out, section, "shape", "drop", "kg m^2/s", NAN, side - fresh, PKI_VERDICT_NONE,
                "drop where RR lands and LR leaves, from side to diagonal");
  pki_study_hold_least(out, 0);
  pki_study_put(out, section, "shape", "rise", "kg m^2/s", NAN, above - fresh, PKI_VERDICT_NONE,
                "rise until the mass is over the diagonal");
  pki_study_hold_least(out, 0);
  pki_study_put(out, section, "shape", "fall", "kg m^2/s", NAN, peak - last, PKI_VERDICT_NONE,
                "fall from its largest value past the diagonal to the next touchdown");
  pki_study_hold_least(out, 0);
  pki_study_put(out, section, "shape", "other-drop", "kg m^2/s", NAN, last - first, PKI_VERDICT_NONE,
                "drop from diagonal to side");
  pki_study_note(out, "the paper calls the other one the steepest");
  pki_study_put(out, section, "shape", "halves", "kg m^2/s", 0, unlike, PKI_VERDICT_NONE,
                "largest difference of both halves of the cycle");
  pki_study_hold_most(out, 1e-6);
}

static void add_walks(const pki_hardt_data *d, pki_study_result *out)
{
  static const char section[] = "It walks: hard contact, controller follow, DC motors in the joints";
  for (int i = 0; i <= PKI_HARDT_JE2; i++) {
    const pki_hardt_walk *w = &d->walks[i];
    const char *id = pki_hardt_variants[i].id, *text = pki_hardt_variants[i].text;
    char group[40];
    const double speed = pki_hardt_readings[PKI_HARDT_B].speed;
    if (!w->ran) {
      continue;
    }
    snprintf(group, sizeof group, "walk/%s", id);
    pki_study_put(out, section, group, "speed", "m/s", speed, w->speed, PKI_VERDICT_NONE,
                  "%s: speed over %.4g s", text, w->seconds);
    pki_study_hold_part(out, 0.05);
    pki_study_require(out, !w->fell, "no fall");
    pki_study_require(out, w->certified, "every step certified");
    pki_study_note(out, "%s, %s", w->fell ? "it falls" : "no fall",
                   w->certified ? "every step certified at 1e-8" : "some step is not certified");
    pki_study_put(out, section, group, "least", "kg m^2/s", d->motions[i].least, w->least, PKI_VERDICT_NONE,
                  "%s: least S_H, planned and measured", text);
    pki_study_excuse(out, "the plan is not the paper's value: motors and impacts move the robot off it");
    pki_study_put(out, section, group, "mean", "kg m^2/s", d->motions[i].mean, w->mean, PKI_VERDICT_NONE,
                  "%s: mean S_H, planned and measured", text);
    pki_study_hold_part(out, 0.1);
  }
}

static void add_energies(const pki_hardt_data *d, pki_study_result *out)
{
  static const char section[] = "Energy for each metre: the simulator's electrical account";
  const double most = d->walks[PKI_HARDT_JS2].electrical_a_metre;
  for (int i = 0; i <= PKI_HARDT_JE2; i++) {
    const pki_hardt_walk *w = &d->walks[i];
    if (!w->ran) {
      continue;
    }
    pki_study_put(out, section, "energy", pki_hardt_variants[i].id, "J/m", i == PKI_HARDT_JS2 ? NAN : most,
                  w->electrical_a_metre, PKI_VERDICT_NONE, "%s: electrical energy",
                  pki_hardt_variants[i].text);
    if (i != PKI_HARDT_JS2) {
      pki_study_hold_most(out, most);
    }
    pki_study_note(out, "planned J_e1 %.4g J/m, J_e2 %.3g", d->motions[i].joule, d->motions[i].work);
  }
}

static void add_variants(const pki_hardt_data *d, pki_study_result *out)
{
  for (int i = PKI_HARDT_READING_A; i < PKI_HARDT_CASES; i++) {
    const pki_hardt_motion *m = &d->motions[i];
    if (!m->tried) {
      continue;
    }
    pki_study_put(out,
                  i <= PKI_HARDT_READING_C ? "The other readings"
                  : i == PKI_HARDT_LINES   ? "With the torque-speed line of the servos"
                                           : "What the optimum depends on and the paper does not print",
                  "variant", pki_hardt_variants[i].id, "kg m^2/s", NAN, m->solved ? m->least : NAN,
                  PKI_VERDICT_NONE, "%s: least S_H", pki_hardt_variants[i].text);
    if (m->solved) {
      pki_study_note(out, "%.3g s, %d iterations, grid error %.2g%s", m->seconds, m->iterations,
                     m->grid_error,
                     m->grid_error > 0.1 ? ": right at the points of the grid alone, so no motion" : "");
    } else {
      pki_study_note(out, "no solution: %s; %s", m->end, m->worst);
    }
  }
}

void pki_hardt_rows(const pki_hardt_data *d, pki_study_result *result)
{
  add_points(d, result);
  add_optimum(d, result);
  add_shape(d, result);
  add_walks(d, result);
  add_energies(d, result);
  add_variants(d, result);
}
