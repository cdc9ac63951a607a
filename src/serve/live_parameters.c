#include "serve/live_parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actuation/actuation.h"
#include "base/number.h"
#include "step/world.h"

/* Whoever asks for a key with dots in a name would get another one. */
static bool add_parameter(pki_parameter *p, const char *prefix, const pk_field *field, const void *options)
{
  if (field == NULL || (field->type != PK_FIELD_REAL && field->type != PK_FIELD_INT)) {
    return false;
  }
  *p = (pki_parameter){.field = field, .value = pki_field_get(field, options, 0), .entry = -1, .motor = -1};
  const int n = snprintf(p->key, sizeof p->key, "%s%s", prefix, field->name);
  return n > 0 && (size_t)n < sizeof p->key;
}

/* Fields that the controller takes while a world runs. */
static bool is_live(const pki_controller_row *controller, const pk_field *field)
{
  for (int i = 0; controller->live != NULL && controller->live[i] != NULL; i++) {
    if (strcmp(controller->live[i], field->name) == 0) {
      return true;
    }
  }
  return false;
}

/* ---- actuators ---- */

/* The value of motors that a field of theirs is, where a world can have another one than its actuators; -1: none. */
static int motor_value(const pki_actuator_row *row, const pk_field *field)
{
  static const char *const names[PK_MOTOR_VALUE_COUNT] = {[PK_MOTOR_VALUE_CONSTANT] = "constant",
                                                          [PK_MOTOR_VALUE_RESISTANCE] = "resistance",
                                                          [PK_MOTOR_VALUE_FRICTION] = "friction",
                                                          [PK_MOTOR_VALUE_SPRING] = "spring"};
  int found = -1;
  for (int i = 0; row->fields == pki_motor_parameter_fields && i < PK_MOTOR_VALUE_COUNT; i++) {
    found = strcmp(names[i], field->name) == 0 ? i : found;
  }
  return found;
}

/* A motor behind a rigid gear: its rotor is part of the joint. */
static bool is_rigid(const pki_actuator_row *row)
{
  return row->fields == pki_motor_parameter_fields && row->kind.inertia != NULL;
}

/* What a sea has and a rigid gear has not. */
static bool is_of_spring(const pki_actuator_row *row, const pk_field *field)
{
  return is_rigid(row) && field->offset >= offsetof(pk_motor_parameters, spring);
}

/* The place of an entry in the scenario's list; -1: it is one of a file of drives, which the scenario does not hold. */
static int place_in_list(const pki_node *entry)
{
  int place = 0;
  for (const pki_node *n = entry->parent->first; n != entry; n = n->next) {
    place++;
  }
  return entry->parent->parent != NULL ? place : -1;
}

/* The numbers of a kind of actuator; of an entry without a kind those that it gives. */
static int add_actuator(pki_parameter *list, const pki_scenario_actuator *a, int entry)
{
  const pki_actuator_row *row = a->row;
  const pk_field *fields = row != NULL ? row->fields : pki_actuator_change_fields;
  const int nfield = row != NULL ? row->nfield : pki_actuator_change_field_count;
  const int place = place_in_list(a->node);
  char prefix[32];
  int n = 0;
  snprintf(prefix, sizeof prefix, "actuators.%d.", place);
  for (int i = 0; i < nfield && place >= 0; i++) {
    const pk_field *f = &fields[i];
    const bool given = row != NULL ? !is_of_spring(row, f) : pki_node_find(a->node, f->name) != NULL;
    pki_parameter *p = &list[n];
    if (!given || !add_parameter(p, prefix, f, row != NULL ? a->parameters : (const void *)a)) {
      continue;
    }
    p->entry = entry;
    p->motor = row != NULL ? motor_value(row, f) : -1;
    p->live = pki_parameter_is_live(p, p->value);
    if (row != NULL && is_rigid(row) &&
        strcmp(f->name, "inertia") == 0) { /* the joint has it as its armature */
      const double gear = ((const pk_motor_parameters *)a->parameters)->gear;
      p->value = a->armature / (gear * gear);
    }
    snprintf(p->group, sizeof p->group, "actuators.%d: %.20s %.50s", place,
             row != NULL ? row->kind.name : "joints", a->joints);
    n++;
  }
  return n;
}

static int count_actuators(const pki_scenario *s)
{
  int count = 0;
  for (int i = 0; i < s->nactuator; i++) {
    const pki_actuator_row *row = s->actuators[i].row;
    count += row != NULL ? row->nfield : pki_actuator_change_field_count;
  }
  return count;
}

