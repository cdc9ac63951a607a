/* Any bytes as a client's stream, in pieces: what passes is what a second reading, of all bytes at once, finds. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "serve/masking.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool good)
{
  if (!good) {
    abort();
  }
}

/* The bytes before the second one of the first frame that is not masked, or before a length of 64 bits; else all. */
static size_t find_unmasked(const uint8_t *data, size_t size, bool *broken)
{
  size_t at = 0;
  *broken = false;
  while (size - at >= 2) {
    const size_t extra = (data[at + 1] & 127) == 127 ? 8 : (data[at + 1] & 127) == 126 ? 2 : 0;
    *broken = data[at + 1] < 128;
    if (*broken) {
      return at + 1;
    }
    *broken = extra == 8 && size - at > 2 && data[at + 2] >= 128;
    if (*broken) {
      return at + 2;
    }
    if (size - at < 2 + extra + 4) {
      return size;
    }
    uint64_t length = extra == 0 ? data[at + 1] & 127u : 0;
    for (size_t i = 0; i < extra; i++) {
      length = 256 * length + data[at + 2 + i];
    }
    at += 2 + extra + 4;
    if (length > size - at) {
      return size;
    }
    at += (size_t)length;
  }
  return size;
}

/* The bytes up to the first line without anything in it, after one with something; 0: there is none. */
static size_t find_head_end(const uint8_t *data, size_t size)
{
  bool started = false;
  for (size_t line = 0; line < size;) {
    const uint8_t *feed = memchr(data + line, '\n', size - line);
    if (feed == NULL) {
      return 0;
    }
    const size_t end = (size_t)(feed - data);
    size_t text = line;
    while (text < end && data[text] == '\r') {
      text++;
    }
    if (text == end && started) {
      return end + 1;
    }
    started = started || text < end;
    line = end + 1;
  }
  return 0;
}

/* A copy of its own for each piece: reading on shows. */
static uint8_t *copy_piece(const uint8_t *data, size_t size)
{
  uint8_t *piece = malloc(size);
  demand(piece != NULL);
  memcpy(piece, data, size);
  return piece;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2) {
    return 0;
  }
  const size_t piece = (size_t)data[0] + 1;
  data++;
  size--;
  pki_frame_reader frames = {0};
  pki_head_reader head = {0};
  size_t framed = 0, headed = 0;
  for (size_t at = 0; at < size; at += piece) {
    const size_t n = size - at < piece ? size - at : piece;
    uint8_t *bytes = copy_piece(data + at, n);
    framed += pki_frame_read(&frames, bytes, n);
    headed += pki_head_read(&head, bytes, n);
    free(bytes);
  }
  bool broken = false;
  demand(framed == find_unmasked(data, size, &broken) && frames.broken == broken);
  const size_t end = find_head_end(data, size);
  demand(head.ended == (end > 0) && headed == (end > 0 ? end : size));
  return 0;
}
