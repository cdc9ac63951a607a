/* Meshes beside the output: OBJ, whose numbers are text and lose no digit, and whose vertices are shared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "model/convert/writer.h"

static const char FOLDER[] = "meshes";

static void put_obj(pki_text *text, const pk_mesh *mesh)
{
  for (int i = 0; i < mesh->nvertex; i++) {
    char x[PKI_REAL_TEXT], y[PKI_REAL_TEXT], z[PKI_REAL_TEXT];
    const double *v = mesh->vertex + 3 * (size_t)i;
    pki_text_addf(text, "v %s %s %s\n", pki_format_real(v[0], x), pki_format_real(v[1], y),
                  pki_format_real(v[2], z));
  }
  for (int i = 0; i < mesh->ntriangle; i++) {
    const int *t = mesh->triangle + 3 * (size_t)i;
    pki_text_addf(text, "f %d %d %d\n", t[0] + 1, t[1] + 1, t[2] + 1);
  }
}

/* The name of the mesh's own file without folders and ending, in letters that every file system and URI takes. */
static void name_stem(const char *name, char out[96])
{
  const char *slash = strrchr(name, '/');
  const char *base = slash != NULL ? slash + 1 : name;
  const char *dot = strrchr(base, '.');
  const size_t length = dot != NULL && dot > base ? (size_t)(dot - base) : strlen(base);
  size_t used = 0;
  for (size_t i = 0; i < length && used < 90; i++) {
    const char c = base[i];
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || (c == '.' && used > 0);
    out[used++] = plain ? c : '_';
  }
  if (used == 0) {
    memcpy(out, "mesh", 4);
    used = 4;
  }
  out[used] = '\0';
}

/* The folder of the output, with its slash; "" for the current one. */
static int folder_length(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? (int)(slash - path + 1) : 0;
}

static bool place_of(const pki_writer *w, const char *name, char out[PKI_PATH_MAX])
{
  const int n = snprintf(out, PKI_PATH_MAX, "%.*s%s", folder_length(w->path), w->path, name);
  return n > 0 && n < PKI_PATH_MAX;
}

static bool is_used(const pki_writer *w, const char *name)
{
  for (int i = 0; i < w->b->nmesh; i++) {
    if (strcmp(w->meshes[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

/* Whether a name may be taken: it is free, or its file holds these bytes already. */
static bool is_free(const pki_writer *w, const char *name, pki_mesh_file *file)
{
  char path[PKI_PATH_MAX];
  file->there = false;
  if (is_used(w, name) || !place_of(w, name, path) || pki_is_folder(path)) {
    return false;
  }
  if (!pki_is_file(path)) {
    return true;
  }
  size_t size = 0;
  char *bytes = pki_file_read(path, file->bytes.size, &size);
  file->there =
      bytes != NULL && size == file->bytes.size && memcmp(bytes, file->bytes.data, file->bytes.size) == 0;
  free(bytes);
  return file->there;
}

const char *pki_write_mesh(pki_writer *w, int mesh)
{
  enum { TRIES = 10000 };
  pki_mesh_file *file = &w->meshes[mesh];
  if (file->name[0] != '\0') {
    return file->name;
  }
  char stem[96], name[sizeof file->name];
  name_stem(w->b->meshes[mesh].name, stem);
  put_obj(&file->bytes, &w->b->meshes[mesh]);
  bool found = false;
  for (int k = 1; k < TRIES && !found && !file->bytes.failed; k++) {
    if (k == 1) {
      snprintf(name, sizeof name, "%s/%s.obj", FOLDER, stem);
    } else {
      snprintf(name, sizeof name, "%s/%s-%d.obj", FOLDER, stem, k);
    }
    found = is_free(w, name, file);
  }
  if (!found) {
    pki_write_refuse(w, "mesh \"%.100s\" cannot be written: %s", stem,
                     file->bytes.failed ? "out of memory" : "no name is free for its file");
    return "";
  }
  memcpy(file->name, name, sizeof name);
  return file->name;
}

int pki_count_mesh_files(const pki_writer *w)
{
  int count = 0;
  for (int i = 0; i < w->b->nmesh; i++) {
    count += w->meshes[i].name[0] != '\0';
  }
  return count;
}

pk_status pki_save_meshes(const pki_writer *w, pk_error *err)
{
  pk_status status = PK_OK;
  char path[PKI_PATH_MAX];
  if (pki_count_mesh_files(w) > 0) {
    status = place_of(w, FOLDER, path) ? pki_folder_create(path, err)
                                       : pki_fail(err, PK_ERROR_FILE, (pki_where){.file = w->path},
                                                  "the path of the output is too long");
  }
  for (int i = 0; i < w->b->nmesh && status == PK_OK; i++) {
    const pki_mesh_file *file = &w->meshes[i];
    if (file->name[0] != '\0' && !file->there && place_of(w, file->name, path)) {
      status = pki_text_save(&file->bytes, path, err);
    }
  }
  return status;
}

void pki_free_meshes(pki_writer *w)
{
  for (int i = 0; w->meshes != NULL && i < w->b->nmesh; i++) {
    pki_text_free(&w->meshes[i].bytes);
  }
  free(w->meshes);
}
