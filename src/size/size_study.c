#include "size/size_study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/pattern.h"
#include "scenario/section.h"
#include "scenario/yaml_file.h"

const pki_yaml_kind pki_size_kind = {"sizings", "PRONK_SIZINGS", "sizing study"};
const char *const pki_size_source_words[PKI_SIZE_SOURCES] = {"gait", "scenario", "recording", "motion"};

/* ---- keys ---- */

#define STUDY(member) #member, offsetof(pki_size_study, member)
#define OPTION(member) #member, offsetof(pki_size_study, options.member)
static const pk_field study_fields[] = {
    PKI_TEXT("name", pki_size_study, name, 0, "what it is called; default: the file's name"),
    PKI_TEXT("description", pki_size_study, description, 0, "one line about it"),
    PKI_PART("motions", "what the robot does: a list"),
    PKI_PART("drives", "joints with the same drive, and the parts that it may be made of: a list"),
    PKI_PART("rank", "what makes a drive good: weights"),
    PKI_PART("present", "drives whose mass is in the model's links already, taken away in rounds: a list"),
    {OPTION(duration), PK_FIELD_REAL, "s", 3600, 0, 1e9, NULL, "of the work, over which motors warm up"},
    {OPTION(ambient), PK_FIELD_REAL, "degrees C", 25, -100, 200, NULL, "the air"},
    {OPTION(regeneration), PK_FIELD_REAL, "", 1, 0, 1, NULL,
     "share of the power that motors generate which the bus takes"},
    {OPTION(margin), PK_FIELD_REAL, "", 0, 0, 0.9, NULL, "least distance from every line, as a part of it"},
    {STUDY(one_voltage), PK_FIELD_BOOL, "", 1, 0, 1, NULL, "all drives are on the same bus"},
    {STUDY(rounds), PK_FIELD_INT, "", 0, 0, 100, NULL,
     "most rounds in which the robot carries its drives and moves again; 0: it does not"},
};
static const int study_field_count = PKI_COUNT(study_fields);

#define MOTION(member) offsetof(pki_size_motion, member)
static const pk_field motion_fields[] = {
    {"gait", MOTION(source[PKI_SIZE_GAIT]), PK_FIELD_TEXT, "", 0, 0, PKI_PATH_MAX - 1, NULL,
     "a motion that is optimised: a name of `pronk list motions`, or a file"},
    {"scenario", MOTION(source[PKI_SIZE_SCENARIO]), PK_FIELD_TEXT, "", 0, 0, PKI_PATH_MAX - 1, NULL,
     "a scenario that is run: a name, or a file"},
    {"recording", MOTION(source[PKI_SIZE_RECORDING]), PK_FIELD_TEXT, "", 0, 0, PKI_PATH_MAX - 1, NULL,
     "a run.mcap"},
    {"motion", MOTION(source[PKI_SIZE_MOTION]), PK_FIELD_TEXT, "", 0, 0, PKI_PATH_MAX - 1, NULL,
     "a motion.csv, or a table of one's own"},
    PKI_TEXT("name", pki_size_motion, name, 0, "what it is called; default: by its source"),
    {"weight", MOTION(weight), PK_FIELD_REAL, "", 1, 1e-9, 1e9, NULL, "its share of the working time"},
    {"duration", MOTION(duration), PK_FIELD_REAL, "s", 0, 0, 1e6, NULL,
     "of a scenario; 0: the scenario's own"},
    {"from", MOTION(window.from), PK_FIELD_REAL, "s", 0, 0, 1e9, NULL, "samples before it are left out"},
    {"to", MOTION(window.to), PK_FIELD_REAL, "s", 1e9, 0, 1e9, NULL, "samples after it are left out"},
    {"window", MOTION(window.window), PK_FIELD_REAL, "s", 0.01, 0, 10, NULL,
     "over which speeds are differentiated, of recordings and tables without accelerations"},
    {"armature", MOTION(window.armature), PK_FIELD_REAL, "kg m^2", -1, -1, 1e6, NULL,
     "of drives that the torques accelerate already; -1: what the source says"},
    PKI_PART("set", "overrides of the gait or the scenario: a list of KEY=VALUE"),
};
static const int motion_field_count = PKI_COUNT(motion_fields);

