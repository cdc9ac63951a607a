/* Standing, gaits and jumps, after Gehring et al. 2013 ("Control of Dynamic Gaits for a Quadrupedal Robot"): a virtual
 * model of the trunk gives a wrench, the stance feet share it within friction, torques are by transposed
 * Jacobians; footholds come from velocity feedback. Here the wrench and the torques come from inverse dynamics of
 * the whole robot, so that legs have weight and inertia. */
#include "gait/locomotion.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "control/effort.h"
#include "gait/gait_kernels.h"
#include "gait/gaits.h"
#include "math/mat3.h"
#include "step/world.h"

static const double limp = 0.0906913; /* m h^2 sqrt(g/h), damping after a fall */

/* ---- what is felt ---- */

/* A contact of a foot: what the foot feels along the normal is the same seen from either side. */
static void add_foot_contact(const pk_sim_contact *contact, double pace, bool other, pki_foot_now *now)
{
  const double force = pki_dot3(contact->impulse, contact->normal) * pace, side = other ? -1 : 1;
  if (side * contact->normal[2] >= 0.5) {
    now->load += force;
  } else if (force > 0) { /* walls do not carry */
    now->wall = true;
    now->away[0] = side * contact->normal[0], now->away[1] = side * contact->normal[1];
  }
}

/* The leg whose foot is a link, or -1. */
static int leg_of(const pki_locomotion *c, int link)
{
  int leg = c->leg_count - 1;
  while (leg >= 0 && c->legs[leg].foot != link) {
    leg--;
  }
  return leg;
}

static void read_contacts(const pki_locomotion *c, const pk_observation *seen, pki_walk *w)
{
  const double pace = 1 / seen->dt;
  for (int i = 0; i < c->leg_count; i++) {
    w->now[i].load = 0;
    w->now[i].wall = false;
  }
  for (int k = 0; k < seen->ncontact; k++) {
    const pk_sim_contact *contact = &seen->contacts[k];
    const int leg = leg_of(c, contact->link);
    const bool links = contact->other_link >= 0;
    if (leg >= 0 && (!links || pk_sim_contact_carries(contact, seen->model, contact->link, NULL, NULL))) {
      add_foot_contact(contact, pace, false, &w->now[leg]);
    }
    const int other = links ? leg_of(c, contact->other_link) : -1;
    if (other >= 0 && pk_sim_contact_carries(contact, seen->model, contact->other_link, NULL, NULL)) {
      add_foot_contact(contact, pace, true, &w->now[other]);
    }
  }
}

/* ---- one update ---- */

/* All feet stand, where they are. */
static void start_standing(const pki_locomotion *c, pki_walk *w)
{
  w->awake = true;
  w->jumped = -1;
  w->yaw = w->heading;
  w->normal[2] = 1;
  for (int i = 0; i < c->leg_count; i++) {
    pki_foot *foot = &w->feet[i];
    foot->mode = PKI_FOOT_STANCE;
    foot->since = PKI_FOOT_RAMP * c->tau;
    memcpy(foot->ground, foot->from, sizeof foot->ground);
    foot->ground[2] -= c->legs[i].radius;
  }
}

static void command_damping_only(const pki_locomotion *c, const pk_model *m, pk_command *commands)
{
  const double damping = limp * c->mass * c->height * c->height * c->pace;
  for (int i = 0; i < 3 * c->leg_count; i++) {
    const int u = c->legs[i / 3].u[i % 3];
    commands[u] = (pk_command){.kd = damping};
    pki_command_limit(&commands[u], m->dof_effort[u]);
  }
}

/* Gait and phases of a robot from its observation. */
static void update_gait(const pki_locomotion *c, const pk_observation *seen, pki_walk *w)
{
  double rate[2];
  read_contacts(c, seen, w);
  if (!w->awake) {
    start_standing(c, w);
  }
  pki_clock_tick(c, w);
  if (w->planned && c->options.references != PK_GAIT_REFERENCES_CPG) {
    pki_sway_step(c, w);
    pki_sway_at(c, w, 0, w->leaning, rate);
    return;
  }
  pki_sway_rest(w);
  memset(w->leaning, 0, sizeof w->leaning);
  if (!w->planned) {
    w->path_step = 0;
    memset(w->drift, 0, sizeof w->drift);
  }
}

