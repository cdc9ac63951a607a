/* Stances that several tests of stability measures begin with. */
#ifndef PK_TESTS_STANCES_H
#define PK_TESTS_STANCES_H

#include <math.h>

#include "pronk/stability.h"
#include "support/bounds.h"

#define G 9.81

/* A contact on level ground at a place. */
static inline pk_stability_contact ground_at(double x, double y, double z, int foot, int front, int left)
{
  return (pk_stability_contact){
      .point = {x, y, z}, .normal = {0, 0, 1}, .friction = 0.8, .foot = foot, .front = front, .left = left};
}

/* Gravity and direction of travel as most tests have them; contacts carry what the momentum asks for. */
static const double at_rest[6];

static inline pk_stability_input stance_of(double mass, const pk_stability_contact *contacts, int ncontact)
{
  return (pk_stability_input){.mass = mass,
                              .gravity = {0, 0, -G},
                              .heading = {1, 0, 0},
                              .contacts = contacts,
                              .ncontact = ncontact,
                              .rate = at_rest};
}

static inline pk_stability measures_of(const pk_stability_input *in, const pk_stability_options *options)
{
  pk_stability out;
  pk_error err = {.message = ""};
  const pk_status status = pk_stability_compute(in, options, &out, &err);
  if (status != PK_OK) {
    print_error("%s\n", err.message);
  }
  assert_int_equal(status, PK_OK);
  return out;
}

#endif
