#include "record/scene_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collision/ground/terrain.h"
#include "collision/shapes/heights.h"

static pk_status add_mesh(pki_text *out, int index, const double *vertex, size_t nvertex, const int *triangle,
                          size_t ntriangle, pk_error *err)
{
  pki_text_add(out, index > 0 ? ",\n{\"positions\":" : "\n{\"positions\":");
  pk_status status = pki_text_add_floats(out, vertex, 3 * nvertex, err);
  pki_text_add(out, ",\"triangles\":");
  status = status == PK_OK ? pki_text_add_integers(out, triangle, 3 * ntriangle, err) : status;
  pki_text_add(out, "}");
  return status;
}

/* ---- hulls ---- */

/* Faces as fans of triangles. */
static pk_status add_hull(pki_text *out, int index, const pki_hull *h, pk_error *err)
{
  const int nloop = h->face_start[h->nface];
  const size_t count = (size_t)(nloop - 2 * h->nface);
  int *triangle = malloc((3 * count + 1) * sizeof *triangle), *t = triangle;
  if (triangle == NULL) {
    return pki_fail_memory(err, "the scene");
  }
  for (int f = 0; f < h->nface; f++) {
    const int *const loop = h->loop + h->face_start[f], n = h->face_start[f + 1] - h->face_start[f];
    for (int k = 1; k + 1 < n; k++, t += 3) {
      t[0] = loop[0], t[1] = loop[k], t[2] = loop[k + 1];
    }
  }
  const pk_status status = add_mesh(out, index, h->vertex, (size_t)h->nvertex, triangle, count, err);
  free(triangle);
  return status;
}

/* The hull of a mesh of the model; of points in a plane the mesh itself. */
static pk_status add_hull_of(pki_text *out, int index, const pk_mesh *m, pk_error *err)
{
  pki_hull *hull = NULL;
  pk_status status = pki_hull_create(m->vertex, m->nvertex, &hull, NULL);
  status = status == PK_OK
               ? add_hull(out, index, hull, err)
               : add_mesh(out, index, m->vertex, (size_t)m->nvertex, m->triangle, (size_t)m->ntriangle, err);
  pki_hull_destroy(hull);
  return status;
}

/* ---- height fields ---- */

/* The vertex of index i along the rim of a grid, walked counter-clockwise from its origin. */
static int rim_vertex(int nx, int ny, int i)
{
  const int right = nx - 1, up = ny - 1;
  if (i < right) {
    return i;
  }
  if (i < right + up) {
    return (i - right) * nx + right;
  }
  if (i < 2 * right + up) {
    return up * nx + (2 * right + up - i);
  }
  return (2 * right + 2 * up - i) * nx;
}

/* Fields with more heights than this are drawn with every second, third, ... of them. */
enum { DRAWN_MOST = 1 << 20 };

static int count_drawn(int n, int step)
{
  return (n - 2) / step + 2;
}

/* The grid's vertices, from every height that is drawn; returns the lowest height. */
static double grid_vertices(const pki_heights *f, int nx, int ny, int step, double *v)
{
  double lowest = INFINITY;
  for (int j = 0; j < ny; j++) {
    for (int i = 0; i < nx; i++, v += 3) {
      const int at[2] = {j < ny - 1 ? j * step : f->ny - 1, i < nx - 1 ? i * step : f->nx - 1};
      v[0] = at[1] * f->cell, v[1] = at[0] * f->cell, v[2] = pki_height(f, at[1], at[0]);
      lowest = fmin(lowest, v[2]);
    }
  }
  return lowest;
}

/* Two triangles for each cell, cut along the diagonal that the contacts know, and a skirt around them that goes down
 * one cell below the lowest height. */
static pk_status add_heights(pki_text *out, int index, const pki_heights *f, pk_error *err)
{
  int step = 1;
  while ((double)count_drawn(f->nx, step) * count_drawn(f->ny, step) > DRAWN_MOST) {
    step++;
  }
  const int nx = count_drawn(f->nx, step), ny = count_drawn(f->ny, step), rim = 2 * (nx - 1) + 2 * (ny - 1);
  const size_t grid = (size_t)nx * (size_t)ny, cells = (size_t)(nx - 1) * (size_t)(ny - 1);
  double *vertex = malloc(3 * (grid + (size_t)rim) * sizeof *vertex);
  int *triangle = malloc(6 * (cells + (size_t)rim) * sizeof *triangle);
  if (vertex == NULL || triangle == NULL) {
    free(vertex);
    free(triangle);
    return pki_fail_memory(err, "the scene");
  }
  const double lowest = grid_vertices(f, nx, ny, step, vertex);
  double *v = vertex + 3 * grid;
  int *t = triangle;
  for (int j = 0; j + 1 < ny; j++) {
    for (int i = 0; i + 1 < nx; i++, t += 6) {
      const int a = j * nx + i, b = a + 1, c = b + nx, d = a + nx;
      memcpy(t, (int[6]){a, b, c, a, c, d}, 6 * sizeof *t);
    }
  }
  for (int i = 0; i < rim; i++, v += 3, t += 6) {
    const int top = rim_vertex(nx, ny, i), next = rim_vertex(nx, ny, (i + 1) % rim);
    const int low = (int)grid + i, low_next = (int)grid + (i + 1) % rim;
    memcpy(v, vertex + 3 * (size_t)top, 2 * sizeof *v);
    v[2] = lowest - f->cell;
    memcpy(t, (int[6]){low, low_next, next, low, next, top}, 6 * sizeof *t);
  }
  const pk_status status =
      add_mesh(out, index, vertex, grid + (size_t)rim, triangle, 2 * (cells + (size_t)rim), err);
  free(vertex);
  free(triangle);
  return status;
}

