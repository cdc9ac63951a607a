/* <worldbody>: bodies with their joints, geoms, sites and masses, and the trees that they make. */
#include <string.h>

#include "model/mjcf/mjcf.h"
#include "model/pose.h"

static void read_site(pki_mjcf *m, const pki_mjcf_node *node, int body, const pk_pose *frame)
{
  if (!pki_mjcf_grow(m, (void **)&m->sites, m->nsite, &m->site_cap, sizeof *m->sites)) {
    return;
  }
  pki_mjcf_site site = {.node = node, .body = body, .size = {0.005, 0.005, 0.005}};
  const char *type = pki_mjcf_text(m, node, "type");
  site.kind = type == NULL                     ? PKI_MJCF_SPHERE
              : strcmp(type, "capsule") == 0   ? PKI_MJCF_CAPSULE
              : strcmp(type, "ellipsoid") == 0 ? PKI_MJCF_ELLIPSOID
              : strcmp(type, "cylinder") == 0  ? PKI_MJCF_CYLINDER
              : strcmp(type, "box") == 0       ? PKI_MJCF_BOX
                                               : PKI_MJCF_SPHERE;
  pk_pose pose;
  if (!pki_mjcf_read_size(m, node, site.kind, site.size, &pose) ||
      !pki_mjcf_check_size(m, node, site.kind, site.size)) {
    return;
  }
  site.pose = pki_pose_mul(frame, &pose);
  const char *name = pki_mjcf_own(node, "name");
  site.name = name != NULL && name[0] != '\0' ? name : pki_mjcf_invent(m, "site", "site");
  if (site.name != NULL && pki_mjcf_enter(m, node, "site", site.name, (void *)(intptr_t)(m->nsite + 1))) {
    m->sites[m->nsite++] = site;
  }
}

/* Joints, geoms, sites and <inertial> of one body, those in frames included. */
static void read_own_elements(pki_mjcf *m, const pki_mjcf_node *node, int body, const pk_pose *frame,
                              const pki_mjcf_node **inertial, pk_pose *inertial_frame)
{
  for (const pki_mjcf_node *child = node->first; child != NULL; child = child->next) {
    if (pki_mjcf_is(child, "joint") || pki_mjcf_is(child, "freejoint")) {
      pki_mjcf_read_joint(m, child, body, frame);
    } else if (pki_mjcf_is(child, "geom")) {
      pki_mjcf_read_geom(m, child, body, frame);
    } else if (pki_mjcf_is(child, "site")) {
      read_site(m, child, body, frame);
    } else if (pki_mjcf_is(child, "inertial")) {
      if (body == 0) {
        pki_mjcf_error(m, child, NULL, PK_ERROR_MODEL,
                       "the world cannot have a mass: put <inertial> into a <body>");
      } else if (*inertial != NULL) {
        pki_mjcf_error(m, child, NULL, PK_ERROR_SYNTAX, "the body has two <inertial>: it may have one");
      }
      *inertial = child;
      *inertial_frame = *frame;
    } else if (pki_mjcf_is(child, "frame")) {
      const pk_pose pose = pki_mjcf_pose(m, child), inner = pki_pose_mul(frame, &pose);
      read_own_elements(m, child, body, &inner, inertial, inertial_frame);
    } else if (pki_mjcf_is(child, "composite") || pki_mjcf_is(child, "flexcomp") ||
               pki_mjcf_is(child, "plugin")) {
      pki_mjcf_error(m, child, NULL, PK_ERROR_UNSUPPORTED, "<%s> is not simulated: %s", child->tag,
                     pki_mjcf_is(child, "plugin")
                         ? "Pronk has no plugins of MuJoCo"
                         : "deformable things and what is made of many parts are not read");
    }
  }
}

