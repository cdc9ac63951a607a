/* The motions of a study: read, run, or optimised. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "optimize/files/gait_file.h"
#include "optimize/files/solution_file.h"
#include "run/run_output.h"
#include "run/single_run.h"
#include "size/size_work.h"

enum { SETS = 64 };

/* One motion on its way. */
typedef struct job {
  const pki_size_study *study;
  const pki_size_motion *motion;
  const pki_size_work_options *options;
  int round;
  double first, part; /* of the progress */
  const char *sets[SETS];
  int nset;
  pki_text drives; /* the override by which the robot carries its drives */
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

/* Those of the entry, and the drives that the robot carries. */
static bool collect_sets(job *j, const pki_size_carried *carried, int count, pki_problems *problems)
{
  const pki_node *list = pki_node_find(j->motion->node, "set");
  char number[2][PKI_REAL_TEXT];
  if (list != NULL && pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return false;
  }
  for (const pki_node *n = list != NULL ? list->first : NULL; n != NULL; n = n->next) {
    if (n->kind != PKI_NODE_SCALAR || strchr(n->text, '=') == NULL || j->nset == SETS - 1) {
      pki_problem(problems, n, "expected at most %d overrides of the form KEY=VALUE", SETS - 1);
      return false;
    }
    j->sets[j->nset++] = n->text;
  }
  if (count > 0) {
    pki_text_add(&j->drives, "actuators=[");
    for (int i = 0; i < count; i++) {
      pki_text_addf(&j->drives, "%s{joints: \"%s\", armature: %s, mass: %s}", i > 0 ? ", " : "",
                    carried[i].joint, pki_format_real(carried[i].armature, number[0]),
                    pki_format_real(carried[i].mass, number[1]));
    }
    pki_text_add(&j->drives, "]");
    j->sets[j->nset++] = j->drives.data;
  }
  return !j->drives.failed || pki_problem_memory(problems) == PK_OK;
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

static pk_status make_run(job *j, pki_duty_motion *out, pki_problems *problems)
{
  char path[PKI_PATH_MAX], folder[PKI_PATH_MAX], recording[PKI_PATH_MAX];
  const char *name = j->motion->source[PKI_SIZE_SCENARIO];
  pk_error err = {0};
  bool refused = false, fell = false;
  const bool beside = pki_size_path(j->study, name, path) && pki_is_file(path);
  pk_status status = beside ? PK_OK : pki_scenario_locate(name, path, &err);
  if (status != PK_OK) {
    return pki_problems_note(problems, pki_node_place(status, j->motion->node, "", &err), &err);
  }
  if (!file_of(j, "", folder) || !pki_path_join(recording, folder, PKI_RECORDING_FILE)) {
    return pki_problem(problems, j->motion->node, "the folder's name is too long");
  }
  const char *sets[SETS + 1] = {"record.loads=true"};
  memcpy(sets + 1, j->sets, (size_t)j->nset * sizeof *sets);
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

/* ---- all ---- */

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
    pki_text_free(&j.drives);
  }
  return problems->status;
}
