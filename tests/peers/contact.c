/* StarLETH on the ground in another engine, named on the command line (or "pronk"): all of them hold the
 * same robot, so they stand at the same height and the ground carries its weight. How well each obeys the
 * law of contact is for `pronk bench contact` to say; here only Pronk is held to it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bench/contact_pronk.h"
#include "bench/contact_run.h"
#include "measure/peer.h"
#include "support/bounds.h"

enum { PEERS_MAX = 16, SKIPPED = 77 };

/* Watch one configuration; the message names it when it fails. */
static pki_contact_figures watch(const pki_contact_stage *stage, const pki_contact_peer *table, int config,
                                 double settle, double seconds)
{
  pki_contact_runner run;
  pki_contact_figures figures;
  char message[400] = "";
  if (!pki_contact_runner_create(&run, stage, table, config, message, sizeof message)) {
    fail_msg("%s: %s", table->configs[config].name, message);
  }
  assert_true(pki_contact_runner_watch(&run, settle, seconds, &figures));
  pki_contact_runner_destroy(&run);
  return figures;
}

static void stage_create(pki_contact_stage *stage, pki_contact_motion motion, double dt)
{
  pk_error err = {0};
  if (pki_contact_stage_create(stage, motion, dt, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
}

static void it_stands_as_high_as_in_pronk_and_the_ground_carries_its_weight(void **state)
{
  const pki_contact_peer *table = *state;
  pki_contact_stage stage;
  stage_create(&stage, PKI_CONTACT_STAND, 1e-3);
  const double height = watch(&stage, pki_contact_pronk(), 0, 4, 2).height;
  for (int c = 0; c < table->nconfig; c++) {
    const pki_contact_figures f = watch(&stage, table, c, 4, 2);
    print_message("%s: height %.4f m (Pronk %.4f), support %.4f, sink %.3g mm, residual %.1e\n",
                  table->configs[c].name, f.height, height, f.support, f.rest_sink_mm, f.residual_median);
    assert_false(f.fell);
    assert_less(fabs(f.height - height),
                6e-3); /* soft contact sinks by 2 mm, and legs splay where feet creep */
    assert_less(fabs(f.support - 1), 0.01);
  }
  pki_contact_stage_destroy(&stage);
}

static void on_a_slope_the_ground_carries_what_presses_on_it(void **state)
{
  const pki_contact_peer *table = *state;
  pki_contact_stage stage;
  stage_create(&stage, PKI_CONTACT_SLOPE, 1e-3);
  for (int c = 0; c < table->nconfig; c++) {
    const pki_contact_figures f = watch(&stage, table, c, 4, 2);
    assert_false(f.fell);
    assert_less(fabs(f.support - 1), 0.01);
  }
  pki_contact_stage_destroy(&stage);
}

/* A clone that takes over the state of a world goes the way that the world goes, to the bit, and does not touch it. */
static void a_clone_with_the_same_state_takes_the_same_steps(void **state)
{
  enum { BEFORE = 100, STEPS = 50, MOST = 128 };
  const pki_contact_peer *table = *state;
  pki_contact_stage stage;
  if (!table->clone) {
    skip();
  }
  stage_create(&stage, PKI_CONTACT_TROT, 2.5e-3);
  for (int c = 0; c < table->nconfig; c++) {
    char message[400] = "";
    void *world = table->create(&stage.scene, c, message, sizeof message);
    assert_non_null(world);
    void *clone = table->clone(world); /* at the start of the trot */
    assert_non_null(clone);
    const int size = table->state_size(world);
    assert_in_range(size, stage.model.nq + stage.model.nu, MOST);
    for (int k = 0; k < BEFORE; k++) {
      assert_true(table->step(world, pki_contact_target(&stage, k)));
    }
    double taken[MOST], ends[2][MOST];
    table->get_state(world, taken);
    table->set_state(clone, taken);
    void *both[2] = {world, clone};
    for (int i = 0; i < 2; i++) {
      for (int k = BEFORE; k < BEFORE + STEPS; k++) {
        assert_true(table->step(both[i], pki_contact_target(&stage, k)));
      }
    }
    for (int i = 0; i < 2; i++) {
      table->get_state(both[i], ends[i]);
    }
    assert_memory_equal(ends[0], ends[1], (size_t)size * sizeof(double));
    assert_memory_not_equal(ends[0], taken, (size_t)size * sizeof(double));
    table->destroy(world);
    table->destroy(clone);
  }
  pki_contact_stage_destroy(&stage);
}

/* The default configuration alone; the paper's scheme is known to sink. */
static void pronk_neither_sinks_nor_creeps_and_every_step_is_certified(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * PKI_CONTACT_MOTIONS; k++) {
    pki_contact_stage stage;
    stage_create(&stage, (pki_contact_motion)(k / 2), k % 2 ? 2.5e-3 : 1e-3);
    const pki_contact_figures f = watch(&stage, pki_contact_pronk(), 0, 20, 10);
    print_message("%s at %g ms: sink %.1e mm, drift %.1e um/min, creep %.1e um/s, residual %.1e\n",
                  pki_contact_motion_names[stage.motion], 1e3 * stage.scene.dt, f.sink_mm, f.drift_um_per_min,
                  f.creep_um_per_s, f.residual);
    assert_false(f.fell);
    assert_less(f.sink_mm, 1e-3);
    assert_true(isnan(f.drift_um_per_min) || f.drift_um_per_min < 1);
    assert_true(isnan(f.creep_um_per_s) || fabs(f.creep_um_per_s) < 1e-3);
    /* From outside the scale of a problem is that of the feet that touch, which may be smaller. */
    assert_less(f.residual, 1e-7);
    pki_contact_stage_destroy(&stage);
  }
}

int main(int argc, char **argv)
{
  const pk_peer *peers[PEERS_MAX];
  const int count = pki_peers_load(peers, PEERS_MAX);
  const char *name = argc == 2 ? argv[1] : "";
  if (strcmp(name, "pronk") == 0) {
    const struct CMUnitTest own[] = {
        cmocka_unit_test(pronk_neither_sinks_nor_creeps_and_every_step_is_certified)};
    return cmocka_run_group_tests(own, NULL, NULL);
  }
  const pki_contact_peer *table = NULL;
  for (int i = 0; i < count; i++) {
    if (strcmp(peers[i]->name, name) == 0) {
      table = peers[i]->interface(PKI_CONTACT_INTERFACE);
    }
  }
  if (!table) {
    printf("skipped: there is no plugin for \"%s\"; install the engine and configure again\n", name);
    return SKIPPED;
  }
  void *trial = (void *)(uintptr_t)table;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(it_stands_as_high_as_in_pronk_and_the_ground_carries_its_weight, trial),
      cmocka_unit_test_prestate(on_a_slope_the_ground_carries_what_presses_on_it, trial),
      cmocka_unit_test_prestate(a_clone_with_the_same_state_takes_the_same_steps, trial),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