/* The trunk's acceleration and the feet's forces by the plan, and where feet land by it. */
static void plan_trunk(const pki_locomotion *c, pki_walk *w)
{
  double lean[2], rate[2];
  pki_sway_at(c, w, 0, lean, rate);
  for (int k = 0; k < 2; k++) {
    const double ahead = w->com_vel[k] - rate[k] - w->velocity[k];
    w->drift[k] += fmin(1, w->period / w->cpg.cycle) * (ahead - w->drift[k]);
  }
  pki_plan(c, w);
  for (int i = 0; i < c->leg_count; i++) {
    const pki_foot_mode mode = w->feet[i].mode;
    const double left =
        (1 - pki_cpg_place(&w->cpg, i)) / w->cpg.rate[i]; /* of a swing, which ends with the cycle */
    if (mode != PKI_FOOT_STANCE) {
      pki_plan_foothold(c, w, i, mode == PKI_FOOT_SWING ? left : 0, w->now[i].target);
    }
  }
}

/* Robots that have not fallen, as many as there are lanes at most. */
static void update_lanes(const pki_gait_kernels *kernels, const pki_gait_group *g, int count,
                         const pk_observation *const *seen)
{
  _Alignas(64) double scratch[PKI_GAIT_SCRATCH * PKI_GAIT_LANES];
  const pki_locomotion *c = g->c;
  bool awake = true, acts = false;
  kernels->sense(g, scratch);
  for (int i = 0; i < count; i++) {
    awake = awake && g->walk[i]->awake;
  }
  if (!awake) {
    kernels->weigh(g, scratch);
  }
  for (int i = 0; i < count; i++) {
    update_gait(c, seen[i], g->walk[i]);
  }
  kernels->refer(g, scratch);
  for (int i = 0; i < count; i++) {
    pki_walk *w = g->walk[i];
    if (w->planned && !w->fallen) {
      plan_trunk(c, w);
    }
    acts = acts || !w->fallen;
  }
  if (acts) {
    kernels->act(g, scratch);
  }
  /* lanes command all of them: what a robot that has just fallen gets comes last */
  for (int i = 0; i < count; i++) {
    if (g->walk[i]->fallen) {
      command_damping_only(c, g->model, g->commands[i]);
    }
  }
}

/* Fallen robots need no lane; the others are taken as many at once as there are lanes, a last one alone. */
static void update_group(const pk_controller *self, int count, const pk_observation *seen,
                         void *const *states, pk_command *const *commands, pk_status *status)
{
  const pki_locomotion *c = self->user;
  for (int next = 0; next < count;) {
    const pk_observation *who[PKI_GAIT_LANES];
    pki_gait_group g;
    int n = 0;
    g.c = c, g.model = seen[0].model;
    for (; next < count && n < c->wide->lanes; next++) {
      pki_walk *w = states[next];
      status[next] = PK_OK;
      if (w->fallen) {
        command_damping_only(c, g.model, commands[next]);
        continue;
      }
      w->time = seen[next].time;
      w->period = self->period > 0 ? self->period : seen[next].dt;
      who[n] = &seen[next];
      g.walk[n] = w, g.q[n] = seen[next].q, g.u[n] = seen[next].u, g.commands[n] = commands[next];
      n++;
    }
    for (int l = n; n > 1 && l < c->wide->lanes; l++) {
      g.walk[l] = g.walk[0], g.q[l] = g.q[0], g.u[l] = g.u[0], g.commands[l] = g.commands[0];
    }
    if (n > 0) {
      update_lanes(n > 1 ? c->wide : c->one, &g, n, who);
    }
  }
}

size_t pki_walk_size(int legs)
{
  return offsetof(pki_walk, guess) + pki_mpc_guess_size(legs);
}

/* ---- options ---- */

static const char *const attitude_words[] = {"level", "slope"};
const char *const pki_references_words[] = {"auto", "cpg", "zmp"};

