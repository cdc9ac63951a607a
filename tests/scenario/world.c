/* From a scenario to a world: poses, pushes, names, and the scenarios that come with Pronk. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>
#include <unistd.h>

#include "scenario/help.h"
#include "support/bounds.h"

static void the_world_starts_where_the_scenario_says(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario("models:\n"
                                  "  - model: starleth\n"
                                  "    prefix: a_\n"
                                  "    position: [1, 2, 3]\n"
                                  "    quaternion: [0, 0, 0, 2]\n"
                                  "    joints: {RH_KFE: 1.5}\n"
                                  "  - model: ../models/double_pendulum/double_pendulum.urdf\n"
                                  "    joints: {hinge_2: -0.5}\n"
                                  "gravity: [0, 0, -1.62]\n"
                                  "step: {dt: 2e-3}\n"
                                  "duration: 1\n",
                                  NULL);
  pki_world w = good_world(s);
  const pk_model *m = pk_sim_joint_model(w.sim);
  assert_int_equal(m->nrobot, 2);
  assert_true(m->gravity[2] == -1.62);
  double q[64], u[64];
  assert_at_most(m->nq, 64);
  pk_sim_get_joints(w.sim, q, u);
  const double root[7] = {1, 2, 3, 0, 0, 0, 1};
  for (int k = 0; k < 7; k++) {
    assert_less(fabs(fabs(q[k]) - root[k]), 1e-15);
  }
  assert_true(q[m->joints[pk_model_find_joint(m, "a_RH_KFE")].q] == 1.5);
  assert_true(q[m->joints[pk_model_find_joint(m, "hinge_2")].q] == -0.5);
  assert_int_equal(pki_world_step(&w, NULL), PK_OK);
  assert_true(pk_sim_time(w.sim) == 2e-3);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* A free body: its momentum is the integral of the push, whatever the step. */
/* Joints with an attitude, on a file of the test's own. */
static void an_attitude_needs_a_quaternion_with_a_length(void **state)
{
  (void)state;
  static const struct {
    const char *type, *at, *message;
  } rows[] = {
      {"spherical", "[0, 0, 0, 0]", "j is a quaternion of length zero"},
      {"floating", "[1, 2, 3, 0, 0, 0, 0]", "j has a quaternion of length zero"},
      {"spherical", "[0, 0, 2, 0]", NULL},
      {"floating", "[0, 0, 0, 0, 1, 0, 0]", NULL},
      {"planar", "[0, 0, 0]", NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char folder[512], path[600], text[1024];
    assert_non_null(getcwd(folder, sizeof folder));
    snprintf(path, sizeof path, "%s/attitude.urdf", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "<robot name='r'><link name='world'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' "
            "ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link><joint name='j' type='%s'>"
            "<parent link='world'/><child link='b'/></joint></robot>",
            rows[i].type);
    assert_int_equal(fclose(file), 0);
    snprintf(text, sizeof text, "duration: 1\nmodel:\n  model: %s\n  joints: {j: %s}\n", path, rows[i].at);
    pki_scenario *s = good_scenario(text, NULL);
    pki_world w = {0};
    pk_error err = {.message = ""};
    assert_int_equal(pki_world_create(s, &w, &err), rows[i].message ? PK_ERROR_ARGUMENT : PK_OK);
    assert_string_equal(err.message, rows[i].message ? rows[i].message : "");
    if (rows[i].message == NULL) {
      pki_world_free(&w);
    }
    pki_scenario_destroy(s);
    remove(path);
  }
}

static void a_push_gives_its_impulse(void **state)
{
  (void)state;
  static const double steps[] = {1e-3, 3e-3, 7e-3};
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    char set[32];
    snprintf(set, sizeof set, "step.dt=%g", steps[i]);
    pki_scenario *s = good_scenario("model: starleth\n"
                                    "gravity: [0, 0, 0]\n"
                                    "push:\n"
                                    "  - {link: base, at: 0.042, for: 0.21, force: [0, 30, 0]}\n"
                                    "  - {link: base, at: 0, for: 0.21, force: [10, 0, 0]}\n"
                                    "duration: 1\n",
                                    set);
    pki_world w = good_world(s);
    while (pk_sim_time(w.sim) < 0.5) {
      assert_int_equal(pki_world_step(&w, NULL), PK_OK);
    }
    double momentum[6];
    pk_kinematics_compute(pk_sim_workspace(w.sim), pk_sim_q(w.sim), pk_sim_u(w.sim));
    pk_momentum_compute(pk_sim_workspace(w.sim), -1, momentum);
    assert_less(fabs(momentum[3] - 2.1), 1e-3);
    assert_less(fabs(momentum[4] - 6.3), 3e-3);
    pki_world_free(&w);
    pki_scenario_destroy(s);
  }
}

