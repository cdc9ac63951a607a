/* The robot of a gait file. Its section `model` is that of scenarios and is read as one: a world with the robot alone on a plane gives
 * the standing pose, keyframes, SRDF states and `on_ground` included. The problem's own model is then loaded from the same file with
 * a chain of sliders and hinges in the place of a free root, so that every coordinate has a rate of its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/pattern.h"
#include "optimize/files/gait_fields.h"
#include "scenario/load_models.h"
#include "scenario/override.h"
#include "scenario/section.h"

static const char *const trunk_words[6] = {"x", "y", "z", "roll", "pitch", "yaw"};

/* ---- the world of the pose ---- */

/* Leave the keys that the robot's world has in common with the gait file. */
static void keep_model_keys(pki_node *root)
{
  pki_node *last = NULL;
  pki_node **link = &root->first;
  root->count = 0;
  for (pki_node *n = root->first, *next; n != NULL; n = next) {
    next = n->next;
    if (strcmp(n->key, "model") == 0 || strcmp(n->key, "gravity") == 0 || strcmp(n->key, "actuators") == 0) {
      *link = n;
      link = &n->next;
      last = n;
      root->count++;
    }
  }
  *link = NULL;
  root->last = last;
}

/* On the ground, unless the file says where it is. */
static pk_status complete_world(pki_document *document, pk_error *err)
{
  const pki_node *model = pki_node_find(pki_document_root(document), "model");
  const bool map = model != NULL && model->kind == PKI_NODE_MAP;
  const bool placed =
      map && (pki_node_find(model, "position") != NULL || pki_node_find(model, "on_ground") != NULL);
  pk_status status = pki_document_set(document, "duration=1", err);
  status = status == PK_OK ? pki_document_set(document, "terrain.0.shape=plane", err) : status;
  return status == PK_OK && !placed ? pki_scenario_override(document, "models.*.on_ground=true", err)
                                    : status;
}

/* The robot as a scenario; NULL after a problem. */
static pki_scenario *make_scenario(const pki_gait_file *g, const char *text, size_t size,
                                   const char *const *sets, int nset, pki_problems *problems)
{
  pk_error err = {0};
  pki_scenario *s = calloc(1, sizeof *s);
  if (s == NULL) {
    pki_problem_memory(problems);
    return NULL;
  }
  snprintf(s->file, sizeof s->file, "%s", g->file);
  s->files_hash = PKI_HASH_START;
  const int before = pki_problems_total(problems);
  pk_status status = pki_document_parse(g->file, text, size, &s->document, &err);
  for (int i = 0; i < nset && status == PK_OK; i++) {
    status = pki_scenario_override(s->document, sets[i], &err);
  }
  if (status == PK_OK) {
    keep_model_keys(pki_document_root(s->document));
    status = complete_world(s->document, &err);
  }
  pki_problems_note(problems, status, &err);
  if (status == PK_OK) {
    pki_fields_preset(pki_scenario_fields, pki_scenario_field_count, s);
    s->gravity[2] = -9.81;
    s->step = pk_sim_options_default();
    pki_scenario_sections(s, problems);
  }
  if (pki_problems_total(problems) > before) {
    pki_scenario_destroy(s);
    s = NULL;
  }
  return s;
}

/* ---- the problem's model ---- */

static pk_status load_chain(const pki_scenario *s, bool free_root, pk_model **out, pk_error *err)
{
  static const double origin[3] = {0, 0, 0};
  pki_scenario_model entry = s->models[0];
  pk_builder *b = NULL;
  pk_status status = pk_builder_create(&b, err);
  if (status != PK_OK) {
    return status;
  }
  if (free_root) {
    entry.root = PK_ROOT_CHAIN;
    memcpy(entry.position, origin, sizeof origin);
    memcpy(entry.rpy, origin, sizeof origin);
    memset(entry.quaternion, 0, sizeof entry.quaternion);
  }
  pk_builder_set_gravity(b, s->gravity);
  status = pki_scenario_add_model(s, &entry, b, err);
  if (status == PK_OK) {
    pki_problems problems = {0};
    pki_section_find("constraints")->build(s, b, &problems); /* armature and mass of drives */
    status = pki_problems_first(&problems, err);
  }
  status = status == PK_OK ? pk_builder_compile(b, out, err) : status;
  pk_builder_destroy(b);
  return status;
}

