/* The actuators of a robot, made ready for steps: motors first, as numbers that lanes can hold, then all others. */
#ifndef PKI_ACTUATION_ACTUATION_H
#define PKI_ACTUATION_ACTUATION_H

#include "actuation/force_law.h"
#include "base/field.h"
#include "pronk/actuation.h"

/* A kind that comes with Pronk: what a user's own has, and what files and help need. */
typedef struct pki_actuator_row {
  pk_actuator_kind kind;
  const char *doc;
  const pk_field *fields;
  int nfield;
} pki_actuator_row;

/* Every kind, by the name of its row: const pki_actuator_row pki_actuator_NAME, in the file of the kind. */
#define PKI_ACTUATOR_LIST(X) X(torque) X(servo) X(dc) X(sea) X(parallel_spring) X(hydraulic)

/* Ends with NULL. */
extern const pki_actuator_row *const pki_actuators[];

/* Whether a kind is a motor, "dc" or "sea", with pk_motor_parameters; and whether it is behind a spring. */
bool pki_is_motor(const pk_actuator_kind *kind);
bool pki_is_sea(const pk_actuator_kind *kind);

/* The field tables of their parameters. */
extern const pk_field pki_actuator_torque_fields[], pki_actuator_servo_fields[],
    pki_actuator_parallel_spring_fields[], pki_actuator_hydraulic_fields[];
extern const int pki_actuator_torque_field_count, pki_actuator_servo_field_count,
    pki_actuator_parallel_spring_field_count, pki_actuator_hydraulic_field_count,
    pki_motor_parameter_field_count;

/* What a motor is to a step (motor_kernel.h), all at the joint's side of the gear. */
enum {
  PKI_MOTOR_NK,         /* N m/A */
  PKI_MOTOR_R,          /* ohm */
  PKI_MOTOR_L,          /* H */
  PKI_MOTOR_J,          /* N^2 J */
  PKI_MOTOR_D,          /* N^2 b */
  PKI_MOTOR_DRY,        /* N times the dry friction */
  PKI_MOTOR_DRIVING,    /* part of its torque that the gear's friction takes when the motor drives, */
  PKI_MOTOR_DRIVEN,     /* and that it adds when the motor is driven back */
  PKI_MOTOR_VOLTAGE,    /* V; infinite: no limit */
  PKI_MOTOR_CURRENT,    /* A; infinite: no limit */
  PKI_MOTOR_LIMIT,      /* N m; infinite: no limit */
  PKI_MOTOR_BANDWIDTH,  /* rad/s; infinite: within a step */
  PKI_MOTOR_RESOLUTION, /* rad; 0: exact */
  PKI_MOTOR_BY_VOLTAGE, /* 1: a voltage is set, 0: a current is */
  PKI_MOTOR_ALPHA,      /* 1/K, of the resistance; 0: it stays */
  PKI_MOTOR_HOTTEST,    /* degrees C; infinite: no limit */
  PKI_MOTOR_DERATING,   /* K */
  PKI_MOTOR_WINDING,    /* W/K from winding to housing */
  PKI_MOTOR_HOUSING,    /* W/K from housing to air */
  PKI_MOTOR_C_WINDING,  /* J/K */
  PKI_MOTOR_C_HOUSING,  /* J/K; 0 of both: temperatures stay */
  PKI_MOTOR_AMBIENT,    /* degrees C */
  PKI_MOTOR_SPRING,     /* N m/rad; 0: none, the gear is rigid */
  PKI_MOTOR_STIFFENING, /* 1/rad^2 */
  PKI_MOTOR_SPRING_D,   /* N m s/rad */
  PKI_MOTOR_PLAY,       /* rad, half the backlash */
  PKI_MOTOR_SIDE,       /* 1: gains look at the motor's side of the spring */
  PKI_MOTOR_TORQUE_GAIN,
  PKI_MOTOR_CONSTANTS
};

