#include "bench/page.h"

#include <math.h>

#include "bench/machine.h"

void pki_page_begin(pki_report *page, const char *title)
{
  pki_machine machine;
  char subtitle[400];
  pki_machine_describe(&machine);
  snprintf(subtitle, sizeof subtitle, "%s, %d cores, Pronk %s with %s kernels, built by %s", machine.cpu,
           machine.cores, pk_version(), machine.isa, machine.compiler);
  *page = (pki_report){0};
  pki_report_begin(page, title, subtitle);
}

pk_status pki_page_end(pki_report *page, const pki_bench_report *report, const char *path, pk_error *err)
{
  for (int i = 0; i < report->nnote; i++) {
    pki_report_note(page, report->notes[i]);
  }
  const pk_status status = pki_report_save(page, path, err);
  pki_report_free(page);
  return status;
}

void pki_page_number(char out[32], double value)
{
  snprintf(out, 32, !isfinite(value) ? "-" : fabs(value) >= 1000 ? "%.0f" : "%.3g", value);
}
