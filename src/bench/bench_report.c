/* A report as a table for people and as JSON for machines. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/machine.h"

/* Numbers with three or four digits that count; a dash where there is none. */
void pki_bench_print_number(FILE *out, int width, double value)
{
  if (isnan(value)) {
    fprintf(out, " %*s", width, "-");
  } else if (value == 0.0) {
    fprintf(out, " %*s", width, "0");
  } else if (fabs(value) < 1e-3) {
    fprintf(out, " %*.1e", width, value);
  } else {
    fprintf(out, " %*.*f", width, value < 1.0 ? 3 : value < 100.0 ? 2 : value < 1000.0 ? 1 : 0, value);
  }
}

/* The engine's name in the first line of its group, the work in the first of all. */
static void print_work(const pki_bench_result *results, int i, FILE *out)
{
  const bool is_new = i == 0 || strcmp(results[i - 1].work, results[i].work) != 0;
  char engine[48];
  snprintf(engine, sizeof engine, "%s %s", results[i].engine, results[i].version);
  fprintf(out, "%s%-18s %-20s", is_new && i > 0 ? "\n" : "", is_new ? results[i].work : "", engine);
}

static void head_dynamics(const pki_bench_report *report, FILE *out)
{
  (void)report;
  fprintf(out, "\n%-18s %-20s %5s %10s %9s %8s %9s %9s  %s\n", "work", "engine", "lanes", "us/robot",
          "spread", "ratio", "us/link", "agreement", "what is called");
}

static void row_dynamics(const pki_bench_report *report, int i, FILE *out)
{
  const pki_bench_result *r = &report->results[i];
  print_work(report->results, i, out);
  fprintf(out, " %5d", r->lanes);
  pki_bench_print_number(out, 10, r->per_robot);
  pki_bench_print_number(out, 9, r->spread / r->lanes);
  pki_bench_print_number(out, 8, r->ratio);
  pki_bench_print_number(out, 9, r->per_link);
  pki_bench_print_number(out, 9, r->agreement);
  fprintf(out, "  %s\n", r->config);
}

static const char dynamics_foot[] =
    "Times are medians over rounds in which the engines take turns; spread is from the first to\n"
    "the third quartile. Ratio is to Pronk with one lane. Agreement is the largest relative\n"
    "difference from Pronk's answer over all states.\n";

static void head_contact(const pki_bench_report *report, FILE *out)
{
  (void)report;
  fprintf(out, "\n%-18s %-20s %-26s %9s %8s %6s %8s %8s %9s %9s %9s %9s  %s\n", "work", "engine", "config",
          "steps/s", "spread", "ratio", "sink", "at rest", "drift", "creep", "residual", "median", "gains");
}

static void row_contact(const pki_bench_report *report, int i, FILE *out)
{
  const pki_bench_result *r = &report->results[i];
  const pki_bench_contact_figures *c = &r->contact;
  print_work(report->results, i, out);
  fprintf(out, " %-26s", r->config);
  if (c->fell) {
    fprintf(out, " %9s %8s %6s %8s %8s %9s %9s %9s %9s  %s\n", "fell", "-", "-", "-", "-", "-", "-", "-", "-",
            c->gains);
    return;
  }
  pki_bench_print_number(out, 9, r->median);
  pki_bench_print_number(out, 8, r->spread);
  pki_bench_print_number(out, 6, r->ratio);
  pki_bench_print_number(out, 8, c->sink_mm);
  pki_bench_print_number(out, 8, c->rest_sink_mm);
  pki_bench_print_number(out, 9, c->drift_um_per_min);
  pki_bench_print_number(out, 9, c->creep_um_per_s);
  pki_bench_print_number(out, 9, c->residual);
  pki_bench_print_number(out, 9, c->residual_median);
  fprintf(out, "  %s\n", c->gains);
}

static const char contact_foot[] =
    "Speeds are medians over rounds in which the engines take turns; spread is from the first to the\n"
    "third quartile. Ratio is to the fastest configuration of MuJoCo in the same work. Sink in mm (deepest\n"
    "foot, landing included; at rest), drift in um/min, creep in um/s, residual relative (worst step,\n"
    "median step) by Pronk's certificate on the engine's own velocities and forces.\n";

