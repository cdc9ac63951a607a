/* Actuators: what stands between a command and the force in a joint. Motors, gears, springs, cylinders.
 *
 *   pk_motor_parameters knee = pk_motor_parameters_default();
 *   knee.resistance = 0.664, knee.inductance = 0.32e-3, knee.constant = 0.041;
 *   knee.inertia = 8.47e-6, knee.gear = 100, knee.voltage = 24, knee.current = 10, knee.spring = 395.46;
 *   const pk_actuator list[] = {{.dof = 9, .kind = pk_actuator_kind_find("sea"), .parameters = &knee}};
 *   pk_actuation *drives;
 *   pk_actuation_create(model, list, 1, NULL, &drives, &err);
 *   pk_sim_options o = pk_sim_options_default();
 *   o.actuation = drives;
 *   pk_sim_create(model, &o, &sim, &err);
 *
 * Without actuators a joint is a source of pure force: that of its command (pk_command). An actuator takes that
 * command for what is asked of it, and makes what it can: its force depends on what it remembers (currents, the
 * angle and the speed of a rotor behind a spring, pressures, temperatures) and on how fast the joint moves at the
 * end of the step.
 *
 * Strong coupling, one solve. In the schemes euler and moreau an actuator is condensed at the start of a step
 * into its force law, a function of the joint's velocity u at the end of the step that never rises (pk_force_law).
 * The line of the law that holds joins the mass matrix, and where it meets a limit, a row of the contact problem
 * finds which side of the limit holds, together with all contacts. With the velocity at the end the actuator then
 * finishes its own states. So no inductance, spring or gain asks for a small step, and limits are never exceeded:
 * nothing is clipped afterwards. In rk4 and the adaptive schemes the states of an actuator are states of the same
 * system of differential equations.
 *
 * docs/theory/actuation.md derives the laws of all kinds, and tells how they are checked.
 *
 * Threads: a pk_actuation is read-only after it was made; sims and batches on several threads share it. */
#ifndef PRONK_ACTUATION_H
#define PRONK_ACTUATION_H

#include "control.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the force law ---- */

/* The force f of an actuator at the end of a step, N m or N, where the joint's velocity is u:
 *
 *   phi(s) = a - g u, kept within low_0 - g_0 u and high_0 - g_0 u, then within low_1 - g_1 u and high_1 - g_1 u,
 *            each line raised by s times its own entry of `rub`
 *   f      = phi(-1) or phi(+1) or hold - hold_slope u, the one between the other two
 *
 * a - g u is what it would do without limits. The pairs low, high are its limits: the first are often those of
 * current, the second, which have the last word, those of voltage. With rub zero phi(-1) and phi(+1) are the same, and `hold` has no effect;
 * it is for dry friction inside of the actuator (at the rotor of a motor behind a spring), where it is the law
 * while the rotor stands still. No slope is negative. */
typedef struct pk_force_law {
  /* N m or N, and N m s/rad or N s/m: the line without limits. */
  double a;
  double g;
  /* N m or N, limits; -INFINITY and INFINITY: none. */
  double low[2];
  double high[2];
  /* Slopes of the limits. */
  double slope[2];
  /* The line while what is inside stands still. */
  double hold;
  double hold_slope;
  /* Dry friction inside as it reaches the joint: on the line without limits, and on each pair of limits. */
  double rub[3];
  /* N m or N, dry friction on the joint itself, beside the model's: a rigid gear's. */
  double friction;
} pk_force_law;

/* A law without limits and friction, f = 0. */
PK_API pk_force_law pk_force_law_none(void);

/* f(u). */
PK_API double pk_force_law_at(const pk_force_law *law, double u);

/* ---- energy ---- */

/* J: where the energy of an actuator came from and went, in a step or in a run. All that comes in goes out again:
 *
 *   electrical + other = joule + viscous + rotor_friction + spring_damping + gear    lost as heat
 *                      + magnetic + rotor + spring                                   stored
 *                      + mechanical                                                  done on the joint
 *                      + scheme                                                      lost in the discrete step
 *
 * to rounding (pk_actuator_flow_residual), in the schemes euler and moreau; docs/theory/energy.md derives each term. In smooth
 * schemes (rk4 and the adaptive ones) powers are those of the ends of the step, and `scheme` is whatever is left. */
