/* The least distance from a convex shape, or from a mesh, to the triangles of a surface, exact.
 *
 * Trees are gone down the nearer box first, and nothing is looked at that a bound proves to be no nearer than the best so
 * far: that of boxes, and that along the normals of the last answers. Where surfaces bend away, few triangles are left that
 * GJK has to be asked about. */
#include <math.h>
#include <string.h>

#include "collision/narrow/surface.h"
#include "collision/shapes/heights.h"
#include "math/mat3.h"
#include "model/pose.h"

/* ---- boxes ---- */

static double squared_box_gap(const pki_aabb *a, const pki_aabb *b)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    const double below = a->min[k] - b->max[k], above = b->min[k] - a->max[k];
    const double d = below > 0 ? below : above > 0 ? above : 0;
    sum += d * d;
  }
  return sum;
}

static void add_point(pki_aabb *box, const double p[3])
{
  for (int k = 0; k < 3; k++) {
    box->min[k] = p[k] < box->min[k] ? p[k] : box->min[k];
    box->max[k] = p[k] > box->max[k] ? p[k] : box->max[k];
  }
}

/* A box around a box at a pose. */
static pki_aabb move_box(const pki_aabb *box, const pk_pose *pose)
{
  pki_aabb out;
  for (int i = 0; i < 3; i++) {
    double middle = pose->pos[i], half = 0;
    for (int k = 0; k < 3; k++) {
      middle += pose->rot[3 * i + k] * 0.5 * (box->min[k] + box->max[k]);
      half += fabs(pose->rot[3 * i + k]) * 0.5 * (box->max[k] - box->min[k]);
    }
    /* a hair for rounding */
    half += 4e-16 * (fabs(middle) + half);
    out.min[i] = middle - half, out.max[i] = middle + half;
  }
  return out;
}

static void move_point(const pk_pose *pose, double x[3])
{
  pki_mat3_apply(pose->rot, x, x);
  for (int k = 0; k < 3; k++) {
    x[k] += pose->pos[k];
  }
}

/* ---- the least distance over triangles ---- */

enum { WAYS = 3 };

typedef struct search {
  pki_convex shape; /* in the surface's frame: the shape, or a triangle of the other mesh */
  double best;      /* nothing farther is looked for */
  pki_nearest out;
  /* All of the shape is above way'x = low: what is `best` below that is no nearer. The ways are the normals of the last
   * answers; where a surface bends away few triangles are left that GJK has to be asked about. */
  int nway;
  double way[WAYS][3], low[WAYS];
} search;

/* How low the shape reaches along a way. */
static double low_along(const pki_convex *shape, const double way[3])
{
  const double down[3] = {-way[0], -way[1], -way[2]};
  double x[3];
  (void)pki_convex_support(shape, down, -1, x);
  return pki_dot3(way, x) - shape->rounding;
}

/* Take a triangle for the shape. */
static void set_triangle(search *s, const double *points)
{
  const pk_pose here = pk_pose_identity();
  s->shape = pki_convex_points(points, 3, &here);
  for (int w = 0; w < s->nway; w++) {
    const double *const n = s->way[w];
    s->low[w] = fmin(pki_dot3(n, points), fmin(pki_dot3(n, points + 3), pki_dot3(n, points + 6)));
  }
}

static void add_separating_direction(search *s, const double way[3])
{
  memmove(s->way[1], s->way[0], (WAYS - 1) * sizeof s->way[0]);
  memmove(s->low + 1, s->low, (WAYS - 1) * sizeof s->low[0]);
  memcpy(s->way[0], way, sizeof s->way[0]);
  s->low[0] = low_along(&s->shape, way);
  s->nway += s->nway < WAYS;
}

/* Whether a box, or a triangle, is too far below the shape along one of the ways. */
static bool is_box_below(const search *s, const pki_aabb *box)
{
  for (int w = 0; w < s->nway; w++) {
    const double *const n = s->way[w];
    double high = 0;
    for (int k = 0; k < 3; k++) {
      high += fmax(n[k] * box->min[k], n[k] * box->max[k]);
    }
    if (high <= s->low[w] - s->best) {
      return true;
    }
  }
  return false;
}

static bool is_triangle_below(const search *s, const double *p)
{
  for (int w = 0; w < s->nway; w++) {
    const double *const n = s->way[w], high = s->low[w] - s->best;
    if (pki_dot3(n, p) <= high && pki_dot3(n, p + 3) <= high && pki_dot3(n, p + 6) <= high) {
      return true;
    }
  }
  return false;
}

static bool try_triangle(const double *points, const double normal[3], search *s)
{
  if (is_triangle_below(s, points)) {
    return true;
  }
  const pk_pose here = pk_pose_identity();
  const pki_convex triangle = pki_convex_points(points, 3, &here);
  pk_proximity near;
  if (pki_gjk_distance(&s->shape, &triangle, s->best, &near) && (!s->out.found || near.distance < s->best)) {
    s->out.near = near, s->out.found = true;
    s->best = fmax(near.distance, 0);
    s->out.facing = pki_dot3(near.normal, normal);
    add_separating_direction(s, near.normal);
  }
  return !s->out.found || s->out.near.distance > 0;
}

