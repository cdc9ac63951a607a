/* What is in a recording: by its summary, or record by record when it was cut off or is still being written. Nothing
 * that the file says is believed before it is checked against the file's size. */
#include <stdlib.h>
#include <string.h>

#include "record/crc32.h"
#include "record/recording_read.h"

enum { RUN_BYTES = 1 << 24 }; /* most of the messages outside of chunks that make one block */

static bool no_memory(pk_recording *r)
{
  pki_fail(&r->error, PK_ERROR_MEMORY, (pki_where){.file = r->path},
           "not enough memory to open this recording");
  return false;
}

/* Was it memory or the disk that failed, and not the file? */
static bool fetch_failed(pk_recording *r, const pki_mcap_file *file)
{
  return pki_mcap_fetch_status(file, r->path, &r->error) != PK_OK;
}

/* A text of the file; NULL with true: it has a zero in it. */
static bool copy_text(pk_recording *r, pki_view text, char **out)
{
  *out = pki_view_copy(text);
  return *out != NULL || !pki_view_is_text(text) || no_memory(r);
}

/* Room for one more of `count` things in an array that doubles. */
static bool grow_array(void **array, size_t size, int count, int *capacity)
{
  if (count < *capacity) {
    return true;
  }
  const int more = *capacity > 0 ? 2 * *capacity : 16;
  void *larger = realloc(*array, (size_t)more * size);
  if (larger == NULL) {
    return false;
  }
  *array = larger;
  *capacity = more;
  return true;
}

/* ---- what is found ---- */

static bool add_channel(pk_recording *r, const pki_mcap_channel *from)
{
  for (int i = 0; i < r->count; i++) {
    if (r->tracks[i].id == from->id) {
      return true; /* repeated */
    }
  }
  pk_recorder_channel channel;
  bool memory = false;
  if (!pki_channel_parse(from, &channel, &memory)) {
    return !memory || no_memory(r);
  }
  int room = r->capacity;
  const bool known = pk_recording_find(r, channel.name) >= 0;
  if (known || !grow_array((void **)&r->channels, sizeof *r->channels, r->count, &room) ||
      !grow_array((void **)&r->tracks, sizeof *r->tracks, r->count, &r->capacity)) {
    pki_channel_free(&channel);
    return known || no_memory(r);
  }
  r->channels[r->count] = channel;
  r->tracks[r->count++] = (pki_track){.id = from->id};
  return true;
}

static void count_messages(pk_recording *r, uint16_t id, uint64_t more)
{
  for (int i = 0; i < r->count; i++) {
    if (r->tracks[i].id == id) {
      r->tracks[i].count += more;
      return;
    }
  }
}

static bool add_block(pk_recording *r, pki_block block)
{
  if (!grow_array((void **)&r->blocks, sizeof *r->blocks, r->nblock, &r->block_capacity)) {
    return no_memory(r);
  }
  r->blocks[r->nblock++] = block;
  return true;
}

/* Notes are the map of the Metadata record "pronk"; the first one holds. */
static bool add_notes(pk_recording *r, const pki_mcap_metadata *m)
{
  if (!pki_view_equals(m->name, "pronk") || r->notes != NULL) {
    return true;
  }
  int count = 0;
  pki_view rest = m->metadata, key, value;
  while (pki_mcap_map_next(&rest, &key, &value)) {
    count++;
  }
  r->notes = calloc((size_t)count + 1, sizeof *r->notes);
  if (r->notes == NULL) {
    return no_memory(r);
  }
  rest = m->metadata;
  bool good = true;
  for (int i = 0; i < count && good && pki_mcap_map_next(&rest, &key, &value); i++) {
    char *texts[2] = {NULL, NULL};
    good = copy_text(r, key, &texts[0]) && copy_text(r, value, &texts[1]);
    if (texts[0] != NULL && texts[1] != NULL) {
      r->notes[r->about.nnote++] = (pk_recorder_note){texts[0], texts[1]};
    } else {
      free(texts[0]);
      free(texts[1]);
    }
  }
  r->about.notes = r->notes;
  return good;
}

