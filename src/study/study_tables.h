/* Tables that studies have in common. */
#ifndef PKI_STUDY_STUDY_TABLES_H
#define PKI_STUDY_STUDY_TABLES_H

#include "report/report.h"
#include "report/table.h"
#include "study/study.h"

enum { PKI_STUDY_NUMBER = 48 }; /* room for a number as text */

/* How the rows of a study become a table. */
typedef struct pki_study_rows_style {
  const char *heads[5]; /* of what, paper, measured, unit, note; the verdict has its own before the note */
  bool notes;           /* false: without notes and reasons, and without rows that were not measured */
  const char *(*number)(double value, char out[PKI_STUDY_NUMBER]);
  bool (*is_left_out)(const pki_study_row *row); /* NULL: none is */
} pki_study_rows_style;

/* All rows, a group for each section. */
void pki_study_rows_table(const pki_study_result *result, const pki_study_rows_style *style,
                          pki_table *table);

/* A table as part of a report, or of the summary below a title; it is freed. */
void pki_study_report_table(pki_report *report, pki_table *table);
void pki_study_summary_table(const char *title, pki_table *table, pki_text *out);

/* The end of a report: all rows, and the file, unless `status` tells of a failure before. Frees the report. */
pk_status pki_study_end_report(pki_report *report, const pki_study_result *result,
                               const pki_study_rows_style *style, pk_status status, pk_error *err);

#endif
