#include "actuation/actuation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"

extern const pki_actuator_row pki_actuator_dc, pki_actuator_sea;

bool pki_is_motor(const pk_actuator_kind *kind)
{
  return kind == &pki_actuator_dc.kind || kind == &pki_actuator_sea.kind;
}

bool pki_is_sea(const pk_actuator_kind *kind)
{
  return kind == &pki_actuator_sea.kind;
}

/* ---- checks ---- */

static pk_status check_kind(const pk_actuator *a, int index, pk_error *err)
{
  const pki_where where = {.field = "kind"};
  if (a->kind == NULL || a->kind->name == NULL || a->kind->condense == NULL || a->kind->nstate < 0) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, where,
        "actuator %d has no kind, expected one of pk_actuator_kind_find or your own with a name and "
        "the function condense",
        index);
  }
  if (a->kind->nstate > PKI_ACTUATOR_STATES_MOST) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "nstate"},
                    "actuator %d of kind \"%s\" remembers %d numbers, expected at most %d", index,
                    a->kind->name, a->kind->nstate, PKI_ACTUATOR_STATES_MOST);
  }
  if (a->parameters == NULL && a->kind->parameters_size > 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "parameters"},
                    "actuator %d of kind \"%s\" has no parameters", index, a->kind->name);
  }
  pk_error own = {.message = ""};
  const pk_status status = a->kind->validate != NULL ? a->kind->validate(a->parameters, &own) : PK_OK;
  if (status != PK_OK) {
    return pki_fail(err, status, (pki_where){.field = own.field[0] != '\0' ? own.field : "parameters"},
                    "actuator %d of kind \"%.40s\": %.300s", index, a->kind->name,
                    own.message[0] != '\0' ? own.message : "its parameters are out of range");
  }
  return PK_OK;
}

/* A coordinate of a joint that one number describes. */
static pk_status check_dof(const pk_model *m, const pk_actuator *a, int index, pk_error *err)
{
  const pki_where where = {.field = "dof"};
  if (a->dof < 0 || a->dof >= m->nu) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "actuator %d drives the coordinate %d, expected 0 to %d",
                    index, a->dof, m->nu - 1);
  }
  if (m->dof_joint[a->dof] < 0 || m->dof_q[a->dof] < 0) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, where,
        "actuator %d drives the coordinate %d, which belongs to a free root, a spherical or a floating "
        "joint: actuators drive hinges and sliders",
        index, a->dof);
  }
  return PK_OK;
}

static const char *joint_of(const pk_model *m, int dof)
{
  return m->joints[m->dof_joint[dof]].name;
}

static pk_status check_list(const pk_model *m, const pk_actuator *list, int count, pk_error *err)
{
  int *by = malloc(((size_t)m->nu + 1) * sizeof *by);
  pk_status status = by != NULL ? PK_OK : pki_fail_memory(err, "actuators");
  for (int k = 0; k < m->nu && by != NULL; k++) {
    by[k] = -1;
  }
  for (int i = 0; i < count && status == PK_OK; i++) {
    status = check_kind(&list[i], i, err);
    status = status == PK_OK ? check_dof(m, &list[i], i, err) : status;
    if (status == PK_OK && !list[i].kind->adds && by[list[i].dof] >= 0) {
      status = pki_fail(
          err, PK_ERROR_ARGUMENT, (pki_where){.field = "dof"},
          "two actuators drive the joint \"%s\", %s and %s: one can, beside any number of kinds that add "
          "to it, as parallel-spring",
          joint_of(m, list[i].dof), list[by[list[i].dof]].kind->name, list[i].kind->name);
    } else if (status == PK_OK && !list[i].kind->adds) {
      by[list[i].dof] = i;
    }
  }
  free(by);
  return status;
}

static pk_status check_battery(const pk_battery *b, pk_error *err)
{
  const struct {
    const char *name;
    bool good;
    const char *why;
  } checks[] = {
      {"full", b->full > 0 && isfinite(b->full), "the battery needs a voltage when full, above 0 V"},
      {"empty", b->empty > 0 && b->empty <= b->full,
       "the battery's voltage when empty is above 0 V, at most that when full"},
      {"resistance", b->resistance >= 0 && isfinite(b->resistance),
       "the battery's resistance is 0 ohm or more"},
      {"capacity", b->capacity >= 0, "the battery's capacity is 0 A s (it does not run down) or more"},
      {"regeneration", b->regeneration >= 0, "the power that the battery takes back is 0 W or more"}};
  for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
    if (!checks[i].good) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = checks[i].name}, "%s", checks[i].why);
    }
  }
  return PK_OK;
}

