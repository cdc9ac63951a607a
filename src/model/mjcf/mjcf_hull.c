/* The convex hull of a mesh's vertices as triangles, for meshes without faces and for the mass of convex ones: Quickhull
 * (Barber, Dobkin and Huhdanpaa 1996). Every face keeps the points beyond it; the farthest of them becomes a vertex,
 * the faces that it sees are replaced by a cone over their rim.
 *
 * Points closer to a face than a tolerance are inside. Where points are nearly in one plane, rounding may let a point see
 * faces whose rim is not one closed line; then all is done again with a larger tolerance. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "model/mjcf/mjcf.h"

typedef struct hull_face {
  int v[3], next[3]; /* vertices; the face across the edge from v[i] to v[i + 1] */
  double normal[3], offset;
  int points; /* first of the points beyond it, -1: none */
  int farthest;
  double distance; /* of the farthest */
  bool dead;
} hull_face;

/* Distances that are computed before the hull is given up: points can be placed so that each new one sees most faces. */
enum { TESTS_MAX = 1000000000 };

typedef struct hull_work {
  const double *x;
  int n;
  int *chain; /* [n] next point beyond the same face */
  hull_face *faces;
  int nface, face_cap;
  int *stack, nstack, stack_cap;
  int *rim, nrim, rim_cap; /* pairs: hidden face across the edge, edge of that face */
  int *cone;               /* [n] the face of the cone whose edge of the rim begins at a vertex, -1: none */
  double scale, tolerance;
  long long ntest;
  bool no_memory, broken; /* broken: a rim was not one closed line */
} hull_work;

static const double *point_at(const hull_work *w, int i)
{
  return w->x + 3 * (size_t)i;
}

static double distance_to(hull_work *w, const hull_face *f, int point)
{
  w->ntest++;
  return pki_dot3(f->normal, point_at(w, point)) - f->offset;
}

static int add_face(hull_work *w, int a, int b, int c)
{
  if (!pki_builder_grow((void **)&w->faces, w->nface, &w->face_cap, sizeof *w->faces)) {
    w->no_memory = true;
    return -1;
  }
  hull_face *f = &w->faces[w->nface];
  *f = (hull_face){.v = {a, b, c}, .next = {-1, -1, -1}, .points = -1, .farthest = -1};
  double u[3], v[3];
  pki_sub3(point_at(w, b), point_at(w, a), u);
  pki_sub3(point_at(w, c), point_at(w, a), v);
  pki_cross3(u, v, f->normal);
  const double length = pki_length3(f->normal);
  for (int k = 0; k < 3; k++) {
    f->normal[k] /= length > 0 ? length : 1;
  }
  f->offset = pki_dot3(f->normal, point_at(w, a));
  return w->nface++;
}

static bool push(hull_work *w, int **array, int *count, int *cap, int value)
{
  if (!pki_builder_grow((void **)array, *count, cap, sizeof **array)) {
    w->no_memory = true;
    return false;
  }
  (*array)[(*count)++] = value;
  return true;
}

/* Give a point to the first of the faces from `first` on that it lies beyond. */
static void give_point(hull_work *w, int first, int point)
{
  for (int i = first; i < w->nface; i++) {
    hull_face *f = &w->faces[i];
    const double distance = f->dead ? 0 : distance_to(w, f, point);
    if (distance > w->tolerance) {
      w->chain[point] = f->points;
      f->points = point;
      if (distance > f->distance) {
        f->distance = distance;
        f->farthest = point;
      }
      return;
    }
  }
}

/* Four points that span a volume: the farthest from the first, the farthest from their line and from that plane. */
static bool first_points(hull_work *w, int p[4])
{
  double largest = 0;
  p[0] = p[1] = p[2] = p[3] = 0;
  for (int i = 0; i < w->n; i++) {
    double d[3];
    pki_sub3(point_at(w, i), point_at(w, 0), d);
    if (pki_length3(d) > largest) {
      largest = pki_length3(d);
      p[1] = i;
    }
  }
  const double scale = largest;
  w->scale = scale;
  double along[3], normal[3] = {0, 0, 0};
  pki_sub3(point_at(w, p[1]), point_at(w, p[0]), along);
  largest = 0;
  for (int i = 0; i < w->n; i++) {
    double d[3], across[3];
    pki_sub3(point_at(w, i), point_at(w, p[0]), d);
    pki_cross3(along, d, across);
    if (pki_length3(across) > largest) {
      largest = pki_length3(across);
      p[2] = i;
      memcpy(normal, across, sizeof normal);
    }
  }
  if (!(largest > 1e-10 * scale * scale)) {
    return false;
  }
  double height = 0;
  for (int i = 0; i < w->n; i++) {
    double d[3];
    pki_sub3(point_at(w, i), point_at(w, p[0]), d);
    const double h = pki_dot3(d, normal) / largest;
    if (fabs(h) > fabs(height)) {
      height = h;
      p[3] = i;
    }
  }
  if (height > 0) {
    const int swap = p[1];
    p[1] = p[2];
    p[2] = swap;
  }
  return fabs(height) > 1e-10 * scale;
}

/* A tetrahedron whose faces look outwards, all other points given to them. */
static bool start_hull(hull_work *w, double relative)
{
  int p[4];
  if (!first_points(w, p)) {
    return false;
  }
  w->tolerance = relative * w->scale;
  add_face(w, p[0], p[1], p[2]);
  add_face(w, p[0], p[3], p[1]);
  add_face(w, p[1], p[3], p[2]);
  add_face(w, p[2], p[3], p[0]);
  if (w->no_memory) {
    return false;
  }
  static const int next[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int i = 0; i < 4; i++) {
    memcpy(w->faces[i].next, next[i], sizeof next[i]);
  }
  for (int i = 0; i < w->n; i++) {
    if (i != p[0] && i != p[1] && i != p[2] && i != p[3]) {
      give_point(w, 0, i);
    }
  }
  return true;
}

