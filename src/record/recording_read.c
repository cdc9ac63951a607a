#define _POSIX_C_SOURCE 200809L
#include "record/recording_read.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CACHE_BYTES = 1 << 27 }; /* most of the chunks that are kept */

/* ---- open and close ---- */

static bool create_cache(pk_recording *r)
{
  r->cache = calloc(1, sizeof *r->cache + (size_t)r->nblock * sizeof r->cache->chunks[0]);
  return r->cache != NULL && pthread_mutex_init(&r->cache->lock, NULL) == 0;
}

static void destroy_cache(pk_recording *r)
{
  for (int i = 0; r->cache != NULL && i < r->nblock; i++) {
    pki_text_free(&r->cache->chunks[i]);
  }
  if (r->cache != NULL) {
    pthread_mutex_destroy(&r->cache->lock);
  }
  free(r->cache);
  r->cache = NULL;
}

static pk_status check_magic(pk_recording *r, pki_mcap_file *file, pk_error *err)
{
  const void *magic = pki_mcap_fetch(file, 0, PKI_MCAP_MAGIC_SIZE);
  const pk_status status = pki_mcap_fetch_status(file, r->path, err);
  if (status != PK_OK) {
    return status;
  }
  if (magic == NULL || memcmp(magic, pki_mcap_magic, PKI_MCAP_MAGIC_SIZE) != 0) {
    return pki_fail(err, PK_ERROR_SYNTAX, (pki_where){.file = r->path},
                    r->size == 0 ? "is empty, expected a recording (MCAP)"
                                 : "is not a recording: it does not start as an MCAP file does");
  }
  return PK_OK;
}

/* Find what is in it. */
static pk_status index_recording(pk_recording *r, bool scan, pk_error *err)
{
  pki_mcap_file file = {.fd = r->fd, .size = r->size};
  pk_status status = check_magic(r, &file, err);
  bool usable = false;
  if (status == PK_OK) {
    bool good = scan || pki_recording_summary(r, &file, &usable);
    if (good && !usable) {
      pki_recording_forget(r);
      good = pki_recording_scan(r, &file);
    }
    if (!good) {
      status = r->error.status;
      if (err != NULL) {
        *err = r->error;
      }
    }
  }
  pki_text_free(&file.window);
  return status;
}

pk_status pki_recording_open(const char *path, bool scan, pk_recording **out, pk_error *err)
{
  const pki_where where = {.file = path};
  *out = NULL;
  pk_recording *r = calloc(1, sizeof *r);
  char *copy = pki_view_copy(pki_view_of(path));
  if (r == NULL || copy == NULL) {
    free(r);
    free(copy);
    return pki_fail(err, PK_ERROR_MEMORY, where, "not enough memory to open this recording");
  }
  r->path = copy;
  /* a pipe is not waited for */
  struct stat info;
  r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  pk_status status = PK_OK;
  if (r->fd < 0 || fstat(r->fd, &info) != 0) {
    status = pki_fail(err, PK_ERROR_FILE, where, "cannot be read: %s", strerror(errno));
  } else if (!S_ISREG(info.st_mode)) {
    status = pki_fail(err, PK_ERROR_FILE, where, "cannot be read: it is no regular file");
  } else {
    r->size = (uint64_t)info.st_size;
    status = index_recording(r, scan, err);
    if (status == PK_OK && !create_cache(r)) {
      status = pki_fail(err, PK_ERROR_MEMORY, where, "not enough memory to open this recording");
    }
  }
  if (status != PK_OK) {
    pk_recording_close(r);
    return status;
  }
  *out = r;
  return PK_OK;
}

pk_status pk_recording_open(const char *path, pk_recording **out, pk_error *err)
{
  return pki_recording_open(path, false, out, err);
}

void pk_recording_close(pk_recording *r)
{
  if (r != NULL) {
    destroy_cache(r);
    pki_recording_forget(r);
    if (r->fd >= 0) {
      close(r->fd);
    }
    free(r->path);
    free(r);
  }
}

/* ---- what is in it ---- */

bool pk_recording_is_complete(const pk_recording *r)
{
  return r->complete;
}

void pk_recording_span(const pk_recording *r, double *start, double *end)
{
  uint64_t first = UINT64_MAX, last = 0;
  for (int i = 0; i < r->nblock; i++) {
    first = r->blocks[i].start < first ? r->blocks[i].start : first;
    last = r->blocks[i].end > last ? r->blocks[i].end : last;
  }
  *start = r->nblock > 0 ? pki_time_decode(first) : (double)NAN;
  *end = r->nblock > 0 ? pki_time_decode(last) : (double)NAN;
}

const pk_recorder_channel *pk_recording_channels(const pk_recording *r, int *count)
{
  *count = r->count;
  return r->channels;
}

