/* Motions as they are found: physics that knows nothing of the program, whole cycles, and starts from what was solved before. */
#define _GNU_SOURCE /* setenv beside C17 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "optimize/motion/profile.h"
#include "optimize/motion/solution.h"
#include "support/bounds.h"
#include "support/motion_problems.h"

/* ---- motions ---- */

/* A motion that was solved, and a workspace for its robot. */
typedef struct solved {
  pk_model *model;
  pk_workspace *w;
  pki_motion_problem problem;
  pki_motion_solution solution;
} solved;

static void solve(const pki_motion_problem *p, const pki_motion_options *options, pki_motion_solution *out)
{
  pk_error err = {.message = ""};
  const pk_status status = pki_motion_solve(p, options, out, &err);
  if (status != PK_OK || !out->solved) {
    const pki_motion_stage *s = &out->stages[out->nstage > 0 ? out->nstage - 1 : 0];
    fail_msg("%s; %s %s", err.message, s->result.why != NULL ? s->result.why : "", s->worst);
  }
}

static void begin_motion(solved *m, const char *model)
{
  m->model = chain_model(model);
  assert_int_equal(pk_workspace_create(m->model, &m->w, NULL), PK_OK);
}

static void end_motion(solved *m)
{
  pki_motion_solution_free(&m->solution);
  pk_workspace_destroy(m->w);
  pk_model_destroy(m->model);
}

static void solve_step(solved *m, int intervals)
{
  begin_motion(m, "five_link_biped");
  five_link_step(&m->problem, m->model, intervals);
  assert_int_equal(pki_motion_validate(&m->problem, NULL), PK_OK);
  solve(&m->problem, NULL, &m->solution);
}

/* Half a trot of the Sony quadruped with the least heat: a ladder of two problems, balls that roll, impacts in space. */
static void pose_trot(solved *m)
{
  begin_motion(m, "sony_quadruped");
  pki_motion_problem *p = &m->problem;
  stand_sony(p, m->model);
  p->closure = PKI_MOTION_HALF;
  add_phase(p, 1 | 8, 3, 0.25, 0.25);
  p->speed = 0.15;
  p->clearance = 0.01;
  p->objective.joule = 1;
  for (int k = 6; k < m->model->nu; k++) {
    p->motor[k].resistance = 1;
  }
  assert_int_equal(pki_motion_validate(p, NULL), PK_OK);
}

static solved trot; /* solved once, for all tests that only read it */

static int solve_trot(void **state)
{
  (void)state;
  setenv("PRONK_PLUGINS", PK_BUILD_DIR "/plugins", 1);
  pose_trot(&trot);
  solve(&trot.problem, NULL, &trot.solution);
  return 0;
}

static int free_trot(void **state)
{
  (void)state;
  end_motion(&trot);
  return 0;
}

/* ---- physics ---- */

enum { ROWS = PKI_MOTION_DOFS + 6 * PKI_MOTION_FEET };

/* Gauss's elimination with pivots. */
static void solve_dense(int n, double A[ROWS][ROWS], double *b)
{
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++) {
      pivot = fabs(A[i][k]) > fabs(A[pivot][k]) ? i : pivot;
    }
    for (int j = 0; j < n; j++) {
      const double kept = A[k][j];
      A[k][j] = A[pivot][j], A[pivot][j] = kept;
    }
    const double kept = b[k];
    b[k] = b[pivot], b[pivot] = kept;
    for (int i = k + 1; i < n; i++) {
      const double factor = A[i][k] / A[k][k];
      for (int j = k; j < n; j++) {
        A[i][j] -= factor * A[k][j];
      }
      b[i] -= factor * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) {
      b[i] -= A[i][j] * b[j];
    }
    b[i] /= A[i][i];
  }
}

