/* A height field: all below a triangulated surface, down to any depth, with vertical sides at its border.
 *
 *     (i, j+1) +-----+ (i+1, j+1)     Height (i, j) stands at x = i cell, y = j cell of the field's own frame. Each
 *              | U / |                cell has two triangles, cut along the diagonal from (i, j) to (i+1, j+1). On
 *              |  /  |                each of them the surface is z = z_c + a x + b y, with outward normal
 *              | / L |                (-a, -b, 1) / length.
 *     (i, j)   +-----+ (i+1, j)
 *
 *   heights.c           making, the nearest point
 *   heights_ray.c       rays
 *   heights_triangle.c  its triangles near a box */
#ifndef PKI_COLLISION_SHAPES_HEIGHTS_H
#define PKI_COLLISION_SHAPES_HEIGHTS_H

#include <math.h>
#include <stddef.h>

#include "collision/shapes/trimesh.h"

struct pki_heights {
  double cell; /* m */
  int nx, ny;
  double top;   /* largest height */
  double steep; /* 1/cosine of its steepest triangle: nothing is nearer than what lies below over this */
  double *z;    /* [ny][nx] m; owned */
};

/* How many heights a field may have, and how large lengths in it may be, m. */
enum { PKI_HEIGHTS_MOST = 1 << 26 };
#define PKI_HEIGHTS_FAR 1e12

/* From nx, ny, cell and heights of a description. */
pk_status pki_heights_create(const pk_geometry_desc *desc, pki_heights **out, pk_error *err);
void pki_heights_destroy(pki_heights *h); /* NULL is fine */

/* A box around it; without a bottom. */
void pki_heights_bounds(const pki_heights *h, pki_aabb *out);

/* As pki_geometry_point and pki_geometry_ray_local, in the field's frame. A ray that begins inside has distance 0 and a
 * normal against itself. */
bool pki_heights_point(const pki_heights *h, const double point[3], double reach, double *distance,
                       double normal[3]);
bool pki_heights_ray(const pki_heights *h, const double from[3], const double along[3], double reach,
                     double *distance, double normal[3]);

/* As pki_triangles_near: triangles over or in a box, for all below them is solid. Vertex (i, j) has the number j nx + i.
 * Edges at the border are convex, with the side's outward normal behind them. */
void pki_heights_triangles_near(const pki_heights *h, const pki_aabb *box, pki_visit_triangle visit,
                                void *user);

/* ---- what the files share ---- */

static inline double pki_height(const pki_heights *h, int i, int j)
{
  return h->z[(size_t)j * (size_t)h->nx + (size_t)i];
}

/* The cell at x (m), the nearest one when x is beside the field. */
static inline int pki_heights_cell(double x, double cell, int count)
{
  const double at = x / cell;
  return !(at > 0) ? 0 : at < count - 2 ? (int)at : count - 2; /* what is positive is cut down */
}

/* The surface's height over a place within the field. */
double pki_heights_surface(const pki_heights *f, double x, double y);

/* The normal of a triangle, `upper` or lower, of cell (i, j). */
void pki_heights_normal(const pki_heights *h, int i, int j, bool upper, double normal[3]);

#endif
