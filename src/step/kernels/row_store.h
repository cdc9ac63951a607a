/* Where the rows of a step are kept: in slots or on chains. This table is what differs between the two; the stages (step.c,
 * command.h, active.h, impulses.h, positions.h) are the same for both. Models with constraints or cut joints, and laws of forces, are
 * always on chains; what they need besides is asked for by those names in command.h and positions.h.
 *
 *   slots.h   several worlds at once, dense over all lanes; a world leaves when there is no room for it
 *   chains.h  one world, whatever it has (step/chain_rows.h); it never leaves
 *
 * With several lanes rows are always in slots, and the compiler sees through the table. */
#ifndef PKI_STEP_ROW_STORE_H
#define PKI_STEP_ROW_STORE_H

#include "step/kernels/lanes.h"

/* What a contact carries: its gap at the start, m, its coefficient of friction, its impulse, N s. */
typedef struct pki_load {
  double gap, mu, r[3];
} pki_load;

typedef struct pki_row_store {
  /* ---- gather ---- */

  /* Impulses of the last step, as warm starts. */
  void (*recall)(pki_lanes *f);

  /* ---- velocities ---- */

  /* u_free and the factor of M~ at the configuration q, from the lines of commands in g->joint.force and g->joint.gain. */
  void (*free_velocity)(pki_lanes *f, const double *q);

  /* All contacts at q within reach of the step, into g->found; none is active yet. */
  void (*find_contacts)(pki_lanes *f, const double *q);

  /* Contacts that the velocities x would close join the active set, in the first round also those that pushed in the last step.
   * Twists of x are in the work. The lanes with new ones. */
  pk_i (*join_contacts)(pki_lanes *f, const double *x, bool first);

  /* Joint coordinate k gets a row of a kind (PKI_ROW_LOWER and so on) in some lanes. Its first guess; NULL: the impulse of the last
   * step. */
  void (*add_joint_rows)(pki_lanes *f, pk_i lanes, int kind, int k, const pk_r *guess);

  /* The lanes that have rows. */
  pk_i (*with_rows)(const pki_lanes *f);

  /* J, W and q of the rows of the active set. */
  void (*assemble)(pki_lanes *f, const double *q);

  /* M~ has changed in some lanes: W of their rows is out of date. */
  void (*invalidate)(pki_lanes *f, pk_i lanes);

  /* Impulses of the assembled rows in the lanes of `open`. */
  void (*solve)(pki_lanes *f, pk_i open);

  /* u_E = u_f + inv(M~) J' r */
  void (*respond)(pki_lanes *f);

  /* Whether the laws of compliant pairs hold at u_E; if not, they were taken anew about another velocity, and M~ and u_f have
   * changed: true. */
  bool (*press)(pki_lanes *f);

  /* Rows of contacts at the configuration of the work, with the points and offsets of what is followed (g->followed); they will be solved in
   * the lanes of `open`. */
  void (*take_rows)(pki_lanes *f, pk_i open);

  /* No rows are left: the active set begins anew. */
  void (*restart)(pki_lanes *f);

  /* Of contact e of a lane after a solution; counted as g->followed. */
  pki_load (*load)(const pki_lanes *f, int lane, int e);

  /* Impacts have gained energy, and have to be solved again with one coefficient of restitution. */
  bool (*impacts_gain)(pki_lanes *f);

  /* Impulses and u_E stand: keep them, with their certificate. The active set has not settled in the lanes of `open`. */
  void (*finish)(pki_lanes *f, pk_i open);

  /* ---- positions ---- */

  /* Contacts at the configuration of the end within a margin, into g->found_end, in the lanes of a mask; what is not deeper than `shallow`,
   * m, may be measured alone (pki_lanes.measured). */
  void (*find_at_end)(pki_lanes *f, pk_r margin, pk_i mask, double shallow);

  /* Move q_end out in the lanes of `deep`, whose depth is known, with all rows nearer than `band`. */
  void (*project)(pki_lanes *f, pk_i deep, pk_r depth, pk_r band);

  /* ---- scatter ---- */

  /* What a world remembers of its contacts, joint rows and pairs of shapes; false: it has no room for them, and leaves. */
  bool (*keep)(pki_lanes *f, int lane);
} pki_row_store;

/* That of this step (step.c). */
static inline const pki_row_store *pki_store(const pki_lanes *f);

#endif
