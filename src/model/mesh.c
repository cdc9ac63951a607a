#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "model/mesh_internal.h"

static pki_where in_file(const char *file)
{
  return (pki_where){.file = file};
}

/* ---- text and messages ---- */

int pki_mesh_line(const pki_mesh_input *in, const char *at)
{
  int line = 1;
  for (const char *p = in->data; p < at && line < INT_MAX; p++) {
    line += *p == '\n' || (*p == '\r' && !(p + 1 < in->data + in->size && p[1] == '\n'));
  }
  return line;
}

pki_mesh_word pki_mesh_quote(const char *at, const char *end)
{
  pki_mesh_word word = {""};
  size_t n = 0;
  for (; at < end && n + 1 < sizeof word.text && (unsigned char)*at > ' '; at++) {
    word.text[n++] = *at < 127 ? *at : '?';
  }
  return word;
}

pk_status pki_mesh_fail_memory(const pki_mesh_input *in)
{
  return pki_fail(in->err, PK_ERROR_MEMORY, in_file(in->file),
                  "there is not enough memory for this mesh of %zu bytes", in->size);
}

/* ---- the sink ---- */

void *pki_mesh_grow(void *block, size_t used, size_t count, size_t size, size_t *room)
{
  if (count <= *room - used) {
    return block;
  }
  const size_t least = 64, need = used + count;
  size_t next = *room < least ? least : *room;
  while (next < need) {
    next *= 2;
  }
  void *grown = next <= SIZE_MAX / size ? realloc(block, next * size) : NULL;
  if (grown != NULL) {
    *room = next;
  }
  return grown;
}

/* A bijective mix of 64 bits: the finaliser of MurmurHash3 (A. Appleby, public domain). */
static uint64_t mix_bits(uint64_t h)
{
  h ^= h >> 33;
  h *= UINT64_C(0xff51afd7ed558ccd);
  h ^= h >> 33;
  h *= UINT64_C(0xc4ceb9fe1a85ec53);
  return h ^ (h >> 33);
}

/* The slot of a vertex, or the free slot where it belongs. */
static size_t find_slot(const pki_mesh_sink *sink, const double x[3])
{
  uint64_t bits[3], h = sink->key;
  memcpy(bits, x, sizeof bits);
  for (int i = 0; i < 3; i++) {
    h = mix_bits(h ^ bits[i]) + sink->key;
  }
  size_t at = (size_t)mix_bits(h) & (sink->slot_count - 1);
  while (sink->slot[at] != 0 &&
         memcmp(sink->mesh.vertex + 3 * (size_t)(sink->slot[at] - 1), x, sizeof bits) != 0) {
    at = (at + 1) & (sink->slot_count - 1);
  }
  return at;
}

/* A table twice as large. Its key is where it happens to lie, so that no file can be made whose
 * vertices all collide; the vertices' order does not depend on it. */
static bool grow_table(pki_mesh_sink *sink)
{
  const size_t count = sink->slot_count ? 2 * sink->slot_count : 256;
  int *slot = calloc(count, sizeof *slot);
  if (slot == NULL) {
    return false;
  }
  free(sink->slot);
  sink->slot = slot;
  sink->slot_count = count;
  sink->key = mix_bits((uint64_t)(uintptr_t)slot ^ mix_bits((uint64_t)(uintptr_t)&count));
  for (int i = 0; i < sink->mesh.nvertex; i++) {
    slot[find_slot(sink, sink->mesh.vertex + 3 * (size_t)i)] = i + 1;
  }
  return true;
}

pk_status pki_mesh_sink_vertex(pki_mesh_sink *sink, const double x[3], int *index)
{
  pki_mesh *mesh = &sink->mesh;
  const size_t n = (size_t)mesh->nvertex;
  if (2 * n >= sink->slot_count && !grow_table(sink)) {
    return pki_mesh_fail_memory(sink->in);
  }
  /* Adding zero makes -0 and 0 the same bits. */
  const double canonical[3] = {x[0] + 0.0, x[1] + 0.0, x[2] + 0.0};
  const size_t at = find_slot(sink, canonical);
  if (sink->slot[at] != 0) {
    *index = sink->slot[at] - 1;
    return PK_OK;
  }
  double *vertex = pki_mesh_grow(mesh->vertex, n, 1, 3 * sizeof *vertex, &sink->vertex_room);
  if (vertex == NULL) {
    return pki_mesh_fail_memory(sink->in);
  }
  mesh->vertex = vertex;
  memcpy(vertex + 3 * n, canonical, sizeof canonical);
  sink->slot[at] = ++mesh->nvertex;
  *index = mesh->nvertex - 1;
  return PK_OK;
}

