/* <actuator>: motors on joints. Every kind but <general> is a short way to write one: a class has one slot for actuators,
 * into which each of its elements writes what it means, and so does the element itself. */
#include <math.h>
#include <string.h>

#include "model/mjcf/mjcf.h"

/* What the slot holds. */
typedef struct slot {
  double gear[6];
  double ctrl[2], force[2], act[2];
  const char *ctrl_limited, *force_limited, *act_limited; /* as written; NULL: auto */
  const char *dyntype, *gaintype, *biastype;
  double gain[10], bias[10], dyn[10];
  double inherit_range, armature, damping[3], delay;
  double damp_ratio; /* instead of bias[2]; 0: none */
} slot;

static slot slot_default(void)
{
  return (slot){
      .gear = {1}, .dyntype = "none", .gaintype = "fixed", .biastype = "none", .gain = {1}, .dyn = {1}};
}

/* Numbers of the element itself. */
static bool own_reals(const pki_mjcf_node *node, const char *attribute, int most, double *out)
{
  const char *text = pki_mjcf_own(node, attribute);
  return text != NULL && pki_mjcf_scan_reals(text, most, out) > 0;
}

static void own_word(const pki_mjcf_node *node, const char *attribute, const char **out)
{
  const char *text = pki_mjcf_own(node, attribute);
  *out = text != NULL ? text : *out;
}

/* ---- the kinds ---- */

static void set_affine(slot *s, const char *gaintype, const char *biastype)
{
  s->dyntype = "none";
  s->gaintype = gaintype;
  s->biastype = biastype;
}

static void apply_servo(pki_mjcf *m, const pki_mjcf_node *node, slot *s, bool integrates)
{
  double kv = 0, ratio = 0, time = 0;
  own_reals(node, "kp", 1, &s->gain[0]);
  s->bias[0] = 0;
  s->bias[1] = -s->gain[0];
  const bool has_kv = own_reals(node, "kv", 1, &kv), has_ratio = own_reals(node, "dampratio", 1, &ratio);
  if (has_kv && has_ratio) {
    pki_mjcf_error(m, node, "dampratio", PK_ERROR_SYNTAX,
                   "kv and dampratio are both given: keep one of them");
  }
  if (s->gain[0] < 0 || kv < 0 || ratio < 0) {
    pki_mjcf_error(m, node,
                   s->gain[0] < 0 ? "kp"
                   : kv < 0       ? "kv"
                                  : "dampratio",
                   PK_ERROR_MODEL, "kp, kv and dampratio cannot be negative");
  }
  if (has_kv || has_ratio) {
    s->bias[2] = -kv;
    s->damp_ratio = ratio;
  }
  own_reals(node, "inheritrange", 1, &s->inherit_range);
  set_affine(s, "fixed", "affine");
  if (own_reals(node, "timeconst", 1, &time) && time > 0) {
    s->dyn[0] = time;
    s->dyntype = "filterexact";
  }
  if (integrates) {
    s->dyntype = "integrator";
    s->act_limited = "true";
  }
}

static void apply_velocity(const pki_mjcf_node *node, slot *s)
{
  double kv = s->gain[0];
  own_reals(node, "kv", 1, &kv);
  memset(s->gain, 0, sizeof s->gain);
  memset(s->bias, 0, sizeof s->bias);
  s->gain[0] = kv;
  s->bias[2] = -kv;
  s->damp_ratio = 0;
  set_affine(s, "fixed", "affine");
}

static void apply_damper(pki_mjcf *m, const pki_mjcf_node *node, slot *s)
{
  double kv = 0;
  own_reals(node, "kv", 1, &kv);
  if (kv < 0) {
    pki_mjcf_error(m, node, "kv", PK_ERROR_MODEL, "kv of a damper cannot be negative");
  }
  memset(s->gain, 0, sizeof s->gain);
  s->gain[2] = -kv;
  s->ctrl_limited = "true";
  set_affine(s, "affine", "none");
}

