#include "bench/crowd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/contact_pronk.h"
#include "bench/contact_run.h"
#include "bench/machine.h"

static const double SETTLE = 2.4; /* s: three cycles */

/* How much worlds differ. */
static const double FIELD = 10;  /* m, along the ground */
static const double OFF = 0.005; /* rad, of each joint */

static pk_sim_options sim_options(const pki_crowd *crowd)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = crowd->scene->dt;
  o.joint_limits = crowd->scene->whole; /* feet alone: the peers' robots have none */
  o.tolerance = crowd->tolerance;
  return o;
}

/* Targets of one world. Those of a free base have no gains. */
static void set_target(const pk_model *m, const double *target, pk_command *commands)
{
  for (int i = 0; i < m->nu; i++) {
    commands[i].q_des = target[i];
  }
}

/* ---- where they start ---- */

/* One cycle of a robot that has settled: [ntarget][nq + nu]. */
static pk_status record_cycle(const pki_crowd *crowd, double *cycle, pk_error *err)
{
  const pki_contact_scene *s = crowd->scene;
  const pk_model *m = s->model;
  const size_t nq = (size_t)m->nq, nu = (size_t)m->nu;
  const pk_sim_options o = sim_options(crowd);
  const long long settle = llround(SETTLE / s->dt);
  pk_sim *sim = NULL;
  pk_terrain *ground = NULL;
  pk_status status = pki_contact_sim_create(s, &o, &ground, &sim, err);
  for (long long k = 0; k < settle + crowd->ntarget && status == PK_OK; k++) {
    if (k >= settle) {
      double *row = cycle + (size_t)(k - settle) * (nq + nu);
      memcpy(row, pk_sim_q(sim), nq * sizeof *row);
      memcpy(row + nq, pk_sim_u(sim), nu * sizeof *row);
    }
    set_target(m, crowd->targets + (size_t)(k % crowd->ntarget) * nu, pk_sim_commands(sim));
    status = pk_sim_step(sim, NULL);
  }
  pk_sim_destroy(sim);
  pk_terrain_destroy(ground);
  return status;
}

/* The state at a place of the cycle, turned about z by yaw, moved, the joints off. u of a free body: world linear velocity,
 * body angular velocity. */
static void place_world(const pk_model *m, const double *row, pki_random *random, double *q, double *u)
{
  const double yaw = pki_random_between(random, -3.14159, 3.14159), c = cos(yaw), s = sin(yaw);
  const double ch = cos(yaw / 2), sh = sin(yaw / 2);
  const double *v = row + m->nq, *o = row + 3;
  memcpy(q, row, (size_t)m->nq * sizeof *q);
  memcpy(u, v, (size_t)m->nu * sizeof *u);
  q[0] = pki_random_between(random, -FIELD, FIELD);
  q[1] = pki_random_between(random, -FIELD, FIELD);
  q[3] = ch * o[0] - sh * o[3], q[4] = ch * o[1] - sh * o[2]; /* (ch, 0, 0, sh) times the orientation */
  q[5] = ch * o[2] + sh * o[1], q[6] = ch * o[3] + sh * o[0];
  u[0] = c * v[0] - s * v[1], u[1] = s * v[0] + c * v[1];
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_q[k] >= 0) {
      q[m->dof_q[k]] += pki_random_between(random, -OFF, OFF);
    }
  }
}

/* All places of the cycle as evenly as can be, in a random order. */
static void choose_places(pki_crowd *crowd, pki_random *random, bool in_phase)
{
  const int cycle = crowd->ntarget;
  for (int k = 0; k < crowd->n; k++) {
    crowd->place[k] = in_phase ? 0 : (int)((long long)k * cycle / crowd->n % cycle);
  }
  for (int k = crowd->n - 1; k > 0; k--) {
    const int other = (int)pki_random_between(random, 0, k + 1);
    const int place = crowd->place[k];
    crowd->place[k] = crowd->place[other];
    crowd->place[other] = place;
  }
}

