/* Adaptive integration by SUNDIALS ARKODE. The state is y = (xi, u) with q = q_0 (+) xi; after each
 * internal step q_0 moves to the new configuration and xi starts again from zero, so that the
 * exponential coordinates stay small. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "step/compliant.h"
#include "step/pushes.h"
#include "step/smooth_contact.h"

#ifdef PKI_HAVE_SUNDIALS

#include <arkode/arkode_arkstep.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

typedef struct pki_ark {
  SUNContext context;
  void *memory;
  N_Vector y;
  SUNMatrix matrix;
  SUNLinearSolver solver;
  double *q;      /* [nq] the centre q_0 */
  double step;    /* internal step to begin with, 0: let ARKODE choose */
  double settled; /* s in the step, up to which springs remember */
} pki_ark;

/* How many numbers actuators remember. */
static int states_of(const pk_sim *sim)
{
  return sim->options.actuation != NULL ? sim->options.actuation->nstate : 0;
}

/* y' = (B(xi) u, a(q_0 (+) xi, u), rates of actuators) */
static int ark_rate(realtype t, N_Vector y, N_Vector ydot, void *user)
{
  pk_sim *sim = user;
  const pki_ark *ark = sim->ark;
  const pk_model *m = sim->model;
  pk_workspace *w = sim->workspace;
  const double *xi = N_VGetArrayPointer(y), *u = xi + m->nu;
  double *xi_dot = N_VGetArrayPointer(ydot), *u_dot = xi_dot + m->nu;
  const pki_smooth *s = &sim->smooth;
  const size_t states = (size_t)states_of(sim) * sizeof(double);
  if (states > 0) {
    memcpy(s->state, u + m->nu, states);
  }
  pki_reset_diagonal(&w->work);
  w->kernels->config_add(m, ark->q, 1, xi, s->q);
  pki_force_stage(sim, pk_sim_time(sim) + t, s->q, u, 0);
  pki_joint_force(sim, s->q, u, s->state, false, sim->tau_next, s->force);
  pki_smooth_contact_begin(sim); /* a stage that is tried may be taken back */
  const pk_status status = pki_smooth_contact_add(sim, 0, s->q, u, 0, s->force);
  if (status != PK_OK) {
    return -1; /* see retry_shorter */
  }
  pki_smooth_acceleration(w, s->q, u, s->force, u_dot);
  w->kernels->config_rate(m, xi, u, xi_dot);
  if (states > 0) {
    memcpy(u_dot + m->nu, s->state_rate, states);
  }
  /* a positive result asks for a shorter step */
  for (int k = 0; k < m->nu; k++) {
    if (!isfinite(u_dot[k]) || !isfinite(xi_dot[k])) {
      return 1;
    }
  }
  return 0;
}

static void ignore_message(int code, const char *module, const char *function, char *message, void *user)
{
  (void)code, (void)module, (void)function, (void)message, (void)user;
}

/* Options that both kinds share; true when all took. */
static bool set_options(pk_sim *sim, pki_ark *ark)
{
  return ARKStepSetErrHandlerFn(ark->memory, ignore_message, NULL) == 0 &&
         ARKStepSetUserData(ark->memory, sim) == 0 && ARKStepSetOrder(ark->memory, 5) == 0 &&
         ARKStepSStolerances(ark->memory, sim->options.rtol, sim->options.atol) == 0 &&
         ARKStepSetMaxNumSteps(ark->memory, -1) == 0;
}

/* The implicit schemes solve dense systems of all unknowns, their matrix from difference quotients. */
static bool set_solver(pk_sim *sim, pki_ark *ark)
{
  const sunindextype n = 2 * (sunindextype)sim->model->nu + states_of(sim);
  ark->matrix = SUNDenseMatrix(n, n, ark->context);
  ark->solver = ark->matrix ? SUNLinSol_Dense(ark->y, ark->matrix, ark->context) : NULL;
  return ark->solver != NULL && ARKStepSetLinearSolver(ark->memory, ark->solver, ark->matrix) == 0;
}

pk_status pki_ark_create(pk_sim *sim, pk_error *err)
{
  const bool implicit = pki_steppers[sim->options.stepper]->implicit;
  if (sim->model->nu == 0) {
    return PK_OK; /* nothing moves */
  }
  pki_ark *ark = calloc(1, sizeof *ark);
  sim->ark = ark;
  bool ok = ark != NULL && SUNContext_Create(NULL, &ark->context) == 0;
  if (ok) {
    ark->q = malloc(((size_t)sim->model->nq + 1) * sizeof *ark->q);
    ark->y = N_VNew_Serial(2 * (sunindextype)sim->model->nu + states_of(sim), ark->context);
    ok = ark->q != NULL && ark->y != NULL;
  }
  if (ok) {
    N_VConst(0, ark->y);
    ark->memory =
        ARKStepCreate(implicit ? NULL : ark_rate, implicit ? ark_rate : NULL, 0, ark->y, ark->context);
    ok = ark->memory != NULL && set_options(sim, ark) && (!implicit || set_solver(sim, ark));
  }
  if (!ok) {
    pki_ark_destroy(sim);
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){.field = "stepper"},
                    "SUNDIALS could not set up the stepper \"%s\"", pki_steppers[sim->options.stepper]->name);
  }
  return PK_OK;
}

