/* Values that no robot can have, and parts that cannot move. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "model/compile.h"

/* Files print few digits: moments may break the rules of solid bodies by this much of the
 * largest one. */
static const double MOMENT_TOLERANCE = 1e-3;

/* A pivot below this part of the inertia that the joint moves is rounding, not mass. */
static const double PIVOT_TOLERANCE = 1e-12;

static bool finite_n(const double *v, int n)
{
  for (int i = 0; i < n; i++) {
    if (!isfinite(v[i])) {
      return false;
    }
  }
  return true;
}

/* Rows orthonormal, right-handed, position finite. */
static bool is_pose(const pk_pose *pose)
{
  if (!finite_n(pose->pos, 3) || !finite_n(pose->rot, 9)) {
    return false;
  }
  double z[3], worst = fabs(pki_dot3(pose->rot, pose->rot + 3));
  pki_cross3(pose->rot, pose->rot + 3, z);
  for (int i = 0; i < 3; i++) {
    worst = fmax(worst, fabs(z[i] - pose->rot[6 + i]));
    worst = fmax(worst, fabs(pki_dot3(pose->rot + 3 * i, pose->rot + 3 * i) - 1));
  }
  return worst < 1e-9;
}

/* Some finite number lies between the limits. */
static bool is_range(double lower, double upper)
{
  return lower <= upper && lower < INFINITY && upper > -INFINITY;
}

/* One link's mass and moments. What is wrong in a link that cannot move is only a warning. */
static void check_inertia(pki_draft *d, int link)
{
  pk_builder *b = d->b;
  const pk_inertia *in = &b->links[link].desc.inertia;
  const char *name = b->links[link].desc.name;
  const pki_where where = pki_link_where(d, link);
  void (*const say)(pk_builder *, pk_status, pki_where, const char *, ...) =
      d->link_body[link] < 0 ? pki_builder_warn : pki_builder_error;
  if (!isfinite(in->mass) || !finite_n(in->com, 3) || !finite_n(in->moment, 6)) {
    pki_builder_error(b, PK_ERROR_MODEL, where, "mass, centre of mass or inertia of link \"%s\" is not finite", name);
    return;
  }
  if (in->mass < 0) {
    say(b, PK_ERROR_MODEL, where, "mass of link \"%s\" is %g kg, expected zero or more", name, in->mass);
    return;
  }
  double lambda[3];
  pki_sym3_eigenvalues(in->moment, lambda);
  const double slack = MOMENT_TOLERANCE * fmax(fabs(lambda[0]), fabs(lambda[2]));
  if (in->mass == 0 && (lambda[0] != 0 || lambda[2] != 0)) {
    say(b, PK_ERROR_MODEL, where, "link \"%s\" has no mass but moments of inertia: give it mass, or set both to zero",
        name);
  } else if (lambda[0] < -slack) {
    say(b, PK_ERROR_MODEL, where,
        "inertia of link \"%s\" has the principal moments %g, %g, %g: none may be negative", name, lambda[0], lambda[1],
        lambda[2]);
  } else if (lambda[0] + lambda[1] < lambda[2] - slack) {
    say(b, PK_ERROR_MODEL, where,
        "inertia of link \"%s\" has the principal moments %g, %g, %g: no body has one above the sum of the others",
        name, lambda[0], lambda[1], lambda[2]);
  } else if (in->mass > 0 && lambda[2] == 0) {
    pki_builder_warn(b, PK_ERROR_MODEL, where, "link \"%s\" has mass but no moments of inertia: it is a point mass", name);
  }
}

/* A leader's coordinate has to please its followers too. */
static void check_shared_limits(pki_draft *d)
{
  const size_t nu = (size_t)d->nu;
  for (size_t u = 0; u < nu && d->has_mimic; u++) {
    if (d->dof_joint[u] >= 0 && !is_range(d->dof[PKI_DOF_LOWER * nu + u], d->dof[PKI_DOF_UPPER * nu + u])) {
      pki_builder_error(d->b, PK_ERROR_MODEL, pki_joint_where(d, d->dof_joint[u]),
                        "limits of joint \"%s\" and of the joints that mimic it have no value in common",
                        d->b->joints[d->dof_joint[u]].desc.name);
    }
  }
}