pk_status pki_mesh_sink_triangle(pki_mesh_sink *sink, int a, int b, int c)
{
  pki_mesh *mesh = &sink->mesh;
  if (mesh->ntriangle == PKI_MESH_MAX_TRIANGLES) {
    return pki_fail(
        sink->in->err, PK_ERROR_LIMIT, in_file(sink->in->file),
        "the mesh has more than %d triangles; reduce it (MeshLab: Simplification, Blender: Decimate)",
        (int)PKI_MESH_MAX_TRIANGLES);
  }
  const size_t n = (size_t)mesh->ntriangle;
  int *triangle = pki_mesh_grow(mesh->triangle, n, 1, 3 * sizeof *triangle, &sink->triangle_room);
  if (triangle == NULL) {
    return pki_mesh_fail_memory(sink->in);
  }
  mesh->triangle = triangle;
  triangle[3 * n] = a;
  triangle[3 * n + 1] = b;
  triangle[3 * n + 2] = c;
  mesh->ntriangle++;
  return PK_OK;
}

/* Hand the mesh over in blocks of its own size. */
static pki_mesh sink_finish(pki_mesh_sink *sink)
{
  pki_mesh mesh = sink->mesh;
  double *vertex = realloc(mesh.vertex, 3 * (size_t)mesh.nvertex * sizeof *vertex);
  int *triangle = realloc(mesh.triangle, 3 * (size_t)mesh.ntriangle * sizeof *triangle);
  mesh.vertex = vertex ? vertex : mesh.vertex;
  mesh.triangle = triangle ? triangle : mesh.triangle;
  return mesh;
}

/* ---- kinds ---- */

/* How a kind that is not read becomes one that is. */
typedef enum mesh_advice { ADVICE_NONE, ADVICE_ASSIMP, ADVICE_CAD, ADVICE_UNZIP } mesh_advice;

typedef struct mesh_kind {
  const char *name;
  pk_status (*read)(const pki_mesh_input *in, pki_mesh_sink *sink); /* NULL: not read */
  mesh_advice advice;
} mesh_kind;

static const mesh_kind kinds[] = {
    {"stl", pki_mesh_read_stl, ADVICE_NONE},
    {"obj", pki_mesh_read_obj, ADVICE_NONE},
    {"dae", pki_mesh_read_dae, ADVICE_NONE},
    {"ply", pki_mesh_read_ply, ADVICE_NONE},
    {"glb", pki_mesh_read_glb, ADVICE_NONE},
    {"msh", pki_mesh_read_msh, ADVICE_NONE},
    {"3ds", NULL, ADVICE_ASSIMP},
    {"gltf", NULL, ADVICE_ASSIMP},
    {"mesh", NULL, ADVICE_ASSIMP},
    {"fbx", NULL, ADVICE_ASSIMP},
    {"off", NULL, ADVICE_ASSIMP},
    {"x3d", NULL, ADVICE_ASSIMP},
    {"wrl", NULL, ADVICE_ASSIMP},
    {"3mf", NULL, ADVICE_ASSIMP},
    {"amf", NULL, ADVICE_ASSIMP},
    {"blend", NULL, ADVICE_ASSIMP},
    {"step", NULL, ADVICE_CAD},
    {"stp", NULL, ADVICE_CAD},
    {"iges", NULL, ADVICE_CAD},
    {"igs", NULL, ADVICE_CAD},
    {"brep", NULL, ADVICE_CAD},
    {"sldprt", NULL, ADVICE_CAD},
    {"zae", NULL, ADVICE_UNZIP},
};

static bool same_word(const char *a, const char *b)
{
  for (; *a != '\0' && *b != '\0'; a++, b++) {
    const char lower = *a >= 'A' && *a <= 'Z' ? (char)(*a + 0x20) : *a;
    if (lower != *b) {
      return false;
    }
  }
  return *a == *b;
}

static pk_status fail_kind(const mesh_kind *kind, const char *file, pk_error *err)
{
  const char *name = kind->name;
  switch (kind->advice) {
  case ADVICE_CAD:
    return pki_fail(
        err, PK_ERROR_UNSUPPORTED, in_file(file),
        ".%s files are not read, only .stl, .obj, .dae, .ply, .glb and .msh; tessellate it to .stl, "
        "for example with "
        "FreeCAD or the CAD program that wrote it",
        name);
  case ADVICE_UNZIP:
    return pki_fail(
        err, PK_ERROR_UNSUPPORTED, in_file(file),
        ".%s files are not read, only .stl, .obj, .dae, .ply, .glb and .msh; unpack it, for example with "
        "`unzip in.%s`, and use the .dae file in it",
        name, name);
  default:
    return pki_fail(
        err, PK_ERROR_UNSUPPORTED, in_file(file),
        ".%s files are not read, only .stl, .obj, .dae, .ply, .glb and .msh; convert it, for example with "
        "`assimp export in.%s out.obj`, MeshLab or Blender",
        name, name);
  }
}

