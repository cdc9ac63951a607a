#define _POSIX_C_SOURCE 200809L /* strdup */
#include "run/channels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/workspace.h"
#include "math/mat3.h"
#include "model/motion.h"
#include "model/trunk_link.h"
#include "record/scene.h"
#include "run/channel_columns.h"
#include "stability/stability.h"

/* ---- columns ---- */

/* Coordinate k (of q, or of u) of body i, by the joint or the root that it belongs to. */
static void add_coordinate_column(pki_channel_reader *t, int channel, int i, int k, bool of_q)
{
  static const char *const pose[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  static const char *const twist[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  static const char *const attitude[] = {"qw", "qx", "qy", "qz"};
  static const char *const turning[] = {"wx", "wy", "wz"};
  const pk_model *m = t->watch->model;
  const int motion = m->body_motion[i];
  const bool floats = motion == PK_MOTION_FLOATING, ball = motion == PK_MOTION_SPHERICAL;
  const bool slides = motion == PK_MOTION_PRISMATIC;
  int joint = -1;
  for (int j = 0; j < m->njoint && joint < 0; j++) {
    joint = m->joints[j].leader < 0 && m->body_u[i] >= m->joints[j].u &&
                    m->body_u[i] < m->joints[j].u + m->joints[j].nu
                ? j
                : -1;
  }
  int robot = 0;
  while (robot + 1 < m->nrobot && i >= m->robots[robot].body + m->robots[robot].nbody) {
    robot++;
  }
  const char *name = joint >= 0 ? m->joints[joint].name : m->links[m->robots[robot].root_link].name;
  if (floats || ball) {
    const char *const part = of_q ? (floats ? pose[k] : attitude[k]) : (floats ? twist[k] : turning[k]);
    const bool linear = floats && k < 3;
    pki_add_column(t, channel, of_q ? (linear ? "m" : "") : linear ? "m/s" : "rad/s", "%s.%s", name, part);
    return;
  }
  const char *unit = of_q ? (slides ? "m" : "rad") : slides ? "m/s" : "rad/s";
  if (joint >= 0 && m->joints[joint].nu == 1) {
    pki_add_column(t, channel, unit, "%s", name);
  } else { /* one of a planar joint's, or of a chain root's */
    const int first = joint >= 0 ? m->joints[joint].u : m->robots[robot].u;
    pki_add_column(t, channel, unit, "%s.%d", name, m->body_u[i] - first);
  }
}

/* Independent coordinates in the order of q or u: bodies hold them in that order, followers none of their own. */
static void describe_state(pki_channel_reader *t, int channel, bool of_q)
{
  const pk_model *m = t->watch->model;
  const int total = of_q ? m->nq : m->nu;
  for (int at = 0; at < total;) {
    int body = 0;
    while (body < m->nbody && (of_q ? m->body_q[body] : m->body_u[body]) != at) {
      body++;
    }
    const int motion = m->body_motion[body];
    const int width = of_q ? pki_motion_nq(motion) : pki_motion_nu(motion);
    for (int k = 0; k < width; k++) {
      add_coordinate_column(t, channel, body, k, of_q);
    }
    at += width;
  }
}

static void describe_q(pki_channel_reader *t, int channel)
{
  describe_state(t, channel, true);
}

static void describe_u(pki_channel_reader *t, int channel)
{
  describe_state(t, channel, false);
}

bool pki_is_length(const pk_model *m, int dof)
{
  for (int i = 0; i < m->nbody; i++) {
    if (m->body_u[i] == dof) {
      return m->body_motion[i] == PK_MOTION_PRISMATIC;
    }
  }
  return false;
}

static void describe_force(pki_channel_reader *t, int channel)
{
  const pk_model *m = t->watch->model;
  for (int i = 0; i < t->njoint; i++) {
    char name[256];
    pki_joint_column(m, t->joint_dof[i], name, sizeof name);
    pki_add_column(t, channel, pki_is_length(m, t->joint_dof[i]) ? "N" : "N m", "%s", name);
  }
}

static void describe_command(pki_channel_reader *t, int channel)
{
  const pk_model *m = t->watch->model;
  for (int i = 0; i < t->njoint; i++) {
    char name[256];
    const bool length = pki_is_length(m, t->joint_dof[i]);
    pki_joint_column(m, t->joint_dof[i], name, sizeof name);
    pki_add_column(t, channel, length ? "m" : "rad", "%s.position", name);
    pki_add_column(t, channel, length ? "m/s" : "rad/s", "%s.velocity", name);
    pki_add_column(t, channel, length ? "N" : "N m", "%s.force", name);
  }
}

static void describe_trunk(pki_channel_reader *t, int channel)
{
  PKI_COLUMNS(t, channel, {"x", "m"}, {"y", "m"}, {"z", "m"}, {"roll", "rad"}, {"pitch", "rad"},
              {"yaw", "rad"}, {"vx", "m/s"}, {"vy", "m/s"}, {"vz", "m/s"}, {"wx", "rad/s"}, {"wy", "rad/s"},
              {"wz", "rad/s"});
}

static void describe_estimate(pki_channel_reader *t, int channel)
{
  if (pki_watch_is_blind(t->watch)) {
    describe_trunk(t, channel);
  }
}

static void describe_feet(pki_channel_reader *t, int channel)
{
  static const char *const parts[] = {"fx", "fy", "fz", "normal"};
  for (int i = 0; i < t->watch->nfoot; i++) {
    for (int k = 0; k < 4; k++) {
      pki_add_column(t, channel, "N", "%s.%s", t->watch->model->links[t->watch->feet[i]].name, parts[k]);
    }
  }
}

static void describe_contacts(pki_channel_reader *t, int channel)
{
  PKI_COLUMNS(t, channel, {"link", ""}, {"x", "m"}, {"y", "m"}, {"z", "m"}, {"nx", ""}, {"ny", ""},
              {"nz", ""}, {"fx", "N"}, {"fy", "N"}, {"fz", "N"}, {"gap", "m"}, {"friction", ""},
              {"other", ""});
}

static void describe_solver(pki_channel_reader *t, int channel)
{
  PKI_COLUMNS(t, channel, {"contacts", ""}, {"rounds", ""}, {"iterations", ""}, {"residual", ""},
              {"speed", "m/s"}, {"penetration", "m"}, {"closure", "m"}, {"saturated", ""}, {"certified", ""},
              {"coulomb", ""}, {"fell_back", ""}, {"collisions", ""});
}

static void describe_bodies(pki_channel_reader *t, int channel)
{
  static const char *const parts[][2] = {{"x", "m"}, {"y", "m"}, {"z", "m"}, {"qw", ""},
                                         {"qx", ""}, {"qy", ""}, {"qz", ""}};
  const pk_model *m = pk_sim_model(t->watch->world->sim);
  for (int i = 0; i < m->nbody; i++) {
    for (int k = 0; k < 7; k++) {
      if (m->body_link[i] >= 0) {
        pki_add_column(t, channel, parts[k][1], "%s.%s", m->links[m->body_link[i]].name, parts[k][0]);
      } else {
        pki_add_column(t, channel, parts[k][1], "body%d.%s", i, parts[k][0]);
      }
    }
  }
}

static void describe_energy(pki_channel_reader *t, int channel)
{
  PKI_COLUMNS(t, channel, {"kinetic", "J"}, {"potential", "J"}, {"joint_work", "J"}, {"push_work", "J"});
}

static void describe_com(pki_channel_reader *t, int channel)
{
  PKI_COLUMNS(t, channel, {"x", "m"}, {"y", "m"}, {"z", "m"}, {"vx", "m/s"}, {"vy", "m/s"}, {"vz", "m/s"});
}

/* ---- values ---- */

/* The workspace at the state, velocities included: once for all channels of a step. The watch has left the positions
 * there. */
static pk_workspace *workspace_at_state(pki_channel_reader *t)
{
  pk_sim *sim = t->watch->world->sim;
  pk_workspace *workspace = pk_sim_workspace(sim);
  if (t->moved != t->result->steps) {
    workspace->kernels->velocities(&workspace->work, pk_sim_u(sim));
    t->moved = t->result->steps;
  }
  return workspace;
}

static int read_q(pki_channel_reader *t, int robot, double *out)
{
  (void)robot, (void)out;
  t->found = t->watch->q;
  return 1;
}

static int read_u(pki_channel_reader *t, int robot, double *out)
{
  (void)robot, (void)out;
  t->found = t->watch->u;
  return 1;
}

static int read_force(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  const double *tau = pk_sim_tau(t->watch->world->sim);
  for (int i = 0; i < t->njoint; i++) {
    out[i] = tau[t->joint_dof[i]];
  }
  return 1;
}

static int read_command(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  const pk_command *commands = pk_sim_commands(t->watch->world->sim);
  for (int i = 0; i < t->njoint; i++) {
    const pk_command *c = &commands[t->joint_dof[i]];
    out[3 * i] = c->q_des;
    out[3 * i + 1] = c->u_des;
    out[3 * i + 2] = c->tau;
  }
  return 1;
}

/* The trunk's velocity (world) and angular velocity (its axes), for a free root without the velocities of all
 * bodies: v + R (w x p), with v and w its coordinates and p the link's place in the body. */
static void trunk_twist(pki_channel_reader *t, int robot, const pk_pose *pose, double linear[3],
                        double angular[3])
{
  const pk_model_robot *r = &t->watch->model->robots[robot];
  const pk_model_link *link = &t->watch->model->links[r->root_link];
  double arm[3];
  if (r->root == PK_ROOT_FREE) {
    const double *u = t->watch->u + r->u;
    pki_mat3_apply_transposed(link->pose.rot, u + 3, angular);
    pki_mat3_apply_transposed(link->pose.rot, link->pose.pos, arm);
    pki_cross3(angular, arm, arm);
    pki_mat3_apply(pose->rot, arm, linear);
    for (int k = 0; k < 3; k++) {
      linear[k] += u[k];
    }
    return;
  }
  double twist[6];
  pk_link_velocity(workspace_at_state(t), pki_model_trunk(t->watch->model, robot), twist);
  pki_mat3_apply(pose->rot, twist + 3, linear);
  memcpy(angular, twist, 3 * sizeof *twist);
}

static int read_trunk(pki_channel_reader *t, int robot, double *out)
{
  const pki_watch *w = t->watch;
  const pk_pose pose =
      robot == 0 ? w->now : pk_link_pose(pk_sim_workspace(w->world->sim), pki_model_trunk(w->model, robot));
  memcpy(out, pose.pos, sizeof pose.pos);
  pki_mat3_to_rpy(pose.rot, out + 3);
  trunk_twist(t, robot, &pose, out + 6, out + 9);
  return 1;
}

static int read_feet(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  for (int i = 0; i < t->watch->nfoot; i++) {
    memcpy(out + 4 * (size_t)i, t->watch->force + 3 * (size_t)i, 3 * sizeof *out);
    out[4 * i + 3] = t->watch->normal[i];
  }
  return 1;
}

static int read_contacts(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  const pki_watch *w = t->watch;
  const double per_second = 1 / w->world->scenario->step.dt;
  const int n = w->ncontact < t->room ? w->ncontact : t->room;
  for (int i = 0; i < n; i++, out += 13) {
    const pk_sim_contact *c = &w->contacts[i];
    out[0] = c->link;
    for (int k = 0; k < 3; k++) {
      out[1 + k] = c->point[k];
      out[4 + k] = c->normal[k];
      out[7 + k] = c->impulse[k] * per_second;
    }
    out[10] = c->gap;
    out[11] = c->friction;
    out[12] = c->other_link;
  }
  return n;
}

static int read_solver(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  const pk_step_info *info = &t->watch->info;
  const double values[] = {info->contacts,
                           info->iterations,
                           info->solver_iterations,
                           info->certificate.relative,
                           info->certificate.residual,
                           info->penetration,
                           info->closure,
                           info->saturated,
                           info->certified,
                           info->coulomb_relative,
                           info->fell_back,
                           info->collisions};
  memcpy(out, values, sizeof values);
  return 1;
}

static int read_bodies(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  const pki_work *work = &workspace_at_state(t)->work;
  for (int i = 0; i < work->model->nbody; i++, out += 7) {
    memcpy(out, work->origin + 3 * ((size_t)i + 1), 3 * sizeof *out);
    pki_quat_from_mat3(work->pose + 12 * ((size_t)i + 1), out + 3);
  }
  return 1;
}

static int read_energy(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  const pk_energy e = pk_energy_compute(workspace_at_state(t), pk_sim_u(t->watch->world->sim));
  out[0] = e.kinetic;
  const double springs = pk_spring_energy(t->watch->model, t->watch->q);
  const double stored = springs + pk_sim_elastic_energy(t->watch->world->sim);
  out[1] = stored > 0 ? e.potential + stored : e.potential;
  out[2] = t->result->energy_in;
  out[3] = t->result->push_work;
  return 1;
}

static int read_com(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  pk_com_compute(workspace_at_state(t), -1, out, out + 3);
  return 1;
}

/* ---- the table ---- */

/* What actuators remember, under the name that their kind has for it. */
#define ACTUATOR_STATE(channel, from, text) \
  { \
    .name = "actuators/" channel, .doc = text, .state = from, .describe = pki_describe_actuator_state, \
    .read = pki_read_actuator_state \
  }

#define ACTUATOR_STATES \
  ACTUATOR_STATE("current", "current", "current of each motor"), \
      ACTUATOR_STATE("voltage", "voltage", "voltage at each motor in the step"), \
      ACTUATOR_STATE("temperature", "winding_temperature", "of each motor's winding"), \
      ACTUATOR_STATE("housing_temperature", "housing_temperature", "of each motor's housing"), \
      ACTUATOR_STATE("rotor_velocity", "rotor_velocity", "of each motor, at the joint's side of its gear"), \
      ACTUATOR_STATE("spring_deflection", "spring_deflection", \
                     "rotor less joint, at the joint's side, of each motor behind a spring"), \
      ACTUATOR_STATE("pretension", "pretension", "of each parallel spring"), \
      ACTUATOR_STATE("pressure_a", "pressure_a", "of each cylinder, the side that pushes"), \
      ACTUATOR_STATE("pressure_b", "pressure_b", "of each cylinder, the side of the rod"), \
      ACTUATOR_STATE("valve", "opening", "of each cylinder's valve, -1 to 1")

#define ACTUATOR_ENERGY(channel, field, text) \
  { \
    .name = "actuators/" channel, .doc = text, .view = true, .flow = offsetof(pk_actuator_flow, field), \
    .describe = pki_describe_actuator_energy, .read = pki_read_actuator_energy \
  }

#define STABILITY(id, measured, unit) \
  {.name = "stability/" #measured, \
   .measure = 1 + (id), \
   .describe = pki_describe_measure, \
   .read = pki_read_measure},

const pki_channel_row pki_channel_rows[] = {
    {.name = "state/q", .doc = "configuration in joint coordinates", .describe = describe_q, .read = read_q},
    {.name = "state/u", .doc = "velocity in joint coordinates", .describe = describe_u, .read = read_u},
    {.name = "joints/force",
     .doc = "force of the commands on each joint coordinate",
     .describe = describe_force,
     .read = read_force},
    {.name = "joints/load",
     .doc = "force and moment that each joint carries, in the axes of what it moves; with `record.loads`",
     .describe = pki_describe_loads,
     .read = pki_read_loads},
    {.name = "joints/command",
     .doc = "what the controller asked of each joint coordinate, after each of its updates",
     .control = true,
     .describe = describe_command,
     .read = read_command},
    {.name = "trunk",
     .doc = "a robot's root link: place, roll, pitch, yaw, velocity (world), angular velocity (its axes)",
     .robots = true,
     .describe = describe_trunk,
     .read = read_trunk},
    {.name = "estimate",
     .doc = "trunk of the first robot as its controller sees it, where that sees sensors",
     .describe = describe_estimate,
     .read = pki_read_estimate},
    {.name = "feet",
     .doc = "force on each foot from outside its robot (world), and along the contact normals",
     .describe = describe_feet,
     .read = read_feet},
    {.name = "contacts",
     .doc = "contacts of the step: link, place, normal, force on it (world), gap, friction, the other link "
            "(-1: ground)",
     .table = true,
     .describe = describe_contacts,
     .read = read_contacts},
    {.name = "pushes",
     .doc = "force and torque of each entry of `push` and `disturb` in the step, in its axes",
     .describe = pki_describe_pushes,
     .read = pki_read_pushes},
    ACTUATOR_STATES,
    {.name = "actuators/power",
     .doc = "electrical power of all motors, heat of their windings, friction, work on joints",
     .describe = pki_describe_power,
     .read = pki_read_power},
    {.name = "battery",
     .doc = "voltage of the bus, charge and power that were taken, and energies since the start",
     .describe = pki_describe_battery,
     .read = pki_read_battery},
    {.name = "solver",
     .doc = "contacts, rounds, solver iterations, certificate, deepest gap, closure",
     .describe = describe_solver,
     .read = read_solver},
    {.name = "tasks",
     .doc = "whole-body control: by how much each task is missed (rms), whether limits hold them back, "
            "torques and forces at limits, feet that stand (bits), rounds and residual of the program",
     .control = true,
     .describe = pki_describe_tasks,
     .read = pki_read_tasks},
    {.name = "sensors",
     .doc = "readings of all sensors, each with its name: those at the end of the step",
     .describe = pki_describe_sensors,
     .read = pki_read_sensors},
    PK_STABILITY_MEASURE_LIST(STABILITY){
        .name = "stability/edges",
        .doc = "edges of the support of the first robot: ends, kind (1: diagonal), branch, momenta about it",
        .table = true,
        .describe = pki_describe_edges,
        .read = pki_read_edges},
    {.name = "bodies",
     .doc = "place and attitude (quaternion) of each body",
     .view = true,
     .describe = describe_bodies,
     .read = read_bodies},
    {.name = "pressure",
     .doc =
         "faces of compliant surfaces that press: body, shape, face, pressure, force on it (world), corners "
         "(in the body)",
     .table = true,
     .view = true,
     .describe = pki_describe_pressure,
     .read = pki_read_pressure},
    {.name = "energy",
     .doc = "energies, and the work of joints and pushes since the start",
     .view = true,
     .describe = describe_energy,
     .read = read_energy},
    {.name = "actuators/energy",
     .doc = "where the energy of all actuators came from and went since the start; it sums to zero",
     .view = true,
     .describe = pki_describe_flow,
     .read = pki_read_flow},
    ACTUATOR_ENERGY("electrical_energy", electrical, "electrical energy of each motor since the start"),
    ACTUATOR_ENERGY("joule_heat", joule, "heat of each motor's winding since the start"),
    ACTUATOR_ENERGY("work", mechanical, "work of each actuator on its joint since the start"),
    {.name = "com",
     .doc = "centre of mass of all that moves, and its velocity",
     .view = true,
     .describe = describe_com,
     .read = read_com},
};
const int pki_channel_row_count = sizeof pki_channel_rows / sizeof pki_channel_rows[0];

const char *pki_channel_doc(const pki_channel_row *row)
{
  return row->measure > 0 ? pki_stability_rows[row->measure - 1]->doc : row->doc;
}
