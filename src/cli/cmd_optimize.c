/* pronk optimize: the best motion of a robot, from its gait file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/cmd_optimize.h"
#include "cli/interrupt.h"
#include "cli/print_json.h"
#include "cli/sets.h"
#include "cli/terminal.h"
#include "optimize/files/motion_files.h"
#include "optimize/files/solution_file.h"
#include "optimize/motion/link_lengths.h"

const pki_option pki_options_optimize[] = {
    {"set", 0, "KEY=VALUE", "override a key of the gait file; may be repeated"},
    {"output", 'o', "DIR", "where the motion, the solution and the report go (default: out/NAME-motion)"},
    {"again", 0, NULL, "throw away the solution that DIR has, and start afresh"},
    {"grid", 0, "KEY=A,B,...",
     "solve a grid of problems: values of a key, or LOW:HIGH:COUNT; may be repeated, up to 6 keys"},
    {"jobs", 0, "N", "problems of a grid at a time (default: as many as processors)"},
    {0},
};

/* One problem on its way. */
typedef struct job {
  const pki_args *args;
  pki_gait_file *gait;
  const char *folder;
  pki_progress progress;
  const atomic_int *stop;
  double begun; /* s, monotonic */
  double first; /* fraction that was done at the first iteration, for the estimate of the time left */
  bool resumed, found;
  pk_status kept; /* of writing the solution on the way */
  pk_error keep_error;
  pki_motion_solution start, solution;
} job;

/* ---- on the way ---- */

/* "space, iteration 12, 20 s left: 1234.5, violation 3e-06": what a narrow terminal cuts off comes last. */
static bool show_iteration(void *user, int stage, const char *name, const pki_nlp_progress *p,
                           double fraction)
{
  job *j = user;
  char what[200], left[40] = "";
  const double spent = pki_clock() - j->begun;
  (void)stage;
  if (j->first < 0) {
    j->first = fraction;
    j->begun = pki_clock();
  } else if (fraction > j->first + 0.02 && spent > 2) {
    snprintf(left, sizeof left, ", %.0f s left", spent * (1 - fraction) / (fraction - j->first));
  }
  snprintf(what, sizeof what, "%s, iteration %d%s: %.4g, violation %.0e%s", name, p->iteration, left,
           p->objective, p->violation, p->restoration ? " (restoring feasibility)" : "");
  pki_progress_show(&j->progress, fmin(fmax(fraction, 0), 1), what);
  return *j->stop == 0;
}

static void keep_solution(void *user, const pki_motion_solution *solution)
{
  job *j = user;
  char path[PKI_PATH_MAX];
  if (j->kept == PK_OK && pki_path_join(path, j->folder, "solution.pronk")) {
    j->kept = pki_solution_save(solution, j->gait->hash, path, &j->keep_error);
  }
}

/* ---- results ---- */

typedef pk_status (*save_function)(const pki_course *course, const char *path, pk_error *err);

static pk_status write_files(const job *j, const pki_course *course, pk_error *err)
{
  static const struct {
    const char *file;
    save_function save;
  } files[] = {{"motion.csv", pki_motion_csv_save},
               {"track.txt", pki_motion_track_save},
               {"scenario.yaml", pki_motion_scenario_save}};
  char path[PKI_PATH_MAX];
  pk_status status = PK_OK;
  /* the file of a model has the lengths that it had */
  const size_t count = sizeof files / sizeof files[0] - (pki_lengths_count(&j->gait->problem) > 0 ? 1 : 0);
  for (size_t i = 0; i < count && status == PK_OK; i++) {
    status = pki_path_join(path, j->folder, files[i].file)
                 ? files[i].save(course, path, err)
                 : pki_fail(err, PK_ERROR_FILE, (pki_where){.file = j->folder}, "the path is too long");
  }
  /* of one that is not solved the file has what was kept on the way: a restart goes on from there */
  if (status == PK_OK && j->solution.solved && pki_path_join(path, j->folder, "solution.pronk")) {
    status = pki_solution_save(&j->solution, j->gait->hash, path, err);
  }
  if (status == PK_OK && pki_path_join(path, j->folder, "summary.json")) {
    status = pki_motion_summary_save(course, &j->solution, path, err);
  }
  if (status == PK_OK && pki_path_join(path, j->folder, "report.html")) {
    status = pki_motion_report_save(course, &j->solution, path, err);
  }
  return status;
}

static void print_fact(const char *name, double value, const char *unit)
{
  if (!isnan(value)) {
    printf("  %-20s %.5g%s%s\n", name, value, unit[0] != '\0' ? " " : "", unit);
  }
}

