/* Pronk's certificate of any engine's step, from outside: what the engine says about velocities and forces is
 * all that counts.
 *
 * With J the rows of the feet in contact at the configuration where the engine looked for contact, u the
 * velocity that its step left and r its forces times dt, the problem (pronk/contact.h) is
 *
 *   W = J inv(M + dt (kd + t kp)) J',   q = J u - W r,
 *
 * so that W r + q are the engine's own contact velocities; t is the time that the configuration still
 * moves with u. A foot takes part when it pushes, or when it touches. One that is still open by a gap may
 * close it: gap/t is added to its normal velocity. */
#ifndef PKI_BENCH_CONTACT_EVALUATOR_H
#define PKI_BENCH_CONTACT_EVALUATOR_H

#include "bench/contact_peer.h"
#include "pronk/contact.h"
#include "pronk/dynamics.h"

typedef struct pki_contact_evaluator {
  const pki_contact_scene *scene;
  pk_workspace *workspace;
  double *memory;
  double *q;                  /* [nq] where contact was looked at */
  double *M;                  /* [nu][nu], then its Cholesky factor */
  double *J6;                 /* [6][nu] of one link */
  double *J, *Y;              /* [3 PKI_FEET][nu] */
  double centre[PKI_FEET][3]; /* m, of the feet, of the last call of pki_contact_feet */
} pki_contact_evaluator;

bool pki_contact_evaluator_create(pki_contact_evaluator *evaluator, const pki_contact_scene *scene);
void pki_contact_evaluator_destroy(pki_contact_evaluator *evaluator);

/* Where the feet are at a sample. */
void pki_contact_feet(pki_contact_evaluator *evaluator, const pki_contact_sample *sample);

/* The certificate of one step, from the sample before and the one after it; at: where in the step the
 * engine looks for contact (pki_contact_config). */
pk_contact_certificate pki_contact_evaluator_step(pki_contact_evaluator *evaluator,
                                                  const pki_contact_sample *before,
                                                  const pki_contact_sample *after, double at);

#endif