/* Accelerations and forces of feet that stand, for the torques alone: M a - J' f = tau - h, J a = -J'' v. How many contact rows. */
static int constrained_dynamics(const solved *m, const pki_motion_point *at, double *answer)
{
  static double A[ROWS][ROWS];
  double M[PKI_MOTION_DOFS * PKI_MOTION_DOFS], h[PKI_MOTION_DOFS], J[6 * PKI_MOTION_DOFS], rate[6];
  const pki_motion_problem *p = &m->problem;
  const int n = m->model->nu;
  int rows = 0;
  memset(A, 0, sizeof A);
  pk_mass_matrix(m->w, at->q, M);
  pk_inverse_dynamics(m->w, at->q, at->v, NULL, h);
  pk_kinematics_compute(m->w, at->q, at->v);
  for (int i = 0; i < n; i++) {
    answer[i] = at->tau[i] - h[i];
    for (int j = 0; j < n; j++) {
      A[i][j] = M[i * n + j];
    }
  }
  for (int f = 0; f < p->nfoot; f++) {
    if ((p->phases[at->phase].stance >> f & 1u) == 0) {
      continue;
    }
    contact_jacobian(p, m->w, f, J);
    contact_acceleration(p, m->w, f, at->v, NULL, rate);
    for (int c = 0; c < 3; c++) {
      if (p->planar && c == 1) {
        continue;
      }
      for (int k = 0; k < n; k++) {
        A[k][n + rows] = -J[(3 + c) * n + k];
        A[n + rows][k] = J[(3 + c) * n + k];
      }
      answer[n + rows++] = -rate[3 + c];
    }
    for (int k = 0; k < n; k++) { /* the moment of an ankle motor is given, as torques are */
      answer[k] += J[n + k] * at->moment[f][1];
    }
  }
  solve_dense(n + rows, A, answer);
  return rows;
}

static void compare_dynamics(const solved *m)
{
  const int n = m->model->nu;
  for (int i = 0; i < m->solution.npoint; i++) {
    const pki_motion_point *at = &m->solution.points[i];
    double answer[ROWS], unit = 0;
    (void)constrained_dynamics(m, at, answer);
    for (int k = 0; k < n; k++) {
      unit = fmax(unit, fabs(at->a[k]));
    }
    for (int k = 0; k < n; k++) {
      assert_near(answer[k], at->a[k], 1e-8 * unit);
    }
    int row = n;
    for (int f = 0; f < m->problem.nfoot; f++) {
      for (int c = 0; c < 3 && (m->problem.phases[at->phase].stance >> f & 1u) != 0; c++) {
        if (!(m->problem.planar && c == 1)) {
          assert_near(answer[row++], at->force[f][c], 1e-8 * m->model->mass * 9.81);
        }
      }
    }
  }
}

static double kinetic_energy(const solved *m, const double *q, const double *v)
{
  pk_kinematics_compute(m->w, q, v);
  return pk_energy_compute(m->w, v).kinetic;
}

static double potential_energy(const solved *m, const double *q)
{
  const double rest[PKI_MOTION_DOFS] = {0};
  pk_kinematics_compute(m->w, q, rest);
  return pk_energy_compute(m->w, rest).potential;
}

/* Power of the motors, ankles included. */
static double power(const solved *m, const pki_motion_point *at)
{
  const int n = m->model->nu;
  double J[6 * PKI_MOTION_DOFS], sum = 0;
  pk_kinematics_compute(m->w, at->q, at->v);
  for (int k = 0; k < n; k++) {
    sum += at->tau[k] * at->v[k];
  }
  for (int f = 0; f < m->problem.nfoot; f++) {
    contact_jacobian(&m->problem, m->w, f, J);
    for (int k = 0; k < n; k++) {
      sum += at->moment[f][1] * J[n + k] * at->v[k];
    }
  }
  return sum;
}

/* Work of the motors over half a cycle by Simpson's rule. */
static double work(const solved *m)
{
  const pki_motion_solution *s = &m->solution;
  double sum = 0;
  for (int i = 0; i + 2 < s->npoint; i += 2) {
    const double h = s->points[i + 2].time - s->points[i].time;
    sum += h / 6 * (power(m, &s->points[i]) + 4 * power(m, &s->points[i + 1]) + power(m, &s->points[i + 2]));
  }
  return sum;
}

/* The state after the touchdown at the end: the mirror image of the start. */
static void state_after(const solved *m, double *v)
{
  pki_motion_mirror mirror;
  assert_int_equal(pki_motion_find_mirror(&m->problem, &mirror, NULL), PK_OK);
  for (int k = 0; k < m->model->nu; k++) {
    v[mirror.to[k]] = mirror.sign[k] * m->solution.points[0].v[k];
  }
}

