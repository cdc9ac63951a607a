/* Robots' files of any kind, told apart by their first bytes or their root element. */
#ifndef PKI_MODEL_LOAD_H
#define PKI_MODEL_LOAD_H

#include <stddef.h>

#include "pronk/builder.h"

enum { PKI_ROOT_NAME_MAX = 32 };

/* The first eight bytes of a compiled model (docs/formats/compiled.md). */
#define PKI_COMPILED_MAGIC "PRONKMDL"

/* The bytes of a robot's file, at most `most` of them, to free(); NULL after an error, which the builder keeps too.
 * `ending` is that of files of its kind, for messages: "urdf". */
pk_status pki_load_bytes(pk_builder *b, const char *path, size_t most, const char *ending, char **bytes,
                         size_t *size, pk_error *err);

/* The name of the first element of an XML text, after declarations and comments, as far as it fits; "" where there is
 * none. The text need not be well formed: whoever reads it says what is wrong. */
void pki_root_element(const char *text, size_t size, char name[PKI_ROOT_NAME_MAX]);

#endif
