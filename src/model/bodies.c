/* Bodies from links. Links joined by fixed joints become one body; joints become elementary
 * motions along an axis of their frame; coordinates are numbered in the order of bodies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "model/compile.h"
#include "model/inertia.h"
#include "model/motion.h"

bool pki_unit_axis(const double axis[3], double out[3])
{
  const double largest = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2])));
  if (largest == 0 || !isfinite(axis[0]) || !isfinite(axis[1]) || !isfinite(axis[2])) {
    return false;
  }
  int exponent;
  frexp(largest, &exponent);
  for (int i = 0; i < 3; i++) {
    out[i] = ldexp(axis[i], -exponent);
  }
  const double length = sqrt(pki_dot3(out, out));
  for (int i = 0; i < 3; i++) {
    out[i] /= length;
  }
  return true;
}

/* A rotation whose third column is the unit vector `axis`. */
static void frame_along(const double axis[3], double rot[9])
{
  /* the first column is normal to the axis and to the coordinate axis that is farthest from it */
  int k = 0;
  for (int i = 1; i < 3; i++) {
    k = fabs(axis[i]) < fabs(axis[k]) ? i : k;
  }
  double e[3] = {0, 0, 0}, x[3], y[3];
  e[k] = 1;
  pki_cross3(e, axis, x);
  const double norm = sqrt(pki_dot3(x, x));
  for (int i = 0; i < 3; i++) {
    x[i] /= norm;
  }
  pki_cross3(axis, x, y);
  for (int i = 0; i < 3; i++) {
    rot[3 * i] = x[i], rot[3 * i + 1] = y[i], rot[3 * i + 2] = axis[i];
  }
}

/* Which coordinate axis `axis` lies on exactly, with its sign; -1 when on none. */
static int aligned_axis(const double axis[3], double *sign)
{
  for (int k = 0; k < 3; k++) {
    if (axis[k] != 0 && axis[(k + 1) % 3] == 0 && axis[(k + 2) % 3] == 0) {
      *sign = axis[k] > 0 ? 1 : -1;
      return k;
    }
  }
  *sign = 1;
  return -1;
}

static pki_body *add_body(pki_draft *d, int parent, const pk_pose *origin, pk_motion motion, int axis,
                          int joint, int robot)
{
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  pki_body *body = &d->bodies[d->nbody++];
  *body = (pki_body){.parent = parent,
                     .motion = motion,
                     .axis = axis,
                     .link = -1,
                     .robot = robot,
                     .joint = joint,
                     .cut = -1,
                     .gain = 1};
  memcpy(body->pos, origin->pos, sizeof body->pos);
  memcpy(body->rot, origin->rot, sizeof body->rot);
  body->turned = memcmp(body->rot, identity, sizeof identity) != 0;
  return body;
}

/* The bodies of a root; returns the pose of the root link in the last of them. */
static pk_pose add_root(pki_draft *d, int robot, int *body)
{
  const pk_pose identity = pk_pose_identity(), pose = d->b->robots[robot].desc.pose;
  *body = -1;
  if (d->robot_kind[robot] == PK_ROOT_FIXED) {
    return pose;
  }
  if (d->robot_kind[robot] == PK_ROOT_FREE) {
    add_body(d, -1, &identity, PK_MOTION_FLOATING, 0, -1, robot);
  } else {
    int parent = -1;
    for (int i = 0; i < 6; i++) {
      add_body(d, parent, &identity, i < 3 ? PK_MOTION_PRISMATIC : PK_MOTION_REVOLUTE, i % 3, -1, robot);
      parent = d->nbody - 1;
    }
  }
  *body = d->nbody - 1;
  return identity;
}

/* The axis of a joint as one of its frame's, `k`, with a sign. Where it lies on none, the frame is turned so that it is
 * z; returns the turn. */
static pk_pose align_joint(const pk_joint_desc *desc, pk_pose *origin, int *k, double *sign)
{
  pk_pose turned = pk_pose_identity();
  *k = 0, *sign = 1;
  if (pki_joint_has_axis(desc->kind)) {
    double axis[3];
    pki_unit_axis(desc->axis, axis);
    *k = aligned_axis(axis, sign);
    if (*k < 0) {
      frame_along(axis, turned.rot);
      pki_mat3_mul(origin->rot, turned.rot, origin->rot);
      *k = 2;
    }
  }
  return turned;
}

void pki_joint_part_axis(const pk_joint_desc *joint, int part, double out[3])
{
  const pki_joint_part *p = &pki_joint_type_of(joint->kind)->parts[part];
  pk_pose origin = pk_pose_identity();
  int k;
  double sign;
  const pk_pose turned = align_joint(joint, &origin, &k, &sign);
  for (int i = 0; i < 3; i++) {
    out[i] = (p->axis == 0 ? sign : 1) * turned.rot[3 * i + (k + p->axis) % 3];
  }
}

