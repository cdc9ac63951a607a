/* One scene by each narrow method: blocks and a hull of meshes fall on blocks, and lie where they lie by gjk. */
#include "scenario/help.h"

#include <math.h>

#include "pronk/collision.h"
#include "support/bounds.h"

static const char scene[] =
    "duration: 1\n"
    "objects:\n"
    "  - {name: base, shape: box, size: [0.5, 0.5, 0.1], mass: 20, position: [0, 0, 0.05]}\n"
    "  - {name: brick, shape: box, size: [0.3, 0.2, 0.1], mass: 2, position: [0, 0.02, 0.16]}\n"
    "  - {name: beam, shape: box, size: [0.1, 0.5, 0.05], mass: 1, position: [0.02, 0, 0.24]}\n"
    "terrain: [{shape: box, size: [2, 2, 0.2], position: [0, 0, -0.1]}]\n"
    "step: {dt: 2.5e-3}\n";

enum { OBJECTS = 3 };

/* Origins of the objects in the end; every step is certified. */
static void run_scene(const char *method, double out[OBJECTS][3])
{
  char set[64];
  snprintf(set, sizeof set, "step.narrow=%s", method);
  pki_scenario *s = good_scenario(scene, set);
  pki_world w = good_world(s);
  for (int k = 0; k < 400; k++) {
    pk_step_info info;
    if (pk_sim_step(w.sim, &info) != PK_OK) {
      fail_msg("%s stops in step %d", method, k);
    }
    assert_true(info.certified);
  }
  for (int i = 0; i < OBJECTS; i++) {
    memcpy(out[i], pk_sim_q(w.sim) + 7 * i, 3 * sizeof(double));
  }
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

static void every_method_lays_objects_where_gjk_does(void **state)
{
  (void)state;
  static const struct {
    const char *method;
    double
        bound; /* m; corners lie over the inside of faces, where grids are exact but for their single precision */
  } cases[] = {{"auto", 1e-7}, {"features", 1e-7}, {"trees", 1e-7}, {"volumes", 1e-4}};
  double by_gjk[OBJECTS][3], found[OBJECTS][3];
  run_scene("gjk", by_gjk);
  assert_near(by_gjk[0][2], 0.05, 1e-6);
  assert_near(by_gjk[1][2], 0.15, 1e-6);
  assert_near(by_gjk[2][2], 0.225, 1e-6);
  for (int c = 0; c < 4; c++) {
    double worst = 0;
    run_scene(cases[c].method, found);
    for (int i = 0; i < OBJECTS; i++) {
      for (int k = 0; k < 3; k++) {
        worst = fmax(worst, fabs(found[i][k] - by_gjk[i][k]));
      }
    }
    print_message("%s: %.1e m beside gjk\n", cases[c].method, worst);
    assert_less(worst, cases[c].bound);
  }
}

/* Grids of the ground and of shapes go with them when the ground is changed. */
static void the_ground_can_be_changed_under_volumes(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario(scene, "step.narrow=volumes");
  pki_world w = good_world(s);
  pk_error err;
  for (int round = 0; round < 3; round++) {
    assert_int_equal(pk_sim_set_terrain(w.sim, round == 1 ? NULL : s->terrain, NULL, 0, &err), PK_OK);
  }
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_lays_objects_where_gjk_does),
      cmocka_unit_test(the_ground_can_be_changed_under_volumes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
