/* What PK_ROOT_AUTO means for each robot.
 *
 * A robot that can stand or roll moves freely; one that cannot, such as an arm on a heavy base, would only fall, and is bolted
 * down. Names do not tell which is which, but the tree and the start pose do: the limbs are what moving joints join to the
 * root (with all that fixed joints weld to it). Legs and wheels are limbs that reach as low as the root itself; fingers of a
 * hand and arms of a torso on a pedestal do not. Wheels and rotors are also told by what they are: one body on a joint that
 * turns without end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "model/compile.h"
#include "model/extent.h"

/* A limb, or the root itself. */
typedef struct limb {
  double low, high; /* m, along z of the root link's frame, in the start pose */
  int njoint;       /* that move, mimic joints included */
  bool endless;     /* the first of them turns without end */
} limb;

/* One robot's links while its root is chosen. */
typedef struct survey {
  pki_draft *d;
  pk_pose *pose; /* [nlink] in the root link's frame, at the start pose */
  int *limb;     /* [nlink] which one it belongs to: the joint that it begins with, -1: the root */
  limb *limbs;   /* [njoint] by the joint that they begin with */
  bool *heavy;   /* [nrobot] some link that is welded to the root has mass */
} survey;

/* The coordinate that a one-axis joint starts at. */
static double start_of(const pk_joint_desc *j)
{
  const bool limited = pki_joint_type_of(j->kind)->has_limits;
  return limited ? fmin(fmax(0, j->lower), j->upper) : 0;
}

/* Its one part turns without end. */
static bool is_endless(const pk_joint_desc *j)
{
  const pki_joint_type *type = pki_joint_type_of(j->kind);
  return type->nparts == 1 && type->parts[0].motion == PK_MOTION_REVOLUTE &&
         (!type->has_limits || (isinf(j->lower) && isinf(j->upper)));
}

/* How the child stands to the joint frame in the start pose. */
static pk_pose joint_motion(const pk_joint_desc *j)
{
  pk_pose out = pk_pose_identity();
  double axis[3];
  const double q = pki_joint_nu(j->kind) == 1 ? start_of(j) : 0;
  if (q == 0 || !isfinite(q) || !pki_unit_axis(j->axis, axis)) {
    return out;
  }
  if (pki_joint_type_of(j->kind)->parts[0].motion == PK_MOTION_PRISMATIC) {
    for (int i = 0; i < 3; i++) {
      out.pos[i] = q * axis[i];
    }
    return out;
  }
  const double half[4] = {cos(0.5 * q), sin(0.5 * q) * axis[0], sin(0.5 * q) * axis[1],
                          sin(0.5 * q) * axis[2]};
  pki_quat_to_mat3(half, out.rot);
  return out;
}

static void include_height(limb *l, double low, double high)
{
  l->low = fmin(l->low, low);
  l->high = fmax(l->high, high);
}

/* Poses, limbs, and what links reach by their origins and centres of mass. */
static void survey_links(survey *s)
{
  const pki_draft *d = s->d;
  const pk_builder *b = d->b;
  for (int k = 0; k < d->norder; k++) {
    const int link = d->order[k], joint = d->link_joint[link];
    const pk_inertia *inertia = &b->links[link].desc.inertia;
    s->pose[link] = pk_pose_identity();
    s->limb[link] = -1;
    if (joint >= 0) {
      const pk_joint_desc *desc = &b->joints[joint].desc;
      const int parent = d->joint_parent[joint];
      const pk_pose at = pki_pose_mul(&s->pose[parent], &desc->origin), moved = joint_motion(desc);
      const bool moves = pki_joint_moves(desc->kind);
      s->pose[link] = pki_pose_mul(&at, &moved);
      s->limb[link] = s->limb[parent] < 0 && moves ? joint : s->limb[parent];
      if (s->limb[link] >= 0) {
        limb *l = &s->limbs[s->limb[link]];
        l->endless |= s->limb[link] == joint && is_endless(desc);
        l->njoint += moves;
      }
    }
    s->heavy[b->links[link].robot] |= s->limb[link] < 0 && inertia->mass > 0;
  }
}

/* The limb that a link belongs to, or its robot's root. */
static limb *extent_of(survey *s, int link, limb *roots)
{
  return s->limb[link] >= 0 ? &s->limbs[s->limb[link]] : &roots[s->d->b->links[link].robot];
}

