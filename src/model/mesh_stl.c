/* STL, the format of 3D Systems' stereolithography machines: triangles without shared vertices.
 *
 *   binary: 80 bytes of anything, uint32 n, then n times { float32 normal[3], corner[3][3]; uint16 }
 *   text:   solid NAME { facet normal X Y Z outer loop { vertex X Y Z } x 3 endloop endfacet } endsolid NAME
 *
 * Numbers in binary files are little-endian. Normals are not used: the corners' order gives them. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "model/mesh_internal.h"

enum { HEADER = 84, RECORD = 50 };

/* ---- binary ---- */

static uint32_t little_uint32(const char *p)
{
  const unsigned char *b = (const unsigned char *)p;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double little_float(const char *p)
{
  const uint32_t bits = little_uint32(p);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static pk_status read_binary(const pki_mesh_input *in, pki_mesh_sink *sink)
{
  const uint32_t count = little_uint32(in->data + HEADER - 4);
  if (count > PKI_MESH_MAX_TRIANGLES) {
    return pki_fail(in->err, PK_ERROR_LIMIT, (pki_where){.file = in->file},
                    "the file has %lu triangles; at most %d are read", (unsigned long)count,
                    (int)PKI_MESH_MAX_TRIANGLES);
  }
  for (uint32_t i = 0; i < count; i++) {
    const size_t offset = HEADER + RECORD * (size_t)i + 12;
    int corner[3];
    for (size_t k = 0; k < 3; k++) {
      double x[3];
      for (size_t axis = 0; axis < 3; axis++) {
        const size_t at = offset + 12 * k + 4 * axis;
        x[axis] = little_float(in->data + at);
        if (!isfinite(x[axis])) {
          return pki_fail(in->err, PK_ERROR_NONFINITE, (pki_where){.file = in->file},
                          "triangle %lu has a coordinate that is %f at byte %zu; expected finite numbers",
                          (unsigned long)i + 1, x[axis], at);
        }
      }
      const pk_status status = pki_mesh_sink_vertex(sink, x, &corner[k]);
      if (status != PK_OK) {
        return status;
      }
    }
    const pk_status status = pki_mesh_sink_triangle(sink, corner[0], corner[1], corner[2]);
    if (status != PK_OK) {
      return status;
    }
  }
  return PK_OK;
}

/* ---- text ---- */

typedef struct stl_text {
  const pki_mesh_input *in;
  const char *p, *end;
} stl_text;

/* Where the word at p ends. */
static const char *word_end(const char *p, const char *end)
{
  while (p < end && (unsigned char)*p > ' ') {
    p++;
  }
  return p;
}

/* Whether the whole word at p is `word` (given in lower case), in any case of its own. */
static bool word_is(const char *p, const char *end, const char *word)
{
  const size_t length = strlen(word);
  if ((size_t)(word_end(p, end) - p) != length) {
    return false;
  }
  for (size_t i = 0; i < length; i++) {
    if ((p[i] | 0x20) != word[i]) {
      return false;
    }
  }
  return true;
}

/* The reader stands on something else than `expected`. */
static pk_status fail_text(const stl_text *t, const char *expected)
{
  const pki_where where = {.file = t->in->file, .line = pki_mesh_line(t->in, t->p)};
  if (t->p == t->end) {
    return pki_fail(t->in->err, PK_ERROR_SYNTAX, where,
                    "the file ends where %s was expected; it is not complete", expected);
  }
  return pki_fail(t->in->err, PK_ERROR_SYNTAX, where, "found '%s' where %s was expected",
                  pki_mesh_quote(t->p, t->end).text, expected);
}

/* Step over `word`, or fail. */
static pk_status expect_word(stl_text *t, const char *word, const char *quoted)
{
  pki_skip_blanks(&t->p, t->end);
  if (!word_is(t->p, t->end, word)) {
    return fail_text(t, quoted);
  }
  t->p = word_end(t->p, t->end);
  return PK_OK;
}

/* A name fills the rest of its line, unless the first facet stands on it too. */
static void skip_name(stl_text *t)
{
  const char *p = t->p;
  while (p < t->end && *p != '\n' && *p != '\r') {
    if (word_is(p, t->end, "facet")) {
      const char *next = word_end(p, t->end);
      pki_skip_blanks(&next, t->end);
      if (word_is(next, t->end, "normal")) {
        break;
      }
    }
    const char *next = word_end(p, t->end);
    p = next > p ? next : p + 1;
  }
  t->p = p;
}

/* vertex X Y Z */
static pk_status read_vertex(stl_text *t, pki_mesh_sink *sink, int *index)
{
  double x[3];
  pk_status status = expect_word(t, "vertex", "'vertex'");
  for (int i = 0; i < 3 && status == PK_OK; i++) {
    pki_skip_blanks(&t->p, t->end);
    const char *start = t->p;
    if (!pki_parse_real(&t->p, t->end, &x[i]) || word_end(t->p, t->end) != t->p) {
      t->p = start;
      return fail_text(t, "a coordinate");
    }
    if (!isfinite(x[i])) {
      return pki_fail(
          t->in->err, PK_ERROR_NONFINITE,
          (pki_where){.file = t->in->file, .line = pki_mesh_line(t->in, start), .field = "vertex"},
          "found the coordinate '%s'; expected a finite number", pki_mesh_quote(start, t->end).text);
    }
  }
  return status == PK_OK ? pki_mesh_sink_vertex(sink, x, index) : status;
}

/* normal X Y Z outer loop { vertex X Y Z } x 3 endloop endfacet. The normal may be anything:
 * writers put "nan" there when a triangle has no area. */
static pk_status read_facet(stl_text *t, pki_mesh_sink *sink)
{
  pk_status status = expect_word(t, "normal", "'normal' after 'facet'");
  for (int i = 0; i < 3 && status == PK_OK; i++) {
    pki_skip_blanks(&t->p, t->end);
    if (t->p == t->end) {
      return fail_text(t, "a facet's normal");
    }
    t->p = word_end(t->p, t->end);
  }
  status = status == PK_OK ? expect_word(t, "outer", "'outer loop'") : status;
  status = status == PK_OK ? expect_word(t, "loop", "'loop' after 'outer'") : status;
  int corner[3] = {0, 0, 0};
  for (int i = 0; i < 3 && status == PK_OK; i++) {
    status = read_vertex(t, sink, &corner[i]);
  }
  status = status == PK_OK ? expect_word(t, "endloop", "'endloop' after three vertices") : status;
  status = status == PK_OK ? expect_word(t, "endfacet", "'endfacet'") : status;
  return status == PK_OK ? pki_mesh_sink_triangle(sink, corner[0], corner[1], corner[2]) : status;
}

static pk_status read_text(const pki_mesh_input *in, const char *start, pki_mesh_sink *sink)
{
  stl_text t = {.in = in, .p = start, .end = in->data + in->size};
  while (t.p < t.end) {
    pk_status status = expect_word(&t, "solid", "'solid' or the end of the file");
    if (status != PK_OK) {
      return status;
    }
    skip_name(&t);
    for (;;) {
      pki_skip_blanks(&t.p, t.end);
      if (word_is(t.p, t.end, "endsolid")) {
        break;
      }
      status = expect_word(&t, "facet", "'facet' or 'endsolid'");
      status = status == PK_OK ? read_facet(&t, sink) : status;
      if (status != PK_OK) {
        return status;
      }
    }
    t.p = word_end(t.p, t.end);
    skip_name(&t);
    pki_skip_blanks(&t.p, t.end);
  }
  return PK_OK;
}

/* ---- which of the two ---- */

pk_status pki_mesh_read_stl(const pki_mesh_input *in, pki_mesh_sink *sink)
{
  const char *start = in->data, *end = in->data + in->size;
  /* Many binary files begin with "solid" too, so the size decides first. No text can pass for
   * binary: four printable characters would be a count of more than 500 million. */
  const uint32_t count = in->size >= HEADER ? little_uint32(in->data + HEADER - 4) : 0;
  const uint64_t size = HEADER + RECORD * (uint64_t)count;
  if (in->size >= HEADER && size == in->size) {
    return read_binary(in, sink);
  }
  if (in->size >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0) {
    start += 3; /* a byte order mark */
  }
  pki_skip_blanks(&start, end);
  const size_t head = in->size < HEADER ? in->size : HEADER;
  if (word_is(start, end, "solid") && memchr(in->data, '\0', head) == NULL) {
    return read_text(in, start, sink);
  }
  if (in->size < HEADER) {
    return pki_fail(
        in->err, PK_ERROR_SYNTAX, (pki_where){.file = in->file},
        "the file has %zu bytes and does not begin with 'solid'; a binary STL has at least %d bytes",
        in->size, (int)HEADER);
  }
  return pki_fail(
      in->err, PK_ERROR_SYNTAX, (pki_where){.file = in->file},
      "the count at byte %d says %lu triangles, which take %llu bytes, but the file has %zu; it is %s",
      (int)HEADER - 4, (unsigned long)count, (unsigned long long)size, in->size,
      size > in->size ? "truncated or no STL file" : "followed by other data or no STL file");
}
