/* Robots that are compiled before they run: what the user is told about it. */
#include <stdio.h>

#include "cli/cmd_check.h"
#include "cli/terminal.h"

typedef struct telling {
  const pki_world *world;
  bool told;
} telling;

static void tell_compiling(void *user, int lanes)
{
  telling *t = user;
  (void)lanes;
  if (!t->told && pki_progress_start().shown) {
    const pk_model *m = t->world->model;
    fprintf(stderr, "compiling %s's dynamics (once) ...\n", m->nrobot > 0 ? m->robots[0].name : "the world");
  }
  t->told = true;
}

void pki_compile_world(const char *command, pki_world *world, int lanes)
{
  telling t = {.world = world};
  pk_code_options options = pk_code_options_default();
  options.lanes = lanes > 1 ? lanes : 0, options.compiling = tell_compiling, options.user = &t;
  pki_world_compile(world, &options);
  if (world->not_compiled[0] != '\0') {
    fprintf(stderr, "pronk %s: warning: dynamics are generic: %s\n", command, world->not_compiled);
  } else if (world->code != NULL && pk_code_get_info(world->code)->warning[0] != '\0') {
    fprintf(stderr, "pronk %s: warning: %s\n", command, pk_code_get_info(world->code)->warning);
  }
}
