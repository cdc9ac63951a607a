/* One step of a group (step/group.h): a page of named stages. What depends on where rows are kept is behind pki_store (row_store.h). */
#include <stddef.h>

#include "step/kernels/declare.h"
#include "step/kernels/positions.h"
#include "step/kernels/slots.h"
#if PKI_LANES == 1
#include "step/kernels/chains.h"
#endif

static inline const pki_row_store *pki_store(const pki_lanes *f)
{
#if PKI_LANES == 1
  if (pki_on_chains(f)) {
    return &pki_chains;
  }
#endif
  (void)f;
  return &pki_slots;
}

/* ---- gather ---- */

/* A command without a limit (tau_max zero) has an infinite one from here on. */
static void unbind_commands(const pki_lanes *f)
{
  const pk_r zero = pki_splat(0);
  for (int k = 0; k < f->p->joints->nu; k++) {
    pk_r *const most = pki_out(f->g->joint.command) + PKI_COMMAND_NUMBERS * k + PKI_COMMAND_MOST;
    *most = pki_select(pki_at_most(*most, zero) & pki_at_most(zero, *most), pki_splat(INFINITY), *most);
  }
}

static void gather_worlds(pki_lanes *f)
{
  pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  const pk_model *m = p->model;
  const double *q[PKI_LANES], *u[PKI_LANES], *c[PKI_LANES], *guard[PKI_LANES];
  const double *inertia[PKI_LANES], *grouped[PKI_LANES], *states[PKI_LANES], *motors[PKI_LANES];
  bool own = false, coded = false, motored = false;
  for (int l = 0; l < PKI_LANES; l++) {
    const pki_lane_world *s = &f->lane_worlds[l < f->count ? l : 0]; /* empty lanes do as the first */
    q[l] = s->q, u[l] = s->u, c[l] = &s->commands[0].tau, guard[l] = s->guard;
    inertia[l] = s->inertia, grouped[l] = s->grouped;
    states[l] = s->actuation, motors[l] = s->motors;
    own |= s->inertia != NULL, coded |= s->grouped != NULL, motored |= s->motors != NULL;
    pki_set_mask(&f->going, l, l < f->count);
  }
  pki_gather(q, m->nq, g->q);
  pki_gather(u, m->nu, g->u);
  pki_gather(c, PKI_COMMAND_NUMBERS * p->joints->nu, g->joint.command);
  unbind_commands(f);
  pki_begin_tracking(f);
  pki_gather(guard, p->hinged && p->free ? pki_guard_size(m) : 0, g->search.guard);
  if (own) {
    g->work->params.varied = true;
    pki_gather(inertia, 10 * m->nbody, g->work->params.inertia);
    pki_gather(grouped, coded ? 10 * m->nbody : 0,
               g->work->params.grouped); /* what a model's own code reads */
  }
  if (p->actuation != NULL) {
    pki_gather(states, p->actuation->nstate, g->actuators.state);
    pki_gather(motors, motored ? p->actuation->nmotor * PKI_MOTOR_CONSTANTS : 0, g->actuators.motors);
  }
  for (int k = 0; k < p->joints->nu; k++) {
    pki_masks(g->joint.limited)[k] = pki_masks(g->joint.sliding)[k] = pki_mask_none();
    pki_out(g->joint.pin)[k] = pki_out(g->joint.drag)[k] = pki_splat(0);
  }
  for (int l = 0; l < f->count; l++) {
    pki_recall_limits(f, l);
  }
  pki_store(f)->recall(f);
  double *const none[] = {g->relative, g->penetration, g->sweeps, g->rounds, g->lift};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
    *pki_out(none[i]) = pki_splat(0);
  }
}

/* ---- scatter ---- */

/* Commands at their limits, counted when the caller wants the step's info. */
static int count_saturated(const pki_group *g, int lane)
{
  int n = 0;
  for (int k = 0; k < g->plan->joints->nu && g->wants_info; k++) {
    const int piece = (int)pki_entry_of(g->joint.piece, k, lane) % PKI_PIECE_RAISED;
    n += fabs(pki_entry_of(g->joint.tau, k, lane)) >=
             pki_entry_of(g->joint.command, PKI_COMMAND_NUMBERS * k + PKI_COMMAND_MOST, lane) ||
         (piece > PKI_PIECE_FREE && piece < PKI_PIECE_HOLD);
  }
  return n;
}

