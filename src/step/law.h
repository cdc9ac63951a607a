/* Laws of contact: what a step asks of the contacts that it finds. A law is a row, const pki_law pki_law_NAME
 * in the file of the law, NAME as PK_CONTACT_LAW_LIST has it, with the functions in which it differs from the
 * hard law, whose row has none. Laws other than it have their rows on chains (chain_rows.h). */
#ifndef PKI_STEP_LAW_H
#define PKI_STEP_LAW_H

#include "pronk/sim.h"

typedef struct pki_law {
  /* `former`: the name that it had before, NULL: no other. */
  const char *name, *former, *doc;
  /* Contacts are forces at the start of the step: out [nu] += J' lambda of those found, which become the last
   * contacts. `since` s have passed from the state that springs remember to that whose memory this is. NULL: contacts are
   * rows of the step's problem. */
  void (*force)(pk_sim *sim, double since, double *out);
  /* Contacts have been found, and nothing was asked of them yet. */
  void (*prepare)(pk_sim *sim);
  /* Collisions as impulses before all else, at the velocities u [nu], which become those after them; *any
   * says whether there were some. False: no impulses were found. */
  bool (*collide)(pk_sim *sim, double *u, pk_step_info *info, bool *any);
  /* The right side of a contact's rows. */
  void (*shift)(pk_sim *sim, int contact, const double *u, const double *u_free);
  /* Solve the assembled rows; NULL: by the options' contact solver. */
  void (*solve)(pk_sim *sim, pk_step_info *info);
  /* Impulses of the step are kept: what else belongs to them. */
  void (*finish)(pk_sim *sim);
  /* Most contacts that a world of this law can have, at most max_contacts; NULL: as many as the options
   * say. */
  int (*room)(const pk_model *model, const pk_sim_options *options);
  /* The row for these options, where they change what the law does; NULL: this one. */
  const struct pki_law *(*variant)(const pk_sim_options *options);
  /* The law of friction that the certificate of a step judges; NULL: Coulomb's. */
  pk_judged_law (*judged)(const pk_sim_options *options);
  /* Words of options and of numbers of materials that it reads, beside friction (sim/reads.h); NULL: none. */
  const char *reads;
  bool linear; /* solve() uses the solvers of linear complementarity problems: pk_step_info.lcp_solver */
  bool joins_closed; /* contacts join the active set when they are closed, whatever their velocity */
  bool hovers;       /* force() is asked for contacts that are open by pki_touching, too */
} pki_law;

/* By pk_contact_law, up to NULL; and the row of a world's options, which may be a variant. */
extern const pki_law *const pki_laws[];
const pki_law *pki_law_of(const pk_sim_options *options);

/* What the certificate of a world's steps judges. */
pk_judged_law pki_judged_law(const pk_sim_options *options);

/* The step has ended: name the law that its certificate has judged, and give Coulomb's residual where it is the one of that law. */
void pki_name_judged_law(const pk_sim *sim, pk_step_info *info);

#endif
