/* The live recording: samples are copied into the chunk at hand; full chunks are compressed and written by a thread
 * beside the run, each with one write(2), so that a kill costs no more than the chunks in flight.
 *
 *   run:     [ chunk at hand ] -> queue of two -> | thread: compress, index, write | -> file
 *
 * Where chunks end depends on the times and sizes of samples alone: the same run gives the same bytes. */
#define _DEFAULT_SOURCE /* flock */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/draft.h"
#include "base/file.h"
#include "record/mcap_write.h"
#include "record/recording.h"

enum {
  BEHIND = 2,              /* chunks that may wait for the thread */
  CHUNK_BYTES = 64 << 20,  /* a chunk ends here even if its time is not over */
  SAMPLE_BYTES = 128 << 20 /* most of one sample */
};

/* ---- the sink ---- */

typedef struct sink {
  pk_recorder base;
  char *path;
  int fd;
  pk_recording_options options;
  bool begun, ended, resumed;
  uint64_t position; /* of a file that is resumed */
  /* the run's side */
  pk_recorder_channel *channels; /* columns and table only */
  uint32_t *sequence;            /* samples of each channel so far */
  int count;
  double time;                /* of the last sample, s */
  uint64_t last, span, until; /* the same, the length of a chunk, and where this one ends; ns */
  /* a ring of chunks: `hand` is being filled, the `queued` ones from `first` on wait for the thread */
  pki_text chunks[BEHIND + 1];
  int hand, first, queued; /* the last two under the lock */
  bool threaded, stop;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  /* the writing side */
  pki_mcap_writer writer;
  int why;        /* errno of the write that failed */
  pk_error error; /* the first failure; under the lock */
} sink;

static pki_where where_of(const sink *s)
{
  return (pki_where){.file = s->path};
}

/* Remember the first failure. */
static pk_status fail_sink(sink *s, pk_status status, const char *message, const char *detail)
{
  pthread_mutex_lock(&s->lock);
  if (s->error.status == PK_OK) {
    pki_fail(&s->error, status, where_of(s), "%s%s", message, detail);
  }
  pthread_mutex_unlock(&s->lock);
  return status;
}

static pk_status first_failure(sink *s, pk_error *err)
{
  pthread_mutex_lock(&s->lock);
  const pk_status status = s->error.status;
  if (status != PK_OK && err != NULL) {
    *err = s->error;
  }
  pthread_mutex_unlock(&s->lock);
  return status;
}

/* All bytes to the file; what of them arrived before a failure is taken back. */
static bool put_to_file(void *user, const void *data, size_t size)
{
  sink *s = user;
  if (pki_write_all(s->fd, data, size)) {
    return true;
  }
  s->why = errno;
  const int ignored = ftruncate(s->fd, (off_t)s->writer.offset);
  (void)ignored;
  return false;
}

/* Say what kept the writer from writing. */
static pk_status check_writer(sink *s)
{
  if (!s->writer.failed) {
    return PK_OK;
  }
  return s->why != 0 ? fail_sink(s, PK_ERROR_FILE, "the recording cannot be written: ", strerror(s->why))
                     : fail_sink(s, PK_ERROR_MEMORY, "not enough memory for the recording", "");
}

/* ---- chunks ---- */

static pki_text *chunk_at_hand(sink *s)
{
  return &s->chunks[s->hand];
}

static void write_chunk(sink *s, pki_text *chunk)
{
  s->writer.failed = s->writer.failed || chunk->failed;
  if (!s->writer.failed) {
    pki_mcap_write_chunk(&s->writer, (pki_view){chunk->data, chunk->size});
  }
  check_writer(s);
  chunk->size = 0;
}

