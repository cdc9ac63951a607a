/* The controller `follow`, in parts: motions (motion_file.c, whole_motion.c), the robot and its feet (follow_robot.c), what the motion asks
 * for and which feet stand (follow_sense.c), where feet that swing go (follow_swing.c), forces and torques (follow_act.c), and the
 * update that joins them (follow_motion.c).
 *
 *   clock -> the motion now -> contacts, modes of feet -> feet that swing: joints -> trunk's acceleration -> forces -> torques
 *
 * Only what differs from the motion is feedback: on the motion itself forces and torques are its own. */
#ifndef PKI_GAIT_FOLLOW_H
#define PKI_GAIT_FOLLOW_H

#include "control/cone_program.h"
#include "control/registry.h"
#include "control/whole_body.h"
#include "gait/follow_balance.h"
#include "gait/whole_motion.h"

enum {
  PKI_FOLLOW_POINTS = PKI_WHOLE_MOTION_FEET * PKI_WHOLE_POINTS,
  PKI_FOLLOW_FORCES = 3 * PKI_FOLLOW_POINTS,
  PKI_FOLLOW_LEG = 16 /* joints of a leg, at most */
};

/* A foot of the motion, and the leg that it ends. */
typedef struct pki_follow_foot {
  pki_whole_foot sole;
  int joints;
  int joint[PKI_FOLLOW_LEG]; /* of the motion, from the trunk to the foot */
} pki_follow_foot;

typedef struct pki_follow {
  pk_controller controller;
  pk_follow_options options;
  pki_whole_motion motion;
  const pki_cone_kernels *cones;
  int trunk;            /* root link */
  int q, u;             /* first coordinate and first velocity of the trunk */
  double mass, gravity; /* kg, m/s^2 */
  double height, pace;  /* m, of the mass above the feet in the first row; 1/s, sqrt(g/height) */
  double gyration[3];   /* m, of the robot about its mass in the first row, trunk's axes */
  double damping;       /* N m s/rad, of joints of legs that stand */
  double limp;          /* N m s/rad, of all joints after a fall */
  double most[PKI_WHOLE_MOTION_JOINTS]; /* N m or N */
  double inertia
      [PKI_WHOLE_MOTION_JOINTS]; /* kg m^2 or kg, that each joint moves with the trunk held, in the first row */
  bool leg[PKI_WHOLE_MOTION_JOINTS]; /* it lies between the trunk and a foot */
  pki_follow_foot feet[PKI_WHOLE_MOTION_FEET];
  pki_balance balance;
  pki_balance_sample samples[PKI_BALANCE_STEPS];
  double memory[]; /* of the motion, then of the balance's gains */
} pki_follow;

typedef enum pki_follow_mode {
  PKI_FOLLOW_STANCE, /* on the ground, carries */
  PKI_FOLLOW_SWING,  /* on its way */
  PKI_FOLLOW_REACH,  /* should be on the ground and is not: goes down until it is */
} pki_follow_mode;

/* What is remembered of a foot. */
typedef struct pki_follow_step {
  pki_follow_mode mode;
  int touches;
  double quiet;     /* s, without contact */
  double since;     /* s, in this mode */
  double from[2];   /* m, world: how far it was from the motion when its swing began */
  double shift[2];  /* m, world: of its foothold from that of the motion */
  double normal[3]; /* of the ground below, world */
  double friction;  /* of the last contact */
} pki_follow_step;

/* What is remembered of a world. */
typedef struct pki_follow_state {
  int awake, fallen, warm;
  int cones;     /* of the last program */
  double phase;  /* s, in this repetition */
  double waited; /* s, for the foot that lands next */
  double ground; /* m, of the ground over that of the motion */
  pki_whole_motion_base base;
  pki_follow_step feet[PKI_WHOLE_MOTION_FEET];
  double force[PKI_FOLLOW_FORCES]; /* N, of the last program */
} pki_follow_state;

/* Where a foot is, or should be. */
typedef struct pki_follow_place {
  double at[3], rot[9]; /* m, middle of its sole or of its ball; axes of its body */
  double rate[6];       /* rad/s, m/s, world axes */
} pki_follow_place;

/* One update. */
typedef struct pki_follow_now {
  const pki_follow *c;
  const pk_observation *seen;
  pki_follow_state *s;
  double dt; /* s, to the next update */
  pki_whole_motion_point want;
  double heading;                             /* rad, of the robot less that of the motion */
  double mass[3], mass_rate[3];               /* m, m/s: where it is */
  double wanted_mass[3], wanted_mass_rate[3]; /* and where the motion has it */
  double push[2]; /* m/s^2, world: of the mass, for its balance, over that of the motion */
  double places[PKI_WHOLE_MOTION_FEET]
               [2];        /* m, world: where feet that swing should land, from where the motion has them */
  double rot[9], place[3]; /* of the trunk */
  pki_follow_place feet[PKI_WHOLE_MOTION_FEET], wanted_feet[PKI_WHOLE_MOTION_FEET];
  double q[PKI_WHOLE_MOTION_JOINTS],
      u[PKI_WHOLE_MOTION_JOINTS]; /* rad, rad/s: references of joints, footholds in them */
  double trunk[6];                /* m/s^2, world; rad/s^2, trunk's axes: wanted acceleration */
  /* scratch */
  double *q_full, *u_full, *a, *tau, *M; /* [nq], [nu], [nu], [nu], [nu][nu] */
  double *J;                             /* [feet][6][nu] of the feet's middles */
  double *bias;                          /* [feet][6] */
  double *H, *g, *x;                     /* of the cone program */
  double *friction, *limit;
  void *program;
} pki_follow_now;

/* follow_robot.c: legs, inertias, scales, from the model and the motion. */
pk_status pki_follow_find(pki_follow *c, const pk_model *model, pk_error *err);

/* follow_sense.c: the first update; time goes on; the motion and the robot now; contacts and modes of feet. */
void pki_follow_start(const pki_follow *c, const pk_observation *seen, pki_follow_state *s);
void pki_follow_tick(pki_follow_now *now);
void pki_follow_sense(pki_follow_now *now);

/* follow_swing.c: references of the joints of feet that do not stand. */
void pki_follow_swing(pki_follow_now *now);

/* Changes of the joints of foot f that move it by `error` (rotation vector, way), by its Jacobian J [6][nu]: damped least squares. */
void pki_follow_leg_solve(const pki_follow_now *now, int f, const double *J, const double error[6],
                          double *out);

/* follow_act.c: commands. */
void pki_follow_act(pki_follow_now *now, pk_command *commands);

/* Jacobian [6][nu] of foot f at the state of the update, angular then linear velocity of its middle. */
static inline double *pki_follow_jacobian(const pki_follow_now *now, int f)
{
  return now->J + (size_t)f * 6 * (size_t)now->seen->model->nu;
}

/* Where a foot is at the workspace's state, of which u is given. */
void pki_follow_foot_place(const pk_workspace *w, const pki_follow_foot *foot, pki_follow_place *out);

#endif
