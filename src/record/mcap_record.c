/* Records of an MCAP file, from structs to bytes and back, by tables. */
#include <stdlib.h>
#include <string.h>

#include "record/crc32.h"
#include "record/mcap.h"

const uint8_t pki_mcap_magic[PKI_MCAP_MAGIC_SIZE] = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

#define FIELD(kind, member, type) \
  { \
#member, PKI_MCAP_##type, offsetof(pki_mcap_##kind, member) \
  }

static const pki_mcap_field header_fields[] = {FIELD(header, profile, TEXT), FIELD(header, library, TEXT)};
static const pki_mcap_field footer_fields[] = {FIELD(footer, summary_start, U64),
                                               FIELD(footer, summary_offset_start, U64),
                                               FIELD(footer, summary_crc, U32)};
static const pki_mcap_field schema_fields[] = {FIELD(schema, id, U16), FIELD(schema, name, TEXT),
                                               FIELD(schema, encoding, TEXT), FIELD(schema, data, BYTES4)};
static const pki_mcap_field channel_fields[] = {
    FIELD(channel, id, U16), FIELD(channel, schema_id, U16), FIELD(channel, topic, TEXT),
    FIELD(channel, message_encoding, TEXT), FIELD(channel, metadata, MAP)};
static const pki_mcap_field message_fields[] = {
    FIELD(message, channel_id, U16), FIELD(message, sequence, U32), FIELD(message, log_time, U64),
    FIELD(message, publish_time, U64), FIELD(message, data, REST)};
static const pki_mcap_field chunk_fields[] = {
    FIELD(chunk, message_start_time, U64), FIELD(chunk, message_end_time, U64),
    FIELD(chunk, uncompressed_size, U64),  FIELD(chunk, uncompressed_crc, U32),
    FIELD(chunk, compression, TEXT),       FIELD(chunk, records, BYTES8)};
static const pki_mcap_field message_index_fields[] = {FIELD(message_index, channel_id, U16),
                                                      FIELD(message_index, records, TIMES)};
static const pki_mcap_field chunk_index_fields[] = {FIELD(chunk_index, message_start_time, U64),
                                                    FIELD(chunk_index, message_end_time, U64),
                                                    FIELD(chunk_index, chunk_start_offset, U64),
                                                    FIELD(chunk_index, chunk_length, U64),
                                                    FIELD(chunk_index, message_index_offsets, NUMBERS),
                                                    FIELD(chunk_index, message_index_length, U64),
                                                    FIELD(chunk_index, compression, TEXT),
                                                    FIELD(chunk_index, compressed_size, U64),
                                                    FIELD(chunk_index, uncompressed_size, U64)};
static const pki_mcap_field attachment_fields[] = {
    FIELD(attachment, log_time, U64),    FIELD(attachment, create_time, U64), FIELD(attachment, name, TEXT),
    FIELD(attachment, media_type, TEXT), FIELD(attachment, data, BYTES8),     FIELD(attachment, crc, U32)};
static const pki_mcap_field attachment_index_fields[] = {
    FIELD(attachment_index, offset, U64),     FIELD(attachment_index, length, U64),
    FIELD(attachment_index, log_time, U64),   FIELD(attachment_index, create_time, U64),
    FIELD(attachment_index, data_size, U64),  FIELD(attachment_index, name, TEXT),
    FIELD(attachment_index, media_type, TEXT)};
static const pki_mcap_field statistics_fields[] = {FIELD(statistics, message_count, U64),
                                                   FIELD(statistics, schema_count, U16),
                                                   FIELD(statistics, channel_count, U32),
                                                   FIELD(statistics, attachment_count, U32),
                                                   FIELD(statistics, metadata_count, U32),
                                                   FIELD(statistics, chunk_count, U32),
                                                   FIELD(statistics, message_start_time, U64),
                                                   FIELD(statistics, message_end_time, U64),
                                                   FIELD(statistics, channel_message_counts, NUMBERS)};
static const pki_mcap_field metadata_fields[] = {FIELD(metadata, name, TEXT), FIELD(metadata, metadata, MAP)};
static const pki_mcap_field metadata_index_fields[] = {FIELD(metadata_index, offset, U64),
                                                       FIELD(metadata_index, length, U64),
                                                       FIELD(metadata_index, name, TEXT)};
static const pki_mcap_field summary_offset_fields[] = {FIELD(summary_offset, group_opcode, U8),
                                                       FIELD(summary_offset, group_start, U64),
                                                       FIELD(summary_offset, group_length, U64)};
