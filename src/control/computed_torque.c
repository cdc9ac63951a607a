/* Follow joint references by computed torques, also called inverse-dynamics control or feedback linearisation (Spong, Hutchinson,
 * Vidyasagar 2006, section 8.3; Luh, Walker, Paul 1980):
 *
 *   tau = M(q) (a_ref + kd (u_ref - u) + kp e + ki integral of e) + h(q, u) + d u + k (q - q_k),     e = q_ref - q
 *
 * by one recursion of Newton and Euler; d and k are damping and springs of joints. With the true model the errors of all joints
 * obey e'' + kd e' + kp e + ki integral of e = 0, each by itself, whatever the robot's pose and speed.
 *
 * The law needs the acceleration of every coordinate of a robot to be one that its motors can choose. So robots are fixed to the world, are
 * trees, and have a motor in every joint; a joint without a reference of its own is held where it was. Other robots of the world
 * are left alone.
 *
 * The command is a torque; it carries the reference with gains of zero, so that tracking errors can be measured. While a torque
 * is at its limit and its joint's e pushes it further there, the integral waits: it does not wind up. */
#include <math.h>
#include <stdlib.h>

#include "control/effort.h"
#include "control/reference.h"
#include "control/registry.h"

#define CT(name) #name, offsetof(pk_computed_torque_options, name)
static const pk_field ct_fields[] = {
    {CT(period), PK_FIELD_REAL, "s", 0, 0, 1, NULL, "time between updates, whole steps; 0: each step"},
    {CT(file), PK_FIELD_TEXT, "", 0, 0, sizeof((pk_computed_torque_options *)0)->file - 1, NULL,
     "a table of joint references; default: the pose at the first update"},
    {CT(loop), PK_FIELD_REAL, "s", -1, -1, 1e9, NULL,
     "time of the line that the table goes back to after its last one; below 0: it stays there"},
    {CT(ramp), PK_FIELD_REAL, "s", 0, 0, 1e9, NULL,
     "time in which the table is entered from the pose at the first update"},
    {CT(frequency), PK_FIELD_REAL, "Hz", 3, 0, 1e3, NULL,
     "of the errors' oscillation: kp = (2 pi frequency)^2"},
    {CT(damping), PK_FIELD_REAL, "", 1, 0, 100, NULL, "ratio, 1 is critical: kd = 2 damping sqrt(kp)"},
    {CT(kp), PK_FIELD_REAL, "1/s^2", -1, -1, 1e9, NULL,
     "acceleration for each rad of error; below 0: by frequency"},
    {CT(kd), PK_FIELD_REAL, "1/s", -1, -1, 1e9, NULL,
     "acceleration for each rad/s of error; below 0: by damping"},
    {CT(ki), PK_FIELD_REAL, "1/s^3", 0, 0, 1e9, NULL, "acceleration for each rad s of the integral"},
    {CT(tau_max), PK_FIELD_REAL, "N m", INFINITY, 0, INFINITY, NULL,
     "largest torque, beside the model's effort limits, where the table has none; 0: none"},
};
enum { CT_FIELDS = sizeof ct_fields / sizeof ct_fields[0] };

/* A coordinate that it drives: its velocity and configuration, its column of the table (-1: none), its largest force. */
typedef struct ct_joint {
  int u, q, column;
  double most;
} ct_joint;

typedef struct computed_torque {
  pk_controller controller;
  double kp, kd, ki;
  pki_reference reference;
  int joints;
  const ct_joint *joint;
  double memory[]; /* of the joints and of the reference */
} computed_torque;

/* What it remembers: whether it has begun; integrals, the pose at its first update [joints]; and room for accelerations and
 * torques [nu]. */
typedef struct ct_state {
  double seen, values[];
} ct_state;

static void note_pose(const computed_torque *c, const pk_observation *seen, ct_state *s)
{
  for (int k = 0; k < c->joints && s->seen == 0; k++) {
    s->values[c->joints + k] = seen->q[c->joint[k].q];
  }
  s->seen = 1;
}

static pki_goal goal_of(const computed_torque *c, pki_reference_place at, int k, double start)
{
  const int column = c->joint[k].column;
  const pki_goal rest = {.q = start};
  return column < 0
             ? rest
             : pki_reference_from(&c->reference, at, pki_reference_at(&c->reference, at, column), start);
}

