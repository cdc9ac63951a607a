/* Options of generated code, and the names that stand in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "pronk/pronk.h"
#include "support/bounds.h"
#include "symbolic/code/codegen.h"

static void expect_refused(const pk_codegen_options *o, const char *field, const char *part)
{
  pk_error err = {.message = ""};
  assert_int_equal(pk_codegen_options_validate(o, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, field);
  if (strstr(err.message, part) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", err.message, part);
  }
}

static void options_out_of_range_are_named(void **state)
{
  (void)state;
  pk_codegen_options o = pk_codegen_options_default();
  assert_int_equal(pk_codegen_options_validate(&o, NULL), PK_OK);
  o.states = 0;
  expect_refused(&o, "states", "0");
  o.states = 65;
  expect_refused(&o, "states", "65");
  o.states = 64;
  static const char *const names[] = {"2robots", "_robot", "a-b", "a b", "\xc3\xa4"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    snprintf(o.name, sizeof o.name, "%s", names[i]);
    expect_refused(&o, "name", "cannot begin the name of a C function");
  }
  memset(o.name, 'a', sizeof o.name); /* without an end */
  expect_refused(&o, "name", "48");
  snprintf(o.name, sizeof o.name, "Robot_2");
  assert_int_equal(pk_codegen_options_validate(&o, NULL), PK_OK);
  snprintf(o.parameters, sizeof o.parameters, "gravity, inertias");
  expect_refused(&o, "parameters", "did you mean \"inertia\"?");
}

static void every_byte_of_a_name_becomes_a_plain_one(void **state)
{
  (void)state;
  char name[256], out[PKI_CODEGEN_NAME];
  for (int c = 1; c < 256; c++) {
    name[c - 1] = (char)c;
  }
  name[255] = '\0';
  for (int first = 0; first < 255; first += 100) {
    pki_codegen_plain(name + first, out);
    for (const char *s = out; *s != '\0'; s++) {
      assert_at_least(*s, ' ');
      assert_at_most(*s, '~');
      assert_true(strchr("*\\\"'`$#<>[]{}?!&|;%@=~^", *s) == NULL);
    }
  }
  assert_string_equal(pki_codegen_plain("left/hip_1.x (2)", out), "left/hip_1.x (2)");
  assert_string_equal(pki_codegen_plain("*/ x /*\n", out), "_/ x /__");
  assert_int_equal(strlen(pki_codegen_plain(name + 30, out)), PKI_CODEGEN_NAME - 1);
}

/* A pendulum with so many balls. */
static pk_model *with_balls(int count)
{
  pki_text urdf = {0};
  pki_text_add(&urdf, "<robot name='balls'><link name='base'/><link name='arm'><inertial><mass value='1'/>"
                      "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>");
  for (int i = 0; i < count; i++) {
    pki_text_addf(
        &urdf, "<collision><origin xyz='%d 0 0'/><geometry><sphere radius='0.1'/></geometry></collision>", i);
  }
  pki_text_add(&urdf, "</link><joint name='j' type='continuous'><parent link='base'/><child link='arm'/>"
                      "<axis xyz='0 1 0'/></joint></robot>");
  pk_model *model = NULL;
  pk_error err = {.message = ""};
  pk_builder *b;
  pk_builder_create(&b, NULL);
  if (pk_builder_add_urdf_memory(b, urdf.data, urdf.size, "balls.urdf", NULL, &err) != PK_OK ||
      pk_builder_compile(b, &model, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  pki_text_free(&urdf);
  return model;
}

static void every_contact_point_is_listed(void **state)
{
  (void)state;
  pk_model *model = with_balls(300);
  pki_codegen *c = calloc(1, sizeof *c);
  pki_text text = {0};
  c->m = model;
  strcpy(c->name, "balls"), strcpy(c->capitals, "BALLS"), strcpy(c->robot, "balls");
  pki_codegen_header(c, &text);
  assert_false(text.failed);
  assert_non_null(strstr(text.data, " *   0  arm at 0 0 0\n"));
  assert_non_null(strstr(text.data, " *   299  arm at 299 0 0\n"));
  pki_text_free(&text);
  free(c);
  pk_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_out_of_range_are_named),
      cmocka_unit_test(every_byte_of_a_name_becomes_a_plain_one),
      cmocka_unit_test(every_contact_point_is_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
