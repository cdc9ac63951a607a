/* pronk view and pronk render, as far as they go without a browser; with one, a picture. */
#define _XOPEN_SOURCE 700
#include "cli/run.h"
#include "support/bounds.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];
static char temporary[32];

/* A page of the test's own, and a folder for temporary files. */
static int prepare(void **state)
{
  (void)state;
  char path[128];
  snprintf(folder, sizeof folder, "%s/view_XXXXXX", ".");
  if (mkdtemp(folder) == NULL) {
    return -1;
  }
  snprintf(path, sizeof path, "%s/index.html", folder);
  write_file(path, "<p>page");
  snprintf(temporary, sizeof temporary, "/tmp/pronk-XXXXXX"); /* short: a browser makes sockets in it */
  if (mkdtemp(temporary) == NULL) {
    return -1;
  }
  setenv("TMPDIR", temporary, 1);
  setenv("PRONK_VIEWER", folder, 1);
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  return 0;
}

static int clean(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s' '%s'", folder, temporary);
  return system(command);
}

static void expect(const char *arguments, int status, const char *part)
{
  run_result r = run(arguments);
  if (r.status != status || !contains(r.err, part)) {
    fail_msg("pronk %s: status %d\n%s%s", arguments, r.status, r.out, r.err);
  }
  run_free(&r);
}

