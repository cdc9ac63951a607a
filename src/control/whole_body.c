/* The controller `whole-body`: one program for all torques and contact forces. */
#include "control/whole_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/effort.h"
#include "dynamics/kernels.h"
#include "math/variants.h"
#include "step/world.h"

/* ---- variants ---- */

PKI_DECLARE_VARIANTS(pki_whole_kernels, whole_kernels)

static const pki_whole_kernels *const variants[] = {PKI_VARIANTS(whole_kernels)};
enum { VARIANT_COUNT = sizeof variants / sizeof variants[0] };

const pki_whole_kernels *pki_whole_kernels_find(const char *isa, int lanes)
{
  const pki_whole_kernels *found = NULL;
  for (int i = 0; i < VARIANT_COUNT && pki_kernels_find(isa, lanes) != NULL; i++) {
    found = variants[i]->lanes == lanes && strcmp(variants[i]->isa, isa) == 0 ? variants[i] : found;
  }
  return found;
}

const pki_whole_kernels *pki_whole_kernels_get(int lanes)
{
  return pki_whole_kernels_find(pki_kernels_get(lanes)->isa, lanes);
}

/* ---- memory of a lane group ---- */

/* An array of lane numbers and how many it has. */
typedef struct lane_array {
  double **at;
  size_t count;
} lane_array;

static void carve_lanes(const pki_whole_body *c, const pk_model *m, int lanes, pki_arena *arena,
                        pki_whole_lanes *w)
{
  const size_t pitch = (size_t)pki_whole_pitch(c), nu = (size_t)c->nu, feet = (size_t)c->nfoot,
               rows = ((size_t)c->rows + 3) / 4 * 4, act = (size_t)c->nact, columns = (size_t)c->columns,
               cones = (size_t)c->cones, n = (size_t)c->unknowns;
  w->lanes = lanes;
  pki_work_carve(&w->work, m, lanes, arena);
  const lane_array arrays[] = {{&w->q, (size_t)m->nq},
                               {&w->u, (size_t)m->nu},
                               {&w->h, (size_t)m->nu},
                               {&w->mass_at, 3},
                               {&w->mass_rate, 3},
                               {&w->spin, 3},
                               {&w->inertia, 6},
                               {&w->trunk_turn, 9},
                               {&w->trunk_at, 3},
                               {&w->foot_at, 3 * feet},
                               {&w->foot_turn, 9 * feet},
                               {&w->foot_rate, 6 * feet},
                               {&w->foot_bias, 6 * feet},
                               {&w->normal, 3 * feet},
                               {&w->b, rows},
                               {&w->weight, rows},
                               {&w->level, rows},
                               {&w->keep, 9},
                               {&w->friction, cones},
                               {&w->limit, cones},
                               {&w->x, n},
                               {&w->a, nu},
                               {&w->missed, rows},
                               {&w->pull, n},
                               {&w->slope, n},
                               {&w->lower, act},
                               {&w->upper, act},
                               {&w->J, (columns - act) * nu},
                               {&w->X, nu * pitch},
                               {&w->R, rows * pitch},
                               {&w->Hw, columns * pitch},
                               {&w->G, 18 * cones},
                               {&w->HG, columns * 3 * cones},
                               {&w->H, n * n},
                               {&w->g, n},
                               {&w->y, columns},
                               {&w->goal, rows},
                               {&w->share, rows},
                               {&w->reached, rows}};
  for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
    *arrays[k].at = pki_arena_take(arena, arrays[k].count * (size_t)lanes, sizeof(double));
  }
  w->program = pki_arena_take(arena, pki_cone_program_size(c->nact, c->cones, lanes), 1);
  for (int j = 0; j < c->nact && w->program != NULL; j++) {
    const double most = m->dof_effort[c->u + c->act[j]];
    for (int l = 0; l < lanes; l++) {
      w->lower[j * lanes + l] = -most, w->upper[j * lanes + l] = most;
    }
  }
}

/* The lanes of a thread, made when it updates first. */
static void carve_scratch(const pki_whole_body *c, const pk_model *m, pki_arena *arena, pki_whole_scratch *s)
{
  carve_lanes(c, m, 1, arena, &s->one);
  carve_lanes(c, m, c->wide->lanes, arena, &s->wide);
}

