/* The edges on which a robot stands, and S_H about them: the rows of the optimiser against the measure of the stage `stability`. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "optimize/motion/robot_functions.h"
#include "optimize/motion/solution.h"
#include "support/bounds.h"
#include "support/motion_problems.h"

/* StarLETH on four feet. */
static pki_motion_problem standing(const pk_model *m)
{
  pki_motion_problem p;
  pk_error err = {.message = ""};
  stand_starleth(&p, m);
  add_phase(&p, 15, 1, 1, 1);
  assert_int_equal(pki_motion_validate(&p, &err), PK_OK);
  return p;
}

/* A random state near the standing pose in which the standing feet are on the ground. */
static void random_stance(const pki_motion_problem *p, pk_workspace *w, unsigned stance, pki_random *rng,
                          pki_motion_point *at)
{
  const pk_model *m = p->model;
  const char *const knees[] = {"LF_KFE", "RF_KFE", "LH_KFE", "RH_KFE"};
  for (int k = 0; k < m->nu; k++) {
    at->q[k] = p->pose[k] + 0.15 * pki_random_between(rng, -1, 1) * (k == 2 ? 0.1 : 1);
    at->v[k] = 2 * pki_random_between(rng, -1, 1);
  }
  at->q[2] -= 0.1; /* low enough for all feet to reach it */
  for (int i = 0; i < p->nfoot; i++) {
    const int knee = coordinate_of(m, knees[i]);
    for (int step = 0; step < 60 && (stance >> i & 1u) != 0; step++) { /* Newton's steps of the knee alone */
      double here[3], there[3];
      const double d = 1e-6;
      pk_kinematics_compute(w, at->q, NULL);
      pki_motion_place_foot(p, w, i, here);
      at->q[knee] += d;
      pk_kinematics_compute(w, at->q, NULL);
      pki_motion_place_foot(p, w, i, there);
      at->q[knee] += -d - fmin(fmax(here[2] / ((there[2] - here[2]) / d), -0.1), 0.1);
    }
  }
  pk_kinematics_compute(w, at->q, NULL);
  for (int i = 0; i < p->nfoot; i++) {
    double here[3];
    pki_motion_place_foot(p, w, i, here);
    assert_near((stance >> i & 1u) != 0 ? here[2] : 0, 0, 1e-14);
  }
}

/* S_H of an edge by the numbers of the optimiser: the branch that its rows take. */
static double margin_of(const pki_motion_edge *edge, const double *numbers)
{
  if (!edge->diagonal) {
    return numbers[PKI_EDGE_HOLDS];
  }
  const double catches = numbers[PKI_EDGE_CATCHES], rolls = numbers[PKI_EDGE_ROLLS];
  return edge->third < 0 && numbers[PKI_EDGE_R_H] > 0 ? fmin(rolls, catches) : catches;
}

static void compare_edges(const pki_motion_robot *robot, pk_workspace *w, unsigned stance, pki_random *rng)
{
  const pki_motion_problem *p = robot->problem;
  const double unit = robot->mass * robot->length * sqrt(robot->gravity * robot->length);
  const int n = p->model->nu;
  pki_motion_edge edges[PKI_MOTION_EDGES];
  pki_nlp_function *f;
  const int count = pki_motion_find_edges(p, stance, edges);
  assert_int_equal(pki_motion_edges_create(robot, stance, &f, NULL), PK_OK);
  for (int round = 0; round < 20; round++) {
    pki_motion_point at = {0};
    pki_motion_edges measured;
    double in[2 * PKI_MOTION_DOFS], numbers[PKI_MOTION_EDGES * PKI_EDGE_NUMBERS], least = INFINITY;
    random_stance(p, w, stance, rng, &at);
    pki_motion_stability(p, w, &at, stance, &measured);
    memcpy(in, at.q, (size_t)n * sizeof *in);
    memcpy(in + n, at.v, (size_t)n * sizeof *in);
    assert_true(pki_nlp_function_value(f, 1, in, NULL, numbers));
    assert_int_equal(measured.count, count);
    for (int k = 0; k < count; k++) {
      const double *e = numbers + (size_t)k * PKI_EDGE_NUMBERS;
      int same = 0;
      for (int j = 0; j < measured.count; j++) {
        same += fabs(measured.H[j] - e[PKI_EDGE_H]) < 1e-12 * unit &&
                fabs(measured.H_ref[j] - e[PKI_EDGE_H_REF]) < 1e-12 * unit &&
                fabs(measured.H_max[j] - e[PKI_EDGE_H_MAX]) < 1e-12 * unit &&
                fabs(measured.S[j] - margin_of(&edges[k], e)) < 1e-12 * unit;
      }
      assert_int_equal(same, 1);
      least = fmin(least, margin_of(&edges[k], e));
    }
    assert_near(least, measured.least, 1e-12 * unit);
  }
  pki_nlp_function_destroy(f);
}

