#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd_info.h"
#include "math/mat3.h"
#include "model/extent.h"
#include "model/mesh.h"
#include "model/pose.h"

/* What is left of zeros after a turn is zero. */
static void clear_rounding(double *v, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(v[i]));
  }
  for (int i = 0; i < n; i++) {
    v[i] = fabs(v[i]) < 1e-15 * most ? 0 : v[i];
  }
}

/* The same inertia in the frame of a link that lies at `pose` in the body: where the joint's axis is
 * no coordinate axis, the body's frame is turned. */
static pk_inertia in_link(const pk_inertia *in, const pk_pose *pose)
{
  static const pk_pose identity = {.rot = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  if (memcmp(pose, &identity, sizeof identity) == 0) {
    return *in;
  }
  pk_inertia out = {.mass = in->mass};
  double arm[3], back[9];
  for (int i = 0; i < 3; i++) {
    arm[i] = in->mass > 0 ? in->com[i] - pose->pos[i] : 0;
  }
  pki_mat3_transpose(pose->rot, back);
  pki_mat3_apply(back, arm, out.com);
  pki_sym3_rotate(back, in->moment, out.moment);
  clear_rounding(out.com, 3), clear_rounding(out.moment, 6);
  return out;
}

pk_inertia pki_info_inertia(const pk_model *model, int body)
{
  const double *I = model->body_inertia + 10 * (size_t)body;
  pk_inertia out = {.mass = I[0]};
  for (int i = 0; i < 3; i++) {
    out.com[i] = I[0] > 0 ? I[1 + i] / I[0] : 0;
  }
  /* Steiner: I_com = I_origin - m (c'c E - c c') */
  const double *c = out.com, cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
  static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    const int i = row[k], j = column[k];
    out.moment[k] = I[4 + k] - I[0] * ((i == j ? cc : 0) - c[i] * c[j]);
    /* what cancels is zero */
    out.moment[k] = fabs(out.moment[k]) < 1e-14 * (fabs(I[4 + k]) + I[0] * cc) ? 0 : out.moment[k];
  }
  return model->body_link[body] >= 0 ? in_link(&out, &model->links[model->body_link[body]].pose) : out;
}

/* --- extent ---------------------------------------------------------------------------- */

static void include_box(pki_info *info, const double centre[3], const double reach[3])
{
  for (int i = 0; i < 3; i++) {
    const double lo = centre[i] - reach[i], hi = centre[i] + reach[i];
    info->least[i] = info->has_extent ? fmin(info->least[i], lo) : lo;
    info->most[i] = info->has_extent ? fmax(info->most[i], hi) : hi;
  }
  info->has_extent = true;
}

static void include_shape(pki_info *info, const pk_workspace *w, const pk_model_shape *s)
{
  const pk_model *m = info->model;
  pk_pose pose = s->pose; /* in the body's frame */
  if (s->body >= 0) {
    /* body in world = link in world * inverse of link in body */
    const pk_pose link = pk_link_pose(w, s->link), back = pki_pose_invert(&m->links[s->link].pose);
    const pk_pose body = pki_pose_mul(&link, &back);
    pose = pki_pose_mul(&body, &s->pose);
  }
  double reach[3] = {0};
  if (!pki_shape_has_mesh(s->kind)) {
    pki_shape_reach(s->kind, s->size, pose.rot, reach);
    include_box(info, pose.pos, reach);
    return;
  }
  const pk_mesh *mesh = &m->meshes[s->mesh];
  for (int v = 0; v < mesh->nvertex; v++) {
    pk_pose vertex = pk_pose_identity();
    memcpy(vertex.pos, mesh->vertex + 3 * (size_t)v, sizeof vertex.pos);
    const pk_pose at = pki_pose_mul(&pose, &vertex);
    include_box(info, at.pos, reach);
  }
}

/* Joints, parents and fixed links by body. */
static bool map_bodies(pki_info *info)
{
  const pk_model *m = info->model;
  info->joint = malloc((size_t)(m->nbody + 1) * 3 * sizeof *info->joint);
  if (info->joint == NULL) {
    return false;
  }
  info->parent = info->joint + m->nbody;
  info->merged = info->parent + m->nbody;
  for (int b = 0; b < m->nbody; b++) {
    info->joint[b] = -1;
    info->merged[b] = 0;
    /* parents come first, so a helper's own parent is already known */
    const int parent = m->body_parent[b];
    info->parent[b] = parent >= 0 && m->body_link[parent] < 0 ? info->parent[parent] : parent;
  }
  for (int j = 0; j < m->njoint; j++) {
    info->joint[m->joints[j].body] = j;
  }
  for (int i = 0; i < m->nlink; i++) {
    const int body = m->links[i].body;
    if (body >= 0 && m->body_link[body] != i) {
      info->merged[body]++;
    }
  }
  return true;
}

void pki_info_free(pki_info *info)
{
  free(info->joint);
}

static void count_parts(const pki_loaded *loaded, pki_info *out)
{
  const pk_model *m = out->model;
  int count;
  const pk_builder_diagnostic *all = pk_builder_diagnostics(loaded->builder, &count);
  for (int i = 0; i < count; i++) {
    out->warnings += !all[i].is_error;
  }
  for (int i = 0; i < m->nlink; i++) {
    const int body = m->links[i].body;
    out->fixed_links += body < 0 || m->body_link[body] != i;
    out->massless_links += m->links[i].inertia.mass == 0;
  }
  for (int i = 0; i < m->nshape; i++) {
    out->visual_shapes += m->shapes[i].visual;
    out->collision_shapes += !m->shapes[i].visual;
  }
  for (int i = 0; i < m->nmesh; i++) {
    out->triangles += m->meshes[i].ntriangle;
  }
}

bool pki_info_measure(const pki_loaded *loaded, pki_info *out)
{
  const pk_model *m = loaded->model;
  *out = (pki_info){.model = m, .path = loaded->path};
  count_parts(loaded, out);
  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  double *at_rest = calloc((size_t)m->nu + 1, sizeof *at_rest);
  const bool good = w != NULL && at_rest != NULL && map_bodies(out);
  if (good) {
    double velocity[3];
    pk_kinematics_compute(w, m->q0, at_rest);
    pk_com_compute(w, -1, out->com, velocity);
    for (int i = 0; i < m->nshape; i++) {
      if (m->shapes[i].visual == (out->collision_shapes == 0)) {
        include_shape(out, w, &m->shapes[i]);
      }
    }
  }
  free(at_rest);
  pk_workspace_destroy(w);
  return good;
}
