#include "scenario/yaml_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "scenario/override.h"
#include "scenario/scenario.h"

static const char *cause_of(int number)
{
  switch (number) {
  case EISDIR: return "this is a folder, expected a YAML file";
  case ESPIPE: return "it is a device or a pipe";
  default: return strerror(number);
  }
}

pk_status pki_yaml_read(const char *path, char **text, size_t *size, pk_error *err)
{
  const pki_where where = {.file = path};
  *text = pki_file_read(path, PKI_YAML_BYTES, size);
  if (*text != NULL) {
    return PK_OK;
  }
  const int cause = errno;
  return cause == EFBIG
             ? pki_fail(err, PK_ERROR_LIMIT, where, "larger than the limit of %d MiB", PKI_YAML_BYTES >> 20)
             : pki_fail(err, PK_ERROR_FILE, where, "cannot be read: %s", cause_of(cause));
}

pki_document *pki_yaml_parse(const char *file, const char *text, size_t size, const char *const *sets,
                             int nset, pki_problems *problems)
{
  pk_error err = {0};
  pki_document *document = NULL;
  pki_problems_note(problems, pki_document_parse(file, text, size, &document, &err), &err);
  for (int i = 0; i < nset && document != NULL; i++) {
    pki_problems_note(problems, pki_scenario_override(document, sets[i], &err), &err);
  }
  return document;
}

bool pki_yaml_has_key(const char *path, const char *const *keys, int count)
{
  size_t size = 0;
  pki_document *document = NULL;
  char *text = pki_is_scenario_name(path) ? pki_file_read(path, PKI_YAML_BYTES, &size) : NULL;
  bool has = false;
  if (text != NULL && pki_document_parse(path, text, size, &document, NULL) == PK_OK) {
    for (int i = 0; i < count; i++) {
      has = has || pki_node_find(pki_document_root(document), keys[i]) != NULL;
    }
  }
  pki_document_destroy(document);
  free(text);
  return has;
}
