/* What differs from world to world: a world with other masses moves like a model that was built with them, friction
 * times a factor like materials with the product, commands with latency like commands that somebody holds back; and what
 * no body can have is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/gait.h"
#include "sim/parameters.h"
#include "support/bounds.h"
#include "support/world.h"

/* ---- a leg of three links, built twice ---- */

typedef struct leg {
  double trunk, shank; /* factors on their masses */
  double pack;         /* kg, a point that is fixed to the trunk; 0: none */
  bool cut;
} leg;

static const double pack_at[3] = {0.1, -0.05, 0.2};

static void add_link(pk_builder *b, const char *name, double mass, const double com[3], double moment)
{
  pk_link_desc link = {.name = name, .inertia = {.mass = mass}};
  memcpy(link.inertia.com, com, sizeof link.inertia.com);
  for (int i = 0; i < 3; i++) {
    link.inertia.moment[i == 0 ? 0 : i == 1 ? 3 : 5] = moment * (1 + 0.25 * i);
  }
  assert_int_equal(pk_builder_add_link(b, &link, NULL), PK_OK);
}

static void add_joint(pk_builder *b, pk_joint_kind kind, const char *parent, const char *child,
                      const double xyz[3], const double rpy[3])
{
  char name[64];
  pk_joint_desc j = pk_joint_desc_default();
  snprintf(name, sizeof name, "to_%s", child);
  j.name = name, j.kind = kind, j.parent = parent, j.child = child;
  j.origin = pk_pose_from_xyz_rpy(xyz, rpy);
  j.axis[0] = 0, j.axis[1] = 0.8, j.axis[2] = 0.6; /* no axis of the link: the body's frame is turned */
  assert_int_equal(pk_builder_add_joint(b, &j, NULL), PK_OK);
}

static pk_model *leg_model(leg o)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.name = "leg", robot.root = PK_ROOT_FREE;
  assert_int_equal(pk_builder_add_robot(b, &robot, NULL), PK_OK);
  add_link(b, "trunk", 4 * o.trunk, (const double[3]){0.01, 0.02, 0.03}, 0.05 * o.trunk);
  add_link(b, "thigh", 1, (const double[3]){0, 0, -0.1}, 0.005);
  add_link(b, "shank", 0.5 * o.shank, (const double[3]){0, 0, -0.1}, 0.002 * o.shank);
  add_joint(b, PK_JOINT_REVOLUTE, "trunk", "thigh", (const double[3]){0, 0, -0.1},
            (const double[3]){0.1, 0.2, 0.3});
  add_joint(b, PK_JOINT_REVOLUTE, "thigh", "shank", (const double[3]){0, 0, -0.2}, (const double[3]){0});
  if (o.pack > 0) {
    pk_link_desc pack = {.name = "pack", .inertia = {.mass = o.pack}};
    assert_int_equal(pk_builder_add_link(b, &pack, NULL), PK_OK);
    add_joint(b, PK_JOINT_FIXED, "trunk", "pack", pack_at, (const double[3]){0});
  }
  pk_shape_desc foot = {.link = "shank", .kind = PK_SHAPE_SPHERE, .size = {0.03}};
  foot.pose = pk_pose_identity(), foot.pose.pos[2] = -0.2;
  assert_int_equal(pk_builder_add_shape(b, &foot, NULL), PK_OK);
  if (o.cut) {
    assert_int_equal(pk_builder_cut_joint(b, NULL, NULL), PK_OK);
  }
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return m;
}

static int body_of(const pk_model *m, const char *link)
{
  return m->links[pk_model_find_link(m, link)].body;
}

/* It falls on the ground from where its foot is just above it. */
static pk_sim *drop(const pk_model *m, const pk_terrain *ground)
{
  pk_sim_options o = pk_sim_options_default();
  double q[16], u[16];
  pk_sim *sim = start_world(m, ground, (pk_material){.friction = 0.6}, &o);
  pk_sim_get_joints(sim, q, u);
  q[2] = 0.55, q[7] = 0.2, q[8] = -0.4, u[0] = 0.3;
  pk_sim_set_joints(sim, q, u);
  return sim;
}

/* How far apart two worlds are after some steps of both. */
static double apart(pk_sim *a, pk_sim *b, int steps)
{
  double most = 0;
  for (int i = 0; i < steps; i++) {
    must_step(a), must_step(b);
    for (int k = 0; k < pk_sim_model(a)->nq; k++) {
      most = fmax(most, fabs(pk_sim_q(a)[k] - pk_sim_q(b)[k]));
    }
  }
  return most;
}

