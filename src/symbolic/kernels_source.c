#include "symbolic/kernels_source.h"

#include "base/error.h"

pk_status pki_kernels_source(const pk_model *model, pki_text *source, pk_error *err)
{
  (void)model, (void)source;
  return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "model"}, "no code is written for models yet");
}
