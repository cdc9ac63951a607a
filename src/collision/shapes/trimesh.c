/* A triangle mesh made ready: checked, mended, joined, its tree planted.
 *
 *   weld      vertices at one place become one
 *   sift      triangles with two equal corners and repeated ones go
 *   join      neighbours, orientation, whether it is closed (trimesh_edges.c)
 *   sweep     triangles without area go: only now, since they may fill the joints of others
 *   plant     the tree (trimesh_tree.c)
 *
 * All of it takes n log n at most and no recursion. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "collision/shapes/trimesh.h"
#include "collision/shapes/volume.h"
#include "math/mat3.h"
#include "model/mesh.h"

static const double FAR = 1e30;     /* m: beyond it squares of squares leave the range of numbers */
static const double SLIVER = 1e-12; /* of the farthest coordinate: lower triangles have no area */

/* ---- checks ---- */

static pk_status check_mesh(const pk_mesh *mesh, pk_error *err)
{
  const pki_where where = {.file = mesh->name, .field = "mesh"};
  if (mesh->ntriangle < 1 || mesh->nvertex < 1 || mesh->vertex == NULL || mesh->triangle == NULL) {
    return pki_fail(err, PK_ERROR_MESH, where, "the mesh has %d vertices and %d triangles, expected some",
                    mesh->nvertex, mesh->ntriangle);
  }
  if (mesh->ntriangle > PKI_MESH_MAX_TRIANGLES) {
    return pki_fail(err, PK_ERROR_LIMIT, where,
                    "the mesh has %d triangles, expected at most %d; reduce it (MeshLab: Simplification, "
                    "Blender: Decimate)",
                    mesh->ntriangle, (int)PKI_MESH_MAX_TRIANGLES);
  }
  for (size_t i = 0; i < 3 * (size_t)mesh->nvertex; i++) {
    if (!(fabs(mesh->vertex[i]) <= FAR)) {
      return pki_fail(err, PK_ERROR_MESH, where,
                      "coordinate %c of vertex %zu is %g m, expected a finite number up to %g", "xyz"[i % 3],
                      i / 3, mesh->vertex[i], FAR);
    }
  }
  for (size_t i = 0; i < 3 * (size_t)mesh->ntriangle; i++) {
    if (mesh->triangle[i] < 0 || mesh->triangle[i] >= mesh->nvertex) {
      return pki_fail(err, PK_ERROR_MESH, where, "triangle %zu names vertex %d; the vertices are 0 to %d",
                      i / 3, mesh->triangle[i], mesh->nvertex - 1);
    }
  }
  return PK_OK;
}

/* ---- weld ---- */

typedef struct place {
  double x[3];
  int index;
} place;

static int compare_places(const void *left, const void *right)
{
  const place *a = left, *b = right;
  for (int k = 0; k < 3; k++) {
    if (a->x[k] != b->x[k]) {
      return a->x[k] < b->x[k] ? -1 : 1;
    }
  }
  return (a->index > b->index) - (a->index < b->index);
}

/* Copy vertices and triangles; of vertices at one place the first stands for all. */
static bool weld_vertices(pki_trimesh *t, const pk_mesh *mesh)
{
  const size_t n = (size_t)mesh->nvertex, m = 3 * (size_t)mesh->ntriangle;
  place *places = malloc(n * sizeof *places);
  int *stands = malloc(n * sizeof *stands);
  t->vertex = malloc(3 * n * sizeof *t->vertex);
  t->triangle = malloc(m * sizeof *t->triangle);
  const bool ok = places != NULL && stands != NULL && t->vertex != NULL && t->triangle != NULL;
  if (ok) {
    for (size_t i = 0; i < n; i++) {
      places[i].index = (int)i;
      for (int k = 0; k < 3; k++) {
        places[i].x[k] = t->vertex[3 * i + (size_t)k] = mesh->vertex[3 * i + (size_t)k] + 0.0; /* no -0 */
      }
    }
    qsort(places, n, sizeof *places, compare_places);
    for (size_t i = 0, head = 0; i < n; i++) {
      head = memcmp(places[head].x, places[i].x, sizeof places[i].x) == 0 ? head : i;
      stands[places[i].index] = places[head].index;
    }
    for (size_t i = 0; i < m; i++) {
      t->triangle[i] = stands[mesh->triangle[i]];
    }
    t->nvertex = mesh->nvertex, t->ntriangle = mesh->ntriangle;
  }
  free(places);
  free(stands);
  return ok;
}

