#include "step/follow.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "step/contact.h"

/* Rotation and origin of a body in one lane; the world's for -1. */
static void body_frame(const pki_work *w, int lane, int body, double rot[9], double origin[3])
{
  static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (body < 0) {
    memcpy(rot, unit, sizeof unit);
    memset(origin, 0, 3 * sizeof *origin);
    return;
  }
  const size_t lanes = (size_t)w->lanes, at = (size_t)body + 1; /* the world comes first */
  for (size_t e = 0; e < 9; e++) {
    rot[e] = w->pose[(12 * at + e) * lanes + (size_t)lane];
  }
  for (size_t e = 0; e < 3; e++) {
    origin[e] = w->origin[(3 * at + e) * lanes + (size_t)lane];
  }
}

/* A point that moves with a body, now. */
static void place_point(const pki_work *w, int lane, int body, const double at[3], double out[3])
{
  double rot[9], origin[3];
  body_frame(w, lane, body, rot, origin);
  pki_mat3_apply(rot, at, out);
  for (int k = 0; k < 3; k++) {
    out[k] += origin[k];
  }
}

/* The same from where it is now. */
static void fix_point(const pki_work *w, int lane, int body, const double point[3], double at[3])
{
  double rot[9], origin[3], arm[3];
  body_frame(w, lane, body, rot, origin);
  for (int k = 0; k < 3; k++) {
    arm[k] = point[k] - origin[k];
  }
  pki_mat3_apply_transposed(rot, arm, at);
}

/* rad, what the twist of the first body would turn it by in the step. */
static void expect_spin(const pki_work *w, int lane, double dt, pki_followed *f)
{
  const size_t lanes = (size_t)w->lanes, at = (size_t)f->body + 1;
  for (size_t e = 0; e < 3; e++) {
    f->spin[e] = dt * w->twist[(6 * at + e) * lanes + (size_t)lane];
  }
}

void pki_follow_begin(const pki_work *w, int lane, double dt, const pki_contact *c, double radius,
                      pki_followed *out)
{
  double first[3], second[3], origin[3];
  *out =
      (pki_followed){.body = c->body, .other = c->other, .radius = c->other < 0 ? radius : 0, .gap = c->gap};
  memcpy(out->point, c->point, sizeof c->point);
  memcpy(out->axes, c->normal, sizeof c->normal);
  memcpy(out->axes + 3, c->tangent1, sizeof c->tangent1);
  memcpy(out->axes + 6, c->tangent2, sizeof c->tangent2);
  for (int k = 0; k < 3; k++) {
    first[k] = c->point[k] + out->radius * c->normal[k];
    second[k] = first[k] - c->apart[k];
    out->apart[k] = c->apart[k];
  }
  fix_point(w, lane, c->body, first, out->at[0]);
  fix_point(w, lane, c->other, second, out->at[1]);
  if (out->radius > 0) {
    body_frame(w, lane, c->body, out->turn, origin);
    expect_spin(w, lane, dt, out);
  }
}

void pki_follow_back(const pki_followed *f, pki_contact *c)
{
  memcpy(c->point, f->point, sizeof c->point);
  memcpy(c->apart, f->apart, sizeof c->apart);
}

/* The rotation vector of the first body since the start. Q = R_E R_S' tells its axis and, but for whole turns, its angle: Q has the axial part
 * sin|theta| theta/|theta| and the trace 1 + 2 cos|theta|. Whole turns are those that bring it nearest to what its twist makes of the step. */
static void turn_since_start(const pki_work *w, int lane, const pki_followed *f, double theta[3])
{
  static const double turn = 2 * 3.14159265358979323846;
  double rot[9], origin[3], Q[9];
  body_frame(w, lane, f->body, rot, origin);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      Q[3 * i + k] = pki_dot3(rot + 3 * i, f->turn + 3 * k);
    }
  }
  const double a[3] = {0.5 * (Q[7] - Q[5]), 0.5 * (Q[2] - Q[6]), 0.5 * (Q[3] - Q[1])};
  const double s = sqrt(pki_dot3(a, a)), angle = atan2(s, 0.5 * (Q[0] + Q[4] + Q[8] - 1));
  const double expected = s > 1e-8 ? pki_dot3(f->spin, a) / s : 0;
  const double ratio = s > 1e-8 ? (angle + turn * round((expected - angle) / turn)) / s : 1;
  for (int k = 0; k < 3; k++) {
    theta[k] = ratio * a[k];
  }
}

void pki_follow_measure(const pki_work *w, int lane, pki_followed *f)
{
  double first[3], second[3], way[3];
  place_point(w, lane, f->body, f->at[0], first);
  place_point(w, lane, f->other, f->at[1], second);
  for (int k = 0; k < 3; k++) {
    way[k] = first[k] - second[k] - f->apart[k];
  }
  f->moved[0] = fmax(f->gap, 0) +
                pki_dot3(f->axes, way); /* what is below the ground already is projected, not thrown out */
  if (f->radius > 0) {                  /* what it has rolled: radius theta x n, along the surface */
    double theta[3], rolled[3];
    turn_since_start(w, lane, f, theta);
    pki_cross3(theta, f->axes, rolled);
    for (int k = 0; k < 3; k++) {
      way[k] -= f->radius * rolled[k];
    }
  }
  f->moved[1] = pki_dot3(f->axes + 3, way);
  f->moved[2] = pki_dot3(f->axes + 6, way);
}

void pki_follow_rows(const pki_work *w, int lane, double dt, pki_followed *f, pki_contact *c)
{
  double second[3], v[3];
  place_point(w, lane, f->body, f->at[0], c->point);
  place_point(w, lane, f->other, f->at[1], second);
  for (int k = 0; k < 3; k++) {
    c->apart[k] = f->other >= 0 ? c->point[k] - second[k] : 0;
    c->point[k] -= f->radius * f->axes[k];
  }
  expect_spin(w, lane, dt, f);
  pki_contact_velocity(w, lane, c, v);
  for (int k = 0; k < 3; k++) {
    f->offset[k] = f->moved[k] / dt - pki_dot3(f->axes + 3 * k, v);
  }
}