/* ---- shapes ---- */

static bool same_mesh(const pk_mesh *a, const pk_mesh *b)
{
  return a->nvertex == b->nvertex && a->ntriangle == b->ntriangle &&
         memcmp(a->vertex, b->vertex, 3 * (size_t)a->nvertex * sizeof *a->vertex) == 0 &&
         memcmp(a->triangle, b->triangle, 3 * (size_t)a->ntriangle * sizeof *a->triangle) == 0;
}

/* The first shape before this one that is drawn with the same mesh, -1: none. Many robots of one kind share theirs. */
static int first_like(const pk_model *m, int shape)
{
  const pk_model_shape *const s = &m->shapes[shape];
  for (int i = 0; i < shape; i++) {
    const pk_model_shape *const other = &m->shapes[i];
    if (other->mesh >= 0 && (other->kind == PK_SHAPE_CONVEX) == (s->kind == PK_SHAPE_CONVEX) &&
        (other->mesh == s->mesh || same_mesh(&m->meshes[other->mesh], &m->meshes[s->mesh]))) {
      return i;
    }
  }
  return -1;
}

static pk_status add_shape(pki_text *out, int index, const pk_model *m, int shape, pk_error *err)
{
  const pk_mesh *const mesh = &m->meshes[m->shapes[shape].mesh];
  return m->shapes[shape].kind == PK_SHAPE_CONVEX ? add_hull_of(out, index, mesh, err)
                                                  : add_mesh(out, index, mesh->vertex, (size_t)mesh->nvertex,
                                                             mesh->triangle, (size_t)mesh->ntriangle, err);
}

/* What of the ground is a mesh, as it is touched. */
static pk_status add_solid(pki_text *out, int index, const pk_geometry *g, pk_error *err)
{
  switch (g->kind) {
  case PK_SHAPE_HEIGHTS: return add_heights(out, index, g->heights, err);
  case PK_SHAPE_CONVEX: return add_hull(out, index, g->hull, err);
  default:
    return add_mesh(out, index, g->mesh->vertex, (size_t)g->mesh->nvertex, g->mesh->triangle,
                    (size_t)g->mesh->ntriangle, err);
  }
}

pk_status pki_scene_add_meshes(pki_text *text, const pki_scene_source *source, pki_scene_meshes *out,
                               pk_error *err)
{
  const pk_model *const m = source->world;
  const int nsolid = source->terrain != NULL ? source->terrain->nsolid : 0;
  out->shape = malloc(((size_t)m->nshape + 1) * sizeof *out->shape);
  out->solid = malloc(((size_t)nsolid + 1) * sizeof *out->solid);
  if (out->shape == NULL || out->solid == NULL) {
    return pki_fail_memory(err, "the scene");
  }
  pk_status status = PK_OK;
  int count = 0;
  pki_text_add(text, ",\n\"meshes\":[");
  for (int i = 0; i < m->nshape && status == PK_OK; i++) {
    const int like = m->shapes[i].mesh >= 0 ? first_like(m, i) : -1;
    out->shape[i] = like >= 0 ? out->shape[like] : -1;
    if (m->shapes[i].mesh >= 0 && like < 0) {
      out->shape[i] = count;
      status = add_shape(text, count++, m, i, err);
    }
  }
  for (int i = 0; i < nsolid && status == PK_OK; i++) {
    const pk_geometry *const g = source->terrain->solids[i].geometry;
    const bool mesh = g->kind == PK_SHAPE_HEIGHTS || g->kind == PK_SHAPE_CONVEX || g->kind == PK_SHAPE_MESH;
    out->solid[i] = mesh ? count : -1;
    status = mesh ? add_solid(text, count++, g, err) : status;
  }
  pki_text_add(text, "]");
  return status;
}

void pki_scene_meshes_free(pki_scene_meshes *m)
{
  free(m->shape);
  free(m->solid);
}