static void scaled_masses_move_like_a_model_that_has_them(void **state)
{
  (void)state;
  pk_terrain *ground = slope_terrain(0);
  for (int cut = 0; cut < 2; cut++) {
    pk_model *plain = leg_model((leg){1, 1, 0, cut}), *other = leg_model((leg){2, 0.5, 0, cut});
    pk_sim *a = drop(plain, ground), *b = drop(other, ground), *c = drop(plain, ground);
    assert_int_equal(pk_sim_scale_mass(a, body_of(plain, "trunk"), 2, NULL), PK_OK);
    assert_int_equal(pk_sim_scale_mass(a, body_of(plain, "shank"), 0.5, NULL), PK_OK);
    assert_true(pk_sim_mass(a, 0) == 9.25 && pk_sim_mass(a, -1) == pk_sim_mass(b, 0));
    assert_true(apart(a, b, 300) == 0); /* powers of two: the same numbers */
    pk_energy of[2];                    /* the sums know it too */
    for (int i = 0; i < 2; i++) {
      pk_sim *sim = i ? b : a;
      pk_kinematics_compute(pk_sim_workspace(sim), pk_sim_q(sim), pk_sim_u(sim));
      of[i] = pk_energy_compute(pk_sim_workspace(sim), pk_sim_u(sim));
    }
    assert_memory_equal(&of[0], &of[1], sizeof of[0]);
    assert_greater(apart(c, b, 300), 1e-3);
    pk_sim_destroy(a), pk_sim_destroy(b), pk_sim_destroy(c);
    pk_model_destroy(plain), pk_model_destroy(other);
  }
  pk_terrain_destroy(ground);
}

static void a_payload_moves_like_a_link_that_is_fixed_there(void **state)
{
  (void)state;
  pk_terrain *ground = slope_terrain(0);
  pk_model *plain = leg_model((leg){1, 1, 0, false}), *other = leg_model((leg){1, 1, 1.5, false});
  pk_sim *a = drop(plain, ground), *b = drop(other, ground);
  const int trunk = pk_model_find_link(plain, "trunk");
  assert_int_equal(pk_sim_add_mass(a, trunk, 1.5, pack_at, NULL), PK_OK);
  assert_less(apart(a, b, 300), 1e-9);
  double before[10], after[10]; /* what was put on can be taken off */
  assert_int_equal(pk_sim_add_mass(a, trunk, -1.5, pack_at, NULL), PK_OK);
  assert_int_equal(pk_sim_get_inertia(a, body_of(plain, "trunk"), after), PK_OK);
  memcpy(before, plain->body_inertia + 10 * (size_t)body_of(plain, "trunk"), sizeof before);
  for (int i = 0; i < 10; i++) {
    assert_less(fabs(after[i] - before[i]), 1e-14);
  }
  pk_sim_destroy(a), pk_sim_destroy(b);
  pk_model_destroy(plain), pk_model_destroy(other);
  pk_terrain_destroy(ground);
}

/* ---- what a controller computes with ---- */

typedef struct view {
  double M[64 * 64];
} view;

static pk_status look(const pk_controller *self, const pk_observation *seen, void *state,
                      pk_command *commands)
{
  (void)state, (void)commands;
  pk_mass_matrix(seen->workspace, seen->q, ((view *)(uintptr_t)self->user)->M);
  return PK_OK;
}

static void controllers_know_the_model_and_not_what_differs_in_their_world(void **state)
{
  (void)state;
  pk_terrain *ground = slope_terrain(0);
  for (int cut = 0; cut < 2; cut++) {
    pk_model *plain = leg_model((leg){1, 1, 0, cut});
    static view first, mine;
    const pk_controller eye = {.name = "eye", .update = look, .user = &mine};
    pk_sim *a = drop(plain, ground);
    assert_int_equal(pk_sim_set_controller(a, &eye, NULL), PK_OK);
    pk_sim_reset(a), must_step(a);
    memcpy(&first, &mine, sizeof mine);
    assert_int_equal(pk_sim_scale_mass(a, body_of(plain, "trunk"), 2, NULL), PK_OK);
    assert_int_equal(pk_sim_scale_mass(a, body_of(plain, "shank"), 0.5, NULL), PK_OK);
    const double mass = pk_sim_mass(a, 0);
    pk_sim_reset(a), must_step(a);
    assert_memory_equal(&mine, &first, sizeof mine);
    assert_true(pk_sim_mass(a, 0) == mass &&
                mass == 9.25); /* a reset keeps it, a controller does not change it */
    pk_sim_destroy(a);
    pk_model_destroy(plain);
  }
  pk_terrain_destroy(ground);
}

