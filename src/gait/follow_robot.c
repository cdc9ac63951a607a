/* The robot of a motion: its legs, what they stand on, inertias and scales in the motion's first row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "control/effort.h"
#include "gait/follow.h"
#include "math/mat3.h"
#include "model/pose.h"

static const double stance_damping = 0.0136; /* m h^2 sqrt(g/h), as of whole-body control */
static const double limp = 0.0906913;        /* m h^2 sqrt(g/h), as of locomotion */

/* Every joint with a motor is one of the motion's. */
static pk_status check_joints(const pki_follow *c, const pk_model *m, pk_error *err)
{
  for (int u = 0; u < m->nu; u++) {
    const int joint = m->dof_joint[u];
    bool known = joint < 0 || m->joints[joint].robot != c->motion.robot || m->dof_effort[u] == 0;
    for (int k = 0; k < c->motion.joints; k++) {
      known = known || c->motion.dof[k] == u;
    }
    if (!known) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "file"},
                      "the motion has no columns of the joint \"%s\", expected all with a motor",
                      m->joints[joint].name);
    }
  }
  return PK_OK;
}

/* Joints of the motion between the trunk and a foot, the first one at the trunk. */
static pk_status find_leg(pki_follow *c, const pk_model *m, pki_follow_foot *foot, pk_error *err)
{
  const char *name = m->links[foot->sole.link].name;
  const pki_where where = {.field = "file"};
  const int trunk = m->robots[c->motion.robot].body;
  foot->joints = 0;
  for (int body = foot->sole.body; body >= 0 && body != trunk; body = m->body_parent[body]) {
    int found = -1;
    for (int k = 0; k < c->motion.joints; k++) {
      found = c->motion.dof[k] == m->body_u[body] ? k : found;
    }
    if (found >= 0 && foot->joints < PKI_FOLLOW_LEG) {
      foot->joint[foot->joints++] = found;
      c->leg[found] = true;
    }
  }
  if (foot->joints == 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "no joint of the motion moves the foot \"%s\"", name);
  }
  for (int k = 0; k < foot->joints / 2; k++) {
    const int swap = foot->joint[k], other = foot->joints - 1 - k;
    foot->joint[k] = foot->joint[other], foot->joint[other] = swap;
  }
  return PK_OK;
}

/* What a foot stands on in the motion's first row, at the workspace's state. */
static pk_status find_sole(const pk_model *m, const pk_workspace *work, pki_follow_foot *foot, pk_error *err)
{
  const pk_pose pose = pk_link_pose(work, foot->sole.link);
  double back[9], turn[9];
  pki_mat3_transpose(m->links[foot->sole.link].pose.rot, back);
  pki_mat3_mul(pose.rot, back, turn);
  return pki_whole_foot_points(m, turn, &foot->sole, err);
}

/* Of the robot about its mass, trunk's axes, from M [nu][nu]: that about the trunk's origin less the mass at its place. */
static void measure_gyration(pki_follow *c, const pk_model *m, const pk_workspace *work, const double *M)
{
  double mass[3], rate[3], arm[3], in[3];
  pk_com_compute(work, c->motion.robot, mass, rate);
  const pk_pose trunk = pk_link_pose(work, c->trunk);
  pki_sub3(mass, trunk.pos, arm);
  pki_mat3_apply_transposed(trunk.rot, arm, in);
  for (int k = 0; k < 3; k++) {
    const size_t at = (size_t)(c->u + 3 + k);
    const double about = M[at * (size_t)m->nu + at] - c->mass * (pki_dot3(in, in) - in[k] * in[k]);
    c->gyration[k] = sqrt(fmax(about / c->mass, 1e-6 * c->height * c->height));
  }
}

