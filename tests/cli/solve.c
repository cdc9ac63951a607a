/* pronk solve. */
#include "cli/run.h"
#include "support/bounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Three contacts, each alone with W = 1; at the second the ground is left. */
static const char easy[] = "# easy\n3 3 9 0\n0 0 1\n1 1 1\n2 2 1\n3 3 1\n4 4 1\n5 5 1\n6 6 1\n7 7 1\n8 8 1\n"
                           "-1 0.1 0 1 0.5 0 -1 3 0\n0.5 0.5 0.5\n";

static double number(const cJSON *o, const char *name)
{
  const cJSON *item = cJSON_GetObjectItem(o, name);
  if (!cJSON_IsNumber(item)) {
    fail_msg("%s is no number", name);
  }
  return item->valuedouble;
}

static void json_has_the_promised_fields(void **state)
{
  (void)state;
  write_file("cli_solve.fc", easy);
  cJSON *o = run_json("solve cli_solve.fc --json", 0);
  assert_string_equal(cJSON_GetObjectItem(o, "file")->valuestring, "cli_solve.fc");
  assert_string_equal(cJSON_GetObjectItem(o, "solver")->valuestring, "auto");
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "converged")));
  assert_less(number(o, "residual"), 1e-8);
  assert_at_most(number(o, "relative"), 1e-8);
  assert_at_least(number(o, "iterations"), 1);
  assert_greater(number(o, "time_s"), 0);
  assert_true(number(o, "contacts") == 3);
  static const char *const others[] = {"unilateral", "disc", "dissipation", "bilateral", "box", "siconos"};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    assert_at_least(number(o, others[i]), 0);
    assert_less(number(o, others[i]), 1e-7);
  }
  cJSON_Delete(o);
  remove("cli_solve.fc");
}

static void a_person_sees_shape_verdict_and_parts(void **state)
{
  (void)state;
  write_file("cli_solve.fc", easy);
  run_result r = run("solve cli_solve.fc --solver bgs");
  assert_int_equal(r.status, 0);
  static const char *const words[] = {"3 contacts, 0 bilateral rows, 0 box rows; W 9 by 9",
                                      "solver            bgs\n",
                                      "converged         yes",
                                      "m/s",
                                      "unilateral law",
                                      "friction disc",
                                      "dissipation",
                                      "Siconos' measure"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    assert_true(contains(r.out, words[i]));
  }
  assert_null(strstr(r.out, "  bilateral rows ")); // there are none
  assert_string_equal(r.err, "");
  run_free(&r);
  remove("cli_solve.fc");
}

static const cJSON *item_of(const cJSON *o, const char *name, int k)
{
  return cJSON_GetArrayItem(cJSON_GetObjectItem(o, name), k);
}

/* StarLETH well bent: a quarter of the weight on each foot, and the knee's angle by the law of cosines. */
static void a_stance_has_angles_forces_and_torques(void **state)
{
  (void)state;
  static const char *const knees[4] = {"LF_KFE", "RF_KFE", "LH_KFE", "RH_KFE"};
  cJSON *o = run_json("solve --stance starleth --json", 0);
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "balanced")));
  assert_true(number(cJSON_GetObjectItem(o, "reduced"), "nu") == 6);
  const double reach = 0.785 * 0.435;
  const double bent = acos((reach * reach - 0.2 * 0.2 - 0.235 * 0.235) / (2 * 0.2 * 0.235));
  /* the knee is off the line from the hip to the foot by twice the area of their triangle over that line */
  const double arm = 0.2 * 0.235 * sin(bent) / reach, shank = asin(0.2 * sin(bent) / reach);
  /* about the knee: the foot's force, less the weight of the shank, whose centre is 0.084 m down */
  const double torque = 26.82 * 9.81 / 4 * arm - 0.32 * 9.81 * 0.084 * sin(shank);
  for (int i = 0; i < 4; i++) {
    const cJSON *leg = item_of(o, "legs", i);
    assert_near(number(cJSON_GetObjectItem(leg, "joints"), knees[i]), i < 2 ? -bent : bent, 1e-9);
    assert_near(number(cJSON_GetObjectItem(leg, "torques"), knees[i]), i < 2 ? torque : -torque, 1e-9);
    assert_near(item_of(leg, "force", 2)->valuedouble, 26.82 * 9.81 / 4, 1e-9);
    assert_near(number(leg, "friction"), 0, 1e-9);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(leg, "within_limits")));
  }
  for (int k = 0; k < 6; k++) {
    assert_near(item_of(cJSON_GetObjectItem(o, "reduced"), "acceleration", k)->valuedouble, 0, 1e-9);
  }
  cJSON_Delete(o);
}

