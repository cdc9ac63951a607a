/* What the stability of a recording is told by: a table, a CSV file, a report; and the section of a run's own report. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "run/report_data.h"
#include "run/stability_replay.h"

/* ---- the table ---- */

enum { CELL = 48 };

static void format_value(char out[CELL], double value, const char *unit)
{
  if (isnan(value)) {
    snprintf(out, CELL, "-");
  } else {
    snprintf(out, CELL, "%.5g%s%s", value, unit[0] != '\0' ? " " : "", unit);
  }
}

void pki_stability_table(const pki_stability_track *t, pki_table *table)
{
  const pk_stability_sum *sum = &t->sum;
  char cells[3][CELL];
  pki_table_begin(table, (const char *const[]){"measure", "least", "at", "mean"}, 4);
  for (int i = 0; i < PK_STABILITY_MEASURE_COUNT; i++) {
    const pk_stability_measure measure = (pk_stability_measure)i;
    const char *unit = pk_stability_measure_unit(measure);
    format_value(cells[0], pk_stability_least(sum, measure), unit);
    format_value(cells[1], sum->counted[i] > 0 ? sum->least_at[i] : NAN, "s");
    format_value(cells[2], pk_stability_mean(sum, measure), unit);
    pki_table_row(table,
                  (const char *const[]){pk_stability_measure_name(measure), cells[0], cells[1], cells[2]});
  }
  format_value(cells[0], sum->supported > 0 ? sum->js1 : NAN, "m^2 s");
  format_value(cells[2], pk_stability_mean_js1(sum), "m^2");
  pki_table_row(table, (const char *const[]){"J_s1", cells[0], "-", cells[2]});
  format_value(cells[0], pk_stability_js2(sum), pk_stability_measure_unit(PK_STABILITY_S_H));
  pki_table_row(table, (const char *const[]){"J_s2", cells[0], "-", "-"});
}

/* ---- the file ---- */

pk_status pki_stability_csv(const pki_stability_track *t, const char *path, pk_error *err)
{
  pki_text out = {0};
  char number[PKI_REAL_TEXT];
  int columns = 0;
  pki_text_add(&out, "time [s],phase");
  for (int k = 0; k < PK_STABILITY_MEASURE_COUNT; k++) {
    for (const pki_stability_column *c = pki_stability_rows[k]->columns; c->name != NULL; c++, columns++) {
      pki_text_addf(&out, ",%s.%s [%s]", pki_stability_rows[k]->name, c->name, c->unit);
    }
  }
  pki_text_add(&out, "\n");
  for (int i = 0; i < t->n; i++) {
    pki_text_addf(&out, "%.9f,\"%s\"", t->time[i], pki_support_phase_names[t->phase[i]]);
    for (int k = 0; k < columns; k++) {
      pki_text_addf(&out, ",%s", pki_format_real(t->values[(size_t)k * (size_t)t->n + (size_t)i], number));
    }
    pki_text_add(&out, "\n");
  }
  const pk_status status = pki_text_save(&out, path, err);
  pki_text_free(&out);
  return status;
}

/* ---- the report ---- */

static pki_stability_curves curves_of(const pki_stability_track *t, int measures)
{
  pki_stability_curves c = {
      .n = t->n, .time = t->time, .phase = t->phase, .outlines = t->shown, .noutline = t->nshown};
  for (int i = 0; i < PK_STABILITY_MEASURE_COUNT; i++) {
    c.margin[i] = (measures >> i & 1) != 0 ? pki_stability_curve(t, (pk_stability_measure)i, 0) : NULL;
  }
  for (int k = 0; k < 2; k++) { /* x and y follow the margin */
    c.gcom[k] = pki_stability_curve(t, PK_STABILITY_STATIC_MARGIN, 1 + k);
    c.zmp[k] =
        (measures >> PK_STABILITY_ZMP & 1) != 0 ? pki_stability_curve(t, PK_STABILITY_ZMP, 1 + k) : NULL;
    c.fri[k] =
        (measures >> PK_STABILITY_FRI & 1) != 0 ? pki_stability_curve(t, PK_STABILITY_FRI, 1 + k) : NULL;
    c.dcm[k] =
        (measures >> PK_STABILITY_DCM & 1) != 0 ? pki_stability_curve(t, PK_STABILITY_DCM, 1 + k) : NULL;
  }
  return c;
}

