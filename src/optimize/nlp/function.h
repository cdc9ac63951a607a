/* Functions of a nonlinear program with exact derivatives, evaluated for many points in lanes.
 *
 * A function is a list of expressions of one graph (symbolic/graph): results y[ny] of inputs w[nw] and parameters p[np]. Made once:
 *
 *   value      y
 *   jacobian   dy_i/dw_j where it is not zero by structure
 *   hessian    sum_i mu_i d^2 y_i / dw_j dw_k, lower triangle, where it is not zero by structure
 *
 * Each is a tape (tape.h): a list of operations on registers, each register a vector of lanes, one lane for each instance of the function.
 * An operation is decoded once for all lanes. Compiled code would be some times faster and would take seconds to compile; beside the linear
 * algebra of a solver neither shows. PKI_NLP_LANES instances run at a time. */
#ifndef PKI_OPTIMIZE_NLP_FUNCTION_H
#define PKI_OPTIMIZE_NLP_FUNCTION_H

#include "base/error.h"
#include "symbolic/graph/graph.h"

typedef struct pki_nlp_function pki_nlp_function;

/* From ports of a graph: `inputs` [nw] and `parameters` [np] are PKI_OP_INPUT nodes, `values` [ny] any nodes of them. The graph is not
 * needed afterwards (it grows while this runs). The name is copied, for messages and listings. */
pk_status pki_nlp_function_create(pki_graph *g, const char *name, int nw, const pki_x *inputs, int np,
                                  const pki_x *parameters, int ny, const pki_x *values,
                                  pki_nlp_function **out, pk_error *err);
void pki_nlp_function_destroy(pki_nlp_function *f); /* NULL is fine */

const char *pki_nlp_function_name(const pki_nlp_function *f);
int pki_nlp_function_inputs(const pki_nlp_function *f);     /* nw */
int pki_nlp_function_parameters(const pki_nlp_function *f); /* np */
int pki_nlp_function_results(const pki_nlp_function *f);    /* ny */

/* Operations of the three tapes, for listings and benches. */
typedef struct pki_nlp_cost {
  int value, jacobian, hessian;
} pki_nlp_cost;
pki_nlp_cost pki_nlp_function_cost(const pki_nlp_function *f);

/* Which derivatives there are: entries of the Jacobian (i of y, j of w) and of the Hessian's lower triangle (j >= k of w). */
int pki_nlp_function_jacobian(const pki_nlp_function *f, const int **i, const int **j); /* how many */
int pki_nlp_function_hessian(const pki_nlp_function *f, const int **j, const int **k);

/* Values for `count` instances, instance-major: w [count][nw], p [count][np], mu [count][ny]; y [count][ny], entries [count][...].
 * False: out of memory. */
bool pki_nlp_function_value(const pki_nlp_function *f, int count, const double *w, const double *p,
                            double *y);
bool pki_nlp_function_jacobian_values(const pki_nlp_function *f, int count, const double *w, const double *p,
                                      double *entries);
bool pki_nlp_function_hessian_values(const pki_nlp_function *f, int count, const double *w, const double *p,
                                     const double *mu, double *entries);

/* One instance at complex numbers w [nw]: what tests take derivatives from by the complex step. False: out of memory. */
bool pki_nlp_function_value_complex(const pki_nlp_function *f, const double _Complex *w, const double *p,
                                    double _Complex *y);
bool pki_nlp_function_jacobian_complex(const pki_nlp_function *f, const double _Complex *w, const double *p,
                                       double _Complex *entries);

#endif
