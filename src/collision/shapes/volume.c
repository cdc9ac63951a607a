/* Signed distances of a closed mesh on a regular grid.
 *
 * At the nodes they are exact. A signed distance changes by no more than the way walked (it is Lipschitz with constant
 * one), which is used three times: the distance at one node limits the search at the next; a node farther from the
 * surface than the next node has its sign; and at any point the nearest node bounds the exact distance from both sides.
 * Meshes of many triangles carry a coarse volume for these bounds: they tell most vertices of another mesh apart (far
 * away, deep inside) before any triangle is looked at. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "collision/shapes/volume.h"
#include "math/mat3.h"

static size_t node_at(const pki_volume *v, int i, int j, int k)
{
  return ((size_t)k * (size_t)v->n[1] + (size_t)j) * (size_t)v->n[0] + (size_t)i;
}

static double exact_distance(const pki_trimesh *t, const double p[3], double reach, bool inside)
{
  double x[3];
  if (pki_trimesh_nearest(t, p, reach, x) < 0) {
    return inside ? -reach : reach; /* rounding alone */
  }
  const double r[3] = {p[0] - x[0], p[1] - x[1], p[2] - x[2]};
  const double d = sqrt(pki_dot3(r, r));
  return inside ? -d : d;
}

/* Fill one row of nodes; each takes its bounds from the one before. */
static void fill_row(pki_volume *v, const pki_trimesh *t, int j, int k)
{
  double last = 0, reach = INFINITY;
  bool inside = false;
  for (int i = 0; i < v->n[0]; i++) {
    const double p[3] = {v->origin[0] + i * v->step[0], v->origin[1] + j * v->step[1],
                         v->origin[2] + k * v->step[2]};
    if (i == 0 || fabs(last) <= 1.001 * v->cell) {
      inside = pki_trimesh_inside(t, p);
    }
    last = exact_distance(t, p, reach, inside);
    reach = fabs(last) + 1.001 * v->cell;
    v->distance[node_at(v, i, j, k)] = (float)last;
  }
}

/* How a grid lies: its spacings, cells around the mesh and nodes. */
typedef struct layout {
  double cell, step[3];
  int around[3], n[3];
} layout;

static pki_volume *fill_volume(const pki_trimesh *t, const layout *l)
{
  pki_volume *v = calloc(1, sizeof *v);
  float *distance = malloc((size_t)l->n[0] * (size_t)l->n[1] * (size_t)l->n[2] * sizeof *distance);
  if (v == NULL || distance == NULL) {
    free(v);
    free(distance);
    return NULL;
  }
  v->cell = l->cell, v->distance = distance;
  for (int c = 0; c < 3; c++) {
    v->n[c] = l->n[c];
    v->step[c] = l->step[c];
    v->origin[c] = t->node[0].box.min[c] - l->around[c] * l->step[c];
  }
  for (int k = 0; k < l->n[2]; k++) {
    for (int j = 0; j < l->n[1]; j++) {
      fill_row(v, t, j, k);
    }
  }
  return v;
}

/* Cells of one size, or such that each side is a whole number of them; false when there are too many nodes. */
static bool lay_out(const pki_trimesh *t, double cell, int margin, bool fit, layout *l)
{
  double total = 1;
  l->cell = cell;
  for (int c = 0; c < 3; c++) {
    const double side = t->node[0].box.max[c] - t->node[0].box.min[c], cells = ceil(side / cell);
    const double step = fit && cells > 0 ? side / cells : cell, around = ceil(margin * (cell / step));
    total *= cells + 2 * around + 1;
    if (!(total <= PKI_VOLUME_MAX_NODES)) {
      return false;
    }
    l->step[c] = step, l->around[c] = (int)around;
    l->n[c] = (int)fmax(2, cells + 2 * around + 1);
  }
  return true;
}

/* The largest error at the middles of cells that the surface may pass: trilinear interpolation is worst about there. */
static double measure_error(const pki_volume *v, const pki_trimesh *t)
{
  double worst = 0;
  for (int k = 0; k + 1 < v->n[2]; k++) {
    for (int j = 0; j + 1 < v->n[1]; j++) {
      for (int i = 0; i + 1 < v->n[0]; i++) {
        if (fabs((double)v->distance[node_at(v, i, j, k)]) > 2 * v->cell) {
          continue;
        }
        const double p[3] = {v->origin[0] + (i + 0.5) * v->step[0], v->origin[1] + (j + 0.5) * v->step[1],
                             v->origin[2] + (k + 0.5) * v->step[2]};
        double d = 0, gradient[3];
        (void)pki_volume_distance(v, p, &d, gradient);
        worst = fmax(worst, fabs(d - exact_distance(t, p, INFINITY, pki_trimesh_inside(t, p))));
      }
    }
  }
  return worst;
}

