/* <sensor>: kinds, and what they sit on. */
#include <string.h>

#include "model/mjcf/mjcf.h"

/* ---- sensors ---- */

static const struct {
  const char *tag;
  pk_sensor_kind kind;
} kinds[] = {
#define SENSOR_ROW(value, name) {#name, value},
    PK_SENSOR_KINDS(SENSOR_ROW)
#undef SENSOR_ROW
};

/* A thing that a sensor sits on, and the robot it belongs to; -1: none, -2: it does not exist (reported). */
typedef struct sensor_end {
  pk_sensor_place place;
  const char *name;
  int robot;
} sensor_end;

static sensor_end end_at(const pki_mjcf *m, pk_sensor_place place, const char *name, int body)
{
  return (sensor_end){.place = place, .name = name, .robot = m->bodies[body].robot};
}

/* What an attribute names, by kind. */
static sensor_end find_end(pki_mjcf *m, const pki_mjcf_node *node, const char *attribute, const char *kind,
                           bool centre)
{
  const int found = pki_mjcf_refer(m, node, attribute, kind);
  if (found < 0) {
    return (sensor_end){.robot = -2};
  }
  if (strcmp(kind, "site") == 0) {
    return end_at(m, PK_SENSOR_PLACE_SITE, m->sites[found].name, m->sites[found].body);
  }
  if (strcmp(kind, "joint") == 0) {
    return end_at(m, PK_SENSOR_PLACE_JOINT, m->joints[found].name, m->joints[found].body);
  }
  if (strcmp(kind, "geom") == 0) {
    return end_at(m, PK_SENSOR_PLACE_SHAPE, m->geoms[found].name, m->geoms[found].body);
  }
  if (strcmp(kind, "actuator") == 0) {
    return end_at(m, PK_SENSOR_PLACE_ACTUATOR, m->actuators[found].desc.name,
                  m->joints[m->actuators[found].joint].body);
  }
  if (found == 0) {
    return (sensor_end){.place = PK_SENSOR_PLACE_NONE, .robot = -1};
  }
  return end_at(m, centre ? PK_SENSOR_PLACE_COM : PK_SENSOR_PLACE_LINK, m->bodies[found].name, found);
}

/* objtype and objname, or reftype and refname. */
static sensor_end find_frame(pki_mjcf *m, const pki_mjcf_node *node, const char *type, const char *name)
{
  const char *word = pki_mjcf_own(node, type);
  if ((word == NULL) != (pki_mjcf_own(node, name) == NULL)) {
    pki_mjcf_error(m, node, type, PK_ERROR_SYNTAX, "%s and %s go together: <%s> has only one of them", type,
                   name, node->tag);
    return (sensor_end){.robot = -2};
  }
  if (word == NULL) {
    return (sensor_end){.place = PK_SENSOR_PLACE_NONE, .robot = -1};
  }
  if (strcmp(word, "camera") == 0) {
    pki_mjcf_warn(m, node, type, "sensor-dropped", "cameras are not read: the sensor is left out");
    return (sensor_end){.robot = -2};
  }
  const bool body = strcmp(word, "body") == 0;
  return find_end(m, node, name, body || strcmp(word, "xbody") == 0 ? "body" : word, body);
}

/* Where a sensor sits: by the attribute that its kind has. */
static sensor_end find_place(pki_mjcf *m, const pki_mjcf_node *node)
{
  static const char *const ways[] = {"site", "joint", "actuator", "body"};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    if (pki_mjcf_own(node, ways[i]) != NULL) {
      return find_end(m, node, ways[i], ways[i], false);
    }
  }
  return pki_mjcf_own(node, "objtype") != NULL ? find_frame(m, node, "objtype", "objname")
                                               : (sensor_end){.place = PK_SENSOR_PLACE_NONE, .robot = -1};
}

static int sensor_kind(const char *tag)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(tag, kinds[i].tag) == 0) {
      return (int)kinds[i].kind;
    }
  }
  return -1;
}

