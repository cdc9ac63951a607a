/* <joint>: kind, frame, axis, limits, dynamics, mimic. */
#include <math.h>
#include <string.h>

#include "model/urdf.h"

typedef struct joint_word {
  const char *word;
  pk_joint_kind kind;
} joint_word;

static const joint_word kinds[] = {{"revolute", PK_JOINT_REVOLUTE},   {"continuous", PK_JOINT_CONTINUOUS},
                                   {"prismatic", PK_JOINT_PRISMATIC}, {"fixed", PK_JOINT_FIXED},
                                   {"floating", PK_JOINT_FLOATING},   {"planar", PK_JOINT_PLANAR},
                                   {"spherical", PK_JOINT_SPHERICAL}, {"ball", PK_JOINT_SPHERICAL}};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static bool read_kind(pki_urdf *u, const xmlNode *node, pk_joint_kind *kind)
{
  const char *type = pki_urdf_value(node, "type");
  if (type == NULL || type[0] == '\0') {
    return false;
  }
  const char *words[KIND_COUNT];
  for (int i = 0; i < KIND_COUNT; i++) {
    words[i] = kinds[i].word;
    if (strcmp(type, words[i]) == 0) {
      *kind = kinds[i].kind;
      return true;
    }
  }
  const char *near = pki_nearest_word(type, words, KIND_COUNT);
  pki_urdf_error(
      u, node, "type", PK_ERROR_SYNTAX,
      "unknown joint type \"%s\"%s%s%s: expected revolute, continuous, prismatic, fixed, floating, planar "
      "or spherical",
      pki_urdf_quoted(type).text, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
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

/* The two ends of travel of a revolute or prismatic joint. */
static void read_bounds(pki_urdf *u, const xmlNode *limit, pk_joint_desc *joint)
{
  const bool revolute = joint->kind == PK_JOINT_REVOLUTE;
  const bool has_lower = pki_urdf_value(limit, "lower") != NULL,
             has_upper = pki_urdf_value(limit, "upper") != NULL;
  if (!has_lower && !has_upper) {
    pki_urdf_error(u, limit, NULL, PK_ERROR_MODEL, "<limit> of a %s joint needs lower and upper%s",
                   revolute ? "revolute" : "prismatic", revolute ? ", or make the joint continuous" : "");
    return;
  }
  if (!has_lower || !has_upper) {
    pki_urdf_warn(u, limit, has_lower ? "upper" : "lower",
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
                   revolute ? ": if the joint is meant to turn freely, make it continuous"
                            : ": swap them, or give the real ends of travel");
    return;
  }
  if (lower == upper) {
    pki_urdf_warn(u, limit, "lower", "lower and upper are both %g: the joint is locked there", lower);
  }
  joint->lower = lower;
  joint->upper = upper;
}

static void read_limit(pki_urdf *u, const xmlNode *node, pk_joint_desc *joint)
{
  const xmlNode *limit = pki_urdf_child(node, "limit");
  const bool bounded = joint->kind == PK_JOINT_REVOLUTE || joint->kind == PK_JOINT_PRISMATIC;
  if (limit == NULL) {
    if (bounded) {
      pki_urdf_error(u, node, NULL, PK_ERROR_MODEL, "a %s joint needs a <limit> with lower and upper%s",
                     joint->kind == PK_JOINT_REVOLUTE ? "revolute" : "prismatic",
                     joint->kind == PK_JOINT_REVOLUTE ? ", or make it continuous" : "");
    }
    return;
  }
  if (bounded) {
    read_bounds(u, limit, joint);
  } else {
    double lower = 0, upper = 0;
    pki_urdf_numbers(u, limit, "lower", 1, &lower);
    pki_urdf_numbers(u, limit, "upper", 1, &upper);
    if (joint->kind != PK_JOINT_FIXED && (lower != 0 || upper != 0)) {
      pki_urdf_warn(u, limit, "lower", "lower and upper have no meaning for a %s joint and are not used",
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
  if (joint->kind == PK_JOINT_FIXED) {
    pki_urdf_warn(u, mimic, NULL, "a fixed joint cannot mimic: <mimic> is not used");
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
  if (joint.kind == PK_JOINT_FIXED) {
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
