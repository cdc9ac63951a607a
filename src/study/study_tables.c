#include "study/study_tables.h"

#include <math.h>
#include <string.h>

void pki_study_rows_table(const pki_study_result *result, const pki_study_rows_style *style, pki_table *table)
{
  const char *section = "";
  pki_table_begin(table, style->heads, style->notes ? 5 : 4);
  for (int i = 0; i < result->nrow; i++) {
    const pki_study_row *r = &result->rows[i];
    if ((style->is_left_out != NULL && style->is_left_out(r)) || (!style->notes && isnan(r->measured))) {
      continue;
    }
    if (strcmp(section, r->section) != 0) {
      section = r->section;
      pki_table_group(table, section);
    }
    char paper[PKI_STUDY_NUMBER], measured[PKI_STUDY_NUMBER];
    const char *cells[5] = {r->what, style->number(r->paper, paper), style->number(r->measured, measured),
                            r->unit, r->note};
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
