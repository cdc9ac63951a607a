/* World k of many: what differs, drawn from the seed.
 *
 * Each entry of `vary` stands for one number or several (one for each joint, body or axis that it speaks of). Number p of
 * entry e in world k is drawn by a generator of its own, made from (seed, k, e, p) alone: worlds do not depend on how
 * many there are or on who asks first, and world 17 of a batch is the world of `--set world=17`, to the bit.
 *
 * Start. Position and yaw move all robots and objects with a free root together, as one, about the root of the first
 * model. Then everything goes up or down so that the lowest centre of a robot's collision shapes is as high over the ground
 * below it as it was in the scenario's own start: feet stand on rough ground as they stood on the plane. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actuation/actuation.h"
#include "base/pattern.h"
#include "base/random.h"
#include "math/mat3.h"
#include "pronk/sensing.h"
#include "scenario/section.h"
#include "sim/parameters.h"
#include "sim/query.h"

const pki_vary_row *const pki_vary_rows[PKI_VARY_COUNT + 1] = {
    [PKI_VARY_MASS] =
        &(const pki_vary_row){"mass", "", "factor on mass and moments of the bodies that links are part of",
                              1e-3, 1e6, true, false},
    [PKI_VARY_PAYLOAD] =
        &(const pki_vary_row){"payload", "kg", "point mass on a link", -1e6, 1e6, true, false},
    [PKI_VARY_FRICTION] =
        &(const pki_vary_row){"friction", "", "factor on all coefficients of friction", 0, 1e6, false, false},
    [PKI_VARY_LATENCY] =
        &(const pki_vary_row){"latency", "s", "commands act late, by the nearest whole number of steps", 0, 1,
                              false, false},
    [PKI_VARY_POSITION] =
        &(const pki_vary_row){"position", "m", "added to where robots start, on the ground there", -1e6, 1e6,
                              false, false},
    [PKI_VARY_YAW] = &(const pki_vary_row){"yaw", "rad", "robots start turned about the vertical", -1e6, 1e6,
                                           false, false},
    [PKI_VARY_JOINT] =
        &(const pki_vary_row){"joint", "rad", "added to where joints start, rad or m, within their limits",
                              -1e6, 1e6, false, true},
    [PKI_VARY_VELOCITY] =
        &(const pki_vary_row){"velocity", "m/s", "added to the velocity that robots start with, world axes",
                              -1e6, 1e6, false, false},
    [PKI_VARY_MOTOR] =
        &(const pki_vary_row){"motor", "",
                              "factor on the constant of motors (dc, sea), of torque and back-EMF alike",
                              1e-3, 1e3, false, true},
    [PKI_VARY_WINDING] = &(const pki_vary_row){"winding", "", "factor on the resistance of motors (dc, sea)",
                                               1e-3, 1e3, false, true},
    [PKI_VARY_SPRING] = &(const pki_vary_row){"spring", "", "factor on the stiffness of series springs (sea)",
                                              1e-3, 1e3, false, true},
    [PKI_VARY_PUSH] = &(const pki_vary_row){"push", "", "factor on the forces of push and disturb", -1e6, 1e6,
                                            false, false},
};

static const char *const axis_words[] = {"all", "x", "y", "z"};
static const char *const distribution_words[] = {"uniform", "normal", "log-uniform"};
_Static_assert(PKI_NORMAL == 1 && PKI_LOG_UNIFORM == 2, "words");

#define VARY(name) #name, offsetof(pki_scenario_vary, name)
static const pk_field vary_fields[] = {
    {VARY(what), PK_FIELD_ROW, "", -1, 0, 0, pki_vary_rows, "what differs"},
    PKI_TEXT("link", pki_scenario_vary, link, 0,
             "of mass and payload: a link with its prefix, or a pattern with *"),
    PKI_TEXT("joints", pki_scenario_vary, joints, 0,
             "of joint, motor, winding and spring: a joint with its prefix, or a pattern with *"),
    {VARY(point), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, "of a payload: where, in the link's frame"},
    {VARY(axis), PK_FIELD_ENUM, "", 0, 0, 3, axis_words, "of position (all: x and y) and velocity (x, y, z)"},
    {VARY(distribution), PK_FIELD_ENUM, "", PKI_UNIFORM, 0, PKI_DISTRIBUTION_COUNT - 1, distribution_words,
     "how its numbers are spread"},
    {VARY(from), PK_FIELD_REAL, "", 0, -1e6, 1e6, NULL, "least; of normal numbers: what they are cut off at"},
    {VARY(to), PK_FIELD_REAL, "", 0, -1e6, 1e6, NULL, "largest; likewise"},
    {VARY(mean), PK_FIELD_REAL, "", 0, -1e6, 1e6, NULL, "of normal numbers"},
    {VARY(deviation), PK_FIELD_REAL, "", 0, 0, 1e6, NULL, "of normal numbers: their standard deviation"},
};
static const int vary_field_count = PKI_COUNT(vary_fields);

/* ---- reading ---- */

