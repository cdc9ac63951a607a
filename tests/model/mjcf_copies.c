/* MJCF in several files, and what is attached and replicated: by whom it is found, how deep, in what time. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <unistd.h>

#include "model/mjcf_help.h"

/* A file of a model: its name, its text. */
typedef struct part {
  const char *name, *text;
} part;

/* Read the first of `count` files that lie in one folder. */
static pk_builder *read_parts(int count, const part *parts, pk_status *status, pk_error *err)
{
  char folder[] = "/tmp/mjcf_copiesXXXXXX", path[300];
  assert_non_null(mkdtemp(folder));
  for (int i = count - 1; i >= 0; i--) {
    snprintf(path, sizeof path, "%s/%s", folder, parts[i].name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(parts[i].text, file);
    fclose(file);
  }
  pk_builder *b;
  pk_builder_create(&b, NULL);
  *status = pk_builder_add_mjcf(b, path, NULL, err);
  for (int i = 0; i < count; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, parts[i].name);
    unlink(path);
  }
  rmdir(folder);
  return b;
}

static pk_builder *read_good_parts(int count, const part *parts)
{
  pk_status status;
  pk_error err = {0};
  pk_builder *b = read_parts(count, parts, &status, &err);
  if (status != PK_OK) {
    fail_msg("%s:%d: %s: %s", err.file, err.line, err.field, err.message);
  }
  return b;
}

static void assert_parts_refused(int count, const part *parts, pk_status expected, const char *message)
{
  pk_status status;
  pk_error err = {0};
  pk_builder *b = read_parts(count, parts, &status, &err);
  if (status != expected || strstr(err.message, message) == NULL) {
    fail_msg("status %d, line %d: %s", status, err.line, err.message);
  }
  pk_builder_destroy(b);
}

static char *repeat(const char *before, const char *text, int count, const char *after)
{
  const size_t length = strlen(text);
  char *out = malloc(strlen(before) + length * (size_t)count + strlen(after) + 1);
  assert_non_null(out);
  char *at = out + sprintf(out, "%s", before);
  for (int i = 0; i < count; i++, at += length) {
    memcpy(at, text, length);
  }
  strcpy(at, after);
  return out;
}

/* The motors of an attached file follow the copies that the file makes. */
static void attached_files_replicate_their_own_references(void **state)
{
  (void)state;
  const part parts[] = {{"robot.xml",
                         "<mujoco><asset><model name='leg' file='leg.xml'/></asset><worldbody>"
                         "<body name='trunk'><freejoint/>" MASS
                         "<attach model='leg' body='hip' prefix='l_'/></body></worldbody></mujoco>"},
                        {"leg.xml", "<mujoco><worldbody><body name='hip'><joint name='h'/>" MASS
                                    "<replicate count='2'><body name='toe'><joint name='t'/>" MASS
                                    "</body></replicate></body></worldbody>"
                                    "<actuator><motor name='m' joint='t'/></actuator></mujoco>"}};
  pk_builder *b = read_good_parts(2, parts);
  assert_int_equal(b->equipment.nactuator, 2);
  assert_string_equal(b->equipment.actuators[0].desc.joint, "l_t0");
  assert_string_equal(b->equipment.actuators[1].desc.joint, "l_t1");
  pk_builder_destroy(b);
}

/* A robot of legs of feet: each file has its own angles, classes and models; every copy has the prefixes of both. */
static void attached_files_attach_others(void **state)
{
  (void)state;
  const part parts[] = {
      {"robot.xml",
       "<mujoco><default><joint damping='1'/></default><asset><model name='part' file='leg.xml'/></asset>"
       "<worldbody><body name='trunk'><freejoint/>" MASS
       "<attach model='part' body='hip' prefix='l_'/><attach model='part' body='hip' prefix='r_'/>"
       "</body></worldbody></mujoco>"},
      {"leg.xml", "<mujoco><asset><model name='part' file='foot.xml'/></asset>"
                  "<worldbody><body name='hip'><joint name='h' ref='90'/>" MASS
                  "<attach model='part' prefix='f_'/></body></worldbody></mujoco>"},
      {"foot.xml", "<mujoco><compiler angle='radian'/><default><joint damping='4'/></default>"
                   "<worldbody><body name='foot'><joint name='a' ref='.5'/>" MASS
                   "</body></worldbody><actuator><motor name='m' joint='a'/></actuator></mujoco>"}};
  pk_builder *b = read_good_parts(3, parts);
  assert_close(joint_of(b, "r_f_a")->ref, 0.5);
  assert_close(joint_of(b, "l_f_a")->damping, 4);
  assert_near(joint_of(b, "l_h")->ref, 1.5707963267948966, 1e-12);
  assert_close(joint_of(b, "l_h")->damping, 0); /* its file has no classes, and not those of the robot */
  assert_int_equal(b->equipment.nactuator, 2);
  assert_string_equal(b->equipment.actuators[0].desc.joint, "l_f_a");
  assert_string_equal(b->equipment.actuators[1].desc.name, "r_f_m");
  pk_builder_destroy(b);
}