static void check_shapes(pki_draft *d)
{
  pk_builder *b = d->b;
  for (int s = 0; s < b->nshape; s++) {
    const pk_shape_desc *desc = &b->shapes[s].desc;
    if (!is_pose(&desc->pose)) {
      pki_builder_error(b, PK_ERROR_MODEL,
                        (pki_where){.file = b->robots[b->shapes[s].robot].desc.file, .line = desc->line, .field = desc->link},
                        "the pose of a shape on link \"%s\" is not finite, or its matrix is no rotation", desc->link);
    }
  }
}

void pki_check_links(pki_draft *d)
{
  for (int i = 0; i < d->b->nlink; i++) {
    check_inertia(d, i);
  }
  for (int r = 0; r < d->b->nrobot; r++) {
    if (!is_pose(&d->b->robots[r].desc.pose)) {
      pki_builder_error(d->b, PK_ERROR_MODEL, (pki_where){.field = d->b->robots[r].desc.name},
                        "the pose of robot \"%s\" is not finite, or its matrix is no rotation", d->b->robots[r].desc.name);
    }
  }
  check_shapes(d);
  check_shared_limits(d);
}

/* A mimic joint and its leader have one coordinate each. */
static void check_mimic(pki_draft *d, int joint)
{
  pk_builder *b = d->b;
  const pk_joint_desc *desc = &b->joints[joint].desc;
  const int leader = d->joint_leader[joint];
  if (leader < 0) {
    return;
  }
  const pki_where where = pki_joint_where(d, joint);
  if (pki_joint_nu(desc->kind) != 1 || pki_joint_nu(b->joints[leader].desc.kind) != 1) {
    pki_builder_error(b, PK_ERROR_MODEL, where,
                      "joint \"%s\" (%s) mimics \"%s\" (%s): both must be revolute, continuous or prismatic", desc->name,
                      pk_joint_kind_name(desc->kind), b->joints[leader].desc.name,
                      pk_joint_kind_name(b->joints[leader].desc.kind));
  }
  if (!isfinite(d->joint_multiplier[joint]) || !isfinite(d->joint_offset[joint])) {
    pki_builder_error(b, PK_ERROR_MODEL, where, "mimic multiplier or offset of joint \"%s\" is not finite", desc->name);
  }
}

/* Numbers that may be infinite (no limit) but not negative or NaN. */
static void check_sign(pki_draft *d, int joint, const char *what, double value, bool may_be_infinite)
{
  if (value >= 0 && (may_be_infinite || isfinite(value))) {
    return;
  }
  pki_builder_error(d->b, PK_ERROR_MODEL, pki_joint_where(d, joint), "%s of joint \"%s\" is %g, expected zero or more", what,
                    d->b->joints[joint].desc.name, value);
}

void pki_check_joints(pki_draft *d)
{
  pk_builder *b = d->b;
  for (int j = 0; j < b->njoint; j++) {
    const pk_joint_desc *desc = &b->joints[j].desc;
    const pki_where where = pki_joint_where(d, j);
    const bool has_axis = pki_joint_nu(desc->kind) == 1 || desc->kind == PK_JOINT_PLANAR;
    const double length = sqrt(pki_dot3(desc->axis, desc->axis));
    if (has_axis && !(length > 1e-12 && isfinite(length))) {
      pki_builder_error(b, PK_ERROR_MODEL, where, "axis of joint \"%s\" is (%g, %g, %g), expected a direction", desc->name,
                        desc->axis[0], desc->axis[1], desc->axis[2]);
    }
    if (!is_pose(&desc->origin)) {
      pki_builder_error(b, PK_ERROR_MODEL, where, "origin of joint \"%s\" is not finite, or its matrix is no rotation",
                        desc->name);
    }
    if (!is_range(desc->lower, desc->upper)) {
      pki_builder_error(b, PK_ERROR_MODEL, where,
                        "limits of joint \"%s\" are %g to %g, expected lower <= upper (a joint without limits is "
                        "\"continuous\")",
                        desc->name, desc->lower, desc->upper);
    }
    check_sign(d, j, "velocity limit", desc->velocity, true);
    check_sign(d, j, "effort limit", desc->effort, true);
    check_sign(d, j, "damping", desc->damping, false);
    check_sign(d, j, "friction", desc->friction, false);
    check_sign(d, j, "armature", desc->armature, false);
    check_mimic(d, j);
  }
}