bool pki_parameter_is_live(const pki_parameter *parameter, double value)
{
  return parameter->motor >= 0 ? parameter->value > 0 && value > 0 : parameter->live;
}

/* ---- all ---- */

pki_parameter *pki_parameters_create(const pki_scenario *s, int *count)
{
  const int ncontroller = s->controller != NULL ? s->controller->nfield : 0;
  pki_parameter *list = calloc((size_t)(ncontroller + count_actuators(s) + s->nmaterial) + 2, sizeof *list);
  *count = 0;
  if (list == NULL) {
    return NULL;
  }
  int n = 0;
  for (int i = 0; i < ncontroller; i++) {
    if (add_parameter(&list[n], "controller.", &s->controller->fields[i], s->controller_options)) {
      list[n].live = is_live(s->controller, list[n].field);
      n++;
    }
  }
  for (int i = 0; i < s->nactuator; i++) {
    n += add_actuator(&list[n], &s->actuators[i], i);
  }
  for (int i = 0; i < s->nmaterial; i++) {
    char prefix[96];
    const char *name = s->materials[i].name;
    const int size = snprintf(prefix, sizeof prefix, "materials.%s.", name);
    const pk_field *friction = pki_fields_find(pki_material_fields, pki_material_field_count, "friction");
    n += size > 0 && (size_t)size < sizeof prefix && strpbrk(name, ".=") == NULL &&
         add_parameter(&list[n], prefix, friction, &s->materials[i].material);
  }
  n += add_parameter(&list[n], "step.", pki_fields_find(pki_sim_fields, pki_sim_field_count, "dt"), &s->step);
  n += add_parameter(&list[n], "", pki_fields_find(pki_scenario_fields, pki_scenario_field_count, "duration"),
                     s);
  *count = n;
  return list;
}

pk_status pki_parameters_find(pki_parameter *parameters, int count, const char *key, pki_parameter **out,
                              pk_error *err)
{
  enum { MOST = 256 };
  const char *words[MOST];
  int nword = 0;
  for (int i = 0; i < count; i++) {
    if (strcmp(parameters[i].key, key) == 0) {
      *out = &parameters[i];
      return PK_OK;
    }
    if (nword < MOST) {
      words[nword++] = parameters[i].key;
    }
  }
  const char *nearest = pki_nearest_word(key, words, nword);
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "key"},
                  "'%s' is no parameter that can be changed here%s%s%s", key,
                  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

pk_status pki_parameter_read(const pki_parameter *parameter, const char *text, double *out, pk_error *err)
{
  const pk_field *f = parameter->field;
  const char *cursor = text, *const end = text + strlen(text);
  const bool number = pki_parse_real(&cursor, end, out) && cursor == end && !isnan(*out);
  if (!number || !(*out >= f->least && *out <= f->most) || (f->type == PK_FIELD_INT && *out != floor(*out))) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = parameter->key},
                    "'%s', expected a%s from %g to %g%s%s", text,
                    f->type == PK_FIELD_INT ? " whole number" : " number", f->least, f->most,
                    f->unit[0] != '\0' ? " " : "", f->unit);
  }
  return PK_OK;
}

void pki_parameters_json(const pki_parameter *parameters, int count, pki_text *out)
{
  pki_text_add(out, "[");
  for (int i = 0; i < count; i++) {
    const pki_parameter *p = &parameters[i];
    pki_text_addf(out, "%s{\"key\":", i > 0 ? "," : "");
    pki_text_add_json_string(out, p->key);
    pki_text_add(out, ",\"value\":");
    pki_text_add_json_number(out, p->value);
    pki_text_add(out, ",\"least\":");
    pki_text_add_json_number(out, p->field->least);
    pki_text_add(out, ",\"most\":");
    pki_text_add_json_number(out, p->field->most);
    pki_text_add(out, ",\"unit\":");
    pki_text_add_json_string(out, p->field->unit);
    pki_text_add(out, ",\"doc\":");
    pki_text_add_json_string(out, p->field->doc);
    if (p->group[0] != '\0') {
      pki_text_add(out, ",\"group\":");
      pki_text_add_json_string(out, p->group);
    }
    pki_text_addf(out, ",\"integer\":%s,\"live\":%s}", p->field->type == PK_FIELD_INT ? "true" : "false",
                  p->live ? "true" : "false");
  }
  pki_text_add(out, "]");
}
