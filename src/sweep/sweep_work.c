#include "sweep/sweep_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "sweep/pool.h"

/* ---- messages ---- */

enum { HELLO = 1, RESULTS, GIVE, END, BYE };
enum {
  START = 12,                                          /* kind, two numbers */
  AT_ONCE = 16,                                        /* records in a message */
  GIFTS = 64,                                          /* samples in a message */
  ROOM = START + AT_ONCE * PKI_STORE_RECORD_MOST + 512 /* of any message */
};
static const double nap = 2e-3; /* s between looks at the mail */

static void begin_message(unsigned char *bytes, int kind, int first, int second)
{
  pki_put_bytes(bytes, (uint64_t)kind, 4);
  pki_put_bytes(bytes + 4, (uint64_t)first, 4);
  pki_put_bytes(bytes + 8, (uint64_t)second, 4);
}

static bool send_message(const pki_ranks *comm, int to, const unsigned char *bytes, size_t size,
                         pk_error *err)
{
  if (comm->send(comm->user, to, bytes, size)) {
    return true;
  }
  pki_fail(err, PK_ERROR_FILE, (pki_where){0}, "rank %d cannot be reached", to);
  return false;
}

/* ---- rank 0 ---- */

typedef struct lead {
  const pki_sweep *sweep;
  const pki_store_head *head;
  pki_store *store;
  const pki_work_options *options;
  pki_work_result *out;
  pki_pool *pool;
  long long next; /* the first sample that was not looked at */
  int present;    /* other ranks that have not said good-bye */
  bool stops;     /* nothing more is given */
  double began, shown;
} lead;

/* The next sample to run; -1: none. */
static long long next_sample(lead *l)
{
  while (!l->stops && l->next < l->sweep->count) {
    const long long index = l->next++;
    if (l->store->slot[index] == 0) {
      return index;
    }
  }
  return -1;
}

static pk_status keep_record(lead *l, const pki_record *record, pk_error *err)
{
  l->out->ran++;
  return pki_store_add(l->store, record, err);
}

static void show_sweep_progress(lead *l)
{
  const double now = pki_clock();
  if (l->options->progress == NULL || now - l->shown < 0.1) {
    return;
  }
  l->shown = now;
  char what[160], pace[64] = "";
  const long long all = l->store->samples, left = all - l->store->finished;
  const double rate = (double)l->out->ran / fmax(now - l->began, 1e-9);
  if (rate > 0) { /* unknown before the first has ended */
    snprintf(pace, sizeof pace, ", %.3g/s, %.0fs left", rate, ceil((double)left / rate));
  }
  snprintf(what, sizeof what, "%lld/%lld samples%s; %lld fell", l->store->finished, all, pace,
           l->store->fell);
  l->options->progress(l->options->user, all > 0 ? (double)l->store->finished / (double)all : 1, what);
}

/* Some samples to the rank that asked, fewer towards the end so that all end together. */
static bool give_samples(lead *l, int to, int wanted, pk_error *err)
{
  unsigned char bytes[START + 8 * GIFTS];
  const long long left = l->sweep->count - l->next;
  const long long share = left / (4 * l->options->comm->size) + 1;
  int count = 0;
  wanted = wanted < GIFTS ? wanted : GIFTS;
  for (long long index; count < wanted && count < share && (index = next_sample(l)) >= 0; count++) {
    pki_put_bytes(bytes + START + 8 * count, (uint64_t)index, 8);
  }
  begin_message(bytes, count > 0 ? GIVE : END, count, 0);
  return send_message(l->options->comm, to, bytes, START + 8 * (size_t)count, err);
}