/* Torque K i with i = (u - K v) / R: a gain of K / R and a damping of K^2 / R. */
static void apply_dcmotor(pki_mjcf *m, const pki_mjcf_node *node, slot *s)
{
  static const char *const rest[] = {"saturation", "inductance", "cogging", "controller",
                                     "thermal",    "lugre",      "input"};
  double constant[2] = {0, 0}, resistance = 0, nominal[3] = {0, 0, 0};
  const int given = pki_mjcf_scan_reals(
      pki_mjcf_own(node, "motorconst") ? pki_mjcf_own(node, "motorconst") : "", 2, constant);
  own_reals(node, "resistance", 1, &resistance);
  for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
    const char *text = pki_mjcf_own(node, rest[i]);
    if (text != NULL && strcmp(text, "voltage") != 0) {
      pki_mjcf_error(m, node, rest[i], PK_ERROR_UNSUPPORTED, "%s of a dcmotor is not simulated", rest[i]);
    }
  }
  /* the constants of torque and of voltage are one in SI units: their geometric mean where both are given */
  double K = given > 1 ? sqrt(fmax(0, constant[0] * constant[1])) : constant[0];
  if (own_reals(node, "nominal", 3, nominal)) {
    /* voltage, stall torque, speed without load: K = V / w, R = K V / T */
    if (!(nominal[0] > 0 && nominal[1] > 0 && nominal[2] > 0)) {
      pki_mjcf_error(m, node, "nominal", PK_ERROR_MODEL,
                     "nominal needs a voltage, a stall torque and a speed above 0");
      return;
    }
    K = K > 0 ? K : nominal[0] / nominal[2];
    resistance = resistance > 0 ? resistance : K * nominal[0] / nominal[1];
  }
  if (!(K > 0) || !(resistance > 0)) {
    pki_mjcf_error(m, node, NULL, PK_ERROR_MODEL, "a dcmotor needs motorconst and resistance, or nominal");
    return;
  }
  memset(s->gain, 0, sizeof s->gain);
  memset(s->bias, 0, sizeof s->bias);
  s->gain[0] = K / resistance;
  s->bias[2] = -K * K / resistance;
  s->damp_ratio = 0;
  set_affine(s, "fixed", "affine");
}

static void apply_general(const pki_mjcf_node *node, slot *s)
{
  own_word(node, "dyntype", &s->dyntype);
  own_word(node, "gaintype", &s->gaintype);
  own_word(node, "biastype", &s->biastype);
  own_reals(node, "gainprm", 10, s->gain);
  own_reals(node, "dynprm", 10, s->dyn);
  if (own_reals(node, "biasprm", 10, s->bias)) {
    s->damp_ratio = 0;
  }
}

/* What an element, of a class or of <actuator>, writes into the slot. */
static void apply(pki_mjcf *m, const pki_mjcf_node *node, slot *s)
{
  own_reals(node, "gear", 6, s->gear);
  own_reals(node, "ctrlrange", 2, s->ctrl);
  own_reals(node, "forcerange", 2, s->force);
  own_reals(node, "actrange", 2, s->act);
  own_reals(node, "armature", 1, &s->armature);
  own_reals(node, "damping", 3, s->damping);
  own_reals(node, "delay", 1, &s->delay);
  own_word(node, "ctrllimited", &s->ctrl_limited);
  own_word(node, "forcelimited", &s->force_limited);
  own_word(node, "actlimited", &s->act_limited);
  if (pki_mjcf_is(node, "general")) {
    apply_general(node, s);
  } else if (pki_mjcf_is(node, "motor")) {
    memset(s->gain, 0, sizeof s->gain);
    s->gain[0] = 1;
    set_affine(s, "fixed", "none");
  } else if (pki_mjcf_is(node, "position")) {
    apply_servo(m, node, s, false);
  } else if (pki_mjcf_is(node, "intvelocity")) {
    apply_servo(m, node, s, true);
  } else if (pki_mjcf_is(node, "velocity")) {
    apply_velocity(node, s);
  } else if (pki_mjcf_is(node, "damper")) {
    apply_damper(m, node, s);
  } else if (pki_mjcf_is(node, "dcmotor")) {
    apply_dcmotor(m, node, s);
  } else {
    s->gaintype = node->tag; /* none of those that are simulated */
  }
}

