/* Which links of a scenario collide. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "scenario/help.h"

#include <math.h>
#include <stdio.h>

#include "pronk/collision.h"
#include "step/world.h"
#include "support/bounds.h"

/* Whether shapes of two links collide. */
static bool collide(const pki_world *w, const char *a, const char *b)
{
  const pki_colliders *c = &w->sim->scene.colliders;
  const int first = pk_model_find_link(w->model, a), second = pk_model_find_link(w->model, b);
  assert_at_least(first, 0);
  assert_at_least(second, 0);
  for (int i = 0; i < c->nshape; i++) {
    for (int j = 0; j < c->nshape; j++) {
      if (c->of[i].link == first && c->of[j].link == second) {
        return pki_colliders_want(c, i, j);
      }
    }
  }
  fail_msg("%s or %s has no shape", a, b);
  return false;
}

static void links_collide_as_the_scenario_says(void **state)
{
  (void)state;
  const char text[] =
      "duration: 1\n"
      "models:\n"
      "  - {model: starleth, prefix: a_, position: [0, 0, 1]}\n"
      "  - {model: starleth, prefix: b_, position: [0, 2, 1]}\n"
      "collide:\n"
      "  ignore: [[a_LF_FOOT, a_RF_FOOT], [\"b_*_FOOT\", \"b_*_FOOT\"], [\"a_*\", b_LF_FOOT]]\n"
      "  force: [[a_LF_SHANK, a_LF_THIGH], [b_LF_FOOT, b_RF_FOOT]]\n";
  pki_scenario *s = good_scenario(text, NULL);
  pki_world w = good_world(s);
  assert_false(collide(&w, "a_LF_FOOT", "a_RF_FOOT"));
  assert_true(collide(&w, "a_LF_FOOT", "a_LH_FOOT"));
  assert_false(collide(&w, "b_LH_FOOT", "b_RH_FOOT"));
  assert_true(collide(&w, "b_LF_FOOT", "b_RF_FOOT")); /* force comes last */
  assert_true(collide(&w, "a_LF_SHANK", "a_LF_THIGH"));
  assert_false(collide(&w, "b_LF_SHANK", "b_LF_THIGH"));
  assert_false(collide(&w, "a_RH_SHANK", "b_LF_FOOT"));
  assert_true(collide(&w, "a_RH_SHANK", "b_RF_FOOT"));
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

static void self_collision_is_an_option_of_the_step(void **state)
{
  (void)state;
  pki_scenario *s =
      good_scenario("duration: 1\nmodel: starleth\nstep: {self_collision: false, broad: tree}\n", NULL);
  pki_world w = good_world(s);
  assert_false(collide(&w, "LF_FOOT", "RF_FOOT"));
  assert_int_equal(w.sim->scene.colliders.broad.kind, PK_BROAD_PHASE_TREE);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

static void srdf_files_speak_of_their_own_robot(void **state)
{
  (void)state;
  const char path[] = PK_BUILD_DIR "/scenario_collide.srdf";
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs("<robot name='starleth'><disable_collisions link1='LF_FOOT' link2='RF_FOOT'/></robot>\n", f);
  fclose(f);
  pki_scenario *s = good_scenario("duration: 1\n"
                                  "models:\n"
                                  "  - {model: starleth, prefix: a_, position: [0, 0, 1], srdf: " PK_BUILD_DIR
                                  "/scenario_collide.srdf}\n"
                                  "  - {model: starleth, prefix: b_, position: [0, 2, 1]}\n",
                                  NULL);
  pki_world w = good_world(s);
  assert_false(collide(&w, "a_LF_FOOT", "a_RF_FOOT"));
  assert_true(collide(&w, "b_LF_FOOT", "b_RF_FOOT"));
  pki_world_free(&w);
  pki_scenario_destroy(s);
  remove(path);
}

static void links_that_overlap_in_the_start_pose_are_told(void **state)
{
  (void)state;
  /* legs that are folded inwards cross each other */
  const char text[] = "duration: 1\n"
                      "model:\n"
                      "  model: starleth\n"
                      "  position: [0, 0, 1]\n"
                      "  joints: {LF_HAA: -0.8, RF_HAA: 0.8}\n"
                      "step: {joint_limits: false}\n";
  pki_scenario *s = good_scenario(text, NULL);
  pki_world w = good_world(s);
  pki_problems warnings = {0};
  pki_world_check_overlaps(&w, &warnings);
  assert_greater(warnings.count, 0);
  for (int i = 0; i < warnings.count; i++) {
    const char *message = warnings.errors[i].message;
    if (strncmp(message, "the links ", 10) != 0 ||
        strstr(message, " mm in the start pose: they do not collide; move them apart, or name them under "
                        "collide.ignore") == NULL) {
      fail_msg("%s", message);
    }
  }
  pk_sim_overlap_pair pair;
  assert_int_equal(pk_sim_release_overlaps(w.sim, &pair, 1), warnings.count);
  assert_false(collide(&w, w.model->links[pair.link[0]].name, w.model->links[pair.link[1]].name));
  pki_problems_free(&warnings);
  pki_world_free(&w);
  pki_scenario_destroy(s);

  /* the usual stance has none */
  s = good_scenario("duration: 1\nmodel: starleth\n", NULL);
  w = good_world(s);
  pki_world_check_overlaps(&w, &warnings);
  assert_int_equal(warnings.count, 0);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* A world of a batch and the same one alone have one set of pairs: what overlaps in the pose as it is written. */
static void a_varied_pose_releases_nothing(void **state)
{
  (void)state;
  const char text[] = "duration: 1\n"
                      "model: {model: starleth, position: [0, 0, 1]}\n"
                      "step: {joint_limits: false}\n"
                      "vary:\n"
                      "  - {what: joint, joints: LF_HAA, from: -0.81, to: -0.8}\n"
                      "  - {what: joint, joints: RF_HAA, from: 0.8, to: 0.81}\n";
  pki_scenario *s = good_scenario(text, "world=3");
  pki_world w = good_world(s);
  pki_problems warnings = {0};
  pki_world_check_overlaps(&w, &warnings);
  assert_int_equal(warnings.count, 0);
  pk_sim_overlap_pair pair;
  assert_true(collide(&w, "LF_SHANK", "RF_SHANK"));
  assert_greater(pk_sim_release_overlaps(w.sim, &pair, 1), 0); /* though they do overlap */
  pki_problems_free(&warnings);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(links_collide_as_the_scenario_says),
      cmocka_unit_test(self_collision_is_an_option_of_the_step),
      cmocka_unit_test(srdf_files_speak_of_their_own_robot),
      cmocka_unit_test(links_that_overlap_in_the_start_pose_are_told),
      cmocka_unit_test(a_varied_pose_releases_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
