/* Joint references followed within the dynamics of the whole robot, at steps of any length (docs/theory/tracking.md).
 *
 *   references  where joints should be at the end of the step: a table, or a trot (stride.h)
 *   velocities  v = u_d + (q_d - q - dt u_d)/max(dt, correction), u_d the difference of the references over the step
 *   impulses    l, r: those of motors and of the feet that shall stand (control/impulse_program.h), u = P' of them
 *   commands    tau = l/dt with damping 1/(dt C) about the rates of u: rows of the step that l, r and u satisfy, so that the contact problem
 *               finds what was promised; where it was wrong contact decides, and the motors give way by the compliance C
 *
 * With the method `constraint` v goes to the step as it is (pk_command.correction), with `torque` l/dt alone, with `pd` only references and
 * gains. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/effort.h"
#include "control/impulse_program.h"
#include "control/reference.h"
#include "control/registry.h"
#include "gait/stride.h"
#include "math/mat3.h"

static const char *const method_words[] = {"two-stage", "constraint", "torque", "pd"};
static const char *const motion_words[] = {"table", "trot", "sinusoids"};

#define ID(name) #name, offsetof(pk_inverse_dynamics_options, name)
static const pk_field id_fields[] = {
    {ID(method), PK_FIELD_ENUM, "", PK_INVERSE_DYNAMICS_METHOD_TWO_STAGE, 0,
     PK_INVERSE_DYNAMICS_METHOD_COUNT - 1, method_words, "how joints are made to follow"},
    {ID(motion), PK_FIELD_ENUM, "", PK_INVERSE_DYNAMICS_MOTION_TABLE, 0, PK_INVERSE_DYNAMICS_MOTION_COUNT - 1,
     motion_words, "what they follow"},
    {ID(file), PK_FIELD_TEXT, "", 0, 0, sizeof((pk_inverse_dynamics_options *)0)->file - 1, NULL,
     "a table of joint references; default: the pose at the first update"},
    {ID(loop), PK_FIELD_REAL, "s", -1, -1, 1e9, NULL,
     "time of the line that the table goes back to after its last one; below 0: it stays there"},
    {ID(ramp), PK_FIELD_REAL, "s", 0, 0, 1e9, NULL,
     "time in which the table is entered from the pose at the first update"},
    {ID(feet), PK_FIELD_PART, "", 0, 0, 4, NULL,
     "of a trot, four links: left fore, right fore, left hind, right hind; default: LF_FOOT, RF_FOOT, "
     "LH_FOOT, RH_FOOT"},
    {ID(forward), PK_FIELD_REAL, "m/s", 0, -2, 2, NULL, "wanted speed of the trunk, along its x"},
    {ID(sideways), PK_FIELD_REAL, "m/s", 0, -2, 2, NULL, "wanted speed of the trunk, to the left"},
    {ID(turn), PK_FIELD_REAL, "rad/s", 0, -3, 3, NULL, "wanted yaw rate, to the left"},
    {ID(start), PK_FIELD_REAL, "s", 0.4, 0, 1e9, NULL, "when the trot starts"},
    {ID(cycle), PK_FIELD_REAL, "s", 0, 0, 10, NULL, "time of one cycle; 0: 3.913 sqrt(h/g)"},
    {ID(lift), PK_FIELD_REAL, "m", 0, 0, 1, NULL, "of a swinging foot; 0: a tenth of the height"},
    {ID(height), PK_FIELD_REAL, "m", 0, 0, 10, NULL,
     "of the trunk's origin above the feet's points; 0: legs bent to 0.785 of their length"},
    {ID(correction), PK_FIELD_REAL, "s", 0.1, 1e-9, 1e3, NULL, "time in which errors vanish"},
    {ID(friction), PK_FIELD_REAL, "", 0, 0, 10, NULL,
     "of the cones in which feet are asked to stand; 0: 0.98 of each contact's own"},
    {ID(tau_max), PK_FIELD_REAL, "N m", INFINITY, 0, INFINITY, NULL,
     "largest torque, beside the model's effort limits; 0: none"},
    {ID(compliance), PK_FIELD_REAL, "(rad/s)/(N m s)", 0.5, 1e-9, 1e9, NULL,
     "how far the step may leave the planned rates for each impulse"},
    {ID(kp), PK_FIELD_REAL, "N m/rad", 300, 0, 1e9, NULL, "stiffness of the method pd"},
    {ID(kd), PK_FIELD_REAL, "N m s/rad", 4, 0, 1e9, NULL, "damping of the method pd"},
};
enum { ID_FIELDS = sizeof id_fields / sizeof id_fields[0] };

typedef struct id_controller {
  pk_controller controller;
  pk_inverse_dynamics_options options;
  pki_stride_plan stride; /* of a trot */
  pki_reference reference;
  int joints;
  int dof[PKI_IMPULSE_JOINTS];     /* velocity coordinates that it drives */
  double most[PKI_IMPULSE_JOINTS]; /* N m or N */
  double memory[];                 /* of the reference */
} id_controller;