bool pki_mjcf_is_actuator(const char *tag)
{
  static const char *const tags[] = {"general",     "motor",       "position", "velocity",
                                     "intvelocity", "orientation", "pid",      "cylinder",
                                     "muscle",      "adhesion",    "damper",   "dcmotor"};
  for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
    if (strcmp(tag, tags[i]) == 0) {
      return true;
    }
  }
  return false;
}

/* ---- one actuator ---- */

/* The joint it drives; -1, and reported, when there is none that can be driven. */
static int find_target(pki_mjcf *m, const pki_mjcf_node *node)
{
  static const char *const others[] = {"tendon", "slidersite", "cranksite", "site", "refsite", "body"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (pki_mjcf_own(node, others[i]) != NULL) {
      pki_mjcf_error(m, node, others[i], PK_ERROR_UNSUPPORTED,
                     "actuators act on joints here, not on a %s: write it as a joint's motor", others[i]);
      return -1;
    }
  }
  const char *attribute = pki_mjcf_own(node, "joint") != NULL ? "joint" : "jointinparent";
  if (pki_mjcf_own(node, attribute) == NULL) {
    pki_mjcf_error(m, node, "joint", PK_ERROR_SYNTAX, "<%s> needs the attribute \"joint\"", node->tag);
    return -1;
  }
  const int joint = pki_mjcf_refer(m, node, attribute, "joint");
  if (joint >= 0 && m->joints[joint].kind != PKI_MJCF_HINGE && m->joints[joint].kind != PKI_MJCF_SLIDE) {
    pki_mjcf_error(m, node, attribute, PK_ERROR_UNSUPPORTED,
                   "joint \"%s\" has several coordinates: actuators act on hinges and slides here",
                   pki_urdf_quoted(m->joints[joint].name).text);
    return -1;
  }
  return joint;
}

/* A pair of bounds; no limit where there is none. */
static void take_range(pki_mjcf *m, const pki_mjcf_node *node, const char *word, const char *limited,
                       const char *range, const double value[2], double *lower, double *upper)
{
  *lower = -INFINITY, *upper = INFINITY;
  if (!pki_mjcf_limited(m, node, word, limited, range, value[0] != 0 || value[1] != 0)) {
    return;
  }
  if (!(value[0] < value[1])) {
    pki_mjcf_error(m, node, range, PK_ERROR_MODEL, "%s is %g %g: the first must be smaller than the second",
                   range, value[0], value[1]);
    return;
  }
  *lower = value[0], *upper = value[1];
}

/* The range of the joint, stretched about its middle, in place of one of the actuator's. */
static void inherit_range(pki_mjcf *m, const pki_mjcf_node *node, const pki_mjcf_joint *j, slot *s)
{
  const bool integrates = strcmp(s->dyntype, "integrator") == 0;
  double *range = integrates ? s->act : s->ctrl;
  if (!(s->inherit_range > 0)) {
    return;
  }
  if (range[0] != 0 || range[1] != 0) {
    pki_mjcf_error(m, node, "inheritrange", PK_ERROR_SYNTAX,
                   "inheritrange and %s are both given: keep one of them",
                   integrates ? "actrange" : "ctrlrange");
  } else if (!isfinite(j->lower) || !isfinite(j->upper)) {
    pki_mjcf_error(m, node, "inheritrange", PK_ERROR_MODEL,
                   "inheritrange is given, but joint \"%s\" has no range", pki_urdf_quoted(j->name).text);
  } else {
    const double middle = (j->lower + j->upper) / 2, half = (j->upper - j->lower) / 2 * s->inherit_range;
    range[0] = middle - half, range[1] = middle + half;
  }
}