static void print_design(const job *j)
{
  pki_table table;
  pki_text text = {0};
  if (j->solution.ndesign == 0) {
    return;
  }
  pki_design_table(&j->gait->problem, &j->solution, &table);
  pki_table_text(&table, "  ", true, &text);
  pki_table_free(&table);
  printf("\n%s", text.data != NULL ? text.data : "");
  pki_text_free(&text);
}

static void print_text(const job *j, const pki_course *course)
{
  const pki_palette p = pki_palette_for(stdout);
  const pki_motion_figures f = pki_motion_figures_of(course);
  const pki_motion_solution *s = &j->solution;
  printf("%s%s%s%s%s\n\n", p.bold, j->gait->name, p.plain, j->gait->description[0] ? ": " : "",
         j->gait->description);
  pki_table table;
  pki_text text = {0};
  pki_motion_ladder_table(s, &table);
  pki_table_text(&table, "  ", true, &text);
  pki_table_free(&table);
  printf("%s\n", text.data != NULL ? text.data : "");
  pki_text_free(&text);
  print_fact("objective", s->objective, "");
  print_fact("speed", f.speed, "m/s");
  print_fact("stride", isnan(f.speed) ? NAN : course->whole.stride, "m");
  print_fact("period", course->whole.period, "s");
  print_fact("cost of transport", f.cost_of_transport, "");
  print_fact("Joule heat", course->whole.joule, "J/m");
  print_fact("least S_H", f.stability, "kg m^2/s");
  print_fact("friction used", j->gait->problem.nfoot > 0 ? f.friction_used : NAN, "");
  print_design(j);
  printf("\nMotion:   %s/motion.csv\n", j->folder);
  if (pki_lengths_count(&j->gait->problem) == 0) {
    printf("Scenario: %s/scenario.yaml\n", j->folder);
  }
  printf("Report:   %s/report.html\n", j->folder);
}

static bool print_summary(const job *j)
{
  char path[PKI_PATH_MAX];
  size_t size = 0;
  char *text = pki_path_join(path, j->folder, "summary.json") ? pki_file_read(path, 1 << 24, &size) : NULL;
  cJSON *o = text != NULL ? cJSON_Parse(text) : NULL;
  free(text);
  if (o == NULL) {
    pki_complain("optimize", "out of memory");
    return false;
  }
  cJSON_AddStringToObject(o, "folder", j->folder);
  cJSON_AddBoolToObject(o, "resumed", j->resumed);
  return pki_json_print(o, true, "optimize");
}

/* A motion that is right at the points of its grid and wrong between them is no motion. */
static void warn_of_grid(const pki_motion_problem *p, const pki_motion_solution *s)
{
  const double error = s->nstage > 0 ? s->stages[s->nstage - 1].grid_error : 0;
  if (s->solved && isfinite(error) && error > 0.1) {
    pki_complain("optimize",
                 "note: between points of the grid the motion is off by up to %.2g of its size: %s", error,
                 isfinite(p->grid_tolerance) ? "larger grid.rounds and grid.most refine it further"
                                             : "--set grid.tolerance=0.05 refines it");
  }
}

/* Why it is no solution; the exit status. */
static int judge(const job *j)
{
  const pki_motion_solution *s = &j->solution;
  if (s->solved) {
    return PKI_EXIT_OK;
  }
  const pki_motion_stage *last = s->nstage > 0 ? &s->stages[s->nstage - 1] : NULL;
  if (*j->stop != 0) {
    pki_complain("optimize",
                 "interrupted; the best so far was written, and the same command goes on from the last "
                 "finished problem");
  } else {
    pki_complain("optimize", "not solved: %s ended %s%s%s", last != NULL ? last->name : "the first problem",
                 last != NULL ? pki_nlp_end_word(last->result.end) : "at once",
                 last != NULL && last->result.why != NULL && last->result.why[0] != '\0' ? ": " : "",
                 last != NULL && last->result.why != NULL ? last->result.why : "");
  }
  if (last != NULL && last->worst[0] != '\0') {
    pki_complain("optimize", "worst: %s", last->worst);
  }
  return PKI_EXIT_FAILURE;
}

/* Motors with the gears and links with the lengths that were found: what is written is about them. */
static void apply_design(const job *j)
{
  double values[PKI_MOTION_DESIGNS];
  for (int i = 0; i < j->solution.ndesign; i++) {
    values[i] = j->solution.design[i].value;
  }
  pki_design_apply(&j->gait->problem, values);
  pki_lengths_apply(&j->gait->problem, j->gait->model, values);
}

