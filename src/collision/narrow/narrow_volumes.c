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
 * flat faces, it is exact but for the single precision of the nodes; at edges and corners normals turn over a cell. */
#include <math.h>

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

/* A point of the shape touches what its distance's gradient points away from. */
static void add_touch(const look *l, const double x[3], unsigned name)
{
  double d, n[3];
  if (!pki_volume_distance(l->volume, x, &d, n) || !(d <= l->margin)) {
    return;
  }
  const double length = pki_length3(n);
  if (!(length > 1e-3)) { /* as far from one side as from the other */
    return;
  }
  pk_touch_point t = {.gap = d, .id = name};
  for (int k = 0; k < 3; k++) {
    const double unit = n[k] / length;
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
      add_touch(l, x, pki_surface_name(KIND_EDGE + (unsigned)side, name, l->turned, 0));
    }
  }
}

static void look_along(const look *l, int from, int to, unsigned name)
{
  line e = {.look = l};
  double end[3], middle[3], low, high;
  place_vertex(l, from, e.from);
  place_vertex(l, to, end);
  pki_sub3(end, e.from, e.way);
  point_on(&e, 0.5, middle);
  const double length = pki_length3(e.way);
  pki_volume_bounds(l->volume, middle, &low, &high);
  if (low > 0.5 * length + l->margin) {
    return;
  }
  const int n = (int)fmin(SAMPLES, fmax(2, ceil(length / l->volume->cell)));
  double gap[SAMPLES + 1];
  int least = 0;
  for (int k = 0; k <= n; k++) {
    gap[k] = gap_on(&e, (double)k / n);
    least = gap[k] < gap[least] ? k : least;
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
        look_along(l, t.vertex[k], t.vertex[(k + 1) % 3], (unsigned)(3 * i + k));
      }
    }
  }
}

static void look_at_corners(const look *l)
{
  for (int i = 0; i < l->mesh->nvertex; i++) {
    double x[3];
    place_vertex(l, i, x);
    add_touch(l, x, pki_surface_name(KIND_CORNER, (unsigned)i, l->turned, 0));
  }
}

/* ---- both shapes ---- */

/* Touches of shape a in the volume of shape b, world; normals from the pair's second shape to the first. */
static void look_at(const pki_side *a, const pki_side *b, bool turned, double margin, pki_gather *out)
{
  const pk_pose back = pki_pose_invert(b->pose);
  pki_gather found = {.same = out->same};
  const look l = {.mesh = pki_narrow_faces(a)->mesh,
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
  pki_gather found = {.same = 1e-2 * fmin(a->form->volume->cell, b->form->volume->cell)};
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

/* A 32nd of the longest side, and a quarter of the shortest one at most. */
static double cell_of(const pk_geometry *g, double asked)
{
  double longest = 0, shortest = INFINITY;
  for (int k = 0; k < 3; k++) {
    const double side = g->box.max[k] - g->box.min[k];
    longest = fmax(longest, side), shortest = fmin(shortest, side);
  }
  return asked > 0 ? asked : fmin(longest / 32, shortest / 4);
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
    fill_volume};
