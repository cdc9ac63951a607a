/* A model by whatever a user calls it, into a builder. */
#ifndef PKI_MODEL_NAMED_H
#define PKI_MODEL_NAMED_H

#include "model/locate.h"
#include "pronk/model.h"

/* `name` is chain:N, or what pki_model_locate finds. `path` becomes its file, or the name itself where there is no
 * file. A chain is made at the origin, without a prefix: options that ask for more are an error. */
pk_status pki_builder_add_named(pk_builder *b, const char *name, const pk_load_options *options,
                                char path[PKI_PATH_MAX], pk_error *err);

#endif
