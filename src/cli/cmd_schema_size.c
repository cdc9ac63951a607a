/* The JSON schema of sizing studies, made of the tables that read them. */
#include <string.h>

#include "cli/schema_values.h"
#include "size/size_study.h"

/* A name or pattern, or a list of them. */
static cJSON *names_schema(void)
{
  return pki_schema_either(pki_schema_text(1, 0), pki_schema_list(pki_schema_text(1, 0), 1, 0));
}

static cJSON *gears_schema(void)
{
  return pki_schema_list(pki_schema_either(pki_schema_typed("number"), pki_schema_reference("gear")), 0,
                         PKI_SIZE_GEARS);
}

static cJSON *part_schema(const pk_field *f)
{
  const char *name = f->name;
  return strcmp(name, "motions") == 0    ? pki_schema_list(pki_schema_reference("motion"), 1, 0)
         : strcmp(name, "drives") == 0   ? pki_schema_list(pki_schema_reference("drive"), 1, 0)
         : strcmp(name, "present") == 0  ? pki_schema_list(pki_schema_reference("present"), 0, 0)
         : strcmp(name, "gears") == 0    ? gears_schema()
         : strcmp(name, "voltages") == 0 ? pki_schema_list(pki_schema_typed("number"), 0, PKI_SIZE_VOLTAGES)
         : strcmp(name, "set") == 0      ? pki_schema_list(pki_schema_text(1, 0), 0, 0)
         : strcmp(name, "rank") == 0     ? pki_schema_reference("rank")
                                         : names_schema();
}

/* One of these keys is there, and no other of them. */
static void require_one(cJSON *mapping, const char *const *keys, int count)
{
  cJSON *one_of = cJSON_AddArrayToObject(mapping, "oneOf");
  for (int i = 0; i < count; i++) {
    cJSON *needed = cJSON_CreateObject();
    cJSON_AddItemToObject(needed, "required", cJSON_CreateStringArray(&keys[i], 1));
    cJSON_AddItemToArray(one_of, needed);
  }
}

cJSON *pki_schema_of_sizing(void)
{
  static const char *const whole[] = {"motions", "drives"}, *const drive[] = {"joints", "motors"};
  pki_schema_table t;
  pki_size_table(0, &t);
  cJSON *o = pki_schema_mapping(t.doc, t.fields, *t.count, part_schema);
  cJSON_AddStringToObject(o, "$schema", "https://json-schema.org/draft/2020-12/schema");
  cJSON_AddStringToObject(o, "title", "Pronk sizing study");
  cJSON_DeleteItemFromObject(o, "required");
  cJSON_AddItemToObject(o, "required", cJSON_CreateStringArray(whole, 2));
  cJSON *defs = cJSON_AddObjectToObject(o, "$defs");
  for (int i = 1; pki_size_table(i, &t); i++) {
    cJSON_AddItemToObject(defs, t.name, pki_schema_mapping(t.doc, t.fields, *t.count, part_schema));
  }
  cJSON *of_drive = cJSON_GetObjectItem(defs, "drive"), *of_motion = cJSON_GetObjectItem(defs, "motion");
  cJSON_DeleteItemFromObject(of_drive, "required");
  cJSON_AddItemToObject(of_drive, "required", cJSON_CreateStringArray(drive, 2));
  static const char *const masses[] = {"mass", "motor"};
  require_one(of_motion, pki_size_source_words, PKI_SIZE_SOURCES);
  require_one(cJSON_GetObjectItem(defs, "present"), masses, 2);
  return o;
}
