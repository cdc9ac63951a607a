/* Random cone programs with bounds of all kinds. */
#ifndef PK_TESTS_CONE_PROGRAMS_H
#define PK_TESTS_CONE_PROGRAMS_H

#include "base/random.h"
#include "control/cone_program.h"

/* Programs of one size in lanes, up to 96 unknowns; arrays as pki_cone_program has them, x [n], scratch full of garbage. */
typedef struct cone_programs {
  int boxes, cones, n, lanes;
  double *H, *g, *lower, *upper, *friction, *limit, *x;
  void *memory;
} cone_programs;

cone_programs make_cone_programs(int boxes, int cones, int lanes);
void free_cone_programs(cone_programs *p);
pki_cone_program view_cone_programs(const cone_programs *p);

/* One program into lane l, with H of condition 10^digits (and rows and columns scaled on top), and bounds near the free minimum, so
 * that many are active: also infinite and equal ones, cones without friction and without room. */
void draw_cone_program(pki_random *r, cone_programs *p, int l, double digits);

#endif
