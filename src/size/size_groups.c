/* Groups of a sizing study: patterns of joints, and the parts of the catalogue. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "scenario/motor_file.h"
#include "size/size_study.h"

enum { MOTORS = 256, JOINTS = 512 };

/* ---- texts that may be one or a list ---- */

/* The text of item i of a list, or the only one; NULL: no more, or after a problem. */
static const char *text_at(const pki_node *node, int i, const pki_node **at, pki_problems *problems)
{
  const pki_node *n = node->kind == PKI_NODE_LIST ? node->first : node;
  for (int k = 0; k < i && n != NULL; k++) {
    n = node->kind == PKI_NODE_LIST ? n->next : NULL;
  }
  *at = n;
  if (n == NULL) {
    return NULL;
  }
  if (n->kind != PKI_NODE_SCALAR || n->text[0] == '\0') {
    pki_problem(problems, n, "this is %s, expected a name or a pattern", pki_node_what(n));
    return NULL;
  }
  return n->text;
}

/* ---- motors ---- */

static void add_motor(const pki_motor_entry *m, pki_motor_entry *list, int *count)
{
  for (int i = 0; i < *count; i++) {
    if (strcmp(list[i].path, m->path) == 0) {
      return;
    }
  }
  if (*count < MOTORS) {
    list[(*count)++] = *m;
  }
}

/* Motors of the catalogue whose names match; those that are known by an envelope alone have nothing to be sized by. */
static void add_matching(const pki_node *node, const char *pattern, pki_motor_entry *list, int *count,
                         pki_problems *problems)
{
  int entries = 0;
  const int before = *count;
  pki_scenario_entry *all = pki_yaml_list(&pki_motor_files, &entries);
  for (int i = 0; i < entries; i++) {
    pki_motor_entry m;
    pki_problems ignored = {0};
    if (pki_pattern_matches(pattern, all[i].name) && pki_motor_read(all[i].path, &m, &ignored) == PK_OK &&
        m.kind == PKI_MOTOR_KIND_DC) {
      add_motor(&m, list, count);
    }
    pki_problems_free(&ignored);
  }
  free(all);
  if (*count == before) {
    pki_problem(problems, node, "no motor of kind dc in the catalogue matches \"%.80s\"", pattern);
  }
}

pk_status pki_size_load_motor(const pki_size_study *study, const char *name, pki_motor_entry *out,
                              pk_error *err)
{
  char path[PKI_PATH_MAX];
  const bool is_path =
      strncmp(name, "motors/", 7) != 0 && (strchr(name, '/') != NULL || pki_is_scenario_name(name));
  const bool placed = is_path && pki_size_path(study, name, path);
  return pki_motor_load(placed ? path : name, out, err);
}

/* A motor by its name or file. */
static void add_named(const pki_size_study *s, const pki_node *node, const char *name, pki_motor_entry *list,
                      int *count, pki_problems *problems)
{
  pki_motor_entry m;
  pk_error err = {0};
  const pk_status status = pki_size_load_motor(s, name, &m, &err);
  if (status != PK_OK) {
    pki_problems_note(problems, err.line > 0 ? status : pki_node_place(status, node, "", &err), &err);
  } else if (m.kind != PKI_MOTOR_KIND_DC) {
    pki_problem(problems, node,
                "of the motor \"%.60s\" only a torque-speed envelope is published: it cannot be sized", m.id);
  } else {
    add_motor(&m, list, count);
  }
}

static void read_motors(const pki_size_study *s, const pki_size_entry *e, pki_size_group *g,
                        pki_problems *problems)
{
  const pki_node *node = pki_node_find(e->node, "motors"), *at;
  const char *text;
  if (node == NULL) {
    pki_problem(problems, e->node,
                "the key \"motors\" is missing: names or patterns of the catalogue, or files");
    return;
  }
  g->motors = calloc(MOTORS, sizeof *g->motors);
  if (g->motors == NULL) {
    pki_problem_memory(problems);
    return;
  }
  for (int i = 0; (text = text_at(node, i, &at, problems)) != NULL; i++) {
    if (strchr(text, '*') != NULL) {
      add_matching(at, text, g->motors, &g->nmotor, problems);
    } else {
      add_named(s, at, text, g->motors, &g->nmotor, problems);
    }
  }
}

static void read_voltages(const pki_size_entry *e, pki_size_group *g, pki_problems *problems)
{
  const pki_node *list = pki_node_find(e->node, "voltages");
  if (list == NULL || pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  if (list->count > PKI_SIZE_VOLTAGES) {
    pki_problem(problems, list, "%d voltages, expected at most %d", list->count, PKI_SIZE_VOLTAGES);
    return;
  }
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    pk_error err = {0};
    double volts;
    if (pki_problems_note(problems, pki_read_real(n, &volts, &err), &err) == PK_OK) {
      if (!(volts > 0 && volts <= 1e6)) {
        pki_problem(problems, n, "the voltage is %g V, expected more than 0 and at most 1e6", volts);
      }
      g->voltages[g->nvoltage++] = volts;
    }
  }
}

static void read_parts(const pki_size_study *s, const pki_size_entry *e, pki_size_group *g,
                       pki_problems *problems)
{
  const pki_node *joints = pki_node_find(e->node, "joints"), *at;
  const char *first = joints != NULL ? text_at(joints, 0, &at, problems) : NULL;
  if (joints == NULL) {
    pki_problem(problems, e->node, "the key \"joints\" is missing: a name, a pattern, or a list of them");
  }
  snprintf(g->name, sizeof g->name, "%s", e->name[0] != '\0' ? e->name : first != NULL ? first : "");
  read_motors(s, e, g, problems);
  pki_gears_read(pki_node_find(e->node, "gears"), g->gears, PKI_SIZE_GEARS, &g->ngear, problems);
  read_voltages(e, g, problems);
}

