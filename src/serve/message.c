#include "serve/message.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"play", "pause", "step",      "speed",  "reset", "seek",
                                    "push", "set",   "subscribe", "series", "frame"};
_Static_assert(sizeof names / sizeof names[0] == PKI_MESSAGE_COUNT, "names");

const char *pki_message_name(pki_message_kind kind)
{
  return names[kind];
}

bool pki_message_changes(pki_message_kind kind)
{
  return kind != PKI_MESSAGE_SUBSCRIBE && kind != PKI_MESSAGE_SERIES && kind != PKI_MESSAGE_FRAME;
}

/* ---- parts ---- */

static pk_status fail_message(pk_error *err, const char *field, const char *expected)
{
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = field}, "expected %s", expected);
}

/* A number in a range. */
static bool read_number(const cJSON *item, double least, double most, double *out)
{
  if (!cJSON_IsNumber(item) || !(item->valuedouble >= least && item->valuedouble <= most)) {
    return false;
  }
  *out = item->valuedouble;
  return true;
}

static bool read_integer(const cJSON *item, double least, double most, int *out)
{
  double number;
  if (!read_number(item, least, most, &number) || number != floor(number)) {
    return false;
  }
  *out = (int)number;
  return true;
}

static bool read_vector(const cJSON *item, double most, double out[3])
{
  if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 3) {
    return false;
  }
  for (int i = 0; i < 3; i++) {
    if (!read_number(cJSON_GetArrayItem(item, i), -most, most, &out[i])) {
      return false;
    }
  }
  return true;
}

/* A word without control characters that fits. */
static bool read_text(const cJSON *item, char *out, size_t size)
{
  const char *text = cJSON_GetStringValue(item);
  if (text == NULL || text[0] == '\0' || strlen(text) >= size) {
    return false;
  }
  for (const char *c = text; *c != '\0'; c++) {
    if ((unsigned char)*c < 0x20) {
      return false;
    }
  }
  memcpy(out, text, strlen(text) + 1);
  return true;
}

/* ---- kinds ---- */

static pk_status read_push(const cJSON *o, pki_message *out, pk_error *err)
{
  if (!read_integer(cJSON_GetObjectItemCaseSensitive(o, "body"), -1, 1e6, &out->body)) {
    return fail_message(err, "body", "the number of a body, or -1 to let go");
  }
  if (out->body < 0) {
    return PK_OK;
  }
  if (!read_vector(cJSON_GetObjectItemCaseSensitive(o, "point"), 1e6, out->point)) {
    return fail_message(err, "point", "three numbers, m in the body's frame");
  }
  if (!read_vector(cJSON_GetObjectItemCaseSensitive(o, "force"), 1e6, out->force)) {
    return fail_message(err, "force", "three numbers, N, each at most 1e6");
  }
  return PK_OK;
}

static pk_status read_set(const cJSON *o, pki_message *out, pk_error *err)
{
  if (!read_text(cJSON_GetObjectItemCaseSensitive(o, "key"), out->key, sizeof out->key)) {
    return fail_message(err, "key", "the key of a parameter, as in \"controller.forward\"");
  }
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(o, "value");
  double number;
  if (read_number(value, -HUGE_VAL, HUGE_VAL, &number) && isfinite(number)) {
    snprintf(out->text, sizeof out->text, "%.17g", number);
    return PK_OK;
  }
  return read_text(value, out->text, sizeof out->text) ? PK_OK
                                                       : fail_message(err, "value", "a number or its text");
}

static bool read_column(const cJSON *channel, const cJSON *column, pki_message_column *out)
{
  return read_text(channel, out->channel, sizeof out->channel) && read_integer(column, 0, 1e6, &out->column);
}

