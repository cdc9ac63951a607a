#define _XOPEN_SOURCE 700
#include "scenario/files.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"

/* The file of that folder whose name is nearest to `name`, "": none is near. */
static void nearest_file(const char *folder, const char *name, char out[256])
{
  DIR *listing = opendir(folder);
  int least = INT_MAX;
  out[0] = '\0';
  for (const struct dirent *e; listing != NULL && (e = readdir(listing)) != NULL;) {
    const int edits = e->d_name[0] != '.' ? pki_word_distance(name, e->d_name) : INT_MAX;
    /* of those equally near the first by name: folders have no order */
    if (edits < least || (edits == least && edits < INT_MAX && strcmp(e->d_name, out) < 0)) {
      least = edits;
      snprintf(out, 256, "%s", e->d_name);
    }
  }
  if (listing != NULL) {
    closedir(listing);
  }
  const char *const word = out;
  if (out[0] != '\0' && pki_nearest_word(name, &word, 1) == NULL) {
    out[0] = '\0';
  }
}

static pk_status fail_missing(const pki_node *node, const char *file, const char *path, pk_error *err)
{
  char folder[PKI_PATH_MAX], near[256];
  const char *slash = strrchr(path, '/');
  if (pki_is_folder(path)) {
    return pki_node_fail(node, err, PK_ERROR_FILE, "\"%.200s\" is a folder, expected a file", file);
  }
  snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - path) : 1,
           slash != NULL ? path : ".");
  nearest_file(folder[0] != '\0' ? folder : "/", slash != NULL ? slash + 1 : path, near);
  return pki_node_fail(node, err, PK_ERROR_FILE, "there is no file \"%.200s\"%s%s%s", file,
                       near[0] != '\0' ? "; did you mean \"" : "", near, near[0] != '\0' ? "\"?" : "");
}

pk_status pki_scenario_find_file(const pki_scenario *s, const pki_node *node, const char *file,
                                 char path[PKI_PATH_MAX], pk_error *err)
{
  if (!pki_scenario_path(s, file, path)) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "the path is too long");
  }
  return pki_is_file(path) ? PK_OK : fail_missing(node, file, path, err);
}

pk_status pki_scenario_place_file(pk_status status, const pki_node *node, const char *file, pk_error *err)
{
  return status == PK_OK || err->line > 0 ? status : pki_node_place(status, node, file, err);
}

pk_status pki_scenario_load_mesh(const pki_scenario *s, const pki_node *node, const char *file, double scale,
                                 pki_mesh *out, pk_error *err)
{
  char path[PKI_PATH_MAX];
  *out = (pki_mesh){0};
  pk_status status = pki_scenario_find_file(s, node, file, path, err);
  if (status != PK_OK) {
    return status;
  }
  status = pki_mesh_load(path, out, err);
  for (size_t i = 0; i < 3 * (size_t)out->nvertex; i++) {
    out->vertex[i] *= scale;
  }
  return pki_scenario_place_file(status, node, file, err);
}

void pki_scenario_hash_file(pki_scenario *s, const char *file)
{
  char path[PKI_PATH_MAX];
  size_t size = 0;
  if (!pki_scenario_path(s, file, path) || !pki_is_file(path)) {
    return;
  }
  char *bytes = pki_file_read(path, PKI_MESH_MAX_BYTES, &size);
  if (bytes != NULL) {
    s->files_hash = pki_hash_bytes(s->files_hash, bytes, size);
  }
  free(bytes);
}