/* Three feet about the mass carry it; two on one side do not, and the command says so. */
static void a_stance_that_cannot_rest_is_told(void **state)
{
  (void)state;
  static const struct {
    const char *line, *words;
    int status;
  } wrong[] = {
      {"solve --stance starleth --foot LF_FOOT=2,0,0",
       "out of its leg's reach: 0.035 to 0.435 m from the hip at (0.2525, 0.185, 0.366", 1},
      {"solve --stance starleth --feet LF_FOOT,LF_FOOT", "--feet names \"LF_FOOT\" twice", 2},
      {"solve --stance starleth --foot LF=0,0,0", "no leg that stands ends in \"LF\"", 2},
      {"solve --stance starleth --foot LF_FOOT=0,0", "expected LINK=X,Y,Z", 2},
      {"solve --stance starleth --trunk 0,0", "expected X,Y,Z", 2},
      {"solve --stance ur10", "one robot with a free root", 2},
      {"solve --stance starleth --solver bgs", "--solver is for saved problems", 2},
      {"solve --trunk 0,0,1 x.fc", "--trunk is for a stance", 2},
      {"solve --stance", "takes one model", 2},
  };
  run_result r = run("solve --stance starleth --feet LF_FOOT,RF_FOOT,LH_FOOT --trunk 0.02,0.02,0.42");
  assert_int_equal(r.status, 0);
  run_free(&r);
  r = run("solve --stance starleth --feet LF_FOOT,LH_FOOT");
  assert_int_equal(r.status, 1);
  assert_true(contains(r.out, "not at rest"));
  run_free(&r);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    r = run(wrong[i].line);
    assert_int_equal(r.status, wrong[i].status);
    assert_true(contains(r.err, wrong[i].words));
    run_free(&r);
  }
}

/* Two rows that are one, shifted by a tenth: z = 1/2.1, and the problem given is off by a tenth of that. */
static void a_regularised_problem_is_judged_as_the_one_given(void **state)
{
  (void)state;
  write_file("cli_tikhonov.lcp", "lcp 2 4 0 0 0\n0 0 1\n0 1 1\n1 0 1\n1 1 1\n-1 -1\n");
  cJSON *o = run_json("solve cli_tikhonov.lcp --regularisation 0.1 --json", 1);
  assert_string_equal(cJSON_GetObjectItem(o, "outcome")->valuestring, "regularised");
  assert_near(number(o, "residual"), 0.1 / 2.1, 1e-12);
  const cJSON *part = cJSON_GetObjectItem(o, "regularised");
  assert_near(number(part, "bound"), 0.1 / 2.1, 1e-12);
  assert_less(number(part, "residual"), 1e-12);
  cJSON_Delete(o);
  write_file("cli_solve.fc", easy);
  run_result r = run("solve cli_solve.fc --regularisation 0.1");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "--regularisation is for .lcp files"));
  run_free(&r);
  remove("cli_solve.fc");
  remove("cli_tikhonov.lcp");
}