static bool has_key(const pki_scenario_vary *v, const char *key)
{
  return pki_node_find(v->node, key) != NULL;
}

/* A key that this entry has no use for, or needs and does not have. */
static void check_key(const pki_scenario_vary *v, const char *key, bool needed, bool allowed, const char *why,
                      pki_problems *problems)
{
  if (has_key(v, key) && !allowed) {
    pki_problem(problems, pki_node_find(v->node, key), "%s has no meaning for %s", key, why);
  } else if (!has_key(v, key) && needed) {
    pki_problem(problems, v->node, "%s needs the key \"%s\"", why, key);
  }
}

static void check_range(const pki_scenario_vary *v, pki_problems *problems)
{
  const pki_vary_row *row = pki_vary_rows[v->what];
  const char *const keys[2] = {"from", "to"};
  const double ends[2] = {v->from, v->to};
  for (int i = 0; i < 2; i++) {
    const pki_node *node = pki_node_find(v->node, keys[i]);
    if (node != NULL && !(ends[i] >= row->least && ends[i] <= row->most)) {
      pki_problem(problems, node, "%s is %g, expected %g to %g%s%s for %s", keys[i], ends[i], row->least,
                  row->most, row->unit[0] != '\0' ? " " : "", row->unit, row->name);
    }
  }
  if (has_key(v, "from") && has_key(v, "to") && v->from > v->to) {
    pki_problem(problems, pki_node_find(v->node, "to"), "to is %g, expected no less than from, which is %g",
                v->to, v->from);
  }
  if (v->distribution == PKI_LOG_UNIFORM && has_key(v, "from") && !(v->from > 0)) {
    pki_problem(problems, pki_node_find(v->node, "from"),
                "from is %g, expected more than zero: log-uniform numbers have a logarithm", v->from);
  }
}

static void check_entry(const pki_scenario_vary *v, pki_problems *problems)
{
  const pki_vary_row *row = pki_vary_rows[v->what];
  const bool normal = v->distribution == PKI_NORMAL, axes = v->what == PKI_VARY_POSITION;
  const char *spread = pki_field_word(&vary_fields[5], v->distribution);
  check_key(v, "link", row->link, row->link, row->name, problems);
  check_key(v, "joints", row->joints, row->joints, row->name, problems);
  check_key(v, "point", false, v->what == PKI_VARY_PAYLOAD, row->name, problems);
  check_key(v, "axis", false, axes || v->what == PKI_VARY_VELOCITY, row->name, problems);
  check_key(v, "mean", normal, normal, spread, problems);
  check_key(v, "deviation", normal, normal, spread, problems);
  /* normal numbers without an end reach everywhere */
  check_key(v, "from", !normal || row->least > -1e6, true, row->name, problems);
  check_key(v, "to", !normal || v->what == PKI_VARY_LATENCY, true, row->name, problems);
  if (axes && v->axis == 3) {
    pki_problem(problems, pki_node_find(v->node, "axis"),
                "the height of a position follows from the ground, expected x, y or all");
  }
  check_range(v, problems);
}

