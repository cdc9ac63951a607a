#include "serve/masking.h"

enum { MASKED = 0x80, SHORT_LENGTH = 0x7f, KEY_BYTES = 4 };

size_t pki_head_read(pki_head_reader *r, const unsigned char *bytes, size_t size)
{
  size_t n = 0;
  while (n < size && !r->ended) {
    const unsigned char c = bytes[n++];
    if (c == '\n') { /* a line feed alone ends a line too, for whoever reads it so */
      r->ended = r->started && !r->filled;
      r->filled = false;
    } else if (c != '\r') {
      r->started = r->filled = true;
    }
  }
  return n;
}

/* The header has come but for the masking key. */
static void begin_payload(pki_frame_reader *r)
{
  r->key = KEY_BYTES;
  r->rest = r->length;
  r->header = 0;
}

/*   byte 0: FIN, RSV, opcode    byte 1: MASK, length (126: 2 bytes follow, 127: 8 bytes follow) */
static void read_header(pki_frame_reader *r, unsigned char c)
{
  const int at = r->header++;
  if (at == 0) {
    return;
  }
  if (at == 1) {
    const unsigned char length = c & SHORT_LENGTH;
    r->broken = (c & MASKED) == 0;
    r->more = length == 127 ? 8 : length == 126 ? 2 : 0;
    r->length = r->more > 0 ? 0 : length;
  } else {
    r->broken = r->more == 8 && c >= 0x80;
    r->length = r->length << 8 | c;
    r->more--;
  }
  if (r->more == 0) {
    begin_payload(r);
  }
}

size_t pki_frame_read(pki_frame_reader *r, const unsigned char *bytes, size_t size)
{
  size_t n = 0;
  while (n < size && !r->broken) {
    if (r->key > 0) {
      r->key--;
      n++;
    } else if (r->rest > 0) {
      const size_t left = size - n, step = r->rest < left ? (size_t)r->rest : left;
      r->rest -= step;
      n += step;
    } else {
      read_header(r, bytes[n]);
      n += !r->broken;
    }
  }
  return n;
}
