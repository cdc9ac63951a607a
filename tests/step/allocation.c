/* Stepping allocates nothing: every allocation of the library is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/gait.h"
#include "pronk/sim.h"
#include "support/allocations.h"
#include "support/bounds.h"

static void no_step_allocates(void **state)
{
  (void)state;
  pk_model *m;
  pk_error err;
  assert_int_equal(pk_model_load_urdf(PK_SOURCE_DIR "/models/coman/coman.urdf", NULL, &m, &err), PK_OK);
  assert_greater(allocations, 0); /* the counter counts */
  static const struct {
    pk_stepper stepper;
    pk_contact_law law;
    pk_contact_resting resting;
  } worlds[] = {{PK_STEPPER_EULER, PK_CONTACT_LAW_HARD, 0},
                {PK_STEPPER_MOREAU, PK_CONTACT_LAW_HARD, 0},
                {PK_STEPPER_RK4, PK_CONTACT_LAW_HARD, 0},
                {PK_STEPPER_MOREAU, PK_CONTACT_LAW_COMPLIANT, 0},
                {PK_STEPPER_EULER, PK_CONTACT_LAW_PENALTY, 0},
                {PK_STEPPER_EULER, PK_CONTACT_LAW_LCP_PYRAMID, PK_CONTACT_RESTING_VELOCITY},
                {PK_STEPPER_EULER, PK_CONTACT_LAW_LCP_PYRAMID, PK_CONTACT_RESTING_ACCELERATION}};
  int least = 0;
  for (size_t s = 0; s < sizeof worlds / sizeof worlds[0]; s++) {
    pk_sim_options o = pk_sim_options_default();
    o.stepper = worlds[s].stepper, o.law = worlds[s].law, o.resting = worlds[s].resting;
    o.max_contacts = 64;
    void *memory = aligned_alloc(64, (pk_sim_memsize(m, &o) + 63) / 64 * 64);
    pk_sim *in_memory;
    allocations = 0;
    assert_int_equal(pk_sim_init(m, &o, memory, &in_memory, &err), PK_OK);
    least = s == 0 ? allocations : least;
    assert_int_equal(allocations, least); /* no law asks for memory of its own */
    pk_sim_destroy(in_memory);
    free(memory);
    pk_sim *sim;
    assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
    for (int k = 6; k < m->nu; k++) {
      pk_sim_commands(sim)[k] = (pk_command){.kp = 500, .kd = 5, .q_des = 0.5, .tau_max = 3};
    }
    pk_terrain *t;
    pk_terrain_create(&t, NULL);
    assert_int_equal(pk_terrain_add_plane(t, (const double[3]){0}, (const double[3]){0, 0, 1}, 0, &err),
                     PK_OK);
    /* in accelerations friction may leave no solution */
    const pk_material ground = {.friction = o.resting == PK_CONTACT_RESTING_ACCELERATION ? 0 : 0.8};
    if (o.stepper != PK_STEPPER_RK4) {
      assert_int_equal(pk_sim_set_terrain(sim, t, &ground, 1, &err), PK_OK);
      pk_sim_q(sim)[2] = 0.5; /* its feet meet the ground on the way */
    }
    allocations = 0;
    for (int i = 0; i < 100; i++) {
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    }
    pk_workspace *w = pk_sim_workspace(sim);
    double pos[3], vel[3], momentum[6];
    pk_kinematics_compute(w, pk_sim_q(sim), pk_sim_u(sim));
    pk_com_compute(w, -1, pos, vel);
    pk_momentum_compute(w, -1, momentum);
    assert_int_equal(allocations, 0);
    pk_sim_destroy(sim);
    pk_terrain_destroy(t);
  }
  pk_model_destroy(m);
}

