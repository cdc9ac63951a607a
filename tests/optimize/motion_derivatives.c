/* Derivatives of everything that a motion's program is made of, against the complex step, and of the program as a whole, against
 * differences. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "optimize/nlp/nlp.h"
#include "support/bounds.h"
#include "support/motion_problems.h"

static const double step = 1e-30;

static void *room(size_t count, size_t size)
{
  void *out = calloc(count + 1, size);
  assert_non_null(out);
  return out;
}

/* ---- one instance of a function ---- */

/* Where it is evaluated, and room for what comes of it. */
typedef struct instance {
  const pki_nlp_function *f;
  int nw, ny;
  double *w, *mu;
  const double *p;
  double _Complex *z, *out; /* w with an imaginary part; results there */
  double *first, *second;   /* [ny][nw], [nw][nw] by the complex step */
} instance;

static void make_complex(const instance *at, int which)
{
  for (int k = 0; k < at->nw; k++) {
    at->z[k] = at->w[k] + (k == which ? step * I : 0);
  }
}

/* Columns of the Jacobian of the values, and of that of mu' values. */
static void step_through(const instance *at)
{
  const int *row, *col;
  const int n = pki_nlp_function_jacobian(at->f, &row, &col);
  memset(at->second, 0, (size_t)at->nw * (size_t)at->nw * sizeof *at->second);
  for (int k = 0; k < at->nw; k++) {
    make_complex(at, k);
    assert_true(pki_nlp_function_value_complex(at->f, at->z, at->p, at->out));
    for (int i = 0; i < at->ny; i++) {
      at->first[i * at->nw + k] = cimag(at->out[i]) / step;
    }
    assert_true(pki_nlp_function_jacobian_complex(at->f, at->z, at->p, at->out));
    for (int e = 0; e < n; e++) {
      at->second[col[e] * at->nw + k] += at->mu[row[e]] * cimag(at->out[e]) / step;
    }
  }
}

static double largest(const double *list, int count)
{
  double most = 0;
  for (int k = 0; k < count; k++) {
    most = fmax(most, fabs(list[k]));
  }
  return most;
}

static void expect_close(const instance *at, const char *what, int i, int j, double found, double expected,
                         double unit)
{
  if (!(fabs(found - expected) <= 1e-12 * unit)) {
    fail_msg("%s of \"%s\" (%d, %d): found %.17g, expected %.17g, of %g", what, pki_nlp_function_name(at->f),
             i, j, found, expected, unit);
  }
}

/* Entries that there are, and places without an entry: in the Jacobian these are zero to the last bit, in the Hessian to rounding, because
 * its terms are sorted in another way before they cancel. */
static void compare_entries(const instance *at, const char *what, int rows, const int *row, const int *col,
                            int count, const double *entries, bool lower, const double *expected)
{
  const double unit = largest(expected, rows * at->nw);
  unsigned char *there = room((size_t)rows * (size_t)at->nw, 1);
  for (int e = 0; e < count; e++) {
    const int place = row[e] * at->nw + col[e];
    there[place] = 1;
    expect_close(at, what, row[e], col[e], entries[e], expected[place], unit);
  }
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < (lower ? i + 1 : at->nw); j++) {
      if (!there[i * at->nw + j] && fabs(expected[i * at->nw + j]) > (lower ? 1e-14 * unit : 0)) {
        fail_msg("%s of \"%s\" has no entry (%d, %d), where it is %g", what, pki_nlp_function_name(at->f), i,
                 j, expected[i * at->nw + j]);
      }
    }
  }
  free(there);
}

static void check_instance(const instance *at)
{
  const int *row, *col;
  step_through(at);
  int n = pki_nlp_function_jacobian(at->f, &row, &col);
  double *entries = room((size_t)n, sizeof *entries);
  assert_true(pki_nlp_function_jacobian_values(at->f, 1, at->w, at->p, entries));
  compare_entries(at, "Jacobian", at->ny, row, col, n, entries, false, at->first);
  free(entries);
  n = pki_nlp_function_hessian(at->f, &row, &col);
  entries = room((size_t)n, sizeof *entries);
  assert_true(pki_nlp_function_hessian_values(at->f, 1, at->w, at->p, at->mu, entries));
  compare_entries(at, "Hessian", at->nw, row, col, n, entries, true, at->second);
  free(entries);
}

/* ---- all instances of a program ---- */

/* A point near the first guess: as far as a tenth of the scales. */
static void shake(pki_nlp *nlp, uint64_t seed)
{
  pki_random rng = pki_random_seeded(seed);
  for (int i = 0; i < nlp->nx; i++) {
    nlp->x[i] += 0.1 * nlp->scale[i] * pki_random_between(&rng, -1, 1);
  }
}

