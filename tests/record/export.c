#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/export.h"
#include "record/recording_read.h"
#include "support/bounds.h"
#include "support/recording.h"

static char folder[128], path[256], other[256];
static const int all_channels[] = {0, 1, 2};

static pk_recording *open_sample(int steps)
{
  pk_recording *r;
  const pk_recording_options options = {pk_recording_options_default().compression, 0.1, false};
  sample_record(path, &options, steps, 0);
  assert_int_equal(pk_recording_open(path, &r, NULL), PK_OK);
  return r;
}

static void csv_has_one_file_for_each_channel_with_names_and_units(void **state)
{
  (void)state;
  pk_recording *r = open_sample(40);
  pk_error err = {0};
  pki_export what = {r, all_channels, 3, 0.004, 0.006, 0};
  assert_int_equal(pki_export_csv(&what, folder, &err), PK_OK);
  assert_int_equal(what.samples, 6);
  const struct {
    const char *file, *text;
  } files[] = {
      {"solver.csv", "time [s],residual [m/s]\n"},
      {"state.q.csv", "time [s],BASE.x [m],LF_HAA [rad],lf haa\n0.004000000,0.03998933418663416,"},
      {"contacts.csv", "time [s],row,link,fz [N]\n0.005000000,0,0.867423225594017,10.867423225594017\n"
                       "0.006000000,0,"},
  };
  for (int i = 0; i < 3; i++) {
    snprintf(other, sizeof other, "%s/%s", folder, files[i].file);
    size_t size;
    char *text = sample_bytes(other, &size);
    assert_at_least(size, strlen(files[i].text));
    if (memcmp(text, files[i].text, strlen(files[i].text)) != 0) {
      fail_msg("%s: %s", files[i].file, text);
    }
    free(text);
    unlink(other);
  }
  pk_recording_close(r);
}

/* Every number of a CSV file reads back as it was. */
static void csv_keeps_every_bit(void **state)
{
  (void)state;
  pk_recording *r = open_sample(100);
  pk_recording_series s;
  pki_export what = {r, all_channels, 1, -INFINITY, INFINITY, 0};
  assert_int_equal(pki_export_csv(&what, folder, NULL), PK_OK);
  assert_int_equal(pk_recording_read(r, 0, -INFINITY, INFINITY, &s, NULL), PK_OK);
  snprintf(other, sizeof other, "%s/state.q.csv", folder);
  FILE *file = fopen(other, "r");
  assert_non_null(file);
  char line[256];
  assert_non_null(fgets(line, sizeof line, file));
  for (int i = 0; i < s.n; i++) {
    double v[4];
    assert_non_null(fgets(line, sizeof line, file));
    assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf", &v[0], &v[1], &v[2], &v[3]), 4);
    assert_true(v[0] == s.time[i]);
    assert_memory_equal(v + 1, s.values + 3 * i, 3 * sizeof v[0]);
  }
  assert_null(fgets(line, sizeof line, file));
  fclose(file);
  unlink(other);
  pk_recording_series_free(&s);
  pk_recording_close(r);
}

static void names_with_commas_and_quotes_are_quoted(void **state)
{
  (void)state;
  static const char *const columns[] = {"a,b", "say \"x\""}, *const units[] = {"m", ""};
  const pk_recorder_channel c = {"odd", "", 2, columns, units, false};
  const double v[2] = {(double)NAN, -(double)INFINITY};
  pk_recorder *w;
  pk_recording *r;
  assert_int_equal(pk_recording_create(path, NULL, &w, NULL), PK_OK);
  assert_int_equal(w->begin(w, NULL, &c, 1, NULL), PK_OK);
  assert_int_equal(w->write(w, 0, 0, v, 1), PK_OK);
  assert_int_equal(w->end(w, NULL), PK_OK);
  w->destroy(w);
  assert_int_equal(pk_recording_open(path, &r, NULL), PK_OK);
  pki_export what = {r, all_channels, 1, -INFINITY, INFINITY, 0};
  assert_int_equal(pki_export_csv(&what, folder, NULL), PK_OK);
  pk_recording_close(r);
  snprintf(other, sizeof other, "%s/odd.csv", folder);
  size_t size;
  char *text = sample_bytes(other, &size);
  assert_string_equal(text, "time [s],\"a,b [m]\",\"say \"\"x\"\"\"\n0.000000000,nan,-inf\n");
  free(text);
  unlink(other);
}

static void a_copy_of_a_whole_recording_has_the_same_bytes(void **state)
{
  (void)state;
  pk_recording *r;
  sample_record(path, NULL, 12345, 0); /* more than one window */
  assert_int_equal(pk_recording_open(path, &r, NULL), PK_OK);
  snprintf(other, sizeof other, "%s/copy.mcap", folder);
  pk_error err = {0};
  pki_export what = {r, all_channels, 3, -INFINITY, INFINITY, 0};
  assert_int_equal(pki_export_mcap(&what, other, &err), PK_OK);
  pk_recording_close(r);
  size_t na, nb;
  char *a = sample_bytes(path, &na), *b = sample_bytes(other, &nb);
  assert_int_equal(na, nb);
  assert_memory_equal(a, b, na);
  free(a);
  free(b);
  unlink(other);
}

