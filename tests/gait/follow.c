/* Motions of the whole body, followed in the world of contacts: trots that were recorded, ambles on two feet that a pendulum planned, humanoids
 * that sway, a jump. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gait/planned.h"
#include "gait/recorded.h"
#include "gait/walker.h"
#include "math/mat3.h"
#include "run/tracking_error.h"
#include "scenario/scenario.h"
#include "support/allocations.h"
#include "support/bounds.h"
#include "support/pace.h"

static const char *const quadruped_feet[4] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
static const double degree = 0.017453292519943295;

/* Of a run. */
typedef struct facts {
  bool fell;
  int uncertified;
  double way[2];    /* m, of the trunk */
  double tilt;      /* rad, most */
  double height[2]; /* m, least and most of the trunk */
  double error;     /* rad, mean of the joints from their references */
} facts;

/* Force on the trunk's origin from a time on. */
typedef struct shove {
  double at, time, force[3];
} shove;

static facts run_sim(pk_sim *sim, double time, const shove *push)
{
  static const double origin[3] = {0, 0, 0};
  const pk_model *m = pk_sim_model(sim);
  const double *q = pk_sim_q(sim), start[2] = {q[0], q[1]}, begin = pk_sim_time(sim);
  facts f = {.height = {q[2], q[2]}};
  pki_tracking_error error = {0};
  double *before = malloc((size_t)m->nq * sizeof *before);
  while (!f.fell && pk_sim_time(sim) - begin < time - 1e-9) {
    const double now = pk_sim_time(sim) - begin;
    pk_step_info info;
    double R[9];
    memcpy(before, q, (size_t)m->nq * sizeof *before);
    if (push != NULL && now >= push->at && now < push->at + push->time) {
      pk_sim_push(sim, m->robots[0].root_link, origin, push->force);
    }
    assert_int_equal(pk_sim_step(sim, &info), PK_OK);
    pki_tracking_error_add(m, pk_sim_commands(sim), before, q, &error);
    pki_quat_to_mat3(q + 3, R);
    f.uncertified += !info.certified;
    f.tilt = fmax(f.tilt, acos(fmin(1, R[8])));
    f.height[0] = fmin(f.height[0], q[2]), f.height[1] = fmax(f.height[1], q[2]);
    f.fell = R[8] < 0.5;
  }
  free(before);
  f.way[0] = q[0] - start[0], f.way[1] = q[1] - start[1];
  f.error = pki_tracking_error_mean(&error);
  return f;
}

/* ---- recorded trots ---- */

typedef struct trotter {
  const walker_robot *robot;
  pk_gait gait;
  double speed, cycle;
} trotter;

/* A walker after some cycles of locomotion, then along the motion of its next one. */
static walker follow_gait(const trotter *t, const char *path)
{
  pk_locomotion_options o = pk_locomotion_options_default();
  o.gait = t->gait, o.forward = t->speed, o.cycle = t->cycle, o.start = 0.4;
  walker w = walker_create_robot(t->robot, NULL, &o, NULL);
  while (pk_sim_time(w.sim) < 8) {
    assert_int_equal(pk_sim_step(w.sim, NULL), PK_OK);
  }
  assert_true(recorded_write(w.sim, quadruped_feet, 4, t->cycle, true, path));
  pk_controller *follow = recorded_follow_file(w.sim, path);
  pk_locomotion_destroy(w.controller);
  w.controller = follow;
  return w;
}

static void recorded_gaits_are_repeated(void **state)
{
  (void)state;
  const trotter gaits[] = {{&walker_starleth, PK_GAIT_TROT, 0.3, 0.8},
                           {&walker_starleth, PK_GAIT_AMBLE, 0.4, 0.6},
                           {&walker_starleth, PK_GAIT_PACE, 0.4, 0.5},
                           {&walker_starleth, PK_GAIT_BOUND, 0.6, 0.42},
                           {&walker_anymal, PK_GAIT_TROT, 0.5, 0.5}};
  for (size_t i = 0; i < sizeof gaits / sizeof gaits[0]; i++) {
    walker w = follow_gait(&gaits[i], "recorded.csv");
    const double time = PACE(20, 4) * gaits[i].cycle;
    const facts f = run_sim(w.sim, time, NULL);
    assert_false(f.fell);
    assert_int_equal(f.uncertified, 0);
    assert_near(f.way[0] / time, gaits[i].speed, 0.05 * gaits[i].speed);
    assert_less(fabs(f.way[1]), 0.05);
    assert_less(f.error, 0.05);
    walker_destroy(&w);
  }
}

