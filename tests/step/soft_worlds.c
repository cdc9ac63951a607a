/* Worlds of compliant surfaces: bodies on each other, beside hard contact, within one robot; creep; batches, states and work. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/batch.h"
#include "pronk/dynamics.h"
#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/soft_shapes.h"
#include "support/world.h"

static const double G = 9.81, HALF[3] = {0.05, 0.05, 0.02}, MASS = 2;

static pk_compliance layer_of(double K, double c, double mu)
{
  pk_compliance s = pk_compliance_default();
  s.layer = 1e-3, s.stiffness = 2 * K * s.layer, s.dissipation = c;
  s.static_friction = s.dynamic_friction = mu;
  return s;
}

static pk_mesh mesh_of(const soft_mesh *m)
{
  return (pk_mesh){.name = "soft",
                   .nvertex = m->nvertex,
                   .ntriangle = m->ntriangle,
                   .vertex = m->vertex,
                   .triangle = m->triangle};
}

/* Bricks as free bodies. */
static pk_model *bricks_model(int n, const double gravity[3])
{
  soft_mesh brick = soft_brick(HALF, 6);
  const pk_mesh mesh = mesh_of(&brick);
  const double ix = MASS / 3 * (HALF[1] * HALF[1] + HALF[2] * HALF[2]),
               iz = MASS / 3 * (HALF[0] * HALF[0] + HALF[1] * HALF[1]);
  free_solid solids[8];
  for (int i = 0; i < n; i++) {
    solids[i] = (free_solid){.kind = PK_SHAPE_MESH, .mass = MASS, .moment = {ix, ix, iz}, .mesh = &mesh};
  }
  pk_model *m = solids_model(solids, n, gravity);
  soft_mesh_free(&brick);
  return m;
}

static pk_sim *soft_world(const pk_model *m, const pk_terrain *t, const pk_compliance *c,
                          const pk_sim_options *o)
{
  pk_error err = {.message = ""};
  pk_sim *sim;
  assert_int_equal(pk_sim_create(m, o, &sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_surface_compliance(sim, 0, c, &err), PK_OK);
  assert_int_equal(pk_sim_set_material_compliance(sim, 0, c, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, t, NULL, 0, &err), PK_OK);
  assert_int_equal(pk_sim_check_compliance(sim, &err), PK_OK);
  return sim;
}

/* Steps, all of them certified; the last one's info. */
static pk_step_info step_certified(pk_sim *sim, int n)
{
  pk_step_info info = {0};
  for (int i = 0; i < n; i++) {
    assert_int_equal(pk_sim_step(sim, &info), PK_OK);
    if (!info.certified) {
      print_message("step %d: residual %.2e, relative %.2e, newton %d\n", i, info.certificate.residual,
                    info.certificate.relative, info.newton);
    }
    assert_true(info.certified);
  }
  return info;
}

/* N, up, on the first shape of a contact of two shapes (-1: ground). */
static double carried(pk_sim *sim, int shape, int other)
{
  pk_sim_contact contacts[16];
  const int n = pk_sim_contacts(sim, contacts, 16);
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += contacts[i].shape == shape && contacts[i].other_shape == other
               ? contacts[i].impulse[2] / pk_sim_options_default().dt
               : 0;
  }
  return sum;
}

