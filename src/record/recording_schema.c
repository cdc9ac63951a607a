/* A channel as MCAP holds it: names, schema, metadata, samples. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/recording.h"

_Static_assert(sizeof(double) == 8, "samples are copied as IEEE 754 doubles");

/* ---- checks ---- */

static bool is_channel_name(const char *name)
{
  bool start = true; /* of a part */
  for (const char *s = name; *s != '\0'; s++) {
    if (*s == '/' ? start : !isalnum((unsigned char)*s) && *s != '_') {
      return false;
    }
    start = *s == '/';
  }
  return !start;
}

static pk_status check_channel(const pk_recorder_channel *c, pki_where where, pk_error *err)
{
  if (c->name == NULL || !is_channel_name(c->name)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "the channel's name is '%s', expected parts of letters, digits and '_' between slashes",
                    c->name ? c->name : "");
  }
  where.field = c->name;
  if (c->columns < 1 || c->columns > PKI_RECORDING_COLUMNS) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "the channel has %d columns, expected 1 to %d", c->columns,
                    PKI_RECORDING_COLUMNS);
  }
  for (int k = 0; k < c->columns; k++) {
    if (c->column == NULL || c->column[k] == NULL || c->unit == NULL || c->unit[k] == NULL) {
      return pki_fail(err, PK_ERROR_ARGUMENT, where, "column %d of the channel has no name or no unit", k);
    }
  }
  return PK_OK;
}

pk_status pki_channels_validate(const pk_recorder_channel *channels, int count, const char *path,
                                pk_error *err)
{
  const pki_where where = {.file = path};
  if (count < 0 || count > UINT16_MAX) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "%d channels, expected 0 to %d", count, UINT16_MAX);
  }
  for (int i = 0; i < count; i++) {
    const pk_status status = check_channel(&channels[i], where, err);
    if (status != PK_OK) {
      return status;
    }
    for (int j = 0; j < i; j++) {
      if (strcmp(channels[j].name, channels[i].name) == 0) {
        return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.file = path, .field = channels[i].name},
                        "two channels have this name");
      }
    }
  }
  return PK_OK;
}

/* ---- names ---- */

enum { NAME_MOST = 96 };

/* A name that ROS allows for a field: a letter first, lower case, single '_', none at the end. */
static void field_name(const char *column, char *out)
{
  int n = 0;
  if (!isalpha((unsigned char)column[0])) {
    out[n++] = 'c';
  }
  for (const char *s = column; *s != '\0' && n < NAME_MOST - 16; s++) {
    const unsigned char c = (unsigned char)*s;
    if (c < 0x80 && isalnum(c)) {
      out[n++] = (char)tolower(c);
    } else if (n > 0 && out[n - 1] != '_') {
      out[n++] = '_';
    }
  }
  while (n > 0 && out[n - 1] == '_') {
    n--;
  }
  out[n] = '\0';
}

