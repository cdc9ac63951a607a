#define _XOPEN_SOURCE 700
#include "model/locate.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { MODELS_MAX = 1000 };

/* The only file of a folder with this ending. Returns how many there are. */
static int only_file(const char *folder, const char *ending, char path[PKI_PATH_MAX])
{
  DIR *listing = opendir(folder);
  int count = 0;
  for (const struct dirent *e; listing != NULL && (e = readdir(listing)) != NULL;) {
    char candidate[PKI_PATH_MAX];
    if (pki_ends_with(e->d_name, ending) && pki_path_join(candidate, folder, e->d_name) &&
        pki_is_file(candidate)) {
      count++;
      memcpy(path, candidate, sizeof candidate);
    }
  }
  if (listing != NULL) {
    closedir(listing);
  }
  return count;
}

/* The model of a folder: NAME/NAME.urdf, NAME/NAME.xml (MJCF) or NAME/NAME.pkm (compiled), or the only .urdf there, or the
 * only .pkm. (Any other .xml may be something else.) Returns how many there are. */
static int model_of_folder(const char *folder, char path[PKI_PATH_MAX])
{
  static const char *const endings[] = {".urdf", ".xml", ".pkm"};
  char *full = realpath(folder, NULL);
  const char *name = full != NULL ? strrchr(full, '/') + 1 : "";
  bool own = false;
  for (size_t i = 0; i < sizeof endings / sizeof endings[0] && !own; i++) {
    char file[PKI_PATH_MAX];
    const int n = snprintf(file, sizeof file, "%s%s", name, endings[i]);
    own = n > 0 && n < PKI_PATH_MAX && pki_path_join(path, folder, file) && pki_is_file(path);
  }
  free(full);
  const int count = own ? 1 : only_file(folder, ".urdf", path);
  return count > 0 ? count : only_file(folder, ".pkm", path);
}

static int compare_entries(const void *a, const void *b)
{
  return strcmp(((const pki_model_entry *)a)->name, ((const pki_model_entry *)b)->name);
}

static bool is_listed(const pki_model_entry *entries, int count, const char *name)
{
  for (int i = 0; i < count; i++) {
    if (strcmp(entries[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

pki_model_entry *pki_model_list(int *count)
{
  *count = 0;
  pki_folders *f = malloc(sizeof *f);
  pki_model_entry *entries = NULL;
  if (f == NULL) {
    return NULL;
  }
  pki_folders_find("models", "PRONK_MODELS", true, f);
  for (int i = 0; i < f->count; i++) {
    DIR *listing = opendir(f->path[i]);
    for (const struct dirent *e; listing != NULL && *count < MODELS_MAX && (e = readdir(listing)) != NULL;) {
      char folder[PKI_PATH_MAX], file[PKI_PATH_MAX];
      const bool usable = e->d_name[0] != '.' && strlen(e->d_name) < sizeof entries->name &&
                          !is_listed(entries, *count, e->d_name) &&
                          pki_path_join(folder, f->path[i], e->d_name) && pki_is_folder(folder) &&
                          model_of_folder(folder, file) == 1;
      if (!usable) {
        continue;
      }
      pki_model_entry *more = realloc(entries, (size_t)(*count + 1) * sizeof *entries);
      if (more == NULL) {
        break;
      }
      entries = more;
      pki_model_entry *entry = &entries[(*count)++];
      memcpy(entry->path, file, sizeof file);
      memcpy(entry->name, e->d_name, strlen(e->d_name) + 1);
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

/* No such model: say which ones there are. */
static pk_status fail_unknown(const char *name, pk_error *err)
{
  int count = 0;
  pki_model_entry *entries = pki_model_list(&count);
  const char **words = malloc((size_t)(count + 1) * sizeof *words);
  char known[480] = "";
  for (int i = 0; words != NULL && i < count; i++) {
    words[i] = entries[i].name;
  }
  if (words != NULL) {
    pki_join_words(words, count, known, sizeof known);
  }
  const char *nearest = words != NULL ? pki_nearest_word(name, words, count) : NULL;
  const pki_where where = {.file = name};
  pk_status status;
  if (count == 0) {
    status = pki_fail(err, PK_ERROR_FILE, where,
                      "no such file or folder, and no models folder was found; give a path to a URDF file or "
                      "set PRONK_MODELS");
  } else {
    status = pki_fail(err, PK_ERROR_FILE, where, "no such file, folder or model; %s%s%sknown models: %s",
                      nearest ? "did you mean '" : "", nearest ? nearest : "", nearest ? "'? " : "", known);
  }
  free(words);
  free(entries);
  return status;
}

pk_status pki_model_locate(const char *name, char path[PKI_PATH_MAX], pk_error *err)
{
  const pki_where where = {.file = name};
  if (name[0] == '\0' || strlen(name) >= PKI_PATH_MAX) {
    return pki_fail(err, PK_ERROR_FILE, where, "a model is a URDF file, a folder or a model's name");
  }
  if (pki_is_file(name)) {
    memcpy(path, name, strlen(name) + 1);
    return PK_OK;
  }
  if (pki_is_folder(name)) {
    const int count = model_of_folder(name, path);
    if (count == 1) {
      return PK_OK;
    }
    return pki_fail(err, PK_ERROR_FILE, where,
                    count == 0 ? "this folder holds no .urdf file"
                               : "this folder holds several .urdf files; name the one you mean");
  }
  /* A bare name stays inside the models folders. */
  pk_status status = PK_ERROR_FILE;
  pki_folders *f = malloc(sizeof *f);
  if (f == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, where, "out of memory");
  }
  pki_folders_find("models", "PRONK_MODELS", true, f);
  for (int i = 0; i < f->count && status != PK_OK && strchr(name, '/') == NULL && name[0] != '.'; i++) {
    char folder[PKI_PATH_MAX];
    if (pki_path_join(folder, f->path[i], name) && pki_is_folder(folder) &&
        model_of_folder(folder, path) == 1) {
      status = PK_OK;
    }
  }
  free(f);
  return status == PK_OK ? PK_OK : fail_unknown(name, err);
}
