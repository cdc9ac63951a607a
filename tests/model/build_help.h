/* What the builder's and compiler's tests share: a world as plain arrays that a test edits, then
 * a model or diagnostics. */
#ifndef PK_TESTS_BUILD_HELP_H
#define PK_TESTS_BUILD_HELP_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/dynamics.h"
#include "support/bounds.h"

enum { PARTS = 3, LINKS = 8, JOINTS = 8, SHAPES = 2 };

typedef struct part {
  pk_robot_desc robot;
  pk_link_desc links[LINKS];
  pk_joint_desc joints[JOINTS];
  pk_shape_desc shapes[SHAPES];
  int nlink, njoint, nshape;
} part;

typedef struct world {
  part parts[PARTS];
  int nparts;
  double gravity[3];
} world;

static inline pk_inertia sound_inertia(void)
{
  return (pk_inertia){.mass = 1, .com = {0.01, 0.02, -0.1}, .moment = {0.1, 0, 0, 0.12, 0, 0.08}};
}

static inline pk_link_desc *add_link(part *p, const char *name)
{
  pk_link_desc *link = &p->links[p->nlink++];
  *link = (pk_link_desc){.name = name, .inertia = sound_inertia(), .line = p->nlink};
  return link;
}

static inline pk_joint_desc *add_joint(part *p, const char *name, pk_joint_kind kind, const char *parent,
                                       const char *child)
{
  pk_joint_desc *joint = &p->joints[p->njoint++];
  *joint = pk_joint_desc_default();
  joint->name = name, joint->kind = kind, joint->parent = parent, joint->child = child;
  joint->origin.pos[0] = 0.1, joint->origin.pos[2] = -0.3;
  joint->line = 10 + p->njoint;
  return joint;
}

/* Links a, b, c on lines 1, 2, 3; joint j from a to b on line 11, k from b to c on line 12. */
static inline part three_links(void)
{
  part p = {.robot = pk_robot_desc_default()};
  p.robot.name = "r", p.robot.file = "r.urdf", p.robot.root = PK_ROOT_FREE;
  add_link(&p, "a"), add_link(&p, "b"), add_link(&p, "c");
  add_joint(&p, "j", PK_JOINT_CONTINUOUS, "a", "b");
  add_joint(&p, "k", PK_JOINT_CONTINUOUS, "b", "c")->axis[1] = 1;
  p.joints[1].axis[0] = 0;
  return p;
}

static inline world one_robot(void)
{
  return (world){.parts = {three_links()}, .nparts = 1, .gravity = {0, 0, -9.81}};
}

/* Fill a builder; every description must be accepted. */
static inline pk_builder *describe(const world *w)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  assert_non_null(b);
  pk_builder_set_gravity(b, w->gravity);
  for (int r = 0; r < w->nparts; r++) {
    const part *p = &w->parts[r];
    pk_error err = {.message = ""};
    pk_status status = pk_builder_add_robot(b, &p->robot, &err);
    for (int i = 0; i < p->nlink && status == PK_OK; i++) {
      status = pk_builder_add_link(b, &p->links[i], &err);
    }
    for (int i = 0; i < p->njoint && status == PK_OK; i++) {
      status = pk_builder_add_joint(b, &p->joints[i], &err);
    }
    for (int i = 0; i < p->nshape && status == PK_OK; i++) {
      status = pk_builder_add_shape(b, &p->shapes[i], &err);
    }
    if (status != PK_OK) {
      fail_msg("not accepted: %s", err.message);
    }
  }
  return b;
}

/* A model of a world that must be right. */
static inline pk_model *compile(const world *w)
{
  pk_builder *b = describe(w);
  pk_model *model = NULL;
  pk_error err = {.message = ""};
  const pk_status status = pk_builder_compile(b, &model, &err);
  pk_builder_destroy(b);
  if (status != PK_OK) {
    fail_msg("%s", err.message);
  }
  assert_non_null(model);
  return model;
}

static inline void assert_all_near(const double *found, const double *expected, int n, double tolerance)
{
  for (int i = 0; i < n; i++) {
    assert_near(found[i], expected[i], tolerance);
  }
}

#endif
