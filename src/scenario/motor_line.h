/* What follows from the numbers of a motor: its torque-speed line, its time constants, how long it can. */
#ifndef PKI_SCENARIO_MOTOR_LINE_H
#define PKI_SCENARIO_MOTOR_LINE_H

#include "scenario/motor_file.h"

/* At the output, in a driving motor at 25 degrees C whose own friction is left out; NAN: does not follow, for lack of
 * a number. With R, K, L, J of the motor, its gear N and efficiency e:
 *
 *   torque(u) = e N K min(current, (voltage - K N u) / R) */
typedef struct pki_motor_line {
  double no_load_speed;     /* rad/s: voltage / (K N) */
  double stall_torque;      /* N m: e N K voltage / R */
  double current_torque;    /* N m: e N K current */
  double peak_torque;       /* N m: the smaller of the two */
  double full_speed;        /* rad/s, up to which there is that torque */
  double power;             /* W, largest mechanical */
  double continuous_torque; /* N m: e N K continuous_current */
  double heat_current;      /* A, that keeps the winding at its largest temperature for ever */
  double heat_torque;       /* N m: e N K heat_current */
  double armature;          /* kg m^2: N^2 J */
  double electrical_time;   /* s: L / R */
  double mechanical_time;   /* s: J R / K^2 */
  double winding_time;      /* s: thermal, of the winding */
  double housing_time;      /* s: thermal, of the housing */
} pki_motor_line;

pki_motor_line pki_motor_line_of(const pki_motor_entry *motor);

/* A, that keeps a winding at its largest temperature for ever in air of `ambient` degrees C, 0 in air that is warmer; NAN: not known. */
double pki_motor_heat_current(const pk_motor_parameters *p, double ambient);

/* N m, largest torque at speed u >= 0 in its direction; INFINITY: nothing limits it. */
double pki_motor_line_at(const pki_motor_entry *motor, double u);

/* N m, the same by voltage alone; INFINITY: nothing limits it. */
double pki_motor_voltage_line_at(const pki_motor_entry *motor, double u);

#endif