static void stacked_bricks_carry_their_weights_on_each_other(void **state)
{
  (void)state;
  pk_model *m = bricks_model(3, NULL);
  pk_terrain *t = slope_terrain(0);
  const pk_compliance c = layer_of(1e8, 1, 0.8);
  pk_sim *sim = soft_world(m, t, &c, NULL);
  for (int i = 0; i < 3; i++) {
    pk_sim_q(sim)[7 * i + 2] = HALF[2] * (2 * i + 1) - 1e-5 * i;
  }
  step_certified(sim, 2000);
  print_message("ground carries %.6f N, first %.6f N, second %.6f N; weight of one %.6f N\n",
                carried(sim, 0, -1), -carried(sim, 0, 1), -carried(sim, 1, 2), MASS * G);
  assert_near(carried(sim, 0, -1), 3 * MASS * G, 1e-3);
  assert_near(carried(sim, 0, 1), -2 * MASS * G, 1e-3);
  assert_near(carried(sim, 1, 2), -MASS * G, 1e-3);
  assert_less(fastest(sim), 1e-6);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void hard_and_soft_pairs_share_a_world_and_every_step_is_certified(void **state)
{
  (void)state;
  pk_error err = {.message = ""};
  pk_model *m = bricks_model(3, NULL);
  pk_terrain *t = slope_terrain(0);
  const pk_compliance c = layer_of(1e8, 1, 0.8);
  pk_sim *sim = soft_world(m, t, &c, NULL);
  /* the second brick is hard on the first, soft on the third */
  assert_int_equal(pk_sim_set_surface(sim, 1, 1, &err), PK_OK);
  assert_int_equal(pk_sim_set_surface(sim, 2, 2, &err), PK_OK);
  assert_int_equal(pk_sim_set_surface_compliance(sim, 1, &c, &err), PK_OK);
  assert_int_equal(pk_sim_set_surface_compliance(sim, 2, &c, &err), PK_OK);
  assert_int_equal(pk_sim_set_surface_pair_compliance(sim, 0, 1, NULL, &err), PK_OK);
  for (int i = 0; i < 3; i++) {
    pk_sim_q(sim)[7 * i + 2] = HALF[2] * (2 * i + 1) + 1e-3 * i;
  }
  step_certified(sim, 2000);
  pk_sim_contact contacts[16];
  int hard = 0, soft = 0;
  const int n = pk_sim_contacts(sim, contacts, 16);
  for (int i = 0; i < n; i++) {
    hard += contacts[i].shape == 0 && contacts[i].other_shape == 1;
    soft += contacts[i].shape == 1 && contacts[i].other_shape == 2;
  }
  print_message("%d points of the hard pair, %d of the soft one; the hard pair carries %.6f N\n", hard, soft,
                -carried(sim, 0, 1));
  assert_at_least(hard, 3);
  assert_int_equal(soft, 4);
  assert_near(carried(sim, 0, 1), -2 * MASS * G, 1e-3);
  assert_near(carried(sim, 1, 2), -MASS * G, 1e-3);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Two bricks of one robot, the second on a slide below which the first is fixed: springs in series with nothing but the patch. */
static void links_of_one_robot_press_each_other(void **state)
{
  (void)state;
  pk_error err = {.message = ""};
  pk_builder *b;
  pk_model *m = NULL;
  soft_mesh brick = soft_brick(HALF, 6);
  const pk_mesh mesh = mesh_of(&brick);
  pk_builder_create(&b, NULL);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FREE;
  const pk_inertia inertia = {.mass = MASS, .moment = {5e-3, 0, 0, 5e-3, 0, 5e-3}};
  const pk_link_desc links[] = {{.name = "base", .inertia = inertia},
                                {.name = "mid", .inertia = inertia},
                                {.name = "top", .inertia = inertia}};
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(pk_builder_add_link(b, &links[i], &err), PK_OK);
  }
  pk_joint_desc joint = {.name = "lift",
                         .kind = PK_JOINT_PRISMATIC,
                         .parent = "base",
                         .child = "mid",
                         .axis = {0, 0, 1},
                         .origin = pk_pose_identity()};
  joint.origin.pos[2] = 3 * HALF[2];
  joint.lower = -INFINITY, joint.upper = INFINITY, joint.velocity = INFINITY, joint.effort = INFINITY;
  assert_int_equal(pk_builder_add_joint(b, &joint, &err), PK_OK);
  joint.name = "more", joint.parent = "mid", joint.child = "top";
  assert_int_equal(pk_builder_add_joint(b, &joint, &err), PK_OK);
  for (int i = 0; i < 3; i += 2) {
    const pk_shape_desc shape = {
        .link = links[i].name, .kind = PK_SHAPE_MESH, .pose = pk_pose_identity(), .mesh = &mesh};
    assert_int_equal(pk_builder_add_shape(b, &shape, &err), PK_OK);
  }
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  pk_terrain *t = slope_terrain(0);
  const double K = 1e8;
  const pk_compliance c = layer_of(K, 1, 0.8);
  pk_sim *sim = soft_world(m, t, &c, NULL);
  pk_sim_q(sim)[2] = HALF[2];
  pk_sim_q(sim)[7] = -2 * HALF[2];
  pk_sim_q(sim)[8] = -2 * HALF[2] + 1e-4;
  pk_sim_commands(sim)[6] = (pk_command){.kp = 1e4, .kd = 1e3, .q_des = -2 * HALF[2]};
  step_certified(sim, 3000);
  pk_sim_contact contacts[8];
  const int n = pk_sim_contacts(sim, contacts, 8);
  double up = 0;
  for (int i = 0; i < n; i++) {
    up += contacts[i].other_shape == 1 ? -contacts[i].impulse[2] / 1e-3 : 0;
  }
  print_message("%d contacts; the top one presses the base with %.6f N, its weight is %.6f N\n", n, up,
                MASS * G);
  assert_int_equal(n, 8);
  assert_near(up, MASS * G, 1e-6);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
  soft_mesh_free(&brick);
}

/* m/s, of a brick that half its weight pulls along the ground. */
static double creep_speed(pk_compliance c)
{
  pk_model *m = bricks_model(1, NULL);
  pk_terrain *t = slope_terrain(0);
  pk_sim *sim = soft_world(m, t, &c, NULL);
  pk_sim_q(sim)[2] = HALF[2];
  for (int i = 0; i < 1500; i++) {
    pk_sim_push(sim, 0, (const double[3]){0, 0, -HALF[2]}, (const double[3]){0.5 * MASS * G, 0, 0});
    step_certified(sim, 1);
  }
  const double speed = pk_sim_u(sim)[0];
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
  return speed;
}

/* Where 0.5 = mu(u) of steps of fifth order: u/v_t = 0.4763 for mu_s = 1.1. */
static void stribeck_friction_creeps_as_its_curve_says_and_convex_friction_far_less(void **state)
{
  (void)state;
  pk_compliance c = layer_of(1e9, 0.1, 1.1);
  c.dynamic_friction = 0.9;
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) {
    const double w = 0.5 * (low + high), s = w * w * w * (10 + w * (-15 + 6 * w));
    low = 1.1 * s < 0.5 ? w : low;
    high = 1.1 * s < 0.5 ? high : w;
  }
  const double stribeck = creep_speed(c), closed = low * c.transition_speed;
  c.friction = PK_COMPLIANCE_FRICTION_CONVEX;
  const double convex = creep_speed(c);
  print_message("creep: stribeck %.4f mm/s, where the curve has the load %.4f mm/s; convex %.4f mm/s\n",
                1e3 * stribeck, 1e3 * closed, 1e3 * convex);
  assert_near(stribeck, closed, 1e-6);
  assert_less(convex, 1e-4);
}

