/* Shapes, sites, actuators, sensors, keyframes and pairs of a model: names become indices.
 *
 * A name is looked up with the prefix of the robot to which its description was added, among all robots: files with
 * several trees are several robots of one prefix. */
#include <stdlib.h>
#include <string.h>

#include "model/compile.h"
#include "model/motion.h"
#include "model/name_table.h"
#include "model/sensor_kinds.h"

/* Names of all that descriptions may speak of. */
typedef struct tables {
  pki_name_table shapes, sites, actuators; /* beside links and joints, which the draft has */
  int *next_shape; /* [nshape] with the same name on the same link, as parts of one mesh have; -1: none */
} tables;

/* Pairs of all parts of the shapes that are named. */
enum { PAIR_MAX = 10 * PKI_EQUIPMENT_MAX };

/* Planes and height fields have no bounds or no underside: only what stands still has them. */
void pki_check_ground_shapes(pki_draft *d)
{
  for (int s = 0; s < d->b->nshape; s++) {
    const pki_shape *shape = &d->b->shapes[s];
    const pk_shape_kind kind = shape->desc.kind;
    if ((kind == PK_SHAPE_PLANE || kind == PK_SHAPE_HEIGHTS) && d->link_body[d->shape_link[s]] >= 0) {
      pki_builder_error(
          d->b, PK_ERROR_MODEL,
          (pki_where){.file = d->b->robots[shape->robot].desc.file,
                      .line = shape->desc.line,
                      .field = shape->desc.link},
          "link \"%s\" moves and has a shape of kind %s, which only the ground and links fixed in "
          "the world can have",
          shape->desc.link, pk_shape_kind_name(kind));
    }
  }
}

/* ---- names ---- */

static pki_where where_of(const pki_draft *d, int robot, const char *name, int line)
{
  return (pki_where){.file = d->b->robots[robot].desc.file, .line = line, .field = name};
}

static const char *prefix_of(const pki_draft *d, int robot)
{
  return d->b->robots[robot].desc.prefix;
}

/* A table of all names, the first of each; names are entered by index. */
static bool fill_table(pki_name_table *t, char *const *names, int count)
{
  if (!pki_name_table_init(t, (const char *const *)names, count)) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    int *slot = pki_name_table_at(t, names[i]);
    *slot = *slot < 0 ? i : *slot;
  }
  return true;
}

/* From the first shape of each name to the others on its link. */
static bool chain_shapes(const pki_draft *d, tables *t)
{
  const int count = d->b->nshape;
  t->next_shape = malloc(((size_t)count + 1) * sizeof *t->next_shape);
  if (t->next_shape == NULL) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    t->next_shape[i] = -1;
  }
  for (int i = count - 1; i >= 0; i--) { /* each right behind the first */
    const int first = *pki_name_table_at(&t->shapes, d->shape_name[i]);
    if (first != i && d->shape_link[first] == d->shape_link[i]) {
      t->next_shape[i] = t->next_shape[first];
      t->next_shape[first] = i;
    }
  }
  return true;
}

static bool fill_tables(const pki_draft *d, tables *t)
{
  const pk_builder *b = d->b;
  return fill_table(&t->shapes, d->shape_name, b->nshape) &&
         fill_table(&t->sites, d->site_name, b->equipment.nsite) &&
         fill_table(&t->actuators, d->actuator_name, b->equipment.nactuator) && chain_shapes(d, t);
}

static void free_tables(tables *t)
{
  free(t->shapes.slot), free(t->sites.slot), free(t->actuators.slot), free(t->next_shape);
}

