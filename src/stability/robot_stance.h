/* The stance of a robot, from its model, state and contacts. */
#ifndef PKI_STABILITY_ROBOT_STANCE_H
#define PKI_STABILITY_ROBOT_STANCE_H

#include "dynamics/workspace.h"
#include "stability/stability.h"

/* Contacts of one robot, at most. */
enum { PKI_STANCE_CONTACTS = 256 };

/* What the measures of a robot are computed from, with room for its contacts. */
typedef struct pki_robot_stance {
  pk_stability_input input;
  pk_stability_contact contacts[PKI_STANCE_CONTACTS];
  double foot_rate[6];
} pki_robot_stance;

/* Of a robot whose masses and momenta are `sums` [12] (pki_kernels.sums), whose trunk's x axis is `heading` and which is touched as the
 * contacts of a step of dt seconds say. */
pk_status pki_robot_stance_init(pki_robot_stance *stance, const pk_model *model, int robot,
                                const double sums[12], const double heading[3],
                                const pk_sim_contact *contacts, int ncontact, double dt, pk_error *err);

/* Measures of a robot at the state q, u with the velocities' rates a (NULL: feet stand still), in a workspace, which stays at that
 * state. */
pk_status pki_robot_stability(pk_workspace *w, int robot, const double *q, const double *u, const double *a,
                              const pk_sim_contact *contacts, int ncontact, double dt,
                              const pk_stability_options *options, pk_stability *out, pk_error *err);

#endif
