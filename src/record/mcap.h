/* MCAP, version 0: the container of robotics logs that Foxglove and PlotJuggler open (https://mcap.dev/spec).
 *
 *   magic | Header | data section: Schema, Channel, Attachment, Metadata, Chunk with its Message Indexes ...
 *   | Data End | summary: copies of schemas and channels, Statistics, indexes | Summary Offsets | Footer | magic
 *
 * A record is an opcode (1 byte), a length (8) and its fields, little endian. Each kind is a struct here and a row
 * of fields in mcap_record.c; one encoder and one decoder serve all. What varies in length is a view of bytes
 * that the caller owns. */
#ifndef PKI_RECORD_MCAP_H
#define PKI_RECORD_MCAP_H

#include <stdint.h>
#include <string.h>

#include "base/text.h"

enum {
  PKI_MCAP_MAGIC_SIZE = 8,
  PKI_MCAP_HEAD = 9,          /* opcode and length of a record */
  PKI_MCAP_FOOTER_SIZE = 29,  /* the record with its head */
  PKI_MCAP_MESSAGE_SIZE = 22, /* a message's fields before its data */
  /* Longer ones are left out when a file is read, so that a few bytes cannot ask for all memory. */
  PKI_MCAP_RECORD_MOST = 1 << 28
};

extern const uint8_t pki_mcap_magic[PKI_MCAP_MAGIC_SIZE];

typedef enum pki_mcap_op {
  PKI_MCAP_HEADER = 0x01,
  PKI_MCAP_FOOTER,
  PKI_MCAP_SCHEMA,
  PKI_MCAP_CHANNEL,
  PKI_MCAP_MESSAGE,
  PKI_MCAP_CHUNK,
  PKI_MCAP_MESSAGE_INDEX,
  PKI_MCAP_CHUNK_INDEX,
  PKI_MCAP_ATTACHMENT,
  PKI_MCAP_ATTACHMENT_INDEX,
  PKI_MCAP_STATISTICS,
  PKI_MCAP_METADATA,
  PKI_MCAP_METADATA_INDEX,
  PKI_MCAP_SUMMARY_OFFSET,
  PKI_MCAP_DATA_END,
  PKI_MCAP_OP_END
} pki_mcap_op;

/* Bytes that are not owned; text has no NUL at its end. */
typedef struct pki_view {
  const void *data;
  size_t size;
} pki_view;

pki_view pki_view_of(const char *string);
bool pki_view_equals(pki_view view, const char *string);
bool pki_view_is_text(pki_view view); /* no NUL is in it */
char *pki_view_copy(pki_view view);   /* as a string; NULL: no memory, or it is no text */

/* ---- records ---- */

typedef struct pki_mcap_header {
  pki_view profile, library;
} pki_mcap_header;

typedef struct pki_mcap_footer {
  uint64_t summary_start, summary_offset_start; /* from the start of the file; 0: none */
  uint32_t summary_crc;                         /* from summary_start to here */
} pki_mcap_footer;

typedef struct pki_mcap_schema {
  uint16_t id; /* not 0 */
  pki_view name, encoding, data;
} pki_mcap_schema;

typedef struct pki_mcap_channel {
  uint16_t id, schema_id;                     /* schema 0: none */
  pki_view topic, message_encoding, metadata; /* metadata: a map of texts */
} pki_mcap_channel;

typedef struct pki_mcap_message {
  uint16_t channel_id;
  uint32_t sequence;
  uint64_t log_time, publish_time; /* ns */
  pki_view data;
} pki_mcap_message;

typedef struct pki_mcap_chunk {
  uint64_t message_start_time, message_end_time, uncompressed_size;
  uint32_t uncompressed_crc; /* 0: not known */
  pki_view compression, records;
} pki_mcap_chunk;

typedef struct pki_mcap_message_index {
  uint16_t channel_id;
  pki_view records; /* pairs of log time and place in the chunk, 16 bytes each */
} pki_mcap_message_index;

typedef struct pki_mcap_chunk_index {
  uint64_t message_start_time, message_end_time, chunk_start_offset, chunk_length;
  pki_view message_index_offsets; /* pairs of channel and place in the file, 10 bytes each */
  uint64_t message_index_length;
  pki_view compression;
  uint64_t compressed_size, uncompressed_size;
} pki_mcap_chunk_index;

typedef struct pki_mcap_attachment {
  uint64_t log_time, create_time;
  pki_view name, media_type, data;
  uint32_t crc; /* of all fields before it */
} pki_mcap_attachment;

typedef struct pki_mcap_attachment_index {
  uint64_t offset, length, log_time, create_time, data_size;
  pki_view name, media_type;
} pki_mcap_attachment_index;

typedef struct pki_mcap_statistics {
  uint64_t message_count;
  uint16_t schema_count;
  uint32_t channel_count, attachment_count, metadata_count, chunk_count;
  uint64_t message_start_time, message_end_time;
  pki_view channel_message_counts; /* pairs of channel and count, 10 bytes each */
} pki_mcap_statistics;

typedef struct pki_mcap_metadata {
  pki_view name, metadata; /* metadata: a map of texts */
} pki_mcap_metadata;

