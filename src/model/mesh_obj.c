/* Wavefront OBJ: lines of text, each a keyword and its arguments.
 *
 *   v X Y Z [W or a colour]      a vertex
 *   f A B C ...                  a polygon; a corner is v, v/vt, v//vn or v/vt/vn, counted from 1,
 *                                or from -1 backwards among the vertices so far
 *
 * All other lines (normals, texture, groups, materials, curves) say nothing about the shape of
 * the surface. A line that ends in a backslash goes on in the next. Two passes: the first reads
 * the vertices, so that a face may name a vertex that comes after it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/mesh_internal.h"

typedef struct obj_reader {
  const pki_mesh_input *in;
  const char *p, *end; /* what is left of the file */
  double *vertex;      /* [nvertex][3] as in the file */
  int nvertex;
  int nvertex_so_far; /* before the line that the second pass reads */
} obj_reader;

static bool is_line_end(char c)
{
  return c == '\n' || c == '\r';
}

/* The length of a backslash with its end of line at p, 0 when there is none. */
static size_t continuation_length(const char *p, const char *end)
{
  if (p == end || *p != '\\' || p + 1 == end || !is_line_end(p[1])) {
    return 0;
  }
  return p + 2 < end && p[1] == '\r' && p[2] == '\n' ? 3 : 2;
}

/* Blanks and continuations, but not the end of the line. */
static void skip_gap(obj_reader *r)
{
  for (;;) {
    const size_t joint = continuation_length(r->p, r->end);
    if (joint > 0) {
      r->p += joint;
    } else if (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\v' || *r->p == '\f')) {
      r->p++;
    } else {
      return;
    }
  }
}

/* The reader stands behind the last argument of a line. A comment ends it as well. */
static bool at_line_end(const obj_reader *r)
{
  return r->p == r->end || is_line_end(*r->p) || *r->p == '#';
}

/* The reader stands behind a complete argument. */
static bool at_gap(const obj_reader *r)
{
  return at_line_end(r) || (unsigned char)*r->p <= ' ' || continuation_length(r->p, r->end) > 0;
}

/* To the beginning of the next line; a comment goes on after a backslash as all lines do. */
static void skip_line(obj_reader *r)
{
  while (r->p < r->end && !is_line_end(*r->p)) {
    const size_t joint = continuation_length(r->p, r->end);
    r->p += joint > 0 ? joint : 1;
  }
  while (r->p < r->end && is_line_end(*r->p)) {
    r->p++;
  }
}

/* Step over the keyword when the line begins with it. */
static bool take_keyword(obj_reader *r, char keyword)
{
  skip_gap(r);
  const char *next = r->p + 1;
  if (r->p == r->end || *r->p != keyword ||
      !(next == r->end || (unsigned char)*next <= ' ' || *next == '\\')) {
    return false;
  }
  r->p++;
  return true;
}

static pki_where reader_location(const obj_reader *r, const char *at, const char *field)
{
  return (pki_where){.file = r->in->file, .line = pki_mesh_line(r->in, at), .field = field};
}

/* ---- vertices ---- */

static pk_status read_vertex(obj_reader *r, double x[3])
{
  for (int i = 0; i < 3; i++) {
    skip_gap(r);
    const char *start = r->p;
    if (at_line_end(r)) {
      return pki_fail(r->in->err, PK_ERROR_SYNTAX, reader_location(r, start, "v"),
                      "a vertex has %d coordinate%s; expected 'v X Y Z'", i, i == 1 ? "" : "s");
    }
    if (!pki_parse_real(&r->p, r->end, &x[i]) || !at_gap(r)) {
      return pki_fail(r->in->err, PK_ERROR_SYNTAX, reader_location(r, start, "v"),
                      "found '%s' where a coordinate was expected", pki_mesh_quote(start, r->end).text);
    }
    if (!isfinite(x[i])) {
      return pki_fail(r->in->err, PK_ERROR_NONFINITE, reader_location(r, start, "v"),
                      "found the coordinate '%s'; expected a finite number",
                      pki_mesh_quote(start, r->end).text);
    }
  }
  return PK_OK;
}

static pk_status read_vertices(obj_reader *r)
{
  size_t room = 0;
  for (; r->p < r->end; skip_line(r)) {
    if (!take_keyword(r, 'v')) {
      continue;
    }
    const size_t n = (size_t)r->nvertex;
    double *vertex = pki_mesh_grow(r->vertex, n, 1, 3 * sizeof *vertex, &room);
    if (vertex == NULL) {
      return pki_mesh_fail_memory(r->in);
    }
    r->vertex = vertex;
    const pk_status status = read_vertex(r, vertex + 3 * n);
    if (status != PK_OK) {
      return status;
    }
    r->nvertex++;
  }
  return PK_OK;
}