/* What it remembers. */
typedef struct id_state {
  pki_stride stride;
  pki_impulse_solution solution; /* of the last program, */
  double feet[PKI_IMPULSE_FEET]; /* which had these: 0 none, 1 one that lands, 2 one that stands */
  double begun;
  double pose[PKI_IMPULSE_JOINTS]; /* rad or m, at the first update */
} id_state;

/* One update: references of the joints, and the feet. */
typedef struct id_moment {
  const id_controller *c;
  const pk_observation *seen;
  double q[PKI_IMPULSE_JOINTS], u[PKI_IMPULSE_JOINTS], velocity[PKI_IMPULSE_JOINTS];
  int feet;
  pki_standing standing[PKI_IMPULSE_FEET];
} id_moment;

static bool walks(const id_controller *c)
{
  return c->options.motion != PK_INVERSE_DYNAMICS_MOTION_TABLE;
}

/* ---- references ---- */

/* Of a table, or of the pose at the first update. */
static void refer_to_table(id_moment *m, const id_state *s)
{
  const pki_reference *ref = &m->c->reference;
  const pki_reference_place from = pki_reference_find(ref, m->seen->time),
                            to = pki_reference_find(ref, m->seen->time + m->seen->dt);
  for (int k = 0; k < m->c->joints; k++) {
    const pki_goal a = pki_reference_from(ref, from, pki_reference_at(ref, from, k), s->pose[k]),
                   b = pki_reference_from(ref, to, pki_reference_at(ref, to, k), s->pose[k]);
    m->q[k] = b.q, m->u[k] = (b.q - a.q) / m->seen->dt;
  }
}

/* The contact of a link with something else, and its normal as the link feels it; NULL: none, and up. */
static const pk_sim_contact *contact_of(const pk_observation *seen, int link, double normal[3])
{
  for (int i = 0; i < seen->ncontact; i++) {
    if (pk_sim_contact_carries(&seen->contacts[i], seen->model, link, NULL, normal)) {
      return &seen->contacts[i];
    }
  }
  normal[0] = normal[1] = 0, normal[2] = 1;
  return NULL;
}

/* Two unit vectors across a normal. */
static void set_axes(const double normal[3], pki_contact *c)
{
  const int least = fabs(normal[0]) < 0.7 ? 0 : 1;
  double along[3] = {0, 0, 0};
  along[least] = 1;
  const double part = pki_dot3(along, normal);
  for (int k = 0; k < 3; k++) {
    c->normal[k] = normal[k];
    c->tangent1[k] = along[k] - part * normal[k];
  }
  const double size = pki_length3(c->tangent1);
  for (int k = 0; k < 3; k++) {
    c->tangent1[k] /= size;
  }
  pki_cross3(c->normal, c->tangent1, c->tangent2);
}

static double cone_of(const id_controller *c, const pk_sim_contact *contact)
{
  static const double inside = 0.98, unknown = 0.6;
  return c->options.friction > 0 ? c->options.friction
         : contact != NULL       ? inside * contact->friction
                                 : unknown;
}

