/* One body at a time: how it sits on its parent, its motion and its inertia, in nodes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/grouped.h"
#include "model/motion.h"
#include "symbolic/robot/robot.h"

/* ---- frames ---- */

/* Rotation of a quaternion w x y z of any length (pki_m3_from_quat). */
static pki_x33 from_quat(pki_graph *g, const pki_x *q)
{
  const pki_x w = q[0], x = q[1], y = q[2], z = q[3], one = pki_const(g, 1);
  pki_x length2 = pki_plus_times(g, pki_times(g, w, w), x, x);
  length2 = pki_plus_times(g, pki_plus_times(g, length2, y, y), z, z);
  const pki_x s = pki_times(g, pki_const(g, 2), pki_inverse(g, length2));
  const pki_x sx = pki_times(g, s, x), sy = pki_times(g, s, y), sz = pki_times(g, s, z);
  const pki_x wx = pki_times(g, w, sx), wy = pki_times(g, w, sy), wz = pki_times(g, w, sz);
  const pki_x xx = pki_times(g, x, sx), yy = pki_times(g, y, sy), zz = pki_times(g, z, sz);
  const pki_x xy = pki_times(g, x, sy), xz = pki_times(g, x, sz), yz = pki_times(g, y, sz);
  const pki_x off_x = pki_minus(g, one, xx), off_y = pki_minus(g, one, yy);
  return (pki_x33){{pki_minus(g, off_y, zz), pki_minus(g, xy, wz), pki_plus(g, xz, wy), pki_plus(g, xy, wz),
                    pki_minus(g, off_x, zz), pki_minus(g, yz, wx), pki_minus(g, xz, wy), pki_plus(g, yz, wx),
                    pki_minus(g, off_x, yy)}};
}

/* The two axes that a turn about the axis moves: (c a - s b, s a + c b). */
static void turn_axes(pki_graph *g, const pki_lane_world_x *seat, pki_x *a, pki_x *b)
{
  const pki_x x = *a, y = *b;
  *a = pki_minus_times(g, pki_times(g, seat->c, x), seat->s, y);
  *b = pki_plus_times(g, pki_times(g, seat->c, y), seat->s, x);
}

static void turn_back(pki_graph *g, const pki_lane_world_x *seat, pki_x *a, pki_x *b)
{
  const pki_x x = *a, y = *b;
  *a = pki_plus_times(g, pki_times(g, seat->c, x), seat->s, y);
  *b = pki_minus_times(g, pki_times(g, seat->c, y), seat->s, x);
}

static bool is_hinge(const pki_lane_world_x *seat)
{
  return seat->motion == PK_MOTION_REVOLUTE;
}

static int first_axis(const pki_lane_world_x *seat)
{
  return (seat->axis + 1) % 3;
}

static int second_axis(const pki_lane_world_x *seat)
{
  return (seat->axis + 2) % 3;
}

pki_x33 pki_lane_world_rotation(pki_graph *g, const pki_lane_world_x *seat)
{
  if (!is_hinge(seat)) {
    return seat->R;
  }
  pki_x33 R = seat->J; /* columns turn: R = J turn */
  for (int row = 0; row < 3; row++) {
    turn_back(g, seat, &R.m[3 * row + first_axis(seat)], &R.m[3 * row + second_axis(seat)]);
  }
  return R;
}

pki_x3 pki_to_parent(pki_graph *g, const pki_lane_world_x *seat, pki_x3 v)
{
  if (!is_hinge(seat)) {
    return pki_x33_apply(g, &seat->R, v);
  }
  turn_axes(g, seat, &v.v[first_axis(seat)], &v.v[second_axis(seat)]);
  return seat->turned ? pki_x33_apply(g, &seat->J, v) : v;
}

pki_x3 pki_to_child(pki_graph *g, const pki_lane_world_x *seat, pki_x3 v)
{
  if (!is_hinge(seat)) {
    return pki_x33_apply_t(g, &seat->R, v);
  }
  pki_x3 out = seat->turned ? pki_x33_apply_t(g, &seat->J, v) : v;
  turn_back(g, seat, &out.v[first_axis(seat)], &out.v[second_axis(seat)]);
  return out;
}

/* R S R' for any R. */
static pki_xs3 turn_symmetric(pki_graph *g, const pki_x33 *R, const pki_xs3 *S)
{
  const pki_x33 full = pki_xs3_full(S), RS = pki_x33_times(g, R, &full);
  pki_xs3 out = {{0}};
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      out.s[pki_at(i, j)] = pki_x3_dot(g, pki_x3_row(&RS, i), pki_x3_row(R, j));
    }
  }
  return out;
}

/* With d = S_aa - S_bb and y = s d + 2 c S_ab a turn about k is
 *   S_aa - s y,   S_bb + s y,   c y - S_ab
 * in the plane of a and b: what double angles save. */