/* At the motion's first row. */
static pk_status measure_robot(pki_follow *c, const pk_model *m, pk_workspace *work, double *q, double *M,
                               pk_error *err)
{
  const double *row = c->motion.values;
  memcpy(q, m->q0, (size_t)m->nq * sizeof *q);
  memcpy(q + c->q, row + PKI_WHOLE_MOTION_PLACE, 7 * sizeof *q);
  for (int k = 0; k < c->motion.joints; k++) {
    q[m->dof_q[c->motion.dof[k]]] = row[pki_whole_motion_q_at(k)];
  }
  pk_mass_matrix(work, q, M);
  pk_kinematics_compute(work, q, NULL);
  double mass[3], rate[3], low = INFINITY;
  pk_status status = PK_OK;
  for (int f = 0; f < c->motion.feet && status == PK_OK; f++) {
    pki_follow_place place;
    status = find_sole(m, work, &c->feet[f], err);
    pki_follow_foot_place(work, &c->feet[f], &place);
    low = fmin(low, place.at[2]);
  }
  pk_com_compute(work, c->motion.robot, mass, rate);
  c->height = mass[2] - low;
  if (status == PK_OK && !(c->height > 1e-3)) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "file"},
                    "the mass is %g m above the feet in the first line, expected more than 0", c->height);
  }
  c->pace = sqrt(c->gravity / c->height);
  measure_gyration(c, m, work, M);
  for (int k = 0; k < c->motion.joints; k++) {
    const size_t u = (size_t)c->motion.dof[k];
    c->inertia[k] = M[u * (size_t)m->nu + u];
    c->most[k] = pki_effort_limit(m, (int)u, 0);
  }
  const double unit = c->mass * c->height * c->height * c->pace;
  c->damping = stance_damping * unit, c->limp = limp * unit;
  return status;
}

/* ---- balance ---- */

/* What a foot carries in the motion: by its force, or alike where there is none. */
static void share_load(const pki_follow *c, const pki_whole_motion_point *at, pki_balance_sample *out)
{
  double load = 0, standing = 0;
  for (int f = 0; f < c->motion.feet; f++) {
    out->stands[f] = at->stands[f];
    out->share[f] = at->stands[f] ? fmax(at->force[f][2], 0) : 0;
    load += out->share[f], standing += at->stands[f];
  }
  for (int f = 0; f < c->motion.feet; f++) {
    out->share[f] = load > 0 ? out->share[f] / load : at->stands[f] / fmax(standing, 1);
  }
}

/* Root of a symmetric matrix xx, xy, yy of positive numbers: (A + sqrt(det) 1)/sqrt(trace + 2 sqrt(det)). */
static void root_of(const double A[3], double out[3])
{
  const double root = sqrt(fmax(A[0] * A[2] - A[1] * A[1], 0)), size = sqrt(A[0] + A[2] + 2 * root);
  out[0] = size > 0 ? (A[0] + root) / size : 0;
  out[1] = size > 0 ? A[1] / size : 0;
  out[2] = size > 0 ? (A[2] + root) / size : 0;
}

/* The points on which the motion stands at the workspace's state: their spread, and the height of the mass above them. */
static double measure_support(const pki_follow *c, const pk_workspace *work, pki_balance_sample *out)
{
  double mass[3], rate[3], middle[3] = {0, 0, 0}, moments[3] = {0, 0, 0};
  double points[PKI_FOLLOW_POINTS][3];
  int count = 0;
  for (int f = 0; f < c->motion.feet; f++) {
    const pki_whole_foot *sole = &c->feet[f].sole;
    pki_follow_place place;
    pki_follow_foot_place(work, &c->feet[f], &place);
    for (int p = 0; p < sole->npoint && out->stands[f]; p++, count++) {
      double in[3];
      pki_sub3(sole->point[p], sole->middle, in);
      pki_mat3_apply(place.rot, in, in);
      pki_along3(place.at, 1, in, points[count]);
      pki_along3(middle, 1, points[count], middle);
    }
  }
  for (int i = 0; i < count; i++) {
    const double x = points[i][0] - middle[0] / count, y = points[i][1] - middle[1] / count;
    moments[0] += x * x / count, moments[1] += x * y / count, moments[2] += y * y / count;
  }
  root_of(moments, out->spread);
  pk_com_compute(work, c->motion.robot, mass, rate);
  return count > 0 ? mass[2] - middle[2] / count : 0;
}

