/* When two shapes in motion first touch: conservative advancement (Mirtich, "Impulse-based dynamic simulation of rigid body
 * systems", 1996; Tang, Kim, Manocha, "C2A: controlled conservative advancement", ICRA 2009).
 *
 * With the distance d and the normal n from b to a at time t, no point can close the gap faster than
 *
 *   mu = -(v_a - v_b)'n + |w_a x n| R_a + |w_b x n| R_b
 *
 * R the farthest that a core reaches from its frame's origin: a plane across n that parts two convex shapes now parts them
 * until t + d / mu. Time goes on by that much until the gap is closed. Meshes and height fields are not parted by one
 * plane: all directions are allowed for.
 *
 * Of shapes that turn, R is a poor guess (a rolling wheel never comes nearer). So longer steps are tried, with a plane that
 * stands or turns with one of the two: n(t) = exp(nu t) n. It parts them by
 *
 *   f = n'(p_a - p_b) - h_a(-n) - h_b(n),
 *
 * p the origins, h(u) the reach of a core along u, a convex function. Seen from a body u turns at w = |omega| + |nu| at
 * most (not at all with the body whose plane it is) and is off the chord of its path by w^2 step^2 / 8, so h is above the
 * straight line between its values at both ends by R times that at most. The first term is off its own by
 * (nu^2 |p_a - p_b| + 2 |nu| |v_a - v_b|) step^2 / 8. Both ends clear by more than these bends, all between is clear. */
#include <math.h>

#include "collision/narrow/narrow.h"
#include "math/mat3.h"

enum { STEPS = 256, TRIES = 50 };

typedef struct mover {
  const pk_geometry *geometry;
  const pki_motion *motion;
  double spin;  /* |angular|; 0 when its turning cannot be seen */
  double reach; /* of the core, from the frame's origin */
} mover;

typedef struct race {
  mover of[2];
  double closing[3]; /* linear velocity of a relative to b */
  double gap;
  bool parted; /* one plane parts them */
} race;

/* exp(angular t) by Rodrigues: I + sin K + 2 sin^2(half) K^2. */
static void rotation_by(const double angular[3], double t, double out[9])
{
  const double spin = pki_length3(angular), angle = spin * t;
  if (!(spin > 0)) {
    pki_mat3_identity(out);
    return;
  }
  const double x = angular[0] / spin, y = angular[1] / spin, z = angular[2] / spin;
  const double s = sin(angle), half = sin(0.5 * angle), c = 2 * half * half;
  const double R[9] = {1 - c * (y * y + z * z), c * x * y - s * z,       c * x * z + s * y,
                       c * x * y + s * z,       1 - c * (x * x + z * z), c * y * z - s * x,
                       c * x * z - s * y,       c * y * z + s * x,       1 - c * (x * x + y * y)};
  memcpy(out, R, sizeof R);
}

void pki_motion_at(const pki_motion *m, double t, pk_pose *out)
{
  double R[9];
  rotation_by(m->angular, t, R);
  pki_mat3_mul(R, m->pose.rot, out->rot);
  for (int k = 0; k < 3; k++) {
    out->pos[k] = m->pose.pos[k] + t * m->linear[k];
  }
}

/* ---- how fast they can close ---- */

/* How far a shape reaches from its frame's origin, all of it. */
static double whole_reach(const pk_geometry *g)
{
  return g->bound + pki_length3(g->centre);
}

static double core_reach(const pk_geometry *g)
{
  return g->kind == PK_SHAPE_SPHERE ? 0 : g->kind == PK_SHAPE_CAPSULE ? g->half_length : whole_reach(g);
}

