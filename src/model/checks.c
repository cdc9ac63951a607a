/* Values that no robot can have. */
#include <math.h>

#include "math/finite.h"
#include "math/mat3.h"
#include "model/compile.h"
#include "model/inertia.h"

bool pki_is_pose(const pk_pose *pose)
{
  if (!pki_all_finite(pose->pos, 3) || !pki_all_finite(pose->rot, 9)) {
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

/* A link's mass in its body: products with the distance to the body's origin must still be numbers. */
static void check_merged(pki_draft *d, int link)
{
  double alone[10] = {0};
  pki_inertia_add(alone, &d->b->links[link].desc.inertia, &d->link_pose[link]);
  if (!pki_all_finite(alone, 10)) {
    pki_builder_error(
        d->b, PK_ERROR_MASS, pki_link_where(d, link),
        "mass, centre of mass or inertia of link \"%s\" is too large: its moments about the joint that "
        "moves it are not finite",
        d->b->links[link].desc.name);
  }
}

/* What is wrong with moments, in words that follow the name of whose they are. */
static const char *moments_fault(pki_moments moments)
{
  return moments == PKI_MOMENTS_NEGATIVE ? "none may be negative"
                                         : "no body has one above the sum of the others";
}

/* One link's mass: numbers, and not negative. */
static void check_mass(pki_draft *d, int link)
{
  pk_builder *b = d->b;
  const pk_inertia *in = &b->links[link].desc.inertia;
  const char *name = b->links[link].desc.name;
  const pki_where where = pki_link_where(d, link);
  if (!isfinite(in->mass) || !pki_all_finite(in->com, 3) || !pki_all_finite(in->moment, 6)) {
    pki_builder_error(b, PK_ERROR_MASS, where, "mass, centre of mass or inertia of link \"%s\" is not finite",
                      name);
  } else if (in->mass < 0) {
    pki_builder_error(b, PK_ERROR_MASS, where, "mass of link \"%s\" is %g kg, expected zero or more", name,
                      in->mass);
  } else if (d->link_body[link] >= 0) {
    check_merged(d, link);
  }
}

/* Moments of a link that cannot move are not used. */
static void check_resting_moments(pki_draft *d, int link)
{
  pk_builder *b = d->b;
  const pki_link *l = &b->links[link];
  double lambda[3];
  const pki_moments moments = pki_check_moments(l->desc.inertia.moment, lambda);
  if (l->desc.inertia.mass == 0 && (lambda[0] != 0 || lambda[2] != 0)) {
    pki_builder_warn(b, l->robot, "inertia-unused", PK_ERROR_MASS, pki_link_where(d, link),
                     "link \"%s\" has no mass but moments of inertia: give it mass, or set both to zero",
                     l->desc.name);
  } else if (moments != PKI_MOMENTS_SOUND && fmax(-lambda[0], lambda[2]) > PKI_MOMENT_LEAST) {
    pki_builder_warn(b, l->robot, "inertia-unused", PK_ERROR_MASS, pki_link_where(d, link),
                     "inertia of link \"%s\" has the principal moments %g, %g, %g: %s", l->desc.name,
                     lambda[0], lambda[1], lambda[2], moments_fault(moments));
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
    if (!pki_is_pose(&desc->pose)) {
      pki_builder_error(
          b, PK_ERROR_MODEL,
          (pki_where){
              .file = b->robots[b->shapes[s].robot].desc.file, .line = desc->line, .field = desc->link},
          "the pose of a shape on link \"%s\" is not finite, or its matrix is no rotation", desc->link);
    }
  }
}

void pki_check_links(pki_draft *d)
{
  const int before = d->b->nerror;
  for (int i = 0; i < d->b->nlink; i++) {
    check_mass(d, i);
    if (d->link_body[i] < 0 && d->tree == NULL && d->b->nerror == before) {
      check_resting_moments(d, i);
    }
  }
  if (d->b->nerror == before) {
    pki_check_inertias(d);
  }
  for (int r = 0; r < d->b->nrobot; r++) {
    if (!pki_is_pose(&d->b->robots[r].desc.pose)) {
      pki_builder_error(d->b, PK_ERROR_MODEL, (pki_where){.field = d->b->robots[r].desc.name},
                        "the pose of robot \"%s\" is not finite, or its matrix is no rotation",
                        d->b->robots[r].desc.name);
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
                      "joint \"%s\" (%s) mimics \"%s\" (%s): both must have one coordinate", desc->name,
                      pk_joint_kind_name(desc->kind), b->joints[leader].desc.name,
                      pk_joint_kind_name(b->joints[leader].desc.kind));
  }
  if (!isfinite(d->joint_multiplier[joint]) || !isfinite(d->joint_offset[joint])) {
    pki_builder_error(b, PK_ERROR_MODEL, where, "mimic multiplier or offset of joint \"%s\" is not finite",
                      desc->name);
  }
}

/* Numbers that may be infinite (no limit) but not negative or NaN. */
static void check_sign(pki_draft *d, int joint, const char *what, double value, bool may_be_infinite)
{
  if (value >= 0 && (may_be_infinite || isfinite(value))) {
    return;
  }
  pki_builder_error(d->b, PK_ERROR_MODEL, pki_joint_where(d, joint),
                    "%s of joint \"%s\" is %g, expected zero or more", what, d->b->joints[joint].desc.name,
                    value);
}

/* Springs and references are of joints with one coordinate. */
static void check_spring(pki_draft *d, int joint)
{
  const pk_joint_desc *desc = &d->b->joints[joint].desc;
  if (!isfinite(desc->spring_ref) || !isfinite(desc->ref)) {
    pki_builder_error(d->b, PK_ERROR_MODEL, pki_joint_where(d, joint),
                      "reference or spring reference of joint \"%s\" is not finite", desc->name);
  }
  if ((desc->stiffness != 0 || desc->ref != 0) && pki_joint_nu(desc->kind) != 1) {
    pki_builder_error(
        d->b, PK_ERROR_MODEL, pki_joint_where(d, joint),
        "joint \"%s\" (%s) has a spring or a reference, which only joints with one coordinate have",
        desc->name, pk_joint_kind_name(desc->kind));
  }
}

void pki_check_joints(pki_draft *d)
{
  pk_builder *b = d->b;
  for (int j = 0; j < b->njoint; j++) {
    const pk_joint_desc *desc = &b->joints[j].desc;
    const pki_where where = pki_joint_where(d, j);
    double unit[3];
    if (pki_joint_has_axis(desc->kind) && !pki_unit_axis(desc->axis, unit)) {
      pki_builder_error(b, PK_ERROR_MODEL, where,
                        "axis of joint \"%s\" is (%g, %g, %g), expected a direction", desc->name,
                        desc->axis[0], desc->axis[1], desc->axis[2]);
    }
    if (!pki_is_pose(&desc->origin)) {
      pki_builder_error(b, PK_ERROR_MODEL, where,
                        "origin of joint \"%s\" is not finite, or its matrix is no rotation", desc->name);
    }
    if (!is_range(desc->lower, desc->upper)) {
      pki_builder_error(
          b, PK_ERROR_MODEL, where,
          "limits of joint \"%s\" are %g to %g, expected lower <= upper (a joint without limits is "
          "\"continuous\")",
          desc->name, desc->lower, desc->upper);
    }
    check_sign(d, j, "velocity limit", desc->velocity, true);
    check_sign(d, j, "effort limit", desc->effort, true);
    check_sign(d, j, "damping", desc->damping, false);
    check_sign(d, j, "friction", desc->friction, false);
    check_sign(d, j, "armature", desc->armature, false);
    check_sign(d, j, "stiffness", desc->stiffness, false);
    check_spring(d, j);
    check_mimic(d, j);
  }
}
