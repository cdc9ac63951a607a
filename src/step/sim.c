#include "step/sim.h"

#include <math.h>
#include <string.h>

#include "model/motion.h"

const pki_stepper pki_steppers[PK_STEPPER_COUNT] = {
    [PK_STEPPER_EULER] = {"euler", "semi-implicit Euler: velocity first, then position with it; order 1",
                          pki_step_euler, false},
    [PK_STEPPER_MOREAU] =
        {"moreau", "Moreau's midpoint scheme: M and h half a step on; order 1 (2 for constant M and h(q))",
         pki_step_moreau, false},
    [PK_STEPPER_RK4] = {"rk4", "Runge-Kutta on the group (Munthe-Kaas); order 4", pki_step_rk4, false},
    [PK_STEPPER_ARK_EXPLICIT] = {"ark-explicit", "adaptive explicit Runge-Kutta of order 5 (SUNDIALS ARKODE)",
                                 pki_step_ark, true},
    [PK_STEPPER_ARK_IMPLICIT] =
        {"ark-implicit", "adaptive diagonally implicit Runge-Kutta for stiff models (SUNDIALS ARKODE)",
         pki_step_ark, true},
};

static const char *const stepper_words[] = {"euler", "moreau", "rk4", "ark-explicit", "ark-implicit"};
static const char *const implicit_words[] = {"all", "none"};

const pk_field pki_sim_fields[] = {
    {"dt", offsetof(pk_sim_options, dt), PK_FIELD_REAL, "s", 1e-3, 1e-9, 10, NULL, "time step"},
    {"stepper", offsetof(pk_sim_options, stepper), PK_FIELD_ENUM, "", PK_STEPPER_MOREAU, 0,
     PK_STEPPER_COUNT - 1, stepper_words, "integration scheme"},
    {"implicit", offsetof(pk_sim_options, implicit), PK_FIELD_ENUM, "", PK_IMPLICIT_ALL, 0,
     PK_IMPLICIT_COUNT - 1, implicit_words, "forces taken at the end of the step"},
    {"rtol", offsetof(pk_sim_options, rtol), PK_FIELD_REAL, "", 1e-8, 1e-14, 0.1, NULL,
     "relative tolerance of adaptive steppers"},
    {"atol", offsetof(pk_sim_options, atol), PK_FIELD_REAL, "", 1e-10, 1e-16, 0.1, NULL,
     "absolute tolerance of adaptive steppers"},
};
const int pki_sim_field_count = sizeof pki_sim_fields / sizeof pki_sim_fields[0];

pk_sim_options pk_sim_options_default(void)
{
  pk_sim_options options;
  memset(&options, 0, sizeof options);
  pki_fields_preset(pki_sim_fields, pki_sim_field_count, &options);
  return options;
}

pk_status pk_sim_options_validate(const pk_sim_options *options, pk_error *err)
{
  return pki_fields_validate(pki_sim_fields, pki_sim_field_count, options, err);
}

/* With a counting arena this counts, and NULL comes back. */
static pk_sim *carve(const pk_model *model, pki_arena *arena)
{
  const size_t nq = (size_t)model->nq, nu = (size_t)model->nu, real = sizeof(double);
  pk_sim *sim = pki_arena_take(arena, 1, sizeof *sim);
  pk_sim s = {.model = model};
  s.q = pki_arena_take(arena, nq, real);
  s.u = pki_arena_take(arena, nu, real);
  s.carry_q = pki_arena_take(arena, nu, real);
  s.carry_u = pki_arena_take(arena, nu, real);
  s.commands = pki_arena_take(arena, nu, sizeof *s.commands);
  s.tau = pki_arena_take(arena, nu, real);
  s.q_next = pki_arena_take(arena, nq, real);
  s.u_next = pki_arena_take(arena, nu, real);
  s.carry_q_next = pki_arena_take(arena, nu, real);
  s.carry_u_next = pki_arena_take(arena, nu, real);
  s.tau_next = pki_arena_take(arena, nu, real);
  s.scratch = pki_arena_take(arena, PKI_STEP_SCRATCH * nu, real);
  s.q_stage = pki_arena_take(arena, nq, real);
  void *workspace = pki_arena_take(arena, pk_workspace_memsize(model), 1);
  if (sim != NULL) {
    *sim = s;
    sim->workspace = pk_workspace_init(model, workspace);
  }
  return sim;
}

size_t pk_sim_memsize(const pk_model *model, const pk_sim_options *options)
{
  (void)options;
  pki_arena arena = pki_arena_over(NULL, 0);
  carve(model, &arena);
  return arena.used;
}

pk_status pk_sim_init(const pk_model *model, const pk_sim_options *options, void *memory, pk_sim **out,
                      pk_error *err)
{
  *out = NULL;
  const pk_sim_options chosen = options ? *options : pk_sim_options_default();
  pk_status status = pk_sim_options_validate(&chosen, err);
  if (status != PK_OK) {
    return status;
  }
  pki_arena arena = pki_arena_over(memory, pk_sim_memsize(model, &chosen));
  pk_sim *sim = carve(model, &arena);
  PK_ASSERT(arena.used == arena.size);
  sim->options = chosen;
  pk_sim_reset(sim);
  if (pki_steppers[chosen.stepper].adaptive) {
    status = pki_ark_create(sim, err);
  }
  *out = status == PK_OK ? sim : NULL;
  return status;
}

