/* A motion of the whole body, followed in the world of contacts: options, memory, the update (follow.h has the parts). */
#include "gait/follow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "control/effort.h"
#include "math/mat3.h"

#define FOLLOW(name) #name, offsetof(pk_follow_options, name)
static const pk_field follow_fields[] = {
    {FOLLOW(period), PK_FIELD_REAL, "s", 0, 0, 1, NULL, "time between updates, whole steps; 0: each step"},
    {FOLLOW(file), PK_FIELD_TEXT, "", 0, 0, sizeof((pk_follow_options *)0)->file - 1, NULL,
     "the motion; required"},
    {FOLLOW(joints), PK_FIELD_REAL, "sqrt(g/h)", 12, 0, 1e3, NULL,
     "natural frequency of joints of legs that swing and of all that are no legs"},
    {FOLLOW(joints_damping), PK_FIELD_REAL, "", 1, 0, 100, NULL, "their damping, 1 is critical"},
    {FOLLOW(trunk), PK_FIELD_REAL, "sqrt(g/h)", 3, 0, 1e3, NULL,
     "natural frequency of height and attitude of the trunk; 0: feet that stand give the torques of the "
     "motion alone"},
    {FOLLOW(trunk_damping), PK_FIELD_REAL, "", 1, 0, 100, NULL, "their damping, 1 is critical"},
    {FOLLOW(place_weight), PK_FIELD_REAL, "", 1, 1e-9, 1e9, NULL,
     "balance: weight of errors of the place of the mass"},
    {FOLLOW(speed_weight), PK_FIELD_REAL, "", 1, 0, 1e9, NULL,
     "balance: weight of errors of its horizontal velocity"},
    {FOLLOW(pressure_weight), PK_FIELD_REAL, "", 0.3, 1e-9, 1e9, NULL,
     "balance: weight of shifts of the pressure between feet that stand"},
    {FOLLOW(foothold_weight), PK_FIELD_REAL, "", 1, 1e-9, 1e9, NULL,
     "balance: weight of shifts of footholds"},
    {FOLLOW(place_limit), PK_FIELD_REAL, "h", 0.5, 0, 1e9, NULL,
     "largest error of the place; beyond it the motion goes along with the robot"},
    {FOLLOW(foothold_limit), PK_FIELD_REAL, "h", 0.5, 0, 10, NULL, "largest such shift of a foothold"},
    {FOLLOW(friction), PK_FIELD_REAL, "", 0, 0, 10, NULL,
     "forces of feet stay within this friction cone; 0: 0.95 of each contact's own"},
    {FOLLOW(wait), PK_FIELD_REAL, "sqrt(h/g)", 0, 0, 1e3, NULL,
     "how long the motion waits for a foot that is late, and one that should leave stays"},
    {FOLLOW(phase), PK_FIELD_REAL, "1/h", 0, 0, 1e3, NULL,
     "by how much slower the motion runs for a trunk that is behind"},
};
enum { FOLLOW_FIELDS = sizeof follow_fields / sizeof follow_fields[0] };

/* ---- memory of an update ---- */

static void carve_scratch(const pki_follow *c, const pk_model *m, pki_arena *arena, pki_follow_now *now)
{
  const size_t nq = (size_t)m->nq, nu = (size_t)m->nu, feet = (size_t)c->motion.feet;
  size_t points = 0;
  for (int f = 0; f < c->motion.feet; f++) {
    points += (size_t)c->feet[f].sole.npoint;
  }
  now->q_full = pki_arena_take(arena, nq, sizeof(double));
  now->u_full = pki_arena_take(arena, nu, sizeof(double));
  now->a = pki_arena_take(arena, nu, sizeof(double));
  now->tau = pki_arena_take(arena, nu, sizeof(double));
  now->M = pki_arena_take(arena, nu * nu, sizeof(double));
  now->J = pki_arena_take(arena, feet * 6 * nu, sizeof(double));
  now->bias = pki_arena_take(arena, feet * 6, sizeof(double));
  now->H = pki_arena_take(arena, 9 * points * points, sizeof(double));
  now->g = pki_arena_take(arena, 3 * points, sizeof(double));
  now->x = pki_arena_take(arena, PKI_FOLLOW_FORCES, sizeof(double));
  now->friction = pki_arena_take(arena, points, sizeof(double));
  now->limit = pki_arena_take(arena, points, sizeof(double));
  now->program = pki_arena_take(arena, pki_cone_program_size(0, (int)points, 1), 1);
}

/* ---- one update ---- */

