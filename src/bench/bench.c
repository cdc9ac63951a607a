/* The command: options, the registry of benches, and reports as they grow. */
#define _POSIX_C_SOURCE 200809L /* isatty, fileno */

#include "bench/bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/folders.h"
#include "base/text.h"

static const pki_bench benches[] = {
    {"dynamics", "RNEA, CRBA, factorisation and ABA of robots and chains beside other engines",
     pki_bench_dynamics, NULL},
    {"contact", "StarLETH stands, trots and stands on a slope in Pronk and in other engines",
     pki_bench_contact, NULL},
    {"collision", "distances of pairs of shapes and broad phases beside Bullet and FCL", pki_bench_collision,
     NULL},
    {"record", "what a recording at 1 kHz costs a trotting StarLETH", pki_bench_record, NULL},
    {"batch", "thousands of trotting StarLETHs on lanes and threads beside MuJoCo", pki_bench_batch,
     pki_bench_save_batch},
    {"robots", "robots, balls and boxes as people bring them, one world and 1024, beside MuJoCo's fastest",
     pki_bench_robots, NULL},
    {"feedback", "joints that follow references as constraints and by PD, each at its largest good step",
     pki_bench_feedback, NULL},
    {"optimize",
     "inverse dynamics with first and second derivatives, as points of an optimal motion need them",
     pki_bench_optimize, NULL},
    {"scaling", "a step's cost against links, contacts and robots beside MuJoCo", pki_bench_scaling,
     pki_bench_save_scaling},
};

enum { BENCH_COUNT = sizeof benches / sizeof benches[0] };

const pki_bench *pki_bench_list(int *count)
{
  *count = BENCH_COUNT;
  return benches;
}

static void print_help(FILE *out)
{
  fputs("Usage: pronk bench [NAME] [--work TEXT] [--report DIR] [--quick] [--json]\n"
        "\n"
        "Measure this machine: the same work on Pronk and on the other engines that are\n"
        "installed, on the same states, in turns. Without a name all benches run.\n"
        "\n",
        out);
  for (int i = 0; i < BENCH_COUNT; i++) {
    fprintf(out, "  %-12s %s\n", benches[i].name, benches[i].doc);
  }
  fputs("\n"
        "  --work TEXT  only works whose name holds TEXT, as in \"aba coman\" or \"trot 2.5ms\"\n"
        "  --report DIR also write DIR/NAME.html with plots (batch, scaling)\n"
        "  --quick      fewer rounds, for a first look\n"
        "  --json       figures for machines\n"
        "  --help       this text\n"
        "\n"
        "Peers are plugins in the folder that PRONK_PEERS names, or beside the program.\n"
        "\n"
        "Example: pronk bench dynamics --work \"aba coman\"\n"
        "         pronk bench contact --work trot\n"
        "         pronk bench collision --work broad\n"
        "         pronk bench robots --work \"fall starleth\" --quick\n"
        "         pronk bench batch --work \"256 worlds\" --report out\n",
        out);
}

static void complain_unknown(const char *what, const char *found, const char *const *words, int count)
{
  const char *nearest = pki_nearest_word(found, words, count);
  fprintf(stderr, "pronk bench: unknown %s '%s'%s%s%s", what, found, nearest ? "; did you mean '" : "",
          nearest ? nearest : "", nearest ? "'?" : "");
}

static int unknown_option(const char *found)
{
  static const char *const words[] = {"--json", "--quick", "--report", "--work", "--help"};
  complain_unknown("option", found, words, sizeof words / sizeof words[0]);
  fputs(" (pronk bench --help lists them)\n", stderr);
  return 2;
}

static const pki_bench *find_bench(const char *name)
{
  for (int i = 0; i < BENCH_COUNT; i++) {
    if (strcmp(name, benches[i].name) == 0) {
      return &benches[i];
    }
  }
  return NULL;
}

static int unknown_bench(const char *name)
{
  const char *names[BENCH_COUNT];
  for (int i = 0; i < BENCH_COUNT; i++) {
    names[i] = benches[i].name;
  }
  complain_unknown("bench", name, names, BENCH_COUNT);
  fputs(" (one of: ", stderr);
  for (int i = 0; i < BENCH_COUNT; i++) {
    fprintf(stderr, "%s%s", i > 0 ? ", " : "", names[i]);
  }
  fputs(")\n", stderr);
  return 2;
}

static void complain(const pki_bench *bench, const pk_error *err)
{
  char line[sizeof err->message + sizeof err->file + sizeof err->field];
  pki_error_line(err, line, sizeof line);
  fprintf(stderr, "pronk bench %s: %s\n", bench->name, line);
}

/* DIR/NAME.html. */
static bool save_page(const pki_bench *bench, const pki_bench_report *report, const char *folder)
{
  char path[PKI_PATH_MAX];
  pk_error err = {0};
  pk_status status = pki_folder_create(folder, &err);
  if (status == PK_OK && snprintf(path, sizeof path, "%s/%s.html", folder, bench->name) >= (int)sizeof path) {
    status = pki_fail(&err, PK_ERROR_FILE, (pki_where){.file = folder}, "the path is too long");
  }
  status = status == PK_OK ? bench->save(report, path, &err) : status;
  if (status != PK_OK) {
    complain(bench, &err);
  }
  return status == PK_OK;
}

