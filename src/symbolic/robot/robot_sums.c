/* Places and velocities of bodies, energy, centre of mass and momentum, and points on bodies. */
#include <stdlib.h>
#include <string.h>

#include "model/motion.h"
#include "symbolic/robot/robot_parts.h"

static pki_x3 in_world(pki_graph *g, const pki_x *pose, int body, pki_x3 v)
{
  pki_x33 R;
  for (int k = 0; k < 9; k++) {
    R.m[k] = pose[12 * body + k];
  }
  return pki_x33_apply(g, &R, v);
}

static pki_x3 vector3_at(const pki_x *array, int i)
{
  return (pki_x3){{array[3 * i], array[3 * i + 1], array[3 * i + 2]}};
}

/* Velocity of each body's origin and its angular velocity, in its own axes. */
static void body_velocities(const pki_robot *robot, pki_x6 *v)
{
  pki_graph *const g = robot->g;
  const pk_model *m = robot->m;
  for (int i = 0; i < m->nbody; i++) {
    const int p = m->body_parent[i];
    const pki_lane_world_x *seat = &robot->seat[i];
    v[i] = pki_motion_rate(robot, i, robot->u + m->body_u[i]);
    if (p >= 0) {
      v[i].a = pki_x3_plus(g, pki_to_child(g, seat, v[p].a), v[i].a);
      v[i].l = pki_x3_plus(g, pki_to_child(g, seat, pki_x3_plus_cross(g, v[p].l, v[p].a, seat->r)), v[i].l);
    }
  }
}

/* p = m v + w x h,   l = I w + h x v about the body's origin, its axes. */
static pki_x6 momentum_of(pki_graph *g, const pki_inertia_x *b, const pki_x6 *v)
{
  return (pki_x6){pki_x3_plus_cross(g, pki_xs3_apply(g, &b->I, v->a), b->h, v->l),
                  pki_x3_plus_cross(g, pki_x3_scale(g, b->m, v->l), v->a, b->h)};
}

/* Whole-model sums: mass, m c in the world, momentum about the world's origin, kinetic energy. */
typedef struct sums {
  pki_x mass, kinetic;
  pki_x3 mc;
  pki_x6 momentum;
} sums;

static void add_up(const pki_robot *robot, const pki_x *pose, const pki_x *origin, pki_x6 *v, sums *s)
{
  pki_graph *const g = robot->g;
  const pk_model *m = robot->m;
  body_velocities(robot, v);
  *s = (sums){pki_const(g, 0), pki_const(g, 0), pki_x3_zero(g), pki_x6_zero(g)};
  for (int i = 0; i < m->nbody; i++) {
    const pki_inertia_x *b = &robot->inertia[i];
    const pki_x6 own = momentum_of(g, b, &v[i]);
    const pki_x3 o = vector3_at(origin, i), P = in_world(g, pose, i, own.l);
    s->mass = pki_plus(g, s->mass, b->m);
    s->mc = pki_x3_plus(g, s->mc, pki_x3_plus_scaled(g, in_world(g, pose, i, b->h), b->m, o));
    s->momentum.l = pki_x3_plus(g, s->momentum.l, P);
    s->momentum.a = pki_x3_plus(g, s->momentum.a, pki_x3_plus_cross(g, in_world(g, pose, i, own.a), o, P));
    s->kinetic =
        pki_plus(g, s->kinetic, pki_plus(g, pki_x3_dot(g, own.a, v[i].a), pki_x3_dot(g, own.l, v[i].l)));
  }
  for (int k = 0; k < m->nu; k++) {
    s->kinetic = pki_plus_times(g, s->kinetic, robot->diag[k], pki_times(g, robot->u[k], robot->u[k]));
  }
  s->kinetic = pki_times(g, pki_const(g, 0.5), s->kinetic);
}

/* Poses, origins, velocities in one piece of memory; NULL: none. */
typedef struct scratch {
  pki_x *pose, *origin, *twist;
  pki_x6 *v;
} scratch;

static bool begin_scratch(const pki_robot *robot, scratch *s)
{
  const size_t n = (size_t)robot->m->nbody + 1;
  s->pose = calloc(21 * n, sizeof *s->pose);
  s->v = calloc(n, sizeof *s->v);
  s->origin = s->pose != NULL ? s->pose + 12 * n : NULL;
  s->twist = s->pose != NULL ? s->pose + 15 * n : NULL;
  return s->pose != NULL && s->v != NULL && pki_robot_world(robot, robot->u, s->pose, s->origin, s->twist);
}

