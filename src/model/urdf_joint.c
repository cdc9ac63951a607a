/* <joint>: kind, frame, axis, limits, dynamics, mimic. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/joint_type.h"
#include "model/urdf.h"

/* Most words for joint kinds that messages choose from. */
enum { WORDS_MAX = 64 };

/* The kind that a word of URDF names, in its own case or in any; false: none. */
static bool find_kind(const char *type, bool any_case, pk_joint_kind *kind)
{
  for (int i = 0; i < pki_joint_type_count * PKI_JOINT_WORDS; i++) {
    const char *word = pki_joint_types[i / PKI_JOINT_WORDS]->urdf[i % PKI_JOINT_WORDS];
    if (word != NULL && (any_case ? strcasecmp(type, word) : strcmp(type, word)) == 0) {
      *kind = (pk_joint_kind)(i / PKI_JOINT_WORDS);
      return true;
    }
  }
  return false;
}

static bool read_kind(pki_urdf *u, const xmlNode *node, pk_joint_kind *kind)
{
  const char *type = pki_urdf_value(node, "type");
  if (type == NULL || type[0] == '\0') {
    return false;
  }
  if (find_kind(type, false, kind)) {
    return true;
  }
  if (find_kind(type, true, kind)) {
    pki_urdf_warn(u, node, "type", PK_ERROR_SYNTAX, "joint-type-case",
                  "joint type \"%s\" is read as \"%s\": types are written small", pki_urdf_quoted(type).text,
                  pki_joint_type_of(*kind)->urdf[0]);
    return true;
  }
  const char *words[WORDS_MAX];
  int count = 0;
  for (int i = 0; i < pki_joint_type_count * PKI_JOINT_WORDS; i++) {
    const char *word = pki_joint_types[i / PKI_JOINT_WORDS]->urdf[i % PKI_JOINT_WORDS];
    if (word != NULL && count < WORDS_MAX) {
      words[count++] = word;
    }
  }
  const char *near = pki_nearest_word(type, words, count);
  char expected[256];
  pki_joint_list_words(expected, sizeof expected);
  pki_urdf_error(u, node, "type", PK_ERROR_SYNTAX, "unknown joint type \"%s\"%s%s%s: expected %s",
                 pki_urdf_quoted(type).text, near ? "; did you mean \"" : "", near ? near : "",
                 near ? "\"?" : "", expected);
  return false;
}

/* A loss, which must not be negative: it would give energy. */
static void read_loss(pki_urdf *u, const xmlNode *node, const char *attribute, double *out)
{
  double value;
  if (!pki_urdf_numbers(u, node, attribute, 1, &value)) {
    return;
  }
  if (value < 0) {
    pki_urdf_warn(u, node, attribute, PK_ERROR_MODEL, "negative",
                  "%s of <%s> is %g, expected zero or more: it is taken as 0", attribute,
                  (const char *)node->name, value);
    value = 0;
  }
  *out = value;
}

/* The largest effort or speed, both ways. */
static void read_most(pki_urdf *u, const xmlNode *node, const char *attribute, double *out)
{
  double value;
  if (!pki_urdf_bound(u, node, attribute, &value)) {
    return;
  }
  if (value < 0) {
    pki_urdf_warn(u, node, attribute, PK_ERROR_MODEL, "negative",
                  "%s of <%s> is %g, expected zero or more: it is taken as %g", attribute,
                  (const char *)node->name, value, -value);
  }
  *out = fabs(value);
}

/* The two ends of travel of a joint with limits; it has none where they are not given or make no sense. */
static void read_bounds(pki_urdf *u, const xmlNode *limit, pk_joint_desc *joint)
{
  const char *kind = pki_joint_type_of(joint->kind)->name;
  double lower = 0, upper = 0;
  const bool has_lower = pki_urdf_bound(u, limit, "lower", &lower),
             has_upper = pki_urdf_bound(u, limit, "upper", &upper);
  if (!has_lower && !has_upper) {
    pki_urdf_warn(u, limit, NULL, PK_ERROR_MODEL, "limit-missing",
                  "<limit> of a %s joint has no lower and upper: the joint has no limits", kind);
    return;
  }
  if (lower > upper) {
    pki_urdf_warn(u, limit, "lower", PK_ERROR_MODEL, "limit-reversed",
                  "lower (%g) is above upper (%g): the joint has no limits, as other tools read this", lower,
                  upper);
    return;
  }
  if (!has_lower || !has_upper) {
    pki_urdf_warn(u, limit, has_lower ? "upper" : "lower", PK_ERROR_MODEL, "limit-missing",
                  "<limit> has no %s: it is taken as 0, as URDF says", has_lower ? "upper" : "lower");
  }
  if (lower == upper) {
    pki_urdf_warn(u, limit, "lower", PK_ERROR_MODEL, "joint-locked",
                  "lower and upper are both %g: the joint is locked there", lower);
  }
  joint->lower = lower;
  joint->upper = upper;
}

