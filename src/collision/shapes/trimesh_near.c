/* Triangles of a surface with their surroundings, handed out one by one. */
#include <math.h>
#include <string.h>

#include "collision/shapes/heights.h"
#include "collision/shapes/trimesh.h"
#include "math/mat3.h"

static const double FLAT = 1e-6; /* sine of the angle below which an edge is none */

/* How the surface goes on behind an edge from a to b, with normals n here and m there. */
static pki_edge_kind edge_kind(const double a[3], const double b[3], const double n[3], const double m[3])
{
  const double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  double turn[3];
  pki_cross3(n, m, turn);
  /* seen along the edge, the normal turns with it where the surface bends away */
  const double sine = pki_dot3(turn, e); /* times the edge's length */
  if (sine * sine <= FLAT * FLAT * pki_dot3(e, e)) {
    return pki_dot3(n, m) > 0 ? PKI_EDGE_FLAT : PKI_EDGE_CONVEX; /* or a fold */
  }
  return sine > 0 ? PKI_EDGE_CONVEX : PKI_EDGE_CONCAVE;
}

void pki_trimesh_triangle(const pki_trimesh *t, int index, pki_triangle *out)
{
  out->index = index;
  for (int k = 0; k < 3; k++) {
    out->vertex[k] = t->triangle[3 * (size_t)index + (size_t)k];
    memcpy(out->point[k], t->vertex + 3 * (size_t)out->vertex[k], sizeof out->point[k]);
  }
  memcpy(out->normal, t->normal + 3 * (size_t)index, sizeof out->normal);
  for (int k = 0; k < 3; k++) {
    const int behind = t->neighbour[3 * (size_t)index + (size_t)k];
    const double *n = t->normal + 3 * (size_t)(behind < 0 ? index : behind);
    memcpy(out->neighbour[k], n, sizeof out->neighbour[k]);
    out->edge[k] =
        behind < 0 ? PKI_EDGE_OPEN : edge_kind(out->point[k], out->point[(k + 1) % 3], out->normal, n);
  }
}

static bool may_meet(const pki_trimesh *t, int index, const pki_aabb *box)
{
  const int *const v = t->triangle + 3 * (size_t)index;
  for (int k = 0; k < 3; k++) {
    const double a = t->vertex[3 * (size_t)v[0] + (size_t)k], b = t->vertex[3 * (size_t)v[1] + (size_t)k],
                 c = t->vertex[3 * (size_t)v[2] + (size_t)k];
    if ((a < box->min[k] && b < box->min[k] && c < box->min[k]) ||
        (a > box->max[k] && b > box->max[k] && c > box->max[k])) {
      return false;
    }
  }
  return true;
}

static void trimesh_near(const pki_trimesh *t, const pki_aabb *box, pki_visit_triangle visit, void *user)
{
  int stack[PKI_TREE_DEPTH + 1], waiting = 0;
  stack[waiting++] = 0;
  while (waiting > 0) {
    const struct pki_tree_node *node = &t->node[stack[--waiting]];
    if (!pki_aabb_overlap(&node->box, box)) {
      continue;
    }
    if (node->count == 0) {
      stack[waiting++] = node->first + 1;
      stack[waiting++] = node->first;
      continue;
    }
    for (int i = node->first; i < node->first + node->count; i++) {
      if (!may_meet(t, i, box)) {
        continue;
      }
      pki_triangle one;
      pki_trimesh_triangle(t, i, &one);
      if (!visit(&one, user)) {
        return;
      }
    }
  }
}

/* ---- the sides of a height field ----
 * They go down to any depth; triangles end below the box.
 *
 *        L -- R     seen from outside; T0 = low L, low R, R; T1 = low L, R, L
 *        |  / |
 *       -L-- -R                                                               */

typedef struct side {
  double normal[3], u[3]; /* outward; to the right */
  int fixed, along;       /* axes: across the side and along it */
  bool far_end, upper,
      onward; /* at the largest coordinate; which triangle of a cell meets it; u along the axis */
} side;

static const side SIDES[4] = {{{0, -1, 0}, {1, 0, 0}, 1, 0, false, false, true},
                              {{1, 0, 0}, {0, 1, 0}, 0, 1, true, false, true},
                              {{0, 1, 0}, {-1, 0, 0}, 1, 0, true, true, false},
                              {{-1, 0, 0}, {0, -1, 0}, 0, 1, false, true, false}};