static void free_scratch(scratch *s)
{
  free(s->pose);
  free(s->v);
}

bool pki_robot_add_world(const pki_robot *robot, pki_function *f, int from, bool moving)
{
  const int n = robot->m->nbody, count = n - from;
  pki_x *world = calloc(21 * (size_t)n + 1, sizeof *world);
  pki_x *const pose =
      pki_function_add(f, "pose", 12 * count, "[body] rotation to the world (9), offset from the parent (3)");
  pki_x *const origin = pki_function_add(f, "origin", 3 * count, "[body][3] m, world axes");
  pki_x *const twist = moving
                           ? pki_function_add(f, "twist", 6 * count,
                                              "[body] angular velocity, velocity of the origin; world axes")
                           : NULL;
  const bool good = world != NULL && !f->failed &&
                    pki_robot_world(robot, robot->u, world, world + 12 * n, moving ? world + 15 * n : NULL);
  if (good) {
    memcpy(pose, world + 12 * from, 12 * (size_t)count * sizeof *pose);
    memcpy(origin, world + 12 * n + 3 * from, 3 * (size_t)count * sizeof *origin);
  }
  if (good && moving) {
    memcpy(twist, world + 15 * n + 6 * from, 6 * (size_t)count * sizeof *twist);
  }
  free(world);
  return good;
}

bool pki_robot_energy(const pki_robot *robot, pki_function *f)
{
  pki_graph *const g = robot->g;
  pki_x *const kinetic = pki_function_add(f, "kinetic", 1, "J, armature included");
  pki_x *const potential = pki_function_add(f, "potential", 1, "J, zero at the world's origin");
  scratch w;
  sums s;
  const bool good = begin_scratch(robot, &w) && kinetic != NULL && potential != NULL;
  if (good) {
    add_up(robot, w.pose, w.origin, w.v, &s);
    *kinetic = s.kinetic;
    *potential = pki_neg(g, pki_x3_dot(g, robot->gravity, s.mc));
  }
  free_scratch(&w);
  return good;
}

bool pki_robot_momentum(const pki_robot *robot, pki_function *f)
{
  pki_graph *const g = robot->g;
  pki_x *const com = pki_function_add(f, "com", 3, "m, centre of mass, world axes");
  pki_x *const momentum = pki_function_add(
      f, "momentum", 6, "kg m^2/s, kg m/s: angular about the centre of mass, linear; world axes");
  scratch w;
  sums s;
  const bool good = begin_scratch(robot, &w) && com != NULL && momentum != NULL;
  if (good) {
    add_up(robot, w.pose, w.origin, w.v, &s);
    const bool massless = pki_is_const(g, s.mass, 0);
    const pki_x3 c = pki_x3_scale(g, massless ? pki_const(g, 1) : pki_inverse(g, s.mass), s.mc);
    const pki_x3 about = pki_x3_minus(g, s.momentum.a, pki_x3_cross(g, c, s.momentum.l));
    for (int k = 0; k < 3; k++) {
      com[k] = c.v[k], momentum[k] = about.v[k], momentum[3 + k] = s.momentum.l.v[k];
    }
  }
  free_scratch(&w);
  return good;
}

/* ---- points ---- */

/* Centres of balls that collide; without any, the origins of bodies that carry no other. */
int pki_robot_points(const pk_model *m, int *body, double (*at)[3])
{
  int n = 0;
  for (int i = 0; i < m->nshape; i++) {
    const pk_model_shape *s = &m->shapes[i];
    if (s->kind == PK_SHAPE_SPHERE && !s->visual && s->body >= 0) {
      if (body != NULL) {
        body[n] = s->body;
        for (int k = 0; k < 3; k++) {
          at[n][k] = s->pose.pos[k];
        }
      }
      n++;
    }
  }
  for (int i = 0, balls = n; i < m->nbody && balls == 0; i++) {
    bool leaf = true;
    for (int j = i + 1; j < m->nbody; j++) {
      leaf &= m->body_parent[j] != i;
    }
    if (leaf) {
      if (body != NULL) {
        body[n] = i;
        at[n][0] = at[n][1] = at[n][2] = 0;
      }
      n++;
    }
  }
  return n;
}

/* Columns of the velocity of a point of a body, along the chain of ancestors: s for a travel, s x arm for a turn; and of its
 * angular velocity unless `turn` is NULL. World axes; J, turn [3][nu]. */
