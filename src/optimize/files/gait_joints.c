/* What a gait file says of joints: limits, motors, which are locked, where they start and end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/files/gait_fields.h"
#include "scenario/motor_line.h"

/* ---- limits ---- */

static void set_limit(pki_gait_file *g, const pki_gait_limit *e, int dof, pki_problems *problems)
{
  pki_motion_problem *p = &g->problem;
  const struct {
    const char *key;
    double value, *to;
  } values[] = {
      {"torque", e->torque, &p->tau_upper[dof]}, {"speed", e->speed, &p->v_upper[dof]},
      {"rate", e->rate, &p->rate_upper[dof]},    {"lower", e->lower, &p->q_lower[dof]},
      {"upper", e->upper, &p->q_upper[dof]},
  };
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    if (pki_node_find(e->node, values[i].key) != NULL) {
      *values[i].to = values[i].value;
    }
  }
  p->q_lower[dof] += e->margin;
  p->q_upper[dof] -= e->margin;
  if (!(p->q_lower[dof] <= p->q_upper[dof])) {
    pki_problem(problems, e->node, "%s may go from %g to %g, expected the smaller first",
                pki_gait_coordinate_name(g->model, dof), p->q_lower[dof], p->q_upper[dof]);
  }
}

static void read_limits(pki_gait_file *g, const pki_node *list, pki_problems *problems)
{
  void *read = NULL;
  int count = 0, dofs[PKI_MOTION_DOFS];
  pki_read_entries(list, pki_gait_limit_fields, pki_gait_limit_field_count, sizeof(pki_gait_limit), &read,
                   &count, problems);
  const pki_gait_limit *entries = read;
  for (int i = 0; i < count; i++) {
    const pki_node *node = pki_node_find(entries[i].node, "joints");
    const int found = node != NULL && entries[i].joints[0] != '\0'
                          ? pki_gait_find_coordinates(g, node, entries[i].joints, dofs, problems)
                          : 0;
    for (int k = 0; k < found; k++) {
      set_limit(g, &entries[i], dofs[k], problems);
    }
  }
  free(read);
}

/* ---- motors ---- */

/* With the gear, the voltage and the efficiency of the entry instead of its own. */
static void change_motor(pki_motor_entry *m, const pki_gait_motor *e)
{
  m->motor.gear = e->gear > 0 ? e->gear : m->motor.gear;
  m->motor.voltage = e->voltage > 0 ? e->voltage : m->motor.voltage;
  m->motor.efficiency = e->efficiency > 0 ? e->efficiency : m->motor.efficiency;
}

/* Behind its gear: free speed V/(K N), stall torque e N K V/R; a drive of the kind torque has the line through the end of
 * its flat part. Its largest current limits the torque. */
static void set_motor(pki_gait_file *g, const pki_motor_entry *m, int dof)
{
  const pki_motor_line line = pki_motor_line_of(m);
  pki_motion_motor *out = &g->problem.motor[dof];
  *out = (pki_motion_motor){
      .resistance = NAN, .gear = 1, .efficiency = 1, .constant = 1, .speed = INFINITY, .stall = INFINITY};
  if (m->kind == PKI_MOTOR_KIND_DC) {
    out->resistance = m->motor.resistance;
    out->constant = m->motor.constant;
    out->gear = m->motor.gear;
    out->efficiency = m->motor.efficiency;
    out->inertia = m->motor.inertia;
    out->damping = m->motor.damping;
  }
  if (!isnan(line.no_load_speed)) {
    out->speed = line.no_load_speed;
    out->stall = pki_motor_voltage_line_at(m, 0);
  }
  out->effort = g->problem.tau_upper[dof];
  if (!isnan(line.peak_torque) && line.peak_torque > 0) {
    out->peak = line.peak_torque;
    g->problem.tau_upper[dof] = fmin(g->problem.tau_upper[dof], line.peak_torque);
  }
}

static void read_motor(pki_gait_file *g, const pki_gait_motor *e, pki_problems *problems)
{
  pki_motor_entry motor;
  pk_error err = {0};
  char path[PKI_PATH_MAX];
  int dofs[PKI_MOTION_DOFS];
  const pki_node *joints = pki_node_find(e->node, "joints"), *name = pki_node_find(e->node, "motor");
  if (joints == NULL || name == NULL || e->joints[0] == '\0' || e->motor[0] == '\0') {
    return; /* told by the table */
  }
  /* a path from the file's folder, or a name of the catalogue */
  const bool is_path = strchr(e->motor, '/') != NULL || pki_is_scenario_name(e->motor);
  const bool found = is_path && pki_scenario_path(g->scenario, e->motor, path) &&
                     pki_motor_locate(path, path, NULL) == PK_OK;
  const pk_status status = pki_motor_load(found ? path : e->motor, &motor, &err);
  if (status != PK_OK) {
    const bool inside = err.line > 0;
    pki_problems_note(problems, inside ? status : pki_node_place(status, name, e->motor, &err), &err);
    return;
  }
  if (motor.kind == PKI_MOTOR_KIND_TORQUE && (e->gear > 0 || e->voltage > 0 || e->efficiency > 0)) {
    pki_problem(problems, e->node,
                "%s is known by its torque-speed envelope alone: it has no gear, voltage or "
                "efficiency to change",
                motor.id);
    return;
  }
  change_motor(&motor, e);
  const int count = pki_gait_find_coordinates(g, joints, e->joints, dofs, problems);
  for (int k = 0; k < count; k++) {
    set_motor(g, &motor, dofs[k]);
  }
}