/* Height of a tumbling brick after it has landed. */
static double land_brick(pk_implicit_forces implicit, double dt)
{
  pk_model *m = bricks_model(1, NULL);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = pk_sim_options_default();
  o.stepper = PK_STEPPER_EULER, o.implicit = implicit, o.dt = dt;
  const pk_compliance c = layer_of(1e7, 1, 0.6);
  pk_sim *sim = soft_world(m, t, &c, &o);
  pk_sim_q(sim)[2] = HALF[2] + 2e-3;
  pk_sim_u(sim)[0] = 0.1, pk_sim_u(sim)[4] = 0.2;
  const int n = (int)lround(0.04 / dt);
  for (int i = 0; i < n; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  const double z = pk_sim_q(sim)[2] + pk_sim_q(sim)[5] + 0.1 * pk_sim_u(sim)[2];
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
  return z;
}

static void explicit_and_implicit_forces_come_to_the_same_as_steps_shrink(void **state)
{
  (void)state;
  double last = INFINITY;
  for (double dt = 2e-4; dt > 2e-6; dt /= 4) {
    const double apart =
        fabs(land_brick(PK_IMPLICIT_FORCES_ALL, dt) - land_brick(PK_IMPLICIT_FORCES_NONE, dt));
    print_message("steps of %.1e s: apart by %.2e\n", dt, apart);
    assert_less(apart, 0.5 * last);
    last = apart;
  }
  assert_less(last, 1e-4);
}

static double mechanical_energy(pk_sim *sim)
{
  pk_workspace *w = pk_sim_workspace(sim);
  pk_kinematics_compute(w, pk_sim_q(sim), pk_sim_u(sim));
  const pk_energy e = pk_energy_compute(w, pk_sim_u(sim));
  return e.kinetic + e.potential;
}

/* Kinetic and potential energy change by the work of the patches; that is stored, lost by the law, or taken by the scheme. */
static void the_energy_of_a_bounce_is_accounted_for(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    pk_stepper stepper;
    double dt, balance;
  } schemes[] = {{"rk4", PK_STEPPER_RK4, 1e-5, 1e-6}, {"euler", PK_STEPPER_EULER, 1e-5, 2e-2}};
  for (int s = 0; s < 2; s++) {
    pk_model *m = bricks_model(1, NULL);
    pk_terrain *t = slope_terrain(0);
    pk_sim_options o = pk_sim_options_default();
    o.stepper = schemes[s].stepper, o.dt = schemes[s].dt;
    const pk_compliance c = layer_of(1e7, 1, 0.6);
    pk_sim *sim = soft_world(m, t, &c, &o);
    pk_sim_q(sim)[2] = HALF[2] + 1e-4;
    pk_sim_u(sim)[2] = -0.2, pk_sim_u(sim)[0] = 0.1;
    const double first = mechanical_energy(sim);
    double work = 0, loss = 0;
    for (int i = 0; i < 2000; i++) {
      pk_step_info info;
      assert_int_equal(pk_sim_step(sim, &info), PK_OK);
      work += info.compliant_work, loss += info.compliant_loss;
    }
    const double change = mechanical_energy(sim) - first, stored = pk_sim_elastic_energy(sim);
    print_message("%s: energy changed by %.6f J, work %.6f J, stored %.6f J, lost %.6f J, rest %.2e J\n",
                  schemes[s].name, change, work, stored, loss, -work - stored - loss);
    assert_near(work, change, schemes[s].balance * fabs(change));
    assert_near(stored + loss, -work, 2e-2 * fabs(work));
    assert_greater(loss, 0);
    pk_sim_destroy(sim);
    pk_terrain_destroy(t);
    pk_model_destroy(m);
  }
}

