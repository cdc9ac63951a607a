/* The draft copied into one allocation. The same carving function counts and fills. */
#include <stdlib.h>
#include <string.h>

#include "model/layout.h"
#include "model/motion.h"

const void *pki_copy_into_arena(pki_arena *arena, const void *data, size_t count, size_t size)
{
  void *copy = pki_arena_take(arena, count, size);
  if (copy != NULL && count > 0) {
    memcpy(copy, data, count * size);
  }
  return copy;
}

const char *pki_keep_text(char **text, const char *string)
{
  const size_t size = strlen(string) + 1;
  char *copy = *text;
  memcpy(copy, string, size);
  *text += size;
  return copy;
}

static size_t text_size(const pki_draft *d)
{
  const pk_builder *b = d->b;
  size_t total = 0;
  for (int i = 0; i < b->nlink; i++) {
    total += strlen(d->link_name[i]) + 1;
  }
  for (int j = 0; j < b->njoint; j++) {
    total += strlen(d->joint_name[j]) + 1;
  }
  for (int r = 0; r < b->nrobot; r++) {
    total += strlen(b->robots[r].desc.name) + 1;
    total += (b->robots[r].desc.file ? strlen(b->robots[r].desc.file) : 0) + 1;
  }
  for (int c = 0; c < d->nconstraint; c++) {
    total += strlen(d->constraints[c].name) + 1;
  }
  for (int s = 0; s < b->nshape; s++) {
    total += (b->shapes[s].desc.name ? strlen(b->shapes[s].desc.name) : 0) + 1;
  }
  for (int m = 0; m < b->nmesh; m++) {
    total += strlen(b->meshes[m].name) + 1;
  }
  return total + pki_equipment_text_size(d);
}

/* Moving joints get consecutive indices; -1 for fixed ones. */
static int number_joints(const pki_draft *d, int *index)
{
  int count = 0;
  for (int j = 0; j < d->b->njoint; j++) {
    index[j] = d->joint_body[j] >= 0 ? count++ : -1;
  }
  return count;
}

static void fill_links(const pki_draft *d, pk_model_link *links, char **text)
{
  for (int i = 0; i < d->b->nlink; i++) {
    links[i] = (pk_model_link){.name = pki_keep_text(text, d->link_name[i]),
                               .robot = d->b->links[i].robot,
                               .parent = d->link_joint[i] >= 0 ? d->joint_parent[d->link_joint[i]] : -1,
                               .body = d->link_body[i],
                               .pose = d->link_pose[i],
                               .inertia = d->b->links[i].desc.inertia};
  }
}

static void fill_joints(const pki_draft *d, const int *index, pk_model_joint *joints, char **text)
{
  for (int j = 0; j < d->b->njoint; j++) {
    const char *name = pki_keep_text(text, d->joint_name[j]);
    if (index[j] < 0) {
      continue;
    }
    const pk_joint_desc *desc = &d->b->joints[j].desc;
    const int leader = d->joint_leader[j];
    pk_model_joint *out = &joints[index[j]];
    *out = (pk_model_joint){.name = name,
                            .robot = d->b->joints[j].robot,
                            .kind = desc->kind,
                            .body = d->joint_body[j],
                            .q = d->joint_q[j],
                            .u = d->joint_u[j],
                            .nq = pki_joint_nq(desc->kind),
                            .nu = pki_joint_nu(desc->kind),
                            .constraint = -1,
                            .leader = leader >= 0 ? index[leader] : -1,
                            .multiplier = d->joint_multiplier[j],
                            .offset = d->joint_offset[j],
                            .lower = desc->lower,
                            .upper = desc->upper,
                            .velocity = desc->velocity,
                            .effort = desc->effort,
                            .damping = desc->damping,
                            .friction = desc->friction,
                            .armature = desc->armature,
                            .stiffness = desc->stiffness,
                            .spring_ref = desc->spring_ref,
                            .ref = desc->ref};
    if (pki_joint_has_axis(desc->kind)) {
      pki_unit_axis(desc->axis, out->axis);
    }
  }
}

/* Constraints, and the joints that they stand for. */
static void fill_constraints(const pki_draft *d, const int *index, pk_model_constraint *constraints,
                             pk_model_joint *joints, char **text)
{
  for (int i = 0; i < d->nconstraint; i++) {
    pk_model_constraint *c = &constraints[i];
    *c = d->constraints[i];
    c->name = pki_keep_text(text, c->name);
    if (c->joint >= 0) {
      c->joint = index[c->joint];
      joints[c->joint].constraint = i;
    }
  }
}

