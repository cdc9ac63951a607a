/* Robots under whole-body control: what they do in scenarios, alone and in batches. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "control/whole_body.h"
#include "pronk/batch.h"
#include "scenario/scenario.h"
#include "step/world.h"
#include "support/allocations.h"
#include "support/bounds.h"
#include "support/pace.h"

#define STARLETH PK_SOURCE_DIR "/scenarios/starleth-diagonal.yaml"
#define COMAN PK_SOURCE_DIR "/scenarios/coman-sway.yaml"

typedef struct stage {
  pki_scenario *scenario;
  pki_world world;
} stage;

static stage set_stage(const char *file, const char *const *sets, int nset)
{
  stage s = {0};
  pk_error err = {.message = ""};
  if (pki_scenario_load(file, sets, nset, &s.scenario, &err) != PK_OK ||
      pki_world_create(s.scenario, &s.world, &err) != PK_OK) {
    fail_msg("%s: %s", file, err.message);
  }
  return s;
}

static void clear_stage(stage *s)
{
  pki_world_free(&s->world);
  pki_scenario_destroy(s->scenario);
}

/* Of a stretch of time. */
typedef struct facts {
  int steps, uncertified, held, fallbacks, rounds, most_rounds, standing; /* standing: steps with all feet */
  double slip;                                                            /* m, of contacts that push */
  double tilt, worst, residual;
  double mass[3][2]; /* m, least and most of the mass's place */
  double missed[PK_WHOLE_BODY_TASK_COUNT];
} facts;

/* The mass, the trunk's tilt, and how far contacts that push have slid in the last step. */
static void note_motion(const pki_world *w, pk_workspace *work, facts *f)
{
  pk_sim_contact contacts[64];
  double at[3], rate[3];
  pk_kinematics_compute(work, pk_sim_q(w->sim), pk_sim_u(w->sim));
  pk_com_compute(work, 0, at, rate);
  for (int k = 0; k < 3; k++) {
    f->mass[k][0] = fmin(f->mass[k][0], at[k]), f->mass[k][1] = fmax(f->mass[k][1], at[k]);
  }
  const pk_pose trunk = pk_link_pose(work, w->model->robots[0].root_link);
  f->tilt = fmax(f->tilt, acos(fmin(1, trunk.rot[8])));
  const int count = pk_sim_contacts(w->sim, contacts, 64);
  for (int i = 0; i < count && i < 64; i++) {
    double v[3];
    if (contacts[i].slides && contacts[i].other_link < 0) {
      pk_link_point_velocity(work, contacts[i].link, contacts[i].point, v);
      f->slip += w->scenario->step.dt * hypot(v[0], v[1]);
    }
  }
}

/* Run for a time, without an allocation. */
static facts run_stage(stage *s, double time)
{
  pki_world *w = &s->world;
  pk_workspace *work;
  pk_error err;
  assert_int_equal(pk_workspace_create(w->model, &work, &err), PK_OK);
  facts f = {.mass = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}, {INFINITY, -INFINITY}}};
  const int steps = (int)round(time / s->scenario->step.dt);
  const pki_whole_body *c = w->controller->user;
  for (int i = 0; i < steps; i++) {
    pk_step_info info;
    pk_whole_body_report report;
    const int before = allocations;
    assert_int_equal(pki_world_step(w, &info), PK_OK);
    assert_int_equal(allocations, before);
    assert_int_equal(pk_whole_body_get_report(w->sim, &report, &err), PK_OK);
    f.steps++, f.uncertified += !info.certified, f.held += report.held, f.fallbacks += report.fallback;
    f.rounds += report.rounds;
    f.most_rounds = report.rounds > f.most_rounds ? report.rounds : f.most_rounds;
    f.standing += report.standing == (1 << c->nfoot) - 1;
    f.worst = fmax(f.worst, info.certificate.relative), f.residual = fmax(f.residual, report.residual);
    for (int t = 0; t < PK_WHOLE_BODY_TASK_COUNT; t++) {
      f.missed[t] = fmax(f.missed[t], report.missed[t]);
    }
    note_motion(w, work, &f);
  }
  pk_workspace_destroy(work);
  return f;
}

static void print_facts(const char *what, const facts *f)
{
  print_message(
      "%s: %d steps, tilt %.2f degrees, slip %.4f mm, held in %d, rounds %.2f (at most %d), fallback in %d, "
      "program %.1e, certificate %.1e; mass x %.3f to %.3f, y %.3f to %.3f, z %.3f to %.3f\n",
      what, f->steps, f->tilt * 180 / acos(-1.0), 1e3 * f->slip, f->held, (double)f->rounds / f->steps,
      f->most_rounds, f->fallbacks, f->residual, f->worst, f->mass[0][0], f->mass[0][1], f->mass[1][0],
      f->mass[1][1], f->mass[2][0], f->mass[2][1]);
}

