/* Distances where one of two shapes is a mesh or a height field.
 *
 * Apart, the distance is the least over all triangles, found through the tree and exact. Where triangles cross, or one
 * shape lies inside the other, the depth is that of the deepest of the points at which they touch. */
#include "collision/surface.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "collision/heights.h"
#include "collision/minkowski.h"
#include "math/mat3.h"
#include "model/pose.h"

/* ---- gathering points ---- */

unsigned pki_surface_name(unsigned kind, unsigned a, unsigned b, unsigned c)
{
  const unsigned word[4] = {kind, a, b, c};
  return pki_touch_name(0x5ca1ab1e, word, 4);
}

void pki_gather_add(pki_gather *g, const pk_touch *t)
{
  pk_touch one = *t;
  for (int i = 0; i < g->count; i++) {
    pk_touch *known = &g->touch[i];
    double d[3];
    pki_sub3(known->point[0], one.point[0], d);
    if (pki_dot3(d, d) <= g->same * g->same && pki_dot3(known->normal, one.normal) > 0.999) {
      if (one.gap < known->gap - g->same) {
        one.id = known->id;
        *known = one;
      }
      return;
    }
  }
  /* one name, one point; no chain of names is longer than the list */
  bool taken = true;
  for (int tries = 0; taken && tries <= PKI_GATHER; tries++) {
    taken = false;
    for (int i = 0; i < g->count && !taken; i++) {
      taken = g->touch[i].id == one.id;
    }
    one.id = taken ? pki_surface_name(9, one.id, 0, 0) : one.id;
  }
  if (g->count == PKI_GATHER) {
    g->count = pki_touch_reduce(g->touch, g->count);
  }
  g->touch[g->count++] = one;
}

/* ---- boxes ---- */

static double gap2(const pki_aabb *a, const pki_aabb *b)
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

/* ---- the least distance over triangles ---- */

typedef struct search {
  pki_convex shape; /* in the surface's frame: the shape, or a triangle of the other mesh */
  double best;      /* nothing farther is looked for */
  bool found;
  double facing; /* cosine between the way to the nearest and its normal */
  pk_proximity near;
} search;

static bool try_triangle(const double *points, const double normal[3], search *s)
{
  const pk_pose here = pk_pose_identity();
  const pki_convex triangle = pki_convex_points(points, 3, &here);
  pk_proximity near;
  if (pki_gjk_distance(&s->shape, &triangle, s->best, &near) && (!s->found || near.distance < s->best)) {
    s->near = near, s->found = true;
    s->best = fmax(near.distance, 0);
    s->facing = pki_dot3(near.normal, normal);
  }
  return !s->found || s->near.distance > 0;
}

static bool try_visited(const pki_triangle *t, void *user)
{
  return try_triangle(t->point[0], t->normal, user);
}

