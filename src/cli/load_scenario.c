/* The scenario of a command: the one that is named, or a world around the robot of --model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/load_model.h"
#include "cli/sets.h"
#include "model/locate.h"
#include "scenario/load_models.h"

/* "models/starleth/" and "x/go2.xml" are called starleth and go2. */
void pki_model_called(const char *word, char name[60])
{
  const char *end = word + strlen(word);
  while (end > word + 1 && end[-1] == '/') {
    end--;
  }
  const char *begin = end, *dot;
  while (begin > word && begin[-1] != '/') {
    begin--;
  }
  for (dot = end; dot > begin && *dot != '.'; dot--) {}
  snprintf(name, 60, "%.*s", (int)((dot > begin ? dot : end) - begin), begin);
}

/* Something of the model can fall: it needs a ground. */
static bool can_fall(const pk_model *m)
{
  bool found = false;
  for (int i = 0; i < m->nrobot; i++) {
    found |= m->robots[i].root == PK_ROOT_CHAIN;
  }
  for (int i = 0; i < m->nbody; i++) {
    found |= m->body_parent[i] < 0 && m->body_motion[i] == PK_MOTION_FLOATING;
  }
  return found;
}

/* The file has a ground of its own. */
static bool has_ground(const pk_model *m)
{
  bool found = false;
  for (int i = 0; i < m->nshape; i++) {
    const pk_model_shape *s = &m->shapes[i];
    found |= !s->visual && s->body < 0 && (s->kind == PK_SHAPE_PLANE || s->kind == PK_SHAPE_HEIGHTS);
  }
  return found;
}

/* What lies below the robot. */
typedef enum robot_ground { GROUND_PLANE, GROUND_OWN, GROUND_NONE } robot_ground;

/* A robot on a plane, or without ground where nothing of it can fall, held in its start pose. What options and --set say comes on top, when
 * the text is read. */
static void write_world(const char *name, const char *file, robot_ground ground, pki_text *text)
{
  char about[160];
  snprintf(about, sizeof about, "%.60s %s, every joint held where it starts", name,
           ground == GROUND_PLANE ? "on a plane"
           : ground == GROUND_OWN ? "on the ground of its file"
                                  : "with a fixed root");
  pki_text_add(text, "name: ");
  pki_text_add_json_string(text, name);
  pki_text_add(text, "\ndescription: ");
  pki_text_add_json_string(text, about);
  pki_text_add(text, "\nduration: 3\nmodel:\n  model: ");
  pki_text_add_json_string(text, file);
  pki_text_add(text, ground != GROUND_NONE ? "\n  on_ground: true" : "");
  pki_text_add(text, ground == GROUND_PLANE ? "\nterrain:\n  - {shape: plane}" : "");
  pki_text_add(text, "\ncontroller: {name: hold, frequency: 10}\n");
}

/* The robot of a word, and the overrides of its world. */
typedef struct robot_world {
  const char *word;
  char name[60];
  char *file; /* absolute, or the name of a generated model */
  const pki_sets *sets;
} robot_world;

static pk_status parse_world(const robot_world *w, robot_ground ground, pki_scenario **scenario,
                             pk_error *err)
{
  char called[PKI_PATH_MAX];
  pki_text text = {0};
  write_world(w->name, w->file, ground, &text);
  snprintf(called, sizeof called, "--model %.4000s", w->word);
  const pk_status status = text.failed ? pki_fail_memory(err, NULL)
                                       : pki_scenario_parse(called, text.data, text.size, w->sets->list,
                                                            w->sets->count, scenario, err);
  pki_text_free(&text);
  return status;
}

/* The model of a scenario that has just one. */
static pk_status load_robot(const pki_scenario *scenario, pk_model **out, pk_error *err)
{
  pk_builder *b;
  pk_status status = pk_builder_create(&b, err);
  *out = NULL;
  status = status == PK_OK ? pki_scenario_add_model(scenario, &scenario->models[0], b, err) : status;
  status = status == PK_OK ? pk_builder_compile(b, out, err) : status;
  pk_builder_destroy(b);
  return status;
}

/* A robot that stays where it is although it has mass and joints: the user may have meant another one. */
static void tell_fixed_roots(const pki_args *args, const pk_model *m)
{
  for (int i = 0; i < m->nrobot; i++) {
    if (m->robots[i].root_reason == PK_ROOT_REASON_CANNOT_STAND) {
      pki_complain(args->command->name, "the root of %s is fixed: %s; --root free lets it move",
                   m->robots[i].name, pk_root_reason_text(m->robots[i].root_reason));
    }
  }
}

static pk_status make_world(const pki_args *args, const pki_sets *sets, pki_scenario **scenario,
                            pk_error *err)
{
  robot_world w = {.word = pki_args_value(args, "model"), .sets = sets};
  char path[PKI_PATH_MAX];
  const bool generated = strncmp(w.word, "chain:", strlen("chain:")) == 0;
  pk_status status = generated ? PK_OK : pki_model_locate(w.word, path, err);
  if (status != PK_OK) {
    return status;
  }
  pki_model_called(w.word, w.name);
  w.file = generated ? pki_text_copy(w.word) : pki_absolute_path(path);
  pk_model *model = NULL;
  status = w.file != NULL ? parse_world(&w, GROUND_PLANE, scenario, err) : pki_fail_memory(err, NULL);
  status = status == PK_OK ? load_robot(*scenario, &model, err) : status;
  if (status == PK_OK && (!can_fall(model) || has_ground(model))) {
    pki_scenario_destroy(*scenario);
    status = parse_world(&w, can_fall(model) ? GROUND_OWN : GROUND_NONE, scenario, err);
  }
  if (status == PK_OK) {
    tell_fixed_roots(args, model);
  } else {
    pki_scenario_destroy(*scenario);
    *scenario = NULL;
  }
  pk_model_destroy(model);
  free(w.file);
  return status;
}

pk_status pki_load_scenario(const pki_args *args, pki_scenario **scenario, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pki_sets sets;
  *scenario = NULL;
  if (!pki_sets_read(args, &sets)) {
    return pki_fail_memory(err, NULL);
  }
  pk_status status;
  if (pki_args_has(args, "model")) {
    status = make_world(args, &sets, scenario, err);
  } else {
    status = pki_scenario_locate(args->words[0], path, err);
    status = status == PK_OK ? pki_scenario_load(path, sets.list, sets.count, scenario, err) : status;
  }
  pki_sets_free(&sets);
  return status;
}

bool pki_one_world(const pki_args *args, const char *what)
{
  const bool model = pki_args_has(args, "model");
  if (args->nword == (model ? 0 : 1)) {
    return true;
  }
  pki_complain(args->command->name,
               model ? "--model makes a world of its own: name no %s beside it"
                     : "name one %s, or a robot with --model FILE",
               what);
  return false;
}