/* ---- making ---- */

/* Motors come first, each in the order of the list. */
static void sort_actuators(pk_actuation *a)
{
  int n = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < a->count; i++) {
      if (pki_is_motor(a->list[i].actuator.kind) == (pass == 0)) {
        a->order[n++] = i;
      }
    }
    a->nmotor = pass == 0 ? n : a->nmotor;
  }
}

/* The row of a kind that comes with Pronk; NULL: it is a user's own. */
static const pki_actuator_row *shipped_row(const pk_actuator_kind *kind)
{
  const int row = pki_row_find(pki_actuators, kind->name);
  return row >= 0 && &pki_actuators[row]->kind == kind ? pki_actuators[row] : NULL;
}

/* Parameters of kinds that come with Pronk count by their fields, since structs may have holes; those of others by their bytes. */
static uint64_t hash_actuator(uint64_t hash, const pk_actuator *a)
{
  const pki_actuator_row *const row = shipped_row(a->kind);
  hash = pki_hash_bytes(hash, a->kind->name, strlen(a->kind->name));
  hash = pki_hash_bytes(hash, &a->dof, sizeof a->dof);
  for (int f = 0; row != NULL && f < row->nfield; f++) {
    const double value = pki_field_get(&row->fields[f], a->parameters, 0);
    hash = pki_hash_bytes(hash, &value, sizeof value);
  }
  return row != NULL ? hash : pki_hash_bytes(hash, a->parameters, a->kind->parameters_size);
}

/* What steps ask of all actuators together. */
static void summarise_actuators(pk_actuation *a)
{
  uint64_t hash = PKI_HASH_START;
  a->simple = true;
  for (int n = 0; n < a->count; n++) {
    pki_actuator_entry *entry = &a->list[a->order[n]];
    const pk_actuator *actuator = &entry->actuator;
    entry->state = a->nstate;
    a->nstate += actuator->kind->nstate;
    a->inertia[actuator->dof] +=
        actuator->kind->inertia != NULL ? actuator->kind->inertia(actuator->parameters) : 0;
    a->dry |= !pki_is_motor(actuator->kind);        /* it may have some */
    a->rubs |= shipped_row(actuator->kind) == NULL; /* a user's own may have some inside */
    if (n < a->nmotor) {
      double *c = a->constants + (size_t)n * PKI_MOTOR_CONSTANTS;
      pki_motor_constants(actuator->parameters, pki_is_sea(actuator->kind), c);
      a->dry |= !pki_is_sea(actuator->kind) && c[PKI_MOTOR_DRY] + c[PKI_MOTOR_DRIVING] > 0;
      a->rubs |= pki_is_sea(actuator->kind) && c[PKI_MOTOR_DRY] > 0;
      a->has_spring[n] = pki_is_sea(actuator->kind);
      a->hot |= c[PKI_MOTOR_C_WINDING] > 0;
      a->simple &=
          isinf(c[PKI_MOTOR_HOTTEST]) && isinf(c[PKI_MOTOR_BANDWIDTH]) && c[PKI_MOTOR_RESOLUTION] == 0;
    }
    hash = hash_actuator(hash, actuator);
  }
  a->nstate += 3; /* the battery's */
  a->hash = a->has_battery ? pki_hash_bytes(hash, &a->battery, sizeof a->battery) : hash;
}

int pki_actuation_find_dry(const pk_actuation *a)
{
  for (int n = 0; n < a->count; n++) {
    const pk_actuator *const actuator = &a->list[a->order[n]].actuator;
    const pki_actuator_row *const row = shipped_row(actuator->kind);
    const pk_field *const f = row != NULL ? pki_fields_find(row->fields, row->nfield, "friction") : NULL;
    if ((f != NULL && pki_field_get(f, actuator->parameters, 0) > 0) ||
        (n < a->nmotor && a->constants[(size_t)n * PKI_MOTOR_CONSTANTS + PKI_MOTOR_DRIVING] > 0)) {
      return a->order[n];
    }
  }
  return -1;
}