/* Gain, bias and activation; false, and reported, when they are none of those that are simulated. */
static bool take_law(pki_mjcf *m, const pki_mjcf_node *node, int joint, slot *s, pk_actuator_desc *out)
{
  const bool fixed = strcmp(s->gaintype, "fixed") == 0, affine = strcmp(s->gaintype, "affine") == 0;
  const bool none = strcmp(s->biastype, "none") == 0, biased = strcmp(s->biastype, "affine") == 0;
  const bool filter = strncmp(s->dyntype, "filter", 6) == 0;
  out->integrates = strcmp(s->dyntype, "integrator") == 0;
  if ((!fixed && !affine) || (!none && !biased) ||
      (!filter && !out->integrates && strcmp(s->dyntype, "none") != 0)) {
    pki_mjcf_error(
        m, node, NULL, PK_ERROR_UNSUPPORTED,
        "<%s> with dyntype %s, gaintype %s and biastype %s is not simulated: only fixed and affine ones are",
        node->tag, s->dyntype, s->gaintype, s->biastype);
    return false;
  }
  if (filter) {
    pki_mjcf_warn(m, node, NULL, "actuator-filter-dropped",
                  "the filter of the control (%s, %g s) is not simulated: the control acts at once",
                  s->dyntype, s->dyn[0]);
  }
  for (int i = 0; i < 3; i++) {
    out->gain[i] = i == 0 || affine ? s->gain[i] : 0;
    out->bias[i] = biased ? s->bias[i] : 0;
  }
  /* as for a mass on a spring: critically damped at a ratio of 1 */
  const double ratio = s->damp_ratio > 0                                                ? s->damp_ratio
                       : fixed && biased && s->bias[2] > 0 && s->gain[0] == -s->bias[1] ? s->bias[2]
                                                                                        : 0;
  if (ratio > 0) {
    out->bias[2] = -2 * ratio * sqrt(s->gain[0] * pki_mjcf_joint_mass(m, joint)) / fabs(out->gear);
  }
  return true;
}

/* Largest joint force that an actuator can make. */
static double largest_force(const pk_actuator_desc *a)
{
  const double force = fmax(fabs(a->force_lower), fabs(a->force_upper));
  const bool pure =
      a->gain[1] == 0 && a->gain[2] == 0 && a->bias[0] == 0 && a->bias[1] == 0 && a->bias[2] == 0;
  const double lower = a->integrates ? a->act_lower : a->ctrl_lower,
               upper = a->integrates ? a->act_upper : a->ctrl_upper;
  const double control =
      pure && a->gain[0] != 0 ? fabs(a->gain[0]) * fmax(fabs(lower), fabs(upper)) : INFINITY;
  const double most = fmin(force, control);
  return isfinite(most) ? fabs(a->gear) * most : INFINITY;
}

