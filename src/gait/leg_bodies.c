/* The robot's moving bodies in one table, which depends on the model alone. */
#include <string.h>

#include "gait/locomotion.h"

static pki_gait_body body_of(const pk_model *m, int i, int trunk)
{
  const double *inertia = m->body_inertia + 10 * (size_t)i;
  pki_gait_body b = {
      .parent = i == trunk ? -1 : m->body_parent[i] - trunk, .mass = inertia[0], .subtree_mass = inertia[0]};
  memcpy(b.r, m->body_pos + 3 * (size_t)i, sizeof b.r);
  memcpy(b.h, inertia + 1, sizeof b.h);
  memcpy(b.moments, inertia + 4, sizeof b.moments);
  return b;
}

static bool is_plain_leg(const pki_locomotion *c, const pk_model *m, const pki_leg *leg)
{
  bool plain = true;
  for (int k = 0; k < 3; k++) {
    const int i = leg->body[k];
    int children = 0;
    for (int j = 1; j < c->body_count; j++) {
      children += c->bodies[j].parent == leg->row[k];
    }
    plain = plain && m->body_axis[i] == (k > 0) && !m->body_turned[i] && m->body_gain[i] == 1 &&
            children == (k < 2);
  }
  return plain;
}

void pki_bodies_divide(pki_locomotion *c)
{
  bool listed[PKI_GAIT_BODIES] = {true};
  for (int j = 0; j < c->body_count; j++) {
    memcpy(c->bodies[j].first_moment, c->bodies[j].h, sizeof c->bodies[j].h);
  }
  for (int i = 0; i < c->leg_count; i++) {
    const pki_leg *leg = &c->legs[i];
    for (int k = 0; k < 3 && leg->plain; k++) {
      const pki_gait_body *b = &c->bodies[leg->row[k]];
      listed[leg->row[k]] = true;
      for (int e = 0; e < 3; e++) {
        c->bodies[b->parent].first_moment[e] += b->subtree_mass * b->r[e];
      }
    }
  }
  c->other_count = 0;
  for (int j = 0; j < c->body_count; j++) {
    if (!listed[j]) {
      c->others[c->other_count++] = j;
    }
  }
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
    c->bodies[c->bodies[j].parent].subtree_mass += c->bodies[j].subtree_mass;
  }
  for (int i = 0; i < c->leg_count; i++) {
    pki_leg *leg = &c->legs[i];
    for (int k = 0; k < 3; k++) {
      leg->row[k] = leg->body[k] - c->body;
      leg->q_at[k] = model->body_q[leg->body[k]] - robot->q;
      leg->u_at[k] = leg->u[k] - robot->u;
      leg->offset[k] = model->body_offset[leg->body[k]];
    }
    leg->plain = is_plain_leg(c, model, leg);
  }
  pki_bodies_divide(c);
}
