/* pronk schema: a JSON schema of scenarios, made of the field tables and registries that read them. Editors complete
 * and check with it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actuation/actuation.h"
#include "cli/cli.h"
#include "cli/print_json.h"
#include "cli/schema_values.h"
#include "pronk/pronk.h"
#include "scenario/section.h"
#include "step/world.h"

const pki_option pki_options_schema[] = {{0}};

/* ---- parts: lists and mappings with readers of their own ---- */

static cJSON *one_model(void)
{
  return pki_schema_either(pki_schema_text(1, 255), pki_schema_reference("model"));
}

static cJSON *models_schema(void)
{
  return pki_schema_list(one_model(), 1, 0);
}

static cJSON *coordinates_schema(void)
{
  cJSON *words = cJSON_CreateObject();
  cJSON_AddItemToObject(words, "enum",
                        cJSON_CreateStringArray((const char *const[]){"minimal", "maximal"}, 2));
  return pki_schema_either(words, pki_schema_list(pki_schema_text(1, 0), 0, 0));
}

static cJSON *terrain_schema(void)
{
  cJSON *o = cJSON_CreateObject(), *shapes = cJSON_AddArrayToObject(o, "oneOf");
  for (int i = 0; i < PKI_GROUND_COUNT; i++) {
    cJSON_AddItemToArray(shapes, pki_schema_reference(pki_field_word(&pki_solid_shape_fields[0], i)));
  }
  return pki_schema_list(o, 0, 0);
}

static cJSON *materials_schema(void)
{
  cJSON *o = pki_schema_map(pki_schema_reference("material"));
  cJSON_AddNumberToObject(o, "maxProperties", PKI_MATERIAL_MAX);
  return o;
}

static cJSON *compliance_schema(void)
{
  return pki_schema_map(pki_schema_reference("compliance"));
}

static cJSON *link_pairs(void)
{
  return pki_schema_list(pki_schema_list(pki_schema_text(1, 0), 2, 2), 0, 0);
}

/* A name alone, or one mapping for each controller. */
static cJSON *controller_schema(void)
{
  cJSON *o = cJSON_CreateObject(), *any = cJSON_AddArrayToObject(o, "anyOf");
  cJSON *names = cJSON_CreateObject(), *words = cJSON_AddArrayToObject(names, "enum");
  cJSON_AddItemToArray(any, names);
  for (int i = 0; pki_controllers[i] != NULL; i++) {
    char name[80];
    snprintf(name, sizeof name, "controller-%s", pki_controllers[i]->name);
    cJSON_AddItemToArray(words, cJSON_CreateString(pki_controllers[i]->name));
    cJSON_AddItemToArray(any, pki_schema_reference(name));
  }
  return o;
}

/* A list of changes of joints, and of actuators of all kinds. */
static cJSON *actuators_schema(void)
{
  cJSON *o = cJSON_CreateObject(), *any = cJSON_AddArrayToObject(o, "anyOf");
  cJSON_AddItemToArray(any, pki_schema_reference("actuator"));
  cJSON_AddItemToArray(any, pki_schema_reference("drives"));
  for (int i = 0; pki_actuators[i] != NULL; i++) {
    char name[80];
    snprintf(name, sizeof name, "actuator-%s", pki_actuators[i]->kind.name);
    cJSON_AddItemToArray(any, pki_schema_reference(name));
  }
  return pki_schema_list(o, 0, 0);
}

/* The kind of an actuator. */
static cJSON *kind_schema(void)
{
  cJSON *o = cJSON_CreateObject(), *words = cJSON_AddArrayToObject(o, "enum");
  for (int i = 0; pki_actuators[i] != NULL; i++) {
    cJSON_AddItemToArray(words, cJSON_CreateString(pki_actuators[i]->kind.name));
  }
  return o;
}

static cJSON *size_schema(void)
{
  return pki_schema_either(pki_schema_typed("number"), pki_schema_list(pki_schema_typed("number"), 1, 0));
}

