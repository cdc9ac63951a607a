/* Dynamics on the graph, and emitted code of it, against the generic kernels. */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/bounds.h"
#include "support/pace.h"
#include "support/worst.h"
#include "symbolic/compile.h"
#include "symbolic/emit/emit.h"
#include "symbolic/graph/simplify.h"
#include "symbolic/robot/robot_parts.h"
#include "symbolic/robot_case.h"

enum { TREES = 200 };

/* |M a + h - tau| / (|M| |a| + |h| + |tau|) */
static double backward(const double *M, const double *a, const double *h, const double *tau, int n)
{
  double r[NU_MAX];
  for (int i = 0; i < n; i++) {
    r[i] = h[i] - tau[i];
    for (int j = 0; j < n; j++) {
      r[i] += M[i * n + j] * a[j];
    }
  }
  return n == 0 ? 0 : norm(r, n) / (norm(M, n * n) * norm(a, n) + norm(h, n) + norm(tau, n));
}

/* Forces and matrices: how far from the generic kernels' in the backward sense. */
static double forces_apart(const robot_case *c, unsigned open)
{
  const int n = c->model->nu;
  static double M[NU_MAX * NU_MAX], mine[NU_MAX * NU_MAX];
  double h[NU_MAX], tau[NU_MAX], none[NU_MAX] = {0};
  pk_mass_matrix(c->work, c->q, M);
  pk_inverse_dynamics(c->work, c->q, c->u, NULL, h);
  pk_inverse_dynamics(c->work, c->q, c->u, c->a, tau);
  const double scale = norm(M, n * n) * norm(c->a, n) + norm(h, n) + 1e-300;
  made crba = make(c, "crba", open), bias = make(c, "bias", open), rnea = make(c, "rnea", open);
  made aba = make(c, "aba", open), solve = make(c, "solve", open);
  dense(&crba, 0, true, mine);
  double worst = difference(mine, M, n * n) / (norm(M, n * n) + 1e-300);
  worst = larger(worst, difference(bias.at[0], h, n) / scale);
  worst = larger(worst, difference(rnea.at[0], tau, n) / scale);
  worst = larger(worst, backward(M, aba.at[0], h, c->tau, n));
  worst = larger(worst, backward(M, solve.at[0], none, c->tau, n));
  made *const all[] = {&crba, &bias, &rnea, &aba, &solve};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    unmake(all[i]);
  }
  return worst;
}

/* M = L' D L put together again. */
static double factor_apart(const robot_case *c)
{
  const int n = c->model->nu;
  static double M[NU_MAX * NU_MAX], L[NU_MAX * NU_MAX];
  pk_mass_matrix(c->work, c->q, M);
  made factor = make(c, "factor", 0);
  dense(&factor, 0, false, L);
  double worst = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = i; k < n; k++) {
        sum += (k == i ? 1 : L[k * n + i]) * (k == j ? 1 : L[k * n + j]) / L[k * n + k];
      }
      worst = larger(worst, fabs(sum - M[i * n + j]));
    }
  }
  unmake(&factor);
  return worst / (norm(M, n * n) + 1e-300);
}

/* Velocities of bodies, which are J u, and J against that of links. */
static double jacobian_apart(const robot_case *c)
{
  const pk_model *m = c->model;
  static double J[6 * (LINKS + ROBOTS) * 6 * NU_MAX], of_link[6 * NU_MAX];
  double worst = 0;
  made jacobian = make(c, "jacobian", 0), velocities = make(c, "velocities", 0);
  assert_in_range(m->nbody, 0, 6 * (LINKS + ROBOTS));
  dense(&jacobian, 0, false, J);
  for (int i = 0; i < m->nlink; i++) {
    const pk_model_link *l = &m->links[i];
    if (l->body < 0) {
      continue;
    }
    double origin[3]; /* of the body, in the link */
    for (int k = 0; k < 3; k++) {
      const double *rot = l->pose.rot, *p = l->pose.pos;
      origin[k] = -(rot[k] * p[0] + rot[3 + k] * p[1] + rot[6 + k] * p[2]);
    }
    const double *mine = J + 6 * l->body * m->nu;
    pk_link_jacobian(c->work, i, origin, of_link);
    worst = larger(worst, difference(mine, of_link, 6 * m->nu) / (1 + norm(of_link, 6 * m->nu)));
    for (int k = 0; k < 6; k++) {
      double v = 0;
      for (int j = 0; j < m->nu; j++) {
        v += of_link[k * m->nu + j] * c->u[j];
      }
      worst = larger(worst, fabs(v - velocities.at[0][6 * l->body + k]) / 100);
    }
  }
  unmake(&jacobian);
  unmake(&velocities);
  return worst;
}

