/* The parts of the locomotion controller that run on lanes: several robots at once, each with what it remembers.
 *
 *   sense    trunk, mass and feet from q and u
 *   weigh    once, when a robot starts: where its feet are, its inertia as one body, strength of its legs
 *   refer    modes of the feet, the ground plane, fallen robots, the trunk's desired acceleration by the virtual model
 *   act      feet's accelerations, inverse dynamics, forces at the stance feet, commands
 *
 * Between them what differs from robot to robot is computed one by one: contacts, clock, plans (locomotion.c). One
 * robot is a group of one lane, so that a robot alone and one in a group are the same code. Numbers of the robot are
 * those of its model: the controller does not know masses that a world has changed. */
#ifndef PKI_GAIT_GAIT_KERNELS_H
#define PKI_GAIT_GAIT_KERNELS_H

#include "gait/locomotion.h"

enum {
  PKI_GAIT_LANES = 8, /* at most */
  /* numbers of one lane: the trunk's, of each leg, of each body; 64-byte aligned */
  PKI_GAIT_SCRATCH = 38 + 50 * PKI_LEGS + 45 * PKI_GAIT_BODIES
};

/* A robot in each lane; lanes beyond the robots repeat the first one, and compute and write what it does. */
typedef struct pki_gait_group {
  const pki_locomotion *c;
  const pk_model *model;
  pki_walk *walk[PKI_GAIT_LANES];
  const double *q[PKI_GAIT_LANES], *u[PKI_GAIT_LANES];
  pk_command *commands[PKI_GAIT_LANES];
} pki_gait_group;

typedef struct pki_gait_kernels {
  const char *isa;
  int lanes;
  void (*sense)(const pki_gait_group *g, double *scratch);
  void (*weigh)(const pki_gait_group *g, const double *scratch); /* after sense */
  void (*refer)(const pki_gait_group *g, double *scratch);       /* after sense */
  void (*act)(const pki_gait_group *g, double *scratch);         /* after refer */
} pki_gait_kernels;

/* The variant with the instruction set of pki_kernels_get(lanes); lanes is 1, 4 or 8. Never NULL. */
const pki_gait_kernels *pki_gait_kernels_get(int lanes);

/* The variant of a named instruction set, NULL when it is not built or the machine lacks it. */
const pki_gait_kernels *pki_gait_kernels_find(const char *isa, int lanes);

#endif