static cJSON *joints_schema(void)
{
  return pki_schema_map(
      pki_schema_either(pki_schema_typed("number"), pki_schema_list(pki_schema_typed("number"), 1, 0)));
}

static cJSON *surfaces_schema(void)
{
  return pki_schema_map(pki_schema_either(pki_schema_text(1, 0), pki_schema_reference("surface")));
}

static cJSON *folders_schema(void)
{
  return pki_schema_list(pki_schema_text(1, 0), 0, 0);
}

static cJSON *heights_schema(void)
{
  return pki_schema_list(pki_schema_list(pki_schema_typed("number"), 2, 0), 2, 0);
}

static cJSON *drives_schema(void)
{
  return pki_schema_text(1, 0);
}

static cJSON *channels_schema(void)
{
  return pki_schema_list(pki_schema_text(1, 63), 0, 0);
}

static const struct {
  const char *key;
  cJSON *(*make)(void);
} parts[] = {
    {"actuators", actuators_schema},
    {"drives", drives_schema},
    {"kind", kind_schema},
    {"model", one_model},
    {"models", models_schema},
    {"coordinates", coordinates_schema},
    {"terrain", terrain_schema},
    {"materials", materials_schema},
    {"compliance", compliance_schema},
    {"ignore", link_pairs},
    {"force", link_pairs},
    {"controller", controller_schema},
    {"size", size_schema},
    {"joints", joints_schema},
    {"surfaces", surfaces_schema},
    {"heights", heights_schema},
    {"channels", channels_schema},
    {"package_paths", folders_schema},
};

/* What has no row is a section by its tables, or a list of names (of a controller). */
static cJSON *part_schema(const pk_field *f)
{
  const pki_section *section = pki_section_find(f->name);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (strcmp(parts[i].key, f->name) == 0) {
      return parts[i].make();
    }
  }
  for (int i = 0; pki_controllers[i] != NULL; i++) {
    const pki_controller_list *list = pki_controllers[i]->list;
    if (list != NULL && strcmp(list->name, f->name) == 0) {
      return pki_schema_list(pki_schema_reference(list->name), 0, list->most);
    }
  }
  if (section != NULL) {
    cJSON *entry = pki_schema_reference(section->tables[0].name);
    return section->form == PKI_SECTION_IS_LIST ? pki_schema_list(entry, 0, 0) : entry;
  }
  return pki_schema_list(pki_schema_text(1, 63), (int)(f->least > 0 ? f->least : f->most), (int)f->most);
}

/* ---- mappings ---- */

/* The mapping of that name, by its first table and those that add to it. */
static cJSON *by_name(const char *name)
{
  cJSON *o = NULL;
  pki_schema_table t;
  for (int i = 0; pki_schema_get(i, &t); i++) {
    if (strcmp(t.name, name) == 0 && o == NULL) {
      o = pki_schema_mapping(t.doc, t.fields, *t.count, part_schema);
    } else if (strcmp(t.name, name) == 0) {
      pki_schema_add_fields(o, t.fields, *t.count, part_schema);
    }
  }
  return o;
}

/* A key that has one value here. */
static void fix_value(cJSON *o, const char *key, const char *only)
{
  cJSON *schema = cJSON_GetObjectItem(cJSON_GetObjectItem(o, "properties"), key);
  cJSON_DeleteItemFromObject(schema, "enum");
  cJSON_AddStringToObject(schema, "const", only);
}

