/* What stands beside the bodies of MJCF: contact, equality, actuators, sensors, keyframes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "model/convert/writer_mjcf.h"

/* What stands for no limit on one side. */
static const double NO_LIMIT = 1e9;

/* Most powers of a coupling. */
enum { POWERS = 5 };

/* ---- contact ---- */

/* Whether a shape's whole name stands in the file. */
static bool has_geom(const pki_writer *w, const char *name)
{
  for (int i = 0; i < w->b->nshape; i++) {
    const char *prefix = w->b->robots[w->b->shapes[i].robot].desc.prefix;
    const size_t before = prefix != NULL ? strlen(prefix) : 0;
    if (w->shape_named != NULL && w->shape_named[i] && strncmp(name, before > 0 ? prefix : "", before) == 0 &&
        strcmp(name + before, w->b->shapes[i].desc.name) == 0) {
      return true;
    }
  }
  return false;
}

static void put_pair(pki_writer *w, const pk_pair_desc *p)
{
  if (!p->shapes && !p->collide) {
    pki_text_add(&w->text, "    <exclude");
    pki_xml_text(&w->text, "body1", p->name[0]), pki_xml_text(&w->text, "body2", p->name[1]);
    pki_text_add(&w->text, "/>\n");
  } else if (p->shapes && p->collide && has_geom(w, p->name[0]) && has_geom(w, p->name[1])) {
    pki_text_add(&w->text, "    <pair");
    pki_xml_text(&w->text, "geom1", p->name[0]), pki_xml_text(&w->text, "geom2", p->name[1]);
    if (p->friction != 0) {
      const double friction[2] = {fmax(p->friction, 0), fmax(p->friction, 0)};
      pki_xml_reals(&w->text, "friction", friction, 2);
    }
    pki_text_add(&w->text, "/>\n");
  } else {
    pki_write_lose(w, "links that always collide and shapes that never do: MJCF has the opposite of both",
                   p->name[0]);
  }
}

static void put_pairs(pki_writer *w)
{
  const pki_equipment *e = &w->b->equipment;
  if (e->npair > 0) {
    pki_text_add(&w->text, "  <contact>\n");
    for (int i = 0; i < e->npair; i++) {
      put_pair(w, &e->pairs[i].desc);
    }
    pki_text_add(&w->text, "  </contact>\n");
  }
}

/* ---- equality ---- */

static int find_joint(const pki_writer *w, const char *prefix, const char *name)
{
  const size_t before = prefix != NULL ? strlen(prefix) : 0;
  for (int j = 0; name != NULL && j < w->b->njoint; j++) {
    const char *full = w->tree->joint_name[j];
    if (strncmp(full, before > 0 ? prefix : "", before) == 0 && strcmp(full + before, name) == 0) {
      return j;
    }
  }
  return -1;
}

/* y = c(x) as MuJoCo has it, in y - y0 and x - x0 from where the joints stand in their frames:
 * a_k = sum over n of c_n C(n, k) x0^(n - k), and y0 less in a_0. */
static void put_polynomial(pki_writer *w, int y, int x, const double c[POWERS])
{
  const double x0 = x >= 0 ? w->b->joints[x].desc.ref : 0, y0 = w->b->joints[y].desc.ref;
  double a[POWERS];
  memcpy(a, c, sizeof a);
  /* Horner's scheme, again and again: Taylor's shift */
  for (int k = 0; k < POWERS && x0 != 0; k++) {
    for (int n = POWERS - 2; n >= k; n--) {
      a[n] += x0 * a[n + 1];
    }
  }
  a[0] -= y0;
  pki_text_add(&w->text, "    <joint");
  pki_xml_text(&w->text, "joint1", w->tree->joint_name[y]);
  if (x >= 0) {
    pki_xml_text(&w->text, "joint2", w->tree->joint_name[x]);
  }
  pki_xml_reals(&w->text, "polycoef", a, POWERS);
  pki_text_add(&w->text, "/>\n");
}

static void put_coupling(pki_writer *w, const pk_constraint_desc *c)
{
  const int y = find_joint(w, NULL, c->joint[0]), x = find_joint(w, NULL, c->joint[1]);
  if (y >= 0) {
    put_polynomial(w, y, x, c->polynomial);
  }
}