/* An unbounded shape that turns: no farther out than the other one comes. */
static void bound_turning(race *r, double time)
{
  for (int s = 0; s < 2; s++) {
    mover *const m = &r->of[s];
    if (!(m->spin > 0) || isfinite(m->reach)) {
      continue;
    }
    const double *const p = m->motion->pose.pos, *const q = r->of[1 - s].motion->pose.pos;
    const double apart[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    m->reach = pki_length3(apart) + pki_length3(r->closing) * time + whole_reach(r->of[1 - s].geometry);
    r->parted = false;
  }
}

static race race_of(const pk_geometry *a, const pki_motion *motion_a, const pk_geometry *b,
                    const pki_motion *motion_b, double time, double gap)
{
  race r = {.of = {{.geometry = a, .motion = motion_a}, {.geometry = b, .motion = motion_b}}, .gap = gap};
  r.parted = true;
  for (int s = 0; s < 2; s++) {
    mover *const m = &r.of[s];
    m->reach = core_reach(m->geometry);
    m->spin = m->reach > 0 ? pki_length3(m->motion->angular) : 0;
    r.parted = r.parted && (pki_is_convex(m->geometry) || m->geometry->kind == PK_SHAPE_PLANE);
  }
  for (int k = 0; k < 3; k++) {
    r.closing[k] = motion_a->linear[k] - motion_b->linear[k];
  }
  bound_turning(&r, time);
  return r;
}

/* The most in any direction. */
static double fastest_approach(const race *r)
{
  double sum = pki_length3(r->closing);
  for (int s = 0; s < 2; s++) {
    sum += r->of[s].spin > 0 ? r->of[s].spin * r->of[s].reach : 0;
  }
  return sum;
}

/* The most along the normal. */
static double rate_along(const race *r, const double n[3])
{
  if (!r->parted) {
    return fastest_approach(r);
  }
  double sum = -pki_dot3(r->closing, n), w[3];
  for (int s = 0; s < 2; s++) {
    if (r->of[s].spin > 0) {
      pki_cross3(r->of[s].motion->angular, n, w);
      sum += pki_length3(w) * r->of[s].reach;
    }
  }
  return fmax(sum, 0);
}

/* ---- longer steps ---- */

static void turn_by(const double angular[3], double t, const double x[3], double out[3])
{
  double R[9];
  rotation_by(angular, t, R);
  pki_mat3_apply(R, x, out);
}

/* How far the core of m reaches along u at time t, from its frame's origin. */
static double reach_along(const mover *m, double t, const double u[3])
{
  pk_pose pose;
  pki_motion_at(m->motion, t, &pose);
  pose.pos[0] = pose.pos[1] = pose.pos[2] = 0;
  const pki_convex c = pki_convex_of(m->geometry, &pose);
  double x[3];
  pki_convex_support(&c, u, -1, x);
  return pki_dot3(x, u);
}

/* Whether a plane across the normal, turning with `with` (-1: not at all), parts them by more than the gap all through a
 * step. */
static bool stays_parted(const race *r, double t, double step, const pk_proximity *near, int with)
{
  static const double none[3] = {0, 0, 0};
  const pki_motion *const a = r->of[0].motion, *const b = r->of[1].motion;
  const double *const nu = with < 0 ? none : r->of[with].motion->angular;
  const double turn = pki_length3(nu), speed = pki_length3(r->closing);
  double n[2][3], apart[2][3], end = near->distance, bend = 0;
  memcpy(n[0], near->normal, sizeof n[0]);
  turn_by(nu, step, n[0], n[1]);
  for (int k = 0; k < 3; k++) {
    apart[0][k] = a->pose.pos[k] - b->pose.pos[k] + t * r->closing[k];
    apart[1][k] = apart[0][k] + step * r->closing[k];
  }
  end += pki_dot3(n[1], apart[1]) - pki_dot3(n[0], apart[0]);
  bend += turn * turn * (pki_length3(apart[0]) + speed * step) + 2 * turn * speed;
  for (int s = 0; s < 2; s++) {
    const mover *const m = &r->of[s];
    if (s == with || !(m->spin > 0 || turn > 0)) {
      continue;
    }
    const double sign = s == 0 ? -1 : 1, w = m->spin + turn;
    const double now[3] = {sign * n[0][0], sign * n[0][1], sign * n[0][2]};
    const double then[3] = {sign * n[1][0], sign * n[1][1], sign * n[1][2]};
    end -= reach_along(m, t + step, then) - reach_along(m, t, now);
    bend += m->reach * w * w;
  }
  return fmin(near->distance, end) - bend * step * step / 8 > r->gap;
}

static bool stays_parted_by_some_plane(const race *r, double t, double step, const pk_proximity *near)
{
  for (int with = -1; with < 2; with++) {
    /* a half-space is parted from others by its own plane alone */
    const bool ground =
        r->of[0].geometry->kind == PK_SHAPE_PLANE || r->of[1].geometry->kind == PK_SHAPE_PLANE;
    if ((with < 0 || (r->of[with].spin > 0 && !ground)) && stays_parted(r, t, step, near, with)) {
      return true;
    }
  }
  return false;
}

/* A step that is safe, at least `step`: to the end, or twice as long as often as that is clear. */
static double lengthen_step(const race *r, double t, double step, double left, const pk_proximity *near)
{
  if (!r->parted || !(r->of[0].spin > 0 || r->of[1].spin > 0)) {
    return step;
  }
  if (stays_parted_by_some_plane(r, t, left, near)) {
    return left;
  }
  for (int try = 0; try < TRIES && 2 * step < left && stays_parted_by_some_plane(r, t, 2 * step, near);
       try++) {
    step *= 2;
  }
  return step;
}

/* Closer than this to the gap counts as there. */
static double tolerance_of(const race *r)
{
  double size = INFINITY, far = 0;
  for (int s = 0; s < 2; s++) {
    size = fmin(size, r->of[s].geometry->bound);
    far = fmax(far, pki_length3(r->of[s].motion->pose.pos));
  }
  return 1e-9 * (isfinite(size) ? size : 1) + 1e-15 * far;
}

bool pki_first_touch(const pk_geometry *a, const pki_motion *motion_a, const pk_geometry *b,
                     const pki_motion *motion_b, double time, double gap, double *when, pk_proximity *out)
{
  const race r = race_of(a, motion_a, b, motion_b, time, gap);
  const double tolerance = tolerance_of(&r), most = fastest_approach(&r);
  if (!(time > 0) || !(most > 0) || !isfinite(most)) {
    return false;
  }
  pki_pair_memory memory = {{0, 0}};
  double t = 0;
  for (int step = 0; step < STEPS; step++) {
    pk_pose pose_a, pose_b;
    pki_motion_at(motion_a, t, &pose_a);
    pki_motion_at(motion_b, t, &pose_b);
    const double left = time - t;
    if (!pki_distance(a, &pose_a, b, &pose_b, gap + most * left + tolerance, &memory, out)) {
      return false;
    }
    *when = t;
    const double open = out->distance - gap;
    if (!(open > tolerance)) {
      return step > 0;
    }
    const double rate = rate_along(&r, out->normal);
    if (!(open <= rate * left)) {
      return false;
    }
    const double ahead = lengthen_step(&r, t, open / rate, left, out);
    if (ahead >= left && ahead > open / rate) {
      return false; /* clear to the end */
    }
    t = fmin(t + ahead, time);
  }
  /* a graze that takes more: the last time that is safe, so that no touch is missed */
  return true;
}
