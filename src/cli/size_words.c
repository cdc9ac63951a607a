#include "cli/size_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "optimize/files/gait_file.h"
#include "size/size_study.h"

bool pki_size_is_study(const pki_args *args)
{
  char path[PKI_PATH_MAX];
  if (args->nword != 1 || pki_is_folder(args->words[0]) ||
      (pki_is_file(args->words[0]) && !pki_is_scenario_name(args->words[0]))) {
    return false;
  }
  return pki_is_scenario_name(args->words[0])
             ? pki_is_size_file(args->words[0])
             : pki_yaml_locate(&pki_size_kind, args->words[0], path, NULL) == PK_OK;
}

/* What a word is: a recording, a table, a gait, or else a scenario. */
static pki_size_source source_of(const char *word)
{
  char path[PKI_PATH_MAX];
  if (pki_is_folder(word)) {
    const bool table = pki_path_join(path, word, "motion.csv") && pki_is_file(path);
    return table ? PKI_SIZE_MOTION : PKI_SIZE_RECORDING;
  }
  if (pki_ends_with(word, ".mcap")) {
    return PKI_SIZE_RECORDING;
  }
  if (pki_ends_with(word, ".csv")) {
    return PKI_SIZE_MOTION;
  }
  const bool gait = pki_is_scenario_name(word) ? pki_is_gait_file(word)
                                               : pki_yaml_locate(&pki_gait_kind, word, path, NULL) == PK_OK;
  return gait ? PKI_SIZE_GAIT : PKI_SIZE_SCENARIO;
}

/* Names of a kind of files that are near a word; "": none. */
static void find_near(const char *word, pki_scenario_entry *entries, int count, char near[64])
{
  const char **names = calloc((size_t)count + 1, sizeof *names);
  for (int i = 0; names != NULL && i < count; i++) {
    names[i] = entries[i].name;
  }
  const char *found = names != NULL ? pki_nearest_word(word, names, count) : NULL;
  if (near[0] == '\0' && found != NULL) {
    snprintf(near, 64, "%s", found);
  }
  free((void *)names);
  free(entries);
}

/* A word that names nothing, with the nearest sizing study, gait or scenario. */
static bool complain_unknown(const char *word)
{
  char near[64] = "";
  int count = 0;
  pki_scenario_entry *entries = pki_yaml_list(&pki_size_kind, &count);
  find_near(word, entries, count, near);
  entries = pki_yaml_list(&pki_gait_kind, &count);
  find_near(word, entries, count, near);
  entries = pki_scenario_list(&count);
  find_near(word, entries, count, near);
  pki_complain("size",
               "there is no file, sizing study, motion or scenario \"%.80s\"%s%s%s (pronk list sizings, "
               "motions, scenarios)",
               word, near[0] != '\0' ? "; did you mean \"" : "", near, near[0] != '\0' ? "\"?" : "");
  return false;
}

/* Every word is a motion, or it is told what it is instead. */
static bool check_words(const pki_args *args)
{
  char path[PKI_PATH_MAX];
  for (int i = 0; i < args->nword; i++) {
    const char *word = args->words[i];
    if (pki_ends_with(word, ".urdf") || pki_ends_with(word, ".xml")) {
      pki_complain("size",
                   "%s is a model, which does nothing by itself: give what it does, a scenario, a gait, a "
                   "recording or a table",
                   word);
      return false;
    }
    if (!pki_is_folder(word) && !pki_is_file(word) && !pki_is_scenario_name(word) &&
        source_of(word) == PKI_SIZE_SCENARIO && pki_scenario_locate(word, path, NULL) != PK_OK) {
      return complain_unknown(word);
    }
  }
  return true;
}

/* Options that a study has as keys. */
static const char *const study_options[] = {"joints",     "each",     "motors",  "gears",
                                            "efficiency", "voltages", "weights", "by"};

bool pki_size_study_alone(const pki_args *args)
{
  for (size_t i = 0; i < sizeof study_options / sizeof study_options[0]; i++) {
    if (pki_args_has(args, study_options[i])) {
      pki_complain("size",
                   "--%s goes with motions, not with the sizing study %s, whose keys say that: change them "
                   "by --set, as in --set "
                   "'drives.0.voltages=[48]'",
                   study_options[i], args->words[0]);
      return false;
    }
  }
  return true;
}

/* Lists have something in them, and losses a gear. */
static bool check_options(const pki_args *args)
{
  static const char *const lists[] = {"gears", "voltages", "weights"};
  for (int i = 0; i < 3; i++) {
    const char *value = pki_args_value(args, lists[i]);
    if (value != NULL && value[0] == '\0') {
      pki_complain("size", "--%s is empty, expected numbers with commas between them", lists[i]);
      return false;
    }
  }
  if (pki_args_has(args, "efficiency") && !pki_args_has(args, "gears")) {
    pki_complain("size", "--efficiency is that of the ratios in --gears, which are missing");
    return false;
  }
  return true;
}

