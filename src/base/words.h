/* Text of lines of words, as tables in files have them. Gaps are blanks, tabs, commas and semicolons; a # ends what counts of a line. */
#ifndef PKI_BASE_WORDS_H
#define PKI_BASE_WORDS_H

#include "base/error.h"

enum { PKI_WORD_MAX = 128 }; /* longer words are cut */

typedef struct pki_words {
  const char *file, *at, *end; /* end: of the text */
  int line;                    /* from 1 on */
} pki_words;

/* The next word of the line: its length, 0: none is left. */
int pki_words_next(pki_words *w, char word[PKI_WORD_MAX]);

/* To the beginning of the next line. */
void pki_words_end_line(pki_words *w);

/* The line, for messages. */
static inline pki_where pki_words_place(const pki_words *w)
{
  return (pki_where){w->file, w->line, ""};
}

#endif
