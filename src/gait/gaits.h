/* The gaits that the locomotion controller knows, as rows. */
#ifndef PKI_GAIT_GAITS_H
#define PKI_GAIT_GAITS_H

#include "pronk/gait.h"

/* What the feet of a legged robot do; the words of `gait`. For a robot whose trunk is h above the ground. */
typedef struct pki_gait_row {
  const char *name;
  double footfall[4]; /* when feet land, parts of the cycle: left fore, right fore, left hind, right hind */
  /* on six legs: parts of the cycle by which a pair lands before the one ahead of it; NAN: there is no such gait */
  double lag;
  double duty;     /* part of the cycle that a foot is on the ground */
  double cycle;    /* time of a cycle, in sqrt(h/g) */
  double lift;     /* of a swinging foot, in h */
  double speed[2]; /* least and most that it is meant for, in sqrt(g h) */
  const char *doc;
} pki_gait_row;

/* By pk_gait; ends with NULL. */
extern const pki_gait_row *const pki_gaits[];

/* When the feet of a robot with so many legs land [legs]: pairs from fore to hind, the left foot of each first. */
void pki_gait_footfall(const pki_gait_row *row, int legs, double *footfall);

/* Whether there is such a gait on so many legs. */
bool pki_gait_suits(const pki_gait_row *row, int legs);

#endif
