/* The cost of inv(M) against the number of links, in operations that are counted and not timed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "study/symbolic/symbolic_inverse.h"
#include "support/bounds.h"

/* Articulated bodies: N for forward dynamics, to the operation, since each link adds the same; N^2 for all columns of the inverse. The factor of a
 * full M: N^3 for large N. All three invert the same M. */
static void recursion_grows_by_the_square_and_the_factor_faster(void **state)
{
  (void)state;
  pki_inverse_data d = {0};
  pk_error err = {.message = ""};
  assert_int_equal(pki_inverse_count(&d, 16, &err), PK_OK);
  if (isnan(d.flops[0][0])) {
    skip(); /* instructions cannot be counted here */
  }
  for (int i = 0; i < d.sizes; i++) {
    print_message("%d links: %.0f %.0f %.0f, %.0f %.0f\n", pki_inverse_links[i], d.flops[0][i], d.flops[1][i],
                  d.flops[2][i], d.flops[3][i], d.flops[4][i]);
  }
  const double *aba = d.flops[PKI_FORWARD_ABA];
  for (int i = 1; i < d.sizes; i++) {
    const double each = (aba[i] - aba[i - 1]) / (pki_inverse_links[i] - pki_inverse_links[i - 1]);
    assert_near(each, aba[1] - aba[0], 0.02 * each);
  }
  assert_near(pki_inverse_power(&d, PKI_FORWARD_ABA), 1, 0.1);
  assert_near(pki_inverse_power(&d, PKI_INVERSE_RECURSIVE), 2,
              0.35); /* 1.71 from 8 to 16 links, 1.87 from 24 to 48 */
  assert_greater(pki_inverse_power(&d, PKI_INVERSE_FACTOR),
                 pki_inverse_power(&d, PKI_INVERSE_RECURSIVE) + 0.3);
  assert_less(d.apart, 1e-8);
  const double crossing = pki_inverse_crossing(&d, PKI_FORWARD_ABA, PKI_FORWARD_CRBA);
  print_message("ABA takes fewer operations than CRBA from %.2f links on; inv(M) from %.2f\n", crossing,
                pki_inverse_crossing(&d, PKI_INVERSE_RECURSIVE, PKI_INVERSE_FACTOR));
  assert_greater(crossing, 3.75);
  assert_less(crossing, 15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(recursion_grows_by_the_square_and_the_factor_faster)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
