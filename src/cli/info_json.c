#include <string.h>

#include "cli/cmd_info.h"
#include "cli/exclusions.h"
#include "cli/print_json.h"

static cJSON *robot_json(const pk_model *m, const pk_model_robot *r)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "name", r->name);
  cJSON_AddStringToObject(o, "file", r->file);
  cJSON_AddStringToObject(o, "root", pk_root_kind_name(r->root));
  cJSON_AddStringToObject(o, "root_reason", pk_root_reason_text(r->root_reason));
  cJSON_AddStringToObject(o, "root_link", m->links[r->root_link].name);
  cJSON_AddNumberToObject(o, "bodies", r->nbody);
  cJSON_AddNumberToObject(o, "nq", r->nq);
  cJSON_AddNumberToObject(o, "nu", r->nu);
  pki_json_number(o, "mass", r->mass);
  return o;
}

static cJSON *body_json(const pki_info *info, int body)
{
  const pk_model *m = info->model;
  static const char *const motions[PK_MOTION_COUNT] = {"revolute", "prismatic", "spherical", "floating"};
  const pk_inertia I = pki_info_inertia(m, body);
  const int joint = info->joint[body];
  cJSON *o = cJSON_CreateObject();
  cJSON_AddNumberToObject(o, "index", body);
  cJSON_AddNumberToObject(o, "parent", m->body_parent[body]);
  cJSON_AddStringToObject(o, "link", m->body_link[body] >= 0 ? m->links[m->body_link[body]].name : "");
  cJSON_AddStringToObject(o, "joint", joint >= 0 ? m->joints[joint].name : "");
  cJSON_AddStringToObject(o, "motion", motions[m->body_motion[body]]);
  cJSON_AddNumberToObject(o, "q", m->body_q[body]);
  cJSON_AddNumberToObject(o, "u", m->body_u[body]);
  pki_json_array(o, "position", m->body_pos + 3 * (size_t)body, 3);
  pki_json_array(o, "rotation", m->body_rot + 9 * (size_t)body, 9);
  pki_json_number(o, "mass", I.mass);
  pki_json_array(o, "com", I.com, 3);
  pki_json_array(o, "inertia", I.moment, 6);
  return o;
}

static cJSON *joint_json(const pk_model *m, const pk_model_joint *j)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "name", j->name);
  cJSON_AddStringToObject(o, "kind", pk_joint_kind_name(j->kind));
  cJSON_AddNumberToObject(o, "body", j->body);
  cJSON_AddNumberToObject(o, "q", j->q);
  cJSON_AddNumberToObject(o, "u", j->u);
  cJSON_AddNumberToObject(o, "nq", j->nq);
  cJSON_AddNumberToObject(o, "nu", j->nu);
  pki_json_array(o, "axis", j->axis, 3);
  pki_json_number(o, "lower", j->lower);
  pki_json_number(o, "upper", j->upper);
  pki_json_number(o, "velocity", j->velocity);
  pki_json_number(o, "effort", j->effort);
  pki_json_number(o, "damping", j->damping);
  pki_json_number(o, "friction", j->friction);
  pki_json_number(o, "armature", j->armature);
  if (j->leader >= 0) {
    cJSON *mimic = cJSON_AddObjectToObject(o, "mimic");
    cJSON_AddStringToObject(mimic, "joint", m->joints[j->leader].name);
    pki_json_number(mimic, "multiplier", j->multiplier);
    pki_json_number(mimic, "offset", j->offset);
  }
  return o;
}

static cJSON *link_json(const pk_model_link *l)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "name", l->name);
  cJSON_AddNumberToObject(o, "body", l->body);
  pki_json_array(o, "position", l->pose.pos, 3);
  pki_json_array(o, "rotation", l->pose.rot, 9);
  pki_json_number(o, "mass", l->inertia.mass);
  pki_json_array(o, "com", l->inertia.com, 3);
  pki_json_array(o, "inertia", l->inertia.moment, 6);
  return o;
}

static cJSON *shape_json(const pk_model *m, const pk_model_shape *s)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "name", s->name);
  cJSON_AddStringToObject(o, "kind", pk_shape_kind_name(s->kind));
  cJSON_AddStringToObject(o, "link", m->links[s->link].name);
  cJSON_AddNumberToObject(o, "body", s->body);
  cJSON_AddBoolToObject(o, "visual", s->visual);
  pki_json_array(o, "position", s->pose.pos, 3);
  pki_json_array(o, "rotation", s->pose.rot, 9);
  pki_json_array(o, "size", s->size, 3);
  if (s->mesh >= 0) {
    cJSON_AddStringToObject(o, "mesh", m->meshes[s->mesh].name);
    cJSON_AddNumberToObject(o, "triangles", m->meshes[s->mesh].ntriangle);
  }
  return o;
}

bool pki_info_print_json(const pki_info *info)
{
  const pk_model *m = info->model;
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "model", m->nrobot > 0 ? m->robots[0].name : "");
  cJSON_AddStringToObject(o, "file", info->path);
  cJSON_AddNumberToObject(o, "dof", m->nu);
  cJSON_AddNumberToObject(o, "nq", m->nq);
  cJSON_AddNumberToObject(o, "nu", m->nu);
  pki_json_number(o, "mass", m->mass);
  pki_json_array(o, "gravity", m->gravity, 3);
  pki_json_array(o, "com", info->com, 3);
  if (info->has_extent) {
    pki_json_array(o, "extent_min", info->least, 3);
    pki_json_array(o, "extent_max", info->most, 3);
  }
  pki_json_array(o, "q0", m->q0, m->nq);
  cJSON_AddNumberToObject(o, "warnings", info->warnings);
  cJSON *robots = cJSON_AddArrayToObject(o, "robots"), *bodies = cJSON_AddArrayToObject(o, "bodies");
  cJSON *joints = cJSON_AddArrayToObject(o, "joints"), *links = cJSON_AddArrayToObject(o, "links");
  cJSON *shapes = cJSON_AddArrayToObject(o, "shapes");
  pki_exclusions left_out = pki_exclusions_find(m);
  pki_exclusions_add(&left_out, m, o);
  pki_exclusions_free(&left_out);
  for (int i = 0; i < m->nrobot; i++) {
    cJSON_AddItemToArray(robots, robot_json(m, &m->robots[i]));
  }
  for (int i = 0; i < m->nbody; i++) {
    cJSON_AddItemToArray(bodies, body_json(info, i));
  }
  for (int i = 0; i < m->njoint; i++) {
    cJSON_AddItemToArray(joints, joint_json(m, &m->joints[i]));
  }
  for (int i = 0; i < m->nlink; i++) {
    cJSON_AddItemToArray(links, link_json(&m->links[i]));
  }
  for (int i = 0; i < m->nshape; i++) {
    cJSON_AddItemToArray(shapes, shape_json(m, &m->shapes[i]));
  }
  return pki_json_print(o, true, "info");
}