/* A joint's sensor must fit the joint. */
static bool fits_joint(pki_mjcf *m, const pki_mjcf_node *node, pk_sensor_kind kind)
{
  const bool ball = kind == PK_SENSOR_BALLQUAT || kind == PK_SENSOR_BALLANGVEL;
  const bool scalar = kind == PK_SENSOR_JOINTPOS || kind == PK_SENSOR_JOINTVEL;
  if (!ball && !scalar) {
    return true;
  }
  const int joint = pki_mjcf_refer(m, node, "joint", "joint");
  const pki_mjcf_joint_kind found = joint >= 0 ? m->joints[joint].kind : PKI_MJCF_HINGE;
  const bool good = ball ? found == PKI_MJCF_BALL : found == PKI_MJCF_HINGE || found == PKI_MJCF_SLIDE;
  if (!good) {
    pki_mjcf_error(m, node, "joint", PK_ERROR_MODEL, "<%s> is for %s", node->tag,
                   ball ? "ball joints" : "hinges and slides");
  }
  return good;
}

/* The description of a sensor, and its robot in *robot. */
static bool read_sensor(pki_mjcf *m, const pki_mjcf_node *node, pk_sensor_desc *out, int *robot)
{
  const int kind = sensor_kind(node->tag);
  if (kind < 0) {
    pki_mjcf_warn(m, node, NULL, "sensor-dropped",
                  "sensors of kind <%s> are not simulated: this one is left out", node->tag);
    return false;
  }
  if (m->off.actuation && pki_mjcf_own(node, "actuator") != NULL) {
    return false;
  }
  const sensor_end at = find_place(m, node);
  const sensor_end reference = at.robot != -2 ? find_frame(m, node, "reftype", "refname") : at;
  if (at.robot == -2 || reference.robot == -2 || !fits_joint(m, node, (pk_sensor_kind)kind)) {
    return false;
  }
  *out = (pk_sensor_desc){.kind = (pk_sensor_kind)kind,
                          .place = at.place,
                          .at = at.name,
                          .reference = reference.place,
                          .relative_to = reference.name,
                          .cutoff = pki_mjcf_real(m, node, "cutoff", 0),
                          .noise = pki_mjcf_real(m, node, "noise", 0),
                          .line = node->line};
  if (out->cutoff < 0 || out->noise < 0) {
    pki_mjcf_error(m, node, out->cutoff < 0 ? "cutoff" : "noise", PK_ERROR_MODEL,
                   "cutoff and noise cannot be negative");
  }
  *robot = at.robot >= 0 ? at.robot : 0;
  return true;
}

void pki_mjcf_read_sensors(pki_mjcf *m)
{
  for (const pki_mjcf_node *node = NULL; (node = pki_mjcf_next_in(m, "sensor", NULL, node)) != NULL;) {
    const char *name = pki_mjcf_own(node, "name");
    if (name != NULL && name[0] != '\0') {
      pki_mjcf_enter(m, node, "sensor", name, m);
    }
  }
  for (const pki_mjcf_node *node = NULL; (node = pki_mjcf_next_in(m, "sensor", NULL, node)) != NULL;) {
    pki_mjcf_sensor s = {.node = node};
    if (!read_sensor(m, node, &s.desc, &s.robot) ||
        !pki_mjcf_grow(m, (void **)&m->sensors, m->nsensor, &m->sensor_cap, sizeof *m->sensors)) {
      continue;
    }
    const char *name = pki_mjcf_own(node, "name");
    s.desc.name = name;
    if (name == NULL || name[0] == '\0') {
      s.desc.name = pki_mjcf_invent(m, "sensor", node->tag);
      if (s.desc.name == NULL || !pki_mjcf_enter(m, node, "sensor", s.desc.name, m)) {
        continue;
      }
    }
    m->sensors[m->nsensor++] = s;
  }
}

void pki_mjcf_add_sensors(pki_mjcf *m, int robot)
{
  for (int i = 0; i < m->nsensor; i++) {
    pk_error err;
    if (m->sensors[i].robot == robot && pk_builder_add_sensor(m->b, &m->sensors[i].desc, &err) != PK_OK) {
      pki_mjcf_error(m, m->sensors[i].node, NULL, err.status, "%s", err.message);
    }
    if (m->sensors[i].robot == robot && m->sensors[i].desc.kind == PK_SENSOR_MAGNETOMETER) {
      pk_builder_set_magnetic_field(m->b, m->magnetic);
    }
  }
}
