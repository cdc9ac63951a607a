/* Channels of actuators: what they remember, their power, where their energy goes. */
#include <string.h>

#include "run/channel_columns.h"

static const pk_actuation *actuation_of(const pki_channel_reader *t)
{
  return pki_watch_actuation(t->watch);
}

/* Where the state of that name is among those of actuator i; -1: it has none. */
static int find_state(const pk_actuation *a, int i, const char *name)
{
  const pk_actuator_kind *kind = pk_actuation_get(a, i).kind;
  for (int k = 0; k < kind->nstate && kind->state_names != NULL; k++) {
    if (strcmp(kind->state_names[k], name) == 0) {
      return pk_actuation_state_at(a, i) + k;
    }
  }
  return -1;
}

/* Motors behind a rigid gear have a place for the spring's deflection, too, which stays zero. */
static bool tells(const pk_actuation *a, int i, const char *name)
{
  const bool rigid = pk_actuation_get(a, i).kind == pk_actuator_kind_find("dc");
  return find_state(a, i, name) >= 0 && !(rigid && strcmp(name, "spring_deflection") == 0);
}

/* Column names differ: an actuator beside another of its joint has its kind's name in its own. */
static void add_actuator_column(pki_channel_reader *t, int channel, const char *unit, int i)
{
  const pk_actuation *a = actuation_of(t);
  const pk_actuator one = pk_actuation_get(a, i);
  bool again = false;
  for (int k = 0; k < i; k++) {
    again = again || strcmp(pk_actuation_get(a, k).name, one.name) == 0;
  }
  if (again) {
    pki_add_column(t, channel, unit, "%s.%s", one.name, one.kind->name);
  } else {
    pki_add_column(t, channel, unit, "%s", one.name);
  }
}

/* The unit of a state; of a slider's it is a length. */
static const char *unit_of(const pki_channel_reader *t, const pk_actuator *a, int state)
{
  const char *unit = a->kind->state_units != NULL ? a->kind->state_units[state] : "";
  const bool length = pki_is_length(t->watch->model, a->dof);
  return length && strcmp(unit, "rad") == 0 ? "m" : length && strcmp(unit, "rad/s") == 0 ? "m/s" : unit;
}

void pki_describe_actuator_state(pki_channel_reader *t, int channel)
{
  const pk_actuation *a = actuation_of(t);
  const char *name = t->row[channel]->state;
  for (int i = 0; a != NULL && i < pk_actuation_count(a); i++) {
    if (tells(a, i, name)) {
      const pk_actuator one = pk_actuation_get(a, i);
      const int at = find_state(a, i, name) - pk_actuation_state_at(a, i);
      add_actuator_column(t, channel, unit_of(t, &one, at), i);
    }
  }
}

int pki_read_actuator_state(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  const pk_actuation *a = actuation_of(t);
  const char *name = t->row[t->reading]->state;
  const double *state = pk_sim_actuation(t->watch->world->sim);
  for (int i = 0; i < pk_actuation_count(a); i++) {
    if (tells(a, i, name)) {
      *out++ = state[find_state(a, i, name)];
    }
  }
  return 1;
}

void pki_describe_actuator_energy(pki_channel_reader *t, int channel)
{
  const pk_actuation *a = actuation_of(t);
  for (int i = 0; a != NULL && i < pk_actuation_count(a); i++) {
    add_actuator_column(t, channel, "J", i);
  }
}

int pki_read_actuator_energy(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  const pk_actuator_flow *flows = pk_energy_meter_flows(t->watch->meter);
  for (int i = 0; i < pk_actuation_count(actuation_of(t)); i++) {
    memcpy(&out[i], (const char *)&flows[i] + t->row[t->reading]->flow, sizeof *out);
  }
  return 1;
}

/* ---- all of them ---- */

static double friction_of(const pk_actuator_flow *f)
{
  return f->viscous + f->rotor_friction + f->spring_damping + f->gear;
}

void pki_describe_power(pki_channel_reader *t, int channel)
{
  static const char *const names[] = {"electrical", "other", "joule", "friction", "mechanical"};
  for (size_t i = 0; actuation_of(t) != NULL && i < sizeof names / sizeof names[0]; i++) {
    pki_add_column(t, channel, "W", "%s", names[i]);
  }
}

int pki_read_power(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  const double per_second = 1 / t->watch->world->scenario->step.dt;
  const pk_actuator_flow *last = pk_energy_meter_last(t->watch->meter);
  pk_actuator_flow f = {0};
  for (int i = 0; i < pk_actuation_count(actuation_of(t)); i++) {
    pk_actuator_flow_add(&f, &last[i]);
  }
  const double values[] = {f.electrical, f.other, f.joule, friction_of(&f), f.mechanical};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    out[i] = values[i] * per_second;
  }
  return 1;
}

void pki_describe_flow(pki_channel_reader *t, int channel)
{
  static const char *const names[] = {"electrical",     "regenerated",    "other",    "joule",    "viscous",
                                      "rotor_friction", "spring_damping", "gear",     "magnetic", "rotor",
                                      "spring",         "mechanical",     "numerical"};
  _Static_assert(sizeof names / sizeof names[0] == sizeof(pk_actuator_flow) / sizeof(double), "one each");
  for (size_t i = 0; actuation_of(t) != NULL && i < sizeof names / sizeof names[0]; i++) {
    pki_add_column(t, channel, "J", "%s", names[i]);
  }
}

int pki_read_flow(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  const pk_actuator_flow f = pk_energy_meter_sum(t->watch->meter);
  memcpy(out, &f, sizeof f);
  return 1;
}

void pki_describe_battery(pki_channel_reader *t, int channel)
{
  static const char *const columns[][2] = {{"voltage", "V"}, {"charge", "A s"},   {"power", "W"},
                                           {"given", "J"},   {"taken_back", "J"}, {"lost", "J"},
                                           {"braked", "J"},  {"overdrawn", "J"}};
  const pk_actuation *a = actuation_of(t);
  for (size_t i = 0; a != NULL && pki_watch_has_battery(t->watch) && i < sizeof columns / sizeof columns[0];
       i++) {
    pki_add_column(t, channel, columns[i][1], "%s", columns[i][0]);
  }
}

int pki_read_battery(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  const pk_actuation *a = actuation_of(t);
  const double *bus = pk_sim_actuation(t->watch->world->sim) + pk_actuation_state_size(a) - 2;
  const pk_actuator_flow *last = pk_energy_meter_last(t->watch->meter);
  double electrical = 0;
  for (int i = 0; i < pk_actuation_count(a); i++) {
    electrical += last[i].electrical;
  }
  out[0] = bus[0], out[1] = bus[1], out[2] = electrical / t->watch->world->scenario->step.dt;
  memcpy(out + 3, pk_energy_meter_battery(t->watch->meter), sizeof(pk_battery_flow));
  return 1;
}
