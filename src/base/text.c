#define _POSIX_C_SOURCE 200809L
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/draft.h"

bool pki_text_reserve(pki_text *text, size_t more)
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

void pki_text_add_bytes(pki_text *text, const void *bytes, size_t size)
{
  if (pki_text_reserve(text, size)) {
    if (size > 0) {
      memcpy(text->data + text->size, bytes, size);
    }
    text->size += size;
    text->data[text->size] = '\0';
  }
}

void pki_text_add(pki_text *text, const char *string)
{
  pki_text_add_bytes(text, string, strlen(string));
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
  if (pki_text_reserve(text, (size_t)size)) {
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
      pki_text_add_bytes(text, s, n);
    }
    s += n > 0 ? n : 1;
  }
}

void pki_text_add_json_string(pki_text *text, const char *string)
{
  pki_text_add(text, "\"");
  for (const char *s = string; *s != '\0';) {
    const unsigned char c = (unsigned char)*s;
    const size_t n = utf8_length((const unsigned char *)s);
    if (c == '"' || c == '\\') {
      pki_text_addf(text, "\\%c", c);
    } else if (c < 0x20 || c == 0x7F || c == '<') {
      pki_text_addf(text, "\\u%04x", c);
    } else if (n == 0) {
      pki_text_add(text, "\xEF\xBF\xBD");
    } else {
      pki_text_add_bytes(text, s, n);
    }
    s += n > 0 ? n : 1;
  }
  pki_text_add(text, "\"");
}

void pki_text_add_json_number(pki_text *text, double value)
{
  if (isfinite(value)) {
    pki_text_addf(text, "%.9g", value);
  } else {
    pki_text_add(text, "null");
  }
}

void pki_text_add_quoted(pki_text *text, const char *word)
{
  pki_text_add(text, "'");
  for (const char *c = word; *c != '\0'; c++) {
    if (*c == '\'') {
      pki_text_add(text, "'\\''");
    } else {
      pki_text_add_bytes(text, c, 1);
    }
  }
  pki_text_add(text, "'");
}

void pki_text_add_word(pki_text *text, const char *word)
{
  const size_t plain =
      strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%");
  if (word[0] != '\0' && word[plain] == '\0') {
    pki_text_add(text, word);
  } else {
    pki_text_add_quoted(text, word);
  }
}

void pki_text_add_base64(pki_text *text, const void *bytes, size_t size)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *b = bytes;
  if (!pki_text_reserve(text, (size + 2) / 3 * 4)) {
    return;
  }
  for (size_t i = 0; i < size; i += 3) {
    /* three bytes, four digits; what is missing at the end is '=' */
    const size_t left = size - i;
    const uint32_t word =
        (uint32_t)b[i] << 16 | (left > 1 ? (uint32_t)b[i + 1] << 8 : 0) | (left > 2 ? (uint32_t)b[i + 2] : 0);
    char *out = text->data + text->size;
    out[0] = digits[word >> 18];
    out[1] = digits[word >> 12 & 63];
    out[2] = left > 1 ? digits[word >> 6 & 63] : '=';
    out[3] = left > 2 ? digits[word & 63] : '=';
    text->size += 4;
  }
  text->data[text->size] = '\0';
}

void pki_text_free(pki_text *text)
{
  free(text->data);
  *text = (pki_text){0};
}

char *pki_text_copy(const char *string)
{
  const size_t size = strlen(string) + 1;
  char *copy = malloc(size);
  return copy != NULL ? memcpy(copy, string, size) : NULL;
}

const char *pki_capitals(const char *word, char *out, size_t size)
{
  size_t n = 0;
  for (; word[n] != '\0' && n + 1 < size; n++) {
    out[n] = (char)(word[n] >= 'a' && word[n] <= 'z' ? word[n] - 'a' + 'A' : word[n]);
  }
  out[n] = '\0';
  return out;
}

pk_status pki_text_save(const pki_text *text, const char *path, pk_error *err)
{
  const pki_where where = {.file = path};
  if (text->failed) {
    return pki_fail(err, PK_ERROR_MEMORY, where, "not enough memory to write this file");
  }
  return pki_file_write(path, text->data, text->size, err);
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
