/* Sizes of public structs, as this library was compiled. */
#include <string.h>

#include "base/error.h"
#include "pronk/layout.h"

#define NAME_AND_SIZE(type) {#type, sizeof(type)},
static const struct {
  const char *name;
  size_t size;
} structs[] = {PK_STRUCT_LIST(NAME_AND_SIZE)};

enum { STRUCTS = sizeof structs / sizeof structs[0] };

size_t pk_struct_size(const char *name)
{
  for (int i = 0; i < STRUCTS; i++) {
    if (strcmp(structs[i].name, name) == 0) {
      return structs[i].size;
    }
  }
  return 0;
}

pk_status pk_layout_compare(const size_t *sizes, int count, pk_error *err)
{
  if (count != STRUCTS) {
    return pki_fail(
        err, PK_ERROR_UNSUPPORTED, (pki_where){0},
        "the headers of this program have %d structs, those of libpronk %s have %d: compile it with the "
        "headers of the library",
        count, pk_version(), (int)STRUCTS);
  }
  for (int i = 0; i < STRUCTS; i++) {
    if (sizes[i] != structs[i].size) {
      return pki_fail(
          err, PK_ERROR_UNSUPPORTED, (pki_where){.field = structs[i].name},
          "%s has %zu bytes in this program and %zu in libpronk %s: compile it with the headers of the "
          "library",
          structs[i].name, sizes[i], structs[i].size, pk_version());
    }
  }
  return PK_OK;
}
