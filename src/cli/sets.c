#define _XOPEN_SOURCE 700
#include "cli/sets.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

/* What a value becomes in the scenario. */
typedef enum set_kind { SET_WORD, SET_PATH, SET_PATHS, SET_TRUE, SET_FALSE } set_kind;

static const struct {
  const char *option, *key;
  set_kind kind;
} keys[] = {
    {"package-path", "package_paths", SET_PATHS},
    {"no-meshes", "meshes", SET_FALSE},
    {"collision-meshes", "collision_meshes", SET_WORD},
    {"strict", "strict", SET_TRUE},
    {"no-balance", "balance_inertia", SET_FALSE},
    {"root", "root", SET_WORD},
    {"srdf", "srdf", SET_PATH},
    {"pose", "pose", SET_WORD},
};
enum { KEYS = sizeof keys / sizeof keys[0] };

char *pki_absolute_path(const char *path)
{
  char *whole = realpath(path, NULL), *here = NULL;
  if (whole != NULL) {
    return whole;
  }
  if (path[0] != '/') {
    here = getcwd(NULL, 0);
  }
  pki_text text = {0};
  pki_text_addf(&text, "%s%s%s", here != NULL ? here : "", here != NULL ? "/" : "", path);
  free(here);
  if (text.failed) {
    pki_text_free(&text);
    return NULL;
  }
  return text.data;
}

/* A word that YAML reads as the same text may stand alone. */
static void add_word(pki_text *text, const char *word)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_",
                    digits[] = "0123456789";
  const size_t begin = strspn(word, letters), rest = strspn(word + begin, digits);
  if (begin > 0 && word[begin + rest] == '\0' && strcmp(word, "null") != 0 && strcmp(word, "Null") != 0 &&
      strcmp(word, "NULL") != 0) {
    pki_text_add(text, word);
  } else {
    pki_text_add_json_string(text, word);
  }
}

static void add_path(pki_text *text, const char *path)
{
  char *whole = pki_absolute_path(path);
  text->failed |= whole == NULL;
  pki_text_add_json_string(text, whole != NULL ? whole : "");
  free(whole);
}

/* "models.*.KEY=VALUE", the value as YAML: strings of JSON are some. */
static void write_set(const pki_args *args, int row, pki_text *text)
{
  pki_text_addf(text, "models.*.%s=", keys[row].key);
  const char *value = pki_args_value(args, keys[row].option);
  switch (keys[row].kind) {
  case SET_TRUE: pki_text_add(text, "true"); break;
  case SET_FALSE: pki_text_add(text, "false"); break;
  case SET_WORD: add_word(text, value); break;
  case SET_PATH: add_path(text, value); break;
  case SET_PATHS:
    for (int i = 0, count = 0; i < args->ngiven; i++) {
      if (strcmp(args->given[i].name, keys[row].option) == 0) {
        pki_text_add(text, count++ == 0 ? "[" : ", ");
        add_path(text, args->given[i].value);
      }
    }
    pki_text_add(text, "]");
    break;
  }
}

bool pki_sets_read(const pki_args *args, pki_sets *out)
{
  *out = (pki_sets){.list = calloc((size_t)args->ngiven + KEYS + 1, sizeof *out->list),
                    .made = calloc(KEYS, sizeof *out->made)};
  bool memory = out->list != NULL && out->made != NULL;
  for (int row = 0; row < KEYS && memory; row++) {
    pki_text text = {0};
    if (pki_args_has(args, keys[row].option)) {
      write_set(args, row, &text);
      memory = !text.failed;
      out->made[out->nmade++] = text.data;
      out->list[out->count++] = text.data;
    }
  }
  for (int i = 0; i < args->ngiven && memory; i++) {
    if (strcmp(args->given[i].name, "set") == 0) {
      out->list[out->count++] = args->given[i].value;
    }
  }
  if (memory && pki_args_has(args, "compiled")) {
    out->list[out->count++] =
        "dynamics=compiled"; /* so that recordings, checkpoints and replays know of it */
  }
  if (!memory) {
    pki_sets_free(out);
    pki_complain(args->command->name, "out of memory");
  }
  return memory;
}

const char *pki_sets_option(const pki_args *args)
{
  for (int row = 0; row < KEYS; row++) {
    if (pki_args_has(args, keys[row].option)) {
      return keys[row].option;
    }
  }
  return pki_args_has(args, "set") ? "set" : pki_args_has(args, "compiled") ? "compiled" : NULL;
}

void pki_sets_free(pki_sets *sets)
{
  for (int i = 0; sets->made != NULL && i < sets->nmade; i++) {
    free(sets->made[i]);
  }
  free(sets->made);
  free((void *)sets->list);
  *sets = (pki_sets){0};
}