static pki_whole_scratch *open_scratch(const pki_whole_body *c, const pk_model *m, void *memory)
{
  pki_whole_scratch *s = memory;
  if (!s->made) {
    pki_arena arena = pki_arena_over(memory, c->controller.scratch_size);
    pki_arena_take(&arena, 1, sizeof *s);
    carve_scratch(c, m, &arena, s);
    s->made = true;
  }
  return s;
}

/* ---- one update ---- */

/* Worlds of one lane group. */
typedef struct whole_group {
  int count; /* others repeat the first one */
  const pk_observation *seen[PKI_WHOLE_LANES];
  pki_whole_state *state[PKI_WHOLE_LANES];
  pk_command *commands[PKI_WHOLE_LANES];
} whole_group;

static double *guess_of(const pki_whole_body *c, pki_whole_state *s)
{
  return s->numbers + c->nact;
}

/* States and guesses into lanes. */
static void gather_group(const pki_whole_body *c, const whole_group *g, pki_whole_lanes *w, bool *warm)
{
  const pk_model *m = w->work.model;
  for (int l = 0; l < w->lanes; l++) {
    const int i = l < g->count ? l : 0;
    const pk_observation *seen = g->seen[i];
    const double *guess = guess_of(c, g->state[i]);
    for (int k = 0; k < m->nq; k++) {
      w->q[k * w->lanes + l] = seen->q[k];
    }
    for (int k = 0; k < m->nu; k++) {
      w->u[k * w->lanes + l] = seen->u[k];
    }
    for (int k = 0; k < c->unknowns; k++) {
      w->x[k * w->lanes + l] = guess[k];
    }
    for (int k = 0; k < 3 * c->nfoot; k++) {
      w->normal[k * w->lanes + l] = g->state[i]->feet[k / 3].normal[k % 3];
    }
    warm[l] = g->state[i]->warm;
  }
}

/* Root of the mean square by which each task is missed, and limits that are reached. */
static void write_report(const pki_whole_body *c, const pki_whole_lanes *w, int l, const pki_cone_result *how,
                         pki_whole_state *s)
{
  pk_whole_body_report *r = &s->report;
  const int lanes = w->lanes;
  int count[PK_WHOLE_BODY_TASK_COUNT] = {0};
  *r = (pk_whole_body_report){
      .residual = how->residual[l], .rounds = how->rounds[l], .fallback = how->fallback[l]};
  for (int row = 0; row < c->rows; row++) {
    const double miss = w->missed[row * lanes + l];
    int task = PK_WHOLE_BODY_POSTURE;
    if (row < c->posture_row) {
      task = row < 3 ? PK_WHOLE_BODY_PLACE : PK_WHOLE_BODY_TRUNK;
    } else if (row >= c->mass_row) {
      task = row < c->mass_row + 3 ? PK_WHOLE_BODY_MASS : PK_WHOLE_BODY_MOMENTUM;
    }
    for (int f = 0; f < c->nfoot; f++) {
      if (row >= c->feet[f].row && row < c->feet[f].row + c->feet[f].width) {
        task = s->feet[f].stands ? PK_WHOLE_BODY_STANCE : PK_WHOLE_BODY_SWING;
      }
    }
    if (w->weight[row * lanes + l] > 0) {
      r->missed[task] += miss * miss;
      count[task]++;
    }
  }
  for (int t = 0; t < PK_WHOLE_BODY_TASK_COUNT; t++) {
    r->missed[t] = count[t] > 0 ? sqrt(r->missed[t] / count[t]) : 0;
  }
  for (int f = 0; f < c->nfoot; f++) {
    r->standing |= s->feet[f].stands << f;
  }
}

/* Limits that are reached, and whether they cost anything. */
static void report_limits(const pki_whole_body *c, const pki_whole_lanes *w, int l, pki_whole_state *s)
{
  static const double edge = 1e-9, costs = 1e-3; /* costs: weighted m/s^2 or rad/s^2 */
  pk_whole_body_report *r = &s->report;
  const int lanes = w->lanes;
  for (int j = 0; j < c->nact; j++) {
    const int at = j * lanes + l;
    r->torques += fabs(w->x[at]) >= w->upper[at] * (1 - edge);
    r->held |= w->pull[at] > costs;
  }
  for (int f = 0; f < c->nfoot; f++) {
    for (int p = c->feet[f].cone; p < c->feet[f].cone + c->feet[f].npoint && s->feet[f].stands; p++) {
      const int at = (c->nact + 3 * p) * lanes + l;
      const double n = w->x[at], t = hypot(w->x[at + lanes], w->x[at + 2 * lanes]);
      r->forces +=
          t >= w->friction[p * lanes + l] * n * (1 - edge) || n >= w->limit[p * lanes + l] * (1 - edge);
      for (int k = 0; k < 3; k++) {
        r->held |= w->pull[at + k * lanes] > costs;
      }
    }
  }
}

