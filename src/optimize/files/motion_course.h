/* A motion as users see it: the whole cycle, point by point, with the trunk's pose and velocity, feet, centre of mass and stability. What
 * the files and the report of a motion are written from. All of it is in axes of the ground: z is its normal, and on a slope x points
 * uphill. */
#ifndef PKI_OPTIMIZE_FILES_MOTION_COURSE_H
#define PKI_OPTIMIZE_FILES_MOTION_COURSE_H

#include "optimize/files/gait_file.h"
#include "optimize/motion/solution.h"

typedef struct pki_course_row {
  const pki_motion_point *point; /* of the course's `whole` */
  double time;     /* s, from the start; the same on both sides of a boundary of phases, and never falling */
  unsigned stance; /* bits of feet */
  /* the root link */
  double position[3], quaternion[4]; /* m; w, x, y, z */
  double velocity[3];                /* m/s, of its origin, axes of the ground */
  double spin[3];                    /* rad/s, its own axes */
  double com[3];                     /* m, centre of mass */
  double foot[PKI_MOTION_FEET][3];   /* m: lowest point of a ball, middle of a sole */
  pki_motion_edges edges;            /* stability */
} pki_course_row;

typedef struct pki_course {
  const pki_gait_file *gait;
  pki_motion_solution whole; /* all phases of a cycle */
  pki_course_row *rows;      /* [nrow] in the order of time */
  int nrow;
  unsigned stance[PKI_MOTION_PHASES];  /* [whole.nphase] */
  double start[PKI_MOTION_PHASES + 1]; /* s, of each phase; the last: the end of the motion */
  char name[PKI_MOTION_PHASES][PKI_MOTION_NAME];
  bool repeats;
  /* m, m, rad: of the trunk in one repetition, along its heading at the start, across it, and about z */
  double travel[3];
} pki_course;

/* The course of a solution; to be freed also on failure. */
pk_status pki_course_make(const pki_gait_file *gait, const pki_motion_solution *solution, pki_course *out,
                          pk_error *err);
void pki_course_free(pki_course *course);

#endif
