/* From what a user calls a scenario to its file. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "scenario/scenario.h"

enum { SCENARIOS_MAX = 1000 };

static const pki_yaml_kind scenarios = {"scenarios", "PRONK_SCENARIOS", "scenario"};

bool pki_scenario_path(const pki_scenario *scenario, const char *name, char out[PKI_PATH_MAX])
{
  const char *slash = strrchr(scenario->file, '/');
  const int folder = slash != NULL && name[0] != '/' ? (int)(slash - scenario->file + 1) : 0;
  const int n = snprintf(out, PKI_PATH_MAX, "%.*s%s", folder, scenario->file, name);
  return n > 0 && n < PKI_PATH_MAX;
}

bool pki_is_scenario_name(const char *name)
{
  const char *dot = strrchr(name, '.');
  return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static bool is_listed(const pki_scenario_entry *entries, int count, const char *name)
{
  for (int i = 0; i < count; i++) {
    if (strcmp(entries[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

static int compare_entries(const void *a, const void *b)
{
  return strcmp(((const pki_scenario_entry *)a)->name, ((const pki_scenario_entry *)b)->name);
}

/* FOLDER/NAME.yaml, unless an earlier folder has that name. */
static pki_scenario_entry *add_entry(pki_scenario_entry *entries, int *count, const char *folder,
                                     const char *file)
{
  pki_scenario_entry entry;
  const size_t size = strlen(file);
  if (size <= 5 || size - 5 >= sizeof entry.name || strcmp(file + size - 5, ".yaml") != 0 || file[0] == '.' ||
      *count >= SCENARIOS_MAX || !pki_path_join(entry.path, folder, file) || !pki_is_file(entry.path)) {
    return entries;
  }
  memcpy(entry.name, file, size - 5);
  entry.name[size - 5] = '\0';
  if (is_listed(entries, *count, entry.name)) {
    return entries;
  }
  pki_scenario_entry *more = realloc(entries, (size_t)(*count + 1) * sizeof *entries);
  if (more == NULL) {
    return entries;
  }
  more[(*count)++] = entry;
  return more;
}

pki_scenario_entry *pki_yaml_list(const pki_yaml_kind *kind, int *count)
{
  *count = 0;
  pki_folders *f = malloc(sizeof *f);
  pki_scenario_entry *entries = NULL;
  if (f == NULL) {
    return NULL;
  }
  pki_folders_find(kind->folder, kind->chosen, true, f);
  for (int i = 0; i < f->count; i++) {
    DIR *listing = opendir(f->path[i]);
    for (const struct dirent *e; listing != NULL && (e = readdir(listing)) != NULL;) {
      entries = add_entry(entries, count, f->path[i], e->d_name);
    }
    if (listing != NULL) {
      closedir(listing);
    }
  }
  free(f);
  if (*count > 1) {
    qsort(entries, (size_t)*count, sizeof *entries, compare_entries);
  }
  return entries;
}

/* No such file: say which ones there are. */
static pk_status fail_unknown(const pki_yaml_kind *kind, const char *name, const pki_scenario_entry *entries,
                              int count, pk_error *err)
{
  const char **words = calloc((size_t)count + 1, sizeof *words);
  char known[480] = "";
  for (int i = 0; words != NULL && i < count; i++) {
    words[i] = entries[i].name;
  }
  if (words != NULL) {
    pki_join_words(words, count, known, sizeof known);
  }
  const char *nearest = words != NULL ? pki_nearest_word(name, words, count) : NULL;
  free(words);
  const pki_where where = {.file = name};
  if (pki_is_folder(name)) {
    return pki_fail(err, PK_ERROR_FILE, where, "this is a folder, expected a YAML file in it or a %s's name",
                    kind->word);
  }
  if (count == 0) {
    return pki_fail(err, PK_ERROR_FILE, where,
                    "no such file, and no %s folder was found; give a path to a YAML file or set %s",
                    kind->folder, kind->chosen);
  }
  return pki_fail(err, PK_ERROR_FILE, where, "no such file or %s; %s%s%sknown %ss: %s", kind->word,
                  nearest ? "did you mean '" : "", nearest ? nearest : "", nearest ? "'? " : "", kind->word,
                  known);
}

pk_status pki_yaml_locate(const pki_yaml_kind *kind, const char *name, char path[PKI_PATH_MAX], pk_error *err)
{
  if (name[0] == '\0' || strlen(name) >= PKI_PATH_MAX) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = name}, "a %s is a YAML file or a %s's name",
                    kind->word, kind->word);
  }
  if (pki_is_file(name)) {
    memcpy(path, name, strlen(name) + 1);
    return PK_OK;
  }
  int count = 0;
  pki_scenario_entry *entries = pki_yaml_list(kind, &count);
  const size_t size = strlen(name);
  const size_t stem = size > 5 && strcmp(name + size - 5, ".yaml") == 0 ? size - 5 : size;
  pk_status status = PK_ERROR_FILE;
  for (int i = 0; i < count && status != PK_OK; i++) {
    if (strlen(entries[i].name) == stem && strncmp(entries[i].name, name, stem) == 0) {
      memcpy(path, entries[i].path, sizeof entries[i].path);
      status = PK_OK;
    }
  }
  status = status == PK_OK ? PK_OK : fail_unknown(kind, name, entries, count, err);
  free(entries);
  return status;
}

pki_scenario_entry *pki_scenario_list(int *count)
{
  return pki_yaml_list(&scenarios, count);
}

pk_status pki_scenario_locate(const char *name, char path[PKI_PATH_MAX], pk_error *err)
{
  return pki_yaml_locate(&scenarios, name, path, err);
}