static void head_collision(const pki_bench_report *report, FILE *out)
{
  (void)report;
  fprintf(out, "\n%-18s %-20s %10s %8s %8s %9s %9s  %s\n", "work", "engine", "us", "spread", "ratio", "apart",
          "depth", "what is called");
}

static void row_collision(const pki_bench_report *report, int i, FILE *out)
{
  const pki_bench_result *r = &report->results[i];
  print_work(report->results, i, out);
  pki_bench_print_number(out, 10, r->median);
  pki_bench_print_number(out, 8, r->spread);
  pki_bench_print_number(out, 8, r->ratio);
  pki_bench_print_number(out, 9, r->agreement);
  pki_bench_print_number(out, 9, r->depth_agreement);
  fprintf(out, "  %s\n", r->config);
}

static const char collision_foot[] = "Times of one pair or of one update of all boxes, medians over rounds "
                                     "in which the engines take turns; spread\n"
                                     "is from the first to the third quartile. Ratio is to Pronk's time, "
                                     "among broad phases to that of the tree.\n"
                                     "Apart and depth: largest difference from Pronk's distances (m) where "
                                     "the shapes are apart and where they\n"
                                     "overlap; among broad phases, the part of the pairs that differ.\n";

static void head_record(const pki_bench_report *report, FILE *out)
{
  (void)report;
  fprintf(out, "\n%-18s %-36s %9s %8s %7s %7s %9s\n", "work", "recording", "us/step", "spread", "ratio",
          "share", "MB/s");
}

static void row_record(const pki_bench_report *report, int i, FILE *out)
{
  const pki_bench_result *r = &report->results[i];
  const bool is_new = i == 0 || strcmp(r[-1].work, r->work) != 0;
  fprintf(out, "%-18s %-36s", is_new ? r->work : "", r->config);
  pki_bench_print_number(out, 9, r->median);
  pki_bench_print_number(out, 8, r->spread);
  pki_bench_print_number(out, 7, r->ratio);
  pki_bench_print_number(out, 7, r->share);
  pki_bench_print_number(out, 9, r->megabytes);
  fputc('\n', out);
}

static const char record_foot[] =
    "Times of the whole run, medians over rounds in which the recordings take turns; spread is from the "
    "first\n"
    "to the third quartile. Ratio: median over rounds of the time to that without a recording in the same\n"
    "round. Share: what a step spends on the recording over what it spends on all else, measured inside "
    "runs.\n"
    "MB of the file for each second of the run.\n";

static void head_batch(const pki_bench_report *report, FILE *out)
{
  fprintf(out, "\none core: %.1f GFLOP/s, %.1f GB/s\n", report->peak.gflops, report->peak.bandwidth);
  fprintf(out, "\n%-32s %-13s %-26s %5s %9s %8s %6s %9s %8s %9s %7s %6s %8s %8s %7s  %s\n", "work", "engine",
          "config", "lanes", "steps/s", "spread", "ratio", "per cpu s", "cycles", "residual", "uncert",
          "alone", "bytes", "flop", "of peak", "gains");
}

static void row_batch(const pki_bench_report *report, int i, FILE *out)
{
  const pki_bench_result *r = &report->results[i];
  const pki_bench_batch_figures *b = &r->batch;
  const bool is_new = i == 0 || strcmp(r[-1].work, r->work) != 0;
  char engine[48];
  snprintf(engine, sizeof engine, "%s %s", r->engine, r->version);
  fprintf(out, "%s%-32s %-13s %-26s %5d", is_new && i > 0 ? "\n" : "", is_new ? r->work : "", engine,
          r->config, r->lanes);
  if (b->fell) {
    fprintf(out, " %9s\n", "fell");
    return;
  }
  pki_bench_print_number(out, 9, r->median);
  pki_bench_print_number(out, 8, r->spread);
  pki_bench_print_number(out, 6, r->ratio);
  pki_bench_print_number(out, 9, b->per_cpu);
  pki_bench_print_number(out, 8, b->cycles);
  pki_bench_print_number(out, 9, b->residual);
  pki_bench_print_number(out, 7, b->uncertified);
  pki_bench_print_number(out, 6, b->alone);
  pki_bench_print_number(out, 8, b->bytes);
  pki_bench_print_number(out, 8, b->flops);
  pki_bench_print_number(out, 7, b->of_peak);
  fprintf(out, "  %s\n", b->gains);
}

