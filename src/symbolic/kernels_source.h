/* The kernels of one model as C source: what compiled robots are made of (symbolic/code.h). */
#ifndef PKI_SYMBOLIC_KERNELS_SOURCE_H
#define PKI_SYMBOLIC_KERNELS_SOURCE_H

#include "base/text.h"
#include "pronk/model.h"

/* C source of all kernels of a model for one translation unit, compiled once per lane count with -DROBOT_LANES=1, 4 or 8;
 * needs nothing but libm. PK_ERROR_UNSUPPORTED: the model is of a kind that it does not know. */
pk_status pki_kernels_source(const pk_model *model, pki_text *source, pk_error *err);

#endif
