/* Bilateral constraints: descriptions of loops and cuts, and what the compiler makes of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "model/compile.h"
#include "model/kind_words.h"
#include "model/motion.h"

pk_constraint_desc pk_constraint_desc_default(void)
{
  return (pk_constraint_desc){.frame = {pk_pose_identity(), pk_pose_identity()}, .polynomial = {0, 1}};
}

const char *const pki_constraint_words[PK_CONSTRAINT_KIND_COUNT] = {
    [PK_CONSTRAINT_WELD] = "weld",         [PK_CONSTRAINT_BALL] = "ball",
    [PK_CONSTRAINT_HINGE] = "hinge",       [PK_CONSTRAINT_SLIDER] = "slider",
    [PK_CONSTRAINT_DISTANCE] = "distance", [PK_CONSTRAINT_COUPLING] = "coupling"};

const char *pk_constraint_kind_name(pk_constraint_kind kind)
{
  return (unsigned)kind < PK_CONSTRAINT_KIND_COUNT ? pki_constraint_words[kind] : "unknown";
}

static void constraint_free(pki_constraint *c)
{
  pki_builder_free_text(c->desc.name), pki_builder_free_text(c->desc.link[0]);
  pki_builder_free_text(c->desc.link[1]);
  pki_builder_free_text(c->desc.joint[0]), pki_builder_free_text(c->desc.joint[1]);
}

void pki_builder_drop_constraints(pk_builder *b, int keep, int keep_cuts)
{
  while (b->nconstraint > keep) {
    constraint_free(&b->constraints[--b->nconstraint]);
  }
  while (b->ncut > keep_cuts) {
    pki_builder_free_text(b->cuts[--b->ncut].joint);
  }
}

/* The joint of y, and numbers. */
static pk_status check_coupling(const pk_constraint_desc *constraint, pki_where where, pk_error *err)
{
  if (constraint->joint[0] == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "coupling \"%s\" needs the joint whose coordinate it gives", constraint->name);
  }
  for (int k = 0; k < 5; k++) {
    if (!isfinite(constraint->polynomial[k])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, where, "coefficient %d of coupling \"%s\" is not finite", k,
                      constraint->name);
    }
  }
  return PK_OK;
}

pk_status pk_builder_add_constraint(pk_builder *b, const pk_constraint_desc *constraint, pk_error *err)
{
  const pki_where where = {.field = constraint->name, .line = constraint->line};
  if (constraint->name == NULL || constraint->name[0] == '\0') {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "name"}, "a constraint needs a name");
  }
  if ((unsigned)constraint->kind >= PK_CONSTRAINT_KIND_COUNT) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "the kind of constraint \"%s\" is %d, expected a pk_constraint_kind", constraint->name,
                    (int)constraint->kind);
  }
  if (!pki_is_pose(&constraint->frame[0]) || !pki_is_pose(&constraint->frame[1])) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "a frame of constraint \"%s\" is not finite, or its matrix is no rotation",
                    constraint->name);
  }
  if (constraint->kind == PK_CONSTRAINT_DISTANCE &&
      !(constraint->length > 0 && isfinite(constraint->length))) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, where,
        "the length of constraint \"%s\" is %g m, expected a positive number: a ball holds two points "
        "together",
        constraint->name, constraint->length);
  }
  if (constraint->kind == PK_CONSTRAINT_COUPLING) {
    const pk_status status = check_coupling(constraint, where, err);
    if (status != PK_OK) {
      return status;
    }
  }
  if (b->nconstraint >= PKI_EQUIPMENT_MAX) {
    return pki_fail(err, PK_ERROR_LIMIT, where, "there are more than %d constraints", PKI_EQUIPMENT_MAX);
  }
  bool ok =
      pki_builder_grow((void **)&b->constraints, b->nconstraint, &b->constraint_cap, sizeof *b->constraints);
  if (!ok) {
    return pki_builder_no_memory(err);
  }
  pki_constraint *c = &b->constraints[b->nconstraint];
  c->desc = *constraint;
  c->desc.name = pki_builder_copy(constraint->name, &ok);
  for (int k = 0; k < 2; k++) {
    c->desc.link[k] = pki_builder_copy(constraint->link[k], &ok);
    c->desc.joint[k] = pki_builder_copy(constraint->joint[k], &ok);
  }
  if (!ok) {
    constraint_free(c);
    return pki_builder_no_memory(err);
  }
  b->nconstraint++;
  return PK_OK;
}

