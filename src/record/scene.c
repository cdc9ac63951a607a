/* The parts of a scene in the order of the file. Numbers have nine digits, vertices are 32-bit floats. */
#include "record/scene.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collision/ground/terrain.h"
#include "math/mat3.h"
#include "model/joint_type.h"
#include "model/trunk_link.h"
#include "record/scene_mesh.h"

/* ---- values ---- */

/* Words of 32 bits, least byte first. */
static pk_status add_words(pki_text *out, const double *reals, const int *integers, size_t count,
                           pk_error *err)
{
  unsigned char *bytes = malloc(4 * count + 1);
  if (bytes == NULL) {
    return pki_fail_memory(err, "the scene");
  }
  for (size_t i = 0; i < count; i++) {
    uint32_t word = integers != NULL ? (uint32_t)integers[i] : 0;
    if (reals != NULL) {
      const float f = (float)reals[i];
      memcpy(&word, &f, sizeof word);
    }
    for (int k = 0; k < 4; k++) {
      bytes[4 * i + (size_t)k] = (unsigned char)(word >> 8 * k);
    }
  }
  pki_text_add(out, "\"");
  pki_text_add_base64(out, bytes, 4 * count);
  pki_text_add(out, "\"");
  free(bytes);
  return out->failed ? pki_fail_memory(err, "the scene") : PK_OK;
}

pk_status pki_text_add_floats(pki_text *out, const double *values, size_t count, pk_error *err)
{
  return add_words(out, values, NULL, count, err);
}

pk_status pki_text_add_integers(pki_text *out, const int *values, size_t count, pk_error *err)
{
  return add_words(out, NULL, values, count, err);
}

static void add_numbers(pki_text *out, const char *key, const double *values, int count)
{
  pki_text_addf(out, ",\"%s\":[", key);
  for (int i = 0; i < count; i++) {
    pki_text_add(out, i > 0 ? "," : "");
    pki_text_add_json_number(out, values[i]);
  }
  pki_text_add(out, "]");
}

static void add_number(pki_text *out, const char *key, double value)
{
  pki_text_addf(out, ",\"%s\":", key);
  pki_text_add_json_number(out, value);
}

static void add_pose(pki_text *out, const pk_pose *pose)
{
  double v[7];
  memcpy(v, pose->pos, sizeof pose->pos);
  pki_quat_from_mat3(pose->rot, v + 3);
  add_numbers(out, "pose", v, 7);
}

/* {"name":"..." of an item in a list */
static void begin_item(pki_text *out, int index, const char *name)
{
  pki_text_add(out, index > 0 ? ",\n{\"name\":" : "\n{\"name\":");
  pki_text_add_json_string(out, name);
}

/* ---- robots, bodies, joints, feet ---- */

static void add_robots(pki_text *out, const pk_model *m)
{
  pki_text_add(out, ",\n\"robots\":[");
  for (int i = 0; i < m->nrobot; i++) {
    const pk_model_robot *r = &m->robots[i];
    begin_item(out, i, r->name);
    pki_text_addf(out, ",\"body\":%d,\"nbody\":%d,\"trunk\":%d}", r->body, r->nbody,
                  m->links[pki_model_trunk(m, i)].body);
  }
  pki_text_add(out, "]");
}

static int robot_of(const pk_model *m, int body)
{
  int robot = 0;
  while (robot < m->nrobot &&
         (body < m->robots[robot].body || body >= m->robots[robot].body + m->robots[robot].nbody)) {
    robot++;
  }
  return robot < m->nrobot ? robot : -1;
}

static void add_bodies(pki_text *out, const pk_model *m)
{
  pki_text_add(out, ",\n\"bodies\":[");
  for (int i = 0; i < m->nbody; i++) {
    begin_item(out, i, m->body_link[i] >= 0 ? m->links[m->body_link[i]].name : "");
    add_number(out, "mass", m->body_inertia[10 * i]);
    pki_text_addf(out, ",\"parent\":%d,\"robot\":%d}", m->body_parent[i], robot_of(m, i));
  }
  pki_text_add(out, "]");
}

/* What the column `link` of the channel contacts counts. */
static void add_links(pki_text *out, const pk_model *m)
{
  pki_text_add(out, ",\n\"links\":[");
  for (int i = 0; i < m->nlink; i++) {
    pki_text_add(out, i > 0 ? "," : "");
    pki_text_add_json_string(out, m->links[i].name);
  }
  pki_text_add(out, "]");
}

void pki_joint_column(const pk_model *joints, int dof, char *out, size_t size)
{
  const pk_model_joint *j = &joints->joints[joints->dof_joint[dof]];
  if (j->nu == 1) {
    snprintf(out, size, "%s", j->name);
  } else {
    snprintf(out, size, "%s.%d", j->name, dof - j->u);
  }
}

/* The body of the world that a joint of the tree moves. */
static int moved_body(const pk_model *world, const pk_model_joint *joint)
{
  const int same = pk_model_find_joint(world, joint->name);
  return same >= 0 ? world->joints[same].body : -1;
}