void pki_ark_destroy(pk_sim *sim)
{
  pki_ark *ark = sim->ark;
  if (ark == NULL) {
    return;
  }
  if (ark->memory != NULL) {
    ARKStepFree(&ark->memory);
  }
  if (ark->solver != NULL) {
    SUNLinSolFree(ark->solver);
  }
  if (ark->matrix != NULL) {
    SUNMatDestroy(ark->matrix);
  }
  if (ark->y != NULL) {
    N_VDestroy(ark->y);
  }
  if (ark->context != NULL) {
    SUNContext_Free(&ark->context);
  }
  free(ark->q);
  free(ark);
  sim->ark = NULL;
}

void pki_ark_reset(pk_sim *sim)
{
  pki_ark *ark = sim->ark;
  if (ark != NULL) {
    ark->step = 0;
  }
}

double pki_ark_get_step(const pk_sim *sim)
{
  const pki_ark *ark = sim->ark;
  return ark != NULL ? ark->step : 0;
}

void pki_ark_set_step(pk_sim *sim, double step)
{
  pki_ark *ark = sim->ark;
  if (ark != NULL) {
    ark->step = step;
  }
}

/* Move the centre to where the last internal step ended, and start again from there. */
static bool recentre_chart(pk_sim *sim, pki_ark *ark, double t)
{
  const pk_model *m = sim->model;
  double *xi = N_VGetArrayPointer(ark->y);
  sim->workspace->kernels->config_add(m, ark->q, 1, xi, ark->q);
  memset(xi, 0, (size_t)m->nu * sizeof *xi);
  return ARKStepReset(ark->memory, t, ark->y) == 0 && ARKStepSetInitStep(ark->memory, ark->step) == 0;
}

/* A step knows nothing of ARKODE's last ones (errors, Jacobian) but its internal step: what the next step depends on can be
 * saved then. */
static bool restart_integrator(pk_sim *sim, pki_ark *ark)
{
  const bool implicit = pki_steppers[sim->options.stepper]->implicit;
  return ARKStepReInit(ark->memory, implicit ? NULL : ark_rate, implicit ? ark_rate : NULL, 0, ark->y) == 0 &&
         ARKStepSetInitStep(ark->memory, ark->step) == 0;
}

/* Velocities and what actuators remember at the end of an internal step, into the sim's next ones, and back from there about q_0. */
static void keep_accepted(pk_sim *sim, const double *y)
{
  const size_t nu = (size_t)sim->model->nu;
  memcpy(sim->u_next, y + nu, nu * sizeof *y);
  if (states_of(sim) > 0) {
    memcpy(sim->actuation_next, y + 2 * nu, (size_t)states_of(sim) * sizeof *y);
  }
}

static void restore_accepted(const pk_sim *sim, double *y)
{
  const size_t nu = (size_t)sim->model->nu;
  memset(y, 0, nu * sizeof *y);
  memcpy(y + nu, sim->u_next, nu * sizeof *y);
  if (states_of(sim) > 0) {
    memcpy(y + 2 * nu, sim->actuation_next, (size_t)states_of(sim) * sizeof *y);
  }
}

/* A stage that was tried touched a hard pair. The path may not: a quarter of the internal step from where the last one ended. False: the
 * step failed for another reason, or is so short that the path itself touches. */
static bool retry_shorter(pk_sim *sim, pki_ark *ark, double t)
{
  static const double least = 1e-9; /* of the step */
  const double dt = sim->options.dt, rest = dt - t;
  pk_step_info info = {.term = ""};
  ark->step = 0.25 * (ark->step > 0 && ark->step < rest ? ark->step : rest);
  if (pki_smooth_contact_explain(sim, &info) != PK_ERROR_UNSUPPORTED || ark->step < least * dt) {
    return false;
  }
  restore_accepted(sim, N_VGetArrayPointer(ark->y));
  return ARKStepReset(ark->memory, t, ark->y) == 0 && ARKStepSetInitStep(ark->memory, ark->step) == 0 &&
         ARKStepSetStopTime(ark->memory, dt) == 0;
}

/* What springs remember at the end of an internal step, at time t; false: their contacts had no room. */
static bool settle_springs(pk_sim *sim, pki_ark *ark, double t)
{
  const double *const u = N_VGetArrayPointer(ark->y) + sim->model->nu;
  pki_smooth_contact_begin(sim);
  const bool room = pki_smooth_contact_settle(sim, t - ark->settled, ark->q, u, sim->smooth.force) == PK_OK;
  if (room) {
    pki_compliant_commit(sim);
    ark->settled = t;
  }
  return room;
}

