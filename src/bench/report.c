/* A report as a table for people and as JSON for machines. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/machine.h"

/* Numbers with three or four digits that count; a dash where there is none. */
static void print_number(FILE *out, int width, double value)
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

void pki_bench_print_table(const pki_bench_report *report, FILE *out)
{
  pki_machine machine;
  pki_machine_describe(&machine);
  fprintf(out, "pronk bench %s\n%s, %d cores, Pronk %s with %s kernels, built by %s\n", report->bench,
          machine.cpu, machine.cores, pk_version(), machine.isa, machine.compiler);

  fprintf(out, "\n%-18s %-15s %5s %10s %9s %8s %9s %9s  %s\n", "work", "engine", "lanes", "us/robot",
          "spread", "ratio", "us/link", "agreement", "what is called");
  const char *last = "";
  for (int i = 0; i < report->nresult; i++) {
    const pki_bench_result *r = &report->results[i];
    const bool is_new = strcmp(last, r->work) != 0;
    char engine[48];
    snprintf(engine, sizeof engine, "%s %s", r->engine, r->version);
    fprintf(out, "%s%-18s %-15s %5d", is_new && i > 0 ? "\n" : "", is_new ? r->work : "", engine, r->lanes);
    print_number(out, 10, r->per_robot);
    print_number(out, 9, r->spread / r->lanes);
    print_number(out, 8, r->ratio);
    print_number(out, 9, r->per_link);
    print_number(out, 9, r->agreement);
    fprintf(out, "  %s\n", r->config);
    last = r->work;
  }

  fputs("\nTimes are medians over rounds in which the engines take turns; spread is from the first to\n"
        "the third quartile. Ratio is to Pronk with one lane. Agreement is the largest relative\n"
        "difference from Pronk's answer over all states.\n",
        out);
  for (int i = 0; i < report->nnote; i++) {
    fprintf(out, "Note: %s\n", report->notes[i]);
  }
}

/* JSON has no NaN: null. */
static void add_number(cJSON *object, const char *name, double value)
{
  if (isfinite(value)) {
    cJSON_AddNumberToObject(object, name, value);
  } else {
    cJSON_AddNullToObject(object, name);
  }
}

static cJSON *result_object(const pki_bench_result *r)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "work", r->work);
  cJSON_AddStringToObject(object, "engine", r->engine);
  cJSON_AddStringToObject(object, "version", r->version);
  cJSON_AddStringToObject(object, "config", r->config);
  add_number(object, "lanes", r->lanes);
  add_number(object, "threads", r->threads);
  add_number(object, "median", r->median);
  add_number(object, "spread", r->spread);
  cJSON_AddStringToObject(object, "unit", "us/call");
  add_number(object, "per_robot", r->per_robot);
  add_number(object, "ratio", r->ratio);
  add_number(object, "agreement", r->agreement);
  add_number(object, "links", r->links);
  add_number(object, "per_link", r->per_link);
  return object;
}

static cJSON *machine_object(void)
{
  pki_machine machine;
  pki_machine_describe(&machine);
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "cpu", machine.cpu);
  add_number(object, "cores", machine.cores);
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
  cJSON *results = cJSON_AddArrayToObject(root, "results");
  for (int i = 0; i < report->nresult; i++) {
    cJSON_AddItemToArray(results, result_object(&report->results[i]));
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
