#include "serve/live_parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "step/world.h"

/* Whoever asks for a key with dots in a name would get another one. */
static bool add_parameter(pki_parameter *p, const char *prefix, const pk_field *field, const void *options)
{
  if (field == NULL || (field->type != PK_FIELD_REAL && field->type != PK_FIELD_INT)) {
    return false;
  }
  *p = (pki_parameter){.field = field, .value = pki_field_get(field, options, 0)};
  const int n = snprintf(p->key, sizeof p->key, "%s%s", prefix, field->name);
  return n > 0 && (size_t)n < sizeof p->key;
}

/* Fields that the controller takes while a world runs. */
static bool is_live(const pki_controller_row *controller, const pk_field *field)
{
  for (int i = 0; controller->live != NULL && controller->live[i] != NULL; i++) {
    if (strcmp(controller->live[i], field->name) == 0) {
      return true;
    }
  }
  return false;
}

pki_parameter *pki_parameters_create(const pki_scenario *s, int *count)
{
  const int ncontroller = s->controller != NULL ? s->controller->nfield : 0;
  pki_parameter *list = calloc((size_t)(ncontroller + s->nmaterial) + 2, sizeof *list);
  *count = 0;
  if (list == NULL) {
    return NULL;
  }
  int n = 0;
  for (int i = 0; i < ncontroller; i++) {
    if (add_parameter(&list[n], "controller.", &s->controller->fields[i], s->controller_options)) {
      list[n].live = is_live(s->controller, list[n].field);
      n++;
    }
  }
  for (int i = 0; i < s->nmaterial; i++) {
    char prefix[96];
    const char *name = s->materials[i].name;
    const int size = snprintf(prefix, sizeof prefix, "materials.%s.", name);
    const pk_field *friction = pki_fields_find(pki_material_fields, pki_material_field_count, "friction");
    n += size > 0 && (size_t)size < sizeof prefix && strpbrk(name, ".=") == NULL &&
         add_parameter(&list[n], prefix, friction, &s->materials[i].material);
  }
  n += add_parameter(&list[n], "step.", pki_fields_find(pki_sim_fields, pki_sim_field_count, "dt"), &s->step);
  n += add_parameter(&list[n], "", pki_fields_find(pki_scenario_fields, pki_scenario_field_count, "duration"),
                     s);
  *count = n;
  return list;
}

pk_status pki_parameters_find(pki_parameter *parameters, int count, const char *key, pki_parameter **out,
                              pk_error *err)
{
  enum { MOST = 256 };
  const char *words[MOST];
  int nword = 0;
  for (int i = 0; i < count; i++) {
    if (strcmp(parameters[i].key, key) == 0) {
      *out = &parameters[i];
      return PK_OK;
    }
    if (nword < MOST) {
      words[nword++] = parameters[i].key;
    }
  }
  const char *nearest = pki_nearest_word(key, words, nword);
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "key"},
                  "'%s' is no parameter that can be changed here%s%s%s", key,
                  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

pk_status pki_parameter_read(const pki_parameter *parameter, const char *text, double *out, pk_error *err)
{
  const pk_field *f = parameter->field;
  const char *cursor = text, *const end = text + strlen(text);
  const bool number = pki_parse_real(&cursor, end, out) && cursor == end && !isnan(*out);
  if (!number || !(*out >= f->least && *out <= f->most) || (f->type == PK_FIELD_INT && *out != floor(*out))) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = parameter->key},
                    "'%s', expected a%s from %g to %g%s%s", text,
                    f->type == PK_FIELD_INT ? " whole number" : " number", f->least, f->most,
                    f->unit[0] != '\0' ? " " : "", f->unit);
  }
  return PK_OK;
}

void pki_parameters_json(const pki_parameter *parameters, int count, pki_text *out)
{
  pki_text_add(out, "[");
  for (int i = 0; i < count; i++) {
    const pki_parameter *p = &parameters[i];
    pki_text_addf(out, "%s{\"key\":", i > 0 ? "," : "");
    pki_text_add_json_string(out, p->key);
    pki_text_add(out, ",\"value\":");
    pki_text_add_json_number(out, p->value);
    pki_text_add(out, ",\"least\":");
    pki_text_add_json_number(out, p->field->least);
    pki_text_add(out, ",\"most\":");
    pki_text_add_json_number(out, p->field->most);
    pki_text_add(out, ",\"unit\":");
    pki_text_add_json_string(out, p->field->unit);
    pki_text_add(out, ",\"doc\":");
    pki_text_add_json_string(out, p->field->doc);
    pki_text_addf(out, ",\"integer\":%s,\"live\":%s}", p->field->type == PK_FIELD_INT ? "true" : "false",
                  p->live ? "true" : "false");
  }
  pki_text_add(out, "]");
}
