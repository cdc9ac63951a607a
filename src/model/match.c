#include "model/match.h"

#include "base/error.h"

pk_status pki_model_match(const pk_model *model, unsigned long long made_for, const char *field,
                          const char *what, pk_error *err)
{
  const unsigned long long hash = pk_model_hash(model);
  if (made_for == hash) {
    return PK_OK;
  }
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = field},
                  "%s is of another model: of one with the hash %016llx, this one has %016llx", what,
                  made_for, hash);
}
