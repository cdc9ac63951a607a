/* Text that grows, and files that appear whole: what a report, a plot or an export is
 * written into before it reaches the disk. */
#ifndef PKI_BASE_TEXT_H
#define PKI_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Start from {0}. A failed allocation is remembered and reported by pki_text_save. */
typedef struct pki_text {
  char *data; /* NUL-terminated; NULL while empty */
  size_t size, capacity;
  bool failed;
} pki_text;

void pki_text_add(pki_text *text, const char *string);
void pki_text_add_bytes(pki_text *text, const void *bytes, size_t size); /* zeros among them, too */
bool pki_text_reserve(pki_text *text, size_t more); /* room for so many bytes and the NUL */
__attribute__((format(printf, 2, 3))) void pki_text_addf(pki_text *text, const char *format, ...);

/* For XML and HTML: & < > " ' as entities; what XML cannot hold (control characters,
 * bytes that are not UTF-8) as the replacement character. */
void pki_text_add_escaped(pki_text *text, const char *string);

/* A JSON string in its quotes. '<' becomes \u003c, so that no text ends the <script> that it stands in; bytes
 * that are not UTF-8 become the replacement character. */
void pki_text_add_json_string(pki_text *text, const char *string);

/* A JSON number with nine digits; null when it is not finite. */
void pki_text_add_json_number(pki_text *text, double value);

/* A word as a shell reads it: in quotes, or in quotes where it needs them. */
void pki_text_add_quoted(pki_text *text, const char *word);
void pki_text_add_word(pki_text *text, const char *word);

/* Bytes as base64 (RFC 4648, padded), without quotes. */
void pki_text_add_base64(pki_text *text, const void *bytes, size_t size);

void pki_text_free(pki_text *text);

/* A copy to free(); NULL: there is no memory. */
char *pki_text_copy(const char *string);

/* The word with a to z in capitals, in every locale, as far as it fits; returns out. */
const char *pki_capitals(const char *word, char *out, size_t size);

/* Write to a temporary name beside `path`, then rename: a reader sees all or nothing. */
pk_status pki_text_save(const pki_text *text, const char *path, pk_error *err);

/* Make a folder and the folders above it; one that exists is fine. */
pk_status pki_folder_create(const char *path, pk_error *err);

#endif
