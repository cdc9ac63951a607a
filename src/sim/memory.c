#include "sim/memory.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "collision/ground/terrain.h"
#include "sense/sensing.h"
#include "sim/parameters.h"
#include "sim/sim_sense.h"
#include "step/joints.h"

/* ---- how many ---- */

static size_t joints_of(const pk_model *m)
{
  return (size_t)pki_joint_model(m)->nu;
}

static size_t of_q(const pk_model *m, const pk_sim_options *o)
{
  return (void)o, (size_t)m->nq;
}

static size_t of_u(const pk_model *m, const pk_sim_options *o)
{
  return (void)o, (size_t)m->nu;
}

/* Schemes of order one carry nothing. */
static size_t of_carry(const pk_model *m, const pk_sim_options *o)
{
  return pki_steppers[o->stepper]->contact ? 0 : (size_t)m->nu;
}

static size_t of_joints(const pk_model *m, const pk_sim_options *o)
{
  return (void)o, joints_of(m);
}

static size_t of_queue(const pk_model *m, const pk_sim_options *o)
{
  return (size_t)pki_latency_room(o) * joints_of(m);
}

static size_t of_actuation(const pk_model *m, const pk_sim_options *o)
{
  return (void)m, o->actuation != NULL ? (size_t)o->actuation->nstate : 0;
}

static size_t of_motors(const pk_model *m, const pk_sim_options *o)
{
  return (void)m, o->actuation != NULL ? (size_t)o->actuation->nmotor * PKI_MOTOR_CONSTANTS : 0;
}

static size_t of_pushes(const pk_model *m, const pk_sim_options *o)
{
  return (void)o, 6 * (size_t)m->nbody;
}

static size_t of_drives(const pk_model *m, const pk_sim_options *o)
{
  return (void)o, (size_t)m->ndrive;
}

static size_t of_contacts(const pk_model *m, const pk_sim_options *o)
{
  return (void)m, (size_t)o->max_contacts;
}

static size_t of_joint_rows(const pk_model *m, const pk_sim_options *o)
{
  return (void)o, PKI_JOINT_ROWS * joints_of(m);
}

static size_t of_bilateral(const pk_model *m, const pk_sim_options *o)
{
  return (void)o, (size_t)m->nbilateral;
}

static size_t of_springs(const pk_model *m, const pk_sim_options *o)
{
  return (void)m, pki_laws[o->law]->force != NULL ? (size_t)o->max_contacts : 0;
}

static size_t of_inertia(const pk_model *m, const pk_sim_options *o)
{
  return (void)o, 10 * (size_t)m->nbody;
}

/* Only a model's own code reads them. */
static size_t of_grouped(const pk_model *m, const pk_sim_options *o)
{
  return o->code != NULL ? 10 * (size_t)m->nbody : 0;
}

static size_t of_readings(const pk_model *m, const pk_sim_options *o)
{
  return (void)m, o->sensing != NULL ? (size_t)pk_sensing_values(o->sensing) : 0;
}

static size_t of_sensing(const pk_model *m, const pk_sim_options *o)
{
  return (void)m, o->sensing != NULL ? pki_sensing_memory(o->sensing, o->dt) : 0;
}

static size_t of_sensed(const pk_model *m, const pk_sim_options *o)
{
  return o->sensing != NULL ? pki_sensed_size(m) : 0;
}

static size_t of_seen(const pk_model *m, const pk_sim_options *o)
{
  return o->sensing != NULL && o->sees == PK_SEES_SENSORS ? pki_seen_size(pki_joint_model(m)) : 0;
}

static size_t of_estimate(const pk_model *m, const pk_sim_options *o)
{
  const bool any = of_seen(m, o) > 0 && o->sensing->estimator != NULL;
  return any ? (size_t)o->sensing->estimator->nstate : 0;
}

/* ---- the first state ---- */

static void reset_q(pk_sim *sim)
{
  memcpy(sim->state.q, sim->model->q0, (size_t)sim->model->nq * sizeof *sim->state.q);
}

