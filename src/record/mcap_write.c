#include "record/mcap_write.h"

#include <stdlib.h>
#include <string.h>

#include "record/crc32.h"

/* ---- bytes on their way ---- */

static bool has_part(const pki_mcap_writer *w, unsigned part)
{
  return (w->parts & part) != 0;
}

/* Bytes to add to a record's end; a chunk and what is in it get none, nor do records whose end is fixed. */
static int pad_of(const pki_mcap_writer *w, pki_mcap_op op)
{
  const bool open =
      op != PKI_MCAP_MESSAGE && op != PKI_MCAP_CHUNK && op != PKI_MCAP_FOOTER && op != PKI_MCAP_DATA_END;
  return has_part(w, PKI_MCAP_PART_PADDING) && open ? 3 : 0;
}

/* What is in the buffer goes out. */
static void flush_buffer(pki_mcap_writer *w)
{
  w->failed = w->failed || w->buffer.failed;
  if (!w->failed && w->buffer.size > 0) {
    w->failed = !w->put(w->user, w->buffer.data, w->buffer.size);
    w->crc = pki_crc32(w->crc, w->buffer.data, w->buffer.size);
    w->offset += w->buffer.size;
  }
  w->buffer.size = 0;
}

/* ---- bookkeeping ---- */

/* The channel's row, in the order of ids. NULL: no memory. */
static pki_mcap_count *count_of(pki_mcap_writer *w, uint16_t id)
{
  int at = w->ncount;
  while (at > 0 && w->counts[at - 1].id >= id) {
    at--;
  }
  if (at < w->ncount && w->counts[at].id == id) {
    return &w->counts[at];
  }
  pki_mcap_count *more = realloc(w->counts, (size_t)(w->ncount + 1) * sizeof *more);
  if (more == NULL) {
    w->failed = true;
    return NULL;
  }
  w->counts = more;
  memmove(more + at + 1, more + at, (size_t)(w->ncount - at) * sizeof *more);
  more[at] = (pki_mcap_count){.id = id};
  w->ncount++;
  return &more[at];
}

/* Returns the channel's row; NULL: no memory. */
static pki_mcap_count *count_message(pki_mcap_writer *w, uint16_t id, uint64_t time)
{
  pki_mcap_statistics *s = &w->statistics;
  pki_mcap_count *count = count_of(w, id);
  if (count == NULL) {
    return NULL;
  }
  count->messages++;
  s->message_start_time =
      s->message_count == 0 || time < s->message_start_time ? time : s->message_start_time;
  s->message_end_time = time > s->message_end_time ? time : s->message_end_time;
  s->message_count++;
  return count;
}

/* The last chunk has all its message indexes: its entry can be written. */
static void finish_chunk_index(pki_mcap_writer *w)
{
  if (w->has_last) {
    w->last.message_index_offsets = (pki_view){w->last_offsets.data, w->last_offsets.size};
    pki_mcap_encode(&w->chunk_indexes, PKI_MCAP_CHUNK_INDEX, &w->last, pad_of(w, PKI_MCAP_CHUNK_INDEX));
    w->failed = w->failed || w->last_offsets.failed;
  }
  w->has_last = false;
}

static void note_chunk(pki_mcap_writer *w, uint64_t offset, uint64_t length, const pki_mcap_chunk *c)
{
  const char *const *name = pki_mcap_compressions;
  while (name < pki_mcap_compressions + 2 && !pki_view_equals(c->compression, *name)) {
    name++;
  }
  finish_chunk_index(w);
  w->last = (pki_mcap_chunk_index){.message_start_time = c->message_start_time,
                                   .message_end_time = c->message_end_time,
                                   .chunk_start_offset = offset,
                                   .chunk_length = length,
                                   .compression = pki_view_of(*name),
                                   .compressed_size = c->records.size,
                                   .uncompressed_size = c->uncompressed_size};
  w->last_offsets.size = 0;
  w->has_last = true;
  w->statistics.chunk_count++;
}

static void note_attachment(pki_mcap_writer *w, uint64_t offset, uint64_t length,
                            const pki_mcap_attachment *a)
{
  const pki_mcap_attachment_index index = {.offset = offset,
                                           .length = length,
                                           .log_time = a->log_time,
                                           .create_time = a->create_time,
                                           .data_size = a->data.size,
                                           .name = a->name,
                                           .media_type = a->media_type};
  pki_mcap_encode(&w->attachment_indexes, PKI_MCAP_ATTACHMENT_INDEX, &index,
                  pad_of(w, PKI_MCAP_ATTACHMENT_INDEX));
  w->statistics.attachment_count++;
}