static void assert_proven(const facts *f)
{
  assert_int_equal(f->uncertified, 0);
  assert_at_most(f->residual, PKI_CONE_PROGRAM_ACCURACY);
}

static void starleth_stands_and_recovers_from_a_push(void **state)
{
  (void)state;
  static const char *const sets[] = {"controller.moves=[]",
                                     "push=[{link: base, at: 1, for: 0.1, force: [30, 60, 0]}]"};
  stage s = set_stage(STARLETH, sets, 2);
  facts f = run_stage(&s, 1.2);
  print_facts("StarLETH, pushed", &f);
  assert_proven(&f);
  assert_greater(f.mass[1][1], 0.01); /* the push has moved it */
  f = run_stage(&s, 3);
  const facts still = run_stage(&s, 0.5);
  print_facts("StarLETH, afterwards", &still);
  assert_proven(&still);
  assert_less(fmax(fabs(still.mass[0][1]), fabs(still.mass[1][1])), 0.01);
  assert_less(still.tilt, 0.01);
  assert_int_equal(still.standing, still.steps);
  clear_stage(&s);
}

/* On the diagonal alone from 1.8 s to 4.5 s, and pushed there. */
static void starleth_balances_on_a_diagonal(void **state)
{
  (void)state;
  static const char *const push[] = {"push=[{link: base, at: 2, for: 0.05, force: [0, 20, 0]}]"};
  for (int k = 0; k < 2; k++) {
    stage s = set_stage(STARLETH, push, k);
    run_stage(&s, 1.9);
    const facts f = run_stage(&s, 2.5);
    print_facts(k == 0 ? "on the diagonal" : "on the diagonal, pushed", &f);
    assert_int_equal(f.standing, 0); /* two feet are in the air all the time */
    assert_proven(&f);
    assert_less(f.tilt, k == 0 ? 0.01 : 0.5);
    assert_less(f.slip, 1e-4);
    run_stage(&s, 0.8);
    const facts end = run_stage(&s, 0.5);
    print_facts("on four feet again", &end);
    assert_int_equal(end.standing, end.steps);
    assert_less(end.tilt, 0.02);
    clear_stage(&s);
  }
}

static void coman_stands_sways_and_squats_on_its_soles(void **state)
{
  (void)state;
  static const char *const sets[][3] = {{"controller.sway=0", "controller.squat=0", "controller.cycle=3"},
                                        {"controller.sway=0.04", "controller.squat=0", "controller.cycle=3"},
                                        {"controller.sway=0", "controller.squat=0.08", "controller.cycle=3"}};
  static const double sway[] = {0, 0.04, 0}, squat[] = {0, 0, 0.08};
  for (int k = 0; k < 3; k++) {
    stage s = set_stage(COMAN, sets[k], 3);
    facts f = run_stage(&s, 3.5);
    assert_proven(&f);
    f = run_stage(&s, PACE(5, 3)); /* a cycle and a half after the first one */
    print_facts(k == 0 ? "COMAN stands" : k == 1 ? "COMAN sways" : "COMAN squats", &f);
    assert_proven(&f);
    assert_int_equal(f.standing, f.steps);
    assert_less(f.slip, 1e-4);
    assert_near(f.mass[1][1], sway[k], 0.003);
    assert_near(f.mass[1][0], -sway[k], 0.003);
    assert_near(f.mass[2][1] - f.mass[2][0], squat[k], 0.004);
    assert_less(f.tilt, 0.05);
    clear_stage(&s);
  }
}

/* The mass goes over the left sole, the other foot is lifted for 3 s and put down again; a push in between is caught by the ankle. */
static void coman_stands_on_one_sole(void **state)
{
  (void)state;
  static const char moves[] =
      "controller.moves=[{at: 1, time: 1, left: 0.07}, "
      "{at: 2.5, time: 0.5, left: 0.07, lift: RFoot}, {at: 6, time: 0.5, left: 0.07}]";
  static const char *const sets[] = {"controller.sway=0", "controller.squat=0", moves,
                                     "push=[{link: DWYTorso, at: 4, for: 0.05, force: [40, 20, 0]}]"};
  stage s = set_stage(COMAN, sets, 4);
  run_stage(&s, 3);
  facts f = run_stage(&s, 2.9);
  print_facts("COMAN on one sole, pushed", &f);
  assert_int_equal(f.standing, 0);
  assert_proven(&f);
  assert_less(f.tilt, 0.2);
  assert_less(f.slip, 1e-3);
  run_stage(&s, 1.6);
  f = run_stage(&s, 0.5);
  print_facts("on both again", &f);
  assert_int_equal(f.standing, f.steps);
  assert_less(f.tilt, 0.01);
  clear_stage(&s);
}