/* Every world at its place of the cycle. */
static void spread_worlds(pki_crowd *crowd, const double *cycle, bool in_phase)
{
  const pk_model *m = crowd->scene->model;
  const size_t nq = (size_t)m->nq, nu = (size_t)m->nu;
  pki_random random = pki_random_seeded(1);
  choose_places(crowd, &random, in_phase);
  for (int k = 0; k < crowd->n; k++) {
    place_world(m, cycle + (size_t)crowd->place[k] * (nq + nu), &random, crowd->q + (size_t)k * nq,
                crowd->u + (size_t)k * nu);
  }
}

pk_status pki_crowd_init(pki_crowd *crowd, const pki_contact_scene *scene, int n, pk_error *err)
{
  const size_t nq = (size_t)scene->model->nq, nu = (size_t)scene->model->nu, count = (size_t)n;
  *crowd = (pki_crowd){
      .scene = scene, .n = n, .ntarget = 1, .tolerance = PKI_CROWD_TOLERANCE, .life = PKI_CROWD_LIFE};
  crowd->place = calloc(count, sizeof *crowd->place);
  crowd->q = calloc(count * nq, sizeof *crowd->q);
  crowd->u = calloc(count * nu, sizeof *crowd->u);
  if (!crowd->place || !crowd->q || !crowd->u) {
    pki_crowd_destroy(crowd);
    return pki_fail_memory(err, NULL);
  }
  for (size_t k = 0; k < count; k++) {
    memcpy(crowd->q + k * nq, scene->q, nq * sizeof *crowd->q);
  }
  return PK_OK;
}

pk_status pki_crowd_trot(pki_crowd *crowd, const pki_contact_scene *scene, const double *targets, int ntarget,
                         int n, bool in_phase, pk_error *err)
{
  const size_t nq = (size_t)scene->model->nq, nu = (size_t)scene->model->nu;
  pk_status status = pki_crowd_init(crowd, scene, n, err);
  if (status != PK_OK) {
    return status;
  }
  crowd->targets = targets, crowd->ntarget = ntarget;
  double *cycle = calloc((size_t)ntarget * (nq + nu), sizeof *cycle);
  status = cycle ? record_cycle(crowd, cycle, err) : pki_fail_memory(err, NULL);
  if (status == PK_OK) {
    spread_worlds(crowd, cycle, in_phase);
  } else {
    pki_crowd_destroy(crowd);
  }
  free(cycle);
  return status;
}

pk_status pki_crowd_cycle(pki_crowd *crowd, const pki_contact_scene *scene, const double *targets,
                          int ntarget, const double *cycle, int n, pk_error *err)
{
  const pk_status status = pki_crowd_init(crowd, scene, n, err);
  if (status == PK_OK) {
    crowd->targets = targets, crowd->ntarget = ntarget;
    spread_worlds(crowd, cycle, false);
  }
  return status;
}

pk_status pki_crowd_create(pki_crowd *crowd, const pki_contact_stage *stage, int n, bool in_phase,
                           pk_error *err)
{
  return pki_crowd_trot(crowd, &stage->scene, stage->targets, stage->ntarget, n, in_phase, err);
}

void pki_crowd_destroy(pki_crowd *crowd)
{
  free(crowd->place);
  free(crowd->q);
  free(crowd->u);
  free(crowd->poses);
  *crowd = (pki_crowd){0};
}

/* ---- Pronk ---- */

/* Targets of some worlds, before each of their steps. */
static void set_targets(void *user, pk_batch *batch, int first, int count)
{
  const pki_crowd *crowd = user;
  const pk_batch_view commands = pk_batch_commands(batch);
  for (int k = first; k < first + count; k++) {
    const long long done = llround(pk_batch_world_time(batch, k) / crowd->scene->dt);
    set_target(crowd->scene->model, pki_crowd_target(crowd, k, done),
               (pk_command *)pk_batch_view_world(commands, k));
  }
}

