/* Code of one robot: which functions, and their files. */
#include "symbolic/code/codegen.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolic/graph/simplify.h"

enum { LARGE = 2500 }; /* statements that are one file */

/* ---- options ---- */

#define AT(member) offsetof(pk_codegen_options, member)

static const pk_field fields[] = {
    {"name", AT(name), PK_FIELD_TEXT, "", 0, 0, 48, NULL,
     "of the files, and what functions' names begin with; default: the robot's name"},
    {"functions", AT(functions), PK_FIELD_TEXT, "", 0, 0, 512, NULL, "which ones, by comma; default: all"},
    {"parameters", AT(parameters), PK_FIELD_TEXT, "", 0, 0, 128, NULL,
     "what stays an input, by comma: inertia, position, gravity, armature; default: nothing"},
    {"states", AT(states), PK_FIELD_INT, "", 4, 1, 64, NULL, "that the self-test compares"},
};

const pk_field *pki_codegen_fields(int *count)
{
  *count = sizeof fields / sizeof fields[0];
  return fields;
}

pk_codegen_options pk_codegen_options_default(void)
{
  pk_codegen_options o;
  pki_fields_default(fields, sizeof fields / sizeof fields[0], &o, sizeof o);
  return o;
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char signs[] = "0123456789_"; /* that a name in C has besides, but for its first */

static bool is_in(const char *set, char c)
{
  return c != '\0' && strchr(set, c) != NULL;
}

/* Names that CMake or the linker has for something else. */
static bool is_taken(const char *name)
{
  static const char *const taken[] = {"all", "clean",   "depend",         "edit_cache",    "help", "install",
                                      "m",   "package", "package_source", "rebuild_cache", "test"};
  bool found = false;
  for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
    found |= strcmp(name, taken[i]) == 0;
  }
  return found;
}

static pk_status check_name(const char *name, pk_error *err)
{
  bool good = name[0] == '\0' || is_in(letters, name[0]);
  for (const char *c = name; *c != '\0'; c++) {
    good &= is_in(letters, *c) || is_in(signs, *c);
  }
  if (!good) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "name"},
                    "\"%s\" cannot begin the name of a C function: letters, digits and _ can, a letter first",
                    name);
  }
  if (is_taken(name)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "name"},
                    "\"%s\" means something else to CMake or the linker: choose another name", name);
  }
  return PK_OK;
}

int pk_codegen_function_count(void)
{
  return pki_robot_function_count();
}

const char *pk_codegen_function_name(int function)
{
  return function >= 0 && function < pki_robot_function_count() ? pki_robot_function_name(function) : NULL;
}

const char *pk_codegen_function_about(int function)
{
  return function >= 0 && function < pki_robot_function_count() ? pki_robot_function_about(function) : NULL;
}

/* The next word of a list by comma; false: there is none. */
static bool next_word(const char **list, char word[64])
{
  *list += strspn(*list, ", ");
  const size_t n = strcspn(*list, ", ");
  snprintf(word, 64, "%.*s", (int)(n < 63 ? n : 63), *list);
  *list += n;
  return n > 0;
}

/* A name for C: the user's as it is, or made of the robot's in small letters. */
static void choose_name(const char *given, pki_codegen *c)
{
  const char *robot = c->m->nrobot > 0 ? c->m->robots[0].name : "";
  robot = robot[0] != '\0' ? robot : "robot";
  size_t n = 0;
  if (!is_in(letters, robot[0])) {
    c->name[n++] = 'r';
  }
  for (const char *s = robot; *s != '\0' && n < sizeof c->name - 1; s++) {
    const char small = (char)(*s >= 'A' && *s <= 'Z' ? *s - 'A' + 'a' : *s);
    c->name[n++] = (char)(is_in(letters, small) || is_in(signs, small) ? small : '_');
  }
  if (given[0] != '\0') {
    snprintf(c->name, sizeof c->name, "%s", given);
  } else if (is_taken(c->name)) {
    snprintf(c->name, sizeof c->name, "robot");
  }
  pki_codegen_plain(robot, c->robot);
  pki_capitals(c->name, c->capitals, sizeof c->capitals);
}

static pk_status read_parameters(const char *list, unsigned *chosen, pk_error *err)
{
  static const char *const words[] = {"inertia", "position", "gravity", "armature"};
  static const unsigned bits[] = {PKI_FREE_INERTIA, PKI_FREE_POSITION, PKI_FREE_GRAVITY, PKI_FREE_ARMATURE};
  for (char word[64]; next_word(&list, word);) {
    unsigned bit = 0;
    for (int i = 0; i < 4; i++) {
      bit |= strcmp(word, words[i]) == 0 ? bits[i] : 0;
    }
    if (bit == 0) {
      const char *near = pki_nearest_word(word, words, 4);
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "parameters"},
                      "there is no parameter \"%s\"%s%s%s (inertia, position, gravity, armature)", word,
                      near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
    *chosen |= bit;
  }
  return PK_OK;
}

