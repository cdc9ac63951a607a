/* Many contacts of one face: a cylinder on its end has eight, which share three velocities along the normal. Impulses are not unique
 * there, and active sets that slide take many steps to choose among them. So four of a face are active, those that pushed in the
 * last step and those that lie outermost, and the others are spare: they wait with no impulses, which obeys their laws as long as
 * u_N >= 0. Where the load leaves what the four span, a spare contact would close; then it joins like any other, and the problem is
 * solved again. It stays as long as it pushes. */
#ifndef PKI_STEP_SUPPORT_H
#define PKI_STEP_SUPPORT_H

#include "step/kernels/lanes.h"

/* Contacts of a face that are active from the beginning: the corners of a box. */
enum { PKI_SUPPORT = 4 };

/* Two contacts of the same shapes with one normal, to rounding. */
static bool pki_same_face(const pki_contact *a, const pki_contact *b)
{
  static const double rounding = 1e-12;
  const double *n = a->normal, *m = b->normal;
  return a->geom[0] == b->geom[0] && a->geom[1] == b->geom[1] &&
         n[0] * m[0] + n[1] * m[1] + n[2] * m[2] > 1 - rounding;
}

/* The outermost contact of a set along a direction. */
static int pki_outermost(const pki_contact *c, uint64_t set, const double way[3], double sign)
{
  double most = -INFINITY;
  int best = __builtin_ctzll(set);
  for (; set != 0; set &= set - 1) {
    const int i = __builtin_ctzll(set);
    const double *x = c[i].point, at = sign * (way[0] * x[0] + way[1] * x[1] + way[2] * x[2]);
    if (at > most) {
      most = at, best = i;
    }
  }
  return best;
}

/* Of the contacts that would join the active set, as bits, those that wait; `pushed` carried in the last step. */
static uint64_t pki_spare_contacts(const pki_contact *c, uint64_t wants, uint64_t pushed)
{
  uint64_t spare = 0;
  while (wants != 0) {
    const int first = __builtin_ctzll(wants);
    uint64_t face = UINT64_C(1) << first;
    for (uint64_t left = wants; left != 0; left &= left - 1) {
      const int i = __builtin_ctzll(left);
      face |= (uint64_t)pki_same_face(&c[first], &c[i]) << i;
    }
    wants &= ~face;
    const double *const ways[2] = {c[first].tangent1, c[first].tangent2};
    uint64_t taken = face & pushed;
    for (int k = 0; __builtin_popcountll(taken) < PKI_SUPPORT && taken != face; k++) {
      taken |= (uint64_t)1 << pki_outermost(c, face & ~taken, ways[k / 2 % 2], k % 2 == 0 ? 1 : -1);
    }
    spare |= face & ~taken;
  }
  return spare;
}

#endif
