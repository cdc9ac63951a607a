/* Free objects of a scenario: one entry is one shape, or a lattice of equal ones. Each becomes a robot of one link, after
 * the models and in the order of the entries. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "collision/shapes/geometry.h"
#include "math/mat3.h"
#include "model/kind_words.h"
#include "scenario/files.h"
#include "scenario/section.h"

enum { OBJECTS_MOST = 20000 };

#define OBJECT(name) #name, offsetof(pki_scenario_object, name)
static const pk_field object_fields[] = {
    {OBJECT(shape), PK_FIELD_ENUM, "", -1, 0, PK_SHAPE_CONVEX, pki_shape_words,
     "what it is (pronk list shapes)"},
    PKI_TEXT("name", pki_scenario_object, name, 0,
             "of its link, numbered when there are several; default: shape and entry"),
    PKI_PART("size", "as `pronk list shapes` says: one number, or a list, m"),
    PKI_TEXT("file", pki_scenario_object, file, 0,
             "of a mesh or convex shape: a path from the scenario's folder"),
    {OBJECT(scale), PK_FIELD_REAL, "", 1, 1e-9, 1e9, NULL, "of the file's lengths"},
    {OBJECT(mass), PK_FIELD_REAL, "kg", 1, 1e-9, 1e9, NULL, "spread evenly over its volume"},
    {OBJECT(position), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL,
     "of its frame; of several: the middle of the lowest layer"},
    {OBJECT(rpy), PK_FIELD_VEC3, "rad", 0, -1e6, 1e6, NULL, "its roll, pitch, yaw"},
    {OBJECT(velocity), PK_FIELD_VEC3, "m/s", 0, -1e6, 1e6, NULL, "at the start"},
    {OBJECT(spin), PK_FIELD_VEC3, "rad/s", 0, -1e6, 1e6, NULL, "angular velocity at the start, world axes"},
    {OBJECT(count), PK_FIELD_VEC3, "", 1, 1, 20000, NULL, "how many along x, y, z"},
    {OBJECT(spacing), PK_FIELD_VEC3, "m", 0, -1e6, 1e6, NULL, "from one to the next along x, y, z"},
    {OBJECT(jitter), PK_FIELD_REAL, "m", 0, 0, 1e6, NULL, "random shift of each, up to this along each axis"},
    {OBJECT(tumble), PK_FIELD_BOOL, "", 0, 0, 1, NULL, "each is turned at random"},
    {OBJECT(color), PK_FIELD_VEC3, "", 0, 0, 1, NULL,
     "red, green, blue, 0 to 1; default: one for each entry"},
    PKI_TEXT("surface", pki_scenario_object, surface, 0, "a surface's name, for pairs"),
    PKI_TEXT("compliance", pki_scenario_object, compliance, 0,
             "a name from compliance: how its surface gives way; default: it is hard"),
};
static const int object_field_count = PKI_COUNT(object_fields);

/* How many an entry has along each axis; they were checked. */
static int count_along_axis(const pki_scenario_object *o, int axis)
{
  return (int)o->count[axis];
}

/* ---- reading ---- */

/* A size for shapes that have one, a file for those of meshes. */
static void check_shape(const pki_scenario_object *o, pki_problems *problems)
{
  const pki_node *size = pki_node_find(o->node, "size"), *file = pki_node_find(o->node, "file");
  if (pki_shape_has_mesh(o->shape)) {
    if (file == NULL) {
      pki_problem(problems, o->node, "a %s needs a file: a path from the scenario's folder",
                  pk_shape_kind_name(o->shape));
    }
    if (size != NULL) {
      pki_problem(problems, size, "a %s has no size; scale says how large it is",
                  pk_shape_kind_name(o->shape));
    }
  } else if (file != NULL) {
    pki_problem(problems, file, "a %s has no file; shapes mesh and convex have one",
                pk_shape_kind_name(o->shape));
  }
}

static void check_counts(const pki_scenario_object *o, pki_problems *problems)
{
  double all = 1;
  for (int k = 0; k < 3; k++) {
    if (o->count[k] != floor(o->count[k])) {
      pki_problem(problems, pki_node_find(o->node, "count"), "count is %g along %c, expected a whole number",
                  o->count[k], 'x' + k);
      return;
    }
    all *= o->count[k];
    if (o->count[k] > 1 && o->spacing[k] == 0) {
      pki_problem(problems, o->node, "%g objects along %c need a spacing there: spacing: [x, y, z], m",
                  o->count[k], 'x' + k);
    }
  }
  if (all > OBJECTS_MOST) {
    pki_problem(problems, pki_node_find(o->node, "count"), "%.0f objects, expected %d at most", all,
                OBJECTS_MOST);
  }
}

