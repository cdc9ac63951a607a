/* pronk codegen: the code is compiled by the system's compiler and run. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run.h"
#include "pronk/pronk.h"
#include "support/bounds.h"

static char folder[64]; /* of this test alone, and current */

static void generate(const char *arguments)
{
  run_result r = run(arguments);
  if (r.status != 0) {
    fail_msg("%s", r.err);
  }
  run_free(&r);
}

/* A compiler's line must succeed in silence. */
static void expect_silence(const char *line)
{
  char out[4096];
  const int status = shell(line, out, sizeof out);
  if (status != 0 || out[0] != '\0') {
    fail_msg("%s: %s", line, out);
  }
}

static void the_program_of_the_documentation_agrees_with_the_library(void **state)
{
  (void)state;
  generate("codegen ur10 -o ur10-code --functions aba,crba");
  expect_silence("cc -std=c17 -Wall -Wextra -O2 -Iur10-code " PK_SOURCE_DIR
                 "/examples/codegen/accelerations.c ur10-code/ur10.c -lm -o accelerations 2>&1");
  const double q[6] = {0.3, -1.2, 1.5, 0.1, 0.4, 0.2}, u[6] = {0}, tau[6] = {0};
  char out[4096];
  assert_int_equal(shell("./accelerations 0.3 -1.2 1.5 0.1 0.4 0.2", out, sizeof out), 0);
  pk_model *model;
  pk_error err;
  double a[6], M[36];
  assert_int_equal(pk_model_load_urdf(PK_SOURCE_DIR "/models/ur10/ur10.urdf", NULL, &model, &err), PK_OK);
  pk_workspace *w;
  pk_workspace_create(model, &w, NULL);
  assert_int_equal(pk_forward_dynamics(w, PK_DYNAMICS_METHOD_AUTO, q, u, tau, a), PK_OK);
  pk_mass_matrix(w, q, M);
  const char *at = out;
  for (int i = 0; i < 7; i++) {
    at = strstr(at, "= ");
    assert_non_null(at);
    const double value = strtod(at += 2, NULL), expected = i < 6 ? a[i] : M[0];
    assert_at_most(fabs(value - expected), 1e-11 * (1 + fabs(expected)));
  }
  pk_workspace_destroy(w);
  pk_model_destroy(model);
}

static void the_self_test_passes_with_every_function(void **state)
{
  (void)state;
  generate("codegen double_pendulum -o twin --name twin --parameters inertia,position,gravity,armature");
  char out[8192];
  expect_silence(
      "cd twin && for n in 1 4 8; do cc -std=c17 -Wall -Wextra -O1 -fno-math-errno -DTWIN_LANES=$n -c "
      "twin*.c 2>&1 && ld -r -o lanes$n.out *.o && rm *.o; done");
  expect_silence(
      "cd twin && cc -std=c17 -Wall -Wextra -DTWIN_TEST_X8 test_twin.c lanes*.out -lm -o test 2>&1");
  assert_int_equal(shell("./twin/test", out, sizeof out), 0);
  for (int i = 0; i < pk_codegen_function_count(); i++) {
    assert_true(contains(out, pk_codegen_function_name(i)));
  }
  assert_true(contains(out, "8 lanes") && strstr(out, "WRONG") == NULL);
  /* a wrong number is found */
  expect_silence("cd twin && sed -i 's/static const double in_q.*/&\\n 0.125 +/' test_twin.c && cc -std=c17 "
                 "-DTWIN_TEST_X8 test_twin.c lanes*.out -lm -o test 2>&1");
  assert_int_not_equal(shell("./twin/test", out, sizeof out), 0);
  assert_true(contains(out, "WRONG"));
}

