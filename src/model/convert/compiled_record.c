#include "model/convert/compiled_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

static bool has_bytes(const pki_bytes *bytes, size_t size)
{
  return (size_t)(bytes->end - bytes->at) >= size;
}

bool pki_read_number(pki_bytes *bytes, int size, uint64_t *out)
{
  if (!has_bytes(bytes, (size_t)size)) {
    return false;
  }
  *out = pki_take_bytes(bytes->at, size);
  bytes->at += size;
  return true;
}

/* Control characters have no place in names and would reach the user's terminal. */
static bool is_text(const unsigned char *at, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    if (at[i] < 0x20 || at[i] == 0x7f) {
      return false;
    }
  }
  return true;
}

bool pki_read_text(pki_bytes *bytes, char **out)
{
  uint64_t size;
  *out = NULL;
  if (!pki_read_number(bytes, 4, &size) || (size > 0 && !has_bytes(bytes, (size_t)size - 1))) {
    return false;
  }
  if (size > 0) {
    const size_t length = (size_t)size - 1;
    /* one byte to the left, over what held the length, so that the zero has room */
    unsigned char *text = bytes->at - 1;
    if (!is_text(bytes->at, length)) {
      return false;
    }
    memmove(text, bytes->at, length);
    text[length] = '\0';
    *out = (char *)text;
    bytes->at += length;
  }
  return true;
}

static pk_status fail_damaged(const pki_section *s, const char *field, pk_error *err)
{
  return pki_fail(err, PK_ERROR_SYNTAX, (pki_where){.field = s->kind->name},
                  "\"%s\" of a record is cut off or holds what it cannot hold", field);
}

/* ---- fields ---- */

static bool read_real(pki_bytes *bytes, double *out)
{
  if (!has_bytes(bytes, 8)) {
    return false;
  }
  *out = pki_take_real(bytes->at);
  bytes->at += 8;
  return !isnan(*out);
}

static bool read_int(pki_bytes *bytes, int *out)
{
  uint64_t value;
  const bool ok = pki_read_number(bytes, 4, &value);
  const uint32_t low = ok ? (uint32_t)value : 0;
  memcpy(out, &low, sizeof *out);
  return ok;
}

/* Memory that lives as long as the record. */
static void *own(pki_section *s, size_t size)
{
  void *block = s->nowned < PKI_OWNED_MAX ? malloc(size > 0 ? size : 1) : NULL;
  if (block != NULL) {
    s->owned[s->nowned++] = block;
  }
  return block;
}

static bool read_array(pki_section *s, const pki_record_field *f)
{
  int groups;
  const bool reals = f->item == PKI_ITEM_REALS;
  if (!read_int(&s->bytes, &groups) || groups < 0 ||
      !has_bytes(&s->bytes, (size_t)groups * (size_t)f->count * (reals ? 8 : 4))) {
    return false;
  }
  const size_t count = (size_t)groups * (size_t)f->count;
  void *array = groups > 0 ? own(s, count * (reals ? sizeof(double) : sizeof(int))) : NULL;
  bool ok = array != NULL || groups == 0;
  for (size_t i = 0; ok && i < count; i++) {
    ok = reals ? read_real(&s->bytes, (double *)array + i) : read_int(&s->bytes, (int *)array + i);
  }
  memcpy(s->record + f->offset, &array, sizeof array);
  memcpy(s->record + f->size_offset, &groups, sizeof groups);
  return ok;
}

static bool read_heights(pki_section *s, const pki_record_field *f)
{
  uint64_t there;
  pk_heights h = {0};
  if (!pki_read_number(&s->bytes, 1, &there) || there > 1) {
    return false;
  }
  if (there == 0) {
    return true;
  }
  if (!read_int(&s->bytes, &h.nx) || !read_int(&s->bytes, &h.ny) || !read_real(&s->bytes, &h.cell) ||
      h.nx < 1 || h.ny < 1 || (size_t)(s->bytes.end - s->bytes.at) / 8 / (size_t)h.nx < (size_t)h.ny) {
    return false;
  }
  const size_t count = (size_t)h.nx * (size_t)h.ny;
  pk_heights *kept = own(s, sizeof *kept);
  h.z = own(s, count * sizeof *h.z);
  bool ok = kept != NULL && h.z != NULL;
  for (size_t i = 0; ok && i < count; i++) {
    ok = read_real(&s->bytes, &h.z[i]);
  }
  if (ok) {
    *kept = h;
    memcpy(s->record + f->offset, &kept, sizeof kept);
  }
  return ok;
}

