/* Standing, gaits and jumps, after Gehring et al. 2013 ("Control of Dynamic Gaits for a Quadrupedal Robot"): a virtual
 * model of the trunk gives a wrench, the stance feet share it within friction, torques are by transposed
 * Jacobians; footholds come from velocity feedback. Here the wrench and the torques come from inverse dynamics of
 * the whole robot, so that legs have weight and inertia. */
#include "gait/locomotion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/lu.h"
#include "math/mat3.h"

static const double touch = 0.0114026; /* weights of the robot, a foot that feels more is on the ground */
static const double patience = 0.015;  /* s without contact until a stance foot looks for the ground */
static const double ramp = 0.04;       /* s, to load and to unload a foot */
static const double calm = 0.0665425;  /* m h^2/s, against what the next steps do beyond the wanted motion */
static const double limp = 0.443617;   /* m h^2/s, damping after a fall */

/* ---- what is seen ---- */

static double *jacobian_of(pki_walk *w, int nu, int leg)
{
  return w->scratch + (size_t)(6 * leg * nu);
}

static void read_contacts(const pki_locomotion *c, const pk_observation *seen, pki_walk *w)
{
  for (int i = 0; i < PKI_LEGS; i++) {
    pki_foot_now *now = &w->now[i];
    now->load = 0;
    now->wall = false;
    for (int k = 0; k < seen->ncontact; k++) {
      double impulse[3], normal[3];
      if (pk_sim_contact_carries(&seen->contacts[k], seen->model, c->legs[i].foot, impulse, normal)) {
        /* walls do not carry */
        const double force = pki_dot3(impulse, normal) / seen->dt;
        const bool steep = normal[2] < 0.5;
        now->load += steep ? 0 : force;
        if (steep && force > 0) {
          now->wall = true;
          memcpy(now->away, normal, sizeof now->away);
        }
      }
    }
  }
}

static void sense(const pki_locomotion *c, const pk_observation *seen, pki_walk *w)
{
  pk_workspace *work = seen->workspace;
  pk_kinematics_compute(work, seen->q, seen->u);
  const pk_pose pose = pk_link_pose(work, c->trunk);
  double v[6];
  pk_link_velocity(work, c->trunk, v);
  memcpy(w->R, pose.rot, sizeof w->R);
  memcpy(w->pos, pose.pos, sizeof w->pos);
  memcpy(w->omega, v, sizeof w->omega);
  pki_mat3_apply(w->R, v + 3, w->vel);
  pk_com_compute(work, c->robot, w->com, w->com_vel);
  w->heading = atan2(w->R[3], w->R[0]);
  for (int i = 0; i < PKI_LEGS; i++) {
    pki_foot_now *now = &w->now[i];
    double *J = jacobian_of(w, c->nu, i);
    pk_link_jacobian(work, c->legs[i].foot, c->legs[i].centre, J);
    const pk_pose foot = pk_link_pose(work, c->legs[i].foot);
    for (int k = 0; k < 3; k++) {
      now->pos[k] = foot.pos[k] + pki_dot3(foot.rot + 3 * k, c->legs[i].centre);
      now->vel[k] = 0;
      for (int j = 0; j < c->nu; j++) {
        now->vel[k] += J[(3 + k) * c->nu + j] * seen->u[j];
      }
    }
  }
  read_contacts(c, seen, w);
}

/* ---- the modes of the feet ---- */

static void set_mode(pki_walk *w, int leg, pki_foot_mode mode)
{
  pki_foot *foot = &w->feet[leg];
  foot->mode = mode;
  foot->since = 0;
  foot->quiet = 0;
  foot->stuck = false;
  memcpy(foot->from, w->now[leg].pos, sizeof foot->from);
}

