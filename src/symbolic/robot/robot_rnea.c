/* Recursive Newton-Euler in body axes, and poses and twists in world axes.
 *
 * With the angular velocity w and acceleration alpha of a body, every point of it at rho accelerates by acc + W rho,
 *
 *   W = alpha~ + w~ w~,
 *
 * so that the body's force is f = m acc + W h, and its moment about the origin h x acc + n with
 *
 *   n_x = (W J)_zy - (W J)_yz and so on,   J = sum of dm rho rho' = tr(I)/2 - I
 *
 * (Samin, Fisette, Symbolic Modeling of Multibody Systems, 2003). W serves all children's offsets, too. */
#include <stdlib.h>

#include "model/motion.h"
#include "symbolic/robot/recursion.h"

/* W = alpha~ + w~ w~ */
static pki_x33 spin_matrix(pki_graph *g, pki_x3 w, pki_x3 alpha)
{
  const pki_x x = w.v[0], y = w.v[1], z = w.v[2];
  const pki_x xx = pki_times(g, x, x), yy = pki_times(g, y, y), zz = pki_times(g, z, z);
  const pki_x xy = pki_times(g, x, y), xz = pki_times(g, x, z), yz = pki_times(g, y, z);
  const pki_x *al = alpha.v;
  return (pki_x33){{pki_neg(g, pki_plus(g, yy, zz)), pki_minus(g, xy, al[2]), pki_plus(g, xz, al[1]),
                    pki_plus(g, xy, al[2]), pki_neg(g, pki_plus(g, xx, zz)), pki_minus(g, yz, al[0]),
                    pki_minus(g, xz, al[1]), pki_plus(g, yz, al[0]), pki_neg(g, pki_plus(g, xx, yy))}};
}

/* J = tr(I)/2 - I */
static pki_x33 second_moments(pki_graph *g, const pki_inertia_x *b)
{
  const pki_x *I = b->I.s, *J = b->J.v;
  const pki_x xy = pki_neg(g, I[1]), xz = pki_neg(g, I[2]), yz = pki_neg(g, I[4]);
  return (pki_x33){{J[0], xy, xz, xy, J[1], yz, xz, yz, J[2]}};
}

/* The force that a body's own motion takes. */
static pki_x6 own_force(pki_graph *g, const pki_inertia_x *b, const pki_x33 *W, pki_x3 acc)
{
  const pki_x33 J = second_moments(g, b);
  pki_x6 f = {pki_x3_cross(g, b->h, acc), pki_x33_plus_apply(g, pki_x3_scale(g, b->m, acc), W, b->h)};
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    pki_x n = f.a.v[i];
    n = pki_plus_times(g, n, J.m[4 * j], W->m[3 * k + j]);
    n = pki_minus_times(g, n, J.m[4 * k], W->m[3 * j + k]);
    n = pki_plus_times(g, n, J.m[3 * i + j], W->m[3 * k + i]);
    n = pki_minus_times(g, n, J.m[3 * i + k], W->m[3 * j + i]);
    f.a.v[i] = pki_plus_times(g, n, J.m[3 * j + k], pki_minus(g, W->m[4 * k], W->m[4 * j]));
  }
  return f;
}

/* alpha += w x rate, acc += 2 w x rate', rate of the joint, w of the parent in the body's axes. */
void pki_robot_motion(const pki_robot *robot, const pki_x *u, const pki_x *a, pki_moving *moving)
{
  pki_graph *const g = robot->g;
  const pk_model *m = robot->m;
  const pki_x3 zero = pki_x3_zero(g);
  pki_x3 up = robot->gravity; /* the world accelerates upwards, which is how gravity enters */
  for (int k = 0; k < 3; k++) {
    up.v[k] = pki_neg(g, up.v[k]);
  }
  for (int i = 0; i < m->nbody; i++) {
    const int p = m->body_parent[i];
    const pki_lane_world_x *seat = &robot->seat[i];
    const pki_x6 rate = pki_motion_rate(robot, i, u + m->body_u[i]);
    pki_moving *const b = &moving[i];
    if (p < 0) {
      b->w = rate.a;
      b->alpha = zero;
      b->acc = pki_to_child(g, seat, up);
    } else {
      const pki_x3 w = pki_to_child(g, seat, moving[p].w),
                   acc = pki_x33_plus_apply(g, moving[p].acc, &moving[p].W, seat->r);
      b->w = pki_x3_plus(g, w, rate.a);
      b->alpha = pki_x3_plus_cross(g, pki_to_child(g, seat, moving[p].alpha), w, rate.a);
      b->acc = pki_x3_plus_cross(g, pki_to_child(g, seat, acc), w, pki_x3_plus(g, rate.l, rate.l));
    }
    if (a != NULL) {
      const pki_x6 more = pki_motion_rate(robot, i, a + m->body_u[i]);
      b->alpha = pki_x3_plus(g, b->alpha, more.a);
      b->acc = pki_x3_plus(g, b->acc, more.l);
    }
    b->W = spin_matrix(g, b->w, b->alpha);
    b->force = own_force(g, &robot->grouped[i], &b->W, b->acc);
  }
}

