/* The catalogue of motors: every file that is shipped, and files that are wrong. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "scenario/help.h"
#include "scenario/motor_line.h"
#include "support/bounds.h"

static pki_motor_entry good_motor(const char *name)
{
  pki_motor_entry m;
  pk_error err = {.message = ""};
  if (pki_motor_load(name, &m, &err) != PK_OK) {
    fail_msg("%s: %s:%d: %s: %s", name, err.file, err.line, err.field, err.message);
  }
  return m;
}

/* All motors of the catalogue, one by one. */
static int each_motor(void (*use)(const pki_motor_entry *m))
{
  int count;
  pki_scenario_entry *entries = pki_yaml_list(&pki_motor_files, &count);
  for (int i = 0; i < count; i++) {
    const pki_motor_entry m = good_motor(entries[i].name);
    assert_string_equal(m.id, entries[i].name);
    use(&m);
  }
  free(entries);
  return count;
}

static int kinds[PKI_MOTOR_KIND_COUNT];

static void expect_whole(const pki_motor_entry *m)
{
  kinds[m->kind]++;
  assert_true(m->maker[0] != '\0' && m->about[0] != '\0');
  assert_int_not_equal(m->data, PKI_MOTOR_DATA_OWN);
  /* of a servo of which only the line is known, the rotor is not */
  assert_true(m->kind == PKI_MOTOR_KIND_TORQUE || m->data == PKI_MOTOR_DATA_ROBOT_CODE ||
              (m->motor.inertia > 0 && m->armature > 0));
  /* one source stands for all numbers that have none of their own */
  if (strncmp(m->sources, "all: ", 5) != 0) {
    fail_msg("%s: its first source is not that of all", m->id);
  }
}

static void every_motor_of_the_catalogue_loads_and_names_its_sources(void **state)
{
  (void)state;
  const int count = each_motor(expect_whole);
  assert_greater(count, 23);
  assert_greater(kinds[PKI_MOTOR_KIND_DC], 14);
  assert_greater(kinds[PKI_MOTOR_KIND_TORQUE], 9);
}

static int compared;

/* `found` follows from the numbers of a file, `published` stands on the sheet. */
static void expect_near(const pki_motor_entry *m, const char *what, double found, double published,
                        double bound)
{
  compared += published > 0;
  if (published > 0 && !(fabs(found / published - 1) <= bound)) {
    fail_msg("%s: %s %g, published %g", m->id, what, found, published);
  }
}

/* Wrong conventions (RMS or peak amperes, one phase or two, the bus or what sine waves make of it) are off by 15 % to
 * 73 %. Torques of drives are published after their gears, whose losses nobody knows; the table of the AK80-9 agrees
 * with itself only to 29 %. */
static void expect_consistent(const pki_motor_entry *m)
{
  const pki_motor_line l = pki_motor_line_of(m);
  expect_near(m, "speed at no load", l.no_load_speed, m->published.no_load_speed, 0.1);
  expect_near(m, "torque at standstill", l.stall_torque, m->published.stall_torque, 0.1);
  const double bound = strcmp(m->id, "tmotor-ak80-9") == 0 ? 0.29 : 0.12;
  expect_near(m, "largest torque", l.peak_torque, m->published.peak_torque, bound);
  expect_near(m, "torque for long", l.continuous_torque, m->published.continuous_torque, bound);
}

static void what_follows_from_the_numbers_is_what_the_sheets_say(void **state)
{
  (void)state;
  each_motor(expect_consistent);
  assert_greater(compared, 29);
}

static void expect_lines_meet(const pki_motor_entry *m)
{
  const pki_motor_line l = pki_motor_line_of(m);
  if (isnan(l.no_load_speed)) {
    return;
  }
  assert_less(fabs(pki_motor_line_at(m, 0) / l.peak_torque - 1), 1e-12);
  assert_less(fabs(pki_motor_line_at(m, l.full_speed) / l.peak_torque - 1), 1e-12);
  assert_less(pki_motor_line_at(m, l.no_load_speed), 1e-12 * l.peak_torque);
  /* the largest power against a search */
  double most = 0;
  for (int i = 0; i <= 20000; i++) {
    const double u = l.no_load_speed * i / 20000;
    most = fmax(most, u * pki_motor_line_at(m, u));
  }
  assert_true(most <= l.power * (1 + 1e-12) && most > l.power * (1 - 1e-4));
}

