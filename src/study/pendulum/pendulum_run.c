/* One motion of the pendulums, by Pronk in relative coordinates (Munthe-Kaas Runge-Kutta of
 * order 4, fixed step) and by a peer in absolute ones, watched for energy and period. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "model/locate.h"
#include "study/pendulum/pendulum.h"

static const double two_pi = 6.283185307179586476925;

/* Speed is that of the fastest of a few stretches: another program's work is not ours. */
enum { STRETCHES = 5, STRETCH_STEPS = 2000, MIN_TOLD = 200 };

/* --- models --------------------------------------------------------------------------- */

/* What the numbers of Zobova et al. 2016 make of M and of the potential when hanging straight down. */
static pk_status check_model(const pk_model *model, int bodies, const char *path, pk_error *err)
{
  static const double single[1] = {6.5}, twofold[4] = {49, 24.5, 24.5, 14.5};
  const double *expected = bodies == 1 ? single : twofold;
  const double depth = bodies == 1 ? -1 : -10;
  const pki_where where = {.file = path};
  if (model->nu != bodies || model->nq != bodies) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, where, "has %d degrees of freedom, the paper's model has %d",
                    model->nu, bodies);
  }
  pk_workspace *w;
  pk_workspace_create(model, &w, NULL);
  if (w == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, where, "out of memory");
  }
  double q[PKI_PENDULUM_MAX] = {0}, u[PKI_PENDULUM_MAX] = {0}, M[PKI_PENDULUM_MAX * PKI_PENDULUM_MAX];
  pk_mass_matrix(w, q, M);
  pk_kinematics_compute(w, q, u);
  double worst = fabs(pk_energy_compute(w, u).potential - depth);
  for (int i = 0; i < bodies * bodies; i++) {
    worst = fmax(worst, fabs(M[i] - expected[i]));
  }
  for (int i = 0; i < bodies; i++) {
    worst = fmax(worst, fmax(model->dof_damping[i], model->dof_friction[i]));
  }
  pk_workspace_destroy(w);
  if (!(worst < 1e-12)) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, where,
                    "is not the paper's model: its masses, moments of inertia, lengths or damping differ");
  }
  return PK_OK;
}

pk_status pki_pendulum_load(int bodies, pk_model **out, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pk_status status = pki_model_locate(bodies == 1 ? "pendulum" : "double_pendulum", path, err);
  if (status != PK_OK) {
    return status;
  }
  pk_builder *b;
  pk_builder_create(&b, NULL);
  if (b == NULL) {
    return pki_fail_memory(err, NULL);
  }
  pk_load_options options = pk_load_options_default();
  options.load_meshes = false;
  pk_builder_set_gravity(b, (const double[3]){0, 0, -1});
  status = pk_builder_add_urdf(b, path, &options, err);
  pk_model *model = NULL;
  status = status == PK_OK ? pk_builder_compile(b, &model, err) : status;
  pk_builder_destroy(b);
  status = status == PK_OK ? check_model(model, bodies, path, err) : status;
  if (status != PK_OK) {
    pk_model_destroy(model);
    return status;
  }
  *out = model;
  return PK_OK;
}

/* --- histories ------------------------------------------------------------------------- */

pk_status pki_pendulum_history_create(pki_pendulum_history *h, int n, pk_error *err)
{
  /* Four curves and room for one revolution at every eighth sample. */
  *h = (pki_pendulum_history){0};
  double *memory = calloc((size_t)n * 4 + (size_t)(n / 8 + 1) * 2, sizeof *memory);
  if (memory == NULL) {
    return pki_fail_memory(err, NULL);
  }
  h->time = memory;
  h->height = h->time + n;
  h->energy_error = h->height + n;
  h->angle = h->energy_error + n;
  h->period_time = h->angle + n;
  h->period = h->period_time + n / 8 + 1;
  return PK_OK;
}

void pki_pendulum_history_free(pki_pendulum_history *h)
{
  free(h->time);
  *h = (pki_pendulum_history){0};
}

