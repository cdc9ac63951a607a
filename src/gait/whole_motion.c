/* Motions between their rows.
 *
 * Places and joints are cubics with the rows' rates at both ends (Hermite). The trunk's attitude between rows R_0 and R_1 is
 * R_0 exp(phi), the rotation vector phi(t) a cubic from zero to log(R_0' R_1). Its rate and the angular velocity w in the body's
 * axes are related by the right Jacobian of the exponential (Chirikjian 2012, section 10.8.6; a = |phi|):
 *
 *   w = phi' - (1 - cos a)/a^2 phi x phi' + (a - sin a)/a^3 phi x (phi x phi')
 *   phi' = w + 1/2 phi x w + (1/a^2 - (1 + cos a)/(2 a sin a)) phi x (phi x w)
 *
 * With the factors of the crosses in the first called f and g, the angular acceleration is, since a' = phi . phi' / a,
 *
 *   w' = phi'' + f phi x phi'' + g phi x (phi x phi'')
 *        + phi . phi' (df/da / a phi x phi' + dg/da / a phi x (phi x phi')) + g phi' x (phi x phi')
 *
 * Torques and forces are linear between rows; feet stand as the row says until the next one. */
#include "gait/whole_motion.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "math/rotation.h"

double pki_whole_motion_length(const pki_whole_motion *m)
{
  return m->values[(size_t)(m->rows - 1) * (size_t)m->width];
}

static const double *row_at(const pki_whole_motion *m, int row)
{
  return m->values + (size_t)row * (size_t)m->width;
}

/* ---- repetitions ---- */

static void turn_about_z(double yaw, const double in[2], double out[2])
{
  const double c = cos(yaw), s = sin(yaw), x = in[0], y = in[1];
  out[0] = c * x - s * y, out[1] = s * x + c * y;
}

/* Yaw of the trunk in the first row. */
static double first_heading(const pki_whole_motion *m)
{
  double R[9];
  pki_quat_to_mat3(row_at(m, 0) + PKI_WHOLE_MOTION_TURN, R);
  return atan2(R[3], R[0]);
}

/* The first row's trunk goes to where the last one's is, and its heading turns by the yaw of the travel. */
pki_whole_motion_base pki_whole_motion_next(const pki_whole_motion *m, pki_whole_motion_base base)
{
  const double *from = row_at(m, 0) + PKI_WHOLE_MOTION_PLACE,
               *to = row_at(m, m->rows - 1) + PKI_WHOLE_MOTION_PLACE, yaw = m->travel[2];
  double turned[2], moved[2];
  turn_about_z(yaw, from, turned);
  const double way[2] = {to[0] - turned[0], to[1] - turned[1]};
  turn_about_z(base.yaw, way, moved);
  return (pki_whole_motion_base){{base.place[0] + moved[0], base.place[1] + moved[1]}, base.yaw + yaw};
}

pki_whole_motion_base pki_whole_motion_start(const pki_whole_motion *m, const double place[2], double heading)
{
  const double yaw = heading - first_heading(m);
  double turned[2];
  turn_about_z(yaw, row_at(m, 0) + PKI_WHOLE_MOTION_PLACE, turned);
  return (pki_whole_motion_base){{place[0] - turned[0], place[1] - turned[1]}, yaw};
}

/* ---- attitude ---- */

/* v + f phi x v + g phi x (phi x v) */
static void add_crosses(const double phi[3], double f, double g, const double v[3], double out[3])
{
  double once[3], twice[3];
  pki_cross3(phi, v, once);
  pki_cross3(phi, once, twice);
  for (int k = 0; k < 3; k++) {
    out[k] = v[k] + f * once[k] + g * twice[k];
  }
}

static void rate_of_vector(const double phi[3], const double w[3], double out[3])
{
  const double a2 = pki_dot3(phi, phi), a = sqrt(a2);
  add_crosses(phi, 0.5, a > 1e-3 ? 1 / a2 - (1 + cos(a)) / (2 * a * sin(a)) : 1.0 / 12 + a2 / 720, w, out);
}

static void rate_of_turn(const double phi[3], const double rate[3], double out[3])
{
  const double a2 = pki_dot3(phi, phi), a = sqrt(a2);
  add_crosses(phi, a > 1e-3 ? -(1 - cos(a)) / a2 : -0.5 + a2 / 24,
              a > 1e-3 ? (a - sin(a)) / (a2 * a) : 1.0 / 6 - a2 / 120, rate, out);
}