static void read_vary(pki_scenario *s, const pki_node *list, pki_problems *problems)
{
  void *entries = NULL;
  const pki_scenario_vary *late = NULL;
  const int before = pki_problems_total(problems);
  pki_read_entries(list, vary_fields, vary_field_count, sizeof *s->varies, &entries, &s->nvary, problems);
  s->varies = entries;
  for (int i = 0; i < s->nvary && pki_problems_total(problems) == before; i++) {
    check_entry(&s->varies[i], problems);
  }
  for (int i = 0; i < s->nvary && pki_problems_total(problems) == before; i++) {
    const pki_scenario_vary *v = &s->varies[i];
    if (v->what == PKI_VARY_LATENCY && late != NULL) {
      pki_problem(problems, v->node, "latency varies twice: a world has one");
    } else if (v->what == PKI_VARY_LATENCY) {
      late = v;
      s->step.max_latency = fmax(s->step.max_latency, fmin(1, round(v->to / s->step.dt) * s->step.dt));
    }
  }
}

/* ---- numbers ---- */

double pki_varied_value(const pki_scenario *s, const pki_varied *varied, int k)
{
  const pki_scenario_vary *v = &s->varies[varied->entry];
  enum { VARY = 0x76617279 }; /* no number of `disturb` begins like this */
  const uint64_t place[5] = {(uint64_t)s->seed, VARY, (uint64_t)k, (uint64_t)varied->entry,
                             (uint64_t)varied->part};
  pki_random random = pki_random_at(place, 5);
  double x;
  if (v->distribution == PKI_NORMAL) {
    x = v->mean + v->deviation * pki_random_normal(&random);
    x = has_key(v, "from") ? fmax(x, v->from) : x;
    x = has_key(v, "to") ? fmin(x, v->to) : x;
  } else if (v->distribution == PKI_LOG_UNIFORM) {
    x = exp(pki_random_between(&random, log(v->from), log(v->to)));
  } else {
    x = pki_random_between(&random, v->from, v->to);
  }
  return v->what == PKI_VARY_LATENCY ? round(x / s->step.dt) * s->step.dt : x;
}

/* One more number; false without memory. */
static bool add_number(pki_world *w, int entry, int target, const char *of)
{
  const pki_vary_row *row = pki_vary_rows[w->scenario->varies[entry].what];
  pki_varied *more = realloc(w->varied, ((size_t)w->nvaried + 1) * sizeof *more);
  if (more == NULL) {
    return false;
  }
  const int part = w->nvaried > 0 && more[w->nvaried - 1].entry == entry ? more[w->nvaried - 1].part + 1 : 0;
  w->varied = more;
  pki_varied *v = &more[w->nvaried++];
  *v = (pki_varied){.entry = entry, .part = part, .target = target, .unit = row->unit};
  snprintf(v->name, sizeof v->name, "%s%s%.100s", row->name, of[0] != '\0' ? " " : "", of);
  return true;
}