static void check_term(const pki_nlp *nlp, const pki_nlp_term *term, pki_random *rng)
{
  const pki_nlp_function *f = term->function;
  const size_t nw = (size_t)pki_nlp_function_inputs(f), ny = (size_t)pki_nlp_function_results(f);
  instance at = {.f = f, .nw = (int)nw, .ny = (int)ny};
  at.w = room(nw, sizeof *at.w), at.mu = room(ny, sizeof *at.mu);
  at.z = room(nw, sizeof *at.z), at.out = room(nw * ny, sizeof *at.out);
  at.first = room(ny * nw, sizeof *at.first), at.second = room(nw * nw, sizeof *at.second);
  for (int i = 0; i < term->count; i++) {
    at.p = term->parameter + (size_t)i * (size_t)pki_nlp_function_parameters(f);
    for (size_t k = 0; k < nw; k++) {
      at.w[k] = nlp->x[term->in[(size_t)i * nw + k]];
    }
    for (size_t k = 0; k < ny; k++) {
      at.mu[k] = pki_random_between(rng, -1, 1);
    }
    check_instance(&at);
  }
  free(at.w);
  free(at.mu);
  free(at.z);
  free(at.out);
  free(at.first);
  free(at.second);
}

/* ---- the program as a whole ---- */

static void lagrangian_slope(const pki_nlp *nlp, const double *x, const double *lambda, double *slope)
{
  const int n = pki_nlp_jacobian_count(nlp);
  int *row = room((size_t)n, sizeof *row), *col = room((size_t)n, sizeof *col);
  double *values = room((size_t)n, sizeof *values);
  pki_nlp_jacobian_pattern(nlp, row, col);
  assert_true(pki_nlp_gradient(nlp, x, slope) && pki_nlp_jacobian(nlp, x, values));
  for (int e = 0; e < n; e++) {
    slope[col[e]] += lambda[row[e]] * values[e];
  }
  free(row);
  free(col);
  free(values);
}

static double lagrangian(const pki_nlp *nlp, const double *x, const double *lambda, double *rows)
{
  double f;
  assert_true(pki_nlp_objective(nlp, x, &f) && pki_nlp_constraints(nlp, x, rows));
  for (int i = 0; i < nlp->ng; i++) {
    f += lambda[i] * rows[i];
  }
  return f;
}

/* Slopes of f + lambda' g along random directions are those of its values, and the Hessian's those of its slopes. */
static void check_assembly(const pki_nlp *nlp, uint64_t seed)
{
  enum { DIRECTIONS = 5 };
  const size_t nx = (size_t)nlp->nx;
  const double h = 1e-5;
  pki_random rng = pki_random_seeded(seed);
  const int n = pki_nlp_hessian_count(nlp);
  int *row = room((size_t)n, sizeof *row), *col = room((size_t)n, sizeof *col);
  double *entries = room((size_t)n, sizeof *entries), *lambda = room((size_t)nlp->ng, sizeof *lambda),
         *rows = room((size_t)nlp->ng, sizeof *rows), *d = room(nx, sizeof *d), *x[2], *slope[3];
  for (int k = 0; k < 3; k++) {
    slope[k] = room(nx, sizeof *slope[k]);
    x[k % 2] = k < 2 ? room(nx, sizeof *x[k]) : x[k % 2];
  }
  for (int i = 0; i < nlp->ng; i++) {
    lambda[i] = nlp->objective_scale / nlp->row_scale[i] * pki_random_between(&rng, -1, 1);
  }
  pki_nlp_hessian_pattern(nlp, row, col);
  assert_true(pki_nlp_hessian(nlp, nlp->x, 1, lambda, entries));
  lagrangian_slope(nlp, nlp->x, lambda, slope[2]);
  for (int direction = 0; direction < DIRECTIONS; direction++) {
    double along = 0, unit = 0, curve = 0, bent = 0;
    for (size_t i = 0; i < nx; i++) {
      d[i] = nlp->scale[i] * pki_random_between(&rng, -1, 1);
      x[0][i] = nlp->x[i] - h * d[i], x[1][i] = nlp->x[i] + h * d[i];
      along += slope[2][i] * d[i], unit += fabs(slope[2][i] * d[i]);
    }
    const double low = lagrangian(nlp, x[0], lambda, rows), high = lagrangian(nlp, x[1], lambda, rows);
    assert_near((high - low) / (2 * h), along, 1e-5 * unit);
    lagrangian_slope(nlp, x[0], lambda, slope[0]);
    lagrangian_slope(nlp, x[1], lambda, slope[1]);
    unit = 0;
    for (int e = 0; e < n; e++) {
      const double part = (row[e] == col[e] ? 1 : 2) * entries[e] * d[row[e]] * d[col[e]];
      curve += part, unit += fabs(part);
    }
    for (size_t i = 0; i < nx; i++) {
      bent += (slope[1][i] - slope[0][i]) / (2 * h) * d[i];
    }
    assert_near(bent, curve, 1e-5 * unit);
  }
  for (int k = 0; k < 3; k++) {
    free(slope[k]);
    free(k < 2 ? x[k] : NULL);
  }
  free(row);
  free(col);
  free(entries);
  free(lambda);
  free(rows);
  free(d);
}