/* When a foot changes its mode, and how much it may carry. */
static void schedule(const pki_locomotion *c, pki_walk *w, int leg)
{
  pki_foot *foot = &w->feet[leg];
  pki_foot_now *now = &w->now[leg];
  const double phase = pki_cpg_place(&w->cpg, leg), duty = w->cpg.duty;
  const bool swings = w->walking && !pki_cpg_stance(&w->cpg, leg),
             touches = now->load > touch * c->mass * c->gravity;
  foot->since += w->period;
  foot->quiet = touches ? 0 : foot->quiet + w->period;
  foot->phase = swings ? (phase - duty) / (1 - duty) : 1;
  if (foot->mode == PKI_FOOT_STANCE && swings && foot->phase < 0.5) {
    set_mode(w, leg, PKI_FOOT_SWING);
  } else if (foot->mode == PKI_FOOT_STANCE && foot->quiet > patience) {
    set_mode(w, leg, PKI_FOOT_REACH);
  } else if (foot->mode == PKI_FOOT_SWING && !swings) {
    set_mode(w, leg, touches ? PKI_FOOT_STANCE : PKI_FOOT_REACH);
  } else if (foot->mode != PKI_FOOT_STANCE && touches &&
             (foot->mode == PKI_FOOT_REACH || foot->phase > 0.5)) {
    set_mode(w, leg, PKI_FOOT_STANCE);
  }
  if (foot->mode == PKI_FOOT_REACH && now->wall) {
    foot->stuck = true;
    for (int k = 0; k < 2; k++) {
      foot->from[k] = now->pos[k] + 0.015 / 0.41 * c->height * now->away[k];
    }
  }
  if (foot->mode == PKI_FOOT_STANCE) {
    memcpy(foot->ground, now->pos, sizeof foot->ground);
    for (int k = 0; k < 3; k++) {
      foot->ground[k] -= c->legs[leg].radius * w->normal[k];
    }
  }
  const bool leaves = w->walking && !swings && !w->cpg.late[leg];
  const double left = leaves ? (duty - phase) * w->cpg.cycle : INFINITY, rise = w->planned ? 0.01 : ramp;
  const double load = fmin(1, fmin((foot->since + w->period) / rise, left / rise));
  now->limit = PKI_FOOT_HEAVY * c->mass * c->gravity * fmax(load, 0.02);
}

/* The robot as one body, in the pose of the first update: the trunk's block of M, moved to the mass. */
static void weigh(const pki_locomotion *c, const pk_observation *seen, pki_walk *w, double *M)
{
  double off[3], r[3];
  pk_mass_matrix(seen->workspace, seen->q, M);
  pk_kinematics_compute(seen->workspace, seen->q, seen->u);
  pki_sub3(w->com, w->pos, off);
  pki_mat3_apply_transposed(w->R, off, r);
  const double square = pki_dot3(r, r);
  for (int i = 0; i < 9; i++) {
    const double about = M[(c->u + 3 + i / 3) * c->nu + c->u + 3 + i % 3];
    w->inertia[i] = about - c->mass * ((i % 4 == 0 ? square : 0) - r[i / 3] * r[i % 3]);
  }
}

/* The largest normal force that each leg can give where it stands now, by its joints' efforts; the least of them. */
static double strength(const pki_locomotion *c, const pk_observation *seen, pki_walk *w)
{
  double force = PKI_FOOT_HEAVY * c->mass * c->gravity;
  for (int i = 0; i < 3 * PKI_LEGS; i++) {
    const int u = c->legs[i / 3].u[i % 3];
    const double arm = fabs(jacobian_of(w, c->nu, i / 3)[5 * c->nu + u]);
    force = arm * force > seen->model->dof_effort[u] ? seen->model->dof_effort[u] / arm : force;
  }
  return force / (c->mass * c->gravity);
}

static void wake(const pki_locomotion *c, pki_walk *w)
{
  w->awake = true;
  w->jumped = -1;
  w->yaw = w->heading;
  w->normal[2] = 1;
  for (int i = 0; i < PKI_LEGS; i++) {
    set_mode(w, i, PKI_FOOT_STANCE);
    w->feet[i].since = ramp;
    memcpy(w->feet[i].ground, w->now[i].pos, sizeof w->feet[i].ground);
    w->feet[i].ground[2] -= c->legs[i].radius;
  }
}

