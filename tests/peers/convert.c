/* MJCF that Pronk writes, read by MuJoCo: masses, M and bias forces are those of Pronk's own model. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <mujoco/mujoco.h>

#include "dynamics/states.h"
#include "pronk/convert.h"
#include "pronk/dynamics.h"
#include "support/bounds.h"
#include "support/everything.h"

static const double tolerance = 1e-9;

static char folder[64]; /* of this test alone, and current */

static mjModel *load_mjcf(const char *path)
{
  char message[1000] = "";
  mjModel *m = mj_loadXML(path, NULL, message, sizeof message);
  if (m == NULL) {
    fail_msg("%s: %s", path, message);
  }
  return m;
}

/* Write a builder for MuJoCo 2, and have it read. */
static mjModel *written(pk_builder *b, const char *path)
{
  pk_write_options o = pk_write_options_default();
  pk_error err = {0};
  o.mujoco = 2;
  if (pk_builder_write(b, path, PK_MODEL_FORMAT_MJCF, &o, &err) != PK_OK) {
    fail_msg("%s: %s", path, err.message);
  }
  return load_mjcf(path);
}

static double moving_mass(const mjModel *m)
{
  double mass = 0;
  for (int i = 1; i < m->nbody; i++) {
    mass += m->body_weldid[i] > 0 ? m->body_mass[i] : 0;
  }
  return mass;
}

/* 100 random states: both have the same coordinates. */
static void compare(const char *name, const pk_model *mine, const mjModel *theirs)
{
  assert_int_equal(theirs->nq, mine->nq);
  assert_int_equal(theirs->nv, mine->nu);
  assert_near(moving_mass(theirs), mine->mass, 1e-9 * mine->mass);
  const size_t nu = (size_t)mine->nu;
  mjData *d = mj_makeData(theirs);
  pk_workspace *w;
  assert_int_equal(pk_workspace_create(mine, &w, NULL), PK_OK);
  double *M = calloc(2 * nu * nu + 2 * nu, sizeof *M), *N = M + nu * nu, *zero = N + nu * nu, *h = zero + nu;
  assert_true(d != NULL && M != NULL);
  pki_states s;
  assert_true(pki_states_create(&s, mine, 100, 3));
  double worst_M = 0, worst_h = 0;
  for (int k = 0; k < s.count; k++) {
    const double *q = s.q + (size_t)k * (size_t)mine->nq, *u = s.u + (size_t)k * nu;
    memcpy(d->qpos, q, (size_t)mine->nq * sizeof *q);
    memcpy(d->qvel, u, nu * sizeof *u);
    mj_forward(theirs, d);
    mj_fullM(theirs, N, d->qM);
    pk_mass_matrix(w, q, M);
    pk_inverse_dynamics(w, q, u, zero, h);
    worst_M = fmax(worst_M, pki_relative_difference(M, N, nu * nu));
    worst_h = fmax(worst_h, pki_relative_difference(h, d->qfrc_bias, nu));
  }
  print_message("%s: M %.1e, bias %.1e at %d states\n", name, worst_M, worst_h, s.count);
  assert_less(worst_M, tolerance);
  assert_less(worst_h, tolerance);
  pki_states_destroy(&s);
  free(M);
  pk_workspace_destroy(w);
  mj_deleteData(d);
}

static void shipped_robots_move_alike(void **state)
{
  (void)state;
  static const char *const names[] = {"anymal_b", "boxdog",           "coman", "double_pendulum", "pendulum",
                                      "starleth", "thesis_quadruped", "ur10"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    char path[512];
    snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", names[k], names[k]);
    pk_builder *b;
    pk_model *model = NULL;
    pk_error err = {0};
    assert_int_equal(pk_builder_create(&b, &err), PK_OK);
    assert_int_equal(pk_builder_add_urdf(b, path, NULL, &err), PK_OK);
    assert_int_equal(pk_builder_compile(b, &model, &err), PK_OK);
    mjModel *m = written(b, "robot.xml");
    compare(names[k], model, m);
    mj_deleteModel(m);
    pk_model_destroy(model);
    pk_builder_destroy(b);
  }
}

/* How the root meets the world is a matter of joints: free, fixed, a chain of six. */
static void roots_of_every_kind_move_alike(void **state)
{
  (void)state;
  for (int root = PK_ROOT_FREE; root < PK_ROOT_KIND_COUNT; root++) {
    pk_builder *b;
    pk_model *model = NULL;
    pk_error err = {0};
    pk_load_options o = pk_load_options_default();
    o.root = (pk_root_kind)root;
    assert_int_equal(pk_builder_create(&b, &err), PK_OK);
    assert_int_equal(pk_builder_add_urdf(b, PK_SOURCE_DIR "/models/starleth/starleth.urdf", &o, &err), PK_OK);
    assert_int_equal(pk_builder_compile(b, &model, &err), PK_OK);
    mjModel *m = written(b, "root.xml");
    compare(pk_root_kind_name((pk_root_kind)root), model, m);
    mj_deleteModel(m);
    pk_model_destroy(model);
    pk_builder_destroy(b);
  }
}