static void add_joints(pki_text *out, const pk_model *world, const pk_model *m)
{
  int column = 0; /* of joints/force, which has no free roots */
  pki_text_add(out, ",\n\"joints\":[");
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_joint[k] < 0) {
      continue;
    }
    const pk_model_joint *j = &m->joints[m->dof_joint[k]];
    char name[256];
    pki_joint_column(m, k, name, sizeof name);
    begin_item(out, column, name);
    pki_text_addf(out, ",\"column\":%d,\"q\":%d,\"u\":%d,\"body\":%d", column, m->dof_q[k], k,
                  moved_body(world, j));
    add_number(out, "lower", m->dof_lower[k]);
    add_number(out, "upper", m->dof_upper[k]);
    add_number(out, "effort", m->dof_effort[k]);
    add_number(out, "velocity", m->dof_velocity[k]);
    pki_text_addf(out, ",\"unit\":\"%s\"}", pki_joint_is_length(j->kind, k - j->u) ? "m" : "rad");
    column++;
  }
  pki_text_add(out, "]");
}

/* Where a foot touches: the centre of its first collision shape, which is a ball on most legs. */
static void add_feet(pki_text *out, const pki_scene_source *source)
{
  const pk_model *m = source->world;
  pki_text_add(out, ",\n\"feet\":[");
  for (int i = 0; i < source->nfoot; i++) {
    const int foot = pk_model_find_link(m, source->joints->links[source->feet[i]].name);
    const pk_model_link *link = &m->links[foot];
    double point[3], radius = 0;
    memcpy(point, link->pose.pos, sizeof point);
    for (int s = m->nshape - 1; s >= 0; s--) {
      const pk_model_shape *shape = &m->shapes[s];
      if (shape->link == foot && !shape->visual) {
        memcpy(point, shape->pose.pos, sizeof point);
        radius = shape->kind == PK_SHAPE_SPHERE ? shape->size[0] : 0;
      }
    }
    begin_item(out, i, link->name);
    pki_text_addf(out, ",\"body\":%d", link->body);
    add_numbers(out, "point", point, 3);
    add_number(out, "radius", radius);
    pki_text_add(out, "}");
  }
  pki_text_add(out, "]");
}

/* ---- shapes ---- */

static void add_shapes(pki_text *out, const pk_model *m, const int *mesh)
{
  pki_text_add(out, ",\n\"shapes\":[");
  for (int i = 0; i < m->nshape; i++) {
    const pk_model_shape *s = &m->shapes[i];
    begin_item(out, i, s->name);
    pki_text_add(out, ",\"link\":");
    pki_text_add_json_string(out, m->links[s->link].name);
    pki_text_addf(out, ",\"body\":%d,\"visual\":%s,\"kind\":\"%s\"", s->body, s->visual ? "true" : "false",
                  pk_shape_kind_name(s->kind));
    add_numbers(out, "size", s->size, 3);
    pki_text_addf(out, ",\"mesh\":%d", mesh[i]);
    add_pose(out, &s->pose);
    add_numbers(out, "rgba", s->rgba, 4);
    pki_text_add(out, "}");
  }
  pki_text_add(out, "]");
}

/* ---- terrain ---- */

/* What is drawn as a mesh has its number there, in `mesh`. */
static void add_terrain(pki_text *out, const pk_terrain *terrain, const int *mesh)
{
  pki_text_add(out, ",\n\"terrain\":[");
  for (int i = 0; terrain != NULL && i < terrain->nsolid; i++) {
    const pki_solid *s = &terrain->solids[i];
    const double *const R = s->pose.rot;
    pki_text_add(out, i > 0 ? ",\n" : "\n");
    if (mesh[i] >= 0) {
      pki_text_addf(out, "{\"kind\":\"mesh\",\"mesh\":%d", mesh[i]);
      add_pose(out, &s->pose);
    } else if (s->geometry->kind == PK_SHAPE_PLANE) {
      pki_text_add(out, "{\"kind\":\"plane\"");
      add_numbers(out, "point", s->pose.pos, 3);
      add_numbers(out, "normal", (double[3]){R[2], R[5], R[8]}, 3);
    } else {
      pki_text_addf(out, "{\"kind\":\"%s\"", pk_shape_kind_name(s->geometry->kind));
      add_pose(out, &s->pose);
      add_numbers(out, "size", s->geometry->size, 3);
    }
    pki_text_addf(out, ",\"material\":%d}", s->material);
  }
  pki_text_add(out, "]");
}

static void add_materials(pki_text *out, const pki_scene_source *source)
{
  pki_text_add(out, ",\n\"materials\":[");
  for (int i = 0; i < source->nmaterial; i++) {
    begin_item(out, i, source->materials[i]);
    add_number(out, "friction", source->frictions[i]);
    pki_text_add(out, "}");
  }
  pki_text_add(out, "]");
}

/* ---- all of it ---- */

pk_status pki_scene_json(const pki_scene_source *source, pki_text *out, pk_error *err)
{
  pki_scene_meshes meshes;
  pki_text_add(out, "{\"format\":\"pronk-scene-1\",\"name\":");
  pki_text_add_json_string(out, source->name);
  add_number(out, "dt", source->dt);
  add_numbers(out, "gravity", source->world->gravity, 3);
  add_robots(out, source->world);
  add_bodies(out, source->world);
  add_links(out, source->world);
  add_joints(out, source->world, source->joints);
  add_feet(out, source);
  const pk_status status = pki_scene_add_meshes(out, source, &meshes, err);
  if (status == PK_OK) {
    add_shapes(out, source->world, meshes.shape);
    add_terrain(out, source->terrain, meshes.solid);
    add_materials(out, source);
    pki_text_add(out, "}\n");
  }
  pki_scene_meshes_free(&meshes);
  return status == PK_OK && out->failed ? pki_fail_memory(err, "the scene") : status;
}