/* One internal step from time t on, with as many trials as it takes. What springs remember is of the end of the one before. */
static bool take_internal_step(pk_sim *sim, pki_ark *ark, double *t)
{
  const double before = *t, dt = sim->options.dt;
  if (before > 0 && !settle_springs(sim, ark, before)) {
    return false;
  }
  keep_accepted(sim, N_VGetArrayPointer(ark->y));
  while (ARKStepEvolve(ark->memory, dt, ark->y, t, ARK_ONE_STEP) < 0) {
    *t = before;
    if (!retry_shorter(sim, ark, before)) {
      return false;
    }
  }
  return true;
}

static pk_status step_ark(pk_sim *sim, pk_step_info *info)
{
  pki_ark *ark = sim->ark;
  const pk_model *m = sim->model;
  const size_t nu = (size_t)m->nu;
  if (nu == 0) {
    return PK_OK;
  }
  const double dt = sim->options.dt, began = ark->step;
  double *y = N_VGetArrayPointer(ark->y), t = 0;
  ark->settled = 0;
  memcpy(ark->q, sim->state.q, (size_t)m->nq * sizeof *ark->q);
  memset(y, 0, nu * sizeof *y);
  memcpy(y + nu, sim->state.u, nu * sizeof *y);
  if (states_of(sim) > 0) {
    memcpy(y + 2 * nu, sim->state.actuation, (size_t)states_of(sim) * sizeof *y);
  }
  bool ok = pki_smooth_contact_start(sim, sim->smooth.force) == PK_OK && restart_integrator(sim, ark) &&
            ARKStepSetStopTime(ark->memory, dt) == 0;
  while (ok && t < dt && info->iterations < sim->options.max_internal) {
    const double before = t;
    ok = take_internal_step(sim, ark, &t);
    double next = 0;
    ok = ok && ARKStepGetCurrentStep(ark->memory, &next) == 0;
    /* the last step of the interval was cut short: what it says of the next one is kept only
     * when it allows a longer one */
    const bool cut = t >= dt;
    ark->step = cut && next < ark->step ? ark->step : next;
    info->iterations++;
    ok = ok && t > before && recentre_chart(sim, ark, t) && ARKStepSetStopTime(ark->memory, dt) == 0;
  }
  if (!ok || t < dt) {
    ark->step = began; /* part of the state, which stays as it was */
    memcpy(sim->q_next, sim->state.q, (size_t)m->nq * sizeof *sim->q_next);
    memcpy(sim->u_next, sim->state.u, nu * sizeof *sim->u_next);
    const pk_status soft = pki_smooth_contact_explain(sim, info);
    return soft != PK_OK ? soft : PK_ERROR_CONVERGENCE;
  }
  memcpy(sim->q_next, ark->q, (size_t)m->nq * sizeof *sim->q_next);
  keep_accepted(sim, y);
  /* of forces of the user's own the step keeps the mean of its ends */
  pki_force_stage(sim, pk_sim_time(sim), sim->state.q, sim->state.u, 0.5);
  pki_force_stage(sim, pk_sim_time(sim) + dt, sim->q_next, sim->u_next, 0.5);
  pki_force_end(sim);
  info->saturated = pki_joint_force(sim, sim->q_next, sim->u_next, sim->actuation_next, true, sim->tau_next,
                                    sim->smooth.force);
  pki_smooth_contact_begin(sim);
  pki_smooth_contact_add(sim, dt - ark->settled, sim->q_next, sim->u_next, 0, sim->smooth.force);
  return pki_smooth_contact_end(sim, info);
}

#else

pk_status pki_ark_create(pk_sim *sim, pk_error *err)
{
  return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "stepper"},
                  "the stepper \"%s\" needs SUNDIALS: install libsundials-dev and build again",
                  pki_steppers[sim->options.stepper]->name);
}

void pki_ark_destroy(pk_sim *sim)
{
  (void)sim;
}

void pki_ark_reset(pk_sim *sim)
{
  (void)sim;
}

double pki_ark_get_step(const pk_sim *sim)
{
  (void)sim;
  return 0;
}

void pki_ark_set_step(pk_sim *sim, double step)
{
  (void)sim, (void)step;
}

static pk_status step_ark(pk_sim *sim, pk_step_info *info)
{
  (void)sim, (void)info;
  return PK_ERROR_UNSUPPORTED;
}

#endif

const pki_stepper pki_stepper_ark_explicit = {
    .name = "ark-explicit",
    .doc = "adaptive explicit Runge-Kutta of order 5 (SUNDIALS ARKODE)",
    .reads = "rtol atol max_internal",
    .step = step_ark,
    .adaptive = true};

const pki_stepper pki_stepper_ark_implicit = {
    .name = "ark-implicit",
    .doc = "adaptive diagonally implicit Runge-Kutta for stiff models (SUNDIALS ARKODE)",
    .reads = "rtol atol max_internal",
    .step = step_ark,
    .adaptive = true,
    .implicit = true};
