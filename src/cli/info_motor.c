/* pronk info of a motor: its numbers, what follows from them, and its line. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd_info.h"
#include "cli/motor_plot.h"
#include "cli/print_json.h"
#include "cli/terminal.h"
#include "report/table.h"
#include "scenario/motor_line.h"

/* ---- what follows ---- */

typedef struct derived_row {
  const char *key, *label, *unit;
  size_t line;         /* in pki_motor_line */
  ptrdiff_t published; /* in pki_motor_published, -1: never */
} derived_row;

#define LINE(member) offsetof(pki_motor_line, member)
#define PUBLISHED(member) (ptrdiff_t) offsetof(pki_motor_published, member)
static const derived_row derived[] = {
    {"no_load_speed", "speed at no load", "rad/s", LINE(no_load_speed), PUBLISHED(no_load_speed)},
    {"stall_torque", "torque at standstill, by voltage", "N m", LINE(stall_torque), PUBLISHED(stall_torque)},
    {"current_torque", "torque at the largest current", "N m", LINE(current_torque), -1},
    {"peak_torque", "largest torque", "N m", LINE(peak_torque), PUBLISHED(peak_torque)},
    {"full_speed", "up to", "rad/s", LINE(full_speed), -1},
    {"power", "largest power", "W", LINE(power), -1},
    {"continuous_torque", "torque for long, by continuous_current", "N m", LINE(continuous_torque),
     PUBLISHED(continuous_torque)},
    {"heat_torque", "torque for long, by heat", "N m", LINE(heat_torque), PUBLISHED(continuous_torque)},
    {"heat_current", "current for long, by heat", "A", LINE(heat_current), -1},
    {"armature", "inertia at the output", "kg m²", LINE(armature), -1},
    {"electrical_time", "electrical time constant L/R", "s", LINE(electrical_time), -1},
    {"mechanical_time", "mechanical time constant J R/K²", "s", LINE(mechanical_time), -1},
    {"winding_time", "thermal time constant of the winding", "s", LINE(winding_time), -1},
    {"housing_time", "thermal time constant of the housing", "s", LINE(housing_time), -1},
};
enum { DERIVED = sizeof derived / sizeof derived[0] };

static double number_at(const void *base, size_t offset)
{
  double value;
  memcpy(&value, (const char *)base + offset, sizeof value);
  return value;
}

/* What the source says of it; 0: nothing. */
static double published_of(const derived_row *row, const pki_motor_entry *m)
{
  return row->published >= 0 ? number_at(&m->published, (size_t)row->published) : 0;
}

/* ---- the numbers of the file ---- */

static const pk_field *kind_fields(const pki_motor_entry *m, int *count)
{
  const bool dc = m->kind == PKI_MOTOR_KIND_DC;
  *count = dc ? pki_motor_dc_field_count : pki_motor_torque_field_count;
  return dc ? pki_motor_dc_fields : pki_motor_torque_fields;
}

/* Numbers for which 0 means that nobody knows. The gear and its efficiency, and the air, always have a value. */
static bool is_unknown(const pk_field *f, const pki_motor_entry *m)
{
  return f->preset == 0 && pki_field_get(f, m, 0) == 0;
}

/* The air matters to a motor whose heat is known. */
static bool is_idle(const pk_field *f, const pki_motor_entry *m)
{
  return m->motor.winding_capacity == 0 &&
         (strcmp(f->name, "ambient") == 0 || strcmp(f->name, "derating") == 0);
}

static void add_numbers(const pki_motor_entry *m, pki_text *out)
{
  int count;
  const pk_field *fields = kind_fields(m, &count);
  pki_table table;
  pki_table_begin(&table, (const char *const[]){"key", "value", "unit", "what"}, 4);
  const pk_field *const others[] = {pki_fields_find(pki_motor_fields, pki_motor_field_count, "mass"),
                                    pki_fields_find(pki_motor_fields, pki_motor_field_count, "price")};
  for (int i = 0; i < count + 2; i++) {
    const pk_field *f = i < count ? &fields[i] : others[i - count];
    char value[32];
    snprintf(value, sizeof value, "%.6g", pki_field_get(f, m, 0));
    if (!is_unknown(f, m) && !is_idle(f, m)) {
      pki_table_row(&table, (const char *const[]){f->name, value, f->unit, f->doc});
    }
  }
  pki_table_text(&table, "  ", true, out);
  pki_table_free(&table);
  bool first = true;
  for (int i = 0; i < count + 2; i++) {
    const pk_field *f = i < count ? &fields[i] : others[i - count];
    if (is_unknown(f, m)) {
      pki_text_addf(out, "%s%s", first ? "  not known: " : ", ", f->name);
      first = false;
    }
  }
  pki_text_add(out, first ? "" : " (taken as 0, limits as none)\n");
}

