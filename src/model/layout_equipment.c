/* Sites, actuators, sensors, keyframes and pairs copied into a model. */
#include <string.h>

#include "model/layout.h"

size_t pki_equipment_text_size(const pki_draft *d)
{
  const pki_equipment *e = &d->b->equipment;
  const struct {
    char *const *names;
    int count;
  } kinds[4] = {{d->site_name, e->nsite},
                {d->actuator_name, e->nactuator},
                {d->sensor_name, e->nsensor},
                {d->keyframe_name, e->nkeyframe}};
  size_t total = 0;
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < kinds[k].count; i++) {
      total += strlen(kinds[k].names[i]) + 1;
    }
  }
  return total;
}

/* Values of a keyframe, `missing` where it gives none: zeros when that is NULL. */
static const double *carve_values(pki_arena *arena, const double *values, const double *missing, int count)
{
  double *out = pki_arena_take(arena, (size_t)count, sizeof *out);
  const double *from = values != NULL ? values : missing;
  if (out != NULL && from != NULL && count > 0) {
    memcpy(out, from, (size_t)count * sizeof *out);
  }
  return out;
}

static void carve_keyframes(const pki_draft *d, pki_arena *arena, pk_model_keyframe *keyframes)
{
  for (int i = 0; i < d->b->equipment.nkeyframe; i++) {
    pk_model_keyframe key = d->keyframes[i];
    const double *q0 = d->tree != NULL ? d->tree->q0 : d->q0;
    key.q_value = carve_values(arena, key.q_value, q0 + key.q, key.nq);
    key.u_value = carve_values(arena, key.u_value, NULL, key.nu);
    key.ctrl = carve_values(arena, key.ctrl, NULL, key.nctrl);
    if (keyframes != NULL) {
      keyframes[i] = key;
    }
  }
}

/* Names in their block, and joints as the model numbers them. */
static void finish_rows(const pki_draft *d, const int *index, char **text, pk_model_site *sites,
                        pk_model_actuator *actuators, pk_model_sensor *sensors, pk_model_keyframe *keyframes)
{
  const pki_equipment *e = &d->b->equipment;
  for (int i = 0; i < e->nsite; i++) {
    sites[i].name = pki_keep_text(text, d->site_name[i]);
  }
  for (int i = 0; i < e->nactuator; i++) {
    actuators[i].name = pki_keep_text(text, d->actuator_name[i]);
    actuators[i].joint = index[actuators[i].joint];
  }
  for (int i = 0; i < e->nsensor; i++) {
    sensors[i].name = pki_keep_text(text, d->sensor_name[i]);
    if (sensors[i].place == PK_SENSOR_PLACE_JOINT) {
      sensors[i].object = index[sensors[i].object];
    }
  }
  for (int i = 0; i < e->nkeyframe; i++) {
    keyframes[i].name = pki_keep_text(text, d->keyframe_name[i]);
  }
}

void pki_carve_equipment(const pki_draft *d, const int *index, pki_arena *arena, pk_model *m, char **text)
{
  const pki_equipment *e = &d->b->equipment;
  pk_model_keyframe *keyframes = pki_arena_take(arena, (size_t)e->nkeyframe, sizeof *keyframes);
  pk_model_site *sites = pki_arena_take(arena, (size_t)e->nsite, sizeof *sites);
  pk_model_actuator *actuators = pki_arena_take(arena, (size_t)e->nactuator, sizeof *actuators);
  pk_model_sensor *sensors = pki_arena_take(arena, (size_t)e->nsensor, sizeof *sensors);
  m->pairs = pki_copy_into_arena(arena, d->pairs, (size_t)d->npair, sizeof *m->pairs);
  carve_keyframes(d, arena, keyframes);
  m->nsite = e->nsite, m->nactuator = e->nactuator, m->nsensor = e->nsensor, m->nkeyframe = e->nkeyframe;
  m->npair = d->npair, m->nsensordata = d->nsensordata;
  m->sites = sites, m->actuators = actuators, m->sensors = sensors, m->keyframes = keyframes;
  if (text != NULL) {
    memcpy(sites, d->sites, (size_t)e->nsite * sizeof *sites);
    memcpy(actuators, d->actuators, (size_t)e->nactuator * sizeof *actuators);
    memcpy(sensors, d->sensors, (size_t)e->nsensor * sizeof *sensors);
    finish_rows(d, index, text, sites, actuators, sensors, keyframes);
  }
}

const pk_heights *pki_carve_heights(pki_arena *arena, const pk_heights *from)
{
  if (from == NULL) {
    return NULL;
  }
  pk_heights *out = pki_arena_take(arena, 1, sizeof *out);
  double *z = pki_arena_take(arena, (size_t)from->nx * (size_t)from->ny, sizeof *z);
  if (out != NULL) {
    *out = *from;
    out->z = memcpy(z, from->z, (size_t)from->nx * (size_t)from->ny * sizeof *z);
  }
  return out;
}
