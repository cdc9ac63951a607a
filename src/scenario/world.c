/* From a scenario to a world that is ready to step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "math/mat3.h"
#include "model/named.h"
#include "scenario/scenario.h"
#include "step/sim.h"

/* ---- the model ---- */

/* Names are looked up; paths (with a slash, or a .urdf) start at the scenario's folder. */
static bool resolve(const pki_scenario *s, const char *name, char out[PKI_PATH_MAX])
{
  const char *dot = strrchr(name, '.'), *slash = strrchr(s->file, '/');
  const bool is_path = strchr(name, '/') != NULL || (dot != NULL && strcmp(dot, ".urdf") == 0);
  const int folder = slash != NULL && is_path && name[0] != '/' ? (int)(slash - s->file + 1) : 0;
  const int n = snprintf(out, PKI_PATH_MAX, "%.*s%s", folder, s->file, name);
  return n > 0 && n < PKI_PATH_MAX;
}

static pk_status add_model(const pki_scenario *s, const pki_scenario_model *m, pk_builder *b, pk_error *err)
{
  char name[PKI_PATH_MAX], path[PKI_PATH_MAX];
  const pki_node *node = m->node->kind == PKI_NODE_MAP ? pki_node_find(m->node, "model") : m->node;
  pk_urdf_options options = pk_urdf_options_default();
  options.prefix = m->prefix;
  options.root = m->root;
  options.pose = pk_pose_from_xyz_rpy(m->position, m->rpy);
  if (m->quaternion[0] != 0 || m->quaternion[1] != 0 || m->quaternion[2] != 0 || m->quaternion[3] != 0) {
    pki_quat_to_mat3(m->quaternion, options.pose.rot);
  }
  if (!resolve(s, m->model, name)) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "the path is too long");
  }
  const pk_status status = pki_builder_add_named(b, name, &options, path, err);
  /* what is wrong inside a model's file stays there; a file that is not there is the scenario's mistake */
  return status == PK_OK || (err != NULL && err->line > 0) ? status
                                                           : pki_node_place(status, node, m->model, err);
}

/* Which joints are cut into constraints. */
static pk_status read_coordinates(const pki_node *node, pk_builder *b, pk_error *err)
{
  static const char *const words[] = {"minimal", "maximal"};
  int chosen = 0;
  pk_status status = PK_OK;
  if (node == NULL) {
    return PK_OK;
  }
  if (node->kind == PKI_NODE_SCALAR) {
    status = pki_read_choice(node, "set of coordinates", node->text, words, 2, &chosen, err);
    return status == PK_OK && chosen == 1 ? pk_builder_cut_joint(b, NULL, err) : status;
  }
  status = pki_read_kind(node, PKI_NODE_LIST, err);
  for (const pki_node *n = node->first; n != NULL && status == PK_OK; n = n->next) {
    status = n->kind == PKI_NODE_SCALAR && !pki_node_is_null(n)
                 ? pk_builder_cut_joint(b, n->text, err)
                 : pki_node_fail(n, err, PK_ERROR_ARGUMENT, "this is %s, expected the name of a joint",
                                 pki_node_what(n));
  }
  return status;
}

static pk_status make_model(const pki_scenario *s, pk_model **out, pk_error *err)
{
  pk_builder *b = pk_builder_create();
  if (b == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory");
  }
  pk_builder_set_gravity(b, s->gravity);
  pk_status status = PK_OK;
  for (int i = 0; i < s->nmodel && status == PK_OK; i++) {
    status = add_model(s, &s->models[i], b, err);
  }
  status = status == PK_OK ? read_coordinates(s->coordinates, b, err) : status;
  if (status == PK_OK) {
    status = pk_builder_compile(b, out, err);
    if (status != PK_OK && err != NULL && err->file[0] == '\0') {
      pki_node_place(status, s->coordinates != NULL ? s->coordinates : s->models[0].node, "", err);
    }
  }
  pk_builder_destroy(b);
  return status;
}

/* ---- the initial pose ---- */

/* "there is no joint ..." with the nearest one of the model. */
static pk_status fail_joint(const pk_model *m, const pki_node *node, const char *name, pk_error *err)
{
  const char **words = calloc((size_t)m->njoint + 1, sizeof *words);
  int chosen;
  for (int i = 0; words != NULL && i < m->njoint; i++) {
    words[i] = m->joints[i].name;
  }
  const pk_status status =
      pki_read_choice(node, "joint", name, words, words != NULL ? m->njoint : 0, &chosen, err);
  free(words);
  return status;
}

/* One joint's coordinates from a number, or from a list where it has several. */
static pk_status set_joint(const pki_scenario *s, const pk_model *m, const char *prefix, const pki_node *node,
                           double *q, pk_error *err)
{
  char name[256];
  snprintf(name, sizeof name, "%s%.180s", prefix, node->key);
  const int index = pk_model_find_joint(m, name);
  if (index < 0) {
    return fail_joint(m, node, name, err);
  }
  const pk_model_joint *j = &m->joints[index];
  if (j->leader >= 0) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "%s follows the joint %s, which says where it is",
                         name, m->joints[j->leader].name);
  }
  const int given = node->kind == PKI_NODE_LIST ? node->count : 1;
  if (given != j->nq) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "%s has %d coordinate%s, found %d", name, j->nq,
                         j->nq == 1 ? "" : "s", given);
  }
  const pki_node *value = node->kind == PKI_NODE_LIST ? node->first : node;
  double norm = 0;
  for (int k = 0; k < j->nq; k++, value = value->next) {
    const pk_status status = pki_read_real(value, &q[j->q + k], err);
    if (status != PK_OK) {
      return status;
    }
    norm += q[j->q + k] * q[j->q + k];
  }
  const double x = q[j->q];
  if (j->nq == 1 && s->step.joint_limits && (x < j->lower || x > j->upper)) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "%s is %g, but its limits are %g to %g", name, x,
                         j->lower, j->upper);
  }
  if (j->kind == PK_JOINT_SPHERICAL && !(norm > 1e-12)) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "%s is a quaternion of length zero", name);
  }
  return PK_OK;
}

