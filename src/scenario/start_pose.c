#include "scenario/start_pose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gait/motion_file.h"
#include "model/joint_type.h"
#include "model/motion.h"
#include "model/name_table.h"
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

/* What poses of a model are looked up in. */
typedef struct pose_tables {
  const char **joint_names, **words; /* words: names of poses, each once */
  pki_name_table joints, poses;
  int nword;
} pose_tables;

static void free_tables(pose_tables *t)
{
  free(t->joints.slot), free(t->poses.slot);
  free((void *)t->joint_names), free((void *)t->words);
}

/* All joints, and room for the names of poses; false without memory. */
static bool fill_tables(pose_tables *t, const pk_model *m, int nword)
{
  *t = (pose_tables){.joint_names = calloc((size_t)m->njoint + 1, sizeof *t->joint_names),
                     .words = calloc((size_t)nword + 1, sizeof *t->words)};
  if (t->joint_names == NULL || t->words == NULL ||
      !pki_name_table_init(&t->joints, t->joint_names, m->njoint) ||
      !pki_name_table_init(&t->poses, t->words, nword)) {
    return false;
  }
  for (int i = 0; i < m->njoint; i++) {
    t->joint_names[i] = m->joints[i].name;
    *pki_name_table_at(&t->joints, t->joint_names[i]) = i;
  }
  return true;
}

static void add_pose_name(pose_tables *t, const char *word)
{
  int *slot = pki_name_table_at(&t->poses, word);
  if (*slot < 0) {
    *slot = t->nword;
    t->words[t->nword++] = word;
  }
}