/* Torques, and damping about the rates that the accelerations lead to. */
static void write_commands(const pki_whole_body *c, const pki_whole_lanes *w, int l, double period,
                           pk_command *commands)
{
  for (int j = 0; j < c->nact; j++) {
    const int k = c->act[j], u = c->u + k;
    const double rate = w->u[u * w->lanes + l] + period * w->a[k * w->lanes + l];
    commands[u] = (pk_command){.tau = w->x[j * w->lanes + l], .u_des = rate, .kd = c->damping};
    pki_command_limit(&commands[u], w->work.model->dof_effort[u]);
  }
}

/* The first update of a world. */
static void start_world(const pki_whole_body *c, double time, const pki_whole_lanes *w, int l,
                        pki_whole_state *s)
{
  s->since = time;
  s->awake = true;
  for (int j = 0; j < c->nact; j++) {
    s->numbers[j] = w->q[w->work.model->dof_q[c->u + c->act[j]] * w->lanes + l];
  }
  if (c->is_free) {
    c->planner->start(c, w, l, s);
  }
}

static void update_lanes(const pki_whole_body *c, const pki_whole_kernels *kernels, const whole_group *g,
                         pki_whole_lanes *w)
{
  const pki_kernels *dynamics = pki_kernels_find(kernels->isa, kernels->lanes);
  bool warm[PKI_WHOLE_LANES];
  pki_cone_result how;
  gather_group(c, g, w, warm);
  dynamics->inertial(&w->work, w->q, w->u, w->h);
  kernels->sense(c, w);
  for (int l = 0; l < w->lanes; l++) {
    const int i = l < g->count ? l : 0;
    if (!g->state[i]->awake) {
      start_world(c, g->seen[i]->time, w, l, g->state[i]);
    }
    c->planner->aim(c, g->seen[i], g->state[i], w, l);
  }
  dynamics->ltl_factor(&w->work);
  kernels->act(c, w, warm, &how);
  for (int l = 0; l < g->count; l++) {
    pki_whole_state *s = g->state[l];
    double *guess = guess_of(c, s);
    s->warm = how.residual[l] <= PKI_CONE_PROGRAM_ACCURACY;
    for (int k = 0; k < c->unknowns; k++) {
      guess[k] = w->x[k * w->lanes + l];
    }
    write_report(c, w, l, &how, s);
    report_limits(c, w, l, s);
    write_commands(c, w, l, c->controller.period > 0 ? c->controller.period : g->seen[l]->dt, g->commands[l]);
    if (c->planner->finish != NULL) {
      c->planner->finish(c, w, l, s, g->commands[l]);
    }
  }
}

static void update_group(const pk_controller *self, int count, const pk_observation *seen,
                         void *const *states, pk_command *const *commands, pk_status *status)
{
  const pki_whole_body *c = self->user;
  pki_whole_scratch *scratch = open_scratch(c, seen[0].model, seen[0].scratch);
  for (int next = 0; next < count;) {
    whole_group g = {.count = 0};
    do {
      const int i = g.count++;
      g.seen[i] = &seen[next], g.state[i] = states[next], g.commands[i] = commands[next];
      pki_whole_body_feel(c, g.seen[i], g.state[i]);
      if (c->planner->stand != NULL) {
        c->planner->stand(c, g.seen[i], g.state[i]);
      }
      status[next++] = PK_OK;
    } while (next < count && g.count < c->wide->lanes);
    const bool several = g.count > 1;
    update_lanes(c, several ? c->wide : c->one, &g, several ? &scratch->wide : &scratch->one);
  }
}

/* ---- making one ---- */

/* Which columns of the table are joints with a motor of this robot; all of them must be. */
static pk_status match_columns(pki_whole_body *c, const pk_model *m, const pki_reference_table *t,
                               pk_error *err)
{
  for (int j = 0; j < c->nact; j++) {
    c->column[j] = -1;
  }
  for (int k = 0; k < t->joints && c->options.file[0] != '\0'; k++) {
    int found = -1;
    for (int j = 0; j < c->nact; j++) {
      found = c->u + c->act[j] == t->dof[k] ? j : found;
    }
    if (found < 0) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "file"},
                      "the joint \"%s\" of the table has no motor, or is of another robot",
                      m->joints[m->dof_joint[t->dof[k]]].name);
    }
    c->column[found] = k;
  }
  return PK_OK;
}

