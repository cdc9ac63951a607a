/* Any bytes as a contact problem in text: a sound problem or a message. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "contact/files/problem_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  pk_contact_file *file = NULL;
  pk_error err = {PK_OK, 0, "", "", ""};
  const pk_status status = pki_contact_parse("input.fc", (const char *)data, size, &file, &err);
  if (status == PK_OK) {
    if (file == NULL || pk_contact_validate(pk_contact_file_problem(file), NULL) != PK_OK) {
      abort();
    }
  } else if (file != NULL || err.status != status || err.message[0] == '\0') {
    abort();
  }
  pk_contact_file_destroy(file);
  return 0;
}