/* What the touchdown takes, by Carnot's theorem: the kinetic energy of the velocities that it takes. */
static double impact_loss(const solved *m)
{
  const pki_motion_point *last = &m->solution.points[m->solution.npoint - 1];
  double after[PKI_MOTION_DOFS];
  state_after(m, after);
  for (int k = 0; k < m->model->nu; k++) {
    after[k] -= last->v[k];
  }
  return kinetic_energy(m, last->q, after);
}

static void compare_energies(const solved *m, double tolerance)
{
  const pki_motion_point *first = m->solution.points, *last = first + m->solution.npoint - 1;
  double after[PKI_MOTION_DOFS];
  state_after(m, after);
  const double before = kinetic_energy(m, last->q, last->v), loss = impact_loss(m);
  assert_greater(loss, 0);
  assert_near(before - kinetic_energy(m, last->q, after), loss, 1e-7 * before);
  assert_near(potential_energy(m, last->q), potential_energy(m, first->q), 1e-8 * before);
  assert_near(work(m), loss, tolerance * loss); /* what motors give, touchdowns take */
}

static void accelerations_and_forces_are_those_of_constrained_dynamics(void **state)
{
  (void)state;
  solved step = {0};
  compare_dynamics(&trot);
  solve_step(&step, 10);
  compare_dynamics(&step);
  end_motion(&step);
}

static void motors_give_what_touchdowns_take(void **state)
{
  (void)state;
  solved step = {0};
  compare_energies(&trot, 0.1); /* on a coarse grid */
  solve_step(&step, 20);
  compare_energies(&step, 1e-6);
  end_motion(&step);
}

/* Against the limit of fine grids, from N to 2 N intervals. */
static void errors_of_the_optimum_fall_with_the_fourth_power(void **state)
{
  (void)state;
  const double limit = 264.8368363;
  solved coarse = {0}, fine = {0};
  solve_step(&coarse, 20);
  solve_step(&fine, 40);
  const double ratio = (coarse.solution.objective - limit) / (fine.solution.objective - limit);
  assert_greater(ratio, 13);
  assert_less(ratio, 19);
  assert_near(fine.solution.torque, fine.solution.objective, 1e-9 * limit); /* ankles count */
  assert_true(isnan(fine.solution.joule));                                  /* its joints have no motors */
  end_motion(&coarse);
  end_motion(&fine);
}

/* ---- the whole cycle ---- */

static void the_second_half_is_the_image_of_the_first(void **state)
{
  (void)state;
  const pki_motion_solution *half = &trot.solution;
  const int n = trot.model->nu, along = trot.problem.along;
  pki_motion_solution whole;
  pki_motion_mirror mirror;
  assert_int_equal(pki_motion_find_mirror(&trot.problem, &mirror, NULL), PK_OK);
  assert_int_equal(pki_motion_whole_cycle(&trot.problem, half, &whole, NULL), PK_OK);
  assert_int_equal(whole.npoint, 2 * half->npoint);
  assert_int_equal(whole.nphase, 2);
  const pki_motion_point *first = whole.points, *middle = first + half->npoint - 1, *next = middle + 1,
                         *last = first + whole.npoint - 1;
  assert_near(next->time, middle->time, 1e-12);
  assert_near(last->time, half->period, 1e-12);
  for (int k = 0; k < n; k++) {
    const double travel = k == along ? half->stride : 0;
    assert_near(last->q[k], first->q[k] + travel, 1e-8);                             /* it closes */
    assert_near(next->q[k], middle->q[k], 1e-8);                                     /* and goes on */
    assert_near(middle->a[k], mirror.sign[mirror.to[k]] * last->a[mirror.to[k]], 0); /* twice is once */
  }
  for (int f = 0; f < 4; f++) {
    const int image = mirror.foot_to[f];
    assert_near(next->force[image][0], first->force[f][0], 0);
    assert_near(next->force[image][1], -first->force[f][1], 0);
    assert_near(next->force[image][2], first->force[f][2], 0);
    /* the touchdown in the middle, and the one that closes the cycle */
    assert_near(whole.impacts[1].impulse[image][0], whole.impacts[0].impulse[f][0], 0);
    assert_near(whole.impacts[1].impulse[image][1], -whole.impacts[0].impulse[f][1], 0);
    assert_near(whole.impacts[1].impulse[image][2], whole.impacts[0].impulse[f][2], 0);
  }
  assert_near(whole.impacts[1].time, half->period / 2, 1e-12);
  pki_motion_solution_free(&whole);
}