/* The part of a text up to the next comma; the cursor goes behind it. */
static bool next_part(const char **at, char *out, size_t size)
{
  const size_t length = strcspn(*at, ",");
  if (**at == '\0') {
    return false;
  }
  snprintf(out, size, "%.*s", (int)length, *at);
  *at += length + ((*at)[length] == ',');
  return true;
}

static bool add_motions(const pki_args *args, pki_text *out)
{
  const char *weights = pki_args_value(args, "weights");
  char weight[64];
  pki_text_add(out, "motions:\n");
  for (int i = 0; i < args->nword; i++) {
    pki_text_addf(out, "  - {%s: ", pki_size_source_words[source_of(args->words[i])]);
    pki_text_add_json_string(out, args->words[i]);
    if (weights != NULL) {
      if (!next_part(&weights, weight, sizeof weight)) {
        pki_complain("size", "--weights has fewer numbers than there are motions, which are %d", args->nword);
        return false;
      }
      pki_text_addf(out, ", weight: %s", weight);
    }
    pki_text_add(out, "}\n");
  }
  if (weights != NULL && *weights != '\0') {
    pki_complain("size", "--weights has more numbers than there are motions, which are %d", args->nword);
    return false;
  }
  return true;
}

/* Ratios, or FROM:TO for any between them, all of the same efficiency. */
static bool add_gears(const pki_args *args, pki_text *out)
{
  const char *gears = pki_args_value(args, "gears");
  char part[64], number[PKI_REAL_TEXT];
  double efficiency;
  if (!pki_args_number(args, "efficiency", 0.501, 1, 1, &efficiency)) {
    return false;
  }
  pki_text_add(out, gears != NULL ? ", gears: [" : "");
  for (bool first = true; gears != NULL && next_part(&gears, part, sizeof part); first = false) {
    char *colon = strchr(part, ':');
    pki_text_add(out, first ? "{" : ", {");
    if (colon != NULL) {
      *colon = '\0';
      pki_text_addf(out, "from: %s, to: %s", part, colon + 1);
    } else {
      pki_text_addf(out, "ratio: %s", part);
    }
    pki_text_addf(out, ", efficiency: %s}", pki_format_real(efficiency, number));
  }
  pki_text_add(out, pki_args_has(args, "gears") ? "]" : "");
  return true;
}

static bool add_drives(const pki_args *args, pki_text *out)
{
  int njoint, nmotor;
  const char **joints = pki_args_all(args, "joints", &njoint),
             **motors = pki_args_all(args, "motors", &nmotor);
  const char *voltages = pki_args_value(args, "voltages");
  bool good = joints != NULL && motors != NULL;
  pki_text_add(out, "drives:\n");
  for (int i = 0; good && i < (njoint > 0 ? njoint : 1); i++) {
    pki_text_add(out, "  - {joints: ");
    pki_text_add_json_string(out, njoint > 0 ? joints[i] : "*");
    pki_text_add(out, njoint > 0 && !pki_args_has(args, "each") ? ", motors: [" : ", each: true, motors: [");
    for (int k = 0; k < (nmotor > 0 ? nmotor : 1); k++) {
      pki_text_add(out, k > 0 ? ", " : "");
      pki_text_add_json_string(out, nmotor > 0 ? motors[k] : "*");
    }
    pki_text_add(out, "]");
    good = add_gears(args, out);
    if (voltages != NULL) {
      pki_text_addf(out, ", voltages: [%s]", voltages);
    }
    pki_text_add(out, "}\n");
  }
  free((void *)joints);
  free((void *)motors);
  return good;
}

bool pki_size_text(const pki_args *args, pki_text *out)
{
  static const char *const words[] = {"mass", "energy", "price", "heat"};
  const char *by = pki_args_value(args, "by");
  const int chosen = by != NULL ? pki_args_choice(args, "number to rank by", by, words, 4) : 0;
  char name[64];
  if (chosen < 0 || !check_words(args) || !check_options(args)) {
    return false;
  }
  pki_file_stem(args->words[0], name, sizeof name);
  pki_text_add(out, "name: ");
  pki_text_add_json_string(out, name);
  pki_text_add(out, "\n");
  if (!add_motions(args, out) || !add_drives(args, out)) {
    return false;
  }
  if (by != NULL) {
    pki_text_addf(out, "rank: {%s: 1}\n", words[chosen]);
  }
  if (out->failed) {
    pki_complain("size", "out of memory");
  }
  return !out->failed;
}
