#include "record/json.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

enum { DEPTH = 64 };

static const char *skip_space(const char *at, const char *end)
{
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) {
    at++;
  }
  return at;
}

/* Past the string that begins at a quote, NULL when it does not end. */
static const char *skip_string(const char *at, const char *end)
{
  for (at++; at < end && *at != '"'; at++) {
    at += *at == '\\' && at + 1 < end;
  }
  return at < end ? at + 1 : NULL;
}

/* Past any value: brackets are counted, strings are passed over. NULL when it does not end. */
static const char *skip_value(const char *at, const char *end)
{
  int depth = 0;
  for (at = skip_space(at, end); at < end;) {
    const char c = *at;
    if (c == '"') {
      at = skip_string(at, end);
      if (at == NULL || depth == 0) {
        return at;
      }
      continue;
    }
    if (c == '{' || c == '[') {
      if (++depth > DEPTH) {
        return NULL;
      }
    } else if (c == '}' || c == ']') {
      if (depth == 0) {
        return at; /* the end of what a bare value stands in */
      }
      if (--depth == 0) {
        return at + 1;
      }
    } else if (c == ',' && depth == 0) {
      return at;
    }
    at++;
  }
  return depth == 0 ? at : NULL;
}

pki_json pki_json_begin(const char *text, size_t size)
{
  return (pki_json){skip_space(text, text + size), text + size};
}

static bool starts_with_letter(pki_json value, char letter)
{
  return value.at != NULL && value.at < value.end && *value.at == letter;
}

pki_json pki_json_member(pki_json object, const char *name)
{
  const size_t length = strlen(name);
  const char *const end = object.end;
  if (!starts_with_letter(object, '{')) {
    return (pki_json){0};
  }
  for (const char *at = skip_space(object.at + 1, end); at < end && *at == '"';) {
    const char *key = at + 1;
    at = skip_string(at, end);
    const char *colon = at != NULL ? skip_space(at, end) : NULL;
    if (colon == NULL || colon >= end || *colon != ':') {
      break;
    }
    const char *value = skip_space(colon + 1, end);
    if ((size_t)(at - 1 - key) == length && memcmp(key, name, length) == 0) {
      return (pki_json){value, end};
    }
    const char *next = skip_value(value, end);
    next = next != NULL ? skip_space(next, end) : NULL;
    if (next == NULL || next >= end || *next != ',') {
      break;
    }
    at = skip_space(next + 1, end);
  }
  return (pki_json){0};
}

bool pki_json_next(pki_json array, pki_json *item)
{
  const char *at = NULL;
  if (!starts_with_letter(array, '[')) {
    return false;
  }
  if (item->at == NULL) {
    at = skip_space(array.at + 1, array.end);
    if (at < array.end && *at == ']') {
      return false;
    }
  } else {
    at = skip_value(item->at, array.end);
    at = at != NULL ? skip_space(at, array.end) : NULL;
    if (at == NULL || at >= array.end || *at != ',') {
      return false;
    }
    at = skip_space(at + 1, array.end);
  }
  *item = (pki_json){at, array.end};
  return at < array.end;
}

double pki_json_real(pki_json value)
{
  double number = NAN;
  const char *at = value.at;
  const bool digits = at != NULL && at < value.end && (*at == '-' || (*at >= '0' && *at <= '9'));
  return digits && pki_parse_real(&at, value.end, &number) ? number : NAN;
}

void pki_json_text(pki_json value, char *out, size_t size)
{
  out[0] = '\0';
  const char *end = starts_with_letter(value, '"') ? skip_string(value.at, value.end) : NULL;
  if (end != NULL) {
    const size_t length = (size_t)(end - value.at) - 2, most = length < size - 1 ? length : size - 1;
    memcpy(out, value.at + 1, most);
    out[most] = '\0';
  }
}
