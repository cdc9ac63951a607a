/* Two meshes that overlap: the faces that cut a face of the other, found by walking both trees at once, and those that lie
 * inside. Faces that cut nothing fall into regions that are bounded by those that do; a region is inside or outside as a
 * whole, so one of its faces is asked (as Simbody's TriangleMeshTriangleMesh does). Where no face cuts another there is no
 * contact, even when one mesh has swallowed the other. Faces that may meet before a step ends are those whose boxes are
 * nearer than a margin. */
#include <math.h>
#include <string.h>

#include "contact/compliant/patch_faces.h"
#include "math/mat3.h"
#include "model/pose.h"

typedef struct tree_pair {
  const pki_trimesh *a, *b;
  const pk_pose *place; /* of b in a */
  double turn[9];       /* |R| of it */
  unsigned char *mark_a, *mark_b;
  double margin; /* m, between boxes that meet */
  bool any;
} tree_pair;

/* Boxes along their own axes: along the three of each. */
static bool boxes_meet(const tree_pair *w, const pki_aabb *p, const pki_aabb *q)
{
  const double *R = w->place->rot;
  double half_p[3], half_q[3], between[3], middle_q[3];
  for (int k = 0; k < 3; k++) {
    half_p[k] = 0.5 * (p->max[k] - p->min[k]), half_q[k] = 0.5 * (q->max[k] - q->min[k]);
    middle_q[k] = 0.5 * (q->max[k] + q->min[k]);
  }
  pki_mat3_apply(R, middle_q, between);
  const double hair = 1 + 1e-12, least = 1e-12 * (w->a->size + w->b->size) + w->margin;
  for (int i = 0; i < 3; i++) {
    between[i] += w->place->pos[i] - 0.5 * (p->max[i] + p->min[i]);
    if (fabs(between[i]) > hair * (half_p[i] + pki_dot3(w->turn + 3 * i, half_q)) + least) {
      return false;
    }
  }
  for (int j = 0; j < 3; j++) {
    const double away = fabs(R[j] * between[0] + R[3 + j] * between[1] + R[6 + j] * between[2]);
    const double reach = w->turn[j] * half_p[0] + w->turn[3 + j] * half_p[1] + w->turn[6 + j] * half_p[2];
    if (away > hair * (half_q[j] + reach) + least) {
      return false;
    }
  }
  return true;
}

static void corners_of(const pki_trimesh *t, int face, double out[3][3])
{
  for (int k = 0; k < 3; k++) {
    memcpy(out[k], t->vertex + 3 * (size_t)t->triangle[3 * (size_t)face + (size_t)k], sizeof out[k]);
  }
}

/* The faces of two leaves. */
static void cut_leaves(tree_pair *w, const struct pki_tree_node *p, const struct pki_tree_node *q)
{
  for (int j = q->first; j < q->first + q->count; j++) {
    double b[3][3], m[3];
    corners_of(w->b, j, b);
    pki_mat3_apply(w->place->rot, w->b->normal + 3 * (size_t)j, m);
    for (int k = 0; k < 3; k++) {
      pki_mat3_apply(w->place->rot, b[k], b[k]);
      pki_along3(b[k], 1, w->place->pos, b[k]);
    }
    for (int i = p->first; i < p->first + p->count; i++) {
      if (w->mark_a[i] == PKI_FACE_CUT && w->mark_b[j] == PKI_FACE_CUT) {
        continue;
      }
      double a[3][3];
      corners_of(w->a, i, a);
      if (pki_triangles_overlap(a, w->a->normal + 3 * (size_t)i, b, m)) {
        w->mark_a[i] = w->mark_b[j] = PKI_FACE_CUT;
        w->any = true;
      }
    }
  }
}

static bool is_far(unsigned char mark)
{
  return mark == 0 || mark == PKI_FACE_OUTSIDE;
}

static bool any_far(const unsigned char *marks, const struct pki_tree_node *leaf)
{
  for (int i = leaf->first; i < leaf->first + leaf->count; i++) {
    if (is_far(marks[i])) {
      return true;
    }
  }
  return false;
}

static pki_aabb box_of(const double corner[3][3])
{
  pki_aabb box;
  for (int k = 0; k < 3; k++) {
    box.min[k] = fmin(corner[0][k], fmin(corner[1][k], corner[2][k]));
    box.max[k] = fmax(corner[0][k], fmax(corner[1][k], corner[2][k]));
  }
  return box;
}

