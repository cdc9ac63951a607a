/* GLB, the binary form of glTF 2.0 (Khronos Group, 2021): a scene in JSON, numbers in a buffer behind it.
 *
 *   "glTF" 2 LENGTH | LENGTH "JSON" {...} | LENGTH "BIN\0" bytes
 *
 *   scene -> nodes (matrix, or translation, rotation, scale) -> mesh -> primitives -> accessors -> bufferViews
 *
 * Triangles, strips and fans of all meshes at their places in the scene; materials, skins and animations say nothing
 * about the shape at rest. Numbers are little-endian. What lies in other files, or is compressed, is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "math/mat3.h"
#include "model/mesh_internal.h"
#include "model/mesh_json.h"

/* Bounds: bytes of the JSON part, nested nodes, and what instances may make for each byte of the file. */
enum { JSON_MAX = 64 << 20, NODE_DEPTH = 64, INSTANCE_SHARE = 8 };

enum { TYPE_UINT8 = 5121, TYPE_UINT16 = 5123, TYPE_UINT32 = 5125, TYPE_FLOAT = 5126 };
enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

/* The arrays of the scene that are found by number. */
typedef enum glb_list { NODES, MESHES, ACCESSORS, VIEWS, SCENES, LIST_COUNT } glb_list;

typedef struct glb_reader {
  const pki_mesh_input *in;
  pki_mesh_sink *sink;
  pki_mesh_json json;
  const char *bin;
  size_t nbin;
  int *list[LIST_COUNT]; /* values of the JSON */
  long count[LIST_COUNT];
  double budget; /* nodes and corners that may still be made */
} glb_reader;

/* A place in the scene: x -> A x + b. */
typedef struct glb_place {
  double A[9], b[3];
} glb_place;

/* The numbers of an accessor: `count` elements of `stride` bytes from `at`. */
typedef struct glb_numbers {
  const char *at;
  long count;
  size_t stride;
  int type;
} glb_numbers;

static pk_status fail_glb(const glb_reader *r, pk_status status, const char *what)
{
  return pki_fail(r->in->err, status, (pki_where){.file = r->in->file}, "%s", what);
}

static pk_status fail_budget(const glb_reader *r)
{
  return fail_glb(r, PK_ERROR_LIMIT, "nodes and instances make too much for a file of this size");
}

/* Up to 4 bytes. */
static uint32_t take_uint(const char *p, size_t size)
{
  return (uint32_t)pki_take_bytes((const unsigned char *)p, (int)size);
}

/* ---- the file ---- */

static pk_status read_chunks(glb_reader *r, const char **json, size_t *njson)
{
  const char *p = r->in->data, *end = p + r->in->size;
  if (r->in->size < 20 || memcmp(p, "glTF", 4) != 0 || take_uint(p + 4, 4) != 2) {
    return fail_glb(r, PK_ERROR_SYNTAX, "the file does not begin with 'glTF' and version 2");
  }
  *json = NULL;
  for (p += 12; end - p >= 8;) {
    const size_t length = take_uint(p, 4);
    const char *kind = p + 4;
    p += 8;
    if (length > (size_t)(end - p)) {
      return fail_glb(r, PK_ERROR_SYNTAX, "a chunk is longer than the file; it is truncated");
    }
    if (memcmp(kind, "JSON", 4) == 0 && *json == NULL) {
      *json = p, *njson = length;
    } else if (memcmp(kind, "BIN\0", 4) == 0 && r->bin == NULL) {
      r->bin = p, r->nbin = length;
    }
    p += length;
  }
  if (*json == NULL || *njson > JSON_MAX) {
    return fail_glb(r, *json == NULL ? PK_ERROR_SYNTAX : PK_ERROR_LIMIT,
                    *json == NULL ? "the file has no JSON chunk" : "the JSON chunk is larger than 64 MiB");
  }
  return PK_OK;
}

/* An array of the scene as a table. */
static bool make_list(glb_reader *r, glb_list which, const char *name)
{
  const pki_mesh_json_value *array = pki_mesh_json_get(&r->json, r->json.values, name);
  const long count = array != NULL && array->kind == PKI_MESH_JSON_ARRAY ? array->count : 0;
  r->list[which] = malloc(((size_t)count + 1) * sizeof *r->list[which]);
  if (r->list[which] == NULL) {
    return false;
  }
  for (const pki_mesh_json_value *v = count > 0 ? pki_mesh_json_child(&r->json, array) : NULL; v != NULL;
       v = pki_mesh_json_next(&r->json, v)) {
    r->list[which][r->count[which]++] = (int)(v - r->json.values);
  }
  return true;
}

static const pki_mesh_json_value *list_at(const glb_reader *r, glb_list which, long index)
{
  return index >= 0 && index < r->count[which] ? &r->json.values[r->list[which][index]] : NULL;
}

