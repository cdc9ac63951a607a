/* Any bytes as a linear complementarity problem in text: a sound problem or a message. Small problems are solved as
 * well: every solver ends with a status. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "contact/lcp/lcp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS = 12 };

static void solve(const pk_lcp *p)
{
  for (int s = 0; s < PK_LCP_SOLVER_COUNT; s++) {
    double z[ROWS] = {0};
    pk_lcp_result result;
    pk_lcp_options options = pk_lcp_options_default();
    options.solver = (pk_lcp_solver)s, options.max_iterations = 200;
    void *memory = pki_aligned_alloc(pk_lcp_solve_memsize(p, &options));
    const pk_status status = memory != NULL ? pk_lcp_solve(p, &options, z, memory, &result) : PK_ERROR_MEMORY;
    if (memory == NULL || (status == PK_OK) != (result.outcome == PK_LCP_OUTCOME_SOLVED) ||
        (status == PK_OK && !(result.certificate.relative <= options.tolerance)) ||
        (result.outcome == PK_LCP_OUTCOME_INFEASIBLE && !pk_lcp_proves_infeasible(p, result.ray))) {
      abort();
    }
    pki_aligned_free(memory);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  pk_lcp_file *file = NULL;
  pk_error err = {PK_OK, 0, "", "", ""};
  const pk_status status = pki_lcp_parse("input.lcp", (const char *)data, size, &file, &err);
  if (status == PK_OK) {
    if (file == NULL || pk_lcp_validate(pk_lcp_file_problem(file), NULL) != PK_OK) {
      abort();
    }
    if (pk_lcp_file_problem(file)->n <= ROWS) {
      solve(pk_lcp_file_problem(file));
    }
  } else if (file != NULL || err.status != status || err.message[0] == '\0') {
    abort();
  }
  pk_lcp_file_destroy(file);
  return 0;
}
