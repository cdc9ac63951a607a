#include "scenario/drives_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "model/locate.h"
#include "scenario/files.h"

enum { MOST_BYTES = 1 << 20 };

/* drives.yaml in the folder of a model. */
static pk_status find_beside_model(const pki_node *node, const char *name, char path[PKI_PATH_MAX],
                                   pk_error *err)
{
  char model[PKI_PATH_MAX];
  const pk_status status = pki_model_locate(name, model, err);
  if (status != PK_OK) {
    return pki_node_place(status, node, "", err);
  }
  const char *slash = strrchr(model, '/');
  const int folder = slash != NULL ? (int)(slash - model) + 1 : 0;
  if (snprintf(path, PKI_PATH_MAX, "%.*sdrives.yaml", folder, model) >= PKI_PATH_MAX || !pki_is_file(path)) {
    return pki_node_fail(node, err, PK_ERROR_FILE,
                         "the model \"%.60s\" has no drives: there is no drives.yaml beside its file", name);
  }
  return PK_OK;
}

static pk_status read_document(pki_scenario *s, const pki_node *node, const char *path, pki_document **out,
                               pk_error *err)
{
  size_t size = 0;
  char *text = pki_file_read(path, MOST_BYTES, &size);
  if (text == NULL) {
    return pki_node_fail(node, err, PK_ERROR_FILE, "\"%.200s\" cannot be read: %s", path, strerror(errno));
  }
  s->files_hash = pki_hash_bytes(s->files_hash, text, size);
  const pk_status status = pki_document_parse(path, text, size, out, err);
  free(text);
  return status;
}

pki_document *pki_drives_load(pki_scenario *s, const pki_node *node, pki_problems *problems)
{
  char path[PKI_PATH_MAX];
  pk_error err = {0};
  pki_document *document = NULL;
  if (node->kind != PKI_NODE_SCALAR || node->text[0] == '\0') {
    pki_problem(problems, node, "drives is no text, expected the name of a model or of a file");
    return NULL;
  }
  const bool is_file = strchr(node->text, '/') != NULL || pki_ends_with(node->text, ".yaml");
  pk_status status = is_file ? pki_scenario_find_file(s, node, node->text, path, &err)
                             : find_beside_model(node, node->text, path, &err);
  status = status == PK_OK ? read_document(s, node, path, &document, &err) : status;
  if (pki_problems_note(problems, status, &err) == PK_OK &&
      pki_expect_kind(pki_document_root(document), PKI_NODE_LIST, problems) == PK_OK) {
    return document;
  }
  pki_document_destroy(document);
  return NULL;
}
