/* pronk optimize --grid: many problems, each solved by a process of its own, because the solver's libraries are not made for
 * several solves at once in one. Under mpirun or srun every process takes its share of the problems. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/cmd_optimize.h"
#include "cli/interrupt.h"
#include "cli/join_ranks.h"
#include "cli/print_json.h"
#include "cli/processors.h"
#include "cli/sets.h"
#include "cli/terminal.h"
#include "optimize/files/gait_grid.h"

enum { JOBS = 256, WORDS = 64 };

typedef struct grid_job {
  const pki_args *args;
  char program[PKI_PATH_MAX], path[PKI_PATH_MAX];
  const char *folder;
  pki_gait_grid grid;
  pki_sets sets;
  pki_ranks ranks;
  pid_t running[JOBS];
  int cell[JOBS]; /* of each that runs */
  int nrunning, jobs;
  const atomic_int *stop;
} grid_job;

/* ---- one problem ---- */

/* The same command for one cell, what it says into its log. Only what is safe after a fork. */
static void become_cell(char *const *words, const char *log, const char *program)
{
  const int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const int nothing = open("/dev/null", O_RDONLY);
  if (file >= 0 && nothing >= 0 && dup2(nothing, 0) >= 0 && dup2(file, 1) >= 0 && dup2(file, 2) >= 0) {
    execv(program, words);
  }
  _exit(127);
}

static bool start_cell(grid_job *j, int cell)
{
  char own[PKI_GAIT_AXES][320], folder[PKI_PATH_MAX], log[PKI_PATH_MAX];
  char set[] = "--set", output[] = "-o", again[] = "--again", json[] = "--json", name[] = "pronk",
       command[] = "optimize";
  char *words[WORDS + 2 * PKI_GAIT_AXES];
  int n = 0;
  pk_error err = {0};
  if (j->sets.count > (WORDS - 8) / 2 || !pki_path_join(folder, j->folder, j->grid.cells[cell].folder) ||
      !pki_path_join(log, folder, "log.txt") || pki_folder_create(folder, &err) != PK_OK) {
    pki_complain("optimize", "%s", err.message[0] != '\0' ? err.message : "too many or too long arguments");
    return false;
  }
  words[n++] = name, words[n++] = command, words[n++] = j->path;
  for (int i = 0; i < j->sets.count; i++) {
    words[n++] = set, words[n++] = (char *)(uintptr_t)j->sets.list[i];
  }
  for (int i = 0; i < j->grid.naxis; i++) {
    pki_gait_grid_set(&j->grid, cell, i, own[i], sizeof own[i]);
    words[n++] = set, words[n++] = own[i];
  }
  words[n++] = output, words[n++] = folder, words[n++] = json;
  if (pki_args_has(j->args, "again")) {
    words[n++] = again;
  }
  words[n] = NULL;
  const pid_t id = fork();
  if (id == 0) {
    become_cell(words, log, j->program);
  }
  if (id < 0) {
    pki_complain("optimize", "cannot start another process: %s", strerror(errno));
    return false;
  }
  j->running[j->nrunning] = id;
  j->cell[j->nrunning++] = cell;
  return true;
}

/* Those that have ended make room. */
static int reap(grid_job *j)
{
  int ended = 0;
  for (int i = 0; i < j->nrunning;) {
    int status;
    const pid_t id = waitpid(j->running[i], &status, WNOHANG);
    if (id == 0) {
      i++;
      continue;
    }
    ended++;
    j->running[i] = j->running[j->nrunning - 1];
    j->cell[i] = j->cell[--j->nrunning];
  }
  return ended;
}

/* ---- all of them ---- */

/* This process's share: every size-th problem. False: something could not be started. */
static bool run_cells(grid_job *j)
{
  pki_progress progress = pki_progress_start();
  int next = j->ranks.rank, done = 0;
  bool good = true, told = false;
  const int share = (j->grid.count - j->ranks.rank + j->ranks.size - 1) / j->ranks.size;
  while ((next < j->grid.count && *j->stop == 0 && good) || j->nrunning > 0) {
    while (j->nrunning < j->jobs && next < j->grid.count && *j->stop == 0 && good) {
      good = start_cell(j, next);
      next += j->ranks.size;
    }
    if (*j->stop != 0 && !told) { /* a terminal has told them already; others have not */
      for (int i = 0; i < j->nrunning; i++) {
        kill(j->running[i], SIGINT);
      }
      told = true;
    }
    char what[160];
    snprintf(what, sizeof what, "%d of %d problems%s%s", done, share, j->nrunning > 0 ? ", now " : "",
             j->nrunning > 0 ? j->grid.cells[j->cell[0]].folder : "");
    pki_progress_show(&progress, (double)done / (share > 0 ? share : 1), what);
    done += reap(j);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  }
  pki_progress_end(&progress);
  return good;
}

