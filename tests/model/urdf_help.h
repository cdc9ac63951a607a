/* What the URDF tests share: text in, model or diagnostics out. */
#ifndef PK_TESTS_URDF_HELP_H
#define PK_TESTS_URDF_HELP_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/model.h"
#include "support/bounds.h"

/* A body that can move, and a joint between links a and b. */
#define INERTIAL \
  "<inertial><mass value='1'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial>"
#define LINK(name) "<link name='" name "'>" INERTIAL "</link>\n"
#define ENDS "<parent link='a'/><child link='b'/>"
#define ROBOT(body) "<robot name='r'>\n" body "</robot>"
/* line 1: robot, 2: link a, 3: link b, 4 and on: `body` */
#define TWO(body) ROBOT(LINK("a") LINK("b") body)
/* the same with a joint between them that `body` stands beside */
#define JOINED(body) TWO("<joint name='j' type='fixed'>" ENDS "</joint>\n" body)

static inline pk_load_options no_meshes(void)
{
  pk_load_options options = pk_load_options_default();
  options.load_meshes = false;
  return options;
}

/* Load and compile text that must be right. */
static inline pk_model *load_text(const char *text)
{
  const pk_load_options options = no_meshes();
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *model = NULL;
  pk_error err = {0};
  pk_status status = pk_builder_add_urdf_memory(b, text, strlen(text), "t.urdf", &options, &err);
  if (status == PK_OK) {
    status = pk_builder_compile(b, &model, &err);
  }
  pk_builder_destroy(b);
  if (status != PK_OK) {
    fail_msg("line %d: %s: %s", err.line, err.field, err.message);
  }
  return model;
}

/* Equal but for the rounding of what is read and computed. */
#define assert_close(found, expected) assert_near(found, expected, 1e-12 * fmax(1, fabs((double)(expected))))

static inline const pk_model_joint *joint_of(const pk_model *model, const char *name)
{
  const int j = pk_model_find_joint(model, name);
  assert_at_least(j, 0);
  return &model->joints[j];
}

static inline const pk_model_link *link_of(const pk_model *model, const char *name)
{
  const int l = pk_model_find_link(model, name);
  assert_at_least(l, 0);
  return &model->links[l];
}

#endif