static void reset_commands(pk_sim *sim)
{
  for (int k = 0; k < sim->joints.n; k++) {
    sim->state.commands[k] = (pk_command){0};
  }
}

static void reset_actuation(pk_sim *sim)
{
  if (sim->options.actuation != NULL) {
    pki_actuation_reset(sim->options.actuation, sim->state.actuation);
  }
}

static void reset_queue(pk_sim *sim)
{
  for (int i = 0; i < sim->late_room * sim->joints.n; i++) {
    sim->state.queue[i] = (pk_command){0};
  }
}

/* ---- what bytes may hold ---- */

static const pki_where where = {.field = "state"};

static pk_status report_damaged_state(pk_error *err, const char *what)
{
  return pki_fail(err, PK_ERROR_SYNTAX, where, "this state is damaged: %s out of range", what);
}

/* Partners of a contact that this world knows. */
static pk_status check_partners(const pk_sim *sim, const int geom[2], pk_error *err)
{
  const pk_terrain *t = sim->scene.terrain;
  const pk_model_shape *shapes = sim->model->shapes;
  const int nshape = sim->model->nshape, solid = geom[1] >= 0 ? geom[1] - nshape : 0;
  if (geom[0] < 0 || geom[0] >= nshape || shapes[geom[0]].body < 0 || geom[1] < 0) {
    return report_damaged_state(err, "a contact is");
  }
  if (solid < 0) { /* two shapes of the model */
    return shapes[geom[1]].body != shapes[geom[0]].body ? PK_OK : report_damaged_state(err, "a contact is");
  }
  if (t == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "this state has contacts, but this world has no ground: set the terrain first");
  }
  return solid < t->nsolid
             ? PK_OK
             : pki_fail(err, PK_ERROR_ARGUMENT, where,
                        "this state touches solid %d of the ground, but this world's has %d (counted from 0)",
                        solid, t->nsolid);
}

static pk_status check_contact(const pk_sim *sim, const void *element, pk_error *err)
{
  pki_contact c;
  memcpy(&c, element, sizeof c);
  return check_partners(sim, c.geom, err);
}

static pk_status check_spring(const pk_sim *sim, const void *element, pk_error *err)
{
  pki_spring s;
  memcpy(&s, element, sizeof s);
  return s.slip != 0 && s.slip != 1 ? report_damaged_state(err, "a spring is")
                                    : check_partners(sim, s.geom, err);
}

/* A bool: 0 or 1. */
static pk_status check_sticks(const pk_sim *sim, const void *element, pk_error *err)
{
  (void)sim;
  return *(const unsigned char *)element > 1 ? report_damaged_state(err, "a contact is") : PK_OK;
}

static pk_status check_limited(const pk_sim *sim, const void *element, pk_error *err)
{
  (void)sim;
  return *(const unsigned char *)element > 1 ? report_damaged_state(err, "a torque limit is") : PK_OK;
}

static pk_status check_actuator_state(const pk_sim *sim, const void *element, pk_error *err)
{
  double number;
  (void)sim;
  memcpy(&number, element, sizeof number);
  return isfinite(number) ? PK_OK : report_damaged_state(err, "a number of an actuator is");
}

static pk_status check_waiting(const pk_sim *sim, const void *element, pk_error *err)
{
  pk_command c;
  (void)sim;
  memcpy(&c, element, sizeof c);
  return pki_check_command(&c) != PK_OK ? report_damaged_state(err, "a command on its way is") : PK_OK;
}

/* Bodies and materials of contacts are those of their partners. */
static void settle_contacts(pk_sim *sim)
{
  const pk_model *m = sim->model;
  for (int i = 0; i < sim->state.n.nlast; i++) {
    pki_contact *c = &sim->state.last[i];
    const int solid = c->geom[1] - m->nshape;
    c->body = m->shapes[c->geom[0]].body;
    c->other = solid < 0 ? m->shapes[c->geom[1]].body : -1;
    c->material = solid < 0 ? -1 : sim->scene.terrain->solids[solid].material;
  }
}

/* ---- the table ---- */

