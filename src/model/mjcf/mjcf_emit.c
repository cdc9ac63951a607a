/* What was read into the builder: a robot for each tree, its links, joints, shapes and sites. */
#include <math.h>
#include <string.h>

#include "model/mjcf/mjcf.h"
#include "model/pose.h"

static bool is_zero(const double v[3])
{
  return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

static pk_pose shifted(double x, double y, double z)
{
  pk_pose pose = pk_pose_identity();
  pose.pos[0] = x, pose.pos[1] = y, pose.pos[2] = z;
  return pose;
}

static void check_added(pki_mjcf *m, const pki_mjcf_node *node, pk_status status, const pk_error *err)
{
  if (status != PK_OK) {
    pki_mjcf_error(m, node, NULL, status, "%s", err->message);
  }
}

/* ---- links and joints ---- */

static void add_link(pki_mjcf *m, const pki_mjcf_node *node, const char *name, const pk_inertia *inertia)
{
  pk_link_desc link = {.name = name, .line = node->line};
  if (inertia != NULL) {
    link.inertia = *inertia;
  }
  pk_error err;
  check_added(m, node, pk_builder_add_link(m->b, &link, &err), &err);
}

static void add_fixed_joint(pki_mjcf *m, const pki_mjcf_node *node, const char *parent, const char *child,
                            const pk_pose *origin)
{
  const char *stem = pki_mjcf_print(m, "%s_fixed", child);
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = stem != NULL ? pki_mjcf_invent(m, "joint", stem) : NULL;
  joint.kind = PK_JOINT_FIXED;
  joint.parent = parent, joint.child = child;
  joint.origin = *origin;
  joint.line = node->line;
  pk_error err;
  if (joint.name != NULL) {
    check_added(m, node, pk_builder_add_joint(m->b, &joint, &err), &err);
  }
}

static void add_moving_joint(pki_mjcf *m, const pki_mjcf_joint *j, const char *parent, const char *child,
                             const pk_pose *origin)
{
  const bool limited = isfinite(j->lower) || isfinite(j->upper);
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = j->name;
  joint.kind = j->kind == PKI_MJCF_BALL    ? PK_JOINT_SPHERICAL
               : j->kind == PKI_MJCF_SLIDE ? PK_JOINT_PRISMATIC
               : limited                   ? PK_JOINT_REVOLUTE
                                           : PK_JOINT_CONTINUOUS;
  joint.parent = parent, joint.child = child;
  joint.origin = *origin;
  memcpy(joint.axis, j->axis, sizeof joint.axis);
  joint.lower = j->lower, joint.upper = j->upper;
  joint.effort = j->effort;
  joint.damping = j->damping, joint.friction = j->friction, joint.armature = j->armature;
  joint.stiffness = j->stiffness, joint.spring_ref = j->spring_ref, joint.ref = j->ref;
  joint.line = j->node->line;
  pk_error err;
  check_added(m, j->node, pk_builder_add_joint(m->b, &joint, &err), &err);
}

/* A body that hangs on the link `parent`, with as many links as its joints need (mjcf.h). */
static void add_body(pki_mjcf *m, const pki_mjcf_body *body, const char *parent, const pk_pose *pose)
{
  const char *at = parent;
  double before[3] = {0, 0, 0};
  pk_pose origin = *pose;
  for (int i = body->first_joint; i < body->first_joint + body->njoint; i++) {
    const pki_mjcf_joint *j = &m->joints[i];
    const double pos[3] = {j->kind == PKI_MJCF_SLIDE ? before[0] : j->pos[0],
                           j->kind == PKI_MJCF_SLIDE ? before[1] : j->pos[1],
                           j->kind == PKI_MJCF_SLIDE ? before[2] : j->pos[2]};
    const pk_pose step = shifted(pos[0] - before[0], pos[1] - before[1], pos[2] - before[2]);
    origin = pki_pose_mul(&origin, &step);
    const bool last = i == body->first_joint + body->njoint - 1 && is_zero(pos);
    const char *name = pki_mjcf_print(m, "%s:%s", body->name, j->name);
    const char *link = last ? body->name : name != NULL ? pki_mjcf_invent(m, "body", name) : NULL;
    if (link == NULL) {
      return;
    }
    add_link(m, j->node, link, last ? &body->inertia : NULL);
    add_moving_joint(m, j, at, link, &origin);
    at = link;
    origin = pk_pose_identity();
    memcpy(before, pos, sizeof before);
    if (last) {
      return;
    }
  }
  const pk_pose back = shifted(-before[0], -before[1], -before[2]);
  origin = pki_pose_mul(&origin, &back);
  add_link(m, body->node, body->name, &body->inertia);
  add_fixed_joint(m, body->node, at, body->name, &origin);
}

/* ---- shapes ---- */

static bool shape_geometry(pki_mjcf *m, const pki_mjcf_geom *g, pk_shape_desc *shape)
{
  const double *s = g->size;
  switch (g->kind) {
  case PKI_MJCF_SPHERE: shape->kind = PK_SHAPE_SPHERE, shape->size[0] = s[0]; return true;
  case PKI_MJCF_CAPSULE:
  case PKI_MJCF_CYLINDER:
    shape->kind = g->kind == PKI_MJCF_CAPSULE ? PK_SHAPE_CAPSULE : PK_SHAPE_CYLINDER;
    shape->size[0] = s[0], shape->size[1] = 2 * s[1];
    return true;
  case PKI_MJCF_ELLIPSOID:
    shape->kind = PK_SHAPE_ELLIPSOID;
    memcpy(shape->size, s, sizeof shape->size);
    return true;
  case PKI_MJCF_BOX:
    shape->kind = PK_SHAPE_BOX;
    shape->size[0] = 2 * s[0], shape->size[1] = 2 * s[1], shape->size[2] = 2 * s[2];
    return true;
  case PKI_MJCF_PLANE: shape->kind = PK_SHAPE_PLANE; return !shape->visual;
  case PKI_MJCF_HFIELD:
    shape->kind = PK_SHAPE_HEIGHTS;
    return !shape->visual && pki_mjcf_heights(m, g, shape);
  case PKI_MJCF_MESH:
    shape->kind = PK_SHAPE_MESH;
    shape->mesh = g->mesh != NULL ? &g->mesh->view : NULL;
    return g->mesh != NULL;
  default: return false;
  }
}

static void add_shape(pki_mjcf *m, const pki_mjcf_geom *g, bool visual, bool named)
{
  pk_shape_desc shape = {.link = m->bodies[g->body].name,
                         .name = named ? g->name : NULL,
                         .visual = visual,
                         .pose = g->pose,
                         .line = g->node->line};
  memcpy(shape.rgba, g->rgba, sizeof shape.rgba);
  if (!shape_geometry(m, g, &shape)) {
    return;
  }
  if (!visual) {
    shape.group = (unsigned)g->contype;
    shape.mask = (unsigned)g->conaffinity;
    shape.pairs_only = g->contype == 0 && g->conaffinity == 0;
    shape.friction = g->condim == 1 || g->friction == 0 ? -1 : g->friction;
    shape.priority = g->priority;
  }
  pk_error err;
  pki_mesh_remark remark = {.kind = NULL};
  const bool mesh = !visual && shape.kind == PK_SHAPE_MESH;
  const pk_status status = mesh ? pki_builder_add_collision_mesh(m->b, &m->collider, &shape,
                                                                 m->options->collision_meshes, &remark, &err)
                                : pk_builder_add_shape(m->b, &shape, &err);
  check_added(m, g->node, status, &err);
  if (status == PK_OK && remark.kind != NULL) {
    pki_mjcf_warn(m, g->node, NULL, remark.kind, "%s", remark.text);
  }
}

/* Geoms of groups 0 to 2 are those that MuJoCo's viewer shows unless told otherwise. */
static void add_geom(pki_mjcf *m, const pki_mjcf_geom *g)
{
  enum { SHOWN_MAX = 2 };
  const bool collides = !m->off.contact && (g->contype != 0 || g->conaffinity != 0 || g->paired);
  if (g->bad) {
    return;
  }
  if (collides) {
    add_shape(m, g, false, true);
  }
  if (collides ? g->group <= SHOWN_MAX : !g->node->settings->discard_visual) {
    add_shape(m, g, true, !collides);
  }
}

static void add_site(pki_mjcf *m, const pki_mjcf_site *s)
{
  const pki_mjcf_geom like = {.kind = s->kind, .size = {s->size[0], s->size[1], s->size[2]}};
  pk_shape_desc shape = {.visual = true};
  shape_geometry(m, &like, &shape);
  pk_site_desc site = pk_site_desc_default();
  site.name = s->name;
  site.link = m->bodies[s->body].name;
  site.pose = s->pose;
  site.kind = shape.kind;
  memcpy(site.size, shape.size, sizeof site.size);
  site.line = s->node->line;
  pk_error err;
  check_added(m, s->node, pk_builder_add_site(m->b, &site, &err), &err);
}

/* ---- robots ---- */

static bool is_free(const pki_mjcf *m, const pki_mjcf_body *body)
{
  return body->njoint > 0 && m->joints[body->first_joint].kind == PKI_MJCF_FREE;
}

/* Start the robot and add its root link. */
static void start_robot(pki_mjcf *m, int robot)
{
  const pki_mjcf_body *top = &m->bodies[m->robots[robot].body];
  const bool floats = is_free(m, top), hangs = top->njoint > 0 && !floats;
  pk_robot_desc desc = pk_robot_desc_default();
  desc.name = top->name;
  desc.prefix = m->options->prefix;
  desc.file = m->file;
  desc.root = floats ? PK_ROOT_FREE : PK_ROOT_FIXED;
  desc.pose = hangs ? pk_pose_identity() : top->world;
  if (top->node != m->root) {
    desc.root = m->options->root != PK_ROOT_AUTO ? m->options->root : desc.root;
    desc.pose = pki_pose_mul(&m->options->pose, &desc.pose);
  }
  pk_error err;
  check_added(m, top->node, pk_builder_add_robot(m->b, &desc, &err), &err);
  if (hangs) {
    const char *stem = pki_mjcf_print(m, "%s:world", top->name);
    const char *root = stem != NULL ? pki_mjcf_invent(m, "body", stem) : NULL;
    if (root != NULL) {
      add_link(m, top->node, root, NULL);
      add_body(m, top, root, &top->pose);
    }
  } else {
    add_link(m, top->node, top->name, &top->inertia);
  }
}

/* All of a body but its links. */
static void add_equipment(pki_mjcf *m, const pki_mjcf_body *body)
{
  for (int i = body->first_geom; i < body->first_geom + body->ngeom; i++) {
    add_geom(m, &m->geoms[i]);
  }
  for (int i = body->first_site; i < body->first_site + body->nsite; i++) {
    add_site(m, &m->sites[i]);
  }
}

/* The bodies of a tree stand behind each other; those of the world are everywhere. */
static void add_robot(pki_mjcf *m, int robot)
{
  const int top = m->robots[robot].body;
  start_robot(m, robot);
  for (int i = top + 1; i < m->nbody && (top == 0 || m->bodies[i].robot == robot); i++) {
    const pki_mjcf_body *body = &m->bodies[i];
    if (body->robot == robot) {
      add_body(m, body, m->bodies[body->parent].name, &body->pose);
    }
  }
  for (int i = top; i < m->nbody && (top == 0 || m->bodies[i].robot == robot); i++) {
    if (m->bodies[i].robot == robot) {
      add_equipment(m, &m->bodies[i]);
    }
  }
  pki_mjcf_add_actuators(m, robot);
  pki_mjcf_add_sensors(m, robot);
}

/* A root or a pose in the options is for the one tree of a file. */
static bool check_options(pki_mjcf *m)
{
  const pk_pose identity = pk_pose_identity();
  int trees = 0;
  for (int i = 0; i < m->nrobot; i++) {
    trees += m->robots[i].body != 0;
  }
  bool moved = m->options->root != PK_ROOT_AUTO;
  for (int i = 0; i < 9; i++) {
    moved |= m->options->pose.rot[i] != identity.rot[i] || m->options->pose.pos[i % 3] != 0;
  }
  if (moved && trees != 1) {
    pki_mjcf_error(m, m->root, NULL, PK_ERROR_ARGUMENT,
                   "a root or a pose is asked for, but the file has %d trees of bodies, expected one", trees);
    return false;
  }
  return true;
}

void pki_mjcf_emit(pki_mjcf *m)
{
  if (!check_options(m)) {
    return;
  }
  for (int i = 0; i < m->nrobot && !m->no_memory && m->nerror == 0; i++) {
    add_robot(m, i);
  }
  pki_mjcf_add_contact(m);
  pki_mjcf_add_equality(m);
  pki_mjcf_add_keyframes(m);
  if (m->sets_gravity) {
    pk_builder_set_gravity(m->b, m->gravity);
  }
}