pk_status pk_codegen_options_validate(const pk_codegen_options *o, pk_error *err)
{
  unsigned chosen = 0;
  pk_status status = pki_fields_validate(fields, sizeof fields / sizeof fields[0], o, err);
  status = status == PK_OK ? check_name(o->name, err) : status;
  return status == PK_OK ? read_parameters(o->parameters, &chosen, err) : status;
}

/* ---- functions ---- */

static bool has_unit(const pki_codegen *c, const char *name)
{
  for (int i = 0; i < c->count; i++) {
    if (strcmp(c->units[i].f.name, name) == 0) {
      return true;
    }
  }
  return false;
}

/* Operations of the algorithm as it is written: nothing shared, nothing folded. -1: out of memory. */
static int count_before(const pki_codegen *c, const char *name)
{
  pki_graph *g = pki_graph_create(true);
  pki_function f;
  int count = -1;
  if (g != NULL &&
      pki_robot_function(g, c->m, &(pki_robot_options){.free = c->free}, name, &f, NULL) == PK_OK) {
    count = pki_count_all(pki_function_count(&f));
    pki_function_free(&f);
  }
  pki_graph_destroy(g);
  return count;
}

static pk_status out_of_memory(const char *name, pk_error *err)
{
  return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory for the code of %s", name);
}

/* The function in as few operations as are found, in a graph of its own. */
static pk_status make_function(const pki_codegen *c, const char *name, pki_codegen_unit *u, pk_error *err)
{
  pki_graph *g = pki_graph_create(false);
  pki_function f;
  u->g = pki_graph_create(false);
  pk_status status = g == NULL || u->g == NULL ? out_of_memory(name, err) : PK_OK;
  if (status == PK_OK) {
    status = pki_robot_function(g, c->m, &(pki_robot_options){.free = c->free}, name, &f, err);
  }
  if (status == PK_OK) {
    if (!pki_simplify(&f, u->g, &u->f)) {
      pki_function_free(&u->f);
      status = out_of_memory(name, err);
    }
    pki_function_free(&f);
  }
  pki_graph_destroy(g);
  if (status != PK_OK) {
    pki_graph_destroy(u->g);
  }
  return status;
}

static pk_status add_function(pki_codegen *c, const char *name, pk_codegen_info *info, pk_error *err)
{
  pki_codegen_unit *u = &c->units[c->count];
  if (has_unit(c, name)) {
    return PK_OK;
  }
  const pk_status status = make_function(c, name, u, err);
  if (status != PK_OK) {
    return status;
  }
  c->count++;
  if (!pki_emit_measure(&u->f, &u->emitted)) {
    return out_of_memory(name, err);
  }
  pk_codegen_function *told = &info->functions[info->nfunction++];
  snprintf(told->name, sizeof told->name, "%s", name);
  told->before = count_before(c, name);
  told->after = pki_count_all(pki_function_count(&u->f));
  told->statements = u->emitted.statements;
  return told->before < 0 ? out_of_memory(name, err) : PK_OK;
}

static pk_status choose_functions(const char *list, pki_codegen *c, pk_codegen_info *info, pk_error *err)
{
  pk_status status = PK_OK;
  for (char word[64]; status == PK_OK && next_word(&list, word);) {
    status = add_function(c, word, info, err);
  }
  const bool all = status == PK_OK && c->count == 0;
  for (int i = 0; all && i < pki_robot_function_count() && status == PK_OK; i++) {
    status = add_function(c, pki_robot_function_name(i), info, err);
  }
  int statements = 0;
  for (int i = 0; i < c->count; i++) {
    statements += c->units[i].emitted.statements;
  }
  c->apart = statements > LARGE;
  return status;
}

/* ---- files ---- */

/* What a file of ours has in its first lines. */
static const char mark[] = "made by pronk";

typedef enum whose { NOBODYS, OURS, OTHERS } whose;

/* Whose file is at a path. */
static whose whose_file(const char *path)
{
  char start[512];
  FILE *f = fopen(path, "r");
  if (f == NULL) {
    return NOBODYS;
  }
  const size_t n = fread(start, 1, sizeof start - 1, f);
  fclose(f);
  start[n] = '\0';
  for (size_t i = 0; i < n; i++) {
    start[i] = (char)(start[i] == 'M' ? 'm' : start[i] == '\0' ? ' ' : start[i]);
  }
  return strstr(start, mark) != NULL ? OURS : OTHERS;
}

/* Sources of functions that are not written this time would stay beside those that are. */
static void remove_stale(const pki_codegen *c, const char *folder)
{
  for (int i = -1; i < pki_robot_function_count(); i++) {
    char path[4096];
    const char *function = i >= 0 ? pki_robot_function_name(i) : "";
    const int n = snprintf(path, sizeof path, "%s/%s%s%s.c", folder, c->name, i >= 0 ? "_" : "", function);
    const bool written = i >= 0 ? c->apart && has_unit(c, function) : !c->apart;
    if (n < (int)sizeof path && !written && whose_file(path) == OURS) {
      remove(path);
    }
  }
}

