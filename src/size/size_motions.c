/* The motions of a study: read, run, or optimised. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actuation/actuation.h"
#include "base/file.h"
#include "base/number.h"
#include "base/pattern.h"
#include "optimize/files/gait_file.h"
#include "optimize/files/solution_file.h"
#include "run/run_output.h"
#include "run/single_run.h"
#include "scenario/section.h"
#include "size/size_work.h"

enum { SETS = 64 };

/* One motion on its way. */
typedef struct job {
  const pki_size_study *study;
  const pki_size_motion *motion;
  const pki_size_work_options *options;
  int round;
  double first, part; /* of the progress */
  const char **sets;  /* overrides: those of the entry, then one for each drive */
  int nset;
  pki_text *drives; /* [ndrive] by which the robot carries its drives, after what it has of its own */
  int ndrive;
} job;

static void show_progress(void *user, double fraction, const char *what)
{
  const job *j = user;
  if (j->options->progress != NULL) {
    j->options->progress(j->options->user, j->first + j->part * fraction, what);
  }
}

static bool is_stopped(const job *j)
{
  return j->options->stop != NULL && *j->options->stop != 0;
}

/* ---- overrides ---- */

/* Those of the entry. */
static bool collect_own_sets(job *j, pki_problems *problems)
{
  const pki_node *list = pki_node_find(j->motion->node, "set");
  if (list != NULL && pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return false;
  }
  for (const pki_node *n = list != NULL ? list->first : NULL; n != NULL; n = n->next) {
    if (n->kind != PKI_NODE_SCALAR || strchr(n->text, '=') == NULL || j->nset == SETS) {
      pki_problem(problems, n, "expected at most %d overrides of the form KEY=VALUE", SETS);
      return false;
    }
    j->sets[j->nset++] = n->text;
  }
  return true;
}

/* The drive of a joint in the place of what the robot has there: its rotor instead of the one before, its mass beside or instead of the
 * present drive's. Springs beside it stay, and so do other joints. */
static bool add_drive(job *j, const pki_size_carried *c)
{
  char number[2][PKI_REAL_TEXT];
  pki_text *t = &j->drives[j->ndrive++];
  pki_text_addf(t, "actuators.+={joints: \"%s\", undriven: true, armature: %s, mass: %s}", c->joint,
                pki_format_real(c->armature, number[0]), pki_format_real(c->added, number[1]));
  j->sets[j->nset++] = t->data;
  return !t->failed;
}

static bool collect_sets(job *j, const pki_size_carried *carried, int count, pki_problems *problems)
{
  j->sets = calloc((size_t)(SETS + count), sizeof *j->sets);
  j->drives = calloc((size_t)count + 1, sizeof *j->drives);
  bool made = j->sets != NULL && j->drives != NULL;
  if (made && !collect_own_sets(j, problems)) {
    return false;
  }
  for (int i = 0; i < count && made; i++) {
    made = add_drive(j, &carried[i]);
  }
  return made || pki_problem_memory(problems) == PK_OK;
}

static void free_sets(job *j)
{
  for (int i = 0; i < j->ndrive; i++) {
    pki_text_free(&j->drives[i]);
  }
  free(j->drives);
  free((void *)j->sets);
}

/* "FOLDER/NAME-2.pronk" */
static bool file_of(const job *j, const char *ending, char out[PKI_PATH_MAX])
{
  char name[PKI_DUTY_NAME + 32];
  snprintf(name, sizeof name, "%s-%d%s", j->motion->name, j->round, ending);
  return pki_path_join(out, j->options->folder, name);
}

/* ---- gaits ---- */

static bool tell_solver(void *user, int stage, const char *name, const pki_nlp_progress *p, double fraction)
{
  char what[160];
  (void)stage;
  snprintf(what, sizeof what, "%s: %s, iteration %d", ((job *)user)->motion->name, name, p->iteration);
  show_progress(user, fraction, what);
  return !is_stopped(user);
}

static pk_status load_gait(job *j, pki_gait_file **gait, pki_problems *problems)
{
  char path[PKI_PATH_MAX];
  const char *name = j->motion->source[PKI_SIZE_GAIT];
  pk_error err = {0};
  const bool beside = pki_size_path(j->study, name, path) && pki_is_file(path);
  const pk_status status = beside ? PK_OK : pki_yaml_locate(&pki_gait_kind, name, path, &err);
  *gait = NULL;
  if (status != PK_OK) {
    return pki_problems_note(problems, pki_node_place(status, j->motion->node, "", &err), &err);
  }
  return pki_gait_file_load(path, j->sets, j->nset, gait, problems);
}

