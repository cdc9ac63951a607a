#include "tune/methods.h"

#include <stddef.h>
#include <string.h>

#ifdef PKI_HAVE_NLOPT
#include <nlopt.h>
#define ALGORITHM(name) .algorithm = NLOPT_##name
#else
#define ALGORITHM(name) .algorithm = 0
#endif

const pki_tune_method pki_tune_methods[] = {
    {"sobol", "even samples of the whole range (Sobol 1967), on all threads", .global = true,
     .sampled = true},
    {"direct", "dividing rectangles, biased to local search (Gablonsky and Kelley 2001)", .global = true,
     ALGORITHM(GN_DIRECT_L)},
    {"crs", "controlled random search with local mutation (Kaelo and Ali 2006)", .global = true,
     .random = true, ALGORITHM(GN_CRS2_LM)},
    {"isres", "evolution strategy with stochastic ranking (Runarsson and Yao 2005)", .global = true,
     .random = true, ALGORITHM(GN_ISRES)},
    {"esch", "evolutionary algorithm (da Silva Santos 2010)", .global = true, .random = true,
     ALGORITHM(GN_ESCH)},
    {"mlsl",
     "local searches from a low-discrepancy sequence, one for each basin (Kucherenko and Sytsko 2005)",
     .global = true, .nested = true, ALGORITHM(GN_MLSL_LDS)},
    {"bobyqa", "quadratic models within bounds (Powell 2009): few evaluations where it is smooth",
     ALGORITHM(LN_BOBYQA)},
    {"sbplx", "Nelder and Mead in subspaces (Rowan 1990): robust where there are kinks and jumps",
     ALGORITHM(LN_SBPLX)},
    {"neldermead", "the simplex of Nelder and Mead (1965), within bounds (Box 1965)",
     ALGORITHM(LN_NELDERMEAD)},
    {"cobyla", "linear models (Powell 1994)", ALGORITHM(LN_COBYLA)},
};
const int pki_tune_method_count = sizeof pki_tune_methods / sizeof pki_tune_methods[0];

const pki_tune_method *pki_tune_method_find(const char *name)
{
  for (int i = 0; i < pki_tune_method_count; i++) {
    if (strcmp(name, pki_tune_methods[i].name) == 0) {
      return &pki_tune_methods[i];
    }
  }
  return NULL;
}

bool pki_tune_has_nlopt(void)
{
#ifdef PKI_HAVE_NLOPT
  return true;
#else
  return false;
#endif
}
