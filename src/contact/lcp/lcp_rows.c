/* The registry of solvers of linear complementarity problems: the rows that PK_LCP_SOLVER_LIST names, in its order. */
#include "contact/lcp/lcp.h"

#define DECLARE(id, choice, row) extern const pki_lcp_row pki_lcp_##row;
#define ROW(id, choice, row) &pki_lcp_##row,

PK_LCP_SOLVER_LIST(DECLARE)

static const pki_lcp_row one_after_the_other = {
    .name = "auto", .doc = "pgs, lemke, dantzig, pgs", .reads = "stop change_rel"};

const pki_lcp_row *const pki_lcp_solvers[PK_LCP_SOLVER_COUNT + 1] = {PK_LCP_SOLVER_LIST(ROW)};
const pki_lcp_row *const pki_lcp_choices[PK_LCP_SOLVER_COUNT + 2] = {&one_after_the_other,
                                                                     PK_LCP_SOLVER_LIST(ROW)};
