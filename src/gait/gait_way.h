/* The ways of trunk and feet in a gait on level ground, before any robot has moved (gait_way.c has the equations). */
#ifndef PKI_GAIT_GAIT_WAY_H
#define PKI_GAIT_GAIT_WAY_H

#include "pronk/references.h"

enum { PKI_TRACK_LEGS = 4 };

typedef struct pki_gait_way_options {
  pk_rhythm rhythm;
  double stance[PKI_TRACK_LEGS][2]; /* m, of the feet at the start, seen from the trunk */
  double com[2];                    /* m, of the mass, likewise */
  double speed[2];                  /* m/s */
  double start, ramp;               /* s */
  double lift;                      /* m */
  double height, gravity;           /* m, m/s^2: of the mass */
  bool preview;                     /* the mass follows a preview of the zero moment point */
} pki_gait_way_options;

/* Rows at begin + k step; from row `loop` on to the last one all repeats, seen from the trunk. */
typedef struct pki_gait_way {
  int rows, loop;
  double begin, step;                /* s */
  double (*trunk)[2];                /* [rows] m */
  double (*foot)[PKI_TRACK_LEGS][3]; /* [rows] m, z over where it stood */
  double (*zmp)[2];                  /* [rows] m, that the feet carry */
} pki_gait_way;

/* PK_ERROR_ARGUMENT: the rhythm has moments without a foot on the ground, or does not come to repeat itself. */
pk_status pki_gait_way_create(const pki_gait_way_options *options, pki_gait_way *out, pk_error *err);
void pki_gait_way_free(pki_gait_way *way);

#endif
