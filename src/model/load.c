#include "model/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "model/builder.h"
#include "model/urdf.h"
#include "pronk/convert.h"

/* Where `end` stops in the text from `at` on, behind it; `size` when it does not come. */
static size_t skip_past(const char *text, size_t size, size_t at, const char *end)
{
  const size_t length = strlen(end);
  while (at + length <= size && memcmp(text + at, end, length) != 0) {
    at++;
  }
  return at + length <= size ? at + length : size;
}

static bool starts(const char *text, size_t size, size_t at, const char *word)
{
  return strlen(word) <= size - at && memcmp(text + at, word, strlen(word)) == 0;
}

void pki_root_element(const char *text, size_t size, char name[PKI_ROOT_NAME_MAX])
{
  size_t at = 0, used = 0;
  while (at < size) {
    if (text[at] != '<') {
      at++;
    } else if (starts(text, size, at, "<!--")) {
      at = skip_past(text, size, at, "-->");
    } else if (starts(text, size, at, "<?")) {
      at = skip_past(text, size, at, "?>");
    } else if (starts(text, size, at, "<!")) {
      at = skip_past(text, size, at, ">");
    } else {
      break;
    }
  }
  for (at++; at < size && used + 1 < PKI_ROOT_NAME_MAX && strchr(" \t\r\n/>", text[at]) == NULL; at++) {
    name[used++] = text[at];
  }
  name[used] = '\0';
}

pk_status pki_load_bytes(pk_builder *b, const char *path, size_t most, const char *ending, char **bytes,
                         size_t *size, pk_error *err)
{
  *bytes = pki_file_read(path, most, size);
  if (*bytes != NULL) {
    return PK_OK;
  }
  const int cause = errno;
  const pki_where where = {.file = path};
  const pk_status status = cause == ENOMEM  ? PK_ERROR_MEMORY
                           : cause == EFBIG ? PK_ERROR_LIMIT
                                            : PK_ERROR_FILE;
  char large[64], folder[96];
  snprintf(large, sizeof large, "the file is larger than %zu MiB", most >> 20);
  snprintf(folder, sizeof folder, "cannot read the file: it is a folder, name the .%.8s file in it", ending);
  const char *why = cause == ENOMEM  ? "out of memory"
                    : cause == EFBIG ? large
                                     : pki_read_cause(cause, folder);
  pki_builder_error(b, status, where, "%s", why);
  return pki_fail(err, status, where, "%s", why);
}

static bool is_compiled(const char *path)
{
  char start[8] = "";
  FILE *file = pki_is_file(path) ? fopen(path, "rb") : NULL;
  const bool read = file != NULL && fread(start, 1, sizeof start, file) == sizeof start;
  if (file != NULL) {
    fclose(file);
  }
  return read && memcmp(start, PKI_COMPILED_MAGIC, sizeof start) == 0;
}

/* MJCF by its root element; all else is read as URDF, whose reader says what it found instead. */
static pk_status add_text(pk_builder *b, const char *text, size_t size, const char *path,
                          const pk_load_options *options, pk_error *err)
{
  char root[PKI_ROOT_NAME_MAX];
  pki_root_element(text, size, root);
  return strcmp(root, "mujoco") == 0 ? pk_builder_add_mjcf_memory(b, text, size, path, options, err)
                                     : pk_builder_add_urdf_memory(b, text, size, path, options, err);
}

pk_status pk_builder_add_file(pk_builder *b, const char *path, const pk_load_options *options, pk_error *err)
{
  if (is_compiled(path)) {
    return pk_builder_add_compiled(b, path, options, err);
  }
  char *text;
  size_t size = 0;
  pk_status status = pki_load_bytes(b, path, PKI_URDF_MAX_BYTES, "urdf", &text, &size, err);
  status = status == PK_OK ? add_text(b, text, size, path, options, err) : status;
  free(text);
  return status;
}

pk_status pk_model_load(const char *path, const pk_load_options *options, pk_model **out, pk_error *err)
{
  *out = NULL;
  pk_builder *b;
  pk_status status = pk_builder_create(&b, err);
  if (status == PK_OK) {
    status = pk_builder_add_file(b, path, options, err);
  }
  if (status == PK_OK) {
    status = pk_builder_compile(b, out, err);
  }
  pk_builder_destroy(b);
  return status;
}