static int write_results(const job *j)
{
  pki_course course;
  pk_error err = {0};
  apply_design(j);
  pk_status status = pki_course_make(j->gait, &j->solution, &course, &err);
  status = status == PK_OK ? write_files(j, &course, &err) : status;
  int code = PKI_EXIT_FAILURE;
  if (status != PK_OK) {
    pki_complain_error("optimize", &err);
  } else {
    bool printed = true;
    if (j->args->json) {
      printed = print_summary(j);
    } else {
      print_text(j, &course);
    }
    warn_of_grid(&j->gait->problem, &j->solution);
    code = judge(j);
    code = printed ? code : PKI_EXIT_FAILURE;
  }
  pki_course_free(&course);
  return code;
}

/* ---- running ---- */

/* What an earlier run left in the folder; false after a complaint. */
static bool find_start(job *j)
{
  char path[PKI_PATH_MAX];
  pk_error err = {0};
  if (pki_args_has(j->args, "again") || !pki_path_join(path, j->folder, "solution.pronk") ||
      !pki_is_file(path)) {
    return true;
  }
  const pk_status status = pki_solution_load(path, &j->gait->problem, j->gait->hash, &j->start, &err);
  if (status != PK_OK) {
    pki_complain("optimize", "%s: %s; --again throws it away, -o DIR keeps it", path, err.message);
    return false;
  }
  j->resumed = true;
  j->found = j->start.solved;
  if (!j->args->json) {
    pki_complain("optimize", "note: %s %s", path,
                 j->found ? "has the solution; --again computes it anew"
                          : "has the first problems of the ladder: going on from there");
  }
  return true;
}

static int solve(job *j)
{
  pk_error err = {0};
  pk_status status = PK_OK;
  j->progress = pki_progress_start();
  j->stop = pki_interrupt_catch();
  j->begun = pki_clock();
  j->first = -1;
  if (j->found) {
    j->solution = j->start;
    j->start = (pki_motion_solution){0};
  } else {
    const pki_motion_options options = {
        .progress = show_iteration, .keep = keep_solution, .user = j, .start = j->resumed ? &j->start : NULL};
    status = pki_motion_solve(&j->gait->problem, &options, &j->solution, &err);
  }
  pki_progress_end(&j->progress);
  int code = PKI_EXIT_FAILURE;
  if (status != PK_OK) {
    pki_complain_error("optimize", &err);
  } else if (j->kept != PK_OK) {
    pki_complain_error("optimize", &j->keep_error);
  } else {
    code = write_results(j);
  }
  pki_interrupt_release();
  return code;
}

static int run_job(job *j)
{
  pk_error err = {0};
  const pk_status status = pki_folder_create(j->folder, &err);
  if (status != PK_OK) {
    pki_complain_error("optimize", &err);
    return PKI_EXIT_FAILURE;
  }
  const int code = find_start(j) ? solve(j) : PKI_EXIT_USAGE;
  pki_motion_solution_free(&j->start);
  pki_motion_solution_free(&j->solution);
  return code;
}

pki_gait_file *pki_load_gait(const pki_args *args, const char *command, int *code)
{
  char path[PKI_PATH_MAX];
  pk_error err = {0};
  pki_gait_file *gait = NULL;
  pki_problems problems = {0};
  pki_sets sets;
  *code = PKI_EXIT_FAILURE;
  if (!pki_sets_read(args, &sets)) {
    return NULL;
  }
  pk_status status = pki_yaml_locate(&pki_gait_kind, args->words[0], path, &err);
  if (pki_problems_note(&problems, status, &err) == PK_OK) {
    pki_gait_file_load(path, sets.list, sets.count, &gait, &problems);
  }
  pki_problems_sort(&problems);
  for (int i = 0; i < problems.count; i++) {
    pki_complain_error(command, &problems.errors[i]);
  }
  *code = pki_exit_of_input(problems.status);
  pki_problems_free(&problems);
  pki_sets_free(&sets);
  return gait;
}

int pki_command_optimize(const pki_args *args)
{
  char folder[PKI_PATH_MAX];
  int code = PKI_EXIT_USAGE;
  if (args->nword != 1) {
    pki_complain("optimize", "name one gait file or one of `pronk list motions`");
    return code;
  }
  if (pki_args_has(args, "grid")) {
    return pki_optimize_grid(args);
  }
  job *j = calloc(1, sizeof *j);
  if (j == NULL) {
    pki_complain("optimize", "out of memory");
    return PKI_EXIT_FAILURE;
  }
  j->args = args;
  j->gait = pki_load_gait(args, "optimize", &code);
  if (j->gait != NULL) {
    j->folder = pki_args_value(args, "output");
    if (j->folder == NULL) {
      pki_default_folder(j->gait->name, "-motion", folder);
      j->folder = folder;
    }
    code = run_job(j);
  }
  pki_gait_file_destroy(j->gait);
  free(j);
  return code;
}