/* Of a trot: its joints are those of its legs, in their order, and others keep their pose. */
static void refer_to_trot(id_moment *m, id_state *s)
{
  const pki_stride_plan *plan = &m->c->stride;
  const pk_model *model = m->seen->model;
  pki_stride_goal goal;
  pki_stride_update(plan, &s->stride, m->seen, &goal);
  for (int k = 0; k < m->c->joints; k++) {
    m->q[k] = s->pose[k], m->u[k] = 0;
  }
  for (int i = 0; i < PKI_STRIDE_LEGS; i++) {
    for (int k = 0; k < m->c->joints; k++) {
      for (int h = 0; h < PKI_STRIDE_HINGES; h++) {
        if (m->c->dof[k] == plan->legs[i].u[h]) {
          m->q[k] = goal.q[i][h], m->u[k] = goal.u[i][h];
        }
      }
    }
    double normal[3];
    const pk_sim_contact *contact = contact_of(m->seen, plan->legs[i].link, normal);
    pki_standing *const foot = &m->standing[m->feet++];
    *foot = (pki_standing){.radius = plan->radius[i],
                           .friction = cone_of(m->c, contact),
                           .lands = !goal.stands[i],
                           .contact = {.body = model->links[plan->legs[i].link].body, .other = -1}};
    set_axes(normal, &foot->contact);
    for (int k = 0; k < 3; k++) {
      foot->contact.point[k] = goal.foot[i][k] - plan->radius[i] * foot->contact.normal[k];
    }
    foot->contact.gap = goal.gap[i];
  }
}

/* The robot of a link has joints that are driven here. */
static bool is_driven(const id_controller *c, const pk_model *model, int link)
{
  for (int k = 0; k < c->joints; k++) {
    if (model->joints[model->dof_joint[c->dof[k]]].robot == model->links[link].robot) {
      return true;
    }
  }
  return false;
}

/* Of a table nobody knows which feet shall stand: those that carried in the last step, the first ones where there are more than fit. */
static void stand_on_contacts(id_moment *m)
{
  const pk_model *model = m->seen->model;
  for (int i = 0; i < m->seen->ncontact && m->feet < PKI_IMPULSE_FEET; i++) {
    const pk_sim_contact *c = &m->seen->contacts[i];
    if (c->other_link >= 0 || pki_dot3(c->impulse, c->impulse) == 0 || !is_driven(m->c, model, c->link)) {
      continue;
    }
    pki_standing *const foot = &m->standing[m->feet++];
    *foot = (pki_standing){.friction = cone_of(m->c, c),
                           .contact = {.body = model->links[c->link].body, .other = -1}};
    const pk_model_shape *shape = &model->shapes[c->shape];
    foot->radius = shape->kind == PK_SHAPE_SPHERE ? shape->size[0] : 0;
    set_axes(c->normal, &foot->contact);
    memcpy(foot->contact.point, c->point, sizeof c->point);
  }
}

/* ---- commands ---- */

static void command_by_program(const id_moment *m, id_state *s, pk_command *commands)
{
  const id_controller *c = m->c;
  const double dt = m->seen->dt;
  const bool holds = c->options.method == PK_INVERSE_DYNAMICS_METHOD_TWO_STAGE;
  bool warm = s->begun != 0;
  for (int i = 0; i < PKI_IMPULSE_FEET; i++) {
    const double kind = i >= m->feet ? 0 : m->standing[i].lands ? 1 : 2;
    warm = warm && s->feet[i] == kind;
    s->feet[i] = kind;
  }
  const pki_impulse_program program = {.dt = dt,
                                       .joints = c->joints,
                                       .dof = c->dof,
                                       .velocity = m->velocity,
                                       .most = c->most,
                                       .feet = m->feet,
                                       .standing = m->standing};
  pki_impulse_program_solve(&program, m->seen->workspace, m->seen->q, m->seen->u, warm, m->seen->scratch,
                            &s->solution);
  for (int k = 0; k < c->joints; k++) {
    commands[c->dof[k]] = (pk_command){.tau = s->solution.impulse[k] / dt,
                                       .q_des = m->q[k] - dt * m->u[k], /* now, to measure errors by */
                                       .u_des = holds ? s->solution.rate[k] : m->u[k],
                                       .kd = holds ? 1 / (dt * c->options.compliance) : 0,
                                       .tau_max = c->most[k]};
  }
}