/* COMAN on compliant soles, its other links hard, in schemes of both kinds. */
static void no_step_on_compliant_soles_allocates(void **state)
{
  (void)state;
  static const struct {
    pk_stepper stepper;
    pk_implicit_forces implicit;
  } schemes[] = {{PK_STEPPER_EULER, PK_IMPLICIT_FORCES_ALL},
                 {PK_STEPPER_MOREAU, PK_IMPLICIT_FORCES_ALL},
                 {PK_STEPPER_MOREAU, PK_IMPLICIT_FORCES_NONE},
                 {PK_STEPPER_RK4, PK_IMPLICIT_FORCES_ALL}};
  pk_model *m;
  pk_error err;
  pk_terrain *t;
  assert_int_equal(pk_model_load_urdf(PK_SOURCE_DIR "/models/coman/coman.urdf", NULL, &m, &err), PK_OK);
  pk_terrain_create(&t, NULL);
  assert_int_equal(pk_terrain_add_plane(t, (const double[3]){0}, (const double[3]){0, 0, 1}, 0, &err), PK_OK);
  const pk_compliance rubber = pk_compliance_default();
  for (size_t s = 0; s < sizeof schemes / sizeof schemes[0]; s++) {
    pk_sim_options o = pk_sim_options_default();
    o.stepper = schemes[s].stepper, o.implicit = schemes[s].implicit, o.dt = 1e-4;
    pk_sim *sim;
    assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
    for (int i = 0; i < m->nshape; i++) {
      const char *link = m->links[m->shapes[i].link].name;
      if (!m->shapes[i].visual && (strcmp(link, "RFoot") == 0 || strcmp(link, "LFoot") == 0)) {
        assert_int_equal(pk_sim_set_surface(sim, i, 1, &err), PK_OK);
      }
    }
    assert_int_equal(pk_sim_set_surface_compliance(sim, 1, &rubber, &err), PK_OK);
    assert_int_equal(pk_sim_set_material_compliance(sim, 0, &rubber, &err), PK_OK);
    assert_int_equal(pk_sim_set_terrain(sim, t, NULL, 0, &err), PK_OK);
    assert_int_equal(pk_sim_check_compliance(sim, &err), PK_OK);
    for (int k = 6; k < m->nu; k++) {
      pk_sim_commands(sim)[k] = (pk_command){.kp = 500, .kd = 5};
    }
    pk_sim_q(sim)[2] = 0.5275; /* the soles are 0.527 m below */
    int most = 0;
    double stored = 0;
    allocations = 0;
    for (int i = 0; i < 400; i++) {
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
      const int n = pk_sim_contacts(sim, NULL, 0);
      most = n > most ? n : most;
      stored += pk_sim_elastic_energy(sim);
    }
    assert_greater(stored, 0);
    assert_int_equal(allocations, 0);
    assert_int_equal(most, 8); /* four contacts for each foot */
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Hold, track with its integrals, and computed torques of an arm; locomotion is counted in tests/gait. */
static void no_controller_allocates(void **state)
{
  (void)state;
  pk_model *m, *arm;
  pk_error err;
  assert_int_equal(pk_model_load_urdf(PK_SOURCE_DIR "/models/starleth/starleth.urdf", NULL, &m, &err), PK_OK);
  assert_int_equal(pk_model_load_urdf(PK_SOURCE_DIR "/models/ur10/ur10.urdf", NULL, &arm, &err), PK_OK);
  pk_track_options track = pk_track_options_default();
  track.ki = 50;
  pk_controller *made[3];
  assert_int_equal(pk_hold_create(m, NULL, &made[0], &err), PK_OK);
  assert_int_equal(pk_track_create(m, &track, &made[1], &err), PK_OK);
  assert_int_equal(pk_computed_torque_create(arm, NULL, &made[2], &err), PK_OK);
  for (int k = 0; k < 3; k++) {
    pk_sim *sim;
    assert_int_equal(pk_sim_create(k < 2 ? m : arm, NULL, &sim, &err), PK_OK);
    assert_int_equal(pk_sim_set_controller(sim, made[k], &err), PK_OK);
    allocations = 0;
    for (int i = 0; i < 100; i++) {
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    }
    assert_int_equal(allocations, 0);
    pk_sim_destroy(sim);
  }
  pk_hold_destroy(made[0]);
  pk_track_destroy(made[1]);
  pk_computed_torque_destroy(made[2]);
  pk_model_destroy(m);
  pk_model_destroy(arm);
}

/* The memory that is asked for is the memory that is used: nothing before or after is touched. */
static void a_sim_lives_within_its_memory_size(void **state)
{
  (void)state;
  pk_model *m;
  pk_error err;
  assert_int_equal(pk_model_load_urdf(PK_SOURCE_DIR "/models/starleth/starleth.urdf", NULL, &m, &err), PK_OK);
  const pk_sim_options o = pk_sim_options_default();
  const size_t size = pk_sim_memsize(m, &o), guard = 4096;
  unsigned char *block = aligned_alloc(64, size + 2 * guard);
  memset(block, 0xa5, size + 2 * guard);
  pk_sim *sim;
  assert_int_equal(pk_sim_init(m, &o, block + guard, &sim, &err), PK_OK);
  for (int i = 0; i < 50; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  pk_sim_destroy(sim);
  for (size_t i = 0; i < guard; i++) {
    assert_int_equal(block[i], 0xa5);
    assert_int_equal(block[guard + size + i], 0xa5);
  }
  free(block);
  pk_model_destroy(m);
}

static void memory_that_is_not_aligned_is_refused(void **state)
{
  (void)state;
  pk_model *m;
  assert_int_equal(pk_model_load_urdf(PK_SOURCE_DIR "/models/starleth/starleth.urdf", NULL, &m, NULL), PK_OK);
  const pk_sim_options o = pk_sim_options_default();
  unsigned char *block = aligned_alloc(64, (pk_sim_memsize(m, &o) + 127) / 64 * 64);
  pk_error err = {.message = ""};
  pk_sim *sim;
  pk_workspace *workspace;
  for (int off = 1; off < 64; off *= 2) {
    assert_int_equal(pk_sim_init(m, &o, block + off, &sim, &err), PK_ERROR_ARGUMENT);
    assert_string_equal(err.field, "memory");
    assert_non_null(strstr(err.message, "expected a multiple of 64 bytes"));
    assert_null(sim);
    assert_int_equal(pk_workspace_init(m, block + off, &workspace, &err), PK_ERROR_ARGUMENT);
    assert_null(workspace);
  }
  assert_int_equal(pk_sim_init(m, &o, NULL, &sim, &err), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_workspace_init(m, NULL, &workspace, &err), PK_ERROR_ARGUMENT);
  free(block);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_step_allocates),
      cmocka_unit_test(no_step_on_compliant_soles_allocates),
      cmocka_unit_test(no_controller_allocates),
      cmocka_unit_test(a_sim_lives_within_its_memory_size),
      cmocka_unit_test(memory_that_is_not_aligned_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