/* The solution that the folder has from an earlier run, or a new one. */
static pk_status solve_gait(job *j, const pki_gait_file *gait, pki_motion_solution *out, pk_error *err)
{
  char path[PKI_PATH_MAX];
  const bool kept = file_of(j, ".pronk", path);
  if (kept && pki_is_file(path) && pki_solution_load(path, &gait->problem, gait->hash, out, NULL) == PK_OK) {
    if (out->solved) {
      return PK_OK;
    }
    pki_motion_solution_free(out);
  }
  *out = (pki_motion_solution){0};
  const pki_motion_options options = {.progress = tell_solver, .user = j};
  pk_status status = pki_motion_solve(&gait->problem, &options, out, err);
  if (status == PK_OK && !out->solved) {
    const char *worst = out->nstage > 0 ? out->stages[out->nstage - 1].worst : "";
    status = is_stopped(j) ? pki_fail(err, PK_ERROR_LIMIT, (pki_where){0}, "interrupted")
                           : pki_fail(err, PK_ERROR_LIMIT, (pki_where){.file = gait->file},
                                      "the motion %s was not solved%s%s", j->motion->name,
                                      worst[0] != '\0' ? "; worst: " : "", worst);
  }
  return status == PK_OK && kept ? pki_solution_save(out, gait->hash, path, err) : status;
}

static pk_status make_gait(job *j, pki_duty_motion *out, pki_problems *problems)
{
  pki_gait_file *gait = NULL;
  pki_motion_solution solution = {0};
  pk_error err = {0};
  if (load_gait(j, &gait, problems) != PK_OK || gait == NULL) {
    return problems->status;
  }
  pk_status status = solve_gait(j, gait, &solution, &err);
  status = status == PK_OK ? pki_duty_of_motion(gait, &solution, out, &err) : status;
  pki_motion_solution_free(&solution);
  pki_gait_file_destroy(gait);
  return pki_problems_note(problems, status, &err);
}

/* ---- scenarios and files ---- */

static void note_end(void *user, const pki_world *world, const pki_run_result *result)
{
  (void)world;
  *(bool *)user = result->fell;
}

/* The file of a scenario: beside the study, or of that name. */
static pk_status find_scenario(const job *j, char path[PKI_PATH_MAX], pk_error *err)
{
  const char *name = j->motion->source[PKI_SIZE_SCENARIO];
  const bool beside = pki_size_path(j->study, name, path) && pki_is_file(path);
  return beside ? PK_OK : pki_scenario_locate(name, path, err);
}

static pk_status make_run(job *j, pki_duty_motion *out, pki_problems *problems)
{
  char path[PKI_PATH_MAX], folder[PKI_PATH_MAX], recording[PKI_PATH_MAX];
  pk_error err = {0};
  bool refused = false, fell = false;
  pk_status status = find_scenario(j, path, &err);
  if (status != PK_OK) {
    return pki_problems_note(problems, pki_node_place(status, j->motion->node, "", &err), &err);
  }
  if (!file_of(j, "", folder) || !pki_path_join(recording, folder, PKI_RECORDING_FILE)) {
    return pki_problem(problems, j->motion->node, "the folder's name is too long");
  }
  const char **sets = calloc((size_t)j->nset + 1, sizeof *sets);
  if (sets == NULL) {
    return pki_problem_memory(problems);
  }
  sets[0] = "record.loads=true";
  memcpy((void *)(sets + 1), (const void *)j->sets, (size_t)j->nset * sizeof *sets);
  const pki_single_run run_once = {.file = path,
                                   .sets = sets,
                                   .nset = j->nset + 1,
                                   .options = {.duration = j->motion->duration > 0 ? j->motion->duration : -1,
                                               .folder = folder,
                                               .no_report = true,
                                               .stop = j->options->stop,
                                               .progress = show_progress,
                                               .user = j},
                                   .ran = note_end,
                                   .user = &fell};
  status = pki_folder_create(folder, &err);
  status = status == PK_OK ? pki_run_single(&run_once, &refused, &err) : status;
  free((void *)sets);
  if (status == PK_OK && (fell || is_stopped(j))) {
    status = pki_fail(&err, PK_ERROR_LIMIT, (pki_where){.file = path}, "%s",
                      fell ? "the robot fell: there is no motion to choose drives by" : "interrupted");
  }
  status = status == PK_OK ? pki_duty_read_recording(recording, &j->motion->window, out, &err) : status;
  return pki_problems_note(problems, status, &err);
}

