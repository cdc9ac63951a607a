#include "run/single_run.h"

static pk_status run_world(const pki_single_run *a, pki_world *world, pk_error *err)
{
  pki_run_options options = a->options;
  options.bound = options.bound > 0 ? options.bound : world->scenario->certify;
  pki_world_compile(world, NULL);
  if (a->made != NULL) {
    a->made(a->user, world);
  }
  pki_run_result result = {0};
  const pk_status status = pki_run(world, &options, &result, err);
  if (status == PK_OK && a->ran != NULL) {
    a->ran(a->user, world, &result);
  }
  pki_run_result_free(&result);
  return status;
}

pk_status pki_run_single(const pki_single_run *run_once, bool *refused, pk_error *err)
{
  const pki_single_run *a = run_once;
  pki_scenario *scenario = NULL;
  pki_world world = {0};
  pk_status status = a->text != NULL
                         ? pki_scenario_parse(a->file, a->text, a->size, a->sets, a->nset, &scenario, err)
                         : pki_scenario_load(a->file, a->sets, a->nset, &scenario, err);
  status = status == PK_OK ? pki_world_create(scenario, &world, err) : status;
  *refused = status != PK_OK && status != PK_ERROR_MEMORY;
  status = status == PK_OK ? run_world(a, &world, err) : status;
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return status;
}
