#include "scenario/section.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "scenario/yaml_file.h"
#include "step/world.h"

static void read_scenario(pki_scenario *s, pki_problems *problems)
{
  pki_fields_preset(pki_scenario_fields, pki_scenario_field_count, s);
  s->gravity[2] = -9.81;
  s->step = pk_sim_options_default();
  pki_file_stem(s->file, s->name, sizeof s->name);
  problems->remarks = &s->warnings;
  pki_scenario_sections(s, problems);
  problems->remarks = NULL;
}

/* The text and the overrides, so that the same scenario can be read again. */
static bool keep_source(pki_scenario *s, const char *text, size_t size, const char *const *sets, int nset)
{
  s->text = malloc(size + 1);
  s->sets = calloc((size_t)nset + 1, sizeof *s->sets);
  if (s->text == NULL || s->sets == NULL) {
    return false;
  }
  if (size > 0) {
    memcpy(s->text, text, size);
  }
  s->text[size] = '\0';
  s->text_size = size;
  for (int i = 0; i < nset; i++) {
    const size_t length = strlen(sets[i]) + 1;
    s->sets[i] = malloc(length);
    if (s->sets[i] == NULL) {
      return false;
    }
    memcpy(s->sets[i], sets[i], length);
    s->nset++;
  }
  return true;
}

/* A node, its name and what is below it. Kinds and ends are marked, so that nothing runs into its neighbour. */
static uint64_t hash_node(uint64_t hash, const pki_node *n)
{
  const unsigned char kind = (unsigned char)(1 + 2 * (int)n->kind + n->plain), end = 0;
  hash = pki_hash_bytes(hash, &kind, 1);
  hash = n->key != NULL ? pki_hash_bytes(hash, n->key, strlen(n->key) + 1) : hash;
  hash = pki_hash_bytes(hash, n->text, strlen(n->text) + 1);
  for (const pki_node *child = n->first; child != NULL; child = child->next) {
    hash = hash_node(hash, child);
  }
  return pki_hash_bytes(hash, &end, 1);
}

uint64_t pki_scenario_hash(const pki_scenario *scenario)
{
  static const char *const without[] = {"name", "description", "duration", "certify"};
  uint64_t hash = PKI_HASH_START;
  for (const pki_node *n = pki_document_root(scenario->document)->first; n != NULL; n = n->next) {
    const pki_section *section = pki_section_find(n->key);
    bool counts = section == NULL || !section->unhashed;
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++) {
      counts = counts && strcmp(n->key, without[i]) != 0;
    }
    hash = counts ? hash_node(hash, n) : hash;
  }
  if (scenario->files_hash != PKI_HASH_START) {
    hash = pki_hash_bytes(hash, &scenario->files_hash, sizeof scenario->files_hash);
  }
  return hash;
}

pk_status pki_scenario_parse_all(const char *file, const char *text, size_t size, const char *const *sets,
                                 int nset, pki_scenario **out, pki_problems *problems)
{
  *out = NULL;
  pki_scenario *s = calloc(1, sizeof *s);
  if (s == NULL || (size <= PKI_YAML_BYTES && !keep_source(s, text, size, sets, nset))) {
    pki_scenario_destroy(s);
    return pki_problem_memory(problems);
  }
  snprintf(s->file, sizeof s->file, "%s", file);
  s->files_hash = PKI_HASH_START;
  s->document = pki_yaml_parse(file, text, size, sets, nset, problems);
  if (s->document != NULL) {
    read_scenario(s, problems);
  }
  if (problems->status != PK_OK) {
    pki_scenario_destroy(s);
    return problems->status;
  }
  *out = s;
  return PK_OK;
}

pk_status pki_scenario_load_all(const char *path, const char *const *sets, int nset, pki_scenario **out,
                                pki_problems *problems)
{
  *out = NULL;
  size_t size = 0;
  char *text = NULL;
  pk_error err = {0};
  pk_status status = pki_yaml_read(path, &text, &size, &err);
  if (status != PK_OK) {
    return pki_problems_note(problems, status, &err);
  }
  status = pki_scenario_parse_all(path, text, size, sets, nset, out, problems);
  free(text);
  return status;
}

pk_status pki_scenario_parse(const char *file, const char *text, size_t size, const char *const *sets,
                             int nset, pki_scenario **out, pk_error *err)
{
  pki_problems problems = {0};
  pki_scenario_parse_all(file, text, size, sets, nset, out, &problems);
  return pki_problems_first(&problems, err);
}

pk_status pki_scenario_load(const char *path, const char *const *sets, int nset, pki_scenario **out,
                            pk_error *err)
{
  pki_problems problems = {0};
  pki_scenario_load_all(path, sets, nset, out, &problems);
  return pki_problems_first(&problems, err);
}

void pki_scenario_destroy(pki_scenario *scenario)
{
  if (scenario == NULL) {
    return;
  }
  for (int i = 0; i < scenario->nset; i++) {
    free(scenario->sets[i]);
  }
  free(scenario->sets);
  free(scenario->text);
  for (int i = 0; pki_sections[i] != NULL; i++) {
    if (pki_sections[i]->release != NULL) {
      pki_sections[i]->release(scenario);
    }
  }
  pki_problems_free(&scenario->warnings);
  pki_document_destroy(scenario->document);
  free(scenario);
}
