/* One world, two sets of coordinates: those of its tree, in which every joint has its own (joint coordinates), and those
 * of a model in which joints are cut. */
#ifndef PKI_CONTACT_ROWS_COORDINATES_H
#define PKI_CONTACT_ROWS_COORDINATES_H

#include "contact/rows/bilateral.h"

/* q, u of the model from joint coordinates; `tree` is a workspace of model->tree. */
void pki_joints_to_model(const pk_model *model, pk_workspace *tree, const double *q_tree,
                         const double *u_tree, double *q, double *u);

/* Joint coordinates from q, u; `work` holds the model's kinematics at q, `b` its rows there. Turns count on from the
 * last values in `drives` [ndrive], which are updated. */
void pki_joints_from_model(const pk_model *model, const pki_work *work, const pki_bilateral *b,
                           const double *q, const double *u, double *drives, double *q_tree, double *u_tree);

#endif