static void survey_heights(survey *s, limb *roots)
{
  const pk_builder *b = s->d->b;
  for (int k = 0; k < s->d->norder; k++) {
    const int link = s->d->order[k];
    const pk_pose *pose = &s->pose[link];
    const pk_inertia *inertia = &b->links[link].desc.inertia;
    limb *l = extent_of(s, link, roots);
    include_height(l, pose->pos[2], pose->pos[2]);
    if (inertia->mass > 0) {
      const double z = pose->pos[2] + pki_dot3(pose->rot + 6, inertia->com);
      include_height(l, z, z);
    }
  }
  for (int i = 0; i < b->nshape; i++) {
    const pk_shape_desc *shape = &b->shapes[i].desc;
    const int link = s->d->shape_link[i], mesh = b->shapes[i].mesh;
    if (shape->visual || link < 0 || b->robots[b->links[link].robot].desc.root != PK_ROOT_AUTO) {
      continue; /* nobody asks */
    }
    const pk_pose at = pki_pose_mul(&s->pose[link], &shape->pose);
    double low, high;
    pki_shape_heights(shape->kind, shape->size, mesh >= 0 ? &b->meshes[mesh] : NULL, &at, &low, &high);
    include_height(extent_of(s, link, roots), low, high);
  }
}

/* Whether a robot with a root of some mass is free, and why. */
static pk_root_reason judge_limbs(const survey *s, int robot, const limb *root)
{
  const pk_builder *b = s->d->b;
  int limbs = 0, standing = 0, rolling = 0;
  double low = root->low, high = root->high;
  for (int j = 0; j < b->njoint; j++) {
    if (b->joints[j].robot == robot && s->limbs[j].njoint > 0) {
      low = fmin(low, s->limbs[j].low);
      high = fmax(high, s->limbs[j].high);
    }
  }
  const double slack = 0.05 * (high - low); /* wheels and casters touch one ground, but not to the bit */
  for (int j = 0; j < b->njoint; j++) {
    if (b->joints[j].robot == robot && s->limbs[j].njoint > 0) {
      limbs++;
      standing += s->limbs[j].low <= root->low + slack;
      rolling += s->limbs[j].njoint == 1 && s->limbs[j].endless;
    }
  }
  return limbs == 0      ? PK_ROOT_REASON_ONE_BODY
         : standing >= 2 ? PK_ROOT_REASON_STANDS
         : rolling >= 2  ? PK_ROOT_REASON_ROLLS
                         : PK_ROOT_REASON_CANNOT_STAND;
}

static void choose_root(const survey *s, int robot, const limb *root)
{
  pki_draft *d = s->d;
  const pk_root_kind asked = d->b->robots[robot].desc.root;
  const char *name = d->b->links[d->robot_root[robot]].desc.name;
  const pk_root_reason reason = asked != PK_ROOT_AUTO        ? PK_ROOT_REASON_GIVEN
                                : strcmp(name, "world") == 0 ? PK_ROOT_REASON_WORLD
                                : !s->heavy[robot]           ? PK_ROOT_REASON_MASSLESS
                                                             : judge_limbs(s, robot, root);
  const bool is_free =
      reason == PK_ROOT_REASON_ONE_BODY || reason == PK_ROOT_REASON_STANDS || reason == PK_ROOT_REASON_ROLLS;
  d->robot_reason[robot] = reason;
  d->robot_kind[robot] = asked != PK_ROOT_AUTO ? asked : is_free ? PK_ROOT_FREE : PK_ROOT_FIXED;
}

bool pki_choose_roots(pki_draft *d)
{
  const pk_builder *b = d->b;
  const limb nothing = {.low = INFINITY, .high = -INFINITY};
  survey s = {.d = d,
              .pose = malloc(((size_t)b->nlink + 1) * sizeof *s.pose),
              .limb = malloc(((size_t)b->nlink + 1) * sizeof *s.limb),
              .limbs = malloc(((size_t)b->njoint + 1) * sizeof *s.limbs),
              .heavy = calloc((size_t)b->nrobot + 1, sizeof *s.heavy)};
  limb *roots = malloc(((size_t)b->nrobot + 1) * sizeof *roots);
  const bool memory = s.pose != NULL && s.limb != NULL && s.limbs != NULL && s.heavy != NULL && roots != NULL;
  if (memory) {
    for (int j = 0; j < b->njoint; j++) {
      s.limbs[j] = nothing;
    }
    for (int r = 0; r < b->nrobot; r++) {
      roots[r] = nothing;
    }
    survey_links(&s);
    survey_heights(&s, roots);
    for (int r = 0; r < b->nrobot; r++) {
      choose_root(&s, r, &roots[r]);
    }
  }
  free(s.pose);
  free(s.limb);
  free(s.limbs);
  free(s.heavy);
  free(roots);
  return memory;
}