static void read_objects(pki_scenario *s, const pki_node *list, pki_problems *problems)
{
  void *entries = NULL;
  pki_read_entries(list, object_fields, object_field_count, sizeof *s->objects, &entries, &s->nobject,
                   problems);
  s->objects = entries;
  for (int i = 0; i < s->nobject; i++) {
    pki_scenario_object *o = &s->objects[i];
    if ((unsigned)o->shape >= PK_SHAPE_PLANE) {
      continue; /* told already: there is no shape */
    }
    check_shape(o, problems);
    if (pki_shape_has_mesh(o->shape)) {
      pki_scenario_hash_file(s, o->file);
    } else {
      pk_error err = {0};
      pki_problems_note(problems, pki_read_size(o->node, o->shape, o->size, &err), &err);
    }
    check_counts(o, problems);
  }
}

/* ---- making ---- */

/* A colour for objects that were given none: hues far apart, entry after entry. */
static void choose_colour(const pki_scenario_object *o, int entry, double rgba[4])
{
  const double hue = fmod(0.08 + 0.6180339887 * entry, 1);
  for (int k = 0; k < 3; k++) {
    const double x = fabs(fmod(6 * hue + 4.0 - 2 * k + 6, 6) - 3) - 1; /* 0 and less to 1 and more */
    rgba[k] = pki_node_find(o->node, "color") != NULL ? o->color[k] : 0.35 + 0.5 * fmin(fmax(x, 0), 1);
  }
  rgba[3] = 1;
}

/* Where number k of an entry starts: on the lattice, off it by the jitter, turned at random when it tumbles. The
 * lattice's middle along x and y, and its lowest layer, are at the entry's position. */
static pk_pose start_of(const pki_scenario *s, int entry, int k)
{
  const pki_scenario_object *o = &s->objects[entry];
  const int nx = count_along_axis(o, 0), ny = count_along_axis(o, 1),
            at[3] = {k % nx, k / nx % ny, k / nx / ny};
  pki_random rng =
      pki_random_seeded(((uint64_t)(unsigned)s->seed << 32) ^ ((uint64_t)entry << 24) ^ (uint64_t)k);
  pk_pose pose = pk_pose_from_xyz_rpy(o->position, o->rpy);
  for (int axis = 0; axis < 3; axis++) {
    const double middle = axis < 2 ? 0.5 * (count_along_axis(o, axis) - 1) : 0;
    pose.pos[axis] +=
        (at[axis] - middle) * o->spacing[axis] + pki_random_between(&rng, -o->jitter, o->jitter);
  }
  if (o->tumble) {
    double q[4];
    pki_random_quaternion(&rng, q);
    pki_quat_to_mat3(q, pose.rot);
  }
  return pose;
}

/* One entry's shape and mass, made once for all of it. */
typedef struct made {
  pk_mesh mesh;
  pk_inertia inertia;
  pk_shape_desc shape;
} made;

static pk_status make_entry(const pki_scenario *s, int entry, pki_mesh *mesh, made *m, pk_error *err)
{
  const pki_scenario_object *o = &s->objects[entry];
  const pki_node *file = pki_node_find(o->node, "file");
  pk_status status =
      pki_shape_has_mesh(o->shape) ? pki_scenario_load_mesh(s, file, o->file, o->scale, mesh, err) : PK_OK;
  m->mesh = (pk_mesh){.name = o->file,
                      .nvertex = mesh->nvertex,
                      .ntriangle = mesh->ntriangle,
                      .vertex = mesh->vertex,
                      .triangle = mesh->triangle};
  m->shape = (pk_shape_desc){.kind = o->shape,
                             .pose = pk_pose_identity(),
                             .mesh = pki_shape_has_mesh(o->shape) ? &m->mesh : NULL,
                             .line = o->node->line};
  memcpy(m->shape.size, o->size, sizeof o->size);
  choose_colour(o, entry, m->shape.rgba);
  if (status != PK_OK) {
    return status;
  }
  pk_geometry *g = NULL;
  const pk_geometry_desc desc = {
      .kind = o->shape, .size = {o->size[0], o->size[1], o->size[2]}, .mesh = m->shape.mesh};
  status = pk_geometry_create(&desc, &g, err);
  status = status == PK_OK ? pki_geometry_inertia(g, o->mass, &m->inertia, err) : status;
  pk_geometry_destroy(g);
  return pki_node_place(status, o->node, "", err);
}