static void options_section(const pki_stability_replay *r, pki_report *report)
{
  pki_table table;
  pki_report_section(report, "options", "Options");
  pki_table_begin(&table, (const char *const[]){"option", "value", "meaning"}, 3);
  for (int i = 0; i < pki_stability_scenario_fields; i++) {
    const pk_field *f = &pki_stability_fields[i];
    const double value = pki_field_get(f, &r->options, 0);
    const char *word = pki_field_word(f, (int)value);
    char cell[CELL];
    format_value(cell, value, f->unit);
    pki_table_row(&table, (const char *const[]){f->name, word != NULL ? word : cell, f->doc});
  }
  pki_report_table(report, &table);
  pki_table_free(&table);
}

pk_status pki_stability_report(const pki_stability_replay *r, const pki_stability_track *t, const char *title,
                               const char *path, pk_error *err)
{
  pki_report report = {0};
  pki_table table;
  const pki_stability_curves curves = curves_of(t, r->options.measures);
  const pki_svg_axis time = {.label = "time",
                             .unit = "s",
                             .least = t->n > 0 ? t->time[0] : 0,
                             .most = t->n > 0 ? t->time[t->n - 1] : 0};
  pki_report_begin(&report, title, "How far the robot was from tipping over, from its recording.");
  pki_report_contents(&report);
  pki_report_section(&report, "margins", "Margins");
  pki_stability_table(t, &table);
  pki_report_table(&report, &table);
  pki_table_free(&table);
  if (!pki_stability_replay_is_dense(r)) {
    pki_report_note(
        &report,
        "Samples are more than a step apart: feet are taken to stand still, and the FRI is the ZMP.");
  }
  pki_report_section(&report, "stability", "Along the run");
  pki_stability_figures(&report, &curves, time);
  options_section(r, &report);
  const pk_status status = pki_report_save(&report, path, err);
  pki_report_free(&report);
  return status;
}

/* ---- a section of the report of a run that measured ---- */

/* The column of a channel; NULL: there is none. */
static const double *column_or_null(const pki_curves *c, const char *name)
{
  const int k = pki_curves_find(c, name);
  return k >= 0 && c->n > 1 ? pki_curve(c, k) : NULL;
}

pk_status pki_report_stability(const pki_report_source *s, pk_error *err)
{
  pki_curves read[PK_STABILITY_MEASURE_COUNT] = {0};
  pki_stability_curves curves = {0};
  pk_status status = PK_OK;
  for (int i = 0; i < PK_STABILITY_MEASURE_COUNT && status == PK_OK; i++) {
    char name[96];
    snprintf(name, sizeof name, "stability/%s", pki_stability_rows[i]->name);
    status = pki_curves_read(s->recording, name, &read[i], err);
    curves.margin[i] = status == PK_OK ? column_or_null(&read[i], "margin") : NULL;
    if (curves.margin[i] != NULL) {
      curves.n = read[i].n, curves.time = read[i].time;
    }
  }
  if (status == PK_OK && curves.n > 0) {
    static const char *const axes[2] = {"x", "y"}, *const gcom[2] = {"gcom_x", "gcom_y"};
    for (int k = 0; k < 2; k++) {
      curves.gcom[k] = column_or_null(&read[PK_STABILITY_STATIC_MARGIN], gcom[k]);
      curves.zmp[k] = column_or_null(&read[PK_STABILITY_ZMP], axes[k]);
      curves.fri[k] = column_or_null(&read[PK_STABILITY_FRI], axes[k]);
      curves.dcm[k] = column_or_null(&read[PK_STABILITY_DCM], axes[k]);
    }
    pki_report_section(s->report, "stability", "Stability");
    pki_stability_figures(s->report, &curves, s->time);
  }
  for (int i = 0; i < PK_STABILITY_MEASURE_COUNT; i++) {
    pki_curves_free(&read[i]);
  }
  return status;
}
