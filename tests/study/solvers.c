/* The study of solvers: its instruments measure what they say, and it holds what it is held to. */
#define _POSIX_C_SOURCE 200809L
#include "study/solvers/solvers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "contact/problem/problem.h"
#include "quick.h"
#include "step/world.h"
#include "support/bounds.h"
#include "support/pace.h"

/* --- linear friction ------------------------------------------------------------------- */

/* A point of 2 kg comes down at 1 m/s and slides at 5 m/s in the direction `angle`: r_N = 2 N s, and friction at its most
 * cannot stop it. */
static const double mu = 0.5, normal = 2, pi = 3.141592653589793;

static void solve_point(double angle, pki_linear_form form, pk_lcp_solver solver, double r[3])
{
  const double W[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
  const double q[3] = {-1, 5 * cos(angle), 5 * sin(angle)};
  const pk_contact_problem p = {.ncontact = 1, .W = W, .q = q, .mu = &mu};
  pki_linear linear = {0};
  pk_error err = {0};
  assert_true(pki_linear_create(&linear, &p, form));
  assert_int_equal(pk_lcp_validate(&linear.lcp, &err), PK_OK);
  pk_lcp_options o = pk_lcp_options_default();
  o.solver = solver;
  void *memory = pki_aligned_alloc(pk_lcp_solve_memsize(&linear.lcp, &o));
  assert_non_null(memory);
  pk_lcp_result result;
  assert_int_equal(pk_lcp_solve(&linear.lcp, &o, linear.z, memory, &result), PK_OK);
  pki_linear_impulses(&linear, &p, r);
  pki_aligned_free(memory);
  pki_linear_free(&linear);
}

static double brake(const double r[3], double angle)
{
  return -(r[1] * cos(angle) + r[2] * sin(angle));
}

static void friction_along_a_corner_of_the_pyramid_is_coulombs(void **state)
{
  (void)state;
  for (int form = PKI_LINEAR_PYRAMID4; form <= PKI_LINEAR_PYRAMID8; form++) {
    const int corners = form == PKI_LINEAR_PYRAMID4 ? 4 : 8;
    for (int k = 0; k < corners; k++) {
      double r[3];
      const double angle = 2 * pi * k / corners;
      solve_point(angle, (pki_linear_form)form, PK_LCP_SOLVER_LEMKE, r);
      assert_less(fabs(r[0] - normal), 1e-12);
      assert_less(fabs(brake(r, angle) - mu * normal), 1e-12);
      assert_less(fabs(hypot(r[1], r[2]) - mu * normal), 1e-12);
    }
  }
}

static void between_corners_the_pyramid_brakes_less_and_the_box_more(void **state)
{
  (void)state;
  double r[3];
  solve_point(pi / 4, PKI_LINEAR_PYRAMID4, PK_LCP_SOLVER_LEMKE, r);
  assert_less(fabs(brake(r, pi / 4) - mu * normal * cos(pi / 4)), 1e-12);
  solve_point(pi / 8, PKI_LINEAR_PYRAMID8, PK_LCP_SOLVER_LEMKE, r);
  assert_less(fabs(brake(r, pi / 8) - mu * normal * cos(pi / 8)), 1e-12);
  for (int solver = 0; solver < PK_LCP_SOLVER_COUNT; solver++) {
    solve_point(pi / 4, PKI_LINEAR_BOX, (pk_lcp_solver)solver, r);
    assert_less(fabs(brake(r, pi / 4) - mu * normal * sqrt(2)), 1e-7);
  }
}

static void rows_that_are_no_contacts_keep_their_laws(void **state)
{
  (void)state;
  /* a bilateral row and a box row, both alone: -q/W, and the upper bound */
  const double W[4] = {2, 0, 0, 4}, q[2] = {3, -100}, lower = -1, upper = 5;
  const pk_contact_problem p = {.nbilateral = 1, .nbox = 1, .W = W, .q = q, .lower = &lower, .upper = &upper};
  for (int form = 0; form < PKI_LINEAR_FORMS; form++) {
    pki_linear linear = {0};
    double r[2];
    assert_true(pki_linear_create(&linear, &p, (pki_linear_form)form));
    const pk_lcp_options o = pk_lcp_options_default();
    void *memory = pki_aligned_alloc(pk_lcp_solve_memsize(&linear.lcp, &o));
    pk_lcp_result result;
    assert_int_equal(pk_lcp_solve(&linear.lcp, &o, linear.z, memory, &result), PK_OK);
    pki_linear_impulses(&linear, &p, r);
    assert_less(fabs(r[0] + 1.5), 1e-12);
    assert_less(fabs(r[1] - 5), 1e-12);
    pki_aligned_free(memory);
    pki_linear_free(&linear);
  }
}

/* --- kinds ----------------------------------------------------------------------------- */

static void the_rank_of_a_product_is_its_inner_size(void **state)
{
  (void)state;
  enum { N = 12 };
  pki_random random = pki_random_seeded(3);
  for (int rank = 0; rank <= N; rank++) {
    double J[N][N], A[N * N], spread;
    for (int i = 0; i < N * N; i++) {
      J[i / N][i % N] = pki_random_normal(&random);
    }
    for (int i = 0; i < N * N; i++) {
      A[i] = pki_dot(J[i / N], J[i % N], rank);
    }
    assert_int_equal(pki_solvers_rank(A, N, &spread), rank);
    assert_at_least(spread, 1);
    assert_true(isfinite(spread));
  }
  double D[9] = {1, 0, 0, 0, 100, 0, 0, 0, 10}, spread;
  assert_int_equal(pki_solvers_rank(D, 3, &spread), 3);
  assert_less(fabs(spread - 100), 1e-12);
}

static void sliding_is_seen_where_a_contact_carries(void **state)
{
  (void)state;
  double W[36] = {0}, u[6];
  for (int i = 0; i < 6; i++) {
    W[7 * i] = 1;
  }
  const double q[6] = {-1, 0, 0, 1, 3, 0}, both[2] = {0.5, 0.5};
  const pk_contact_problem p = {.ncontact = 2, .W = W, .q = q, .mu = both};
  const double open[6] = {1, 0, 0, 0, 0, 0}, carries[6] = {1, 0, 0, 1, 0, 0};
  assert_false(pki_solvers_slides(&p, open, u)); /* the second moves, in the air */
  assert_true(pki_solvers_slides(&p, carries, u));
}

static void classes_have_names_of_their_own(void **state)
{
  (void)state;
  const pki_solvers_kind kind = {.contacts = 13, .excess = 2, .slides = true};
  char name[80], other[80];
  pki_solvers_class_name(pki_solvers_class(&kind), name, sizeof name);
  assert_string_equal(name, "13 to 40 contacts, hyperstatic, sliding");
  for (int a = 0; a < PKI_SOLVERS_CLASSES; a++) {
    pki_solvers_class_name(a, name, sizeof name);
    for (int b = 0; b < a; b++) {
      pki_solvers_class_name(b, other, sizeof other);
      assert_string_not_equal(name, other);
    }
  }
}

/* --- figures --------------------------------------------------------------------------- */

static pki_solver_result made(bool claims, bool solved, double time)
{
  return (pki_solver_result){
      .tried = true, .claims = claims, .solved = solved, .time = time, .residual = time};
}

static void figures_follow_from_the_tries(void **state)
{
  (void)state;
  pki_solvers_record records[4] = {0};
  pki_solvers_data d = {.records = records, .n = 4};
  pki_solvers_entrants(d.entrants);
  for (int i = 0; i < 4; i++) {
    pki_solver_result *t = records[i].tries[PKI_COLD];
    records[i].kind.contacts = 1;
    t[PK_SOLVER_AUTO] = made(true, true, 2);               /* always, in 2 */
    t[PK_SOLVER_BGS] = made(i > 0, i > 0, 1);              /* three times, in 1 */
    t[PK_SOLVER_NEWTON] = made(true, true, i < 3 ? 1 : 9); /* always, in 1, once in 9 */
    t[PK_SOLVER_JOR] = made(true, i != 2, 5);              /* claims once too often */
  }
  assert_int_equal(pki_solvers_winner(&d, PKI_COLD, 0), PK_SOLVER_AUTO); /* bgs fails, newton's mean is 3 */
  assert_int_equal(pki_solvers_winner(&d, PKI_WARM, 0), -1);
  assert_true(pki_solvers_profile(&d, PKI_COLD, PK_SOLVER_NEWTON, 1) == 0.75);
  assert_true(pki_solvers_profile(&d, PKI_COLD, PK_SOLVER_AUTO, 1.5) == 0);
  assert_true(pki_solvers_profile(&d, PKI_COLD, PK_SOLVER_AUTO, 2) == 1);
  assert_true(pki_solvers_profile(&d, PKI_COLD, PK_SOLVER_BGS, 1e9) == 0.75);
  assert_true(pki_solvers_reached(&d, PKI_COLD, PK_SOLVER_NEWTON, 1) == 0.75);
  assert_true(isnan(pki_solvers_reached(&d, PKI_COLD, PK_SOLVER_IPM, 1)));
  const pki_solvers_score jor = pki_solvers_score_of(&d, PKI_COLD, PK_SOLVER_JOR, -1);
  assert_int_equal(jor.tried, 4);
  assert_int_equal(jor.solved, 3);
  assert_int_equal(jor.denied, 1);
  const pki_solvers_score newton = pki_solvers_score_of(&d, PKI_COLD, PK_SOLVER_NEWTON, 0);
  assert_true(newton.mean == 3 && newton.time[0] == 1 && newton.time[1] == 9);
  assert_int_equal(pki_solvers_score_of(&d, PKI_COLD, PK_SOLVER_JOR, 1).tried, 0);

  /* a claim that the judge denies is a miss, and says who is held to what */
  pki_study_result result = {0};
  pki_solvers_rows(&d, &result);
  assert_int_equal(pki_study_get(&result, "claims/contact/denied")->verdict, PKI_VERDICT_MISSES);
  assert_int_equal(pki_study_get(&result, "claims/lcp/denied")->verdict, PKI_VERDICT_HOLDS);
  assert_int_equal(pki_study_get(&result, "auto/cold/unsolved")->verdict, PKI_VERDICT_HOLDS);
  assert_string_equal(pki_study_get(&result, "pick/0/cold")->note, "auto, solves 4 of 4");
  pki_study_free(&result);
}

/* --- problems of a world --------------------------------------------------------------- */

typedef struct seen {
  pki_solvers_problem problem;
  int count, apart; /* problems; entries in which W and its factor differ */
} seen;

static void see(void *user, const pk_contact_problem *p, const double *r)
{
  seen *s = user;
  const int rows = pk_contact_size(p);
  pk_contact_problem factor = *p;
  pk_error err = {0};
  factor.W = NULL;
  s->count++;
  assert_int_equal(pk_contact_validate(p, &err), PK_OK);
  for (int i = 0; i < rows && p->W != NULL; i++) {
    for (int j = 0; j < rows; j++) {
      const double most = sqrt(pki_entry(p, i, i) * pki_entry(p, j, j));
      s->apart += fabs(p->W[i * rows + j] - pki_entry(&factor, i, j)) > 1e-12 * most;
    }
  }
  assert_true(pki_solvers_take(&s->problem, p, r));
}

static void a_world_shows_its_problems_and_every_solver_agrees_on_them(void **state)
{
  (void)state;
  char path[PKI_PATH_MAX];
  pk_error err = {0};
  pki_scenario *scenario = NULL;
  pki_world world = {0};
  assert_int_equal(pki_scenario_locate("starleth-stand", path, &err), PK_OK);
  assert_int_equal(pki_scenario_load(path, NULL, 0, &scenario, &err), PK_OK);
  assert_int_equal(pki_world_create(scenario, &world, &err), PK_OK);
  seen s = {.problem = {.tolerance = 1e-10, .max_iterations = 5000}};
  world.sim->contact.observer = (pki_problem_observer){see, &s};
  for (int k = 0; k < 20; k++) {
    pk_step_info info;
    assert_int_equal(pki_world_step(&world, &info), PK_OK);
  }
  assert_at_least(s.count, 20);
  assert_int_equal(s.apart, 0);
  assert_int_equal(s.problem.p.ncontact, 4);

  /* it stands: nobody is on the rim of a cone, all cones have the same solution, and twelve rows of four feet fix it */
  pki_solvers_kind kind = {0};
  assert_true(pki_solvers_measure(&s.problem.p, &kind));
  assert_int_equal(kind.excess, 0);
  pki_entrant_solver entrants[PKI_SOLVERS];
  pki_solvers_entrants(entrants);
  double first[12];
  for (int e = 0; e < PKI_SOLVERS; e++) {
    pki_solver_result t;
    assert_true(pki_solvers_try(&s.problem, &entrants[e], PKI_COLD, &t));
    assert_true(t.tried);
    assert_true(t.claims == t.solved);
    for (int i = 0; i < 12; i++) {
      first[i] = e == 0 ? s.problem.other[i] : first[i];
      assert_true(!t.solved || fabs(s.problem.other[i] - first[i]) < 1e-6);
    }
    assert_true(t.solved || e == PK_SOLVER_IPM_VELOCITY); /* its last digits hang on its own scale */
  }
  pki_solvers_problem_free(&s.problem);
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
}

/* --- the study ------------------------------------------------------------------------- */

static void the_quick_study_holds_what_it_is_held_to(void **state)
{
  (void)state;
  SKIP_WHEN_SLOW("the quick study as a whole: its parts stand for it");
  char folder[] = "pronk-study-XXXXXX";
  pki_study_result result = {0};
  assert_true(run_quick_study("solvers", folder, &result));
  static const char *const held[] = {"auto/cold/unsolved", "auto/warm/unsolved", "claims/contact/denied",
                                     "claims/lcp/denied"};
  for (size_t i = 0; i < sizeof held / sizeof held[0]; i++) {
    const pki_study_row *row = pki_study_get(&result, held[i]);
    assert_non_null(row);
    assert_true(row->measured == 0);
    assert_int_equal(row->verdict, PKI_VERDICT_HOLDS);
  }
  assert_judged(&result);
  assert_at_least(pki_study_get(&result, "problems")->measured, 40);
  assert_true(pki_study_get(&result, "cold/auto/solved")->measured == 100);
  assert_non_null(pki_study_get(&result, "cold/lemke-pyramid-8/residual"));
  assert_null(pki_study_get(&result, "warm/lemke-pyramid-8/residual"));
  assert_non_null(strstr(result.summary.data, "Which solver"));

  static const char *const files[] = {"report.html", "profile.svg", "accuracy.svg", "time.svg", "kind.svg"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    assert_int_equal(remove(path), 0); /* it was there */
  }
  assert_int_equal(rmdir(folder), 0); /* and nothing else */
  pki_study_free(&result);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_along_a_corner_of_the_pyramid_is_coulombs),
      cmocka_unit_test(between_corners_the_pyramid_brakes_less_and_the_box_more),
      cmocka_unit_test(rows_that_are_no_contacts_keep_their_laws),
      cmocka_unit_test(the_rank_of_a_product_is_its_inner_size),
      cmocka_unit_test(sliding_is_seen_where_a_contact_carries),
      cmocka_unit_test(classes_have_names_of_their_own),
      cmocka_unit_test(figures_follow_from_the_tries),
      cmocka_unit_test(a_world_shows_its_problems_and_every_solver_agrees_on_them),
      cmocka_unit_test(the_quick_study_holds_what_it_is_held_to),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
