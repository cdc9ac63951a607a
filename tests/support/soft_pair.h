/* Two compliant surfaces and their patch, for tests. */
#ifndef PK_TESTS_SOFT_PAIR_H
#define PK_TESTS_SOFT_PAIR_H

#include "contact/compliant/compliance_law.h"

typedef struct soft_pair {
  pki_soft_side side[2];
  pk_compliance surface[2];
  pki_patch patch;
  void *memory, *scratch;
} soft_pair;

/* A shape by its kind and sizes, with faces where it can have some. */
pk_geometry *soft_shape(pk_shape_kind kind, double x, double y, double z);

/* Room, filled with garbage, for the patch of two shapes at the origin with default surfaces of a law. */
void soft_pair_open(soft_pair *p, const pk_geometry *a, const pk_geometry *b, pk_compliance_law law);
void soft_pair_close(soft_pair *p);

/* Fails the test when the pair is refused. */
int soft_pair_find(soft_pair *p);

/* With the slope; what is not written is garbage. */
pki_press soft_pair_press(const soft_pair *p, const double twist[6], double dt);

/* The twist at the patch's point, and the wrench from there, for a point of the world. */
void soft_twist_from(const soft_pair *p, const double point[3], const double twist[6], double out[6]);
void soft_wrench_at(const soft_pair *p, const double wrench[6], const double point[3], double out[6]);

#endif
