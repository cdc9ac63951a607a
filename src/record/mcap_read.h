/* An MCAP file as bytes that are fetched when they are needed: it may be large, and it may grow or shrink under
 * the reader, so nothing is mapped. */
#ifndef PKI_RECORD_MCAP_READ_H
#define PKI_RECORD_MCAP_READ_H

#include "record/mcap.h"

typedef struct pki_mcap_file {
  int fd;
  uint64_t size; /* when it was opened */
  pki_text window;
  uint64_t start; /* of the window in the file */
  int why; /* errno of a fetch for which memory was missing or the disk failed; 0: the file's bytes are at fault */
} pki_mcap_file;

/* After one of the functions below has failed: PK_OK when the bytes of the file are at fault, else a status and its
 * message. A lack of memory is no damage. */
pk_status pki_mcap_fetch_status(const pki_mcap_file *file, const char *path, pk_error *err);

/* `size` bytes from `offset`, good until the next call; NULL: the file ends before, or memory does. */
const void *pki_mcap_fetch(pki_mcap_file *file, uint64_t offset, uint64_t size);

/* The record at `offset`, whole and not above PKI_MCAP_RECORD_MOST; *length: with its head. False: it is cut, or
 * not known, or too long. */
bool pki_mcap_fetch_record(pki_mcap_file *file, uint64_t offset, int *op, pki_view *bytes, uint64_t *length);

/* Only its head; the record lies within the file. */
bool pki_mcap_fetch_head(pki_mcap_file *file, uint64_t offset, int *op, uint64_t *length);

/* The footer of a file that has an end, its place checked; false: there is none. */
bool pki_mcap_fetch_footer(pki_mcap_file *file, pki_mcap_footer *footer);

#endif