static void record_sample(pki_pendulum_history *h, double time, double height, double energy_error,
                          double angle)
{
  h->time[h->n] = time;
  h->height[h->n] = height;
  h->energy_error[h->n] = energy_error;
  h->angle[h->n++] = angle;
}

static void record_period(pki_pendulum_history *h, double time)
{
  const double before = h->nperiod > 0 ? h->period_time[h->nperiod - 1] : 0;
  h->period_time[h->nperiod] = time;
  h->period[h->nperiod++] = time - before;
}

static double energy_error(double energy, double at_start)
{
  return fabs((energy - at_start) / energy);
}

static void tell_progress(const pki_study_watch *watch, long done, long all)
{
  if (watch != NULL && done % (all / MIN_TOLD + 1) == 0) {
    watch->tell(watch->user, (double)done / (double)all);
  }
}

/* --- Pronk ----------------------------------------------------------------------------- */

static double energy_of(pk_sim *sim, double zero)
{
  pk_workspace *w = pk_sim_workspace(sim);
  pk_kinematics_compute(w, pk_sim_q(sim), pk_sim_u(sim));
  const pk_energy e = pk_energy_compute(w, pk_sim_u(sim));
  return e.kinetic + (e.potential + zero);
}

/* Height of the first body's centre of mass; the workspace is at the state. */
static double height_of(pk_sim *sim)
{
  const pk_model *m = pk_sim_model(sim);
  const pk_pose pose = pk_link_pose(pk_sim_workspace(sim), m->body_link[0]);
  const double *c = m->links[m->body_link[0]].inertia.com;
  return pose.pos[2] + pose.rot[6] * c[0] + pose.rot[7] * c[1] + pose.rot[8] * c[2];
}

static void set_state(pk_sim *sim, const pki_pendulum_case *c)
{
  pk_sim_reset(sim);
  memcpy(pk_sim_q(sim), c->angle, (size_t)c->bodies * sizeof(double));
  memcpy(pk_sim_u(sim), c->rate, (size_t)c->bodies * sizeof(double));
}

/* Angle of the first body with its derivatives. */
static void angle_of(pk_sim *sim, double out[3])
{
  const double tau[PKI_PENDULUM_MAX] = {0};
  double a[PKI_PENDULUM_MAX] = {NAN};
  pk_forward_dynamics(pk_sim_workspace(sim), PK_DYNAMICS_METHOD_AUTO, pk_sim_q(sim), pk_sim_u(sim), tau, a);
  out[0] = pk_sim_q(sim)[0];
  out[1] = pk_sim_u(sim)[0];
  out[2] = a[0];
}

static pk_status run_pronk(pk_sim *sim, const pki_pendulum_case *c, const pki_study_watch *watch,
                           pki_pendulum_cell *out, pki_pendulum_history *history)
{
  const long steps = lround(c->duration / c->dt);
  set_state(sim, c);
  const double at_start = energy_of(sim, c->zero);
  double start[3], end[3];
  angle_of(sim, end);
  if (history != NULL) {
    energy_of(sim, c->zero);
    record_sample(history, 0, height_of(sim), 0, c->angle[0]);
  }
  for (long i = 1; i <= steps; i++) {
    const pk_status status = pk_sim_step(sim, NULL);
    if (status != PK_OK) {
      return status;
    }
    if (i % c->stride == 0 || i == steps) {
      const double error = energy_error(energy_of(sim, c->zero), at_start);
      out->energy = fmax(out->energy, error);
      tell_progress(watch, i, steps);
      if (history != NULL) {
        record_sample(history, (double)i * c->dt, height_of(sim), error, pk_sim_q(sim)[0]);
      }
    }
    if (history != NULL) {
      memcpy(start, end, sizeof end);
      angle_of(sim, end);
      const double target = two_pi * (history->nperiod + 1);
      if (end[0] >= target) {
        record_period(history, ((double)(i - 1) + pki_pendulum_crossing(start, end, c->dt, target)) * c->dt);
      }
    }
  }
  return PK_OK;
}