/* ---- sift ---- */

typedef struct corners {
  int v[3]; /* ascending */
  int triangle;
} corners;

static int compare_corners(const void *left, const void *right)
{
  const corners *a = left, *b = right;
  for (int k = 0; k < 3; k++) {
    if (a->v[k] != b->v[k]) {
      return a->v[k] < b->v[k] ? -1 : 1;
    }
  }
  return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

/* Corners in ascending order, and whether that turns the triangle. */
static bool sort_corners(const int v[3], int out[3])
{
  const int least = v[1] < v[0] ? (v[2] < v[1] ? 2 : 1) : (v[2] < v[0] ? 2 : 0);
  const int a = v[(least + 1) % 3], b = v[(least + 2) % 3];
  out[0] = v[least], out[1] = a < b ? a : b, out[2] = a < b ? b : a;
  return a > b;
}

/* What becomes of a triangle. */
enum { KEEP, REPEATED, WALL_FRONT, WALL_BACK };

/* Keep the triangles of some fates, in order; `wall` keeps the front of walls. */
static void keep_triangles(pki_trimesh *t, const unsigned char *fate, bool wall)
{
  int n = 0;
  for (int i = 0; i < t->ntriangle; i++) {
    if (fate[i] == KEEP || (wall && fate[i] == WALL_FRONT)) {
      memmove(t->triangle + 3 * (size_t)n++, t->triangle + 3 * (size_t)i, 3 * sizeof(int));
    }
  }
  t->ntriangle = n;
}

/* Mark repeated triangles. Two that differ in their turn alone make a wall: within a solid (where two solids were joined)
 * or a sheet that is given from both sides. True when there are walls. */
static bool mark_repeated_triangles(const pki_trimesh *t, corners *list, unsigned char *fate)
{
  bool walls = false;
  for (int i = 0; i < t->ntriangle; i++) {
    (void)sort_corners(t->triangle + 3 * (size_t)i, list[i].v);
    list[i].triangle = i;
  }
  qsort(list, (size_t)t->ntriangle, sizeof *list, compare_corners);
  for (int i = 0, head = 0, back = -1; i < t->ntriangle; i++) {
    int v[3];
    if (i == 0 || memcmp(list[head].v, list[i].v, sizeof v) != 0) {
      head = i, back = -1;
      fate[list[i].triangle] = KEEP;
      continue;
    }
    const bool same = sort_corners(t->triangle + 3 * (size_t)list[i].triangle, v) ==
                      sort_corners(t->triangle + 3 * (size_t)list[head].triangle, v);
    fate[list[i].triangle] = REPEATED;
    if (!same && back < 0) {
      back = list[i].triangle;
      fate[list[head].triangle] = WALL_FRONT, fate[back] = WALL_BACK;
      walls = true;
    }
  }
  return walls;
}

static bool drop_degenerate_triangles(pki_trimesh *t)
{
  int n = 0;
  for (int i = 0; i < t->ntriangle; i++) {
    const int *v = t->triangle + 3 * (size_t)i;
    if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0]) {
      memmove(t->triangle + 3 * (size_t)n++, v, 3 * sizeof *v);
    }
  }
  t->ntriangle = n;
  if (n == 0) {
    return true;
  }
  corners *list = malloc((size_t)n * sizeof *list);
  unsigned char *fate = calloc((size_t)n, 1);
  int balanced = 0;
  bool ok = list != NULL && fate != NULL;
  if (ok && mark_repeated_triangles(t, list, fate)) {
    /* walls weigh nothing in the balance of edges: without them the rest is as closed as with them */
    int *rest = malloc(3 * (size_t)n * sizeof *rest), count = 0;
    ok = rest != NULL;
    for (int i = 0; ok && i < n; i++) {
      if (fate[i] == KEEP) {
        memcpy(rest + 3 * (size_t)count++, t->triangle + 3 * (size_t)i, 3 * sizeof *rest);
      }
    }
    balanced = ok && count > 0 ? pki_triangles_balanced(rest, count, t->nvertex) : 0;
    free(rest);
  }
  ok = ok && balanced >= 0;
  if (ok) {
    keep_triangles(t, fate, balanced == 0);
  }
  free(list);
  free(fate);
  return ok;
}