static pk_status read_results(lead *l, int from, const unsigned char *bytes, size_t size, pk_error *err)
{
  const int wanted = (int)pki_take_bytes(bytes + 4, 4), count = (int)pki_take_bytes(bytes + 8, 4);
  const size_t each = pki_record_size();
  pk_status status = PK_OK;
  if (count < 0 || size != START + (size_t)count * each) {
    return pki_fail(err, PK_ERROR_SYNTAX, (pki_where){0}, "rank %d sent %zu bytes, expected %zu", from, size,
                    START + (size_t)count * each);
  }
  for (int i = 0; i < count && status == PK_OK; i++) {
    pki_record record;
    status = pki_record_decode(bytes + START + (size_t)i * each, l->sweep->count, &record)
                 ? keep_record(l, &record, err)
                 : pki_fail(err, PK_ERROR_SYNTAX, (pki_where){0}, "rank %d sent a damaged record", from);
  }
  if (status == PK_OK && wanted > 0 && !give_samples(l, from, wanted, err)) {
    status = err->status;
  }
  return status;
}

static pk_status read_messages(lead *l, pk_error *err)
{
  const pki_ranks *comm = l->options->comm;
  unsigned char bytes[ROOM];
  int from = 0;
  pk_status status = PK_OK;
  for (long size;
       comm != NULL && status == PK_OK && (size = comm->take(comm->user, &from, bytes, sizeof bytes)) != 0;) {
    const int kind = size >= START ? (int)pki_take_bytes(bytes, 4) : 0;
    char who[32];
    snprintf(who, sizeof who, "rank %d", from);
    if (kind == HELLO && size == START + PKI_STORE_HEAD) {
      status = pki_store_head_fits(bytes + START, l->head, who,
                                   "all ranks read the same files with the same program", err);
    } else if (kind == RESULTS) {
      status = read_results(l, from, bytes, (size_t)size, err);
    } else if (kind == BYE) {
      l->present--;
    } else {
      status = pki_fail(err, PK_ERROR_SYNTAX, (pki_where){.file = who}, "sent what is no message");
    }
  }
  return status;
}

/* Once around: what is finished into the store, what is free gets work. */
static pk_status serve_ranks_once(lead *l, pk_error *err)
{
  pki_record record;
  pk_status status = PK_OK;
  while (status == PK_OK && pki_pool_take(l->pool, &record)) { /* also of a pool that failed: it empties */
    status = keep_record(l, &record, err);
  }
  status = status == PK_OK ? pki_pool_status(l->pool, err) : status;
  status = status == PK_OK ? read_messages(l, err) : status;
  long long index;
  for (int room = pki_pool_room(l->pool); room > 0 && (index = next_sample(l)) >= 0; room--) {
    pki_pool_put(l->pool, index);
  }
  return status == PK_OK ? pki_store_flush(l->store, false, err) : status;
}

pk_status pki_work_lead(const pki_sweep *sweep, const pki_store_head *head, pki_store *store,
                        const pki_work_options *options, pki_work_result *out, pk_error *err)
{
  *out = (pki_work_result){.kept = store->finished};
  lead l = {.sweep = sweep,
            .head = head,
            .store = store,
            .options = options,
            .out = out,
            .began = pki_clock(),
            .present = options->comm != NULL ? options->comm->size - 1 : 0,
            .pool = pki_pool_create(sweep, options->threads, options->stop)};
  if (l.pool == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory or no %d threads", options->threads);
  }
  pk_status first = PK_OK;
  pk_error own;
  while (true) {
    const pk_status status = serve_ranks_once(&l, &own);
    if (status != PK_OK && first == PK_OK) { /* the others are told, then it is over */
      first = status;
      *err = own;
    }
    if (first != PK_OK || (options->stop != NULL && *options->stop != 0)) {
      l.stops = true;
      pki_pool_clear(l.pool);
    }
    if ((l.stops || l.next >= sweep->count) && pki_pool_idle(l.pool) && l.present <= 0) {
      break;
    }
    if (first != PK_OK && options->comm != NULL) {
      break; /* the caller ends all ranks: one may never answer */
    }
    show_sweep_progress(&l);
    pki_pool_wait(l.pool, options->comm != NULL ? nap : 0.1);
  }
  pki_pool_destroy(l.pool);
  out->interrupted = options->stop != NULL && *options->stop != 0 && store->finished < store->samples;
  out->seconds = pki_clock() - l.began;
  const pk_status flushed = pki_store_flush(store, true, first == PK_OK ? err : &own);
  return first == PK_OK ? flushed : first;
}

