/* What compiling says about the world of build_help.h after an edit: exact status, place and message. */
#ifndef PK_TESTS_EXPECT_HELP_H
#define PK_TESTS_EXPECT_HELP_H

#include "model/build_help.h"
#include "support/bounds.h"

/* Compiling fails with this error, and says so in the diagnostics too. */
static inline void expect_error(const world *w, pk_status status, int line, const char *field,
                                const char *message)
{
  pk_builder *b = describe(w);
  pk_model *model = (pk_model *)b; /* anything but NULL */
  pk_error err = {.message = ""};
  const pk_status found = pk_builder_compile(b, &model, &err);
  assert_string_equal(err.message, message);
  assert_string_equal(err.field, field);
  assert_int_equal(err.line, line);
  assert_string_equal(err.file, line > 0 ? "r.urdf" : err.file);
  assert_int_equal(found, status);
  assert_int_equal(err.status, status);
  assert_null(model);
  int count, errors = 0;
  const pk_builder_diagnostic *all = pk_builder_diagnostics(b, &count);
  for (int i = 0; i < count; i++) {
    errors += all[i].is_error;
    assert_true(!all[i].is_error || errors > 1 || strcmp(all[i].error.message, message) == 0);
  }
  assert_greater(errors, 0);
  assert_int_equal(pk_builder_compile(b, &model, NULL), status); /* nobody has to listen */
  pk_builder_destroy(b);
}

/* Compiling succeeds, with exactly this warning. */
static inline void expect_warning(const world *w, int line, const char *field, const char *message)
{
  pk_builder *b = describe(w);
  pk_model *model = NULL;
  assert_int_equal(pk_builder_compile(b, &model, NULL), PK_OK);
  int count;
  const pk_builder_diagnostic *all = pk_builder_diagnostics(b, &count);
  assert_int_equal(count, 1);
  assert_false(all[0].is_error);
  assert_string_equal(all[0].error.message, message);
  assert_string_equal(all[0].error.field, field);
  assert_int_equal(all[0].error.line, line);
  pk_model_destroy(model);
  pk_builder_destroy(b);
}

/* Compiling succeeds without a remark. */
static inline void expect_silence(const world *w)
{
  pk_builder *b = describe(w);
  pk_model *model = NULL;
  assert_int_equal(pk_builder_compile(b, &model, NULL), PK_OK);
  int count;
  pk_builder_diagnostics(b, &count);
  assert_int_equal(count, 0);
  pk_model_destroy(model);
  pk_builder_destroy(b);
}

/* A test that edits the world of build_help.h (robot p, joints j and k, links a, b, c) and looks
 * at what compiling says. */
#define EDITED(name, expectation, ...) \
  static void name(void **state) \
  { \
    (void)state; \
    world w = one_robot(); \
    part *p = &w.parts[0]; \
    pk_joint_desc *j = &p->joints[0], *k = &p->joints[1]; \
    pk_inertia *b = &p->links[1].inertia, *c = &p->links[2].inertia; \
    (void)j, (void)k, (void)b, (void)c; \
    __VA_ARGS__; \
    expectation; \
  }
#define WRONG(name, line, field, message, ...) \
  EDITED(name, expect_error(&w, PK_ERROR_MODEL, line, field, message), __VA_ARGS__)
#define WRONG_NAME(name, line, field, message, ...) \
  EDITED(name, expect_error(&w, PK_ERROR_NAME, line, field, message), __VA_ARGS__)
#define WRONG_MASS(name, line, field, message, ...) \
  EDITED(name, expect_error(&w, PK_ERROR_MASS, line, field, message), __VA_ARGS__)
#define DOUBTFUL(name, line, field, message, ...) \
  EDITED(name, expect_warning(&w, line, field, message), __VA_ARGS__)
#define RIGHT(name, ...) EDITED(name, expect_silence(&w), __VA_ARGS__)

#endif
