/* pronk list: the registries. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actuation/actuation.h"
#include "bench/bench.h"
#include "cli/cli.h"
#include "cli/print_json.h"
#include "cli/terminal.h"
#include "collision/broad/broad.h"
#include "collision/narrow/method.h"
#include "contact/compliant/compliance_law.h"
#include "contact/lcp/lcp.h"
#include "contact/solvers/solver.h"
#include "dynamics/kernels.h"
#include "gait/gaits.h"
#include "measure/peer.h"
#include "model/joint_type.h"
#include "model/locate.h"
#include "optimize/files/gait_file.h"
#include "pronk/pronk.h"
#include "report/table.h"
#include "run/channels.h"
#include "scenario/motor_line.h"
#include "scenario/scenario.h"
#include "sense/sensing.h"
#include "sense/sensors.h"
#include "sim/reads.h"
#include "size/size_study.h"
#include "stability/stability.h"
#include "step/world.h"
#include "study/study.h"
#include "sweep/metrics.h"
#include "sweep/sweep.h"
#include "tune/methods.h"

const pki_option pki_options_list[] = {{"names", 0, NULL, "names only, one on each line"}, {0}};

enum { NUMBERS = 4 };

/* Columns of numbers that a list has beside names and lines. */
typedef struct number_columns {
  const char *head[NUMBERS], *key[NUMBERS]; /* in tables; with --json */
} number_columns;

/* A list grows by items of a name, a line about it, and maybe numbers. */
typedef struct listing {
  pki_table table;
  const number_columns *numbers; /* NULL: it has none */
  cJSON *items;                  /* NULL: not wanted */
  bool names;                    /* and nothing else */
  int count;
} listing;

/* A row of the table; a number that is unknown, NAN, is an empty cell. */
static void add_row(listing *l, const char *name, const char *doc, const double values[NUMBERS])
{
  char text[NUMBERS][32] = {""};
  const char *cells[2 + NUMBERS] = {name, doc};
  for (int i = 0; i < NUMBERS; i++) {
    cells[2 + i] = text[i];
    if (values != NULL && !isnan(values[i])) {
      snprintf(text[i], sizeof text[i], "%.4g", values[i]);
    }
  }
  pki_table_row(&l->table, cells);
}

/* An item, with its numbers where the list has some; NULL: they are unknown. */
static void add_numbered(listing *l, const char *name, const char *doc, const double values[NUMBERS])
{
  l->count++;
  if (l->names) {
    puts(name);
    return;
  }
  if (l->items == NULL) {
    add_row(l, name, doc, values);
    return;
  }
  cJSON *item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "name", name);
  cJSON_AddStringToObject(item, "doc", doc);
  for (int i = 0; i < NUMBERS && l->numbers != NULL; i++) {
    pki_json_number(item, l->numbers->key[i], values != NULL ? values[i] : NAN);
  }
  cJSON_AddItemToArray(l->items, item);
}

static void add_listed(listing *l, const char *name, const char *doc)
{
  add_numbered(l, name, doc, NULL);
}

/* Cut a paragraph after its first sentence: a full stop and then a new word in capitals. */
static void cut_sentence(char *text)
{
  for (char *dot = strstr(text, ". "); dot != NULL; dot = strstr(dot + 1, ". ")) {
    const bool abbreviated = dot - text >= 2 && strncmp(dot - 2, "al", 2) == 0;
    if (isupper((unsigned char)dot[2]) && !abbreviated) {
      *dot = '\0';
      return;
    }
  }
}

/* The first sentence of a model's README, below its title; "" when there is none. */
static void first_sentence(const char *urdf, char *out, size_t size)
{
  char path[PKI_PATH_MAX + 16];
  const char *slash = strrchr(urdf, '/');
  snprintf(path, sizeof path, "%.*sREADME.md", slash ? (int)(slash - urdf + 1) : 0, urdf);
  out[0] = '\0';
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    return;
  }
  char line[512];
  size_t used = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\r\n")] = '\0';
    const bool empty = line[0] == '\0';
    if (empty && used > 0) {
      break; /* the end of the paragraph */
    }
    if (!empty && line[0] != '#' && used + strlen(line) + 2 < size) {
      used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? " " : "", line);
    }
  }
  fclose(file);
  cut_sentence(out);
}

static void list_models(listing *l)
{
  int count;
  pki_model_entry *entries = pki_model_list(&count);
  for (int i = 0; i < count; i++) {
    char doc[1024];
    first_sentence(entries[i].path, doc, sizeof doc);
    add_listed(l, entries[i].name, doc[0] ? doc : entries[i].path);
  }
  free(entries);
  add_listed(l, "chain:N", "a generated chain of N equal rods");
}