/* Start `pronk view ... --json`, take its first line, end it with a signal; its exit status. */
static int view_and_end(const char *word, int signal, cJSON **address)
{
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  assert_at_least(child, 0);
  if (child == 0) {
    setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl(PK_BUILD_DIR "/pronk", "pronk", "view", word, "--json", (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  char line[512] = "";
  FILE *out = fdopen(ends[0], "r");
  assert_non_null(out);
  assert_non_null(fgets(line, sizeof line, out));
  *address = cJSON_Parse(line);
  kill(child, signal);
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  fclose(out);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void view_prints_its_address_at_once_and_ends_cleanly(void **state)
{
  (void)state;
  cJSON *address = NULL;
  assert_int_equal(view_and_end("starleth-stand", SIGINT, &address), 0);
  const char *url = cJSON_GetStringValue(cJSON_GetObjectItem(address, "url"));
  const char *token = cJSON_GetStringValue(cJSON_GetObjectItem(address, "token"));
  char wanted[128];
  assert_non_null(token);
  assert_int_equal(strlen(token), 32);
  snprintf(wanted, sizeof wanted, "http://127.0.0.1:%d/?token=%s",
           (int)cJSON_GetObjectItem(address, "port")->valuedouble, token);
  assert_string_equal(url, wanted);
  cJSON_Delete(address);
  assert_int_equal(view_and_end("starleth-stand", SIGTERM, &address), 0);
  cJSON_Delete(address);
  static const char *const models[] = {"starleth", PK_SOURCE_DIR "/models/pendulum",
                                       PK_SOURCE_DIR "/models/pendulum/pendulum.urdf"};
  for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) { /* alone */
    assert_int_equal(view_and_end(models[i], SIGTERM, &address), 0);
    cJSON_Delete(address);
  }
}

/* `pronk view` with code that cannot be had: what is in the file `said`, its stderr. */
static void view_tells_when_dynamics_cannot_be_compiled(void **state)
{
  (void)state;
  char scenario[128], said[128], text[1024] = "";
  snprintf(scenario, sizeof scenario, "%s/compiled.yaml", folder);
  snprintf(said, sizeof said, "%s/said", folder);
  write_file(scenario, "description: compiled\nduration: 1\nmodel: starleth\ndynamics: compiled\n");
  setenv("PRONK_CC", "no-such-compiler", 1);
  fflush(stderr);
  const int before = dup(STDERR_FILENO);
  assert_non_null(freopen(said, "w", stderr));
  cJSON *address = NULL;
  const int status = view_and_end(scenario, SIGTERM, &address);
  fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  unsetenv("PRONK_CC");
  cJSON_Delete(address);
  FILE *file = fopen(said, "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  assert_int_equal(status, 0);
  if (!contains(text, "pronk view: warning: dynamics are generic: compiler: the C compiler "
                      "\"no-such-compiler\", which PRONK_CC asks for, is not there")) {
    fail_msg("it said: %s", text);
  }
}

static void view_refuses_wrong_words(void **state)
{
  (void)state;
  expect("view", 2, "name one scenario, recording or model");
  expect("view starleth-stand starleth-trot", 2, "name one scenario, recording or model");
  expect("view starleth-stnad", 2, "did you mean 'starleth-stand'?");
  expect("view starleth-stand --port 70000", 2, "--port is '70000', expected a number from 0 to 65535");
  expect("view starleth-stand --set controller.foward=1", 2, "forward");
  expect("view none.mcap", 2, "none.mcap");
  expect("view starlteh", 2, "no such recording, scenario or model; did you mean 'starleth'? scenarios: ");
  expect("view " PK_SOURCE_DIR "/docs", 2, "this folder holds no .urdf file");
  expect("view starleth-stand --host 203.0.113.7", 1, "cannot listen at 203.0.113.7");
}

static void a_recording_without_poses_is_refused_with_the_reasons(void **state)
{
  (void)state;
  char arguments[256];
  snprintf(arguments, sizeof arguments,
           "run starleth-stand --set duration=0.05 --set record.channels=[com] -o %s/blind", folder);
  run_result r = run(arguments);
  assert_int_equal(r.status, 0);
  run_free(&r);
  snprintf(arguments, sizeof arguments, "view %s/blind", folder);
  expect(arguments, 2, "or record.channels leaves it out (add bodies there)");
}

static void render_refuses_wrong_words(void **state)
{
  (void)state;
  expect("render", 2, "name one recording, scenario or model");
  expect("render starleth-stand --size 12", 2, "--size is '12', expected WIDTHxHEIGHT");
  expect("render starleth-stand --size 99999x20", 2, "each from 16 to 8192");
  expect("render starleth-stand --camera sied", 2, "did you mean 'side'?");
  expect("render starleth-stand --show points,presure", 2, "did you mean 'pressure'?");
  expect("render starleth-stand --at 1 --from 0", 2, "give one or the other");
  expect("render starleth-stand --fps 0", 2, "--fps is '0'");
  expect("render starleth-stand -o x.gif", 2, "ends in .mp4 or .png, or a folder");
}

static void render_says_what_is_missing(void **state)
{
  (void)state;
  char path[4096];
  snprintf(path, sizeof path, "%s", getenv("PATH") != NULL ? getenv("PATH") : "/usr/bin:/bin");
  setenv("PRONK_CHROMIUM", "/nonexistent", 1);
  expect("render starleth-stand -o x.mp4", 1, "install chromium, or name one in PRONK_CHROMIUM");
  setenv("PRONK_CHROMIUM", "/bin/true", 1);
  setenv("PATH", "/nonexistent", 1);
  expect("render starleth-stand -o x.mp4", 1, "install ffmpeg");
  setenv("PATH", path, 1);
  setenv("PRONK_CHROMIUM", "/bin/false", 1);
  expect("render starleth-stnad --at 0 -o x.png", 2, "did you mean 'starleth-stand'?");
  expect("render starleth-stand --at 0.1 -o x.png", 1,
         "the browser ended with status 1 after 0 of 1 pictures");
  unsetenv("PRONK_CHROMIUM");
  setenv("TMPDIR", "/nonexistent", 1);
  expect("render starleth-stand --at 0.1 -o x.png", 2,
         "/nonexistent: no folder for the run can be made in it: No such file or directory; TMPDIR chooses "
         "another place");
  setenv("TMPDIR", temporary, 1);
  char command[128]; /* nothing is left behind */
  snprintf(command, sizeof command, "test -z \"$(ls -A '%s')\"", temporary);
  assert_int_equal(system(command), 0);
}

static bool has(const char *program)
{
  char command[96];
  snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
  return system(command) == 0;
}

/* Needs the built page, Chromium and ffmpeg. */
static void render_draws_pictures_and_a_video(void **state)
{
  (void)state;
  if (access(PK_SOURCE_DIR "/viewer/dist/index.html", R_OK) != 0 || !has("chromium") || !has("ffmpeg")) {
    skip();
  }
  setenv("PRONK_VIEWER", PK_SOURCE_DIR "/viewer/dist", 1);
  char arguments[256], path[128];
  snprintf(arguments, sizeof arguments, "render starleth --at 0 --size 64x48 -o %s/one.png --json", folder);
  cJSON *o = run_json(arguments, 0);
  assert_true(cJSON_GetObjectItem(o, "pictures")->valuedouble == 1);
  cJSON_Delete(o);
  unsigned char head[24] = {0};
  snprintf(path, sizeof path, "%s/one.png", folder);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
  fclose(file);
  assert_memory_equal(head, "\x89PNG", 4);
  assert_true(head[19] == 64 && head[23] == 48);
  snprintf(arguments, sizeof arguments,
           "render starleth-stand --to 0.2 --fps 10 --size 64x48 -o %s/film.mp4 --json", folder);
  o = run_json(arguments, 0);
  assert_true(cJSON_GetObjectItem(o, "pictures")->valuedouble == 2);
  cJSON_Delete(o);
  snprintf(path, sizeof path, "%s/film.mp4", folder);
  assert_int_equal(access(path, R_OK), 0);
  snprintf(path, sizeof path, "test -z \"$(ls -A '%s')\"", temporary);
  assert_int_equal(system(path), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(view_prints_its_address_at_once_and_ends_cleanly),
      cmocka_unit_test(view_tells_when_dynamics_cannot_be_compiled),
      cmocka_unit_test(view_refuses_wrong_words),
      cmocka_unit_test(a_recording_without_poses_is_refused_with_the_reasons),
      cmocka_unit_test(render_refuses_wrong_words),
      cmocka_unit_test(render_says_what_is_missing),
      cmocka_unit_test(render_draws_pictures_and_a_video),
  };
  return cmocka_run_group_tests(tests, prepare, clean);
}
