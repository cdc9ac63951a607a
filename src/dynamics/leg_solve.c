/* Angles of a leg in closed form. Everything is at zero angles in the trunk's frame, and hinge k is the motion E_k(q_k) that turns
 * about its axis a_k through c_k: the foot is at E_1 E_2 ... x for x its place at zero (product of exponentials). Two
 * elementary problems are enough (Paden 1986; Murray, Li, Sastry 1994, section 3.3):
 *
 *   the equation    A cos q + B sin q = C            q = atan2(B, A) +- acos(C / hypot(A, B)): two solutions or none
 *   the angle       that turns v into w about a      q = atan2(a . v x w, v_across . w_across)
 *
 * Point leg, place p: turns about the parallel axes 2 and 3 keep a_2 . x, so
 *
 *   a_2 . inv(E_1) p = a_2 . x                       the equation for q_1; y = inv(E_1) p
 *   |y - c_2| = |E_3 x - c_2|, across a_2            the equation for q_3
 *   E_2: E_3 x -> y                                  the angle q_2
 *
 * Point leg whose first two axes meet in the hip H: their turns keep H, and turns about axis 1 keep a_1 . x, so
 *
 *   |p - H| = |E_3 x - H|                            the equation for q_3; v = E_3 x - H
 *   a_1 . R_2 v = a_1 . (p - H)                      the equation for q_2
 *   R_1: R_2 v -> p - H                              the angle q_1
 *
 * Pose leg, hip H, ankle K, motion G that brings the foot from zero to its place: the hip's turns keep H, the ankle's keep K, so
 *
 *   |G K - H| = |E_4 K - H|                          the equation for q_4
 *   R_5 R_6 w = v                                    w = inv(G) H - K, v = inv(E_4) H - K:
 *     a_5 . R_6 w = a_5 . v                          the equation for q_6; q_5 is the angle R_6 w -> v
 *   R_1 R_2 R_3 = R = R_G inv(R_4 R_5 R_6):
 *     a_1 . R_2 a_3 = a_1 . R a_3                    the equation for q_2; q_1 is the angle R_2 a_3 -> R a_3
 *     R_3 = inv(R_1 R_2) R                           the angle q_3
 *
 * Where C is that of a triangle, in the plane (three lengths) or on the sphere (three angles), acos is taken by half angles from
 * the sides themselves: C loses the short side of a folded leg and the last degrees before an axis, the sides do not. Each step
 * uses the angles found before it as they were rounded, so that near a double solution, where an angle is known to half the
 * digits only, the foot is still in its place. */
#include "base/error.h"
#include "dynamics/leg.h"
#include "math/finite.h"

/* The equation; sign picks the solution, keep is the answer when every angle is one. False: there is none. */
static bool solve_sine_equation(double A, double B, double C, double slack, double sign, double keep,
                                double *q)
{
  const double R = hypot(A, B);
  if (!(fabs(C) <= R + slack)) {
    return false;
  }
  *q = R <= slack ? keep : atan2(B, A) + sign * atan2(sqrt(fmax(0, (R - C) * (R + C))), C);
  return true;
}

/* The equation of two lengths f and e that turn about their joint until their ends are D apart: D^2 = f^2 + e^2 + 2 C,
 * R = f e, so that 2 (R - C) = (f + e)^2 - D^2 and 2 (R + C) = D^2 - (f - e)^2. */
static bool solve_triangle(double A, double B, const double sides[3], double slack, double sign, double keep,
                           double *q)
{
  const double D = sides[2], most = sides[0] + sides[1], least = fabs(sides[0] - sides[1]);
  if (!(D <= most + slack && D >= least - slack)) {
    return false;
  }
  const double minus = fmax(0, (most - D) * (most + D)), plus = fmax(0, (D - least) * (D + least));
  *q = fmin(sides[0], sides[1]) <= slack ? keep : atan2(B, A) + 2 * sign * atan2(sqrt(minus), sqrt(plus));
  return true;
}

/* Angle between two vectors, exact to the last digits near 0 and pi, too. */
static double angle_of(const double v[3], const double w[3])
{
  double c[3];
  pki_cross3(v, w, c);
  return atan2(pki_length3(c), pki_dot3(v, w));
}