static int run_one(const pki_bench *bench, const pki_bench_options *options, FILE *out)
{
  pki_bench_report report = {.bench = bench->name, .out = options->json ? NULL : out};
  pk_error err = {0};
  const pk_status status = bench->run(options, &report, &err);
  pki_bench_progress(NULL);
  int code = 0;
  if (status != PK_OK) {
    if (err.message[0] == '\0') {
      pki_fail(&err, status, (pki_where){0}, "%s", pk_status_text(status));
    }
    complain(bench, &err);
    code = 1;
  } else if (report.nresult == 0 && !report.failed) {
    fprintf(stderr, "pronk bench %s: no work has \"%s\" in its name\n", bench->name, options->work);
    code = 2;
  } else {
    if (!options->json) {
      pki_bench_end_table(&report);
    } else if (!pki_bench_print_json(&report, out)) {
      code = 1;
    }
    if (report.failed) {
      code = 1;
    }
    if (options->report && bench->save && !save_page(bench, &report, options->report)) {
      code = 1;
    }
  }
  free(report.results);
  free(report.notes);
  return code;
}

int pki_bench_main(int argc, char **argv, FILE *out)
{
  pki_bench_options options = {0};
  const pki_bench *chosen = NULL;
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
      print_help(out);
      return 0;
    }
    if (strcmp(word, "--json") == 0) {
      options.json = true;
    } else if (strcmp(word, "--quick") == 0) {
      options.quick = true;
    } else if (strcmp(word, "--work") == 0) {
      if (i + 1 == argc) {
        fputs("pronk bench: --work needs a text, as in --work \"aba coman\"\n", stderr);
        return 2;
      }
      options.work = argv[++i];
    } else if (strncmp(word, "--work=", 7) == 0) {
      options.work = word + 7;
    } else if (strcmp(word, "--report") == 0) {
      if (i + 1 == argc) {
        fputs("pronk bench: --report needs a folder, as in --report out\n", stderr);
        return 2;
      }
      options.report = argv[++i];
    } else if (strncmp(word, "--report=", 9) == 0) {
      options.report = word + 9;
    } else if (*word == '-') {
      return unknown_option(word);
    } else {
      if (chosen) {
        fputs("pronk bench: one bench at a time\n", stderr);
        return 2;
      }
      chosen = find_bench(word);
      if (!chosen) {
        return unknown_bench(word);
      }
    }
  }
  if (chosen && options.report && !chosen->save) {
    fprintf(stderr, "pronk bench: %s has no report (batch and scaling have)\n", chosen->name);
    return 2;
  }
  if (chosen) {
    return run_one(chosen, &options, out);
  }
  int worst = 0;
  for (int k = 0; k < BENCH_COUNT; k++) {
    const int code = run_one(&benches[k], &options, out);
    worst = code > worst ? code : worst;
  }
  return worst;
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Holds the text, but not as the beginning of a longer number: chain-10 is not chain-100. */
bool pki_bench_wants(const pki_bench_options *options, const char *work)
{
  if (!options->work) {
    return true;
  }
  const size_t length = strlen(options->work);
  for (const char *at = work; (at = strstr(at, options->work)) != NULL && *at; at++) {
    if (length == 0 || !is_digit(at[length - 1]) || !is_digit(at[length])) {
      return true;
    }
  }
  return false;
}

void pki_bench_progress(const char *text)
{
  if (!isatty(fileno(stderr))) {
    return;
  }
  fprintf(stderr, "\r\033[K%s", text ? text : "");
  fflush(stderr);
}

void pki_bench_announce(pki_bench_report *report, int works, double seconds)
{
  report->begun = 0, report->works = works, report->start = pki_clock();
  if (seconds >= 60) {
    pki_bench_progress(NULL);
    fprintf(stderr, "pronk bench %s: %d work%s, about %.0f min; --work picks some, --quick is short\n",
            report->bench, works, works == 1 ? "" : "s", ceil(seconds / 60));
  }
}

void pki_bench_next_work(pki_bench_report *report, const char *name)
{
  enum { WIDTH = 24 };
  char line[160], left[40] = "", bar[WIDTH + 1];
  const int done = report->begun++, total = report->works, full = total > 0 ? WIDTH * done / total : 0;
  for (int i = 0; i < WIDTH; i++) {
    bar[i] = i < full ? '#' : '.';
  }
  bar[WIDTH] = '\0';
  if (done > 0) {
    snprintf(left, sizeof left, ", %.0f s left", (pki_clock() - report->start) * (total - done) / done);
  }
  snprintf(line, sizeof line, "[%s] %d/%d %s%s", bar, done, total, name, left);
  pki_bench_progress(line);
}

pki_bench_result *pki_bench_add_result(pki_bench_report *report)
{
  const size_t count = (size_t)report->nresult + 1;
  pki_bench_result *grown = realloc(report->results, count * sizeof *grown);
  if (!grown) {
    return NULL;
  }
  report->results = grown;
  grown[count - 1] = (pki_bench_result){0};
  report->nresult++;
  return &grown[count - 1];
}

void pki_bench_add_ratios(pki_bench_report *report, int first, bool times)
{
  double fastest = NAN;
  for (int i = first; i < report->nresult; i++) {
    const pki_bench_result *r = &report->results[i];
    if (strcmp(r->engine, "mujoco") == 0) {
      fastest = times ? fmin(fastest, r->median) : fmax(fastest, r->median);
    }
  }
  for (int i = first; i < report->nresult; i++) {
    pki_bench_result *r = &report->results[i];
    r->ratio = times ? fastest / r->median : r->median / fastest;
  }
}

void pki_bench_add_note(pki_bench_report *report, const char *format, ...)
{
  char text[sizeof *report->notes];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  for (int i = 0; i < report->nnote; i++) {
    if (strcmp(report->notes[i], text) == 0) {
      return;
    }
  }
  char(*grown)[sizeof *report->notes] = realloc(report->notes, ((size_t)report->nnote + 1) * sizeof text);
  if (!grown) {
    return;
  }
  report->notes = grown;
  memcpy(grown[report->nnote++], text, sizeof text);
}