/* `if` the kind is this, then the keys are required. */
static void add_rules(cJSON *model, cJSON *actuator, cJSON *constraint)
{
  cJSON *both = cJSON_AddObjectToObject(model, "not");
  cJSON_AddItemToObject(both, "required",
                        cJSON_CreateStringArray((const char *const[]){"quaternion", "rpy"}, 2));
  cJSON_AddNumberToObject(actuator, "minProperties", 2);
  cJSON *distance = cJSON_AddObjectToObject(constraint, "if");
  cJSON *kind = cJSON_AddObjectToObject(cJSON_AddObjectToObject(distance, "properties"), "kind");
  cJSON_AddStringToObject(kind, "const", "distance");
  cJSON *then = cJSON_AddObjectToObject(constraint, "then");
  cJSON_AddItemToObject(then, "required", cJSON_CreateStringArray((const char *const[]){"length"}, 1));
  cJSON *length = cJSON_AddObjectToObject(cJSON_AddObjectToObject(then, "properties"), "length");
  cJSON_AddNumberToObject(length, "exclusiveMinimum", 0);
  cJSON *otherwise = cJSON_AddObjectToObject(constraint, "else");
  cJSON_AddBoolToObject(cJSON_AddObjectToObject(otherwise, "properties"), "length", false);
}

/* `rule` ("oneOf", "anyOf"): an object needs one key of three. */
static void need_key(cJSON *object, const char *rule, const char *const keys[3])
{
  cJSON *choices = cJSON_AddArrayToObject(object, rule);
  for (int i = 0; i < 3; i++) {
    cJSON *needed = cJSON_CreateObject();
    cJSON_AddItemToObject(needed, "required", cJSON_CreateStringArray(&keys[i], 1));
    cJSON_AddItemToArray(choices, needed);
  }
}

/* Heights come from one of three places; shapes that are all size need it. */
static void add_ground_rules(cJSON *defs)
{
  static const char *const from[] = {"heights", "file", "function"};
  need_key(cJSON_GetObjectItem(defs, "heights"), "oneOf", from);
  for (int i = PKI_GROUND_SPHERE; i < PKI_GROUND_COUNT; i++) {
    cJSON *shape = cJSON_GetObjectItem(defs, pki_field_word(&pki_solid_shape_fields[0], i));
    cJSON_AddItemToArray(cJSON_GetObjectItem(shape, "required"), cJSON_CreateString("size"));
  }
}

/* Beside `drives` stand parameters of the kinds that its file has, which is not known here: a key that several kinds have takes anything. */
static void add_drives_parameters(cJSON *defs, const pki_actuator_row *row)
{
  cJSON *own = cJSON_GetObjectItem(cJSON_GetObjectItem(defs, "drives"), "properties");
  char text[80];
  snprintf(text, sizeof text, "actuator-%s", row->kind.name);
  const cJSON *all = cJSON_GetObjectItem(cJSON_GetObjectItem(defs, text), "properties");
  for (int k = 0; k < row->nfield; k++) {
    const char *key = row->fields[k].name;
    if (cJSON_GetObjectItem(own, key) != NULL) {
      cJSON_ReplaceItemInObject(own, key, cJSON_CreateObject());
    } else {
      cJSON_AddItemToObject(own, key, cJSON_Duplicate(cJSON_GetObjectItem(all, key), true));
    }
  }
}

/* An actuator has a kind, or a motor that implies one. */
static void add_actuator_rules(cJSON *defs)
{
  static const char *const drives = "drives";
  cJSON_ReplaceItemInObject(cJSON_GetObjectItem(defs, drives), "required",
                            cJSON_CreateStringArray(&drives, 1));
  for (int i = 0; pki_actuators[i] != NULL; i++) {
    static const char *const motor = "motor", *const kind = "kind";
    const char *const name = pki_actuators[i]->kind.name;
    const bool of_catalogue = strcmp(name, "dc") == 0 || strcmp(name, "torque") == 0;
    char text[80];
    snprintf(text, sizeof text, "actuator-%s", name);
    cJSON *o = cJSON_GetObjectItem(defs, text), *any = cJSON_AddArrayToObject(o, "anyOf");
    fix_value(o, "kind", name);
    add_drives_parameters(defs, pki_actuators[i]);
    for (int e = 0; e < 1 + of_catalogue; e++) {
      cJSON *needed = cJSON_CreateObject();
      cJSON_AddItemToObject(needed, "required", cJSON_CreateStringArray(e == 0 ? &kind : &motor, 1));
      cJSON_AddItemToArray(any, needed);
    }
  }
}