/* A cut joint's coordinate is that of its frames: the first one moves back by the reference. */
static void move_reference(const pk_joint_desc *desc, pk_pose *origin, int k, double sign)
{
  const pki_joint_type *type = pki_joint_type_of(desc->kind);
  if (desc->ref == 0 || pki_joint_nu(desc->kind) != 1) {
    return;
  }
  const double back = -sign * desc->ref;
  pk_pose moved = pk_pose_identity();
  if (type->parts[0].motion == PK_MOTION_PRISMATIC) {
    moved.pos[k] = back;
  } else {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    moved.rot[4 * i] = moved.rot[4 * j] = cos(back);
    moved.rot[3 * i + j] = -sin(back), moved.rot[3 * j + i] = sin(back);
  }
  *origin = pki_pose_mul(origin, &moved);
}

/* What a cut joint moves becomes a free body, whose frame is the child link's. */
static pk_pose add_cut(pki_draft *d, int joint, int parent, pk_pose origin, int *body)
{
  const pk_pose identity = pk_pose_identity();
  int k;
  double sign;
  const pk_pose frame = align_joint(&d->b->joints[joint].desc, &origin, &k, &sign);
  move_reference(&d->b->joints[joint].desc, &origin, k, sign);
  add_body(d, -1, &identity, PK_MOTION_FLOATING, 0, -1, d->b->joints[joint].robot)->cut = joint;
  *body = d->nbody - 1;
  pki_draft_cut(d, joint, parent, &origin, *body, &frame, k, sign);
  return identity;
}

/* The body of one part of a joint, which counts along sign * axis where it lies on the joint's own axis. Only joints
 * with one coordinate follow another joint. */
static void add_part(pki_draft *d, int joint, int part, int parent, const pk_pose *origin, int axis,
                     double sign)
{
  const pki_joint *j = &d->b->joints[joint];
  const pki_joint_type *type = pki_joint_type_of(j->desc.kind);
  const pki_joint_part *p = &type->parts[part];
  pki_body *body = add_body(d, parent, origin, p->motion, (axis + p->axis) % 3, joint, j->robot);
  body->part = part;
  body->follows = d->joint_leader[joint] >= 0 || pki_joint_part_shares(type, part);
  d->has_mimic |= body->follows;
  if (pki_motion_nu(p->motion) == 1) {
    body->gain = p->axis == 0 ? sign * p->gain : p->gain;
  }
  if (pki_joint_nu(j->desc.kind) == 1) {
    body->offset = body->gain * (d->joint_offset[joint] - j->desc.ref);
    body->gain *= d->joint_multiplier[joint];
  }
}

/* The bodies of a moving joint whose frame lies at `origin` in body `parent`; the pose of the
 * child link in the last of them comes back. */
static pk_pose add_joint(pki_draft *d, int joint, int parent, pk_pose origin, int *body)
{
  const pk_joint_desc *desc = &d->b->joints[joint].desc;
  const pk_pose identity = pk_pose_identity();
  double sign;
  int k;
  const pk_pose turned = align_joint(desc, &origin, &k, &sign);
  pk_pose link = identity; /* it keeps its own frame */
  pki_mat3_transpose(turned.rot, link.rot);
  *body = parent;
  for (int part = 0; part < pki_joint_type_of(desc->kind)->nparts; part++) {
    add_part(d, joint, part, *body, part == 0 ? &origin : &identity, k, sign);
    *body = d->nbody - 1;
  }
  return link;
}

/* Every link finds its body, every moving joint makes its bodies. */
static void place_links(pki_draft *d)
{
  const pk_builder *b = d->b;
  for (int k = 0; k < d->norder; k++) {
    const int link = d->order[k], joint = d->link_joint[link];
    int body;
    pk_pose pose;
    if (joint < 0) {
      pose = add_root(d, b->links[link].robot, &body);
    } else {
      const int parent = d->joint_parent[joint];
      const pk_pose origin = pki_pose_mul(&d->link_pose[parent], &b->joints[joint].desc.origin);
      body = d->link_body[parent];
      pose = origin;
      if (pki_joint_moves(b->joints[joint].desc.kind)) {
        pose = d->joint_cut[joint] ? add_cut(d, joint, body, origin, &body)
                                   : add_joint(d, joint, body, origin, &body);
        d->joint_body[joint] = body;
      }
    }
    d->link_body[link] = body;
    d->link_pose[link] = pose;
    if (body >= 0) {
      if (d->bodies[body].link < 0) {
        d->bodies[body].link = link;
      }
      pki_inertia_add(d->bodies[body].inertia, &b->links[link].desc.inertia, &pose);
    }
  }
}

