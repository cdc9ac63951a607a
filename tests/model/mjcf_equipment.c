/* MJCF: constraints, contacts, actuators, sensors, keyframes and copies. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <unistd.h>

#include "model/mjcf_help.h"

#define TWO_JOINTS \
  "<worldbody><body name='a'><joint name='x' ref='1' type='slide' axis='1 0 0'/>" MASS \
  "<body name='b' pos='0 0 1'><joint name='y' type='slide' ref='2' axis='1 0 0'/>" MASS \
  "<geom name='g' size='.1' contype='0' conaffinity='0'/></body></body>" \
  "<body name='c' pos='1 0 1'><freejoint/><geom name='h' size='.1'/><site name='s' pos='0 0 " \
  ".5'/></body></worldbody>\n"

/* ---- constraints ---- */

static void couplings_count_from_the_references(void **state)
{
  (void)state;
  pk_builder *b = read_text(
      MJCF(TWO_JOINTS "<equality><joint joint1='y' joint2='x' polycoef='.5 2 3'/></equality>"), NULL);
  const pk_constraint_desc *c = &b->constraints[0].desc;
  assert_int_equal(c->kind, PK_CONSTRAINT_COUPLING);
  assert_string_equal(c->joint[0], "y");
  assert_string_equal(c->joint[1], "x");
  /* y - 2 = .5 + 2 (x - 1) + 3 (x - 1)^2 */
  assert_close(c->polynomial[0], 2 + 0.5 - 2 + 3);
  assert_close(c->polynomial[1], 2 - 6);
  assert_close(c->polynomial[2], 3);
  assert_close(c->polynomial[3], 0);
  pk_builder_destroy(b);
}

static void connects_meet_at_the_reference_pose(void **state)
{
  (void)state;
  pk_builder *b = read_text(
      MJCF(TWO_JOINTS "<equality><connect body1='b' body2='c' anchor='.2 0 0'/><weld body1='b' body2='c'/>"
                      "<weld body1='b' active='false'/></equality>"),
      NULL);
  assert_int_equal(b->nconstraint, 2);
  const pk_constraint_desc *c = &b->constraints[0].desc, *w = &b->constraints[1].desc;
  assert_int_equal(c->kind, PK_CONSTRAINT_BALL);
  assert_close(c->frame[0].pos[0], 0.2);
  assert_close(c->frame[1].pos[0], -0.8);
  assert_int_equal(w->kind, PK_CONSTRAINT_WELD);
  assert_close(w->frame[1].pos[0], -1);
  pk_builder_destroy(b);
}

/* ---- contacts ---- */

static void pairs_and_excludes_become_pairs(void **state)
{
  (void)state;
  pk_load_options options = pk_load_options_default();
  options.prefix = "p_";
  pk_builder *b = read_text(
      MJCF(TWO_JOINTS
           "<contact><pair geom1='g' geom2='h' friction='.4'/><exclude body1='a' body2='b'/></contact>"),
      &options);
  const pk_pair_desc *pair = &b->equipment.pairs[0].desc, *exclude = &b->equipment.pairs[1].desc;
  assert_true(pair->shapes && pair->collide);
  assert_string_equal(pair->name[0], "p_g");
  assert_close(pair->friction, 0.4);
  assert_false(exclude->shapes || exclude->collide);
  assert_string_equal(exclude->name[1], "p_b");
  assert_false(b->shapes[0].desc.visual); /* only the pair makes it collide */
  assert_true(b->shapes[0].desc.pairs_only);
  pk_builder_destroy(b);
}

/* ---- actuators ---- */

static const pk_actuator_desc *actuator(const pk_builder *b, int i)
{
  assert_true(i < b->equipment.nactuator);
  return &b->equipment.actuators[i].desc;
}

