/* Values beside the paper's. Times are those of this machine and hold nothing; agreement, energy and period do. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "study/study_verdict.h"
#include "study/symbolic/symbolic.h"

static const char *const models[2] = {"single", "double"};
static const char *const steps[PKI_PENDULUM_STEPS] = {"1e-2", "1e-4", "1e-6"};

enum { WHOLE = PKI_SYMBOLIC_SIZES - 1 };

/* Why the last row has no value, if it has none. */
static void excuse_without_value(pki_study_result *r, const char *why)
{
  if (why[0] != '\0' && r->nrow > 0 && isnan(r->rows[r->nrow - 1].measured)) {
    pki_study_excuse(r, "%s", why);
  }
}

/* The last row is no worse than the bound; `why` it has no value, if it has none. */
static void hold_no_worse(pki_study_result *r, double bound, const char *why)
{
  pki_study_hold_most(r, bound);
  excuse_without_value(r, why);
}

/* The note of the last row: why it has no value, else the text. */
__attribute__((format(printf, 3, 4))) static void note_last_row(pki_study_result *r, const char *why,
                                                                const char *text, ...)
{
  char out[sizeof r->rows->note];
  va_list list;
  va_start(list, text);
  vsnprintf(out, sizeof out, text, list);
  va_end(list);
  pki_study_note(r, "%s", why[0] != '\0' && r->nrow > 0 && isnan(r->rows[r->nrow - 1].measured) ? why : out);
}

/* Why an engine cannot be compared with generated code; "": it can. */
static const char *why_not(const pki_symbolic_data *d, int engine)
{
  return d->missing[engine][0] != '\0' ? d->missing[engine] : d->missing[PKI_SYMBOLIC_GENERATED];
}

static void time_rows(const pki_symbolic_data *d, pki_study_result *r)
{
  const char *section = "Fig. 4: time of one forward dynamics of COMAN";
  for (int i = 0; i < PKI_SYMBOLIC_SIZES; i++) {
    const pki_symbolic_size *s = &d->sizes[i];
    for (int e = 0; e < PKI_SYMBOLIC_ENGINES; e++) {
      char id[64];
      snprintf(id, sizeof id, "%d/%s", s->dof, pki_symbolic_engines[e]);
      pki_study_put(r, section, "fig4", id, "us", NAN, s->median[e], PKI_VERDICT_NONE, "%d DOF, %s: %s",
                    s->dof, pki_symbolic_parts[i], pki_symbolic_titles[e]);
      note_last_row(r, pki_symbolic_is_timed(d, i) ? d->missing[e] : pki_pendulum_left_out,
                    "median; spread %.2g", s->spread[e]);
    }
  }
}

/* How many times as long an engine takes as generated code with one lane. */
static void ratio_row(const pki_symbolic_data *d, pki_study_result *r, int engine, double paper)
{
  const double *t = d->sizes[WHOLE].median;
  pki_study_put(r, "Ratios of the whole robot", "ratio", pki_symbolic_engines[engine], "1", paper,
                t[engine] / t[PKI_SYMBOLIC_GENERATED], PKI_VERDICT_NONE, "%s over generated code",
                pki_symbolic_titles[engine]);
  if (paper > 0) {
    pki_study_hold_least(r, paper);
    excuse_without_value(r, why_not(d, engine));
  }
  note_last_row(
      r, why_not(d, engine), "%s",
      engine == PKI_SYMBOLIC_SIMBODY
          ? "the paper: Simbody over Robotran, on its machine; Debian builds Simbody with assertions on"
          : "");
}

static void line_rows(const pki_symbolic_data *d, pki_study_result *r)
{
  const char *section = "Slopes of Fig. 4, least squares";
  for (int e = 0; e < PKI_SYMBOLIC_ENGINES; e++) {
    const pki_symbolic_line *l = &d->lines[e];
    pki_study_put(r, section, "slope", pki_symbolic_engines[e], "us/DOF", NAN, l->slope, PKI_VERDICT_NONE,
                  "%s", pki_symbolic_titles[e]);
    if (isnan(l->off)) {
      note_last_row(r, d->missing[e], "through two robots");
    } else {
      note_last_row(r, d->missing[e],
                    "%.2g us at no DOF; farthest from the line: %.1f %% of the largest time", l->start,
                    100 * l->off);
    }
  }
  pki_study_put(r, section, "slope", "simbody-over-generated", "1", 2,
                d->lines[PKI_SYMBOLIC_SIMBODY].slope / d->lines[PKI_SYMBOLIC_GENERATED].slope,
                PKI_VERDICT_NONE, "Simbody's slope over that of generated code");
  pki_study_hold_least(r, 2);
  excuse_without_value(r, why_not(d, PKI_SYMBOLIC_SIMBODY));
  note_last_row(r, why_not(d, PKI_SYMBOLIC_SIMBODY), "the paper: about 2, Simbody over Robotran");
}

static void agreement_rows(const pki_symbolic_data *d, pki_study_result *r)
{
  static const double paper = 1.9e-11;
  const char *section = "Average relative difference of accelerations from generated code, whole robot";
  const pki_symbolic_size *s = &d->sizes[WHOLE];
  for (int e = 0; e < PKI_SYMBOLIC_ENGINES; e++) {
    char id[64];
    if (e == PKI_SYMBOLIC_GENERATED) {
      continue;
    }
    const char *why = why_not(d, e);
    snprintf(id, sizeof id, "%s/by-entry", pki_symbolic_engines[e]);
    pki_study_put(r, section, "agreement", id, "%", paper, s->by_entry[e], PKI_VERDICT_NONE,
                  "%s: mean of |a_i - b_i| / |b_i|", pki_symbolic_titles[e]);
    hold_no_worse(r, paper, why);
    note_last_row(r, why, "over all coordinates of %d states", d->states);
    snprintf(id, sizeof id, "%s/by-state", pki_symbolic_engines[e]);
    pki_study_put(r, section, "agreement", id, "%", paper, s->by_state[e], PKI_VERDICT_NONE,
                  "%s: mean of |a - b| / |b|", pki_symbolic_titles[e]);
    hold_no_worse(r, paper, why);
    note_last_row(r, why, "over %d states", d->states);
  }
}