/* ---- numbers ---- */

static size_t type_size(long type)
{
  return type == TYPE_UINT8 ? 1 : type == TYPE_UINT16 ? 2 : type == TYPE_UINT32 || type == TYPE_FLOAT ? 4 : 0;
}

/* Accessor `index` of elements with `width` numbers; all of its bytes are there. */
static pk_status find_numbers(glb_reader *r, long index, size_t width, glb_numbers *out)
{
  const long most = (long)r->in->size;
  const pki_mesh_json_value *accessor = list_at(r, ACCESSORS, index);
  const pki_mesh_json_value *view =
      list_at(r, VIEWS, pki_mesh_json_index(&r->json, accessor, "bufferView", most, -1));
  if (view == NULL || pki_mesh_json_get(&r->json, accessor, "sparse") != NULL) {
    return fail_glb(r, PK_ERROR_UNSUPPORTED, "an accessor has no buffer view, or is sparse");
  }
  r->budget -= accessor->count + view->count;
  if (pki_mesh_json_index(&r->json, view, "buffer", most, 0) != 0 || r->bin == NULL) {
    return fail_glb(r, PK_ERROR_UNSUPPORTED,
                    "numbers lie in another file; only the file's own buffer is read");
  }
  out->count = pki_mesh_json_index(&r->json, accessor, "count", most, -1);
  out->type = (int)pki_mesh_json_index(&r->json, accessor, "componentType", 10000, -1);
  const long a = pki_mesh_json_index(&r->json, accessor, "byteOffset", most, 0);
  const long b = pki_mesh_json_index(&r->json, view, "byteOffset", most, 0);
  const long stride = pki_mesh_json_index(&r->json, view, "byteStride", 65536, 0);
  const size_t element = width * type_size(out->type);
  if (out->count < 0 || a < 0 || b < 0 || stride < 0 || element == 0) {
    return fail_glb(r, PK_ERROR_SYNTAX, "an accessor or its buffer view has a wrong number or type");
  }
  out->stride = stride > 0 ? (size_t)stride : element;
  const size_t start = (size_t)a + (size_t)b;
  const size_t need = out->count > 0 ? ((size_t)out->count - 1) * out->stride + element : 0;
  if (start > r->nbin || need > r->nbin - start) {
    return fail_glb(r, PK_ERROR_SYNTAX, "an accessor reaches beyond the buffer");
  }
  out->at = r->bin + start;
  return PK_OK;
}

/* ---- primitives ---- */

typedef struct glb_primitive {
  glb_numbers position, index; /* index.at NULL: corners are the positions in order */
  glb_place place;
  long mode, ncorner;
} glb_primitive;

static pk_status read_corner(glb_reader *r, const glb_primitive *p, long k, int *out)
{
  const long i = p->index.at != NULL
                     ? (long)take_uint(p->index.at + (size_t)k * p->index.stride, type_size(p->index.type))
                     : k;
  if (i >= p->position.count) {
    return fail_glb(r, PK_ERROR_SYNTAX, "an index names a vertex that is not there");
  }
  double x[3], y[3];
  for (size_t e = 0; e < 3; e++) {
    const uint32_t bits = take_uint(p->position.at + (size_t)i * p->position.stride + 4 * e, 4);
    float single;
    memcpy(&single, &bits, sizeof single);
    x[e] = single;
  }
  pki_mat3_apply(p->place.A, x, y);
  for (int e = 0; e < 3; e++) {
    y[e] += p->place.b[e];
    if (!isfinite(y[e])) {
      return fail_glb(r, PK_ERROR_NONFINITE, "a vertex is not finite");
    }
  }
  return pki_mesh_sink_vertex(r->sink, y, out);
}

/* Which corners make triangle `t`; a mirror image keeps its outside outside. */
static void triangle_corners(const glb_primitive *p, long t, bool mirrored, long corner[3])
{
  const bool odd = p->mode == MODE_STRIP && t % 2 != 0;
  const long first = p->mode == MODE_TRIANGLES ? 3 * t : p->mode == MODE_STRIP ? t : 0;
  const long second = p->mode == MODE_FAN ? t + 1 : first + 1;
  corner[0] = first;
  corner[1] = odd != mirrored ? second + 1 : second;
  corner[2] = odd != mirrored ? second : second + 1;
}

static pk_status read_triangles(glb_reader *r, const glb_primitive *p)
{
  const long n = p->mode == MODE_TRIANGLES ? p->ncorner / 3 : p->ncorner - 2;
  double z[3];
  pki_cross3(p->place.A, p->place.A + 3, z);
  const bool mirrored = pki_dot3(z, p->place.A + 6) < 0;
  for (long t = 0; t < n; t++) {
    long corner[3];
    int vertex[3];
    triangle_corners(p, t, mirrored, corner);
    pk_status status = PK_OK;
    for (int k = 0; k < 3 && status == PK_OK; k++) {
      status = read_corner(r, p, corner[k], &vertex[k]);
    }
    status = status == PK_OK ? pki_mesh_sink_triangle(r->sink, vertex[0], vertex[1], vertex[2]) : status;
    if (status != PK_OK) {
      return status;
    }
  }
  return PK_OK;
}

