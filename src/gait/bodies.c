/* The robot's moving bodies in one table, which depends on the model alone. */
#include <string.h>

#include "gait/locomotion.h"

static pki_gait_body body_of(const pk_model *m, int i, int trunk)
{
  const double *inertia = m->body_inertia + 10 * (size_t)i;
  const bool plain = i != trunk && m->body_motion[i] == PK_MOTION_REVOLUTE && !m->body_turned[i];
  pki_gait_body b = {.parent = i == trunk ? -1 : m->body_parent[i] - trunk,
                     .turn = plain ? (pki_turn)m->body_axis[i] : PKI_TURN_ANY,
                     .axis = m->body_axis[i],
                     .q = m->body_q[i],
                     .u = m->body_u[i],
                     .gain = m->body_gain[i],
                     .offset = m->body_offset[i],
                     .mass = inertia[0],
                     .below = inertia[0]};
  memcpy(b.r, m->body_pos + 3 * (size_t)i, sizeof b.r);
  memcpy(b.h, inertia + 1, sizeof b.h);
  memcpy(b.moments, inertia + 4, sizeof b.moments);
  memcpy(b.lump, b.h, sizeof b.lump);
  return b;
}

void pki_bodies_list(pki_locomotion *c, const pk_model *model)
{
  const pk_model_robot *robot = &model->robots[c->robot];
  c->body = robot->body;
  c->body_count = robot->nbody;
  for (int j = 0; j < robot->nbody; j++) {
    c->bodies[j] = body_of(model, robot->body + j, robot->body);
  }
  for (int j = robot->nbody - 1; j > 0; j--) {
    const pki_gait_body *b = &c->bodies[j];
    pki_gait_body *parent = &c->bodies[b->parent];
    parent->below += b->below;
    for (int k = 0; k < 3 && b->turn != PKI_TURN_ANY; k++) {
      parent->lump[k] += b->below * b->r[k];
    }
  }
}