/* A and B of: d . (v turned by q about a) = A cos q + B sin q + (d . a)(a . v). */
static void rotation_coefficients(const double d[3], const double a[3], const double v[3], double *A,
                                  double *B)
{
  double c[3];
  pki_cross3(a, v, c);
  *A = pki_dot3(d, v) - pki_dot3(d, a) * pki_dot3(a, v);
  *B = pki_dot3(d, c);
}

/* v turned about the axis b until it is as far from the unit vector a as w is: a . R v = a . w. On the sphere it is the
 * triangle of the sides alpha = (a, b), beta = (b, v), sigma = (a, w): R - C = cos(alpha - beta) - cos sigma,
 * R + C = cos sigma - cos(alpha + beta), as products of sines of half angles. */
static bool solve_spherical_triangle(const double a[3], const double b[3], const double v[3],
                                     const double w[3], double sign, double keep, double *q)
{
  static const double slack = 1e-14;
  const double alpha = angle_of(a, b), beta = angle_of(b, v), sigma = angle_of(a, w);
  const double minus = sin(0.5 * (sigma + alpha - beta)) * sin(0.5 * (sigma - alpha + beta));
  const double plus = sin(0.5 * (alpha + beta + sigma)) * sin(0.5 * (alpha + beta - sigma));
  double A, B;
  if (!(minus >= -slack && plus >= -slack)) {
    return false;
  }
  rotation_coefficients(a, b, v, &A, &B);
  *q = sin(beta) <= slack ? keep : atan2(B, A) + 2 * sign * atan2(sqrt(fmax(0, minus)), sqrt(fmax(0, plus)));
  return true;
}

/* v without its part along a unit axis. */
static void component_across(const double a[3], const double v[3], double out[3])
{
  pki_along3(v, -pki_dot3(a, v), a, out);
}

/* The angle that turns v into w about a unit axis; keep: when v or w is along it. The parts across the axis come first:
 * near it they are small differences, and so would be their product. */
static double angle_between(const double a[3], const double v[3], const double w[3], double keep)
{
  double x[3], y[3], c[3];
  component_across(a, v, x);
  component_across(a, w, y);
  if (pki_length3(x) <= 1e-16 * pki_length3(v) || pki_length3(y) <= 1e-16 * pki_length3(w)) {
    return keep;
  }
  pki_cross3(x, y, c);
  return atan2(pki_dot3(a, c), pki_dot3(x, y));
}

/* The point at zero for the first three hinges: what comes after them stays as it is. */
static void point_at_zero(const pk_leg *leg, const double *angles, double x[3])
{
  memcpy(x, leg->foot.pos, 3 * sizeof *x);
  for (int k = leg->nhinge - 1; k >= 3; k--) {
    pki_turn_about(leg->axis[k], leg->at[k], angles[k], x, x);
  }
}

/* The first hinge's equation for a place p: inv(E_1) p lies in the leg's plane. */
static void plane_equation(const pk_leg *leg, const double p[3], const double x[3], double *A, double *B,
                           double *C)
{
  const double *a = leg->axis[1], *a1 = leg->axis[0], back[3] = {-a1[0], -a1[1], -a1[2]};
  double r[3], d[3];
  pki_sub3(p, leg->at[0], r);
  pki_sub3(x, leg->at[0], d);
  rotation_coefficients(a, back, r, A, B);
  *C = pki_dot3(a, d) - pki_dot3(a, a1) * pki_dot3(a1, r);
}

static bool solve_point(const pk_leg *leg, const double p[3], int branch, const double *start, double *q)
{
  const double *a = leg->axis[1], *a3 = leg->axis[2], *c2 = leg->at[1], *c3 = leg->at[2];
  double x[3], y[3], g[3], e[3], f[3], w[3], A, B, C;
  point_at_zero(leg, start, x);
  /* q_1: the leg's plane through the place */
  plane_equation(leg, p, x, &A, &B, &C);
  const double size = pki_length3(p) + pki_length3(x) + pki_length3(leg->at[0]);
  if (!solve_sine_equation(A, B, C, 4e-15 * size, branch & 2 ? -1 : 1, start[0], &q[0])) {
    return false;
  }
  pki_turn_about(leg->axis[0], leg->at[0], -q[0], p, y);
  /* q_3: the triangle of hip, knee and foot, |g|^2 = |f + R_3 e|^2 */
  pki_sub3(y, c2, g), component_across(a, g, g);
  pki_sub3(c3, c2, f), component_across(a, f, f);
  pki_sub3(x, c3, e), component_across(a, e, e);
  rotation_coefficients(f, a3, e, &A, &B);
  const double sides[3] = {pki_length3(f), pki_length3(e), pki_length3(g)};
  if (!solve_triangle(A, B, sides, 4e-15 * (size + pki_length3(c2) + pki_length3(c3)), branch & 1 ? -1 : 1,
                      start[2], &q[2])) {
    return false;
  }
  /* q_2: from where the foot is to where it should be */
  pki_turn3(a3, q[2], e, w);
  pki_along3(w, 1, f, w);
  q[1] = angle_between(a, w, g, start[1]);
  return true;
}