/* The bodies (mass) or links (payload) that an entry speaks of. */
static bool find_links(pki_world *w, int entry, pki_problems *problems)
{
  const pki_scenario_vary *v = &w->scenario->varies[entry];
  const pk_model *m = w->model;
  const int first = w->nvaried;
  const char **words = calloc((size_t)m->nlink + 1, sizeof *words);
  bool ok = words != NULL;
  for (int i = 0; i < m->nlink && ok; i++) {
    const int body = m->links[i].body, target = v->what == PKI_VARY_MASS ? body : i;
    bool counts = body >= 0 && pki_pattern_matches(v->link, m->links[i].name);
    for (int k = first; k < w->nvaried; k++) {
      counts = counts && w->varied[k].target != target; /* a body once */
    }
    words[i] = m->links[i].name;
    ok = !counts || add_number(w, entry, target, m->links[i].name);
  }
  if (ok && w->nvaried == first) {
    pk_error err = {0};
    int chosen;
    pk_status status =
        pki_read_choice(pki_node_find(v->node, "link"), "link", v->link, words, m->nlink, &chosen, &err);
    status = status != PK_OK
                 ? status
                 : pki_node_fail(pki_node_find(v->node, "link"), &err, PK_ERROR_ARGUMENT,
                                 "the link %s is fixed in the world: its mass moves nothing", v->link);
    pki_problems_note(problems, status, &err);
  }
  free(words);
  return ok;
}

/* Joints with one coordinate of their own. */
static bool find_joints(pki_world *w, int entry, pki_problems *problems)
{
  const pki_scenario_vary *v = &w->scenario->varies[entry];
  const pk_model *m = pk_sim_joint_model(w->sim);
  const int first = w->nvaried;
  const char **words = calloc((size_t)m->njoint + 1, sizeof *words);
  bool ok = words != NULL;
  int count = 0;
  for (int i = 0; i < m->njoint && ok; i++) {
    const pk_model_joint *j = &m->joints[i];
    const bool own = j->nq == 1 && j->nu == 1 && j->leader < 0;
    words[count] = j->name;
    count += own;
    ok = !own || !pki_pattern_matches(v->joints, j->name) || add_number(w, entry, j->u, j->name);
  }
  if (ok && w->nvaried == first) {
    pk_error err = {0};
    int chosen;
    pki_problems_note(
        problems,
        pki_read_choice(pki_node_find(v->node, "joints"), "joint", v->joints, words, count, &chosen, &err),
        &err);
  }
  free(words);
  return ok;
}

/* The motors of joints that match; of springs those that have one. */
static bool find_motors(pki_world *w, int entry, pki_problems *problems)
{
  const pki_scenario_vary *v = &w->scenario->varies[entry];
  const pk_model *m = pk_sim_joint_model(w->sim);
  const int first = w->nvaried, count = w->actuation != NULL ? pk_actuation_count(w->actuation) : 0;
  bool ok = true;
  for (int i = 0; i < count && ok; i++) {
    const pk_actuator a = pk_actuation_get(w->actuation, i);
    const char *joint = m->joints[m->dof_joint[a.dof]].name;
    const bool fits = v->what == PKI_VARY_SPRING ? pki_is_sea(a.kind) : pki_is_motor(a.kind);
    ok = !fits || !pki_pattern_matches(v->joints, joint) || add_number(w, entry, i, joint);
  }
  if (ok && w->nvaried == first) {
    pki_problem(problems, pki_node_find(v->node, "joints"),
                "no joint that \"%.60s\" names has an actuator of kind %s: `actuators` gives them", v->joints,
                v->what == PKI_VARY_SPRING ? "sea" : "dc or sea");
  }
  return ok;
}

static bool find_axes(pki_world *w, int entry)
{
  static const char *const names[] = {"x", "y", "z"};
  const pki_scenario_vary *v = &w->scenario->varies[entry];
  const int most = v->what == PKI_VARY_POSITION ? 2 : 3;
  bool ok = true;
  for (int axis = 0; axis < most && ok; axis++) {
    ok = (v->axis != 0 && v->axis != axis + 1) || add_number(w, entry, axis, names[axis]);
  }
  return ok;
}

/* What moves a robot as a whole needs one that is free. */
static void check_root(const pki_world *w, const pki_scenario_vary *v, pki_problems *problems)
{
  const pk_model_robot *r = w->scenario->nmodel > 0 ? &w->model->robots[0] : NULL;
  if (r == NULL || r->root != PK_ROOT_FREE) {
    pki_problem(problems, v->node, "%s moves robots with a free root, but %s%s%s",
                pki_vary_rows[v->what]->name, r != NULL ? r->name : "there is no robot",
                r != NULL ? " has a root that is " : "", r != NULL ? pk_root_kind_name(r->root) : "");
  }
}

