#include "model/pose.h"

#include <math.h>

#include "math/mat3.h"

pk_pose pk_pose_identity(void)
{
  pk_pose pose = {.pos = {0, 0, 0}};
  pki_mat3_identity(pose.rot);
  return pose;
}

pk_pose pk_pose_from_xyz_rpy(const double xyz[3], const double rpy[3])
{
  /* R = Rz(yaw) Ry(pitch) Rx(roll) */
  const double cr = cos(rpy[0]), sr = sin(rpy[0]);
  const double cp = cos(rpy[1]), sp = sin(rpy[1]);
  const double cy = cos(rpy[2]), sy = sin(rpy[2]);
  return (pk_pose){.pos = {xyz[0], xyz[1], xyz[2]},
                   .rot = {cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp,
                           sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr}};
}

pk_pose pki_pose_mul(const pk_pose *outer, const pk_pose *inner)
{
  pk_pose out;
  pki_mat3_mul(outer->rot, inner->rot, out.rot);
  pki_mat3_apply(outer->rot, inner->pos, out.pos);
  for (int i = 0; i < 3; i++) {
    out.pos[i] += outer->pos[i];
  }
  return out;
}

pk_pose pki_pose_invert(const pk_pose *pose)
{
  pk_pose out = {.pos = {0, 0, 0}};
  pki_mat3_transpose(pose->rot, out.rot);
  pki_mat3_apply(out.rot, pose->pos, out.pos);
  for (int i = 0; i < 3; i++) {
    out.pos[i] = -out.pos[i];
  }
  return out;
}
