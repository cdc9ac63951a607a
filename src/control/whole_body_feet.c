/* The robot of whole-body control: its root, its motors, its feet and the points on which they stand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/whole_body.h"
#include "math/mat3.h"
#include "model/motion.h"
#include "pronk/dynamics.h"

static const char *const quadruped[] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};

static const double lowest = 1e-3; /* m, of a mesh: what lies less above its lowest vertex is its sole */

/* Points of a foot's shapes that can touch the ground, while they are collected. */
typedef struct sole {
  int count, balls;
  double point[64][3];
  double down[3]; /* body axes */
} sole;

static void add_sole_point(sole *s, const double at[3])
{
  if (s->count < 64) {
    memcpy(s->point[s->count++], at, 3 * sizeof(double));
  }
}

/* Corners of a box on its lower side: those that lie below its middle. */
static void add_box(sole *s, const pk_model_shape *shape)
{
  for (int k = 0; k < 8; k++) {
    double in[3], at[3];
    for (int e = 0; e < 3; e++) {
      in[e] = 0.5 * (k >> e & 1 ? 1 : -1) * shape->size[e];
    }
    pki_mat3_apply(shape->pose.rot, in, at);
    if (pki_dot3(at, s->down) > 0) {
      for (int e = 0; e < 3; e++) {
        at[e] += shape->pose.pos[e];
      }
      add_sole_point(s, at);
    }
  }
}

/* Two axes of the ground below the foot. */
static void find_across(const double d[3], double across[2][3])
{
  const double aside[3] = {fabs(d[0]) < 0.7, !(fabs(d[0]) < 0.7), 0};
  pki_along3(aside, -pki_dot3(aside, d), d, across[0]);
  const double size = pki_length3(across[0]);
  for (int e = 0; e < 3; e++) {
    across[0][e] /= size;
  }
  pki_cross3(d, across[0], across[1]);
}

/* How far a point lies towards one of four corners of the ground. */
static double reach_of(double across[2][3], int corner, const double at[3])
{
  const double x = pki_dot3(at, across[0]), y = pki_dot3(at, across[1]);
  return (corner & 1 ? x : -x) + (corner & 2 ? y : -y);
}

/* The lowest side of a mesh: of its vertices down there the farthest towards each corner. */
static void add_mesh(sole *s, const pk_model_shape *shape, const pk_mesh *mesh)
{
  double across[2][3], low = -INFINITY, at[3];
  find_across(s->down, across);
  for (int i = 0; i < mesh->nvertex; i++) {
    pki_mat3_apply(shape->pose.rot, mesh->vertex + 3 * i, at);
    low = fmax(low, pki_dot3(at, s->down));
  }
  for (int k = 0; k < PKI_WHOLE_POINTS; k++) {
    double best[3] = {0}, most = -INFINITY;
    for (int i = 0; i < mesh->nvertex; i++) {
      pki_mat3_apply(shape->pose.rot, mesh->vertex + 3 * i, at);
      if (pki_dot3(at, s->down) > low - lowest && reach_of(across, k, at) > most) {
        most = reach_of(across, k, at);
        pki_along3(shape->pose.pos, 1, at, best);
      }
    }
    add_sole_point(s, best);
  }
}

/* Of all points those that lie farthest towards four corners of the ground below the foot. */
static void pick_corners(const sole *s, pki_whole_foot *foot)
{
  double across[2][3];
  find_across(s->down, across);
  foot->npoint = 0;
  for (int k = 0; k < PKI_WHOLE_POINTS; k++) {
    int best = 0;
    double most = -INFINITY;
    for (int i = 0; i < s->count; i++) {
      const double far = reach_of(across, k, s->point[i]);
      best = far > most ? i : best;
      most = fmax(far, most);
    }
    bool known = false;
    for (int i = 0; i < foot->npoint; i++) {
      known = known || memcmp(foot->point[i], s->point[best], sizeof foot->point[i]) == 0;
    }
    if (!known) {
      memcpy(foot->point[foot->npoint++], s->point[best], sizeof foot->point[0]);
    }
  }
}