/* ---- torques ---- */

/* A swinging joint brakes before its limits: no more acceleration than that of a damped spring that ends there. What is
 * not a number stays so: the step refuses it as a command. */
static double within_limits(const pk_observation *seen, int u, double acceleration)
{
  static const double k = 900, d = 60, room = 0.03; /* 1/s^2, 1/s, rad */
  const double q = seen->q[seen->model->dof_q[u]], v = seen->u[u];
  const double most = k * (seen->model->dof_upper[u] - room - q) - d * v;
  const double least = k * (seen->model->dof_lower[u] + room - q) - d * v;
  return isnan(acceleration) ? acceleration : fmax(least, fmin(most, acceleration));
}

/* Accelerations of a leg's joints that give its foot the wanted one: J_l a_l = acc - dJ/dt u - J_b a_b, damped least
 * squares. */
static void leg_acceleration(const pki_locomotion *c, const pk_observation *seen, pki_walk *w, int i,
                             double *a)
{
  static const double damping = 5e-4;
  const pki_leg *leg = &c->legs[i];
  const double *J = jacobian_of(w, c->nu, i);
  double rest[6], b[3], K[9], JJ[9], x[3];
  int pivot[3];
  pk_link_jacobian_dot_u(seen->workspace, leg->foot, leg->centre, seen->u, rest);
  for (int r = 0; r < 3; r++) {
    const double *row = J + (3 + r) * c->nu;
    b[r] = w->now[i].acc[r] - rest[3 + r];
    for (int k = 0; k < 6; k++) {
      b[r] -= row[c->u + k] * w->acc[k];
    }
    for (int k = 0; k < 3; k++) {
      K[3 * r + k] = row[leg->u[k]];
    }
  }
  for (int r = 0; r < 9; r++) {
    JJ[r] = pki_dot3(K + 3 * (r / 3), K + 3 * (r % 3)) + (r % 4 == 0 ? damping : 0);
  }
  memcpy(x, b, sizeof x);
  pki_lu_factor(JJ, 3, pivot);
  pki_lu_solve(JJ, 3, pivot, x);
  for (int k = 0; k < 3; k++) {
    const double wanted = K[k] * x[0] + K[3 + k] * x[1] + K[6 + k] * x[2];
    a[leg->u[k]] = w->feet[i].mode == PKI_FOOT_STANCE ? wanted : within_limits(seen, leg->u[k], wanted);
  }
}

/* The Jacobian of a stance foot is moved to where it touches: v_c = v + omega x (-radius n). */
static void move_to_contact(const pki_locomotion *c, pki_walk *w, int leg)
{
  double *J = jacobian_of(w, c->nu, leg);
  const double radius = c->legs[leg].radius, *n = w->normal;
  for (int j = 0; j < c->nu; j++) {
    const double spin[3] = {J[j], J[c->nu + j], J[2 * c->nu + j]};
    double v[3];
    pki_cross3(n, spin, v);
    for (int k = 0; k < 3; k++) {
      J[(3 + k) * c->nu + j] += radius * v[k];
    }
  }
}

/* The trunk's rows of M a + h are what the stance feet must give; the rows of the joints, less the feet's forces, are
 * the torques. */
