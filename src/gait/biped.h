/* The controller `biped`, in parts: options (biped_options.c), what happens when (biped_clock.c), the plan of footsteps and of the divergent
 * component (biped_plan.c with footstep.c, divergent.c and step_adjust.c), the swinging foot (biped_swing.c), where the pressure may be
 * (support_area.c), what soles feel (biped_sole.c), and goals of the whole-body program (biped.c).
 *
 *   contacts -> phase -> footsteps -> divergent component -> pressure -> acceleration of the mass
 *                                  -> swinging foot, trunk, arms      -> whole-body program */
#ifndef PKI_GAIT_BIPED_H
#define PKI_GAIT_BIPED_H

#include "control/whole_body.h"
#include "gait/divergent.h"
#include "gait/footstep.h"

/* What is known of the robot: pki_whole_body.plan. */
typedef struct pki_biped {
  pk_biped_options options;
  int arm[2];         /* of the joints with a motor; -1: none */
  double arm_sign[2]; /* +1: its angle grows as the arm goes forward */
  pki_step_limits limits;
} pki_biped;

/* A number that goes where it should by polynomials of the fifth degree. */
typedef struct pki_swing_number {
  double x, rate, acc;
} pki_swing_number;

/* Where a sole has touched since it landed. */
typedef struct pki_sole_state {
  int touched;
  double least[2], most[2]; /* m, level axes of the foot, from its middle */
} pki_sole_state;

/* What is remembered of a world. */
typedef struct pki_biped_state {
  pki_sole_state soles[2];
  pk_biped_phase phase;
  int stance;                /* PKI_LEFT, PKI_RIGHT: carries in a swing, will carry after a shift */
  int last;                  /* 1: this shift ends in standing */
  int closes;                /* 1: this swing puts the feet side by side, the last one */
  double since;              /* s, in this phase */
  double length;             /* s, of this phase */
  double from[2];            /* m, where the pressure of a shift began */
  double width;              /* m, between the feet */
  double height;             /* m, of the mass over the ground */
  double ground;             /* m, height of the ground below the mass, smooth */
  double heading;            /* rad, wanted */
  double speed[3];           /* m/s, m/s, rad/s, wanted, after `acceleration` */
  double integral[2];        /* m */
  pki_footstep feet[2];      /* where they stand; of a swinging one where it stood */
  double flat[2][9];         /* axes of the feet's bodies at heading zero, on level ground */
  double trunk[9];           /* the trunk's at heading zero */
  pki_footstep target;       /* of the swinging foot */
  pki_swing_number swing[4]; /* x, y, z, yaw of its reference */
  double tilt[3];            /* rad, rotation by which it was off its flat attitude when it left, world */
  int has_speed;             /* pk_biped_set_speed */
  double asked[3];
  pk_biped_report report;
} pki_biped_state;

/* One world in one update. */
typedef struct pki_biped_now {
  const pki_biped *b;
  pki_biped_state *s;
  const pki_whole_goals *g;
  double time, period; /* s */
  double omega;        /* 1/s */
  double weight;       /* N */
  double xi[2];        /* m */
  double load[2];      /* N */
  pki_whole_foot_now foot[2];
  bool is_flat[2];  /* it has had contacts over most of the sole since it landed, or does not touch */
  double wanted[3]; /* speed that is wanted by the schedule */
  pki_divergent_plan plan;
  pki_footstep planned; /* the next step before it was moved */
  pki_divergent reference;
  double pressure[2]; /* m, in the soles */
  double asked[2];    /* m, likewise with what trunk and arms should do */
} pki_biped_now;

/* biped_options.c */
extern const double pki_biped_turn; /* rad, by which one step may turn */
enum { PKI_BIPED_FIELDS = 57 };
extern const pk_field pki_biped_fields[];
extern const pki_controller_list pki_biped_changes;
pk_status pki_biped_validate(const pk_biped_options *o, pk_error *err);
pk_whole_body_options pki_biped_whole(const pk_biped_options *o);

/* biped_clock.c */
void pki_biped_start(const pki_whole_body *c, const pki_whole_lanes *w, int l, pki_whole_state *whole);
void pki_biped_tick(pki_biped_now *n);

/* biped_plan.c: the plan from the beginning of the phase on, the target of a swinging foot, and the pressure that is asked for. */
void pki_biped_plan(pki_biped_now *n);
/* Where the pressure of a foot is planned to be. */
void pki_biped_pressure_of(const pki_biped_now *n, const pki_footstep *step, int foot, double out[2]);

/* biped_sole.c */
void pki_biped_feel_soles(pki_biped_now *n, const pk_observation *seen);

/* biped_swing.c */
void pki_biped_swing_begin(pki_biped_now *n, int foot);
void pki_biped_swing_step(pki_biped_now *n, int foot, pki_whole_foot_goal *to);

/* support_area.c: the nearest point of the convex hull of `count` points (at most 16) to p. */
void pki_support_clamp(int count, const double (*points)[2], const double p[2], double out[2]);

#endif
