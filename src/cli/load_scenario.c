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

/* What holds it in its start pose. */
typedef enum robot_holder {
  HOLDER_GAINS,            /* gains by the inertias of its joints */
  HOLDER_GAINS_FOR_MOTORS, /* likewise, since its actuators are no servos */
  HOLDER_SERVOS            /* its own actuators, at the control values of the keyframe that it starts in */
} robot_holder;

/* Something draws the actuator's joint back, or brakes it. An integral begins at zero, wherever the joint is. */
static bool is_servo(const pk_model_actuator *a)
{
  return !a->integrates && (a->bias[1] < 0 || a->bias[2] < 0);
}

/* Every joint that has an actuator has a servo, and one of them at least has a stiffness. */
static bool has_servos(const pk_model *m)
{
  bool stiff = false;
  for (int i = 0; i < m->nactuator; i++) {
    bool served = false;
    for (int k = 0; k < m->nactuator; k++) {
      served |= m->actuators[k].joint == m->actuators[i].joint && is_servo(&m->actuators[k]);
    }
    if (!served) {
      return false;
    }
    stiff |= is_servo(&m->actuators[i]) && m->actuators[i].bias[1] < 0;
  }
  return stiff;
}

/* The keyframe says what its actuators shall do. Files that leave its control values out mean zero by that, which is a
 * pose of servos only where the driven joints are at zero. */
static bool has_controls(const pk_model *m, const pk_model_keyframe *key)
{
  bool moved = false, given = false;
  for (int i = key->actuator; i < key->actuator + key->nctrl; i++) {
    const pk_model_joint *joint = &m->joints[m->actuators[i].joint];
    given |= key->ctrl[i - key->actuator] != 0;
    moved |= joint->leader < 0 && key->q_value[joint->q - key->q] != 0;
  }
  return given || !moved;
}

static robot_holder holder_of(const pk_model *model, const pki_scenario *s)
{
  const pk_model *m = model->tree != NULL ? model->tree : model;
  char name[256];
  snprintf(name, sizeof name, "%s%s", s->models[0].prefix, s->models[0].pose);
  const int key = s->models[0].pose[0] != '\0' ? pk_model_find_keyframe(m, name) : -1;
  if (m->nactuator == 0) {
    return HOLDER_GAINS;
  }
  if (!has_servos(m)) {
    return HOLDER_GAINS_FOR_MOTORS;
  }
  return key >= 0 && has_controls(m, &m->keyframes[key]) ? HOLDER_SERVOS : HOLDER_GAINS;
}

/* The robot of a word, the overrides of its world, and what follows from the model. */
typedef struct robot_world {
  const char *word;
  char name[60];
  char *file; /* absolute, or the name of a generated model */
  const pki_sets *sets;
  robot_ground ground;
  robot_holder holder;
  char keyframe[128]; /* with HOLDER_SERVOS */
} robot_world;

/* "go2 on a plane, held by its own actuators at the keyframe home" */
static void describe_world(const robot_world *w, char *about, size_t size)
{
  const int n = snprintf(about, size, "%.60s %s, ", w->name,
                         w->ground == GROUND_PLANE ? "on a plane"
                         : w->ground == GROUND_OWN ? "on the ground of its file"
                                                   : "with a fixed root");
  if (w->holder == HOLDER_SERVOS) {
    snprintf(about + n, size - (size_t)n, "held by its own actuators at the keyframe %s", w->keyframe);
  } else {
    snprintf(about + n, size - (size_t)n, "every joint held where it starts%s",
             w->holder == HOLDER_GAINS_FOR_MOTORS ? " (its own actuators have no stiffness)" : "");
  }
}

/* A robot on a plane, or without ground where nothing of it can fall, held in its start pose. What options and --set say comes on top, when
 * the text is read. */
static void write_world(const robot_world *w, pki_text *text)
{
  char about[320];
  describe_world(w, about, sizeof about);
  pki_text_add(text, "name: ");
  pki_text_add_json_string(text, w->name);
  pki_text_add(text, "\ndescription: ");
  pki_text_add_json_string(text, about);
  pki_text_add(text, "\nduration: 3\nmodel:\n  model: ");
  pki_text_add_json_string(text, w->file);
  pki_text_add(text, w->ground != GROUND_NONE ? "\n  on_ground: true" : "");
  pki_text_add(text, w->ground == GROUND_PLANE ? "\nterrain:\n  - {shape: plane}" : "");
  if (w->holder == HOLDER_SERVOS) {
    pki_text_add(text, "\ncontroller:\n  name: actuators\n  keyframe: ");
    pki_text_add_json_string(text, w->keyframe);
    pki_text_add(text, "\n");
  } else {
    pki_text_add(text, "\ncontroller: {name: hold, frequency: 10}\n");
  }
}

static pk_status parse_world(const robot_world *w, pki_scenario **scenario, pk_error *err)
{
  char called[PKI_PATH_MAX];
  pki_text text = {0};
  write_world(w, &text);
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

/* What the model asks for in place of a plane and gains; false: nothing. */
static bool choose_world(robot_world *w, const pk_model *m, const pki_scenario *s)
{
  w->ground = !can_fall(m) ? GROUND_NONE : has_ground(m) ? GROUND_OWN : GROUND_PLANE;
  w->holder = holder_of(m, s);
  snprintf(w->keyframe, sizeof w->keyframe, "%s", s->models[0].pose);
  return w->ground != GROUND_PLANE || w->holder != HOLDER_GAINS;
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
  status = w.file != NULL ? parse_world(&w, scenario, err) : pki_fail_memory(err, NULL);
  status = status == PK_OK ? load_robot(*scenario, &model, err) : status;
  if (status == PK_OK && choose_world(&w, model, *scenario)) {
    pki_scenario_destroy(*scenario);
    status = parse_world(&w, scenario, err);
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