static bool try_visited(const pki_triangle *t, void *user)
{
  return try_triangle(t->point[0], t->normal, user);
}

static void search_mesh(const pki_trimesh *t, const pki_aabb *box, search *s)
{
  struct visit {
    double d2;
    int node;
  } stack[PKI_TREE_DEPTH + 1];
  int waiting = 0;
  stack[waiting++] = (struct visit){squared_box_gap(&t->node[0].box, box), 0};
  while (waiting > 0 && !(s->out.found && s->out.near.distance <= 0)) {
    const struct visit now = stack[--waiting];
    const struct pki_tree_node *node = &t->node[now.node];
    if (!(now.d2 <= s->best * s->best) || is_box_below(s, &node->box)) {
      continue;
    }
    if (node->count == 0) {
      const double left = squared_box_gap(&t->node[node->first].box, box);
      const double right = squared_box_gap(&t->node[node->first + 1].box, box);
      const int nearer = right < left;
      stack[waiting++] = (struct visit){nearer ? left : right, node->first + 1 - nearer};
      stack[waiting++] = (struct visit){nearer ? right : left, node->first + nearer};
      continue;
    }
    for (int i = node->first; i < node->first + node->count; i++) {
      double points[9];
      for (int k = 0; k < 3; k++) {
        memcpy(points + 3 * k, t->vertex + 3 * (size_t)t->triangle[3 * (size_t)i + (size_t)k],
               3 * sizeof *points);
      }
      if (!try_triangle(points, t->normal + 3 * (size_t)i, s)) {
        return;
      }
    }
  }
}

/* A height field has no tree: what lies in a box around the shape is looked at, and the box grows until it holds
 * everything as near as the best. */
static void search_heights(const pk_geometry *field, const pki_aabb *box, search *s)
{
  double grow = field->heights->cell;
  for (int round = 0; round < 200; round++) {
    pki_aabb wide = *box;
    grow = fmin(grow, s->best);
    for (int k = 0; k < 3; k++) {
      wide.min[k] -= grow, wide.max[k] += grow;
    }
    pki_triangles_near(field, &wide, try_visited, s);
    if (grow >= s->best) {
      return;
    }
    grow = s->out.found ? s->best : 4 * grow;
  }
}

void pki_surface_search_convex(const pk_geometry *shape, const pk_pose *pose, const pk_geometry *surface,
                               double reach, pki_nearest *out)
{
  search s = {.shape = pki_convex_of(shape, pose), .best = reach};
  pki_aabb box;
  pki_geometry_bounds(shape, pose, &box);
  if (surface->kind == PK_SHAPE_MESH) {
    search_mesh(surface->mesh, &box, &s);
  } else {
    search_heights(surface, &box, &s);
  }
  *out = s.out;
}

/* ---- two meshes ---- */

typedef struct pair_search {
  const pki_trimesh *a, *b;
  const pk_pose *pose; /* of a in b's frame */
  search s;
} pair_search;

/* Triangle i of a in b's frame. */
static void place_triangle(const pair_search *p, int i, double mine[9], pki_aabb *box)
{
  *box = (pki_aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int k = 0; k < 3; k++) {
    memcpy(mine + 3 * k, p->a->vertex + 3 * (size_t)p->a->triangle[3 * (size_t)i + (size_t)k],
           3 * sizeof *mine);
    move_point(p->pose, mine + 3 * k);
    add_point(box, mine + 3 * k);
  }
}

/* The triangle at hand with triangle j of b; false: they meet. */
static bool try_pair(pair_search *p, const pki_aabb *box, int j)
{
  double its[9];
  pki_aabb other = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int k = 0; k < 3; k++) {
    memcpy(its + 3 * k, p->b->vertex + 3 * (size_t)p->b->triangle[3 * (size_t)j + (size_t)k],
           3 * sizeof *its);
    add_point(&other, its + 3 * k);
  }
  return squared_box_gap(box, &other) > p->s.best * p->s.best ||
         try_triangle(its, p->b->normal + 3 * (size_t)j, &p->s);
}

static void try_leaves(pair_search *p, const struct pki_tree_node *na, const struct pki_tree_node *nb)
{
  for (int i = na->first; i < na->first + na->count; i++) {
    double mine[9];
    pki_aabb box;
    place_triangle(p, i, mine, &box);
    if (squared_box_gap(&box, &nb->box) > p->s.best * p->s.best) {
      continue;
    }
    set_triangle(&p->s, mine);
    if (is_box_below(&p->s, &nb->box)) {
      continue;
    }
    for (int j = nb->first; j < nb->first + nb->count; j++) {
      if (!try_pair(p, &box, j)) {
        return;
      }
    }
  }
}

