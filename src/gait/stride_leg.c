#include "gait/stride_leg.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "math/rotation.h"

void pki_leg_place(const pk_leg *leg, const pk_pose *trunk, const double place[3], double *angles)
{
  pk_pose foot = pk_leg_foot(leg, angles), nearest;
  double arm[3];
  pki_sub3(place, trunk->pos, arm);
  pki_mat3_apply_transposed(trunk->rot, arm, foot.pos);
  if (pk_leg_solve(leg, &foot, PK_LEG_NEAREST, angles, NULL) != PK_OK &&
      pk_leg_reach(leg, &foot, angles, &nearest, NULL) == PK_OK) {
    pk_leg_solve(leg, &nearest, PK_LEG_NEAREST, angles, NULL);
  }
}

/* A leg at some angles, in the trunk's frame: axes of its hinges, points on them, the foot. */
typedef struct posture {
  double axis[3][3], at[3][3];
  double foot[3], rot[9];
} posture;

static posture posture_of(const pk_leg *leg, const double *angles)
{
  posture p = {.foot = {0, 0, 0}};
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, moved[3] = {0, 0, 0}; /* x -> R x + moved */
  for (int k = 0; k < 3; k++) {
    double Q[9], rotated[3];
    const double turn[3] = {angles[k] * leg->axis[k][0], angles[k] * leg->axis[k][1],
                            angles[k] * leg->axis[k][2]};
    pki_mat3_apply(R, leg->axis[k], p.axis[k]);
    pki_mat3_apply(R, leg->at[k], p.at[k]);
    pki_rotation_exp(turn, Q);
    pki_mat3_mul(R, Q, R);
    pki_mat3_apply(R, leg->at[k], rotated);
    for (int d = 0; d < 3; d++) {
      p.at[k][d] += moved[d];
      moved[d] = p.at[k][d] - rotated[d];
    }
  }
  pki_mat3_apply(R, leg->foot.pos, p.foot);
  for (int d = 0; d < 3; d++) {
    p.foot[d] += moved[d];
  }
  pki_mat3_mul(R, leg->foot.rot, p.rot);
  return p;
}

/* x of the three columns a, b, c: a x_0 + b x_1 + c x_2 = r; false: they lie in a plane. */
static bool solve_columns(const double a[3], const double b[3], const double c[3], const double r[3],
                          double x[3])
{
  double bc[3], ca[3], ab[3];
  pki_cross3(b, c, bc);
  pki_cross3(c, a, ca);
  pki_cross3(a, b, ab);
  const double volume = pki_dot3(a, bc), size = pki_length3(a) * pki_length3(b) * pki_length3(c);
  if (!(fabs(volume) > 1e-6 * size)) {
    return false;
  }
  x[0] = pki_dot3(r, bc) / volume, x[1] = pki_dot3(r, ca) / volume, x[2] = pki_dot3(r, ab) / volume;
  return true;
}

/* How far the foot is from where it has rolled to, trunk's frame; its shank, world. */
static void rolling_error(const pk_pose *trunk, const pki_rolling_foot *foot, const posture *p,
                          double shank[9], double place[3], double error[3])
{
  double turn[9], theta[3], arm[3], wanted[3];
  pki_mat3_mul(trunk->rot, p->rot, shank);
  pki_rotation_mul_transposed(shank, foot->shank, turn);
  pki_rotation_log(turn, theta);
  place[0] = foot->at[0] + foot->radius * theta[1];
  place[1] = foot->at[1] - foot->radius * theta[0];
  place[2] = foot->at[2];
  pki_sub3(place, trunk->pos, arm);
  pki_mat3_apply_transposed(trunk->rot, arm, wanted);
  pki_sub3(wanted, p->foot, error);
}

void pki_leg_roll(const pk_leg *leg, const pk_pose *trunk, pki_rolling_foot *foot, double *angles)
{
  enum { ROUNDS = 12 };
  static const double close = 1e-13; /* rad */
  double shank[9], place[3], error[3], columns[3][3], change[3] = {1, 1, 1};
  const double up[3] = {trunk->rot[6], trunk->rot[7], trunk->rot[8]}; /* world's z in the trunk's frame */
  pki_leg_place(leg, trunk, foot->at, angles);
  posture p = posture_of(leg, angles);
  rolling_error(trunk, foot, &p, shank, place, error);
  for (int round = 0; round < ROUNDS && pki_dot3(change, change) > close * close; round++) {
    /* the velocity of the ball's lowest point is the slope of the error */
    for (int k = 0; k < 3; k++) {
      const double arm[3] = {p.foot[0] - foot->radius * up[0] - p.at[k][0],
                             p.foot[1] - foot->radius * up[1] - p.at[k][1],
                             p.foot[2] - foot->radius * up[2] - p.at[k][2]};
      pki_cross3(p.axis[k], arm, columns[k]);
    }
    if (!solve_columns(columns[0], columns[1], columns[2], error, change)) {
      break; /* a straight leg: as near as it came */
    }
    for (int k = 0; k < 3; k++) {
      angles[k] += fmin(fmax(change[k], -0.2), 0.2);
    }
    p = posture_of(leg, angles);
    rolling_error(trunk, foot, &p, shank, place, error);
  }
  memcpy(foot->at, place, sizeof foot->at);
  memcpy(foot->shank, shank, sizeof foot->shank);
}
