/* YAML into nodes: what is taken, what is refused, and overrides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenario/document.h"

static pki_document *parse(const char *text)
{
  pki_document *d = NULL;
  pk_error err = {.message = ""};
  const pk_status status = pki_document_parse("a.yaml", text, strlen(text), &d, &err);
  if (status != PK_OK) {
    fail_msg("%d: %s", err.line, err.message);
  }
  return d;
}

static void refuse(const char *text, int line, const char *message)
{
  pki_document *d = NULL;
  pk_error err = {.message = ""};
  assert_int_not_equal(pki_document_parse("a.yaml", text, strlen(text), &d, &err), PK_OK);
  assert_null(d);
  assert_string_equal(err.file, "a.yaml");
  assert_string_equal(err.message, message);
  assert_int_equal(err.line, line);
  assert_int_not_equal(pki_document_parse("a.yaml", text, strlen(text), &d, NULL), PK_OK);
}

static void nodes_keep_their_kind_place_and_path(void **state)
{
  (void)state;
  pki_document *d = parse("# a comment\na: 1\nb:\n  - {c: 'two', d: ~}\n  - [3, \"4\"]\n");
  const pki_node *root = pki_document_root(d), *b = pki_node_find(root, "b");
  assert_int_equal(root->kind, PKI_NODE_MAP);
  assert_int_equal(root->count, 2);
  assert_int_equal(pki_node_find(root, "a")->line, 2);
  assert_true(pki_node_find(root, "a")->plain);
  assert_int_equal(b->kind, PKI_NODE_LIST);
  const pki_node *c = pki_node_find(b->first, "c"), *four = b->first->next->last;
  assert_string_equal(c->text, "two");
  assert_false(c->plain);
  assert_true(pki_node_is_null(pki_node_find(b->first, "d")));
  assert_int_equal(four->line, 5);
  char path[64];
  pki_node_path(four, path, sizeof path);
  assert_string_equal(path, "b.1.1");
  pki_node_path(c, path, sizeof path);
  assert_string_equal(path, "b.0.c");
  pki_node_path(root, path, sizeof path);
  assert_string_equal(path, "");
  assert_null(pki_node_find(root, "z"));
  assert_null(pki_node_find(b, "z"));
  pki_document_destroy(d);
}

static void what_is_no_plain_yaml_is_refused_with_its_line(void **state)
{
  (void)state;
  static const char decorated[] =
      "anchors (&name), aliases (*name) and tags (!name) are not offered; write the value out, in quotes "
      "when it begins with such a sign";
  refuse("", 1, "there is nothing in it");
  refuse("# only words\n", 1, "there is nothing in it");
  refuse("a: 1\nb: 2\na: 3\n", 3, "the key \"a\" comes twice; first on line 1");
  refuse("a: 1\nb: &x 2\n", 2, decorated);
  refuse("a: 1\nb: *x\n", 2, decorated);
  refuse("a: 1\nb: !!str 2\n", 2, decorated);
  refuse("a: 1\nb: !mine {c: 2}\n", 2, decorated);
  refuse("a: 1\n---\nb: 2\n", 2, "a second document begins here; one is enough");
  refuse("a: 1\n[1]: 2\n", 2, "a key is a word");
  refuse("a: 1\n{b: 1}: 2\n", 2, "a key is a word");
  refuse("a: \"x\\0y\"\n", 1, "a text holds a zero byte");
  refuse("a: 1\nb: [1, 2\nc: 3\n", 3,
         "this is no YAML: while parsing a flow sequence, did not find expected ',' or ']'");
  refuse("a:\n\t- 1\n", 2,
         "this is no YAML: while scanning for the next token, found character that cannot start any token");
}

static void hostile_documents_end_in_an_error(void **state)
{
  (void)state;
  enum { DEEP = 100000, MANY = 5000 };
  char *text = malloc(DEEP + 64);
  assert_non_null(text);
  memset(text, '[', DEEP);
  text[DEEP] = '\0';
  refuse(text, 1, "nested too deeply");
  for (int i = 0; i < DEEP / 2; i++) {
    memcpy(text + 2 * (size_t)i, "- ", 3);
  }
  refuse(text, 1, "nested too deeply");
  free(text);
  /* one alias of one anchor is an error, so nothing can multiply */
  refuse("a: &a [x, x]\nb: &b [*a, *a]\n", 1,
         "anchors (&name), aliases (*name) and tags (!name) are not offered; write the value out, in quotes "
         "when it begins with such a sign");
  char *keys = malloc(MANY * 16);
  assert_non_null(keys);
  size_t used = 0;
  for (int i = 0; i < MANY; i++) {
    used += (size_t)sprintf(keys + used, "k%d: 1\n", i);
  }
  refuse(keys, PKI_YAML_KEYS + 1, "too many keys in one mapping");
  free(keys);
  const size_t size = (size_t)PKI_YAML_BYTES + 1;
  char *large = calloc(size, 1);
  pki_document *d = NULL;
  pk_error err;
  assert_int_equal(pki_document_parse("a.yaml", large, size, &d, &err), PK_ERROR_LIMIT);
  assert_string_equal(err.message, "larger than the limit of 16 MiB");
  free(large);
}

