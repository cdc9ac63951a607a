/* Records out of the bytes of a section, one after the other. */
#ifndef PKI_MODEL_CONVERT_COMPILED_RECORD_H
#define PKI_MODEL_CONVERT_COMPILED_RECORD_H

#include <stddef.h>

#include "model/convert/compiled.h"

enum { PKI_FIELDS_MAX = 48, PKI_OWNED_MAX = 8 };

/* Bytes not yet read. They belong to the reader, which ends texts in place. */
typedef struct pki_bytes {
  unsigned char *at, *end;
} pki_bytes;

typedef struct pki_section {
  const pki_record_kind *kind;
  bool found; /* in the file */
  pki_bytes bytes;
  int fields[PKI_FIELDS_MAX]; /* of the kind, in the file's order */
  int nfield;
  uint32_t left; /* records not yet decoded */
  /* the record decoded last */
  _Alignas(max_align_t) unsigned char record[PKI_RECORD_MAX];
  bool loaded;
  void *owned[PKI_OWNED_MAX]; /* what it points to */
  int nowned;
} pki_section;

/* Numbers and texts; false: the bytes end before. */
bool pki_read_number(pki_bytes *bytes, int size, uint64_t *out);
bool pki_read_text(pki_bytes *bytes, char **out);

/* The head of a section whose bytes are known: its fields, how many records. */
pk_status pki_section_open(pki_section *s, pk_error *err);

/* The next record, with `prefix` before its full names. Something must be left. */
pk_status pki_section_next(pki_section *s, const char *prefix, pk_error *err);
void pki_section_drop(pki_section *s);

#endif