pk_status pki_pendulum_measure(const pk_model *model, const pki_pendulum_case *c,
                               const pki_study_watch *watch, pki_pendulum_cell *out,
                               pki_pendulum_history *history, pk_error *err)
{
  *out = (pki_pendulum_cell){.violation = NAN};
  pk_sim_options options = pk_sim_options_default();
  options.dt = c->dt;
  options.stepper = PK_STEPPER_RK4;
  options.code = c->code;
  pk_sim *sim = NULL;
  pk_status status = pk_sim_create(model, &options, &sim, err);
  if (status != PK_OK) {
    return status;
  }
  status = run_pronk(sim, c, watch, out, history);

  /* Speed: the same motion without looking at it. */
  set_state(sim, c);
  for (int k = 0; k < STRETCHES; k++) {
    const double begin = pki_clock();
    for (int i = 0; i < STRETCH_STEPS && status == PK_OK; i++) {
      status = pk_sim_step(sim, NULL);
    }
    out->rtf = fmax(out->rtf, STRETCH_STEPS * c->dt / (pki_clock() - begin));
  }
  pk_sim_destroy(sim);
  return status == PK_OK ? PK_OK
                         : pki_fail(err, status, (pki_where){0}, "the pendulum's motion stopped: %s",
                                    pk_status_text(status));
}

/* --- peers ----------------------------------------------------------------------------- */

static void *create_peer(const pki_pendulum_peer *peer, const pki_pendulum_case *c)
{
  /* Lengths, masses and moments of the paper; m2 = 2 (pendulum.h). */
  pki_pendulum_body bodies[PKI_PENDULUM_MAX] = {{.mass = 1, .com = 1, .length = 2, .moment = 5.5},
                                                {.mass = 2, .com = 2.5, .length = 2.5, .moment = 2}};
  double angle = 0, rate = 0;
  for (int i = 0; i < c->bodies; i++) {
    angle += c->angle[i];
    rate += c->rate[i];
    bodies[i].angle = angle;
    bodies[i].rate = rate;
  }
  return peer->create(bodies, c->bodies, c->dt);
}

static void run_peer(const pki_pendulum_peer *peer, void *world, const pki_pendulum_case *c,
                     const pki_study_watch *watch, pki_pendulum_cell *out, pki_pendulum_history *history)
{
  const long steps = lround(c->duration / c->dt);
  pki_pendulum_sample s;
  peer->read(world, &s);
  const double at_start = s.energy + c->zero;
  double angle = s.angle[0];
  if (history != NULL) {
    record_sample(history, 0, s.height[0], 0, angle);
  }
  for (long i = c->stride; i <= steps; i += c->stride) {
    peer->step(world, c->stride);
    peer->read(world, &s);
    const double error = energy_error(s.energy + c->zero, at_start);
    out->energy = fmax(out->energy, error);
    out->violation = fmax(out->violation, s.violation);
    tell_progress(watch, i, steps);
    if (history == NULL) {
      continue;
    }
    /* The angle goes on where it was; a revolution ends within the step, by a straight line. */
    const double before = angle;
    angle += remainder(s.angle[0] - angle, two_pi);
    const double target = two_pi * (history->nperiod + 1);
    if (angle >= target) {
      record_period(history, ((double)i - (angle - target) / (angle - before) * c->stride) * c->dt);
    }
    record_sample(history, (double)i * c->dt, s.height[0], error, angle);
  }
}

pk_status pki_pendulum_measure_peer(const pki_pendulum_peer *peer, const pki_pendulum_case *c,
                                    const pki_study_watch *watch, pki_pendulum_cell *out,
                                    pki_pendulum_history *history, pk_error *err)
{
  *out = (pki_pendulum_cell){0};
  void *world = create_peer(peer, c);
  if (world == NULL) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){0}, "the peer cannot build this pendulum");
  }
  run_peer(peer, world, c, watch, out, history);
  peer->destroy(world);

  world = create_peer(peer, c);
  if (world == NULL) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){0}, "the peer cannot build this pendulum again");
  }
  for (int k = 0; k < STRETCHES; k++) {
    const double begin = pki_clock();
    peer->step(world, STRETCH_STEPS);
    out->rtf = fmax(out->rtf, STRETCH_STEPS * c->dt / (pki_clock() - begin));
  }
  peer->destroy(world);
  return PK_OK;
}
