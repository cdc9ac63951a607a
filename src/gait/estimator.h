/* The state estimator in parts: options, legs and the order of an update (estimator.c), mean and covariance of the
 * filter (estimator_filter.c). */
#ifndef PKI_GAIT_ESTIMATOR_H
#define PKI_GAIT_ESTIMATOR_H

#include "base/field.h"
#include "pronk/base_estimator.h"

/* Its options, but for the feet and the IMU's place. */
extern const pk_field pki_base_estimator_fields[];
extern const int pki_base_estimator_field_count;

/* Where the parts of the error begin among its PK_BASE_ESTIMATOR_ERRORS numbers. */
enum {
  PKI_ERROR_R = 0,
  PKI_ERROR_V = 3,
  PKI_ERROR_P = 6,
  PKI_ERROR_BG = 9,
  PKI_ERROR_BA = 12,
  PKI_ERROR_D = 15
};

/* A leg as a product of turns about fixed lines, the IMU's frame, all hinges at zero. */
typedef struct pki_estimator_leg {
  int q[3], u[3];              /* coordinates of its hinges, hip first */
  double gain[3], offset[3];   /* angle = gain q + offset */
  double axis[3][3], at[3][3]; /* unit; m, a point on each axis */
  double foot[3], radius;      /* m, centre of the foot's ball; 0: a point */
} pki_estimator_leg;

struct pk_base_estimator {
  pk_base_estimator_options options;
  double gravity[3];                /* m/s^2, world */
  pk_pose imu;                      /* in the trunk's frame */
  int robot, trunk;                 /* trunk: the root link */
  int feet[PK_BASE_ESTIMATOR_FEET]; /* links */
  pki_estimator_leg legs[PK_BASE_ESTIMATOR_FEET];
};

/* A foot at one moment, IMU's axes. */
typedef struct pki_estimator_foot {
  double arm[3];       /* m, from the IMU to the foot's centre */
  double column[3][3]; /* how it moves by each angle */
  double turning[3];   /* rad/s, of the foot's link against the trunk */
} pki_estimator_foot;

/* Mean and covariance over one interval: R is the attitude before it and becomes that after it. `rolling` [4][3] is the
 * velocity of the feet's centres, world. */
void pki_filter_predict(const pk_base_estimator *e, const pk_base_estimator_input *in, const double *rolling,
                        pk_base_estimator_state *s);

/* A foot begins to stand where its leg has it. */
void pki_filter_place_foot(const pk_base_estimator *e, int leg, const pki_estimator_foot *foot,
                           pk_base_estimator_state *s);

/* Forget the place of a foot that stands no more. */
void pki_filter_drop_foot(int leg, pk_base_estimator_state *s);

/* A foot stands where it stood: false when the leg has it elsewhere by more than the gate; then nothing has changed. */
bool pki_filter_correct(const pk_base_estimator *e, int leg, const pki_estimator_foot *foot,
                        pk_base_estimator_state *s);

#endif
