/* Making a height field, and the nearest point of its surface.
 *
 * A query looks at cells in rings around the point, until no cell further out can be nearer than what was
 * found. The nearest point of the solid lies on a triangle's face, on an edge or corner of triangles, or on a
 * vertical side. Faces are looked at with a hair of tolerance around their borders and win against
 * edges that are not nearer by more than that: over coplanar triangles there are no edges. */
#include "collision/shapes/heights.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "math/mat3.h"

static const double HAIR = 1e-10; /* of a cell's length: what counts as touching a triangle's border */
static const double SQRT_HALF = 0.70710678118654752;

/* ---- making ---- */

static pk_status check_grid(const pk_geometry_desc *desc, pk_error *err)
{
  const int nx = desc->nx, ny = desc->ny;
  if (nx < 2 || ny < 2) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = nx < 2 ? "nx" : "ny"},
                    "the field has %d x %d heights, expected at least 2 x 2", nx, ny);
  }
  if (nx > PKI_HEIGHTS_MOST / ny) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = "nx"},
                    "the field has %d x %d heights, at most %d are possible", nx, ny, PKI_HEIGHTS_MOST);
  }
  if (!(desc->cell > 0) || !isfinite(desc->cell)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "cell"},
                    "cell is %g m, expected a positive length", desc->cell);
  }
  /* so that slopes and their squares are finite */
  const double long_side = desc->cell * (nx > ny ? nx : ny);
  if (desc->cell < 1 / PKI_HEIGHTS_FAR || long_side > PKI_HEIGHTS_FAR) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "cell"},
                    "cell is %g m and the field %g m long, expected %g m or more and %g m or less",
                    desc->cell, long_side, 1 / PKI_HEIGHTS_FAR, PKI_HEIGHTS_FAR);
  }
  if (desc->heights == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "heights"}, "there are no heights");
  }
  return PK_OK;
}

/* 1/cosine of the steepest triangle. */
static double steepest_slope(const pki_heights *h)
{
  double least = 1;
  for (int j = 0; j < h->ny - 1; j++) {
    for (int i = 0; i < h->nx - 1; i++) {
      for (int upper = 0; upper < 2; upper++) {
        double normal[3];
        pki_heights_normal(h, i, j, upper, normal);
        least = fmin(least, normal[2]);
      }
    }
  }
  return 1 / least;
}

pk_status pki_heights_create(const pk_geometry_desc *desc, pki_heights **out, pk_error *err)
{
  *out = NULL;
  const pk_status status = check_grid(desc, err);
  if (status != PK_OK) {
    return status;
  }
  const size_t nx = (size_t)desc->nx, count = nx * (size_t)desc->ny;
  const double *const z = desc->heights;
  double top = -INFINITY;
  for (size_t e = 0; e < count; e++) {
    if (!isfinite(z[e])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "heights"},
                      "heights[%zu][%zu] is %g, expected a finite height", e / nx, e % nx, z[e]);
    }
    if (fabs(z[e]) > PKI_HEIGHTS_FAR) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "heights"},
                      "heights[%zu][%zu] is %g m, expected %g m at most", e / nx, e % nx, z[e],
                      PKI_HEIGHTS_FAR);
    }
    top = fmax(top, z[e]);
  }
  pki_heights *h = malloc(sizeof *h);
  double *copy = malloc(count * sizeof *copy);
  if (h == NULL || copy == NULL) {
    free(h);
    free(copy);
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){.field = "heights"}, "no memory for %d x %d heights",
                    desc->nx, desc->ny);
  }
  memcpy(copy, z, count * sizeof *copy);
  *h = (pki_heights){.cell = desc->cell, .nx = desc->nx, .ny = desc->ny, .top = top, .z = copy};
  h->steep = steepest_slope(h);
  *out = h;
  return PK_OK;
}

void pki_heights_destroy(pki_heights *h)
{
  if (h != NULL) {
    free(h->z);
    free(h);
  }
}

void pki_heights_bounds(const pki_heights *h, pki_aabb *out)
{
  *out = (pki_aabb){.min = {0, 0, -INFINITY}, .max = {(h->nx - 1) * h->cell, (h->ny - 1) * h->cell, h->top}};
}

/* ---- geometry of a cell ---- */

void pki_heights_normal(const pki_heights *h, int i, int j, bool upper, double normal[3])
{
  const double c = h->cell, z00 = pki_height(h, i, j), z11 = pki_height(h, i + 1, j + 1);
  const double z = upper ? pki_height(h, i, j + 1) : pki_height(h, i + 1, j);
  /* minus the slopes along x and y */
  const double a = (upper ? z - z11 : z00 - z) / c, b = (upper ? z00 - z : z - z11) / c;
  const double length = sqrt(1 + a * a + b * b);
  normal[0] = a / length, normal[1] = b / length, normal[2] = 1 / length;
}