/* Feet of a slippery surface slide where the ground alone would hold them. */
static void a_pair_overrides_the_ground(void **state)
{
  (void)state;
  double moved[2];
  for (int slippery = 0; slippery < 2; slippery++) {
    pki_scenario *s = good_scenario(
        "model:\n"
        "  model: starleth\n"
        "  position: [0, 0, 0.435]\n"
        "  joints: {LF_HFE: 0.7343101344764329, LF_KFE: -1.3411529067300831, RF_HFE: 0.7343101344764329,\n"
        "    RF_KFE: -1.3411529067300831, LH_HFE: -0.7343101344764329, LH_KFE: 1.3411529067300831,\n"
        "    RH_HFE: -0.7343101344764329, RH_KFE: 1.3411529067300831}\n"
        "  surfaces: {LF_FOOT: ice, RF_FOOT: ice, LH_FOOT: ice, RH_FOOT: ice}\n"
        "gravity: [2, 0, -9.81]\n"
        "terrain:\n"
        "  - {shape: plane, material: rock}\n"
        "materials: {rock: {friction: 0.8}}\n"
        "controller: {name: hold, kp: 400, kd: 10}\n"
        "duration: 1\n",
        slippery ? "pairs=[{surface: ice, material: rock, friction: 0}]" : NULL);
    pki_world w = good_world(s);
    for (int i = 0; i < 300; i++) {
      assert_int_equal(pki_world_step(&w, NULL), PK_OK);
    }
    moved[slippery] = pk_sim_q(w.sim)[0];
    pki_world_free(&w);
    pki_scenario_destroy(s);
  }
  assert_less(moved[0], 0.03);
  assert_greater(moved[1], 0.08); /* 1/2 2 0.3^2 = 0.09 */
}

static void every_scenario_of_the_list_is_in_order(void **state)
{
  (void)state;
  int count;
  pki_scenario_entry *entries = pki_scenario_list(&count);
  assert_at_least(count, 4);
  for (int i = 0; i < count; i++) {
    char path[PKI_PATH_MAX];
    assert_int_equal(pki_scenario_locate(entries[i].name, path, NULL), PK_OK);
    assert_string_equal(path, entries[i].path);
    pki_scenario *s = NULL;
    pk_error err = {.message = ""};
    if (pki_scenario_load(path, NULL, 0, &s, &err) != PK_OK) {
      fail_msg("%s:%d: %s", err.file, err.line, err.message);
    }
    assert_string_equal(s->name, entries[i].name);
    assert_greater(strlen(s->description), 5);
    pki_world w = good_world(s);
    assert_int_equal(pki_world_step(&w, NULL), PK_OK);
    pki_world_free(&w);
    pki_scenario_destroy(s);
  }
  free(entries);
}

static void an_unknown_scenario_gets_the_nearest(void **state)
{
  (void)state;
  char path[PKI_PATH_MAX];
  pk_error err;
  assert_int_equal(pki_scenario_locate("starleth-stnad", path, &err), PK_ERROR_FILE);
  assert_non_null(strstr(err.message, "did you mean 'starleth-stand'? known scenarios: "));
  assert_int_equal(pki_scenario_locate("starleth-stand.yaml", path, &err), PK_OK);
  assert_int_equal(pki_scenario_locate("", path, &err), PK_ERROR_FILE);
  assert_true(pki_is_scenario_name("a.yaml") && pki_is_scenario_name("b/c.yml"));
  assert_false(pki_is_scenario_name("yaml") || pki_is_scenario_name("a.urdf"));
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_world_starts_where_the_scenario_says),
      cmocka_unit_test(an_attitude_needs_a_quaternion_with_a_length),
      cmocka_unit_test(a_push_gives_its_impulse),
      cmocka_unit_test(a_pair_overrides_the_ground),
      cmocka_unit_test(every_scenario_of_the_list_is_in_order),
      cmocka_unit_test(an_unknown_scenario_gets_the_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
