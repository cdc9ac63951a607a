/* MJCF made to hurt: an error, or a load, in bounded time and memory (the test's timeout). */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <unistd.h>

#include "model/mjcf_help.h"

/* A text of `count` times `part` between two others. */
static char *repeat(const char *before, const char *part, int count, const char *after)
{
  const size_t length = strlen(part);
  char *text = malloc(strlen(before) + length * (size_t)count + strlen(after) + 1);
  assert_non_null(text);
  char *at = text + sprintf(text, "%s", before);
  for (int i = 0; i < count; i++, at += length) {
    memcpy(at, part, length);
  }
  strcpy(at, after);
  return text;
}

static void deep_trees_end_at_a_limit(void **state)
{
  (void)state;
  char *inner = repeat("<mujoco><worldbody>", "<body>", 5000, "</worldbody></mujoco>");
  assert_refused(inner, PK_ERROR_LIMIT, 1, "nested more than 400 deep");
  free(inner);
}

static void copies_of_copies_end_at_a_limit(void **state)
{
  (void)state;
  assert_refused(WORLD("<replicate count='1000'><replicate count='1000'><replicate count='1000'>"
                       "<geom size='.1'/></replicate></replicate></replicate>"),
                 PK_ERROR_LIMIT, 3, "elements, copies included");
  assert_refused(WORLD("<replicate count='1000000000'/>"), PK_ERROR_LIMIT, 3, "count is 1000000000");
}

static void many_errors_are_bounded(void **state)
{
  (void)state;
  char *text = repeat("<mujoco><worldbody>", "<geom sise='1'/>", 50000, "</worldbody></mujoco>");
  assert_refused(text, PK_ERROR_SYNTAX, 1, "did you mean");
  free(text);
}

static void many_geoms_and_bodies_are_read_in_time(void **state)
{
  (void)state;
  char *text =
      repeat("<mujoco><worldbody>", "<body><joint/><geom size='.1'/></body>", 9000, "</worldbody></mujoco>");
  pk_builder *b = read_text(text, NULL);
  assert_int_equal(b->nrobot, 9000);
  pk_builder_destroy(b);
  free(text);
}

/* A file that includes itself, and one outside the folder. */
static void includes_end_and_stay_inside(void **state)
{
  (void)state;
  char folder[] = "/tmp/mjcf_includeXXXXXX", path[200];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/self.xml", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("<mujoco><include file='self.xml'/></mujoco>", file);
  fclose(file);
  pk_builder *b;
  pk_error err;
  pk_builder_create(&b, NULL);
  assert_int_equal(pk_builder_add_mjcf(b, path, NULL, &err), PK_ERROR_MODEL);
  assert_non_null(strstr(err.message, "included twice"));
  file = fopen(path, "w");
  assert_non_null(file);
  fputs("<mujoco><include file='/etc/passwd'/></mujoco>", file);
  fclose(file);
  assert_int_equal(pk_builder_add_mjcf(b, path, NULL, &err), PK_ERROR_FILE);
  pk_builder_destroy(b);
  unlink(path);
  rmdir(folder);
}

static void pieces_of_a_file_never_crash(void **state)
{
  (void)state;
  const char *text =
      MJCF("<default><geom size='.1'/></default><worldbody><body name='b'><freejoint/><geom/>"
           "<frame pos='1 2 3'><site name='s'/></frame></body></worldbody>"
           "<sensor><gyro site='s'/></sensor><keyframe><key qpos='1 2 3 1 0 0 0'/></keyframe>");
  for (size_t size = 0; size < strlen(text); size++) {
    pk_builder *b;
    pk_builder_create(&b, NULL);
    assert_int_not_equal(pk_builder_add_mjcf_memory(b, text, size, "t.xml", NULL, NULL), PK_OK);
    pk_builder_destroy(b);
  }
}

/* Fixed joints have names that are made up, which a file cannot mean. */
static void made_up_joints_cannot_be_referred_to(void **state)
{
  (void)state;
#define HANGS "<worldbody><body name='a'><joint/>" MASS "<body name='b'>" MASS "</body></body></worldbody>\n"
  assert_refused(MJCF(HANGS "<equality><joint joint1='b_fixed'/></equality>"), PK_ERROR_NAME, 3,
                 "there is no joint \"b_fixed\"");
  assert_refused(MJCF(HANGS "<equality><joint joint1='a_joint' joint2='b_fixed'/></equality>"), PK_ERROR_NAME,
                 3, "there is no joint \"b_fixed\"");
}