static void all_tries_every_solver_that_works_from_W(void **state)
{
  (void)state;
  write_file("cli_solve.fc", easy);
  run_result names = run("list solvers --json"), table = run("solve cli_solve.fc --all"),
             lines = run("solve cli_solve.fc --all --json");
  assert_int_equal(table.status, 0);
  cJSON *list = cJSON_Parse(names.out);
  const cJSON *item;
  const char *at = lines.out;
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(list, "items"))
  {
    const char *name = cJSON_GetObjectItem(item, "name")->valuestring;
    if (strstr(name, "-u") != NULL) {
      assert_false(contains(table.out, name)); // they want factors
      continue;
    }
    assert_true(contains(table.out, name));
    cJSON *o = cJSON_ParseWithOpts(at, &at, 0); // one object on each line, in the list's order
    assert_non_null(o);
    assert_string_equal(cJSON_GetObjectItem(o, "solver")->valuestring, name);
    cJSON_Delete(o);
  }
  assert_int_equal(strspn(at, " \n"), strlen(at));
  cJSON_Delete(list);
  run_free(&names);
  run_free(&table);
  run_free(&lines);
  remove("cli_solve.fc");
}

static void the_solvers_in_velocities_ask_for_factors(void **state)
{
  (void)state;
  write_file("cli_solve.fc", easy);
  run_result r = run("solve cli_solve.fc --solver sor-u");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "sor-u works from the factors of W, which files do not hold; take sor"));
  run_free(&r);
  r = run("solve cli_solve.fc --solver newton-u");
  assert_true(contains(r.err, "do not hold; take newton\n"));
  run_free(&r);
  remove("cli_solve.fc");
}

/* A loose rule in changes ends earlier than the judge would like, and counts as converged. */
static void sweeps_may_stop_by_their_change(void **state)
{
  (void)state;
  write_file("cli_hard.fc",
             "3 2 8 0\n0 0 2\n1 1 2\n2 2 2\n3 3 2\n4 4 2\n5 5 2\n0 3 1.9\n3 0 1.9\n-1 0 0 -1 0.5 0\n1 1\n");
  cJSON *o =
      run_json("solve cli_hard.fc --solver sor --stop change --change-rel 1e-3 --change-abs 1e-3 --json", 0);
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "converged")));
  assert_greater(number(o, "relative"), 1e-8);
  cJSON_Delete(o);
  remove("cli_hard.fc");
}

static void a_tolerance_out_of_reach_is_a_failure(void **state)
{
  (void)state;
  /* two contacts that share a body, and one sweep only */
  write_file("cli_hard.fc",
             "3 2 8 0\n0 0 2\n1 1 2\n2 2 2\n3 3 2\n4 4 2\n5 5 2\n0 3 1.9\n3 0 1.9\n-1 0 0 -1 0.5 0\n1 1\n");
  cJSON *o = run_json("solve cli_hard.fc --solver sor --max-iterations 1 --tolerance 1e-14 --json", 1);
  assert_true(cJSON_IsFalse(cJSON_GetObjectItem(o, "converged")));
  assert_greater(number(o, "relative"), 1e-14);
  cJSON_Delete(o);
  run_result r = run("solve cli_hard.fc --solver sor --max-iterations=1 --tolerance=1e-14");
  assert_int_equal(r.status, 1);
  assert_true(contains(r.out, "converged         no"));
  run_free(&r);
  remove("cli_hard.fc");
}

static void wrong_words_are_answered_with_the_right_ones(void **state)
{
  (void)state;
  static const struct {
    const char *arguments, *answer;
  } cases[] = {
      {"solve", "name a contact problem (.fc, .hdf5, .h5) or a complementarity problem (.lcp)"},
      {"solve absent.fc", "absent.fc: the file cannot be opened"},
      {"solve a.fc --solver newtn", "solver is \"newtn\", expected one of auto, jor,"},
      {"solve a.fc --solver newtn", "did you mean \"newton\"?"},
      {"solve a.fc --tolerance tiny", "tolerance is \"tiny\", expected a number"},
      {"solve a.fc --max-iterations 0", "max_iterations is 0, expected 1 to"},
      {"solve a.fc --all --solver bgs", "leave --solver out"},
      {"solve a.fc --tolerence 1", "did you mean '--tolerance'?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    run_result r = run(cases[i].arguments);
    assert_int_equal(r.status, 2);
    assert_string_equal(r.out, "");
    assert_true(contains(r.err, cases[i].answer));
    run_free(&r);
  }
}

static void a_bad_file_does_not_stop_the_others(void **state)
{
  (void)state;
  write_file("cli_solve.fc", easy);
  write_file("cli_bad.fc", "3 1 3 0\n0 0 1\n1 1 zero\n2 2 1\n0 0 0\n1\n");
  run_result r = run("solve cli_bad.fc cli_solve.fc");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "cli_bad.fc:3: W: found 'zero' where a number was expected"));
  assert_true(contains(r.out, "converged         yes"));
  run_free(&r);
  remove("cli_solve.fc");
  remove("cli_bad.fc");
}