pki_xs3 pki_symmetric_to_parent(pki_graph *g, const pki_lane_world_x *seat, pki_xs3 S)
{
  if (!is_hinge(seat)) {
    return turn_symmetric(g, &seat->R, &S);
  }
  const int a = first_axis(seat), b = second_axis(seat), k = seat->axis;
  pki_x *const aa = &S.s[pki_at(a, a)], *const bb = &S.s[pki_at(b, b)], *const ab = &S.s[pki_at(a, b)];
  const pki_x twice = pki_times(g, pki_const(g, 2), seat->c);
  const pki_x y = pki_plus_times(g, pki_times(g, seat->s, pki_minus(g, *aa, *bb)), twice, *ab);
  *aa = pki_minus_times(g, *aa, seat->s, y);
  *bb = pki_plus_times(g, *bb, seat->s, y);
  *ab = pki_minus(g, pki_times(g, seat->c, y), *ab);
  turn_axes(g, seat, &S.s[pki_at(a, k)], &S.s[pki_at(b, k)]);
  return seat->turned ? turn_symmetric(g, &seat->J, &S) : S;
}

/* R B R' */
pki_x33 pki_matrix_to_parent(pki_graph *g, const pki_lane_world_x *seat, pki_x33 B)
{
  if (is_hinge(seat)) {
    for (int k = 0; k < 3; k++) { /* columns, then rows */
      turn_axes(g, seat, &B.m[3 * first_axis(seat) + k], &B.m[3 * second_axis(seat) + k]);
    }
    for (int k = 0; k < 3; k++) {
      turn_axes(g, seat, &B.m[3 * k + first_axis(seat)], &B.m[3 * k + second_axis(seat)]);
    }
    if (!seat->turned) {
      return B;
    }
  }
  const pki_x33 *R = is_hinge(seat) ? &seat->J : &seat->R;
  const pki_x33 Rt = pki_x33_transposed(R), RB = pki_x33_times(g, R, &B);
  return pki_x33_times(g, &RB, &Rt);
}

pki_x6 pki_force_to_parent(pki_graph *g, const pki_lane_world_x *seat, pki_x6 f)
{
  const pki_x3 l = pki_to_parent(g, seat, f.l);
  return (pki_x6){pki_x3_plus_cross(g, pki_to_parent(g, seat, f.a), seat->r, l), l};
}

/* ---- motions ---- */

static pki_x3 unit_vector(pki_graph *g, int axis, double size)
{
  pki_x3 e = pki_x3_zero(g);
  e.v[axis] = pki_const(g, size);
  return e;
}

pki_x6 pki_motion_column(const pki_robot *robot, int body, int c)
{
  pki_graph *const g = robot->g;
  const pki_lane_world_x *seat = &robot->seat[body];
  const pki_x3 none = pki_x3_zero(g);
  switch (seat->motion) {
  case PK_MOTION_REVOLUTE: return (pki_x6){unit_vector(g, seat->axis, robot->m->body_gain[body]), none};
  case PK_MOTION_PRISMATIC: return (pki_x6){none, unit_vector(g, seat->axis, robot->m->body_gain[body])};
  case PK_MOTION_SPHERICAL: return (pki_x6){unit_vector(g, c, 1), none};
  default: break;
  }
  if (c >= 3) {
    return (pki_x6){unit_vector(g, c - 3, 1), none};
  }
  /* a travel along an axis of the joint frame: R' J e_c */
  return (pki_x6){none, pki_to_child(g, seat, pki_x3_col(&seat->J, c))};
}

void pki_motion_feel(const pki_robot *robot, int body, pki_x6 f, pki_x *out)
{
  pki_graph *const g = robot->g;
  const pki_lane_world_x *seat = &robot->seat[body];
  const pki_x gain = pki_const(g, robot->m->body_gain[body]);
  switch (seat->motion) {
  case PK_MOTION_REVOLUTE: out[0] = pki_plus_times(g, out[0], gain, f.a.v[seat->axis]); return;
  case PK_MOTION_PRISMATIC: out[0] = pki_plus_times(g, out[0], gain, f.l.v[seat->axis]); return;
  default: break;
  }
  const int at = seat->motion == PK_MOTION_FLOATING ? 3 : 0;
  const pki_x3 in_parent = pki_to_parent(g, seat, f.l);
  const pki_x3 travel = seat->turned ? pki_x33_apply_t(g, &seat->J, in_parent) : in_parent;
  for (int k = 0; k < 3; k++) {
    out[at + k] = pki_plus(g, out[at + k], f.a.v[k]);
  }
  for (int k = 0; k < at; k++) {
    out[k] = pki_plus(g, out[k], travel.v[k]);
  }
}