/* The faces of two leaves whose boxes are nearer than the margin. */
static void near_leaves(tree_pair *w, const struct pki_tree_node *p, const struct pki_tree_node *q)
{
  if (!any_far(w->mark_a, p) && !any_far(w->mark_b, q)) {
    return;
  }
  for (int j = q->first; j < q->first + q->count; j++) {
    double corner[3][3];
    corners_of(w->b, j, corner);
    const pki_aabb b = box_of(corner);
    for (int i = p->first; i < p->first + p->count; i++) {
      if (!is_far(w->mark_a[i]) && !is_far(w->mark_b[j])) {
        continue;
      }
      corners_of(w->a, i, corner);
      const pki_aabb a = box_of(corner);
      if (boxes_meet(w, &a, &b)) {
        w->mark_a[i] = is_far(w->mark_a[i]) ? PKI_FACE_NEAR : w->mark_a[i];
        w->mark_b[j] = is_far(w->mark_b[j]) ? PKI_FACE_NEAR : w->mark_b[j];
      }
    }
  }
}

/* The larger box of a pair is opened first. */
static void walk_trees(tree_pair *w, void (*visit)(tree_pair *w, const struct pki_tree_node *p,
                                                   const struct pki_tree_node *q))
{
  struct visit {
    int a, b;
  } stack[2 * PKI_TREE_DEPTH + 2];
  int waiting = 0;
  stack[waiting++] = (struct visit){0, 0};
  while (waiting > 0) {
    const struct visit now = stack[--waiting];
    const struct pki_tree_node *p = &w->a->node[now.a], *q = &w->b->node[now.b];
    if (!boxes_meet(w, &p->box, &q->box)) {
      continue;
    }
    if (p->count > 0 && q->count > 0) {
      visit(w, p, q);
    } else if (q->count > 0 || (p->count == 0 && pki_aabb_area(&p->box) >= pki_aabb_area(&q->box))) {
      stack[waiting++] = (struct visit){p->first + 1, now.b};
      stack[waiting++] = (struct visit){p->first, now.b};
    } else {
      stack[waiting++] = (struct visit){now.a, q->first + 1};
      stack[waiting++] = (struct visit){now.a, q->first};
    }
  }
}

/* Mark the region of faces that hang together with `from` and have no mark yet. */
static void flood_region(const pki_trimesh *t, int from, unsigned char mark, unsigned char *marks, int *queue)
{
  int end = 0;
  marks[from] = mark, queue[end++] = from;
  for (int next = 0; next < end; next++) {
    const int *behind = t->neighbour + 3 * (size_t)queue[next];
    for (int k = 0; k < 3; k++) {
      if (behind[k] >= 0 && marks[behind[k]] == 0) {
        marks[behind[k]] = mark, queue[end++] = behind[k];
      }
    }
  }
}

/* The regions of t that lie inside the other mesh; `place` is the pose of t in it. */
static void mark_inside(const pki_trimesh *t, const pki_trimesh *other, const pk_pose *place,
                        unsigned char *marks, int *queue)
{
  for (int i = 0; i < t->ntriangle; i++) {
    if (marks[i] != 0) {
      continue;
    }
    double x[3];
    pki_mat3_apply(place->rot, t->centroid + 3 * (size_t)i, x);
    pki_along3(x, 1, place->pos, x);
    const bool inside = pki_aabb_distance2(&other->node[0].box, x) <= 0 && pki_trimesh_inside(other, x);
    flood_region(t, i, inside ? PKI_FACE_INSIDE : PKI_FACE_OUTSIDE, marks, queue);
  }
}

bool pki_faces_overlap(const pki_trimesh *a, const pki_trimesh *b, const pk_pose *b_in_a, double margin,
                       unsigned char *marks_a, unsigned char *marks_b, int *queue)
{
  tree_pair w = {.a = a, .b = b, .place = b_in_a, .mark_a = marks_a, .mark_b = marks_b};
  for (int k = 0; k < 9; k++) {
    w.turn[k] = fabs(b_in_a->rot[k]);
  }
  memset(marks_a, 0, (size_t)a->ntriangle);
  memset(marks_b, 0, (size_t)b->ntriangle);
  walk_trees(&w, cut_leaves);
  if (w.any) {
    const pk_pose a_in_b = pki_pose_invert(b_in_a);
    mark_inside(a, b, &a_in_b, marks_a, queue);
    mark_inside(b, a, b_in_a, marks_b, queue);
  }
  if (margin > 0) {
    w.margin = margin;
    walk_trees(&w, near_leaves);
  }
  return w.any;
}
