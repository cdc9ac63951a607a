/* The edges of the polygon on which a robot stands, from where its feet are in the standing pose. */
#ifndef PKI_OPTIMIZE_MOTION_SUPPORT_EDGES_H
#define PKI_OPTIMIZE_MOTION_SUPPORT_EDGES_H

#include "optimize/motion/problem.h"

enum { PKI_MOTION_EDGES = 4 };

typedef struct pki_motion_edge {
  int from, to;  /* feet: momentum about the unit vector from one to the other counts */
  bool diagonal; /* positive momentum leads forward; otherwise it tips outward */
  int third;     /* the foot that stands beside a diagonal; -1: none */
} pki_motion_edge;

/* The edges of the polygon on these feet, counterclockwise from above; of two feet one: outward is away from the other feet. Fewer than
 * two, or more than PKI_MOTION_EDGES: none. A diagonal whose third foot stands in front is an edge like the others, because the
 * robot tips over it backwards. */
int pki_motion_find_edges(const pki_motion_problem *problem, unsigned stance,
                          pki_motion_edge edges[PKI_MOTION_EDGES]);

typedef struct pki_motion_edge_count {
  int feet, diagonals;
} pki_motion_edge_count;
pki_motion_edge_count pki_motion_count_diagonals(const pki_motion_problem *problem, unsigned stance);

#endif