/* Memory of an actuation; with a counting arena this counts, and NULL comes back. */
static pk_actuation *carve_actuation(const pk_model *m, const pk_actuator *list, int count, pki_arena *arena)
{
  const size_t n = (size_t)count, nu = (size_t)m->nu;
  pk_actuation *a = pki_arena_take(arena, 1, sizeof *a);
  pk_actuation made = {.count = count, .nu = m->nu, .model = pk_model_hash(m)};
  made.list = pki_arena_take(arena, n, sizeof *made.list);
  made.order = pki_arena_take(arena, n, sizeof *made.order);
  made.constants = pki_arena_take(arena, n * PKI_MOTOR_CONSTANTS, sizeof(double));
  made.has_spring = pki_arena_take(arena, n, sizeof(bool));
  made.inertia = pki_arena_take(arena, nu, sizeof(double));
  for (int i = 0; i < count; i++) {
    const char *name = list[i].name != NULL ? list[i].name : joint_of(m, list[i].dof);
    void *const parameters = pki_arena_take(arena, list[i].kind->parameters_size + 1, 1);
    char *const copy = pki_arena_take(arena, strlen(name) + 1, 1);
    if (a != NULL) {
      if (list[i].kind->parameters_size > 0) {
        memcpy(parameters, list[i].parameters, list[i].kind->parameters_size);
      }
      memcpy(copy, name, strlen(name) + 1);
      made.list[i].actuator = (pk_actuator){list[i].dof, list[i].kind, parameters, copy};
    }
  }
  if (a != NULL) {
    *a = made;
  }
  return a;
}

pk_status pk_actuation_create(const pk_model *m, const pk_actuator *list, int count,
                              const pk_battery *battery, pk_actuation **out, pk_error *err)
{
  *out = NULL;
  if (count < 0 || (list == NULL && count > 0)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "count"},
                    "there are %d actuators, expected 0 or more", count);
  }
  pk_status status = check_list(m, list, count, err);
  status = status == PK_OK && battery != NULL ? check_battery(battery, err) : status;
  if (status != PK_OK) {
    return status;
  }
  pki_arena arena = pki_arena_over(NULL, 0);
  carve_actuation(m, list, count, &arena);
  void *const memory = pki_aligned_alloc(arena.used);
  if (memory == NULL) {
    return pki_fail_memory(err, "actuators");
  }
  memset(memory, 0, arena.used);
  arena = pki_arena_over(memory, arena.used);
  pk_actuation *a = carve_actuation(m, list, count, &arena);
  a->has_battery = battery != NULL;
  a->battery = battery != NULL ? *battery : (pk_battery){.full = INFINITY};
  sort_actuators(a);
  summarise_actuators(a);
  *out = a;
  return PK_OK;
}

void pk_actuation_destroy(pk_actuation *a)
{
  pki_aligned_free(a);
}

/* ---- questions ---- */

int pk_actuation_count(const pk_actuation *a)
{
  return a->count;
}

pk_actuator pk_actuation_get(const pk_actuation *a, int index)
{
  return a->list[index].actuator;
}

int pk_actuation_state_size(const pk_actuation *a)
{
  return a->nstate;
}

int pk_actuation_state_at(const pk_actuation *a, int index)
{
  return a->list[index].state;
}

void pki_actuation_reset(const pk_actuation *a, double *state)
{
  for (int i = 0; i < a->count; i++) {
    const pk_actuator *actuator = &a->list[i].actuator;
    if (actuator->kind->reset != NULL) {
      actuator->kind->reset(actuator->parameters, state + a->list[i].state);
    }
  }
  state[pki_battery_state(a)] = state[pki_battery_limit(a)] = a->has_battery ? a->battery.full : 0;
}

double pki_feedback_offset(const pk_actuation *a, const double *states, int dof)
{
  for (int m = 0; m < a->nmotor; m++) {
    const pki_actuator_entry *e = &a->list[a->order[m]];
    if (e->actuator.dof == dof) {
      const bool behind = a->has_spring[m] && a->constants[m * PKI_MOTOR_CONSTANTS + PKI_MOTOR_SIDE] == 1;
      return behind ? states[e->state + PKI_MOTOR_STATE_DEFLECTION] : 0;
    }
  }
  return 0;
}