static void read_limit(pki_urdf *u, const xmlNode *node, pk_joint_desc *joint)
{
  const xmlNode *limit = pki_urdf_child(node, "limit");
  const pki_joint_type *type = pki_joint_type_of(joint->kind);
  if (limit == NULL) {
    if (type->has_limits) {
      pki_urdf_warn(u, node, NULL, PK_ERROR_MODEL, "limit-missing",
                    "a %s joint without <limit>: the joint has no limits", type->name);
    }
    return;
  }
  if (type->has_limits) {
    read_bounds(u, limit, joint);
  } else if (type->nparts > 0) {
    double lower = 0, upper = 0;
    pki_urdf_bound(u, limit, "lower", &lower);
    pki_urdf_bound(u, limit, "upper", &upper);
    if (lower != 0 || upper != 0) {
      pki_urdf_warn(u, limit, "lower", PK_ERROR_MODEL, "limit-unused",
                    "lower and upper have no meaning for a %s joint and are not used",
                    pki_urdf_quoted(pki_urdf_value(node, "type")).text);
    }
  }
  if (type->nparts > 0) {
    read_most(u, limit, "effort", &joint->effort);
    read_most(u, limit, "velocity", &joint->velocity);
  }
}

void pki_urdf_note_joints(pki_urdf *u, const xmlNode *robot)
{
  for (const xmlNode *j = pki_urdf_child(robot, "joint"); j != NULL; j = pki_urdf_next(j->next, "joint")) {
    const char *name = pki_urdf_value(j, "name");
    if (name != NULL && name[0] != '\0') {
      xmlHashAddEntry(u->joints, (const xmlChar *)name, (void *)(size_t)j);
    }
  }
}

/* Whether the joint called `leader` has the one coordinate that another can follow. */
static bool is_leader(const pki_urdf *u, const char *leader)
{
  const xmlNode *node = xmlHashLookup(u->joints, (const xmlChar *)leader);
  const char *type = node != NULL ? pki_urdf_value(node, "type") : NULL;
  pk_joint_kind kind;
  return type != NULL && find_kind(type, true, &kind) && pki_joint_nu(kind) == 1;
}

static void read_mimic(pki_urdf *u, const xmlNode *node, pk_joint_desc *joint)
{
  const xmlNode *mimic = pki_urdf_child(node, "mimic");
  const char *leader = mimic != NULL ? pki_urdf_value(mimic, "joint") : NULL;
  if (leader == NULL) {
    return;
  }
  pki_urdf_numbers(u, mimic, "multiplier", 1, &joint->mimic_multiplier);
  pki_urdf_numbers(u, mimic, "offset", 1, &joint->mimic_offset);
  if (pki_joint_nu(joint->kind) != 1) {
    pki_urdf_warn(u, mimic, NULL, PK_ERROR_MODEL, "mimic-unused",
                  "a %s joint cannot mimic: <mimic> is not used", pki_joint_type_of(joint->kind)->name);
  } else if (!is_leader(u, leader)) {
    const bool exists = xmlHashLookup(u->joints, (const xmlChar *)leader) != NULL;
    pki_urdf_warn(u, mimic, "joint", PK_ERROR_NAME, "mimic-unused",
                  "%s \"%s\"%s: <mimic> is not used, and the joint moves by itself",
                  exists ? "joint" : "there is no joint", pki_urdf_quoted(leader).text,
                  exists ? " has not one coordinate" : "");
  } else {
    joint->mimic = leader;
  }
}

static const char *end_of(const xmlNode *node, const char *tag)
{
  const xmlNode *end = pki_urdf_child(node, tag);
  const char *link = end != NULL ? pki_urdf_value(end, "link") : NULL;
  return link != NULL && link[0] != '\0' ? link : NULL;
}

void pki_urdf_read_joint(pki_urdf *u, const xmlNode *node)
{
  pk_joint_desc joint = pk_joint_desc_default();
  const bool kind_known = read_kind(u, node, &joint.kind);
  joint.name = pki_urdf_value(node, "name");
  joint.line = pki_urdf_line(node);
  joint.parent = end_of(node, "parent");
  joint.child = end_of(node, "child");
  joint.origin = pki_urdf_origin(u, node);

  const xmlNode *axis = pki_urdf_child(node, "axis"), *dynamics = pki_urdf_child(node, "dynamics");
  if (axis != NULL && !pki_urdf_numbers(u, axis, "xyz", 3, joint.axis) &&
      pki_urdf_value(axis, "xyz") == NULL) {
    pki_urdf_warn(u, axis, NULL, PK_ERROR_SYNTAX, "attribute-missing",
                  "<axis> has no attribute \"xyz\": it is taken as 1 0 0");
  }
  if (dynamics != NULL) {
    read_loss(u, dynamics, "damping", &joint.damping);
    read_loss(u, dynamics, "friction", &joint.friction);
    read_loss(u, dynamics, "armature", &joint.armature);
  }
  if (kind_known) {
    read_limit(u, node, &joint);
    read_mimic(u, node, &joint);
  }

  if (!kind_known || joint.name == NULL || joint.name[0] == '\0' || joint.parent == NULL ||
      joint.child == NULL) {
    return; /* reported by the check */
  }
  if (!pki_joint_moves(joint.kind)) {
    /* files often keep an axis and limits from the time when the joint moved */
    const pk_joint_desc fresh = pk_joint_desc_default();
    memcpy(joint.axis, fresh.axis, sizeof joint.axis);
    joint.effort = fresh.effort, joint.velocity = fresh.velocity;
    joint.damping = fresh.damping, joint.friction = fresh.friction, joint.armature = fresh.armature;
  }
  pk_error err;
  if (pk_builder_add_joint(u->b, &joint, &err) != PK_OK) {
    pki_urdf_error(u, node, NULL, err.status, "%s", err.message);
  }
}