static void actuators_become_affine_laws(void **state)
{
  (void)state;
  pk_builder *b = read_text(
      MJCF(TWO_JOINTS
           "<actuator><motor joint='x' gear='5' ctrlrange='-2 3'/>"
           "<position joint='y' kp='10' kv='2' forcerange='-4 4'/><velocity joint='y' kv='3'/>"
           "<intvelocity joint='y' kp='7' actrange='-1 1'/><damper joint='y' kv='2' ctrlrange='0 1'/>"
           "<general joint='y' gainprm='6' biastype='affine' biasprm='1 2 3'/>"
           "<dcmotor joint='y' motorconst='.1' resistance='2'/></actuator>"),
      NULL);
  assert_int_equal(b->equipment.nactuator, 7);
  assert_close(actuator(b, 0)->gear, 5);
  assert_close(actuator(b, 0)->gain[0], 1);
  assert_close(actuator(b, 0)->ctrl_upper, 3);
  assert_close(joint_of(b, "x")->effort, 15);
  assert_close(actuator(b, 1)->gain[0], 10);
  assert_close(actuator(b, 1)->bias[1], -10);
  assert_close(actuator(b, 1)->bias[2], -2);
  assert_close(actuator(b, 1)->force_lower, -4);
  assert_close(actuator(b, 2)->gain[0], 3);
  assert_close(actuator(b, 2)->bias[2], -3);
  assert_true(actuator(b, 3)->integrates);
  assert_close(actuator(b, 3)->act_upper, 1);
  assert_close(actuator(b, 4)->gain[2], -2);
  assert_close(actuator(b, 5)->gain[0], 6);
  assert_close(actuator(b, 5)->bias[2], 3);
  assert_close(actuator(b, 6)->gain[0], 0.05);
  assert_close(actuator(b, 6)->bias[2], -0.005);
  pk_builder_destroy(b);
}

/* One slot for a class: what stands in it for another kind of actuator counts too. */
static void classes_have_one_slot_for_actuators(void **state)
{
  (void)state;
  pk_builder *b = read_text(
      MJCF("<default><general biastype='affine' gainprm='50' biasprm='0 -50 -5'/></default>" TWO_JOINTS
           "<actuator><general joint='y'/><position joint='y' kp='20'/></actuator>"),
      NULL);
  assert_close(actuator(b, 0)->gain[0], 50);
  assert_close(actuator(b, 0)->bias[2], -5);
  assert_close(actuator(b, 1)->gain[0], 20);
  assert_close(actuator(b, 1)->bias[2], -5);
  pk_builder_destroy(b);
}

/* A slide that moves 3 kg with 1 kg of armature, at a gear of 2. */
static void damping_ratios_are_of_the_mass_that_the_joint_feels(void **state)
{
  (void)state;
  pk_builder *b = read_text(
      MJCF("<worldbody><body name='a'><joint name='x' type='slide' armature='1'/>" MASS "<body name='b'>"
           "<inertial pos='1 2 3' mass='2' diaginertia='1 1 1'/></body></body></worldbody>"
           "<actuator><position joint='x' kp='25' dampratio='1' gear='2'/></actuator>"),
      NULL);
  assert_close(actuator(b, 0)->bias[2], -2 * sqrt(25 * 4.0) / 2);
  pk_builder_destroy(b);
}

static void ranges_are_inherited_about_their_middle(void **state)
{
  (void)state;
  pk_builder *b =
      read_text(MJCF("<worldbody><body name='a'><joint name='x' type='slide' range='1 3'/>" MASS
                     "</body></worldbody><actuator><position joint='x' inheritrange='.5'/></actuator>"),
                NULL);
  assert_close(actuator(b, 0)->ctrl_lower, 1.5);
  assert_close(actuator(b, 0)->ctrl_upper, 2.5);
  pk_builder_destroy(b);
}

/* A spring of its own on one joint: the mass that it feels is all of M. */
static void springdampers_become_stiffness_and_damping(void **state)
{
  (void)state;
  pk_builder *b = read_text(
      WORLD("<body name='a'><joint name='x' type='slide' springdamper='.1 .5'/>" MASS "</body>"), NULL);
  assert_close(joint_of(b, "x")->stiffness, 1 / (0.01 * 0.25));
  assert_close(joint_of(b, "x")->damping, 2 / 0.1);
  pk_builder_destroy(b);
}

/* ---- sensors and keyframes ---- */

