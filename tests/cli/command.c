/* The command as such: help, version, wrong words, exit statuses. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static const char *const commands[] = {"info",  "check",  "list", "solve",     "study",
                                       "bench", "schema", "man",  "completion"};

static void without_arguments_it_shows_the_commands_and_fails(void **state)
{
  (void)state;
  run_result r = run("");
  assert_int_equal(r.status, PKI_EXIT_USAGE);
  assert_string_equal(r.out, "");
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    assert_true(contains(r.err, commands[i]));
  }
  run_free(&r);
}

static void help_is_a_success_with_an_example(void **state)
{
  (void)state;
  static const char *const lines[] = {"--help", "-h", "help", "help help", "help --help"};
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    run_result r = run(lines[i]);
    assert_int_equal(r.status, 0);
    assert_true(contains(r.out, "Usage: pronk COMMAND"));
    assert_true(contains(r.out, "Example"));
    assert_string_equal(r.err, "");
    run_free(&r);
  }
}

static void every_command_has_help_with_an_example_and_json(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    char line[64], example[64];
    snprintf(line, sizeof line, "%s --help", commands[i]);
    snprintf(example, sizeof example, "pronk %s", commands[i]);
    run_result r = run(line);
    assert_int_equal(r.status, 0);
    assert_true(contains(r.out, "Example"));
    assert_true(contains(r.out, example));
    assert_true(contains(r.out, "--json"));
    run_free(&r);
    /* The same by the other way. */
    snprintf(line, sizeof line, "help %s", commands[i]);
    r = run(line);
    assert_int_equal(r.status, 0);
    assert_true(contains(r.out, example));
    run_free(&r);
  }
}

static void version_names_the_instruction_set_and_the_compiler(void **state)
{
  (void)state;
  run_result r = run("--version");
  assert_int_equal(r.status, 0);
  char start[64];
  snprintf(start, sizeof start, "pronk %s (", pk_version());
  assert_memory_equal(r.out, start, strlen(start));
  assert_true(strstr(r.out, "clang") != NULL || strstr(r.out, "gcc") != NULL);
  run_free(&r);
}

