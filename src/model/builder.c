#include "model/builder.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/joint_type.h"
#include "model/mesh.h"
#include "pronk/model.h"

const double pki_usual_gravity[3] = {0, 0, -9.81};

pk_robot_desc pk_robot_desc_default(void)
{
  return (pk_robot_desc){.name = "robot", .root = PK_ROOT_AUTO, .pose = pk_pose_identity()};
}

pk_joint_desc pk_joint_desc_default(void)
{
  return (pk_joint_desc){.kind = PK_JOINT_CONTINUOUS,
                         .origin = pk_pose_identity(),
                         .axis = {1, 0, 0},
                         .lower = -INFINITY,
                         .upper = INFINITY,
                         .velocity = INFINITY,
                         .effort = INFINITY,
                         .mimic_multiplier = 1};
}

pk_status pk_builder_create(pk_builder **out, pk_error *err)
{
  pk_builder *b = calloc(1, sizeof *b);
  *out = b;
  if (b == NULL) {
    return pki_fail_memory(err, "a builder");
  }
  pk_builder_set_gravity(b, pki_usual_gravity);
  return PK_OK;
}

/* Strings of descriptions are owned copies; the public structs hold them as const. */
void pki_builder_free_text(const char *text)
{
  free((void *)(size_t)text);
}

static void robot_free(pki_robot *r)
{
  pki_builder_free_text(r->desc.name), pki_builder_free_text(r->desc.prefix),
      pki_builder_free_text(r->desc.file);
}

static void joint_free(pki_joint *j)
{
  pki_builder_free_text(j->desc.name), pki_builder_free_text(j->desc.parent),
      pki_builder_free_text(j->desc.child), pki_builder_free_text(j->desc.mimic);
}

static void shape_free(pki_shape *s)
{
  pki_builder_free_text(s->desc.link), pki_builder_free_text(s->desc.name);
  if (s->desc.heights != NULL) {
    free(s->desc.heights->z);
  }
  free((void *)(size_t)s->desc.heights);
}

void pki_builder_rollback(pk_builder *b, pki_builder_mark mark)
{
  while (b->nrobot > mark.nrobot) {
    robot_free(&b->robots[--b->nrobot]);
  }
  while (b->nlink > mark.nlink) {
    pki_builder_free_text(b->links[--b->nlink].desc.name);
  }
  while (b->njoint > mark.njoint) {
    joint_free(&b->joints[--b->njoint]);
  }
  while (b->nshape > mark.nshape) {
    shape_free(&b->shapes[--b->nshape]);
  }
  pki_builder_drop_meshes(b, mark.nmesh);
  pki_builder_drop_constraints(b, mark.nconstraint, mark.ncut);
  b->cut_all = mark.cut_all;
  memcpy(b->gravity, mark.gravity, sizeof b->gravity);
  memcpy(b->magnetic, mark.magnetic, sizeof b->magnetic);
  pki_equipment_rollback(&b->equipment, mark.equipment);
}

void pk_builder_destroy(pk_builder *b)
{
  if (b == NULL) {
    return;
  }
  pki_builder_rollback(b, (pki_builder_mark){0});
  pki_equipment_free(&b->equipment);
  free(b->constraints), free(b->cuts);
  free(b->robots), free(b->links), free(b->joints), free(b->shapes);
  free(b->meshes), free(b->mesh_keys), free(b->diagnostics);
  free(b);
}

void pk_builder_set_gravity(pk_builder *b, const double gravity[3])
{
  memcpy(b->gravity, gravity, sizeof b->gravity);
}

void pk_builder_set_magnetic_field(pk_builder *b, const double field[3])
{
  memcpy(b->magnetic, field, sizeof b->magnetic);
}

/* Room for one more element; false when there is no memory. */
bool pki_builder_grow(void **array, int count, int *cap, size_t size)
{
  if (count < *cap) {
    return true;
  }
  if (*cap > INT_MAX / 4) {
    return false;
  }
  const int wanted = *cap ? 2 * *cap : 16;
  void *bigger = realloc(*array, (size_t)wanted * size);
  if (bigger == NULL) {
    return false;
  }
  *array = bigger;
  *cap = wanted;
  return true;
}

