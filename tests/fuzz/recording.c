/* Any bytes as a recording: what is in it reads, or there is a message. */
#define _GNU_SOURCE
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/export.h"
#include "record/recording_read.h"
#include "run/run_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const pk_recording *r)
{
  int count;
  const pk_recorder_channel *channels = pk_recording_channels(r, &count);
  for (int i = 0; i < count; i++) {
    pk_error err = {0};
    pk_recording_series s;
    const pk_status status = pk_recording_read(r, i, -INFINITY, INFINITY, &s, &err);
    if (status == PK_OK ? s.row[0] != 0 || s.columns != channels[i].columns : err.message[0] == '\0') {
      abort();
    }
    pk_recording_series_free(&s);
  }
}

/* What is made of a recording ends, and is made or has a message. */
static void make_all(const pk_recording *r)
{
  char path[64];
  snprintf(path, sizeof path, "/tmp/pronk-fuzz-%d", (int)getpid());
  pki_export what = pki_export_all(r);
  pk_error err = {0};
  if ((pki_export_mcap(&what, path, &err) != PK_OK && err.message[0] == '\0') ||
      (pki_report_run(r, NULL, path, &err) != PK_OK && err.message[0] == '\0')) {
    abort();
  }
  remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const int fd = memfd_create("recording", 0);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
    abort();
  }
  for (int scan = 0; scan < 2; scan++) {
    pk_error err = {0};
    pk_recording *r = NULL;
    const pk_status status = pki_recording_open(path, scan == 1, &r, &err);
    if (status == PK_OK) {
      read_all(r);
      make_all(r);
    } else if (r != NULL || err.status != status || err.message[0] == '\0') {
      abort();
    }
    pk_recording_close(r);
  }
  close(fd);
  return 0;
}
