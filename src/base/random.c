#include "base/random.h"

#include <math.h>

pki_random pki_random_seeded(uint64_t seed)
{
  return (pki_random){.state = seed};
}

uint64_t pki_random_bits(pki_random *random)
{
  /* A Weyl sequence, then two rounds of xor-shift and multiply. */
  random->state += 0x9E3779B97F4A7C15u;
  uint64_t z = random->state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

pki_random pki_random_at(const uint64_t *place, int n)
{
  pki_random random = pki_random_seeded(place[0]);
  for (int i = 1; i < n; i++) {
    random = pki_random_seeded(pki_random_bits(&random) ^ place[i]);
  }
  return random;
}

double pki_random_unit(pki_random *random)
{
  return (double)(pki_random_bits(random) >> 11) * 0x1p-53;
}

double pki_random_between(pki_random *random, double lower, double upper)
{
  return lower + (upper - lower) * pki_random_unit(random);
}

double pki_random_normal(pki_random *random)
{
  /* Marsaglia's polar method: a uniform point in the unit disc, stretched. */
  double x, y, s;
  do {
    x = pki_random_between(random, -1.0, 1.0);
    y = pki_random_between(random, -1.0, 1.0);
    s = x * x + y * y;
  } while (s >= 1.0 || s == 0.0);
  return x * sqrt(-2.0 * log(s) / s);
}

void pki_random_quaternion(pki_random *random, double quaternion[4])
{
  /* Normals have no preferred direction in four dimensions. */
  double norm = 0.0;
  while (norm < 1e-3) {
    norm = 0.0;
    for (int i = 0; i < 4; i++) {
      quaternion[i] = pki_random_normal(random);
      norm += quaternion[i] * quaternion[i];
    }
    norm = sqrt(norm);
  }
  for (int i = 0; i < 4; i++) {
    quaternion[i] /= norm;
  }
}
