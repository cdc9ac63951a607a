/* report.html: a run as one page that opens anywhere, offline, made from its recording alone; so a run of last year, or
 * one that was killed, has a report too. docs/report.md says what it shows. */
#ifndef PKI_RUN_RUN_REPORT_H
#define PKI_RUN_RUN_REPORT_H

#include "pronk/record.h"
#include "report/table.h"

/* summary: rows of a quantity and its value (pki_run_table); NULL: what the recording tells by itself. */
pk_status pki_report_run(const pk_recording *recording, const pki_table *summary, const char *path,
                         pk_error *err);

#endif