static const pk_field drive_fields[] = {
    PKI_TEXT("name", pki_size_entry, name, 0, "of the group; default: its first pattern"),
    PKI_PART("joints", "a name or pattern with *, or a list of them"),
    PKI_PART("motors",
             "of the catalogue (pronk list motors): a name, a pattern or a file, or a list of them"),
    PKI_PART("gears", "for bare motors: a list of ratios or mappings; default: those of the motors' files"),
    PKI_PART("voltages", "V: a list; default: those of the motors' files"),
    {"each", offsetof(pki_size_entry, each), PK_FIELD_BOOL, "", 0, 0, 1, NULL,
     "every joint has a drive of its own, not all the same"},
};
static const int drive_field_count = PKI_COUNT(drive_fields);

static const pk_field present_fields[] = {
    PKI_TEXT("joints", pki_size_present, joints, 1, "a name or pattern with *; later entries win"),
    {"mass", offsetof(pki_size_present, mass), PK_FIELD_REAL, "kg", 0, 0, 1e6, NULL,
     "of the drive, a part of the link that the joint hangs on, at the joint's origin"},
    PKI_TEXT("motor", pki_size_present, motor, 0,
             "instead of mass: the drive is this motor of the catalogue, or of a file, with its mass"),
};
static const int present_field_count = PKI_COUNT(present_fields);

#define RANK(member, doc) \
  { \
#member, offsetof(pki_size_rank, member), PK_FIELD_REAL, "", 0, 0, 1e9, NULL, doc \
  }
static const pk_field rank_fields[] = {
    RANK(mass, "weight of motor and gear"),
    RANK(energy, "weight of the mean electrical power"),
    RANK(price, "weight of the price"),
    RANK(heat, "weight of the mean heat in the winding"),
};
static const int rank_field_count = PKI_COUNT(rank_fields);

bool pki_size_table(int index, pki_schema_table *out)
{
  static const pki_schema_table tables[] = {
      {"sizing", "what `pronk size` reads", study_fields, &study_field_count},
      {"motion", "an entry of motions: one of gait, scenario, recording and motion", motion_fields,
       &motion_field_count},
      {"drive", "an entry of drives", drive_fields, &drive_field_count},
      {"gear", "a gear, where it is more than a ratio", pki_gear_fields, &pki_gear_field_count},
      {"rank",
       "weights of what makes a drive good, each over the least of all that fit; default: mass 1, "
       "energy 1",
       rank_fields, &rank_field_count},
      {"present", "an entry of present: one of mass and motor", present_fields, &present_field_count},
  };
  if (index < 0 || index >= PKI_COUNT(tables)) {
    return false;
  }
  *out = tables[index];
  return true;
}

/* ---- reading ---- */

pki_size_source pki_size_source_of(const pki_size_motion *m)
{
  int i = 0;
  while (i + 1 < PKI_SIZE_SOURCES && m->source[i][0] == '\0') {
    i++;
  }
  return (pki_size_source)i;
}

static void check_motion(pki_size_motion *m, pki_problems *problems)
{
  int given = 0;
  for (int i = 0; i < PKI_SIZE_SOURCES; i++) {
    given += m->source[i][0] != '\0';
  }
  if (given != 1) {
    pki_problem(problems, m->node, "a motion has one of gait, scenario, recording and motion, found %d",
                given);
    return;
  }
  const pki_size_source kind = pki_size_source_of(m);
  const bool computed = kind == PKI_SIZE_GAIT || kind == PKI_SIZE_SCENARIO;
  if (m->name[0] == '\0') {
    pki_file_stem(m->source[kind], m->name, sizeof m->name);
  }
  if (m->window.to <= m->window.from) {
    pki_problem(problems, m->node, "to is %g s, expected more than from, which is %g s", m->window.to,
                m->window.from);
  }
  if (pki_node_find(m->node, "set") != NULL && !computed) {
    pki_problem(problems, pki_node_find(m->node, "set"), "set is for gait and scenario: a %s is as it is",
                pki_size_source_words[kind]);
  }
  if (pki_node_find(m->node, "duration") != NULL && kind != PKI_SIZE_SCENARIO) {
    pki_problem(problems, pki_node_find(m->node, "duration"), "duration is for a scenario, not for a %s",
                pki_size_source_words[kind]);
  }
}

