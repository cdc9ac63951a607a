/* What a robot carries beside links and joints: sites, actuators, sensors, named poses, and what its file says of pairs of
 * links and shapes. Descriptions in a builder; the compiler resolves their names (compile_equipment.c). */
#ifndef PKI_MODEL_EQUIPMENT_H
#define PKI_MODEL_EQUIPMENT_H

#include "base/error.h"
#include "pronk/builder.h"

/* Most of each kind, and most numbers in one keyframe. */
enum {
  PKI_EQUIPMENT_MAX = 100000,
  PKI_KEYFRAME_MAX = 1000000,         /* numbers of one kind in a keyframe */
  PKI_KEYFRAME_NUMBERS_MAX = 10000000 /* in all of them */
};

typedef struct pki_site {
  pk_site_desc desc;
  int robot;
} pki_site;

typedef struct pki_actuator {
  pk_actuator_desc desc;
  int robot;
} pki_actuator;

typedef struct pki_sensor {
  pk_sensor_desc desc;
  int robot;
} pki_sensor;

/* A pose of the robots from desc.nrobot before `end` up to there. */
typedef struct pki_keyframe {
  pk_keyframe_desc desc;
  int end;
  long long total; /* numbers of this one and of all before it */
} pki_keyframe;

typedef struct pki_pair {
  pk_pair_desc desc;
  int robot;
} pki_pair;

typedef struct pki_equipment {
  pki_site *sites;
  pki_actuator *actuators;
  pki_sensor *sensors;
  pki_keyframe *keyframes;
  pki_pair *pairs;
  int nsite, nactuator, nsensor, nkeyframe, npair;
  int site_cap, actuator_cap, sensor_cap, keyframe_cap, pair_cap;
} pki_equipment;

/* How many there are of each, to go back to. */
typedef struct pki_equipment_mark {
  int nsite, nactuator, nsensor, nkeyframe, npair;
} pki_equipment_mark;

pki_equipment_mark pki_equipment_get_mark(const pki_equipment *e);
void pki_equipment_rollback(pki_equipment *e, pki_equipment_mark mark);
void pki_equipment_free(pki_equipment *e);

#endif
