/* The JSON schema of gait files, made of the tables that read them. */
#include <string.h>

#include "cli/schema_values.h"
#include "optimize/files/gait_file.h"
#include "pronk/pronk.h"
#include "scenario/section.h"

/* A number, or [least, most]. */
static cJSON *range_schema(void)
{
  return pki_schema_either(pki_schema_typed("number"), pki_schema_list(pki_schema_typed("number"), 2, 2));
}

static cJSON *names_schema(void)
{
  return pki_schema_list(pki_schema_text(1, 0), 0, 0);
}

static cJSON *numbers_by_name(void)
{
  return pki_schema_map(pki_schema_typed("number"));
}

static cJSON *pair_schema(void)
{
  return pki_schema_list(pki_schema_typed("number"), 2, 2);
}

static cJSON *model_schema(void)
{
  return pki_schema_either(pki_schema_text(1, 255), pki_schema_reference("model"));
}

static cJSON *list_of_feet(void)
{
  cJSON *foot = pki_schema_either(pki_schema_text(1, PKI_MOTION_NAME - 1), pki_schema_reference("foot"));
  return pki_schema_list(foot, 0, PKI_MOTION_FEET);
}

static cJSON *list_of_phases(void)
{
  return pki_schema_list(pki_schema_reference("phase"), 1, PKI_MOTION_PHASES);
}

static cJSON *list_of_limits(void)
{
  return pki_schema_list(pki_schema_reference("limit"), 0, 0);
}

static cJSON *list_of_motors(void)
{
  return pki_schema_list(pki_schema_reference("motor"), 0, 0);
}

static cJSON *list_of_actuators(void)
{
  return pki_schema_list(pki_schema_reference("actuator"), 0, 0);
}

static cJSON *list_of_gaps(void)
{
  return pki_schema_list(pki_schema_reference("gap"), 0, PKI_MOTION_GAPS);
}

static cJSON *list_of_designs(void)
{
  return pki_schema_list(pki_schema_reference("design"), 0, PKI_MOTION_DESIGNS);
}

static const struct {
  const char *key;
  cJSON *(*make)(void);
} parts[] = {
    {"model", model_schema},          {"feet", list_of_feet},     {"lock", names_schema},
    {"stance", names_schema},         {"stride", range_schema},   {"period", range_schema},
    {"duration", range_schema},       {"travel", pair_schema},    {"joints", numbers_by_name},
    {"phases", list_of_phases},       {"limits", list_of_limits}, {"motors", list_of_motors},
    {"velocities", numbers_by_name},  {"gaps", list_of_gaps},     {"design", list_of_designs},
    {"actuators", list_of_actuators},
};

/* What has no row is a mapping by the table of that name. */
static cJSON *part_schema(const pk_field *f)
{
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (strcmp(parts[i].key, f->name) == 0) {
      return parts[i].make();
    }
  }
  return pki_schema_reference(f->name);
}

/* A part of the section `model`, which scenarios share: poses, folders, surfaces. */
static cJSON *model_part(const pk_field *f)
{
  return strcmp(f->name, "package_paths") == 0 ? names_schema()
         : strcmp(f->name, "joints") == 0      ? pki_schema_map(range_schema())
                                               : pki_schema_map(pki_schema_text(1, 0));
}

/* Joints or links of a design parameter: a name, or several. */
static cJSON *design_part(const pk_field *f)
{
  (void)f;
  return pki_schema_either(pki_schema_text(1, 0), names_schema());
}

/* Keys of a table that have to be there beside those that it requires itself. */
static void require_keys(cJSON *defs, const char *table, const char *const *keys, int count)
{
  cJSON *required = cJSON_GetObjectItem(cJSON_GetObjectItem(defs, table), "required");
  for (int i = 0; i < count; i++) {
    cJSON_AddItemToArray(required, cJSON_CreateString(keys[i]));
  }
}

cJSON *pki_schema_of_gait(void)
{
  pki_schema_table t;
  pki_gait_table(0, &t);
  cJSON *o = pki_schema_mapping("what `pronk optimize` reads", t.fields, *t.count, part_schema);
  cJSON_AddStringToObject(o, "$schema", "https://json-schema.org/draft/2020-12/schema");
  cJSON_AddStringToObject(o, "title", "Pronk gait");
  cJSON *required = cJSON_GetObjectItem(o, "required");
  cJSON_AddItemToArray(required, cJSON_CreateString("model"));
  /* one of phases and gait */
  static const char *const either[] = {"phases", "gait"};
  cJSON *one_of = cJSON_AddArrayToObject(o, "oneOf");
  for (int i = 0; i < 2; i++) {
    cJSON *needed = cJSON_CreateObject();
    cJSON_AddItemToObject(needed, "required", cJSON_CreateStringArray(&either[i], 1));
    cJSON_AddItemToArray(one_of, needed);
  }
  cJSON *defs = cJSON_AddObjectToObject(o, "$defs");
  for (int i = 1; pki_gait_table(i, &t); i++) {
    const bool design = strcmp(t.name, "design") == 0;
    cJSON_AddItemToObject(defs, t.name,
                          pki_schema_mapping(t.doc, t.fields, *t.count, design ? design_part : part_schema));
  }
  require_keys(defs, "phase", (const char *const[]){"stance", "duration"}, 2);
  require_keys(defs, "design", (const char *const[]){"what", "lower", "upper"}, 3);
  cJSON_AddItemToObject(defs, "actuator",
                        pki_schema_mapping("what drives joints, instead of what the model says",
                                           pki_actuator_change_fields, pki_actuator_change_field_count,
                                           part_schema));
  const pki_schema_table *model = pki_section_find("model")->tables;
  cJSON_AddItemToObject(defs, "model",
                        pki_schema_mapping(model->doc, model->fields, *model->count, model_part));
  return o;
}
