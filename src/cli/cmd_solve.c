/* pronk solve: saved contact problems, one solver or all of them. cmd_solve_lcp.c has the complementarity problems. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/clock.h"
#include "cli/cmd_solve.h"
#include "cli/print_json.h"
#include "cli/terminal.h"
#include "contact/lcp/lcp.h"
#include "contact/solvers/solver.h"
#include "pronk/contact_file.h"
#include "report/table.h"

/* s that a solver has: published problems of hundreds of contacts take seconds. */
static const double time_limit = 60;

/* Each option but the switches and --impulses is a field of pk_solver_options, with dashes for underscores. */
const pki_option pki_options_solve[] = {
    {"solver", 0, "NAME", "method (pronk list solvers, default: auto; for .lcp lcp-solvers, default: lemke)"},
    {"tolerance", 0, "T", "relative residual to reach (default: 1e-8)"},
    {"max-iterations", 0, "N", "sweeps, Newton steps or pivots (default: 20000)"},
    {"alpha", 0, "A", "relaxation of jor and sor (default: chosen from W)"},
    {"stop", 0, "RULE", "when jor, sor, bgs and pgs stop: residual, or change (default: residual)"},
    {"change-rel", 0, "T",
     "with --stop change: part of an impulse that a sweep may change (default: 1e-6, .lcp: 1e-12)"},
    {"change-abs", 0, "T", "with --stop change: N s that it may change besides (default: 1e-6)"},
    {"succession", 0, "ORDER",
     "order in which jor and sor project: fine (normal, then tangents) or contact (default: fine)"},
    {"bilateral-direct", 0, "BOOL",
     "true: jor and sor solve bilateral rows exactly in each sweep (default: false)"},
    {"time-limit", 0, "S", "s after which a solver stops with the best so far, 0: never (default: 60)"},
    {"regularisation", 0, "R",
     "of .lcp: Tikhonov, R on the diagonal of M to solve; judged without (default: 0)"},
    {"stance", 0, NULL, "solve where feet stand: FILE is a model"},
    {"trunk", 0, "X,Y,Z[,R,P,Y]",
     "of a stance: the trunk's place in m, roll, pitch and yaw in rad (default: legs well bent)"},
    {"foot", 0, "LINK=X,Y,Z",
     "of a stance: where this foot stands, m; may be repeated (default: below its hip)"},
    {"feet", 0, "LINK,...", "of a stance: which feet stand (default: all legs)"},
    {"all", 0, NULL, "try every solver that works from W"},
    {"impulses", 0, "[=FILE]", "print impulses and velocities of every row, or write them to FILE"},
    {0},
};

/* One solver on one problem. */
typedef struct outcome {
  pk_solver_result result;
  double *r, *u; /* [size] impulses, and the velocities that they leave */
  double seconds;
  pk_solver solver;
  bool converged;
} outcome;

/* Options from the command line, by a field table; `path` is a file that asks for it. */
static int read_options(const pki_args *args, const char *path, const pk_field *fields, int count, void *out)
{
  for (int i = 0; i < args->ngiven; i++) {
    if (args->given[i].value == NULL || strcmp(args->given[i].name, "impulses") == 0) {
      continue;
    }
    char name[64];
    pk_error err = {0};
    snprintf(name, sizeof name, "%s", args->given[i].name);
    for (char *dash = strchr(name, '-'); dash != NULL; dash = strchr(dash, '-')) {
      *dash = '_';
    }
    if (pki_fields_find(fields, count, name) == NULL) {
      const bool contact = fields == pki_solver_fields;
      pki_complain("solve", "%s: --%s is for %s; %s have no use for it", path, args->given[i].name,
                   contact ? ".lcp files" : "contact problems", contact ? "contact problems" : ".lcp files");
      return PKI_EXIT_USAGE;
    }
    if (pki_fields_parse(fields, count, out, name, args->given[i].value, &err) != PK_OK) {
      pki_complain("solve", "%s: %s", path, err.message); // which names the option
      return PKI_EXIT_USAGE;
    }
  }
  return PKI_EXIT_OK;
}

