#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/contact_pronk.h"
#include "bench/robots_scene.h"
#include "model/pose.h"
#include "pronk/collision.h"

static const double PI = 3.14159265358979323846;

/* How random a start is. */
typedef struct spread {
  double joint, rate;     /* rad off the stance, rad/s */
  double low, high;       /* m, the lowest point above the ground */
  double speed, spin;     /* m/s along the ground, rad/s of the base */
  bool any_way, any_side; /* any orientation; any side of the robot up */
} spread;

static const spread spreads[] = {
    [PKI_ROBOTS_STAND] = {.joint = 0.02, .low = 0.01, .high = 0.01},
    [PKI_ROBOTS_FALL] =
        {.joint = 0.6, .rate = 2, .low = 0.2, .high = 0.5, .speed = 0.5, .spin = 2, .any_way = true},
    [PKI_ROBOTS_HOLD] = {.joint = 0.3, .low = 0.02, .high = 0.1, .speed = 0.5},
    [PKI_ROBOTS_LIE] = {.joint = 0.3, .low = 0.005, .high = 0.005, .any_side = true},
};

/* ---- the lowest point ---- */

/* m, how far a shape reaches below its centre when its frame is turned by R. */
static double reach_below(const pk_model_shape *shape, const double R[9])
{
  const double *size = shape->size, up = fabs(R[8]);
  switch (shape->kind) {
  case PK_SHAPE_SPHERE: return size[0];
  case PK_SHAPE_BOX: return 0.5 * (fabs(R[6]) * size[0] + fabs(R[7]) * size[1] + up * size[2]);
  case PK_SHAPE_CYLINDER: return size[0] * sqrt(fmax(0, 1 - up * up)) + 0.5 * up * size[1];
  case PK_SHAPE_CAPSULE: return size[0] + 0.5 * up * size[1];
  default: return 0;
  }
}

double pki_robots_lowest(pk_workspace *workspace, const double *q)
{
  const pk_model *m = pk_workspace_model(workspace);
  double lowest = INFINITY;
  pk_kinematics_compute(workspace, q, NULL);
  for (int i = 0; i < m->nshape; i++) {
    const pk_model_shape *shape = &m->shapes[i];
    if (shape->visual) {
      continue;
    }
    const pk_pose link = pk_link_pose(workspace, shape->link);
    const pk_pose back = pki_pose_invert(&m->links[shape->link].pose), body = pki_pose_mul(&link, &back);
    const pk_pose pose = pki_pose_mul(&body, &shape->pose);
    lowest = fmin(lowest, pose.pos[2] - reach_below(shape, pose.rot));
  }
  return lowest;
}

/* ---- one start ---- */

static void multiply_quaternions(const double a[4], const double b[4], double out[4])
{
  out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* A quadruped lies after a turn about its x axis; a humanoid after it was laid down and turned about its z axis. */
static void lay_down(pki_random *random, bool humanoid, double out[4])
{
  const double half = 0.5 * pki_random_between(random, -PI, PI), c = cos(half), s = sin(half);
  const double flat[4] = {sqrt(0.5), 0, sqrt(0.5), 0}, about_z[4] = {c, 0, 0, s}, about_x[4] = {c, s, 0, 0};
  if (humanoid) {
    multiply_quaternions(flat, about_z, out);
  } else {
    memcpy(out, about_x, sizeof about_x);
  }
}

static void draw_base(const pki_robots_scene *s, const spread *by, pki_random *random, double *q, double *u)
{
  const double half = 0.5 * pki_random_between(random, -PI, PI), way = pki_random_between(random, -PI, PI);
  const double yaw[4] = {cos(half), 0, 0, sin(half)};
  double tilt[4] = {1, 0, 0, 0};
  if (by->any_way) {
    pki_random_quaternion(random, tilt);
  } else if (by->any_side) {
    lay_down(random, strcmp(s->work->model, "coman") == 0, tilt);
  }
  multiply_quaternions(yaw, tilt, q + 3);
  u[0] = by->speed * cos(way), u[1] = by->speed * sin(way);
  for (int i = 3; i < 6; i++) {
    u[i] = pki_random_between(random, -by->spin, by->spin);
  }
}

static void draw_joints(const pki_robots_scene *s, const spread *by, pki_random *random, double *q, double *u)
{
  const pk_model *m = s->model;
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_q[k] >= 0) {
      const double angle = s->stance[k] + pki_random_between(random, -by->joint, by->joint);
      q[m->dof_q[k]] = fmin(fmax(angle, m->dof_lower[k]), m->dof_upper[k]);
      u[k] = pki_random_between(random, -by->rate, by->rate);
    }
  }
}

