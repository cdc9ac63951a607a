/* The triangles of a height field, with what lies behind their edges. */
#include "collision/shapes/heights.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"

/* Sine of the angle up to which the surface goes on as it is. */
static const double FLAT = 1e-6;

/* What lies behind edge k of a triangle: another one, or a side. */
static void normal_behind_edge(const pki_heights *h, int i, int j, bool upper, int k, double normal[3])
{
  /* edges of the lower triangle: front, right, diagonal; of the upper one: diagonal, back, left */
  static const int step[2][3][2] = {{{0, -1}, {1, 0}, {0, 0}}, {{0, 0}, {0, 1}, {-1, 0}}};
  const int di = step[upper][k][0], dj = step[upper][k][1];
  const int ni = i + di, nj = j + dj;
  if (ni < 0 || nj < 0 || ni > h->nx - 2 || nj > h->ny - 2) {
    normal[0] = di, normal[1] = dj, normal[2] = 0;
    return;
  }
  pki_heights_normal(h, ni, nj, !upper, normal);
}

/* The bend at an edge with the surface to its left: the sine of the angle by which it turns away, negative: towards the
 * outside. */
static double edge_bend(const pki_triangle *t, int k)
{
  const double *const a = t->point[k], *const b = t->point[(k + 1) % 3];
  const double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  double turn[3];
  pki_cross3(t->normal, t->neighbour[k], turn);
  return pki_dot3(turn, e) / sqrt(pki_dot3(e, e));
}

static void make_height_triangle(const pki_heights *h, int i, int j, bool upper, pki_triangle *t)
{
  const int corner[3][2] = {{i, j}, {i + 1, upper ? j + 1 : j}, {upper ? i : i + 1, j + 1}};
  for (int k = 0; k < 3; k++) {
    t->point[k][0] = corner[k][0] * h->cell, t->point[k][1] = corner[k][1] * h->cell;
    t->point[k][2] = pki_height(h, corner[k][0], corner[k][1]);
    t->vertex[k] = corner[k][1] * h->nx + corner[k][0];
  }
  t->index = 2 * (j * (h->nx - 1) + i) + (upper ? 1 : 0);
  pki_heights_normal(h, i, j, upper, t->normal);
  for (int k = 0; k < 3; k++) {
    normal_behind_edge(h, i, j, upper, k, t->neighbour[k]);
    const double turn = edge_bend(t, k);
    /* sides are vertical and the surface never is: they meet in a convex edge, be it ever so steep */
    const bool side = t->neighbour[k][2] == 0;
    t->edge[k] = side || turn > FLAT ? PKI_EDGE_CONVEX : turn < -FLAT ? PKI_EDGE_CONCAVE : PKI_EDGE_FLAT;
  }
}

void pki_heights_triangles_near(const pki_heights *h, const pki_aabb *box, pki_visit_triangle visit,
                                void *user)
{
  const double size[2] = {(h->nx - 1) * h->cell, (h->ny - 1) * h->cell};
  if (!(box->max[0] >= 0 && box->min[0] <= size[0] && box->max[1] >= 0 && box->min[1] <= size[1] &&
        box->min[2] <= h->top)) {
    return;
  }
  /* a box that ends on the border between cells meets both */
  const int i0 = pki_heights_cell(nextafter(box->min[0], -INFINITY), h->cell, h->nx);
  const int j0 = pki_heights_cell(nextafter(box->min[1], -INFINITY), h->cell, h->ny);
  const int i1 = pki_heights_cell(box->max[0], h->cell, h->nx),
            j1 = pki_heights_cell(box->max[1], h->cell, h->ny);
  for (int j = j0; j <= j1; j++) {
    for (int i = i0; i <= i1; i++) {
      const double diagonal = fmax(pki_height(h, i, j), pki_height(h, i + 1, j + 1));
      for (int upper = 0; upper < 2; upper++) {
        const double third = upper ? pki_height(h, i, j + 1) : pki_height(h, i + 1, j);
        if (fmax(diagonal, third) < box->min[2]) {
          continue;
        }
        pki_triangle t;
        make_height_triangle(h, i, j, upper, &t);
        if (!visit(&t, user)) {
          return;
        }
      }
    }
  }
}
