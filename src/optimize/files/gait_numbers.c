/* What of a gait file is numbers and words: the whole file's, ground, stability, objective, solver, grid. */
#include <math.h>

#include "optimize/files/gait_fields.h"

void pki_gait_read_range(const pki_node *node, double lowest, double *least, double *most,
                         pki_problems *problems)
{
  if (node == NULL) {
    return;
  }
  pk_error err = {0};
  double value[2] = {0};
  if (node->kind == PKI_NODE_MAP || (node->kind == PKI_NODE_LIST && node->count != 2)) {
    pki_problem(problems, node, "found %s, expected a number or [least, most]",
                node->kind == PKI_NODE_MAP ? "a mapping" : "a list of another length");
    return;
  }
  const pki_node *first = node->kind == PKI_NODE_LIST ? node->first : node;
  const pki_node *second = node->kind == PKI_NODE_LIST ? node->last : node;
  pk_status status = pki_read_real(first, &value[0], &err);
  status = status == PK_OK ? pki_read_real(second, &value[1], &err) : status;
  if (pki_problems_note(problems, status, &err) != PK_OK) {
    return;
  }
  if (!(value[0] <= value[1]) || !(value[0] >= lowest) || !(value[1] < 1e9)) {
    pki_problem(problems, node, "found %g to %g, expected the smaller first and at least %g", value[0],
                value[1], lowest);
    return;
  }
  *least = value[0];
  *most = value[1];
}

/* A mapping by one table; one that is not there leaves the defaults. */
static void read_mapping(const pki_gait_file *g, const char *key, const pk_field *fields, int count, void *to,
                         pki_problems *problems)
{
  const pki_node *node = pki_node_find(pki_document_root(g->document), key);
  const pki_binding binding = {fields, count, to};
  pki_fields_preset(fields, count, to);
  if (node != NULL && pki_expect_kind(node, PKI_NODE_MAP, problems) == PK_OK) {
    pki_read_map(node, &binding, 1, problems);
  }
}

/* The value of a key below another one is given. */
static bool is_given(const pki_gait_file *g, const char *key, const char *below)
{
  const pki_node *node = pki_node_find(pki_document_root(g->document), key);
  return node != NULL &&
         (below == NULL || (node->kind == PKI_NODE_MAP && pki_node_find(node, below) != NULL));
}

static void read_objective(pki_gait_file *g, pki_problems *problems)
{
  const pki_node *node = pki_node_find(pki_document_root(g->document), "objective");
  pki_motion_objective *o = &g->settings.objective;
  read_mapping(g, "objective", pki_gait_objective_fields, pki_gait_objective_field_count, o, problems);
  if (node == NULL) {
    o->torque = 1;
  } else if (node->kind == PKI_NODE_MAP &&
             !(o->torque + o->joule + o->work + o->time + o->polygon + o->stability + o->acceleration > 0)) {
    pki_problem(problems, node, "all weights are 0, expected one above 0 at least");
  }
}

/* From the settings to the problem. */
static void keep_numbers(pki_gait_file *g)
{
  const pki_gait_settings *s = &g->settings;
  pki_motion_problem *p = &g->problem;
  p->closure = s->closure;
  p->scheme = s->scheme;
  p->planar = s->planar;
  p->motor_lines = s->motor_lines;
  p->speed = is_given(g, "speed", NULL) ? s->speed : NAN;
  p->clearance = s->clearance;
  p->least_force = s->least_force;
  p->friction = s->friction;
  p->friction_share = s->friction_share;
  p->spin_friction = s->spin_friction;
  p->slope = s->slope;
  p->tip_speed = s->tip_speed;
  p->tip_perpendicular = s->tip == 1;
  p->least_stability = is_given(g, "stability", "least") ? s->least_stability : NAN;
  p->objective = s->objective;
  p->tolerance = s->tolerance;
  p->iterations = s->iterations;
  p->plane_first = s->plane_first;
  p->grid_tolerance = is_given(g, "grid", "tolerance") ? s->grid_tolerance : INFINITY;
  p->grid_rounds = s->grid_rounds;
  p->most_intervals = s->most_intervals;
}

void pki_gait_read_numbers(pki_gait_file *g, pki_problems *problems)
{
  const pki_node *root = pki_document_root(g->document);
  pki_gait_settings *s = &g->settings;
  pki_motion_problem *p = &g->problem;
  read_mapping(g, "ground", pki_gait_ground_fields, pki_gait_ground_field_count, s, problems);
  read_mapping(g, "stability", pki_gait_stability_fields, pki_gait_stability_field_count, s, problems);
  read_mapping(g, "solver", pki_gait_solver_fields, pki_gait_solver_field_count, s, problems);
  read_mapping(g, "grid", pki_gait_grid_fields, pki_gait_grid_field_count, s, problems);
  read_objective(g, problems);
  keep_numbers(g);
  p->stride_shortest = p->stride_longest = p->period_shortest = p->period_longest = NAN;
  pki_gait_read_range(pki_node_find(root, "stride"), -1e6, &p->stride_shortest, &p->stride_longest, problems);
  pki_gait_read_range(pki_node_find(root, "period"), 1e-6, &p->period_shortest, &p->period_longest, problems);
}
