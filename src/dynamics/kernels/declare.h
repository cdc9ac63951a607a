/* The names of this variant's kernels. */
#ifndef PKI_DYNAMICS_DECLARE_H
#define PKI_DYNAMICS_DECLARE_H

#include "dynamics/kernels.h"
#include "math/lane.h"

void PKI_NAME(kinematics)(pki_work *w, const double *q);
void PKI_NAME(velocities)(pki_work *w, const double *u);
void PKI_NAME(rnea)(pki_work *w, const double *q, const double *u, const double *a, double *tau);
void PKI_NAME(crba)(pki_work *w);
void PKI_NAME(inertial)(pki_work *w, const double *q, const double *u, double *h);
void PKI_NAME(ltl_factor)(pki_work *w);
void PKI_NAME(ltl_solve)(const pki_work *w, double *x);
void PKI_NAME(ltl_finish)(const pki_work *w, double *x);
void PKI_NAME(point_rows)(const pki_work *w, int body, const double *point, const double *along,
                          const int *place, double *J);
void PKI_NAME(turn_rows)(const pki_work *w, int body, const double *point, const double *along,
                         const int *place, double *J);
void PKI_NAME(whiten)(const pki_work *w, const int *path, int n, double *Y, double *Z);
void PKI_NAME(gram)(int n, const double *Y, const double *Z, double *block);
void PKI_NAME(aba)(pki_work *w, const double *q, const double *u, const double *tau, double *a);
void PKI_NAME(aba_factor)(pki_work *w);
void PKI_NAME(aba_solve)(pki_work *w, const double *b, int body, const double *f, double *x);
void PKI_NAME(jacobian)(const pki_work *w, int body, const double *point, double *J);
void PKI_NAME(jacobian_dot)(const pki_work *w, int body, const double *point, double *Jdot);
void PKI_NAME(sums)(const pki_work *w, int first, int count, double *out);
void PKI_NAME(momentum_matrix)(pki_work *w, double *A);
void PKI_NAME(config_add)(const pk_model *m, const double *q, double scale, const double *v, double *q_out);
void PKI_NAME(config_rate)(const pk_model *m, const double *xi, const double *u, double *out);

extern const pki_kernels PKI_NAME(kernels);

#endif