pki_x6 pki_motion_rate(const pki_robot *robot, int body, const pki_x *x)
{
  pki_graph *const g = robot->g;
  const pki_lane_world_x *seat = &robot->seat[body];
  pki_x6 out = pki_x6_zero(g);
  const pki_x gain = pki_const(g, robot->m->body_gain[body]);
  switch (seat->motion) {
  case PK_MOTION_REVOLUTE: out.a.v[seat->axis] = pki_times(g, gain, x[0]); return out;
  case PK_MOTION_PRISMATIC: out.l.v[seat->axis] = pki_times(g, gain, x[0]); return out;
  case PK_MOTION_SPHERICAL: out.a = (pki_x3){{x[0], x[1], x[2]}}; return out;
  default: break;
  }
  const pki_x3 travel = {{x[0], x[1], x[2]}};
  out.a = (pki_x3){{x[3], x[4], x[5]}};
  out.l = pki_to_child(g, seat, seat->turned ? pki_x33_apply(g, &seat->J, travel) : travel);
  return out;
}

/* ---- a model's bodies ---- */

void pki_robot_place(pki_robot *robot, int i, const pki_x pos[3], const pki_x rot[9], pki_x offset)
{
  pki_graph *const g = robot->g;
  const pk_model *m = robot->m;
  pki_lane_world_x *const seat = &robot->seat[i];
  const pki_x *qi = robot->q + m->body_q[i];
  *seat = (pki_lane_world_x){
      .motion = m->body_motion[i], .axis = m->body_axis[i], .turned = m->body_turned[i] != 0};
  memcpy(seat->J.m, rot, sizeof seat->J.m);
  memcpy(seat->r.v, pos, sizeof seat->r.v);
  pki_x along = 0;
  if (seat->motion <= PK_MOTION_PRISMATIC) {
    along = pki_plus(g, pki_times(g, pki_const(g, m->body_gain[i]), qi[0]), offset);
  }
  switch (seat->motion) {
  case PK_MOTION_REVOLUTE: seat->s = pki_sine(g, along), seat->c = pki_cosine(g, along); break;
  case PK_MOTION_PRISMATIC:
    seat->R = seat->J;
    seat->r = pki_x3_plus_scaled(g, seat->r, along, pki_x3_col(&seat->J, seat->axis));
    break;
  default: {
    const bool travels = seat->motion == PK_MOTION_FLOATING;
    const pki_x33 own = from_quat(g, qi + (travels ? 3 : 0));
    seat->R = seat->turned ? pki_x33_times(g, &seat->J, &own) : own;
    if (travels) {
      seat->r = pki_x33_plus_apply(g, seat->r, &seat->J, (pki_x3){{qi[0], qi[1], qi[2]}});
    }
  }
  }
}

/* A quarter turn in a file has a cosine of 6e-17: what is a whole number up to rounding is one. */
double pki_round_near_integer(double x)
{
  return fabs(x - round(x)) < 1e-15 ? round(x) : x;
}

static void make_seat(pki_robot *robot, int i, int position)
{
  pki_graph *const g = robot->g;
  const pk_model *m = robot->m;
  pki_x pos[3], rot[9];
  for (int k = 0; k < 3; k++) {
    pos[k] = position >= 0 ? pki_input(g, position, 3 * i + k)
                           : pki_const(g, pki_round_near_integer(m->body_pos[3 * i + k]));
  }
  for (int k = 0; k < 9; k++) {
    rot[k] = pki_const(g, pki_round_near_integer(m->body_rot[9 * i + k]));
  }
  pki_robot_place(robot, i, pos, rot, pki_const(g, m->body_offset[i]));
}

pki_inertia_x pki_inertia_in(pki_graph *g, const pki_x in[10])
{
  const pki_x *I = in + 4, half = pki_const(g, 0.5);
  const pki_x trace = pki_times(g, half, pki_plus(g, pki_plus(g, I[0], I[3]), I[5]));
  return (pki_inertia_x){in[0],
                         {{in[1], in[2], in[3]}},
                         {{I[0], I[1], I[2], I[3], I[4], I[5]}},
                         {{pki_minus(g, trace, I[0]), pki_minus(g, trace, I[3]), pki_minus(g, trace, I[5])}}};
}

pki_inertia_x pki_inertia_grouped(pki_graph *g, const pk_model *m, int body, const pki_x in[10])
{
  const pki_x zero = pki_const(g, 0);
  const int k = m->body_axis[body], a = (k + 1) % 3, b = (k + 2) % 3;
  pki_x own[10];
  memcpy(own, in, sizeof own);
  if (m->body_motion[body] == PK_MOTION_PRISMATIC) {
    for (int e = 4; e < 10; e++) {
      own[e] = zero;
    }
  }
  if (m->body_motion[body] != PK_MOTION_REVOLUTE) {
    return pki_inertia_in(g, own);
  }
  /* no mass, none of its first moment along the axis, J_k = 0: moments about a and b are J_b and J_a, about k their sum */
  const pki_x Ia = in[4 + pki_at(a, a)], Ib = in[4 + pki_at(b, b)];
  own[0] = own[1 + k] = zero;
  own[4 + pki_at(k, k)] = pki_plus(g, Ia, Ib);
  pki_inertia_x out = pki_inertia_in(g, own);
  out.J.v[a] = Ib, out.J.v[b] = Ia, out.J.v[k] = zero;
  return out;
}

