/* Whole-body motions of a robot with a free trunk, as files (docs/formats/motion.md): trunk, joints, which feet stand and with what
 * forces, row by row. */
#ifndef PKI_GAIT_MOTION_FILE_H
#define PKI_GAIT_MOTION_FILE_H

#include <stdbool.h>

#include "pronk/model.h"

enum { PKI_WHOLE_MOTION_JOINTS = 64, PKI_WHOLE_MOTION_FEET = 8 }; /* at most */

/* Numbers of a row, in this order; then q, u and tau of each joint, then of each foot whether it stands (0 or 1), then
 * the force on each foot, three numbers. */
enum {
  PKI_WHOLE_MOTION_TIME,           /* s */
  PKI_WHOLE_MOTION_PLACE,          /* m, of the trunk: x, y, z in the world */
  PKI_WHOLE_MOTION_TURN = 4,       /* its unit quaternion, w first; of neighbouring rows the nearer sign */
  PKI_WHOLE_MOTION_VELOCITY = 8,   /* m/s, world */
  PKI_WHOLE_MOTION_TURN_RATE = 11, /* rad/s, trunk's axes */
  PKI_WHOLE_MOTION_TRUNK_END = 14
};

/* A motion as it was read. pki_whole_motion_free frees the numbers. */
typedef struct pki_whole_motion {
  bool repeats;
  bool has_tau, has_forces;
  double travel
      [3]; /* m, m, rad: of the trunk in one repetition, forward and left of its heading in the first row */
  int robot;
  int joints, feet, rows, width;
  int dof[PKI_WHOLE_MOTION_JOINTS]; /* velocity coordinates */
  int foot[PKI_WHOLE_MOTION_FEET];  /* links */
  double *values;                   /* [rows][width] */
} pki_whole_motion;

/* Places of numbers in a row. */
static inline int pki_whole_motion_q_at(int joint)
{
  return PKI_WHOLE_MOTION_TRUNK_END + joint;
}
static inline int pki_whole_motion_u_at(const pki_whole_motion *m, int joint)
{
  return PKI_WHOLE_MOTION_TRUNK_END + m->joints + joint;
}
static inline int pki_whole_motion_tau_at(const pki_whole_motion *m, int joint)
{
  return PKI_WHOLE_MOTION_TRUNK_END + 2 * m->joints + joint;
}
static inline int pki_whole_motion_stance_at(const pki_whole_motion *m, int foot)
{
  return PKI_WHOLE_MOTION_TRUNK_END + 3 * m->joints + foot;
}
static inline int pki_whole_motion_force_at(const pki_whole_motion *m, int foot)
{
  return PKI_WHOLE_MOTION_TRUNK_END + 3 * m->joints + m->feet + 3 * foot;
}

/* A motion of a robot of the model, from text or from a file. To be freed also on failure. */
pk_status pki_whole_motion_parse(const char *file, const char *text, size_t size, const pk_model *model,
                                 pki_whole_motion *out, pk_error *err);
pk_status pki_whole_motion_read(const char *file, const pk_model *model, pki_whole_motion *out,
                                pk_error *err);
void pki_whole_motion_free(pki_whole_motion *motion);

#endif