/* States and what worlds remember, of those that are done; other lanes are discarded. */
static void scatter_worlds(pki_lanes *f, pki_lane_info *out)
{
  pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  const pk_model *m = p->model;
  double *q[PKI_LANES], *u[PKI_LANES], *tau[PKI_LANES], *guard[PKI_LANES], *states[PKI_LANES];
  for (int l = 0; l < PKI_LANES; l++) {
    const bool done = l < f->count && pki_is_set(f->going, l) && pki_store(f)->keep(f, l);
    const pki_lane_world *s = &f->lane_worlds[l < f->count ? l : 0];
    q[l] = done ? s->q_next : g->discard, u[l] = done ? s->u_next : g->discard;
    tau[l] = done ? s->tau : g->discard, guard[l] = done ? s->guard : g->discard;
    states[l] = done ? s->actuation_next : g->discard;
    if (l >= f->count) {
      continue;
    }
    out[l] = (pki_lane_info){.done = done,
                             .status = f->status,
                             .unsettled = f->unsettled,
                             .rows = f->has_rows,
                             .left = done ? PK_LANE_EXIT_NONE : f->left[l],
                             .scalar_fallback = f->scalar_fallback >> l & 1,
                             .rounds = (int)g->rounds[l],
                             .sweeps = (int)g->sweeps[l],
                             .saturated = done ? count_saturated(g, l) : 0,
                             .relinearised = f->relinearised[l],
                             .yielded = f->yielded[l],
                             .tracking = done && f->tracks && g->wants_info ? pki_tracking_error(f, l) : 0,
                             .slip = done && p->relinearise > 0 && g->wants_info ? pki_largest_slip(f, l) : 0,
                             .solver = f->solver[l],
                             .relative = g->relative[l],
                             .penetration = g->penetration[l]};
  }
  pki_scatter(g->q_end, m->nq, q);
  pki_scatter(g->u_end, m->nu, u);
  pki_scatter(g->joint.tau, f->p->joints->nu, tau);
  pki_scatter(g->actuators.state, f->p->actuation != NULL ? f->p->actuation->nstate : 0, states);
  pki_scatter(g->search.guard, f->looked ? pki_guard_size(m) : 0, guard);
}

/* ---- the step ---- */

/* Collisions come before all else under some laws: forces, velocities and contacts are then those after them. */
static void collide_first(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  const pki_law *law = f->p->law;
  bool any = false;
  if (law->collide == NULL || !pki_any(f->going)) {
    return;
  }
  if (!law->collide(g->world, g->u, g->info, &any)) {
    g->info->term = "collision";
    pki_fail_step(f, PK_ERROR_CONVERGENCE);
  } else if (any) {
    pki_actuate(f, q);
    pki_free_velocity(f, q);
    pki_store(f)->find_contacts(f, q);
  }
}

/* Impulses at the configuration q of the step, and the configuration at its end. */
static void move_lanes(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  pki_impulses(f, q);
  if (!pki_any(f->going)) {
    return;
  }
  pki_set_forces(f);
  pki_lap_lanes(g, PK_STEP_PART_SOLVE);
  PKI_NAME(config_add)(f->p->model, q, f->p->reach, g->u_end, g->q_end);
  pki_project(f);
  pki_check_passing(f);
  pki_check_end(f);
  pki_lap_lanes(g, PK_STEP_PART_PROJECT);
}

void PKI_NAME(group_advance)(pki_group *g, const pki_lane_world *lane_worlds, int count, pki_lane_info *out)
{
  const pki_group_plan *p = g->plan;
  pki_lanes f;
  memset(&f, 0, offsetof(pki_lanes, kept));
  g->relinearised = false;
  f.g = g, f.p = p, f.lane_worlds = lane_worlds, f.count = count;
  gather_worlds(&f);
  const double *q = g->q;
  if (p->midpoint) {
    PKI_NAME(config_add)(p->model, g->q, p->dt - p->reach, g->u, g->q_mid);
    q = g->q_mid;
  }
  pki_actuate(&f, q);
  pki_add_external_forces(&f, q);
  pki_free_velocity(&f, q);
  pki_store(&f)->find_contacts(&f, q);
  collide_first(&f, q);
  pki_lap_lanes(g, PK_STEP_PART_COLLISION);
  if (pki_any(f.going)) {
    move_lanes(&f, q);
  }
  scatter_worlds(&f, out);
}

const pki_group_kernels PKI_NAME(group_kernels) = {
    .isa = PKI_ISA_NAME, .lanes = PKI_LANES, .advance = PKI_NAME(group_advance)};