/* NULL stays NULL; `ok` turns false when there is no memory. */
const char *pki_builder_copy(const char *text, bool *ok)
{
  if (text == NULL) {
    return NULL;
  }
  const size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  if (copy == NULL) {
    *ok = false;
    return NULL;
  }
  return memcpy(copy, text, size);
}

pk_status pki_builder_no_memory(pk_error *err)
{
  return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory while the model is built");
}

pk_status pki_builder_check_name(const pk_builder *b, const char *what, const char *name, pk_error *err)
{
  if (name == NULL || name[0] == '\0') {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "name"}, "%s %s needs a name",
                    strchr("aeiou", what[0]) ? "an" : "a", what);
  }
  if (b->nrobot == 0 && strcmp(what, "robot") != 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = name},
                    "%s \"%s\" belongs to no robot: call pk_builder_add_robot first", what, name);
  }
  return PK_OK;
}

pk_status pk_builder_add_robot(pk_builder *b, const pk_robot_desc *robot, pk_error *err)
{
  const pk_status status = pki_builder_check_name(b, "robot", robot->name, err);
  if (status != PK_OK) {
    return status;
  }
  if ((unsigned)robot->root >= PK_ROOT_KIND_COUNT) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "root"},
                    "root is %d, expected a pk_root_kind", (int)robot->root);
  }
  bool ok = pki_builder_grow((void **)&b->robots, b->nrobot, &b->robot_cap, sizeof *b->robots);
  if (!ok) {
    return pki_builder_no_memory(err);
  }
  pki_robot *r = &b->robots[b->nrobot];
  *r = (pki_robot){.desc = *robot, .strict = b->strict, .balance_inertia = b->balance_inertia};
  r->desc.name = pki_builder_copy(robot->name, &ok);
  r->desc.prefix = pki_builder_copy(robot->prefix, &ok);
  r->desc.file = pki_builder_copy(robot->file, &ok);
  if (!ok) {
    robot_free(r);
    return pki_builder_no_memory(err);
  }
  b->nrobot++;
  return PK_OK;
}

pk_status pk_builder_add_link(pk_builder *b, const pk_link_desc *link, pk_error *err)
{
  const pk_status status = pki_builder_check_name(b, "link", link->name, err);
  if (status != PK_OK) {
    return status;
  }
  if (b->nlink >= PKI_LINK_MAX) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = link->name, .line = link->line},
                    "there are more than %d links", PKI_LINK_MAX);
  }
  bool ok = pki_builder_grow((void **)&b->links, b->nlink, &b->link_cap, sizeof *b->links);
  if (!ok) {
    return pki_builder_no_memory(err);
  }
  pki_link *l = &b->links[b->nlink];
  *l = (pki_link){.desc = *link, .robot = b->nrobot - 1};
  l->desc.name = pki_builder_copy(link->name, &ok);
  if (!ok) {
    return pki_builder_no_memory(err);
  }
  b->nlink++;
  return PK_OK;
}

pk_status pk_builder_add_joint(pk_builder *b, const pk_joint_desc *joint, pk_error *err)
{
  const pk_status status = pki_builder_check_name(b, "joint", joint->name, err);
  if (status != PK_OK) {
    return status;
  }
  if (joint->parent == NULL || joint->child == NULL || pki_joint_type_of(joint->kind) == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = joint->name},
                    "joint \"%s\" needs a kind, a parent link and a child link", joint->name);
  }
  bool ok = pki_builder_grow((void **)&b->joints, b->njoint, &b->joint_cap, sizeof *b->joints);
  if (!ok) {
    return pki_builder_no_memory(err);
  }
  pki_joint *j = &b->joints[b->njoint];
  *j = (pki_joint){.desc = *joint, .robot = b->nrobot - 1};
  j->desc.name = pki_builder_copy(joint->name, &ok);
  j->desc.parent = pki_builder_copy(joint->parent, &ok);
  j->desc.child = pki_builder_copy(joint->child, &ok);
  j->desc.mimic = pki_builder_copy(joint->mimic, &ok);
  if (!ok) {
    joint_free(j);
    return pki_builder_no_memory(err);
  }
  b->njoint++;
  return PK_OK;
}

