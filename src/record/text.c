#define _POSIX_C_SOURCE 200809L
#include "record/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room for `more` bytes and the NUL. */
static bool reserve(pki_text *text, size_t more)
{
  if (text->failed) {
    return false;
  }
  const size_t need = text->size + more + 1;
  if (need <= text->capacity) {
    return true;
  }
  size_t capacity = text->capacity ? text->capacity : 256;
  while (capacity < need) {
    capacity *= 2;
  }
  char *data = realloc(text->data, capacity);
  if (data == NULL) {
    text->failed = true;
    return false;
  }
  text->data = data;
  text->capacity = capacity;
  return true;
}

static void add_bytes(pki_text *text, const char *bytes, size_t size)
{
  if (reserve(text, size)) {
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = '\0';
  }
}

void pki_text_add(pki_text *text, const char *string)
{
  add_bytes(text, string, strlen(string));
}

void pki_text_addf(pki_text *text, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  const int size = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (size < 0) {
    text->failed = true;
    return;
  }
  if (reserve(text, (size_t)size)) {
    va_start(args, format);
    vsnprintf(text->data + text->size, (size_t)size + 1, format, args);
    va_end(args);
    text->size += (size_t)size;
  }
}

/* Bytes of the UTF-8 sequence at `s`, 0 when it is not a character that XML allows. */
static size_t utf8_length(const unsigned char *s)
{
  if (s[0] < 0x80) {
    return s[0] >= 0x20 || s[0] == '\t' || s[0] == '\n' || s[0] == '\r';
  }
  const size_t n = s[0] >= 0xF0 && s[0] < 0xF5 ? 4 : s[0] >= 0xE0 ? 3 : s[0] >= 0xC2 ? 2 : 0;
  if (n == 0 || s[0] >= 0xF5) {
    return 0;
  }
  unsigned long code = s[0] & (0xFFu >> (n + 1));
  for (size_t i = 1; i < n; i++) {
    if ((s[i] & 0xC0) != 0x80) {
      return 0;
    }
    code = code << 6 | (s[i] & 0x3F);
  }
  const unsigned long least = n == 2 ? 0x80 : n == 3 ? 0x800 : 0x10000;
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool noncharacter = code == 0xFFFE || code == 0xFFFF;
  return code < least || code > 0x10FFFF || surrogate || noncharacter ? 0 : n;
}

void pki_text_add_escaped(pki_text *text, const char *string)
{
  for (const char *s = string; *s != '\0';) {
    const size_t n = utf8_length((const unsigned char *)s);
    const char *entity = *s == '&'    ? "&amp;"
                         : *s == '<'  ? "&lt;"
                         : *s == '>'  ? "&gt;"
                         : *s == '"'  ? "&quot;"
                         : *s == '\'' ? "&#39;"
                         : n == 0     ? "\xEF\xBF\xBD"
                                      : NULL;
    if (entity != NULL) {
      pki_text_add(text, entity);
    } else {
      add_bytes(text, s, n);
    }
    s += n > 0 ? n : 1;
  }
}

void pki_text_free(pki_text *text)
{
  free(text->data);
  *text = (pki_text){0};
}

pk_status pki_text_save(const pki_text *text, const char *path, pk_error *err)
{
  const pki_where where = {.file = path};
  if (text->failed) {
    return pki_fail(err, PK_ERROR_MEMORY, where, "not enough memory to write this file");
  }
  /* The process number keeps two writers of the same file apart. */
  char temporary[4096];
  const int n = snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
  if (n < 0 || (size_t)n >= sizeof temporary) {
    return pki_fail(err, PK_ERROR_FILE, where, "the path is too long");
  }
  FILE *file = fopen(temporary, "wb");
  if (file == NULL) {
    return pki_fail(err, PK_ERROR_FILE, where, "cannot be written: %s", strerror(errno));
  }
  bool good = text->size == 0 || fwrite(text->data, 1, text->size, file) == text->size;
  int why = errno;
  if (fclose(file) != 0) {
    why = good ? errno : why;
    good = false;
  }
  if (good && rename(temporary, path) != 0) {
    why = errno;
    good = false;
  }
  if (!good) {
    remove(temporary);
    return pki_fail(err, PK_ERROR_FILE, where, "cannot be written: %s", strerror(why));
  }
  return PK_OK;
}

pk_status pki_folder_create(const char *path, pk_error *err)
{
  const pki_where where = {.file = path};
  char part[4096];
  const size_t size = strlen(path);
  if (size == 0 || size >= sizeof part) {
    return pki_fail(err, PK_ERROR_FILE, where, "not a usable folder name");
  }
  /* One folder after another, from the top. */
  for (size_t i = 1; i <= size; i++) {
    if (path[i] != '/' && path[i] != '\0') {
      continue;
    }
    memcpy(part, path, i);
    part[i] = '\0';
    if (mkdir(part, 0777) != 0 && errno != EEXIST) {
      return pki_fail(err, PK_ERROR_FILE, where, "cannot create the folder %s: %s", part, strerror(errno));
    }
  }
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
    return pki_fail(err, PK_ERROR_FILE, where, "is not a folder");
  }
  return PK_OK;
}
