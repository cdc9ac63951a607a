/* Which bytes of a client may reach libwebsockets: those of an HTTP request up to its end, then those of WebSocket
 * frames as long as each frame is masked (RFC 6455, section 5.1). Both readers take the stream in pieces of any size,
 * keep nothing of it but where they are, and return how many bytes of a piece may pass; a fuzz target holds them to
 * that. */
#ifndef PKI_SERVE_MASKING_H
#define PKI_SERVE_MASKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The head of a request: lines, then an empty one. Zero-initialised it stands before the first byte. */
typedef struct pki_head_reader {
  bool started; /* a line that is not empty has begun */
  bool filled;  /* the present line is not empty */
  bool ended;   /* the empty line has come; the next byte is no part of the head */
} pki_head_reader;

/* The bytes that belong to the head; with `ended` it ends behind them. */
size_t pki_head_read(pki_head_reader *r, const unsigned char *bytes, size_t size);

/* The frames of a client. Zero-initialised it stands before the first frame. */
typedef struct pki_frame_reader {
  int header;      /* bytes of the present header that have come, without the masking key */
  int more;        /* bytes of the extended length that are still to come */
  uint64_t length; /* of the payload, as far as the header has told */
  int key;         /* bytes of the masking key still to come */
  uint64_t rest;   /* bytes of the payload still to come */
  bool broken;     /* a frame was not masked, or its length has more than 63 bits: nothing passes any more */
} pki_frame_reader;

/* The bytes that may pass. Fewer than `size` only with `broken`: of a frame that is not masked the first byte passes at
 * most, which has its opcode and nothing of its content. */
size_t pki_frame_read(pki_frame_reader *r, const unsigned char *bytes, size_t size);

#endif
