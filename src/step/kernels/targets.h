/* Tracked joints: commands with targets for the end of the step (pk_command.correction).
 *
 * A tracked joint shall have the velocity v at the end of the step, whatever force that takes. As a row of the problem that is
 * v - u_E = C l, l its motor's impulse within its limits, and C a compliance that is small beside the joint's own response to l: with C = 0 two
 * such rows and a contact that hold a chain of links from both ends could contradict each other. The same row is damping about v,
 *
 *   l = dt g (v - u_E),   g = 1/(dt C),   C = softness/M_kk,
 *
 * so a tracked joint becomes a command with that damping, and limits, force laws and M~ know nothing new. M_kk is that of the initial pose.
 *
 * Yielding. Where references and contacts that stand contradict each other a hard motor always wins against friction, which is bounded: the
 * contact would slide, without a fault in any law. With `yield`, the motors of the joints that move such a contact get softer, and the step is solved
 * again, until what stood stands, or until they are as good as off: then it is not they that move the contact, and they are hard again. */
#ifndef PKI_STEP_TARGETS_H
#define PKI_STEP_TARGETS_H

#include "step/kernels/rounds.h"

/* Tracking begins that hard; below, what contacts that hold a chain from both ends do to each other drowns in the solver's tolerance. Where it
 * gives way it is at least that soft, softer by a factor in each round. */
#define PKI_SOFTNESS 1e-6
#define PKI_YIELD_FIRST 1e-4
#define PKI_YIELD_FACTOR 8.0
enum { PKI_YIELDS = 8 };

/* Damping of joint k as soft as it is now, in the lanes where it is tracked. */
PKI_INLINE void pki_set_tracking_damping(const pki_lanes *f, int k)
{
  const pki_group *g = f->g;
  pk_r *const kd = pki_out(g->joint.command) + PKI_COMMAND_NUMBERS * k + PKI_COMMAND_KD;
  const pk_r hard = f->p->inertia[k] / (f->p->dt * pki_reals(g->joint.softness)[k]);
  *kd = pki_select(pki_masks(g->joint.tracked)[k], hard, *kd);
}

/* Tracked joints become commands with damping about the velocity that is asked for. */
static void pki_begin_tracking(pki_lanes *f)
{
  const pki_group *g = f->g;
  const pk_model *m = f->p->joints;
  const pk_r zero = pki_splat(0), dt = pki_splat(f->p->dt);
  const double *const q = pki_is_cut(f) ? g->world->joints.q : g->q;
  for (int k = 0; k < m->nu; k++) {
    pk_r *const c = pki_out(g->joint.command) + PKI_COMMAND_NUMBERS * k;
    const pk_i tracked = pki_less(zero, c[PKI_COMMAND_CORRECTION]);
    pki_masks(g->joint.tracked)[k] = tracked;
    if (!pki_any(tracked)) {
      continue;
    }
    f->tracks = true;
    pk_r v = c[PKI_COMMAND_U];
    if (m->dof_q[k] >= 0) {
      const pk_r time = pki_max(dt, c[PKI_COMMAND_CORRECTION]);
      v += (c[PKI_COMMAND_Q] - pki_reals(q)[m->dof_q[k]] - dt * v) / time;
    }
    c[PKI_COMMAND_U] = pki_select(tracked, v, c[PKI_COMMAND_U]);
    c[PKI_COMMAND_KP] = pki_select(tracked, zero, c[PKI_COMMAND_KP]);
    pki_out(g->joint.softness)[k] = pki_splat(PKI_SOFTNESS);
    pki_set_tracking_damping(f, k);
  }
}

/* rad or m: how far the worst tracked joint of a lane ends from where it was wanted. */
static double pki_tracking_error(const pki_lanes *f, int lane)
{
  const pki_group *g = f->g;
  const double *const rates = pki_rates_of(f, g->u_end);
  double worst = 0;
  for (int k = 0; k < f->p->joints->nu; k++) {
    if (pki_is_set(pki_masks(g->joint.tracked)[k], lane)) {
      const double wanted = pki_entry_of(g->joint.command, PKI_COMMAND_NUMBERS * k + PKI_COMMAND_U, lane);
      worst = fmax(worst, f->p->dt * fabs(pki_entry_of(rates, k, lane) - wanted));
    }
  }
  return worst;
}

#endif