static bool has_joint(const pki_mjcf_node *node)
{
  for (const pki_mjcf_node *child = node->first; child != NULL; child = child->next) {
    if (pki_mjcf_is(child, "joint") || pki_mjcf_is(child, "freejoint") ||
        (pki_mjcf_is(child, "frame") && has_joint(child))) {
      return true;
    }
  }
  return false;
}

/* What a body asks for that is not simulated. */
static void check_body(pki_mjcf *m, const pki_mjcf_node *node, const pki_mjcf_body *body)
{
  if (pki_mjcf_flag(m, node, "mocap", false)) {
    if (body->moves || body->parent != 0) {
      pki_mjcf_error(m, node, "mocap", PK_ERROR_MODEL,
                     "a mocap body must be a child of the world without joints");
    } else {
      pki_mjcf_warn(m, node, "mocap", "mocap-dropped",
                    "mocap bodies cannot be moved: the body stays where it is");
    }
  }
  if (pki_mjcf_real(m, node, "gravcomp", 0) != 0) {
    pki_mjcf_warn(m, node, "gravcomp", "gravity-compensation-dropped",
                  "compensation of gravity is not simulated: the body has its whole weight");
  }
}

static void read_body(pki_mjcf *m, const pki_mjcf_node *node, int parent, const pk_pose *frame);

static void read_children(pki_mjcf *m, const pki_mjcf_node *node, int body, const pk_pose *frame)
{
  for (const pki_mjcf_node *child = node->first; child != NULL && !m->no_memory; child = child->next) {
    if (pki_mjcf_is(child, "body")) {
      read_body(m, child, body, frame);
    } else if (pki_mjcf_is(child, "frame")) {
      const pk_pose pose = pki_mjcf_pose(m, child), inner = pki_pose_mul(frame, &pose);
      read_children(m, child, body, &inner);
    }
  }
}

/* Index of a new body, -1 without memory. */
static int add_body(pki_mjcf *m, const pki_mjcf_node *node, int parent)
{
  if (!pki_mjcf_grow(m, (void **)&m->bodies, m->nbody, &m->body_cap, sizeof *m->bodies)) {
    return -1;
  }
  pki_mjcf_body *body = &m->bodies[m->nbody];
  *body = (pki_mjcf_body){.node = node,
                          .parent = parent,
                          .first_joint = m->njoint,
                          .robot = -1,
                          .first_geom = m->ngeom,
                          .first_site = m->nsite,
                          .pose = pk_pose_identity(),
                          .world = pk_pose_identity()};
  const char *name = parent < 0 ? "world" : pki_mjcf_own(node, "name");
  body->name = name != NULL && name[0] != '\0' ? name : pki_mjcf_invent(m, "body", "body");
  if (body->name == NULL) {
    return -1;
  }
  pki_mjcf_enter(m, node, "body", body->name, (void *)(intptr_t)(m->nbody + 1));
  return m->nbody++;
}

static void read_body(pki_mjcf *m, const pki_mjcf_node *node, int parent, const pk_pose *frame)
{
  const int index = add_body(m, node, parent);
  if (index < 0) {
    return;
  }
  const pk_pose own = pki_mjcf_pose(m, node), identity = pk_pose_identity();
  pki_mjcf_body *body = &m->bodies[index];
  body->pose = pki_pose_mul(frame, &own);
  body->world = pki_pose_mul(&m->bodies[parent].world, &body->pose);
  body->moves = m->bodies[parent].moves || has_joint(node);
  check_body(m, node, body);
  const pki_mjcf_node *inertial = NULL;
  pk_pose inertial_frame = identity;
  read_own_elements(m, node, index, &identity, &inertial, &inertial_frame);
  m->bodies[index].ngeom = m->ngeom - m->bodies[index].first_geom;
  m->bodies[index].nsite = m->nsite - m->bodies[index].first_site;
  pki_mjcf_read_inertia(m, index, inertial, &inertial_frame);
  read_children(m, node, index, &identity);
}

