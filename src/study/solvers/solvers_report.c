/* What the study of solvers leaves behind: who to pick, every solver's figures, the problems, as text and as one HTML
 * file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "study/solvers/solvers_plots.h"

enum { CELL = 80, COLUMNS = 10 };

static const char *const starts[PKI_STARTS] = {"from zero", "from the last step's impulses"};

static void format_number(double v, char out[CELL])
{
  if (isnan(v)) {
    snprintf(out, CELL, "—");
  } else if (v != 0 && (fabs(v) < 1e-2 || fabs(v) >= 1e6)) {
    snprintf(out, CELL, "%.1e", v);
  } else if (fabs(v) >= 100) {
    snprintf(out, CELL, "%.0f", v);
  } else {
    snprintf(out, CELL, "%.3g", v);
  }
}

/* Shares that are not whole never look whole. */
static void format_percent(int part, int all, char out[CELL])
{
  const double share = all > 0 ? 100.0 * part / all : NAN;
  if (isnan(share)) {
    snprintf(out, CELL, "—");
  } else if (part == all || part == 0) {
    snprintf(out, CELL, "%.0f", share);
  } else {
    snprintf(out, CELL, "%.1f", fmin(fmax(share, 0.1), 99.9));
  }
}

static void add_row(pki_table *table, char text[COLUMNS][CELL])
{
  const char *cells[COLUMNS];
  for (int k = 0; k < COLUMNS; k++) {
    cells[k] = text[k];
  }
  pki_table_row(table, cells);
}

/* --- tables ---------------------------------------------------------------------------- */

/* Which solver to pick: the winner of each class, and what auto costs instead. */
static void build_picks(const pki_solvers_data *d, pki_table *table)
{
  static const char *const heads[COLUMNS] = {"contacts", "problems",   "cold: pick", "solves %", "mean µs",
                                             "auto µs",  "warm: pick", "solves %",   "mean µs",  "auto µs"};
  pki_table_begin(table, heads, COLUMNS);
  for (int class = 0; class < PKI_SOLVERS_CLASSES; class ++) {
    const int count = pki_solvers_class_count(d, class);
    if (count == 0) {
      continue;
    }
    char text[COLUMNS][CELL];
    pki_solvers_class_name(class, text[0], CELL);
    snprintf(text[1], CELL, "%d", count);
    for (int start = 0; start < PKI_STARTS; start++) {
      const int best = pki_solvers_winner(d, start, class), at = 2 + 4 * start;
      const pki_solvers_score s = pki_solvers_score_of(d, start, best < 0 ? 0 : best, class);
      snprintf(text[at], CELL, "%s", best < 0 ? "none" : d->entrants[best].name);
      format_percent(s.solved, s.tried, text[at + 1]);
      format_number(1e6 * s.mean, text[at + 2]);
      format_number(1e6 * pki_solvers_score_of(d, start, PK_SOLVER_AUTO, class).mean, text[at + 3]);
    }
    add_row(table, text);
  }
}

/* The share that each contact solver solves of each class, from zero. */
static void build_shares(const pki_solvers_data *d, pki_table *table)
{
  enum { WIDE = 1 + PK_SOLVER_COUNT };
  const char *cells[WIDE] = {"contacts, solved % from zero"};
  for (int e = 0; e < PK_SOLVER_COUNT; e++) {
    cells[1 + e] = d->entrants[e].name;
  }
  pki_table_begin(table, cells, WIDE);
  for (int class = 0; class < PKI_SOLVERS_CLASSES; class ++) {
    char text[WIDE][CELL];
    pki_solvers_class_name(class, text[0], CELL);
    for (int e = 0; e < PK_SOLVER_COUNT; e++) {
      const pki_solvers_score s = pki_solvers_score_of(d, PKI_COLD, e, class);
      format_percent(s.solved, s.tried, text[1 + e]);
    }
    for (int k = 0; k < WIDE; k++) {
      cells[k] = text[k];
    }
    if (pki_solvers_class_count(d, class) > 0) {
      pki_table_row(table, cells);
    }
  }
}