static const pki_node *at(const pki_document *d, const char *a, const char *b)
{
  const pki_node *node = pki_node_find(pki_document_root(d), a);
  assert_non_null(node);
  return b != NULL ? pki_node_find(node, b) : node;
}

static void overrides_replace_add_and_append(void **state)
{
  (void)state;
  pki_document *d = parse("step: {dt: 1, solver: jor}\nlist:\n  - {x: 1}\n");
  assert_int_equal(pki_document_set(d, "step.dt=1e-3", NULL), PK_OK);
  assert_int_equal(pki_document_set(d, "controller.name=hold", NULL), PK_OK);
  assert_int_equal(pki_document_set(d, "list.0.x=[1, 2, 3]", NULL), PK_OK);
  assert_int_equal(pki_document_set(d, "list.1={y: 'a=b'}", NULL), PK_OK);
  assert_int_equal(pki_document_set(d, "step.solver=", NULL), PK_OK);
  assert_string_equal(at(d, "step", "dt")->text, "1e-3");
  assert_int_equal(at(d, "step", "dt")->line, 0);
  assert_string_equal(at(d, "step", "dt")->file, "--set step.dt=1e-3");
  assert_string_equal(at(d, "controller", "name")->text, "hold");
  const pki_node *list = at(d, "list", NULL);
  assert_int_equal(list->count, 2);
  assert_int_equal(pki_node_find(list->first, "x")->count, 3);
  assert_string_equal(pki_node_find(list->last, "y")->text, "a=b");
  assert_true(pki_node_is_null(at(d, "step", "solver")));
  char path[64];
  pki_node_path(pki_node_find(list->first, "x")->last, path, sizeof path);
  assert_string_equal(path, "list.0.x.2");
  pki_document_destroy(d);
}

static void refuse_set(const char *assignment, const char *message)
{
  pki_document *d = parse("step: {dt: 1}\nlist: [1]\n");
  pk_error err = {.message = ""};
  assert_int_not_equal(pki_document_set(d, assignment, &err), PK_OK);
  assert_string_equal(err.message, message);
  assert_int_equal(strncmp(err.file, "--set ", 6), 0);
  assert_int_equal(err.line, 0);
  pki_document_destroy(d);
}

static void wrong_overrides_say_what_is_there(void **state)
{
  (void)state;
  static const char usage[] = "an override is a key and its value, as in step.dt=1e-3";
  refuse_set("step.dt", usage);
  refuse_set("=1", usage);
  refuse_set("", usage);
  refuse_set("step.dt.x=1", "there is no \"x\" in \"step.dt\", which is a value");
  refuse_set("list.2=1",
             "there is no \"2\" in \"list\", which is a list; its entries are 0, 1, ..., and + is one more");
  refuse_set("list.-1=1",
             "there is no \"-1\" in \"list\", which is a list; its entries are 0, 1, ..., and + is one more");
  refuse_set("step..dt=1", "there is no \"\" in \"step\", which is a mapping");
  refuse_set("step.dt=[1",
             "this is no YAML: while parsing a flow sequence, did not find expected ',' or ']'");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_keep_their_kind_place_and_path),
      cmocka_unit_test(what_is_no_plain_yaml_is_refused_with_its_line),
      cmocka_unit_test(hostile_documents_end_in_an_error),
      cmocka_unit_test(overrides_replace_add_and_append),
      cmocka_unit_test(wrong_overrides_say_what_is_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