int pki_shape_sizes(pk_shape_kind kind)
{
  static const int counts[PK_SHAPE_KIND_COUNT] = {
      [PK_SHAPE_SPHERE] = 1,  [PK_SHAPE_BOX] = 3,       [PK_SHAPE_CYLINDER] = 2,
      [PK_SHAPE_CAPSULE] = 2, [PK_SHAPE_ELLIPSOID] = 3, [PK_SHAPE_CONE] = 2};
  return counts[kind];
}

/* All sizes must be positive, except a capsule's length. */
static pk_status check_size(const pk_shape_desc *shape, pk_error *err)
{
  if ((unsigned)shape->kind >= PK_SHAPE_KIND_COUNT || shape->link == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.line = shape->line},
                    "a shape needs a kind and a link");
  }
  for (int i = 0; i < pki_shape_sizes(shape->kind); i++) {
    const bool may_be_zero = shape->kind == PK_SHAPE_CAPSULE && i == 1;
    if (!(shape->size[i] > 0 || (may_be_zero && shape->size[i] == 0)) || !isfinite(shape->size[i])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = shape->link, .line = shape->line},
                      "size %d of a %s on link \"%s\" is %g, expected a positive number", i + 1,
                      pk_shape_kind_name(shape->kind), shape->link, shape->size[i]);
    }
  }
  return PK_OK;
}

/* A grid of finite heights. */
static pk_status check_heights(const pk_shape_desc *shape, pk_error *err)
{
  const pk_heights *h = shape->heights;
  const pki_where where = {.field = shape->link, .line = shape->line};
  if (h == NULL || h->nx < 2 || h->ny < 2 || !(h->cell > 0) || !isfinite(h->cell) || h->z == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "a shape of heights needs a grid of 2 x 2 or more and a positive cell");
  }
  for (size_t i = 0; i < (size_t)h->nx * (size_t)h->ny; i++) {
    if (!isfinite(h->z[i])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, where, "height %zu is not finite", i);
    }
  }
  return PK_OK;
}

/* An owned copy; NULL without memory. */
static const pk_heights *copy_heights(const pk_heights *h, bool *ok)
{
  const size_t bytes = (size_t)h->nx * (size_t)h->ny * sizeof *h->z;
  pk_heights *copy = malloc(sizeof *copy);
  double *z = malloc(bytes);
  if (copy == NULL || z == NULL) {
    free(copy), free(z);
    *ok = false;
    return NULL;
  }
  memcpy(z, h->z, bytes);
  *copy = *h;
  copy->z = z;
  return copy;
}

static pk_status check_shape(const pk_builder *b, const pk_shape_desc *shape, pk_error *err)
{
  pk_status status = check_size(shape, err);
  if (status == PK_OK) {
    status = pki_builder_check_name(b, "shape", shape->link, err);
  }
  if (status == PK_OK && shape->kind == PK_SHAPE_HEIGHTS) {
    status = check_heights(shape, err);
  }
  if (status == PK_OK && !pki_is_friction(shape->friction)) {
    status =
        pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = shape->link, .line = shape->line},
                 "the friction of a shape on link \"%s\" is %g, expected 0 or more, or -1 for none at all",
                 shape->link, shape->friction);
  }
  return status;
}