static bool read_name(pki_section *s, const pki_record_field *f, const char *prefix)
{
  char *text;
  if (!pki_read_text(&s->bytes, &text)) {
    return false;
  }
  if (text != NULL && f->item == PKI_ITEM_NAME && prefix != NULL && prefix[0] != '\0') {
    const size_t before = strlen(prefix), size = strlen(text) + 1;
    char *full = own(s, before + size);
    if (full == NULL) {
      return false;
    }
    memcpy(full, prefix, before);
    memcpy(full + before, text, size);
    text = full;
  }
  memcpy(s->record + f->offset, &text, sizeof text);
  return true;
}

static bool read_field(pki_section *s, const pki_record_field *f, const char *prefix)
{
  unsigned char *to = s->record + f->offset;
  uint64_t value = 0;
  int number = 0;
  double real = 0;
  bool ok = true;
  switch (f->item) {
  case PKI_ITEM_REAL:
    for (int i = 0; i < f->count && ok; i++) {
      ok = read_real(&s->bytes, &real);
      memcpy(to + (size_t)i * sizeof real, &real, sizeof real);
    }
    return ok;
  case PKI_ITEM_INT:
  case PKI_ITEM_WORD:
    ok = read_int(&s->bytes, &number) && (f->item == PKI_ITEM_INT || (number >= 0 && number < f->count));
    memcpy(to, &number, sizeof number);
    return ok;
  case PKI_ITEM_BOOL: {
    ok = pki_read_number(&s->bytes, 1, &value) && value <= 1;
    const bool flag = ok && value == 1;
    memcpy(to, &flag, sizeof flag);
    return ok;
  }
  case PKI_ITEM_TEXT:
  case PKI_ITEM_NAME: return read_name(s, f, prefix);
  case PKI_ITEM_REALS:
  case PKI_ITEM_INTS: return read_array(s, f);
  case PKI_ITEM_HEIGHTS: return read_heights(s, f);
  default: return false;
  }
}

/* ---- sections ---- */

/* The field of this name, with the item and the count that it has here; -1 after telling why not. */
static int find_field(const pki_section *s, const char *name, uint64_t item, uint64_t count, pk_error *err)
{
  const pki_where where = {.field = s->kind->name};
  for (int i = 0; i < s->kind->nfield; i++) {
    const pki_record_field *f = &s->kind->fields[i];
    if (strcmp(f->name, name) != 0) {
      continue;
    }
    for (int k = 0; k < s->nfield; k++) {
      if (s->fields[k] == i) {
        pki_fail(err, PK_ERROR_SYNTAX, where, "field \"%s\" is there twice", name);
        return -1;
      }
    }
    if (item != (uint64_t)f->item || count != (f->item == PKI_ITEM_WORD ? 1 : (uint64_t)f->count)) {
      pki_fail(err, PK_ERROR_SYNTAX, where, "field \"%s\" has another type than this version of Pronk reads",
               name);
      return -1;
    }
    return i;
  }
  pki_fail(err, PK_ERROR_UNSUPPORTED, where,
           "field \"%.60s\" is unknown: a newer version of Pronk wrote this file; read it with that one",
           name);
  return -1;
}

pk_status pki_section_open(pki_section *s, pk_error *err)
{
  uint64_t nfield, left;
  if (!pki_read_number(&s->bytes, 4, &nfield) || nfield == 0) {
    return fail_damaged(s, "fields", err);
  }
  for (uint64_t i = 0; i < nfield; i++) {
    char *name;
    uint64_t item, count;
    if (!pki_read_text(&s->bytes, &name) || name == NULL || !pki_read_number(&s->bytes, 1, &item) ||
        !pki_read_number(&s->bytes, 4, &count)) {
      return fail_damaged(s, "fields", err);
    }
    const int field = find_field(s, name, item, count, err);
    if (field < 0) {
      return err != NULL ? err->status : PK_ERROR_SYNTAX;
    }
    s->fields[s->nfield++] = field;
  }
  if (!pki_read_number(&s->bytes, 4, &left)) {
    return fail_damaged(s, "count", err);
  }
  s->left = (uint32_t)left;
  return PK_OK;
}

void pki_section_drop(pki_section *s)
{
  while (s->nowned > 0) {
    free(s->owned[--s->nowned]);
  }
  s->loaded = false;
}

pk_status pki_section_next(pki_section *s, const char *prefix, pk_error *err)
{
  pki_section_drop(s);
  memset(s->record, 0, s->kind->size);
  if (s->kind->start != NULL) {
    s->kind->start(s->record);
  }
  for (int i = 0; i < s->nfield; i++) {
    const pki_record_field *f = &s->kind->fields[s->fields[i]];
    if (!read_field(s, f, prefix)) {
      return fail_damaged(s, f->name, err);
    }
  }
  s->left--;
  s->loaded = true;
  if (s->left == 0 && s->bytes.at != s->bytes.end) {
    return pki_fail(err, PK_ERROR_SYNTAX, (pki_where){.field = s->kind->name},
                    "%zu bytes follow the last record", (size_t)(s->bytes.end - s->bytes.at));
  }
  return PK_OK;
}
