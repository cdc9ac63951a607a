#include "base/words.h"

#include <stdbool.h>

static bool is_gap(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == ';';
}

int pki_words_next(pki_words *w, char word[PKI_WORD_MAX])
{
  int n = 0;
  while (w->at < w->end && is_gap(*w->at)) {
    w->at++;
  }
  for (; w->at < w->end && *w->at != '\n' && *w->at != '#' && !is_gap(*w->at); w->at++) {
    word[n] = *w->at;
    n += n < PKI_WORD_MAX - 1;
  }
  word[n] = '\0';
  return n;
}

void pki_words_end_line(pki_words *w)
{
  while (w->at < w->end && *w->at != '\n') {
    w->at++;
  }
  w->at += w->at < w->end;
  w->line++;
}