/* What is attached inside <replicate> is copied with its motors. */
static void attached_parts_are_replicated_with_their_motors(void **state)
{
  (void)state;
  const part parts[] = {
      {"robot.xml", "<mujoco><asset><model name='leg' file='leg.xml'/></asset><worldbody>"
                    "<body name='trunk'><freejoint/>" MASS
                    "<replicate count='1'><site name='s'/></replicate><replicate count='3'>"
                    "<attach model='leg' prefix='l_'/></replicate></body></worldbody></mujoco>"},
      {"leg.xml", "<mujoco><worldbody><body name='hip'><joint name='h'/>" MASS
                  "</body></worldbody><actuator><motor name='m' joint='h'/></actuator></mujoco>"}};
  pk_builder *b = read_good_parts(2, parts);
  assert_int_equal(b->equipment.nactuator, 3);
  assert_string_equal(b->equipment.actuators[2].desc.joint, "l_h2");
  pk_builder_destroy(b);
}

static void long_separators_are_kept_or_refused(void **state)
{
  (void)state;
#define TWENTY "____________________"
  pk_builder *b = read_text(WORLD("<replicate count='2' sep='" TWENTY
                                  "'><body name='b'><joint name='j'/>" MASS "</body></replicate>"),
                            NULL);
  joint_of(b, "j" TWENTY "1");
  pk_builder_destroy(b);
  assert_refused(WORLD("<replicate count='2' sep='" TWENTY TWENTY TWENTY TWENTY TWENTY
                       "_'><body><joint/>" MASS "</body></replicate>"),
                 PK_ERROR_LIMIT, 3, "sep has 101 bytes");
}

enum { HALF_DEPTH = 220 };

/* `middle` inside so many bodies. */
static char *nest(const char *before, const char *middle, const char *after)
{
  char *inside = repeat(before, "<body>", HALF_DEPTH, middle),
       *whole = repeat(inside, "</body>", HALF_DEPTH, after);
  free(inside);
  return whole;
}

/* Each file keeps to the limit, both together do not. */
static void assert_too_deep(char *all, char *more)
{
  const part parts[] = {{"all.xml", all}, {"more.xml", more}};
  assert_parts_refused(2, parts, PK_ERROR_LIMIT, "nested more than 400 deep");
  free(all), free(more);
}

static void depth_counts_over_all_files(void **state)
{
  (void)state;
  assert_too_deep(nest("<mujoco><worldbody>", "<include file='more.xml'/>", "</worldbody></mujoco>"),
                  nest("<mujoco>", "", "</mujoco>"));
}

static void depth_counts_what_is_attached(void **state)
{
  (void)state;
  assert_too_deep(nest("<mujoco><asset><model name='m' file='more.xml'/></asset><worldbody>",
                       "<attach model='m' prefix='p_'/>", "</worldbody></mujoco>"),
                  nest("<mujoco><worldbody>", "", "</worldbody></mujoco>"));
}

/* Many copies beside many references; the test's timeout tells. */
static void many_copies_are_made_in_time(void **state)
{
  (void)state;
  char *bodies = repeat("<mujoco><worldbody><body name='b'><joint name='j'/>" MASS,
                        "<replicate count='1'><site/></replicate>", 60000, "</body></worldbody><actuator>");
  char *text = repeat(bodies, "<motor joint='j'/>", 60000, "</actuator></mujoco>");
  pk_builder *b = read_text(text, NULL);
  assert_int_equal(b->equipment.nactuator, 60000);
  pk_builder_destroy(b);
  free(bodies), free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attached_files_replicate_their_own_references),
      cmocka_unit_test(attached_files_attach_others),
      cmocka_unit_test(attached_parts_are_replicated_with_their_motors),
      cmocka_unit_test(long_separators_are_kept_or_refused),
      cmocka_unit_test(depth_counts_over_all_files),
      cmocka_unit_test(depth_counts_what_is_attached),
      cmocka_unit_test(many_copies_are_made_in_time),
  };
  return cmocka_run_group_tests_name("model/mjcf_copies", tests, NULL, NULL);
}
