/* Faces of a mesh in another surface: the depth of each centroid. */
#include <math.h>
#include <string.h>

#include "contact/compliant/patch_faces.h"
#include "math/mat3.h"
#include "model/pose.h"

enum {
  BLOCK = 64,     /* faces that one thread takes at a time */
  PARALLEL = 256, /* candidates from which more threads than one look at them */
};

static void carry_point(const pk_pose *pose, const double local[3], double out[3])
{
  pki_mat3_apply(pose->rot, local, out);
  pki_along3(out, 1, pose->pos, out);
}

/* Depth of a point in a closed mesh (own frame) and the normal out of it at the nearest point. On a face its own normal tells
 * inside from outside, on an edge the sum of both faces' (Baerentzen and Aanaes, "Signed distance computation using the
 * angle weighted pseudonormal", 2005), at a corner the winding number. */
static bool depth_in_mesh(const pki_trimesh *t, const double x[3], double margin, int *hint, double *depth,
                          double normal[3])
{
  double nearest[3], way[3];
  int part;
  const int i = pki_trimesh_nearest_from(t, x, *hint, nearest, &part);
  *hint = i;
  pki_sub3(nearest, x, way);
  *depth = pki_length3(way);
  double out[3];
  memcpy(out, t->normal + 3 * (size_t)i, sizeof out);
  const int behind = part >= 3 && part < 6 ? t->neighbour[3 * (size_t)i + (size_t)(part - 3)] : -1;
  if (behind >= 0) {
    pki_along3(out, 1, t->normal + 3 * (size_t)behind, out);
  }
  if (!(*depth > 0)) { /* on the surface: about to be inside, if anything is */
    const double length = pki_length3(out);
    for (int k = 0; k < 3; k++) {
      normal[k] = length > 0 ? out[k] / length : t->normal[3 * (size_t)i + (size_t)k];
    }
    return margin > 0;
  }
  const bool inside = part < 3 ? pki_trimesh_inside(t, x) : pki_dot3(out, way) > 0;
  const double size = *depth;
  for (int k = 0; k < 3; k++) {
    normal[k] = (inside ? way[k] : -way[k]) / size;
  }
  *depth = inside ? size : -size;
  return inside || size < margin;
}

static bool depth_in_shape(const pk_geometry *g, const double x[3], double margin, double *depth,
                           double normal[3])
{
  double distance;
  if (!pki_geometry_point(g, x, margin, &distance, normal) || !(distance < margin)) {
    return false;
  }
  *depth = -distance;
  return true;
}

/* The element of the candidate at `slot`: depth -INFINITY where the face's centroid is not inside, nor near. */
static void measure_face(const pki_face_job *job, pki_patch *p, int slot, int *hint)
{
  const int face = p->face[slot];
  double x[3], n[3] = {0, 0, 1}, depth, point[3];
  carry_point(&job->place, job->mesh->centroid + 3 * (size_t)face, x);
  const bool inside = job->surface != NULL ? depth_in_mesh(job->surface, x, p->margin, hint, &depth, n)
                                           : depth_in_shape(job->other, x, p->margin, &depth, n);
  const bool stays = inside && !(job->open && depth > 0);
  p->depth[slot] = stays ? depth : -INFINITY;
  if (!stays) {
    return;
  }
  pki_along3(x, job->share * depth, n, x);
  carry_point(job->pose, x, point);
  pki_mat3_apply(job->pose->rot, n, n);
  for (int k = 0; k < 3; k++) {
    p->arm[k][slot] = point[k];
    p->normal[k][slot] = job->side == 0 ? n[k] : -n[k];
  }
  p->area[slot] = job->mesh->area[face];
  p->stiffness[slot] = job->stiffness;
  p->side[slot] = (unsigned char)job->side;
}

/* The same of candidates on a plane, on which most feet stand. */
static void measure_on_plane(const pki_face_job *job, pki_patch *p, int from, int to)
{
  const pk_pose own = pki_pose_mul(job->pose, &job->place);
  const double *const R = job->place.rot + 6, *const up = job->pose->rot;
  const double n[3] = {up[2], up[5], up[8]}, sign = job->side == 0 ? 1 : -1;
  for (int i = from; i < to; i++) {
    const int face = p->face[i];
    const double *const c = job->mesh->centroid + 3 * (size_t)face;
    const double depth = -(R[0] * c[0] + R[1] * c[1] + R[2] * c[2] + job->place.pos[2]);
    double point[3];
    p->depth[i] = -depth < p->margin ? depth : -INFINITY;
    if (!(-depth < p->margin)) {
      continue;
    }
    carry_point(&own, c, point);
    for (int k = 0; k < 3; k++) {
      p->arm[k][i] = point[k] + job->share * depth * n[k];
      p->normal[k][i] = sign * n[k];
    }
    p->area[i] = job->mesh->area[face];
    p->stiffness[i] = job->stiffness;
    p->side[i] = (unsigned char)job->side;
  }
}

