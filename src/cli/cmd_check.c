/* pronk check: what is wrong with a model and where; what Pronk understood when nothing is. Scenarios are in
 * cmd_check_scenario.c, sweeps in cmd_check_sweep.c, gaits in cmd_check_gait.c, sizing studies in cmd_check_size.c, motors in
 * cmd_check_motor.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/cmd_check.h"
#include "cli/exclusions.h"
#include "cli/load_model.h"
#include "cli/print_json.h"
#include "cli/terminal.h"
#include "collision/world/colliders.h"
#include "model/locate.h"
#include "optimize/files/gait_file.h"
#include "pronk/collision.h"
#include "scenario/motor_file.h"
#include "scenario/scenario.h"
#include "size/size_study.h"

const pki_option pki_options_check[] = {
    PKI_LOAD_OPTIONS,
    {"verbose", 'v', NULL, "show every warning, not one of each kind"},
    {"set", 0, "KEY=VALUE", "override a key of the scenarios; may be repeated"},
    {0}};

/* A scenario by its file's name, or by its name where no model has it. */
static bool is_scenario(const char *name)
{
  char path[PKI_PATH_MAX];
  return pki_is_scenario_name(name) || (pki_model_locate(name, path, NULL) != PK_OK && !pki_is_folder(name) &&
                                        pki_scenario_locate(name, path, NULL) == PK_OK);
}

/* A gait file, or the name of a shipped one where neither a model nor a scenario has it. */
static bool is_gait(const char *name)
{
  char path[PKI_PATH_MAX];
  return pki_is_scenario_name(name) ? pki_is_gait_file(name)
                                    : pki_model_locate(name, path, NULL) != PK_OK && !is_scenario(name) &&
                                          pki_yaml_locate(&pki_gait_kind, name, path, NULL) == PK_OK;
}

/* A sizing study, or the name of a shipped one that nothing else has. */
static bool is_sizing(const char *name)
{
  char path[PKI_PATH_MAX];
  return pki_is_scenario_name(name)
             ? pki_is_size_file(name)
             : pki_model_locate(name, path, NULL) != PK_OK && !is_scenario(name) && !is_gait(name) &&
                   pki_yaml_locate(&pki_size_kind, name, path, NULL) == PK_OK;
}

/* "3 links without mass: a, b, c" */
static void print_names(const pk_model *m, const char *what, bool (*belongs)(const pk_model *, int))
{
  enum { SHOWN = 8 };
  int count = 0;
  for (int i = 0; i < m->nlink; i++) {
    count += belongs(m, i);
  }
  if (count == 0) {
    return;
  }
  printf("  %d link%s %s: ", count, count == 1 ? "" : "s", what);
  int shown = 0;
  for (int i = 0; i < m->nlink && shown < SHOWN; i++) {
    if (belongs(m, i)) {
      printf("%s%s", shown++ > 0 ? ", " : "", m->links[i].name);
    }
  }
  puts(count > SHOWN ? ", ..." : "");
}

/* Joined by a fixed joint to the link whose frame the body has. */
static bool is_merged(const pk_model *m, int link)
{
  const int body = m->links[link].body;
  return body >= 0 && m->body_link[body] != link;
}

static bool is_in_world(const pk_model *m, int link)
{
  return m->links[link].body < 0;
}

static bool is_massless(const pk_model *m, int link)
{
  return m->links[link].body >= 0 && m->links[link].inertia.mass == 0;
}

/* Links of one robot that overlap in the start pose; -1: not known, a shape cannot collide. */
enum { OVERLAPS = 64 };
static int find_overlaps(const pk_model *m, pk_sim_overlap_pair out[OVERLAPS])
{
  pk_sim *sim = NULL;
  pk_error err;
  if (pk_sim_create(m, NULL, &sim, &err) != PK_OK) {
    return -1;
  }
  const int count = pk_sim_release_overlaps(sim, out, OVERLAPS);
  pk_sim_destroy(sim);
  return count;
}