/* The reader for a kind; one that is not read says how to convert it. */
static pk_status find_kind(const char *name, const char *file, const mesh_kind **out, pk_error *err)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (same_word(name, kinds[i].name)) {
      *out = &kinds[i];
      return kinds[i].read ? PK_OK : fail_kind(&kinds[i], file, err);
    }
  }
  if (name[0] == '\0') {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, in_file(file),
                    "the file name has no ending that tells the kind of mesh; expected .stl, .obj, .dae, "
                    ".ply, .glb or .msh");
  }
  return pki_fail(
      err, PK_ERROR_UNSUPPORTED, in_file(file),
      "the ending '.%.16s' is not known; expected .stl, .obj, .dae, .ply, .glb or .msh. Other meshes "
      "can be converted, for "
      "example with `assimp export in.%.16s out.obj`, MeshLab or Blender",
      name, name);
}

/* What follows the last dot of the last part of a path; "" when there is none. */
static const char *path_ending(const char *path)
{
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(slash ? slash : path, '.');
  return dot ? dot + 1 : "";
}

/* ---- reading ---- */

pk_status pki_mesh_parse(const char *kind, const char *file, const void *data, size_t size, pki_mesh *out,
                         pk_error *err)
{
  memset(out, 0, sizeof *out);
  const mesh_kind *row = NULL;
  pk_status status = find_kind(kind, file, &row, err);
  if (status != PK_OK) {
    return status;
  }
  if (size == 0) {
    return pki_fail(err, PK_ERROR_SYNTAX, in_file(file), "the file is empty; expected a mesh of kind .%s",
                    row->name);
  }
  if (size > PKI_MESH_MAX_BYTES) {
    return pki_fail(err, PK_ERROR_LIMIT, in_file(file), "the file has %zu bytes; at most %d are read", size,
                    (int)PKI_MESH_MAX_BYTES);
  }
  const pki_mesh_input in = {.file = file, .data = data, .size = size, .err = err};
  pki_mesh_sink sink = {.in = &in};
  status = row->read(&in, &sink);
  if (status == PK_OK && sink.mesh.ntriangle == 0) {
    status =
        pki_fail(err, PK_ERROR_SYNTAX, in_file(file), "the file holds no triangle; expected at least one");
  }
  free(sink.slot);
  if (status != PK_OK) {
    pki_mesh_free(&sink.mesh);
    return status;
  }
  *out = sink_finish(&sink);
  return PK_OK;
}

/* Why a file could not be read, as pki_file_read left it in errno. */
static pk_status fail_read(const char *path, size_t size, int cause, pk_error *err)
{
  switch (cause) {
  case EISDIR:
    return pki_fail(err, PK_ERROR_FILE, in_file(path), "this is a directory; expected a mesh file");
  case ESPIPE:
    return pki_fail(err, PK_ERROR_FILE, in_file(path), "this is a device or a pipe; expected a mesh file");
  case EFBIG:
    return pki_fail(err, PK_ERROR_LIMIT, in_file(path), "the file has %zu bytes; at most %d are read", size,
                    (int)PKI_MESH_MAX_BYTES);
  case ENOMEM:
    return pki_fail(err, PK_ERROR_MEMORY, in_file(path),
                    "there is not enough memory for this file of %zu bytes", size);
  default: return pki_fail(err, PK_ERROR_FILE, in_file(path), "the file cannot be read: %s", strerror(cause));
  }
}

pk_status pki_mesh_load(const char *path, pki_mesh *out, pk_error *err)
{
  memset(out, 0, sizeof *out);
  const mesh_kind *row = NULL;
  pk_status status = find_kind(path_ending(path), path, &row, err);
  if (status != PK_OK) {
    return status;
  }
  size_t size = 0;
  char *data = pki_file_read(path, PKI_MESH_MAX_BYTES, &size);
  if (data == NULL) {
    return fail_read(path, size, errno, err);
  }
  status = pki_mesh_parse(row->name, path, data, size, out, err);
  free(data);
  return status;
}

void pki_mesh_free(pki_mesh *mesh)
{
  free(mesh->vertex);
  free(mesh->triangle);
  memset(mesh, 0, sizeof *mesh);
}
