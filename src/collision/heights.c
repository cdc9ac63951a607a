/* A height field: all below a triangulated surface, with vertical sides at its border.
 *
 *     (i, j+1) +-----+ (i+1, j+1)     Each cell has two triangles. On each of them the surface is
 *              | U / |                z = z_c + a x + b y, with outward normal (-a, -b, 1) / length.
 *              |  /  |
 *              | / L |                A query looks at cells in rings around the point, until no cell
 *     (i, j)   +-----+ (i+1, j)       further out can be nearer than what was found.
 *
 * The nearest point of the solid lies on a triangle's face, on an edge or corner of triangles, or on a
 * vertical side. Faces are looked at with a hair of tolerance around their borders and win against
 * edges that are not nearer by more than that: over coplanar triangles there are no edges. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "collision/terrain.h"
#include "math/mat3.h"

static const double HAIR = 1e-10; /* of a cell's length: what counts as touching a triangle's border */

/* ---- making ---- */

pk_status pki_heights_init(pki_heights *f, const double origin[3], int nx, int ny, double cell,
                           const double *z, pk_error *err)
{
  const pk_status status = pki_check_finite3(origin, "origin", err);
  if (status != PK_OK) {
    return status;
  }
  if (nx < 2 || ny < 2) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = nx < 2 ? "nx" : "ny"},
                    "the field has %d x %d heights, expected at least 2 x 2", nx, ny);
  }
  if (!(cell > 0) || !isfinite(cell)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "cell"},
                    "cell is %g m, expected a positive length", cell);
  }
  const size_t count = (size_t)nx * (size_t)ny;
  double top = -INFINITY;
  for (size_t e = 0; e < count; e++) {
    if (!isfinite(z[e])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "heights"},
                      "heights[%zu][%zu] is %g, expected a finite height", e / (size_t)nx, e % (size_t)nx,
                      z[e]);
    }
    top = fmax(top, z[e]);
  }
  double *copy = calloc(count, sizeof *copy);
  if (copy == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){.field = "heights"}, "no memory for %d x %d heights",
                    nx, ny);
  }
  memcpy(copy, z, count * sizeof *copy);
  *f = (pki_heights){.cell = cell, .nx = nx, .ny = ny, .top = top, .z = copy};
  memcpy(f->origin, origin, sizeof f->origin);
  return PK_OK;
}

/* ---- geometry of a cell ---- */

static double height(const pki_heights *f, int i, int j)
{
  return f->z[(size_t)j * (size_t)f->nx + (size_t)i];
}

/* The cell below x (m from the origin), the nearest one when x is beside the field. */
static int cell_at(double x, double cell, int count)
{
  return (int)fmin(fmax(floor(x / cell), 0), count - 2);
}

/* One triangle of a cell; coordinates are relative to the cell's corner (i, j). */
typedef struct triangle {
  double corner[3][3]; /* lower: 00, 10, 11; upper: 00, 11, 01 */
  double normal[3];
} triangle;

static triangle triangle_of(const pki_heights *f, int i, int j, bool upper)
{
  const double c = f->cell, z00 = height(f, i, j), z11 = height(f, i + 1, j + 1);
  const double z = upper ? height(f, i, j + 1) : height(f, i + 1, j);
  triangle t = {
      .corner = {{0, 0, z00}, {c, upper ? c : 0, upper ? z11 : z}, {upper ? 0 : c, c, upper ? z : z11}}};
  /* slopes along x and y */
  const double a = (upper ? z - z11 : z00 - z) / c, b = (upper ? z00 - z : z - z11) / c;
  const double length = sqrt(1 + a * a + b * b);
  t.normal[0] = a / length, t.normal[1] = b / length, t.normal[2] = 1 / length;
  return t;
}

/* The surface's height over a place within the field. */
static double surface(const pki_heights *f, double x, double y)
{
  const int i = cell_at(x, f->cell, f->nx), j = cell_at(y, f->cell, f->ny);
  const double u = x / f->cell - i, v = y / f->cell - j;
  const double z00 = height(f, i, j), z11 = height(f, i + 1, j + 1);
  if (v > u) {
    const double z01 = height(f, i, j + 1);
    return z00 + v * (z01 - z00) + u * (z11 - z01);
  }
  const double z10 = height(f, i + 1, j);
  return z00 + u * (z10 - z00) + v * (z11 - z10);
}

/* ---- the search ---- */

typedef struct search {
  const pki_heights *f;
  double x[3];      /* the point, relative to the field's origin */
  bool inside;      /* within the footprint and below the surface */
  double best;      /* unsigned distance; at first, as far as it makes sense to look */
  bool found, face; /* something was found; on a face */
  double distance;  /* signed */
  double normal[3];
} search;

/* The point (relative to the cell's corner) against a triangle's face. */
static void try_face(search *s, const triangle *t, const double p[3], bool upper)
{
  const double c = s->f->cell, hair = HAIR * c;
  const double arm[3] = {p[0], p[1], p[2] - t->corner[0][2]};
  const double h = pki_dot3(t->normal, arm);
  /* the foot of the perpendicular, seen from above */
  const double x = p[0] - h * t->normal[0], y = p[1] - h * t->normal[1];
  const double low = upper ? x : y, high = upper ? y : x;
  if (low < -hair || high > c + hair || low > high + hair) {
    return;
  }
  const double d = fabs(h);
  if (d < s->best || (!s->face && d <= s->best + hair)) {
    s->best = d, s->found = s->face = true;
    s->distance = h;
    memcpy(s->normal, t->normal, sizeof s->normal);
  }
}