static void command_joints(const id_moment *m, id_state *s, pk_command *commands)
{
  const id_controller *c = m->c;
  const bool gains = c->options.method == PK_INVERSE_DYNAMICS_METHOD_PD;
  if (!gains && c->options.method != PK_INVERSE_DYNAMICS_METHOD_CONSTRAINT) {
    command_by_program(m, s, commands);
    return;
  }
  for (int k = 0; k < c->joints; k++) {
    commands[c->dof[k]] = (pk_command){.q_des = gains ? m->q[k] - m->seen->dt * m->u[k] : m->q[k],
                                       .u_des = m->u[k],
                                       .kp = gains ? c->options.kp : 0,
                                       .kd = gains ? c->options.kd : 0,
                                       .correction = gains ? 0 : c->options.correction,
                                       .tau_max = c->most[k]};
  }
}

/* The trunk of a quadruped lies on its side or back: its joints are only damped. */
static bool has_fallen(const id_controller *c, const pk_observation *seen)
{
  if (!walks(c)) {
    return false;
  }
  pk_kinematics_compute(seen->workspace, seen->q, NULL);
  return pk_link_pose(seen->workspace, c->stride.trunk).rot[8] < 0.5;
}

static pk_status update(const pk_controller *self, const pk_observation *seen, void *state,
                        pk_command *commands)
{
  const id_controller *c = self->user;
  id_state *const s = state;
  id_moment m = {.c = c, .seen = seen};
  for (int k = 0; k < c->joints && s->begun == 0; k++) {
    s->pose[k] = seen->q[seen->model->dof_q[c->dof[k]]];
  }
  if (has_fallen(c, seen)) {
    for (int k = 0; k < c->joints; k++) {
      commands[c->dof[k]] = (pk_command){.kd = c->options.kd, .tau_max = c->most[k]};
    }
    return PK_OK;
  }
  if (walks(c)) {
    refer_to_trot(&m, s);
  } else {
    refer_to_table(&m, s);
    stand_on_contacts(&m);
  }
  for (int k = 0; k < c->joints; k++) {
    const double q = seen->q[seen->model->dof_q[c->dof[k]]];
    m.velocity[k] = m.u[k] + (m.q[k] - q - seen->dt * m.u[k]) / fmax(seen->dt, c->options.correction);
  }
  command_joints(&m, s, commands);
  s->begun = 1;
  return PK_OK;
}

/* ---- creation ---- */

pk_inverse_dynamics_options pk_inverse_dynamics_options_default(void)
{
  pk_inverse_dynamics_options options;
  pki_fields_default(id_fields, ID_FIELDS, &options, sizeof options);
  return options;
}

static pk_status plan_stride(id_controller *c, const pk_model *model, pk_error *err)
{
  const pk_inverse_dynamics_options *o = &c->options;
  c->stride.kind =
      o->motion == PK_INVERSE_DYNAMICS_MOTION_SINUSOIDS ? PKI_STRIDE_SINUSOIDS : PKI_STRIDE_CONSISTENT;
  c->stride.forward = o->forward, c->stride.sideways = o->sideways, c->stride.turn = o->turn;
  c->stride.start = o->start;
  const pk_status status = pki_stride_init(&c->stride, model, o->feet, o->height, err);
  if (status == PK_OK) {
    const double h = c->stride.height;
    c->stride.cycle = o->cycle > 0 ? o->cycle : 3.913 * sqrt(h / c->stride.gravity);
    c->stride.lift = o->lift > 0 ? o->lift : 0.1 * h;
  }
  return status;
}

