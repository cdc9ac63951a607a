/* Models written and read back: the same numbers, the same dynamics, and a word about everything that is lost. */
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

#include "base/number.h"
#include "dynamics/states.h"
#include "math/mat3.h"
#include "model/convert/writer.h"
#include "pronk/convert.h"
#include "pronk/dynamics.h"
#include "support/bounds.h"
#include "support/everything.h"
#include "support/random_tree.h"

static char folder[64]; /* of this test alone, and current */

static const char *const shipped[] = {
    "anymal_b",        "boxdog",      "coman",           "double_pendulum",  "pendulum",
    "links_quadruped", "quadruped15", "starleth",        "thesis_quadruped", "ur10",
    "sony_quadruped",  "hardt_biped", "five_link_biped", "walkman",          "hexapod"};
enum { SHIPPED = sizeof shipped / sizeof shipped[0] };

static pk_builder *new_builder(void)
{
  pk_builder *b = NULL;
  assert_int_equal(pk_builder_create(&b, NULL), PK_OK);
  return b;
}

static pk_builder *read_model(const char *path)
{
  pk_builder *b = new_builder();
  pk_error err = {0};
  if (pk_builder_add_file(b, path, NULL, &err) != PK_OK) {
    fail_msg("%s:%d: %s: %s", path, err.line, err.field, err.message);
  }
  return b;
}

static pk_model *compiled(pk_builder *b)
{
  pk_model *model = NULL;
  pk_error err = {0};
  if (pk_builder_compile(b, &model, &err) != PK_OK) {
    fail_msg("%s: %s", err.field, err.message);
  }
  return model;
}

static void write_as(pk_builder *b, const char *path, pk_model_format format)
{
  pk_error err = {0};
  if (pk_builder_write(b, path, format, NULL, &err) != PK_OK) {
    fail_msg("%s: %s", path, err.message);
  }
}

static char *text_of(const char *path)
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  assert_non_null(text);
  assert_in_range(fread(text, 1, (1 << 20) - 1, file), 1, (1 << 20) - 2);
  fclose(file);
  return text;
}

/* A warning among the diagnostics that begins so. */
static bool was_told(const pk_builder *b, const char *start)
{
  int count;
  const pk_builder_diagnostic *all = pk_builder_diagnostics(b, &count);
  for (int i = 0; i < count; i++) {
    if (strncmp(all[i].error.message, start, strlen(start)) == 0) {
      return true;
    }
  }
  return false;
}

/* M and the bias forces of two models at random states; both have the same coordinates. */
static double dynamics_apart(const pk_model *a, const pk_model *b)
{
  assert_int_equal(a->nq, b->nq);
  assert_int_equal(a->nu, b->nu);
  const size_t nu = (size_t)a->nu;
  pk_workspace *wa, *wb;
  assert_int_equal(pk_workspace_create(a, &wa, NULL), PK_OK);
  assert_int_equal(pk_workspace_create(b, &wb, NULL), PK_OK);
  double *Ma = calloc(2 * nu * nu + 3 * nu, sizeof *Ma), *Mb = Ma + nu * nu, *zero = Mb + nu * nu,
         *ha = zero + nu, *hb = ha + nu;
  assert_non_null(Ma);
  pki_states s;
  assert_true(pki_states_create(&s, a, 20, 7));
  double worst = 0;
  for (int k = 0; k < s.count; k++) {
    const double *q = s.q + (size_t)k * (size_t)a->nq, *u = s.u + (size_t)k * nu;
    pk_mass_matrix(wa, q, Ma), pk_mass_matrix(wb, q, Mb);
    pk_inverse_dynamics(wa, q, u, zero, ha), pk_inverse_dynamics(wb, q, u, zero, hb);
    worst = fmax(worst, pki_relative_difference(Mb, Ma, nu * nu));
    worst = fmax(worst, pki_relative_difference(hb, ha, nu));
  }
  pki_states_destroy(&s);
  free(Ma);
  pk_workspace_destroy(wa), pk_workspace_destroy(wb);
  return worst;
}

/* ---- numbers ---- */

