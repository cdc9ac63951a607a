/* Composite rigid bodies: the mass matrix (Walker, Orin 1982). Rows are those of the elimination plan
 * (pk_model.M_row, M_col). */
#include "dynamics/kernels/composite.h"
#include "dynamics/kernels/declare.h"

void PKI_NAME(crba)(pki_work *w)
{
  const pk_model *m = w->model;
  pk_r *const M = pki_out(w->M);
  pki_compose(w);
  if (m->has_mimic || m->nplan > m->nu) {
    for (int e = 0; e < m->nM; e++) {
      M[e] = pki_splat(0);
    }
    /* the unknowns of constraints stand alone until their rows are written */
    for (int k = 0; k < m->nplan; k++) {
      M[m->M_row[k + 1] - 1] = pki_splat(1);
    }
    for (int k = 0; k < m->nu; k++) {
      M[m->M_row[m->plan_u[k] + 1] - 1] = pki_splat(0);
    }
  }
  for (int i = 0; i < m->nbody; i++) {
    for (int c = 0; c < pki_motion_nu(m->body_motion[i]); c++) {
      if (m->has_mimic) {
        pki_fill_row(w, i, c, 1);
      } else {
        pki_fill_row(w, i, c, 0);
      }
    }
  }
  for (int k = 0; k < m->nu; k++) {
    M[m->M_row[m->plan_u[k] + 1] - 1] += pki_reals(w->diag)[k];
  }
}