static void a_number_that_is_never_stored_is_found(void **state)
{
  (void)state;
  generate("codegen double_pendulum -o gap --name gap --functions aba --states 2");
  char out[4096];
  static const char build[] = "cd gap && for n in 1 4; do cc -std=c17 -O1 -fno-math-errno -DGAP_LANES=$n -c "
                              "gap.c 2>&1 && mv gap.o lanes$n.out; done && "
                              "cc -std=c17 test_gap.c lanes*.out -lm -o test 2>&1";
  expect_silence(build);
  assert_int_equal(shell("./gap/test", out, sizeof out), 0);
  assert_true(contains(out, "2 states"));
  /* the first of two accelerations: a good one comes after it */
  expect_silence("cd gap && grep -q '^  a_out\\[0\\] = ' gap.c && "
                 "sed -i 's/^  a_out\\[0\\] = /  const gap_r lost __attribute__((unused)) = /' gap.c");
  expect_silence(build);
  assert_int_not_equal(shell("./gap/test", out, sizeof out), 0);
  assert_true(contains(out, "WRONG") && strstr(out, "good") == NULL);
}

static void the_lanes_of_the_documentation_are_robots(void **state)
{
  (void)state;
  generate("codegen ur10 -o lanes --functions aba");
  /* its second block of C is the body of this program */
  expect_silence(
      "(printf '#include <stdio.h>\\n#include <string.h>\\n#include \"ur10.h\"\\nint main(void)\\n{\\n' && "
      "sed -n '/^ur10_x4 q/,/^```/p' " PK_SOURCE_DIR "/docs/codegen.md | grep -v '^```' && "
      "printf 'double x[6], v[6] = {0}, t[6] = {0}, b[6];\\n"
      "for (int r = 0; r < 4; r++) {\\n"
      "  for (int i = 0; i < 6; i++) x[i] = 0.1 * i * r;\\n"
      "  ur10_aba(x, v, t, b);\\n"
      "  for (int i = 0; i < 6; i++) if (a[i][r] != b[i]) return 1;\\n"
      "}\\nreturn 0;\\n}\\n') > four.c");
  expect_silence(
      "for n in 1 4; do cc -std=c17 -O2 -ffp-contract=off -fno-math-errno -DUR10_LANES=$n -c lanes/ur10.c -o "
      "lanes$n.out 2>&1 || exit 1; done; cc -std=c17 -Wall -Wextra -Werror -O2 -Ilanes four.c lanes1.out "
      "lanes4.out -lm -o four 2>&1 && ./four");
}

/* Names that would end a comment, a line or a string if they stood in the files as they are. */
static void hostile_names_do_no_harm(void **state)
{
  (void)state;
  write_file("hostile.urdf",
             "<robot name='*/ int evil_robot(void); /*&#10;execute_process(COMMAND touch evil)&#10;# '>\n"
             "<link name='base'/>\n"
             "<link name='a*/ #error evil_link &#10;#error evil_link &#10;/* // \\'>\n"
             "<inertial><origin xyz='0 0 0.1'/><mass value='1'/>"
             "<inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial>\n"
             "<collision><geometry><sphere radius='0.1'/></geometry></collision></link>\n"
             "<joint name='*&#92;&#10;/ #error evil_joint &quot;); ?\?/&#10;`touch evil` &#x202e;' "
             "type='continuous'>"
             "<parent link='base'/><child link='a*/ #error evil_link &#10;#error evil_link &#10;/* // \\'/>"
             "<axis xyz='0 1 0'/></joint>\n</robot>\n");
  generate("codegen hostile.urdf -o hostile --functions aba,points");
  /* plain bytes only, and every trace of them within a comment or a heading */
  expect_silence("! LC_ALL=C grep -l '[^ -~]' hostile/*");
  expect_silence("cd hostile && ! grep -n 'evil' *.txt *.md *.c *.h | grep -v '[a-z_.]*:[0-9]*:\\( \\* "
                 "\\|/\\* Dyn\\|# Dyn\\)'"
                 " | grep -v 'r___int_evil_robot\\|R___INT_EVIL_ROBOT\\|r___INT'");
  expect_silence("cd hostile && for f in r*.c; do for s in c17 c99; do cc -std=$s -Wall -Wextra -Werror "
                 "-Wpedantic -c $f -o x.o 2>&1 || "
                 "exit 1; done; done");
  char out[8192];
  if (shell("command -v cmake", out, sizeof out) == 0) {
    const int status =
        shell("(cmake -S hostile -B hostile/build && cmake --build hostile/build && ctest --test-dir "
              "hostile/build) 2>&1",
              out, sizeof out);
    if (status != 0) {
      fail_msg("%s", out);
    }
  }
  expect_silence("find . -name evil");
}