static int compare_names(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All different? `sorted` is scratch. */
static bool are_unique(char (*names)[NAME_MOST], char **sorted, int count)
{
  for (int k = 0; k < count; k++) {
    sorted[k] = names[k];
  }
  qsort(sorted, (size_t)count, sizeof *sorted, compare_names);
  for (int k = 1; k < count; k++) {
    if (strcmp(sorted[k - 1], sorted[k]) == 0) {
      return false;
    }
  }
  return true;
}

/* The fields' names; where two columns would share one, all get their column's number. NULL: no memory. */
static char (*field_names(const pk_recorder_channel *c))[NAME_MOST]
{
  const size_t count = (size_t)c->columns;
  char(*names)[NAME_MOST] = calloc(count, sizeof *names);
  char **sorted = calloc(count, sizeof *sorted);
  for (int k = 0; names != NULL && k < c->columns; k++) {
    field_name(c->column[k], names[k]);
  }
  if (names != NULL && sorted != NULL && !are_unique(names, sorted, c->columns)) {
    for (int k = 0; k < c->columns; k++) {
      const size_t n = strlen(names[k]);
      snprintf(names[k] + n, NAME_MOST - n, "_%d", k);
    }
  }
  if (sorted == NULL) {
    free(names);
    names = NULL;
  }
  free(sorted);
  return names;
}

/* "joints/force" is JointsForce. */
static void add_type_name(const pk_recorder_channel *c, pki_text *out)
{
  bool start = true;
  if (isdigit((unsigned char)c->name[0])) {
    pki_text_add(out, "C");
  }
  for (const char *s = c->name; *s != '\0'; s++) {
    if (*s != '/' && *s != '_') {
      const char letter = (char)(start ? toupper((unsigned char)*s) : *s);
      pki_text_add_bytes(out, &letter, 1);
    }
    start = *s == '/' || *s == '_';
  }
}

/* A text as a comment: one line. */
static void add_comment(const char *text, pki_text *out)
{
  for (const char *s = text; *s != '\0'; s++) {
    const char c = (char)(*s == '\n' || *s == '\r' ? ' ' : *s);
    pki_text_add_bytes(out, &c, 1);
  }
}

void pki_channel_schema(const pk_recorder_channel *c, pki_text *type, pki_text *schema)
{
  char(*names)[NAME_MOST] = field_names(c);
  if (names == NULL) {
    schema->failed = true;
    return;
  }
  pki_text_add(type, "pronk/msg/");
  add_type_name(c, type);
  if (c->doc != NULL && c->doc[0] != '\0') {
    pki_text_add(schema, "# ");
    add_comment(c->doc, schema);
    pki_text_add(schema, "\n");
  }
  if (c->table) {
    pki_text bare = {0};
    add_type_name(c, &bare);
    pki_text_addf(
        schema, "pronk/%sRow[] rows\n%s\nMSG: pronk/%sRow\n", bare.data,
        "================================================================================", bare.data);
    schema->failed = schema->failed || bare.failed;
    pki_text_free(&bare);
  }
  for (int k = 0; k < c->columns; k++) {
    pki_text_addf(schema, "float64 %s # ", names[k]);
    add_comment(c->column[k], schema);
    if (c->unit[k][0] != '\0') {
      pki_text_add(schema, " [");
      add_comment(c->unit[k], schema);
      pki_text_add(schema, "]");
    }
    pki_text_add(schema, "\n");
  }
  free(names);
}

/* ---- metadata ---- */

static void add_list(pki_text *map, const char *key, const char *const *items, int count)
{
  pki_text list = {0};
  for (int k = 0; k < count; k++) {
    pki_text_add(&list, k == 0 ? "[" : ",");
    pki_text_add_json_string(&list, items[k]);
  }
  pki_text_add(&list, "]");
  if (list.failed) {
    map->failed = true;
  } else {
    pki_mcap_map_add(map, key, list.data);
  }
  pki_text_free(&list);
}

void pki_channel_metadata(const pk_recorder_channel *c, pki_text *map)
{
  add_list(map, "columns", c->column, c->columns);
  pki_mcap_map_add(map, "doc", c->doc ? c->doc : "");
  pki_mcap_map_add(map, "pronk", c->table ? "table" : "row");
  add_list(map, "units", c->unit, c->columns);
}

/* A character of a JSON string at *s, as UTF-8 at *out; false when it is none. */
static bool parse_character(const char **s, const char *end, char **out)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char c = *(*s)++;
  if ((unsigned char)c < 0x20 || c == '"') {
    return false;
  }
  if (c != '\\') {
    *(*out)++ = c;
    return true;
  }
  const char letter = *s < end ? *(*s)++ : '\0';
  const char *at = letter != '\0' ? strchr(from, letter) : NULL;
  if (at != NULL) {
    *(*out)++ = to[at - from];
    return true;
  }
  char hex[5] = {0};
  if (letter != 'u' || end - *s < 4) {
    return false;
  }
  memcpy(hex, *s, 4);
  *s += 4;
  char *stop;
  const unsigned long code = strtoul(hex, &stop, 16);
  if (stop != hex + 4 || !isxdigit((unsigned char)hex[0]) || code == 0 || (code >= 0xD800 && code < 0xE000)) {
    return false;
  }
  if (code < 0x80) {
    *(*out)++ = (char)code;
  } else if (code < 0x800) {
    *(*out)++ = (char)(0xC0 | code >> 6);
    *(*out)++ = (char)(0x80 | (code & 0x3F));
  } else {
    *(*out)++ = (char)(0xE0 | code >> 12);
    *(*out)++ = (char)(0x80 | (code >> 6 & 0x3F));
    *(*out)++ = (char)(0x80 | (code & 0x3F));
  }
  return true;
}

static void skip_space(const char **s, const char *end)
{
  while (*s < end && strchr(" \t\r\n", **s) != NULL && **s != '\0') {
    (*s)++;
  }
}

/* A JSON list of strings. One block of memory: the pointers, then the texts, which decode to no more bytes than
 * they are. NULL: it is none, or no memory. */
static char **parse_list(pki_view json, int *count, bool *memory)
{
  const char *s = json.data, *const end = s + json.size;
  size_t most = 1; /* strings, no more than there are quotes */
  for (const char *q = s; q < end; q++) {
    most += *q == '"';
  }
  most = most / 2 + 1;
  char **list = malloc(most * sizeof *list + json.size + most);
  if (list == NULL) {
    *memory = true;
    return NULL;
  }
  char *out = (char *)(list + most);
  *count = 0;
  skip_space(&s, end);
  bool good = s < end && *s++ == '[';
  for (bool more = good; good && more;) {
    skip_space(&s, end);
    good = s < end && *s++ == '"' && (size_t)*count < most;
    if (good) {
      list[(*count)++] = out;
    }
    while (good && s < end && *s != '"') {
      good = parse_character(&s, end, &out);
    }
    *out++ = '\0';
    good = good && s < end;
    s += good; /* the closing quote */
    skip_space(&s, end);
    good = good && s < end && (*s == ',' || *s == ']');
    more = good && *s++ == ',';
  }
  if (!good) {
    free(list);
    return NULL;
  }
  return list;
}

