/* Worlds that grow, for `pronk bench scaling`: the same scene in every engine (contact_peer.h).
 *
 *   chain    n links that hang from a hinge and swing, damped, no contact: n degrees of freedom
 *   balls    n balls that lie on the ground, apart: n contacts, 6 n degrees of freedom
 *   robots   n StarLETHs that trot in one world, each at another place of the cycle: 18 n, up to 4 n contacts */
#ifndef PKI_BENCH_SCALING_SCENE_H
#define PKI_BENCH_SCALING_SCENE_H

#include "bench/contact_scene.h"

typedef enum pki_growth { PKI_GROWTH_CHAIN, PKI_GROWTH_BALLS, PKI_GROWTH_ROBOTS, PKI_GROWTHS } pki_growth;

extern const char *const pki_growth_names[PKI_GROWTHS];

typedef struct pki_scaling_scene {
  pki_growth growth;
  int size;
  pki_contact_scene scene;
  pki_contact_stage trot; /* of one robot, whose targets the robots follow */
  pk_model *loaded;       /* the world as described */
  pk_model model;         /* the same, with the feet or balls as only shapes */
  pk_model_shape *shapes; /* [nfoot] */
  pki_contact_foot *feet; /* [nfoot] */
  double *target;         /* [nu] of the step at hand */
  int period;             /* steps until the targets repeat; 1: they stay */
} pki_scaling_scene;

/* The scene must stay where it is: engines point into it. */
pk_status pki_scaling_scene_create(pki_scaling_scene *s, pki_growth growth, int size, pk_error *err);
void pki_scaling_scene_destroy(pki_scaling_scene *s);

/* Targets of step k, in s->target: good until the next call. */
const double *pki_scaling_target(pki_scaling_scene *s, long long k);

#endif
