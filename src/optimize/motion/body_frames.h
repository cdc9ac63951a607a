/* Where the bodies of a tree of hinges and sliders are, in plain numbers. */
#ifndef PKI_OPTIMIZE_MOTION_BODY_FRAMES_H
#define PKI_OPTIMIZE_MOTION_BODY_FRAMES_H

#include "pronk/model.h"

typedef struct pki_body_frame {
  double rot[9], pos[3]; /* in the world */
  double axis[3];        /* of its motion, in the world */
} pki_body_frame;

/* frames [nbody] at the coordinates q. */
void pki_body_frames(const pk_model *model, const double *q, pki_body_frame *frames);

#endif
