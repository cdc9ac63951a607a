/* From the bytes of a compiled file to descriptions in a builder.
 *
 * Sections are read side by side: a robot, then of each section the records that belong to it. Nothing is kept of a
 * record once it is in the builder, so that memory is that of the file and of the builder, whatever counts a file
 * claims. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/sha256.h"
#include "model/convert/compiled_record.h"
#include "model/load.h"

enum { SECTIONS_MAX = 16, MESHES_MAX = 10000 };

/* One reading under way. */
typedef struct compiled_reader {
  pk_builder *b;
  pki_compiled_source source;
  pki_section world, meshes;
  pki_section sections[SECTIONS_MAX]; /* as pki_record_kinds */
  pk_mesh *mesh;                      /* [source.nmesh] */
  pk_error *err;
} compiled_reader;

bool pki_is_compiled(const void *data, size_t size)
{
  return size >= 8 && memcmp(data, PKI_COMPILED_MAGIC, 8) == 0;
}

/* ---- the head ---- */

static pk_status fail_file(const compiled_reader *r, pk_status status, const char *message)
{
  return pki_fail(r->err, status, (pki_where){.file = r->source.file}, "%s", message);
}

static pk_status check_head(const compiled_reader *r, const unsigned char *data, size_t size)
{
  if (!pki_is_compiled(data, size)) {
    return fail_file(r, PK_ERROR_SYNTAX,
                     "this is no compiled model: its first bytes are not " PKI_COMPILED_MAGIC);
  }
  if (size < PKI_COMPILED_HEAD) {
    return fail_file(r, PK_ERROR_SYNTAX, "the file is cut off within its head");
  }
  const uint64_t version = pki_take_bytes(data + 8, 4);
  if (version != PKI_COMPILED_VERSION) {
    return pki_fail(
        r->err, PK_ERROR_UNSUPPORTED, (pki_where){.file = r->source.file},
        "the file has version %llu of the format, this Pronk reads version %d: convert the model again",
        (unsigned long long)version, PKI_COMPILED_VERSION);
  }
  if (pki_take_bytes(data + 12, 4) != PKI_COMPILED_ORDER) {
    return fail_file(r, PK_ERROR_SYNTAX, "the bytes of the file are in another order than little endian");
  }
  if (pki_take_bytes(data + 24, 8) != size - PKI_COMPILED_HEAD) {
    return fail_file(r, PK_ERROR_SYNTAX, "the file is cut off, or has more bytes than its head says");
  }
  char digest[65];
  pki_sha256_hex(data + PKI_COMPILED_HEAD, size - PKI_COMPILED_HEAD, digest);
  if (memcmp(digest, data + 32, 64) != 0) {
    return fail_file(r, PK_ERROR_SYNTAX, "the file is damaged: its checksum is not that of its bytes");
  }
  return PK_OK;
}

static pki_section *section_of(compiled_reader *r, const char *name)
{
  if (strcmp(name, pki_world_kind.name) == 0) {
    return &r->world;
  }
  if (strcmp(name, pki_mesh_kind.name) == 0) {
    return &r->meshes;
  }
  for (int i = 0; i < pki_record_kind_count; i++) {
    if (strcmp(name, pki_record_kinds[i].name) == 0) {
      return &r->sections[i];
    }
  }
  return NULL;
}

/* Find where each section lies, and read its fields. */
static pk_status open_sections(compiled_reader *r, pki_bytes bytes)
{
  while (bytes.at < bytes.end) {
    char *name;
    uint64_t size;
    if (!pki_read_text(&bytes, &name) || name == NULL || !pki_read_number(&bytes, 8, &size) ||
        size > (uint64_t)(bytes.end - bytes.at)) {
      return fail_file(r, PK_ERROR_SYNTAX, "a section is cut off");
    }
    pki_section *s = section_of(r, name);
    if (s == NULL || s->found) {
      return pki_fail(r->err, s == NULL ? PK_ERROR_UNSUPPORTED : PK_ERROR_SYNTAX,
                      (pki_where){.file = r->source.file}, "section \"%.60s\" is %s", name,
                      s == NULL ? "unknown: a newer version of Pronk wrote this file; read it with that one"
                                : "there twice");
    }
    s->found = true;
    s->bytes = (pki_bytes){bytes.at, bytes.at + size};
    bytes.at += size;
    const pk_status status = pki_section_open(s, r->err);
    if (status != PK_OK) {
      return status;
    }
  }
  return PK_OK;
}