/* Number the coordinates in the order of bodies; bodies that follow then take those of their joint or its leader. */
static void number_coordinates(pki_draft *d)
{
  for (int i = 0; i < d->nbody; i++) {
    pki_body *body = &d->bodies[i];
    const int joint = body->joint;
    if (body->follows) {
      continue;
    }
    body->q = d->nq, body->u = d->nu;
    if (joint >= 0 && d->joint_q[joint] < 0) {
      d->joint_q[joint] = d->nq, d->joint_u[joint] = d->nu;
    }
    d->nq += pki_motion_nq(body->motion);
    d->nu += pki_motion_nu(body->motion);
  }
  for (int i = 0; i < d->nbody; i++) {
    pki_body *body = &d->bodies[i];
    const int joint = body->joint;
    if (!body->follows) {
      continue;
    }
    if (d->joint_leader[joint] >= 0) {
      d->joint_q[joint] = d->joint_q[d->joint_leader[joint]];
      d->joint_u[joint] = d->joint_u[d->joint_leader[joint]];
    }
    const pki_joint_type *type = pki_joint_type_of(d->b->joints[joint].desc.kind);
    body->q = d->joint_q[joint] + pki_joint_part_q(type, body->part);
    body->u = d->joint_u[joint] + type->parts[body->part].coordinate;
  }
}

/* The spring of a joint whose coordinate is m q + o, on q: springs add up to one, at rest where their forces balance.
 * The position of rest is their moment until fill_dofs divides it. */
static void add_spring(pki_draft *d, int u, const pk_joint_desc *desc, double m, double o)
{
  d->dof[PKI_DOF_STIFFNESS * d->nu + u] += m * m * desc->stiffness;
  d->dof[PKI_DOF_SPRING_REF * d->nu + u] += m * desc->stiffness * (desc->spring_ref - o);
}

/* Joint data on velocity coordinates; what followers add is carried to their leader. */
static void fill_dofs(pki_draft *d)
{
  const pk_builder *b = d->b;
  const size_t nu = (size_t)d->nu;
  double *lower = d->dof + PKI_DOF_LOWER * nu, *upper = d->dof + PKI_DOF_UPPER * nu;
  double *effort = d->dof + PKI_DOF_EFFORT * nu, *velocity = d->dof + PKI_DOF_VELOCITY * nu;
  for (size_t i = 0; i < nu; i++) {
    lower[i] = -INFINITY, upper[i] = effort[i] = velocity[i] = INFINITY;
    d->dof_joint[i] = d->dof_q[i] = -1;
  }
  for (int i = 0; i < d->nbody; i++) {
    if (pki_motion_nu(d->bodies[i].motion) == 1) {
      d->dof_q[d->bodies[i].u] = d->bodies[i].q;
    }
  }
  for (int j = 0; j < b->njoint; j++) {
    const pk_joint_desc *desc = &b->joints[j].desc;
    const bool follows = d->joint_leader[j] >= 0;
    const double m = follows ? d->joint_multiplier[j] : 1, o = follows ? d->joint_offset[j] : 0;
    for (int k = 0; k < pki_joint_nu(desc->kind) && !d->joint_cut[j]; k++) {
      const int u = d->joint_u[j] + k;
      d->dof[PKI_DOF_ARMATURE * nu + (size_t)u] += m * m * desc->armature;
      d->dof[PKI_DOF_DAMPING * nu + (size_t)u] += m * m * desc->damping;
      d->dof[PKI_DOF_FRICTION * nu + (size_t)u] += fabs(m) * desc->friction;
      add_spring(d, u, desc, m, o);
      if (!follows) {
        d->dof_joint[u] = j;
        effort[u] = desc->effort;
      }
      if (m != 0) {
        velocity[u] = fmin(velocity[u], desc->velocity / fabs(m));
      }
      if (pki_joint_type_of(desc->kind)->has_limits && m != 0) {
        const double a = (desc->lower - o) / m, c = (desc->upper - o) / m;
        lower[u] = fmax(lower[u], fmin(a, c));
        upper[u] = fmin(upper[u], fmax(a, c));
      }
    }
  }
  for (size_t i = 0; i < nu; i++) {
    const double stiffness = d->dof[PKI_DOF_STIFFNESS * nu + i];
    d->dof[PKI_DOF_SPRING_REF * nu + i] /= stiffness > 0 ? stiffness : 1;
  }
}