/* M (v+ - v-) = sum J' P of the touchdown in the middle of the cycle. */
static void impulses_change_the_momentum(void **state)
{
  (void)state;
  const int n = trot.model->nu;
  const pki_motion_point *last = &trot.solution.points[trot.solution.npoint - 1];
  pki_motion_solution whole;
  double after[PKI_MOTION_DOFS], M[PKI_MOTION_DOFS * PKI_MOTION_DOFS], J[6 * PKI_MOTION_DOFS], up = 0;
  assert_int_equal(pki_motion_whole_cycle(&trot.problem, &trot.solution, &whole, NULL), PK_OK);
  state_after(&trot, after);
  pk_mass_matrix(trot.w, last->q, M);
  pk_kinematics_compute(trot.w, last->q, NULL);
  for (int k = 0; k < n; k++) {
    double left = 0;
    for (int j = 0; j < n; j++) {
      left += M[k * n + j] * (after[j] - last->v[j]);
    }
    for (int f = 0; f < 4; f++) {
      contact_jacobian(&trot.problem, trot.w, f, J);
      for (int c = 0; c < 3; c++) {
        left -= J[(3 + c) * n + k] * whole.impacts[1].impulse[f][c];
      }
    }
    assert_near(left, 0, 1e-8);
  }
  for (int f = 0; f < 4; f++) {
    up += whole.impacts[1].impulse[f][2];
  }
  assert_greater(up, 0);
  pki_motion_solution_free(&whole);
}

/* ---- starts ---- */

static void the_same_problem_again_takes_a_few_iterations(void **state)
{
  (void)state;
  pki_motion_solution again;
  solve(&trot.problem, &(pki_motion_options){.start = &trot.solution}, &again);
  const pki_motion_stage *last = &again.stages[again.nstage - 1];
  assert_at_most(last->result.iterations, 5);
  assert_near(again.objective, trot.solution.objective, 1e-6 * trot.solution.objective);
  /* the iterations of the first time come first */
  const int before = trot.solution.niteration;
  assert_greater(before, 64);
  assert_greater(again.niteration, before);
  assert_memory_equal(again.iterations, trot.solution.iterations, (size_t)before * sizeof *again.iterations);
  pki_motion_solution_free(&again);
}

/* A list of problems without room for another one keeps the rungs below the last. */
static void a_solution_that_was_begun_many_times_goes_on(void **state)
{
  (void)state;
  enum { MOST = sizeof trot.solution.stages / sizeof trot.solution.stages[0] };
  pki_motion_solution full = trot.solution, again;
  for (full.nstage = 2; full.nstage < MOST; full.nstage++) {
    full.stages[full.nstage] = full.stages[1];
  }
  solve(&trot.problem, &(pki_motion_options){.start = &full}, &again);
  assert_int_equal(again.nstage, 2);
  assert_string_equal(again.stages[0].name, "space");
  assert_string_equal(again.stages[1].name, "all");
  assert_near(again.objective, trot.solution.objective, 1e-6 * trot.solution.objective);
  pki_motion_solution_free(&again);
}

static void a_start_with_other_phases_is_refused(void **state)
{
  (void)state;
  pki_motion_problem more = trot.problem;
  pki_motion_solution out;
  pk_error err = {.message = ""};
  add_phase(&more, 2 | 4, 3, 0.25, 0.25);
  assert_int_equal(pki_motion_solve(&more, &(pki_motion_options){.start = &trot.solution}, &out, &err),
                   PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "the solution to start from has another number of phases, expected 2");
  pki_motion_solution_free(&out);
}

static void what_a_solution_leaves_is_optimal_by_the_conditions(void **state)
{
  (void)state;
  built_motion m;
  pki_motion_grid grid;
  pki_profile *profile = pki_profile_unpack(trot.solution.warm, trot.solution.warm_size, &grid);
  assert_non_null(profile);
  build_motion(&m, &trot.problem, &grid);
  assert_greater(pki_nlp_optimality(m.program->nlp), 1e-3); /* the first guess is not */
  pki_profile_apply(profile, m.program);
  assert_at_most(pki_nlp_optimality(m.program->nlp), 1e-7);
  pki_profile_destroy(profile);
  pki_motion_grid_free(&grid);
  free_motion(&m);
}

