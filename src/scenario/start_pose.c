#include "scenario/start_pose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/joint_type.h"
#include "model/motion.h"
#include "model/srdf.h"
#include "scenario/files.h"
#include "scenario/on_ground.h"

/* ---- joints ---- */

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

/* Coordinates of one joint are within its limits, and an attitude where they are one; otherwise why not, in `why`. */
static bool is_valid_joint(const pki_scenario *s, const pk_model_joint *j, const double *q, char why[160])
{
  if (j->nq == 1 && s->step.joint_limits && (q[0] < j->lower || q[0] > j->upper)) {
    snprintf(why, 160, "%.80s is %g, but its limits are %g to %g", j->name, q[0], j->lower, j->upper);
    return false;
  }
  if (!has_attitude(j, q)) {
    snprintf(why, 160, "%.80s %s a quaternion of length zero", j->name, j->nq == 4 ? "is" : "has");
    return false;
  }
  return true;
}

/* One joint's coordinates from a number, or from a list where it has several. */
static pk_status set_joint(const pki_scenario *s, const pk_model *m, const char *prefix, const pki_node *node,
                           double *q, pk_error *err)
{
  char name[256], why[160];
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
  return is_valid_joint(s, j, q + j->q, why) ? PK_OK : pki_node_fail(node, err, PK_ERROR_ARGUMENT, "%s", why);
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

/* ---- poses by name ---- */

/* One joint of a group state. Joints that do not move, or follow another, have nothing to be set. */
static pk_status set_state_joint(const pki_scenario *s, const pk_model *m, const char *prefix,
                                 const char *file, const pki_srdf_value *v, double *q, pk_error *err)
{
  char name[256], why[160];
  const pki_where where = {.file = file, .line = v->line};
  snprintf(name, sizeof name, "%s%.180s", prefix, v->joint);
  const int index = pk_model_find_joint(m, name);
  if (index < 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "the pose \"%.80s\" names the joint \"%.80s\", which %s",
                    v->state, name, "the model does not have");
  }
  const pk_model_joint *j = &m->joints[index];
  if (j->leader >= 0 || j->nq == 0) {
    return PK_OK;
  }
  if (v->count != j->nq) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "%.80s has %d coordinate%s, the pose \"%.80s\" %d", name,
                    j->nq, j->nq == 1 ? "" : "s", v->state, v->count);
  }
  memcpy(q + j->q, v->value, (size_t)v->count * sizeof *q);
  return is_valid_joint(s, j, q + j->q, why)
             ? PK_OK
             : pki_fail(err, PK_ERROR_ARGUMENT, where, "pose \"%.80s\": %s", v->state, why);
}

/* Names of poses, each once. */
typedef struct pose_names {
  const char **words;
  int count;
} pose_names;

static void add_pose_name(pose_names *names, const char *word)
{
  for (int i = 0; i < names->count; i++) {
    if (strcmp(names->words[i], word) == 0) {
      return;
    }
  }
  names->words[names->count++] = word;
}

/* The state of that name in the model's SRDF file, of every group that has one. */
static pk_status set_group_state(const pki_scenario *s, const pk_model *m, const pki_scenario_model *model,
                                 const pki_node *node, double *q, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pki_srdf *srdf = NULL;
  if (model->srdf[0] == '\0') {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT,
                         "there is no pose \"%s\": the model's file has no keyframes; poses of a URDF robot "
                         "are the <group_state> of the SRDF file that `srdf` names",
                         model->pose);
  }
  pk_status status = pki_scenario_find_file(s, pki_node_find(model->node, "srdf"), model->srdf, path, err);
  status = status == PK_OK ? pki_srdf_load(path, &srdf, err) : status;
  pose_names names = {.words =
                          status == PK_OK ? calloc((size_t)srdf->nvalue + 1, sizeof *names.words) : NULL};
  if (status == PK_OK && names.words == NULL) {
    status = pki_fail_memory(err, NULL);
  }
  bool found = false;
  for (int i = 0; status == PK_OK && i < srdf->nvalue; i++) {
    add_pose_name(&names, srdf->values[i].state);
    if (strcmp(srdf->values[i].state, model->pose) == 0) {
      found = true;
      status = set_state_joint(s, m, model->prefix, path, &srdf->values[i], q, err);
    }
  }
  int chosen;
  if (status == PK_OK && !found) {
    status = pki_read_choice(node, "pose", model->pose, names.words, names.count, &chosen, err);
  }
  free((void *)names.words);
  pki_srdf_destroy(srdf);
  return status;
}

static void set_named_pose(const pki_scenario *s, const pk_model *m, const pki_scenario_model *model,
                           double *q, pki_problems *problems)
{
  pk_error err = {0};
  if (model->pose[0] != '\0') {
    const pki_node *node = pki_node_find(model->node, "pose");
    pki_problems_note(problems, set_group_state(s, m, model, node, q, &err), &err);
  }
}

void pki_world_set_pose(pki_world *world, pki_problems *problems)
{
  const pki_scenario *s = world->scenario;
  const pk_model *m = pk_sim_joint_model(world->sim);
  double *q = malloc(((size_t)m->nq + (size_t)m->nu + 1) * sizeof *q);
  if (q == NULL) {
    pki_problem_memory(problems);
    return;
  }
  double *u = q + m->nq;
  const int before = pki_problems_total(problems);
  pk_sim_get_joints(world->sim, q, u);
  for (int i = 0; i < s->nmodel; i++) {
    set_named_pose(s, m, &s->models[i], q, problems);
    set_joints(s, m, &s->models[i], q, problems);
  }
  if (pki_problems_total(problems) == before) {
    pk_sim_set_joints(world->sim, q, u);
    for (int i = 0; i < s->nmodel; i++) {
      if (s->models[i].on_ground) {
        pki_world_place_model(world, i, false, q, u);
      }
    }
  }
  free(q);
}
