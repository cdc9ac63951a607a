/* A central pattern generator: coupled phase oscillators, one for each leg (cpg.c has the equations). */
#ifndef PKI_GAIT_CPG_H
#define PKI_GAIT_CPG_H

#include <stdbool.h>
#include <stdint.h>

#include "pronk/references.h"

enum { PKI_LEGS = PK_GAIT_LEGS /* of a robot, at most */ };

typedef pk_rhythm pki_rhythm;
typedef pk_cpg pki_cpg;

void pki_cpg_start(pki_cpg *g, int legs, const pki_rhythm *rhythm);
void pki_cpg_step(pki_cpg *g, const pki_rhythm *goal, double dt);

/* Place of a leg in its cycle, 0 to 1; whether it is planned to be on the ground. pki_foot_schedule (kernels/feet.h) has the
 * same rule on lanes. */
static inline double pki_cpg_place(const pki_cpg *g, int leg)
{
  return g->phase[leg] - (double)(int64_t)g->phase[leg]; /* phases never run backward: none is below 0 */
}

static inline bool pki_cpg_stance(const pki_cpg *g, int leg)
{
  return g->late[leg] || pki_cpg_place(g, leg) < g->duty;
}

/* Whether there are moments in which no foot is planned to be on the ground. */
bool pki_cpg_flies(const pki_cpg *g);

/* Largest distance of a leg from its place in a rhythm, seen from the first leg; cycles, 0 to 0.5. */
double pki_cpg_distance(const pki_cpg *g, const pki_rhythm *rhythm);

#endif
