/* evaluations.pronk after kills, damage and mistakes. */
#define _XOPEN_SOURCE 700
#include "tune/evaluations.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "tune/support.h"

static const char path[] = "evaluations.pronk";

static pki_evaluation_key key_of(int i)
{
  return (pki_evaluation_key){.value = {i == 0 ? 0 : 1.0 / i, -i}, .as_written = i == 0, .world = i % 3 - 1};
}

static pki_record record_of(int i)
{
  pki_record r;
  pki_record_begin(&r, 0);
  r.wall = 0.25;
  for (int k = 1; k < pki_metric_count; k++) {
    r.metric[k] = i + 0.1 * k;
  }
  snprintf(r.message, sizeof r.message, "run %d", i);
  return r;
}

static pki_tune tune_of_two(void)
{
  pki_tune t = begin_tune("sobol", 10);
  vary(&t, "controller.kp=1:2");
  vary(&t, "controller.kd=1:2");
  return t;
}

static pki_evaluations open_file(const pki_tune *t, bool again)
{
  pki_evaluations e;
  pk_error err = {.message = ""};
  if (pki_evaluations_open(path, t, again, &e, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return e;
}

static void fill(const pki_tune *t, int from, int to)
{
  pk_error err;
  pki_evaluations e = open_file(t, from == 0);
  for (int i = from; i < to; i++) {
    const pki_evaluation_key key = key_of(i);
    const pki_record r = record_of(i);
    assert_int_equal(pki_evaluations_add(&e, &key, &r, &err), PK_OK);
    assert_int_equal(pki_evaluations_add(&e, &key, &r, &err), PK_OK); /* once is enough */
  }
  assert_int_equal(e.count, to);
  pki_evaluations_close(&e);
}

/* Those from `from` to `to` are there, and no others. */
static void assert_there(const pki_evaluations *e, int from, int to)
{
  assert_int_equal(e->count, to - from);
  for (int i = 0; i < to + 10; i++) {
    const pki_evaluation_key key = key_of(i);
    const pki_record *r = pki_evaluations_find(e, &key), expected = record_of(i);
    assert_int_equal(r != NULL, i >= from && i < to);
    assert_true(r == NULL || (pki_record_equal(r, &expected) && r->wall == 0.25));
  }
}

static void what_is_added_is_there_after_opening_again(void **state)
{
  (void)state;
  pki_tune t = tune_of_two();
  fill(&t, 0, 700); /* more than the table had room for at first */
  fill(&t, 700, 900);
  pki_evaluations e = open_file(&t, false);
  assert_there(&e, 0, 900);
  pki_evaluations_close(&e);
  pki_tune_free(&t);
}

static void a_torn_tail_is_cut_off(void **state)
{
  (void)state;
  pki_tune t = tune_of_two();
  struct stat info;
  fill(&t, 0, 3);
  assert_int_equal(stat(path, &info), 0);
  const off_t each = (info.st_size - PKI_EVALUATIONS_HEAD) / 3;
  for (off_t size = 0; size < PKI_EVALUATIONS_HEAD + 3 * each;
       size += size < PKI_EVALUATIONS_HEAD ? 13 : 61) {
    fill(&t, 0, 3);
    assert_int_equal(truncate(path, size), 0);
    pki_evaluations e = open_file(&t, false);
    assert_there(&e, 0, size < PKI_EVALUATIONS_HEAD ? 0 : (int)((size - PKI_EVALUATIONS_HEAD) / each));
    pki_evaluations_close(&e);
  }
  pki_tune_free(&t);
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

static void a_flipped_bit_costs_one_run(void **state)
{
  (void)state;
  pki_tune t = tune_of_two();
  struct stat info;
  fill(&t, 0, 3);
  assert_int_equal(stat(path, &info), 0);
  const off_t each = (info.st_size - PKI_EVALUATIONS_HEAD) / 3;
  for (off_t at = 0; at < each; at += 9) {
    fill(&t, 0, 3);
    flip(PKI_EVALUATIONS_HEAD + at);
    pki_evaluations e = open_file(&t, false);
    assert_int_equal(e.damaged, 1);
    assert_there(&e, 1, 3);
    pki_evaluations_close(&e);
  }
  pki_tune_free(&t);
}

static void refused(const pki_tune *t, const char *message)
{
  pki_evaluations e;
  pk_error err = {.message = ""};
  assert_true(pki_evaluations_open(path, t, false, &e, &err) != PK_OK);
  assert_string_equal(err.file, path);
  assert_string_equal(err.message, message);
}

static void evaluations_of_others_are_refused(void **state)
{
  (void)state;
  pki_tune t = tune_of_two(), other = tune_of_two();
  fill(&t, 0, 3);
  static const char keys[] = "these are evaluations of other keys: those of --vary, their order, --duration "
                             "or the scenario's certify "
                             "have changed. Give another --output, or start afresh with --again";
  other.duration = 1;
  refused(&other, keys);
  other.duration = -1;
  vary(&other, "controller.ki=0:1");
  refused(&other, keys);
  other.nparameter = 2;
  other.model_hash ^= 1;
  refused(&other,
          "these are evaluations of another model: a model file has changed. Give another --output, or start "
          "afresh with --again");
  other.model_hash ^= 1;
  pki_scenario_destroy(other.base);
  const char *const sets[] = {"step.dt=1e-3"};
  assert_int_equal(pki_scenario_load("offset.yaml", sets, 1, &other.base, NULL), PK_OK);
  refused(&other,
          "these are evaluations of another scenario: its file, a file that it names, or --set has changed. "
          "Give another --output, or start afresh with --again");
  flip(60);
  refused(&t, "its head is damaged, so it is unknown whose evaluations these are: --again starts afresh");
  write_text(path, "something else, and long enough to be the head of a file of evaluations, which has one "
                   "hundred and fifty-six bytes: a magic word, sizes, hashes, the version and a checksum.");
  refused(&t, "no evaluations of pronk: it does not begin with PRONKTUN");
  pki_tune_free(&t);
  pki_tune_free(&other);
}

/* Bounds, metrics, methods, seeds and budgets may change: a run is what its values make it. */
static void another_search_uses_what_is_there(void **state)
{
  (void)state;
  pki_tune t = tune_of_two(), other = tune_of_two();
  fill(&t, 0, 3);
  other.seed = 7, other.evaluations = 1000, other.parameters[0].high = 99;
  other.objective.maximise = true;
  pki_evaluations e = open_file(&other, false);
  assert_there(&e, 0, 3);
  pki_evaluations_close(&e);
  pki_tune_free(&t);
  pki_tune_free(&other);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_added_is_there_after_opening_again),
      cmocka_unit_test(a_torn_tail_is_cut_off),
      cmocka_unit_test(a_flipped_bit_costs_one_run),
      cmocka_unit_test(evaluations_of_others_are_refused),
      cmocka_unit_test(another_search_uses_what_is_there),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
