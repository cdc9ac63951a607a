/* Files made to hurt: an error, or a load, in bounded time and memory (the test's timeout). */
#include <stdlib.h>

#include "model/urdf_help.h"
#include "support/bounds.h"

/* Text that grows. */
typedef struct buffer {
  char *text;
  size_t used, room;
} buffer;

static void add(buffer *b, const char *text)
{
  const size_t length = strlen(text);
  while (b->used + length + 1 > b->room) {
    b->room = b->room ? 2 * b->room : 1 << 16;
    b->text = realloc(b->text, b->room);
    assert_non_null(b->text);
  }
  memcpy(b->text + b->used, text, length + 1);
  b->used += length;
}

static void add_many(buffer *b, int count, const char *text)
{
  for (int i = 0; i < count; i++) {
    add(b, text);
  }
}

/* `count` times a number between two texts. */
static void add_numbered(buffer *b, int count, const char *before, const char *after)
{
  char number[16];
  for (int i = 0; i < count; i++) {
    snprintf(number, sizeof number, "%d", i);
    add(b, before), add(b, number), add(b, after);
  }
}

static void assert_fails(const char *text, size_t size, pk_status status, int line, const char *message)
{
  const pk_load_options options = no_meshes();
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err = {0};
  const pk_status found = pk_builder_add_urdf_memory(b, text, size, "t.urdf", &options, &err);
  if (found != status || err.line != line || strstr(err.message, message) == NULL) {
    fail_msg("status %d, line %d: %s", found, err.line, err.message);
  }
  pk_builder_destroy(b);
}

static void assert_buffer_fails(buffer *b, pk_status status, const char *message)
{
  assert_fails(b->text, b->used, status, 1, message);
  free(b->text);
}

static void entities_are_never_expanded(void **state)
{
  (void)state;
  const char *laughs =
      "<?xml version='1.0'?>\n<!DOCTYPE r [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>"
      "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'>]>\n<robot name='&c;'/>";
  assert_fails(laughs, strlen(laughs), PK_ERROR_UNSUPPORTED, 2, "there is a document type");
  const char *outside = "<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><robot name='&x;'/>";
  assert_fails(outside, strlen(outside), PK_ERROR_UNSUPPORTED, 1, "there is a document type");
  const char *plain = "<!DOCTYPE robot SYSTEM 'http://example.org/robot.dtd'><robot name='r'/>";
  assert_fails(plain, strlen(plain), PK_ERROR_UNSUPPORTED, 1, "there is a document type");
  const char *unknown = "<robot name='&x;'/>";
  assert_fails(unknown, strlen(unknown), PK_ERROR_SYNTAX, 1, "Entity 'x' not defined");
}

static void other_encodings_and_binary_files_are_refused(void **state)
{
  (void)state;
  assert_fails("\xff\xfe<\0r\0", 6, PK_ERROR_UNSUPPORTED, 1, "this is UTF-16 text");
  assert_fails("\xfe\xff\0<\0r", 6, PK_ERROR_UNSUPPORTED, 1, "this is UTF-16 text");
  assert_fails("<\0r\0o\0b\0o\0t\0 /\0>\0", 17, PK_ERROR_SYNTAX, 1, "NUL bytes: this is not a text file");
}