static void search_mesh(const pki_trimesh *t, const pki_aabb *box, search *s)
{
  struct todo {
    double d2;
    int node;
  } stack[PKI_TREE_DEPTH + 1];
  int waiting = 0;
  stack[waiting++] = (struct todo){gap2(&t->node[0].box, box), 0};
  while (waiting > 0 && !(s->found && s->near.distance <= 0)) {
    const struct todo now = stack[--waiting];
    const struct pki_tree_node *node = &t->node[now.node];
    if (!(now.d2 <= s->best * s->best)) {
      continue;
    }
    if (node->count == 0) {
      const double left = gap2(&t->node[node->first].box, box);
      const double right = gap2(&t->node[node->first + 1].box, box);
      const int nearer = right < left;
      stack[waiting++] = (struct todo){nearer ? left : right, node->first + 1 - nearer};
      stack[waiting++] = (struct todo){nearer ? right : left, node->first + nearer};
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
    grow = s->found ? s->best : 4 * grow;
  }
}

static void search_surface(const pk_geometry *surface, const pki_aabb *box, search *s)
{
  if (surface->kind == PK_SHAPE_MESH) {
    search_mesh(surface->mesh, box, s);
  } else {
    search_heights(surface, box, s);
  }
}

/* ---- depth ---- */

static void to_world(const pk_pose *pose, double x[3])
{
  pki_mat3_apply(pose->rot, x, x);
  for (int k = 0; k < 3; k++) {
    x[k] += pose->pos[k];
  }
}

bool pki_touch_deepest(const pk_touch *touch, int n, pk_proximity *out)
{
  int best = 0;
  for (int i = 1; i < n; i++) {
    best = touch[i].gap < touch[best].gap ? i : best;
  }
  if (n > 0) {
    memcpy(out->point, touch[best].point, sizeof out->point);
    memcpy(out->normal, touch[best].normal, sizeof out->normal);
    out->distance = touch[best].gap;
  }
  return n > 0;
}

/* Whether a point that is not on a surface is inside. */
static bool is_enclosed(const pk_geometry *surface, const double x[3])
{
  if (surface->kind == PK_SHAPE_MESH) {
    return pki_trimesh_inside(surface->mesh, x);
  }
  const pki_heights *const h = surface->heights;
  return x[0] >= 0 && x[1] >= 0 && x[0] <= (h->nx - 1) * h->cell && x[1] <= (h->ny - 1) * h->cell &&
         x[2] < pki_heights_surface(h, x[0], x[1]);
}

/* A shape that meets no triangle is outside, or inside as a whole. Over the front of a triangle, away from its edges, it is
 * outside; at an edge the triangles' normals need not tell: from the bottom of a narrow valley both sides look away. */
static bool is_outside(const search *s, const double centre[3], const pk_geometry *surface)
{
  return !pki_surface_solid(surface) || s->facing > 1 - 1e-9 || !is_enclosed(surface, centre);
}

static bool convex_distance(const pk_geometry *shape, const pk_pose *pose, const pk_geometry *surface,
                            double reach, pk_proximity *out)
{
  search s = {.shape = pki_convex_of(shape, pose), .best = reach};
  pki_aabb box;
  double centre[3] = {shape->centre[0], shape->centre[1], shape->centre[2]};
  pki_geometry_bounds(shape, pose, &box);
  search_surface(surface, &box, &s);
  to_world(pose, centre);
  const bool meet = s.found && s.near.distance <= 0;
  if ((meet || !is_outside(&s, centre, surface)) && pki_surface_depth_convex(shape, pose, surface, out)) {
    return true;
  }
  *out = s.near;
  return s.found;
}

/* ---- two meshes ---- */

typedef struct pair_search {
  const pki_trimesh *a, *b;
  const pk_pose *pose; /* of a in b's frame */
  search s;
} pair_search;

static void try_leaves(pair_search *p, const struct pki_tree_node *na, const struct pki_tree_node *nb)
{
  for (int i = na->first; i < na->first + na->count; i++) {
    double mine[9], its[9];
    pki_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < 3; k++) {
      const double *v = p->a->vertex + 3 * (size_t)p->a->triangle[3 * (size_t)i + (size_t)k];
      pki_mat3_apply(p->pose->rot, v, mine + 3 * k);
      for (int c = 0; c < 3; c++) {
        mine[3 * k + c] += p->pose->pos[c];
      }
      add_point(&box, mine + 3 * k);
    }
    if (gap2(&box, &nb->box) > p->s.best * p->s.best) {
      continue;
    }
    const pk_pose here = pk_pose_identity();
    p->s.shape = pki_convex_points(mine, 3, &here);
    for (int j = nb->first; j < nb->first + nb->count; j++) {
      pki_aabb other = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
      for (int k = 0; k < 3; k++) {
        memcpy(its + 3 * k, p->b->vertex + 3 * (size_t)p->b->triangle[3 * (size_t)j + (size_t)k],
               3 * sizeof *its);
        add_point(&other, its + 3 * k);
      }
      if (gap2(&box, &other) > p->s.best * p->s.best) {
        continue;
      }
      if (!try_triangle(its, p->b->normal + 3 * (size_t)j, &p->s)) {
        return;
      }
    }
  }
}

