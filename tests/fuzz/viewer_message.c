/* Any bytes as a message of a viewer: a message within its bounds, or a failure with a word about it. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "serve/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool good)
{
  if (!good) {
    abort();
  }
}

static void check(const pki_message *m)
{
  demand(m->kind >= 0 && m->kind < PKI_MESSAGE_COUNT);
  demand(isfinite(m->number) && m->nvalue >= 0 && m->nvalue <= PKI_MESSAGE_VALUES);
  demand(m->count >= -PKI_MESSAGE_STEPS && m->count <= PKI_MESSAGE_STEPS);
  demand(m->body >= -1);
  for (int i = 0; i < 3; i++) {
    demand(isfinite(m->point[i]) && isfinite(m->force[i]));
  }
  demand(memchr(m->key, '\0', sizeof m->key) != NULL && memchr(m->text, '\0', sizeof m->text) != NULL);
  for (int i = 0; i < m->nvalue; i++) {
    demand(memchr(m->values[i].channel, '\0', sizeof m->values[i].channel) != NULL);
    demand(m->values[i].column >= 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  /* a copy without a zero after it: reading on shows */
  char *text = malloc(size > 0 ? size : 1);
  static pki_message message;
  pk_error err = {PK_OK, 0, "", "", ""};
  if (text == NULL) {
    return 0;
  }
  memcpy(text, data, size);
  memset(&message, 0xa5, sizeof message);
  const pk_status status = pki_message_parse(text, size, &message, &err);
  if (status == PK_OK) {
    check(&message);
  } else {
    demand(err.status == status && err.message[0] != '\0');
  }
  free(text);
  return 0;
}