/* A knee between hip and ankle, or foot: thigh f and shank e across its axis a, and how far hip and ankle are apart along it. */
typedef struct knee {
  double A, B, thigh, shank, along;
} knee;

static knee knee_between(const double hip[3], const double a[3], const double at[3], const double ankle[3])
{
  double e[3], f[3];
  knee k;
  pki_sub3(ankle, at, e);
  pki_sub3(at, hip, f);
  rotation_coefficients(f, a, e, &k.A, &k.B);
  k.along = fabs(pki_dot3(a, e) + pki_dot3(a, f));
  component_across(a, e, e), component_across(a, f, f);
  k.thigh = pki_length3(f), k.shank = pki_length3(e);
  return k;
}

/* The knee's angle that brings hip and ankle to the distance D. */
static bool solve_knee(const knee *k, double D, double slack, double sign, double keep, double *q)
{
  const double sides[3] = {k->thigh, k->shank, sqrt(fmax(0, (D - k->along) * (D + k->along)))};
  return D >= k->along - slack && solve_triangle(k->A, k->B, sides, slack, sign, keep, q);
}

static bool solve_universal(const pk_leg *leg, const double p[3], int branch, const double *start, double *q)
{
  const double *H = leg->at[0], *a1 = leg->axis[0], *a2 = leg->axis[1];
  double x[3], r[3], v[3];
  point_at_zero(leg, start, x);
  const knee k = knee_between(H, leg->axis[2], leg->at[2], x);
  pki_sub3(p, H, r);
  const double size = pki_length3(p) + pki_length3(x) + pki_length3(H) + pki_length3(leg->at[2]);
  if (!solve_knee(&k, pki_length3(r), 4e-15 * size, branch & 1 ? -1 : 1, start[2], &q[2])) {
    return false;
  }
  pki_turn_about(leg->axis[2], leg->at[2], q[2], x, v);
  pki_sub3(v, H, v);
  if (!solve_spherical_triangle(a1, a2, v, r, branch & 2 ? -1 : 1, start[1], &q[1])) {
    return false;
  }
  pki_turn3(a2, q[1], v, v);
  q[0] = angle_between(a1, v, r, start[0]);
  return true;
}

/* Where the ankle is, seen from the hip, when the foot is at its place; R: the turn of the foot from zero. */
static void ankle_from_hip(const pk_leg *leg, const pk_pose *foot, double R[9], double out[3])
{
  double back[9], r[3];
  pki_mat3_transpose(leg->foot.rot, back);
  pki_mat3_mul(foot->rot, back, R);
  pki_sub3(leg->at[4], leg->foot.pos, r);
  pki_mat3_apply(R, r, r);
  pki_along3(foot->pos, 1, r, out);
  pki_sub3(out, leg->at[0], out);
}

/* R v for R = R_G inv(R_4 R_5 R_6). */
static void hip_turn(const pk_leg *leg, const double R[9], const double *q, const double v[3], double out[3])
{
  pki_turn3(leg->axis[3], -q[3], v, out);
  pki_turn3(leg->axis[4], -q[4], out, out);
  pki_turn3(leg->axis[5], -q[5], out, out);
  pki_mat3_apply(R, out, out);
}