/* ---- records ---- */

/* Meshes keep their arrays until the end; the builder copies those that shapes use. */
static pk_status read_meshes(compiled_reader *r)
{
  pki_section *s = &r->meshes;
  if (s->left > MESHES_MAX) {
    return pki_fail(r->err, PK_ERROR_LIMIT, (pki_where){.field = "meshes"}, "there are more than %d meshes",
                    MESHES_MAX);
  }
  r->mesh = calloc((size_t)s->left + 1, sizeof *r->mesh);
  if (r->mesh == NULL) {
    return pki_builder_no_memory(r->err);
  }
  r->source.meshes = r->mesh;
  while (s->left > 0) {
    const pk_status status = pki_section_next(s, NULL, r->err);
    if (status != PK_OK) {
      return status;
    }
    memcpy(&r->mesh[r->source.nmesh++], s->record, sizeof *r->mesh);
    s->nowned = 0; /* the array has them now */
  }
  return PK_OK;
}

static void free_meshes(compiled_reader *r)
{
  for (int i = 0; i < r->source.nmesh; i++) {
    free((void *)(size_t)r->mesh[i].vertex);
    free((void *)(size_t)r->mesh[i].triangle);
  }
  free(r->mesh);
}

/* Add the records of one robot (-1: all that belong to none). */
static pk_status add_records(compiled_reader *r, pki_section *s, int robot)
{
  const char *prefix = r->source.options->prefix;
  pk_status status = PK_OK;
  while (status == PK_OK && (s->loaded || s->left > 0)) {
    if (!s->loaded) {
      status = pki_section_next(s, prefix, r->err);
    }
    int own = -1;
    if (status == PK_OK && robot >= 0) {
      memcpy(&own, s->record + s->kind->robot_offset, sizeof own);
      if ((long long)own - s->kind->robot_shift != robot) {
        return PK_OK; /* a later one's */
      }
    }
    if (status == PK_OK) {
      status = s->kind->add(r->b, &r->source, s->record, r->err);
      pki_section_drop(s);
    }
  }
  return status;
}

static pk_status add_robots(compiled_reader *r)
{
  pki_section *robots = &r->sections[0];
  r->source.alone = robots->left == 1;
  pk_status status = PK_OK;
  for (int robot = 0; robots->left > 0 && status == PK_OK; robot++) {
    status = pki_section_next(robots, NULL, r->err);
    if (status == PK_OK) {
      status = robots->kind->add(r->b, &r->source, robots->record, r->err);
    }
    for (int i = 1; i < pki_record_kind_count && status == PK_OK; i++) {
      if (r->sections[i].kind->robot_offset != SIZE_MAX) {
        status = add_records(r, &r->sections[i], robot);
      }
    }
  }
  return status;
}

/* Root and pose mean one robot. */
static pk_status check_options(const compiled_reader *r)
{
  const pk_load_options *o = r->source.options;
  const pk_pose identity = pk_pose_identity();
  const bool placed = o->root != PK_ROOT_AUTO || memcmp(&o->pose, &identity, sizeof identity) != 0;
  return r->sections[0].left > 1 && placed
             ? fail_file(r, PK_ERROR_ARGUMENT,
                         "the file holds several robots: root and pose are for files with one")
             : PK_OK;
}

/* What belongs to no robot; records that no robot took are out of order. */
static pk_status add_rest(compiled_reader *r)
{
  pk_status status = PK_OK;
  for (int i = 1; i < pki_record_kind_count && status == PK_OK; i++) {
    pki_section *s = &r->sections[i];
    if (s->kind->robot_offset == SIZE_MAX) {
      status = add_records(r, s, -1);
    } else if (s->loaded || s->left > 0) {
      status = pki_fail(r->err, PK_ERROR_SYNTAX, (pki_where){.field = s->kind->name},
                        "records are not in the order of their robots, or name a robot that is not there");
    }
  }
  return status;
}

/* The world's own numbers: in an empty world whose gravity nobody has set. */
static pk_status set_world(compiled_reader *r, bool alone)
{
  if (!r->world.found || r->world.left != 1) {
    return fail_file(r, PK_ERROR_SYNTAX, "the file has no section \"world\" with one record");
  }
  pk_status status = pki_section_next(&r->world, NULL, r->err);
  if (status == PK_OK && !alone && ((const pk_builder *)(const void *)r->world.record)->cut_all) {
    return fail_file(r, PK_ERROR_UNSUPPORTED,
                     "every joint of the file's world is cut: it can only be added to an empty world");
  }
  if (status == PK_OK && alone) {
    status = pki_world_kind.add(r->b, &r->source, r->world.record, r->err);
  }
  return status;
}

