/* Threads and ranks: whoever runs the samples, the table is the same. Ranks are threads here, and messages lists in
 * memory; tests/cli/sweep.c has real ones. */
#define _XOPEN_SOURCE 700
#include "sweep/support.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "run/single_run.h"
#include "support/bounds.h"
#include "sweep/pool.h"
#include "sweep/sweep_table.h"
#include "sweep/sweep_work.h"

/* ---- messages ---- */

enum { RANKS = 3 };

typedef struct letter {
  struct letter *next;
  int from;
  size_t size;
  unsigned char bytes[];
} letter;

typedef struct office {
  pthread_mutex_t mutex;
  letter *first[RANKS], *last[RANKS];
  int sent[RANKS]; /* by each rank */
} office;

typedef struct desk {
  office *office;
  int rank;
} desk;

static bool desk_send(void *user, int to, const void *bytes, size_t size)
{
  const desk *d = user;
  letter *l = malloc(sizeof *l + size);
  *l = (letter){.from = d->rank, .size = size};
  memcpy(l->bytes, bytes, size);
  pthread_mutex_lock(&d->office->mutex);
  if (d->office->last[to] != NULL) {
    d->office->last[to]->next = l;
  } else {
    d->office->first[to] = l;
  }
  d->office->last[to] = l;
  d->office->sent[d->rank]++;
  pthread_mutex_unlock(&d->office->mutex);
  return true;
}

static long desk_take(void *user, int *from, void *bytes, size_t room)
{
  const desk *d = user;
  long size = 0;
  pthread_mutex_lock(&d->office->mutex);
  letter *l = d->office->first[d->rank];
  if (l != NULL) {
    d->office->first[d->rank] = l->next;
    d->office->last[d->rank] = l->next != NULL ? d->office->last[d->rank] : NULL;
    size = l->size <= room ? (long)l->size : -1;
    *from = l->from;
    memcpy(bytes, l->bytes, l->size <= room ? l->size : 0);
    free(l);
  }
  pthread_mutex_unlock(&d->office->mutex);
  return size;
}

static void empty(office *o)
{
  for (int i = 0; i < RANKS; i++) {
    while (o->first[i] != NULL) {
      letter *next = o->first[i]->next;
      free(o->first[i]);
      o->first[i] = next;
    }
  }
}

/* ---- sweeps ---- */

static const char sweep_text[] = "scenario: ball.yaml\n"
                                 "parameters:\n"
                                 "  - {key: objects.0.mass, grid: [1, 2, -1]}\n" /* the last is refused */
                                 "  - {key: materials.floor.friction, random: uniform, from: 0.1, to: 1}\n"
                                 "samples: 8\nseeds: 2\n";

typedef struct rank {
  pthread_t thread;
  desk desk;
  pki_ranks comm;
  const pki_sweep *sweep;
  pki_store_head head;
  pk_status status;
} rank;

static void *be_rank(void *user)
{
  rank *r = user;
  pk_error err = {.message = ""};
  const pki_work_options options = {.threads = 1, .comm = &r->comm};
  r->status = pki_work_follow(r->sweep, &r->head, &options, &err);
  return NULL;
}

/* All that is missing of store `name`, by `ranks` ranks; the status of rank 0. */
static pk_status work(const pki_sweep *s, const char *name, int threads, int ranks, office *o,
                      pki_work_result *out, pk_error *err)
{
  pki_store_head head;
  pki_store store;
  rank comm[RANKS] = {0};
  *o = (office){.mutex = PTHREAD_MUTEX_INITIALIZER};
  pki_store_head_of(s, &head);
  assert_int_equal(pki_store_open(name, &head, false, &store, err), PK_OK);
  for (int i = 0; i < ranks; i++) {
    comm[i].desk = (desk){o, i};
    comm[i].comm = (pki_ranks){i, ranks, &comm[i].desk, desk_send, desk_take, NULL, NULL};
    comm[i].sweep = s;
    comm[i].head = head;
    assert_true(i == 0 || pthread_create(&comm[i].thread, NULL, be_rank, &comm[i]) == 0);
  }
  const pki_work_options options = {.threads = threads, .comm = ranks > 1 ? &comm[0].comm : NULL};
  const pk_status status = pki_work_lead(s, &head, &store, &options, out, err);
  for (int i = 1; i < ranks; i++) {
    pthread_join(comm[i].thread, NULL);
    assert_int_equal(comm[i].status, PK_OK);
  }
  char csv[64];
  snprintf(csv, sizeof csv, "%s.csv", name);
  assert_int_equal(pki_sweep_csv(s, &store, csv, err), PK_OK);
  pki_store_close(&store);
  empty(o);
  return status;
}

