/* Any bytes as solution.pronk: a solution that is written as it was read, or a message. Head and checksum are made right for a second try, so that
 * what comes after them is tried, too. */
#define _GNU_SOURCE /* memfd_create */
#include "optimize/files/solution_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/crc32.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 20 };

static void need(int holds)
{
  if (!holds) {
    abort();
  }
}

/* A count of the head, at most `most`. */
static int count_at(const uint8_t *data, size_t size, size_t at, int most)
{
  const uint64_t count = size >= at + 4 ? pki_take_bytes(data + at, 4) : 0;
  return count < (uint64_t)most ? (int)count : most;
}

static void try_bytes(const uint8_t *data, size_t size)
{
  char path[64];
  /* the problem that the bytes are the solution of, so far as its counts tell */
  const pk_model model = {.nu = count_at(data, size, HEAD, PKI_MOTION_DOFS)};
  const pki_motion_problem problem = {.model = &model,
                                      .nfoot = count_at(data, size, HEAD + 4, PKI_MOTION_FEET),
                                      .nphase = count_at(data, size, HEAD + 8, PKI_MOTION_PHASES)};
  pki_motion_solution solution;
  pk_error err = {PK_OK, 0, "", "", ""};
  const int fd = memfd_create("solution", 0);
  need(fd >= 0 && write(fd, data, size) == (ssize_t)size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const pk_status status = pki_solution_load(path, &problem, 7, &solution, &err);
  close(fd);
  if (status != PK_OK) {
    need(err.message[0] != '\0');
    return;
  }
  for (int i = 0; i < solution.npoint; i++) {
    need(solution.points[i].phase >= 0 && solution.points[i].phase < solution.nphase);
  }
  pki_motion_solution_free(&solution);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  try_bytes(data, size);
  if (size < HEAD + 4) {
    return 0;
  }
  uint8_t *bytes = malloc(size);
  need(bytes != NULL);
  memcpy(bytes, data, size);
  memcpy(bytes, "PRONKSOL", 8);
  pki_put_bytes(bytes + 8, 1, 4);
  pki_put_bytes(bytes + 12, 7, 8);
  pki_put_bytes(bytes + size - 4, pki_crc32(0, bytes, size - 4), 4);
  try_bytes(bytes, size);
  free(bytes);
  return 0;
}