/* Samples of the motion as a pendulum, and the feedback for it; q is scratch [nq]. */
static void design_balance(pki_follow *c, const pk_model *m, pk_workspace *work, double *q)
{
  const pki_whole_motion_base base = {.yaw = 0};
  const double length = pki_whole_motion_length(&c->motion);
  for (int i = 0; i < PKI_BALANCE_STEPS; i++) {
    pki_balance_sample *sample = &c->samples[i];
    pki_whole_motion_point at;
    pki_whole_motion_at(&c->motion, base, (i + 0.5) * length / PKI_BALANCE_STEPS, &at);
    memcpy(q, m->q0, (size_t)m->nq * sizeof *q);
    memcpy(q + c->q, at.place, sizeof at.place);
    pki_quat_from_mat3(at.rot, q + c->q + 3);
    for (int k = 0; k < c->motion.joints; k++) {
      q[m->dof_q[c->motion.dof[k]]] = at.q[k];
    }
    pk_kinematics_compute(work, q, NULL);
    share_load(c, &at, sample);
    const double height = measure_support(c, work, sample), lift = c->gravity + at.acceleration[2];
    /* a trunk that swings up and down fast must not take the pendulum far from its mean */
    const double w2 = height > 0 ? fmin(fmax(lift, 0.5 * c->gravity), 2 * c->gravity) / height : 0;
    sample->rate = sqrt(w2);
  }
  const pk_follow_options *o = &c->options;
  const pki_balance_weights weights = {o->place_weight, o->speed_weight, o->pressure_weight,
                                       o->foothold_weight};
  pki_balance_design(c->samples, c->motion.feet, length, c->motion.repeats, c->height, c->gravity, &weights,
                     c->memory + (size_t)c->motion.rows * (size_t)c->motion.width, &c->balance);
}

static pk_status check_world(const pk_model *m, pk_error *err)
{
  const double *g = m->gravity;
  if (m->nconstraint > 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "controller"},
                    "the model has loops or cut joints, expected a tree to follow a motion");
  }
  if (!(g[2] < 0) || g[0] != 0 || g[1] != 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "gravity"},
                    "gravity is (%g, %g, %g) m/s^2, expected one along -z", g[0], g[1], g[2]);
  }
  return PK_OK;
}

pk_status pki_follow_find(pki_follow *c, const pk_model *m, pk_error *err)
{
  const pk_model_robot *robot = &m->robots[c->motion.robot];
  pk_status status = check_world(m, err);
  c->trunk = robot->root_link, c->q = robot->q, c->u = robot->u;
  c->mass = robot->mass, c->gravity = pki_length3(m->gravity);
  status = status == PK_OK ? check_joints(c, m, err) : status;
  for (int f = 0; f < c->motion.feet && status == PK_OK; f++) {
    c->feet[f].sole = (pki_whole_foot){.link = c->motion.foot[f], .body = m->links[c->motion.foot[f]].body};
    status = find_leg(c, m, &c->feet[f], err);
  }
  if (status != PK_OK) {
    return status;
  }
  pk_workspace *work = NULL;
  pk_workspace_create(m, &work, NULL);
  const size_t nu = (size_t)m->nu;
  double *q = malloc((size_t)m->nq * sizeof *q), *M = malloc(nu * nu * sizeof *M);
  status = work != NULL && q != NULL && M != NULL ? measure_robot(c, m, work, q, M, err)
                                                  : pki_fail_memory(err, "a controller");
  if (status == PK_OK) {
    design_balance(c, m, work, q);
  }
  pk_workspace_destroy(work);
  free(q);
  free(M);
  return status;
}
