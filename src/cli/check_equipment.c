/* What `pronk check` says of a scenario's actuators, battery, sensors and estimator. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actuation/actuation.h"
#include "cli/cmd_check.h"
#include "model/joint_type.h"
#include "scenario/motor_line.h"
#include "sense/sensing.h"
#include "step/world.h"

/* ---- actuators ---- */

/* At the joint; NAN: no such limit, or it has no such number. */
typedef struct abilities {
  double torque, speed, inertia, spring;
} abilities;

/* The largest torque of a motor, with the voltage of a full battery where that is the lesser. */
static abilities motor_abilities(const pki_scenario *s, const pki_scenario_actuator *a)
{
  pki_motor_entry m = {.kind = PKI_MOTOR_KIND_DC};
  memcpy(&m.motor, a->parameters, sizeof m.motor);
  pk_motor_parameters *p = &m.motor;
  if (s->has_battery) {
    p->voltage = p->voltage > 0 ? fmin(p->voltage, s->battery.full) : s->battery.full;
  }
  const pki_motor_line line = pki_motor_line_of(&m);
  return (abilities){.torque = fmin(line.peak_torque, p->limit > 0 ? p->limit : NAN), /* passes over NAN */
                     .speed = line.no_load_speed,
                     .inertia = a->armature + p->gear * p->gear * p->inertia,
                     .spring = p->spring > 0 ? p->spring : NAN};
}

static abilities find_abilities(const pki_scenario *s, const pki_scenario_actuator *a)
{
  abilities found = {NAN, NAN, a->armature, NAN};
  if (pki_is_motor(&a->row->kind)) {
    found = motor_abilities(s, a);
  } else if (strcmp(a->row->kind.name, "torque") == 0) {
    const pk_torque_parameters *p = a->parameters;
    found.torque = p->limit > 0 ? p->limit : NAN;
    found.speed = p->no_load_speed > 0 ? p->no_load_speed : NAN;
  } else if (strcmp(a->row->kind.name, "servo") == 0) {
    const pk_servo_parameters *p = a->parameters;
    found.torque = p->limit > 0 ? p->limit : NAN;
  }
  found.inertia = found.inertia > 0 ? found.inertia : NAN;
  return found;
}

static void print_number(const char *format, double value, const char *unit, int *shown)
{
  if (!isnan(value)) {
    printf("%s", (*shown)++ == 0 ? ": " : ", ");
    printf(format, value, unit);
  }
}

/* "  actuators   *_KFE: effort 20" */
static void print_changes(const pki_scenario_actuator *a)
{
  const char *before = ": ";
  printf("  actuators   %s", a->joints);
  for (const pki_node *n = a->node->first; n != NULL; n = n->next) {
    if (n->kind == PKI_NODE_SCALAR && strcmp(n->key, "joints") != 0) {
      printf("%s%s %s", before, n->key, n->text);
      before = ", ";
    }
  }
  putchar('\n');
}

/* "  actuators   dc on 8 joints (*_H*), motor maxon-ec-4pole-30: up to 34.6 N m, ..." */
static void print_actuator(const pki_scenario *s, const pki_world *w, int entry)
{
  const pki_scenario_actuator *a = &s->actuators[entry];
  int first, shown = 0;
  if (a->row == NULL) {
    print_changes(a);
    return;
  }
  const int count = pki_world_entry_actuators(w, entry, &first);
  const pk_model *m = pki_joint_model(w->model);
  const int dof = count > 0 && w->actuation != NULL ? pk_actuation_get(w->actuation, first).dof : -1;
  const bool slides = dof >= 0 && pki_joint_is_length(m->joints[m->dof_joint[dof]].kind, 0);
  const abilities can = find_abilities(s, a);
  printf("  actuators   %s on %d joint%s (%s)", a->row->kind.name, count, count == 1 ? "" : "s", a->joints);
  if (a->motor[0] != '\0') {
    printf(", motor %s", a->motor);
  }
  print_number("up to %.4g %s", can.torque, slides ? "N" : "N m", &shown);
  print_number("%.4g %s without load", can.speed, slides ? "m/s" : "rad/s", &shown);
  print_number("%.3g %s of rotor and gear at the joint", can.inertia, slides ? "kg" : "kg m^2", &shown);
  print_number("behind a spring of %.4g %s", can.spring, slides ? "N/m" : "N m/rad", &shown);
  putchar('\n');
}

static void print_battery(const pk_battery *b)
{
  printf("  battery     %g V full, %g V empty, %g ohm, ", b->full, b->empty, b->resistance);
  if (b->capacity > 0) {
    printf("%g A s", b->capacity);
  } else {
    printf("never empty");
  }
  if (isfinite(b->regeneration)) {
    printf(", takes back %g W", b->regeneration);
  }
  putchar('\n');
}

/* ---- sensors ---- */

/* "  sensors     imu on base, part bmi088, 1600 Hz, 0.0025 s late" */
static void print_sensor(const pki_scenario_sensor *sensor)
{
  const pk_sensor_part *p = &sensor->as.part;
  const char *of = sensor->joints[0] != '\0'  ? sensor->joints
                   : sensor->links[0] != '\0' ? sensor->links
                                              : sensor->site;
  printf("  sensors     %s on %s", pki_sensing_kinds[sensor->kind]->name, of);
  if (sensor->part[0] != '\0') {
    printf(", part %s", sensor->part);
  }
  if (p->rate > 0) {
    printf(", %g Hz", p->rate);
  }
  if (p->latency > 0) {
    printf(", %g s late", p->latency);
  }
  putchar('\n');
}

void pki_check_print_equipment(const pki_scenario *s, const pki_world *w)
{
  for (int i = 0; i < s->nactuator; i++) {
    print_actuator(s, w, i);
  }
  if (s->has_battery) {
    print_battery(&s->battery);
  }
  for (int i = 0; i < s->nsensor; i++) {
    print_sensor(&s->sensors[i]);
  }
  if (w->sensing != NULL) {
    const int count = pk_sensing_count(w->sensing), values = pk_sensing_values(w->sensing);
    printf("  sensors     %d with %d number%s; the controller sees %s\n", count, values,
           values == 1 ? "" : "s", s->step.sees == PK_SEES_SENSORS ? "them" : "the truth");
  }
  if (w->estimator != NULL) {
    printf("  estimator   %s: pose and velocity of the trunk, from imu, encoders and switches\n",
           w->estimator->name);
  }
}