static void *write_chunks(void *user)
{
  sink *s = user;
  pthread_mutex_lock(&s->lock);
  while (true) {
    while (s->queued == 0 && !s->stop) {
      pthread_cond_wait(&s->changed, &s->lock);
    }
    if (s->queued == 0) {
      break;
    }
    pki_text *chunk = &s->chunks[s->first];
    pthread_mutex_unlock(&s->lock);
    write_chunk(s, chunk);
    pthread_mutex_lock(&s->lock);
    s->first = (s->first + 1) % (BEHIND + 1);
    s->queued--;
    pthread_cond_broadcast(&s->changed);
  }
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

/* The chunk at hand is full: hand it over, and wait while too many are behind. */
static pk_status close_chunk(sink *s)
{
  if (!s->threaded) {
    write_chunk(s, chunk_at_hand(s));
    return first_failure(s, NULL);
  }
  pthread_mutex_lock(&s->lock);
  while (s->queued == BEHIND) {
    pthread_cond_wait(&s->changed, &s->lock);
  }
  s->queued++;
  s->hand = (s->hand + 1) % (BEHIND + 1);
  pthread_cond_broadcast(&s->changed);
  const pk_status status = s->error.status;
  pthread_mutex_unlock(&s->lock);
  return status;
}

/* All that was written so far is in the file, or failed. */
static void drain_writer(sink *s)
{
  if (chunk_at_hand(s)->size > 0 || chunk_at_hand(s)->failed) {
    close_chunk(s);
  }
  pthread_mutex_lock(&s->lock);
  while (s->queued > 0) {
    pthread_cond_wait(&s->changed, &s->lock);
  }
  pthread_mutex_unlock(&s->lock);
}

/* Signals are for the run's thread. */
static void start_thread(sink *s)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  s->threaded = s->options.thread && pthread_create(&s->thread, NULL, write_chunks, s) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void stop_thread(sink *s)
{
  if (s->threaded) {
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    s->threaded = false;
  }
}

/* ---- begin ---- */

static pk_status check_about(const sink *s, const pk_recording_about *about, pk_error *err)
{
  for (int i = 0; about != NULL && i < about->nnote; i++) {
    if (about->notes[i].key == NULL || about->notes[i].value == NULL) {
      return pki_fail(err, PK_ERROR_ARGUMENT, where_of(s), "note %d has no key or no value", i);
    }
  }
  for (int i = 0; about != NULL && i < about->nattachment; i++) {
    const pk_recorder_attachment *a = &about->attachments[i];
    if (a->name == NULL || a->media_type == NULL || (a->data == NULL && a->size > 0)) {
      return pki_fail(err, PK_ERROR_ARGUMENT, where_of(s), "attachment %d has no name, media type or data",
                      i);
    }
    if (a->size > SAMPLE_BYTES) {
      return pki_fail(err, PK_ERROR_LIMIT, where_of(s),
                      "attachment '%s' has %zu bytes, at most %d can be held", a->name, a->size,
                      SAMPLE_BYTES);
    }
  }
  return PK_OK;
}

static void put_about(pki_mcap_writer *w, const pk_recording_about *about)
{
  pki_text map = {0};
  for (int i = 0; about != NULL && i < about->nnote; i++) {
    pki_mcap_map_add(&map, about->notes[i].key, about->notes[i].value);
  }
  const pki_mcap_metadata notes = {pki_view_of("pronk"), {map.data, map.size}};
  pki_mcap_write(w, PKI_MCAP_METADATA, &notes);
  w->failed = w->failed || map.failed;
  pki_text_free(&map);
  for (int i = 0; about != NULL && i < about->nattachment; i++) {
    const pk_recorder_attachment *a = &about->attachments[i];
    const pki_mcap_attachment record = {
        .name = pki_view_of(a->name), .media_type = pki_view_of(a->media_type), .data = {a->data, a->size}};
    pki_mcap_write(w, PKI_MCAP_ATTACHMENT, &record);
  }
}

static void put_channels(pki_mcap_writer *w, const pk_recorder_channel *channels, int count)
{
  for (int i = 0; i < count; i++) {
    pki_text type = {0}, text = {0}, map = {0}, topic = {0};
    pki_channel_schema(&channels[i], &type, &text);
    pki_channel_metadata(&channels[i], &map);
    pki_text_addf(&topic, "/%s", channels[i].name);
    w->failed = w->failed || type.failed || text.failed || map.failed || topic.failed;
    const uint16_t id = (uint16_t)(i + 1);
    const pki_mcap_schema schema = {
        id, {type.data, type.size}, pki_view_of("ros2msg"), {text.data, text.size}};
    const pki_mcap_channel channel = {
        id, id, {topic.data, topic.size}, pki_view_of("cdr"), {map.data, map.size}};
    pki_mcap_write(w, PKI_MCAP_SCHEMA, &schema);
    pki_mcap_write(w, PKI_MCAP_CHANNEL, &channel);
    pki_text_free(&type);
    pki_text_free(&text);
    pki_text_free(&map);
    pki_text_free(&topic);
  }
}

static bool discard_bytes(void *user, const void *data, size_t size)
{
  (void)user, (void)data, (void)size;
  return true;
}

static bool are_equal(const pki_text *a, const pki_text *b)
{
  return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* A file that is resumed must have these channels; only then is its end dropped. */
static pk_status continue_file(sink *s, const pk_recorder_channel *channels, int count, pk_error *err)
{
  pki_mcap_writer *w = &s->writer, same = {.parts = w->parts, .put = discard_bytes};
  put_channels(&same, channels, count);
  const bool equal =
      !same.failed && are_equal(&same.schemas, &w->schemas) && are_equal(&same.channels, &w->channels);
  pki_mcap_writer_free(&same);
  if (!equal) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, where_of(s),
        "its channels (%u) are not those of this run (%d); a recording is resumed only with the same "
        "model and the same settings of what is recorded",
        (unsigned)w->statistics.channel_count, count);
  }
  if (ftruncate(s->fd, (off_t)s->position) != 0 || lseek(s->fd, (off_t)s->position, SEEK_SET) < 0) {
    return pki_fail(err, PK_ERROR_FILE, where_of(s), "cannot be written: %s", strerror(errno));
  }
  for (int i = 0; i < w->ncount; i++) {
    const int channel = w->counts[i].id - 1;
    if (channel >= 0 && channel < count) {
      s->sequence[channel] = (uint32_t)w->counts[i].messages;
    }
  }
  s->last = w->statistics.message_end_time;
  return PK_OK;
}