/* Angles of R = R_x(a) R_y(b) R_z(c), the order in which a chain turns. */
static void chain_angles(const double R[9], double out[3])
{
  out[0] = atan2(-R[5], R[8]);
  out[1] = atan2(R[2], hypot(R[0], R[1]));
  out[2] = atan2(-R[1], R[0]);
}

/* The pose of the world's robot in the coordinates of the problem's model. */
static void copy_pose(const pki_world *w, pki_gait_file *g)
{
  const pk_model *m = g->model, *from = w->model;
  const double *q = pk_sim_q(w->sim);
  if (pki_gait_trunk(m) > 0) {
    pk_kinematics_compute(pk_sim_workspace(w->sim), q, NULL);
    const pk_pose trunk = pk_link_pose(pk_sim_workspace(w->sim), from->robots[0].root_link);
    memcpy(g->problem.pose, trunk.pos, sizeof trunk.pos);
    chain_angles(trunk.rot, g->problem.pose + 3);
  }
  for (int i = 0; i < m->njoint; i++) {
    const pk_model_joint *j = &m->joints[i];
    const int same = pk_model_find_joint(from, j->name);
    if (j->leader < 0 && j->nq == 1 && same >= 0) {
      g->problem.pose[j->u] = q[from->joints[same].q];
    }
  }
}

static void check_model(const pki_gait_file *g, const pk_model *m, pki_problems *problems)
{
  const pki_node *node = pki_node_find(pki_document_root(g->document), "model");
  if (m->nrobot != 1) {
    pki_problem(problems, node, "the file holds %d robots, expected one", m->nrobot);
  } else if (m->nu > PKI_MOTION_DOFS) {
    pki_problem(problems, node, "the robot has %d degrees of freedom, expected at most %d", m->nu,
                PKI_MOTION_DOFS);
  } else if (m->nq != m->nu) {
    pki_problem(problems, node, "the robot has joints with quaternions, expected hinges and sliders alone");
  } else if (m->nconstraint > 0) {
    pki_problem(problems, node, "the robot has closed loops, expected a tree");
  }
}

/* The link is one of the robot's; otherwise the nearest one is told. */
static bool is_link(const pki_gait_file *g, const pki_node *node, const char *name, pki_problems *problems)
{
  const pk_model *m = g->model;
  const char **words = calloc((size_t)m->nlink + 1, sizeof *words);
  int chosen;
  pk_error err = {0};
  for (int i = 0; words != NULL && i < m->nlink; i++) {
    words[i] = m->links[i].name;
  }
  const pk_status status = words != NULL ? pki_read_choice(node, "link", name, words, m->nlink, &chosen, &err)
                                         : pki_fail_memory(&err, NULL);
  free((void *)words);
  return pki_problems_note(problems, status, &err) == PK_OK;
}

/* A link's name, or a mapping. */
static void read_foot(pki_gait_file *g, const pki_node *n, pki_problems *problems)
{
  pki_motion_problem *p = &g->problem;
  pki_gait_foot foot;
  const pki_binding binding = {pki_gait_foot_fields, pki_gait_foot_field_count, &foot};
  pk_error err = {0};
  pki_fields_preset(pki_gait_foot_fields, pki_gait_foot_field_count, &foot);
  const pk_status read = n->kind == PKI_NODE_MAP ? pki_read_map(n, &binding, 1, problems)
                                                 : pki_read_field(n, &pki_gait_foot_fields[0], &foot, &err);
  if (read != PK_OK) {
    pki_problems_note(problems, n->kind == PKI_NODE_MAP ? PK_OK : read, &err);
    return;
  }
  for (int i = 0; i < p->nfoot; i++) {
    if (strcmp(p->feet[i].name, foot.link) == 0) {
      pki_problem(problems, n, "the foot %s comes twice", foot.link);
    }
  }
  if (!is_link(g, n, foot.link, problems)) {
    return;
  }
  const pk_status status = pki_motion_add_foot(p, foot.link, &err);
  if (pki_problems_note(problems, pki_node_place(status, n, "", &err), &err) == PK_OK) {
    const bool given = n->kind == PKI_NODE_MAP && pki_node_find(n, "radius") != NULL;
    pki_motion_foot *added = &p->feet[p->nfoot - 1];
    added->ankle = foot.ankle;
    added->radius = given ? foot.radius : added->radius;
  }
}

