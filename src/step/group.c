#include "step/group.h"

#include <string.h>

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

/* Scratch of the scalar solvers for one lane: a problem of the most rows of velocities, or of positions, which are all boxes. */
static size_t solver_memsize(void)
{
  static const double some = 1;
  const pk_solver_options o = pk_solver_options_default();
  const pk_contact_problem velocities = {.ncontact = PKI_SLOTS, .nbox = PKI_BOXES, .W = &some};
  const pk_contact_problem positions = {.nbox = 3 * PKI_SLOTS + PKI_BOXES, .W = &some};
  const size_t a = pk_contact_solve_memsize(&velocities, &o), b = pk_contact_solve_memsize(&positions, &o);
  return a > b ? a : b;
}

/* Masks, and what is kept lane by lane. */
static void carve_lanes(pki_group *g, size_t nu, int lanes, pki_arena *arena)
{
  const size_t mask = (size_t)lanes * sizeof *g->active, all = (size_t)lanes, n = PKI_SLOTS;
  g->active = pki_arena_take(arena, n, mask);
  g->stuck = pki_arena_take(arena, n, mask);
  g->took = pki_arena_take(arena, PKI_BALLS, mask);
  g->box_active = pki_arena_take(arena, PKI_BOXES, mask);
  g->limited = pki_arena_take(arena, nu, mask);
  g->pinned = pki_arena_take(arena, nu, mask);
  g->at_limit = pki_arena_take(arena, 2 * nu, mask);
  g->box = pki_arena_take(arena, all, sizeof *g->box);
  g->found = pki_arena_take(arena, all, sizeof *g->found);
  g->found_end = pki_arena_take(arena, all, sizeof *g->found_end);
  g->slot_of = pki_arena_take(arena, all, sizeof *g->slot_of);
  g->memory = pki_arena_take(arena, all, sizeof *g->memory);
  g->candidates = pki_arena_take(arena, PKI_CANDIDATES, sizeof *g->candidates);
}

void pki_group_carve(pki_group *g, const pk_model *m, int lanes, pki_arena *arena)
{
  const bool fits = m->nu <= PKI_GROUP_NU; /* larger models never come here */
  const size_t real = (size_t)lanes * sizeof(double), nq = fits ? (size_t)m->nq : 0,
               nu = fits ? (size_t)m->nu : 0;
  const size_t n = PKI_SLOTS, boxes = PKI_BOXES, rows = 3 * n + boxes;
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
               {&g->push, nu},
               {&g->force, nu},
               {&g->gain, nu},
               {&g->pin, nu},
               {&g->h, nu},
               {&g->move, nu},
               {&g->u_free, nu},
               {&g->u_end, nu},
               {&g->tau, nu},
               {&g->screw, 6 * nu},
               {&g->gap, n},
               {&g->axes, 9 * n},
               {&g->sign, n * nu},
               {&g->turned, PKI_BALLS},
               {&g->point, 3 * n},
               {&g->guard, (size_t)pki_guard_size(m)},
               {&g->swung, (size_t)m->nbody},
               {&g->ends, 6 * PKI_COVERS},
               {&g->gap_end, PKI_BALLS},
               {&g->mu, n},
               {&g->r, 3 * n},
               {&g->v, 3 * n},
               {&g->impulse, 3 * n},
               {&g->fixed, 3 * n},
               {&g->slip, PKI_BALLS},
               {&g->J, 4 * n * nu},
               {&g->Y, 4 * n * nu},
               {&g->Z, 4 * n * nu},
               {&g->W, 9 * n * n},
               {&g->K, 9 * PKI_BALLS},
               {&g->box_sign, boxes},
               {&g->box_lower, boxes},
               {&g->box_upper, boxes},
               {&g->box_soft, boxes},
               {&g->box_q, boxes},
               {&g->box_r, boxes},
               {&g->box_v, boxes},
               {&g->box_impulse, boxes},
               {&g->box_Y, boxes * nu},
               {&g->box_Z, boxes * nu},
               {&g->box_W, boxes * boxes},
               {&g->cross, 3 * n * boxes},
               {&g->A, rows * rows},
               {&g->b, rows},
               {&g->state, n},
               {&g->relative, 1},
               {&g->penetration, 1},
               {&g->sweeps, 1},
               {&g->rounds, 1},
               {&g->lift, 1}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    *parts[i].array = pki_arena_take(arena, parts[i].count, real);
  }
  carve_lanes(g, nu, lanes, arena);
  g->nowhere = pki_arena_take(arena, nq + (size_t)pki_guard_size(m), sizeof(double));
  g->solver_memory = pki_arena_take(arena, solver_memsize(), 1);
  const size_t shown = lanes == 1 ? rows : 0; /* a sim alone may be watched */
  g->tap_Y = pki_arena_take(arena, shown * (nu + 1) + nu, sizeof(double));
  g->tap_col = pki_arena_take(arena, shown * (nu + 1), sizeof(int));
  g->scalar = pki_arena_take(arena, rows * rows + 5 * rows + n, sizeof(double));
}