static void acceleration_of_turn(const double phi[3], const double rate[3], const double change[3],
                                 double out[3])
{
  const double a2 = pki_dot3(phi, phi), a = sqrt(a2), along = pki_dot3(phi, rate);
  const bool small = a < 0.05; /* then by series */
  const double g = small ? 1.0 / 6 - a2 / 120 + a2 * a2 / 5040 : (a - sin(a)) / (a2 * a);
  const double df =
      small ? 1.0 / 12 - a2 / 180 + a2 * a2 / 6720 : (2 * (1 - cos(a)) - a * sin(a)) / (a2 * a2);
  const double dg =
      small ? -1.0 / 60 + a2 / 1260 - a2 * a2 / 60480 : (a * (1 - cos(a)) - 3 * (a - sin(a))) / (a2 * a2 * a);
  double once[3], twice[3], turned[3];
  rate_of_turn(phi, change, out);
  pki_cross3(phi, rate, once);
  pki_cross3(phi, once, twice);
  pki_cross3(rate, once, turned);
  for (int k = 0; k < 3; k++) {
    out[k] += along * (df * once[k] + dg * twice[k]) + g * turned[k];
  }
}

/* ---- between two rows ---- */

/* A cubic over the time h, s the part of it that has passed: value, rate, acceleration. */
static void cubic_at(double h, double s, const double from[2], const double to[2], double out[3])
{
  const double r = 1 - s, m0 = h * from[1], m1 = h * to[1], rise = to[0] - from[0];
  out[0] = from[0] + rise * s * s * (3 - 2 * s) + m0 * s * r * r - m1 * s * s * r;
  out[1] = (6 * rise * s * r + m0 * r * (1 - 3 * s) + m1 * s * (3 * s - 2)) / h;
  out[2] = (6 * rise * (r - s) + m0 * (6 * s - 4) + m1 * (6 * s - 2)) / (h * h);
}

static void set_trunk(const double *from, const double *to, double h, double s, pki_whole_motion_point *out)
{
  double R0[9], R1[9], turn[9], back[9], phi[3], end[3], angle[3], rate[3], change[3];
  for (int k = 0; k < 3; k++) {
    const double a[2] = {from[PKI_WHOLE_MOTION_PLACE + k], from[PKI_WHOLE_MOTION_VELOCITY + k]},
                 b[2] = {to[PKI_WHOLE_MOTION_PLACE + k], to[PKI_WHOLE_MOTION_VELOCITY + k]};
    double x[3];
    cubic_at(h, s, a, b, x);
    out->place[k] = x[0], out->velocity[k] = x[1], out->acceleration[k] = x[2];
  }
  pki_quat_to_mat3(from + PKI_WHOLE_MOTION_TURN, R0);
  pki_quat_to_mat3(to + PKI_WHOLE_MOTION_TURN, R1);
  pki_mat3_transpose(R0, back);
  pki_mat3_mul(back, R1, turn);
  pki_rotation_log(turn, phi);
  rate_of_vector(phi, to + PKI_WHOLE_MOTION_TURN_RATE, end);
  for (int k = 0; k < 3; k++) {
    const double a[2] = {0, from[PKI_WHOLE_MOTION_TURN_RATE + k]}, b[2] = {phi[k], end[k]};
    double x[3];
    cubic_at(h, s, a, b, x);
    angle[k] = x[0], rate[k] = x[1], change[k] = x[2];
  }
  pki_rotation_exp(angle, turn);
  pki_mat3_mul(R0, turn, out->rot);
  rate_of_turn(angle, rate, out->turn_rate);
  acceleration_of_turn(angle, rate, change, out->acceleration + 3);
}

static void set_joints(const pki_whole_motion *m, const double *from, const double *to, double h, double s,
                       pki_whole_motion_point *out)
{
  for (int k = 0; k < m->joints; k++) {
    const int q = pki_whole_motion_q_at(k), u = pki_whole_motion_u_at(m, k),
              tau = pki_whole_motion_tau_at(m, k);
    const double a[2] = {from[q], from[u]}, b[2] = {to[q], to[u]};
    double x[3];
    cubic_at(h, s, a, b, x);
    out->q[k] = x[0], out->u[k] = x[1], out->a[k] = x[2];
    out->tau[k] = from[tau] + s * (to[tau] - from[tau]);
  }
}