static void wrong_words_get_the_nearest_right_one(void **state)
{
  (void)state;
  static const struct {
    const char *line, *message;
  } cases[] = {
      {"inof pendulum", "pronk: unknown command 'inof'; did you mean 'info'?"},
      {"--verison", "unknown option '--verison'"},
      {"info pendulum --jsn", "pronk info: unknown option '--jsn'; did you mean '--json'?"},
      {"info pendulum --root fre",
       "pronk info: unknown root 'fre'; did you mean 'free'? (one of: auto, free, fixed"},
      {"check pendulum --rot=free", "pronk check: unknown option '--rot'; did you mean '--root'?"},
      {"list modles", "pronk list: unknown list 'modles'; did you mean 'models'?"},
      {"bench dynamic", "pronk bench: unknown bench 'dynamic'; did you mean 'dynamics'? (one of: dynamics, "
                        "contact, collision, record, batch, robots, feedback, optimize, scaling)"},
      {"bench --jsn", "pronk bench: unknown option '--jsn'; did you mean '--json'?"},
      {"study pendlum", "pronk study: unknown study 'pendlum'; did you mean 'pendulum'?"},
      {"info pendulm", "pronk info: pendulm: no such file, folder or model; did you mean 'pendulum'?"},
      {"info pendulum -x", "pronk info: unknown option '-x'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    run_result r = run(cases[i].line);
    assert_int_equal(r.status, PKI_EXIT_USAGE);
    assert_string_equal(r.out, "");
    assert_true(contains(r.err, cases[i].message));
    run_free(&r);
  }
}

static void wrong_usage_says_what_is_missing(void **state)
{
  (void)state;
  static const struct {
    const char *line, *message;
  } cases[] = {
      {"info", "name a model"},
      {"info pendulum double_pendulum", "one model, recording or motor at a time"},
      {"info pendulum --root", "option '--root' needs a value: KIND"},
      {"info pendulum --json=yes", "option '--json' takes no value"},
      {"check", "name a model"},
      {"list models steppers", "one list at a time"},
      {"study", "name one study"},
      {"bench foo", "pronk bench: unknown bench 'foo' (one of: dynamics, contact, collision, record, batch, "
                    "robots, feedback, optimize, scaling)"},
      {"bench dynamics extra", "pronk bench: one bench at a time"},
      {"bench batch --report", "pronk bench: --report needs a folder"},
      {"bench dynamics --report out", "pronk bench: dynamics has no report (batch and scaling have)"},
      {"info chain:0", "a chain has 1 to 11584 links"},
      {"info chain:11579 --root free", "a chain has 1 to 11578 links"},
      {"info chain:many", "a chain has 1 to"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    run_result r = run(cases[i].line);
    assert_int_equal(r.status, PKI_EXIT_USAGE);
    assert_true(contains(r.err, cases[i].message));
    run_free(&r);
  }
}

static void an_instruction_set_that_is_not_there_is_wrong_usage(void **state)
{
  (void)state;
  setenv("PRONK_ISA", "foo", 1);
  run_result r = run("list models");
  assert_int_equal(r.status, PKI_EXIT_USAGE);
  assert_string_equal(r.out, "");
  assert_true(contains(r.err, "PRONK_ISA is 'foo', but this machine has: base"));
  run_free(&r);
  /* What helps to find out is never refused. */
  static const char *const lines[] = {"--help",       "help check", "info --help",
                                      "bench --help", "--version",  "list isas"};
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    r = run(lines[i]);
    assert_int_equal(r.status, PKI_EXIT_OK);
    assert_string_equal(r.err, "");
    run_free(&r);
  }
  r = run("bench dynamics --quick");
  assert_int_equal(r.status, PKI_EXIT_USAGE);
  run_free(&r);
  setenv("PRONK_ISA", "base", 1);
  r = run("--version");
  assert_int_equal(r.status, PKI_EXIT_OK);
  assert_true(contains(r.out, "(base, "));
  run_free(&r);
  setenv("PRONK_ISA", "", 1); /* empty is not set */
  r = run("--version");
  assert_int_equal(r.status, PKI_EXIT_OK);
  run_free(&r);
  unsetenv("PRONK_ISA");
}

static void output_that_cannot_be_written_is_a_failure(void **state)
{
  (void)state;
  run_result r = run("list commands > /dev/full");
  assert_int_equal(r.status, PKI_EXIT_FAILURE);
  assert_true(contains(r.err, "could not be written"));
  run_free(&r);
}

static void a_report_that_cannot_be_written_is_a_failure(void **state)
{
  (void)state;
  write_file("in_the_way", "a file");
  run_result r = run("study pendulum --quick -o in_the_way");
  assert_int_equal(r.status, PKI_EXIT_FAILURE);
  assert_true(contains(r.err, "in_the_way"));
  run_free(&r);
  remove("in_the_way");
}

static void no_colour_and_no_progress_in_a_pipe(void **state)
{
  (void)state;
  run_result r = run("info starleth");
  assert_int_equal(r.status, 0);
  assert_null(strchr(r.out, '\033'));
  assert_string_equal(r.err, "");
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_arguments_it_shows_the_commands_and_fails),
      cmocka_unit_test(help_is_a_success_with_an_example),
      cmocka_unit_test(every_command_has_help_with_an_example_and_json),
      cmocka_unit_test(version_names_the_instruction_set_and_the_compiler),
      cmocka_unit_test(wrong_words_get_the_nearest_right_one),
      cmocka_unit_test(wrong_usage_says_what_is_missing),
      cmocka_unit_test(an_instruction_set_that_is_not_there_is_wrong_usage),
      cmocka_unit_test(output_that_cannot_be_written_is_a_failure),
      cmocka_unit_test(a_report_that_cannot_be_written_is_a_failure),
      cmocka_unit_test(no_colour_and_no_progress_in_a_pipe),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