static void parameters_go_out_and_in_as_numbers(void **state)
{
  (void)state;
  pk_sim_options o = pk_sim_options_default();
  o.max_latency = 0.01;
  pk_terrain *ground = slope_terrain(0);
  pk_model *m = leg_model((leg){1, 1, 0, false});
  pk_sim *a = start_world(m, ground, (pk_material){.friction = 1}, &o),
         *b = start_world(m, ground, (pk_material){.friction = 1}, &o);
  assert_int_equal(pk_sim_scale_mass(a, 0, 1.3, NULL), PK_OK);
  assert_int_equal(pk_sim_set_friction(a, 0.7, NULL), PK_OK);
  assert_int_equal(pk_sim_set_latency(a, 0.004, NULL), PK_OK);
  const size_t size = pki_parameters_size(a);
  double *saved = malloc(size * sizeof *saved), *again = malloc(size * sizeof *again);
  pki_parameters_save(a, saved), pki_parameters_load(b, saved), pki_parameters_save(b, again);
  assert_memory_equal(saved, again, size * sizeof *saved);
  assert_true(pk_sim_mass(b, 0) == pk_sim_mass(a, 0) && pk_sim_get_friction(b) == 0.7);
  assert_true(pk_sim_get_latency(b) == pk_sim_get_latency(a) && apart(a, b, 100) == 0);
  free(saved), free(again);
  pk_sim_destroy(a), pk_sim_destroy(b);
  pk_model_destroy(m);
  pk_terrain_destroy(ground);
}

static void expect(pk_status status, const pk_error *err, const char *words)
{
  assert_int_equal(status, PK_ERROR_ARGUMENT);
  if (strstr(err->message, words) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", err->message, words);
  }
}

static void masses_that_no_body_has_are_refused(void **state)
{
  (void)state;
  pk_terrain *ground = slope_terrain(0);
  pk_model *m = leg_model((leg){1, 1, 0, false});
  pk_sim *sim = drop(m, ground);
  const int trunk = body_of(m, "trunk"), link = pk_model_find_link(m, "trunk");
  double own[10], bad[10], now[10];
  pk_error err = {.message = ""};
  assert_int_equal(pk_sim_get_inertia(sim, trunk, own), PK_OK);
  assert_int_equal(pk_sim_get_inertia(sim, 99, now), PK_ERROR_ARGUMENT);
  expect(pk_sim_set_inertia(sim, 99, own, &err), &err, "body is 99, expected 0 to 2");
  expect(pk_sim_scale_mass(sim, -1, 1, &err), &err, "body is -1, expected 0 to 2");
  expect(pk_sim_scale_mass(sim, trunk, 0, &err), &err, "the factor is 0, expected a number above zero");
  expect(pk_sim_scale_mass(sim, trunk, 1e-4, &err), &err, "less than a thousandth of the model's 4 kg");
  expect(pk_sim_add_mass(sim, link, -5, (const double[3]){0}, &err), &err, "is -1 kg, expected more");
  expect(pk_sim_add_mass(sim, link, -2, (const double[3]){0.5}, &err), &err, "which no body has");
  expect(pk_sim_add_mass(sim, link, NAN, (const double[3]){0}, &err), &err, "is not finite");
  expect(pk_sim_add_mass(sim, 77, 1, (const double[3]){0}, &err), &err, "link is 77, expected 0 to 2");
  memcpy(bad, own, sizeof bad);
  bad[4] *= 5; /* one moment above the sum of the others */
  expect(pk_sim_set_inertia(sim, trunk, bad, &err), &err, "which no body has");
  memset(bad, 0, sizeof bad);
  expect(pk_sim_set_inertia(sim, trunk, bad, &err), &err, "too little to move it by");
  bad[0] = 4; /* a point: nothing left to turn it by */
  expect(pk_sim_set_inertia(sim, trunk, bad, &err), &err, "too little to move it by");
  assert_int_equal(pk_sim_get_inertia(sim, trunk, now), PK_OK);
  assert_memory_equal(now, own, sizeof own);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
  pk_terrain_destroy(ground);
}

/* ---- friction ---- */

