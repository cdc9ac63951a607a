/* What `pronk view` and `pronk render` share. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "cli/cmd_view.h"
#include "cli/load_model.h"
#include "cli/sets.h"
#include "model/locate.h"

bool pki_view_folder(const char *command, char folder[PKI_PATH_MAX])
{
  static pki_folders found;
  char page[PKI_PATH_MAX];
  pki_folders_find("viewer/dist", "PRONK_VIEWER", false, &found);
  for (int i = 0; i < found.count; i++) {
    if (pki_path_join(page, found.path[i], "index.html") && pki_is_file(page)) {
      memcpy(folder, found.path[i], sizeof found.path[i]);
      return true;
    }
  }
  pki_complain(command,
               "the viewer's page is not built: `make` builds it where Node.js is installed (nodejs, npm); "
               "PRONK_VIEWER names the folder of one that is elsewhere");
  return false;
}

bool pki_view_recording(const char *word, char path[PKI_PATH_MAX])
{
  const size_t size = strlen(word);
  if (size > 5 && size < PKI_PATH_MAX && strcmp(word + size - 5, ".mcap") == 0) {
    memcpy(path, word, size + 1);
    return true;
  }
  return pki_is_folder(word) && pki_path_join(path, word, "run.mcap") && pki_is_file(path);
}

/* ---- a scenario, or a model alone ---- */

/* A robot's file by its ending. */
static bool is_robot_file(const char *word)
{
  return pki_ends_with(word, ".urdf") || pki_ends_with(word, ".xml") || pki_ends_with(word, ".mjcf") ||
         pki_ends_with(word, ".pkm");
}

/* Neither: the nearest of both kinds, and all there are. */
static pk_status fail_unknown(const char *word, pk_error *err)
{
  int nscenario = 0, nmodel = 0, n = 0;
  pki_scenario_entry *scenarios = pki_scenario_list(&nscenario);
  pki_model_entry *models = pki_model_list(&nmodel);
  const char **words = calloc((size_t)nscenario + (size_t)nmodel + 1, sizeof *words);
  char known[2][200] = {"", ""};
  for (int i = 0; words != NULL && i < nscenario + nmodel; i++) {
    const bool model = i >= nscenario;
    words[n++] = model ? models[i - nscenario].name : scenarios[i].name;
    char *list = known[model];
    const size_t used = strlen(list), room = sizeof known[0] - used;
    if (strlen(words[i]) + 3 < room) {
      snprintf(list + used, room, "%s%s", used > 0 ? ", " : "", words[i]);
    }
  }
  const char *nearest = words != NULL ? pki_nearest_word(word, words, n) : NULL;
  const pk_status status =
      pki_fail(err, PK_ERROR_FILE, (pki_where){.file = word},
               "no such recording, scenario or model; %s%s%sscenarios: %s; models: %s",
               nearest ? "did you mean '" : "", nearest ? nearest : "", nearest ? "'? " : "",
               known[0][0] != '\0' ? known[0] : "none found", known[1][0] != '\0' ? known[1] : "none found");
  free(words);
  free(models);
  free(scenarios);
  return status;
}

static void quote_yaml(const char *text, char *out, size_t size)
{
  size_t n = 0;
  out[n++] = '\'';
  for (; *text != '\0' && n + 4 < size; text++) {
    out[n++] = *text;
    if (*text == '\'') {
      out[n++] = '\'';
    }
  }
  out[n++] = '\'';
  out[n] = '\0';
}

/* The model at `path` and nothing else: it stays as it is. */
static pk_status show_model_only(const char *word, const char *path, const char *const *sets, int nset,
                                 pki_scenario **out, pk_error *err)
{
  char name[60], called[128], file[2 * PKI_PATH_MAX], text[2 * PKI_PATH_MAX + 512];
  pki_model_called(word, name);
  quote_yaml(name, called, sizeof called);
  char *whole = realpath(path, NULL);
  quote_yaml(whole != NULL ? whole : path, file, sizeof file);
  free(whole);
  const int size = snprintf(text, sizeof text,
                            "name: %s\ndescription: the model alone, without gravity and ground\n"
                            "model: %s\ngravity: [0, 0, 0]\nduration: 10\n",
                            called, file);
  return pki_scenario_parse(word, text, (size_t)size, sets, nset, out, err);
}

static pk_status find_viewed(const char *word, const char *const *sets, int nset, pki_scenario **out,
                             bool *model_only, pk_error *err)
{
  char path[PKI_PATH_MAX];
  if (!is_robot_file(word) && pki_scenario_locate(word, path, NULL) == PK_OK) {
    return pki_scenario_load(path, sets, nset, out, err);
  }
  *model_only = true;
  if (pki_model_locate(word, path, err) == PK_OK) {
    return show_model_only(word, path, sets, nset, out, err);
  }
  return pki_is_folder(word) ? err->status : fail_unknown(word, err);
}

pk_status pki_view_scenario(const pki_args *args, pki_scenario **out, bool *model_only, pk_error *err)
{
  pki_sets sets;
  *out = NULL;
  *model_only = false;
  if (pki_args_has(args, "model")) {
    return pki_load_scenario(args, out, err);
  }
  if (!pki_sets_read(args, &sets)) {
    return err->status = PK_ERROR_MEMORY;
  }
  const pk_status status = find_viewed(args->words[0], sets.list, sets.count, out, model_only, err);
  pki_sets_free(&sets);
  return status;
}