pk_status pk_builder_cut_joint(pk_builder *b, const char *joint, pk_error *err)
{
  if (joint == NULL) {
    b->cut_all = true;
    return PK_OK;
  }
  if (b->ncut >= PKI_LINK_MAX) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = joint}, "there are more than %d cuts",
                    PKI_LINK_MAX);
  }
  bool ok = pki_builder_grow((void **)&b->cuts, b->ncut, &b->cut_cap, sizeof *b->cuts);
  const char *copy = ok ? pki_builder_copy(joint, &ok) : NULL;
  if (!ok) {
    return pki_builder_no_memory(err);
  }
  b->cuts[b->ncut++].joint = copy;
  return PK_OK;
}

/* ---- compiling ---- */

/* The index of a full name; -1 after an error, with the nearest name. */
static int find_named(pki_draft *d, const pki_name_table *t, pki_where where, const char *what,
                      const char *name)
{
  const int found = *pki_name_table_at(t, name);
  if (found < 0) {
    const bool kept = d->b->nerror < PKI_DIAGNOSTIC_MAX;
    const char *near = kept ? pki_name_table_nearest(t, name) : NULL;
    pki_builder_error(d->b, PK_ERROR_NAME, where, "%s \"%s\" does not exist%s%s%s", what, name,
                      near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  }
  return found;
}

/* Joints that lead or follow share a coordinate, which a constraint does not have. */
static bool *find_mimics(const pki_draft *d)
{
  bool *shares = calloc((size_t)d->b->njoint + 1, sizeof *shares);
  for (int j = 0; j < d->b->njoint && shares != NULL; j++) {
    if (d->joint_leader[j] >= 0) {
      shares[j] = shares[d->joint_leader[j]] = true;
    }
  }
  return shares;
}

static void cut_joint(pki_draft *d, const bool *shares, int joint)
{
  if (shares[joint]) {
    pki_builder_error(d->b, PK_ERROR_MODEL, pki_joint_where(d, joint),
                      "joint \"%s\" takes part in a mimic and cannot be cut: its coordinate is shared",
                      d->joint_name[joint]);
    return;
  }
  const pk_joint_kind kind = d->b->joints[joint].desc.kind;
  if (!pki_joint_can_be_cut(kind)) {
    pki_builder_error(d->b, PK_ERROR_MODEL, pki_joint_where(d, joint),
                      "joint \"%s\" (%s) cannot be cut: no constraint stands for its motion",
                      d->joint_name[joint], pk_joint_kind_name(kind));
    return;
  }
  d->ncut += !d->joint_cut[joint];
  d->joint_cut[joint] = true;
}

bool pki_compile_cuts(pki_draft *d)
{
  const pk_builder *b = d->b;
  bool *shares = find_mimics(d);
  if (shares == NULL) {
    return false;
  }
  for (int j = 0; j < b->njoint && b->cut_all; j++) {
    if (pki_joint_moves(b->joints[j].desc.kind)) {
      cut_joint(d, shares, j);
    }
  }
  for (int i = 0; i < b->ncut; i++) {
    const char *name = b->cuts[i].joint;
    const int joint = find_named(d, &d->joints, (pki_where){.field = name}, "cut joint", name);
    if (joint >= 0 && !pki_joint_moves(b->joints[joint].desc.kind)) {
      pki_builder_error(d->b, PK_ERROR_MODEL, pki_joint_where(d, joint),
                        "joint \"%s\" is fixed: there is nothing to cut", name);
    } else if (joint >= 0) {
      cut_joint(d, shares, joint);
    }
  }
  free(shares);
  return true;
}

void pki_draft_cut(pki_draft *d, int joint, int parent, const pk_pose *origin, int child,
                   const pk_pose *frame, int axis, double sign)
{
  const pki_joint_type *type = pki_joint_type_of(d->b->joints[joint].desc.kind);
  pk_model_constraint *c = &d->constraints[d->nconstraint++];
  *c = (pk_model_constraint){.name = d->joint_name[joint],
                             .joint = joint,
                             .kind = -1,
                             .body = {parent, child},
                             .frame = {*origin, *frame},
                             .travel = 7,
                             .turn = 7,
                             .dof = {-1, -1},
                             .axis = axis,
                             .sign = sign,
                             .ndrive = pki_joint_nu(d->b->joints[joint].desc.kind)};
  /* each part sets free what it moves along or about */
  for (int p = 0; p < type->nparts; p++) {
    const int motion = type->parts[p].motion, along = 1 << (axis + type->parts[p].axis) % 3;
    c->travel &= ~(motion == PK_MOTION_PRISMATIC ? along : motion == PK_MOTION_FLOATING ? 7 : 0);
    c->turn &= ~(motion == PK_MOTION_REVOLUTE ? along : motion == PK_MOTION_PRISMATIC ? 0 : 7);
  }
}

/* The body and the frame in it of one side of a loop. */
static bool resolve_side(pki_draft *d, const pk_constraint_desc *desc, int side, pk_model_constraint *c)
{
  c->frame[side] = desc->frame[side];
  c->body[side] = -1;
  if (desc->link[side] == NULL) {
    return true;
  }
  const pki_where where = {.field = desc->name, .line = desc->line};
  const int link = find_named(d, &d->links, where, "constrained link", desc->link[side]);
  if (link < 0) {
    return false;
  }
  c->body[side] = d->link_body[link];
  c->frame[side] = pki_pose_mul(&d->link_pose[link], &desc->frame[side]);
  return true;
}

/* The joint of one side of a coupling: one coordinate of its own, which no cut has taken; -1 after an error. */
static int coupled_joint(pki_draft *d, const pk_constraint_desc *desc, int side)
{
  const pki_where where = {.field = desc->name, .line = desc->line};
  const char *name = desc->joint[side];
  const int joint = find_named(d, &d->joints, where, "coupled joint", name);
  if (joint < 0) {
    return -1;
  }
  if (pki_joint_nu(d->b->joints[joint].desc.kind) != 1 || d->joint_cut[joint] ||
      d->joint_multiplier[joint] == 0) {
    pki_builder_error(
        d->b, PK_ERROR_MODEL, where,
        "coupling \"%s\" is of joint \"%s\" (%s), expected a joint with one coordinate that is not cut",
        desc->name, name, pk_joint_kind_name(d->b->joints[joint].desc.kind));
    return -1;
  }
  return joint;
}

/* out(x) = p(m x + o), by Horner's rule on polynomials. */
static void substitute(const double p[5], double m, double o, double out[5])
{
  memset(out, 0, 5 * sizeof *out);
  for (int k = 4; k >= 0; k--) {
    for (int e = 4; e > 0; e--) {
      out[e] = o * out[e] + m * out[e - 1];
    }
    out[0] = o * out[0] + p[k];
  }
}

/* A coupling; coordinates of followers are those of their leaders. Velocities are numbered later: dof holds joints. */
static bool compile_coupling(pki_draft *d, const pk_constraint_desc *desc, pk_model_constraint *c)
{
  const int y = coupled_joint(d, desc, 0), x = desc->joint[1] != NULL ? coupled_joint(d, desc, 1) : -1;
  if (y < 0 || (x < 0 && desc->joint[1] != NULL)) {
    return false;
  }
  const int leader_y = d->joint_leader[y] >= 0 ? d->joint_leader[y] : y,
            leader_x = x >= 0 && d->joint_leader[x] >= 0 ? d->joint_leader[x] : x;
  if (leader_x == leader_y) {
    pki_builder_error(d->b, PK_ERROR_MODEL, (pki_where){.field = desc->name, .line = desc->line},
                      "coupling \"%s\" couples a coordinate to itself", desc->name);
    return false;
  }
  c->dof[0] = leader_y, c->dof[1] = leader_x;
  c->body[0] = x >= 0 ? d->joint_body[leader_x] : -1, c->body[1] = d->joint_body[leader_y];
  if (x >= 0) {
    substitute(desc->polynomial, d->joint_multiplier[x], d->joint_offset[x], c->polynomial);
  } else {
    c->polynomial[0] = desc->polynomial[0];
  }
  c->polynomial[0] -= d->joint_offset[y];
  for (int k = 0; k < 5; k++) {
    c->polynomial[k] /= d->joint_multiplier[y];
  }
  return true;
}

void pki_compile_loops(pki_draft *d)
{
  static const int travel[PK_CONSTRAINT_KIND_COUNT] = {7, 7, 7, 3, 0, 0},
                   turn[PK_CONSTRAINT_KIND_COUNT] = {7, 0, 3, 7, 0, 0};
  for (int i = 0; i < d->b->nconstraint; i++) {
    const pk_constraint_desc *desc = &d->b->constraints[i].desc;
    pk_model_constraint c = {.name = desc->name,
                             .joint = -1,
                             .kind = desc->kind,
                             .travel = travel[desc->kind],
                             .turn = turn[desc->kind],
                             .axis = 2,
                             .sign = 1,
                             .dof = {-1, -1},
                             .length = desc->kind == PK_CONSTRAINT_DISTANCE ? desc->length : 0};
    if (c.kind == PK_CONSTRAINT_COUPLING) {
      if (compile_coupling(d, desc, &c)) {
        d->constraints[d->nconstraint++] = c;
      }
      continue;
    }
    if (!resolve_side(d, desc, 0, &c) || !resolve_side(d, desc, 1, &c)) {
      continue;
    }
    if (c.body[0] == c.body[1]) {
      pki_builder_error(
          d->b, PK_ERROR_MODEL, (pki_where){.field = desc->name, .line = desc->line},
          "constraint \"%s\" joins a body to itself: its two links never move against each other",
          desc->name);
      continue;
    }
    d->constraints[d->nconstraint++] = c;
  }
}

/* A body's pose in the world for coordinates q. */
static pk_pose pose_at(const pk_model *m, const double *q, int body)
{
  if (body < 0) {
    return pk_pose_identity();
  }
  pk_pose joint = pk_pose_identity(), moved = joint;
  memcpy(joint.pos, m->body_pos + 3 * (size_t)body, sizeof joint.pos);
  memcpy(joint.rot, m->body_rot + 9 * (size_t)body, sizeof joint.rot);
  const int motion = m->body_motion[body], k = m->body_axis[body], i = (k + 1) % 3, j = (k + 2) % 3;
  const double *at = q + m->body_q[body];
  const double x = m->body_gain[body] * at[0] + m->body_offset[body];
  switch (motion) {
  case PK_MOTION_REVOLUTE:
    moved.rot[4 * i] = moved.rot[4 * j] = cos(x), moved.rot[3 * i + j] = -sin(x),
                  moved.rot[3 * j + i] = sin(x);
    break;
  case PK_MOTION_PRISMATIC: moved.pos[k] = x; break;
  case PK_MOTION_SPHERICAL: pki_quat_to_mat3(at, moved.rot); break;
  default: memcpy(moved.pos, at, sizeof moved.pos), pki_quat_to_mat3(at + 3, moved.rot);
  }
  const pk_pose parent = pose_at(m, q, m->body_parent[body]);
  joint = pki_pose_mul(&parent, &joint);
  return pki_pose_mul(&joint, &moved);
}

void pki_cut_starts(pki_draft *d)
{
  for (int i = 0; i < d->nbody && d->tree != NULL; i++) {
    const pki_body *body = &d->bodies[i];
    if (body->cut >= 0) {
      const pk_model_link *link = &d->tree->links[body->link];
      const pk_pose holder = pose_at(d->tree, d->tree->q0, link->body);
      const pk_pose pose = pki_pose_mul(&holder, &link->pose);
      memcpy(d->q0 + body->q, pose.pos, sizeof pose.pos);
      pki_quat_from_mat3(pose.rot, d->q0 + body->q + 3);
    }
  }
}

static int count_bits(int mask)
{
  return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1);
}

