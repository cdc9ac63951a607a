/* From a scenario to a world that is ready to step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "model/joint_type.h"
#include "model/motion.h"
#include "model/named.h"
#include "pronk/collision.h"
#include "scenario/section.h"
#include "sim/parameters.h"

/* ---- the model ---- */

/* Names are looked up; paths (with a slash, or a .urdf) start at the scenario's folder. */
static bool resolve_model_path(const pki_scenario *s, const char *name, char out[PKI_PATH_MAX])
{
  const char *dot = strrchr(name, '.');
  if (strchr(name, '/') != NULL || (dot != NULL && strcmp(dot, ".urdf") == 0)) {
    return pki_scenario_path(s, name, out);
  }
  return snprintf(out, PKI_PATH_MAX, "%s", name) < PKI_PATH_MAX;
}

static pk_status add_model(const pki_scenario *s, const pki_scenario_model *m, pk_builder *b, pk_error *err)
{
  char name[PKI_PATH_MAX], path[PKI_PATH_MAX];
  const pki_node *node = m->node->kind == PKI_NODE_MAP ? pki_node_find(m->node, "model") : m->node;
  pk_load_options options = pk_load_options_default();
  options.prefix = m->prefix;
  options.root = m->root;
  options.pose = pk_pose_from_xyz_rpy(m->position, m->rpy);
  if (m->quaternion[0] != 0 || m->quaternion[1] != 0 || m->quaternion[2] != 0 || m->quaternion[3] != 0) {
    pki_quat_to_mat3(m->quaternion, options.pose.rot);
  }
  if (!resolve_model_path(s, m->model, name)) {
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

static void compile_world_model(const pki_scenario *s, pk_builder *b, pk_model **out, pki_problems *problems)
{
  pk_error err = {0};
  pk_status status = read_coordinates(s->coordinates, b, &err);
  if (status == PK_OK) {
    status = pk_builder_compile(b, out, &err);
    if (status != PK_OK && err.file[0] == '\0') {
      pki_node_place(status, s->coordinates != NULL ? s->coordinates : pki_document_root(s->document), "",
                     &err);
    }
  }
  pki_problems_note(problems, status, &err);
}

static void make_model(const pki_scenario *s, pk_model **out, pki_problems *problems)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  if (b == NULL) {
    pki_problem_memory(problems);
    return;
  }
  pk_builder_set_gravity(b, s->gravity);
  for (int i = 0; i < s->nmodel; i++) {
    pk_error err = {0};
    pki_problems_note(problems, add_model(s, &s->models[i], b, &err), &err);
  }
  for (int i = 0; pki_sections[i] != NULL && problems->status == PK_OK; i++) {
    if (pki_sections[i]->build != NULL) {
      pki_sections[i]->build(s, b, problems);
    }
  }
  if (problems->status == PK_OK) {
    compile_world_model(s, b, out, problems);
  }
  pk_builder_destroy(b);
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

/* A quaternion of no length is no attitude. */
static bool has_attitude(const pk_model_joint *j, const double *q)
{
  const pki_joint_type *type = pki_joint_type_of(j->kind);
  bool good = true;
  for (int p = 0; p < type->nparts; p++) {
    const int at = pki_motion_quaternion(type->parts[p].motion);
    const double *x = q + pki_joint_part_q(type, p) + (at < 0 ? 0 : at);
    good &= at < 0 || x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] > 1e-12;
  }
  return good;
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
  for (int k = 0; k < j->nq; k++, value = value->next) {
    const pk_status status = pki_read_real(value, &q[j->q + k], err);
    if (status != PK_OK) {
      return status;
    }
  }
  const double x = q[j->q];
  if (j->nq == 1 && s->step.joint_limits && (x < j->lower || x > j->upper)) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "%s is %g, but its limits are %g to %g", name, x,
                         j->lower, j->upper);
  }
  if (!has_attitude(j, q + j->q)) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "%s %s a quaternion of length zero", name,
                         j->nq == 4 ? "is" : "has");
  }
  return PK_OK;
}

