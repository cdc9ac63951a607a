/* The tree of boxes over a mesh's triangles, and what is asked of it.
 *
 * Boxes are cut where the surface-area heuristic (Goldsmith and Salmon, "Automatic creation of object hierarchies for ray
 * tracing", 1987), taken over 16 bins (Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007), is
 * least; below a depth that no sound mesh reaches, in the middle, so that the depth is bounded. Children lie side by
 * side and triangles in the order of the leaves, so walks that take the first child first meet triangles in order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collision/shapes/trimesh.h"
#include "math/mat3.h"

enum { LEAF = 4, BINS = 16, HEURISTIC_DEPTH = 48 };

/* ---- planting ---- */

static const pki_aabb EMPTY = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void add_point(pki_aabb *box, const double p[3])
{
  for (int k = 0; k < 3; k++) {
    box->min[k] = p[k] < box->min[k] ? p[k] : box->min[k];
    box->max[k] = p[k] > box->max[k] ? p[k] : box->max[k];
  }
}

static pki_aabb triangle_box(const pki_trimesh *t, int i)
{
  pki_aabb box = EMPTY;
  for (int k = 0; k < 3; k++) {
    add_point(&box, t->vertex + 3 * (size_t)t->triangle[3 * (size_t)i + (size_t)k]);
  }
  return box;
}

/* A node's triangles sorted into bins along the longest side of the box around their middles. */
typedef struct cut {
  int axis;
  double from, scale;
  int first_right; /* the bin where the right side begins; 0: cut in the middle */
} cut;

