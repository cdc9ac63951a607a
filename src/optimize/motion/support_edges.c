/* Which edges a set of standing feet has. */
#include <math.h>

#include "optimize/motion/support_edges.h"

/* Feet sorted counterclockwise about their middle in the standing pose, seen from above; their places there. */
static void sort_feet(const pki_motion_problem *p, int order[PKI_MOTION_FEET], double at[PKI_MOTION_FEET][2])
{
  double middle[2] = {0, 0}, angle[PKI_MOTION_FEET];
  for (int i = 0; i < p->nfoot; i++) {
    at[i][0] = p->feet[i].stand[0], at[i][1] = p->feet[i].stand[1];
    middle[0] += at[i][0] / p->nfoot, middle[1] += at[i][1] / p->nfoot;
  }
  for (int i = 0; i < p->nfoot; i++) {
    int place = i;
    angle[i] = atan2(at[i][1] - middle[1], at[i][0] - middle[0]);
    for (; place > 0 && angle[order[place - 1]] > angle[i]; place--) {
      order[place] = order[place - 1];
    }
    order[place] = i;
  }
}

/* Neighbours in the ring of all feet are no diagonal. */
static bool is_diagonal(const pki_motion_problem *p, const int *order, int a, int b)
{
  int at_a = 0, at_b = 0;
  for (int k = 0; k < p->nfoot; k++) {
    at_a = order[k] == a ? k : at_a;
    at_b = order[k] == b ? k : at_b;
  }
  const int gap = (at_b - at_a + p->nfoot) % p->nfoot;
  return p->nfoot > 3 && gap != 1 && gap != p->nfoot - 1;
}

int pki_motion_find_edges(const pki_motion_problem *problem, unsigned stance,
                          pki_motion_edge edges[PKI_MOTION_EDGES])
{
  int order[PKI_MOTION_FEET], ring[PKI_MOTION_FEET], n = 0;
  double at[PKI_MOTION_FEET][2];
  sort_feet(problem, order, at);
  for (int k = 0; k < problem->nfoot; k++) {
    if ((stance >> order[k] & 1u) != 0) {
      ring[n++] = order[k];
    }
  }
  const int count = n == 2 ? 1 : n > 2 && n <= PKI_MOTION_EDGES ? n : 0;
  for (int k = 0; k < count; k++) {
    int from = ring[k], to = ring[(k + 1) % n];
    const bool diagonal = is_diagonal(problem, order, from, to);
    const int third = diagonal && n > 2 ? ring[(k + 2) % n] : -1;
    if (n == 2 && !diagonal && from == order[0] && to == order[problem->nfoot - 1]) {
      const int swap = from; /* the ring closes between the last foot and the first */
      from = to, to = swap;
    }
    const bool ahead =
        third >= 0 && at[third][0] > (at[from][0] + at[to][0]) / 2; /* then it is an edge like the others */
    if (diagonal && !ahead && at[from][1] > at[to][1]) {
      const int swap = from; /* from right to left: forward is positive */
      from = to, to = swap;
    }
    edges[k] = (pki_motion_edge){from, to, diagonal && !ahead, third};
  }
  return count;
}

pki_motion_edge_count pki_motion_count_diagonals(const pki_motion_problem *problem, unsigned stance)
{
  pki_motion_edge edges[PKI_MOTION_EDGES];
  const int count = pki_motion_find_edges(problem, stance, edges);
  pki_motion_edge_count out = {0};
  for (int i = 0; i < problem->nfoot; i++) {
    out.feet += (int)(stance >> i & 1u);
  }
  for (int k = 0; k < count; k++) {
    out.diagonals += edges[k].diagonal ? 1 : 0;
  }
  return out;
}