static void list_scenarios(listing *l)
{
  int count;
  pki_scenario_entry *entries = pki_scenario_list(&count);
  for (int i = 0; i < count; i++) {
    pki_scenario *s = NULL;
    const bool good = pki_scenario_load(entries[i].path, NULL, 0, &s, NULL) == PK_OK;
    const char *doc = !good ? "not in order: pronk check explains" : s->description;
    add_listed(l, entries[i].name, doc[0] != '\0' ? doc : entries[i].path);
    pki_scenario_destroy(s);
  }
  free(entries);
}

static void list_sweeps(listing *l)
{
  int count;
  pki_scenario_entry *entries = pki_yaml_list(&pki_sweep_kind, &count);
  for (int i = 0; i < count; i++) {
    pki_sweep s;
    char doc[640];
    const bool good = pki_sweep_load(entries[i].path, NULL, 0, &s, NULL) == PK_OK;
    snprintf(doc, sizeof doc, "%s (%lld samples)", good ? s.description : "", good ? s.count : 0);
    add_listed(l, entries[i].name, good ? doc : "not in order: pronk sweep tells why");
    if (good) {
      pki_sweep_free(&s);
    }
  }
  free(entries);
}

static void list_sizings(listing *l)
{
  int count;
  pki_scenario_entry *entries = pki_yaml_list(&pki_size_kind, &count);
  for (int i = 0; i < count; i++) {
    pki_size_study *study = NULL;
    pki_problems problems = {0};
    const bool good = pki_size_study_load(entries[i].path, NULL, 0, &study, &problems) == PK_OK;
    add_listed(l, entries[i].name, good ? study->description : "not in order: pronk check explains");
    pki_size_study_destroy(study);
    pki_problems_free(&problems);
  }
  free(entries);
}

static void list_motions(listing *l)
{
  int count;
  pki_scenario_entry *entries = pki_yaml_list(&pki_gait_kind, &count);
  for (int i = 0; i < count; i++) {
    pki_gait_file *gait = NULL;
    pki_problems problems = {0};
    const bool good = pki_gait_file_load(entries[i].path, NULL, 0, &gait, &problems) == PK_OK;
    add_listed(l, entries[i].name, good ? gait->description : "not in order: pronk check explains");
    pki_gait_file_destroy(gait);
    pki_problems_free(&problems);
  }
  free(entries);
}

static const number_columns motor_columns = {{"V", "N m", "rad/s", "kg"},
                                             {"voltage", "torque", "speed", "mass"}};

/* Voltage, largest torque, speed at no load, mass. */
static void list_motors(listing *l)
{
  int count;
  pki_scenario_entry *entries = pki_yaml_list(&pki_motor_files, &count);
  for (int i = 0; i < count; i++) {
    pki_motor_entry m;
    if (pki_motor_load(entries[i].path, &m, NULL) != PK_OK) {
      add_listed(l, entries[i].name, "not in order: pronk check explains");
      continue;
    }
    const pki_motor_line line = pki_motor_line_of(&m);
    const double values[NUMBERS] = {m.motor.voltage > 0 ? m.motor.voltage : NAN, line.peak_torque,
                                    line.no_load_speed, m.mass > 0 ? m.mass : NAN};
    add_numbered(l, entries[i].name, m.name, values);
  }
  free(entries);
}

static void list_metrics(listing *l)
{
  for (int i = 0; i < pki_metric_count; i++) {
    char doc[256];
    const bool unit = pki_metrics[i].unit[0] != '\0';
    snprintf(doc, sizeof doc, "%s%s%s%s", pki_metrics[i].doc, unit ? " (" : "", pki_metrics[i].unit,
             unit ? ")" : "");
    add_listed(l, pki_metrics[i].name, doc);
  }
}

static void list_methods(listing *l)
{
  for (int i = 0; i < pki_tune_method_count; i++) {
    char doc[256];
    snprintf(doc, sizeof doc, "%s: %s", pki_tune_methods[i].global ? "global" : "local",
             pki_tune_methods[i].doc);
    add_listed(l, pki_tune_methods[i].name, doc);
  }
}

static void list_actuators(listing *l)
{
  for (int i = 0; pki_actuators[i] != NULL; i++) {
    add_listed(l, pki_actuators[i]->kind.name, pki_actuators[i]->doc);
  }
}