#define CHANGE(name) #name, offsetof(pk_gait_change, name)
static const pk_field change_fields[] = {
    {CHANGE(at), PK_FIELD_REAL, "s", -1, 0, 1e9, NULL, "from when on"},
    {CHANGE(gait), PK_FIELD_ROW, "", PK_GAIT_STAND, 0, 0, pki_gaits, "what the feet do"},
    {CHANGE(forward), PK_FIELD_REAL, "m/s", 0, -2, 2, NULL, "wanted speed of the trunk, along its x"},
    {CHANGE(sideways), PK_FIELD_REAL, "m/s", 0, -2, 2, NULL, "wanted speed of the trunk, to the left"},
    {CHANGE(turn), PK_FIELD_REAL, "rad/s", 0, -3, 3, NULL, "wanted yaw rate, to the left"},
};
static const int change_field_count = sizeof change_fields / sizeof change_fields[0];

#define WALK(name) #name, offsetof(pk_locomotion_options, name)
static const pk_field locomotion_fields[] = {
    {WALK(period), PK_FIELD_REAL, "s", 2.5e-3, 0, 0.02, NULL,
     "time between updates, whole steps; 0: each step"},
    {WALK(feet), PK_FIELD_PART, "", 0, 4, PK_GAIT_LEGS, NULL,
     "four or six links, pair by pair from fore to hind, left first; default: LF_FOOT, RF_FOOT, then "
     "LM_FOOT, RM_FOOT where "
     "there are such, LH_FOOT, RH_FOOT"},
    {WALK(gait), PK_FIELD_ROW, "", PK_GAIT_STAND, 0, 0, pki_gaits, "what the feet do"},
    {WALK(forward), PK_FIELD_REAL, "m/s", 0, -2, 2, NULL, "wanted speed of the trunk, along its x"},
    {WALK(sideways), PK_FIELD_REAL, "m/s", 0, -2, 2, NULL, "wanted speed of the trunk, to the left"},
    {WALK(turn), PK_FIELD_REAL, "rad/s", 0, -3, 3, NULL, "wanted yaw rate, to the left"},
    {WALK(start), PK_FIELD_REAL, "s", 0.5, 0, 1e9, NULL, "when it starts"},
    {WALK(stop), PK_FIELD_REAL, "s", 1e9, 0, 1e9, NULL, "when it ends: it trots on the spot and stands"},
    {"gaits", offsetof(pk_locomotion_options, changes), PK_FIELD_PART, "", 0, 0, PK_GAIT_CHANGES, NULL,
     "changes of the gait: a list of entries with at, gait, forward, sideways, turn"},
    {WALK(jump), PK_FIELD_REAL, "m", 0.15, 0, 10, NULL, "top of a jump: the trunk over where it stands"},
    {WALK(cycle), PK_FIELD_REAL, "s", 0, 0, 10, NULL, "time of one gait cycle; 0: the gait's own"},
    {WALK(duty), PK_FIELD_REAL, "", 0, 0, 0.95, NULL,
     "part of the cycle that a foot is planned to be on the ground; 0: the gait's own"},
    {WALK(acceleration), PK_FIELD_REAL, "m/s^2", 0.5, 1e-3, 1e3, NULL,
     "how fast the wanted speed may change"},
    {WALK(attitude), PK_FIELD_ENUM, "", PK_LOCOMOTION_ATTITUDE_SLOPE, 0, PK_LOCOMOTION_ATTITUDE_COUNT - 1,
     attitude_words, "what the trunk aligns with"},
    {WALK(height), PK_FIELD_REAL, "m", 0, 0, 10, NULL,
     "of the trunk's origin above the feet's points; 0: legs bent to 0.785 of their length"},
    {WALK(lift), PK_FIELD_REAL, "m", 0, 0, 1, NULL, "of a swinging foot; 0: the gait's own"},
    {WALK(friction), PK_FIELD_REAL, "", 0.6, 0.01, 10, NULL, "stance forces stay within this friction cone"},
    {WALK(references), PK_FIELD_ENUM, "", PK_GAIT_REFERENCES_AUTO, 0, PK_GAIT_REFERENCES_COUNT - 1,
     pki_references_words, "where references of the trunk come from"},
};
enum { LOCOMOTION_FIELDS = sizeof locomotion_fields / sizeof locomotion_fields[0] };

