/* What clients may say, and what they are told when they say something else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "serve/message.h"

static pk_status parse(const char *text, pki_message *out, pk_error *err)
{
  memset(out, 0xa5, sizeof *out);
  *err = (pk_error){0};
  return pki_message_parse(text, strlen(text), out, err);
}

static pki_message good(const char *text, pki_message_kind kind)
{
  pki_message m;
  pk_error err;
  if (parse(text, &m, &err) != PK_OK) {
    fail_msg("%s: %s", text, err.message);
  }
  assert_int_equal(m.kind, kind);
  return m;
}

static void every_kind_of_message_is_read(void **state)
{
  (void)state;
  good("{\"type\":\"play\"}", PKI_MESSAGE_PLAY);
  good(" {\"type\" : \"pause\"} \n", PKI_MESSAGE_PAUSE);
  good("{\"type\":\"reset\",\"later\":[1,{}]}", PKI_MESSAGE_RESET);
  assert_int_equal(good("{\"type\":\"step\"}", PKI_MESSAGE_STEP).count, 1);
  assert_int_equal(good("{\"type\":\"step\",\"count\":-1}", PKI_MESSAGE_STEP).count, -1);
  assert_true(good("{\"type\":\"speed\",\"value\":0.5}", PKI_MESSAGE_SPEED).number == 0.5);
  assert_true(good("{\"type\":\"seek\",\"time\":1.25}", PKI_MESSAGE_SEEK).number == 1.25);
  assert_true(good("{\"type\":\"frame\",\"time\":-2}", PKI_MESSAGE_FRAME).number == -2);
  const pki_message push =
      good("{\"type\":\"push\",\"body\":3,\"point\":[0,0.5,1],\"force\":[10,0,-2]}", PKI_MESSAGE_PUSH);
  assert_int_equal(push.body, 3);
  assert_true(push.point[1] == 0.5 && push.force[0] == 10 && push.force[2] == -2);
  assert_int_equal(good("{\"type\":\"push\",\"body\":-1}", PKI_MESSAGE_PUSH).body, -1);
  const pki_message set =
      good("{\"type\":\"set\",\"key\":\"controller.forward\",\"value\":\"0.5\"}", PKI_MESSAGE_SET);
  assert_string_equal(set.key, "controller.forward");
  assert_string_equal(set.text, "0.5");
  assert_string_equal(good("{\"type\":\"set\",\"key\":\"a\",\"value\":0.25}", PKI_MESSAGE_SET).text, "0.25");
  const pki_message values =
      good("{\"type\":\"subscribe\",\"values\":[[\"joints/force\",2],[\"com\",0]]}", PKI_MESSAGE_SUBSCRIBE);
  assert_int_equal(values.nvalue, 2);
  assert_string_equal(values.values[0].channel, "joints/force");
  assert_int_equal(values.values[0].column, 2);
  assert_int_equal(good("{\"type\":\"subscribe\",\"values\":[]}", PKI_MESSAGE_SUBSCRIBE).nvalue, 0);
  assert_int_equal(
      good("{\"type\":\"series\",\"channel\":\"com\",\"column\":1}", PKI_MESSAGE_SERIES).values[0].column, 1);
}

static void everything_else_is_refused_with_a_word_about_it(void **state)
{
  (void)state;
  static const char *const table[][2] = {
      {"", "no JSON"},
      {"{", "no JSON"},
      {"{\"type\":\"play\"}x", "no JSON"},
      {"{\"type\":\"play\"}{\"type\":\"play\"}", "no JSON"},
      {"null", "an object with a \"type\""},
      {"[]", "an object with a \"type\""},
      {"\"play\"", "an object with a \"type\""},
      {"{}", "an object with a \"type\""},
      {"{\"type\":1}", "an object with a \"type\""},
      {"{\"type\":\"plya\"}", "unknown type 'plya'; did you mean 'play'?"},
      {"{\"type\":\"shutdown the machine\"}", "unknown type 'shutdown the machine'"},
      {"{\"type\":\"step\",\"count\":0}", "expected a whole number"},
      {"{\"type\":\"step\",\"count\":1.5}", "expected a whole number"},
      {"{\"type\":\"step\",\"count\":10001}", "expected a whole number"},
      {"{\"type\":\"step\",\"count\":\"1\"}", "expected a whole number"},
      {"{\"type\":\"speed\"}", "expected a number from 0"},
      {"{\"type\":\"speed\",\"value\":-1}", "expected a number from 0"},
      {"{\"type\":\"speed\",\"value\":1e999}", "expected a number from 0"},
      {"{\"type\":\"speed\",\"value\":null}", "expected a number from 0"},
      {"{\"type\":\"speed\",\"value\":NaN}", "no JSON"},
      {"{\"type\":\"seek\"}", "expected a number, s"},
      {"{\"type\":\"seek\",\"time\":1e300}", "expected a number, s"},
      {"{\"type\":\"push\"}", "the number of a body"},
      {"{\"type\":\"push\",\"body\":-2}", "the number of a body"},
      {"{\"type\":\"push\",\"body\":1e10}", "the number of a body"},
      {"{\"type\":\"push\",\"body\":0,\"point\":[0,0],\"force\":[0,0,0]}", "three numbers, m"},
      {"{\"type\":\"push\",\"body\":0,\"point\":[0,0,\"1\"],\"force\":[0,0,0]}", "three numbers, m"},
      {"{\"type\":\"push\",\"body\":0,\"point\":[0,0,0],\"force\":[0,0,1e7]}", "three numbers, N"},
      {"{\"type\":\"push\",\"body\":0,\"point\":[0,0,0]}", "three numbers, N"},
      {"{\"type\":\"set\",\"value\":\"1\"}", "the key of a parameter"},
      {"{\"type\":\"set\",\"key\":\"\",\"value\":\"1\"}", "the key of a parameter"},
      {"{\"type\":\"set\",\"key\":\"a\\nb\",\"value\":\"1\"}", "the key of a parameter"},
      {"{\"type\":\"set\",\"key\":\"a\"}", "a number or its text"},
      {"{\"type\":\"set\",\"key\":\"a\",\"value\":[1]}", "a number or its text"},
      {"{\"type\":\"set\",\"key\":\"a\",\"value\":1e999}", "a number or its text"},
      {"{\"type\":\"subscribe\"}", "a list of [channel, column]"},
      {"{\"type\":\"subscribe\",\"values\":[[\"com\"]]}", "a list of [channel, column]"},
      {"{\"type\":\"subscribe\",\"values\":[[\"com\",-1]]}", "a list of [channel, column]"},
      {"{\"type\":\"subscribe\",\"values\":[{\"com\":1,\"x\":2}]}", "a list of [channel, column]"},
      {"{\"type\":\"series\",\"channel\":\"com\"}", "\"channel\", a name"},
      {"{\"type\":\"series\",\"column\":0}", "\"channel\", a name"},
      {"{\"type\":\"frame\"}", "expected a number, s"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    pki_message m;
    pk_error err;
    if (parse(table[i][0], &m, &err) == PK_OK || strstr(err.message, table[i][1]) == NULL) {
      fail_msg("%s: '%s' is not in '%s'", table[i][0], table[i][1], err.message);
    }
  }
}

static void long_messages_and_many_values_are_refused(void **state)
{
  (void)state;
  static char text[2 * PKI_MESSAGE_BYTES];
  pki_message m;
  pk_error err;
  memset(text, ' ', sizeof text);
  memcpy(text, "{\"type\":\"play\"}", 15);
  assert_int_equal(pki_message_parse(text, PKI_MESSAGE_BYTES, &m, &err), PK_OK);
  assert_int_equal(pki_message_parse(text, PKI_MESSAGE_BYTES + 1, &m, &err), PK_ERROR_LIMIT);
  int n = snprintf(text, sizeof text, "{\"type\":\"subscribe\",\"values\":[");
  for (int i = 0; i < PKI_MESSAGE_VALUES; i++) {
    n += snprintf(text + n, sizeof text - (size_t)n, "%s[\"com\",0]", i > 0 ? "," : "");
  }
  snprintf(text + n, sizeof text - (size_t)n, "]}");
  assert_int_equal(parse(text, &m, &err), PK_OK);
  snprintf(text + n, sizeof text - (size_t)n, ",[\"com\",0]]}");
  assert_int_equal(parse(text, &m, &err), PK_ERROR_LIMIT);
  /* a word that does not fit is no word */
  n = snprintf(text, sizeof text, "{\"type\":\"series\",\"column\":0,\"channel\":\"");
  memset(text + n, 'a', 300);
  snprintf(text + n + 300, sizeof text - (size_t)n - 300, "\"}");
  assert_int_equal(parse(text, &m, &err), PK_ERROR_ARGUMENT);
}

static void messages_that_only_look_change_nothing(void **state)
{
  (void)state;
  for (int i = 0; i < PKI_MESSAGE_COUNT; i++) {
    const bool looks = i == PKI_MESSAGE_SUBSCRIBE || i == PKI_MESSAGE_SERIES || i == PKI_MESSAGE_FRAME;
    assert_int_equal(pki_message_changes((pki_message_kind)i), !looks);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_of_message_is_read),
      cmocka_unit_test(everything_else_is_refused_with_a_word_about_it),
      cmocka_unit_test(long_messages_and_many_values_are_refused),
      cmocka_unit_test(messages_that_only_look_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
