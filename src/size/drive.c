#include "size/drive.h"

#include <math.h>
#include <stdio.h>

#include "scenario/motor_line.h"

pki_drive pki_drive_of(const pki_motor_entry *motor, const pki_gear *gear, double voltage)
{
  const double own = motor->bus > 0 ? motor->bus : motor->motor.voltage;
  pki_drive d = {.motor = motor, .voltage = voltage > 0 ? voltage : own};
  if (gear != NULL) {
    d.gear = *gear;
  } else {
    d.gear = pki_gear_of_ratio(motor->motor.gear);
    d.gear.efficiency = motor->motor.efficiency;
    snprintf(d.gear.name, sizeof d.gear.name, "%g:1", motor->motor.gear);
  }
  return d;
}

double pki_drive_volts(const pki_drive *drive)
{
  const pki_motor_entry *m = drive->motor;
  return m->bus > 0 ? drive->voltage * m->motor.voltage / m->bus : drive->voltage;
}

/* A motor that is sold with its gear has mass and price of both. */
static bool has_own_gear(const pki_drive *d)
{
  return d->motor->motor.gear != 1;
}

pki_rotor_point pki_drive_at(const pki_drive *drive, double w, double a, double T)
{
  const pk_motor_parameters *m = &drive->motor->motor;
  const double N = drive->gear.ratio, e = drive->gear.efficiency, speed = N * w;
  const double dry = w > 0 ? m->friction : w < 0 ? -m->friction : 0;
  const double load = T * w < 0 ? e * T / N : T / (N * e);
  return (pki_rotor_point){
      .speed = speed, .torque = (m->inertia + drive->gear.inertia) * N * a + m->damping * speed + dry + load};
}

double pki_drive_continuous(const pki_drive *drive, double ambient)
{
  const pki_motor_entry *m = drive->motor;
  const double air = isnan(ambient) ? m->motor.ambient : ambient;
  return m->motor.constant *
         (m->continuous_current > 0 ? m->continuous_current : pki_motor_heat_current(&m->motor, air));
}

double pki_drive_peak(const pki_drive *drive)
{
  const pk_motor_parameters *m = &drive->motor->motor;
  return m->current > 0 ? m->constant * m->current : NAN;
}

double pki_drive_fastest(const pki_drive *drive)
{
  const double motor = drive->motor->speed, gear = drive->gear.speed;
  return fmin(motor > 0 ? motor : NAN, gear > 0 ? gear : NAN); /* the other where one is NAN */
}

/* The motor's and the gear's, which counts as nothing where it is not known. */
static double both(const pki_drive *d, double motor, double gear)
{
  return motor > 0 ? motor + (has_own_gear(d) ? 0 : gear) : NAN;
}

double pki_drive_mass(const pki_drive *drive)
{
  return both(drive, drive->motor->mass, drive->gear.mass);
}

double pki_drive_price(const pki_drive *drive)
{
  return both(drive, drive->motor->price, drive->gear.price);
}

double pki_drive_armature(const pki_drive *drive)
{
  return drive->gear.ratio * drive->gear.ratio * (drive->motor->motor.inertia + drive->gear.inertia);
}

pk_motor_parameters pki_drive_parameters(const pki_drive *drive)
{
  pk_motor_parameters p = drive->motor->motor;
  p.gear = drive->gear.ratio;
  p.efficiency = drive->gear.efficiency;
  p.inertia += drive->gear.inertia;
  p.voltage = pki_drive_volts(drive);
  return p;
}

void pki_drive_words(const pki_drive *drive, char *out, size_t size)
{
  if (drive->voltage > 0) {
    snprintf(out, size, "%s, %.4g:1, %g V", drive->motor->id, drive->gear.ratio, drive->voltage);
  } else {
    snprintf(out, size, "%s, %.4g:1", drive->motor->id, drive->gear.ratio);
  }
}
