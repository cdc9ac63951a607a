/* The program of a motion at points that are known, what its solution leaves for the next one, and its grid. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "optimize/motion/profile.h"
#include "optimize/motion/refine.h"
#include "pronk/dynamics.h"
#include "support/bounds.h"
#include "support/motion_problems.h"

static double *rows_of(const pki_nlp *nlp)
{
  double *rows = calloc((size_t)nlp->ng + 1, sizeof *rows);
  assert_non_null(rows);
  assert_true(pki_nlp_constraints(nlp, nlp->x, rows));
  return rows;
}

static bool has_label(const pki_nlp_label *label, const char *what, const char *of, int phase, int point)
{
  return strcmp(label->what, what) == 0 &&
         (of == NULL || (label->of != NULL && strcmp(label->of, of) == 0)) && label->phase == phase &&
         label->point == point;
}

/* The first row of a label; the test fails when there is none. */
static int find_row(const pki_nlp *nlp, const char *what, const char *of, int phase, int point)
{
  for (int i = 0; i < nlp->ng; i++) {
    if (has_label(&nlp->row_label[i], what, of, phase, point)) {
      return i;
    }
  }
  fail_msg("there is no row \"%s\"", what);
  return -1;
}

/* ---- cubics ---- */

/* StarLETH in the air in one phase of intervals of different lengths. */
static void build_flight(built_motion *m, const pk_model *model)
{
  pki_motion_problem p;
  stand_starleth(&p, model);
  add_phase(&p, 0, 3, 0.4, 0.4);
  build_motion(m, &p, NULL);
  m->grid.share[0][0] = 0.2, m->grid.share[0][1] = 0.5, m->grid.share[0][2] = 0.3;
  pki_motion_program_destroy(m->program);
  assert_int_equal(pki_motion_program_create(&m->problem, m->robot, &m->small, &m->grid, &m->program, NULL),
                   PK_OK);
  m->program->nlp->x[m->program->duration[0]] = 0.4;
}

/* All coordinates as polynomials of time with their rates. */
static void follow_polynomials(const built_motion *m, int degree, double coefficients[][5])
{
  const pki_motion_program *program = m->program;
  for (int point = 0; point < pki_motion_points(&m->grid, 0); point++) {
    const pki_point_variables *at = &program->points[0][point];
    const double t = 0.4 * pki_motion_grid_at(&m->grid, 0, point);
    for (int k = 0; k < m->robot->n; k++) {
      const double *c = coefficients[k];
      double q = 0, v = 0, a = 0;
      for (int d = degree; d >= 0; d--) {
        q += c[d] * pow(t, d);
        v += d > 0 ? d * c[d] * pow(t, d - 1) : 0;
        a += d > 1 ? d * (d - 1) * c[d] * pow(t, d - 2) : 0;
      }
      program->nlp->x[at->q + k] = q, program->nlp->x[at->v + k] = v, program->nlp->x[at->a + k] = a;
    }
  }
}

/* Of a polynomial of degree four the cubic through both ends misses the middle by c h^4/16; all else is exact. */
static void cubics_are_exact_and_quartics_miss_the_middle(void **state)
{
  (void)state;
  pk_model *model = chain_model("starleth");
  built_motion m;
  double coefficients[PKI_MOTION_DOFS][5];
  pki_random rng = pki_random_seeded(3);
  build_flight(&m, model);
  const pki_nlp *nlp = m.program->nlp;
  for (int k = 0; k < model->nu; k++) {
    for (int d = 0; d < 5; d++) {
      coefficients[k][d] = pki_random_between(&rng, -1, 1);
    }
  }
  for (int degree = 3; degree <= 4; degree++) {
    follow_polynomials(&m, degree, coefficients);
    double *rows = rows_of(nlp);
    for (int interval = 0; interval < 3; interval++) {
      const double h = 0.4 * m.grid.share[0][interval];
      for (int k = 0; k < model->nu; k++) {
        const char *name = pki_motion_dof_name(model, k);
        const double missed = degree == 4 ? coefficients[k][4] * h * h * h * h / 16 : 0;
        const int node = 2 * interval;
        assert_near(rows[find_row(nlp, "cubic of positions", name, 0, node)], 0, 1e-15);
        assert_near(rows[find_row(nlp, "cubic of positions", name, 0, node + 1)], missed, 1e-15);
        assert_near(rows[find_row(nlp, "cubic of velocities", name, 0, node)], 0, 1e-14);
        assert_near(rows[find_row(nlp, "cubic of velocities", name, 0, node + 1)], 0, 1e-14);
      }
    }
    free(rows);
  }
  free_motion(&m);
  pk_model_destroy(model);
}