static pk_status sink_begin(pk_recorder *self, const pk_recording_about *about,
                            const pk_recorder_channel *channels, int count, pk_error *err)
{
  sink *s = (sink *)self;
  if (s->begun || s->channels != NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where_of(s), "the recording has begun already");
  }
  pk_status status = pki_channels_validate(channels, count, s->path, err);
  if (status == PK_OK) {
    status = check_about(s, about, err);
  }
  if (status != PK_OK) {
    return status;
  }
  s->channels = calloc((size_t)count + 1, sizeof *s->channels);
  s->sequence = calloc((size_t)count + 1, sizeof *s->sequence);
  if (s->channels == NULL || s->sequence == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, where_of(s), "not enough memory for the recording");
  }
  for (int i = 0; i < count; i++) {
    s->channels[i] = (pk_recorder_channel){.columns = channels[i].columns, .table = channels[i].table};
  }
  s->count = count;
  if (s->resumed) {
    status = continue_file(s, channels, count, err);
  } else {
    char library[64];
    snprintf(library, sizeof library, "pronk %s", pk_version());
    const pki_mcap_header header = {pki_view_of(""), pki_view_of(library)};
    pki_mcap_begin(&s->writer, &header);
    put_about(&s->writer, about);
    put_channels(&s->writer, channels, count);
    status = check_writer(s) != PK_OK ? first_failure(s, err) : PK_OK;
  }
  if (status == PK_OK) {
    s->begun = true;
    start_thread(s);
  }
  return status;
}

/* ---- samples, marks, the end ---- */

static pk_status sink_write(pk_recorder *self, int channel, double time, const double *values, int rows)
{
  sink *s = (sink *)self;
  uint64_t ns = s->last;
  if (!s->begun || s->ended || channel < 0 || channel >= s->count || rows < 0 ||
      (rows != 1 && !s->channels[channel].table)) {
    return fail_sink(s, PK_ERROR_ARGUMENT,
                     "a sample for a channel that is not open, or with a wrong number of rows", "");
  }
  if (time != s->time && (!pki_time_encode(time, &ns) || ns < s->last)) {
    return fail_sink(s, PK_ERROR_ARGUMENT,
                     "a sample's time is before that of the last one, or no time at all", "");
  }
  const pk_recorder_channel *c = &s->channels[channel];
  if ((size_t)rows * (size_t)c->columns > SAMPLE_BYTES / sizeof(double)) {
    return fail_sink(s, PK_ERROR_LIMIT, "a sample has too many rows to be held", "");
  }
  pk_status status = PK_OK;
  const pki_text *at_hand = chunk_at_hand(s);
  if (ns >= s->until || at_hand->size > CHUNK_BYTES) {
    status = at_hand->size > 0 ? close_chunk(s) : PK_OK;
    s->until = (ns / s->span + 1) * s->span;
  }
  s->time = time;
  s->last = ns;
  pki_sample_encode(chunk_at_hand(s), c, channel + 1, s->sequence[channel]++, ns, values, rows);
  return status;
}

static pk_status sink_mark(pk_recorder *self, uint64_t *position, pk_error *err)
{
  sink *s = (sink *)self;
  if (!s->begun || s->ended) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where_of(s), "the recording is not open");
  }
  drain_writer(s);
  *position = s->writer.offset;
  fdatasync(s->fd); /* before a caller stores the position */
  return first_failure(s, err);
}

static pk_status sink_end(pk_recorder *self, pk_error *err)
{
  sink *s = (sink *)self;
  if (!s->begun || s->ended) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where_of(s), "the recording is not open");
  }
  s->ended = true;
  drain_writer(s);
  stop_thread(s);
  if (!s->writer.failed) {
    pki_mcap_end(&s->writer);
  }
  check_writer(s);
  const int fd = s->fd;
  s->fd = -1;
  if (close(fd) != 0) {
    fail_sink(s, PK_ERROR_FILE, "the recording cannot be written: ", strerror(errno));
  }
  return first_failure(s, err);
}

