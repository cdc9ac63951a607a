/* pronk convert: formats, losses, options, exit status. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run.h"

static char folder[64]; /* of this test alone, and current */

static void expect(const char *arguments, int status, const char *out, const char *err)
{
  run_result r = run(arguments);
  if (r.status != status || !contains(r.out, out) || !contains(r.err, err)) {
    fail_msg("pronk %s ended with %d: %s%s", arguments, r.status, r.out, r.err);
  }
  run_free(&r);
}

static char *hash_of(const char *arguments)
{
  cJSON *o = run_json(arguments, 0);
  char *hash = strdup(cJSON_GetStringValue(cJSON_GetObjectItem(o, "model_hash")));
  cJSON_Delete(o);
  return hash;
}

static void every_format_is_written_by_its_ending(void **state)
{
  (void)state;
  expect("convert starleth a.urdf", 0, "a.urdf: urdf, 1 robot, 17 links, 12 moving joints, 38 shapes\n", "");
  expect("convert starleth a.pkm", 0, "a.pkm: compiled, 1 robot", "");
  expect("convert starleth a.xml", 0, "a.xml: mjcf, 1 robot",
         "pronk convert: warning: lost: velocity limits of joints: MJCF has none (12 times, first "
         "\"LF_HAA\")\n");
  expect("convert starleth a.bin --to compiled", 0, "a.bin: compiled", "");
  char line[256];
  assert_int_equal(shell("cmp a.bin a.pkm && grep -c '<mujoco model=\"starleth\">' a.xml", line, sizeof line),
                   0);
}

static void compiled_models_are_read_like_any_other(void **state)
{
  (void)state;
  expect("convert starleth b.pkm", 0, "b.pkm", "");
  char *first = hash_of("convert starleth c.pkm --json"), *second = hash_of("convert b.pkm c.pkm --json"),
       *third = hash_of("convert b.pkm c.urdf --json"), *fourth = hash_of("convert c.urdf d.pkm --json");
  assert_string_equal(first, second);
  assert_string_equal(first, third);
  assert_string_equal(first, fourth);
  free(first), free(second), free(third), free(fourth);
  expect("info b.pkm", 0, "starleth", "");
  expect("check b.pkm", 0, "b.pkm: ok", "");
  expect("check b.pkm --root fixed", 0, "b.pkm: ok", "");
}

static void a_file_that_compiles_to_another_model_is_told(void **state)
{
  (void)state;
  char line[256];
  expect("convert pendulum e.pkm", 0, "e.pkm", "");
  assert_int_equal(
      shell("printf '\\377' | dd of=e.pkm bs=1 seek=16 conv=notrunc 2>/dev/null", line, sizeof line), 0);
  expect("check e.pkm", 0, "the file compiles to another model", "");
  assert_int_equal(
      shell("printf '\\377' | dd of=e.pkm bs=1 seek=300 conv=notrunc 2>/dev/null", line, sizeof line), 0);
  expect("check e.pkm", 2, "the file is damaged", "");
}

static void losses_are_errors_when_strict(void **state)
{
  (void)state;
  expect("convert starleth f.xml --strict", 2, "", "pronk convert: error: lost: velocity limits of joints");
  expect("convert starleth f.xml --strict", 2, "", "nothing was written");
  assert_int_equal(access("f.xml", F_OK), -1);
  expect("convert starleth f.urdf --strict", 0, "f.urdf", "");
  cJSON *o = run_json("convert starleth g.xml --json", 0);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "losses")), 1);
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(o, "format")), "mjcf");
  cJSON_Delete(o);
}

static void efforts_are_motors_for_mujoco_2(void **state)
{
  (void)state;
  char line[256];
  expect("convert starleth h.xml --mujoco 2", 0, "h.xml", "efforts of joints became motors");
  assert_int_equal(shell("grep -c '<motor' h.xml", line, sizeof line), 0);
  assert_string_equal(line, "12\n");
  assert_int_not_equal(shell("grep -c actuatorfrcrange h.xml", line, sizeof line), 0);
}

static void wrong_words_are_told(void **state)
{
  (void)state;
  expect("convert starleth", 2, "", "give a model and the file to write");
  expect("convert starleth x.sdf", 2, "",
         "x.sdf has no ending that tells its format (.urdf, .xml, .pkm): give --to");
  expect("convert starleth x.xml --to mjfc", 2, "", "mjcf");
  expect("convert starleht x.xml", 2, "", "starleth");
  expect("convert starleth x.xml --mujoco 7", 2, "", "mujoco");
  expect("convert starleth no/such/folder/x.xml", 1, "", "cannot be written");
}

static int enter_folder(void **state)
{
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/pronk-convert-XXXXXX");
  return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
  (void)state;
  char line[128], out[64];
  snprintf(line, sizeof line, "rm -rf %s", folder);
  return chdir("/") == 0 ? shell(line, out, sizeof out) : -1;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_is_written_by_its_ending),
      cmocka_unit_test(compiled_models_are_read_like_any_other),
      cmocka_unit_test(a_file_that_compiles_to_another_model_is_told),
      cmocka_unit_test(losses_are_errors_when_strict),
      cmocka_unit_test(efforts_are_motors_for_mujoco_2),
      cmocka_unit_test(wrong_words_are_told),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
