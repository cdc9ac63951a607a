/* Floating point operations by decoding, and by counting work whose number is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/peak_kernel.h"
#include "measure/count.h"
#include "support/bounds.h"

/* Bytes as an assembler writes them. */
static void instructions_count_by_the_width_of_their_vectors(void **state)
{
  (void)state;
  static const struct {
    unsigned char code[16];
    int flops;
  } cases[] = {
      {{0xf2, 0x0f, 0x58, 0xc1}, 1},              /* addsd xmm0, xmm1 */
      {{0xf2, 0x44, 0x0f, 0x59, 0xc1}, 1},        /* mulsd xmm8, xmm1 */
      {{0x66, 0x0f, 0x58, 0xc1}, 2},              /* addpd */
      {{0x0f, 0x58, 0xc1}, 4},                    /* addps */
      {{0x66, 0x0f, 0xef, 0xc1}, 0},              /* pxor */
      {{0xc5, 0xf5, 0x59, 0xc2}, 4},              /* vmulpd ymm0, ymm1, ymm2 */
      {{0xc5, 0xf3, 0x5e, 0xc2}, 1},              /* vdivsd xmm0, xmm1, xmm2 */
      {{0xc5, 0xfd, 0x51, 0xc1}, 4},              /* vsqrtpd ymm0, ymm1 */
      {{0xc4, 0xe2, 0xf5, 0xb8, 0xc2}, 8},        /* vfmadd231pd ymm0, ymm1, ymm2 */
      {{0xc4, 0xe2, 0xf1, 0xb9, 0xc2}, 2},        /* vfmadd231sd xmm0, xmm1, xmm2 */
      {{0xc4, 0xe2, 0x75, 0x9a, 0xc2}, 16},       /* vfmsub132ps ymm0, ymm1, ymm2 */
      {{0xc4, 0xe2, 0x7d, 0x19, 0x00}, 0},        /* vbroadcastsd ymm0, [rax] */
      {{0xc5, 0xfd, 0x28, 0xc1}, 0},              /* vmovapd ymm0, ymm1 */
      {{0x62, 0xf1, 0xf5, 0x48, 0x58, 0xc2}, 8},  /* vaddpd zmm0, zmm1, zmm2 */
      {{0x62, 0xf2, 0xf5, 0x48, 0xb8, 0xc2}, 16}, /* vfmadd231pd zmm0, zmm1, zmm2 */
      {{0x62, 0xf2, 0xf5, 0x28, 0xb8, 0xc2}, 8},  /* vfmadd231pd ymm0, ymm1, ymm2 as EVEX */
      {{0x62, 0xf1, 0xf5, 0x18, 0x58, 0xc2}, 8},  /* vaddpd zmm0, zmm1, zmm2, {rn-sae} */
      {{0x48, 0x01, 0xd8}, 0},                    /* add rax, rbx */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    if (pki_count_flops(cases[i].code) != cases[i].flops) {
      fail_msg("case %zu counts %d, not %d", i, pki_count_flops(cases[i].code), cases[i].flops);
    }
  }
}

static void spin(void *user)
{
  double *flops = user, sum;
  *flops = pki_peak_base(50, &sum);
}

static void counted_work_has_the_operations_that_it_says(void **state)
{
  (void)state;
  double said = -1, sum;
  pki_count count;
  if (!pki_count_run(spin, &said, &count)) {
    skip();
  }
  assert_true(said == -1); /* the child's memory is its own */
  const double expected = pki_peak_base(50, &sum);
  assert_at_least(count.flops, expected);
  assert_less(count.flops, 1.1 * expected + 100); /* and what begins and ends it */
  assert_greater(count.instructions, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(instructions_count_by_the_width_of_their_vectors),
      cmocka_unit_test(counted_work_has_the_operations_that_it_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
