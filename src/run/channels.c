#define _POSIX_C_SOURCE 200809L /* strdup */
#include "run/channels.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "dynamics/workspace.h"
#include "math/mat3.h"
#include "model/motion.h"
#include "model/trunk_link.h"
#include "record/scene.h"
#include "run/channel_columns.h"

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
              {"speed", "m/s"}, {"penetration", "m"}, {"closure", "m"}, {"saturated", ""}, {"certified", ""});
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
                           info->certified};
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
  out[1] = springs > 0 ? e.potential + springs : e.potential;
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

const pki_channel_row pki_channel_rows[] = {
    {.name = "state/q", .doc = "configuration in joint coordinates", .describe = describe_q, .read = read_q},
    {.name = "state/u", .doc = "velocity in joint coordinates", .describe = describe_u, .read = read_u},
    {.name = "joints/force",
     .doc = "force of the commands on each joint coordinate",
     .describe = describe_force,
     .read = read_force},
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
    {.name = "solver",
     .doc = "contacts, rounds, solver iterations, certificate, deepest gap, closure",
     .describe = describe_solver,
     .read = read_solver},
    {.name = "sensors",
     .doc = "readings of all sensors, each with its name: those at the end of the step",
     .describe = pki_describe_sensors,
     .read = pki_read_sensors},
    {.name = "bodies",
     .doc = "place and attitude (quaternion) of each body",
     .view = true,
     .describe = describe_bodies,
     .read = read_bodies},
    {.name = "energy",
     .doc = "energies, and the work of joints and pushes since the start",
     .view = true,
     .describe = describe_energy,
     .read = read_energy},
    {.name = "com",
     .doc = "centre of mass of all that moves, and its velocity",
     .view = true,
     .describe = describe_com,
     .read = read_com},
};
const int pki_channel_row_count = sizeof pki_channel_rows / sizeof pki_channel_rows[0];

/* ---- the reader ---- */

/* The name of a row's channel for a robot: "trunk/starleth"; robots of one name are counted. */
static char *channel_name(const pki_channel_reader *t, const pki_channel_row *row, int robot)
{
  const pk_model *m = t->watch->model;
  char name[192];
  snprintf(name, sizeof name, "%s", row->name);
  if (row->robots) {
    bool twice = false;
    for (int i = 0; i < m->nrobot; i++) {
      twice = twice || (i != robot && strcmp(m->robots[i].name, m->robots[robot].name) == 0);
    }
    const size_t at = strlen(name);
    snprintf(name + at, sizeof name - at, twice ? "/%.120s_%d" : "/%.120s", m->robots[robot].name, robot);
    for (char *c = name + at + 1; *c != '\0'; c++) {
      *c = (char)(isalnum((unsigned char)*c) ? *c : '_');
    }
  }
  return strdup(name);
}

static void add_channel(pki_channel_reader *t, const pki_channel_row *row, int robot, const char *const *only,
                        int nonly, bool *used)
{
  const int i = t->count;
  char *name = channel_name(t, row, robot);
  if (name == NULL) {
    t->failed = true;
    return;
  }
  bool wanted = nonly == 0;
  for (int k = 0; k < nonly; k++) {
    const bool fits = pki_pattern_covers(only[k], name);
    wanted = wanted || fits;
    used[k] = used[k] || fits;
  }
  t->channels[i] = (pk_recorder_channel){.name = name, .doc = row->doc, .table = row->table};
  t->row[i] = row;
  t->robot[i] = robot;
  t->count++;
  if (wanted) {
    row->describe(t, i);
  }
  if (t->channels[i].columns == 0) { /* it is not selected, or the world has nothing of the kind */
    free(name);
    t->count--;
  }
  t->view = row->view ? t->view : t->count; /* the table has them last */
}

static void find_joints(pki_channel_reader *t)
{
  const pk_model *m = t->watch->model;
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_joint[k] >= 0) {
      t->joint_dof[t->njoint++] = k;
    }
  }
}