typedef struct pk_actuator_flow {
  /* Voltage times current of a motor; negative: it generates. */
  double electrical;
  /* Of it, what was negative in a step, as a positive number; no term of its own in the sum. */
  double regenerated;
  /* What came in otherwise: the work of sources that are no motors ("torque", "servo", "hydraulic", a user's own), and of what
   * moves a pretension. */
  double other;
  /* Heat of the winding, with its resistance at the temperature of the start of each step. */
  double joule;
  /* Heat of viscous friction at the rotor. */
  double viscous;
  /* Heat of dry friction at the rotor; behind a rigid gear it is in `gear`. */
  double rotor_friction;
  /* Heat of the spring's damper. */
  double spring_damping;
  /* Heat of the dry friction of gear and rotor on the joint; of the joint's own friction nothing. */
  double gear;
  /* Change of what the inductance holds. */
  double magnetic;
  /* Change of the kinetic energy of a rotor behind a spring. One behind a rigid gear is part of the joint's inertia. */
  double rotor;
  /* Change of what the spring holds, in series or in parallel. */
  double spring;
  /* Work on the joint, at the mean of its velocities at both ends of the step, without what `gear` took of it. */
  double mechanical;
  /* Numerical loss; a gain where it is negative. */
  double scheme;
} pk_actuator_flow;

/* J: what a battery did. given - lost + overdrawn = (electrical energy of all motors) + braked. */
typedef struct pk_battery_flow {
  /* Open voltage times current; negative: it was charged. */
  double given;
  /* Of it, what was negative in a step, as a positive number; no term of its own in the sum. */
  double taken_back;
  /* Heat in its resistance. */
  double lost;
  /* What motors generated and it could not take: heat of a brake. */
  double braked;
  /* What motors drew beyond the largest power that it has, open voltage^2 / (4 resistance); not to be had from a real one. */
  double overdrawn;
} pk_battery_flow;

/* ---- a kind of actuator ---- */

/* What an actuator sees at the start of a step. */
typedef struct pk_actuator_input {
  /* s, the step. */
  double dt;
  /* s, how long the velocity at the end still moves the coordinate: dt in euler, dt / 2 in moreau. With it the
   * coordinate at the end is x + reach u_end. */
  double reach;
  /* Part of the step's mean velocity that is the one at its end, the other part being that at the start: 1 in
   * euler, 1/2 in moreau. */
  double late;
  /* rad or m, the joint's coordinate: at the start in euler and in `rate`, half a step on in moreau. */
  double x;
  /* rad/s or m/s, the joint's velocity at the start of the step; in `rate` the present one. */
  double u;
  /* What is asked of it; tau_max without a limit is INFINITY. */
  pk_command command;
  /* V, of the bus that feeds it; INFINITY: there is no battery. */
  double bus;
} pk_actuator_input;

typedef struct pk_actuator_kind pk_actuator_kind;

/* A kind, which a user may write, too (docs/tutorials/actuator.md). Functions may be called by several threads, each
 * with the states of another world: they must write nothing but their results. */
struct pk_actuator_kind {
  /* For messages and columns; required. */
  const char *name;
  /* Bytes of its parameters, which pk_actuation_create copies. */
  size_t parameters_size;
  /* How many numbers it remembers in each world, at most 64, and their names and units, for recordings. */
  int nstate;
  const char *const *state_names;
  const char *const *state_units;
  /* Several may act on one joint, and beside one that is none of these: its law is a line without limits. */
  bool adds;
  /* What is wrong with parameters; NULL: anything goes. */
  pk_status (*validate)(const void *parameters, pk_error *err);
  /* kg m^2 or kg that it adds to the joint's inertia; NULL: nothing. */
  double (*inertia)(const void *parameters);
  /* The first states, zeros at first; NULL: zeros. They must not depend on the pose, which a user may set afterwards. */
  void (*reset)(const void *parameters, double *state);
  /* Its law in this step; required. `law` is pk_force_law_none at first. */
  void (*condense)(const void *parameters, const pk_actuator_input *in, const double *state,
                   pk_force_law *law);
  /* The joint's velocity at the end is u, the actuator's force was tau: the states at the end, in place.
   * NULL: nothing changes. */
  void (*finish)(const void *parameters, const pk_actuator_input *in, double u, double tau, double *state);
  /* Of smooth schemes: how the states change now [nstate]; the force comes back. NULL: those schemes refuse it. */
  double (*rate)(const void *parameters, const pk_actuator_input *in, const double *state, double *rates);
  /* Its energies in a step that ended with the velocity u, the force tau and the states `after`: *flow has its work on the joint
   * already, and `other` as its source; entries of its own join, and leave the sum zero. NULL: that is all. */
  void (*flow)(const void *parameters, const pk_actuator_input *in, const double *before, const double *after,
               double u, double tau, pk_actuator_flow *flow);
};