static void add_definitions(cJSON *defs)
{
  pki_schema_table t;
  for (int i = 1; pki_schema_get(i, &t); i++) { /* the first is the whole file */
    if (cJSON_GetObjectItem(defs, t.name) == NULL) {
      cJSON_AddItemToObject(defs, t.name, by_name(t.name));
    }
  }
  static const char *const acts[] = {"force", "torque", "file"};
  need_key(cJSON_GetObjectItem(defs, "push"), "anyOf", acts);
  add_rules(cJSON_GetObjectItem(defs, "model"), cJSON_GetObjectItem(defs, "actuator"),
            cJSON_GetObjectItem(defs, "constraint"));
  for (int i = 0; i < PKI_GROUND_COUNT; i++) {
    const char *shape = pki_field_word(&pki_solid_shape_fields[0], i);
    fix_value(cJSON_GetObjectItem(defs, shape), "shape", shape);
  }
  add_ground_rules(defs);
  add_actuator_rules(defs);
  for (int i = 0; pki_controllers[i] != NULL; i++) {
    const pki_controller_row *row = pki_controllers[i];
    char name[80];
    snprintf(name, sizeof name, "controller-%s", row->name);
    cJSON *o = pki_schema_mapping(row->doc, pki_controller_name_fields, pki_controller_name_field_count,
                                  part_schema);
    pki_schema_add_fields(o, row->fields, row->nfield, part_schema);
    fix_value(o, "name", row->name);
    cJSON_AddItemToObject(defs, name, o);
    if (row->list != NULL) {
      cJSON_AddItemToObject(
          defs, row->list->name,
          pki_schema_mapping("an entry of the list", row->list->fields, *row->list->nfield, part_schema));
    }
  }
}

/* ---- the whole ---- */

static cJSON *scenario_schema(void)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "$schema", "https://json-schema.org/draft/2020-12/schema");
  cJSON_AddStringToObject(o, "title", "Pronk scenario");
  char version[64];
  snprintf(version, sizeof version, "made by pronk %s", pk_version());
  cJSON_AddStringToObject(o, "$comment", version);
  cJSON *whole = by_name("scenario");
  pk_field keys[PKI_SECTIONS_MAX];
  pki_schema_add_fields(whole, keys, pki_section_fields(keys), part_schema);
  for (cJSON *child = whole != NULL ? whole->child : NULL; child != NULL;) {
    cJSON *next = child->next;
    char key[64];
    snprintf(key, sizeof key, "%s", child->string);
    cJSON_AddItemToObject(o, key, cJSON_DetachItemViaPointer(whole, child));
    child = next;
  }
  cJSON_Delete(whole);
  /* model or models or objects, but not both of the first */
  static const char *const who[] = {"model", "models", "objects"};
  need_key(o, "anyOf", who);
  cJSON_AddItemToObject(cJSON_AddObjectToObject(o, "not"), "required", cJSON_CreateStringArray(who, 2));
  add_definitions(cJSON_AddObjectToObject(o, "$defs"));
  return o;
}

int pki_command_schema(const pki_args *args)
{
  static const char *const words[] = {"scenario", "gait", "sizing"};
  if (args->nword > 1) {
    pki_complain("schema", "one schema at a time: scenario (default), gait or sizing");
    return PKI_EXIT_USAGE;
  }
  const int chosen = args->nword == 0 ? 0 : pki_args_choice(args, "schema", args->words[0], words, 3);
  if (chosen < 0) {
    return PKI_EXIT_USAGE;
  }
  cJSON *schema = chosen == 0   ? scenario_schema()
                  : chosen == 1 ? pki_schema_of_gait()
                                : pki_schema_of_sizing();
  return pki_json_print(schema, true, "schema") ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}
