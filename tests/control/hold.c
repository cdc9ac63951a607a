/* The registry, its options, and the controller that keeps a pose. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "control/registry.h"
#include "gait/walker.h"
#include "step/world.h"
#include "support/bounds.h"

/* The robots here have no actuators of their own, are not fixed to the world, have no motion to follow and stand on four feet: four rows
 * refuse them, and are tested apart. */
static bool is_made_for_any_robot(const pki_controller_row *row)
{
  return strcmp(row->name, "actuators") != 0 && strcmp(row->name, "computed-torque") != 0 &&
         strcmp(row->name, "follow") != 0 && strcmp(row->name, "biped") != 0;
}

static void every_row_makes_a_controller_from_its_preset_options(void **state)
{
  (void)state;
  walker w = walker_create(NULL, NULL, NULL);
  for (int i = 0; pki_controllers[i] != NULL; i++) {
    const pki_controller_row *row = pki_controllers[i];
    if (!is_made_for_any_robot(row)) {
      continue;
    }
    void *options = calloc(1, row->options_size);
    pki_fields_preset(row->fields, row->nfield, options);
    pk_controller *made = NULL;
    pk_error err = {.message = ""};
    assert_int_equal(row->create(w.model, options, &made, &err), PK_OK);
    assert_string_equal(made->name, row->name);
    assert_true(row->doc[0] != 0);
    pki_controller_destroy(made);
    free(options);
  }
  const pk_locomotion_options walk = pk_locomotion_options_default();
  assert_true(walk.period == 2.5e-3 && walk.cycle == 0 && walk.gait == PK_GAIT_STAND);
  const pk_hold_options hold = pk_hold_options_default();
  assert_true(hold.kp == 100 && hold.kd == 2 && isinf(hold.tau_max));
  walker_destroy(&w);
}

/* The trunk sinks by what its weight does to the springs, and then nothing moves. A weaker robot goes down. */
static void a_held_robot_comes_to_rest_near_its_pose(void **state)
{
  (void)state;
  walker w = walker_create(NULL, NULL, NULL);
  pk_hold_options o = pk_hold_options_default();
  pk_error err = {.message = ""};
  double rest[2];
  for (int k = 0; k < 2; k++) {
    pk_controller *hold;
    o.tau_max = k == 0 ? 0 : 2; /* 0: the model's effort limits alone, 30 N m */
    assert_int_equal(pk_hold_create(w.model, &o, &hold, &err), PK_OK);
    pk_sim_reset(w.sim);
    walker_place(&w, 0, 0);
    assert_int_equal(pk_sim_set_controller(w.sim, hold, &err), PK_OK);
    double most = 0;
    for (int i = 0; i < 3000; i++) {
      assert_int_equal(pk_sim_step(w.sim, NULL), PK_OK);
      for (int u = 6; u < w.model->nu; u++) {
        most = fmax(most, fabs(pk_sim_tau(w.sim)[u]));
      }
    }
    rest[k] = pk_sim_q(w.sim)[2];
    assert_at_most(most, (k == 0 ? 30 : 2) + 1e-9);
    assert_int_equal(pk_sim_set_controller(w.sim, NULL, &err), PK_OK);
    pk_hold_destroy(hold);
  }
  print_message("held at %.4f m of 0.435 m; with 2 N m at %.4f m\n", rest[0], rest[1]);
  assert_greater(rest[0], 0.38);
  assert_less(rest[0], 0.435);
  assert_less(rest[1], 0.3);
  assert_int_equal(pk_hold_create(w.model, &(pk_hold_options){.kp = -1}, &(pk_controller *){NULL}, &err),
                   PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "kp");
  walker_destroy(&w);
}

static pk_status do_nothing(const pk_controller *self, const pk_observation *seen, void *state,
                            pk_command *commands)
{
  (void)self, (void)seen, (void)state, (void)commands;
  return PK_OK;
}