static void numbers_read_back_to_the_bit(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(1);
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = pki_random_bits(&random);
    double value, back = 0;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) {
      continue;
    }
    char text[PKI_REAL_TEXT];
    const char *cursor = pki_format_real(value, text);
    assert_true(pki_parse_real(&cursor, text + strlen(text), &back));
    assert_memory_equal(&back, &value, sizeof value);
  }
  char text[PKI_REAL_TEXT];
  assert_string_equal(pki_format_real(0.1, text), "0.1");
  assert_string_equal(pki_format_real(-9.81, text), "-9.81");
}

/* Angles as files write them come back as they were, gimbal lock or not; any rotation to a rounding. */
static void rotations_keep_their_angles(void **state)
{
  (void)state;
  static const double angles[][3] = {{0, 0, 1.5708},
                                     {0, 1.5708, 0},
                                     {0, -1.57079632679, 0},
                                     {1.5707963267948966, 0, -3.14159},
                                     {0.1, 1.5707963267948966, 0},
                                     {0, -1.5707963267948966, 0.3},
                                     {0.3, -0.4, 1.2},
                                     {3.1415926535897931, 0, 0},
                                     {-0.0123, 2.5, 0.77}};
  const double origin[3] = {0, 0, 0};
  for (size_t k = 0; k < sizeof angles / sizeof angles[0]; k++) {
    const pk_pose pose = pk_pose_from_xyz_rpy(origin, angles[k]);
    double rpy[3];
    pki_exact_rpy(pose.rot, rpy);
    const pk_pose back = pk_pose_from_xyz_rpy(origin, rpy);
    assert_memory_equal(back.rot, pose.rot, sizeof pose.rot);
  }
  pki_random random = pki_random_seeded(2);
  int exact = 0;
  for (int k = 0; k < 300; k++) {
    double q[4], rot[9], rpy[3], worst = 0;
    random_vector(&random, 4, 1, q);
    pki_quat_to_mat3(q, rot);
    pki_exact_rpy(rot, rpy);
    const pk_pose back = pk_pose_from_xyz_rpy(origin, rpy);
    for (int i = 0; i < 9; i++) {
      worst = fmax(worst, fabs(back.rot[i] - rot[i]));
    }
    exact += worst == 0;
    assert_less(worst, 4e-15); /* three angles, each a rounding of up to pi */
  }
  print_message("%d of 300 random rotations are met to the bit\n", exact);
}

/* ---- round trips ---- */

static void shipped_robots_come_back_from_urdf_and_from_the_compiled_form(void **state)
{
  (void)state;
  for (int k = 0; k < SHIPPED; k++) {
    char path[512];
    snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", shipped[k], shipped[k]);
    pk_builder *b = read_model(path);
    pk_model *first = compiled(b);
    static const char *const files[2] = {"again.urdf", "again.pkm"};
    for (int f = 0; f < 2; f++) {
      write_as(b, files[f], f == 0 ? PK_MODEL_FORMAT_URDF : PK_MODEL_FORMAT_COMPILED);
      pk_builder *read = read_model(files[f]);
      pk_model *second = compiled(read);
      if (pk_model_hash(first) != pk_model_hash(second)) {
        fail_msg("%s is another model after %s", shipped[k], files[f]);
      }
      assert_int_equal(second->nlink, first->nlink);
      assert_int_equal(second->nshape, first->nshape);
      for (int s = 0; s < first->nshape; s++) {
        assert_string_equal(second->shapes[s].name, first->shapes[s].name);
        assert_memory_equal(second->shapes[s].size, first->shapes[s].size, sizeof first->shapes[s].size);
        assert_memory_equal(second->shapes[s].rgba, first->shapes[s].rgba, sizeof first->shapes[s].rgba);
      }
      pk_model_destroy(second);
      pk_builder_destroy(read);
    }
    pk_model_destroy(first);
    pk_builder_destroy(b);
  }
}