static void make_inertia(pki_robot *robot, int i, int port)
{
  pki_x in[10];
  for (int k = 0; k < 10; k++) {
    in[k] = port >= 0 ? pki_input(robot->g, port, 10 * i + k)
                      : pki_const(robot->g, robot->m->body_inertia[10 * i + k]);
  }
  robot->inertia[i] = robot->grouped[i] = pki_inertia_in(robot->g, in);
}

static bool group_inertias(pki_robot *robot)
{
  const pk_model *m = robot->m;
  double *inertia = malloc(10 * (size_t)m->nbody * sizeof *inertia + 1);
  if (inertia == NULL) {
    return false;
  }
  pki_group_inertias(m, m->body_inertia, inertia);
  for (int i = 0; i < m->nbody; i++) {
    pki_x in[10];
    for (int k = 0; k < 10; k++) {
      in[k] = pki_const(robot->g, inertia[10 * i + k]);
    }
    robot->grouped[i] = pki_inertia_in(robot->g, in);
  }
  free(inertia);
  return true;
}

static pki_x *inputs_of(pki_graph *g, const char *name, int count, const char *about)
{
  const int port = pki_graph_port(g, name, count, about);
  pki_x *x = calloc((size_t)count + 1, sizeof *x);
  for (int k = 0; k < count && x != NULL; k++) {
    x[k] = pki_input(g, port, k);
  }
  return x;
}

static int free_port(pki_graph *g, bool wanted, const char *name, int count, const char *about)
{
  return wanted ? pki_graph_port(g, name, count, about) : -1;
}

bool pki_robot_init(pki_robot *robot, pki_graph *g, const pk_model *m, const pki_robot_options *options)
{
  const unsigned open = options != NULL ? options->free : 0;
  const size_t nbody = (size_t)m->nbody + 1;
  *robot = (pki_robot){.g = g, .m = m};
  robot->q = inputs_of(g, "q", m->nq, "coordinates");
  robot->u = inputs_of(g, "u", m->nu, "velocities");
  robot->a = inputs_of(g, "a", m->nu, "accelerations du/dt");
  robot->tau = inputs_of(g, "tau", m->nu, "joint forces");
  const int inertia =
      free_port(g, open & PKI_FREE_INERTIA, "inertia", 10 * m->nbody,
                "[body][10] kg, kg m, kg m^2: m, m c (3), inertia about the body's origin xx xy xz yy yz zz");
  const int position = free_port(g, open & PKI_FREE_POSITION, "position", 3 * m->nbody,
                                 "[body][3] m: joint frame in the parent body");
  const int gravity = free_port(g, open & PKI_FREE_GRAVITY, "gravity", 3, "m/s^2, world axes");
  const int armature =
      free_port(g, open & PKI_FREE_ARMATURE, "armature", m->nu, "what drives add to the diagonal of M");
  robot->diag = calloc((size_t)m->nu + 1, sizeof *robot->diag);
  robot->seat = calloc(nbody, sizeof *robot->seat);
  robot->inertia = calloc(nbody, sizeof *robot->inertia);
  robot->grouped = calloc(nbody, sizeof *robot->grouped);
  if (robot->q == NULL || robot->u == NULL || robot->a == NULL || robot->tau == NULL || robot->diag == NULL ||
      robot->seat == NULL || robot->inertia == NULL || robot->grouped == NULL) {
    pki_robot_free(robot);
    return false;
  }
  for (int k = 0; k < 3; k++) {
    robot->gravity.v[k] = gravity >= 0 ? pki_input(g, gravity, k) : pki_const(g, m->gravity[k]);
  }
  for (int k = 0; k < m->nu; k++) {
    robot->diag[k] = armature >= 0 ? pki_input(g, armature, k) : pki_const(g, m->dof_armature[k]);
  }
  for (int i = 0; i < m->nbody; i++) {
    make_seat(robot, i, position);
    make_inertia(robot, i, inertia);
  }
  if (!g->plain && inertia < 0 && position < 0 && !group_inertias(robot)) {
    pki_robot_free(robot);
    return false;
  }
  return true;
}

void pki_robot_free(pki_robot *robot)
{
  free(robot->q);
  free(robot->u);
  free(robot->a);
  free(robot->tau);
  free(robot->diag);
  free(robot->seat);
  free(robot->inertia);
  free(robot->grouped);
  *robot = (pki_robot){0};
}