/* A file may be written there. */
static pk_status check_place(const char *folder, const char *name, pk_error *err)
{
  char path[4096];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "the path is too long");
  }
  if (whose_file(path) == OTHERS) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path},
                    "is there already and was not made by pronk codegen: choose an empty folder");
  }
  return PK_OK;
}

static pk_status save_generated(const pki_text *text, const char *folder, const char *name,
                                pk_codegen_info *info, pk_error *err)
{
  char path[4096];
  const pk_status status = check_place(folder, name, err);
  if (status != PK_OK) {
    return status;
  }
  snprintf(path, sizeof path, "%s/%s", folder, name);
  snprintf(info->files[info->nfile++], sizeof info->files[0], "%.95s", name);
  return pki_text_save(text, path, err);
}

/* Functions first to last - 1, in one file. */
static pk_status save_source(const pki_codegen *c, int first, int last, const char *folder,
                             pk_codegen_info *info, pk_error *err)
{
  char name[96];
  pki_text text = {0};
  snprintf(name, sizeof name, c->apart ? "%s_%s.c" : "%s.c", c->name, c->units[first].f.name);
  pki_text_addf(
      &text,
      "/* Dynamics of %s, made by pronk %s: see %s.h. */\n#include \"%s.h\"\n#include \"%s_lanes.h\"\n",
      c->robot, pk_version(), c->name, c->name, c->name);
  for (int i = first; i < last; i++) {
    pki_text_add(&text, "\n");
    pki_emit_function(&c->units[i].f, c->name, &text);
  }
  const pk_status status = save_generated(&text, folder, name, info, err);
  pki_text_free(&text);
  return status;
}

static void write_lanes_header(const pki_codegen *c, pki_text *text)
{
  pki_text_addf(text, "/* Part of %s.h, made by pronk %s. */\n", c->name, pk_version());
  pki_emit_lanes(c->name, text);
}

static void self_test(const pki_codegen *c, pki_text *text)
{
  text->failed |= !pki_codegen_test(c, text);
}

static pk_status save_all(const pki_codegen *c, const char *folder, pk_codegen_info *info, pk_error *err)
{
  const struct {
    const char *before, *name, *after;
    void (*write)(const pki_codegen *c, pki_text *text);
  } rows[] = {{"", c->name, ".h", pki_codegen_header},
              {"", c->name, "_lanes.h", write_lanes_header},
              {"test_", c->name, ".c", self_test},
              {"", "CMakeLists", ".txt", pki_codegen_cmake},
              {"", "README", ".md", pki_codegen_readme}};
  enum { ROWS = sizeof rows / sizeof rows[0] };
  char names[ROWS][96];
  pk_status status = pki_folder_create(folder, err);
  for (size_t i = 0; i < ROWS && status == PK_OK; i++) { /* before anything is written */
    snprintf(names[i], sizeof names[i], "%s%s%s", rows[i].before, rows[i].name, rows[i].after);
    status = check_place(folder, names[i], err);
  }
  for (size_t i = 0; i < ROWS && status == PK_OK; i++) {
    pki_text text = {0};
    rows[i].write(c, &text);
    status = save_generated(&text, folder, names[i], info, err);
    pki_text_free(&text);
  }
  for (int i = 0; c->apart && i < c->count && status == PK_OK; i++) {
    status = save_source(c, i, i + 1, folder, info, err);
  }
  if (!c->apart && status == PK_OK) {
    status = save_source(c, 0, c->count, folder, info, err);
  }
  if (status == PK_OK) {
    remove_stale(c, folder);
  }
  return status;
}

/* ---- all of it ---- */

static pk_status check_model(const pk_model *m, pk_error *err)
{
  if (m->nconstraint > 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){0},
                    "the model has %d loop(s) or cut joint(s): there is no code for constraints",
                    m->nconstraint);
  }
  if (m->nu == 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){0}, "nothing moves in this model");
  }
  return PK_OK;
}

pk_status pk_codegen_write(const pk_model *model, const pk_codegen_options *options, const char *folder,
                           pk_codegen_info *info, pk_error *err)
{
  const pk_codegen_options o = options != NULL ? *options : pk_codegen_options_default();
  pk_codegen_info unwanted = {0}, *told = info != NULL ? info : &unwanted;
  *told = (pk_codegen_info){0};
  pki_codegen *c = calloc(1, sizeof *c);
  if (c == NULL) {
    return pki_fail_memory(err, NULL);
  }
  c->m = model, c->states = o.states;
  pk_status status = pk_codegen_options_validate(&o, err);
  status = status == PK_OK ? check_model(model, err) : status;
  if (status == PK_OK) {
    choose_name(o.name, c);
    status = read_parameters(o.parameters, &c->free, err);
  }
  status = status == PK_OK ? choose_functions(o.functions, c, told, err) : status;
  snprintf(told->name, sizeof told->name, "%s", c->name);
  status = status == PK_OK ? save_all(c, folder, told, err) : status;
  for (int i = 0; i < c->count; i++) {
    pki_function_free(&c->units[i].f);
    pki_graph_destroy(c->units[i].g);
  }
  free(c);
  return status;
}