static void note_metadata(pki_mcap_writer *w, uint64_t offset, uint64_t length, const pki_mcap_metadata *m)
{
  const pki_mcap_metadata_index index = {.offset = offset, .length = length, .name = m->name};
  pki_mcap_encode(&w->metadata_indexes, PKI_MCAP_METADATA_INDEX, &index, pad_of(w, PKI_MCAP_METADATA_INDEX));
  w->statistics.metadata_count++;
}

static void note_message_index(pki_mcap_writer *w, uint64_t offset, uint64_t length, uint16_t channel)
{
  pki_mcap_numbers_add(&w->last_offsets, channel, offset);
  w->last.message_index_length += length;
}

/* A schema or a channel, as a record. */
static void note_head(pki_mcap_writer *w, pki_mcap_op op, const void *record)
{
  if (op == PKI_MCAP_SCHEMA) {
    w->statistics.schema_count++;
    pki_mcap_encode(&w->schemas, op, record, pad_of(w, op));
  } else {
    w->statistics.channel_count++;
    pki_mcap_encode(&w->channels, op, record, pad_of(w, op));
  }
}

/* ---- the data section ---- */

void pki_mcap_begin(pki_mcap_writer *w, const pki_mcap_header *header)
{
  pki_text_add_bytes(&w->buffer, pki_mcap_magic, PKI_MCAP_MAGIC_SIZE);
  pki_mcap_encode(&w->buffer, PKI_MCAP_HEADER, header, pad_of(w, PKI_MCAP_HEADER));
  flush_buffer(w);
}

/* The sum of the fields before it. */
static uint32_t attachment_crc(pki_text *scratch, const pki_mcap_attachment *a)
{
  scratch->size = 0;
  pki_mcap_encode(scratch, PKI_MCAP_ATTACHMENT, a, 0);
  return scratch->failed ? 0 : pki_crc32(0, scratch->data + PKI_MCAP_HEAD, scratch->size - PKI_MCAP_HEAD - 4);
}

void pki_mcap_write(pki_mcap_writer *w, pki_mcap_op op, const void *record)
{
  const bool chunked =
      has_part(w, PKI_MCAP_PART_CHUNKS) && op != PKI_MCAP_ATTACHMENT && op != PKI_MCAP_METADATA;
  if (chunked) {
    pki_mcap_encode(&w->chunk, op, record, 0);
    w->failed = w->failed || w->chunk.failed;
    return;
  }
  pki_mcap_attachment a;
  if (op == PKI_MCAP_ATTACHMENT) {
    a = *(const pki_mcap_attachment *)record;
    a.crc = attachment_crc(&w->packed, &a);
    record = &a;
  }
  pki_mcap_encode(&w->buffer, op, record, pad_of(w, op));
  const uint64_t offset = w->offset, length = w->buffer.size;
  switch (op) {
  case PKI_MCAP_MESSAGE: {
    const pki_mcap_message *m = record;
    count_message(w, m->channel_id, m->log_time);
    break;
  }
  case PKI_MCAP_ATTACHMENT: note_attachment(w, offset, length, record); break;
  case PKI_MCAP_METADATA: note_metadata(w, offset, length, record); break;
  default: note_head(w, op, record); break;
  }
  flush_buffer(w);
}

/* Walk the records of a chunk: count them, index them by channel, find the span of their times. */
static void index_chunk(pki_mcap_writer *w, pki_view records, pki_mcap_chunk *chunk)
{
  bool first = true;
  pki_view rest = records, bytes;
  for (int op; pki_mcap_next(&rest, &op, &bytes);) {
    const uint64_t place = (uint64_t)((const char *)bytes.data - (const char *)records.data) - PKI_MCAP_HEAD;
    pki_mcap_fields f;
    if (op == PKI_MCAP_MESSAGE && bytes.size >= PKI_MCAP_MESSAGE_SIZE) {
      /* of all fields only channel and time, since there are many */
      const uint64_t time = pki_get_le((const char *)bytes.data + 6, 8);
      pki_mcap_count *count = count_message(w, (uint16_t)pki_get_le(bytes.data, 2), time);
      if (count != NULL) {
        pki_mcap_times_add(&count->times, time, place);
      }
      chunk->message_start_time =
          first || time < chunk->message_start_time ? time : chunk->message_start_time;
      chunk->message_end_time = time > chunk->message_end_time ? time : chunk->message_end_time;
      first = false;
    } else if ((op == PKI_MCAP_SCHEMA || op == PKI_MCAP_CHANNEL) &&
               pki_mcap_decode((pki_mcap_op)op, bytes, &f)) {
      note_head(w, (pki_mcap_op)op, &f);
    }
  }
}