/* A free robot and a fixed one, with every joint kind, a mimic joint, and coordinates that begin elsewhere than at 0. */
static void every_joint_kind_keeps_its_dynamics_in_urdf(void **state)
{
  (void)state;
  everything_options o = {.planar = true, .floating = true, .mimic = true, .springs = true};
  pk_builder *b = new_builder();
  build_everything(b, &o);
  pk_model *first = compiled(b);
  write_as(b, "world.urdf", PK_MODEL_FORMAT_URDF);
  pk_builder *read = read_model("world.urdf");
  pk_model *second = compiled(read);
  /* coordinates begin elsewhere only for the free root, which URDF holds by a floating joint */
  assert_less(dynamics_apart(first, second), 1e-12);
  pk_model_destroy(first), pk_model_destroy(second);
  pk_builder_destroy(b), pk_builder_destroy(read);
}

/* A root that was asked for is the same to a reader that is told nothing. */
static void roots_that_were_asked_for_stay(void **state)
{
  (void)state;
  /* an arm, which nobody takes for free, and a quadruped, which nobody takes for fixed */
  static const char arm[] =
      "<robot name='arm'><link name='base'><inertial><mass value='9'/><inertia ixx='1' ixy='0' ixz='0' "
      "iyy='1' iyz='0' "
      "izz='1'/></inertial></link><link name='boom'><inertial><origin xyz='.5 0 .5'/><mass "
      "value='1'/><inertia ixx='.1' "
      "ixy='0' ixz='0' iyy='.1' iyz='0' izz='.1'/></inertial></link><joint name='j' "
      "type='continuous'><parent "
      "link='base'/><child link='boom'/><origin xyz='0 0 1'/><axis xyz='0 1 0'/></joint></robot>";
  for (int k = 0; k < 4; k++) {
    pk_load_options o = pk_load_options_default();
    o.root = k % 2 == 0 ? PK_ROOT_FREE : PK_ROOT_FIXED;
    pk_builder *b = new_builder();
    pk_error err = {0};
    const pk_status status =
        k < 2 ? pk_builder_add_urdf_memory(b, arm, sizeof arm - 1, "arm.urdf", &o, &err)
              : pk_builder_add_urdf(b, PK_SOURCE_DIR "/models/starleth/starleth.urdf", &o, &err);
    assert_int_equal(status, PK_OK);
    pk_model *first = compiled(b);
    write_as(b, "root.urdf", PK_MODEL_FORMAT_URDF);
    pk_builder *read = read_model("root.urdf");
    pk_model *second = compiled(read);
    assert_int_equal(second->nu, first->nu);
    assert_less(dynamics_apart(first, second), 1e-12);
    pk_model_destroy(first), pk_model_destroy(second);
    pk_builder_destroy(read), pk_builder_destroy(b);
  }
}

/* What Pronk's own reader makes of MJCF that Pronk wrote. */
static void robots_come_back_from_mjcf(void **state)
{
  (void)state;
  for (int k = 0; k <= SHIPPED; k++) {
    char path[512];
    pk_builder *b = new_builder();
    pk_error err = {0};
    if (k < SHIPPED) {
      snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", shipped[k], shipped[k]);
      assert_int_equal(pk_builder_add_urdf(b, path, NULL, &err), PK_OK);
    } else {
      const everything_options o = {.planar = true,
                                    .floating = true,
                                    .meshes = true,
                                    .springs = true,
                                    .equipment = true,
                                    .ground = true};
      build_everything(b, &o);
      pk_builder_set_gravity(b, (const double[3]){1, -2, -9});
    }
    pk_model *first = compiled(b);
    write_as(b, "back.xml", PK_MODEL_FORMAT_MJCF);
    pk_builder *read = read_model("back.xml");
    pk_model *second = compiled(read);
    const double apart = dynamics_apart(first, second);
    print_message("%s: %.1e\n", k < SHIPPED ? shipped[k] : "everything", apart);
    assert_less(apart, 1e-11);
    assert_near(second->mass, first->mass, 1e-9 * first->mass);
    for (int i = 0; i < first->nu && k < SHIPPED; i++) { /* that a joint has no motor is told as lost */
      const double effort = first->dof_effort[i];
      assert_true(second->dof_effort[i] == (effort > 0 ? effort : INFINITY));
    }
    pk_model_destroy(first), pk_model_destroy(second);
    pk_builder_destroy(read), pk_builder_destroy(b);
  }
}

