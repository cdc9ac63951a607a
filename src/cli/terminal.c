#define _POSIX_C_SOURCE 200809L
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_terminal(FILE *stream)
{
  const char *kind = getenv("TERM");
  return isatty(fileno(stream)) && (kind == NULL || strcmp(kind, "dumb") != 0);
}

pki_palette pki_palette_for(FILE *stream)
{
  /* https://no-color.org: any value but an empty one */
  const char *no_color = getenv("NO_COLOR");
  if (!is_terminal(stream) || (no_color != NULL && no_color[0] != '\0')) {
    return (pki_palette){"", "", "", "", "", ""};
  }
  return (pki_palette){"\033[1m", "\033[2m", "\033[31m", "\033[33m", "\033[32m", "\033[0m"};
}

pki_progress pki_progress_start(void)
{
  return (pki_progress){.shown = is_terminal(stderr), .permille = -1};
}

void pki_progress_show(void *progress, double fraction, const char *what)
{
  enum { WIDTH = 30 };
  pki_progress *p = progress;
  const int permille = (int)(1000 * fraction);
  if (!p->shown || permille == p->permille) {
    return;
  }
  p->permille = permille;
  const int full = (int)(WIDTH * fraction);
  fputs("\r\033[K", stderr);
  for (int i = 0; i < WIDTH; i++) {
    fputs(i < full ? "█" : "░", stderr);
  }
  fprintf(stderr, " %3d %%  %.80s", permille / 10, what);
  fflush(stderr);
}

void pki_progress_end(pki_progress *p)
{
  if (p->shown && p->permille >= 0) {
    fputs("\r\033[K", stderr);
    fflush(stderr);
  }
}