/* More than friction and torques allow: the mass comes after its reference as far as they let it, and the report says so. */
static void tasks_beyond_the_limits_are_missed_least_and_reported(void **state)
{
  (void)state;
  static const char *const sets[] = {"controller.friction=0.1",
                                     "controller.moves=[{at: 1.2, time: 0.1, forward: 0.08}]"};
  stage s = set_stage(STARLETH, sets, 2);
  facts f = run_stage(&s, 1);
  assert_int_equal(f.held, 0);
  const double at_rest = f.missed[PK_WHOLE_BODY_MASS];
  run_stage(&s, 0.2);
  f = run_stage(&s, 0.1);
  print_facts("StarLETH on ice, in haste", &f);
  print_message("the mass is missed by up to %.3g m/s^2, at rest by %.1e\n", f.missed[PK_WHOLE_BODY_MASS],
                at_rest);
  assert_greater(f.held, 20);
  assert_less(at_rest, 0.1);
  assert_greater(f.missed[PK_WHOLE_BODY_MASS], 1);
  assert_proven(&f);
  /* it stays on its feet, and gets there later */
  f = run_stage(&s, 4);
  const facts end = run_stage(&s, 0.5);
  print_facts("later", &end);
  assert_near(end.mass[0][1], 0.08, 0.01);
  assert_int_equal(end.held, 0);
  clear_stage(&s);
}

/* Arms along a table, while the robot stands: each joint is within what the balance takes from it. */
static void posture_follows_a_table(void **state)
{
  (void)state;
  const char *const path = PK_BUILD_DIR "/tests/control/arms.csv";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("time RShSag LShSag\n", file);
  for (int i = 0; i <= 20; i++) {
    fprintf(file, "%g %g %g\n", 0.2 * i, -0.4 * sin(0.1 * i * acos(-1.0)), 0.4 * sin(0.1 * i * acos(-1.0)));
  }
  fclose(file);
  static const char *const sets[] = {"controller.sway=0", "controller.squat=0",
                                     "controller.file=" PK_BUILD_DIR "/tests/control/arms.csv"};
  stage s = set_stage(COMAN, sets, 3);
  const pk_model *m = s.world.model;
  const int q = m->joints[pk_model_find_joint(m, "RShSag")].q;
  double off = 0;
  for (int i = 0; i < 380; i++) {
    const facts f = run_stage(&s, 0.01);
    assert_proven(&f);
    off = fmax(off, fabs(pk_sim_q(s.world.sim)[q] + 0.4 * sin(0.5 * acos(-1.0) * 0.01 * (i + 1))));
  }
  print_message("the shoulder is at most %.4f rad from its reference, which goes 0.4 rad either way\n", off);
  assert_less(off, 0.03);
  clear_stage(&s);
  remove(path);
}

/* Worlds of a batch are the sims, to the bit. */
static void assert_batch_is_sims(const char *file, int lanes, int threads)
{
  enum { WORLDS = 11 };
  const int steps = PACE(240, 60);
  stage s = set_stage(file, (const char *const[]){"controller.moves=[]"}, strcmp(file, STARLETH) == 0);
  pki_world *w = &s.world;
  pk_error err = {.message = ""};
  pk_batch_options o = pk_batch_options_default();
  pk_sim_options sim_options = pk_sim_options_default();
  sim_options.dt = s.scenario->step.dt;
  o.worlds = WORLDS, o.lanes = lanes, o.threads = threads, o.sim = sim_options;
  pk_batch *batch;
  assert_int_equal(pk_batch_create(w->model, &o, &batch, &err), PK_OK);
  assert_int_equal(pk_batch_set_like(batch, w->sim, &err), PK_OK);
  assert_int_equal(pk_batch_set_controller(batch, w->controller, &err), PK_OK);
  const size_t size = pk_sim_state_size(w->sim);
  unsigned char *start = malloc(size), *mine = malloc(size), *theirs = malloc(size);
  pk_sim_get_state(w->sim, start);
  for (int k = 0; k < WORLDS; k++) {
    assert_int_equal(pk_sim_set_state(w->sim, start, size, &err), PK_OK);
    pk_sim_u(w->sim)[k % 6] += 0.02 * k;
    assert_int_equal(pk_batch_set(batch, k, w->sim, &err), PK_OK);
  }
  pk_batch_info info;
  const int before = allocations;
  assert_int_equal(pk_batch_step(batch, steps, &info), PK_OK);
  assert_true(threads > 1 || allocations == before);
  for (int k = 0; k < WORLDS; k++) {
    assert_int_equal(pk_sim_set_state(w->sim, start, size, &err), PK_OK);
    pk_sim_u(w->sim)[k % 6] += 0.02 * k;
    for (int i = 0; i < steps; i++) {
      assert_int_equal(pk_sim_step(w->sim, NULL), PK_OK);
    }
    pk_sim_get_state(w->sim, mine);
    assert_int_equal(pk_batch_get(batch, k, w->sim, &err), PK_OK);
    pk_sim_get_state(w->sim, theirs);
    assert_memory_equal(mine, theirs, size);
  }
  free(start), free(mine), free(theirs);
  pk_batch_destroy(batch);
  clear_stage(&s);
}

