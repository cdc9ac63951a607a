/* The program of whole-body control against the same problem written densely from the public API. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "control/whole_body.h"
#include "math/cholesky.h"
#include "math/mat3.h"
#include "scenario/scenario.h"
#include "support/allocations.h"
#include "support/bounds.h"
#include "support/update.h"

enum { MOST_U = 64, MOST_X = 96, MOST_ROWS = 96 };

/* A controller and one world that it sees, moving a little, without a simulation. */
typedef struct bench {
  pki_scenario *scenario;
  pki_world world;
  pk_model model; /* a copy, whose effort limits can change */
  double effort[MOST_U];
  pk_controller *controller;
  const pki_whole_body *c;
  pk_observation seen;
  double q[2 * MOST_U], u[MOST_U];
  void *state, *scratch;
  pk_command commands[MOST_U];
} bench;

static void set_up(bench *b, const char *file, const pk_whole_body_options *o, double effort, uint64_t seed)
{
  pk_error err = {.message = ""};
  memset(b, 0, sizeof *b);
  assert_int_equal(pki_scenario_load(file, NULL, 0, &b->scenario, &err), PK_OK);
  assert_int_equal(pki_world_create(b->scenario, &b->world, &err), PK_OK);
  b->model = *b->world.model;
  memcpy(b->effort, b->model.dof_effort, (size_t)b->model.nu * sizeof(double));
  for (int k = 0; k < b->model.nu; k++) {
    b->effort[k] *= effort;
  }
  b->model.dof_effort = b->effort;
  if (pk_whole_body_create(&b->model, o, &b->controller, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  b->c = b->controller->user;
  memcpy(b->q, pk_sim_q(b->world.sim), (size_t)b->model.nq * sizeof(double));
  pki_random r = pki_random_seeded(seed);
  for (int k = 0; k < b->model.nu; k++) {
    b->u[k] = 0.05 * pki_random_normal(&r);
  }
  b->state = pki_aligned_alloc(b->controller->state_size);
  b->scratch = pki_aligned_alloc(b->controller->scratch_size);
  memset(b->state, 0, b->controller->state_size);
  memset(b->scratch, 0, b->controller->scratch_size);
  pk_workspace *work;
  assert_int_equal(pk_workspace_create(&b->model, &work, &err), PK_OK);
  b->seen = (pk_observation){
      .dt = 2.5e-3, .model = &b->model, .q = b->q, .u = b->u, .workspace = work, .scratch = b->scratch};
}

static void tear_down(bench *b)
{
  pk_workspace_destroy(b->seen.workspace);
  pki_aligned_free(b->state);
  pki_aligned_free(b->scratch);
  pk_whole_body_destroy(b->controller);
  pki_world_free(&b->world);
  pki_scenario_destroy(b->scenario);
}

static const pki_whole_state *state_of(const bench *b)
{
  return b->state;
}

/* Last torques and forces. */
static const double *solution_of(const bench *b)
{
  return state_of(b)->numbers + b->c->nact;
}

/* ---- the dense problem ---- */

typedef struct dense {
  int n, nu, nrow;
  double B[MOST_U][MOST_X]; /* generalised forces of the unknowns */
  double h[MOST_U];
  double Minv[MOST_U * MOST_U], M[MOST_U * MOST_U];
  double row[MOST_ROWS][MOST_U], offset[MOST_ROWS], target[MOST_ROWS], weight[MOST_ROWS];
} dense;

static void add_row(dense *d, const double *row, double offset, double target, double weight)
{
  memcpy(d->row[d->nrow], row, (size_t)d->nu * sizeof(double));
  d->offset[d->nrow] = offset, d->target[d->nrow] = target, d->weight[d->nrow] = weight;
  d->nrow++;
}

/* A point of a foot's body, in the frame of its link. */
static void to_link(const bench *b, const pki_whole_foot *foot, const double in_body[3], double out[3])
{
  const pk_pose *pose = &b->model.links[foot->link].pose;
  double off[3];
  pki_sub3(in_body, pose->pos, off);
  pki_mat3_apply_transposed(pose->rot, off, out);
}

/* Where a ball touches level ground is below its middle. */
static void touching_point(const bench *b, const pki_whole_foot *foot, const double in_body[3], double out[3])
{
  const pk_pose pose = pk_link_pose(b->seen.workspace, foot->link);
  const double down[3] = {0, 0, -foot->radius};
  double local[3];
  to_link(b, foot, in_body, out);
  pki_mat3_apply_transposed(pose.rot, down, local);
  pki_along3(out, 1, local, out);
}

static void add_foot(const bench *b, dense *d, const pki_whole_foot *foot)
{
  const pk_whole_body_gains *stance = &b->c->options.tasks[PK_WHOLE_BODY_STANCE];
  static double J[6 * MOST_U];
  double at[3], drift[6];
  touching_point(b, foot, foot->middle, at);
  pk_link_jacobian(b->seen.workspace, foot->link, at, J);
  pk_link_jacobian_dot_u(b->seen.workspace, foot->link, at, b->u, drift);
  for (int r = 6 - foot->width; r < 6; r++) {
    double rate = 0;
    for (int k = 0; k < d->nu; k++) {
      rate += J[r * d->nu + k] * b->u[k];
    }
    add_row(d, J + r * d->nu, drift[r], -stance->kd * rate, stance->weight);
  }
  for (int p = 0; p < foot->npoint; p++) {
    touching_point(b, foot, foot->point[p], at);
    pk_link_jacobian(b->seen.workspace, foot->link, at, J);
    static const int axis[3] = {2, 0, 1}; /* normal first */
    for (int k = 0; k < d->nu; k++) {
      for (int e = 0; e < 3; e++) {
        d->B[k][b->c->nact + 3 * (foot->cone + p) + e] = J[(3 + axis[e]) * d->nu + k];
      }
    }
  }
}

/* Rows of the centroidal momentum A u: A a + (dA/dt) u, the last by differences. */
static void add_momentum(const bench *b, dense *d)
{
  const pk_whole_body_gains *mass = &b->c->options.tasks[PK_WHOLE_BODY_MASS],
                            *spin = &b->c->options.tasks[PK_WHOLE_BODY_MOMENTUM];
  static double A[6 * MOST_U], near[2][6 * MOST_U];
  double now[6] = {0}, drift[6] = {0}, q[2 * MOST_U], v[MOST_U];
  const double e = 1e-5;
  for (int s = 0; s < 2; s++) {
    for (int k = 0; k < d->nu; k++) {
      v[k] = (s == 0 ? -e : e) * b->u[k];
    }
    pk_config_add(&b->model, b->q, v, q);
    pk_kinematics_compute(b->seen.workspace, q, b->u);
    pk_momentum_matrix(b->seen.workspace, near[s]);
  }
  pk_kinematics_compute(b->seen.workspace, b->q, b->u);
  pk_momentum_matrix(b->seen.workspace, A);
  for (int r = 0; r < 6; r++) {
    for (int k = 0; k < d->nu; k++) {
      now[r] += A[r * d->nu + k] * b->u[k];
      drift[r] += (near[1][r * d->nu + k] - near[0][r * d->nu + k]) / (2 * e) * b->u[k];
    }
  }
  /* a turn of the whole robot about axis k of its trunk has the angular momentum I k */
  const pk_pose trunk = pk_link_pose(b->seen.workspace, b->model.robots[b->c->robot].root_link);
  double trace = 0;
  for (int k = 0; k < 3; k++) {
    for (int r = 0; r < 3; r++) {
      trace += trunk.rot[3 * r + k] * A[r * d->nu + 3 + k];
    }
  }
  for (int r = 0; r < 6; r++) {
    const pk_whole_body_gains *task = r < 3 ? spin : mass;
    const double scale = r < 3 ? 3 / trace : 1 / b->c->mass;
    double row[MOST_U];
    for (int k = 0; k < d->nu; k++) {
      row[k] = A[r * d->nu + k] * scale;
    }
    add_row(d, row, drift[r] * scale, -task->kd * now[r] * scale, task->weight);
  }
}

/* At the first update everything is where it should be, and tasks only damp. */
static void write_dense(const bench *b, dense *d)
{
  const pki_whole_body *c = b->c;
  const pk_whole_body_options *o = &c->options;
  memset(d, 0, sizeof *d);
  d->nu = b->model.nu, d->n = c->unknowns;
  pk_mass_matrix(b->seen.workspace, b->q, d->M);
  assert_int_equal(pk_mass_matrix_inverse(b->seen.workspace, b->q, d->Minv), PK_OK);
  pk_inverse_dynamics(b->seen.workspace, b->q, b->u, NULL, d->h);
  pk_kinematics_compute(b->seen.workspace, b->q, b->u);
  for (int k = 0; k < d->nu; k++) {
    d->h[k] += b->model.dof_damping[k] * b->u[k];
  }
  for (int k = 0; k < 3; k++) {
    const double row[MOST_U] = {[3] = k == 0, [4] = k == 1, [5] = k == 2};
    const pk_whole_body_gains *task = &o->tasks[PK_WHOLE_BODY_TRUNK];
    add_row(d, row, 0, -task->kd * b->u[3 + k], task->weight);
  }
  for (int j = 0; j < c->nact; j++) {
    double row[MOST_U] = {0};
    const pk_whole_body_gains *task = &o->tasks[PK_WHOLE_BODY_POSTURE];
    row[c->act[j]] = 1;
    d->B[c->act[j]][j] = 1;
    add_row(d, row, 0, -task->kd * b->u[c->act[j]], task->weight * (c->carries[j] ? o->legs : 1));
  }
  for (int f = 0; f < c->nfoot; f++) {
    add_foot(b, d, &c->feet[f]);
  }
  add_momentum(b, d);
}

/* a of some torques and forces. */
static void accelerate(const dense *d, const double *x, double *a)
{
  double force[MOST_U];
  for (int k = 0; k < d->nu; k++) {
    force[k] = -d->h[k];
    for (int j = 0; j < d->n; j++) {
      force[k] += d->B[k][j] * x[j];
    }
  }
  for (int k = 0; k < d->nu; k++) {
    a[k] = 0;
    for (int j = 0; j < d->nu; j++) {
      a[k] += d->Minv[k * d->nu + j] * force[j];
    }
  }
}

/* What is minimised, and each row's miss. */
static double cost_of(const bench *b, const dense *d, const double *x)
{
  const pki_whole_body *c = b->c;
  const double arm = c->mass * c->height;
  double a[MOST_U], sum = 0;
  accelerate(d, x, a);
  for (int r = 0; r < d->nrow; r++) {
    double miss = d->offset[r] - d->target[r];
    for (int k = 0; k < d->nu; k++) {
      miss += d->row[r][k] * a[k];
    }
    sum += 0.5 * d->weight[r] * miss * miss;
  }
  for (int j = 0; j < d->n; j++) {
    const double scale =
        j < c->nact ? c->options.effort_weight / (arm * arm) : c->options.force_weight / (c->mass * c->mass);
    sum += 0.5 * scale * x[j] * x[j];
  }
  return sum;
}

/* The least-squares solution without limits, by normal equations. */
static void solve_dense(const bench *b, const dense *d, double *x)
{
  static double H[MOST_X * MOST_X], T[MOST_ROWS][MOST_X];
  const pki_whole_body *c = b->c;
  const double arm = c->mass * c->height;
  double zero[MOST_X] = {0}, a0[MOST_U];
  accelerate(d, zero, a0);
  for (int r = 0; r < d->nrow; r++) {
    double part[MOST_U] = {0};
    for (int k = 0; k < d->nu; k++) {
      for (int j = 0; j < d->nu; j++) {
        part[j] += d->row[r][k] * d->Minv[k * d->nu + j];
      }
    }
    for (int j = 0; j < d->n; j++) {
      T[r][j] = 0;
      for (int k = 0; k < d->nu; k++) {
        T[r][j] += part[k] * d->B[k][j];
      }
    }
  }
  for (int i = 0; i < d->n; i++) {
    for (int j = 0; j < d->n; j++) {
      H[i * d->n + j] = 0;
      for (int r = 0; r < d->nrow; r++) {
        H[i * d->n + j] += d->weight[r] * T[r][i] * T[r][j];
      }
    }
    H[i * d->n + i] +=
        i < c->nact ? c->options.effort_weight / (arm * arm) : c->options.force_weight / (c->mass * c->mass);
    x[i] = 0;
    for (int r = 0; r < d->nrow; r++) {
      double o = d->offset[r] - d->target[r];
      for (int k = 0; k < d->nu; k++) {
        o += d->row[r][k] * a0[k];
      }
      x[i] -= d->weight[r] * T[r][i] * o;
    }
  }
  pki_cholesky(H, d->n, d->n);
  pki_cholesky_solve(H, d->n, d->n, x, 1);
}

/* ---- robots ---- */

#define STARLETH PK_SOURCE_DIR "/scenarios/starleth-diagonal.yaml"
#define COMAN PK_SOURCE_DIR "/scenarios/coman-sway.yaml"

static pk_whole_body_options options_of(const char *file)
{
  pk_whole_body_options o = pk_whole_body_options_default();
  if (strcmp(file, COMAN) == 0) {
    o.feet[0] = "RFoot", o.feet[1] = "LFoot";
  }
  return o;
}

static const char *const files[] = {STARLETH, COMAN};

static void without_limits_the_solution_is_that_of_dense_least_squares(void **state)
{
  (void)state;
  static dense d;
  for (int k = 0; k < 4; k++) {
    pk_whole_body_options o = options_of(files[k % 2]);
    o.friction = 10;
    o.effort_weight = o.force_weight = 0.1; /* so that normal equations are accurate too */
    bench b;
    set_up(&b, files[k % 2], &o, 1e6, 3 + (uint64_t)k);
    assert_int_equal(update_one(b.controller, &b.seen, b.state, b.commands), PK_OK);
    write_dense(&b, &d);
    double x[MOST_X];
    solve_dense(&b, &d, x);
    const double *mine = solution_of(&b);
    double most = 0, off = 0;
    for (int i = 0; i < d.n; i++) {
      most = fmax(most, fabs(x[i]));
      off = fmax(off, fabs(x[i] - mine[i]));
    }
    /* corners of soles may want to pull: then limits act, and the cost is what is compared in the next test */
    print_message("%s: %d unknowns, largest %.3g, apart %.1e, residual %.1e, %d rounds, held %d\n",
                  files[k % 2], d.n, most, off, state_of(&b)->report.residual, state_of(&b)->report.rounds,
                  state_of(&b)->report.held);
    assert_int_equal(state_of(&b)->report.held, 0);
    assert_less(off, 1e-5 * most);
    tear_down(&b);
  }
}

/* Nearby points within the limits cost more; the cost at the solution comes back. */
static double assert_least_cost(const bench *b, const dense *d, double friction)
{
  const double *x = solution_of(b), cost = cost_of(b, d, x);
  pki_random random = pki_random_seeded(7);
  for (int t = 0; t < 200; t++) {
    double near[MOST_X];
    const double step = pow(10, pki_random_between(&random, -6, 0));
    for (int j = 0; j < d->n; j++) {
      near[j] = x[j] + step * pki_random_normal(&random);
      if (j < b->c->nact) {
        const double limit = b->effort[b->c->u + b->c->act[j]];
        near[j] = fmax(-limit, fmin(limit, near[j]));
      }
    }
    for (int p = 0; p < b->c->cones; p++) {
      double *f = near + b->c->nact + 3 * p;
      f[0] = fmax(0, f[0]);
      const double size = hypot(f[1], f[2]), most = friction * f[0], scale = size > most ? most / size : 1;
      f[1] *= scale, f[2] *= scale;
    }
    assert_at_least(cost_of(b, d, near), cost * (1 - 1e-9));
  }
  return cost;
}

static void limits_hold_and_the_dynamics_are_met(void **state)
{
  (void)state;
  static dense d;
  for (int k = 0; k < 4; k++) {
    pk_whole_body_options o = options_of(files[k % 2]);
    o.friction = 0.05;
    bench b;
    set_up(&b, files[k % 2], &o, k < 2 ? 1 : 0.25, 13 + (uint64_t)k);
    for (int i = 0; i < b.model.nu; i++) {
      b.u[i] *= 10;
    }
    assert_int_equal(update_one(b.controller, &b.seen, b.state, b.commands), PK_OK);
    write_dense(&b, &d);
    const double *x = solution_of(&b);
    const pk_whole_body_report *r = &state_of(&b)->report;
    for (int j = 0; j < b.c->nact; j++) {
      assert_at_most(fabs(x[j]), b.effort[b.c->u + b.c->act[j]]);
      assert_true(b.commands[b.c->u + b.c->act[j]].tau == x[j]);
    }
    for (int p = 0; p < b.c->cones; p++) {
      const double *f = x + b.c->nact + 3 * p;
      assert_at_least(f[0], 0);
      assert_at_most(hypot(f[1], f[2]), 0.05 * f[0] * (1 + 1e-12));
    }
    /* the rates of commands are those of the accelerations that torques and forces give */
    double a[MOST_U], miss = 0, most = 0;
    accelerate(&d, x, a);
    for (int j = 0; j < b.c->nact; j++) {
      const int u = b.c->u + b.c->act[j];
      miss = fmax(miss, fabs((b.commands[u].u_des - b.u[u]) / b.controller->period - a[u]));
      most = fmax(most, fabs(a[u]));
    }
    const double cost = assert_least_cost(&b, &d, 0.05);
    print_message("%s: accelerations up to %.3g apart %.1e, cost %.4g, residual %.1e, %d torques and %d "
                  "forces at limits\n",
                  files[k % 2], most, miss, cost, r->residual, r->torques, r->forces);
    assert_less(miss, 1e-9 * most);
    assert_int_equal(r->held, 1);
    assert_greater(r->forces + r->torques, 0);
    assert_at_most(r->residual, PKI_CONE_PROGRAM_ACCURACY);
    tear_down(&b);
  }
}

/* Mass first: it is missed no more than without any other task, and by less than under weights. */
static void a_level_keeps_what_upper_levels_reach(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    double missed[3], stance[3];
    for (int how = 0; how < 3; how++) {
      pk_whole_body_options o = options_of(files[k]);
      o.friction = 0.1;
      o.moves[0] = (pk_whole_body_move){.at = 0, .time = 0.1, .forward = 0.1};
      o.move_count = 1;
      for (int t = 0; t < PK_WHOLE_BODY_TASK_COUNT && how > 0; t++) {
        const bool first = t == PK_WHOLE_BODY_MASS || t == PK_WHOLE_BODY_STANCE;
        o.tasks[t].level = first ? 0 : t == PK_WHOLE_BODY_POSTURE ? 2 : 1;
        o.tasks[t].weight =
            how == 1 && !first ? 0 : o.tasks[t].weight; /* 1: the first level alone; 2: all levels */
      }
      bench b;
      set_up(&b, files[k], &o, 1, 21);
      assert_int_equal(update_one(b.controller, &b.seen, b.state, b.commands), PK_OK);
      b.seen.time = 0.02;
      assert_int_equal(update_one(b.controller, &b.seen, b.state, b.commands), PK_OK);
      missed[how] = state_of(&b)->report.missed[PK_WHOLE_BODY_MASS];
      stance[how] = state_of(&b)->report.missed[PK_WHOLE_BODY_STANCE];
      assert_at_most(state_of(&b)->report.residual, PKI_CONE_PROGRAM_ACCURACY);
      assert_int_equal(state_of(&b)->report.held, 1);
      tear_down(&b);
    }
    print_message("%s: the mass is missed by %.6f under weights, %.9f alone, %.9f in its level; stance %.2e "
                  "%.2e %.2e\n",
                  files[k], missed[0], missed[1], missed[2], stance[0], stance[1], stance[2]);
    assert_greater(missed[1], 0.1);
    assert_near(missed[2], missed[1], 1e-4 * missed[1]);
    assert_near(stance[2], stance[1], 1e-3);
  }
}

static void an_update_allocates_nothing_and_warm_ones_take_few_rounds(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    const pk_whole_body_options o = options_of(files[k]);
    bench b;
    set_up(&b, files[k], &o, 1, 5);
    assert_int_equal(update_one(b.controller, &b.seen, b.state, b.commands), PK_OK);
    const int before = allocations;
    int rounds = 0;
    for (int i = 0; i < 20; i++) {
      for (int j = 0; j < b.model.nu; j++) {
        b.u[j] *= 0.99;
      }
      assert_int_equal(update_one(b.controller, &b.seen, b.state, b.commands), PK_OK);
      rounds += state_of(&b)->report.rounds;
    }
    assert_int_equal(allocations, before);
    print_message("%s: %.2f rounds on average\n", files[k], rounds / 20.0);
    assert_at_most(rounds, 60);
    tear_down(&b);
  }
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_limits_the_solution_is_that_of_dense_least_squares),
      cmocka_unit_test(limits_hold_and_the_dynamics_are_met),
      cmocka_unit_test(a_level_keeps_what_upper_levels_reach),
      cmocka_unit_test(an_update_allocates_nothing_and_warm_ones_take_few_rounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
