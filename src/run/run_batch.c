#include "run/run_batch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actuation/actuation.h"
#include "base/clock.h"
#include "math/mat3.h"
#include "model/pose.h"
#include "model/trunk_link.h"
#include "step/world.h"

enum { STRETCH = 100 }; /* steps between looks at the clock and at Ctrl-C */

/* A run of many. Threads write to their own worlds alone. */
typedef struct runner {
  pki_world *world;
  const pki_batch_options *options;
  pki_batch_result *result;
  pk_batch *batch;
  long long steps; /* of each world */
  int look_every;  /* steps between looks at the trunk */
  int trace_every;
  double *before;           /* [worlds][nu] velocities at the start of the step */
  double *push;             /* [worlds] factors on pushes */
  pk_sim_contact *contacts; /* [worlds][room] what a look needs */
  int room;
  bool works; /* joint coordinates are the world's own: the work of joints can be added up */
  double shown;
} runner;

/* ---- what is looked at ---- */

/* The trunk of the first robot; one that does not float on the world stays where it is. */
static pk_pose trunk_of(const runner *r, int k)
{
  const pk_model *m = r->world->model;
  pk_pose pose = pk_pose_identity();
  const pk_model_link *trunk = m->nrobot > 0 ? &m->links[pki_model_trunk(m, 0)] : NULL;
  const int body = trunk != NULL ? trunk->body : -1;
  if (body < 0 || m->body_parent[body] >= 0 || m->body_motion[body] != PK_MOTION_FLOATING) {
    return pose;
  }
  /* place of its joint, what the joint moves it by, the link in its body */
  const double *q = pk_batch_view_world(pk_batch_q(r->batch), k) + m->body_q[body];
  pk_pose place;
  memcpy(place.pos, m->body_pos + 3 * (size_t)body, sizeof place.pos);
  memcpy(place.rot, m->body_rot + 9 * (size_t)body, sizeof place.rot);
  memcpy(pose.pos, q, sizeof pose.pos);
  pki_quat_to_mat3(q + 3, pose.rot);
  pose = pki_pose_mul(&pose, &trunk->pose);
  return pki_pose_mul(&place, &pose);
}

static void trace_trunk(const runner *r, int k, const pk_pose *trunk)
{
  pki_batch_trace *t = k < r->result->ntrace ? &r->result->trace[k] : NULL;
  if (t != NULL && t->n < PKI_TRACE) {
    t->x[t->n] = trunk->pos[0], t->y[t->n] = trunk->pos[1];
    t->n++;
  }
}

/* The work of a step's joint forces, as pki_watch_step counts it. */
static void watch_work(const runner *r, int k, pki_run_result *of)
{
  const pk_model *m = r->world->model;
  const double dt = r->world->scenario->step.dt, *tau = pk_batch_view_world(pk_batch_tau(r->batch), k),
               *u = pk_batch_view_world(pk_batch_u(r->batch), k);
  double *before = r->before + (size_t)k * (size_t)m->nu;
  for (int i = 0; i < m->nu; i++) {
    if (m->dof_joint[i] >= 0) {
      const double work = dt * tau[i] * 0.5 * (before[i] + u[i]);
      of->energy_in += work;
      of->positive_work += fmax(work, 0);
      r->result->peak[k] = fmax(r->result->peak[k], fabs(tau[i]));
    }
    before[i] = u[i];
  }
}

/* The hottest winding of motors that warm, as it is now. */
static void watch_windings(const runner *r, int k, pki_run_result *of)
{
  const pk_actuation *a = r->world->actuation;
  for (int n = 0; a != NULL && n < a->nmotor; n++) {
    if (a->constants[n * PKI_MOTOR_CONSTANTS + PKI_MOTOR_C_WINDING] > 0) {
      const double *state = pk_batch_view_world(pk_batch_actuation(r->batch), k);
      of->hottest = fmax(of->hottest, state[a->list[a->order[n]].state + PKI_MOTOR_STATE_WINDING]);
    }
  }
}

/* World k has made a step since it was last looked at, or more than one when it was not asked. */
static void watch_step(const runner *r, int k)
{
  pki_run_result *of = &r->result->of[k];
  const double time = pk_batch_world_time(r->batch, k), residual = pk_batch_world_residual(r->batch, k);
  of->status = pk_batch_world_status(r->batch, k);
  if (llround(time / r->world->scenario->step.dt) <= of->steps) {
    return; /* none: it has just begun, or it is frozen */
  }
  of->steps++;
  const bool own = of->bound == r->world->scenario->step.tolerance;
  of->uncertified += own ? !pk_batch_world_certified(r->batch, k) : !(residual <= of->bound);
  if (residual > of->worst_residual) {
    of->worst_residual = residual, of->worst_step = of->steps, of->worst_time = time;
  }
  if (r->works) {
    watch_work(r, k, of);
  }
  if (of->steps % r->look_every == 0 || of->steps == r->steps) {
    pk_sim_contact *contacts = r->contacts + (size_t)k * (size_t)r->room;
    const pk_pose trunk = trunk_of(r, k);
    watch_windings(r, k, of);
    const int n = pk_batch_contacts(r->batch, k, contacts, r->room);
    pki_watch_trunk(&trunk,
                    pki_watch_carried(r->world->model, contacts, n < r->room ? n : r->room, trunk.pos[2]),
                    time, of);
    if (of->steps % r->trace_every == 0) {
      trace_trunk(r, k, &trunk);
    }
  }
}