/* ---- faces ---- */

/* One corner; the indices of texture and normal are read but not used. */
static pk_status read_corner(obj_reader *r, int *vertex)
{
  const char *start = r->p;
  long index[3] = {0, 0, 0};
  bool good = pki_parse_int(&r->p, r->end, &index[0]);
  for (int i = 1; i < 3 && good && r->p < r->end && *r->p == '/'; i++) {
    r->p++;
    const bool left_out = at_gap(r) || *r->p == '/';
    good = left_out || pki_parse_int(&r->p, r->end, &index[i]);
  }
  if (!good || !at_gap(r)) {
    return pki_fail(r->in->err, PK_ERROR_SYNTAX, reader_location(r, start, "f"),
                    "found '%s' where a corner (v, v/vt, v//vn or v/vt/vn) was expected",
                    pki_mesh_quote(start, r->end).text);
  }
  if (index[0] == 0 || index[0] > r->nvertex) {
    return pki_fail(r->in->err, PK_ERROR_SYNTAX, reader_location(r, start, "f"),
                    "a corner names vertex %ld; the file's vertices are 1 to %d", index[0], r->nvertex);
  }
  if (index[0] < -(long)r->nvertex_so_far) {
    return pki_fail(
        r->in->err, PK_ERROR_SYNTAX, reader_location(r, start, "f"),
        "a corner names vertex %ld, counted backwards, but only %d vertices come before this line", index[0],
        r->nvertex_so_far);
  }
  *vertex = (int)(index[0] > 0 ? index[0] - 1 : r->nvertex_so_far + index[0]);
  return PK_OK;
}

/* A polygon with corners 1 .. n becomes the triangles 1 2 3, 1 3 4, ... */
static pk_status read_face(obj_reader *r, pki_mesh_sink *sink)
{
  const char *start = r->p;
  int first = 0, last = 0, count = 0;
  for (skip_gap(r); !at_line_end(r); skip_gap(r)) {
    int vertex = 0, corner = 0;
    pk_status status = read_corner(r, &vertex);
    status = status == PK_OK ? pki_mesh_sink_vertex(sink, r->vertex + 3 * (size_t)vertex, &corner) : status;
    if (status == PK_OK && count >= 2) {
      status = pki_mesh_sink_triangle(sink, first, last, corner);
    }
    if (status != PK_OK) {
      return status;
    }
    first = count == 0 ? corner : first;
    last = corner;
    count++;
  }
  if (count < 3) {
    return pki_fail(r->in->err, PK_ERROR_SYNTAX, reader_location(r, start, "f"),
                    "a face has %d corner%s; expected at least 3", count, count == 1 ? "" : "s");
  }
  return PK_OK;
}

static pk_status read_faces(obj_reader *r, pki_mesh_sink *sink)
{
  for (; r->p < r->end; skip_line(r)) {
    if (take_keyword(r, 'v')) {
      r->nvertex_so_far++;
      continue;
    }
    const pk_status status = take_keyword(r, 'f') ? read_face(r, sink) : PK_OK;
    if (status != PK_OK) {
      return status;
    }
  }
  return PK_OK;
}

pk_status pki_mesh_read_obj(const pki_mesh_input *in, pki_mesh_sink *sink)
{
  const char *start = in->data;
  if (in->size >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0) {
    start += 3; /* a byte order mark */
  }
  const char *nul = memchr(start, '\0', (size_t)(in->data + in->size - start));
  if (nul != NULL) {
    return pki_fail(in->err, PK_ERROR_SYNTAX, (pki_where){.file = in->file},
                    "byte %zu is zero; an OBJ file is text", (size_t)(nul - in->data));
  }
  obj_reader r = {.in = in, .p = start, .end = in->data + in->size};
  pk_status status = read_vertices(&r);
  if (status == PK_OK && r.nvertex == 0) {
    status = pki_fail(in->err, PK_ERROR_SYNTAX, (pki_where){.file = in->file},
                      "the file has no vertex; expected lines 'v X Y Z' and 'f A B C'");
  }
  r.p = start;
  status = status == PK_OK ? read_faces(&r, sink) : status;
  free(r.vertex);
  return status;
}