static void put_followers(pki_writer *w)
{
  for (int j = 0; j < w->b->njoint; j++) {
    const pk_joint_desc *desc = &w->b->joints[j].desc;
    if (desc->mimic != NULL && pki_joint_moves(desc->kind)) {
      const char *prefix = w->b->robots[w->b->joints[j].robot].desc.prefix;
      const double c[POWERS] = {desc->mimic_offset, desc->mimic_multiplier};
      put_polynomial(w, j, find_joint(w, prefix, desc->mimic), c);
    }
  }
}

/* Where a constraint's frame stands when all joints stand in their frames. */
static pk_pose frame_at_rest(const pki_writer *w, const pk_constraint_desc *c, int end)
{
  pk_pose pose = c->frame[end];
  int link = c->link[end] != NULL ? pk_model_find_link(w->model, c->link[end]) : -1;
  while (link >= 0) {
    const int joint = w->tree->link_joint[link];
    const pk_pose *outer =
        joint >= 0 ? &w->b->joints[joint].desc.origin : &w->b->robots[w->b->links[link].robot].desc.pose;
    pose = pki_pose_mul(outer, &pose);
    link = joint >= 0 ? w->tree->joint_parent[joint] : -1;
  }
  return pose;
}

static void put_bodies_of(pki_writer *w, const char *tag, const pk_constraint_desc *c)
{
  pki_text_addf(&w->text, "    <%s", tag);
  pki_xml_text(&w->text, "body1", c->link[0] != NULL ? c->link[0] : "world");
  pki_xml_text(&w->text, "body2", c->link[1] != NULL ? c->link[1] : "world");
}

/* MuJoCo finds the point in the second body where it lies at rest. */
static void put_connect(pki_writer *w, const pk_constraint_desc *c, double along)
{
  const pk_pose a = frame_at_rest(w, c, 0), b = frame_at_rest(w, c, 1);
  double apart[3], anchor[3];
  for (int i = 0; i < 3; i++) {
    apart[i] = a.pos[i] + along * a.rot[3 * i + 2] - b.pos[i] - along * b.rot[3 * i + 2];
    anchor[i] = c->frame[0].pos[i] + along * c->frame[0].rot[3 * i + 2];
  }
  if (pki_length3(apart) > 1e-9) {
    pki_write_lose(w, "loops that are open at rest: MuJoCo holds the points together that meet there",
                   c->name);
  }
  put_bodies_of(w, "connect", c);
  pki_xml_reals(&w->text, "anchor", anchor, 3);
  pki_text_add(&w->text, "/>\n");
}

static void put_weld(pki_writer *w, const pk_constraint_desc *c)
{
  const pk_pose back = pki_pose_invert(&c->frame[1]), pose = pki_pose_mul(&c->frame[0], &back);
  double values[7];
  memcpy(values, pose.pos, sizeof pose.pos);
  pki_quat_from_mat3(pose.rot, values + 3);
  put_bodies_of(w, "weld", c);
  pki_xml_reals(&w->text, "relpose", values, 7);
  pki_text_add(&w->text, "/>\n");
}

static void put_constraint(pki_writer *w, const pk_constraint_desc *c)
{
  switch (c->kind) {
  case PK_CONSTRAINT_WELD: put_weld(w, c); break;
  case PK_CONSTRAINT_BALL: put_connect(w, c, 0); break;
  case PK_CONSTRAINT_HINGE:
    /* two points of the axis */
    put_connect(w, c, 0), put_connect(w, c, 0.1);
    break;
  case PK_CONSTRAINT_COUPLING: put_coupling(w, c); break;
  default: pki_write_lose(w, "constraints of kinds slider and distance: MJCF has none", c->name); return;
  }
  pki_write_lose(w, "that constraints are hard: MuJoCo keeps them softly", c->name);
}

static void put_equality(pki_writer *w)
{
  bool any = w->b->nconstraint > 0;
  for (int j = 0; j < w->b->njoint; j++) {
    any = any || w->b->joints[j].desc.mimic != NULL;
  }
  if (any) {
    pki_text_add(&w->text, "  <equality>\n");
    put_followers(w);
    for (int i = 0; i < w->b->nconstraint; i++) {
      put_constraint(w, &w->b->constraints[i].desc);
    }
    pki_text_add(&w->text, "  </equality>\n");
  }
}

/* ---- actuators ---- */