static void the_line_of_every_motor_has_its_corners_and_its_largest_power(void **state)
{
  (void)state;
  each_motor(expect_lines_meet);
}

/* By hand from L = 0.32 mH, R = 0.664 ohm, K = 0.041, N = 100, 24 V, 10 A and J = 1.387e-5. */
static void the_line_of_the_coman_drive_is_that_of_its_numbers(void **state)
{
  (void)state;
  const pki_motor_entry m = good_motor("motors/coman-drive");
  const pki_motor_line l = pki_motor_line_of(&m);
  assert_less(fabs(l.no_load_speed - 5.853658536585366), 1e-9);
  assert_less(fabs(l.stall_torque - 148.19277108433735), 1e-9);
  assert_less(fabs(l.peak_torque - 41), 1e-9);
  assert_less(fabs(l.full_speed - (24 - 6.64) / 4.1), 1e-9);
  assert_less(fabs(l.power - 10 * (24 - 6.64)), 1e-9);
  assert_less(fabs(l.armature - 0.1387), 1e-9);
  assert_less(fabs(l.electrical_time - 0.32e-3 / 0.664), 1e-12);
  assert_less(fabs(l.mechanical_time - 1.387e-5 * 0.664 / (0.041 * 0.041)), 1e-12);
  assert_near(pki_motor_line_at(&m, 5), 4.1 * (24 - 20.5) / 0.664, 1e-9);
  assert_less(fabs(m.damping - 0.1996), 1e-12);
  assert_true(isnan(l.heat_current) && isnan(l.continuous_torque));
}

/* (155 - 25) K over 6.58 K/W is 19.757 W, of 0.299 ohm that are 1 + 0.00393 x 130 as many when hot: 6.613 A. */
static void heat_limits_the_current_that_a_motor_bears_for_long(void **state)
{
  (void)state;
  const pki_motor_entry m = good_motor("maxon-re40");
  const pki_motor_line l = pki_motor_line_of(&m);
  assert_less(fabs(l.heat_current - 6.6134), 1e-3);
  assert_less(fabs(l.heat_torque - 6.6134 * 0.0302), 1e-4);
  assert_true(fabs(l.winding_time - 42.8) < 0.1 && fabs(l.housing_time - 809) < 1);
}

static void values_that_are_left_out_have_their_defaults(void **state)
{
  (void)state;
  const char *text =
      "name: a\nmaker: b\nkind: dc\nresistance: 2\nconstant: 0.5\ninertia: 0\nefficiency: 0.8\n"
      "gear: 10\ncurrent: 3\n";
  pki_motor_entry m;
  pki_problems problems = {0};
  assert_int_equal(pki_motor_parse("own/a.b.yaml", text, strlen(text), &m, &problems), PK_OK);
  assert_string_equal(m.id, "a.b");
  assert_true(m.motor.drive == PK_MOTOR_DRIVE_CURRENT && m.motor.ambient == 25 && m.motor.derating == 25);
  assert_true(m.motor.voltage == 0 && m.motor.inductance == 0 && m.mass == 0);
  assert_int_equal(m.data, PKI_MOTOR_DATA_OWN);
  const pki_motor_line l = pki_motor_line_of(&m);
  assert_true(isnan(l.no_load_speed) && isnan(l.power) && isnan(l.full_speed));
  assert_less(fabs(l.peak_torque - 0.8 * 10 * 0.5 * 3), 1e-12);
  pki_problems_free(&problems);
}

/* ---- wrong files ---- */

#define HEAD "name: a\nmaker: b\n"
#define DC HEAD "kind: dc\nresistance: 1\nconstant: 0.1\ninertia: 1e-5\n"
#define TORQUE HEAD "kind: torque\nlimit: 10\n"