/* Of a foot from a row on, forwards or backwards: the time to the row at which its stance changes; what repeats goes on at the
 * other end. As long as the motion where it never does. */
static double time_to_change(const pki_whole_motion *m, int row, int foot, int step)
{
  const int at = pki_whole_motion_stance_at(m, foot);
  const double stands = row_at(m, row)[at], start = row_at(m, row)[0], length = pki_whole_motion_length(m);
  double turns = 0;
  for (int n = 0, i = row; n < m->rows; n++) {
    const int next = i + step;
    if (next < 0 || next >= m->rows) {
      if (!m->repeats) {
        break;
      }
      turns += length;
      i = step > 0 ? 0 : m->rows - 1;
    } else {
      i = next;
    }
    if (row_at(m, i)[at] != stands) {
      /* backwards the change is where the row after it begins */
      const int change = step > 0 ? i : i + 1 < m->rows ? i + 1 : 0;
      const double time = row_at(m, change)[0];
      return step > 0 ? time + turns - start : start - (change == 0 ? length : time) + turns;
    }
  }
  return length;
}

static void set_feet(const pki_whole_motion *m, int row, double time, double s, pki_whole_motion_point *out)
{
  const double *from = row_at(m, row), *to = from + (row + 1 < m->rows ? m->width : 0);
  for (int f = 0; f < m->feet; f++) {
    const int force = pki_whole_motion_force_at(m, f);
    out->stands[f] = from[pki_whole_motion_stance_at(m, f)] != 0;
    out->since[f] = time_to_change(m, row, f, -1) + time - from[0];
    out->left[f] = time_to_change(m, row, f, 1) - (time - from[0]);
    for (int k = 0; k < 3; k++) {
      out->force[f][k] = from[force + k] + s * (to[force + k] - from[force + k]);
    }
  }
}

/* ---- at a time ---- */

/* The last row whose time is not above t: of two rows at one time the second. */
static int find_row(const pki_whole_motion *m, double t)
{
  int low = 0, high = m->rows; /* time[low] <= t < time[high] */
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (row_at(m, middle)[0] <= t) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/* The last row, at rest. */
static void set_end(const pki_whole_motion *m, pki_whole_motion_point *out)
{
  const double *last = row_at(m, m->rows - 1);
  memcpy(out->place, last + PKI_WHOLE_MOTION_PLACE, sizeof out->place);
  pki_quat_to_mat3(last + PKI_WHOLE_MOTION_TURN, out->rot);
  for (int k = 0; k < m->joints; k++) {
    out->q[k] = last[pki_whole_motion_q_at(k)];
    out->tau[k] = last[pki_whole_motion_tau_at(m, k)];
  }
}

/* Out of the motion's own world into that of a repetition. */
static void move_point(const pki_whole_motion *m, pki_whole_motion_base base, pki_whole_motion_point *p)
{
  const double c = cos(base.yaw), s = sin(base.yaw), Z[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
  turn_about_z(base.yaw, p->place, p->place);
  turn_about_z(base.yaw, p->velocity, p->velocity);
  turn_about_z(base.yaw, p->acceleration, p->acceleration);
  pki_mat3_mul(Z, p->rot, p->rot);
  p->place[0] += base.place[0], p->place[1] += base.place[1];
  for (int f = 0; f < m->feet; f++) {
    turn_about_z(base.yaw, p->force[f], p->force[f]);
  }
}

void pki_whole_motion_at(const pki_whole_motion *m, pki_whole_motion_base base, double time,
                         pki_whole_motion_point *out)
{
  *out = (pki_whole_motion_point){.place = {0, 0, 0}};
  const double length = pki_whole_motion_length(m), t = fmin(fmax(time, 0), length);
  int row = find_row(m, t);
  if (row == m->rows - 1) {
    set_end(m, out);
    set_feet(m, row, t, 0, out);
  } else {
    const double *from = row_at(m, row), *to = from + m->width, h = to[0] - from[0], s = (t - from[0]) / h;
    set_trunk(from, to, h, s, out);
    set_joints(m, from, to, h, s, out);
    set_feet(m, row, t, s, out);
  }
  move_point(m, base, out);
}