/* An impulse of 6 N s changes the speed of 25 kg by a quarter of a metre per second. */
static void a_push_is_caught(void **state)
{
  (void)state;
  const trotter trot = {&walker_starleth, PK_GAIT_TROT, 0.3, 0.8};
  const shove pushes[] = {
      {1.0, 0.1, {0, 60, 0}}, {1.3, 0.1, {0, -60, 0}}, {1.1, 0.1, {60, 0, 0}}, {1.2, 0.1, {-60, 0, 0}}};
  for (size_t i = 0; i < sizeof pushes / sizeof pushes[0]; i++) {
    walker w = follow_gait(&trot, "pushed.csv");
    const facts f = run_sim(w.sim, 8 * trot.cycle, &pushes[i]);
    assert_false(f.fell);
    assert_near(f.way[0] / (8 * trot.cycle), trot.speed, 0.05 * trot.speed);
    assert_less(f.tilt, 20 * degree);
    walker_destroy(&w);
  }
}

/* ---- planned ambles ---- */

typedef struct ambler {
  const char *model;
  planned_amble amble;
} ambler;

static const ambler starleth = {"starleth",
                                {.height = 0.435,
                                 .speed = 0.4,
                                 .cycle = 1,
                                 .lift = 0.05,
                                 .leg = {{0, 0.7343101344764329, -1.3411529067300831},
                                         {0, 0.7343101344764329, -1.3411529067300831},
                                         {0, -0.7343101344764329, 1.3411529067300831},
                                         {0, -0.7343101344764329, 1.3411529067300831}}}};
static const ambler quadruped15 = {"quadruped15",
                                   {.height = 0.356434,
                                    .speed = 0.4,
                                    .cycle = 0.8,
                                    .lift = 0.04,
                                    .leg = {{0, 0.6680081840779306, -1.3360163681558612},
                                            {0, 0.6680081840779306, -1.3360163681558612},
                                            {0, 0.6680081840779306, -1.3360163681558612},
                                            {0, 0.6680081840779306, -1.3360163681558612}}}};
static const ambler toy = {"sony_quadruped",
                           {.height = 0.118,
                            .wide = 0.02,
                            .speed = 0.3,
                            .cycle = 0.4,
                            .lift = 0.015,
                            .leg = {{0.7856222726598383, 0, -1.575401296013326},
                                    {0.7856222726598383, 0, -1.575401296013326},
                                    {-0.8177319154980682, 0, 1.7380424159949595},
                                    {-0.8177319154980682, 0, 1.7380424159949595}}}};

typedef struct amble_world {
  pk_model *model;
  pk_terrain *terrain;
  pk_sim *sim;
  pk_controller *follow;
} amble_world;

static amble_world start_amble(const ambler *a, double dt, const char *path)
{
  static const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
  amble_world w = {0};
  char urdf[512];
  pk_error err = {.message = ""};
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt;
  snprintf(urdf, sizeof urdf, PK_SOURCE_DIR "/models/%s/%s.urdf", a->model, a->model);
  assert_int_equal(pk_model_load_urdf(urdf, NULL, &w.model, &err), PK_OK);
  assert_int_equal(pk_terrain_create(&w.terrain, &err), PK_OK);
  assert_int_equal(pk_terrain_add_plane(w.terrain, origin, up, 0, &err), PK_OK);
  assert_int_equal(pk_sim_create(w.model, &o, &w.sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(w.sim, w.terrain, NULL, 0, &err), PK_OK);
  assert_true(planned_amble_write(w.model, &a->amble, path));
  w.follow = recorded_follow_file(w.sim, path);
  return w;
}

static void end_amble(amble_world *w)
{
  pk_sim_destroy(w->sim);
  pk_follow_destroy(w->follow);
  pk_terrain_destroy(w->terrain);
  pk_model_destroy(w->model);
}

/* Two feet stand at all times. Without feedback errors grow by exp(4) to exp(5) in each cycle. */
static void ambles_on_two_feet_go_on(void **state)
{
  (void)state;
  const ambler *const robots[] = {&starleth, &quadruped15, &toy};
  for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
    for (int k = 0; k < 2; k++) {
      const planned_amble *amble = &robots[i]->amble;
      amble_world w = start_amble(robots[i], k == 0 ? 1e-3 : 2e-3, "amble.csv");
      const double time = PACE(20, 3) * amble->cycle;
      const facts f = run_sim(w.sim, time, NULL);
      assert_false(f.fell);
      assert_int_equal(f.uncertified, 0);
      assert_near(f.way[0] / time, amble->speed, 0.05 * amble->speed);
      assert_less(fabs(f.way[1]), 0.05);
      assert_less(f.tilt, 6 * degree);
      end_amble(&w);
    }
  }
}

