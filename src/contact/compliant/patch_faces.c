/* Faces of a mesh in another surface: the depth of each centroid. */
#include <math.h>
#include <string.h>

#include "contact/compliant/patch_faces.h"
#include "math/mat3.h"

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
  bool inside;
  if (job->other->kind == PK_SHAPE_PLANE) { /* most feet stand on one */
    depth = -x[2], inside = x[2] < p->margin;
  } else {
    inside = job->surface != NULL ? depth_in_mesh(job->surface, x, p->margin, hint, &depth, n)
                                  : depth_in_shape(job->other, x, p->margin, &depth, n);
  }
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

/* Nearest points are looked for from the last face's; no bit depends on it, nor on the threads. */
static void measure_block(const pki_face_job *job, pki_patch *p, int from, int to)
{
  int hint = -1;
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
  for (int i = first; i < end; i++) {
    if (p->depth[i] > -INFINITY) {
      move_element(p, i, to++);
    }
  }
  return to - first;
}

/* Whether a box of the mesh, turned into the other's frame, is nearer than a margin to the other's own box. Axes along which
 * that is infinite tell nothing. */
static bool box_meets(const pki_face_job *job, double margin, const pki_aabb *box)
{
  const pki_aabb *other = &job->other->box;
  for (int i = 2; i >= 0; i--) {
    if (other->min[i] == -INFINITY && other->max[i] == INFINITY) {
      continue;
    }
    const double *R = job->place.rot + 3 * i;
    double middle = job->place.pos[i], reach = 0;
    for (int k = 0; k < 3; k++) {
      middle += R[k] * 0.5 * (box->min[k] + box->max[k]);
      reach += fabs(R[k]) * 0.5 * (box->max[k] - box->min[k]);
    }
    reach = reach * (1 + 1e-12) + margin;
    if (middle - reach > other->max[i] || middle + reach < other->min[i]) {
      return false;
    }
  }
  return true;
}

int pki_faces_near(const pki_face_job *job, double margin, int *out)
{
  const pki_trimesh *t = job->mesh;
  int stack[PKI_TREE_DEPTH + 1], waiting = 0, count = 0;
  stack[waiting++] = 0;
  while (waiting > 0) {
    const struct pki_tree_node *node = &t->node[stack[--waiting]];
    if (!box_meets(job, margin, &node->box)) {
      continue;
    }
    if (node->count == 0) {
      stack[waiting++] = node->first + 1;
      stack[waiting++] = node->first;
      continue;
    }
    for (int i = node->first; i < node->first + node->count; i++) {
      out[count++] = i;
    }
  }
  return count;
}