static void same_files(const char *a, const char *b)
{
  size_t na, nb;
  char *x = pki_file_read(a, 1 << 20, &na), *y = pki_file_read(b, 1 << 20, &nb);
  assert_non_null(x);
  assert_non_null(y);
  assert_int_equal(na, nb);
  assert_memory_equal(x, y, na);
  free(x);
  free(y);
}

static void threads_and_ranks_leave_no_trace_in_the_table(void **state)
{
  (void)state;
  pki_sweep s = read_sweep(sweep_text);
  pki_work_result r;
  office o;
  pk_error err = {.message = ""};
  assert_int_equal(work(&s, "alone", 1, 1, &o, &r, &err), PK_OK);
  assert_int_equal(r.ran, 48);
  assert_int_equal(work(&s, "threads", 3, 1, &o, &r, &err), PK_OK);
  assert_int_equal(r.ran, 48);
  assert_int_equal(work(&s, "ranks", 1, 3, &o, &r, &err), PK_OK);
  assert_int_equal(r.ran, 48);
  assert_greater(o.sent[1], 2);
  assert_greater(o.sent[2], 2); /* more than hello and good-bye */
  same_files("alone.csv", "threads.csv");
  same_files("alone.csv", "ranks.csv");
  pki_sweep_free(&s);
}

static void numbers_in_the_table_give_their_bits_back(void **state)
{
  (void)state;
  static const double values[] = {0.1,  1.0 / 3, 0.1 + 0.2,     1e-300,
                                  -2.5, 0,       6.02214076e23, 4503599627370497.5};
  char text[PKI_SWEEP_NUMBER];
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    pki_number_text(values[i], text);
    assert_true(strtod(text, NULL) == values[i]);
  }
  pki_number_text(0.1, text);
  assert_string_equal(text, "0.1");
  pki_number_text(NAN, text);
  assert_string_equal(text, "");
}

static void finished_samples_never_run_again(void **state)
{
  (void)state;
  pki_sweep s = read_sweep(sweep_text);
  pki_work_result r;
  office o;
  pk_error err = {.message = ""};
  assert_int_equal(work(&s, "again", 2, 1, &o, &r, &err), PK_OK);
  assert_int_equal(truncate("again", PKI_STORE_HEAD + 30 * (long)pki_record_size() + 11), 0);
  assert_int_equal(work(&s, "again", 2, 2, &o, &r, &err), PK_OK);
  assert_int_equal(r.kept, 30);
  assert_int_equal(r.ran, 18);
  assert_int_equal(work(&s, "again", 2, 1, &o, &r, &err), PK_OK);
  assert_int_equal(r.ran, 0);
  same_files("alone.csv", "again.csv");
  pki_sweep_free(&s);
}

static void a_refused_sample_is_a_row_with_a_message(void **state)
{
  (void)state;
  pki_sweep s = read_sweep(sweep_text);
  pki_record good, bad;
  bool interrupted = false;
  pk_error err = {.message = ""};
  assert_int_equal(pki_sample_run(&s, 0, NULL, NULL, &good, &interrupted, &err), PK_OK);
  assert_int_equal(good.outcome, PKI_OUTCOME_RAN);
  assert_true(good.metric[pki_metric_find("simulated")] == 0.05);
  assert_less(fabs(good.metric[pki_metric_find("distance")] - 0.05), 1e-3); /* 1 m/s until it touches */
  assert_int_equal(pki_sample_run(&s, 47, NULL, NULL, &bad, &interrupted, &err), PK_OK);
  assert_int_equal(bad.outcome, PKI_OUTCOME_REFUSED);
  assert_non_null(strstr(bad.message, "mass is -1"));
  assert_true(isnan(bad.metric[0]) && !interrupted);
  pki_sweep_free(&s);
}

static void who_asks_to_stop_gets_what_is_finished(void **state)
{
  (void)state;
  pki_sweep s = read_sweep(sweep_text);
  pki_store_head head;
  pki_store store;
  pki_work_result r;
  pk_error err = {.message = ""};
  static const atomic_int stop = SIGINT;
  pki_store_head_of(&s, &head);
  assert_int_equal(pki_store_open("stopped", &head, false, &store, &err), PK_OK);
  const pki_work_options options = {.threads = 2, .stop = &stop};
  assert_int_equal(pki_work_lead(&s, &head, &store, &options, &r, &err), PK_OK);
  assert_true(r.interrupted);
  assert_less(r.ran, 48);
  assert_true(store.finished == r.ran);
  pki_store_close(&store);
  pki_sweep_free(&s);
}