/* What a motor remembers. Behind a rigid gear the rotor's velocity is the joint's. */
enum {
  PKI_MOTOR_STATE_CURRENT,
  PKI_MOTOR_STATE_VOLTAGE,    /* of the last step */
  PKI_MOTOR_STATE_DEFLECTION, /* e = th - x of the spring; the joint can be put elsewhere without straining it */
  PKI_MOTOR_STATE_VELOCITY, /* w */
  PKI_MOTOR_STATE_WINDING,  /* degrees C */
  PKI_MOTOR_STATE_HOUSING,
  PKI_MOTOR_STATE_RUB, /* N m at the joint's side: dry friction at the rotor behind a spring, of the last step */
  PKI_MOTOR_STATES
};
extern const char *const pki_motor_state_names[PKI_MOTOR_STATES],
    *const pki_motor_state_units[PKI_MOTOR_STATES];

/* 1/K, of copper; and degrees C, at which sheets give a resistance. */
#define PKI_COPPER 0.00393
#define PKI_SHEET_TEMPERATURE 25.0

/* Most states that a kind may have; pk_actuation_create refuses more. */
enum { PKI_ACTUATOR_STATES_MOST = 64 };

typedef struct pki_actuator_entry {
  pk_actuator actuator; /* parameters and name are owned */
  int state;            /* where its states begin */
} pki_actuator_entry;

struct pk_actuation {
  int count, nmotor;        /* actuators; of them, motors: the first in `order` */
  int nstate;               /* of all, the battery's included */
  int nu;                   /* of the joint model */
  pki_actuator_entry *list; /* [count] as given */
  int *order;               /* [count] motors, then all others; states lie in this order */
  double *constants;        /* [nmotor][PKI_MOTOR_CONSTANTS], in that order */
  bool *has_spring;         /* [nmotor] behind a spring */
  double *inertia;          /* [nu] what actuators add to joints */
  bool dry;                 /* some actuator has dry friction on its joint */
  bool rubs;                /* some has dry friction inside */
  bool hot;                 /* some motor has temperatures */
  bool simple;              /* no motor has a temperature limit, an encoder with steps or a bandwidth */
  bool has_battery;
  pk_battery battery;
  unsigned long long hash; /* of all that a step depends on */
  unsigned long long model;
};

/* The first actuator whose parameters give it dry friction, on its joint or inside; -1: none. Kinds of a user's own do not tell. */
int pki_actuation_find_dry(const pk_actuation *a);

/* Where the battery's states are: V of the bus and A s that were taken; and before them V that motors can have in the next step. */
static inline int pki_battery_state(const pk_actuation *a)
{
  return a->nstate - 2;
}

static inline int pki_battery_limit(const pk_actuation *a)
{
  return a->nstate - 3;
}

/* The parameters of a motor, dc or sea, as constants of a step. */
void pki_motor_constants(const pk_motor_parameters *p, bool spring, double c[PKI_MOTOR_CONSTANTS]);

/* What "dc" and "sea" share: the field table, checks, states. */
enum { PKI_MOTOR_FIELD_COUNT = 27 };
extern const pk_field pki_motor_parameter_fields[PKI_MOTOR_FIELD_COUNT];
pk_status pki_motor_validate(const pk_motor_parameters *p, bool spring, pk_error *err);
void pki_motor_reset(const pk_motor_parameters *p, double *state);
void pki_motor_condense(const pk_motor_parameters *p, bool spring, const pk_actuator_input *in,
                        const double *state, pk_force_law *law);
void pki_motor_finish(const pk_motor_parameters *p, bool spring, const pk_actuator_input *in, double u,
                      double tau, double *state);
double pki_motor_rate(const pk_motor_parameters *p, bool spring, const pk_actuator_input *in,
                      const double *state, double *rates);

/* The same from constants; the current and the voltage come back, too. */
double pki_motor_rate_of(const double *constants, bool spring, const pk_actuator_input *in,
                         const double *state, double *rates, double *current, double *voltage);

/* rad or m: how far what the gains of a joint's commands look at is ahead of the joint's coordinate, the spring's deflection where they look
 * at the motor's side of one, else 0. states: [nstate] of a world. */
double pki_feedback_offset(const pk_actuation *a, const double *states, int dof);

/* The states [nstate] that a world begins with, zeros at first. */
void pki_actuation_reset(const pk_actuation *a, double *state);

#endif