static void build_scores(const pki_solvers_data *d, int start, pki_table *table)
{
  static const char *const heads[COLUMNS] = {"solver",  "tried", "solved %", "iterations", "90 %",
                                             "time µs", "90 %",  "residual", "largest",    "normal m/s"};
  pki_table_begin(table, heads, COLUMNS);
  for (int e = 0; e < PKI_SOLVERS; e++) {
    const pki_solvers_score s = pki_solvers_score_of(d, start, e, -1);
    if (e == 0 || e == PK_SOLVER_COUNT) {
      pki_table_group(table, e == 0 ? "Contact solvers: Coulomb's law on the disc"
                                    : "LCP solvers: linear friction, small problems only");
    }
    if (s.tried == 0) {
      continue;
    }
    char text[COLUMNS][CELL];
    snprintf(text[0], CELL, "%s", d->entrants[e].name);
    snprintf(text[1], CELL, "%d", s.tried);
    format_percent(s.solved, s.tried, text[2]);
    const double values[] = {s.iterations[0], s.iterations[1], 1e6 * s.time[0], 1e6 * s.time[1],
                             s.residual[0],   s.residual[1],   s.normal[1]};
    for (int k = 0; k < 7; k++) {
      format_number(values[k], text[3 + k]);
    }
    add_row(table, text);
  }
}

/* Where the problems come from. */
static void build_problems(const pki_solvers_data *d, pki_table *table)
{
  static const char *const heads[8] = {"scenario",    "",        "problems",   "contacts",
                                       "hyperstatic", "sliding", "mass ratio", "condition"};
  pki_table_begin(table, heads, 8);
  for (int s = 0; s < PKI_SOLVERS_SCENARIOS; s++) {
    int least = 1 << 30, most = 0, slides = 0, excess = 0;
    double spread = 0;
    for (int i = 0; i < d->n; i++) {
      const pki_solvers_kind *k = &d->records[i].kind;
      if (k->scenario == s) {
        least = k->contacts < least ? k->contacts : least;
        most = k->contacts > most ? k->contacts : most;
        slides += k->slides;
        excess += k->excess > 0;
        spread = fmax(spread, k->spread);
      }
    }
    const int n = d->per_scenario[s];
    char text[6][CELL];
    const char *cells[8] = {pki_solvers_scenarios[s].name, pki_solvers_scenarios[s].doc};
    snprintf(text[0], CELL, "%d", n);
    snprintf(text[1], CELL, "%d to %d", least, most);
    snprintf(text[2], CELL, "%d", excess);
    snprintf(text[3], CELL, "%d", slides);
    format_number(d->masses[s], text[4]);
    format_number(spread, text[5]);
    for (int k = 0; k < 6; k++) {
      cells[2 + k] = text[k];
    }
    if (n > 0) {
      pki_table_row(table, cells);
    }
  }
}

/* --- text ------------------------------------------------------------------------------ */

static const char pick_text[] =
    "Of the contact solvers that solve the most of a class, the one with the least mean time, failures "
    "included. "
    "Hyperstatic: W has less rank than rows of contacts. Sliding: a contact that carries moves by more than "
    "0.1 mm/s. "
    "Cold: from zero. Warm: from the last step's impulses. Times are those of this run, without assembly.";
static const char score_text[] =
    "Solved: the certificate's relative residual meets the scenario's tolerance, for "
    "LCP solvers that of the linear "
    "problem. Medians and 90 % of all tries, failures included. residual: of "
    "Coulomb's law on the disc, median and "
    "largest; what LCP solvers leave there is the price of linear friction. "
    "normal: the largest error of the normal "
    "law.";

static const char problem_text[] = "mass ratio: heaviest over lightest body. condition: the largest over the "
                                   "smallest pivot of W that is not zero, of "
                                   "the worst problem.";

/* A paragraph for a terminal, in lines of a hundred characters. */
static void add_lines(pki_text *out, const char *text)
{
  enum { WIDE = 100 };
  int column = 0;
  for (const char *word = text; *word != '\0';) {
    const int size = (int)strcspn(word, " ");
    const bool fits = column > 0 && column + 1 + size <= WIDE;
    pki_text_add(out, fits ? " " : "\n  ");
    pki_text_add_bytes(out, word, (size_t)size);
    column = fits ? column + 1 + size : size;
    word += size + (word[size] == ' ');
  }
  pki_text_add(out, "\n");
}

typedef struct tables {
  pki_table picks, shares, scores[PKI_STARTS], problems;
} tables;

static void write_summary(const pki_solvers_data *d, const tables *t, pki_text *out)
{
  pki_text_addf(out, "%d problems, each from zero and from the last step's impulses\n\nWhich solver\n\n",
                d->n);
  pki_table_text(&t->picks, "  ", true, out);
  add_lines(out, pick_text);
  pki_text_add(out, "\n");
  pki_table_text(&t->shares, "  ", true, out);
  for (int start = 0; start < PKI_STARTS; start++) {
    pki_text_addf(out, "\nSolvers %s\n\n", starts[start]);
    pki_table_text(&t->scores[start], "  ", true, out);
  }
  add_lines(out, score_text);
  pki_text_add(out, "\nProblems\n\n");
  pki_table_text(&t->problems, "  ", true, out);
  add_lines(out, problem_text);
}