pk_status pk_sim_create(const pk_model *model, const pk_sim_options *options, pk_sim **out, pk_error *err)
{
  void *memory = pki_aligned_alloc(pk_sim_memsize(model, options));
  if (memory == NULL) {
    *out = NULL;
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory for a world of %d bodies",
                    model->nbody);
  }
  const pk_status status = pk_sim_init(model, options, memory, out, err);
  if (status != PK_OK) {
    pki_aligned_free(memory);
  } else {
    (*out)->owns_memory = true;
  }
  return status;
}

void pk_sim_destroy(pk_sim *sim)
{
  if (sim == NULL) {
    return;
  }
  pki_ark_destroy(sim);
  if (sim->owns_memory) {
    pki_aligned_free(sim);
  }
}

void pk_sim_reset(pk_sim *sim)
{
  const size_t nq = (size_t)sim->model->nq, nu = (size_t)sim->model->nu;
  memcpy(sim->q, sim->model->q0, nq * sizeof *sim->q);
  memset(sim->u, 0, nu * sizeof *sim->u);
  memset(sim->carry_q, 0, nu * sizeof *sim->carry_q);
  memset(sim->carry_u, 0, nu * sizeof *sim->carry_u);
  memset(sim->tau, 0, nu * sizeof *sim->tau);
  for (size_t k = 0; k < nu; k++) {
    sim->commands[k] = (pk_command){.tau_max = INFINITY};
  }
  sim->steps = 0;
  pki_ark_reset(sim);
}

static bool finite_all(const double *v, int n)
{
  for (int i = 0; i < n; i++) {
    if (!isfinite(v[i])) {
      return false;
    }
  }
  return true;
}

/* The first body with a coordinate that is not finite; -1: none. */
static int bad_body(const pk_model *m, const double *v, bool is_config)
{
  for (int i = 0; i < m->nbody; i++) {
    const double *at = v + (is_config ? m->body_q[i] : m->body_u[i]);
    const int n = is_config ? pki_motion_nq(m->body_motion[i]) : pki_motion_nu(m->body_motion[i]);
    if (!finite_all(at, n)) {
      return i;
    }
  }
  return -1;
}

/* What came in and what came out must be finite; the body and the term are named. */
static pk_status check_finite(const pk_model *m, const double *q, const double *u, const double *tau,
                              pk_step_info *info)
{
  const struct {
    const double *v;
    int n;
    const char *term;
  } parts[3] = {{u, m->nu, "u"}, {q, m->nq, "q"}, {tau, m->nu, "tau"}};
  for (int k = 0; k < 3; k++) {
    if (!finite_all(parts[k].v, parts[k].n)) {
      info->body = bad_body(m, parts[k].v, k == 1);
      info->term = parts[k].term;
      return PK_ERROR_NONFINITE;
    }
  }
  return PK_OK;
}

pk_status pk_sim_step(pk_sim *sim, pk_step_info *info)
{
  const pk_model *m = sim->model;
  const size_t nq = (size_t)m->nq, nu = (size_t)m->nu, real = sizeof(double);
  pk_step_info local = {0};
  pk_step_info *report = info ? info : &local;
  *report = (pk_step_info){.body = -1, .term = ""};

  memcpy(sim->carry_q_next, sim->carry_q, nu * real);
  memcpy(sim->carry_u_next, sim->carry_u, nu * real);
  pk_status status = pki_steppers[sim->options.stepper].step(sim, report);
  if (status == PK_OK) {
    status = check_finite(m, sim->q_next, sim->u_next, sim->tau_next, report);
  }
  if (status != PK_OK) {
    return status; /* the state is as it was */
  }
  memcpy(sim->q, sim->q_next, nq * real);
  memcpy(sim->u, sim->u_next, nu * real);
  memcpy(sim->carry_q, sim->carry_q_next, nu * real);
  memcpy(sim->carry_u, sim->carry_u_next, nu * real);
  memcpy(sim->tau, sim->tau_next, nu * real);
  sim->steps++;
  return PK_OK;
}

double pk_sim_time(const pk_sim *sim)
{
  return (double)sim->steps * sim->options.dt;
}

double *pk_sim_q(pk_sim *sim)
{
  return sim->q;
}

double *pk_sim_u(pk_sim *sim)
{
  return sim->u;
}

pk_command *pk_sim_commands(pk_sim *sim)
{
  return sim->commands;
}

const double *pk_sim_tau(const pk_sim *sim)
{
  return sim->tau;
}

pk_workspace *pk_sim_workspace(pk_sim *sim)
{
  return sim->workspace;
}

const pk_model *pk_sim_model(const pk_sim *sim)
{
  return sim->model;
}
