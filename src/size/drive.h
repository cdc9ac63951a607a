/* A drive: a motor behind a gear on a voltage, and what a duty asks of it.
 *
 * At the rotor, with N, e and J_g of the gear, J, b and c of the motor, and the joint's speed w, acceleration a and torque T:
 *
 *   speed   N w
 *   torque  (J + J_g) N a + b N w + c sign(w) + T/(N e)    where T w >= 0: the motor drives
 *                                        ... + e T/N       where T w < 0: it is driven back
 *   current i = torque/K, voltage R i + K N w, power in = voltage times current
 *
 * docs/theory/sizing.md derives it. */
#ifndef PKI_SIZE_DRIVE_H
#define PKI_SIZE_DRIVE_H

#include "scenario/gear_entry.h"
#include "scenario/motor_file.h"
#include "size/duty.h"

typedef struct pki_drive {
  const pki_motor_entry *motor; /* of the kind dc */
  pki_gear gear;                /* behind a bare motor; that of the motor itself where it has one */
  double voltage;               /* V of the bus; 0: no limit */
} pki_drive;

/* A motor as it is sold, or with a gear and a voltage of its own; gear NULL: the motor's. */
pki_drive pki_drive_of(const pki_motor_entry *motor, const pki_gear *gear, double voltage);

/* V at the motor: of a bus a three-phase controller gives a DC motor's equivalent 0.866 at most; 0: no limit. */
double pki_drive_volts(const pki_drive *drive);

/* What a joint's sample is at the rotor. */
typedef struct pki_rotor_point {
  double speed;  /* rad/s */
  double torque; /* N m, by the current */
} pki_rotor_point;
pki_rotor_point pki_drive_at(const pki_drive *drive, double w, double a, double T);

/* N m at the rotor: what it can do for long, where its sheet is silent by its heat in air of `ambient` degrees C (NAN: that of the motor's file),
 * and for a short time; NAN: not known, or no limit. */
double pki_drive_continuous(const pki_drive *drive, double ambient);
double pki_drive_peak(const pki_drive *drive);

/* rad/s of the rotor, largest by its own bearings and the gear's; NAN: no limit. */
double pki_drive_fastest(const pki_drive *drive);

/* kg, EUR: motor and gear together; NAN: the motor's is not known. A gear whose own is not known counts as nothing. */
double pki_drive_mass(const pki_drive *drive);
double pki_drive_price(const pki_drive *drive);

/* kg m^2: inertia of rotor and gear at the joint. */
double pki_drive_armature(const pki_drive *drive);

/* The drive as parameters of an actuator "dc". */
pk_motor_parameters pki_drive_parameters(const pki_drive *drive);

/* "maxon-re40, 66:1, 42 V" */
void pki_drive_words(const pki_drive *drive, char *out, size_t size);

#endif