static const pki_controller_list changes = {"gaits",
                                            change_fields,
                                            &change_field_count,
                                            sizeof(pk_gait_change),
                                            offsetof(pk_locomotion_options, changes),
                                            offsetof(pk_locomotion_options, change_count),
                                            PK_GAIT_CHANGES};

/* ---- making one ---- */

pk_locomotion_options pk_locomotion_options_default(void)
{
  pk_locomotion_options options;
  pki_fields_default(locomotion_fields, LOCOMOTION_FIELDS, &options, sizeof options);
  return options;
}

/* Every field in its range, and what ranges alone cannot say. */
static pk_status validate_locomotion_options(const pk_locomotion_options *o, pk_error *err)
{
  pk_status status = pki_fields_validate(locomotion_fields, LOCOMOTION_FIELDS, o, err);
  if (status == PK_OK && o->cycle > 0 && o->cycle < 0.1) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "cycle"},
                    "cycle is %g s, expected 0 (the gait's own) or 0.1 to 10", o->cycle);
  }
  if (status == PK_OK && o->duty > 0 && o->duty < 0.2) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "duty"},
                    "duty is %g, expected 0 (the gait's own) or 0.2 to 0.95", o->duty);
  }
  if (status == PK_OK && (o->change_count < 0 || o->change_count > PK_GAIT_CHANGES)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "gaits"},
                    "there are %d changes of the gait, expected at most %d", o->change_count,
                    PK_GAIT_CHANGES);
  }
  for (int i = 0; status == PK_OK && i < o->change_count; i++) {
    status = pki_fields_validate(change_fields, change_field_count, &o->changes[i], err);
    if (status == PK_OK && i > 0 && o->changes[i].at < o->changes[i - 1].at) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "gaits"},
                      "the change of the gait at %g s comes after one at %g s, expected times that rise",
                      o->changes[i].at, o->changes[i - 1].at);
    }
  }
  return status;
}

/* A gait that is asked for must be one of so many legs. */
static pk_status validate_gait(const pki_locomotion *c, pk_gait gait, pk_error *err)
{
  const pki_gait_row *row = pki_gaits[gait];
  return pki_gait_suits(row, c->leg_count)
             ? PK_OK
             : pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "gait"},
                        "the gait \"%s\" is one of four legs, and the robot has %d", row->name, c->leg_count);
}

static pk_status validate_gaits(const pki_locomotion *c, const pk_locomotion_options *o, pk_error *err)
{
  pk_status status = validate_gait(c, o->gait, err);
  for (int i = 0; i < o->change_count && status == PK_OK; i++) {
    status = validate_gait(c, o->changes[i].gait, err);
  }
  return status;
}

/* A jump that is asked for must be one that the legs can make. */
static pk_status validate_jump(const pki_locomotion *c, const pk_locomotion_options *o, pk_error *err)
{
  bool jumps = o->gait == PK_GAIT_JUMP;
  for (int i = 0; i < o->change_count; i++) {
    jumps = jumps || o->changes[i].gait == PK_GAIT_JUMP;
  }
  const double reach = pki_jump_reach(c, c->strength);
  if (!jumps || o->jump <= reach) {
    return PK_OK;
  }
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "jump"},
                  "jump is %g m, expected at most %g: the legs of this robot are no stronger and no longer",
                  o->jump, floor(1000 * reach) / 1000);
}

pk_status pk_locomotion_create(const pk_model *model, const pk_locomotion_options *options,
                               pk_controller **out, pk_error *err)
{
  *out = NULL;
  pki_locomotion made = {.options = options ? *options : pk_locomotion_options_default()};
  pk_status status = validate_locomotion_options(&made.options, err);
  status = status == PK_OK ? pki_legs_find(&made, model, err) : status;
  status = status == PK_OK ? validate_gaits(&made, &made.options, err) : status;
  status = status == PK_OK ? validate_jump(&made, &made.options, err) : status;
  if (status != PK_OK) {
    return status;
  }
  pki_locomotion *c = malloc(sizeof *c);
  if (c == NULL) {
    return pki_fail_memory(err, "a controller");
  }
  *c = made;
  pki_sway_design(c);
  /* eight lanes pay where a register holds them */
  c->one = pki_gait_kernels_get(1);
  c->wide = pki_gait_kernels_get(strcmp(c->one->isa, "avx512") == 0 ? 8 : 4);
  c->controller = (pk_controller){.name = "locomotion",
                                  .period = made.options.period,
                                  .model = pk_model_hash(model),
                                  .state_size = pki_walk_size(made.leg_count),
                                  .update_group = update_group,
                                  .user = c};
  *out = &c->controller;
  return PK_OK;
}

