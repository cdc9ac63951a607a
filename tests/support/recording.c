#define _POSIX_C_SOURCE 200809L
#include "support/recording.h"

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
#include <unistd.h>

#include "base/file.h"
#include "support/bounds.h"

static const char *const q_columns[] = {"BASE.x", "LF_HAA", "lf haa"};
static const char *const q_units[] = {"m", "rad", ""};
static const char *const contact_columns[] = {"link", "fz"};
static const char *const contact_units[] = {"", "N"};
static const char *const solver_columns[] = {"residual"};
static const char *const solver_units[] = {"m/s"};

const pk_recorder_channel sample_channels[SAMPLE_CHANNELS] = {
    {"state/q", "joint coordinates", 3, q_columns, q_units, false},
    {"contacts", "one row for each contact", 2, contact_columns, contact_units, true},
    {"solver", "the \"contact\" solver <b>\n", 1, solver_columns, solver_units, false},
};

static const pk_recorder_note notes[] = {
    {"scenario", "trot"}, {"empty", ""}, {"version", "1 µ"}, {"dt", "1e-3"}, {"seed", "7"}};
static const char scene[] = "{\"links\":[\"base\",\"LF_FOOT\"]}\n";
static const pk_recorder_attachment attachments[] = {
    {"scenario.yaml", "application/yaml", "duration: 1\n", 12},
    {"zeros.bin", "application/octet-stream", "a\0b", 3},
    {"nothing", "text/plain", NULL, 0},
    {"scene.json", "application/json", scene, sizeof scene - 1}};
const pk_recording_about sample_about = {notes, 5, attachments, 4};

/* ---- files ---- */

char *sample_folder(void)
{
  static const char name[] = "pronk-recording-XXXXXX";
  char *folder = malloc(sizeof name);
  assert_non_null(folder);
  memcpy(folder, name, sizeof name);
  assert_non_null(mkdtemp(folder));
  return folder;
}

void sample_folder_remove(char *folder)
{
  DIR *listing = opendir(folder);
  assert_non_null(listing);
  for (const struct dirent *e; (e = readdir(listing)) != NULL;) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (e->d_name[0] != '.') {
      unlink(path);
    }
  }
  closedir(listing);
  assert_int_equal(rmdir(folder), 0);
  free(folder);
}

char *sample_bytes(const char *path, size_t *size)
{
  char *bytes = pki_file_read(path, (size_t)1 << 28, size);
  assert_non_null(bytes);
  return bytes;
}

void sample_save(const char *path, const void *data, size_t size)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

/* ---- samples ---- */

static double value_of(int channel, int step, int k)
{
  return sin(0.01 * step + channel) + 10 * k;
}

static int rows_of(int step)
{
  return step % 4;
}

void sample_write(pk_recorder *file, int from, int to)
{
  for (int step = from; step < to; step++) {
    double v[8];
    for (int k = 0; k < 8; k++) {
      v[k] = value_of(0, step, k);
    }
    file->write(file, 0, step * 1e-3, v, 1);
    for (int k = 0; k < 8; k++) {
      v[k] = value_of(1, step, k);
    }
    file->write(file, 1, step * 1e-3, v, rows_of(step));
    if (step % SAMPLE_RARE == 0) {
      v[0] = value_of(2, step, 0);
      file->write(file, 2, step * 1e-3, v, 1);
    }
  }
}

void sample_record(const char *path, const pk_recording_options *options, int steps, int mark)
{
  pk_error err = {0};
  pk_recorder *file;
  assert_int_equal(pk_recording_create(path, options, &file, &err), PK_OK);
  assert_int_equal(file->begin(file, &sample_about, sample_channels, SAMPLE_CHANNELS, &err), PK_OK);
  for (int step = 0; step<steps; step += mark> 0 ? mark : steps) {
    const int to = mark > 0 && step + mark < steps ? step + mark : steps;
    sample_write(file, step, to);
    uint64_t position;
    if (mark > 0) {
      assert_int_equal(file->mark(file, &position, &err), PK_OK);
    }
  }
  assert_int_equal(file->end(file, &err), PK_OK);
  file->destroy(file);
}

/* One channel's samples are those of the steps in [from, to). */
static void check_channel(const pk_recording *recording, int channel, int from, int to)
{
  pk_error err = {0};
  pk_recording_series s;
  const int every = channel == 2 ? SAMPLE_RARE : 1;
  const int at = pk_recording_find(recording, sample_channels[channel].name);
  assert_at_least(at, 0);
  assert_int_equal(pk_recording_read(recording, at, -INFINITY, INFINITY, &s, &err), PK_OK);
  int i = 0;
  for (int step = (from + every - 1) / every * every; step < to; step += every, i++) {
    assert_less(i, s.n);
    assert_less(fabs(s.time[i] - step * 1e-3), 1e-12);
    const int rows = channel == 1 ? rows_of(step) : 1;
    assert_int_equal(s.row[i + 1] - s.row[i], rows);
    for (int k = 0; k < rows * s.columns; k++) {
      const double expected = value_of(channel, step, k);
      assert_memory_equal(&s.values[s.row[i] * s.columns + k], &expected, sizeof expected);
    }
  }
  assert_int_equal(s.n, i);
  pk_recording_series_free(&s);
}

void sample_check(const pk_recording *recording, int from, int to)
{
  for (int channel = 0; channel < SAMPLE_CHANNELS; channel++) {
    check_channel(recording, channel, from, to);
  }
}

int sample_count(const pk_recording *recording)
{
  pk_error err = {0};
  pk_recording_series s;
  if (pk_recording_find(recording, "state/q") < 0) {
    return 0;
  }
  assert_int_equal(
      pk_recording_read(recording, pk_recording_find(recording, "state/q"), -INFINITY, INFINITY, &s, &err),
      PK_OK);
  const int steps = s.n;
  pk_recording_series_free(&s);
  check_channel(recording, 0, 0, steps);
  return steps;
}