/* A sixth of the speed that a robot of this height falls with, sqrt(g h)/2, from each side, amid each pair of feet. */
static void ambles_on_two_feet_survive_pushes(void **state)
{
  (void)state;
  for (int i = 0; i < 8; i++) {
    const double change = 0.15, time = 0.1; /* m/s, s */
    amble_world w = start_amble(&starleth, 2e-3, "amble_pushed.csv");
    const double force = (i % 2 == 0 ? 1 : -1) * w.model->mass * change / time;
    const shove push = {starleth.amble.cycle * (2 + 0.125 + 0.25 * (i / 2)), time, {0, force, 0}};
    const facts f = run_sim(w.sim, 10 * starleth.amble.cycle, &push);
    assert_false(f.fell);
    assert_near(f.way[0] / (10 * starleth.amble.cycle), starleth.amble.speed, 0.05 * starleth.amble.speed);
    end_amble(&w);
  }
}

/* The same motion with joints by gains and without any feedback of trunk and feet: what the controller is for. */
static void without_feedback_the_amble_falls(void **state)
{
  (void)state;
  amble_world w = start_amble(&starleth, 2e-3, "amble_open.csv");
  pk_error err = {.message = ""};
  pk_follow_options o = pk_follow_options_default();
  pk_controller *open;
  snprintf(o.file, sizeof o.file, "amble_open.csv");
  o.trunk = 0, o.foothold_limit = 0;
  assert_int_equal(pk_follow_create(w.model, &o, &open, &err), PK_OK);
  assert_int_equal(pk_sim_set_controller(w.sim, open, &err), PK_OK);
  const facts f = run_sim(w.sim, 20 * starleth.amble.cycle, NULL);
  assert_true(f.fell || fabs(f.way[0] / (20 * starleth.amble.cycle) - starleth.amble.speed) > 0.2);
  end_amble(&w);
  pk_follow_destroy(open);
}

/* ---- other robots, by scenarios ---- */

typedef struct stage {
  pki_scenario *scenario;
  pki_world world;
} stage;

