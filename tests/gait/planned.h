/* Motions of quadrupeds planned by the linear inverted pendulum, as files (docs/formats/motion.md). */
#ifndef PKI_TESTS_GAIT_PLANNED_H
#define PKI_TESTS_GAIT_PLANNED_H

#include <stdbool.h>

#include "pronk/model.h"

/* A gait of four beats in which two feet always stand, those of a side or of a diagonal, each for half of the cycle: the hind foot lands a
 * quarter of the cycle before the fore foot of its side. */
typedef struct planned_amble {
  double height; /* m, of the trunk's origin in the stance of `leg` */
  double lower;  /* m, of the trunk in the gait below that */
  double wide;   /* m, of each foot from below its hip, outward */
  double speed;  /* m/s */
  double cycle;  /* s */
  double lift;   /* m, of feet that swing */
  /* rad, joints of the four legs in a stance with the feet below the hips, left fore, right fore, left hind, right hind */
  double leg[4][3];
} planned_amble;

/* Write the motion of a model whose feet are LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT and whose joints are those of these legs; the mass moves
 * with constant speed and sways so that it is balanced on each pair of feet, the trunk stays level. false: the file cannot be written. */
bool planned_amble_write(const pk_model *model, const planned_amble *amble, const char *path);

#endif
