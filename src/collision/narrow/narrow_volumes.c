/* Signed distances on grids for every pair of closed polyhedra: boxes, hulls, meshes (after Guendelman, Bridson and Fedkiw, "Nonconvex rigid
 * bodies with stacking", ACM TOG 22, 2003). Each corner of one shape is looked up in the volume of the other: the interpolated
 * distance is the gap, its gradient the normal. Corners alone miss crossing edges, which that paper leaves out; here the convex edges of each
 * shape are gone along through the other's volume too. Where the distance along an edge is least inside of it, the ends
 * of the part that is as near touch.
 *
 * With trilinear weights w_i of the corners x_i of a cell, and a distance d that is Lipschitz with constant one,
 *
 *   |sum w_i d(x_i) - d(x)|  <=  sum w_i |x_i - x|  <=  sqrt(sum w_i |x_i - x|^2) = h sqrt(sum_k f_k (1 - f_k))  <=  sqrt(3)/2 h
 *
 * for cells of h: no gap is farther off, whatever the shape. Where the distance is linear about the cell, as over the inside of
 * flat faces, it is exact but for the single precision of the nodes.
 *
 * At edges and corners gradients turn over a cell, and would push blocks that stand flush on each other aside. So a gradient is
 * taken half a cell into the shape that touches, along the mean of its edges: there a flush corner is beside one face alone. And a shape touches
 * with its corner along -n alone when no edge leads from there towards -n: -n is projected on that cone of outward
 * normals, at an edge on those between the normals of its faces. What the cone is farther from than 72 degrees does not look at
 * the other shape, and does not touch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "collision/narrow/method.h"
#include "collision/narrow/surface.h"
#include "math/mat3.h"
#include "model/pose.h"

enum { SAMPLES = 64, HALVINGS = 30, KIND_CORNER = 30, KIND_EDGE = 32 };

static bool takes_volumes(const pki_side *a, const pki_side *b)
{
  return a->form != NULL && b->form != NULL && a->form->volume != NULL && b->form->volume != NULL;
}

/* One shape (0) in the volume of the other (1), in the frame of that. */
typedef struct look {
  const pki_trimesh *mesh;
  const pki_narrow_form *form; /* of the mesh */
  const pki_volume *volume;
  pk_pose pose; /* of the mesh */
  bool turned;  /* the mesh is of the pair's second shape */
  double margin;
  pki_gather *out;
} look;

static void place_vertex(const look *l, int vertex, double out[3])
{
  pki_mat3_apply(l->pose.rot, l->mesh->vertex + 3 * (size_t)vertex, out);
  pki_along3(out, 1, l->pose.pos, out);
}

/* Infinite outside of the grid, which reaches past the margin. */
static double gap_at(const look *l, const double x[3])
{
  double d, gradient[3];
  return pki_volume_distance(l->volume, x, &d, gradient) ? d : INFINITY;
}

/* The part of m, unit, that does not lead along any of the directions, by projecting on one after the other. False: hardly
 * anything is left. */
static bool project_on_cone(const double (*along)[3], int n, double m[3])
{
  enum { ROUNDS = 50 };
  bool moved = true;
  for (int round = 0; round < ROUNDS && moved; round++) {
    moved = false;
    for (int i = 0; i < n; i++) {
      const double rise = pki_dot3(m, along[i]);
      if (rise > 1e-12) {
        pki_along3(m, -rise, along[i], m);
        moved = moved || rise > 1e-9;
      }
    }
  }
  return pki_length3(m) > 0.3;
}