static void what_a_kill_left_becomes_a_complete_recording(void **state)
{
  (void)state;
  pk_recording *r = open_sample(500);
  const size_t cut = (size_t)r->blocks[3].offset + 5;
  pk_recording_close(r);
  assert_int_equal(truncate(path, (off_t)cut), 0);
  assert_int_equal(pki_recording_open(path, true, &r, NULL), PK_OK);
  assert_false(pk_recording_is_complete(r));
  snprintf(other, sizeof other, "%s/copy.mcap", folder);
  pki_export what = pki_export_all(r);
  assert_int_equal(pki_export_mcap(&what, other, NULL), PK_OK);
  pk_recording_close(r);
  assert_int_equal(pk_recording_open(other, &r, NULL), PK_OK);
  assert_true(pk_recording_is_complete(r));
  sample_check(r, 0, 300);
  assert_string_equal(pk_recording_note(r, "scenario"), "trot");
  pk_recording_close(r);
  unlink(other);
}

static void a_part_is_cut_by_time_and_channels(void **state)
{
  (void)state;
  pk_recording *r = open_sample(500);
  snprintf(other, sizeof other, "%s/copy.mcap", folder);
  const int channels[] = {2, 0};
  pki_export what = {r, channels, 2, 0.1, 0.2, 0};
  assert_int_equal(pki_export_mcap(&what, other, NULL), PK_OK);
  pk_recording_close(r);
  assert_int_equal(pk_recording_open(other, &r, NULL), PK_OK);
  assert_int_equal(r->count, 2);
  assert_string_equal(r->channels[0].name, "solver");
  double start, end;
  pk_recording_span(r, &start, &end);
  assert_true(start == 0.1 && end == 0.2);
  assert_int_equal(r->tracks[1].count, 101);
  pk_recording_close(r);
  unlink(other);
}

static void a_failed_export_leaves_nothing_behind(void **state)
{
  (void)state;
  pk_recording *r = open_sample(500);
  const uint64_t place = r->blocks[2].offset + r->blocks[2].length / 2;
  pk_recording_close(r);
  size_t size;
  char *bytes = sample_bytes(path, &size);
  bytes[place] ^= 1;
  sample_save(path, bytes, size);
  free(bytes);
  assert_int_equal(pk_recording_open(path, &r, NULL), PK_OK);
  pki_export what = {r, all_channels, 3, -INFINITY, INFINITY, 0};
  pk_error err = {0};
  snprintf(other, sizeof other, "%s/copy", folder);
  assert_int_equal(pki_export_mcap(&what, other, &err), PK_ERROR_SYNTAX);
  assert_non_null(strstr(err.message, "the recording is damaged at byte"));
  if (pki_export_has_hdf5()) {
    assert_int_equal(pki_export_hdf5(&what, other, &err), PK_ERROR_SYNTAX);
    assert_int_equal(pki_export_hdf5(&what, "none/there.h5", &err), PK_ERROR_FILE);
  }
  assert_int_equal(pki_export_csv(&what, folder, &err), PK_ERROR_SYNTAX);
  pk_recording_close(r);
  int count = 0;
  DIR *listing = opendir(folder);
  for (const struct dirent *e; (e = readdir(listing)) != NULL;) {
    count += e->d_name[0] != '.';
  }
  closedir(listing);
  assert_int_equal(count, 1); /* the recording itself */
}

static void hdf5_has_the_same_bytes_each_time(void **state)
{
  (void)state;
  if (!pki_export_has_hdf5()) {
    skip();
  }
  pk_recording *r = open_sample(100);
  pki_export what = {r, all_channels, 3, -INFINITY, INFINITY, 0};
  char *bytes[2];
  size_t size[2];
  for (int i = 0; i < 2; i++) {
    snprintf(other, sizeof other, "%s/%d.h5", folder, i);
    assert_int_equal(pki_export_hdf5(&what, other, NULL), PK_OK);
    bytes[i] = sample_bytes(other, &size[i]);
    unlink(other);
    const time_t now = time(NULL);
    while (i == 0 && time(NULL) == now) { /* the second is written in another second */
      nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
  }
  assert_int_equal(size[0], size[1]);
  assert_memory_equal(bytes[0], bytes[1], size[0]);
  free(bytes[0]);
  free(bytes[1]);
  pk_recording_close(r);
}

/* Debian's Python with h5py opens the file as a user would. */
static void hdf5_opens_with_h5py(void **state)
{
  (void)state;
  if (!pki_export_has_hdf5()) {
    skip();
  }
  if (system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0) {
    print_message("skipped: /usr/bin/python3 has no h5py; install python3-h5py (Debian)\n");
    skip();
  }
  pk_recording *r = open_sample(200);
  snprintf(other, sizeof other, "%s/run.h5", folder);
  pki_export what = {r, all_channels, 3, -INFINITY, INFINITY, 0};
  pk_error err = {0};
  assert_int_equal(pki_export_hdf5(&what, other, &err), PK_OK);
  assert_int_equal(what.samples, 413);
  pk_recording_close(r);
  char command[1024];
  snprintf(command, sizeof command, "/usr/bin/python3 %s/tests/record/export_h5py.py %s", PK_SOURCE_DIR,
           other);
  assert_int_equal(system(command), 0);
  unlink(other);
}

static int make_folder(void **state)
{
  char *made = sample_folder();
  *state = made;
  snprintf(folder, sizeof folder, "%s", made);
  snprintf(path, sizeof path, "%s/run.mcap", made);
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
      cmocka_unit_test(csv_has_one_file_for_each_channel_with_names_and_units),
      cmocka_unit_test(csv_keeps_every_bit),
      cmocka_unit_test(names_with_commas_and_quotes_are_quoted),
      cmocka_unit_test(a_copy_of_a_whole_recording_has_the_same_bytes),
      cmocka_unit_test(what_a_kill_left_becomes_a_complete_recording),
      cmocka_unit_test(a_part_is_cut_by_time_and_channels),
      cmocka_unit_test(a_failed_export_leaves_nothing_behind),
      cmocka_unit_test(hdf5_has_the_same_bytes_each_time),
      cmocka_unit_test(hdf5_opens_with_h5py),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