static bool add_attachment(pk_recording *r, pki_view bytes)
{
  pki_mcap_attachment a;
  if (!pki_mcap_decode(PKI_MCAP_ATTACHMENT, bytes, &a) || a.data.size > PKI_MCAP_RECORD_MOST - r->attached) {
    r->damaged++;
    return true;
  }
  if (!pki_mcap_attachment_is_sound(bytes, &a)) {
    r->damaged++;
    return true;
  }
  pk_recorder_attachment *more = realloc(r->attachments, (size_t)(r->about.nattachment + 1) * sizeof *more);
  if (more == NULL) {
    return no_memory(r);
  }
  r->about.attachments = r->attachments = more;
  char *name = NULL, *media = NULL, *data = malloc(a.data.size + 1);
  const bool good =
      (data != NULL || no_memory(r)) && copy_text(r, a.name, &name) && copy_text(r, a.media_type, &media);
  if (!good || name == NULL || media == NULL) {
    free(name);
    free(media);
    free(data);
    return good;
  }
  if (a.data.size > 0) {
    memcpy(data, a.data.data, a.data.size);
  }
  data[a.data.size] = '\0'; /* so that text can be read as it is */
  pk_recorder_attachment *to = &more[r->about.nattachment++];
  to->name = name;
  to->media_type = media;
  to->data = data;
  to->size = a.data.size;
  r->attached += a.data.size;
  return true;
}

void pki_recording_forget(pk_recording *r)
{
  for (int i = 0; i < r->count; i++) {
    pki_channel_free(&r->channels[i]);
  }
  for (int i = 0; i < r->about.nnote; i++) {
    free((void *)(uintptr_t)r->notes[i].key);
    free((void *)(uintptr_t)r->notes[i].value);
  }
  for (int i = 0; i < r->about.nattachment; i++) {
    free((void *)(uintptr_t)r->attachments[i].name);
    free((void *)(uintptr_t)r->attachments[i].media_type);
    free((void *)(uintptr_t)r->attachments[i].data);
  }
  free(r->channels);
  free(r->tracks);
  free(r->blocks);
  free(r->notes);
  free(r->attachments);
  *r = (pk_recording){.path = r->path, .fd = r->fd, .size = r->size, .error = r->error};
}

/* ---- by the summary ---- */

/* An index of something that lies within the file and is of that kind. */
static bool fetch_indexed(pki_mcap_file *file, uint64_t offset, int kind, pki_view *bytes)
{
  int op;
  uint64_t length;
  return pki_mcap_fetch_record(file, offset, &op, bytes, &length) && op == kind;
}

/* What the summary says, and what of it was seen. */
typedef struct totals {
  pki_mcap_statistics said;
  uint32_t channels, metadata, attachments;
} totals;