static pk_status read_source(job *j, pki_duty_motion *out, pki_problems *problems)
{
  char path[PKI_PATH_MAX], inside[PKI_PATH_MAX];
  pk_error err = {0};
  const pki_size_source kind = pki_size_source_of(j->motion);
  if (kind == PKI_SIZE_GAIT) {
    return make_gait(j, out, problems);
  }
  if (kind == PKI_SIZE_SCENARIO) {
    return make_run(j, out, problems);
  }
  if (!pki_size_path(j->study, j->motion->source[kind], path)) {
    return pki_problem(problems, j->motion->node, "the path is too long");
  }
  if (pki_is_folder(path) &&
      pki_path_join(inside, path, kind == PKI_SIZE_RECORDING ? PKI_RECORDING_FILE : "motion.csv")) {
    memcpy(path, inside, sizeof path);
  }
  const pk_status status = kind == PKI_SIZE_RECORDING
                               ? pki_duty_read_recording(path, &j->motion->window, out, &err)
                               : pki_duty_read_table(path, &j->motion->window, out, &err);
  return pki_problems_note(problems, status, &err);
}

/* ---- what scenarios have of their own ---- */

/* The actuators of one scenario at a joint that are taken away in rounds, at the end of `out`. */
static void name_actuators(const pki_scenario *s, const char *joint, char *out, size_t size)
{
  for (int i = 0; i < s->nactuator; i++) {
    const pki_scenario_actuator *a = &s->actuators[i];
    char words[128];
    if (a->row == NULL || a->row->kind.adds || !pki_pattern_matches(a->joints, joint) ||
        pki_scenario_is_undriven(s, i, joint)) {
      continue;
    }
    snprintf(words, sizeof words, "%s%s%.80s", a->row->kind.name, a->motor[0] != '\0' ? " " : "", a->motor);
    const size_t used = strlen(out);
    if (strstr(out, words) == NULL && used < size) {
      snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", words);
    }
  }
}

void pki_size_name_actuators(const pki_size_study *study, const char *joint, char *out, size_t size)
{
  out[0] = '\0';
  for (int i = 0; i < study->nmotion; i++) {
    job j = {.study = study, .motion = &study->motions[i]};
    pki_problems problems = {0};
    pki_scenario *s = NULL;
    char path[PKI_PATH_MAX];
    if (pki_size_source_of(j.motion) == PKI_SIZE_SCENARIO && find_scenario(&j, path, NULL) == PK_OK &&
        collect_sets(&j, NULL, 0, &problems) && pki_scenario_load(path, j.sets, j.nset, &s, NULL) == PK_OK) {
      name_actuators(s, joint, out, size);
    }
    pki_scenario_destroy(s);
    pki_problems_free(&problems);
    free_sets(&j);
  }
}

/* ---- all ---- */

/* What is wrong with the overrides of drives is told at the study's own key: that is what the user wrote. */
static void place_problems(const pki_size_study *study, pki_problems *problems)
{
  const pki_node *present = pki_node_find(pki_document_root(study->document), "present");
  for (int i = 0; i < problems->count && present != NULL; i++) {
    pk_error *e = &problems->errors[i];
    if (strncmp(e->file, "--set actuators.+=", 18) == 0) {
      pki_node_place(problems->status, present, "", e);
    }
  }
}

pk_status pki_size_make_duty(const pki_size_study *study, const pki_size_work_options *options, int round,
                             const pki_size_carried *carried, int count, pki_duty *out,
                             pki_problems *problems)
{
  for (int i = 0; i < study->nmotion && problems->status == PK_OK; i++) {
    job j = {.study = study,
             .motion = &study->motions[i],
             .options = options,
             .round = round,
             .first = (double)i / study->nmotion,
             .part = 1.0 / study->nmotion};
    pki_duty_motion motion = {0};
    pk_error err = {0};
    pk_status status = PK_OK;
    show_progress(&j, 0, study->motions[i].name);
    if (collect_sets(&j, carried, count, problems)) {
      status = read_source(&j, &motion, problems);
    }
    if (problems->status == PK_OK && status == PK_OK) {
      motion.weight = study->motions[i].weight;
      snprintf(motion.name, sizeof motion.name, "%s", study->motions[i].name);
      status = pki_duty_add(out, &motion, &err);
      pki_problems_note(problems, status, &err);
    } else {
      pki_duty_motion_free(&motion);
    }
    free_sets(&j);
  }
  place_problems(study, problems);
  return problems->status;
}