static void put_limits(pki_writer *w, const char *what, double lower, double upper)
{
  if (isinf(lower) && isinf(upper)) {
    return;
  }
  const double range[2] = {fmax(lower, -NO_LIMIT), fmin(upper, NO_LIMIT)};
  pki_text_addf(&w->text, " %slimited=\"true\"", what);
  pki_text_addf(&w->text, " %s", what);
  pki_text rest = {0};
  pki_xml_reals(&rest, "range", range, 2);
  /* without the blank: ctrlrange, forcerange, actrange */
  pki_text_add(&w->text, rest.data != NULL ? rest.data + 1 : "");
  w->text.failed = w->text.failed || rest.failed;
  pki_text_free(&rest);
}

static void put_actuator(pki_writer *w, const pki_actuator *kept)
{
  const pk_actuator_desc *a = &kept->desc;
  const bool affine = a->gain[1] != 0 || a->gain[2] != 0, biased = !pki_is_zero(a->bias, 3);
  pki_text_add(&w->text, "    <general");
  pki_put_mjcf_name(w, "name", kept->robot, a->name);
  pki_put_mjcf_name(w, "joint", kept->robot, a->joint);
  pki_xml_reals(&w->text, "gear", &a->gear, 1);
  pki_text_addf(&w->text, " gaintype=\"%s\"", affine ? "affine" : "fixed");
  pki_xml_reals(&w->text, "gainprm", a->gain, affine ? 3 : 1);
  pki_text_addf(&w->text, " biastype=\"%s\"", biased ? "affine" : "none");
  if (biased) {
    pki_xml_reals(&w->text, "biasprm", a->bias, 3);
  }
  if (a->integrates) {
    pki_text_add(&w->text, " dyntype=\"integrator\"");
    put_limits(w, "act", a->act_lower, a->act_upper);
  }
  put_limits(w, "ctrl", a->ctrl_lower, a->ctrl_upper);
  put_limits(w, "force", a->force_lower, a->force_upper);
  pki_text_add(&w->text, "/>\n");
  if (affine && w->options->mujoco < 3) {
    pki_write_lose(w, "MuJoCo 2 may refuse the file: actuators whose gain depends on the joint", a->name);
  }
}

/* Whether an actuator drives the joint, or has its name. */
static bool is_actuated(const pki_writer *w, int joint)
{
  const pki_joint *j = &w->b->joints[joint];
  for (int i = 0; i < w->b->equipment.nactuator; i++) {
    const pki_actuator *a = &w->b->equipment.actuators[i];
    if (a->robot == j->robot &&
        (strcmp(a->desc.joint, j->desc.name) == 0 || strcmp(a->desc.name, j->desc.name) == 0)) {
      return true;
    }
  }
  return false;
}

/* For MuJoCo 2: efforts as motors. */
static bool has_motor(const pki_writer *w, int joint)
{
  const pk_joint_desc *j = &w->b->joints[joint].desc;
  return w->options->mujoco < 3 && pki_joint_type_of(j->kind)->nparts == 1 && pki_joint_nu(j->kind) == 1 &&
         isfinite(j->effort) && j->effort > 0 && j->mimic == NULL && !is_actuated(w, joint);
}

/* MuJoCo 2 wants actuators that integrate behind all others. */
static bool comes_late(const pki_writer *w, const pki_actuator *actuator)
{
  return w->options->mujoco < 3 && actuator->desc.integrates;
}

static void put_stage_of_actuators(pki_writer *w, bool late)
{
  const pki_equipment *e = &w->b->equipment;
  for (int i = 0; i < e->nactuator; i++) {
    if (comes_late(w, &e->actuators[i]) == late) {
      put_actuator(w, &e->actuators[i]);
    }
  }
}

static void put_actuators(pki_writer *w)
{
  const pki_equipment *e = &w->b->equipment;
  bool any = e->nactuator > 0;
  for (int j = 0; j < w->b->njoint && !any; j++) {
    any = has_motor(w, j);
  }
  if (!any) {
    return;
  }
  pki_text_add(&w->text, "  <actuator>\n");
  put_stage_of_actuators(w, false);
  for (int j = 0; j < w->b->njoint; j++) {
    if (has_motor(w, j)) {
      const double effort = w->b->joints[j].desc.effort;
      pki_text_add(&w->text, "    <motor");
      pki_xml_text(&w->text, "name", w->tree->joint_name[j]);
      pki_xml_text(&w->text, "joint", w->tree->joint_name[j]);
      put_limits(w, "ctrl", -effort, effort);
      pki_text_add(&w->text, "/>\n");
    }
  }
  put_stage_of_actuators(w, true);
  pki_text_add(&w->text, "  </actuator>\n");
}