/* A block of mass 1, weight 10, pushed sideways beyond its friction of 0.5: z = (10, -5). */
static const char block[] = "# block\nlcp 2 2 1 1 0\n0 0 1\n1 1 1\n-10 8\n0 -0.5\ninf 0.5\n-1 0\n";

static void complementarity_problems_are_solved_by_every_solver_of_theirs(void **state)
{
  (void)state;
  write_file("cli_block.lcp", block);
  run_result names = run("list lcp-solvers --names"), lines = run("solve cli_block.lcp --all --json"),
             table = run("solve cli_block.lcp --all");
  assert_int_equal(names.status, 0);
  assert_int_equal(table.status, 0);
  const char *at = lines.out;
  int count = 0;
  for (char *name = strtok(names.out, "\n"); name != NULL; name = strtok(NULL, "\n"), count++) {
    cJSON *o = cJSON_ParseWithOpts(at, &at, 0);
    assert_non_null(o);
    assert_string_equal(cJSON_GetObjectItem(o, "solver")->valuestring, name);
    assert_string_equal(cJSON_GetObjectItem(o, "outcome")->valuestring, "solved");
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "converged")));
    assert_at_most(number(o, "relative"), 1e-8);
    assert_true(number(o, "rows") == 2);
    const cJSON *z = cJSON_GetObjectItem(o, "z");
    assert_less(fabs(cJSON_GetArrayItem(z, 0)->valuedouble - 10), 1e-6);
    assert_less(fabs(cJSON_GetArrayItem(z, 1)->valuedouble + 5), 1e-6);
    cJSON_Delete(o);
    assert_true(contains(table.out, name));
  }
  assert_int_equal(count, 3);
  run_free(&names);
  run_free(&lines);
  run_free(&table);
  run_result text = run("solve cli_block.lcp --solver dantzig --tolerance 1e-12");
  assert_int_equal(text.status, 0);
  assert_true(contains(text.out, "2 rows with bounds, 1 of friction"));
  assert_true(contains(text.out, "outcome           solved"));
  assert_true(contains(text.out, "\n  z                 "));
  run_free(&text);
  remove("cli_block.lcp");
}

static void an_unsolvable_complementarity_problem_is_a_failure_that_is_explained(void **state)
{
  (void)state;
  write_file("cli_none.lcp", "lcp 2 2 0 0 0\n0 1 1\n1 0 -1\n1 -1\n");
  run_result r = run("solve cli_none.lcp");
  assert_int_equal(r.status, 1);
  assert_true(contains(r.out, "infeasible (proven: no z meets the signs of w)"));
  run_free(&r);
  r = run("solve cli_none.lcp --solver bgs");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "solver is \"bgs\", expected one of lemke, dantzig, pgs"));
  run_free(&r);
  r = run("solve cli_none.lcp --alpha 1");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "--alpha is for contact problems; .lcp files have no use for it"));
  run_free(&r);
  write_file("cli_solve.fc", easy);
  r = run("solve cli_none.lcp cli_solve.fc --solver lemke");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "cli_solve.fc: solver is \"lemke\""));
  run_free(&r);
  remove("cli_solve.fc");
  write_file("cli_none.lcp", "lcp 1 1 0 0 0\n0 0 x\n1\n");
  r = run("solve cli_none.lcp");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "cli_none.lcp:2: M: found 'x' where a number was expected"));
  run_free(&r);
  remove("cli_none.lcp");
}