/* The same against the edge from a to b, corners included. */
static void try_edge(search *s, const triangle *t, const double p[3], const double a[3], const double b[3])
{
  const double ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double ap[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
  const double along = fmin(fmax(pki_dot3(ap, ab) / pki_dot3(ab, ab), 0), 1);
  const double r[3] = {ap[0] - along * ab[0], ap[1] - along * ab[1], ap[2] - along * ab[2]};
  const double d = sqrt(pki_dot3(r, r));
  const double hair = HAIR * s->f->cell;
  if (!(d < s->best - (s->face ? hair : 0))) {
    return;
  }
  /* nearer than a hair a direction would be rounding only */
  const double sign = s->inside ? -1 : 1;
  s->best = d, s->found = true, s->face = false;
  s->distance = sign * d;
  for (int k = 0; k < 3; k++) {
    s->normal[k] = d > hair ? sign * r[k] / d : t->normal[k];
  }
}

static void try_cell(search *s, int i, int j)
{
  const pki_heights *const f = s->f;
  const double c = f->cell, p[3] = {s->x[0] - i * c, s->x[1] - j * c, s->x[2]};
  /* the box around the cell's surface */
  const double z[4] = {height(f, i, j), height(f, i + 1, j), height(f, i, j + 1), height(f, i + 1, j + 1)};
  const double low = fmin(fmin(z[0], z[1]), fmin(z[2], z[3])),
               high = fmax(fmax(z[0], z[1]), fmax(z[2], z[3]));
  const double e[3] = {fmax(fmax(-p[0], p[0] - c), 0), fmax(fmax(-p[1], p[1] - c), 0),
                       fmax(fmax(low - p[2], p[2] - high), 0)};
  const double far = s->best + HAIR * c;
  if (pki_dot3(e, e) > far * far) {
    return;
  }
  const triangle t[2] = {triangle_of(f, i, j, false), triangle_of(f, i, j, true)};
  try_face(s, &t[0], p, false);
  try_face(s, &t[1], p, true);
  for (int k = 0; k < 2; k++) {
    for (int e0 = 0; e0 < 3; e0++) {
      try_edge(s, &t[k], p, t[k].corner[e0], t[k].corner[(e0 + 1) % 3]);
    }
  }
}

/* Cells ring by ring around the one below the point. */
static void try_rings(search *s)
{
  const pki_heights *const f = s->f;
  const int ci = cell_at(s->x[0], f->cell, f->nx), cj = cell_at(s->x[1], f->cell, f->ny);
  const int last = f->nx > f->ny ? f->nx : f->ny;
  for (int ring = 0; ring < last && (ring - 1) * f->cell <= s->best; ring++) {
    const int j0 = cj - ring > 0 ? cj - ring : 0, j1 = cj + ring < f->ny - 2 ? cj + ring : f->ny - 2;
    const int i0 = ci - ring > 0 ? ci - ring : 0, i1 = ci + ring < f->nx - 2 ? ci + ring : f->nx - 2;
    for (int j = j0; j <= j1; j++) {
      /* full rows above and below, two cells in the rows between */
      const bool full = j == cj - ring || j == cj + ring;
      for (int i = full ? i0 : ci - ring; i <= i1; i += full ? 1 : 2 * ring) {
        if (i >= i0) {
          try_cell(s, i, j);
        }
      }
    }
  }
}

/* The nearest side, when it is nearer than the surface above a point inside. */
static void try_sides(search *s, const double size[2])
{
  const double hair = HAIR * s->f->cell;
  for (int side = 0; side < 4; side++) {
    const int axis = side / 2;
    const double d = side % 2 ? size[axis] - s->x[axis] : s->x[axis];
    if (d < s->best - hair) {
      s->best = d, s->found = true;
      s->distance = -d;
      s->normal[0] = s->normal[1] = s->normal[2] = 0;
      s->normal[axis] = side % 2 ? 1 : -1;
    }
  }
}

bool pki_heights_query(const pki_heights *f, const double point[3], double reach, pk_terrain_hit *hit)
{
  search s = {.f = f, .x = {point[0] - f->origin[0], point[1] - f->origin[1], point[2] - f->origin[2]}};
  const double size[2] = {(f->nx - 1) * f->cell, (f->ny - 1) * f->cell};
  /* nothing is nearer than the box around all of it, which has no bottom */
  const double near[2] = {fmin(fmax(s.x[0], 0), size[0]), fmin(fmax(s.x[1], 0), size[1])};
  const double beside = hypot(s.x[0] - near[0], s.x[1] - near[1]);
  const double above = fmax(s.x[2] - f->top, 0);
  if (hypot(beside, above) > fmax(reach, 0)) {
    return false;
  }
  const double drop = s.x[2] - surface(f, near[0], near[1]);
  if (beside > 0 && drop <= 0) {
    /* beside the field and below its border: no point of the solid is nearer than the side */
    hit->distance = beside;
    hit->normal[0] = (s.x[0] - near[0]) / beside, hit->normal[1] = (s.x[1] - near[1]) / beside;
    hit->normal[2] = 0;
    return beside <= reach;
  }
  /* the surface above or below bounds the distance; a hair more, so that it is found itself */
  s.inside = drop < 0;
  s.best = hypot(beside, drop) * (1 + 1e-9) + HAIR * f->cell;
  s.best = s.inside ? s.best : fmin(s.best, fmax(reach, 0) + HAIR * f->cell);
  try_rings(&s);
  if (s.inside) {
    try_sides(&s, size);
  }
  hit->distance = s.distance;
  memcpy(hit->normal, s.normal, sizeof hit->normal);
  return s.found && (s.distance <= reach || s.distance < 0);
}
