/* <joint> and <freejoint>. */
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "model/mjcf/mjcf.h"
#include "model/pose.h"

static pki_mjcf_joint_kind joint_kind(const pki_mjcf *m, const pki_mjcf_node *node)
{
  const char *type = pki_mjcf_is(node, "freejoint") ? "free" : pki_mjcf_text(m, node, "type");
  return type == NULL                 ? PKI_MJCF_HINGE
         : strcmp(type, "free") == 0  ? PKI_MJCF_FREE
         : strcmp(type, "ball") == 0  ? PKI_MJCF_BALL
         : strcmp(type, "slide") == 0 ? PKI_MJCF_SLIDE
                                      : PKI_MJCF_HINGE;
}

/* Joints of this kind have no such number in Pronk. */
static void warn_left_out(pki_mjcf *m, const pki_mjcf_joint *j, const char *attribute)
{
  pki_mjcf_warn(m, j->node, attribute, "joint-feature-dropped",
                "%s of a %s joint is not simulated: it is left out", attribute,
                j->kind == PKI_MJCF_FREE ? "free" : "ball");
}

static void read_limits(pki_mjcf *m, pki_mjcf_joint *j, double unit)
{
  const pki_mjcf_node *node = j->node;
  double range[2] = {0, 0};
  pki_mjcf_reals(m, node, "range", 2, range);
  const bool limited = pki_mjcf_limited(m, node, pki_mjcf_text(m, node, "limited"), "limited", "range",
                                        range[0] != 0 || range[1] != 0);
  if (!limited || j->kind == PKI_MJCF_FREE) {
    return;
  }
  if (j->kind == PKI_MJCF_BALL) {
    if (range[0] != 0) {
      pki_mjcf_error(m, node, "range", PK_ERROR_MODEL, "range of a ball joint begins at %g, expected 0",
                     range[0]);
    }
    warn_left_out(m, j, "range");
  } else if (!(range[0] < range[1])) {
    pki_mjcf_error(m, node, "range", PK_ERROR_MODEL,
                   "range is %g %g: the first must be smaller than the second", range[0], range[1]);
  } else if (!m->off.limits) {
    j->lower = range[0] * unit;
    j->upper = range[1] * unit;
  }
}

static void read_effort(pki_mjcf *m, pki_mjcf_joint *j)
{
  const pki_mjcf_node *node = j->node;
  double range[2] = {0, 0};
  pki_mjcf_reals(m, node, "actuatorfrcrange", 2, range);
  const bool limited =
      pki_mjcf_limited(m, node, pki_mjcf_text(m, node, "actuatorfrclimited"), "actuatorfrclimited",
                       "actuatorfrcrange", range[0] != 0 || range[1] != 0);
  if (!limited) {
    return;
  }
  if (!(range[0] < range[1])) {
    pki_mjcf_error(m, node, "actuatorfrcrange", PK_ERROR_MODEL,
                   "actuatorfrcrange is %g %g: the first must be smaller than the second", range[0],
                   range[1]);
    return;
  }
  j->effort = fmax(fabs(range[0]), fabs(range[1]));
  if (range[0] != -range[1]) {
    pki_mjcf_warn(m, node, "actuatorfrcrange", "force-range-symmetric",
                  "actuatorfrcrange is %g %g: the joint gets %g both ways", range[0], range[1], j->effort);
  }
}

/* The first of the coefficients of a polynomial; the others are not simulated. */
static double read_linear(pki_mjcf *m, const pki_mjcf_node *node, const char *attribute)
{
  double value[3] = {0, 0, 0};
  pki_mjcf_reals(m, node, attribute, 3, value);
  if (value[1] != 0 || value[2] != 0) {
    pki_mjcf_warn(m, node, attribute, "joint-feature-dropped",
                  "%s is a polynomial: only its first, linear coefficient is simulated", attribute);
  }
  return value[0];
}

static void read_forces(pki_mjcf *m, pki_mjcf_joint *j, double unit)
{
  const pki_mjcf_node *node = j->node;
  j->stiffness = m->off.springs ? 0 : read_linear(m, node, "stiffness");
  j->damping = m->off.dampers ? 0 : read_linear(m, node, "damping");
  j->armature = pki_mjcf_real(m, node, "armature", 0);
  j->friction = m->off.friction ? 0 : pki_mjcf_real(m, node, "frictionloss", 0);
  j->ref = pki_mjcf_real(m, node, "ref", 0) * unit;
  j->spring_ref = pki_mjcf_real(m, node, "springref", 0) * unit;
  const int given = pki_mjcf_reals(m, node, "springdamper", 2, j->spring_damper);
  if (given > 0 && (j->spring_damper[0] != 0 || j->spring_damper[1] != 0) &&
      !(j->spring_damper[0] > 0 && j->spring_damper[1] > 0)) {
    pki_mjcf_error(m, node, "springdamper", PK_ERROR_MODEL, "the values of springdamper must be positive");
    j->spring_damper[0] = j->spring_damper[1] = 0;
  }
  const struct {
    const char *name;
    double value;
  } all[] = {{"stiffness", j->stiffness},
             {"damping", j->damping},
             {"armature", j->armature},
             {"frictionloss", j->friction}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i].value < 0) {
      pki_mjcf_error(m, node, all[i].name, PK_ERROR_MODEL, "%s is %g, expected zero or more", all[i].name,
                     all[i].value);
    } else if (all[i].value != 0 && (j->kind == PKI_MJCF_FREE || (j->kind == PKI_MJCF_BALL && i == 0))) {
      warn_left_out(m, j, all[i].name);
    }
  }
  if (j->kind == PKI_MJCF_BALL) {
    j->stiffness = 0;
  }
  if (pki_mjcf_flag(m, node, "actuatorgravcomp", false)) {
    pki_mjcf_warn(m, node, "actuatorgravcomp", "gravity-compensation-dropped",
                  "compensation of gravity is not simulated");
  }
}