/* What a model's `joints` say. */
static void set_joints(const pki_scenario *s, const pk_model *m, const pki_scenario_model *model, double *q,
                       pki_problems *problems)
{
  const pki_node *joints = model->node->kind == PKI_NODE_MAP ? pki_node_find(model->node, "joints") : NULL;
  if (joints == NULL || pki_expect_kind(joints, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  for (const pki_node *n = joints->first; n != NULL; n = n->next) {
    pk_error err = {0};
    pki_problems_note(problems, set_joint(s, m, model->prefix, n, q, &err), &err);
  }
}

static void set_pose(const pki_scenario *s, pk_sim *sim, pki_problems *problems)
{
  const pk_model *m = pk_sim_joint_model(sim);
  double *q = malloc(((size_t)m->nq + (size_t)m->nu + 1) * sizeof *q);
  if (q == NULL) {
    pki_problem_memory(problems);
    return;
  }
  double *u = q + m->nq;
  const int before = pki_problems_total(problems);
  pk_sim_get_joints(sim, q, u);
  for (int i = 0; i < s->nmodel; i++) {
    set_joints(s, m, &s->models[i], q, problems);
  }
  if (pki_problems_total(problems) == before) {
    pk_sim_set_joints(sim, q, u);
  }
  free(q);
}

/* ---- the rest ---- */

/* ---- the rest ---- */

/* What needs the world: each section on its own, so that all that is wrong is told. */
static void set_sections(const pki_scenario *s, pki_world *w, pki_problems *problems)
{
  for (int i = 0; pki_sections[i] != NULL; i++) {
    if (pki_sections[i]->set != NULL) {
      pki_sections[i]->set(w, problems);
    }
  }
  set_pose(s, w->sim, problems);
  w->noverlap = pk_sim_release_overlaps(w->sim, w->overlaps, PKI_OVERLAPS_TOLD);
  if (w->noverlap < 0) {
    pki_problem_memory(problems);
  }
  for (int i = 0; pki_sections[i] != NULL; i++) {
    if (pki_sections[i]->start != NULL) {
      pki_sections[i]->start(w, problems);
    }
  }
  if (problems->status == PK_OK && s->world >= 0) {
    pk_error err = {0};
    const pki_node *root = pki_document_root(s->document), *at = pki_node_find(root, "world");
    pki_problems_note(problems, pki_node_place(pki_world_vary(w, s->world, &err), at, "", &err), &err);
  }
}

pk_status pki_world_create_all(const pki_scenario *scenario, pki_world *out, pki_problems *problems)
{
  *out = (pki_world){.scenario = scenario, .number = -1, .push = 1};
  make_model(scenario, &out->model, problems);
  if (problems->status == PK_OK) {
    pk_error err = {0};
    const pki_node *root = pki_document_root(scenario->document), *step = pki_node_find(root, "step");
    const pk_status status = pki_node_place(pk_sim_create(out->model, &scenario->step, &out->sim, &err),
                                            step != NULL ? step : root, "", &err);
    pki_problems_note(problems, status, &err);
  }
  if (problems->status == PK_OK) {
    set_sections(scenario, out, problems);
  }
  if (problems->status != PK_OK) {
    pki_world_free(out);
  }
  return problems->status;
}

pk_status pki_world_create(const pki_scenario *scenario, pki_world *out, pk_error *err)
{
  pki_problems problems = {0};
  pki_world_create_all(scenario, out, &problems);
  return pki_problems_first(&problems, err);
}

void pki_world_compile(pki_world *world, const pk_code_options *options)
{
  pk_error err = {0};
  if (world->scenario->dynamics != PKI_DYNAMICS_COMPILED || world->code != NULL) {
    return;
  }
  pk_status status = pk_code_open(world->model, options, &world->code, &err);
  status = status == PK_OK ? pki_sim_use_code(world->sim, world->code, &err) : status;
  if (status != PK_OK) {
    pki_error_line(&err, world->not_compiled, sizeof world->not_compiled);
    for (char *c = world->not_compiled; *c != '\0'; c++) {
      *c = *c == '\n' ? ' ' : *c;
    }
  }
}

const char *pki_world_dynamics(const pki_world *world)
{
  const bool compiled = world->sim->workspace->work.code != NULL;
  return pki_dynamics_words[compiled ? PKI_DYNAMICS_COMPILED : PKI_DYNAMICS_GENERIC];
}

uint32_t pki_world_code(const pki_world *world)
{
  char digits[9] = "0";
  if (world->code != NULL) {
    memcpy(digits, pk_code_get_info(world->code)->key, 8);
    digits[8] = '\0';
  }
  return (uint32_t)strtoul(digits, NULL, 16);
}

void pki_world_free(pki_world *world)
{
  pk_sim_destroy(world->sim);
  pk_code_close(world->code);
  pki_controller_destroy(world->controller);
  pk_model_destroy(world->model);
  free(world->push_link);
  free(world->disturb_link);
  free(world->acting);
  free(world->varied);
  free(world->start);
  *world = (pki_world){0};
}

pk_status pki_world_step(pki_world *world, pk_step_info *info)
{
  pki_world_push(world);
  return pk_sim_step(world->sim, info);
}