#define STATE(field) .at = offsetof(pk_sim, state.field), .size = sizeof *((pk_sim *)NULL)->state.field

const pki_memory_row pki_memory[PKI_MEMORY_ROWS] = {
    [PKI_MEMORY_Q] = {"q", STATE(q), .room = of_q, .reset = reset_q},
    [PKI_MEMORY_U] = {"u", STATE(u), .room = of_u},
    [PKI_MEMORY_CARRY_Q] = {"carry_q", STATE(carry_q), .room = of_carry},
    [PKI_MEMORY_CARRY_U] = {"carry_u", STATE(carry_u), .room = of_carry},
    [PKI_MEMORY_COMMANDS] = {"commands", STATE(commands), .room = of_joints, .reset = reset_commands},
    [PKI_MEMORY_QUEUE] = {"queue", STATE(queue), .room = of_queue, .reset = reset_queue,
                          .check = check_waiting},
    [PKI_MEMORY_TAU] = {"tau", STATE(tau), .room = of_joints},
    [PKI_MEMORY_ACTUATION] = {"actuation", STATE(actuation), .room = of_actuation, .reset = reset_actuation,
                              .check = check_actuator_state},
    [PKI_MEMORY_PUSHES] = {"pushes", STATE(pushes), .room = of_pushes},
    [PKI_MEMORY_DRIVES] = {"drives", STATE(drives), .room = of_drives, .reset = pki_sim_joints_reset},
    [PKI_MEMORY_LAST] = {"contacts", STATE(last), .room = of_contacts, .used = PKI_USED_CONTACTS,
                         .role = PKI_ROLE_UNDONE, .check = check_contact, .settle = settle_contacts},
    [PKI_MEMORY_LAST_R] = {"impulses", .at = offsetof(pk_sim, state.last_r), .size = 3 * sizeof(double),
                           .room = of_contacts, .used = PKI_USED_CONTACTS, .role = PKI_ROLE_UNDONE},
    [PKI_MEMORY_STICKS] = {"sticks", STATE(last_sticks), .room = of_contacts, .used = PKI_USED_CONTACTS,
                           .role = PKI_ROLE_UNDONE, .check = check_sticks},
    [PKI_MEMORY_JOINT] = {"joint_impulses", STATE(last_joint), .room = of_joint_rows,
                          .role = PKI_ROLE_UNDONE},
    [PKI_MEMORY_BILATERAL] = {"bilateral_impulses", STATE(last_bilateral), .room = of_bilateral,
                              .role = PKI_ROLE_UNDONE},
    [PKI_MEMORY_LIMITED] = {"limited", STATE(limited), .room = of_joints, .role = PKI_ROLE_UNDONE,
                            .check = check_limited},
    [PKI_MEMORY_SPRINGS] = {"springs", STATE(springs), .room = of_springs, .used = PKI_USED_SPRINGS,
                            .role = PKI_ROLE_UNDONE, .check = check_spring},
    [PKI_MEMORY_READINGS] = {"readings", STATE(readings), .room = of_readings},
    [PKI_MEMORY_SENSING] = {"sensing", STATE(sensing), .room = of_sensing},
    [PKI_MEMORY_SENSED] = {"sensed", STATE(sensed), .room = of_sensed},
    [PKI_MEMORY_SEEN] = {"seen", STATE(seen), .room = of_seen},
    [PKI_MEMORY_ESTIMATE] = {"estimate", STATE(estimate), .room = of_estimate},
    [PKI_MEMORY_INERTIA] = {"inertia", .size = sizeof(double), .room = of_inertia,
                            .role = PKI_ROLE_PARAMETER},
    [PKI_MEMORY_GROUPED] = {"grouped", .size = sizeof(double), .room = of_grouped,
                            .role = PKI_ROLE_PARAMETER},
    [PKI_MEMORY_MOTORS] = {"motors", .at = offsetof(pk_sim, motors), .size = sizeof(double),
                           .room = of_motors, .role = PKI_ROLE_PARAMETER},
};

/* ---- arrays ---- */

