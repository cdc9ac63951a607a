#include "step/group.h"

#include <string.h>

#include "math/variants.h"
#include "step/contact.h"
#include "step/soft.h"

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
static void carve_lanes(pki_group *g, size_t joints, bool slots, int lanes, pki_arena *arena)
{
  const size_t mask = (size_t)lanes * sizeof *g->active, n = slots ? PKI_SLOTS : 0;
  const size_t found = slots ? PKI_FOUND : 0;
  g->active = pki_arena_take(arena, n, mask);
  g->stuck = pki_arena_take(arena, n, mask);
  g->took = pki_arena_take(arena, PKI_BALLS, mask);
  g->box_active = pki_arena_take(arena, slots ? PKI_BOXES : 0, mask);
  g->joint.tracked = pki_arena_take(arena, joints, mask);
  g->joint.eased = pki_arena_take(arena, joints, mask);
  g->joint.limited = pki_arena_take(arena, joints, mask);
  g->joint.pinned = pki_arena_take(arena, joints, mask);
  g->joint.sliding = pki_arena_take(arena, joints, mask);
  g->joint.at_limit = pki_arena_take(arena, 2 * joints, mask);
  g->box = pki_arena_take(arena, slots ? (size_t)lanes : 0, sizeof *g->box);
  for (int l = 0; l < lanes; l++) {
    g->found[l] = pki_arena_take(arena, found, sizeof *g->found[l]);
    g->found_end[l] = pki_arena_take(arena, found, sizeof *g->found_end[l]);
    g->slot_of[l] = pki_arena_take(arena, found, sizeof *g->slot_of[l]);
    g->followed[l] = pki_arena_take(arena, slots ? PKI_BALLS + PKI_FOUND : 0, sizeof *g->followed[l]);
    g->search.memory[l] = pki_arena_take(arena, found, sizeof *g->search.memory[l]);
  }
  g->search.candidates = pki_arena_take(arena, slots ? PKI_CANDIDATES : 0, sizeof *g->search.candidates);
}

/* Arrays of numbers, and how many entries each has. */
typedef struct numbers {
  double **array;
  size_t count;
} numbers;

static void take_numbers(const numbers *parts, size_t n, int lanes, pki_arena *arena)
{
  for (size_t i = 0; i < n; i++) {
    *parts[i].array = pki_arena_take(arena, parts[i].count, (size_t)lanes * sizeof(double));
  }
}

/* Configurations, velocities, commands, and what a step says of itself. */
static void carve_motion(pki_group *g, const pk_model *m, const pk_actuation *a, bool any, int lanes,
                         pki_arena *arena)
{
  const bool acts = any && a != NULL;
  const size_t states = acts ? (size_t)a->nstate : 0;
  const size_t motors = acts ? (size_t)a->nmotor * PKI_MOTOR_CONSTANTS : 0;
  const size_t nq = any ? (size_t)m->nq : 0, nu = any ? (size_t)m->nu : 0;
  const size_t joints = any ? (size_t)pki_joint_model(m)->nu : 0;
  const numbers parts[] = {{&g->q, nq},
                           {&g->u, nu},
                           {&g->q_mid, nq},
                           {&g->q_end, nq},
                           {&g->q_try, nq},
                           {&g->joint.command, PKI_COMMAND_NUMBERS * joints},
                           {&g->joint.softness, joints},
                           {&g->joint.x, joints},
                           {&g->joint.law, PKI_LAW_NUMBERS * joints},
                           {&g->joint.line_a, joints},
                           {&g->joint.line_g, joints},
                           {&g->joint.piece, joints},
                           {&g->joint.other, joints},
                           {&g->joint.row, PKI_FORCE_NUMBERS * joints},
                           {&g->joint.dry, joints},
                           {&g->joint.added, acts ? 2 * joints : 0},
                           {&g->actuators.state, states},
                           {&g->actuators.motors, motors},
                           {&g->push, nu},
                           {&g->joint.force, joints},
                           {&g->joint.gain, joints},
                           {&g->joint.drag, joints},
                           {&g->joint.rates, joints},
                           {&g->drive, nu},
                           {&g->joint.pin, joints},
                           {&g->h, nu},
                           {&g->move, nu},
                           {&g->u_free, nu},
                           {&g->u_end, nu},
                           {&g->u_row, nu},
                           {&g->joint.tau, joints},
                           {&g->screw, 6 * nu},
                           {&g->relative, 1},
                           {&g->penetration, 1},
                           {&g->sweeps, 1},
                           {&g->rounds, 1},
                           {&g->lift, 1},
                           {&g->search.guard, (size_t)pki_guard_size(m)},
                           {&g->search.swung, (size_t)m->nbody},
                           {&g->turned, PKI_BALLS},
                           {&g->gap_end, PKI_BALLS},
                           {&g->slip, PKI_BALLS},
                           {&g->K, 9 * PKI_BALLS}};
  take_numbers(parts, sizeof parts / sizeof parts[0], lanes, arena);
}