static void update_world(const computed_torque *c, const pk_observation *seen, ct_state *s,
                         pk_command *commands)
{
  const pk_model *m = seen->model;
  const double dt = c->controller.period > 0 ? c->controller.period : seen->dt;
  double *integral = s->values, *start = integral + c->joints, *a = start + c->joints, *tau = a + m->nu;
  note_pose(c, seen, s);
  /* accelerations that are wanted; those of robots that are left alone do not count */
  const pki_reference_place at = pki_reference_find(&c->reference, seen->time);
  for (int k = 0; k < c->joints; k++) {
    const ct_joint *j = &c->joint[k];
    const pki_goal to = goal_of(c, at, k, start[k]);
    const double e = to.q - seen->q[j->q];
    a[j->u] = to.a + c->kd * (to.u - seen->u[j->u]) + c->kp * e + c->ki * (integral[k] + dt * e);
    commands[j->u] = (pk_command){.q_des = to.q, .u_des = to.u};
  }
  pk_inverse_dynamics(seen->workspace, seen->q, seen->u, a, tau);
  for (int k = 0; k < c->joints; k++) {
    const ct_joint *j = &c->joint[k];
    const double q = seen->q[j->q], e = commands[j->u].q_des - q;
    const double force = tau[j->u] + m->dof_damping[j->u] * seen->u[j->u] +
                         m->dof_stiffness[j->u] * (q - m->dof_spring_ref[j->u]);
    integral[k] += fabs(force) > j->most && force * e > 0 ? 0 : dt * e;
    commands[j->u].tau = force;
    pki_command_limit(&commands[j->u], j->most);
  }
}

static void update_group(const pk_controller *self, int count, const pk_observation *seen,
                         void *const *states, pk_command *const *commands, pk_status *status)
{
  for (int i = 0; i < count; i++) {
    update_world(self->user, &seen[i], states[i], commands[i]);
    status[i] = PK_OK;
  }
}

pk_computed_torque_options pk_computed_torque_options_default(void)
{
  pk_computed_torque_options options;
  pki_fields_default(ct_fields, CT_FIELDS, &options, sizeof options);
  return options;
}

/* Whether a constraint holds a body or a coordinate of a robot. */
static bool constraint_of(const pk_model_constraint *c, const pk_model_robot *r)
{
  for (int side = 0; side < 2; side++) {
    if ((c->body[side] >= r->body && c->body[side] < r->body + r->nbody) ||
        (c->dof[side] >= r->u && c->dof[side] < r->u + r->nu)) {
      return true;
    }
  }
  return false;
}

/* Why computed torques cannot drive a robot, if they cannot. */
static pk_status check_robot(const pk_model *m, const pk_model_robot *r, pk_error *err)
{
  if (r->root != PK_ROOT_FIXED) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){0},
                    "the trunk of \"%s\" moves freely, and no motor drives it: computed-torque is for robots "
                    "that are fixed to the world; take whole-body or inverse-dynamics for it, or leave its "
                    "joints out of the table",
                    r->name);
  }
  for (int u = r->u; u < r->u + r->nu; u++) {
    const pk_model_joint *j = &m->joints[m->dof_joint[u]];
    if (m->dof_q[u] < 0) {
      return pki_fail(
          err, PK_ERROR_UNSUPPORTED, (pki_where){0},
          "the joint \"%s\" of \"%s\" has no coordinate for each of its %d degrees of freedom, which "
          "computed-torque needs",
          j->name, r->name, j->nu);
    }
    if (!(m->dof_effort[u] > 0)) {
      return pki_fail(
          err, PK_ERROR_UNSUPPORTED, (pki_where){0},
          "the joint \"%s\" of \"%s\" has no motor (its effort limit is 0): computed-torque needs one in "
          "every joint",
          j->name, r->name);
    }
  }
  for (int i = 0; i < m->nconstraint; i++) {
    if (constraint_of(&m->constraints[i], r)) {
      return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){0},
                      "the constraint \"%s\" holds \"%s\": computed-torque is for trees without loops",
                      m->constraints[i].name, r->name);
    }
  }
  return PK_OK;
}

static int find_column(const pki_reference_table *t, int u)
{
  for (int k = 0; k < t->joints; k++) {
    if (t->dof[k] == u) {
      return k;
    }
  }
  return -1;
}

