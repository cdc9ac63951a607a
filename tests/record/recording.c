#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/mcap_write.h"
#include "record/recording.h"
#include "record/recording_read.h"
#include "support/bounds.h"
#include "support/recording.h"

static pk_recording *open_file(const char *path)
{
  pk_error err = {0};
  pk_recording *r = NULL;
  if (pk_recording_open(path, &r, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return r;
}

static void what_is_written_is_read_back(void **state)
{
  char path[256];
  snprintf(path, sizeof path, "%s/run.mcap", (char *)*state);
  for (int codec = 0; codec < PK_RECORDING_COMPRESSION_COUNT; codec++) {
    for (int thread = 0; thread < 2 && pki_mcap_can_compress(codec); thread++) {
      pk_recording_options options = {(pk_recording_compression)codec, 0.1, thread == 1};
      sample_record(path, &options, 555, 0);
      pk_recording *r = open_file(path);
      assert_true(pk_recording_is_complete(r));
      assert_false(r->scanned);
      sample_check(r, 0, 555);
      double start, end;
      pk_recording_span(r, &start, &end);
      assert_true(start == 0);
      assert_less(fabs(end - 0.554), 1e-12);
      assert_int_equal(r->tracks[2].count, 555 / SAMPLE_RARE + 1);
      pk_recording_close(r);
    }
  }
}

static void names_units_notes_and_attachments_travel_along(void **state)
{
  char path[256];
  snprintf(path, sizeof path, "%s/run.mcap", (char *)*state);
  sample_record(path, NULL, 10, 0);
  pk_recording *r = open_file(path);
  int count;
  const pk_recorder_channel *c = pk_recording_channels(r, &count);
  assert_int_equal(count, SAMPLE_CHANNELS);
  for (int i = 0; i < count; i++) {
    const pk_recorder_channel *was = &sample_channels[i];
    assert_string_equal(c[i].name, was->name);
    assert_string_equal(c[i].doc, was->doc);
    assert_int_equal(c[i].columns, was->columns);
    assert_int_equal(c[i].table, was->table);
    for (int k = 0; k < was->columns; k++) {
      assert_string_equal(c[i].column[k], was->column[k]);
      assert_string_equal(c[i].unit[k], was->unit[k]);
    }
  }
  assert_int_equal(pk_recording_get_about(r)->nnote, 5);
  assert_string_equal(pk_recording_note(r, "version"), "1 µ");
  assert_string_equal(pk_recording_note(r, "empty"), "");
  assert_null(pk_recording_note(r, "none"));
  const pk_recorder_attachment *a = pk_recording_attachment(r, "zeros.bin");
  assert_non_null(a);
  assert_int_equal(a->size, 3);
  assert_memory_equal(a->data, "a\0b", 3);
  assert_string_equal(a->media_type, "application/octet-stream");
  assert_int_equal(pk_recording_attachment(r, "nothing")->size, 0);
  assert_null(pk_recording_attachment(r, "missing"));
  pk_recording_close(r);
}

static void a_part_in_time_is_read_with_both_its_ends(void **state)
{
  char path[256];
  snprintf(path, sizeof path, "%s/run.mcap", (char *)*state);
  const pk_recording_options options = {PK_RECORDING_COMPRESSION_NONE, 0.05, false};
  sample_record(path, &options, 300, 0);
  pk_recording *r = open_file(path);
  pk_recording_series s;
  assert_int_equal(pk_recording_read(r, 1, 0.1, 0.2, &s, NULL), PK_OK);
  assert_int_equal(s.n, 101);
  assert_true(s.time[0] == 0.1 && s.time[100] == 0.2);
  assert_int_equal(s.row[0], 0);
  pk_recording_series_free(&s);
  assert_int_equal(pk_recording_read(r, 0, 0.2995, 1, &s, NULL), PK_OK);
  assert_int_equal(s.n, 0);
  assert_int_equal(s.row[0], 0);
  pk_recording_series_free(&s);
  pk_error err;
  assert_int_equal(pk_recording_read(r, 3, 0, 1, &s, &err), PK_ERROR_ARGUMENT);
  pk_recording_close(r);
}

static void what_was_expanded_for_one_channel_serves_the_next(void **state)
{
  char path[256];
  snprintf(path, sizeof path, "%s/run.mcap", (char *)*state);
  if (pk_recording_options_default().compression == PK_RECORDING_COMPRESSION_NONE) {
    skip();
  }
  sample_record(path, NULL, 1000, 0);
  pk_recording *r = open_file(path);
  pk_recording_series s;
  assert_int_equal(pk_recording_read(r, 0, -INFINITY, INFINITY, &s, NULL), PK_OK);
  pk_recording_series_free(&s);
  assert_int_equal(truncate(path, 100), 0); /* nothing is left to read */
  sample_check(r, 0, 1000);
  pk_recording_close(r);
}

/* Two files have the same bytes. */
static void check_equal(const char *a, const char *b)
{
  size_t na, nb;
  char *first = sample_bytes(a, &na), *second = sample_bytes(b, &nb);
  assert_int_equal(na, nb);
  assert_memory_equal(first, second, na);
  free(first);
  free(second);
}

static void the_same_run_gives_the_same_bytes_with_and_without_a_thread(void **state)
{
  char a[256], b[256];
  snprintf(a, sizeof a, "%s/a.mcap", (char *)*state);
  snprintf(b, sizeof b, "%s/b.mcap", (char *)*state);
  pk_recording_options options = pk_recording_options_default();
  options.thread = false;
  sample_record(a, &options, 3000, 0);
  options.thread = true;
  for (int i = 0; i < 3; i++) {
    sample_record(b, &options, 3000, 0);
    check_equal(a, b);
  }
}

static void a_marked_file_can_be_read_while_it_is_written(void **state)
{
  char path[256];
  snprintf(path, sizeof path, "%s/run.mcap", (char *)*state);
  pk_error err = {0};
  pk_recorder *file;
  uint64_t position;
  assert_int_equal(pk_recording_create(path, NULL, &file, &err), PK_OK);
  assert_int_equal(file->begin(file, &sample_about, sample_channels, SAMPLE_CHANNELS, &err), PK_OK);
  for (int part = 0; part < 3; part++) {
    sample_write(file, 77 * part, 77 * part + 77);
    assert_int_equal(file->mark(file, &position, &err), PK_OK);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, position);
    pk_recording *r = open_file(path);
    assert_false(pk_recording_is_complete(r));
    sample_check(r, 0, 77 * part + 77);
    assert_string_equal(pk_recording_note(r, "scenario"), "trot");
    pk_recording_close(r);
  }
  file->destroy(file); /* not ended, as after a kill */
  pk_recording *r = open_file(path);
  sample_check(r, 0, 231);
  pk_recording_close(r);
}

/* Stop after `stop` steps with something beyond the last mark in the file; go on from there. */
static void stop_and_go_on(const char *path, const pk_recording_options *options, int steps, int mark,
                           int stop)
{
  pk_error err = {0};
  pk_recorder *file;
  uint64_t position = 0;
  assert_int_equal(pk_recording_create(path, options, &file, &err), PK_OK);
  assert_int_equal(file->begin(file, &sample_about, sample_channels, SAMPLE_CHANNELS, &err), PK_OK);
  int step = 0;
  for (; step + mark <= stop; step += mark) {
    sample_write(file, step, step + mark);
    assert_int_equal(file->mark(file, &position, &err), PK_OK);
  }
  sample_write(file, step, stop);
  file->destroy(file);
  assert_int_equal(pk_recording_resume(path, position, options, &file, &err), PK_OK);
  assert_int_equal(file->begin(file, &sample_about, sample_channels, SAMPLE_CHANNELS, &err), PK_OK);
  for (; step < steps; step += mark) {
    sample_write(file, step, step + mark < steps ? step + mark : steps);
    assert_int_equal(file->mark(file, &position, &err), PK_OK);
  }
  assert_int_equal(file->end(file, &err), PK_OK);
  file->destroy(file);
}

static void a_recording_that_goes_on_equals_one_that_never_stopped(void **state)
{
  char a[256], b[256];
  snprintf(a, sizeof a, "%s/a.mcap", (char *)*state);
  snprintf(b, sizeof b, "%s/b.mcap", (char *)*state);
  for (int codec = 0; codec < PK_RECORDING_COMPRESSION_COUNT; codec++) {
    const pk_recording_options options = {(pk_recording_compression)codec, 0.03, true};
    if (pki_mcap_can_compress(codec)) {
      sample_record(a, &options, 600, 100);
      stop_and_go_on(b, &options, 600, 100, 100); /* at a mark */
      check_equal(a, b);
      stop_and_go_on(b, &options, 600, 100, 399); /* chunks after it are dropped */
      check_equal(a, b);
    }
  }
}

static void going_on_with_another_file_is_refused_and_leaves_it_alone(void **state)
{
  char path[256], copy[256];
  snprintf(path, sizeof path, "%s/run.mcap", (char *)*state);
  snprintf(copy, sizeof copy, "%s/copy.mcap", (char *)*state);
  sample_record(path, NULL, 100, 0);
  sample_record(copy, NULL, 100, 0);
  pk_error err = {0};
  pk_recorder *file;
  assert_int_equal(pk_recording_resume(path, 1 << 20, NULL, &file, &err), PK_ERROR_SYNTAX);
  assert_non_null(strstr(err.message, "but the checkpoint was made when it had 1048576"));
  assert_int_equal(pk_recording_resume(path, 100, NULL, &file, &err), PK_ERROR_SYNTAX);
  assert_non_null(strstr(err.message, "is damaged at byte"));
  snprintf(copy, sizeof copy, "%s/none.mcap", (char *)*state);
  assert_int_equal(pk_recording_resume(copy, 100, NULL, &file, &err), PK_ERROR_FILE);
  assert_null(file);
  /* right after the front, with one channel less */
  pk_recording *r = open_file(path);
  const uint64_t front = r->blocks[0].offset;
  pk_recording_close(r);
  assert_int_equal(pk_recording_resume(path, front, NULL, &file, &err), PK_OK);
  assert_int_equal(file->begin(file, &sample_about, sample_channels, SAMPLE_CHANNELS - 1, &err),
                   PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "its channels (3) are not those of this run (2)"));
  file->destroy(file);
  snprintf(copy, sizeof copy, "%s/copy.mcap", (char *)*state);
  check_equal(path, copy);
}