static void read_motors(pki_gait_file *g, const pki_node *list, pki_problems *problems)
{
  void *read = NULL;
  int count = 0;
  pki_read_entries(list, pki_gait_motor_fields, pki_gait_motor_field_count, sizeof(pki_gait_motor), &read,
                   &count, problems);
  const pki_gait_motor *entries = read;
  for (int i = 0; i < count; i++) {
    read_motor(g, &entries[i], problems);
  }
  free(read);
  if (g->settings.motor_lines && count == 0) {
    pki_problem(problems, pki_node_find(pki_document_root(g->document), "motor_lines"),
                "motor_lines is true and there are no motors: `motors` names them");
  }
}

/* ---- locked joints ---- */

static void read_lock(pki_gait_file *g, const pki_node *list, pki_problems *problems)
{
  int dofs[PKI_MOTION_DOFS];
  if (list == NULL || pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    if (n->kind != PKI_NODE_SCALAR || n->text[0] == '\0') {
      pki_problem(problems, n, "this is %s, expected the name of a joint", pki_node_what(n));
      continue;
    }
    const int count = pki_gait_find_coordinates(g, n, n->text, dofs, problems);
    for (int k = 0; k < count; k++) {
      g->problem.locked[dofs[k]] = true;
    }
  }
}

/* ---- the ends ---- */

/* A mapping from names to numbers, into coordinates. */
static void read_values(const pki_gait_file *g, const pki_node *map, double *to, pki_problems *problems)
{
  int dofs[PKI_MOTION_DOFS];
  if (map == NULL || pki_expect_kind(map, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  for (const pki_node *n = map->first; n != NULL; n = n->next) {
    double value;
    pk_error err = {0};
    if (pki_problems_note(problems, pki_read_real(n, &value, &err), &err) != PK_OK) {
      continue;
    }
    const int count = pki_gait_find_coordinates(g, n, n->key, dofs, problems);
    for (int k = 0; k < count; k++) {
      to[dofs[k]] = value;
    }
  }
}

static void read_travel(pki_gait_file *g, const pki_node *list, pki_problems *problems)
{
  pki_motion_problem *p = &g->problem;
  if (list == NULL) {
    return;
  }
  if (pki_gait_trunk(g->model) == 0) {
    pki_problem(problems, list, "the robot is fixed in the world and does not travel");
    return;
  }
  if (list->kind != PKI_NODE_LIST || list->count != 2) {
    pki_problem(problems, list, "found %s, expected [x, y] in m",
                list->kind == PKI_NODE_LIST ? "a list of another length" : pki_node_what(list));
    return;
  }
  const pki_node *n = list->first;
  for (int i = 0; i < 2; i++, n = n->next) {
    pk_error err = {0};
    pki_problems_note(problems, pki_read_real(n, &p->q_end[i], &err), &err);
    p->q_start[i] = 0;
  }
}

static void read_end(pki_gait_file *g, const pki_node *node, bool last, pki_problems *problems)
{
  pki_motion_problem *p = &g->problem;
  double *q = last ? p->q_end : p->q_start, *v = last ? p->v_end : p->v_start;
  pki_gait_end end;
  const pk_field *fields = last ? pki_gait_end_fields : pki_gait_start_fields;
  const int count = last ? pki_gait_end_field_count : pki_gait_start_field_count;
  const pki_binding binding = {fields, count, &end};
  pki_fields_preset(pki_gait_end_fields, pki_gait_end_field_count, &end);
  if (node == NULL || pki_expect_kind(node, PKI_NODE_MAP, problems) != PK_OK ||
      pki_read_map(node, &binding, 1, problems) != PK_OK) {
    return;
  }
  if (p->closure != PKI_MOTION_ONCE) {
    pki_problem(problems, node, "a motion that repeats has no ends of its own: closure: once has them");
    return;
  }
  for (int i = 0; i < g->model->nu; i++) {
    v[i] = end.rest ? 0 : v[i];
    q[i] = end.pose && i >= pki_gait_trunk(g->model) ? p->pose[i] : q[i];
  }
  read_values(g, pki_node_find(node, "joints"), q, problems);
  read_values(g, pki_node_find(node, "velocities"), v, problems);
  if (last) {
    read_travel(g, pki_node_find(node, "travel"), problems);
    if (pki_node_find(node, "turn") != NULL && pki_gait_trunk(g->model) > 0) {
      p->q_start[5] = isnan(p->q_start[5]) ? 0 : p->q_start[5];
      q[5] = p->q_start[5] + end.turn;
    }
  }
}

void pki_gait_read_joints(pki_gait_file *g, pki_problems *problems)
{
  const pki_node *root = pki_document_root(g->document);
  read_limits(g, pki_node_find(root, "limits"), problems);
  read_motors(g, pki_node_find(root, "motors"), problems);
  read_lock(g, pki_node_find(root, "lock"), problems);
  read_end(g, pki_node_find(root, "start"), false, problems);
  read_end(g, pki_node_find(root, "end"), true, problems);
}
