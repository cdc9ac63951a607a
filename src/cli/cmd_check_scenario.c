/* pronk check for scenarios: read it, make its world, tell what is wrong or what was understood. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "cli/cli.h"
#include "cli/cmd_check.h"
#include "cli/print_json.h"
#include "cli/sets.h"
#include "cli/terminal.h"
#include "contact/lcp/lcp.h"
#include "contact/solvers/solver.h"
#include "run/channels.h"
#include "scenario/scenario.h"
#include "step/world.h"

static bool print_json(const char *path, const pki_scenario *s, const pki_world *w,
                       const pki_problems *problems)
{
  const bool ok = s != NULL && w->sim != NULL && problems->status == PK_OK;
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "file", path);
  cJSON_AddBoolToObject(o, "ok", ok);
  cJSON *errors = cJSON_AddArrayToObject(o, "errors"), *warnings = cJSON_AddArrayToObject(o, "warnings");
  for (int i = 0; i < problems->count; i++) {
    cJSON_AddItemToArray(errors, pki_json_error(&problems->errors[i]));
  }
  for (int i = 0; s != NULL && i < s->warnings.count; i++) {
    cJSON_AddItemToArray(warnings, pki_json_error(&s->warnings.errors[i]));
  }
  if (ok) {
    cJSON_AddStringToObject(o, "scenario", s->name);
    cJSON_AddNumberToObject(o, "dof", w->model->nu);
    cJSON_AddNumberToObject(o, "bodies", w->model->nbody);
    pki_json_number(o, "mass", w->model->mass);
    pki_json_number(o, "dt", s->step.dt);
    pki_json_number(o, "duration", s->duration);
    cJSON_AddStringToObject(o, "controller", s->controller != NULL ? s->controller->name : "");
    pki_check_add_compliance(o, s, w);
  }
  return pki_json_print(o, false, "check");
}

/* ---- in words ---- */

static const char *plural_ending(int count)
{
  return count == 1 ? "" : "s";
}

/* "  ground      2 boxes, 1 plane; materials ice, rubber" */
static void print_ground(const pki_scenario *s)
{
  const pki_node *list = pki_node_find(pki_document_root(s->document), "terrain");
  if (list == NULL) {
    puts("  ground      none");
    return;
  }
  printf("  ground      ");
  for (int kind = 0, shown = 0; kind < PKI_GROUND_COUNT; kind++) {
    const char *word = pki_field_word(&pki_solid_shape_fields[0], kind);
    int count = 0;
    for (const pki_node *n = list->first; n != NULL; n = n->next) {
      count += strcmp(pki_node_find(n, "shape")->text, word) == 0;
    }
    if (count > 0) {
      printf("%s%s", shown++ > 0 ? ", " : "", word);
    }
    if (count > 1) {
      printf(" (%d)", count);
    }
  }
  for (int i = 0; i < s->nmaterial; i++) {
    const pki_scenario_material *m = &s->materials[i];
    printf("%s%s (friction %g", i == 0 ? "; " : ", ", m->name, m->material.friction);
    if (m->compliance[0] != '\0') {
      printf(" where contact is hard, compliance %s", m->compliance);
    }
    putchar(')');
  }
  putchar('\n');
}

/* ": gait trot, forward 0.3" */
static void print_scalars(const pki_node *map, const char *before)
{
  for (const pki_node *n = map->first; n != NULL; n = n->next) {
    if (n->kind == PKI_NODE_SCALAR && strcmp(n->key, "name") != 0) {
      printf("%s%s %s", before, n->key, n->text);
      before = ", ";
    }
  }
  putchar('\n');
}

/* Its options, then a line for each entry of its list. */
static void print_controller(const pki_scenario *s)
{
  printf("  controller  %s", s->controller != NULL ? s->controller->name : "none");
  if (s->controller == NULL || s->controller_node->kind != PKI_NODE_MAP) {
    putchar('\n');
    return;
  }
  print_scalars(s->controller_node, ": ");
  const pki_controller_list *list = s->controller->list;
  const pki_node *node = list != NULL ? pki_node_find(s->controller_node, list->name) : NULL;
  for (const pki_node *n = node != NULL ? node->first : NULL; n != NULL; n = n->next) {
    printf("  %-12s", list->name);
    print_scalars(n, "");
  }
}

/* What differs from world to world, and what it is in this one. */
static void print_varied(const pki_scenario *s, const pki_world *w)
{
  for (int i = 0; i < w->nvaried; i++) {
    const pki_varied *v = &w->varied[i];
    const pki_scenario_vary *of = &s->varies[v->entry];
    const char *space = v->unit[0] != '\0' ? " " : "";
    printf("  vary        %s", v->name);
    if (s->world >= 0) {
      printf(": %.6g%s%s in world %d\n", pki_varied_value(s, v, s->world), space, v->unit, s->world);
    } else if (of->distribution == PKI_NORMAL) {
      printf(": normal, %g with deviation %g%s%s\n", of->mean, of->deviation, space, v->unit);
    } else {
      printf(": %g to %g%s%s%s\n", of->from, of->to, space, v->unit,
             of->distribution == PKI_LOG_UNIFORM ? ", log-uniform" : "");
    }
  }
}