void pki_mcap_write_chunk(pki_mcap_writer *w, pki_view records)
{
  pki_mcap_chunk chunk = {.uncompressed_size = records.size,
                          .uncompressed_crc = pki_crc32(0, records.data, records.size),
                          .compression = pki_view_of(pki_mcap_compressions[w->compression])};
  for (int i = 0; i < w->ncount; i++) {
    w->counts[i].times.size = 0;
  }
  index_chunk(w, records, &chunk);
  w->packed.size = 0;
  if (!pki_mcap_compress(w->compression, &w->codec, records, &w->packed)) {
    w->failed = true;
    return;
  }
  chunk.records = (pki_view){w->packed.data, w->packed.size};
  const uint64_t offset = w->offset;
  pki_mcap_encode(&w->buffer, PKI_MCAP_CHUNK, &chunk, pad_of(w, PKI_MCAP_CHUNK));
  note_chunk(w, offset, w->buffer.size, &chunk);
  for (int i = 0; i < w->ncount && has_part(w, PKI_MCAP_PART_MESSAGE_INDEX); i++) {
    const pki_mcap_count *c = &w->counts[i];
    const size_t start = w->buffer.size;
    if (c->times.size > 0) {
      const pki_mcap_message_index index = {c->id, {c->times.data, c->times.size}};
      pki_mcap_encode(&w->buffer, PKI_MCAP_MESSAGE_INDEX, &index, pad_of(w, PKI_MCAP_MESSAGE_INDEX));
      note_message_index(w, offset + start, w->buffer.size - start, c->id);
    }
    w->failed = w->failed || c->times.failed;
  }
  flush_buffer(w);
}

void pki_mcap_close_chunk(pki_mcap_writer *w)
{
  if (w->chunk.size > 0 && !w->failed) {
    pki_mcap_write_chunk(w, (pki_view){w->chunk.data, w->chunk.size});
  }
  w->chunk.size = 0;
}

/* ---- going on ---- */

/* The content fits its checksum, and the head fits the content. */
static pk_status take_up_chunk(pki_mcap_writer *w, uint64_t offset, uint64_t length,
                               const pki_mcap_chunk *chunk)
{
  pki_view records;
  pki_mcap_chunk found = {0};
  const pk_status status = pki_mcap_expand(chunk, &w->packed, &records);
  if (status != PK_OK) {
    return status;
  }
  for (int i = 0; i < w->ncount; i++) {
    w->counts[i].times.size = 0;
  }
  index_chunk(w, records, &found);
  note_chunk(w, offset, length, chunk);
  return found.message_start_time == chunk->message_start_time &&
                 found.message_end_time == chunk->message_end_time
             ? PK_OK
             : PK_ERROR_SYNTAX;
}

/* The index is that of the chunk before it. */
static pk_status take_up_index(pki_mcap_writer *w, uint64_t offset, uint64_t length,
                               const pki_mcap_message_index *index)
{
  for (int i = 0; i < w->ncount; i++) {
    const pki_text *times = &w->counts[i].times;
    if (w->counts[i].id == index->channel_id && times->size == index->records.size &&
        (times->size == 0 || memcmp(times->data, index->records.data, times->size) == 0)) {
      note_message_index(w, offset, length, index->channel_id);
      return PK_OK;
    }
  }
  return PK_ERROR_SYNTAX;
}

pk_status pki_mcap_take_up(pki_mcap_writer *w, uint64_t offset, uint64_t length, int op, pki_view bytes)
{
  pki_mcap_fields f;
  int count;
  pk_status status = PK_OK;
  if (pki_mcap_fields_of(op, &count) == NULL || !pki_mcap_decode((pki_mcap_op)op, bytes, &f)) {
    return PK_ERROR_SYNTAX;
  }
  switch (op) {
  case PKI_MCAP_HEADER: break;
  case PKI_MCAP_SCHEMA:
  case PKI_MCAP_CHANNEL: note_head(w, (pki_mcap_op)op, &f); break;
  case PKI_MCAP_CHUNK: status = take_up_chunk(w, offset, length, &f.chunk); break;
  case PKI_MCAP_MESSAGE_INDEX: status = take_up_index(w, offset, length, &f.message_index); break;
  case PKI_MCAP_METADATA: note_metadata(w, offset, length, &f.metadata); break;
  case PKI_MCAP_ATTACHMENT:
    status = pki_mcap_attachment_is_sound(bytes, &f.attachment) ? PK_OK : PK_ERROR_SYNTAX;
    note_attachment(w, offset, length, &f.attachment);
    break;
  default: status = PK_ERROR_SYNTAX; break;
  }
  return w->failed ? PK_ERROR_MEMORY : status;
}

