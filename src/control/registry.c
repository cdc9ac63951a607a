#include "control/registry.h"

#include <stdlib.h>

void pki_controller_destroy(pk_controller *controller)
{
  free(controller);
}
