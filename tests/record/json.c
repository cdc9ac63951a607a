#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/json.h"
#include "support/bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pki_json begin(const char *text)
{
  return pki_json_begin(text, strlen(text));
}

static void members_and_items_are_found(void **state)
{
  (void)state;
  const pki_json root =
      begin(" { \"a\" : [1, [2, \"]}\"], {\"b\": -3.5e2} ] , \"n\":null,\"s\" : \"x\\\"y\" ,\"last\":7}");
  const pki_json list = pki_json_member(root, "a");
  pki_json item = {0};
  assert_true(pki_json_next(list, &item));
  assert_true(pki_json_real(item) == 1);
  assert_true(pki_json_next(list, &item));
  pki_json inner = {0};
  assert_true(pki_json_next(item, &inner));
  assert_true(pki_json_real(inner) == 2);
  assert_true(pki_json_next(item, &inner));
  assert_false(pki_json_next(item, &inner));
  assert_true(pki_json_next(list, &item));
  assert_true(pki_json_real(pki_json_member(item, "b")) == -350);
  assert_false(pki_json_next(list, &item));
  assert_true(isnan(pki_json_real(pki_json_member(root, "n"))));
  assert_true(pki_json_real(pki_json_member(root, "last")) == 7);
  char text[8];
  pki_json_text(pki_json_member(root, "s"), text, sizeof text);
  assert_string_equal(text, "x\\\"y");
  pki_json_text(pki_json_member(root, "s"), text, 3);
  assert_string_equal(text, "x\\");
}

static void what_is_missing_or_of_another_kind_is_nothing(void **state)
{
  (void)state;
  const pki_json root = begin("{\"a\":1,\"e\":[],\"o\":{}}");
  pki_json item = {0};
  char text[4] = "abc";
  assert_null(pki_json_member(root, "b").at);
  assert_null(pki_json_member(pki_json_member(root, "a"), "b").at);
  assert_null(pki_json_member(pki_json_member(root, "o"), "b").at);
  assert_false(pki_json_next(pki_json_member(root, "e"), &item));
  assert_false(pki_json_next(pki_json_member(root, "a"), &item));
  assert_false(pki_json_next(pki_json_member(root, "none"), &item));
  pki_json_text(pki_json_member(root, "a"), text, sizeof text);
  assert_string_equal(text, "");
}

/* Whatever is cut off or broken ends; sanitizers watch that nothing is read behind it. */
static void broken_text_ends(void **state)
{
  (void)state;
  static const char whole[] = "{\"a\":[1,{\"b\":\"x\\\\\"},[[[]]]],\"c\":{\"d\":\"\\\"\"},\"e\":-1e5}";
  for (size_t size = 0; size <= strlen(whole); size++) {
    char *copy = malloc(size + 1); /* one byte after it, for malloc(0) */
    assert_non_null(copy);
    memcpy(copy, whole, size);
    copy[size] = '"';
    const pki_json root = pki_json_begin(copy, size);
    pki_json item = {0};
    int count = 0;
    while (pki_json_next(pki_json_member(root, "a"), &item) && count < 10) {
      pki_json_real(pki_json_member(item, "b"));
      count++;
    }
    assert_at_most(count, 3);
    pki_json_real(pki_json_member(root, "e"));
    free(copy);
  }
  char deep[4000];
  memset(deep, '[', sizeof deep);
  deep[0] = '{', memcpy(deep + 1, "\"a\":", 4);
  assert_null(pki_json_member(pki_json_begin(deep, sizeof deep), "b").at);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(members_and_items_are_found),
      cmocka_unit_test(what_is_missing_or_of_another_kind_is_nothing),
      cmocka_unit_test(broken_text_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
