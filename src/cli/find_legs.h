/* The limbs of a robot, as legs with a closed form where they have one. */
#ifndef PKI_CLI_FIND_LEGS_H
#define PKI_CLI_FIND_LEGS_H

#include "pronk/reduced.h"

enum { PKI_LIMBS = PK_REDUCED_LEGS };

/* How far the placed point (of a pose leg: the ankle) can be from the hip, m, by the knee alone. */
typedef struct pki_leg_reach {
  double thigh, shank; /* across the knee's axis */
  double full[2];      /* least and most for any angle */
  double limited[2];   /* within the knee's limits */
} pki_leg_reach;

typedef struct pki_robot_leg {
  int link;      /* the foot: the outermost link that collides, or the last one */
  int body;      /* the first one below the trunk */
  int hinges;    /* joints from the trunk to the foot, whatever they are */
  double mass;   /* kg, of it and of all that hangs on it */
  double radius; /* m, of the foot's ball; 0: it has none */
  bool closed;   /* there is a closed form: */
  pk_leg leg;
  pki_leg_reach reach;
  pk_error why; /* otherwise */
} pki_robot_leg;

/* Limbs of a robot in the order of its bodies: a limb is all bodies below the trunk that end in one. Returns how many there are, of
 * which the first PKI_LIMBS are written. */
int pki_legs_of_robot(const pk_model *model, int robot, pki_robot_leg *out);

/* Where the hip's centre is in the trunk: the first two axes of a pose leg meet there, as do those of a leg whose first two meet; of one
 * that bends in a plane the point of the second axis in the foot's plane. */
void pki_leg_hip(const pk_leg *leg, double hip[3]);

#endif