/* The edge of a face that it shares with a neighbour; -1: none, the links are broken. */
static int edge_to(const hull_face *f, int neighbour)
{
  return f->next[0] == neighbour ? 0 : f->next[1] == neighbour ? 1 : f->next[2] == neighbour ? 2 : -1;
}

/* Kill the faces that a point sees, and list the edges of their rim in order of the walk. */
static bool find_rim(hull_work *w, int face, int point)
{
  w->nrim = w->nstack = 0;
  w->faces[face].dead = true;
  if (!push(w, &w->stack, &w->nstack, &w->stack_cap, face)) {
    return false;
  }
  for (int at = 0; at < w->nstack; at++) {
    for (int e = 0; e < 3; e++) {
      const int other = w->faces[w->stack[at]].next[e];
      hull_face *f = &w->faces[other];
      if (f->dead) {
        continue;
      }
      const int shared = edge_to(f, w->stack[at]);
      if (distance_to(w, f, point) > w->tolerance) {
        f->dead = true;
        if (!push(w, &w->stack, &w->nstack, &w->stack_cap, other)) {
          return false;
        }
      } else if (!push(w, &w->rim, &w->nrim, &w->rim_cap, other) ||
                 !push(w, &w->rim, &w->nrim, &w->rim_cap, shared)) {
        return false;
      }
      w->broken |= shared < 0;
    }
  }
  return !w->broken;
}

/* Link the faces of a cone, from `first` on, to each other: false when their rim is not one closed line. */
static bool link_cone(hull_work *w, int first)
{
  for (int i = first; i < w->nface; i++) {
    int *at = &w->cone[w->faces[i].v[0]];
    w->broken |= *at >= 0;
    *at = i;
  }
  for (int i = first; i < w->nface && !w->broken; i++) {
    const int next = w->cone[w->faces[i].v[1]];
    w->broken |= next < 0;
    if (next >= 0) {
      w->faces[i].next[1] = next;
      w->faces[next].next[2] = i;
    }
  }
  for (int i = first; i < w->nface; i++) {
    w->cone[w->faces[i].v[0]] = -1;
  }
  return !w->broken;
}

/* A cone from the rim to a point; the points of the dead faces are given anew. */
static bool add_cone(hull_work *w, int point)
{
  const int first = w->nface;
  for (int i = 0; i < w->nrim; i += 2) {
    const int other = w->rim[i], e = w->rim[i + 1];
    const int a = w->faces[other].v[(e + 1) % 3], b = w->faces[other].v[e];
    const int made = add_face(w, a, b, point);
    if (made < 0) {
      return false;
    }
    w->faces[made].next[0] = other;
    w->faces[other].next[e] = made;
  }
  if (!link_cone(w, first)) {
    return false;
  }
  for (int i = 0; i < w->nstack; i++) {
    for (int p = w->faces[w->stack[i]].points; p >= 0;) {
      const int next = w->chain[p];
      if (p != point) {
        give_point(w, first, p);
      }
      p = next;
    }
  }
  return true;
}

/* The living faces into the mesh. */
static bool take_faces(const hull_work *w, pki_mesh *mesh)
{
  mesh->triangle = malloc(3 * ((size_t)w->nface + 1) * sizeof *mesh->triangle);
  mesh->ntriangle = 0;
  for (int i = 0; mesh->triangle != NULL && i < w->nface; i++) {
    if (!w->faces[i].dead) {
      memcpy(mesh->triangle + 3 * (size_t)mesh->ntriangle++, w->faces[i].v, sizeof w->faces[i].v);
    }
  }
  return mesh->triangle != NULL;
}

/* One attempt, with a tolerance relative to the size of the mesh; false: it failed, and w says why. */
static bool build_hull(hull_work *w, double relative)
{
  w->nface = 0;
  w->broken = false;
  memset(w->cone, -1, (size_t)w->n * sizeof *w->cone);
  bool good = start_hull(w, relative);
  for (int i = 0; good && i < w->nface; i++) {
    while (good && !w->faces[i].dead && w->faces[i].points >= 0) {
      const int point = w->faces[i].farthest;
      good = find_rim(w, i, point) && add_cone(w, point) && w->ntest <= TESTS_MAX;
    }
  }
  return good;
}

bool pki_mjcf_hull(pki_mjcf *m, const pki_mjcf_node *node, pki_mesh *mesh)
{
  const size_t room = ((size_t)mesh->nvertex + 1) * sizeof(int);
  hull_work w = {.x = mesh->vertex, .n = mesh->nvertex, .chain = malloc(room), .cone = malloc(room)};
  w.no_memory = w.chain == NULL || w.cone == NULL;
  bool good = false;
  const double widest = 1e-7;
  for (double relative = 1e-12 + 100 * DBL_EPSILON; !w.no_memory && !good && relative < widest;
       relative = w.broken ? 10 * relative : widest) {
    good = build_hull(&w, relative);
  }
  if (good) {
    free(mesh->triangle);
    w.no_memory = !take_faces(&w, mesh);
  } else if (!w.no_memory && w.ntest > TESTS_MAX) {
    pki_mjcf_error(m, node, NULL, PK_ERROR_LIMIT, "the convex hull of the mesh takes too long: simplify it");
  } else if (!w.no_memory) {
    pki_mjcf_error(m, node, NULL, PK_ERROR_MESH,
                   "the vertices of the mesh are in one plane, or nearly: they have no convex hull");
  }
  m->no_memory |= w.no_memory;
  free(w.chain), free(w.cone), free(w.faces), free(w.stack), free(w.rim);
  return good && !w.no_memory;
}