static void command_damping_only(const pki_follow *c, pk_command *commands)
{
  for (int k = 0; k < c->motion.joints; k++) {
    commands[c->motion.dof[k]] = (pk_command){.kd = c->limp};
    pki_command_limit(&commands[c->motion.dof[k]], c->most[k]);
  }
}

/* The trunk is tilted by more than 60 degrees from where the motion has it, whatever its heading. */
static bool has_fallen(const pki_follow_now *now)
{
  const double *is = now->rot, *want = now->want.rot;
  const double up[3] = {is[6], is[7], is[8]}, wanted[3] = {want[6], want[7], want[8]};
  return pki_dot3(up, wanted) < 0.5;
}

static pk_status update(const pk_controller *self, const pk_observation *seen, void *state,
                        pk_command *commands)
{
  const pki_follow *c = self->user;
  pki_follow_state *const s = state;
  pki_follow_now now = {.c = c, .seen = seen, .s = s, .dt = self->period > 0 ? self->period : seen->dt};
  pki_arena arena = pki_arena_over(seen->scratch, self->scratch_size);
  carve_scratch(c, seen->model, &arena, &now);
  if (!s->awake) {
    pki_follow_start(c, seen, s);
  }
  pki_follow_sense(&now);
  s->fallen = s->fallen || has_fallen(&now);
  if (s->fallen) {
    command_damping_only(c, commands);
    return PK_OK;
  }
  pki_follow_swing(&now);
  pki_follow_act(&now, commands);
  pki_follow_tick(&now);
  return PK_OK;
}

/* ---- making one ---- */

pk_follow_options pk_follow_options_default(void)
{
  pk_follow_options options;
  pki_fields_default(follow_fields, FOLLOW_FIELDS, &options, sizeof options);
  return options;
}

/* Sizes, and the controller itself. */
static void complete_controller(pki_follow *c, const pk_model *model)
{
  pki_arena counting = pki_arena_over(NULL, 0);
  pki_follow_now now;
  carve_scratch(c, model, &counting, &now);
  c->cones = pki_cone_kernels_get(1);
  c->controller = (pk_controller){.name = "follow",
                                  .period = c->options.period,
                                  .model = pk_model_hash(model),
                                  .state_size = sizeof(pki_follow_state),
                                  .update = update,
                                  .user = c,
                                  .scratch_size = counting.used};
}

pk_status pk_follow_create(const pk_model *model, const pk_follow_options *options, pk_controller **out,
                           pk_error *err)
{
  *out = NULL;
  const pk_follow_options chosen = options ? *options : pk_follow_options_default();
  pki_whole_motion motion = {.robot = -1};
  pk_status status = pki_fields_validate(follow_fields, FOLLOW_FIELDS, &chosen, err);
  status = status == PK_OK ? pki_whole_motion_read(chosen.file, model, &motion, err) : status;
  const size_t size = (size_t)motion.rows * (size_t)motion.width * sizeof(double);
  pki_follow *c =
      status == PK_OK ? calloc(1, sizeof *c + size + pki_balance_size(motion.feet) * sizeof(double)) : NULL;
  if (status == PK_OK && c == NULL) {
    status = pki_fail_memory(err, "a controller");
  }
  if (status == PK_OK) {
    c->options = chosen, c->motion = motion, c->motion.values = c->memory;
    memcpy(c->memory, motion.values, size);
    status = pki_follow_find(c, model, err);
  }
  pki_whole_motion_free(&motion);
  if (status != PK_OK) {
    free(c);
    return status;
  }
  complete_controller(c, model);
  *out = &c->controller;
  return PK_OK;
}

void pk_follow_destroy(pk_controller *controller)
{
  pki_controller_destroy(controller);
}

static pk_status create_follow(const pk_model *model, const void *options, pk_controller **out, pk_error *err)
{
  return pk_follow_create(model, options, out, err);
}

static const char *const live_fields[] = {"joints",
                                          "joints_damping",
                                          "trunk",
                                          "trunk_damping",
                                          "place_weight",
                                          "speed_weight",
                                          "pressure_weight",
                                          "foothold_weight",
                                          "place_limit",
                                          "foothold_limit",
                                          "wait",
                                          "phase",
                                          NULL};

const pki_controller_row pki_controller_follow = {
    .name = "follow",
    .doc = "a motion of the whole body from a file, repeated on its feet",
    .fields = follow_fields,
    .nfield = FOLLOW_FIELDS,
    .options_size = sizeof(pk_follow_options),
    .create = create_follow,
    .live = live_fields};
