/* JSON on stdout. */
#ifndef PKI_CLI_PRINT_JSON_H
#define PKI_CLI_PRINT_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "pronk/builder.h"

/* Print and delete; false after a complaint when memory is out. `pretty`: over several lines. */
bool pki_json_print(cJSON *json, bool pretty, const char *command);

/* Numbers that JSON cannot hold (infinite, not a number) become null. */
void pki_json_number(cJSON *object, const char *name, double value);
void pki_json_array(cJSON *object, const char *name, const double *values, int count);

/* {file, line, field, message} */
cJSON *pki_json_error(const pk_error *err);

#endif
