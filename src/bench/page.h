/* What the pages of benches share. */
#ifndef PKI_BENCH_PAGE_H
#define PKI_BENCH_PAGE_H

#include "bench/bench.h"
#include "report/report.h"

/* Title, machine. */
void pki_page_begin(pki_report *page, const char *title);

/* Notes; then the page is saved and freed. */
pk_status pki_page_end(pki_report *page, const pki_bench_report *report, const char *path, pk_error *err);

/* "12.3", "70123", "4.5e-07", or a dash. */
void pki_page_number(char out[32], double value);

#endif
