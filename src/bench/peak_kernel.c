/* Chains of x = x a + b that do not wait for each other: as many as hide the time that one takes, and as few as registers
 * hold. Compiled once for each instruction set (CMakeLists.txt), with the lanes that fill its registers. */
#include "bench/peak_kernel.h"

#include "math/lane.h"

#define NAME_(isa) pki_peak_##isa
#define NAME(isa) NAME_(isa)

enum { CHAINS = PKI_CHAINS };

double NAME(PKI_ISA)(long rounds, double *sum)
{
  const pk_r a = pki_splat(0.999999), b = pki_splat(1e-6);
  pk_r x[CHAINS];
  for (int c = 0; c < CHAINS; c++) {
    for (int l = 0; l < PKI_LANES; l++) {
      pki_set_lane(&x[c], l, 2 + c + 0.1 * l); /* all different, none at rest: nothing can be left out */
    }
  }
  for (long k = 0; k < rounds; k++) {
    for (int c = 0; c < CHAINS; c++) {
      x[c] = x[c] * a + b;
    }
  }
  *sum = 0;
  for (int c = 0; c < CHAINS; c++) {
    for (int l = 0; l < PKI_LANES; l++) {
      *sum += pki_lane(x[c], l);
    }
  }
  return 2.0 * CHAINS * PKI_LANES * (double)rounds;
}