/* ---- rows against the dynamics of the library ---- */

/* Rows of one point against inverse dynamics and Jacobians of the workspace. */
static void compare_point(const built_motion *m, pk_workspace *w, const double *rows, int phase, int point)
{
  const pki_motion_program *program = m->program;
  const pki_nlp *nlp = program->nlp;
  const pki_motion_problem *p = &m->problem;
  const int n = m->robot->n;
  const pki_point_variables *at = &program->points[phase][point];
  const double *q = nlp->x + at->q, *v = nlp->x + at->v, *a = nlp->x + at->a;
  double expected[PKI_MOTION_DOFS], J[6 * PKI_MOTION_DOFS], w_dot[6];
  pk_inverse_dynamics(w, q, v, a, expected);
  for (int i = 0; i < m->robot->nmotor; i++) {
    expected[m->robot->motor[i]] -= nlp->x[at->tau + i];
  }
  pk_kinematics_compute(w, q, v);
  for (int i = 0; i < p->nfoot; i++) {
    if (at->force[i] < 0) {
      continue;
    }
    contact_jacobian(p, w, i, J);
    for (int k = 0; k < n; k++) {
      for (int c = 0; c < 3; c++) {
        expected[k] -= J[(3 + c) * n + k] * nlp->x[at->force[i] + c];
        expected[k] -= p->feet[i].area ? J[c * n + k] * nlp->x[at->force[i] + 3 + c] : 0;
      }
    }
    contact_acceleration(p, w, i, v, a, w_dot);
    const int row = find_row(nlp, "acceleration of a standing foot", p->feet[i].name, phase, point);
    for (int c = 0; c < m->robot->feet[i].rows; c++) {
      assert_near(rows[row + c], c < 3 ? w_dot[3 + c] : w_dot[c - 3], 1e-9);
    }
  }
  for (int k = 0; k < n; k++) {
    const int row = find_row(nlp, "inverse dynamics", pki_motion_dof_name(p->model, k), phase, point);
    assert_near(rows[row], expected[k], 1e-10 * program->torque_scale);
  }
}

static void compare_rows(const pki_motion_problem *problem)
{
  built_motion m;
  pk_workspace *w;
  pki_random rng = pki_random_seeded(29);
  build_motion(&m, problem, NULL);
  pki_nlp *nlp = m.program->nlp;
  for (int i = 0; i < nlp->nx; i++) {
    nlp->x[i] += 0.2 * nlp->scale[i] * pki_random_between(&rng, -1, 1);
  }
  assert_int_equal(pk_workspace_create(problem->model, &w, NULL), PK_OK);
  double *rows = rows_of(nlp);
  for (int phase = 0; phase < problem->nphase; phase++) {
    for (int point = 0; point < pki_motion_points(&m.grid, phase); point++) {
      compare_point(&m, w, rows, phase, point);
    }
  }
  free(rows);
  pk_workspace_destroy(w);
  free_motion(&m);
}

static void rows_are_the_dynamics_and_contacts_of_the_library(void **state)
{
  (void)state;
  pki_motion_problem p;
  pk_model *m = chain_model("sony_quadruped");
  stand_sony(&p, m);
  amble(&p, 1);
  compare_rows(&p);
  pk_model_destroy(m);
  m = chain_model("hardt_biped");
  stand_hardt(&p, m);
  add_phase(&p, 1, 1, 0.2, 0.6);
  add_phase(&p, 3, 1, 0.2, 0.6);
  compare_rows(&p);
  pk_model_destroy(m);
}

