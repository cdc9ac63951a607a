/* A robot without some of its limbs, from the numbers of the whole one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/symbolic/symbolic.h"

enum { NAME = 96 };

/* Mass, centre and moments about it, from m, m c and the moments about the origin. */
static pk_inertia inertia_of(const double I[10])
{
  pk_inertia out = {.mass = I[0]};
  if (I[0] <= 0) {
    return out;
  }
  double *c = out.com;
  for (int k = 0; k < 3; k++) {
    c[k] = I[1 + k] / I[0];
  }
  /* I_c = I_o - m (c'c 1 - c c'), in the order xx xy xz yy yz zz */
  const double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
  static const int row[6] = {0, 0, 0, 1, 1, 2}, col[6] = {0, 1, 2, 1, 2, 2};
  for (int e = 0; e < 6; e++) {
    out.moment[e] = I[4 + e] - I[0] * ((row[e] == col[e] ? square : 0) - c[row[e]] * c[col[e]]);
  }
  return out;
}

static bool has_joint(const pk_model *m, int body)
{
  const int motion = m->body_motion[body];
  return motion == PK_MOTION_REVOLUTE || motion == PK_MOTION_PRISMATIC;
}

static void link_name(const pk_model *m, int body, char out[NAME])
{
  const int link = m->body_link[body];
  if (link >= 0) {
    snprintf(out, NAME, "%s", m->links[link].name);
  } else {
    snprintf(out, NAME, "body%d", body);
  }
}

static pk_status add_joint(pk_builder *b, const pk_model *m, int body, pk_error *err)
{
  char name[NAME], parent[NAME], child[NAME];
  const int dof = m->body_u[body], joint = m->dof_joint[dof];
  link_name(m, m->body_parent[body], parent);
  link_name(m, body, child);
  snprintf(name, sizeof name, "%s", m->joints[joint].name);
  pk_joint_desc d = pk_joint_desc_default();
  d.name = name;
  d.parent = parent;
  d.child = child;
  d.kind = m->body_motion[body] == PK_MOTION_REVOLUTE ? PK_JOINT_REVOLUTE : PK_JOINT_PRISMATIC;
  memcpy(d.origin.pos, m->body_pos + 3 * (size_t)body, sizeof d.origin.pos);
  memcpy(d.origin.rot, m->body_rot + 9 * (size_t)body, sizeof d.origin.rot);
  memset(d.axis, 0, sizeof d.axis);
  d.axis[m->body_axis[body]] = m->body_gain[body]; /* -1: about the negative axis */
  d.lower = m->dof_lower[dof];
  d.upper = m->dof_upper[dof];
  d.velocity = m->dof_velocity[dof];
  d.effort = m->dof_effort[dof];
  d.damping = m->dof_damping[dof];
  d.friction = m->dof_friction[dof];
  d.armature = m->dof_armature[dof];
  return pk_builder_add_joint(b, &d, err);
}

static pk_status check_cut_model(const pk_model *m, int nbody, pk_error *err)
{
  bool good = m->nrobot == 1 && m->nconstraint == 0 && !m->has_mimic && nbody >= 1 && nbody <= m->nbody &&
              m->body_motion[0] == PK_MOTION_FLOATING;
  for (int i = 1; i < nbody && good; i++) {
    good = has_joint(m, i) && m->dof_joint[m->body_u[i]] >= 0 && fabs(m->body_gain[i]) == 1 &&
           m->body_offset[i] == 0;
  }
  return good ? PK_OK
              : pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){0},
                         "parts are made of one robot with a free root, hinges and sliders");
}

pk_status pki_symbolic_part(const pk_model *m, int nbody, pk_model **out, pk_error *err)
{
  *out = NULL;
  pk_status status = check_cut_model(m, nbody, err);
  if (status != PK_OK) {
    return status;
  }
  pk_builder *b;
  pk_builder_create(&b, NULL);
  if (b == NULL) {
    return pki_fail_memory(err, NULL);
  }
  pk_robot_desc robot = pk_robot_desc_default();
  robot.name = m->robots[0].name;
  robot.root = PK_ROOT_FREE;
  pk_builder_set_gravity(b, m->gravity);
  status = pk_builder_add_robot(b, &robot, err);
  for (int i = 0; i < nbody && status == PK_OK; i++) {
    char name[NAME];
    link_name(m, i, name);
    const pk_link_desc link = {.name = name, .inertia = inertia_of(m->body_inertia + 10 * (size_t)i)};
    status = pk_builder_add_link(b, &link, err);
    status = status == PK_OK && i > 0 ? add_joint(b, m, i, err) : status;
  }
  status = status == PK_OK ? pk_builder_compile(b, out, err) : status;
  pk_builder_destroy(b);
  return status;
}
