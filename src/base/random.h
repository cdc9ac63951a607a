/* Random numbers that are the same everywhere for the same seed: SplitMix64 (Steele, Lea,
 * Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). For tests,
 * benchmarks and studies; not for secrets. */
#ifndef PKI_BASE_RANDOM_H
#define PKI_BASE_RANDOM_H

#include <stdint.h>

typedef struct pki_random {
  uint64_t state;
} pki_random;

pki_random pki_random_seeded(uint64_t seed);

/* A generator for a place in a table of any dimension: a function of its n numbers alone, each mixed in by a generator of
 * its own, so that neighbours have nothing in common. */
pki_random pki_random_at(const uint64_t *place, int n);

/* 64 random bits. */
uint64_t pki_random_bits(pki_random *random);

/* Uniform in [0, 1), a multiple of 2^-53. */
double pki_random_unit(pki_random *random);

/* Uniform between two bounds. */
double pki_random_between(pki_random *random, double lower, double upper);

/* Standard normal. */
double pki_random_normal(pki_random *random);

/* A rotation, uniform over all: unit quaternion (w, x, y, z). */
void pki_random_quaternion(pki_random *random, double quaternion[4]);

#endif