static pk_status read_primitive(glb_reader *r, const pki_mesh_json_value *primitive, const glb_place *place)
{
  const long most = (long)r->in->size;
  const pki_mesh_json_value *attributes = pki_mesh_json_get(&r->json, primitive, "attributes");
  glb_primitive p = {.place = *place,
                     .mode = pki_mesh_json_index(&r->json, primitive, "mode", 6, MODE_TRIANGLES)};
  const long position = pki_mesh_json_index(&r->json, attributes, "POSITION", most, -1),
             index = pki_mesh_json_index(&r->json, primitive, "indices", most, -2);
  if (p.mode < MODE_TRIANGLES || position < 0) {
    return PK_OK; /* points and lines */
  }
  pk_status status = find_numbers(r, position, 3, &p.position);
  if (status == PK_OK && p.position.type != TYPE_FLOAT) {
    status = fail_glb(r, PK_ERROR_UNSUPPORTED, "positions are not 32-bit floating-point numbers");
  }
  if (status == PK_OK && index != -2) {
    status = find_numbers(r, index, 1, &p.index);
    if (status == PK_OK && p.index.type == TYPE_FLOAT) {
      status = fail_glb(r, PK_ERROR_SYNTAX, "indices are not whole numbers");
    }
  }
  if (status != PK_OK) {
    return status;
  }
  p.ncorner = index != -2 ? p.index.count : p.position.count;
  r->budget -= (double)p.ncorner + 1;
  return r->budget > 0 ? read_triangles(r, &p) : fail_budget(r);
}

/* ---- the scene ---- */

/* `count` numbers of an array; false when there is none. */
static bool read_vector(const glb_reader *r, const pki_mesh_json_value *node, const char *key, int count,
                        double *out)
{
  const pki_mesh_json_value *array = pki_mesh_json_get(&r->json, node, key);
  if (array == NULL || array->kind != PKI_MESH_JSON_ARRAY || array->count != count) {
    return false;
  }
  const pki_mesh_json_value *v = pki_mesh_json_child(&r->json, array);
  for (int i = 0; i < count; i++, v = pki_mesh_json_next(&r->json, v)) {
    out[i] = v->kind == PKI_MESH_JSON_NUMBER ? v->number : 0;
  }
  return true;
}

/* Where a node stands in its parent. */
static glb_place node_place(const glb_reader *r, const pki_mesh_json_value *node)
{
  glb_place place = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  double m[16], xyzw[4], scale[3] = {1, 1, 1};
  if (read_vector(r, node, "matrix", 16, m)) { /* columns one after the other */
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        place.A[3 * i + k] = m[4 * k + i];
      }
      place.b[i] = m[12 + i];
    }
    return place;
  }
  read_vector(r, node, "translation", 3, place.b);
  read_vector(r, node, "scale", 3, scale);
  if (read_vector(r, node, "rotation", 4, xyzw)) {
    const double q[4] = {xyzw[3], xyzw[0], xyzw[1], xyzw[2]};
    if (q[0] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 0) {
      pki_quat_to_mat3(q, place.A);
    }
  }
  for (int i = 0; i < 9; i++) {
    place.A[i] *= scale[i % 3];
  }
  return place;
}

static pk_status read_mesh(glb_reader *r, const pki_mesh_json_value *mesh, const glb_place *place)
{
  const pki_mesh_json_value *all = pki_mesh_json_get(&r->json, mesh, "primitives");
  pk_status status = PK_OK;
  for (const pki_mesh_json_value *p = pki_mesh_json_child(&r->json, all); p != NULL && status == PK_OK;
       p = pki_mesh_json_next(&r->json, p)) {
    r->budget -= 1 + p->count;
    status = r->budget > 0 ? read_primitive(r, p, place) : fail_budget(r);
  }
  return status;
}

