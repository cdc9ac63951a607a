/* samples.pronk after kills, damage and mistakes. */
#define _XOPEN_SOURCE 700
#include "sweep/support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "sweep/store.h"

enum { SAMPLES = 10 };
static const char path[] = "samples.pronk";
static const pki_store_head head = {SAMPLES, 11, 22, 33, "1.2.3", "avx2", "clang 99"};

static pki_record record_of(long long index)
{
  pki_record r = {
      .index = index, .outcome = index % 3 == 0 ? PKI_OUTCOME_FAILED : PKI_OUTCOME_RAN, .wall = 0.5};
  for (int i = 0; i < pki_metric_count; i++) {
    r.metric[i] = i == 1 ? NAN : (double)index + 0.1 * i;
  }
  snprintf(r.message, sizeof r.message, "sample %lld", index);
  return r;
}

static pki_store open_store(bool again)
{
  pki_store s;
  pk_error err = {.message = ""};
  if (pki_store_open(path, &head, again, &s, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return s;
}

/* A new store with the first `count` samples. */
static void fill(int count)
{
  pk_error err;
  pki_store s = open_store(true);
  for (int i = 0; i < count; i++) {
    const pki_record r = record_of(i);
    assert_int_equal(pki_store_add(&s, &r, &err), PK_OK);
  }
  assert_int_equal(pki_store_flush(&s, true, &err), PK_OK);
  pki_store_close(&s);
}

static off_t size_of(void)
{
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  return info.st_size;
}

static void flip(off_t at)
{
  const int fd = open(path, O_RDWR);
  unsigned char byte;
  assert_int_equal(pread(fd, &byte, 1, at), 1);
  byte ^= 4;
  assert_int_equal(pwrite(fd, &byte, 1, at), 1);
  close(fd);
}

static void what_is_added_is_there_after_opening_again(void **state)
{
  (void)state;
  fill(4);
  pki_store s = open_store(false);
  assert_int_equal(s.finished, 4);
  assert_int_equal(s.damaged, 0);
  for (int i = 0; i < SAMPLES; i++) {
    pki_record r;
    const pki_record expected = record_of(i);
    assert_int_equal(pki_store_get(&s, i, &r), i < 4);
    assert_true(i >= 4 || (pki_record_equal(&r, &expected) && r.wall == 0.5));
  }
  pki_store_close(&s);
}

/* Whatever byte a kill stops at, whole records stay, and the file goes on behind them. */
static void a_torn_tail_is_cut_off(void **state)
{
  (void)state;
  const off_t each = (off_t)pki_record_size();
  for (off_t size = 0; size < PKI_STORE_HEAD + 3 * each; size += size < PKI_STORE_HEAD ? 13 : 37) {
    pk_error err;
    fill(3);
    assert_int_equal(truncate(path, size), 0);
    pki_store s = open_store(false);
    const long long whole = size < PKI_STORE_HEAD ? 0 : (size - PKI_STORE_HEAD) / each;
    assert_int_equal(s.finished, whole);
    const pki_record r = record_of(7);
    assert_int_equal(pki_store_add(&s, &r, &err), PK_OK);
    pki_store_close(&s);
    assert_int_equal(size_of(), PKI_STORE_HEAD + (whole + 1) * each);
    s = open_store(false);
    assert_int_equal(s.finished, whole + 1);
    pki_record back;
    assert_true(pki_store_get(&s, 7, &back) && pki_record_equal(&r, &back));
    pki_store_close(&s);
  }
}

static void a_flipped_bit_costs_one_sample(void **state)
{
  (void)state;
  const off_t each = (off_t)pki_record_size();
  for (off_t at = 0; at < each; at += 7) {
    fill(3);
    flip(PKI_STORE_HEAD + each + at);
    pki_store s = open_store(false);
    pki_record r;
    assert_int_equal(s.finished, 2);
    assert_int_equal(s.damaged, 1);
    assert_false(pki_store_get(&s, 1, &r));
    assert_true(pki_store_get(&s, 0, &r) && pki_store_get(&s, 2, &r));
    pki_store_close(&s);
  }
}

static void a_sample_is_kept_once(void **state)
{
  (void)state;
  pk_error err;
  fill(2);
  pki_store s = open_store(false);
  const pki_record r = record_of(1);
  assert_int_equal(pki_store_add(&s, &r, &err), PK_OK);
  assert_int_equal(s.file.records, 2);
  pki_store_close(&s);
}

static void refused(const pki_store_head *other, const char *message)
{
  pki_store s;
  pk_error err = {.message = ""};
  const off_t size = size_of();
  assert_true(pki_store_open(path, other, false, &s, &err) != PK_OK);
  if (strstr(err.message, message) == NULL) {
    fail_msg("\"%s\" is not in \"%s\"", message, err.message);
  }
  assert_int_equal(size_of(), size);
}

static void samples_of_another_kind_are_refused_and_left_alone(void **state)
{
  (void)state;
  fill(3);
  pki_store_head other = head;
  other.sweep_hash++;
  refused(&other, "another sweep");
  other = head;
  other.samples++;
  refused(&other, "another sweep");
  other = head;
  other.scenario_hash++;
  refused(&other, "another scenario");
  other = head;
  other.model_hash++;
  refused(&other, "another model");
  other = head;
  strcpy(other.version, "1.2.4");
  refused(&other, "another version of pronk");
  other = head;
  strcpy(other.isa, "base");
  refused(&other, "another instruction set");
  other = head;
  strcpy(other.compiler, "gcc");
  refused(&other, "another compiler");
  flip(30);
  refused(&head, "its head is damaged");
  write_text(
      path,
      "my shopping list, which is longer than the head of a store would be: bread, milk, apples, pears, "
      "plums, cheese, tea, coffee, flour, sugar, eggs, butter, salt, rice, beans, oil, honey");
  refused(&head, "no samples of pronk");
  pki_store s = open_store(true); /* --again */
  assert_int_equal(s.finished, 0);
  pki_store_close(&s);
}

static void a_second_process_is_refused(void **state)
{
  (void)state;
  fill(1);
  pki_store s = open_store(false);
  refused(&head, "another process is at work in this folder");
  pki_store_close(&s);
}

static int no_lock; /* why there is none; 0: there is */
int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);

int __wrap_flock(int fd, int how)
{
  errno = no_lock;
  return no_lock != 0 ? -1 : __real_flock(fd, how);
}

static void a_file_system_without_locks_will_do(void **state)
{
  (void)state;
  static const int whys[] = {ENOSYS, EOPNOTSUPP, ENOLCK};
  fill(2);
  for (size_t i = 0; i < sizeof whys / sizeof whys[0]; i++) {
    no_lock = whys[i];
    pki_store s = open_store(false);
    assert_int_equal(s.finished, 2);
    pki_store_close(&s);
  }
  no_lock = EIO;
  refused(&head, "cannot be locked");
  no_lock = 0;
}

static void falls_are_counted_before_and_after_opening_again(void **state)
{
  (void)state;
  pk_error err;
  fill(4); /* metric 0 of sample 0 is 0, that of others above */
  pki_store s = open_store(false);
  assert_int_equal(s.fell, 3);
  const pki_record known = record_of(3), new = record_of(4);
  assert_int_equal(pki_store_add(&s, &known, &err), PK_OK);
  assert_int_equal(pki_store_add(&s, &new, &err), PK_OK);
  assert_int_equal(s.fell, 4);
  pki_store_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_added_is_there_after_opening_again),
      cmocka_unit_test(a_torn_tail_is_cut_off),
      cmocka_unit_test(a_flipped_bit_costs_one_sample),
      cmocka_unit_test(a_sample_is_kept_once),
      cmocka_unit_test(samples_of_another_kind_are_refused_and_left_alone),
      cmocka_unit_test(a_second_process_is_refused),
      cmocka_unit_test(a_file_system_without_locks_will_do),
      cmocka_unit_test(falls_are_counted_before_and_after_opening_again),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