/* ---- profiles ---- */

/* Numbers for everything that a profile keeps. */
static void fill_numbers(pki_nlp *nlp, uint64_t seed)
{
  pki_random rng = pki_random_seeded(seed);
  for (int i = 0; i < nlp->nx; i++) {
    const double x = nlp->x[i] + 0.1 * nlp->scale[i] * pki_random_between(&rng, -1, 1);
    nlp->x[i] = fmin(fmax(x, nlp->lower[i]), nlp->upper[i]);
    nlp->z_lower[i] = isfinite(nlp->lower[i]) ? pki_random_unit(&rng) : 0;
    nlp->z_upper[i] = isfinite(nlp->upper[i]) ? pki_random_unit(&rng) : 0;
  }
  for (int i = 0; i < nlp->ng; i++) {
    nlp->lambda[i] = pki_random_between(&rng, -1, 1);
  }
}

static void expect_same_numbers(const pki_nlp *a, const pki_nlp *b)
{
  assert_int_equal(a->nx, b->nx);
  assert_int_equal(a->ng, b->ng);
  for (int i = 0; i < a->nx; i++) {
    assert_near(a->x[i], b->x[i], 0);
    assert_near(a->z_lower[i], b->z_lower[i], 1e-14);
    assert_near(a->z_upper[i], b->z_upper[i], 1e-14);
  }
  for (int i = 0; i < a->ng; i++) {
    assert_near(a->lambda[i], b->lambda[i], 1e-14);
  }
}

/* The amble with S_H: rows of many kinds, several of one name at a point, phases of the same stance. */
static void build_amble(built_motion *m, const pk_model *model, int intervals)
{
  pki_motion_problem p;
  stand_sony(&p, model);
  amble(&p, intervals);
  p.speed = 0.3;
  p.objective.stability = p.objective.work = 1;
  build_motion(m, &p, NULL);
}

static void a_profile_gives_the_same_program_all_its_numbers(void **state)
{
  (void)state;
  pk_model *model = chain_model("sony_quadruped");
  built_motion from, to;
  build_amble(&from, model, 2);
  build_amble(&to, model, 2);
  fill_numbers(from.program->nlp, 1);
  fill_numbers(to.program->nlp, 2);
  pki_profile *profile = pki_profile_create(from.program);
  pki_profile_apply(profile, to.program);
  expect_same_numbers(to.program->nlp, from.program->nlp);
  pki_profile_destroy(profile);
  free_motion(&from);
  free_motion(&to);
  pk_model_destroy(model);
}

/* Lines over the places of each phase, of every variable and multiplier; multipliers at points by the part of Simpson's rule. */
static double line_at(const built_motion *m, const pki_nlp_label *label, double slope)
{
  return label->point < 0 ? slope : slope * (1 + pki_motion_grid_at(&m->grid, label->phase, label->point));
}

static void a_profile_is_interpolated_on_a_finer_grid(void **state)
{
  (void)state;
  pk_model *model = chain_model("five_link_biped");
  built_motion from, to;
  pki_motion_problem p;
  five_link_step(&p, model, 3);
  build_motion(&from, &p, NULL);
  five_link_step(&p, model, 7);
  build_motion(&to, &p, NULL);
  pki_nlp *a = from.program->nlp, *b = to.program->nlp;
  for (int i = 0; i < a->nx; i++) {
    a->x[i] = line_at(&from, &a->x_label[i], 0.5);
  }
  for (int i = 0; i < a->ng; i++) {
    const pki_nlp_label *label = &a->row_label[i];
    const bool simpson = strncmp(label->what, "cubic", 5) == 0 && label->point % 2 == 0;
    const double part =
        label->point >= 0 && !simpson ? pki_motion_grid_weight(&from.grid, 0, label->point) : 1;
    a->lambda[i] = simpson ? 7 : part * line_at(&from, label, 2);
  }
  pki_profile *profile = pki_profile_create(from.program);
  pki_profile_apply(profile, to.program);
  for (int i = 0; i < b->nx; i++) {
    const double line = line_at(&to, &b->x_label[i], 0.5);
    assert_near(b->x[i], fmin(fmax(line, b->lower[i]), b->upper[i]), 1e-14);
  }
  for (int i = 0; i < b->ng; i++) {
    const pki_nlp_label *label = &b->row_label[i];
    if (strcmp(label->what, "inverse dynamics") == 0) {
      const double part = pki_motion_grid_weight(&to.grid, 0, label->point);
      assert_near(b->lambda[i], part * line_at(&to, label, 2), 1e-14);
    } else if (strncmp(label->what, "cubic", 5) == 0 && label->point % 2 == 0) {
      assert_near(b->lambda[i], 7, 1e-14); /* and nothing of the middles */
    }
  }
  pki_profile_destroy(profile);
  free_motion(&from);
  free_motion(&to);
  pk_model_destroy(model);
}