/* Hip: R_1 R_2 R_3 = R, once knee and ankle are known. */
static bool solve_hip(const pk_leg *leg, const double R[9], double sign, const double *start, double *q)
{
  const double *a1 = leg->axis[0], *a2 = leg->axis[1], *a3 = leg->axis[2];
  double to[3], from[3];
  hip_turn(leg, R, q, a3, to);
  if (!solve_spherical_triangle(a1, a2, a3, to, sign, start[1], &q[1])) {
    return false;
  }
  pki_turn3(a2, q[1], a3, from);
  q[0] = angle_between(a1, from, to, start[0]);
  /* any v across a_3: R_3 v = inv(R_1 R_2) R v; a_2 has a part across it */
  double v[3];
  component_across(a3, a2, v);
  hip_turn(leg, R, q, v, to);
  pki_turn3(a1, -q[0], to, to);
  pki_turn3(a2, -q[1], to, to);
  q[2] = angle_between(a3, v, to, start[2]);
  return true;
}

static bool solve_pose(const pk_leg *leg, const pk_pose *foot, int branch, const double *start, double *q)
{
  const double *H = leg->at[0], *K = leg->at[4], *a5 = leg->axis[4], *a6 = leg->axis[5];
  const knee k = knee_between(H, leg->axis[3], leg->at[3], K);
  double R[9], r[3], v[3], w[3];
  ankle_from_hip(leg, foot, R, r);
  const double D = pki_length3(r), size = D + pki_length3(foot->pos) + pki_length3(H) + pki_length3(K);
  const double slack = 4e-15 * size;
  /* knee */
  if (!solve_knee(&k, D, slack, branch & 1 ? -1 : 1, start[3], &q[3])) {
    return false;
  }
  /* ankle: the hip as the foot sees it, w = inv(R_G) (H - G K), and as the shank does, v */
  pki_mat3_apply_transposed(R, r, w);
  pki_turn_about(leg->axis[3], leg->at[3], -q[3], H, v);
  pki_sub3(v, K, v);
  for (int i = 0; i < 3; i++) {
    w[i] = -w[i];
  }
  if (!solve_spherical_triangle(a5, a6, w, v, branch & 2 ? -1 : 1, start[5], &q[5])) {
    return false;
  }
  pki_turn3(a6, q[5], w, w);
  q[4] = angle_between(a5, w, v, start[4]);
  return solve_hip(leg, R, branch & 4 ? -1 : 1, start, q);
}

static bool solve_branch(const pk_leg *leg, const pk_pose *foot, int branch, const double *start, double *q)
{
  const bool found = leg->kind == PK_LEG_POSE      ? solve_pose(leg, foot, branch, start, q)
                     : pki_leg_bends_in_plane(leg) ? solve_point(leg, foot->pos, branch, start, q)
                                                   : solve_universal(leg, foot->pos, branch, start, q);
  for (int k = 0; found && k < leg->nsolve; k++) {
    q[k] = start[k] + remainder(q[k] - start[k], 8 * atan(1));
  }
  return found;
}

/* The branch of the solution nearest to start, -1: none. */
static int nearest_branch(const pk_leg *leg, const pk_pose *foot, const double *start, double *angles)
{
  double best = INFINITY, q[PK_LEG_HINGES];
  int branch = -1;
  for (int b = 0; b < leg->nbranch; b++) {
    double distance = 0;
    if (!solve_branch(leg, foot, b, start, q)) {
      continue;
    }
    for (int k = 0; k < leg->nsolve; k++) {
      distance += (q[k] - start[k]) * (q[k] - start[k]);
    }
    if (distance < best) {
      best = distance, branch = b;
      memcpy(angles, q, (size_t)leg->nsolve * sizeof *q);
    }
  }
  return branch;
}

/* Length whose square need not be a number. */
static double far_length3(const double v[3])
{
  return hypot(hypot(v[0], v[1]), v[2]);
}

/* The stretched leg, from the first hinge to the foot: a turn about one axis keeps the distance of its point to that of
 * the next. No place is reached that is farther from the first hinge. */
static double stretched_length(const pk_leg *leg)
{
  double length = 0, r[3];
  for (int k = 0; k < leg->nhinge; k++) {
    pki_sub3(k + 1 < leg->nhinge ? leg->at[k + 1] : leg->foot.pos, leg->at[k], r);
    length += pki_length3(r);
  }
  return length;
}

/* Whether a place is far out of reach; the equations, whose slack grows with the place, need not be asked then. */
static bool is_far(const pk_leg *leg, const double p[3])
{
  double r[3];
  pki_sub3(p, leg->at[0], r);
  return !(far_length3(r) <= stretched_length(leg) * (1 + 1e-9) + 1e-9 * pki_length3(leg->at[0]));
}