/* ---- the start as it is written ---- */

static bool keep_start(pki_world *w)
{
  const size_t state = pk_sim_state_size(w->sim), numbers = pki_parameters_size(w->sim);
  w->start = malloc(state + numbers * sizeof(double)); /* a state's size is a multiple of a double's */
  if (w->start == NULL) {
    return false;
  }
  w->start_size = state;
  pk_sim_get_state(w->sim, w->start);
  pki_parameters_save(w->sim, (double *)(void *)((char *)w->start + state));
  return true;
}

static pk_status restore_start(pki_world *w, pk_error *err)
{
  const size_t state = w->start_size;
  pki_parameters_load(w->sim, (const double *)(const void *)((const char *)w->start + state));
  w->number = -1;
  w->push = 1;
  return pk_sim_set_state(w->sim, w->start, state, err);
}

static pk_status apply_parameter(pki_world *w, const pki_varied *varied, double x, pk_error *err);

/* Masses at both ends of their ranges, so that no world is the first to find out. */
static void check_range_ends(pki_world *w, const pki_varied *varied, pki_problems *problems)
{
  const pki_scenario_vary *v = &w->scenario->varies[varied->entry];
  const char *const keys[2] = {"from", "to"};
  for (int i = 0; i < 2 && v->what <= PKI_VARY_PAYLOAD; i++) {
    const pki_node *node = pki_node_find(v->node, keys[i]);
    pk_error err = {0};
    if (node != NULL) {
      const pk_status status = apply_parameter(w, varied, i == 0 ? v->from : v->to, &err);
      pki_problems_note(problems, pki_node_place(status, node, "", &err), &err);
    }
    (void)restore_start(w, NULL);
  }
}

static void find_varied(pki_world *w, pki_problems *problems)
{
  if (problems->status != PK_OK) {
    return; /* there is no world to keep */
  }
  const pki_scenario *s = w->scenario;
  bool ok = keep_start(w);
  for (int i = 0; i < s->nvary && ok; i++) {
    const pki_scenario_vary *v = &s->varies[i];
    switch (v->what) {
    case PKI_VARY_MASS:
    case PKI_VARY_PAYLOAD: ok = find_links(w, i, problems); break;
    case PKI_VARY_JOINT: ok = find_joints(w, i, problems); break;
    case PKI_VARY_MOTOR:
    case PKI_VARY_WINDING:
    case PKI_VARY_SPRING: ok = find_motors(w, i, problems); break;
    case PKI_VARY_POSITION:
    case PKI_VARY_VELOCITY: ok = find_axes(w, i); break;
    default: ok = add_number(w, i, -1, ""); break;
    }
    if (v->what == PKI_VARY_POSITION || v->what == PKI_VARY_YAW || v->what == PKI_VARY_VELOCITY) {
      check_root(w, v, problems);
    }
  }
  for (int i = 0; i < w->nvaried && ok; i++) {
    check_range_ends(w, &w->varied[i], problems);
  }
  if (!ok) {
    pki_problem_memory(problems);
  }
}

/* ---- parameters of world k ---- */