static int bin_of(const cut *c, const pki_aabb *box)
{
  const double middle = 0.5 * (box->min[c->axis] + box->max[c->axis]);
  const int bin = (int)((middle - c->from) * c->scale);
  return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

/* The cut with the least area times count, left and right. */
static int best_bin(const pki_aabb *box, const int *count)
{
  pki_aabb right[BINS], sum = EMPTY;
  int nright[BINS], n = 0, best = 0;
  for (int b = BINS - 1; b > 0; b--) {
    if (count[b] > 0) {
      sum = pki_aabb_join(&sum, &box[b]);
    }
    right[b] = sum, nright[b] = n += count[b];
  }
  sum = EMPTY, n = 0;
  double least = INFINITY;
  for (int b = 1; b < BINS; b++) {
    if (count[b - 1] > 0) {
      sum = pki_aabb_join(&sum, &box[b - 1]);
    }
    n += count[b - 1];
    if (n > 0 && nright[b] > 0) {
      const double cost = pki_aabb_area(&sum) * n + pki_aabb_area(&right[b]) * nright[b];
      best = cost < least ? b : best;
      least = cost < least ? cost : least;
    }
  }
  return best;
}

static cut choose_cut(const pki_trimesh *t, const int *order, int count)
{
  pki_aabb middles = EMPTY;
  for (int i = 0; i < count; i++) {
    const pki_aabb box = triangle_box(t, order[i]);
    const double middle[3] = {0.5 * (box.min[0] + box.max[0]), 0.5 * (box.min[1] + box.max[1]),
                              0.5 * (box.min[2] + box.max[2])};
    add_point(&middles, middle);
  }
  cut c = {0};
  for (int k = 1; k < 3; k++) {
    const double longest = middles.max[c.axis] - middles.min[c.axis];
    c.axis = middles.max[k] - middles.min[k] > longest ? k : c.axis;
  }
  const double length = middles.max[c.axis] - middles.min[c.axis];
  c.from = middles.min[c.axis], c.scale = BINS / length;
  if (!(length > 0) || !isfinite(c.scale)) {
    return c;
  }
  pki_aabb box[BINS];
  int counts[BINS] = {0};
  for (int b = 0; b < BINS; b++) {
    box[b] = EMPTY;
  }
  for (int i = 0; i < count; i++) {
    const pki_aabb one = triangle_box(t, order[i]);
    const int b = bin_of(&c, &one);
    box[b] = pki_aabb_join(&box[b], &one);
    counts[b]++;
  }
  c.first_right = best_bin(box, counts);
  return c;
}

/* Split a node's triangles in place; how many go left. */
static int split_node(const pki_trimesh *t, int *order, int count, int depth)
{
  const cut c = depth < HEURISTIC_DEPTH ? choose_cut(t, order, count) : (cut){0};
  int left = 0;
  for (int i = 0; c.first_right > 0 && i < count; i++) {
    const pki_aabb box = triangle_box(t, order[i]);
    if (bin_of(&c, &box) < c.first_right) {
      const int swap = order[left];
      order[left++] = order[i], order[i] = swap;
    }
  }
  return left > 0 && left < count ? left : count / 2;
}

/* Bring the triangles into the order of the leaves. */
static bool reorder_triangles(pki_trimesh *t, const int *order)
{
  const size_t n = (size_t)t->ntriangle;
  int *place = malloc(n * sizeof *place), *copy = malloc(3 * n * sizeof *copy);
  const bool ok = place != NULL && copy != NULL;
  for (size_t i = 0; ok && i < n; i++) {
    place[order[i]] = (int)i;
  }
  for (size_t i = 0; ok && i < n; i++) {
    memcpy(copy + 3 * i, t->triangle + 3 * (size_t)order[i], 3 * sizeof *copy);
  }
  if (ok) {
    memcpy(t->triangle, copy, 3 * n * sizeof *copy);
  }
  for (size_t i = 0; ok && i < 3 * n; i++) {
    const int behind = t->neighbour[3 * (size_t)order[i / 3] + i % 3];
    copy[i] = behind < 0 ? -1 : place[behind];
  }
  if (ok) {
    memcpy(t->neighbour, copy, 3 * n * sizeof *copy);
  }
  for (size_t i = 0; ok && i < n; i++) {
    copy[i] = t->part[order[i]];
  }
  if (ok) {
    memcpy(t->part, copy, n * sizeof *copy);
  }
  free(place);
  free(copy);
  return ok;
}

/* Cut until every leaf holds at most LEAF. */
static void grow_tree(pki_trimesh *t, int *order)
{
  struct visit {
    int node, depth;
  } stack[PKI_TREE_DEPTH + 1];
  int waiting = 0;
  t->node[0] = (struct pki_tree_node){.first = 0, .count = t->ntriangle};
  t->nnode = 1;
  stack[waiting++] = (struct visit){0, 0};
  while (waiting > 0) {
    const struct visit now = stack[--waiting];
    struct pki_tree_node *node = &t->node[now.node];
    const int first = node->first, count = node->count;
    node->box = EMPTY;
    for (int i = first; i < first + count; i++) {
      const pki_aabb box = triangle_box(t, order[i]);
      node->box = pki_aabb_join(&node->box, &box);
    }
    if (count <= LEAF) {
      continue;
    }
    const int left = split_node(t, order + first, count, now.depth);
    node->first = t->nnode, node->count = 0;
    t->node[t->nnode++] = (struct pki_tree_node){.first = first, .count = left};
    t->node[t->nnode++] = (struct pki_tree_node){.first = first + left, .count = count - left};
    stack[waiting++] = (struct visit){t->nnode - 1, now.depth + 1};
    stack[waiting++] = (struct visit){t->nnode - 2, now.depth + 1};
  }
}

/* Whether the far corner of the triangle behind edge k of triangle i is not above it, to `hair` m. */
static bool bends_away(const pki_trimesh *t, int i, int k, double hair)
{
  const int behind = t->neighbour[3 * (size_t)i + (size_t)k];
  if (behind < 0) {
    return false;
  }
  const int *const v = t->triangle + 3 * (size_t)i, *const w = t->triangle + 3 * (size_t)behind;
  int far = w[0];
  for (int c = 1; c < 3; c++) {
    far = far == v[k] || far == v[(k + 1) % 3] ? w[c] : far;
  }
  double e[3][3], n[3];
  for (int c = 0; c < 3; c++) {
    const double *const from = t->vertex + 3 * (size_t)v[0];
    e[0][c] = t->vertex[3 * (size_t)v[1] + (size_t)c] - from[c];
    e[1][c] = t->vertex[3 * (size_t)v[2] + (size_t)c] - from[c];
    e[2][c] = t->vertex[3 * (size_t)far + (size_t)c] - from[c];
  }
  pki_cross3(e[0], e[1], n);
  return pki_dot3(n, e[2]) <= hair * sqrt(pki_dot3(n, n));
}

/* A closed surface in one piece that is convex at every edge is the border of a convex body (Hadamard). */
static bool is_convex(const pki_trimesh *t)
{
  bool convex = t->closed;
  double size = 0;
  for (int k = 0; k < 3; k++) {
    size = fmax(size, t->node[0].box.max[k] - t->node[0].box.min[k]);
  }
  for (int i = 0; i < t->ntriangle && convex; i++) {
    convex = t->part[i] == t->part[0];
    for (int k = 0; k < 3 && convex; k++) {
      convex = bends_away(t, i, k, 1e-13 * size);
    }
  }
  return convex;
}

bool pki_trimesh_plant(pki_trimesh *t)
{
  const size_t n = (size_t)t->ntriangle;
  int *order = malloc(n * sizeof *order);
  t->node = malloc(2 * n * sizeof *t->node);
  bool ok = order != NULL && t->node != NULL;
  if (ok) {
    for (size_t i = 0; i < n; i++) {
      order[i] = (int)i;
    }
    grow_tree(t, order);
    ok = reorder_triangles(t, order);
    struct pki_tree_node *less = realloc(t->node, (size_t)t->nnode * sizeof *less);
    t->node = less != NULL ? less : t->node;
    t->convex = ok && is_convex(t);
  }
  free(order);
  return ok;
}

/* ---- the nearest point ---- */

static double squared_distance(const double a[3], const double b[3])
{
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return pki_dot3(d, d);
}

int pki_triangle_nearest(const double p[3], const double a[3], const double b[3], const double c[3],
                         const double normal[3], double out[3])
{
  const double *corner[3] = {a, b, c};
  double least = INFINITY;
  int part = 6;
  for (int k = 0; k < 3; k++) {
    const double *from = corner[k], *to = corner[(k + 1) % 3];
    const double e[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    const double r[3] = {p[0] - from[0], p[1] - from[1], p[2] - from[2]};
    double outward[3];
    pki_cross3(e, normal, outward);
    if (pki_dot3(outward, r) <= 0) {
      continue; /* on the inner side of this edge */
    }
    const double along = pki_dot3(r, e), square = pki_dot3(e, e);
    const double s = along <= 0 ? 0 : along >= square ? 1 : along / square;
    const double x[3] = {from[0] + s * e[0], from[1] + s * e[1], from[2] + s * e[2]};
    const double d = squared_distance(p, s == 1 ? to : x);
    if (d < least) {
      least = d;
      part = s == 0 ? k : s == 1 ? (k + 1) % 3 : 3 + k;
      memcpy(out, s == 1 ? to : x, 3 * sizeof *out);
    }
  }
  if (part == 6) {
    const double h = (p[0] - a[0]) * normal[0] + (p[1] - a[1]) * normal[1] + (p[2] - a[2]) * normal[2];
    for (int k = 0; k < 3; k++) {
      out[k] = p[k] - h * normal[k];
    }
  }
  return part;
}

/* The nearest point of triangle i. Returns the part it lies on. */
static int nearest_on_triangle(const pki_trimesh *t, int i, const double point[3], double out[3])
{
  const int *v = t->triangle + 3 * (size_t)i;
  return pki_triangle_nearest(point, t->vertex + 3 * (size_t)v[0], t->vertex + 3 * (size_t)v[1],
                              t->vertex + 3 * (size_t)v[2], t->normal + 3 * (size_t)i, out);
}

/* More than rounding can add to a distance from a point, m: distances are differences of coordinates as large as its own, or
 * as itself. */
static double distance_hair(const double point[3])
{
  return 1e-14 * (fabs(point[0]) + fabs(point[1]) + fabs(point[2]));
}

/* The square of a point's distance from the plane of triangle i, or a hair less. */
static double height_square(const pki_trimesh *t, int i, const double point[3], double hair)
{
  const double *a = t->vertex + 3 * (size_t)t->triangle[3 * (size_t)i];
  const double away[3] = {point[0] - a[0], point[1] - a[1], point[2] - a[2]};
  const double height = fabs(pki_dot3(away, t->normal + 3 * (size_t)i)) - hair;
  return height > 0 ? height * height : 0;
}

/* Branch and bound, the nearer box first; `least` is the square of a distance beyond which nothing is looked at. The order
 * does not depend on it, so that among triangles at the same distance the same one is found whatever it is. */
static int nearest_within(const pki_trimesh *t, const double point[3], double least, double nearest[3],
                          int *part)
{
  struct visit {
    double d2;
    int node;
  } stack[PKI_TREE_DEPTH + 1];
  int waiting = 0, best = -1;
  const double hair = distance_hair(point);
  stack[waiting++] = (struct visit){pki_aabb_distance2(&t->node[0].box, point), 0};
  while (waiting > 0) {
    const struct visit now = stack[--waiting];
    const struct pki_tree_node *node = &t->node[now.node];
    if (!(best < 0 ? now.d2 <= least : now.d2 < least)) {
      continue;
    }
    if (node->count == 0) {
      const double left = pki_aabb_distance2(&t->node[node->first].box, point);
      const double right = pki_aabb_distance2(&t->node[node->first + 1].box, point);
      const int nearer = right < left;
      stack[waiting++] = (struct visit){nearer ? left : right, node->first + 1 - nearer};
      stack[waiting++] = (struct visit){nearer ? right : left, node->first + nearer};
      continue;
    }
    for (int i = node->first; i < node->first + node->count; i++) {
      if (height_square(t, i, point, hair) > least * (1 + 1e-9)) {
        continue; /* its plane is farther already */
      }
      double x[3];
      const int on = nearest_on_triangle(t, i, point, x);
      const double d2 = squared_distance(point, x);
      if (best < 0 ? d2 <= least : d2 < least) {
        least = d2, best = i, *part = on;
        memcpy(nearest, x, sizeof x);
      }
    }
  }
  return best;
}

int pki_trimesh_nearest(const pki_trimesh *t, const double point[3], double reach, double nearest[3])
{
  int part = 0;
  return reach >= 0 ? nearest_within(t, point, reach * reach, nearest, &part) : -1;
}

int pki_trimesh_nearest_from(const pki_trimesh *t, const double point[3], int hint, double nearest[3],
                             int *part)
{
  if (hint < 0) {
    return nearest_within(t, point, INFINITY, nearest, part);
  }
  /* whatever is as near as the hint, boxes around it rounded or not, is within this */
  double x[3];
  (void)nearest_on_triangle(t, hint, point, x);
  const double within = sqrt(squared_distance(point, x)) * (1 + 1e-9) + distance_hair(point);
  return nearest_within(t, point, within * within, nearest, part);
}

/* ---- rays ----
 *
 * Triangles are seen along the ray, which is sheared to an axis (Woop, Benthin, Wald, "Watertight ray/triangle
 * intersection", 2013). Neighbours compute the same number for their common edge, up to its sign, so that no ray slips
 * through between them; contraction would break that. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

typedef struct ray {
  const double *from;
  int x, y, z; /* axes, z the longest of the direction */
  double shear[3];
  double along[3], inverse[3];
} ray;

static ray make_ray(const double from[3], const double along[3])
{
  ray r = {.from = from};
  for (int k = 1; k < 3; k++) {
    r.z = fabs(along[k]) > fabs(along[r.z]) ? k : r.z;
  }
  r.x = (r.z + 1) % 3, r.y = (r.z + 2) % 3;
  r.shear[0] = along[r.x] / along[r.z], r.shear[1] = along[r.y] / along[r.z], r.shear[2] = 1 / along[r.z];
  for (int k = 0; k < 3; k++) {
    r.along[k] = along[k], r.inverse[k] = 1 / along[k];
  }
  return r;
}

/* Where a ray meets a triangle: +1 out through its front, -1 in through it, 0 not at all; 2: along an edge, to either side. */
static int cross_triangle(const pki_trimesh *t, const ray *r, int i, double *distance)
{
  double p[3][3];
  for (int k = 0; k < 3; k++) {
    const double *v = t->vertex + 3 * (size_t)t->triangle[3 * (size_t)i + (size_t)k];
    const double x = v[r->x] - r->from[r->x], y = v[r->y] - r->from[r->y], z = v[r->z] - r->from[r->z];
    p[k][0] = x - r->shear[0] * z, p[k][1] = y - r->shear[1] * z, p[k][2] = r->shear[2] * z;
  }
  const double u = p[2][0] * p[1][1] - p[2][1] * p[1][0], v = p[0][0] * p[2][1] - p[0][1] * p[2][0],
               w = p[1][0] * p[0][1] - p[1][1] * p[0][0];
  if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) {
    return 0;
  }
  const double sum = u + v + w;
  if (sum == 0) {
    return u == 0 && v == 0 && w == 0 ? 2 : 0; /* seen edge on; the ray may run within it */
  }
  *distance = (u * p[0][2] + v * p[1][2] + w * p[2][2]) / sum;
  if (u == 0 || v == 0 || w == 0) {
    return 2;
  }
  return pki_dot3(r->along, t->normal + 3 * (size_t)i) > 0 ? 1 : -1;
}

