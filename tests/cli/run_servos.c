/* Robots of MJCF files that stand, or hang, by their own actuators at the control values of a keyframe. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run.h"
#include "support/bounds.h"

#define BENT "0.7 -1.4 0.7 -1.4 0.7 -1.4 0.7 -1.4"

/* A trunk on four legs with hip and knee. In home its feet touch the ground, legs bent. */
static void write_dog(const char *path, const char *floor, const char *actuator, const char *ctrl)
{
  static const char *const legs[4] = {"lf", "rf", "lh", "rh"};
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  fprintf(f,
          "<mujoco model='dog'><default><joint axis='0 1 0' damping='0.1'/><geom type='capsule' size='0.02'/>"
          "<default class='foot'><geom type='sphere' size='0.025'/></default></default>\n"
          "<worldbody>%s<body name='trunk' pos='0 0 0.4'><freejoint/>"
          "<geom type='box' size='0.2 0.1 0.05' mass='8'/>\n",
          floor);
  for (int i = 0; i < 4; i++) {
    fprintf(f,
            "<body pos='%g %g 0'><joint name='%s_hip'/><geom fromto='0 0 0 0 0 -0.2' mass='0.5'/>"
            "<body pos='0 0 -0.2'><joint name='%s_knee'/><geom fromto='0 0 0 0 0 -0.2' mass='0.2'/>"
            "<geom class='foot' pos='0 0 -0.2' mass='0.05'/></body></body>\n",
            i < 2 ? 0.2 : -0.2, i % 2 == 0 ? 0.12 : -0.12, legs[i], legs[i]);
  }
  fputs("</body></worldbody><actuator>\n", f);
  for (int i = 0; i < 8; i++) {
    fprintf(f, "<%s joint='%s_%s'/>", actuator, legs[i / 2], i % 2 == 0 ? "hip" : "knee");
  }
  /* 0.4 cos 0.7 + 0.025 */
  fprintf(f,
          "</actuator>\n<keyframe><key name='home' qpos='0 0 0.330937 1 0 0 0 " BENT
          "' ctrl='%s'/></keyframe>"
          "</mujoco>\n",
          ctrl);
  fclose(f);
}

static double number(const cJSON *o, const char *key)
{
  const cJSON *item = cJSON_GetObjectItem(o, key);
  assert_non_null(item);
  return item->valuedouble;
}

/* The first line that a run of these arguments prints. */
static void assert_first_line(const char *arguments, const char *line)
{
  run_result r = run(arguments);
  const size_t n = strlen(line);
  if (r.status != 0 || strncmp(r.out, line, n) != 0 || r.out[n] != '\n') {
    fail_msg("pronk %s: %d, %s%s", arguments, r.status, r.out, r.err);
  }
  run_free(&r);
}

static void a_quadruped_stands_by_its_own_servos(void **state)
{
  (void)state;
  static const char *const floors[] = {"", "<geom type='plane' size='5 5 0.1'/>"};
  for (int i = 0; i < 2; i++) {
    write_dog("dog.xml", floors[i], "position kp='150' kv='4'", BENT);
    cJSON *o = run_json("run --model dog.xml --pose home --certify -n --json", 0);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "certified")));
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(o, "fell")));
    assert_near(number(o, "duration"), 3, 1e-9);
    /* Hip and knee turned by a and b lower the hip by 0.2 sin 0.7 (2 a + b), so that four legs are a spring of 4 kp /
     * (5 (0.2 sin 0.7)^2) at least, which 11 kg press by 15 mm at most. */
    assert_near(number(o, "height"), 0.330937, 15e-3);
    assert_true(number(o, "height") < 0.3305); /* but by something */
    cJSON_Delete(o);
  }
  assert_first_line("run --model dog.xml --pose home -n --duration 0.01",
                    "dog: dog on the ground of its file, held by its own actuators at the keyframe home");
}

/* A scenario that says the same is the same world. */
static void a_scenario_can_name_the_actuators(void **state)
{
  (void)state;
  write_dog("dog.xml", "", "position kp='150' kv='4'", BENT);
  write_file("dog.yaml", "model: {model: ./dog.xml, pose: home, on_ground: true}\nduration: 3\n"
                         "terrain: [{shape: plane}]\ncontroller: {name: actuators, keyframe: home}\n");
  cJSON *model = run_json("run --model dog.xml --pose home -n --json", 0);
  cJSON *scenario = run_json("run dog.yaml -n --json", 0);
  assert_near(number(scenario, "height"), number(model, "height"), 0);
  cJSON_Delete(model);
  cJSON_Delete(scenario);
}