static void a_factor_on_friction_is_friction_times_the_factor(void **state)
{
  (void)state;
  static const pk_contact_law laws[] = {PK_CONTACT_LAW_HARD, PK_CONTACT_LAW_COMPLIANT, PK_CONTACT_LAW_PENALTY,
                                        PK_CONTACT_LAW_LCP_PYRAMID};
  const double factor = 0.35, moment[3] = {0.01, 0.01, 0.01};
  const free_solid two[2] = {{PK_SHAPE_BOX, {0.3, 0.3, 0.1}, 2, {0.017, 0.017, 0.03}, NULL},
                             {PK_SHAPE_BOX, {0.2, 0.2, 0.1}, 1, {moment[0], moment[1], moment[2]}, NULL}};
  pk_model *m = solids_model(two, 2, NULL);
  pk_terrain *ground = slope_terrain(0.25);
  for (int l = 0; l < 4; l++) {
    pk_sim_options o = pk_sim_options_default();
    o.law = laws[l], o.dt = pki_laws[o.law]->force != NULL ? 2e-4 : 1e-3;
    const pk_material rough = {.friction = 0.6}, product = {.friction = factor * 0.6};
    pk_sim *a = start_world(m, ground, rough, &o), *b = start_world(m, ground, product, &o),
           *c = start_world(m, ground, rough, &o);
    assert_int_equal(pk_sim_set_friction(a, factor, NULL), PK_OK);
    assert_true(pk_sim_get_friction(a) == factor && pk_sim_get_friction(b) == 1);
    pk_sim *all[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
      pk_sim_reset(all[i]); /* keeps it */
      pk_sim_q(all[i])[2] = 0.06, pk_sim_q(all[i])[9] = 0.17, pk_sim_q(all[i])[7] = 0.01;
      pk_sim_u(all[i])[7] = 0.4;
    }
    const int steps = pki_laws[o.law]->force != NULL ? 1500 : 400;
    assert_true(apart(a, b, steps) == 0);
    assert_greater(apart(c, b, steps), 1e-3);
    pk_sim_contact touch[16];
    assert_greater(pk_sim_contacts(a, touch, 16), 0);
    assert_true(touch[0].friction == factor * 0.6);
    pk_sim_destroy(a), pk_sim_destroy(b), pk_sim_destroy(c);
  }
  pk_error err = {.message = ""};
  pk_sim *sim = start_world(m, ground, (pk_material){.friction = 1}, NULL);
  expect(pk_sim_set_friction(sim, -0.1, &err), &err, "the factor on friction is -0.1, expected zero or more");
  expect(pk_sim_set_friction(sim, NAN, &err), &err, "expected zero or more");
  pk_sim_destroy(sim);
  pk_terrain_destroy(ground);
  pk_model_destroy(m);
}

/* ---- latency ---- */

enum { STEPS = 240, LATE = 3 };

static pk_sim_options late_options(void)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = 2.5e-3, o.max_latency = 0.02;
  return o;
}

/* Commands of step k: a pose that swings. */
static void command(int k, pk_command *c)
{
  for (int i = 6; i < 18; i++) {
    const int limb = (i - 6) / 3, j = i % 3;
    const double fore = limb < 2 ? 1 : -1, angles[3] = {0, 0.6 * fore, -1.2 * fore};
    c[i] = (pk_command){
        .kp = 150 + k % 7, .kd = 5, .q_des = angles[j] + 0.1 * sin(0.11 * k + i), .tau_max = 25 + k % 3};
  }
}

static void late_commands_act_as_if_somebody_held_them_back(void **state)
{
  (void)state;
  const pk_sim_options o = late_options();
  pk_model *m = starleth_model();
  pk_terrain *ground = slope_terrain(0);
  for (int late = 0; late <= 8; late += 4) {
    pk_sim_options now = o;
    now.max_latency = 0;
    pk_sim *a = start_world(m, ground, (pk_material){.friction = 0.6}, &o),
           *b = start_world(m, ground, (pk_material){.friction = 0.6}, &now);
    assert_int_equal(pk_sim_set_latency(a, late * o.dt, NULL), PK_OK);
    assert_true(pk_sim_get_latency(a) == late * o.dt);
    starleth_pose(a, 0.42, false), starleth_pose(b, 0.42, false);
    for (int k = 0; k < STEPS; k++) {
      command(k, pk_sim_commands(a));
      if (k >= late) {
        command(k - late, pk_sim_commands(b));
      }
      must_step(a), must_step(b);
      assert_memory_equal(pk_sim_q(a), pk_sim_q(b), (size_t)m->nq * sizeof(double));
      assert_memory_equal(pk_sim_u(a), pk_sim_u(b), (size_t)m->nu * sizeof(double));
      assert_memory_equal(pk_sim_tau(a), pk_sim_tau(b), (size_t)m->nu * sizeof(double));
    }
    pk_command asked[18];
    memcpy(asked, pk_sim_commands(a), sizeof asked);
    command(STEPS - 1, asked); /* what was asked for is what one reads */
    assert_memory_equal(asked, pk_sim_commands(a), sizeof asked);
    pk_sim_destroy(a), pk_sim_destroy(b);
  }
  pk_terrain_destroy(ground);
  pk_model_destroy(m);
}

