/* From a builder to the bytes of a compiled file. */
#include <string.h>

#include "base/bytes.h"
#include "base/sha256.h"
#include "model/convert/compiled.h"
#include "pronk/model.h"

static void put_number(pki_text *out, uint64_t value, int bytes)
{
  unsigned char at[8];
  pki_put_bytes(at, value, bytes);
  pki_text_add_bytes(out, at, (size_t)bytes);
}

static void put_real(pki_text *out, double value)
{
  unsigned char at[8];
  pki_put_real(at, value);
  pki_text_add_bytes(out, at, sizeof at);
}

/* NULL is told from an empty text. */
static void put_text(pki_text *out, const char *text)
{
  const size_t length = text != NULL ? strlen(text) : 0;
  put_number(out, text != NULL ? length + 1 : 0, 4);
  pki_text_add_bytes(out, text, length);
}

static void put_heights(pki_text *out, const pk_heights *h)
{
  put_number(out, h != NULL, 1);
  if (h != NULL) {
    put_number(out, (uint32_t)h->nx, 4), put_number(out, (uint32_t)h->ny, 4), put_real(out, h->cell);
    for (size_t i = 0; i < (size_t)h->nx * (size_t)h->ny; i++) {
      put_real(out, h->z[i]);
    }
  }
}

/* An array that the record points to. */
static void put_array(pki_text *out, const pki_record_field *f, const char *record)
{
  const void *array;
  int groups;
  memcpy(&array, record + f->offset, sizeof array);
  memcpy(&groups, record + f->size_offset, sizeof groups);
  groups = array != NULL ? groups : 0;
  put_number(out, (uint32_t)groups, 4);
  for (size_t i = 0; i < (size_t)groups * (size_t)f->count; i++) {
    if (f->item == PKI_ITEM_REALS) {
      put_real(out, ((const double *)array)[i]);
    } else {
      put_number(out, (uint32_t)((const int *)array)[i], 4);
    }
  }
}

static void put_field(pki_text *out, const pki_record_field *f, const char *record)
{
  const char *at = record + f->offset;
  double real;
  int number;
  bool flag;
  const void *pointer;
  switch (f->item) {
  case PKI_ITEM_REAL:
    for (int i = 0; i < f->count; i++) {
      memcpy(&real, at + (size_t)i * sizeof real, sizeof real);
      put_real(out, real);
    }
    break;
  case PKI_ITEM_INT:
  case PKI_ITEM_WORD: memcpy(&number, at, sizeof number), put_number(out, (uint32_t)number, 4); break;
  case PKI_ITEM_BOOL: memcpy(&flag, at, sizeof flag), put_number(out, flag, 1); break;
  case PKI_ITEM_TEXT:
  case PKI_ITEM_NAME: memcpy(&pointer, at, sizeof pointer), put_text(out, pointer); break;
  case PKI_ITEM_REALS:
  case PKI_ITEM_INTS: put_array(out, f, record); break;
  case PKI_ITEM_HEIGHTS: memcpy(&pointer, at, sizeof pointer), put_heights(out, pointer); break;
  default: break;
  }
}

/* The section's name, how many bytes follow, its fields, its records. */
static void put_section(pki_text *out, const pki_record_kind *kind, const char *records, int count)
{
  put_text(out, kind->name);
  put_number(out, 0, 8);
  const size_t start = out->size;
  put_number(out, (uint32_t)kind->nfield, 4);
  for (int i = 0; i < kind->nfield; i++) {
    const pki_record_field *f = &kind->fields[i];
    put_text(out, f->name);
    put_number(out, f->item, 1);
    put_number(out, f->item == PKI_ITEM_WORD ? 1 : (uint32_t)f->count, 4);
  }
  put_number(out, (uint32_t)count, 4);
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < kind->nfield; i++) {
      put_field(out, &kind->fields[i], records + (size_t)k * kind->size);
    }
  }
  if (!out->failed) {
    pki_put_bytes((unsigned char *)out->data + start - 8, out->size - start, 8);
  }
}

static void put_kept_section(pki_text *out, const pk_builder *b, const pki_record_kind *kind)
{
  const char *records;
  int count;
  memcpy(&records, (const char *)b + kind->array_offset, sizeof records);
  memcpy(&count, (const char *)b + kind->count_offset, sizeof count);
  put_section(out, kind, records, count);
}

void pki_compiled_encode(const pk_builder *b, unsigned long long model_hash, pki_text *out)
{
  pki_text body = {0};
  put_section(&body, &pki_world_kind, (const char *)b, 1);
  put_kept_section(&body, b, &pki_mesh_kind);
  for (int i = 0; i < pki_record_kind_count; i++) {
    put_kept_section(&body, b, &pki_record_kinds[i]);
  }
  char digest[65] = "";
  if (!body.failed) {
    pki_sha256_hex(body.data, body.size, digest);
  }
  pki_text_add(out, PKI_COMPILED_MAGIC);
  put_number(out, PKI_COMPILED_VERSION, 4);
  put_number(out, PKI_COMPILED_ORDER, 4);
  put_number(out, model_hash, 8);
  put_number(out, body.size, 8);
  pki_text_add(out, digest);
  pki_text_add_bytes(out, body.data, body.size);
  out->failed = out->failed || body.failed;
  pki_text_free(&body);
}

pk_status pki_compiled_write(const pk_builder *b, const pk_model *model, const char *path, pk_error *err)
{
  pki_text bytes = {0};
  pki_compiled_encode(b, pk_model_hash(model), &bytes);
  pk_status status;
  if (bytes.size > PKI_COMPILED_MAX) {
    status = pki_fail(err, PK_ERROR_LIMIT, (pki_where){.file = path},
                      "the model takes more than 256 MiB: leave meshes out (--no-meshes)");
  } else {
    status = pki_text_save(&bytes, path, err);
  }
  pki_text_free(&bytes);
  return status;
}
