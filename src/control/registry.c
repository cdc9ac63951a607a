#include "control/registry.h"

#include <stdlib.h>

#include "base/error.h"

void pki_controller_destroy(pk_controller *controller)
{
  free(controller);
}

pk_status pki_fail_controller(pk_error *err, const char *function, const pk_controller *by, const char *maker)
{
  const bool named = by != NULL && by->name != NULL;
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "controller"},
                  "%s: the world has %s%s%s, expected a controller of %s", function,
                  by == NULL ? "no controller" : "the controller \"", named ? by->name : "",
                  by == NULL ? "" : "\"", maker);
}