static void *pack_step(const pk_model *model, built_motion *m, size_t *size)
{
  pki_motion_problem p;
  five_link_step(&p, model, 2);
  build_motion(m, &p, NULL);
  m->grid.share[0][0] = 0.3, m->grid.share[0][1] = 0.7;
  fill_numbers(m->program->nlp, 5);
  pki_profile *profile = pki_profile_create(m->program);
  void *bytes = pki_profile_pack(profile, &m->grid, 1, size);
  assert_non_null(bytes);
  pki_profile_destroy(profile);
  return bytes;
}

static void packed_bytes_give_the_profile_and_its_grid(void **state)
{
  (void)state;
  pk_model *model = chain_model("five_link_biped");
  built_motion m;
  pki_motion_grid grid;
  size_t size;
  void *bytes = pack_step(model, &m, &size);
  pki_profile *profile = pki_profile_unpack(bytes, size, &grid);
  assert_non_null(profile);
  assert_int_equal(grid.intervals[0], 2);
  assert_near(grid.share[0][0], 0.3, 0);
  assert_near(grid.share[0][1], 0.7, 0);
  built_motion again;
  build_motion(&again, &m.problem, &grid);
  pki_profile_apply(profile, again.program);
  expect_same_numbers(again.program->nlp, m.program->nlp);
  pki_profile_destroy(profile);
  pki_motion_grid_free(&grid);
  free(bytes);
  free_motion(&again);
  free_motion(&m);
  pk_model_destroy(model);
}

static void cut_bytes_are_no_profile(void **state)
{
  (void)state;
  pk_model *model = chain_model("five_link_biped");
  built_motion m;
  pki_motion_grid grid;
  size_t size;
  char *bytes = pack_step(model, &m, &size);
  for (size_t cut = 0; cut < size; cut++) {
    char *part = malloc(cut + 1); /* its own, so that a read behind it shows */
    assert_non_null(part);
    memcpy(part, bytes, cut);
    assert_null(pki_profile_unpack(part, cut, &grid));
    assert_null(grid.share[0]);
    free(part);
  }
  char *more = calloc(size + 1, 1);
  assert_non_null(more);
  memcpy(more, bytes, size);
  assert_null(pki_profile_unpack(more, size + 1, &grid));
  free(more);
  free(bytes);
  free_motion(&m);
  pk_model_destroy(model);
}

/* Whatever is wrong in them: none, or a profile that can be used and whose grid is one. */
static void changed_bytes_are_no_profile_or_a_sound_one(void **state)
{
  (void)state;
  pk_model *model = chain_model("five_link_biped");
  built_motion m;
  pki_motion_grid grid;
  size_t size;
  unsigned char *bytes = pack_step(model, &m, &size);
  pki_random rng = pki_random_seeded(13);
  int refused = 0;
  for (int round = 0; round < 3000; round++) {
    const size_t within = round % 2 == 0 ? 256 : size; /* heads, and all of it */
    const size_t at = (size_t)(pki_random_unit(&rng) * (double)within);
    const unsigned char kept = bytes[at];
    bytes[at] = (unsigned char)pki_random_bits(&rng);
    pki_profile *profile = pki_profile_unpack(bytes, size, &grid);
    refused += profile == NULL;
    if (profile != NULL) {
      double sum = 0;
      for (int k = 0; k < grid.intervals[0]; k++) {
        assert_greater(grid.share[0][k], 0);
        sum += grid.share[0][k];
      }
      assert_near(sum, 1, 1e-9);
      pki_profile_apply(profile, m.program);
      pki_profile_destroy(profile);
      pki_motion_grid_free(&grid);
    }
    bytes[at] = kept;
  }
  assert_greater(refused, 100);
  free(bytes);
  free_motion(&m);
  pk_model_destroy(model);
}

