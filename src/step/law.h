/* Laws of contact: what a step asks of the contacts that it finds. A law is a row of pki_laws with the functions in which it
 * differs from the hard law, whose row has none. Laws other than it have their rows on chains (chain_rows.h). */
#ifndef PKI_STEP_LAW_H
#define PKI_STEP_LAW_H

#include "pronk/sim.h"

typedef struct pki_law {
  const char *name, *doc;
  /* Contacts are forces at the start of the step: out [nu] += J' lambda of those found, which become the last contacts. NULL:
   * they are rows of the step's problem. */
  void (*force)(pk_sim *sim, double *out);
  /* Contacts have been found, and nothing was asked of them yet. */
  void (*prepare)(pk_sim *sim);
  /* Collisions as impulses before all else, at the velocities u [nu], which become those after them; *any says whether there were
   * some. False: no impulses were found. */
  bool (*collide)(pk_sim *sim, double *u, pk_step_info *info, bool *any);
  /* The right side of a contact's rows. */
  void (*shift)(pk_sim *sim, int contact, const double *u, const double *u_free);
  /* Solve the assembled rows; NULL: by the options' contact solver. False: there is no solution, or none was found. */
  bool (*solve)(pk_sim *sim, pk_step_info *info);
  /* Impulses of the step are kept: what else belongs to them. */
  void (*finish)(pk_sim *sim);
  bool needs_solution; /* a problem without a solution fails the step */
  bool joins_closed;   /* contacts take part when they are closed, whatever their velocity */
} pki_law;

/* By name; and the row of a world's options, which may be one of the variants that have no name of their own. */
extern const pki_law pki_laws[PK_CONTACT_LAW_COUNT];
const pki_law *pki_law_of(const pk_sim_options *options);

#endif