/* A robot of its own for each child of the world that moves or carries something that does; all else is the world's. */
static void find_robots(pki_mjcf *m)
{
  for (int i = 1; i < m->nbody; i++) {
    int top = i;
    while (m->bodies[top].parent > 0) {
      top = m->bodies[top].parent;
    }
    m->bodies[i].top = top;
    m->bodies[top].carries |= m->bodies[i].moves;
  }
  for (int i = 1; i < m->nbody; i++) {
    if (m->bodies[i].top == i && m->bodies[i].carries) {
      if (m->nrobot >= PKI_MJCF_MAX_ROBOTS) {
        pki_mjcf_error(m, m->bodies[i].node, NULL, PK_ERROR_LIMIT,
                       "the world has more than %d trees that move", PKI_MJCF_MAX_ROBOTS);
        return;
      }
      if (!pki_mjcf_grow(m, (void **)&m->robots, m->nrobot, &m->robot_cap, sizeof *m->robots)) {
        return;
      }
      m->robots[m->nrobot] = (pki_mjcf_robot){.body = i};
      m->bodies[i].robot = m->nrobot++;
    } else {
      const int top = m->bodies[i].top;
      m->bodies[i].robot = m->bodies[top].carries ? m->bodies[top].robot : -1;
    }
  }
}

/* The world is a robot when there is something on it. */
static void add_world_robot(pki_mjcf *m)
{
  bool used = m->nrobot == 0;
  for (int i = 0; i < m->nbody; i++) {
    used |= i > 0 && m->bodies[i].robot < 0;
  }
  for (int i = 0; i < m->ngeom; i++) {
    used |= m->geoms[i].body == 0;
  }
  for (int i = 0; i < m->nsite; i++) {
    used |= m->sites[i].body == 0;
  }
  if (!used || !pki_mjcf_grow(m, (void **)&m->robots, m->nrobot, &m->robot_cap, sizeof *m->robots)) {
    return;
  }
  m->robots[m->nrobot] = (pki_mjcf_robot){.body = 0};
  for (int i = 0; i < m->nbody; i++) {
    if (i == 0 || m->bodies[i].robot < 0) {
      m->bodies[i].robot = m->nrobot;
    }
  }
  m->nrobot++;
}

void pki_mjcf_read_world(pki_mjcf *m)
{
  const pk_pose identity = pk_pose_identity();
  const pki_mjcf_node *inertial = NULL;
  pk_pose inertial_frame;
  for (const pki_mjcf_node *node = m->root->first; node != NULL; node = node->next) {
    if (pki_mjcf_is(node, "worldbody")) {
      pki_mjcf_note_names(m, node);
    }
  }
  if (add_body(m, m->root, -1) < 0) {
    return;
  }
  /* the world's own geoms first: they are its children in every section */
  for (const pki_mjcf_node *node = m->root->first; node != NULL; node = node->next) {
    if (pki_mjcf_is(node, "worldbody")) {
      read_own_elements(m, node, 0, &identity, &inertial, &inertial_frame);
    }
  }
  m->bodies[0].ngeom = m->ngeom;
  m->bodies[0].nsite = m->nsite;
  for (const pki_mjcf_node *node = m->root->first; node != NULL; node = node->next) {
    if (pki_mjcf_is(node, "worldbody")) {
      read_children(m, node, 0, &identity);
    }
  }
  for (int i = 0; i < m->njoint; i++) {
    pki_mjcf_joint *j = &m->joints[i];
    if (j->name == NULL) {
      const char *stem = pki_mjcf_print(m, "%s_joint", m->bodies[j->body].name);
      j->name = stem != NULL ? pki_mjcf_invent(m, "joint", stem) : NULL;
      if (j->name != NULL) {
        pki_mjcf_enter(m, j->node, "joint", j->name, (void *)(intptr_t)(i + 1));
      }
    }
  }
  find_robots(m);
  add_world_robot(m);
  pki_mjcf_finish_masses(m);
}