/* -n of a point of the shape, from which the shape goes on along these directions; not a unit vector. */
static bool outward_at(const look *l, const double x[3], const double (*along)[3], int n, double m[3])
{
  double d, inward[3] = {0, 0, 0}, y[3];
  for (int i = 0; i < n; i++) {
    pki_along3(inward, 1, along[i], inward);
  }
  const double length = pki_length3(inward);
  pki_along3(x, length > 1e-6 ? 0.5 * l->volume->cell / length : 0, inward, y);
  if (!pki_volume_distance(l->volume, y, &d, m) && !pki_volume_distance(l->volume, x, &d, m)) {
    return false;
  }
  const double slope = pki_length3(m);
  for (int k = 0; k < 3; k++) {
    m[k] /= -slope;
  }
  return slope > 1e-3 && project_on_cone(along, n, m); /* else as far from one side as from the other */
}

/* Such a point touches the other shape. */
static void add_touch(const look *l, const double x[3], const double (*along)[3], int n, unsigned name)
{
  double m[3];
  const double d = gap_at(l, x);
  if (!(d <= l->margin) || !outward_at(l, x, along, n, m)) {
    return;
  }
  const double length = pki_length3(m);
  pk_touch_point t = {.gap = d, .id = name};
  for (int k = 0; k < 3; k++) {
    const double unit = -m[k] / length;
    t.normal[k] = l->turned ? -unit : unit;
    t.point[l->turned ? 1 : 0][k] = x[k];
    t.point[l->turned ? 0 : 1][k] = x[k] - d * unit;
  }
  pki_gather_add(l->out, &t);
}

/* ---- edges ---- */

typedef struct line {
  const look *look;
  double from[3], way[3];
  double along[4][3]; /* to both sides, and into both faces */
} line;

static void point_on(const line *e, double s, double out[3])
{
  pki_along3(e->from, s, e->way, out);
}

static double gap_on(const line *e, double s)
{
  double x[3];
  point_on(e, s, x);
  return gap_at(e->look, x);
}

/* The least gap between two places, by golden sections. */
static double least_between(const line *e, double low, double high)
{
  static const double golden = 0.6180339887498949;
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double at_a = gap_on(e, a), at_b = gap_on(e, b);
  for (int k = 0; k < HALVINGS; k++) {
    if (at_a <= at_b) {
      high = b, b = a, at_b = at_a, a = high - golden * (high - low), at_a = gap_on(e, a);
    } else {
      low = a, a = b, at_a = at_b, b = low + golden * (high - low), at_b = gap_on(e, b);
    }
  }
  return at_a <= at_b ? a : b;
}

/* How far from `in`, where the gap is below `level`, towards `out`, where it is above. */
static double border_between(const line *e, double in, double out, double level)
{
  for (int k = 0; k < HALVINGS; k++) {
    const double middle = 0.5 * (in + out);
    if (gap_on(e, middle) <= level) {
      in = middle;
    } else {
      out = middle;
    }
  }
  return in;
}

/* The ends of the part of an edge that is as near as its nearest place, but for ends of the edge, which are corners. */
static void touch_edge(const line *e, const double gap[SAMPLES + 1], int n, int least, unsigned name)
{
  const look *l = e->look;
  const double near = least_between(e, fmax(0, (least - 1.0) / n), fmin(1, (least + 1.0) / n));
  const double level = gap_on(e, near) + 1e-3 * l->volume->cell;
  if (!(level <= l->margin)) {
    return;
  }
  for (int side = 0; side < 2; side++) {
    const int step = side ? 1 : -1;
    int k = side ? (int)ceil(near * n) : (int)floor(near * n);
    while (k >= 0 && k <= n && gap[k] <= level) {
      k += step;
    }
    if (k >= 0 && k <= n) {
      double x[3];
      point_on(e, border_between(e, near, (double)k / n, level), x);
      add_touch(l, x, (const double(*)[3])e->along, 4,
                pki_surface_name(KIND_EDGE + (unsigned)side, name, l->turned, 0));
    }
  }
}

