/* Where the bodies of a tree of hinges and sliders are. */
#ifndef PKI_OPTIMIZE_MOTION_BODY_FRAMES_H
#define PKI_OPTIMIZE_MOTION_BODY_FRAMES_H

#include "pronk/dynamics.h"

typedef struct pki_body_frame {
  double rot[9], pos[3]; /* in the world */
  double axis[3];        /* of its motion, in the world */
} pki_body_frame;

/* The frame of a body at the workspace's state. */
pki_body_frame pki_body_frame_of(const pk_workspace *w, int body);

/* frames [nbody] at the coordinates q. */
pk_status pki_body_frames(const pk_model *model, const double *q, pki_body_frame *frames, pk_error *err);

#endif
