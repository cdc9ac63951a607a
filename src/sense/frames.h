/* Frames that move with bodies. For kinematics and accelerations that the recursion of inverse dynamics left in a workspace. */
#ifndef PKI_SENSE_FRAMES_H
#define PKI_SENSE_FRAMES_H

#include "dynamics/workspace.h"
#include "pronk/control.h"

/* A frame and how it moves, world axes. */
typedef struct pki_frame {
  double p[3], R[9];
  double w[3], v[3];
  double dw[3], dv[3]; /* dv less gravity */
} pki_frame;

/* A frame that is fixed in a body (-1: the world) at a pose. */
pki_frame pki_frame_in_body(const pk_workspace *w, int body, const pk_pose *pose);

/* A link's centre of mass with the link's axes, in its body. */
pk_pose pki_com_in_body(const pk_model_link *link);

/* Whether a link is `root` or hangs on it. */
bool pki_hangs_on(const pk_model *m, int link, int root);

/* I x for a link's moment of inertia, world axes on both sides. */
void pki_apply_moment(const pki_frame *f, const double moment[6], const double x[3], double out[3]);

#endif