/* Edge k of a triangle, which is seen from outside with its inside to the left of the edge. */
static void set_line(line *e, const pki_triangle *t, int k)
{
  const double *const R = e->look->pose.rot;
  double end[3], first[3], second[3];
  place_vertex(e->look, t->vertex[k], e->from);
  place_vertex(e->look, t->vertex[(k + 1) % 3], end);
  pki_sub3(end, e->from, e->way);
  const double length = pki_length3(e->way);
  pki_mat3_apply(R, t->normal, first);
  pki_mat3_apply(R, t->neighbour[k], second);
  for (int c = 0; c < 3; c++) {
    e->along[0][c] = e->way[c] / length, e->along[1][c] = -e->along[0][c];
  }
  pki_cross3(first, e->along[0], e->along[2]);
  pki_cross3(second, e->along[1], e->along[3]);
}

static void look_along(const look *l, const pki_triangle *t, int k, unsigned name)
{
  line e = {.look = l};
  double middle[3], low, high;
  set_line(&e, t, k);
  point_on(&e, 0.5, middle);
  const double length = pki_length3(e.way);
  pki_volume_bounds(l->volume, middle, &low, &high);
  if (low > 0.5 * length + l->margin) {
    return;
  }
  const int n = (int)fmin(SAMPLES, fmax(2, ceil(length / l->volume->cell)));
  double gap[SAMPLES + 1];
  int least = 0;
  for (int i = 0; i <= n; i++) {
    gap[i] = gap_on(&e, (double)i / n);
    least = gap[i] < gap[least] ? i : least;
  }
  if (gap[least] <= l->margin + length / n) {
    touch_edge(&e, gap, n, least, name);
  }
}

/* Each convex edge once. */
static void look_at_edges(const look *l)
{
  for (int i = 0; i < l->mesh->ntriangle; i++) {
    pki_triangle t;
    pki_trimesh_triangle(l->mesh, i, &t);
    for (int k = 0; k < 3; k++) {
      if (t.edge[k] == PKI_EDGE_CONVEX && t.vertex[k] < t.vertex[(k + 1) % 3]) {
        look_along(l, &t, k, (unsigned)(3 * i + k));
      }
    }
  }
}

static void look_at_corners(const look *l)
{
  enum { MOST = 32 }; /* edges of one corner that are looked at */
  for (int i = 0; i < l->mesh->nvertex; i++) {
    double x[3], end[3], along[MOST][3];
    place_vertex(l, i, x);
    if (!(gap_at(l, x) <= l->margin)) {
      continue;
    }
    const int first = l->form->around_start[i], edges = l->form->around_start[i + 1] - first;
    const int n = edges < MOST ? edges : MOST;
    for (int k = 0; k < n; k++) {
      place_vertex(l, l->form->around[first + (int)((long long)k * edges / n)], end);
      pki_sub3(end, x, along[k]);
      const double length = pki_length3(along[k]);
      for (int c = 0; c < 3; c++) {
        along[k][c] /= length;
      }
    }
    add_touch(l, x, (const double(*)[3])along, n, pki_surface_name(KIND_CORNER, (unsigned)i, l->turned, 0));
  }
}

/* ---- both shapes ---- */

/* Touches of shape a in the volume of shape b, world; normals from the pair's second shape to the first. */
static void look_at(const pki_side *a, const pki_side *b, bool turned, double margin, pki_gather *out)
{
  const pk_pose back = pki_pose_invert(b->pose);
  pki_gather found = {.same = out->same};
  const look l = {.mesh = pki_narrow_faces(a)->mesh,
                  .form = a->form,
                  .volume = b->form->volume,
                  .pose = pki_pose_mul(&back, a->pose),
                  .turned = turned,
                  .margin = margin,
                  .out = &found};
  look_at_corners(&l);
  look_at_edges(&l);
  for (int i = 0; i < found.count; i++) {
    pk_touch_point *t = &found.touch[i];
    for (int s = 0; s < 2; s++) {
      pki_mat3_apply(b->pose->rot, t->point[s], t->point[s]);
      pki_along3(t->point[s], 1, b->pose->pos, t->point[s]);
    }
    pki_mat3_apply(b->pose->rot, t->normal, t->normal);
    pki_gather_add(out, t);
  }
}