static void a_full_disk_is_told_at_the_end_and_leaves_what_was_written(void **state)
{
  char path[256];
  snprintf(path, sizeof path, "%s/run.mcap", (char *)*state);
  pk_error err = {0};
  pk_recorder *file;
  const pk_recording_options options = {PK_RECORDING_COMPRESSION_NONE, 0.01, true};
  assert_int_equal(pk_recording_create(path, &options, &file, &err), PK_OK);
  assert_int_equal(file->begin(file, &sample_about, sample_channels, SAMPLE_CHANNELS, &err), PK_OK);
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit limit = {30000, before.rlim_max};
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  sample_write(file, 0, 1000);
  const pk_status status = file->end(file, &err);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  file->destroy(file);
  assert_int_equal(status, PK_ERROR_FILE);
  assert_non_null(strstr(err.message, "the recording cannot be written: "));
  assert_non_null(strstr(err.message, strerror(EFBIG)));
  assert_string_equal(err.file, path);
  pk_recording *r = open_file(path);
  assert_false(pk_recording_is_complete(r));
  assert_greater(sample_count(r), 50);
  pk_recording_close(r);
}

static void a_disk_that_takes_nothing_is_told_at_once(void **state)
{
  char path[256];
  snprintf(path, sizeof path, "%s/run.mcap", (char *)*state);
  pk_error err = {0};
  pk_recorder *file;
  struct rlimit before;
  assert_int_equal(pk_recording_create(path, NULL, &file, &err), PK_OK);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, before.rlim_max}), 0);
  const pk_status status = file->begin(file, NULL, sample_channels, SAMPLE_CHANNELS, &err);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  file->destroy(file);
  assert_int_equal(status, PK_ERROR_FILE);
  assert_non_null(strstr(err.message, strerror(EFBIG)));
}