static void share_load(const pki_locomotion *c, pki_walk *w, const double *need)
{
  pki_share s = {.friction = c->options.friction, .regular = w->planned ? 0.02 : 1e-3};
  const double moment = 1 / (c->arm * c->arm);
  const double S[6] = {0.1, 0.1, 1, moment, moment, 0.5 * moment};
  int who[PKI_LEGS];
  memcpy(s.b, need + c->u, sizeof s.b);
  memcpy(s.S, S, sizeof S);
  memcpy(s.normal, w->normal, sizeof s.normal);
  for (int i = 0; i < PKI_LEGS; i++) {
    memset(w->now[i].force, 0, sizeof w->now[i].force);
    if (w->feet[i].mode != PKI_FOOT_STANCE) {
      continue;
    }
    move_to_contact(c, w, i);
    const double *J = jacobian_of(w, c->nu, i);
    for (int r = 0; r < 6; r++) {
      for (int k = 0; k < 3; k++) {
        s.A[s.count][r][k] = J[(3 + k) * c->nu + c->u + r];
      }
    }
    memcpy(s.prefer[s.count], w->now[i].prefer, sizeof s.prefer[0]);
    s.limit[s.count] = w->now[i].limit;
    who[s.count++] = i;
  }
  if (s.count > 0) {
    pki_share_solve(&s);
  }
  for (int k = 0; k < s.count; k++) {
    memcpy(w->now[who[k]].force, s.force[k], sizeof s.force[k]);
  }
}

/* Upside down, on its side or on its belly: nothing that feet could mend. */
static bool has_fallen(const pki_locomotion *c, const pki_walk *w)
{
  const double ground = w->plane[0] + w->plane[1] * w->pos[0] + w->plane[2] * w->pos[1];
  return w->R[8] < 0.5 || w->pos[2] - ground < 0.4 * c->height;
}

static void go_limp(const pki_locomotion *c, const pk_model *m, pk_command *commands)
{
  for (int i = 0; i < 3 * PKI_LEGS; i++) {
    const int u = c->legs[i / 3].u[i % 3];
    commands[u] = (pk_command){.kd = limp * c->mass * c->height * c->height, .tau_max = m->dof_effort[u]};
  }
}

/* Accelerations that are wanted of the trunk and of all feet, as accelerations of coordinates. */
static void want(const pki_locomotion *c, const pk_observation *seen, pki_walk *w, double *a)
{
  memset(a, 0, (size_t)c->nu * sizeof a[0]);
  memcpy(a + c->u, w->acc, sizeof w->acc);
  for (int i = 0; i < PKI_LEGS; i++) {
    memset(w->now[i].acc, 0, sizeof w->now[i].acc);
    if (w->feet[i].mode != PKI_FOOT_STANCE) {
      pki_swing(c, w, i);
    }
    leg_acceleration(c, seen, w, i, a);
  }
}

/* What is wanted of the trunk: by the virtual model, or by the plan. */
static void follow(const pki_locomotion *c, pki_walk *w)
{
  for (int i = 0; i < PKI_LEGS; i++) {
    memset(w->now[i].prefer, 0, sizeof w->now[i].prefer);
  }
  if (!w->planned) {
    pki_sway_rest(w);
    pki_trunk_refer(c, w);
    w->path_step = 0;
    memset(w->drift, 0, sizeof w->drift);
    return;
  }
  double lean[2], rate[2];
  pki_sway_step(c, w);
  pki_trunk_refer(c, w);
  pki_sway_at(c, w, 0, lean, rate);
  for (int k = 0; k < 2; k++) {
    const double ahead = w->com_vel[k] - rate[k] - w->velocity[k];
    w->drift[k] += fmin(1, w->period / w->cpg.cycle) * (ahead - w->drift[k]);
  }
  pki_plan(c, w);
}

static pk_status update(const pk_controller *self, const pk_observation *seen, void *state,
                        pk_command *commands)
{
  const pki_locomotion *c = self->user;
  pki_walk *w = state;
  double *a = w->scratch + (size_t)(6 * PKI_LEGS * c->nu), *need = a + c->nu;
  w->time = seen->time;
  w->period = self->period > 0 ? self->period : seen->dt;
  sense(c, seen, w);
  if (!w->awake) {
    wake(c, w);
    weigh(c, seen, w, need + c->nu);
    w->strength = strength(c, seen, w);
  }
  pki_clock_tick(c, w);
  for (int i = 0; i < PKI_LEGS; i++) {
    schedule(c, w, i);
  }
  pki_ground_fit(w);
  w->fallen = w->fallen || has_fallen(c, w);
  if (w->fallen) {
    go_limp(c, seen->model, commands);
    return PK_OK;
  }
  follow(c, w);
  want(c, seen, w, a);
  pk_inverse_dynamics(seen->workspace, seen->q, seen->u, a, need);
  share_load(c, w, need);
  for (int i = 0; i < PKI_LEGS; i++) {
    const double *J = jacobian_of(w, c->nu, i), *f = w->now[i].force;
    for (int k = 0; k < 3; k++) {
      const int u = c->legs[i].u[k];
      const double by_force = J[3 * c->nu + u] * f[0] + J[4 * c->nu + u] * f[1] + J[5 * c->nu + u] * f[2];
      commands[u] = (pk_command){.tau = need[u] - by_force,
                                 .u_des = seen->u[u] + w->period * a[u],
                                 .kd = calm * c->mass * c->height * c->height,
                                 .tau_max = seen->model->dof_effort[u]};
    }
  }
  return PK_OK;
}