static const char batch_foot[] = "Steps/s counts steps of single robots: medians over rounds in which all "
                                 "take turns; spread is from the first\n"
                                 "to the third quartile. Ratio is to the fastest configuration of MuJoCo in "
                                 "the same work. Per cpu s: for each\n"
                                 "second of processor time, all threads together. Cycles (of the reference "
                                 "clock) and flop: of one step of one\n"
                                 "robot. Residual: the worst of all worlds and steps; uncert: steps above "
                                 "1e-6; alone: part of the steps that\n"
                                 "lanes could not do; bytes: of one world more.\n";

static void head_scaling(const pki_bench_report *report, FILE *out)
{
  (void)report;
  fprintf(out, "\n%-18s %-20s %-20s %6s %10s %9s %7s %8s\n", "work", "engine", "config", "dof", "us/step",
          "spread", "ratio", "exponent");
}

static void row_scaling(const pki_bench_report *report, int i, FILE *out)
{
  const pki_bench_result *r = &report->results[i];
  print_work(report->results, i, out);
  fprintf(out, " %-20s %6d", r->config, r->scaling.dof);
  pki_bench_print_number(out, 10, r->median);
  pki_bench_print_number(out, 9, r->spread);
  pki_bench_print_number(out, 7, r->ratio);
  pki_bench_print_number(out, 8, r->scaling.exponent);
  fputc('\n', out);
}

static const char scaling_foot[] =
    "Times of one step of the whole world, medians over rounds in which the engines take turns; spread is "
    "from\n"
    "the first to the third quartile. Ratio is the speed to that of MuJoCo's faster configuration. Exponent: "
    "the\n"
    "power of the size by which the time grows, over the larger half of the sizes.\n";

static const pki_bench_table *table_of(const pki_bench_report *report)
{
  static const pki_bench_table tables[] = {
      [PKI_BENCH_DYNAMICS] = {head_dynamics, row_dynamics, dynamics_foot},
      [PKI_BENCH_CONTACT] = {head_contact, row_contact, contact_foot},
      [PKI_BENCH_RECORD] = {head_record, row_record, record_foot},
      [PKI_BENCH_COLLISION] = {head_collision, row_collision, collision_foot},
      [PKI_BENCH_BATCH] = {head_batch, row_batch, batch_foot},
      [PKI_BENCH_SCALING] = {head_scaling, row_scaling, scaling_foot},
  };
  return report->kind == PKI_BENCH_ROBOTS     ? &pki_bench_robots_table
         : report->kind == PKI_BENCH_FEEDBACK ? &pki_bench_feedback_table
         : report->kind == PKI_BENCH_OPTIMIZE ? &pki_bench_optimize_table
                                              : &tables[report->kind];
}

static void print_head(const pki_bench_report *report, FILE *out)
{
  pki_machine machine;
  pki_machine_describe(&machine);
  fprintf(out, "pronk bench %s\n%s, %d cores, Pronk %s with %s kernels, built by %s\n", report->bench,
          machine.cpu, machine.cores, pk_version(), machine.isa, machine.compiler);
  table_of(report)->head(report, out);
}

void pki_bench_show(pki_bench_report *report)
{
  const pki_bench_table *table = table_of(report);
  if (!report->out || report->shown == report->nresult) {
    return;
  }
  pki_bench_progress(NULL);
  if (report->shown == 0) {
    print_head(report, report->out);
  }
  while (report->shown < report->nresult) {
    table->row(report, report->shown++, report->out);
  }
  fflush(report->out);
}

