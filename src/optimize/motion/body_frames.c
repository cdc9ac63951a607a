/* Poses of bodies from the root to the leaves. */
#include "optimize/motion/body_frames.h"

#include <math.h>

#include "math/mat3.h"

void pki_body_frames(const pk_model *model, const double *q, pki_body_frame *frames)
{
  for (int i = 0; i < model->nbody; i++) {
    const int parent = model->body_parent[i], axis = model->body_axis[i];
    const double value = model->body_gain[i] * q[model->body_q[i]] + model->body_offset[i];
    double above[9], origin[3] = {0, 0, 0}, joint[9], turn[9];
    pki_mat3_identity(above);
    if (parent >= 0) {
      for (int k = 0; k < 9; k++) {
        above[k] = frames[parent].rot[k];
      }
      for (int k = 0; k < 3; k++) {
        origin[k] = frames[parent].pos[k];
      }
    }
    pki_mat3_mul(above, model->body_rot + 9 * (size_t)i, joint);
    pki_mat3_apply(above, model->body_pos + 3 * (size_t)i, frames[i].pos);
    pki_along3(origin, 1, frames[i].pos, frames[i].pos);
    for (int k = 0; k < 3; k++) {
      frames[i].axis[k] = joint[3 * k + axis];
    }
    pki_mat3_identity(turn);
    if (model->body_motion[i] == PK_MOTION_PRISMATIC) {
      pki_along3(frames[i].pos, value, frames[i].axis, frames[i].pos);
    } else {
      const int a = (axis + 1) % 3, b = (axis + 2) % 3;
      turn[3 * a + a] = turn[3 * b + b] = cos(value);
      turn[3 * b + a] = sin(value);
      turn[3 * a + b] = -sin(value);
    }
    pki_mat3_mul(joint, turn, frames[i].rot);
  }
}
