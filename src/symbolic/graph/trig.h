/* Rules of sines and cosines in a sum of products; k is any product, s and c are sine and cosine of an angle:
 *
 *   k s^2 + k c^2 = k              p k s^2 + q k c^2 = p k + (q - p) k c^2 for 0 < p < q
 *   k - k s^2 = k c^2              k - k c^2 = k s^2
 *   k c^2 - k s^2 = k cos 2x       k - 2 k s^2 = k cos 2x, 2 k c^2 - k = k cos 2x
 *   2 k s c = k sin 2x
 *   k sin a cos b +- k cos a sin b = k sin(a +- b)
 *   k cos a cos b -+ k sin a sin b = k cos(a +- b)
 *
 * A partner is found by the hash of its atoms, so that the rules take time in proportion to the terms. Products
 * with sines or cosines that have other users are looked into, and stay what they are where no rule applies. */
#ifndef PKI_SYMBOLIC_GRAPH_TRIG_H
#define PKI_SYMBOLIC_GRAPH_TRIG_H

#include "symbolic/graph/sum.h"

/* A place that would save operations if the sine and cosine of an angle were there. */
typedef struct pki_trig_saving {
  pki_x angle, a, b; /* of angles a and b */
  int saved;
} pki_trig_saving;

typedef struct pki_sines {
  unsigned char *there; /* [room] by node: its sine and cosine may be used */
  int room;
  pki_trig_saving *wishes;
  int nwish, wish_room;
} pki_sines;

void pki_sum_trig(pki_sum *s, pki_sines *angles);

#endif