/* What `user` names, as an index; -1 after an error, or without memory, when *ok turns false. */
static int resolve(pki_draft *d, const pki_name_table *t, const char *prefix, const char *what,
                   const char *name, const char *user, pki_where where, bool *ok)
{
  if (t == NULL) { /* the world has no name */
    return -1;
  }
  const int found = pki_name_table_find(t, prefix, name);
  if (found == -2) {
    *ok = false;
  }
  if (found == -1) {
    const bool kept = d->b->nerror < PKI_DIAGNOSTIC_MAX;
    const char *near = kept ? pki_name_table_nearest(t, name) : NULL;
    pki_builder_error(d->b, PK_ERROR_NAME, where, "%s names %s \"%s\", which does not exist%s%s%s", user,
                      what, name, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  }
  return found >= 0 ? found : -1;
}

/* Names that are there twice are errors. */
static bool check_double(pki_draft *d, const char *what, char *const *names, int count)
{
  pki_name_table t;
  if (!pki_name_table_init(&t, (const char *const *)names, count)) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    int *slot = pki_name_table_at(&t, names[i]);
    if (*slot >= 0) {
      pki_builder_error(d->b, PK_ERROR_NAME, (pki_where){.field = names[i]}, "%s \"%s\" is there twice", what,
                        names[i]);
    }
    *slot = i;
  }
  free(t.slot);
  return true;
}

/* ---- each kind ---- */

static bool compile_sites(pki_draft *d)
{
  bool ok = true;
  for (int i = 0; i < d->b->equipment.nsite; i++) {
    const pki_site *site = &d->b->equipment.sites[i];
    const pki_where where = where_of(d, site->robot, site->desc.name, site->desc.line);
    const int link =
        resolve(d, &d->links, prefix_of(d, site->robot), "link", site->desc.link, "a site", where, &ok);
    if (link < 0) {
      continue;
    }
    pk_model_site *out = &d->sites[i];
    *out = (pk_model_site){.link = link, .body = d->link_body[link], .kind = site->desc.kind};
    out->pose = pki_pose_mul(&d->link_pose[link], &site->desc.pose);
    memcpy(out->size, site->desc.size, sizeof out->size);
  }
  return ok;
}

static bool compile_actuators(pki_draft *d)
{
  bool ok = true;
  for (int i = 0; i < d->b->equipment.nactuator; i++) {
    const pki_actuator *actuator = &d->b->equipment.actuators[i];
    const pk_actuator_desc *desc = &actuator->desc;
    const pki_where where = where_of(d, actuator->robot, desc->name, desc->line);
    const int joint = resolve(d, &d->joints, prefix_of(d, actuator->robot), "joint", desc->joint,
                              "an actuator", where, &ok);
    if (joint >= 0 && pki_joint_nu(d->b->joints[joint].desc.kind) != 1) {
      pki_builder_error(d->b, PK_ERROR_MODEL, where,
                        "actuator \"%s\" drives joint \"%s\" (%s), expected a joint with one coordinate",
                        desc->name, desc->joint, pk_joint_kind_name(d->b->joints[joint].desc.kind));
    }
    pk_model_actuator *out = &d->actuators[i];
    *out = (pk_model_actuator){.joint = joint,
                               .gear = desc->gear,
                               .ctrl_lower = desc->ctrl_lower,
                               .ctrl_upper = desc->ctrl_upper,
                               .force_lower = desc->force_lower,
                               .force_upper = desc->force_upper,
                               .integrates = desc->integrates,
                               .act_lower = desc->act_lower,
                               .act_upper = desc->act_upper};
    memcpy(out->gain, desc->gain, sizeof out->gain);
    memcpy(out->bias, desc->bias, sizeof out->bias);
  }
  return ok;
}

/* The index of what a sensor sits on or is relative to; -1: the world, or an error. */
static int resolve_place(pki_draft *d, const tables *t, const pki_sensor *sensor, pk_sensor_place place,
                         const char *name, bool *ok)
{
  const pki_name_table *const tables_of[PK_SENSOR_PLACE_COUNT] = {
      [PK_SENSOR_PLACE_LINK] = &d->links,   [PK_SENSOR_PLACE_COM] = &d->links,
      [PK_SENSOR_PLACE_SITE] = &t->sites,   [PK_SENSOR_PLACE_SHAPE] = &t->shapes,
      [PK_SENSOR_PLACE_JOINT] = &d->joints, [PK_SENSOR_PLACE_ACTUATOR] = &t->actuators};
  if (place == PK_SENSOR_PLACE_NONE) {
    return -1;
  }
  return resolve(d, tables_of[place], prefix_of(d, sensor->robot), pki_sensor_place_name(place), name,
                 "a sensor", where_of(d, sensor->robot, sensor->desc.name, sensor->desc.line), ok);
}

