/* A report: one HTML file that holds everything it shows (text, tables, inline SVG) and opens in any browser, offline.
 * It follows the reader's light or dark scheme, prints in light, and fits a phone.
 *
 *   pki_report report = {0};
 *   pki_report_begin(&report, "starleth-trot", "what it is about");
 *   pki_report_section(&report, "trunk", "Trunk");
 *   pki_report_figure(&report, &figure, "Its caption.");
 *   pki_report_save(&report, "report.html", &err);
 *   pki_report_free(&report);
 */
#ifndef PKI_REPORT_REPORT_H
#define PKI_REPORT_REPORT_H

#include "report/svg.h"
#include "report/table.h"

/* Start from {0}; begin, then content in order, then save and free. */
typedef struct pki_report {
  pki_text html;
  pki_text contents;  /* links to the sections so far */
  size_t contents_at; /* where they go; 0: nowhere */
  bool has_time;      /* some panel is along the run's time: the page gets a cursor */
} pki_report;

void pki_report_begin(pki_report *report, const char *title, const char *subtitle);

/* The table of contents stands here; it lists all sections. */
void pki_report_contents(pki_report *report);

/* A heading that the table of contents lists; id: letters, digits, '-'. */
void pki_report_section(pki_report *report, const char *id, const char *text);
void pki_report_heading(pki_report *report, const char *text);
void pki_report_subheading(pki_report *report, const char *text);
void pki_report_paragraph(pki_report *report, const char *text);
void pki_report_note(pki_report *report, const char *text);              /* a paragraph that steps back */
void pki_report_code(pki_report *report, const char *text, size_t size); /* as it is, in lines */

void pki_report_table(pki_report *report, const pki_table *table);

/* A table of two columns as a sheet of facts: each a name and, below it, its value. The heads are left out. */
void pki_report_facts(pki_report *report, const pki_table *table);

/* One wide figure. */
void pki_report_figure(pki_report *report, const pki_svg_figure *figure, const char *caption);

/* Small figures beside each other, as many in a row as the page has room for. */
void pki_report_panels_begin(pki_report *report);
void pki_report_panel(pki_report *report, const pki_svg_figure *figure);
void pki_report_panels_end(pki_report *report, const char *caption);

/* JSON for scripts of the page, as the text of an element with that id. */
void pki_report_json(pki_report *report, const char *id, const char *json, size_t size);

/* A script, as part of the page. It must not hold "</script" or "<!--" other than inside of strings. */
void pki_report_script(pki_report *report, const char *source, size_t size);

/* Markup as it is. */
void pki_report_markup(pki_report *report, const char *html);

pk_status pki_report_save(pki_report *report, const char *path, pk_error *err);
void pki_report_free(pki_report *report);

#endif
