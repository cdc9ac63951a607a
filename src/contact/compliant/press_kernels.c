/* Which variant of the patches' kernel runs: the one of the dynamics kernels. */
#include "contact/compliant/press_kernels.h"

#include <string.h>

#include "dynamics/kernels.h"
#include "math/variants.h"

#define DECLARE(isa, name) extern const pki_press_kernels pki_##name##_##isa##_8;
#define LIST(isa, name) &pki_##name##_##isa##_8,
PKI_EACH_ISA(DECLARE, press_kernels)

static const pki_press_kernels *const variants[] = {PKI_EACH_ISA(LIST, press_kernels)};
enum { VARIANT_COUNT = sizeof variants / sizeof variants[0] };

const pki_press_kernels *pki_press_kernels_find(const char *isa)
{
  const pki_press_kernels *found = NULL;
  for (int i = 0; i < VARIANT_COUNT && pki_kernels_find(isa, 1) != NULL; i++) {
    found = strcmp(variants[i]->isa, isa) == 0 ? variants[i] : found;
  }
  return found;
}

const pki_press_kernels *pki_press_kernels_get(void)
{
  return pki_press_kernels_find(pki_kernels_get(1)->isa);
}