pk_status pk_leg_solve(const pk_leg *leg, const pk_pose *foot, int which, double *angles, pk_error *err)
{
  double start[PK_LEG_HINGES], q[PK_LEG_HINGES];
  if (which < PK_LEG_NEAREST || which >= leg->nbranch) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "which"},
                    "the leg has no branch %d, expected 0 to %d or PK_LEG_NEAREST", which, leg->nbranch - 1);
  }
  memcpy(start, angles, (size_t)leg->nhinge * sizeof *start);
  if (!pki_all_finite(angles, leg->nhinge) || !pki_all_finite(foot->pos, 3) ||
      (leg->kind == PK_LEG_POSE && !pki_all_finite(foot->rot, 9))) {
    return pki_fail(err, PK_ERROR_NONFINITE, (pki_where){0}, "the foot's place or an angle is no number");
  }
  const bool found =
      !is_far(leg, foot->pos) && (which == PK_LEG_NEAREST ? nearest_branch(leg, foot, start, q) >= 0
                                                          : solve_branch(leg, foot, which, start, q));
  if (!found) {
    return pki_fail(err, PK_ERROR_REACH, (pki_where){0},
                    "the leg does not reach (%.4g, %.4g, %.4g) m in its trunk's frame", foot->pos[0],
                    foot->pos[1], foot->pos[2]);
  }
  memcpy(angles, q, (size_t)leg->nsolve * sizeof *q);
  return PK_OK;
}

int pk_leg_branch(const pk_leg *leg, const double *angles)
{
  const pk_pose foot = pk_leg_foot(leg, angles);
  double q[PK_LEG_HINGES];
  const int branch = nearest_branch(leg, &foot, angles, q);
  return branch < 0 ? 0 : branch;
}

/* A length moved between two others. */
static double clamp_between(double x, double lower, double upper)
{
  return x < lower ? lower : x > upper ? upper : x;
}

/* The place nearest to p in the leg's plane on one side of the hip; returns its distance. */
static double reach_point(const pk_leg *leg, const double p[3], const double x[3], double sign,
                          double nearest[3])
{
  const double *a = leg->axis[1];
  double A, B, C, q = 0, y[3], g[3], e[3], f[3], off[3];
  /* y: the place, turned into the leg's plane; g: from the second hinge to it, across that hinge's axis */
  plane_equation(leg, p, x, &A, &B, &C);
  solve_sine_equation(A, B, clamp_between(C, -hypot(A, B), hypot(A, B)), 0, sign, 0, &q);
  pki_turn_about(leg->axis[0], leg->at[0], -q, p, y);
  pki_sub3(y, leg->at[1], g), component_across(a, g, g);
  pki_sub3(leg->at[2], leg->at[1], f), component_across(a, f, f);
  pki_sub3(x, leg->at[2], e), component_across(a, e, e);
  const double D = pki_length3(g), lf = pki_length3(f), le = pki_length3(e);
  const double to = clamp_between(D, fabs(lf - le), lf + le);
  /* from the hinge outwards, so that digits of a place far away do not cancel */
  pki_sub3(x, leg->at[1], off);
  pki_along3(leg->at[1], pki_dot3(a, off), a, y);
  if (D > 0) {
    pki_along3(y, to / D, g, y);
  } else {
    pki_along3(y, to / lf, f, y);
  }
  pki_turn_about(leg->axis[0], leg->at[0], q, y, nearest);
  pki_sub3(nearest, p, off);
  return pki_length3(off);
}

/* Distances of hip and ankle that a knee allows. */
static double clamp_to_knee(const knee *k, double D)
{
  return clamp_between(D, hypot(k->thigh - k->shank, k->along), hypot(k->thigh + k->shank, k->along));
}

/* The same for axes that meet in the hip: along the ray from the hip to a length that the knee allows, then about the hip to an angle
 * with the first axis that the second one allows, a little inside. */