static void watch_group(void *user, pk_batch *batch, int first, int count)
{
  const runner *r = user;
  (void)batch;
  for (int k = first; k < first + count; k++) {
    watch_step(r, k);
  }
}

/* Every world at its start. */
static pk_status set_worlds(runner *r, pk_error *err)
{
  pki_world *w = r->world;
  const size_t nu = (size_t)w->model->nu;
  pk_status status = PK_OK;
  for (int k = 0; k < r->options->worlds && status == PK_OK; k++) {
    status = pki_world_vary(w, k, err);
    status = status == PK_OK ? pk_batch_set(r->batch, k, w->sim, err) : status;
    if (status != PK_OK) {
      continue;
    }
    pki_run_result *of = &r->result->of[k];
    *of = (pki_run_result){.bound = r->result->bound,
                           .nrobot = w->model_robot[w->scenario->nmodel],
                           .model = w->model,
                           .hottest = NAN};
    for (int i = 0; i < of->nrobot; i++) {
      of->mass += pk_sim_mass(w->sim, i);
    }
    const pk_pose trunk = trunk_of(r, k);
    pki_watch_start(&trunk, of);
    trace_trunk(r, k, &trunk);
    memcpy(r->before + (size_t)k * nu, pk_sim_u(w->sim), nu * sizeof(double));
    r->push[k] = w->push;
  }
  const pk_status back = pki_world_vary(w, -1, status == PK_OK ? err : NULL);
  return status == PK_OK ? back : status;
}

static pk_status begin_batch_run(runner *r, pk_error *err)
{
  pki_world *w = r->world;
  pki_batch_result *result = r->result;
  const size_t n = (size_t)r->options->worlds, nu = (size_t)w->model->nu;
  const double dt = w->scenario->step.dt;
  pk_batch_options o = pk_batch_options_default();
  o.worlds = r->options->worlds, o.lanes = r->options->lanes, o.threads = r->options->threads;
  o.sim = w->sim->options;
  pk_status status = pk_batch_create(w->model, &o, &r->batch, err);
  status = status == PK_OK ? pk_batch_set_like(r->batch, w->sim, err) : status;
  status = status == PK_OK ? pk_batch_set_controller(r->batch, w->controller, err) : status;
  if (status != PK_OK) {
    return status;
  }
  r->room = pk_batch_keep(r->batch);
  r->works = w->model->tree == NULL;
  r->look_every = (int)fmax(1, round(0.01 / dt));
  const long long every = r->steps / (PKI_TRACE - 2) + 1;
  r->trace_every = (int)((every + r->look_every - 1) / r->look_every) * r->look_every;
  result->ntrace = r->options->worlds < PKI_TRACES ? r->options->worlds : PKI_TRACES;
  result->of = calloc(n, sizeof *result->of);
  result->peak = calloc(n, sizeof *result->peak);
  result->trace = calloc((size_t)result->ntrace, sizeof *result->trace);
  r->before = calloc(n * nu + 1, sizeof *r->before);
  r->push = calloc(n, sizeof *r->push);
  r->contacts = calloc(n * (size_t)r->room, sizeof *r->contacts);
  if (result->of == NULL || result->peak == NULL || result->trace == NULL || r->before == NULL ||
      r->push == NULL || r->contacts == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory for %d worlds", r->options->worlds);
  }
  result->worlds = r->options->worlds;
  result->lanes = pk_batch_lanes(r->batch), result->threads = pk_batch_threads(r->batch);
  result->world_bytes = pk_batch_world_bytes(r->batch);
  return set_worlds(r, err);
}

/* ---- the loop ---- */

/* Pushes of the next step, in all worlds; false: there are none. When they come does not depend on the world. */
static bool push_all(const runner *r, long long step)
{
  const double time = (double)step * r->world->scenario->step.dt;
  bool any = pki_world_pushes(r->world, 0, 1, time) > 0;
  for (int k = 0; k < r->result->worlds && any; k++) {
    const int n =
        pk_batch_world_status(r->batch, k) == PK_OK ? pki_world_pushes(r->world, k, r->push[k], time) : 0;
    for (int i = 0; i < n; i++) {
      (void)pk_batch_add_push(r->batch, k, &r->world->acting[i]);
    }
  }
  return any;
}

