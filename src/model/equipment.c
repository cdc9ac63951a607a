#include "model/equipment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/finite.h"
#include "model/builder.h"
#include "model/compile.h"

pk_site_desc pk_site_desc_default(void)
{
  return (pk_site_desc){.pose = pk_pose_identity()};
}

pk_actuator_desc pk_actuator_desc_default(void)
{
  return (pk_actuator_desc){.gear = 1,
                            .gain = {1, 0, 0},
                            .ctrl_lower = -INFINITY,
                            .ctrl_upper = INFINITY,
                            .force_lower = -INFINITY,
                            .force_upper = INFINITY,
                            .act_lower = -INFINITY,
                            .act_upper = INFINITY};
}

/* ---- going back ---- */

static void site_free(const pki_site *s)
{
  pki_builder_free_text(s->desc.name), pki_builder_free_text(s->desc.link);
}

static void actuator_free(const pki_actuator *a)
{
  pki_builder_free_text(a->desc.name), pki_builder_free_text(a->desc.joint);
}

static void sensor_free(const pki_sensor *s)
{
  pki_builder_free_text(s->desc.name), pki_builder_free_text(s->desc.at);
  pki_builder_free_text(s->desc.relative_to);
}

/* Numbers of keyframes are owned copies too. */
static void free_numbers(const double *numbers)
{
  free((void *)(size_t)numbers);
}

static void keyframe_free(const pki_keyframe *k)
{
  pki_builder_free_text(k->desc.name);
  free_numbers(k->desc.q), free_numbers(k->desc.u), free_numbers(k->desc.ctrl);
}

static void pair_free(const pki_pair *p)
{
  pki_builder_free_text(p->desc.name[0]), pki_builder_free_text(p->desc.name[1]);
}

pki_equipment_mark pki_equipment_get_mark(const pki_equipment *e)
{
  return (pki_equipment_mark){e->nsite, e->nactuator, e->nsensor, e->nkeyframe, e->npair};
}

void pki_equipment_rollback(pki_equipment *e, pki_equipment_mark mark)
{
  while (e->nsite > mark.nsite) {
    site_free(&e->sites[--e->nsite]);
  }
  while (e->nactuator > mark.nactuator) {
    actuator_free(&e->actuators[--e->nactuator]);
  }
  while (e->nsensor > mark.nsensor) {
    sensor_free(&e->sensors[--e->nsensor]);
  }
  while (e->nkeyframe > mark.nkeyframe) {
    keyframe_free(&e->keyframes[--e->nkeyframe]);
  }
  while (e->npair > mark.npair) {
    pair_free(&e->pairs[--e->npair]);
  }
}

void pki_equipment_free(pki_equipment *e)
{
  pki_equipment_rollback(e, (pki_equipment_mark){0});
  free(e->sites), free(e->actuators), free(e->sensors), free(e->keyframes), free(e->pairs);
}

/* ---- adding ---- */

/* A name, a robot that it belongs to, and room for one more in `array`, whose count comes in. */
static pk_status make_room(const pk_builder *b, const char *what, const char *name, int line, void **array,
                           int count, int *cap, size_t size, pk_error *err)
{
  const pki_where where = {.field = name, .line = line};
  pk_status status = pki_builder_check_name(b, what, name, err);
  if (status == PK_OK && count >= PKI_EQUIPMENT_MAX) {
    status = pki_fail(err, PK_ERROR_LIMIT, where, "there are more than %d %ss", PKI_EQUIPMENT_MAX, what);
  }
  if (status == PK_OK && !pki_builder_grow(array, count, cap, size)) {
    status = pki_builder_no_memory(err);
  }
  return status;
}

/* The volume of a site: one of the shapes that a touch sensor knows, with its sizes, or none. */
static bool has_sound_volume(const pk_site_desc *site)
{
  const bool known = site->kind == PK_SHAPE_SPHERE || site->kind == PK_SHAPE_BOX ||
                     site->kind == PK_SHAPE_CYLINDER || site->kind == PK_SHAPE_CAPSULE ||
                     site->kind == PK_SHAPE_ELLIPSOID;
  if (!known || !pki_all_finite(site->size, 3)) {
    return false;
  }
  const bool none = site->size[0] == 0 && site->size[1] == 0 && site->size[2] == 0;
  bool sound = true;
  for (int i = 0; i < pki_shape_sizes(site->kind) && !none; i++) {
    sound &= site->size[i] > 0;
  }
  return sound;
}

