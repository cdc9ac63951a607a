/* A command far beyond its limit with gains of next to nothing: the velocity at which it would come back within the limit is huge, and
 * must not become the measure of what a certificate calls small. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/named_model.h"

/* m/s, the largest residual of a robot that writhes on the ground at its torque limits. */
static double worst_residual(const pk_model *m, const pk_terrain *ground, double kd)
{
  pk_sim_options o = pk_sim_options_default();
  pk_sim *sim = NULL;
  double worst = 0;
  o.dt = 2.5e-3;
  assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, ground, NULL, 0, NULL), PK_OK);
  pk_sim_q(sim)[2] = 0.4, pk_sim_u(sim)[0] = 1, pk_sim_u(sim)[3] = 2;
  for (int i = 0; i < 400; i++) {
    for (int j = 0; j < m->njoint; j++) {
      pk_sim_commands(sim)[m->joints[j].u] =
          (pk_command){.tau = 1000 * sin(0.05 * i + j), .kd = kd, .tau_max = 10};
    }
    pk_step_info info;
    assert_int_equal(pk_sim_step(sim, &info), PK_OK);
    assert_true(info.certified);
    worst = fmax(worst, info.certificate.residual);
  }
  pk_sim_destroy(sim);
  return worst;
}

static void weak_gains_at_a_limit_leave_the_certificate_its_meaning(void **state)
{
  (void)state;
  static const double gains[] = {10, 1e-1, 1e-3, 1e-5, 1e-7, 1e-9};
  const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
  pk_model *m = named_model("starleth");
  pk_terrain *ground = NULL;
  assert_int_equal(pk_terrain_create(&ground, NULL), PK_OK);
  assert_int_equal(pk_terrain_add_plane(ground, origin, up, 0, NULL), PK_OK);
  for (size_t i = 0; i < sizeof gains / sizeof gains[0]; i++) {
    assert_less(worst_residual(m, ground, gains[i]), 1e-5);
  }
  pk_terrain_destroy(ground);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weak_gains_at_a_limit_leave_the_certificate_its_meaning)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
