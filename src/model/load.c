#include "model/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
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

/* A file that cannot be read has no root element: the reader of URDF says why. */
static void read_root_element(const char *path, char name[PKI_ROOT_NAME_MAX])
{
  size_t size = 0;
  char *text = pki_file_read(path, PKI_URDF_MAX_BYTES, &size);
  name[0] = '\0';
  if (text != NULL) {
    pki_root_element(text, size, name);
  }
  free(text);
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

/* One row for each format that begins with a root element of its own; all else is read as URDF, whose reader says what
 * it found instead. */
static const struct {
  const char *root;
  pk_status (*add)(pk_builder *b, const char *path, const pk_load_options *options, pk_error *err);
} formats[] = {
    {"robot", pk_builder_add_urdf},
    {"mujoco", pk_builder_add_mjcf},
};

pk_status pk_builder_add_file(pk_builder *b, const char *path, const pk_load_options *options, pk_error *err)
{
  char root[PKI_ROOT_NAME_MAX];
  if (is_compiled(path)) {
    return pk_builder_add_compiled(b, path, options, err);
  }
  read_root_element(path, root);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    if (strcmp(root, formats[i].root) == 0) {
      return formats[i].add(b, path, options, err);
    }
  }
  return pk_builder_add_urdf(b, path, options, err);
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
