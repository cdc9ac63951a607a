/* Small rigid-body helpers that the peers share: reading a pk_model, and turning mass
 * properties into the forms that other engines take. */
#ifndef BENCH_RIGID_H
#define BENCH_RIGID_H

#include <cmath>

#include "pronk/model.h"

namespace rigid {

inline bool is_one_axis(const pk_model *model, int body)
{
  return model->body_motion[body] == PK_MOTION_REVOLUTE || model->body_motion[body] == PK_MOTION_PRISMATIC;
}

inline int nq_of(const pk_model *model, int body)
{
  static const int count[] = {1, 1, 4, 7};
  return count[model->body_motion[body]];
}

inline int nu_of(const pk_model *model, int body)
{
  static const int count[] = {1, 1, 3, 6};
  return count[model->body_motion[body]];
}

inline bool has_armature(const pk_model *model)
{
  for (int i = 0; i < model->nu; i++) {
    if (model->dof_armature[i] != 0.0) {
      return true;
    }
  }
  return false;
}

/* Unit quaternion (w, x, y, z) of a row-major rotation matrix. */
inline void quaternion_of(const double R[9], double quat[4])
{
  /* The largest of the four squares decides, so that no division is by a small number. */
  const double squares[4] = {1.0 + R[0] + R[4] + R[8], 1.0 + R[0] - R[4] - R[8], 1.0 - R[0] + R[4] - R[8],
                             1.0 - R[0] - R[4] + R[8]};
  int best = 0;
  for (int i = 1; i < 4; i++) {
    if (squares[i] > squares[best]) {
      best = i;
    }
  }
  const double products[4][4] = {{squares[0], R[7] - R[5], R[2] - R[6], R[3] - R[1]},
                                 {R[7] - R[5], squares[1], R[1] + R[3], R[2] + R[6]},
                                 {R[2] - R[6], R[1] + R[3], squares[2], R[5] + R[7]},
                                 {R[3] - R[1], R[2] + R[6], R[5] + R[7], squares[3]}};
  double norm = 0.0;
  for (int i = 0; i < 4; i++) {
    norm += products[best][i] * products[best][i];
  }
  for (int i = 0; i < 4; i++) {
    quat[i] = products[best][i] / std::sqrt(norm);
  }
}

/* Row-major rotation matrix of a unit quaternion (w, x, y, z). */
inline void rotation_of(const double quat[4], double R[9])
{
  const double w = quat[0], x = quat[1], y = quat[2], z = quat[3];
  const double values[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                            2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                            2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  for (int i = 0; i < 9; i++) {
    R[i] = values[i];
  }
}

/* out = R v and out = R' v. */
inline void rotate(const double R[9], const double v[3], double out[3])
{
  for (int i = 0; i < 3; i++) {
    out[i] = R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2];
  }
}

inline void rotate_back(const double R[9], const double v[3], double out[3])
{
  for (int i = 0; i < 3; i++) {
    out[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
  }
}

/* Mass, centre of mass and inertia about it: xx xy xz yy yz zz. */
struct Central {
  double mass, com[3], inertia[6];
};

inline Central central_of(const double inertia[10])
{
  Central c = {};
  c.mass = inertia[0];
  if (c.mass > 0.0) {
    for (int i = 0; i < 3; i++) {
      c.com[i] = inertia[1 + i] / c.mass;
    }
  }
  const double x = c.com[0], y = c.com[1], z = c.com[2];
  /* Steiner: I_c = I - m (c.c 1 - c c') */
  const double steiner[6] = {y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y};
  for (int i = 0; i < 6; i++) {
    c.inertia[i] = inertia[4 + i] - c.mass * steiner[i];
  }
  return c;
}

/* The same along principal axes; quat turns them into the body's. */
struct Principal {
  double mass, com[3], moment[3], quat[4];
};

inline Principal principal_of(const double inertia[10])
{
  const Central c = central_of(inertia);
  double A[3][3] = {{c.inertia[0], c.inertia[1], c.inertia[2]},
                    {c.inertia[1], c.inertia[3], c.inertia[4]},
                    {c.inertia[2], c.inertia[4], c.inertia[5]}};
  double V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

  /* Jacobi rotations until what is off the diagonal no longer counts. */
  for (int sweep = 0; sweep < 30; sweep++) {
    for (int p = 0; p < 2; p++) {
      for (int q = p + 1; q < 3; q++) {
        if (A[p][q] == 0.0) {
          continue;
        }
        const double theta = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
        const double t = std::copysign(1.0, theta) / (std::fabs(theta) + std::hypot(theta, 1.0));
        const double cosine = 1.0 / std::hypot(t, 1.0), sine = t * cosine;
        for (int k = 0; k < 3; k++) {
          const double left = A[k][p], right = A[k][q];
          A[k][p] = cosine * left - sine * right;
          A[k][q] = sine * left + cosine * right;
        }
        for (int k = 0; k < 3; k++) {
          const double upper = A[p][k], lower = A[q][k];
          A[p][k] = cosine * upper - sine * lower;
          A[q][k] = sine * upper + cosine * lower;
          const double left = V[k][p], right = V[k][q];
          V[k][p] = cosine * left - sine * right;
          V[k][q] = sine * left + cosine * right;
        }
        A[p][q] = A[q][p] = 0.0;
      }
    }
  }

  Principal out = {};
  out.mass = c.mass;
  for (int i = 0; i < 3; i++) {
    out.com[i] = c.com[i];
    out.moment[i] = A[i][i];
  }
  /* Products of plane rotations: V stays right-handed. */
  const double R[9] = {V[0][0], V[0][1], V[0][2], V[1][0], V[1][1], V[1][2], V[2][0], V[2][1], V[2][2]};
  quaternion_of(R, out.quat);
  return out;
}

} /* namespace rigid */

#endif