pk_status pk_builder_add_shape(pk_builder *b, const pk_shape_desc *shape, pk_error *err)
{
  int mesh = -1;
  pk_status status = check_shape(b, shape, err);
  if (status == PK_OK && pki_shape_has_mesh(shape->kind)) {
    status = pki_builder_keep_mesh(b, shape, &mesh, err);
  }
  if (status != PK_OK) {
    return status;
  }
  bool ok = pki_builder_grow((void **)&b->shapes, b->nshape, &b->shape_cap, sizeof *b->shapes);
  if (!ok) {
    return pki_builder_no_memory(err);
  }
  pki_shape *s = &b->shapes[b->nshape];
  *s = (pki_shape){.desc = *shape, .robot = b->nrobot - 1, .mesh = mesh};
  s->desc.mesh = NULL;
  s->desc.heights = shape->kind == PK_SHAPE_HEIGHTS ? copy_heights(shape->heights, &ok) : NULL;
  s->desc.link = pki_builder_copy(shape->link, &ok);
  s->desc.name = pki_builder_copy(shape->name, &ok);
  if (!ok) {
    shape_free(s);
    return pki_builder_no_memory(err);
  }
  b->nshape++;
  return PK_OK;
}

void pki_builder_begin_load(pk_builder *b, const pk_load_options *options)
{
  b->strict = options->strict;
  b->balance_inertia = options->balance_inertia;
  b->loading = true;
  b->load_mesh = b->nmesh;
  b->mesh_uses = 0;
}

void pki_builder_end_load(pk_builder *b)
{
  b->strict = b->balance_inertia = b->loading = false;
}

static void add_remark(pk_builder *b, bool is_error, const char *kind, const pk_error *error)
{
  b->nerror += is_error;
  b->nwarning += !is_error;
  if ((is_error ? b->nerror : b->nwarning) > PKI_DIAGNOSTIC_MAX ||
      !pki_builder_grow((void **)&b->diagnostics, b->ndiagnostic, &b->diagnostic_cap,
                        sizeof *b->diagnostics)) {
    return;
  }
  b->diagnostics[b->ndiagnostic++] =
      (pk_builder_diagnostic){.is_error = is_error, .kind = kind, .error = *error};
}

void pki_builder_warn(pk_builder *b, int robot, const char *kind, pk_status status, pki_where where,
                      const char *format, ...)
{
  pk_error error;
  va_list args;
  va_start(args, format);
  pki_fail_list(&error, status, where, format, args);
  va_end(args);
  add_remark(b, robot >= 0 ? b->robots[robot].strict : b->strict, kind, &error);
}

void pki_builder_error(pk_builder *b, pk_status status, pki_where where, const char *format, ...)
{
  pk_error error;
  va_list args;
  va_start(args, format);
  pki_fail_list(&error, status, where, format, args);
  va_end(args);
  add_remark(b, true, "", &error);
}

int pki_builder_error_count(const pk_builder *b)
{
  return b->nerror;
}

pk_status pki_builder_verdict(const pk_builder *b, int before, pk_error *err)
{
  if (b->nerror == before) {
    return PK_OK;
  }
  int seen = 0;
  for (int i = 0; i < b->ndiagnostic; i++) {
    seen += b->diagnostics[i].is_error;
    if (b->diagnostics[i].is_error && seen > before) {
      if (err != NULL) {
        *err = b->diagnostics[i].error;
      }
      return b->diagnostics[i].error.status;
    }
  }
  return pki_fail(err, PK_ERROR_MODEL, (pki_where){0}, "there are more than %d errors", PKI_DIAGNOSTIC_MAX);
}

const pk_builder_diagnostic *pk_builder_diagnostics(const pk_builder *b, int *count)
{
  *count = b->ndiagnostic;
  return b->diagnostics;
}

pki_builder_mark pki_builder_get_mark(const pk_builder *b)
{
  pki_builder_mark mark = {.nrobot = b->nrobot,
                           .nlink = b->nlink,
                           .njoint = b->njoint,
                           .nshape = b->nshape,
                           .nmesh = b->nmesh,
                           .nconstraint = b->nconstraint,
                           .ncut = b->ncut,
                           .cut_all = b->cut_all,
                           .equipment = pki_equipment_get_mark(&b->equipment)};
  memcpy(mark.gravity, b->gravity, sizeof mark.gravity);
  memcpy(mark.magnetic, b->magnetic, sizeof mark.magnetic);
  return mark;
}
