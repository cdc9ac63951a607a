/* Worlds of few bodies for the tests of who collides, and where. */
#ifndef PK_TESTS_COLLISION_RIG_H
#define PK_TESTS_COLLISION_RIG_H

#include "collision/help.h"

#include "collision/ground/terrain.h"
#include "collision/world/colliders.h"
#include "collision/world/contacts.h"
#include "dynamics/workspace.h"

enum { MOST = 64 };

static inline pk_shape_desc shape_of(pk_shape_kind kind, double a, double b, double c)
{
  return (pk_shape_desc){.kind = kind, .pose = pk_pose_identity(), .size = {a, b, c}};
}

/* A robot `name` of one link "l" with these shapes; its links are called name + "l". */
static inline void add_body(pk_builder *b, const char *name, pk_root_kind root, const pk_shape_desc *shapes,
                            int nshape)
{
  pk_robot_desc robot = pk_robot_desc_default();
  robot.name = name, robot.prefix = name, robot.root = root;
  const pk_link_desc link = {.name = "l", .inertia = {.mass = 1, .moment = {1, 0, 0, 1, 0, 1}}};
  assert_int_equal(pk_builder_add_robot(b, &robot, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &link, NULL), PK_OK);
  for (int i = 0; i < nshape; i++) {
    pk_shape_desc shape = shapes[i];
    shape.link = "l";
    pk_error err;
    if (pk_builder_add_shape(b, &shape, &err) != PK_OK) {
      fail_msg("%s", err.message);
    }
  }
}

static inline pk_model *compile(pk_builder *b)
{
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return m;
}

typedef struct rig {
  pk_model *model;
  pk_workspace *work;
  pk_terrain *terrain;
  pki_geometries *geometries;
  pki_colliders colliders;
  void *memory;
} rig;

/* Over a model, which becomes the rig's, with room for `room` pairs to remember. */
static inline rig *rig_make(pk_model *m, pk_broad_phase broad, int room)
{
  rig *r = calloc(1, sizeof *r);
  pk_error err = {.message = ""};
  r->model = m;
  pk_workspace_create(m, &r->work, NULL);
  pk_terrain_create(&r->terrain, NULL);
  pki_arena arena = pki_arena_over(NULL, 0);
  pki_colliders_carve(&r->colliders, m, &arena);
  pki_colliders_carve_memory(&r->colliders, room, &arena);
  r->memory = pki_aligned_alloc(arena.used);
  arena = pki_arena_over(r->memory, arena.used);
  pki_colliders_carve(&r->colliders, m, &arena);
  pki_colliders_carve_memory(&r->colliders, room, &arena);
  if (pki_geometries_create(m, &r->geometries, &err) != PK_OK ||
      pki_colliders_init(&r->colliders, m, r->geometries, broad, true, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return r;
}

/* One free body with one shape. */
static inline rig *rig_with(pk_shape_desc shape)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  add_body(b, "r", PK_ROOT_FREE, &shape, 1);
  return rig_make(compile(b), PK_BROAD_PHASE_AUTO, MOST);
}

/* The terrain as it is now becomes the ground. */
static inline void rig_ground(rig *r)
{
  assert_int_equal(pki_colliders_set_ground(&r->colliders, r->terrain, NULL), PK_OK);
}

static inline void rig_free(rig *r)
{
  pki_colliders_free(&r->colliders);
  pki_geometries_destroy(r->geometries);
  pki_aligned_free(r->memory);
  pk_terrain_destroy(r->terrain);
  pk_workspace_destroy(r->work);
  pk_model_destroy(r->model);
  free(r);
}

/* Contacts at a configuration. */
static inline int find_q(rig *r, const double *q, double margin, pki_contact *out)
{
  bool overflow = true;
  pk_kinematics_compute(r->work, q, NULL);
  const int n = pki_contacts_find(&r->colliders, &r->work->work, 0, margin, out, MOST, &overflow);
  assert_false(overflow);
  return n;
}

/* With the body's origin at a place, its axes along the world's. */
static inline int find_at(rig *r, const double place[3], double margin, pki_contact *out)
{
  return find_q(r, (const double[7]){place[0], place[1], place[2], 1, 0, 0, 0}, margin, out);
}

/* ---- what is expected ---- */

static inline void expect_frame(const pki_contact *c)
{
  double cross[3];
  pki_cross3(c->normal, c->tangent1, cross);
  assert_near3(cross, c->tangent2, 1e-15);
  assert_near(pki_dot3(c->normal, c->normal), 1, 1e-15);
  assert_near(pki_dot3(c->tangent1, c->tangent1), 1, 1e-15);
  assert_near(pki_dot3(c->normal, c->tangent1), 0, 1e-15);
}

static inline void expect_contact(const pki_contact *c, double gap, const double point[3],
                                  const double normal[3], double tolerance)
{
  assert_near(c->gap, gap, tolerance);
  assert_near3(c->point, point, tolerance);
  assert_near3(c->normal, normal, tolerance);
  expect_frame(c);
}

static inline void add_plane(rig *r, const double point[3], const double normal[3], int material)
{
  assert_int_equal(pk_terrain_add_plane(r->terrain, point, normal, material, NULL), PK_OK);
}

static inline void add_box(rig *r, double x, double y, double z, const double size[3])
{
  pk_pose pose = pk_pose_identity();
  pose.pos[0] = x, pose.pos[1] = y, pose.pos[2] = z;
  assert_int_equal(pk_terrain_add_box(r->terrain, &pose, size, 0, NULL), PK_OK);
}

/* Contacts are in the order of their names, each once. */
static inline void expect_order(const pki_contact *c, int n)
{
  for (int i = 1; i < n; i++) {
    const int *a = c[i - 1].geom, *b = c[i].geom;
    assert_true(a[0] < b[0] || (a[0] == b[0] && (a[1] < b[1] || (a[1] == b[1] && c[i - 1].id < c[i].id))));
  }
}

#endif