/* Loops first: their unknowns are eliminated last. Then each body, its cut joint before its velocities. */
void pki_number_unknowns(pki_draft *d)
{
  for (int i = 0; i < d->nconstraint; i++) {
    pk_model_constraint *c = &d->constraints[i];
    for (int k = 0; k < 2; k++) { /* couplings know their joints */
      c->dof[k] = c->dof[k] >= 0 ? d->joint_u[c->dof[k]] : -1;
    }
    c->nrow =
        c->length > 0 || c->kind == PK_CONSTRAINT_COUPLING ? 1 : count_bits(c->travel) + count_bits(c->turn);
    c->row = d->nbilateral, c->drive = d->ndrive;
    d->nbilateral += c->nrow, d->ndrive += c->ndrive;
    if (c->joint < 0) {
      c->plan = d->nplan;
      d->nplan += c->nrow;
    }
  }
  int next = 0; /* cuts stand in the order of the bodies that they free */
  for (int i = 0; i < d->nbody; i++) {
    const pki_body *body = &d->bodies[i];
    if (next < d->nconstraint && d->constraints[next].joint >= 0 && d->constraints[next].body[1] == i) {
      pk_model_constraint *c = &d->constraints[next++];
      c->plan = d->nplan;
      d->nplan += c->nrow + c->ndrive;
    }
    for (int k = 0; k < pki_motion_nu(body->motion) && !body->follows; k++) {
      d->plan_u[body->u + k] = d->nplan++;
    }
  }
}
