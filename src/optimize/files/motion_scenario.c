/* scenario.yaml: the world in which a motion is tried. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "math/mat3.h"
#include "optimize/files/motion_files.h"
#include "optimize/motion/design.h"

static void add_list(pki_text *out, const double *values, int count)
{
  char number[PKI_REAL_TEXT];
  pki_text_add(out, "[");
  for (int i = 0; i < count; i++) {
    pki_text_addf(out, "%s%s", i > 0 ? ", " : "", pki_format_real(values[i], number));
  }
  pki_text_add(out, "]");
}

/* The file or folder that a text names from the gait file's folder, from the root of the file system; else as it is. */
static void add_path(const pki_scenario *s, const char *text, pki_text *out)
{
  char path[PKI_PATH_MAX];
  char *whole = NULL;
  if (text[0] != '/' && strpbrk(text, "./") != NULL && pki_scenario_path(s, text, path) &&
      (pki_is_file(path) || pki_is_folder(path))) {
    whole = realpath(path, NULL);
  }
  pki_text_add_json_string(out, whole != NULL ? whole : text);
  free(whole);
}

/* What the file of the model is, and how it is read. */
static void add_source(const pki_scenario *s, pki_text *out)
{
  const pki_node *node = s->models[0].node;
  static const char *const kept[] = {"prefix", "meshes",          "collision_meshes",
                                     "strict", "balance_inertia", "root"};
  pki_text_add(out, "  model: ");
  add_path(s, s->models[0].model, out);
  pki_text_add(out, "\n");
  if (node->kind != PKI_NODE_MAP) {
    return;
  }
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
    const pki_node *value = pki_node_find(node, kept[i]);
    if (value != NULL && strcmp(kept[i], "root") == 0 && s->models[0].root == PK_ROOT_CHAIN) {
      pki_text_add(out, "  root: free\n"); /* what the chain stands for, and controllers know */
    } else if (value != NULL && value->kind == PKI_NODE_SCALAR) {
      pki_text_addf(out, "  %s: ", kept[i]);
      if (value->plain) {
        pki_text_add(out, value->text);
      } else {
        pki_text_add_json_string(out, value->text);
      }
      pki_text_add(out, "\n");
    }
  }
  if (s->models[0].srdf[0] != '\0') {
    pki_text_add(out, "  srdf: ");
    add_path(s, s->models[0].srdf, out);
    pki_text_add(out, "\n");
  }
  const pki_node *folders = pki_node_find(node, "package_paths");
  for (const pki_node *n = folders != NULL ? folders->first : NULL; n != NULL; n = n->next) {
    pki_text_add(out, n == folders->first ? "  package_paths:\n    - " : "    - ");
    add_path(s, n->text, out);
    pki_text_add(out, "\n");
  }
}

/* Place, pose and rates at the first point: a free trunk has them from the motion's file; of a robot that is fixed in the world the
 * pose. */
static void add_start(const pki_course *c, pki_text *out)
{
  const pk_model *m = c->gait->model;
  const pki_scenario_model *entry = &c->gait->scenario->models[0];
  char number[PKI_REAL_TEXT];
  if (pki_gait_trunk(m) > 0) {
    pki_text_add(out, "  motion: motion.csv\n");
    return;
  }
  if (entry->node->kind == PKI_NODE_MAP) {
    pki_text_add(out, "  position: ");
    add_list(out, entry->position, 3);
    if (pki_node_find(entry->node, "quaternion") != NULL) {
      pki_text_add(out, "\n  quaternion: ");
      add_list(out, entry->quaternion, 4);
    } else {
      pki_text_add(out, "\n  rpy: ");
      add_list(out, entry->rpy, 3);
    }
    pki_text_add(out, "\n");
  }
  pki_text_add(out, "  joints:\n");
  for (int i = 0; i < m->njoint; i++) {
    const pk_model_joint *j = &m->joints[i];
    if (j->leader < 0 && j->nq == 1) {
      /* rounding may leave a joint a little beyond its limits */
      const double q = fmin(fmax(c->rows[0].point->q[j->u], j->lower), j->upper);
      pki_text_add(out, "    ");
      pki_text_add_json_string(out, j->name + strlen(entry->prefix));
      pki_text_addf(out, ": %s\n", pki_format_real(q, number));
    }
  }
}

