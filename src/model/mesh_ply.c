/* PLY, the Stanford polygon format: a header in text that describes records, then the records in text or binary.
 *
 *   ply
 *   format ascii 1.0                          or binary_little_endian, binary_big_endian
 *   element vertex 8
 *   property float x                          y, z; others are skipped
 *   element face 12
 *   property list uchar int vertex_indices    or vertex_index: a polygon
 *   end_header
 *
 * Records of other elements are skipped. Vertices come before the faces that use them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/mesh_internal.h"

enum { ELEMENT_MAX = 32, PROPERTY_MAX = 64 };

/* Types of numbers, each under two names. */
typedef enum ply_type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, TYPE_COUNT } ply_type;

static const char *const type_names[TYPE_COUNT][2] = {
    {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
    {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"}};
static const size_t type_sizes[TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef enum ply_role { ROLE_NONE, ROLE_X, ROLE_Y, ROLE_Z, ROLE_CORNERS } ply_role;

typedef struct ply_property {
  bool is_list;
  ply_type count_type, type;
  ply_role role;
} ply_property;

typedef struct ply_element {
  enum { OTHER, VERTEX, FACE } kind;
  long count;
  ply_property properties[PROPERTY_MAX];
  int nproperty;
} ply_element;

typedef struct ply_reader {
  const pki_mesh_input *in;
  pki_mesh_sink *sink;
  const char *p, *end;
  bool is_text, is_big;
  ply_element elements[ELEMENT_MAX];
  int nelement;
  double *vertex; /* [nvertex][3] */
  int *index;     /* [nvertex] in the sink, -1: not used yet */
  long nvertex;
} ply_reader;

static pk_status fail_ply(const ply_reader *r, const char *what)
{
  const pki_where where = {.file = r->in->file, .line = r->is_text ? pki_mesh_line(r->in, r->p) : 0};
  return pki_fail(r->in->err, PK_ERROR_SYNTAX, where, "%s at byte %zu", what, (size_t)(r->p - r->in->data));
}

/* ---- the header ---- */

/* The next line of the header, without its end; false at the end of the file. */
static bool next_line(ply_reader *r, char line[256])
{
  size_t n = 0;
  if (r->p == r->end) {
    return false;
  }
  while (r->p < r->end && *r->p != '\n' && *r->p != '\r') {
    if (n < 255) {
      line[n++] = *r->p;
    }
    r->p++;
  }
  line[n] = '\0';
  if (r->p < r->end && *r->p == '\r') {
    r->p++;
  }
  if (r->p < r->end && *r->p == '\n') {
    r->p++;
  }
  return true;
}

static int find_type(const char *word)
{
  for (int i = 0; i < TYPE_COUNT; i++) {
    if (strcmp(word, type_names[i][0]) == 0 || strcmp(word, type_names[i][1]) == 0) {
      return i;
    }
  }
  return -1;
}

static ply_role find_role(const ply_element *e, bool is_list, const char *name)
{
  if (e->kind == VERTEX && !is_list && name[0] >= 'x' && name[0] <= 'z' && name[1] == '\0') {
    return (ply_role)(ROLE_X + (name[0] - 'x'));
  }
  const bool corners = strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0;
  return e->kind == FACE && is_list && corners ? ROLE_CORNERS : ROLE_NONE;
}

static pk_status read_property(ply_reader *r, const char *line)
{
  char count[32], type[32], name[64];
  ply_element *e = r->nelement > 0 ? &r->elements[r->nelement - 1] : NULL;
  const bool is_list = sscanf(line, "property list %31s %31s %63s", count, type, name) == 3;
  if (!is_list && sscanf(line, "property %31s %63s", type, name) != 2) {
    return fail_ply(r, "a property is not 'property TYPE NAME' or 'property list TYPE TYPE NAME'");
  }
  if (e == NULL || e->nproperty == PROPERTY_MAX) {
    return fail_ply(r,
                    e == NULL ? "a property comes before its element" : "an element has too many properties");
  }
  const int value_type = find_type(type), count_type = is_list ? find_type(count) : UINT8;
  if (value_type < 0 || count_type < 0 || count_type >= FLOAT32) {
    return fail_ply(r, "a property has an unknown type");
  }
  e->properties[e->nproperty++] = (ply_property){.is_list = is_list,
                                                 .count_type = (ply_type)count_type,
                                                 .type = (ply_type)value_type,
                                                 .role = find_role(e, is_list, name)};
  return PK_OK;
}

static pk_status read_element(ply_reader *r, const char *line)
{
  char name[64], digits[32];
  long count = -1;
  const char *cursor = digits;
  if (sscanf(line, "element %63s %31s", name, digits) != 2 ||
      !pki_parse_int(&cursor, digits + strlen(digits), &count) || count < 0) {
    return fail_ply(r, "an element is not 'element NAME COUNT'");
  }
  if (r->nelement == ELEMENT_MAX) {
    return fail_ply(r, "there are too many elements");
  }
  ply_element *e = &r->elements[r->nelement++];
  e->kind = strcmp(name, "vertex") == 0 ? VERTEX : strcmp(name, "face") == 0 ? FACE : OTHER;
  e->count = count;
  return PK_OK;
}

static pk_status read_header(ply_reader *r)
{
  char line[256], format[32];
  bool has_format = false;
  if (!next_line(r, line) || strcmp(line, "ply") != 0) {
    return fail_ply(r, "the file does not begin with 'ply'");
  }
  while (next_line(r, line)) {
    pk_status status = PK_OK;
    if (strcmp(line, "end_header") == 0) {
      return has_format ? PK_OK : fail_ply(r, "the header has no 'format'");
    }
    if (sscanf(line, "format %31s", format) == 1) {
      r->is_text = strcmp(format, "ascii") == 0;
      r->is_big = strcmp(format, "binary_big_endian") == 0;
      has_format = r->is_text || r->is_big || strcmp(format, "binary_little_endian") == 0;
      status = has_format ? PK_OK : fail_ply(r, "the format is none of ascii and binary_*_endian");
    } else if (strncmp(line, "element ", 8) == 0) {
      status = read_element(r, line);
    } else if (strncmp(line, "property ", 9) == 0) {
      status = read_property(r, line);
    } else if (strncmp(line, "comment", 7) != 0 && strncmp(line, "obj_info", 8) != 0 && line[0] != '\0') {
      status = fail_ply(r, "the header has a line that is none of format, element, property, comment");
    }
    if (status != PK_OK) {
      return status;
    }
  }
  return fail_ply(r, "the header has no 'end_header'");
}

/* ---- records ---- */

static double binary_number(const ply_reader *r, ply_type type)
{
  const size_t size = type_sizes[type];
  uint64_t bits = 0;
  for (size_t i = 0; i < size; i++) {
    bits |= (uint64_t)(unsigned char)r->p[r->is_big ? size - 1 - i : i] << (8 * i);
  }
  float single;
  double value;
  const uint32_t low = (uint32_t)bits;
  switch (type) {
  case INT8: return (int8_t)bits;
  case INT16: return (int16_t)bits;
  case INT32: return (int32_t)bits;
  case FLOAT32: memcpy(&single, &low, sizeof single); return single;
  case FLOAT64: memcpy(&value, &bits, sizeof value); return value;
  default: return (double)bits;
  }
}

static pk_status read_value(ply_reader *r, ply_type type, double *out)
{
  if (r->is_text) {
    pki_skip_blanks(&r->p, r->end);
    if (!pki_parse_real(&r->p, r->end, out)) {
      return fail_ply(r,
                      r->p == r->end ? "the file ends where a number was expected" : "a number was expected");
    }
    return PK_OK;
  }
  if ((size_t)(r->end - r->p) < type_sizes[type]) {
    return fail_ply(r, "the file ends where a number was expected");
  }
  *out = binary_number(r, type);
  r->p += type_sizes[type];
  return PK_OK;
}

/* The vertex of a corner in the sink. */
static pk_status find_corner(ply_reader *r, double value, int *corner)
{
  const long i = value >= 0 && value < (double)r->nvertex ? (long)value : -1;
  if (i < 0) {
    return pki_fail(r->in->err, PK_ERROR_SYNTAX, (pki_where){.file = r->in->file},
                    "a face names vertex %.0f; the file's vertices before it are 0 to %ld", value,
                    r->nvertex - 1);
  }
  pk_status status = PK_OK;
  if (r->index[i] < 0) {
    status = pki_mesh_sink_vertex(r->sink, r->vertex + 3 * i, &r->index[i]);
  }
  *corner = r->index[i];
  return status;
}

/* A polygon as a fan around its first corner. */
static pk_status read_corners(ply_reader *r, const ply_property *p, double count)
{
  int first = 0, before = 0, corner = 0;
  for (double k = 0; k < count; k++) {
    double value;
    pk_status status = read_value(r, p->type, &value);
    status = status == PK_OK ? find_corner(r, value, &corner) : status;
    if (status == PK_OK && k >= 2) {
      status = pki_mesh_sink_triangle(r->sink, first, before, corner);
    }
    if (status != PK_OK) {
      return status;
    }
    first = k == 0 ? corner : first;
    before = corner;
  }
  return PK_OK;
}

static pk_status read_record(ply_reader *r, const ply_element *e, double x[3])
{
  for (int i = 0; i < e->nproperty; i++) {
    const ply_property *p = &e->properties[i];
    double value = 0;
    pk_status status = read_value(r, p->is_list ? p->count_type : p->type, &value);
    if (status != PK_OK) {
      return status;
    }
    if (p->is_list && (value < 0 || value > (double)(r->end - r->p))) {
      return fail_ply(r, "a list is longer than the file");
    }
    if (p->role == ROLE_CORNERS) {
      status = read_corners(r, p, value);
    } else if (p->is_list) {
      double ignored;
      for (double k = 0; k < value && status == PK_OK; k++) {
        status = read_value(r, p->type, &ignored);
      }
    } else if (p->role != ROLE_NONE) {
      x[p->role - ROLE_X] = value;
    }
    if (status != PK_OK) {
      return status;
    }
  }
  return PK_OK;
}

/* Room for the vertices, once it is known that as many bytes are there. */
static pk_status make_room(ply_reader *r, long count)
{
  free(r->vertex), free(r->index);
  r->nvertex = 0;
  r->vertex = malloc(((size_t)count + 1) * 3 * sizeof *r->vertex);
  r->index = malloc(((size_t)count + 1) * sizeof *r->index);
  if (r->vertex == NULL || r->index == NULL) {
    return pki_mesh_fail_memory(r->in);
  }
  memset(r->index, -1, (size_t)count * sizeof *r->index);
  return PK_OK;
}

/* A vertex without one of its coordinates would lie at zero along it. */
static bool has_coordinates(const ply_element *e)
{
  bool found[3] = {false, false, false};
  for (int i = 0; i < e->nproperty; i++) {
    const ply_role role = e->properties[i].role;
    if (role >= ROLE_X && role <= ROLE_Z) {
      found[role - ROLE_X] = true;
    }
  }
  return found[0] && found[1] && found[2];
}

static pk_status read_records(ply_reader *r, const ply_element *e)
{
  if (e->nproperty == 0) {
    return PK_OK;
  }
  if (e->count > r->end - r->p) {
    return fail_ply(r, "an element counts more records than the file has bytes");
  }
  if (e->kind == VERTEX && e->count > 0 && !has_coordinates(e)) {
    return fail_ply(r, "the vertices have no property x, y or z");
  }
  pk_status status = e->kind == VERTEX ? make_room(r, e->count) : PK_OK;
  for (long i = 0; i < e->count && status == PK_OK; i++) {
    double x[3] = {0, 0, 0};
    status = read_record(r, e, x);
    if (status == PK_OK && e->kind == VERTEX) {
      if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
        return pki_fail(r->in->err, PK_ERROR_NONFINITE, (pki_where){.file = r->in->file},
                        "vertex %ld has a coordinate that is not finite", i);
      }
      memcpy(r->vertex + 3 * i, x, sizeof x);
      r->nvertex = i + 1;
    }
  }
  return status;
}

pk_status pki_mesh_read_ply(const pki_mesh_input *in, pki_mesh_sink *sink)
{
  ply_reader *r = calloc(1, sizeof *r);
  if (r == NULL) {
    return pki_mesh_fail_memory(in);
  }
  r->in = in, r->sink = sink, r->p = in->data, r->end = in->data + in->size;
  r->is_text = true; /* the header is */
  pk_status status = read_header(r);
  for (int i = 0; i < r->nelement && status == PK_OK; i++) {
    status = read_records(r, &r->elements[i]);
  }
  free(r->vertex), free(r->index), free(r);
  return status;
}