pk_status pki_whole_foot_points(const pk_model *m, const double turn[9], pki_whole_foot *foot, pk_error *err)
{
  sole s = {0};
  const double down[3] = {0, 0, -1};
  pki_mat3_apply_transposed(turn, down, s.down);
  for (int i = 0; i < m->nshape; i++) {
    const pk_model_shape *shape = &m->shapes[i];
    if (shape->link != foot->link || shape->visual) {
      continue;
    }
    if (shape->kind == PK_SHAPE_BOX) {
      add_box(&s, shape);
    } else if (shape->kind == PK_SHAPE_SPHERE) {
      double at[3];
      pki_along3(shape->pose.pos, shape->size[0], s.down, at);
      add_sole_point(&s, at);
      s.balls++;
      memcpy(foot->middle, shape->pose.pos, sizeof foot->middle);
      foot->radius = shape->size[0];
    }
  }
  for (int i = 0; i < m->nshape && s.count == 0; i++) {
    const pk_model_shape *shape = &m->shapes[i];
    if (shape->link == foot->link && !shape->visual && shape->mesh >= 0) {
      add_mesh(&s, shape, &m->meshes[shape->mesh]);
    }
  }
  if (s.count == 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "feet"},
                    "the foot \"%s\" has no box, no ball and no mesh to stand on", m->links[foot->link].name);
  }
  if (s.count == 1 && s.balls == 1) {
    foot->npoint = 1, foot->width = 3;
    memcpy(foot->point[0], foot->middle, sizeof foot->point[0]);
    return PK_OK;
  }
  pick_corners(&s, foot);
  foot->radius = 0, foot->width = 6;
  memset(foot->middle, 0, sizeof foot->middle);
  for (int i = 0; i < foot->npoint; i++) {
    for (int e = 0; e < 3; e++) {
      foot->middle[e] += foot->point[i][e] / foot->npoint;
    }
  }
  return PK_OK;
}

/* Velocities on the way from a foot to the root, in rising order. */
static void find_path(const pki_whole_body *c, const pk_model *m, pki_whole_foot *foot)
{
  bool moves[PKI_WHOLE_U] = {false};
  for (int i = foot->body; i >= 0; i = m->body_parent[i]) {
    for (int k = 0; k < pki_motion_nu(m->body_motion[i]); k++) {
      moves[m->body_u[i] - c->u + k] = true;
    }
  }
  for (int k = 0; k < c->nu; k++) {
    if (moves[k]) {
      foot->path[foot->npath++] = k;
    }
  }
}

/* The link whose name is most like this one; NULL: none is like it. */
static const char *nearest_link(const pk_model *m, const char *name)
{
  const char *near = NULL;
  int least = 4;
  for (int i = 0; i < m->nlink; i++) {
    const int edits = pki_word_distance(name, m->links[i].name);
    near = edits < least ? m->links[i].name : near;
    least = edits < least ? edits : least;
  }
  return near;
}

static pk_status find_foot(pki_whole_body *c, const pk_model *m, const char *name, pk_error *err)
{
  const pki_where where = {.field = "feet"};
  const int link = pk_model_find_link(m, name);
  if (link < 0) {
    const char *near = nearest_link(m, name);
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "there is no link \"%s\" to be a foot%s%s%s", name,
                    near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  }
  const int robot = m->links[link].robot;
  if (c->nfoot > 0 && robot != c->robot) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "\"%s\" is of another robot than \"%s\"", name,
                    m->links[c->feet[0].link].name);
  }
  for (int f = 0; f < c->nfoot; f++) {
    if (c->feet[f].body == m->links[link].body) {
      return pki_fail(err, PK_ERROR_ARGUMENT, where, "\"%s\" and \"%s\" are the same foot", name,
                      m->links[c->feet[f].link].name);
    }
  }
  if (m->links[link].body < 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "\"%s\" is fixed in the world, expected a link that moves",
                    name);
  }
  c->robot = robot;
  c->feet[c->nfoot] = (pki_whole_foot){.link = link, .body = m->links[link].body};
  c->nfoot++;
  return PK_OK;
}