/* ---- making one ---- */

pk_locomotion_options pk_locomotion_options_default(void)
{
  pk_locomotion_options options;
  memset(&options, 0, sizeof options);
  pki_fields_preset(pki_locomotion_fields, pki_locomotion_field_count, &options);
  return options;
}

/* Every field in its range, and what ranges alone cannot say. */
static pk_status validate(const pk_locomotion_options *o, pk_error *err)
{
  pk_status status = pki_fields_validate(pki_locomotion_fields, pki_locomotion_field_count, o, err);
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
    status = pki_fields_validate(pki_gait_change_fields, pki_gait_change_field_count, &o->changes[i], err);
    if (status == PK_OK && i > 0 && o->changes[i].at < o->changes[i - 1].at) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "gaits"},
                      "the change of the gait at %g s comes after one at %g s, expected times that rise",
                      o->changes[i].at, o->changes[i - 1].at);
    }
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
  pk_status status = validate(&made.options, err);
  status = status == PK_OK ? pki_legs_find(&made, model, err) : status;
  status = status == PK_OK ? validate_jump(&made, &made.options, err) : status;
  if (status != PK_OK) {
    return status;
  }
  pki_locomotion *c = malloc(sizeof *c);
  if (c == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for a controller");
  }
  *c = made;
  pki_sway_design(c);
  const size_t scratch = (6 * PKI_LEGS + 2 + (size_t)model->nu) * (size_t)model->nu;
  c->controller = (pk_controller){.name = "locomotion",
                                  .period = made.options.period,
                                  .state_size = sizeof(pki_walk) + scratch * sizeof(double),
                                  .update = update,
                                  .user = c};
  *out = &c->controller;
  return PK_OK;
}

pk_status pk_locomotion_set_speed(pk_controller *controller, double forward, double sideways, double turn,
                                  pk_error *err)
{
  /* the controller is the start of its block */
  pki_locomotion *c = (pki_locomotion *)controller;
  pk_locomotion_options chosen = c->options;
  chosen.forward = forward, chosen.sideways = sideways, chosen.turn = turn;
  for (int i = 0; i < chosen.change_count; i++) {
    pk_gait_change *change = &chosen.changes[i];
    change->forward = forward, change->sideways = sideways, change->turn = turn;
  }
  const pk_status status = validate(&chosen, err);
  if (status == PK_OK) {
    c->options = chosen;
  }
  return status;
}

pk_status pk_locomotion_set_gait(pk_controller *controller, pk_gait gait, pk_error *err)
{
  pki_locomotion *c = (pki_locomotion *)controller;
  pk_locomotion_options chosen = c->options;
  chosen.gait = gait;
  chosen.change_count = 0;
  if (gait != c->options.gait) {
    chosen.cycle = chosen.duty = chosen.lift = 0;
  }
  pk_status status = validate(&chosen, err);
  status = status == PK_OK ? validate_jump(c, &chosen, err) : status;
  if (status == PK_OK) {
    c->options = chosen;
  }
  return status;
}

void pk_locomotion_destroy(pk_controller *controller)
{
  pki_controller_destroy(controller);
}