/* Its indices are those of the model that it was made for. */
static void a_controller_of_another_model_is_refused_and_the_old_one_stays(void **state)
{
  (void)state;
  walker w = walker_create(NULL, NULL, NULL), other = walker_create_robot(&walker_anymal, NULL, NULL, NULL);
  const pk_controller *const before = w.sim->control.by;
  for (int i = 0; pki_controllers[i] != NULL; i++) {
    const pki_controller_row *row = pki_controllers[i];
    if (!is_made_for_any_robot(row)) {
      continue;
    }
    void *options = calloc(1, row->options_size);
    pki_fields_preset(row->fields, row->nfield, options);
    pk_controller *made = NULL;
    pk_error err = {.message = ""};
    char message[160];
    assert_int_equal(row->create(other.model, options, &made, &err), PK_OK);
    assert_int_equal(pk_sim_set_controller(w.sim, made, &err), PK_ERROR_ARGUMENT);
    snprintf(message, sizeof message,
             "the controller \"%s\" is of another model: of one with the hash %016llx, this one has %016llx",
             row->name, pk_model_hash(other.model), pk_model_hash(w.model));
    assert_string_equal(err.message, message);
    assert_string_equal(err.field, "controller");
    assert_ptr_equal(w.sim->control.by, before);
    assert_int_equal(pk_sim_step(w.sim, NULL), PK_OK);
    assert_int_equal(pk_sim_set_controller(other.sim, made, &err), PK_OK);
    assert_int_equal(pk_sim_set_controller(other.sim, NULL, &err), PK_OK);
    pki_controller_destroy(made);
    free(options);
  }
  /* one that was made for no model in particular goes with any */
  const pk_controller mine = {.name = "mine", .update = do_nothing};
  pk_error err = {.message = ""};
  assert_int_equal(pk_sim_set_controller(w.sim, &mine, &err), PK_OK);
  assert_int_equal(pk_sim_set_controller(other.sim, &mine, &err), PK_OK);
  walker_destroy(&w);
  walker_destroy(&other);
}

static void a_controller_without_an_update_is_refused(void **state)
{
  (void)state;
  walker w = walker_create(NULL, NULL, NULL);
  pk_error err = {.message = ""};
  assert_int_equal(pk_sim_set_controller(w.sim, &(pk_controller){.name = "idle"}, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "update");
  assert_string_equal(err.message,
                      "the controller \"idle\" has no function update, expected one that sets the commands");
  assert_int_equal(pk_sim_set_controller(w.sim, &(pk_controller){.period = -1}, &err), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_sim_step(w.sim, NULL), PK_OK);
  walker_destroy(&w);
}

/* A joint whose effort limit is zero has no motor: in a command that is no limit, so that controllers ask for nothing. */
static void controllers_leave_joints_without_effort_alone(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_joint_desc joint = pk_joint_desc_default();
  pk_robot_desc robot = pk_robot_desc_default();
  pk_link_desc base = {.name = "base"},
               arm = {.name = "arm", .inertia = {1, {0, 0, 0.1}, {1, 0, 0, 1, 0, 1}}};
  joint.name = "hinge", joint.parent = "base", joint.child = "arm", joint.effort = 0;
  robot.root = PK_ROOT_FIXED;
  pk_model *m;
  pk_error err = {.message = ""};
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &base, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &arm, &err), PK_OK);
  assert_int_equal(pk_builder_add_joint(b, &joint, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  pk_controller *by[2];
  assert_int_equal(pk_hold_create(m, NULL, &by[0], &err), PK_OK);
  assert_int_equal(pk_track_create(m, NULL, &by[1], &err), PK_OK);
  for (int i = 0; i < 2; i++) {
    pk_sim *sim;
    assert_int_equal(pk_sim_create(m, NULL, &sim, &err), PK_OK);
    pk_sim_u(sim)[0] = 1;
    assert_int_equal(pk_sim_set_controller(sim, by[i], &err), PK_OK);
    for (int k = 0; k < 50; k++) {
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
      assert_true(pk_sim_tau(sim)[0] == 0);
    }
    pk_sim_destroy(sim);
    pki_controller_destroy(by[i]);
  }
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_makes_a_controller_from_its_preset_options),
      cmocka_unit_test(a_held_robot_comes_to_rest_near_its_pose),
      cmocka_unit_test(a_controller_of_another_model_is_refused_and_the_old_one_stays),
      cmocka_unit_test(a_controller_without_an_update_is_refused),
      cmocka_unit_test(controllers_leave_joints_without_effort_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