static pk_status read_all(compiled_reader *r, unsigned char *data, size_t size)
{
  const bool alone = r->b->nrobot == 0;
  pk_status status = check_head(r, data, size);
  if (status == PK_OK) {
    status = open_sections(r, (pki_bytes){data + PKI_COMPILED_HEAD, data + size});
  }
  if (status == PK_OK) {
    status = check_options(r);
  }
  if (status == PK_OK) {
    status = read_meshes(r);
  }
  if (status == PK_OK) {
    status = add_robots(r);
  }
  if (status == PK_OK) {
    status = add_rest(r);
  }
  return status == PK_OK ? set_world(r, alone) : status;
}

/* Records of the kind fit the room for them. */
static void open_kind(pki_section *s, const pki_record_kind *kind)
{
  PK_ASSERT(kind->size <= PKI_RECORD_MAX && kind->nfield <= PKI_FIELDS_MAX);
  s->kind = kind;
}

/* Into the builder, whole or not at all; the bytes are used up. */
static pk_status add_bytes(pk_builder *b, unsigned char *data, size_t size, const char *file,
                           const pk_load_options *options, pk_error *err)
{
  const pk_load_options standard = pk_load_options_default();
  const pki_builder_mark mark = pki_builder_get_mark(b);
  pk_error error = {.status = PK_OK};
  compiled_reader *r = calloc(1, sizeof *r);
  if (r == NULL) {
    return pki_builder_no_memory(err);
  }
  PK_ASSERT(pki_record_kind_count <= SECTIONS_MAX);
  r->b = b, r->err = &error;
  r->source.file = file, r->source.options = options != NULL ? options : &standard;
  open_kind(&r->world, &pki_world_kind), open_kind(&r->meshes, &pki_mesh_kind);
  for (int i = 0; i < pki_record_kind_count; i++) {
    open_kind(&r->sections[i], &pki_record_kinds[i]);
  }
  pki_builder_begin_load(b, r->source.options);
  const pk_status status = read_all(r, data, size);
  pki_builder_end_load(b);
  for (int i = 0; i < pki_record_kind_count; i++) {
    pki_section_drop(&r->sections[i]);
  }
  pki_section_drop(&r->meshes), pki_section_drop(&r->world);
  free_meshes(r);
  free(r);
  if (status != PK_OK) {
    pki_builder_rollback(b, mark);
    const pki_where where = {.file = file, .field = error.field};
    pki_builder_error(b, status, where, "%s", error.message);
    return pki_fail(err, status, where, "%s", error.message);
  }
  return PK_OK;
}

pk_status pk_builder_add_compiled_memory(pk_builder *b, const void *data, size_t size, const char *file,
                                         const pk_load_options *options, pk_error *err)
{
  if (size > PKI_COMPILED_MAX) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.file = file}, "the model is larger than 256 MiB");
  }
  unsigned char *copy = malloc(size > 0 ? size : 1);
  if (copy == NULL) {
    return pki_builder_no_memory(err);
  }
  if (size > 0) {
    memcpy(copy, data, size);
  }
  const pk_status status = add_bytes(b, copy, size, file, options, err);
  free(copy);
  return status;
}

pk_status pk_builder_add_compiled(pk_builder *b, const char *path, const pk_load_options *options,
                                  pk_error *err)
{
  char *data;
  size_t size = 0;
  pk_status status = pki_load_bytes(b, path, PKI_COMPILED_MAX, "pkm", &data, &size, err);
  status = status == PK_OK ? add_bytes(b, (unsigned char *)data, size, path, options, err) : status;
  free(data);
  return status;
}

bool pki_compiled_model_hash(const char *path, unsigned long long *hash)
{
  unsigned char head[PKI_COMPILED_HEAD];
  FILE *file = pki_is_file(path) ? fopen(path, "rb") : NULL;
  const bool there =
      file != NULL && fread(head, 1, sizeof head, file) == sizeof head && pki_is_compiled(head, sizeof head);
  if (file != NULL) {
    fclose(file);
  }
  *hash = there ? pki_take_bytes(head + 16, 8) : 0;
  return there;
}
