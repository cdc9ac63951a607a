/* Which variant of the kernels runs. */
#include "dynamics/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "math/variants.h"
#include "pronk/dynamics.h"

PKI_DECLARE_VARIANTS(pki_kernels, kernels)

static const pki_kernels *const variants[] = {PKI_VARIANTS(kernels)};

enum { VARIANT_COUNT = sizeof variants / sizeof variants[0] };

static int machine_supports(const char *isa)
{
#if defined(__x86_64__)
  if (strcmp(isa, "avx512") == 0) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
  }
  if (strcmp(isa, "avx2") == 0) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  }
#endif
  return strcmp(isa, "base") == 0;
}

const pki_kernels *pki_kernels_find(const char *isa, int lanes)
{
  const int count = lanes == 4 || lanes == 8 ? lanes : 1;
  for (int i = 0; i < VARIANT_COUNT; i++) {
    if (variants[i]->lanes == count && strcmp(variants[i]->isa, isa) == 0 && machine_supports(isa)) {
      return variants[i];
    }
  }
  return NULL;
}

const pki_kernels *pki_kernels_get(int lanes)
{
  const char *asked = getenv("PRONK_ISA");
  const pki_kernels *found = asked ? pki_kernels_find(asked, lanes) : NULL;
  for (int i = 0; i < VARIANT_COUNT && found == NULL; i++) {
    found = pki_kernels_find(variants[i]->isa, lanes);
  }
  return found;
}

const char *pk_isa_name(void)
{
  return pki_kernels_get(1)->isa;
}