static void print_push(const pki_scenario_push *p)
{
  printf("  push        %s at %g s for %g s with ", p->link, p->at, p->duration);
  if (p->file[0] != '\0') {
    printf("the forces of %s", p->file);
  } else {
    const double *const t = p->torque;
    printf("(%g, %g, %g) N", p->force[0], p->force[1], p->force[2]);
    if (t[0] != 0 || t[1] != 0 || t[2] != 0) {
      printf(" and (%g, %g, %g) N m", t[0], t[1], t[2]);
    }
    fputs(p->shape == PKI_PUSH_HALF_SINE ? " at the peak of a half sine" : "", stdout);
  }
  puts(p->axes == PKI_PUSH_AXES_LINK ? ", in the link's axes" : "");
}

static void print_rest(const pki_scenario *s, const pki_world *w)
{
  pki_check_print_equipment(s, w);
  for (int i = 0; i < s->nconstraint; i++) {
    const pki_scenario_constraint *c = &s->constraints[i];
    printf("  constraint  %s: %s to %s\n", pki_field_word(&pki_constraint_fields[0], c->kind), c->link,
           c->to[0] != '\0' ? c->to : "the world");
  }
  for (int i = 0; i < s->npush; i++) {
    const pki_scenario_push *p = &s->pushes[i];
    print_push(p);
  }
  for (int i = 0; i < s->ndisturb; i++) {
    const pki_scenario_disturb *d = &s->disturbs[i];
    printf("  disturb     %s every %g s for %g s with %g N, seed %d\n", d->link, d->every, d->duration,
           d->force, s->seed);
  }
  print_varied(s, w);
  if (s->record.rate > 0 || s->record.view_rate > 0) {
    printf("  recording   %g Hz, poses at %g Hz, ", s->record.rate, s->record.view_rate);
    for (int i = 0; i < s->nrecord_channel; i++) {
      printf("%s%s", i > 0 ? " " : "channels ", s->record_channels[i]);
    }
    puts(s->nrecord_channel > 0 ? "" : "all channels");
  } else {
    puts("  recording   none");
  }
}

/* One line for each entry: its objects are robots of the world, after the models. */
static void print_objects(const pki_scenario *s, const pki_world *w)
{
  for (int i = 0, robot = w->model_robot[s->nmodel]; i < s->nobject; i++) {
    const pki_scenario_object *o = &s->objects[i];
    const int count = pki_object_number(o);
    printf("  objects     %s", w->model->robots[robot].name);
    if (count > 1) {
      printf(" to %s", w->model->robots[robot + count - 1].name);
    }
    printf(": %s%s%s, ", pk_shape_kind_name(o->shape), o->file[0] != '\0' ? " of " : "", o->file);
    if (count > 1) {
      printf("%d of ", count);
    }
    printf("%.4g kg\n", o->mass);
    robot += count;
  }
}

static void print_step(const pki_scenario *s, const pki_world *w)
{
  const pki_stepper *stepper = pki_steppers[s->step.stepper];
  const bool exact = pki_laws[s->step.law]->linear;
  char contact[128];
  pki_check_contact(s, w, contact, sizeof contact);
  printf("  step        %g s in steps of %g s: %s, %s", s->duration, s->step.dt, stepper->name, contact);
  if (stepper->contact) {
    printf(", %s %s to %g", exact ? "lcp" : "solver",
           exact ? pki_lcp_choices[s->step.lcp]->name : pki_solvers[s->step.solver]->name, s->step.tolerance);
  }
  if (s->certify > 0) {
    printf(", certified to %g", s->certify);
  }
  putchar('\n');
}

static void print_understood(const pki_scenario *s, const pki_world *w)
{
  printf("  %s%s%s\n", s->name, s->description[0] ? ": " : "", s->description);
  for (int i = 0; i < w->model_robot[s->nmodel]; i++) {
    const pk_model_robot *r = &w->model->robots[i];
    printf("  robot       %s: %s root, %d degree%s of freedom, %d bod%s, %.4g kg\n", r->name,
           pk_root_kind_name(r->root), r->nu, plural_ending(r->nu), r->nbody, r->nbody == 1 ? "y" : "ies",
           r->mass);
  }
  print_objects(s, w);
  print_ground(s);
  pki_check_print_compliance(s, w);
  print_step(s, w);
  print_controller(s);
  print_rest(s, w);
}