/* Poses and forces of a motion are in the axes of the ground: it is level, and on a slope gravity leans. */
static void add_gravity(const pki_gait_file *g, pki_text *out)
{
  const double slope = g->problem.slope, down = pki_length3(g->settings.gravity);
  const double leaning[3] = {-down * sin(slope), 0, -down * cos(slope)};
  pki_text_add(out, "\ngravity: ");
  add_list(out, slope != 0 ? leaning : g->settings.gravity, 3);
}

static void add_ground(const pki_motion_problem *p, pki_text *out)
{
  char number[PKI_REAL_TEXT];
  pki_text_addf(out,
                "terrain:\n  - shape: plane\n    normal: [0, 0, 1]\n    material: ground\n"
                "materials:\n  ground: {friction: %s}\n",
                pki_format_real(p->friction, number));
}

/* Every coordinate has a motor. */
static bool all_driven(const pki_motion_problem *p)
{
  bool all = true;
  for (int k = 0; k < p->model->nu; k++) {
    all = all && p->tau_upper[k] > 0;
  }
  return all;
}

/* A free trunk is balanced, so far as the ground is level; a robot that is fixed to the world follows its joints, by its dynamics where
 * each has a motor. */
static void add_controller(const pki_course *c, pki_text *out)
{
  const char *loop = c->repeats ? "  loop: 0\n" : "";
  if (pki_gait_trunk(c->gait->model) > 0 && c->gait->problem.slope == 0) {
    pki_text_add(out, "  name: follow\n  file: motion.csv\n");
  } else if (all_driven(&c->gait->problem)) {
    pki_text_addf(out, "  name: computed-torque\n  file: track.txt\n%s", loop);
  } else {
    pki_text_addf(out, "  name: track\n  file: track.txt\n  kp: 1000\n  kd: 30\n%s", loop);
  }
}

/* The springs beside the motors as they were found; torques of the motion are those of the motors. */
static void add_springs(const pki_course *c, pki_text *out)
{
  const pki_motion_problem *p = &c->gait->problem;
  const pki_motion_solution *s = &c->whole;
  double values[PKI_MOTION_DESIGNS];
  char number[2][PKI_REAL_TEXT];
  bool any = false;
  for (int i = 0; i < s->ndesign; i++) {
    values[i] = s->design[i].value;
  }
  for (int k = 0; k < p->model->nu && s->ndesign > 0; k++) {
    const double stiffness = pki_design_value(p, values, PKI_DESIGN_PARALLEL_STIFFNESS, k);
    if (stiffness > 1e-9) {
      pki_text_add(out, any ? "" : "actuators:\n");
      any = true;
      pki_text_add(out, "  - {joints: ");
      pki_text_add_json_string(out, pki_motion_dof_name(p->model, k));
      pki_text_addf(out,
                    ", kind: parallel-spring, radius: 1, stiffness: %s, pretension: %s, both_ways: true}\n",
                    pki_format_real(stiffness, number[0]),
                    pki_format_real(pki_design_value(p, values, PKI_DESIGN_PARALLEL_REST, k), number[1]));
    }
  }
}

pk_status pki_motion_scenario_save(const pki_course *course, const char *path, pk_error *err)
{
  const pki_gait_file *g = course->gait;
  char number[PKI_REAL_TEXT], name[80];
  pki_text text = {0};
  snprintf(name, sizeof name, "%.60s-follow", g->name);
  pki_text_add(&text, "# Made by `pronk optimize`: the optimal motion, followed in the simulator.\nname: ");
  pki_text_add_json_string(&text, name);
  pki_text_add(&text, "\ndescription: ");
  pki_text_add_json_string(&text, g->description);
  /* four cycles, or a second of standing after the end */
  const double duration = course->repeats ? 4 * course->whole.period : course->whole.period + 1;
  pki_text_addf(&text, "\nduration: %s", pki_format_real(duration, number));
  add_gravity(g, &text);
  pki_text_add(&text, "\nmodel:\n");
  add_source(g->scenario, &text);
  add_start(course, &text);
  if (g->problem.nfoot > 0) {
    add_ground(&g->problem, &text);
  }
  add_springs(course, &text);
  pki_text_add(&text, "step:\n  dt: 1e-3\ncontroller:\n");
  add_controller(course, &text);
  const pk_status status = pki_text_save(&text, path, err);
  pki_text_free(&text);
  return status;
}
