/* Which variant of the kernels runs. */
#include "dynamics/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "pronk/dynamics.h"

/* One row for each instruction set that the build has, best first. */
#define DECLARE(isa) \
  extern const pki_kernels pki_kernels_##isa##_1, pki_kernels_##isa##_4, pki_kernels_##isa##_8;
#define ROW(isa) {#isa, {&pki_kernels_##isa##_1, &pki_kernels_##isa##_4, &pki_kernels_##isa##_8}},

#ifdef PKI_HAVE_avx512
DECLARE(avx512)
#endif
#ifdef PKI_HAVE_avx2
DECLARE(avx2)
#endif
DECLARE(base)

typedef struct variant {
  const char *isa;
  const pki_kernels *kernels[3]; /* 1, 4, 8 lanes */
} variant;

static const variant variants[] = {
#ifdef PKI_HAVE_avx512
    ROW(avx512)
#endif
#ifdef PKI_HAVE_avx2
        ROW(avx2)
#endif
            ROW(base)};

enum { VARIANT_COUNT = sizeof variants / sizeof variants[0] };

static int machine_has(const char *isa)
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
  for (int i = 0; i < VARIANT_COUNT; i++) {
    if (strcmp(variants[i].isa, isa) == 0 && machine_has(isa)) {
      return variants[i].kernels[lanes == 8 ? 2 : lanes == 4 ? 1 : 0];
    }
  }
  return NULL;
}

const pki_kernels *pki_kernels_get(int lanes)
{
  const char *asked = getenv("PRONK_ISA");
  const pki_kernels *found = asked ? pki_kernels_find(asked, lanes) : NULL;
  for (int i = 0; i < VARIANT_COUNT && found == NULL; i++) {
    found = pki_kernels_find(variants[i].isa, lanes);
  }
  return found;
}

const char *pk_isa_name(void)
{
  return pki_kernels_get(1)->isa;
}
