/* Where a shape touches a half-space. Its points are fixed in the shape wherever the shape has corners, so that what
 * stands does not creep: corners of boxes and hulls, ends of capsules, PKI_RIM points of a rim. Where the surface is
 * round the true lowest point joins them. The gap of each is exact. */
#include <math.h>

#include "collision/narrow/narrow.h"
#include "collision/shapes/trimesh.h"
#include "math/mat3.h"

enum {
  GATHER = 4 * PK_TOUCH_MOST,
  ID_LOWEST = 2 * PKI_RIM, /* of the rim at -z, then of the rim at +z */
  ID_TIP = 2 * PKI_RIM + 2
};

/* A rim that leans less stands on its fixed points alone: the lowest point would wander around it with the roundings,
 * and is lower than they are by 0.08 LEAN of a radius at most. */
static const double LEAN = 1e-6;

typedef struct gather {
  const pk_pose *pose, *plane;
  double n[3], margin;
  double base, up[3]; /* the height of the shape's origin; n in its frame */
  double closest;     /* how near each other two of its points are at least; 0: not known */
  int count;
  pk_touch_point touch[GATHER];
} gather;

/* Points that others hide: they lie so steeply above a lower one (2 up for 1 aside) that the shape has to fall over before
 * they touch. */
static void drop_hidden(gather *s)
{
  double low = s->touch[0].gap, high = low;
  for (int i = 1; i < s->count; i++) {
    low = fmin(low, s->touch[i].gap), high = fmax(high, s->touch[i].gap);
  }
  const double range = high - low; /* two points are at least sqrt(closest^2 - range^2) aside */
  if (5 * range * range <= 4 * s->closest * s->closest) {
    return;
  }
  int kept = 0;
  bool hidden[GATHER];
  for (int i = 0; i < s->count; i++) {
    hidden[i] = false;
    for (int j = 0; j < s->count && !hidden[i]; j++) {
      const double rise = s->touch[i].gap - s->touch[j].gap;
      double aside = 0;
      if (!(rise > 0)) {
        continue;
      }
      for (int k = 0; k < 3; k++) {
        const double d = s->touch[i].point[1][k] - s->touch[j].point[1][k];
        aside += d * d;
      }
      hidden[i] = rise * rise > 4 * aside;
    }
  }
  for (int i = 0; i < s->count; i++) {
    if (!hidden[i]) {
      s->touch[kept++] = s->touch[i];
    }
  }
  s->count = kept;
}

/* A ball of the shape (own frame), kept when its gap is within the margin. */
static void add_ball_touch(gather *s, const double local[3], double radius, unsigned id)
{
  double x[3], away[3];
  /* most are clearly above */
  const double rise = pki_dot3(s->up, local);
  if (s->base + rise - radius > s->margin + 1e-12 * (fabs(s->base) + fabs(rise) + radius)) {
    return;
  }
  pki_mat3_apply(s->pose->rot, local, x);
  for (int k = 0; k < 3; k++) {
    x[k] += s->pose->pos[k];
    away[k] = x[k] - s->plane->pos[k];
  }
  const double gap = pki_dot3(s->n, away) - radius;
  if (!(gap <= s->margin)) {
    return;
  }
  if (s->count == GATHER) {
    drop_hidden(s);
    s->count = pki_touch_reduce(s->touch, s->count);
  }
  pk_touch_point *const t = &s->touch[s->count++];
  for (int k = 0; k < 3; k++) {
    t->point[0][k] = x[k] - radius * s->n[k];
    t->point[1][k] = t->point[0][k] - gap * s->n[k];
    t->normal[k] = s->n[k];
  }
  t->gap = gap, t->id = id;
}

static void add_box(gather *s, const double half[3])
{
  s->closest = 2 * fmin(half[0], fmin(half[1], half[2]));
  for (unsigned c = 0; c < 8; c++) {
    const double x[3] = {c & 1 ? half[0] : -half[0], c & 2 ? half[1] : -half[1], c & 4 ? half[2] : -half[2]};
    add_ball_touch(s, x, 0, c);
  }
}

static void add_capsule(gather *s, const pk_geometry *g)
{
  add_ball_touch(s, (const double[3]){0, 0, -g->half_length}, g->radius, 0);
  if (g->half_length > 0) {
    add_ball_touch(s, (const double[3]){0, 0, g->half_length}, g->radius, 1);
  }
}

/* The fixed points of the rim at height z. */
static void add_rim(gather *s, double radius, double z, unsigned id)
{
  static const double h = 0.70710678118654752440;
  static const double corner[PKI_RIM][2] = {{1, 0},  {h, h},   {0, 1},  {-h, h},
                                            {-1, 0}, {-h, -h}, {0, -1}, {h, -h}};
  for (unsigned k = 0; k < PKI_RIM; k++) {
    add_ball_touch(s, (const double[3]){radius * corner[k][0], radius * corner[k][1], z}, 0, id + k);
  }
}