/* Lane code, sizes, and the controller itself. */
static void complete_controller(pki_whole_body *c, const pk_model *model)
{
  /* eight lanes pay where a register holds them */
  c->one = pki_whole_kernels_get(1);
  c->wide = pki_whole_kernels_get(strcmp(c->one->isa, "avx512") == 0 ? 8 : 4);
  pki_arena counting = pki_arena_over(NULL, 0);
  pki_whole_scratch s;
  pki_arena_take(&counting, 1, sizeof s);
  carve_scratch(c, model, &counting, &s);
  c->controller =
      (pk_controller){.name = c->planner->name,
                      .period = c->options.period,
                      .model = pk_model_hash(model),
                      .state_size = sizeof(pki_whole_state) +
                                    (size_t)(c->nact + c->unknowns) * sizeof(double) + c->planner->memory,
                      .update_group = update_group,
                      .user = c,
                      .scratch_size = counting.used};
}

void *pki_whole_body_memory(const pki_whole_body *c, pki_whole_state *s)
{
  return s->numbers + c->nact + c->unknowns;
}

const pki_whole_body *pki_whole_body_of(const pk_controller *controller)
{
  return controller != NULL && controller->update_group == update_group ? controller->user : NULL;
}

pk_status pki_whole_body_make(const pk_model *model, const pk_whole_body_options *options,
                              const pki_whole_planner *planner, pki_whole_body **out, pk_error *err)
{
  *out = NULL;
  pki_reference_table table = {0};
  pk_status status = pki_whole_body_validate(options, err);
  status = status == PK_OK ? pki_reference_read(options->file, model, &table, err) : status;
  const size_t reference = (pki_reference_size(&table) + 63) / 64 * 64;
  pki_whole_body *c = status == PK_OK ? calloc(1, sizeof *c + reference + planner->plan_size) : NULL;
  if (status == PK_OK && c == NULL) {
    status = pki_fail_memory(err, "a controller");
  }
  if (status == PK_OK) {
    const pki_reference_options followed = {.loop = options->loop, .ramp = options->ramp};
    c->options = *options;
    c->planner = planner;
    c->plan = (char *)c->memory + reference;
    status = pki_whole_body_find(c, model, err);
    status = status == PK_OK ? match_columns(c, model, &table, err) : status;
    status = status == PK_OK ? pki_reference_init(&table, &followed, c->memory, &c->reference, err) : status;
  }
  pki_reference_free(&table);
  if (status != PK_OK) {
    free(c);
    return status;
  }
  complete_controller(c, model);
  *out = c;
  return PK_OK;
}

pk_status pk_whole_body_create(const pk_model *model, const pk_whole_body_options *options,
                               pk_controller **out, pk_error *err)
{
  const pk_whole_body_options chosen = options ? *options : pk_whole_body_options_default();
  pki_whole_body *c;
  const pk_status status = pki_whole_body_make(model, &chosen, &pki_whole_body_planner, &c, err);
  *out = status == PK_OK ? &c->controller : NULL;
  return status;
}

void pk_whole_body_destroy(pk_controller *controller)
{
  pki_controller_destroy(controller);
}

pk_status pk_whole_body_get_report(const pk_sim *sim, pk_whole_body_report *out, pk_error *err)
{
  const pk_controller *by = sim->control.by;
  if (pki_whole_body_of(by) == NULL) {
    *out = (pk_whole_body_report){0};
    return pki_fail_controller(err, "pk_whole_body_get_report", by, "pk_whole_body_create");
  }
  *out = ((const pki_whole_state *)sim->control.state)->report;
  return PK_OK;
}

static pk_status create_whole_body(const pk_model *model, const void *options, pk_controller **out,
                                   pk_error *err)
{
  return pk_whole_body_create(model, options, out, err);
}

const pki_controller_row pki_controller_whole_body = {
    .name = "whole-body",
    .doc = "trunk, mass, feet and joints follow tasks by one program for torques and contact forces in their "
           "limits",
    .fields = pki_whole_body_fields,
    .nfield = PKI_WHOLE_BODY_FIELDS,
    .options_size = sizeof(pk_whole_body_options),
    .create = create_whole_body,
    .list = &pki_whole_body_moves};
