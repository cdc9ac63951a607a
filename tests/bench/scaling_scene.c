/* The worlds of `pronk bench scaling`: what is in them, and that robots trot one after the other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/contact_pronk.h"
#include "bench/scaling_scene.h"
#include "support/bounds.h"

static void worlds_have_the_degrees_of_freedom_and_the_feet_of_their_size(void **state)
{
  (void)state;
  static const struct {
    pki_growth growth;
    int size, dof, feet;
  } cases[] = {{PKI_GROWTH_CHAIN, 25, 25, 0}, {PKI_GROWTH_BALLS, 7, 42, 7}, {PKI_GROWTH_ROBOTS, 3, 54, 12}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pki_scaling_scene s;
    assert_int_equal(pki_scaling_scene_create(&s, cases[i].growth, cases[i].size, NULL), PK_OK);
    assert_int_equal(s.model.nu, cases[i].dof);
    assert_int_equal(s.scene.nfoot, cases[i].feet);
    assert_int_equal(s.model.nshape, cases[i].feet);
    pki_scaling_scene_destroy(&s);
  }
}

static void robots_follow_the_trot_each_from_another_place(void **state)
{
  (void)state;
  pki_scaling_scene s;
  assert_int_equal(pki_scaling_scene_create(&s, PKI_GROWTH_ROBOTS, 4, NULL), PK_OK);
  const double *target = pki_scaling_target(&s, 5);
  const size_t nu = (size_t)s.trot.model.nu;
  for (int r = 0; r < 4; r++) {
    assert_memory_equal(target + (size_t)r * nu, pki_contact_target(&s.trot, 5 + r * s.period / 4),
                        nu * sizeof *target);
  }
  pki_scaling_scene_destroy(&s);
}

/* A second of each in Pronk: balls stay where they lie, robots on their feet, links do not fly away. */
static void worlds_can_be_stepped(void **state)
{
  (void)state;
  static const int sizes[PKI_GROWTHS] = {20, 9, 2};
  for (int g = 0; g < PKI_GROWTHS; g++) {
    pki_scaling_scene s;
    char message[200] = "";
    assert_int_equal(pki_scaling_scene_create(&s, (pki_growth)g, sizes[g], NULL), PK_OK);
    const pki_contact_peer *table = pki_contact_pronk();
    void *world = table->create(&s.scene, 0, message, sizeof message);
    assert_non_null(world);
    for (int k = 0; k < 200; k++) {
      assert_true(table->step(world, pki_scaling_target(&s, k)));
    }
    double q[64], u[64];
    assert_at_most(s.model.nq, 64);
    assert_at_most(s.model.nu, 64);
    pki_contact_sample sample = {.q = q, .u = u};
    table->read(world, &sample);
    for (int k = 0; k < sizes[g]; k++) {
      const double *mine = q + (size_t)k * (size_t)(s.model.nq / sizes[g]);
      assert_true(g == PKI_GROWTH_CHAIN ? fabs(mine[0]) < 0.5
                                        : mine[2] > (g == PKI_GROWTH_BALLS ? 0.0499 : 0.4));
    }
    table->destroy(world);
    pki_scaling_scene_destroy(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worlds_have_the_degrees_of_freedom_and_the_feet_of_their_size),
      cmocka_unit_test(robots_follow_the_trot_each_from_another_place),
      cmocka_unit_test(worlds_can_be_stepped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