static pk_status read_subscribe(const cJSON *o, pki_message *out, pk_error *err)
{
  const cJSON *values = cJSON_GetObjectItemCaseSensitive(o, "values"), *item = NULL;
  if (!cJSON_IsArray(values)) {
    return fail_message(err, "values", "a list of [channel, column]");
  }
  cJSON_ArrayForEach(item, values)
  {
    if (out->nvalue == PKI_MESSAGE_VALUES) {
      return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = "values"}, "more than %d",
                      PKI_MESSAGE_VALUES);
    }
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 2 ||
        !read_column(cJSON_GetArrayItem(item, 0), cJSON_GetArrayItem(item, 1), &out->values[out->nvalue++])) {
      return fail_message(err, "values", "a list of [channel, column], as in [\"joints/force\", 0]");
    }
  }
  return PK_OK;
}

static pk_status read_by_kind(const cJSON *o, pki_message *out, pk_error *err)
{
  const cJSON *count = cJSON_GetObjectItemCaseSensitive(o, "count");
  switch (out->kind) {
  case PKI_MESSAGE_STEP:
    out->count = 1;
    if (count != NULL &&
        (!read_integer(count, -PKI_MESSAGE_STEPS, PKI_MESSAGE_STEPS, &out->count) || out->count == 0)) {
      return fail_message(err, "count", "a whole number from 1 to 10000, or below 0 to go back");
    }
    return PK_OK;
  case PKI_MESSAGE_SPEED:
    return read_number(cJSON_GetObjectItemCaseSensitive(o, "value"), 0, 1e6, &out->number)
               ? PK_OK
               : fail_message(err, "value", "a number from 0 (as fast as it can) to 1e6");
  case PKI_MESSAGE_SEEK:
  case PKI_MESSAGE_FRAME:
    return read_number(cJSON_GetObjectItemCaseSensitive(o, "time"), -1e9, 1e9, &out->number)
               ? PK_OK
               : fail_message(err, "time", "a number, s");
  case PKI_MESSAGE_PUSH: return read_push(o, out, err);
  case PKI_MESSAGE_SET: return read_set(o, out, err);
  case PKI_MESSAGE_SUBSCRIBE: return read_subscribe(o, out, err);
  case PKI_MESSAGE_SERIES:
    out->nvalue = 1;
    return read_column(cJSON_GetObjectItemCaseSensitive(o, "channel"),
                       cJSON_GetObjectItemCaseSensitive(o, "column"), &out->values[0])
               ? PK_OK
               : fail_message(err, "channel", "\"channel\", a name, and \"column\", a number");
  default: return PK_OK;
  }
}

static pk_status read_object(const cJSON *o, pki_message *out, pk_error *err)
{
  const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, "type"));
  if (!cJSON_IsObject(o) || type == NULL) {
    return pki_fail(err, PK_ERROR_SYNTAX, (pki_where){0}, "a message is an object with a \"type\"");
  }
  for (int i = 0; i < PKI_MESSAGE_COUNT; i++) {
    if (strcmp(type, names[i]) == 0) {
      out->kind = (pki_message_kind)i;
      return read_by_kind(o, out, err);
    }
  }
  const char *nearest = pki_nearest_word(type, names, PKI_MESSAGE_COUNT);
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "type"}, "unknown type '%.40s'%s%s%s", type,
                  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

pk_status pki_message_parse(const char *text, size_t size, pki_message *out, pk_error *err)
{
  memset(out, 0, sizeof *out);
  if (size > PKI_MESSAGE_BYTES) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){0}, "a message has at most %d bytes", PKI_MESSAGE_BYTES);
  }
  const char *end = NULL;
  cJSON *o = cJSON_ParseWithLengthOpts(text, size, &end, false);
  while (o != NULL && end < text + size && memchr(" \t\r\n", *end, 4) != NULL) {
    end++;
  }
  const pk_status status = o == NULL || end != text + size
                               ? pki_fail(err, PK_ERROR_SYNTAX, (pki_where){0}, "the message is no JSON")
                               : read_object(o, out, err);
  cJSON_Delete(o);
  return status;
}
