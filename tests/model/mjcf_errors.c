/* MJCF files that are refused: with a line, a reason, and nothing left in the builder. */
#include "model/mjcf_help.h"

static void unknown_words_are_refused_with_the_nearest_one(void **state)
{
  (void)state;
  assert_refused(WORLD("<body>\n<geom sise='.1'/></body>"), PK_ERROR_SYNTAX, 4, "did you mean \"size\"?");
  assert_refused(WORLD("<body>\n<goem size='.1'/></body>"), PK_ERROR_SYNTAX, 4, "did you mean <geom>?");
  assert_refused(MJCF("<wordbody/>"), PK_ERROR_SYNTAX, 2, "did you mean <worldbody>?");
  assert_refused(WORLD("<body><geom size='.1' type='spehre'/></body>"), PK_ERROR_SYNTAX, 3,
                 "did you mean \"sphere\"?");
  assert_refused(MJCF("<default><geom name='n'/></default>"), PK_ERROR_SYNTAX, 2,
                 "in a default class has no attribute");
  assert_refused("<robot name='r'/>", PK_ERROR_SYNTAX, 1, "this is a URDF file");
}

static void wrong_counts_and_kinds_of_numbers_are_refused(void **state)
{
  (void)state;
  assert_refused(WORLD("<body pos='1 2'/>"), PK_ERROR_SYNTAX, 3, "needs 3 numbers, found 2");
  assert_refused(WORLD("<geom size='1 2 3 4'/>"), PK_ERROR_SYNTAX, 3, "needs 1 to 3 numbers, found 4");
  assert_refused(WORLD("<geom size='1,2'/>"), PK_ERROR_SYNTAX, 3, "separated by blanks");
  assert_refused(WORLD("<geom size='.1' contype='1.5'/>"), PK_ERROR_SYNTAX, 3, "is not an integer");
  assert_refused(WORLD("<geom size='nan'/>"), PK_ERROR_SYNTAX, 3, "is not a finite number");
}

static void names_are_unique_and_known(void **state)
{
  (void)state;
  assert_refused(
      WORLD("<body name='b'><joint name='j'/>" MASS "\n<body><joint name='j'/>" MASS "</body></body>"),
      PK_ERROR_NAME, 4, "joint \"j\" is there twice");
  assert_refused(WORLD("<body name='b'/><body name='b'/>"), PK_ERROR_NAME, 3, "body \"b\" is there twice");
  assert_refused(WORLD("<body><freejoint/><geom type='mesh' mesh='m'/></body>"), PK_ERROR_NAME, 3,
                 "there is no mesh \"m\"");
  assert_refused(MJCF("<worldbody><body name='trunk'/></worldbody>\n<contact><exclude body1='trunk' "
                      "body2='trnk'/></contact>"),
                 PK_ERROR_NAME, 3, "did you mean \"trunk\"?");
  assert_refused(WORLD("<body childclass='leg'/>"), PK_ERROR_NAME, 3, "there is no default class \"leg\"");
}

static void bodies_that_cannot_be_are_refused(void **state)
{
  (void)state;
  assert_refused(WORLD("<body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body>"),
                 PK_ERROR_MASS, 3, "balanceinertia");
  assert_refused(WORLD("<body><freejoint/><inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/></body>"),
                 PK_ERROR_MASS, 3, "cannot be negative");
  assert_refused(WORLD("<body>" MASS "<body><freejoint/>" MASS "</body></body>"), PK_ERROR_MODEL, 3,
                 "a free joint can only be in a body of <worldbody>");
  assert_refused(WORLD("<joint/>"), PK_ERROR_MODEL, 3, "the world cannot have joints");
  assert_refused(WORLD("<body><joint type='ball'/><joint/>" MASS "</body>"), PK_ERROR_MODEL, 3,
                 "a ball joint before another rotation");
  assert_refused(WORLD("<body><joint/><geom type='plane' size='1 1 1'/>" MASS "</body>"), PK_ERROR_MODEL, 3,
                 "a plane can only be in a body that never moves");
  assert_refused(WORLD("<body><joint range='2 1'/>" MASS "</body>"), PK_ERROR_MODEL, 3,
                 "the first must be smaller than the second");
  assert_refused(
      MJCF("<compiler autolimits='false'/><worldbody><body><joint range='1 2'/>" MASS "</body></worldbody>"),
      PK_ERROR_SYNTAX, 2, "say whether it is limited");
  assert_refused(WORLD("<geom size='0'/>"), PK_ERROR_MODEL, 3, "expected a positive length");
  assert_refused(WORLD("<body quat='1 0 0 0' euler='0 0 0'/>"), PK_ERROR_SYNTAX, 3, "keep one of them");
}

