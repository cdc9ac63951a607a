/* What the command tells of itself: the manual page and the completion of shells. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run.h"
#include "support/bounds.h"

static bool has_program(const char *name)
{
  char line[128], out[256];
  snprintf(line, sizeof line, "command -v %s 2>/dev/null", name);
  return shell(line, out, sizeof out) == 0;
}

/* Names of a list. */
static void each_name(const char *list, void (*use)(const char *name, const char *text), const char *text)
{
  char line[64];
  snprintf(line, sizeof line, "list %s --names", list);
  run_result r = run(line);
  assert_int_equal(r.status, 0);
  int count = 0;
  for (char *name = strtok(r.out, "\n"); name != NULL; name = strtok(NULL, "\n")) {
    use(name, text);
    count++;
  }
  assert_greater(count, 5);
  run_free(&r);
}

static void expect_section(const char *name, const char *page)
{
  char section[80];
  snprintf(section, sizeof section, "\n.SS \"pronk %s ", name);
  if (!contains(page, section)) {
    fail_msg("the manual page has no section of %s", name);
  }
}

static void the_manual_page_has_every_command(void **state)
{
  (void)state;
  run_result r = run("man");
  assert_int_equal(r.status, 0);
  each_name("commands", expect_section, r.out);
  static const char *const parts[] = {"\\-\\-set",    "PRONK_ISA",      "PRONK_MODELS", "PRONK_SCENARIOS",
                                      "PRONK_VIEWER", "PRONK_CHROMIUM", "NO_COLOR",     ".SH \"EXIT STATUS\"",
                                      ".SH FILES",    ".SH ENVIRONMENT"};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    assert_true(contains(r.out, parts[i]));
  }
  run_free(&r);
}

static void the_manual_page_is_sound_troff(void **state)
{
  (void)state;
  if (!has_program("groff")) {
    print_message("groff is not there\n");
    skip();
  }
  char out[4096];
  const char *line = "'" PK_BUILD_DIR "/pronk' man | groff -ww -man -Tascii 2>&1 >/dev/null";
  assert_int_equal(shell(line, out, sizeof out), 0);
  assert_string_equal(out, "");
}

static void expect_word(const char *name, const char *script)
{
  char word[80];
  snprintf(word, sizeof word, "%s", name);
  assert_true(contains(script, word));
}

static void every_shell_gets_a_script_with_every_command(void **state)
{
  (void)state;
  static const char *const shells[] = {"bash", "zsh", "fish"};
  for (size_t i = 0; i < 3; i++) {
    char line[64];
    snprintf(line, sizeof line, "completion %s", shells[i]);
    run_result r = run(line);
    assert_int_equal(r.status, 0);
    each_name("commands", expect_word, r.out);
    run_free(&r);
    if (has_program(shells[i])) {
      char check[512], out[1024];
      snprintf(check, sizeof check, "'" PK_BUILD_DIR "/pronk' completion %s | %s -n /dev/stdin 2>&1",
               shells[i], shells[i]);
      assert_int_equal(shell(check, out, sizeof out), 0);
      assert_string_equal(out, "");
    }
  }
  run_result r = run("completion bsh");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "did you mean 'bash'?"));
  run_free(&r);
}

/* What bash offers for the last of the words. */
static void complete(const char *words, char *out, size_t size)
{
  char line[2048];
  snprintf(line, sizeof line,
           "PRONK_MODELS='" PK_SOURCE_DIR "/models' PRONK_SCENARIOS='" PK_SOURCE_DIR "/scenarios' bash -c '"
           "source <(\"" PK_BUILD_DIR "/pronk\" completion bash); "
           "COMP_WORDS=(\"" PK_BUILD_DIR "/pronk\" %s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _pronk; "
           "echo \" ${COMPREPLY[*]} \"'",
           words);
  assert_int_equal(shell(line, out, size), 0);
}

static void bash_completes_commands_options_and_names(void **state)
{
  (void)state;
  static const struct {
    const char *words, *offered, *not_offered;
  } cases[] = {
      {"ch", " check ", " run "},
      {"run starleth-t", " starleth-trot ", " starleth-stand "},
      {"run --ce", " --certify ", " --set "},
      {"info star", " starleth ", " starleth-trot "},
      {"check starleth", " starleth-trot ", " pendulum "},
      {"list gai", " gaits ", " models "},
      {"completion z", " zsh ", " bash "},
      {"study a", " all ", " bash "},
      {"info starleth --root fr", " free ", " fixed "},
      {"bench --q", " --quick ", " --work "},
      {"help sol", " solve ", " run "},
  };
  if (!has_program("bash")) {
    skip();
  }
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char out[4096];
    complete(cases[i].words, out, sizeof out);
    if (!contains(out, cases[i].offered) || strstr(out, cases[i].not_offered) != NULL) {
      fail_msg("pronk %s: bash offers%s", cases[i].words, out);
    }
  }
}

static void both_come_as_json(void **state)
{
  (void)state;
  cJSON *o = run_json("man --json", 0);
  assert_true(contains(cJSON_GetObjectItem(o, "page")->valuestring, ".TH PRONK 1"));
  cJSON_Delete(o);
  o = run_json("completion fish --json", 0);
  assert_true(contains(cJSON_GetObjectItem(o, "script")->valuestring, "complete -c pronk"));
  cJSON_Delete(o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_manual_page_has_every_command),
      cmocka_unit_test(the_manual_page_is_sound_troff),
      cmocka_unit_test(every_shell_gets_a_script_with_every_command),
      cmocka_unit_test(bash_completes_commands_options_and_names),
      cmocka_unit_test(both_come_as_json),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
