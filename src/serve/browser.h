/* A headless Chromium with a profile of its own, gone when it is stopped. */
#ifndef PKI_SERVE_BROWSER_H
#define PKI_SERVE_BROWSER_H

#include "base/error.h"
#include "base/process.h"

/* Start from {0}. */
typedef struct pki_browser {
  pki_process process;
  char folder[PKI_PATH_MAX]; /* temporary, of the user alone */
} pki_browser;

/* Which one: PRONK_CHROMIUM, or what is in PATH under a name that Chromium has. */
bool pki_browser_find(char path[PKI_PATH_MAX]);

/* Open a page. The address, with the token in it, is on nobody's list of processes. */
pk_status pki_browser_start(const char *url, int width, int height, pki_browser *out, pk_error *err);
void pki_browser_stop(pki_browser *browser);

#endif
