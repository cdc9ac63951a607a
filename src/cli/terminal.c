#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE /* winsize */
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"

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
  return (pki_progress){.shown = is_terminal(stderr)};
}

/* Columns of the terminal; 80 when it does not say. */
static int width_of(FILE *stream)
{
  struct winsize size;
  return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void pki_progress_show(void *progress, double fraction, const char *what)
{
  enum { WIDTH = 20, AROUND = WIDTH + 9 };
  pki_progress *p = progress;
  const double now = pki_clock();
  if (!p->shown || (p->drawn && now - p->when < 0.1)) {
    return; /* a terminal is slower than those who call this */
  }
  p->drawn = true;
  p->when = now;
  const int full = (int)(WIDTH * fraction), room = width_of(stderr) - AROUND;
  fputs("\r\033[K", stderr);
  for (int i = 0; i < WIDTH; i++) {
    fputs(i < full ? "█" : "░", stderr);
  }
  fprintf(stderr, " %3d %%  %.*s", (int)(100 * fraction), room > 0 ? room : 0, what);
  fflush(stderr);
}

void pki_progress_end(pki_progress *p)
{
  if (p->drawn) {
    fputs("\r\033[K", stderr);
    fflush(stderr);
  }
}

void pki_print_clean(pki_text *text)
{
  for (const char *c = text->data; c != NULL && *c != '\0'; c++) {
    putchar(((unsigned char)*c < ' ' && *c != '\n') || *c == 127 ? '?' : *c);
  }
  pki_text_free(text);
}