/* Poses, points, energy, momentum. */
static double places_apart(const robot_case *c)
{
  const pk_model *m = c->model;
  double worst = 0;
  pk_kinematics_compute(c->work, c->q, c->u);
  made where = make(c, "kinematics", 0), energy = make(c, "energy", 0), momentum = make(c, "momentum", 0);
  worst = larger(worst, jacobian_apart(c));
  for (int i = 0; i < m->nlink; i++) {
    const int b = m->links[i].body;
    if (b < 0) {
      continue;
    }
    const pk_pose pose = pk_link_pose(c->work, i);
    const double *R = where.at[0] + 9 * b, *o = where.at[1] + 3 * b, *p = m->links[i].pose.pos;
    for (int k = 0; k < 3; k++) {
      worst = larger(worst,
                     fabs(o[k] + R[3 * k] * p[0] + R[3 * k + 1] * p[1] + R[3 * k + 2] * p[2] - pose.pos[k]));
    }
  }
  const pk_energy e = pk_energy_compute(c->work, c->u);
  worst = larger(worst, fabs(e.kinetic - energy.at[0][0]) / (fabs(e.kinetic) + 1));
  worst = larger(worst, fabs(e.potential - energy.at[1][0]) / (fabs(e.potential) + 10));
  double P[6], com[3], vel[3];
  pk_momentum_compute(c->work, -1, P);
  pk_com_compute(c->work, -1, com, vel);
  worst = larger(worst, difference(P, momentum.at[1], 6) / (norm(P, 6) + 10));
  worst = larger(worst, difference(com, momentum.at[0], 3));
  unmake(&where);
  unmake(&energy);
  unmake(&momentum);
  return worst;
}

static double points_apart(const robot_case *c)
{
  const pk_model *m = c->model;
  const int n = pki_robot_points(m, NULL, NULL);
  int *body = calloc((size_t)n + 1, sizeof *body);
  double(*at)[3] = calloc((size_t)n + 1, sizeof *at), worst = 0;
  static double J[6 * NU_MAX], mine[3 * 4 * LINKS * NU_MAX];
  assert_non_null(body);
  assert_non_null(at);
  assert_at_most(n, 4 * LINKS);
  pki_robot_points(m, body, at);
  made points = make(c, "points", 0);
  dense(&points, 2, false, mine);
  pk_kinematics_compute(c->work, c->q, c->u);
  for (int i = 0; i < n; i++) {
    /* the point in a link of that body */
    int link = 0;
    while (m->links[link].body != body[i]) {
      link++;
    }
    const pk_pose *l = &m->links[link].pose;
    double local[3], rel[3];
    for (int k = 0; k < 3; k++) {
      rel[k] = at[i][k] - l->pos[k];
    }
    for (int k = 0; k < 3; k++) {
      local[k] = l->rot[k] * rel[0] + l->rot[3 + k] * rel[1] + l->rot[6 + k] * rel[2];
    }
    pk_link_jacobian(c->work, link, local, J);
    const pk_pose pose = pk_link_pose(c->work, link);
    for (int k = 0; k < 3; k++) {
      const double *r = pose.rot + 3 * k,
                   p = pose.pos[k] + r[0] * local[0] + r[1] * local[1] + r[2] * local[2];
      double v = 0;
      for (int j = 0; j < m->nu; j++) {
        v += J[(3 + k) * m->nu + j] * c->u[j];
      }
      worst = larger(worst, fabs(p - points.at[0][3 * i + k]));
      worst = larger(worst, fabs(v - points.at[1][3 * i + k]) / 10);
      worst = larger(worst, difference(J + (3 + k) * m->nu, mine + (3 * i + k) * m->nu, m->nu));
    }
  }
  unmake(&points);
  free(body);
  free(at);
  return worst;
}

static double all_apart(const robot_case *c, unsigned open)
{
  double worst = larger(forces_apart(c, open), larger(factor_apart(c), places_apart(c)));
  return pki_robot_points(c->model, NULL, NULL) > 0 ? larger(worst, points_apart(c)) : worst;
}

static void robots_move_as_the_generic_kernels_say(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(5);
  for (size_t i = 0; i < sizeof robot_names / sizeof robot_names[0]; i++) {
    robot_case c = named_case(&rng, robot_names[i]);
    const double baked = all_apart(&c, 0), open = all_apart(&c, 15);
    print_message("%s: %.2g, parameters open %.2g\n", robot_names[i], baked, open);
    assert_less(baked, 1e-12);
    assert_less(open, 1e-12);
    free_case(&c);
  }
}

static void random_trees_move_as_the_generic_kernels_say(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(6);
  double worst = 0;
  for (int k = 0; k < PACE(TREES, 25); k++) {
    robot_case c = tree_case(&rng, k);
    worst = larger(worst, all_apart(&c, k % 4 == 3 ? 15 : 0));
    free_case(&c);
  }
  print_message("largest difference %.2g\n", worst);
  assert_less(worst, 1e-12);
}

/* ---- emitted code ---- */

static const char *const of_forces[] = {"crba", "bias", "rnea", "aba", "solve", "factor"};