static void print_text(const char *path, const pki_scenario *s, const pki_world *w,
                       const pki_problems *problems)
{
  const pki_palette p = pki_palette_for(stdout);
  const bool ok = s != NULL && w->sim != NULL && problems->status == PK_OK;
  const int errors = pki_problems_total(problems), warnings = s != NULL ? s->warnings.count : 0;
  for (int i = 0; i < problems->count; i++) {
    pki_check_remark(&problems->errors[i], true, path);
  }
  for (int i = 0; i < warnings; i++) {
    pki_check_remark(&s->warnings.errors[i], false, path);
  }
  printf("%s: %s%s%s", path, ok ? p.green : p.red, ok ? "ok" : "not ok", p.plain);
  if (errors > 0) {
    printf(", %d error%s", errors, plural_ending(errors));
  }
  if (warnings > 0) {
    printf(", %d warning%s", warnings, plural_ending(warnings));
  }
  putchar('\n');
  if (ok) {
    print_understood(s, w);
  } else if (s == NULL) {
    puts("  names of joints and links are checked once these are mended");
  }
}

/* ---- channels: the only names that the world does not know ---- */

/* A channel of the run, or of one of its robots ("trunk/starleth", "trunk/starleth_1"), has that name. */
static bool matches_channel(const pki_world *w, const pki_channel_row *row, const char *pattern)
{
  bool found = !row->robots && pki_pattern_covers(pattern, row->name);
  for (int i = 0; i < (row->robots ? w->model_robot[w->scenario->nmodel] : 0) && !found; i++) {
    char name[256], counted[280];
    snprintf(name, sizeof name, "%s/%.120s", row->name, w->model->robots[i].name);
    snprintf(counted, sizeof counted, "%s_%d", name, i);
    found = pki_pattern_covers(pattern, name) || pki_pattern_covers(pattern, counted);
  }
  return found;
}

static void check_channels(const pki_world *w, pki_problems *problems)
{
  const pki_scenario *s = w->scenario;
  const pki_node *record = pki_node_find(pki_document_root(s->document), "record");
  const pki_node *list = record != NULL ? pki_node_find(record, "channels") : NULL;
  const char *words[64];
  const int count = pki_channel_row_count < 64 ? pki_channel_row_count : 64;
  for (const pki_node *n = list != NULL ? list->first : NULL; n != NULL; n = n->next) {
    bool found = false;
    for (int i = 0; i < count; i++) {
      words[i] = pki_channel_rows[i].name;
      found = found || matches_channel(w, &pki_channel_rows[i], n->text);
    }
    if (!found) {
      pk_error err = {0};
      int chosen;
      pk_status status = pki_read_choice(n, "channel", n->text, words, count, &chosen, &err);
      if (status == PK_OK) { /* a row of robots, and the world has none */
        status = pki_node_fail(n, &err, PK_ERROR_ARGUMENT, "this world has no channel \"%.100s\"", n->text);
      }
      pki_problems_note(problems, status, &err);
    }
  }
}

/* ---- the command ---- */

int pki_check_scenario(const pki_args *args, const char *name)
{
  char path[PKI_PATH_MAX];
  pki_scenario *s = NULL;
  pki_world w = {0};
  pki_problems problems = {0};
  pk_error err = {0};
  pki_sets sets;
  if (!pki_sets_read(args, &sets)) {
    return PKI_EXIT_FAILURE;
  }
  const bool located = pki_problems_note(&problems, pki_scenario_locate(name, path, &err), &err) == PK_OK;
  if (!located) {
    snprintf(path, sizeof path, "%s", name);
  } else if (pki_scenario_load_all(path, sets.list, sets.count, &s, &problems) == PK_OK) {
    pki_scenario_check_times(s, s->duration, &s->warnings);
    if (pki_world_create_all(s, &w, &problems) == PK_OK) {
      pki_world_check_constraints(&w, &s->warnings);
      pki_world_check_sensing(&w, &s->warnings);
      pki_world_check_tracking(&w, &s->warnings);
      pki_world_check_overlaps(&w, &s->warnings);
      pki_world_check_compliance(&w, &s->warnings);
      pki_world_check_options(&w, &s->warnings);
      check_channels(&w, &problems);
    }
  }
  const pk_status status = problems.status;
  int code = pki_exit_of_input(status);
  pki_problems_sort(&problems);
  if (!args->json) {
    print_text(path, s, &w, &problems);
  } else if (!print_json(path, s, &w, &problems)) {
    code = PKI_EXIT_FAILURE;
  }
  pki_sets_free(&sets);
  pki_problems_free(&problems);
  pki_world_free(&w);
  pki_scenario_destroy(s);
  return code;
}

void pki_warn_scenario(const char *command, pki_scenario *scenario, const pki_world *world, double duration)
{
  pki_problems *warnings = &scenario->warnings;
  if (world != NULL) {
    pki_scenario_check_times(scenario, duration >= 0 ? duration : scenario->duration, warnings);
    pki_world_check_overlaps(world, warnings);
    pki_world_check_compliance(world, warnings);
    pki_world_check_options(world, warnings);
  }
  for (int i = 0; i < warnings->count; i++) {
    pk_error e = warnings->errors[i];
    char message[sizeof e.message];
    memcpy(message, e.message, sizeof message);
    snprintf(e.message, sizeof e.message, "warning: %.600s", message);
    pki_complain_error(command, &e);
  }
}
