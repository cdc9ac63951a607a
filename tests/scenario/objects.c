/* Objects of scenarios: lattices, masses, velocities, and what is wrong with them. */
#include "scenario/wrong.h"
#include "support/bounds.h"

#include <math.h>

static const wrong cases[] = {
    {"duration: 1\nobjects: {}\n", 2, "objects", "objects is a mapping, expected a list"},
    {"duration: 1\nobjects:\n  - size: 1\n", 3, "objects.0",
     "the key \"shape\" is missing: a word, what it is (pronk list shapes)"},
    {"duration: 1\nobjects:\n  - shape: ball\n", 3, "objects.0.shape",
     "shape is \"ball\", expected one of sphere, box, cylinder, capsule, mesh, ellipsoid, cone, convex"},
    {"duration: 1\nobjects:\n  - shape: plane\n", 3, "objects.0.shape",
     "shape is \"plane\", expected one of sphere, box, cylinder, capsule, mesh, ellipsoid, cone, convex"},
    {"duration: 1\nobjects:\n  - shape: box\n", 3, "objects.0",
     "the key \"size\" is missing: its lengths along x, y, z, m"},
    {"duration: 1\nobjects:\n  - shape: sphere\n", 3, "objects.0",
     "the key \"size\" is missing: its radius, m"},
    {"duration: 1\nobjects:\n  - {shape: box, size: [1, 1]}\n", 3, "objects.0.size",
     "size has 2 numbers, expected 3: its lengths along x, y, z, m"},
    {"duration: 1\nobjects:\n  - {shape: box, size: 1}\n", 3, "objects.0.size",
     "size has 1 number, expected 3: its lengths along x, y, z, m"},
    {"duration: 1\nobjects:\n  - {shape: cone, size: [1, -2]}\n", 3, "objects.0.size.1",
     "size is -2 m, expected 1e-06 to 1e+06"},
    {"duration: 1\nobjects:\n  - {shape: sphere, size: big}\n", 3, "objects.0.size",
     "size is \"big\", expected a number"},
    {"duration: 1\nobjects:\n  - {shape: mesh}\n", 3, "objects.0",
     "a mesh needs a file: a path from the scenario's folder"},
    {"duration: 1\nobjects:\n  - {shape: mesh, file: a.stl, size: 1}\n", 3, "objects.0.size",
     "a mesh has no size; scale says how large it is"},
    {"duration: 1\nobjects:\n  - {shape: sphere, size: 1, file: a.stl}\n", 3, "objects.0.file",
     "a sphere has no file; shapes mesh and convex have one"},
    {"duration: 1\nobjects:\n  - {shape: sphere, size: 1, count: [1, 2.5, 1], spacing: [1, 1, 1]}\n", 3,
     "objects.0.count", "count is 2.5 along y, expected a whole number"},
    {"duration: 1\nobjects:\n  - {shape: sphere, size: 1, count: [1, 1, 2]}\n", 3, "objects.0",
     "2 objects along z need a spacing there: spacing: [x, y, z], m"},
    {"duration: 1\nobjects:\n  - {shape: sphere, size: 1, count: [100, 100, 100], spacing: [1, 1, 1]}\n", 3,
     "objects.0.count", "1000000 objects, expected 20000 at most"},
    {"duration: 1\nobjects:\n  - {shape: sphere, size: 1, mass: 0}\n", 3, "objects.0.mass",
     "mass is 0, expected 1e-09 to 1e+09 kg (spread evenly over its volume)"},
};

static void wrong_objects_are_refused_by_name(void **state)
{
  (void)state;
  refuse_scenarios(cases, sizeof cases / sizeof cases[0]);
}

static void world_of(const char *text, pki_scenario **s, pki_world *w)
{
  pk_error err = {0};
  if (pki_scenario_parse("test.yaml", text, strlen(text), NULL, 0, s, &err) != PK_OK ||
      pki_world_create(*s, w, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
}

static void a_lattice_stands_on_its_position(void **state)
{
  (void)state;
  pki_scenario *s = NULL;
  pki_world w;
  world_of("duration: 1\nobjects:\n  - {name: b, shape: box, size: [2, 4, 6], mass: 12, position: [1, 2, 3],"
           " count: [3, 2, 2], spacing: [10, 20, 30], velocity: [1, 2, 3], rpy: [0, 0, 1.5707963267948966],"
           " spin: [0.5, 0, 0]}\n  - {shape: sphere, size: 0.5}\n",
           &s, &w);
  const pk_model *m = w.model;
  assert_int_equal(m->nrobot, 13);
  assert_string_equal(m->links[0].name, "b_0");
  assert_string_equal(m->links[11].name, "b_11");
  assert_string_equal(m->links[12].name, "sphere1");
  const double *q = pk_sim_q(w.sim), *u = pk_sim_u(w.sim);
  const double first[3] = {1 - 10, 2 - 10, 3}, last[3] = {1 + 10, 2 + 10, 33};
  for (int k = 0; k < 3; k++) {
    assert_float_equal(q[m->robots[0].q + k], first[k], 1e-12);
    assert_float_equal(q[m->robots[11].q + k], last[k], 1e-12);
    assert_float_equal(u[m->robots[5].u + k], 1 + k, 1e-12);
  }
  /* world x is minus y of a box that is turned by a quarter about z */
  assert_float_equal(u[m->robots[5].u + 3], 0, 1e-12);
  assert_float_equal(u[m->robots[5].u + 4], -0.5, 1e-12);
  /* m/12 (b^2 + c^2) */
  assert_float_equal(m->links[3].inertia.moment[0], 16 + 36, 1e-9);
  assert_float_equal(m->links[3].inertia.moment[3], 4 + 36, 1e-9);
  assert_float_equal(m->links[3].inertia.moment[5], 4 + 16, 1e-9);
  assert_float_equal(m->links[12].inertia.moment[0], 0.4 * 0.25, 1e-9);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

static void jitter_and_tumble_follow_the_seed(void **state)
{
  (void)state;
  static const char text[] =
      "duration: 1\nseed: %d\nobjects:\n  - {shape: box, size: [1, 1, 1], count: [2, 1, 1],"
      " spacing: [3, 0, 0], jitter: 0.25, tumble: true}\n";
  double q[3][14];
  for (int k = 0; k < 3; k++) {
    char with[400];
    pki_scenario *s = NULL;
    pki_world w;
    snprintf(with, sizeof with, text, k / 2);
    world_of(with, &s, &w);
    memcpy(q[k], pk_sim_q(w.sim), sizeof q[k]);
    for (int i = 0; i < 2; i++) {
      assert_at_most(fabs(q[k][7 * i] - (3 * i - 1.5)), 0.25);
      assert_at_most(fabs(q[k][7 * i + 2]), 0.25);
    }
    assert_true(memcmp(q[k] + 3, q[k] + 10, 4 * sizeof(double)) != 0);
    pki_world_free(&w);
    pki_scenario_destroy(s);
  }
  assert_memory_equal(q[0], q[1], sizeof q[0]);
  assert_true(memcmp(q[0], q[2], sizeof q[0]) != 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_objects_are_refused_by_name),
      cmocka_unit_test(a_lattice_stands_on_its_position),
      cmocka_unit_test(jitter_and_tumble_follow_the_seed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