/* ---- the other ranks ---- */

typedef struct follow {
  const pki_sweep *sweep;
  const pki_ranks *comm;
  pki_pool *pool;
  bool asked; /* an answer is on its way */
  bool ended; /* nothing more will come */
} follow;

/* What is finished goes to rank 0, with the wish for more. */
static bool report_results(follow *f, pk_error *err)
{
  unsigned char bytes[ROOM];
  pki_record record;
  int count = 0;
  while (count < AT_ONCE && pki_pool_take(f->pool, &record)) {
    pki_record_encode(&record, bytes + START + (size_t)count++ * pki_record_size());
  }
  const int wanted = f->ended || f->asked ? 0 : pki_pool_room(f->pool);
  if (count == 0 && wanted <= 0) {
    return true;
  }
  begin_message(bytes, RESULTS, wanted > 0 ? wanted : 0, count);
  f->asked = f->asked || wanted > 0;
  return send_message(f->comm, 0, bytes, START + (size_t)count * pki_record_size(), err);
}

static bool read_assignments(follow *f, pk_error *err)
{
  unsigned char bytes[ROOM];
  int from = 0;
  for (long size; (size = f->comm->take(f->comm->user, &from, bytes, sizeof bytes)) != 0;) {
    const int kind = size >= START ? (int)pki_take_bytes(bytes, 4) : 0;
    const int count = size >= START ? (int)pki_take_bytes(bytes + 4, 4) : 0;
    if ((kind != GIVE && kind != END) || count < 0 || count > GIFTS || size != START + 8L * count) {
      pki_fail(err, PK_ERROR_SYNTAX, (pki_where){0}, "rank %d sent what is no message", from);
      return false;
    }
    f->asked = false;
    f->ended = f->ended || kind == END;
    for (int i = 0; i < count; i++) {
      const long long index = (long long)pki_take_bytes(bytes + START + 8 * i, 8);
      if (index >= 0 && index < f->sweep->count && pki_pool_room(f->pool) > 0) {
        pki_pool_put(f->pool, index);
      }
    }
  }
  return true;
}

/* True when it went well to the end. */
static bool work_for_rank_zero(follow *f, const pki_store_head *head, const pki_work_options *options,
                               pk_error *err)
{
  unsigned char bytes[START + PKI_STORE_HEAD];
  begin_message(bytes, HELLO, 0, 0);
  pki_store_head_encode(head, bytes + START);
  bool good = send_message(f->comm, 0, bytes, sizeof bytes, err);
  while (good) {
    good = pki_pool_status(f->pool, err) == PK_OK && report_results(f, err) && read_assignments(f, err);
    if (options->stop != NULL && *options->stop != 0) {
      pki_pool_clear(f->pool);
      f->ended = true;
    }
    if (f->ended && !f->asked && pki_pool_idle(f->pool)) {
      break;
    }
    pki_pool_wait(f->pool, nap);
  }
  begin_message(bytes, BYE, 0, 0);
  return good && send_message(f->comm, 0, bytes, START, err);
}

pk_status pki_work_follow(const pki_sweep *sweep, const pki_store_head *head, const pki_work_options *options,
                          pk_error *err)
{
  follow f = {
      .sweep = sweep, .comm = options->comm, .pool = pki_pool_create(sweep, options->threads, options->stop)};
  if (f.pool == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory or no %d threads", options->threads);
  }
  const bool good = work_for_rank_zero(&f, head, options, err);
  pki_pool_destroy(f.pool);
  return good ? PK_OK : err->status;
}