static void sensors_sit_on_what_they_name(void **state)
{
  (void)state;
  pk_builder *b =
      read_text(MJCF(TWO_JOINTS "<actuator><motor name='m' joint='x'/></actuator>"
                                "<sensor><gyro site='s' cutoff='5' noise='.1'/><jointpos joint='x'/>"
                                "<framepos objtype='body' objname='c' reftype='xbody' refname='a'/>"
                                "<framequat objtype='geom' objname='h'/><actuatorfrc actuator='m'/>"
                                "<subtreecom body='a'/><clock name='time'/></sensor>"),
                NULL);
  static const struct {
    pk_sensor_kind kind;
    pk_sensor_place place;
  } expected[] = {
      {PK_SENSOR_JOINTPOS, PK_SENSOR_PLACE_JOINT},  {PK_SENSOR_ACTUATORFRC, PK_SENSOR_PLACE_ACTUATOR},
      {PK_SENSOR_SUBTREECOM, PK_SENSOR_PLACE_LINK}, {PK_SENSOR_CLOCK, PK_SENSOR_PLACE_NONE},
      {PK_SENSOR_GYRO, PK_SENSOR_PLACE_SITE},       {PK_SENSOR_FRAMEPOS, PK_SENSOR_PLACE_COM},
      {PK_SENSOR_FRAMEQUAT, PK_SENSOR_PLACE_SHAPE}}; /* robot by robot */
  assert_int_equal(b->equipment.nsensor, 7);
  for (int i = 0; i < 7; i++) {
    assert_int_equal(b->equipment.sensors[i].desc.kind, expected[i].kind);
    assert_int_equal(b->equipment.sensors[i].desc.place, expected[i].place);
  }
  assert_close(b->equipment.sensors[4].desc.cutoff, 5);
  assert_string_equal(b->equipment.sensors[5].desc.relative_to, "a");
  assert_int_equal(b->equipment.sensors[5].desc.reference, PK_SENSOR_PLACE_LINK);
  pk_builder_destroy(b);
}

static void keyframes_begin_with_the_reference_pose(void **state)
{
  (void)state;
  pk_builder *b =
      read_text(MJCF(TWO_JOINTS "<actuator><motor joint='y'/></actuator><keyframe><key name='zero'/>"
                                "<key name='home' qpos='3 4 5 6 7 2 0 0 0' ctrl='.5'/></keyframe>"),
                NULL);
  const pk_keyframe_desc *zero = &b->equipment.keyframes[0].desc, *home = &b->equipment.keyframes[1].desc;
  assert_int_equal(zero->nq, 9);
  assert_close(zero->q[0], 1);
  assert_close(zero->q[1], 2);
  assert_close(zero->q[2], 1);
  assert_close(zero->q[4], 1);
  assert_close(zero->q[5], 1);
  assert_close(home->q[3], 6);
  assert_close(home->q[5], 1); /* the quaternion has length 1 */
  assert_close(home->ctrl[0], 0.5);
  pk_builder_destroy(b);
}

/* ---- copies ---- */

static void replicate_makes_numbered_copies(void **state)
{
  (void)state;
  pk_builder *b = read_text(WORLD("<replicate count='12' offset='0 0 1' sep='-'><body name='b' pos='1 0 0'>"
                                  "<joint name='j'/>" MASS "</body></replicate>"),
                            NULL);
  assert_int_equal(b->nrobot, 12);
  assert_close(joint_of(b, "j-00")->origin.pos[2], 0);
  assert_close(joint_of(b, "j-11")->origin.pos[2], 11);
  assert_close(joint_of(b, "j-11")->origin.pos[0], 1);
  pk_builder_destroy(b);
}

/* Each copy is turned once more than the one before, about the frame that it is in. */
static void replicate_turns_each_copy_further(void **state)
{
  (void)state;
  pk_builder *b = read_text(WORLD("<replicate count='3' euler='0 0 90'><body name='b' pos='1 0 0'>"
                                  "<joint name='j'/>" MASS "</body></replicate>"),
                            NULL);
  assert_near(joint_of(b, "j1")->origin.pos[1], 1, 1e-12);
  assert_near(joint_of(b, "j2")->origin.pos[0], -1, 1e-12);
  pk_builder_destroy(b);
}

/* What refers to a copied joint is copied with it; classes and assets keep their names. */
static void replicate_copies_what_refers_to_the_copies(void **state)
{
  (void)state;
  pk_builder *b = read_text(
      MJCF("<default><default class='k'><joint damping='3'/></default></default>"
           "<worldbody><replicate count='2' offset='0 1 0'><body name='b'><joint name='j' class='k'/>" MASS
           "<geom name='g' size='.1'/></body></replicate><geom name='f' size='.1'/></worldbody>"
           "<contact><pair geom1='f' geom2='g'/></contact><actuator><motor name='m' joint='j'/></actuator>"),
      NULL);
  assert_int_equal(b->equipment.nactuator, 2);
  assert_string_equal(actuator(b, 1)->name, "m1");
  assert_string_equal(actuator(b, 1)->joint, "j1");
  assert_close(joint_of(b, "j1")->damping, 3);
  assert_int_equal(b->equipment.npair, 2);
  assert_string_equal(b->equipment.pairs[1].desc.name[0], "f");
  assert_string_equal(b->equipment.pairs[1].desc.name[1], "g1");
  pk_builder_destroy(b);
}

