/* Filling a pk_error, and finding the word that a user most likely meant. */
#ifndef PKI_BASE_ERROR_H
#define PKI_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

#include "pronk/status.h"

/* Where in the user's input something is wrong; any part may be NULL or 0. */
typedef struct pki_where {
  const char *file;
  int line;
  const char *field;
} pki_where;

/* Fill `err` (NULL is fine) and return `status`, so that `return pki_fail(...)` reads well. */
__attribute__((format(printf, 4, 5))) pk_status pki_fail(pk_error *err, pk_status status, pki_where where,
                                                         const char *format, ...);

/* There is no memory for `what` ("the report"); NULL: the message does not say for what. */
static inline pk_status pki_fail_memory(pk_error *err, const char *what)
{
  (void)pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory%s%s", what != NULL ? " for " : "",
                 what != NULL ? what : "");
  return PK_ERROR_MEMORY;
}

/* A text into room for `size` bytes, at least 4; one that does not fit ends with "...". */
void pki_copy_cut(char *out, size_t size, const char *text);

/* "a, b, c" into room for `size` bytes, at least 16; what does not fit is told by "...". */
void pki_join_words(const char *const *words, int count, char *out, size_t size);

/* "file:line: field: message", with what is known of it. */
void pki_error_line(const pk_error *err, char *out, size_t size);

/* Edits (insert, delete, replace, swap neighbours) that make one word of the other, case ignored;
 * INT_MAX when one has more than 64 letters. */
int pki_word_distance(const char *a, const char *b);

/* The same for functions that pass their own arguments on. */
__attribute__((format(printf, 4, 0))) pk_status pki_fail_list(pk_error *err, pk_status status,
                                                              pki_where where, const char *format,
                                                              va_list args);

/* The one of `count` words nearest to `word` in edits, NULL when none is near. */
const char *pki_nearest_word(const char *word, const char *const *words, int count);

/* Programmer errors, in debug builds only. */
#ifdef NDEBUG
#define PK_ASSERT(condition) ((void)0)
#else
#include <assert.h>
#define PK_ASSERT(condition) assert(condition)
#endif

#endif