static void list_controllers(listing *l)
{
  for (int i = 0; pki_controllers[i] != NULL; i++) {
    add_listed(l, pki_controllers[i]->name, pki_controllers[i]->doc);
  }
}

/* What it is, when feet land (left fore, right fore, left hind, right hind), how long they stand. */
static void list_gaits(listing *l)
{
  for (int i = 0; pki_gaits[i] != NULL; i++) {
    const pki_gait_row *g = pki_gaits[i];
    char doc[256];
    snprintf(doc, sizeof doc, "%s; feet land at %.2f %.2f %.2f %.2f, duty %.2f", g->doc, g->footfall[0],
             g->footfall[1], g->footfall[2], g->footfall[3], g->duty);
    const bool cyclic = i != PK_GAIT_STAND && i != PK_GAIT_JUMP;
    add_listed(l, g->name, cyclic ? doc : g->doc);
  }
}

static void list_sensors(listing *l)
{
  for (int i = 0; pki_sensors[i] != NULL; i++) {
    const pki_sensor_row *r = pki_sensors[i];
    char doc[256];
    snprintf(doc, sizeof doc, "%s (%s; %s)", r->doc, r->width, r->unit);
    add_listed(l, r->name, doc);
  }
  for (int i = 0; pki_sensing_kinds[i] != NULL; i++) {
    char doc[256];
    snprintf(doc, sizeof doc, "kind for `sensors`: %s", pki_sensing_kinds[i]->doc);
    add_listed(l, pki_sensing_kinds[i]->name, doc);
  }
  for (int i = 0; pki_sensor_parts[i] != NULL; i++) {
    char doc[320];
    snprintf(doc, sizeof doc, "part, %s: %s", pki_sensor_parts[i]->kind, pki_sensor_parts[i]->doc);
    add_listed(l, pki_sensor_parts[i]->name, doc);
  }
}

static void list_channels(listing *l)
{
  for (int i = 0; i < pki_channel_row_count; i++) {
    add_listed(l, pki_channel_rows[i].name, pki_channel_doc(&pki_channel_rows[i]));
  }
}

static void list_measures(listing *l)
{
  for (int i = 0; pki_stability_rows[i] != NULL; i++) {
    char doc[256];
    snprintf(doc, sizeof doc, "%s (%s)", pki_stability_rows[i]->doc, pki_stability_rows[i]->columns[0].unit);
    add_listed(l, pki_stability_rows[i]->name, doc);
  }
}

static void list_steppers(listing *l)
{
  for (int i = 0; pki_steppers[i] != NULL; i++) {
    add_listed(l, pki_steppers[i]->name, pki_steppers[i]->doc);
  }
}

static void list_laws(listing *l)
{
  for (int i = 0; pki_laws[i] != NULL; i++) {
    add_listed(l, pki_laws[i]->name, pki_laws[i]->doc);
  }
}

/* Who reads each field of a table, and what becomes of it where nobody does. */
static void list_fields(listing *l, const pk_field *fields, int count)
{
  for (int i = 0; i < count; i++) {
    char readers[600], doc[700];
    pki_tell_readers(fields[i].name, readers, sizeof readers);
    const char *fate = pki_reads_fate(fields[i].name);
    snprintf(doc, sizeof doc, "%s%s%s", readers, fate[0] != '\0' ? "; else " : "", fate);
    add_listed(l, fields[i].name, doc);
  }
}

static void list_options(listing *l)
{
  list_fields(l, pki_sim_fields, pki_sim_field_count);
  list_fields(l, pki_material_fields, pki_material_field_count);
}

static void list_compliances(listing *l)
{
  for (int i = 0; pki_compliance_laws[i] != NULL; i++) {
    add_listed(l, pki_compliance_laws[i]->name, pki_compliance_laws[i]->doc);
  }
}

static void list_presets(listing *l)
{
  for (int i = 0; pki_presets[i] != NULL; i++) {
    add_listed(l, pki_presets[i]->name, pki_presets[i]->doc);
  }
}

static void list_solvers(listing *l)
{
  for (int i = 0; pki_solvers[i] != NULL; i++) {
    add_listed(l, pki_solvers[i]->name, pki_solvers[i]->doc);
  }
}

static void list_lcp_solvers(listing *l)
{
  for (int i = 0; pki_lcp_solvers[i] != NULL; i++) {
    add_listed(l, pki_lcp_solvers[i]->name, pki_lcp_solvers[i]->doc);
  }
}