/* Joints that it drives: those of the table, each with a motor. */
static pk_status list_joints(id_controller *c, const pki_reference_table *table, const pk_model *model,
                             pk_error *err)
{
  if (model->nconstraint > 0) {
    return pki_fail(
        err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "controller"},
        "the constraint \"%s\" closes a loop, expected a tree: use \"track\" with a correction time",
        model->constraints[0].name);
  }
  if (model->nu > PKI_IMPULSE_NU || table->joints > PKI_IMPULSE_JOINTS) {
    return pki_fail(
        err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "controller"},
        "the world has %d velocities and %d driven joints, expected at most %d and %d: use \"track\" with a "
        "correction time",
        model->nu, table->joints, PKI_IMPULSE_NU, PKI_IMPULSE_JOINTS);
  }
  for (int k = 0; k < table->joints; k++) {
    const int dof = table->dof[k];
    const double given = table->gain[PKI_REFERENCE_TAU_MAX * table->joints + k];
    c->dof[k] = dof;
    c->most[k] = pki_effort_limit(model, dof, isnan(given) ? c->options.tau_max : given);
  }
  c->joints = table->joints;
  return PK_OK;
}

pk_status pk_inverse_dynamics_create(const pk_model *model, const pk_inverse_dynamics_options *options,
                                     pk_controller **out, pk_error *err)
{
  *out = NULL;
  const pk_inverse_dynamics_options chosen = options ? *options : pk_inverse_dynamics_options_default();
  pk_status status = pki_fields_validate(id_fields, ID_FIELDS, &chosen, err);
  if (status != PK_OK) {
    return status;
  }
  pki_reference_table table;
  const bool reads = chosen.motion == PK_INVERSE_DYNAMICS_MOTION_TABLE;
  status = pki_reference_read(reads ? chosen.file : "", model, &table, err);
  id_controller *c = status == PK_OK ? calloc(1, sizeof *c + pki_reference_size(&table)) : NULL;
  if (status == PK_OK && c == NULL) {
    status = pki_fail_memory(err, "a controller");
  }
  if (status == PK_OK) {
    const pki_reference_options followed = {.loop = reads ? chosen.loop : -1, .ramp = chosen.ramp};
    c->options = chosen;
    status = pki_reference_init(&table, &followed, c->memory, &c->reference, err);
  }
  status = status == PK_OK ? list_joints(c, &table, model, err) : status;
  status = status == PK_OK && walks(c) ? plan_stride(c, model, err) : status;
  if (status != PK_OK) {
    free(c);
  } else {
    c->controller =
        (pk_controller){.name = "inverse-dynamics",
                        .model = pk_model_hash(model),
                        .state_size = sizeof(id_state),
                        .scratch_size = pki_impulse_program_size(model->nu, c->joints, PKI_IMPULSE_FEET),
                        .update = update,
                        .user = c};
    *out = &c->controller;
  }
  pki_reference_free(&table);
  return status;
}

void pk_inverse_dynamics_destroy(pk_controller *controller)
{
  pki_controller_destroy(controller);
}

static pk_status create_inverse_dynamics(const pk_model *model, const void *options, pk_controller **out,
                                         pk_error *err)
{
  return pk_inverse_dynamics_create(model, options, out, err);
}

static bool asks_for_targets(const void *options)
{
  return ((const pk_inverse_dynamics_options *)options)->method != PK_INVERSE_DYNAMICS_METHOD_PD;
}

static const char *const live_fields[] = {"forward", "sideways", "turn", "correction", "tau_max", NULL};

const pki_controller_row pki_controller_inverse_dynamics = {
    .name = "inverse-dynamics",
    .doc = "joint references within the robot's dynamics, feet that stand stand, at any step",
    .fields = id_fields,
    .nfield = ID_FIELDS,
    .options_size = sizeof(pk_inverse_dynamics_options),
    .create = create_inverse_dynamics,
    .tracks = asks_for_targets,
    .live = live_fields};