static pk_sim *late_world(const pk_model *m, const pk_terrain *ground, const pk_controller *trot)
{
  const pk_sim_options o = late_options();
  pk_sim *sim = start_world(m, ground, (pk_material){.friction = 0.6}, &o);
  assert_int_equal(pk_sim_set_controller(sim, trot, NULL), PK_OK);
  assert_int_equal(pk_sim_set_latency(sim, LATE * o.dt, NULL), PK_OK);
  starleth_pose(sim, 0.435, false);
  return sim;
}

static void a_state_holds_the_commands_on_their_way(void **state)
{
  (void)state;
  pk_model *m = starleth_model();
  pk_terrain *ground = slope_terrain(0);
  pk_controller *trot;
  pk_locomotion_options lo = pk_locomotion_options_default();
  lo.gait = PK_GAIT_TROT, lo.forward = 0.3, lo.start = 0.1;
  assert_int_equal(pk_locomotion_create(m, &lo, &trot, NULL), PK_OK);
  pk_sim *a = late_world(m, ground, trot), *b = late_world(m, ground, trot);
  for (int k = 0; k < 101; k++) {
    must_step(a);
  }
  const size_t size = pk_sim_state_size(a);
  unsigned char *saved = malloc(size), *again = malloc(size);
  pk_sim_get_state(a, saved);
  assert_int_equal(pk_sim_set_state(b, saved, size, NULL), PK_OK);
  pk_sim_get_state(b, again);
  assert_memory_equal(saved, again, size);
  assert_true(apart(a, b, 200) == 0);
  /* rubbish on its way is no state: a command's numbers must be finite */
  const pk_command *queue = a->state.queue;
  assert_int_equal(pk_sim_set_state(a, saved, size, NULL), PK_OK);
  unsigned char *at = NULL;
  for (size_t i = 0; i + sizeof *queue * 18 <= size && at == NULL; i += 8) {
    at = memcmp(saved + i, queue, sizeof *queue * 18) == 0 ? saved + i : NULL;
  }
  assert_non_null(at);
  const double nan = NAN;
  memcpy(at + 7 * sizeof *queue, &nan, sizeof nan);
  pk_error err = {.message = ""};
  assert_int_equal(pk_sim_set_state(b, saved, size, &err), PK_ERROR_SYNTAX);
  assert_non_null(strstr(err.message, "a command on its way is out of range"));
  free(saved), free(again);
  pk_sim_destroy(a), pk_sim_destroy(b);
  pk_locomotion_destroy(trot);
  pk_terrain_destroy(ground);
  pk_model_destroy(m);
}

static void latency_is_a_whole_number_of_steps_within_its_room(void **state)
{
  (void)state;
  const pk_sim_options o = late_options();
  pk_model *m = starleth_model();
  pk_sim *sim, *prompt;
  pk_error err = {.message = ""};
  assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
  assert_int_equal(pk_sim_create(m, NULL, &prompt, NULL), PK_OK);
  expect(pk_sim_set_latency(sim, 0.003, &err), &err,
         "the latency is 0.003 s, expected a whole number of steps of 0.0025 s, as 0.0025 or 0.005");
  expect(pk_sim_set_latency(sim, 0.0225, &err), &err, "expected 0 to the option max_latency, 0.02 s");
  expect(pk_sim_set_latency(sim, -0.0025, &err), &err, "expected 0 to the option max_latency");
  expect(pk_sim_set_latency(prompt, 0.001, &err), &err, "expected 0 to the option max_latency, 0 s");
  assert_int_equal(pk_sim_set_latency(sim, 0.02, NULL), PK_OK);
  assert_int_equal(pk_sim_set_latency(prompt, 0, NULL), PK_OK);
  pk_sim_reset(sim);
  assert_true(pk_sim_get_latency(sim) == 0.02);
  pk_sim_destroy(sim), pk_sim_destroy(prompt);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scaled_masses_move_like_a_model_that_has_them),
      cmocka_unit_test(a_payload_moves_like_a_link_that_is_fixed_there),
      cmocka_unit_test(controllers_know_the_model_and_not_what_differs_in_their_world),
      cmocka_unit_test(parameters_go_out_and_in_as_numbers),
      cmocka_unit_test(masses_that_no_body_has_are_refused),
      cmocka_unit_test(a_factor_on_friction_is_friction_times_the_factor),
      cmocka_unit_test(late_commands_act_as_if_somebody_held_them_back),
      cmocka_unit_test(a_state_holds_the_commands_on_their_way),
      cmocka_unit_test(latency_is_a_whole_number_of_steps_within_its_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