void pki_bench_end_table(pki_bench_report *report)
{
  if (report->nresult == 0) {
    print_head(report, report->out);
  }
  pki_bench_show(report);
  fprintf(report->out, "\n%s", table_of(report)->foot);
  for (int i = 0; i < report->nnote; i++) {
    fprintf(report->out, "Note: %s\n", report->notes[i]);
  }
}

/* JSON has no NaN: null. */
void pki_bench_add_number(cJSON *object, const char *name, double value)
{
  if (isfinite(value)) {
    cJSON_AddNumberToObject(object, name, value);
  } else {
    cJSON_AddNullToObject(object, name);
  }
}

static void add_contact(cJSON *object, const pki_bench_result *r)
{
  const pki_bench_contact_figures *c = &r->contact;
  pki_bench_add_number(object, "dt", c->dt);
  cJSON_AddStringToObject(object, "gains", c->gains);
  cJSON_AddBoolToObject(object, "fell", c->fell);
  pki_bench_add_number(object, "sink_mm", c->sink_mm);
  pki_bench_add_number(object, "rest_sink_mm", c->rest_sink_mm);
  pki_bench_add_number(object, "drift_um_per_min", c->drift_um_per_min);
  pki_bench_add_number(object, "creep_um_per_s", c->creep_um_per_s);
  pki_bench_add_number(object, "residual", c->residual);
  pki_bench_add_number(object, "residual_median", c->residual_median);
}

static void add_batch(cJSON *object, const pki_bench_result *r)
{
  const pki_bench_batch_figures *b = &r->batch;
  pki_bench_add_number(object, "worlds", b->worlds);
  pki_bench_add_number(object, "steps", b->steps);
  cJSON_AddStringToObject(object, "gains", b->gains);
  cJSON_AddBoolToObject(object, "fell", b->fell);
  pki_bench_add_number(object, "per_processor_second", b->per_cpu);
  pki_bench_add_number(object, "cycles_per_step", b->cycles);
  pki_bench_add_number(object, "residual", b->residual);
  pki_bench_add_number(object, "uncertified", b->uncertified);
  pki_bench_add_number(object, "alone", b->alone);
  pki_bench_add_number(object, "frozen", b->frozen);
  pki_bench_add_number(object, "bytes_per_world", b->bytes);
  pki_bench_add_number(object, "bytes_shared", b->shared);
  pki_bench_add_number(object, "resident_per_world", b->resident);
  pki_bench_add_number(object, "instructions_per_step", b->instructions);
  pki_bench_add_number(object, "flops_per_step", b->flops);
  pki_bench_add_number(object, "gflops", b->gflops);
  pki_bench_add_number(object, "of_peak", b->of_peak);
  pki_bench_add_number(object, "intensity", b->intensity);
}

static void add_scaling(cJSON *object, const pki_bench_result *r)
{
  cJSON_AddStringToObject(object, "series", r->scaling.series);
  pki_bench_add_number(object, "size", r->scaling.size);
  pki_bench_add_number(object, "dof", r->scaling.dof);
  pki_bench_add_number(object, "exponent", r->scaling.exponent);
}

static void add_feedback(cJSON *object, const pki_bench_feedback_figures *f)
{
  pki_bench_add_number(object, "worlds", f->worlds);
  pki_bench_add_number(object, "dt", f->dt);
  pki_bench_add_number(object, "us_per_step", f->per_step);
  pki_bench_add_number(object, "error", f->error);
  pki_bench_add_number(object, "slip_mm", f->slip_mm);
}

static void add_optimize(cJSON *object, const pki_bench_optimize_figures *f)
{
  pki_bench_add_number(object, "operations", f->operations);
  pki_bench_add_number(object, "entries", f->entries);
  pki_bench_add_number(object, "ns_per_operation", f->per_operation);
  if (f->iterations > 0) {
    cJSON_AddNumberToObject(object, "problems", f->problems);
    cJSON_AddNumberToObject(object, "iterations", f->iterations);
    cJSON_AddNumberToObject(object, "variables", f->variables);
    cJSON_AddNumberToObject(object, "rows", f->rows);
    pki_bench_add_number(object, "in_functions", f->in_functions);
    pki_bench_add_number(object, "last", f->last);
  }
}