static void print_overlaps(const pk_model *m)
{
  pk_sim_overlap_pair pairs[OVERLAPS];
  const int count = find_overlaps(m, pairs);
  for (int i = 0; i < count && i < OVERLAPS; i++) {
    printf("  links %s and %s overlap by %.3g mm in the start pose: they do not collide\n",
           m->links[pairs[i].link[0]].name, m->links[pairs[i].link[1]].name, 1e3 * pairs[i].depth);
  }
  if (count > OVERLAPS) {
    printf("  %d more pairs of links overlap\n", count - OVERLAPS);
  }
}

static void add_overlaps(cJSON *o, const pk_model *m)
{
  pk_sim_overlap_pair pairs[OVERLAPS];
  const int count = find_overlaps(m, pairs);
  cJSON *list = cJSON_AddArrayToObject(o, "overlaps");
  for (int i = 0; i < count && i < OVERLAPS; i++) {
    cJSON *pair = cJSON_CreateObject(), *links = cJSON_AddArrayToObject(pair, "links");
    for (int k = 0; k < 2; k++) {
      cJSON_AddItemToArray(links, cJSON_CreateString(m->links[pairs[i].link[k]].name));
    }
    pki_json_number(pair, "depth", pairs[i].depth);
    cJSON_AddItemToArray(list, pair);
  }
}

static void print_understood(const pk_model *m)
{
  for (int i = 0; i < m->nrobot; i++) {
    const pk_model_robot *r = &m->robots[i];
    printf("  %s: %s root '%s', %d degree%s of freedom, %d bod%s, %.4g kg\n", r->name,
           pk_root_kind_name(r->root), m->links[r->root_link].name, r->nu, r->nu == 1 ? "" : "s", r->nbody,
           r->nbody == 1 ? "y" : "ies", r->mass);
    pki_print_root(m, i, "  ");
  }
  print_names(m, "merged into the body that carries them", is_merged);
  print_names(m, "fixed in the world", is_in_world);
  print_names(m, "without mass", is_massless);
  for (int i = 0; i < m->njoint; i++) {
    const pk_model_joint *j = &m->joints[i];
    if (j->leader >= 0) {
      printf("  joint %s follows %s: q = %g q_leader %+g\n", j->name, m->joints[j->leader].name,
             j->multiplier, j->offset);
    }
  }
  print_overlaps(m);
  pki_exclusions left_out = pki_exclusions_find(m);
  pki_exclusions_print(&left_out, m);
  pki_exclusions_free(&left_out);
}

/* All remarks, those of the builder first. */
typedef struct remarks {
  const pk_builder_diagnostic *all;
  int count, errors, warnings;
  /* [nown] errors that the builder does not know: a file that is not there, shapes that cannot collide */
  pk_error *own;
  int nown;
} remarks;

static void add_error(const pk_error *err, void *user)
{
  remarks *r = user;
  pk_error *own = realloc(r->own, ((size_t)r->nown + 1) * sizeof *own);
  r->errors++;
  if (own != NULL) {
    own[r->nown++] = *err;
    r->own = own;
  }
}

static remarks collect_remarks(const pki_loaded *loaded)
{
  remarks r = {0};
  r.all = pk_builder_diagnostics(loaded->builder, &r.count);
  for (int i = 0; i < r.count; i++) {
    r.errors += r.all[i].is_error;
    r.warnings += !r.all[i].is_error;
  }
  if (loaded->model != NULL) {
    pki_geometries_check(loaded->model, add_error, &r);
  } else if (r.errors == 0) {
    add_error(&loaded->error, &r);
  }
  return r;
}

