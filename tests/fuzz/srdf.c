/* Any bytes as an SRDF. What is read is sound: two different names for each pair. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/srdf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  pki_srdf *srdf = NULL;
  pk_error err = {.message = ""};
  const pk_status status = pki_srdf_parse((const char *)data, size, "fuzz.srdf", &srdf, &err);
  if ((status == PK_OK) != (srdf != NULL) || (status != PK_OK && err.message[0] == '\0')) {
    abort();
  }
  for (int i = 0; srdf != NULL && i < srdf->npair; i++) {
    char *const *link = srdf->pairs[i].link;
    if (link[0][0] == '\0' || link[1][0] == '\0' || strcmp(link[0], link[1]) == 0) {
      abort();
    }
  }
  pki_srdf_destroy(srdf);
  return 0;
}