static void list_broads(listing *l)
{
  for (int i = 0; pki_broads[i] != NULL; i++) {
    add_listed(l, pki_broads[i]->name, pki_broads[i]->doc);
  }
}

static void list_narrows(listing *l)
{
  for (int i = 0; pki_narrows[i] != NULL; i++) {
    add_listed(l, pki_narrows[i]->name, pki_narrows[i]->doc);
  }
}

static void list_studies(listing *l)
{
  int count;
  const pki_study *const *studies = pki_studies(&count);
  for (int i = 0; i < count; i++) {
    add_listed(l, studies[i]->name, studies[i]->doc);
  }
}

static void list_benches(listing *l)
{
  int count;
  const pki_bench *benches = pki_bench_list(&count);
  for (int i = 0; i < count; i++) {
    add_listed(l, benches[i].name, benches[i].doc);
  }
}

static void list_joints(listing *l)
{
  for (int i = 0; i < pki_joint_type_count; i++) {
    add_listed(l, pki_joint_types[i]->name, pki_joint_types[i]->doc);
  }
}

static void list_roots(listing *l)
{
  static const char *const docs[PK_ROOT_KIND_COUNT] = {
      [PK_ROOT_AUTO] = "fixed when the root link is called \"world\" or has no mass, free otherwise",
      [PK_ROOT_FREE] = "a floating joint",
      [PK_ROOT_FIXED] = "welded to the world",
      [PK_ROOT_CHAIN] = "three prismatic, then three revolute joints",
  };
  for (int i = 0; i < PK_ROOT_KIND_COUNT; i++) {
    add_listed(l, pk_root_kind_name((pk_root_kind)i), docs[i]);
  }
}

static void list_shapes(listing *l)
{
  static const char *const docs[PK_SHAPE_KIND_COUNT] = {
      [PK_SHAPE_SPHERE] = "radius",
      [PK_SHAPE_BOX] = "lengths along x, y, z",
      [PK_SHAPE_CYLINDER] = "radius, length along z",
      [PK_SHAPE_CAPSULE] = "radius, length of the cylindrical part along z",
      [PK_SHAPE_MESH] = "triangles from an STL, OBJ or COLLADA file",
      [PK_SHAPE_ELLIPSOID] = "half axes x, y, z",
      [PK_SHAPE_CONE] = "radius of the base, height along z",
      [PK_SHAPE_CONVEX] = "the convex hull of a mesh",
      [PK_SHAPE_PLANE] = "all below a plane (ground)",
      [PK_SHAPE_HEIGHTS] = "all below a surface of heights (ground)",
  };
  for (int i = 0; i < PK_SHAPE_KIND_COUNT; i++) {
    add_listed(l, pk_shape_kind_name((pk_shape_kind)i), docs[i]);
  }
}

static void list_peers(listing *l)
{
  enum { MOST = 16 };
  const pk_peer *peers[MOST];
  const int count = pki_peers_load(peers, MOST);
  for (int i = 0; i < count; i++) {
    char doc[256];
    snprintf(doc, sizeof doc, "%s%s%s", peers[i]->version, peers[i]->note[0] ? ", " : "", peers[i]->note);
    add_listed(l, peers[i]->name, doc);
  }
}