static void a_world_of_a_batch_is_the_world_alone_to_the_bit(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    assert_batch_is_sims(k == 0 ? STARLETH : COMAN, 8, 2);
    assert_batch_is_sims(k == 0 ? STARLETH : COMAN, 4, 1);
    assert_batch_is_sims(k == 0 ? STARLETH : COMAN, 1, 1);
  }
}

/* Of one update, for people: no assertion. */
static void time_updates(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    stage s = set_stage(k == 0 ? STARLETH : COMAN, NULL, 0);
    run_stage(&s, 1);
    const pki_whole_body *c = s.world.controller->user;
    const int lanes = c->wide->lanes;
    pk_observation seen[PKI_WHOLE_LANES];
    void *states[PKI_WHOLE_LANES];
    pk_command *commands[PKI_WHOLE_LANES];
    pk_status status[PKI_WHOLE_LANES];
    void *scratch = pki_aligned_alloc(s.world.controller->scratch_size);
    memset(scratch, 0, s.world.controller->scratch_size);
    for (int l = 0; l < lanes; l++) {
      states[l] = pki_aligned_alloc(s.world.controller->state_size);
      memcpy(states[l], s.world.sim->control.state, s.world.controller->state_size);
      commands[l] = calloc((size_t)s.world.model->nu, sizeof(pk_command));
      seen[l] = (pk_observation){.time = 1,
                                 .dt = 2.5e-3,
                                 .model = s.world.model,
                                 .q = pk_sim_q(s.world.sim),
                                 .u = pk_sim_u(s.world.sim),
                                 .scratch = scratch};
      ((pki_whole_state *)states[l])->report.rounds = 0;
    }
    for (int group = 1; group <= lanes; group += lanes - 1) {
      enum { UPDATES = 400 };
      double best = INFINITY, sum = 0;
      int rounds = 0;
      for (int i = 0; i < UPDATES; i++) {
        for (int j = 6; j < s.world.model->nu; j++) { /* another program each time */
          pk_sim_u(s.world.sim)[j] = 0.1 * sin(0.05 * i + j);
        }
        const double t = pki_clock();
        s.world.controller->update_group(s.world.controller, group, seen, states, commands, status);
        const double used = pki_clock() - t;
        best = fmin(best, used), sum += used;
        rounds += ((pki_whole_state *)states[0])->report.rounds;
      }
      print_message(
          "%s, %d worlds at once: an update of each takes %.1f us on average, %.1f us at least (%s), "
          "%.2f rounds\n",
          k == 0 ? "StarLETH" : "COMAN", group, 1e6 * sum / UPDATES / group, 1e6 * best / group, c->one->isa,
          (double)rounds / UPDATES);
    }
    for (int l = 0; l < lanes; l++) {
      pki_aligned_free(states[l]);
      free(commands[l]);
    }
    pki_aligned_free(scratch);
    clear_stage(&s);
  }
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starleth_stands_and_recovers_from_a_push),
      cmocka_unit_test(starleth_balances_on_a_diagonal),
      cmocka_unit_test(coman_stands_sways_and_squats_on_its_soles),
      cmocka_unit_test(coman_stands_on_one_sole),
      cmocka_unit_test(tasks_beyond_the_limits_are_missed_least_and_reported),
      cmocka_unit_test(posture_follows_a_table),
      cmocka_unit_test(a_world_of_a_batch_is_the_world_alone_to_the_bit),
      cmocka_unit_test(time_updates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
