/* Which variant of the dense kernels runs: the one of the dynamics kernels. */
#include "contact/linear/dense_kernels.h"

#include <string.h>

#include "dynamics/kernels.h"
#include "math/variants.h"

#define DECLARE(isa, name) extern const pki_dense_kernels pki_##name##_##isa##_1;
#define LIST(isa, name) &pki_##name##_##isa##_1,
PKI_EACH_ISA(DECLARE, dense_kernels)

static const pki_dense_kernels *const variants[] = {PKI_EACH_ISA(LIST, dense_kernels)};
enum { VARIANT_COUNT = sizeof variants / sizeof variants[0] };

const pki_dense_kernels *pki_dense_kernels_find(const char *isa)
{
  const pki_dense_kernels *found = NULL;
  for (int i = 0; i < VARIANT_COUNT && pki_kernels_find(isa, 1) != NULL; i++) {
    found = strcmp(variants[i]->isa, isa) == 0 ? variants[i] : found;
  }
  return found;
}

const pki_dense_kernels *pki_dense_kernels_get(void)
{
  return pki_dense_kernels_find(pki_kernels_get(1)->isa);
}