/* The kinds that come with Pronk, by name: "torque", "servo", "dc", "sea", "parallel-spring", "hydraulic"; NULL:
 * there is none of that name. */
PK_API const pk_actuator_kind *pk_actuator_kind_find(const char *name);

/* Their names, one by one; NULL: no more. */
PK_API const char *pk_actuator_kind_name(int index);

/* ---- parameters of the kinds ---- */

/* "torque": the force of the command, within limits. */
typedef struct pk_torque_parameters {
  /* N m or N, largest force; 0: no limit but the command's. Default 0. */
  double limit;
  /* rad/s or m/s, speed at which the limit has fallen to zero in the direction of motion, from `full_speed` on; 0:
   * it does not fall. Default 0. */
  double no_load_speed;
  /* rad/s or m/s, up to which the whole limit is there. Default 0. */
  double full_speed;
} pk_torque_parameters;

/* What a servo regulates. */
typedef enum pk_servo_mode {
  PK_SERVO_MODE_POSITION, /* the coordinate, to q_des */
  PK_SERVO_MODE_VELOCITY, /* the velocity, to u_des */
  PK_SERVO_MODE_TORQUE,   /* none: the command's force, as "torque" */
  PK_SERVO_MODE_COUNT
} pk_servo_mode;

/* "servo": PID with gains of its own, which stand in the place of the command's gains. The integral stops where the
 * force is at its limit. */
typedef struct pk_servo_parameters {
  /* Default PK_SERVO_MODE_POSITION. */
  pk_servo_mode mode;
  /* Gains on the error of what is regulated, on its integral, and on its rate (position: the velocity's error).
   * N m per rad, rad s and rad/s; in mode velocity N m per rad/s and rad, without kd. Default 0. */
  double kp;
  double ki;
  double kd;
  /* N m or N, largest force; 0: no limit but the command's. Default 0. */
  double limit;
} pk_servo_parameters;

/* How a motor is fed. */
typedef enum pk_motor_drive {
  /* a current loop: the command's force is asked of the motor as a current, within the voltage that there is */
  PK_MOTOR_DRIVE_CURRENT,
  /* a voltage: that which would make the command's force in a motor that stands still */
  PK_MOTOR_DRIVE_VOLTAGE,
  PK_MOTOR_DRIVE_COUNT
} pk_motor_drive;

/* Which side of the spring the gains of commands look at. */
typedef enum pk_motor_feedback {
  PK_MOTOR_FEEDBACK_JOINT,
  PK_MOTOR_FEEDBACK_MOTOR,
  PK_MOTOR_FEEDBACK_COUNT
} pk_motor_feedback;

/* "dc" and "sea": a motor with constant K = torque per ampere = volts per rad/s, behind a gear N; x is the joint's
 * coordinate, th = (rotor's angle) / N that of the rotor, w its velocity:
 *
 *   L di/dt + R i + K N w = V                              |V| <= voltage, |i| <= current
 *   N^2 J dw/dt + N^2 b w + (dry friction) + tau = N K i
 *   dc:   th = x
 *   sea:  tau = spring (e + stiffening e^3) + spring_damping (w - u),  e = th - x beyond the backlash
 *
 * A motor that data sheets describe by phases is entered as its equivalent: docs/theory/actuation.md. */
