/* The scenario of a command: the one that is named, or a world around the robot of --model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/load_model.h"
#include "cli/sets.h"

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

/* A robot on a plane, held in its start pose. What options and --set say comes on top, when the text is read. */
static void write_world(const pk_model *m, const char *name, const char *file, pki_text *text)
{
  const bool stands = can_fall(m);
  pki_text_add(text, "name: ");
  pki_text_add_json_string(text, name);
  pki_text_add(text, "\ndescription: ");
  char about[160];
  snprintf(about, sizeof about, "%.60s %s, every joint held where it starts", name,
           stands ? "on a plane" : "with a fixed root");
  pki_text_add_json_string(text, about);
  pki_text_add(text, "\nduration: 3\nmodel:\n  model: ");
  pki_text_add_json_string(text, file);
  if (stands) {
    pki_text_add(text, "\n  on_ground: true\nterrain:\n  - {shape: plane}");
  }
  pki_text_add(text, "\ncontroller: {name: hold, frequency: 10}\n");
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
  const char *word = pki_args_value(args, "model");
  pki_loaded loaded;
  pki_load(args, word, &loaded);
  pk_status status = loaded.model != NULL ? PK_OK : loaded.error.status;
  *err = loaded.error;
  if (status == PK_OK) {
    const bool generated = strncmp(loaded.path, "chain:", strlen("chain:")) == 0;
    char *file = generated ? NULL : pki_absolute_path(loaded.path), name[60];
    pki_text text = {0};
    pki_model_called(word, name);
    tell_fixed_roots(args, loaded.model);
    write_world(loaded.model, name, file != NULL ? file : loaded.path, &text);
    status = text.failed
                 ? pki_fail_memory(err, NULL)
                 : pki_scenario_parse(word, text.data, text.size, sets->list, sets->count, scenario, err);
    pki_text_free(&text);
    free(file);
  }
  pki_loaded_free(&loaded);
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
