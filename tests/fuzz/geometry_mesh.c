/* Any triangles at all become a geometry or a message; a geometry answers every query with sound numbers.
 *
 * The first byte says how the rest is read: bit 0: the hull of the mesh instead of the mesh; bits 1 and 2: coordinates as
 * small whole numbers, as floats, as an STL file; bits 3 to 5: how large it is. The second byte is the number of
 * vertices; corners of triangles are bytes. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/mesh.h"
#include "pronk/collision.h"

enum { MOST_TRIANGLES = 100, SHAPES = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
  if (!holds) {
    abort();
  }
}

static bool is_unit(const double n[3])
{
  return fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-6;
}

/* Triangles from the bytes; false: none. */
static bool read_mesh(const uint8_t *data, size_t size, pki_mesh *out)
{
  *out = (pki_mesh){0};
  if (size < 3) {
    return false;
  }
  static const double scales[8] = {1, 1e-6, 1e6, 1e-3, 1e-30, 1e12, 1e-150, 1e300};
  const double scale = scales[data[0] >> 3 & 7];
  const int way = data[0] >> 1 & 3;
  if (way == 3) {
    pk_error err;
    return pki_mesh_parse("stl", "input", data + 1, size - 1, out, &err) == PK_OK &&
           out->ntriangle <= MOST_TRIANGLES;
  }
  const size_t width = way == 2 ? 12 : 3, nvertex = 1 + data[1] % 64;
  data += 2, size -= 2;
  if (size < nvertex * width + 3) {
    return false;
  }
  const size_t rest = (size - nvertex * width) / 3;
  out->nvertex = (int)nvertex, out->ntriangle = rest < MOST_TRIANGLES ? (int)rest : MOST_TRIANGLES;
  out->vertex = malloc(3 * nvertex * sizeof *out->vertex);
  out->triangle = malloc(3 * (size_t)out->ntriangle * sizeof *out->triangle);
  need(out->vertex != NULL && out->triangle != NULL);
  for (size_t i = 0; i < 3 * nvertex; i++) {
    float x = (float)(int8_t)data[way == 2 ? 0 : i] / (way == 0 ? 16 : 1);
    if (way == 2) {
      memcpy(&x, data + 4 * i, sizeof x);
    }
    out->vertex[i] = scale * x;
  }
  for (int i = 0; i < 3 * out->ntriangle; i++) {
    /* now and then one that is not there */
    const int v = data[nvertex * width + (size_t)i];
    out->triangle[i] = v >= 250 ? v - 252 : v % (int)nvertex;
  }
  return true;
}

static void check_pair(const pk_geometry *a, const pk_pose *pa, const pk_geometry *b, const pk_pose *pb,
                       double size)
{
  pk_proximity near;
  pk_touch_point touch[PK_TOUCH_MOST];
  if (pk_geometry_distance(a, pa, b, pb, INFINITY, &near)) {
    need(isfinite(near.distance) && is_unit(near.normal));
    for (int k = 0; k < 3; k++) {
      need(isfinite(near.point[0][k]) && isfinite(near.point[1][k]));
    }
  }
  const double margin = 0.1 * size;
  const int n = pk_geometry_touch(a, pa, b, pb, margin, touch);
  need(n >= 0 && n <= PK_TOUCH_MOST);
  for (int i = 0; i < n; i++) {
    need(touch[i].gap <= margin && isfinite(touch[i].gap) && is_unit(touch[i].normal));
  }
}

static void ask(const pk_geometry *g, double size)
{
  pk_geometry *shape[SHAPES] = {NULL};
  const pk_geometry_desc desc[SHAPES] = {{.kind = PK_SHAPE_SPHERE, .size = {0.4 * size, 0, 0}},
                                         {.kind = PK_SHAPE_BOX, .size = {size, 0.5 * size, 0.3 * size}},
                                         {.kind = PK_SHAPE_CAPSULE, .size = {0.1 * size, size, 0}},
                                         {.kind = PK_SHAPE_CYLINDER, .size = {0.5 * size, 0.5 * size, 0}}};
  pk_pose pose = pk_pose_identity(), here = pk_pose_identity();
  const double turned[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
  for (int place = 0; place < 3; place++) {
    pose.pos[0] = 0.7 * size * place, pose.pos[2] = 0.3 * size * place;
    if (place == 1) {
      memcpy(pose.rot, turned, sizeof turned);
    }
    for (int i = 0; i < SHAPES; i++) {
      if (place == 0) {
        need(pk_geometry_create(&desc[i], &shape[i], NULL) == PK_OK);
      }
      check_pair(shape[i], &pose, g, &here, size);
    }
    check_pair(g, &pose, g, &here, size);
    pk_ray_hit hit;
    const double from[3] = {3 * size, 0.1 * size * place, 0}, along[3] = {-1, 0, 0.1 * place};
    if (pk_geometry_ray(g, &here, from, along, INFINITY, &hit)) {
      need(isfinite(hit.distance) && hit.distance >= 0 && is_unit(hit.normal));
    }
  }
  for (int i = 0; i < SHAPES; i++) {
    pk_geometry_destroy(shape[i]);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  pki_mesh mesh;
  if (read_mesh(data, size, &mesh)) {
    pk_geometry *g = NULL;
    pk_error err = {PK_OK, 0, "", "", ""};
    const pk_mesh view = {"input", mesh.nvertex, mesh.ntriangle, mesh.vertex, mesh.triangle};
    const pk_geometry_desc desc = {.kind = data[0] & 1 ? PK_SHAPE_CONVEX : PK_SHAPE_MESH, .mesh = &view};
    const pk_status status = pk_geometry_create(&desc, &g, &err);
    if (status == PK_OK) {
      double most = 0;
      for (int i = 0; i < 3 * mesh.nvertex; i++) {
        most = fmax(most, fabs(mesh.vertex[i]));
      }
      /* shapes of a size that the rest of the engine works with */
      ask(g, fmin(fmax(most, 1e-7), 1e8));
    } else {
      need(g == NULL && err.status == status && err.message[0] != '\0');
    }
    pk_geometry_destroy(g);
  }
  pki_mesh_free(&mesh);
  return 0;
}