/* Solve from zero impulses; false after a complaint when memory is out. The outcome is freed in any case. */
static bool solve_contact_problem(const pk_contact_problem *p, const pk_solver_options *options, outcome *out)
{
  *out = (outcome){.solver = options->solver};
  const size_t n = (size_t)pk_contact_size(p);
  out->r = calloc(n + 1, sizeof *out->r), out->u = calloc(n + 1, sizeof *out->u);
  void *memory = pki_aligned_alloc(pk_contact_solve_memsize(p, options));
  const bool good = out->r != NULL && out->u != NULL && memory != NULL;
  if (good) {
    const double start = pki_clock();
    out->converged = pk_contact_solve(p, options, out->r, memory, &out->result) == PK_OK;
    out->seconds = pki_clock() - start;
    pk_contact_velocity(p, out->r, out->u);
  } else {
    pki_complain("solve", "out of memory");
  }
  pki_aligned_free(memory);
  return good;
}

static void free_outcome(outcome *o)
{
  free(o->r);
  free(o->u);
}

/* ---- what is printed ---- */

static const struct {
  const char *name, *label;
  size_t offset;
} parts[] = {
    {"unilateral", "unilateral law", offsetof(pk_contact_certificate, unilateral)},
    {"disc", "friction disc", offsetof(pk_contact_certificate, disc)},
    {"dissipation", "dissipation", offsetof(pk_contact_certificate, dissipation)},
    {"bilateral", "bilateral rows", offsetof(pk_contact_certificate, bilateral)},
    {"box", "box rows", offsetof(pk_contact_certificate, box)},
};

enum { PARTS = sizeof parts / sizeof parts[0] };

static double part_of(const pk_contact_certificate *c, int part)
{
  double value;
  memcpy(&value, (const char *)c + parts[part].offset, sizeof value);
  return value;
}

bool pki_solve_print(pki_table *table)
{
  pki_text text = {0};
  pki_table_text(table, "  ", true, &text);
  const bool good = !text.failed;
  if (good) {
    printf("\n%s", text.data);
  } else {
    pki_complain("solve", "out of memory");
  }
  pki_text_free(&text);
  pki_table_free(table);
  return good;
}

/* What was found, where it is asked for: printed as text, or into the file. */
static bool put_impulses(pki_solve_sink *sink, const char *path, const pki_found *found, const outcome *o,
                         bool json)
{
  if (!sink->wanted) {
    return true;
  }
  if (json && sink->path != NULL) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "file", path);
    cJSON_AddStringToObject(object, "solver", pk_solver_name(o->solver));
    cJSON_AddBoolToObject(object, "converged", o->converged);
    pki_found_json(found, object);
    return pki_sink_put_json(sink, object);
  }
  if (json) {
    return true; /* beside the result */
  }
  pki_text text = {0};
  pki_found_text(found, &text);
  return pki_sink_put(sink, path, pk_solver_name(o->solver), &text);
}

static bool print_json(const char *path, const pki_found *found, const outcome *o, bool with_impulses)
{
  const pk_contact_problem *p = found->p;
  const pk_contact_certificate *c = &o->result.certificate;
  cJSON *json = cJSON_CreateObject();
  cJSON_AddStringToObject(json, "file", path);
  cJSON_AddStringToObject(json, "solver", pk_solver_name(o->solver));
  cJSON_AddStringToObject(json, "used", pk_solver_name(o->result.used));
  cJSON_AddBoolToObject(json, "converged", o->converged);
  cJSON_AddStringToObject(json, "law", pk_judged_law_name(c->law));
  pki_json_number(json, "residual", c->residual);
  pki_json_number(json, "relative", c->relative);
  cJSON_AddNumberToObject(json, "iterations", o->result.iterations);
  pki_json_number(json, "time_s", o->seconds);
  cJSON_AddNumberToObject(json, "worst", c->worst);
  for (int i = 0; i < PARTS; i++) {
    pki_json_number(json, parts[i].name, part_of(c, i));
  }
  pki_json_number(json, "siconos", c->siconos);
  cJSON_AddBoolToObject(json, "timed_out", o->result.timed_out);
  cJSON_AddNumberToObject(json, "dimension", found->dimension);
  cJSON_AddNumberToObject(json, "contacts", p->ncontact);
  cJSON_AddNumberToObject(json, "bilateral_rows", p->nbilateral);
  cJSON_AddNumberToObject(json, "box_rows", p->nbox);
  if (with_impulses) {
    pki_found_json(found, json);
  }
  return pki_json_print(json, false, "solve");
}

static void print_shape(const char *path, const pk_contact_problem *p, int dimension)
{
  const pki_palette c = pki_palette_for(stdout);
  const int n = pk_contact_size(p);
  const double places = (double)n * n;
  const double stored = p->W_col ? p->W_row[n] : places;
  printf("%s%s%s\n  %d contact%s%s, %d bilateral row%s, %d box row%s; W %d by %d, %.3g %% stored\n", c.bold,
         path, c.plain, p->ncontact, p->ncontact == 1 ? "" : "s",
         dimension == 2 ? " in the plane, embedded" : "", p->nbilateral, p->nbilateral == 1 ? "" : "s",
         p->nbox, p->nbox == 1 ? "" : "s", n, n, places > 0 ? 100 * stored / places : 100);
}