/* Control values of the builder's actuators in the order of the file. The count. */
static int order_controls(const pki_writer *w, const double *values, double *out)
{
  const pki_equipment *e = &w->b->equipment;
  int count = 0;
  for (int late = 0; late < 2; late++) {
    for (int i = 0; i < e->nactuator; i++) {
      if (comes_late(w, &e->actuators[i]) == (late == 1)) {
        out[count++] = values[i];
      }
    }
    for (int j = 0; late == 0 && j < w->b->njoint; j++) {
      if (has_motor(w, j)) {
        out[count++] = 0;
      }
    }
  }
  return count;
}

/* ---- sensors ---- */

#define SENSOR_WORD(value, name) [value] = #name,
static const char *const sensor_words[PK_SENSOR_KIND_COUNT] = {PK_SENSOR_KINDS(SENSOR_WORD)};
#undef SENSOR_WORD

static const char *const frame_words[PK_SENSOR_PLACE_COUNT] = {[PK_SENSOR_PLACE_LINK] = "xbody",
                                                               [PK_SENSOR_PLACE_COM] = "body",
                                                               [PK_SENSOR_PLACE_SITE] = "site",
                                                               [PK_SENSOR_PLACE_SHAPE] = "geom"};

static const char *const place_words[PK_SENSOR_PLACE_COUNT] = {[PK_SENSOR_PLACE_LINK] = "body",
                                                               [PK_SENSOR_PLACE_SITE] = "site",
                                                               [PK_SENSOR_PLACE_JOINT] = "joint",
                                                               [PK_SENSOR_PLACE_ACTUATOR] = "actuator"};

static void put_sensor(pki_writer *w, const pki_sensor *kept)
{
  const pk_sensor_desc *s = &kept->desc;
  const bool frame = s->kind >= PK_SENSOR_FRAMEPOS && s->kind <= PK_SENSOR_FRAMEANGACC;
  const char *place = frame ? frame_words[s->place] : place_words[s->place];
  if (place == NULL && s->place != PK_SENSOR_PLACE_NONE) {
    pki_write_lose(w, "sensors that sit on what MJCF does not let them", s->name);
    return;
  }
  pki_text_addf(&w->text, "    <%s", sensor_words[s->kind]);
  pki_put_mjcf_name(w, "name", kept->robot, s->name);
  if (place != NULL && frame) {
    pki_xml_text(&w->text, "objtype", place);
    pki_put_mjcf_name(w, "objname", kept->robot, s->at);
  } else if (place != NULL) {
    pki_put_mjcf_name(w, place, kept->robot, s->at);
  }
  if (frame && frame_words[s->reference] != NULL) {
    pki_xml_text(&w->text, "reftype", frame_words[s->reference]);
    pki_put_mjcf_name(w, "refname", kept->robot, s->relative_to);
  }
  if (s->cutoff != 0) {
    pki_xml_reals(&w->text, "cutoff", &s->cutoff, 1);
  }
  if (s->noise != 0) {
    pki_xml_reals(&w->text, "noise", &s->noise, 1);
  }
  pki_text_add(&w->text, "/>\n");
}

static void put_sensors(pki_writer *w)
{
  const pki_equipment *e = &w->b->equipment;
  if (e->nsensor > 0) {
    pki_text_add(&w->text, "  <sensor>\n");
    for (int i = 0; i < e->nsensor; i++) {
      put_sensor(w, &e->sensors[i]);
    }
    pki_text_add(&w->text, "  </sensor>\n");
  }
}

/* ---- keyframes ---- */

/* All coordinates (or velocities) in the order of MuJoCo: the root's, then those of joints as their bodies come; followers
 * have their own. The count; `out` has room for those of the model and one for each joint. */
