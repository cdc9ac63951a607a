#include "study/study_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/study_verdict.h"

enum { COLUMNS = 6, CELL = 320 }; /* the verdict stands before the note */

/* "holds: within 25 %"; "left out: with --quick; within 25 %"; a reason alone; nothing. Short: without reasons. */
static const char *verdict_cell(const pki_study_row *row, bool reasons, char out[CELL])
{
  const char *name = pki_verdict_name(row->verdict), *why = reasons ? row->why : "";
  switch (row->verdict) {
  case PKI_VERDICT_NONE: snprintf(out, CELL, "%s%s", why[0] != '\0' ? "none: " : "", why); break;
  case PKI_VERDICT_LEFT_OUT:
    snprintf(out, CELL, "%s: %s%s%s", name, why, why[0] != '\0' ? "; " : "", row->tolerance);
    break;
  default: snprintf(out, CELL, "%s%s%s", name, row->tolerance[0] != '\0' ? ": " : "", row->tolerance);
  }
  return out;
}

void pki_study_rows_table(const pki_study_result *result, const pki_study_rows_style *style, pki_table *table)
{
  const char *section = "";
  const char *const *h = style->heads;
  const char *const heads[COLUMNS] = {h[0], h[1], h[2], h[3], "verdict", h[4]};
  pki_table_begin(table, heads, style->notes ? COLUMNS : COLUMNS - 1);
  for (int i = 0; i < result->nrow; i++) {
    const pki_study_row *r = &result->rows[i];
    if ((style->is_left_out != NULL && style->is_left_out(r)) || (!style->notes && isnan(r->measured))) {
      continue;
    }
    if (strcmp(section, r->section) != 0) {
      section = r->section;
      pki_table_group(table, section);
    }
    char paper[PKI_STUDY_NUMBER], measured[PKI_STUDY_NUMBER], verdict[CELL];
    const char *cells[COLUMNS] = {
        r->what, style->number(r->paper, paper),         style->number(r->measured, measured),
        r->unit, verdict_cell(r, style->notes, verdict), r->note};
    pki_table_row(table, cells);
  }
}

void pki_study_report_table(pki_report *report, pki_table *table)
{
  pki_report_table(report, table);
  pki_table_free(table);
}

void pki_study_summary_table(const char *title, pki_table *table, pki_text *out)
{
  pki_text_addf(out, "%s\n\n", title);
  pki_table_text(table, "  ", true, out);
  pki_text_add(out, "\n");
  pki_table_free(table);
}

pk_status pki_study_end_report(pki_report *report, const pki_study_result *result,
                               const pki_study_rows_style *style, pk_status status, pk_error *err)
{
  pki_table table;
  pki_report_section(report, "rows", "All values");
  pki_study_rows_table(result, style, &table);
  pki_study_report_table(report, &table);
  status = status == PK_OK ? pki_report_save(report, result->report, err) : status;
  pki_report_free(report);
  return status;
}
