/* The rows of tasks for one world: from where feet, trunk, mass and joints are and should be to targets and weights, and what feet
 * feel. */
#include <math.h>
#include <string.h>

#include "control/whole_body.h"
#include "math/mat3.h"

void pki_whole_body_feel(const pki_whole_body *c, const pk_observation *seen, pki_whole_state *s)
{
  const double period = c->controller.period > 0 ? c->controller.period : seen->dt;
  for (int f = 0; f < c->nfoot; f++) {
    pki_whole_foot_state *foot = &s->feet[f];
    double sum[3] = {0};
    foot->touches = false;
    foot->load = 0;
    for (int k = 0; k < seen->ncontact; k++) {
      double impulse[3], normal[3];
      if (pk_sim_contact_carries(&seen->contacts[k], seen->model, c->feet[f].link, impulse, normal)) {
        const double push = fmax(pki_dot3(impulse, normal), 1e-9);
        foot->touches = true;
        foot->load += push / seen->dt;
        pki_along3(sum, push, normal, sum);
      }
    }
    foot->quiet = foot->touches || !s->awake ? 0 : foot->quiet + period;
    const double size = pki_length3(sum);
    for (int e = 0; e < 3 && (size > 0 || !s->awake); e++) {
      foot->normal[e] = size > 0 ? sum[e] / size : e == 2;
    }
  }
}

void pki_whole_read(const pki_whole_lanes *w, const double *from, int l, int count, double *to)
{
  for (int k = 0; k < count; k++) {
    to[k] = from[k * w->lanes + l];
  }
}

pki_whole_goals pki_whole_goals_at(const pki_whole_body *c, double time, pki_whole_state *s,
                                   const pki_whole_lanes *w, int l)
{
  pki_whole_goals g = {.c = c, .s = s, .w = w, .l = l, .time = time};
  if (c->is_free) {
    pki_whole_read(w, w->mass_at, l, 3, g.mass);
    pki_whole_read(w, w->mass_rate, l, 3, g.rate);
    pki_whole_read(w, w->trunk_turn, l, 9, g.R);
  }
  return g;
}

pki_whole_foot_now pki_whole_foot_at(const pki_whole_goals *g, int f)
{
  pki_whole_foot_now now = {.at = {0}};
  pki_whole_read(g->w, g->w->foot_at + 3 * f * g->w->lanes, g->l, 3, now.at);
  pki_whole_read(g->w, g->w->foot_turn + 9 * f * g->w->lanes, g->l, 9, now.R);
  pki_whole_read(g->w, g->w->foot_rate + 6 * f * g->w->lanes, g->l, 6, now.rate);
  return now;
}

void pki_whole_turn_between(const double R[9], const double to[9], double out[3])
{
  double back[9], turn[9], q[4];
  pki_mat3_transpose(R, back);
  pki_mat3_mul(back, to, turn);
  pki_quat_from_mat3(turn, q);
  const double size = pki_length3(q + 1), scale = size > 1e-12 ? 2 * atan2(size, q[0]) / size : 2;
  for (int k = 0; k < 3; k++) {
    out[k] = scale * q[1 + k];
  }
}

void pki_whole_ask_row(const pki_whole_goals *g, int row, pk_whole_body_task task, double b)
{
  const pki_whole_lanes *w = g->w;
  const int at = row * w->lanes + g->l;
  w->b[at] = b;
  w->weight[at] = g->c->options.tasks[task].weight;
  w->level[at] = g->c->level_of[task];
}