/* ---- sweep ---- */

/* The triangle's normal; false when it has no area: its height is nothing beside the coordinates. */
static bool normal_of(const pki_trimesh *t, int i, double far, double out[3])
{
  double side[3][3], longest = 0;
  const int *v = t->triangle + 3 * (size_t)i;
  int at = 0;
  for (int k = 0; k < 3; k++) {
    const double *a = t->vertex + 3 * (size_t)v[k], *b = t->vertex + 3 * (size_t)v[(k + 1) % 3];
    for (int c = 0; c < 3; c++) {
      side[k][c] = b[c] - a[c];
    }
    const double length = pki_dot3(side[k], side[k]);
    at = length > longest ? k : at;
    longest = fmax(longest, length);
  }
  /* from the two shorter sides: they cancel least */
  pki_cross3(side[(at + 1) % 3], side[(at + 2) % 3], out);
  const double area = sqrt(pki_dot3(out, out));
  if (!(area > SLIVER * far * sqrt(longest))) {
    return false;
  }
  for (int c = 0; c < 3; c++) {
    out[c] /= area;
  }
  return true;
}

/* Leave the slivers out, close the gaps in the numbers. */
static bool drop_slivers(pki_trimesh *t, const unsigned char *sliver)
{
  int *number = malloc((size_t)t->ntriangle * sizeof *number), n = 0;
  if (number == NULL) {
    return false;
  }
  for (int i = 0; i < t->ntriangle; i++) {
    number[i] = sliver[i] ? -1 : n++;
  }
  for (int i = 0; i < t->ntriangle; i++) {
    const int to = number[i];
    for (int k = 0; to >= 0 && k < 3; k++) {
      const int behind = t->neighbour[3 * (size_t)i + (size_t)k];
      t->triangle[3 * (size_t)to + (size_t)k] = t->triangle[3 * (size_t)i + (size_t)k];
      t->neighbour[3 * (size_t)to + (size_t)k] = behind < 0 ? -1 : number[behind];
      t->part[to] = t->part[i];
    }
  }
  t->ntriangle = n;
  free(number);
  return true;
}

/* Number vertices in the order of their first use, drop the others; note which triangle uses a corner or an edge first. */
static bool number_vertices(pki_trimesh *t)
{
  int *number = malloc((size_t)t->nvertex * sizeof *number), n = 0;
  double *vertex = malloc(3 * (size_t)t->nvertex * sizeof *vertex);
  const bool ok = number != NULL && vertex != NULL;
  for (int i = 0; ok && i < t->nvertex; i++) {
    number[i] = -1;
  }
  for (int i = 0; ok && i < t->ntriangle; i++) {
    unsigned bits = 0;
    for (int k = 0; k < 3; k++) {
      int *v = t->triangle + 3 * (size_t)i + k;
      const int behind = t->neighbour[3 * (size_t)i + (size_t)k];
      if (number[*v] < 0) {
        memcpy(vertex + 3 * (size_t)n, t->vertex + 3 * (size_t)*v, 3 * sizeof *vertex);
        number[*v] = n++, bits |= 1u << k;
      }
      *v = number[*v];
      bits |= behind < 0 || behind > i ? 8u << k : 0;
    }
    t->first_use[i] = (unsigned char)bits;
  }
  if (ok) {
    free(t->vertex);
    t->vertex = vertex, t->nvertex = n;
  } else {
    free(vertex);
  }
  free(number);
  return ok;
}

/* Note the first triangle of each part. */
static bool note_parts(pki_trimesh *t)
{
  int most = 0;
  for (int i = 0; i < t->ntriangle; i++) {
    most = t->part[i] > most ? t->part[i] : most;
  }
  unsigned char *seen = calloc((size_t)most + 1, 1);
  for (int i = 0; seen != NULL && i < t->ntriangle; i++) {
    t->first_use[i] |= seen[t->part[i]] ? 0 : 1u << 6;
    seen[t->part[i]] = 1;
  }
  const bool ok = seen != NULL;
  free(seen);
  return ok;
}