/* Where the address of a row's array is kept. */
static void *address_of(const pk_sim *sim, int row)
{
  pki_params *const params = &sim->workspace->work.params;
  return row == PKI_MEMORY_INERTIA   ? (void *)&params->inertia
         : row == PKI_MEMORY_GROUPED ? (void *)&params->grouped
                                     : (void *)((unsigned char *)(uintptr_t)sim + pki_memory[row].at);
}

void *pki_memory_array(const pk_sim *sim, int row)
{
  void *array;
  memcpy(&array, address_of(sim, row), sizeof array);
  return array;
}

void pki_memory_set_array(pk_sim *sim, int row, void *array)
{
  memcpy(address_of(sim, row), &array, sizeof array);
}

size_t pki_memory_count(const pk_sim *sim, const pki_numbers *n, int row)
{
  const pki_memory_row *r = &pki_memory[row];
  return r->used == PKI_USED_CONTACTS  ? (size_t)n->nlast
         : r->used == PKI_USED_SPRINGS ? (size_t)n->nspring
                                       : r->room(sim->model, &sim->options);
}

size_t pki_memory_used(const pk_sim *sim, int row)
{
  return pki_memory_count(sim, &sim->state.n, row);
}

/* The array of a row as it was before the step. */
static void *array_before(const pk_sim *sim, int row)
{
  void *array;
  const size_t at = pki_memory[row].at - offsetof(pk_sim, state) + offsetof(pk_sim, before);
  memcpy(&array, (const unsigned char *)sim + at, sizeof array);
  return array;
}

void pki_memory_carve(pk_sim *sim, const pk_model *model, const pk_sim_options *options, bool growing,
                      pki_arena *arena)
{
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    const pki_memory_row *r = &pki_memory[row];
    for (int copy = 0; pki_memory_grows(row) == growing &&
                       copy < (r->role == PKI_ROLE_UNDONE ? 2 : r->role == PKI_ROLE_STATE);
         copy++) {
      void *const array = pki_arena_take(arena, r->room(model, options), r->size);
      const size_t at = r->at + (copy ? offsetof(pk_sim, before) - offsetof(pk_sim, state) : 0);
      memcpy((unsigned char *)sim + at, &array, sizeof array);
    }
  }
}

void pki_memory_reset(pk_sim *sim)
{
  sim->state.n = (pki_numbers){.stream = sim->state.n.stream};
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    const pki_memory_row *r = &pki_memory[row];
    if (r->role != PKI_ROLE_PARAMETER && r->used == PKI_USED_ALL && r->room(sim->model, &sim->options) > 0) {
      memset(pki_memory_array(sim, row), 0, r->room(sim->model, &sim->options) * r->size);
    }
    if (r->reset != NULL) {
      r->reset(sim);
    }
  }
}

/* What a step changes on its way, into the copy or back from it. The numbers of the state are those of what is copied. */
static void copy_undone(pk_sim *sim, bool back)
{
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    if (pki_memory[row].role == PKI_ROLE_UNDONE) {
      void *const now = pki_memory_array(sim, row), *const before = array_before(sim, row);
      memcpy(back ? now : before, back ? before : now, pki_memory_used(sim, row) * pki_memory[row].size);
    }
  }
}

void pki_memory_keep(pk_sim *sim)
{
  sim->before.n = sim->state.n;
  copy_undone(sim, false);
  pki_colliders_keep(&sim->scene.colliders);
}

void pki_memory_restore(pk_sim *sim)
{
  sim->state.n = sim->before.n;
  copy_undone(sim, true);
  pki_colliders_restore(&sim->scene.colliders);
}

void pki_memory_forget_impulses(pk_sim *sim)
{
  sim->state.n.nlast = sim->state.n.nspring = 0;
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    const pki_memory_row *r = &pki_memory[row];
    if (r->role == PKI_ROLE_UNDONE && r->used == PKI_USED_ALL) {
      memset(pki_memory_array(sim, row), 0, r->room(sim->model, &sim->options) * r->size);
    }
  }
  pki_colliders_forget(&sim->scene.colliders);
}
