/* What a viewer asks for: one JSON object of at most PKI_MESSAGE_BYTES (docs/formats/viewer.md). Reading one touches
 * nothing but its own output; a fuzz target holds it to that. */
#ifndef PKI_SERVE_MESSAGE_H
#define PKI_SERVE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum {
  PKI_MESSAGE_BYTES = 4096,
  PKI_MESSAGE_VALUES = 64,  /* columns that one client sees */
  PKI_MESSAGE_STEPS = 10000 /* in one message */
};

typedef enum pki_message_kind {
  PKI_MESSAGE_PLAY,
  PKI_MESSAGE_PAUSE,
  PKI_MESSAGE_STEP,
  PKI_MESSAGE_SPEED,
  PKI_MESSAGE_RESET,
  PKI_MESSAGE_SEEK,
  PKI_MESSAGE_PUSH,
  PKI_MESSAGE_SET,
  PKI_MESSAGE_SUBSCRIBE,
  PKI_MESSAGE_SERIES,
  PKI_MESSAGE_FRAME,
  PKI_MESSAGE_COUNT
} pki_message_kind;

typedef struct pki_message_column {
  char channel[192];
  int column;
} pki_message_column;

typedef struct pki_message {
  pki_message_kind kind;
  int count;                 /* step: -PKI_MESSAGE_STEPS to PKI_MESSAGE_STEPS, not 0 */
  double number;             /* speed: 0 to 1e6; seek and frame: s */
  int body;                  /* push; -1: let go */
  double point[3], force[3]; /* push: m, body frame; N, world */
  char key[96], text[64];    /* set */
  int nvalue;                /* subscribe; series has one */
  pki_message_column values[PKI_MESSAGE_VALUES];
} pki_message;

/* PK_OK, or a failure whose message can go back to the client. */
pk_status pki_message_parse(const char *text, size_t size, pki_message *out, pk_error *err);

/* It would change what everybody sees: refused when the viewer is for reading only. */
bool pki_message_changes(pki_message_kind kind);

const char *pki_message_name(pki_message_kind kind);

#endif
