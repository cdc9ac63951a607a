/* The scene of `pronk bench contact`: StarLETH with its four foot balls on a plane, its joints held by
 * gains around a stance or around a trot in place. tests/peers puts the same scene on trial. */
#ifndef PKI_BENCH_CONTACT_SCENE_H
#define PKI_BENCH_CONTACT_SCENE_H

#include "base/error.h"
#include "bench/contact_peer.h"

typedef enum pki_contact_motion {
  PKI_CONTACT_STAND, /* dropped from 10 mm, then standing */
  PKI_CONTACT_TROT,  /* diagonal legs lift in turns, 1.25 Hz, open loop */
  PKI_CONTACT_SLOPE, /* standing on 0.1 rad */
  PKI_CONTACT_MOTIONS
} pki_contact_motion;

extern const char *const pki_contact_motion_names[PKI_CONTACT_MOTIONS];

typedef struct pki_contact_stage {
  pki_contact_motion motion;
  pki_contact_scene scene;
  pki_contact_foot feet[PKI_FEET];
  double down[2];   /* downhill, unit; zero on level ground */
  int ntarget;      /* steps until the targets repeat; 1: they stay */
  double *targets;  /* [ntarget][nu] q_des */
  pk_model *loaded; /* the robot as described */
  pk_model model;   /* the same with its feet as only shapes, and the scene's gravity */
  pk_model_shape shapes[PKI_FEET];
} pki_contact_stage;

/* dt must divide the trot's cycle of 0.8 s. The stage must stay where it is: the scene points into it. */
pk_status pki_contact_stage_create(pki_contact_stage *stage, pki_contact_motion motion, double dt,
                                   pk_error *err);
void pki_contact_stage_destroy(pki_contact_stage *stage);

/* Targets of step k. */
const double *pki_contact_target(const pki_contact_stage *stage, long long k);

#endif
