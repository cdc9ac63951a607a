/* MSH, the binary format of meshes that MuJoCo had before others:
 *
 *   int32 nvertex, nnormal, ntexcoord, nface
 *   float32 vertex[nvertex][3], normal[nnormal][3], texcoord[ntexcoord][2]; int32 face[nface][3]
 *
 * Numbers are little-endian. Normals and texture coordinates are not used. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "model/mesh_internal.h"

enum { HEADER = 16 };

static uint32_t take_uint(const char *p)
{
  return (uint32_t)pki_take_bytes((const unsigned char *)p, 4);
}

/* The coordinates of a vertex of the file, which must be finite. */
static pk_status read_vertex(const pki_mesh_input *in, uint32_t index, double x[3])
{
  for (size_t axis = 0; axis < 3; axis++) {
    const size_t at = HEADER + 12 * (size_t)index + 4 * axis;
    const uint32_t bits = take_uint(in->data + at);
    float value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) {
      return pki_fail(in->err, PK_ERROR_NONFINITE, (pki_where){.file = in->file},
                      "vertex %lu has a coordinate that is %f at byte %zu; expected finite numbers",
                      (unsigned long)index, (double)value, at);
    }
    x[axis] = value;
  }
  return PK_OK;
}

static pk_status read_faces(const pki_mesh_input *in, pki_mesh_sink *sink, const uint32_t count[4])
{
  const size_t start = HEADER + 12 * (size_t)count[0] + 12 * (size_t)count[1] + 8 * (size_t)count[2];
  for (uint32_t i = 0; i < count[3]; i++) {
    int corner[3];
    for (size_t k = 0; k < 3; k++) {
      const uint32_t index = take_uint(in->data + start + 12 * (size_t)i + 4 * k);
      double x[3];
      if (index >= count[0]) {
        return pki_fail(in->err, PK_ERROR_SYNTAX, (pki_where){.file = in->file},
                        "face %lu has vertex %lu, but there are %lu", (unsigned long)i, (unsigned long)index,
                        (unsigned long)count[0]);
      }
      pk_status status = read_vertex(in, index, x);
      status = status == PK_OK ? pki_mesh_sink_vertex(sink, x, &corner[k]) : status;
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

pk_status pki_mesh_read_msh(const pki_mesh_input *in, pki_mesh_sink *sink)
{
  uint32_t count[4] = {0, 0, 0, 0};
  for (size_t i = 0; i < 4 && in->size >= HEADER; i++) {
    count[i] = take_uint(in->data + 4 * i);
  }
  const uint64_t size = HEADER + 12 * (uint64_t)count[0] + 12 * (uint64_t)count[1] + 8 * (uint64_t)count[2] +
                        12 * (uint64_t)count[3];
  if (in->size < HEADER || size != in->size) {
    return pki_fail(in->err, PK_ERROR_SYNTAX, (pki_where){.file = in->file},
                    "the file has %zu bytes, but its first numbers ask for %llu; it is truncated or no MSH "
                    "file of MuJoCo",
                    in->size, (unsigned long long)size);
  }
  return read_faces(in, sink, count);
}
