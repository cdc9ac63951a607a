#include "step/group.h"

#include <math.h>
#include <string.h>

#include "contact/problem.h"
#include "math/variants.h"
#include "step/contact.h"

/* ---- which kernels ---- */

PKI_DECLARE_VARIANTS(pki_group_kernels, group_kernels)

static const pki_group_kernels *const variants[] = {PKI_VARIANTS(group_kernels)};

const pki_group_kernels *pki_group_kernels_get(int lanes)
{
  const pki_kernels *like = pki_kernels_get(lanes);
  for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
    if (variants[i]->lanes == like->lanes && strcmp(variants[i]->isa, like->isa) == 0) {
      return variants[i];
    }
  }
  return NULL;
}

/* ---- a group ---- */

void pki_group_carve(pki_group *g, const pk_model *m, int lanes, pki_arena *arena)
{
  const size_t real = (size_t)lanes * sizeof(double), nq = (size_t)m->nq, nu = (size_t)m->nu, n = PKI_BALLS;
  *g = (pki_group){.plan = NULL};
  const struct {
    double **array;
    size_t count;
  } parts[] = {{&g->q, nq},
               {&g->u, nu},
               {&g->q_mid, nq},
               {&g->q_end, nq},
               {&g->q_try, nq},
               {&g->command, 6 * nu},
               {&g->a, nu},
               {&g->g, nu},
               {&g->h, nu},
               {&g->move, nu},
               {&g->u_free, nu},
               {&g->u_end, nu},
               {&g->tau, nu},
               {&g->gap, n},
               {&g->axes, 9 * n},
               {&g->turned, n},
               {&g->point, 3 * n},
               {&g->guard, nu + 1},
               {&g->swung, (size_t)m->nbody},
               {&g->ends, 6 * PKI_COVERS},
               {&g->gap_end, n},
               {&g->mu, n},
               {&g->r, 3 * n},
               {&g->v, 3 * n},
               {&g->impulse, 3 * n},
               {&g->velocity, 3 * n},
               {&g->fixed, 3 * n},
               {&g->slip, n},
               {&g->J, 4 * n * nu},
               {&g->Y, 4 * n * nu},
               {&g->Z, 4 * n * nu},
               {&g->W, 9 * n * n},
               {&g->K, 9 * n},
               {&g->relative, 1},
               {&g->penetration, 1},
               {&g->sweeps, 1},
               {&g->rounds, 1},
               {&g->lift, 1}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    *parts[i].array = pki_arena_take(arena, parts[i].count, real);
  }
  g->nowhere = pki_arena_take(arena, nq + nu, sizeof(double));
  g->active = pki_arena_take(arena, n, (size_t)lanes * sizeof *g->active);
}

/* ---- a sim alone ---- */

void pki_alone_carve(pki_alone *a, const pk_model *model, pki_arena *arena)
{
  *a = (pki_alone){.stale = true, .kernels = pki_group_kernels_get(1)};
  pki_group_plan_carve(&a->plan, model, arena);
  a->guard = pki_arena_take(arena, (size_t)model->nu + 1, sizeof *a->guard);
  pki_group_carve(&a->group, model, 1, arena);
}

/* The certificate in all its parts. */
static pk_certificate certify(const pki_group *g)
{
  enum { MOST = 3 * PKI_BALLS };
  double W[MOST * MOST], q[MOST], mu[PKI_BALLS], r[MOST], u[MOST];
  pk_contact_problem p = {.W = W, .q = q, .mu = mu};
  for (int b = 0; b < g->plan->nball; b++) {
    p.ncontact += g->active[b] != 0;
  }
  for (int b = 0, i = 0; b < g->plan->nball; b++) {
    const double *block = g->W + 9 * (b * PKI_BALLS + b);
    for (int d = 0; d < 3 && g->active[b] != 0; d++) { /* the judge reads the diagonal */
      const int row = 3 * i + d;
      W[row * 3 * p.ncontact + row] = block[4 * d];
      q[row] = g->fixed[3 * b + d], r[row] = g->impulse[3 * b + d], u[row] = g->velocity[3 * b + d];
    }
    if (g->active[b] != 0) {
      mu[i++] = g->mu[b];
    }
  }
  return pki_certify_velocity(&p, NULL, r, u);
}

/* Whose step is measured, and where the times go. */
typedef struct stopwatch {
  pk_sim *sim;
  pk_step_info *info;
} stopwatch;

static void lap(void *user, pk_part part)
{
  const stopwatch *of = user;
  pki_lap(of->sim, part, of->info);
}

static void report(pk_sim *sim, const pki_group *g, const pki_lane_info *lane, pk_step_info *info)
{
  info->iterations = lane->rounds;
  info->solver_iterations = lane->sweeps;
  info->solver = lane->sweeps > 0 ? PK_SOLVER_BGS : PK_SOLVER_AUTO;
  info->contacts = sim->contact.nlast;
  info->penetration = lane->penetration;
  if (!sim->watched) {
    return;
  }
  info->stabilisation = g->lift[0];
  info->certificate = lane->sweeps > 0 ? certify(g) : info->certificate;
  for (int k = 0; k < sim->model->nu; k++) {
    info->saturated += fabs(sim->tau_next[k]) >= sim->acting[k].tau_max;
  }
}

bool pki_group_step(pk_sim *sim, pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  pki_group *g = &sim->alone.group;
  if (sim->alone.stale) {
    pki_group_plan_make(&sim->alone.plan, sim);
    sim->alone.guard[sim->model->nu] = 0;
    sim->alone.stale = false;
  }
  if (!sim->alone.plan.usable || sim->pushed || c->tap.see != NULL) {
    return false;
  }
  stopwatch of = {sim, info};
  const pki_seat seat = {.q = sim->q,
                         .u = sim->u,
                         .commands = sim->acting,
                         .friction = c->friction,
                         .q_next = sim->q_next,
                         .u_next = sim->u_next,
                         .tau = sim->tau_next,
                         .last = c->last,
                         .last_r = c->last_r,
                         .last_sticks = c->last_sticks,
                         .nlast = &c->nlast,
                         .guard = sim->alone.guard};
  pki_lane_info lane;
  g->plan = &sim->alone.plan;
  g->work = &sim->workspace->work;
  g->dynamics = sim->workspace->kernels;
  g->watched = sim->watched;
  g->lap = sim->options.timing ? lap : NULL;
  g->user = &of;
  sim->alone.kernels->advance(g, &seat, 1, &lane);
  if (!lane.done) {
    return false;
  }
  pki_sim_contact_plain(c, sim->joints.n);
  report(sim, g, &lane, info);
  return true;
}
