/* pronk export, and pronk info of a recording. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/export.h"
#include "support/recording.h"

static char *folder;

/* `format` with %s for the folder, run. */
static run_result run_in(const char *format)
{
  char command[1024];
  snprintf(command, sizeof command, format, folder, folder);
  return run(command);
}

static void check(const char *format, int status, const char *out, const char *err)
{
  run_result r = run_in(format);
  if (r.status != status || !contains(r.out, out) || !contains(r.err, err)) {
    fail_msg("%s: %d, %s, %s", format, r.status, r.out, r.err);
  }
  run_free(&r);
}

static bool is_there(const char *name)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, R_OK) == 0;
}

static void info_tells_what_is_in_a_recording(void **state)
{
  (void)state;
  check("info %s/run.mcap", 0, "time                0 to 0.499 s", "");
  check("info %s/run.mcap", 0, "complete            yes", "");
  check("info %s/run.mcap", 0, "scenario            trot", "");
  check("info %s/run.mcap", 0, "state/q       500   1000  BASE.x, LF_HAA, lf haa\n", "");
  check("info %s", 0, "scenario.yaml           12 bytes, application/yaml", ""); /* the folder of a run */
  char command[512];
  snprintf(command, sizeof command, "info %s/run.mcap --json", folder);
  cJSON *o = run_json(command, 0);
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "complete")));
  assert_true(cJSON_GetObjectItem(o, "end")->valuedouble == 0.499);
  const cJSON *channel = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "channels"), 1);
  assert_string_equal(cJSON_GetObjectItem(channel, "name")->valuestring, "contacts");
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(channel, "table")));
  assert_true(cJSON_GetObjectItem(channel, "samples")->valuedouble == 500);
  assert_string_equal(cJSON_GetArrayItem(cJSON_GetObjectItem(channel, "units"), 1)->valuestring, "N");
  assert_string_equal(cJSON_GetObjectItem(cJSON_GetObjectItem(o, "notes"), "scenario")->valuestring, "trot");
  cJSON_Delete(o);
}

static void info_tells_that_a_recording_was_cut_off(void **state)
{
  (void)state;
  char path[512];
  size_t size;
  snprintf(path, sizeof path, "%s/run.mcap", folder);
  char *bytes = sample_bytes(path, &size);
  snprintf(path, sizeof path, "%s/cut.mcap", folder);
  sample_save(path, bytes, size * 3 / 4);
  free(bytes);
  check("info %s/cut.mcap", 0, "complete            no: cut off, or still being written", "");
  check("export %s/cut.mcap -o %s/whole.mcap", 0, "(the recording was cut off: what there is of it)", "");
  check("info %s/whole.mcap", 0, "complete            yes", "");
}

static void each_format_is_chosen_by_name_or_ending(void **state)
{
  (void)state;
  check("export %s/run.mcap --format csv", 0, "run-csv: 3 channels, 1032 samples", "");
  assert_true(is_there("run-csv/state.q.csv"));
  check("export %s/run.mcap -o %s/tables --channels contacts,solver --from 0.1 --to 0.2", 0, "2 channels",
        "");
  assert_true(is_there("tables/contacts.csv"));
  assert_false(is_there("tables/state.q.csv"));
  check("export %s/run.mcap -o %s/tables --channels state,sol*", 0, "2 channels", "");
  assert_true(is_there("tables/state.q.csv") && is_there("tables/solver.csv"));
  check("export %s --format mcap", 0, "run-copy.mcap: 3 channels", "");
  if (pki_export_has_hdf5()) {
    check("export %s/run.mcap", 0, "run.h5: 3 channels", "");
    check("export %s/run.mcap -o %s/other.hdf5", 0, "other.hdf5", "");
    assert_true(is_there("run.h5") && is_there("other.hdf5"));
  }
}

static void json_names_the_files(void **state)
{
  (void)state;
  char command[512], expected[512];
  snprintf(command, sizeof command, "export %s/run.mcap --format csv --channels contacts --json", folder);
  snprintf(expected, sizeof expected, "%s/run-csv/contacts.csv", folder);
  cJSON *o = run_json(command, 0);
  assert_string_equal(cJSON_GetObjectItem(o, "format")->valuestring, "csv");
  assert_string_equal(cJSON_GetArrayItem(cJSON_GetObjectItem(o, "files"), 0)->valuestring, expected);
  assert_true(cJSON_GetObjectItem(o, "samples")->valuedouble == 500);
  cJSON_Delete(o);
}