/* Drawn again while links are in each other. */
static bool draw_start(const pki_robots_scene *s, pk_sim *sim, pk_workspace *workspace, pki_random *random,
                       double *q, double *u)
{
  enum { TRIES = 200 };
  const spread *by = &spreads[s->work->motion];
  for (int k = 0; k < TRIES; k++) {
    q[0] = q[1] = q[2] = 0;
    draw_base(s, by, random, q, u);
    draw_joints(s, by, random, q, u);
    q[2] = pki_random_between(random, by->low, by->high) - pki_robots_lowest(workspace, q);
    memcpy(pk_sim_q(sim), q, (size_t)s->model->nq * sizeof *q);
    if (pk_sim_release_overlaps(sim, NULL, 0) == 0) {
      return true;
    }
  }
  return false;
}

/* ---- all starts ---- */

/* Robots that are thrown hold the pose that they are thrown in. */
static bool hold_poses(const pk_model *m, pki_crowd *crowd)
{
  crowd->poses = calloc((size_t)crowd->n * (size_t)m->nu, sizeof *crowd->poses);
  for (int k = 0; k < crowd->n && crowd->poses; k++) {
    for (int i = 0; i < m->nu; i++) {
      if (m->dof_q[i] >= 0) {
        crowd->poses[k * m->nu + i] = crowd->q[k * m->nq + m->dof_q[i]];
      }
    }
  }
  return crowd->poses != NULL;
}

static pk_status draw_starts(const pki_robots_scene *s, unsigned seed, pki_crowd *crowd, pk_error *err)
{
  const pk_model *m = s->model;
  const pk_sim_options o = pk_sim_options_default();
  pki_random random = pki_random_seeded(seed);
  pk_terrain *ground = NULL;
  pk_sim *sim = NULL;
  pk_workspace *workspace;
  pk_workspace_create(m, &workspace, NULL);
  pk_status status = workspace ? pki_contact_sim_create(&s->scene, &o, &ground, &sim, err) : PK_ERROR_MEMORY;
  for (int k = 0; k < crowd->n && status == PK_OK; k++) {
    if (!draw_start(s, sim, workspace, &random, crowd->q + (size_t)k * (size_t)m->nq,
                    crowd->u + (size_t)k * (size_t)m->nu)) {
      status = pki_fail(err, PK_ERROR_MODEL, (pki_where){0}, "%s has no start without links in each other",
                        s->work->name);
    }
  }
  if (status == PK_OK && s->work->motion == PKI_ROBOTS_HOLD && !hold_poses(m, crowd)) {
    status = PK_ERROR_MEMORY;
  }
  pk_sim_destroy(sim);
  pk_terrain_destroy(ground);
  pk_workspace_destroy(workspace);
  return status;
}

pk_status pki_robots_start(const pki_robots_scene *s, int n, unsigned seed, pki_crowd *crowd, pk_error *err)
{
  if (s->work->motion == PKI_ROBOTS_TROT) {
    const pk_status status = pki_crowd_trot(crowd, &s->scene, s->targets, s->ntarget, n, false, err);
    crowd->life = s->life;
    return status;
  }
  if (s->work->motion == PKI_ROBOTS_WALK) {
    const pk_status status = pki_crowd_cycle(crowd, &s->scene, s->targets, s->ntarget, s->cycle, n, err);
    crowd->life = s->life;
    return status;
  }
  pk_status status = pki_crowd_init(crowd, &s->scene, pki_robots_has_batch(s->work) ? n : 1, err);
  if (status != PK_OK) {
    return status;
  }
  crowd->targets = s->targets, crowd->ntarget = s->ntarget, crowd->life = s->life;
  status = pki_robots_has_batch(s->work) ? draw_starts(s, seed, crowd, err) : PK_OK;
  if (status != PK_OK) {
    pki_crowd_destroy(crowd);
  }
  return status;
}
