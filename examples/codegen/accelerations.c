/* Joint accelerations of a UR10 by code that was made for it, linked without Pronk:
 *
 *   pronk codegen ur10 -o ur10-code --functions aba,crba
 *   cc -std=c17 -O2 -Iur10-code examples/codegen/accelerations.c ur10-code/ur10.c -lm -o accelerations
 *   ./accelerations 0 -1.2 1.5 0 0.4 0
 */
#include <stdio.h>
#include <stdlib.h>

#include "ur10.h"

int main(int argc, char **argv)
{
  double q[UR10_NQ] = {0, -1, 1, 0, 0, 0}, u[UR10_NU] = {0}, tau[UR10_NU] = {0}, a[UR10_NU];
  for (int i = 0; i < UR10_NQ && i + 1 < argc; i++) {
    q[i] = atof(argv[i + 1]);
  }
  /* let go at rest: what do the joints do? */
  ur10_aba(q, u, tau, a);
  for (int i = 0; i < UR10_NU; i++) {
    printf("a[%d] = %.15g rad/s^2\n", i, a[i]);
  }

  /* the mass matrix comes as the entries of its lower triangle that are not always zero */
  double M[UR10_CRBA_M_COUNT];
  ur10_crba(q, M);
  printf("M[%d][%d] = %.15g kg m^2\n", ur10_crba_M_row[0], ur10_crba_M_col[0], M[0]);
  return 0;
}