static void wrong_words_are_refused_with_the_nearest(void **state)
{
  (void)state;
  check("export", 2, "", "name a recording: run.mcap, or the folder of a run");
  check("export a.mcap b.mcap", 2, "", "one recording at a time");
  check("export %s/none.mcap", 2, "", "cannot be read: No such file or directory");
  check("export %s/run.mcap --format hdf", 2, "", "did you mean 'hdf5'?");
  check("export %s/run.mcap --channels state/p", 2, "",
        "there is no channel 'state/p'; did you mean 'state/q'? (pronk info lists them)");
  check("export %s/run.mcap --channels stat", 2, "", "there is no channel 'stat'; did you mean 'state'?");
  check("export %s/run.mcap --channels sta*e", 2, "", "there is no channel 'sta*e'");
  check("export %s/run.mcap --from 30", 2, "", "--from is 30 s, but the recording goes from 0 to 0.499 s");
  check("export %s/run.mcap --from 0.2 --to 0.1", 2, "", "--from is 0.2 s, after --to, which is 0.1 s");
  check("export %s/run.mcap --from x", 2, "", "--from is 'x', expected a number from 0 to 1e+09");
  check("export %s/run.mcap -o %s/run.mcap", 2, "", "is the recording itself: choose another output");
  check("export %s/run.mcap -o %s/none/there.mcap", 1, "", "No such file or directory");
  write_file("cli_export.mcap", "no recording");
  check("export cli_export.mcap", 2, "", "it does not start as an MCAP file does");
  check("info cli_export.mcap", 2, "", "it does not start as an MCAP file does");
  remove("cli_export.mcap");
}

/* Under a limit of the size of files (ulimit -f), as a disk that is full would do. */
static void outputs_without_room_are_told_and_leave_nothing(void **state)
{
  (void)state;
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, before.rlim_max}), 0);
  check("export %s/run.mcap -o %s/full.mcap", 1, "",
        "full.mcap: the recording cannot be written: File too large");
  check("export %s/run.mcap --format csv", 1, "", ".csv: cannot be written: File too large");
  if (pki_export_has_hdf5()) {
    check("export %s/run.mcap -o %s/full.h5", 1, "", "full.h5: cannot be written: File too large\n");
  }
  check("schema > %s/full.json", 1, "", "the output could not be written");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  static const char *const names[] = {"full.mcap", "full.mcap.pronk-1.tmp", "full.h5", "full.h5.pronk-1.tmp"};
  for (int i = 0; i < 4; i++) {
    assert_false(is_there(names[i]));
  }
}

static void outputs_that_are_no_files_are_refused_and_stay(void **state)
{
  (void)state;
  char path[512];
  struct stat info;
  snprintf(path, sizeof path, "%s/pipe", folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  const char *message =
      "pipe: cannot be written: it is a FIFO, expected a regular file or a name that is free";
  check("export %s/run.mcap -o %s/pipe --format mcap", 1, "", message);
  check("export %s/run.mcap -o %s/pipe --format html", 1, "", message);
  if (pki_export_has_hdf5()) {
    check("export %s/run.mcap -o %s/pipe --format hdf5", 1, "", message);
  }
  assert_true(lstat(path, &info) == 0 && S_ISFIFO(info.st_mode));
}

static int make(void **state)
{
  (void)state;
  folder = sample_folder();
  char path[512];
  snprintf(path, sizeof path, "%s/run.mcap", folder);
  sample_record(path, NULL, 500, 0);
  return 0;
}

static int tidy(void **state)
{
  (void)state;
  static const char *const folders[] = {"run-csv", "tables"};
  static const char *const files[] = {"state.q.csv", "contacts.csv", "solver.csv"};
  char path[512];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 3; k++) {
      snprintf(path, sizeof path, "%s/%s/%s", folder, folders[i], files[k]);
      unlink(path);
    }
    snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
    rmdir(path);
  }
  sample_folder_remove(folder);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(info_tells_what_is_in_a_recording),
      cmocka_unit_test(info_tells_that_a_recording_was_cut_off),
      cmocka_unit_test(each_format_is_chosen_by_name_or_ending),
      cmocka_unit_test(json_names_the_files),
      cmocka_unit_test(outputs_without_room_are_told_and_leave_nothing),
      cmocka_unit_test(outputs_that_are_no_files_are_refused_and_stay),
      cmocka_unit_test(wrong_words_are_refused_with_the_nearest),
  };
  return cmocka_run_group_tests(tests, make, tidy);
}