/* Slots for contacts and joint rows, W, and a Newton step. */
static void carve_slots(pki_group *g, bool slots, size_t nu, int lanes, pki_arena *arena)
{
  const size_t n = slots ? PKI_SLOTS : 0, boxes = slots ? PKI_BOXES : 0, rows = 3 * n + boxes;
  const numbers parts[] = {
      {&g->gap, n},
      {&g->axes, 9 * n},
      {&g->sign, n * nu},
      {&g->point, 3 * n},
      {&g->search.ends, slots ? 6 * PKI_COVERS : 0},
      {&g->search.axes, slots ? 9 * PKI_COVERS : 0},
      {&g->mu, n},
      {&g->r, 3 * n},
      {&g->v, 3 * n},
      {&g->impulse, 3 * n},
      {&g->fixed, 3 * n},
      {&g->offset, 3 * n},
      {&g->J, 4 * n * nu},
      {&g->Y, 4 * n * nu},
      {&g->Z, 4 * n * nu},
      {&g->W, 9 * n * n},
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
      {&g->A, rows * (rows + 8)}, /* with the right side, in whole vectors */
      {&g->b, rows},
      {&g->state, n},
  };
  take_numbers(parts, sizeof parts / sizeof parts[0], lanes, arena);
  const size_t shown = lanes == 1 ? rows : 0; /* a single sim may have an observer */
  g->solver_memory = pki_arena_take(arena, slots ? solver_memsize() : 0, 1);
  g->observed_Y = pki_arena_take(arena, shown * (nu + 1) + nu, sizeof(double));
  g->observed_col = pki_arena_take(arena, shown * (nu + 1), sizeof(int));
  g->scalar = pki_arena_take(arena, rows * rows + 5 * rows + n, sizeof(double));
}

void pki_group_carve(pki_group *g, const pk_model *m, const pk_actuation *actuation, int lanes,
                     pki_arena *arena)
{
  const bool slots = m->nu <= PKI_GROUP_NU; /* rows of larger models are on chains: a sim alone has them */
  const bool any = slots || lanes == 1;
  *g = (pki_group){.plan = NULL};
  carve_motion(g, m, actuation, any, lanes, arena);
  carve_slots(g, slots, slots ? (size_t)m->nu : 0, lanes, arena);
  carve_lanes(g, any ? (size_t)pki_joint_model(m)->nu : 0, slots, lanes, arena);
  const size_t states = actuation != NULL ? (size_t)actuation->nstate : 0;
  g->discard =
      pki_arena_take(arena, (any ? (size_t)m->nq : 0) + (size_t)pki_guard_size(m) + states, sizeof(double));
}

void pki_group_use_actuation(pki_group *g, const pk_actuation *a, int lanes)
{
  const bool room = a != NULL && (lanes == 1 || a->nu <= PKI_GROUP_NU); /* as pki_group_carve has it */
  for (int i = 0; room && i < a->nmotor * PKI_MOTOR_CONSTANTS; i++) {
    for (int l = 0; l < lanes; l++) {
      g->actuators.motors[i * lanes + l] = a->constants[i];
    }
  }
}

/* ---- a sim alone ---- */

void pki_single_group_carve(pki_single_group *a, const pk_model *model, const pk_actuation *actuation,
                            pki_arena *arena)
{
  *a = (pki_single_group){.stale = true, .kernels = pki_group_kernels_get(1)};
  pki_group_plan_carve(&a->plan, model, arena);
  pki_group_plan_carve_limits(&a->chains, model, arena);
  a->guard = pki_arena_take(arena, (size_t)pki_guard_size(model), sizeof *a->guard);
  pki_group_carve(&a->group, model, actuation, 1, arena);
}

/* Whose step is measured, and where the times go. */
typedef struct stopwatch {
  pk_sim *sim;
  pk_step_info *info;
} stopwatch;

static void record_lap(void *user, pk_step_part part)
{
  const stopwatch *of = user;
  pki_lap(of->sim, part, of->info);
}

/* What slots and chains tell alike. */
static void report_lane(const pk_sim *sim, const pki_group *g, const pki_lane_info *lane, pk_step_info *info)
{
  info->iterations = lane->rounds;
  info->contacts = sim->state.n.nlast;
  info->penetration = lane->penetration;
  info->stabilisation = sim->wants_info ? g->lift[0] : 0;
  info->saturated = sim->wants_info ? lane->saturated : 0;
  info->tracking = lane->tracking, info->slip = lane->slip;
  info->relinearised = lane->relinearised, info->yielded = lane->yielded;
}

/* The sim as the world of a lane. */
static pki_lane_world lane_world_of(pk_sim *sim, bool *plain)
{
  pki_sim_state *c = &sim->state;
  *plain = false;
  return (pki_lane_world){.q = sim->state.q,
                          .u = sim->state.u,
                          .commands = sim->acting,
                          .pushes = sim->state.n.pushed ? sim->state.pushes : NULL,
                          .friction = sim->parameters.friction,
                          .actuation = sim->state.actuation,
                          .motors = sim->motors,
                          .actuation_next = sim->actuation_next,
                          .q_next = sim->q_next,
                          .u_next = sim->u_next,
                          .tau = sim->tau_next,
                          .last = c->last,
                          .last_r = c->last_r,
                          .last_sticks = c->last_sticks,
                          .nlast = &c->n.nlast,
                          .keep = sim->options.max_contacts,
                          .last_joint = c->last_joint,
                          .limited = c->limited,
                          .plain = plain,
                          .memory = sim->scene.colliders.memory,
                          .nmemory = &sim->scene.colliders.nmemory,
                          .guard = sim->single.guard};
}