static void what_is_not_simulated_is_named(void **state)
{
  (void)state;
  assert_refused(WORLD("<body><flexcomp name='f'/></body>"), PK_ERROR_UNSUPPORTED, 3,
                 "<flexcomp> is not simulated");
  assert_refused(MJCF("<worldbody><body><joint name='j'/>" MASS
                      "</body></worldbody>\n<actuator><muscle joint='j'/></actuator>"),
                 PK_ERROR_UNSUPPORTED, 3, "<muscle> are not simulated");
  assert_refused(MJCF("<worldbody><site name='a'/></worldbody>\n<tendon><spatial stiffness='1'><site "
                      "site='a'/></spatial></tendon>"),
                 PK_ERROR_UNSUPPORTED, 3, "tendons are not simulated");
  assert_refused(MJCF("<compiler coordinate='global'/>"), PK_ERROR_UNSUPPORTED, 2, "no longer part of MJCF");
  assert_refused(WORLD("<geom type='sdf'/>"), PK_ERROR_UNSUPPORTED, 3, "signed distance fields");
}

static void warnings_have_kinds_and_are_errors_when_strict(void **state)
{
  (void)state;
  const char *text = MJCF("<option density='1.2'/><worldbody><body name='b' gravcomp='1'><freejoint/>" MASS
                          "<geom size='.1' condim='6'/></body></worldbody><sensor><e_kinetic/></sensor>");
  pk_builder *b = read_text(text, NULL);
  assert_int_equal(count_warnings(b, "fluid-dropped"), 1);
  assert_int_equal(count_warnings(b, "gravity-compensation-dropped"), 1);
  assert_int_equal(count_warnings(b, "condim-reduced"), 1);
  assert_int_equal(count_warnings(b, "sensor-dropped"), 1);
  pk_builder_destroy(b);
  pk_load_options strict = pk_load_options_default();
  strict.strict = true;
  pk_builder_create(&b, NULL);
  assert_int_equal(pk_builder_add_mjcf_memory(b, text, strlen(text), "t.xml", &strict, NULL),
                   PK_ERROR_UNSUPPORTED);
  assert_int_equal(b->nrobot, 0);
  pk_builder_destroy(b);
}

static void a_file_that_is_refused_leaves_gravity_alone(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  const char text[] =
      MJCF("<option gravity='1 2 3'/><worldbody><body name='b'><joint name='j'/>" MASS "</body></worldbody>"
           "<keyframe><key name='k' qpos='1 2 3'/></keyframe>");
  assert_int_equal(pk_builder_add_mjcf_memory(b, text, strlen(text), "t.xml", NULL, NULL), PK_ERROR_MODEL);
  assert_true(b->gravity[0] == 0 && b->gravity[2] == -9.81);
  pk_builder_destroy(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unknown_words_are_refused_with_the_nearest_one),
      cmocka_unit_test(wrong_counts_and_kinds_of_numbers_are_refused),
      cmocka_unit_test(names_are_unique_and_known),
      cmocka_unit_test(bodies_that_cannot_be_are_refused),
      cmocka_unit_test(what_is_not_simulated_is_named),
      cmocka_unit_test(warnings_have_kinds_and_are_errors_when_strict),
      cmocka_unit_test(a_file_that_is_refused_leaves_gravity_alone),
  };
  return cmocka_run_group_tests_name("model/mjcf_errors", tests, NULL, NULL);
}
