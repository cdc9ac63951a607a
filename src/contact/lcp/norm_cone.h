/* Contact with Coulomb's and viscous friction in one bound on the norm, and the sweeps that solve it (Ayit 2015, the
 * listing of section 4.4).
 *
 * The first 3 n rows of an LCP are contacts: the normal, two tangents. In the place of the tangents' own bounds stands
 *
 *   |z_T| <= b,   b = mu z_n + drag |w_T| where z_n > 0, else 0                                       (4.22)
 *
 * with mu the upper coefficient of the first tangent, w = M z + q. What slides is braked by b against w_T. A sweep takes one
 * contact after the other with the newest z, then all other rows as pgs does (lcp_pgs.c):
 *
 *   6, 7, 8   z_n <- max(z_n - w_n / M_nn, 0)                                                         (4.41)
 *   9         z_T <- z_T - w_T / m,   m the mean eigenvalue of the tangents' block of M               (4.42)
 *   10, 11    z_T <- b z_T / |z_T| where |z_T| > b                                                     (4.43)
 *
 * As printed step 8 stops with z_n = 0; it goes on at 12 with z_T = 0 (no normal force, no friction). (4.43) has V_t where (4.22)
 * has mu_v V_t. Without drag the fixed points of the sweep are the solutions of Coulomb's law on the disc: with the
 * scalar m the tangents' step is the same in all directions, and the clip is the projection on a disc.
 *
 * The certificate is that of pk_lcp_certify with the clip for P in the tangents: d |z_T - clip(z_T - w_T / d)|, d the largest entry of
 * both rows. */
#ifndef PKI_CONTACT_LCP_NORM_CONE_H
#define PKI_CONTACT_LCP_NORM_CONE_H

#include "pronk/lcp.h"

typedef struct pki_norm_cone {
  const pk_lcp *lcp;
  int contacts;
  const double *drag; /* [contacts] N s of friction for each m/s of slip */
} pki_norm_cone;

/* How well z meets the law, in units of w; relative to `scale`. w [n] gets M z + q. */
pk_lcp_certificate pki_norm_cone_certify(const pki_norm_cone *p, const double *z, double scale, double *w);

/* Sweeps from z, which gets the best found; `best` and w are [n] scratch. Options as of pgs, the tolerance relative to `scale`. */
void pki_norm_cone_solve(const pki_norm_cone *p, const pk_lcp_options *options, double scale, double *z,
                         double *best, double *w, pk_lcp_result *result);

#endif