typedef struct pk_motor_parameters {
  /* Default PK_MOTOR_DRIVE_CURRENT. */
  pk_motor_drive drive;
  /* ohm, R at 25 degrees C; above 0. Default 1. */
  double resistance;
  /* H, L. Default 0. */
  double inductance;
  /* N m/A and V s/rad, K; above 0. Default 0.1. */
  double constant;
  /* kg m^2, J: rotor and what turns with it. Default 0. */
  double inertia;
  /* N m s/rad at the rotor, b. Default 0. */
  double damping;
  /* N m at the rotor, dry friction. Default 0. */
  double friction;
  /* N: turns of the rotor for one of the joint; rad/m for a slider; above 0. Default 1. */
  double gear;
  /* Of the gear when the motor drives: its dry friction is (1/efficiency - 1) times the torque at the joint. Above 0.5,
   * where it would lock. Default 1. */
  double efficiency;
  /* V, largest; 0: no limit. Default 0. */
  double voltage;
  /* A, largest; 0: no limit. Default 0. */
  double current;
  /* N m or N, largest force that a current loop asks for; 0: none but the current's. Default 0. */
  double limit;
  /* Hz, of the current loop; 0: it follows within a step. Default 0. */
  double bandwidth;
  /* rad, steps of the encoder that the gains of commands look through; 0: exact. Default 0. */
  double resolution;

  /* ---- heat; all 0: the motor stays at the temperature of the air ---- */

  /* K/W, from winding to housing, from housing to air. */
  double winding_resistance;
  double housing_resistance;
  /* J/K, of winding and housing. */
  double winding_capacity;
  double housing_capacity;
  /* degrees C, of the air and of the motor at the start. Default 25. */
  double ambient;
  /* degrees C, largest of the winding: the current's limit falls to zero over the last `derating` below it. 0: no
   * limit. Default 0. */
  double temperature;
  /* K. Default 25. */
  double derating;

  /* ---- "sea" alone ---- */

  /* N m/rad or N/m at the joint; above 0. */
  double spring;
  /* 1/rad^2 or 1/m^2: by how much it stiffens. Default 0. */
  double stiffening;
  /* N m s/rad or N s/m. Default 0. */
  double spring_damping;
  /* rad or m, play between gear and spring, from one side to the other. Default 0. */
  double backlash;
  /* Default PK_MOTOR_FEEDBACK_JOINT. */
  pk_motor_feedback feedback;
  /* Gain of a torque loop: the motor is asked for tau_d + torque_gain (tau_d - tau). Default 0. */
  double torque_gain;
} pk_motor_parameters;

/* "parallel-spring": a spring on a pulley of the joint that pulls one way, and is slack the other way:
 *
 *   tau = r (k (p - r x) + d (p' - r u))  where p - r x < 0, else 0
 *
 * p, its pretension, goes from `pretension` to the value that is asked for by `speed`. Its states are both: what is
 * asked for, and p; write the first (pk_sim_actuation) to command it. */
typedef struct pk_parallel_spring_parameters {
  /* m, r of the pulley; above 0 (1: of a joint's own angle). Default 1. */
  double radius;
  /* N/m, k, and N s/m, d. Default 0. */
  double stiffness;
  double damping;
  /* m, p at first. Default 0. */
  double pretension;
  /* m/s, how fast p may change; 0: at once. Default 0. */
  double speed;
  /* It pulls both ways. Default false. */
  bool both_ways;
} pk_parallel_spring_parameters;

/* "hydraulic": a cylinder on a lever, two chambers, and a valve between supply and tank. The cylinder spans the
 * triangle of the sides `side_a` and `side_b`, whose angle is `angle` + sign x; without sides it acts along the
 * coordinate itself. Defaults are those of HyQ's leg (Semini 2010, Ledezma 2016) with the valve Moog E024. */
typedef struct pk_hydraulic_parameters {
  /* m^2, areas of the piston: the side that pushes, and the one around the rod. */
  double area_a;
  double area_b;
  /* m, stroke; m^3, volumes at either end that the piston does not reach. */
  double stroke;
  double dead_a;
  double dead_b;
  /* Pa, supply, tank, bulk modulus of the oil. */
  double supply;
  double tank;
  double bulk;
  /* m^3/(s Pa) between the chambers. */
  double leakage;
  /* N s/m and N, friction of the piston. */
  double damping;
  double friction;
  /* m^3/s at rated_drop Pa over one edge, fully open. */
  double rated_flow;
  double rated_drop;
  /* Hz and 1, of the spool, second order. */
  double spool_frequency;
  double spool_damping;
  /* m, sides of the lever's triangle; rad, its angle at x = 0; +1 or -1: the angle's sign. 0 sides: none. */
  double side_a;
  double side_b;
  double angle;
  double sign;
  /* m, length of the cylinder with the piston all the way in; without a lever it is at mid-stroke for x = 0. */
  double retracted;
  /* 1/s, bandwidth of a loop that makes the command's force; 0: the command is the valve's opening. */
  double force_gain;
} pk_hydraulic_parameters;

/* Defaults, and the first value that is out of its range by name. */
PK_API pk_torque_parameters pk_torque_parameters_default(void);
PK_API pk_servo_parameters pk_servo_parameters_default(void);
PK_API pk_motor_parameters pk_motor_parameters_default(void);
PK_API pk_parallel_spring_parameters pk_parallel_spring_parameters_default(void);
PK_API pk_hydraulic_parameters pk_hydraulic_parameters_default(void);