static void start_worlds(pki_crowd_batch *b)
{
  const pki_crowd *crowd = b->crowd;
  const pk_model *m = crowd->scene->model;
  b->done = 0;
  for (int k = 0; k < crowd->n; k++) {
    pk_batch_reset(b->batch, k);
    pk_command *mine = (pk_command *)pk_batch_view_world(pk_batch_commands(b->batch), k);
    memcpy(pk_batch_view_world(pk_batch_q(b->batch), k), crowd->q + (size_t)k * (size_t)m->nq,
           (size_t)m->nq * sizeof(double));
    memcpy(pk_batch_view_world(pk_batch_u(b->batch), k), crowd->u + (size_t)k * (size_t)m->nu,
           (size_t)m->nu * sizeof(double));
    pki_contact_set_gains(crowd->scene, mine);
    set_target(m, pki_crowd_target(crowd, k, 0), mine);
  }
}

pk_status pki_crowd_batch_create(pki_crowd_batch *b, const pki_crowd *crowd, const pk_code *code,
                                 const pk_actuation *actuation, int lanes, int threads, int steps,
                                 pk_error *err)
{
  pk_sim *sim = NULL; /* tells the batch about the ground and who collides */
  *b = (pki_crowd_batch){.crowd = crowd, .steps = steps};
  pk_batch_options o = pk_batch_options_default();
  o.worlds = crowd->n, o.lanes = lanes, o.threads = threads;
  o.sim = sim_options(crowd);
  o.sim.code = code, o.sim.actuation = actuation;
  pk_status status = pki_contact_sim_create(crowd->scene, &o.sim, &b->ground, &sim, err);
  const double before = pki_machine_resident();
  status = status == PK_OK ? pk_batch_create(crowd->scene->model, &o, &b->batch, err) : status;
  status = status == PK_OK ? pk_batch_set_like(b->batch, sim, err) : status;
  if (status == PK_OK) {
    start_worlds(b);
    if (crowd->ntarget > 1) {
      pk_batch_set_callback(b->batch, set_targets, (void *)crowd);
    }
    status = pk_batch_step(b->batch, 1, NULL); /* so that all memory that it uses is there */
    b->done = 1;
    b->resident = (pki_machine_resident() - before) / crowd->n;
  }
  pk_sim_destroy(sim);
  if (status != PK_OK) {
    pki_crowd_batch_destroy(b);
  }
  return status;
}

void pki_crowd_batch_destroy(pki_crowd_batch *b)
{
  pk_batch_destroy(b->batch);
  pk_terrain_destroy(b->ground);
  b->batch = NULL;
  b->ground = NULL;
}

void pki_crowd_batch_call(void *batch, int index)
{
  pki_crowd_batch *b = batch;
  pk_batch_info info = {0};
  (void)index;
  if (pki_crowd_is_over(b->crowd, b->done + b->steps - 1)) {
    start_worlds(b);
  }
  const pk_status status = pk_batch_step(b->batch, b->steps, &info);
  b->done += b->steps;
  b->status = b->status == PK_OK ? status : b->status;
  if (info.worst > b->info.worst) {
    b->info.worst = info.worst;
    b->info.worst_world = info.worst_world;
  }
  b->info.stepped += info.stepped;
  b->info.uncertified += info.uncertified;
  b->info.alone += info.alone;
  for (int i = 0; i < PK_LANE_EXIT_COUNT; i++) {
    b->info.left[i] += info.left[i];
  }
  b->info.impulses_alone += info.impulses_alone;
  b->info.shifted += info.shifted;
  b->info.shift = fmax(b->info.shift, info.shift);
  b->info.frozen = info.frozen > b->info.frozen ? info.frozen : b->info.frozen;
}

bool pki_crowd_batch_fell(const pki_crowd_batch *b)
{
  bool fell = b->status != PK_OK || b->info.frozen > 0;
  for (int k = 0; k < b->crowd->n; k++) {
    const pki_contact_sample sample = {.q = pk_batch_view_world(pk_batch_q(b->batch), k),
                                       .u = pk_batch_view_world(pk_batch_u(b->batch), k)};
    fell |= pki_contact_is_down(&sample);
  }
  return fell;
}