static void list_isas(listing *l)
{
  static const char *const rows[][2] = {{"base", "what every processor of this kind has"},
                                        {"avx2", "AVX2 and FMA: 4 lanes in a register"},
                                        {"avx512", "AVX-512: 8 lanes in a register"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char doc[128];
    const char *use = strcmp(rows[i][0], pk_isa_name()) == 0    ? " (in use)"
                      : pki_kernels_find(rows[i][0], 1) == NULL ? " (not on this machine)"
                                                                : "";
    snprintf(doc, sizeof doc, "%s%s", rows[i][1], use);
    add_listed(l, rows[i][0], doc);
  }
}

static void list_commands(listing *l)
{
  int count;
  const pki_command *commands = pki_commands(&count);
  for (int i = 0; i < count; i++) {
    add_listed(l, commands[i].name, commands[i].doc);
  }
}

static const struct {
  const char *name, *doc;
  void (*fill)(listing *l);
  const number_columns *numbers;
} lists[] = {
    {"scenarios", "worlds that `pronk run` knows by name", list_scenarios, NULL},
    {"sweeps", "what `pronk sweep` knows by name", list_sweeps, NULL},
    {"motions", "what `pronk optimize` knows by name", list_motions, NULL},
    {"sizings", "what `pronk size` knows by name", list_sizings, NULL},
    {"metrics", "what a sweep tells of each sample, and what can be tuned for", list_metrics, NULL},
    {"methods", "how `pronk tune` searches", list_methods, NULL},
    {"models", "robots that can be named instead of a file", list_models, NULL},
    {"motors", "motors and drives that an actuator can name", list_motors, &motor_columns},
    {"controllers", "what can command a robot", list_controllers, NULL},
    {"actuators", "what stands between commands and joints", list_actuators, NULL},
    {"gaits", "what the feet of a walking robot do", list_gaits, NULL},
    {"sensors", "what a controller sees", list_sensors, NULL},
    {"channels", "what a run records", list_channels, NULL},
    {"measures", "how stable a robot stands", list_measures, NULL},
    {"steppers", "integration schemes", list_steppers, NULL},
    {"laws", "laws of contact", list_laws, NULL},
    {"options", "who reads an option of `step` or of a material", list_options, NULL},
    {"compliances", "laws of surfaces that give way, for `compliance`", list_compliances, NULL},
    {"presets", "what the options of a step start from", list_presets, NULL},
    {"solvers", "how contact problems are solved", list_solvers, NULL},
    {"lcp-solvers", "how linear complementarity problems are solved", list_lcp_solvers, NULL},
    {"broads", "how pairs of shapes that may touch are found", list_broads, NULL},
    {"narrows", "how shapes that are near are measured", list_narrows, NULL},
    {"studies", "papers that `pronk study` reproduces", list_studies, NULL},
    {"benches", "what `pronk bench` measures", list_benches, NULL},
    {"peers", "other engines that were found", list_peers, NULL},
    {"joints", "joint kinds", list_joints, NULL},
    {"roots", "how a robot's root meets the world", list_roots, NULL},
    {"shapes", "shapes of links", list_shapes, NULL},
    {"isas", "instruction sets; PRONK_ISA chooses one", list_isas, NULL},
    {"commands", "commands of pronk", list_commands, NULL},
};

enum { LISTS = sizeof lists / sizeof lists[0] };

static void begin_table(listing *l, const char *name, const number_columns *numbers)
{
  const char *heads[2 + NUMBERS] = {name, "what"};
  for (int i = 0; i < NUMBERS && numbers != NULL; i++) {
    heads[2 + i] = numbers->head[i];
  }
  l->numbers = numbers;
  pki_table_begin(&l->table, heads, numbers != NULL ? 2 + NUMBERS : 2);
}

static int print_listing(listing *l)
{
  const pki_palette p = pki_palette_for(stdout);
  if (l->count == 0) {
    printf("%snone%s\n", p.dim, p.plain);
    return PKI_EXIT_OK;
  }
  pki_text text = {0};
  pki_table_text(&l->table, "", true, &text);
  if (text.failed) {
    pki_complain("list", "out of memory");
  } else {
    fputs(text.data, stdout);
  }
  const int code = text.failed ? PKI_EXIT_FAILURE : PKI_EXIT_OK;
  pki_text_free(&text);
  return code;
}

int pki_command_list(const pki_args *args)
{
  if (args->nword > 1) {
    pki_complain("list", "one list at a time");
    return PKI_EXIT_USAGE;
  }
  const char *words[LISTS];
  for (int i = 0; i < LISTS; i++) {
    words[i] = lists[i].name;
  }
  const int chosen = args->nword == 0 ? LISTS : pki_args_choice(args, "list", args->words[0], words, LISTS);
  if (chosen < 0) {
    return PKI_EXIT_USAGE;
  }
  listing l = {.names = pki_args_has(args, "names") && !args->json};
  const char *name = chosen == LISTS ? "lists" : lists[chosen].name;
  begin_table(&l, name, chosen == LISTS ? NULL : lists[chosen].numbers);
  cJSON *json = args->json ? cJSON_CreateObject() : NULL;
  if (args->json) {
    cJSON_AddStringToObject(json, "list", name);
    l.items = cJSON_AddArrayToObject(json, "items");
  }
  if (chosen < LISTS) {
    lists[chosen].fill(&l);
  }
  for (int i = 0; i < LISTS && chosen == LISTS; i++) {
    add_listed(&l, lists[i].name, lists[i].doc);
  }
  int code = PKI_EXIT_OK;
  if (!args->json) {
    code = l.names ? PKI_EXIT_OK : print_listing(&l);
  } else if (!pki_json_print(json, true, "list")) {
    code = PKI_EXIT_FAILURE;
  }
  pki_table_free(&l.table);
  return code;
}
