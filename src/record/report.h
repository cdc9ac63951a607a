/* A report: one HTML file that holds everything it shows (text, tables, inline SVG) and
 * opens in any browser, offline. */
#ifndef PKI_RECORD_REPORT_H
#define PKI_RECORD_REPORT_H

#include "record/svg.h"
#include "record/table.h"

/* Start from {0}; begin, then content in order, then save and free. */
typedef struct pki_report {
  pki_text html;
} pki_report;

void pki_report_begin(pki_report *report, const char *title, const char *subtitle);
void pki_report_heading(pki_report *report, const char *text);
void pki_report_paragraph(pki_report *report, const char *text);

void pki_report_table(pki_report *report, const pki_table *table);
void pki_report_figure(pki_report *report, const pki_svg_figure *figure, const char *caption);

pk_status pki_report_save(pki_report *report, const char *path, pk_error *err);
void pki_report_free(pki_report *report);

#endif