/* Names that functions of the program must have: what is tested here is there. */
static void check_motion(const pki_motion_problem *problem, const char *const *names)
{
  built_motion m;
  build_motion(&m, problem, NULL);
  pki_nlp *nlp = m.program->nlp;
  pki_random rng = pki_random_seeded(7);
  shake(nlp, 11);
  for (; *names != NULL; names++) {
    bool found = false;
    for (int t = 0; t < nlp->nterm; t++) {
      found |= strcmp(pki_nlp_function_name(nlp->terms[t].function), *names) == 0;
    }
    if (!found) {
      fail_msg("the program has no \"%s\"", *names);
    }
  }
  for (int t = 0; t < nlp->nterm; t++) {
    check_term(nlp, &nlp->terms[t], &rng);
  }
  check_assembly(nlp, 5);
  free_motion(&m);
}

/* ---- motions ---- */

static void an_amble_with_all_objectives_has_exact_derivatives(void **state)
{
  (void)state;
  pk_model *m = chain_model("sony_quadruped");
  pki_motion_problem p;
  stand_sony(&p, m);
  amble(&p, 1);
  p.speed = 0.3;
  p.clearance = 0.01;
  p.least_force = 0.05;
  p.motor_lines = true;
  for (int k = 6; k < m->nu; k++) {
    p.motor[k] = (pki_motion_motor){
        .resistance = 5, .constant = 0.01, .gear = 60, .efficiency = 0.8, .speed = 5, .stall = 0.9};
    p.rate_upper[k] = 30;
  }
  p.objective = (pki_motion_objective){.torque = 1,
                                       .joule = 0.5,
                                       .work = 0.7,
                                       .time = 0.1,
                                       .polygon = 30,
                                       .stability = 2,
                                       .acceleration = 1e-4};
  const char *const names[] = {"inverse dynamics",
                               "contact force",
                               "contact acceleration",
                               "contact velocity",
                               "contact point",
                               "impact",
                               "Simpson's rule",
                               "middle of an interval",
                               "linear",
                               "friction cone",
                               "motor line",
                               "torque rate",
                               "power",
                               "squares",
                               "heat for each metre",
                               "work for each metre",
                               "momentum about edges",
                               "distance from the mass",
                               NULL};
  check_motion(&p, names);
  pk_model_destroy(m);
}

/* A parameter of all joints whose names end so. */
static void add_design(pki_motion_problem *p, pki_design_kind kind, const char *ending, double start)
{
  pki_motion_design *d = &p->designs[p->ndesign++];
  *d = (pki_motion_design){.kind = kind, .lower = 0.1 * start, .upper = 10 * start, .start = start};
  strncpy(d->name, ending, sizeof d->name - 1);
  for (int k = 6; k < p->model->nu; k++) {
    const char *name = pki_motion_dof_name(p->model, k);
    const size_t length = strlen(name), tail = strlen(ending);
    const bool is = length >= tail && strcmp(name + length - tail, ending) == 0;
    d->sign[k] = is ? 1 : 0;
    if (is && kind == PKI_DESIGN_PARALLEL_REST && name[1] == 'H') { /* hind knees bend the other way */
      d->sign[k] = -1;
    }
  }
}