static pk_status find_feet(pki_whole_body *c, const pk_model *m, pk_error *err)
{
  const char *const *names = c->options.feet;
  int count = 0;
  while (count < PK_WHOLE_BODY_FEET && names[count] != NULL) {
    count++;
  }
  if (count == 0) {
    bool all = true;
    for (int k = 0; k < 4; k++) {
      all = all && pk_model_find_link(m, quadruped[k]) >= 0;
    }
    names = quadruped;
    count = all ? 4 : 0;
  }
  pk_status status = PK_OK;
  for (int k = 0; k < count && status == PK_OK; k++) {
    status = find_foot(c, m, names[k], err);
  }
  return status;
}

/* Its root, and its joints that a motor drives. */
static pk_status find_joints(pki_whole_body *c, const pk_model *m, pk_error *err)
{
  const pki_where where = {.field = "controller"};
  const pk_model_robot *robot = &m->robots[c->robot];
  if (m->nconstraint > 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, where,
                    "the model has loops or cut joints, expected a tree for whole-body control");
  }
  c->u = robot->u, c->nu = robot->nu;
  if (c->nu < 1 || c->nu > PKI_WHOLE_U) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, where, "the robot has %d velocities, expected 1 to %d", c->nu,
                    PKI_WHOLE_U);
  }
  c->root = robot->body;
  c->is_free = m->body_motion[c->root] == PK_MOTION_FLOATING;
  if (robot->root == PK_ROOT_CHAIN || (c->is_free && m->body_turned[c->root])) {
    return pki_fail(
        err, PK_ERROR_UNSUPPORTED, where,
        "the robot hangs on the world by a chain or a turned joint, expected a free or a fixed root");
  }
  for (int k = 0; k < c->nu; k++) {
    const int u = c->u + k;
    if (m->dof_joint[u] >= 0 && m->dof_q[u] >= 0 && m->dof_effort[u] > 0) {
      c->act[c->nact++] = k;
    }
  }
  return c->nact > 0 ? PK_OK
                     : pki_fail(err, PK_ERROR_UNSUPPORTED, where, "the robot has no joint with a motor");
}

/* Height of the mass over the feet at the model's pose, for scales; rotations of the feet there. */
static pk_status measure_robot(pki_whole_body *c, const pk_model *m, pk_error *err)
{
  pk_workspace *work;
  pk_status status = pk_workspace_create(m, &work, err);
  if (status != PK_OK) {
    return status;
  }
  pk_kinematics_compute(work, m->q0, NULL);
  double mass[3] = {0}, total = 0, low = INFINITY;
  for (int i = 0; i < m->nlink; i++) {
    const pk_model_link *link = &m->links[i];
    if (link->robot == c->robot && link->body >= 0) {
      double at[3];
      const pk_pose pose = pk_link_pose(work, i);
      pki_mat3_apply(pose.rot, link->inertia.com, at);
      for (int e = 0; e < 3; e++) {
        mass[e] += link->inertia.mass * (pose.pos[e] + at[e]);
      }
      total += link->inertia.mass;
    }
  }
  for (int f = 0; f < c->nfoot && status == PK_OK; f++) {
    pki_whole_foot *foot = &c->feet[f];
    /* axes of the body: those of the link, turned back by its pose there */
    const pk_pose pose = pk_link_pose(work, foot->link);
    double back[9], turn[9];
    pki_mat3_transpose(m->links[foot->link].pose.rot, back);
    pki_mat3_mul(pose.rot, back, turn);
    status = pki_whole_foot_points(m, turn, foot, err);
    low = fmin(low, pose.pos[2]);
  }
  pk_workspace_destroy(work);
  const double *g = m->gravity;
  if (status == PK_OK && c->nfoot > 0 && (!(g[2] < 0) || g[0] != 0 || g[1] != 0)) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "feet"},
                    "gravity is (%g, %g, %g) m/s^2, expected one along -z for a robot that stands on feet",
                    g[0], g[1], g[2]);
  }
  c->mass = total;
  c->gravity = pki_length3(m->gravity);
  c->height = c->nfoot > 0 && mass[2] / total - low > 0.01 ? mass[2] / total - low : 0.5;
  return status;
}