/* Rank 0 waits until all others have done their share. */
static bool wait_for_ranks(const grid_job *j, bool good)
{
  unsigned char word = good && *j->stop == 0, theirs;
  if (j->ranks.size == 1) {
    return good;
  }
  if (j->ranks.rank > 0) {
    return j->ranks.send(j->ranks.user, 0, &word, 1) && good;
  }
  for (int left = j->ranks.size - 1; left > 0;) {
    int from;
    const long size = j->ranks.take(j->ranks.user, &from, &theirs, 1);
    if (size < 0) {
      return false;
    }
    if (size == 1) {
      good = good && theirs != 0;
      left--;
    } else {
      nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
  }
  return good;
}

/* ---- what came of it ---- */

static cJSON *grid_json(const grid_job *j, int solved)
{
  cJSON *o = cJSON_CreateObject(), *cells = cJSON_AddArrayToObject(o, "problems");
  cJSON_AddNumberToObject(o, "count", j->grid.count);
  cJSON_AddNumberToObject(o, "solved", solved);
  cJSON_AddStringToObject(o, "folder", j->folder);
  for (int i = 0; i < j->grid.count; i++) {
    const pki_gait_cell *c = &j->grid.cells[i];
    cJSON *e = cJSON_CreateObject(), *values = cJSON_AddObjectToObject(e, "values");
    for (int k = 0; k < j->grid.naxis; k++) {
      const pki_gait_axis *a = &j->grid.axes[k];
      const int at = pki_gait_grid_at(&j->grid, i, k);
      if (isnan(a->value[at])) {
        cJSON_AddStringToObject(values, a->key, a->text[at]);
      } else {
        cJSON_AddNumberToObject(values, a->key, a->value[at]);
      }
    }
    cJSON_AddBoolToObject(e, "solved", c->solved);
    pki_json_number(e, "objective", c->found ? c->objective : NAN);
    pki_json_number(e, "cost_of_transport", c->found ? c->figures.cost_of_transport : NAN);
    pki_json_number(e, "stability", c->found ? c->figures.stability : NAN);
    cJSON_AddStringToObject(e, "folder", c->folder);
    cJSON_AddStringToObject(e, "message", c->told);
    cJSON_AddItemToArray(cells, e);
  }
  return o;
}

/* The beginning of what a cell tells, for a column: whole characters. */
static void shorten(const char *text, char out[72])
{
  size_t size = strlen(text);
  const bool cut = size > 64;
  size = cut ? 64 : size;
  while (cut && size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80) {
    size--;
  }
  snprintf(out, 72, "%.*s%s", (int)size, text, cut ? "..." : "");
}

static void print_text(const grid_job *j, int solved)
{
  pki_table t;
  pki_text text = {0};
  pki_table_begin(&t, (const char *const[]){"problem", "objective", "cost of transport", "outcome"}, 4);
  for (int i = 0; i < j->grid.count; i++) {
    const pki_gait_cell *c = &j->grid.cells[i];
    char cell[2][32] = {"-", "-"}, label[96], told[72];
    pki_gait_grid_label(&j->grid, i, -1, label, sizeof label);
    if (c->found) {
      snprintf(cell[0], 32, "%.5g", c->objective);
      snprintf(cell[1], 32, isfinite(c->figures.cost_of_transport) ? "%.5g" : "-",
               c->figures.cost_of_transport);
    }
    shorten(c->solved ? "solved" : c->told, told);
    pki_table_row(&t, (const char *const[]){label, cell[0], cell[1], told});
  }
  pki_table_text(&t, "  ", true, &text);
  pki_table_free(&t);
  printf("%d of %d problems solved\n\n%s\nTable:  %s/grid.csv\nReport: %s/report.html\n", solved,
         j->grid.count, text.data != NULL ? text.data : "", j->folder, j->folder);
  pki_text_free(&text);
}

static int collect(grid_job *j, const pki_gait_file *base)
{
  char path[PKI_PATH_MAX], title[96];
  pk_error err = {0};
  int solved = 0;
  for (int i = 0; i < j->grid.count; i++) {
    pki_gait_grid_collect(&j->grid, i, j->path, j->sets.list, j->sets.count, j->folder);
    solved += j->grid.cells[i].solved;
  }
  snprintf(title, sizeof title, "%.64s, %d problems", base->name, j->grid.count);
  pk_status status =
      pki_path_join(path, j->folder, "grid.csv")
          ? pki_gait_grid_csv_save(&j->grid, path, &err)
          : pki_fail(&err, PK_ERROR_FILE, (pki_where){.file = j->folder}, "the path is too long");
  if (status == PK_OK && pki_path_join(path, j->folder, "report.html")) {
    status = pki_gait_grid_report_save(&j->grid, title, base->description, path, &err);
  }
  if (status != PK_OK) {
    pki_complain_error("optimize", &err);
    return PKI_EXIT_FAILURE;
  }
  bool printed = true;
  if (j->args->json) {
    printed = pki_json_print(grid_json(j, solved), true, "optimize");
  } else {
    print_text(j, solved);
  }
  if (*j->stop != 0) {
    pki_complain("optimize", "interrupted; the same command goes on");
  }
  return printed && solved == j->grid.count ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}

/* ---- what is asked for ---- */

static bool read_grid(grid_job *j)
{
  pk_error err = {0};
  int count = 0;
  const char **texts = pki_args_all(j->args, "grid", &count);
  pk_status status = texts != NULL ? PK_OK : pki_fail_memory(&err, NULL);
  for (int i = 0; i < count && status == PK_OK; i++) {
    status = pki_gait_grid_add(&j->grid, texts[i], &err);
  }
  free((void *)texts);
  status = status == PK_OK ? pki_gait_grid_finish(&j->grid, &err) : status;
  if (status != PK_OK) {
    pki_complain_error("optimize", &err);
  }
  return status == PK_OK;
}

/* The program itself, the gait file, and where all goes; false after a complaint. */
static bool find_files(grid_job *j, const pki_gait_file *base, char folder[PKI_PATH_MAX])
{
  pk_error err = {0};
  const ssize_t size = readlink("/proc/self/exe", j->program, sizeof j->program - 1);
  if (size <= 0) {
    pki_complain("optimize", "this program's own file cannot be found: %s", strerror(errno));
    return false;
  }
  j->program[size] = '\0';
  snprintf(j->path, sizeof j->path, "%s", base->file);
  j->folder = pki_args_value(j->args, "output");
  if (j->folder == NULL) {
    pki_default_folder(base->name, "-motions", folder);
    j->folder = folder;
  }
  const pk_status status = pki_folder_create(j->folder, &err);
  if (status != PK_OK) {
    pki_complain_error("optimize", &err);
  }
  return status == PK_OK;
}

/* A key that is wrong is so in every cell: told once, by the first. */
static bool check_first(const grid_job *j, const pki_gait_file *base, int *code)
{
  pki_gait_file *first = NULL;
  pki_problems problems = {0};
  pki_gait_grid_load(&j->grid, 0, base->file, j->sets.list, j->sets.count, &first, &problems);
  pki_problems_sort(&problems);
  for (int i = 0; i < problems.count; i++) {
    pki_complain_error("optimize", &problems.errors[i]);
  }
  const bool good = first != NULL;
  *code = good ? PKI_EXIT_FAILURE : pki_exit_of_input(problems.status);
  pki_problems_free(&problems);
  pki_gait_file_destroy(first);
  return good;
}

int pki_optimize_grid(const pki_args *args)
{
  char folder[PKI_PATH_MAX];
  int code = PKI_EXIT_USAGE;
  grid_job *j = calloc(1, sizeof *j);
  if (j == NULL) {
    pki_complain("optimize", "out of memory");
    return PKI_EXIT_FAILURE;
  }
  j->args = args;
  pki_gait_file *base = NULL;
  if (read_grid(j) && pki_args_whole(args, "jobs", 1, JOBS, pki_count_processors(), &j->jobs) &&
      (base = pki_load_gait(args, "optimize", &code)) != NULL) {
    code = PKI_EXIT_FAILURE;
    if (pki_sets_read(args, &j->sets) && check_first(j, base, &code) && find_files(j, base, folder) &&
        pki_ranks_begin("optimize", &j->ranks)) {
      j->stop = pki_interrupt_catch();
      const bool good = wait_for_ranks(j, run_cells(j));
      code = j->ranks.rank > 0 ? (good ? PKI_EXIT_OK : PKI_EXIT_FAILURE) : collect(j, base);
      code = good ? code : PKI_EXIT_FAILURE;
      pki_interrupt_release();
      pki_ranks_end(&j->ranks, true);
    }
    pki_sets_free(&j->sets);
  }
  pki_gait_file_destroy(base);
  pki_gait_grid_free(&j->grid);
  free(j);
  return code;
}