/* One triangle of a cell; coordinates are relative to the cell's corner (i, j). */
typedef struct triangle {
  double corner[3][3]; /* lower: 00, 10, 11; upper: 00, 11, 01 */
  double normal[3];
} triangle;

static triangle triangle_of(const pki_heights *f, int i, int j, bool upper)
{
  const double c = f->cell, z00 = pki_height(f, i, j), z11 = pki_height(f, i + 1, j + 1);
  const double z = upper ? pki_height(f, i, j + 1) : pki_height(f, i + 1, j);
  triangle t = {
      .corner = {{0, 0, z00}, {c, upper ? c : 0, upper ? z11 : z}, {upper ? 0 : c, c, upper ? z : z11}}};
  pki_heights_normal(f, i, j, upper, t.normal);
  return t;
}

double pki_heights_surface(const pki_heights *f, double x, double y)
{
  const int i = pki_heights_cell(x, f->cell, f->nx), j = pki_heights_cell(y, f->cell, f->ny);
  const double u = x / f->cell - i, v = y / f->cell - j;
  const double z00 = pki_height(f, i, j), z11 = pki_height(f, i + 1, j + 1);
  if (v > u) {
    const double z01 = pki_height(f, i, j + 1);
    return z00 + v * (z01 - z00) + u * (z11 - z01);
  }
  const double z10 = pki_height(f, i + 1, j);
  return z00 + u * (z10 - z00) + v * (z11 - z10);
}

/* ---- the search ---- */

/* fmin and fmax of what is a number: one instruction each. */
static inline double smaller_of(double a, double b)
{
  return a < b ? a : b;
}

static inline double larger_of(double a, double b)
{
  return a > b ? a : b;
}

typedef struct search {
  const pki_heights *f;
  double x[3];      /* the point */
  bool inside;      /* within the footprint and below the surface */
  double best;      /* unsigned distance; at first, as far as it makes sense to look */
  bool found, face; /* something was found; on a face */
  double distance;  /* signed */
  double normal[3];
} search;

/* The point (relative to the cell's corner) against a triangle's face; returns its distance from the triangle's plane. */
static double try_face(search *s, const triangle *t, const double p[3], bool upper)
{
  const double c = s->f->cell, hair = HAIR * c;
  const double arm[3] = {p[0], p[1], p[2] - t->corner[0][2]};
  const double h = pki_dot3(t->normal, arm);
  /* the foot of the perpendicular, seen from above */
  const double x = p[0] - h * t->normal[0], y = p[1] - h * t->normal[1];
  const double low = upper ? x : y, high = upper ? y : x, d = fabs(h);
  if (low < -hair || high > c + hair || low > high + hair) {
    return d;
  }
  if (d < s->best || (!s->face && d <= s->best + hair)) {
    s->best = d, s->found = s->face = true;
    s->distance = h;
    memcpy(s->normal, t->normal, sizeof s->normal);
  }
  return d;
}