static void add_derived(const pki_motor_entry *m, const pki_motor_line *line, pki_text *out)
{
  pki_table table;
  pki_table_begin(&table, (const char *const[]){"what follows, at the output", "value", "unit", "published"},
                  4);
  for (int i = 0; i < DERIVED; i++) {
    const double value = number_at(line, derived[i].line), published = published_of(&derived[i], m);
    char number[32], other[32] = "";
    snprintf(number, sizeof number, "%.4g", value);
    if (published > 0) {
      snprintf(other, sizeof other, "%.4g", published);
    }
    if (value > 0) { /* not NAN */
      pki_table_row(&table, (const char *const[]){derived[i].label, number, derived[i].unit, other});
    }
  }
  pki_text_add(out, "\n");
  pki_table_text(&table, "  ", true, out);
  pki_table_free(&table);
}

static void add_sources(const char *sources, pki_text *out)
{
  pki_text_add(out, sources[0] != '\0' ? "\n  Sources\n" : "");
  while (*sources != '\0') {
    const int size = (int)strcspn(sources, "\n");
    pki_text_addf(out, "    %.*s\n", size, sources);
    sources += size + (sources[size] == '\n');
  }
}

static bool print_text(const pki_motor_entry *m)
{
  const pki_motor_line line = pki_motor_line_of(m);
  pki_text text = {0};
  pki_text_addf(&text, "%s  %s\n\n  %s\n", m->id, m->path, m->name);
  pki_text_addf(&text, "  maker  %s\n", m->maker);
  if (m->about[0] != '\0') {
    pki_text_addf(&text, "  what   %s\n", m->about);
  }
  pki_text_addf(&text, "  kind   %s\n  data   %s\n\n", pki_motor_kind_words[m->kind],
                pki_motor_data_words[m->data]);
  add_numbers(m, &text);
  add_derived(m, &line, &text);
  pki_text_add(&text, "\n");
  pki_motor_plot(m, &text);
  add_sources(m->sources, &text);
  const bool good = !text.failed;
  if (!good) {
    pki_complain("info", "out of memory");
  }
  pki_print_clean(&text);
  return good;
}

/* ---- for machines ---- */

/* Zeros that stand for unknown numbers are null. */
static void add_fields(cJSON *o, const pk_field *fields, int count, const pki_motor_entry *m)
{
  for (int i = 0; i < count; i++) {
    pki_json_number(o, fields[i].name, is_unknown(&fields[i], m) ? NAN : pki_field_get(&fields[i], m, 0));
  }
}

static bool print_json(const pki_motor_entry *m)
{
  const pki_motor_line line = pki_motor_line_of(m);
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "motor", m->id);
  cJSON_AddStringToObject(o, "file", m->path);
  cJSON_AddStringToObject(o, "name", m->name);
  cJSON_AddStringToObject(o, "maker", m->maker);
  cJSON_AddStringToObject(o, "about", m->about);
  cJSON_AddStringToObject(o, "kind", pki_motor_kind_words[m->kind]);
  cJSON_AddStringToObject(o, "data", pki_motor_data_words[m->data]);
  int count;
  const pk_field *fields = kind_fields(m, &count);
  cJSON *values = cJSON_AddObjectToObject(o, "values"), *follows = cJSON_AddObjectToObject(o, "derived");
  add_fields(values, fields, count, m);
  pki_json_number(values, "mass", m->mass > 0 ? m->mass : NAN);
  pki_json_number(values, "price", m->price > 0 ? m->price : NAN);
  for (int i = 0; i < DERIVED; i++) {
    pki_json_number(follows, derived[i].key, number_at(&line, derived[i].line));
  }
  add_fields(cJSON_AddObjectToObject(o, "published"), pki_motor_published_fields,
             pki_motor_published_field_count, m);
  cJSON_AddStringToObject(o, "sources", m->sources);
  return pki_json_print(o, true, "info");
}

int pki_info_motor(const pki_args *args, const char *name)
{
  pki_motor_entry motor;
  pk_error err = {0};
  const pk_status status = pki_motor_load(name, &motor, &err);
  if (status != PK_OK) {
    pki_complain_error("info", &err);
    return pki_exit_of_input(status);
  }
  return (args->json ? print_json(&motor) : print_text(&motor)) ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}
