/* Which variant of the locomotion's lane code runs: the one of the dynamics kernels. */
#include "gait/gait_kernels.h"

#include <string.h>

#include "dynamics/kernels.h"
#include "math/variants.h"

PKI_DECLARE_VARIANTS(pki_gait_kernels, gait_kernels)

static const pki_gait_kernels *const variants[] = {PKI_VARIANTS(gait_kernels)};
enum { VARIANT_COUNT = sizeof variants / sizeof variants[0] };

const pki_gait_kernels *pki_gait_kernels_find(const char *isa, int lanes)
{
  const pki_gait_kernels *found = NULL;
  for (int i = 0; i < VARIANT_COUNT && pki_kernels_find(isa, lanes) != NULL; i++) {
    found = variants[i]->lanes == lanes && strcmp(variants[i]->isa, isa) == 0 ? variants[i] : found;
  }
  return found;
}

const pki_gait_kernels *pki_gait_kernels_get(int lanes)
{
  return pki_gait_kernels_find(pki_kernels_get(lanes)->isa, lanes);
}