static void fill_robots(const pki_draft *d, pk_model_robot *robots, char **text)
{
  for (int r = 0; r < d->b->nrobot; r++) {
    const pk_robot_desc *desc = &d->b->robots[r].desc;
    robots[r] = (pk_model_robot){.name = pki_keep_text(text, desc->name),
                                 .file = pki_keep_text(text, desc->file ? desc->file : ""),
                                 .root = d->robot_kind[r],
                                 .root_reason = d->robot_reason[r],
                                 .root_link = d->robot_root[r]};
  }
  /* bodies and coordinates of one robot are contiguous */
  for (int i = 0; i < d->nbody; i++) {
    const pki_body *body = &d->bodies[i];
    pk_model_robot *robot = &robots[body->robot];
    if (robot->nbody++ == 0) {
      robot->body = i, robot->q = body->q, robot->u = body->u;
    }
    if (!body->follows) {
      robot->q = robot->nq == 0 ? body->q : robot->q;
      robot->u = robot->nu == 0 ? body->u : robot->u;
      robot->nq += pki_motion_nq(body->motion), robot->nu += pki_motion_nu(body->motion);
    }
    robot->mass += body->inertia[0];
  }
}

static void fill_shapes(const pki_draft *d, pk_model_shape *shapes, char **text)
{
  for (int s = 0; s < d->b->nshape; s++) {
    const pki_shape *shape = &d->b->shapes[s];
    const int link = d->shape_link[s];
    const bool ungrouped = shape->desc.group == 0 && shape->desc.mask == 0;
    pk_model_shape *out = &shapes[s];
    *out = (pk_model_shape){.name = pki_keep_text(text, shape->desc.name ? shape->desc.name : ""),
                            .link = link,
                            .body = d->link_body[link],
                            .kind = shape->desc.kind,
                            .visual = shape->desc.visual,
                            .mesh = shape->mesh,
                            .heights = out->heights,
                            .group = ungrouped ? 1 : shape->desc.group,
                            .mask = ungrouped ? ~0u : shape->desc.mask,
                            .pairs_only = shape->desc.pairs_only,
                            .friction = shape->desc.friction,
                            .priority = shape->desc.priority};
    out->pose = pki_pose_mul(&d->link_pose[link], &shape->desc.pose);
    memcpy(out->size, shape->desc.size, sizeof out->size);
    memcpy(out->rgba, shape->desc.rgba, sizeof out->rgba);
  }
}

/* Structs of bodies become arrays; each line copies one field of all bodies. */
static const void *keep_field(pki_arena *arena, const pki_draft *d, size_t offset, size_t size)
{
  char *array = pki_arena_take(arena, (size_t)d->nbody, size);
  for (int i = 0; array != NULL && i < d->nbody; i++) {
    memcpy(array + (size_t)i * size, (const char *)&d->bodies[i] + offset, size);
  }
  return array;
}

#define KEEP(field) keep_field(arena, d, offsetof(pki_body, field), sizeof((pki_body *)0)->field)

static void carve_bodies(const pki_draft *d, pki_arena *arena, pk_model *m)
{
  m->body_parent = KEEP(parent);
  m->body_motion = KEEP(motion);
  m->body_axis = KEEP(axis);
  m->body_q = KEEP(q);
  m->body_u = KEEP(u);
  m->body_link = KEEP(link);
  m->body_turned = KEEP(turned);
  m->body_gain = KEEP(gain);
  m->body_offset = KEEP(offset);
  m->body_pos = KEEP(pos);
  m->body_rot = KEEP(rot);
  m->body_inertia = KEEP(inertia);
}

#undef KEEP

static void carve_dofs(const pki_draft *d, const int *index, pki_arena *arena, pk_model *m)
{
  const size_t nu = (size_t)d->nu;
  const double **rows[PKI_DOF_COUNT] = {&m->dof_armature, &m->dof_damping,   &m->dof_friction,
                                        &m->dof_lower,    &m->dof_upper,     &m->dof_effort,
                                        &m->dof_velocity, &m->dof_stiffness, &m->dof_spring_ref};
  for (size_t r = 0; r < PKI_DOF_COUNT; r++) {
    *rows[r] = pki_copy_into_arena(arena, d->dof + r * nu, nu, sizeof(double));
  }
  int *joints = pki_arena_take(arena, nu, sizeof *joints);
  for (size_t i = 0; joints != NULL && i < nu; i++) {
    joints[i] = d->dof_joint[i] >= 0 ? index[d->dof_joint[i]] : -1;
  }
  m->dof_joint = joints;
  m->dof_q = pki_copy_into_arena(arena, d->dof_q, nu, sizeof(int));
  m->q0 = pki_copy_into_arena(arena, d->q0, (size_t)d->nq, sizeof(double));
  m->M_row = pki_copy_into_arena(arena, d->M_row, (size_t)d->nplan + 1, sizeof(int));
  m->plan_u = pki_copy_into_arena(arena, d->plan_u, nu, sizeof(int));
  m->M_col = pki_copy_into_arena(arena, d->M_col, (size_t)d->nM, sizeof(int));
}

