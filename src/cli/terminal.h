/* What a terminal can show: colours, width, progress. */
#ifndef PKI_CLI_TERMINAL_H
#define PKI_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"

/* Codes to print before a text and `plain` after it; all empty when the stream is no
 * terminal, or the user set NO_COLOR. */
typedef struct pki_palette {
  const char *bold, *dim, *red, *yellow, *green, *plain;
} pki_palette;

pki_palette pki_palette_for(FILE *stream);

/* A text that anybody may have written, freed: no codes for the terminal are among what is printed. */
void pki_print_clean(pki_text *text);

/* A progress bar on stderr, on a terminal only. */
typedef struct pki_progress {
  bool shown;
  bool drawn;  /* there is something to wipe */
  double when; /* s, monotonic: when it was drawn */
} pki_progress;

pki_progress pki_progress_start(void);
void pki_progress_show(void *progress, double fraction, const char *what); /* progress: a pki_progress */
void pki_progress_end(pki_progress *progress);

#endif