/* Where a ray enters a box; INFINITY: nowhere within reach. */
static double enter_box(const pki_aabb *box, const ray *r, double reach)
{
  double from = 0, to = reach;
  for (int k = 0; k < 3; k++) {
    if (r->along[k] == 0) {
      if (r->from[k] < box->min[k] || r->from[k] > box->max[k]) {
        return INFINITY;
      }
      continue;
    }
    const double a = (box->min[k] - r->from[k]) * r->inverse[k];
    const double b = (box->max[k] - r->from[k]) * r->inverse[k];
    const double near = a < b ? a : b, far = a < b ? b : a;
    /* a hair for rounding */
    from = fmax(from, near - 4e-16 * fabs(near)), to = fmin(to, far + 4e-16 * fabs(far));
  }
  return from <= to ? from : INFINITY;
}

int pki_trimesh_ray(const pki_trimesh *t, const double from[3], const double along[3], double reach,
                    double *distance)
{
  const ray r = make_ray(from, along);
  int stack[PKI_TREE_DEPTH + 1], waiting = 0, best = -1;
  double least = reach;
  if (isfinite(enter_box(&t->node[0].box, &r, least))) {
    stack[waiting++] = 0;
  }
  while (waiting > 0) {
    const struct pki_tree_node *node = &t->node[stack[--waiting]];
    if (node->count == 0) {
      const double left = enter_box(&t->node[node->first].box, &r, least);
      const double right = enter_box(&t->node[node->first + 1].box, &r, least);
      const int nearer = right < left;
      for (int side = 1; side >= 0; side--) {
        const int child = side ^ nearer;
        if (isfinite(child ? right : left)) {
          stack[waiting++] = node->first + child;
        }
      }
      continue;
    }
    for (int i = node->first; i < node->first + node->count; i++) {
      double d = -1;
      if (cross_triangle(t, &r, i, &d) != 0 && d >= 0 && d <= least && (d < least || best < 0)) {
        least = d, best = i;
      }
    }
  }
  if (best >= 0) {
    *distance = least;
  }
  return best;
}

