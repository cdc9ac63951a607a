/* Products of poses: set-up code. */
#ifndef PKI_MODEL_POSE_H
#define PKI_MODEL_POSE_H

#include "pronk/builder.h"

/* The frame `inner`, given in `outer`, in the frame that `outer` is given in. */
pk_pose pki_pose_mul(const pk_pose *outer, const pk_pose *inner);

/* The outer frame seen from the inner one. */
pk_pose pki_pose_invert(const pk_pose *pose);

#endif
