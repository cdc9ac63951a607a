/* Random cone programs and their solutions as JSON, for another solver to check (cone_program.py). */
#include <math.h>
#include <stdio.h>

#include "support/cone_programs.h"

/* JSON has no infinity: 1e300 stands for it. */
static void print_numbers(const char *name, const double *x, int count, const char *end)
{
  printf("\"%s\": [", name);
  for (int i = 0; i < count; i++) {
    printf("%s%.17g", i > 0 ? ", " : "", fmax(-1e300, fmin(1e300, x[i])));
  }
  printf("]%s", end);
}

int main(void)
{
  pki_random r = pki_random_seeded(11);
  for (int k = 0; k < 200; k++) {
    const int cones = (int)pki_random_between(&r, 0, 9), boxes = (int)pki_random_between(&r, cones == 0, 31);
    cone_programs p = make_cone_programs(boxes, cones, 1);
    draw_cone_program(&r, &p, 0, pki_random_between(&r, 0, 4));
    const pki_cone_program program = view_cone_programs(&p);
    pki_cone_result result;
    pki_cone_kernels_get(1)->solve(&program, (bool[PKI_CONE_PROGRAM_LANES]){false}, p.x, p.memory, &result);
    for (int i = 0; i < p.n; i++) {
      for (int j = 0; j < i; j++) {
        p.H[i * p.n + j] = p.H[j * p.n + i];
      }
    }
    printf("{\"boxes\": %d, \"cones\": %d, ", boxes, cones);
    print_numbers("H", p.H, p.n * p.n, ", ");
    print_numbers("g", p.g, p.n, ", ");
    print_numbers("lower", p.lower, boxes, ", ");
    print_numbers("upper", p.upper, boxes, ", ");
    print_numbers("friction", p.friction, cones, ", ");
    print_numbers("limit", p.limit, cones, ", ");
    print_numbers("x", p.x, p.n, "}\n");
    free_cone_programs(&p);
  }
  return 0;
}