static void point_columns(const pki_robot *robot, const scratch *w, int body, pki_x3 at, pki_x *turn,
                          pki_x *J)
{
  pki_graph *const g = robot->g;
  const pk_model *m = robot->m;
  for (int i = body; i >= 0; i = m->body_parent[i]) {
    const pki_x3 arm = pki_x3_minus(g, at, vector3_at(w->origin, i));
    for (int c = 0; c < pki_motion_nu(m->body_motion[i]); c++) {
      const pki_x6 own = pki_motion_column(robot, i, c);
      const bool travel = m->body_motion[i] == PK_MOTION_FLOATING && c < 3;
      const pki_x3 axis = in_world(g, w->pose, i, own.a);
      pki_x3 v = pki_x3_cross(g, axis, arm);
      if (travel) { /* along an axis of the joint frame */
        const pki_x3 along = pki_x3_col(&robot->seat[i].J, c);
        v = m->body_parent[i] >= 0 ? in_world(g, w->pose, m->body_parent[i], along) : along;
      } else {
        v = pki_x3_plus(g, v, in_world(g, w->pose, i, own.l));
      }
      for (int k = 0; k < 3; k++) { /* followers share a coordinate */
        const int e = k * m->nu + m->body_u[i] + c;
        J[e] = pki_plus(g, J[e], v.v[k]);
        if (turn != NULL) {
          turn[e] = pki_plus(g, turn[e], axis.v[k]);
        }
      }
    }
  }
}

bool pki_robot_velocities(const pki_robot *robot, pki_function *f)
{
  const int n = robot->m->nbody;
  pki_x *const twist = pki_function_add(
      f, "twist", 6 * n, "[body] rad/s, m/s: angular velocity, velocity of the origin; world axes");
  scratch w;
  const bool good = begin_scratch(robot, &w) && twist != NULL;
  for (int k = 0; k < 6 * n && good; k++) {
    twist[k] = w.twist[k];
  }
  free_scratch(&w);
  return good;
}

bool pki_robot_jacobian(const pki_robot *robot, pki_function *f)
{
  const pk_model *m = robot->m;
  const size_t block = 6 * (size_t)m->nu;
  pki_x *J = calloc(block * (size_t)m->nbody + 1, sizeof *J);
  scratch w;
  const bool good = begin_scratch(robot, &w) && J != NULL;
  for (int i = 0; i < m->nbody && good; i++) {
    pki_x *const mine = J + block * (size_t)i;
    point_columns(robot, &w, i, vector3_at(w.origin, i), mine, mine + block / 2);
  }
  if (good) {
    pki_function_add_sparse(
        f, "J", 6 * m->nbody, m->nu, J,
        "[6 body + axis][coordinate], world axes: angular velocity, velocity of the origin");
  }
  free_scratch(&w);
  free(J);
  return good;
}

bool pki_robot_contacts(const pki_robot *robot, pki_function *f)
{
  pki_graph *const g = robot->g;
  const pk_model *m = robot->m;
  const int n = pki_robot_points(m, NULL, NULL);
  int *body = calloc((size_t)n + 1, sizeof *body);
  double(*at)[3] = calloc((size_t)n + 1, sizeof *at);
  pki_x *J = calloc((size_t)(3 * n * m->nu) + 1, sizeof *J);
  pki_x *const position = pki_function_add(f, "position", 3 * n, "[point][3] m, world axes");
  pki_x *const velocity = pki_function_add(f, "velocity", 3 * n, "[point][3] m/s, world axes");
  scratch w;
  const bool good = begin_scratch(robot, &w) && body != NULL && at != NULL && J != NULL && position != NULL &&
                    velocity != NULL;
  if (good) {
    pki_robot_points(m, body, at);
  }
  for (int i = 0; i < n && good; i++) {
    const pki_x3 arm = in_world(g, w.pose, body[i], pki_x3_const(g, at[i])),
                 o = vector3_at(w.origin, body[i]);
    const pki_x *t = w.twist + 6 * (size_t)body[i];
    const pki_x3 p = pki_x3_plus(g, o, arm);
    const pki_x3 v = pki_x3_plus_cross(g, (pki_x3){{t[3], t[4], t[5]}}, (pki_x3){{t[0], t[1], t[2]}}, arm);
    for (int k = 0; k < 3; k++) {
      position[3 * i + k] = p.v[k], velocity[3 * i + k] = v.v[k];
    }
    point_columns(robot, &w, body[i], p, NULL, J + 3 * (size_t)i * (size_t)m->nu);
  }
  if (good) {
    pki_function_add_sparse(f, "jacobian", 3 * n, m->nu, J,
                            "[3 point + axis][coordinate], world axes: velocity = J u");
  }
  free_scratch(&w);
  free(body);
  free(at);
  free(J);
  return good;
}