static cJSON *result_object(const pki_bench_result *r, pki_bench_kind kind)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "work", r->work);
  cJSON_AddStringToObject(object, "engine", r->engine);
  cJSON_AddStringToObject(object, "version", r->version);
  cJSON_AddStringToObject(object, "config", r->config);
  pki_bench_add_number(object, "lanes", r->lanes);
  pki_bench_add_number(object, "threads", r->threads);
  pki_bench_add_number(object, "median", r->median);
  pki_bench_add_number(object, "spread", r->spread);
  cJSON_AddStringToObject(object, "unit", r->unit);
  pki_bench_add_number(object, "ratio", r->ratio);
  if (kind == PKI_BENCH_CONTACT) {
    add_contact(object, r);
    return object;
  }
  if (kind == PKI_BENCH_BATCH) {
    add_batch(object, r);
    return object;
  }
  if (kind == PKI_BENCH_ROBOTS) {
    pki_bench_add_robots(object, r);
    return object;
  }
  if (kind == PKI_BENCH_SCALING) {
    add_scaling(object, r);
    return object;
  }
  if (kind == PKI_BENCH_FEEDBACK) {
    add_feedback(object, &r->feedback);
    return object;
  }
  if (kind == PKI_BENCH_OPTIMIZE) {
    add_optimize(object, &r->optimize);
    return object;
  }
  if (kind == PKI_BENCH_RECORD) {
    pki_bench_add_number(object, "share", r->share);
    pki_bench_add_number(object, "megabytes_per_second", r->megabytes);
    return object;
  }
  if (kind == PKI_BENCH_COLLISION) {
    pki_bench_add_number(object, "agreement", r->agreement);
    pki_bench_add_number(object, "depth_agreement", r->depth_agreement);
    return object;
  }
  pki_bench_add_number(object, "per_robot", r->per_robot);
  pki_bench_add_number(object, "agreement", r->agreement);
  pki_bench_add_number(object, "links", r->links);
  pki_bench_add_number(object, "per_link", r->per_link);
  return object;
}

static cJSON *machine_object(void)
{
  pki_machine machine;
  pki_machine_describe(&machine);
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "cpu", machine.cpu);
  pki_bench_add_number(object, "cores", machine.cores);
  cJSON_AddStringToObject(object, "isa", machine.isa);
  cJSON_AddStringToObject(object, "compiler", machine.compiler);
  cJSON_AddStringToObject(object, "system", machine.system);
  cJSON_AddStringToObject(object, "pronk", pk_version());
  return object;
}

bool pki_bench_print_json(const pki_bench_report *report, FILE *out)
{
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "bench", report->bench);
  cJSON_AddItemToObject(root, "machine", machine_object());
  cJSON_AddBoolToObject(root, "agree", !report->failed);
  if (report->kind == PKI_BENCH_BATCH) {
    cJSON *core = cJSON_AddObjectToObject(root, "core");
    pki_bench_add_number(core, "peak_gflops", report->peak.gflops);
    pki_bench_add_number(core, "bandwidth_gb_per_s", report->peak.bandwidth);
    pki_bench_add_number(core, "reference_hz", report->peak.reference);
  }
  cJSON *results = cJSON_AddArrayToObject(root, "results");
  for (int i = 0; i < report->nresult; i++) {
    cJSON_AddItemToArray(results, result_object(&report->results[i], report->kind));
  }
  cJSON *notes = cJSON_AddArrayToObject(root, "notes");
  for (int i = 0; i < report->nnote; i++) {
    cJSON_AddItemToArray(notes, cJSON_CreateString(report->notes[i]));
  }
  char *text = cJSON_Print(root);
  const bool ok = text && fprintf(out, "%s\n", text) > 0;
  cJSON_free(text);
  cJSON_Delete(root);
  return ok;
}