/* The motor that a name of the catalogue ("maxon-re40"; `pronk list motors`) or the path of a file of the same form means.
 * PK_ERROR_UNSUPPORTED: only its torque-speed envelope is published. */
PK_API pk_status pk_motor_load(const char *name, pk_motor_parameters *out, pk_error *err);

/* ---- actuators of a robot ---- */

typedef struct pk_actuator {
  /* Velocity coordinate of the joint model (pk_sim_joint_model) that it drives. */
  int dof;
  const pk_actuator_kind *kind;
  /* parameters_size bytes, copied. */
  const void *parameters;
  /* For messages and columns; NULL: the joint's. */
  const char *name;
} pk_actuator;

/* A battery that feeds all motors of a world over one bus: V = open_voltage(charge) - resistance I. */
typedef struct pk_battery {
  /* V, when full and when empty, above 0; linear in between. */
  double full;
  double empty;
  /* ohm, inside. */
  double resistance;
  /* A s, of charge: when it is taken no current flows, and when it is whole nothing is taken back. 0: it does not run
   * down. */
  double capacity;
  /* W, most that it takes back; the rest goes into a brake. INFINITY: all. */
  double regeneration;
} pk_battery;

/* The actuators of a model in joint coordinates. battery NULL: a bus without a limit.
 * PK_ERROR_ARGUMENT: a coordinate that is none or belongs to a spherical or floating joint, two actuators with limits
 * on one coordinate, or parameters out of range. */
PK_API pk_status pk_actuation_create(const pk_model *joint_model, const pk_actuator *list, int count,
                                     const pk_battery *battery, pk_actuation **out, pk_error *err);
PK_API void pk_actuation_destroy(pk_actuation *actuation);

PK_API int pk_actuation_count(const pk_actuation *actuation);
PK_API pk_actuator pk_actuation_get(const pk_actuation *actuation, int index);

/* Numbers that all of them remember in a world, and where those of one begin. The battery's are the last three: V that motors can have in the next step, V of the
 * bus, A s that were taken. */
PK_API int pk_actuation_state_size(const pk_actuation *actuation);
PK_API int pk_actuation_state_at(const pk_actuation *actuation, int index);

/* One step, as its energies need it; pk_energy_meter (energy.h) fills it from a sim. Arrays [nu of the joint model]. */
typedef struct pk_flow_step {
  /* s. */
  double dt;
  /* As in pk_actuator_input: 1 in euler, 1/2 in moreau; 0: a smooth scheme. */
  double late;
  /* Forces are those of the velocities at the start (PK_IMPLICIT_FORCES_NONE). */
  bool explicit_forces;
  /* [pk_actuation_state_size] at the start. */
  const double *state_before;
  /* At the end. */
  const double *state;
  /* rad or m, coordinates of joints at the start. */
  const double *x;
  /* rad/s or m/s, their velocities at the start. */
  const double *u_before;
  /* At the end. */
  const double *u;
  /* N m or N, forces of actuators in the step before, which smooth schemes alone need; NULL: none. */
  const double *tau_before;
  /* In the step. */
  const double *tau;
  /* N m s or N s, impulses of dry friction on joints; NULL: none. */
  const double *friction;
  /* N m or N, the joint's own dry friction, beside that of its actuator; NULL: none. */
  const double *own_friction;
  /* What is asked of actuators; NULL: nothing. */
  const pk_command *commands;
  /* Constants of the motors of this world; NULL: those of their parameters. */
  const double *motors;
} pk_flow_step;

/* Energies of a step: of each actuator [pk_actuation_count], and of the battery; NULL: not that. */
PK_API void pk_actuation_flow(const pk_actuation *actuation, const pk_flow_step *step, pk_actuator_flow *flow,
                              pk_battery_flow *battery);

/* One more of them. */
PK_API void pk_actuator_flow_add(pk_actuator_flow *sum, const pk_actuator_flow *more);
PK_API void pk_battery_flow_add(pk_battery_flow *sum, const pk_battery_flow *more);

/* J that came in and are nowhere: zero but for rounding. */
PK_API double pk_actuator_flow_residual(const pk_actuator_flow *flow);
/* Likewise of a battery whose motors took so much. */
PK_API double pk_battery_flow_residual(const pk_battery_flow *flow, double electrical);

#ifdef __cplusplus
}
#endif
#endif