static void names_are_escaped_and_carry_their_prefix(void **state)
{
  (void)state;
  everything_options o = {.prefix = "a<b&\"c\" "};
  pk_builder *b = new_builder();
  build_everything(b, &o);
  write_as(b, "names.urdf", PK_MODEL_FORMAT_URDF);
  pk_builder *read = read_model("names.urdf");
  pk_model *model = compiled(read);
  assert_in_range(pk_model_find_link(model, "a<b&\"c\" trunk"), 0, 100);
  assert_in_range(pk_model_find_joint(model, "stand_elbow"), 0, 100);
  pk_model_destroy(model);
  pk_builder_destroy(read), pk_builder_destroy(b);
}

/* ---- meshes ---- */

static void meshes_are_written_once_and_overwrite_nothing(void **state)
{
  (void)state;
  everything_options o = {.meshes = true};
  pk_builder *b = new_builder();
  build_everything(b, &o);
  assert_int_equal(system("mkdir -p meshes && echo mine > meshes/wedge.obj"), 0);
  write_as(b, "meshes.urdf", PK_MODEL_FORMAT_URDF);
  char *mine = text_of("meshes/wedge.obj"), *urdf = text_of("meshes.urdf");
  assert_string_equal(mine, "mine\n");
  assert_non_null(strstr(urdf, "meshes/wedge-2.obj"));
  assert_non_null(strstr(urdf, "meshes/wedge-3.obj"));
  assert_int_equal(access("meshes/wedge-4.obj", F_OK), -1);
  /* the same once more takes the same names */
  write_as(b, "meshes.xml", PK_MODEL_FORMAT_MJCF);
  assert_int_equal(access("meshes/wedge-4.obj", F_OK), -1);
  /* and the vertices come back to the bit */
  pk_builder *read = read_model("meshes.urdf");
  pk_model *model = compiled(read);
  int seen = 0;
  for (int i = 0; i < model->nshape; i++) {
    const pk_model_shape *shape = &model->shapes[i];
    if (shape->visual && shape->mesh >= 0) {
      assert_true(model->meshes[shape->mesh].vertex[11] == (seen == 0 ? 0.1 / 3 : 0.2));
      seen++;
    }
  }
  assert_int_equal(seen, 2);
  pk_model_destroy(model);
  pk_builder_destroy(read), pk_builder_destroy(b);
  free(mine), free(urdf);
}

/* ---- losses ---- */

static void what_urdf_cannot_hold_is_told_and_refused_when_strict(void **state)
{
  (void)state;
  everything_options o = {.cone = true, .ground = true, .equipment = true, .springs = true};
  pk_builder *b = new_builder();
  build_everything(b, &o);
  pk_builder_set_gravity(b, (const double[3]){0, 0, -1.62});
  write_as(b, "lost.urdf", PK_MODEL_FORMAT_URDF);
  static const char *const told[] = {"cones are left out",
                                     "ellipsoids are left out",
                                     "ground (planes",
                                     "groups of shapes",
                                     "friction of shapes",
                                     "springs of joints",
                                     "sites became links",
                                     "actuators: URDF has none",
                                     "sensors",
                                     "keyframes",
                                     "which pairs collide",
                                     "the gravity of the world",
                                     "that a joint has no limit"};
  for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
    if (!was_told(b, told[i])) {
      fail_msg("nothing was told about \"%s\"", told[i]);
    }
  }
  pk_write_options strict = pk_write_options_default();
  strict.strict = true;
  pk_error err = {0};
  assert_int_equal(pk_builder_write(b, "strict.urdf", PK_MODEL_FORMAT_URDF, &strict, &err),
                   PK_ERROR_UNSUPPORTED);
  assert_int_equal(access("strict.urdf", F_OK), -1);
  assert_int_equal(pk_builder_write(b, "strict.pkm", PK_MODEL_FORMAT_COMPILED, &strict, &err), PK_OK);
  pk_builder_destroy(b);
}

