/* What the MJCF tests share: text in, a builder or a model out. */
#ifndef PK_TESTS_MJCF_HELP_H
#define PK_TESTS_MJCF_HELP_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/builder.h"
#include "pronk/model.h"
#include "support/bounds.h"

#define MJCF(body) "<mujoco>\n" body "</mujoco>"
#define WORLD(body) MJCF("<worldbody>\n" body "</worldbody>\n")
/* a body of 1 kg that turns about y */
#define MASS "<inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/>"
#define ARM WORLD("<body name='b'><joint name='j' axis='0 1 0'/>" MASS "</body>\n")

/* Equal but for the rounding of what is read and computed. */
#define assert_close(found, expected) assert_near(found, expected, 1e-12 * fmax(1, fabs((double)(expected))))

/* The descriptions of text that must be right. */
static inline pk_builder *read_text(const char *text, const pk_load_options *options)
{
  pk_builder *b;
  pk_error err = {0};
  pk_builder_create(&b, NULL);
  if (pk_builder_add_mjcf_memory(b, text, strlen(text), "t.xml", options, &err) != PK_OK) {
    fail_msg("line %d: %s: %s", err.line, err.field, err.message);
  }
  return b;
}

static inline pk_model *load_text(const char *text)
{
  pk_builder *b = read_text(text, NULL);
  pk_model *model = NULL;
  pk_error err = {0};
  if (pk_builder_compile(b, &model, &err) != PK_OK) {
    fail_msg("line %d: %s: %s", err.line, err.field, err.message);
  }
  pk_builder_destroy(b);
  return model;
}

static inline const pk_joint_desc *joint_of(const pk_builder *b, const char *name)
{
  for (int i = 0; i < b->njoint; i++) {
    if (strcmp(b->joints[i].desc.name, name) == 0) {
      return &b->joints[i].desc;
    }
  }
  fail_msg("there is no joint %s", name);
  return NULL;
}

static inline const pk_link_desc *link_of(const pk_builder *b, const char *name)
{
  for (int i = 0; i < b->nlink; i++) {
    if (strcmp(b->links[i].desc.name, name) == 0) {
      return &b->links[i].desc;
    }
  }
  fail_msg("there is no link %s", name);
  return NULL;
}

/* Warnings of a kind. */
static inline int count_warnings(const pk_builder *b, const char *kind)
{
  int count, found = 0;
  const pk_builder_diagnostic *d = pk_builder_diagnostics(b, &count);
  for (int i = 0; i < count; i++) {
    found += !d[i].is_error && strcmp(d[i].kind, kind) == 0;
  }
  return found;
}

/* The text is refused at a line, with a message that has these words. */
static inline void assert_refused(const char *text, pk_status status, int line, const char *message)
{
  pk_builder *b;
  pk_error err = {0};
  pk_builder_create(&b, NULL);
  const pk_status found = pk_builder_add_mjcf_memory(b, text, strlen(text), "t.xml", NULL, &err);
  if (found != status || err.line != line || strstr(err.message, message) == NULL) {
    fail_msg("status %d, line %d: %s: %s", found, err.line, err.field, err.message);
  }
  assert_int_equal(b->nrobot, 0);
  assert_int_equal(b->nlink, 0);
  pk_builder_destroy(b);
}

#endif
