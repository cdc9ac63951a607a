/* Problems as text: words and numbers with a place for messages, and numbers that are read back as they were. */
#ifndef PKI_CONTACT_FILES_PROBLEM_READER_H
#define PKI_CONTACT_FILES_PROBLEM_READER_H

#include <stdbool.h>
#include <stdio.h>

#include "contact/files/problem_file.h"

typedef struct pki_reader {
  const char *file;
  const char *at, *end;
  int line;
  pk_error *err;
} pki_reader;

bool pki_is_gap(char c);

/* Where the cursor is, for messages. */
pki_where pki_reader_here(const pki_reader *r, const char *field);

/* Move past gaps and comments; with `lines` false, not past the end of the line. */
void pki_reader_skip(pki_reader *r, bool lines);

/* "found ... where ... was expected" */
pk_status pki_reader_fail(const pki_reader *r, const char *field, const char *expected);

/* One number; with `lines` it may stand on a later line. */
pk_status pki_reader_int(pki_reader *r, bool lines, const char *field, const char *what, long *out);
pk_status pki_reader_real(pki_reader *r, bool lines, bool finite, const char *field, double *out);

/* One line `i j value` of a matrix into entry e; messages call it `number`. */
pk_status pki_reader_entry(pki_reader *r, const char *name, pki_triplets *W, size_t e, long number);

/* `count` numbers into a new array, however they are spread over lines. */
pk_status pki_reader_reals(pki_reader *r, const char *field, int count, bool finite, double **out);

/* A number as it is read back, with a full stop whatever the locale says. */
void pki_put_real(FILE *out, double value);

/* Numbers on one line; none: no line. */
void pki_put_reals(FILE *out, const double *values, int count);

#endif