static void what_mjcf_cannot_hold_is_told(void **state)
{
  (void)state;
  everything_options o = {.cone = true, .planar = true, .floating = true, .mimic = true};
  pk_builder *b = new_builder();
  build_everything(b, &o);
  write_as(b, "lost.xml", PK_MODEL_FORMAT_MJCF);
  static const char *const told[] = {"cones are left out", "velocity limits of joints",
                                     "joints of several motions", "floating joints became",
                                     "mimic joints became"};
  for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
    if (!was_told(b, told[i])) {
      fail_msg("nothing was told about \"%s\"", told[i]);
    }
  }
  char *text = text_of("lost.xml");
  assert_non_null(strstr(text, "joint1=\"follow\" joint2=\"wheel\" polycoef=\"0.2 -0.5 0 0 0\""));
  assert_non_null(strstr(text, "actuatorfrcrange=\"-40 40\""));
  free(text);
  pk_builder_destroy(b);
}

/* Joints without limits of their own, and coordinates that begin elsewhere than at 0. */
static void limits_and_references_find_their_form(void **state)
{
  (void)state;
  const everything_options o = {.mimic = true, .springs = true};
  pk_builder *b = new_builder();
  build_everything(b, &o);
  pk_error err = {0};
  const pk_link_desc link = {.name = "piston", .inertia = {.mass = 1, .moment = {1, 0, 0, 1, 0, 1}}};
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = "bore", joint.kind = PK_JOINT_PRISMATIC, joint.parent = "arm", joint.child = "piston",
  joint.upper = 0.5;
  assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
  assert_int_equal(pk_builder_add_joint(b, &joint, &err), PK_OK);
  write_as(b, "limits.urdf", PK_MODEL_FORMAT_URDF);
  write_as(b, "limits.xml", PK_MODEL_FORMAT_MJCF);
  char *urdf = text_of("limits.urdf"), *mjcf = text_of("limits.xml");
  assert_non_null(strstr(
      urdf, "<limit lower=\"-1000000000\" upper=\"0.5\" effort=\"1000000000\" velocity=\"1000000000\"/>"));
  assert_non_null(strstr(mjcf, "limited=\"true\" range=\"-1000000000 0.5\""));
  assert_non_null(strstr(mjcf, "stiffness=\"30\" springref=\"0.4\" ref=\"0.25\""));
  /* 0.2 - 0.5 x, counted from x = 1 */
  assert_non_null(strstr(mjcf, "joint1=\"follow\" joint2=\"wheel\" polycoef=\"-0.3 -0.5 0 0 0\""));
  free(urdf), free(mjcf);
  pk_builder_destroy(b);
}

static void wrong_options_are_refused(void **state)
{
  (void)state;
  pk_builder *b = read_model(PK_SOURCE_DIR "/models/pendulum/pendulum.urdf");
  pk_write_options o = pk_write_options_default();
  pk_error err = {0};
  o.mujoco = 4;
  assert_int_equal(pk_builder_write(b, "x.xml", PK_MODEL_FORMAT_MJCF, &o, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "mujoco is 4, expected 2 or 3");
  assert_int_equal(pk_builder_write(b, "x.xml", PK_MODEL_FORMAT_COUNT, NULL, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "format is 3, expected a pk_model_format");
  assert_int_equal(pk_builder_write(b, "no/such/x.xml", PK_MODEL_FORMAT_MJCF, NULL, &err), PK_ERROR_FILE);
  pk_builder_destroy(b);
}

static int enter_folder(void **state)
{
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/pronk-convert-XXXXXX");
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
      cmocka_unit_test(numbers_read_back_to_the_bit),
      cmocka_unit_test(rotations_keep_their_angles),
      cmocka_unit_test(shipped_robots_come_back_from_urdf_and_from_the_compiled_form),
      cmocka_unit_test(every_joint_kind_keeps_its_dynamics_in_urdf),
      cmocka_unit_test(roots_that_were_asked_for_stay),
      cmocka_unit_test(robots_come_back_from_mjcf),
      cmocka_unit_test(names_are_escaped_and_carry_their_prefix),
      cmocka_unit_test(meshes_are_written_once_and_overwrite_nothing),
      cmocka_unit_test(what_urdf_cannot_hold_is_told_and_refused_when_strict),
      cmocka_unit_test(what_mjcf_cannot_hold_is_told),
      cmocka_unit_test(limits_and_references_find_their_form),
      cmocka_unit_test(wrong_options_are_refused),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