/* Every kind of parameter, and those that act on one joint together. */
static void an_amble_with_design_parameters_has_exact_derivatives(void **state)
{
  (void)state;
  pk_model *m = chain_model("sony_quadruped");
  pki_motion_problem p;
  stand_sony(&p, m);
  amble(&p, 1);
  p.speed = 0.3;
  p.motor_lines = true;
  for (int k = 6; k < m->nu; k++) {
    p.motor[k] = (pki_motion_motor){.resistance = 5,
                                    .constant = 0.01,
                                    .gear = 60,
                                    .efficiency = 0.8,
                                    .speed = 5,
                                    .stall = 0.9,
                                    .inertia = 1e-7,
                                    .damping = 1e-6,
                                    .peak = 0.8};
  }
  p.objective = (pki_motion_objective){.torque = 1, .joule = 0.5, .work = 0.7};
  add_design(&p, PKI_DESIGN_PARALLEL_STIFFNESS, "KFE", 0.5);
  add_design(&p, PKI_DESIGN_PARALLEL_REST, "KFE", 1.2);
  add_design(&p, PKI_DESIGN_PARALLEL_STIFFNESS, "HFE", 0.3);
  add_design(&p, PKI_DESIGN_GEAR, "KFE", 60);
  add_design(&p, PKI_DESIGN_SERIES_STIFFNESS, "HFE", 4);
  add_design(&p, PKI_DESIGN_GEAR, "HFE", 60);
  add_design(&p, PKI_DESIGN_SERIES_STIFFNESS, "HAA", 6);
  const char *const names[] = {"parallel spring",
                               "parallel spring at rest",
                               "rotor behind a gear",
                               "impact of a rotor",
                               "speed behind a spring",
                               "torque behind a spring",
                               "torque behind a spring and a gear",
                               "rotor between phases",
                               "heat behind a gear",
                               "motor line behind a gear",
                               "largest torque behind a gear",
                               NULL};
  check_motion(&p, names);
  pk_model_destroy(m);
}

/* Lengths are inputs of all functions of the robot. */
static void an_amble_on_legs_of_any_length_has_exact_derivatives(void **state)
{
  (void)state;
  pk_model *m = chain_model("sony_quadruped");
  pki_motion_problem p;
  stand_sony(&p, m);
  amble(&p, 1);
  p.speed = 0.3;
  p.clearance = 0.01;
  p.objective = (pki_motion_objective){.torque = 1, .polygon = 30, .stability = 2};
  assert_int_equal(pki_motion_add_gap(&p, "LF_SHANK", (const double[3]){0, 0, -0.01}, NULL, NULL, 0.02, NULL),
                   PK_OK);
  assert_int_equal(pki_motion_add_gap(&p, "LF_FOOT", (const double[3]){0, 0, 0}, "LH_SHANK",
                                      (const double[3]){0, 0, -0.02}, 0.02, NULL),
                   PK_OK);
  add_design(&p, PKI_DESIGN_LENGTH, "HAA", 1.1); /* hips bend first: the thigh is behind HAA */
  add_design(&p, PKI_DESIGN_LENGTH, "KFE", 0.9);
  p.designs[1].constant_mass = true;
  const char *const names[] = {
      "inverse dynamics", "contact force", "contact acceleration", "contact velocity",       "contact point",
      "impact",           "gap",           "momentum about edges", "distance from the mass", NULL};
  check_motion(&p, names);
  pk_model_destroy(m);
}

static void a_walk_on_soles_has_exact_derivatives(void **state)
{
  (void)state;
  pk_model *m = chain_model("hardt_biped");
  pki_motion_problem p;
  stand_hardt(&p, m);
  p.closure = PKI_MOTION_HALF;
  add_phase(&p, 1, 2, 0.2, 0.6);
  p.speed = 0.2;
  p.objective.torque = 1;
  p.objective.polygon = 10;
  const char *const names[] = {"moment on the sole", "sole", "impact", "distance from the mass", NULL};
  check_motion(&p, names);
  pk_model_destroy(m);
}

static void a_step_with_ankle_motors_has_exact_derivatives(void **state)
{
  (void)state;
  pk_model *m = chain_model("five_link_biped");
  pki_motion_problem p;
  five_link_step(&p, m, 3);
  p.slope = 0.05;
  const char *const names[] = {"inverse dynamics", "contact force", "impact", "squares", NULL};
  check_motion(&p, names);
  pk_model_destroy(m);
}

static void a_jump_with_a_flight_has_exact_derivatives(void **state)
{
  (void)state;
  pk_model *m = chain_model("starleth");
  pki_motion_problem p;
  stand_starleth(&p, m);
  add_phase(&p, 15, 1, 0.1, 0.5);
  add_phase(&p, 0, 1, 0.1, 0.5);
  add_phase(&p, 15, 1, 0.1, 0.5);
  p.scheme = PKI_MOTION_HERMITE_SIMPSON;
  p.objective.torque = 1;
  p.objective.time = 1;
  const char *const names[] = {"inverse dynamics", "contact velocity", "impact", "friction cone", NULL};
  check_motion(&p, names);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_amble_with_all_objectives_has_exact_derivatives),
      cmocka_unit_test(an_amble_with_design_parameters_has_exact_derivatives),
      cmocka_unit_test(an_amble_on_legs_of_any_length_has_exact_derivatives),
      cmocka_unit_test(a_walk_on_soles_has_exact_derivatives),
      cmocka_unit_test(a_step_with_ankle_motors_has_exact_derivatives),
      cmocka_unit_test(a_jump_with_a_flight_has_exact_derivatives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
