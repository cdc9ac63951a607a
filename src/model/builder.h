/* What a builder collects: descriptions in the order they came, and remarks. Loaders add
 * to it through the public functions; the compiler (compile.c) reads it. */
#ifndef PKI_MODEL_BUILDER_H
#define PKI_MODEL_BUILDER_H

#include "base/error.h"
#include "pronk/builder.h"

/* A remark at a place in the user's input. Errors beyond PKI_DIAGNOSTIC_MAX are dropped. */
enum { PKI_DIAGNOSTIC_MAX = 200 };

__attribute__((format(printf, 4, 5))) void pki_builder_warn(pk_builder *b, pk_status status, pki_where where,
                                                            const char *format, ...);
__attribute__((format(printf, 4, 5))) void pki_builder_error(pk_builder *b, pk_status status, pki_where where,
                                                             const char *format, ...);

/* How many errors have been reported so far, and the first one at or after index `from`. */
int pki_builder_error_count(const pk_builder *b);

/* Remember how much there is; go back to it, keeping the diagnostics (a loader that fails). */
typedef struct pki_builder_mark {
  int nrobot, nlink, njoint, nshape, nmesh;
} pki_builder_mark;

pki_builder_mark pki_builder_get_mark(const pk_builder *b);
void pki_builder_rollback(pk_builder *b, pki_builder_mark mark);

#endif