/* ---- making ---- */

static void measure_triangle(pki_trimesh *t, int i)
{
  const int *v = t->triangle + 3 * (size_t)i;
  const double *a = t->vertex + 3 * (size_t)v[0], *b = t->vertex + 3 * (size_t)v[1],
               *c = t->vertex + 3 * (size_t)v[2];
  const double ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]},
               ac[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  double twice[3];
  pki_cross3(ab, ac, twice);
  t->area[i] = 0.5 * sqrt(pki_dot3(twice, twice));
  for (int k = 0; k < 3; k++) {
    t->centroid[3 * (size_t)i + (size_t)k] = a[k] + (ab[k] + ac[k]) / 3;
  }
}

static bool allocate_topology(pki_trimesh *t, unsigned char **sliver)
{
  const size_t n = (size_t)t->ntriangle;
  t->neighbour = malloc(3 * n * sizeof *t->neighbour);
  t->normal = malloc(3 * n * sizeof *t->normal);
  t->centroid = malloc(3 * n * sizeof *t->centroid);
  t->area = malloc(n * sizeof *t->area);
  t->part = malloc(n * sizeof *t->part);
  t->first_use = malloc(n);
  *sliver = malloc(n);
  return t->neighbour != NULL && t->normal != NULL && t->centroid != NULL && t->area != NULL &&
         t->part != NULL && t->first_use != NULL && *sliver != NULL;
}

/* What a failure to find memory leaves is freed by the caller. */
static bool make_trimesh(pki_trimesh *t, const pk_mesh *mesh)
{
  if (!weld_vertices(t, mesh) || !drop_degenerate_triangles(t)) {
    return false;
  }
  if (t->ntriangle == 0) {
    return true;
  }
  double far = 0;
  for (size_t i = 0; i < 3 * (size_t)t->nvertex; i++) {
    far = fmax(far, fabs(t->vertex[i]));
  }
  unsigned char *sliver = NULL;
  bool ok = allocate_topology(t, &sliver);
  for (int i = 0; ok && i < t->ntriangle; i++) {
    double normal[3];
    sliver[i] = !normal_of(t, i, far, normal);
  }
  ok = ok && pki_trimesh_join(t, sliver) && drop_slivers(t, sliver);
  free(sliver);
  if (!ok || t->ntriangle == 0) {
    return ok;
  }
  ok = pki_trimesh_plant(t) && number_vertices(t) && note_parts(t);
  for (int i = 0; ok && i < t->ntriangle; i++) {
    (void)normal_of(t, i, far, t->normal + 3 * (size_t)i);
    measure_triangle(t, i);
  }
  for (int k = 0; ok && k < 3; k++) {
    t->size = fmax(t->size, t->node[0].box.max[k] - t->node[0].box.min[k]);
  }
  return ok && pki_volume_attach(t);
}

pk_status pki_trimesh_create(const pk_mesh *mesh, pki_trimesh **out, pk_error *err)
{
  *out = NULL;
  const pk_status status = check_mesh(mesh, err);
  if (status != PK_OK) {
    return status;
  }
  pki_trimesh *t = calloc(1, sizeof *t);
  if (t == NULL || !make_trimesh(t, mesh)) {
    pki_trimesh_destroy(t);
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){.file = mesh->name, .field = "mesh"},
                    "there is not enough memory for a mesh of %d triangles", mesh->ntriangle);
  }
  if (t->ntriangle == 0) {
    pki_trimesh_destroy(t);
    return pki_fail(err, PK_ERROR_MESH, (pki_where){.file = mesh->name, .field = "mesh"},
                    "none of the mesh's %d triangles has an area", mesh->ntriangle);
  }
  *out = t;
  return PK_OK;
}

void pki_trimesh_destroy(pki_trimesh *t)
{
  if (t != NULL) {
    free(t->vertex);
    free(t->triangle);
    free(t->neighbour);
    free(t->normal);
    free(t->centroid);
    free(t->area);
    free(t->part);
    free(t->first_use);
    free(t->node);
    pki_volume_destroy(t->volume);
    free(t);
  }
}