static int order_coordinates(const pki_writer *w, const double *values, bool velocities, double *out)
{
  const pk_model *m = w->model;
  int count = 0;
  for (int k = 0; k < w->tree->norder; k++) {
    const int link = w->tree->order[k], joint = w->tree->link_joint[link];
    const pk_model_robot *robot = &m->robots[w->b->links[link].robot];
    int first = velocities ? robot->u : robot->q;
    int number = robot->root == PK_ROOT_FREE ? (velocities ? 6 : 7) : robot->root == PK_ROOT_CHAIN ? 6 : 0;
    double gain = 1, offset = 0;
    if (joint >= 0) {
      const int index = pk_model_find_joint(m, w->tree->joint_name[joint]);
      const pk_model_joint *j = index >= 0 ? &m->joints[index] : NULL;
      number = j == NULL ? 0 : velocities ? j->nu : j->nq;
      first = j == NULL ? 0 : velocities ? j->u : j->q;
      if (j != NULL && j->leader >= 0) {
        gain = j->multiplier, offset = velocities ? 0 : j->offset;
      }
    }
    for (int i = 0; i < number; i++) {
      out[count++] = gain * values[first + i] + offset;
    }
  }
  return count;
}

/* A keyframe's numbers over those of the whole world, from `first` on; false: there are not as many as its robots have. */
static bool overlay(double *world, int first, int expected, const double *own, int count)
{
  if (own == NULL) {
    return true;
  }
  if (count != expected) {
    return false;
  }
  memcpy(world + first, own, (size_t)count * sizeof *own);
  return true;
}

static void put_keyframe(pki_writer *w, const pki_keyframe *kept, double *world, double *ordered)
{
  const pk_keyframe_desc *k = &kept->desc;
  const pk_model *m = w->model;
  const pki_equipment *e = &w->b->equipment;
  const int from = kept->end - k->nrobot;
  const pk_model_robot *first = &m->robots[from], *last = &m->robots[kept->end - 1];
  pki_text_add(&w->text, "    <key");
  pki_put_mjcf_name(w, "name", kept->end - 1, k->name);
  memcpy(world, m->q0, (size_t)m->nq * sizeof *world);
  bool fits = overlay(world, first->q, last->q + last->nq - first->q, k->q, k->nq);
  pki_xml_reals(&w->text, "qpos", ordered, order_coordinates(w, world, false, ordered));
  if (k->u != NULL) {
    memset(world, 0, (size_t)m->nu * sizeof *world);
    fits = fits && overlay(world, first->u, last->u + last->nu - first->u, k->u, k->nu);
    pki_xml_reals(&w->text, "qvel", ordered, order_coordinates(w, world, true, ordered));
  }
  if (k->ctrl != NULL) {
    int before = 0, own = 0;
    for (int i = 0; i < e->nactuator; i++) {
      before += e->actuators[i].robot < from;
      own += e->actuators[i].robot >= from && e->actuators[i].robot < kept->end;
    }
    memset(world, 0, (size_t)e->nactuator * sizeof *world);
    fits = fits && overlay(world, before, own, k->ctrl, k->nctrl);
    pki_xml_reals(&w->text, "ctrl", ordered, order_controls(w, world, ordered));
  }
  if (!fits) {
    pki_write_refuse(w, "keyframe \"%s\" has not as many numbers as its robots", k->name);
  }
  pki_text_add(&w->text, "/>\n");
}

static void put_keyframes(pki_writer *w)
{
  const pki_equipment *e = &w->b->equipment;
  if (e->nkeyframe == 0) {
    return;
  }
  const size_t room = (size_t)w->model->nq + (size_t)w->model->nu + (size_t)e->nactuator +
                      7 * (size_t)w->b->njoint + 7 * (size_t)w->b->nrobot;
  double *world = calloc(room, sizeof *world), *ordered = calloc(room, sizeof *ordered);
  if (world == NULL || ordered == NULL) {
    w->text.failed = true;
  } else {
    pki_text_add(&w->text, "  <keyframe>\n");
    for (int i = 0; i < e->nkeyframe; i++) {
      put_keyframe(w, &e->keyframes[i], world, ordered);
    }
    pki_text_add(&w->text, "  </keyframe>\n");
  }
  free(world), free(ordered);
}

void pki_put_mjcf_parts(pki_writer *w)
{
  put_pairs(w);
  put_equality(w);
  put_actuators(w);
  put_sensors(w);
  put_keyframes(w);
}