static const struct {
  const char *text;
  int line;
  const char *field, *message;
} cases[] = {
    {"", 1, "", "there is nothing in it"},
    {"[]\n", 1, "", "the file is a list, expected a mapping"},
    {HEAD, 1, "", "the key \"kind\" is missing: a word, dc: a motor; torque: an envelope"},
    {HEAD "kind: ac\n", 3, "kind", "kind is \"ac\", expected one of dc, torque; did you mean \"dc\"?"},
    {"kind: torque\nlimit: 1\nmaker: b\n", 1, "",
     "the key \"name\" is missing: a text, what it is called, with the order number"},
    {"kind: torque\nlimit: 1\nname: b\n", 1, "", "the key \"maker\" is missing: a text, who makes it"},
    {HEAD "kind: torque\n", 1, "", "the key \"limit\" is missing: a number, largest torque at the output"},
    {HEAD "kind: dc\nconstant: 1\ninertia: 1\n", 1, "",
     "the key \"resistance\" is missing: a number, R at 25 degrees C"},
    {HEAD "kind: dc\nresistance: 1\ninertia: 1\n", 1, "",
     "the key \"constant\" is missing: a number, K, torque per ampere = volts per rad/s"},
    {HEAD "kind: dc\nresistance: 1\nconstant: 1\n", 1, "",
     "the key \"inertia\" is missing: a number, J of the rotor and what turns with it"},
    {DC "data: guess\n", 7, "data",
     "data is \"guess\", expected one of sheet, sheet-copy, identified, robot-code, own"},
    {DC "resistanc: 1\n", 7, "resistanc", NULL},
    {DC "limit: 1\n", 7, "limit", NULL},
    {TORQUE "voltage: 24\n", 5, "voltage", NULL},
    {DC "inductance: -1\n", 7, "inductance", "inductance is -1, expected 0 to 1000 H (L)"},
    {DC "damping: -1\n", 7, "damping", "damping is -1, expected 0 to 1e+06 N m s/rad (at the rotor)"},
    {DC "friction: -1\n", 7, "friction", "friction is -1, expected 0 to 1e+06 N m (dry, at the rotor)"},
    {DC "gear: 0\n", 7, "gear",
     "gear is 0, expected 1e-06 to 1e+06 (turns of the rotor for one of the output)"},
    {DC "efficiency: 0.5\n", 7, "efficiency",
     "efficiency is 0.5, expected 0.501 to 1 (of the gear when the motor drives)"},
    {DC "efficiency: 1.1\n", 7, "efficiency",
     "efficiency is 1.1, expected 0.501 to 1 (of the gear when the motor drives)"},
    {DC "voltage: 24 V\n", 7, "voltage", "voltage is \"24 V\", expected a number"},
    {DC "current: [1]\n", 7, "current", "current is a list, expected a number"},
    {DC "current: 2\ncontinuous_current: 3\n", 8, "continuous_current",
     "continuous_current is 3 A, expected at most current, which is 2 A"},
    {DC "mass: -1\n", 7, "mass", "mass is -1, expected 0 to 10000 kg (with its gear, where it has one)"},
    {DC "winding_resistance: 1\nwinding_capacity: 1\nhousing_capacity: 1\n", 1, "",
     "heat needs all of winding_resistance, housing_resistance, winding_capacity and housing_capacity above "
     "0, or "
     "none of them"},
    {DC "housing_resistance: -1\n", 7, "housing_resistance",
     "housing_resistance is -1, expected 0 to 1e+06 K/W (from housing to air)"},
    {DC "temperature: 20\n", 7, "temperature",
     "temperature is 20 degrees C, expected more than ambient, which is 25"},
    {DC "ambient: 300\n", 7, "ambient", "ambient is 300, expected -100 to 200 degrees C (the air)"},
    {DC "derating: -1\n", 7, "derating",
     "derating is -1, expected 0 to 1000 K (the limit of current falls over the last so many)"},
    {DC "published: 3\n", 7, "published", "published is a value, expected a mapping"},
    {DC "published: {speed: 3}\n", 7, "published.speed", NULL},
    {DC "published: {stall_torque: -3}\n", 7, "published.stall_torque",
     "stall_torque is -3, expected 0 to 1e+09 N m (at standstill, by voltage alone)"},
    {DC "sources: a sheet\n", 7, "sources", "sources is a value, expected a mapping"},
    {DC "sources:\n  mass: a sheet\n", 8, "sources.mass",
     "this is the source of \"mass\", which the file does not have"},
    {DC "sources:\n  all: []\n", 8, "sources.all", "all is a list, expected a text"},
    {TORQUE "armature: -1\n", 5, "armature",
     "armature is -1, expected 0 to 1e+06 kg m^2 (inertia of the drive at the output)"},
    {TORQUE "full_speed: 3\n", 5, "full_speed",
     "full_speed needs no_load_speed, to which the limit falls from there"},
    {TORQUE "full_speed: 3\nno_load_speed: 3\n", 5, "full_speed",
     "full_speed is 3 rad/s, expected less than no_load_speed, which is 3 rad/s"},
    {HEAD "kind: torque\nlimit: 0\n", 4, "limit",
     "limit is 0, expected 1e-09 to 1e+09 N m (largest torque at the output)"},
};