static void report_verdicts(const pki_study_result *result, pki_report *report)
{
  static const char *const heads[4] = {"held to none", "found", "", ""};
  pki_table table;
  pki_table_begin(&table, heads, 4);
  for (int i = 0; i < result->nrow; i++) {
    const pki_study_row *r = &result->rows[i];
    if (r->verdict != PKI_VERDICT_NONE) {
      char count[CELL];
      format_number(r->measured, count);
      const char *cells[4] = {r->what, count, r->verdict == PKI_VERDICT_HOLDS ? "holds" : "misses", r->note};
      pki_table_row(&table, cells);
    }
  }
  pki_report_table(report, &table);
  pki_table_free(&table);
}

static pk_status write_html(const pki_solvers_data *d, const tables *t, const pki_solvers_plots *p,
                            const pki_study_result *result, pk_error *err)
{
  static const char *const captions[PKI_PLOTS] = {
      "Profiles of Dolan and Moré: the share of problems that a solver solves within so many times the time "
      "of the "
      "fastest. Where a line begins is how often the solver is the fastest, where it ends how much it "
      "solves. "
      "Dashed: in velocities.",
      "How far the tries from zero came: solvers stop at the tolerance. LCP solvers reach rounding in their "
      "own problem; "
      "what is shown is Coulomb's law on the disc.",
      "Median time from zero, failures included. Points of fewer than three problems are left out.",
      "Share solved from zero, by the part of the rows that depends on others, and by the condition of W."};
  static const char *const titles[PKI_PLOTS] = {"Speed and success", "Accuracy", "Time and size",
                                                "Hard problems"};
  pki_report report = {0};
  pki_report_begin(
      &report, "Contact solvers on the problems of running scenarios",
      "after Drumwright and Shell: Extensive analysis of linear complementarity problem (LCP) solver "
      "performance on randomly generated rigid body contact problems (2012)");
  if (d->quick) {
    pki_report_paragraph(&report, "A quick run: few problems of few scenarios.");
  }
  report_verdicts(result, &report);
  pki_report_heading(&report, "Which solver");
  pki_report_table(&report, &t->picks);
  pki_report_paragraph(&report, pick_text);
  pki_report_table(&report, &t->shares);
  for (int start = 0; start < PKI_STARTS; start++) {
    char heading[64];
    snprintf(heading, sizeof heading, "Solvers %s", starts[start]);
    pki_report_heading(&report, heading);
    pki_report_table(&report, &t->scores[start]);
  }
  pki_report_paragraph(&report, score_text);
  for (int k = 0; k < PKI_PLOTS; k++) {
    pki_report_heading(&report, titles[k]);
    pki_report_figure(&report, &p->figures[k], captions[k]);
  }
  pki_report_heading(&report, "Problems");
  pki_report_table(&report, &t->problems);
  pki_report_paragraph(&report, problem_text);
  const pk_status status = pki_report_save(&report, result->report, err);
  pki_report_free(&report);
  return status;
}

static pk_status save_figures(const pki_solvers_plots *p, const char *folder, pk_error *err)
{
  pk_status status = PK_OK;
  for (int k = 0; k < PKI_PLOTS && status == PK_OK; k++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.svg", folder, p->figures[k].id);
    status = pki_svg_save(&p->figures[k], path, err);
  }
  return status;
}

pk_status pki_solvers_report(const pki_solvers_data *d, const pki_study_options *options,
                             pki_study_result *result, pk_error *err)
{
  pki_solvers_plots *p = calloc(1, sizeof *p);
  if (p == NULL || !pki_solvers_plot_all(d, p)) {
    free(p);
    return pki_fail_memory(err, NULL);
  }
  tables t;
  build_picks(d, &t.picks);
  build_shares(d, &t.shares);
  build_problems(d, &t.problems);
  for (int start = 0; start < PKI_STARTS; start++) {
    build_scores(d, start, &t.scores[start]);
  }
  write_summary(d, &t, &result->summary);
  snprintf(result->report, sizeof result->report, "%s/report.html", options->folder);
  pk_status status = save_figures(p, options->folder, err);
  status = status == PK_OK ? write_html(d, &t, p, result, err) : status;
  pki_table_free(&t.picks);
  pki_table_free(&t.shares);
  pki_table_free(&t.problems);
  for (int start = 0; start < PKI_STARTS; start++) {
    pki_table_free(&t.scores[start]);
  }
  free(p);
  return status;
}
