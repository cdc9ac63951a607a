/* Where a duty comes from: recordings of runs, tables, motions that are optimised, scenarios that are run. */
#ifndef PKI_SIZE_DUTY_SOURCE_H
#define PKI_SIZE_DUTY_SOURCE_H

#include "optimize/files/motion_course.h"
#include "size/duty.h"

/* How samples are read. */
typedef struct pki_duty_window {
  double from, to; /* s; samples outside are left out */
  double window;   /* s, over which speeds are differentiated where there are no accelerations */
  double
      armature; /* kg m^2 of drives that the torques have in them already; negative: what is known of the source */
} pki_duty_window;

/* A table of comma-separated values: motion.csv of `pronk optimize`, or one of the user's own with the columns time, u:JOINT, tau:JOINT and, where
 * they are known, a:JOINT. */
pk_status pki_duty_read_table(const char *path, const pki_duty_window *window, pki_duty_motion *out,
                              pk_error *err);

/* A recording with the channels state/u and joints/force; bearing loads where it has joints/load. */
pk_status pki_duty_read_recording(const char *path, const pki_duty_window *window, pki_duty_motion *out,
                                  pk_error *err);

/* A motion that has been optimised, the whole cycle, eight samples in each interval of its grid. */
pk_status pki_duty_of_motion(const pki_gait_file *gait, const pki_motion_solution *solution,
                             pki_duty_motion *out, pk_error *err);

#endif
