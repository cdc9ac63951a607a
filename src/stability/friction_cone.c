#include "stability/friction_cone.h"

#include <math.h>

#include "math/mat3.h"

/* A unit tangent of a contact. */
static void first_tangent(const double n[3], double t[3])
{
  const int along = fabs(n[0]) < 0.9 ? 0 : 1;
  for (int k = 0; k < 3; k++) {
    t[k] = (k == along) - n[along] * n[k];
  }
  const double length = pki_length3(t);
  for (int k = 0; k < 3; k++) {
    t[k] /= length;
  }
}

double pki_best_generator(const pk_stability_contact *contact, int sides, const double z[3], double v[3])
{
  const double along = pki_dot3(z, contact->normal), mu = contact->friction;
  double tangent[3];
  pki_along3(z, -along, contact->normal, tangent);
  const double size = pki_length3(tangent);
  if (sides == 0) {
    pki_along3(contact->normal, size > 0 ? mu / size : 0, tangent, v);
    return along + mu * size;
  }
  double t1[3], t2[3];
  first_tangent(contact->normal, t1);
  pki_cross3(contact->normal, t1, t2);
  /* the side nearest to the tangent's angle; sides stand at odd multiples of pi / sides */
  const double step = 2 * 3.14159265358979323846 / sides;
  const double angle = step * (floor(atan2(pki_dot3(z, t2), pki_dot3(z, t1)) / step) + 0.5);
  pki_along3(contact->normal, mu * cos(angle), t1, v);
  pki_along3(v, mu * sin(angle), t2, v);
  return pki_dot3(z, v);
}