/* All sets of two, three and four feet: sides, diagonals, a third foot behind and in front of them. */
static void S_H_of_the_rows_is_that_of_the_measure(void **state)
{
  const pk_model *m = *state;
  pki_motion_problem p = standing(m);
  pki_motion_robot *robot;
  pk_workspace *w;
  pki_random rng = pki_random_seeded(23);
  assert_int_equal(pki_motion_robot_create(&p, &robot, NULL), PK_OK);
  assert_int_equal(pk_workspace_create(m, &w, NULL), PK_OK);
  for (unsigned stance = 0; stance < 16; stance++) {
    p.tip_perpendicular = stance % 2 != 0;
    if (__builtin_popcount(stance) >= 2) {
      compare_edges(robot, w, stance, &rng);
    }
  }
  pk_workspace_destroy(w);
  pki_motion_robot_destroy(robot);
}

static void edges_lead_outward_and_diagonals_forward(void **state)
{
  enum { LF, RF, LH, RH };
  static const struct {
    unsigned stance;
    int count;
    pki_motion_edge first; /* one of them */
  } rows[] = {
      {0, 0, {0}},
      {1, 0, {0}},
      {1 | 4, 1, {LF, LH, false, -1}}, /* left */
      {2 | 8, 1, {RH, RF, false, -1}}, /* right */
      {1 | 2, 1, {RF, LF, false, -1}}, /* front */
      {4 | 8, 1, {LH, RH, false, -1}}, /* rear */
      {1 | 8, 1, {RH, LF, true, -1}},  /* forward over both diagonals */
      {2 | 4, 1, {RF, LH, true, -1}},
      {1 | 8 | 4, 3, {RH, LF, true, LH}},  /* the third foot behind */
      {1 | 8 | 2, 3, {LF, RH, false, RF}}, /* and in front: it tips backwards */
      {2 | 4 | 8, 3, {RF, LH, true, RH}},
      {2 | 4 | 1, 3, {LH, RF, false, LF}},
      {15, 4, {RF, LF, false, -1}},
  };
  pki_motion_problem p = standing(*state);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    pki_motion_edge edges[PKI_MOTION_EDGES];
    const int count = pki_motion_find_edges(&p, rows[i].stance, edges);
    int same = 0;
    assert_int_equal(count, rows[i].count);
    for (int k = 0; k < count; k++) {
      const pki_motion_edge *a = &edges[k], *b = &rows[i].first;
      same += a->from == b->from && a->to == b->to && a->diagonal == b->diagonal && a->third == b->third;
    }
    assert_int_equal(same, count > 0 ? 1 : 0);
  }
}

static int set_up_model(void **state)
{
  *state = chain_model("starleth");
  return 0;
}

static int destroy_model(void **state)
{
  pk_model_destroy(*state);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(S_H_of_the_rows_is_that_of_the_measure),
      cmocka_unit_test(edges_lead_outward_and_diagonals_forward),
  };
  return cmocka_run_group_tests(tests, set_up_model, destroy_model);
}