static size_t largest_sample(const pki_channel_reader *t)
{
  size_t most = 1;
  for (int i = 0; i < t->count; i++) {
    const size_t rows = t->channels[i].table ? (size_t)t->watch->room : 1;
    const size_t size = rows * (size_t)t->channels[i].columns;
    most = size > most ? size : most;
  }
  return most;
}

pk_status pki_channel_reader_create(const pki_watch *watch, const pki_run_result *result,
                                    const char *const *only, int nonly, pki_channel_reader **out,
                                    pk_error *err)
{
  const pk_model *m = watch->model;
  const int models = watch->world->model_robot[watch->world->scenario->nmodel]; /* objects have no trunk */
  const size_t most = (size_t)pki_channel_row_count + (size_t)models;
  pki_channel_reader *t = calloc(1, sizeof *t);
  bool *used = calloc((size_t)nonly + 1, sizeof *used);
  *out = NULL;
  if (t != NULL) {
    *t = (pki_channel_reader){.watch = watch, .result = result, .moved = -1};
    t->channels = calloc(most, sizeof *t->channels);
    t->row = calloc(most, sizeof *t->row);
    t->robot = calloc(most, sizeof *t->robot);
    t->joint_dof = calloc((size_t)m->nu + 1, sizeof *t->joint_dof);
  }
  bool good = t != NULL && used != NULL && t->channels != NULL && t->row != NULL && t->robot != NULL &&
              t->joint_dof != NULL;
  if (good) {
    find_joints(t);
    for (int i = 0; i < pki_channel_row_count; i++) {
      for (int robot = 0; robot < (pki_channel_rows[i].robots ? models : 1); robot++) {
        add_channel(t, &pki_channel_rows[i], robot, only, nonly, used);
      }
    }
    t->values = calloc(largest_sample(t), sizeof *t->values);
    t->room = watch->room;
    good = !t->failed && t->values != NULL;
  }
  pk_status status = good ? PK_OK : pki_fail_memory(err, "the channels of a run");
  for (int k = 0; good && k < nonly && status == PK_OK; k++) {
    if (!used[k]) {
      status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "record.channels"},
                        "no channel of this world is called \"%s\" (pronk list channels)", only[k]);
    }
  }
  free(used);
  if (status == PK_OK) {
    *out = t;
  } else {
    pki_channel_reader_destroy(t);
  }
  return status;
}

static void free_channel(pk_recorder_channel *c)
{
  for (int k = 0; k < c->columns; k++) {
    free((void *)c->column[k]);
  }
  free((void *)c->column);
  free((void *)c->unit);
  free((void *)c->name);
}

void pki_channel_reader_drop(pki_channel_reader *reader, bool view)
{
  const int first = view ? reader->view : 0, end = view ? reader->count : reader->view;
  for (int i = first; i < end; i++) {
    free_channel(&reader->channels[i]);
  }
  const size_t rest = (size_t)(reader->count - end);
  memmove(reader->channels + first, reader->channels + end, rest * sizeof *reader->channels);
  memmove((void *)(reader->row + first), (const void *)(reader->row + end), rest * sizeof *reader->row);
  memmove(reader->robot + first, reader->robot + end, rest * sizeof *reader->robot);
  reader->count -= end - first;
  reader->view = view ? reader->view : 0;
}

void pki_channel_reader_destroy(pki_channel_reader *reader)
{
  if (reader == NULL) {
    return;
  }
  for (int i = 0; i < reader->count; i++) {
    free_channel(&reader->channels[i]);
  }
  free(reader->channels);
  free((void *)reader->row);
  free(reader->robot);
  free(reader->joint_dof);
  free(reader->values);
  free(reader);
}

const double *pki_channel_reader_read(pki_channel_reader *reader, int channel, int *rows)
{
  if (reader->watch->room > reader->room) { /* the world's has grown */
    double *const more = realloc(reader->values, largest_sample(reader) * sizeof *more);
    if (more != NULL) {
      reader->values = more;
      reader->room = reader->watch->room;
    }
  }
  reader->found = reader->values;
  *rows = reader->row[channel]->read(reader, reader->robot[channel], reader->values);
  return reader->found;
}
