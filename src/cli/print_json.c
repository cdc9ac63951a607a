#include "cli/print_json.h"

#include <math.h>
#include <stdio.h>

#include "cli/cli.h"

bool pki_json_print(cJSON *json, bool pretty, const char *command)
{
  char *text = json == NULL ? NULL : pretty ? cJSON_Print(json) : cJSON_PrintUnformatted(json);
  cJSON_Delete(json);
  if (text == NULL) {
    pki_complain(command, "out of memory");
    return false;
  }
  puts(text);
  cJSON_free(text);
  return true;
}

static cJSON *number_or_null(double value)
{
  return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

void pki_json_number(cJSON *object, const char *name, double value)
{
  cJSON_AddItemToObject(object, name, number_or_null(value));
}

void pki_json_array(cJSON *object, const char *name, const double *values, int count)
{
  cJSON *array = cJSON_AddArrayToObject(object, name);
  for (int i = 0; i < count; i++) {
    cJSON_AddItemToArray(array, number_or_null(values[i]));
  }
}

cJSON *pki_json_error(const pk_error *err)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "file", err->file);
  cJSON_AddNumberToObject(o, "line", err->line);
  cJSON_AddStringToObject(o, "field", err->field);
  cJSON_AddStringToObject(o, "message", err->message[0] ? err->message : pk_status_text(err->status));
  return o;
}
