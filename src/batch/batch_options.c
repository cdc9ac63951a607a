#include <stddef.h>

#include "batch/batch.h"

const pk_field pki_batch_fields[] = {
    {"worlds", offsetof(pk_batch_options, worlds), PK_FIELD_INT, "", 1, 1, 1e9, NULL, "how many worlds"},
    {"lanes", offsetof(pk_batch_options, lanes), PK_FIELD_INT, "", 0, 0, 8, NULL,
     "worlds at once in a processor's vectors: 1, 4 or 8; 0: what suits the machine"},
    {"threads", offsetof(pk_batch_options, threads), PK_FIELD_INT, "", 0, 0, 4096, NULL,
     "threads; 0: one for each processor"},
    {"keep", offsetof(pk_batch_options, keep), PK_FIELD_INT, "", 0, 0, 100000, NULL,
     "contacts that a world remembers from step to step; 0: 24 for each robot and object"},
};
const int pki_batch_field_count = sizeof pki_batch_fields / sizeof pki_batch_fields[0];

pk_batch_options pk_batch_options_default(void)
{
  pk_batch_options o;
  pki_fields_default(pki_batch_fields, pki_batch_field_count, &o, sizeof o);
  o.sim = pk_sim_options_default();
  return o;
}

pk_status pk_batch_options_validate(const pk_batch_options *o, pk_error *err)
{
  const pk_status status = pki_fields_validate(pki_batch_fields, pki_batch_field_count, o, err);
  if (status != PK_OK) {
    return status;
  }
  if (o->lanes != 0 && o->lanes != 1 && o->lanes != 4 && o->lanes != 8) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "lanes"},
                    "lanes is %d, expected 1, 4 or 8, or 0 for what suits the machine", o->lanes);
  }
  return pk_sim_options_validate(&o->sim, err);
}