static stage set_stage(const char *name)
{
  stage s = {0};
  char file[512];
  pk_error err = {.message = ""};
  snprintf(file, sizeof file, PK_SOURCE_DIR "/scenarios/%s.yaml", name);
  if (pki_scenario_load(file, NULL, 0, &s.scenario, &err) != PK_OK ||
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

static void walk_until(pk_sim *sim, double time)
{
  while (pk_sim_time(sim) < time) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
}

/* Soles stand on their corners; arms follow too. */
static void humanoids_repeat_a_sway(void **state)
{
  (void)state;
  static const char *const names[2] = {"biped-stand", "coman-sway"}, *const feet[2][2] = {
                                                                         {"R_FOOT", "L_FOOT"},
                                                                         {"RFoot", "LFoot"}};
  for (int i = 0; i < 2; i++) {
    stage s = set_stage(names[i]);
    pk_sim *sim = s.world.sim;
    walk_until(sim, 4);
    assert_true(recorded_write(sim, feet[i], 2, 3, true, "sway.csv"));
    pk_controller *follow = recorded_follow_file(sim, "sway.csv");
    pk_sim_u(sim)[1] += 0.1; /* m/s, somebody nudges it */
    const facts f = run_sim(sim, PACE(12, 3), NULL);
    assert_false(f.fell);
    assert_int_equal(f.uncertified, 0);
    assert_less(f.tilt, 1 * degree);
    assert_less(hypot(f.way[0], f.way[1]), 0.01);
    clear_stage(&s);
    pk_follow_destroy(follow);
  }
}

/* Crouch, push, flight, landing; then it stands as the last row says. */
static void a_jump_is_made_once_and_ends_in_a_stand(void **state)
{
  (void)state;
  stage s = set_stage("starleth-jump");
  pk_sim *sim = s.world.sim;
  walk_until(sim, 0.1);
  assert_true(recorded_write(sim, quadruped_feet, 4, 2, false, "jump.csv"));
  pk_controller *follow = recorded_follow_file(sim, "jump.csv");
  const double stand = pk_sim_q(sim)[2];
  pk_sim_u(sim)[0] += 0.1, pk_sim_u(sim)[1] += 0.1; /* m/s */
  const facts f = run_sim(sim, 5, NULL);
  assert_false(f.fell);
  assert_int_equal(f.uncertified, 0);
  assert_near(f.height[1], stand + 0.2, 0.03); /* the scenario's jump */
  assert_near(pk_sim_q(sim)[2], stand, 0.005);
  for (int k = 0; k < pk_sim_model(sim)->nu; k++) {
    assert_less(fabs(pk_sim_u(sim)[k]), 0.01);
  }
  clear_stage(&s);
  pk_follow_destroy(follow);
}

/* ---- what all controllers keep ---- */

static void steps_allocate_nothing(void **state)
{
  (void)state;
  stage s = set_stage("starleth-amble");
  const int before = allocations;
  for (int k = 0; k < 40; k++) {
    assert_int_equal(pk_sim_step(s.world.sim, NULL), PK_OK);
  }
  assert_int_equal(allocations, before);
  clear_stage(&s);
}

static void a_run_goes_on_from_a_checkpoint_to_the_bit(void **state)
{
  (void)state;
  pk_error err = {.message = ""};
  stage one = set_stage("starleth-amble"), other = set_stage("starleth-amble");
  walk_until(one.world.sim, 0.55); /* amid a swing */
  const size_t size = pk_sim_state_size(one.world.sim);
  unsigned char *mine = malloc(size), *theirs = malloc(size);
  pk_sim_get_state(one.world.sim, mine);
  assert_int_equal(pk_sim_set_state(other.world.sim, mine, size, &err), PK_OK);
  walk_until(one.world.sim, 1.5);
  walk_until(other.world.sim, 1.5);
  pk_sim_get_state(one.world.sim, mine);
  pk_sim_get_state(other.world.sim, theirs);
  assert_memory_equal(mine, theirs, size);
  free(mine), free(theirs);
  clear_stage(&one);
  clear_stage(&other);
}

/* The first line's place is moved to where the robot is, its travel turned to where it heads. */
static void a_motion_goes_where_the_robot_heads(void **state)
{
  (void)state;
  stage s = set_stage("starleth-amble");
  double *q = pk_sim_q(s.world.sim), *u = pk_sim_u(s.world.sim), x = u[0], y = u[1];
  const double yaw = 2;
  q[0] = 5, q[1] = -3;
  q[3] = cos(0.5 * yaw), q[4] = q[5] = 0, q[6] = sin(0.5 * yaw);
  u[0] = cos(yaw) * x - sin(yaw) * y, u[1] = sin(yaw) * x + cos(yaw) * y;
  const facts f = run_sim(s.world.sim, 8, NULL);
  assert_false(f.fell);
  assert_near(f.way[0], 0.4 * 8 * cos(yaw), 0.05);
  assert_near(f.way[1], 0.4 * 8 * sin(yaw), 0.05);
  clear_stage(&s);
}

/* ---- what is refused ---- */

static void expect_refusal(const char *text, const char *message)
{
  pk_model *m;
  pk_error err = {.message = ""};
  pk_controller *follow;
  pk_follow_options o = pk_follow_options_default();
  FILE *file = fopen("refused.csv", "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  snprintf(o.file, sizeof o.file, "refused.csv");
  assert_int_equal(pk_model_load_urdf(PK_SOURCE_DIR "/models/starleth/starleth.urdf", NULL, &m, &err), PK_OK);
  assert_int_not_equal(pk_follow_create(m, &o, &follow, &err), PK_OK);
  assert_null(follow);
  assert_string_equal(err.message, message);
  pk_model_destroy(m);
}

static void every_joint_with_a_motor_must_be_in_the_motion(void **state)
{
  (void)state;
  expect_refusal("# pronk motion 1\n"
                 "time,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,q:LF_HAA,u:LF_HAA,stance:LF_FOOT\n"
                 "0,0,0,0.4,1,0,0,0,0,0,0,0,0,0,0,0,1\n"
                 "1,0,0,0.4,1,0,0,0,0,0,0,0,0,0,0,0,1\n",
                 "the motion has no columns of the joint \"LF_HFE\", expected all with a motor");
}

static void options_out_of_range_are_refused(void **state)
{
  (void)state;
  pk_error err = {.message = ""};
  pk_controller *follow;
  pk_model *m;
  assert_int_equal(pk_model_load_urdf(PK_SOURCE_DIR "/models/starleth/starleth.urdf", NULL, &m, &err), PK_OK);
  pk_follow_options o = pk_follow_options_default();
  o.trunk = -1;
  assert_int_equal(pk_follow_create(m, &o, &follow, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "trunk");
  o = pk_follow_options_default();
  assert_int_equal(pk_follow_create(m, &o, &follow, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "no file is given, expected one with a motion");
  pk_model_destroy(m);
}

static int find_models(void **state)
{
  (void)state;
  return setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recorded_gaits_are_repeated),
      cmocka_unit_test(a_push_is_caught),
      cmocka_unit_test(ambles_on_two_feet_go_on),
      cmocka_unit_test(ambles_on_two_feet_survive_pushes),
      cmocka_unit_test(without_feedback_the_amble_falls),
      cmocka_unit_test(humanoids_repeat_a_sway),
      cmocka_unit_test(a_jump_is_made_once_and_ends_in_a_stand),
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(a_run_goes_on_from_a_checkpoint_to_the_bit),
      cmocka_unit_test(a_motion_goes_where_the_robot_heads),
      cmocka_unit_test(every_joint_with_a_motor_must_be_in_the_motion),
      cmocka_unit_test(options_out_of_range_are_refused),
  };
  return cmocka_run_group_tests(tests, find_models, NULL);
}