/* ---- massless parts ----------------------------------------------------------------
 *
 * A joint can move when the articulated inertia of what hangs on it is positive along its
 * motion: D = S' IA S > 0 (Featherstone 2008, section 7.3). IA is computed here at one
 * configuration in general position; only a part that cannot move anywhere fails there. */

typedef struct articulated {
  double R[9], r[3];    /* pose in the world; offset from the parent's origin */
  double IA[36], IC[36]; /* articulated and composite inertia, world axes, body origin */
} articulated;

/* [I h~; h~' m 1] in world axes. */
static void spatial_inertia(const double inertia[10], const double R[9], double out[36])
{
  double I[6], h[3], full[9];
  pki_sym3_rotate(R, inertia + 4, I);
  pki_mat3_apply(R, inertia + 1, h);
  pki_mat3_from_sym(I, full);
  const double hx[9] = {0, -h[2], h[1], h[2], 0, -h[0], -h[1], h[0], 0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out[6 * i + j] = full[3 * i + j];
      out[6 * i + 3 + j] = hx[3 * i + j];
      out[6 * (3 + i) + j] = hx[3 * j + i];
      out[6 * (3 + i) + 3 + j] = i == j ? inertia[0] : 0;
    }
  }
}

/* to += X' from X, X the shift of motion vectors by r: (w, v) -> (w, v + w x r). */
static void add_shifted(const double from[36], const double r[3], double to[36])
{
  const double X[36] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                        0, r[2], -r[1], 1, 0, 0, -r[2], 0, r[0], 0, 1, 0, r[1], -r[0], 0, 0, 0, 1};
  double T[36];
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) {
        sum += from[6 * i + k] * X[6 * k + j];
      }
      T[6 * i + j] = sum;
    }
  }
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      for (int k = 0; k < 6; k++) {
        to[6 * i + j] += X[6 * k + i] * T[6 * k + j];
      }
    }
  }
}

/* Pose of a body for a coordinate in general position. */
static void place(const pki_body *body, const articulated *parent, int index, articulated *out)
{
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double *Rp = parent ? parent->R : identity;
  const double angle = 0.3 + 1.7 * fmod(index * 0.6180339887498949, 1.0);
  const double c = cos(angle), s = sin(angle);
  double turn[9];
  memcpy(turn, identity, sizeof turn);
  const int k = body->axis, i = (k + 1) % 3, j = (k + 2) % 3;
  if (body->motion == PK_MOTION_REVOLUTE) {
    turn[4 * i] = turn[4 * j] = c, turn[3 * i + j] = -s, turn[3 * j + i] = s;
  }
  pki_mat3_mul(Rp, body->rot, out->R);
  pki_mat3_mul(out->R, turn, out->R);
  pki_mat3_apply(Rp, body->pos, out->r);
  for (int e = 0; e < 3 && body->motion == PK_MOTION_PRISMATIC; e++) {
    out->r[e] += 0.1 * angle * out->R[3 * e + k];
  }
}

/* Columns of the motion subspace, world axes. */
static int subspace(const pki_body *body, const double R[9], double S[6][6])
{
  memset(S, 0, 36 * sizeof(double));
  switch (body->motion) {
  case PK_MOTION_REVOLUTE:
  case PK_MOTION_PRISMATIC:
    for (int e = 0; e < 3; e++) {
      S[0][(body->motion == PK_MOTION_PRISMATIC ? 3 : 0) + e] = R[3 * e + body->axis];
    }
    return 1;
  default:
    for (int i = 0; i < 6; i++) {
      S[i][i] = 1;
    }
    return body->motion == PK_MOTION_SPHERICAL ? 3 : 6;
  }
}