static void devices_and_pipes_are_no_recordings(void **state)
{
  char path[256];
  snprintf(path, sizeof path, "%s/pipe", (char *)*state);
  assert_int_equal(mkfifo(path, 0600), 0);
  const struct {
    const char *path, *kind;
  } cases[] = {{"/dev/null", "it is a device"}, {path, "it is a FIFO"}};
  for (int i = 0; i < 2; i++) {
    pk_error err = {0};
    pk_recorder *file;
    assert_int_equal(pk_recording_create(cases[i].path, NULL, &file, &err), PK_ERROR_FILE);
    assert_null(file);
    assert_non_null(strstr(err.message, cases[i].kind));
  }
}

static void wrong_channels_are_refused_by_name(void **state)
{
  char path[256];
  snprintf(path, sizeof path, "%s/run.mcap", (char *)*state);
  static const char *const names[] = {"a"}, *const none[] = {NULL};
  const struct {
    pk_recorder_channel channel;
    const char *message;
  } wrong[] = {
      {{"a//b", "", 1, names, names, false}, "the channel's name is 'a//b', expected parts of letters"},
      {{"/a", "", 1, names, names, false}, "the channel's name is '/a'"},
      {{"a/", "", 1, names, names, false}, "the channel's name is 'a/'"},
      {{"", "", 1, names, names, false}, "the channel's name is ''"},
      {{"a b", "", 1, names, names, false}, "the channel's name is 'a b'"},
      {{"a", "", 0, names, names, false}, "the channel has 0 columns, expected 1 to 65535"},
      {{"a", "", 1, none, names, false}, "column 0 of the channel has no name or no unit"},
      {{"a", "", 1, names, NULL, false}, "column 0 of the channel has no name or no unit"},
      {{"state/q", "", 1, names, names, false}, "two channels have this name"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    pk_error err = {0};
    pk_recorder *file;
    const pk_recorder_channel both[] = {sample_channels[0], wrong[i].channel};
    assert_int_equal(pk_recording_create(path, NULL, &file, &err), PK_OK);
    assert_int_equal(file->begin(file, NULL, both, 2, &err), PK_ERROR_ARGUMENT);
    assert_non_null(strstr(err.message, wrong[i].message));
    file->destroy(file);
  }
}

static void wrong_options_are_refused(void **state)
{
  char path[256];
  snprintf(path, sizeof path, "%s/run.mcap", (char *)*state);
  pk_error err = {0};
  pk_recorder *file;
  pk_recording_options options = pk_recording_options_default();
  options.chunk = 0;
  assert_int_equal(pk_recording_create(path, &options, &file, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "chunk");
  assert_int_equal(pk_recording_create("none/run.mcap", NULL, &file, &err), PK_ERROR_FILE);
  assert_null(file);
}

static void wrong_samples_are_refused_and_told_at_the_end(void **state)
{
  char path[256];
  snprintf(path, sizeof path, "%s/run.mcap", (char *)*state);
  const struct {
    int channel, rows;
    double time;
  } wrong[] = {{-1, 1, 1},     {3, 1, 1},    {0, 2, 1},           {0, 0, 1},
               {1, -1, 1},     {0, 1, 0.05}, {0, 1, (double)NAN}, {0, 1, (double)INFINITY},
               {1, 1 << 30, 1}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    pk_error err = {0};
    pk_recorder *file;
    const double v[8] = {0};
    assert_int_equal(pk_recording_create(path, NULL, &file, &err), PK_OK);
    assert_int_not_equal(file->write(file, 0, 0, v, 1), PK_OK); /* before begin */
    file->destroy(file);
    assert_int_equal(pk_recording_create(path, NULL, &file, &err), PK_OK);
    assert_int_equal(file->begin(file, NULL, sample_channels, SAMPLE_CHANNELS, &err), PK_OK);
    sample_write(file, 0, 100);
    assert_int_not_equal(file->write(file, wrong[i].channel, wrong[i].time, v, wrong[i].rows), PK_OK);
    assert_int_not_equal(file->end(file, &err), PK_OK);
    assert_non_null(strstr(err.message, "a sample"));
    file->destroy(file);
    pk_recording *r = open_file(path); /* the others are there */
    assert_true(pk_recording_is_complete(r));
    sample_check(r, 0, 100);
    pk_recording_close(r);
  }
}

static void what_is_no_recording_is_refused(void **state)
{
  char path[256];
  pk_error err = {0};
  pk_recording *r;
  snprintf(path, sizeof path, "%s/x.mcap", (char *)*state);
  assert_int_equal(pk_recording_open(path, &r, &err), PK_ERROR_FILE);
  assert_int_equal(pk_recording_open(*state, &r, &err), PK_ERROR_FILE);
  assert_string_equal(err.message, "cannot be read: it is no regular file");
  sample_save(path, "", 0);
  assert_int_equal(pk_recording_open(path, &r, &err), PK_ERROR_SYNTAX);
  assert_string_equal(err.message, "is empty, expected a recording (MCAP)");
  sample_save(path, "name: trot\nduration: 1\n", 23);
  assert_int_equal(pk_recording_open(path, &r, &err), PK_ERROR_SYNTAX);
  assert_string_equal(err.message, "is not a recording: it does not start as an MCAP file does");
  assert_null(r);
}

static bool into_text(void *user, const void *data, size_t size)
{
  pki_text_add_bytes(user, data, size);
  return true;
}

/* A file of another program: messages outside of chunks, a channel that is not pronk's, no summary. */
static void the_files_of_others_open(void **state)
{
  char path[256];
  snprintf(path, sizeof path, "%s/other.mcap", (char *)*state);
  pki_text out = {0}, map = {0}, sample = {0};
  pki_mcap_writer w = {.put = into_text, .user = &out};
  pki_mcap_begin(&w, &(pki_mcap_header){pki_view_of("ros2"), pki_view_of("other")});
  pki_channel_metadata(&sample_channels[0], &map);
  const pki_mcap_channel channels[] = {
      {7, 0, pki_view_of("/camera"), pki_view_of("cdr"), {NULL, 0}},
      {9, 0, pki_view_of("/state/q"), pki_view_of("cdr"), {map.data, map.size}}};
  pki_mcap_write(&w, PKI_MCAP_CHANNEL, &channels[0]);
  pki_mcap_write(&w, PKI_MCAP_CHANNEL, &channels[1]);
  for (int i = 0; i < 10; i++) {
    const double v[3] = {i, 2, 3};
    pki_mcap_message m;
    sample.size = 0;
    pki_sample_encode(&sample, &sample_channels[0], 9, (uint32_t)i, (uint64_t)i, v, 1);
    assert_true(pki_mcap_decode(PKI_MCAP_MESSAGE, (pki_view){sample.data + 9, sample.size - 9}, &m));
    pki_mcap_write(&w, PKI_MCAP_MESSAGE, &m);
    m.channel_id = 7;
    pki_mcap_write(&w, PKI_MCAP_MESSAGE, &m);
  }
  pki_mcap_end(&w);
  sample_save(path, out.data, out.size);
  pk_recording *r = open_file(path);
  assert_true(pk_recording_is_complete(r));
  int count;
  const pk_recorder_channel *c = pk_recording_channels(r, &count);
  assert_int_equal(count, 1);
  assert_string_equal(c[0].column[1], "LF_HAA");
  pk_recording_series s;
  assert_int_equal(pk_recording_read(r, 0, 0, 1, &s, NULL), PK_OK);
  assert_int_equal(s.n, 10);
  assert_true(s.values[9 * 3] == 9);
  pk_recording_series_free(&s);
  pk_recording_close(r);
  pki_mcap_writer_free(&w);
  pki_text_free(&out);
  pki_text_free(&map);
  pki_text_free(&sample);
}

static void a_schema_has_names_that_ros_allows_each_once(void **state)
{
  (void)state;
  pki_text type = {0}, schema = {0};
  pki_channel_schema(&sample_channels[0], &type, &schema);
  assert_string_equal(type.data, "pronk/msg/StateQ");
  assert_string_equal(schema.data, "# joint coordinates\n"
                                   "float64 base_x_0 # BASE.x [m]\n"
                                   "float64 lf_haa_1 # LF_HAA [rad]\n"
                                   "float64 lf_haa_2 # lf haa\n");
  type.size = schema.size = 0;
  pki_channel_schema(&sample_channels[1], &type, &schema);
  assert_string_equal(schema.data,
                      "# one row for each contact\npronk/ContactsRow[] rows\n"
                      "================================================================================\n"
                      "MSG: pronk/ContactsRow\nfloat64 link # link\nfloat64 fz # fz [N]\n");
  static const char *const odd[] = {"1st", "_x_", "..", "é"}, *const units[] = {"", "", "", ""};
  const pk_recorder_channel c = {"7/odd_name", "", 4, odd, units, false};
  type.size = schema.size = 0;
  pki_channel_schema(&c, &type, &schema);
  assert_string_equal(type.data, "pronk/msg/C7OddName");
  assert_string_equal(schema.data,
                      "float64 c1st_0 # 1st\nfloat64 c_x_1 # _x_\nfloat64 c_2 # ..\nfloat64 c_3 # é\n");
  pki_text_free(&type);
  pki_text_free(&schema);
}

static int make_folder(void **state)
{
  *state = sample_folder();
  return 0;
}

static int remove_folder(void **state)
{
  sample_folder_remove(*state);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read_back),
      cmocka_unit_test(names_units_notes_and_attachments_travel_along),
      cmocka_unit_test(a_part_in_time_is_read_with_both_its_ends),
      cmocka_unit_test(what_was_expanded_for_one_channel_serves_the_next),
      cmocka_unit_test(the_same_run_gives_the_same_bytes_with_and_without_a_thread),
      cmocka_unit_test(a_marked_file_can_be_read_while_it_is_written),
      cmocka_unit_test(a_recording_that_goes_on_equals_one_that_never_stopped),
      cmocka_unit_test(going_on_with_another_file_is_refused_and_leaves_it_alone),
      cmocka_unit_test(a_full_disk_is_told_at_the_end_and_leaves_what_was_written),
      cmocka_unit_test(a_disk_that_takes_nothing_is_told_at_once),
      cmocka_unit_test(devices_and_pipes_are_no_recordings),
      cmocka_unit_test(wrong_channels_are_refused_by_name),
      cmocka_unit_test(wrong_options_are_refused),
      cmocka_unit_test(wrong_samples_are_refused_and_told_at_the_end),
      cmocka_unit_test(what_is_no_recording_is_refused),
      cmocka_unit_test(the_files_of_others_open),
      cmocka_unit_test(a_schema_has_names_that_ros_allows_each_once),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
