/* The scenes of `pronk bench robots`: robots as a whole (all their collision shapes, limits, losses) that stand, trot, fall, are
 * thrown and lie; loose balls and boxes; many robots in one world. The same scene goes to every engine (contact_peer.h), and
 * tests/peers puts them on trial. */
#ifndef PKI_BENCH_ROBOTS_SCENE_H
#define PKI_BENCH_ROBOTS_SCENE_H

#include "bench/crowd.h"
#include "bench/scaling_scene.h"

typedef enum pki_robots_motion {
  PKI_ROBOTS_STAND, /* dropped from 10 mm with joints a little off the stance, which gains hold */
  PKI_ROBOTS_TROT,  /* open loop, worlds all over the cycle */
  PKI_ROBOTS_WALK,  /* a humanoid repeats the torques of a recorded walk, worlds all over the cycle */
  PKI_ROBOTS_FALL,  /* limp, any orientation, joints and velocities random, from a height */
  PKI_ROBOTS_HOLD,  /* thrown with random joints, whose pose gains hold */
  PKI_ROBOTS_LIE,   /* on the ground, any side up; gains pull towards the stance with little torque */
  PKI_ROBOTS_BALLS, /* a loose lattice of balls falls */
  PKI_ROBOTS_BOXES, /* the same of boxes, any orientation */
  PKI_ROBOTS_STACK, /* ten boxes on top of each other beside twenty balls */
  PKI_ROBOTS_MANY,  /* StarLETHs that trot in one world */
  PKI_ROBOTS_MOTIONS
} pki_robots_motion;

/* One scene; a row of the table. */
typedef struct pki_robots_work {
  const char *name; /* "stand starleth" */
  pki_robots_motion motion;
  const char *model; /* NULL: loose bodies */
  int size;          /* bodies, or robots */
} pki_robots_work;

const pki_robots_work *pki_robots_works(int *count);

/* One robot has many worlds with random starts; loose bodies and many robots are one world. */
static inline bool pki_robots_has_batch(const pki_robots_work *work)
{
  return work->motion <= PKI_ROBOTS_LIE;
}

typedef struct pki_robots_scene {
  const pki_robots_work *work;
  pki_contact_scene scene;
  pk_model *model;
  double *stance;  /* [nu] joint angles */
  double *tau_max; /* [nu] */
  double *targets; /* [ntarget][nu] */
  int ntarget;     /* steps until they repeat */
  double *cycle;   /* [ntarget][nq + nu] states of a recorded walk; NULL: none */
  int (*apart)[2]; /* bodies that overlap in the stance */
  double life;     /* s, of one start */
  pki_scaling_scene *many;
} pki_robots_scene;

/* The scene must stay where it is: engines point into it. */
pk_status pki_robots_scene_create(pki_robots_scene *s, const pki_robots_work *work, pk_error *err);
void pki_robots_scene_destroy(pki_robots_scene *s);

/* Loose bodies and many robots (objects_scene.c): model, start, targets. */
pk_status pki_objects_create(pki_robots_scene *s, pk_error *err);
pk_status pki_many_create(pki_robots_scene *s, pk_error *err);

/* A walk (robots_walk.c): steps of its cycle, angles of its stance, and states and targets of the cycle. */
int pki_robots_walk_length(double dt);
void pki_robots_walk_stance(const pk_model *m, double *stance);
pk_status pki_robots_walk(pki_robots_scene *s, pk_error *err);

/* n starts of the scene from a seed, none of them with links in each other or in the ground (robots_start.c). Loose bodies have
 * one start. */
pk_status pki_robots_start(const pki_robots_scene *s, int n, unsigned seed, pki_crowd *crowd, pk_error *err);

/* m, the lowest point of the model's collision shapes at q. */
double pki_robots_lowest(pk_workspace *workspace, const double *q);

#endif