bool pki_robot_rnea(const pki_robot *robot, const pki_x *u, const pki_x *a, pki_x *tau)
{
  pki_graph *const g = robot->g;
  const pk_model *m = robot->m;
  pki_moving *moving = calloc((size_t)m->nbody + 1, sizeof *moving);
  if (moving == NULL) {
    return false;
  }
  pki_robot_motion(robot, u, a, moving);
  for (int k = 0; k < m->nu; k++) {
    tau[k] = a != NULL ? pki_times(g, robot->diag[k], a[k]) : pki_const(g, 0);
  }
  for (int i = m->nbody - 1; i >= 0; i--) {
    const int p = m->body_parent[i];
    pki_motion_feel(robot, i, moving[i].force, tau + m->body_u[i]);
    if (p >= 0) {
      const pki_x6 f = pki_force_to_parent(g, &robot->seat[i], moving[i].force);
      moving[p].force =
          (pki_x6){pki_x3_plus(g, moving[p].force.a, f.a), pki_x3_plus(g, moving[p].force.l, f.l)};
    }
  }
  free(moving);
  return true;
}

/* ---- world axes ---- */

/* Rotation to the world: the parent's columns turn. */
static pki_x33 rotation_in_world(pki_graph *g, const pki_x33 *parent, const pki_lane_world_x *seat)
{
  if (parent == NULL) {
    return pki_lane_world_rotation(g, seat);
  }
  if (seat->motion != PK_MOTION_REVOLUTE) {
    return pki_x33_times(g, parent, &seat->R);
  }
  pki_lane_world_x turned = *seat;
  turned.J = seat->turned ? pki_x33_times(g, parent, &seat->J) : *parent;
  return pki_lane_world_rotation(g, &turned);
}

static void put_vector3(pki_x *out, pki_x3 v)
{
  out[0] = v.v[0], out[1] = v.v[1], out[2] = v.v[2];
}

static pki_x3 get_vector3(const pki_x *in)
{
  return (pki_x3){{in[0], in[1], in[2]}};
}

/* The joint's own velocity in world axes. */
static pki_x6 rate_in_world(const pki_robot *robot, int i, const pki_x33 *R, const pki_x33 *parent,
                            const pki_x *u)
{
  pki_graph *const g = robot->g;
  const pki_lane_world_x *seat = &robot->seat[i];
  const pki_x6 own = pki_motion_rate(robot, i, u);
  if (seat->motion != PK_MOTION_FLOATING) {
    return (pki_x6){pki_x33_apply(g, R, own.a), pki_x33_apply(g, R, own.l)};
  }
  /* travels are along the joint frame's axes */
  const pki_x3 travel = pki_x33_apply(g, &seat->J, get_vector3(u));
  return (pki_x6){pki_x33_apply(g, R, own.a), parent != NULL ? pki_x33_apply(g, parent, travel) : travel};
}

bool pki_robot_world(const pki_robot *robot, const pki_x *u, pki_x *pose, pki_x *origin, pki_x *twist)
{
  pki_graph *const g = robot->g;
  const pk_model *m = robot->m;
  pki_x33 *R = calloc((size_t)m->nbody + 1, sizeof *R);
  if (R == NULL) {
    return false;
  }
  for (int i = 0; i < m->nbody; i++) {
    const int p = m->body_parent[i];
    const pki_x33 *above = p >= 0 ? &R[p] : NULL;
    const pki_lane_world_x *seat = &robot->seat[i];
    R[i] = rotation_in_world(g, above, seat);
    const pki_x3 r = above != NULL ? pki_x33_apply(g, above, seat->r) : seat->r;
    for (int k = 0; k < 9; k++) {
      pose[12 * i + k] = R[i].m[k];
    }
    put_vector3(pose + 12 * (size_t)i + 9, r);
    put_vector3(origin + 3 * (size_t)i, p >= 0 ? pki_x3_plus(g, get_vector3(origin + 3 * (size_t)p), r) : r);
    if (twist != NULL) {
      const pki_x6 rate = rate_in_world(robot, i, &R[i], above, u + m->body_u[i]);
      pki_x6 t = rate;
      if (p >= 0) {
        const pki_x3 w = get_vector3(twist + 6 * (size_t)p), v = get_vector3(twist + 6 * (size_t)p + 3);
        t.a = pki_x3_plus(g, w, rate.a);
        t.l = pki_x3_plus(g, pki_x3_plus_cross(g, v, w, r), rate.l);
      }
      put_vector3(twist + 6 * (size_t)i, t.a);
      put_vector3(twist + 6 * (size_t)i + 3, t.l);
    }
  }
  free(R);
  return true;
}