bool pki_channel_parse(const pki_mcap_channel *from, pk_recorder_channel *out, bool *memory)
{
  *out = (pk_recorder_channel){0};
  pki_view kind, columns, units, doc;
  const char *topic = from->topic.data;
  if (!pki_view_equals(from->message_encoding, "cdr") || from->topic.size < 2 || topic[0] != '/' ||
      !pki_mcap_map_get(from->metadata, "pronk", &kind) ||
      !(pki_view_equals(kind, "row") || pki_view_equals(kind, "table")) ||
      !pki_mcap_map_get(from->metadata, "columns", &columns) ||
      !pki_mcap_map_get(from->metadata, "units", &units) || !pki_mcap_map_get(from->metadata, "doc", &doc)) {
    return false;
  }
  int nunit = 0;
  const pki_view name = {topic + 1, from->topic.size - 1};
  out->name = pki_view_copy(name);
  out->doc = pki_view_copy(doc);
  *memory = (out->name == NULL && pki_view_is_text(name)) || (out->doc == NULL && pki_view_is_text(doc));
  out->column = (const char *const *)parse_list(columns, &out->columns, memory);
  out->unit = (const char *const *)parse_list(units, &nunit, memory);
  out->table = pki_view_equals(kind, "table");
  const bool good = out->name && out->doc && out->column && out->unit && nunit == out->columns &&
                    check_channel(out, (pki_where){0}, NULL) == PK_OK;
  if (!good) {
    pki_channel_free(out);
  }
  return good;
}

void pki_channel_free(pk_recorder_channel *channel)
{
  free((void *)(uintptr_t)channel->name);
  free((void *)(uintptr_t)channel->doc);
  free((void *)(uintptr_t)channel->column);
  free((void *)(uintptr_t)channel->unit);
  *channel = (pk_recorder_channel){0};
}

/* ---- samples ---- */

void pki_sample_encode(pki_text *out, const pk_recorder_channel *channel, int id, uint32_t sequence,
                       uint64_t time, const double *values, int rows)
{
  const size_t numbers = (size_t)rows * (size_t)channel->columns * sizeof(double);
  const size_t before = PKI_CDR_HEAD + (!channel->table ? 0 : rows > 0 ? PKI_CDR_ROWS : 4);
  const size_t data = before + numbers;
  const size_t all = PKI_MCAP_HEAD + PKI_MCAP_MESSAGE_SIZE + data;
  if (out->size + all >= out->capacity && !pki_text_reserve(out, all)) {
    return;
  }
  char *p = out->data + out->size;
  p[0] = PKI_MCAP_MESSAGE;
  pki_put_le(p + 1, PKI_MCAP_MESSAGE_SIZE + data, 8);
  p += PKI_MCAP_HEAD;
  pki_put_le(p, (uint64_t)id, 2);
  pki_put_le(p + 2, sequence, 4);
  pki_put_le(p + 6, time, 8);
  pki_put_le(p + 14, time, 8);
  p += PKI_MCAP_MESSAGE_SIZE;
  /* CDR, little endian; numbers lie at multiples of their size from here on */
  memcpy(p, "\0\1\0\0", PKI_CDR_HEAD);
  if (channel->table) {
    memset(p + PKI_CDR_HEAD, 0, before - PKI_CDR_HEAD);
    pki_put_le(p + PKI_CDR_HEAD, (uint64_t)rows, 4);
  }
  if (numbers > 0) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(p + before, values, numbers);
#else
    for (size_t k = 0; k < numbers / sizeof(double); k++) {
      uint64_t bits;
      memcpy(&bits, values + k, sizeof bits);
      pki_put_le(p + before + 8 * k, bits, 8);
    }
#endif
  }
  out->size += all;
}

int pki_sample_rows(const pk_recorder_channel *channel, pki_view data, const void **values)
{
  const char *p = data.data;
  const size_t row = (size_t)channel->columns * sizeof(double);
  if (data.size < PKI_CDR_HEAD || memcmp(p, "\0\1", 2) != 0) {
    return -1;
  }
  if (!channel->table) {
    *values = p + PKI_CDR_HEAD;
    return data.size == PKI_CDR_HEAD + row ? 1 : -1;
  }
  if (data.size < PKI_CDR_HEAD + 4) {
    return -1;
  }
  const uint64_t rows = pki_get_le(p + PKI_CDR_HEAD, 4);
  *values = p + PKI_CDR_HEAD + PKI_CDR_ROWS;
  if (rows == 0) {
    return data.size <= PKI_CDR_HEAD + PKI_CDR_ROWS ? 0 : -1;
  }
  return rows <= INT32_MAX && data.size == PKI_CDR_HEAD + PKI_CDR_ROWS + rows * row ? (int)rows : -1;
}

bool pki_time_encode(double time, uint64_t *ns)
{
  const double most = 9e9;
  if (!(time >= 0 && time <= most)) {
    return false;
  }
  *ns = (uint64_t)llround(time * 1e9);
  return true;
}

double pki_time_decode(uint64_t ns)
{
  return (double)ns / 1e9;
}