static void read_motions(pki_size_study *s, const pki_node *root, pki_problems *problems)
{
  const pki_node *list = pki_node_find(root, "motions");
  void *read = NULL;
  if (list == NULL || (list->kind == PKI_NODE_LIST && list->count == 0)) {
    pki_problem(problems, list != NULL ? list : root,
                "motions are missing: a list of mappings with gait, scenario, recording or motion");
    return;
  }
  pki_read_entries(list, motion_fields, motion_field_count, sizeof(pki_size_motion), &read, &s->nmotion,
                   problems);
  s->motions = read;
  for (int i = 0; i < s->nmotion; i++) {
    check_motion(&s->motions[i], problems);
  }
}

static void read_drives(pki_size_study *s, const pki_node *root, pki_problems *problems)
{
  const pki_node *list = pki_node_find(root, "drives");
  void *read = NULL;
  if (list == NULL || (list->kind == PKI_NODE_LIST && list->count == 0)) {
    pki_problem(problems, list != NULL ? list : root,
                "drives are missing: a list of mappings with joints and motors");
    return;
  }
  pki_read_entries(list, drive_fields, drive_field_count, sizeof(pki_size_entry), &read, &s->ndrive,
                   problems);
  s->drives = read;
}

static void read_rank(pki_size_study *s, const pki_node *root, pki_problems *problems)
{
  const pki_node *map = pki_node_find(root, "rank");
  const pki_binding binding = {rank_fields, rank_field_count, &s->rank};
  s->rank = (pki_size_rank){.mass = map == NULL, .energy = map == NULL};
  if (map != NULL && pki_read_map(map, &binding, 1, problems) == PK_OK &&
      !(s->rank.mass + s->rank.energy + s->rank.price + s->rank.heat > 0)) {
    pki_problem(problems, map, "all weights are 0, expected one above it");
  }
}

/* One of mass and motor is given; a motor says its mass. */
static void check_present(const pki_size_study *s, pki_size_present *e, pki_problems *problems)
{
  const bool mass = pki_node_find(e->node, "mass") != NULL, motor = e->motor[0] != '\0';
  if (mass == motor) {
    pki_problem(problems, e->node, "a present drive has one of mass and motor, found %s",
                mass ? "both" : "none");
    return;
  }
  if (motor) {
    pki_motor_entry *m = malloc(sizeof *m);
    pk_error err = {0};
    const pki_node *node = pki_node_find(e->node, "motor");
    const pk_status status =
        m != NULL ? pki_size_load_motor(s, e->motor, m, &err) : pki_fail_memory(&err, NULL);
    if (m == NULL || status != PK_OK) {
      pki_problems_note(problems, err.line > 0 ? status : pki_node_place(status, node, "", &err), &err);
    } else if (!(m->mass > 0)) {
      pki_problem(problems, node, "the mass of the motor \"%.60s\" is not known: give mass in its place",
                  m->id);
    } else {
      e->mass = m->mass;
    }
    free(m);
  }
}

static void read_present(pki_size_study *s, const pki_node *root, pki_problems *problems)
{
  void *read = NULL;
  pki_read_entries(pki_node_find(root, "present"), present_fields, present_field_count,
                   sizeof(pki_size_present), &read, &s->npresent, problems);
  s->present = read;
  for (int i = 0; i < s->npresent; i++) {
    check_present(s, &s->present[i], problems);
  }
}