static void it_builds_with_cmake_and_serves_cpp(void **state)
{
  (void)state;
  char out[8192];
  generate("codegen starleth -o leth --functions aba,points");
  if (shell("command -v cmake", out, sizeof out) == 0) {
    assert_int_equal(
        shell("(cmake -S leth -B leth/build && cmake --build leth/build && ctest --test-dir leth/build) 2>&1",
              out, sizeof out),
        0);
    assert_null(strstr(out, "warning"));
    /* ARM has another word for this processor */
    assert_int_equal(
        shell("cmake -S leth -B leth/arm -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 2>&1 && "
              "grep -rq mcpu=native leth/arm/CMakeFiles && ! grep -rq march=native leth/arm/CMakeFiles",
              out, sizeof out),
        0);
  }
  if (shell("command -v c++", out, sizeof out) == 0) {
    write_file("user.cpp", "#include \"starleth.h\"\nint main() { return STARLETH_NU - 18; }\n");
    expect_silence("c++ -Wall -Wextra -Ileth user.cpp -o user 2>&1 && ./user");
  }
}

/* With every compiler that is there, for this processor, which may have fused products. */
static void one_robot_and_four_round_alike(void **state)
{
  (void)state;
  char out[8192];
  if (shell("command -v cmake", out, sizeof out) != 0) {
    skip();
  }
  generate("codegen starleth -o alike --functions momentum");
  write_file("alike.c",
             "#include <string.h>\n#include \"starleth.h\"\n"
             "int main(void)\n{\n"
             "  double q[19], u[18], c[3], h[6];\n  starleth_x4 q4[19], u4[18], c4[3], h4[6];\n"
             "  for (int n = 0; n < 100; n++) {\n"
             "    for (int i = 0; i < 19; i++) q[i] = i == 3 ? 1 : 0.37 * ((7 * n + 5 * i) % 11) / 11;\n"
             "    for (int i = 0; i < 18; i++) u[i] = 1.3 * ((3 * n + 7 * i) % 13) / 13 - 0.6;\n"
             "    for (int i = 0; i < 19; i++) q4[i] = q[i] - (starleth_x4){0};\n"
             "    for (int i = 0; i < 18; i++) u4[i] = u[i] - (starleth_x4){0};\n"
             "    starleth_momentum(q, u, c, h);\n    starleth_momentum_x4(q4, u4, c4, h4);\n"
             "    for (int i = 0; i < 6; i++) {\n"
             "      const double lane = h4[i][3];\n"
             "      if (memcmp(&lane, &h[i], sizeof lane) != 0) return 1;\n"
             "    }\n  }\n  return 0;\n}\n");
  expect_silence(
      "for c in clang gcc; do command -v $c > /dev/null || continue; "
      "(cmake -S alike -B alike/$c -DCMAKE_C_COMPILER=$c && cmake --build alike/$c) > built 2>&1 && "
      "$c -std=c17 -O1 -Ialike alike.c alike/$c/libstarleth.a alike/$c/libstarleth_x4.a -lm "
      "-o alike/$c/run 2>&1 && ./alike/$c/run || echo $c; done");
}

