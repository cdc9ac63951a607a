#include "bench/crowd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/contact_run.h"
#include "bench/machine.h"

static const double SETTLE = 2.4; /* s: three cycles */

/* How much worlds differ. */
static const double FIELD = 10;  /* m, along the ground */
static const double OFF = 0.005; /* rad, of each joint */

static pk_status out_of_memory(pk_error *err)
{
  return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory");
}

static pk_sim_options sim_options(const pki_contact_stage *stage)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = stage->scene.dt;
  o.joint_limits = false; /* the peers' robots have none */
  o.tolerance = PKI_CROWD_TOLERANCE;
  return o;
}

/* ---- where they start ---- */

/* One cycle of a robot that has settled: [ntarget][nq + nu]. */
static pk_status record_cycle(const pki_contact_stage *stage, double *cycle, pk_error *err)
{
  const pki_contact_scene *s = &stage->scene;
  const pk_model *m = s->model;
  const size_t nq = (size_t)m->nq, nu = (size_t)m->nu;
  const pk_sim_options o = sim_options(stage);
  const long long settle = llround(SETTLE / s->dt);
  pk_sim *sim = NULL;
  pk_terrain *ground = pk_terrain_create();
  pk_status status = ground ? PK_OK : out_of_memory(err);
  status =
      status == PK_OK ? pk_terrain_add_plane(ground, (double[3]){0}, (double[3]){0, 0, 1}, 0, err) : status;
  status = status == PK_OK ? pk_sim_create(m, &o, &sim, err) : status;
  status =
      status == PK_OK ? pk_sim_set_terrain(sim, ground, &(pk_material){.friction = s->mu}, 1, err) : status;
  if (status == PK_OK) {
    memcpy(pk_sim_q(sim), s->q, nq * sizeof *s->q);
  }
  for (long long k = 0; k < settle + stage->ntarget && status == PK_OK; k++) {
    const double *target = pki_contact_target(stage, k);
    if (k >= settle) {
      double *row = cycle + (size_t)(k - settle) * (nq + nu);
      memcpy(row, pk_sim_q(sim), nq * sizeof *row);
      memcpy(row + nq, pk_sim_u(sim), nu * sizeof *row);
    }
    for (int i = 0; i < m->nu; i++) {
      if (m->dof_q[i] >= 0) {
        pk_sim_commands(sim)[i] =
            (pk_command){.q_des = target[i], .kp = s->kp, .kd = s->kd, .tau_max = INFINITY};
      }
    }
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
  const int cycle = crowd->stage->ntarget;
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

pk_status pki_crowd_create(pki_crowd *crowd, const pki_contact_stage *stage, int n, bool in_phase,
                           pk_error *err)
{
  const pk_model *m = stage->scene.model;
  const size_t nq = (size_t)m->nq, nu = (size_t)m->nu, count = (size_t)n;
  *crowd = (pki_crowd){.stage = stage, .n = n};
  crowd->place = calloc(count, sizeof *crowd->place);
  crowd->q = calloc(count * nq, sizeof *crowd->q);
  crowd->u = calloc(count * nu, sizeof *crowd->u);
  double *cycle = calloc((size_t)stage->ntarget * (nq + nu), sizeof *cycle);
  if (!crowd->place || !crowd->q || !crowd->u || !cycle) {
    pki_crowd_destroy(crowd);
    free(cycle);
    return out_of_memory(err);
  }
  const pk_status status = record_cycle(stage, cycle, err);
  if (status == PK_OK) {
    pki_random random = pki_random_seeded(1);
    choose_places(crowd, &random, in_phase);
    for (int k = 0; k < n; k++) {
      place_world(m, cycle + (size_t)crowd->place[k] * (nq + nu), &random, crowd->q + (size_t)k * nq,
                  crowd->u + (size_t)k * nu);
    }
  } else {
    pki_crowd_destroy(crowd);
  }
  free(cycle);
  return status;
}

void pki_crowd_destroy(pki_crowd *crowd)
{
  free(crowd->place);
  free(crowd->q);
  free(crowd->u);
  *crowd = (pki_crowd){0};
}

/* ---- Pronk ---- */

/* Targets of some worlds, before each of their steps. */
static void set_targets(void *user, pk_batch *batch, int first, int count)
{
  const pki_crowd *crowd = user;
  const pk_model *m = crowd->stage->scene.model;
  const pk_view commands = pk_batch_commands(batch);
  for (int k = first; k < first + count; k++) {
    const long long done = llround(pk_batch_world_time(batch, k) / crowd->stage->scene.dt);
    const double *target = pki_crowd_target(crowd, k, done);
    pk_command *mine = (pk_command *)pk_world_of(commands, k);
    for (int i = 0; i < m->nu; i++) {
      mine[i].q_des = target[i]; /* those of the base have no gains */
    }
  }
}

static void start_worlds(pki_crowd_batch *b)
{
  const pki_crowd *crowd = b->crowd;
  const pki_contact_scene *s = &crowd->stage->scene;
  const pk_model *m = s->model;
  b->done = 0;
  for (int k = 0; k < crowd->n; k++) {
    pk_batch_reset(b->batch, k);
    pk_command *mine = (pk_command *)pk_world_of(pk_batch_commands(b->batch), k);
    memcpy(pk_world_of(pk_batch_q(b->batch), k), crowd->q + (size_t)k * (size_t)m->nq,
           (size_t)m->nq * sizeof(double));
    memcpy(pk_world_of(pk_batch_u(b->batch), k), crowd->u + (size_t)k * (size_t)m->nu,
           (size_t)m->nu * sizeof(double));
    for (int i = 0; i < m->nu; i++) {
      const bool held = m->dof_q[i] >= 0;
      mine[i] = (pk_command){.kp = held ? s->kp : 0, .kd = held ? s->kd : 0, .tau_max = INFINITY};
    }
  }
}

pk_status pki_crowd_batch_create(pki_crowd_batch *b, const pki_crowd *crowd, const pk_code *code, int lanes,
                                 int threads, int steps, pk_error *err)
{
  const pki_contact_scene *s = &crowd->stage->scene;
  *b = (pki_crowd_batch){.crowd = crowd, .steps = steps};
  pk_batch_options o = pk_batch_options_default();
  o.worlds = crowd->n, o.lanes = lanes, o.threads = threads;
  o.sim = sim_options(crowd->stage);
  o.sim.code = code;
  const double before = pki_machine_resident();
  b->ground = pk_terrain_create();
  pk_status status = b->ground ? PK_OK : out_of_memory(err);
  status = status == PK_OK ? pk_terrain_add_plane(b->ground, (double[3]){0}, (double[3]){0, 0, 1}, 0, err)
                           : status;
  status = status == PK_OK ? pk_batch_create(s->model, &o, &b->batch, err) : status;
  status = status == PK_OK
               ? pk_batch_set_terrain(b->batch, b->ground, &(pk_material){.friction = s->mu}, 1, err)
               : status;
  if (status == PK_OK) {
    start_worlds(b);
    pk_batch_set_callback(b->batch, set_targets, (void *)crowd);
    status = pk_batch_step(b->batch, 1, NULL); /* so that all memory that it uses is there */
    b->resident = (pki_machine_resident() - before) / crowd->n;
  }
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
  if ((double)b->done * b->crowd->stage->scene.dt > PKI_CROWD_LIFE && b->info.frozen == 0) {
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
  b->info.frozen = info.frozen;
}

bool pki_crowd_batch_fell(const pki_crowd_batch *b)
{
  bool fell = b->status != PK_OK || b->info.frozen > 0;
  for (int k = 0; k < b->crowd->n; k++) {
    const pki_contact_sample sample = {.q = pk_world_of(pk_batch_q(b->batch), k),
                                       .u = pk_world_of(pk_batch_u(b->batch), k)};
    fell |= pki_contact_is_down(&sample);
  }
  return fell;
}