static void carve_meshes(const pki_draft *d, pki_arena *arena, pk_mesh *meshes, char **text)
{
  for (int i = 0; i < d->b->nmesh; i++) {
    const pk_mesh *from = &d->b->meshes[i];
    const double *vertex =
        pki_copy_into_arena(arena, from->vertex, 3 * (size_t)from->nvertex, sizeof(double));
    const int *triangle =
        pki_copy_into_arena(arena, from->triangle, 3 * (size_t)from->ntriangle, sizeof(int));
    if (meshes != NULL) {
      meshes[i] = *from;
      meshes[i].name = pki_keep_text(text, from->name);
      meshes[i].vertex = vertex;
      meshes[i].triangle = triangle;
    }
  }
}

/* Carve a model; with a counting arena nothing is written and NULL comes back. */
static pk_model *carve_model(const pki_draft *d, const int *index, int njoint, pki_arena *arena)
{
  const pk_builder *b = d->b;
  pk_model *m = pki_arena_take(arena, 1, sizeof *m);
  pk_model_robot *robots = pki_arena_take(arena, (size_t)b->nrobot, sizeof *robots);
  pk_model_link *links = pki_arena_take(arena, (size_t)b->nlink, sizeof *links);
  pk_model_joint *joints = pki_arena_take(arena, (size_t)njoint, sizeof *joints);
  pk_model_shape *shapes = pki_arena_take(arena, (size_t)b->nshape, sizeof *shapes);
  pk_mesh *meshes = pki_arena_take(arena, (size_t)b->nmesh, sizeof *meshes);
  pk_model_constraint *constraints = pki_arena_take(arena, (size_t)d->nconstraint, sizeof *constraints);
  char *text = pki_arena_take(arena, text_size(d), 1);
  pk_model counted = {0};
  pk_model *target = m ? m : &counted;
  *target = (pk_model){.nrobot = b->nrobot,
                       .nbody = d->nbody,
                       .nlink = b->nlink,
                       .njoint = njoint,
                       .nshape = b->nshape,
                       .nmesh = b->nmesh,
                       .nq = d->nq,
                       .nu = d->nu,
                       .nM = d->nM,
                       .nconstraint = d->nconstraint,
                       .nbilateral = d->nbilateral,
                       .ndrive = d->ndrive,
                       .nplan = d->nplan,
                       .plan_depth = d->plan_depth,
                       .has_mimic = d->has_mimic,
                       .robots = robots,
                       .links = links,
                       .joints = joints,
                       .shapes = shapes,
                       .meshes = meshes,
                       .constraints = constraints,
                       .tree = d->tree};
  memcpy(target->gravity, b->gravity, sizeof target->gravity);
  memcpy(target->magnetic, b->magnetic, sizeof target->magnetic);
  carve_bodies(d, arena, target);
  carve_dofs(d, index, arena, target);
  carve_meshes(d, arena, meshes, &text);
  for (int s = 0; s < b->nshape; s++) {
    const pk_heights *heights = pki_carve_heights(arena, b->shapes[s].desc.heights);
    if (m != NULL) {
      shapes[s].heights = heights;
    }
  }
  pki_carve_equipment(d, index, arena, target, m != NULL ? &text : NULL);
  if (m != NULL) {
    fill_links(d, links, &text);
    fill_joints(d, index, joints, &text);
    fill_robots(d, robots, &text);
    fill_shapes(d, shapes, &text);
    fill_constraints(d, index, constraints, joints, &text);
    for (int r = 0; r < m->nrobot; r++) {
      m->mass += robots[r].mass;
    }
  }
  return m;
}

pk_model *pki_compile_layout(const pki_draft *d)
{
  int *index = malloc(((size_t)d->b->njoint + 1) * sizeof *index);
  if (index == NULL) {
    return NULL;
  }
  const int njoint = number_joints(d, index);
  pki_arena count = pki_arena_over(NULL, 0);
  carve_model(d, index, njoint, &count);
  void *memory = count.overflow ? NULL : pki_aligned_alloc(count.used);
  pk_model *model = NULL;
  if (memory != NULL) {
    memset(memory, 0, count.used);
    pki_arena arena = pki_arena_over(memory, count.used);
    model = carve_model(d, index, njoint, &arena);
    PK_ASSERT(arena.used == count.used && !arena.overflow);
  }
  free(index);
  return model;
}
