#include "optimize/motion/body_frames.h"

#include <string.h>

#include "dynamics/workspace.h"

pki_body_frame pki_body_frame_of(const pk_workspace *w, int body)
{
  const size_t at = (size_t)body + 1; /* the world comes first */
  const int axis = w->model->body_axis[body];
  pki_body_frame out;
  memcpy(out.rot, w->work.pose + 12 * at, sizeof out.rot);
  memcpy(out.pos, w->work.origin + 3 * at, sizeof out.pos);
  for (int k = 0; k < 3; k++) {
    out.axis[k] = out.rot[3 * k + axis];
  }
  return out;
}

pk_status pki_body_frames(const pk_model *model, const double *q, pki_body_frame *frames, pk_error *err)
{
  pk_workspace *w = NULL;
  const pk_status status = pk_workspace_create(model, &w, err);
  if (status != PK_OK) {
    return status;
  }
  pk_kinematics_compute(w, q, NULL);
  for (int i = 0; i < model->nbody; i++) {
    frames[i] = pki_body_frame_of(w, i);
  }
  pk_workspace_destroy(w);
  return PK_OK;
}