pk_status pk_builder_add_site(pk_builder *b, const pk_site_desc *site, pk_error *err)
{
  pki_equipment *e = &b->equipment;
  const pk_status status = make_room(b, "site", site->name, site->line, (void **)&e->sites, e->nsite,
                                     &e->site_cap, sizeof *e->sites, err);
  if (status != PK_OK) {
    return status;
  }
  const pki_where where = {.field = site->name, .line = site->line};
  if (site->link == NULL || !pki_is_pose(&site->pose)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "site \"%s\" needs a link and a pose that is finite and whose matrix is a rotation",
                    site->name);
  }
  if (!has_sound_volume(site)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "the volume of site \"%s\" is no sphere, box, cylinder, capsule or ellipsoid of positive "
                    "sizes; sizes of 0 are no volume",
                    site->name);
  }
  bool ok = true;
  pki_site *s = &e->sites[e->nsite];
  *s = (pki_site){.desc = *site, .robot = b->nrobot - 1};
  s->desc.name = pki_builder_copy(site->name, &ok);
  s->desc.link = pki_builder_copy(site->link, &ok);
  if (!ok) {
    site_free(s);
    return pki_builder_no_memory(err);
  }
  e->nsite++;
  return PK_OK;
}

/* Limits in order; nothing is NaN. */
static bool are_limits(double lower, double upper)
{
  return lower <= upper && lower < INFINITY && upper > -INFINITY;
}

static pk_status check_actuator(const pk_actuator_desc *a, pk_error *err)
{
  const pki_where where = {.field = a->name, .line = a->line};
  if (a->joint == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "actuator \"%s\" needs a joint", a->name);
  }
  if (!isfinite(a->gear) || !pki_all_finite(a->gain, 3) || !pki_all_finite(a->bias, 3)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "gear, gain or bias of actuator \"%s\" is not finite",
                    a->name);
  }
  if (!are_limits(a->ctrl_lower, a->ctrl_upper) || !are_limits(a->force_lower, a->force_upper) ||
      !are_limits(a->act_lower, a->act_upper)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "a lower limit of actuator \"%s\" is above its upper limit; no limit is -INFINITY and "
                    "INFINITY",
                    a->name);
  }
  return PK_OK;
}

pk_status pk_builder_add_actuator(pk_builder *b, const pk_actuator_desc *actuator, pk_error *err)
{
  pki_equipment *e = &b->equipment;
  pk_status status = make_room(b, "actuator", actuator->name, actuator->line, (void **)&e->actuators,
                               e->nactuator, &e->actuator_cap, sizeof *e->actuators, err);
  if (status == PK_OK) {
    status = check_actuator(actuator, err);
  }
  if (status != PK_OK) {
    return status;
  }
  bool ok = true;
  pki_actuator *a = &e->actuators[e->nactuator];
  *a = (pki_actuator){.desc = *actuator, .robot = b->nrobot - 1};
  a->desc.name = pki_builder_copy(actuator->name, &ok);
  a->desc.joint = pki_builder_copy(actuator->joint, &ok);
  if (!ok) {
    actuator_free(a);
    return pki_builder_no_memory(err);
  }
  e->nactuator++;
  return PK_OK;
}

static pk_status check_sensor(const pk_sensor_desc *s, pk_error *err)
{
  const pki_where where = {.field = s->name, .line = s->line};
  if ((unsigned)s->kind >= PK_SENSOR_KIND_COUNT || (unsigned)s->place >= PK_SENSOR_PLACE_COUNT ||
      (unsigned)s->reference > PK_SENSOR_PLACE_SHAPE) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "sensor \"%s\" needs a kind, a place and a reference that is a frame or none", s->name);
  }
  if ((s->place != PK_SENSOR_PLACE_NONE && s->at == NULL) ||
      (s->reference != PK_SENSOR_PLACE_NONE && s->relative_to == NULL)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "sensor \"%s\" needs the name of what it %s", s->name,
                    s->place != PK_SENSOR_PLACE_NONE && s->at == NULL ? "sits on" : "is relative to");
  }
  if (!(s->cutoff >= 0) || !(s->noise >= 0)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "cutoff and noise of sensor \"%s\" are %g and %g, expected 0 or more", s->name, s->cutoff,
                    s->noise);
  }
  return PK_OK;
}

pk_status pk_builder_add_sensor(pk_builder *b, const pk_sensor_desc *sensor, pk_error *err)
{
  pki_equipment *e = &b->equipment;
  pk_status status = make_room(b, "sensor", sensor->name, sensor->line, (void **)&e->sensors, e->nsensor,
                               &e->sensor_cap, sizeof *e->sensors, err);
  if (status == PK_OK) {
    status = check_sensor(sensor, err);
  }
  if (status != PK_OK) {
    return status;
  }
  bool ok = true;
  pki_sensor *s = &e->sensors[e->nsensor];
  *s = (pki_sensor){.desc = *sensor, .robot = b->nrobot - 1};
  s->desc.name = pki_builder_copy(sensor->name, &ok);
  s->desc.at = pki_builder_copy(sensor->at, &ok);
  s->desc.relative_to = pki_builder_copy(sensor->relative_to, &ok);
  if (!ok) {
    sensor_free(s);
    return pki_builder_no_memory(err);
  }
  e->nsensor++;
  return PK_OK;
}

/* NULL stays NULL; `ok` turns false when there is no memory. */
static const double *copy_numbers(const double *numbers, int count, bool *ok)
{
  if (numbers == NULL) {
    return NULL;
  }
  const size_t bytes = (size_t)count * sizeof *numbers;
  double *copy = malloc(bytes + 1);
  if (copy == NULL) {
    *ok = false;
    return NULL;
  }
  return memcpy(copy, numbers, bytes);
}