static void write_text(const char *folder, const char *name, const char *text)
{
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

/* Two legs of another file, which has angles, classes and an actuator of its own. */
static void attached_models_keep_their_angles_classes_and_actuators(void **state)
{
  (void)state;
  char folder[] = "/tmp/mjcf_attachXXXXXX", path[200];
  assert_non_null(mkdtemp(folder));
  write_text(folder, "leg.xml",
             "<mujoco><compiler angle='radian'/><default><joint damping='4'/></default>"
             "<worldbody><body name='hip'><joint name='h' ref='.5'/>" MASS "</body></worldbody>"
             "<actuator><motor name='m' joint='h'/></actuator></mujoco>");
  write_text(
      folder, "robot.xml",
      "<mujoco><default><joint damping='1'/></default><asset><model name='leg' file='leg.xml'/></asset>"
      "<worldbody><body name='trunk'><freejoint/>" MASS "<frame pos='0 1 0'><attach model='leg' body='hip' "
      "prefix='l_'/></frame><attach model='leg' body='hip' prefix='r_'/><body name='tail'><joint name='t' "
      "ref='90'/>" MASS "</body></body></worldbody></mujoco>");
  snprintf(path, sizeof path, "%s/robot.xml", folder);
  pk_builder *b;
  pk_error err = {0};
  pk_builder_create(&b, NULL);
  if (pk_builder_add_mjcf(b, path, NULL, &err) != PK_OK) {
    fail_msg("line %d: %s: %s", err.line, err.field, err.message);
  }
  assert_close(joint_of(b, "l_h")->origin.pos[1], 1);
  assert_close(joint_of(b, "l_h")->ref, 0.5);
  assert_close(joint_of(b, "r_h")->damping, 4);
  assert_close(joint_of(b, "t")->damping, 1);
  assert_near(joint_of(b, "t")->ref, 1.5707963267948966, 1e-12);
  assert_int_equal(b->equipment.nactuator, 2);
  assert_string_equal(actuator(b, 1)->joint, "r_h");
  pk_builder_destroy(b);
  unlink(path);
  snprintf(path, sizeof path, "%s/leg.xml", folder);
  unlink(path);
  rmdir(folder);
}

/* A tetrahedron in the binary format of MuJoCo, scaled by ten. */
static void msh_files_are_read(void **state)
{
  (void)state;
  char folder[] = "/tmp/mjcf_mshXXXXXX", path[200];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/t.msh", folder);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  const int32_t head[4] = {4, 0, 0, 4}, face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  const float vertex[12] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};
  fwrite(head, sizeof head, 1, file), fwrite(vertex, sizeof vertex, 1, file),
      fwrite(face, sizeof face, 1, file);
  fclose(file);
  write_text(folder, "m.xml",
             "<mujoco><asset><mesh file='t.msh' scale='10 10 10' inertia='exact'/></asset>"
             "<worldbody><body name='b'><freejoint/><geom type='mesh' mesh='t' "
             "density='1'/></body></worldbody></mujoco>");
  char model[200];
  snprintf(model, sizeof model, "%s/m.xml", folder);
  pk_builder *b;
  pk_error err = {0};
  pk_builder_create(&b, NULL);
  if (pk_builder_add_mjcf(b, model, NULL, &err) != PK_OK) {
    fail_msg("line %d: %s: %s", err.line, err.field, err.message);
  }
  assert_close(link_of(b, "b")->inertia.mass, 1000);
  assert_close(link_of(b, "b")->inertia.com[0], 2.5);
  pk_builder_destroy(b);
  unlink(path);
  unlink(model);
  rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(couplings_count_from_the_references),
      cmocka_unit_test(connects_meet_at_the_reference_pose),
      cmocka_unit_test(pairs_and_excludes_become_pairs),
      cmocka_unit_test(actuators_become_affine_laws),
      cmocka_unit_test(classes_have_one_slot_for_actuators),
      cmocka_unit_test(damping_ratios_are_of_the_mass_that_the_joint_feels),
      cmocka_unit_test(ranges_are_inherited_about_their_middle),
      cmocka_unit_test(springdampers_become_stiffness_and_damping),
      cmocka_unit_test(sensors_sit_on_what_they_name),
      cmocka_unit_test(keyframes_begin_with_the_reference_pose),
      cmocka_unit_test(replicate_makes_numbered_copies),
      cmocka_unit_test(replicate_turns_each_copy_further),
      cmocka_unit_test(replicate_copies_what_refers_to_the_copies),
      cmocka_unit_test(attached_models_keep_their_angles_classes_and_actuators),
      cmocka_unit_test(msh_files_are_read),
  };
  return cmocka_run_group_tests_name("model/mjcf_equipment", tests, NULL, NULL);
}