/* Eliminate one direction from IA; false when there is no inertia along it. */
static bool eliminate(articulated *a, const double s[6], double armature)
{
  double U[6], D = armature, C = armature;
  for (int i = 0; i < 6; i++) {
    U[i] = 0;
    for (int j = 0; j < 6; j++) {
      U[i] += a->IA[6 * i + j] * s[j];
      C += s[i] * a->IC[6 * i + j] * s[j];
    }
  }
  for (int i = 0; i < 6; i++) {
    D += s[i] * U[i];
  }
  if (!(D > PIVOT_TOLERANCE * C)) {
    return false;
  }
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      a->IA[6 * i + j] -= U[i] * U[j] / D;
    }
  }
  return true;
}

static void report_massless(pki_draft *d, const pki_body *body)
{
  if (body->joint < 0) {
    const int root = d->robot_root[body->robot];
    pki_builder_error(d->b, PK_ERROR_MODEL, pki_link_where(d, root),
                      "link \"%s\" is a free root without mass or inertia: give it mass, or fix the root",
                      d->b->links[root].desc.name);
    return;
  }
  const pk_joint_desc *desc = &d->b->joints[body->joint].desc;
  pki_builder_error(d->b, PK_ERROR_MODEL, pki_joint_where(d, body->joint),
                    "joint \"%s\" moves nothing that has inertia: give link \"%s\" or what hangs on it mass, or make the "
                    "joint fixed",
                    desc->name, desc->child);
}

static bool follows(const pki_draft *d, const pki_body *body)
{
  return body->joint >= 0 && d->joint_leader[body->joint] >= 0;
}

/* Poses, composite inertias, and the rotors on each velocity: armature, and what followers move. */
static void gather(const pki_draft *d, articulated *all, double *rotor)
{
  memcpy(rotor, d->dof + PKI_DOF_ARMATURE * (size_t)d->nu, (size_t)d->nu * sizeof *rotor);
  for (int i = 0; i < d->nbody; i++) {
    const pki_body *body = &d->bodies[i];
    place(body, body->parent >= 0 ? &all[body->parent] : NULL, i, &all[i]);
    spatial_inertia(body->inertia, all[i].R, all[i].IA);
    memcpy(all[i].IC, all[i].IA, sizeof all[i].IC);
  }
  for (int i = d->nbody - 1; i >= 0; i--) {
    const pki_body *body = &d->bodies[i];
    if (follows(d, body)) {
      double S[6][6];
      subspace(body, all[i].R, S);
      for (int e = 0; e < 36; e++) {
        rotor[body->u] += body->gain * body->gain * S[0][e / 6] * all[i].IC[e] * S[0][e % 6];
      }
    }
    if (body->parent >= 0) {
      add_shifted(all[i].IC, all[i].r, all[body->parent].IC);
    }
  }
}

bool pki_check_masses(pki_draft *d)
{
  articulated *all = malloc(((size_t)d->nbody + 1) * sizeof *all);
  double *rotor = malloc(((size_t)d->nu + 1) * sizeof *rotor);
  if (all == NULL || rotor == NULL) {
    free(all), free(rotor);
    return false;
  }
  gather(d, all, rotor);
  for (int i = d->nbody - 1; i >= 0; i--) {
    const pki_body *body = &d->bodies[i];
    double S[6][6];
    const int n = subspace(body, all[i].R, S);
    bool moves = true;
    /* a follower has no coordinate of its own: nothing to eliminate, nothing to miss */
    for (int k = 0; k < n && moves && !follows(d, body); k++) {
      moves = eliminate(&all[i], S[k], rotor[body->u + k]);
    }
    if (!moves) {
      report_massless(d, body);
      break;
    }
    if (body->parent >= 0) {
      add_shifted(all[i].IA, all[i].r, all[body->parent].IA);
    }
  }
  free(all), free(rotor);
  return true;
}