/* ---- grids ---- */

static pki_motion_grid grid_of(int first, int second)
{
  pki_motion_grid grid;
  pki_motion_problem p = {.nphase = 2};
  p.phases[0].intervals = first, p.phases[1].intervals = second;
  assert_int_equal(pki_motion_grid_even(&p, &grid, NULL), PK_OK);
  return grid;
}

static void intervals_are_split_where_errors_are_above_the_tolerance(void **state)
{
  (void)state;
  pki_motion_grid grid = grid_of(3, 2);
  const double errors[5] = {0, 2, 1, 3, 0.5};
  bool changed;
  assert_int_equal(pki_motion_refine(&grid, 2, errors, 1, 100, &changed, NULL), PK_OK);
  assert_true(changed);
  assert_int_equal(grid.intervals[0], 4);
  assert_int_equal(grid.intervals[1], 3);
  const double first[4] = {1.0 / 3, 1.0 / 6, 1.0 / 6, 1.0 / 3}, second[3] = {0.25, 0.25, 0.5};
  for (int k = 0; k < 4; k++) {
    assert_near(grid.share[0][k], first[k], 0);
  }
  for (int k = 0; k < 3; k++) {
    assert_near(grid.share[1][k], second[k], 0);
  }
  const double good[7] = {1, 1, 1, 1, 1, 1, 1}; /* none above it */
  assert_int_equal(pki_motion_refine(&grid, 2, good, 1, 100, &changed, NULL), PK_OK);
  assert_false(changed);
  assert_int_equal(grid.intervals[0], 4);
  pki_motion_grid_free(&grid);
}

static void no_more_intervals_are_made_than_are_allowed(void **state)
{
  (void)state;
  pki_motion_grid grid = grid_of(4, 4);
  const double errors[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  bool changed;
  assert_int_equal(pki_motion_refine(&grid, 2, errors, 1, 10, &changed, NULL), PK_OK);
  assert_int_equal(grid.intervals[0] + grid.intervals[1], 10);
  for (int p = 0; p < 2; p++) {
    double sum = 0, weights = 0;
    for (int k = 0; k < grid.intervals[p]; k++) {
      sum += grid.share[p][k];
    }
    for (int point = 0; point < pki_motion_points(&grid, p); point++) {
      weights += pki_motion_grid_weight(&grid, p, point);
    }
    assert_near(sum, 1, 1e-15);
    assert_near(weights, 1, 1e-15);
    assert_near(pki_motion_grid_at(&grid, p, pki_motion_points(&grid, p) - 1), 1, 1e-15);
  }
  pki_motion_grid_free(&grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cubics_are_exact_and_quartics_miss_the_middle),
      cmocka_unit_test(rows_are_the_dynamics_and_contacts_of_the_library),
      cmocka_unit_test(a_profile_gives_the_same_program_all_its_numbers),
      cmocka_unit_test(a_profile_is_interpolated_on_a_finer_grid),
      cmocka_unit_test(packed_bytes_give_the_profile_and_its_grid),
      cmocka_unit_test(cut_bytes_are_no_profile),
      cmocka_unit_test(changed_bytes_are_no_profile_or_a_sound_one),
      cmocka_unit_test(intervals_are_split_where_errors_are_above_the_tolerance),
      cmocka_unit_test(no_more_intervals_are_made_than_are_allowed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