static void read_actuator(pki_mjcf *m, const pki_mjcf_node *node, double *effort)
{
  slot s = slot_default();
  const pki_mjcf_node *classes[PKI_MJCF_LEVELS];
  const int count = pki_mjcf_classes(m, node, classes);
  for (int i = 0; i < count; i++) {
    for (const pki_mjcf_node *child = classes[i]->first; child != NULL && !pki_mjcf_is(child, "default");
         child = child->next) {
      if (pki_mjcf_is_actuator(child->tag)) {
        apply(m, child, &s);
      }
    }
  }
  if (pki_mjcf_is(node, "plugin")) {
    pki_mjcf_error(m, node, NULL, PK_ERROR_UNSUPPORTED, "actuators of plugins are not simulated");
    return;
  }
  apply(m, node, &s);
  const int joint = pki_mjcf_is_actuator(s.gaintype) ? -1 : find_target(m, node);
  pki_mjcf_actuator a = {.node = node, .joint = joint, .desc = pk_actuator_desc_default()};
  a.desc.gear = s.gear[0];
  if (pki_mjcf_is_actuator(s.gaintype)) {
    pki_mjcf_error(m, node, NULL, PK_ERROR_UNSUPPORTED, "actuators of kind <%s> are not simulated",
                   s.gaintype);
  }
  if (joint < 0 ||
      !pki_mjcf_grow(m, (void **)&m->actuators, m->nactuator, &m->actuator_cap, sizeof *m->actuators)) {
    return;
  }
  inherit_range(m, node, &m->joints[joint], &s);
  take_range(m, node, s.ctrl_limited, "ctrllimited", "ctrlrange", s.ctrl, &a.desc.ctrl_lower,
             &a.desc.ctrl_upper);
  take_range(m, node, s.force_limited, "forcelimited", "forcerange", s.force, &a.desc.force_lower,
             &a.desc.force_upper);
  take_range(m, node, s.act_limited, "actlimited", "actrange", s.act, &a.desc.act_lower, &a.desc.act_upper);
  if (s.delay > 0) {
    pki_mjcf_warn(m, node, "delay", "delay-dropped",
                  "the delay of %g s is not simulated: the control acts at once", s.delay);
  }
  /* what turns with the motor is felt at the joint */
  m->joints[joint].armature += s.armature * s.gear[0] * s.gear[0];
  m->joints[joint].damping += s.damping[0] * s.gear[0] * s.gear[0];
  if (!take_law(m, node, joint, &s, &a.desc)) {
    return;
  }
  const char *name = pki_mjcf_own(node, "name");
  a.desc.name = name != NULL && name[0] != '\0' ? name : NULL;
  a.desc.joint = m->joints[joint].name;
  a.desc.line = node->line;
  effort[joint] += largest_force(&a.desc);
  m->actuators[m->nactuator++] = a;
}

/* Names for those that have none, when all written ones are known. */
static void name_actuators(pki_mjcf *m)
{
  for (int named = 1; named >= 0; named--) {
    for (int i = 0; i < m->nactuator; i++) {
      pk_actuator_desc *desc = &m->actuators[i].desc;
      const bool has_name = pki_mjcf_own(m->actuators[i].node, "name") != NULL && desc->name != NULL;
      if (has_name != (named == 1)) {
        continue;
      }
      desc->name = desc->name != NULL ? desc->name : pki_mjcf_invent(m, "actuator", desc->joint);
      if (desc->name != NULL) {
        pki_mjcf_enter(m, m->actuators[i].node, "actuator", desc->name, (void *)(intptr_t)(i + 1));
      }
    }
  }
}

void pki_mjcf_read_actuators(pki_mjcf *m)
{
  double *effort = pki_mjcf_alloc(m, ((size_t)m->njoint + 1) * sizeof *effort);
  if (effort == NULL || m->off.actuation || pki_mjcf_next_in(m, "actuator", NULL, NULL) == NULL) {
    return;
  }
  for (const pki_mjcf_node *node = NULL; (node = pki_mjcf_next_in(m, "actuator", NULL, node)) != NULL;) {
    read_actuator(m, node, effort);
  }
  name_actuators(m);
  /* a joint without an actuator has no motor */
  for (int i = 0; i < m->njoint; i++) {
    m->joints[i].effort = fmin(m->joints[i].effort, effort[i]);
  }
}

void pki_mjcf_add_actuators(pki_mjcf *m, int robot)
{
  for (int i = 0; i < m->nactuator; i++) {
    const pki_mjcf_actuator *a = &m->actuators[i];
    pk_error err;
    if (m->bodies[m->joints[a->joint].body].robot == robot && a->desc.name != NULL &&
        pk_builder_add_actuator(m->b, &a->desc, &err) != PK_OK) {
      pki_mjcf_error(m, a->node, NULL, err.status, "%s", err.message);
    }
  }
}