static const pki_mcap_field data_end_fields[] = {FIELD(data_end, data_section_crc, U32)};

#define KIND(op, kind) [PKI_MCAP_##op] = {kind##_fields, sizeof kind##_fields / sizeof kind##_fields[0]}

static const struct {
  const pki_mcap_field *fields;
  int count;
} kinds[PKI_MCAP_OP_END] = {
    KIND(HEADER, header),
    KIND(FOOTER, footer),
    KIND(SCHEMA, schema),
    KIND(CHANNEL, channel),
    KIND(MESSAGE, message),
    KIND(CHUNK, chunk),
    KIND(MESSAGE_INDEX, message_index),
    KIND(CHUNK_INDEX, chunk_index),
    KIND(ATTACHMENT, attachment),
    KIND(ATTACHMENT_INDEX, attachment_index),
    KIND(STATISTICS, statistics),
    KIND(METADATA, metadata),
    KIND(METADATA_INDEX, metadata_index),
    KIND(SUMMARY_OFFSET, summary_offset),
    KIND(DATA_END, data_end),
};

const pki_mcap_field *pki_mcap_fields_of(int op, int *count)
{
  const bool known = op > 0 && op < PKI_MCAP_OP_END;
  *count = known ? kinds[op].count : 0;
  return known ? kinds[op].fields : NULL;
}

/* ---- views and numbers ---- */

pki_view pki_view_of(const char *string)
{
  return (pki_view){string, strlen(string)};
}

bool pki_view_equals(pki_view view, const char *string)
{
  const size_t size = strlen(string);
  return view.size == size && (size == 0 || memcmp(view.data, string, size) == 0);
}

bool pki_view_is_text(pki_view view)
{
  return view.size == 0 || memchr(view.data, '\0', view.size) == NULL;
}

char *pki_view_copy(pki_view view)
{
  if (!pki_view_is_text(view)) {
    return NULL;
  }
  char *copy = malloc(view.size + 1);
  if (copy != NULL) {
    if (view.size > 0) {
      memcpy(copy, view.data, view.size);
    }
    copy[view.size] = '\0';
  }
  return copy;
}

static void add_le(pki_text *out, uint64_t value, int bytes)
{
  uint8_t raw[8];
  pki_put_le(raw, value, bytes);
  pki_text_add_bytes(out, raw, (size_t)bytes);
}

/* Take `size` bytes from the front. */
static bool take_bytes(pki_view *rest, uint64_t size, pki_view *out)
{
  if (size > rest->size) {
    return false;
  }
  *out = (pki_view){rest->data, (size_t)size};
  rest->data = (const char *)rest->data + size;
  rest->size -= (size_t)size;
  return true;
}

static bool take_le(pki_view *rest, int bytes, uint64_t *out)
{
  pki_view raw;
  if (!take_bytes(rest, (uint64_t)bytes, &raw)) {
    return false;
  }
  *out = pki_get_le(raw.data, bytes);
  return true;
}

/* ---- records ---- */

/* Bytes of a number, 0: the type is none. */
static int width_of(pki_mcap_type type)
{
  return type == PKI_MCAP_U8    ? 1
         : type == PKI_MCAP_U16 ? 2
         : type == PKI_MCAP_U32 ? 4
         : type == PKI_MCAP_U64 ? 8
                                : 0;
}

static uint64_t load_member(const void *member, pki_mcap_type type)
{
  uint8_t u8;
  uint16_t u16;
  uint32_t u32;
  uint64_t u64;
  switch (type) {
  case PKI_MCAP_U8: return memcpy(&u8, member, sizeof u8), u8;
  case PKI_MCAP_U16: return memcpy(&u16, member, sizeof u16), u16;
  case PKI_MCAP_U32: return memcpy(&u32, member, sizeof u32), u32;
  default: return memcpy(&u64, member, sizeof u64), u64;
  }
}

static void store_member(void *member, pki_mcap_type type, uint64_t value)
{
  const uint8_t u8 = (uint8_t)value;
  const uint16_t u16 = (uint16_t)value;
  const uint32_t u32 = (uint32_t)value;
  switch (type) {
  case PKI_MCAP_U8: memcpy(member, &u8, sizeof u8); break;
  case PKI_MCAP_U16: memcpy(member, &u16, sizeof u16); break;
  case PKI_MCAP_U32: memcpy(member, &u32, sizeof u32); break;
  default: memcpy(member, &value, sizeof value); break;
  }
}