static void emit_forces(const robot_case *c, int k, pki_text *source)
{
  pk_error err;
  snprintf(robot_prefix, sizeof robot_prefix, "r%d", k);
  pki_emit_lanes(robot_prefix, source);
  for (size_t i = 0; i < sizeof of_forces / sizeof of_forces[0]; i++) {
    pki_graph *g = pki_graph_create(false), *less = pki_graph_create(false);
    pki_function f, simple;
    assert_int_equal(pki_robot_function(g, c->model, NULL, of_forces[i], &f, &err), PK_OK);
    assert_true(pki_simplify(&f, less, &simple));
    pki_emit_function(&simple, robot_prefix, source);
    pki_function_free(&f);
    pki_function_free(&simple);
    pki_graph_destroy(g);
    pki_graph_destroy(less);
  }
}

/* Robots, compiled together. */
static double emitted_apart(robot_case *cases, int count)
{
  pki_text source = {0};
  double worst = 0;
  for (int k = 0; k < count; k++) {
    emit_forces(&cases[k], k, &source);
  }
  assert_false(source.failed);
  robot_code = compiled(source.data, found("clang") ? "clang" : "gcc", "-O0 -march=native");
  assert_non_null(robot_code);
  for (int k = 0; k < count; k++) {
    snprintf(robot_prefix, sizeof robot_prefix, "r%d", k);
    worst = larger(worst, larger(forces_apart(&cases[k], 0), factor_apart(&cases[k])));
    free_case(&cases[k]);
  }
  dlclose(robot_code);
  robot_code = NULL;
  pki_text_free(&source);
  return worst;
}

static void emitted_code_of_robots_moves_as_the_generic_kernels_say(void **state)
{
  (void)state;
  enum { NAMED = sizeof robot_names / sizeof robot_names[0] };
  pki_random rng = pki_random_seeded(11);
  robot_case cases[NAMED];
  for (int i = 0; i < NAMED; i++) {
    cases[i] = named_case(&rng, robot_names[i]);
  }
  const double worst = emitted_apart(cases, NAMED);
  print_message("largest difference %.2g\n", worst);
  assert_less(worst, 1e-12);
}

/* Random trees, twenty at a time. */
static void hold_emitted_trees(int trees)
{
  enum { TOGETHER = 20 };
  static robot_case cases[TOGETHER];
  pki_random rng = pki_random_seeded(12);
  double worst = 0;
  for (int k = 0; k < trees; k += TOGETHER) {
    const int count = trees - k < TOGETHER ? trees - k : TOGETHER;
    for (int i = 0; i < count; i++) {
      cases[i] = tree_case(&rng, k + i);
    }
    worst = larger(worst, emitted_apart(cases, count));
  }
  print_message("%d trees: largest difference %.2g\n", trees, worst);
  assert_less(worst, 1e-12);
}

static void emitted_code_of_random_trees_moves_as_the_generic_kernels_say(void **state)
{
  (void)state;
  hold_emitted_trees(PACE(10, 4));
}

static void emitted_code_of_many_random_trees_moves_as_the_generic_kernels_say(void **state)
{
  (void)state;
  hold_emitted_trees(TREES);
}

/* ---- structure ---- */

static void a_pendulum_takes_few_operations(void **state)
{
  (void)state;
  pk_error err;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_chain_options o = pk_chain_options_default();
  robot_case c = {0};
  o.links = 1;
  assert_int_equal(pk_builder_add_chain(b, &o, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &c.model, &err), PK_OK);
  pk_builder_destroy(b);
  pki_random rng = pki_random_seeded(9);
  place(&c, &rng);
  made aba = make(&c, "aba", 0), crba = make(&c, "crba", 0);
  const pki_operations count = pki_function_count(&aba.f);
  /* tau/I - m g l sin q/I: two products and a difference; the inertia is a constant */
  assert_int_equal(count.sines, 1);
  assert_at_most(pki_count_all(count), 4);
  assert_int_equal(pki_count_all(pki_function_count(&crba.f)), 0);
  unmake(&aba);
  unmake(&crba);
  free_case(&c);
}

static void a_name_that_is_none_is_told(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(10);
  robot_case c = named_case(&rng, "ur10");
  pki_graph *g = pki_graph_create(false);
  pki_function f;
  pk_error err;
  assert_int_equal(pki_robot_function(g, c.model, NULL, "crbs", &f, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "there is no function \"crbs\"; did you mean \"crba\"?"));
  pki_graph_destroy(g);
  free_case(&c);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(robots_move_as_the_generic_kernels_say),
      cmocka_unit_test(random_trees_move_as_the_generic_kernels_say),
      cmocka_unit_test(emitted_code_of_robots_moves_as_the_generic_kernels_say),
      cmocka_unit_test(emitted_code_of_random_trees_moves_as_the_generic_kernels_say),
      cmocka_unit_test(a_pendulum_takes_few_operations),
      cmocka_unit_test(a_name_that_is_none_is_told),
  };
  const struct CMUnitTest many[] = {
      cmocka_unit_test(emitted_code_of_many_random_trees_moves_as_the_generic_kernels_say),
  };
  if (argc > 1 && strcmp(argv[1], "many") == 0) {
    if (getenv("PRONK_LONG") == NULL) {
      puts("PRONK_LONG is not set");
      return 77;
    }
    return cmocka_run_group_tests(many, NULL, NULL);
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