static void count_rows(const pki_symbolic_data *d, pki_study_result *r)
{
  const char *section = "Operations of COMAN's functions (sums, products, reciprocals, roots)";
  for (int i = 0; i < d->nfunction; i++) {
    const pki_symbolic_count *c = &d->functions[i];
    const int plain = c->plain, normal = c->normal, simple = c->simple;
    const struct {
      const char *id, *what;
      int value, most;
    } rows[] = {{"plain", "as the numeric algorithm computes them", plain, 0},
                {"normal", "in normal form, equal ones once", normal, plain},
                {"simple", "simplified", simple, normal}};
    for (int k = 0; k < 3; k++) {
      char id[64];
      snprintf(id, sizeof id, "%s/%s", c->name, rows[k].id);
      pki_study_put(r, section, "operations", id, "1", NAN, rows[k].value, PKI_VERDICT_NONE, "%s: %s",
                    c->name, rows[k].what);
      if (k > 0) {
        pki_study_hold_most(r, rows[k].most);
      }
    }
    pki_study_note(r, "%d sums, %d products; %d statements, %d values alive, %zu bytes of C", c->adds,
                   c->muls, c->statements, c->alive, c->bytes);
  }
}

static void size_rows(const pki_symbolic_data *d, pki_study_result *r)
{
  const char *section = "What the code of all kernels takes, one lane";
  for (int i = 0; i < PKI_SYMBOLIC_SIZES; i++) {
    const pki_symbolic_size *s = &d->sizes[i];
    const struct {
      const char *id, *what, *unit;
      double value;
    } rows[] = {{"plain", "operations of forward dynamics, plain", "1", s->aba.plain},
                {"operations", "operations of forward dynamics, simplified", "1", s->aba.simple},
                {"source", "C source", "bytes", s->source},
                {"machine", "machine code", "bytes", s->machine},
                {"generate", "time to generate", "s", s->generate},
                {"compile", "time to compile", "s", s->compile}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
      char id[64];
      snprintf(id, sizeof id, "%d/%s", s->dof, rows[k].id);
      pki_study_put(r, section, "code", id, rows[k].unit, NAN, rows[k].value, PKI_VERDICT_NONE, "%d DOF: %s",
                    s->dof, rows[k].what);
      const char *why =
          pki_symbolic_is_timed(d, i) ? d->missing[PKI_SYMBOLIC_GENERATED] : pki_pendulum_left_out;
      note_last_row(r, why[0] != '\0' ? why : "it was in the cache", "%s", "");
    }
  }
}

static void pendulum_rows(const pki_symbolic_data *d, pki_study_result *r)
{
  const char *why = d->missing[PKI_SYMBOLIC_GENERATED];
  for (int i = 0; i < 2 * PKI_PENDULUM_STEPS; i++) {
    const int m = i / PKI_PENDULUM_STEPS, s = i % PKI_PENDULUM_STEPS;
    const pki_pendulum_cell *generated = &d->generated[m][s], *generic = &d->generic[m][s];
    const pki_pendulum_paper *paper = &pki_pendulum_table[m][s];
    char section[96], group[64];
    snprintf(section, sizeof section, "Table 1 with generated code: %s pendulum", models[m]);
    snprintf(group, sizeof group, "table1/%s/%s", models[m], steps[s]);
    const char *left_out = d->quick && s == PKI_PENDULUM_STEPS - 1 ? pki_pendulum_left_out : why;
    pki_study_put(r, section, group, "energy", "1", paper->energy, generated->energy, PKI_VERDICT_NONE,
                  "dt %s: largest relative energy error", steps[s]);
    hold_no_worse(r, paper->energy, left_out);
    note_last_row(r, left_out, "paper: Robotran; generic kernels: %.1e", generic->energy);
    pki_study_put(r, section, group, "rtf", "1", paper->rtf, generated->rtf, PKI_VERDICT_NONE,
                  "dt %s: simulated over computing time", steps[s]);
    pki_study_excuse(r, "%s", pki_study_other_machine);
    note_last_row(r, left_out, "another machine; generic kernels: %.3g", generic->rtf);
  }
  pki_study_put(r, "Fig. 3 with generated code: 300 time units, dt 1e-2", "fig3", "period-error",
                "time units", 5e-9, d->period_error[1], PKI_VERDICT_NONE, "error of the period");
  hold_no_worse(r, 5e-9, why);
  note_last_row(r, why, "largest of %d revolutions; generic kernels: %.1e", d->rotation[1].nperiod,
                d->period_error[0]);
}

void pki_symbolic_rows(const pki_symbolic_data *d, pki_study_result *r)
{
  time_rows(d, r);
  ratio_row(d, r, PKI_SYMBOLIC_SIMBODY, 3.5);
  ratio_row(d, r, PKI_SYMBOLIC_MUJOCO, NAN);
  ratio_row(d, r, PKI_SYMBOLIC_GENERIC, NAN);
  ratio_row(d, r, PKI_SYMBOLIC_GENERATED_4, NAN);
  line_rows(d, r);
  agreement_rows(d, r);
  count_rows(d, r);
  size_rows(d, r);
  pki_inverse_rows(&d->inverse, r);
  pendulum_rows(d, r);
}