/* What is needed of a solution to start from it. */
static void keep_first(void *user, const pki_motion_solution *solution)
{
  pki_motion_solution *kept = user;
  if (kept->warm == NULL) {
    *kept = *solution;
    kept->points = NULL, kept->iterations = NULL, kept->niteration = 0;
    kept->warm = malloc(solution->warm_size);
    assert_non_null(kept->warm);
    memcpy(kept->warm, solution->warm, solution->warm_size);
  }
}

static void expect_same_motion(const pki_motion_solution *a, const pki_motion_solution *b)
{
  assert_int_equal(a->nstage, b->nstage);
  assert_int_equal(a->npoint, b->npoint);
  assert_near(a->objective, b->objective, 0);
  assert_memory_equal(a->points, b->points, (size_t)a->npoint * sizeof *a->points);
}

static void a_ladder_that_was_left_ends_where_it_would_have(void **state)
{
  (void)state;
  pki_motion_solution kept = {0}, straight, resumed;
  solve(&trot.problem, &(pki_motion_options){.keep = keep_first, .user = &kept}, &straight);
  assert_int_equal(kept.nstage, 1);
  assert_int_equal(straight.nstage, 2);
  solve(&trot.problem, &(pki_motion_options){.start = &kept}, &resumed);
  expect_same_motion(&resumed, &straight);
  assert_string_equal(resumed.stages[0].name, straight.stages[0].name);
  pki_motion_solution_free(&kept);
  pki_motion_solution_free(&straight);
  pki_motion_solution_free(&resumed);
}

/* Leaves the solver after some iterations of a stage. */
typedef struct stopper {
  int stage, iterations;
  double least;    /* violation of an iterate of that stage */
  double fraction; /* the last one */
  int kept;        /* how often there was something to keep */
} stopper;

static void count_kept(void *user, const pki_motion_solution *solution)
{
  stopper *s = user;
  assert_non_null(solution->warm);
  s->kept++;
}

static bool stop_after(void *user, int stage, const char *name, const pki_nlp_progress *progress,
                       double fraction)
{
  stopper *s = user;
  assert_non_null(name);
  assert_at_least(fraction, s->fraction);
  assert_at_most(fraction, 1);
  s->fraction = fraction;
  if (stage < s->stage) {
    return true;
  }
  s->least = fmin(s->least, progress->violation);
  return progress->iteration < s->iterations;
}

static void a_solve_that_is_stopped_keeps_its_best(void **state)
{
  (void)state;
  stopper s = {.stage = 0, .iterations = 12, .least = INFINITY};
  pki_motion_solution stopped, resumed;
  const pki_motion_options options = {.progress = stop_after, .keep = count_kept, .user = &s};
  assert_int_equal(pki_motion_solve(&trot.problem, &options, &stopped, NULL), PK_OK);
  assert_false(stopped.solved);
  assert_int_equal(stopped.nstage, 1);
  assert_int_equal(stopped.stages[0].result.end, PKI_NLP_STOPPED);
  assert_near(stopped.stages[0].result.violation, s.least, 1e-12);
  assert_int_equal(stopped.npoint, 7);
  assert_int_equal(s.kept, 1);
  /* and goes on with the problem at which it was stopped */
  solve(&trot.problem, &(pki_motion_options){.start = &stopped}, &resumed);
  assert_int_equal(resumed.nstage, 2);
  assert_string_equal(resumed.stages[0].name, "space");
  assert_string_equal(resumed.stages[1].name, "all");
  pki_motion_solution_free(&stopped);
  pki_motion_solution_free(&resumed);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accelerations_and_forces_are_those_of_constrained_dynamics),
      cmocka_unit_test(motors_give_what_touchdowns_take),
      cmocka_unit_test(errors_of_the_optimum_fall_with_the_fourth_power),
      cmocka_unit_test(the_second_half_is_the_image_of_the_first),
      cmocka_unit_test(impulses_change_the_momentum),
      cmocka_unit_test(the_same_problem_again_takes_a_few_iterations),
      cmocka_unit_test(a_solution_that_was_begun_many_times_goes_on),
      cmocka_unit_test(a_start_with_other_phases_is_refused),
      cmocka_unit_test(what_a_solution_leaves_is_optimal_by_the_conditions),
      cmocka_unit_test(a_ladder_that_was_left_ends_where_it_would_have),
      cmocka_unit_test(a_solve_that_is_stopped_keeps_its_best),
  };
  return cmocka_run_group_tests(tests, solve_trot, free_trot);
}