/* Bytes of the length before a view's bytes. */
static int length_width(pki_mcap_type type)
{
  return type == PKI_MCAP_BYTES8 ? 8 : type == PKI_MCAP_REST ? 0 : 4;
}

void pki_mcap_encode(pki_text *out, pki_mcap_op op, const void *record, int pad)
{
  const size_t start = out->size;
  add_le(out, (uint64_t)op, 1);
  add_le(out, 0, 8);
  for (int i = 0; i < kinds[op].count; i++) {
    const pki_mcap_field *f = &kinds[op].fields[i];
    const void *member = (const char *)record + f->offset;
    if (width_of(f->type) > 0) {
      add_le(out, load_member(member, f->type), width_of(f->type));
      continue;
    }
    pki_view view;
    memcpy(&view, member, sizeof view);
    if (length_width(f->type) > 0) {
      add_le(out, view.size, length_width(f->type));
    }
    pki_text_add_bytes(out, view.data, view.size);
  }
  for (int i = 0; i < pad; i++) {
    add_le(out, i == 0 ? 0x01 : 0xFF, 1);
  }
  /* now the length is known */
  if (!out->failed) {
    pki_put_le(out->data + start + 1, out->size - start - PKI_MCAP_HEAD, 8);
  }
}

bool pki_mcap_decode(pki_mcap_op op, pki_view bytes, void *record)
{
  pki_view rest = bytes;
  for (int i = 0; i < kinds[op].count; i++) {
    const pki_mcap_field *f = &kinds[op].fields[i];
    void *member = (char *)record + f->offset;
    uint64_t number = rest.size;
    const int width = width_of(f->type);
    if (width > 0) {
      if (!take_le(&rest, width, &number)) {
        return false;
      }
      store_member(member, f->type, number);
      continue;
    }
    pki_view view;
    if ((length_width(f->type) > 0 && !take_le(&rest, length_width(f->type), &number)) ||
        !take_bytes(&rest, number, &view)) {
      return false;
    }
    memcpy(member, &view, sizeof view);
  }
  return true;
}

bool pki_mcap_next(pki_view *rest, int *op, pki_view *bytes)
{
  pki_view left = *rest;
  uint64_t kind, length;
  if (!take_le(&left, 1, &kind) || !take_le(&left, 8, &length) || !take_bytes(&left, length, bytes)) {
    return false;
  }
  *op = (int)kind;
  *rest = left;
  return true;
}

/* ---- maps ---- */

void pki_mcap_map_add(pki_text *map, const char *key, const char *value)
{
  add_le(map, strlen(key), 4);
  pki_text_add_bytes(map, key, strlen(key));
  add_le(map, strlen(value), 4);
  pki_text_add_bytes(map, value, strlen(value));
}

bool pki_mcap_map_next(pki_view *rest, pki_view *key, pki_view *value)
{
  uint64_t size;
  return take_le(rest, 4, &size) && take_bytes(rest, size, key) && take_le(rest, 4, &size) &&
         take_bytes(rest, size, value);
}

bool pki_mcap_map_get(pki_view map, const char *key, pki_view *value)
{
  for (pki_view name; pki_mcap_map_next(&map, &name, value);) {
    if (pki_view_equals(name, key)) {
      return true;
    }
  }
  return false;
}

void pki_mcap_numbers_add(pki_text *map, uint16_t channel, uint64_t number)
{
  add_le(map, channel, 2);
  add_le(map, number, 8);
}

bool pki_mcap_numbers_next(pki_view *rest, uint16_t *channel, uint64_t *number)
{
  uint64_t id;
  if (!take_le(rest, 2, &id) || !take_le(rest, 8, number)) {
    return false;
  }
  *channel = (uint16_t)id;
  return true;
}

void pki_mcap_times_add(pki_text *index, uint64_t time, uint64_t place)
{
  add_le(index, time, 8);
  add_le(index, place, 8);
}

bool pki_mcap_times_next(pki_view *rest, uint64_t *time, uint64_t *place)
{
  return take_le(rest, 8, time) && take_le(rest, 8, place);
}

bool pki_mcap_attachment_is_sound(pki_view bytes, const pki_mcap_attachment *attachment)
{
  /* the sum is over all that comes before it */
  const pki_view data = attachment->data;
  const size_t before = (size_t)((const char *)data.data - (const char *)bytes.data) + data.size;
  return attachment->crc == 0 || pki_crc32(0, bytes.data, before) == attachment->crc;
}