static bool print_json(const pki_loaded *loaded, const remarks *r, bool ok)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "file", loaded->path);
  cJSON_AddBoolToObject(o, "ok", ok);
  cJSON *errors = cJSON_AddArrayToObject(o, "errors"), *warnings = cJSON_AddArrayToObject(o, "warnings");
  for (int i = 0; i < r->count; i++) {
    cJSON *remark = pki_json_error(&r->all[i].error);
    cJSON_AddStringToObject(remark, "kind", r->all[i].kind);
    cJSON_AddItemToArray(r->all[i].is_error ? errors : warnings, remark);
  }
  for (int i = 0; i < r->nown; i++) {
    cJSON_AddItemToArray(errors, pki_json_error(&r->own[i]));
  }
  if (ok) {
    const pk_model *m = loaded->model;
    cJSON_AddStringToObject(o, "root", m->nrobot > 0 ? pk_root_kind_name(m->robots[0].root) : "");
    cJSON_AddStringToObject(o, "root_reason",
                            m->nrobot > 0 ? pk_root_reason_text(m->robots[0].root_reason) : "");
    cJSON_AddNumberToObject(o, "dof", m->nu);
    cJSON_AddNumberToObject(o, "bodies", m->nbody);
    pki_json_number(o, "mass", m->mass);
    add_overlaps(o, m);
    pki_exclusions left_out = pki_exclusions_find(m);
    pki_exclusions_add(&left_out, m, o);
    pki_exclusions_free(&left_out);
  }
  return pki_json_print(o, false, "check");
}

static void print_text(const pki_loaded *loaded, const remarks *r, bool ok, bool verbose)
{
  const pki_palette p = pki_palette_for(stdout);
  pki_check_print_remarks(r->all, r->count, verbose, loaded->path);
  for (int i = 0; i < r->nown; i++) {
    pki_check_remark(&r->own[i], true, loaded->path);
  }
  printf("%s: %s%s%s", loaded->path, ok ? p.green : p.red, ok ? "ok" : "not ok", p.plain);
  if (r->errors > 0) {
    printf(", %d error%s", r->errors, r->errors == 1 ? "" : "s");
  }
  if (r->warnings > 0) {
    printf(", %d warning%s", r->warnings, r->warnings == 1 ? "" : "s");
  }
  putchar('\n');
  if (ok) {
    print_understood(loaded->model);
  } else if (!loaded->read && r->nown == 0) {
    puts("  masses and the tree are checked once these are mended");
  }
}

static int check_one(const pki_args *args, const char *name)
{
  pki_loaded loaded;
  int code = pki_load(args, name, &loaded);
  if (loaded.builder != NULL) {
    const remarks r = collect_remarks(&loaded);
    const bool ok = code == PKI_EXIT_OK && r.errors == 0;
    code = code == PKI_EXIT_OK && !ok ? PKI_EXIT_USAGE : code;
    if (!args->json) {
      print_text(&loaded, &r, ok, pki_args_has(args, "verbose"));
    } else if (!print_json(&loaded, &r, ok)) {
      code = PKI_EXIT_FAILURE;
    }
    free(r.own);
  }
  pki_loaded_free(&loaded);
  return code;
}

int pki_command_check(const pki_args *args)
{
  if (args->nword == 0) {
    pki_complain("check",
                 "name a model, a scenario, a gait or a motor (pronk check --help shows an example)");
    return PKI_EXIT_USAGE;
  }
  int worst = PKI_EXIT_OK;
  for (int i = 0; i < args->nword; i++) {
    const char *name = args->words[i];
    const int code = pki_is_motor_file(name)   ? pki_check_motor(args, name)
                     : is_gait(name)           ? pki_check_gait(args, name)
                     : is_sizing(name)         ? pki_check_size(args, name)
                     : pki_is_sweep_file(name) ? pki_check_sweep(args, name)
                     : is_scenario(name)       ? pki_check_scenario(args, name)
                                               : check_one(args, name);
    worst = code == PKI_EXIT_FAILURE || worst == PKI_EXIT_OK ? code : worst;
  }
  return worst;
}
