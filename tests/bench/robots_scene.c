/* The scenes of `pronk bench robots`: where they start, and what they become. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bench/contact_pronk.h"
#include "bench/robots_scene.h"
#include "pronk/collision.h"
#include "support/bounds.h"

enum { STARTS = 12 };

static void create_scene(pki_robots_scene *s, const pki_robots_work *work)
{
  pk_error err = {0};
  if (pki_robots_scene_create(s, work, &err) != PK_OK) {
    fail_msg("%s: %s", work->name, err.message);
  }
}

/* The lowest point by the formulae of shapes is where the world's own collision finds the ground. */
static void assert_clear(const pki_robots_scene *s, const pki_crowd *crowd, int k)
{
  const size_t nq = (size_t)s->scene.model->nq;
  const pk_sim_options o = pk_sim_options_default();
  pk_terrain *ground;
  pk_sim *sim;
  assert_int_equal(pki_contact_sim_create(&s->scene, &o, &ground, &sim, NULL), PK_OK);
  memcpy(pk_sim_q(sim), crowd->q + (size_t)k * nq, nq * sizeof *crowd->q);
  assert_int_equal(pk_sim_release_overlaps(sim, NULL, 0), 0);
  pk_workspace *workspace;
  pk_workspace_create(s->scene.model, &workspace, NULL);
  assert_non_null(workspace);
  if (!(pki_robots_lowest(workspace, crowd->q + (size_t)k * nq) > -1e-9)) {
    fail_msg("%s starts in the ground", s->work->name);
  }
  pk_workspace_destroy(workspace);
  pk_sim_destroy(sim);
  pk_terrain_destroy(ground);
}

static void no_start_has_links_in_each_other_or_in_the_ground(void **state)
{
  (void)state;
  int count;
  const pki_robots_work *works = pki_robots_works(&count);
  for (int w = 0; w < count; w++) {
    pki_robots_scene s;
    pki_crowd crowd;
    if (works[w].size > 10 || works[w].motion == PKI_ROBOTS_TROT || works[w].motion == PKI_ROBOTS_WALK) {
      continue; /* trots and walks start on the ground */
    }
    create_scene(&s, &works[w]);
    assert_int_equal(pki_robots_start(&s, STARTS, 1, &crowd, NULL), PK_OK);
    for (int k = 0; k < crowd.n; k++) {
      assert_clear(&s, &crowd, k);
    }
    pki_crowd_destroy(&crowd);
    pki_robots_scene_destroy(&s);
  }
}

static void a_seed_gives_the_same_starts_and_another_one_others(void **state)
{
  (void)state;
  int count;
  const pki_robots_work *works = pki_robots_works(&count);
  pki_robots_scene s;
  pki_crowd crowds[3];
  create_scene(&s, &works[2]); /* a fall */
  for (int k = 0; k < 3; k++) {
    assert_int_equal(pki_robots_start(&s, STARTS, k < 2 ? 1 : 2, &crowds[k], NULL), PK_OK);
  }
  const size_t bytes = STARTS * (size_t)s.model->nq * sizeof(double);
  assert_memory_equal(crowds[0].q, crowds[1].q, bytes);
  assert_memory_not_equal(crowds[0].q, crowds[2].q, bytes);
  for (int k = 0; k < 3; k++) {
    pki_crowd_destroy(&crowds[k]);
  }
  pki_robots_scene_destroy(&s);
}

/* Height of the base after a life, over that in the stance; every step certified. */
static double height_after(const char *name)
{
  int count, w = 0;
  const pki_robots_work *works = pki_robots_works(&count);
  while (w < count && strcmp(works[w].name, name) != 0) {
    w++;
  }
  assert_less(w, count);
  pki_robots_scene s;
  pki_crowd crowd;
  pki_crowd_sim sim;
  create_scene(&s, &works[w]);
  assert_int_equal(pki_robots_start(&s, 1, 1, &crowd, NULL), PK_OK);
  crowd.tolerance = 1e-8;
  assert_int_equal(pki_crowd_sim_create(&sim, &crowd, (int)lround(s.life / s.scene.dt), NULL), PK_OK);
  pki_crowd_sim_watch(&sim);
  assert_int_equal(sim.status, PK_OK);
  assert_int_equal(sim.info.stepped, sim.steps);
  assert_int_equal(sim.info.uncertified, 0);
  const double height = pk_sim_q(sim.sim)[2] / s.scene.q[2];
  pki_crowd_sim_destroy(&sim);
  pki_crowd_destroy(&crowd);
  pki_robots_scene_destroy(&s);
  return height;
}

static void who_stands_and_trots_is_up_and_who_falls_and_lies_is_down(void **state)
{
  (void)state;
  static const char *const robots[] = {"starleth", "anymal_b", "boxdog", "coman"};
  for (int r = 0; r < 4; r++) {
    static const char *const motions[] = {"stand", "trot", "hold", "fall", "lie"};
    for (int k = 0; k < 5; k++) {
      char name[64];
      if (k == 1 && r == 3) {
        continue; /* a humanoid does not trot */
      }
      snprintf(name, sizeof name, "%s %s", motions[k], robots[r]);
      const double height = height_after(name);
      print_message("%s: %.2f of the height\n", name, height);
      assert_true(k < 2 ? height > 0.9 && height < 1.05 : k < 3 ? height > 0.3 : height < 0.8);
    }
  }
}

static void who_walks_is_up_at_the_end_of_its_life(void **state)
{
  (void)state;
  const double height = height_after("walk coman");
  print_message("walk coman: %.2f of the height\n", height);
  assert_greater(height, 0.9);
  assert_less(height, 1.05);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_start_has_links_in_each_other_or_in_the_ground),
      cmocka_unit_test(a_seed_gives_the_same_starts_and_another_one_others),
      cmocka_unit_test(who_stands_and_trots_is_up_and_who_falls_and_lies_is_down),
      cmocka_unit_test(who_walks_is_up_at_the_end_of_its_life),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