/* Bits of the feet that a move lifts. */
static pk_status read_lift(const pki_whole_body *c, const pk_model *m, const char *text, unsigned *bits,
                           pk_error *err)
{
  *bits = 0;
  for (const char *at = text + strspn(text, " "); *at != '\0';) {
    const size_t size = strcspn(at, " ");
    int found = -1;
    for (int f = 0; f < c->nfoot; f++) {
      const char *name = m->links[c->feet[f].link].name;
      found = strlen(name) == size && strncmp(name, at, size) == 0 ? f : found;
    }
    if (found < 0) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "moves"},
                      "lift names \"%.*s\", expected names of feet separated by spaces", (int)size, at);
    }
    *bits |= 1u << found;
    at += size + strspn(at + size, " ");
  }
  return PK_OK;
}

/* Levels that are used, in their order and without gaps. */
static void number_levels(pki_whole_body *c)
{
  for (int level = 0; level < 8; level++) {
    bool used = false;
    for (int t = 0; t < PK_WHOLE_BODY_TASK_COUNT; t++) {
      const pk_whole_body_gains *task = &c->options.tasks[t];
      if (task->level == level) {
        c->level_of[t] = c->levels;
        used = used || task->weight > 0;
      }
    }
    c->levels += used;
  }
  c->levels = c->levels > 0 ? c->levels : 1;
}

pk_status pki_whole_body_find(pki_whole_body *c, const pk_model *m, pk_error *err)
{
  pk_status status = find_feet(c, m, err);
  status = status == PK_OK ? find_joints(c, m, err) : status;
  status = status == PK_OK ? measure_robot(c, m, err) : status;
  if (status != PK_OK) {
    return status;
  }
  c->columns = c->nact;
  c->posture_row = c->is_free ? 6 : 0;
  c->rows = c->posture_row + c->nact;
  for (int f = 0; f < c->nfoot; f++) {
    pki_whole_foot *foot = &c->feet[f];
    find_path(c, m, foot);
    foot->wrench = c->columns, foot->row = c->rows, foot->cone = c->cones;
    c->columns += foot->width, c->rows += foot->width, c->cones += foot->npoint;
  }
  for (int j = 0; j < c->nact; j++) {
    for (int f = 0; f < c->nfoot; f++) {
      for (int e = 0; e < c->feet[f].npath; e++) {
        c->carries[j] = c->carries[j] || c->feet[f].path[e] == c->act[j];
      }
    }
  }
  c->mass_row = c->rows;
  c->rows += c->is_free ? 6 : 0;
  c->unknowns = c->nact + 3 * c->cones;
  if (c->unknowns > 160) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "feet"},
                    "there are %d torques and contact forces, expected at most 160", c->unknowns);
  }
  number_levels(c);
  const double calm = 0.0136; /* m h^2 sqrt(g/h) */
  const double h = c->height;
  c->damping =
      c->options.damping >= 0 ? c->options.damping : calm * c->mass * h * h * sqrt(fmax(c->gravity, 1) / h);
  for (int k = 0; k < c->options.move_count && status == PK_OK; k++) {
    status = read_lift(c, m, c->options.moves[k].lift, &c->lifted[k], err);
  }
  return status;
}
