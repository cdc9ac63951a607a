/* What the server says, as JSON (docs/formats/viewer.md). Texts are malloc. */
#ifndef PKI_SERVE_HELLO_H
#define PKI_SERVE_HELLO_H

#include "serve/hub.h"

typedef struct pki_hello_options {
  const char *mode; /* "live", "replay", "render" */
  bool read_only;
} pki_hello_options;

pk_status pki_hello_json(const pki_source *source, const pki_hello_options *options, char **out, size_t *size,
                         pk_error *err);

/* NULL: out of memory. */
char *pki_status_json(const pki_play_status *status, size_t *size);
char *pki_error_json(const pk_error *error, const char *key,
                     size_t *size); /* key: the one that `set` meant, or NULL */
/* After a `set` that was taken. */
char *pki_parameters_message(const pki_source *source, size_t *size);

#endif