/* Nearest points are looked for from the last face's; no bit depends on it, nor on the threads. */
static void measure_block(const pki_face_job *job, pki_patch *p, int from, int to)
{
  int hint = -1;
  if (job->other->kind == PK_SHAPE_PLANE) {
    measure_on_plane(job, p, from, to);
    return;
  }
  for (int i = from; i < to; i++) {
    measure_face(job, p, i, &hint);
  }
}

static void move_element(pki_patch *p, int from, int to)
{
  for (int k = 0; k < 3; k++) {
    p->arm[k][to] = p->arm[k][from], p->normal[k][to] = p->normal[k][from];
  }
  p->depth[to] = p->depth[from], p->stiffness[to] = p->stiffness[from], p->area[to] = p->area[from];
  p->face[to] = p->face[from], p->side[to] = p->side[from];
}

int pki_faces_measure(const pki_face_job *job, pki_patch *p, int first, int count)
{
  const int blocks = (count + BLOCK - 1) / BLOCK, end = first + count;
  if (p->threads > 1 && count >= PARALLEL) {
#pragma omp parallel for schedule(dynamic) num_threads(p->threads)
    for (int b = 0; b < blocks; b++) {
      const int from = first + b * BLOCK;
      measure_block(job, p, from, from + BLOCK < end ? from + BLOCK : end);
    }
  } else {
    measure_block(job, p, first, end);
  }
  int to = first;
  while (to < end && p->depth[to] > -INFINITY) {
    to++; /* these are where they belong */
  }
  for (int i = to; i < end; i++) {
    if (p->depth[i] > -INFINITY) {
      move_element(p, i, to++);
    }
  }
  return to - first;
}

/* How a box of the mesh, turned into the other's frame, lies to the other's own box. */
typedef enum meeting { APART, MEETS, WITHIN } meeting;

/* The other's box along the axes of its frame that tell something: those along which it ends. */
typedef struct limits {
  int n;
  double low[3], high[3];             /* less and more the margin */
  double pos[3], R[3][3], size[3][3]; /* a point of the mesh is at pos + R x; |R| */
} limits;

static limits limits_of(const pki_face_job *job, double margin)
{
  static const double rounding = 1 + 1e-12;
  const pki_aabb *other = &job->other->box;
  limits out = {.n = 0};
  for (int i = 2; i >= 0; i--) {
    if (other->min[i] == -INFINITY && other->max[i] == INFINITY) {
      continue;
    }
    const int to = out.n++;
    out.low[to] = other->min[i] - margin, out.high[to] = other->max[i] + margin;
    out.pos[to] = job->place.pos[i];
    for (int k = 0; k < 3; k++) {
      const double R = 0.5 * job->place.rot[3 * i + k]; /* of twice the middle, twice the half */
      out.R[to][k] = R, out.size[to][k] = rounding * fabs(R);
    }
  }
  return out;
}

/* MEETS: they are nearer than the margin; WITHIN: so are all boxes within the first one. */
static meeting meet_box(const limits *l, const pki_aabb *box)
{
  const double x = box->min[0] + box->max[0], y = box->min[1] + box->max[1], z = box->min[2] + box->max[2];
  const double a = box->max[0] - box->min[0], b = box->max[1] - box->min[1], c = box->max[2] - box->min[2];
  bool within = true;
  for (int i = 0; i < l->n; i++) {
    const double middle = l->pos[i] + l->R[i][0] * x + l->R[i][1] * y + l->R[i][2] * z;
    const double reach = l->size[i][0] * a + l->size[i][1] * b + l->size[i][2] * c;
    if (middle - reach > l->high[i] || middle + reach < l->low[i]) {
      return APART;
    }
    within &= middle + reach < l->high[i] && middle - reach > l->low[i];
  }
  return within ? WITHIN : MEETS;
}

/* The faces below a node are those from `first` on to the last one of its last leaf. */
static int add_faces_below(const pki_trimesh *t, const struct pki_tree_node *node, int *out)
{
  const struct pki_tree_node *first = node, *last = node;
  while (first->count == 0) {
    first = &t->node[first->first];
  }
  while (last->count == 0) {
    last = &t->node[last->first + 1];
  }
  const int count = last->first + last->count - first->first;
  for (int i = 0; i < count; i++) {
    out[i] = first->first + i;
  }
  return count;
}

int pki_faces_near(const pki_face_job *job, double margin, int *out)
{
  const pki_trimesh *t = job->mesh;
  const limits l = limits_of(job, margin);
  int stack[PKI_TREE_DEPTH + 1], waiting = 0, count = 0;
  stack[waiting++] = 0;
  while (waiting > 0) {
    const struct pki_tree_node *node = &t->node[stack[--waiting]];
    const meeting how = meet_box(&l, &node->box);
    if (how == MEETS && node->count == 0) {
      stack[waiting++] = node->first + 1;
      stack[waiting++] = node->first;
    } else if (how != APART) {
      count += add_faces_below(t, node, out + count);
    }
  }
  return count;
}