/* Two robots, oblique axes, balls, planar and floating joints, meshes, references and springs. */
static void every_joint_kind_moves_alike(void **state)
{
  (void)state;
  const everything_options o = {
      .planar = true, .floating = true, .meshes = true, .cone = true, .springs = true, .equipment = true};
  pk_builder *b;
  pk_model *model = NULL;
  pk_error err = {0};
  assert_int_equal(pk_builder_create(&b, &err), PK_OK);
  build_everything(b, &o);
  pk_builder_set_gravity(b, (const double[3]){1, -2, -9});
  assert_int_equal(pk_builder_compile(b, &model, &err), PK_OK);
  mjModel *m = written(b, "everything.xml");
  compare("everything", model, m);
  /* 2 of the builder, and a motor for the slide */
  assert_int_equal(m->nu, 3);
  assert_int_equal(m->nsensor, 7);
  assert_int_equal(m->nsite, 2);
  assert_int_equal(m->nkey, 1);
  assert_int_equal(m->npair, 1);
  assert_int_equal(m->nexclude, 1);
  assert_near(m->key_qpos[2], 1.0 / 3, 1e-15);
  const int hip = mj_name2id(m, mjOBJ_JOINT, "hip"), sole = mj_name2id(m, mjOBJ_GEOM, "sole");
  assert_in_range(hip, 0, m->njnt - 1);
  assert_near(m->jnt_range[2 * hip], -1.1, 1e-15);
  assert_near(m->jnt_stiffness[hip], 30, 1e-15);
  assert_near(m->qpos_spring[m->jnt_qposadr[hip]], 0.4, 1e-15);
  assert_near(m->qpos0[m->jnt_qposadr[hip]], 0.25, 1e-15);
  assert_near(m->dof_frictionloss[m->jnt_dofadr[hip]], 0.2, 1e-15);
  assert_in_range(sole, 0, m->ngeom - 1);
  assert_int_equal(m->geom_contype[sole], 2);
  assert_int_equal(m->geom_conaffinity[sole], 5);
  assert_near(m->geom_friction[3 * sole], 0.9, 1e-15);
  mj_deleteModel(m);
  pk_model_destroy(model);
  pk_builder_destroy(b);
}

/* A servo, an integrator, sensors of several kinds, a box that feels touches, a keyframe: as they were described. */
static void equipment_is_what_it_was(void **state)
{
  (void)state;
  const everything_options o = {.equipment = true, .prefix = "w_"};
  pk_builder *b;
  pk_error err = {0};
  assert_int_equal(pk_builder_create(&b, &err), PK_OK);
  build_everything(b, &o);
  mjModel *m = written(b, "equipment.xml");
  const int servo = mj_name2id(m, mjOBJ_ACTUATOR, "w_servo"), wind = mj_name2id(m, mjOBJ_ACTUATOR, "w_wind");
  assert_in_range(servo, 0, 2);
  assert_int_equal(wind, 2); /* behind those that do not integrate */
  const mjtNum *gain = m->actuator_gainprm + mjNGAIN * servo, *bias = m->actuator_biasprm + mjNBIAS * servo;
  assert_true(gain[0] == 50 && bias[0] == 0 && bias[1] == -50 && bias[2] == -3);
  assert_true(m->actuator_gear[6 * servo] == 2 && m->actuator_ctrllimited[servo] &&
              m->actuator_forcelimited[servo]);
  assert_true(m->actuator_ctrlrange[2 * servo] == -1 && m->actuator_forcerange[2 * servo + 1] == 25);
  assert_int_equal(m->actuator_dyntype[wind], mjDYN_INTEGRATOR);
  assert_true(m->actuator_actlimited[wind] && m->actuator_actrange[2 * wind + 1] == 2);
  assert_true(m->key_ctrl[servo] == 0.2 && m->key_ctrl[wind] == -0.1 && m->key_qpos[0] == 0.5);

  static const struct {
    const char *name;
    mjtSensor type;
    mjtObj place;
    const char *at;
  } sensors[] = {{"w_turn", mjSENS_GYRO, mjOBJ_SITE, "w_imu"},
                 {"w_step", mjSENS_TOUCH, mjOBJ_SITE, "w_pad"},
                 {"w_angle", mjSENS_JOINTPOS, mjOBJ_JOINT, "w_hip"},
                 {"w_pull", mjSENS_ACTUATORFRC, mjOBJ_ACTUATOR, "w_servo"},
                 {"w_middle", mjSENS_SUBTREECOM, mjOBJ_BODY, "w_trunk"},
                 {"w_place", mjSENS_FRAMEPOS, mjOBJ_BODY, "w_shank"}};
  for (size_t i = 0; i < sizeof sensors / sizeof sensors[0]; i++) {
    const int sensor = mj_name2id(m, mjOBJ_SENSOR, sensors[i].name);
    assert_in_range(sensor, 0, m->nsensor - 1);
    assert_int_equal(m->sensor_type[sensor], sensors[i].type);
    assert_int_equal(m->sensor_objtype[sensor], sensors[i].place);
    assert_int_equal(m->sensor_objid[sensor], mj_name2id(m, sensors[i].place, sensors[i].at));
  }
  const int place = mj_name2id(m, mjOBJ_SENSOR, "w_place"), pad = mj_name2id(m, mjOBJ_SITE, "w_pad");
  assert_int_equal(m->sensor_reftype[place], mjOBJ_SITE);
  assert_int_equal(m->sensor_refid[place], mj_name2id(m, mjOBJ_SITE, "w_imu"));
  assert_int_equal(m->site_type[pad], mjGEOM_BOX);
  assert_near(m->site_size[3 * pad + 1], 0.1, 1e-15);
  mj_deleteModel(m);
  pk_builder_destroy(b);
}