/* Bytes that are no UTF-8 become Latin-1 one by one: overlong forms, surrogates, characters that are cut short. */
static void bytes_that_are_not_utf8_never_reach_the_parser(void **state)
{
  (void)state;
  static const char *const names[][2] = {{"\xe9", "\xc3\xa9"},
                                         {"\xc0\xaf", "\xc3\x80\xc2\xaf"},
                                         {"\xed\xa0\x80", "\xc3\xad\xc2\xa0\xc2\x80"},
                                         {"\xe2\x82", "\xc3\xa2\xc2\x82"},
                                         {"\xff\xe2\x82\xac", "\xc3\xbf\xe2\x82\xac"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[256];
    snprintf(text, sizeof text, "<robot name='%s'>" LINK("a") "</robot>", names[i][0]);
    pk_model *m = load_text(text);
    assert_string_equal(m->robots[0].name, names[i][1]);
    pk_model_destroy(m);
  }
}

/* Each declaration is looked for in linear time; beyond a few they are the parser's. */
static void a_million_declarations_are_refused(void **state)
{
  (void)state;
  buffer b = {0};
  add_many(&b, 1000000, "<?xml version='0'?>");
  add(&b, "<robot name='r'/>");
  assert_buffer_fails(&b, PK_ERROR_SYNTAX, "not well-formed XML");
}

/* A document type that says nothing is skipped, one that could say something is not. */
static void only_an_empty_document_type_is_skipped(void **state)
{
  (void)state;
  static const char *const types[] = {"<!DOCTYPE robot []>", "<!DOCTYPE robot SYSTEM 'a.dtd'>",
                                      "<!DOCTYPE robot PUBLIC 'a' 'b'>", "<!DOCTYPE robot x y>"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    char text[128];
    snprintf(text, sizeof text, "%s<robot name='r'/>", types[i]);
    assert_fails(text, strlen(text), PK_ERROR_UNSUPPORTED, 1, "there is a document type");
  }
}

static void an_empty_file_is_refused(void **state)
{
  (void)state;
  assert_fails("", 0, PK_ERROR_SYNTAX, 0, "the file is empty");
  assert_fails(" \n", 2, PK_ERROR_SYNTAX, 2, "not well-formed XML");
}

static void a_file_beyond_the_limit_is_refused(void **state)
{
  (void)state;
  const size_t size = (64u << 20) + 1;
  char *text = malloc(size);
  assert_non_null(text);
  memset(text, ' ', size);
  assert_fails(text, size, PK_ERROR_LIMIT, 0, "the file is larger than 64 MiB");
  free(text);
}

static void a_million_nested_links_are_refused(void **state)
{
  (void)state;
  buffer b = {0};
  add(&b, "<robot name='r'>");
  add_many(&b, 1000000, "<link name='a'>");
  assert_buffer_fails(&b, PK_ERROR_LIMIT, "elements are nested more than 64 deep");
}

static void many_links_side_by_side_are_fine(void **state)
{
  (void)state;
  enum { COUNT = 100000 };
  buffer b = {0};
  add(&b, "<robot name='r'>");
  add_numbered(&b, COUNT, "<link name='l", "'/>");
  add_numbered(&b, COUNT - 1, "<material name='m", "'><color rgba='1 1 1 1'/></material>");
  add(&b, "</robot>");
  const pk_load_options options = no_meshes();
  pk_builder *builder;
  pk_builder_create(&builder, NULL);
  assert_int_equal(pk_builder_add_urdf_memory(builder, b.text, b.used, "t.urdf", &options, NULL), PK_OK);
  pk_builder_destroy(builder);
  free(b.text);
}

static void too_many_elements_are_refused(void **state)
{
  (void)state;
  buffer b = {0};
  add(&b, "<robot name='r'>");
  add_many(&b, 2000000, "<a/>");
  assert_buffer_fails(&b, PK_ERROR_LIMIT, "more than 2000000 elements");
}

static void too_many_attributes_of_one_element_are_refused(void **state)
{
  (void)state;
  buffer b = {0};
  add(&b, "<robot name='r'");
  add_numbered(&b, 300, " a", "=''");
  add(&b, "/>");
  assert_buffer_fails(&b, PK_ERROR_LIMIT, "more than 256 attributes");
}

static void too_many_different_names_are_refused(void **state)
{
  (void)state;
  buffer elements = {0}, instructions = {0}, spaces = {0}, ids = {0};
  add(&elements, "<robot name='r'>");
  add_numbered(&elements, 5000, "<e", "/>");
  assert_buffer_fails(&elements, PK_ERROR_LIMIT, "too many different names");
  add(&instructions, "<robot name='r'>");
  add_numbered(&instructions, 5000, "<?e", " x?>");
  assert_buffer_fails(&instructions, PK_ERROR_LIMIT, "too many different names");
  add(&spaces, "<robot name='r'>");
  add_many(&spaces, 2000, "<a xmlns:n='u'/>");
  assert_buffer_fails(&spaces, PK_ERROR_LIMIT, "name spaces");
  add(&ids, "<robot name='r'>");
  add_numbered(&ids, 2000, "<a xml:id='i", "'/>");
  assert_buffer_fails(&ids, PK_ERROR_LIMIT, "name spaces");
}

static void a_huge_attribute_is_refused(void **state)
{
  (void)state;
  buffer b = {0};
  add(&b, "<robot name='");
  add_many(&b, 10000, "aaaaaaaaaaaaaaaa");
  add(&b, "'/>");
  assert_buffer_fails(&b, PK_ERROR_LIMIT, "a tag is longer than 64 KiB");
}

static void more_errors_than_are_kept_still_give_the_first(void **state)
{
  (void)state;
  buffer b = {0};
  add(&b, "<robot name='r'>");
  add_many(&b, 100000, "<link/>");
  add(&b, "</robot>");
  assert_buffer_fails(&b, PK_ERROR_SYNTAX, "<link> needs the attribute \"name\"");
}

static void warnings_do_not_crowd_out_errors(void **state)
{
  (void)state;
  buffer b = {0};
  add(&b, "<robot name='r'><link name='a'>");
  add_many(&b, 500, "<visual><geometry><sphere radius='0'/></geometry></visual>");
  add(&b, "</link><link/></robot>");
  const pk_load_options options = no_meshes();
  pk_builder *builder;
  pk_builder_create(&builder, NULL);
  int count = 0;
  assert_int_equal(pk_builder_add_urdf_memory(builder, b.text, b.used, "t.urdf", &options, NULL),
                   PK_ERROR_SYNTAX);
  const pk_builder_diagnostic *d = pk_builder_diagnostics(builder, &count);
  assert_greater(count, 0);
  assert_true(d[count - 1].is_error);
  pk_builder_destroy(builder);
  free(b.text);
}

static void long_words_are_clipped_in_messages(void **state)
{
  (void)state;
  buffer b = {0};
  add(&b, "<robot name='r'><link name='");
  add_many(&b, 1000, "\xc3\xa9");
  add(&b, "'><inertial><mass value='");
  add_many(&b, 1000, "\xc3\xa9");
  add(&b, "'/></inertial></link></robot>");
  assert_buffer_fails(&b, PK_ERROR_SYNTAX, "\xc3\xa9...\" is not a number");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entities_are_never_expanded),
      cmocka_unit_test(other_encodings_and_binary_files_are_refused),
      cmocka_unit_test(bytes_that_are_not_utf8_never_reach_the_parser),
      cmocka_unit_test(a_million_declarations_are_refused),
      cmocka_unit_test(only_an_empty_document_type_is_skipped),
      cmocka_unit_test(an_empty_file_is_refused),
      cmocka_unit_test(a_file_beyond_the_limit_is_refused),
      cmocka_unit_test(a_million_nested_links_are_refused),
      cmocka_unit_test(many_links_side_by_side_are_fine),
      cmocka_unit_test(too_many_elements_are_refused),
      cmocka_unit_test(too_many_attributes_of_one_element_are_refused),
      cmocka_unit_test(too_many_different_names_are_refused),
      cmocka_unit_test(a_huge_attribute_is_refused),
      cmocka_unit_test(more_errors_than_are_kept_still_give_the_first),
      cmocka_unit_test(warnings_do_not_crowd_out_errors),
      cmocka_unit_test(long_words_are_clipped_in_messages),
  };
  return cmocka_run_group_tests_name("a hostile URDF", tests, NULL, NULL);
}