static void read_axis(pki_mjcf *m, pki_mjcf_joint *j, const pk_pose *frame)
{
  double pos[3] = {0, 0, 0}, axis[3] = {0, 0, 1};
  pki_mjcf_reals(m, j->node, "pos", 3, pos);
  pki_mjcf_reals(m, j->node, "axis", 3, axis);
  const double length = pki_length3(axis);
  if (!(length > 1e-14)) {
    pki_mjcf_error(m, j->node, "axis", PK_ERROR_MODEL, "axis has no length");
    axis[2] = 1;
  }
  pki_mat3_apply(frame->rot, axis, j->axis);
  pki_mat3_apply(frame->rot, pos, j->pos);
  for (int i = 0; i < 3; i++) {
    j->axis[i] /= length > 1e-14 ? length : 1;
    j->pos[i] += frame->pos[i];
  }
}

/* Which joints a body may have together. */
static void check_company(pki_mjcf *m, const pki_mjcf_joint *j, pki_mjcf_body *body)
{
  static const int speeds[] = {
      [PKI_MJCF_FREE] = 6, [PKI_MJCF_BALL] = 3, [PKI_MJCF_SLIDE] = 1, [PKI_MJCF_HINGE] = 1};
  int total = speeds[j->kind];
  bool ball = false, free_joint = false;
  for (int i = body->first_joint; i < body->first_joint + body->njoint; i++) {
    total += speeds[m->joints[i].kind];
    ball |= m->joints[i].kind == PKI_MJCF_BALL;
    free_joint |= m->joints[i].kind == PKI_MJCF_FREE;
  }
  if (j->kind == PKI_MJCF_FREE && body->parent != 0) {
    pki_mjcf_error(m, j->node, NULL, PK_ERROR_MODEL, "a free joint can only be in a body of <worldbody>");
  } else if (total > 6 || (free_joint && j->kind != PKI_MJCF_FREE)) {
    pki_mjcf_error(m, j->node, NULL, PK_ERROR_MODEL, "body \"%s\" gets more than 6 degrees of freedom",
                   pki_urdf_quoted(body->name).text);
  } else if (ball && (j->kind == PKI_MJCF_BALL || j->kind == PKI_MJCF_HINGE)) {
    pki_mjcf_error(m, j->node, NULL, PK_ERROR_MODEL, "body \"%s\" has a ball joint before another rotation",
                   pki_urdf_quoted(body->name).text);
  }
}

void pki_mjcf_read_joint(pki_mjcf *m, const pki_mjcf_node *node, int body, const pk_pose *frame)
{
  if (body == 0) {
    pki_mjcf_error(m, node, NULL, PK_ERROR_MODEL, "the world cannot have joints: put <%s> into a <body>",
                   node->tag);
    return;
  }
  if (!pki_mjcf_grow(m, (void **)&m->joints, m->njoint, &m->joint_cap, sizeof *m->joints)) {
    return;
  }
  pki_mjcf_joint *j = &m->joints[m->njoint];
  *j = (pki_mjcf_joint){.node = node,
                        .kind = joint_kind(m, node),
                        .body = body,
                        .axis = {0, 0, 1},
                        .lower = -INFINITY,
                        .upper = INFINITY,
                        .effort = INFINITY};
  const double unit = j->kind == PKI_MJCF_HINGE && node->settings->degrees ? PKI_MJCF_DEGREE : 1;
  if (!pki_mjcf_is(node, "freejoint")) {
    read_limits(m, j, unit);
    read_forces(m, j, unit);
  }
  if (j->kind == PKI_MJCF_SLIDE || j->kind == PKI_MJCF_HINGE) {
    read_effort(m, j);
  }
  if (j->kind != PKI_MJCF_FREE) {
    read_axis(m, j, frame);
  }
  check_company(m, j, &m->bodies[body]);
  const char *name = pki_mjcf_own(node, "name");
  j->name = name != NULL && name[0] != '\0' ? name : NULL;
  j->q = m->nq, j->u = m->nu;
  m->nq += j->kind == PKI_MJCF_FREE ? 7 : j->kind == PKI_MJCF_BALL ? 4 : 1;
  m->nu += j->kind == PKI_MJCF_FREE ? 6 : j->kind == PKI_MJCF_BALL ? 3 : 1;
  m->bodies[body].njoint++;
  if (j->name != NULL) {
    pki_mjcf_enter(m, node, "joint", j->name, (void *)(intptr_t)(m->njoint + 1));
  }
  m->njoint++;
}