/* One record of the summary; *usable becomes false when it does not fit the file. */
static bool use_summary(pk_recording *r, pki_mcap_file *data, int op, pki_view bytes, totals *t, bool *usable)
{
  pki_mcap_fields f;
  int count;
  pki_view record;
  if (pki_mcap_fields_of(op, &count) == NULL) {
    return true;
  }
  if (!pki_mcap_decode((pki_mcap_op)op, bytes, &f)) {
    *usable = false;
    return true;
  }
  switch (op) {
  case PKI_MCAP_CHANNEL: t->channels++; return add_channel(r, &f.channel);
  case PKI_MCAP_STATISTICS: t->said = f.statistics; return true;
  case PKI_MCAP_METADATA_INDEX:
    t->metadata++;
    if (!pki_view_equals(f.metadata_index.name, "pronk")) {
      return true;
    }
    *usable = *usable && fetch_indexed(data, f.metadata_index.offset, PKI_MCAP_METADATA, &record) &&
              pki_mcap_decode(PKI_MCAP_METADATA, record, &f);
    return *usable ? add_notes(r, &f.metadata) : !fetch_failed(r, data);
  case PKI_MCAP_ATTACHMENT_INDEX:
    t->attachments++;
    *usable = *usable && f.attachment_index.length <= r->size;
    if (*usable && fetch_indexed(data, f.attachment_index.offset, PKI_MCAP_ATTACHMENT, &record)) {
      return add_attachment(r, record);
    }
    r->damaged++;
    return !fetch_failed(r, data);
  case PKI_MCAP_CHUNK_INDEX: {
    const pki_mcap_chunk_index *c = &f.chunk_index;
    pki_block block = {
        c->chunk_start_offset, c->chunk_length, c->message_start_time, c->message_end_time, 0, true};
    *usable = *usable && block.length >= PKI_MCAP_HEAD && block.length <= r->size &&
              block.offset <= r->size - block.length;
    pki_view rest = c->message_index_offsets;
    uint16_t id;
    for (uint64_t place; pki_mcap_numbers_next(&rest, &id, &place);) {
      block.channels |= UINT64_C(1) << id % 64;
    }
    block.channels = block.channels == 0 ? UINT64_MAX : block.channels; /* not indexed */
    return !*usable || add_block(r, block);
  }
  default: return true;
  }
}

bool pki_recording_summary(pk_recording *r, pki_mcap_file *file, bool *usable)
{
  pki_mcap_footer footer;
  *usable = pki_mcap_fetch_footer(file, &footer) && footer.summary_start > 0 &&
            r->size - footer.summary_start <= PKI_MCAP_RECORD_MOST;
  if (!*usable) {
    return !fetch_failed(r, file);
  }
  /* the summary in a window of its own; records that it points to come through another */
  const uint64_t end = r->size - PKI_MCAP_MAGIC_SIZE - PKI_MCAP_FOOTER_SIZE;
  const size_t size = (size_t)(end - footer.summary_start), summed = size + PKI_MCAP_FOOTER_SIZE - 4;
  const void *summary = pki_mcap_fetch(file, footer.summary_start, summed);
  *usable =
      summary != NULL && (footer.summary_crc == 0 || pki_crc32(0, summary, summed) == footer.summary_crc);
  if (!*usable) {
    return !fetch_failed(r, file);
  }
  pki_mcap_file data = {.fd = r->fd, .size = r->size};
  totals t = {0};
  pki_view rest = {summary, size}, bytes;
  bool good = true;
  for (int op; good && *usable && pki_mcap_next(&rest, &op, &bytes);) {
    good = use_summary(r, &data, op, bytes, &t, usable);
  }
  pki_view counts = t.said.channel_message_counts;
  uint16_t id;
  for (uint64_t count; pki_mcap_numbers_next(&counts, &id, &count);) {
    count_messages(r, id, count);
  }
  /* does it tell all? */
  *usable = *usable && rest.size == 0 && (uint32_t)r->nblock == t.said.chunk_count &&
            (t.said.message_count == 0) == (t.said.chunk_count == 0) && t.channels == t.said.channel_count &&
            t.attachments == t.said.attachment_count && t.metadata == t.said.metadata_count;
  r->complete = true;
  pki_text_free(&data.window);
  return good;
}

/* ---- record by record ---- */

/* The records of a chunk, or of the file itself. */
static bool scan_record(pk_recording *r, int op, pki_view bytes, pki_block *block)
{
  pki_mcap_fields f;
  if (op == PKI_MCAP_CHANNEL && pki_mcap_decode(PKI_MCAP_CHANNEL, bytes, &f)) {
    return add_channel(r, &f.channel);
  }
  if (op == PKI_MCAP_MESSAGE && pki_mcap_decode(PKI_MCAP_MESSAGE, bytes, &f)) {
    const uint64_t time = f.message.log_time;
    count_messages(r, f.message.channel_id, 1);
    block->start = block->channels == 0 || time < block->start ? time : block->start;
    block->end = time > block->end ? time : block->end;
    block->channels |= UINT64_C(1) << f.message.channel_id % 64;
  }
  return true;
}

