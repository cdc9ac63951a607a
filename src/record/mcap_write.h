/* An MCAP file in the making. Records go in by kind; the indexes, the statistics and the sums follow by
 * themselves. A file that was left off can be resumed: its records are shown to the writer again. */
#ifndef PKI_RECORD_MCAP_WRITE_H
#define PKI_RECORD_MCAP_WRITE_H

#include "record/mcap.h"

/* What a file has besides its data. */
enum {
  PKI_MCAP_PART_CHUNKS = 1 << 0, /* schemas, channels and messages in chunks */
  PKI_MCAP_PART_MESSAGE_INDEX = 1 << 1,
  PKI_MCAP_PART_STATISTICS = 1 << 2,
  PKI_MCAP_PART_SCHEMAS = 1 << 3, /* again in the summary */
  PKI_MCAP_PART_CHANNELS = 1 << 4,
  PKI_MCAP_PART_ATTACHMENT_INDEX = 1 << 5,
  PKI_MCAP_PART_METADATA_INDEX = 1 << 6,
  PKI_MCAP_PART_CHUNK_INDEX = 1 << 7,
  PKI_MCAP_PART_SUMMARY_OFFSETS = 1 << 8,
  PKI_MCAP_PART_PADDING = 1 << 9, /* bytes that a later version may add to records; for tests */
  PKI_MCAP_PART_ALL = PKI_MCAP_PART_PADDING - 1
};

/* One channel's place in the statistics and in the index of the chunk at hand. */
typedef struct pki_mcap_count {
  uint16_t id;
  uint64_t messages;
  pki_text times;
} pki_mcap_count;

typedef struct pki_mcap_writer {
  unsigned parts;
  int compression;
  bool (*put)(void *user, const void *data, size_t size); /* false: it failed; nothing more is written */
  void *user;
  bool failed;     /* memory is out, or put failed */
  uint64_t offset; /* bytes of the file so far */
  uint32_t crc;    /* of them */
  pki_text buffer; /* not written yet */
  /* the summary so far: whole records */
  pki_text schemas, channels, chunk_indexes, attachment_indexes, metadata_indexes;
  pki_mcap_statistics statistics;
  pki_mcap_count *counts; /* by id */
  int ncount;
  /* the last chunk, while its message indexes follow */
  pki_mcap_chunk_index last;
  pki_text last_offsets;
  bool has_last;
  pki_text chunk, packed; /* records that wait for their chunk; scratch */
  void *codec;
} pki_mcap_writer;

/* Fill parts, compression, put and user of a writer that is {0}; then begin, records, end, free. */
void pki_mcap_begin(pki_mcap_writer *w, const pki_mcap_header *header);

/* A schema, channel or message (into the chunk at hand when there are chunks), an attachment (its sum is
 * computed) or metadata. */
void pki_mcap_write(pki_mcap_writer *w, pki_mcap_op op, const void *record);

/* End the chunk at hand, if there is one. */
void pki_mcap_close_chunk(pki_mcap_writer *w);

/* A chunk of these records with its message indexes, in one put. */
void pki_mcap_write_chunk(pki_mcap_writer *w, pki_view records);

/* The summary and the footer. */
void pki_mcap_end(pki_mcap_writer *w);
void pki_mcap_writer_free(pki_mcap_writer *w);

/* Instead of begin: go on with an open file behind its first `position` bytes. These are checked (checksums of chunks and
 * attachments, and that indexes are those of their chunks); messages speak of `path` and tell the byte. */
pk_status pki_mcap_resume(pki_mcap_writer *w, int fd, uint64_t position, const char *path, pk_error *err);

/* One record of it, as if it had just been written; crc and offset are the caller's to set. PK_ERROR_SYNTAX: it is damaged,
 * or cannot be in the middle of a file; PK_ERROR_MEMORY; PK_ERROR_UNSUPPORTED: compressed by something unknown. */
pk_status pki_mcap_take_up(pki_mcap_writer *w, uint64_t offset, uint64_t length, int op, pki_view bytes);

#endif
