/* Whether something was made for a model: legs, code, controllers and states keep the hash of theirs. */
#ifndef PKI_MODEL_MATCH_H
#define PKI_MODEL_MATCH_H

#include "pronk/model.h"
#include "pronk/status.h"

/* PK_ERROR_ARGUMENT at `field`, "WHAT is of another model: ...", unless `made_for` is the model's hash. */
pk_status pki_model_match(const pk_model *model, unsigned long long made_for, const char *field,
                          const char *what, pk_error *err);

#endif
