#include "scenario/motor_line.h"

#include <math.h>

/* 1/K, of copper: the resistance of a winding of temperature T is 1 + COPPER (T - REFERENCE) times that of the file. */
static const double COPPER = 0.00393, REFERENCE = 25;

/* The quotient; NAN where either is unknown, that is 0. */
static double ratio(double a, double b)
{
  return a > 0 && b > 0 ? a / b : NAN;
}

/* The product, in the same way. */
static double product(double a, double b)
{
  return a > 0 && b > 0 ? a * b : NAN;
}

/* N m of output torque for an ampere. */
static double torque_per_ampere(const pk_motor_parameters *p)
{
  return p->efficiency * p->gear * p->constant;
}

/* Largest of torque(u) u: in the middle of the voltage's line, or where the limit of current meets it. */
static double largest_power(const pk_motor_parameters *p)
{
  if (!(p->voltage > 0)) {
    return NAN;
  }
  const double middle = p->voltage / (2 * p->resistance);
  const double i = p->current > 0 && p->current < middle ? p->current : middle;
  return p->efficiency * i * (p->voltage - p->resistance * i);
}

/* i^2 R (1 + COPPER (T - REFERENCE)) (winding_resistance + housing_resistance) = T - ambient. */
double pki_motor_heat_current(const pk_motor_parameters *p, double ambient)
{
  const double resistance = p->winding_resistance + p->housing_resistance;
  const double hot = p->resistance * (1 + COPPER * (p->temperature - REFERENCE));
  return p->temperature > 0 && resistance > 0 ? sqrt(fmax(p->temperature - ambient, 0) / (resistance * hot))
                                              : NAN;
}

static pki_motor_line line_of_dc(const pki_motor_entry *m)
{
  const pk_motor_parameters *p = &m->motor;
  const double k = torque_per_ampere(p);
  pki_motor_line l = {
      .no_load_speed = ratio(p->voltage, p->constant * p->gear),
      .stall_torque = k * ratio(p->voltage, p->resistance),
      .current_torque = product(k, p->current),
      .full_speed = NAN,
      .power = largest_power(p),
      .continuous_torque = product(k, m->continuous_current),
      .heat_current = pki_motor_heat_current(p, p->ambient),
      .armature = m->armature,
      .electrical_time = ratio(p->inductance, p->resistance),
      .mechanical_time = ratio(p->inertia * p->resistance, p->constant * p->constant),
      .winding_time = product(p->winding_resistance, p->winding_capacity),
      .housing_time = product(p->housing_resistance, p->housing_capacity),
  };
  l.heat_torque = k * l.heat_current;
  l.peak_torque = fmin(l.stall_torque, l.current_torque); /* the other where one is NAN */
  if (p->voltage > 0) {
    const double left = p->voltage - (p->current > 0 ? p->current : INFINITY) * p->resistance;
    l.full_speed = left > 0 ? left / (p->constant * p->gear) : 0;
  }
  return l;
}

static pki_motor_line line_of_torque(const pki_motor_entry *m)
{
  const pk_torque_parameters *p = &m->torque;
  const bool falls = p->no_load_speed > 0;
  pki_motor_line l = {
      .no_load_speed = falls ? p->no_load_speed : NAN,
      .stall_torque = NAN,
      .current_torque = NAN,
      .peak_torque = p->limit,
      .full_speed = falls ? p->full_speed : NAN,
      .power = NAN,
      .continuous_torque = NAN,
      .heat_current = NAN,
      .heat_torque = NAN,
      .armature = m->armature > 0 ? m->armature : NAN,
      .electrical_time = NAN,
      .mechanical_time = NAN,
      .winding_time = NAN,
      .housing_time = NAN,
  };
  if (falls) {
    /* limit (no_load - u) / (no_load - full) u is largest in the middle, or where the fall begins. */
    const double u = fmax(p->no_load_speed / 2, p->full_speed);
    l.power = p->limit * u * (p->no_load_speed - u) / (p->no_load_speed - p->full_speed);
  }
  return l;
}

pki_motor_line pki_motor_line_of(const pki_motor_entry *motor)
{
  return motor->kind == PKI_MOTOR_KIND_DC ? line_of_dc(motor) : line_of_torque(motor);
}

double pki_motor_voltage_line_at(const pki_motor_entry *motor, double u)
{
  if (motor->kind == PKI_MOTOR_KIND_DC) {
    const pk_motor_parameters *p = &motor->motor;
    const double i = (p->voltage - p->constant * p->gear * u) / p->resistance;
    return p->voltage > 0 ? torque_per_ampere(p) * fmax(i, 0) : INFINITY;
  }
  const pk_torque_parameters *p = &motor->torque;
  const double fall = p->no_load_speed - p->full_speed;
  return p->no_load_speed > 0 ? p->limit * fmax((p->no_load_speed - u) / fall, 0) : INFINITY;
}

double pki_motor_line_at(const pki_motor_entry *motor, double u)
{
  const double current = motor->kind == PKI_MOTOR_KIND_TORQUE ? motor->torque.limit
                         : motor->motor.current > 0 ? torque_per_ampere(&motor->motor) * motor->motor.current
                                                    : INFINITY;
  return fmin(current, pki_motor_voltage_line_at(motor, u));
}