/* With m the axis turned a right angle towards the plane and s, u the sine and cosine between axis and normal: the caps'
 * lowest points are radius m, and the line between them, on the side, faces the plane with s. */
static void add_cylinder(gather *s, const pk_geometry *g, const double down[3])
{
  const double sine = hypot(down[0], down[1]), z = down[2] > 0 ? g->half_length : -g->half_length;
  const unsigned cap = z > 0;
  if (fabs(down[2]) > 0.7) {
    add_rim(s, g->radius, z, cap * PKI_RIM);
  }
  if (sine > LEAN) {
    const double x = g->radius * down[0] / sine, y = g->radius * down[1] / sine;
    add_ball_touch(s, (const double[3]){x, y, z}, 0, ID_LOWEST + cap);
    if (sine > 0.3) {
      add_ball_touch(s, (const double[3]){x, y, -z}, 0, ID_LOWEST + !cap);
    }
  }
}

/* As the cylinder; the line goes from the base's lowest point to the tip, and faces the plane with
 * (s height + d_z radius) / slant. */
static void add_cone(gather *s, const pk_geometry *g, const double down[3])
{
  const double sine = hypot(down[0], down[1]), r = g->radius, h = g->half_length;
  const double base = h * down[2] - r * sine, tip = -h * down[2]; /* their lowest, above the shape's centre */
  if (down[2] < -0.7) {
    add_rim(s, r, -h, 0);
  }
  if (sine > LEAN) {
    add_ball_touch(s, (const double[3]){r * down[0] / sine, r * down[1] / sine, -h}, 0, ID_LOWEST);
  }
  const double facing = (2 * h * sine + r * down[2]) / hypot(2 * h, r);
  if (facing > 0.3 || tip <= base) {
    add_ball_touch(s, (const double[3]){0, 0, h}, 0, ID_TIP);
  }
}

/* The point with the normal `down`: a_k^2 d_k / |a d|. */
static void add_ellipsoid(gather *s, const double half[3], const double down[3])
{
  double x[3] = {half[0] * down[0], half[1] * down[1], half[2] * down[2]};
  const double length = sqrt(pki_dot3(x, x));
  for (int k = 0; k < 3; k++) {
    x[k] *= half[k] / length;
  }
  add_ball_touch(s, x, 0, 0);
}

static void add_vertices(gather *s, const pk_geometry *g)
{
  const int n = g->hull ? g->hull->nvertex : g->mesh ? g->mesh->nvertex : 0;
  const double *const vertex = g->hull ? g->hull->vertex : g->mesh ? g->mesh->vertex : NULL;
  for (int i = 0; i < n; i++) {
    add_ball_touch(s, vertex + 3 * i, 0, (unsigned)i);
  }
}

int pki_plane_touch(const pk_geometry *g, const pk_pose *pose, const pk_pose *plane, double margin,
                    pk_touch_point out[PK_TOUCH_MOST])
{
  gather s; /* big: filled as far as it is used */
  s.pose = pose, s.plane = plane, s.margin = margin, s.closest = 0, s.count = 0;
  double down[3], away[3];
  for (int k = 0; k < 3; k++) {
    s.n[k] = plane->rot[3 * k + 2];
    down[k] = -s.n[k];
  }
  pki_mat3_apply_transposed(pose->rot, down, down);
  pki_sub3(pose->pos, plane->pos, away);
  s.base = pki_dot3(s.n, away);
  for (int k = 0; k < 3; k++) {
    s.up[k] = -down[k];
  }
  switch (g->kind) {
  case PK_SHAPE_SPHERE: add_ball_touch(&s, (const double[3]){0, 0, 0}, g->radius, 0); break;
  case PK_SHAPE_BOX: add_box(&s, g->half); break;
  case PK_SHAPE_CAPSULE: add_capsule(&s, g); break;
  case PK_SHAPE_CYLINDER: add_cylinder(&s, g, down); break;
  case PK_SHAPE_CONE: add_cone(&s, g, down); break;
  case PK_SHAPE_ELLIPSOID: add_ellipsoid(&s, g->half, down); break;
  case PK_SHAPE_CONVEX:
  case PK_SHAPE_MESH: add_vertices(&s, g); break;
  default: break;
  }
  if (s.count > 1) {
    drop_hidden(&s);
    s.count = pki_touch_reduce(s.touch, s.count);
  }
  memcpy(out, s.touch, (size_t)s.count * sizeof *out);
  return s.count;
}