/* What the controller of a world remembers there; NULL: it is no locomotion controller. */
static pki_walk *find_walk(const pk_sim *sim, const char *function, pk_error *err)
{
  const pk_controller *by = sim->control.by;
  if (by != NULL && by->update_group == update_group) {
    return sim->control.state;
  }
  pki_fail_controller(err, function, by, "pk_locomotion_create");
  return NULL;
}

pk_status pk_locomotion_set_speed(pk_sim *sim, double forward, double sideways, double turn, pk_error *err)
{
  pki_walk *w = find_walk(sim, "pk_locomotion_set_speed", err);
  if (w == NULL) {
    return PK_ERROR_ARGUMENT;
  }
  const pki_locomotion *c = sim->control.by->user;
  pk_locomotion_options chosen = c->options;
  chosen.forward = forward, chosen.sideways = sideways, chosen.turn = turn;
  const pk_status status = validate_locomotion_options(&chosen, err);
  if (status == PK_OK) {
    w->request.has_speed = true;
    w->request.forward = forward, w->request.sideways = sideways, w->request.turn = turn;
  }
  return status;
}

pk_status pk_locomotion_set_gait(pk_sim *sim, pk_gait gait, pk_error *err)
{
  pki_walk *w = find_walk(sim, "pk_locomotion_set_gait", err);
  if (w == NULL) {
    return PK_ERROR_ARGUMENT;
  }
  const pki_locomotion *c = sim->control.by->user;
  pk_locomotion_options chosen = c->options;
  chosen.gait = gait;
  chosen.change_count = 0;
  pk_status status = validate_locomotion_options(&chosen, err);
  status = status == PK_OK ? validate_gaits(c, &chosen, err) : status;
  status = status == PK_OK ? validate_jump(c, &chosen, err) : status;
  if (status == PK_OK) {
    w->request.has_gait = true;
    w->request.gait = gait;
  }
  return status;
}

void pk_locomotion_destroy(pk_controller *controller)
{
  pki_controller_destroy(controller);
}

/* ---- its row ---- */

static pk_status create_locomotion(const pk_model *model, const void *options, pk_controller **out,
                                   pk_error *err)
{
  return pk_locomotion_create(model, options, out, err);
}

/* All numbers but the period and `start`: walking robots cannot begin later. */
static const char *const live_fields[] = {"forward", "sideways",     "turn",   "stop", "jump",     "cycle",
                                          "duty",    "acceleration", "height", "lift", "friction", NULL};

/* A speed that was asked for counts more than those of `gaits`, which stand otherwise. */
static pk_status change_speed(pk_sim *sim, const void *before, const void *options, pk_error *err)
{
  const pk_locomotion_options *b = before, *o = options;
  const pki_walk *w = find_walk(sim, "a change of options", err);
  if (w == NULL) {
    return PK_ERROR_ARGUMENT;
  }
  const bool same = o->forward == b->forward && o->sideways == b->sideways && o->turn == b->turn;
  return same && !w->request.has_speed ? PK_OK
                                       : pk_locomotion_set_speed(sim, o->forward, o->sideways, o->turn, err);
}

const pki_controller_row pki_controller_locomotion = {
    .name = "locomotion",
    .doc =
        "a robot on four or six legs stands, walks in nine gaits, jumps: forces by prediction, footholds by "
        "velocity feedback",
    .fields = locomotion_fields,
    .nfield = LOCOMOTION_FIELDS,
    .options_size = sizeof(pk_locomotion_options),
    .create = create_locomotion,
    .list = &changes,
    .live = live_fields,
    .change = change_speed};
