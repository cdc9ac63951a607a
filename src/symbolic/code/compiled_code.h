/* Compiled robots: source to functions.
 *
 *   source (kernels_source.h)  ->  key  ->  cache (code_cache.h)  ->  memory  ->  functions (dynamics/code.h)
 *                                    |          ^
 *                                    +-> compiler (code_compiler.h)
 *
 * Each lane count is a shared object of its own, so that only what is needed is compiled. */
#ifndef PKI_SYMBOLIC_CODE_COMPILED_CODE_H
#define PKI_SYMBOLIC_CODE_COMPILED_CODE_H

#include "base/field.h"
#include "base/text.h"
#include "pronk/code.h"

/* Writes the source of a model: pki_kernels_source, or a test's function. */
typedef pk_status (*pki_code_writer)(const pk_model *model, pki_text *source, pk_error *err);

pk_status pki_code_open(const pk_model *model, const pk_code_options *options, pki_code_writer write,
                        pk_code **out, pk_error *err);

/* The field table of pk_code_options, but for what is no number. */
extern const pk_field pki_code_fields[];
extern const int pki_code_field_count;

#endif