static bool scan_chunk(pk_recording *r, pki_view bytes, pki_block block, pki_text *scratch)
{
  pki_mcap_chunk chunk;
  pki_view records, inside;
  const pk_status status = pki_mcap_decode(PKI_MCAP_CHUNK, bytes, &chunk)
                               ? pki_mcap_expand(&chunk, scratch, &records)
                               : PK_ERROR_SYNTAX;
  if (status == PK_ERROR_MEMORY) {
    return no_memory(r);
  }
  if (status == PK_ERROR_UNSUPPORTED) {
    pki_fail(&r->error, status, (pki_where){.file = r->path},
             "a chunk is compressed by '%.*s', which this pronk was built without; it knows: %s%snone",
             (int)(chunk.compression.size < 16 ? chunk.compression.size : 16),
             (const char *)chunk.compression.data,
             pki_mcap_can_compress(PK_RECORDING_COMPRESSION_ZSTD) ? "zstd, " : "",
             pki_mcap_can_compress(PK_RECORDING_COMPRESSION_LZ4) ? "lz4, " : "");
    return false;
  }
  if (status != PK_OK) {
    r->damaged++;
    return true;
  }
  for (int op; pki_mcap_next(&records, &op, &inside);) {
    if (!scan_record(r, op, inside, &block)) {
      return false;
    }
  }
  return block.channels == 0 || add_block(r, block);
}

/* One record of the data section. `run`: messages outside of chunks that were seen just before. */
static bool scan_data(pk_recording *r, int op, pki_view bytes, uint64_t offset, uint64_t length,
                      pki_block *run, pki_text *scratch)
{
  pki_mcap_fields f;
  if (op == PKI_MCAP_MESSAGE) {
    if (run->length == 0) {
      *run = (pki_block){.offset = offset};
    }
    run->length += length;
    const bool full = run->length > RUN_BYTES;
    const bool good = scan_record(r, op, bytes, run) && (!full || add_block(r, *run));
    run->length = full ? 0 : run->length;
    return good;
  }
  if (run->length > 0) {
    const pki_block block = *run;
    run->length = 0;
    if (!add_block(r, block)) {
      return false;
    }
  }
  switch (op) {
  case PKI_MCAP_CHANNEL: return scan_record(r, op, bytes, run);
  case PKI_MCAP_CHUNK: return scan_chunk(r, bytes, (pki_block){offset, length, 0, 0, 0, true}, scratch);
  case PKI_MCAP_ATTACHMENT: return add_attachment(r, bytes);
  case PKI_MCAP_METADATA: return !pki_mcap_decode(PKI_MCAP_METADATA, bytes, &f) || add_notes(r, &f.metadata);
  default: return true;
  }
}

bool pki_recording_scan(pk_recording *r, pki_mcap_file *file)
{
  pki_text scratch = {0};
  pki_block run = {0};
  uint64_t offset = PKI_MCAP_MAGIC_SIZE, length;
  pki_mcap_footer footer;
  bool good = true, ended = false;
  int op;
  pki_view bytes;
  r->scanned = true;
  while (good && !ended && pki_mcap_fetch_head(file, offset, &op, &length)) {
    /* what is known and can be held is looked at, the rest passed over */
    if (op < PKI_MCAP_OP_END && pki_mcap_fetch_record(file, offset, &op, &bytes, &length)) {
      good = scan_data(r, op, bytes, offset, length, &run, &scratch);
    } else if (op < PKI_MCAP_OP_END) {
      good = !fetch_failed(r, file);
      r->damaged++;
    }
    ended = op == PKI_MCAP_DATA_END;
    offset += length;
  }
  good = good && (ended || !fetch_failed(r, file));
  if (good && run.length > 0) {
    good = add_block(r, run);
  }
  r->sound = offset;
  r->complete = good && ended && pki_mcap_fetch_footer(file, &footer);
  good = good && (r->complete || !fetch_failed(r, file));
  pki_text_free(&scratch);
  return good;
}
