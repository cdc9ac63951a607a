/* Who sets the commands. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/files.h"
#include "scenario/section.h"

static const char *const sees_words[] = {"truth", "sensors"};

const pk_field pki_controller_name_fields[] = {
    PKI_TEXT("name", pki_controller_name, name, 1, "which one (pronk list controllers)"),
    {"sees", offsetof(pki_controller_name, sees), PK_FIELD_ENUM, "", PK_SEES_TRUTH, 0, PK_SEES_COUNT - 1,
     sees_words, "what it sees of the world: all of it, or what its sensors show"},
};
const int pki_controller_name_field_count = PKI_COUNT(pki_controller_name_fields);

/* A controller's list of mappings, into the array among its options. */
static void read_controller_list(pki_scenario *s, const pki_node *node, pki_problems *problems)
{
  const pki_controller_list *l = s->controller->list;
  const pki_node *list = l != NULL ? pki_node_find(node, l->name) : NULL;
  if (list == NULL || pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  int *count = (int *)(void *)((char *)s->controller_options + l->count);
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    if (*count == l->most) {
      pki_problem(problems, n, "%s has more than %d entries", l->name, l->most);
      return;
    }
    void *entry = (char *)s->controller_options + l->offset + (size_t)(*count)++ * l->size;
    pki_fields_preset(l->fields, *l->nfield, entry);
    const pki_binding binding = {l->fields, *l->nfield, entry};
    pki_read_map(n, &binding, 1, problems);
  }
}

/* Other parts of a controller's table are lists of `least` to `most` names (0: as many as that): pointers at their offset, NULL where none is given. The
 * scenario keeps a list for each field. */
static void read_controller_names(pki_scenario *s, const pki_node *node, pki_problems *problems)
{
  s->controller_names = calloc((size_t)s->controller->nfield + 1, sizeof *s->controller_names);
  if (s->controller_names == NULL) {
    pki_problem_memory(problems);
    return;
  }
  for (int i = 0; i < s->controller->nfield; i++) {
    const pk_field *f = &s->controller->fields[i];
    const bool names = f->type == PK_FIELD_PART &&
                       (s->controller->list == NULL || strcmp(s->controller->list->name, f->name) != 0);
    const pki_node *list = names ? pki_node_find(node, f->name) : NULL;
    int count = 0;
    if (list == NULL) { /* least and most of other fields are no counts */
      continue;
    }
    if (pki_read_names(list, (int)(f->least > 0 ? f->least : f->most), (int)f->most, &s->controller_names[i],
                       &count, problems) != PK_OK) {
      continue;
    }
    for (int k = 0; k < count; k++) {
      const char *name = s->controller_names[i][k];
      memcpy((char *)s->controller_options + f->offset + (size_t)k * sizeof name, &name, sizeof name);
    }
  }
}

/* A file among a controller's options is found from the scenario's folder, and is part of its hash. */
static void find_controller_file(pki_scenario *s, const pki_node *node, pki_problems *problems)
{
  const pk_field *f = pki_fields_find(s->controller->fields, s->controller->nfield, "file");
  char *file = f != NULL ? (char *)s->controller_options + f->offset : NULL, path[PKI_PATH_MAX];
  if (file == NULL || file[0] == '\0') {
    return;
  }
  pk_error err = {0};
  const pki_node *at = pki_node_find(node, "file");
  pk_status status = pki_scenario_find_file(s, at, file, path, &err);
  if (status == PK_OK && strlen(path) > (size_t)f->most) {
    status = pki_node_fail(at, &err, PK_ERROR_ARGUMENT, "the path is too long");
  }
  if (pki_problems_note(problems, status, &err) == PK_OK) {
    pki_scenario_hash_file(s, file);
    memcpy(file, path, strlen(path) + 1);
  }
}

/* A period that is not given is the default, or the whole number of steps below it. */
static void fit_period(pki_scenario *s)
{
  const pk_field *f = pki_fields_find(s->controller->fields, s->controller->nfield, "period");
  double *period = f != NULL ? (double *)(void *)((char *)s->controller_options + f->offset) : NULL;
  if (period != NULL && *period > 0 && s->step.dt > 0) {
    const double steps = *period / s->step.dt;
    *period = fabs(steps - round(steps)) <= 1e-6 * steps ? *period : fmax(floor(steps), 1) * s->step.dt;
  }
}

static void read_controller(pki_scenario *s, const pki_node *node, pki_problems *problems)
{
  if (node == NULL) {
    return;
  }
  const char *words[64];
  int nword = 0;
  for (; nword < 64 && pki_controllers[nword] != NULL; nword++) {
    words[nword] = pki_controllers[nword]->name;
  }
  pki_controller_name chosen = {.sees = PK_SEES_TRUTH};
  int row = 0;
  pk_error err = {0};
  const pki_node *name = node->kind == PKI_NODE_MAP ? pki_node_find(node, "name") : node;
  if (name == NULL) {
    pki_problem(problems, node, "the key \"name\" is missing: a text, which one (pronk list controllers)");
    return;
  }
  pk_status status = pki_read_field(name, pki_controller_name_fields, &chosen, &err);
  if (status == PK_OK) {
    status = pki_read_choice(name, "controller", chosen.name, words, nword, &row, &err);
  }
  if (pki_problems_note(problems, status, &err) != PK_OK) {
    return;
  }
  s->controller = pki_controllers[row];
  s->controller_node = node;
  s->controller_options = calloc(1, s->controller->options_size);
  if (s->controller_options == NULL) {
    pki_problem_memory(problems);
    return;
  }
  pki_fields_preset(s->controller->fields, s->controller->nfield, s->controller_options);
  const pki_binding bindings[] = {{pki_controller_name_fields, pki_controller_name_field_count, &chosen},
                                  {s->controller->fields, s->controller->nfield, s->controller_options}};
  if (node != name) {
    pki_read_map(node, bindings, 2, problems);
    s->step.sees = chosen.sees;
    read_controller_names(s, node, problems);
    find_controller_file(s, node, problems);
    read_controller_list(s, node, problems);
  }
  if (node == name || pki_node_find(node, "period") == NULL) {
    fit_period(s);
  }
}

static void release_controller(pki_scenario *s)
{
  for (int i = 0; s->controller_names != NULL && i < s->controller->nfield; i++) {
    free(s->controller_names[i]);
  }
  free((void *)s->controller_names);
  free(s->controller_options);
}

static pk_status set_controller(const pki_scenario *s, pki_world *w, pk_error *err)
{
  if (s->controller == NULL) {
    return PK_OK;
  }
  pk_status status =
      s->controller->create(pk_sim_joint_model(w->sim), s->controller_options, &w->controller, err);
  status = status == PK_OK ? pk_sim_set_controller(w->sim, w->controller, err) : status;
  /* the option at fault, where the scenario gives it */
  const pki_node *node = err != NULL ? pki_node_find(s->controller_node, err->field) : NULL;
  return pki_scenario_place_file(status, node != NULL ? node : s->controller_node, "", err);
}

static void start_controller(pki_world *w, pki_problems *problems)
{
  pk_error err = {0};
  pki_problems_note(problems, set_controller(w->scenario, w, &err), &err);
}

const pki_section pki_section_controller = {.name = "controller",
                                            .doc = "what sets the commands; default: nothing",
                                            .form = PKI_SECTION_IS_OWN,
                                            .read = read_controller,
                                            .release = release_controller,
                                            .start = start_controller};