int pk_recording_find(const pk_recording *r, const char *name)
{
  for (int i = 0; i < r->count; i++) {
    if (strcmp(r->channels[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

const pk_recording_about *pk_recording_get_about(const pk_recording *r)
{
  return &r->about;
}

const char *pk_recording_note(const pk_recording *r, const char *key)
{
  for (int i = 0; i < r->about.nnote; i++) {
    if (strcmp(r->about.notes[i].key, key) == 0) {
      return r->about.notes[i].value;
    }
  }
  return NULL;
}

const pk_recorder_attachment *pk_recording_attachment(const pk_recording *r, const char *name)
{
  for (int i = 0; i < r->about.nattachment; i++) {
    if (strcmp(r->about.attachments[i].name, name) == 0) {
      return &r->about.attachments[i];
    }
  }
  return NULL;
}

/* ---- samples ---- */

/* A series that grows. */
typedef struct growing {
  const pk_recording *recording;
  const pk_recorder_channel *channel;
  uint16_t id;
  double from, to;
  pk_recording_series *out;
  size_t capacity, row_capacity, nrow; /* of times, of rows */
} growing;

static bool reserve_sample(growing *g, size_t rows)
{
  pk_recording_series *s = g->out;
  const size_t n = (size_t)s->n;
  if (n + 1 > g->capacity) {
    const size_t more = g->capacity > 0 ? 2 * g->capacity : 256;
    double *time = realloc(s->time, more * sizeof *time);
    if (time == NULL) {
      return false;
    }
    s->time = time;
    int *row = realloc(s->row, (more + 1) * sizeof *row);
    if (row == NULL) {
      return false;
    }
    s->row = row;
    g->capacity = more;
  }
  if (g->nrow + rows > g->row_capacity) {
    size_t more = g->row_capacity > 0 ? 2 * g->row_capacity : 256;
    more = more < g->nrow + rows ? g->nrow + rows : more;
    double *values = realloc(s->values, more * (size_t)s->columns * sizeof *values);
    if (values == NULL) {
      return false;
    }
    s->values = values;
    g->row_capacity = more;
  }
  return true;
}

static pk_status fail_broken_message(const growing *g, uint64_t offset, pk_error *err)
{
  return pki_fail(
      err, PK_ERROR_SYNTAX, (pki_where){.file = g->recording->path, .field = g->channel->name},
      "the recording is damaged at byte %llu; `pronk export --format mcap` makes a copy of what is sound",
      (unsigned long long)offset);
}

/* The same for bytes that could not be fetched: memory or the disk may be at fault as well. */
static pk_status report_unreadable(const growing *g, const pki_mcap_file *file, uint64_t offset,
                                   pk_error *err)
{
  const pk_status status = pki_mcap_fetch_status(file, g->recording->path, err);
  return status != PK_OK ? status : fail_broken_message(g, offset, err);
}

static pk_status add_sample(growing *g, const pki_mcap_message *m, uint64_t offset, pk_error *err)
{
  const double time = pki_time_decode(m->log_time);
  if (!(time >= g->from && time <= g->to)) {
    return PK_OK;
  }
  const void *values;
  pk_recording_series *s = g->out;
  const int rows = pki_sample_rows(g->channel, m->data, &values);
  if (rows < 0 || (s->n > 0 && time < s->time[s->n - 1])) {
    return fail_broken_message(g, offset, err);
  }
  const pki_where where = {.file = g->recording->path, .field = g->channel->name};
  if (s->n == INT32_MAX - 1 || g->nrow + (size_t)rows > INT32_MAX) {
    return pki_fail(err, PK_ERROR_LIMIT, where,
                    "the channel has more samples than fit in one series: ask for less time");
  }
  if (!reserve_sample(g, (size_t)rows)) {
    return pki_fail(err, PK_ERROR_MEMORY, where, "not enough memory for the samples: ask for less time");
  }
  double *to = s->values + g->nrow * (size_t)s->columns;
  const size_t numbers = (size_t)rows * (size_t)s->columns;
  for (size_t k = 0; k < numbers; k++) {
    const uint64_t bits = pki_get_le((const char *)values + 8 * k, 8);
    memcpy(to + k, &bits, sizeof bits);
  }
  s->time[s->n] = time;
  s->row[s->n++] = (int)g->nrow;
  g->nrow += (size_t)rows;
  s->row[s->n] = (int)g->nrow;
  return PK_OK;
}

/* The samples among some records. */
static pk_status add_records(growing *g, pki_view records, uint64_t offset, pk_error *err)
{
  pki_view bytes;
  pk_status status = PK_OK;
  for (int op; status == PK_OK && pki_mcap_next(&records, &op, &bytes);) {
    pki_mcap_message m;
    if (op == PKI_MCAP_MESSAGE && bytes.size >= PKI_MCAP_MESSAGE_SIZE && pki_get_le(bytes.data, 2) == g->id &&
        pki_mcap_decode(PKI_MCAP_MESSAGE, bytes, &m)) {
      status = add_sample(g, &m, offset, err);
    }
  }
  return status;
}

/* A chunk that is kept, NULL: it is not. */
static const pki_text *find_chunk(const pk_recording *r, ptrdiff_t block)
{
  pthread_mutex_lock(&r->cache->lock);
  const pki_text *chunk = r->cache->chunks[block].data != NULL ? &r->cache->chunks[block] : NULL;
  pthread_mutex_unlock(&r->cache->lock);
  return chunk;
}

/* Keep a chunk while there is room; `chunk` is then empty. */
static void keep_chunk(const pk_recording *r, ptrdiff_t block, pki_text *chunk)
{
  pthread_mutex_lock(&r->cache->lock);
  if (r->cache->chunks[block].data == NULL && chunk->capacity <= CACHE_BYTES - r->cache->held) {
    r->cache->held += chunk->capacity;
    r->cache->chunks[block] = *chunk;
    *chunk = (pki_text){0};
  }
  pthread_mutex_unlock(&r->cache->lock);
}

static pk_status read_block(growing *g, pki_mcap_file *file, const pki_block *b, pki_text *scratch,
                            pk_error *err)
{
  if (!b->chunk) {
    const void *raw = pki_mcap_fetch(file, b->offset, b->length);
    return raw == NULL ? report_unreadable(g, file, b->offset, err)
                       : add_records(g, (pki_view){raw, (size_t)b->length}, b->offset, err);
  }
  const ptrdiff_t number = b - g->recording->blocks;
  const pki_text *kept = find_chunk(g->recording, number);
  if (kept != NULL) {
    return add_records(g, (pki_view){kept->data, kept->size}, b->offset, err);
  }
  int op;
  uint64_t length;
  pki_view bytes, records;
  pki_mcap_chunk chunk;
  if (!pki_mcap_fetch_record(file, b->offset, &op, &bytes, &length) || op != PKI_MCAP_CHUNK ||
      !pki_mcap_decode(PKI_MCAP_CHUNK, bytes, &chunk)) {
    return report_unreadable(g, file, b->offset, err);
  }
  const pki_where where = {.file = g->recording->path, .field = g->channel->name};
  switch (pki_mcap_expand(&chunk, scratch, &records)) {
  case PK_OK: {
    const pk_status status = add_records(g, records, b->offset, err);
    if (records.data == scratch->data) {
      keep_chunk(g->recording, number, scratch);
    }
    return status;
  }
  case PK_ERROR_UNSUPPORTED:
    return pki_fail(err, PK_ERROR_UNSUPPORTED, where,
                    "its chunks are compressed by '%.*s', which this pronk was built without",
                    (int)(chunk.compression.size < 16 ? chunk.compression.size : 16),
                    (const char *)chunk.compression.data);
  case PK_ERROR_MEMORY: return pki_fail(err, PK_ERROR_MEMORY, where, "not enough memory for a chunk");
  default: return fail_broken_message(g, b->offset, err);
  }
}

pk_status pk_recording_read(const pk_recording *r, int channel, double from, double to,
                            pk_recording_series *out, pk_error *err)
{
  *out = (pk_recording_series){0};
  if (channel < 0 || channel >= r->count) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.file = r->path}, "channel %d, expected 0 to %d",
                    channel, r->count - 1);
  }
  growing g = {r, &r->channels[channel], r->tracks[channel].id, from, to, out, 0, 0, 0};
  out->columns = g.channel->columns;
  pki_mcap_file file = {.fd = r->fd, .size = r->size};
  pki_text scratch = {0};
  pk_status status = reserve_sample(&g, 1) ? PK_OK : pki_fail_memory(err, NULL);
  if (status == PK_OK) {
    out->row[0] = 0;
  }
  for (int i = 0; i < r->nblock && status == PK_OK; i++) {
    const pki_block *b = &r->blocks[i];
    const bool inside = pki_time_decode(b->end) >= from && pki_time_decode(b->start) <= to;
    if (inside && (b->channels >> g.id % 64 & 1) != 0) {
      status = read_block(&g, &file, b, &scratch, err);
    }
  }
  pki_text_free(&scratch);
  pki_text_free(&file.window);
  if (status != PK_OK) {
    pk_recording_series_free(out);
  }
  return status;
}

void pk_recording_series_free(pk_recording_series *series)
{
  free(series->time);
  free(series->row);
  free(series->values);
  *series = (pk_recording_series){0};
}