/* A rank that read another file must not add to this one. */
static void a_rank_with_another_sweep_is_refused(void **state)
{
  (void)state;
  pki_sweep s = read_sweep(sweep_text);
  office o = {.mutex = PTHREAD_MUTEX_INITIALIZER};
  desk desks[2] = {{&o, 0}, {&o, 1}};
  pki_store_head head, other;
  pki_store store;
  pki_work_result r;
  pk_error err = {.message = ""};
  pki_store_head_of(&s, &head);
  other = head;
  other.model_hash++;
  unsigned char hello[12 + PKI_STORE_HEAD] = {1};
  pki_store_head_encode(&other, hello + 12);
  desk_send(&desks[1], 0, hello, sizeof hello);
  const pki_ranks comm = {0, 2, &desks[0], desk_send, desk_take, NULL, NULL};
  assert_int_equal(pki_store_open("other", &head, false, &store, &err), PK_OK);
  const pki_work_options options = {.threads = 1, .comm = &comm};
  assert_int_equal(pki_work_lead(&s, &head, &store, &options, &r, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.file, "rank 1");
  assert_non_null(strstr(err.message, "another model"));
  pki_store_close(&store);
  empty(&o);
  pki_sweep_free(&s);
}

/* ---- a sample that cannot be run at all ---- */

static atomic_int calls = -1; /* below 0: all is well */
static atomic_bool failed;

pk_status __real_pki_run_single(const pki_single_run *alone, bool *refused, pk_error *err);
pk_status __wrap_pki_run_single(const pki_single_run *alone, bool *refused, pk_error *err);

/* The first to come fails, and the second ends a while after it. */
pk_status __wrap_pki_run_single(const pki_single_run *alone, bool *refused, pk_error *err)
{
  const int call = atomic_load(&calls) < 0 ? -1 : atomic_fetch_add(&calls, 1);
  if (call == 0) {
    atomic_store(&failed, true);
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory on purpose");
  }
  const struct timespec pause = {0, 50000000};
  for (bool waits = call == 1; waits; waits = !atomic_load(&failed)) {
    nanosleep(&pause, NULL);
  }
  return __real_pki_run_single(alone, refused, err);
}

static void a_pool_that_fails_ends_the_sweep_and_finished_samples_are_kept(void **state)
{
  (void)state;
  pki_sweep s = read_sweep(sweep_text);
  pki_store_head head;
  pki_store store;
  pki_work_result r;
  pk_error err = {.message = ""};
  pki_store_head_of(&s, &head);
  assert_int_equal(pki_store_open("failing", &head, false, &store, &err), PK_OK);
  const pki_work_options options = {.threads = 2};
  atomic_store(&calls, 0);
  assert_int_equal(pki_work_lead(&s, &head, &store, &options, &r, &err), PK_ERROR_MEMORY);
  assert_string_equal(err.message, "out of memory on purpose");
  assert_int_equal(store.finished, atomic_load(&calls) - 1); /* all that ran but the one */
  atomic_store(&calls, -1);
  pki_store_close(&store);
  pki_sweep_free(&s);
}

/* ---- progress ---- */

static void note_first(void *user, double part, const char *what)
{
  char *first = user;
  assert_at_least(part, 0);
  assert_at_most(part, 1);
  if (first[0] == '\0') {
    snprintf(first, 160, "%s", what);
  }
}

static void no_time_is_told_before_there_is_a_rate(void **state)
{
  (void)state;
  pki_sweep s = read_sweep(sweep_text);
  pki_store_head head;
  pki_store store;
  pki_work_result r;
  pk_error err = {.message = ""};
  char first[160] = "";
  pki_store_head_of(&s, &head);
  assert_int_equal(pki_store_open("told", &head, false, &store, &err), PK_OK);
  pki_record fell = {.index = 0, .metric = {1}};
  assert_int_equal(pki_store_add(&store, &fell, &err), PK_OK);
  atomic_store(&failed, true);
  atomic_store(&calls, 1); /* nothing fails, and the first sample takes a while */
  const pki_work_options options = {.threads = 1, .progress = note_first, .user = first};
  assert_int_equal(pki_work_lead(&s, &head, &store, &options, &r, &err), PK_OK);
  atomic_store(&calls, -1);
  assert_string_equal(first, "1/48 samples; 1 fell");
  pki_store_close(&store);
  pki_sweep_free(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_and_ranks_leave_no_trace_in_the_table),
      cmocka_unit_test(numbers_in_the_table_give_their_bits_back),
      cmocka_unit_test(finished_samples_never_run_again),
      cmocka_unit_test(a_refused_sample_is_a_row_with_a_message),
      cmocka_unit_test(who_asks_to_stop_gets_what_is_finished),
      cmocka_unit_test(a_rank_with_another_sweep_is_refused),
      cmocka_unit_test(a_pool_that_fails_ends_the_sweep_and_finished_samples_are_kept),
      cmocka_unit_test(no_time_is_told_before_there_is_a_rate),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