static double reach_universal(const pk_leg *leg, const double p[3], const double x[3], double sign,
                              double nearest[3])
{
  static const double inside = 1e-7; /* rad: the knee's angle, stretched, is known to half the digits */
  const double *H = leg->at[0], *a1 = leg->axis[0], *a2 = leg->axis[1];
  const knee k = knee_between(H, leg->axis[2], leg->at[2], x);
  double r[3], v[3], t[3], q = 0;
  pki_sub3(p, H, r);
  const double D = pki_length3(r), to = clamp_to_knee(&k, D);
  solve_knee(&k, to, 1e-12 * (to + k.thigh + k.shank), sign, 0, &q);
  pki_turn_about(leg->axis[2], leg->at[2], q, x, v);
  pki_sub3(v, H, v);
  const double alpha = angle_of(a1, a2), beta = angle_of(a2, v), both = alpha + beta, pi = 4 * atan(1);
  const double least = fabs(alpha - beta), most = fmin(both, 2 * pi - both);
  const double is = D > 0 ? angle_of(a1, r) : 0.5 * (least + most);
  const double sigma = is < least || is > most
                           ? clamp_between(is, fmin(least + inside, most), fmax(most - inside, least))
                           : is;
  component_across(a1, r, t);
  if (!(pki_length3(t) > 1e-14 * D)) {
    component_across(a1, a2, t); /* on the first axis all directions across it are equal */
  }
  for (int i = 0; i < 3; i++) {
    nearest[i] = H[i] + to * (cos(sigma) * a1[i] + sin(sigma) * t[i] / pki_length3(t));
  }
  pki_sub3(nearest, p, r);
  return pki_length3(r);
}

/* The nearer of the two sides of a point leg. */
static void reach_either_side(const pk_leg *leg, const double p[3], const double *angles, double nearest[3])
{
  double x[3], other[3];
  double (*reach)(const pk_leg *, const double *, const double *, double, double *) =
      pki_leg_bends_in_plane(leg) ? reach_point : reach_universal;
  point_at_zero(leg, angles, x);
  const double one = reach(leg, p, x, 1, nearest);
  if (reach(leg, p, x, -1, other) < one) {
    memcpy(nearest, other, sizeof other);
  }
}

/* The place, or one in its direction at FAR times the leg's length: farther away, the nearest place that is reached does not
 * change by a length that matters, but squares lose it. */
static void bring_near(const pk_leg *leg, const double p[3], double out[3])
{
  static const double FAR = 1e9;
  double r[3];
  pki_sub3(p, leg->at[0], r);
  const double distance = far_length3(r), most = FAR * (stretched_length(leg) + pki_length3(leg->at[0]));
  memcpy(out, p, 3 * sizeof *out);
  if (distance > most) {
    /* the largest entry first: the distance itself may be beyond all numbers */
    const double size = fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2])));
    const double unit[3] = {p[0] / size, p[1] / size, p[2] / size};
    pki_along3(leg->at[0], most / pki_length3(unit), unit, out);
  }
}

pk_status pk_leg_reach(const pk_leg *leg, const pk_pose *foot, const double *angles, pk_pose *nearest,
                       pk_error *err)
{
  double q[PK_LEG_HINGES] = {0};
  memcpy(q, angles, (size_t)leg->nhinge * sizeof *q);
  pk_pose place = *foot;
  const pk_status status = pk_leg_solve(leg, foot, PK_LEG_NEAREST, q, NULL);
  if (status == PK_OK) {
    *nearest = place;
    return PK_OK;
  }
  if (status != PK_ERROR_REACH) {
    return pk_leg_solve(leg, foot, PK_LEG_NEAREST, q, err); /* which tells why */
  }
  pk_pose near = *foot;
  bring_near(leg, foot->pos, near.pos);
  if (leg->kind == PK_LEG_POINT) {
    reach_either_side(leg, near.pos, angles, place.pos);
  } else {
    /* the knee's reach is a shell about the hip: move the ankle along its radius */
    const knee k = knee_between(leg->at[0], leg->axis[3], leg->at[3], leg->at[4]);
    double R[9], r[3], ankle[3];
    ankle_from_hip(leg, &near, R, r);
    const double D = pki_length3(r);
    const double to = clamp_to_knee(&k, D);
    /* the foot from the hip by way of the ankle, so that digits of a place far away do not cancel */
    pki_sub3(leg->foot.pos, leg->at[4], ankle);
    pki_mat3_apply(R, ankle, ankle);
    for (int i = 0; i < 3; i++) {
      place.pos[i] = leg->at[0][i] + (D > 0 ? to / D * r[i] : i == 2 ? -to : 0) + ankle[i];
    }
  }
  *nearest = place;
  return pk_leg_solve(leg, &place, PK_LEG_NEAREST, q, err);
}
