/* Problems in factor form: worlds of many bodies. */
#ifndef PKI_CONTACT_SOLVERS_HEAP_H
#define PKI_CONTACT_SOLVERS_HEAP_H

#include "contact/problem/islands.h"
#include "contact/solvers/solver.h"

/* Scratch beside what the dense solvers need for pki_dense_rows. */
void pki_reserve_heap(pki_arena *arena, const pk_contact_problem *p);

/* Each island of run->p (with factors) that misses the tolerance by its own scale as a run of its own. */
void pki_solve_islands(pki_solve *run);

#endif