static void sink_destroy(pk_recorder *self)
{
  sink *s = (sink *)self;
  stop_thread(s);
  if (s->fd >= 0) {
    close(s->fd);
  }
  for (int i = 0; i <= BEHIND; i++) {
    pki_text_free(&s->chunks[i]);
  }
  pki_mcap_writer_free(&s->writer);
  pthread_mutex_destroy(&s->lock);
  pthread_cond_destroy(&s->changed);
  free(s->channels);
  free(s->sequence);
  free(s->path);
  free(s);
}

/* ---- files ---- */

/* NULL: *status says why. */
static sink *sink_create(const char *path, const pk_recording_options *options, pk_status *status,
                         pk_error *err)
{
  const pki_where where = {.file = path};
  const pk_recording_options o = options ? *options : pk_recording_options_default();
  *status = pki_fields_validate(pki_recording_fields, pki_recording_field_count, &o, err);
  if (*status != PK_OK) {
    return NULL;
  }
  if (!pki_mcap_can_compress((int)o.compression)) {
    *status = pki_fail(
        err, PK_ERROR_UNSUPPORTED, where,
        "this pronk was built without %s; install its library and build with PK_WITH_%s=ON, or choose "
        "compression none",
        pki_compression_words[o.compression], o.compression == PK_RECORDING_COMPRESSION_LZ4 ? "LZ4" : "ZSTD");
    return NULL;
  }
  sink *s = calloc(1, sizeof *s);
  char *copy = pki_view_copy(pki_view_of(path));
  if (s == NULL || copy == NULL) {
    free(s);
    free(copy);
    *status = pki_fail(err, PK_ERROR_MEMORY, where, "not enough memory for the recording");
    return NULL;
  }
  *s = (sink){.base = {sink_begin, sink_write, sink_mark, sink_end, sink_destroy},
              .path = copy,
              .fd = -1,
              .time = -1,
              .options = o,
              .span = (uint64_t)llround(o.chunk * 1e9),
              .writer = {.parts = PKI_MCAP_PART_ALL & ~(unsigned)PKI_MCAP_PART_CHUNKS,
                         .compression = (int)o.compression,
                         .put = put_to_file,
                         .user = s}};
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->changed, NULL);
  return s;
}

static pk_status cannot_write(const char *path, pk_error *err)
{
  return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path}, "cannot be written: %s", strerror(errno));
}

/* One writer at a time. */
static pk_status lock_file(const sink *s, pk_error *err)
{
  if (flock(s->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
    return PK_OK; /* or the file system knows no locks */
  }
  return pki_fail(err, PK_ERROR_FILE, where_of(s), "is being written by another program");
}

pk_status pk_recording_create(const char *path, const pk_recording_options *options, pk_recorder **out,
                              pk_error *err)
{
  pk_status status;
  sink *s = sink_create(path, options, &status, err);
  *out = NULL;
  if (s == NULL) {
    return status;
  }
  char target[PKI_PATH_MAX];
  status = pki_target_find(path, target, err);
  if (status == PK_OK) {
    s->fd = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    status = s->fd >= 0 ? lock_file(s, err) : cannot_write(path, err);
  }
  if (status == PK_OK && ftruncate(s->fd, 0) != 0) {
    status = cannot_write(path, err);
  }
  if (status != PK_OK) {
    sink_destroy(&s->base);
    return status;
  }
  *out = &s->base;
  return PK_OK;
}

pk_status pki_recording_create_on(int fd, const char *path, pk_recorder **out, pk_error *err)
{
  pk_status status;
  sink *s = sink_create(path, NULL, &status, err);
  *out = NULL;
  if (s == NULL) {
    return status;
  }
  s->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (s->fd < 0) {
    status = cannot_write(path, err);
    sink_destroy(&s->base);
    return status;
  }
  *out = &s->base;
  return PK_OK;
}

pk_status pk_recording_resume(const char *path, uint64_t position, const pk_recording_options *options,
                              pk_recorder **out, pk_error *err)
{
  pk_status status;
  sink *s = sink_create(path, options, &status, err);
  *out = NULL;
  if (s == NULL) {
    return status;
  }
  struct stat info;
  s->fd = open(path, O_RDWR | O_CLOEXEC);
  if (s->fd < 0 || fstat(s->fd, &info) != 0) {
    status =
        pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path}, "cannot be resumed: %s", strerror(errno));
  } else if (lock_file(s, err) != PK_OK) {
    status = PK_ERROR_FILE;
  } else if ((uint64_t)info.st_size < position) {
    status = pki_fail(
        err, PK_ERROR_SYNTAX, (pki_where){.file = path},
        "has %llu bytes, but the checkpoint was made when it had %llu; it is another file or was cut",
        (unsigned long long)info.st_size, (unsigned long long)position);
  } else {
    s->resumed = true;
    s->position = position;
    status = pki_mcap_resume(&s->writer, s->fd, position, s->path, err);
  }
  if (status != PK_OK) {
    sink_destroy(&s->base);
    return status;
  }
  *out = &s->base;
  return PK_OK;
}
