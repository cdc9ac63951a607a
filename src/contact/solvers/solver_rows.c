/* The registry of solvers: the rows that PK_SOLVER_LIST names, in its order. */
#include "contact/solvers/solver.h"

#define DECLARE(id, row) extern const pki_solver_row pki_solver_##row;
#define ROW(id, row) [id] = &pki_solver_##row,

PK_SOLVER_LIST(DECLARE)

const pki_solver_row *const pki_solvers[PK_SOLVER_COUNT + 1] = {PK_SOLVER_LIST(ROW)};
