/* The rows of the study of solvers: what it is held to, then every solver's figures. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/solvers/solvers.h"
#include "study/study_verdict.h"

static const char *const starts[PKI_STARTS] = {"cold", "warm"};

static void add_study_row(pki_study_result *result, const char *section, const char *id, const char *what,
                          double measured, const char *unit, const char *note)
{
  pki_study_row row = {.paper = NAN, .measured = measured};
  snprintf(row.id, sizeof row.id, "%s", id);
  snprintf(row.section, sizeof row.section, "%s", section);
  snprintf(row.what, sizeof row.what, "%s", what);
  snprintf(row.unit, sizeof row.unit, "%s", unit);
  snprintf(row.note, sizeof row.note, "%s", note);
  for (char *c = row.id; *c != '\0'; c++) {
    *c = *c == ' ' ? '-' : *c;
  }
  pki_study_add(result, &row);
}

/* auto solves what worlds bring; no solver claims success that the certificate denies. */
static void add_verdicts(const pki_solvers_data *d, pki_study_result *result)
{
  static const char section[] = "Held to";
  char id[64], what[112], note[256];
  for (int start = 0; start < PKI_STARTS; start++) {
    const pki_solvers_score s = pki_solvers_score_of(d, start, PK_SOLVER_AUTO, -1);
    snprintf(id, sizeof id, "auto/%s/unsolved", starts[start]);
    snprintf(what, sizeof what, "problems that auto does not solve, %s", starts[start]);
    snprintf(note, sizeof note, "of %d; largest relative residual %.1e", s.tried, s.residual[1]);
    add_study_row(result, section, id, what, s.tried - s.solved, "", note);
    pki_study_hold_most(result, 0);
  }
  for (int linear = 0; linear < 2; linear++) {
    int denied = 0, tries = 0;
    for (int start = 0; start < PKI_STARTS; start++) {
      for (int e = 0; e < PKI_SOLVERS; e++) {
        const pki_solvers_score s = pki_solvers_score_of(d, start, e, -1);
        const bool counts = d->entrants[e].linear == (linear == 1);
        denied += counts ? s.denied : 0;
        tries += counts ? s.tried : 0;
      }
    }
    snprintf(note, sizeof note, "of %d tries; certified by %s", tries,
             linear ? "pk_lcp_certify" : "pk_contact_certify");
    add_study_row(result, section, linear ? "claims/lcp/denied" : "claims/contact/denied",
                  linear ? "claims of LCP solvers that the certificate denies"
                         : "claims of contact solvers that the certificate denies",
                  denied, "", note);
    pki_study_hold_most(result, 0);
  }
}

static void add_entrant(const pki_solvers_data *d, int start, int e, pki_study_result *result)
{
  const pki_solvers_score s = pki_solvers_score_of(d, start, e, -1);
  const struct {
    const char *id, *what, *unit;
    double value;
  } rows[] = {
      {"solved", "problems solved", "%", 100.0 * s.solved / s.tried},
      {"iterations", "iterations, median", "", s.iterations[0]},
      {"iterations-90", "iterations, 90 %", "", s.iterations[1]},
      {"time", "time, median", "µs", 1e6 * s.time[0]},
      {"time-90", "time, 90 %", "µs", 1e6 * s.time[1]},
      {"residual", "relative residual on the disc, median", "", s.residual[0]},
      {"residual-worst", "relative residual on the disc, largest", "", s.residual[1]},
      {"normal-worst", "error of the normal law, largest", "m/s", s.normal[1]},
  };
  char section[96], id[64], what[112], note[256];
  snprintf(section, sizeof section, "%s, %s", d->entrants[e].name, starts[start]);
  snprintf(note, sizeof note, "%d problems", s.tried);
  for (size_t k = 0; k < sizeof rows / sizeof rows[0] && s.tried > 0; k++) {
    snprintf(id, sizeof id, "%s/%s/%s", starts[start], d->entrants[e].name, rows[k].id);
    snprintf(what, sizeof what, "%s, %s: %s", d->entrants[e].name, starts[start], rows[k].what);
    add_study_row(result, section, id, what, rows[k].value, rows[k].unit, note);
  }
}

static void add_winners(const pki_solvers_data *d, pki_study_result *result)
{
  for (int class = 0; class < PKI_SOLVERS_CLASSES; class ++) {
    const int count = pki_solvers_class_count(d, class);
    for (int start = 0; start < PKI_STARTS && count > 0; start++) {
      const int best = pki_solvers_winner(d, start, class);
      char id[64], what[112], name[64], note[256];
      pki_solvers_class_name(class, name, sizeof name);
      snprintf(id, sizeof id, "pick/%d/%s", class, starts[start]);
      snprintf(what, sizeof what, "%s, %s: mean time of the solver to pick", name, starts[start]);
      if (best < 0) {
        snprintf(note, sizeof note, "none solves any of %d", count);
        add_study_row(result, "Which solver", id, what, NAN, "µs", note);
        continue;
      }
      const pki_solvers_score s = pki_solvers_score_of(d, start, best, class);
      snprintf(note, sizeof note, "%s, solves %d of %d", d->entrants[best].name, s.solved, count);
      add_study_row(result, "Which solver", id, what, 1e6 * s.mean, "µs", note);
    }
  }
}

void pki_solvers_rows(const pki_solvers_data *d, pki_study_result *result)
{
  char note[256];
  add_verdicts(d, result);
  snprintf(note, sizeof note, "besides %d that zero impulses solve", d->trivial);
  add_study_row(result, "Problems", "problems", "problems that every solver was put to", d->n, "", note);
  add_winners(d, result);
  for (int start = 0; start < PKI_STARTS; start++) {
    for (int e = 0; e < PKI_SOLVERS; e++) {
      add_entrant(d, start, e, result);
    }
  }
}