/* A kind sits on what it can sit on. */
static void check_place(pki_draft *d, const pki_sensor *sensor, int object)
{
  const pk_sensor_desc *desc = &sensor->desc;
  const pki_sensor_type *type = pki_sensor_type_of(desc->kind);
  const pki_where where = where_of(d, sensor->robot, desc->name, desc->line);
  if ((type->places >> desc->place & 1) == 0) {
    pki_builder_error(d->b, PK_ERROR_MODEL, where, "sensor \"%s\" (%s) cannot sit on %s%s", desc->name,
                      pk_sensor_kind_name(desc->kind), desc->place == PK_SENSOR_PLACE_NONE ? "" : "a ",
                      pki_sensor_place_name(desc->place));
  } else if (desc->place == PK_SENSOR_PLACE_JOINT && object >= 0) {
    const pk_joint_kind kind = d->b->joints[object].desc.kind;
    const bool ball = desc->kind == PK_SENSOR_BALLQUAT || desc->kind == PK_SENSOR_BALLANGVEL;
    if (ball ? pki_joint_nq(kind) != 4 : pki_joint_nu(kind) != 1) {
      pki_builder_error(d->b, PK_ERROR_MODEL, where,
                        "sensor \"%s\" (%s) sits on joint \"%s\" (%s), expected a %s", desc->name,
                        pk_sensor_kind_name(desc->kind), desc->at, pk_joint_kind_name(kind),
                        ball ? "spherical joint" : "joint with one coordinate");
    }
  }
  if (desc->reference != PK_SENSOR_PLACE_NONE && !type->relative) {
    pki_builder_error(d->b, PK_ERROR_MODEL, where, "sensor \"%s\" (%s) cannot be relative to a frame",
                      desc->name, pk_sensor_kind_name(desc->kind));
  }
}

static bool compile_sensors(pki_draft *d, const tables *t)
{
  bool ok = true;
  for (int i = 0; i < d->b->equipment.nsensor; i++) {
    const pki_sensor *sensor = &d->b->equipment.sensors[i];
    const pk_sensor_desc *desc = &sensor->desc;
    pk_model_sensor *out = &d->sensors[i];
    *out = (pk_model_sensor){.kind = desc->kind,
                             .place = desc->place,
                             .object = resolve_place(d, t, sensor, desc->place, desc->at, &ok),
                             .reference = desc->reference,
                             .reference_object =
                                 resolve_place(d, t, sensor, desc->reference, desc->relative_to, &ok),
                             .cutoff = desc->cutoff,
                             .noise = desc->noise,
                             .first = d->nsensordata,
                             .dim = pki_sensor_type_of(desc->kind)->dim};
    check_place(d, sensor, out->object);
    d->nsensordata += out->dim;
  }
  return ok;
}

/* Coordinates of the robots of a keyframe: where they begin, and how many. With cut joints they are those of the tree. */
static void count_coordinates(const pki_draft *d, pk_model_keyframe *out)
{
  for (int i = 0; i < d->nbody && d->tree == NULL; i++) {
    const pki_body *body = &d->bodies[i];
    if (body->follows || body->robot < out->robot || body->robot >= out->robot + out->nrobot) {
      continue;
    }
    out->q = out->nq == 0 ? body->q : out->q, out->u = out->nu == 0 ? body->u : out->u;
    out->nq += pki_motion_nq(body->motion), out->nu += pki_motion_nu(body->motion);
  }
  for (int r = out->robot; r < out->robot + out->nrobot && d->tree != NULL; r++) {
    const pk_model_robot *robot = &d->tree->robots[r];
    out->q = out->nq == 0 ? robot->q : out->q, out->u = out->nu == 0 ? robot->u : out->u;
    out->nq += robot->nq, out->nu += robot->nu;
  }
  for (int a = 0; a < d->b->equipment.nactuator; a++) {
    const int robot = d->b->equipment.actuators[a].robot;
    if (robot >= out->robot && robot < out->robot + out->nrobot) {
      out->actuator = out->nctrl == 0 ? a : out->actuator;
      out->nctrl++;
    }
  }
}

