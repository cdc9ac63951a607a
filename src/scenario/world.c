/* From a scenario to a world that is ready to step. */
#include <stdlib.h>
#include <string.h>

#include "pronk/base_estimator.h"
#include "pronk/collision.h"
#include "pronk/sensing.h"
#include "scenario/load_models.h"
#include "scenario/section.h"
#include "scenario/start_pose.h"
#include "sim/parameters.h"

/* ---- the model ---- */

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

/* What loaders and the compiler warned of, for pki_world_check_files. */
static void keep_remarks(pki_world *world, const pk_builder *b)
{
  int count = 0;
  const pk_builder_diagnostic *all = pk_builder_diagnostics(b, &count);
  for (int i = 0; i < count; i++) {
    if (!all[i].is_error && world->remarks++ == 0) {
      world->remark = all[i].error;
    }
  }
}

static void make_model(pki_world *world, pki_problems *problems)
{
  const pki_scenario *s = world->scenario;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  world->model_robot = calloc((size_t)s->nmodel + 1, sizeof *world->model_robot);
  if (b == NULL || world->model_robot == NULL) {
    pk_builder_destroy(b);
    pki_problem_memory(problems);
    return;
  }
  pk_builder_set_gravity(b, s->gravity);
  for (int i = 0; i < s->nmodel; i++) {
    pk_error err = {0};
    world->model_robot[i] = pki_builder_robots(b);
    pki_problems_note(problems, pki_scenario_add_model(s, &s->models[i], b, &err), &err);
  }
  world->model_robot[s->nmodel] = pki_builder_robots(b);
  for (int i = 0; pki_sections[i] != NULL && problems->status == PK_OK; i++) {
    if (pki_sections[i]->build != NULL) {
      pki_sections[i]->build(s, b, problems);
    }
  }
  if (problems->status == PK_OK) {
    compile_world_model(s, b, &world->model, problems);
  }
  keep_remarks(world, b);
  pk_builder_destroy(b);
}

/* ---- the rest ---- */

/* What needs the world: each section on its own, so that all that is wrong is told. */
static void set_sections(const pki_scenario *s, pki_world *w, pki_problems *problems)
{
  for (int i = 0; pki_sections[i] != NULL; i++) {
    if (pki_sections[i]->set != NULL) {
      pki_sections[i]->set(w, problems);
    }
  }
  pki_world_set_pose(w, problems);
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

void pki_world_check_files(const pki_world *world, pki_problems *warnings)
{
  const pki_scenario *s = world->scenario;
  if (world->remarks > 0 && s->nmodel > 0) {
    char line[sizeof world->remark.message];
    pki_error_line(&world->remark, line, sizeof line);
    pki_problem(warnings, s->models[0].node, "%.400s%s", line,
                world->remarks > 1 ? " (one of several: `pronk check` of the model lists them)" : "");
  }
}

pk_status pki_world_create_all(const pki_scenario *scenario, pki_world *out, pki_problems *problems)
{
  *out = (pki_world){.scenario = scenario, .number = -1, .push = 1};
  make_model(out, problems);
  pk_sim_options options = scenario->step;
  if (problems->status == PK_OK) {
    pki_world_make_actuation(out, problems);
  }
  options.actuation = out->actuation;
  for (int i = 0; pki_sections[i] != NULL && problems->status == PK_OK; i++) {
    if (pki_sections[i]->equip != NULL) {
      pki_sections[i]->equip(out, &options, problems);
    }
  }
  if (problems->status == PK_OK) {
    pk_error err = {0};
    const pki_node *root = pki_document_root(scenario->document), *step = pki_node_find(root, "step");
    const pk_status status = pki_node_place(pk_sim_create(out->model, &options, &out->sim, &err),
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
  pk_actuation_destroy(world->actuation);
  pk_code_close(world->code);
  pki_controller_destroy(world->controller);
  pk_base_estimator_destroy_sensing(world->estimator);
  pk_sensing_destroy(world->sensing);
  pk_model_destroy(world->model);
  free(world->model_robot);
  free(world->push_link);
  free(world->disturb_link);
  free(world->acting), free(world->acting_entry);
  free(world->varied);
  free(world->start);
  *world = (pki_world){0};
}

pk_status pki_world_step(pki_world *world, pk_step_info *info)
{
  pki_world_push(world);
  return pk_sim_step(world->sim, info);
}