/* A first answer that is near the best: from the middle of a to the nearest triangle of b, back to the nearest of a, and
 * once more. */
static void try_likely(pair_search *p)
{
  const pki_aabb *const all = &p->a->node[0].box;
  const pk_pose back = pki_pose_invert(p->pose);
  double x[3], mine[9];
  pki_aabb box;
  int i = 0, j = 0;
  for (int k = 0; k < 3; k++) {
    x[k] = 0.5 * (all->min[k] + all->max[k]);
  }
  for (int round = 0; round < 2 && i >= 0 && j >= 0; round++) {
    move_point(p->pose, x);
    j = pki_trimesh_nearest(p->b, x, INFINITY, x);
    move_point(&back, x);
    i = pki_trimesh_nearest(p->a, x, INFINITY, x);
  }
  if (i >= 0 && j >= 0) {
    place_triangle(p, i, mine, &box);
    set_triangle(&p->s, mine);
    (void)try_pair(p, &box, j);
  }
}

/* Whether box `low` of b is too far below box `high` of a, along one of the ways. */
static bool is_pair_below(const pair_search *p, const pki_aabb *high, const pki_aabb *low)
{
  for (int w = 0; w < p->s.nway; w++) {
    const double *const n = p->s.way[w];
    double own[3], gap = pki_dot3(n, p->pose->pos);
    pki_mat3_apply_transposed(p->pose->rot, n, own);
    for (int k = 0; k < 3; k++) {
      gap +=
          fmin(own[k] * high->min[k], own[k] * high->max[k]) - fmax(n[k] * low->min[k], n[k] * low->max[k]);
    }
    if (gap >= p->s.best) {
      return true;
    }
  }
  return false;
}

/* Down both trees at once, the nearer pair of boxes first. */
static void search_pair(pair_search *p)
{
  struct visit {
    double d2;
    int a, b;
    pki_aabb box; /* around a's, in b's frame */
  } stack[2 * PKI_TREE_DEPTH + 2];
  int waiting = 0;
  stack[waiting++] = (struct visit){0, 0, 0, move_box(&p->a->node[0].box, p->pose)};
  while (waiting > 0 && !(p->s.out.found && p->s.out.near.distance <= 0)) {
    const struct visit now = stack[--waiting];
    const struct pki_tree_node *na = &p->a->node[now.a], *nb = &p->b->node[now.b];
    if (!(now.d2 <= p->s.best * p->s.best) || is_pair_below(p, &na->box, &nb->box)) {
      continue;
    }
    if (na->count > 0 && nb->count > 0) {
      try_leaves(p, na, nb);
      continue;
    }
    double size_a = 0, size_b = 0;
    for (int k = 0; k < 3; k++) {
      size_a = fmax(size_a, na->box.max[k] - na->box.min[k]);
      size_b = fmax(size_b, nb->box.max[k] - nb->box.min[k]);
    }
    const bool open_a = nb->count > 0 || (na->count == 0 && size_a >= size_b);
    struct visit child[2] = {now, now};
    for (int k = 0; k < 2; k++) {
      if (open_a) {
        child[k].a = na->first + k;
        child[k].box = move_box(&p->a->node[child[k].a].box, p->pose);
      } else {
        child[k].b = nb->first + k;
      }
      child[k].d2 = squared_box_gap(&child[k].box, &p->b->node[child[k].b].box);
    }
    const int nearer = child[1].d2 < child[0].d2;
    stack[waiting++] = child[1 - nearer];
    stack[waiting++] = child[nearer];
  }
}

/* A mesh over a height field: the lowest corner bounds the distance, then each triangle is tried. */
static void search_over(const pki_trimesh *a, const pk_pose *pose, const pk_geometry *field, search *s)
{
  for (int i = 0; i < a->ntriangle && !(s->out.found && s->out.near.distance <= 0); i++) {
    double mine[9];
    pki_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < 3; k++) {
      pki_mat3_apply(pose->rot, a->vertex + 3 * (size_t)a->triangle[3 * (size_t)i + (size_t)k], mine + 3 * k);
      for (int c = 0; c < 3; c++) {
        mine[3 * k + c] += pose->pos[c];
      }
      add_point(&box, mine + 3 * k);
    }
    if (box.min[2] - field->heights->top > s->best) {
      continue;
    }
    set_triangle(s, mine);
    search_heights(field, &box, s);
  }
}

void pki_surface_search_mesh(const pk_geometry *mesh, const pk_pose *pose, const pk_geometry *surface,
                             double reach, pki_nearest *out)
{
  pair_search p = {.a = mesh->mesh, .pose = pose, .s = {.best = reach}};
  if (surface->kind == PK_SHAPE_MESH) {
    p.b = surface->mesh;
    try_likely(&p);
    search_pair(&p);
  } else {
    search_over(mesh->mesh, pose, surface, &p.s);
  }
  *out = p.s.out;
}