/* Down both trees at once, the nearer pair of boxes first. */
static void search_pair(pair_search *p)
{
  struct todo {
    double d2;
    int a, b;
  } stack[2 * PKI_TREE_DEPTH + 2];
  int waiting = 0;
  stack[waiting++] = (struct todo){0, 0, 0};
  while (waiting > 0 && !(p->s.found && p->s.near.distance <= 0)) {
    const struct todo now = stack[--waiting];
    const struct pki_tree_node *na = &p->a->node[now.a], *nb = &p->b->node[now.b];
    if (!(now.d2 <= p->s.best * p->s.best)) {
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
    struct todo child[2];
    for (int k = 0; k < 2; k++) {
      child[k] = (struct todo){0, open_a ? na->first + k : now.a, open_a ? now.b : nb->first + k};
      const pki_aabb box = move_box(&p->a->node[child[k].a].box, p->pose);
      child[k].d2 = gap2(&box, &p->b->node[child[k].b].box);
    }
    const int nearer = child[1].d2 < child[0].d2;
    stack[waiting++] = child[1 - nearer];
    stack[waiting++] = child[nearer];
  }
}

/* A mesh over a height field: the lowest corner bounds the distance, then each triangle is tried. */
static void search_over(const pki_trimesh *a, const pk_pose *pose, const pk_geometry *field, search *s)
{
  for (int i = 0; i < a->ntriangle && !(s->found && s->near.distance <= 0); i++) {
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
    const pk_pose here = pk_pose_identity();
    s->shape = pki_convex_points(mine, 3, &here);
    search_heights(field, &box, s);
  }
}

/* Whether a part of mesh a lies inside b, when no triangles meet; pose: of a in b's frame. */
static bool part_inside(const pki_trimesh *a, const pk_pose *pose, const pk_geometry *b)
{
  for (int i = 0; i < a->ntriangle && pki_surface_solid(b); i++) {
    double x[3];
    if (a->first_use[i] >> 6 & 1) {
      memcpy(x, a->vertex + 3 * (size_t)a->triangle[3 * (size_t)i], sizeof x);
      to_world(pose, x);
      if (is_enclosed(b, x)) {
        return true;
      }
    }
  }
  return false;
}

static bool mesh_distance(const pk_geometry *a, const pk_pose *pose, const pk_geometry *b, double reach,
                          pk_proximity *out)
{
  pair_search p = {.a = a->mesh, .b = b->mesh, .pose = pose, .s = {.best = reach}};
  pk_touch touch[PK_TOUCH_MOST];
  if (b->kind == PK_SHAPE_MESH) {
    search_pair(&p);
  } else {
    search_over(a->mesh, pose, b, &p.s);
  }
  bool overlap = (p.s.found && p.s.near.distance <= 0) || part_inside(a->mesh, pose, b);
  if (!overlap && b->kind == PK_SHAPE_MESH) {
    const pk_pose back = pki_pose_invert(pose);
    overlap = part_inside(b->mesh, &back, a);
  }
  const int count = overlap ? pki_surface_touch_mesh(a, pose, b, 0, touch) : 0;
  if (pki_touch_deepest(touch, count, out)) {
    return true;
  }
  *out = p.s.near;
  return p.s.found;
}

/* ---- which way a pair takes ---- */

/* Numbers in the order of a dictionary: < 0: a comes first, 0: they are the same. */
static int compare_numbers(const double *a, const double *b, int n)
{
  for (int k = 0; k < n; k++) {
    if (a[k] != b[k]) {
      return a[k] < b[k] ? -1 : 1;
    }
  }
  return 0;
}

/* Which of two meshes comes first, by what they look like; 0: copies of one. */
static int compare_meshes(const pk_geometry *a, const pk_geometry *b)
{
  const pki_trimesh *const s = a->mesh, *const t = b->mesh;
  const double of_a[6] = {s->ntriangle, s->nvertex, s->size, a->centre[0], a->centre[1], a->centre[2]};
  const double of_b[6] = {t->ntriangle, t->nvertex, t->size, b->centre[0], b->centre[1], b->centre[2]};
  const int order = compare_numbers(of_a, of_b, 6);
  return order != 0 ? order : compare_numbers(s->vertex, t->vertex, 9);
}

/* The surface is the second of the pair: the field, else the mesh, of two meshes the one that comes later. */
static bool needs_turn(const pk_geometry *a, const pk_geometry *b)
{
  if (a->kind == PK_SHAPE_MESH && b->kind == PK_SHAPE_MESH) {
    return compare_meshes(a, b) > 0;
  }
  return pki_is_convex(b) || (a->kind == PK_SHAPE_HEIGHTS && b->kind != PK_SHAPE_HEIGHTS);
}

/* Copies of one mesh, by their poses: for distances alone, since touches would be renamed when copies pass each other. */
static bool copies_need_turn(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                             const pk_pose *pose_b)
{
  if (a->kind != PK_SHAPE_MESH || b->kind != PK_SHAPE_MESH || compare_meshes(a, b) != 0) {
    return false;
  }
  const int order = compare_numbers(pose_a->pos, pose_b->pos, 3);
  return (order != 0 ? order : compare_numbers(pose_a->rot, pose_b->rot, 9)) > 0;
}

static bool can_touch(const pk_geometry *a, const pk_geometry *b)
{
  return a->kind != PK_SHAPE_PLANE && b->kind != PK_SHAPE_PLANE &&
         !(a->kind == PK_SHAPE_HEIGHTS && b->kind == PK_SHAPE_HEIGHTS);
}

bool pki_surface_distance(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                          const pk_pose *pose_b, double reach, pk_proximity *out)
{
  if (!can_touch(a, b)) {
    return false;
  }
  if (needs_turn(a, b) || copies_need_turn(a, pose_a, b, pose_b)) {
    const bool near = pki_surface_distance(b, pose_b, a, pose_a, reach, out);
    if (near) {
      pki_proximity_turn(out);
    }
    return near;
  }
  const pk_pose back = pki_pose_invert(pose_b), pose = pki_pose_mul(&back, pose_a);
  if (!(pki_is_convex(a) ? convex_distance(a, &pose, b, reach, out)
                         : mesh_distance(a, &pose, b, reach, out))) {
    return false;
  }
  to_world(pose_b, out->point[0]);
  to_world(pose_b, out->point[1]);
  pki_mat3_apply(pose_b->rot, out->normal, out->normal);
  return true;
}

int pki_surface_touch(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                      const pk_pose *pose_b, double margin, pk_touch out[PK_TOUCH_MOST])
{
  if (!can_touch(a, b)) {
    return 0;
  }
  const bool turn = needs_turn(a, b);
  const pk_geometry *shape = turn ? b : a, *surface = turn ? a : b;
  const pk_pose *at = turn ? pose_a : pose_b;
  const pk_pose back = pki_pose_invert(at), pose = pki_pose_mul(&back, turn ? pose_b : pose_a);
  const int n = pki_is_convex(shape) ? pki_surface_touch_convex(shape, &pose, surface, margin, out)
                                     : pki_surface_touch_mesh(shape, &pose, surface, margin, out);
  for (int i = 0; i < n; i++) {
    pk_touch *t = &out[i];
    to_world(at, t->point[0]);
    to_world(at, t->point[1]);
    pki_mat3_apply(at->rot, t->normal, t->normal);
    for (int k = 0; turn && k < 3; k++) {
      const double x = t->point[0][k];
      t->point[0][k] = t->point[1][k], t->point[1][k] = x;
      t->normal[k] = -t->normal[k];
    }
  }
  return n;
}