/* How many of the next steps have no push. */
static int quiet_steps(const runner *r, long long step, int most)
{
  int n = 0;
  while (n < most &&
         pki_world_pushes(r->world, 0, 1, (double)(step + n) * r->world->scenario->step.dt) == 0) {
    n++;
  }
  return n;
}

static void show_batch_progress(runner *r, long long done)
{
  const double now = pki_clock();
  if (r->options->progress == NULL || now - r->shown < 0.1) {
    return;
  }
  char what[128];
  const double rate = (double)r->result->steps / fmax(r->result->wall, 1e-9);
  const double left = (double)(r->steps - done) * r->result->worlds / fmax(rate, 1e-9);
  r->shown = now;
  snprintf(what, sizeof what, "%.1f/%g s of %d worlds, %.3g steps/s, %.0f s left; res %.0e, %d frozen",
           (double)done * r->world->scenario->step.dt, (double)r->steps * r->world->scenario->step.dt,
           r->result->worlds, rate, ceil(left), r->result->worst, r->result->frozen);
  r->options->progress(r->options->user, (double)done / (double)r->steps, what);
}

static pk_status run_batch_steps(runner *r)
{
  pki_batch_result *result = r->result;
  pk_status status = PK_OK;
  long long done = 0;
  pk_batch_set_callback(r->batch, watch_group, r);
  while (done < r->steps && status == PK_OK) {
    if (r->options->stop != NULL && *r->options->stop != 0) {
      result->interrupted = true;
      break;
    }
    const int most = r->steps - done < STRETCH ? (int)(r->steps - done) : STRETCH;
    const int quiet = push_all(r, done) ? 1 : quiet_steps(r, done, most);
    pk_batch_info info;
    const double before = pki_clock();
    status = pk_batch_step(r->batch, quiet, &info);
    result->wall += pki_clock() - before;
    result->steps += info.stepped, result->alone += info.alone;
    result->impulses_alone += info.impulses_alone, result->shifted += info.shifted;
    result->shift = fmax(result->shift, info.shift);
    for (int i = 0; i < PK_LANE_EXIT_COUNT; i++) {
      result->left[i] += info.left[i];
    }
    result->frozen = info.frozen;
    result->worst = fmax(result->worst, info.worst);
    done += quiet;
    show_batch_progress(r, done);
  }
  pk_batch_set_callback(r->batch, NULL, NULL);
  for (int k = 0; k < result->worlds; k++) {
    watch_step(r, k); /* the last one */
  }
  result->duration = (double)done * r->world->scenario->step.dt;
  return status;
}

/* What follows from all worlds. */
static void add_up(runner *r)
{
  pki_batch_result *result = r->result;
  result->worst = 0, result->worst_world = -1, result->frozen = 0;
  for (int k = 0; k < result->worlds; k++) {
    pki_run_result *of = &result->of[k];
    of->interrupted = result->interrupted;
    of->duration = (double)of->steps * r->world->scenario->step.dt;
    pki_watch_settle(of);
    if (!r->works) {
      of->energy_in = of->positive_work = result->peak[k] = NAN;
    }
    result->fell += of->fell;
    result->frozen += of->status != PK_OK;
    result->uncertified += of->uncertified;
    if (result->worst_world < 0 || of->worst_residual > result->worst) {
      result->worst = of->worst_residual, result->worst_world = k;
    }
  }
}

pk_status pki_batch_run(pki_world *world, const pki_batch_options *options, pki_batch_result *result,
                        pk_error *err)
{
  const pki_scenario *s = world->scenario;
  const double duration = options->duration >= 0 ? options->duration : s->duration;
  *result = (pki_batch_result){.world = world,
                               .asked_duration = options->duration,
                               .bound = options->bound > 0 ? options->bound : s->step.tolerance};
  /* rounding must not cost or add a step */
  runner r = {.world = world,
              .options = options,
              .result = result,
              .steps = (long long)ceil(duration / s->step.dt - 1e-6)};
  pk_status status = begin_batch_run(&r, err);
  if (status == PK_OK) {
    status = run_batch_steps(&r);
    add_up(&r);
    if (status != PK_OK) {
      pki_fail(err, status, (pki_where){0}, "the batch stopped: %s", pk_status_text(status));
    }
  }
  pk_batch_destroy(r.batch);
  free(r.before), free(r.push), free(r.contacts);
  return status;
}

void pki_batch_result_free(pki_batch_result *result)
{
  free(result->of);
  free(result->peak);
  free(result->trace);
  *result = (pki_batch_result){0};
}