/* ---- the end ---- */

/* A group of the summary; its place is remembered in `offsets`. */
static void put_group(pki_mcap_writer *w, pki_mcap_op op, unsigned part, const pki_text *records,
                      pki_text *offsets)
{
  if (has_part(w, part) && records->size > 0) {
    const pki_mcap_summary_offset place = {(uint8_t)op, w->offset + w->buffer.size, records->size};
    pki_text_add_bytes(&w->buffer, records->data, records->size);
    pki_mcap_encode(offsets, PKI_MCAP_SUMMARY_OFFSET, &place, pad_of(w, PKI_MCAP_SUMMARY_OFFSET));
  }
  w->failed = w->failed || records->failed || offsets->failed;
}

static void put_statistics(pki_mcap_writer *w, pki_text *offsets)
{
  pki_text counts = {0}, record = {0};
  for (int i = 0; i < w->ncount; i++) {
    pki_mcap_numbers_add(&counts, w->counts[i].id, w->counts[i].messages);
  }
  w->statistics.channel_message_counts = (pki_view){counts.data, counts.size};
  pki_mcap_encode(&record, PKI_MCAP_STATISTICS, &w->statistics, pad_of(w, PKI_MCAP_STATISTICS));
  put_group(w, PKI_MCAP_STATISTICS, PKI_MCAP_PART_STATISTICS, &record, offsets);
  w->failed = w->failed || counts.failed;
  pki_text_free(&counts);
  pki_text_free(&record);
}

void pki_mcap_end(pki_mcap_writer *w)
{
  pki_mcap_close_chunk(w);
  finish_chunk_index(w);
  const pki_mcap_data_end end = {w->crc};
  pki_mcap_encode(&w->buffer, PKI_MCAP_DATA_END, &end, 0);
  flush_buffer(w);
  pki_text offsets = {0};
  pki_mcap_footer footer = {.summary_start = w->offset};
  put_group(w, PKI_MCAP_SCHEMA, PKI_MCAP_PART_SCHEMAS, &w->schemas, &offsets);
  put_group(w, PKI_MCAP_CHANNEL, PKI_MCAP_PART_CHANNELS, &w->channels, &offsets);
  put_statistics(w, &offsets);
  put_group(w, PKI_MCAP_CHUNK_INDEX, PKI_MCAP_PART_CHUNK_INDEX, &w->chunk_indexes, &offsets);
  put_group(w, PKI_MCAP_ATTACHMENT_INDEX, PKI_MCAP_PART_ATTACHMENT_INDEX, &w->attachment_indexes, &offsets);
  put_group(w, PKI_MCAP_METADATA_INDEX, PKI_MCAP_PART_METADATA_INDEX, &w->metadata_indexes, &offsets);
  footer.summary_start = w->buffer.size > 0 ? footer.summary_start : 0;
  if (has_part(w, PKI_MCAP_PART_SUMMARY_OFFSETS) && offsets.size > 0) {
    footer.summary_offset_start = w->offset + w->buffer.size;
    pki_text_add_bytes(&w->buffer, offsets.data, offsets.size);
  }
  /* the sum reaches into the footer, up to itself */
  const size_t place = w->buffer.size + PKI_MCAP_FOOTER_SIZE - 4;
  pki_mcap_encode(&w->buffer, PKI_MCAP_FOOTER, &footer, 0);
  if (!w->buffer.failed) {
    pki_put_le(w->buffer.data + place, pki_crc32(0, w->buffer.data, place), 4);
  }
  pki_text_add_bytes(&w->buffer, pki_mcap_magic, PKI_MCAP_MAGIC_SIZE);
  flush_buffer(w);
  pki_text_free(&offsets);
}

void pki_mcap_writer_free(pki_mcap_writer *w)
{
  pki_text *const texts[] = {
      &w->buffer,           &w->schemas,      &w->channels, &w->chunk_indexes, &w->attachment_indexes,
      &w->metadata_indexes, &w->last_offsets, &w->chunk,    &w->packed};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    pki_text_free(texts[i]);
  }
  for (int i = 0; i < w->ncount; i++) {
    pki_text_free(&w->counts[i].times);
  }
  free(w->counts);
  pki_mcap_compress_free(&w->codec);
  *w = (pki_mcap_writer){0};
}
