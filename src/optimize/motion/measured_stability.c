/* S_H of a point of a motion by the measures of the stage `stability`, which know nothing of the rows that the optimiser writes. */
#include <math.h>

#include "math/mat3.h"
#include "optimize/motion/body_frames.h"
#include "optimize/motion/solution.h"
#include "pronk/stability.h"

/* Where a foot is among the others in the standing pose: 1, -1, 0 along x and y. */
static void find_corner(const pki_motion_problem *p, int foot, pk_stability_contact *out)
{
  double middle[2] = {0, 0};
  for (int i = 0; i < p->nfoot; i++) {
    for (int k = 0; k < 2; k++) {
      middle[k] += p->feet[i].stand[k] / p->nfoot;
    }
  }
  const double ahead = p->feet[foot].stand[0] - middle[0], aside = p->feet[foot].stand[1] - middle[1];
  out->front = ahead > 1e-6 ? 1 : ahead < -1e-6 ? -1 : 0;
  out->left = aside > 1e-6 ? 1 : aside < -1e-6 ? -1 : 0;
}

void pki_motion_stability(const pki_motion_problem *problem, pk_workspace *w, const pki_motion_point *point,
                          unsigned stance, pki_motion_edges *out)
{
  const pk_model *m = problem->model;
  pk_stability_options options = pk_stability_options_default();
  pk_stability_contact contacts[PKI_MOTION_FEET];
  pk_stability_input in = {.mass = m->mass, .heading = {1, 0, 0}, .contacts = contacts};
  pk_stability found;
  double momentum[6];
  const double rate[6] = {0}; /* all feet that the plan lets stand support, whatever their forces */
  *out = (pki_motion_edges){.least = NAN};
  pk_kinematics_compute(w, point->q, point->v);
  pk_com_compute(w, 0, in.com, in.velocity);
  pk_momentum_compute(w, 0, momentum);
  for (int k = 0; k < 3; k++) {
    in.gravity[k] = m->gravity[k];
    in.angular_momentum[k] = momentum[k];
  }
  in.rate = rate;
  for (int i = 0; i < problem->nfoot; i++) {
    if ((stance >> i & 1u) != 0) {
      pk_stability_contact *c = &contacts[in.ncontact++];
      *c = (pk_stability_contact){.normal = {0, 0, 1}, .friction = problem->friction, .foot = i};
      pki_motion_place_foot(problem, w, i, c->point);
      find_corner(problem, i, c);
    }
  }
  options.tip_speed = problem->tip_speed;
  options.tip_direction =
      problem->tip_perpendicular ? PK_TIP_DIRECTION_PERPENDICULAR : PK_TIP_DIRECTION_HORIZONTAL;
  options.measures = 1 << PK_STABILITY_S_H;
  if (in.ncontact < 2 || pk_stability_compute(&in, &options, &found, NULL) != PK_OK) {
    return;
  }
  out->least = found.s_h;
  for (int k = 0; k < found.nedge && out->count < (int)(sizeof out->S / sizeof out->S[0]);
       k++, out->count++) {
    const pk_stability_edge *e = &found.edges[k];
    out->S[k] = e->s_h, out->H[k] = e->H, out->H_ref[k] = e->H_ref, out->H_max[k] = e->H_max;
    out->diagonal[k] = e->kind == PK_EDGE_KIND_DIAGONAL;
  }
}

void pki_motion_place_foot(const pki_motion_problem *problem, const pk_workspace *w, int foot, double out[3])
{
  const pki_motion_foot *f = &problem->feet[foot];
  const pki_body_frame frame = pki_body_frame_of(w, f->body);
  pki_mat3_apply(frame.rot, f->at, out);
  pki_along3(frame.pos, 1, out, out);
  out[2] -= f->radius;
}