static int touch_by_volumes(const pki_side *a, const pki_side *b, double margin, pki_pair_memory *memory,
                            pk_touch_point out[PK_TOUCH_MOST])
{
  (void)memory;
  pki_gather found = {.same = 1e-4 * fmin(a->form->volume->cell, b->form->volume->cell)};
  look_at(a, b, false, margin, &found);
  look_at(b, a, true, margin, &found);
  const int count = pki_touch_reduce(found.touch, found.count);
  for (int i = 0; i < count; i++) {
    out[i] = found.touch[i];
  }
  return count;
}

/* Beyond the grids the distance is that of all other pairs. */
static bool distance_by_volumes(const pki_side *a, const pki_side *b, double reach, pki_pair_memory *memory,
                                pk_proximity *out)
{
  pk_touch_point touch[PK_TOUCH_MOST];
  const int count = touch_by_volumes(a, b, reach, memory, touch);
  return pki_touch_deepest(touch, count, out) ||
         pki_distance(a->geometry, a->pose, b->geometry, b->pose, reach, NULL, out);
}

/* What was asked for, the longest side at most; else a 32nd of it, and a quarter of the shortest one at most. */
static double cell_of(const pk_geometry *g, double asked)
{
  double longest = 0, shortest = INFINITY;
  for (int k = 0; k < 3; k++) {
    const double side = g->box.max[k] - g->box.min[k];
    longest = fmax(longest, side), shortest = fmin(shortest, side);
  }
  return asked > 0 ? fmin(asked, longest) : fmin(longest / 32, shortest / 4);
}

/* Each triangle leads from each of its corners to the next one: around a corner of a closed surface that is all of them. */
static pk_status list_edges(const pki_trimesh *t, pki_narrow_form *out, pk_error *err)
{
  const size_t n = (size_t)t->nvertex, edges = 3 * (size_t)t->ntriangle;
  out->around_start = calloc(n + 2, sizeof *out->around_start);
  out->around = malloc(edges * sizeof *out->around);
  if (out->around_start == NULL || out->around == NULL) {
    return pki_fail_memory(err, "the corners of a shape");
  }
  int *next = out->around_start + 1; /* where each corner's next edge goes; the starts in the end */
  for (size_t i = 0; i < edges; i++) {
    next[t->triangle[i] + 1]++;
  }
  for (size_t v = 0; v < n; v++) {
    next[v + 1] += next[v];
  }
  for (size_t i = 0; i < edges; i++) {
    out->around[next[t->triangle[i]]++] = t->triangle[i % 3 == 2 ? i - 2 : i + 1];
  }
  return PK_OK;
}

static pk_status fill_volume(const pk_geometry *g, const pki_narrow_form_options *o, pki_narrow_form *out,
                             pk_error *err)
{
  pk_status status = pki_narrow_face(g, out, err);
  const pk_geometry *faces =
      status == PK_OK ? pki_narrow_faces(&(pki_side){.geometry = g, .form = out}) : NULL;
  if (faces == NULL || !faces->mesh->closed) {
    return status;
  }
  status = list_edges(faces->mesh, out, err);
  if (status != PK_OK) {
    return status;
  }
  const double cell = cell_of(g, o->cell);
  pk_error why;
  status = pki_volume_create(faces->mesh, cell, (int)fmin(1 + ceil(o->margin / cell), 1 << 20), &out->volume,
                             &why);
  return status == PK_OK ? PK_OK
                         : pki_fail(err, status, (pki_where){.field = "volume_cell"}, "%s", why.message);
}

const pki_narrow_row pki_narrow_volumes = {
    "volumes",
    "signed distances on grids, off by 0.87 of volume_cell at most; boxes, hulls and closed meshes",
    takes_volumes,
    distance_by_volumes,
    touch_by_volumes,
    fill_volume,
    "volume_cell"};