static double item(const cJSON *array, int index)
{
  return cJSON_GetArrayItem(array, index)->valuedouble;
}

/* The disc that spins in a corner; its file has the closed form. */
static void impulses_of_a_problem_in_the_plane_are_those_of_the_closed_form(void **state)
{
  (void)state;
  const double normal[2] = {1.562 / 1.04, 2 + 0.2 * 1.562 / 1.04};
  cJSON *o = run_json("solve '" PK_SOURCE_DIR "/examples/problems/corner.fc' --impulses --json", 0);
  assert_true(number(o, "dimension") == 2);
  const cJSON *found = cJSON_GetObjectItem(o, "found"), *contacts = cJSON_GetObjectItem(found, "contacts");
  assert_int_equal(cJSON_GetArraySize(contacts), 2);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(found, "bilateral")), 0);
  for (int i = 0; i < 2; i++) {
    const cJSON *contact = cJSON_GetArrayItem(contacts, i);
    const cJSON *r = cJSON_GetObjectItem(contact, "r"), *u = cJSON_GetObjectItem(contact, "u");
    assert_int_equal(cJSON_GetArraySize(r), 2);
    assert_int_equal(cJSON_GetArraySize(u), 2);
    assert_near(item(r, 0), normal[i], 1e-7);
    assert_near(item(r, 1), 0.2 * normal[i], 1e-7);
    assert_near(item(u, 0), 0, 1e-7);
    assert_near(item(u, 1), -4 + 0.3 * normal[0] - 0.3 * normal[1], 1e-7);
  }
  cJSON_Delete(o);
  run_result r = run("solve '" PK_SOURCE_DIR "/examples/problems/corner.fc' --impulses");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "2 contacts in the plane, embedded"));
  assert_true(contains(r.out, "impulses r in N s and velocities u in m/s"));
  assert_true(contains(r.out, "1.50192307")); /* all digits follow */
  assert_null(strstr(r.out, "r_T2"));
  run_free(&r);
}

static char *read_whole(const char *path)
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 16);
  assert_greater(fread(text, 1, (1 << 16) - 1, file), 0);
  fclose(file);
  return text;
}

static void impulses_go_into_a_file(void **state)
{
  (void)state;
  /* a contact that presses, a bilateral row, a motor at its bound */
  write_file("cli_rows.fc",
             "rows 3 1 1 1 5 0\n0 0 0.5\n1 1 0.5\n2 2 0.5\n3 3 4\n4 4 2\n-1 0.1 0 0.8 8\n.5\n-3\n3\n");
  run_result r = run("solve cli_rows.fc --solver bgs --impulses=cli_found.txt");
  assert_int_equal(r.status, 0);
  assert_null(strstr(r.out, "impulses r in"));
  char *text = read_whole("cli_found.txt");
  static const char *const words[] = {"cli_rows.fc by bgs\n", "r_T2",     "bilateral rows",
                                      "-0.200000000000000",   "box rows", "-3"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    assert_true(contains(text, words[i]));
  }
  free(text);
  run_free(&r);
  r = run("solve cli_rows.fc --all --json --impulses=cli_found.txt");
  assert_int_equal(r.status, 0);
  assert_null(strstr(r.out, "found\":"));
  text = read_whole("cli_found.txt");
  cJSON *first = cJSON_Parse(text);
  const cJSON *found = cJSON_GetObjectItem(first, "found");
  const cJSON *contact = cJSON_GetArrayItem(cJSON_GetObjectItem(found, "contacts"), 0);
  assert_near(item(cJSON_GetObjectItem(contact, "r"), 0), 2, 1e-7);
  assert_near(item(cJSON_GetObjectItem(contact, "r"), 1), -0.2, 1e-7);
  assert_near(number(cJSON_GetArrayItem(cJSON_GetObjectItem(found, "bilateral"), 0), "r"), -0.2, 1e-7);
  assert_near(number(cJSON_GetArrayItem(cJSON_GetObjectItem(found, "box"), 0), "r"), -3, 1e-7);
  assert_near(number(cJSON_GetArrayItem(cJSON_GetObjectItem(found, "box"), 0), "u"), 2, 1e-7);
  cJSON_Delete(first);
  free(text);
  run_free(&r);
  r = run("solve cli_rows.fc --impulses=/nowhere/cli_found.txt");
  assert_int_equal(r.status, 1);
  assert_true(contains(r.err, "/nowhere/cli_found.txt"));
  run_free(&r);
  cJSON *o = run_json("solve '" PK_SOURCE_DIR "/examples/problems/foot.lcp' --impulses --json", 0);
  assert_near(item(cJSON_GetObjectItem(o, "z"), 0), 0.06, 1e-12);
  assert_near(item(cJSON_GetObjectItem(o, "w"), 1), 2.95, 1e-12);
  cJSON_Delete(o);
  remove("cli_rows.fc");
  remove("cli_found.txt");
}