static void read_feet(pki_gait_file *g, pki_problems *problems)
{
  const pki_node *list = pki_node_find(pki_document_root(g->document), "feet");
  if (list == NULL || pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  if (list->count > PKI_MOTION_FEET) {
    pki_problem(problems, list, "%d feet, expected at most %d", list->count, PKI_MOTION_FEET);
    return;
  }
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    read_foot(g, n, problems);
  }
}

void pki_gait_read_model(pki_gait_file *g, const char *text, size_t size, const char *const *sets, int nset,
                         pki_problems *problems)
{
  const pki_node *root = pki_document_root(g->document);
  const int before = pki_problems_total(problems);
  pki_world world = {0};
  pk_error err = {0};
  if (pki_node_find(root, "model") == NULL) {
    pki_problem(problems, root, "the key \"model\" is missing: the robot");
    return;
  }
  g->scenario = make_scenario(g, text, size, sets, nset, problems);
  if (g->scenario == NULL) {
    return;
  }
  pki_problems of_world = {0};
  if (pki_world_create_all(g->scenario, &world, &of_world) != PK_OK) {
    for (int i = 0; i < of_world.count; i++) {
      pki_problems_note(problems, of_world.status, &of_world.errors[i]);
    }
    pki_problems_free(&of_world);
    return;
  }
  const bool free_root = world.model->nrobot == 1 && world.model->robots[0].root == PK_ROOT_FREE;
  pki_problems_note(problems, load_chain(g->scenario, free_root, &g->model, &err), &err);
  if (g->model != NULL) {
    check_model(g, g->model, problems);
  }
  if (pki_problems_total(problems) == before) {
    pki_motion_problem_default(&g->problem, g->model);
    copy_pose(&world, g);
    read_feet(g, problems);
  }
  pki_world_free(&world);
}

/* ---- coordinates by name ---- */

int pki_gait_trunk(const pk_model *model)
{
  return model->nrobot > 0 && model->robots[0].root == PK_ROOT_CHAIN ? 6 : 0;
}

const char *pki_gait_coordinate_name(const pk_model *model, int dof)
{
  const int trunk = pki_gait_trunk(model);
  const int first = trunk > 0 ? model->robots[0].u : 0;
  if (dof >= first && dof < first + trunk) {
    return trunk_words[dof - first];
  }
  for (int i = 0; i < model->njoint; i++) {
    const pk_model_joint *j = &model->joints[i];
    if (j->leader < 0 && j->u >= 0 && dof >= j->u && dof < j->u + j->nu) {
      return j->name;
    }
  }
  return "";
}

int pki_gait_find_coordinates(const pki_gait_file *g, const pki_node *node, const char *pattern,
                              int out[PKI_MOTION_DOFS], pki_problems *problems)
{
  const char *names[PKI_MOTION_DOFS];
  int found = 0;
  for (int i = 0; i < g->model->nu; i++) {
    names[i] = pki_gait_coordinate_name(g->model, i);
    /* a pattern stands for joints alone: the trunk's coordinates are asked for by name */
    const bool of_trunk = i < pki_gait_trunk(g->model);
    if (of_trunk ? strcmp(pattern, names[i]) == 0 : pki_pattern_matches(pattern, names[i])) {
      out[found++] = i;
    }
  }
  if (found == 0) {
    pk_error err = {0};
    int chosen;
    pki_problems_note(problems, pki_read_choice(node, "joint", pattern, names, g->model->nu, &chosen, &err),
                      &err);
  }
  return found;
}