pk_status pki_volume_create(const pki_trimesh *t, double cell, int margin, pki_volume **out, pk_error *err)
{
  *out = NULL;
  if (!t->closed) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "mesh"},
                    "the mesh has a border, expected a closed one: without an inside distances have no sign");
  }
  if (!(cell > 0) || !isfinite(cell)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "cell"},
                    "cell is %g m, expected a positive length", cell);
  }
  layout l;
  if (margin < 0 || !lay_out(t, cell, margin, true, &l)) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, (pki_where){.field = "cell"},
        "cells of %g m with a margin of %d make more than %d nodes of a mesh of %g m; choose larger ones",
        cell, margin, (int)PKI_VOLUME_MAX_NODES, t->size);
  }
  *out = fill_volume(t, &l);
  if (*out == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){.field = "cell"}, "no memory for %d x %d x %d nodes",
                    l.n[0], l.n[1], l.n[2]);
  }
  (*out)->error = measure_error(*out, t);
  return PK_OK;
}

void pki_volume_destroy(pki_volume *v)
{
  if (v != NULL) {
    free(v->distance);
    free(v);
  }
}

bool pki_volume_attach(pki_trimesh *t)
{
  enum { LEAST_TRIANGLES = 256, CELLS = 16 };
  layout l;
  const double cell = t->size / CELLS;
  if (!t->closed || t->ntriangle < LEAST_TRIANGLES || !lay_out(t, cell, 1, false, &l)) {
    return true;
  }
  t->volume = fill_volume(t, &l);
  return t->volume != NULL;
}

/* ---- queries ---- */

bool pki_volume_distance(const pki_volume *v, const double point[3], double *distance, double gradient[3])
{
  int at[3];
  double f[3];
  for (int c = 0; c < 3; c++) {
    const double x = (point[c] - v->origin[c]) / v->step[c];
    if (!(x >= 0 && x <= v->n[c] - 1)) {
      return false;
    }
    at[c] = (int)x < v->n[c] - 2 ? (int)x : v->n[c] - 2;
    f[c] = x - at[c];
  }
  double d[2][2][2];
  for (int b = 0; b < 8; b++) {
    d[b >> 2][b >> 1 & 1][b & 1] =
        v->distance[node_at(v, at[0] + (b & 1), at[1] + (b >> 1 & 1), at[2] + (b >> 2))];
  }
  /* along x, then y, then z; slopes of what was interpolated on the way */
  double x[2][2], dx[2][2], y[2], yx[2], dy[2];
  for (int k = 0; k < 2; k++) {
    for (int j = 0; j < 2; j++) {
      dx[k][j] = d[k][j][1] - d[k][j][0];
      x[k][j] = d[k][j][0] + f[0] * dx[k][j];
    }
    dy[k] = x[k][1] - x[k][0];
    y[k] = x[k][0] + f[1] * dy[k];
    yx[k] = dx[k][0] + f[1] * (dx[k][1] - dx[k][0]);
  }
  *distance = y[0] + f[2] * (y[1] - y[0]);
  gradient[0] = (yx[0] + f[2] * (yx[1] - yx[0])) / v->step[0];
  gradient[1] = (dy[0] + f[2] * (dy[1] - dy[0])) / v->step[1];
  gradient[2] = (y[1] - y[0]) / v->step[2];
  return true;
}

void pki_volume_bounds(const pki_volume *v, const double point[3], double *low, double *high)
{
  int at[3];
  double way = 0;
  for (int c = 0; c < 3; c++) {
    const double x = (point[c] - v->origin[c]) / v->step[c];
    at[c] = !(x > 0) ? 0 : x >= v->n[c] - 1 ? v->n[c] - 1 : (int)(x + 0.5);
    const double d = point[c] - (v->origin[c] + at[c] * v->step[c]);
    way += d * d;
  }
  const double d = v->distance[node_at(v, at[0], at[1], at[2])];
  way = sqrt(way) + 1e-6 * (fabs(d) + v->cell); /* distances are stored as floats */
  *low = d - way, *high = d + way;
}