/* Numbers of a keyframe are as many as there are coordinates. */
static void check_count(pki_draft *d, const pki_keyframe *key, const char *what, const double *values,
                        int found, int expected)
{
  if (values != NULL && found != expected) {
    pki_builder_error(d->b, PK_ERROR_MODEL, where_of(d, key->end - 1, key->desc.name, key->desc.line),
                      "%s of keyframe \"%s\" has %d numbers, expected %d", what, key->desc.name, found,
                      expected);
  }
}

static void compile_keyframes(pki_draft *d)
{
  for (int i = 0; i < d->b->equipment.nkeyframe; i++) {
    const pki_keyframe *key = &d->b->equipment.keyframes[i];
    const pk_keyframe_desc *desc = &key->desc;
    pk_model_keyframe *out = &d->keyframes[i];
    *out = (pk_model_keyframe){.robot = key->end - desc->nrobot,
                               .nrobot = desc->nrobot,
                               .q_value = desc->q,
                               .u_value = desc->u,
                               .ctrl = desc->ctrl};
    count_coordinates(d, out);
    check_count(d, key, "q", desc->q, desc->nq, out->nq);
    check_count(d, key, "u", desc->u, desc->nu, out->nu);
    check_count(d, key, "ctrl", desc->ctrl, desc->nctrl, out->nctrl);
  }
}

/* What the same name of a pair stands for beside link or shape i: shapes may be the parts of one mesh. -1: no more. */
static int next_named(const tables *t, bool shapes, int i)
{
  return shapes ? t->next_shape[i] : -1;
}

static long long count_named(const tables *t, bool shapes, int i)
{
  long long count = 0;
  for (; i >= 0; i = next_named(t, shapes, i)) {
    count++;
  }
  return count;
}

/* A pair of all that have the two names; false when no more can follow: without memory, when *ok turns false, or with
 * too many. */
static bool add_pairs(pki_draft *d, const tables *t, pk_model_pair pair, pki_where where, bool *ok)
{
  const int second = pair.index[1];
  if (d->npair + count_named(t, pair.shapes, pair.index[0]) * count_named(t, pair.shapes, second) >
      PAIR_MAX) {
    pki_builder_error(d->b, PK_ERROR_LIMIT, where, "the pairs are of more than %d pairs of shapes", PAIR_MAX);
    return false;
  }
  for (; pair.index[0] >= 0; pair.index[0] = next_named(t, pair.shapes, pair.index[0])) {
    for (int b = second; b >= 0; b = next_named(t, pair.shapes, b)) {
      *ok = pki_builder_grow((void **)&d->pairs, d->npair, &d->pair_cap, sizeof *d->pairs);
      if (!*ok) {
        return false;
      }
      pair.index[1] = b;
      d->pairs[d->npair++] = pair;
    }
  }
  return true;
}

static bool compile_pairs(pki_draft *d, const tables *t)
{
  bool ok = true;
  bool room = true;
  for (int i = 0; i < d->b->equipment.npair && room; i++) {
    const pki_pair *pair = &d->b->equipment.pairs[i];
    const pk_pair_desc *desc = &pair->desc;
    const pki_where where = where_of(d, pair->robot, desc->name[0], desc->line);
    pk_model_pair out = {.shapes = desc->shapes, .collide = desc->collide, .friction = desc->friction};
    for (int side = 0; side < 2; side++) {
      out.index[side] =
          resolve(d, desc->shapes ? &t->shapes : &d->links, NULL, desc->shapes ? "shape" : "link",
                  desc->name[side], "a pair", where_of(d, pair->robot, desc->name[side], desc->line), &ok);
    }
    room = ok && (out.index[0] < 0 || out.index[1] < 0 || add_pairs(d, t, out, where, &ok));
  }
  return ok;
}