/* One step of the sim with the group and its plan; where times go is `of`. */
static pki_lane_info advance_group(pk_sim *sim, pki_group *g, stopwatch *of)
{
  pki_lane_info lane;
  bool plain;
  const pki_lane_world lane_world = lane_world_of(sim, &plain);
  g->work = &sim->workspace->work;
  g->dynamics = sim->workspace->kernels;
  g->colliders = &sim->scene.colliders;
  g->scene = &sim->scene;
  g->wants_info = sim->wants_info;
  g->lap = sim->options.timing ? record_lap : NULL;
  g->user = of;
  sim->single.kernels->advance(g, &lane_world, 1, &lane);
  return lane;
}

/* Plans of the sim as it is now. */
static void refresh_plans(pk_sim *sim)
{
  if (sim->single.stale) {
    pki_group_plan_make(&sim->single.plan, sim);
    pki_group_plan_chains(&sim->single.chains, sim);
    memset(sim->single.guard, 0, (size_t)pki_guard_size(sim->model) * sizeof(double));
    sim->single.stale = false;
  }
}

bool pki_group_step(pk_sim *sim, pk_step_info *info)
{
  pki_group *g = &sim->single.group;
  stopwatch of = {sim, info};
  refresh_plans(sim);
  info->left =
      sim->single.plan.usable && !sim->single.chains_only ? PK_LANE_EXIT_CONTACTS : PK_LANE_EXIT_WORLD;
  if (info->left == PK_LANE_EXIT_WORLD || sim->state.n.nlast > PKI_SLOTS) {
    return false; /* what had no room in the last step has none in this one */
  }
  g->plan = &sim->single.plan;
  g->observer = sim->contact.observer.observe != NULL ? &sim->contact.observer : NULL;
  const pki_lane_info lane = advance_group(sim, g, &of);
  info->left = lane.left;
  if (!lane.done) {
    return false;
  }
  report_lane(sim, g, &lane, info);
  info->impulses_alone = lane.scalar_fallback;
  info->solver_iterations = lane.sweeps;
  info->solver = lane.sweeps > 0 ? lane.solver : PK_SOLVER_AUTO;
  info->certified &=
      lane.relative <= sim->options.tolerance; /* not when the user's cap on iterations ended a solve */
  info->certificate.relative = lane.relative;
  info->certificate = sim->wants_info && lane.rows ? g->certificate : info->certificate;
  return true;
}

static pk_status step_on_chains(pk_sim *sim, pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  pki_group g = sim->single.group; /* its arrays, with the sim's own for contacts */
  stopwatch of = {sim, info};
  refresh_plans(sim);
  if (sim->scene.soft != NULL) {
    sim->scene.soft->npatch = 0;
    sim->scene.soft->unsearched = true;
  }
  g.plan = &sim->single.chains;
  g.world = sim, g.info = info;
  g.found[0] = g.found_end[0] = c->found;
  g.slot_of[0] = c->slot_of;
  g.followed[0] = c->followed;
  const pki_lane_info lane = advance_group(sim, &g, &of);
  if (lane.status != PK_OK) {
    return lane.status;
  }
  report_lane(sim, &g, &lane, info);
  info->certified &= !lane.unsettled;
  /* a loop that stays open is no solution, however well its velocities fit */
  info->certified &= g.plan->published || info->closure <= pki_touching(sim);
  return PK_OK;
}

const char *pk_lane_exit_name(pk_lane_exit left)
{
  static const char *const names[PK_LANE_EXIT_COUNT] = {"not",      "world", "command", "fast",
                                                        "contacts", "sides", "rounds",  "numbers"};
  return (unsigned)left < PK_LANE_EXIT_COUNT ? names[left] : "unknown";
}

/* Options of steps that solve for impulses. */
#define PKI_IMPULSE_READS \
  "implicit joint_limits joint_friction contact landing_friction yield margin swept solver tolerance " \
  "max_iterations alpha bilateral stop change_rel change_abs succession impact resting lcp cone"

const pki_stepper pki_stepper_euler = {
    .name = "euler",
    .doc = "semi-implicit Euler: velocity first, then position with it; order 1",
    .reads = PKI_IMPULSE_READS " relinearise",
    .step = step_on_chains,
    .contact = true};

const pki_stepper pki_stepper_moreau = {
    .name = "moreau",
    .doc = "Moreau's midpoint scheme: M and h half a step on; order 1 (2 for constant M and h(q))",
    .reads = PKI_IMPULSE_READS,
    .step = step_on_chains,
    .contact = true,
    .midpoint = true};