/* Two bodies whose links between their joints would have one name. */
static void made_up_links_have_names_of_their_own(void **state)
{
  (void)state;
  pk_model *model = load_text(WORLD("<body name='a'><joint name='b:c'/><joint name='d' axis='0 1 0'/>" MASS
                                    "<body name='a:b'><joint name='c'/><joint name='e' axis='0 1 0'/>" MASS
                                    "</body></body>"));
  assert_int_equal(model->nu, 4);
  pk_model_destroy(model);
}

/* Few bytes must not ask for much memory. */
static void keyframes_are_bounded_together(void **state)
{
  (void)state;
  char *bodies =
      repeat("<mujoco><worldbody>", "<body><freejoint/>" MASS "</body>", 1000, "</worldbody>\n<keyframe>");
  char *text = repeat(bodies, "<key/>", 3000, "</keyframe></mujoco>");
  assert_refused(text, PK_ERROR_LIMIT, 2, "all keyframes together have more than 10000000 numbers");
  free(bodies), free(text);
}

static void height_fields_without_heights_are_bounded(void **state)
{
  (void)state;
#define FIELD(rows) "<asset><hfield name='h' nrow='" rows "' ncol='" rows "' size='1 1 1 1'/></asset>\n"
  assert_refused(MJCF(FIELD("4000") "<worldbody><geom type='hfield' hfield='h'/></worldbody>"),
                 PK_ERROR_LIMIT, 2, "4000 by 4000 heights without a file or elevation");
  char *text = repeat("<mujoco>" FIELD("1000") "<worldbody>", "<geom type='hfield' hfield='h'/>", 26,
                      "</worldbody></mujoco>");
  assert_refused(text, PK_ERROR_LIMIT, 2, "of all geoms together have more than 25000000 heights");
  free(text);
}

/* The mass that such a spring is relative to needs the inverse of a matrix. */
static void springs_in_large_trees_are_refused(void **state)
{
  (void)state;
  char *text =
      repeat("<mujoco><worldbody><body name='t'><freejoint/>" MASS "\n",
             "<body><joint springdamper='1 1'/>" MASS "</body>", 495, "</body></worldbody></mujoco>");
  assert_refused(text, PK_ERROR_LIMIT, 2, "springdamper in a tree of 501 velocities, expected at most 500");
  free(text);
}

static void many_defaults_are_merged_in_time(void **state)
{
  (void)state;
  char *class =
      repeat("<mujoco><default>", "<site size='.1'/>", 20000, "<site size='.3'/></default><worldbody>");
  char *text = repeat(class, "<site/>", 20000, "</worldbody></mujoco>");
  pk_builder *b = read_text(text, NULL);
  assert_close(b->equipment.sites[0].desc.size[0], 0.3);
  pk_builder_destroy(b);
  free(class), free(text);
  text = repeat("<mujoco>\n", "<default/>", 201, "</mujoco>");
  assert_refused(text, PK_ERROR_LIMIT, 2, "more than 200 <default>");
  free(text);
  text = repeat("<mujoco>\n<default>", "<motor/>", 101, "</default></mujoco>");
  assert_refused(text, PK_ERROR_LIMIT, 2, "more than 100 actuators");
  free(text);
}

/* Of several elements of a class the last counts, number by number. */
static void repeated_defaults_fill_each_other_up(void **state)
{
  (void)state;
  pk_builder *b = read_text(MJCF("<default><site type='box' size='1 2 3'/><site size='4'/></default>"
                                 "<worldbody><site/></worldbody>"),
                            NULL);
  assert_close(b->equipment.sites[0].desc.size[0], 8);
  assert_close(b->equipment.sites[0].desc.size[2], 6);
  pk_builder_destroy(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(deep_trees_end_at_a_limit),
      cmocka_unit_test(copies_of_copies_end_at_a_limit),
      cmocka_unit_test(many_errors_are_bounded),
      cmocka_unit_test(many_geoms_and_bodies_are_read_in_time),
      cmocka_unit_test(includes_end_and_stay_inside),
      cmocka_unit_test(made_up_joints_cannot_be_referred_to),
      cmocka_unit_test(made_up_links_have_names_of_their_own),
      cmocka_unit_test(keyframes_are_bounded_together),
      cmocka_unit_test(height_fields_without_heights_are_bounded),
      cmocka_unit_test(springs_in_large_trees_are_refused),
      cmocka_unit_test(many_defaults_are_merged_in_time),
      cmocka_unit_test(repeated_defaults_fill_each_other_up),
      cmocka_unit_test(pieces_of_a_file_never_crash),
  };
  return cmocka_run_group_tests_name("model/mjcf_hostile", tests, NULL, NULL);
}