/* Four telescopes whose servos are springs: each carries a quarter of the trunk, m g / (4 kp). */
static void weak_legs_sink_as_springs_do(void **state)
{
  (void)state;
  static const double stiffness[] = {400, 1600};
  for (int k = 0; k < 2; k++) {
    FILE *f = fopen("telescope.xml", "wb");
    assert_non_null(f);
    fputs("<mujoco model='telescope'><worldbody><body name='trunk' pos='0 0 0.5'><freejoint/>"
          "<geom type='box' size='0.2 0.1 0.05' mass='8'/>\n",
          f);
    for (int i = 0; i < 4; i++) {
      fprintf(f,
              "<body pos='%g %g -0.48'><joint name='j%d' type='slide' axis='0 0 -1'/>"
              "<geom type='sphere' size='0.02' mass='0.3'/></body>\n",
              i < 2 ? 0.2 : -0.2, i % 2 == 0 ? 0.12 : -0.12, i);
    }
    fputs("</body></worldbody><actuator>", f);
    for (int i = 0; i < 4; i++) {
      fprintf(f, "<position joint='j%d' kp='%g' kv='%g'/>", i, stiffness[k], 2 * sqrt(2 * stiffness[k]));
    }
    fputs("</actuator><keyframe><key name='home' qpos='0 0 0.5 1 0 0 0 0 0 0 0'/></keyframe></mujoco>\n", f);
    fclose(f);
    cJSON *o = run_json("run --model telescope.xml --pose home --certify -n --json", 0);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(o, "fell")));
    assert_near(number(o, "height_max"), 0.5, 1e-6);
    assert_near(number(o, "height"), 0.5 - 8 * 9.81 / (4 * stiffness[k]), 1e-6);
    cJSON_Delete(o);
  }
}

/* The last value of the second column. */
static double last_of(const char *csv)
{
  FILE *f = fopen(csv, "rb");
  char line[256];
  double last = NAN;
  assert_non_null(f);
  while (fgets(line, sizeof line, f) != NULL) {
    const char *comma = strchr(line, ',');
    last = comma != NULL ? strtod(comma + 1, NULL) : last;
  }
  fclose(f);
  return last;
}

/* kp (c - q) + m g l cos q = 0, whose root the iteration q = c + m g l cos q / kp finds. */
static void a_weak_arm_sags_as_its_spring_does(void **state)
{
  (void)state;
  write_file("weak.xml",
             "<mujoco model='weak'><worldbody><body name='arm' pos='0 0 1'><joint name='j' axis='0 1 0'/>"
             "<inertial pos='0.3 0 0' mass='1' diaginertia='1e-3 1e-3 1e-3'/></body></worldbody>"
             "<actuator><position joint='j' kp='10' kv='2'/></actuator>"
             "<keyframe><key name='home' qpos='0.2' ctrl='0.2'/></keyframe></mujoco>");
  double q = 0.2;
  for (int i = 0; i < 60; i++) {
    q = 0.2 + 9.81 * 0.3 * cos(q) / 10;
  }
  run_result r = run("run --model weak.xml --pose home --duration 6 -o out-weak --export csv");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "weak with a fixed root, held by its own actuators at the keyframe home"));
  run_free(&r);
  assert_near(last_of("out-weak/run-csv/state.q.csv"), q, 1e-8);
}

/* Where the file's actuators cannot hold it, or nothing says where they shall, the gains of hold do. */
static void hold_stays_where_no_servo_holds(void **state)
{
  (void)state;
  static const char *const held = "dog: dog on a plane, every joint held where it starts";
  write_dog("dog.xml", "", "motor ctrlrange='-30 30'", BENT);
  assert_first_line(
      "run --model dog.xml --pose home -n --duration 0.01",
      "dog: dog on a plane, every joint held where it starts (its own actuators have no stiffness)");
  write_dog("dog.xml", "", "position kp='150' kv='4'", "0 0 0 0 0 0 0 0");
  assert_first_line("run --model dog.xml --pose home -n --duration 0.01", held);
  write_dog("dog.xml", "", "position kp='150' kv='4'", BENT);
  assert_first_line("run --model dog.xml -n --duration 0.01", held);
  /* and who wants it has it: stiffer than the servos */
  cJSON *o = run_json(
      "run --model dog.xml --pose home -n --json --set 'controller={name: hold, kp: 5000, kd: 50}'", 0);
  assert_near(number(o, "height"), 0.330937, 5e-4);
  cJSON_Delete(o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_quadruped_stands_by_its_own_servos),
      cmocka_unit_test(a_scenario_can_name_the_actuators),
      cmocka_unit_test(weak_legs_sink_as_springs_do),
      cmocka_unit_test(a_weak_arm_sags_as_its_spring_does),
      cmocka_unit_test(hold_stays_where_no_servo_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