static void side_corner(const pki_heights *h, const side *s, int at, double out[3], int *vertex)
{
  const int ij[2] = {s->along == 0 ? at
                     : s->far_end  ? h->nx - 1
                                   : 0,
                     s->along == 1 ? at
                     : s->far_end  ? h->ny - 1
                                   : 0};
  out[0] = ij[0] * h->cell, out[1] = ij[1] * h->cell, out[2] = pki_height(h, ij[0], ij[1]);
  *vertex = ij[1] * h->nx + ij[0];
}

/* The two triangles of cell c of a side. */
static bool side_cell(const pki_heights *h, int which, int c, double low, pki_visit_triangle visit,
                      void *user)
{
  const side *s = &SIDES[which];
  const int count = (s->along == 0 ? h->nx : h->ny) - 1, vertices = h->nx * h->ny;
  double corner[4][3]; /* low L, low R, R, L */
  int name[4];
  side_corner(h, s, s->onward ? c : c + 1, corner[3], &name[3]);
  side_corner(h, s, s->onward ? c + 1 : c, corner[2], &name[2]);
  for (int k = 0; k < 2; k++) {
    memcpy(corner[k], corner[3 - k], sizeof corner[k]);
    corner[k][2] = low, name[k] = vertices + name[3 - k];
  }
  const bool first = s->onward ? c == 0 : c == count - 1, last = s->onward ? c == count - 1 : c == 0;
  const int i = s->along == 0 ? c
                : s->far_end  ? h->nx - 2
                              : 0,
            j = s->along == 1 ? c
                : s->far_end  ? h->ny - 2
                              : 0;
  for (int half = 0; half < 2; half++) {
    static const int at[2][3] = {{0, 1, 2}, {0, 2, 3}};
    pki_triangle t = {.index = 2 * vertices + 2 * (which * (h->nx + h->ny) + c) + half};
    memcpy(t.normal, s->normal, sizeof t.normal);
    for (int k = 0; k < 3; k++) {
      memcpy(t.point[k], corner[at[half][k]], sizeof t.point[k]);
      memcpy(t.neighbour[k], s->normal, sizeof t.neighbour[k]);
      t.vertex[k] = name[at[half][k]], t.edge[k] = PKI_EDGE_FLAT;
    }
    if (half == 0 && last) {
      t.edge[1] = PKI_EDGE_CONVEX;
      memcpy(t.neighbour[1], s->u, sizeof s->u);
    } else if (half == 1) {
      t.edge[1] = PKI_EDGE_CONVEX;
      pki_heights_normal(h, i, j, s->upper, t.neighbour[1]);
      t.edge[2] = first ? PKI_EDGE_CONVEX : PKI_EDGE_FLAT;
      for (int k = 0; first && k < 3; k++) {
        t.neighbour[2][k] = -s->u[k];
      }
    }
    if (!visit(&t, user)) {
      return false;
    }
  }
  return true;
}

static void sides_near(const pki_heights *h, const pki_aabb *box, pki_visit_triangle visit, void *user)
{
  for (int which = 0; which < 4; which++) {
    const side *s = &SIDES[which];
    const int count[2] = {h->nx, h->ny};
    const double place = s->far_end ? (count[s->fixed] - 1) * h->cell : 0,
                 end = (count[s->along] - 1) * h->cell;
    if (!(box->min[s->fixed] <= place && box->max[s->fixed] >= place && box->min[s->along] <= end &&
          box->max[s->along] >= 0)) {
      continue;
    }
    const int c0 = pki_heights_cell(nextafter(box->min[s->along], -INFINITY), h->cell, count[s->along]);
    const int c1 = pki_heights_cell(box->max[s->along], h->cell, count[s->along]);
    for (int c = c0; c <= c1; c++) {
      double a[3], b[3];
      int v;
      side_corner(h, s, c, a, &v);
      side_corner(h, s, c + 1, b, &v);
      const double low = fmin(box->min[2], fmin(a[2], b[2])) - (box->max[2] - box->min[2]) - h->cell;
      if (fmax(a[2], b[2]) >= box->min[2] && !side_cell(h, which, c, low, visit, user)) {
        return;
      }
    }
  }
}

void pki_triangles_near(const pk_geometry *g, const pki_aabb *box, pki_visit_triangle visit, void *user)
{
  if (g->kind == PK_SHAPE_MESH) {
    trimesh_near(g->mesh, box, visit, user);
  } else if (g->kind == PK_SHAPE_HEIGHTS) {
    pki_heights_triangles_near(g->heights, box, visit, user);
    sides_near(g->heights, box, visit, user);
  }
}