/* The initial configuration: joints at their reference, one-axis joints moved into their limits. */
static void fill_start(pki_draft *d)
{
  for (int i = 0; i < d->nbody; i++) {
    const pki_body *body = &d->bodies[i];
    const int quaternion = pki_motion_quaternion(body->motion);
    if (quaternion >= 0) {
      d->q0[body->q + quaternion] = 1;
    }
    if (body->motion == PK_MOTION_FLOATING && body->joint < 0 && body->cut < 0) {
      const pk_pose *pose = &d->b->robots[body->robot].desc.pose;
      memcpy(d->q0 + body->q, pose->pos, sizeof pose->pos);
      pki_quat_from_mat3(pose->rot, d->q0 + body->q + 3);
    }
  }
  for (int u = 0; u < d->nu; u++) {
    if (d->dof_q[u] >= 0) {
      const double lower = d->dof[PKI_DOF_LOWER * d->nu + u], upper = d->dof[PKI_DOF_UPPER * d->nu + u];
      const int joint = d->dof_joint[u];
      const double ref = joint >= 0 ? d->b->joints[joint].desc.ref : 0;
      d->q0[d->dof_q[u]] = fmin(fmax(ref, lower), upper);
    }
  }
}

/* A chain root starts at its described pose too: R = Rx(a) Ry(b) Rz(c). The last angle is read off
 * Rx(a)' R, which holds at b = +-90 degrees too. */
static void fill_chain_starts(pki_draft *d)
{
  for (int i = 0; i + 5 < d->nbody; i++) {
    const pki_body *body = &d->bodies[i];
    const bool starts_chain =
        body->joint < 0 && body->motion == PK_MOTION_PRISMATIC && body->parent < 0 && body->axis == 0;
    if (starts_chain) {
      const pk_pose *pose = &d->b->robots[body->robot].desc.pose;
      const double *R = pose->rot;
      double *q = d->q0 + body->q;
      memcpy(q, pose->pos, sizeof pose->pos);
      q[3] = atan2(-R[5], R[8]);
      q[4] = atan2(R[2], hypot(R[5], R[8]));
      const double c = cos(q[3]), s = sin(q[3]);
      q[5] = atan2(c * R[3] + s * R[6], c * R[4] + s * R[7]);
    }
  }
}

static bool allocate_bodies(pki_draft *d)
{
  const pk_builder *b = d->b;
  const size_t nlink = (size_t)b->nlink, njoint = (size_t)b->njoint + 1, nrobot = (size_t)b->nrobot;
  d->body_cap = 6 * b->nrobot;
  for (int j = 0; j < b->njoint; j++) { /* a cut joint makes one body */
    const int nparts = pki_joint_type_of(b->joints[j].desc.kind)->nparts;
    d->body_cap += nparts > 1 ? nparts : 1;
  }
  d->robot_kind = malloc(nrobot * sizeof *d->robot_kind);
  d->robot_reason = malloc(nrobot * sizeof *d->robot_reason);
  d->bodies = malloc((size_t)d->body_cap * sizeof *d->bodies);
  d->link_body = malloc(nlink * sizeof *d->link_body);
  d->link_pose = malloc(nlink * sizeof *d->link_pose);
  d->joint_body = malloc(njoint * sizeof *d->joint_body);
  d->joint_q = malloc(njoint * sizeof *d->joint_q);
  d->joint_u = malloc(njoint * sizeof *d->joint_u);
  d->constraints = malloc((njoint + (size_t)b->nconstraint) * sizeof *d->constraints);
  if (d->robot_kind == NULL || d->robot_reason == NULL || d->bodies == NULL || d->link_body == NULL ||
      d->link_pose == NULL || d->joint_body == NULL || d->joint_q == NULL || d->joint_u == NULL ||
      d->constraints == NULL) {
    return false;
  }
  memset(d->joint_body, -1, njoint * sizeof *d->joint_body);
  memset(d->joint_q, -1, njoint * sizeof *d->joint_q);
  memset(d->joint_u, -1, njoint * sizeof *d->joint_u);
  return true;
}

static bool allocate_coordinates(pki_draft *d)
{
  const size_t nq = (size_t)d->nq + 1, nu = (size_t)d->nu + 1;
  d->q0 = calloc(nq, sizeof *d->q0);
  d->dof = calloc(PKI_DOF_COUNT * nu, sizeof *d->dof);
  d->dof_joint = malloc(nu * sizeof *d->dof_joint);
  d->dof_q = malloc(nu * sizeof *d->dof_q);
  d->plan_u = malloc(nu * sizeof *d->plan_u);
  return d->plan_u != NULL && d->q0 != NULL && d->dof != NULL && d->dof_joint != NULL && d->dof_q != NULL;
}

bool pki_compile_bodies(pki_draft *d)
{
  if (!allocate_bodies(d) || !pki_choose_roots(d)) {
    return false;
  }
  place_links(d);
  pki_compile_loops(d);
  number_coordinates(d);
  if (!allocate_coordinates(d)) {
    return false;
  }
  fill_dofs(d);
  fill_start(d);
  fill_chain_starts(d);
  pki_cut_starts(d);
  pki_number_unknowns(d);
  return true;
}