/* The name of number k of an entry: its own, with a number when there are several. */
static void name_object(const pki_scenario *s, int entry, int k, char name[96])
{
  const pki_scenario_object *o = &s->objects[entry];
  char of[80];
  if (o->name[0] != '\0') {
    snprintf(of, sizeof of, "%s", o->name);
  } else {
    snprintf(of, sizeof of, "%s%d", pk_shape_kind_name(o->shape), entry);
  }
  if (pki_object_number(o) > 1) {
    snprintf(name, 96, "%s_%d", of, k);
  } else {
    snprintf(name, 96, "%s", of);
  }
}

int pki_object_number(const pki_scenario_object *o)
{
  return count_along_axis(o, 0) * count_along_axis(o, 1) * count_along_axis(o, 2);
}

static pk_status add_one(const pki_scenario *s, int entry, int k, const made *m, pk_builder *b, pk_error *err)
{
  char name[96];
  pk_robot_desc robot = pk_robot_desc_default();
  name_object(s, entry, k, name);
  robot.name = name;
  robot.root = PK_ROOT_FREE;
  robot.pose = start_of(s, entry, k);
  const pk_link_desc link = {.name = name, .inertia = m->inertia, .line = s->objects[entry].node->line};
  pk_shape_desc shape = m->shape;
  shape.link = name;
  pk_status status = pk_builder_add_robot(b, &robot, err);
  status = status == PK_OK ? pk_builder_add_link(b, &link, err) : status;
  /* what collides is what is seen */
  shape.visual = true;
  status = status == PK_OK ? pk_builder_add_shape(b, &shape, err) : status;
  shape.visual = false;
  status = status == PK_OK ? pk_builder_add_shape(b, &shape, err) : status;
  return pki_node_place(status, s->objects[entry].node, "", err);
}

static void build_objects(const pki_scenario *s, pk_builder *b, pki_problems *problems)
{
  for (int i = 0; i < s->nobject; i++) {
    pki_mesh mesh = {0};
    made m;
    pk_error err = {0};
    pk_status status = make_entry(s, i, &mesh, &m, &err);
    for (int k = 0; k < pki_object_number(&s->objects[i]) && status == PK_OK; k++) {
      status = add_one(s, i, k, &m, b, &err);
    }
    pki_problems_note(problems, status, &err);
    pki_mesh_free(&mesh);
  }
}

static void start_objects(pki_world *world, pki_problems *problems)
{
  const pki_scenario *s = world->scenario;
  const pk_model *m = pk_sim_joint_model(world->sim);
  double *q = malloc(((size_t)m->nq + (size_t)m->nu + 1) * sizeof *q), *u = q != NULL ? q + m->nq : NULL;
  if (q == NULL) {
    pki_problem_memory(problems);
    return;
  }
  pk_sim_get_joints(world->sim, q, u);
  for (int i = 0, robot = world->model_robot[s->nmodel]; i < s->nobject; i++) {
    for (int k = 0; k < pki_object_number(&s->objects[i]); k++, robot++) {
      double *at = u + m->robots[robot].u, rot[9];
      pki_quat_to_mat3(q + m->robots[robot].q + 3, rot);
      memcpy(at, s->objects[i].velocity, 3 * sizeof *at);
      pki_mat3_apply_transposed(rot, s->objects[i].spin, at + 3);
    }
  }
  pk_sim_set_joints(world->sim, q, u);
  free(q);
}

static void release_objects(pki_scenario *s)
{
  free(s->objects);
}

static const pki_schema_table objects_tables[] = {
    {"object", "each entry of `objects`", object_fields, &object_field_count}, {NULL, NULL, NULL, NULL}};

const pki_section pki_section_objects = {.name = "objects",
                                         .doc = "shapes that move freely: a list",
                                         .form = PKI_SECTION_IS_LIST,
                                         .tables = objects_tables,
                                         .read = read_objects,
                                         .release = release_objects,
                                         .build = build_objects,
                                         .start = start_objects};