/* ---- all of them ---- */

/* An array with room for one at least. */
static void *array_of(int count, size_t size)
{
  return calloc((size_t)count + 1, size);
}

static bool allocate(pki_draft *d)
{
  const pki_equipment *e = &d->b->equipment;
  d->shape_name = array_of(d->b->nshape, sizeof *d->shape_name);
  d->site_name = array_of(e->nsite, sizeof *d->site_name);
  d->actuator_name = array_of(e->nactuator, sizeof *d->actuator_name);
  d->sensor_name = array_of(e->nsensor, sizeof *d->sensor_name);
  d->keyframe_name = array_of(e->nkeyframe, sizeof *d->keyframe_name);
  d->sites = array_of(e->nsite, sizeof *d->sites);
  d->actuators = array_of(e->nactuator, sizeof *d->actuators);
  d->sensors = array_of(e->nsensor, sizeof *d->sensors);
  d->keyframes = array_of(e->nkeyframe, sizeof *d->keyframes);
  return d->shape_name != NULL && d->site_name != NULL && d->actuator_name != NULL &&
         d->sensor_name != NULL && d->keyframe_name != NULL && d->sites != NULL && d->actuators != NULL &&
         d->sensors != NULL && d->keyframes != NULL;
}

static bool make_name(const pki_draft *d, char **out, int robot, const char *name)
{
  *out = pki_full_name(name != NULL ? prefix_of(d, robot) : NULL, name != NULL ? name : "");
  return *out != NULL;
}

static bool make_names(pki_draft *d)
{
  const pki_equipment *e = &d->b->equipment;
  bool ok = true;
  for (int i = 0; i < d->b->nshape && ok; i++) {
    ok = make_name(d, &d->shape_name[i], d->b->shapes[i].robot, d->b->shapes[i].desc.name);
  }
  for (int i = 0; i < e->nsite && ok; i++) {
    ok = make_name(d, &d->site_name[i], e->sites[i].robot, e->sites[i].desc.name);
  }
  for (int i = 0; i < e->nactuator && ok; i++) {
    ok = make_name(d, &d->actuator_name[i], e->actuators[i].robot, e->actuators[i].desc.name);
  }
  for (int i = 0; i < e->nsensor && ok; i++) {
    ok = make_name(d, &d->sensor_name[i], e->sensors[i].robot, e->sensors[i].desc.name);
  }
  for (int i = 0; i < e->nkeyframe && ok; i++) {
    ok = make_name(d, &d->keyframe_name[i], e->keyframes[i].end - 1, e->keyframes[i].desc.name);
  }
  return ok;
}

static bool check_names(pki_draft *d)
{
  const pki_equipment *e = &d->b->equipment;
  return check_double(d, "site", d->site_name, e->nsite) &&
         check_double(d, "actuator", d->actuator_name, e->nactuator) &&
         check_double(d, "sensor", d->sensor_name, e->nsensor) &&
         check_double(d, "keyframe", d->keyframe_name, e->nkeyframe);
}

bool pki_compile_equipment(pki_draft *d)
{
  tables t = {0};
  bool ok = allocate(d) && make_names(d) && check_names(d) && fill_tables(d, &t);
  ok = ok && compile_sites(d) && compile_actuators(d) && compile_sensors(d, &t) && compile_pairs(d, &t);
  if (ok) {
    compile_keyframes(d);
  }
  free_tables(&t);
  return ok;
}

void pki_free_equipment(pki_draft *d)
{
  const pki_equipment *e = &d->b->equipment;
  pki_free_names(d->shape_name, d->b->nshape);
  pki_free_names(d->site_name, e->nsite);
  pki_free_names(d->actuator_name, e->nactuator);
  pki_free_names(d->sensor_name, e->nsensor);
  pki_free_names(d->keyframe_name, e->nkeyframe);
  free(d->sites), free(d->actuators), free(d->sensors), free(d->keyframes), free(d->pairs);
}
