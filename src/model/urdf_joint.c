/* <joint>: kind, frame, axis, limits, dynamics, mimic. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/joint_type.h"
#include "model/urdf.h"

/* Most words for joint kinds that messages choose from. */
enum { WORDS_MAX = 64 };

static bool read_kind(pki_urdf *u, const xmlNode *node, pk_joint_kind *kind)
{
  const char *type = pki_urdf_value(node, "type");
  if (type == NULL || type[0] == '\0') {
    return false;
  }
  const char *words[WORDS_MAX];
  int count = 0;
  for (int i = 0; i < pki_joint_type_count * PKI_JOINT_WORDS; i++) {
    const char *word = pki_joint_types[i / PKI_JOINT_WORDS]->urdf[i % PKI_JOINT_WORDS];
    if (word != NULL && strcmp(type, word) == 0) {
      *kind = (pk_joint_kind)(i / PKI_JOINT_WORDS);
      return true;
    }
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

/* A number that must not be negative; what `out` holds stays when it is not given. */
static void read_nonnegative(pki_urdf *u, const xmlNode *node, const char *attribute, const char *advice,
                             double *out)
{
  double value;
  if (!pki_urdf_numbers(u, node, attribute, 1, &value)) {
    return;
  }
  if (value < 0) {
    pki_urdf_error(u, node, attribute, PK_ERROR_MODEL, "%s of <%s> is %g, expected zero or more%s", attribute,
                   (const char *)node->name, value, advice);
    return;
  }
  *out = value;
}

/* ", or make <what> continuous", where the kind has one without limits. */
typedef struct limit_advice {
  char text[64];
} limit_advice;

static limit_advice advise_unlimited(const pki_joint_type *type, const char *before)
{
  limit_advice advice = {""};
  if (type->unlimited != NULL) {
    snprintf(advice.text, sizeof advice.text, "%s %s", before, type->unlimited);
  }
  return advice;
}

/* The two ends of travel of a joint with limits. */
static void read_bounds(pki_urdf *u, const xmlNode *limit, pk_joint_desc *joint)
{
  const pki_joint_type *type = pki_joint_type_of(joint->kind);
  const bool has_lower = pki_urdf_value(limit, "lower") != NULL,
             has_upper = pki_urdf_value(limit, "upper") != NULL;
  if (!has_lower && !has_upper) {
    pki_urdf_error(u, limit, NULL, PK_ERROR_MODEL, "<limit> of a %s joint needs lower and upper%s",
                   type->name, advise_unlimited(type, ", or make the joint").text);
    return;
  }
  if (!has_lower || !has_upper) {
    pki_urdf_warn(u, limit, has_lower ? "upper" : "lower", PK_ERROR_MODEL, "limit-missing",
                  "<limit> has no %s: it is taken as 0, as URDF says", has_lower ? "upper" : "lower");
  }
  double lower = 0, upper = 0;
  const bool lower_read = pki_urdf_numbers(u, limit, "lower", 1, &lower) || !has_lower;
  const bool upper_read = pki_urdf_numbers(u, limit, "upper", 1, &upper) || !has_upper;
  if (!lower_read || !upper_read) {
    return;
  }
  if (lower > upper) {
    pki_urdf_error(u, limit, "lower", PK_ERROR_MODEL, "lower (%g) is above upper (%g)%s", lower, upper,
                   type->unlimited != NULL
                       ? advise_unlimited(type, ": if the joint is meant to turn freely, make it").text
                       : ": swap them, or give the real ends of travel");
    return;
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
      pki_urdf_error(u, node, NULL, PK_ERROR_MODEL, "a %s joint needs a <limit> with lower and upper%s",
                     type->name, advise_unlimited(type, ", or make it").text);
    }
    return;
  }
  if (type->has_limits) {
    read_bounds(u, limit, joint);
  } else {
    double lower = 0, upper = 0;
    pki_urdf_numbers(u, limit, "lower", 1, &lower);
    pki_urdf_numbers(u, limit, "upper", 1, &upper);
    if (type->nparts > 0 && (lower != 0 || upper != 0)) {
      pki_urdf_warn(u, limit, "lower", PK_ERROR_MODEL, "limit-unused",
                    "lower and upper have no meaning for a %s joint and are not used",
                    pki_urdf_quoted(pki_urdf_value(node, "type")).text);
    }
  }
  read_nonnegative(u, limit, "effort", ": leave it out for no limit", &joint->effort);
  read_nonnegative(u, limit, "velocity", ": leave it out for no limit", &joint->velocity);
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
  if (!pki_joint_moves(joint->kind)) {
    pki_urdf_warn(u, mimic, NULL, PK_ERROR_MODEL, "mimic-unused",
                  "a fixed joint cannot mimic: <mimic> is not used");
    return;
  }
  joint->mimic = leader;
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
  if (axis != NULL) {
    pki_urdf_numbers(u, axis, "xyz", 3, joint.axis);
  }
  if (dynamics != NULL) {
    read_nonnegative(u, dynamics, "damping", "", &joint.damping);
    read_nonnegative(u, dynamics, "friction", "", &joint.friction);
    read_nonnegative(u, dynamics, "armature", "", &joint.armature);
  }
  if (kind_known) {
    read_limit(u, node, &joint);
  }
  read_mimic(u, node, &joint);

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
