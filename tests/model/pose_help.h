/* Poses by their definitions, apart from the code under test. */
#ifndef PK_TESTS_POSE_HELP_H
#define PK_TESTS_POSE_HELP_H

#include "base/random.h"
#include "model/build_help.h"
#include "support/bounds.h"

static inline pk_pose compose(pk_pose outer, pk_pose inner)
{
  pk_pose out;
  for (int i = 0; i < 3; i++) {
    out.pos[i] = outer.pos[i];
    for (int j = 0; j < 3; j++) {
      out.pos[i] += outer.rot[3 * i + j] * inner.pos[j];
      out.rot[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) {
        out.rot[3 * i + j] += outer.rot[3 * i + k] * inner.rot[3 * k + j];
      }
    }
  }
  return out;
}

/* Rodrigues: a turn about a direction of any length. */
static inline pk_pose turned(const double axis[3], double angle)
{
  const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const double n[3] = {axis[0] / length, axis[1] / length, axis[2] / length}, c = cos(angle), s = sin(angle);
  const double cross[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
  pk_pose out = pk_pose_identity();
  for (int e = 0; e < 9; e++) {
    out.rot[e] = (e % 4 == 0 ? c : 0) + s * cross[e] + (1 - c) * n[e / 3] * n[e % 3];
  }
  return out;
}

static inline pk_pose shifted(const double axis[3], double travel)
{
  const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  pk_pose out = pk_pose_identity();
  for (int i = 0; i < 3; i++) {
    out.pos[i] = travel * axis[i] / length;
  }
  return out;
}

static inline pk_pose some_pose(pki_random *rng)
{
  double xyz[3], rpy[3];
  for (int i = 0; i < 3; i++) {
    xyz[i] = pki_random_between(rng, -1, 1), rpy[i] = pki_random_between(rng, -3, 3);
  }
  return pk_pose_from_xyz_rpy(xyz, rpy);
}

static inline void assert_pose(pk_pose found, pk_pose expected)
{
  assert_all_near(found.pos, expected.pos, 3, 3e-15);
  assert_all_near(found.rot, expected.rot, 9, 3e-15);
}

/* A link's pose at q. */
static inline pk_pose pose_at(const pk_model *m, const double *q, const char *link)
{
  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  pk_kinematics_compute(w, q, NULL);
  const int index = pk_model_find_link(m, link);
  assert_at_least(index, 0);
  const pk_pose pose = pk_link_pose(w, index);
  pk_workspace_destroy(w);
  return pose;
}

#endif