/* One joint of a group state. Joints that do not move, or follow another, have nothing to be set. */
static pk_status set_state_joint(const pki_scenario *s, const pk_model *m, const pose_tables *t,
                                 const char *prefix, const char *file, const pki_srdf_value *v, double *q,
                                 pk_error *err)
{
  char name[256], why[160];
  const pki_where where = {.file = file, .line = v->line};
  snprintf(name, sizeof name, "%s%.180s", prefix, v->joint);
  const int index = *pki_name_table_at(&t->joints, name);
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

/* A keyframe is one of the model's own file. */
static bool is_keyframe_of(const pki_world *w, int model, const pk_model_keyframe *k)
{
  return k->robot >= w->model_robot[model] && k->robot < w->model_robot[model + 1];
}

/* The keyframe that `pose` of a model names; NULL: there is none. */
static const pk_model_keyframe *find_keyframe(const pki_world *w, const pk_model *m, int model)
{
  const pki_scenario_model *of = &w->scenario->models[model];
  char name[256];
  snprintf(name, sizeof name, "%s%s", of->prefix, of->pose);
  for (int i = 0; i < m->nkeyframe && of->pose[0] != '\0'; i++) {
    if (is_keyframe_of(w, model, &m->keyframes[i]) && strcmp(m->keyframes[i].name, name) == 0) {
      return &m->keyframes[i];
    }
  }
  return NULL;
}

/* The scenario says itself where a model's root is. */
static bool has_place(const pki_scenario_model *model)
{
  return pki_node_find(model->node, "position") != NULL || pki_node_find(model->node, "rpy") != NULL ||
         pki_node_find(model->node, "quaternion") != NULL;
}

/* Coordinates and velocities of a keyframe; roots stay where the scenario has put them, if it has. */
static void set_keyframe(const pki_world *w, const pk_model *m, int model, const pk_model_keyframe *k,
                         double *q, double *u)
{
  memcpy(q + k->q, k->q_value, (size_t)k->nq * sizeof *q);
  memcpy(u + k->u, k->u_value, (size_t)k->nu * sizeof *u);
  for (int r = k->robot; r < k->robot + k->nrobot && has_place(&w->scenario->models[model]); r++) {
    if (m->robots[r].root == PK_ROOT_FREE) {
      memcpy(q + m->robots[r].q, m->q0 + m->robots[r].q, 7 * sizeof *q);
    }
  }
}

/* The state of that name in an SRDF file, of every group that has one; its names join the others. */
static pk_status set_group_state(const pki_scenario *s, const pk_model *m, const pki_scenario_model *model,
                                 const char *path, const pki_srdf *srdf, pose_tables *t, double *q,
                                 bool *found, pk_error *err)
{
  pk_status status = PK_OK;
  for (int i = 0; status == PK_OK && i < srdf->nvalue; i++) {
    add_pose_name(t, srdf->values[i].state);
    if (strcmp(srdf->values[i].state, model->pose) == 0) {
      *found = true;
      status = set_state_joint(s, m, t, model->prefix, path, &srdf->values[i], q, err);
    }
  }
  return status;
}

/* A pose of the model's SRDF file; where there is none of that name, all that there are. */
static pk_status set_srdf_pose(const pki_world *w, const pk_model *m, int model, double *q, pk_error *err)
{
  const pki_scenario *s = w->scenario;
  const pki_scenario_model *of = &s->models[model];
  const pki_node *node = pki_node_find(of->node, "pose");
  char path[PKI_PATH_MAX];
  pki_srdf *srdf = NULL;
  pk_status status = PK_OK;
  if (of->srdf[0] != '\0') {
    status = pki_scenario_find_file(s, pki_node_find(of->node, "srdf"), of->srdf, path, err);
    status = status == PK_OK ? pki_srdf_load(path, &srdf, err) : status;
  }
  if (status != PK_OK) {
    return status;
  }
  pose_tables t;
  bool found = false;
  const bool ok = fill_tables(&t, m, m->nkeyframe + (srdf != NULL ? srdf->nvalue : 0));
  for (int i = 0; i < m->nkeyframe && ok; i++) {
    if (is_keyframe_of(w, model, &m->keyframes[i])) {
      add_pose_name(&t, m->keyframes[i].name + strlen(of->prefix));
    }
  }
  if (!ok) {
    status = pki_fail_memory(err, NULL);
  } else if (srdf != NULL) {
    status = set_group_state(s, m, of, path, srdf, &t, q, &found, err);
  }
  int chosen;
  if (status == PK_OK && !found && t.nword == 0) {
    status = pki_node_fail(
        node, err, PK_ERROR_ARGUMENT,
        "there is no pose \"%s\": the model's file has no keyframes; poses of a URDF robot are the "
        "<group_state> of the SRDF file that `srdf` names",
        of->pose);
  } else if (status == PK_OK && !found) {
    status = pki_read_choice(node, "pose", of->pose, t.words, t.nword, &chosen, err);
  }
  free_tables(&t);
  pki_srdf_destroy(srdf);
  return status;
}

static void set_named_pose(const pki_world *w, const pk_model *m, int model, double *q, double *u,
                           pki_problems *problems)
{
  pk_error err = {0};
  const pk_model_keyframe *keyframe = find_keyframe(w, m, model);
  if (keyframe != NULL) {
    set_keyframe(w, m, model, keyframe, q, u);
  } else if (w->scenario->models[model].pose[0] != '\0') {
    pki_problems_note(problems, set_srdf_pose(w, m, model, q, &err), &err);
  }
}

/* ---- the start of a motion ---- */

/* Trunk, joints and rates of a motion's first line; the trunk stays where the scenario has put it, if it has. */
static pk_status set_motion(const pki_world *w, const pk_model *m, int model, double *q, double *u,
                            pk_error *err)
{
  const pki_scenario_model *of = &w->scenario->models[model];
  const pki_node *node = pki_node_find(of->node, "motion");
  char path[PKI_PATH_MAX];
  pki_whole_motion motion = {.robot = -1};
  pk_status status = pki_scenario_find_file(w->scenario, node, of->motion, path, err);
  if (status == PK_OK) {
    status = pki_scenario_place_file(pki_whole_motion_read(path, m, &motion, err), node, of->motion, err);
  }
  if (status == PK_OK &&
      (motion.robot < w->model_robot[model] || motion.robot >= w->model_robot[model + 1])) {
    status = pki_node_fail(node, err, PK_ERROR_ARGUMENT, "the motion is of another robot, \"%s\"",
                           m->robots[motion.robot].name);
  }
  if (status == PK_OK) {
    const pk_model_robot *robot = &m->robots[motion.robot];
    if (!has_place(of)) {
      memcpy(q + robot->q, motion.values + PKI_WHOLE_MOTION_PLACE, 7 * sizeof *q);
    }
    memcpy(u + robot->u, motion.values + PKI_WHOLE_MOTION_VELOCITY, 6 * sizeof *u);
    for (int k = 0; k < motion.joints; k++) {
      q[m->dof_q[motion.dof[k]]] = motion.values[pki_whole_motion_q_at(k)];
      u[motion.dof[k]] = motion.values[pki_whole_motion_u_at(&motion, k)];
    }
  }
  pki_whole_motion_free(&motion);
  return status;
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
    set_named_pose(world, m, i, q, u, problems);
    if (s->models[i].motion[0] != '\0') {
      pk_error err = {0};
      pki_problems_note(problems, set_motion(world, m, i, q, u, &err), &err);
    }
    set_joints(s, m, &s->models[i], q, problems);
  }
  if (pki_problems_total(problems) == before) {
    pk_sim_set_joints(world->sim, q, u);
    for (int i = 0; i < s->nmodel; i++) {
      if (s->models[i].on_ground) {
        /* the height of a keyframe counts, unless that is in the ground */
        const bool keeps = find_keyframe(world, m, i) != NULL && !has_place(&s->models[i]);
        pki_world_place_model(world, i, keeps, q, u);
      }
    }
  }
  free(q);
}