pk_status pki_size_check_groups(const pki_size_study *study, pki_problems *problems)
{
  for (int i = 0; i < study->ndrive; i++) {
    pki_size_group *g = calloc(1, sizeof *g);
    if (g == NULL) {
      return pki_problem_memory(problems);
    }
    read_parts(study, &study->drives[i], g, problems);
    free(g->motors);
    free(g);
  }
  return problems->status;
}

/* ---- joints ---- */

/* Names of all joints of the duty, each once. */
static int list_joints(const pki_duty *duty, const char *out[JOINTS])
{
  int count = 0;
  for (int k = 0; k < duty->count; k++) {
    for (int i = 0; i < duty->motions[k].njoint; i++) {
      const char *name = duty->motions[k].joints[i].name;
      bool known = false;
      for (int j = 0; j < count; j++) {
        known |= strcmp(out[j], name) == 0;
      }
      if (!known && count < JOINTS) {
        out[count++] = name;
      }
    }
  }
  return count;
}

/* Joints that a pattern finds, at the end of the group's. */
static void add_joints(const pki_duty *duty, const pki_node *node, const char *pattern, pki_size_group *g,
                       pki_problems *problems)
{
  const char *names[JOINTS];
  const int count = list_joints(duty, names), before = g->njoint;
  char(*list)[PKI_DUTY_NAME] = realloc(g->joints, (size_t)(g->njoint + count + 1) * sizeof *list);
  if (list == NULL) {
    pki_problem_memory(problems);
    return;
  }
  g->joints = list;
  for (int i = 0; i < count; i++) {
    if (pki_pattern_matches(pattern, names[i])) {
      snprintf(list[g->njoint++], PKI_DUTY_NAME, "%s", names[i]);
    }
  }
  if (g->njoint == before) {
    pk_error err = {0};
    int chosen;
    pki_problems_note(problems, pki_read_choice(node, "joint", pattern, names, count, &chosen, &err), &err);
  }
}

static pki_size_group *append_group(pki_sizing *z, pki_problems *problems)
{
  pki_size_group *list = realloc(z->groups, (size_t)(z->ngroup + 1) * sizeof *list);
  if (list == NULL) {
    pki_problem_memory(problems);
    return NULL;
  }
  z->groups = list;
  list[z->ngroup] = (pki_size_group){.chosen = -1};
  return &list[z->ngroup++];
}

/* A group for each joint of the last group, in its place. */
static void split_group(pki_sizing *z, pki_problems *problems)
{
  pki_size_group all = z->groups[--z->ngroup];
  for (int i = 0; i < all.njoint; i++) {
    pki_size_group *g = append_group(z, problems);
    if (g == NULL) {
      break;
    }
    *g = all;
    g->joints = malloc(sizeof *g->joints);
    g->motors = malloc((size_t)all.nmotor * sizeof *g->motors + 1);
    if (g->joints == NULL || g->motors == NULL) {
      pki_problem_memory(problems);
      break;
    }
    memcpy(g->joints[0], all.joints[i], PKI_DUTY_NAME);
    memcpy(g->motors, all.motors, (size_t)all.nmotor * sizeof *g->motors);
    g->njoint = 1;
    snprintf(g->name, sizeof g->name, "%s", all.joints[i]);
  }
  free(all.joints);
  free(all.motors);
}

/* No joint is in two groups. */
static void check_twice(const pki_sizing *z, const pki_size_study *s, pki_problems *problems)
{
  for (int i = 0; i < z->ngroup; i++) {
    for (int a = 0; a < z->groups[i].njoint; a++) {
      for (int k = 0; k <= i; k++) {
        for (int b = 0; b < (k == i ? a : z->groups[k].njoint); b++) {
          if (strcmp(z->groups[i].joints[a], z->groups[k].joints[b]) == 0) {
            pki_problem(problems, pki_node_find(pki_document_root(s->document), "drives"),
                        "the joint %s is in two groups, or twice in one", z->groups[i].joints[a]);
            return;
          }
        }
      }
    }
  }
}

/* A present drive is that of a joint which there is. */
static void check_present(const pki_sizing *z, const pki_size_study *s, pki_problems *problems)
{
  const char *names[JOINTS];
  const int count = list_joints(&z->duty, names);
  for (int i = 0; i < s->npresent; i++) {
    bool found = false;
    for (int k = 0; k < count; k++) {
      found |= pki_pattern_matches(s->present[i].joints, names[k]);
    }
    if (!found) {
      pk_error err = {0};
      int chosen;
      const pki_node *node = pki_node_find(s->present[i].node, "joints");
      pki_problems_note(
          problems, pki_read_choice(node, "joint", s->present[i].joints, names, count, &chosen, &err), &err);
    }
  }
}

pk_status pki_size_make_groups(const pki_size_study *study, pki_sizing *sizing, pki_problems *problems)
{
  for (int i = 0; i < study->ndrive; i++) {
    const pki_size_entry *e = &study->drives[i];
    pki_size_group *g = append_group(sizing, problems);
    const pki_node *joints = pki_node_find(e->node, "joints"), *at;
    const char *text;
    if (g == NULL) {
      return problems->status;
    }
    read_parts(study, e, g, problems);
    for (int k = 0; joints != NULL && (text = text_at(joints, k, &at, problems)) != NULL; k++) {
      add_joints(&sizing->duty, at, text, g, problems);
    }
    if (e->each) {
      split_group(sizing, problems);
    }
  }
  check_twice(sizing, study, problems);
  check_present(sizing, study, problems);
  sizing->options = study->options;
  sizing->rank = study->rank;
  sizing->one_voltage = study->one_voltage;
  return problems->status;
}