/* ---- a sim alone ---- */

void pki_alone_carve(pki_alone *a, const pk_model *model, pki_arena *arena)
{
  *a = (pki_alone){.stale = true, .kernels = pki_group_kernels_get(1)};
  pki_group_plan_carve(&a->plan, model, arena);
  a->guard = pki_arena_take(arena, (size_t)pki_guard_size(model), sizeof *a->guard);
  pki_group_carve(&a->group, model, 1, arena);
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
  info->solver = lane->sweeps > 0 ? lane->solver : PK_SOLVER_AUTO;
  info->impulses_alone = lane->alone;
  info->contacts = sim->contact.nlast;
  info->penetration = lane->penetration;
  info->certificate.relative = lane->relative;
  if (!sim->watched) {
    return;
  }
  info->stabilisation = g->lift[0];
  info->certificate = lane->sweeps > 0 ? g->certificate : info->certificate;
  info->saturated = lane->saturated;
}

bool pki_group_step(pk_sim *sim, pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  pki_group *g = &sim->alone.group;
  if (sim->alone.stale) {
    pki_group_plan_make(&sim->alone.plan, sim);
    memset(sim->alone.guard, 0, (size_t)pki_guard_size(sim->model) * sizeof(double));
    sim->alone.stale = false;
  }
  info->left = PK_LEFT_WORLD;
  if (!sim->alone.plan.usable) {
    return false;
  }
  stopwatch of = {sim, info};
  bool plain = false;
  const pki_seat seat = {.q = sim->q,
                         .u = sim->u,
                         .commands = sim->acting,
                         .pushes = sim->pushed ? sim->pushes : NULL,
                         .friction = c->friction,
                         .q_next = sim->q_next,
                         .u_next = sim->u_next,
                         .tau = sim->tau_next,
                         .last = c->last,
                         .last_r = c->last_r,
                         .last_sticks = c->last_sticks,
                         .nlast = &c->nlast,
                         .keep = sim->options.max_contacts,
                         .last_joint = c->last_joint,
                         .limited = c->limited,
                         .plain = &plain,
                         .memory = c->colliders.memory,
                         .nmemory = &c->colliders.nmemory,
                         .guard = sim->alone.guard};
  pki_lane_info lane;
  g->plan = &sim->alone.plan;
  g->work = &sim->workspace->work;
  g->dynamics = sim->workspace->kernels;
  g->colliders = &c->colliders;
  g->law = c;
  g->watched = sim->watched;
  g->tap = c->tap.see != NULL ? &c->tap : NULL;
  g->lap = sim->options.timing ? lap : NULL;
  g->user = &of;
  sim->alone.kernels->advance(g, &seat, 1, &lane);
  info->left = lane.left;
  if (!lane.done) {
    return false;
  }
  report(sim, g, &lane, info);
  return true;
}

const char *pk_left_name(pk_left left)
{
  static const char *const names[PK_LEFT_COUNT] = {"not",      "world", "command", "fast",
                                                   "contacts", "sides", "rounds",  "numbers"};
  return (unsigned)left < PK_LEFT_COUNT ? names[left] : "unknown";
}