static void json_tells_files_and_operations(void **state)
{
  (void)state;
  cJSON *o = run_json("codegen ur10 -o ur10-json --functions rnea --json", 0);
  assert_string_equal(cJSON_GetObjectItem(o, "name")->valuestring, "ur10");
  const cJSON *files = cJSON_GetObjectItem(o, "files"), *file;
  cJSON_ArrayForEach(file, files)
  {
    char path[256];
    snprintf(path, sizeof path, "ur10-json/%s", file->valuestring);
    assert_int_equal(access(path, R_OK), 0);
  }
  assert_int_equal(cJSON_GetArraySize(files), 6);
  const cJSON *f = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "functions"), 0);
  assert_string_equal(cJSON_GetObjectItem(f, "name")->valuestring, "rnea");
  assert_less(cJSON_GetObjectItem(f, "operations")->valuedouble,
              cJSON_GetObjectItem(f, "operations_before")->valuedouble);
  cJSON_Delete(o);
}

static void what_was_made_before_goes_and_what_is_not_ours_stays(void **state)
{
  (void)state;
  generate("codegen ur10 -o again");
  assert_int_equal(access("again/ur10_momentum.c", F_OK), 0);
  generate("codegen ur10 -o again --functions aba --parameters gravity");
  assert_int_not_equal(access("again/ur10_momentum.c", F_OK), 0); /* one file holds it all now */
  assert_int_equal(access("again/ur10.c", F_OK), 0);
  char out[256];
  assert_int_equal(shell("grep -c 'ur10_gravity.3. .*= {' again/ur10.h", out, sizeof out), 0);
  write_file("again/CMakeLists.txt", "project(mine)\n");
  run_result r = run("codegen ur10 -o again --functions aba");
  assert_int_equal(r.status, 1);
  assert_true(contains(r.err, "again/CMakeLists.txt: is there already and was not made by pronk codegen"));
  run_free(&r);
  assert_int_equal(shell("cat again/CMakeLists.txt", out, sizeof out), 0);
  assert_string_equal(out, "project(mine)\n");
}

static void mistakes_are_named(void **state)
{
  (void)state;
  static const struct {
    const char *arguments, *message;
  } rows[] = {
      {"codegen", "name a model"},
      {"codegen ur10 starleth", "one model at a time"},
      {"codegen ur10 -o x --functions abba", "there is no function \"abba\"; did you mean \"aba\"?"},
      {"codegen ur10 -o x --parameters inertias",
       "there is no parameter \"inertias\"; did you mean \"inertia\"?"},
      {"codegen ur10 -o x --name 2robots", "\"2robots\" cannot begin the name of a C function"},
      {"codegen ur10 -o x --name test", "\"test\" means something else to CMake or the linker"},
      {"codegen ur10 -o x --function aba", "did you mean"},
      {"codegen ur10 -o x --states 65", "states is 65, expected 1 to 64"},
      {"codegen ur10 -o x --states 1.5", "states is \"1.5\", expected a whole number"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    run_result r = run(rows[i].arguments);
    assert_int_equal(r.status, 2);
    if (!contains(r.err, rows[i].message)) {
      fail_msg("%s: %s", rows[i].arguments, r.err);
    }
    run_free(&r);
  }
  assert_int_not_equal(access("x", F_OK), 0);
  write_file("taken", "");
  run_result r = run("codegen ur10 -o taken --functions aba");
  assert_int_equal(r.status, 1);
  run_free(&r);
}

static int set_up(void **state)
{
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/pronk-codegen-XXXXXX");
  return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int tear_down(void **state)
{
  (void)state;
  char line[128];
  snprintf(line, sizeof line, "rm -r '%s'", folder);
  return chdir("/") != 0 || system(line) != 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_program_of_the_documentation_agrees_with_the_library),
      cmocka_unit_test(the_self_test_passes_with_every_function),
      cmocka_unit_test(a_number_that_is_never_stored_is_found),
      cmocka_unit_test(the_lanes_of_the_documentation_are_robots),
      cmocka_unit_test(hostile_names_do_no_harm),
      cmocka_unit_test(it_builds_with_cmake_and_serves_cpp),
      cmocka_unit_test(one_robot_and_four_round_alike),
      cmocka_unit_test(json_tells_files_and_operations),
      cmocka_unit_test(what_was_made_before_goes_and_what_is_not_ours_stays),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