static pk_status apply_parameter(pki_world *w, const pki_varied *varied, double x, pk_error *err)
{
  const pki_scenario_vary *v = &w->scenario->varies[varied->entry];
  switch (v->what) {
  case PKI_VARY_MASS: return pk_sim_scale_mass(w->sim, varied->target, x, err);
  case PKI_VARY_PAYLOAD: return pk_sim_add_mass(w->sim, varied->target, x, v->point, err);
  case PKI_VARY_FRICTION: return pk_sim_set_friction(w->sim, pk_sim_get_friction(w->sim) * x, err);
  case PKI_VARY_LATENCY: return pk_sim_set_latency(w->sim, x, err);
  case PKI_VARY_PUSH: w->push *= x; return PK_OK;
  case PKI_VARY_MOTOR: return pk_sim_scale_motor(w->sim, varied->target, PK_MOTOR_VALUE_CONSTANT, x, err);
  case PKI_VARY_WINDING: return pk_sim_scale_motor(w->sim, varied->target, PK_MOTOR_VALUE_RESISTANCE, x, err);
  case PKI_VARY_SPRING: return pk_sim_scale_motor(w->sim, varied->target, PK_MOTOR_VALUE_SPRING, x, err);
  default: return PK_OK;
  }
}

/* ---- the start of world k ---- */

/* How all that is free moves. */
typedef struct shift {
  double by[3], velocity[3], yaw;
  bool moves; /* robots, or their joints */
} shift;

/* Everything with a free root, about the root of the first model: p = c + Rz (p - c) + by, R = Rz R, v = Rz v. */
static void move_roots(const pki_world *w, const shift *s, double *q, double *u)
{
  const pk_model *m = pk_sim_joint_model(w->sim);
  const double c = cos(s->yaw), n = sin(s->yaw), half[2] = {cos(0.5 * s->yaw), sin(0.5 * s->yaw)};
  double centre[2] = {0, 0};
  if (m->nrobot > 0 && m->robots[0].root == PK_ROOT_FREE) {
    memcpy(centre, q + m->robots[0].q, sizeof centre);
  }
  for (int r = 0; r < m->nrobot; r++) {
    if (m->robots[r].root != PK_ROOT_FREE) {
      continue;
    }
    double *p = q + m->robots[r].q, *v = u + m->robots[r].u;
    const double arm[2] = {p[0] - centre[0], p[1] - centre[1]}, at[4] = {p[3], p[4], p[5], p[6]};
    const double speed[2] = {v[0], v[1]};
    p[0] = centre[0] + (c * arm[0] - n * arm[1]) + s->by[0];
    p[1] = centre[1] + (n * arm[0] + c * arm[1]) + s->by[1];
    p[2] += s->by[2];
    p[3] = half[0] * at[0] - half[1] * at[3]; /* (cos, 0, 0, sin) times the attitude */
    p[4] = half[0] * at[1] - half[1] * at[2];
    p[5] = half[0] * at[2] + half[1] * at[1];
    p[6] = half[0] * at[3] + half[1] * at[0];
    v[0] = c * speed[0] - n * speed[1];
    v[1] = n * speed[0] + c * speed[1];
    for (int k = 0; k < 3 && r < w->model_robot[w->scenario->nmodel]; k++) {
      v[k] += s->velocity[k];
    }
  }
}

/* The least height of centres of robots' collision shapes over the ground below them; INFINITY: none has any. False: one has
 * none, and `all` should. */
static bool feet_clearance(pki_world *w, bool all, double *out)
{
  const pk_model *m = w->model;
  pk_workspace *work = pk_sim_workspace(w->sim);
  *out = INFINITY;
  for (int i = 0; i < m->nshape && w->scenario->terrain != NULL; i++) {
    const pk_model_shape *shape = &m->shapes[i];
    const pk_model_link *link = &m->links[shape->link];
    if (shape->visual || shape->body < 0 || link->robot >= w->model_robot[w->scenario->nmodel]) {
      continue;
    }
    double ground, centre[3], at[3];
    /* the ray search leaves kinematics at the configuration */
    pki_sim_place(w->sim);
    const double *pose = work->work.pose + 12 * ((size_t)shape->body + 1),
                 *origin = work->work.origin + 3 * ((size_t)shape->body + 1);
    memcpy(centre, shape->pose.pos, sizeof centre);
    pki_mat3_apply(pose, centre, at);
    pki_along3(origin, 1, at, at);
    if (pki_sim_ground_height(w->sim, at, &ground)) {
      *out = fmin(*out, at[2] - ground);
    } else if (all) {
      return false;
    }
  }
  return true;
}

