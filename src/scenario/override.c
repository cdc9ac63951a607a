#include "scenario/override.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL_MODELS "models.*."

/* The key of one model. A model that is its name alone becomes a mapping first. */
static pk_status set_one(pki_document *document, const pki_node *model, const char *place, const char *rest,
                         pk_error *err)
{
  const size_t size = strlen(place) + strlen(rest) + 2;
  char *assignment = malloc(size);
  if (assignment == NULL) {
    return pki_fail_memory(err, NULL);
  }
  snprintf(assignment, size, "%s.%s", place, rest);
  pk_status status = PK_OK;
  if (model->kind == PKI_NODE_SCALAR && !pki_node_is_null(model)) {
    status = pki_document_wrap(document, (pki_node *)(uintptr_t)model, "model", err);
  }
  status = status == PK_OK ? pki_document_set(document, assignment, err) : status;
  free(assignment);
  return status;
}

pk_status pki_scenario_override(pki_document *document, const char *assignment, pk_error *err)
{
  const size_t begin = strlen(ALL_MODELS);
  if (strncmp(assignment, ALL_MODELS, begin) != 0) {
    return pki_document_set(document, assignment, err);
  }
  const pki_node *root = pki_document_root(document);
  const pki_node *one = pki_node_find(root, "model"), *many = pki_node_find(root, "models");
  if (one == NULL && (many == NULL || many->kind != PKI_NODE_LIST || many->count == 0)) {
    char named[200];
    snprintf(named, sizeof named, "--set %s", assignment);
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.file = named},
                    "the scenario has no model to set it of");
  }
  pk_status status = one != NULL ? set_one(document, one, "model", assignment + begin, err) : PK_OK;
  int index = 0;
  for (const pki_node *n = many != NULL ? many->first : NULL; n != NULL && status == PK_OK; n = n->next) {
    char place[32];
    snprintf(place, sizeof place, "models.%d", index++);
    status = set_one(document, n, place, assignment + begin, err);
  }
  return status;
}
