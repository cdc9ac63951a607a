/* Reading JSON in place: a value is where it begins and where the text ends. For the few numbers that a report needs
 * from a recording's scene.json, which may come from anywhere: what is not JSON has no members and no items. */
#ifndef PKI_RECORD_JSON_H
#define PKI_RECORD_JSON_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pki_json {
  const char *at, *end; /* at NULL: nothing */
} pki_json;

/* The value that a text begins with. */
pki_json pki_json_begin(const char *text, size_t size);

/* A member of an object; nothing when there is none of that name. Escapes in names are not read. */
pki_json pki_json_member(pki_json object, const char *name);

/* The items of an array, one after another: start with *item = {0}; false after the last. */
bool pki_json_next(pki_json array, pki_json *item);

/* A number; NAN: it is none. */
double pki_json_real(pki_json value);

/* A string as it is written, without its quotes, cut to `size`; "" when it is none. */
void pki_json_text(pki_json value, char *out, size_t size);

#endif