void pki_whole_ask_foot(const pki_whole_goals *g, int f, const pki_whole_foot_now *now,
                        const pki_whole_foot_goal *to)
{
  const pki_whole_body *c = g->c;
  const pki_whole_foot *foot = &c->feet[f];
  const pk_whole_body_task task = to->stands ? PK_WHOLE_BODY_STANCE : PK_WHOLE_BODY_SWING;
  const pk_whole_body_gains *gain = &c->options.tasks[task];
  double about[3] = {0};
  if (!to->stands) {
    double turn[3];
    pki_whole_turn_between(now->R, to->turn, turn);
    pki_mat3_apply(now->R, turn, about);
  }
  for (int k = 0; k < 3; k++) {
    const double off = to->stands ? 0 : gain->kp * (to->at[k] - now->at[k]) + to->ahead[3 + k];
    if (foot->width == 6) {
      const double spin = to->stands ? 0 : gain->kp * about[k] + to->ahead[k];
      pki_whole_ask_row(g, foot->row + k, task, spin - gain->kd * now->rate[k]);
    }
    pki_whole_ask_row(g, foot->row + foot->width - 3 + k, task, off - gain->kd * now->rate[3 + k]);
  }
  for (int p = foot->cone; p < foot->cone + foot->npoint; p++) {
    g->w->friction[p * g->w->lanes + g->l] = to->stands ? c->options.friction : 0;
    g->w->limit[p * g->w->lanes + g->l] = to->stands ? c->options.load : 0;
  }
}

void pki_whole_ask_turn(const pki_whole_goals *g, const double to[9], const double rates[3], double tilt[3])
{
  const pki_whole_body *c = g->c;
  const pk_whole_body_gains *turn = &c->options.tasks[PK_WHOLE_BODY_TRUNK];
  const pki_whole_lanes *w = g->w;
  double e[3], b[3], local[3], own[3], back[9], rel[9];
  pki_whole_turn_between(g->R, to, e);
  pki_mat3_apply(g->R, e, tilt);
  pki_mat3_transpose(g->R, back);
  pki_mat3_mul(back, to, rel);
  pki_mat3_apply(rel, rates, own);
  pki_mat3_apply_transposed(g->R, g->line, local);
  for (int k = 0; k < 3; k++) {
    const double omega = w->u[(c->u + 3 + k) * w->lanes + g->l];
    b[k] = turn->kp * e[k] + turn->kd * (own[k] - omega);
  }
  /* on a line the tilt about it is the balance's */
  const double along = pki_dot3(local, b);
  for (int k = 0; k < 3; k++) {
    pki_whole_ask_row(g, 3 + k, PK_WHOLE_BODY_TRUNK, b[k] - along * local[k]);
    for (int j = 0; j < 3; j++) {
      w->keep[(3 * k + j) * w->lanes + g->l] = (k == j) - local[k] * local[j];
    }
  }
}

void pki_whole_ask_mass(const pki_whole_goals *g, const double acceleration[3])
{
  const pki_whole_body *c = g->c;
  const pk_whole_body_gains *spin = &c->options.tasks[PK_WHOLE_BODY_MOMENTUM];
  double I[6], now[3];
  pki_whole_read(g->w, g->w->inertia, g->l, 6, I);
  pki_whole_read(g->w, g->w->spin, g->l, 3, now);
  for (int k = 0; k < 3; k++) {
    pki_whole_ask_row(g, c->mass_row + k, PK_WHOLE_BODY_MASS, acceleration[k]);
    pki_whole_ask_row(g, c->mass_row + 3 + k, PK_WHOLE_BODY_MOMENTUM,
                      -spin->kd * now[k] * 3 / (I[0] + I[3] + I[5]));
  }
}

void pki_whole_ask_joint(const pki_whole_goals *g, int j, const pki_goal *to)
{
  const pki_whole_body *c = g->c;
  const pki_whole_lanes *w = g->w;
  const pk_whole_body_gains *gain = &c->options.tasks[PK_WHOLE_BODY_POSTURE];
  const int u = c->u + c->act[j], row = c->posture_row + j;
  const double q = w->q[w->work.model->dof_q[u] * w->lanes + g->l], rate = w->u[u * w->lanes + g->l];
  pki_whole_ask_row(g, row, PK_WHOLE_BODY_POSTURE,
                    gain->kp * (to->q - q) + gain->kd * (to->u - rate) + to->a);
  w->weight[row * w->lanes + g->l] *= c->carries[j] ? c->options.legs : 1;
}
