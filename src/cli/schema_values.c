#include "cli/schema_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

cJSON *pki_schema_typed(const char *type)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "type", type);
  return o;
}

cJSON *pki_schema_text(int least, int most)
{
  cJSON *o = pki_schema_typed("string");
  if (least > 0) {
    cJSON_AddNumberToObject(o, "minLength", least);
  }
  if (most > 0) {
    cJSON_AddNumberToObject(o, "maxLength", most);
  }
  return o;
}

cJSON *pki_schema_list(cJSON *items, int least, int most)
{
  cJSON *o = pki_schema_typed("array");
  cJSON_AddItemToObject(o, "items", items);
  if (least > 0) {
    cJSON_AddNumberToObject(o, "minItems", least);
  }
  if (most > 0) {
    cJSON_AddNumberToObject(o, "maxItems", most);
  }
  return o;
}

/* A mapping from any name. */
cJSON *pki_schema_map(cJSON *values)
{
  cJSON *o = pki_schema_typed("object");
  cJSON_AddItemToObject(o, "additionalProperties", values);
  return o;
}

cJSON *pki_schema_reference(const char *name)
{
  char path[96];
  snprintf(path, sizeof path, "#/$defs/%s", name);
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "$ref", path);
  return o;
}

/* One or the other. */
cJSON *pki_schema_either(cJSON *one, cJSON *other)
{
  cJSON *o = cJSON_CreateObject(), *any = cJSON_AddArrayToObject(o, "anyOf");
  cJSON_AddItemToArray(any, one);
  cJSON_AddItemToArray(any, other);
  return o;
}

static cJSON *number_schema(const pk_field *f)
{
  cJSON *o = pki_schema_typed(f->type == PK_FIELD_INT ? "integer" : "number");
  if (isfinite(f->least)) {
    cJSON_AddNumberToObject(o, "minimum", f->least);
  }
  if (isfinite(f->most)) {
    cJSON_AddNumberToObject(o, "maximum", f->most);
  }
  return o;
}

static cJSON *value_of(const pk_field *f)
{
  const int width = pki_field_width(f);
  switch (f->type) {
  case PK_FIELD_BOOL: return pki_schema_typed("boolean");
  case PK_FIELD_TEXT: return pki_schema_text((int)f->least, (int)f->most);
  case PK_FIELD_ENUM:
  case PK_FIELD_ROW:
  case PK_FIELD_RENAMED_ROW: {
    cJSON *o = cJSON_CreateObject(), *words = cJSON_AddArrayToObject(o, "enum");
    for (int i = 0; i < pki_field_word_count(f); i++) {
      cJSON_AddItemToArray(words, cJSON_CreateString(pki_field_word(f, i)));
    }
    return o;
  }
  case PK_FIELD_VEC3:
  case PK_FIELD_VEC4: return pki_schema_list(number_schema(f), width, width);
  default: return number_schema(f);
  }
}

/* The default, where the table knows it: what depends on something else is told by the doc. */
static void add_default(cJSON *o, const pk_field *f)
{
  const int width = pki_field_width(f);
  if (pki_field_is_required(f) || strstr(f->doc, "default:") != NULL || f->type == PK_FIELD_TEXT ||
      f->type == PK_FIELD_PART || !isfinite(f->preset)) {
    return;
  }
  if (f->type == PK_FIELD_BOOL) {
    cJSON_AddBoolToObject(o, "default", f->preset != 0);
  } else if (pki_field_word_count(f) > 0) {
    cJSON_AddStringToObject(o, "default", pki_field_word(f, (int)f->preset));
  } else if (width == 1) {
    cJSON_AddNumberToObject(o, "default", f->preset);
  } else {
    const double values[4] = {f->preset, f->preset, f->preset, f->preset};
    cJSON_AddItemToObject(o, "default", cJSON_CreateDoubleArray(values, width));
  }
}

static void describe_schema(cJSON *o, const char *doc, const char *unit)
{
  char line[300];
  snprintf(line, sizeof line, "%s%s%s", doc, unit[0] != '\0' ? "; " : "", unit);
  cJSON_AddStringToObject(o, "description", line);
}

/* The keys of one table more. */
void pki_schema_add_fields(cJSON *o, const pk_field *fields, int count, pki_schema_part part)
{
  cJSON *properties = cJSON_GetObjectItem(o, "properties"), *required = cJSON_GetObjectItem(o, "required");
  for (int i = 0; i < count; i++) {
    const pk_field *f = &fields[i];
    cJSON *schema = f->type == PK_FIELD_PART ? part(f) : value_of(f);
    describe_schema(schema, f->doc, f->unit);
    add_default(schema, f);
    cJSON_AddItemToObject(properties, f->name, schema);
    if (pki_field_is_required(f)) {
      cJSON_AddItemToArray(required, cJSON_CreateString(f->name));
    }
  }
}

/* A mapping by one table; no other keys. */
cJSON *pki_schema_mapping(const char *doc, const pk_field *fields, int count, pki_schema_part part)
{
  cJSON *o = pki_schema_typed("object");
  cJSON_AddStringToObject(o, "description", doc);
  cJSON_AddBoolToObject(o, "additionalProperties", false);
  cJSON_AddArrayToObject(o, "required");
  cJSON_AddObjectToObject(o, "properties");
  pki_schema_add_fields(o, fields, count, part);
  return o;
}