/* How often the surface winds around a point, counted along a ray; false when the ray meets an edge. */
static bool count_winding(const pki_trimesh *t, const double from[3], const double along[3], int *winding)
{
  const ray r = make_ray(from, along);
  int stack[PKI_TREE_DEPTH + 1], waiting = 0;
  *winding = 0;
  stack[waiting++] = 0;
  while (waiting > 0) {
    const struct pki_tree_node *node = &t->node[stack[--waiting]];
    if (!isfinite(enter_box(&node->box, &r, INFINITY))) {
      continue;
    }
    if (node->count == 0) {
      stack[waiting++] = node->first + 1;
      stack[waiting++] = node->first;
      continue;
    }
    for (int i = node->first; i < node->first + node->count; i++) {
      double d = 0;
      const int way = cross_triangle(t, &r, i, &d);
      if (way == 2 && d >= 0) {
        return false;
      }
      *winding += d > 0 ? way % 2 : 0;
    }
  }
  return true;
}

bool pki_trimesh_inside(const pki_trimesh *t, const double point[3])
{
  /* unit vectors in no special direction */
  static const double along[7][3] = {{0.2672612419124244, 0.5345224838248488, 0.8017837257372732},
                                     {-0.8111071056538127, 0.4867, -0.3244428422615251},
                                     {0.3713906763541037, -0.7427813527082074, 0.5570860145311556},
                                     {0.9045340337332909, 0.3015113445777636, -0.3015113445777637},
                                     {-0.4558423058385518, -0.5698028822981898, -0.6837634587578276},
                                     {-0.1690308509457033, 0.8451542547285166, 0.50709255283711},
                                     {0.6396021490668313, -0.4264014327112209, -0.6396021490668312}};
  if (!t->closed || !(pki_aabb_distance2(&t->node[0].box, point) == 0)) {
    return false;
  }
  /* two rays that agree; what rounding does to one it does not do to both */
  int votes[2] = {0}, winding = 0;
  for (int k = 0; k < 7 && votes[0] < 2 && votes[1] < 2; k++) {
    if (count_winding(t, point, along[k], &winding)) {
      votes[winding > 0]++;
    }
  }
  return votes[1] > votes[0];
}