/* One number of the start. */
static void add_start(const pki_world *w, const pki_varied *varied, double x, shift *s, double *q)
{
  const pk_model *m = pk_sim_joint_model(w->sim);
  const int k = varied->target;
  switch (w->scenario->varies[varied->entry].what) {
  case PKI_VARY_POSITION: s->by[k] += x, s->moves = true; break;
  case PKI_VARY_VELOCITY: s->velocity[k] += x; break;
  case PKI_VARY_YAW: s->yaw += x, s->moves = true; break;
  case PKI_VARY_JOINT: {
    const bool limited = w->scenario->step.joint_limits;
    double *at = &q[m->dof_q[k]];
    *at += x;
    *at = limited ? fmin(fmax(*at, m->dof_lower[k]), m->dof_upper[k]) : *at;
    s->moves = true;
    break;
  }
  default: break;
  }
}

/* Up or down, until the feet stand as they did. */
static pk_status restore_clearance(pki_world *w, int k, double before, double *q, double *u, pk_error *err)
{
  shift up = {.yaw = 0};
  double now;
  if (!feet_clearance(w, true, &now)) {
    const double *p = q + w->model->robots[0].q;
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "vary"},
                    "world %d starts at (%.3g, %.3g), where not all of it has ground below: make the ground "
                    "larger, or vary the position less",
                    k, p[0], p[1]);
  }
  up.by[2] = before - now;
  move_roots(w, &up, q, u);
  pk_sim_set_joints(w->sim, q, u);
  return PK_OK;
}

static pk_status set_start(pki_world *w, int k, pk_error *err)
{
  const pk_model *m = pk_sim_joint_model(w->sim);
  double *q = malloc(((size_t)m->nq + (size_t)m->nu + 1) * sizeof *q), before;
  shift s = {.yaw = 0};
  if (q == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory for world %d", k);
  }
  double *const u = q + m->nq;
  pk_sim_get_joints(w->sim, q, u);
  for (int i = 0; i < w->nvaried; i++) {
    add_start(w, &w->varied[i], pki_varied_value(w->scenario, &w->varied[i], k), &s, q);
  }
  (void)feet_clearance(w, false, &before);
  move_roots(w, &s, q, u);
  pk_sim_set_joints(w->sim, q, u);
  const pk_status status = s.moves && isfinite(before) ? restore_clearance(w, k, before, q, u, err) : PK_OK;
  free(q);
  return status;
}

pk_status pki_world_vary(pki_world *w, int k, pk_error *err)
{
  pk_status status = restore_start(w, err);
  if (status != PK_OK || k < 0) {
    return status;
  }
  for (int i = 0; i < w->nvaried && status == PK_OK; i++) {
    const double x = pki_varied_value(w->scenario, &w->varied[i], k);
    status = apply_parameter(w, &w->varied[i], x, err);
  }
  status = status == PK_OK ? set_start(w, k, err) : status;
  if (status != PK_OK) {
    (void)restore_start(w, NULL);
    return status;
  }
  pk_sim_set_stream(w->sim, (unsigned long long)k);
  w->number = k;
  return PK_OK;
}

static void release_vary(pki_scenario *s)
{
  free(s->varies);
}

static const pki_schema_table vary_tables[] = {
    {"vary", "each entry of `vary`", vary_fields, &vary_field_count}, {NULL, NULL, NULL, NULL}};

const pki_section pki_section_vary = {.name = "vary",
                                      .doc = "what differs from world to world of a batch: a list",
                                      .form = PKI_SECTION_IS_LIST,
                                      .tables = vary_tables,
                                      .read = read_vary,
                                      .release = release_vary,
                                      .start = find_varied};
