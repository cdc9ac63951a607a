#include "run/run_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/report_data.h"

/* What the recording tells by itself, when there is no summary of the run. */
static void plain_facts(const pki_report_source *s)
{
  static const char *const keys[] = {"version", "dt", "seed", "model_hash", NULL};
  char cell[64];
  pki_table table;
  pki_table_begin(&table, (const char *const[]){"quantity", "value"}, 2);
  snprintf(cell, sizeof cell, "%.6g s", s->to - s->from);
  pki_table_row(&table, (const char *const[]){"recorded", cell});
  for (int i = 0; keys[i] != NULL; i++) {
    const char *value = pk_recording_note(s->recording, keys[i]);
    if (value != NULL) {
      pki_table_row(&table, (const char *const[]){keys[i], value});
    }
  }
  pki_report_facts(s->report, &table);
  pki_table_free(&table);
}

static void scenario_section(const pki_report_source *s)
{
  const pk_recorder_attachment *scenario = pk_recording_attachment(s->recording, "scenario.yaml"),
                               *overrides = pk_recording_attachment(s->recording, "overrides.txt");
  if (scenario == NULL) {
    return;
  }
  pki_report_section(s->report, "scenario", "Scenario");
  if (overrides != NULL && overrides->size > 0) {
    pki_report_paragraph(s->report, "Run with these overrides (--set) of the file below:");
    pki_report_code(s->report, overrides->data, overrides->size);
  }
  pki_report_code(s->report, scenario->data, scenario->size);
}

static void versions_section(const pki_report_source *s)
{
  const pk_recording_about *about = pk_recording_get_about(s->recording);
  pki_table table;
  pki_table_begin(&table, (const char *const[]){"note", "value"}, 2);
  for (int i = 0; i < about->nnote; i++) {
    if (strcmp(about->notes[i].key, "description") != 0) { /* stands at the top */
      pki_table_row(&table, (const char *const[]){about->notes[i].key, about->notes[i].value});
    }
  }
  if (table.nrow > 1) {
    pki_report_section(s->report, "versions", "Versions");
    pki_report_table(s->report, &table);
  }
  pki_table_free(&table);
}

pk_status pki_report_run(const pk_recording *recording, const pki_table *summary, const char *path,
                         pk_error *err)
{
  static pk_status (*const sections[])(const pki_report_source *, pk_error *) = {
      pki_report_replay,    pki_report_trunk,  pki_report_estimate, pki_report_feet,
      pki_report_stability, pki_report_joints, pki_report_loads,    pki_report_energy,
      pki_report_actuators, pki_report_solver, pki_report_phase,
  };
  const char *name = pk_recording_note(recording, "scenario");
  pki_report report = {0};
  pki_report_source source;
  pki_report_begin(&report, name != NULL ? name : "run", pk_recording_note(recording, "description"));
  pk_status status = pki_report_open(recording, &report, &source, err);
  if (status == PK_OK) {
    if (!pk_recording_is_complete(recording)) {
      char text[96];
      snprintf(text, sizeof text, "The recording was cut off; it reaches to %.6g s.", source.to);
      pki_report_paragraph(&report, text);
    }
    if (summary != NULL) {
      pki_report_facts(&report, summary);
    } else {
      plain_facts(&source);
    }
    pki_report_contents(&report);
  }
  for (size_t i = 0; i < sizeof sections / sizeof sections[0] && status == PK_OK; i++) {
    status = sections[i](&source, err);
  }
  if (status == PK_OK) {
    scenario_section(&source);
    versions_section(&source);
    status = pki_report_save(&report, path, err);
  }
  pki_report_close(&source);
  pki_report_free(&report);
  return status;
}