static pk_status read_node(glb_reader *r, long index, const glb_place *outer, int depth)
{
  const long most = (long)r->in->size;
  const pki_mesh_json_value *node = list_at(r, NODES, index);
  if (node == NULL || depth > NODE_DEPTH) {
    return fail_glb(r, node == NULL ? PK_ERROR_SYNTAX : PK_ERROR_LIMIT,
                    node == NULL ? "a scene names a node that is not there"
                                 : "nodes are nested too deep, or hold themselves");
  }
  r->budget -= 1 + node->count; /* members cost time to look through */
  if (r->budget <= 0) {
    return fail_budget(r);
  }
  const glb_place inner = node_place(r, node);
  glb_place place;
  pki_mat3_mul(outer->A, inner.A, place.A);
  pki_mat3_apply(outer->A, inner.b, place.b);
  for (int i = 0; i < 3; i++) {
    place.b[i] += outer->b[i];
  }
  const pki_mesh_json_value *mesh = list_at(r, MESHES, pki_mesh_json_index(&r->json, node, "mesh", most, -1));
  pk_status status = mesh != NULL ? read_mesh(r, mesh, &place) : PK_OK;
  const pki_mesh_json_value *children = pki_mesh_json_get(&r->json, node, "children");
  for (const pki_mesh_json_value *c = pki_mesh_json_child(&r->json, children); c != NULL && status == PK_OK;
       c = pki_mesh_json_next(&r->json, c)) {
    const bool whole = c->kind == PKI_MESH_JSON_NUMBER && c->number >= 0 && c->number < (double)most;
    status = read_node(r, whole ? (long)c->number : -1, &place, depth + 1);
  }
  return status;
}

/* The scene that the file names, else its first; all meshes where there is none. */
static pk_status read_scene(glb_reader *r)
{
  const glb_place world = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const long most = (long)r->in->size;
  const pki_mesh_json_value *scene =
      list_at(r, SCENES, pki_mesh_json_index(&r->json, r->json.values, "scene", most, 0));
  const pki_mesh_json_value *roots = pki_mesh_json_get(&r->json, scene, "nodes");
  pk_status status = PK_OK;
  for (const pki_mesh_json_value *n = pki_mesh_json_child(&r->json, roots); n != NULL && status == PK_OK;
       n = pki_mesh_json_next(&r->json, n)) {
    const bool whole = n->kind == PKI_MESH_JSON_NUMBER && n->number >= 0 && n->number < (double)most;
    status = read_node(r, whole ? (long)n->number : -1, &world, 0);
  }
  for (long i = 0; scene == NULL && i < r->count[MESHES] && status == PK_OK; i++) {
    status = read_mesh(r, list_at(r, MESHES, i), &world);
  }
  return status;
}

/* Extensions without which the file cannot be read: compression, mostly. */
static pk_status check_extensions(const glb_reader *r)
{
  const pki_mesh_json_value *needed = pki_mesh_json_get(&r->json, r->json.values, "extensionsRequired");
  for (const pki_mesh_json_value *v = pki_mesh_json_child(&r->json, needed); v != NULL;
       v = pki_mesh_json_next(&r->json, v)) {
    const bool harmless = v->length >= 13 && memcmp(v->at, "KHR_materials", 13) == 0;
    if (!harmless && !pki_mesh_json_is(v, "KHR_texture_transform")) {
      return pki_fail(r->in->err, PK_ERROR_UNSUPPORTED, (pki_where){.file = r->in->file},
                      "the file needs the extension '%.*s'; export it without compression",
                      v->length < 40 ? v->length : 40, v->at);
    }
  }
  return PK_OK;
}

static pk_status fail_json(const glb_reader *r, pk_status status, const char *at)
{
  const pki_where where = {.file = r->in->file};
  return status == PK_ERROR_MEMORY ? pki_mesh_fail_memory(r->in)
         : status == PK_ERROR_LIMIT
             ? pki_fail(r->in->err, status, where, "the scene has more than %d values", PKI_MESH_JSON_MAX)
             : pki_fail(r->in->err, status, where, "the scene is not JSON at byte %zu",
                        (size_t)(at - r->in->data));
}

static pk_status read_glb(glb_reader *r)
{
  static const char *const names[LIST_COUNT] = {"nodes", "meshes", "accessors", "bufferViews", "scenes"};
  const char *text = NULL, *at = NULL;
  size_t size = 0;
  pk_status status = read_chunks(r, &text, &size);
  if (status != PK_OK) {
    return status;
  }
  status = pki_mesh_json_parse(text, size, &r->json, &at);
  if (status != PK_OK) {
    return fail_json(r, status, at);
  }
  for (int i = 0; i < LIST_COUNT; i++) {
    if (!make_list(r, (glb_list)i, names[i])) {
      return pki_mesh_fail_memory(r->in);
    }
  }
  status = check_extensions(r);
  return status == PK_OK ? read_scene(r) : status;
}

pk_status pki_mesh_read_glb(const pki_mesh_input *in, pki_mesh_sink *sink)
{
  glb_reader r = {.in = in, .sink = sink, .budget = (double)INSTANCE_SHARE * (double)in->size};
  const pk_status status = read_glb(&r);
  for (int i = 0; i < LIST_COUNT; i++) {
    free(r.list[i]);
  }
  pki_mesh_json_free(&r.json);
  return status;
}