/* A nanosecond is over when the clock is read for the second time. */
static void a_time_limit_is_told(void **state)
{
  (void)state;
  write_file("cli_solve.fc", easy);
  run_result r = run("solve cli_solve.fc --time-limit 1e-9");
  assert_int_equal(r.status, 1);
  assert_true(contains(r.out, "converged         no, stopped after 1e-09 s"));
  run_free(&r);
  cJSON *o = run_json("solve cli_solve.fc --time-limit 1e-9 --json", 1);
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "timed_out")));
  cJSON_Delete(o);
  o = run_json("solve cli_solve.fc --time-limit 0 --json", 0);
  assert_true(cJSON_IsFalse(cJSON_GetObjectItem(o, "timed_out")));
  cJSON_Delete(o);
  r = run("solve '" PK_SOURCE_DIR "/examples/problems/foot.lcp' --time-limit 1e-9");
  assert_int_equal(r.status, 1);
  assert_true(contains(r.out, "outcome           time limit"));
  assert_true(contains(r.out, "stopped after 1e-09 s"));
  run_free(&r);
  r = run("solve cli_solve.fc --time-limit -1");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "time_limit"));
  run_free(&r);
  remove("cli_solve.fc");
}

static void collected_problems_are_solved(void **state)
{
  (void)state;
  const char *folder = getenv("PRONK_PROBLEMS");
  if (folder == NULL) {
    skip();
  }
  static const char *const names[] = {"FC3D_Example1.fc", "Rover4396.fc", "NESpheres_10_1.fc"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char line[1024];
    snprintf(line, sizeof line, "solve '%s/%s' --json", folder, names[i]);
    cJSON *o = run_json(line, 0);
    assert_at_most(number(o, "relative"), 1e-8);
    cJSON_Delete(o);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_has_the_promised_fields),
      cmocka_unit_test(a_person_sees_shape_verdict_and_parts),
      cmocka_unit_test(a_stance_has_angles_forces_and_torques),
      cmocka_unit_test(a_stance_that_cannot_rest_is_told),
      cmocka_unit_test(a_regularised_problem_is_judged_as_the_one_given),
      cmocka_unit_test(all_tries_every_solver_that_works_from_W),
      cmocka_unit_test(the_solvers_in_velocities_ask_for_factors),
      cmocka_unit_test(sweeps_may_stop_by_their_change),
      cmocka_unit_test(a_tolerance_out_of_reach_is_a_failure),
      cmocka_unit_test(wrong_words_are_answered_with_the_right_ones),
      cmocka_unit_test(a_bad_file_does_not_stop_the_others),
      cmocka_unit_test(complementarity_problems_are_solved_by_every_solver_of_theirs),
      cmocka_unit_test(an_unsolvable_complementarity_problem_is_a_failure_that_is_explained),
      cmocka_unit_test(impulses_of_a_problem_in_the_plane_are_those_of_the_closed_form),
      cmocka_unit_test(impulses_go_into_a_file),
      cmocka_unit_test(a_time_limit_is_told),
      cmocka_unit_test(collected_problems_are_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