static void a_wrong_file_is_refused_where_it_is_wrong(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pki_motor_entry m;
    pki_problems problems = {0};
    pk_error err = {.message = ""};
    pki_motor_parse("a.yaml", cases[i].text, strlen(cases[i].text), &m, &problems);
    const pk_status status = pki_problems_first(&problems, &err);
    if (status == PK_OK || err.line != cases[i].line || strcmp(err.field, cases[i].field) != 0 ||
        (cases[i].message != NULL && strcmp(err.message, cases[i].message) != 0)) {
      fail_msg("\n%s\ngave     %d %s: %s\nexpected %d %s: %s", cases[i].text, err.line, err.field,
               err.message, cases[i].line, cases[i].field,
               cases[i].message != NULL ? cases[i].message : "...");
    }
  }
}

static void all_that_is_wrong_is_told(void **state)
{
  (void)state;
  const char *text = DC "gear: 0\nmas: 1\nsources: []\n";
  pki_motor_entry m;
  pki_problems problems = {0};
  pki_motor_parse("a.yaml", text, strlen(text), &m, &problems);
  assert_int_equal(problems.count, 3);
  pki_problems_free(&problems);
  /* also of a kind that is none: the kind, a mass below zero, a key that no kind has, a number that is a word */
  text = HEAD "kind: ac\nmass: -1\nmas: 1\nresistance: high\n";
  pki_motor_parse("a.yaml", text, strlen(text), &m, &problems);
  assert_int_equal(problems.count, 4);
  pki_problems_free(&problems);
}

static void an_unknown_name_gets_the_nearest_one(void **state)
{
  (void)state;
  pki_motor_entry m;
  pk_error err = {.message = ""};
  assert_int_equal(pki_motor_load("motors/maxon-re4O", &m, &err), PK_ERROR_FILE);
  if (strstr(err.message, "no such file or motor; did you mean 'maxon-re40'? known motors: anydrive-3, ") !=
      err.message) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(pki_motor_load("", &m, &err), PK_ERROR_FILE);
}

int main(void)
{
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_motor_of_the_catalogue_loads_and_names_its_sources),
      cmocka_unit_test(what_follows_from_the_numbers_is_what_the_sheets_say),
      cmocka_unit_test(the_line_of_every_motor_has_its_corners_and_its_largest_power),
      cmocka_unit_test(the_line_of_the_coman_drive_is_that_of_its_numbers),
      cmocka_unit_test(heat_limits_the_current_that_a_motor_bears_for_long),
      cmocka_unit_test(values_that_are_left_out_have_their_defaults),
      cmocka_unit_test(a_wrong_file_is_refused_where_it_is_wrong),
      cmocka_unit_test(all_that_is_wrong_is_told),
      cmocka_unit_test(an_unknown_name_gets_the_nearest_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