/* The same against the edge from a to b, corners included. */
static void try_edge(search *s, const triangle *t, const double p[3], const double a[3], const double b[3])
{
  const double ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double ap[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
  const double along = smaller_of(larger_of(pki_dot3(ap, ab) / pki_dot3(ab, ab), 0), 1);
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

/* A triangle of a cell. What is seen from above is never farther than what it is seen of: so neither the triangle across the diagonal
 * nor an edge needs a look when it is farther from above than what was found. */
static void try_edges(search *s, const triangle *t, const double p[3], double plane, bool upper)
{
  const double c = s->f->cell, low = upper ? p[0] : p[1], high = upper ? p[1] : p[0];
  /* edges of the lower triangle: front, right, diagonal; of the upper one: diagonal, back, left */
  const double across = SQRT_HALF * fabs(p[0] - p[1]), last = fabs(c - high);
  const double away[3] = {upper ? across : fabs(low), last, upper ? fabs(low) : across};
  for (int k = 0; k < 3 && !(s->face && plane >= s->best); k++) { /* no edge is nearer than its plane */
    if (away[k] <= s->best + HAIR * c) {
      try_edge(s, t, p, t->corner[k], t->corner[(k + 1) % 3]);
    }
  }
}

/* Nothing of a cell is nearer than the face that was found when its corners, heights z, lie behind that face's plane. */
static bool is_behind(const search *s, const double p[3], const double z[4])
{
  const double *n = s->normal, c = s->f->cell, base = -pki_dot3(n, p);
  const double far = larger_of(larger_of(n[2] * z[0], n[0] * c + n[2] * z[1]),
                               larger_of(n[1] * c + n[2] * z[2], (n[0] + n[1]) * c + n[2] * z[3]));
  return s->face && s->distance >= 0 && base + far <= -s->best + HAIR * c;
}

static void try_cell(search *s, int i, int j)
{
  const pki_heights *const f = s->f;
  const double c = f->cell, p[3] = {s->x[0] - i * c, s->x[1] - j * c, s->x[2]};
  const double beside[2] = {larger_of(larger_of(-p[0], p[0] - c), 0),
                            larger_of(larger_of(-p[1], p[1] - c), 0)};
  const double far = s->best + HAIR * c, level = beside[0] * beside[0] + beside[1] * beside[1];
  if (level > far * far) {
    return;
  }
  /* the box around the cell's surface */
  const double z[4] = {pki_height(f, i, j), pki_height(f, i + 1, j), pki_height(f, i, j + 1),
                       pki_height(f, i + 1, j + 1)};
  const double low = smaller_of(smaller_of(z[0], z[1]), smaller_of(z[2], z[3])),
               high = larger_of(larger_of(z[0], z[1]), larger_of(z[2], z[3]));
  const double above = larger_of(larger_of(low - p[2], p[2] - high), 0);
  if (level + above * above > far * far || is_behind(s, p, z)) {
    return;
  }
  triangle t[2];
  double plane[2];
  bool near[2];
  for (int k = 0; k < 2; k++) {
    const double across =
        SQRT_HALF * (k ? p[0] - p[1] : p[1] - p[0]); /* from the triangle across the diagonal */
    near[k] = across <= s->best + 3 * HAIR * c;
    if (near[k]) {
      t[k] = triangle_of(f, i, j, k);
      plane[k] = try_face(s, &t[k], p, k);
    }
  }
  for (int k = 0; k < 2; k++) {
    if (near[k]) {
      try_edges(s, &t[k], p, plane[k], k);
    }
  }
}

/* Cells ring by ring around the one below the point, as far as the square around it goes that holds all that is near enough. */
static void try_rings(search *s)
{
  const pki_heights *const f = s->f;
  const double c = f->cell, far = s->best + 2 * HAIR * c;
  const int ci = pki_heights_cell(s->x[0], c, f->nx), cj = pki_heights_cell(s->x[1], c, f->ny);
  const int left = pki_heights_cell(s->x[0] - far, c, f->nx),
            right = pki_heights_cell(s->x[0] + far, c, f->nx);
  const int front = pki_heights_cell(s->x[1] - far, c, f->ny),
            back = pki_heights_cell(s->x[1] + far, c, f->ny);
  const int last = f->nx > f->ny ? f->nx : f->ny;
  if (left >= ci - 1 && right <= ci + 1 && front >= cj - 1 &&
      back <= cj + 1) { /* mostly: the first ring alone */
    try_cell(s, ci, cj);
    for (int j = front; j <= back; j++) {
      for (int i = left; i <= right; i++) {
        if (i != ci || j != cj) {
          try_cell(s, i, j);
        }
      }
    }
    return;
  }
  for (int ring = 0; ring < last && (ring - 1) * c <= s->best; ring++) {
    const int j0 = cj - ring > front ? cj - ring : front, j1 = cj + ring < back ? cj + ring : back;
    const int i0 = ci - ring > left ? ci - ring : left, i1 = ci + ring < right ? ci + ring : right;
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

bool pki_heights_point(const pki_heights *f, const double point[3], double reach, double *distance,
                       double normal[3])
{
  search s = {.f = f, .x = {point[0], point[1], point[2]}};
  const double size[2] = {(f->nx - 1) * f->cell, (f->ny - 1) * f->cell};
  /* nothing is nearer than the box around all of it, which has no bottom */
  const double near[2] = {fmin(fmax(s.x[0], 0), size[0]), fmin(fmax(s.x[1], 0), size[1])};
  const bool over = s.x[0] == near[0] && s.x[1] == near[1];
  const double beside = over ? 0 : hypot(s.x[0] - near[0], s.x[1] - near[1]);
  const double above = fmax(s.x[2] - f->top, 0);
  if (!((over ? above : hypot(beside, above)) <= fmax(reach, 0))) {
    return false;
  }
  const double drop = s.x[2] - pki_heights_surface(f, near[0], near[1]);
  if (beside > 0 && drop <= 0) {
    /* beside the field and below its border: no point of the solid is nearer than the side */
    *distance = beside;
    normal[0] = (s.x[0] - near[0]) / beside, normal[1] = (s.x[1] - near[1]) / beside;
    normal[2] = 0;
    return beside <= reach;
  }
  if (over && drop > fmax(reach, 0) * f->steep * (1 + 1e-9) + HAIR * f->cell) {
    return false; /* no slope comes that near */
  }
  /* the surface above or below bounds the distance; a hair more, so that it is found itself */
  s.inside = drop < 0;
  s.best = (over ? fabs(drop) : hypot(beside, drop)) * (1 + 1e-9) + HAIR * f->cell;
  s.best = s.inside ? s.best : fmin(s.best, fmax(reach, 0) + HAIR * f->cell);
  try_rings(&s);
  if (s.inside) {
    try_sides(&s, size);
  }
  *distance = s.distance;
  memcpy(normal, s.normal, sizeof s.normal);
  return s.found && (s.distance <= reach || s.distance < 0);
}