/* Which contact or row the residual is at. */
static void worst_place(const pk_contact_problem *p, int worst, char *out, size_t size)
{
  const int nc = 3 * p->ncontact;
  const bool contact = worst >= 0 && worst < nc, bilateral = worst >= nc && worst < nc + p->nbilateral;
  if (worst < 0) {
    snprintf(out, size, "%s", "");
  } else if (contact) {
    snprintf(out, size, ", worst at contact %d", worst / 3);
  } else {
    snprintf(out, size, ", worst at %s row %d", bilateral ? "bilateral" : "box",
             worst - nc - (bilateral ? 0 : p->nbilateral));
  }
}

static void print_text(const pk_contact_problem *p, const outcome *o, const pk_solver_options *options)
{
  const pki_palette c = pki_palette_for(stdout);
  const pk_contact_certificate *cert = &o->result.certificate;
  const int has[PARTS] = {p->ncontact, p->ncontact, p->ncontact, p->nbilateral, p->nbox};
  char place[64], used[64] = "", stopped[64] = "";
  worst_place(p, cert->worst, place, sizeof place);
  if (o->result.used != o->solver) {
    snprintf(used, sizeof used, " (%s found it)", pk_solver_name(o->result.used));
  }
  printf("\n  %-17s %s%s\n", "solver", pk_solver_name(o->solver), used);
  if (o->result.timed_out) {
    snprintf(stopped, sizeof stopped, ", stopped after %g s", options->time_limit);
  }
  printf("  %-17s %s%s%s%s\n", "converged", o->converged ? c.green : c.red, o->converged ? "yes" : "no",
         c.plain, stopped);
  printf("  %-17s %d\n", "iterations", o->result.iterations);
  printf("  %-17s %.4g ms\n", "time", 1e3 * o->seconds);
  printf("  %-17s %s\n", "judged law", pk_judged_law_name(cert->law));
  printf("  %-17s %.3g m/s%s\n", "residual", cert->residual, place);
  printf("  %-17s %.3g, %s %.3g\n", "relative residual", cert->relative, o->converged ? "asked" : "but asked",
         options->tolerance);
  for (int i = 0; i < PARTS; i++) {
    if (has[i] > 0) {
      printf("    %-15s %.3g m/s\n", parts[i].label, part_of(cert, i));
    }
  }
  printf("  %-17s %.3g\n", "Siconos' measure", cert->siconos);
}

static bool print_table(const outcome *all, int count)
{
  const pki_palette c = pki_palette_for(stdout);
  pki_table table;
  pki_table_begin(&table,
                  (const char *const[]){"solver", "converged", "found by", "iterations", "time ms",
                                        "residual m/s", "relative", "Siconos"},
                  8);
  for (int i = 0; i < count; i++) {
    const outcome *o = &all[i];
    char verdict[32], iterations[32], time[32], residual[32], relative[32], siconos[32];
    snprintf(verdict, sizeof verdict, "%s%s%s", o->converged ? c.green : c.red,
             o->converged          ? "yes"
             : o->result.timed_out ? "no, time is up"
                                   : "no",
             c.plain);
    snprintf(iterations, sizeof iterations, "%d", o->result.iterations);
    snprintf(time, sizeof time, "%.4g", 1e3 * o->seconds);
    snprintf(residual, sizeof residual, "%.3g", o->result.certificate.residual);
    snprintf(relative, sizeof relative, "%.3g", o->result.certificate.relative);
    snprintf(siconos, sizeof siconos, "%.3g", o->result.certificate.siconos);
    pki_table_row(&table,
                  (const char *const[]){pk_solver_name(o->solver), verdict, pk_solver_name(o->result.used),
                                        iterations, time, residual, relative, siconos});
  }
  return pki_solve_print(&table);
}

/* ---- one file ---- */