static pk_status set_pose(const pki_scenario *s, pk_sim *sim, pk_error *err)
{
  const pk_model *m = pk_sim_joint_model(sim);
  double *q = malloc(((size_t)m->nq + (size_t)m->nu + 1) * sizeof *q);
  if (q == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory");
  }
  double *u = q + m->nq;
  pk_sim_get_joints(sim, q, u);
  pk_status status = PK_OK;
  for (int i = 0; i < s->nmodel && status == PK_OK; i++) {
    const pki_scenario_model *model = &s->models[i];
    const pki_node *joints = model->node->kind == PKI_NODE_MAP ? pki_node_find(model->node, "joints") : NULL;
    status = joints != NULL ? pki_read_kind(joints, PKI_NODE_MAP, err) : PK_OK;
    for (const pki_node *n = joints != NULL ? joints->first : NULL; n != NULL && status == PK_OK;
         n = n->next) {
      status = set_joint(s, m, model->prefix, n, q, err);
    }
  }
  if (status == PK_OK) {
    pk_sim_set_joints(sim, q, u);
  }
  free(q);
  return status;
}

/* ---- the rest ---- */

static pk_status set_ground(const pki_scenario *s, pk_sim *sim, pk_error *err)
{
  pk_material materials[PKI_MATERIAL_MAX];
  for (int i = 0; i < s->nmaterial; i++) {
    materials[i] = s->materials[i].material;
  }
  if (s->terrain == NULL) {
    return PK_OK;
  }
  const pki_node *node = pki_node_find(pki_document_root(s->document), "terrain");
  return pki_node_place(
      pk_sim_set_terrain(sim, s->terrain, s->nmaterial > 0 ? materials : NULL, s->nmaterial, err), node, "",
      err);
}

static pk_status set_controller(const pki_scenario *s, pki_world *w, pk_error *err)
{
  if (s->controller == NULL) {
    return PK_OK;
  }
  pk_status status =
      s->controller->create(pk_sim_joint_model(w->sim), s->controller_options, &w->controller, err);
  status = status == PK_OK ? pk_sim_set_controller(w->sim, w->controller, err) : status;
  return pki_node_place(status, s->controller_node, "", err);
}

static pk_status find_links(const pki_scenario *s, pki_world *w, pk_error *err)
{
  const pk_model *m = w->model;
  const char **words = calloc((size_t)m->nlink + 1, sizeof *words);
  w->push_link = calloc((size_t)s->npush + 1, sizeof *w->push_link);
  pk_status status = PK_OK;
  if (words == NULL || w->push_link == NULL) {
    status = pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory");
  }
  for (int i = 0; words != NULL && i < m->nlink; i++) {
    words[i] = m->links[i].name;
  }
  for (int i = 0; status == PK_OK && i < s->npush; i++) {
    const pki_scenario_push *p = &s->pushes[i];
    status = pki_read_choice(pki_node_find(p->node, "link"), "link", p->link, words, m->nlink,
                             &w->push_link[i], err);
  }
  free(words);
  return status;
}

pk_status pki_world_create(const pki_scenario *scenario, pki_world *out, pk_error *err)
{
  *out = (pki_world){.scenario = scenario};
  pk_status status = make_model(scenario, &out->model, err);
  if (status == PK_OK) {
    const pki_node *root = pki_document_root(scenario->document), *step = pki_node_find(root, "step");
    status = pki_node_place(pk_sim_create(out->model, &scenario->step, &out->sim, err),
                            step != NULL ? step : root, "", err);
  }
  status = status == PK_OK ? set_ground(scenario, out->sim, err) : status;
  status = status == PK_OK ? pki_scenario_surfaces(scenario, out->sim, err) : status;
  status = status == PK_OK ? set_pose(scenario, out->sim, err) : status;
  status = status == PK_OK ? set_controller(scenario, out, err) : status;
  status = status == PK_OK ? find_links(scenario, out, err) : status;
  if (status != PK_OK) {
    pki_world_free(out);
  }
  return status;
}

void pki_world_free(pki_world *world)
{
  pk_sim_destroy(world->sim);
  pki_controller_destroy(world->controller);
  pk_model_destroy(world->model);
  free(world->push_link);
  *world = (pki_world){0};
}

pk_status pki_world_step(pki_world *world, pk_step_info *info)
{
  const pki_scenario *s = world->scenario;
  /* the middle of the step decides, so that a push lasts as many steps whatever rounding does to the time */
  const double middle = pk_sim_time(world->sim) + 0.5 * s->step.dt;
  for (int i = 0; i < s->npush; i++) {
    const pki_scenario_push *p = &s->pushes[i];
    if (middle >= p->at && middle < p->at + p->duration) {
      pk_sim_push(world->sim, world->push_link[i], p->point, p->force);
    }
  }
  return pk_sim_step(world->sim, info);
}