typedef struct pki_mcap_metadata_index {
  uint64_t offset, length;
  pki_view name;
} pki_mcap_metadata_index;

typedef struct pki_mcap_summary_offset {
  uint8_t group_opcode;
  uint64_t group_start, group_length;
} pki_mcap_summary_offset;

typedef struct pki_mcap_data_end {
  uint32_t data_section_crc; /* of all bytes of the file before this record; 0: not known */
} pki_mcap_data_end;

typedef union pki_mcap_fields {
  pki_mcap_header header;
  pki_mcap_footer footer;
  pki_mcap_schema schema;
  pki_mcap_channel channel;
  pki_mcap_message message;
  pki_mcap_chunk chunk;
  pki_mcap_message_index message_index;
  pki_mcap_chunk_index chunk_index;
  pki_mcap_attachment attachment;
  pki_mcap_attachment_index attachment_index;
  pki_mcap_statistics statistics;
  pki_mcap_metadata metadata;
  pki_mcap_metadata_index metadata_index;
  pki_mcap_summary_offset summary_offset;
  pki_mcap_data_end data_end;
} pki_mcap_fields;

/* ---- the fields of each kind ---- */

typedef enum pki_mcap_type {
  PKI_MCAP_U8,
  PKI_MCAP_U16,
  PKI_MCAP_U32,
  PKI_MCAP_U64,
  PKI_MCAP_TEXT,    /* length (4 bytes), UTF-8 */
  PKI_MCAP_MAP,     /* length (4), pairs of texts */
  PKI_MCAP_NUMBERS, /* length (4), pairs of a channel (2) and a number (8) */
  PKI_MCAP_TIMES,   /* length (4), pairs of a time (8) and a place (8) */
  PKI_MCAP_BYTES4,  /* length (4), bytes */
  PKI_MCAP_BYTES8,  /* length (8), bytes */
  PKI_MCAP_REST     /* bytes up to the record's end */
} pki_mcap_type;

typedef struct pki_mcap_field {
  const char *name; /* as in the specification */
  pki_mcap_type type;
  size_t offset; /* in the struct */
} pki_mcap_field;

/* The fields of a kind in their order; NULL for an opcode that is none of these. */
const pki_mcap_field *pki_mcap_fields_of(int op, int *count);

/* Append a record. `pad`: bytes that a later version may have added to its end. */
void pki_mcap_encode(pki_text *out, pki_mcap_op op, const void *record, int pad);

/* The fields of a record from the bytes after its head; views point into them. False: malformed. */
bool pki_mcap_decode(pki_mcap_op op, pki_view bytes, void *record);

/* Maps of texts, and pairs of a channel and a number. next: false at the end; what is malformed ends it too. */
void pki_mcap_map_add(pki_text *map, const char *key, const char *value);
bool pki_mcap_map_next(pki_view *rest, pki_view *key, pki_view *value);
bool pki_mcap_map_get(pki_view map, const char *key, pki_view *value);
void pki_mcap_numbers_add(pki_text *map, uint16_t channel, uint64_t number);
bool pki_mcap_numbers_next(pki_view *rest, uint16_t *channel, uint64_t *number);
void pki_mcap_times_add(pki_text *index, uint64_t time, uint64_t place);
bool pki_mcap_times_next(pki_view *rest, uint64_t *time, uint64_t *place);

/* Little endian; one instruction where `bytes` is a constant. */
static inline void pki_put_le(void *out, uint64_t value, int bytes)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  memcpy(out, &value, (size_t)bytes);
#else
  uint8_t *p = (uint8_t *)out;
  for (int i = 0; i < bytes; i++) {
    p[i] = (uint8_t)(value >> 8 * i);
  }
#endif
}

static inline uint64_t pki_get_le(const void *in, int bytes)
{
  const uint8_t *p = (const uint8_t *)in;
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++) {
    value |= (uint64_t)p[i] << 8 * i;
  }
  return value;
}

/* The next record among bytes, `*rest` moves behind it. False: at the end, or cut (then *rest is not empty). */
bool pki_mcap_next(pki_view *rest, int *op, pki_view *bytes);

/* ---- compression ---- */

/* The names by which MCAP knows them: "", "lz4", "zstd", in the order of pk_recording_compression. */
extern const char *const pki_mcap_compressions[];

bool pki_mcap_can_compress(int compression); /* it was built in */

/* Append `in`, compressed. `state`: a place that the codec keeps between calls, NULL at first; free it with
 * pki_mcap_compress_free. */
bool pki_mcap_compress(int compression, void **state, pki_view in, pki_text *out);
void pki_mcap_compress_free(void **state);

/* The records of a chunk, checked against its sum, into `out` (emptied before) or as they are; *records
 * points to them. PK_ERROR_SYNTAX: damaged; PK_ERROR_UNSUPPORTED: no such codec; PK_ERROR_LIMIT,
 * PK_ERROR_MEMORY. */
pk_status pki_mcap_expand(const pki_mcap_chunk *chunk, pki_text *out, pki_view *records);

/* Whether a decoded Attachment has the checksum of its bytes, or none. */
bool pki_mcap_attachment_is_sound(pki_view bytes, const pki_mcap_attachment *attachment);

#endif