static pk_status check_keyframe(const pk_builder *b, const pk_keyframe_desc *k, pk_error *err)
{
  const pki_where where = {.field = k->name, .line = k->line};
  if (k->nrobot < 1 || k->nrobot > b->nrobot) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "keyframe \"%s\" is of %d robots, expected 1 to %d, as many as were added", k->name,
                    k->nrobot, b->nrobot);
  }
  const struct {
    const double *values;
    int count;
    const char *what;
  } parts[3] = {{k->q, k->nq, "q"}, {k->u, k->nu, "u"}, {k->ctrl, k->nctrl, "ctrl"}};
  for (int i = 0; i < 3; i++) {
    if (parts[i].values == NULL) {
      continue;
    }
    if (parts[i].count < 0 || parts[i].count > PKI_KEYFRAME_MAX) {
      return pki_fail(err, PK_ERROR_LIMIT, where, "%s of keyframe \"%s\" has %d numbers, expected 0 to %d",
                      parts[i].what, k->name, parts[i].count, PKI_KEYFRAME_MAX);
    }
    if (!pki_all_finite(parts[i].values, parts[i].count)) {
      return pki_fail(err, PK_ERROR_ARGUMENT, where, "a number in %s of keyframe \"%s\" is not finite",
                      parts[i].what, k->name);
    }
  }
  return PK_OK;
}

pk_status pk_builder_add_keyframe(pk_builder *b, const pk_keyframe_desc *keyframe, pk_error *err)
{
  pki_equipment *e = &b->equipment;
  pk_status status = make_room(b, "keyframe", keyframe->name, keyframe->line, (void **)&e->keyframes,
                               e->nkeyframe, &e->keyframe_cap, sizeof *e->keyframes, err);
  if (status == PK_OK) {
    status = check_keyframe(b, keyframe, err);
  }
  if (status != PK_OK) {
    return status;
  }
  const long long total = (e->nkeyframe > 0 ? e->keyframes[e->nkeyframe - 1].total : 0) +
                          (keyframe->q != NULL ? keyframe->nq : 0) +
                          (keyframe->u != NULL ? keyframe->nu : 0) +
                          (keyframe->ctrl != NULL ? keyframe->nctrl : 0);
  if (total > PKI_KEYFRAME_NUMBERS_MAX) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = keyframe->name, .line = keyframe->line},
                    "all keyframes together have more than %d numbers", PKI_KEYFRAME_NUMBERS_MAX);
  }
  bool ok = true;
  pki_keyframe *k = &e->keyframes[e->nkeyframe];
  *k = (pki_keyframe){.desc = *keyframe, .end = b->nrobot, .total = total};
  k->desc.name = pki_builder_copy(keyframe->name, &ok);
  k->desc.q = copy_numbers(keyframe->q, keyframe->nq, &ok);
  k->desc.u = copy_numbers(keyframe->u, keyframe->nu, &ok);
  k->desc.ctrl = copy_numbers(keyframe->ctrl, keyframe->nctrl, &ok);
  if (!ok) {
    keyframe_free(k);
    return pki_builder_no_memory(err);
  }
  e->nkeyframe++;
  return PK_OK;
}

/* A friction of a description: a coefficient, 0 for none of its own, or -1 for ice. */
bool pki_is_friction(double friction)
{
  return friction == -1 || (friction >= 0 && isfinite(friction));
}

pk_status pk_builder_add_pair(pk_builder *b, const pk_pair_desc *pair, pk_error *err)
{
  pki_equipment *e = &b->equipment;
  const char *what = pair->shapes ? "shape" : "link";
  const pki_where where = {.field = pair->name[0], .line = pair->line};
  for (int i = 0; i < 2; i++) {
    if (pair->name[i] == NULL || pair->name[i][0] == '\0') {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "name", .line = pair->line},
                      "a pair needs the names of two %ss", what);
    }
  }
  if (!pki_is_friction(pair->friction)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "the friction of %ss \"%s\" and \"%s\" is %g, expected 0 or more, or -1 for none at all",
                    what, pair->name[0], pair->name[1], pair->friction);
  }
  const pk_status status = make_room(b, "pair", pair->name[0], pair->line, (void **)&e->pairs, e->npair,
                                     &e->pair_cap, sizeof *e->pairs, err);
  if (status != PK_OK) {
    return status;
  }
  bool ok = true;
  pki_pair *p = &e->pairs[e->npair];
  *p = (pki_pair){.desc = *pair, .robot = b->nrobot - 1};
  p->desc.name[0] = pki_builder_copy(pair->name[0], &ok);
  p->desc.name[1] = pki_builder_copy(pair->name[1], &ok);
  if (!ok) {
    pair_free(p);
    return pki_builder_no_memory(err);
  }
  e->npair++;
  return PK_OK;
}