static int solve_problem(const pki_args *args, const char *path, const pk_contact_file *file,
                         pk_solver_options options, pki_solve_sink *sink)
{
  const pk_contact_problem *p = pk_contact_file_problem(file);
  pki_found found = {.p = p, .dimension = pk_contact_file_dimension(file)};
  const bool all = pki_args_has(args, "all");
  outcome outcomes[PK_SOLVER_COUNT];
  int count = 0;
  bool solved = false, good = true;
  if (!all && !pk_solver_suits(options.solver, p)) {
    const char *name = pk_solver_name(options.solver); /* NAME-u, as all of them */
    pki_complain("solve", "%s: %s works from the factors of W, which files do not hold; take %.*s", path,
                 name, (int)strcspn(name, "-"), name);
    return PKI_EXIT_USAGE;
  }
  if (!args->json) {
    print_shape(path, p, found.dimension);
  }
  for (int s = 0; s < PK_SOLVER_COUNT && good; s++) {
    if (all ? !pk_solver_suits((pk_solver)s, p) : s != (int)options.solver) {
      continue; /* files hold W, not its factors */
    }
    pk_solver_options one = options;
    one.solver = (pk_solver)s;
    outcome *o = &outcomes[count++];
    good = solve_contact_problem(p, &one, o);
    found.r = o->r, found.u = o->u;
    good = good && (!args->json || print_json(path, &found, o, sink->wanted && sink->path == NULL));
    solved = solved || o->converged;
  }
  if (good && !args->json && all) {
    good = print_table(outcomes, count);
  } else if (good && !args->json) {
    print_text(p, &outcomes[0], &options);
  }
  for (int i = 0; i < count; i++) {
    found.r = outcomes[i].r, found.u = outcomes[i].u;
    if (all && good && sink->wanted && sink->path == NULL && !args->json) {
      printf("\n  %s\n", pk_solver_name(outcomes[i].solver));
    }
    good = good && put_impulses(sink, path, &found, &outcomes[i], args->json);
    free_outcome(&outcomes[i]);
  }
  return good && solved ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}

static bool is_lcp(const char *path)
{
  const char *dot = strrchr(path, '.');
  return dot != NULL && strcasecmp(dot, ".lcp") == 0;
}

static int solve_contact(const pki_args *args, const char *path, const pk_solver_options *options,
                         pki_solve_sink *sink, bool gap)
{
  pk_contact_file *file = NULL;
  pk_error err = {0};
  if (pk_contact_load(path, &file, &err) != PK_OK) {
    pki_complain_error("solve", &err);
    return PKI_EXIT_USAGE;
  }
  if (gap) {
    putchar('\n');
  }
  const int code = solve_problem(args, path, file, *options, sink);
  pk_contact_file_destroy(file);
  return code;
}

int pki_command_solve(const pki_args *args)
{
  pk_solver_options options = pk_solver_options_default();
  pk_lcp_options lcp = pk_lcp_options_default();
  pki_solve_sink sink = {.wanted = pki_args_has(args, "impulses"), .path = pki_args_value(args, "impulses")};
  if (pki_args_has(args, "stance")) {
    return pki_solve_stance(args);
  }
  static const char *const stances[] = {"trunk", "foot", "feet"};
  for (int i = 0; i < 3; i++) {
    if (pki_args_has(args, stances[i])) {
      pki_complain("solve", "--%s is for a stance: pronk solve --stance MODEL", stances[i]);
      return PKI_EXIT_USAGE;
    }
  }
  options.thorough = true;
  options.time_limit = lcp.time_limit = time_limit;
  if (args->nword == 0) {
    pki_complain("solve", "name a contact problem (.fc, .hdf5, .h5) or a complementarity problem (.lcp); "
                          "pronk solve --help shows examples");
    return PKI_EXIT_USAGE;
  }
  if (pki_args_has(args, "all") && pki_args_has(args, "solver")) {
    pki_complain("solve", "--all tries every solver; leave --solver out");
    return PKI_EXIT_USAGE;
  }
  /* each kind of problem has solvers of its own */
  for (int i = 0; i < args->nword; i++) {
    const char *path = args->words[i];
    if ((is_lcp(path) ? read_options(args, path, pki_lcp_fields, pki_lcp_field_count, &lcp)
                      : read_options(args, path, pki_solver_fields, pki_solver_field_count, &options)) !=
        PKI_EXIT_OK) {
      return PKI_EXIT_USAGE;
    }
  }
  int worst = PKI_EXIT_OK;
  for (int i = 0; i < args->nword; i++) {
    const bool gap = i > 0 && !args->json;
    const int code = is_lcp(args->words[i]) ? pki_solve_lcp(args, args->words[i], &lcp, &sink, gap)
                                            : solve_contact(args, args->words[i], &options, &sink, gap);
    worst = code > worst ? code : worst;
  }
  const int saved = pki_sink_save(&sink);
  return saved > worst ? saved : worst;
}