/* What MuJoCo judges link by link: a camera whose own moments no body has, a hinge between links without mass, a point. */
static void links_that_mujoco_would_refuse_move_alike(void **state)
{
  (void)state;
  static const char text[] =
      "<robot name='odd'>"
      "<link name='trunk'><inertial><mass value='5'/><inertia ixx='.1' ixy='.01' ixz='0' iyy='.2' iyz='0' "
      "izz='.25'/></inertial></link>"
      "<link name='camera'><inertial><origin xyz='0 .1 0'/><mass value='.2'/>"
      "<inertia ixx='1e-5' ixy='0' ixz='0' iyy='1e-5' iyz='0' izz='9e-5'/></inertial></link>"
      "<link name='lamp'><inertial><mass value='0'/><inertia ixx='1e-6' ixy='1e-6' ixz='0' iyy='1e-6' "
      "iyz='0' izz='1e-6'/></inertial></link>"
      "<link name='hip'/>"
      "<link name='leg'><inertial><origin xyz='0 .05 -.3'/><mass value='2'/><inertia ixx='.02' ixy='0' "
      "ixz='0' iyy='.02' iyz='.001' izz='.01'/></inertial></link>"
      "<link name='bob'><inertial><origin xyz='0 0 -.4'/><mass value='1'/><inertia ixx='0' ixy='0' ixz='0' "
      "iyy='0' iyz='0' izz='0'/></inertial></link>"
      "<joint name='a' type='fixed'><parent link='trunk'/><child link='camera'/><origin xyz='.2 0 .1' "
      "rpy='.3 0 1'/></joint>"
      "<joint name='b' type='fixed'><parent link='trunk'/><child link='lamp'/></joint>"
      "<joint name='c' type='continuous'><parent link='trunk'/><child link='hip'/><axis xyz='1 0 0'/></joint>"
      "<joint name='d' type='continuous'><parent link='hip'/><child link='leg'/><axis xyz='0 1 0'/></joint>"
      "<joint name='e' type='continuous'><parent link='leg'/><child link='bob'/><axis xyz='0 1 0'/></joint>"
      "</robot>";
  pk_builder *b;
  pk_model *model = NULL;
  pk_error err = {0};
  assert_int_equal(pk_builder_create(&b, &err), PK_OK);
  if (pk_builder_add_urdf_memory(b, text, sizeof text - 1, "odd.urdf", NULL, &err) != PK_OK ||
      pk_builder_compile(b, &model, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  mjModel *m = written(b, "odd.xml");
  compare("odd", model, m);
  mj_deleteModel(m);
  pk_model_destroy(model);
  pk_builder_destroy(b);
}

static int enter_folder(void **state)
{
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/pronk-mjcf-XXXXXX");
  return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
  (void)state;
  char line[128];
  snprintf(line, sizeof line, "rm -rf %s", folder);
  return chdir("/") == 0 ? system(line) : -1;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shipped_robots_move_alike),
      cmocka_unit_test(roots_of_every_kind_move_alike),
      cmocka_unit_test(every_joint_kind_moves_alike),
      cmocka_unit_test(equipment_is_what_it_was),
      cmocka_unit_test(links_that_mujoco_would_refuse_move_alike),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