/* All coordinates of the robots that have a joint in the table; how many. `out` has room for nu. */
static pk_status list_coordinates(const pk_model *m, const pki_reference_table *t, double tau_max,
                                  ct_joint *out, int *count, pk_error *err)
{
  *count = 0;
  for (int r = 0; r < m->nrobot; r++) {
    const pk_model_robot *robot = &m->robots[r];
    bool named = false;
    for (int u = robot->u; u < robot->u + robot->nu; u++) {
      named = named || find_column(t, u) >= 0;
    }
    const pk_status status = named ? check_robot(m, robot, err) : PK_OK;
    if (status != PK_OK) {
      return status;
    }
    for (int u = robot->u; u < robot->u + robot->nu && named; u++) {
      const int column = find_column(t, u);
      const double own = column >= 0 ? t->gain[PKI_REFERENCE_TAU_MAX * t->joints + column] : NAN;
      out[(*count)++] = (ct_joint){.u = u,
                                   .q = m->dof_q[u],
                                   .column = column,
                                   .most = pki_effort_limit(m, u, isnan(own) ? tau_max : own)};
    }
  }
  return PK_OK;
}

/* Everything in one block. */
static pk_status pack_controller(const pk_model *m, const pki_reference_table *t,
                                 const pk_computed_torque_options *o, computed_torque **out, pk_error *err)
{
  const size_t nu = (size_t)m->nu, size = pki_reference_size(t);
  computed_torque *c = malloc(sizeof *c + nu * sizeof(ct_joint) + size);
  *out = c;
  if (c == NULL) {
    return pki_fail_memory(err, "a controller");
  }
  ct_joint *joint = (ct_joint *)(void *)c->memory;
  const pki_reference_options followed = {.loop = o->loop, .ramp = o->ramp};
  pk_status status = list_coordinates(m, t, o->tau_max, joint, &c->joints, err);
  if (status == PK_OK) {
    status = pki_reference_init(t, &followed, joint + nu, &c->reference, err);
  }
  if (status != PK_OK) {
    return status;
  }
  const double omega = 2 * 3.14159265358979323846 * o->frequency;
  c->joint = joint;
  c->kp = o->kp >= 0 ? o->kp : omega * omega;
  c->kd = o->kd >= 0 ? o->kd : 2 * o->damping * sqrt(c->kp);
  c->ki = o->ki;
  c->controller =
      (pk_controller){.name = "computed-torque",
                      .period = o->period,
                      .model = pk_model_hash(m),
                      .state_size = sizeof(ct_state) + (2 * (size_t)c->joints + 2 * nu) * sizeof(double),
                      .update_group = update_group,
                      .user = c};
  return PK_OK;
}

pk_status pk_computed_torque_create(const pk_model *model, const pk_computed_torque_options *options,
                                    pk_controller **out, pk_error *err)
{
  *out = NULL;
  const pk_computed_torque_options chosen = options ? *options : pk_computed_torque_options_default();
  pk_status status = pki_fields_validate(ct_fields, CT_FIELDS, &chosen, err);
  if (status != PK_OK) {
    return status;
  }
  pki_reference_table table;
  computed_torque *c = NULL;
  status = pki_reference_read(chosen.file, model, &table, err);
  if (status == PK_OK) {
    status = pack_controller(model, &table, &chosen, &c, err);
  }
  pki_reference_free(&table);
  if (status != PK_OK) {
    free(c);
    return status;
  }
  *out = &c->controller;
  return PK_OK;
}

void pk_computed_torque_destroy(pk_controller *controller)
{
  pki_controller_destroy(controller);
}

static pk_status create_computed_torque(const pk_model *model, const void *options, pk_controller **out,
                                        pk_error *err)
{
  return pk_computed_torque_create(model, options, out, err);
}

static const char *const live_fields[] = {"frequency", "damping", "kp", "kd", "ki", "tau_max", NULL};

const pki_controller_row pki_controller_computed_torque = {
    .name = "computed-torque",
    .doc = "inverse dynamics of a fixed robot along joint references",
    .fields = ct_fields,
    .nfield = CT_FIELDS,
    .options_size = sizeof(pk_computed_torque_options),
    .create = create_computed_torque,
    .live = live_fields};