const pki_size_present *pki_size_find_present(const pki_size_study *study, const char *joint)
{
  const pki_size_present *found = NULL;
  for (int i = 0; i < study->npresent; i++) {
    found = pki_pattern_matches(study->present[i].joints, joint) ? &study->present[i] : found;
  }
  return found;
}

static void check_rounds(const pki_size_study *s, const pki_node *root, pki_problems *problems)
{
  for (int i = 0; s->rounds > 0 && i < s->nmotion; i++) {
    const pki_size_source kind = pki_size_source_of(&s->motions[i]);
    if (kind == PKI_SIZE_RECORDING || kind == PKI_SIZE_MOTION) {
      const pki_node *rounds = pki_node_find(root, "rounds");
      pki_problem(problems, rounds != NULL ? rounds : root,
                  "rounds need motions that can be made again, gait or scenario; %s is a %s",
                  s->motions[i].name, pki_size_source_words[kind]);
      return;
    }
  }
}

static void read_root(pki_size_study *s, pki_problems *problems)
{
  const pki_node *root = pki_document_root(s->document);
  const pki_binding binding = {study_fields, study_field_count, s};
  const int before = pki_problems_total(problems);
  if (pki_expect_kind(root, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  pki_fields_preset(study_fields, study_field_count, s);
  pki_read_map(root, &binding, 1, problems);
  if (s->name[0] == '\0') {
    pki_file_stem(s->file, s->name, sizeof s->name);
  }
  read_motions(s, root, problems);
  read_drives(s, root, problems);
  read_rank(s, root, problems);
  read_present(s, root, problems);
  if (pki_problems_total(problems) == before) {
    check_rounds(s, root, problems);
    pki_size_check_groups(s, problems);
  }
}

pk_status pki_size_study_parse(const char *file, const char *text, size_t size, const char *const *sets,
                               int nset, pki_size_study **out, pki_problems *problems)
{
  pki_size_study *s = calloc(1, sizeof *s);
  const int before = pki_problems_total(problems);
  *out = NULL;
  if (s == NULL) {
    return pki_problem_memory(problems);
  }
  snprintf(s->file, sizeof s->file, "%s", file);
  s->document = pki_yaml_parse(file, text, size, sets, nset, problems);
  if (s->document != NULL) {
    read_root(s, problems);
  }
  if (pki_problems_total(problems) > before) {
    pki_size_study_destroy(s);
    return problems->status;
  }
  *out = s;
  return PK_OK;
}

pk_status pki_size_study_load(const char *path, const char *const *sets, int nset, pki_size_study **out,
                              pki_problems *problems)
{
  char *text = NULL;
  size_t size = 0;
  pk_error err = {0};
  *out = NULL;
  const pk_status status = pki_yaml_read(path, &text, &size, &err);
  if (pki_problems_note(problems, status, &err) == PK_OK) {
    pki_size_study_parse(path, text, size, sets, nset, out, problems);
  }
  free(text);
  return problems->status;
}

void pki_size_study_destroy(pki_size_study *study)
{
  if (study != NULL) {
    pki_document_destroy(study->document);
    free(study->motions);
    free(study->drives);
    free(study->present);
    free(study);
  }
}

bool pki_is_size_file(const char *path)
{
  static const char *const keys[] = {"motions", "drives"};
  return pki_yaml_has_key(path, keys, 2);
}

bool pki_size_path(const pki_size_study *study, const char *name, char out[PKI_PATH_MAX])
{
  const char *slash = strrchr(study->file, '/');
  const int folder = slash != NULL ? (int)(slash - study->file) + 1 : 0;
  const int size = name[0] == '/' ? snprintf(out, PKI_PATH_MAX, "%s", name)
                                  : snprintf(out, PKI_PATH_MAX, "%.*s%s", folder, study->file, name);
  return size >= 0 && size < PKI_PATH_MAX;
}