static void a_state_goes_back_to_the_bit_and_batches_step_as_single_worlds_do(void **state)
{
  (void)state;
  enum { WORLDS = 3, STEPS = 60 };
  pk_error err = {.message = ""};
  pk_model *m = bricks_model(2, NULL);
  pk_terrain *t = slope_terrain(0);
  const pk_compliance c = layer_of(1e8, 0.5, 0.8);
  pk_sim *sim = soft_world(m, t, &c, NULL);
  pk_batch_options o = pk_batch_options_default();
  o.worlds = WORLDS, o.threads = 2;
  pk_batch *batch;
  assert_int_equal(pk_batch_create(m, &o, &batch, &err), PK_OK);
  assert_int_equal(pk_batch_set_like(batch, sim, &err), PK_OK);
  pk_sim *single[WORLDS];
  for (int w = 0; w < WORLDS; w++) {
    single[w] = soft_world(m, t, &c, NULL);
    for (int i = 0; i < 2; i++) {
      pk_sim_q(single[w])[7 * i + 2] = HALF[2] * (2 * i + 1) + 5e-3 * (w + i);
    }
    pk_sim_u(single[w])[0] = 0.1 * w;
    assert_int_equal(pk_batch_set(batch, w, single[w], &err), PK_OK);
  }
  assert_int_equal(pk_batch_step(batch, STEPS, NULL), PK_OK);
  for (int w = 0; w < WORLDS; w++) {
    void *bytes = malloc(pk_sim_state_size(single[w]));
    double q[14], u[12];
    for (int i = 0; i < STEPS / 2; i++) {
      assert_int_equal(pk_sim_step(single[w], NULL), PK_OK);
    }
    pk_sim_get_state(single[w], bytes);
    for (int go = 0; go < 2; go++) {
      for (int i = 0; i < STEPS / 2; i++) {
        assert_int_equal(pk_sim_step(single[w], NULL), PK_OK);
      }
      if (go == 0) {
        memcpy(q, pk_sim_q(single[w]), sizeof q), memcpy(u, pk_sim_u(single[w]), sizeof u);
        assert_int_equal(pk_sim_set_state(single[w], bytes, pk_sim_state_size(single[w]), &err), PK_OK);
      }
    }
    assert_memory_equal(q, pk_sim_q(single[w]), sizeof q);
    assert_memory_equal(u, pk_sim_u(single[w]), sizeof u);
    assert_int_equal(pk_batch_get(batch, w, sim, &err), PK_OK);
    assert_memory_equal(q, pk_sim_q(sim), sizeof q);
    assert_memory_equal(u, pk_sim_u(sim), sizeof u);
    free(bytes);
    pk_sim_destroy(single[w]);
  }
  pk_batch_destroy(batch);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stacked_bricks_carry_their_weights_on_each_other),
      cmocka_unit_test(hard_and_soft_pairs_share_a_world_and_every_step_is_certified),
      cmocka_unit_test(links_of_one_robot_press_each_other),
      cmocka_unit_test(stribeck_friction_creeps_as_its_curve_says_and_convex_friction_far_less),
      cmocka_unit_test(explicit_and_implicit_forces_come_to_the_same_as_steps_shrink),
      cmocka_unit_test(the_energy_of_a_bounce_is_accounted_for),
      cmocka_unit_test(a_state_goes_back_to_the_bit_and_batches_step_as_single_worlds_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
